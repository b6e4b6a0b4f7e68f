//! Mechanisms with flexible links in motion, against figures of independent programs.

use std::ops::ControlFlow;

use crate::common::beams::*;
use crate::common::{empty, joint, marker, start_at};
use gudgeon::assembly::assemble;
use gudgeon::film::{Film, FilmModel, FilmShape, Lubricant, Shear};
use gudgeon::flexible::{Elasticity, Flexible, Section};
use gudgeon::model::*;
use gudgeon::results::{Impact, RunReport, Status};
use gudgeon::run::{Every, Index, Method, RunSpec};
use gudgeon::sensor::resolve;
use gudgeon::simulate::{Observer, simulate};

const FORMS: [Index; 2] = [Index::Three, Index::Two];

fn alpha(step: f64, index: Index) -> Method {
    Method::GeneralizedAlpha { rho: 0.8, index, step: Some(step) }
}

/// Rows of a run: time and outputs.
struct Rows(Vec<(f64, Vec<f64>)>);

impl Observer for Rows {
    fn row(&mut self, t: f64, values: &[f64], _: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push((t, values.to_vec()));
        ControlFlow::Continue(())
    }
}

impl Rows {
    /// An output at a time.
    fn at(&self, time: f64, output: usize) -> f64 {
        let near = |row: &&(f64, Vec<f64>)| (row.0 - time).abs() < 1e-9;
        self.0.iter().find(near).unwrap_or_else(|| panic!("no row at {time} s")).1[output]
    }
}

fn run(model: &Model, spec: RunSpec, outputs: &[&str]) -> (RunReport, Rows) {
    let outputs = outputs.iter().map(|name| resolve(model, name).unwrap()).collect();
    let assembly = assemble(model).unwrap();
    let mut rows = Rows(Vec::new());
    let report = simulate(&assembly, &RunSpec { outputs, ..spec }, &mut rows);
    assert_eq!(report.status, Status::Done);
    (report, rows)
}

fn near(name: &str, found: f64, wanted: f64, tolerance: f64) {
    let off = (found - wanted).abs();
    println!("  {name}: {found:.8e} for {wanted:.8e}, off {off:.1e} of {tolerance:.0e}");
    assert!(off <= tolerance, "{name}: {found} is not {wanted}: {off:.2e}");
}

/// What tian's double pendulum does after 0.2, 0.4, 0.6 and 1 s, in both forms of the equations.
fn swings(name: &str, model: &Model, wanted: [f64; 4], tolerance: f64) {
    for index in FORMS {
        let spec = RunSpec {
            method: alpha(1e-4, index),
            every: Every::Interval(0.2),
            ..RunSpec::seconds(1.0)
        };
        let (report, rows) = run(model, spec, &["CD.D.position.z"]);
        let s = report.solver.statistics;
        let share = s.factorisations.total() as f64 / s.steps as f64;
        println!("{name} {index:?}: {share:.3} factorisations per step, {:?}", report.solver.cpu);
        for (t, wanted) in [0.2, 0.4, 0.6, 1.0].into_iter().zip(wanted) {
            near(&format!("{name} {index:?} {t} s"), rows.at(t, 0), wanted, tolerance);
        }
        // A matrix serves several steps.
        assert!(share < 0.3, "{name} {index:?}: {share} factorisations per step");
    }
}

#[test]
fn a_double_pendulum_in_a_plane_swings_as_known() {
    let wanted = [-0.1974748, -0.8340748, -0.3825504, 0.0186972];
    swings("P", &double_pendulum(true, 6.9e9, 12), wanted, 5e-6);
}

#[test]
fn a_stiff_double_pendulum_in_space_swings_as_known() {
    let wanted = [-0.1885141, -0.4957845, -0.3389709, -0.4834976];
    swings("S stiff", &double_pendulum(false, 6.9e11, 4), wanted, 1e-5);
}

#[test]
fn a_soft_double_pendulum_in_space_swings_as_known() {
    let wanted = [-0.1955449, -0.6170532, -0.7224765, 0.2418444];
    swings("S soft", &double_pendulum(false, 6.9e8, 16), wanted, 2e-4);
}

/// Nothing is damped: kinetic and potential energy, the latter of weight and strain, stay what they were but for
/// the error of the method. In steps of 0.1 ms it is 2.5e-6 J where the links are fastest, of 5.6 J, falls to a
/// quarter with half the step and goes back: 0.7e-6 J remain after 2 s.
#[test]
fn a_double_pendulum_keeps_its_energy() {
    let model = double_pendulum(true, 6.9e11, 4);
    let errors = |step: f64, index: Index| {
        let spec = RunSpec {
            method: alpha(step, index),
            every: Every::Interval(1e-3),
            ..RunSpec::seconds(2.0)
        };
        let outputs = ["system.kinetic_energy", "system.potential_energy"];
        let (report, rows) = run(&model, spec, &outputs);
        let total = |row: &(f64, Vec<f64>)| row.1[0] + row.1[1];
        let first = total(&rows.0[0]);
        let off: Vec<f64> = rows.0.iter().map(|row| (total(row) - first).abs()).collect();
        let (most, last) = (off.iter().fold(0.0f64, |a, b| a.max(*b)), off[off.len() - 1]);
        let (kinetic, left) = (report.energy.peak_kinetic, report.energy.residual_max);
        println!(
            "{index:?}, {step} s: at most {most:.3e} J of {kinetic:.2} J, {last:.2e} J at the end, ledger {left:.3e} J"
        );
        // The ledger sees more instants than there are rows.
        assert!((left / most - 1.0).abs() < 1e-2, "{left} {most}");
        (most, last)
    };
    for index in FORMS {
        let (most, last) = errors(1e-4, index);
        assert!(last <= 1e-6 && most <= 2.6e-6, "{index:?}: {last} J, {most} J");
        if index == Index::Three {
            let (finer, _) = errors(5e-5, index);
            assert!(finer <= 1e-6, "{finer} J");
            assert!((most / finer - 4.0).abs() < 0.05, "{most} J, {finer} J");
        }
    }
}

