//! The search for the best point. Whatever a surrogate calls best is simulated.

use std::collections::HashMap;

use gudgeon_study::design::variables::Ranges;
use gudgeon_study::file::{Constraint, Evaluator, Objective, Optimise, Optimiser, Relation};
use gudgeon_study::optimise::Outcome as Answered;
use gudgeon_study::store::Record;

use super::runs::{Answer, Stop, answer, bits};
use super::surrogate::{self, Fitted, Model};
use super::{Runs, StudyJob, StudyOutcome};

mod ego;
mod front;
mod methods;
mod remarks;

pub use front::Standing;

/// How a search went.
pub struct Search {
    pub method: &'static str,
    pub on: &'static str,
    /// Evaluations of the surrogate or the simulator.
    pub evaluations: usize,
    /// Simulations, the optima among them.
    pub simulations: usize,
    /// Samples that it began with.
    pub samples: usize,
    /// Those samples and evaluations so far, and the best objective, as the study writes it.
    pub history: Vec<(usize, f64)>,
    /// One optimum, or what was found as Pareto front, in order of the first objective.
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
    pub standing: Standing,
}

impl Optimum {
    /// Whether the simulation keeps all limits.
    pub fn feasible(&self) -> Option<bool> {
        (self.standing != Standing::Failed).then_some(self.standing != Standing::BreaksLimit)
    }
}

/// What the methods need.
struct Setting<'a, 'b> {
    job: &'a StudyJob<'b>,
    wanted: &'a Optimise,
    ranges: &'a Ranges,
    models: Vec<Option<&'a Model>>,
}

/// What a method has found.
struct Found {
    points: Vec<Vec<f64>>,
    evaluations: usize,
    /// Samples that it began with.
    samples: usize,
    history: Vec<(usize, f64)>,
    note: Option<String>,
}

/// Said of a point that no better one was found than.
const NEAREST: &str = "no point keeps all limits; this one comes nearest";

pub fn search(job: &StudyJob, outcome: &mut StudyOutcome) {
    let Some(wanted) = &job.study().optimise else { return };
    let simulator = job.samples();
    let folder = job.shown.join("optimise");
    let expected = match wanted.on {
        Evaluator::Simulator => methods::budget(wanted, job.study().variables.len()),
        Evaluator::Surrogate => 1,
    };
    let plan = job.plan_of("search");
    let mut runs = match Runs::open(
        &*simulator,
        &folder,
        (job, &plan),
        "search",
        expected,
        &mut outcome.repairs,
    ) {
        Ok(runs) => runs,
        Err(message) => return outcome.fail(message),
    };
    let found = try_search(job, wanted, outcome, &mut runs);
    // What a search says that was stopped is of no use.
    if let Some(stop) = runs.finish() {
        return outcome.stop(Some(stop));
    }
    if job.progress.is_cancelled() {
        return outcome.stop(Some(Stop::Interrupted));
    }
    match found {
        Ok(search) => outcome.search = Some(search),
        Err(message) => outcome.fail(format!("no optimum: {message}")),
    }
}

fn try_search(
    job: &StudyJob,
    wanted: &Optimise,
    outcome: &mut StudyOutcome,
    runs: &mut Runs,
) -> Result<Search, String> {
    let ranges = job.study().ranges().ok_or("a distribution cannot be searched")?;
    let ranges = ranges.map_err(|error| error.to_string())?;
    let setting = Setting::new(job, wanted, &ranges, &outcome.fitted);
    let records = &outcome.records;
    let found = match wanted.method {
        Optimiser::Ga => setting.genetic(runs)?,
        Optimiser::Nsga2 => setting.nsga2(runs)?,
        Optimiser::Ego => ego::ego(&setting, records, runs)?,
    };
    let simulated = match wanted.method {
        Optimiser::Ego => known_or_run(&found.points, records, runs),
        Optimiser::Ga | Optimiser::Nsga2 => runs.evaluate(&found.points),
    };
    if wanted.method == Optimiser::Ego && runs.stopped.is_none() {
        // What is told and drawn is the model of all that was simulated.
        outcome.infill = runs.records();
        outcome.fitted = surrogate::fit_all(job, records, &outcome.infill);
    }
    let setting = Setting::new(job, wanted, &ranges, &outcome.fitted);
    let optima = front::optima(&setting, found.points, simulated);
    Ok(Search {
        method: match wanted.method {
            Optimiser::Ga => "ga",
            Optimiser::Nsga2 => "nsga2",
            Optimiser::Ego => "ego",
        },
        on: if wanted.on == Evaluator::Surrogate { "surrogate" } else { "simulator" },
        evaluations: found.evaluations,
        simulations: runs.count(),
        samples: found.samples,
        history: found.history,
        remarks: remarks::remarks(&setting, &outcome.records, &optima),
        optima,
        note: found.note,
    })
}

/// Answers at points of which some are samples.
fn known_or_run(points: &[Vec<f64>], samples: &[Record], runs: &mut Runs) -> Vec<Answer> {
    let known: HashMap<Vec<u64>, &Record> = samples.iter().map(|r| (bits(&r.point), r)).collect();
    let one = |point: &Vec<f64>| match known.get(&bits(point)) {
        Some(record) => answer(record),
        None => runs.evaluate(std::slice::from_ref(point)).remove(0),
    };
    points.iter().map(one).collect()
}

/// How far a value is beyond a limit; not positive where it keeps it.
fn excess(constraint: &Constraint, value: f64) -> f64 {
    match constraint.relation {
        Relation::Below | Relation::AtMost => value - constraint.limit,
        Relation::Above | Relation::AtLeast => constraint.limit - value,
    }
}

impl<'a, 'b> Setting<'a, 'b> {
    fn new(
        job: &'a StudyJob<'b>,
        wanted: &'a Optimise,
        ranges: &'a Ranges,
        fitted: &'a [Fitted],
    ) -> Self {
        let models = (0..job.study().responses.len()).map(|response| {
            let fitted = fitted.iter().find(|fitted| fitted.response == response)?;
            fitted.model.as_ref().ok()
        });
        Setting { job, wanted, ranges, models: models.collect() }
    }

    /// Every response that the search needs has a surrogate, if it uses surrogates.
    fn check_models(&self) -> Result<(), String> {
        if self.wanted.on == Evaluator::Simulator && self.wanted.method != Optimiser::Ego {
            return Ok(());
        }
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
        let columns: Vec<Vec<f64>> =
            self.models.iter().map(|m| predict(self.job, *m, rows)).collect();
        (0..rows.len()).map(|row| self.answer(|response| columns[response][row])).collect()
    }
}

/// Means at all points; not a number without a model, and where the study is cancelled.
pub fn predict(job: &StudyJob, model: Option<&Model>, rows: &[Vec<f64>]) -> Vec<f64> {
    let predicted = model.and_then(|model| model.kriging.predict_watched(rows, job.progress).ok());
    match predicted {
        Some(all) => all.iter().map(|prediction| prediction.mean).collect(),
        None => vec![f64::NAN; rows.len()],
    }
}
