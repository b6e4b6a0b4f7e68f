//! The parts of a report as JSON.

use gudgeon::assembly::{Assembly, RowName};
use gudgeon::certify::{Certificate, Reference};
use gudgeon::ensemble::{EnsembleReport, Spread};
use gudgeon::model::Model;
use gudgeon::results::{
    ContactReport, Extreme, FieldReport, FilmReport, Impact, JournalReport, Ledger, LedgerKind,
    RunReport, SolverReport, Statistics, Status, Warning,
};
use gudgeon_model::ResolvedParameter;
use serde_json::{Map, Value, json};

use crate::cmd::run::Job;
use crate::execute::{Baseline, Outcome};
use crate::reactions;
use crate::refusal::findings;

/// An object with one entry per item.
fn object<T>(items: &[T], entry: impl Fn(&T) -> (String, Value)) -> Value {
    Value::Object(items.iter().map(entry).collect())
}

pub fn parameters(parameters: &[ResolvedParameter]) -> Value {
    object(parameters, |p| {
        (p.name.clone(), json!({ "value": p.value, "unit": p.unit, "about": p.about }))
    })
}

/// Extremes of the outputs, marked where a redundant loop leaves them undetermined.
pub fn extremes(extremes: &[Extreme], unique: &[bool]) -> Value {
    let entry = |(e, unique): (&Extreme, &bool)| {
        let (abs_max, t_abs_max) = e.abs_max();
        let mut value = json!({
            "unit": e.unit,
            "min": e.min,
            "t_min": e.t_min,
            "max": e.max,
            "t_max": e.t_max,
            "abs_max": abs_max,
            "t_abs_max": t_abs_max,
            "rms": e.rms,
            "mean": e.mean,
            "mean_error": e.mean_error,
            "rms_error": e.rms_error,
        });
        mark_unique(&mut value, *unique);
        (e.name.clone(), value)
    };
    Value::Object(extremes.iter().zip(unique).map(entry).collect())
}

/// Adds `"unique": false` to what the motion does not determine.
pub fn mark_unique(value: &mut Value, unique: bool) {
    if !unique {
        value["unique"] = json!(false);
    }
}

pub fn baseline(baseline: &Baseline) -> Value {
    let report = &baseline.report;
    json!({
        "extremes": extremes(&report.extremes, &baseline.unique),
        "final": last(report),
        "solver": solver(&report.solver),
    })
}

/// `loss` is all the energy the impact cost, `friction_loss` the part of it that friction took;
/// `spot` only where a joint has several.
pub fn impacts(model: &Model, impacts: &[Impact]) -> Value {
    let one = |impact: &Impact| {
        let mut one = json!({
            "joint": model.joints[impact.joint.0].name,
            "spot": impact.spot,
            "number": impact.number,
            "t": impact.t,
            "speed_in": impact.speed_in,
            "t_out": impact.t_out,
            "speed_out": impact.speed_out,
            "peak_force": impact.peak_force,
            "peak_depth": impact.peak_depth,
            "restitution": impact.restitution(),
            "loss": impact.loss + impact.friction_loss,
            "friction_loss": impact.friction_loss,
            "floored": impact.floored,
        });
        if let ("", Some(object)) = (impact.spot, one.as_object_mut()) {
            object.shift_remove("spot");
        }
        one
    };
    impacts.iter().map(one).collect()
}

pub fn contacts(report: &RunReport) -> Value {
    object(&report.contacts, |contact| {
        let restitution = restitution_range(report, contact);
        let value = json!({
            "impacts": contact.impacts,
            "floored_impacts": contact.floored_impacts,
            "contact_fraction": contact.contact_fraction,
            "longest_contact": contact.longest_contact,
            "max_depth": contact.max_depth,
            "max_rate_ratio": contact.max_rate_ratio,
            "max_impact_speed": contact.max_impact_speed,
            "restitution": restitution.map(|(min, max)| json!({ "min": min, "max": max })),
        });
        (contact.name.clone(), value)
    })
}

