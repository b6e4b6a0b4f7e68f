//! Links on an equivalent rigid-link system against published and independent values, energy and other formulations.

use crate::common::beams::*;
use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::flexible::{
    Damping, Elasticity, Erls, Flexible, Floating, Method as Flexing, NodeFreedom, Reference,
    Section, Stiffening, Virtual,
};
use gudgeon::model::*;
use gudgeon::results::{LedgerKind, RunReport, Status};
use gudgeon::run::{Method, RunSpec};
use gudgeon::simulate::{Observer, simulate};
use gudgeon::system::Plant;
use gudgeon_dae::{Differences, ImplicitDae, Place, SecondOrderDae, Tangents};
use nalgebra::{Matrix3, Vector3};

const BOTH: [Space; 2] = [Space::Planar, Space::Spatial];
const RADAU: Method = Method::Radau5 { step: None };
const NO_CENTRIFUGAL: Erls = Erls { centrifugal: false, ..ALL };
const ALL: Erls = Erls {
    shear: false,
    coriolis: true,
    centrifugal: true,
    virtual_terms: Virtual::Truncated,
    zeroed: None,
};
const EXACT: Erls = Erls { virtual_terms: Virtual::Exact, ..ALL };

fn on_rigid(link: Flexible, erls: Erls) -> Flexible {
    Flexible { method: Flexing::Erls(erls), ..link }
}

fn zeroed(node: usize, freedom: usize) -> Option<[Option<NodeFreedom>; 6]> {
    Some([Some(NodeFreedom { node, freedom }), None, None, None, None, None])
}

/// Vidoni's pendulum: 1 m of 50 mm in the plane of motion by 2.5 mm, from level.
fn soft(young: f64, elements: usize, rotary: bool) -> Flexible {
    let section = Section { rotary, ..Section::rectangle(0.05, 0.0025, young, 0.3, 7800.0) };
    straight(1.0, section, elements, Elasticity::Line)
}

/// Vidoni's two links of 0.5 m, the second across the plane of the first, from (0, 90°).
fn double_pendulum(young: f64, elements: usize, damping: Damping, erls: [Erls; 2]) -> Model {
    let mut model = Model { space: Space::Spatial, ..empty("double pendulum") };
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    // Link 1 has 30 mm along Z and 10 mm along its own y; link 2 30 mm along the axis of its joint.
    let turned = Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0);
    let section = Section::rectangle(0.01, 0.03, young, 0.3, 7800.0);
    for (k, erls) in erls.into_iter().enumerate() {
        let link = straight(0.5, section, elements, Elasticity::Line);
        let mut body = Body::new(["first", "second"][k]);
        body.become_flexible(on_rigid(Flexible { damping, ..link }, erls), Space::Spatial);
        body.start = start_at(0.0, 0.0, 0.0);
        if k == 1 {
            // x along −Z of link 1 where q₂ = 90°, z the axis of the joint.
            let r = turned * frame_of_turn(std::f64::consts::FRAC_PI_2);
            body.start.orientation = Some(Orientation::Rotation(r));
            body.start.position = Some(Vector3::new(0.5, 0.0, 0.0));
        }
        model.bodies.push(body);
    }
    let at_axis = |name: &str, body: usize, x: f64, r: Matrix3<f64>| Marker {
        local: gudgeon::math::spatial::Frame { p: Vector3::new(x, 0.0, 0.0), r },
        ..marker(name, body, x, 0.0)
    };
    model.markers = vec![
        marker("pivot", 0, 0.0, 0.0),
        marker("pivot", 1, 0.0, 0.0),
        at_axis("elbow", 1, 0.5, turned),
        marker("elbow", 2, 0.0, 0.0),
        marker("tip", 1, 0.5, 0.0),
        marker("tip", 2, 0.5, 0.0),
    ];
    model.joints = vec![
        joint("shoulder", JointKind::Revolute, 0, 1),
        joint("elbow", JointKind::Revolute, 2, 3),
    ];
    model
}

