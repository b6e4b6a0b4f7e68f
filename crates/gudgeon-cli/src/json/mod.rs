//! A run as JSON, once for scripts (`--json`) and once for the record (`run.json`).
//!
//! Both are made of the same facts. What differs between two runs of one file (dates, times of the
//! processor, paths) is kept out of the facts: the answer adds it where scripts expect it, the
//! record in the one object `environment`. SI units; numbers that are not finite become `null`.

mod explained;
mod parts;
mod record;

use std::path::{Path, PathBuf};

use gudgeon::results::{RunReport, Status};
use serde_json::{Map, Value, json};

use crate::cmd::run::Job;
use crate::execute::{Kept, Outcome};
pub use explained::explained;
pub use parts::{assembly, mark_unique, parameters, restitution_range, warning};
pub use record::{Origin, analysis_record, head, record};

/// The one object of `--json`.
pub fn answer(job: &Job, outcome: &Outcome) -> Value {
    let mut answer = facts(job, outcome);
    add_cpu(answer.get_mut("solver"), &outcome.report);
    if let Some(baseline) = &outcome.baseline {
        let solver = answer.get_mut("baseline").and_then(|b| b.get_mut("solver"));
        add_cpu(solver, &baseline.report);
    }
    answer.insert("cpu".into(), outcome.cost.json());
    answer.insert("result".into(), json!(job.shown.display().to_string()));
    answer.insert("kept".into(), kept(&job.shown, &outcome.kept));
    Value::Object(answer)
}

/// The folders beside a result, as paths beside the one that the user knows.
pub fn kept(shown: &Path, kept: &Kept) -> Value {
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| beside(shown, path));
    json!({ "complete": path(&kept.complete), "killed": path(&kept.killed) })
}

/// A folder beside that of the results as the user would write it.
pub fn beside(shown: &Path, path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    shown.with_file_name(name).display().to_string()
}

fn add_cpu(solver: Option<&mut Value>, report: &RunReport) {
    if let Some(Value::Object(solver)) = solver {
        solver.insert("cpu_seconds".into(), json!(report.solver.cpu.integration()));
    }
}

/// Everything that is the same for every run of the same file.
fn facts(job: &Job, outcome: &Outcome) -> Map<String, Value> {
    let (model, report) = (&job.loaded.model, &outcome.report);
    let mut facts = Map::new();
    let mut put = |key: &str, value: Value| facts.insert(key.to_owned(), value);
    put("status", json!(outcome.exit().status()));
    if let Some(error) = error(outcome) {
        put("error", error);
    }
    if let Some(end) = report.ended {
        put("ended_by", json!(end.name()));
    }
    put("model", json!({ "name": model.name }));
    put("parameters", parts::parameters(&job.loaded.parameters));
    let outputs = &job.loaded.run.outputs;
    let unique: Vec<bool> = outputs.iter().map(|o| o.is_unique(&job.assembly)).collect();
    put("extremes", parts::extremes(&report.extremes, &unique));
    if let Some(baseline) = &outcome.baseline {
        put("baseline", parts::baseline(baseline));
    }
    put("window", json!({ "from": report.window.0, "to": report.window.1 }));
    put("impacts", parts::impacts(model, &report.impacts));
    put("contacts", parts::contacts(report));
    if !report.journals.is_empty() {
        put("journals", parts::journals(&report.journals));
    }
    if !report.films.is_empty() {
        put("films", parts::films(&report.films));
    }
    if !report.fields.is_empty() {
        put("fields", parts::fields(&report.fields));
    }
    put("energy", parts::energy(&report.energy));
    put("drift", json!({ "position": report.drift.position, "velocity": report.drift.velocity }));
    put("solver", parts::solver(&report.solver));
    put("final", parts::last(report));
    if let Some(ensemble) = &outcome.ensemble {
        put("ensemble", parts::ensemble(ensemble, job.args.seed));
    }
    if let Some(certificate) = &outcome.certificate {
        put("certificate", parts::certificate(certificate));
    }
    put("assembly", parts::assembly(&job.assembly));
    put("warnings", parts::warnings(job, outcome));
    facts
}

fn error(outcome: &Outcome) -> Option<Value> {
    if let Some(error) = &outcome.error {
        return Some(json!({
            "t": outcome.report.final_time,
            "message": error.to_string(),
            "help": error.help(),
        }));
    }
    match &outcome.report.status {
        Status::Failed(error) => Some(json!({
            "t": error.time,
            "message": error.to_string(),
            "cause": error.cause.to_string(),
            "help": error.help,
        })),
        Status::Done | Status::Interrupted => None,
    }
}
