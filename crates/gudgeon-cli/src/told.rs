//! What the command says of runs and analyses, without colours, for other interfaces.

use gudgeon_engine::analysis::{AnalysisJob, AnalysisOutcome};
use gudgeon_engine::bearing::{BearingJob, BearingOutcome};
use gudgeon_engine::compare::{CompareJob, Comparison};
use gudgeon_engine::study::{StudyJob, StudyOutcome};
use gudgeon_engine::{RunJob, RunOutcome};
use gudgeon_model::text::visible;

use crate::terminal::Paint;
use crate::{analysis, bearing, compare, study, summary};

/// The summary of a run.
pub fn run(job: &RunJob, outcome: &RunOutcome) -> String {
    shown(summary::text(job, outcome, Paint::NONE))
}

/// Why a run did not get to its end; empty where it did.
pub fn failure(outcome: &RunOutcome) -> String {
    shown(summary::failure(outcome, Paint::NONE))
}

/// A static, modal or response analysis.
pub fn analysis(job: &AnalysisJob, outcome: &AnalysisOutcome) -> String {
    let text = analysis::text(job, outcome, Paint::NONE);
    shown(text + &analysis::failures(outcome, Paint::NONE))
}

/// A bearing analysis.
pub fn bearing(job: &BearingJob, outcome: &BearingOutcome) -> String {
    let text = bearing::text(job, outcome, Paint::NONE);
    shown(text + &bearing::failures(job, outcome, Paint::NONE))
}

/// One model in variants.
pub fn comparison(job: &CompareJob, comparison: &Comparison) -> String {
    let text = compare::text(job, comparison, Paint::NONE);
    shown(text + &compare::failures(comparison, Paint::NONE))
}

/// A study.
pub fn study(job: &StudyJob, outcome: &StudyOutcome) -> String {
    shown(study::text(job, outcome, Paint::NONE))
}

/// What others wrote does not act on a terminal.
fn shown(text: String) -> String {
    visible(&text).into_owned()
}