fn frame_of_turn(angle: f64) -> Matrix3<f64> {
    gudgeon::math::spatial::Frame::planar(0.0, 0.0, angle).r
}

/// A four-bar linkage with a crank of 0.1, a coupler of 0.4 and a follower of 0.3 m.
fn four_bar(space: Space, elements: usize, erls: Erls) -> Model {
    let mut model = Model { space, ..empty("four bar") };
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    let section = Section::rectangle(0.01, 0.012, 7e8, 0.3, 2700.0);
    let (a, b, c, d) = (0.1, 0.4, 0.3, 0.35);
    let crank = 1.0f64;
    let pin = Vector3::new(a * crank.cos(), a * crank.sin(), 0.0);
    let apart = Vector3::new(d, 0.0, 0.0) - pin;
    let (far, along) = (apart.norm(), apart.y.atan2(apart.x));
    let coupler = along + ((b * b + far * far - c * c) / (2.0 * b * far)).acos();
    let end = pin + Vector3::new(b * coupler.cos(), b * coupler.sin(), 0.0);
    let follower = (end.y).atan2(end.x - d);
    let poses = [(a, 0.0, 0.0, crank), (b, pin.x, pin.y, coupler), (c, d, 0.0, follower)];
    for (k, (length, x, y, angle)) in poses.into_iter().enumerate() {
        let link = straight(length, section, elements, Elasticity::Line);
        let mut body = Body::new(["crank", "coupler", "follower"][k]);
        body.become_flexible(on_rigid(link, erls), space);
        body.start = start_at(x, y, angle);
        if space == Space::Spatial {
            body.start.orientation = Some(Orientation::Rotation(frame_of_turn(angle)));
        }
        model.bodies.push(body);
    }
    model.markers = vec![
        marker("a", 0, 0.0, 0.0),
        marker("a", 1, 0.0, 0.0),
        marker("b", 1, a, 0.0),
        marker("b", 2, 0.0, 0.0),
        marker("c", 2, b, 0.0),
        marker("c", 3, c, 0.0),
        marker("d", 0, d, 0.0),
        marker("d", 3, 0.0, 0.0),
        marker("middle", 2, 0.5 * b, 0.0),
    ];
    model.joints = vec![
        joint("a", JointKind::Revolute, 0, 1),
        joint("b", JointKind::Revolute, 2, 3),
        joint("c", JointKind::Revolute, 4, 5),
        joint("d", JointKind::Revolute, 6, 7),
    ];
    model
}

struct Nobody;

impl Observer for Nobody {}

fn run(model: &Model, end: f64, method: Method, rtol: f64, outputs: &[&str]) -> RunReport {
    let spec = RunSpec { method, rtol: Some(rtol), ..run_for(model, end, outputs) };
    let report = simulate(&assemble(model).unwrap(), &spec, &mut Nobody);
    assert_eq!(report.status, Status::Done);
    report
}

fn line(report: &RunReport, kind: LedgerKind) -> f64 {
    report.energy.lines.iter().find(|line| line.kind == kind).map_or(0.0, |line| line.value)
}

/// Deflection of the middle of the soft pendulum at 1.638 s.
fn middle(elements: usize, rotary: bool, erls: Erls) -> f64 {
    let erls = Erls { zeroed: zeroed(elements, 1), ..erls };
    let link = on_rigid(soft(2.1e8, elements, rotary), erls);
    let model = pendulum(link, Space::Planar);
    -run(&model, 1.638, Method::Dop853, 1e-9, &["rod.middle.deflection.y"]).final_values[0]
}

