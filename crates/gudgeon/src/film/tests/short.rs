//! The short film against closed forms and the reference states of tian.

use std::f64::consts::{FRAC_PI_2, PI};

use super::*;

fn force_of(state: &JournalState) -> FilmForce {
    let film = Film::new(TIAN, FilmModel::Short);
    film.force(state, &mut film.work()).unwrap()
}

/// PAPERS.md, tian: states and forces of Eq. 38 with corrected moments, independent solutions.
#[test]
fn reference_states_of_tian() {
    let rows = [
        (
            [0.6f64, 0.3, 0.6, 0.3],
            [-0.5, 0.8, -0.5, 0.8],
            5.0,
            [-60.1241050, -237.975904, 0.0, 0.0],
        ),
        ([-0.3, 0.0, 0.3, 0.0], [0.0; 4], 10.0, [0.0, 0.0, -0.192126695, -0.0474303254]),
        (
            [0.2, 0.1, 0.6, -0.2],
            [0.0; 4],
            10.0,
            [-42.1594329, 94.6119584, -0.391324933, -0.162815407],
        ),
        ([0.0, 0.0, 0.0, 0.8], [0.0, 0.0, 0.0, 1.0], 0.0, [0.0, -634.824555, 6.45286205, 0.0]),
    ];
    for (place, rate, omega, expected) in rows {
        let got = force_of(&state(place, rate, omega));
        for (value, expected) in [got.f.x, got.f.y, got.m.x, got.m.y].into_iter().zip(expected) {
            assert!((value - expected).abs() < 1e-6 * expected.abs().max(1e-3), "{got:?}");
        }
    }
}

/// Eqs. 41 and 42 of tian as printed: the same numbers with the other sign of both moments, force and leakage untouched.
#[test]
fn printed_moments_have_the_other_sign() {
    let printed = Film { moments: Moments::Printed, ..Film::new(TIAN, FilmModel::Short) };
    let tilted = state([-0.3, 0.0, 0.3, 0.0], [0.0; 4], 10.0);
    let got = printed.force(&tilted, &mut printed.work()).unwrap();
    close(got.m.x, 0.192126695, 1e-6);
    close(got.m.y, 0.0474303254, 1e-6);
    for rate in [[0.0; 4], [0.4, -0.9, 0.3, 0.2]] {
        let state = state([0.2, 0.1, 0.6, -0.2], rate, 10.0);
        let (got, own) = (printed.force(&state, &mut printed.work()).unwrap(), force_of(&state));
        assert_eq!((got.f, got.leakage, got.min_film), (own.f, own.leakage, own.min_film));
        assert!((got.m + own.m).norm() < 1e-12 * own.m.norm(), "{got:?} {own:?}");
    }
}

/// A journal that tips about its middle is slowed by the pressure, and driven by the printed moments.
#[test]
fn printed_moments_drive_a_tipping_journal() {
    let tips = state([0.0; 4], [0.0, -1.0, 0.0, 1.0], 0.0);
    let own = force_of(&tips);
    let printed = Film { moments: Moments::Printed, ..Film::new(TIAN, FilmModel::Short) };
    let got = printed.force(&tips, &mut printed.work()).unwrap();
    assert!(own.pumping > 0.0);
    close(got.pumping, -own.pumping, 1e-12);
}

#[test]
fn aligned_rotation_and_squeeze_follow_closed_forms() {
    let FilmShape { viscosity, radius, length, clearance } = TIAN;
    let unit = viscosity * radius * length.powi(3) / (clearance * clearance);
    for e in [1e-9f64, 1e-4, 0.2, 0.6, 0.9, 0.99] {
        let q2 = (1.0 - e) * (1.0 + e);
        let turning = force_of(&state([e, 0.0, e, 0.0], [0.0; 4], 7.0));
        close(turning.f.x, -7.0 * unit * e * e / (q2 * q2), 1e-8);
        close(turning.f.y, 7.0 * unit * PI * e / (4.0 * q2.powf(1.5)), 1e-8);
        for e in [e, -e] {
            let pressed = force_of(&state([e, 0.0, e, 0.0], [2.0, 0.0, 2.0, 0.0], 0.0));
            let bracket =
                (1.0 + 2.0 * e * e) * (FRAC_PI_2 + e.asin()) / q2.powf(2.5) + 3.0 * e / (q2 * q2);
            close(pressed.f.x, -unit * 2e-3 / clearance * bracket, 1e-8);
            assert!(pressed.f.y.abs() < 1e-8 * pressed.f.x.abs());
        }
    }
}
