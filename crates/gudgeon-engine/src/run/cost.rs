//! What a run cost in CPU time.

use gudgeon::cpu;
use gudgeon::results::RunReport;
use gudgeon_output::record::Cpu;

use crate::text::quantity;

/// CPU time of a run and of what is done around it, s.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Reading and assembling: everything before the first step.
    pub setup: f64,
    /// The integrator, in the main run.
    pub stepping: f64,
    /// What is read from its steps: outputs, rows, extremes, means.
    pub outputs: f64,
    /// Tables, pictures and the record.
    pub writing: f64,
    /// The run with ideal joints.
    pub baseline: Option<f64>,
    pub certificate: Option<f64>,
    /// All threads together.
    pub ensemble: Option<f64>,
    /// What the process had used when the work began.
    started: f64,
    /// What it has used since then, once the work is over.
    total: Option<f64>,
}

impl Cost {
    /// Of work that began when the process had used so much, and whose first step is now.
    pub fn since(started: f64) -> Cost {
        Cost { setup: cpu::process_seconds() - started, started, ..Cost::default() }
    }

    /// The work is over.
    pub fn end(&mut self) {
        self.total = Some(cpu::process_seconds() - self.started);
    }

    /// Of the main run.
    pub fn add_run(&mut self, report: &RunReport) {
        let cpu = &report.solver.cpu;
        self.stepping += cpu.stepping;
        self.outputs += cpu.outputs;
        self.writing += cpu.writing;
    }

    /// The parts, and what the process has used since the work began.
    pub fn record(&self) -> Cpu {
        let Cost { setup, stepping, outputs, writing, baseline, certificate, ensemble, .. } = *self;
        let total = self.total.unwrap_or_else(|| cpu::process_seconds() - self.started);
        Cpu { setup, stepping, outputs, writing, baseline, certificate, ensemble, total }
    }

    /// A line of the summary.
    pub fn text(&self) -> String {
        let main =
            [("stepping", self.stepping), ("outputs", self.outputs), ("writing", self.writing)];
        let parts: Vec<String> = main
            .into_iter()
            .chain(self.beside())
            .map(|(name, seconds)| format!("{name} {}", quantity(seconds, "s")))
            .collect();
        format!("  CPU: {}\n", parts.join(", "))
    }

    fn beside(&self) -> impl Iterator<Item = (&'static str, f64)> {
        [
            ("baseline", self.baseline),
            ("certificate", self.certificate),
            ("ensemble", self.ensemble),
        ]
        .into_iter()
        .filter_map(|(name, seconds)| Some((name, seconds?)))
    }
}

/// What `work` answers, and the CPU time of this thread that it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let started = cpu::seconds();
    let answer = work();
    (answer, cpu::seconds() - started)
}
