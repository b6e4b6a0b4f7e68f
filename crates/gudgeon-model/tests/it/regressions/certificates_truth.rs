//! What a certificate claims beside what is true.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use gudgeon::assembly::assemble;
use gudgeon::certify::{Certificate, History, certify};
use gudgeon::progress::Progress;
use gudgeon::results::{Extreme, RunReport, Status};
use gudgeon::run::RunSpec;
use gudgeon::simulate::{Observer, Silent, simulate};
use gudgeon_model::Loaded;

/// Keeps what a certificate compares.
pub struct Keep(pub History);

impl Observer for Keep {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.row(t, values);
        ControlFlow::Continue(())
    }

    fn step(&mut self, t: f64, values: &[f64], event: bool) {
        self.0.step(t, values, event);
    }
}

/// Cancels what has come to a share.
struct UpTo {
    share: f64,
    reached: AtomicBool,
}

impl Progress for UpTo {
    fn is_cancelled(&self) -> bool {
        self.reached.load(Ordering::Relaxed)
    }

    fn report(&self, share: f64) {
        if share >= self.share {
            self.reached.store(true, Ordering::Relaxed);
        }
    }
}

/// Takes the outputs at the instants of a history.
struct At<'a> {
    history: &'a History,
    values: Vec<Vec<f64>>,
}

impl Observer for At<'_> {
    fn row(&mut self, _t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.values.push(values.to_vec());
        ControlFlow::Continue(())
    }

    fn instant(&self, row: u64) -> Option<f64> {
        Some(self.history.times().get(row as usize).copied().unwrap_or(f64::INFINITY))
    }
}

/// A run and its certificate.
pub struct Certified {
    pub report: RunReport,
    pub history: History,
    pub certificate: Certificate,
}

pub fn certified(loaded: &Loaded, rtol: f64) -> Certified {
    certified_until(loaded, rtol, f64::INFINITY)
}

/// The same where the model allows the tolerance at all.
pub fn certified_if_done(loaded: &Loaded, rtol: f64) -> Option<Certified> {
    let assembly = assemble(&loaded.model).unwrap();
    let spec = RunSpec { rtol: Some(rtol), ..loaded.run.clone() };
    let done = simulate(&assembly, &spec, &mut Silent).status == Status::Done;
    done.then(|| certified(loaded, rtol))
}

/// As `certified`, cancelled when this share is done.
pub fn certified_until(loaded: &Loaded, rtol: f64, share: f64) -> Certified {
    let progress = &UpTo { share, reached: AtomicBool::new(false) };
    let assembly = assemble(&loaded.model).unwrap();
    let spec = RunSpec { rtol: Some(rtol), ..loaded.run.clone() };
    let mut keep = Keep(History::new(spec.outputs.len()));
    let report = simulate(&assembly, &spec, &mut keep);
    assert_eq!(report.status, Status::Done, "{}", loaded.model.name);
    let certificate = certify(&assembly, &spec, (&report, &keep.0), progress);
    honest(&report, &certificate);
    Certified { report, history: keep.0, certificate }
}

/// Nothing is claimed beyond the end of a run that the claims rest on.
fn honest(report: &RunReport, certificate: &Certificate) {
    let ends = certificate.references.iter().map(|reference| reference.final_time);
    let reached = ends.fold(report.final_time, f64::min);
    assert_eq!(certificate.reached, reached);
    for output in &certificate.outputs {
        assert!(output.horizon <= reached * (1.0 + 1e-12), "{output:?}");
        if !certificate.complete {
            assert!(!output.whole_run, "{output:?}");
            let of_the_window = [output.extreme_digits, output.mean_digits, output.rms_digits];
            assert_eq!(of_the_window, [0.0; 3], "{output:?}");
        }
        assert!(output.whole_run || output.mean_digits + output.rms_digits == 0.0, "{output:?}");
    }
}

fn digits(error: f64, of: f64) -> f64 {
    if error == 0.0 { 16.0 } else { -(error / of).abs().log10() }
}

/// Claims that are larger than what a far finer run tells; `None` where that run fails.
pub fn exaggerations(loaded: &Loaded, of: &Certified, truth: f64) -> Option<Vec<String>> {
    let Certified { report, history, certificate } = of;
    let rtol = certificate.rtol;
    let assembly = assemble(&loaded.model).unwrap();
    let spec = RunSpec { rtol: Some(truth), ..loaded.run.clone() };
    let mut at = At { history, values: Vec::new() };
    let fine = simulate(&assembly, &spec, &mut at);
    if fine.status != Status::Done {
        return None;
    }
    let mut found = Vec::new();
    for (i, output) in certificate.outputs.iter().enumerate() {
        let largest = at.values.iter().fold(0.0, |m: f64, row| m.max(row[i].abs()));
        let within = history.times().iter().take_while(|t| **t <= output.horizon).count();
        let error =
            (0..within).fold(0.0, |e: f64, k| e.max((history.at(k)[i] - at.values[k][i]).abs()));
        let (own, fine) = (&report.extremes[i], &fine.extremes[i]);
        let number = |value: fn(&Extreme) -> f64| digits(value(own) - value(fine), value(fine));
        for (what, claimed, holds) in [
            ("history", output.digits, digits(error, largest)),
            ("abs max", output.extreme_digits, number(|e| e.abs_max().0)),
            ("mean", output.mean_digits, number(|e| e.mean)),
            ("rms", output.rms_digits, number(|e| e.rms)),
        ] {
            if claimed > holds.max(0.0) {
                let name = &loaded.model.name;
                found.push(format!(
                    "{name} at {rtol:.0e}: {claimed:.2} digits of the {what} of {} claimed, {holds:.2} hold",
                    output.name
                ));
            }
        }
    }
    Some(found)
}
