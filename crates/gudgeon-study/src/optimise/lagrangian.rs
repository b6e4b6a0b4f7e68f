//! The nearest minimum of a smooth problem with constraints: an augmented Lagrangian.
//!
//!   min_x f(x)/s_f + ½ ρ Σ_i max(0, c_i(x) + λ_i/ρ)²,   c_i = g_i/s_i + m       (1)
//!   λ_i ← max(0, λ_i + ρ c_i)                                                   (2)
//!
//! over and over, each (1) by [`super::local`]; ρ grows where the violation has not fallen to a
//! quarter. s are the lengths of the gradients at the start, so g/s is the distance from the border of
//! the constraint and the multipliers are of size one, whatever the units. The margin m, a hair's
//! breadth, puts the limit on the right side of the border; should it end outside all the same, it is
//! drawn back towards the best point known to hold the constraints. Reference: Nocedal, Wright 2006,
//! §17.3.

use super::local::{LocalOptions, descend};
use super::{Individual, Problem};
use crate::design::measure::distance_squared;

const ROUNDS: usize = 15;
const FIRST_PENALTY: f64 = 300.0;
const LAST_PENALTY: f64 = 1e6;
/// m of (1), in the unit cube.
const MARGIN: f64 = 1e-7;
/// Step of the differences for the scales.
const STEP: f64 = 1e-6;
/// Halvings on the way back to what holds the constraints.
const HALVINGS: usize = 30;

/// The best point reached from `start` with at most `budget` runs; integers and choices stay.
pub fn polish(
    problem: &mut Problem,
    start: &Individual,
    budget: usize,
    options: &LocalOptions,
) -> Individual {
    let free = free_coordinates(problem);
    let mut log = Log { problem, best: start.clone(), left: budget.saturating_sub(HALVINGS) };
    if free.is_empty() || start.violation.is_infinite() {
        return start.clone();
    }
    let Some(mut lagrangian) = log.scaled(start, &free) else { return log.best };
    let mut at = start.clone();
    let mut last = f64::INFINITY;
    let rounds = if lagrangian.multipliers.is_empty() { 1 } else { ROUNDS };
    for _ in 0..rounds {
        let Some(next) = log.minimise(&at, &free, &lagrangian, options) else { break };
        let moved = distance_squared(&next.unit, &at.unit).sqrt();
        at = next;
        let violation = lagrangian.update(&at);
        if violation < 0.5 * MARGIN && moved < MARGIN {
            break;
        }
        if violation > 0.25 * last {
            lagrangian.penalty = (10.0 * lagrangian.penalty).min(LAST_PENALTY);
        }
        last = violation;
    }
    log.left += HALVINGS;
    log.draw_back(&at);
    log.best
}

struct Lagrangian {
    objective_scale: f64,
    constraint_scales: Vec<f64>,
    multipliers: Vec<f64>,
    penalty: f64,
}

impl Lagrangian {
    fn constraint(&self, x: &Individual, i: usize) -> f64 {
        x.outcome.constraints.get(i).map_or(0.0, |g| g / self.constraint_scales[i] + MARGIN)
    }

    /// What is minimised in (1); ∞ for a run that failed.
    fn value(&self, x: &Individual) -> f64 {
        if x.violation.is_infinite() {
            return f64::INFINITY;
        }
        let term =
            |(i, m): (usize, &f64)| (self.constraint(x, i) + m / self.penalty).max(0.0).powi(2);
        let sum: f64 = self.multipliers.iter().enumerate().map(term).sum();
        x.objective() / self.objective_scale + 0.5 * self.penalty * sum
    }

    /// (2); gives the largest violation of c ≤ 0, or of λ = 0 where c < 0.
    fn update(&mut self, x: &Individual) -> f64 {
        let mut worst = 0.0f64;
        for i in 0..self.multipliers.len() {
            let c = self.constraint(x, i);
            worst = worst.max(c.max(-self.multipliers[i] / self.penalty).abs());
            self.multipliers[i] = (self.multipliers[i] + self.penalty * c).max(0.0);
        }
        worst
    }
}

