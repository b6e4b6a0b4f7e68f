//! What acts on lines of flexible links: loads along them, and joints and forces on cables in space.

use gudgeon::flexible::{AncfElement, Flexible, Method};
use gudgeon::force;
use gudgeon::math::spatial::Frame;
use gudgeon::model::{Axes, BodyId, ForceKind, JointKind, MarkerId, Space};

use super::Builder;
use super::forces::axes_of;
use crate::diagnostic::Diagnostic;
use crate::reader::{At, Context, Reader, suggest};
use crate::source::Span;
use crate::spec::Spec;
use crate::units::Dimension;

impl Builder<'_> {
    /// A load along the line, at stations of every element.
    pub(super) fn distributed(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
    ) -> Option<ForceKind> {
        let on = reader.text(cx, "on").and_then(|on| self.flexible_body(cx, on));
        let components = self.force_components(cx, reader, Dimension::STIFFNESS);
        let axes = axes_of(cx, reader);
        let range = part_of_line(cx, reader);
        let ((body, link), (from, to)) = (on?, range?);
        let stations = link.stations(from, to).into_iter();
        let at = stations.map(|(along, length)| {
            let local = Frame { p: link.place_at(along), r: link.axes_at(along) };
            (self.add_marker(None, body, local), length)
        });
        Some(ForceKind::Distributed { at: at.collect(), components: components?, axes })
    }

    fn flexible_body(&self, cx: &mut Context<'_>, on: At<&str>) -> Option<(BodyId, Flexible)> {
        let Some(&body) = self.bodies.get(on.value) else {
            let message = format!("there is no body `{}`", on.value);
            let diagnostic = Diagnostic::error("G0112", message).at(on.span, "not known");
            let names = self.model.bodies.iter().map(|body| body.name.as_str());
            cx.report_searched(diagnostic, || suggest(on.value, names));
            return None;
        };
        if self.broken.contains(on.value) {
            return None;
        }
        let Some(link) = &self.model.bodies[body.0].flexible else {
            let message = format!("a load along the line of `{}`, which is rigid", on.value);
            let diagnostic = Diagnostic::error("G0425", message)
                .at(on.span, "only flexible links have a line")
                .help(
                    "write `type = \"force\"` with the sum at a frame, or make the body `flexible`",
                );
            cx.report(diagnostic);
            return None;
        };
        Some((body, (**link).clone()))
    }

    /// A cable in space has no spin about its tangent: refuses what needs one.
    pub(super) fn check_cables(&self, cx: &mut Context<'_>, spec: &Spec<'_>) {
        if self.model.space == Space::Planar {
            return;
        }
        for joint in &self.model.joints {
            use JointKind::{Distance, PointOnLine, PointOnPlane, Spherical};
            let free = matches!(joint.kind, Spherical | Distance { .. });
            let point = free || matches!(joint.kind, PointOnLine | PointOnPlane);
            let place = spec.joints.iter().find(|spec| spec.name.text == joint.name);
            let span = place.map(|spec| spec.name.span);
            self.check_cable(cx, (joint.a, !free), ("joint", &joint.name), span);
            self.check_cable(cx, (joint.b, !point), ("joint", &joint.name), span);
        }
        for load in &self.model.forces {
            let turns = match &load.kind {
                ForceKind::Point { axes, .. } | ForceKind::Distributed { axes, .. } => {
                    *axes == Axes::Body
                }
                ForceKind::Spring { .. } => false,
                ForceKind::Torque { .. }
                | ForceKind::TorsionSpring { .. }
                | ForceKind::Bushing { .. } => true,
            };
            let place = spec.forces.iter().find(|spec| spec.name.text == load.name);
            let span = place.map(|spec| spec.name.span);
            let mut markers = force::pairs(&load.kind).flat_map(|(a, b)| [a, b]);
            markers
                .any(|at| self.check_cable(cx, (MarkerId(at), turns), ("force", &load.name), span));
        }
    }

    /// Whether it was refused.
    fn check_cable(
        &self,
        cx: &mut Context<'_>,
        (marker, needs_axes): (MarkerId, bool),
        (kind, name): (&str, &str),
        span: Option<Span>,
    ) -> bool {
        let marker = &self.model.markers[marker.0];
        let body = &self.model.bodies[marker.body.0];
        let Some(link) = body.flexible.as_ref().filter(|link| is_cable(link)) else {
            return false;
        };
        let line = link.place_at(link.nearest(&marker.local.p));
        let across = (marker.local.p - line).norm() > 1e-9 * link.length();
        let Some(span) = span.filter(|_| needs_axes || across) else { return false };
        let what = if needs_axes { "turns with the section" } else { "lies beside the line" };
        let message = format!(
            "{kind} `{name}` {what} of cable `{}`, which has no axes across its line in space",
            body.name
        );
        let diagnostic = Diagnostic::error("G0426", message)
            .at(span, "cables in space take spherical joints, forces and springs on their line")
            .help("write `element = \"beam\"` in its `flexible`");
        cx.report(diagnostic);
        true
    }
}

fn is_cable(link: &Flexible) -> bool {
    matches!(link.method, Method::Ancf { element: AncfElement::Cable, .. })
}

/// `from` and `to`, shares of the line.
fn part_of_line(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<(f64, f64)> {
    let mut share = |key, otherwise| match reader.get(key) {
        Some(_) => reader.quantity(cx, key),
        None => Some(At { value: otherwise, span: reader.span }),
    };
    let (from, to) = (share("from", 0.0)?, share("to", 1.0)?);
    if 0.0 <= from.value && from.value < to.value && to.value <= 1.0 {
        return Some((from.value, to.value));
    }
    let span = if reader.get("to").is_some() { to.span } else { from.span };
    let message = format!("{} has no part of the line", reader.owner);
    let diagnostic = Diagnostic::error("G0419", message)
        .at(span, "`from` lies before `to`, both are shares of the line from 0 to 1")
        .help("leave both out for the whole line");
    cx.report(diagnostic);
    None
}
