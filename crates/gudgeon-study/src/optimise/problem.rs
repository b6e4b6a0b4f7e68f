//! What is searched: variables, objectives to minimise, constraints g ≤ 0, and a budget of runs.
//!
//! Individuals are compared by the rules of Deb, *An efficient constraint handling method for genetic
//! algorithms*, Comput. Methods Appl. Mech. Eng. 186 (2000): what holds all constraints is better
//! than what does not; of two that do not, the one with the smaller violation
//!
//!   V = Σ_i max(0, g_i) / s_i                                                   (1)
//!
//! is better. s_i is the mean |g_i| of the first batch, so that constraints in watts and metres weigh
//! alike. A run that failed (a value that is not a number) is worse than all others.

use crate::design::variables::Ranges;
use gudgeon::progress::{Progress, Unwatched};

/// What a run has given.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub objectives: Vec<f64>,
    /// Each holds where it is not positive.
    pub constraints: Vec<f64>,
}

impl Outcome {
    pub fn objective(value: f64) -> Self {
        Self { objectives: vec![value], constraints: vec![] }
    }

    /// The outcome of a run that failed.
    pub fn failed() -> Self {
        Self { objectives: vec![f64::NAN], constraints: vec![] }
    }

    fn is_failed(&self) -> bool {
        self.objectives.is_empty()
            || self.objectives.iter().chain(&self.constraints).any(|x| x.is_nan())
    }
}

/// A design that has been run.
#[derive(Clone, Debug, PartialEq)]
pub struct Individual {
    /// Coordinates in the unit cube.
    pub unit: Vec<f64>,
    /// Physical values.
    pub values: Vec<f64>,
    pub outcome: Outcome,
    /// Eq. (1); infinite where the run failed.
    pub violation: f64,
}

impl Individual {
    pub fn feasible(&self) -> bool {
        self.violation == 0.0
    }

    /// The first objective.
    pub fn objective(&self) -> f64 {
        self.outcome.objectives.first().copied().unwrap_or(f64::NAN)
    }

    /// Whether this is better than the other, by the rules above and the first objective.
    pub fn better(&self, other: &Self) -> bool {
        if self.violation != other.violation {
            return self.violation < other.violation;
        }
        self.feasible() && self.objective() < other.objective()
    }

    /// The order of [`Self::better`]; a stable sort by it keeps ties in the order of evaluation.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_objective = self.objective().total_cmp(&other.objective());
        self.violation.total_cmp(&other.violation).then(by_objective)
    }
}

type Evaluate<'a> = Box<dyn FnMut(&[Vec<f64>]) -> Vec<Outcome> + 'a>;

/// Variables, the closure that runs a batch of designs, and the count of runs.
pub struct Problem<'a> {
    variables: &'a Ranges,
    evaluate: Evaluate<'a>,
    budget: usize,
    evaluations: usize,
    scales: Option<Scales>,
    progress: &'a dyn Progress,
}

/// Sizes of the objective and the constraints, from the first batch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scales {
    pub objective: f64,
    pub constraints: Vec<f64>,
}

impl<'a> Problem<'a> {
    /// `evaluate` takes physical values, one row per run, and answers in the same order.
    pub fn new(
        variables: &'a Ranges,
        budget: usize,
        evaluate: impl FnMut(&[Vec<f64>]) -> Vec<Outcome> + 'a,
    ) -> Self {
        let evaluate = Box::new(evaluate);
        Self { variables, evaluate, budget, evaluations: 0, scales: None, progress: &Unwatched }
    }

    /// The same, whose budget is spent at once when `progress` cancels it.
    pub fn watched(self, progress: &'a dyn Progress) -> Self {
        Self { progress, ..self }
    }

    /// One objective without constraints, run by run.
    pub fn of(variables: &'a Ranges, budget: usize, f: impl Fn(&[f64]) -> f64 + 'a) -> Self {
        let batch =
            move |rows: &[Vec<f64>]| rows.iter().map(|x| Outcome::objective(f(x))).collect();
        Self::new(variables, budget, batch)
    }

    pub fn variables(&self) -> &'a Ranges {
        self.variables
    }

    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Runs left of the budget; none once it is cancelled.
    pub fn left(&self) -> usize {
        if self.progress.is_cancelled() { 0 } else { self.budget - self.evaluations }
    }

    /// Mean distance of the first objective from its mean, and s_i of Eq. (1).
    pub(super) fn scales(&self) -> Option<&Scales> {
        self.scales.as_ref()
    }

    /// Runs points of the unit cube, as many of the first as the budget allows.
    pub fn run(&mut self, mut points: Vec<Vec<f64>>) -> Vec<Individual> {
        points.truncate(self.left());
        if points.is_empty() {
            return vec![];
        }
        points.iter_mut().for_each(|p| self.variables.snap(p));
        let values: Vec<Vec<f64>> = points.iter().map(|p| self.variables.values(p)).collect();
        let outcomes = (self.evaluate)(&values);
        assert_eq!(outcomes.len(), points.len(), "one outcome per point");
        self.evaluations += points.len();
        self.judge(points, values, outcomes)
    }

    /// Runs made before, by their physical values, judged like those to come. They cost nothing.
    pub fn adopt(&mut self, values: Vec<Vec<f64>>, outcomes: Vec<Outcome>) -> Vec<Individual> {
        assert_eq!(outcomes.len(), values.len(), "one outcome per point");
        let points = values.iter().map(|x| self.variables.units(x)).collect();
        self.judge(points, values, outcomes)
    }

    /// The first batch gives the scales of the violations.
    fn judge(
        &mut self,
        units: Vec<Vec<f64>>,
        values: Vec<Vec<f64>>,
        outcomes: Vec<Outcome>,
    ) -> Vec<Individual> {
        let scales = self.scales.get_or_insert_with(|| Scales::of(&outcomes));
        let individual = |((unit, values), outcome)| {
            let violation = scales.violation(&outcome);
            Individual { unit, values, outcome, violation }
        };
        units.into_iter().zip(values).zip(outcomes).map(individual).collect()
    }
}

