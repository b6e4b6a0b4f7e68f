//! Two free bodies with a loose joint between them, pressed together at one of its spots.

use std::sync::Arc;

use super::spatial::two_free;
use super::states::*;
use super::*;
use gudgeon::clearance::contact::{ContactMemory, Mode};
use gudgeon::clearance::formula::NormalFormula;
use gudgeon::formula::{Formula, Site, Smooth, Step};
use gudgeon::friction::{FrictionFormula, FrictionLaw, ZonedLaw};
use gudgeon::system::{Plant, System};

pub const BEARING: f64 = 0.3;
pub const GAP: f64 = 0.05;

pub const FRICTIONS: [Option<FrictionLaw>; 3] = [
    None,
    Some(FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: 0.2, v0: 0.01, v1: 0.5 })),
    Some(FrictionLaw::Zoned(ZonedLaw::ThreeZone { mu_s: 0.3, mu_d: 0.1, v_s: 0.4, v_d: 1.5 })),
];

pub fn normal_laws() -> Vec<NormalLaw> {
    let damping = Damping::LankaraniNikravesh { restitution: 0.8 };
    [
        Elastic::Power { stiffness: 1e3, exponent: 1.5 },
        Elastic::Power { stiffness: 1e3, exponent: 2.2 },
        Elastic::Foundation { modulus: 1e4, clearance: GAP, width: 0.2 },
        Elastic::HybridPrinted { modulus: 1e4, clearance: GAP, exponent: 1.5 },
        Elastic::HybridSlope { modulus: 1e4, clearance: GAP, width: 0.2 },
    ]
    .map(|elastic| NormalLaw::new(elastic, damping))
    .to_vec()
}

/// K δ^1.5 (1 + a δ̇/δ̇⁽⁻⁾) + c δ δ̇ + k max(δ − d, 0): what no built-in law is, with a piece.
pub fn formula_normal() -> NormalLaw {
    let mut f = Formula::default();
    let [depth, rate, speed, _] = [0, 1, 2, 3].map(|i| f.push(Step::Input(i)));
    let hertz = f.push(Step::Power(depth, 1.5));
    let ratio = f.push(Step::Divide(rate, speed));
    let damped = f.push(Step::Scale(0.4, ratio));
    let bracket = f.push(Step::Shift(1.0, damped));
    let first = f.push(Step::Multiply(hertz, bracket));
    let first = f.push(Step::Scale(1e3, first));
    let second = f.push(Step::Multiply(depth, rate));
    let second = f.push(Step::Scale(7.0, second));
    let beyond = f.push(Step::Shift(-0.03, depth));
    let none = f.push(Step::Constant(0.0));
    let site = f.push_site(Site::Sign(beyond));
    let more = f.push(Step::Choose(site, beyond, none));
    let third = f.push(Step::Scale(2e3, more));
    let sum = f.push(Step::Add(first, second));
    f.push(Step::Add(sum, third));
    NormalLaw::Formula(Arc::new(NormalFormula::new(f, 0.01)))
}

/// 0.3 tanh(s/0.5) (1 + N/50).
pub fn formula_friction() -> FrictionLaw {
    let mut f = Formula::default();
    let [slip, load, _] = [0, 1, 2].map(|i| f.push(Step::Input(i)));
    let share = f.push(Step::Scale(2.0, slip));
    let rising = f.push(Step::Smooth(Smooth::Tanh, share));
    let heavy = f.push(Step::Scale(1.0 / 50.0, load));
    let more = f.push(Step::Shift(1.0, heavy));
    let product = f.push(Step::Multiply(rising, more));
    f.push(Step::Scale(0.3, product));
    FrictionLaw::Formula(Arc::new(FrictionFormula::new(f)))
}

