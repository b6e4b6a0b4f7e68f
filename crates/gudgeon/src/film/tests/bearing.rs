//! Resting places and coefficients against closed forms and Lund and Thomsen.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::Vector2;

use super::butenschoen::bearing;
use super::*;

/// A short bearing rests at the attitude atan(π√(1−e²)/(4e)), displaced in the sense of rotation.
#[test]
fn a_short_bearing_rests_at_its_attitude() {
    let film = Film::new(TIAN, FilmModel::Short);
    for (size, omega) in [(0.1, 20.0), (30.0, 20.0), (3000.0, -20.0), (1e5, 20.0), (1e7, 1.0)] {
        let load = Vector2::new(0.3, -1.0).normalize() * size;
        let rest = equilibrium(&film, load, omega, &mut film.work()).unwrap();
        let e = rest.eccentricity;
        close(rest.attitude, (PI * (1.0 - e * e).sqrt() / (4.0 * e)).atan(), 1e-8);
        assert!((rest.force.f + load).norm() < 1e-9 * size);
    }
}

/// Lund and Thomsen 1978: two axial grooves of 20°, 160° pads, Swift–Stieber; x along the load.
#[test]
fn two_axial_grooves_of_lund_and_thomsen() {
    for (ratio, s, e, phi, k, b) in [
        (0.5, 0.580, 0.477, 51.01, [2.67, 3.70, -0.78, 1.75], [6.96, 1.94, 1.94, 2.40]),
        (1.0, 0.235, 0.460, 49.27, [2.19, 3.57, -0.80, 1.55], [7.36, 1.89, 1.89, 2.19]),
    ] {
        let groove = |angle: f64| Groove { angle, width: 20f64.to_radians(), pressure: 0.0 };
        let supply = Supply::Grooves(vec![groove(-FRAC_PI_2), groove(FRAC_PI_2)]);
        let shape = bearing(ratio);
        for (around, along) in [(64, 12), (256, 32)] {
            let model = FiniteFilm { around, along, supply: supply.clone(), ..FiniteFilm::default() };
            let film = Film::new(shape, FilmModel::Finite(model));
            let omega = 100.0;
            let slender = shape.radius / shape.clearance;
            let load = shape.viscosity * omega / (2.0 * PI) * 2.0 * shape.radius * shape.length
                * slender * slender / s;
            let rest = equilibrium(&film, Vector2::new(load, 0.0), omega, &mut film.work()).unwrap();
            let c = rest.coefficients;
            println!("{around}: e {:.4} ({e}) phi {:.3} ({phi})", rest.eccentricity, rest.attitude.to_degrees());
            println!("{:.4} {k:?} {:.4} {b:?}", c.stiffness_ratio, c.damping_ratio);
        }
    }
}
