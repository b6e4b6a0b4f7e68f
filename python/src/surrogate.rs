//! Kriging models, and searches over functions of Python.

use gudgeon_study::design::variables::Ranges;
use gudgeon_study::kriging::{Kriging, Search, Settings};
use gudgeon_study::optimise::compass::{CompassOptions, compass};
use gudgeon_study::optimise::ego::{EgoOptions, Fits, ego};
use gudgeon_study::optimise::genetic::{GeneticOptions, genetic};
use gudgeon_study::optimise::{Individual, Outcome, Problem};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors;
use crate::watch::{Watch, watched};

fn wrong(py: Python<'_>, error: impl std::fmt::Display) -> PyErr {
    errors::raise(py, "StudyError", (error.to_string(),))
}

/// Choices as JSON over the defaults.
fn settings(text: &str) -> PyResult<Settings> {
    let mut all = gudgeon_output::record::to_value(&Settings::default());
    let chosen: serde_json::Value =
        serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut search = gudgeon_output::record::to_value(&Search::default());
    for (key, value) in chosen.as_object().into_iter().flatten() {
        match key.as_str() {
            "starts" | "seed" => search[key] = value.clone(),
            _ => all[key] = value.clone(),
        }
    }
    if all["parameters"].get("fixed").is_none() {
        all["parameters"] = json!({ "fitted": search });
    }
    serde_json::from_value(all).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A Kriging model that was fitted.
#[pyclass(frozen, module = "gudgeon._gudgeon")]
pub struct KrigingCore(pub Kriging);

#[pymethods]
impl KrigingCore {
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        chosen: &str,
        inputs: Vec<Vec<f64>>,
        responses: Vec<f64>,
    ) -> PyResult<KrigingCore> {
        let settings = settings(chosen)?;
        let work = |watch: &Watch| Kriging::fit_watched(&inputs, &responses, &settings, watch);
        match watched(py, None, None, work)? {
            (_, Some(error)) => Err(error),
            (fitted, None) => fitted.map(KrigingCore).map_err(|error| wrong(py, error)),
        }
    }

    /// Means and variances at points.
    fn predict(&self, py: Python<'_>, points: Vec<Vec<f64>>) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let found = py.detach(|| self.0.predict_all(&points)).map_err(|error| wrong(py, error))?;
        Ok(found.iter().map(|at| (at.mean, at.variance)).unzip())
    }

    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<KrigingCore> {
        Kriging::from_json(text).map(KrigingCore).map_err(|error| wrong(py, error))
    }

    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// Share of the variance that is explained when every sample is left out once.
    fn q2(&self, py: Python<'_>) -> f64 {
        py.detach(|| self.0.leave_one_out().q2)
    }

    /// θ and α of every input, the nugget, and ln 𝓛.
    fn parameters(&self) -> (Vec<f64>, Vec<f64>, f64, f64) {
        let found = self.0.parameters();
        (found.theta, found.exponent, found.nugget, self.0.report().log_likelihood)
    }

    fn inputs(&self) -> Vec<Vec<f64>> {
        self.0.inputs().to_vec()
    }

    fn responses(&self) -> Vec<f64> {
        self.0.responses().to_vec()
    }
}

/// The next points that expected improvement would run, after those that were run: values that failed are
/// not a number. Rows are in physical values; an empty answer says that there is nothing to gain.
#[pyfunction]
pub fn suggest(
    py: Python<'_>,
    bounds: Vec<(f64, f64)>,
    points: Vec<Vec<f64>>,
    values: Vec<f64>,
    count: usize,
    chosen: &str,
    seed: u64,
) -> PyResult<Vec<Vec<f64>>> {
    let settings = settings(chosen)?;
    let ranges = Ranges::bounds(&bounds).map_err(|error| wrong(py, error))?;
    let work = |watch: &Watch| {
        let mut asked = Vec::new();
        let mut problem = Problem::new(&ranges, count, |rows: &[Vec<f64>]| {
            asked.extend_from_slice(rows);
            vec![Outcome::failed(); rows.len()]
        })
        .watched(watch);
        let known = problem.adopt(points, values.into_iter().map(Outcome::objective).collect());
        let options = EgoOptions { initial: Some(0), batch: count, seed, ..EgoOptions::default() };
        let mut fits = Fits::new(settings, watch);
        let mut fit = |response: usize, points: &[Vec<f64>], values: &[f64], parameters| {
            fits.fit(response, points, values, parameters)
        };
        let found = ego(&mut problem, known, &options, &mut fit).map(drop);
        drop(problem);
        found.map(|()| asked).map_err(told)
    };
    match watched(py, None, None, work)? {
        (_, Some(error)) => Err(error),
        (found, None) => found.map_err(|text| wrong(py, text)),
    }
}

