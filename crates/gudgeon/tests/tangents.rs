//! Analytic derivatives of the equations of motion against differences of the equations, for every
//! joint, force and contact at random states.
//!
//! Differences are of fourth order (`states::slope`): about 1e-11 of quantities of order one, 1e-8 near
//! poles of angles and small distances. Tolerances are 1e-7 of the size of a matrix.

mod common;

use common::contacts::*;
use common::films::{filled, films, inside};
use common::kinds::*;
use common::spatial::*;
use common::states::*;
use common::*;
use gudgeon::model::*;
use gudgeon::system::{Plant, System};
use gudgeon_dae::linear::Entries;
use gudgeon_dae::{ImplicitDae, Place, SecondOrderDae, Terms};
use nalgebra::{Matrix6, Vector3};

const NEAR: f64 = 1e-7;
/// Films have steep higher derivatives, and edges that move.
const NEAR_FILMS: f64 = 1e-4;

/// Entries of a matrix are those of columns found by differences, and nothing is outside its places.
fn compare(found: &Entries, columns: &[Vec<f64>], near: f64, what: &str) {
    let mut full = vec![vec![0.0; found.rows()]; found.columns()];
    found.iter().for_each(|(i, j, value)| full[j][i] = value);
    let size = columns.iter().flatten().fold(1.0f64, |size, x| size.max(x.abs()));
    for (j, (found, numeric)) in full.iter().zip(columns).enumerate() {
        for (i, (found, numeric)) in found.iter().zip(numeric).enumerate() {
            let off = (found - numeric).abs();
            assert!(off <= near * size, "{what} ({i}, {j}): {found} is not {numeric}");
        }
    }
}

/// A column by differences of a vector.
fn column(n: usize, mut at: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    (0..n).map(|i| slope(|by| at(by)[i])).collect()
}

/// K, D and B of a plant at a state with random reactions.
fn check(plant: &mut Plant, t: f64, y: &[f64], random: &mut Random, what: &str) {
    let near = if plant.system.films.is_empty() { NEAR } else { NEAR_FILMS };
    let system = plant.system;
    plant.keep_plain_time();
    let dims = plant.dims();
    let acceleration = random.vector(dims.v, 1.0);
    let lambda = random.vector(dims.rows, 1.0);
    let mut found = plant.blank_tangents();
    let at = Place { t, y, acceleration: &acceleration, lambda: &lambda };
    assert!(plant.tangents(at, &mut found).unwrap());
    let mut terms: Terms = plant.blank_terms();
    let mut evaluate = |y: &[f64]| {
        plant.terms(t, y, &mut terms).unwrap();
        let mut motion: Vec<f64> = terms.force.iter().map(|f| -f).collect();
        terms.rows.add_transposed(1.0, &lambda, &mut motion);
        let mut velocity = terms.drives.clone();
        terms.rows.add_product(1.0, velocities(system, y), &mut velocity);
        [motion, velocity]
    };
    let mut columns = [Vec::new(), Vec::new(), Vec::new()];
    for k in 0..dims.v {
        let mut moved = |by: f64| evaluate(&displaced(system, y, &unit(system, k), by));
        columns[0].push(column(dims.v, |by| moved(by)[0].clone()));
        columns[1].push(column(dims.rows, |by| moved(by)[1].clone()));
        let mut faster = |by: f64| {
            let mut y = y.to_vec();
            y[dims.q + k] += by;
            evaluate(&y)[0].clone()
        };
        columns[2].push(column(dims.v, &mut faster));
    }
    compare(&found.stiffness, &columns[0], near, &format!("{what}: K"));
    compare(&found.turning, &columns[1], near, &format!("{what}: B"));
    compare(&found.damping, &columns[2], near, &format!("{what}: D"));
}

#[test]
fn rows_turn_as_their_derivatives_say() {
    let mut random = Random(31);
    for (name, model) in constrained() {
        let system = System::compile(&model).unwrap();
        let mut plant = Plant::new(&system);
        for _ in 0..2 {
            let y = random_state(&system, &mut random, 2.0);
            let t = random.between(0.0, 3.0);
            check(&mut plant, t, &y, &mut random, &name);
        }
    }
}

