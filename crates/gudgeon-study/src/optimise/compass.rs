//! A local search for rough or noisy objectives: looks both ways along every axis.
//!
//! From the best point x, the 2 d points x ± h e_k are run in one batch. If one is better, by the
//! rules for constraints and failures of `super::problem`, it is the next x; if none is, h is
//! halved. Integers look one value either way, choices at all their others. Reference: Kolda, Lewis,
//! Torczon, *Optimization by direct search*, SIAM Review 45 (2003). Along a slanted constraint it may
//! stop short of the optimum: smooth problems are for [`super::lagrangian`].

use super::{Individual, Problem};
use crate::design::variables::Range;

/// First and last step, in the unit cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompassOptions {
    pub first_step: f64,
    pub last_step: f64,
}

impl Default for CompassOptions {
    fn default() -> Self {
        Self { first_step: 0.05, last_step: 1e-3 }
    }
}

/// The best point reached from `start`.
pub fn compass(problem: &mut Problem, start: &Individual, options: &CompassOptions) -> Individual {
    let mut best = start.clone();
    let mut step = options.first_step;
    while step >= options.last_step {
        let points = neighbours(problem, &best.unit, step);
        let answers = problem.run(points);
        let Some(candidate) = answers.into_iter().min_by(Individual::order) else { break };
        if candidate.better(&best) {
            best = candidate;
        } else {
            step *= 0.5;
        }
    }
    best
}

fn neighbours(problem: &Problem, at: &[f64], step: f64) -> Vec<Vec<f64>> {
    let mut points = Vec::new();
    for (k, variable) in problem.variables().as_slice().iter().enumerate() {
        for y in coordinates(variable, at[k], step) {
            let mut point = at.to_vec();
            point[k] = y;
            points.push(point);
        }
    }
    points
}

/// Other coordinates to look at along one axis.
fn coordinates(variable: &Range, at: f64, step: f64) -> Vec<f64> {
    let all = match (variable, variable.count()) {
        (Range::Choice(_), Some(n)) => (0..n).map(|j| (j as f64 + 0.5) / n as f64).collect(),
        (_, Some(n)) => vec![at - 1.0 / n as f64, at + 1.0 / n as f64],
        (_, None) => vec![at - step, at + step],
    };
    all.into_iter().map(|y| variable.snap(y)).filter(|&y| y != at).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Outcome;
    use super::*;
    use crate::design::variables::Ranges;

    #[test]
    fn finds_a_kink_with_integers_and_choices() {
        let variables = Ranges::new(vec![
            Range::linear(-1.0, 3.0).unwrap(),
            Range::integer(0.0, 20.0).unwrap(),
            Range::words(&["a", "b", "c"]).unwrap(),
        ])
        .unwrap();
        let f = |x: &[f64]| {
            (x[0] - 1.234).abs() + (x[1] - 13.0).abs() + if x[2] == 2.0 { 0.0 } else { 1.0 }
        };
        let mut problem = Problem::of(&variables, 1000, f);
        let start = problem.run(vec![vec![0.1, 0.1, 0.1]]).remove(0);
        let found = compass(&mut problem, &start, &CompassOptions::default());
        // The last step of 1e-3 is 4e-3 of the range.
        assert!((found.values[0] - 1.234).abs() < 4e-3, "{found:?}");
        assert_eq!(found.values[1..], [13.0, 2.0]);
    }

    #[test]
    fn failures_and_constraints_are_walls() {
        let variables = Ranges::bounds(&[(0.0, 1.0); 2]).unwrap();
        let mut problem = Problem::new(&variables, 500, |rows| {
            let run = |x: &Vec<f64>| Outcome {
                objectives: vec![if x[1] > 0.8 { f64::NAN } else { -x[0] - x[1] }],
                constraints: vec![x[0] - 0.6],
            };
            rows.iter().map(run).collect()
        });
        let start = problem.run(vec![vec![0.9, 0.1]]).remove(0);
        let found = compass(&mut problem, &start, &CompassOptions::default());
        assert!(found.feasible());
        assert!((found.objective() + 1.4).abs() < 3e-3, "{found:?}");
    }
}
