//! `inertia`: the moment about z in the plane, the matrix about the mass centre in space.
//!
//! A body of positive mass has positive principal moments, and none exceeds the sum of the others:
//! I₁ = ∫(y² + z²) dm ≤ ∫(x² + z²) dm + ∫(x² + y²) dm = I₂ + I₃. Equality is a thin plate, or a
//! thin rod, whose third moment vanishes.

use gudgeon::model::{Space, inertia_about_z};
use nalgebra::{Matrix3, SMatrix, SymmetricEigen, Vector3};

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, optional, required};
use crate::reader::{At, Context, Reader, wrong_kind};
use crate::source::Span;
use crate::spec::bodies::positive;
use crate::tree::{Node, Value};
use crate::units::Dimension;
use crate::values;
use crate::vectors::triple;

const MOMENT: Kind = Kind::Quantity(Dimension::INERTIA);

pub(crate) const INERTIA: Kind =
    Kind::Either(&[MOMENT, Kind::Triple(Dimension::INERTIA), Kind::Table(&MATRIX)]);

const MATRIX: Keys = Keys {
    about: "the entries of the inertia matrix, in the body's own axes",
    keys: &[
        required("xx", MOMENT, "moment about x"),
        required("yy", MOMENT, "moment about y"),
        required("zz", MOMENT, "moment about z"),
        optional("xy", MOMENT, "entry of the matrix, −∫xy dm; 0 unless given"),
        optional("xz", MOMENT, "entry of the matrix, −∫xz dm; 0 unless given"),
        optional("yz", MOMENT, "entry of the matrix, −∫yz dm; 0 unless given"),
    ],
};

/// How to write the three moments, for messages.
const THREE: &str = "give the moments about x, y and z, such as \
                     \"1e-5 kg m^2, 2e-4 kg m^2, 2e-4 kg m^2\"";
/// Part of the largest moment by which rounding may spoil the triangle inequality.
const SLACK: f64 = 1e-9;
/// Part of the largest moment below which a computed moment is zero.
const NOTHING: f64 = 1e-14;

pub(crate) fn read(cx: &mut Context<'_>, owner: &str, node: &Node) -> Option<At<Matrix3<f64>>> {
    let value = match cx.space {
        Space::Planar => planar(cx, owner, node),
        Space::Spatial => {
            let matrix = spatial(cx, owner, node)?;
            check(cx, owner, node.span, &matrix).map(|()| matrix)
        }
    }?;
    Some(At { value, span: node.span })
}

fn planar(cx: &mut Context<'_>, owner: &str, node: &Node) -> Option<Matrix3<f64>> {
    let several = match &node.value {
        Value::List(_) | Value::Table(_) => true,
        _ => node.as_text().is_some_and(|text| !text.contains('=') && text.contains(',')),
    };
    if several {
        let message = format!("the inertia of {owner} is one moment in a planar model");
        let diagnostic = Diagnostic::error("G0107", message)
            .at(node.span, "only that about z counts")
            .help("write \"2e-4 kg m^2\", or `space = \"spatial\"` in `[model]`");
        cx.report(diagnostic);
        return None;
    }
    let moment = values::quantity(cx, "inertia", node, Dimension::INERTIA)?;
    let given = At { value: moment, span: node.span };
    positive(cx, "G0402", &format!("inertia of {owner}"), Some(given));
    Some(inertia_about_z(moment))
}

fn spatial(cx: &mut Context<'_>, owner: &str, node: &Node) -> Option<Matrix3<f64>> {
    match &node.value {
        Value::Table(_) => entries(cx, owner, node),
        Value::List(_) => diagonal(cx, node),
        Value::Text { text, .. } if text.contains(',') => diagonal(cx, node),
        Value::Text { .. } | Value::Number { .. } => {
            let message = format!("the inertia of {owner} has three moments in a spatial model");
            let diagnostic = Diagnostic::error("G0107", message).at(node.span, "one given");
            cx.report(diagnostic.help(THREE));
            None
        }
        _ => {
            wrong_kind(cx, "`inertia`", node, "three values or a table");
            None
        }
    }
}