const OWN_STEPS: RunSteps = RunSteps { method: Method::Radau5 { step: None }, rtol: 1e-3 };

#[derive(Clone, Copy)]
struct RunSteps {
    method: Method,
    rtol: f64,
}

fn dry(steps: RunSteps, end: f64) -> (Impact, Rows) {
    let spec = RunSpec {
        method: steps.method,
        rtol: Some(steps.rtol),
        every: Every::Interval(end),
        ..RunSpec::seconds(end)
    };
    let model = with_dry_clearance(double_pendulum(true, 6.9e11, 4));
    let (report, rows) = run(&model, spec, &["CD.D.position.z"]);
    println!("{:?} {:?}", report.solver.statistics, report.solver.cpu);
    (report.impacts[0], rows)
}

/// Both bases hit at once and alike.
#[test]
fn a_dry_bearing_is_hit_for_the_first_time() {
    let fixed = RunSteps { method: alpha(2e-6, Index::Three), rtol: 1e-9 };
    for (name, steps) in [("2 µs", fixed), ("own steps", OWN_STEPS)] {
        let (first, _) = dry(steps, 7e-3);
        near(&format!("{name}: first contact, s"), first.t, 6.38551e-3, 1e-5 * 6.38551e-3);
        near(&format!("{name}: speed, m/s"), first.speed_in, 0.0626418, 1e-5 * 0.0626418);
        near(&format!("{name}: peak, N"), 2.0 * first.peak_force, 1896.9, 5e-3 * 1896.9);
    }
}

#[test]
fn a_dry_bearing_leads_to_a_known_place() {
    let (_, rows) = dry(OWN_STEPS, 0.5);
    near("z of D at 0.5 s", rows.at(0.5, 0), -0.943363, 5e-6);
}

#[test]
fn a_bearing_in_oil_carries_a_double_pendulum() {
    let mut model = with_dry_clearance(double_pendulum(true, 6.9e11, 4));
    let clearance = model.joints[0].clearance.as_mut().unwrap();
    let shape = FilmShape { viscosity: 0.4, radius: 0.03, length: 0.04, clearance: 2e-4 };
    // The paper's film has no shear.
    let film = Film { shear: Shear::Ignored, ..Film::new(shape, FilmModel::Short) };
    clearance.film = Some(Lubricant { film, roughness: None, hybrid: false });
    let spec = RunSpec {
        method: alpha(4e-5, Index::Three),
        every: Every::Interval(0.5),
        ..RunSpec::seconds(1.0)
    };
    let (report, rows) = run(&model, spec, &["Q.eccentricity_ratio"]);
    println!("{:?}", report.solver.cpu);
    near("e/c at 0.5 s", rows.at(0.5, 0), 0.26383, 2e-4);
    near("e/c at 1 s", rows.at(1.0, 0), 0.36170, 2e-4);
}

/// vidoni's pendulum along x, released level.
fn soft_pendulum(link: impl Fn(Flexible) -> Flexible, elements: usize) -> Model {
    let section = Section::rectangle(0.05, 0.0025, 2.1e8, 0.3, 7800.0);
    let mut model = empty("pendulum");
    model.gravity.y = -9.81;
    let mut body = Body::new("link");
    body.become_flexible(link(straight(1.0, section, elements, Elasticity::Line)), Space::Planar);
    body.start = start_at(0.0, 0.0, 0.0);
    model.bodies.push(body);
    model.markers =
        vec![marker("pin", 0, 0.0, 0.0), marker("root", 1, 0.0, 0.0), marker("mid", 1, 0.5, 0.0)];
    model.joints.push(joint("pin", JointKind::Revolute, 0, 1));
    model
}

/// Deflection of the middle against the chord, positive across it to the left. Geometrically exact beams without
/// inertia of the sections give 0.00126 m at 1.638 s, where small deflections against a rigid link have the other
/// sign. Beams with all gradients carry inertia of their sections and shear: shown, without a reference.
#[test]
fn a_soft_pendulum_bends_as_exact_beams_do() {
    let deflections = |name: &str, model: &Model| {
        let spec = RunSpec {
            method: alpha(2.5e-4, Index::Three),
            every: Every::Interval(2e-3),
            ..RunSpec::seconds(1.638)
        };
        let (_, rows) = run(model, spec, &["link.mid.deflection.y"]);
        let found = [0.5, 1.0, 1.638].map(|t| rows.at(t, 0));
        println!("{name}: {found:?} m");
        found
    };
    let of_line = |link: Flexible| {
        let section = Section { rotary: false, ..link.section };
        cable(Flexible { section, ..link })
    };
    for elements in [8, 16] {
        let found = deflections("cable", &soft_pendulum(of_line, elements));
        near("0.5 s", found[0], 0.006248, 0.01 * 0.006248);
        near("1 s", found[1], 0.011237, 0.01 * 0.011237);
        near("1.638 s", found[2], 0.00126, 1e-4);
        deflections("beam", &soft_pendulum(|link| link, elements));
    }
}
