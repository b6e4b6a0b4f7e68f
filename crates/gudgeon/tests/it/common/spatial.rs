//! Bodies and places in space, and what a run tells of their momentum.

use super::*;
use gudgeon::friction::{FrictionLaw, ZonedLaw};
use gudgeon::math::rotation::exponential;
use gudgeon::simulate::Observer;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion};
use std::ops::ControlFlow;

/// An inertia with these principal moments about axes turned by a rotation vector.
pub fn inertia(moments: [f64; 3], turned: [f64; 3]) -> Matrix3<f64> {
    let axes = exponential(&turned.into());
    axes * Matrix3::from_diagonal(&moments.into()) * axes.transpose()
}

/// A body at rest in the origin whose mass centre and principal axes are off its own axes.
pub fn solid(name: &str, mass: f64, moments: [f64; 3], turned: [f64; 3], centre: [f64; 3]) -> Body {
    let inertia = Some(inertia(moments, turned));
    let start = start_in_space([0.0; 3], [0.0; 3]);
    Body { mass: Some(mass), inertia, centre: centre.into(), start, ..Body::new(name) }
}

/// A pose by a position and a rotation vector.
pub fn start_in_space(position: [f64; 3], turned: [f64; 3]) -> Start {
    Start {
        position: Some(position.into()),
        orientation: Some(Orientation::Rotation(exponential(&turned.into()))),
        ..Start::default()
    }
}

/// A place on a body, its axes turned by a rotation vector.
pub fn place_on(body: usize, p: [f64; 3], turned: [f64; 3]) -> Marker {
    let local = Frame { p: p.into(), r: exponential(&turned.into()) };
    Marker { name: None, body: BodyId(body), local }
}

/// An empty mechanism in space: ground, no gravity.
pub fn empty_space(name: &str) -> Model {
    Model { space: Space::Spatial, ..empty(name) }
}

/// Like [`two_bodies`], in space: principal axes and markers are turned any way.
pub fn two_solids() -> Model {
    let mut model = empty_space("two solids");
    let mut a = solid("a", 1.3, [0.2, 0.31, 0.37], [0.4, -0.7, 1.1], [0.1, -0.2, 0.15]);
    let mut b = solid("b", 0.4, [0.05, 0.09, 0.06], [-1.0, 0.3, 0.6], [-0.3, 0.05, 0.1]);
    a.start = start_in_space([0.0, 0.0, 0.0], [0.3, 0.1, -0.2]);
    b.start = start_in_space([1.0, 0.5, -0.4], [-0.6, 0.2, 0.9]);
    model.bodies.extend([a, b]);
    model.markers = vec![
        place_on(0, [0.2, -0.1, 0.3], [0.4, 0.9, -0.3]),
        place_on(1, [0.5, 0.3, -0.2], [-0.7, 0.2, 1.3]),
        place_on(2, [-0.2, 0.6, 0.1], [1.1, -0.5, 0.4]),
        place_on(1, [-0.4, 0.1, 0.3], [0.2, 1.6, -0.8]),
        place_on(2, [0.3, 0.2, -0.5], [-0.5, 0.8, 2.1]),
    ];
    model
}

/// Two free bodies in either space.
pub fn two_free(space: Space) -> Model {
    match space {
        Space::Planar => two_bodies(),
        Space::Spatial => two_solids(),
    }
}

