//! Forces: loads, springs and dampers between markers.

use gudgeon::model::{Axes, Force, ForceId, ForceKind, ForceParameter, MarkerId};

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::reader::{At, Context, Reader};
use crate::spec::axes;
use crate::spec::bodies::GROUND;
use crate::spec::forces::ForceSpec;
use crate::spec::joints::between;
use crate::units::Dimension;

impl Builder<'_> {
    pub(super) fn add_force(
        &mut self,
        cx: &mut Context<'_>,
        spec: &ForceSpec<'_>,
    ) -> Option<ForceId> {
        let (kind, reader) = spec.table.as_ref()?;
        reader.text(cx, "about");
        let before = self.pending.len();
        let kind = match *kind {
            "force" => self.point_force(cx, reader),
            "distributed" => self.distributed(cx, reader),
            "torque" => self.torque(cx, reader),
            "spring" => self.spring(cx, reader),
            "damper" => self.damper(cx, reader),
            "bushing" => self.bushing(cx, reader),
            _ => self.torsion_spring(cx, reader),
        };
        let Some(kind) = kind else {
            self.pending.truncate(before);
            return None;
        };
        self.model.forces.push(Force { name: spec.name.text.clone(), kind });
        Some(ForceId(self.model.forces.len() - 1))
    }

    fn point_force(&mut self, cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<ForceKind> {
        let at = reader.text(cx, "on").and_then(|on| self.marker(cx, on));
        let components = self.force_components(cx, reader, Dimension::FORCE);
        Some(ForceKind::Point { at: at?, components: components?, axes: axes_of(cx, reader) })
    }

    fn torque(&mut self, cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<ForceKind> {
        let on = reader.text(cx, "on");
        let ground = At { value: GROUND, span: reader.span };
        let against =
            if reader.get("against").is_some() { reader.text(cx, "against") } else { Some(ground) };
        let torque = self.load(cx, reader, "torque", ForceParameter::Torque);
        let markers = [on, against].map(|name| name.and_then(|name| self.marker(cx, name)));
        let (on, against) = (markers[0]?, markers[1]?);
        let place = reader.text(cx, "on").unwrap_or(ground);
        self.check_two_bodies(cx, &reader.owner, [on, against], place)?;
        let turned = axes::about_z(cx, reader, "axis");
        let against = self.turned(against, turned);
        Some(ForceKind::Torque { on, against, torque: torque? })
    }

    fn spring(&mut self, cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<ForceKind> {
        let ends = self.ends(cx, reader);
        let stiffness = self.elastic(cx, reader, "stiffness", ForceParameter::Stiffness);
        let free_length = self.elastic(cx, reader, "length", ForceParameter::Free);
        let damping = self.elastic_if_given(cx, reader, "damping", ForceParameter::Damping);
        let [a, b] = ends?;
        let (stiffness, free_length, damping) = (stiffness?, free_length?, damping?);
        Some(ForceKind::Spring { a, b, stiffness, damping, free_length })
    }

    fn damper(&mut self, cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<ForceKind> {
        let ends = self.ends(cx, reader);
        let damping = self.elastic(cx, reader, "damping", ForceParameter::Damping)?;
        let [a, b] = ends?;
        Some(ForceKind::Spring { a, b, stiffness: 0.0, damping, free_length: 0.0 })
    }

    fn torsion_spring(&mut self, cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<ForceKind> {
        let ends = self.ends(cx, reader);
        let stiffness = self.elastic(cx, reader, "stiffness", ForceParameter::Stiffness);
        let damping = self.elastic_if_given(cx, reader, "damping", ForceParameter::Damping);
        let free_angle = match reader.get("angle") {
            Some(_) => self.varied(cx, reader, "angle", ForceParameter::Free),
            None => Some(0.0),
        };
        let turned = axes::about_z(cx, reader, "axis");
        let [a, b] = ends?.map(|marker| self.turned(marker, turned));
        let (stiffness, damping, free_angle) = (stiffness?, damping?, free_angle?);
        Some(ForceKind::TorsionSpring { a, b, stiffness, damping, free_angle })
    }

    pub(super) fn ends(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
    ) -> Option<[MarkerId; 2]> {
        let [a, b] = between(cx, reader.get("between")?)?;
        let markers = [a, b].map(|end| self.marker(cx, end));
        let markers = [markers[0]?, markers[1]?];
        self.check_two_bodies(cx, &reader.owner, markers, b)?;
        Some(markers)
    }
}

pub(super) fn not_negative(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<f64> {
    let value = reader.quantity(cx, key)?;
    if value.value < 0.0 {
        let message = format!("`{key}` of {} cannot be negative", reader.owner);
        cx.report(
            Diagnostic::error("G0701", message)
                .at(value.span, "negative")
                .help("give zero or a positive value"),
        );
        return None;
    }
    Some(value.value)
}

/// Axes of components.
pub(super) fn axes_of(cx: &mut Context<'_>, reader: &Reader<'_>) -> Axes {
    match reader.choice(cx, "axes") {
        Some(At { value: "body", .. }) => Axes::Body,
        _ => Axes::World,
    }
}
