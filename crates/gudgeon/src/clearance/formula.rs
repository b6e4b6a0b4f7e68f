//! Normal forces by formula: F(δ, δ̇, δ̇⁽⁻⁾) of the model file.
//!
//! A contact never pulls. Of formulas that could, the force is cut to zero where they are negative: a mode
//! of the contact, whose switch is
//!
//!   s = F/(|F| + F₀),   F₀ = F(δ, 0, δ̇⁽⁻⁾)                                                  (1)
//!
//! which falls through zero with F and stays away from it where δ → 0 takes both along: for a product of
//! an elastic part and a bracket it has the sign of the bracket alone.
//!
//! A free impact of mass m at δ̇⁽⁻⁾ obeys m δ̈ = −F, in stretched time (`contact.rs`, (3))
//!
//!   dσ/dτ = u/(2r),   du/dτ = −F(σ²) σ/(m r),   r = √(σ² + σ_r²)                              (2)
//!
//! from σ = 0, u = δ̇⁽⁻⁾ to σ = 0 again. Where different masses and speeds rebound with one ratio −u/δ̇⁽⁻⁾,
//! that is the restitution of the law.

use crate::formula::Formula;

use super::normal::NormalForce;

/// Inputs of the formula: depth, its rate, impact speed, and a place for the time, of which a law knows
/// nothing.
const DEPTH: usize = 0;
const RATE: usize = 1;
const SPEED: usize = 2;
const INPUTS: usize = 4;

/// Steps of a free impact over its depth divided by its speed, and most of them.
const FINE: f64 = 500.0;
const LONGEST: usize = 20_000;
/// Masses, kg, and impact speeds, m/s, of which a restitution holds if it is the same for all.
const TRIED: [(f64, f64); 3] = [(1.0, 1.0), (0.03, 0.4), (7.0, 0.05)];

#[derive(Clone, Debug, PartialEq)]
pub struct NormalFormula {
    formula: Formula,
    /// For σ < 0.
    beyond: Formula,
    share: f64,
    rated: bool,
    frozen: bool,
}

impl NormalFormula {
    /// Of a formula of δ, δ̇, δ̇⁽⁻⁾ and a fourth input without meaning; `depth` is a typical one.
    pub fn new(formula: Formula, depth: f64) -> Self {
        let beyond = formula.beyond_root(&[depth, 0.1, 0.3, 0.0]);
        let (rated, frozen) = (formula.reads(RATE), formula.reads(SPEED));
        Self { formula, beyond, share: 1.0, rated, frozen }
    }

    /// The same with every force multiplied by `share`.
    #[must_use]
    pub fn shared(&self, share: f64) -> Self {
        Self { share: share * self.share, ..self.clone() }
    }

    /// How many pieces it has in memory.
    pub fn sites(&self) -> usize {
        self.formula.sites()
    }

    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// Whether it depends on the impact speed, kept from the start of a contact.
    pub fn reads_impact_speed(&self) -> bool {
        self.frozen
    }

    /// F and its derivatives for δ > 0.
    #[inline(never)]
    pub fn force(&self, depth: f64, rate: f64, speed: f64, pieces: &[i32]) -> NormalForce {
        let mut slopes = [0.0; INPUTS];
        let value = self.formula.gradient(&[depth, rate, speed, 0.0], pieces, &mut slopes);
        NormalForce {
            value: self.share * value,
            d_depth: self.share * slopes[DEPTH],
            d_rate: self.share * slopes[RATE],
        }
    }

    /// F of δ = σ².
    #[inline(never)] // Built-in laws stay small beside it.
    pub fn by_root(&self, root: f64, rate: f64, speed: f64, pieces: &[i32]) -> f64 {
        let formula = if root < 0.0 { &self.beyond } else { &self.formula };
        let depth = root * root;
        if depth == 0.0 {
            return 0.0;
        }
        self.share * formula.value(&[depth, rate, speed, 0.0], pieces)
    }

