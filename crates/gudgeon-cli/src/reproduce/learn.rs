//! Kriging models instead of runs: of printed tables, of our own simulations, and of test functions.
//!
//! | value | meaning |
//! |---|---|
//! | `learned.prediction` | of the model at the point of the case |
//! | `learned.simulated`, `learned.error` | the simulation there; distance of the prediction, as a part of it |
//! | `learned.smallest`, `learned.best.NAME` | smallest prediction by a genetic search, and where |
//! | `learned.rmse.mean`, `learned.rmse.median` | errors on a grid over several designs of a test function |

use gudgeon::progress::Progress;
use gudgeon_model::study::{Measure, VariableKind, numbers};
use gudgeon_model::{Overrides, expr, shipped};
use gudgeon_study::design::Filling;
use gudgeon_study::design::variables::Variables;
use gudgeon_study::kriging::{Kriging, Settings};
use gudgeon_study::optimise::Problem;
use gudgeon_study::optimise::genetic::{GeneticOptions, genetic};

use super::reference::{Group, Learn, Recipe};
use super::runner::{Job, Named, Needs, run_all};
use super::selector::Selector;

/// Most evaluations of a search.
const EVALUATIONS: usize = 20_000;

/// What there is to learn.
#[derive(Clone, Debug)]
pub enum Lesson {
    /// Designs with their values, and the point that is asked for.
    Table { names: Vec<String>, inputs: Vec<Vec<f64>>, values: Vec<f64>, point: Vec<f64> },
    /// Designs to be simulated, the last one asked for.
    Runs { names: Vec<String>, inputs: Vec<Vec<f64>>, jobs: Vec<Job>, value: Selector },
    /// A shipped study of one formula.
    Function { study: String, response: String, samples: usize, designs: u64, grid: usize },
}

impl Lesson {
    /// The lesson of a case from the groups of its paper.
    pub fn new(
        model: &'static str,
        groups: &[Group],
        recipe: &Recipe,
    ) -> Result<Option<Lesson>, String> {
        let Some(learn) = &recipe.learn else { return Ok(None) };
        if let Learn::Function { study, response, samples, designs, grid } = learn {
            let (study, response) = (study.clone(), response.clone());
            let (samples, designs, grid) = (*samples, *designs, *grid);
            return Ok(Some(Lesson::Function { study, response, samples, designs, grid }));
        }
        let (Learn::Printed { table, cases } | Learn::Simulated { table, cases }) = learn else {
            return Err("nothing to learn".into());
        };
        let group = groups.iter().find(|group| group.name == *table);
        let group = group.ok_or_else(|| format!("no group `{table}`"))?;
        let known = group.cases.get(..*cases).ok_or_else(|| format!("{table} is shorter"))?;
        let names: Vec<String> = known[0].set.keys().cloned().collect();
        let point = |set: &toml::Table| names.iter().map(|name| number(set, name)).collect();
        let inputs = known.iter().map(|case| point(&case.set));
        let mut inputs = inputs.collect::<Result<Vec<Vec<f64>>, String>>()?;
        let asked: Vec<f64> = point(&recipe.set)?;
        if matches!(learn, Learn::Printed { .. }) {
            let values = known.iter().filter_map(|case| case.printed.first().copied()).collect();
            return Ok(Some(Lesson::Table { names, inputs, values, point: asked }));
        }
        inputs.push(asked);
        let own = Recipe { learn: None, set: Default::default(), ..recipe.clone() };
        let job = |set: &toml::Table| {
            let set = Recipe { set: set.clone(), ..Recipe::default() };
            let recipe = group.recipe.with(&own).with(&set);
            Job { model, recipe, needs: Needs::RUN, lesson: None }
        };
        let jobs = known.iter().map(|case| &case.set).chain([&recipe.set]).map(job).collect();
        let value = group.rows.first().and_then(|row| Selector::parse(&row.value));
        let value = value.ok_or_else(|| format!("{table} has no values"))?;
        Ok(Some(Lesson::Runs { names, inputs, jobs, value }))
    }

    pub fn learn(&self, progress: &dyn Progress) -> Result<Named, String> {
        match self {
            Lesson::Table { names, inputs, values, point } => {
                fitted(names, inputs, values, point, progress)
            }
            Lesson::Runs { names, inputs, jobs, value } => {
                let outcomes = run_all(jobs, 0, &Part(progress)).ok_or("interrupted")?;
                let read = |outcome: Result<super::runner::Outcome, String>| {
                    let measured = value.read(&outcome?).ok_or("the run has no such value")?;
                    Ok(measured.value)
                };
                let mut values =
                    outcomes.into_iter().map(read).collect::<Result<Vec<f64>, String>>()?;
                let simulated = values.pop().ok_or("nothing was simulated")?;
                let (point, known) = inputs.split_last().ok_or("nothing was simulated")?;
                let mut learned = fitted(names, known, &values, point, progress)?;
                let error = (learned[0].1 / simulated - 1.0).abs();
                learned.extend([("simulated".into(), simulated), ("error".into(), error)]);
                Ok(learned)
            }
            Lesson::Function { study, response, samples, designs, grid } => {
                errors(study, response, *samples, *designs, *grid, progress)
            }
        }
    }
}

