//! Whether the ideal mechanism can start, and move through what its drivers ask for, before anything is
//! run.
//!
//! Where drivers fix all motion, the poses at a row of instants follow from the constraints alone. A
//! pose that does not close from the one before it, however near, is where the mechanism locks: a
//! crank that is longer than its rod, a driver beyond the end of its way. The cost is bounded: so many
//! instants as drivers need to move by small parts, and no more than [`MOST`], fewer for larger
//! mechanisms; motions that need more are looked at as far as these reach.

use nalgebra::DVector;

use super::close::{close, constraints, least_step};
use super::{Assembly, AssemblyError, assemble};
use crate::flexible::Flexible;
use crate::model::{Body, Coordinates, Driver, Model};
use crate::results::Warning;
use crate::simulate::{PositionJump, first_fatal_jump};
use crate::system::System;
use crate::system::compile::RowSource;

/// How far drivers move from instant to instant, rad or as a share of the mechanism's size.
const APART: f64 = 0.05;
/// Instants that are looked at, and the work of all of them: number times the cube of the size.
const MOST: usize = 1000;
const WORK: f64 = 2e8;
/// Fewer instants than this say too little.
const FEWEST: usize = 100;
/// The interval in which the mechanism locks is halved so often.
const HALVINGS: usize = 20;

/// What is known of a motion before it is run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Foresight {
    /// Up to when the ideal mechanism was followed, s; nothing where drivers do not fix its motion.
    pub followed: Option<f64>,
    pub lock: Option<Lock>,
    /// When a prescribed position jumps so far that the run fails.
    pub jump: Option<(f64, PositionJump)>,
    /// Why the mechanism cannot be assembled with ideal joints, though it can with its clearances.
    pub refused: Option<AssemblyError>,
}

/// Where the ideal mechanism locks.
#[derive(Clone, Debug, PartialEq)]
pub struct Lock {
    pub time: f64,
    /// The driver that moves fastest there, its position and its unit.
    pub driver: String,
    pub position: f64,
    pub unit: &'static str,
}

/// Looks at the motion of a model up to `end`.
pub fn foresee(model: &Model, end: f64) -> Foresight {
    let moves = !model.drivers.is_empty() && end > 0.0 && end.is_finite();
    let has_clearance = model.joints.iter().any(|joint| joint.clearance.is_some());
    if !moves && !has_clearance {
        return Foresight::default();
    }
    let erls = |body: &Body| body.flexible.as_deref().is_some_and(Flexible::is_erls);
    // Equivalent rigid links have no rows; the rigid mechanism itself has.
    let rigid = model.bodies.iter().any(erls).then(|| model.in_absolute_coordinates()).flatten();
    let own = rigid.unwrap_or_else(|| model.clone());
    let mut ideal = Model { coordinates: Coordinates::Absolute, ..own };
    ideal.joints.iter_mut().for_each(|joint| joint.clearance = None);
    let assembly = match assemble(&ideal) {
        Ok(assembly) if moves => assembly,
        Ok(_) => return Foresight::default(),
        Err(error) => {
            return Foresight { refused: has_clearance.then_some(error), ..Foresight::default() };
        }
    };
    let jump = first_fatal_jump(&assembly.system, end);
    let until = jump.as_ref().map_or(end, |(t, _)| *t);
    let (followed, lock) = match follow(&assembly, until) {
        Some((followed, lock)) => (Some(followed), lock),
        None => (None, None),
    };
    Foresight { followed, lock, jump, refused: None }
}

/// How far the poses of a driven mechanism were followed, and where it locks.
fn follow(assembly: &Assembly, end: f64) -> Option<(f64, Option<Lock>)> {
    let system = &assembly.system;
    let size = system.layout.v.max(system.rows.len()) as f64;
    let most = MOST.min((WORK / size.powi(3)) as usize);
    if assembly.report.mobility > 0 || most < FEWEST {
        return None;
    }
    let (mut t, mut q) = (0.0, assembly.q.clone());
    for _ in 0..most {
        if t >= end {
            break;
        }
        let mut by = (APART / pace(system, t)).min(end - t).min(end / FEWEST as f64);
        let whole = by;
        // Halves that close, one after the other, lead to where none does.
        for _ in 0..HALVINGS {
            match pose_at(system, t + by, &q) {
                Some(next) => {
                    (t, q) = (t + by, next);
                    if by == whole {
                        break;
                    }
                }
                None => by *= 0.5,
            }
        }
        if by < whole && pose_at(system, t + by, &q).is_none() {
            return Some((t, Some(lock(system, t))));
        }
    }
    Some((t, None))
}

/// Rate of the fastest driver, rad/s or sizes of the mechanism per second.
fn pace(system: &System, t: f64) -> f64 {
    let rates = system.model.drivers.iter().map(|driver| rate(system, driver, t));
    rates.fold(0.0, f64::max)
}

fn rate(system: &System, driver: &Driver, t: f64) -> f64 {
    let size = if driver.coordinate.is_angle() { 1.0 } else { system.length };
    driver.motion.jet(t, t.next_up()).rate.abs() / size
}

/// The pose at a time from one a little before; none where it does not close.
fn pose_at(system: &System, t: f64, q: &[f64]) -> Option<Vec<f64>> {
    let mut pose = q.to_vec();
    // Where drivers go first, all others follow.
    let (g, jacobian) = constraints(system, t, &pose);
    let wanted = DVector::from_fn(g.len(), |i, _| match system.rows[i].source {
        RowSource::Driver(_) => -g[i],
        RowSource::Joint(_) | RowSource::Body(_) => 0.0,
    });
    let step = least_step(&jacobian, &wanted, 0.0);
    // A step far beyond what drivers ask for comes from a position without hold.
    if step.amax() < 1.0 {
        let by: Vec<f64> = step.iter().enumerate().map(|(i, x)| x * system.unit(i)).collect();
        system.displace(&mut pose, &by);
    }
    close(system, t, &mut pose).is_ok().then_some(pose)
}

fn lock(system: &System, t: f64) -> Lock {
    let fastest = |a: &&Driver, b: &&Driver| rate(system, a, t).total_cmp(&rate(system, b, t));
    let driver = system.model.drivers.iter().max_by(fastest).expect("there are drivers");
    Lock {
        time: t,
        driver: driver.name.clone(),
        position: driver.motion.jet(t, t).value,
        unit: if driver.coordinate.is_angle() { "rad" } else { "m" },
    }
}

impl Foresight {
    /// In words of the model.
    pub fn warnings(&self) -> Vec<Warning> {
        let lock = self.lock.as_ref().map(|lock| {
            let position = match lock.unit {
                "rad" => format!("{:.2} deg", lock.position.to_degrees()),
                _ => format!("{:.4e} m", lock.position),
            };
            Warning {
                code: "W0324",
                joint: lock.driver.clone(),
                message: format!(
                    "with ideal joints the mechanism cannot move through the motion that is asked for: it locks at t = {:.6} s, where this driver is at {position}",
                    lock.time
                ),
                help: "change the dimensions, end the run before, or drive another joint; clearances let it go on by force only".into(),
            }
        });
        let jump = self.jump.as_ref().map(|(t, jump)| Warning {
            code: "W0323",
            joint: jump.driver.clone(),
            message: format!(
                "the prescribed position jumps by {:.4e} {} at t = {t:.6} s: a run fails there",
                jump.by, jump.unit
            ),
            help:
                "let the position go over smoothly with `step` or `spline`, or prescribe a `speed`"
                    .into(),
        });
        lock.into_iter().chain(jump).collect()
    }
}
