//! Every derivative of every model against central differences.

use nalgebra::SVector;

use super::properties::Dice;
use super::*;

fn all(film: &Film, state: &JournalState, work: &mut FilmWork) -> SVector<f64, 5> {
    let f = film.force(state, work).unwrap();
    SVector::from([f.f.x, f.f.y, f.m.x, f.m.y, f.torque])
}

/// The state with its k-th variable (four places, four rates, ω) moved by `by`.
fn moved(state: &JournalState, k: usize, by: f64) -> JournalState {
    let mut out = *state;
    match k {
        0..4 => out.place[k / 2][k % 2] += by,
        4..8 => out.rate[(k - 4) / 2][k % 2] += by,
        _ => out.omega += by,
    }
    out
}

/// Largest error of a column against the largest entry of its kind.
pub fn worst(film: &Film, state: &JournalState, step: f64) -> f64 {
    let mut work = film.work();
    let (_, tangent) = film.tangent(state, &mut work).unwrap();
    let c = film.shape.clearance;
    let scales =
        [step * c, step * c * state.omega.abs().max(1.0), step * state.omega.abs().max(1.0)];
    let mut worst: f64 = 0.0;
    for rows in [0..2, 2..4, 4..5] {
        for (kind, columns) in [0..4, 4..8, 8..9].into_iter().enumerate() {
            let d = scales[kind];
            let (mut error, mut size): (f64, f64) = (0.0, 0.0);
            for k in columns {
                let plus = all(film, &moved(state, k, d), &mut work);
                let minus = all(film, &moved(state, k, -d), &mut work);
                let column: SVector<f64, 5> = match kind {
                    0 => tangent.by_place.column(k).into(),
                    1 => tangent.by_rate.column(k - 4).into(),
                    _ => tangent.by_omega,
                };
                for row in rows.clone() {
                    let numeric = (plus[row] - minus[row]) / (2.0 * d);
                    error = error.max((numeric - column[row]).abs());
                    size = size.max(numeric.abs());
                }
            }
            if size > 0.0 {
                worst = worst.max(error / size);
            }
        }
    }
    worst
}

fn states() -> Vec<JournalState> {
    vec![
        state([0.5, 0.2, 0.5, 0.2], [0.0; 4], 10.0),
        state([0.5, 0.2, 0.5, 0.2], [0.4, -0.9, 0.4, -0.9], 5.0),
        state([0.6, 0.3, 0.1, -0.2], [-0.5, 0.8, 0.3, 0.1], 8.0),
        state([0.2, 0.1, 0.6, -0.2], [0.2, 0.3, 0.9, 0.4], 10.0),
        state([-0.7, 0.1, -0.6, 0.2], [0.0, 1.0, 0.2, 0.4], -6.0),
    ]
}

fn check(model: FilmModel, step: f64, tolerance: f64) {
    let film = Film::new(TIAN, model);
    for state in states() {
        let error = worst(&film, &state, step);
        assert!(error < tolerance, "{error:e} {:?} {state:?}", film.model);
    }
}

#[test]
fn of_printed_moments() {
    let film = Film { moments: Moments::Printed, ..Film::new(TIAN, FilmModel::Short) };
    for state in states() {
        let error = worst(&film, &state, 1e-6);
        assert!(error < 1e-7, "{error:e} {state:?}");
    }
}

#[test]
fn of_short_and_long_films() {
    check(FilmModel::Short, 1e-6, 1e-7);
    for cavitation in [Cavitation::HalfSommerfeld, Cavitation::Reynolds] {
        check(FilmModel::ShortExact(cavitation), 1e-6, 1e-6);
        check(FilmModel::Long(cavitation, Supply::None), 1e-6, 1e-7);
        check(FilmModel::Long(cavitation, Supply::WidestGap), 1e-6, 1e-7);
    }
}

/// On lines that turn but are not drawn the derivatives are those of the discrete film. Only where a
/// half-Sommerfeld film ends exactly on a line (the first state) it has a slight corner.
#[test]
fn of_the_finite_film_on_even_lines() {
    for supply in [Supply::WidestGap, Supply::None] {
        for (cavitation, tolerance) in
            [(Cavitation::Reynolds, 1e-6), (Cavitation::HalfSommerfeld, 1e-2)]
        {
            let supply = supply.clone();
            let even = FiniteFilm { draw: 0.0, supply, cavitation, ..FiniteFilm::default() };
            check(FilmModel::Finite(even), 1e-7, tolerance);
        }
    }
}

/// On drawn lines those of the drawing are left out, in the order of the force's own error.
#[test]
fn of_the_finite_film() {
    for supply in [Supply::WidestGap, Supply::None] {
        for cavitation in [Cavitation::Reynolds, Cavitation::HalfSommerfeld] {
            let supply = supply.clone();
            let film = FiniteFilm { supply, cavitation, ..FiniteFilm::default() };
            check(FilmModel::Finite(film), 1e-6, 5e-3);
        }
    }
    let groove = |angle| Groove { angle, width: 0.35, pressure: 2e4 };
    let supply = Supply::Grooves(vec![groove(-1.5), groove(1.5)]);
    let even = FiniteFilm { draw: 0.0, supply: supply.clone(), ..FiniteFilm::default() };
    check(FilmModel::Finite(even), 1e-7, 1e-6);
    check(FilmModel::Finite(FiniteFilm { supply, ..FiniteFilm::default() }), 1e-6, 0.03);
}
/// At random states, however tilted. A tenth of them lies where a film is about to change its shape, or
/// its ends stand at opposite walls. The derivatives of a Reynolds film by a tilt bend where it is
/// aligned: there the quotient itself is off by a share of its step.
#[test]
fn at_random_states() {
    for cavitation in [Cavitation::HalfSommerfeld, Cavitation::Reynolds] {
        for model in [
            FilmModel::Short,
            FilmModel::ShortExact(cavitation),
            FilmModel::Long(cavitation, Supply::None),
            FilmModel::Long(cavitation, Supply::WidestGap),
        ] {
            let (film, mut dice) = (Film::new(TIAN, model), Dice(31));
            let mut errors: [Vec<f64>; 2] = Default::default();
            for _ in 0..100 {
                let s = dice.state(4.0);
                let tilted = s.place[0] != s.place[1];
                errors[usize::from(tilted)].push(worst(&film, &s, 1e-5));
            }
            let bends = matches!(film.model, FilmModel::ShortExact(Cavitation::Reynolds));
            let exact = matches!(film.model, FilmModel::ShortExact(_));
            let limits = [if bends { 5e-6 } else { 1e-8 }, if exact { 3e-5 } else { 1e-7 }];
            for (mut errors, limit) in errors.into_iter().zip(limits) {
                errors.sort_by(f64::total_cmp);
                let most = errors[errors.len() * 9 / 10];
                assert!(most < limit, "{:?}: {most:e}", film.model);
            }
        }
    }
}
