//! Surrogates instead of runs: Kriging models of printed tables, of our own simulations, and of test
//! functions. `fit` of a recipe says which; the point of a case is its `set`.
//!
//! | value | meaning |
//! |---|---|
//! | `surrogate.prediction` | of the model at the point of the case |
//! | `surrogate.simulated`, `surrogate.error` | the simulation there; distance of the prediction, as a part of it |
//! | `surrogate.smallest`, `surrogate.best.NAME` | smallest prediction by a genetic search, and where |
//! | `surrogate.rmse.mean`, `surrogate.rmse.median` | errors on a grid over several designs of a test function |

use gudgeon::progress::Progress;
use gudgeon_model::{Overrides, expr};
use gudgeon_study::design::Filling;
use gudgeon_study::design::variables::Ranges;
use gudgeon_study::file::{Values, Variable, numbers};
use gudgeon_study::kriging::{Kriging, Settings};
use gudgeon_study::optimise::Problem;
use gudgeon_study::optimise::genetic::{GeneticOptions, genetic};
use gudgeon_study::shipped;

use super::job::{Job, Part};
use super::reference::{Case, Fit, Group, Recipe};
use super::refuse;
use super::runner::{Named, Outcome, run_all};
use crate::Refusal;

/// Most evaluations of a search.
const EVALUATIONS: usize = 20_000;

/// What a surrogate is fitted to.
#[derive(Clone, Debug)]
pub enum SurrogateCase {
    /// Designs with their values, and the point that is asked for.
    Printed(Table),
    /// The same with designs to be simulated, the last job at the point; each gives one value.
    Simulated { table: Table, jobs: Vec<Job> },
    /// A shipped study of one formula.
    Function { study: String, response: String, samples: usize, designs: u64, grid: usize },
}

/// Designs of a table by the names of its variables.
#[derive(Clone, Debug)]
pub struct Table {
    names: Vec<String>,
    inputs: Vec<Vec<f64>>,
    /// Empty where they are to be simulated.
    values: Vec<f64>,
    point: Vec<f64>,
}

impl SurrogateCase {
    /// The surrogate of a case from the groups of its paper.
    pub fn new(part: &Part, fit: &Fit, recipe: &Recipe) -> Result<Self, Box<Refusal>> {
        match fit {
            Fit::Function { study, response, samples, designs, grid } => {
                let (study, response) = (study.clone(), response.clone());
                let (samples, designs, grid) = (*samples, *designs, *grid);
                Ok(Self::Function { study, response, samples, designs, grid })
            }
            Fit::Printed { table, cases, row } => {
                let (_, known) = rows_of(part, table, *cases)?;
                let mut table = Table::new(known, recipe).map_err(refuse)?;
                let printed = known.iter().filter_map(|case| case.printed.get(*row).copied());
                table.values = printed.collect();
                Ok(Self::Printed(table))
            }
            Fit::Simulated { table, cases } => {
                let (group, known) = rows_of(part, table, *cases)?;
                let value = group.rows.first().map(|row| &row.value);
                let value = value.ok_or_else(|| refuse(format!("{table} has no values")))?;
                let table = Table::new(known, recipe).map_err(refuse)?;
                let own = Recipe { fit: None, set: Default::default(), ..recipe.clone() };
                let job = |set: &toml::Table| {
                    let set = Recipe { set: set.clone(), ..Recipe::default() };
                    part.job(&group.recipe.with(&own).with(&set), &[value])
                };
                let sets = known.iter().map(|case| &case.set).chain([&recipe.set]);
                Ok(Self::Simulated { table, jobs: sets.map(job).collect::<Result<_, _>>()? })
            }
        }
    }

    /// The names of its values.
    pub fn names(&self) -> Vec<String> {
        let (table, more) = match self {
            Self::Function { .. } => return vec!["rmse.mean".into(), "rmse.median".into()],
            Self::Printed(table) => (table, &[][..]),
            Self::Simulated { table, .. } => (table, &["simulated", "error"][..]),
        };
        let best = table.names.iter().map(|name| format!("best.{name}"));
        let fixed = ["prediction", "smallest"].iter().chain(more).map(|name| (*name).to_owned());
        fixed.chain(best).collect()
    }

