//! How thin films became, located on the dense output.

use std::f64::consts::TAU;

use gudgeon_dae::{Fault, Integrator};

use super::maximise::top_inside;
use crate::film::Lubricated;
use crate::results::FilmReport;
use crate::system::{Plant, System};

pub(super) struct FilmLog {
    films: Vec<Thinnest>,
}

/// A film at some time.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub t: f64,
    pub now: Lubricated,
}

/// The thinnest film of one joint in the whole run and in the measuring window.
struct Thinnest {
    /// The last time, and by how much the journal turned in its bearing until then, rad.
    turned: (f64, f64),
    /// Thickness at the start, the middle and the end of the last step.
    step: [f64; 3],
    run: Option<Seen>,
    window: Option<Seen>,
}

/// Keeps the thinner of two films.
fn offer(best: &mut Option<Seen>, t: f64, now: &Lubricated) {
    if best.is_none_or(|best| now.thickness < best.now.thickness) {
        *best = Some(Seen { t, now: *now });
    }
}

impl Thinnest {
    fn offer(&mut self, t: f64, now: &Lubricated, measuring: bool) {
        offer(&mut self.run, t, now);
        if measuring {
            offer(&mut self.window, t, now);
        }
    }

    /// A film inside the step that is thinner than those at its ends and before.
    fn look_inside(
        &mut self,
        plant: &mut Plant,
        ode: &mut Integrator,
        film: usize,
        measuring: bool,
        y: &mut [f64],
    ) -> Result<(), Fault> {
        let best = if measuring { &self.window } else { &self.run };
        let record = best.map_or(f64::NEG_INFINITY, |best| -best.now.thickness);
        let thin = self.step.map(|thickness| -thickness);
        let found = top_inside(plant, ode, thin, record, y, |plant, _, y| {
            Ok(-plant.film_thickness(film, y))
        })?;
        // Between two good states dense output may miss a film that all but gives way.
        if let Some((t, _)) = found
            && plant.evaluate(t, y).is_ok()
        {
            self.offer(t, &plant.work.films[film].now, measuring);
        }
        Ok(())
    }
}

impl FilmLog {
    pub fn new(system: &System) -> Self {
        let nothing = || Thinnest { turned: (0.0, 0.0), step: [0.0; 3], run: None, window: None };
        Self { films: system.films.iter().map(|_| nothing()).collect() }
    }

    /// At the start of the run and of the measuring window, where the plant was just evaluated.
    pub fn begin(&mut self, plant: &Plant, t: f64, measuring: bool) {
        for (log, film) in self.films.iter_mut().zip(&plant.work.films) {
            log.step[2] = film.now.thickness;
            log.turned.0 = t;
            log.offer(t, &film.now, measuring);
        }
    }

    /// One step: its end, where the plant was just evaluated, and what is thinner inside.
    pub fn after_step(
        &mut self,
        plant: &mut Plant,
        ode: &mut Integrator,
        measuring: bool,
        y: &mut [f64],
    ) -> Result<(), Fault> {
        if self.films.is_empty() {
            return Ok(());
        }
        let (t, middle) = (ode.time(), 0.5 * ode.last_extent().0);
        ode.sketch(middle, y);
        for (i, log) in self.films.iter_mut().enumerate() {
            let now = &plant.work.films[i].now;
            log.step = [log.step[2], plant.film_thickness(i, y), now.thickness];
            let more = (t - log.turned.0) * now.state.omega.abs();
            log.turned = (t, log.turned.1 + more);
            log.offer(t, now, measuring);
        }
        for (i, log) in self.films.iter_mut().enumerate() {
            log.look_inside(plant, ode, i, measuring, y)?;
        }
        Ok(())
    }

    /// Per film when it was thinnest: in the measuring window, or in the whole run without one.
    pub fn thinnest(&self) -> impl Iterator<Item = Option<Seen>> {
        self.films.iter().map(|film| film.window.or(film.run))
    }

    pub fn finish(&self, system: &System) -> Vec<FilmReport> {
        let films = system.films.iter().zip(&self.films);
        let report = |(film, log): (&crate::system::compile::FilmElement, &Thinnest)| {
            let seen = log.run.unwrap_or(Seen { t: 0.0, now: Lubricated::NONE });
            FilmReport {
                joint: film.joint,
                name: system.model.joints[film.joint.0].name.clone(),
                thinnest: if log.run.is_some() { seen.now.thickness } else { f64::NAN },
                t: seen.t,
                angle: seen.now.force.min_film_angle.rem_euclid(TAU),
                clearance: film.lubricant.film.shape.clearance,
                roughness: film.lubricant.roughness,
                hybrid: film.lubricant.hybrid,
                turned: log.turned.1,
            }
        };
        films.map(report).collect()
    }
}
