//! Rows: the recorded instants of a run.

use super::{FLIGHT_ROWS, GRID, Halt, Observer, Run, flow, orbits_of};
use crate::clearance::geometry::geometry;

impl Run<'_> {
    /// The end of the run is a row also where it is no multiple of the interval.
    pub(super) fn last_row(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        if self.recorded < self.ode.time() {
            self.evaluate_row()?;
            self.emit(self.ode.time(), observer)?;
        }
        Ok(())
    }

    /// Rows at recorded instants inside the step and, without a fixed interval, at its end and at a
    /// few instants of a flight, so that orbits are smooth.
    pub(super) fn record(
        &mut self,
        from: f64,
        t: f64,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        match self.instant(observer) {
            Some(_) => {
                // An instant that the end of the step meets but for rounding is taken there.
                while let Some(next) = self.instant(observer).filter(|i| *i <= t * (1.0 + 1e-13)) {
                    self.next_instant += 1;
                    self.record_instant(next.min(t), observer)?;
                }
                Ok(())
            }
            None => {
                let in_flight = self.plant.memory.contacts.iter().any(|c| !c.in_contact());
                let parts = (t - from) / self.end * GRID;
                let parts = if in_flight { parts.max(FLIGHT_ROWS) } else { parts };
                let parts = if parts.is_finite() { parts.min(GRID).floor() as u32 } else { 0 };
                for i in 1..parts {
                    let instant = from + (t - from) * f64::from(i) / f64::from(parts);
                    self.record_instant(instant, observer)?;
                }
                self.evaluate_row()?;
                self.emit(t, observer)
            }
        }
    }

    /// Evaluates the copy of the plant at the present state.
    pub(super) fn evaluate_row(&mut self) -> Result<(), Halt> {
        let t = self.ode.time();
        let result = self.inside.plant.evaluate(t, self.ode.state());
        result.map_err(|fault| self.fault(t, fault))
    }

    /// The next instant, where they are fixed.
    fn instant(&self, observer: &dyn Observer) -> Option<f64> {
        let own = observer.instant(self.next_instant);
        own.or_else(|| self.spec.every.map(|every| self.next_instant as f64 * every))
    }

    pub(super) fn record_instant(
        &mut self,
        t: f64,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let prepared = self.ode.prepare_dense(&mut self.inside.plant);
        prepared.map_err(|fault| self.fault(t, fault))?;
        let place = self.ode.place_of(t);
        self.ode.interpolate(place, &mut self.inside.y);
        let result = self.inside.plant.evaluate(t, &self.inside.y);
        result.map_err(|fault| self.fault(t, fault))?;
        for (value, sensor) in self.row.iter_mut().zip(&self.spec.outputs) {
            *value = sensor.value(&self.inside.plant, t);
        }
        let row = std::mem::take(&mut self.row);
        let emitted = self.emit_values(t, &row, observer);
        self.row = row;
        emitted
    }

    pub(super) fn emit(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), Halt> {
        let values = std::mem::take(&mut self.values);
        let emitted = self.emit_values(t, &values, observer);
        self.values = values;
        emitted
    }

    /// Hands a row to the observer; the workspace of the copy must belong to `t`.
    pub(super) fn emit_values(
        &mut self,
        t: f64,
        values: &[f64],
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let system = self.plant.system;
        for (orbit, contact) in self.orbits.iter_mut().zip(orbits_of(system)) {
            let element = &system.contacts[contact];
            let markers = &self.inside.plant.work.markers;
            let (a, b) = (&markers[element.a], &markers[element.b]);
            let e = geometry(&element.spot, &element.clearance, a, b).eccentricity;
            let local = a.frame.r.tr_mul(&e);
            *orbit = [local.x, local.y];
        }
        self.rows += 1;
        self.recorded = t;
        flow(observer.row(t, values, &self.orbits))
    }
}
