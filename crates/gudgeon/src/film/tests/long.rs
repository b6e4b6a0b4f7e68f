//! The long film against closed forms and the finite film of a long bearing.

use std::f64::consts::PI;

use nalgebra::Vector2;

use super::finite::bearing;
use super::*;

/// Half-Sommerfeld, steady rotation (any book): in μ ω R B (R/c)², radial 12e²/((2+e²)(1−e²)) and
/// tangential 6πe/((2+e²)√(1−e²)).
#[test]
fn half_sommerfeld_rotation_has_a_closed_form() {
    let film = Film::new(TIAN, FilmModel::Long(Cavitation::HalfSommerfeld));
    let FilmShape { viscosity, radius, length, clearance } = TIAN;
    let unit = viscosity * radius.powi(3) * length / (clearance * clearance) * 7.0;
    for e in [1e-6f64, 0.1, 0.5, 0.9, 0.99] {
        let f = film.force(&state([e, 0.0, e, 0.0], [0.0; 4], 7.0), &mut film.work()).unwrap().f;
        let (q2, two) = ((1.0 - e) * (1.0 + e), 2.0 + e * e);
        close(f.x, -unit * 12.0 * e * e / (two * q2), 1e-8);
        close(f.y, unit * 6.0 * PI * e / (two * q2.sqrt()), 1e-8);
    }
}

/// Both ends of a finite film take a share that falls as D/B.
#[test]
fn a_finite_film_tends_to_the_long_one() {
    for cavitation in [Cavitation::HalfSommerfeld, Cavitation::Reynolds] {
        for (e, rate) in
            [([0.5, 0.0], [0.0, 0.0]), ([0.5, 0.1], [1.0, 0.5]), ([0.8, 0.0], [-0.3, -0.6])]
        {
            let lost = |ratio: f64| {
                let shape = bearing(ratio);
                let c = shape.clearance;
                let (e, rate) = (Vector2::from(e) * c, Vector2::from(rate) * (c * 50.0));
                let state = JournalState::aligned(e, rate, 100.0);
                let finite =
                    FiniteFilm { around: 192, along: 48, cavitation, ..FiniteFilm::default() };
                let force = |model| {
                    let film = Film::new(shape, model);
                    film.force(&state, &mut film.work()).unwrap().f
                };
                let long = force(FilmModel::Long(cavitation));
                (force(FilmModel::Finite(finite)) - long) / long.norm()
            };
            let (one, two) = (lost(20.0), lost(40.0));
            assert!(two.norm() < 0.025, "{two}");
            assert!((two * 2.0 - one).norm() < 3e-3, "{one} {two}");
        }
    }
}
