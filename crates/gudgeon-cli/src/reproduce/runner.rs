//! Runs the cases of a paper on all cores; the results do not depend on their number.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use gudgeon::assembly::assemble_requested;
use gudgeon::ensemble::shifted;
use gudgeon::model::Model;
use gudgeon::progress::Progress;
use gudgeon::results::{LoopPoint, RunReport, Status};
use gudgeon::run::{Every, RunSpec};
use gudgeon::simulate::{Observer, simulate};
use gudgeon_model::{Overrides, shipped};

use super::film;
use super::learn::Lesson;
use super::reference::Recipe;
use super::turns::{TurnPeaks, TurnWatch};

/// Seed of all ensembles.
const SEED: u64 = 1;

/// One case: a shipped model and what is changed in it.
#[derive(Clone, Debug)]
pub struct Job {
    pub model: &'static str,
    pub recipe: Recipe,
    pub needs: Needs,
    /// A Kriging model instead of a run.
    pub lesson: Option<Lesson>,
}

/// How much of a case is asked for beyond its model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    pub run: bool,
    /// All its recorded rows.
    pub rows: bool,
    /// Its peaks turn by turn.
    pub turns: bool,
}

impl Needs {
    pub const MODEL: Self = Self { run: false, rows: false, turns: false };
    pub const RUN: Self = Self { run: true, ..Self::MODEL };
    pub const ROWS: Self = Self { rows: true, ..Self::RUN };
    pub const TURNS: Self = Self { turns: true, ..Self::RUN };

    pub fn with(self, other: Self) -> Self {
        Self {
            run: self.run || other.run,
            rows: self.rows || other.rows,
            turns: self.turns || other.turns,
        }
    }
}

/// What came of a case.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub model: Model,
    pub ran: Ran,
}

#[derive(Clone, Debug)]
pub enum Ran {
    Nothing,
    Once(Box<Run>),
    /// Runs from starts that differ by a nanometre.
    Ensemble(Vec<Run>),
    /// Values by name, of what is no run.
    Named(Named),
}

pub type Named = Vec<(String, f64)>;

#[derive(Clone, Debug)]
pub struct Run {
    pub report: RunReport,
    pub rows: Rows,
    /// Empty unless needed.
    pub turns: TurnPeaks,
}

/// Recorded rows, the first one only unless more are needed.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Outputs, in the order of the columns.
    pub names: Vec<String>,
    /// Times and values.
    pub values: Vec<(f64, Vec<f64>)>,
}

impl Rows {
    pub fn column(&self, output: &str) -> Option<usize> {
        self.names.iter().position(|name| name == output)
    }
}

/// The outcomes in the order of the jobs, or `None` when `progress` cancels them.
pub fn run_all(
    jobs: &[Job],
    threads: usize,
    progress: &dyn Progress,
) -> Option<Vec<Result<Outcome, String>>> {
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let slots: Mutex<Vec<Option<Result<Outcome, String>>>> = Mutex::new(vec![None; jobs.len()]);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(jobs.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= jobs.len() || progress.is_cancelled() {
                        break;
                    }
                    let outcome = run(&jobs[index], progress);
                    slots.lock().expect("no job panics")[index] = Some(outcome);
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    progress.report(done as f64 / jobs.len() as f64);
                }
            });
        }
    });
    let outcomes = slots.into_inner().expect("no job panics").into_iter().collect();
    if progress.is_cancelled() { None } else { outcomes }
}

fn run(job: &Job, progress: &dyn Progress) -> Result<Outcome, String> {
    let shipped = shipped::find(job.model)
        .ok_or_else(|| format!("there is no shipped model `{}`", job.model))?;
    let loaded = shipped
        .load(&overrides(&job.recipe))
        .map_err(|failure| failure.diagnostics.render(&failure.sources, false))?;
    let (model, mut spec) = (loaded.model, loaded.run);
    if let Some(lesson) = &job.lesson {
        return Ok(Outcome { model, ran: Ran::Named(lesson.learn(progress)?) });
    }
    if let Some(state) = &job.recipe.film {
        let values = film::evaluate(&model, state)?;
        return Ok(Outcome { model, ran: Ran::Named(values) });
    }
    // Where nobody reads rows there are none beyond the first.
    spec.every = if job.needs.rows { Every::Steps } else { Every::Interval(f64::INFINITY) };
    let once = |model: &Model| simulated(model, &spec, job.needs, progress);
    let ran = match job.recipe.ensemble {
        _ if !job.needs.run => Ran::Nothing,
        Some(runs) => {
            let start = |index| shifted(&model, SEED, index);
            Ran::Ensemble((0..runs).map(|i| once(&start(i))).collect::<Result<_, String>>()?)
        }
        None => Ran::Once(Box::new(once(&model)?)),
    };
    Ok(Outcome { model, ran })
}

/// One run.
fn simulated(
    model: &Model,
    spec: &RunSpec,
    needs: Needs,
    progress: &dyn Progress,
) -> Result<Run, String> {
    let assembly = assemble_requested(model).map_err(|error| error.to_string())?;
    let turns = needs.turns.then(|| TurnWatch::new(model, spec)).transpose()?;
    let mut keeper = Keeper { all: needs.rows, values: Vec::new(), turns, progress };
    let report = simulate(&assembly, spec, &mut keeper);
    match &report.status {
        Status::Failed(error) => return Err(error.to_string()),
        Status::Interrupted => return Err("interrupted".into()),
        Status::Done => {}
    }
    let names = spec.outputs.iter().map(|output| output.name.clone()).collect();
    let rows = Rows { names, values: keeper.values };
    let turns = keeper.turns.map(|turns| turns.finish(spec)).unwrap_or_default();
    Ok(Run { report, rows, turns })
}

/// The recipe as changes to a model file.
fn overrides(recipe: &Recipe) -> Overrides {
    let text = |value: &toml::Value| match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut set: Vec<(String, String)> =
        recipe.set.iter().map(|(name, value)| (name.clone(), text(value))).collect();
    if !recipe.outputs.is_empty() {
        set.push(("run.outputs".into(), toml::Value::from(recipe.outputs.clone()).to_string()));
    }
    Overrides {
        set,
        ideal: recipe.ideal.clone(),
        law: recipe.law.iter().map(|law| (None, law.clone())).collect(),
        until: recipe.until.clone(),
        measure_from: recipe.measure_from.clone(),
        plot_range: None,
        rtol: recipe.rtol,
    }
}

/// Keeps the first row, or all, and the peaks of turns.
struct Keeper<'a> {
    all: bool,
    values: Vec<(f64, Vec<f64>)>,
    turns: Option<TurnWatch>,
    progress: &'a dyn Progress,
}

impl Observer for Keeper<'_> {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        if self.all || self.values.is_empty() {
            self.values.push((t, values.to_vec()));
        }
        if let Some(turns) = &mut self.turns {
            turns.row(values);
        }
        ControlFlow::Continue(())
    }

    fn instant(&self, row: u64) -> Option<f64> {
        self.turns.as_ref().map(|turns| turns.instant(row))
    }

    fn loop_point(&mut self, _point: LoopPoint) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        if self.progress.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
