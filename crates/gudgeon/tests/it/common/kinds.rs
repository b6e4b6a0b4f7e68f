//! Every joint of both spaces, with every shape of play and every driver it may have.

use super::spatial::two_free;
use super::*;
use gudgeon::flexible::{
    AncfElement, Elasticity, EndSection, Flexible, Floating, Method as Flexing, Modes, Reference,
    Section, Stiffening,
};
use nalgebra::Matrix3;

/// The kind after another one: a new kind does not compile until it has its place here.
pub fn next_kind(kind: &JointKind) -> Option<JointKind> {
    use JointKind::*;
    match kind {
        Revolute => Some(Prismatic),
        Prismatic => Some(Cylindrical),
        Cylindrical => Some(Spherical),
        Spherical => Some(Universal),
        Universal => Some(Planar),
        Planar => Some(Fixed),
        Fixed => Some(Screw { pitch: 0.7 }),
        Screw { .. } => Some(Distance { length: 0.8 }),
        Distance { .. } => Some(PointOnLine),
        PointOnLine => Some(PointOnPlane),
        PointOnPlane => None,
    }
}

/// Relative motions that a joint leaves; none where the space does not have it.
pub fn freedoms(kind: JointKind, space: Space) -> Option<usize> {
    use JointKind::*;
    match (kind, space) {
        (Fixed, _) => Some(0),
        (Revolute | Prismatic, _) => Some(1),
        (Distance { .. } | PointOnLine, Space::Planar) => Some(2),
        (_, Space::Planar) => None,
        (Screw { .. }, _) => Some(1),
        (Cylindrical | Universal, _) => Some(2),
        (Spherical | Planar, _) => Some(3),
        (PointOnLine, _) => Some(4),
        (Distance { .. } | PointOnPlane, _) => Some(5),
    }
}

/// Every joint of a space.
pub fn kinds(space: Space) -> impl Iterator<Item = JointKind> {
    std::iter::successors(Some(JointKind::Revolute), next_kind)
        .filter(move |kind| freedoms(*kind, space).is_some())
}

/// Shapes of play that a joint may have; the first is none.
pub fn forms(kind: JointKind, space: Space) -> Vec<Option<Form>> {
    let normal = NormalLaw::new(Elastic::Power { stiffness: 1e4, exponent: 1.5 }, Damping::None);
    let tilt = Tilt::Free;
    let journal = |axial| Some(Form::Journal { length: 0.4, bearing_length: 0.5, axial, tilt });
    let play = Axial::Play { clearance: 0.01, radius: 0.1, normal };
    let more = match (kind, space) {
        (JointKind::Revolute, Space::Planar) => vec![Some(Form::Pin)],
        (JointKind::Prismatic, Space::Planar) => {
            vec![Some(Form::Guide { length: 0.3, width: 0.1 })]
        }
        (JointKind::Revolute | JointKind::Cylindrical, Space::Spatial) => {
            vec![journal(Axial::Free), journal(Axial::Fixed), journal(play)]
        }
        (JointKind::Spherical, _) => vec![Some(Form::Ball)],
        _ => vec![],
    };
    std::iter::once(None).chain(more).collect()
}

/// A spatial model with its second body, and with all bodies in natural coordinates.
pub fn in_natural_coordinates(name: &str, model: &Model) -> [(String, Model); 2] {
    [2, 1].map(|first| {
        let mut model = model.clone();
        for body in &mut model.bodies[first..] {
            body.coordinates = BodyCoordinates::Natural;
        }
        (format!("{name}, natural from body {first}"), model)
    })
}

/// A soft link between two points, of which a body is made.
pub fn soft(from: [f64; 3], to: [f64; 3], element: AncfElement) -> Flexible {
    let (from, to) = (Vector3::from(from), Vector3::from(to));
    let x = (to - from).normalize();
    let z = if from.z == 0.0 && to.z == 0.0 {
        Vector3::z()
    } else {
        x.cross(&Vector3::y()).normalize()
    };
    let section = Section {
        shear_y: 0.8,
        shear_z: 0.7,
        ..Section::rectangle(
            0.2,
            if element == AncfElement::Cable { 0.2 } else { 0.3 },
            90.0,
            0.2,
            20.0,
        )
    };
    Flexible {
        from,
        to,
        axes: Matrix3::from_columns(&[x, z.cross(&x), z]),
        curvature: Vector3::zeros(),
        section,
        method: gudgeon::flexible::Method::Ancf { element, elasticity: Elasticity::Line },
        elements: 3,
        damping: gudgeon::flexible::Damping { strain: 0.05, mass: 0.0 },
        ends: [EndSection::Free; 2],
        lumps: Vec::new(),
    }
}

/// A model with its last body flexible: by all gradients with free and rigid ends, and in the plane by the
/// tangent alone.
pub fn flexibly(name: &str, model: &Model) -> Vec<(String, Model)> {
    let z = if model.space == Space::Planar { 0.0 } else { 0.15 };
    let beam = soft([-0.3, 0.1, 0.0], [0.4, -0.2, z], AncfElement::Beam);
    let rigid = Flexible { ends: [EndSection::Rigid; 2], ..beam.clone() };
    let mut links = vec![("free ends", beam), ("rigid ends", rigid)];
    if model.space == Space::Planar {
        links.push(("cable", soft([-0.3, 0.1, 0.0], [0.4, -0.2, 0.0], AncfElement::Cable)));
    }
    let with = |(kind, link): (&str, Flexible)| {
        let mut model = model.clone();
        let body = model.bodies.last_mut().expect("the ground at least");
        body.become_flexible(link, model.space);
        (format!("{name}, flexible, {kind}"), model)
    };
    links.into_iter().map(with).collect()
}

