//! Predictions of every surrogate against the simulations they have not seen.

use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Mark, Panel, Shape};
use gudgeon_output::plot::{AxisSpec, Spacing};

use super::super::surrogate::Model;
use super::super::{StudyJob, StudyOutcome};
use super::{Picture, axes, columns, dashed, layer, light, picture};
use crate::text::quantity;

/// A residual of so many standard deviations is marked.
const FAR: f64 = 3.0;
const SIDES: [f64; 3] = [440.0, 380.0, 290.0];

pub fn draw(job: &StudyJob, outcome: &StudyOutcome) -> Option<Picture> {
    let models = outcome.fitted.iter().filter_map(|f| Some((f.response, f.model.as_ref().ok()?)));
    let panels: Vec<Panel> = models.map(|(i, model)| panel(job, outcome, i, model)).collect();
    let method = outcome.fitted.iter().find_map(|f| Some(f.model.as_ref().ok()?.method.clone()))?;
    let columns = columns(panels.len());
    let what = if outcome.infill.is_empty() { "sample" } else { "run" };
    let chart = Chart {
        title: "prediction against simulation".into(),
        subtitle: format!("every {what} predicted without it: {method}"),
        columns,
        size: Some((SIDES[columns - 1], SIDES[columns - 1])),
        panels,
    };
    picture("parity", chart)
}

fn panel(job: &StudyJob, outcome: &StudyOutcome, response: usize, model: &Model) -> Panel {
    let study = job.study();
    let axis = axes::response(study, response);
    let by_log = axis.spacing == Spacing::Log;
    let samples = axes::done(job, outcome, response).map(|(number, _, v)| (number, v, false));
    let infill = axes::infill(job, outcome, response).map(|(number, _, v)| (number, v, true));
    let samples: Vec<(usize, f64, bool)> = samples.chain(infill).collect();
    let validation = &model.validation;
    let (mut usual, mut added) = (vec![], vec![]);
    let (mut far, mut bars, mut numbers) = (vec![], vec![], vec![]);
    for (k, row) in validation.rows.iter().enumerate() {
        let Some((number, value, is_added)) = samples.get(*row).copied() else { continue };
        let (predicted, standardised) = (validation.predicted[k], validation.standardised[k]);
        bars.push(interval(value, predicted, standardised, by_log));
        if standardised.abs() > FAR {
            far.push((value, predicted));
            let word = if is_added { format!("search {number}") } else { number.to_string() };
            numbers.push((value, predicted, word));
        } else if is_added {
            added.push((value, predicted));
        } else {
            usual.push((value, predicted));
        }
    }
    let rmse = quantity(validation.rmse, &axis.unit);
    let mut layers = vec![
        dashed("perfect", Colour::Muted, Shape::Diagonal),
        light("± 2 standard deviations", Colour::Faint, 1.0, Shape::Bars(bars)),
        layer("samples", Colour::Main, Shape::Points(usual)),
    ];
    if !added.is_empty() {
        let look = Look { marker: Mark::Cross, ..Look::default() };
        layers.push(Layer { label: axes::INFILL.into(), look, shape: Shape::Points(added) });
    }
    if !far.is_empty() {
        let look = Look { colour: Colour::Alert, marker: Mark::Dot, ..Look::default() };
        let label = format!("off by more than {FAR} standard deviations, with number");
        layers.push(Layer { label, look, shape: Shape::Points(far) });
        layers.push(layer("", Colour::Alert, Shape::Words(numbers)));
    }
    Panel {
        heading: axis.name.clone(),
        note: format!("Q² {:.3} · RMSE {rmse}", validation.q2),
        x: AxisSpec { name: "simulated".into(), ..axis.clone() },
        y: AxisSpec { name: "predicted".into(), ..axis },
        layers,
        equal: true,
        ..Panel::default()
    }
}

/// Two standard deviations around a prediction, from its error in standard deviations.
fn interval(value: f64, predicted: f64, standardised: f64, by_log: bool) -> [f64; 3] {
    if standardised == 0.0 || !standardised.is_finite() {
        return [value, predicted, predicted];
    }
    if by_log {
        let reach = (2.0 * (value / predicted).ln() / standardised).exp();
        return [value, predicted / reach, predicted * reach];
    }
    let reach = (2.0 * (value - predicted) / standardised).abs();
    [value, predicted - reach, predicted + reach]
}

#[cfg(test)]
mod tests {
    use super::interval;

    #[test]
    fn intervals_are_two_standard_deviations() {
        // 3 above the prediction of 10, which is 1.5 standard deviations of 2
        assert_eq!(interval(13.0, 10.0, 1.5, false), [13.0, 6.0, 14.0]);
        assert_eq!(interval(7.0, 10.0, -1.5, false), [7.0, 6.0, 14.0]);
        let [_, low, high] = interval(20.0, 10.0, 1.0, true);
        assert!((low - 2.5).abs() < 1e-12 && (high - 40.0).abs() < 1e-12);
        assert_eq!(interval(1.0, 2.0, 0.0, true), [1.0, 2.0, 2.0]);
    }
}
