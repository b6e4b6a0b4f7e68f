//! How thin films became, located on the dense output.

use std::f64::consts::TAU;

use gudgeon_dae::{Fault, Integrator};

use super::extremes::Part;
use super::inside::Inside;
use super::maximise::{may_exceed, top};
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

    /// A film in a part of the step that is thinner than at its ends and before, in the run or
    /// in the window.
    fn look_inside(
        &mut self,
        inside: &mut Inside,
        ode: &mut Integrator,
        film: usize,
        part: (f64, f64),
        measuring: bool,
    ) -> Result<(), Fault> {
        let best = if measuring { &self.window } else { &self.run };
        let record = best.map_or(f64::NEG_INFINITY, |best| -best.now.thickness);
        let nodes = inside.ends_and_nodes(ode);
        let thin = nodes.map(|(t, y)| -inside.plant.film_thickness(film, t, y));
        if !may_exceed(&thin, record) {
            return Ok(());
        }
        ode.prepare_dense(&mut inside.plant)?;
        let found = top(part, record, &mut |theta| {
            let t = ode.interpolate(theta, &mut inside.y);
            Ok::<f64, Fault>(-inside.plant.film_thickness(film, t, &inside.y))
        })?;
        // Between two good states dense output may miss a film that all but gives way.
        if let Some((place, _)) = found
            && let Ok(t) = inside.evaluate(ode, place)
        {
            self.offer(t, &inside.plant.work.films[film].now, measuring);
        }
        Ok(())
    }
}

impl FilmLog {
    pub fn new(system: &System) -> Self {
        let nothing = || Thinnest { turned: (0.0, 0.0), run: None, window: None };
        Self { films: system.films.iter().map(|_| nothing()).collect() }
    }

    /// At the start of the run and of the measuring window, where the plant was just evaluated.
    pub fn begin(&mut self, plant: &Plant, t: f64, measuring: bool) {
        for (log, film) in self.films.iter_mut().zip(&plant.work.films) {
            log.turned.0 = t;
            log.offer(t, &film.now, measuring);
        }
    }

    /// One step: its end, where `plant` was just evaluated, and what is thinner inside.
    pub fn after_step(
        &mut self,
        plant: &Plant,
        inside: &mut Inside,
        ode: &mut Integrator,
        measured: Option<Part>,
    ) -> Result<(), Fault> {
        let (whole, t) = ((0.0, ode.last_extent().0), ode.time());
        for (i, log) in self.films.iter_mut().enumerate() {
            let now = &plant.work.films[i].now;
            let more = (t - log.turned.0) * now.state.omega.abs();
            log.turned = (t, log.turned.1 + more);
            log.offer(t, now, measured.is_some());
            // What is new in the run is new in the window, where that is open all the step long.
            if measured.is_none_or(|part| part.places != whole) {
                log.look_inside(inside, ode, i, whole, false)?;
            }
            if let Some(part) = measured {
                log.look_inside(inside, ode, i, part.places, true)?;
            }
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
