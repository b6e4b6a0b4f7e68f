//! Vectors, directions and matrices from the nodes of a file.
//!
//! A vector has two components in planar models and three in spatial ones; here it always has
//! three, and z is zero in the plane.

use std::ops::Range;

use gudgeon::model::Space;
use nalgebra::Vector3;

use crate::diagnostic::Diagnostic;
use crate::keys::Kind;
use crate::reader::{At, Context, Reader, wrong_kind};
use crate::source::Span;
use crate::tree::{Node, Value};
use crate::units::Dimension;
use crate::values::{Piece, quantity, quantity_of};

impl Reader<'_> {
    pub fn vector(&self, cx: &mut Context<'_>, key: &str) -> Option<At<Vector3<f64>>> {
        let node = self.get(key)?;
        let value = match self.kind(key)? {
            Kind::Vector(dimension) => vector(cx, key, node, dimension),
            Kind::Triple(dimension) => triple(cx, key, node, dimension),
            _ => None,
        }?;
        Some(At { value, span: node.span })
    }

    /// A direction; in space its length is one.
    pub fn axis(&self, cx: &mut Context<'_>, key: &str) -> Option<Vector3<f64>> {
        axis(cx, key, self.get(key)?)
    }
}

/// A component of a vector: part of a text or an element of a list.
#[derive(Clone, Copy)]
enum Component<'n> {
    Piece(Piece<'n>),
    Node(&'n Node),
}

impl<'n> Component<'n> {
    /// Its text, or the value of another kind.
    fn text(self) -> Result<Piece<'n>, &'n Node> {
        match self {
            Self::Piece(piece) => Ok(piece),
            Self::Node(node) => node.as_text().map(|text| Piece::whole(node, text)).ok_or(node),
        }
    }

    fn quantity(self, cx: &mut Context<'_>, key: &str, dimension: Dimension) -> Option<f64> {
        match self {
            Self::Piece(piece) => quantity_of(cx, key, piece, dimension),
            Self::Node(node) => quantity(cx, key, node, dimension),
        }
    }
}

/// Splits `"a, b"` or `[a, b]`; every component may be an expression of its own.
fn components<'n>(
    cx: &mut Context<'_>,
    key: &str,
    node: &'n Node,
    wanted: &str,
) -> Option<Vec<Component<'n>>> {
    match &node.value {
        Value::Text { text, .. } => Some(pieces(Piece::whole(node, text))),
        Value::List(nodes) => Some(nodes.iter().map(Component::Node).collect()),
        _ => {
            wrong_kind(cx, &format!("`{key}`"), node, wanted);
            None
        }
    }
}

