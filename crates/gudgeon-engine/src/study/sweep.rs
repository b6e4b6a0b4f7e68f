//! One variable through its range: time histories, states once per period.

mod branches;
mod histories;
mod instants;

use gudgeon_study::file::Sweep as Wanted;
use gudgeon_study::runner::{StudyError, most_frequent};
use gudgeon_study::store::Plan;

use super::runs::{Answer, Stop};
use super::{Runs, StudyJob, StudyOutcome, apart, sentence};
pub use branches::{Branch, Kind, told};
use gudgeon_study::runner::{Built, built};
pub use histories::{Drawn, History};
pub use instants::check;

pub struct SweepResult {
    /// Index of the variable.
    pub variable: usize,
    /// The values for people, no two of them alike.
    pub labels: Vec<String>,
    /// Value of the variable and values of the responses, or why there are none.
    pub points: Vec<Point>,
    pub bifurcation: Option<Vec<Branch>>,
    pub histories: Vec<History>,
    /// Whether histories are drawn over revolutions instead of time.
    pub turns: bool,
}

pub type Point = (f64, Answer);

pub fn sweep(job: &StudyJob, outcome: &mut StudyOutcome) {
    let Some(wanted) = &job.study().sweep else { return };
    let mut result = SweepResult {
        variable: wanted.variable,
        labels: labels(job, wanted, &wanted.values),
        points: Vec::new(),
        bifurcation: None,
        histories: Vec::new(),
        turns: false,
    };
    if let Err(message) = try_sweep(job, wanted, outcome, &mut result) {
        outcome.fail(message);
    }
    // Half a sweep would read as one that failed.
    outcome.sweep = (!outcome.interrupted && !result.points.is_empty()).then_some(result);
}

fn try_sweep(
    job: &StudyJob,
    wanted: &Wanted,
    outcome: &mut StudyOutcome,
    result: &mut SweepResult,
) -> Result<(), String> {
    let swept = &job.plan.variables[wanted.variable];
    let plan = Plan { variables: vec![swept.clone()], ..job.plan_of("sweep") };
    let (points, stop) = points(job, wanted, &plan, &mut outcome.repairs)?;
    result.points = points;
    outcome.stop(stop);
    if outcome.goes_on() {
        let answers = result.points.iter().map(|(_, answer)| answer.as_ref().err());
        all_failed("values of the sweep", answers)?;
    }
    if let (true, Some(bifurcation)) = (outcome.goes_on(), &wanted.bifurcation) {
        let (found, stop) =
            branches::branches(job, (wanted, bifurcation), &plan, &mut outcome.repairs)?;
        outcome.stop(stop);
        let answers = || found.iter().map(|branch| branch.seen.as_ref().err());
        let judged = if outcome.goes_on() {
            all_failed("values of the bifurcation", answers())
        } else {
            Ok(())
        };
        result.bifurcation = Some(found);
        judged?;
    }
    histories::all(job, wanted, outcome, result)
}

fn points(
    job: &StudyJob,
    wanted: &Wanted,
    plan: &Plan,
    repairs: &mut Vec<String>,
) -> Result<(Vec<Point>, Option<Stop>), String> {
    let simulator = job.loaded.swept_samples(wanted.variable);
    let folder = job.shown.join("sweep");
    let count = wanted.values.len();
    let mut runs = Runs::open(&simulator, &folder, (job, plan), "sweep", count, repairs)?;
    let answers = runs.evaluate(&rows(wanted));
    Ok((wanted.values.iter().copied().zip(answers).collect(), runs.finish()))
}

/// The values as points of a study of one variable.
fn rows(wanted: &Wanted) -> Vec<Vec<f64>> {
    wanted.values.iter().map(|value| vec![*value]).collect()
}

/// Values of the variable for people, as exact as tells them apart.
fn labels(job: &StudyJob, wanted: &Wanted, values: &[f64]) -> Vec<String> {
    let shown = &job.study().variables[wanted.variable].shown;
    let numbers: Vec<f64> = values.iter().map(|value| value / shown.factor).collect();
    let label = |number: String| format!("{number} {}", shown.unit).trim_end().to_owned();
    apart(&numbers).into_iter().map(label).collect()
}

/// An error where all failed, with the most frequent cause.
pub fn all_failed<'a>(
    what: &str,
    causes: impl Iterator<Item = Option<&'a String>>,
) -> Result<(), String> {
    let causes: Vec<Option<&String>> = causes.collect();
    let failed: Vec<String> = causes.iter().copied().flatten().cloned().collect();
    if failed.is_empty() || failed.len() < causes.len() {
        return Ok(());
    }
    let samples = failed.len();
    let (cause, times) = most_frequent(failed.into_iter());
    let error = StudyError::AllFailed { samples, cause, times };
    Err(sentence(&error, what))
}

/// Model and run at a value, with outputs of one's own.
fn at(job: &StudyJob, wanted: &Wanted, value: f64, outputs: &[&str]) -> Built {
    built(job.loaded.load_with(&[(wanted.variable, value)], outputs))
}
