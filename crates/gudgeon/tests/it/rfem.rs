//! Links of rigid finite elements against closed forms, other formulations and balances.

use std::f64::consts::{PI, TAU};
use std::ops::ControlFlow;

use crate::common::beams::*;
use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::equilibrium::{Steady, find};
use gudgeon::flexible::{Damping, Elasticity, Flexible, Lump, Method as Flexing, Section};
use gudgeon::math::spatial::Frame;
use gudgeon::modal::{About, ModalReport, ModalSpec, Mode, analyse};
use gudgeon::model::*;
use gudgeon::progress::Unwatched;
use gudgeon::results::{LedgerKind, RunReport, Status};
use gudgeon::run::{Every, Limits, RunSpec};
use gudgeon::sensor::{catalogue, resolve};
use gudgeon::simulate::{Observer, simulate};
use nalgebra::{Matrix3, Vector3};

const BOTH: [Space; 2] = [Space::Planar, Space::Spatial];

/// A coupler of steel for augustynek's linkage, 10 mm thick.
const LENGTH: f64 = 0.351_188_458_4;
const THICK: f64 = 0.01;
const YOUNG: f64 = 2.1e11;
const DENSITY: f64 = 7800.0;

fn coupler(elements: usize) -> Flexible {
    let section = Section::tube(0.5 * THICK, 0.0, YOUNG, 0.3, DENSITY);
    rigid_elements(straight(LENGTH, section, elements, Elasticity::Line), elements)
}

fn without_rotary(link: Flexible) -> Flexible {
    Flexible { section: Section { rotary: false, ..link.section }, ..link }
}

/// Along x, clamped to the ground at its beginning; with a frame at its tip and one in its middle.
fn cantilever(link: Flexible, space: Space) -> Model {
    let mut model = Model { space, ..empty("cantilever") };
    let tip = link.to.x;
    let mut beam = Body::new("beam");
    beam.become_flexible(link, space);
    beam.start = start_at(0.0, 0.0, 0.0);
    model.bodies.push(beam);
    let own = [("root", 0.0), ("tip", tip), ("middle", 0.5 * tip)];
    model.markers.push(marker("wall", 0, 0.0, 0.0));
    model.markers.extend(own.map(|(name, x)| marker(name, 1, x, 0.0)));
    model.joints.push(joint("clamp", JointKind::Fixed, 0, 1));
    model
}

fn tip_force(model: &mut Model, components: [f64; 3]) {
    let kind =
        ForceKind::Point { at: MarkerId(2), components: constant(components), axes: Axes::World };
    model.forces.push(force("load", kind));
}

fn at_rest(model: &Model, outputs: &[&str]) -> Vec<f64> {
    let sensors: Vec<_> = outputs.iter().map(|name| resolve(model, name).unwrap()).collect();
    find(model, Steady::Still, &sensors, Limits::default(), &Unwatched).unwrap().outputs
}

fn modes(model: &Model, count: Option<usize>) -> ModalReport {
    let spec = ModalSpec { about: About::Start, modes: count, damped: false, impact_speed: None };
    analyse(model, spec, Limits::default(), &Unwatched).unwrap()
}

fn near(name: &str, found: f64, wanted: f64, tolerance: f64) {
    let error = (found - wanted).abs() / wanted.abs();
    println!("  {name}: {found:.10e} for {wanted:.10e}, off {error:.1e} of {tolerance:.0e}");
    assert!(error < tolerance, "{name}: {found} is not {wanted}: {error:.2e}");
}

/// (1 − 1/(4n²)) F L³/(3EI): the midpoint rule for ∫ M²/(EI). The load bends it by a millionth of its length, so
/// that what is not linear counts by 1e-12.
#[test]
fn a_cantilever_bends_at_its_tip_by_the_midpoint_rule() {
    for space in BOTH {
        for springs in [1, 2, 4, 7] {
            let link = coupler(springs + 1);
            let stiffness = 3.0 * YOUNG * link.section.inertia_z / LENGTH.powi(3);
            let load = 1e-6 * LENGTH * stiffness;
            let mut model = cantilever(link, space);
            tip_force(&mut model, [0.0, load, 0.0]);
            let tip = at_rest(&model, &["beam.tip.position.y"])[0];
            let wanted = 1.0 - 0.25 / (springs * springs) as f64;
            near(&format!("{space:?}, {springs} sde"), tip * stiffness / load, wanted, 1e-8);
        }
    }
}

