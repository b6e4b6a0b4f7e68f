//! A run as a record, once for scripts (`--json`) and once for its folder (`run.json`).
//!
//! Both are made of the same facts. What differs between two runs of one file (dates, times of the
//! processor, paths) is kept out of the facts: the answer adds it where scripts expect it, the
//! file in the one object `environment`.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use gudgeon::results::{RunReport, Status as Ended};
use gudgeon::run::{Index, Method};
use gudgeon_model::{Loaded, Overrides, ResolvedParameter};
use gudgeon_output::record::{
    self, Assembly, Baseline, Certificate, Contact, DataText, Drift, Energy, Ensemble, Environment,
    Extreme, FORMAT, Field, FileText, Film, Flexible, Impact, Journal, Ked, LawOverride, Mistake,
    ModelText, Named, Parameter, RunHead, RunRecord, Solver, SolverHead, Status, Taken, VERSION,
    Warning, Window, last_values,
};
use gudgeon_study::store::Fingerprint;
use serde_json::{Value, json};

use super::{Cut, RunJob, RunOutcome};
use crate::refusal::findings;

/// Where a record comes from.
pub(crate) struct Origin<'a> {
    pub path: &'a Path,
    pub overrides: &'a Overrides,
    pub loaded: &'a Loaded,
    pub shown: &'a Path,
    pub arguments: &'a [String],
    pub jobs: usize,
}

impl RunJob {
    fn origin<'a>(&'a self, shown: &'a Path, arguments: &'a [String]) -> Origin<'a> {
        Origin {
            path: &self.source.path,
            overrides: &self.overrides,
            loaded: &self.loaded,
            shown,
            arguments,
            jobs: self.options.jobs,
        }
    }

    /// What is known of the run before its first step: the record of one that is killed.
    pub(super) fn head(&self, shown: &Path, arguments: &[String]) -> RunHead {
        let origin = self.origin(shown, arguments);
        RunHead {
            format: FORMAT,
            gudgeon: VERSION.to_owned(),
            status: Status::Running,
            parameters: parameters(&self.loaded.parameters),
            solver: SolverHead {
                rtol: self.loaded.run.rtol,
                options: method(self.loaded.run.method),
            },
            model: origin.model(),
            warnings: origin.with_short_names(warnings(&self.loaded)),
            overrides: origin.overrides(),
            environment: origin.environment(),
        }
    }
}

impl RunOutcome {
    /// Everything that is the same for every run of the same file.
    pub fn record(&self, job: &RunJob) -> RunRecord {
        let RunReport {
            status: _,
            ended,
            extremes,
            impacts,
            contacts,
            journals,
            films,
            flexible,
            fields,
            energy,
            drift,
            solver,
            final_time: _,
            final_values: _,
            window,
            warnings: found,
            ked,
        } = &self.report;
        let (model, outputs) = (&job.loaded.model, &job.loaded.run.outputs);
        let unique: Vec<bool> = outputs.iter().map(|o| o.is_unique(&job.assembly)).collect();
        let mut warnings = warnings(&job.loaded);
        warnings.extend(found.iter().chain(&self.notes).map(Warning::from));
        let certificate = self.certificate.as_ref().map(Certificate::new);
        let ensemble = self.ensemble.as_ref().map(|e| Ensemble::new(e, job.options.seed));
        RunRecord {
            format: None,
            gudgeon: None,
            status: self.status(),
            error: self.mistake(),
            ended_by: ended.map(|end| end.name().to_owned()),
            model: ModelText { name: model.name.clone(), ..ModelText::default() },
            parameters: parameters(&job.loaded.parameters),
            extremes: Extreme::all(extremes, &unique),
            baseline: self.baseline.as_ref().map(|baseline| Baseline {
                extremes: Extreme::all(&baseline.report.extremes, &baseline.unique),
                last: last_values(&baseline.report),
                solver: Solver::new(&baseline.report.solver),
            }),
            window: Window { from: window.0, to: window.1 },
            impacts: impacts.iter().map(|impact| Impact::new(model, impact)).collect(),
            contacts: contacts.iter().map(|one| Contact::new(&self.report, one)).collect(),
            journals: journals.iter().map(Journal::new).collect(),
            films: films.iter().map(Film::new).collect(),
            flexible: flexible.iter().map(Flexible::new).collect(),
            ked: ked.as_ref().map(Ked::new),
            fields: fields.iter().map(Field::new).collect(),
            energy: Energy::new(energy),
            drift: Drift { position: drift.position, velocity: drift.velocity },
            solver: Solver { coordinates: taken(&job.loaded), ..Solver::new(solver) },
            last: last_values(&self.report),
            ensemble,
            certificate,
            assembly: Assembly::new(&job.assembly),
            warnings,
            overrides: None,
            environment: None,
            cpu: None,
            result: None,
            kept: None,
            files: None,
            errors: Vec::new(),
        }
    }

    /// `run.json`.
    pub fn file_record(&self, job: &RunJob, shown: &Path, arguments: &[String]) -> RunRecord {
        let origin = job.origin(shown, arguments);
        let mut record = self.record(job);
        record.format = Some(FORMAT);
        record.gudgeon = Some(VERSION.to_owned());
        record.model = origin.model();
        record.warnings = origin.with_short_names(record.warnings);
        record.solver.options = Some(method(job.loaded.run.method));
        record.overrides = Some(origin.overrides());
        let cpu = |report: &RunReport| report.solver.cpu.integration();
        record.environment = Some(Environment {
            cpu_seconds: Some(cpu(&self.report)),
            baseline_cpu_seconds: Some(self.baseline.as_ref().map(|b| cpu(&b.report))),
            cpu: Some(self.cost.record()),
            ..origin.environment()
        });
        record
    }