#[test]
fn the_pendulum_bends_as_in_table_3() {
    // Line mass without M_C, line mass with all terms, sections with inertia and all terms; printed.
    let table = [
        (2, [0.009917, 0.010490, 0.010723], 0.009948),
        (4, [0.010805, 0.010709, 0.010192], 0.01083),
    ];
    for (elements, wanted, printed) in table {
        let found = [
            middle(elements, false, NO_CENTRIFUGAL),
            middle(elements, false, ALL),
            middle(elements, true, ALL),
        ];
        println!("{elements}: {found:?}");
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found / wanted - 1.0).abs() < 1e-3, "{elements}: {found} {wanted}");
        }
        assert!((found[0] / printed - 1.0).abs() < 5e-3, "{elements}: {} {printed}", found[0]);
    }
}

/// With exact virtual terms every formulation that drops none keeps energy; with truncated ones what is lost stands in its
/// own line.
#[test]
fn energy_is_kept_with_exact_virtual_terms() {
    for space in BOTH {
        for erls in [EXACT, ALL, NO_CENTRIFUGAL] {
            let link = on_rigid(soft(2.1e8, 2, true), erls);
            let report = run(&pendulum(link, space), 1.0, Method::Dop853, 1e-11, &[]);
            let gained = line(&report, LedgerKind::Formulation);
            println!(
                "{space:?} {erls:?} formulation {gained:e} residual {:e} peak {}",
                report.energy.residual_max, report.energy.peak_kinetic
            );
            assert!(report.energy.residual_max < 1e-8);
            match erls.virtual_terms {
                Virtual::Exact => assert!(gained.abs() < 1e-9),
                Virtual::Truncated => assert!(gained.abs() > 1e-6),
            }
        }
    }
}

#[test]
fn exact_virtual_terms_are_a_floating_frame() {
    let link = soft(2.1e9, 4, true);
    let outputs = ["rod.tip.position.x", "rod.tip.position.y", "rod.middle.deflection.y"];
    for space in BOTH {
        let frame = Floating {
            reference: Reference::Chord,
            stiffening: Stiffening::None,
            ..Floating::default()
        };
        let floating = Flexible { method: Flexing::Floating(frame), ..link.clone() };
        let wanted = run(&pendulum(floating, space), 0.6, Method::Dop853, 1e-10, &outputs);
        let erls = on_rigid(link.clone(), Erls { zeroed: zeroed(4, 1), ..EXACT });
        let found = run(&pendulum(erls, space), 0.6, Method::Dop853, 1e-10, &outputs);
        for (found, wanted) in found.final_values.iter().zip(&wanted.final_values) {
            assert!((found - wanted).abs() < 1e-6, "{space:?}: {found} {wanted}");
        }
    }
}

#[test]
fn a_double_pendulum_keeps_energy_with_exact_virtual_terms() {
    let erls = |freedom| Erls { zeroed: zeroed(2, freedom), ..EXACT };
    for erls in [[erls(1), erls(1)], [EXACT, EXACT]] {
        let model = double_pendulum(2e10, 2, Damping::default(), erls);
        let report = run(&model, 0.1, Method::Dop853, 1e-11, &[]);
        println!("{:e} of {}", report.energy.residual_max, report.energy.peak_kinetic);
        assert!(line(&report, LedgerKind::Formulation).abs() < 1e-8);
        assert!(report.energy.residual_max < 1e-8);
    }
}

#[test]
fn a_double_pendulum_swings_as_published() {
    let erls = Erls { zeroed: zeroed(2, 1), ..ALL };
    let model = double_pendulum(2e10, 2, Damping::default(), [erls, erls]);
    let outputs = [
        "first.tip.position.z",
        "second.tip.position.x",
        "second.tip.position.y",
        "second.tip.position.z",
    ];
    let report = run(&model, 0.5, Method::Dop853, 1e-8, &outputs);
    println!("{:?}", report.final_values);
    for extreme in &report.extremes {
        println!("{extreme:?}");
    }
    for (found, wanted) in report.final_values[1..].iter().zip([-0.08535, -0.82158, 0.38137]) {
        assert!((found - wanted).abs() < 1e-4, "{found} {wanted}");
    }
}

