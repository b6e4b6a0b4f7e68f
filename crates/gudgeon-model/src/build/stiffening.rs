//! Where links may stand whose axial force is that of their rigid motion.
//!
//! N(x) of `gudgeon::fe` (`axial.rs`) holds for a straight line that begins at a point at rest, with nothing beyond that
//! pulls at it: a blade, a pendulum, the last link of an arm on the ground.

use gudgeon::flexible::{Flexible, Stiffening};
use gudgeon::model::{BodyId, Joint, JointKind};

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::reader::Context;
use crate::spec::Spec;

impl Builder<'_> {
    pub(super) fn check_stiffening(&self, cx: &mut Context<'_>, spec: &Spec<'_>) {
        for (i, body) in self.model.bodies.iter().enumerate() {
            let Some(link) = body.flexible.as_deref().filter(|link| is_rigidly_stiffened(link))
            else {
                continue;
            };
            let Some(why) = self.unsuited(BodyId(i), link) else { continue };
            let place = spec.bodies.iter().find(|spec| spec.name.text == body.name);
            let Some(place) = place else { continue };
            let message =
                format!("the axial force of the rigid motion of `{}` is not known", body.name);
            let diagnostic = Diagnostic::error("G0428", message).at(place.name.span, why);
            cx.report(diagnostic.help("write `stiffening = \"actual\"`: the force that its elements bear, whatever holds them"));
        }
    }

    /// Why N(x) does not hold.
    fn unsuited(&self, body: BodyId, link: &Flexible) -> Option<String> {
        if link.curvature.norm() > 0.0 {
            return Some("its line is curved".into());
        }
        let mut is_held = false;
        for joint in &self.model.joints {
            let ends = [joint.a, joint.b].map(|at| &self.model.markers[at.0]);
            let Some(own) = ends.iter().position(|marker| marker.body == body) else { continue };
            let at_begin = (ends[own].local.p - link.from).norm() < 1e-9 * link.length();
            if !(at_begin && ends[1 - own].body == BodyId::GROUND && holds(joint)) {
                return Some(format!(
                    "joint `{}` is not one that holds the begin of its line on the ground",
                    joint.name
                ));
            }
            is_held = true;
        }
        (!is_held).then(|| "no joint holds the begin of its line on the ground".into())
    }
}

fn is_rigidly_stiffened(link: &Flexible) -> bool {
    link.is_floating() && link.floating().stiffening == Stiffening::Rigid
}

/// Whether a joint keeps a point in its place.
fn holds(joint: &Joint) -> bool {
    use JointKind::{Fixed, Revolute, Spherical, Universal};
    matches!(joint.kind, Revolute | Spherical | Universal | Fixed) && joint.clearance.is_none()
}
