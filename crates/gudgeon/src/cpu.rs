//! CPU time: of the calling thread, of the process, and of the parts of a run.

use std::time::{Duration, Instant};

/// Seconds of CPU time the thread has used; wall time where the system cannot tell.
#[cfg(unix)]
pub fn seconds() -> f64 {
    read(rustix::time::ClockId::ThreadCPUTime)
}

/// Seconds of CPU time all threads of the process have used; wall time where the system cannot tell.
#[cfg(unix)]
pub fn process_seconds() -> f64 {
    read(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn read(clock: rustix::time::ClockId) -> f64 {
    let now = rustix::time::clock_gettime(clock);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// Seconds of wall time: this system does not tell the CPU time of a thread.
#[cfg(not(unix))]
pub fn seconds() -> f64 {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Seconds of wall time: this system does not tell the CPU time of the process.
#[cfg(not(unix))]
pub fn process_seconds() -> f64 {
    seconds()
}

/// CPU time of one run by what it was spent on, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunCpu {
    /// The integrator: steps, events, projections.
    pub stepping: f64,
    /// What is read from the steps: outputs, rows, extremes, means, impacts, ledger.
    pub outputs: f64,
    /// What the caller does with rows.
    pub writing: f64,
}

impl RunCpu {
    /// The integration with its outputs.
    pub fn integration(&self) -> f64 {
        self.stepping + self.outputs
    }
}

/// CPU time that a thread may use from now on.
///
/// A thread uses no more CPU time than passes on the wall, so that the CPU clock, a system call, is
/// read only when as much wall time has passed as CPU time was left at the last look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// CPU time of the thread at which it is used up, s.
    end: f64,
    /// Until then it cannot be.
    look: Instant,
}

/// What is left of an allowance when it counts as used up, s.
pub(crate) const NOTHING_LEFT: f64 = 1e-3;
/// No allowance is longer than this, s.
const FOR_EVER: f64 = 1e9;

impl Allowance {
    pub fn new(cpu: f64) -> Self {
        let cpu = cpu.clamp(0.0, FOR_EVER);
        Self { end: seconds() + cpu, look: Instant::now() + Duration::from_secs_f64(cpu) }
    }

    pub fn is_used_up(&mut self) -> bool {
        let now = Instant::now();
        if now < self.look {
            return false;
        }
        let left = self.end - seconds();
        if left <= NOTHING_LEFT {
            return true;
        }
        self.look = now + Duration::from_secs_f64(left);
        false
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spent {
    Stepping,
    Outputs,
    Writing,
}

/// An interval of wall time shorter than this was not interrupted by another process and takes as
/// much CPU time; after a longer one the CPU clock is read. That is a system call of 0.3 µs and more,
/// where a look at the wall clock takes 0.03 µs.
const SHORT: f64 = 20e-6;
/// Steps after which the CPU clock is read at the latest.
const STEPS: u32 = 32;

/// Divides the CPU time of a thread among the parts of a run.
pub(crate) struct Meter {
    /// CPU time by part up to the last look at its clock.
    parts: [f64; 3],
    /// The last look.
    cpu: f64,
    /// Wall time of short intervals since then.
    short: [f64; 3],
    mark: Instant,
    steps: u32,
}

impl Meter {
    pub fn start() -> Self {
        let (parts, short) = ([0.0; 3], [0.0; 3]);
        Self { parts, cpu: seconds(), short, mark: Instant::now(), steps: 0 }
    }

    /// The time since the last mark belongs to `part`.
    pub fn mark(&mut self, part: Spent) {
        let now = Instant::now();
        let wall = (now - self.mark).as_secs_f64();
        self.mark = now;
        if wall < SHORT {
            self.short[part as usize] += wall;
        } else {
            self.read(Some(part));
        }
    }

    /// A step has ended.
    pub fn step(&mut self) {
        self.steps += 1;
        if self.steps >= STEPS {
            self.read(None);
        }
    }

    /// Reads the CPU clock; what exceeds the short intervals belongs to the long one that just ended,
    /// or to all of them.
    fn read(&mut self, long: Option<Spent>) {
        let cpu = seconds();
        let used = cpu - self.cpu;
        let short: f64 = self.short.iter().sum();
        let of_short = if long.is_some() { short.min(used) } else { used };
        if short > 0.0 {
            for (part, wall) in self.parts.iter_mut().zip(self.short) {
                *part += wall * of_short / short;
            }
        }
        if let Some(part) = long {
            self.parts[part as usize] += used - of_short;
        }
        (self.cpu, self.short, self.steps) = (cpu, [0.0; 3], 0);
    }

    /// The rest belongs to the outputs.
    pub fn finish(mut self) -> RunCpu {
        self.mark(Spent::Outputs);
        self.read(None);
        let [stepping, outputs, writing] = self.parts;
        RunCpu { stepping, outputs, writing }
    }
}
