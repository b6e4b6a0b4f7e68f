//! Drivers: from angle, speed or displacement to the motion of a joint.

use gudgeon::model::{Coordinate, Driver, DriverId, JointId, JointKind};
use gudgeon::time::TimeFunction;

use super::{Builder, SpeedLaw};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::integral::integrate;
use crate::keys::MOTIONS;
use crate::reader::{Context, Reader, listed};
use crate::source::Span;
use crate::spec::drivers::DriverSpec;
use crate::tree::Node;
use crate::units::Dimension;
use crate::values;

/// Time for which integrals of speeds are prepared at first, s.
pub(super) const FIRST_HORIZON: f64 = 1.0;
const MOMENT: f64 = 1e-6;

impl Builder<'_> {
    pub(super) fn add_driver(
        &mut self,
        cx: &mut Context<'_>,
        spec: &DriverSpec<'_>,
    ) -> Option<DriverId> {
        let reader = spec.reader.as_ref()?;
        reader.text(cx, "about");
        let key = reader.exactly_one(cx, MOTIONS);
        let name = reader.text(cx, "joint")?;
        let joint = self.joint(cx, name)?;
        self.check_drivable(cx, joint, name.span)?;
        let key = key?;
        let coordinate = self.coordinate(cx, reader, key, joint)?;
        self.check_undriven(cx, joint, coordinate, name.span)?;
        let motion = self.motion(cx, reader, key, joint, coordinate)?;
        let name = spec.name.text.clone();
        self.model.drivers.push(Driver { name, joint, coordinate, motion });
        Some(DriverId(self.model.drivers.len() - 1))
    }

    fn check_drivable(&self, cx: &mut Context<'_>, id: JointId, span: Span) -> Option<()> {
        let joint = &self.model.joints[id.0];
        if !joint.kind.free(self.model.space).is_empty() {
            return Some(());
        }
        let what = if joint.kind == JointKind::Fixed { "is fixed" } else { "keeps a distance" };
        let message = format!("joint `{}` {what} and cannot be driven", joint.name);
        cx.report(
            Diagnostic::error("G0601", message)
                .at(span, "has no motion")
                .help("drive a joint that turns or slides, or change `type`"),
        );
        None
    }

    /// One driver for each freedom: the angle of a screw is also its displacement.
    fn check_undriven(
        &self,
        cx: &mut Context<'_>,
        id: JointId,
        coordinate: Coordinate,
        span: Span,
    ) -> Option<()> {
        let joint = &self.model.joints[id.0];
        let is_screw = matches!(joint.kind, JointKind::Screw { .. });
        let same =
            |driver: &&Driver| driver.joint == id && (is_screw || driver.coordinate == coordinate);
        let Some(other) = self.model.drivers.iter().find(same) else { return Some(()) };
        let message = match joint.kind.free(self.model.space) {
            [_] => format!("joint `{}` has two drivers", joint.name),
            _ if is_screw => format!("joint `{}` has two drivers, but one freedom", joint.name),
            _ => format!("the {} of joint `{}` has two drivers", described(coordinate), joint.name),
        };
        let label = format!("already driven by `{}`", other.name);
        cx.report(
            Diagnostic::error("G0604", message).at(span, label).help("remove one of the two"),
        );
        None
    }

    /// The coordinate that `angle`, `displacement` or `speed` and `direction` mean.
    fn coordinate(
        &self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        key: &str,
        id: JointId,
    ) -> Option<Coordinate> {
        let joint = &self.model.joints[id.0];
        let free = joint.kind.free(self.model.space);
        let (key_name, node) = reader.entry(key)?;
        let turns = match key {
            "angle" => true,
            "displacement" => false,
            _ => speed_turns(cx, node, free),
        };
        let fitting: Vec<Coordinate> =
            free.iter().copied().filter(|coordinate| coordinate.is_angle() == turns).collect();
        if fitting.is_empty() {
            let (kind, wanted) =
                if turns { ("slides", "displacement") } else { ("turns", "angle") };
            let message = format!("joint `{}` {kind}: it has no `{key}`", joint.name);
            let diagnostic = Diagnostic::error("G0602", message)
                .at(key_name.span, "wrong kind of motion")
                .help(format!("use `{wanted}` or `speed`"));
            cx.report(diagnostic);
            return None;
        }
        let direction = match reader.get("direction") {
            Some(_) => Some(reader.choice(cx, "direction")?),
            None => None,
        };
        let found = match (direction, &fitting[..]) {
            (None, [one]) => Some(*one),
            (None, _) => None,
            (Some(given), _) => fitting.iter().copied().find(|c| letter(*c) == given.value),
        };
        if found.is_none() {
            let place = match direction {
                Some(direction) => (direction.span, "not one of them"),
                None => (key_name.span, "which one?"),
            };
            report_directions(cx, &joint.name, &fitting, place);
        }
        found
    }

    fn motion(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        key: &str,
        id: JointId,
        coordinate: Coordinate,
    ) -> Option<TimeFunction> {
        if key != "speed" {
            self.refuse_start(cx, reader, key);
            return reader.function(cx, key);
        }
        let (position, rate) = dimensions(coordinate.is_angle());
        let start = match reader.get("start") {
            Some(_) => reader.quantity_in(cx, "start", position).map(|start| start.value),
            None => Some(self.start_of(id, coordinate)),
        };
        let node = reader.get(key)?;
        let speed = values::function(cx, "speed", node, rate);
        let (start, speed) = (start?, speed?);
        if !matches!(speed, TimeFunction::Constant(_)) {
            let (driver, span) = (self.model.drivers.len(), node.span);
            self.speeds.push(SpeedLaw { driver, start, speed: speed.clone(), span });
        }
        // Until the end of the run is known, a moment must do.
        Some(integrate(start, speed, MOMENT).function)
    }

    fn refuse_start(&self, cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) {
        if let Some((name, _)) = reader.entry("start") {
            let message = format!("`start` has no meaning with `{key}`");
            let diagnostic = Diagnostic::error("G0603", message)
                .at(name.span, format!("the value of `{key}` at t = 0 is the start"))
                .help("remove `start`");
            cx.report(diagnostic);
        }
    }
}