/// A part of the work: its share is not that of the whole.
struct Part<'a>(&'a dyn Progress);

impl Progress for Part<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// A value of a case in SI.
fn number(set: &toml::Table, name: &str) -> Result<f64, String> {
    match set.get(name) {
        Some(toml::Value::Float(value)) => Ok(*value),
        Some(toml::Value::Integer(value)) => Ok(*value as f64),
        Some(toml::Value::String(text)) => {
            let quantity = expr::any_quantity(text).map_err(|error| error.message)?;
            Ok(quantity.value)
        }
        _ => Err(format!("no number `{name}`")),
    }
}

/// Prediction at the point, and the smallest one within the ranges of the designs.
fn fitted(
    names: &[String],
    inputs: &[Vec<f64>],
    values: &[f64],
    point: &[f64],
    progress: &dyn Progress,
) -> Result<Named, String> {
    let model = Kriging::fit_watched(inputs, values, &Settings::default(), progress);
    let model = model.map_err(|error| error.to_string())?;
    let at = model.predict(point).map_err(|error| error.to_string())?;
    let range = |i: usize| {
        let column = || inputs.iter().map(|row| row[i]);
        (column().fold(f64::INFINITY, f64::min), column().fold(f64::NEG_INFINITY, f64::max))
    };
    let ranges: Vec<(f64, f64)> = (0..names.len()).map(range).collect();
    let variables = Variables::bounds(&ranges).map_err(|error| error.to_string())?;
    let predict = |x: &[f64]| model.predict(x).map_or(f64::NAN, |prediction| prediction.mean);
    let mut problem = Problem::of(&variables, EVALUATIONS, predict).watched(progress);
    let found = genetic(&mut problem, &GeneticOptions::default()).map_err(|e| e.to_string())?;
    let best = found.ok_or("nothing was searched")?.best;
    let mut learned =
        vec![("prediction".to_owned(), at.mean), ("smallest".to_owned(), best.objective())];
    let place = |(name, value): (&String, &f64)| (format!("best.{name}"), *value);
    learned.extend(names.iter().zip(&best.values).map(place));
    Ok(learned)
}

/// Mean and median over random Latin hypercubes of the error on a grid.
fn errors(
    study: &str,
    response: &str,
    samples: usize,
    designs: u64,
    grid: usize,
    progress: &dyn Progress,
) -> Result<Named, String> {
    let shipped = shipped::find_study(study).ok_or_else(|| format!("no study `{study}`"))?;
    let loaded = shipped.load(&Overrides::default());
    let loaded = loaded.map_err(|_| format!("the study `{study}` does not load"))?.study;
    let index = loaded.responses.iter().position(|other| other.name == response);
    let index = index.ok_or_else(|| format!("no response `{response}`"))?;
    let value = |point: &Vec<f64>| -> Result<f64, String> {
        let (variables, mut values) = (numbers(&loaded.variables, point), Vec::new());
        for response in &loaded.responses[..=index] {
            let Measure::Formula(formula) = &response.measure else {
                return Err("a function is a formula".into());
            };
            values.push(formula.value(&variables, &values)?);
        }
        Ok(values[index])
    };
    let range = |kind: &VariableKind| match kind {
        VariableKind::Range { low, high, .. } => Ok((*low, *high)),
        _ => Err("a function has ranges".to_owned()),
    };
    let ranges = loaded.variables.iter().map(|variable| range(&variable.kind));
    let ranges = ranges.collect::<Result<Vec<(f64, f64)>, String>>()?;
    let place = |unit: &[f64]| -> Vec<f64> {
        ranges.iter().zip(unit).map(|((low, high), u)| low + u * (high - low)).collect()
    };
    let step = |i: usize| i as f64 / (grid - 1) as f64;
    let pairs = (0..grid * grid).map(|i| place(&[step(i % grid), step(i / grid)]));
    let grid: Vec<Vec<f64>> = pairs.collect();
    let exact = grid.iter().map(value).collect::<Result<Vec<f64>, String>>()?;
    let error = |seed: u64| -> Result<f64, String> {
        let units = Filling::LatinRandom.sample(samples, ranges.len(), seed);
        let units = units.map_err(|error| error.to_string())?;
        let inputs: Vec<Vec<f64>> = units.iter().map(|unit| place(unit)).collect();
        let values = inputs.iter().map(value).collect::<Result<Vec<f64>, String>>()?;
        let model = Kriging::fit_watched(&inputs, &values, &Settings::default(), progress);
        let model = model.map_err(|error| error.to_string())?;
        let at = model.predict_all(&grid).map_err(|error| error.to_string())?;
        let squares: f64 = at.iter().zip(&exact).map(|(p, f)| (p.mean - f).powi(2)).sum();
        Ok((squares / exact.len() as f64).sqrt())
    };
    let mut all = (1..=designs).map(error).collect::<Result<Vec<f64>, String>>()?;
    all.sort_by(f64::total_cmp);
    let middle = all.len() / 2;
    let median =
        if all.len() % 2 == 1 { all[middle] } else { 0.5 * (all[middle - 1] + all[middle]) };
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    Ok(vec![("rmse.mean".into(), mean), ("rmse.median".into(), median)])
}
