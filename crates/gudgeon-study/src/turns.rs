//! When a driver has turned so far, by its known motion.
//!
//! The motion is followed in steps that its rates cannot outrun; within a step the instant is found by
//! bisection.

use gudgeon::model::{Driver, DriverId, Model};
use gudgeon::time::{TimeFunction, bisect};

/// An angle that the end of the run meets but for this part of it counts as reached.
const SLACK: f64 = 1e-9;
/// Steps per period at least.
const STEPS: f64 = 20.0;
/// A rate of the other sense up to this part of the largest one is rounding.
const STILL: f64 = 1e-9;
/// Steps after which the search is given up.
const MOST: usize = 20_000_000;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TurnError {
    #[error("the driver `{driver}` does not turn")]
    Still { driver: String },
    #[error("the driver `{driver}` turns back at t = {t:.4e} s: its turns do not tell periods")]
    Back { driver: String, t: f64 },
    #[error("the driver `{driver}` is too uneven to tell its turns")]
    GivenUp { driver: String },
}

/// The drivers that turn joints.
pub fn turning(model: &Model) -> Vec<DriverId> {
    let turns = |i: &usize| model.drivers[*i].coordinate.is_angle();
    (0..model.drivers.len()).filter(turns).map(DriverId).collect()
}

/// How far a driver has turned since the start, in either sense.
pub fn turned(motion: &TimeFunction, t: f64) -> f64 {
    (motion.jet(t, t).value - start(motion)).abs()
}

fn start(motion: &TimeFunction) -> f64 {
    motion.jet(0.0, f64::MIN_POSITIVE).value
}

/// The instants up to `end` at which the driver has turned by one, two, … times `angle`. It may turn at
/// any speed, but not back.
pub fn instants(driver: &Driver, angle: f64, end: f64) -> Result<Vec<f64>, TurnError> {
    let motion = &driver.motion;
    let name = || driver.name.clone();
    match motion {
        TimeFunction::Constant(_) => Err(TurnError::Still { driver: name() }),
        TimeFunction::Linear { rate: 0.0, .. } => Err(TurnError::Still { driver: name() }),
        TimeFunction::Linear { rate, .. } => Ok(multiples(angle / rate.abs(), end)),
        TimeFunction::Law(_) => {
            let mut search = Search { driver, angle, found: Vec::new(), sense: 0.0, fastest: 0.0 };
            search.follow(end)?;
            if search.fastest == 0.0 {
                return Err(TurnError::Still { driver: name() });
            }
            let whole = (search.found.len() + 1) as f64 * angle;
            if turned(motion, end) >= whole * (1.0 - SLACK) {
                search.found.push(end);
            }
            Ok(search.found)
        }
    }
}

/// One, two, … times a period, up to `end`.
pub fn multiples(period: f64, end: f64) -> Vec<f64> {
    let count = (end / period * (1.0 + SLACK)).floor() as usize;
    (1..=count).map(|k| (k as f64 * period).min(end)).collect()
}

struct Search<'a> {
    driver: &'a Driver,
    angle: f64,
    found: Vec<f64>,
    /// Sign of the rate, once there is one.
    sense: f64,
    fastest: f64,
}

impl Search<'_> {
    fn follow(&mut self, end: f64) -> Result<(), TurnError> {
        let motion = &self.driver.motion;
        let (mut t, mut left) = (0.0_f64, MOST);
        for kink in motion.cuts(0.0, end) {
            while t < kink {
                let jet = motion.jet(t, t.next_up());
                self.check(t, jet.rate)?;
                let pace =
                    (jet.rate.abs() / self.angle).max((jet.second.abs() / self.angle).sqrt());
                let step = (1.0 / (STEPS * pace)).min(1e-3 * end);
                let to = (t + step).max(t.next_up()).min(kink);
                self.step(t, to);
                t = to;
                left -= 1;
                if left == 0 {
                    return Err(TurnError::GivenUp { driver: self.driver.name.clone() });
                }
            }
        }
        Ok(())
    }

    fn check(&mut self, t: f64, rate: f64) -> Result<(), TurnError> {
        self.fastest = self.fastest.max(rate.abs());
        if rate.abs() <= STILL * self.fastest {
            return Ok(());
        }
        if self.sense * rate < 0.0 {
            return Err(TurnError::Back { driver: self.driver.name.clone(), t });
        }
        self.sense = rate.signum();
        Ok(())
    }

    /// All instants of a step.
    fn step(&mut self, from: f64, to: f64) {
        let motion = &self.driver.motion;
        let reached = turned(motion, to);
        let mut low = from;
        while reached >= (self.found.len() + 1) as f64 * self.angle {
            let whole = (self.found.len() + 1) as f64 * self.angle;
            low = bisect(low, to, |t| turned(motion, t) < whole);
            self.found.push(low);
        }
    }
}
