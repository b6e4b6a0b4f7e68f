//! Outputs of flexible links at states written by hand.

use crate::common::beams::*;
use crate::common::{body, marker};
use gudgeon::assembly::{Assembly, assemble};
use gudgeon::flexible::{Damping, Elasticity, Flexible, Section};
use gudgeon::math::rotation::exponential;
use gudgeon::math::spatial::{Frame, Twist};
use gudgeon::model::*;
use gudgeon::sensor::{catalogue, resolve};
use gudgeon::system::Plant;
use gudgeon::system::component::BodyState;
use nalgebra::{Matrix3, Vector3};

const LENGTH: f64 = 0.8;
const HEIGHT: f64 = 0.01;
const WIDTH: f64 = 0.02;
const YOUNG: f64 = 7e10;
const DENSITY: f64 = 2700.0;
const ELEMENTS: usize = 8;

fn section() -> Section {
    Section::rectangle(HEIGHT, WIDTH, YOUNG, 0.3, DENSITY)
}

fn rod() -> Flexible {
    straight(LENGTH, section(), ELEMENTS, Elasticity::Line)
}

/// A free link, and a rigid body beside it.
fn free(link: Flexible, space: Space) -> Model {
    let mut model = Model::new("free link", space);
    let place = |along: f64| {
        let local = Frame { p: link.place_at(along), r: Matrix3::identity() };
        let name = if along == 0.5 { "middle" } else { "between" };
        Marker { name: Some(name.into()), body: BodyId(1), local }
    };
    // The second is the middle of an element.
    model.markers = vec![place(0.5), place(0.3125), marker("end", 2, 0.1, 0.0)];
    let mut rod = Body::new("rod");
    rod.become_flexible(link, space);
    model.bodies.push(rod);
    let mut block = body("block", 1.0, Some(1.0), 0.0, Start::default());
    block.inertia = Some(Matrix3::identity());
    model.bodies.push(block);
    model
}

fn value(start: &Assembly, y: &[f64], name: &str) -> f64 {
    let mut plant = Plant::new(&start.system);
    plant.evaluate(0.0, y).unwrap();
    resolve(&start.system.model, name).unwrap().value(&plant, 0.0)
}

#[test]
fn rigid_motions_deform_nothing() {
    let mut bowed = rod();
    bowed.curvature = Vector3::new(0.0, 0.4, 0.9);
    let mut in_plane = rod();
    in_plane.curvature.z = 0.9;
    let links = [
        (rod(), Space::Planar),
        (in_plane.clone(), Space::Planar),
        (cable(in_plane), Space::Planar),
        (rod(), Space::Spatial),
        (bowed, Space::Spatial),
        (cable(rod()), Space::Spatial),
    ];
    for (case, (mut link, space)) in links.into_iter().enumerate() {
        link.damping = Damping { strain: 1e-4, mass: 3.0 };
        let start = assemble(&free(link, space)).unwrap();
        let mut y = start.state();
        for k in 1..6 {
            let angle = 1.3 * f64::from(k);
            let (spin, p) = match space {
                Space::Planar => (Vector3::z(), Vector3::new(angle.sin(), 2.0, 0.0)),
                Space::Spatial => {
                    (Vector3::new(angle.cos(), 0.4, angle.sin()), Vector3::new(-1.0, 0.3, angle))
                }
            };
            let frame = Frame { p, r: exponential(&(spin * angle)) };
            let twist = Twist { v: Vector3::new(0.7, -angle, 0.0), w: spin * 2.0 };
            let (q, v) = y.split_at_mut(start.system.layout.q);
            start.system.write_state(0, &BodyState { frame, twist, angle }, q, v);
            let mut outputs = catalogue(&start.system.model);
            outputs.retain(|output| output.name.starts_with("rod."));
            let mut plant = Plant::new(&start.system);
            plant.evaluate(0.0, &y).unwrap();
            let mut seen = 0;
            for output in &outputs {
                // Rounding of places near 10 m and of strains, 1e-14, the latter times EA = 1.4e7 N.
                let near = match &*output.name {
                    name if name.contains("deflection") => 1e-12,
                    name if name.contains("damping_power") => 1e-9,
                    name if name.contains("strain") => 1e-12,
                    name if name.contains("section_force") => 1e-5,
                    name if name.contains("stress") => 0.1,
                    _ => continue,
                };
                seen += 1;
                let found = output.value(&plant, 0.0);
                assert!(found.abs() < near, "case {case}: {} = {found:e}", output.name);
            }
            assert!(seen > 10, "{seen} outputs");
        }
    }
}

/// A circle of curvature κ from the origin: nodes r, rₓ, rᵧ.
fn arc(start: &Assembly, curvature: f64) -> Vec<f64> {
    let mut y = start.state();
    let q = start.system.bodies[0].coordinates();
    for (k, node) in y[q].chunks_exact_mut(6).enumerate() {
        let (sin, cos) = (curvature * LENGTH * k as f64 / ELEMENTS as f64).sin_cos();
        let r = [sin / curvature, (1.0 - cos) / curvature];
        node.copy_from_slice(&[r[0], r[1], cos, sin, -sin, cos]);
    }
    y
}

