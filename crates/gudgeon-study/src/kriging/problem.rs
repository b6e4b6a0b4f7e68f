//! Samples, checked and scaled, in the form the likelihood works on.

use super::error::{KrigingError, Warning};
use super::scale::Axis;
use super::settings::{Correlation, Nugget, Parameters, Scaling, Settings, Transform};
use super::shape::{Shape, with_shape};
use crate::linear::{Basis, Lower, ROWS, lanes::LANES, vectorised};
use fearless_simd::{Simd, f64x4, prelude::*};

/// The work of a fit grows with the cube of the samples, its memory with their square.
const MOST_SAMPLES: usize = 5000;
/// Points closer than this along every scaled input are the same point.
const SAME: f64 = 1e-12;

pub(crate) struct Problem {
    pub axes: Vec<Axis>,
    pub response: Axis,
    /// Scaled inputs, one vector per input.
    pub x: Vec<Vec<f64>>,
    /// Scaled responses: mean 0, standard deviation 1.
    pub y: Vec<f64>,
    /// Columns of the trend, F.
    pub f: Vec<Vec<f64>>,
    /// Known variances of the scaled responses; empty where there are none.
    pub noise: Vec<f64>,
    /// Rows of the user that take part.
    pub rows: Vec<usize>,
    pub warnings: Vec<Warning>,
}

impl Problem {
    pub fn new(
        inputs: &[&[f64]],
        responses: &[f64],
        settings: &Settings,
        axes: Option<Vec<Axis>>,
    ) -> Result<Self, KrigingError> {
        let width = check(inputs, responses, settings)?;
        let mut warnings = Vec::new();
        let axis = |k: usize| {
            let column = inputs.iter().map(|row| row[k]);
            Axis::of(transform(settings, k), settings.scaling, column)
        };
        let axes: Vec<Axis> = axes.unwrap_or_else(|| (0..width).map(axis).collect());
        let scaled: Vec<Vec<f64>> = inputs
            .iter()
            .map(|row| axes.iter().zip(*row).map(|(axis, x)| axis.scaled(*x)).collect())
            .collect();
        let constant = |column: &usize| {
            scaled.iter().all(|row| (row[*column] - scaled[0][*column]).abs() < SAME)
        };
        let columns: Vec<usize> = (0..width).filter(constant).collect();
        if !columns.is_empty() {
            warnings.push(Warning::ConstantInputs { columns });
        }
        let rows = distinct(&scaled, responses, settings, &mut warnings)?;

        let unknowns = settings.trend.unknowns(width);
        if rows.len() <= unknowns {
            let (trend, samples) = (settings.trend, rows.len());
            return Err(KrigingError::TooFewSamples { trend, samples, unknowns });
        }
        let response =
            Axis::of(settings.response, Scaling::Standard, rows.iter().map(|&r| responses[r]));
        let y: Vec<f64> = rows.iter().map(|&r| response.scaled(responses[r])).collect();
        let f = trend_columns(&rows, &scaled, settings);
        let problem = Self {
            x: (0..width).map(|k| rows.iter().map(|&r| scaled[r][k]).collect()).collect(),
            noise: scaled_noise(&rows, responses, &response, settings),
            axes,
            response,
            y,
            f,
            rows,
            warnings,
        };
        problem.with_trend_checked(settings)
    }

    pub fn samples(&self) -> usize {
        self.y.len()
    }

    /// Whether the trend alone passes through the samples, so that nothing is left for the process.
    pub fn is_exact_trend(&self) -> bool {
        let exact = |w: &Warning| {
            matches!(w, Warning::ConstantResponse { .. } | Warning::ExactTrend { .. })
        };
        self.warnings.iter().any(exact)
    }

    fn with_trend_checked(mut self, settings: &Settings) -> Result<Self, KrigingError> {
        let trend = settings.trend;
        let basis = Basis::new(self.f.clone()).map_err(|dependent| KrigingError::TrendRank {
            trend,
            term: dependent.column,
            inputs: self.axes.len(),
        })?;
        let mut rest = self.y.clone();
        basis.project(&mut rest);
        if self.y.iter().all(|y| *y == self.y[0]) {
            let value = match self.response.transform {
                Transform::Linear => self.response.offset,
                Transform::Log => self.response.offset.exp(),
            };
            self.warnings.push(Warning::ConstantResponse { value });
        } else if rest.iter().all(|r| r.abs() < 1e-13) {
            self.warnings.push(Warning::ExactTrend { trend });
        }
        Ok(self)
    }

    /// The base b(|d|) of every pair of samples along every input, see [`super::shape`].
    pub fn bases(&self, correlation: Correlation) -> Vec<Lower> {
        self.x
            .iter()
            .map(|x| {
                let mut base = Lower::zeros(x.len());
                let at = |r: usize| x.get(r).copied().unwrap_or(0.0);
                base.fill(|r, c| (at(r) - at(c)).abs());
                with_shape!(correlation, H => {
                    vectorised!(simd => to_base::<_, H>(simd, &mut base.values))
                });
                base
            })
            .collect()
    }

    /// Responses and trend columns as rows of panels: y first, then F.
    pub fn row_panels(&self) -> Vec<Vec<f64>> {
        let padded = ROWS * self.samples().div_ceil(ROWS);
        let columns: Vec<&Vec<f64>> = std::iter::once(&self.y).chain(&self.f).collect();
        columns
            .chunks(ROWS)
            .map(|group| {
                let mut panel = vec![0.0; ROWS * padded];
                for (lane, column) in group.iter().enumerate() {
                    for (i, value) in column.iter().enumerate() {
                        panel[ROWS * i + lane] = *value;
                    }
                }
                panel
            })
            .collect()
    }
}

