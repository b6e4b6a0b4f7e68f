//! Bushings: stiffness and damping in all directions, by values or by matrices.
//!
//! In space there are six directions, along and about x, y, z; in the plane three: x, y and the angle. The
//! matrix of the mechanism always has six. Every entry may be a plain number (SI), a value with its unit,
//! or an expression of time and motion.

use gudgeon::model::{ForceKind, ForceParameter, Space};
use nalgebra::Matrix6;

use super::Builder;
use super::functions::Entry;
use crate::diagnostic::Diagnostic;
use crate::reader::{Context, Reader, wrong_kind};
use crate::source::Span;
use crate::spec::inertias::smallest_of_six;
use crate::tree::{Node, Value};
use crate::units::Dimension;
use crate::vectors::function_parts;

/// Part of the diagonal by which rounding may spoil a symmetric, positive semi-definite matrix.
const SLACK: f64 = 1e-9;

/// One matrix: its keys for values along and about the axes and for all of it, and what it relates.
struct Names {
    along: &'static str,
    about: &'static str,
    matrix: &'static str,
    entry: fn(usize, usize) -> ForceParameter,
    damping: bool,
}

const STIFFNESS: Names = Names {
    along: "stiffness",
    about: "torsion_stiffness",
    matrix: "stiffness_matrix",
    entry: ForceParameter::StiffnessEntry,
    damping: false,
};
const DAMPING: Names = Names {
    along: "damping",
    about: "torsion_damping",
    matrix: "damping_matrix",
    entry: ForceParameter::DampingEntry,
    damping: true,
};

impl Names {
    /// Dimension of an entry: force or torque over displacement or angle, or over their rates.
    fn dimension(&self, i: usize, j: usize) -> Dimension {
        let load = if i < 3 { Dimension::FORCE } else { Dimension::TORQUE };
        let moved = if j < 3 { Dimension::LENGTH } else { Dimension::ANGLE };
        let entry = load.checked_div(moved).unwrap_or(Dimension::NUMBER);
        match self.damping {
            true => entry.checked_mul(Dimension::TIME).unwrap_or(entry),
            false => entry,
        }
    }
}

/// Places of the directions of a space in the six of a mechanism.
fn directions(space: Space) -> &'static [usize] {
    match space {
        Space::Planar => &[0, 1, 5],
        Space::Spatial => &[0, 1, 2, 3, 4, 5],
    }
}

/// A matrix, and whether some of its entries change.
struct Read {
    matrix: Matrix6<f64>,
    changes: bool,
}