#[test]
fn a_link_bent_to_an_arc() {
    let start = assemble(&free(rod(), Space::Planar)).unwrap();
    for curvature in [0.25, -0.25] {
        let y = arc(&start, curvature);
        let see = |name: &str| value(&start, &y, name);
        // Turn of an element; a cubic through nodes of a circle is off by some of its square.
        let turn: f64 = curvature * LENGTH / ELEMENTS as f64;
        let close = |name: &str, expected: f64, relative: f64| {
            let found = see(name);
            let off = (found - expected).abs() / expected.abs();
            println!("{name}: {found:e}, off {off:.1e} of {relative:.1e}");
            assert!(off < relative, "{name}: {found:e}, expected {expected:e}");
        };
        let (section, square) = (section(), turn * turn);
        let stiffness = YOUNG * section.inertia_z;
        for place in ["rod.middle", "rod.between"] {
            close(&format!("{place}.curvature.z"), curvature, square);
            close(&format!("{place}.section_moment.z"), stiffness * curvature, square);
            // Tension of the outer fibre, whatever side it is on.
            let stress = YOUNG * curvature.abs() * 0.5 * HEIGHT;
            close(&format!("{place}.stress"), stress, square);
            assert!(see(&format!("{place}.strain")).abs() < square * square);
        }
        close("rod.largest_stress", YOUNG * curvature.abs() * 0.5 * HEIGHT, square);
        close("rod.strain_energy", 0.5 * stiffness * curvature * curvature * LENGTH, square);
        // A node in the middle: exact. Ends of the chord lie at −φ and φ as seen from the centre.
        let half = 0.5 * curvature * LENGTH;
        let sagitta = (1.0 - half.cos()) / curvature;
        let along = half.sin() / curvature - 0.5 * LENGTH;
        close("rod.middle.deflection.y", -sagitta, 1e-12);
        close("rod.middle.deflection.x", along, 1e-10); // 0.4 m less 0.3993 m
        close("rod.middle.deflection", sagitta.hypot(along), 1e-12);
        // The cubic is off by l θ³/384 inside an element.
        let angle = curvature * 0.3125 * LENGTH - half;
        let here = (half.cos() - angle.cos()) / curvature;
        let near = LENGTH / ELEMENTS as f64 * turn.abs().powi(3) / 384.0;
        close("rod.between.deflection.y", here, 1.1 * near / here.abs());
        // The end of the chord comes nearer by the whole of what the arc loses.
        let most = sagitta.hypot(along).max(2.0 * along.abs());
        close("rod.largest_deflection", most, 1e-12);
    }
}

#[test]
fn an_evenly_stretched_link() {
    let (delay, alpha, strain, rate) = (1e-4, 3.0, 1e-3, 0.2);
    let mut link = rod();
    link.damping = Damping { strain: delay, mass: alpha };
    let start = assemble(&free(link, Space::Planar)).unwrap();
    let mut y = start.state();
    let (q, v) = y.split_at_mut(start.system.layout.q);
    let (q, v) = (&mut q[start.system.bodies[0].coordinates()], v);
    let v = &mut v[start.system.bodies[0].velocities()];
    for (k, (q, v)) in q.chunks_exact_mut(6).zip(v.chunks_exact_mut(6)).enumerate() {
        let x = LENGTH * k as f64 / ELEMENTS as f64;
        q.copy_from_slice(&[x * (1.0 + strain), 0.0, 1.0 + strain, 0.0, 0.0, 1.0]);
        v.copy_from_slice(&[x * rate, 0.0, rate, 0.0, 0.0, 0.0]);
    }
    let close = |name: &str, expected: f64| {
        let found = value(&start, &y, name);
        // Rounding only, of places of 1 m against strains of 1e-3.
        let near = 1e-11 * expected.abs();
        assert!((found - expected).abs() < near, "{name}: {found:e}, expected {expected:e}");
    };
    // Green's strain and its rate.
    let (green, green_rate) = (strain + 0.5 * strain * strain, (1.0 + strain) * rate);
    let stretching = YOUNG * HEIGHT * WIDTH;
    close("rod.middle.strain", green);
    close("rod.largest_strain", green);
    let force = stretching * (green + delay * green_rate);
    close("rod.middle.section_force.x", force);
    close("rod.middle.section_force", force);
    close("rod.middle.stress", force / (HEIGHT * WIDTH));
    close("rod.middle.deflection.x", 0.5 * LENGTH * strain);
    close("rod.largest_deflection", LENGTH * strain);
    close("rod.strain_energy", 0.5 * stretching * green * green * LENGTH);
    // α acts on velocities against the middle of the chord.
    let mass = DENSITY * HEIGHT * WIDTH * LENGTH;
    let lost = delay * stretching * green_rate.powi(2) * LENGTH
        + alpha * mass * (rate * LENGTH).powi(2) / 12.0;
    close("rod.damping_power", lost);
}

#[test]
fn rigid_bodies_have_no_such_outputs() {
    let model = free(rod(), Space::Spatial);
    let names: Vec<String> = catalogue(&model).into_iter().map(|output| output.name).collect();
    for name in ["deflection.z", "strain", "curvature.y", "twist", "section_moment.x", "stress"] {
        assert!(names.contains(&format!("rod.middle.{name}")), "{name}");
        assert!(names.contains(&format!("rod.centre.{name}")), "{name}");
        assert!(!names.contains(&format!("block.end.{name}")), "{name}");
    }
    assert!(names.contains(&"rod.strain_energy".to_owned()));
    let unknown = resolve(&model, "block.end.strain").unwrap_err();
    assert_eq!(unknown.message, "`block.end` has no output `strain`");
    assert!(unknown.candidates.contains(&"position".to_owned()));
    assert!(resolve(&model, "block.strain_energy").is_err());
    // In the plane sections bend about one axis.
    let model = free(rod(), Space::Planar);
    assert!(resolve(&model, "rod.middle.section_moment.z").is_ok());
    assert!(resolve(&model, "rod.middle.section_moment.y").is_err());
    assert!(resolve(&model, "rod.middle.twist").is_err());
    // Cables have no shear.
    let model = free(cable(rod()), Space::Planar);
    assert!(resolve(&model, "rod.middle.shear.y").is_err());
}