/// Every shape of play, its flanges under the same law.
pub fn shapes(normal: NormalLaw) -> Vec<(Space, JointKind, Form)> {
    use JointKind::{Cylindrical, Prismatic, Revolute, Spherical};
    let askew = |axial, tilt| Form::Journal { length: 0.4, bearing_length: 0.5, axial, tilt };
    let journal = |axial| askew(axial, Tilt::Free);
    let play = Axial::Play { clearance: GAP, radius: 0.25, normal };
    vec![
        (Space::Planar, Revolute, Form::Pin),
        (Space::Planar, Prismatic, Form::Guide { length: 0.6, width: 0.2 }),
        (Space::Spatial, Spherical, Form::Ball),
        (Space::Spatial, Revolute, journal(Axial::Fixed)),
        (Space::Spatial, Revolute, journal(play)),
        (Space::Spatial, Cylindrical, journal(Axial::Free)),
        (Space::Spatial, Revolute, askew(Axial::Fixed, Tilt::Fixed)),
        (Space::Spatial, Cylindrical, askew(Axial::Free, Tilt::Fixed)),
    ]
}

/// Two free bodies, bearing on the first and journal on the second.
pub fn loose(
    (space, kind, form): (Space, JointKind, Form),
    normal: NormalLaw,
    friction: Option<FrictionLaw>,
) -> Model {
    let mut model = two_free(space);
    let mut loose = joint("loose", kind, 1, 2);
    loose.clearance = Some(Clearance { form, friction, ..clearance(BEARING, GAP, normal) });
    model.joints.push(loose);
    model
}

/// A random state with one contact pressed: |e| between 1.1 c and 2 c, any tilt.
pub fn pressed(system: &System, contact: usize, random: &mut Random) -> Vec<f64> {
    let mut y = random_state(system, random, 1.0);
    let g = Plant::new(system).contact_geometry(contact, 0.0, &y);
    let element = &system.contacts[contact];
    let wanted = g.normal * (element.clearance.radial * random.between(1.1, 2.0));
    let journal = system.attachments[element.b].body - 1;
    let first = coordinates_of(system, journal);
    for k in 0..system.bodies[journal].formulation.lengths() {
        y[first + k] += wanted[k] - g.eccentricity[k];
    }
    y
}

/// Puts a contact into its mode with the friction zone of the state.
pub fn in_contact(plant: &mut Plant, contact: usize, y: &[f64]) {
    let g = plant.contact_geometry(contact, 0.0, y);
    let element = &plant.system.contacts[contact];
    let own = &mut plant.memory.pieces[element.pieces.clone()];
    let (normal, rubbing) = own.split_at_mut(element.clearance.normal.sites());
    if let NormalLaw::Formula(law) = &element.clearance.normal {
        law.find_pieces(g.depth, g.rate, 3.0, normal);
    }
    let friction = element.clearance.friction.as_ref();
    let load = element.clearance.normal.force(g.depth, g.rate, 3.0, normal).value;
    let zone = friction.map_or(ContactMemory::FREE.zone, |law| match law.formula() {
        Some(law) => {
            law.find_pieces(g.sliding.abs(), load.abs(), rubbing);
            law.zone(g.sliding, load.abs(), rubbing)
        }
        None => law.zone(g.sliding),
    });
    plant.memory.contacts[contact] = ContactMemory {
        mode: Mode::Contact { cut: false },
        impact_speed: 3.0,
        zone,
        root_scale: 0.2,
        ..ContactMemory::FREE
    };
}

/// Calls `check` at random states with one contact of a loose joint pressed, for every spot.
pub fn at_pressed_states(
    normal: NormalLaw,
    friction: Option<FrictionLaw>,
    seed: u64,
    check: impl FnMut(&mut Plant, usize, &[f64]),
) {
    at_pressed_states_of(normal, friction, seed, |model| model, check);
}

/// The same after a change of the model.
pub fn at_pressed_states_of(
    normal: NormalLaw,
    friction: Option<FrictionLaw>,
    seed: u64,
    changed: impl Fn(Model) -> Model,
    mut check: impl FnMut(&mut Plant, usize, &[f64]),
) {
    let mut random = Random(seed);
    for shape in shapes(normal.clone()) {
        let model = changed(loose(shape, normal.clone(), friction.clone()));
        let system = System::compile(&model).unwrap();
        for contact in 0..system.contacts.len() {
            for _ in 0..20 {
                let y = pressed(&system, contact, &mut random);
                let mut plant = Plant::new(&system);
                in_contact(&mut plant, contact, &y);
                check(&mut plant, contact, &y);
            }
        }
    }
}
