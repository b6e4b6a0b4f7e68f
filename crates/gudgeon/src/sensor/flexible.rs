//! Outputs of flexible links: of places along the line, and of the whole link.

use nalgebra::Vector3;

use super::evaluate::component;
use super::quantities::{Entry, scalar, vector};
use super::{Component, LinkQuantity, SectionQuantity, Source};
use crate::beam::SectionState;
use crate::flexible::{AncfElement, Flexible, Method};
use crate::ked::{Case, KedQuantity, LoadOf, Side};
use crate::model::{Model, Space};
use crate::system::Plant;

const CURVATURE_Y: &str = "change of curvature about y of the section, positive towards -z";
const CURVATURE_Z: &str = "change of curvature about z of the section, positive towards +y";
const FORCE: &str = "force that the section bears in its axes, x positive in tension";
const MOMENT: &str = "moment that the section bears in its axes";

/// Of a place at a share of the line. Cables have neither shear nor torsion, and in space no section axes.
pub(super) fn section_entries(
    model: &Model,
    body: usize,
    link: &Flexible,
    along: f64,
) -> Vec<Entry> {
    use SectionQuantity::*;
    let any = |quantity| Source::Section(body, along, quantity);
    let with: fn(Source, Component) -> Source = |source, c| match source {
        Source::Section(body, along, Deflection(_)) => Source::Section(body, along, Deflection(c)),
        Source::Section(body, along, Force(_)) => Source::Section(body, along, Force(c)),
        Source::Section(body, along, Moment(_)) => Source::Section(body, along, Moment(c)),
        Source::Section(body, along, Displacement(_)) => {
            Source::Section(body, along, Displacement(c))
        }
        Source::Section(body, along, EquivalentPosition(_)) => {
            Source::Section(body, along, EquivalentPosition(c))
        }
        other => other,
    };
    let cable = matches!(link.method, Method::Ancf { element: AncfElement::Cable, .. });
    let space = model.space == Space::Spatial;
    let (m, x, z) = (Component::Magnitude, Component::X, Component::Z);
    let deflection = "deflection of the line from its undeformed place, in axes of its chord";
    let stress =
        "normal stress of the outer fibre where it is largest in magnitude, tension of two alike";
    let mut entries = match cable && space {
        true => vec![
            scalar("deflection", "m", deflection, any(Deflection(m))),
            scalar("deflection.x", "m", deflection, any(Deflection(x))),
        ],
        false => vec![vector("deflection", "m", deflection, with, any(Deflection(m)))],
    };
    entries.push(scalar("strain", "", "axial strain of the line", any(Strain)));
    entries.push(match cable && space {
        true => scalar("curvature", "1/m", "curvature of the line", any(Curvature(2))),
        false => scalar("curvature.z", "1/m", CURVATURE_Z, any(Curvature(2))),
    });
    if cable {
        let force = "axial force, positive in tension";
        entries.push(scalar("section_force.x", "N", force, any(Force(x))));
        entries.push(match space {
            true => scalar("section_moment", "N m", "bending moment", any(Moment(z))),
            false => scalar("section_moment.z", "N m", MOMENT, any(Moment(z))),
        });
    } else {
        let shear = "shear angle of the section along its y axis";
        entries.push(scalar("shear.y", "", shear, any(Shear(0))));
        entries.push(vector("section_force", "N", FORCE, with, any(Force(m))));
        if space {
            let shear = "shear angle of the section along its z axis";
            entries.extend([
                scalar("shear.z", "", shear, any(Shear(1))),
                scalar("curvature.y", "1/m", CURVATURE_Y, any(Curvature(1))),
                scalar("twist", "1/m", "twist of the line per length", any(Curvature(0))),
                vector("section_moment", "N m", MOMENT, with, any(Moment(m))),
            ]);
        } else {
            entries.push(scalar("section_moment.z", "N m", MOMENT, any(Moment(z))));
        }
    }
    entries.push(scalar("stress", "Pa", stress, any(Stress)));
    if link.is_rigid() && !space {
        entries.extend(vibration_entries(body, along));
    }
    if link.is_erls() {
        let displacement = "elastic displacement from the equivalent rigid link, in world axes";
        let position = "position of the place on the equivalent rigid link, in world axes";
        entries.extend([
            vector("displacement", "m", displacement, with, any(Displacement(m))),
            vector("equivalent_position", "m", position, with, any(EquivalentPosition(m))),
        ]);
    }
    entries
}

