//! Terms of turning axes, and elements that follow others.

use nalgebra::{Matrix2, Vector2, Vector6};

use super::assemble::{Axes, Equations, Instant, Shares, State};
use super::linkage::Linkage;
use super::rigid::Motion;
use super::{Geometric, KedSpec};
use crate::flexible::{Damping, Flexible, Method, Section};
use crate::math::spatial::Frame;
use crate::model::{
    Body, BodyId, Driver, Joint, JointId, JointKind, Marker, MarkerId, Model, Space,
};
use crate::time::TimeFunction;

/// A straight link of a metre, from the origin of its body along x.
fn link(elements: usize, method: Method) -> Flexible {
    Flexible {
        from: nalgebra::Vector3::zeros(),
        to: nalgebra::Vector3::x(),
        axes: nalgebra::Matrix3::identity(),
        curvature: nalgebra::Vector3::zeros(),
        section: Section { rotary: false, ..Section::rectangle(0.01, 0.02, 2.1e11, 0.3, 7800.0) },
        method,
        elements,
        damping: Damping::default(),
        ends: Default::default(),
        lumps: Vec::new(),
    }
}

fn marker(model: &mut Model, body: usize, x: f64) -> MarkerId {
    let local = Frame { p: nalgebra::Vector3::new(x, 0.0, 0.0), ..Frame::identity() };
    model.markers.push(Marker { name: None, body: BodyId(body), local });
    MarkerId(model.markers.len() - 1)
}

/// A rigid crank on the ground, and a link on its pin.
fn crank_and_link() -> Model {
    let mut model = Model::new("crank and link", Space::Planar);
    let mut crank = Body::new("crank");
    (crank.mass, crank.inertia) = (Some(1.0), Some(crate::model::inertia_about_z(0.1)));
    model.bodies.push(crank);
    let mut rod = Body::new("rod");
    rod.become_flexible(link(3, Method::Rigid), Space::Planar);
    model.bodies.push(rod);
    let ends = [marker(&mut model, 0, 0.0), marker(&mut model, 1, 0.0)];
    model.joints.push(Joint::new("main", JointKind::Revolute, ends[0], ends[1]));
    let ends = [marker(&mut model, 1, 0.3), marker(&mut model, 2, 0.0)];
    model.joints.push(Joint::new("pin", JointKind::Revolute, ends[0], ends[1]));
    model
}

fn motion(angle: f64, omega: f64, alpha: f64) -> Motion {
    let (s, c) = f64::sin_cos(angle);
    Motion { acceleration: Vector2::zeros(), omega, alpha, turn: Matrix2::new(c, -s, s, c) }
}

/// The forces −C v − K x, and the matrix of some shares times a vector.
fn forces(linkage: &Linkage, spec: &KedSpec, motions: &[Motion], x: &[f64], v: &[f64]) -> Vec<f64> {
    let axial = vec![0.0; linkage.elements.len()];
    let now = Instant { motions, gravity: Vector2::zeros(), axial: &axial };
    let zero = vec![0.0; linkage.coordinates];
    let mut equations = Equations::new(linkage);
    let shares = Shares { mass: 1.0, damping: 0.0, stiffness: 0.0 };
    equations.form(linkage, spec, &now, shares, State { x: &zero, v: &zero }, &zero);
    let load = equations.force.clone();
    equations.form(linkage, spec, &now, shares, State { x, v }, &zero);
    equations.force.iter().zip(load).map(|(f, load)| f - load).collect()
}

#[test]
fn a_link_that_is_displaced_without_bending_feels_nothing() {
    let mut model = Model::new("free link", Space::Planar);
    let mut body = Body::new("rod");
    body.become_flexible(link(4, Method::Rigid), Space::Planar);
    model.bodies.push(body);
    let linkage = Linkage::new(&model.divided(), &KedSpec::default()).unwrap();
    assert_eq!(linkage.coordinates, 15);
    // In axes that turn, only the terms of the turn make the stiffness forget a displacement in world axes.
    let motions = [Motion::default(), motion(0.7, 31.0, -900.0)];
    let (mut x, mut v) = (vec![0.0; 15], vec![0.0; 15]);
    for end in &linkage.links[0].ends {
        for ((_, i), value) in linkage.ends[*end].base.iter().zip([1e-3, -2e-3]) {
            (x[*i], v[*i]) = (value, 10.0 * value);
        }
    }
    let coupled = forces(&linkage, &KedSpec::default(), &motions, &x, &v);
    let size = 2.1e11 * 2e-4 * 4.0 * 2e-3;
    assert!(coupled.iter().all(|f| f.abs() < 1e-12 * size), "{coupled:?}");
}

