//! What pictures of a run are made of: its outputs and orbits over the part that is drawn.

use gudgeon::results::Extreme;
use gudgeon::run::{RunSpec, Until};
use gudgeon_output::plot::{Envelope, Orbit, Peak};

/// The part of a run that its pictures show.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub from: Until,
    pub to: Until,
    /// Whether it is the measuring window.
    pub window: bool,
}

impl Range {
    /// The part asked for, or the measuring window.
    pub fn new(asked: Option<(Until, Until)>, spec: &RunSpec) -> Range {
        let window = (spec.measure_from, spec.until);
        let (from, to) = asked.unwrap_or(window);
        Range { from, to, window: (from, to) == window }
    }
}

/// Reductions of the points of a run, in memory that does not grow with it.
#[derive(Clone, Debug)]
pub struct Drawing {
    outputs: usize,
    /// Last time, where it is known in advance.
    end: Option<f64>,
    /// The outputs over time, from the first point on.
    envelope: Option<Envelope>,
    /// One per round contact spot, in the order of the joints.
    pub orbits: Vec<Orbit>,
    /// From when on orbits belong to the measuring window, where that is known in advance.
    measure_from: Option<f64>,
}

impl Drawing {
    /// For a run whose journals have these clearances.
    pub fn new(range: Range, spec: &RunSpec, clearances: impl Iterator<Item = f64>) -> Drawing {
        let measure_from = match spec.measure_from {
            _ if range.window => Some(0.0),
            Until::Time(from) => Some(from),
            Until::JointAngle { .. } => None,
        };
        let end = match range.to {
            Until::Time(end) => Some(end),
            Until::JointAngle { .. } => None,
        };
        let orbits = clearances.map(Orbit::new).collect();
        Drawing { outputs: spec.outputs.len(), end, envelope: None, orbits, measure_from }
    }

    pub fn curve_point(&mut self, t: f64, values: &[f64]) {
        let end = self.end.filter(|end| *end > t).unwrap_or(t + 1.0);
        let fresh = || Envelope::growing(t, end, self.outputs);
        self.envelope.get_or_insert_with(fresh).push(t, values);
    }

    pub fn orbit_point(&mut self, t: f64, orbits: &[[f64; 2]]) {
        let measuring = self.measure_from.is_some_and(|from| t >= from);
        for (orbit, [x, y]) in self.orbits.iter_mut().zip(orbits) {
            if measuring {
                orbit.start_measuring();
            }
            orbit.push(*x, *y);
        }
    }

    /// Adds the extremes that were located between the points.
    pub fn add(&mut self, extremes: &[Extreme]) {
        let Some(envelope) = &mut self.envelope else { return };
        for (column, extreme) in extremes.iter().enumerate() {
            for (t, value) in [(extreme.t_min, extreme.min), (extreme.t_max, extreme.max)] {
                if envelope.covers(t) {
                    envelope.push_one(column, Peak { t, value });
                }
            }
        }
    }

    /// Whether the part that is drawn was never reached.
    pub fn is_empty(&self) -> bool {
        self.envelope.is_none()
    }

    /// First and last time of the points; zero if there are none.
    pub fn ends(&self) -> (f64, f64) {
        self.envelope.as_ref().map_or((0.0, 0.0), |envelope| (envelope.start(), envelope.end()))
    }

    /// The outputs over time.
    pub fn curves(&self) -> Envelope {
        self.envelope.clone().unwrap_or_else(|| Envelope::new(0.0, 1.0, 0))
    }
}
