//! Links on an equivalent rigid-link system and rigid bodies between them, with revolute and fixed joints and slides on the
//! ground.

use gudgeon::system::erls::{ErlsError, refused};

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::reader::Context;
use crate::source::Span;
use crate::spec::Spec;

impl Builder<'_> {
    /// Refuses what such a system does not have, by name.
    pub(super) fn check_erls(&self, cx: &mut Context<'_>, spec: &Spec<'_>) {
        let body_named = |name: &str| spec.bodies.iter().find(|body| body.name.text == name);
        let joint_named = |name: &str| spec.joints.iter().find(|joint| joint.name.text == name);
        if spec.bodies.iter().any(|body| body.broken_link) {
            return;
        }
        for error in refused(&self.model) {
            let (span, help): (Option<Span>, _) = match &error {
                ErlsError::Body { body, .. } => (
                    body_named(body).map(|body| body.name.span),
                    "give all flexible links `method = \"erls\"`, or all `method = \"floating\"`",
                ),
                ErlsError::Joint { joint, .. } => (
                    joint_named(joint).map(|joint| joint.name.span),
                    "give links `method = \"floating\"`, which takes every joint",
                ),
                _ => continue,
            };
            let mut diagnostic = Diagnostic::error("G0431", error.to_string()).help(help);
            if let Some(span) = span {
                diagnostic = diagnostic.at(span, "");
            }
            cx.report(diagnostic);
        }
    }
}