fn is_torsion(mode: &Mode) -> bool {
    let moves = mode.bodies[0].nodes.iter().flatten().flatten();
    let largest = moves.fold(0.0f64, |most, x| most.max(x.abs()));
    let turns = mode.bodies[0].rotation[0][0].hypot(mode.bodies[0].rotation[0][1]);
    largest * 1e6 < turns * LENGTH
}

/// (4n/π) sin(π/4n) of a shaft's π/2 √(GJ/ρI_p)/L: inertias of equal parts between equal springs.
#[test]
fn a_cantilever_twists_as_a_chain_of_springs() {
    for springs in [1, 2, 4, 7] {
        let model = cantilever(coupler(springs + 1), Space::Spatial);
        let found = modes(&model, Some(3 * springs));
        let first = found.modes.iter().filter(|mode| is_torsion(mode));
        let first = first.map(|mode| mode.frequency).fold(f64::INFINITY, f64::min);
        let exact = (YOUNG / 2.6 / DENSITY).sqrt() / (4.0 * LENGTH);
        let n = springs as f64;
        let wanted = 4.0 * n / PI * (PI / (4.0 * n)).sin();
        near(&format!("{springs} sde"), first / exact, wanted, 1e-8);
    }
}

/// Figures of an independent program for 4 sde, of Euler and Bernoulli's frequencies; with the rotary inertia
/// of sections at the slenderness of the coupler, L/d = 35.12.
#[test]
fn a_cantilever_vibrates_as_a_chain_of_four_springs() {
    let slow = (YOUNG * (0.25 * THICK).powi(2) / DENSITY).sqrt() / LENGTH.powi(2) / TAU;
    for space in BOTH {
        for (name, link, wanted) in [
            ("without rotary inertia", without_rotary(coupler(5)), [1.014_527, 1.052_098]),
            ("with rotary inertia", coupler(5), [1.014_401, 1.051_084]),
        ] {
            let found = modes(&cantilever(link, space), Some(4));
            // In space every frequency of bending is there twice.
            let step = if space == Space::Spatial { 2 } else { 1 };
            for (i, beta) in [1.875_104_068_711_961f64, 4.694_091_132_974_175].iter().enumerate() {
                let ratio = found.modes[i * step].frequency / (beta * beta * slow);
                near(&format!("{space:?} {name} {}", i + 1), ratio, wanted[i], 1e-5);
            }
        }
    }
}

/// The fastest vibration that `check` names is that of the link where nothing holds it.
#[test]
fn the_fastest_vibration_is_that_of_the_link() {
    for (space, shear, tension) in [
        (Space::Planar, false, false),
        (Space::Spatial, false, false),
        (Space::Planar, false, true),
        (Space::Planar, true, true),
    ] {
        let link = Flexible { method: Flexing::Rfem { shear, tension }, ..coupler(9) };
        let (fastest, what) = link.fastest(space).unwrap();
        let mut model = cantilever(link, space);
        model.joints.clear();
        let freedom = match space {
            Space::Planar => 3 + 8 * (1 + usize::from(shear) + usize::from(tension)),
            Space::Spatial => 6 + 8 * 3,
        };
        let found = modes(&model, Some(freedom));
        let most = found.modes.iter().fold(0.0f64, |most, mode| most.max(mode.frequency)) * TAU;
        println!("{space:?} shear {shear} tension {tension}: {fastest:.5e} in {what}, {most:.5e}");
        near(what, fastest, most, 1e-8);
    }
    let (fastest, what) = coupler(5).fastest(Space::Spatial).unwrap();
    println!("coupler of 5 rfe: {fastest:.4e} rad/s in {what}");
    assert_eq!(what, "torsion");
    assert!(fastest > 5e4 && fastest < 2e5);
    assert!(coupler(1).fastest(Space::Spatial).is_none());
}

