//! From the sections of a file to a mechanism: names become indices.
//!
//! What cannot be resolved is left out and remembered as broken, so that its users stay silent:
//! one mistake gives one message.

mod analysis;
mod bushings;
mod carried;
mod dh;
mod drivers;
mod effort;
mod erls;
mod forces;
mod functions;
mod instants;
mod lines;
mod method;
mod outputs;
mod patterns;
mod pictures;
mod poses;
mod pressures;
mod run;
mod small_motions;
mod stiffening;
mod vibration;
mod when;

use crate::source::Span;
use std::collections::{HashMap, HashSet};

use gudgeon::math::spatial::Frame;
use gudgeon::model::{
    Body, BodyCoordinates, BodyId, Cut, Joint, JointId, Marker, MarkerId, Model, Placement, Space,
    Start,
};
use gudgeon::time::TimeFunction;
use nalgebra::{Matrix3, Vector3};

use crate::diagnostic::Diagnostic;
use crate::reader::{At, Context, suggest};
use crate::run::RunSection;
use crate::spec::Spec;
use crate::spec::bodies::{BodySpec, GROUND};
use crate::spec::dh::Convention;
use crate::spec::joints::JointSpec;

/// A speed law of a driver, whose integral is prepared once the length of the run is known.
struct SpeedLaw {
    driver: usize,
    start: f64,
    speed: TimeFunction,
    span: Span,
}

struct Builder<'s> {
    model: Model,
    bodies: HashMap<&'s str, BodyId>,
    frames: HashMap<(BodyId, &'s str), MarkerId>,
    origins: HashMap<BodyId, MarkerId>,
    joints: HashMap<&'s str, JointId>,
    speeds: Vec<SpeedLaw>,
    /// What rows of Denavit and Hartenberg mean.
    convention: Convention,
    /// Parameters of forces that follow functions which are not built yet.
    pending: Vec<functions::Pending>,
    /// Frames (as `body.frame`), joints, drivers and forces that are named but in error.
    broken: HashSet<String>,
    /// Whether a driver is among them.
    broken_driver: bool,
}

/// Builds the model and its run; `name` is the title of a file without one.
pub(crate) fn build(
    cx: &mut Context<'_>,
    spec: &Spec<'_>,
    name: &str,
) -> (Model, Option<RunSection>) {
    let mut builder = Builder::new(cx.space, spec, name);
    for body in &spec.bodies {
        builder.add_body(body, spec.start.bodies.get(&body.name.text).copied().unwrap_or_default());
    }
    for joint in &spec.joints {
        let offset = spec.start.offsets.get(&joint.name.text).map(|offset| offset.value);
        if builder.add_joint(cx, joint, offset.unwrap_or_default()).is_none() {
            builder.broken.insert(joint.name.text.clone());
        }
    }
    builder.check_dh(cx, spec);
    builder.check_cuts(cx, spec);
    for driver in &spec.drivers {
        if builder.add_driver(cx, driver).is_none() {
            builder.broken.insert(driver.name.text.clone());
            builder.broken_driver = true;
        }
    }
    for force in &spec.forces {
        if builder.add_force(cx, force).is_none() {
            builder.broken.insert(force.name.text.clone());
        }
    }
    builder.check_cables(cx, spec);
    builder.check_erls(cx, spec);
    builder.check_stiffening(cx, spec);
    builder.add_functions(cx);
    builder.add_outputs(cx, &spec.outputs);
    let run = builder.run(cx, spec);
    (builder.model, run)
}

impl<'s> Builder<'s> {
    fn new(space: Space, spec: &'s Spec<'_>, name: &str) -> Self {
        let ground = Body {
            name: GROUND.into(),
            mass: None,
            inertia: None,
            centre: Vector3::zeros(),
            coordinates: spec.model.coordinates,
            flexible: None,
            start: Start::default(),
        };
        let model = Model {
            name: spec.model.name.clone().unwrap_or_else(|| name.into()),
            space,
            gravity: spec.model.gravity,
            bodies: vec![ground],
            markers: Vec::new(),
            joints: Vec::new(),
            drivers: Vec::new(),
            forces: Vec::new(),
            functions: Vec::new(),
            varying: Vec::new(),
            outputs: Vec::new(),
            links: Vec::new(),
            coordinates: spec.model.motion_in,
            rigid_links: Vec::new(),
            interfaces: Vec::new(),
        };
        Self {
            model,
            bodies: HashMap::from([(GROUND, BodyId::GROUND)]),
            frames: HashMap::new(),
            origins: HashMap::new(),
            joints: HashMap::new(),
            speeds: Vec::new(),
            convention: spec.model.convention.unwrap_or(Convention::Standard),
            pending: Vec::new(),
            broken: HashSet::new(),
            broken_driver: false,
        }
    }

    fn add_body(&mut self, spec: &'s BodySpec, start: Start) {
        let id = if spec.is_ground() { BodyId::GROUND } else { BodyId(self.model.bodies.len()) };
        if !spec.is_ground() {
            self.bodies.insert(&spec.name.text, id);
            self.model.bodies.push(Body {
                name: spec.name.text.clone(),
                mass: spec.mass,
                inertia: spec.inertia,
                centre: spec.centre,
                coordinates: match spec.flexible {
                    // Links that bend have coordinates of their own.
                    Some(_) => BodyCoordinates::Absolute,
                    None => spec.coordinates.unwrap_or(self.model.bodies[0].coordinates),
                },
                flexible: spec.flexible.clone(),
                start,
            });
        }
        for frame in &spec.frames {
            let marker = self.add_marker(Some(frame.name.text.clone()), id, frame.local);
            self.frames.insert((id, &frame.name.text), marker);
        }
        for frame in &spec.broken_frames {
            self.broken.insert(format!("{}.{frame}", spec.name.text));
        }
        // What only links that bend have is not missed in one that could not be read.
        if spec.broken_link {
            self.broken.insert(spec.name.text.clone());
        }
    }

