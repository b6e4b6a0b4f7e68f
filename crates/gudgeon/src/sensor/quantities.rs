//! What each kind of owner can report.

use super::{
    CardanAngle, Component, ContactQuantity, DriverQuantity, ForceQuantity, FrictionQuantity,
    JointQuantity, PlaceQuantity, Source, SpotQuantity, film, flexible,
};
use crate::clearance::geometry::Spot;
use crate::math::spatial::Frame;
use crate::model::{
    Axes, Axial, Coordinate, ForceKind, Form, JointId, JointKind, Marker, Model, Space, Tilt,
};
use crate::system::compile::spots;

/// A quantity of one kind of owner: name behind the owner, unit, meaning, source by component.
pub(super) struct Entry {
    pub name: &'static str,
    pub unit: &'static str,
    pub about: &'static str,
    pub what: What,
}

pub(super) enum What {
    Scalar(Source),
    Vector(fn(Source, Component) -> Source, Source),
}

pub(super) fn owners(model: &Model) -> Vec<(String, Vec<Entry>)> {
    let mut owners = Vec::new();
    let mut on_body: Vec<Vec<&Marker>> = vec![Vec::new(); model.bodies.len()];
    model.markers.iter().for_each(|marker| on_body[marker.body.0].push(marker));
    for (i, body) in model.bodies.iter().enumerate().skip(1) {
        let mut entries = place_entries(model, i, Frame::identity());
        let about = "kinetic energy of the body";
        entries.push(scalar("kinetic_energy", "J", about, Source::KineticEnergyOf(i - 1)));
        if body.flexible.is_some() {
            entries.extend(flexible::link_entries(i - 1));
        }
        let frame_entries = |local: Frame| {
            let mut entries = place_entries(model, i, local);
            if let Some(link) = &body.flexible {
                let along = link.nearest(&local.p);
                entries.extend(flexible::section_entries(model, i - 1, link, along));
            }
            entries
        };
        owners.push((body.name.clone(), entries));
        let mut frames = Vec::new();
        for marker in &on_body[i] {
            if let Some(name) = &marker.name
                && !frames.contains(&name.as_str())
            {
                frames.push(name.as_str());
                let owner = format!("{}.{name}", body.name);
                owners.push((owner, frame_entries(marker.local)));
            }
        }
        if !frames.contains(&"centre") {
            let centre = Frame { p: body.centre, ..Frame::identity() };
            owners.push((format!("{}.centre", body.name), frame_entries(centre)));
        }
    }
    for (i, joint) in model.joints.iter().enumerate() {
        let mut entries = joint_entries(model, i);
        if let Some(clearance) = &joint.clearance {
            entries.extend(contact_entries(i, &clearance.form));
            entries.extend(rubbing_entries(i, None));
            if clearance.film.is_some() {
                entries.extend(film::entries(model, i));
            }
        }
        owners.push((joint.name.clone(), entries));
        let spots = spots(model, JointId(i));
        if spots.len() > 1 {
            for (k, element) in spots.iter().enumerate() {
                let owner = format!("{}.{}", joint.name, element.spot.name());
                let mut entries = spot_entries(i, k);
                entries.extend(rubbing_entries(i, Some(k)));
                owners.push((owner, entries));
            }
        }
        owners.extend(pin_entries(model, i));
    }
    for (i, driver) in model.drivers.iter().enumerate() {
        owners.push((driver.name.clone(), driver_entries(model, i)));
    }
    for (i, force) in model.forces.iter().enumerate() {
        owners.push((force.name.clone(), force_entries(i, &force.kind)));
    }
    owners.push(("system".into(), system_entries()));
    owners
}