#[test]
fn closed_chains_keep_energy_with_exact_virtual_terms() {
    for space in BOTH {
        let model = four_bar(space, 2, EXACT);
        let report = run(&model, 0.2, Method::Dop853, 1e-11, &["a.angle"]);
        println!("{space:?} {:e} {}", report.energy.residual_max, report.energy.peak_kinetic);
        assert!(report.energy.residual_max < 1e-9);
        assert!(line(&report, LedgerKind::Formulation).abs() < 1e-10);
    }
}

/// Implicit steps see masses that are not symmetric, and derivatives by differences.
#[test]
fn implicit_and_explicit_steps_agree() {
    let outputs = ["rod.tip.position.x", "rod.tip.position.y", "rod.middle.deflection.y"];
    for space in BOTH {
        let model = pendulum(on_rigid(soft(2.1e8, 2, true), ALL), space);
        let [explicit, implicit] = [(Method::Dop853, 1e-10), (RADAU, 1e-8)]
            .map(|(method, rtol)| run(&model, 0.3, method, rtol, &outputs).final_values);
        for (a, b) in explicit.iter().zip(&implicit) {
            assert!((a - b).abs() < 1e-6, "{space:?}: {a} {b}");
        }
    }
}

/// ½ m g L cos φ and the weight of a stiff rod that turns steadily, after its bending has been damped away.
#[test]
fn a_driver_and_its_bearing_carry_the_rod() {
    for space in BOTH {
        let damping = Damping { strain: 1e-3, mass: 5.0 };
        let link = on_rigid(Flexible { damping, ..soft(2.1e13, 2, true) }, ALL);
        let mut model = pendulum(link, space);
        let (speed, end) = (1.5, 0.7);
        model.drivers.push(Driver {
            name: "motor".into(),
            joint: JointId(0),
            coordinate: Coordinate::Angle,
            motion: gudgeon::time::TimeFunction::Linear { start: 0.0, rate: speed },
        });
        let outputs = ["motor.torque", "pivot.reaction.x", "pivot.reaction.y"];
        let found = run(&model, end, RADAU, 1e-7, &outputs).final_values;
        let (mass, angle) = (0.05 * 0.0025 * 7800.0, speed * end);
        let inward = mass * speed * speed * 0.5;
        let wanted = [
            mass * 9.81 * 0.5 * angle.cos(),
            -inward * angle.cos(),
            mass * 9.81 - inward * angle.sin(),
        ];
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-3 * mass * 9.81, "{space:?}: {found} {wanted}");
        }
    }
}

#[test]
#[ignore = "slow: four elements per link in space"]
fn two_elements_are_as_good_as_four_on_the_double_pendulum() {
    let extremes = |elements| {
        let erls = Erls { zeroed: zeroed(elements, 1), ..ALL };
        let model = double_pendulum(2e10, elements, Damping::default(), [erls, erls]);
        let report = run(&model, 0.5, Method::Dop853, 1e-8, &["first.tip.position.z"]);
        [report.extremes[0].min, report.extremes[0].max]
    };
    let (two, four) = (extremes(2), extremes(4));
    println!("{two:?} {four:?}");
    for (two, four) in two.iter().zip(four) {
        assert!((two / four - 1.0).abs() < 5e-4, "{two} {four}");
    }
}

/// The terms left out cost 1 % of the swing's energy at its bottom.
#[test]
fn what_is_left_out_is_a_line_of_the_ledger() {
    let model = pendulum(on_rigid(soft(2.1e8, 2, true), ALL), Space::Planar);
    let report = run(&model, 0.45, Method::Dop853, 1e-9, &[]);
    let share = line(&report, LedgerKind::Formulation) / report.energy.peak_kinetic;
    assert!((0.005..0.02).contains(&share), "{share}");
}