/// How thin films became over the whole run.
pub fn films(films: &[FilmReport]) -> Value {
    object(films, |film| {
        let value = json!({
            "thinnest": film.thinnest,
            "t": film.t,
            "angle": film.angle,
            "ratio": film.thinnest / film.clearance,
        });
        (film.name.clone(), value)
    })
}

/// Films at the instants asked for; their pressure all around is in `pressure.csv`.
pub fn fields(fields: &[FieldReport]) -> Value {
    let one = |field: &FieldReport| {
        let (peak, thinnest) = (&field.peak, field.film.thinnest());
        json!({
            "joint": field.name,
            "t": field.t,
            "thinnest": field.thinnest,
            "peak": { "pressure": peak.pressure, "angle": peak.angle, "place": peak.place },
            "film": {
                "thickness": thinnest.thickness,
                "angle": thinnest.angle,
                "place": thinnest.place,
            },
        })
    };
    fields.iter().map(one).collect()
}

/// How the journals of spatial joints lay in their bearings.
pub fn journals(journals: &[JournalReport]) -> Value {
    object(journals, |journal| {
        let [free, point, line, opposite] = journal.shares;
        let value = json!({
            "shares": { "free": free, "point": point, "line": line, "opposite": opposite },
            "max_misalignment": journal.max_misalignment,
            "left_bearing": journal.left_bearing,
        });
        (journal.name.clone(), value)
    })
}

/// Smallest and largest restitution achieved by the impacts of a spot that have ended.
pub fn restitution_range(report: &RunReport, contact: &ContactReport) -> Option<(f64, f64)> {
    let own = report
        .impacts
        .iter()
        .filter(|impact| (impact.joint, impact.spot) == (contact.joint, contact.spot));
    own.filter_map(Impact::restitution).fold(None, |range, e| match range {
        None => Some((e, e)),
        Some((min, max)) => Some((f64::min(min, e), f64::max(max, e))),
    })
}

pub fn energy(ledger: &Ledger) -> Value {
    let lines: Vec<Value> = ledger
        .lines
        .iter()
        .map(|line| json!({ "kind": kind(line.kind), "name": line.name, "value": line.value }))
        .collect();
    json!({
        "residual_relative": ledger.residual_relative(),
        "residual": ledger.residual,
        "residual_max": ledger.residual_max,
        "peak_kinetic": ledger.peak_kinetic,
        "lines": lines,
    })
}

fn kind(kind: LedgerKind) -> &'static str {
    match kind {
        LedgerKind::Kinetic => "kinetic",
        LedgerKind::Gravity => "gravity",
        LedgerKind::Spring => "spring",
        LedgerKind::Driver => "driver",
        LedgerKind::Force => "force",
        LedgerKind::ContactNormal => "contact_normal",
        LedgerKind::ContactFriction => "contact_friction",
        LedgerKind::FilmShear => "film_shear",
        LedgerKind::FilmPumping => "film_pumping",
        LedgerKind::Projection => "projection",
    }
}

pub fn solver(solver: &SolverReport) -> Value {
    let statistics = &solver.statistics;
    let mut value = json!({
        "method": solver.method,
        "reason": solver.reason,
        "rtol": solver.rtol,
        "steps": statistics.steps,
        "rejected": statistics.rejected,
        "faults": statistics.faults,
        "evaluations": statistics.evaluations,
        "projections": statistics.projections,
        "leaps": statistics.leaps,
        "events": statistics.events,
        "rows": solver.rows,
    });
    if statistics.iterations > 0 {
        value["newton"] = newton(statistics);
    }
    value
}

/// What the solution of implicit steps took, and why their matrix was factored.
fn newton(statistics: &Statistics) -> Value {
    let by = &statistics.factorisations;
    json!({
        "iterations": statistics.iterations,
        "tangents": statistics.tangents,
        "factorisations": {
            "total": by.total(),
            "first": by.first,
            "resized": by.resized,
            "moved": by.moved,
            "slow": by.slow,
            "restarted": by.restarted,
        },
    })
}

