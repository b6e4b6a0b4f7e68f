//! The sections of a model file: their keys, and readers that turn tables into plain values.
//!
//! Readers check one table at a time; references between tables are resolved in `build`.

pub(crate) mod axes;
pub(crate) mod bodies;
pub(crate) mod clearances;
pub(crate) mod contacts;
pub(crate) mod coordinates;
pub(crate) mod dh;
pub(crate) mod drivers;
pub(crate) mod films;
pub(crate) mod flexible;
pub(crate) mod forces;
pub(crate) mod frictions;
pub(crate) mod inertias;
pub(crate) mod joints;
pub(crate) mod laws;
pub(crate) mod model;
pub(crate) mod outputs;
pub mod parameters;
pub mod run;
pub(crate) mod shapes;
pub(crate) mod solids;
pub(crate) mod start;

use std::collections::HashMap;

use crate::diagnostic::Diagnostic;
use crate::expr;
use crate::keys::{Keys, Kind, optional, required};
use crate::reader::{Context, Reader, entries};
use crate::source::Span;
use crate::tree::{Name, Node, Table, Value};

/// The version of the format that this program reads.
pub(crate) const FORMAT: f64 = 1.0;

/// The key that says what numbers without unit mean in a file, and its word.
pub(crate) const NUMBERS: &str = "numbers";
pub(crate) const SI: &str = "SI";

pub(crate) const ROOT: Keys = Keys {
    about: "a mechanism and how to run it",
    keys: &[
        required("format", Kind::Count, "version of the file format; write `format = 1`"),
        optional(
            NUMBERS,
            Kind::Choice(&[SI]),
            "write `\"SI\"` where numbers without unit are SI throughout this file",
        ),
        optional("use", Kind::Text, "another model file whose tables this one extends"),
        optional("model", Kind::Table(&model::MODEL), "name, space and gravity"),
        optional("parameters", parameters::PARAMETERS, "named values for expressions and `--set`"),
        optional(
            "bodies",
            Kind::Named(&Kind::Table(&bodies::BODY)),
            "the links; `ground` is fixed",
        ),
        optional("joints", Kind::Named(&Kind::Table(&joints::JOINT)), "how bodies are connected"),
        optional("drivers", Kind::Named(&Kind::Table(&drivers::DRIVER)), "prescribed motions"),
        optional("forces", Kind::Named(&Kind::Tagged(&forces::FORCE)), "loads, springs, dampers"),
        optional("start", start::START, "rough initial pose and velocity of bodies"),
        optional("outputs", outputs::OUTPUTS, "named outputs by formula"),
        optional("run", Kind::Table(&run::RUN), "how long to run and what to report"),
    ],
};

/// The content of a file, section by section.
pub(crate) struct Spec<'t> {
    pub model: model::ModelSpec,
    pub bodies: Vec<bodies::BodySpec>,
    pub joints: Vec<joints::JointSpec<'t>>,
    pub drivers: Vec<drivers::DriverSpec<'t>>,
    pub forces: Vec<forces::ForceSpec<'t>>,
    pub start: start::StartSpec,
    pub outputs: Vec<outputs::OutputSpec<'t>>,
    pub run: Option<Reader<'t>>,
}

/// Reads every section of a merged file.
pub(crate) fn read<'t>(cx: &mut Context<'_>, root: &'t Node, place: Span) -> Option<Spec<'t>> {
    if let Some((name, _)) = root.as_table().and_then(|table| table.entry("study")) {
        let diagnostic = Diagnostic::error("G0010", "this is a study, not a model")
            .at(name.span, "only studies have this section")
            .help("run it with `gudgeon study`; `gudgeon study --check` reads it without running");
        cx.report(diagnostic);
        return None;
    }
    let reader = Reader::open(cx, "the file", place, root, &ROOT)?;
    check_format(cx, &reader);
    reader.choice(cx, NUMBERS);
    reader.text(cx, "use");
    let model = model::read(cx, &reader);
    if analysis_word(&reader) == Some("ked") {
        // The vibration has elements of its own.
        cx.links = Some("rigid");
    }
    let tables = entries(cx, "`bodies`", reader.get("bodies"));
    let bodies = bodies::read(cx, tables);
    let tables = entries(cx, "`joints`", reader.get("joints"));
    let joints = joints::read(cx, tables);
    let tables = entries(cx, "`drivers`", reader.get("drivers"));
    let drivers = drivers::read(cx, tables);
    let tables = entries(cx, "`forces`", reader.get("forces"));
    let forces = forces::read(cx, tables);
    let tables = entries(cx, "`outputs`", reader.get("outputs"));
    let outputs = outputs::read(cx, tables);
    check_unique(cx, (&bodies, &joints, &drivers, &forces), &outputs);
    let tables = entries(cx, "`start`", reader.get("start"));
    let start = start::read(cx, tables, &bodies, &joints);
    let run = reader
        .entry("run")
        .and_then(|(name, node)| Reader::open(cx, "`[run]`", name.span, node, &run::RUN));
    Some(Spec { model, bodies, joints, drivers, forces, start, outputs, run })
}

