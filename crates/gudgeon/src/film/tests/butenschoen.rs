//! The finite film against Butenschön's tables.

use nalgebra::Vector2;

use super::*;

/// A bearing of length over diameter `ratio` with R/c = 1000.
pub fn bearing(ratio: f64) -> FilmShape {
    FilmShape { viscosity: 0.01, radius: 0.05, length: 0.1 * ratio, clearance: 5e-5 }
}

/// So and β of a steadily turning journal, β in degrees from the load to the eccentricity.
fn sommerfeld(film: &Film, ratio: f64) -> (f64, f64) {
    let shape = film.shape;
    let omega = 100.0;
    let state = JournalState::aligned(
        Vector2::new(ratio * shape.clearance, 0.0),
        Vector2::zeros(),
        omega,
    );
    let f = film.force(&state, &mut film.work()).unwrap().f;
    let psi = shape.clearance / shape.radius;
    let so = f.norm() * psi * psi / (shape.length * 2.0 * shape.radius * shape.viscosity * omega);
    (so, (f.y).atan2(-f.x).to_degrees())
}

/// (ε, So for B/D 1, 1/2, 1/4, β likewise): Butenschön 1976, rotation.
const ROTATION: [(f64, [f64; 3], [f64; 3]); 5] = [
    (0.2, [0.2518, 0.0783, 0.0210], [73.858, 75.142, 75.287]),
    (0.4, [0.6108, 0.2026, 0.0560], [62.571, 61.778, 61.208]),
    (0.6, [1.3146, 0.4982, 0.1476], [50.536, 48.049, 46.825]),
    (0.8, [3.5663, 1.7339, 0.6043], [36.235, 32.938, 31.249]),
    (0.95, [18.7895, 13.3083, 6.9248], [19.450, 17.265, 15.632]),
];

#[test]
fn explore() {
    for (around, along) in [(64, 12), (96, 12), (64, 16), (128, 24), (512, 64)] {
        println!("grid {around} x {along}");
        for (e, so, beta) in ROTATION {
            for (k, ratio) in [1.0, 0.5, 0.25].into_iter().enumerate() {
                let model = FiniteFilm { around, along, ..FiniteFilm::default() };
                let film = Film::new(bearing(ratio), FilmModel::Finite(model));
                let (s, b) = sommerfeld(&film, e);
                print!("{e} B/D {ratio}: So {s:.4} {:+.3} %, {b:.3} {:+.3}   ", 100.0 * (s / so[k] - 1.0), b - beta[k]);
            }
            println!();
        }
    }
}
