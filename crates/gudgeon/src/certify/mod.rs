//! How many digits of a run hold, and until when: the same run at a tenth and at a hundredth of the
//! tolerance, or at a half and a quarter of the step where it is fixed.
//!
//! All three are compared at the rows and steps of the run in question. With ε the error estimated
//! from them (`estimate.rs`), as the largest one up to an instant, and m the largest magnitude of the
//! output, the digits up to that instant are −log₁₀(ε/m). The horizon is the last instant before they
//! fall below two. A chaotic run has a horizon; a regular one does not. Where one of the finer runs
//! stops early, nothing is claimed beyond.
//!
//! A tolerance that cannot be refined so far, because the model or double precision does not allow it,
//! is compared with coarser ones.
//!
//! Of the largest magnitude, the mean and the root mean square the digits are −log₁₀(ε/|x|), with the
//! same estimate of ε, and for means the error of their quadrature (`simulate/means.rs`). They speak of the whole window: they have no digits where the horizon lies
//! inside, and the largest magnitude none where it lies beyond the horizon.

mod estimate;
mod history;

pub use history::History;

use crate::assembly::Assembly;
use crate::cpu;
use crate::progress::Progress;
use crate::results::{Cause, Extreme, RunReport, Status};
use crate::run::{RunSpec, Until};
use crate::simulate::simulate;
use estimate::{Distances, Judged, OF_HISTORY, OF_NUMBER, digits};
use history::Follower;

/// Digits that must hold up to the horizon.
const HELD: f64 = 2.0;
/// Finer tolerances ask for more than double precision holds.
const FINEST: f64 = 1e-14;

#[derive(Clone, Debug)]
pub struct Certificate {
    pub rtol: f64,
    /// The two runs that it rests on, the one nearer to the run in question first.
    pub references: [Reference; 2],
    pub outputs: Vec<CertifiedOutput>,
    /// Both of them finished.
    pub complete: bool,
    /// Time up to which all runs went, s.
    pub reached: f64,
}

/// A run to compare with.
#[derive(Clone, Debug)]
pub struct Reference {
    pub rtol: f64,
    /// Its step over that of the run in question, where it is fixed.
    pub step_ratio: f64,
    pub status: Status,
    pub final_time: f64,
    /// CPU time, s.
    pub cpu_seconds: f64,
}

#[derive(Clone, Debug)]
pub struct CertifiedOutput {
    pub name: String,
    /// Decimal digits of the largest magnitude, the mean and the root mean square that hold (0 … 13).
    pub extreme_digits: f64,
    pub mean_digits: f64,
    pub rms_digits: f64,
    /// How far the time of the largest magnitude may be off, s; not a number where its digits are not
    /// certified.
    pub extreme_time_error: f64,
    /// Fewest digits, relative to the largest magnitude, at any instant up to the horizon.
    pub digits: f64,
    /// Last time up to which the history holds to two digits, s.
    pub horizon: f64,
    /// Whether the horizon is the end of the run.
    pub whole_run: bool,
}

/// Runs twice more and compares; `progress` hears the share done and may cancel the runs. The run in
/// question and its history must be those of `spec`, whose limit of CPU time holds for all runs made here
/// together.
pub fn certify(
    assembly: &Assembly,
    spec: &RunSpec,
    (report, history): (&RunReport, &History),
    progress: &dyn Progress,
) -> Certificate {
    let started = cpu::seconds();
    let follow = |level: i32, share: (f64, f64)| {
        let mut spec = at_level(spec, report.solver.rtol, level, report.final_time);
        spec.limits = spec.limits.after(cpu::seconds() - started);
        let mut follower = Follower::new(history, share, progress);
        let report = simulate(assembly, &spec, &mut follower);
        Other { level, report, values: follower.values }
    };
    let finer = if can_be_finer(spec, report.solver.rtol) { 1 } else { -1 };
    let near = follow(finer, (0.0, 0.4));
    let mut far = follow(2 * finer, (0.4, 0.6));
    // The finest tolerance may be too much for a model; then the run stands between the two. A run that
    // the time limit ended leaves none for another.
    if finer == 1 && near.is_done() && far.is_too_fine() {
        far = follow(-1, (1.0, 0.0));
    }
    let complete = near.is_done() && far.is_done();
    let comparison = Comparison { report, history, near: &near, far: &far, complete };
    Certificate {
        rtol: report.solver.rtol,
        outputs: (0..spec.outputs.len()).map(|i| comparison.output(i)).collect(),
        complete,
        reached: comparison.reached(),
        references: [near.reference(), far.reference()],
    }
}

/// A tolerance that cannot be made finer is compared with coarser ones.
fn can_be_finer(spec: &RunSpec, rtol: f64) -> bool {
    spec.method.step().is_some() || 1e-2 * rtol > 0.99 * FINEST
}

