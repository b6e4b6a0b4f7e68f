//! The motion of a run for its record: key instants of poses and of journals, and what of the mechanism is drawn.

use std::f64::consts::TAU;

use gudgeon::assembly::Assembly;
use gudgeon::math::rotation::quaternion;
use gudgeon::model::{ForceKind, Form, JointKind, Model, Space};
use gudgeon::run::RunSpec;
use gudgeon::simulate::{JOURNAL_SIZE, MotionLayout, MotionPoint};
use gudgeon_output::OutputError;
use gudgeon_output::motion::{
    ClearanceShape, Drawn, Element, JOURNALS, Joint, Journal, Keys, Marker, Mechanism, deflections,
    write_journals, write_motion,
};

use super::recorder::Files;

/// Key instants of a motion and of each journal at most, beside impacts.
const KEYS: usize = 2000;
const JOURNAL_KEYS: usize = 4000;
/// Within which share of its clearance a journal is followed, and of the largest force so far its force.
const PLACE: f64 = 0.005;
const FORCE: f64 = 0.02;
/// Within which share of the largest so far a deflection is followed, where there are keys left for it.
const DEFLECTION: f64 = 0.05;
/// What [`MotionLayout::tolerances`] leaves of the size of the mechanism.
const ERROR: f64 = 1e-3;

/// Chooses the key instants of a run as it goes.
#[derive(Debug)]
pub struct MotionKeys {
    mechanism: Mechanism,
    poses: Keys,
    /// Poses, deflections, forces.
    row: Vec<f64>,
    lines: Vec<Line>,
    journals: Vec<FollowedJournal>,
}

/// A flexible link: its stations, first number of its poses and of its deflections, and the largest of them.
#[derive(Debug)]
struct Line {
    stations: Vec<f64>,
    poses: usize,
    deflections: usize,
    largest: f64,
}

#[derive(Debug)]
struct FollowedJournal {
    keys: Keys,
    largest: f64,
}

impl MotionKeys {
    pub fn new(model: &Model, assembly: &Assembly, spec: &RunSpec) -> MotionKeys {
        let layout = match &spec.ked {
            Some(ked) => MotionLayout::of_vibration(&assembly.system, ked),
            None => MotionLayout::new(&assembly.system),
        };
        let mechanism = mechanism(model, &layout);
        let lines = lines(&layout);
        let deflections: usize = lines.iter().map(|line| line.count(mechanism.axes())).sum();
        let mut tolerances = layout.tolerances.clone();
        tolerances.resize(tolerances.len() + deflections, f64::INFINITY);
        let width = tolerances.len() + mechanism.joints.len() * mechanism.axes();
        let journal = |(_, _, clearance): &(String, usize, f64)| {
            let place = PLACE * clearance.max(1e-12);
            let tolerances = vec![place, place, f64::INFINITY, f64::INFINITY, 0.5];
            let keys = Keys::new(tolerances, JOURNAL_SIZE, JOURNAL_KEYS);
            FollowedJournal { keys, largest: 0.0 }
        };
        MotionKeys {
            mechanism,
            poses: Keys::new(tolerances, width, KEYS).sparing(deflections),
            lines,
            row: vec![0.0; width],
            journals: layout.journals.iter().map(journal).collect(),
        }
    }

    pub fn push(&mut self, t: f64, point: &MotionPoint) {
        let axes = self.mechanism.axes();
        let size = self.mechanism.pose_size();
        self.row[..point.poses.len()].copy_from_slice(&point.poses);
        for line in &mut self.lines {
            let count = line.count(axes);
            let (poses, rest) = self.row.split_at_mut(point.poses.len());
            let out = &mut rest[line.deflections..][..count];
            deflections(&poses[line.poses..], &line.stations, (size, axes), out);
            let now = out.iter().fold(0.0, |most: f64, one| most.max(one.abs()));
            if now > line.largest {
                line.largest = now;
                let first = point.poses.len() + line.deflections;
                (first..first + count).for_each(|i| self.poses.set_tolerance(i, DEFLECTION * now));
            }
        }
        // Joints that hold divided links together are not those of the file.
        let forces = self.mechanism.joints.len() * axes;
        let first = self.row.len() - forces;
        self.row[first..].copy_from_slice(&point.forces[..forces]);
        self.poses.push(t, &self.row);
        for (journal, values) in
            self.journals.iter_mut().zip(point.journals.chunks_exact(JOURNAL_SIZE))
        {
            let force = values[2].hypot(values[3]);
            if force > journal.largest {
                journal.largest = force;
                journal.keys.set_tolerance(2, FORCE * force);
                journal.keys.set_tolerance(3, FORCE * force);
            }
            journal.keys.push(t, values);
        }
    }

    pub fn mark(&mut self) {
        self.poses.mark();
        self.journals.iter_mut().for_each(|journal| journal.keys.mark());
    }

    /// Writes the motion and, where they are asked for, the journals.
    pub fn write(self, files: &Files, name: &str) -> Result<(), OutputError> {
        let Files { disk, folder } = files;
        let MotionKeys { mut mechanism, poses, journals, .. } = self;
        if poses.is_empty() || mechanism.poses() == 0 {
            return Ok(());
        }
        mechanism.error = ERROR * mechanism.size * poses.coarser();
        write_motion(disk, &folder.join(name), &mechanism, poses)?;
        if journals.is_empty() {
            return Ok(());
        }
        let journals = journals.into_iter().map(|journal| journal.keys).collect();
        write_journals(disk, &folder.join(JOURNALS), journals)
    }
}