#[test]
fn matrices_are_the_derivatives_of_the_virtual_work_of_moving_shapes() {
    // ∫ Pᵀ (P x)¨ of u = R N T x by differences in time, against M ẍ + C_g ẋ + K_c x.
    let model = crank_and_link();
    let element = super::element::Element::new(&link(3, Method::Rigid).section, 0.4);
    let (w, alpha, phi) = (13.0, 250.0, 0.4);
    let x = Vector6::new(1.0, -0.7, 0.9, 0.3, 1.4, -0.8);
    let v = Vector6::new(-9.0, 4.0, 7.0, 11.0, -3.0, 2.0);
    let a = Vector6::new(40.0, -70.0, 10.0, 20.0, 90.0, -30.0);
    let at = |t: f64| phi + w * t + 0.5 * alpha * t * t;
    // u at ξ and time t.
    let field = |xi: f64, t: f64| {
        let (s, c) = f64::sin_cos(at(t));
        let turn = Matrix2::new(c, -s, s, c);
        let y = x + v * t + a * (0.5 * t * t);
        let p = turn.transpose() * Vector2::new(y[0], y[1]);
        let q = turn.transpose() * Vector2::new(y[3], y[4]);
        let delta = Vector6::new(p.x, p.y, y[2], q.x, q.y, y[5]);
        let [along, across, _] = element.displacement(&delta, xi);
        turn * Vector2::new(along, across)
    };
    // Truncation of some 1e-7; rounding is far below.
    let h = 2e-5;
    let density = element.weight / element.length;
    let (s, c) = f64::sin_cos(phi);
    let turn = Matrix2::new(c, -s, s, c);
    let mut expected = Vector6::zeros();
    for (xi, weight) in crate::beam::gauss(5) {
        let second = (field(*xi, h) - field(*xi, 0.0) * 2.0 + field(*xi, -h)) / (h * h);
        let local = turn.transpose() * second;
        expected += element.load_at(*xi, local, 0.0) * (weight * element.length * density);
    }
    let linkage = Linkage::new(&model.divided(), &KedSpec::default()).unwrap();
    let motions = [Motion::default(), Motion::default(), motion(phi, w, alpha)];
    let axial = vec![0.0; 3];
    let now = Instant { motions: &motions, gravity: Vector2::zeros(), axial: &axial };
    let axes = Axes::of(&linkage.links[0], &now);
    let [mass, damping, stiffness] = super::assemble::inertia_terms(&element, &axes);
    let found =
        mass * axes.to_local(&a) + damping * axes.to_local(&v) + stiffness * axes.to_local(&x);
    let error = (found - expected).norm() / expected.norm();
    assert!(error < 1e-6, "{error:e}");
}

#[test]
fn a_pin_on_a_free_crank_follows_its_turn() {
    let model = crank_and_link();
    // The crank turns freely, so that its pin moves across it: one coordinate for crank and pin.
    let free = KedSpec { clamp_driven: false, ..KedSpec::default() };
    let linkage = Linkage::new(&model.divided(), &free).unwrap();
    // Crank, rotation of every node, three places that are not on the crank.
    assert_eq!(linkage.coordinates, 1 + 4 + 2 * 3);
    let first = linkage.links[0].ends[0];
    assert_eq!(linkage.ends[first].arms.len(), 1);
    assert!(linkage.ends[first].base.is_empty());
    let mut driven = model.clone();
    driven.drivers.push(Driver {
        name: "motor".into(),
        joint: JointId(0),
        coordinate: crate::model::Coordinate::Angle,
        motion: TimeFunction::Constant(0.0),
    });
    let clamped = Linkage::new(&driven.divided(), &KedSpec::default()).unwrap();
    assert_eq!(clamped.coordinates, 4 + 2 * 3);
    assert_eq!(clamped.locked, [0]);
}

#[test]
fn what_cannot_vibrate_is_named() {
    let mut model = crank_and_link();
    model.bodies[2].flexible = None;
    let faults = super::unsuited(&model, &KedSpec::default());
    assert_eq!(faults.len(), 1);
    assert!(faults[0].why.contains("flexible"));
    // Two rigid bodies that close a triangle with the ground.
    let ends = [marker(&mut model, 0, 1.0), marker(&mut model, 2, 1.0)];
    model.joints.push(Joint::new("end", JointKind::Revolute, ends[0], ends[1]));
    let mut other = Body::new("other");
    other.become_flexible(link(2, Method::Rigid), Space::Planar);
    model.bodies.push(other);
    let faults =
        super::unsuited(&model, &KedSpec { geometric: Geometric::Rigid, ..KedSpec::default() });
    assert!(faults.iter().any(|fault| fault.why.contains("closes a loop")), "{faults:?}");
}