    /// (1); none where the rate does not matter.
    #[inline(never)]
    pub fn margin(&self, depth: f64, rate: f64, speed: f64, pieces: &[i32]) -> Option<f64> {
        if !self.rated {
            return None;
        }
        let at = |rate: f64| self.formula.value(&[depth, rate, speed, 0.0], pieces);
        let (now, rest) = (at(rate), at(0.0).abs());
        // No force at all pulls nothing.
        Some(if now == 0.0 && rest == 0.0 { 1.0 } else { now / (now.abs() + rest) })
    }

    /// The pieces that hold at a point.
    pub fn find_pieces(&self, depth: f64, rate: f64, speed: f64, pieces: &mut [i32]) {
        self.formula.find_pieces(&[depth, rate, speed, 0.0], pieces);
    }

    /// Two switches per piece.
    pub fn switches(&self, at: [f64; 3], pieces: &[i32], out: &mut [f64]) {
        self.formula.switches(&[at[0], at[1], at[2], 0.0], pieces, out);
    }

    /// F on the pieces that hold there.
    pub fn value(&self, depth: f64, rate: f64, speed: f64) -> f64 {
        let inputs = [depth, rate, speed, 0.0];
        let value = |pieces: &[i32]| self.formula.value(&inputs, pieces);
        self.share * self.formula.on_own_pieces(&inputs, value)
    }

    /// Ratio of separation to approach speed of every free impact, where it is one.
    pub fn effective_restitution(&self) -> Option<f64> {
        let ratios = TRIED.map(|(mass, speed)| self.rebound(mass, speed));
        let first = ratios[0]?;
        let same = |ratio: &Option<f64>| ratio.is_some_and(|ratio| (ratio - first).abs() < 1e-6);
        ratios.iter().all(same).then_some(first)
    }

    /// −u/δ̇⁽⁻⁾ of one free impact (2); none where it does not end.
    pub fn rebound(&self, mass: f64, speed: f64) -> Option<f64> {
        let depth = deepest(mass, speed, |depth| self.value(depth, 0.0, speed))?;
        let scale = depth.sqrt();
        let rates = |[root, u]: [f64; 2]| {
            let r = (root * root + depth).sqrt();
            let force = self.value(root * root, u, speed).max(0.0);
            [0.5 * u / r, -force * root / (mass * r)]
        };
        let h = depth / speed / FINE;
        let mut y = [0.0, speed];
        for _ in 0..LONGEST {
            let next = runge_kutta(y, h, rates);
            if next[0] <= 0.0 {
                let share = y[0] / (y[0] - next[0]);
                let u = y[1] + share * (next[1] - y[1]);
                return (u.is_finite() && u < 0.0).then(|| -u / speed);
            }
            y = next;
            // Out of the reach of a force: it goes on as it is.
            if y[1] < 0.0 && rates(y)[1] == 0.0 && y[0] < 1e-6 * scale {
                return Some(-y[1] / speed);
            }
        }
        None
    }
}

/// Rough depth of an impact, where an elastic force F(δ) has taken the kinetic energy as 0.4 F δ.
fn deepest(mass: f64, speed: f64, force: impl Fn(f64) -> f64) -> Option<f64> {
    let kinetic = 0.5 * mass * speed * speed;
    let (mut low, mut high) = (1e-15, 1.0);
    if 0.4 * force(high) * high < kinetic {
        return None;
    }
    for _ in 0..60 {
        let middle = f64::sqrt(low * high);
        if 0.4 * force(middle) * middle < kinetic { low = middle } else { high = middle }
    }
    Some(high)
}

/// A step of the classical fourth-order method.
fn runge_kutta(y: [f64; 2], h: f64, f: impl Fn([f64; 2]) -> [f64; 2]) -> [f64; 2] {
    let at = |k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    let k1 = f(y);
    let k2 = f(at(k1, 0.5 * h));
    let k3 = f(at(k2, 0.5 * h));
    let k4 = f(at(k3, h));
    std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]))
}
