//! The search for the best point. Whatever a surrogate calls best is simulated.

use gudgeon_model::study::{Constraint, Evaluator, Objective, Optimise, Optimiser, Relation};
use gudgeon_study::design::variables::Variables;
use gudgeon_study::optimise::genetic::{GeneticOptions, Polish, genetic};
use gudgeon_study::optimise::nsga2::{Nsga2Options, nsga2};
use gudgeon_study::optimise::{Outcome as Answered, Problem};

use super::surrogate::Model;
use super::{Job, Outcome, Runs, responses};
use crate::terminal::Terminal;

mod ego;
mod remarks;

/// Evaluations where the study gives no number.
const ON_SURROGATE: usize = 20_000;
const ON_SIMULATOR: usize = 400;
/// The most points of a front found on a surrogate: each is simulated.
const FRONT: usize = 20;

/// How a search went.
pub struct Search {
    pub method: &'static str,
    pub on: &'static str,
    /// Evaluations of the surrogate or the simulator.
    pub evaluations: usize,
    /// Simulations, the optima among them.
    pub simulations: usize,
    /// Evaluations and best objective so far, as the study writes it.
    pub history: Vec<(usize, f64)>,
    /// One optimum, or the Pareto front in order of the first objective.
    pub optima: Vec<Optimum>,
    /// What is to be said about how it ended.
    pub note: Option<String>,
    /// Where the surrogate was wrong, and what is better than the optimum.
    pub remarks: Vec<String>,
}

pub struct Optimum {
    pub point: Vec<f64>,
    /// Mean and standard deviation of each response by its surrogate.
    pub predicted: Vec<Option<(f64, f64)>>,
    /// Values of the simulation.
    pub simulated: Result<Vec<f64>, String>,
    /// Whether the simulation keeps all limits.
    pub feasible: Option<bool>,
}

/// What the methods need.
struct Setting<'a, 'b> {
    job: &'a Job<'b>,
    wanted: &'a Optimise,
    ranges: &'a Variables,
    models: Vec<Option<&'a Model>>,
}

/// What a method has found.
struct Found {
    points: Vec<Vec<f64>>,
    evaluations: usize,
    history: Vec<(usize, f64)>,
    note: Option<String>,
}

pub fn search(job: &Job, terminal: &Terminal, outcome: &mut Outcome) {
    let Some(wanted) = &job.study().optimise else { return };
    let simulator = responses::mechanism(&job.loaded);
    let folder = job.shown.join("optimise");
    let expected = if wanted.on == Evaluator::Simulator { budget(wanted) } else { 1 };
    let (plan, bar) = (job.plan_of("search"), terminal.progress("search"));
    let mut runs = match Runs::open(&simulator, &folder, &plan, job.options(), bar, expected) {
        Ok(runs) => runs,
        Err(message) => return outcome.fail(message),
    };
    let found = try_search(job, wanted, outcome, &mut runs);
    // What a search says that was stopped is of no use.
    if let Some(stop) = runs.finish() {
        return outcome.stop(Some(stop));
    }
    match found {
        Ok(search) => outcome.search = Some(search),
        Err(message) => outcome.fail(format!("no optimum: {message}")),
    }
}

fn try_search(
    job: &Job,
    wanted: &Optimise,
    outcome: &Outcome,
    runs: &mut Runs,
) -> Result<Search, String> {
    let ranges = job.space.ranges()?;
    let models = (0..job.study().responses.len()).map(|response| {
        let fitted = outcome.fitted.iter().find(|fitted| fitted.response == response)?;
        fitted.model.as_ref().ok()
    });
    let setting = Setting { job, wanted, ranges: &ranges, models: models.collect() };
    if wanted.on == Evaluator::Surrogate {
        setting.check_models()?;
    }
    let found = match wanted.method {
        Optimiser::Ga => setting.genetic(runs)?,
        Optimiser::Nsga2 => setting.nsga2(runs)?,
        Optimiser::Ego => ego::ego(&setting, &outcome.records, runs)?,
    };
    let simulated = runs.evaluate(&found.points);
    let optima = found.points.iter().zip(simulated).map(|(point, simulated)| Optimum {
        point: point.clone(),
        predicted: setting.predicted(point),
        feasible: simulated.as_ref().ok().map(|values| setting.keeps(values)),
        simulated,
    });
    let optima: Vec<Optimum> = optima.collect();
    Ok(Search {
        method: match wanted.method {
            Optimiser::Ga => "ga",
            Optimiser::Nsga2 => "nsga2",
            Optimiser::Ego => "ego",
        },
        on: if wanted.on == Evaluator::Surrogate { "surrogate" } else { "simulator" },
        evaluations: found.evaluations,
        simulations: runs.count(),
        history: found.history,
        remarks: remarks::remarks(&setting, &outcome.records, &optima),
        optima,
        note: found.note,
    })
}

fn budget(wanted: &Optimise) -> usize {
    let generations = wanted.population.zip(wanted.generations).map(|(p, g)| p * g);
    let usual = if wanted.on == Evaluator::Surrogate { ON_SURROGATE } else { ON_SIMULATOR };
    wanted.evaluations.or(generations).unwrap_or(usual)
}

