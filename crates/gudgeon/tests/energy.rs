//! The ledger closes: what the drivers put in is stored or lost, to the error of the integration.

mod common;

use common::{rpm, slider_crank};
use gudgeon::assembly::assemble;
use gudgeon::clearance::friction::FrictionLaw;
use gudgeon::results::{RunReport, Status};
use gudgeon::run::{Method, RunSpec, Until};
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
        measure_from: Until::Time(0.0),
        outputs: vec![],
        method: Method::Auto,
        rtol,
        every: None,
        loops: vec![],
    };
    let report = simulate(&start, &spec, &mut Silent);
    assert_eq!(report.status, Status::Done);
    report
}

const FRICTION: [Option<FrictionLaw>; 2] = [
    Some(FrictionLaw::Coulomb { mu: 0.1, v0: 1e-4, v1: 1e-3 }),
    Some(FrictionLaw::ThreeZone { mu_s: 0.15, mu_d: 0.1, v_s: 1e-2, v_d: 0.1 }),
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
            let energy = twenty_revolutions(5000.0, clearance, friction, None).energy;
            let relative = energy.residual_max / energy.peak_kinetic;
            assert!(relative <= 1e-5, "{friction:?}, {clearance} m: {relative:e}");
        }
    }
}

#[test]
fn the_residual_falls_with_the_tolerance() {
    for friction in [None, FRICTION[0], FRICTION[1]] {
        let residual = |rtol| {
            let energy = twenty_revolutions(5000.0, 5e-4, friction, Some(rtol)).energy;
            energy.residual_max / energy.peak_kinetic
        };
        let (loose, tight) = (residual(1e-6), residual(1e-11));
        // Five decades of tolerance on different chaotic motions; at least three must arrive.
        assert!(tight < 1e-3 * loose, "{friction:?}: {loose:e} to {tight:e}");
    }
}

/// Without friction every joule of an impact's loss is normal work, and the sum over impacts is the
/// line of the ledger (the last contact is still open).
#[test]
fn impact_losses_add_up_to_the_ledger() {
    let report = twenty_revolutions(5000.0, 5e-4, FRICTION[0], None);
    let lost: f64 = report.impacts.iter().map(|i| i.loss + i.friction_loss).sum();
    let ledger: f64 = report.energy.lines.iter().filter(|l| l.name == "pin").map(|l| l.value).sum();
    assert!((lost + ledger).abs() < 1e-9 * ledger.abs(), "{lost} J lost, ledger {ledger} J");
}