/// Every applied force of a space.
fn forces(space: Space) -> Vec<ForceKind> {
    let (a, b) = (MarkerId(1), MarkerId(2));
    let point = |axes| ForceKind::Point {
        at: b,
        components: [swing(0.2, 1.5, 2.2), swing(0.5, 0.3, 1.0), swing(0.0, 1.0, 0.4)],
        axes,
    };
    let mut forces = vec![
        point(Axes::World),
        point(Axes::Body),
        ForceKind::Torque { on: b, against: a, torque: swing(0.2, 1.5, 2.2) },
        ForceKind::Spring { a, b, stiffness: 3.0, damping: 0.7, free_length: 0.4 },
        ForceKind::Spring { a: MarkerId(0), b, stiffness: 3.0, damping: 0.7, free_length: 0.4 },
        ForceKind::TorsionSpring { a, b, stiffness: 2.0, damping: 0.3, free_angle: 0.5 },
    ];
    if space == Space::Spatial {
        let matrix = |shift: f64| {
            let m = Matrix6::from_fn(|i, j| ((i * 7 + j * 3) as f64 + shift).sin());
            Box::new(m * m.transpose())
        };
        let (stiffness, damping) = (matrix(0.3), matrix(1.1));
        forces.push(ForceKind::Bushing { a, b, stiffness, damping });
    }
    forces
}

#[test]
fn applied_forces_change_as_their_derivatives_say() {
    let mut random = Random(37);
    for space in [Space::Planar, Space::Spatial] {
        for kind in forces(space) {
            let mut model = two_free(space);
            model.gravity = Vector3::new(0.4, -9.81, 0.0);
            model.forces.push(force("force", kind.clone()));
            let system = System::compile(&model).unwrap();
            let mut plant = Plant::new(&system);
            for _ in 0..10 {
                let y = random_state(&system, &mut random, 2.0);
                check(&mut plant, 0.7, &y, &mut random, &format!("{kind:?}"));
            }
        }
    }
}

#[test]
fn contacts_change_as_their_derivatives_say() {
    let mut random = Random(41);
    for normal in normal_laws() {
        for friction in FRICTIONS {
            at_pressed_states(normal, friction, 43, |plant, contact, y| {
                // Away from the edges of the friction zones, where the slopes jump.
                let g = plant.contact_geometry(contact, y);
                let edges = friction.map_or([1e9; 2], |law| law.edges().into());
                let near = |edge: f64| (g.sliding.abs() - edge).abs() < 2e-3 * edge.max(0.1);
                if edges.into_iter().any(near) || g.sliding.abs() < 0.05 {
                    return;
                }
                let what = format!("{:?} {friction:?}", plant.system.contacts[contact].spot);
                check(plant, 0.0, y, &mut random, &what);
            });
        }
    }
}

#[test]
fn films_change_as_their_derivatives_say() {
    let mut random = Random(47);
    for lubricant in films() {
        for space in [Space::Planar, Space::Spatial] {
            let system = System::compile(&filled(space, &lubricant)).unwrap();
            let mut plant = Plant::new(&system);
            let reach = if lubricant.hybrid { 0.95 } else { 0.7 };
            for _ in 0..20 {
                let y = inside(&system, &mut random, reach);
                if lubricant.hybrid {
                    in_contact(&mut plant, 0, &y);
                }
                plant.evaluate(0.0, &y).unwrap();
                let now = &plant.work.films[0].now;
                let [a, w] = now.state.place.map(|e| e.norm());
                // The share of a hybrid film has bends where it begins, ends, and changes its end.
                let bends = [(now.eccentricity, 0.6), (now.eccentricity, 1.0), (a / GAP, w / GAP)];
                let aligned = space == Space::Planar;
                let near = |(x, bend): &(f64, f64)| (x - bend).abs() < 0.02;
                if lubricant.hybrid && bends[..3 - usize::from(aligned)].iter().any(near) {
                    continue;
                }
                let what = format!("{space:?} {:?} {}", lubricant.film.model, lubricant.hybrid);
                check(&mut plant, 0.0, &y, &mut random, &what);
            }
        }
    }
}
