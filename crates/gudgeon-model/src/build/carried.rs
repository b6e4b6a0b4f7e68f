//! Which joints shall carry bodies in joint coordinates, by `cut`, and whether they can.
//!
//! Joints that carry bodies make trees from the ground outwards: none of them may close a loop, and what they do not reach is free.

use gudgeon::flexible::Method;
use gudgeon::model::{Body, BodyCoordinates, Cut, Joint, JointKind, Space};
use gudgeon::system::tree::Motion;

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::reader::Context;
use crate::source::Span;
use crate::spec::Spec;

/// A joint that says whether it is cut.
struct Given<'m> {
    joint: &'m Joint,
    span: Span,
    bodies: [usize; 2],
}

impl Builder<'_> {
    /// Joints that cannot do what their `cut` says, and bodies that it leaves loose.
    pub(super) fn check_cuts(&self, cx: &mut Context<'_>, spec: &Spec<'_>) {
        let given = |joint: &crate::spec::joints::JointSpec<'_>| {
            let ((_, span), id) = (joint.cut?, self.joints.get(joint.name.text.as_str())?);
            let joint = &self.model.joints[id.0];
            Some(Given { joint, span, bodies: self.bodies_of(joint) })
        };
        let all: Vec<Given<'_>> = spec.joints.iter().filter_map(given).collect();
        let (cut, kept): (Vec<Given<'_>>, Vec<Given<'_>>) =
            all.into_iter().partition(|given| given.joint.cut == Cut::Requested);
        self.check_kept(cx, kept);
        self.warn_of_loose(cx, &cut);
        if let Some(span) = spec.model.in_joints {
            self.warn_of_rootless(cx, span);
        }
    }

    fn bodies_of(&self, joint: &Joint) -> [usize; 2] {
        [joint.a, joint.b].map(|marker| self.model.markers[marker.0].body.0)
    }

    fn name(&self, body: usize) -> &str {
        &self.model.bodies[body].name
    }

    /// Those with `cut = false`.
    fn check_kept(&self, cx: &mut Context<'_>, kept: Vec<Given<'_>>) {
        let mut tree: Vec<Given<'_>> = Vec::new();
        for own in kept {
            if let Some((why, help)) = self.why_not(own.joint) {
                let message = format!("joint `{}` cannot carry a body: {why}", own.joint.name);
                let diagnostic =
                    Diagnostic::error("G0536", message).at(own.span, "it is always cut");
                cx.report(diagnostic.help(help));
                continue;
            }
            match path(&tree, own.bodies, self.model.bodies.len()) {
                None => tree.push(own),
                Some(rest) => {
                    let names: Vec<String> =
                        rest.iter().map(|&i| format!("`{}`", tree[i].joint.name)).collect();
                    let message = format!(
                        "`cut = false` in all joints of a loop: {} and `{}`",
                        names.join(", "),
                        own.joint.name
                    );
                    let mut diagnostic =
                        Diagnostic::error("G0537", message).at(own.span, "closes the loop");
                    for &i in &rest {
                        diagnostic = diagnostic.also(tree[i].span, "part of it");
                    }
                    let help = "a tree has no loops, and one joint of each is cut: leave `cut` out of one of them";
                    cx.report(diagnostic.help(help));
                }
            }
        }
    }

    /// Why a joint has no coordinates that give the position of one body by that of the other.
    fn why_not(&self, joint: &Joint) -> Option<(&'static str, &'static str)> {
        let leave = "leave `cut` out: its rows, its clearance or its film close a loop";
        if joint.clearance.is_some() {
            return Some(("it has clearance", leave));
        }
        match joint.kind {
            JointKind::Distance { .. } => {
                return Some((
                    "a distance does not give the position of one body by that of the other",
                    leave,
                ));
            }
            JointKind::PointOnLine | JointKind::PointOnPlane => {
                return Some(("a point that slides leaves the body free to turn", leave));
            }
            kind if Motion::of(kind, self.model.space).is_none() => {
                return Some(("it has no coordinates of its own", leave));
            }
            _ => {}
        }
        let mut own = self.bodies_of(joint).into_iter().map(|body| &self.model.bodies[body]);
        let own = own.find(|body| has_own_coordinates(body, self.model.space))?;
        Some(match own.flexible {
            Some(_) => (
                "a body of it bends by coordinates of its own",
                "leave `cut` out, or divide the link into rigid elements: `method = \"rfem\"`",
            ),
            None => (
                "a body of it is in natural coordinates",
                "leave `cut` out, or `coordinates = \"natural\"` of the body",
            ),
        })
    }

    /// Bodies that joints reach from the ground.
    fn reached(&self, with_cuts: bool) -> Vec<bool> {
        let mut reached = vec![false; self.model.bodies.len()];
        reached[0] = true;
        let carries = |joint: &&Joint| {
            self.why_not(joint).is_none() && (with_cuts || joint.cut != Cut::Requested)
        };
        let joints: Vec<[usize; 2]> =
            self.model.joints.iter().filter(carries).map(|joint| self.bodies_of(joint)).collect();
        let mut grows = true;
        while grows {
            grows = false;
            for &[a, b] in &joints {
                grows |= reached[a] != reached[b];
                (reached[a], reached[b]) = (reached[a] || reached[b], reached[a] || reached[b]);
            }
        }
        reached
    }

    /// Bodies that a cut takes from the tree.
    fn warn_of_loose(&self, cx: &mut Context<'_>, cut: &[Given<'_>]) {
        if cut.is_empty() {
            return;
        }
        let (whole, left) = (self.reached(true), self.reached(false));
        let mut noted = vec![false; whole.len()];
        for own in cut {
            let is_lost = |&body: &usize| whole[body] && !left[body] && !noted[body];
            let lost = own.bodies.into_iter().find(is_lost);
            let held = own.bodies.iter().any(|&body| left[body]);
            let Some(body) = lost.filter(|_| held) else { continue };
            noted[body] = true;
            let (joint, body) = (&own.joint.name, self.name(body));
            let message = format!("with `{joint}` cut no joint carries body `{body}`");
            let diagnostic =
                Diagnostic::warning("G0538", message).at(own.span, "left loose by this cut");
            cx.report(diagnostic.help(format!(
                "cut a joint that closes a loop; here `{body}` gets all coordinates of a free body, and the rows of `{joint}` hold it"
            )));
        }
    }

    /// Joint coordinates that begin nowhere.
    fn warn_of_rootless(&self, cx: &mut Context<'_>, span: Span) {
        let moving = self.model.bodies.len() > 1;
        if !moving || self.reached(true).iter().filter(|reached| **reached).count() > 1 {
            return;
        }
        let message = "no joint carries a body from the ground: the tree has no root";
        let diagnostic = Diagnostic::warning("G0539", message)
            .at(span, "all bodies are free, or carried by free ones");
        cx.report(diagnostic.help(
            "let an ideal joint tie a body to the ground, or leave `coordinates` out: those of free bodies are the same",
        ));
    }
}