#[inline(always)]
fn to_base<S: Simd, H: Shape>(simd: S, values: &mut [f64]) {
    for four in values.as_chunks_mut::<LANES>().0 {
        H::base(simd, f64x4::load_array_ref(simd, four)).store_array(four);
    }
}

pub(crate) fn transform(settings: &Settings, input: usize) -> Transform {
    settings.inputs.get(input).copied().unwrap_or(Transform::Linear)
}

/// Shapes and numbers of the samples; gives the number of inputs.
fn check(inputs: &[&[f64]], responses: &[f64], settings: &Settings) -> Result<usize, KrigingError> {
    let first = inputs.first().ok_or(KrigingError::NoSamples)?;
    let width = first.len();
    if inputs.len() != responses.len() {
        let (inputs, responses) = (inputs.len(), responses.len());
        return Err(KrigingError::ResponseCount { inputs, responses });
    }
    if inputs.len() > MOST_SAMPLES {
        let (samples, most) = (inputs.len(), MOST_SAMPLES);
        return Err(KrigingError::TooManySamples { samples, most });
    }
    check_settings(width, inputs.len(), settings)?;
    for (row, (point, response)) in inputs.iter().zip(responses).enumerate() {
        check_point(point, row, width, settings)?;
        Axis::check(settings.response, *response, row, None)?;
    }
    Ok(width)
}

pub(crate) fn check_point(
    point: &[f64],
    row: usize,
    width: usize,
    settings: &Settings,
) -> Result<(), KrigingError> {
    if point.len() != width {
        return Err(KrigingError::InputCount { row, expected: width, found: point.len() });
    }
    for (k, x) in point.iter().enumerate() {
        Axis::check(transform(settings, k), *x, row, Some(k))?;
    }
    Ok(())
}

fn check_settings(width: usize, samples: usize, settings: &Settings) -> Result<(), KrigingError> {
    if width == 0 {
        return Err(KrigingError::SettingCount { name: "inputs", expected: 1, found: 0 });
    }
    for (name, expected, found) in
        [("inputs", width, settings.inputs.len()), ("noise", samples, settings.noise.len())]
    {
        if found != 0 && found != expected {
            return Err(KrigingError::SettingCount { name, expected, found });
        }
    }
    if let Some(&value) = settings.noise.iter().find(|v| !(**v >= 0.0 && v.is_finite())) {
        return Err(KrigingError::SettingRange { name: "noise", value, range: "zero or more" });
    }
    match settings.nugget {
        Nugget::Fixed(value) if !(value >= 0.0 && value.is_finite()) => {
            Err(KrigingError::SettingRange { name: "nugget", value, range: "zero or more" })
        }
        _ => Ok(()),
    }
}

/// Rows that are points of their own, or all rows where noise tells repeated ones apart.
fn distinct(
    scaled: &[Vec<f64>],
    responses: &[f64],
    settings: &Settings,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<usize>, KrigingError> {
    let noisy = |row: usize| settings.noise.get(row).is_some_and(|v| *v > 0.0);
    let nugget = match &settings.parameters {
        Parameters::Fixed(given) => Nugget::Fixed(given.nugget),
        Parameters::Fitted(_) => settings.nugget,
    };
    if !matches!(nugget, Nugget::None | Nugget::Fixed(0.0)) {
        return Ok((0..scaled.len()).collect());
    }
    let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(x, y)| (x - y).abs() < SAME);
    let largest = responses.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
    let (mut rows, mut dropped) = (Vec::new(), Vec::new());
    for row in 0..scaled.len() {
        let twin = |r: &&usize| same(&scaled[**r], &scaled[row]) && !(noisy(**r) || noisy(row));
        match rows.iter().find(twin) {
            None => rows.push(row),
            Some(&r) if (responses[r] - responses[row]).abs() <= SAME * largest => {
                dropped.push(row)
            }
            Some(&r) => {
                let values = (responses[r], responses[row]);
                return Err(KrigingError::Duplicates { rows: (r, row), values });
            }
        }
    }
    if !dropped.is_empty() {
        warnings.push(Warning::DuplicatesDropped { rows: dropped });
    }
    Ok(rows)
}

fn trend_columns(rows: &[usize], scaled: &[Vec<f64>], settings: &Settings) -> Vec<Vec<f64>> {
    let mut columns = vec![Vec::new(); settings.trend.unknowns(scaled[0].len())];
    let mut terms = Vec::new();
    for &row in rows {
        settings.trend.terms(&scaled[row], &mut terms);
        for (column, term) in columns.iter_mut().zip(&terms) {
            column.push(*term);
        }
    }
    columns
}

/// Variances in scaled units. For a logarithm, var(ln y) = var(y)/y² to first order.
fn scaled_noise(rows: &[usize], responses: &[f64], axis: &Axis, settings: &Settings) -> Vec<f64> {
    if settings.noise.is_empty() {
        return Vec::new();
    }
    rows.iter()
        .map(|&r| {
            let slope = match axis.transform {
                Transform::Linear => 1.0,
                Transform::Log => 1.0 / responses[r],
            };
            settings.noise[r] * (slope / axis.factor).powi(2)
        })
        .collect()
}
