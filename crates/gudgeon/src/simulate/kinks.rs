//! Kinks of all functions of time, found as the run goes.
//!
//! They are looked up to the end of the run at once where they are few. A function that swings very
//! often is searched stretch by stretch, so that neither the time before the first step nor memory
//! grows with their number. A kink right where two stretches meet is inside neither of them: there the
//! pieces on both sides are compared.

use crate::formula::Left;
use crate::model::{Force, ForceKind, Model};
use crate::time::TimeFunction;

/// Stretch of time for which kinks are looked up when the end of the run is not known.
const HORIZON: f64 = 10.0;

#[derive(Clone, Debug, Default)]
pub(super) struct Kinks {
    /// Those of the present stretch, rising.
    found: Vec<f64>,
    /// End of the stretch.
    until: f64,
    /// Where the present stretch follows another, which is a kink or not.
    seam: Option<f64>,
}

impl Kinks {
    /// The next instant where the run must stop: a kink, the end of a stretch, the end.
    pub fn next_stop(&mut self, model: &Model, now: f64, end: f64) -> f64 {
        if now >= self.until {
            self.seam = (now > 0.0).then_some(now);
            let end = if end.is_finite() { end } else { now + HORIZON.max(1e-3 * now) };
            self.until = functions(model).fold(end, |to, function| function.stretch(now, to));
            self.found.clear();
            functions(model).for_each(|f| f.kinks(now, self.until, &mut self.found));
            self.found.retain(|t| *t > now && *t < self.until);
            self.found.sort_by(f64::total_cmp);
            self.found.dedup_by(|b, a| *b - *a <= 1e-14 * a.abs());
        }
        let next = self.found.partition_point(|kink| *kink <= now);
        self.found.get(next).map_or(self.until, |kink| kink.min(self.until))
    }

    /// Whether a function is not smooth at t, of the stretch that was asked for last; `before` and
    /// `after` choose the pieces on both sides.
    pub fn are_at(&self, model: &Model, t: f64, (before, after): (f64, f64)) -> bool {
        if self.seam == Some(t) {
            return functions(model).any(|function| changes(function, t, (before, after)));
        }
        self.found.binary_search_by(|kink| kink.total_cmp(&t)).is_ok()
    }
}

/// Whether another piece of a function begins at t. Where it is the same one, both sides are one formula
/// and agree to the last bit, there and beyond.
fn changes(function: &TimeFunction, t: f64, (before, after): (f64, f64)) -> bool {
    [t, after].iter().any(|t| function.jet(*t, before) != function.jet(*t, after))
}

/// The first function of time that has left a table, by what it is, and what it looks up.
pub(super) fn left_table(model: &Model, t: f64, branch: f64) -> Option<(String, Left)> {
    let drivers = model.drivers.iter().map(|driver| (&driver.motion, &driver.name, "driver"));
    let forces = model
        .forces
        .iter()
        .flat_map(|force| of_force(force).iter().map(|function| (function, &force.name, "force")));
    drivers.chain(forces).find_map(|(function, name, kind)| {
        function.left(t, branch).map(|left| (format!("{kind} `{name}`"), left))
    })
}

fn functions(model: &Model) -> impl Iterator<Item = &TimeFunction> {
    let forces = model.forces.iter().flat_map(of_force);
    model.drivers.iter().map(|driver| &driver.motion).chain(forces)
}

fn of_force(force: &Force) -> &[TimeFunction] {
    match &force.kind {
        ForceKind::Point { components, .. } | ForceKind::Distributed { components, .. } => {
            &components[..]
        }
        ForceKind::Torque { torque, .. } => std::slice::from_ref(torque),
        ForceKind::Spring { .. } | ForceKind::TorsionSpring { .. } | ForceKind::Bushing { .. } => {
            &[]
        }
    }
}
