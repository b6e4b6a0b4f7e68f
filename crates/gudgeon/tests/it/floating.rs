//! Links with a floating frame against rigid bodies, other formulations, published values and balances.

use crate::common::beams::*;
use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::flexible::{
    Damping, Elasticity, Flexible, Floating, Method as Flexing, Modes, Reference, Section,
    Stiffening,
};
use gudgeon::modal::{About, ModalSpec, analyse};
use gudgeon::model::*;
use gudgeon::progress::Unwatched;
use gudgeon::results::{LedgerKind, LedgerLine, Status};
use gudgeon::run::{Index, Limits, Method, RunSpec};
use gudgeon::simulate::{Observer, simulate};
use nalgebra::{Matrix3, Vector3};

const BOTH: [Space; 2] = [Space::Planar, Space::Spatial];
const REFERENCES: [Reference; 3] = [Reference::Clamped, Reference::Chord, Reference::Mean];
const STIFFENINGS: [Stiffening; 2] = [Stiffening::None, Stiffening::Actual];

fn floating(link: Flexible, reference: Reference, stiffening: Stiffening) -> Flexible {
    let frame = Floating { reference, stiffening, shear: false, modes: None };
    Flexible { method: Flexing::Floating(frame), ..link }
}

/// Vidoni's pendulum: 1 m of 50 mm in the plane of motion by 2.5 mm, with line mass, from level.
fn soft(young: f64, elements: usize) -> Flexible {
    let section = Section { rotary: false, ..Section::rectangle(0.05, 0.0025, young, 0.3, 7800.0) };
    straight(1.0, section, elements, Elasticity::Line)
}

struct Nobody;

impl Observer for Nobody {}

struct Run {
    last: Vec<f64>,
    drift: f64,
}

fn run(model: &Model, end: f64, method: Method, rtol: f64, outputs: &[&str]) -> Run {
    let spec = RunSpec { method, rtol: Some(rtol), ..run_for(model, end, outputs) };
    let report = simulate(&assemble(model).unwrap(), &spec, &mut Nobody);
    assert_eq!(report.status, Status::Done);
    Run { last: report.final_values, drift: report.energy.residual_max }
}

const RADAU: Method = Method::Radau5 { step: None };

#[test]
fn a_stiff_link_moves_as_a_rigid_body() {
    let outputs = ["rod.tip.position.x", "rod.tip.position.y", "pivot.reaction.y"];
    for space in BOTH {
        let link = Flexible { damping: Damping { strain: 1e-3, mass: 0.0 }, ..soft(2.1e13, 2) };
        let elastic = pendulum(floating(link, Reference::Clamped, Stiffening::Actual), space);
        let mut rigid = elastic.clone();
        rigid.bodies[1].flexible = None;
        let wanted = run(&rigid, 0.8, Method::Dop853, 1e-10, &outputs).last;
        let found = run(&elastic, 0.8, RADAU, 1e-7, &outputs).last;
        for (found, wanted) in found.iter().zip(&wanted) {
            // Bending by w L⁴/8EI is 2e-6 m here.
            // Reactions follow stresses to the tolerance only.
            assert!((found - wanted).abs() < 5e-5 * (1.0 + wanted.abs()), "{found} {wanted}");
        }
    }
}

/// Elements of some thousand rad/s over 1.7 s; the swing holds 7.4 J. Some 1e-11 J are lost.
#[test]
fn energy_is_kept_by_explicit_steps() {
    for space in BOTH {
        for (k, stiffening) in STIFFENINGS.into_iter().enumerate() {
            let link = floating(soft(2.1e8, 2), REFERENCES[k], stiffening);
            let drift = run(&pendulum(link, space), 1.7, Method::Dop853, 1e-10, &[]).drift;
            assert!(drift < 1e-8, "{space:?} {stiffening:?}: {drift:e}");
        }
    }
}

#[test]
#[ignore = "slow: follows stretch at up to 6e3 rad/s"]
fn energy_is_kept_with_more_elements_and_by_radau() {
    for (elements, method) in [(2, RADAU), (10, Method::Dop853)] {
        for stiffening in STIFFENINGS {
            let link = floating(soft(2.1e8, elements), Reference::Clamped, stiffening);
            let drift = run(&pendulum(link, Space::Planar), 1.7, method, 1e-10, &[]).drift;
            println!("{elements} {stiffening:?} {method:?}: {drift:e}");
            assert!(drift < 1e-8, "{elements} {stiffening:?} {method:?}: {drift:e}");
        }
    }
}

/// What forces of the rigid motion gain is its own line, so that the rest of the balance closes.
#[test]
fn what_stiffening_by_the_rigid_motion_gains_is_told() {
    for space in BOTH {
        let link = floating(soft(2.1e8, 2), Reference::Chord, Stiffening::Rigid);
        let model = pendulum(link, space);
        let own = run_for(&model, 1.7, &[]);
        let spec = RunSpec { method: Method::Dop853, rtol: Some(1e-10), ..own };
        let report = simulate(&assemble(&model).unwrap(), &spec, &mut Nobody);
        let line = |line: &&LedgerLine| line.kind == LedgerKind::Formulation;
        let gained = report.energy.lines.iter().find(line).unwrap().value;
        println!("{gained} {:e}", report.energy.residual_max);
        assert!(report.energy.residual_max < 1e-8, "{:e}", report.energy.residual_max);
        // Of 7.4 J; nothing would be a line that is not kept.
        assert!(gained.abs() > 1e-5 && gained.abs() < 0.07, "{gained}");
    }
}