/// With shear and tension as springs a cantilever shears by F L/(k G A) and is stretched by F L/(E A).
#[test]
fn shear_and_tension_are_springs_where_requested() {
    for space in BOTH {
        for (shear, tension) in [(true, false), (false, true), (true, true)] {
            let springs = 3;
            let link =
                Flexible { method: Flexing::Rfem { shear, tension }, ..coupler(springs + 1) };
            let s = link.section;
            let mut model = cantilever(link, space);
            let load = 1e-3;
            tip_force(&mut model, [load, load, 0.0]);
            let names = ["beam.tip.position.x", "beam.tip.position.y"];
            let inner = ["beam.middle.section_force.x", "beam.middle.section_force.y"];
            let found = at_rest(&model, &[names, inner].concat());
            let bending = load * LENGTH.powi(3) / (3.0 * s.young * s.inertia_z)
                * (1.0 - 0.25 / (springs * springs) as f64);
            let sheared = load * LENGTH / (s.shear_y * s.shear_modulus() * s.area);
            let stretched = load * LENGTH / (s.young * s.area);
            let name = format!("{space:?} shear {shear} tension {tension}");
            let wanted = bending + if shear { sheared } else { 0.0 };
            // The pull straightens the link by F L²/(EI) = 1.2e-6 of its bend at most.
            near(&format!("{name}: y"), found[1], wanted, 1.2e-6);
            let wanted = if tension { stretched } else { 0.0 };
            // The bent line is shorter by about w²/L, 5e-14 m of 2e-11 m.
            assert!((found[0] - LENGTH - wanted).abs() < 1e-2 * stretched, "{name}: {found:?}");
            // Springs or reactions: the section bears the load.
            near(&format!("{name}: N"), found[2], load, 1e-5);
            near(&format!("{name}: Q"), found[3], load, 1e-5);
        }
    }
}

/// Moments are linear along a cantilever, and so is what is drawn between the sde and to the ends; stress is that
/// of its outer fibres.
#[test]
fn sections_bear_what_statics_says() {
    for space in BOTH {
        let link = coupler(6);
        let s = link.section;
        let mut model = cantilever(link, space);
        let (load, pull) = (1e-2, 0.03);
        tip_force(&mut model, [pull, load, 0.0]);
        let found = at_rest(
            &model,
            &[
                "beam.root.section_moment.z",
                "beam.middle.section_moment.z",
                "beam.middle.curvature.z",
                "beam.root.stress",
                "beam.largest_stress",
                "beam.middle.deflection.y",
                "beam.largest_deflection",
                "beam.strain_energy",
                "load.force",
            ],
        );
        let stiffness = s.young * s.inertia_z;
        // The pull straightens the link by F L²/(2EI) of its bend at most.
        let straightened = pull * LENGTH * LENGTH / stiffness;
        near("moment at the root", found[0], load * LENGTH, straightened);
        near("moment in the middle", found[1], 0.5 * load * LENGTH, straightened);
        near("curvature", found[2], 0.5 * load * LENGTH / stiffness, straightened);
        let stress = pull / s.area + load * LENGTH * s.fibre_y / s.inertia_z;
        near("stress", found[3], stress, straightened);
        near("largest stress", found[4], found[3], 1e-12);
        let bend = load * LENGTH.powi(3) / stiffness;
        // The springs before the middle lift it, all of them the tip.
        let lift = |from: f64| {
            let places = (0..5).map(|j| (f64::from(j) + 0.5) / 5.0).filter(|s| *s < from);
            places.map(|s| 0.2 * (1.0 - s) * (from - s)).sum::<f64>() * bend
        };
        near("deflection", found[5], lift(0.5) - 0.5 * lift(1.0), straightened);
        assert!(found[6] >= found[5].abs() * (1.0 - 1e-9));
        let energy = 0.99 * load * load * LENGTH.powi(3) / (6.0 * stiffness);
        near("strain energy", found[7], energy, straightened);
    }
}

struct Rows(Vec<(f64, Vec<f64>)>);

impl Observer for Rows {
    fn row(&mut self, t: f64, values: &[f64], _: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push((t, values.to_vec()));
        ControlFlow::Continue(())
    }
}

fn run(model: &Model, spec: RunSpec, outputs: &[&str]) -> (RunReport, Rows) {
    let outputs = outputs.iter().map(|name| resolve(model, name).unwrap()).collect();
    let assembly = assemble(model).unwrap();
    let mut rows = Rows(Vec::new());
    let report = simulate(&assembly, &RunSpec { outputs, ..spec }, &mut rows);
    assert_eq!(report.status, Status::Done, "{:?}", report.status);
    (report, rows)
}

