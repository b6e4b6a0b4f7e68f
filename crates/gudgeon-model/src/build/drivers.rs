//! Drivers: from angle, speed or displacement to the motion of a joint.

use gudgeon::model::{Driver, DriverId, Joint, JointId, JointKind};
use gudgeon::time::TimeFunction;

use super::{Builder, SpeedLaw};
use crate::diagnostic::Diagnostic;
use crate::integral::integrate;
use crate::keys::MOTIONS;
use crate::reader::{Context, Reader};
use crate::source::Span;
use crate::spec::drivers::DriverSpec;
use crate::units::Dimension;
use crate::values;

/// Time for which integrals of speeds are prepared at first, s.
pub(super) const FIRST_HORIZON: f64 = 1.0;

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
        let motion = self.motion(cx, reader, key?, joint)?;
        self.model.drivers.push(Driver { name: spec.name.text.clone(), joint, motion });
        Some(DriverId(self.model.drivers.len() - 1))
    }

    fn check_drivable(&self, cx: &mut Context<'_>, id: JointId, span: Span) -> Option<()> {
        let joint = &self.model.joints[id.0];
        if joint.kind == JointKind::Fixed {
            let message = format!("joint `{}` is fixed and cannot be driven", joint.name);
            cx.report(Diagnostic::error("G0601", message).at(span, "has no motion"));
            return None;
        }
        if let Some(other) = self.model.drivers.iter().find(|driver| driver.joint == id) {
            let message = format!("joint `{}` has two drivers", joint.name);
            let label = format!("already driven by `{}`", other.name);
            cx.report(Diagnostic::error("G0604", message).at(span, label));
            return None;
        }
        Some(())
    }

    fn motion(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        key: &str,
        id: JointId,
    ) -> Option<TimeFunction> {
        let joint = &self.model.joints[id.0];
        let turns = joint.kind == JointKind::Revolute;
        let (wanted, position, rate) = if turns {
            ("angle", Dimension::ANGLE, Dimension::ANGULAR_SPEED)
        } else {
            ("displacement", Dimension::LENGTH, Dimension::SPEED)
        };
        let (name, node) = reader.entry(key)?;
        if key != "speed" {
            if key != wanted {
                let kind = if turns { "turns" } else { "slides" };
                let message = format!("joint `{}` {kind}: it has no `{key}`", joint.name);
                let diagnostic = Diagnostic::error("G0602", message)
                    .at(name.span, "wrong kind of motion")
                    .help(format!("use `{wanted}` or `speed`"));
                cx.report(diagnostic);
                return None;
            }
            self.refuse_start(cx, reader, key);
            return reader.function(cx, key);
        }
        let start = match reader.get("start") {
            Some(_) => reader.quantity_in(cx, "start", position).map(|start| start.value),
            None => Some(self.start_of(joint)),
        };
        let speed = values::function(cx, "speed", node, rate);
        let (start, speed) = (start?, speed?);
        if !matches!(speed, TimeFunction::Constant(_)) {
            let driver = self.model.drivers.len();
            self.speeds.push(SpeedLaw { driver, start, speed: speed.clone() });
        }
        Some(integrate(start, speed, FIRST_HORIZON))
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

    /// The joint's angle or displacement in the start pose; 0 where the pose says nothing.
    fn start_of(&self, joint: &Joint) -> f64 {
        let pose = |marker: gudgeon::model::MarkerId| {
            let marker = &self.model.markers[marker.0];
            let start = &self.model.bodies[marker.body.0].start;
            let angle = start.angle.unwrap_or(0.0);
            let (x, y) = (start.x.unwrap_or(0.0), start.y.unwrap_or(0.0));
            let (sin, cos) = angle.sin_cos();
            let p = marker.local.p;
            let place = [x + cos * p.x - sin * p.y, y + sin * p.x + cos * p.y];
            (place, angle + marker.local.planar_angle())
        };
        let ((p_a, angle_a), (p_b, angle_b)) = (pose(joint.a), pose(joint.b));
        if joint.kind == JointKind::Revolute {
            return angle_b - angle_a;
        }
        let (sin, cos) = angle_a.sin_cos();
        cos * (p_b[0] - p_a[0]) + sin * (p_b[1] - p_a[1])
    }
}
