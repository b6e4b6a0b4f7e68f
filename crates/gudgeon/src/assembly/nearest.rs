//! The nearest positions of a mechanism that does not close.
//!
//! **All rows together:** the least Φ = ½ Σ gᵢ². There Gᵀ g = 0: what is open holds itself in balance, a
//! state of stress of the loops that cannot close, and all other rows are closed.
//!
//! **Some rows open, the rest closed:** the least ½ Σ wᵢ gᵢ² of the open rows with g = 0 on the rest. The
//! rest takes part in Φ with a weight ρ that grows from round to round, at last with multipliers:
//!
//!   λ ← λ + ρ g                                                                            (1)
//!
//! They come last because springs keep a loop as stable as it is, and constant forces do not. A rest that
//! stays open when ρ grows cannot close near here.
//!
//! **Each minimum** by Newton steps with the whole curvature (`system/squares.rs`), since what stays open is
//! not small; by those of Gauss and Newton where that curvature is not positive. A step s bends out of a
//! narrow valley by b = g(q + s) − g − G s, which a second one takes back: the least one with G s₂ = −b.
//! Steps that do not lower Φ are damped. Bars in line may be in balance on a saddle: all bodies are turned
//! a little, always alike, and the search goes on. Loops in space may have many minima: bodies of open
//! loops are turned at random, always alike, and the lowest minimum counts.

use std::f64::consts::PI;

use crate::random::Random;
use crate::system::{Curvature, Squares, System, Terms};

/// A row is closed when it is off by less than this share of the mechanism's size (or radian), and
/// passes for closed below the second figure.
const CLOSED: f64 = 1e-13;
const NEARLY_CLOSED: f64 = 1e-9;
/// Largest turn in one step, rad.
const LONGEST: f64 = 0.7;
/// When a minimum is found: on the way to another one, as the last of them, and of all rows together,
/// where the share of rows that are closed must be seen to vanish.
const ROUGHLY: Enough = Enough { step: 1e-4, gain: 1e-7 };
const CLOSELY: Enough = Enough { step: 1e-9, gain: 1e-12 };
const EXACTLY: Enough = Enough { step: 1e-9, gain: 1e-15 };
/// Steps to one minimum, saddles that are left on the way, and by turns of what size.
const STEPS: usize = 300;
const SADDLES: usize = 4;
const TURN: f64 = 0.02;
/// How often another minimum is looked for, by turns of which sizes, and the share of the work that may
/// be spent on it.
const OTHERS: usize = 24;
const TURNS: [f64; 3] = [0.3, 1.0, PI];
const SHARE: f64 = 0.3;
/// ρ of the first rounds; that of the last stays. Rounds to a closed rest.
const WEIGHTS: [f64; 4] = [10.0, 1e2, 1e3, 1e4];
const ROUNDS: usize = 20;
/// Work of a whole search in products, about a second; and steps that it may take whatever they cost.
const WORK: f64 = 6e8;
const FEWEST: f64 = 100.0;
/// Damping of the second step, and the first one after a step that failed.
const LEAST: f64 = 1e-4;
const FIRST: f64 = 1e-8;
/// Curvature that is less negative than this belongs to a flat valley, not to a saddle.
const LEVEL: f64 = 1e-7;

/// What is small enough to end: a step, rad or as a share of the size, or its gain as a share of Φ.
#[derive(Clone, Copy)]
struct Enough {
    step: f64,
    gain: f64,
}

/// A position that is a minimum.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub q: Vec<f64>,
    /// Rows in units of the size.
    pub g: Vec<f64>,
    /// Whether a saddle was left on the way: another turn might have led elsewhere.
    pub by_chance: bool,
}

impl Found {
    pub fn closes(&self) -> bool {
        largest(&self.g) < NEARLY_CLOSED
    }

    fn squares(&self) -> f64 {
        self.g.iter().map(|g| g * g).sum()
    }
}

/// A step that was tried: where it leads, and by how much Φ is lower there.
struct Trial {
    q: Vec<f64>,
    g: Vec<f64>,
    lower: f64,
}

