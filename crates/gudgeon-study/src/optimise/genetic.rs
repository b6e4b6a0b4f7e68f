//! A genetic algorithm with real numbers for genes, for one objective.
//!
//! The paper zhang, §4.4, describes its algorithm as evaluation, crossover and mutation, generation
//! after generation, and prints neither operators nor numbers. Here: a Latin hypercube of N designs to
//! begin with; parents by tournaments of two; crossover and mutation of `super::variation`; the best
//! few pass unchanged into the next generation. Constraints and failures follow the rules of
//! `super::problem`.
//!
//! An epoch ends when the best has not improved for some generations; a local search then polishes it.
//! A population that has settled in the wrong valley will not leave it, so as long as budget is left
//! new epochs begin from new designs, until several have ended at the same best value.

use super::compass::{CompassOptions, compass};
use super::lagrangian;
use super::local::LocalOptions;
use super::{Individual, Problem, Variation};
use crate::design::{DesignError, latin_random, stream};
use gudgeon::random::Random;

/// The local search at the end of an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Polish {
    None,
    /// Quasi-Newton, with an augmented Lagrangian for constraints: smooth functions, surrogates.
    Smooth(LocalOptions),
    /// Compass search: rough and noisy functions, simulations.
    Rough(CompassOptions),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneticOptions {
    /// N; ten per variable, from 40 to 200, if not given.
    pub population: Option<usize>,
    /// The most generations of an epoch.
    pub generations: usize,
    /// The most generations in all, beside the first population; that of every later epoch counts as
    /// one. The polish comes on top.
    pub limit: Option<usize>,
    /// Generations without improvement that end an epoch.
    pub stall: usize,
    /// What counts as improvement, as a part of the spread of the first population; if not given,
    /// 1e-2 where a polish follows, 1e-6 where none does.
    pub gain: Option<f64>,
    /// How many of the best pass unchanged.
    pub elites: usize,
    pub variation: Variation,
    pub polish: Polish,
    /// Epochs that must end at the same best value before the search ends within its budget.
    pub agree: usize,
    pub seed: u64,
}

impl Default for GeneticOptions {
    fn default() -> Self {
        Self {
            population: None,
            generations: 100,
            limit: None,
            stall: 5,
            gain: None,
            elites: 2,
            variation: Variation::default(),
            polish: Polish::Smooth(LocalOptions::default()),
            agree: 5,
            seed: 0,
        }
    }
}

impl GeneticOptions {
    /// N for so many variables.
    pub fn size(&self, dimension: usize) -> usize {
        self.population.unwrap_or((10 * dimension).clamp(40, 200)).max(4)
    }
}

/// The best design and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneticResult {
    pub best: Individual,
    pub evaluations: usize,
    pub epochs: usize,
    /// Epochs that ended at the best value.
    pub agreed: usize,
    /// Runs used and best objective after each generation and polish.
    pub history: Vec<(usize, f64)>,
}

/// Values as close as this part of the spread of the first population are the same.
const SAME: f64 = 1e-6;

/// Searches until the budget of `problem` or the generations are spent, or enough epochs agree. None
/// if the budget is nil.
pub fn genetic(
    problem: &mut Problem,
    options: &GeneticOptions,
) -> Result<Option<GeneticResult>, DesignError> {
    let mut result: Option<GeneticResult> = None;
    // Populations that may still be run.
    let mut left = options.limit.map_or(usize::MAX, |limit| limit.saturating_add(1));
    for epoch in 0.. {
        if left == 0 {
            break;
        }
        let mut random = stream(options.seed, epoch);
        let mut history = Vec::new();
        let best = run_epoch(problem, options, &mut left, &mut random, &mut history)?;
        let Some(best) = best else { break };
        let evaluations = problem.evaluations();
        result = Some(match result {
            None => GeneticResult { best, evaluations, epochs: 1, agreed: 1, history },
            Some(before) => combine(before, best, problem, history),
        });
        if result.as_ref().is_some_and(|r| r.agreed >= options.agree) {
            break;
        }
    }
    Ok(result)
}