/// Of a position and of its rate.
fn dimensions(turns: bool) -> (Dimension, Dimension) {
    match turns {
        true => (Dimension::ANGLE, Dimension::ANGULAR_SPEED),
        false => (Dimension::LENGTH, Dimension::SPEED),
    }
}

/// Whether a speed is angular; where the joint both turns and slides its dimension decides.
fn speed_turns(cx: &Context<'_>, node: &Node, free: &[Coordinate]) -> bool {
    let main = free.first().is_none_or(|coordinate| coordinate.is_angle());
    if free.iter().all(|coordinate| coordinate.is_angle() == main) {
        return main;
    }
    let mut unheard = Diagnostics::new();
    let mut fits = |turns: bool| {
        let mut cx = Context {
            diagnostics: &mut unheard,
            parameters: cx.parameters,
            ideal: cx.ideal,
            space: cx.space,
            links: cx.links,
            files: cx.files,
        };
        values::function(&mut cx, "speed", node, dimensions(turns).1).is_some()
    };
    if !fits(main) && fits(!main) { !main } else { main }
}

fn letter(coordinate: Coordinate) -> &'static str {
    match coordinate {
        Coordinate::AngleX | Coordinate::X => "x",
        Coordinate::AngleY | Coordinate::Y => "y",
        Coordinate::AngleZ | Coordinate::Z | Coordinate::Angle => "z",
    }
}

fn described(coordinate: Coordinate) -> String {
    let kind = if coordinate.is_angle() { "angle about" } else { "displacement along" };
    format!("{kind} {}", letter(coordinate))
}

fn report_directions(
    cx: &mut Context<'_>,
    joint: &str,
    fitting: &[Coordinate],
    (place, label): (Span, &str),
) {
    let letters: Vec<&str> = fitting.iter().map(|coordinate| letter(*coordinate)).collect();
    let (what, word) =
        if fitting[0].is_angle() { ("angle", "about") } else { ("displacement", "along") };
    let (message, help) = match fitting {
        [one] => {
            let message = format!("joint `{joint}` has one {what} only, {word} {}", letter(*one));
            (message, "remove `direction`".to_string())
        }
        _ => {
            let message = format!("joint `{joint}` has several {what}s: {word} which axis?");
            (message, format!("give `direction`, one of {}", listed(&letters)))
        }
    };
    cx.report(Diagnostic::error("G0605", message).at(place, label).help(help));
}