/// A soft pendulum released level, with a lump at its tip.
fn pendulum(link: Flexible, space: Space) -> Model {
    let tip = link.to.x;
    let mut model = cantilever(link, space);
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    model.joints[0] = joint("pin", JointKind::Revolute, 0, 1);
    model.markers[2] = marker("tip", 1, tip, 0.0);
    model
}

fn soft(elements: usize) -> Flexible {
    let section = Section::rectangle(0.01, 0.01, 2e8, 0.3, 2000.0);
    straight(0.5, section, elements, Elasticity::Line)
}

#[test]
fn the_ledger_closes() {
    for space in BOTH {
        for damping in [0.0, 1e-3] {
            let link = rigid_elements(soft(5), 5);
            let lumps = vec![Lump {
                along: 1.0,
                mass: 0.05,
                centre: Vector3::zeros(),
                inertia: Matrix3::zeros(),
            }];
            let damping_of = Damping { strain: damping, mass: 0.0 };
            let model = pendulum(Flexible { damping: damping_of, lumps, ..link }, space);
            let spec = RunSpec { rtol: Some(1e-7), ..RunSpec::seconds(0.4) };
            let (report, _) = run(&model, spec, &["beam.strain_energy", "beam.damping_power"]);
            let (energy, size) = (&report.energy, report.energy.peak_kinetic);
            println!("{space:?} {damping}: residual {:e} of {size:e}", energy.residual_max);
            assert!(energy.residual_max < 1e-6 * size);
            let line = |kind| energy.lines.iter().find(|line| line.kind == kind);
            assert_eq!(line(LedgerKind::Strain).unwrap().name, "beam");
            let lost = line(LedgerKind::Damping).map(|line| (line.name.as_str(), line.value < 0.0));
            assert_eq!(lost, (damping > 0.0).then_some(("beam", true)));
            assert!(line(LedgerKind::Spring).is_none() && line(LedgerKind::Force).is_none());
            assert!(report.flexible[0].stress.value.abs() > 0.0);
        }
    }
}

/// A link that turns as a whole has no strain, whatever its pose and curvature, and damping takes nothing of it.
#[test]
fn a_rigid_motion_is_free_of_strain() {
    for curvature in [Vector3::zeros(), Vector3::new(0.0, 1.0, 2.0)] {
        let damping = Damping { strain: 1e-3, mass: 0.0 };
        let link = Flexible { curvature, damping, ..rigid_elements(soft(6), 6) };
        let mut model = cantilever(link, Space::Spatial);
        model.joints.clear();
        let turn = about(Vector3::new(0.3, -0.5, 0.8).normalize());
        model.bodies[1].start = Start {
            position: Some(Vector3::new(0.1, 0.2, -0.3)),
            orientation: Some(Orientation::Rotation(turn)),
            velocity: Some(Vector3::new(1.0, 2.0, 3.0)),
            angular_velocity: Some((Vector3::new(4.0, -5.0, 6.0), Axes::World)),
            ..Start::default()
        };
        let names = ["beam.strain_energy", "beam.damping_power", "beam.largest_deflection"];
        let spec = RunSpec { every: Every::Interval(1e-7), ..RunSpec::seconds(1e-7) };
        let (_, rows) = run(&model, spec, &names);
        println!("{:?}", rows.0[0]);
        assert!(rows.0[0].1[0] < 1e-25 && rows.0[0].1[1] < 1e-20 && rows.0[0].1[2] < 1e-14);
        let pose = assemble(&model).unwrap().poses();
        assert_eq!(pose.len(), 1);
        assert!((pose[0].frame.p - Vector3::new(0.1, 0.2, -0.3)).norm() < 1e-14);
    }
    // A straight link that spins about its centre stays straight.
    let mut model = cantilever(rigid_elements(soft(6), 6), Space::Planar);
    model.joints.clear();
    model.bodies[1].start.velocity = Some(Vector3::new(0.0, -0.25 * 10.0, 0.0));
    model.bodies[1].start.angular_velocity = Some((Vector3::new(0.0, 0.0, 10.0), Axes::World));
    let names = ["beam.strain_energy", "beam.centre.position.x", "beam.angle"];
    let spec = RunSpec { rtol: Some(1e-9), ..RunSpec::seconds(0.2) };
    let (_, rows) = run(&model, spec, &names);
    let last = &rows.0.last().unwrap().1;
    println!("{last:?}");
    assert!(last[0] < 1e-16 && (last[1] - 0.25).abs() < 1e-9 && (last[2] - 2.0).abs() < 1e-9);
}