/// The word of `run.analysis`, rightly or wrongly.
fn analysis_word<'t>(root: &Reader<'t>) -> Option<&'t str> {
    root.get("run")?.as_table()?.get("analysis")?.as_text()
}

/// The table of parameters in a merged file; its kind is checked with the other sections.
pub(crate) fn parameter_table(root: &Table) -> Option<&Table> {
    root.get("parameters").and_then(Node::as_table)
}

pub fn check_format(cx: &mut Context<'_>, reader: &Reader<'_>) {
    let Some(node) = reader.get("format") else { return };
    if !matches!(node.value, Value::Number { value, .. } if value == FORMAT) {
        let diagnostic = Diagnostic::error("G0009", "this format is not known")
            .at(node.span, "expected 1")
            .help("write `format = 1`");
        cx.report(diagnostic);
    }
}

/// The name of a parameter, which stands alone in expressions, is letters, digits and `_`, and no word
/// that they know; `proposal` is one that is free.
pub fn check_name(cx: &mut Context<'_>, name: &Name, proposal: impl FnOnce() -> String) {
    if check_letters(cx, name) {
        refuse_reserved(cx, name, expr::reserved(&name.text), proposal);
    }
}

/// The name of a body, joint, driver or force, of which outputs and expressions write `NAME.OUTPUT`:
/// it may be that of a unit or a function.
pub(crate) fn check_owner(cx: &mut Context<'_>, kind: &str, name: &Name) {
    if check_letters(cx, name) {
        let proposal = || format!("{}_{kind}", name.text);
        refuse_reserved(cx, name, expr::reserved_before_dot(&name.text), proposal);
    }
}

fn refuse_reserved(
    cx: &mut Context<'_>,
    name: &Name,
    why: Option<&str>,
    proposal: impl FnOnce() -> String,
) {
    let why = match name.text.as_str() {
        "system" => Some("the owner of the outputs of the whole mechanism"),
        _ => why,
    };
    if let Some(why) = why {
        let message = format!("`{}` is reserved: it is {why}", name.text);
        let diagnostic = Diagnostic::error("G0109", message).at(name.span, "choose another name");
        cx.report(diagnostic.help(format!("call it `{}`, for example", proposal())));
    }
}

/// Whether a name is letters, digits and `_`; if not, that is reported.
pub fn check_letters(cx: &mut Context<'_>, name: &Name) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.text.is_empty() || !name.text.chars().all(legal) {
        let diagnostic = Diagnostic::error("G0108", format!("`{}` is no name", name.text))
            .at(name.span, "not allowed")
            .help("use letters, digits and `_`");
        cx.report(diagnostic);
        return false;
    }
    true
}

/// Bodies, joints, drivers and forces share one space of names, because outputs start with them.
fn check_unique(
    cx: &mut Context<'_>,
    (bodies, joints, drivers, forces): (
        &[bodies::BodySpec],
        &[joints::JointSpec<'_>],
        &[drivers::DriverSpec<'_>],
        &[forces::ForceSpec<'_>],
    ),
    outputs: &[outputs::OutputSpec<'_>],
) {
    let names = (bodies.iter().map(|body| (&body.name, "body")))
        .chain(joints.iter().map(|joint| (&joint.name, "joint")))
        .chain(drivers.iter().map(|driver| (&driver.name, "driver")))
        .chain(forces.iter().map(|force| (&force.name, "force")))
        .chain(outputs.iter().map(|output| (output.name, "output")));
    let mut seen: HashMap<&str, (Span, &str)> = HashMap::new();
    for (name, kind) in names {
        if let Some((first, other)) = seen.get(name.text.as_str()) {
            let message = format!("{kind} `{}` has the name of a {other}", name.text);
            let owners = match kind {
                "output" => "bodies, joints, drivers, forces and outputs",
                _ => "bodies, joints, drivers and forces",
            };
            let diagnostic = Diagnostic::error("G0110", message)
                .at(name.span, "used again")
                .also(*first, "used here")
                .help(format!("names are shared by {owners}; rename one"));
            cx.report(diagnostic);
            continue;
        }
        seen.insert(&name.text, (name.span, kind));
    }
}