/// A slider-crank in a level or an upright plane: a crank and a slider that are rigid, their rod a link.
fn slider_crank(space: Space, rod: Flexible, motor: Option<f64>) -> Model {
    let mut model = Model { space, ..empty("slider-crank") };
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    let (a, b, angle) = (0.1, 0.4, 1.0f64);
    let pin = Vector3::new(a * angle.cos(), a * angle.sin(), 0.0);
    let along = (-pin.y / b).asin();
    let x = pin.x + b * along.cos();
    let turned = |body: &mut Body, x: f64, y: f64, angle: f64| {
        body.start = start_at(x, y, angle);
        if space == Space::Spatial {
            body.start.orientation = Some(Orientation::Rotation(frame_of_turn(angle)));
        }
    };
    let mut crank = rigid_body("crank", 0.5, 2e-3);
    crank.centre = Vector3::new(0.03, 0.01, 0.0);
    turned(&mut crank, 0.0, 0.0, angle);
    let mut link = Body::new("rod");
    link.become_flexible(rod, space);
    turned(&mut link, pin.x, pin.y, along);
    let mut slider = rigid_body("slider", 0.3, 1e-4);
    slider.centre = Vector3::new(0.01, 0.02, 0.0);
    turned(&mut slider, x, 0.0, 0.0);
    model.bodies.extend([crank, link, slider]);
    model.markers = vec![
        marker("main", 0, 0.0, 0.0),
        marker("main", 1, 0.0, 0.0),
        marker("pin", 1, a, 0.0),
        marker("big", 2, 0.0, 0.0),
        marker("small", 2, b, 0.0),
        marker("pin", 3, 0.0, 0.0),
        marker("rail", 0, 0.0, 0.0),
        marker("shoe", 3, 0.0, 0.0),
        marker("middle", 2, 0.5 * b, 0.0),
    ];
    model.joints = vec![
        joint("main", JointKind::Revolute, 0, 1),
        joint("big_end", JointKind::Revolute, 2, 3),
        joint("small_end", JointKind::Revolute, 4, 5),
        joint("guide", JointKind::Prismatic, 6, 7),
    ];
    model.drivers.extend(motor.map(|rate| Driver {
        name: "motor".into(),
        joint: JointId(0),
        coordinate: Coordinate::Angle,
        motion: gudgeon::time::TimeFunction::Linear { start: angle, rate },
    }));
    model
}

fn rigid_body(name: &str, mass: f64, inertia: f64) -> Body {
    let inertia = Matrix3::from_diagonal(&Vector3::new(0.6 * inertia, 0.8 * inertia, inertia));
    Body { mass: Some(mass), inertia: Some(inertia), ..Body::new(name) }
}

fn rod(young: f64) -> Flexible {
    straight(0.4, Section::rectangle(0.01, 0.012, young, 0.3, 2700.0), 2, Elasticity::Line)
}

fn in_chord(link: Flexible) -> Flexible {
    let frame = Floating {
        reference: Reference::Chord,
        stiffening: Stiffening::None,
        ..Floating::default()
    };
    Flexible { method: Flexing::Floating(frame), ..link }
}

