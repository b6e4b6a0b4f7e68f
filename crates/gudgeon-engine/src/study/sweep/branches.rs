//! States once per period, and how they repeat.

use std::f64::consts::TAU;
use std::ops::RangeInclusive;

use gudgeon_study::file::{Bifurcation, Interval, Sweep as Wanted};
use gudgeon_study::periods::Verdict;
use gudgeon_study::runner::SampleFailure;
use gudgeon_study::store::Plan;
use gudgeon_study::sweep::{Seen, Sweep, columns};

use super::super::runs::{Answer, Stop};
use super::super::{Runs, StudyJob};
use super::instants::instants;
use super::{at, rows};

/// The states once per period at one value.
pub struct Branch {
    pub value: f64,
    /// Values of the output, and how the mechanism repeats.
    pub seen: Result<(Vec<f64>, Verdict), String>,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Period(usize),
    NotFound,
    TooFew,
    Failed,
}

pub fn branches(
    job: &StudyJob,
    (wanted, bifurcation): (&Wanted, &Bifurcation),
    plan: &Plan,
    repairs: &mut Vec<String>,
) -> Result<(Vec<Branch>, Option<Stop>), String> {
    let output = bifurcation.output.name.as_str();
    let build = |value: f64| {
        let (model, spec) = at(job, wanted, value, &[output])?;
        let instants = instants(&model, &spec, bifurcation).map_err(SampleFailure::failed)?;
        Ok::<_, SampleFailure>((model, spec, instants))
    };
    // The table has columns for the value with the most states.
    let counts = wanted.values.iter().filter_map(|value| Some(build(*value).ok()?.2.len()));
    let count = counts.max().unwrap_or(0);
    let values = columns(&[(output, &*bifurcation.output.unit)], count);
    let plan = Plan { values, description: format!("{bifurcation:?}"), ..plan.clone() };
    let folder = job.shown.join("bifurcation");
    let simulator = Sweep { build, count };
    let expected = wanted.values.len();
    let mut runs = Runs::open(&simulator, &folder, (job, &plan), "periods", expected, repairs)?;
    let answers = runs.evaluate(&rows(wanted));
    let found = wanted.values.iter().zip(answers).map(|(value, answer)| branch(*value, answer));
    let found = found.collect();
    Ok((found, runs.finish()))
}

fn branch(value: f64, answer: Answer) -> Branch {
    let seen = answer.map(|values| {
        let seen = Seen::from_values(&values, 1);
        (seen.states.concat(), seen.verdict)
    });
    Branch { value, seen }
}

impl Branch {
    pub fn kind(&self) -> Kind {
        match &self.seen {
            Err(_) => Kind::Failed,
            Ok((_, verdict)) if verdict.regime.is_none() => Kind::TooFew,
            Ok((_, verdict)) => verdict.period().map_or(Kind::NotFound, Kind::Period),
        }
    }

    pub fn states(&self) -> &[f64] {
        self.seen.as_ref().map_or(&[], |(states, _)| states)
    }

    pub fn verdict(&self) -> Option<&Verdict> {
        self.seen.as_ref().ok().map(|(_, verdict)| verdict)
    }
}

/// What is known of branches of one kind.
pub fn told(kind: Kind, of: &[&Branch], wanted: &Bifurcation) -> String {
    let range = |pick: fn(&Verdict) -> usize| {
        let all = || of.iter().filter_map(|branch| branch.verdict()).map(pick);
        shown(all().min().unwrap_or(0)..=all().max().unwrap_or(0))
    };
    match kind {
        Kind::Period(period) => format!("period {period}"),
        Kind::NotFound => {
            let (longest, samples) = (range(|v| v.longest), range(|v| v.samples));
            format!("no period up to {longest} in {samples} {}", counted(wanted))
        }
        Kind::TooFew => format!("too few {} to tell", counted(wanted)),
        Kind::Failed => "failed".to_owned(),
    }
}

fn shown(range: RangeInclusive<usize>) -> String {
    match range.start() == range.end() {
        true => range.start().to_string(),
        false => format!("{} to {}", range.start(), range.end()),
    }
}

fn counted(wanted: &Bifurcation) -> &'static str {
    match wanted.every {
        Interval::Turn { angle, .. } if (angle - TAU).abs() < 1e-9 => "revolutions",
        _ => "states",
    }
}
