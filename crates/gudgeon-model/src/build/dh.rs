//! Joints by rows of Denavit and Hartenberg: their frames, and whether the rows make trees.

use gudgeon::math::spatial::Frame;
use gudgeon::model::{JointId, Marker, MarkerId, Placement};

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::reader::Context;
use crate::source::Span;
use crate::spec::Spec;
use crate::spec::dh::Row;

/// A row among the others: its joint and the bodies it leads from and to.
struct Step<'s> {
    joint: &'s str,
    span: Span,
    from: usize,
    to: usize,
}

impl<'s> Builder<'s> {
    /// Markers of a joint whose second frame a row leads to from the first.
    pub(super) fn by_row(&mut self, markers: [MarkerId; 2], row: &Row) -> [MarkerId; 2] {
        let frames = row.frames(self.convention);
        let mut moved = markers;
        for ((marker, frame), to) in markers.iter().zip(&frames).zip(&mut moved) {
            let Marker { body, local, .. } = self.model.markers[marker.0];
            if *frame != Frame::identity() {
                *to = self.add_marker(None, body, local.then(frame));
            }
        }
        moved
    }

    /// Every row carries one body, no body is carried twice, and none carries itself.
    pub(super) fn check_dh(&self, cx: &mut Context<'_>, spec: &'s Spec<'_>) {
        let first = spec.joints.iter().find_map(|joint| joint.dh.as_ref());
        let (Some((_, first)), false) = (first, spec.model.has_convention) else {
            return self.check_tree(cx, spec);
        };
        let message = "rows of Denavit and Hartenberg without their convention";
        let help = "write `dh = \"standard\"` or `dh = \"modified\"` (Craig) in `[model]`; the two put a and alpha on different sides of the joint";
        cx.report(Diagnostic::error("G0533", message).at(*first, "which one?").help(help));
        self.check_tree(cx, spec);
    }

    fn check_tree(&self, cx: &mut Context<'_>, spec: &'s Spec<'_>) {
        let steps = self.steps(spec);
        let mut by: Vec<Option<usize>> = vec![None; self.model.bodies.len()];
        let name = |body: usize| &self.model.bodies[body].name;
        for (i, step) in steps.iter().enumerate() {
            if step.to == 0 {
                let message = format!("the row of joint `{}` leads to the ground", step.joint);
                let diagnostic = Diagnostic::error("G0534", message)
                    .at(step.span, "the ground is where rows begin");
                cx.report(diagnostic.help("name the body that is carried last in `between`"));
            } else if let Some(other) = by[step.to] {
                let message = format!("two rows carry body `{}`", name(step.to));
                let diagnostic = Diagnostic::error("G0534", message)
                    .at(step.span, "carried again")
                    .also(steps[other].span, "carried here");
                cx.report(diagnostic.help(
                    "close a loop by a joint between `frames` of the bodies: leave `dh` out of one of the two",
                ));
            } else {
                by[step.to] = Some(i);
            }
        }
        self.check_circles(cx, &steps, &by);
        self.note_roots(cx, spec, &steps, &by);
    }

    /// The rows that could be read.
    fn steps(&self, spec: &'s Spec<'_>) -> Vec<Step<'s>> {
        let step = |joint: &'s crate::spec::joints::JointSpec<'_>| {
            let (_, span) = joint.dh.as_ref()?;
            let JointId(id) = *self.joints.get(joint.name.text.as_str())?;
            let own = &self.model.joints[id];
            debug_assert_eq!(own.placement, Placement::AtZero);
            let [from, to] = [own.a, own.b].map(|marker| self.model.markers[marker.0].body.0);
            Some(Step { joint: &joint.name.text, span: *span, from, to })
        };
        spec.joints.iter().filter_map(step).collect()
    }

    /// Rows in a circle have no beginning.
    fn check_circles(&self, cx: &mut Context<'_>, steps: &[Step<'_>], by: &[Option<usize>]) {
        // Which walk came by each body; a walk that meets itself is a circle.
        let mut seen: Vec<Option<usize>> = vec![None; by.len()];
        for start in 0..by.len() {
            let mut at = start;
            while seen[at].is_none() {
                seen[at] = Some(start);
                let Some(step) = by[at] else { break };
                at = steps[step].from;
                if seen[at] == Some(start) {
                    let message = format!(
                        "rows carry body `{}` by way of itself",
                        self.model.bodies[at].name
                    );
                    let span = steps[by[at].unwrap_or(step)].span;
                    let help = "rows lead from the ground outwards: let one of them begin there, and close a loop by a joint without `dh`";
                    let diagnostic =
                        Diagnostic::error("G0534", message).at(span, "part of a circle");
                    cx.report(diagnostic.help(help));
                    break;
                }
            }
        }
    }

    /// A body that rows begin at and nothing holds is free, which may not be meant.
    fn note_roots(
        &self,
        cx: &mut Context<'_>,
        spec: &Spec<'_>,
        steps: &[Step<'_>],
        by: &[Option<usize>],
    ) {
        let bodies_of = |joint: &gudgeon::model::Joint| {
            [joint.a, joint.b].map(|marker| self.model.markers[marker.0].body.0)
        };
        let mut noted = vec![false; by.len()];
        for step in steps.iter().filter(|s| s.from != 0 && s.to != 0 && by[s.from].is_none()) {
            let own = step.from;
            let is_row = |joint: &gudgeon::model::Joint| joint.placement == Placement::AtZero;
            let held = self.model.joints.iter().any(|j| !is_row(j) && bodies_of(j).contains(&own));
            let name = &self.model.bodies[own].name;
            if held || noted[own] || spec.start.bodies.contains_key(name) {
                continue;
            }
            noted[own] = true;
            let message = format!("no joint carries body `{name}`, where rows begin");
            let diagnostic = Diagnostic::warning("G0535", message)
                .at(step.span, "carried by a body that is free")
                .help(format!("add the row or the joint that carries it; if `{name}` is to fly freely, say in `[start]` where it begins"));
            cx.report(diagnostic);
        }
    }
}
