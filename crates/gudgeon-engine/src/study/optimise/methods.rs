//! The genetic methods and what they may cost.

use gudgeon_study::file::{Evaluator, Optimise, Optimiser};
use gudgeon_study::optimise::genetic::{GeneticOptions, Polish, genetic};
use gudgeon_study::optimise::nsga2::{Nsga2Options, nsga2};
use gudgeon_study::optimise::{Problem, Variation};

use super::{Found, NEAREST, Setting};
use crate::study::Runs;

/// Evaluations where the study gives no number.
const ON_SURROGATE: usize = 20_000;
const ON_SIMULATOR: usize = 400;
/// The same for `ego`, for each variable.
const EGO: usize = 10;
/// The most points of a front found on a surrogate: each is simulated.
const FRONT: usize = 20;

/// Evaluations that a search may take. Generations count as so many populations; `ga` has a third
/// more for its polish.
pub fn budget(wanted: &Optimise, dimension: usize) -> usize {
    let usual = match (wanted.method, wanted.on) {
        (Optimiser::Ego, _) => return wanted.evaluations.unwrap_or(EGO * dimension),
        (_, Evaluator::Surrogate) => ON_SURROGATE,
        (_, Evaluator::Simulator) => ON_SIMULATOR,
    };
    let bred = wanted.generations.map(|generations| {
        let all = population(wanted, dimension).saturating_mul(generations.saturating_add(1));
        if wanted.method == Optimiser::Ga { all.saturating_add(all / 3) } else { all }
    });
    match (wanted.evaluations, bred) {
        (Some(evaluations), Some(bred)) => evaluations.min(bred),
        (one, other) => one.or(other).unwrap_or(usual),
    }
}

fn population(wanted: &Optimise, dimension: usize) -> usize {
    let usual = || match wanted.method {
        Optimiser::Nsga2 => Nsga2Options::default().population,
        Optimiser::Ga | Optimiser::Ego => GeneticOptions::default().size(dimension),
    };
    wanted.population.unwrap_or_else(usual)
}

impl Setting<'_, '_> {
    fn budget(&self) -> usize {
        budget(self.wanted, self.ranges.dimension())
    }

    /// Crossover and mutation as the study has them.
    fn varied(&self, usual: Variation) -> Variation {
        Variation {
            crossover: self.wanted.crossover.unwrap_or(usual.crossover),
            mutation: self.wanted.mutation.or(usual.mutation),
            ..usual
        }
    }

    pub fn genetic(&self, runs: &mut Runs) -> Result<Found, String> {
        self.check_models()?;
        let on_simulator = self.wanted.on == Evaluator::Simulator;
        let defaults = GeneticOptions::default();
        let options = GeneticOptions {
            population: self.wanted.population,
            generations: self.wanted.generations.map_or(defaults.generations, |most| most + 1),
            limit: self.wanted.generations,
            polish: match (self.wanted.polish, on_simulator) {
                (false, _) => Polish::None,
                (true, true) => Polish::Rough(Default::default()),
                (true, false) => defaults.polish,
            },
            variation: self.varied(defaults.variation),
            seed: self.job.seed,
            ..defaults
        };
        let mut problem =
            Problem::new(self.ranges, self.budget(), |rows| self.evaluate(rows, runs))
                .watched(self.job.progress);
        let result = genetic(&mut problem, &options).map_err(|error| error.to_string())?;
        let result = result.ok_or("the search may not evaluate anything")?;
        if result.best.violation.is_infinite() {
            return Err("every evaluation failed".into());
        }
        let sign = if self.wanted.objectives[0].maximise { -1.0 } else { 1.0 };
        let note = (!result.best.feasible()).then(|| NEAREST.to_owned());
        Ok(Found {
            points: vec![result.best.values],
            evaluations: result.evaluations,
            samples: 0,
            history: result.history.iter().map(|(n, best)| (*n, sign * best)).collect(),
            note,
        })
    }

    pub fn nsga2(&self, runs: &mut Runs) -> Result<Found, String> {
        self.check_models()?;
        let on_simulator = self.wanted.on == Evaluator::Simulator;
        let defaults = Nsga2Options::default();
        let options = Nsga2Options {
            population: self.wanted.population.unwrap_or(defaults.population),
            front: if on_simulator { defaults.front } else { FRONT },
            variation: self.varied(defaults.variation),
            seed: self.job.seed,
        };
        let mut problem =
            Problem::new(self.ranges, self.budget(), |rows| self.evaluate(rows, runs))
                .watched(self.job.progress);
        let front = nsga2(&mut problem, &options).map_err(|error| error.to_string())?;
        let evaluations = problem.evaluations();
        if front.is_empty() {
            return Err("every evaluation failed".into());
        }
        let note = (!front[0].feasible()).then(|| NEAREST.to_owned());
        let points = front.into_iter().map(|individual| individual.values).collect();
        Ok(Found { points, evaluations, samples: 0, history: Vec::new(), note })
    }
}
