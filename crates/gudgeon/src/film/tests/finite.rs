//! The finite film against published tables, its limits and its own refinement.

use nalgebra::Vector2;

use super::*;
use crate::film::bearing::common;

/// A bearing of length over diameter `ratio` with R/c = 1000.
pub fn bearing(ratio: f64) -> FilmShape {
    FilmShape { viscosity: 0.01, radius: 0.05, length: 0.1 * ratio, clearance: 5e-5 }
}

pub fn model(around: usize, along: usize, supply: Supply) -> FilmModel {
    FilmModel::Finite(FiniteFilm { around, along, supply, ..FiniteFilm::default() })
}

fn default_model(supply: Supply) -> FilmModel {
    FilmModel::Finite(FiniteFilm { supply, ..FiniteFilm::default() })
}

/// A journal at an eccentricity ratio along ξ, turning or squeezed at 100/s.
fn turning(shape: &FilmShape, e: f64) -> JournalState {
    JournalState::aligned(Vector2::new(e * shape.clearance, 0.0), Vector2::zeros(), 100.0)
}

pub fn squeezed(shape: &FilmShape, e: f64) -> JournalState {
    let c = shape.clearance;
    JournalState::aligned(Vector2::new(e * c, 0.0), Vector2::new(100.0 * c, 0.0), 0.0)
}

fn force(shape: FilmShape, model: FilmModel, state: &JournalState) -> Vector2<f64> {
    let film = Film::new(shape, model);
    film.force(state, &mut film.work()).unwrap().f
}

/// So = F ψ²/(B D η ω) at 100/s.
pub fn sommerfeld(shape: &FilmShape, force: f64) -> f64 {
    let psi = shape.clearance / shape.radius;
    force * psi * psi / (shape.length * 2.0 * shape.radius * shape.viscosity * 100.0)
}

pub const RATIOS: [f64; 3] = [1.0, 0.5, 0.25];

/// Butenschön 1976, rotation: ε, So for B/D 1, 1/2, 1/4, β in degrees likewise.
const ROTATION: [(f64, [f64; 3], [f64; 3]); 5] = [
    (0.2, [0.2518, 0.0783, 0.0210], [73.858, 75.142, 75.287]),
    (0.4, [0.6108, 0.2026, 0.0560], [62.571, 61.778, 61.208]),
    (0.6, [1.3146, 0.4982, 0.1476], [50.536, 48.049, 46.825]),
    (0.8, [3.5663, 1.7339, 0.6043], [36.235, 32.938, 31.249]),
    (0.95, [18.7895, 13.3083, 6.9248], [19.450, 17.265, 15.632]),
];

/// Within 0.2 % and 0.1° everywhere on the default grid (1 % and 0.5° are asked for).
#[test]
fn rotation_of_butenschoen() {
    for (e, so, beta) in ROTATION {
        for (k, ratio) in RATIOS.into_iter().enumerate() {
            let shape = bearing(ratio);
            let f = force(shape, default_model(Supply::WidestGap), &turning(&shape, e));
            close(sommerfeld(&shape, f.norm()), so[k], 2e-3);
            let attitude = f.y.atan2(-f.x).to_degrees();
            assert!((attitude - beta[k]).abs() < 0.1, "{e} {ratio}: {attitude}");
        }
    }
}

/// Butenschön 1976, pure squeeze at ε 0 and 0.5.
#[test]
fn squeeze_of_butenschoen() {
    for (e, so) in [(0.0, [2.4076, 0.7224, 0.1919]), (0.5, [9.7319, 3.675, 1.0715])] {
        for (k, ratio) in RATIOS.into_iter().enumerate() {
            let shape = bearing(ratio);
            let f = force(shape, default_model(Supply::WidestGap), &squeezed(&shape, e));
            close(sommerfeld(&shape, f.norm()), so[k], 1.5e-3);
        }
    }
}

