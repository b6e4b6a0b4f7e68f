//! Mechanisms with flexible links.

use super::*;
use gudgeon::clearance::normal::Damping as Restitution;
use gudgeon::flexible::{
    AncfElement, Damping, Elasticity, EndSection, Flexible, Lump, Method as Flexing, Section,
};
use nalgebra::Matrix3;

/// A straight link in the x direction of its body, from the origin.
pub fn straight(
    length: f64,
    section: Section,
    elements: usize,
    elasticity: Elasticity,
) -> Flexible {
    Flexible {
        from: Vector3::zeros(),
        to: Vector3::new(length, 0.0, 0.0),
        axes: Matrix3::identity(),
        curvature: Vector3::zeros(),
        section,
        method: Flexing::Ancf { element: AncfElement::Beam, elasticity },
        elements,
        damping: Damping::default(),
        ends: [EndSection::Free; 2],
        lumps: Vec::new(),
    }
}

pub fn cable(link: Flexible) -> Flexible {
    let method = Flexing::Ancf { element: AncfElement::Cable, elasticity: Elasticity::Line };
    Flexible { method, ..link }
}

/// The same of rigid finite elements, without elastic shear and tension.
pub fn rigid_elements(link: Flexible, elements: usize) -> Flexible {
    Flexible { method: Flexing::Rfem { shear: false, tension: false }, elements, ..link }
}

/// Axes with z along a direction.
pub fn about(axis: Vector3<f64>) -> Matrix3<f64> {
    let x = if axis.x.abs() < 0.5 { Vector3::x() } else { Vector3::y() };
    let x = (x - axis * axis.dot(&x)).normalize();
    Matrix3::from_columns(&[x, axis.cross(&x), axis])
}

/// tian's double pendulum in variant P or S, its links of modulus E with n elements each; D is at the end of the
/// second. Markers: Q on ground, Q, B, C, D.
pub fn double_pendulum(in_plane: bool, young: f64, elements: usize) -> Model {
    let mut model = Model::new("double pendulum", Space::Spatial);
    model.gravity = Vector3::new(0.0, 0.0, -9.81);
    let section = Section::rectangle(0.01, 0.01, young, 0.0, 2700.0);
    let (radius, length, density) = (0.03f64, 0.04f64, 7800.0);
    let mass = density * std::f64::consts::PI * radius * radius * length;
    let (along, across) =
        (0.5 * mass * radius * radius, mass * (3.0 * radius * radius + length * length) / 12.0);
    // Solid cylinders about the joints' axes, in section axes.
    let journal = |axis: Vector3<f64>| Lump {
        along: 0.0,
        mass,
        centre: Vector3::zeros(),
        inertia: Matrix3::identity() * across + axis * axis.transpose() * (along - across),
    };
    let link = straight(0.5, section, elements, Elasticity::Continuum);
    let second_axis = if in_plane { Vector3::y() } else { Vector3::x() };
    // In S the second link lies along Y, its own x axis.
    let turn = match in_plane {
        true => Matrix3::identity(),
        false => Matrix3::from_columns(&[Vector3::y(), -Vector3::x(), Vector3::z()]),
    };
    let own_axis = turn.transpose() * second_axis;
    let links = [
        (
            Flexible {
                ends: [EndSection::Rigid; 2],
                lumps: vec![journal(Vector3::y())],
                ..link.clone()
            },
            0.0,
            Matrix3::identity(),
        ),
        (
            Flexible {
                ends: [EndSection::Rigid, EndSection::Free],
                lumps: vec![journal(own_axis)],
                ..link
            },
            0.5,
            turn,
        ),
    ];
    for ((link, x, turn), name) in links.into_iter().zip(["QB", "CD"]) {
        let mut body = Body::new(name);
        body.become_flexible(link, Space::Spatial);
        body.start.position = Some(Vector3::new(x, 0.0, 0.0));
        body.start.orientation = Some(Orientation::Rotation(turn));
        model.bodies.push(body);
    }
    let marker = |name: &str, body: usize, x: f64, r: Matrix3<f64>| Marker {
        name: Some(name.into()),
        body: BodyId(body),
        local: Frame { p: Vector3::new(x, 0.0, 0.0), r },
    };
    let q = about(Vector3::y());
    model.markers = vec![
        marker("Q", 0, 0.0, q),
        marker("Q", 1, 0.0, q),
        marker("B", 1, 0.5, about(second_axis)),
        marker("C", 2, 0.0, turn.transpose() * about(second_axis)),
        marker("D", 2, 0.5, Matrix3::identity()),
    ];
    model.joints =
        vec![joint("Q", JointKind::Revolute, 0, 1), joint("B", JointKind::Revolute, 2, 3)];
    model
}

/// tian's dry clearance of 0.2 mm at Q: 207 GPa without lateral contraction, at each base.
pub fn with_dry_clearance(mut model: Model) -> Model {
    let normal = NormalLaw::new(
        Elastic::Power { stiffness: 2.937164e11, exponent: 1.5 },
        Restitution::LankaraniNikravesh { restitution: 0.9 },
    );
    model.joints[0].clearance = Some(Clearance {
        form: Form::Journal {
            length: 0.04,
            bearing_length: 0.04,
            axial: Axial::Fixed,
            tilt: Tilt::Free,
        },
        bearing_radius: 0.0302,
        radial: 2e-4,
        normal,
        friction: None,
        onset_floor: 1e-3,
        film: None,
        materials: None,
        slides: gudgeon::model::Slides::Surfaces,
    });
    model
}

/// A link on a pivot, from level under gravity.
pub fn pendulum(link: Flexible, space: Space) -> Model {
    let mut model = Model { space, ..empty("pendulum") };
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    let length = link.to.x;
    let mut body = Body::new("rod");
    body.become_flexible(link, space);
    body.start = start_at(0.0, 0.0, 0.0);
    model.bodies.push(body);
    model.markers = vec![
        marker("pivot", 0, 0.0, 0.0),
        marker("pivot", 1, 0.0, 0.0),
        marker("middle", 1, 0.5 * length, 0.0),
        marker("tip", 1, length, 0.0),
    ];
    model.joints = vec![joint("pivot", JointKind::Revolute, 0, 1)];
    model
}
