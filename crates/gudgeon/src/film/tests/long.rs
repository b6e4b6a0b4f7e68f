//! The long film against closed forms and the finite film of a long bearing.

use std::f64::consts::PI;

use nalgebra::Vector2;

use super::finite::bearing;
use super::*;

/// Half-Sommerfeld, steady rotation (any book): in μ ω R B (R/c)², radial 12e²/((2+e²)(1−e²)) and
/// tangential 6πe/((2+e²)√(1−e²)).
#[test]
fn half_sommerfeld_rotation_has_a_closed_form() {
    for supply in [Supply::None, Supply::WidestGap] {
        let film = Film::new(TIAN, FilmModel::Long(Cavitation::HalfSommerfeld, supply));
        let FilmShape { viscosity, radius, length, clearance } = TIAN;
        let unit = viscosity * radius.powi(3) * length / (clearance * clearance) * 7.0;
        for e in [1e-6f64, 0.1, 0.5, 0.9, 0.99] {
            let f =
                film.force(&state([e, 0.0, e, 0.0], [0.0; 4], 7.0), &mut film.work()).unwrap().f;
            let (q2, two) = ((1.0 - e) * (1.0 + e), 2.0 + e * e);
            close(f.x, -unit * 12.0 * e * e / (two * q2), 1e-8);
            close(f.y, unit * 6.0 * PI * e / (two * q2.sqrt()), 1e-8);
        }
    }
}

/// A ring that is fed from its far ends has (1) of the module and ∮ h³ p dθ = 0 while it is whole, with
/// Reynolds the same pressure lifted until its least is zero, and the force of a 2π film.
#[test]
fn a_ring_without_supply_is_whole_or_half() {
    let mut dice = super::properties::Dice(29);
    let FilmShape { viscosity, radius, length, clearance } = TIAN;
    let unit = 12.0 * viscosity * (radius / clearance).powi(2);
    for k in 0..40 {
        let mut roll = || Vector2::new(dice.roll(), dice.roll());
        let (e, nu) = (roll() * if k == 0 { 0.0 } else { 0.69 }, roll());
        let s = JournalState::aligned(e * clearance, nu * clearance, 0.0);
        let film = |cavitation| Film::new(TIAN, FilmModel::Long(cavitation, Supply::None));
        let (whole, half) = (film(Cavitation::Reynolds), film(Cavitation::HalfSommerfeld));
        let (mut work, mut half_work) = (whole.work(), half.work());
        let field = whole.field(&s, &mut work).unwrap();
        let n = |theta: f64| Vector2::new(theta.cos(), theta.sin());
        let h3 = |theta: f64| (1.0 - n(theta).dot(&e)).powi(3);
        let p = |theta: f64| field.at(theta, 0.0) / unit;
        let d = 1e-3;
        let flow = |theta: f64| h3(theta) * (p(theta + 0.5 * d) - p(theta - 0.5 * d)) / d;
        let (mut level, mut all, mut least) = (0.0, 0.0, f64::INFINITY);
        for i in 0..720 {
            let theta = i as f64 * PI / 360.0;
            let pushed = -(flow(theta + 0.5 * d) - flow(theta - 0.5 * d)) / d;
            assert!((pushed - n(theta).dot(&nu)).abs() < 1e-3, "{e} {nu} {theta}: {pushed}");
            level += h3(theta) * p(theta);
            all += h3(theta);
            least = least.min(p(theta));
        }
        assert!((0.0..1e-3).contains(&least), "{least}");
        let level = level / all;
        let half_field = half.field(&s, &mut half_work).unwrap();
        for i in 0..90 {
            let theta = i as f64 * PI / 45.0;
            let dropped = (p(theta) - level).max(0.0);
            assert!((half_field.at(theta, 0.0) / unit - dropped).abs() < 1e-9 * (1.0 + dropped));
        }
        let u = if e.norm() > 0.0 { e.normalize() } else { Vector2::x() };
        let w = Vector2::new(-u.y, u.x);
        let (q, two) = ((1.0 - e.norm_squared()).sqrt(), 2.0 + e.norm_squared());
        let expected = u * (nu.dot(&u) / q.powi(3)) + w * (2.0 * nu.dot(&w) / (two * q));
        let f = whole.force(&s, &mut whole.work()).unwrap().f;
        let f = f / (-unit * PI * radius * length);
        assert!((f - expected).norm() < 1e-12 * expected.norm(), "{f} {expected}");
    }
}

/// Both ends of a finite film take a share that falls as D/B. It is the larger where the ends must settle the
/// level of a whole ring, more so the narrower the gap: there within half the clearance only.
#[test]
fn a_finite_film_tends_to_the_long_one() {
    use Supply::{None, WidestGap};
    for (cavitation, supply, reach, most) in [
        (Cavitation::HalfSommerfeld, None, 1.0, 0.025),
        (Cavitation::HalfSommerfeld, WidestGap, 1.0, 0.025),
        (Cavitation::Reynolds, None, 0.5, 0.06),
        (Cavitation::Reynolds, WidestGap, 1.0, 0.025),
    ] {
        for (e, rate) in
            [([0.5, 0.0], [0.0, 0.0]), ([0.5, 0.1], [1.0, 0.5]), ([0.8, 0.0], [-0.3, -0.6])]
        {
            let lost = |ratio: f64| {
                let shape = bearing(ratio);
                let c = shape.clearance;
                let (e, rate) = (Vector2::from(e) * (reach * c), Vector2::from(rate) * (c * 50.0));
                let state = JournalState::aligned(e, rate, 100.0);
                let finite = FiniteFilm {
                    around: 192,
                    along: 48,
                    cavitation,
                    supply: supply.clone(),
                    ..FiniteFilm::default()
                };
                let force = |model| {
                    let film = Film::new(shape, model);
                    film.force(&state, &mut film.work()).unwrap().f
                };
                let long = force(FilmModel::Long(cavitation, supply.clone()));
                (force(FilmModel::Finite(finite)) - long) / long.norm()
            };
            let (one, two) = (lost(20.0), lost(40.0));
            assert!(two.norm() < most, "{cavitation:?} {supply:?} {two}");
            assert!((two * 2.0 - one).norm() < 0.12 * most, "{one} {two}");
        }
    }
}