/// Coordinates of continuous variables.
pub(super) fn free_coordinates(problem: &Problem) -> Vec<usize> {
    let variables = problem.variables().as_slice();
    (0..variables.len()).filter(|&k| variables[k].count().is_none()).collect()
}

/// The problem with a share of its budget, and the best of all that was run.
struct Log<'p, 'a> {
    problem: &'p mut Problem<'a>,
    best: Individual,
    left: usize,
}

impl Log<'_, '_> {
    fn run(&mut self, points: &[Vec<f64>]) -> Vec<Individual> {
        let count = points.len().min(self.left);
        let answers = self.problem.run(points[..count].to_vec());
        self.left -= answers.len();
        for x in &answers {
            if x.better(&self.best) {
                self.best = x.clone();
            }
        }
        answers
    }

    /// The scales of (1) by differences; none if the budget does not reach.
    fn scaled(&mut self, at: &Individual, free: &[usize]) -> Option<Lagrangian> {
        let step = |&k: &usize| {
            let mut point = at.unit.clone();
            point[k] += if point[k] < 0.5 { STEP } else { -STEP };
            point
        };
        let points: Vec<Vec<f64>> = free.iter().map(step).collect();
        let sides = self.run(&points);
        if sides.len() < points.len() {
            return None;
        }
        let length = |value: &dyn Fn(&Individual) -> f64| {
            let slopes = sides.iter().map(|x| (value(x) - value(at)) / STEP);
            let squared: f64 = slopes.filter(|s| s.is_finite()).map(|s| s * s).sum();
            if squared > 0.0 { squared.sqrt() } else { 1.0 }
        };
        let count = at.outcome.constraints.len();
        let constraint =
            |i| move |x: &Individual| x.outcome.constraints.get(i).copied().unwrap_or(f64::NAN);
        Some(Lagrangian {
            objective_scale: length(&Individual::objective),
            constraint_scales: (0..count).map(|i| length(&constraint(i))).collect(),
            multipliers: vec![0.0; count],
            penalty: FIRST_PENALTY,
        })
    }

    fn minimise(
        &mut self,
        at: &Individual,
        free: &[usize],
        lagrangian: &Lagrangian,
        options: &LocalOptions,
    ) -> Option<Individual> {
        let mut lowest: Option<(f64, Individual)> = None;
        descend(&at.unit, free, options, &mut |rows| {
            let answers = self.run(rows);
            let values: Vec<f64> = answers.iter().map(|x| lagrangian.value(x)).collect();
            for (x, &v) in answers.into_iter().zip(&values) {
                if lowest.as_ref().is_none_or(|(l, _)| v < *l) {
                    lowest = Some((v, x));
                }
            }
            values
        })?;
        lowest.map(|(_, x)| x)
    }

    /// Halves the line between the best feasible point and `at`, keeping what is better.
    fn draw_back(&mut self, at: &Individual) {
        if at.feasible() || !self.best.feasible() {
            return;
        }
        let inside = self.best.unit.clone();
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let t = 0.5 * (low + high);
            let point = inside.iter().zip(&at.unit).map(|(a, b)| a + t * (b - a)).collect();
            match self.run(&[point]).first() {
                None => return,
                Some(x) if x.feasible() => low = t,
                Some(_) => high = t,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Outcome;
    use super::*;
    use crate::design::variables::Ranges;

    /// min x² + y² with x + y ≥ 1, scaled to [−2, 2]²: (½, ½), value ½.
    #[test]
    fn a_constraint_that_binds() {
        let variables = Ranges::bounds(&[(-2.0, 2.0); 2]).unwrap();
        let mut problem = Problem::new(&variables, 2000, |rows| {
            let run = |x: &Vec<f64>| Outcome {
                objectives: vec![x[0] * x[0] + x[1] * x[1]],
                constraints: vec![1e3 * (1.0 - x[0] - x[1]), x[0] - 1.9],
            };
            rows.iter().map(run).collect()
        });
        let start = problem.run(vec![vec![0.9, 0.7], vec![0.2, 0.3]]);
        for from in &start {
            let found = polish(&mut problem, from, 500, &LocalOptions::default());
            assert!(found.feasible(), "{found:?}");
            assert!((found.objective() - 0.5).abs() < 1e-6, "{found:?}");
        }
    }
}