    /// Fits it, and gives all its values.
    pub fn fit(&self, progress: &dyn Progress) -> Result<Named, String> {
        match self {
            Self::Printed(table) => table.fit(&table.values, progress),
            Self::Simulated { table, jobs } => {
                let outcomes = run_all(jobs, 0, &Share(progress)).ok_or("interrupted")?;
                let only = |outcome: Outcome| match outcome?.pop() {
                    Some((_, measured)) => Ok(measured?.value),
                    None => Err("no value was requested".into()),
                };
                let mut values =
                    outcomes.into_iter().map(only).collect::<Result<Vec<f64>, String>>()?;
                let simulated = values.pop().ok_or("nothing was simulated")?;
                let mut fitted = table.fit(&values, progress)?;
                let error = (fitted[0].1 / simulated - 1.0).abs();
                fitted.extend([("simulated".into(), simulated), ("error".into(), error)]);
                Ok(fitted)
            }
            Self::Function { study, response, samples, designs, grid } => {
                errors(study, response, *samples, *designs, *grid, progress)
            }
        }
    }
}

/// A group by name, and its first cases.
fn rows_of<'a>(
    part: &'a Part,
    table: &str,
    cases: usize,
) -> Result<(&'a Group, &'a [Case]), Box<Refusal>> {
    let group = part.groups.iter().find(|group| group.name == *table);
    let group = group.ok_or_else(|| refuse(format!("no group `{table}`")))?;
    let known = group.cases.get(..cases).filter(|known| !known.is_empty());
    Ok((group, known.ok_or_else(|| refuse(format!("{table} has no {cases} cases")))?))
}

/// A part of the work: its share is not that of the whole.
struct Share<'a>(&'a dyn Progress);

impl Progress for Share<'_> {
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

impl Table {
    /// The designs of some cases, and the point of a recipe; the values are missing yet.
    fn new(known: &[Case], recipe: &Recipe) -> Result<Self, String> {
        let names: Vec<String> = known[0].set.keys().cloned().collect();
        let place = |set: &toml::Table| names.iter().map(|name| number(set, name)).collect();
        let inputs = known.iter().map(|case| place(&case.set));
        let inputs = inputs.collect::<Result<Vec<Vec<f64>>, String>>()?;
        let point = place(&recipe.set)?;
        Ok(Self { names, inputs, values: Vec::new(), point })
    }

    /// Prediction at the point, and the smallest one within the ranges of the designs.
    fn fit(&self, values: &[f64], progress: &dyn Progress) -> Result<Named, String> {
        let Self { names, inputs, point, .. } = self;
        let model = Kriging::fit_watched(inputs, values, &Settings::default(), progress);
        let model = model.map_err(|error| error.to_string())?;
        let at = model.predict(point).map_err(|error| error.to_string())?;
        let range = |i: usize| {
            let column = || inputs.iter().map(|row| row[i]);
            (column().fold(f64::INFINITY, f64::min), column().fold(f64::NEG_INFINITY, f64::max))
        };
        let ranges: Vec<(f64, f64)> = (0..names.len()).map(range).collect();
        let variables = Ranges::bounds(&ranges).map_err(|error| error.to_string())?;
        let predict = |x: &[f64]| model.predict(x).map_or(f64::NAN, |prediction| prediction.mean);
        let mut problem = Problem::of(&variables, EVALUATIONS, predict).watched(progress);
        let found = genetic(&mut problem, &GeneticOptions::default()).map_err(|e| e.to_string())?;
        let best = found.ok_or("nothing was searched")?.best;
        let mut fitted =
            vec![("prediction".to_owned(), at.mean), ("smallest".to_owned(), best.objective())];
        let place = |(name, value): (&String, &f64)| (format!("best.{name}"), *value);
        fitted.extend(names.iter().zip(&best.values).map(place));
        Ok(fitted)
    }
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
    let loaded = shipped::load(&shipped, &Overrides::default());
    let loaded = loaded.map_err(|_| format!("the study `{study}` does not load"))?.study;
    let index = loaded.responses.iter().position(|other| other.name == response);
    let index = index.ok_or_else(|| format!("no response `{response}`"))?;
    let value = |point: &Vec<f64>| -> Result<f64, String> {
        let (variables, mut values) = (numbers(&loaded.variables, point), Vec::new());
        for response in &loaded.responses[..=index] {
            let Some(formula) = response.formula() else {
                return Err("a function is a formula".into());
            };
            values.push(formula.value(&variables, &values)?);
        }
        Ok(values[index])
    };
    let range = |variable: &Variable| match &variable.values {
        Values::Range(range) => Ok(range.bounds()),
        Values::Distribution(_) => Err("a function has ranges".to_owned()),
    };
    let ranges = loaded.variables.iter().map(range).collect::<Result<Vec<(f64, f64)>, String>>()?;
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