pub(super) struct Search<'s> {
    squares: Squares<'s>,
    /// Work that is left, in products.
    left: f64,
}

impl<'s> Search<'s> {
    pub fn new(system: &'s System) -> Self {
        let squares = Squares::new(system);
        let left = WORK.max(FEWEST * squares.cost() as f64);
        Self { squares, left }
    }

    pub fn is_exhausted(&self) -> bool {
        self.left < 0.0
    }

    /// The nearest position from a rough one.
    pub fn nearest(&mut self, q: &[f64]) -> Found {
        let g = self.squares.gaps(q);
        let terms = Terms::plain(g.len());
        let mut found = Found { q: q.to_vec(), g, by_chance: false };
        self.descend(&mut found, &terms, EXACTLY);
        found
    }

    /// The lowest minimum found when some bodies are turned.
    pub fn lowest(&mut self, first: Found, bodies: &[usize]) -> Found {
        let enough = self.left - SHARE * self.left;
        let mut lowest = first.clone();
        for time in 0..OTHERS {
            if lowest.closes() || self.left < enough {
                break;
            }
            let turned = self
                .turned(&first.q, TURNS[time % TURNS.len()], time, |body| bodies.contains(&body));
            let other = self.nearest(&turned);
            if other.squares() < (1.0 - 1e-6) * lowest.squares() {
                lowest = Found { by_chance: true, ..other };
            }
        }
        lowest
    }

    /// Closes all rows but the open ones, which are as near to closed as that allows, each with its
    /// weight, from the nearest position of all; `None` where the rest does not close, or the work is used up.
    pub fn narrowed(&mut self, from: &Found, open: &[(usize, f64)]) -> Option<Found> {
        if self.is_exhausted() {
            return None;
        }
        let mut found = from.clone();
        let mut terms = Terms::plain(from.g.len());
        open.iter().for_each(|&(row, weight)| terms.weights[row] = weight);
        let is_open = |row: usize| open.iter().any(|(i, _)| *i == row);
        let rest: Vec<usize> = (0..from.g.len()).filter(|&row| !is_open(row)).collect();
        let (mut before, mut stuck) = (f64::INFINITY, 0);
        for round in 0..ROUNDS {
            let last = round >= WEIGHTS.len();
            let rho = WEIGHTS[round.min(WEIGHTS.len() - 1)];
            for &row in &rest {
                terms.weights[row] = rho;
                if last {
                    terms.multipliers[row] += rho * found.g[row]; // (1)
                }
            }
            self.descend(&mut found, &terms, if last { CLOSELY } else { ROUGHLY });
            let off = rest.iter().fold(0.0, |m: f64, &row| m.max(found.g[row].abs()));
            if off <= CLOSED {
                return Some(found);
            }
            stuck = if last && off > 0.7 * before { stuck + 1 } else { 0 };
            before = off;
            if stuck > 1 || !off.is_finite() || self.is_exhausted() {
                break;
            }
        }
        (before < NEARLY_CLOSED && !self.is_exhausted()).then_some(found)
    }

    /// Moves to a minimum of Φ.
    fn descend(&mut self, found: &mut Found, terms: &Terms, enough: Enough) {
        let (mut damping, mut saddles) = (0.0, 0);
        for _ in 0..STEPS {
            found.g = self.squares.gaps(&found.q);
            let stress = terms.stress(&found.g);
            let slope = self.squares.gradient(&stress);
            let convex = self.factor(terms, &stress, Curvature::Whole, damping);
            let solvable = convex || self.factor(terms, &stress, Curvature::First, damping);
            if !solvable || self.is_exhausted() {
                return;
            }
            let (step, gain) = self.bounded(self.squares.solve(&slope), &slope);
            let trial = self.step(found, terms, &step, gain);
            let short = largest(&step) < enough.step && damping < LEAST;
            let minimum = short || gain <= enough.gain * terms.size(&found.g);
            if trial.lower > 1e-4 * gain || (minimum && trial.lower >= 0.0) {
                (found.q, found.g) = (trial.q, trial.g);
                damping *= if trial.lower > 0.5 * gain { 0.1 } else { 0.5 };
            } else if trial.lower.is_finite() || damping < 1e6 {
                damping = (10.0 * damping).max(FIRST);
            } else {
                return;
            }
            if !minimum {
                continue;
            }
            if convex || saddles == SADDLES || self.is_level(found, terms) {
                return;
            }
            saddles += 1;
            damping = 0.0;
            self.turn_a_little(found, saddles);
        }
    }