fn combine(
    before: GeneticResult,
    best: Individual,
    problem: &Problem,
    history: Vec<(usize, f64)>,
) -> GeneticResult {
    let scale = SAME * problem.scales().map_or(1.0, |s| s.objective);
    let close = (best.objective() - before.best.objective()).abs() <= scale;
    let same = close && best.feasible() == before.best.feasible();
    let better = best.better(&before.best);
    let agreed = match (same, better) {
        (true, _) => before.agreed + 1,
        (false, true) => 1,
        (false, false) => before.agreed,
    };
    let floor = before.best.objective();
    let best = if better { best } else { before.best };
    let lower = |(runs, f): (usize, f64)| (runs, if better { f.min(floor) } else { floor });
    let mut all = before.history;
    all.extend(history.into_iter().map(lower));
    let evaluations = problem.evaluations();
    GeneticResult { best, evaluations, epochs: before.epochs + 1, agreed, history: all }
}

/// One population from its beginning to its polished best.
fn run_epoch(
    problem: &mut Problem,
    options: &GeneticOptions,
    left: &mut usize,
    random: &mut Random,
    history: &mut Vec<(usize, f64)>,
) -> Result<Option<Individual>, DesignError> {
    let dimension = problem.variables().dimension();
    let size = options.size(dimension);
    // A quarter of what is left is for the polish.
    let reserve = if options.polish == Polish::None { 0 } else { problem.left() / 4 };
    let mut population = problem.run(latin_random(size, dimension, random.next())?);
    *left -= 1;
    population.sort_by(Individual::order);
    let Some(mut best) = population.first().cloned() else { return Ok(None) };
    let finest = if options.polish == Polish::None { 1e-6 } else { 1e-2 };
    let threshold = options.gain.unwrap_or(finest) * problem.scales().map_or(1.0, |s| s.objective);
    let mut idle = 0;
    for _ in 1..options.generations {
        if idle >= options.stall || *left == 0 || problem.left() < reserve + size {
            break;
        }
        *left -= 1;
        population = next_generation(problem, options, &population, random);
        let first = &population[0];
        let gain = best.objective() - first.objective() > threshold;
        let improved = first.violation < best.violation || gain;
        idle = if improved { 0 } else { idle + 1 };
        if first.better(&best) {
            best = first.clone();
        }
        history.push((problem.evaluations(), best.objective()));
    }
    best = polish(problem, best, &options.polish);
    history.push((problem.evaluations(), best.objective()));
    Ok(Some(best))
}

/// Elites and children, best first. `population` is sorted.
fn next_generation(
    problem: &mut Problem,
    options: &GeneticOptions,
    population: &[Individual],
    random: &mut Random,
) -> Vec<Individual> {
    let elites = options.elites.min(population.len() - 1);
    let wanted = population.len() - elites;
    let mut children = Vec::with_capacity(wanted + 1);
    while children.len() < wanted {
        let [a, b] = [0, 1].map(|_| &population[tournament(population.len(), random)].unit);
        children.extend(options.variation.children(problem.variables(), [a, b], random));
    }
    children.truncate(wanted);
    let mut next = population[..elites].to_vec();
    next.extend(problem.run(children));
    next.sort_by(Individual::order);
    next
}

/// The better of two drawn from a sorted population.
fn tournament(size: usize, random: &mut Random) -> usize {
    random.below(size).min(random.below(size))
}

fn polish(problem: &mut Problem, best: Individual, polish: &Polish) -> Individual {
    let rounds = if best.outcome.constraints.is_empty() { 1 } else { 4 };
    let budget = 100 * rounds * (problem.variables().dimension() + 1);
    match polish {
        Polish::None => best,
        Polish::Smooth(local) => lagrangian::polish(problem, &best, budget, local),
        Polish::Rough(options) => compass(problem, &best, options),
    }
}
