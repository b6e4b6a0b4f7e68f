//! Torques, leakage and losses.

use std::f64::consts::TAU;

use nalgebra::Vector2;

use super::finite::{bearing, model};
use super::*;

/// Gradient terms of ∫∫ h³ |∇p|²/(12 μ) R dθ dζ that a model keeps.
#[derive(Clone, Copy, PartialEq)]
enum Keeps {
    Around,
    Along,
    Both,
}

/// Pumping loss from the pressure field alone, by differences on an own grid.
fn pumping(film: &Film, state: &JournalState, keeps: Keeps) -> f64 {
    let mut work = film.work();
    let field = film.field(state, &mut work).unwrap();
    let FilmShape { viscosity, radius, length, clearance } = film.shape;
    let (m, n) = (480, 60);
    let (dt, dz) = (TAU / m as f64, length / n as f64);
    let mut sum = 0.0;
    for i in 0..m {
        let theta = (i as f64 + 0.5) * dt;
        for j in 0..n {
            let zeta = (j as f64 + 0.5) * dz - 0.5 * length;
            let share = zeta / length + 0.5;
            let e = state.place[0] * (1.0 - share) + state.place[1] * share;
            let h = clearance - e.dot(&Vector2::new(theta.cos(), theta.sin()));
            let p = |a: f64, b: f64| field.at(theta + a * dt, zeta + b * dz);
            let around = (p(0.5, 0.0) - p(-0.5, 0.0)) / (dt * radius);
            let along = (p(0.0, 0.5) - p(0.0, -0.5)) / dz;
            let square = match keeps {
                Keeps::Around => around * around,
                Keeps::Along => along * along,
                Keeps::Both => around * around + along * along,
            };
            sum += h.powi(3) * square / (12.0 * viscosity) * radius * dt * dz;
        }
    }
    sum
}

fn models() -> Vec<(FilmModel, Keeps, f64)> {
    use Cavitation::*;
    let fine = |cavitation, supply| {
        FilmModel::Finite(FiniteFilm {
            around: 192,
            along: 40,
            cavitation,
            supply,
            ..FiniteFilm::default()
        })
    };
    // Differences of a field with corners are good to some parts in a thousand; the grids' fields are
    // themselves linear between nodes.
    vec![
        (FilmModel::ShortExact(HalfSommerfeld), Keeps::Along, 2e-3),
        (FilmModel::ShortExact(Reynolds), Keeps::Along, 2e-3),
        (FilmModel::Long(HalfSommerfeld, Supply::None), Keeps::Around, 2e-3),
        (FilmModel::Long(Reynolds, Supply::None), Keeps::Around, 2e-3),
        (FilmModel::Long(HalfSommerfeld, Supply::WidestGap), Keeps::Around, 2e-3),
        (FilmModel::Long(Reynolds, Supply::WidestGap), Keeps::Around, 2e-3),
        (fine(HalfSommerfeld, Supply::WidestGap), Keeps::Both, 4e-3),
        (fine(HalfSommerfeld, Supply::None), Keeps::Both, 4e-3),
        (fine(Reynolds, Supply::WidestGap), Keeps::Both, 4e-3),
        (fine(Reynolds, Supply::None), Keeps::Both, 4e-3),
    ]
}

#[test]
fn power_put_in_is_shear_plus_pumping() {
    let shape = bearing(0.5);
    let c = shape.clearance;
    let films = models()
        .into_iter()
        .map(|(model, keeps, near)| (Film::new(shape, model), Some((keeps, near))));
    let printed = Film { moments: Moments::Printed, ..Film::new(shape, FilmModel::Short) };
    for (film, own) in films.chain([(printed, None)]) {
        for (a, b) in [([0.5, 0.2], [0.5, 0.2]), ([0.6, 0.0], [0.2, 0.3])] {
            let state = JournalState {
                place: [Vector2::from(a) * c, Vector2::from(b) * c],
                rate: [Vector2::new(10.0, -20.0) * c, Vector2::new(10.0, 15.0) * c],
                omega: 100.0,
            };
            let f = film.force(&state, &mut film.work()).unwrap();
            let mid = (state.rate[0] + state.rate[1]) * 0.5;
            let spin = (state.rate[1] - state.rate[0]) / shape.length;
            // M · φ̇ with ė = ė_P + ζ (φ̇_η, −φ̇_ξ)
            let tilting = f.m.y * spin.x - f.m.x * spin.y;
            let input = -f.f.dot(&mid) - tilting - f.torque * state.omega;
            close(input, f.shear + f.pumping, 1e-10);
            let Some((keeps, tolerance)) = own else { continue };
            close(f.pumping, pumping(&film, &state, keeps), tolerance);
        }
    }
}

