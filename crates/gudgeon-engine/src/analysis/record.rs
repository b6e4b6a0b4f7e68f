//! Analyses as records.

use std::path::Path;

use gudgeon::equilibrium::{PathReport, StaticReport};
use gudgeon::modal::{ModalReport, Mode, ResponseReport};
use gudgeon::sensor::Sensor;
use gudgeon_output::record::{
    self, AnalysisPoint, AnalysisRecord, BodyMotion, Extreme, FORMAT, Mistake, ModeRecord,
    ModelText, Named, Number, Row, Status, VERSION, Varied,
};

use super::{AnalysisJob, AnalysisOutcome, Found, ModalPoint};
use crate::run::{Origin, parameters, warnings};

impl AnalysisJob {
    /// `run.json`.
    pub(super) fn file_record(
        &self,
        outcome: &AnalysisOutcome,
        shown: &Path,
        arguments: &[String],
    ) -> AnalysisRecord {
        let origin = Origin {
            path: &self.source.path,
            overrides: &self.overrides,
            loaded: &self.loaded,
            shown,
            arguments,
            jobs: self.jobs,
        };
        let record = self.record(outcome);
        AnalysisRecord {
            format: Some(FORMAT),
            gudgeon: Some(VERSION.to_owned()),
            model: origin.model(),
            warnings: origin.with_short_names(record.warnings),
            overrides: Some(origin.overrides()),
            environment: Some(origin.environment()),
            ..record
        }
    }

    /// What is the same for every analysis of the same file.
    pub(super) fn record(&self, outcome: &AnalysisOutcome) -> AnalysisRecord {
        let status = outcome.status();
        let mut told = warnings(&self.loaded);
        told.extend(outcome.found.warnings().iter().map(record::Warning::from));
        let mut record = AnalysisRecord {
            status,
            error: outcome.found.failure().filter(|_| status == Status::Failed),
            analysis: self.loaded.analysis.name().to_owned(),
            about: self.about().to_owned(),
            model: ModelText { name: self.loaded.model.name.clone(), ..ModelText::default() },
            parameters: parameters(&self.loaded.parameters),
            vary: self.vary().map(|vary| Varied {
                parameter: vary.parameter.clone(),
                unit: self.unit(vary).to_owned(),
            }),
            warnings: told,
            ..AnalysisRecord::default()
        };
        self.fill(&outcome.found, &mut record);
        record
    }

    fn fill(&self, found: &Found, record: &mut AnalysisRecord) {
        let outputs = &self.loaded.run.outputs[..];
        match found {
            Found::Rest(Ok(report)) => rest(report, outputs, record),
            Found::Path(Ok(report)) => path(report, outputs, record),
            Found::Modes(Ok(report)) => {
                record.modes = Some(report.modes.iter().map(|one| mode(one, None)).collect());
                state(report, record);
            }
            Found::Varied(varied) => {
                record.points = varied.points.iter().map(modal_point).collect();
                record.stability_limit = varied.stability_limit;
                let reports = varied.points.iter().find_map(|point| point.found.as_ref().ok());
                if let Some(report) = reports {
                    state(report, record);
                    record.stable = None;
                }
            }
            Found::Response(Ok(report)) => response(report, outputs, record),
            Found::Rest(Err(_)) | Found::Path(Err(_)) => {}
            Found::Modes(Err(_)) | Found::Response(Err(_)) => {}
        }
    }
}

