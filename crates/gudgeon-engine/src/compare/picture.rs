//! The outputs of all variants above one another, a panel each: over time, over the parameter of a static analysis, or
//! the frequencies of a modal one over their numbers. What each cost stands above.

use gudgeon_output::plot::AxisSpec;
use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Panel, Shape};

use super::{CompareJob, Comparison, Drawn};

/// Outputs that are drawn at most.
const DRAWN: usize = 8;

type Points = Vec<(f64, f64)>;

fn axis(name: &str, unit: &str) -> AxisSpec {
    AxisSpec { name: name.to_owned(), unit: unit.to_owned(), ..AxisSpec::default() }
}

/// None where nothing can be drawn.
pub fn draw(job: &CompareJob, comparison: &Comparison) -> Option<String> {
    let frequencies = comparison.done().any(|(_, d)| matches!(d.drawn, Drawn::Frequencies(_)));
    let panels: Vec<Panel> = match frequencies {
        true => vec![modes(comparison)],
        false => {
            let outputs = comparison.outputs.iter().take(DRAWN).enumerate();
            outputs.map(|(i, output)| panel(comparison, i, output)).collect()
        }
    };
    let cost: Vec<String> = comparison
        .done()
        .map(|(name, done)| format!("{name} {}", crate::text::quantity(done.cpu, "s")))
        .collect();
    let empty = panels.iter().all(|panel| panel.layers.is_empty());
    let chart = Chart {
        title: job.title.clone(),
        subtitle: format!("compared by {}; CPU: {}", job.options.axis.name(), cost.join(", ")),
        columns: 1,
        size: None,
        panels,
    };
    (!empty).then(|| chart.draw())
}

/// Later curves are dashed, so that those below are seen where all agree.
fn look(k: usize) -> Look {
    Look { colour: Colour::Curve(k), dashed: k > 0, ..Look::default() }
}

fn panel(comparison: &Comparison, i: usize, (name, unit): &(String, String)) -> Panel {
    let mut x = axis("t", "s");
    let mut layers = Vec::new();
    for (k, (variant, done)) in comparison.done().enumerate() {
        let points: Option<Points> = match &done.drawn {
            Drawn::OverTime(series) => {
                let values = series.get(name).map(|values| values.iter().copied());
                values.map(|values| series.t.iter().copied().zip(values).collect())
            }
            Drawn::Path { parameter, points } => {
                x = axis(&parameter.0, &parameter.1);
                let column = done.values.iter().position(|value| value.name == *name);
                column.map(|column| points.iter().map(|(at, row)| (*at, row[column])).collect())
            }
            Drawn::Nothing | Drawn::Frequencies(_) => None,
        };
        let Some(points) = points else { continue };
        let label = if i == 0 { variant.to_owned() } else { String::new() };
        layers.push(Layer { label, look: look(k), shape: Shape::Line(points) });
    }
    Panel { x, y: axis(name, unit), layers, ..Panel::default() }
}

fn modes(comparison: &Comparison) -> Panel {
    let mut layers = Vec::new();
    for (k, (variant, done)) in comparison.done().enumerate() {
        let Drawn::Frequencies(all) = &done.drawn else { continue };
        let points: Points = all.iter().enumerate().map(|(i, f)| ((i + 1) as f64, *f)).collect();
        let line = Shape::Line(points.clone());
        layers.push(Layer { label: variant.to_owned(), look: look(k), shape: line });
        let dots = Shape::Points(points);
        layers.push(Layer { label: String::new(), look: look(k), shape: dots });
    }
    Panel { x: axis("mode", ""), y: axis("frequency", "Hz"), layers, ..Panel::default() }
}