    fn add_marker(&mut self, name: Option<String>, body: BodyId, local: Frame) -> MarkerId {
        self.model.markers.push(Marker { name, body, local });
        MarkerId(self.model.markers.len() - 1)
    }

    /// The marker of `body.frame`, or the origin of a bare `body`.
    fn marker(&mut self, cx: &mut Context<'_>, reference: At<&str>) -> Option<MarkerId> {
        let (body_name, frame) = match reference.value.split_once('.') {
            Some((body, frame)) => (body, Some(frame)),
            None => (reference.value, None),
        };
        let Some(&body) = self.bodies.get(body_name) else {
            let message = format!("there is no body `{body_name}`");
            let diagnostic = Diagnostic::error("G0112", message).at(reference.span, "not known");
            let names = self.model.bodies.iter().map(|body| body.name.as_str());
            cx.report_searched(diagnostic, || suggest(body_name, names));
            return None;
        };
        let Some(frame) = frame else {
            if let Some(&marker) = self.origins.get(&body) {
                return Some(marker);
            }
            let marker = self.add_marker(None, body, Frame::identity());
            self.origins.insert(body, marker);
            return Some(marker);
        };
        let marker = self.frames.get(&(body, frame)).copied();
        if marker.is_none() && !self.broken.contains(reference.value) {
            self.report_unknown_frame(cx, reference, body, (body_name, frame));
        }
        marker
    }

    fn report_unknown_frame(
        &self,
        cx: &mut Context<'_>,
        reference: At<&str>,
        body: BodyId,
        (body_name, frame): (&str, &str),
    ) {
        let help = || {
            let own = self.model.markers.iter().filter(|marker| marker.body == body);
            let full: Vec<String> = own
                .filter_map(|marker| Some(format!("{body_name}.{}", marker.name.as_ref()?)))
                .collect();
            match full.as_slice() {
                [] => format!(
                    "write `{body_name}` for its origin, or `frames.{frame} = …` below `[bodies.{body_name}]`"
                ),
                _ => suggest(reference.value, full.iter().map(String::as_str)),
            }
        };
        let message = format!("body `{body_name}` has no frame `{frame}`");
        let diagnostic = Diagnostic::error("G0112", message).at(reference.span, "not known");
        cx.report_searched(diagnostic, help);
    }

    fn add_joint(
        &mut self,
        cx: &mut Context<'_>,
        spec: &'s JointSpec<'_>,
        offset: Vector3<f64>,
    ) -> Option<JointId> {
        let [a, b] = spec.between?;
        let (marker_a, marker_b) = (self.marker(cx, a), self.marker(cx, b));
        let (mut marker_a, mut marker_b, kind) = (marker_a?, marker_b?, spec.kind?);
        self.check_two_bodies(cx, &format!("joint `{}`", spec.name.text), [marker_a, marker_b], b)?;
        if let Some((row, _)) = &spec.dh {
            [marker_a, marker_b] = self.by_row([marker_a, marker_b], row.as_ref()?);
        }
        let marker_a = self.turned(marker_a, spec.turned[0]);
        let marker_b = self.turned(marker_b, spec.turned[1]);
        let id = JointId(self.model.joints.len());
        self.joints.insert(&spec.name.text, id);
        self.model.joints.push(Joint {
            name: spec.name.text.clone(),
            kind,
            a: marker_a,
            b: marker_b,
            clearance: spec.clearance.clone(),
            friction: spec.friction.clone(),
            start_offset: if spec.clearance.is_some() { offset } else { Vector3::zeros() },
            bearing_length: spec.bearing_length,
            cut: match spec.cut {
                None => Cut::AsChosen,
                Some((true, _)) => Cut::Requested,
                Some((false, _)) => Cut::Refused,
            },
            placement: match spec.dh {
                Some(_) => Placement::AtZero,
                None => Placement::Nearest,
            },
        });
        Some(id)
    }

    /// A copy of a marker with turned axes; the marker itself without a turn.
    fn turned(&mut self, marker: MarkerId, turn: Option<Matrix3<f64>>) -> MarkerId {
        let Some(turn) = turn else { return marker };
        let Marker { body, local, .. } = self.model.markers[marker.0];
        self.add_marker(None, body, Frame { p: local.p, r: local.r * turn })
    }

    fn check_two_bodies(
        &self,
        cx: &mut Context<'_>,
        owner: &str,
        [a, b]: [MarkerId; 2],
        place: At<&str>,
    ) -> Option<()> {
        let body = self.model.markers[a.0].body;
        if body != self.model.markers[b.0].body {
            return Some(());
        }
        let message = format!("{owner} connects a body to itself");
        let label = format!("also on `{}`", self.model.bodies[body.0].name);
        let help = "`between` takes frames of two different bodies";
        cx.report(Diagnostic::error("G0514", message).at(place.span, label).help(help));
        None
    }

    /// A joint by name; silent where the joint itself is in error.
    fn joint(&self, cx: &mut Context<'_>, name: At<&str>) -> Option<JointId> {
        let joint = self.joints.get(name.value).copied();
        if joint.is_none() && !self.broken.contains(name.value) {
            let message = format!("there is no joint `{}`", name.value);
            let diagnostic = Diagnostic::error("G0112", message).at(name.span, "not known");
            let names = self.model.joints.iter().map(|joint| &joint.name[..]);
            cx.report_searched(diagnostic, || suggest(name.value, names));
        }
        joint
    }
}
