//! A fitted model: from samples and settings to everything predictions need.

use super::error::{KrigingError, Warning};
use super::layout::{Hyperparameters, Layout};
use super::likelihood::{Estimate, Likelihood};
use super::predict::Predictor;
use super::problem::Problem;
use super::scale::Axis;
use super::search::{Objective, multistart};
use super::settings::{Correlation, HyperParameters, Parameters, Search, Settings};
use crate::linear::{InverseFactor, solve_transposed};
use gudgeon::progress::{Progress, Unwatched};

/// A Kriging model. It keeps its samples, so it can be validated and stored.
#[derive(Clone, Debug)]
pub struct Kriging {
    pub(super) settings: Settings,
    pub(super) inputs: Vec<Vec<f64>>,
    pub(super) responses: Vec<f64>,
    pub(super) axes: Vec<Axis>,
    pub(super) response: Axis,
    /// Rows of the samples that take part.
    pub(super) rows: Vec<usize>,
    pub(super) point: Hyperparameters,
    /// σ² of scaled responses.
    pub(super) variance: f64,
    pub(super) beta: Vec<f64>,
    /// K⁻¹(y − Fβ) of every row that takes part.
    pub(super) weights: Vec<f64>,
    /// Diagonal of K⁻¹ − K⁻¹F (Fᵀ K⁻¹ F)⁻¹ Fᵀ K⁻¹.
    pub(super) precisions: Vec<f64>,
    pub(super) predictor: Predictor,
    pub(super) report: Report,
}

/// How a model came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// ln 𝓛 of the (transformed) responses.
    pub log_likelihood: f64,
    /// Evaluations of the likelihood.
    pub evaluations: usize,
    /// ‖K‖₁ ‖K⁻¹‖₁
    pub condition: f64,
    /// What was added to the diagonal of K beyond nugget and noise.
    pub jitter: f64,
    pub warnings: Vec<Warning>,
}

/// What need not be found again.
#[derive(Default)]
pub(super) struct Known {
    /// Result of an earlier search and its jitter.
    pub result: Option<(Hyperparameters, f64)>,
    /// Result of a search with other samples, where this one begins.
    pub start: Option<Hyperparameters>,
    pub axes: Option<Vec<Axis>>,
}

/// Larger conditions are reported.
const LARGE_CONDITION: f64 = 1e12;
/// Factor from one jitter to the next, and how often it is raised.
const RAISE: f64 = 100.0;
const RAISES: usize = 4;

impl Kriging {
    /// Builds the model of samples: row i of `inputs` gave `responses[i]`.
    pub fn fit<P: AsRef<[f64]>>(
        inputs: &[P],
        responses: &[f64],
        settings: &Settings,
    ) -> Result<Self, KrigingError> {
        Self::fit_watched(inputs, responses, settings, &Unwatched)
    }

