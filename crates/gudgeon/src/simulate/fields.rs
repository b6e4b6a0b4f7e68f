//! Pressure of films at chosen instants.
//!
//! A film follows from the journal's state, so that is all that is kept while the run goes.

use gudgeon_dae::{Fault, Integrator};

use super::films::{FilmLog, Seen};
use super::inside::Inside;
use super::when::When;
use crate::film::FilmSnapshot;
use crate::results::FieldReport;
use crate::run::PressureAt;
use crate::system::{Plant, System};

pub(super) struct FieldLog {
    instants: Vec<Instant>,
    /// Whether the thinnest film of each joint is asked for.
    thinnest: bool,
}

/// An instant asked for, and all films there once it was reached.
struct Instant {
    when: When,
    films: Vec<Seen>,
}

impl FieldLog {
    pub fn new(asked: &[PressureAt], plant: &Plant, y: &[f64]) -> Self {
        let count = plant.system.films.len();
        let instant = |asked: &PressureAt| match *asked {
            PressureAt::When(when) if count > 0 => {
                let films = Vec::with_capacity(count);
                Some(Instant { when: When::new(when, plant, 0.0, y), films })
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
            if instant.when.is_reached(plant, 0.0, y) {
                instant.take(plant, 0.0);
            }
        }
    }

    /// Takes the instants that lie in the last step.
    pub fn after_step(&mut self, inside: &mut Inside, ode: &mut Integrator) -> Result<(), Fault> {
        for instant in &mut self.instants {
            let reached = || instant.when.is_reached(&inside.plant, ode.time(), ode.state());
            if !instant.films.is_empty() || !reached() {
                continue;
            }
            let place = instant.when.place(inside, ode);
            let end = ode.last_extent().0;
            let t = match inside.evaluate(ode, place) {
                // Where the inside cannot be evaluated, the end of the step is nearest.
                Err(_) if place < end => inside.evaluate(ode, end)?,
                t => t?,
            };
            instant.take(&inside.plant, t);
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
}
