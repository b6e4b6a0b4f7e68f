//! Pressure of films at chosen instants.
//!
//! A film follows from the journal's state, so that is all that is kept while the run goes.

use gudgeon_dae::{Fault, Integrator};

use super::films::{FilmLog, Seen};
use crate::film::FilmSnapshot;
use crate::results::FieldReport;
use crate::run::{PressureAt, Until};
use crate::system::{Plant, System};
use crate::time::bisect;

pub(super) struct FieldLog {
    instants: Vec<Instant>,
    /// Whether the thinnest film of each joint is asked for.
    thinnest: bool,
}

/// An instant asked for, and all films there once it was reached.
struct Instant {
    when: Until,
    /// Angle at the start of the joint that decides.
    start: f64,
    films: Vec<Seen>,
}

impl FieldLog {
    pub fn new(system: &System, asked: &[PressureAt]) -> Self {
        let count = system.films.len();
        let instant = |asked: &PressureAt| match *asked {
            PressureAt::When(when) if count > 0 => {
                Some(Instant { when, start: 0.0, films: Vec::with_capacity(count) })
            }
            _ => None,
        };
        Self {
            instants: asked.iter().filter_map(instant).collect(),
            thinnest: asked.contains(&PressureAt::Thinnest),
        }
    }

    /// At the start of the run, where the plant was just evaluated.
    pub fn begin(&mut self, plant: &Plant, y: &[f64]) {
        for instant in &mut self.instants {
            let at_once = match instant.when {
                Until::Time(t) => t <= 0.0,
                Until::JointAngle { joint, angle } => {
                    instant.start = plant.joint_angle(joint, y);
                    angle <= 0.0
                }
            };
            if at_once {
                instant.take(plant, 0.0);
            }
        }
    }

    /// Takes the instants that lie in the last step.
    pub fn after_step(
        &mut self,
        plant: &mut Plant,
        ode: &mut Integrator,
        y: &mut [f64],
    ) -> Result<(), Fault> {
        for instant in &mut self.instants {
            if !instant.films.is_empty() || !instant.is_reached(plant, ode.time(), ode.state()) {
                continue;
            }
            ode.prepare_dense(plant)?;
            let place = instant.place(plant, ode, y);
            let t = ode.interpolate(place, y);
            plant.evaluate(t, y)?;
            instant.take(plant, t);
        }
        Ok(())
    }

    /// Fields joint by joint in the order of time, and how many instants were not reached.
    pub fn finish(self, system: &System, films: &FilmLog) -> (Vec<FieldReport>, usize) {
        let mut fields = Vec::new();
        let thinnest: Vec<Option<Seen>> = films.thinnest().collect();
        for (i, film) in system.films.iter().enumerate() {
            let asked = self.instants.iter().filter_map(|instant| instant.films.get(i));
            let asked = asked.map(|seen| (*seen, false));
            let thin = thinnest[i].filter(|_| self.thinnest).map(|seen| (seen, true));
            let mut all: Vec<(Seen, bool)> = asked.chain(thin).collect();
            all.sort_by(|(a, _), (b, _)| a.t.total_cmp(&b.t));
            fields.extend(all.into_iter().map(|(seen, thinnest)| {
                let snapshot = FilmSnapshot { lubricant: film.lubricant.clone(), now: seen.now };
                FieldReport {
                    joint: film.joint,
                    name: system.model.joints[film.joint.0].name.clone(),
                    t: seen.t,
                    thinnest,
                    peak: snapshot.peak(),
                    film: snapshot,
                }
            }));
        }
        (fields, self.instants.iter().filter(|instant| instant.films.is_empty()).count())
    }
}

impl Instant {
    /// All films at the point where the plant was just evaluated.
    fn take(&mut self, plant: &Plant, t: f64) {
        self.films.extend(plant.work.films.iter().map(|film| Seen { t, now: film.now }));
    }

    fn is_reached(&self, plant: &Plant, t: f64, y: &[f64]) -> bool {
        match self.when {
            // An instant that the end of a step meets but for rounding is taken there.
            Until::Time(when) => when <= t * (1.0 + 1e-13),
            Until::JointAngle { joint, angle } => {
                (plant.joint_angle(joint, y) - self.start).abs() >= angle
            }
        }
    }

    /// Where in the last step the instant lies.
    fn place(&self, plant: &Plant, ode: &mut Integrator, y: &mut [f64]) -> f64 {
        let (end, _) = ode.last_extent();
        match self.when {
            Until::Time(when) if when < ode.time() => ode.place_of(when),
            Until::Time(_) => end,
            Until::JointAngle { .. } => bisect(0.0, end, |theta| {
                let t = ode.interpolate(theta, y);
                !self.is_reached(plant, t, y)
            }),
        }
    }
}
