//! The ledger closes: what the drivers put in is stored or lost, to the error of the integration.

use crate::common::spatial::{four_bar, loose_four_bar};
use crate::common::{rpm, run_for, slider_crank};
use gudgeon::assembly::assemble;
use gudgeon::friction::{FrictionLaw, ZonedLaw};
use gudgeon::model::{JointKind, Model};
use gudgeon::results::{RunReport, Status};
use gudgeon::run::{Every, Limits, Method, RunSpec, Until};
use gudgeon::simulate::{Silent, simulate};

fn twenty_revolutions(
    speed: f64,
    clearance: f64,
    friction: Option<FrictionLaw>,
    rtol: Option<f64>,
) -> RunReport {
    let mut model = slider_crank(rpm(speed), clearance, 1.5e11, 0.9);
    model.joints[3].clearance.as_mut().unwrap().friction = friction;
    let start = assemble(&model).unwrap();
    let spec = RunSpec {
        until: Until::Time(20.0 * 60.0 / speed),
        at_most: None,
        measure_from: Until::Time(0.0),
        outputs: vec![],
        method: Method::Auto,
        rtol,
        every: Every::Grid,
        loops: vec![],
        pressure_at: vec![],
        limits: Limits::default(),
        ked: None,
    };
    let report = simulate(&start, &spec, &mut Silent);
    assert_eq!(report.status, Status::Done);
    report
}

const FRICTION: [Option<FrictionLaw>; 2] = [
    Some(FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: 0.1, v0: 1e-4, v1: 1e-3 })),
    Some(FrictionLaw::Zoned(ZonedLaw::ThreeZone { mu_s: 0.15, mu_d: 0.1, v_s: 1e-2, v_d: 0.1 })),
];

#[test]
fn the_residual_is_small_at_the_default_tolerance_without_friction() {
    for speed in [2000.0, 5000.0] {
        for clearance in [1e-4, 5e-4] {
            let energy = twenty_revolutions(speed, clearance, None, None).energy;
            let relative = energy.residual_max / energy.peak_kinetic;
            assert!(relative <= 1e-7, "{speed} rpm, {clearance} m: {relative:e}");
        }
    }
}

#[test]
fn the_residual_is_small_at_the_default_tolerance_with_friction() {
    for friction in FRICTION {
        for clearance in [1e-4, 5e-4] {
            let energy = twenty_revolutions(5000.0, clearance, friction.clone(), None).energy;
            let relative = energy.residual_max / energy.peak_kinetic;
            assert!(relative <= 1e-5, "{friction:?}, {clearance} m: {relative:e}");
        }
    }
}

#[test]
fn the_residual_falls_with_the_tolerance() {
    for friction in [None, FRICTION[0].clone(), FRICTION[1].clone()] {
        let residual = |rtol| {
            let energy = twenty_revolutions(5000.0, 5e-4, friction.clone(), Some(rtol)).energy;
            energy.residual_max / energy.peak_kinetic
        };
        let (loose, tight) = (residual(1e-6), residual(1e-11));
        // Five decades of tolerance on different chaotic motions; at least three must arrive.
        assert!(tight < 1e-3 * loose, "{friction:?}: {loose:e} to {tight:e}");
    }
}

/// A run in space at a tolerance.
fn in_space(model: &Model, end: f64, rtol: Option<f64>) -> RunReport {
    let start = assemble(model).unwrap();
    let outputs = ["motor.torque", "motor.power", "foot.angular_velocity"];
    let spec = RunSpec { rtol, ..run_for(model, end, &outputs) };
    let report = simulate(&start, &spec, &mut Silent);
    assert_eq!(report.status, Status::Done);
    report
}

#[test]
fn redundant_joints_in_space_do_no_work() {
    let redundant = four_bar(rpm(600.0), JointKind::Revolute);
    let mut plain = four_bar(rpm(600.0), JointKind::Spherical);
    plain.joints[2].kind = JointKind::Cylindrical;
    let [redundant, plain] = [redundant, plain].map(|model| {
        let report = in_space(&model, 0.47, Some(1e-11));
        let relative = report.energy.residual_relative();
        assert!(relative < 1e-9, "{relative:e}");
        report
    });
    // Joints that hold nothing twice give the same motion and the same torque of the motor.
    for (a, b) in redundant.final_values.iter().zip(&plain.final_values) {
        assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} is not {b}");
    }
    for (a, b) in redundant.extremes.iter().zip(&plain.extremes) {
        for (x, y) in [(a.min, b.min), (a.max, b.max)] {
            assert!((x - y).abs() < 1e-8 * b.abs_max().0, "{}: {x} is not {y}", a.name);
        }
    }
}

#[test]
fn the_residual_of_a_loose_journal_in_space_falls_with_the_tolerance() {
    let residual = |rtol| {
        let report = in_space(&loose_four_bar(rpm(600.0)), 0.1, rtol);
        assert!(report.impacts.len() > 10, "{}", report.impacts.len());
        report.energy.residual_max / report.energy.peak_kinetic
    };
    let (loose, default, tight) = (residual(Some(1e-6)), residual(None), residual(Some(1e-11)));
    assert!(default < 1e-6, "{default:e}");
    assert!(tight < 1e-3 * loose, "{loose:e} to {tight:e}");
}

#[test]
fn losses_at_the_spots_of_a_joint_add_up_to_the_ledger() {
    let report = in_space(&loose_four_bar(rpm(600.0)), 0.1, None);
    adds_up(&report, "third");
}

/// Without friction every joule of an impact's loss is normal work, and the sum over impacts is the
/// line of the ledger (the last contact is still open).
#[test]
fn impact_losses_add_up_to_the_ledger() {
    adds_up(&twenty_revolutions(5000.0, 5e-4, FRICTION[0].clone(), None), "pin");
}

fn adds_up(report: &RunReport, joint: &str) {
    let lost: f64 = report.impacts.iter().map(|i| i.loss + i.friction_loss).sum();
    let lines = report.energy.lines.iter().filter(|line| line.name == joint);
    let ledger: f64 = lines.map(|line| line.value).sum();
    assert!((lost + ledger).abs() < 1e-9 * ledger.abs(), "{lost} J lost, ledger {ledger} J");
}
