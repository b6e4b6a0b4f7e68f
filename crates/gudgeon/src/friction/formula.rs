//! Friction coefficients by formula: μ(s, N) of the model file, s ≥ 0 the sliding speed, N the normal load.
//!
//!   m = μ(|s|, N) s/|s|,   μ(0, N) = 0                                                      (1)
//!
//! Along one direction (1) is odd in the signed velocity v. Where the formula on the pieces around rest is
//! odd itself, as tanh is, rest is passed smoothly and nothing is remembered (`Zone::Rest`). Else the side
//! of rest is memory (`Zone::Full`), changed by events like those of bristles; beyond rest the formula is
//! continued to s < 0 where it has a value there, and mirrored where it has none. Pieces follow |v|.
//!
//! In ideal joints the load follows from the reaction c of the joint and from μ, since reactions lean by
//! the angle of friction (`load.rs`): N = n(c, μ(s, N)) + preload is solved for N by Newton's method, (2).
//! Pieces that depend on the load are chosen at every evaluation there, not located: no load is known
//! between evaluations.

use crate::formula::Formula;

use super::zones::{Coefficient, Zone};

/// Inputs of the formula: speed, load, and a place for the time, of which a law knows nothing.
const SLIP: usize = 0;
const LOAD: usize = 1;
const INPUTS: usize = 3;

/// Speeds, m/s, and loads, N, by which a law is explored: ten per decade, and two.
const SPEEDS: std::ops::RangeInclusive<i32> = -70..=20;
const LOADS: [f64; 2] = [1.0, 100.0];
/// Part by which the two sides of an odd function may differ.
const SLACK: f64 = 1e-12;

#[derive(Clone, Debug, PartialEq)]
pub struct FrictionFormula {
    formula: Formula,
    /// The largest coefficient found, and speeds at which three quarters and nine tenths of it are reached.
    largest: f64,
    rest: f64,
    full: f64,
    /// Whether it is odd and without pieces.
    smooth: bool,
    /// Whether it has a value for s < 0.
    continues: bool,
    loaded: bool,
}

/// Speeds that are tried, m/s.
pub fn speeds() -> impl Iterator<Item = f64> + Clone {
    SPEEDS.map(|i| 10f64.powf(f64::from(i) / 10.0))
}

/// Loads that are tried, N.
pub fn loads() -> impl Iterator<Item = f64> + Clone {
    LOADS.into_iter()
}

impl FrictionFormula {
    /// Of a formula of s, N and a third input without meaning.
    pub fn new(formula: Formula) -> Self {
        let mut law = Self {
            largest: 0.0,
            rest: 1.0,
            full: 1.0,
            smooth: false,
            continues: false,
            loaded: formula.reads(LOAD),
            formula,
        };
        let at = |v: f64| law.value(v, LOADS[1]);
        let largest = speeds().map(at).filter(|mu| mu.is_finite()).fold(0.0, f64::max);
        let reaches = |share: f64| speeds().find(|v| at(*v) >= share * largest).unwrap_or(1.0);
        let (rest, full) = (reaches(0.75), reaches(0.9));
        let continues = speeds().all(|v| law.value_beyond(v).is_finite());
        (law.largest, law.rest, law.full, law.continues) = (largest, rest, full, continues);
        law.smooth = law.formula.sites() == 0 && law.is_odd(LOADS[1], &[]);
        law
    }

    pub fn sites(&self) -> usize {
        self.formula.sites()
    }

    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// Whether μ depends on the load.
    pub fn follows_load(&self) -> bool {
        self.loaded
    }

    /// Whether pieces depend on the load.
    pub fn pieces_follow_load(&self) -> bool {
        self.formula.sites_read(LOAD)
    }

    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// A speed below which surfaces hardly rub, m/s.
    pub fn rest(&self) -> f64 {
        self.rest
    }

    /// A speed at which the law is fully developed, m/s.
    pub fn speed(&self) -> f64 {
        self.full
    }

    /// Calls `with` with the pieces that hold at a speed and load.
    pub fn on_pieces<R>(&self, speed: f64, load: f64, with: impl FnOnce(&[i32]) -> R) -> R {
        self.formula.on_own_pieces(&[speed, load, 0.0], with)
    }

    pub fn find_pieces(&self, speed: f64, load: f64, pieces: &mut [i32]) {
        self.formula.find_pieces(&[speed, load, 0.0], pieces);
    }

    /// Two switches per piece.
    pub fn switches(&self, speed: f64, load: f64, pieces: &[i32], out: &mut [f64]) {
        self.formula.switches(&[speed, load, 0.0], pieces, out);
    }

    /// μ(s, N) on the pieces that hold there.
    pub fn value(&self, speed: f64, load: f64) -> f64 {
        self.on_pieces(speed, load, |pieces| self.formula.value(&[speed, load, 0.0], pieces))
    }

    /// μ and its slopes there.
    pub fn at(&self, speed: f64, load: f64) -> Coefficient {
        self.on_pieces(speed, load, |pieces| self.raw(speed, load, pieces))
    }

    /// μ(−s) on the pieces that hold at s.
    fn value_beyond(&self, speed: f64) -> f64 {
        let load = LOADS[1];
        self.on_pieces(speed, load, |pieces| self.formula.value(&[-speed, load, 0.0], pieces))
    }

    /// Whether μ is odd in s on pieces that hold around rest.
    fn is_odd(&self, load: f64, pieces: &[i32]) -> bool {
        let at = |s: f64| self.formula.value(&[s, load, 0.0], pieces);
        [1e-3, 0.1, 1.0].iter().all(|share| {
            let (one, other) = (at(share * self.rest), at(-share * self.rest));
            (one + other).abs() <= SLACK * (one.abs() + other.abs())
        })
    }

    /// What is remembered of the side of rest at a velocity, on the pieces that hold there.
    pub fn zone(&self, v: f64, load: f64, pieces: &[i32]) -> Zone {
        let around_rest = || self.on_pieces(0.0, load, |around| around == pieces);
        if self.smooth || (around_rest() && self.is_odd(load, pieces)) {
            return Zone::Rest;
        }
        Zone::Full { positive: v >= 0.0 }
    }

    /// μ and its slopes by a velocity, with its sign along one direction, and by the load.
    #[inline(never)] // Built-in laws stay small beside it.
    pub fn coefficient(&self, v: f64, zone: Zone, load: f64, pieces: &[i32]) -> Coefficient {
        let mut sign = match zone {
            Zone::Full { positive: false } => -1.0,
            _ => 1.0,
        };
        if sign * v < 0.0 && !self.continues {
            sign = -sign;
        }
        let mu = self.raw(sign * v, load, pieces);
        Coefficient { value: sign * mu.value, slope: mu.slope, by_load: sign * mu.by_load }
    }

    fn raw(&self, s: f64, load: f64, pieces: &[i32]) -> Coefficient {
        let mut slopes = [0.0; INPUTS];
        let value = self.formula.gradient(&[s, load, 0.0], pieces, &mut slopes);
        Coefficient { value, slope: slopes[SLIP], by_load: slopes[LOAD] }
    }
}
