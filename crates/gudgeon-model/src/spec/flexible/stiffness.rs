//! Warnings of stiffness that a link has by its formulation only.

use gudgeon::flexible::{AncfElement, Elasticity, Section};

use super::section::Wanted;
use crate::diagnostic::Diagnostic;
use crate::reader::{Context, Reader};
use crate::values;

/// Part by which the polar moment may exceed the torsion constant unsaid.
const NOTICE: f64 = 0.05;

pub(super) fn warn(cx: &mut Context<'_>, reader: &Reader<'_>, wanted: Wanted, section: &Section) {
    let Wanted { element, elasticity, .. } = wanted;
    let Some(node) = reader.get("elasticity") else { return };
    if element == AncfElement::Cable || elasticity == Elasticity::Line {
        return;
    }
    let nu = section.poisson;
    if elasticity == Elasticity::Continuum && nu != 0.0 {
        // The linear displacement across the section leaves no room for lateral contraction.
        let factor = match cx.is_spatial() {
            true => (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu)),
            false => 1.0 / (1.0 - nu * nu),
        };
        let message = format!("the link is {factor:.3} times as stiff in bending as its section");
        let label = format!("locks with Poisson's ratio {}", values::rounded(nu));
        let diagnostic = Diagnostic::warning("G0422", message).at(node.span, label);
        cx.report(diagnostic.help("write `elasticity = \"line\"`, or `\"selective\"`"));
    }
    let excess = (section.inertia_y + section.inertia_z) / section.torsion - 1.0;
    if cx.is_spatial() && excess > NOTICE {
        let message = format!(
            "the polar moment overstates the torsion of the section by {:.1} %",
            100.0 * excess
        );
        let label = "twists with inertia_y + inertia_z, not with `torsion`";
        let diagnostic = Diagnostic::warning("G0423", message).at(node.span, label);
        cx.report(diagnostic.help("write `elasticity = \"line\"`"));
    }
}
