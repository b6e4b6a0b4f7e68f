//! Names of outputs and what they stand for.

use super::{
    Component, ContactQuantity, DriverQuantity, ForceQuantity, JointQuantity, PlaceQuantity,
    Sensor, Source,
};
use crate::marker::Attachment;
use crate::math::spatial::Frame;
use crate::model::{ForceKind, JointKind, Model};

/// Why a name is no output.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownOutput {
    /// The part of the name that is wrong, as a byte range of it.
    pub part: std::ops::Range<usize>,
    pub message: String,
    /// Names that could stand in the place of that part.
    pub candidates: Vec<String>,
}

/// A quantity of one kind of owner: name behind the owner, unit, meaning, source by component.
struct Entry {
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    what: What,
}

enum What {
    Scalar(Source),
    Vector(fn(Source, Component) -> Source, Source),
}

/// Every output of a model, in a fixed order: bodies with their frames, joints, drivers, forces,
/// the whole mechanism.
pub fn catalogue(model: &Model) -> Vec<Sensor> {
    let mut sensors = Vec::new();
    for (owner, entries) in owners(model) {
        for entry in entries {
            let full = format!("{owner}.{}", entry.name);
            match entry.what {
                What::Scalar(source) => sensors.push(Sensor {
                    name: full,
                    unit: entry.unit,
                    about: entry.about,
                    source,
                }),
                What::Vector(with, source) => {
                    for (suffix, component) in COMPONENTS {
                        sensors.push(Sensor {
                            name: format!("{full}{suffix}"),
                            unit: entry.unit,
                            about: entry.about,
                            source: with(source, component),
                        });
                    }
                }
            }
        }
    }
    sensors
}

const COMPONENTS: [(&str, Component); 3] =
    [("", Component::Magnitude), (".x", Component::X), (".y", Component::Y)];

/// Finds an output by name.
pub fn resolve(model: &Model, name: &str) -> Result<Sensor, UnknownOutput> {
    let mut owners = owners(model);
    // Outputs of a clearance joint stay valid when the joint is made ideal.
    for (i, joint) in model.joints.iter().enumerate() {
        if joint.kind == JointKind::Revolute && joint.clearance.is_none() {
            owners.push((joint.name.clone(), contact_entries(i)));
        }
    }
    // The longest owner that starts the name: `rod.small_end` before `rod`.
    let mut best: Option<&str> = None;
    for (owner, _) in &owners {
        let fits = name.strip_prefix(owner.as_str()).is_some_and(|rest| rest.starts_with('.'));
        if fits && best.is_none_or(|b| owner.len() > b.len()) {
            best = Some(owner);
        }
    }
    let Some(owner) = best else { return Err(unknown_owner(&owners, name)) };
    let rest = &name[owner.len() + 1..];
    for (_, entries) in owners.iter().filter(|(o, _)| o == owner) {
        for entry in entries {
            if let Some(source) = source_of(entry, rest) {
                let (unit, about) = (entry.unit, entry.about);
                return Ok(Sensor { name: name.to_owned(), unit, about, source });
            }
        }
    }
    Err(unknown_quantity(&owners, owner, name))
}

fn source_of(entry: &Entry, rest: &str) -> Option<Source> {
    let suffix = rest.strip_prefix(entry.name)?;
    match entry.what {
        What::Scalar(source) => suffix.is_empty().then_some(source),
        What::Vector(with, source) => {
            let component = COMPONENTS.iter().find(|(s, _)| *s == suffix)?.1;
            Some(with(source, component))
        }
    }
}

fn unknown_owner(owners: &[(String, Vec<Entry>)], name: &str) -> UnknownOutput {
    let first = name.split('.').next().unwrap_or(name);
    let mut candidates: Vec<String> =
        owners.iter().map(|(o, _)| o.split('.').next().unwrap_or(o).to_owned()).collect();
    candidates.sort();
    candidates.dedup();
    UnknownOutput {
        part: 0..first.len(),
        message: format!("`{first}` is no body, joint, driver or force of this model"),
        candidates,
    }
}

