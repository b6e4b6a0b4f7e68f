//! Bushings: stiffness and damping in all six directions, by values or by matrices.

use gudgeon::model::{ForceKind, Space};
use nalgebra::Matrix6;

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::reader::{Context, Reader};
use crate::source::Span;
use crate::spec::forces::ForceSpec;
use crate::spec::inertias::smallest_of_six;
use crate::vectors::matrix;

/// Part of the diagonal by which rounding may spoil a symmetric, positive semi-definite matrix.
const SLACK: f64 = 1e-9;

/// Names of the keys of one matrix: values along and about the axes, and all of it.
struct Names {
    along: &'static str,
    about: &'static str,
    matrix: &'static str,
}

const STIFFNESS: Names =
    Names { along: "stiffness", about: "torsion_stiffness", matrix: "stiffness_matrix" };
const DAMPING: Names =
    Names { along: "damping", about: "torsion_damping", matrix: "damping_matrix" };

impl Builder<'_> {
    pub(super) fn bushing(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        spec: &ForceSpec<'_>,
    ) -> Option<ForceKind> {
        if cx.space == Space::Planar {
            let message = "bushings belong to spatial models";
            let diagnostic = Diagnostic::error("G0115", message)
                .at(spec.name.span, "the model is planar")
                .help("take springs, dampers and torsion springs, or write `space = \"spatial\"`");
            cx.report(diagnostic);
            return None;
        }
        let ends = self.ends(cx, reader);
        let stiffness = read(cx, reader, &STIFFNESS, true);
        let damping = read(cx, reader, &DAMPING, false);
        let [a, b] = ends?;
        let (stiffness, damping) = (Box::new(stiffness?), Box::new(damping?));
        Some(ForceKind::Bushing { a, b, stiffness, damping })
    }
}

fn read(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    names: &Names,
    needed: bool,
) -> Option<Matrix6<f64>> {
    let Some((key, node)) = reader.entry(names.matrix) else {
        return diagonal(cx, reader, names, needed);
    };
    for name in [names.along, names.about] {
        reader.not_both(cx, name, names.matrix)?;
    }
    let rows = matrix::<6>(cx, names.matrix, node)?;
    let matrix = Matrix6::from_fn(|i, j| rows[i][j]);
    check(cx, &key.text, node.span, &matrix)?;
    Some(0.5 * (matrix + matrix.transpose()))
}

fn diagonal(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    names: &Names,
    needed: bool,
) -> Option<Matrix6<f64>> {
    let mut values = |key: &str| match reader.get(key) {
        Some(_) => not_negative(cx, reader, key),
        None if needed => reader.needed(cx, key).and(None),
        None => Some([0.0; 3]),
    };
    let (along, about) = (values(names.along), values(names.about));
    let all = [along?, about?].concat();
    Some(Matrix6::from_fn(|i, j| if i == j { all[i] } else { 0.0 }))
}

fn not_negative(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<[f64; 3]> {
    let values = reader.vector(cx, key)?;
    if values.value.min() < 0.0 {
        let message = format!("`{key}` of {} cannot be negative", reader.owner);
        cx.report(
            Diagnostic::error("G0701", message)
                .at(values.span, "negative")
                .help("give zero or positive values"),
        );
        return None;
    }
    Some(values.value.into())
}

/// Refuses a matrix that is not symmetric, or under which some displacement sets energy free.
///
/// Rows of forces and of torques differ in size and unit; D K D with D_ii = 1/√K_ii is free of
/// both and definite exactly where K is.
fn check(cx: &mut Context<'_>, key: &str, span: Span, matrix: &Matrix6<f64>) -> Option<()> {
    let mut refuse = |message: String, label: String| {
        cx.report(Diagnostic::error("G0702", message).at(span, label));
    };
    let size = |i: usize| matrix[(i, i)].abs().sqrt();
    for i in 0..6 {
        for j in 0..i {
            let (one, other) = (matrix[(i, j)], matrix[(j, i)]);
            let scale = one.abs().max(other.abs()).max(size(i) * size(j));
            if (one - other).abs() > SLACK * scale {
                let (i, j) = (i + 1, j + 1);
                let label = format!("row {j}, column {i}: {other}; row {i}, column {j}: {one}");
                refuse(format!("`{key}` is not symmetric"), label);
                return None;
            }
        }
    }
    let scaled = Matrix6::from_fn(|i, j| {
        let entry = 0.5 * (matrix[(i, j)] + matrix[(j, i)]);
        // Nothing may stand beside a zero of the diagonal.
        let scale = size(i) * size(j);
        if entry == 0.0 { 0.0 } else { entry / if scale > 0.0 { scale } else { entry.abs() } }
    });
    if smallest_of_six(&scaled).is_none_or(|smallest| smallest < -SLACK) {
        let message = format!("`{key}` is not positive semi-definite");
        refuse(message, "some displacement would set energy free".into());
        return None;
    }
    Some(())
}