/// Outputs of clearance and friction for joints that have none at present.
pub(super) fn of_ideal_joints(model: &Model) -> Vec<(String, Vec<Entry>)> {
    let mut owners = Vec::new();
    for (i, joint) in model.joints.iter().enumerate() {
        let form = match joint.kind {
            _ if joint.clearance.is_some() => continue,
            JointKind::Revolute | JointKind::Cylindrical if model.space == Space::Spatial => {
                Form::Journal {
                    length: 1.0,
                    bearing_length: 1.0,
                    axial: Axial::Fixed,
                    tilt: Tilt::Free,
                }
            }
            JointKind::Revolute => Form::Pin,
            JointKind::Spherical => Form::Ball,
            JointKind::Prismatic => Form::Guide { length: 1.0, width: 1.0 },
            _ => continue,
        };
        let mut entries = contact_entries(i, &form);
        if let Form::Pin | Form::Journal { .. } = form {
            entries.extend(film::entries(model, i));
        }
        owners.push((joint.name.clone(), entries));
        let names: Vec<&str> = match form {
            Form::Pin | Form::Ball => vec![],
            Form::Journal { .. } => vec!["V", "W", "upper_flange", "lower_flange"],
            Form::Guide { .. } => [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)]
                .map(|(x, y)| Spot::Corner { x, y }.name())
                .to_vec(),
        };
        for (k, name) in names.into_iter().enumerate() {
            owners.push((format!("{}.{name}", joint.name), spot_entries(i, k)));
        }
    }
    // After those of contacts, which mean the reaction by the same names.
    for (i, joint) in model.joints.iter().enumerate() {
        let slides = !matches!(
            joint.kind,
            JointKind::Fixed
                | JointKind::Distance { .. }
                | JointKind::PointOnLine
                | JointKind::PointOnPlane
        );
        if slides && joint.clearance.is_none() && joint.friction.is_none() {
            let turns = joint.kind != JointKind::Prismatic;
            owners.push((joint.name.clone(), friction_entries(i, None, turns)));
        }
    }
    owners
}

pub(super) fn scalar(
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    source: Source,
) -> Entry {
    Entry { name, unit, about, what: What::Scalar(source) }
}

pub(super) fn vector(
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    with: fn(Source, Component) -> Source,
    source: Source,
) -> Entry {
    Entry { name, unit, about, what: What::Vector(with, source) }
}

const M: Component = Component::Magnitude;

fn place_entries(model: &Model, body: usize, local: Frame) -> Vec<Entry> {
    use PlaceQuantity::*;
    let any = |quantity| Source::Place(body, local, quantity);
    let with: fn(Source, Component) -> Source = |source, c| match source {
        Source::Place(body, local, quantity) => {
            let quantity = match quantity {
                Position(_) => Position(c),
                Velocity(_) => Velocity(c),
                Acceleration(_) => Acceleration(c),
                AngularVelocity(_) => AngularVelocity(c),
                AngularAcceleration(_) => AngularAcceleration(c),
                other => other,
            };
            Source::Place(body, local, quantity)
        }
        other => other,
    };
    let mut entries = vec![
        vector("position", "m", "position in world axes", with, any(Position(M))),
        vector("velocity", "m/s", "velocity in world axes", with, any(Velocity(M))),
        vector("acceleration", "m/s^2", "acceleration in world axes", with, any(Acceleration(M))),
    ];
    if model.space == Space::Planar {
        let about = "angle from the world's x axis, counted over turns";
        let z = Component::Z;
        entries.extend([
            scalar("angle", "rad", about, any(Angle)),
            scalar("angular_velocity", "rad/s", "angular velocity", any(AngularVelocity(z))),
            scalar(
                "angular_acceleration",
                "rad/s^2",
                "angular acceleration",
                any(AngularAcceleration(z)),
            ),
        ]);
        return entries;
    }
    let (rate, second) = ("angular velocity in world axes", "angular acceleration in world axes");
    let about = "quaternion of the body's own axes against the world's";
    entries.extend([
        vector("angular_velocity", "rad/s", rate, with, any(AngularVelocity(M))),
        vector("angular_acceleration", "rad/s^2", second, with, any(AngularAcceleration(M))),
        scalar("orientation.w", "", about, any(Orientation(0))),
        scalar("orientation.x", "", about, any(Orientation(1))),
        scalar("orientation.y", "", about, any(Orientation(2))),
        scalar("orientation.z", "", about, any(Orientation(3))),
    ]);
    entries
}

