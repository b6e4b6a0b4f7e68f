//! `[joints]`: how bodies are connected, ideal or with play.

use gudgeon::model::{Clearance, JointKind};

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, optional, required};
use crate::reader::{At, Context, Reader, list, text};
use crate::spec::check_name;
use crate::spec::clearances::{self, CLEARANCE};
use crate::spec::frictions::{self, FRICTION};
use crate::spec::model::direction;
use crate::tree::{Name, Node, Value};
use crate::units::Dimension;
use crate::values;

const TYPES: &[&str] = &["revolute", "prismatic", "fixed", "point-on-line"];

pub(crate) const BETWEEN: Kind = Kind::List(&Kind::Text);

pub(crate) const JOINT: Keys = Keys {
    about: "a joint between two frames",
    keys: &[
        required("type", Kind::Choice(TYPES), "revolute, prismatic, fixed or point-on-line"),
        required(
            "between",
            BETWEEN,
            "two frames as [\"body.frame\", \"body.frame\"], bearing first",
        ),
        optional("about", Kind::Text, "a description"),
        optional("axis", Kind::Choice(&["z"]), "axis of a revolute joint; z in the plane"),
        optional(
            "along",
            Kind::Either(&[Kind::Choice(&["x", "-x", "y", "-y"]), Kind::Vector(Dimension::NUMBER)]),
            "sliding direction in the first frame; x unless given",
        ),
        optional("clearance", Kind::Table(&CLEARANCE), "play between journal and bearing"),
        optional("friction", Kind::Tagged(&FRICTION), "friction of the contact"),
        optional("film", Kind::Later, "lubricant films come later"),
    ],
};

#[derive(Debug)]
pub(crate) struct JointSpec<'t> {
    pub name: Name,
    pub kind: Option<JointKind>,
    pub between: Option<[At<&'t str>; 2]>,
    /// Angle of the sliding direction in the first frame.
    pub along: f64,
    pub clearance: Option<Clearance>,
    /// Whether the file gives a clearance table, readable or not.
    pub loose: bool,
}

pub(crate) fn read<'t>(cx: &mut Context<'_>, joints: &'t [(Name, Node)]) -> Vec<JointSpec<'t>> {
    joints.iter().map(|(name, node)| joint(cx, name, node)).collect()
}

fn joint<'t>(cx: &mut Context<'_>, name: &Name, node: &'t Node) -> JointSpec<'t> {
    check_name(cx, name);
    let mut joint = JointSpec {
        name: name.clone(),
        kind: None,
        between: None,
        along: 0.0,
        clearance: None,
        loose: false,
    };
    let owner = format!("joint `{}`", name.text);
    let Some(reader) = Reader::open(cx, &owner, name.span, node, &JOINT) else { return joint };
    reader.text(cx, "about");
    reader.choice(cx, "axis");
    joint.kind = reader.choice(cx, "type").map(|kind| match kind.value {
        "revolute" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        "fixed" => JointKind::Fixed,
        _ => JointKind::PointOnLine,
    });
    joint.between = reader.get("between").and_then(|node| between(cx, node));
    joint.along = along(cx, &reader, joint.kind).unwrap_or(0.0);
    play(cx, &reader, &mut joint);
    joint
}

/// Two references to frames.
pub(crate) fn between<'t>(cx: &mut Context<'_>, node: &'t Node) -> Option<[At<&'t str>; 2]> {
    let nodes = list(cx, "between", node)?;
    let [a, b] = nodes else {
        let message = "`between` takes two frames";
        let label = format!("{} given", nodes.len());
        cx.report(Diagnostic::error("G0107", message).at(node.span, label));
        return None;
    };
    let (a, b) = (text(cx, "between", a), text(cx, "between", b));
    Some([a?, b?])
}

fn along(cx: &mut Context<'_>, reader: &Reader<'_>, kind: Option<JointKind>) -> Option<f64> {
    let (key, node) = reader.entry("along")?;
    if matches!(kind, Some(JointKind::Revolute | JointKind::Fixed)) {
        let message = format!("{} does not slide", reader.owner);
        let diagnostic = Diagnostic::error("G0509", message)
            .at(key.span, "only for prismatic and point-on-line joints")
            .help("remove `along`, or change `type`");
        cx.report(diagnostic);
        return None;
    }
    let [x, y] = match &node.value {
        Value::Text { text, .. } if !text.contains(',') => {
            direction(cx, "along", text.trim(), node.span)?
        }
        _ => values::vector(cx, "along", node, Dimension::NUMBER)?,
    };
    if x == 0.0 && y == 0.0 {
        let message = "`along` is a direction and cannot be zero";
        cx.report(Diagnostic::error("G0111", message).at(node.span, "zero vector"));
        return None;
    }
    Some(y.atan2(x))
}

/// Reads `clearance` and `friction`, which belong together in this version.
fn play(cx: &mut Context<'_>, reader: &Reader<'_>, joint: &mut JointSpec<'_>) {
    if cx.ideal.contains(&joint.name.text) {
        joint.loose = reader.get("clearance").is_some();
        return;
    }
    let friction =
        reader.entry("friction").map(|(key, node)| (key, frictions::read(cx, key, node)));
    let Some((key, node)) = reader.entry("clearance") else {
        if let Some((key, _)) = friction {
            let message = format!("friction of {} needs a `clearance` table", reader.owner);
            let diagnostic = Diagnostic::error("G0510", message)
                .at(key.span, "friction in ideal joints is not in this version")
                .help("add a `clearance` table, or remove `friction`");
            cx.report(diagnostic);
        }
        return;
    };
    joint.loose = true;
    if !matches!(joint.kind, None | Some(JointKind::Revolute)) {
        let message = format!("{} cannot have clearance", reader.owner);
        let diagnostic = Diagnostic::error("G0508", message)
            .at(key.span, "only revolute joints have clearance in this version")
            .help("remove the `clearance` table, or write `type = \"revolute\"`");
        cx.report(diagnostic);
    }
    joint.clearance = clearances::read(cx, &joint.name, key, node)
        .map(|clearance| Clearance { friction: friction.and_then(|(_, law)| law), ..clearance });
}
