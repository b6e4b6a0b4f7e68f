//! How many digits of a run hold, and until when: the same run at a tenth of the tolerance, or at
//! half the step where it is fixed.
//!
//! Both runs are compared at equal instants. With x the output, y the one of the finer run and m
//! the largest |y| of the run, the digits at an instant are −log₁₀(|x − y|/m). The horizon is the
//! last instant before they fall below two. A chaotic run has a horizon; a regular one does not.

use std::ops::ControlFlow;

use crate::assembly::Assembly;
use crate::results::{RunReport, Status};
use crate::run::{DEFAULT_RTOL, Method, RunSpec, Until};
use crate::simulate::{Observer, Silent, simulate};

/// Instants of comparison.
const INSTANTS: f64 = 4000.0;
/// Digits that must hold up to the horizon.
const HELD: f64 = 2.0;

#[derive(Clone, Debug)]
pub struct Certificate {
    pub rtol: f64,
    pub reference_rtol: f64,
    pub outputs: Vec<CertifiedOutput>,
    /// Both runs finished.
    pub complete: bool,
}

#[derive(Clone, Debug)]
pub struct CertifiedOutput {
    pub name: String,
    /// Decimal digits on which the two runs' largest magnitude agrees (0 … 15).
    pub extreme_digits: f64,
    /// Fewest digits, relative to the largest magnitude, at any instant up to the horizon.
    pub digits: f64,
    /// Last time up to which the two histories agree to two digits, s.
    pub horizon: f64,
    /// Whether the horizon is the end of the run.
    pub whole_run: bool,
}

/// Runs twice and compares; `progress` gets the share done, `false` stops it.
pub fn certify(
    assembly: &Assembly,
    spec: &RunSpec,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Certificate {
    let rtol = spec.rtol.unwrap_or(DEFAULT_RTOL);
    let end = end_of(assembly, spec);
    let coarse = RunSpec {
        rtol: Some(rtol),
        loops: Vec::new(),
        pressure_at: Vec::new(),
        until: Until::Time(end),
        every: Some(end / INSTANTS),
        ..spec.clone()
    };
    let fine = RunSpec { rtol: Some(0.1 * rtol), method: finer(spec.method), ..coarse.clone() };
    let (a, first) = history(assembly, &coarse, 0.0, progress);
    let (b, second) = history(assembly, &fine, 0.5, progress);
    let outputs = (0..spec.outputs.len())
        .map(|i| {
            let extremes = (first.extremes[i].abs_max().0, second.extremes[i].abs_max().0);
            compare(&spec.outputs[i].name, i, &a, &b, extremes)
        })
        .collect();
    Certificate {
        rtol,
        reference_rtol: 0.1 * rtol,
        outputs,
        complete: first.status == Status::Done && second.status == Status::Done,
    }
}

/// Time at which a run ends; one that ends at an angle is run to find out.
fn end_of(assembly: &Assembly, spec: &RunSpec) -> f64 {
    match spec.until {
        Until::Time(end) => end,
        Until::JointAngle { .. } => {
            let spec = RunSpec {
                outputs: Vec::new(),
                loops: Vec::new(),
                pressure_at: Vec::new(),
                ..spec.clone()
            };
            simulate(assembly, &spec, &mut Silent).final_time
        }
    }
}

/// A fixed step knows no tolerance: it is halved.
fn finer(method: Method) -> Method {
    let mut finer = method;
    if let Some(step) = finer.step_mut() {
        *step *= 0.5;
    }
    finer
}

fn compare(
    name: &str,
    output: usize,
    a: &History,
    b: &History,
    (first, second): (f64, f64),
) -> CertifiedOutput {
    let largest = b.values(output).fold(0.0, |m: f64, x| m.max(x.abs()));
    let mut worst = f64::INFINITY;
    let mut horizon = 0.0;
    let mut whole_run = true;
    for (i, (x, y)) in a.values(output).zip(b.values(output)).enumerate() {
        let held = digits(x - y, largest);
        if held < HELD {
            whole_run = false;
            break;
        }
        worst = worst.min(held);
        horizon = a.times[i];
    }
    CertifiedOutput {
        name: name.to_owned(),
        extreme_digits: digits(first - second, second),
        digits: if worst.is_finite() { worst } else { 15.0 },
        horizon,
        whole_run,
    }
}

fn digits(difference: f64, of: f64) -> f64 {
    if difference == 0.0 {
        return 15.0;
    }
    (-(difference / of).abs().log10()).clamp(0.0, 15.0)
}

/// Rows of a run, kept.
#[derive(Default)]
struct History {
    width: usize,
    times: Vec<f64>,
    rows: Vec<f64>,
}

impl History {
    fn values(&self, output: usize) -> impl Iterator<Item = f64> + '_ {
        self.rows.iter().skip(output).step_by(self.width.max(1)).copied()
    }
}

fn history(
    assembly: &Assembly,
    spec: &RunSpec,
    share: f64,
    progress: &mut dyn FnMut(f64) -> bool,
) -> (History, RunReport) {
    let history = History { width: spec.outputs.len(), ..History::default() };
    let mut recorder = Recorder { history, share, progress };
    let report = simulate(assembly, spec, &mut recorder);
    (recorder.history, report)
}

/// Fills a history and passes the progress on.
struct Recorder<'p> {
    history: History,
    share: f64,
    progress: &'p mut dyn FnMut(f64) -> bool,
}

impl Observer for Recorder<'_> {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.history.times.push(t);
        self.history.rows.extend_from_slice(values);
        ControlFlow::Continue(())
    }

    fn progress(&mut self, t: f64, end: f64) -> ControlFlow<()> {
        let go_on = (self.progress)(self.share + 0.5 * (t / end).min(1.0));
        if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
