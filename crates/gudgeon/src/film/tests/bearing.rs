//! Resting places and coefficients against closed forms and Lund and Thomsen.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::Vector2;

use super::finite::{bearing, model};
use super::properties::all_models;
use super::*;
use crate::film::bearing::common;

/// Where an aligned journal rests under `load`, by a way of its own: the massless journal C ė = F + W is
/// followed in steps that grow as the residual falls and end as Newton's.
fn resting(film: &Film, load: Vector2<f64>, omega: f64) -> Equilibrium {
    let (c, mut work) = (film.shape.clearance, film.work());
    let along = load.normalize();
    let across = Vector2::new(-along.y, along.x) * omega.signum();
    let mut e = (along * 0.6 + across * 0.8) * (0.5 * c);
    for _ in 0..200 {
        let state = JournalState::aligned(e, Vector2::zeros(), omega);
        let (force, tangent) = film.tangent(&state, &mut work).unwrap();
        let left = force.f + load;
        // Rounding of forces is that of their parts, which cancel in a light bearing.
        let scale = load.norm().max(1e-6 * (tangent.by_omega.norm() * omega).abs());
        if left.norm() <= 1e-10 * scale {
            return Equilibrium::new(film, state, load, force, tangent);
        }
        let share = (left.norm() / scale).min(1.0);
        let pace = if share < 1e-2 { 0.0 } else { omega.abs() * share };
        let matrix = -common(&tangent.by_place) - common(&tangent.by_rate) * pace;
        let mut step = matrix.try_inverse().unwrap() * left;
        step *= (c / (3.0 * step.norm())).min(1.0);
        while (e + step).norm() > c - 0.5 * (c - e.norm()) {
            step *= 0.5;
        }
        e += step;
    }
    panic!("{:?} {load}: no rest", film.model)
}

/// A short bearing rests at the attitude atan(π√(1−e²)/(4e)), displaced in the sense of rotation.
#[test]
fn a_short_bearing_rests_at_its_attitude() {
    let film = Film::new(TIAN, FilmModel::Short);
    for (size, omega) in [(0.1, 20.0), (30.0, 20.0), (3000.0, -20.0), (1e5, 20.0), (1e7, 1.0)] {
        let load = Vector2::new(0.3, -1.0).normalize() * size;
        let rest = resting(&film, load, omega);
        let e = rest.eccentricity;
        close(rest.attitude, (PI * (1.0 - e * e).sqrt() / (4.0 * e)).atan(), 1e-8);
        assert!((rest.force.f + load).norm() < 1e-9 * size);
    }
}

/// Lund and Thomsen 1978: two axial grooves of 20°, 160° pads, Swift–Stieber; x along the load.
/// Coefficients have errors of first order in the cells, where the film ends between two lines.
#[test]
fn two_axial_grooves_of_lund_and_thomsen() {
    for (ratio, s, e, phi, k, b) in [
        (0.5, 0.580, 0.477, 51.01, [2.67, 3.70, -0.78, 1.75], [6.96, 1.94, 1.94, 2.40]),
        (1.0, 0.235, 0.460, 49.27, [2.19, 3.57, -0.80, 1.55], [7.36, 1.89, 1.89, 2.19]),
    ] {
        let groove = |angle: f64| Groove { angle, width: 20f64.to_radians(), pressure: 0.0 };
        let shape = bearing(ratio);
        for (around, along) in [(64, 12), (160, 20)] {
            let supply = Supply::Grooves(vec![groove(-FRAC_PI_2), groove(FRAC_PI_2)]);
            let film = Film::new(shape, model(around, along, supply));
            let slender = shape.radius / shape.clearance;
            let load = shape.viscosity * 100.0 / TAU
                * 2.0
                * shape.radius
                * shape.length
                * (slender * slender / s);
            let rest = resting(&film, Vector2::new(load, 0.0), 100.0);
            close(rest.sommerfeld, s, 1e-12);
            assert!((rest.eccentricity - e).abs() < 0.002, "{}", rest.eccentricity);
            assert!((rest.attitude.to_degrees() - phi).abs() < 0.2, "{}", rest.attitude);
            let c = rest.coefficients;
            let places = [(0, 0), (0, 1), (1, 0), (1, 1)];
            for (n, place) in places.into_iter().enumerate() {
                close(c.stiffness_ratio[place], k[n], 0.06);
                close(c.damping_ratio[place], b[n], 0.06);
            }
        }
    }
}

#[test]
fn coefficients_are_slopes_of_the_force() {
    let film = Film::new(TIAN, FilmModel::Short);
    let load = Vector2::new(0.0, -200.0);
    let rest = resting(&film, load, 30.0);
    let (x, y) = (Vector2::new(0.0, -1.0), Vector2::new(1.0, 0.0));
    for (j, along) in [x, y].into_iter().enumerate() {
        let force = |d: f64, v: f64| {
            let place = rest.state.place[0] + along * d;
            film.force(&JournalState::aligned(place, along * v, 30.0), &mut film.work()).unwrap().f
        };
        let d = 1e-6 * TIAN.clearance;
        let stiffness = (force(-d, 0.0) - force(d, 0.0)) / (2.0 * d);
        let damping = (force(0.0, -d) - force(0.0, d)) / (2.0 * d);
        for (i, axis) in [x, y].into_iter().enumerate() {
            close(rest.coefficients.stiffness[(i, j)], stiffness.dot(&axis), 1e-6);
            close(rest.coefficients.damping[(i, j)], damping.dot(&axis), 1e-6);
        }
    }
    // A tilt is resisted and damped.
    let eigen = rest.coefficients.tilt_damping.symmetric_eigenvalues();
    assert!(eigen.min() > 0.0, "{eigen}");
}

/// Every model finds its place from light to heavy loads, but for a film that does not break: there
/// massless journals circle, and rest at 90° only if they start there.
#[test]
fn resting_places_are_found_for_all_models() {
    let breaks = |model: &FilmModel| *model != FilmModel::Long(Cavitation::Reynolds, Supply::None);
    for model in all_models().into_iter().filter(breaks) {
        let film = Film::new(TIAN, model);
        for size in [1e-2, 1.0, 100.0, 1e4, 1e6] {
            let load = Vector2::new(-0.4, 0.9) * size;
            let rest = resting(&film, load, 40.0);
            assert!((rest.force.f + load).norm() < 1e-6 * size);
        }
    }
}
