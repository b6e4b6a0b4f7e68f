//! Many runs from starts that differ by a nanometre: mean and spread of chaotic extremes.
//!
//! Every run moves each journal centre by its own seeded vector of [`SHIFT`] from the start of the
//! model. The seed of a run depends on its number alone, and the sums run in that order, so the
//! result is the same for any number of threads.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nalgebra::Vector3;

use crate::assembly::{AssemblyError, assemble};
use crate::cpu;
use crate::model::Model;
use crate::progress::Progress;
use crate::random::Random;
use crate::results::{Cause, Extreme, SimulationError, Status};
use crate::run::RunSpec;
use crate::simulate::{Observer, simulate};

/// Length of the start offset, m.
pub const SHIFT: f64 = 1e-9;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnsembleOptions {
    pub runs: usize,
    pub seed: u64,
    /// Threads; 0 for all cores. The result does not depend on it.
    pub jobs: usize,
}

/// What came of all runs: `finished` + `failed` + `cut` + `not_begun` = `runs`.
#[derive(Clone, Debug, Default)]
pub struct EnsembleReport {
    /// Runs asked for.
    pub runs: usize,
    /// Runs that got to their end, of which the statistics are.
    pub finished: usize,
    /// Runs that failed for a reason of their own.
    pub failed: usize,
    /// Runs that the time limit or the caller stopped on their way.
    pub cut: usize,
    pub not_begun: usize,
    /// The limit of CPU time, s, where it has cut runs or kept them from being begun.
    pub limit: Option<f64>,
    /// One per output: extremes over the finished runs.
    pub extremes: Vec<EnsembleExtreme>,
    /// Why runs failed; those that the time limit has cut are among them.
    pub failures: Vec<(usize, SimulationError)>,
}

#[derive(Clone, Debug)]
pub struct EnsembleExtreme {
    pub name: String,
    pub unit: Cow<'static, str>,
    pub abs_max: Spread,
    pub max: Spread,
    pub min: Spread,
    pub rms: Spread,
}

/// Sample mean, standard deviation (n − 1), smallest and largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub mean: f64,
    pub std: f64,
    pub min: f64,
    pub max: f64,
}

impl Spread {
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        Self {
            mean,
            std: if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 },
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// Runs the ensemble; a limit of CPU time is divided evenly among the threads, whose runs share their part
/// of it. What would begin when that is used up is not begun. `progress` hears the share of finished runs,
/// and may cancel the others.
pub fn ensemble(
    model: &Model,
    spec: &RunSpec,
    options: EnsembleOptions,
    progress: &dyn Progress,
) -> Result<EnsembleReport, AssemblyError> {
    let threads = match options.jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    };
    let workers = threads.min(options.runs).max(1);
    let share = spec.limits.share(workers);
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let late = AtomicBool::new(false);
    let slots: Mutex<Vec<Slot>> = Mutex::new((0..options.runs).map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let (mut spec, started) = (spec.clone(), cpu::seconds());
                while !progress.is_cancelled() {
                    spec.limits = share.after(cpu::seconds() - started);
                    if spec.limits.are_used_up() {
                        late.store(true, Ordering::Relaxed);
                        break;
                    }
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= options.runs {
                        break;
                    }
                    let shifted = shifted(model, options.seed, index);
                    let mut watch = Watch { progress };
                    let result = assemble(&shifted).map(|start| {
                        let report = simulate(&start, &spec, &mut watch);
                        (report.status, report.extremes)
                    });
                    slots.lock().expect("no run panics")[index] = Some(result);
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    progress.report(done as f64 / options.runs as f64);
                }
            });
        }
    });
    let mut report = summarise(slots.into_inner().expect("no run panics"))?;
    let late = report.not_begun > 0 && late.into_inner();
    let is_limit = |(_, error): &(usize, SimulationError)| is_cut(error);
    report.limit = spec.limits.cpu.filter(|_| late || report.failures.iter().any(is_limit));
    Ok(report)
}

/// What is kept of a run, if it was begun.
type Slot = Option<Result<(Status, Vec<Extreme>), AssemblyError>>;

/// Whether a run failed for want of CPU time.
fn is_cut(error: &SimulationError) -> bool {
    matches!(error.cause, Cause::TimeLimit { .. })
}

fn summarise(slots: Vec<Slot>) -> Result<EnsembleReport, AssemblyError> {
    let mut out = EnsembleReport { runs: slots.len(), ..EnsembleReport::default() };
    let mut reports = Vec::new();
    for (index, slot) in slots.into_iter().enumerate() {
        let Some((status, extremes)) = slot.transpose()? else {
            out.not_begun += 1;
            continue;
        };
        match status {
            Status::Failed(error) => {
                *(if is_cut(&error) { &mut out.cut } else { &mut out.failed }) += 1;
                out.failures.push((index, error));
            }
            Status::Done => reports.push(extremes),
            Status::Interrupted => out.cut += 1,
        }
    }
    out.finished = reports.len();
    let outputs = reports.first().map_or(0, Vec::len);
    let spread = |output: usize, value: fn(&Extreme) -> f64| {
        // What has no value in a run does not count.
        let values = reports.iter().map(|r| value(&r[output])).filter(|x| !x.is_nan());
        Spread::of(&values.collect::<Vec<_>>())
    };
    out.extremes = (0..outputs)
        .map(|i| EnsembleExtreme {
            name: reports[0][i].name.clone(),
            unit: reports[0][i].unit.clone(),
            abs_max: spread(i, |e| e.abs_max().0),
            max: spread(i, |e| e.max),
            min: spread(i, |e| e.min),
            rms: spread(i, |e| e.rms),
        })
        .collect();
    Ok(out)
}

/// Stops a run when the ensemble is cancelled.
struct Watch<'a> {
    progress: &'a dyn Progress,
}

impl Observer for Watch<'_> {
    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        if self.progress.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// The model with every journal moved by a vector of its own: that of run `index` of an ensemble.
pub fn shifted(model: &Model, seed: u64, index: usize) -> Model {
    let mut shifted = model.clone();
    let mut random = Random::new(seed ^ (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for joint in shifted.joints.iter_mut().filter(|j| j.clearance.is_some()) {
        let angle = std::f64::consts::TAU * random.unit();
        joint.start_offset += SHIFT * Vector3::new(angle.cos(), angle.sin(), 0.0);
    }
    shifted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_of_known_values() {
        let s = Spread::of(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!((s.mean, s.min, s.max), (2.5, 1.0, 4.0));
        assert!((s.std - (5.0f64 / 3.0).sqrt()).abs() < 1e-15);
    }
}