/// The crank falls and drags the others; then a motor turns it. A floating frame has rows instead.
#[test]
fn rigid_bodies_take_part_in_closed_chains() {
    let outputs =
        ["slider.position.x", "main.angle", "rod.middle.deflection.y", "rod.largest_stress"];
    let driven = [
        "slider.position.x",
        "motor.torque",
        "rod.middle.deflection.y",
        "guide.reaction.y",
        "guide.reaction_torque",
    ];
    for space in BOTH {
        let free = slider_crank(space, on_rigid(rod(7e8), EXACT), None);
        let found = run(&free, 0.3, Method::Dop853, 1e-11, &outputs);
        println!("{space:?} {:e} of {}", found.energy.residual_max, found.energy.peak_kinetic);
        assert!(found.energy.residual_max < 1e-9);
        assert!(line(&found, LedgerKind::Formulation).abs() < 1e-10);
        let wanted = slider_crank(space, in_chord(rod(7e8)), None);
        let wanted = run(&wanted, 0.3, Method::Dop853, 1e-10, &outputs);
        println!("{:?}\n{:?}", found.final_values, wanted.final_values);
        for (found, wanted) in found.final_values.iter().zip(&wanted.final_values) {
            assert!((found / wanted - 1.0).abs() < 1e-4, "{space:?}: {found} {wanted}");
        }
        for erls in [ALL, EXACT] {
            let damping = Damping { strain: 1e-4, mass: 0.0 };
            let rod = Flexible { damping, ..rod(7e9) };
            let turned = slider_crank(space, on_rigid(rod.clone(), erls), Some(30.0));
            let found = run(&turned, 0.1, Method::Dop853, 1e-9, &driven);
            let wanted = slider_crank(space, in_chord(rod), Some(30.0));
            let wanted = run(&wanted, 0.1, Method::Dop853, 1e-9, &driven);
            println!("{:?}\n{:?}", found.final_values, wanted.final_values);
            // The rod's force, 30 N, keeps the direction of the undeformed rod.
            let sizes = [0.3, 1.5, 1.4e-4, 30.0, 0.3];
            let both = found.final_values.iter().zip(&wanted.final_values);
            for ((found, wanted), size) in both.zip(sizes) {
                assert!((found - wanted).abs() < 2e-4 * size, "{space:?}: {found} {wanted}");
            }
        }
    }
}

/// A soft pendulum with a body at its tip that stands beside it, fixed or on a pin of its own.
fn loaded_pendulum(space: Space, link: Flexible, kind: JointKind) -> Model {
    let mut model = pendulum(link, space);
    let mut bob = rigid_body("bob", 0.2, 4e-4);
    bob.centre = Vector3::new(0.05, 0.03, 0.0);
    bob.start = start_at(1.0, 0.0, 0.0);
    model.bodies.push(bob);
    let tip = MarkerId(model.markers.len());
    model.markers.extend([marker("seat", 1, 1.0, 0.0), marker("seat", 2, 0.0, 0.0)]);
    model.joints.push(joint("seat", kind, tip.0, tip.0 + 1));
    model
}

#[test]
fn rigid_bodies_ride_on_links() {
    let outputs = [
        "rod.tip.position.x",
        "rod.tip.position.y",
        "rod.middle.deflection.y",
        "bob.position.x",
        "bob.position.y",
    ];
    for space in BOTH {
        for kind in [JointKind::Fixed, JointKind::Revolute] {
            let erls = on_rigid(soft(2.1e9, 2, true), EXACT);
            let found = loaded_pendulum(space, erls, kind);
            let found = run(&found, 0.4, Method::Dop853, 1e-11, &outputs);
            println!("{space:?} {:e} of {}", found.energy.residual_max, found.energy.peak_kinetic);
            assert!(found.energy.residual_max < 1e-9);
            assert!(line(&found, LedgerKind::Formulation).abs() < 1e-10);
            let wanted = loaded_pendulum(space, in_chord(soft(2.1e9, 2, true)), kind);
            let wanted = run(&wanted, 0.4, Method::Dop853, 1e-10, &outputs);
            println!("{:?}\n{:?}", found.final_values, wanted.final_values);
            // Arms are turned by what sections turn to first order: 0.05 rad here.
            for (found, wanted) in found.final_values.iter().zip(&wanted.final_values) {
                assert!((found - wanted).abs() < 1e-4, "{space:?} {kind:?}: {found} {wanted}");
            }
        }
    }
}