fn diagonal(cx: &mut Context<'_>, node: &Node) -> Option<Matrix3<f64>> {
    triple(cx, "inertia", node, Dimension::INERTIA).map(|moments| Matrix3::from_diagonal(&moments))
}

fn entries(cx: &mut Context<'_>, owner: &str, node: &Node) -> Option<Matrix3<f64>> {
    let reader = Reader::open(cx, format!("inertia of {owner}"), node.span, node, &MATRIX)?;
    let [xx, yy, zz] = ["xx", "yy", "zz"].map(|key| reader.quantity(cx, key));
    let [xy, xz, yz] = ["xy", "xz", "yz"].map(|key| match reader.get(key) {
        Some(_) => reader.quantity(cx, key).map(|entry| entry.value),
        None => Some(0.0),
    });
    let (xx, yy, zz, xy, xz, yz) = (xx?.value, yy?.value, zz?.value, xy?, xz?, yz?);
    Some(Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz))
}

/// Refuses what is the inertia of no real body.
pub(crate) fn check(
    cx: &mut Context<'_>,
    owner: &str,
    span: Span,
    matrix: &Matrix3<f64>,
) -> Option<()> {
    let moments = eigenvalues(matrix)?;
    let [low, middle, high] = moments.into();
    let unit = Dimension::INERTIA;
    let shown = |moment: f64| values::rounded(moment).to_string();
    let all = format!(
        "principal moments {}, {} and {}",
        shown(low),
        shown(middle),
        values::shown(high, unit)
    );
    let (message, label, help) = if low.abs() <= NOTHING * high {
        (
            format!("{owner} has no moment of inertia about one of its axes"),
            all,
            "give the small moment about the rod's line",
        )
    } else if low <= 0.0 {
        (
            format!("the inertia of {owner} is not positive definite"),
            all,
            "moments are positive, and xy, xz, yz small beside them",
        )
    } else if high - middle > low + SLACK * high {
        let excess = values::shown(high - middle - low, unit);
        let largest = match axis_of(matrix, high) {
            Some(axis) => format!("the moment about {axis}, {},", values::shown(high, unit)),
            None => format!("{all}: the largest"),
        };
        (
            format!("the inertia of {owner} is that of no real body"),
            format!("{largest} exceeds the sum of the other two by {excess}"),
            "check the units and which axis each moment belongs to",
        )
    } else {
        return Some(());
    };
    cx.report(Diagnostic::error("G0406", message).at(span, label).help(help));
    None
}

/// The axis of the body about which it has this moment, if its axes are the principal ones.
fn axis_of(matrix: &Matrix3<f64>, moment: f64) -> Option<&'static str> {
    let diagonal = matrix.diagonal();
    let principal = *matrix == Matrix3::from_diagonal(&diagonal);
    let axis = diagonal.iter().position(|entry| *entry == moment).filter(|_| principal)?;
    ["x", "y", "z"].get(axis).copied()
}

/// Eigenvalues of a symmetric matrix in rising order.
pub(crate) fn eigenvalues(matrix: &Matrix3<f64>) -> Option<Vector3<f64>> {
    let mut values: [f64; 3] = decompose(matrix)?.into();
    values.sort_by(f64::total_cmp);
    Some(values.into())
}

/// The smallest eigenvalue of a symmetric 6 × 6 matrix.
pub(crate) fn smallest_of_six(matrix: &SMatrix<f64, 6, 6>) -> Option<f64> {
    let scale = matrix.amax().max(f64::MIN_POSITIVE);
    let eigen = SymmetricEigen::try_new(matrix / scale, f64::EPSILON, ITERATIONS)?;
    Some(eigen.eigenvalues.min() * scale)
}

/// Rotations after which the search for eigenvalues is given up.
const ITERATIONS: usize = 1000;

fn decompose(matrix: &Matrix3<f64>) -> Option<Vector3<f64>> {
    if *matrix == Matrix3::from_diagonal(&matrix.diagonal()) {
        return Some(matrix.diagonal());
    }
    let scale = matrix.amax().max(f64::MIN_POSITIVE);
    let eigen = SymmetricEigen::try_new(matrix / scale, f64::EPSILON, ITERATIONS)?;
    Some(eigen.eigenvalues * scale)
}
