//! A mechanism that is read and assembled, not run: pose, mobility, warnings, outputs.

use gudgeon::assembly::{
    Assembly, AssemblyError, BodyPose, Foresight, Requested, StartTilt, foresee,
};
use gudgeon::beam::Beam;
use gudgeon::flexible::{AncfElement, Flexible, Method};
use gudgeon::model::{Body, Model, Space};
use gudgeon::results::Warning;
use gudgeon::sensor::{Sensor, catalogue};
use gudgeon::simulate::{of_laws, of_start, of_tables};
use gudgeon_model::{Analysis, Loaded, Overrides};
use gudgeon_output::record::{
    self, CheckRecord, Departure, FlexibleLink, IdealMotion, Lock, ModelCounts, OutputInfo, Pose,
    Status, Tilt, Turn,
};

use crate::refusal::Refusal;
use crate::run::{parameters, taken, warnings};
use crate::source::Source;

/// A mechanism that was assembled.
#[derive(Debug)]
pub struct Checked {
    pub loaded: Loaded,
    pub assembly: Assembly,
    /// What is known of its motion before it is run.
    pub foresight: Foresight,
    pub warnings: Vec<Warning>,
}

impl Checked {
    pub fn new(source: &Source, overrides: &Overrides) -> Result<Checked, Refusal> {
        let (loaded, assembly) = source.assemble(overrides)?;
        let foresight = foresee(&loaded.model, loaded.run.latest_end());
        let mut warnings = [of_start(&assembly), of_laws(&assembly), foresight.warnings()].concat();
        warnings.extend(of_tables(&assembly));
        if loaded.analysis == Analysis::Motion {
            warnings.extend(foresight.refused.as_ref().map(no_ideal));
        }
        Ok(Checked { loaded, assembly, foresight, warnings })
    }

    /// As scripts read it, with everything that a run can report where `outputs` asks for it.
    pub fn record(&self, outputs: bool) -> CheckRecord {
        let (model, assembly) = (&self.loaded.model, &self.assembly);
        let mut warnings = warnings(&self.loaded);
        warnings.extend(self.warnings.iter().map(record::Warning::from));
        CheckRecord {
            status: Status::Ok,
            model: ModelCounts {
                name: model.name.clone(),
                bodies: model.bodies.len() - 1,
                joints: model.joints.len(),
                drivers: model.drivers.len(),
                forces: model.forces.len(),
            },
            parameters: parameters(&self.loaded.parameters),
            assembly: record::Assembly::new(assembly),
            pose: assembly.poses().iter().map(|p| pose(model, p)).collect(),
            warnings,
            start: assembly.departures().iter().map(departure).collect(),
            flexible: self.flexible(),
            coordinates: taken(&self.loaded),
            joint_coordinates: self.joint_coordinates(),
            equivalent_rigid: self.equivalent_rigid(),
            tilts: assembly.tilts().iter().map(|one| tilt(model, one)).collect(),
            outputs: outputs
                .then(|| catalogue(model).iter().map(|s| output(assembly, s)).collect()),
            ideal_motion: self.ideal_motion(),
        }
    }

    /// What joint coordinates chose, where the motion is integrated in them.
    pub fn joint_coordinates(&self) -> Option<record::JointCoordinates> {
        let found = self.assembly.system.joint_coordinates()?;
        let cut = found.cut.into_iter().map(|cut| (cut.joint, cut.why.to_owned()));
        Some(record::JointCoordinates {
            unknown: found.unknown,
            rows: found.rows,
            known: found.known,
            cut: cut.collect(),
            free: found.free,
        })
    }

    /// What links of method `erls` are measured against.
    pub fn equivalent_rigid(&self) -> Option<record::EquivalentRigid> {
        let found = self.assembly.system.equivalent_rigid()?;
        Some(record::EquivalentRigid {
            kutzbach: found.kutzbach,
            independent: found.independent,
            dependent: found.dependent,
            driven: found.driven,
            zeroed: found.zeroed,
            condition: found.condition,
            elastic: found.elastic,
        })
    }

