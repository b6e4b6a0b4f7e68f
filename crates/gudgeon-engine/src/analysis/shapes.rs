//! Shapes of modes for pages that move them: `shapes.json`.

use gudgeon::modal::{BodyShape, ModalReport, Outline};
use gudgeon::model::Space;
use serde_json::{Value, json};

/// Outlines at rest, and of every mode the motion of mass centres and points, real and imaginary parts.
pub fn shapes(space: Space, report: &ModalReport) -> Value {
    let body = |(outline, shape): (&Outline, Option<&BodyShape>)| {
        json!({
            "name": outline.body, "centre": outline.centre, "points": outline.points,
            "line": shape.is_some_and(|shape| !shape.nodes.is_empty()),
        })
    };
    let first = report.modes.first();
    let pairs = report.outlines.iter().enumerate();
    let bodies = pairs.map(|(i, outline)| body((outline, first.map(|mode| &mode.bodies[i]))));
    let mode = |mode: &gudgeon::modal::Mode| -> Vec<Vec<[[f64; 2]; 3]>> {
        report
            .outlines
            .iter()
            .zip(&mode.bodies)
            .map(|(outline, shape)| moved(outline, shape))
            .collect()
    };
    json!({
        "planar": space == Space::Planar,
        "bodies": bodies.collect::<Vec<_>>(),
        "modes": report.modes.iter().map(mode).collect::<Vec<_>>(),
    })
}

/// t of the mass centre, then t + φ × (p − c) of every point, or the motion of the nodes of a link that bends.
fn moved(outline: &Outline, shape: &BodyShape) -> Vec<[[f64; 2]; 3]> {
    let (t, r) = (&shape.translation, &shape.rotation);
    let point = |p: &[f64; 3]| {
        let arm = [0, 1, 2].map(|i| p[i] - outline.centre[i]);
        [0, 1, 2].map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            [0, 1].map(|part| t[i][part] + r[j][part] * arm[k] - r[k][part] * arm[j])
        })
    };
    let points = match shape.nodes.is_empty() {
        true => outline.points.iter().map(point).collect(),
        false => shape.nodes.clone(),
    };
    [vec![*t], points].concat()
}