    fn factor(&mut self, terms: &Terms, stress: &[f64], what: Curvature, damping: f64) -> bool {
        self.left -= self.squares.cost() as f64;
        self.squares.factor(terms, stress, what, damping)
    }

    /// A step from the present position, with the second one where it bends too far.
    fn step(&mut self, found: &Found, terms: &Terms, step: &[f64], gain: f64) -> Trial {
        let along = self.squares.change(step);
        let first = self.trial(&found.q, terms, &found.g, step);
        if first.lower > 0.1 * gain {
            return first;
        }
        let bent = first.g.iter().zip(&found.g).zip(&along).map(|((g, g0), gs)| g - g0 - gs);
        let bent: Vec<f64> = bent.zip(&terms.weights).map(|(b, w)| w * b).collect();
        let slope = self.squares.gradient(&bent);
        if !self.factor(terms, &bent, Curvature::First, LEAST) {
            return first;
        }
        let (back, _) = self.bounded(self.squares.solve(&slope), &slope);
        let second = self.trial(&first.q, terms, &found.g, &back);
        if second.lower > first.lower { second } else { first }
    }

    fn trial(&mut self, q: &[f64], terms: &Terms, g_before: &[f64], step: &[f64]) -> Trial {
        let q = self.squares.moved(q, step);
        let g = self.squares.gaps(&q);
        let lower = terms.value(g_before) - terms.value(&g);
        Trial { q, g, lower }
    }

    /// Whether no curvature at a position is clearly negative.
    fn is_level(&mut self, found: &Found, terms: &Terms) -> bool {
        let stress = terms.stress(&self.squares.gaps(&found.q));
        self.factor(terms, &stress, Curvature::Whole, LEVEL)
    }

    /// The step back along a solution, with turns no larger than allowed, and what it gains to first
    /// order.
    fn bounded(&self, solution: Vec<f64>, slope: &[f64]) -> (Vec<f64>, f64) {
        let system = self.squares.system();
        let turns = solution.iter().enumerate().filter(|(i, _)| system.is_rotation(*i));
        let turn = turns.fold(0.0, |m: f64, (_, x)| m.max(x.abs()));
        let by = if turn > LONGEST { LONGEST / turn } else { 1.0 };
        let step: Vec<f64> = solution.iter().map(|x| -by * x).collect();
        let gain = -step.iter().zip(slope).map(|(s, x)| s * x).sum::<f64>();
        (step, gain)
    }

    fn turn_a_little(&mut self, found: &mut Found, times: usize) {
        found.q = self.turned(&found.q, TURN, times, |_| true);
        found.g = self.squares.gaps(&found.q);
        found.by_chance = true;
    }

    /// Turns some bodies at random by up to so much, the same way each time.
    fn turned(&self, q: &[f64], by: f64, time: usize, which: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut random = Random::new(time as u64);
        let system = self.squares.system();
        let mut step = vec![0.0; system.layout.v];
        for (_, body) in system.bodies.iter().enumerate().filter(|(i, _)| which(*i)) {
            let turns = body.velocities().skip(body.formulation.lengths());
            turns.for_each(|turn| step[turn] = by * (2.0 * random.unit() - 1.0));
        }
        self.squares.moved(q, &step)
    }
}

/// The largest entry, infinite where one is not a number.
fn largest(x: &[f64]) -> f64 {
    let size = |x: &f64| if x.is_finite() { x.abs() } else { f64::INFINITY };
    x.iter().map(size).fold(0.0, f64::max)
}
