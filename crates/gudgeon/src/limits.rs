//! Whether a run may go on: its CPU time, its steps, and whether it gets anywhere.

use crate::cpu::Allowance;
use crate::results::Cause;
use crate::run::Limits;

/// Counts what a run costs and knows what it may cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    limits: Limits,
    cpu: Option<Allowance>,
    /// Steps that were tried.
    tried: u64,
}

impl Watch {
    /// The CPU time counts from now on, on this thread.
    pub fn new(limits: Limits) -> Self {
        Self { limits, cpu: limits.cpu.map(|cpu| Allowance::new(cpu - limits.used)), tried: 0 }
    }

    /// One more step is tried; false where none may be.
    pub fn try_step(&mut self) -> bool {
        self.tried += 1;
        self.exceeded().is_none()
    }

    pub fn tried(&self) -> u64 {
        self.tried
    }

    /// The limit that is exceeded.
    pub fn exceeded(&mut self) -> Option<Cause> {
        if let Some(limit) = self.limits.steps.filter(|limit| self.tried > *limit) {
            return Some(Cause::StepLimit { limit });
        }
        let cpu = self.cpu.as_mut()?;
        cpu.is_used_up().then(|| Cause::TimeLimit { limit: self.limits.cpu.unwrap_or(0.0) })
    }
}

/// Steps after which the progress is looked at.
const STRETCH: u64 = 100_000;
/// Steps that the rest of the run would take: as many at one look are hopeless, and a part of them at
/// [`LOOKS`] looks in a row.
const HOPELESS: f64 = 1e13;
const TOO_MANY: f64 = 1e10;
const LOOKS: u32 = 10;

/// What ends a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// This time, s.
    Time(f64),
    /// The same, or a limit that the user has given.
    Limited(f64),
    /// Nobody knows when.
    Open,
}

/// Notices a run that gets nowhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pace {
    /// Steps and time at the last look.
    tried: u64,
    time: f64,
    /// Looks in a row at which too many steps were left.
    slow: u32,
}

impl Pace {
    /// Takes steps tried so far and the present time; the cause where the run will not end. Where an
    /// angle ends it, or the user has given a limit, only what is without any hope is given up.
    pub fn look(&mut self, tried: u64, time: f64, end: Goal) -> Option<Cause> {
        if tried < self.tried + STRETCH {
            return None;
        }
        let (end, patient) = match end {
            Goal::Time(end) => (end, false),
            Goal::Limited(end) => (end, true),
            // As long again, or a second.
            Goal::Open => (time + time.max(1.0), true),
        };
        let (steps, by) = ((tried - self.tried) as f64, time - self.time);
        (self.tried, self.time) = (tried, time);
        // Without any progress it is infinite.
        let left = if by > 0.0 { (end - time) / by * steps } else { f64::INFINITY };
        let slow = left > TOO_MANY && !patient;
        self.slow = if slow { self.slow + 1 } else { 0 };
        let hopeless = left > HOPELESS || self.slow >= LOOKS;
        hopeless.then_some(Cause::NoProgress { steps: steps as u64, by, left })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_cpu_time_are_limited() {
        let mut free = Watch::new(Limits::default());
        assert!((0..1000).all(|_| free.try_step()) && free.tried() == 1000);
        let mut three = Watch::new(Limits { steps: Some(3), ..Limits::default() });
        let taken = (0..5).take_while(|_| three.try_step()).count();
        assert_eq!((taken, three.exceeded()), (3, Some(Cause::StepLimit { limit: 3 })));
        let mut brief = Watch::new(Limits { cpu: Some(0.05), ..Limits::default() });
        let before = crate::cpu::seconds();
        while brief.try_step() {}
        let used = crate::cpu::seconds() - before;
        assert!((0.045..0.1).contains(&used), "{used} s");
        assert_eq!(brief.exceeded(), Some(Cause::TimeLimit { limit: 0.05 }));
    }

    #[test]
    fn patience_depends_on_what_ends_the_run() {
        for (goal, gives_up) in
            [(Goal::Time(1e5), true), (Goal::Limited(1e5), false), (Goal::Open, false)]
        {
            let mut pace = Pace::default();
            let steady = |stretch: u64| (stretch * STRETCH, 0.1 * stretch as f64);
            let ends = (1..=20).map(steady).any(|(tried, t)| pace.look(tried, t, goal).is_some());
            assert_eq!(ends, gives_up, "{goal:?}");
        }
        let mut stuck = Pace::default();
        assert!(stuck.look(STRETCH, 7.7e-10, Goal::Open).is_some());
    }

    #[test]
    fn a_run_without_progress_is_noticed_and_a_slow_stretch_is_not() {
        let mut still = Pace::default();
        assert_eq!(still.look(STRETCH - 1, 0.0, Goal::Time(1.0)), None);
        assert!(matches!(
            still.look(STRETCH, 0.0, Goal::Time(1.0)),
            Some(Cause::NoProgress { .. })
        ));
        // Nine slow stretches, then a fast one, then ten slow ones.
        let mut pace = Pace::default();
        let mut t = 0.0;
        for stretch in 1..=20 {
            t += if stretch == 10 { 1e-2 } else { 1e-6 };
            let found = pace.look(stretch * STRETCH, t, Goal::Time(1.0));
            assert_eq!(found.is_some(), stretch == 20, "{stretch}");
        }
    }
}