/// PAPERS.md, tian: load of the short film over that of the 2-D film, Swift–Stieber, no supply line.
#[test]
fn load_ratios_of_the_short_film() {
    for (ratio, e, expected) in [(0.5, 0.4, 1.155), (0.5, 0.8, 1.653), (1.0, 0.6, 1.94)] {
        let shape = bearing(ratio);
        let state = turning(&shape, e);
        let short = force(shape, FilmModel::Short, &state).norm();
        close(short / force(shape, default_model(Supply::None), &state).norm(), expected, 2.5e-3);
        close(short / force(shape, model(192, 32, Supply::None), &state).norm(), expected, 1.5e-3);
    }
}

#[test]
fn a_short_bearing_has_the_short_film() {
    let shape = bearing(0.125);
    for e in [0.1, 0.3, 0.5] {
        for state in [turning(&shape, e), squeezed(&shape, e)] {
            let short = force(shape, FilmModel::Short, &state);
            let finite = force(shape, default_model(Supply::WidestGap), &state);
            assert!((short - finite).norm() < 0.02 * short.norm(), "{e}: {short} {finite}");
        }
    }
}

/// Turning, squeezed and tilted journals converge with order two in the cells.
#[test]
fn refinement_converges() {
    let shape = bearing(0.5);
    let c = shape.clearance;
    let tilted = JournalState {
        place: [Vector2::new(0.95, 0.0) * c, Vector2::new(0.2, 0.0) * c],
        ..turning(&shape, 0.0)
    };
    for state in [turning(&shape, 0.7), squeezed(&shape, 0.7), tilted] {
        let f = |n: usize| force(shape, model(32 * n, 8 * n, Supply::None), &state);
        let best = f(8);
        let errors = [1, 2, 4].map(|n| (f(n) - best).norm() / best.norm());
        assert!(errors[0] < 0.03 && errors[1] < 0.4 * errors[0], "{errors:?}");
        assert!(errors[2] < 0.4 * errors[1] && errors[2] < 2e-3, "{errors:?}");
    }
}

/// The force of pressurised grooves on a journal that rests is that of the oil they feed.
#[test]
fn grooves_feed_oil() {
    let shape = bearing(1.0);
    let c = shape.clearance;
    let groove = Groove { angle: 0.0, width: 0.4, pressure: 2e5 };
    let rest = JournalState::aligned(Vector2::zeros(), Vector2::zeros(), 0.0);
    let f = force(shape, default_model(Supply::Grooves(vec![groove])), &rest);
    let own = 2e5 * 0.1 * 2.0 * shape.radius * 0.2f64.sin(); // groove alone
    assert!(f.x < -0.9 * own && f.x > -3.0 * own && f.y.abs() < 1e-9 * own, "{f} {own}");
    // Between two equal grooves a centred journal bears nothing.
    let pair = vec![groove, Groove { angle: std::f64::consts::PI, ..groove }];
    let f = force(shape, default_model(Supply::Grooves(pair)), &rest);
    assert!(f.norm() < 1e-9 * own * c / c, "{f}");
}

/// Forces, stiffness and damping of the default grid against one four times as fine, where lines follow the
/// journal, where they follow its push, and between: forces have errors of second order, slopes may have
/// some of first order, where the film ends between two lines.
#[test]
fn slopes_converge_from_the_centre_on() {
    let shape = bearing(1.0);
    for cavitation in [Cavitation::Reynolds, Cavitation::HalfSommerfeld] {
        for e in [0.03, 0.075, 0.2, 0.7] {
            let at = |around, along| {
                let film = FiniteFilm { around, along, cavitation, ..FiniteFilm::default() };
                let film = Film::new(shape, FilmModel::Finite(film));
                let (f, t) = film.tangent(&turning(&shape, e), &mut film.work()).unwrap();
                (f.f, common(&t.by_place), common(&t.by_rate))
            };
            let (coarse, fine) = (at(96, 12), at(384, 24));
            let off = (coarse.0 - fine.0).norm() / fine.0.norm();
            let [stiffness, damping] = [(coarse.1, fine.1), (coarse.2, fine.2)]
                .map(|(coarse, fine)| (coarse - fine).norm() / fine.norm());
            let what = format!("{cavitation:?} {e}: {off:e} {stiffness:e} {damping:e}");
            assert!(off < 2e-3 && stiffness < 4e-3 && damping < 1e-2, "{what}");
        }
    }
}
