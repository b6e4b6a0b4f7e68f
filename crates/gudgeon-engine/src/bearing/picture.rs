//! Rest and coefficients over the parameter, a picture for each bearing.

use gudgeon::bearing::Bearing;
use gudgeon_model::Vary;
use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Panel, Shape};
use gudgeon_output::plot::{AxisSpec, Spacing};
use nalgebra::Matrix2;

use super::{AnalysedPoint, BearingJob};

/// The parameter as an axis, and the SI value of its unit.
struct Across {
    axis: AxisSpec,
    factor: f64,
}

/// A value of the parameter and the bearing there, if it has a rest.
type Row<'b> = (f64, Option<&'b Bearing>);

const PLACES: [(usize, usize); 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];

/// Names of the pictures, one for each bearing; none without a parameter that varies.
pub fn files(job: &BearingJob, points: &[AnalysedPoint]) -> Vec<String> {
    let names = bearings(job, points);
    let file = |name: &&str| match names.len() {
        1 => "bearing.svg".to_owned(),
        _ => format!("bearing_{name}.svg"),
    };
    names.iter().map(file).collect()
}

/// Names and texts of the pictures.
pub fn all(job: &BearingJob, points: &[AnalysedPoint]) -> Vec<(String, String)> {
    let Some(vary) = job.vary() else { return Vec::new() };
    let names = bearings(job, points);
    let draw = |(i, file): (usize, String)| {
        let mut rows: Vec<Row> = points
            .iter()
            .filter_map(|point| {
                let found = point.found.as_ref().ok();
                Some((point.value?, found.and_then(|report| report.bearings.get(i))))
            })
            .collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        (file, picture(job, vary, names[i], &rows))
    };
    files(job, points).into_iter().enumerate().map(draw).collect()
}

/// Names of the bearings that are drawn.
fn bearings<'p>(job: &BearingJob, points: &'p [AnalysedPoint]) -> Vec<&'p str> {
    if job.vary().is_none_or(|vary| vary.values.len() < 2) {
        return Vec::new();
    }
    let first = points.iter().find_map(|point| point.found.as_ref().ok());
    first.iter().flat_map(|report| &report.bearings).map(|bearing| &bearing.name[..]).collect()
}

fn picture(job: &BearingJob, vary: &Vary, name: &str, rows: &[Row]) -> String {
    let x = axis(job, vary);
    let panels = vec![
        panel(&x, "eccentricity ratio", "", rows, |b| b.rest.eccentricity),
        panel(&x, "attitude", "deg", rows, |b| b.rest.attitude.to_degrees()),
        panel(&x, "thinnest film", "µm", rows, |b| 1e6 * b.rest.force.min_film),
        panel(&x, "loss", "W", rows, |b| b.rest.force.shear + b.rest.force.pumping),
        sizes(&x, ["xx", "xy", "yx", "yy"], "stiffness", "N/m", rows, |b| {
            b.rest.coefficients.stiffness
        }),
        sizes(&x, ["xx", "xy", "yx", "yy"], "damping", "N s/m", rows, |b| {
            b.rest.coefficients.damping
        }),
    ];
    let chart = Chart {
        title: format!("{}: {name}", job.loaded.model.name),
        subtitle: "journal at rest; x along the load, y across it in the sense of rotation".into(),
        columns: 2,
        size: None,
        panels,
    };
    chart.draw()
}

fn axis(job: &BearingJob, vary: &Vary) -> Across {
    let (unit, factor) = match &vary.shown {
        Some(shown) => (shown.unit.clone(), shown.factor),
        None => (job.unit(vary).to_owned(), 1.0),
    };
    let values = || vary.values.iter().map(|value| value / factor);
    let (low, high) =
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let spacing = if low > 0.0 && high > 5.0 * low { Spacing::Log } else { Spacing::Linear };
    let ends = (low < high).then_some((low, high));
    Across { axis: AxisSpec { name: vary.parameter.clone(), unit, spacing, ends }, factor }
}

fn panel(x: &Across, name: &str, unit: &str, rows: &[Row], value: fn(&Bearing) -> f64) -> Panel {
    let point = |(at, bearing): &Row| (at / x.factor, bearing.map_or(f64::NAN, value));
    let line = rows.iter().map(point).collect();
    let layers = vec![Layer { shape: Shape::Line(line), ..Layer::default() }];
    let y = AxisSpec { name: name.into(), unit: unit.into(), ..AxisSpec::default() };
    Panel { x: x.axis.clone(), y, layers, ..Panel::default() }
}

/// The four coefficients by the logarithm of their size; negative parts dashed.
fn sizes(
    x: &Across,
    names: [&str; 4],
    name: &str,
    unit: &str,
    rows: &[Row],
    matrix: fn(&Bearing) -> Matrix2<f64>,
) -> Panel {
    let mut layers = Vec::new();
    for (i, (place, label)) in PLACES.into_iter().zip(names).enumerate() {
        for negative in [false, true] {
            let sign = if negative { -1.0 } else { 1.0 };
            let point = |(at, bearing): &Row| {
                let value = bearing.map_or(f64::NAN, |bearing| sign * matrix(bearing)[place]);
                (at / x.factor, if value > 0.0 { value } else { f64::NAN })
            };
            let line: Vec<(f64, f64)> = rows.iter().map(point).collect();
            if line.iter().all(|(_, value)| value.is_nan()) {
                continue;
            }
            let label = if negative { format!("−{label}") } else { label.to_owned() };
            // Cross damping is nearly symmetric: its second curve lies on the first, which shows on both sides of it.
            let width = if i == 1 { 4.0 } else { 1.5 };
            let look =
                Look { colour: Colour::Curve(i), dashed: negative, width, ..Look::default() };
            layers.push(Layer { label, look, shape: Shape::Line(line) });
        }
    }
    let (name, unit) = (name.to_owned(), unit.to_owned());
    let y = AxisSpec { name, unit, spacing: Spacing::Log, ends: None };
    Panel { x: x.axis.clone(), y, layers, ..Panel::default() }
}
