//! The exact short film of a tilted journal.

use super::super::gauss::Gauss;
use super::super::response::Want;
use super::super::short_exact::{ALONG, AROUND, Rules, response};
use super::*;

fn force_of(state: &JournalState) -> FilmForce {
    let film = Film::new(TIAN, FilmModel::ShortExact(Cavitation::HalfSommerfeld));
    film.force(state, &mut film.work()).unwrap()
}

/// PAPERS.md, tian: pure tilt, −0.06479 and −0.02285: the exact equation with negative pressure
/// dropped.
#[test]
fn pure_tilt_of_tian() {
    let got = force_of(&state([-0.3, 0.0, 0.3, 0.0], [0.0; 4], 10.0));
    close(got.m.x, -0.06479, 1e-4);
    close(got.m.y, -0.02285, 1e-4);
}

/// A slight pure tilt: the paper's formula gives three times the moment; a Reynolds film 81/64 of it.
#[test]
fn slight_tilts_in_closed_form() {
    let s = state([-1e-4, 0.0, 1e-4, 0.0], [0.0; 4], 10.0);
    let moment = |model| {
        let film = Film::new(TIAN, model);
        film.force(&s, &mut film.work()).unwrap().m.x
    };
    let exact = moment(FilmModel::ShortExact(Cavitation::HalfSommerfeld));
    close(moment(FilmModel::Short), 3.0 * exact, 1e-7);
    close(moment(FilmModel::ShortExact(Cavitation::Reynolds)), 81.0 / 64.0 * exact, 1e-7);
}

/// The default points against many, also with h from 1.8 to 0.1 along the length.
#[test]
fn quadrature_is_fine_enough() {
    let gauss = Gauss::new(16);
    let (few, many) = (Rules::new(AROUND, ALONG), Rules::new(100, [40; 2]));
    for (s, tolerance) in [
        (state([-0.3, 0.0, 0.3, 0.0], [0.0; 4], 10.0), 1e-8),
        (state([0.2, 0.1, 0.6, -0.2], [0.0; 4], 10.0), 1e-8),
        (state([0.6, 0.3, 0.1, -0.2], [-0.5, 0.8, 0.3, 0.1], 8.0), 1e-8),
        (state([0.0, 0.0, 0.0, 0.8], [0.0, 0.0, 0.0, 1.0], 0.0), 1e-7),
        (state([0.8, 0.3, 0.9, 0.1], [0.0; 4], 10.0), 1e-8),
        (state([-0.8, 0.0, 0.9, 0.0], [0.0; 4], 10.0), 1e-4),
    ] {
        let ends = s.scaled(TIAN.clearance);
        for cavitation in [Cavitation::HalfSommerfeld, Cavitation::Reynolds] {
            let force = |rules| response(&TIAN, cavitation, &ends, &gauss, rules, Want::Force).q;
            let best = force(&many);
            let error = (force(&few) - best).norm() / best.norm();
            assert!(error < tolerance, "{cavitation:?} {s:?}: {error:e}");
        }
    }
}