fn joint_entries(model: &Model, i: usize) -> Vec<Entry> {
    use JointQuantity::*;
    let joint = &model.joints[i];
    let any = |quantity| Source::Joint(i, quantity);
    let with: fn(Source, Component) -> Source = |source, c| match source {
        Source::Joint(i, Reaction(_, axes)) => Source::Joint(i, Reaction(c, axes)),
        Source::Joint(i, ReactionTorque(_, axes)) => Source::Joint(i, ReactionTorque(c, axes)),
        other => other,
    };
    let (force, torque) =
        ("force of the joint on its second side", "torque of the joint on its second side");
    let world = Axes::World;
    let mut entries = vec![vector("reaction", "N", force, with, any(Reaction(M, world)))];
    if model.space == Space::Spatial {
        let (local_force, local_torque) =
            ("this force in axes of the first side", "this torque in axes of the first side");
        let local = Axes::Body;
        let turning = any(ReactionTorque(M, world));
        entries.push(vector("reaction_torque", "N m", torque, with, turning));
        entries.push(vector("local_reaction", "N", local_force, with, any(Reaction(M, local))));
        let turning = any(ReactionTorque(M, local));
        entries.push(vector("local_reaction_torque", "N m", local_torque, with, turning));
    } else if matches!(joint.kind, JointKind::Prismatic | JointKind::Fixed) {
        let about_z = any(ReactionTorque(Component::Z, world));
        entries.push(scalar("reaction_torque", "N m", torque, about_z));
    }
    let free = joint.kind.free(model.space);
    for &coordinate in free {
        let (name, rate_name) = coordinate_names(coordinate, free);
        let turns = coordinate.is_angle();
        let (unit, rate_unit) = if turns { ("rad", "rad/s") } else { ("m", "m/s") };
        let about = if turns {
            "angle of the second side to the first"
        } else {
            "displacement of the second side along the first"
        };
        entries.push(scalar(name, unit, about, any(Value(coordinate))));
        entries.push(scalar(rate_name, rate_unit, "its rate", any(Rate(coordinate))));
        if free.len() == 1 {
            entries.push(scalar("speed", rate_unit, "its rate", any(Rate(coordinate))));
        }
    }
    if joint.kind == JointKind::Spherical {
        let about = "angle of R_z(psi) R_y(theta) R_x(phi), second side in axes of the first";
        for (which, name, rate) in [
            (CardanAngle::Psi, "psi", "psi_rate"),
            (CardanAngle::Theta, "theta", "theta_rate"),
            (CardanAngle::Phi, "phi", "phi_rate"),
        ] {
            entries.push(scalar(name, "rad", about, any(Cardan(which))));
            entries.push(scalar(rate, "rad/s", "its rate", any(CardanRate(which))));
        }
    }
    if joint.friction.is_some() && joint.clearance.is_none() {
        let turns = joint.kind != JointKind::Prismatic;
        entries.extend(friction_entries(i, None, turns));
    }
    entries
}

fn friction_entries(i: usize, surface: Option<usize>, turns: bool) -> Vec<Entry> {
    use FrictionQuantity::*;
    let any = |quantity| Source::Friction(i, surface, quantity);
    let mut entries = vec![
        scalar("friction_force", "N", "friction force along the sliding surface", any(Force)),
        scalar("normal_force", "N", "load of the sliding surface", any(Load)),
        scalar("sliding_velocity", "m/s", "sliding velocity of the surfaces", any(Sliding)),
    ];
    if turns {
        let about = "moment of friction about the second side's frame";
        entries.push(scalar("friction_torque", "N m", about, any(Torque)));
    }
    entries.extend(rubbing_entries(i, surface));
    entries
}

