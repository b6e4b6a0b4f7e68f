//! Free flight of flexible links that bend, vibrate, spin and are damped.
//!
//! Momenta are summed from the state with the masses of the beam: with the vectors eᵢ of the nodes, places and
//! gradients alike, L = Σ eᵢ × (M ė)ᵢ, and P = Σ wᵢ ėᵢ with the weights of gravity.

use crate::common::beams::*;
use crate::common::empty;
use gudgeon::assembly::assemble;
use gudgeon::beam::Beam;
use gudgeon::flexible::{Damping, Elasticity, Flexible, Section};
use gudgeon::model::*;
use gudgeon::system::Plant;
use gudgeon_dae::tableau::DOP853;
use gudgeon_dae::{Explicit, Options};
use nalgebra::Vector3;

const LENGTH: f64 = 1.0;
const ELEMENTS: usize = 4;

fn vector(x: &[f64]) -> Vector3<f64> {
    Vector3::from_iterator(x.iter().copied().chain([0.0]).take(3))
}

/// P and L about the origin.
fn momenta(beam: &Beam, q: &[f64], v: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
    let d = beam.dimension();
    let mut product = vec![0.0; beam.size()];
    beam.multiply_masses(v, &mut product);
    let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
    let vectors = q.chunks_exact(d).zip(v.chunks_exact(d)).zip(product.chunks_exact(d));
    for (((q, v), p), weight) in vectors.zip(beam.weights_of_gravity()) {
        linear += vector(v) * *weight;
        angular += vector(q).cross(&vector(p));
    }
    (linear, angular)
}

/// Bends, stretches and, with axes of its sections, twists the line, and lets it vibrate, move and spin.
fn disturb(beam: &Beam, q: &mut [f64], v: &mut [f64]) {
    let (d, vectors) = (beam.dimension(), beam.vectors());
    let spin = if d == 2 { Vector3::z() * 3.0 } else { Vector3::new(1.0, -2.0, 3.0) };
    let speed = Vector3::new(0.7, -0.4, if d == 2 { 0.0 } else { 0.5 });
    let k = std::f64::consts::PI / LENGTH;
    for node in 0..beam.nodes() {
        let x = LENGTH * node as f64 / ELEMENTS as f64;
        let (sin, cos) = (k * x).sin_cos();
        // Deflections and their slopes along x, sizes and rates apart.
        let shapes = [
            [
                Vector3::new(0.02 * sin, 0.1 * sin, 0.05 * sin),
                Vector3::new(0.02, 0.1, 0.05) * k * cos,
            ],
            [
                Vector3::new(0.1 * sin, -0.3 * sin, 0.4 * sin),
                Vector3::new(0.1, -0.3, 0.4) * k * cos,
            ],
        ];
        // Twist by 0.4 rad/m and its rate: rᵧ towards r_z, r_z away from rᵧ.
        let twist = [0.4 * x, 0.2 * cos];
        for part in 0..vectors {
            let mut change = [Vector3::zeros(); 2];
            for (change, (shape, twist)) in change.iter_mut().zip(shapes.into_iter().zip(twist)) {
                *change = match part {
                    0 | 1 => shape[part],
                    2 => Vector3::new(-shape[1].y, 0.0, twist),
                    _ => Vector3::new(-shape[1].z, -twist, 0.0),
                };
            }
            let at = (node * vectors + part) * d;
            let place = vector(&q[at..at + d]) + change[0];
            let mut rate = spin.cross(&place) + change[1];
            if part == 0 {
                rate += speed;
            }
            q[at..at + d].copy_from_slice(&place.as_slice()[..d]);
            v[at..at + d].copy_from_slice(&rate.as_slice()[..d]);
        }
    }
}

fn flies(name: &str, link: &Flexible, space: Space) {
    let mut model = Model { space, ..empty("free flight") };
    let mut body = Body::new("link");
    body.become_flexible(link.clone(), space);
    model.bodies.push(body);
    let start = assemble(&model).unwrap();
    let beam = Beam::new(link, space);
    let (q, v) = (start.system.bodies[0].coordinates(), start.system.bodies[0].velocities());
    let shift = start.system.layout.q;
    let v = v.start + shift..v.end + shift;
    let mut y = start.state();
    let (head, tail) = y.split_at_mut(shift);
    disturb(&beam, &mut head[q.clone()], &mut tail[v.start - shift..v.end - shift]);
    let of = |y: &[f64]| momenta(&beam, &y[q.clone()], &y[v.clone()]);
    let energy = |y: &[f64]| {
        let mut product = vec![0.0; beam.size()];
        beam.multiply_masses(&y[v.clone()], &mut product);
        let twice: f64 = product.iter().zip(&y[v.clone()]).map(|(p, v)| p * v).sum();
        0.5 * twice + beam.strain_energy(&y[q.clone()])
    };
    let ((linear, angular), before) = (of(&y), energy(&y));
    let mut plant = Plant::new(&start.system);
    let mut ode = Explicit::new(&DOP853, Options::adaptive(1e-13), &plant, 0.0, &y);
    let (mut off, mut turned) = (0.0f64, 0.0f64);
    while ode.time() < 0.2 {
        ode.step(&mut plant, 0.2).unwrap();
        let now = of(ode.state());
        off = off.max((now.0 - linear).norm() / linear.norm());
        turned = turned.max((now.1 - angular).norm() / angular.norm());
    }
    let lost = 1.0 - energy(ode.state()) / before;
    println!(
        "{name}: P off {off:.1e}, L off {turned:.1e}, {lost:.3} of the energy lost, {} steps",
        ode.statistics.steps
    );
    assert!(off < 1e-12, "{name}: linear momentum off by {off:e}");
    assert!(turned < 1e-12, "{name}: angular momentum off by {turned:e}");
    assert!(lost > 0.01, "{name}: {lost}");
}

/// Inner forces and damping balance at every instant; what is left is rounding and the error of steps at 1e-13.
#[test]
fn damped_links_in_free_flight_keep_their_momenta() {
    let section = Section::rectangle(0.06, 0.05, 1e6, 0.3, 1000.0);
    for space in [Space::Planar, Space::Spatial] {
        for (way, damping) in [
            ("strain", Damping { strain: 1e-3, mass: 0.0 }),
            ("mass", Damping { strain: 0.0, mass: 2.0 }),
        ] {
            let line = |elasticity| Flexible {
                damping,
                ..straight(LENGTH, section, ELEMENTS, elasticity)
            };
            for (kind, link) in [
                ("line", line(Elasticity::Line)),
                ("continuum", line(Elasticity::Continuum)),
                ("cable", cable(line(Elasticity::Line))),
            ] {
                flies(&format!("{space:?} {kind}, {way}"), &link, space);
            }
        }
    }
}