/// An error with what it comes from.
fn told(error: impl std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// What a search found: the best point, its value, runs, and how the best value fell.
type Minimum = (Vec<f64>, f64, usize, Vec<(usize, f64)>);

/// Searches the smallest value of a function of one point.
#[pyfunction]
#[pyo3(signature = (function, bounds, method, evaluations, seed, start, chosen))]
pub fn minimise(
    py: Python<'_>,
    function: Py<PyAny>,
    bounds: Vec<(f64, f64)>,
    method: &str,
    evaluations: usize,
    seed: u64,
    start: Option<Vec<f64>>,
    chosen: &str,
) -> PyResult<Minimum> {
    let settings = settings(chosen)?;
    let ranges = Ranges::bounds(&bounds).map_err(|error| wrong(py, error))?;
    let mut raised = None;
    let work = |watch: &Watch| {
        let (mut runs, mut lowest, mut history) = (0, f64::INFINITY, Vec::new());
        let mut problem = Problem::new(&ranges, evaluations, |rows: &[Vec<f64>]| {
            let mut one = |row: &Vec<f64>| {
                if raised.is_some() {
                    return Outcome::failed();
                }
                let value =
                    Python::attach(|py| function.call1(py, (row.clone(),))?.extract::<f64>(py));
                let value = value.unwrap_or_else(|error| {
                    watch.cancel();
                    raised = Some(error);
                    f64::NAN
                });
                runs += 1;
                if value < lowest {
                    lowest = value;
                    history.push((runs, value));
                }
                Outcome::objective(value)
            };
            rows.iter().map(&mut one).collect()
        })
        .watched(watch);
        let best = search(&mut problem, method, (&settings, seed, start), watch);
        drop(problem);
        best.map(|best| best.map(|best| (best.values.clone(), best.objective(), runs, history)))
    };
    let (found, ended) = watched(py, None, None, work)?;
    if let Some(error) = ended.or(raised) {
        return Err(error);
    }
    match found.map_err(|text| wrong(py, text))? {
        Some(found) if found.1.is_finite() => Ok(found),
        _ => Err(wrong(py, "the function gave no finite value")),
    }
}

fn search(
    problem: &mut Problem,
    method: &str,
    (settings, seed, start): (&Settings, u64, Option<Vec<f64>>),
    watch: &Watch,
) -> Result<Option<Individual>, String> {
    match method {
        "ego" => {
            let options = EgoOptions { seed, ..EgoOptions::default() };
            let mut fits = Fits::new(settings.clone(), watch);
            let mut fit = |response: usize, points: &[Vec<f64>], values: &[f64], parameters| {
                fits.fit(response, points, values, parameters)
            };
            ego(problem, Vec::new(), &options, &mut fit).map(|found| found.best).map_err(told)
        }
        "compass" => {
            let start = match start {
                Some(values) => problem.variables().units(&values),
                None => vec![0.5; problem.variables().dimension()],
            };
            let first = problem.run(vec![start]).pop();
            let options = CompassOptions { last_step: 1e-6, ..CompassOptions::default() };
            Ok(first.map(|first| compass(problem, &first, &options)))
        }
        _ => {
            let options = GeneticOptions { seed, ..GeneticOptions::default() };
            let found = genetic(problem, &options).map_err(told)?;
            Ok(found.map(|found| found.best))
        }
    }
}