/// Coordinates that do not meet are moved at once; what each gives to rows of q is known by its nodes.
#[test]
fn derivatives_of_few_evaluations_are_those_of_all_columns() {
    for space in BOTH {
        let soft = Flexible { elements: 7, ..rod(1e5) };
        let mut sprung = slider_crank(space, on_rigid(soft.clone(), ALL), None);
        sprung.forces.push(Force {
            name: "spring".into(),
            kind: ForceKind::Spring {
                a: MarkerId(8),
                b: MarkerId(2),
                free_length: 0.1,
                stiffness: 3.0,
                damping: 1.0,
            },
        });
        let bobbed = loaded_pendulum(space, on_rigid(soft, ALL), JointKind::Revolute);
        for model in [sprung, bobbed] {
            let assembly = assemble(&model).unwrap();
            let mut plant = Plant::new(&assembly.system);
            let mut y = assembly.state();
            let dims = plant.dims();
            let mut scales = vec![0.0; y.len()];
            for i in 0..dims.q {
                y[i] += 0.01 * (5.0 + i as f64).sin();
                y[dims.q + i] += 0.3 * (1.0 + i as f64).sin();
            }
            plant.evaluate(0.0, &y).unwrap();
            plant.raise_scales(&y, &mut scales);
            let acceleration: Vec<f64> = (0..dims.v).map(|i| (2.0 + i as f64).sin()).collect();
            let at = Place { t: 0.0, y: &y, acceleration: &acceleration, lambda: &[] };
            let mut few = plant.blank_tangents();
            assert!(plant.tangents(at, &mut few).unwrap());
            let mut all = Tangents::full(dims);
            Differences::new(&plant).take(&mut plant, at, &scales, &mut all).unwrap();
            for (few, all) in [(&few.stiffness, &all.stiffness), (&few.damping, &all.damping)] {
                assert!(few.iter().count() < all.iter().count());
                let size = all.values.iter().fold(0.0f64, |size, x| size.max(x.abs()));
                for (i, j, all) in all.iter() {
                    let few = few.slot(i, j).map_or(0.0, |slot| few.values[slot]);
                    assert!(
                        (few - all).abs() < 1e-5 * size,
                        "{space:?} ({i}, {j}): {few:e} {all:e} of {size:e}"
                    );
                }
            }
        }
    }
}

/// What is held at zero counts in axes of the link that its joint turns, so that J₀ stays regular wherever open chains go.
#[test]
fn automatic_choices_last_in_open_chains() {
    let link = |erls| on_rigid(soft(2.1e11, 2, false), erls);
    let mut model = loaded_pendulum(Space::Planar, link(ALL), JointKind::Revolute);
    let second = &mut model.bodies[2];
    *second = Body::new("second");
    second.become_flexible(link(ALL), Space::Planar);
    second.start = start_at(1.0, 0.0, 0.2);
    let assembly = assemble(&model).unwrap();
    let found = assembly.system.equivalent_rigid().unwrap();
    assert_eq!(found.zeroed, ["rod: to.y", "second: to.y"]);
    let report = run(&model, 2.5, RADAU, 1e-5, &["second.position.y"]);
    assert!(report.energy.residual_max < 1e-3 * report.energy.peak_kinetic);
}

/// The follower stands still where crank and coupler are in line.
#[test]
fn a_run_says_when_what_is_zeroed_no_longer_fixes_the_links() {
    let mut model = four_bar(Space::Planar, 2, ALL);
    let follower = model.bodies[3].flexible.as_mut().unwrap();
    follower.method = Flexing::Erls(Erls { zeroed: zeroed(2, 1), ..ALL });
    for method in [Method::Dop853, RADAU] {
        let spec = RunSpec { method, rtol: Some(1e-6), ..run_for(&model, 0.3, &["a.angle"]) };
        let report = simulate(&assemble(&model).unwrap(), &spec, &mut Nobody);
        let Status::Failed(error) = &report.status else { panic!("{:?}", report.status) };
        let text = error.cause.to_string();
        println!("{text}, t = {}", error.time);
        assert!(text.contains("zeroing `to.y` of link `follower` no longer fixes"), "{text}");
        assert!(error.help.contains("auto") && error.time > 0.01, "{error:?}");
    }
}
