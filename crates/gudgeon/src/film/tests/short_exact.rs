//! The exact short film of a tilted journal.

use super::super::response::Want;
use super::super::short_exact::{Rules, response};
use super::properties::Dice;
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
    let (few, many) = (Rules::default(), Rules::even(100, 40));
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
            let force = |rules| response(&TIAN, cavitation, &ends, rules, Want::Force).q;
            let best = force(&many);
            let error = (force(&few) - best).norm() / best.norm();
            assert!(error < tolerance, "{cavitation:?} {s:?}: {error:e}");
        }
    }
}

/// Forces and slopes at random tilts against many points. Both ends may stand at opposite walls, where h
/// changes twenty times along the length: that is the last tenth.
#[test]
fn quadrature_holds_at_random_tilts() {
    let (few, many) = (Rules::default(), Rules::even(100, 40));
    let mut dice = Dice(29);
    let mut errors: [Vec<f64>; 3] = Default::default();
    for _ in 0..400 {
        let s = dice.state(4.0);
        if s.place[0] == s.place[1] {
            continue;
        }
        let ends = s.scaled(TIAN.clearance);
        for cavitation in [Cavitation::HalfSommerfeld, Cavitation::Reynolds] {
            let at = |rules| response(&TIAN, cavitation, &ends, rules, Want::Tangent);
            let (got, best) = (at(&few), at(&many));
            errors[0].push((got.q - best.q).norm() / best.q.norm());
            errors[1].push((got.by_e - best.by_e).norm() / best.by_e.norm());
            errors[2].push((got.by_nu - best.by_nu).norm() / best.by_nu.norm());
        }
    }
    for (mut errors, all) in errors.into_iter().zip([1e-4, 1e-4, 1e-3]) {
        errors.sort_by(f64::total_cmp);
        let of = |share: usize| errors[(errors.len() - 1) * share / 10];
        let [half, most, last] = [5, 9, 10].map(of);
        assert!(half < 1e-10 && most < 1e-6 && last < all, "{half:e} {most:e} {last:e}");
    }
}