impl Line {
    /// Numbers of its deflections.
    fn count(&self, axes: usize) -> usize {
        axes * self.stations.len().saturating_sub(2)
    }
}

fn lines(layout: &MotionLayout) -> Vec<Line> {
    let size = MotionLayout::pose_size(layout.space);
    let (mut poses, mut deflections) = (size * layout.bodies.len(), 0);
    let line = |(_, stations): &(usize, Vec<f64>)| {
        let line = Line { stations: stations.clone(), poses, deflections, largest: 0.0 };
        poses += size * stations.len();
        deflections += line.count(layout.space.axes());
        line
    };
    layout.lines.iter().map(line).collect()
}

/// What is drawn of a model whose motion has this layout.
pub(crate) fn mechanism(model: &Model, layout: &MotionLayout) -> Mechanism {
    let body = |body: usize, stations: &[f64]| Drawn {
        name: model.bodies[body].name.clone(),
        centre: model.bodies[body].centre.into(),
        stations: stations.to_vec(),
    };
    let rigid = layout.bodies.iter().map(|i| body(*i, &[]));
    let lines = layout.lines.iter().map(|(i, stations)| body(*i, stations));
    let place = |body: usize| {
        let line = layout.lines.iter().position(|(i, _)| *i == body);
        let line = line.map(|i| layout.bodies.len() + i);
        line.or_else(|| layout.bodies.iter().position(|i| *i == body))
    };
    let marker = |marker: &gudgeon::model::Marker| {
        let flexible = model.bodies[marker.body.0].flexible.as_deref();
        let is_line = layout.lines.iter().any(|(body, _)| *body == marker.body.0);
        let along = flexible.filter(|_| is_line);
        Marker {
            name: marker.name.clone(),
            on: place(marker.body.0),
            position: marker.local.p.into(),
            axes: quaternion(&marker.local.r),
            along: along.map(|link| link.nearest(&marker.local.p)),
        }
    };
    let joint = |(i, joint): (usize, &gudgeon::model::Joint)| Joint {
        name: joint.name.clone(),
        kind: kind(joint.kind).to_owned(),
        a: joint.a.0,
        b: joint.b.0,
        driven: model.drivers.iter().any(|driver| driver.joint.0 == i),
        clearance: joint.clearance.as_ref().map(shape),
    };
    let journal = |(name, joint, clearance): &(String, usize, f64)| Journal {
        name: name.clone(),
        joint: *joint,
        clearance: *clearance,
    };
    let drive = model.drivers.iter().find_map(|driver| Some((turn(driver)?, driver.name.clone())));
    Mechanism {
        period: drive.as_ref().map(|(period, _)| *period),
        drive: drive.map(|(_, name)| name),
        planar: model.space == Space::Planar,
        size: layout.length,
        error: ERROR * layout.length,
        drawn: rigid.chain(lines).collect(),
        markers: model.markers.iter().map(marker).collect(),
        joints: model.joints.iter().enumerate().map(joint).collect(),
        elements: model.forces.iter().filter_map(element).collect(),
        journals: layout.journals.iter().map(journal).collect(),
    }
}

/// Seconds per turn of a driver that turns evenly.
fn turn(driver: &gudgeon::model::Driver) -> Option<f64> {
    let rate = |t: f64| driver.motion.jet(t, 0.5 * t).rate;
    let (first, even) = (rate(0.0), [0.137, 1.9, 41.0].map(rate));
    let is_even = even.iter().all(|one| (one - first).abs() <= 1e-9 * first.abs());
    (driver.coordinate.is_angle() && first != 0.0 && is_even).then(|| TAU / first.abs())
}

fn kind(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Revolute => "revolute",
        JointKind::Prismatic => "prismatic",
        JointKind::Cylindrical => "cylindrical",
        JointKind::Spherical => "spherical",
        JointKind::Universal => "universal",
        JointKind::Planar => "planar",
        JointKind::Fixed => "fixed",
        JointKind::Screw { .. } => "screw",
        JointKind::Distance { .. } => "distance",
        JointKind::PointOnLine => "point-on-line",
        JointKind::PointOnPlane => "point-on-plane",
    }
}

fn shape(clearance: &gudgeon::model::Clearance) -> ClearanceShape {
    let (form, length, width) = match clearance.form {
        Form::Pin => ("pin", 0.0, 0.0),
        Form::Journal { bearing_length, .. } => ("journal", bearing_length, 0.0),
        Form::Ball => ("ball", 0.0, 0.0),
        Form::Guide { length, width } => ("guide", length, width),
    };
    ClearanceShape {
        form: form.to_owned(),
        bearing_radius: clearance.bearing_radius,
        radial: clearance.radial,
        length,
        width,
        film: clearance.film.is_some(),
    }
}

fn element(force: &gudgeon::model::Force) -> Option<Element> {
    let (kind, a, b) = match &force.kind {
        ForceKind::Spring { a, b, .. } => ("spring", a, b),
        ForceKind::TorsionSpring { a, b, .. } => ("torsion-spring", a, b),
        ForceKind::Bushing { a, b, .. } => ("bushing", a, b),
        ForceKind::Torque { on, against, .. } => ("torque", against, on),
        ForceKind::Point { at, .. } => ("force", at, at),
        ForceKind::Distributed { .. } => return None,
    };
    Some(Element { name: force.name.clone(), kind: kind.to_owned(), a: a.0, b: b.0 })
}
