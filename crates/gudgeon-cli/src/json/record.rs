//! `run.json`: the facts of a run, the text it was made from, and where and when that was.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use gudgeon::run::{Index, Method};
use gudgeon_model::{Loaded, Overrides};
use serde_json::{Map, Value, json};

use super::{facts, parameters};
use crate::args::RunArgs;
use crate::cmd::run::Job;
use crate::execute::Outcome;

/// What facts were made from.
pub struct Origin<'a> {
    pub args: &'a RunArgs,
    pub path: &'a Path,
    pub shown: &'a Path,
    pub loaded: &'a Loaded,
}

/// The record of a run.
pub fn record(job: &Job, outcome: &Outcome) -> Value {
    let origin = Origin { args: job.args, path: &job.path, shown: &job.shown, loaded: &job.loaded };
    let mut record = analysis_record(&origin, facts(job, outcome));
    if let Some(Value::Object(solver)) = record.get_mut("solver") {
        solver.insert("options".into(), method(job.loaded.run.method));
    }
    if let Some(Value::Object(environment)) = record.get_mut("environment") {
        let cpu = outcome.report.solver.cpu.integration();
        environment.insert("cpu_seconds".into(), json!(cpu));
        let baseline = outcome.baseline.as_ref().map(|b| b.report.solver.cpu.integration());
        environment.insert("baseline_cpu_seconds".into(), json!(baseline));
        environment.insert("cpu".into(), outcome.cost.json());
    }
    Value::Object(record)
}

/// What is known of a run before its first step: the record of one that is killed.
pub fn head(job: &Job) -> Value {
    let origin = Origin { args: job.args, path: &job.path, shown: &job.shown, loaded: &job.loaded };
    let mut facts = Map::new();
    facts.insert("status".into(), json!("running"));
    facts.insert("parameters".into(), parameters(&job.loaded.parameters));
    let method = method(job.loaded.run.method);
    facts.insert("solver".into(), json!({ "rtol": job.loaded.run.rtol, "options": method }));
    Value::Object(analysis_record(&origin, facts))
}

/// The record of any analysis, from its facts.
pub fn analysis_record(origin: &Origin, facts: Map<String, Value>) -> Map<String, Value> {
    let mut record = Map::new();
    record.insert("gudgeon".into(), json!(env!("CARGO_PKG_VERSION")));
    record.extend(facts);
    let name = &origin.loaded.model.name;
    record.insert("model".into(), json!({ "name": name, "files": files(origin) }));
    record.insert("warnings".into(), with_short_names(origin, record.get("warnings")));
    record.insert("overrides".into(), overrides(&origin.args.overrides()));
    record.insert("environment".into(), environment(origin));
    record
}

/// Names relative to the folder of the model, so that the record does not depend on where it lies.
fn short_name(job: &Origin, name: &str) -> String {
    let folder = job.path.parent().unwrap_or(Path::new(""));
    Path::new(name).strip_prefix(folder).map_or(name.into(), |short| short.display().to_string())
}

fn files(job: &Origin) -> Vec<Value> {
    let files = job.loaded.files.iter();
    files.map(|(name, text)| json!({ "name": short_name(job, name), "text": text })).collect()
}

fn with_short_names(job: &Origin, warnings: Option<&Value>) -> Value {
    let mut warnings = warnings.cloned().unwrap_or_default();
    for warning in warnings.as_array_mut().into_iter().flatten() {
        let short = warning["file"].as_str().map(|file| short_name(job, file));
        if let Some(short) = short {
            warning["file"] = json!(short);
        }
    }
    warnings
}

fn overrides(overrides: &Overrides) -> Value {
    let set: Map<String, Value> =
        overrides.set.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let law = |(joint, law): &(Option<String>, String)| json!({ "joint": joint, "law": law });
    json!({
        "set": set,
        "ideal": overrides.ideal,
        "law": overrides.law.iter().map(law).collect::<Vec<_>>(),
        "until": overrides.until,
        "measure_from": overrides.measure_from,
        "plot_range": overrides.plot_range,
        "rtol": overrides.rtol,
    })
}

fn method(method: Method) -> Value {
    match method {
        Method::Auto => json!({ "method": "auto" }),
        Method::Dop853 => json!({ "method": "dop853" }),
        Method::Dopri5 => json!({ "method": "dopri5" }),
        Method::Rk4 { step, alpha, beta } => {
            json!({ "method": "rk4", "step": step, "alpha": alpha, "beta": beta })
        }
        Method::GeneralizedAlpha { rho, index, step } => {
            let index = number(index);
            json!({ "method": "generalized-alpha", "rho": rho, "index": index, "step": step })
        }
        Method::Hht { alpha, index, step } => {
            json!({ "method": "hht", "alpha": alpha, "index": number(index), "step": step })
        }
        Method::Newmark { beta, gamma, index, step } => {
            let index = number(index);
            json!({ "method": "newmark", "beta": beta, "gamma": gamma, "index": index, "step": step })
        }
        Method::Radau5 { step } => json!({ "method": "radau5", "step": step }),
        Method::Bdf { step } => json!({ "method": "bdf", "step": step }),
    }
}

fn number(index: Index) -> u8 {
    match index {
        Index::Two => 2,
        Index::Three => 3,
    }
}

/// Everything that may differ between two runs of the same file.
fn environment(job: &Origin) -> Value {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    json!({
        "date": utc(seconds),
        "arguments": arguments,
        "model": job.path.display().to_string(),
        "result": job.shown.display().to_string(),
        "jobs": job.args.jobs,
        "threads": std::thread::available_parallelism().map_or(1, usize::from),
        "system": std::env::consts::OS,
        "processor": std::env::consts::ARCH,
    })
}

/// Seconds since 1970 as date and time of day, UTC. Days to date as in Hinnant, `civil_from_days`.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day + 2) / 153;
    let day = day - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + 400 * era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(utc(1_798_761_599), "2026-12-31T23:59:59Z");
    }
}
