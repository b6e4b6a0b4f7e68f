//! Functions of a depth δ as functions of its root σ = √δ, continued to σ < 0.
//!
//! A register that vanishes with δ like δᵏ is σ²ᵏ times what does not vanish. Its power n is then
//! σ²ᵏⁿ times a power of the rest, which changes its sign with σ where 2kn is odd: δ^1.5 = σ³. Such powers
//! take their other sign in the continued formula; everything else follows from them.

use super::{Formula, Place, Smooth, Step};

/// Depths at which vanishing registers are compared, as shares of a depth.
const NEAR: [f64; 2] = [1e-8, 1e-10];

impl Step {
    /// Registers that it reads.
    pub(super) fn sources(&self) -> impl Iterator<Item = Place> {
        let pair = match *self {
            Self::Constant(_) | Self::Input(_) | Self::Whole(_) => [None, None],
            Self::Scale(_, a) | Self::Shift(_, a) | Self::Power(a, _) | Self::Smooth(_, a) => {
                [Some(a), None]
            }
            Self::Add(a, b)
            | Self::Multiply(a, b)
            | Self::Divide(a, b)
            | Self::PowerOf(a, b)
            | Self::Atan2(a, b)
            | Self::Hypot(a, b)
            | Self::Choose(_, a, b) => [Some(a), Some(b)],
            Self::Curve { x, .. } => [Some(x), None],
            Self::Surface { at, .. } => at.map(Some),
        };
        pair.into_iter().flatten()
    }

    /// The same with every register it reads renamed.
    fn renamed(self, name: impl Fn(Place) -> Place) -> Self {
        match self {
            Self::Constant(_) | Self::Input(_) | Self::Whole(_) => self,
            Self::Add(a, b) => Self::Add(name(a), name(b)),
            Self::Multiply(a, b) => Self::Multiply(name(a), name(b)),
            Self::Divide(a, b) => Self::Divide(name(a), name(b)),
            Self::Scale(by, a) => Self::Scale(by, name(a)),
            Self::Shift(by, a) => Self::Shift(by, name(a)),
            Self::Power(a, n) => Self::Power(name(a), n),
            Self::PowerOf(a, b) => Self::PowerOf(name(a), name(b)),
            Self::Smooth(f, a) => Self::Smooth(f, name(a)),
            Self::Atan2(y, x) => Self::Atan2(name(y), name(x)),
            Self::Hypot(a, b) => Self::Hypot(name(a), name(b)),
            Self::Choose(site, a, b) => Self::Choose(site, name(a), name(b)),
            Self::Curve { curve, x, site } => Self::Curve { curve, x: name(x), site },
            Self::Surface { surface, at, sites } => {
                Self::Surface { surface, at: at.map(name), sites }
            }
        }
    }
}

impl Formula {
    /// The formula for σ < 0, where its first input is σ²; `inputs` are those at a typical depth.
    #[must_use]
    pub fn beyond_root(&self, inputs: &[f64]) -> Self {
        let registers = |share: f64| {
            let mut inputs = inputs.to_vec();
            inputs[0] *= share;
            let (mut pieces, mut r) = (vec![0; self.sites.len()], vec![0.0; self.steps.len()]);
            self.find_pieces(&inputs, &mut pieces);
            self.fill(&inputs, &pieces, &mut r);
            r
        };
        let near = NEAR.map(registers);
        // k of a register that vanishes like δᵏ, else 0.
        let order = |place: Place| {
            let [far, near] = [near[0][place as usize], near[1][place as usize]];
            let k = (far / near).ln() / (NEAR[0] / NEAR[1]).ln();
            if k.is_finite() && (k - k.round()).abs() < 1e-3 { k.round() } else { 0.0 }
        };
        let mut out = Self { steps: Vec::with_capacity(self.steps.len()), ..self.clone() };
        let mut names: Vec<Place> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let place = out.push(step.renamed(|place| names[place as usize]));
            let power = match *step {
                Step::Power(base, n) => 2.0 * n * order(base),
                Step::Smooth(Smooth::Sqrt, base) => order(base),
                _ => 0.0,
            };
            let odd = power.round().rem_euclid(2.0) == 1.0;
            names.push(if odd { out.push(Step::Scale(-1.0, place)) } else { place });
        }
        for site in &mut out.sites {
            *site = site.renamed(|place| names[place as usize]);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// δ^1.5 (1 + √δ) + δ √(δ/(3 + δ)) − 5 δ².
    fn mixed() -> Formula {
        let mut f = Formula::default();
        let d = f.push(Step::Input(0));
        let hertz = f.push(Step::Power(d, 1.5));
        let root = f.push(Step::Smooth(Smooth::Sqrt, d));
        let more = f.push(Step::Shift(1.0, root));
        let first = f.push(Step::Multiply(hertz, more));
        let wide = f.push(Step::Shift(3.0, d));
        let share = f.push(Step::Divide(d, wide));
        let share = f.push(Step::Power(share, 0.5));
        let second = f.push(Step::Multiply(d, share));
        let square = f.push(Step::Power(d, 2.0));
        let third = f.push(Step::Scale(-5.0, square));
        let sum = f.push(Step::Add(first, second));
        f.push(Step::Add(sum, third));
        f
    }

    #[test]
    fn the_other_side_is_the_same_analytic_function_of_the_root() {
        let formula = mixed();
        let beyond = formula.beyond_root(&[1.0]);
        for s in [-0.3f64, -0.01, -1.7] {
            let d = s * s;
            let expected = s * s * s * (1.0 + s) + d * s / (3.0 + d).sqrt() - 5.0 * d * d;
            let found = beyond.value(&[d], &[]);
            assert!((found - expected).abs() <= 1e-14 * expected.abs(), "{found} {expected}");
        }
    }
}
