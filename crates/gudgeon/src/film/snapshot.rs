//! A film at one instant, kept to be drawn: pressure and thickness all around.
//!
//! A film is a function of the journal's state, so the state is all that a run has to keep.

use std::f64::consts::TAU;

use super::between::{Lubricant, Lubricated};
use super::field::Peak;

/// A film and the journal in it.
#[derive(Clone, Debug)]
pub struct FilmSnapshot {
    pub lubricant: Lubricant,
    pub now: Lubricated,
}

/// Values at regular angles and places; those at `angles[i]`, `places[j]` have the index
/// `j * angles.len() + i`.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmGrid {
    /// θ from ξ, from 0 to a full turn, rad.
    pub angles: Vec<f64>,
    /// ζ from end to end, m.
    pub places: Vec<f64>,
    /// Pa.
    pub pressure: Vec<f64>,
    /// Distance of the surfaces, m; negative where rough ones are pressed into one another.
    pub thickness: Vec<f64>,
}

/// Thinnest film, m, its angle from ξ, rad, and its place along ζ, m (0 where it is so all along).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thinnest {
    pub thickness: f64,
    pub angle: f64,
    pub place: f64,
}

impl FilmSnapshot {
    pub fn peak(&self) -> Peak {
        let mut work = self.lubricant.film.work();
        match self.lubricant.field(&self.now, &mut work) {
            Ok(field) => field.peak(),
            Err(touching) => {
                Peak { pressure: f64::NAN, angle: touching.angle, place: touching.place }
            }
        }
    }

    pub fn thinnest(&self) -> Thinnest {
        Thinnest {
            thickness: self.now.thickness,
            angle: self.now.force.min_film_angle.rem_euclid(TAU),
            place: self.now.force.min_film_place,
        }
    }

    /// `around` angles, of which the last is the first again, and `along` places, both ends among
    /// them; at least two of each.
    pub fn grid(&self, around: usize, along: usize) -> FilmGrid {
        let length = self.lubricant.film.shape.length;
        let (turns, parts) = (around.max(2) - 1, along.max(2) - 1);
        let angles: Vec<f64> = (0..=turns).map(|i| TAU * i as f64 / turns as f64).collect();
        let places: Vec<f64> =
            (0..=parts).map(|j| length * (j as f64 / parts as f64 - 0.5)).collect();
        let mut work = self.lubricant.film.work();
        let field = self.lubricant.field(&self.now, &mut work).ok();
        let at = |theta, zeta| field.as_ref().map_or(f64::NAN, |field| field.at(theta, zeta));
        let over = |value: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            places.iter().flat_map(|z| angles.iter().map(|a| value(*a, *z))).collect()
        };
        let pressure = over(&at);
        let thickness = over(&|theta, zeta| self.thickness(theta, zeta));
        FilmGrid { angles, places, pressure, thickness }
    }

    /// h of (1) in `film`, with the journal where it is.
    fn thickness(&self, theta: f64, zeta: f64) -> f64 {
        let shape = &self.lubricant.film.shape;
        let [a, w] = self.now.state.place;
        let z = zeta / shape.length;
        let e = (a * (0.5 - z) + w * (0.5 + z)) / self.now.shrink;
        shape.clearance - e.x * theta.cos() - e.y * theta.sin()
    }
}
