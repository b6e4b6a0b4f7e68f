//! Cost and error of the film models.
//!
//! `cargo bench -p gudgeon --bench film` prints microseconds per force and per force with derivatives,
//! for a journal that moves a little from call to call, and the error of the force against the finest
//! grid.

use std::hint::black_box;
use std::time::Instant;

use gudgeon::film::*;
use nalgebra::Vector2;

const SHAPE: FilmShape = FilmShape { viscosity: 0.01, radius: 0.05, length: 0.05, clearance: 5e-5 };

/// A journal on a small orbit, aligned or tilted.
fn state(k: usize, tilt: f64) -> JournalState {
    let c = SHAPE.clearance;
    let (s, o) = (0.01 * k as f64).sin_cos();
    let e = Vector2::new(0.6 + 0.05 * o, 0.1 + 0.05 * s) * c;
    let v = Vector2::new(-0.5 * s, 0.5 * o) * (c * 10.0);
    let t = Vector2::new(0.1, -0.15) * (c * tilt);
    JournalState { place: [e - t, e + t], rate: [v, v], omega: 100.0 }
}

/// Microseconds per call, the best of several rounds: the others were disturbed.
fn time(mut call: impl FnMut(usize)) -> f64 {
    let repeats = 400;
    (0..7).fold(f64::INFINITY, |best, _| {
        let clock = Instant::now();
        for k in 0..repeats {
            call(k);
        }
        best.min(1e6 * clock.elapsed().as_secs_f64() / repeats as f64)
    })
}

fn finite(around: usize, along: usize) -> FilmModel {
    FilmModel::Finite(FiniteFilm { around, along, ..FiniteFilm::default() })
}

fn main() {
    let models = [
        ("short".to_string(), FilmModel::Short),
        ("finite 48 x 8".into(), finite(48, 8)),
        ("finite 48 x 12".into(), finite(48, 12)),
        ("finite 64 x 12".into(), finite(64, 12)),
        ("finite 96 x 16".into(), finite(96, 16)),
    ];
    for tilt in [0.0, 1.0] {
        let best = Film::new(SHAPE, finite(512, 48));
        let exact = best.force(&state(0, tilt), &mut best.work()).unwrap().f;
        println!(
            "{}: model, force us, with derivatives us, error %",
            if tilt == 0.0 { "aligned" } else { "tilted" }
        );
        for (name, model) in &models {
            let film = Film::new(SHAPE, model.clone());
            let mut work = film.work();
            let force = time(|k| {
                black_box(film.force(black_box(&state(k, tilt)), &mut work).unwrap());
            });
            let tangent = time(|k| {
                black_box(film.tangent(black_box(&state(k, tilt)), &mut work).unwrap());
            });
            let f = film.force(&state(0, tilt), &mut work).unwrap().f;
            let error = 100.0 * (f - exact).norm() / exact.norm();
            println!("  {name:16} {force:8.2} {tangent:8.2} {error:8.3}");
        }
    }
}
