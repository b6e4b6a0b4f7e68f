//! The pressure of a film at one instant: values anywhere, and its peak.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector2;

use super::between::{Lubricant, Lubricated};
use super::evaluate::{Film, FilmModel, FilmWork};
use super::finite;
use super::sommerfeld::Sommerfeld;
use super::state::{Ends, JournalState, Touching};
use super::{long, short, short_exact};

/// Pressure at one state of the journal.
pub struct PressureField<'a> {
    film: &'a Film,
    ends: Ends,
    /// Of the pressure that the film would bear alone.
    share: f64,
    work: &'a FilmWork,
}

/// Highest pressure, Pa, its angle from ξ, rad, and its place along ζ, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    pub pressure: f64,
    pub angle: f64,
    pub place: f64,
}

impl Film {
    /// The pressure at a state.
    pub fn field<'a>(
        &'a self,
        state: &JournalState,
        work: &'a mut FilmWork,
    ) -> Result<PressureField<'a>, Touching> {
        let ends = self.ends(state)?;
        if let (FilmModel::Finite(film), Some(work)) = (&self.model, &mut work.finite) {
            finite::solve(&self.shape, film, &ends, work);
        }
        Ok(PressureField { film: self, ends, share: 1.0, work })
    }
}

impl Lubricant {
    /// The pressure that makes the forces of `now`.
    pub fn field<'a>(
        &'a self,
        now: &Lubricated,
        work: &'a mut FilmWork,
    ) -> Result<PressureField<'a>, Touching> {
        Ok(PressureField { share: now.share, ..self.film.field(&now.state, work)? })
    }
}

impl PressureField<'_> {
    /// p at the angle θ from ξ and at ζ, Pa.
    pub fn at(&self, theta: f64, zeta: f64) -> f64 {
        self.at_z(theta, 2.0 * zeta / self.film.shape.length)
    }

    fn at_z(&self, theta: f64, z: f64) -> f64 {
        let (shape, ends) = (&self.film.shape, &self.ends);
        let alone = match &self.film.model {
            FilmModel::Short => short::pressure(shape, ends, theta, z),
            FilmModel::ShortExact(cavitation) => {
                short_exact::pressure(shape, *cavitation, ends, &self.work.rules, theta, z)
            }
            FilmModel::Long(cavitation, supply) => {
                long::pressure(shape, (*cavitation, supply), ends, theta, z)
            }
            FilmModel::Finite(film) => {
                let work = self.work.finite.as_ref().expect("made by `work` of this film");
                work.pressure(shape, film, ends.aligned(), theta, z)
            }
        };
        self.share * alone
    }

    /// The peak: the best of a grid that is dense at the narrow gap, then refined.
    pub fn peak(&self) -> Peak {
        let (e, end) = self.ends.widest();
        let map = Sommerfeld::new(e);
        let narrow = self.ends.e[end].y.atan2(self.ends.e[end].x);
        let angle = |gamma: f64| {
            let point = map.point(gamma.cos(), gamma.sin());
            narrow + point.sin.atan2(point.cos)
        };
        let at = |x: Vector2<f64>| self.at_z(angle(x.x), x.y);
        let (mut best, mut place) = (0.0, Vector2::zeros());
        for i in 0..96 {
            for j in [0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8] {
                let x = Vector2::new(TAU * i as f64 / 96.0 - PI, j as f64 / 8.5);
                let p = at(x);
                if p > best * (1.0 + 1e-12) {
                    (best, place) = (p, x);
                }
            }
        }
        (best, place) = climbed(at, best, place, Vector2::new(TAU / 96.0, 1.0 / 8.5));
        Peak {
            pressure: best,
            angle: angle(place.x).rem_euclid(TAU),
            place: 0.5 * place.y * self.film.shape.length,
        }
    }
}

/// Climbs by steps along both axes that halve where none leads up.
fn climbed(
    at: impl Fn(Vector2<f64>) -> f64,
    mut best: f64,
    mut place: Vector2<f64>,
    mut step: Vector2<f64>,
) -> (f64, Vector2<f64>) {
    for _ in 0..24 {
        let mut found = false;
        for by in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
            let next = Vector2::new(place.x + by.0 * step.x, place.y + by.1 * step.y);
            let p = at(next);
            if next.y.abs() <= 1.0 && p > best * (1.0 + 1e-12) {
                (best, place, found) = (p, next, true);
            }
        }
        if !found {
            step *= 0.5;
        }
    }
    (best, place)
}
