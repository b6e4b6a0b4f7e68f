//! Forces are continuous in the state, at the centre and wherever a direction is lost.

use nalgebra::{Rotation2, SVector, Vector2};

use super::finite::{RATIOS, bearing, sommerfeld, squeezed};
use super::properties::Dice;
use super::*;

/// Every film that the words of a model file give without a line at the widest gap.
fn continuous() -> Vec<FilmModel> {
    let mut out = vec![FilmModel::Short];
    for cavitation in [Cavitation::HalfSommerfeld, Cavitation::Reynolds] {
        let groove = |angle| Groove { angle, width: 0.35, pressure: 2e3 };
        let finite = |around: usize, supply: Supply| {
            let film = FiniteFilm { around, along: 8, cavitation, supply, ..FiniteFilm::default() };
            FilmModel::Finite(film)
        };
        out.extend([
            FilmModel::ShortExact(cavitation),
            FilmModel::Long(cavitation, Supply::None),
            finite(48, Supply::None),
            finite(31, Supply::None),
            finite(48, Supply::Grooves(vec![groove(-1.5), groove(1.0)])),
        ]);
    }
    out
}

/// e of both ends in c and ν in 1/s, as one vector.
type Point = SVector<f64, 8>;

fn point(e: [Vector2<f64>; 2], nu: [Vector2<f64>; 2]) -> Point {
    SVector::from([e[0].x, e[0].y, e[1].x, e[1].y, nu[0].x, nu[0].y, nu[1].x, nu[1].y])
}

/// F and 2M/B.
fn force(film: &Film, at: &Point, work: &mut FilmWork) -> SVector<f64, 4> {
    let pair = |k: usize| [Vector2::new(at[k], at[k + 1]), Vector2::new(at[k + 2], at[k + 3])];
    let c = film.shape.clearance;
    let state =
        JournalState { place: pair(0).map(|e| e * c), rate: pair(4).map(|v| v * c), omega: 0.0 };
    let f = film.force(&state, work).unwrap();
    let arm = 0.5 * film.shape.length;
    SVector::from([f.f.x, f.f.y, f.m.x / arm, f.m.y / arm])
}

fn direction(dice: &mut Dice) -> Vector2<f64> {
    Rotation2::new(3.2 * dice.roll()) * Vector2::x()
}

/// States in which a direction is lost or two of them agree, of random sizes.
fn special(dice: &mut Dice) -> Vec<Point> {
    let zero = Vector2::zeros();
    let (e, f) = (direction(dice) * 0.3 * dice.roll(), direction(dice) * 0.3 * dice.roll());
    let (nu, mu) = (direction(dice), direction(dice) * (0.3 + dice.roll().abs()));
    let across = Vector2::new(-e.y, e.x) / e.norm();
    let near = e * (0.075 / e.norm());
    vec![
        point([zero; 2], [nu; 2]),
        point([zero; 2], [nu, mu]),
        point([zero; 2], [nu, -nu]),
        point([zero; 2], [zero; 2]),
        point([e, -e], [nu; 2]),
        point([e, -e], [nu, mu]),
        point([e, -e], [nu, -nu]),
        point([zero, e], [nu, mu]),
        point([e; 2], [zero; 2]),
        point([e, f], [zero; 2]),
        point([e, f], [zero, mu]),
        point([e, f], [nu, -nu]),
        point([e; 2], [e / e.norm(); 2]),
        point([e; 2], [-e / e.norm(); 2]),
        point([e; 2], [across; 2]),
        point([e; 2], [nu; 2]),
        point([e, e * 0.5], [nu, nu * 0.5]),
        // Where one set of lines of a grid gives way to the next.
        point([near; 2], [nu; 2]),
        point([near, near * 0.9], [nu, -nu * 0.1]),
        point([e, -e], [nu, nu * -0.2]),
    ]
}

/// The force changes by no more than its largest slope times the distance, along every line through
/// every special state. A jump would stay as it is while the distance falls ten thousand times.
#[test]
fn no_force_jumps() {
    for model in continuous() {
        let film = Film::new(TIAN, model);
        let (mut work, mut dice) = (film.work(), Dice(41));
        let unit = force(&film, &point([Vector2::zeros(); 2], [Vector2::x(); 2]), &mut work).norm();
        for _ in 0..6 {
            for at in special(&mut dice) {
                let here = force(&film, &at, &mut work);
                let line = Point::from_fn(|_, _| dice.roll());
                let change = |by: f64, work: &mut FilmWork| {
                    let ahead = force(&film, &(at + line * by), work) - here;
                    let behind = force(&film, &(at - line * by), work) - here;
                    ahead.norm().max(behind.norm()) / unit
                };
                for by in [1e-3, 1e-5, 1e-7, 1e-9] {
                    let jump = change(by, &mut work);
                    assert!(
                        jump < 60.0 * by + 1e-10,
                        "{:?} {at:?}: {jump:e} at {by:e}",
                        film.model
                    );
                }
            }
        }
    }
}

/// The test above sees a jump where there is one: a line at the widest gap.
#[test]
fn a_line_at_the_widest_gap_jumps_at_the_centre() {
    for cavitation in [Cavitation::HalfSommerfeld, Cavitation::Reynolds] {
        let supply = Supply::WidestGap;
        let finite = FiniteFilm { cavitation, supply: supply.clone(), ..FiniteFilm::default() };
        for model in [FilmModel::Finite(finite), FilmModel::Long(cavitation, supply)] {
            let film = Film::new(TIAN, model);
            let at = |e: f64| {
                let place = [Vector2::new(e, 0.0); 2];
                force(&film, &point(place, [Vector2::x(); 2]), &mut film.work()).norm()
            };
            assert!(at(-1e-12) < 0.6 * at(1e-12), "{:?}", film.model);
        }
    }
}

/// Butenschön 1976, pure squeeze: away from the centre the wall is approached at ε = 0.5 as at −0.5 with
/// the other sign, and a journal that leaves the wall draws no more than its film at the centre bears.
#[test]
fn a_squeezed_journal_passes_the_centre() {
    for (k, ratio) in RATIOS.into_iter().enumerate() {
        let shape = bearing(ratio);
        let film = Film::new(shape, FilmModel::Finite(FiniteFilm::default()));
        let so = |e: f64| {
            let f = film.force(&squeezed(&shape, e), &mut film.work()).unwrap().f;
            assert!(f.y.abs() < 1e-9 * f.norm() && f.x < 0.0, "{f}");
            sommerfeld(&shape, f.norm())
        };
        for (e, expected) in [(0.0, [2.4076, 0.7224, 0.1919]), (0.5, [9.7319, 3.675, 1.0715])] {
            close(so(e), expected[k], 1.5e-3);
        }
        close(so(-1e-12), so(0.0), 1e-9);
        // Approaching the centre from the far wall: less than there, and rising all the way.
        let rising: Vec<f64> = (0..20).map(|i| so(-0.95 + 0.1 * i as f64)).collect();
        assert!(rising.windows(2).all(|pair| pair[0] < pair[1]), "{rising:?}");
    }
}
