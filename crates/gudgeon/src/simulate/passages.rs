//! Singular positions that the motion passes.
//!
//! Where constraints become dependent, σ = √(pivot ratio) of the weakest row falls like |t − t*|. A step rarely ends
//! there, but the fall before it tells that a zero may lie inside; then the least σ is looked for on
//! the solution inside the step.

use gudgeon_dae::Integrator;

use super::inside::Inside;
use crate::system::Plant;

/// A step is searched where σ would be zero before so many times its length has passed.
const AHEAD: f64 = 2.0;
/// Golden sections: σ falls to 1e-9 of what it is at the ends of the step.
const SECTIONS: usize = 44;
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The pivot ratio of the weakest row, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weakest {
    pub pivot_ratio: f64,
    pub t: f64,
    pub row: usize,
}

impl Weakest {
    fn or_weaker(self, other: Self) -> Self {
        if other.pivot_ratio < self.pivot_ratio { other } else { self }
    }
}

/// Times and σ at the ends of the last two steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passages {
    before: Option<(f64, f64)>,
    now: Option<(f64, f64)>,
}

impl Passages {
    /// The smallest pivot ratio of the last step; its end is the last evaluation of the plant.
    pub fn after_step(
        &mut self,
        plant: &mut Plant,
        inside: &mut Inside,
        ode: &mut Integrator,
    ) -> Option<Weakest> {
        let (row, pivot_ratio) = plant.weakest_pivot()?;
        let end = Weakest { pivot_ratio, t: ode.time(), row };
        let falls = self.falls_to_zero(end.t);
        self.before = self.now;
        self.now = Some((end.t, pivot_ratio.sqrt()));
        Some(if falls { end.or_weaker(search(inside, ode)) } else { end })
    }

    /// Whether σ, as it fell before the step that ends at `t`, may be zero inside it.
    fn falls_to_zero(&self, t: f64) -> bool {
        let (Some((t0, s0)), Some((t1, s1))) = (self.before, self.now) else { return false };
        t1 > t0 && s1 < s0 && s1 * (t1 - t0) <= AHEAD * (t - t1) * (s0 - s1)
    }
}

/// The smallest pivot ratio inside the last step.
fn search(inside: &mut Inside, ode: &mut Integrator) -> Weakest {
    let (mut from, mut to) = (0.0, ode.last_extent().0);
    let mut at = |theta: f64| {
        let t = ode.sketch(theta, &mut inside.y);
        let (row, pivot_ratio) = inside.plant.weakest_pivot_at(t, &inside.y).unwrap_or((0, 1.0));
        Weakest { pivot_ratio, t, row }
    };
    let (mut low, mut high) = (to - GOLDEN * to, GOLDEN * to);
    let (mut left, mut right) = (at(low), at(high));
    for _ in 0..SECTIONS {
        if left.pivot_ratio < right.pivot_ratio {
            (to, high, right) = (high, low, left);
            low = to - GOLDEN * (to - from);
            left = at(low);
        } else {
            (from, low, left) = (low, high, right);
            high = from + GOLDEN * (to - from);
            right = at(high);
        }
    }
    left.or_weaker(right)
}