fn pieces(whole: Piece<'_>) -> Vec<Component<'_>> {
    split(whole.text).into_iter().map(|range| Component::Piece(whole.within(range))).collect()
}

/// The parts of a text between commas that stand in no bracket and in no quotes.
pub(crate) fn split(text: &str) -> Vec<Range<usize>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut quote: Option<char> = None;
    for (i, c) in text.char_indices() {
        if let Some(open) = quote {
            quote = Some(open).filter(|open| *open != c);
            continue;
        }
        match c {
            '"' | '\'' if text[i + 1..].contains(c) => quote = Some(c),
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(start..i);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(start..text.len());
    parts
}

/// As many components as the space has directions.
fn check_count(cx: &mut Context<'_>, key: &str, span: Span, given: usize) -> Option<()> {
    let (wanted, message) = match cx.space {
        Space::Planar => (2, format!("`{key}` takes two components in a planar model, x and y")),
        Space::Spatial => {
            (3, format!("`{key}` takes three components in a spatial model, x, y and z"))
        }
    };
    if given == wanted {
        return Some(());
    }
    let diagnostic = Diagnostic::error("G0107", message).at(span, format!("{given} given"));
    cx.report(match (cx.space, given) {
        (Space::Planar, 3) => diagnostic.help("for a spatial model write `space = \"spatial\"`"),
        (Space::Spatial, 2) => diagnostic.help("add the third component, or `0`"),
        _ => diagnostic,
    });
    None
}

const EXAMPLES: [&str; 2] =
    ["two values such as \"60 mm, 0\"", "three values such as \"60 mm, 0, 0\""];

/// The components of a vector in the model's space.
fn counted<'n>(cx: &mut Context<'_>, key: &str, node: &'n Node) -> Option<Vec<Component<'n>>> {
    let components = components(cx, key, node, EXAMPLES[usize::from(cx.is_spatial())])?;
    check_count(cx, key, node.span, components.len())?;
    Some(components)
}

pub(crate) fn vector(
    cx: &mut Context<'_>,
    key: &str,
    node: &Node,
    dimension: Dimension,
) -> Option<Vector3<f64>> {
    let components = counted(cx, key, node)?;
    evaluated(cx, key, &components, dimension)
}

fn evaluated(
    cx: &mut Context<'_>,
    key: &str,
    components: &[Component<'_>],
    dimension: Dimension,
) -> Option<Vector3<f64>> {
    let values: Vec<Option<f64>> =
        components.iter().map(|component| component.quantity(cx, key, dimension)).collect();
    let value = |i: usize| values.get(i).copied().unwrap_or(Some(0.0));
    Some(Vector3::new(value(0)?, value(1)?, value(2)?))
}

/// Three values, whatever the space.
pub(crate) fn triple(
    cx: &mut Context<'_>,
    key: &str,
    node: &Node,
    dimension: Dimension,
) -> Option<Vector3<f64>> {
    let [x, y, z] = numbers::<3>(cx, key, node, dimension)?;
    Some(Vector3::new(x, y, z))
}

/// Exactly `N` values, as a text with commas or a list.
pub(crate) fn numbers<const N: usize>(
    cx: &mut Context<'_>,
    key: &str,
    node: &Node,
    dimension: Dimension,
) -> Option<[f64; N]> {
    let components = components(cx, key, node, &format!("{N} values, with commas or in a list"))?;
    if components.len() != N {
        let message = format!("`{key}` takes {N} values");
        let label = format!("{} given", components.len());
        let help = format!("write {N} values with commas between them, or a list of {N}");
        cx.report(Diagnostic::error("G0107", message).at(node.span, label).help(help));
        return None;
    }
    let values: Vec<Option<f64>> =
        components.iter().map(|component| component.quantity(cx, key, dimension)).collect();
    let values: Option<Vec<f64>> = values.into_iter().collect();
    values?.try_into().ok()
}

/// The components of a vector of functions: texts, or values of another kind.
pub(crate) fn function_pieces<'n>(
    cx: &mut Context<'_>,
    key: &str,
    node: &'n Node,
) -> Option<Vec<Result<Piece<'n>, &'n Node>>> {
    Some(counted(cx, key, node)?.into_iter().map(Component::text).collect())
}

/// Exactly `count` values that may be functions: texts, or values of another kind.
pub(crate) fn function_parts<'n>(
    cx: &mut Context<'_>,
    key: &str,
    node: &'n Node,
    count: usize,
) -> Option<Vec<Result<Piece<'n>, &'n Node>>> {
    let parts = match (&node.value, count) {
        (Value::Number { .. }, 1) => vec![Component::Node(node)],
        _ => components(cx, key, node, &format!("{count} values, with commas or in a list"))?,
    };
    if parts.len() != count {
        let plural = if count == 1 { "" } else { "s" };
        let message = format!("`{key}` takes {count} value{plural} here");
        let label = format!("{} given", parts.len());
        cx.report(Diagnostic::error("G0107", message).at(node.span, label));
        return None;
    }
    Some(parts.into_iter().map(Component::text).collect())
}

/// A direction from `"x"`, `"-z"` or a vector of numbers; in space its length is one.
pub(crate) fn axis(cx: &mut Context<'_>, key: &str, node: &Node) -> Option<Vector3<f64>> {
    match &node.value {
        Value::Text { text, .. } => axis_of(cx, key, Piece::whole(node, text)),
        _ => {
            let vector = vector(cx, key, node, Dimension::NUMBER)?;
            unit(cx, key, vector, node.span)
        }
    }
}

/// The same from a part of a text.
pub(crate) fn axis_of(cx: &mut Context<'_>, key: &str, piece: Piece<'_>) -> Option<Vector3<f64>> {
    if !piece.text.contains(',') {
        return direction(cx, key, piece.text.trim(), piece.whole_span());
    }
    let components = pieces(piece);
    check_count(cx, key, piece.whole_span(), components.len())?;
    let vector = evaluated(cx, key, &components, Dimension::NUMBER)?;
    unit(cx, key, vector, piece.whole_span())
}

fn unit(cx: &mut Context<'_>, key: &str, vector: Vector3<f64>, span: Span) -> Option<Vector3<f64>> {
    // Lengths of huge and tiny vectors are out of range unless they are scaled first.
    let scaled = vector / vector.amax();
    if vector.amax() > 0.0 && scaled.norm().is_finite() {
        // In the plane only the angle counts, which rounding need not touch.
        return Some(if cx.is_spatial() { scaled.normalize() } else { vector });
    }
    let message = format!("the direction of `{key}` cannot be zero");
    let help = "write an axis such as \"x\", or a vector of any length but zero";
    cx.report(Diagnostic::error("G0111", message).at(span, "zero vector").help(help));
    None
}

/// A unit vector from `x`, `-x`, `y` and so on; z only in space.
pub(crate) fn direction(
    cx: &mut Context<'_>,
    key: &str,
    text: &str,
    span: Span,
) -> Option<Vector3<f64>> {
    let (sign, letter) = match text.strip_prefix('-') {
        Some(letter) => (-1.0, letter),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    match (letter, cx.space) {
        ("x", _) => Some(Vector3::x() * sign),
        ("y", _) => Some(Vector3::y() * sign),
        ("z", Space::Spatial) => Some(Vector3::z() * sign),
        (_, space) => {
            let (place, help) = match space {
                Space::Planar => (" in the plane", "use `x`, `-x`, `y` or `-y`"),
                Space::Spatial => ("", "use `x`, `y` or `z`, with `-` if need be, or a vector"),
            };
            let message = format!("`{text}` is no direction{place}");
            let diagnostic =
                Diagnostic::error("G0111", message).at(span, format!("direction of `{key}`"));
            cx.report(diagnostic.help(help));
            None
        }
    }
}

/// Reads values with `separator` between them, such as `"15 mm x 10 mm"`.
pub(crate) fn parts(
    cx: &mut Context<'_>,
    key: &str,
    node: &Node,
    separator: &str,
    dimension: Dimension,
) -> Option<Vec<Option<At<f64>>>> {
    let text = crate::reader::text(cx, key, node)?.value;
    let whole = Piece::whole(node, text);
    let mut start = 0;
    let pieces = text.split(separator).map(|part| {
        let piece = whole.within(start..start + part.len());
        start += part.len() + separator.len();
        piece
    });
    let values = pieces.map(|piece| {
        let value = quantity_of(cx, key, piece, dimension)?;
        Some(At { value, span: piece.whole_span() })
    });
    Some(values.collect())
}

/// The parts of a text before and after a word, such as ` along ` in `"9.81 m/s^2 along -y"`.
pub(crate) fn around<'n>(node: &'n Node, word: &str) -> Option<(Piece<'n>, Piece<'n>)> {
    let text = node.as_text()?;
    let at = text.find(word)?;
    let whole = Piece::whole(node, text);
    Some((whole.within(0..at), whole.within(at + word.len()..text.len())))
}