    /// The object of `--json`.
    pub fn answer(&self, job: &RunJob) -> RunRecord {
        let mut answer = self.record(job);
        let cpu = |report: &RunReport| Some(report.solver.cpu.integration());
        answer.solver.cpu_seconds = cpu(&self.report);
        if let (Some(told), Some(baseline)) = (&mut answer.baseline, &self.baseline) {
            told.solver.cpu_seconds = cpu(&baseline.report);
        }
        answer.cpu = Some(self.cost.record());
        answer.result = self.folder.as_ref().map(|folder| folder.display().to_string());
        answer.kept = self.folder.as_ref().map(|folder| self.kept.record(folder));
        answer
    }

    fn mistake(&self) -> Option<Mistake> {
        if let Some(error) = &self.error {
            return Some(Mistake {
                t: Some(self.report.final_time),
                message: error.to_string(),
                cause: None,
                help: Some(error.help()),
            });
        }
        match &self.report.status {
            Ended::Failed(error) => Some(Mistake {
                t: Some(error.time),
                message: error.to_string(),
                cause: Some(error.cause.to_string()),
                help: Some(error.help.to_string()),
            }),
            Ended::Done | Ended::Interrupted => self.failed_beside().map(|cut| Mistake {
                t: Some(self.report.final_time),
                message: cut.message(),
                cause: Some(cut.cause()),
                help: Some(Cut::HELP.to_owned()),
            }),
        }
    }
}

/// Data files up to this size travel with the record as they are.
const KEPT_TEXT: usize = 1 << 20;

/// A data file in a record.
pub(crate) fn data_text(name: String, text: &str) -> DataText {
    let fnv1a = format!("{:016x}", Fingerprint::new().bytes(text.as_bytes()).value());
    let kept = (text.len() <= KEPT_TEXT).then(|| text.to_owned());
    DataText { name, bytes: text.len(), text: kept, fnv1a }
}

impl Origin<'_> {
    /// Names relative to the folder of the model, so that the record does not depend on where it lies.
    fn short_name(&self, name: &str) -> String {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        Path::new(name)
            .strip_prefix(folder)
            .map_or(name.into(), |short| short.display().to_string())
    }

    pub fn model(&self) -> ModelText {
        let file = |(name, text): &(String, String)| FileText {
            name: self.short_name(name),
            text: text.clone(),
        };
        let files = self.loaded.files.iter().map(file).collect();
        let data = self.loaded.data().map(|(name, text)| data_text(self.short_name(name), text));
        ModelText { name: self.loaded.model.name.clone(), files, data: data.collect() }
    }

    pub fn with_short_names(&self, mut warnings: Vec<Warning>) -> Vec<Warning> {
        for warning in &mut warnings {
            if let Warning::File(finding) = warning {
                finding.file = finding.file.as_deref().map(|file| self.short_name(file));
            }
        }
        warnings
    }

    pub fn overrides(&self) -> record::Overrides {
        let of_run: Vec<(String, String)> = self
            .overrides
            .of_run()
            .map(|(_, key, value)| (format!("run.{key}"), value.to_owned()))
            .collect();
        let Overrides {
            set,
            ideal,
            frictionless,
            law,
            until,
            measure_from,
            plot_range,
            rtol,
            method: _,
            every: _,
            time_limit: _,
            max_steps: _,
        } = self.overrides.clone();
        let one = |(joint, law)| LawOverride { joint, law };
        record::Overrides {
            set: set.into_iter().chain(of_run).collect(),
            ideal,
            frictionless: frictionless
                .into_iter()
                .map(|joint| joint.unwrap_or("*".into()))
                .collect(),
            law: law.into_iter().map(one).collect(),
            until,
            measure_from,
            plot_range,
            rtol,
        }
    }

    /// Everything that may differ between two runs of the same file.
    pub fn environment(&self) -> Environment {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        Environment {
            date: utc(seconds),
            arguments: self.arguments.to_vec(),
            model: self.path.display().to_string(),
            result: self.shown.display().to_string(),
            jobs: self.jobs,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            system: std::env::consts::OS.to_owned(),
            processor: std::env::consts::ARCH.to_owned(),
            cpu_seconds: None,
            baseline_cpu_seconds: None,
            cpu: None,
        }
    }
}

pub(crate) fn parameters(parameters: &[ResolvedParameter]) -> Named<Parameter> {
    let one = |parameter: &ResolvedParameter| {
        let ResolvedParameter { name, value, unit, about } = parameter.clone();
        (name, Parameter { value, unit, about })
    };
    parameters.iter().map(one).collect()
}

/// Warnings about the file.
pub(crate) fn warnings(loaded: &Loaded) -> Vec<Warning> {
    let found = findings(&loaded.sources, &loaded.warnings, None);
    found.into_iter().map(Warning::File).collect()
}

/// What `coordinates = "auto"` took.
pub(crate) fn taken(loaded: &Loaded) -> Option<Taken> {
    let choice = loaded.choice.as_ref()?;
    Some(Taken { coordinates: choice.word().to_owned(), reason: choice.reason() })
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
        Method::Bdf { index: Index::Two, step } => json!({ "method": "bdf", "step": step }),
        Method::Bdf { index, step } => {
            json!({ "method": "bdf", "index": number(index), "step": step })
        }
    }
}

fn number(index: Index) -> u8 {
    match index {
        Index::Two => 2,
        Index::Three => 3,
    }
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
