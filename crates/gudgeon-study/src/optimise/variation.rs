//! How new designs come from old ones, in the unit cube.
//!
//! Simulated binary crossover (Deb, Agrawal 1995) of parents y₁ < y₂ in [0, 1]: children
//!
//!   c = ½ (y₁ + y₂) ∓ ½ β (y₂ − y₁)                                             (1)
//!   β = (r α)^{1/(η+1)}  for r ≤ 1/α,  (1/(2 − r α))^{1/(η+1)} otherwise        (2)
//!   α = 2 − (1 + 2 b/(y₂ − y₁))^{−(η+1)}                                        (3)
//!
//! r uniform, b the distance of the nearer parent from the bound on its side: no child leaves the
//! cube. Polynomial mutation (Deb, Goyal 1996), u uniform, moves y by
//!
//!   δ = (2u + (1 − 2u)(1 − y)^{η+1})^{1/(η+1)} − 1              for u < ½        (4)
//!   δ = 1 − (2(1 − u) + (2u − 1) y^{η+1})^{1/(η+1)}             otherwise        (5)
//!
//! Choices have no between: children take either parent's, mutation draws another. Integers cross as
//! (1) and mutate by one step or to any value, evenly.

use crate::design::variables::{Range, Ranges};
use gudgeon::random::Random;

/// Probabilities and spreads of crossover and mutation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// Probability that a pair is crossed at all.
    pub crossover: f64,
    /// η of (2), (3): large values keep children near their parents.
    pub crossover_index: f64,
    /// Probability that a coordinate mutates; 1/d if not given.
    pub mutation: Option<f64>,
    /// η of (4), (5).
    pub mutation_index: f64,
}

impl Default for Variation {
    fn default() -> Self {
        Self { crossover: 0.9, crossover_index: 15.0, mutation: None, mutation_index: 20.0 }
    }
}

impl Variation {
    /// Two children of two parents.
    pub(super) fn children(
        &self,
        variables: &Ranges,
        parents: [&[f64]; 2],
        random: &mut Random,
    ) -> [Vec<f64>; 2] {
        let mut children = parents.map(<[f64]>::to_vec);
        if random.unit() < self.crossover {
            for (k, variable) in variables.as_slice().iter().enumerate() {
                if random.unit() < 0.5 {
                    let pair = [parents[0][k], parents[1][k]];
                    let crossed = self.cross(variable, pair, random);
                    (children[0][k], children[1][k]) = (crossed[0], crossed[1]);
                }
            }
        }
        let rate = self.mutation.unwrap_or(1.0 / variables.dimension() as f64);
        for child in &mut children {
            for (y, variable) in child.iter_mut().zip(variables.as_slice()) {
                if random.unit() < rate {
                    *y = self.mutate(variable, *y, random);
                }
            }
            variables.snap(child);
        }
        children
    }

    fn cross(&self, variable: &Range, parents: [f64; 2], random: &mut Random) -> [f64; 2] {
        let [a, b] = parents;
        let flip = random.unit() < 0.5;
        let ordered = |c: [f64; 2]| if flip { [c[1], c[0]] } else { c };
        if matches!(variable, Range::Choice(_)) {
            return ordered(parents);
        }
        let (low, high) = (a.min(b), a.max(b));
        let gap = high - low;
        if gap < 1e-14 {
            return parents;
        }
        let r = random.unit();
        let power = self.crossover_index + 1.0;
        let spread = |bound: f64| {
            let alpha = 2.0 - (1.0 + 2.0 * bound / gap).powf(-power); // (3)
            let base = if r * alpha <= 1.0 { r * alpha } else { 1.0 / (2.0 - r * alpha) };
            base.powf(1.0 / power) // (2)
        };
        let middle = 0.5 * (low + high);
        let first = middle - 0.5 * spread(low) * gap; // (1)
        let second = middle + 0.5 * spread(1.0 - high) * gap;
        ordered([first.clamp(0.0, 1.0), second.clamp(0.0, 1.0)])
    }

    fn mutate(&self, variable: &Range, y: f64, random: &mut Random) -> f64 {
        if let Some(count) = variable.count() {
            return other_value(variable, count, y, random);
        }
        let u = random.unit();
        let power = self.mutation_index + 1.0;
        let moved = if u < 0.5 {
            (2.0 * u + (1.0 - 2.0 * u) * (1.0 - y).powf(power)).powf(1.0 / power) - 1.0 // (4)
        } else {
            1.0 - (2.0 * (1.0 - u) + (2.0 * u - 1.0) * y.powf(power)).powf(1.0 / power) // (5)
        };
        (y + moved).clamp(0.0, 1.0)
    }
}

/// Another value of an integer or choice.
fn other_value(variable: &Range, count: usize, y: f64, random: &mut Random) -> f64 {
    let cell = 1.0 / count as f64;
    let ordered = matches!(variable, Range::Integer { .. });
    if ordered && random.unit() < 0.5 {
        let up = y - cell < 0.0 || (y + cell < 1.0 && random.unit() < 0.5);
        return if up { y + cell } else { y - cell };
    }
    let jump = (1 + random.below(count - 1)) as f64 * cell;
    (y + jump).rem_euclid(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_of_continuous_parents_stay_in_the_cube_and_keep_their_mean() {
        let variation = Variation { mutation: Some(0.0), crossover: 1.0, ..Variation::default() };
        let variables = Ranges::bounds(&[(0.0, 1.0); 3]).unwrap();
        let mut random = Random::new(1);
        let (mut sum, n) = (0.0, 20_000);
        for _ in 0..n {
            let children =
                variation.children(&variables, [&[0.4, 0.0, 1.0], &[0.6, 0.01, 0.3]], &mut random);
            assert!(children.iter().flatten().all(|y| (0.0..=1.0).contains(y)));
            sum += children[0][0] + children[1][0];
        }
        // (1) is symmetric about the middle here; the spread of a child is below 0.2.
        assert!((sum / (2 * n) as f64 - 0.5).abs() < 1e-3);
    }

    #[test]
    fn mutation_is_centred_small_and_stays_in_the_cube() {
        let variation = Variation::default();
        let variable = Range::linear(0.0, 1.0).unwrap();
        let mut random = Random::new(2);
        for y in [0.0, 0.02, 0.5, 1.0] {
            let moved: Vec<f64> =
                (0..20_000).map(|_| variation.mutate(&variable, y, &mut random)).collect();
            assert!(moved.iter().all(|m| (0.0..=1.0).contains(m)));
            let size = moved.iter().map(|m| (m - y).abs()).sum::<f64>() / moved.len() as f64;
            // E|δ| = 1/(η + 2) away from the bounds, about half of it on them.
            assert!((0.4 / 22.0..1.2 / 22.0).contains(&size), "{y}: {size}");
        }
    }

    #[test]
    fn integers_and_choices_mutate_to_every_other_value_and_no_other() {
        let variation = Variation::default();
        let integer = Range::integer(1.0, 5.0).unwrap();
        let choice = Range::words(&["a", "b", "c"]).unwrap();
        let mut random = Random::new(3);
        for variable in [&integer, &choice] {
            let n = variable.count().unwrap();
            for from in 0..n {
                let y = (from as f64 + 0.5) / n as f64;
                let mut seen = vec![0; n];
                for _ in 0..2000 {
                    let to = variable.snap(variation.mutate(variable, y, &mut random));
                    seen[(to * n as f64) as usize] += 1;
                }
                assert_eq!(seen[from], 0, "{seen:?}");
                assert_eq!(seen.iter().filter(|&&s| s > 0).count(), n - 1, "{seen:?}");
            }
        }
    }
}
