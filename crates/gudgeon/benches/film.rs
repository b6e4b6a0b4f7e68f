//! Cost and error of the film models.
//!
//! `cargo bench -p gudgeon --bench film` prints microseconds of CPU time per force and per force with derivatives,
//! for a
//! journal that moves a little from call to call, and the error of the force: of the short and
//! the long film against the finite one, of the finite one against its finest grid. Words after `--`
//! choose the models whose names contain one of them.

use std::hint::black_box;

use gudgeon::cpu;
use gudgeon::film::*;
use nalgebra::Vector2;

/// B/D = 1/2.
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
    (0..9).fold(f64::INFINITY, |best, _| {
        let clock = cpu::seconds();
        for k in 0..repeats {
            call(k);
        }
        best.min(1e6 * (cpu::seconds() - clock) / repeats as f64)
    })
}

fn finite(around: usize, along: usize, supply: Supply, cavitation: Cavitation) -> FilmModel {
    FilmModel::Finite(FiniteFilm { around, along, supply, cavitation, ..FiniteFilm::default() })
}

fn models() -> Vec<(String, FilmModel)> {
    use Cavitation::*;
    let mut out = vec![
        ("short".into(), FilmModel::Short),
        ("short-exact".into(), FilmModel::ShortExact(HalfSommerfeld)),
        ("short-exact, Reynolds".into(), FilmModel::ShortExact(Reynolds)),
        ("long, half-Sommerfeld".into(), FilmModel::Long(HalfSommerfeld, Supply::None)),
        ("long, Reynolds".into(), FilmModel::Long(Reynolds, Supply::None)),
        ("finite, half-Sommerfeld".into(), finite(96, 12, Supply::None, HalfSommerfeld)),
        ("finite, widest gap".into(), finite(96, 12, Supply::WidestGap, Reynolds)),
    ];
    for (around, along) in [(48, 8), (64, 12), (96, 12), (128, 16)] {
        let model = finite(around, along, Supply::None, Reynolds);
        out.push((format!("finite {around} x {along}"), model));
    }
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    out.retain(|(name, _)| words.is_empty() || words.iter().any(|word| name.contains(word)));
    out
}

fn main() {
    for (tilt, name) in [(0.0, "aligned"), (1.0, "tilted")] {
        let best = Film::new(SHAPE, finite(512, 48, Supply::None, Cavitation::Reynolds));
        let exact = best.force(&state(0, tilt), &mut best.work()).expect("a film").f;
        println!("{name}                      force us   with derivatives us   error %");
        for (name, model) in models() {
            let film = Film::new(SHAPE, model);
            let mut work = film.work();
            let force = time(|k| {
                black_box(film.force(black_box(&state(k, tilt)), &mut work).expect("a film"));
            });
            let tangent = time(|k| {
                black_box(film.tangent(black_box(&state(k, tilt)), &mut work).expect("a film"));
            });
            let f = film.force(&state(0, tilt), &mut work).expect("a film").f;
            let error = 100.0 * (f - exact).norm() / exact.norm();
            println!("  {name:26} {force:8.2} {tangent:12.2} {error:18.3}");
        }
    }
}
