//! The legend of a chart: signs and names in as many rows as they need.

use super::super::colour;
use super::super::svg::{Anchor, Area, LABEL, Stroke, Svg};
use super::layers::{Layer, Look, Mark, Shape, marks};

/// Width of a sign, and from the sign to its name.
const SIGN: f64 = 22.0;
const GAP: f64 = 6.0;
/// From one entry to the next.
const STEP: f64 = 24.0;

/// Layers with names, each name once, in rows of at most `width`.
pub(crate) fn rows<'a>(layers: impl Iterator<Item = &'a Layer>, width: f64) -> Vec<Vec<&'a Layer>> {
    let mut named: Vec<&Layer> = Vec::new();
    for layer in layers.filter(|layer| !layer.label.is_empty()) {
        if !named.iter().any(|known| known.label == layer.label) {
            named.push(layer);
        }
    }
    let mut rows: Vec<Vec<&Layer>> = Vec::new();
    let mut used = f64::INFINITY;
    for layer in named {
        let needed = SIGN + GAP + LABEL.extent(&layer.label) + STEP;
        match rows.last_mut().filter(|_| used + needed <= width + STEP) {
            Some(row) => row.push(layer),
            None => {
                rows.push(vec![layer]);
                used = 0.0;
            }
        }
        used += needed;
    }
    rows
}

/// Draws the rows from the top left corner.
pub(crate) fn draw(svg: &mut Svg, rows: &[Vec<&Layer>], left: f64, top: f64) {
    for (row, layers) in rows.iter().enumerate() {
        let (mut x, y) = (left, top + 20.0 * row as f64);
        for layer in layers {
            sign(svg, layer, x, y - 4.0);
            svg.text(x + SIGN + GAP, y, Anchor::Start, LABEL, &layer.label);
            x += SIGN + GAP + LABEL.extent(&layer.label) + STEP;
        }
    }
}

fn sign(svg: &mut Svg, layer: &Layer, x: f64, y: f64) {
    let Look { colour, width, opacity, dashed, .. } = layer.look;
    let middle = x + SIGN / 2.0;
    let stroke = Stroke { colour: colour.code(), width, opacity: 1.0 };
    match &layer.shape {
        Shape::Line(_) | Shape::Diagonal | Shape::Uprights(_) | Shape::SideBars(_) => {
            svg.styled_path(&[vec![(x, y), (x + SIGN, y)]], stroke, dashed);
        }
        Shape::Bars(_) => {
            svg.styled_path(&[vec![(middle, y - 6.0), (middle, y + 6.0)]], stroke, dashed);
        }
        Shape::Band(_) | Shape::Boxes(_) => {
            let (l, r, t, b) = (x + 2.0, x + SIGN - 2.0, y - 5.0, y + 5.0);
            svg.area(&[vec![(l, t), (r, t), (r, b), (l, b)]], colour.code(), opacity);
        }
        Shape::Points(_) => marks(svg, &[(middle, y)], &layer.look),
        Shape::Feet(_) => {
            marks(svg, &[(middle, y)], &Look { marker: Mark::Cross, ..layer.look });
        }
        Shape::Window(_) => {
            svg.fill(
                Area { left: x + 4.0, right: x + SIGN - 4.0, top: y - 6.0, bottom: y + 6.0 },
                colour::WINDOW_SIGN,
            );
        }
        Shape::Words(_) => {}
    }
}