/// Place of the tip against a fine cable: errors fall as the square of the length of elements. Damping takes away
/// what is not resolved by either.
#[test]
fn a_pendulum_converges_to_the_cable() {
    let place = |link: Flexible| {
        let damping = Damping { strain: 3e-3, mass: 0.0 };
        let model = pendulum(Flexible { damping, ..link }, Space::Planar);
        let spec =
            RunSpec { rtol: Some(1e-8), every: Every::Interval(0.1), ..RunSpec::seconds(0.3) };
        let (_, rows) = run(&model, spec, &["beam.tip.position.x", "beam.tip.position.y"]);
        rows.0.iter().map(|(_, row)| Vector3::new(row[0], row[1], 0.0)).collect::<Vec<_>>()
    };
    let flat = |link: Flexible| without_rotary(link);
    let wanted = place(flat(cable(soft(16))));
    let mut errors: Vec<f64> = Vec::new();
    for springs in [8, 16, 32] {
        let method = Flexing::Rfem { shear: false, tension: true };
        let found = place(flat(Flexible { method, ..soft(springs + 1) }));
        let off = found.iter().zip(&wanted).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        println!("{springs} sde: off {off:.3e} m");
        errors.push(off);
    }
    let orders: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    println!("orders {orders:?}");
    assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1));
    assert!(errors[2] < 1e-6);
}

/// In the plane and in space it is the same motion.
#[test]
fn planar_and_spatial_motions_agree() {
    let rows = BOTH.map(|space| {
        let damping = Damping { strain: 1e-3, mass: 0.0 };
        let model = pendulum(Flexible { damping, ..rigid_elements(soft(4), 4) }, space);
        let spec =
            RunSpec { rtol: Some(1e-9), every: Every::Interval(0.1), ..RunSpec::seconds(0.3) };
        let names =
            ["beam.tip.position.x", "beam.middle.deflection.y", "beam.middle.section_moment.z"];
        run(&model, spec, &names).1
    });
    for (a, b) in rows[0].0.iter().zip(&rows[1].0) {
        println!("{a:?} {b:?}");
        let off = |i: usize| (a.1[i] - b.1[i]).abs();
        assert!(off(0) < 1e-7 && off(1) < 1e-7 && off(2) < 1e-5);
    }
}

/// A link of one element is the rigid body of its section.
#[test]
fn one_element_is_a_rigid_body() {
    let rows = [true, false].map(|flexible| {
        let mut model = pendulum(rigid_elements(soft(1), 1), Space::Planar);
        if !flexible {
            model.bodies[1].flexible = None;
        }
        let spec =
            RunSpec { rtol: Some(1e-10), every: Every::Interval(0.1), ..RunSpec::seconds(0.3) };
        run(&model, spec, &["beam.angle"]).1
    });
    for (a, b) in rows[0].0.iter().zip(&rows[1].0) {
        assert!((a.1[0] - b.1[0]).abs() < 1e-8, "{a:?} {b:?}");
    }
}

/// Elements and springs are nobody's bodies and forces.
#[test]
fn what_is_inside_stays_inside() {
    let model = cantilever(coupler(5), Space::Spatial);
    assert!(catalogue(&model).iter().all(|sensor| !sensor.name.contains("rfe")));
    let found = modes(&model, Some(4));
    assert_eq!((found.outlines.len(), found.modes[0].bodies.len()), (1, 1));
    assert_eq!(found.outlines[0].points.len(), 6);
    assert_eq!(found.modes[0].bodies[0].nodes.len(), 6);
    let names = |shares: &[(String, f64)]| shares.iter().map(|s| s.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&found.modes[0].kinetic), ["beam"]);
    assert_eq!(names(&found.modes[0].strain), ["beam"]);
    let assembly = assemble(&model).unwrap();
    assert_eq!(assembly.system.bodies.len(), 5);
    assert_eq!(assembly.poses().len(), 1);
    assert_eq!(assembly.report.mobility, 0);
    // A frame lies on the element that holds its place.
    let tip = assembly
        .system
        .attach(1, &Frame { p: Vector3::new(LENGTH, 0.0, 0.0), r: Matrix3::identity() });
    assert_eq!(assembly.system.model.bodies[tip.body].name, "beam.rfe5");
}