/// Of its vibration about the motion of the rigid mechanism.
fn vibration_entries(body: usize, along: f64) -> Vec<Entry> {
    use KedQuantity::*;
    let any = |quantity| Source::Ked(body, along, quantity);
    let with: fn(Source, Component) -> Source = |source, c| match source {
        Source::Ked(body, along, Displacement(_)) => Source::Ked(body, along, Displacement(c)),
        Source::Ked(body, along, NodalForce(_)) => Source::Ked(body, along, NodalForce(c)),
        Source::Ked(body, along, InertiaLoad(of, _)) => {
            Source::Ked(body, along, InertiaLoad(of, c))
        }
        other => other,
    };
    let m = Component::Magnitude;
    let displacement = "elastic displacement from the rigid motion, in world axes (ked)";
    let strain = "strain by bending of the outer fibre towards -y of the section";
    let mut entries = vec![
        vector("displacement", "m", displacement, with, any(Displacement(m))),
        scalar("rotation", "rad", "elastic rotation from the rigid motion (ked)", any(Rotation)),
        scalar("bending_strain", "", strain, any(BendingStrain(Side::Mean))),
        scalar("bending_strain.before", "", BEFORE, any(BendingStrain(Side::Before))),
        scalar("bending_strain.behind", "", BEHIND, any(BendingStrain(Side::Behind))),
        vector("nodal_force", "N", NODAL_FORCE, with, any(NodalForce(m))),
        scalar("nodal_moment", "N m", "the moment with it (ked)", any(NodalMoment)),
    ];
    let loads = [
        ("inertia_load", "inertia_moment", LOAD, LoadOf::Own),
        (
            "inertia_load_case_1",
            "inertia_moment_case_1",
            "by case 1 (ked)",
            LoadOf::Case(Case::One),
        ),
        (
            "inertia_load_case_2",
            "inertia_moment_case_2",
            "by case 2 (ked)",
            LoadOf::Case(Case::Two),
        ),
        (
            "inertia_load_difference",
            "inertia_moment_difference",
            "case 2 less case 1 (ked)",
            LoadOf::Case(Case::Difference),
        ),
    ];
    for (force, moment, about, of) in loads {
        entries.push(vector(force, "N", about, with, any(InertiaLoad(of, m))));
        entries.push(scalar(moment, "N m", about, any(InertiaMoment(of))));
    }
    entries
}

const BEFORE: &str = "the same by the element before the place (ked)";
const BEHIND: &str = "the same by the element behind the place (ked)";
const NODAL_FORCE: &str = "elastic force of what lies beyond the nearest node on the element before it, in world axes (ked)";
const LOAD: &str =
    "load of rigid acceleration and gravity on the nearest node by its link, in world axes (ked)";

pub(super) fn link_entries(body: usize) -> [Entry; 5] {
    use LinkQuantity::*;
    let any = |quantity| Source::Link(body, quantity);
    let stress = "largest normal stress of outer fibres along the link, in magnitude";
    let strain = "largest axial strain along the link, in magnitude";
    let deflection = "largest deflection along the link";
    [
        scalar("strain_energy", "J", "strain energy of the link", any(StrainEnergy)),
        scalar("damping_power", "W", "power lost to its damping, positive", any(DampingPower)),
        scalar("largest_stress", "Pa", stress, any(LargestStress)),
        scalar("largest_strain", "", strain, any(LargestStrain)),
        scalar("largest_deflection", "m", deflection, any(LargestDeflection)),
    ]
}

