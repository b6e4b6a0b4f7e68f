//! Prescribed positions that jump.

use super::{Halt, Run};
use crate::model::Model;
use crate::results::Cause;
use crate::system::System;
use crate::system::compile::RowSource;

/// A jump below this share of the mechanism's size, or in rad, is taken at once; of a larger one no
/// mechanism could say how it goes on.
const TAKEN: f64 = 1e-3;
/// A jump below this is rounding.
const ROUNDING: f64 = 1e-9;

/// A driver whose position jumps, and by how much.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionJump {
    pub driver: String,
    pub by: f64,
    pub unit: &'static str,
    /// Over the size of the mechanism.
    pub share: f64,
}

impl PositionJump {
    /// Whether a run fails there.
    pub fn is_fatal(&self) -> bool {
        self.share > TAKEN
    }
}

/// The largest jump of a prescribed position at t from the piece of a motion at the instant `before` to
/// that at `after`.
pub fn position_jump(system: &System, t: f64, before: f64, after: f64) -> Option<PositionJump> {
    let mut largest: Option<PositionJump> = None;
    for row in &system.rows {
        let RowSource::Driver(id) = row.source else { continue };
        let driver = &system.model.drivers[id.0];
        let by = driver.motion.jet(t, after).value - driver.motion.jet(t, before).value;
        let by = row.kind.period().map_or(by, |period| by - period * (by / period).round());
        let (size, unit) =
            if driver.coordinate.is_angle() { (1.0, "rad") } else { (system.length, "m") };
        let share = by.abs() / size;
        if share > largest.as_ref().map_or(ROUNDING, |jump| jump.share) {
            largest = Some(PositionJump { driver: driver.name.clone(), by, unit, share });
        }
    }
    largest
}

/// The first jump up to `end` that fails a run, and when.
pub fn first_fatal_jump(system: &System, end: f64) -> Option<(f64, PositionJump)> {
    let kinks = driver_kinks(&system.model, end);
    let ends = kinks.iter().skip(1).copied().chain([end]);
    let mut before = 0.0;
    for (&t, next) in kinks.iter().zip(ends) {
        let after = 0.5 * (t + next);
        let jump = position_jump(system, t, before, after).filter(PositionJump::is_fatal);
        if let Some(jump) = jump {
            return Some((t, jump));
        }
        before = after;
    }
    None
}

/// Kinks of a driver that are looked at.
const KINKS: usize = 10_000;

/// The start and the kinks of drivers up to `end`, sorted; of a driver with very many the first.
fn driver_kinks(model: &Model, end: f64) -> Vec<f64> {
    let mut kinks = Vec::new();
    for driver in &model.drivers {
        kinks.extend(driver.motion.cuts(0.0, end).take(KINKS));
    }
    kinks.retain(|t| *t > 0.0 && *t < end);
    kinks.push(0.0);
    kinks.sort_by(f64::total_cmp);
    kinks.dedup();
    kinks
}

impl Run<'_> {
    /// Fails where a prescribed position jumps at the start of an interval, and notes where it does a
    /// little; `before` chose the pieces of the last interval.
    pub(super) fn watch_positions(&mut self, before: f64) -> Result<(), Halt> {
        let t = self.ode.time();
        let Some(jump) = position_jump(self.plant.system, t, before, self.plant.branch()) else {
            return Ok(());
        };
        if jump.is_fatal() {
            let PositionJump { driver, by, unit, .. } = jump;
            return Err(self.halt(t, Cause::PositionJump { driver, by, unit }));
        }
        self.logs.notes.position_jump.get_or_insert((t, jump));
        Ok(())
    }
}
