//! Errors follow the tolerance, through impacts as well as between them.

use crate::common::{rpm, slider_crank};
use gudgeon::assembly::assemble;
use gudgeon::results::{Impact, RunReport, Status};
use gudgeon::run::{Every, Limits, Method, RunSpec, Until};
use gudgeon::simulate::{Silent, simulate};

fn run(clearance: f64, until: f64, method: Method, rtol: f64) -> RunReport {
    let model = slider_crank(rpm(5000.0), clearance, 1.5e10, 0.9);
    let start = assemble(&model).unwrap();
    let spec = RunSpec {
        until: Until::Time(until),
        at_most: None,
        measure_from: Until::Time(0.0),
        outputs: vec![],
        method,
        rtol: Some(rtol),
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

/// Largest relative error of the first three impacts in time, speeds, peak force and loss.
fn error(impacts: &[Impact], exact: &[Impact]) -> f64 {
    let values = |i: &Impact| {
        [i.t, i.speed_in, i.t_out.unwrap(), i.speed_out.unwrap(), i.peak_force, i.loss]
    };
    let mut worst = 0.0f64;
    for (a, b) in impacts.iter().zip(exact).take(3) {
        for (x, y) in values(a).iter().zip(values(b)) {
            worst = worst.max(((x - y) / y).abs());
        }
    }
    worst
}

/// Slope of log(error) over log(rtol) by least squares, from 1e-5 to 1e-11.
fn slope(clearance: f64, method: Method) -> (f64, Vec<f64>) {
    let until = 1.6e-3;
    let exact = run(clearance, until, Method::Dop853, 1e-13).impacts;
    let errors: Vec<f64> = (5..=11)
        .map(|e| error(&run(clearance, until, method, 10f64.powi(-e)).impacts, &exact))
        .collect();
    let points: Vec<(f64, f64)> =
        errors.iter().enumerate().map(|(i, e)| (-(i as f64) - 5.0, e.log10())).collect();
    let n = points.len() as f64;
    let (sx, sy): (f64, f64) = (points.iter().map(|p| p.0).sum(), points.iter().map(|p| p.1).sum());
    let sxx: f64 = points.iter().map(|p| p.0 * p.0).sum();
    let sxy: f64 = points.iter().map(|p| p.0 * p.1).sum();
    ((n * sxy - sx * sy) / (n * sxx - sx * sx), errors)
}

#[test]
fn errors_of_the_first_impacts_are_proportional_to_the_tolerance() {
    for clearance in [5e-4, 2.5e-4, 1e-4] {
        let (slope, errors) = slope(clearance, Method::Auto);
        println!("c = {clearance:e} m: slope {slope:.3}, errors {errors:?}");
        assert!((0.8..=1.2).contains(&slope), "c = {clearance}: slope {slope}, {errors:?}");
    }
}

/// Impacts begin and end on the dense output, which is of order 4 in the method of order 5: errors
/// fall as rtol^(4/5).
#[test]
fn errors_of_the_fifth_order_method_follow_its_dense_output() {
    let (slope, errors) = slope(2.5e-4, Method::Dopri5);
    assert!((0.7..=1.1).contains(&slope), "slope {slope}, {errors:?}");
}

/// The fixed-step method of the papers finds the same impact as the adaptive one.
#[test]
fn fixed_steps_with_baumgarte_converge_to_the_same_impacts() {
    let exact = run(2.5e-4, 1.6e-3, Method::Auto, 1e-11).impacts;
    let coarse = error_of_fixed_step(2e-7, &exact);
    let fine = error_of_fixed_step(5e-8, &exact);
    // The force begins like t^1.5, so a fixed step in plain time converges slower than order 4.
    assert!(fine < 1e-5 && fine < 0.25 * coarse, "errors {coarse:e}, {fine:e}");
}

fn error_of_fixed_step(step: f64, exact: &[Impact]) -> f64 {
    let method = Method::Rk4 { step, alpha: 5.0, beta: 5.0 };
    error(&run(2.5e-4, 1.6e-3, method, 1e-9).impacts, exact)
}
