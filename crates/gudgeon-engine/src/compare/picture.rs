//! The outputs of all variants over time, a panel each, and what each cost.

use gudgeon_output::plot::AxisSpec;
use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Panel, Shape};

use super::{CompareJob, Comparison};

/// Outputs that are drawn at most.
const DRAWN: usize = 8;

fn axis(name: &str, unit: &str) -> AxisSpec {
    AxisSpec { name: name.to_owned(), unit: unit.to_owned(), ..AxisSpec::default() }
}

pub fn draw(job: &CompareJob, comparison: &Comparison) -> String {
    let panels = comparison.outputs.iter().take(DRAWN).enumerate().map(|(i, (name, unit))| {
        let mut layers = Vec::new();
        for (k, (variant, done)) in comparison.done().enumerate() {
            let Some(series) = done.series() else { continue };
            let Some(values) = series.get(name) else { continue };
            let points = series.t.iter().copied().zip(values.iter().copied()).collect();
            let look = Look { colour: Colour::Curve(k), ..Look::default() };
            let label = if i == 0 { variant.to_owned() } else { String::new() };
            layers.push(Layer { label, look, shape: Shape::Line(points) });
        }
        Panel { x: axis("t", "s"), y: axis(name, unit), layers, ..Panel::default() }
    });
    let cost: Vec<String> = comparison
        .done()
        .map(|(name, done)| format!("{name} {}", crate::text::quantity(done.cpu(), "s")))
        .collect();
    let chart = Chart {
        title: job.title.clone(),
        subtitle: format!("compared by {}; CPU: {}", job.options.axis.name(), cost.join(", ")),
        columns: 1,
        size: None,
        panels: panels.collect(),
    };
    chart.draw()
}
