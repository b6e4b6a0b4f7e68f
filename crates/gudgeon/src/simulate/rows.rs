//! Rows: the recorded instants of a run.

use std::ops::ControlFlow;

use super::{Halt, Observer, Run, each_line, flow, orbits_of};
use crate::clearance::geometry::eccentricity;
use crate::cpu::Spent;
use crate::run::{Every, Until};
use crate::system::Plant;

/// Rows per run and per flight step at least, where every step is one.
const FINE: f64 = 1000.0;
const FLIGHT_ROWS: f64 = 10.0;
/// A run that ends at an angle has a row at least when its time has grown by this factor, should the
/// angle stand still.
const LINGERS: f64 = 1.1;

impl Run<'_> {
    /// The end of the run is a row also where it is no multiple of the interval, and where the run
    /// fails.
    pub(super) fn last_row(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        if self.table.last < self.table.read_at {
            self.emit(self.table.read_at, observer)
        } else {
            Ok(())
        }
    }

    /// Rows of a step: at instants of the observer's own, or as the run asks. `marked` is a step that
    /// ends at an event or at a kink of a function of time.
    pub(super) fn record(
        &mut self,
        (from, t): (f64, f64),
        marked: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        self.record_samples(t, observer)?;
        match (self.instant(observer), self.spec.every) {
            (Some(_), _) => self.record_instants(t, observer),
            (None, Every::Steps) => self.record_steps(from, t, observer),
            (None, _) => self.record_grid(from, t, marked, observer),
        }
    }

    /// Samples of the observer within a step, which are no rows.
    fn record_samples(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), Halt> {
        loop {
            let next = observer.next_sample();
            if !is_within(next, t) {
                return Ok(());
            }
            self.watch_limits()?;
            self.read_inside(next.min(t))?;
            self.meter.mark(Spent::Outputs);
            let asked = observer.sample(next.min(t), &self.table.values);
            self.meter.mark(Spent::Writing);
            flow(asked)?;
        }
    }

    fn record_instants(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), Halt> {
        while let Some(next) = self.instant(observer).filter(|next| is_within(*next, t)) {
            self.table.next += 1;
            self.record_instant(next.min(t), observer)?;
        }
        Ok(())
    }

    /// The end of the step, instants of a fine grid, and a few instants of a flight, so that orbits
    /// are smooth.
    fn record_steps(&mut self, from: f64, t: f64, observer: &mut dyn Observer) -> Result<(), Halt> {
        let in_flight = self.plant.memory.contacts.iter().any(|c| !c.in_contact());
        let parts = (t - from) / self.end * FINE;
        let parts = if in_flight { parts.max(FLIGHT_ROWS) } else { parts };
        let parts = if parts.is_finite() { parts.min(FINE).floor() as u32 } else { 0 };
        for i in 1..parts {
            let instant = from + (t - from) * f64::from(i) / f64::from(parts);
            self.record_instant(instant, observer)?;
        }
        self.emit(t, observer)
    }

    /// Instants of the even grid, and the end of a step that is marked.
    fn record_grid(
        &mut self,
        from: f64,
        t: f64,
        marked: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let angle = self.turned();
        let turned = angle - std::mem::replace(&mut self.angle, angle);
        let step = self.table.grid.advance(t, turned);
        let mut at_end = marked || (!self.table.grid.in_time() && t > LINGERS * self.table.last);
        while let Some(share) = self.table.grid.due(step) {
            if share < 1.0 {
                self.record_instant(from + share * (t - from), observer)?;
            } else {
                at_end = true;
            }
        }
        if at_end && t > self.table.last { self.emit(t, observer) } else { Ok(()) }
    }

    /// The angle of the joint that ends the run.
    pub(super) fn turned(&self) -> f64 {
        match self.spec.until {
            Until::JointAngle { joint, .. } => {
                self.plant.joint_angle(joint, self.ode.time(), self.ode.state())
            }
            Until::Time(_) => 0.0,
        }
    }

    /// The next instant, where they are fixed.
    fn instant(&self, observer: &dyn Observer) -> Option<f64> {
        let own = observer.instant(self.table.next);
        own.or(match self.spec.every {
            Every::Interval(interval) => Some(self.table.next as f64 * interval),
            Every::Grid | Every::Steps => None,
        })
    }

    /// A row inside the last step.
    fn record_instant(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), Halt> {
        self.watch_limits()?;
        self.read_inside(t)?;
        read_orbits(&self.inside.plant, &mut self.table.orbits);
        let row = std::mem::take(&mut self.table.values);
        self.count_row(t, &row, observer);
        let asked = observer.row(t, &row, &self.table.orbits);
        self.table.values = row;
        flow(asked)?;
        self.draw_lines(t, true, observer)
    }

    /// Outputs at an instant inside the last step, into `row`; only what they read is evaluated.
    pub(super) fn read_inside(&mut self, t: f64) -> Result<(), Halt> {
        let prepared = self.ode.prepare_dense(&mut self.inside.plant);
        prepared.map_err(|fault| self.fault(t, fault))?;
        let place = self.ode.place_of(t);
        self.ode.interpolate(place, &mut self.inside.y);
        let result = self.inside.plant.evaluate_for(self.outputs.needs, t, &self.inside.y);
        result.map_err(|fault| self.fault(t, fault))?;
        self.outputs.read(&self.inside.plant, t, &mut self.table.values);
        Ok(())
    }

    /// A row at the end of the last step, whose outputs are known.
    pub(super) fn emit(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), Halt> {
        let values = std::mem::take(&mut self.values);
        self.count_row(t, &values, observer);
        let asked = observer.row(t, &values, &self.orbits);
        self.values = values;
        flow(asked)?;
        self.draw_lines(t, false, observer)
    }

    /// Lines of flexible links at a row, inside the last step or at its end.
    fn draw_lines(
        &mut self,
        t: f64,
        inside: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let mut asked = ControlFlow::Continue(());
        let system = self.plant.system;
        if system.bends() && observer.wants_lines(self.table.count - 1) {
            let y = if inside { &self.inside.y[..] } else { self.ode.state() };
            each_line(&self.plant, t, y, &mut self.table.line, |body, points| {
                if asked.is_continue() {
                    asked = observer.line(t, body, points);
                }
            });
        }
        self.meter.mark(Spent::Writing);
        flow(asked)
    }

    /// Counts and draws a row.
    fn count_row(&mut self, t: f64, values: &[f64], observer: &mut dyn Observer) {
        self.table.count += 1;
        self.table.last = t;
        self.draw_row(t, values, observer);
        self.meter.mark(Spent::Outputs);
    }
}

/// Whether an instant lies before the end of a step; one that the end meets but for rounding is taken
/// there.
fn is_within(instant: f64, end: f64) -> bool {
    instant <= end * (1.0 + 1e-13)
}

/// Positions of the journals in their bearings at the last kinematics.
pub(super) fn read_orbits(plant: &Plant, orbits: &mut [[f64; 2]]) {
    let system = plant.system;
    for (orbit, contact) in orbits.iter_mut().zip(orbits_of(system)) {
        let element = &system.contacts[contact];
        let (a, b) = (&plant.work.markers[element.a], &plant.work.markers[element.b]);
        let e = eccentricity(&element.spot, &element.clearance, a, b);
        let local = a.frame.r.tr_mul(&e);
        *orbit = [local.x, local.y];
    }
}