/// What ideal joints with friction and clearance joints have alike.
fn rubbing_entries(i: usize, surface: Option<usize>) -> [Entry; 3] {
    use FrictionQuantity::*;
    let any = |quantity| Source::Friction(i, surface, quantity);
    let power = "power of friction, negative where it takes energy";
    let sticks = "1 where the surfaces stick, 0 where they slide; its mean is the stick share";
    [
        scalar("friction_coefficient", "", "friction force over load", any(Coefficient)),
        scalar("friction_power", "W", power, any(Power)),
        scalar("sticking", "", sticks, any(Sticking)),
    ]
}

/// Pins of a universal joint with friction, which rub each for itself.
fn pin_entries(model: &Model, i: usize) -> Vec<(String, Vec<Entry>)> {
    let joint = &model.joints[i];
    if joint.kind != JointKind::Universal || joint.friction.is_none() {
        return Vec::new();
    }
    let pin = |(surface, name)| {
        (format!("{}.{name}", joint.name), friction_entries(i, Some(surface), true))
    };
    [(0, "first_pin"), (1, "second_pin")].map(pin).into()
}

/// Names of a coordinate and its rate; the axis is named where a joint has several of the kind.
fn coordinate_names(coordinate: Coordinate, free: &[Coordinate]) -> (&'static str, &'static str) {
    let slides = free.iter().filter(|c| !c.is_angle()).count();
    match coordinate {
        Coordinate::Angle => ("angle", "angular_velocity"),
        Coordinate::AngleX => ("angle_x", "angle_x_rate"),
        Coordinate::AngleY => ("angle_y", "angle_y_rate"),
        Coordinate::AngleZ => ("angle_z", "angle_z_rate"),
        _ if slides < 2 => ("displacement", "velocity"),
        Coordinate::X => ("displacement_x", "velocity_x"),
        Coordinate::Y => ("displacement_y", "velocity_y"),
        Coordinate::Z => ("displacement_z", "velocity_z"),
    }
}

fn contact_entries(i: usize, form: &Form) -> Vec<Entry> {
    use ContactQuantity::*;
    let any = |quantity| Source::Contact(i, quantity);
    let with: fn(Source, Component) -> Source = |source, component| match source {
        Source::Contact(i, Force(_)) => Source::Contact(i, Force(component)),
        Source::Contact(i, Eccentricity(_)) => Source::Contact(i, Eccentricity(component)),
        other => other,
    };
    let centre = "journal centre in axes of the bearing";
    let mut entries = vec![
        vector("contact_force", "N", "contact force on the journal", with, any(Force(M))),
        scalar("normal_force", "N", "normal contact force", any(Normal)),
        scalar("friction_force", "N", "friction force along the tangent", any(Friction)),
        scalar("indentation", "m", "indentation, negative while apart", any(Indentation)),
        scalar("indentation_rate", "m/s", "rate of indentation", any(IndentationRate)),
        vector("eccentricity", "m", centre, with, any(Eccentricity(M))),
        scalar("sliding_velocity", "m/s", "sliding velocity of the surfaces", any(Sliding)),
        scalar("contact", "", "1 in contact, 0 apart", any(InContact)),
    ];
    if let Form::Journal { .. } = form {
        let situation = "0 free, 1 one base touches, 2 both on one side, 3 on opposite sides";
        let shift = "displacement of the journal along its bearing";
        entries.extend([
            scalar("misalignment", "rad", "angle between journal and bearing", any(Misalignment)),
            scalar("situation", "", situation, any(Situation)),
            scalar("axial_displacement", "m", shift, any(Shift)),
        ]);
    }
    entries
}