#[test]
fn moments_balance_and_a_centred_journal_drags() {
    let film = Film::new(TIAN, FilmModel::Short);
    let centred = film.force(&state([0.0; 4], [0.0; 4], 11.0), &mut film.work()).unwrap();
    let FilmShape { viscosity, radius, length, clearance } = TIAN;
    let drag = TAU * viscosity * 11.0 * radius.powi(3) * length / clearance;
    close(centred.torque, -drag, 1e-12);
    close(centred.bearing_torque, drag, 1e-12);
    close(centred.shear, drag * 11.0, 1e-12);
    let s = state([0.6, 0.3, 0.6, 0.3], [-0.5, 0.8, -0.5, 0.8], 5.0);
    let f = film.force(&s, &mut film.work()).unwrap();
    let lever = s.place[0].x * f.f.y - s.place[0].y * f.f.x;
    assert!((f.torque + f.bearing_torque + lever).abs() < 1e-12 * f.torque.abs());
}

/// Grooves are too deep for shear: what is left is ∫ dθ/h over the pads.
#[test]
fn only_pads_drag() {
    let groove = |angle: f64, width: f64| Groove { angle, width, pressure: 0.0 };
    let grooves = vec![groove(-1.2, 0.4), groove(2.0, 1.3)];
    let film = Film::new(TIAN, model(96, 12, Supply::Grooves(grooves.clone())));
    let FilmShape { viscosity, radius, length, clearance } = TIAN;
    for place in [[0.0; 4], [0.5, -0.6, 0.5, -0.6], [0.1, 0.6, -0.3, 0.2]] {
        let s = state(place, [0.0; 4], 7.0);
        let (n, slices) = (20_000, 64);
        let mut sum = 0.0;
        for k in 0..slices {
            let share = (k as f64 + 0.5) / slices as f64;
            let e = s.place[0] * (1.0 - share) + s.place[1] * share;
            for i in 0..n {
                let theta = TAU * (i as f64 + 0.5) / n as f64;
                let open = |g: &Groove| (theta - g.angle + 0.5 * g.width).rem_euclid(TAU) < g.width;
                if !grooves.iter().any(open) {
                    let h = clearance - e.dot(&Vector2::new(theta.cos(), theta.sin()));
                    sum += 1.0 / h;
                }
            }
        }
        let integral = sum * TAU / n as f64 * length / slices as f64;
        let shear = film.force(&s, &mut film.work()).unwrap().shear;
        close(shear, viscosity * radius.powi(3) * 49.0 * integral, 2e-4);
    }
}

/// Steady rotation: a short film leaks U B c ε, a finite one tends to that; none leaks more than
/// that, and a long film not at all.
#[test]
fn leakage_of_steady_rotation() {
    let c = 5e-5;
    let state = JournalState::aligned(Vector2::new(0.6 * c, 0.0), Vector2::zeros(), 100.0);
    for (ratio, least, most) in [(0.0625, 0.995, 1.0), (0.25, 0.97, 1.0), (1.0, 0.75, 0.9)] {
        let shape = bearing(ratio);
        let books = shape.radius * 100.0 * shape.length * c * 0.6;
        for model in [FilmModel::Short, FilmModel::ShortExact(Cavitation::Reynolds)] {
            let film = Film::new(shape, model);
            close(film.force(&state, &mut film.work()).unwrap().leakage, books, 1e-12);
        }
        for supply in [Supply::WidestGap, Supply::None] {
            let film = Film::new(shape, model(64, 24, supply));
            let share = film.force(&state, &mut film.work()).unwrap().leakage / books;
            assert!(least < share && share < most, "{ratio}: {share}");
        }
    }
}
