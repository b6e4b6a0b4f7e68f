//! `analysis = "bearing"`: journals at rest in their films, once or for every value of a parameter.

mod picture;
mod quantities;
mod text;

use std::path::{Path, PathBuf};

use gudgeon::bearing::{Bearing, BearingError, BearingReport, analyse};
use gudgeon::cpu;
use gudgeon::model::Model;
use gudgeon::progress::Progress;
use gudgeon::results::{FieldReport, Warning};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Analysis, Loaded, Overrides, Vary};
use gudgeon_output::{Committed, OutputError, ResultFolder};
use serde_json::{Map, Value, json as object};

use crate::args::RunArgs;
use crate::cmd::model;
use crate::cmd::run::tell_repairs;
use crate::execute::Kept;
use crate::exit::Exit;
use crate::fields;
use crate::json::{self, Origin};
use crate::refusal::{Refusal, findings};
use crate::terminal::Terminal;

/// An analysis that can start.
struct Job<'a> {
    args: &'a RunArgs,
    path: &'a Path,
    shown: PathBuf,
    loaded: &'a Loaded,
}

/// The analysis at one value of the parameter, or at the model as it is.
struct Point {
    /// In SI units.
    value: Option<f64>,
    found: Result<BearingReport, BearingError>,
}

impl Point {
    /// None where the user has cancelled it.
    fn of(value: Option<f64>, found: Result<BearingReport, BearingError>) -> Option<Point> {
        (!matches!(found, Err(BearingError::Cancelled))).then_some(Point { value, found })
    }
}

/// Runs the analysis of a model and gives the exit code.
pub fn run(args: &RunArgs, path: &Path, loaded: &Loaded, terminal: &Terminal) -> Exit {
    terminal.interrupt().leave_to_work();
    let (job, folder) = match prepare(args, path, loaded) {
        Ok(prepared) => prepared,
        Err(refusal) => return refusal.report(terminal),
    };
    tell_repairs(&folder, terminal);
    terminal.tell_findings(&loaded.warnings, &loaded.sources);
    let points = match job.points(terminal) {
        Ok(points) => points,
        Err(refusal) => return refusal.report(terminal),
    };
    let exit = exit_of(&points, terminal);
    let killed = folder.repairs().iter().find_map(|repair| repair.killed().cloned());
    let saved = job.save(folder, &points, exit);
    let complete = saved.as_ref().ok().and_then(|committed| committed.complete.clone());
    terminal.say(&text::text(&job, &points, saved.as_ref().ok(), terminal.paint()));
    terminal.tell(&text::failures(&job, &points, saved.as_ref().err(), terminal.error_paint()));
    let exit = if saved.is_err() { Exit::Failed } else { exit };
    let mut answer = job.facts(&points, exit);
    answer.insert("result".into(), object!(job.shown.display().to_string()));
    if let Some(error) = saved.as_ref().err() {
        let error = object!({ "message": error.to_string(), "help": error.help() });
        answer.insert("error".into(), error);
    }
    answer.insert("kept".into(), json::kept(&job.shown, &Kept { complete, killed }));
    terminal.answer(&Value::Object(answer));
    exit
}

fn prepare<'a>(
    args: &'a RunArgs,
    path: &'a Path,
    loaded: &'a Loaded,
) -> Result<(Job<'a>, ResultFolder), Refusal> {
    for (given, flag) in [(args.ensemble.is_some(), "--ensemble"), (args.certify, "--certify")] {
        if given {
            let message = format!("`{flag}` belongs to motion, not to a bearing analysis");
            let help = "leave it out, or `--set run.analysis=motion`";
            return Err(Refusal::new(Diagnostic::error("G1105", message).help(help)).about(path));
        }
    }
    let default = || ResultFolder::default_path(&model::short_name(path));
    let shown = args.out.clone().unwrap_or_else(default);
    let folder = ResultFolder::prepare(&shown)?;
    Ok((Job { args, path, shown, loaded }, folder))
}

/// Single values without a rest are told; an analysis without any has failed.
fn exit_of(points: &[Point], terminal: &Terminal) -> Exit {
    match points.iter().any(|point| point.found.is_ok()) {
        _ if terminal.interrupt().is_cancelled() => Exit::Interrupted,
        true => Exit::Done,
        false => Exit::Failed,
    }
}