    /// Flexible links and how they are divided.
    pub fn flexible(&self) -> Vec<FlexibleLink> {
        let model = &self.loaded.model;
        let link = |(body, link): (&Body, &Flexible)| {
            let (method, element, elasticity) = match link.method {
                Method::Ancf { element: AncfElement::Beam, elasticity } => {
                    ("ancf", "beam", Some(elasticity.name().to_owned()))
                }
                Method::Ancf { element: AncfElement::Cable, .. } => ("ancf", "cable", None),
                Method::Rfem { .. } => ("rfem", "rigid", None),
                Method::Rigid if self.loaded.analysis == Analysis::Ked => ("ked", "frame", None),
                Method::Rigid => ("rigid", "frame", None),
                Method::Floating(_) => ("floating", "finite", None),
                Method::Erls(_) => ("erls", "finite", None),
            };
            let coordinates = match (link.method, model.space) {
                (Method::Ancf { .. }, space) => Beam::new(link, space).size(),
                (Method::Rigid, _) => 3 * (link.elements + 1),
                (Method::Rfem { .. }, Space::Planar) => 3 * link.elements,
                (Method::Rfem { .. }, Space::Spatial) => 7 * link.elements,
                (Method::Erls(_), Space::Planar) => 3 * (link.elements + 1),
                (Method::Erls(_), Space::Spatial) => 6 * (link.elements + 1),
                (Method::Floating(_), Space::Planar) => 3 + 3 * link.elements,
                (Method::Floating(_), Space::Spatial) => 7 + 6 * link.elements,
            };
            let fastest = link.fastest(model.space);
            FlexibleLink {
                name: body.name.clone(),
                method: method.to_owned(),
                element: element.to_owned(),
                elasticity,
                elements: link.elements,
                coordinates,
                length: link.length(),
                mass: link.mass_properties(model.space).mass,
                fastest: fastest.map(|(speed, _)| speed),
                fastest_in: fastest.map(|(_, what)| what.to_owned()),
            }
        };
        let bodies = model.bodies.iter();
        bodies.filter_map(|body| Some((body, body.flexible.as_deref()?))).map(link).collect()
    }

    /// How far the ideal mechanism was followed, and where it locks.
    fn ideal_motion(&self) -> Option<IdealMotion> {
        let lock = self.foresight.lock.as_ref();
        let locks = lock.map(|lock| Lock {
            t: lock.time,
            driver: lock.driver.clone(),
            position: lock.position,
            unit: lock.unit.to_string(),
        });
        self.foresight.followed.map(|followed_to| IdealMotion { followed_to, locks })
    }
}

/// A mechanism that only its clearances let start.
fn no_ideal(error: &AssemblyError) -> Warning {
    Warning {
        code: "G1301",
        joint: String::new(),
        message: format!(
            "with ideal joints the mechanism cannot be assembled, so that a run has no baseline to compare with: {error}"
        ),
        help: "a clearance allows what its joint would forbid; if a comparison is wanted, let drivers and dimensions fit ideal joints, else `--no-baseline` skips the attempt".into(),
    }
}

fn output(assembly: &Assembly, sensor: &Sensor) -> OutputInfo {
    OutputInfo {
        name: sensor.name.clone(),
        unit: sensor.unit.to_string(),
        about: sensor.about.to_string(),
        unique: (!sensor.is_unique(assembly)).then_some(false),
    }
}

fn tilt(model: &Model, tilt: &StartTilt) -> Tilt {
    let joint = model.joints[tilt.joint.0].name.clone();
    Tilt { joint, tilt: tilt.tilt, limit: tilt.limit }
}

/// A request of `[start]` that was not met.
fn departure(request: &Requested) -> Departure {
    Departure {
        name: request.owner.clone(),
        quantity: request.quantity.name().to_owned(),
        unit: request.quantity.unit().to_owned(),
        requested: request.requested.clone(),
        assembled: request.assembled.clone(),
        difference: request.difference,
    }
}

fn pose(model: &Model, pose: &BodyPose) -> Pose {
    let (name, p) = (model.bodies[pose.body].name.clone(), &pose.frame.p);
    let (x, y) = (p.x, p.y);
    match model.space {
        Space::Planar => Pose { name, x, y, angle: Some(pose.turn.z), ..Pose::default() },
        Space::Spatial => {
            let turn = Turn { angle: pose.turn.norm(), axis: axis(pose) };
            let quaternion = Some(pose.quaternion);
            Pose { name, x, y, z: Some(p.z), angle: None, turn: Some(turn), quaternion }
        }
    }
}

/// Axis of the rotation, z where there is none.
fn axis(pose: &BodyPose) -> [f64; 3] {
    let angle = pose.turn.norm();
    if angle > 0.0 { (pose.turn / angle).into() } else { [0.0, 0.0, 1.0] }
}