/// Whether a body has coordinates that joints do not give.
fn has_own_coordinates(body: &Body, space: Space) -> bool {
    let natural = space == Space::Spatial && body.coordinates == BodyCoordinates::Natural;
    match &body.flexible {
        Some(link) => !matches!(link.method, Method::Rfem { .. } | Method::Rigid),
        None => natural && body.name != super::GROUND,
    }
}

/// The joints of a forest that lead from one body to another, if they do.
fn path(tree: &[Given<'_>], [from, to]: [usize; 2], bodies: usize) -> Option<Vec<usize>> {
    let mut by: Vec<Option<usize>> = vec![None; bodies];
    let (mut open, mut seen) = (vec![from], vec![false; bodies]);
    seen[from] = true;
    while let Some(at) = open.pop() {
        for (i, step) in tree.iter().enumerate() {
            let [a, b] = step.bodies;
            let Some(next) = [(a, b), (b, a)].into_iter().find(|(end, _)| *end == at) else {
                continue;
            };
            if !std::mem::replace(&mut seen[next.1], true) {
                by[next.1] = Some(i);
                open.push(next.1);
            }
        }
    }
    if !seen[to] {
        return None;
    }
    let (mut joints, mut at) = (Vec::new(), to);
    while let Some(i) = by[at] {
        joints.push(i);
        let [a, b] = tree[i].bodies;
        at = if a == at { b } else { a };
    }
    joints.reverse();
    Some(joints)
}