impl Job<'_> {
    fn vary(&self) -> Option<&Vary> {
        match &self.loaded.analysis {
            Analysis::Bearing(vary) => vary.as_ref(),
            Analysis::Motion => None,
        }
    }

    /// All values; every one is a model of its own.
    fn points(&self, terminal: &Terminal) -> Result<Vec<Point>, Refusal> {
        let Some(vary) = self.vary() else {
            let found = self.analyse(&self.loaded.model, terminal.interrupt());
            return Ok(Point::of(None, found).into_iter().collect());
        };
        let watch = terminal.watch("bearing");
        let mut points = Vec::new();
        for (i, value) in vary.values.iter().enumerate() {
            watch.report(i as f64 / vary.values.len() as f64);
            let mut overrides: Overrides = self.args.overrides();
            overrides.set.push((vary.parameter.clone(), format!("{value:e}")));
            let loaded = model::load(self.path, &overrides)?;
            let found = self.analyse(&loaded.model, &watch);
            let Some(point) = Point::of(Some(*value), found) else { break };
            points.push(point);
        }
        Ok(points)
    }

    /// One analysis with what is left of the time limit, which all of them share.
    fn analyse(
        &self,
        model: &Model,
        progress: &dyn Progress,
    ) -> Result<BearingReport, BearingError> {
        analyse(model, self.loaded.run.limits.after(cpu::process_seconds()), progress)
    }

    fn save(
        &self,
        folder: ResultFolder,
        points: &[Point],
        exit: Exit,
    ) -> Result<Committed, OutputError> {
        folder.write("bearing.csv", &quantities::csv(self, points))?;
        if let [Point { value: None, found: Ok(report) }] = points {
            let title = format!("{} at rest", self.loaded.model.name);
            fields::write(&folder, &title, &report.bearings.iter().map(field).collect::<Vec<_>>())?;
        }
        for (name, picture) in picture::all(self, points) {
            folder.write(&name, &picture)?;
        }
        let origin =
            Origin { args: self.args, path: self.path, shown: &self.shown, loaded: self.loaded };
        let facts = self.facts(points, exit);
        folder.commit(&Value::Object(json::analysis_record(&origin, facts)))
    }

    /// What is the same for every analysis of the same file.
    fn facts(&self, points: &[Point], exit: Exit) -> Map<String, Value> {
        let mut out = Map::new();
        let mut put = |key: &str, value: Value| out.insert(key.to_owned(), value);
        put("status", object!(exit.status()));
        let failed = points.iter().find_map(|point| point.found.as_ref().err());
        if let Some(error) = failed.filter(|_| exit == Exit::Failed) {
            put("error", object!({ "message": error.to_string(), "help": error.help() }));
        }
        put("analysis", object!("bearing"));
        put("model", object!({ "name": self.loaded.model.name }));
        put("parameters", json::parameters(&self.loaded.parameters));
        if let Some(vary) = self.vary() {
            put("vary", object!({ "parameter": vary.parameter, "unit": self.unit(vary) }));
        }
        put("points", points.iter().map(point).collect());
        let mut warnings = findings(&self.loaded.sources, &self.loaded.warnings, None);
        warnings.extend(self.warnings(points).iter().map(json::warning));
        put("warnings", object!(warnings));
        out
    }

    /// SI unit of the parameter.
    fn unit(&self, vary: &Vary) -> &str {
        let known = self.loaded.parameters.iter().find(|known| known.name == vary.parameter);
        known.map_or("", |known| &known.unit)
    }

    /// Remarks of all points, each at the first value where it appears.
    fn warnings(&self, points: &[Point]) -> Vec<Warning> {
        let mut out: Vec<Warning> = Vec::new();
        for point in points {
            for warning in point.found.iter().flat_map(|report| &report.warnings) {
                let known =
                    |other: &Warning| (other.code, &other.joint) == (warning.code, &warning.joint);
                if !out.iter().any(known) {
                    let mut warning = warning.clone();
                    if let Some((vary, value)) = self.vary().zip(point.value) {
                        let value = text::value(vary, value, self.unit(vary));
                        warning.message =
                            format!("{} (at {} {value})", warning.message, vary.parameter);
                    }
                    out.push(warning);
                }
            }
        }
        out
    }
}

fn field(bearing: &Bearing) -> FieldReport {
    FieldReport {
        joint: bearing.joint,
        name: bearing.name.clone(),
        t: 0.0,
        thinnest: false,
        film: bearing.film.clone(),
        peak: bearing.peak,
    }
}

fn point(point: &Point) -> Value {
    let mut out = Map::new();
    if let Some(value) = point.value {
        out.insert("value".into(), object!(value));
    }
    match &point.found {
        Ok(report) => {
            let one = |bearing| Value::Object(quantities::object(bearing));
            out.insert("bearings".into(), report.bearings.iter().map(one).collect());
        }
        Err(error) => {
            let error = object!({ "message": error.to_string(), "help": error.help() });
            out.insert("error".into(), error);
        }
    }
    Value::Object(out)
}