fn unknown_quantity(owners: &[(String, Vec<Entry>)], owner: &str, name: &str) -> UnknownOutput {
    let mut candidates = Vec::new();
    for (other, entries) in owners {
        if other == owner {
            for entry in entries {
                candidates.push(entry.name.to_owned());
                if let What::Vector(..) = entry.what {
                    candidates.extend([".x", ".y"].map(|c| format!("{}{c}", entry.name)));
                }
            }
        } else if let Some(frame) = other.strip_prefix(owner).and_then(|r| r.strip_prefix('.')) {
            candidates.push(frame.to_owned());
        }
    }
    let rest = &name[owner.len() + 1..];
    UnknownOutput {
        part: owner.len() + 1..name.len(),
        message: format!("`{owner}` has no output `{rest}`"),
        candidates,
    }
}

fn owners(model: &Model) -> Vec<(String, Vec<Entry>)> {
    let mut owners = Vec::new();
    for (i, body) in model.bodies.iter().enumerate() {
        if i > 0 {
            let mut entries = place_entries(place(model, i, &Frame::identity()));
            entries.push(scalar(
                "kinetic_energy",
                "J",
                "kinetic energy of the body",
                Source::KineticEnergyOf(i - 1),
            ));
            owners.push((body.name.clone(), entries));
        }
        for marker in model.markers.iter().filter(|m| m.body.0 == i && i > 0) {
            if let Some(name) = &marker.name {
                let owner = format!("{}.{name}", body.name);
                if owners.iter().all(|(o, _)| *o != owner) {
                    owners.push((owner, place_entries(place(model, i, &marker.local))));
                }
            }
        }
        let owner = format!("{}.centre", body.name);
        if i > 0 && owners.iter().all(|(o, _)| *o != owner) {
            let centre = Frame { p: body.centre, ..Frame::identity() };
            owners.push((owner, place_entries(place(model, i, &centre))));
        }
    }
    for (i, joint) in model.joints.iter().enumerate() {
        let mut entries = joint_entries(i, joint.kind);
        if joint.clearance.is_some() {
            entries.extend(contact_entries(i));
        }
        owners.push((joint.name.clone(), entries));
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

fn place(model: &Model, body: usize, local: &Frame) -> Attachment {
    let angle = local.planar_angle();
    let (sin, cos) = angle.sin_cos();
    let offset = local.p - model.bodies[body].centre;
    Attachment { body, offset, angle, turn: (cos, sin) }
}

fn scalar(name: &'static str, unit: &'static str, about: &'static str, source: Source) -> Entry {
    Entry { name, unit, about, what: What::Scalar(source) }
}

fn vector(
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    with: fn(Source, Component) -> Source,
    source: Source,
) -> Entry {
    Entry { name, unit, about, what: What::Vector(with, source) }
}

fn place_entries(at: Attachment) -> Vec<Entry> {
    use PlaceQuantity::*;
    let any = |quantity| Source::Place(at, quantity);
    let with: fn(Source, Component) -> Source = |source, component| match source {
        Source::Place(at, Position(_)) => Source::Place(at, Position(component)),
        Source::Place(at, Velocity(_)) => Source::Place(at, Velocity(component)),
        Source::Place(at, Acceleration(_)) => Source::Place(at, Acceleration(component)),
        other => other,
    };
    let m = Component::Magnitude;
    vec![
        vector("position", "m", "position in world axes", with, any(Position(m))),
        vector("velocity", "m/s", "velocity in world axes", with, any(Velocity(m))),
        vector("acceleration", "m/s^2", "acceleration in world axes", with, any(Acceleration(m))),
        scalar("angle", "rad", "angle from the world's x axis, counted over turns", any(Angle)),
        scalar("angular_velocity", "rad/s", "angular velocity", any(AngularVelocity)),
        scalar("angular_acceleration", "rad/s^2", "angular acceleration", any(AngularAcceleration)),
    ]
}

fn joint_entries(i: usize, kind: JointKind) -> Vec<Entry> {
    use JointQuantity::*;
    let any = |quantity| Source::Joint(i, quantity);
    let with: fn(Source, Component) -> Source = |source, component| match source {
        Source::Joint(i, _) => Source::Joint(i, Reaction(component)),
        other => other,
    };
    let reaction = Reaction(Component::Magnitude);
    let mut entries =
        vec![vector("reaction", "N", "force of the joint on its second side", with, any(reaction))];
    if matches!(kind, JointKind::Prismatic | JointKind::Fixed) {
        let about = "torque of the joint on its second side";
        entries.push(scalar("reaction_torque", "N m", about, any(ReactionTorque)));
    }
    if matches!(kind, JointKind::Revolute | JointKind::PointOnLine) {
        entries.push(scalar("angle", "rad", "angle of the second side to the first", any(Angle)));
        entries.push(scalar("angular_velocity", "rad/s", "its rate", any(AngularVelocity)));
    }
    if matches!(kind, JointKind::Prismatic | JointKind::PointOnLine) {
        let about = "displacement of the second side along the first";
        entries.push(scalar("displacement", "m", about, any(Displacement)));
        entries.push(scalar("velocity", "m/s", "its rate", any(Velocity)));
    }
    entries
}

fn contact_entries(i: usize) -> Vec<Entry> {
    use ContactQuantity::*;
    let any = |quantity| Source::Contact(i, quantity);
    let with: fn(Source, Component) -> Source = |source, component| match source {
        Source::Contact(i, Force(_)) => Source::Contact(i, Force(component)),
        Source::Contact(i, Eccentricity(_)) => Source::Contact(i, Eccentricity(component)),
        other => other,
    };
    let m = Component::Magnitude;
    vec![
        vector("contact_force", "N", "contact force on the journal", with, any(Force(m))),
        scalar("normal_force", "N", "normal contact force", any(Normal)),
        scalar("friction_force", "N", "friction force along the tangent", any(Friction)),
        scalar("indentation", "m", "indentation, negative while apart", any(Indentation)),
        scalar("indentation_rate", "m/s", "rate of indentation", any(IndentationRate)),
        vector(
            "eccentricity",
            "m",
            "journal centre in axes of the bearing",
            with,
            any(Eccentricity(m)),
        ),
        scalar("sliding_velocity", "m/s", "sliding velocity of the surfaces", any(Sliding)),
        scalar("contact", "", "1 in contact, 0 apart", any(InContact)),
    ]
}

fn driver_entries(model: &Model, i: usize) -> Vec<Entry> {
    use DriverQuantity::*;
    let any = |quantity| Source::Driver(i, quantity);
    let turns = model.joints[model.drivers[i].joint.0].kind == JointKind::Revolute;
    let mut entries = if turns {
        vec![
            scalar("torque", "N m", "torque of the driver on the second side", any(Load)),
            scalar("angle", "rad", "prescribed angle", any(Value)),
            scalar("angular_velocity", "rad/s", "prescribed angular velocity", any(Rate)),
        ]
    } else {
        vec![
            scalar("force", "N", "force of the driver on the second side", any(Load)),
            scalar("displacement", "m", "prescribed displacement", any(Value)),
            scalar("velocity", "m/s", "prescribed velocity", any(Rate)),
        ]
    };
    entries.push(scalar(
        "power",
        "W",
        "power of the driver, positive when it does work",
        any(Power),
    ));
    entries
}

fn force_entries(i: usize, kind: &ForceKind) -> Vec<Entry> {
    use ForceQuantity::*;
    let any = |quantity| Source::Force(i, quantity);
    let mut entries = match kind {
        ForceKind::Point { .. } => vec![scalar("force", "N", "magnitude of the force", any(Value))],
        ForceKind::Spring { .. } => {
            vec![scalar("force", "N", "force of the spring, positive in compression", any(Value))]
        }
        ForceKind::Torque { .. } | ForceKind::TorsionSpring { .. } => {
            vec![scalar("torque", "N m", "torque on the second side", any(Value))]
        }
    };
    entries.push(scalar("power", "W", "power that is not stored", any(Power)));
    if matches!(kind, ForceKind::Spring { .. } | ForceKind::TorsionSpring { .. }) {
        entries.push(scalar("energy", "J", "stored energy", any(Energy)));
    }
    entries
}

fn system_entries() -> Vec<Entry> {
    vec![
        scalar("kinetic_energy", "J", "kinetic energy of all bodies", Source::KineticEnergy),
        scalar("potential_energy", "J", "energy of gravity and springs", Source::PotentialEnergy),
    ]
}