fn rows(dependent: &[(String, &'static str)]) -> Vec<Row> {
    let row = |(owner, row): &(String, &'static str)| Row {
        owner: owner.clone(),
        row: (*row).to_owned(),
    };
    dependent.iter().map(row).collect()
}

fn state(report: &ModalReport, record: &mut AnalysisRecord) {
    record.stable = report.stable;
    record.mobility = Some(report.mobility);
    record.dependent = rows(&report.dependent);
    if report.frozen {
        record.about = "frozen".to_owned();
    }
}

/// Extremes of an output over some places, with where they are.
fn extreme(sensor: &Sensor, values: &[(f64, f64)]) -> (String, Extreme) {
    let pick = |better: fn(f64, f64) -> bool, size: fn(f64) -> f64| {
        values.iter().fold((f64::NAN, f64::NAN), |most, &(at, x)| {
            if most.1.is_nan() || better(size(x), size(most.1)) { (at, x) } else { most }
        })
    };
    let own: fn(f64) -> f64 = |x| x;
    let (low, high) = (pick(|a, b| a < b, own), pick(|a, b| a > b, own));
    let largest = pick(|a, b| a > b, f64::abs);
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|(_, x)| x).sum::<f64>() / count;
    let rms = (values.iter().map(|(_, x)| x * x).sum::<f64>() / count).sqrt();
    let record = Extreme {
        unit: sensor.unit.to_string(),
        min: low.1,
        t_min: low.0,
        max: high.1,
        t_max: high.0,
        abs_max: largest.1.abs(),
        t_abs_max: largest.0,
        rms,
        mean,
        ..Extreme::default()
    };
    (sensor.name.clone(), record)
}

fn rest(report: &StaticReport, outputs: &[Sensor], record: &mut AnalysisRecord) {
    record.stable = report.stable;
    record.mobility = Some(report.mobility);
    record.dependent = rows(&report.dependent);
    let pairs = || outputs.iter().zip(&report.outputs);
    record.extremes = pairs().map(|(sensor, x)| extreme(sensor, &[(0.0, *x)])).collect();
    let values = pairs().map(|(sensor, x)| (sensor.name.clone(), Number(*x)));
    record.last = std::iter::once(("t".to_owned(), Number(0.0))).chain(values).collect();
}

fn named(outputs: &[Sensor], values: &[f64]) -> Named<Number> {
    outputs.iter().zip(values).map(|(sensor, x)| (sensor.name.clone(), Number(*x))).collect()
}

fn path(report: &PathReport, outputs: &[Sensor], record: &mut AnalysisRecord) {
    let told = report.points.iter().filter(|(point, _)| point.requested || point.limit);
    record.points = told
        .map(|(point, values)| AnalysisPoint {
            value: Some(point.value),
            stable: point.stable,
            limit: point.limit,
            outputs: named(outputs, values),
            ..AnalysisPoint::default()
        })
        .collect();
    for (i, sensor) in outputs.iter().enumerate() {
        let values: Vec<(f64, f64)> =
            report.points.iter().map(|(point, values)| (point.value, values[i])).collect();
        record.extremes.0.push(extreme(sensor, &values));
    }
    if let Some((point, values)) = report.points.last() {
        record.stable = point.stable;
        let first = std::iter::once(("t".to_owned(), Number(0.0)));
        record.last = first.chain(named(outputs, values).0).collect();
    }
}

fn mode(mode: &Mode, track: Option<usize>) -> ModeRecord {
    let shape = mode.bodies.iter().map(|body| {
        let motion = BodyMotion { translation: body.translation, rotation: body.rotation };
        (body.body.clone(), motion)
    });
    ModeRecord {
        frequency: mode.frequency,
        damping_ratio: mode.damping_ratio,
        eigenvalue: mode.eigenvalue,
        track: track.map(|track| track + 1),
        strain: mode.strain.iter().cloned().collect(),
        kinetic: mode.kinetic.iter().cloned().collect(),
        shape: shape.collect(),
    }
}

fn modal_point(point: &ModalPoint) -> AnalysisPoint {
    let found = point.found.as_ref();
    let modes = found.ok().map(|report| {
        let pairs = report.modes.iter().zip(&point.tracks);
        pairs.map(|(one, track)| mode(one, Some(*track))).collect()
    });
    let mistake = |error: &gudgeon::modal::ModalError| Mistake {
        message: error.to_string(),
        help: Some(error.help().to_owned()),
        ..Mistake::default()
    };
    AnalysisPoint {
        value: Some(point.value),
        stable: found.ok().and_then(|report| report.stable),
        modes,
        error: found.err().map(mistake),
        ..AnalysisPoint::default()
    }
}

fn response(report: &ResponseReport, outputs: &[Sensor], record: &mut AnalysisRecord) {
    let values = named(outputs, &report.mean).0;
    record.last = std::iter::once(("t".to_owned(), Number(0.0))).chain(values).collect();
    if report.frozen {
        record.about = "frozen".to_owned();
    }
    for point in &report.points {
        let polar = |[re, im]: [f64; 2]| [Number(re.hypot(im)), Number(im.atan2(re))];
        let pairs = outputs.iter().zip(&point.outputs);
        record.points.push(AnalysisPoint {
            frequency: Some(point.frequency),
            response: pairs.map(|(sensor, z)| (sensor.name.clone(), polar(*z))).collect(),
            ..AnalysisPoint::default()
        });
    }
}