/// The same run up to the same time at the tolerance times 10^−level. A fixed step knows no tolerance:
/// it is taken times 2^−level, and every step is solved as much better.
fn at_level(spec: &RunSpec, rtol: f64, level: i32, end: f64) -> RunSpec {
    let mut method = spec.method;
    if let Some(step) = method.step_mut() {
        *step *= step_ratio(level);
    }
    let rtol = rtol * 10f64.powi(-level);
    RunSpec {
        rtol: Some(rtol.max(FINEST)),
        method,
        loops: Vec::new(),
        pressure_at: Vec::new(),
        until: Until::Time(end),
        at_most: None,
        ..spec.clone()
    }
}

fn step_ratio(level: i32) -> f64 {
    2f64.powi(-level)
}

/// Angles and ratios come from numbers of size one: what differs is off by their rounding at least,
/// however well the runs agree.
fn noise(unit: &str) -> f64 {
    if matches!(unit, "rad" | "") { f64::EPSILON } else { 0.0 }
}

/// A run at another tolerance and its outputs at the instants of the history.
struct Other {
    level: i32,
    report: RunReport,
    values: Vec<f64>,
}

impl Other {
    fn is_done(&self) -> bool {
        self.report.status == Status::Done
    }

    /// Whether it failed, but not for want of CPU time.
    fn is_too_fine(&self) -> bool {
        match &self.report.status {
            Status::Failed(error) => !matches!(error.cause, Cause::TimeLimit { .. }),
            Status::Done | Status::Interrupted => false,
        }
    }

    fn reference(&self) -> Reference {
        Reference {
            rtol: self.report.solver.rtol,
            step_ratio: step_ratio(self.level),
            status: self.report.status.clone(),
            final_time: self.report.final_time,
            cpu_seconds: self.report.solver.cpu.integration(),
        }
    }
}

struct Comparison<'a> {
    report: &'a RunReport,
    history: &'a History,
    near: &'a Other,
    far: &'a Other,
    complete: bool,
}

impl Comparison<'_> {
    /// Which of the three runs is in question.
    fn judged(&self) -> Judged {
        match (self.near.level, self.far.level) {
            (1.., 1..) => Judged::Coarse,
            _ => Judged::Finer,
        }
    }

    /// From the coarse to the fine one.
    fn ordered(&self, own: f64, near: f64, far: f64) -> [f64; 3] {
        match (self.near.level, self.far.level) {
            (1.., 1..) => [own, near, far],
            (1.., _) => [far, own, near],
            _ => [far, near, own],
        }
    }

    /// Time up to which all runs went.
    fn reached(&self) -> f64 {
        [self.near, self.far]
            .iter()
            .fold(self.report.final_time, |t, other| t.min(other.report.final_time))
    }

    fn output(&self, output: usize) -> CertifiedOutput {
        let (fewest, horizon, whole_run) = self.history_of(output);
        let [own, near, far] =
            [self.report, &self.near.report, &self.far.report].map(|r| &r.extremes[output]);
        let error = |number: fn(&Extreme) -> f64| {
            let runs = self.ordered(number(own), number(near), number(far));
            Distances::new(runs).error(self.judged(), OF_NUMBER)
        };
        // `bound` is what the runs share: the error of the quadrature behind a mean.
        let held = |allowed: bool, number: fn(&Extreme) -> f64, bound: f64| {
            if allowed { digits(error(number) + bound, number(own)) } else { 0.0 }
        };
        let certain = [own, near, far].iter().all(|extreme| extreme.abs_max().1 <= horizon);
        CertifiedOutput {
            name: own.name.clone(),
            extreme_digits: held(self.complete && certain, |e| e.abs_max().0, 0.0),
            mean_digits: held(whole_run, |e| e.mean, own.mean_error),
            rms_digits: held(whole_run, |e| e.rms, own.rms_error),
            extreme_time_error: if self.complete && certain {
                let (from, to) = self.report.window;
                error(|e| e.abs_max().1).min(to - from)
            } else {
                f64::NAN
            },
            digits: fewest,
            horizon,
            whole_run,
        }
    }

    /// Digits of a history, its horizon, and whether that is the end of the run.
    fn history_of(&self, output: usize) -> (f64, f64, bool) {
        let width = self.report.extremes.len();
        let (near, far) = (&self.near.values, &self.far.values);
        let instants = self.history.times().len().min(near.len().min(far.len()) / width);
        let runs = |instant: usize| {
            let at = instant * width + output;
            self.ordered(self.history.at(instant)[output], near[at], far[at])
        };
        let largest = (0..instants).fold(0.0, |m: f64, i| m.max(runs(i)[2].abs()));
        let mut distances = Distances::default();
        let noise = noise(&self.report.extremes[output].unit);
        let (mut fewest, mut horizon) = (0.0, 0.0);
        for instant in 0..instants {
            let runs = runs(instant);
            // An output by formula that has no value there.
            if runs.iter().any(|value| value.is_nan()) {
                continue;
            }
            distances = distances.max(Distances::new(runs));
            let error = distances.error(self.judged(), OF_HISTORY);
            let held = digits(if error > 0.0 { error.max(noise) } else { error }, largest);
            if held < HELD {
                return (fewest, horizon, false);
            }
            fewest = held;
            horizon = self.history.times()[instant];
        }
        let whole_run = self.complete && instants == self.history.times().len();
        (fewest, if whole_run { self.report.final_time } else { horizon }, whole_run)
    }
}