fn spot_entries(i: usize, spot: usize) -> Vec<Entry> {
    use SpotQuantity::*;
    let any = |quantity| Source::Spot(i, spot, quantity);
    let with: fn(Source, Component) -> Source = |source, component| match source {
        Source::Spot(i, spot, Force(_)) => Source::Spot(i, spot, Force(component)),
        Source::Spot(i, spot, Eccentricity(_)) => Source::Spot(i, spot, Eccentricity(component)),
        other => other,
    };
    let centre = "its centre in axes of the bearing";
    let angle = "angle of the eccentricity in axes of the bearing";
    vec![
        vector("contact_force", "N", "contact force on the journal", with, any(Force(M))),
        scalar("normal_force", "N", "normal contact force", any(Normal)),
        scalar("friction_force", "N", "friction force along the tangent", any(Friction)),
        scalar("indentation", "m", "indentation, negative while apart", any(Indentation)),
        scalar("indentation_rate", "m/s", "rate of indentation", any(IndentationRate)),
        vector("eccentricity", "m", centre, with, any(Eccentricity(M))),
        scalar("eccentricity_angle", "rad", angle, any(EccentricityAngle)),
        scalar("sliding_velocity", "m/s", "sliding velocity of the surfaces", any(Sliding)),
        scalar("contact", "", "1 in contact, 0 apart", any(InContact)),
    ]
}

fn driver_entries(model: &Model, i: usize) -> Vec<Entry> {
    use DriverQuantity::*;
    let any = |quantity| Source::Driver(i, quantity);
    let mut entries = if model.drivers[i].coordinate.is_angle() {
        vec![
            scalar("torque", "N m", "torque of the driver on the second side", any(Load)),
            scalar("angle", "rad", "prescribed angle", any(Value)),
            scalar("angular_velocity", "rad/s", "prescribed angular velocity", any(Rate)),
            scalar("speed", "rad/s", "prescribed angular velocity", any(Rate)),
        ]
    } else {
        vec![
            scalar("force", "N", "force of the driver on the second side", any(Load)),
            scalar("displacement", "m", "prescribed displacement", any(Value)),
            scalar("velocity", "m/s", "prescribed velocity", any(Rate)),
            scalar("speed", "m/s", "prescribed velocity", any(Rate)),
        ]
    };
    let about = "power of the driver, positive when it does work";
    entries.push(scalar("power", "W", about, any(Power)));
    entries
}

fn force_entries(i: usize, kind: &ForceKind) -> Vec<Entry> {
    use ForceQuantity::*;
    let any = |quantity| Source::Force(i, quantity);
    let (name, unit, about) = match kind {
        ForceKind::Point { .. } => ("force", "N", "magnitude of the force"),
        ForceKind::Distributed { .. } => ("force", "N", "magnitude of the sum of the load"),
        ForceKind::Spring { .. } => ("force", "N", "force of the spring, positive in compression"),
        ForceKind::Bushing { .. } => ("force", "N", "magnitude of the force of the bushing"),
        ForceKind::Torque { .. } | ForceKind::TorsionSpring { .. } => {
            ("torque", "N m", "torque on the second side")
        }
    };
    let mut entries = vec![scalar(name, unit, about, any(Value))];
    entries.push(scalar("power", "W", "power that is not stored", any(Power)));
    let stores = kind.stores();
    if stores {
        entries.push(scalar("energy", "J", "stored energy", any(Energy)));
    }
    match kind {
        ForceKind::Spring { .. } => entries.extend([
            scalar("length", "m", "distance of its ends", any(Length)),
            scalar("length_rate", "m/s", "its rate", any(LengthRate)),
        ]),
        ForceKind::TorsionSpring { .. } => entries.extend([
            scalar("angle", "rad", "angle of the second side to the first", any(Angle)),
            scalar("angular_velocity", "rad/s", "its rate", any(AngleRate)),
        ]),
        ForceKind::Point { .. }
        | ForceKind::Distributed { .. }
        | ForceKind::Torque { .. }
        | ForceKind::Bushing { .. } => {}
    }
    entries
}

fn system_entries() -> Vec<Entry> {
    vec![
        scalar("kinetic_energy", "J", "kinetic energy of all bodies", Source::KineticEnergy),
        scalar("potential_energy", "J", "energy of gravity and springs", Source::PotentialEnergy),
    ]
}