/// How far a value is beyond a limit; not positive where it keeps it.
fn excess(constraint: &Constraint, value: f64) -> f64 {
    match constraint.relation {
        Relation::Below | Relation::AtMost => value - constraint.limit,
        Relation::Above | Relation::AtLeast => constraint.limit - value,
    }
}

impl Setting<'_, '_> {
    /// Every response that the search needs has a surrogate.
    fn check_models(&self) -> Result<(), String> {
        let objectives = self.wanted.objectives.iter().map(|objective| objective.response);
        let mut needed =
            objectives.chain(self.wanted.subject_to.iter().map(|limit| limit.response));
        let Some(response) = needed.find(|response| self.models[*response].is_none()) else {
            return Ok(());
        };
        Err(format!("`{}` has no surrogate", self.job.study().responses[response].name))
    }

    /// Objectives to minimise and excesses over limits, from the value of each response.
    fn answer(&self, value: impl Fn(usize) -> f64) -> Answered {
        let sign = |maximise: bool| if maximise { -1.0 } else { 1.0 };
        let objective = |o: &Objective| sign(o.maximise) * value(o.response);
        Answered {
            objectives: self.wanted.objectives.iter().map(objective).collect(),
            constraints: self
                .wanted
                .subject_to
                .iter()
                .map(|limit| excess(limit, value(limit.response)))
                .collect(),
        }
    }

    fn keeps(&self, values: &[f64]) -> bool {
        let value = |response| self.job.value(values, response);
        self.wanted.subject_to.iter().all(|limit| excess(limit, value(limit.response)) <= 0.0)
    }

    fn predicted(&self, point: &[f64]) -> Vec<Option<(f64, f64)>> {
        let one = |model: &Option<&Model>| {
            let prediction = model.as_ref()?.kriging.predict(point).ok()?;
            Some((prediction.mean, prediction.deviation()))
        };
        self.models.iter().map(one).collect()
    }

    /// Answers to a batch of points.
    fn evaluate(&self, rows: &[Vec<f64>], runs: &mut Runs) -> Vec<Answered> {
        if self.wanted.on == Evaluator::Simulator {
            let answers = runs.evaluate(rows).into_iter().map(|answer| match answer {
                Ok(values) => self.answer(|response| self.job.value(&values, response)),
                Err(_) => Answered::failed(),
            });
            return answers.collect();
        }
        let columns: Vec<Vec<f64>> = self.models.iter().map(|m| predict(*m, rows)).collect();
        (0..rows.len()).map(|row| self.answer(|response| columns[response][row])).collect()
    }

    fn genetic(&self, runs: &mut Runs) -> Result<Found, String> {
        let on_simulator = self.wanted.on == Evaluator::Simulator;
        let defaults = GeneticOptions::default();
        let options = GeneticOptions {
            population: self.wanted.population,
            generations: self.wanted.generations.unwrap_or(defaults.generations),
            polish: if on_simulator { Polish::Rough(Default::default()) } else { defaults.polish },
            seed: self.job.seed,
            ..defaults
        };
        let mut problem =
            Problem::new(self.ranges, budget(self.wanted), |rows| self.evaluate(rows, runs));
        let result = genetic(&mut problem, &options).map_err(|error| error.to_string())?;
        let result = result.ok_or("the search may not evaluate anything")?;
        if result.best.violation.is_infinite() {
            return Err("every evaluation failed".into());
        }
        let sign = if self.wanted.objectives[0].maximise { -1.0 } else { 1.0 };
        let note = (!result.best.feasible())
            .then(|| "no point keeps all limits; this one comes nearest".to_owned());
        Ok(Found {
            points: vec![result.best.values],
            evaluations: result.evaluations,
            history: result.history.iter().map(|(n, best)| (*n, sign * best)).collect(),
            note,
        })
    }

    fn nsga2(&self, runs: &mut Runs) -> Result<Found, String> {
        let on_simulator = self.wanted.on == Evaluator::Simulator;
        let defaults = Nsga2Options::default();
        let options = Nsga2Options {
            population: self.wanted.population.unwrap_or(defaults.population),
            front: if on_simulator { defaults.front } else { FRONT },
            seed: self.job.seed,
            ..defaults
        };
        let mut problem =
            Problem::new(self.ranges, budget(self.wanted), |rows| self.evaluate(rows, runs));
        let front = nsga2(&mut problem, &options).map_err(|error| error.to_string())?;
        let evaluations = problem.evaluations();
        if front.is_empty() {
            return Err("every evaluation failed".into());
        }
        let note = (!front[0].feasible())
            .then(|| "no point keeps all limits; this one comes nearest".to_owned());
        let points = front.into_iter().map(|individual| individual.values).collect();
        Ok(Found { points, evaluations, history: Vec::new(), note })
    }
}

/// Means at all points; not a number without a model.
pub fn predict(model: Option<&Model>, rows: &[Vec<f64>]) -> Vec<f64> {
    let predicted = model.and_then(|model| model.kriging.predict_all(rows).ok());
    match predicted {
        Some(all) => all.iter().map(|prediction| prediction.mean).collect(),
        None => vec![f64::NAN; rows.len()],
    }
}