/// A model with its last body of finite elements in a frame, each kind of frame.
pub fn in_floating_frames(name: &str, model: &Model) -> [(String, Model); 4] {
    let z = if model.space == Space::Planar { 0.0 } else { 0.15 };
    let frames = [
        ("clamped", Reference::Clamped, Stiffening::Actual, false, 1),
        ("chord", Reference::Chord, Stiffening::Rigid, true, 1),
        ("mean", Reference::Mean, Stiffening::Actual, false, 2),
        ("modes", Reference::Clamped, Stiffening::None, false, 3),
    ];
    frames.map(|(kind, reference, stiffening, shear, elements)| {
        let link = soft([-0.3, 0.1, 0.0], [0.4, -0.2, z], AncfElement::Beam);
        let modes = (kind == "modes").then_some(Modes::Count(2));
        let method = Flexing::Floating(Floating { reference, stiffening, shear, modes });
        let mut model = model.clone();
        let body = model.bodies.last_mut().expect("the ground at least");
        body.become_flexible(Flexible { method, elements, ..link }, model.space);
        (format!("{name}, floating frame, {kind}"), model)
    })
}

/// A model with its last body of rigid elements.
pub fn in_rigid_elements(name: &str, model: &Model) -> (String, Model) {
    let z = if model.space == Space::Planar { 0.0 } else { 0.15 };
    let beam = soft([-0.3, 0.1, 0.0], [0.4, -0.2, z], AncfElement::Beam);
    let method = gudgeon::flexible::Method::Rfem { shear: false, tension: false };
    let mut model = model.clone();
    let body = model.bodies.last_mut().expect("the ground at least");
    body.become_flexible(Flexible { method, ..beam }, model.space);
    (format!("{name}, rigid elements"), model)
}

/// [`constrained`] with rigid bodies in coordinates of their own alone.
pub fn constrained_rigid() -> Vec<(String, Model)> {
    let own =
        |body: &Body| body.flexible.is_none() && body.coordinates == BodyCoordinates::Absolute;
    constrained().into_iter().filter(|(_, model)| model.bodies.iter().all(own)).collect()
}

/// Every joint of both spaces with every shape of play, alone and with a driver on each coordinate it
/// leaves free, from ground to body, back, and between bodies.
pub fn constrained() -> Vec<(String, Model)> {
    let (mut models, mut divided, mut framed) = (Vec::new(), Vec::new(), Vec::new());
    for space in [Space::Planar, Space::Spatial] {
        let shaped = |kind| forms(kind, space).into_iter().map(move |form| (kind, form));
        for (kind, form) in kinds(space).flat_map(shaped) {
            let from: usize = models.len();
            constrained_by(space, kind, form, &mut models, &mut divided);
            let own = |body: &Body| {
                body.flexible.is_none() && body.coordinates == BodyCoordinates::Absolute
            };
            for (name, model) in &models[from..] {
                if model.bodies.iter().all(own) {
                    // The kinds of frames in turn.
                    let frames = in_floating_frames(name, model).into_iter();
                    framed.extend(frames.skip(framed.len() % 4).take(1));
                }
            }
        }
    }
    models.append(&mut divided);
    let (axial, tilt) = (Axial::Fixed, Tilt::Fixed);
    let upright = Form::Journal { length: 0.4, bearing_length: 0.5, axial, tilt };
    constrained_by(Space::Spatial, JointKind::Revolute, Some(upright), &mut models, &mut divided);
    models.extend(divided);
    models.extend(framed);
    models
}

/// The models of one joint, and those with a body of rigid elements.
fn constrained_by(
    space: Space,
    kind: JointKind,
    form: Option<Form>,
    models: &mut Vec<(String, Model)>,
    divided: &mut Vec<(String, Model)>,
) {
    let normal = NormalLaw::new(Elastic::Power { stiffness: 1e4, exponent: 1.5 }, Damping::None);
    // A journal held along its bearing has nothing to drive there.
    let held = matches!(form, Some(Form::Journal { axial: Axial::Fixed, .. }));
    let free = kind.free(space).iter().filter(|&&c| !(held && c == Coordinate::Z));
    for coordinate in std::iter::once(None).chain(free.copied().map(Some)) {
        for (a, b) in [(0, 1), (2, 0), (1, 2)] {
            let mut model = two_free(space);
            let mut joint = joint("joint", kind, a, b);
            joint.clearance =
                form.clone().map(|form| Clearance { form, ..clearance(0.2, 0.01, normal.clone()) });
            model.joints.push(joint);
            model.drivers.extend(coordinate.map(|coordinate| Driver {
                coordinate,
                ..driver("driver", 0, swing(0.3, 0.4, 1.7))
            }));
            let name = format!("{space:?} {kind:?} {form:?} {coordinate:?} {a}–{b}");
            if space == Space::Spatial {
                models.extend(in_natural_coordinates(&name, &model));
            }
            models.extend(flexibly(&name, &model));
            divided.push(in_rigid_elements(&name, &model));
            models.push((name, model));
        }
    }
}
