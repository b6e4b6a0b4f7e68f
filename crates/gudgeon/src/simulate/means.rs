//! Means over a step, each with a bound of its error.
//!
//! Over a step (dt = s dτ, see `clearance/contact.rs`)
//!
//!   ∫ x dt = Δt Σ w_i s_i x_i / Σ w_i s_i                                                         (1)
//!
//! so that a constant has its own value. Lobatto's error is its term of degree 6, whose divided
//! difference the nodes of two steps give:
//!
//!   ∫₀¹ u dx − Σ w_i u_i ≈ −u[seven nodes]/2100,   u = (x − x̄) s                                   (2)
//!
//! Within one step Kronrod's rule stands beside Lobatto's, and their difference bounds its error.

use super::nodes::{self, IN_KRONROD, KRONROD, LOBATTO, dot};

/// 1/2100 in (2), with a safety factor: the difference is one over two steps.
const SIXTH: f64 = 4.0 / 2100.0;
/// A step before that is longer or shorter than by this factor tells nothing of (2).
const ALIKE: f64 = 8.0;

/// A sum over steps and the bound of its error.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub value: f64,
    pub error: f64,
}

impl Sum {
    pub fn add(&mut self, part: Self) {
        self.value += part.value;
        self.error += part.error;
    }
}

/// Weights (1) of a rule.
fn weights<const N: usize>(rule: &[f64; N], stretch: &[f64; N], duration: f64) -> [f64; N] {
    let sum = dot(rule, stretch);
    let scale = if sum > 0.0 { duration / sum } else { 0.0 };
    std::array::from_fn(|i| scale * rule[i] * stretch[i])
}

/// Lobatto's rule over a step, with what (2) needs of the step before.
pub(super) struct TwoSteps {
    weights: [f64; 4],
    /// s at the nodes of both steps.
    stretch: [f64; 7],
    /// Weights of the values of u in the bound (2).
    sixth: [f64; 7],
}

impl TwoSteps {
    /// Lengths in τ and s at the nodes of a step and of the one before it, if they are alike.
    pub fn new(
        (length, now): (f64, [f64; 4]),
        (before, then): (f64, [f64; 4]),
        duration: f64,
    ) -> Option<Self> {
        let ratio = before / length;
        if !(1.0 / ALIKE..ALIKE).contains(&ratio) {
            return None;
        }
        let [a, b] = nodes::LOBATTO_INNER;
        let places = [-ratio, -ratio * b, -ratio * a, 0.0, a, b, 1.0];
        let mut sixth = [0.0; 7];
        nodes::divided_difference(&places, &mut sixth);
        let weights = weights(&LOBATTO.weights, &now, duration);
        let size = duration / dot(&LOBATTO.weights, &now).max(f64::MIN_POSITIVE);
        Some(Self {
            weights,
            stretch: [then[0], then[1], then[2], now[0], now[1], now[2], now[3]],
            sixth: sixth.map(|weight| SIXTH * size * weight),
        })
    }

    /// ∫ x dt from the values at the nodes of the step before and of the last.
    pub fn integral(&self, before: &[f64; 4], last: &[f64; 4]) -> Sum {
        let values = [before[0], before[1], before[2], last[0], last[1], last[2], last[3]];
        let mean = 0.25 * last.iter().sum::<f64>();
        let u = std::array::from_fn(|i| (values[i] - mean) * self.stretch[i]);
        Sum { value: dot(&self.weights, last), error: dot(&self.sixth, &u).abs() }
    }
}

/// Kronrod's and Lobatto's rules over a part of a step.
pub(super) struct TwoRules {
    kronrod: [f64; 7],
    /// Kronrod's weights minus Lobatto's.
    difference: [f64; 7],
}

impl TwoRules {
    /// With s at Kronrod's nodes.
    pub fn new(stretch: &[f64; 7], duration: f64) -> Self {
        let kronrod = weights(&KRONROD.weights, stretch, duration);
        let lobatto = weights(&LOBATTO.weights, &IN_KRONROD.map(|i| stretch[i]), duration);
        let mut difference = kronrod;
        for (i, weight) in IN_KRONROD.iter().zip(lobatto) {
            difference[*i] -= weight;
        }
        Self { kronrod, difference }
    }

    /// Kronrod's weights, s; their sum is the duration.
    pub fn weights(&self) -> &[f64; 7] {
        &self.kronrod
    }

    pub fn integral(&self, values: &[f64; 7]) -> Sum {
        Sum { value: dot(&self.kronrod, values), error: dot(&self.difference, values).abs() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ sin over steps of 0.1 to 1.5 rad with another step before: the bound holds, and is no more than a
    /// hundred times the error at its largest over all phases.
    #[test]
    fn the_bound_over_two_steps_holds_and_is_not_idle() {
        for (length, ratio) in [(0.1, 1.0), (0.5, 0.5), (0.5, 1.0), (0.5, 2.0), (1.5, 1.0)] {
            let (mut worst, mut largest) = (0.0f64, 0.0f64);
            for phase in 0..360 {
                let start = f64::from(phase).to_radians();
                let f = |x: f64| (start + length * x).sin();
                let last = LOBATTO.places.map(f);
                let before = LOBATTO.places.map(|x| f(ratio * (x - 1.0)));
                let steps = TwoSteps::new((length, [1.0; 4]), (ratio * length, [1.0; 4]), length);
                let Sum { value, error } = steps.unwrap().integral(&before, &last);
                let exact = start.cos() - (start + length).cos();
                worst = worst.max((value - exact).abs());
                largest = largest.max(error);
            }
            assert!(worst < largest && largest < 100.0 * worst + 1e-15, "{worst} {largest}");
        }
    }

    #[test]
    fn a_constant_has_its_own_mean_however_time_is_stretched() {
        let stretch = KRONROD.places.map(|x| x / (0.1 + x));
        let sum = TwoRules::new(&stretch, 0.3).integral(&[7.0; 7]);
        assert!((sum.value - 2.1).abs() < 1e-15 && sum.error < 1e-15, "{sum:?}");
    }

    /// A force like δ^1.5 that begins within the step: in t the integrand has a singular third
    /// derivative, in τ none.
    #[test]
    fn an_impact_is_integrated_from_its_onset() {
        // σ = τ, s = 2τ, t = τ²: F = t^1.5 = τ³ over 0 … 1.
        let stretch = KRONROD.places.map(|x| 2.0 * x);
        let sum = TwoRules::new(&stretch, 1.0).integral(&KRONROD.places.map(|x| x.powi(3)));
        assert!((sum.value - 0.4).abs() < 1e-15 && sum.error < 1e-15, "{sum:?}");
    }
}
