//! What is right, but perhaps not what was meant: bodies connected to nothing, runs without outputs.

use gudgeon::model::{BodyId, ForceKind, MarkerId, Model};
use gudgeon::sensor::catalogue;

use crate::diagnostic::Diagnostic;
use crate::load::Loaded;
use crate::run::Analysis;
use crate::source::Span;

/// Adds the notes about a model that can be run; `run` is where its section `[run]` starts.
pub(crate) fn add(loaded: &mut Loaded, run: Option<Span>) {
    let loose: Vec<String> = unconnected(&loaded.model)
        .into_iter()
        .map(|body| loaded.model.bodies[body.0].name.clone())
        .collect();
    for name in loose {
        let note = Diagnostic::note("G0407", format!("body `{name}` is connected to nothing"))
            .help("connect it by a joint in `[joints]`, or remove it; without one it moves freely");
        loaded.warnings.push(match loaded.place(&name) {
            Some(span) => note.at(span, "no joint and no force acts on it"),
            None => note,
        });
    }
    if loaded.run.outputs.is_empty() && loaded.analysis == Analysis::Motion {
        let outputs = catalogue(&loaded.model);
        let example = outputs.first().map_or("body.position.x", |output| &output.name[..]);
        let note = Diagnostic::note("G0916", "the run reports no outputs").help(format!(
            "add a list such as `outputs = [\"{example}\"]` to `[run]`; `gudgeon check MODEL --outputs` shows all there are",
        ));
        loaded.warnings.push(match run {
            Some(span) => note.at(span, "no `outputs` given"),
            None => note,
        });
    }
}

/// Bodies on which neither joints nor forces act.
fn unconnected(model: &Model) -> Vec<BodyId> {
    let mut held = vec![false; model.bodies.len()];
    held[BodyId::GROUND.0] = true;
    let mut hold = |marker: MarkerId| held[model.markers[marker.0].body.0] = true;
    for joint in &model.joints {
        hold(joint.a);
        hold(joint.b);
    }
    for force in &model.forces {
        match &force.kind {
            ForceKind::Point { at, .. } => hold(*at),
            ForceKind::Distributed { at, .. } => at.iter().for_each(|(at, _)| hold(*at)),
            ForceKind::Torque { on: a, against: b, .. }
            | ForceKind::Spring { a, b, .. }
            | ForceKind::TorsionSpring { a, b, .. }
            | ForceKind::Bushing { a, b, .. } => {
                hold(*a);
                hold(*b);
            }
        }
    }
    (0..held.len()).filter(|&body| !held[body]).map(BodyId).collect()
}