/// Deflection of the middle of the soft pendulum at 1.638 s: 0.00126 of exact beams, within 3e-4 with the force that the
/// line bears; 0.00149 with that of the rigid motion, by an independent program.
#[test]
fn stiffening_decides_on_the_soft_pendulum() {
    let middle = |reference: Reference, stiffening: Stiffening| {
        let link = floating(soft(2.1e8, 10), reference, stiffening);
        let model = pendulum(link, Space::Planar);
        run(&model, 1.638, RADAU, 1e-5, &["rod.middle.deflection.y"]).last[0]
    };
    let [none, actual] = STIFFENINGS.map(|stiffening| middle(Reference::Clamped, stiffening));
    let rigid = middle(Reference::Chord, Stiffening::Rigid);
    println!("{none} {actual} {rigid}");
    assert!((actual - 0.00126).abs() < 3e-4, "{actual}");
    assert!((none + 0.0114).abs() < 1e-4, "{none}");
    assert!((rigid / 0.00149 - 1.0).abs() < 0.01, "{rigid}");
}

#[test]
fn results_do_not_depend_on_the_frame() {
    // Bends by 1e-4 of its length: what frames differ by is of second order.
    for space in BOTH {
        let of = |reference| {
            let link = Flexible {
                damping: Damping { strain: 1e-4, mass: 0.0 },
                ..floating(soft(2.1e11, 4), reference, Stiffening::Actual)
            };
            let outputs = ["rod.tip.position.x", "rod.tip.position.y", "rod.middle.deflection.y"];
            run(&pendulum(link, space), 0.4, RADAU, 1e-8, &outputs).last
        };
        let wanted = of(Reference::Clamped);
        for reference in [Reference::Chord, Reference::Mean] {
            for (found, wanted) in of(reference).iter().zip(&wanted) {
                println!("{space:?} {reference:?} {found} {wanted}");
                assert!((found - wanted).abs() < 1e-6, "{reference:?}: {found} {wanted}");
            }
        }
    }
}

#[test]
fn generalised_alpha_converges_with_the_square_of_the_step() {
    let link = Flexible {
        damping: Damping { strain: 2e-3, mass: 0.0 },
        ..floating(soft(2.1e9, 2), Reference::Chord, Stiffening::Actual)
    };
    let model = pendulum(link, Space::Spatial);
    let at = |step: f64| {
        let method = Method::GeneralizedAlpha { rho: 0.8, index: Index::Three, step: Some(step) };
        run(&model, 0.5, method, 1e-9, &["rod.tip.position.x", "rod.tip.position.y"]).last
    };
    let [coarse, middle, fine] = [2e-3, 1e-3, 5e-4].map(at);
    for k in 0..2 {
        let ratio = (coarse[k] - middle[k]) / (middle[k] - fine[k]);
        assert!((3.3..4.7).contains(&ratio), "{ratio}");
    }
}

/// Cubics are exact under forces at their nodes; (βl/n)⁴/1440 of the frequencies.
#[test]
fn a_cantilever_agrees_with_closed_forms_in_every_frame() {
    let section = Section { rotary: false, ..Section::rectangle(0.02, 0.01, 2.1e11, 0.3, 7800.0) };
    let n = 8;
    for space in BOTH {
        for reference in REFERENCES {
            let link = straight(1.0, section, n, Elasticity::Line);
            let mut model = pendulum(floating(link, reference, Stiffening::Actual), space);
            model.gravity = Vector3::zeros();
            model.joints[0].kind = JointKind::Fixed;
            let spec = ModalSpec {
                about: About::Start,
                modes: Some(6),
                damped: false,
                impact_speed: None,
            };
            let found = analyse(&model, spec, Limits::default(), &Unwatched).unwrap();
            let rigidity = (section.young * section.inertia_z / section.mass_per_length).sqrt();
            for beta in [1.875_104_068_7f64, 4.694_091_133] {
                let wanted = beta * beta * rigidity / std::f64::consts::TAU;
                let near = found.modes.iter().map(|mode| (mode.frequency / wanted - 1.0).abs());
                let off = near.fold(f64::INFINITY, f64::min);
                let bound = 1.2 * (beta / n as f64).powi(4) / 1440.0 + 1e-7;
                assert!(off < bound, "{space:?} {reference:?} {wanted}: {off:e}");
            }
            let kind = ForceKind::Point {
                at: MarkerId(3),
                components: constant([0.0, -0.01, 0.0]),
                axes: Axes::World,
            };
            model.forces.push(force("load", kind));
            let sensors = [gudgeon::sensor::resolve(&model, "rod.tip.position.y").unwrap()];
            let still = gudgeon::equilibrium::Steady::Still;
            let rest =
                gudgeon::equilibrium::find(&model, still, &sensors, Limits::default(), &Unwatched);
            let wanted = -0.01 / (3.0 * section.young * section.inertia_z);
            let off = (rest.unwrap().outputs[0] / wanted - 1.0).abs();
            assert!(off < 1e-6, "{space:?} {reference:?}: {off:e}");
        }
    }
}