    /// As [`Self::fit`], which takes minutes for thousands of samples: `progress` may cancel it.
    pub fn fit_watched<P: AsRef<[f64]>>(
        inputs: &[P],
        responses: &[f64],
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Self, KrigingError> {
        let inputs: Vec<&[f64]> = inputs.iter().map(AsRef::as_ref).collect();
        Self::build(&inputs, responses, settings, Known::default(), progress)
    }

    /// As [`Self::fit`], with what is known already.
    pub(super) fn build(
        inputs: &[&[f64]],
        responses: &[f64],
        settings: &Settings,
        known: Known,
        progress: &dyn Progress,
    ) -> Result<Self, KrigingError> {
        let built = Self::build_parts(inputs, responses, settings, known, progress);
        // The parts of what is cancelled end early, with whatever they have.
        if progress.is_cancelled() { Err(KrigingError::Cancelled) } else { built }
    }

    fn build_parts(
        inputs: &[&[f64]],
        responses: &[f64],
        settings: &Settings,
        known: Known,
        progress: &dyn Progress,
    ) -> Result<Self, KrigingError> {
        let problem = Problem::new(inputs, responses, settings, known.axes)?;
        let search = match &settings.parameters {
            Parameters::Fitted(search) => search.clone(),
            Parameters::Fixed(_) => Search::default(),
        };
        check_search(&search)?;
        let layout = Layout::new(settings, &search, problem.axes.len());
        let mut likelihood = Likelihood::new(&problem, settings.correlation, layout, progress);
        let point = match (&settings.parameters, known.result) {
            (_, Some((point, jitter))) => {
                likelihood.jitter = jitter;
                point
            }
            (Parameters::Fixed(given), _) => fixed_point(given, &problem, settings)?,
            _ if problem.is_exact_trend() => neutral_point(&likelihood.layout),
            _ => search_point(&mut likelihood, &search, known.start.as_ref())?,
        };
        evaluate(&mut likelihood, &point)?;
        if progress.is_cancelled() {
            return Err(KrigingError::Cancelled);
        }
        let mut model = finish(&likelihood, inputs, responses, settings);
        if matches!(settings.parameters, Parameters::Fitted(_)) && !problem.is_exact_trend() {
            let nugget = likelihood.layout.nugget_is_fitted();
            let found = model.undecided(&search, nugget, progress);
            model.report.warnings.extend(found);
        }
        Ok(model)
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn report(&self) -> &Report {
        &self.report
    }

    pub fn inputs(&self) -> &[Vec<f64>] {
        &self.inputs
    }

    pub fn responses(&self) -> &[f64] {
        &self.responses
    }

    /// Parameters found, or those given.
    pub fn parameters(&self) -> HyperParameters {
        self.point.to_user(self.response.factor)
    }

    /// σ² of the process, in (transformed) response units squared.
    pub fn process_variance(&self) -> f64 {
        self.variance * self.response.factor.powi(2)
    }

    /// Variance of the noise that the nugget stands for, g σ².
    pub fn noise_variance(&self) -> f64 {
        self.point.nugget * self.process_variance()
    }
}

impl Objective for Likelihood<'_> {
    fn value(&mut self, x: &[f64]) -> f64 {
        Likelihood::value(self, x)
    }
    fn gradient(&mut self, gradient: &mut [f64]) {
        Likelihood::gradient(self, gradient);
    }
}

/// The maximum of the likelihood; the jitter is raised until one start can be factored. A known start
/// comes before those of the search, which may then be none.
fn search_point(
    likelihood: &mut Likelihood,
    search: &Search,
    known: Option<&Hyperparameters>,
) -> Result<Hyperparameters, KrigingError> {
    let bounds = likelihood.layout.bounds().to_vec();
    let known = known.map(|point| likelihood.layout.encode(point));
    let drawn = if known.is_some() { search.starts } else { search.starts.max(1) };
    let others = likelihood.layout.starts(drawn, search.seed).into_iter().take(drawn);
    let starts: Vec<Vec<f64>> = known.into_iter().chain(others).collect();
    // What was found before needs no search over θ alone first.
    let held = if starts.len() == 1 && drawn == 0 { 0..0 } else { likelihood.layout.exponents() };
    for _ in 0..=RAISES {
        if let Some(best) =
            multistart(likelihood, &bounds, held.clone(), &starts, search.iterations)
        {
            return Ok(likelihood.layout.decode(&best.x));
        }
        likelihood.jitter *= RAISE;
    }
    Err(KrigingError::Singular { jitter: likelihood.jitter / RAISE })
}

/// Leaves the estimate of `point` in the likelihood, with a larger jitter where that is needed.
fn evaluate(likelihood: &mut Likelihood, point: &Hyperparameters) -> Result<(), KrigingError> {
    for _ in 0..=RAISES {
        if likelihood.value_at(point.clone()).is_finite() {
            return Ok(());
        }
        likelihood.jitter *= RAISE;
    }
    Err(KrigingError::Singular { jitter: likelihood.jitter / RAISE })
}

/// Any correlation does where the process has no variance.
fn neutral_point(layout: &Layout) -> Hyperparameters {
    layout.decode(&layout.starts(1, 0)[0])
}

fn fixed_point(
    parameters: &HyperParameters,
    problem: &Problem,
    settings: &Settings,
) -> Result<Hyperparameters, KrigingError> {
    let inputs = problem.axes.len();
    let exponents = match settings.correlation {
        Correlation::PowerExponential => inputs,
        _ => 0,
    };
    let checks: [(&'static str, usize, &[f64], f64, &'static str); 2] = [
        ("theta", inputs, &parameters.theta, f64::MAX, "above zero"),
        ("exponent", exponents, &parameters.exponent, 2.0, "above 0 and up to 2"),
    ];
    for (name, expected, values, highest, range) in checks {
        if values.len() != expected {
            return Err(KrigingError::SettingCount { name, expected, found: values.len() });
        }
        if let Some(&value) = values.iter().find(|v| !(**v > 0.0 && **v <= highest)) {
            return Err(KrigingError::SettingRange { name, value, range });
        }
    }
    let (name, value) = ("nugget", parameters.nugget);
    if !(value >= 0.0 && value.is_finite()) {
        return Err(KrigingError::SettingRange { name, value, range: "zero or more" });
    }
    let scale = match parameters.variance {
        _ if problem.noise.is_empty() => None,
        Some(variance) if variance > 0.0 => Some(variance / problem.response.factor.powi(2)),
        Some(value) => {
            let name = "variance";
            return Err(KrigingError::SettingRange { name, value, range: "above zero" });
        }
        None => return Err(KrigingError::MissingVariance),
    };
    Ok(Hyperparameters {
        theta: parameters.theta.clone(),
        alpha: parameters.exponent.clone(),
        nugget: parameters.nugget,
        scale,
    })
}

fn check_search(search: &Search) -> Result<(), KrigingError> {
    for (name, bounds, highest, range) in [
        ("theta bound", search.theta, f64::MAX, "above zero, the lower first"),
        ("exponent bound", search.exponent, 2.0, "above 0 and up to 2, the lower first"),
        ("nugget bound", search.nugget, f64::MAX, "above zero, the lower first"),
    ] {
        let [low, high] = bounds;
        if !(low > 0.0 && low <= high && high <= highest) {
            let value = if low > 0.0 && low <= high { high } else { low };
            return Err(KrigingError::SettingRange { name, value, range });
        }
    }
    Ok(())
}

/// Everything predictions need, from the estimate in the likelihood.
fn finish(
    likelihood: &Likelihood,
    inputs: &[&[f64]],
    responses: &[f64],
    settings: &Settings,
) -> Kriging {
    let problem = likelihood.problem;
    let estimate = likelihood.estimate.as_ref().expect("the likelihood has been evaluated");
    let inverse = InverseFactor::of(&likelihood.factor, likelihood.progress);
    let n = problem.samples();
    let mut weights = estimate.residual.clone();
    solve_transposed(&likelihood.factor, &mut weights);
    // G = U Q: K⁻¹F (Fᵀ K⁻¹ F)⁻¹ Fᵀ K⁻¹ = G Gᵀ
    let trend: Vec<Vec<f64>> = estimate.basis.q.iter().map(|q| inverse.times(q)).collect();
    let mut precisions = inverse.inverse_diagonal();
    for column in &trend {
        precisions.iter_mut().zip(column).for_each(|(p, g)| *p -= g * g);
    }
    let condition = norm(likelihood, &estimate.point) * inverse.inverse_norm(likelihood.progress);
    let mut warnings = problem.warnings.clone();
    if condition > LARGE_CONDITION {
        warnings.push(Warning::NearlySingular { condition, jitter: likelihood.jitter });
    }
    Kriging {
        settings: settings.clone(),
        inputs: inputs.iter().map(|row| row.to_vec()).collect(),
        responses: responses.to_vec(),
        axes: problem.axes.clone(),
        response: problem.response,
        rows: problem.rows.clone(),
        point: estimate.point.clone(),
        variance: process_variance(problem, estimate),
        beta: estimate.beta.clone(),
        predictor: Predictor::new(&problem.x, &inverse, &weights, &trend, &estimate.basis),
        weights: weights[..n].to_vec(),
        precisions,
        report: Report {
            log_likelihood: -estimate.value - n as f64 * problem.response.factor.ln(),
            evaluations: likelihood.evaluations,
            condition,
            jitter: likelihood.jitter,
            warnings,
        },
    }
}

fn process_variance(problem: &Problem, estimate: &Estimate) -> f64 {
    if problem.is_exact_trend() && problem.noise.is_empty() { 0.0 } else { estimate.variance }
}

/// ‖K‖₁
fn norm(likelihood: &Likelihood, point: &Hyperparameters) -> f64 {
    let (n, r) = (likelihood.problem.samples(), &likelihood.correlations);
    let mut sums = vec![point.nugget + likelihood.jitter; n];
    for i in 0..n {
        sums[i] += 1.0;
        for j in 0..i {
            sums[i] += r.at(i, j);
            sums[j] += r.at(i, j);
        }
    }
    let scale = point.scale.unwrap_or(1.0);
    sums.iter_mut().zip(&likelihood.problem.noise).for_each(|(sum, v)| *sum += v / scale);
    sums.into_iter().fold(0.0, f64::max)
}
