//! Mass, centre and inertia of a flexible link without load.

use gudgeon::flexible::Flexible;
use gudgeon::model::{Space, inertia_about_z};
use nalgebra::Matrix3;

use crate::diagnostic::Diagnostic;
use crate::reader::Context;
use crate::source::Span;
use crate::spec::bodies::BodySpec;
use crate::spec::shapes::{Given, shown_inertia, shown_place};
use crate::spec::solids::MassProperties;
use crate::tree::Name;
use crate::units::Dimension;
use crate::values;

/// Relative difference between given and computed values that is worth a warning.
const NOTICE: f64 = 5e-3;
/// And one that must be a mistake.
const MISTAKE: f64 = 0.1;

/// Gives the body the mass of its section; what it gives itself is compared with that.
pub(super) fn apply(
    cx: &mut Context<'_>,
    key: &Name,
    link: &Flexible,
    body: &mut BodySpec,
    given: &Given,
) -> Option<()> {
    let own = mass_properties(cx.space, link);
    if !(own.mass + own.inertia.sum() + own.centre.sum()).is_finite() {
        let message =
            format!("the mass of flexible body `{}` is not a finite number", body.name.text);
        let diagnostic = Diagnostic::error("G0410", message).at(key.span, "far too large");
        cx.report(diagnostic.help("check the units of its section and line"));
        return None;
    }
    let space = cx.space;
    let mut compare = Compare { cx, key, body: &body.name.text, right: true };
    // What no body can have was reported when it was read.
    if let Some(mass) = given.mass.filter(|mass| mass.value > 0.0) {
        let text = |mass| values::shown(mass, Dimension::MASS);
        let difference = (mass.value - own.mass).abs() / own.mass;
        compare.one("mass", mass.span, difference, [text(mass.value), text(own.mass)]);
    }
    if let Some(inertia) = given.inertia {
        let text = |matrix: &Matrix3<f64>| shown_inertia(space, matrix);
        let difference = (inertia.value - own.inertia).norm() / own.inertia.norm();
        compare.one(
            "inertia",
            inertia.span,
            difference,
            [text(&inertia.value), text(&own.inertia)],
        );
    }
    if let Some(centre) = given.centre {
        let text = |place| shown_place(space, place);
        let difference = (centre.value - own.centre).norm() / link.length();
        compare.one("centre", centre.span, difference, [text(centre.value), text(own.centre)]);
    }
    let right = compare.right;
    (body.mass, body.inertia, body.centre) = (Some(own.mass), Some(own.inertia), own.centre);
    right.then_some(())
}

struct Compare<'c, 'x, 'b> {
    cx: &'c mut Context<'x>,
    key: &'b Name,
    body: &'b str,
    right: bool,
}

impl Compare<'_, '_, '_> {
    /// One value that the body gives, against that of its section.
    fn one(&mut self, what: &str, span: Span, difference: f64, [theirs, ours]: [String; 2]) {
        if difference <= NOTICE {
            return;
        }
        let message =
            format!("`{what}` of flexible body `{}` is not that of its section", self.body);
        let diagnostic = match difference <= MISTAKE {
            true => {
                Diagnostic::warning("G0421", message).at(span, format!("{theirs} given, not used"))
            }
            false => Diagnostic::error("G0421", message).at(span, format!("{theirs} given")),
        };
        self.right &= difference <= MISTAKE;
        self.cx.report(
            diagnostic.also(self.key.span, format!("{ours} from section, line and lumps")).help(
                format!("remove `{what}`: that of a flexible link comes from its section, line and lumps"),
            ),
        );
    }
}

/// Of the link as its formulation has them, in own axes; of a planar link only the moment about z.
fn mass_properties(space: Space, link: &Flexible) -> MassProperties {
    let own = link.mass_properties(space);
    // From the middle of the chord, where the centre of a straight line is but for rounding.
    let middle = 0.5 * (link.from + link.to);
    let nothing = 1e-14 * link.length();
    let centre = middle + (own.centre - middle).map(|x| if x.abs() < nothing { 0.0 } else { x });
    let inertia = match space {
        Space::Planar => inertia_about_z(own.inertia[(2, 2)]),
        Space::Spatial => 0.5 * (own.inertia + own.inertia.transpose()),
    };
    MassProperties { mass: own.mass, inertia, centre }
}
