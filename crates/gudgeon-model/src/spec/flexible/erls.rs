//! `method = "erls"`: links on an equivalent rigid-link system, and which elastic coordinates are zeroed.

use gudgeon::flexible::{Erls, Method, NodeFreedom, Virtual};

use crate::diagnostic::Diagnostic;
use crate::reader::{Context, Reader, list, text};
use crate::source::Span;
use crate::tree::Node;

/// Keys that only links on an equivalent rigid-link system have.
pub(super) const OWN: &[&str] = &["zeroed", "coriolis", "centrifugal", "virtual"];
pub(super) const VIRTUAL: &[&str] = &["truncated", "exact"];
pub(super) const AUTO: &[&str] = &["auto"];

/// More than six rigid motions no link has.
const MOST: usize = 6;

pub(super) fn read(cx: &mut Context<'_>, reader: &Reader<'_>, elements: usize) -> Option<Method> {
    if cx.links.is_none() {
        let why = "only for `method = \"ancf\"`";
        reader.refuse(cx, "G0427", &["element", "elasticity"], why);
        let why = "only for `method = \"rfem\"`: finite elements stretch in any case";
        reader.refuse(cx, "G0427", &["tension"], why);
        let why =
            "only for `method = \"floating\"`: the equivalent rigid system is what links move with";
        reader.refuse(cx, "G0427", &["reference", "stiffening", "modes"], why);
    }
    let mut flag = |key: &str, otherwise: bool| match reader.get(key) {
        Some(_) => reader.flag(cx, key),
        None => Some(otherwise),
    };
    let (shear, coriolis) = (flag("shear", false), flag("coriolis", true));
    let centrifugal = flag("centrifugal", true);
    let virtual_terms = match reader.get("virtual") {
        Some(_) => reader.choice(cx, "virtual").map(|word| match word.value {
            "exact" => Virtual::Exact,
            _ => Virtual::Truncated,
        }),
        None => Some(Virtual::Truncated),
    };
    let zeroed = zeroed(cx, reader, elements);
    Some(Method::Erls(Erls {
        shear: shear?,
        coriolis: coriolis?,
        centrifugal: centrifugal?,
        virtual_terms: virtual_terms?,
        zeroed: zeroed?,
    }))
}

/// The list of a link; none where the choice is automatic.
fn zeroed(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    elements: usize,
) -> Option<Option<[Option<NodeFreedom>; MOST]>> {
    let Some(node) = reader.get("zeroed") else { return Some(None) };
    if node.as_text().is_some() {
        return reader.choice(cx, "zeroed").map(|_| None);
    }
    let nodes = list(cx, "zeroed", node)?;
    let found: Vec<_> = nodes.iter().map(|node| one(cx, reader, node, elements)).collect();
    let found: Vec<NodeFreedom> = found.into_iter().collect::<Option<_>>()?;
    if found.len() > MOST {
        wrong(cx, reader, node.span, "a link has at most six");
        return None;
    }
    let mut out = [None; MOST];
    out.iter_mut().zip(found).for_each(|(out, found)| *out = Some(found));
    Some(Some(out))
}

/// A node and a direction: `to.y`, `from.rz`, `2.x`.
fn one(cx: &mut Context<'_>, reader: &Reader<'_>, node: &Node, last: usize) -> Option<NodeFreedom> {
    let word = text(cx, "zeroed", node)?;
    let parts = word.value.split_once('.');
    let place = parts.and_then(|(place, _)| match place {
        "from" => Some(0),
        "to" => Some(last),
        number => number.parse().ok(),
    });
    let direction = parts.map(|(_, direction)| direction);
    let freedom = NodeFreedom::DIRECTIONS.iter().position(|word| Some(*word) == direction);
    let in_plane = |freedom: &usize| cx.is_spatial() || [0, 1, 5].contains(freedom);
    match (place, freedom) {
        (Some(node), Some(_)) if node > last => {
            let label = format!("nodes are numbered from 0 to {last}");
            wrong(cx, reader, word.span, &label);
            None
        }
        (Some(_), Some(freedom)) if !in_plane(&freedom) => {
            wrong(cx, reader, word.span, "there is no such displacement in the plane");
            None
        }
        (Some(node), Some(freedom)) => Some(NodeFreedom { node, freedom }),
        _ => {
            wrong(cx, reader, word.span, "not a node and a direction");
            None
        }
    }
}

fn wrong(cx: &mut Context<'_>, reader: &Reader<'_>, span: Span, label: &str) {
    let message = format!("`zeroed` of {} names elastic coordinates of its nodes", reader.owner);
    let diagnostic = Diagnostic::error("G0430", message).at(span, label.to_owned());
    cx.report(diagnostic.help(
        "write a node, `from`, `to` or its number, and a direction in section axes, x, y, z or a turn rx, ry, rz: `zeroed = [\"to.y\"]`; or `\"auto\"`",
    ));
}