/// Time and outputs at the end.
pub fn last(report: &RunReport) -> Value {
    let mut last = Map::new();
    last.insert("t".into(), json!(report.final_time));
    for (extreme, value) in report.extremes.iter().zip(&report.final_values) {
        last.insert(extreme.name.clone(), json!(value));
    }
    Value::Object(last)
}

pub fn ensemble(report: &EnsembleReport, seed: u64) -> Value {
    let spread = |s: &Spread| json!({ "mean": s.mean, "std": s.std, "min": s.min, "max": s.max });
    let extremes = object(&report.extremes, |e| {
        let value = json!({
            "unit": e.unit,
            "abs_max": spread(&e.abs_max),
            "max": spread(&e.max),
            "min": spread(&e.min),
            "rms": spread(&e.rms),
        });
        (e.name.clone(), value)
    });
    let failures: Vec<Value> = report
        .failures
        .iter()
        .map(|(run, error)| json!({ "run": run, "t": error.time, "message": error.to_string() }))
        .collect();
    json!({
        "n": report.finished,
        "asked": report.runs,
        "seed": seed,
        "extremes": extremes,
        "failures": failures,
    })
}

pub fn certificate(certificate: &Certificate) -> Value {
    let outputs = object(&certificate.outputs, |o| {
        let value = json!({
            "extreme_digits": o.extreme_digits,
            "extreme_time_error": o.extreme_time_error,
            "mean_digits": o.mean_digits,
            "rms_digits": o.rms_digits,
            "digits": o.digits,
            "horizon": o.horizon,
            "whole_run": o.whole_run,
        });
        (o.name.clone(), value)
    });
    let [near, far] = &certificate.references;
    json!({
        "rtol": certificate.rtol,
        "reference_rtol": near.rtol,
        "second_reference_rtol": far.rtol,
        "complete": certificate.complete,
        "reached": certificate.reached,
        "references": [reference(near), reference(far)],
        "outputs": outputs,
    })
}

/// A run that a certificate rests on, and how far it came.
fn reference(reference: &Reference) -> Value {
    let (status, error) = match &reference.status {
        Status::Done => ("ok", None),
        Status::Interrupted => ("interrupted", None),
        Status::Failed(error) => ("failed", Some(error.to_string())),
    };
    let mut value = json!({
        "rtol": reference.rtol,
        "step_ratio": reference.step_ratio,
        "status": status,
        "t": reference.final_time,
        "cpu_seconds": reference.cpu_seconds,
    });
    if let Some(error) = error {
        value["error"] = json!(error);
    }
    value
}

pub fn assembly(assembly: &Assembly) -> Value {
    let report = &assembly.report;
    let rows = |rows: &[RowName]| -> Vec<Value> {
        rows.iter().map(|row| json!({ "owner": row.owner, "row": row.row })).collect()
    };
    let mut value = json!({
        "mobility": report.mobility,
        "ideal_mobility": report.ideal_mobility,
        "ideal_starts": report.ideal_starts,
        "coordinates": report.coordinates,
        "rows": report.rows,
        "redundant": rows(&report.redundant),
        "not_unique": rows(&report.not_unique),
    });
    let joints: Map<String, Value> = reactions::not_unique(assembly)
        .map(|(joint, outputs)| (joint.to_owned(), json!(outputs)))
        .collect();
    if !joints.is_empty() {
        value["not_unique_reactions"] = Value::Object(joints);
    }
    value
}

/// Warnings about the file first, then those of the run.
pub fn warnings(job: &Job, outcome: &Outcome) -> Value {
    let mut warnings = findings(&job.loaded.sources, &job.loaded.warnings, None);
    warnings.extend(outcome.report.warnings.iter().chain(&outcome.notes).map(warning));
    Value::Array(warnings)
}

pub fn warning(warning: &Warning) -> Value {
    json!({
        "code": warning.code,
        "joint": warning.joint,
        "message": warning.message,
        "help": warning.help,
    })
}