impl Scales {
    fn of(outcomes: &[Outcome]) -> Self {
        let count = outcomes.iter().map(|o| o.constraints.len()).max().unwrap_or(0);
        let sizes = |i: usize| outcomes.iter().filter_map(move |o| o.constraints.get(i).copied());
        let constraints = (0..count).map(|i| positive_mean(sizes(i).map(f64::abs))).collect();
        let first = || outcomes.iter().filter_map(|o| o.objectives.first().copied());
        let (sum, n) = first().filter(|f| f.is_finite()).fold((0.0, 0), |(s, n), f| (s + f, n + 1));
        let mean = sum / f64::from(n.max(1));
        Self { objective: positive_mean(first().map(|f| (f - mean).abs())), constraints }
    }

    /// Eq. (1).
    fn violation(&self, outcome: &Outcome) -> f64 {
        if outcome.is_failed() {
            return f64::INFINITY;
        }
        let scale = |i: usize| self.constraints.get(i).copied().unwrap_or(1.0);
        outcome.constraints.iter().enumerate().map(|(i, g)| g.max(0.0) / scale(i)).sum()
    }
}

/// The mean of the finite numbers, or 1 where that is nothing to divide by.
fn positive_mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let finite = numbers.filter(|x| x.is_finite());
    let (sum, n) = finite.fold((0.0, 0.0), |(s, n), x| (s + x, n + 1.0));
    if sum > 0.0 { sum / n } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn individual(f: f64, g: f64) -> Individual {
        let outcome = Outcome { objectives: vec![f], constraints: vec![g] };
        let violation = if outcome.is_failed() { f64::INFINITY } else { g.max(0.0) };
        Individual { unit: vec![], values: vec![], outcome, violation }
    }

    #[test]
    fn feasible_beats_infeasible_beats_failed() {
        let ranked = [
            individual(1.0, -1.0),
            individual(2.0, 0.0),
            individual(-5.0, 0.1),
            individual(-9.0, 0.2),
            individual(f64::NAN, 0.0),
        ];
        for (i, a) in ranked.iter().enumerate() {
            for (j, b) in ranked.iter().enumerate() {
                assert_eq!(a.better(b), i < j, "{i} {j}");
            }
        }
        assert!(!ranked[0].better(&ranked[0]));
    }

    #[test]
    fn the_budget_is_kept_and_constraints_weigh_alike() {
        let variables = Ranges::bounds(&[(0.0, 1.0)]).unwrap();
        let mut calls = 0;
        let mut problem = Problem::new(&variables, 5, |rows| {
            calls += rows.len();
            let outcome = |x: &Vec<f64>| Outcome {
                objectives: vec![x[0]],
                constraints: vec![1e6 * (x[0] - 0.5), 1e-6 * (x[0] - 0.5)],
            };
            rows.iter().map(outcome).collect()
        });
        let all = problem.run(vec![vec![0.0], vec![1.0], vec![1.0]]);
        assert!((all[1].violation - 2.0).abs() < 1e-12 && all[0].violation == 0.0);
        assert_eq!(problem.run(vec![vec![0.3]; 4]).len(), 2);
        assert_eq!((problem.left(), problem.evaluations()), (0, 5));
        assert!(problem.run(vec![vec![0.3]]).is_empty());
        drop(problem);
        assert_eq!(calls, 5);
    }

    #[test]
    fn adopted_runs_cost_nothing_and_weigh_like_the_others() {
        let variables = Ranges::bounds(&[(2.0, 4.0)]).unwrap();
        let answer = |x: f64| Outcome { objectives: vec![x], constraints: vec![1e3 * (x - 3.0)] };
        let mut problem = Problem::new(&variables, 1, |rows: &[Vec<f64>]| {
            rows.iter().map(|x| answer(x[0])).collect()
        });
        let known = problem.adopt(vec![vec![2.0], vec![4.0]], vec![answer(2.0), answer(4.0)]);
        assert_eq!((known[0].unit[0], known[1].unit[0], problem.left()), (0.0, 1.0, 1));
        assert_eq!(problem.run(vec![vec![1.0]])[0].violation, known[1].violation);
    }
}
