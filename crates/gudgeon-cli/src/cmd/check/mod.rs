//! `gudgeon check`: read and assemble, and say what there is.

mod text;

use gudgeon::assembly::{Assembly, BodyPose, Lock, Requested, StartTilt, foresee};
use gudgeon::model::{Model, Space};
use gudgeon::results::Warning;
use gudgeon::sensor::{Sensor, catalogue};
use gudgeon::simulate::of_start;
use gudgeon_model::Loaded;
use serde_json::{Value, json};

use super::model;
use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::json as facts;
use crate::refusal::findings;
use crate::terminal::Terminal;

/// Checks a model and gives the exit code.
pub fn check(args: &CheckArgs, terminal: &Terminal) -> Exit {
    let read = model::file(&args.model.model)
        .and_then(|path| model::assembled(&path, &args.model.overrides()));
    let (loaded, assembly) = match read {
        Ok(read) => read,
        Err(refusal) => return refusal.report(terminal),
    };
    terminal.tell_findings(&loaded.warnings, &loaded.sources);
    let foresight = foresee(&loaded.model, loaded.run.latest_end());
    let warnings = [of_start(&assembly), foresight.warnings()].concat();
    terminal.say(&text::text(args, &loaded, &assembly, &warnings, terminal.paint()));
    let mut answer = answer(args, &loaded, &assembly, &warnings);
    if let Some(followed) = foresight.followed {
        answer["ideal_motion"] = ideal_motion(followed, foresight.lock.as_ref());
    }
    terminal.answer(&answer);
    Exit::Done
}

/// How far the ideal mechanism was followed, and where it locks.
fn ideal_motion(followed: f64, lock: Option<&Lock>) -> Value {
    let locks = lock.map(|lock| {
        json!({
            "t": lock.time,
            "driver": lock.driver,
            "position": lock.position,
            "unit": lock.unit,
        })
    });
    json!({ "followed_to": followed, "locks": locks })
}

fn answer(args: &CheckArgs, loaded: &Loaded, assembly: &Assembly, found: &[Warning]) -> Value {
    let model = &loaded.model;
    let poses = assembly.poses();
    let mut warnings = findings(&loaded.sources, &loaded.warnings, None);
    warnings.extend(found.iter().map(facts::warning));
    let mut answer = json!({
        "status": Exit::Done.status(),
        "model": {
            "name": model.name,
            "bodies": model.bodies.len() - 1,
            "joints": model.joints.len(),
            "drivers": model.drivers.len(),
            "forces": model.forces.len(),
        },
        "parameters": facts::parameters(&loaded.parameters),
        "assembly": facts::assembly(assembly),
        "pose": poses.iter().map(|p| pose(model, p)).collect::<Vec<_>>(),
        "warnings": warnings,
    });
    let departures = assembly.departures();
    if !departures.is_empty() {
        answer["start"] = departures.iter().map(request).collect();
    }
    let tilts = assembly.tilts();
    if !tilts.is_empty() {
        let one = |t: &StartTilt| json!({ "joint": model.joints[t.joint.0].name, "tilt": t.tilt, "limit": t.limit });
        answer["tilts"] = tilts.iter().map(one).collect();
    }
    if args.outputs {
        let one = |s: &Sensor| {
            let mut output = json!({ "name": s.name, "unit": s.unit, "about": s.about });
            facts::mark_unique(&mut output, s.is_unique(assembly));
            output
        };
        answer["outputs"] = catalogue(model).iter().map(one).collect();
    }
    answer
}

/// A request of `[start]` that was not met.
fn request(request: &Requested) -> Value {
    json!({
        "name": request.owner,
        "quantity": request.quantity.name(),
        "unit": request.quantity.unit(),
        "requested": request.requested,
        "assembled": request.assembled,
        "difference": request.difference,
    })
}

fn pose(model: &Model, pose: &BodyPose) -> Value {
    let (name, p) = (&model.bodies[pose.body].name, &pose.frame.p);
    match model.space {
        Space::Planar => json!({ "name": name, "x": p.x, "y": p.y, "angle": pose.turn.z }),
        Space::Spatial => json!({
            "name": name,
            "x": p.x,
            "y": p.y,
            "z": p.z,
            "turn": { "angle": pose.turn.norm(), "axis": axis(pose) },
            "quaternion": pose.quaternion,
        }),
    }
}

/// Axis of the rotation, z where there is none.
fn axis(pose: &BodyPose) -> [f64; 3] {
    let angle = pose.turn.norm();
    if angle > 0.0 { (pose.turn / angle).into() } else { [0.0, 0.0, 1.0] }
}