/// A driven four-bar in a plane turned any way: ground 0.3 m, crank 0.1, coupler 0.28, rocker 0.2.
/// With `second` revolute all four axes are parallel, and three rows too many.
pub fn four_bar(speed: f64, second: JointKind) -> Model {
    let plane = [0.5, -0.8, 0.3];
    let r = exponential(&plane.into());
    let (crank, coupler, rocker, ground_link, angle) = (0.1f64, 0.28, 0.2, 0.3, 0.4f64);
    let end = Vector3::new(crank * angle.cos(), crank * angle.sin(), 0.0);
    let foot = Vector3::new(ground_link, 0.0, 0.0);
    // The corner between coupler and rocker, by the law of cosines.
    let apart = (foot - end).norm();
    let lean =
        ((apart * apart + coupler * coupler - rocker * rocker) / (2.0 * apart * coupler)).acos();
    let along = |from: &Vector3<f64>, to: &Vector3<f64>| (to.y - from.y).atan2(to.x - from.x);
    let coupler_angle = along(&end, &foot) + lean;
    let corner = end + Vector3::new(coupler_angle.cos(), coupler_angle.sin(), 0.0) * coupler;
    let rocker_angle = along(&foot, &corner);
    let mut model = empty_space("four-bar");
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    let link = |name: &str, length: f64, p: Vector3<f64>, angle: f64| {
        let moments = [1e-4, 0.08 * length * length, 0.085 * length * length];
        let centre = [0.5 * length, 0.01, 0.005];
        let mut body = solid(name, 1.0, moments, [0.1, 0.2, -0.1], centre);
        body.start.position = Some(r * p);
        let turned = r * Frame::planar(0.0, 0.0, angle).r;
        body.start.orientation = Some(Orientation::Rotation(turned));
        body
    };
    model.bodies.extend([
        link("crank", crank, Vector3::zeros(), angle),
        link("coupler", coupler, end, coupler_angle),
        link("rocker", rocker, foot, rocker_angle),
    ]);
    model.markers = vec![
        place_on(0, [0.0; 3], plane),
        place_on(1, [0.0; 3], [0.0; 3]),
        place_on(1, [crank, 0.0, 0.0], [0.0; 3]),
        place_on(2, [0.0; 3], [0.0; 3]),
        place_on(2, [coupler, 0.0, 0.0], [0.0; 3]),
        place_on(3, [rocker, 0.0, 0.0], [0.0; 3]),
        place_on(0, (r * foot).into(), plane),
        place_on(3, [0.0; 3], [0.0; 3]),
    ];
    model.joints = vec![
        joint("main", JointKind::Revolute, 0, 1),
        joint("second", second, 2, 3),
        joint("third", JointKind::Revolute, 5, 4),
        joint("foot", JointKind::Revolute, 6, 7),
    ];
    let motion = TimeFunction::Linear { start: angle, rate: speed };
    model.drivers.push(driver("motor", 0, motion));
    model
}

/// The same with a loose journal in the third joint, free to tilt and to move along.
pub fn loose_four_bar(speed: f64) -> Model {
    let mut model = four_bar(speed, JointKind::Spherical);
    let normal = NormalLaw::new(
        Elastic::Power { stiffness: 1e9, exponent: 1.5 },
        Damping::LankaraniNikravesh { restitution: 0.8 },
    );
    let axial = Axial::Play { clearance: 3e-4, radius: 0.012, normal: normal.clone() };
    model.joints[2].clearance = Some(Clearance {
        form: Form::Journal { length: 0.04, bearing_length: 0.04, axial, tilt: Tilt::Free },
        friction: Some(FrictionLaw::Zoned(ZonedLaw::ThreeZone {
            mu_s: 0.1,
            mu_d: 0.05,
            v_s: 0.01,
            v_d: 0.1,
        })),
        ..clearance(0.01, 2e-4, normal)
    });
    model
}

/// Outputs from which [`momenta_of`] sums momenta, thirteen per body.
pub fn momentum_outputs(model: &Model) -> Vec<String> {
    let mut names = Vec::new();
    for body in &model.bodies[1..] {
        for quantity in ["centre.position", "centre.velocity", "angular_velocity"] {
            names.extend(["x", "y", "z"].map(|axis| format!("{}.{quantity}.{axis}", body.name)));
        }
        names.extend(["w", "x", "y", "z"].map(|part| format!("{}.orientation.{part}", body.name)));
    }
    names
}

/// Linear momentum, angular momentum about the origin and kinetic energy from a row of
/// [`momentum_outputs`], by the masses and inertias of the model.
pub fn momenta_of(model: &Model, row: &[f64]) -> (Vector3<f64>, Vector3<f64>, f64) {
    let (mut linear, mut angular, mut kinetic) = (Vector3::zeros(), Vector3::zeros(), 0.0);
    for (body, x) in model.bodies[1..].iter().zip(row.chunks_exact(13)) {
        let vector = |at: usize| Vector3::new(x[at], x[at + 1], x[at + 2]);
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(x[9], x[10], x[11], x[12]));
        let r = turn.to_rotation_matrix().into_inner();
        let inertia = r * body.inertia.expect("an inertia") * r.transpose();
        let (p, spin) = (vector(3) * body.mass.expect("a mass"), inertia * vector(6));
        linear += p;
        angular += spin + vector(0).cross(&p);
        kinetic += 0.5 * (p.dot(&vector(3)) + spin.dot(&vector(6)));
    }
    (linear, angular, kinetic)
}

/// Keeps all rows of a run.
#[derive(Default)]
pub struct Rows(pub Vec<Vec<f64>>);

impl Observer for Rows {
    fn row(&mut self, _t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push(values.to_vec());
        ControlFlow::Continue(())
    }
}