/// Value at the last kinematics, of a moving body at a share of its line.
pub(super) fn of_section(plant: &Plant, body: usize, along: f64, quantity: SectionQuantity) -> f64 {
    if stays_rigid(plant, body) {
        return f64::NAN;
    }
    if let Some(chain) = plant.system.chain(body + 1) {
        let deflection = || chain.deflection(along, &plant.work);
        return of_state(quantity, deflection, || chain.section(along, &plant.work));
    }
    if plant.system.bodies[body].formulation.is_floating() {
        let (body, state) = plant.system.floating_at(body, &plant.work);
        let (link, (q, v)) = (&body.link, state.mesh());
        let site = || link.site(along);
        match quantity {
            _ if plant.system.erls.is_none() => {}
            SectionQuantity::Displacement(c) => {
                return component(&(state.r * site().displacement(q)), c);
            }
            SectionQuantity::EquivalentPosition(c) => {
                return component(&(state.p + state.r * site().place), c);
            }
            _ => {}
        }
        let deflection = || link.deflection(&site(), q);
        return of_state(quantity, deflection, || link.section_at(along, q, v));
    }
    let (link, q, v) = plant.system.beam_at(body, &plant.work);
    let site = link.beam.site(along);
    let deflection = || link.beam.deflection(&site, q);
    of_state(quantity, deflection, || link.beam.section_at(&site, q, v))
}

fn of_state(
    quantity: SectionQuantity,
    deflection: impl Fn() -> Vector3<f64>,
    state: impl Fn() -> SectionState,
) -> f64 {
    match quantity {
        SectionQuantity::Deflection(c) => component(&deflection(), c),
        SectionQuantity::Strain => state().strain,
        SectionQuantity::Shear(i) => state().shear[i],
        SectionQuantity::Curvature(i) => state().curvature[i],
        SectionQuantity::Force(c) => component(&state().force, c),
        SectionQuantity::Moment(c) => component(&state().moment, c),
        SectionQuantity::Stress => state().outer_stress(),
        // Of links on an equivalent rigid system only.
        SectionQuantity::Displacement(_) | SectionQuantity::EquivalentPosition(_) => f64::NAN,
    }
}

/// Whether a link bends beside the motion only.
fn stays_rigid(plant: &Plant, body: usize) -> bool {
    plant.system.model.rigid_links.iter().any(|link| link.body.0 == body + 1)
}

/// The same of the whole link.
pub(super) fn of_link(plant: &Plant, body: usize, quantity: LinkQuantity) -> f64 {
    if stays_rigid(plant, body) {
        return f64::NAN;
    }
    if let Some(chain) = plant.system.chain(body + 1) {
        let work = &plant.work;
        return match quantity {
            LinkQuantity::StrainEnergy => chain.strain_energy(work),
            LinkQuantity::DampingPower => chain.dissipation(work),
            LinkQuantity::LargestStress => chain.peaks(work).stress.value.abs(),
            LinkQuantity::LargestStrain => chain.peaks(work).strain().value.abs(),
            LinkQuantity::LargestDeflection => chain.largest_deflection(work).value,
        };
    }
    if plant.system.bodies[body].formulation.is_floating() {
        let (body, state) = plant.system.floating_at(body, &plant.work);
        let (link, (q, v)) = (&body.link, state.mesh());
        return match quantity {
            LinkQuantity::StrainEnergy => link.strain_energy(&state.q),
            LinkQuantity::DampingPower => link.dissipation(&state.q, &state.v),
            LinkQuantity::LargestStress => link.peaks(q, v).stress.value.abs(),
            LinkQuantity::LargestStrain => link.peaks(q, v).strain().value.abs(),
            LinkQuantity::LargestDeflection => link.largest_deflection(q).value,
        };
    }
    let (link, q, v) = plant.system.beam_at(body, &plant.work);
    match quantity {
        LinkQuantity::StrainEnergy => link.beam.strain_energy(q),
        LinkQuantity::DampingPower => link.dissipation(q, v),
        LinkQuantity::LargestStress => link.beam.peaks(q, v).stress.value.abs(),
        LinkQuantity::LargestStrain => link.beam.peaks(q, v).strain().value.abs(),
        LinkQuantity::LargestDeflection => link.beam.largest_deflection(q).value,
    }
}
