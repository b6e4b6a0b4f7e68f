//! Whether a film can be computed at all.

use std::f64::consts::TAU;

use super::evaluate::{Film, FilmModel};
use super::finite::{FiniteFilm, Groove, Supply};

/// What is wrong with a film.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BadFilm {
    #[error("{what} of a film must be positive, not {value}")]
    NotPositive { what: &'static str, value: f64 },
    #[error("{what} must be at least {least}, not {value}")]
    TooCoarse { what: &'static str, least: usize, value: usize },
    #[error("the number of cells along a film must be even, not {value}")]
    Odd { value: usize },
    #[error("a film supplied by grooves needs at least one")]
    NoGroove,
    #[error(
        "groove {number} must have a width between 0 and a full turn and a pressure of at least 0"
    )]
    Groove { number: usize },
    #[error("a long film has no grooves; a finite one may have")]
    LongGrooves,
    #[error("grooves {first} and {second} overlap or are not in the order of their angles")]
    Grooves { first: usize, second: usize },
}

impl Film {
    /// Refuses sizes, grids and grooves that no film can have. Grooves count from 1.
    pub fn check(&self) -> Result<(), BadFilm> {
        let shape = &self.shape;
        for (what, value) in [
            ("viscosity", shape.viscosity),
            ("radius", shape.radius),
            ("length", shape.length),
            ("clearance", shape.clearance),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(BadFilm::NotPositive { what, value });
            }
        }
        match &self.model {
            FilmModel::Finite(film) => check_grid(film),
            FilmModel::Long(_, Supply::Grooves(_)) => Err(BadFilm::LongGrooves),
            _ => Ok(()),
        }
    }
}

fn check_grid(film: &FiniteFilm) -> Result<(), BadFilm> {
    for (what, least, value) in
        [("cells around a film", 12, film.around), ("cells along a film", 4, film.along)]
    {
        if value < least {
            return Err(BadFilm::TooCoarse { what, least, value });
        }
    }
    if film.along % 2 == 1 {
        return Err(BadFilm::Odd { value: film.along });
    }
    match &film.supply {
        Supply::Grooves(grooves) => check_grooves(grooves),
        _ => Ok(()),
    }
}

fn check_grooves(grooves: &[Groove]) -> Result<(), BadFilm> {
    if grooves.is_empty() {
        return Err(BadFilm::NoGroove);
    }
    for (k, groove) in grooves.iter().enumerate() {
        let fits = groove.width > 0.0 && groove.width < TAU && groove.angle.is_finite();
        if !(fits && groove.pressure >= 0.0 && groove.pressure.is_finite()) {
            return Err(BadFilm::Groove { number: k + 1 });
        }
        let second = (k + 1) % grooves.len();
        let next = &grooves[second];
        // The last groove is followed by the first, a turn later.
        let turn = if second == 0 { TAU } else { 0.0 };
        let gap = next.angle + turn - groove.angle - 0.5 * (groove.width + next.width);
        if gap <= 0.0 {
            return Err(BadFilm::Grooves { first: k + 1, second: second + 1 });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Cavitation, FilmShape};
    use super::*;

    const SHAPE: FilmShape =
        FilmShape { viscosity: 0.1, radius: 0.02, length: 0.03, clearance: 1e-4 };

    fn grooved(grooves: &[(f64, f64)]) -> Result<(), BadFilm> {
        let grooves =
            grooves.iter().map(|&(angle, width)| Groove { angle, width, pressure: 0.0 }).collect();
        let film = FiniteFilm { supply: Supply::Grooves(grooves), ..FiniteFilm::default() };
        Film::new(SHAPE, FilmModel::Finite(film)).check()
    }

    #[test]
    fn bad_films_are_named() {
        let dry = FilmShape { viscosity: 0.0, ..SHAPE };
        let error = Film::new(dry, FilmModel::Short).check().unwrap_err();
        assert_eq!(error.to_string(), "viscosity of a film must be positive, not 0");
        let odd = FiniteFilm { along: 11, ..FiniteFilm::default() };
        let error = Film::new(SHAPE, FilmModel::Finite(odd)).check().unwrap_err();
        assert_eq!(error, BadFilm::Odd { value: 11 });
        let long = FilmModel::Long(Cavitation::Reynolds, Supply::Grooves(Vec::new()));
        assert_eq!(Film::new(SHAPE, long).check(), Err(BadFilm::LongGrooves));
        assert_eq!(grooved(&[]), Err(BadFilm::NoGroove));
        assert_eq!(grooved(&[(0.0, 0.3), (3.0, 0.0)]), Err(BadFilm::Groove { number: 2 }));
        assert_eq!(
            grooved(&[(0.0, 0.3), (0.2, 0.3)]),
            Err(BadFilm::Grooves { first: 1, second: 2 })
        );
        assert_eq!(
            grooved(&[(0.0, 0.3), (6.2, 0.3)]),
            Err(BadFilm::Grooves { first: 2, second: 1 })
        );
        assert_eq!(grooved(&[(-1.5, 0.3), (1.5, 0.3)]), Ok(()));
        assert_eq!(grooved(&[(7.0, 0.3)]), Ok(()));
    }
}