impl Builder<'_> {
    pub(super) fn bushing(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
    ) -> Option<ForceKind> {
        let ends = self.ends(cx, reader);
        let stiffness = self.bushing_matrix(cx, reader, &STIFFNESS);
        let damping = self.bushing_matrix(cx, reader, &DAMPING);
        let [a, b] = ends?;
        let (stiffness, damping) = (Box::new(stiffness?), Box::new(damping?));
        Some(ForceKind::Bushing { a, b, stiffness, damping })
    }

    fn bushing_matrix(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        names: &Names,
    ) -> Option<Matrix6<f64>> {
        let Some((key, node)) = reader.entry(names.matrix) else {
            return self.diagonal(cx, reader, names);
        };
        for name in [names.along, names.about] {
            reader.not_both(cx, name, names.matrix)?;
        }
        let Read { matrix, changes } = self.entries(cx, &reader.owner, names, node)?;
        if changes || !is_symmetric(&matrix) {
            return Some(matrix);
        }
        check(cx, &key.text, node.span, &matrix)?;
        Some(0.5 * (matrix + matrix.transpose()))
    }

    fn entries(
        &mut self,
        cx: &mut Context<'_>,
        owner: &str,
        names: &Names,
        node: &Node,
    ) -> Option<Read> {
        let (key, places) = (names.matrix, directions(cx.space));
        let n = places.len();
        let Value::List(rows) = &node.value else {
            wrong_kind(cx, &format!("`{key}`"), node, &format!("a list of {n} rows"));
            return None;
        };
        if rows.len() != n {
            let message = format!("`{key}` takes {n} rows of {n} numbers");
            let label = format!("{} rows given", rows.len());
            cx.report(Diagnostic::error("G0107", message).at(node.span, label));
            return None;
        }
        let mut read = Read { matrix: Matrix6::zeros(), changes: false };
        let mut complete = true;
        for (&i, row) in places.iter().zip(rows) {
            let Some(parts) = function_parts(cx, key, row, n) else {
                complete = false;
                continue;
            };
            for (&j, part) in places.iter().zip(parts) {
                // Plain numbers are SI.
                let dimension = match part {
                    Ok(_) => names.dimension(i, j),
                    Err(_) => Dimension::NUMBER,
                };
                match self.entry(cx, (key, owner), (names.entry)(i, j), part, dimension) {
                    Some(Entry::Given(value)) => read.matrix[(i, j)] = value,
                    Some(Entry::Changes) => read.changes = true,
                    None => complete = false,
                }
            }
        }
        complete.then_some(read)
    }

    fn diagonal(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        names: &Names,
    ) -> Option<Matrix6<f64>> {
        let (along, about) = directions(cx.space).split_at(cx.space.axes());
        let mut matrix = Matrix6::zeros();
        let mut complete = true;
        for (key, places) in [(names.along, along), (names.about, about)] {
            let Some(node) = reader.get(key) else {
                if !names.damping {
                    reader.needed(cx, key);
                    complete = false;
                }
                continue;
            };
            let Some(parts) = function_parts(cx, key, node, places.len()) else {
                complete = false;
                continue;
            };
            for (&i, part) in places.iter().zip(parts) {
                let (parameter, dimension) = ((names.entry)(i, i), names.dimension(i, i));
                match self.entry(cx, (key, &reader.owner), parameter, part, dimension) {
                    Some(Entry::Given(value)) if value < 0.0 => {
                        refuse_negative(cx, key, reader, node.span);
                        complete = false;
                        break;
                    }
                    Some(Entry::Given(value)) => matrix[(i, i)] = value,
                    Some(Entry::Changes) => {}
                    None => complete = false,
                }
            }
        }
        complete.then_some(matrix)
    }
}

fn refuse_negative(cx: &mut Context<'_>, key: &str, reader: &Reader<'_>, span: Span) {
    let message = format!("`{key}` of {} cannot be negative", reader.owner);
    cx.report(
        Diagnostic::error("G0701", message)
            .at(span, "negative")
            .help("give zero or positive values"),
    );
}

fn size(matrix: &Matrix6<f64>, i: usize) -> f64 {
    matrix[(i, i)].abs().sqrt()
}

/// Symmetric but for rounding.
fn is_symmetric(matrix: &Matrix6<f64>) -> bool {
    (0..6).all(|i| {
        (0..i).all(|j| {
            let (one, other) = (matrix[(i, j)], matrix[(j, i)]);
            let scale = one.abs().max(other.abs()).max(size(matrix, i) * size(matrix, j));
            (one - other).abs() <= SLACK * scale
        })
    })
}

/// Refuses a symmetric matrix under which some displacement sets energy free.
///
/// Rows of forces and of torques differ in size and unit; D K D with D_ii = 1/√K_ii is free of
/// both and definite exactly where K is.
fn check(cx: &mut Context<'_>, key: &str, span: Span, matrix: &Matrix6<f64>) -> Option<()> {
    let scaled = Matrix6::from_fn(|i, j| {
        let entry = 0.5 * (matrix[(i, j)] + matrix[(j, i)]);
        // Nothing may stand beside a zero of the diagonal.
        let scale = size(matrix, i) * size(matrix, j);
        if entry == 0.0 { 0.0 } else { entry / if scale > 0.0 { scale } else { entry.abs() } }
    });
    if smallest_of_six(&scaled).is_none_or(|smallest| smallest < -SLACK) {
        let message = format!("`{key}` is not positive semi-definite");
        let label = "some displacement would set energy free";
        cx.report(Diagnostic::error("G0702", message).at(span, label));
        return None;
    }
    Some(())
}
