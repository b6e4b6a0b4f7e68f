//! Pressure fields: their integral is the force, their peak the highest value.

use std::f64::consts::TAU;

use nalgebra::Vector2;

use super::*;

fn models() -> Vec<FilmModel> {
    let finite = |supply| {
        FilmModel::Finite(FiniteFilm { around: 128, along: 24, supply, ..FiniteFilm::default() })
    };
    let groove = |angle| Groove { angle, width: 0.35, pressure: 0.0 };
    vec![
        FilmModel::Short,
        FilmModel::ShortExact(Cavitation::HalfSommerfeld),
        FilmModel::ShortExact(Cavitation::Reynolds),
        FilmModel::Long(Cavitation::HalfSommerfeld, Supply::None),
        FilmModel::Long(Cavitation::Reynolds, Supply::None),
        FilmModel::Long(Cavitation::HalfSommerfeld, Supply::WidestGap),
        FilmModel::Long(Cavitation::Reynolds, Supply::WidestGap),
        finite(Supply::WidestGap),
        finite(Supply::None),
        finite(Supply::Grooves(vec![groove(-2.0), groove(0.5), groove(2.5)])),
        finite(Supply::Grooves(vec![Groove { angle: 1.0, width: 0.3, pressure: 1e5 }])),
    ]
}

#[test]
fn forces_are_integrals_of_the_field() {
    for model in models() {
        let film = Film::new(TIAN, model);
        for s in [
            state([0.5, 0.2, 0.5, 0.2], [0.4, -0.9, 0.4, -0.9], 5.0),
            state([0.6, 0.3, 0.1, -0.2], [-0.5, 0.8, 0.3, 0.1], 8.0),
        ] {
            let mut work = film.work();
            let force = film.force(&s, &mut work).unwrap();
            let field = film.field(&s, &mut work).unwrap();
            let (m, n) = (400, 100);
            let (mut f, mut moment, mut highest) = (Vector2::zeros(), Vector2::zeros(), 0.0f64);
            for i in 0..m {
                let theta = (i as f64 + 0.5) * TAU / m as f64;
                let normal = Vector2::new(theta.cos(), theta.sin());
                for j in 0..n {
                    let zeta = ((j as f64 + 0.5) / n as f64 - 0.5) * TIAN.length;
                    let p = field.at(theta, zeta);
                    highest = highest.max(p);
                    let p = p * TIAN.radius * TIAN.length * TAU / (m * n) as f64;
                    f -= normal * p;
                    moment += Vector2::new(normal.y, -normal.x) * (p * zeta);
                }
            }
            let peak = field.peak();
            let error = (f - force.f).norm() + (moment - force.m).norm() / TIAN.length;
            // Grids give the field linearly between their nodes; a groove has a step at its ends.
            let tolerance = if matches!(film.model, FilmModel::Finite(_)) { 6e-3 } else { 5e-4 };
            assert!(error < tolerance * force.f.norm(), "{:?}: {error:e}", film.model);
            close(field.at(peak.angle, peak.place), peak.pressure, 1e-9);
            assert!(highest <= peak.pressure * (1.0 + 1e-9), "{highest} above {peak:?}");
        }
    }
}