/// The pendulum with a bob that turns at its tip, so that both ends of the rod are held.
fn with_bob(link: Flexible, space: Space) -> Model {
    let mut model = pendulum(link, space);
    let mut bob = Body::new("bob");
    (bob.mass, bob.inertia) = (Some(0.4), Some(Matrix3::identity() * 1e-3));
    bob.start = start_at(1.0, 0.0, 0.0);
    model.bodies.push(bob);
    model.markers.push(marker("centre", 2, 0.0, 0.05));
    model.markers.push(marker("hook", 2, 0.0, 0.0));
    let kind = if space == Space::Planar { JointKind::Revolute } else { JointKind::Spherical };
    model.joints.push(joint("hook", kind, 3, 5));
    model
}

fn modal(link: Flexible, modes: Modes) -> Flexible {
    let method = Flexing::Floating(Floating { modes: Some(modes), ..link.floating() });
    Flexible { method, ..link }
}

fn frequencies(model: &Model, count: usize) -> Vec<f64> {
    let spec =
        ModalSpec { about: About::Start, modes: Some(count), damped: false, impact_speed: None };
    let found = analyse(model, spec, Limits::default(), &Unwatched).unwrap();
    found.modes.iter().map(|mode| mode.frequency).collect()
}

/// Coordinates of interface and modes are others for the same motion when no mode is left out.
#[test]
fn with_all_modes_nothing_changes() {
    for (space, reference, stiffening) in [
        (Space::Planar, Reference::Clamped, Stiffening::None),
        (Space::Planar, Reference::Chord, Stiffening::None),
        (Space::Spatial, Reference::Clamped, Stiffening::None),
        (Space::Spatial, Reference::Chord, Stiffening::None),
    ] {
        let link = floating(soft(2.1e8, 4), reference, stiffening);
        let whole = with_bob(link.clone(), space);
        let modes = with_bob(modal(link, Modes::Count(1000)), space);
        let outputs = [
            "rod.tip.position.x",
            "rod.tip.position.y",
            "rod.middle.deflection.y",
            "rod.middle.section_moment.z",
            "hook.reaction.y",
        ];
        let outputs = if space == Space::Planar { &outputs[..3] } else { &outputs };
        let of = |model: &Model| run(model, 0.2, Method::Dop853, 1e-11, outputs);
        let (wanted, found) = (of(&whole), of(&modes));
        assert!(found.drift < 1e-9, "{:e}", found.drift);
        for (k, (found, wanted)) in found.last.iter().zip(&wanted.last).enumerate() {
            let off = (found - wanted).abs();
            println!("{space:?} {reference:?} {found} {wanted} {off:e}");
            // Forces see the rounding of places times EA/l, 1e5 N/m.
            let bound = if k < 3 { 1e-12 } else { 1e-8 };
            assert!(off < bound, "{space:?} {reference:?}: {found} {wanted}");
        }
    }
}

/// Frequencies are those of all coordinates but for what higher modes bring, and no mode brings more than it should.
#[test]
fn modes_bring_frequencies_down_to_those_of_all_coordinates() {
    let still = |link: Flexible| {
        let mut model = with_bob(link, Space::Planar);
        model.gravity = Vector3::zeros();
        model.joints[0].kind = JointKind::Fixed;
        model
    };
    let link = floating(soft(2.1e11, 8), Reference::Clamped, Stiffening::None);
    let at = |modes: Modes| frequencies(&still(modal(link.clone(), modes)), 6);
    let whole = frequencies(&still(link.clone()), 6);
    let all = at(Modes::Count(1000));
    let [two, five] = [2, 5].map(|count| at(Modes::Count(count)));
    println!("{whole:?}\n{all:?}\n{two:?}\n{five:?}");
    for k in 2..5 {
        assert!((all[k] / whole[k] - 1.0).abs() < 1e-8, "{} {}", all[k], whole[k]);
        assert!(two[k] > five[k] - 1e-8 * five[k] && five[k] > whole[k] * (1.0 - 1e-8));
    }
    assert!((five[2] / whole[2] - 1.0).abs() < 1e-5);
    // Of a beam held at both ends: 3.5608 (β² L²/2π = 22.373/2π) of the root of EI/ρA.
    let section = &link.section;
    let root = (section.young * section.inertia_z / section.mass_per_length).sqrt();
    let below = |factor: f64| Modes::UpTo(factor * 22.3733 / std::f64::consts::TAU * root);
    let system = |modes: Modes| {
        let model = still(modal(link.clone(), modes));
        let system = gudgeon::system::System::compile(&model).unwrap();
        system.floating[0].link.basis.as_ref().unwrap().kept.len()
    };
    assert_eq!([system(below(0.99)), system(below(1.01))], [0, 1]);
}
