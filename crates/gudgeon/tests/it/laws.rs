//! Free impacts of a 1 kg mass on a fixed bearing, through the clearance joint as every model uses
//! it: events, stretched time, impact list.
//!
//! The journal starts at the centre of a large bearing and moves along x at 1 m/s. Reference values
//! are given to seven digits; restitutions follow from a(1+e) = ln((1+a)/(1−ae)) for any elastic
//! part. Runs use rtol 1e-11, so that 1e-6 is a check of the formulas and not of the tolerance.

use std::ops::ControlFlow;

use crate::common::*;
use gudgeon::assembly::{Assembly, assemble};
use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw};
use gudgeon::model::*;
use gudgeon::results::{Impact, LoopPoint, RunReport, Status};
use gudgeon::run::{Loop, Method, RunSpec};
use gudgeon::simulate::{Observer, Silent, simulate};

const HERTZ: Elastic = Elastic::Power { stiffness: 1e8, exponent: 1.5 };
const RADIAL: f64 = 0.05;

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found / expected - 1.0).abs() < tolerance, "{what}: {found} is not {expected}");
}

/// A mass in a bearing on the ground, on a guide along x or free.
fn mass_in_bearing(normal: NormalLaw, guided: bool) -> Model {
    let mut model = empty("impact");
    let inertia = if guided { None } else { Some(1.0) };
    model.bodies.push(body("mass", 1.0, inertia, 0.0, start_at(0.0, 0.0, 0.0)));
    model.markers = vec![marker("bearing", 0, 0.0, 0.0), marker("journal", 1, 0.0, 0.0)];
    let mut pin = joint("pin", JointKind::Revolute, 0, 1);
    pin.clearance = Some(clearance(1.0, RADIAL, normal));
    model.joints.push(pin);
    if guided {
        model.joints.push(joint("guide", JointKind::Prismatic, 0, 1));
    }
    model
}

/// The start with a velocity along x; assembly alone would start with that of an ideal joint.
fn launched(model: &Model, speed: f64) -> Assembly {
    let mut start = assemble(model).unwrap();
    start.v[0] = speed;
    start
}

fn tight(model: &Model, end: f64, outputs: &[&str]) -> RunSpec {
    RunSpec { rtol: Some(1e-11), ..run_for(model, end, outputs) }
}

/// The first impact at a speed, run until well after it.
fn impact(normal: NormalLaw, guided: bool, speed: f64) -> Impact {
    let model = mass_in_bearing(normal, guided);
    // Flight to the wall and back to the centre, whatever the rebound: the impacts are short.
    let report =
        simulate(&launched(&model, speed), &tight(&model, 1.5 * RADIAL / speed, &[]), &mut Silent);
    assert_eq!(report.status, Status::Done);
    assert_eq!(report.impacts.len(), 1, "{:?}", report.impacts);
    near(report.impacts[0].t, RADIAL / speed, 1e-12, "time of the touch");
    near(report.impacts[0].speed_in, speed, 1e-12, "speed of the touch");
    report.impacts[0]
}

#[test]
fn pure_hertz_gives_depth_force_and_duration() {
    for guided in [false, true] {
        let impact = impact(NormalLaw::new(HERTZ, Damping::None), guided, 1.0);
        let duration = impact.t_out.unwrap() - impact.t;
        near(impact.peak_depth, 6.898648e-4, 2e-7, "depth");
        near(impact.peak_force, 1811.949, 3e-7, "force");
        near(duration, 2.030461e-3, 1e-6, "duration");
        // In closed form: δ = (5mv²/4K)^⅖, and ⅘ √π Γ(⅖)/Γ(9/10) δ/v for the duration.
        let depth = 1.25e-8f64.powf(0.4);
        near(impact.peak_depth, depth, 1e-9, "depth");
        near(impact.peak_force, 1e8 * depth.powf(1.5), 1e-9, "force");
        near(duration, 2.9432751843247 * depth, 1e-9, "duration");
        near(impact.restitution().unwrap(), 1.0, 1e-9, "restitution");
        assert!(impact.loss.abs() < 1e-9, "{}", impact.loss);
    }
}

#[test]
fn damped_laws_give_force_and_rebound() {
    let restitution = 0.5;
    for (damping, force, rebound) in [
        (Damping::HuntCrossley { restitution }, 1636.809, 0.662962),
        (Damping::Flores { restitution }, 1702.770, 0.470445),
    ] {
        for guided in [false, true] {
            let impact = impact(NormalLaw::new(HERTZ, damping), guided, 1.0);
            near(impact.peak_force, force, 4e-7, "force");
            near(impact.restitution().unwrap(), rebound, 1e-6, "rebound");
            near(impact.loss, 0.5 * (1.0 - rebound * rebound), 2e-6, "loss");
        }
    }
}

#[test]
fn restitution_depends_on_the_damping_alone() {
    let dampings = [0.3, 0.6, 0.9].into_iter().flat_map(|restitution| {
        [
            Damping::LankaraniNikravesh { restitution },
            Damping::QinLu { restitution },
            Damping::HuntCrossley { restitution },
            Damping::Flores { restitution },
            Damping::Gonthier { restitution },
        ]
    });
    let (modulus, clearance, width) = (1e11, RADIAL, 0.04);
    let elastics = [
        HERTZ,
        Elastic::Power { stiffness: 1e10, exponent: 1.5 },
        Elastic::Power { stiffness: 1e11, exponent: 2.0 },
        Elastic::Power { stiffness: 1e12, exponent: 2.5 },
        Elastic::Power { stiffness: 1e10, exponent: 1.8 },
        Elastic::Foundation { modulus, clearance, width },
        Elastic::HybridPrinted { modulus, clearance, exponent: 1.5 },
        Elastic::HybridSlope { modulus, clearance, width },
    ];
    for damping in dampings.chain([Damping::None]) {
        for elastic in elastics {
            let law = NormalLaw::new(elastic, damping);
            let found = impact(law.clone(), false, 1.0).restitution().unwrap();
            near(found, law.effective_restitution().unwrap(), 1e-6, &format!("{law:?}"));
        }
    }
}

#[test]
fn gonthiers_law_meets_its_nominal_restitution() {
    for restitution in [0.05, 0.2, 0.5, 0.95] {
        let law = NormalLaw::new(HERTZ, Damping::Gonthier { restitution });
        near(impact(law, false, 1.0).restitution().unwrap(), restitution, 1e-6, "nominal");
    }
}

#[test]
fn restitution_does_not_depend_on_the_speed() {
    let law = NormalLaw::new(HERTZ, Damping::Flores { restitution: 0.7 });
    for speed in [1e-3, 0.1, 5.0] {
        let found = impact(law.clone(), false, speed).restitution().unwrap();
        near(found, law.effective_restitution().unwrap(), 1e-6, &format!("at {speed} m/s"));
    }
}

#[test]
fn every_method_agrees_on_an_impact() {
    let law = NormalLaw::new(HERTZ, Damping::HuntCrossley { restitution: 0.5 });
    let model = mass_in_bearing(law, false);
    // The fixed step resolves the impact by 2000 steps; in plain time the force begins like δ^1.5.
    let rk4 = Method::Rk4 { step: 1e-6, alpha: 5.0, beta: 5.0 };
    for (method, tolerance) in [(Method::Dopri5, 1e-6), (Method::Dop853, 1e-6), (rk4, 1e-6)] {
        let spec = RunSpec { method, ..tight(&model, 0.065, &[]) };
        let report = simulate(&launched(&model, 1.0), &spec, &mut Silent);
        let impact = report.impacts[0];
        near(impact.restitution().unwrap(), 0.662962, tolerance, "rebound");
        near(impact.peak_force, 1636.809, tolerance, "force");
    }
}

/// Keeps rows and loop points.
#[derive(Default)]
struct Keep {
    rows: Vec<(f64, Vec<f64>)>,
    points: Vec<LoopPoint>,
}

impl Observer for Keep {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.rows.push((t, values.to_vec()));
        ControlFlow::Continue(())
    }
    fn loop_point(&mut self, point: LoopPoint) -> ControlFlow<()> {
        self.points.push(point);
        ControlFlow::Continue(())
    }
    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A mass that strikes the bearing while a steady force pulls it back.
fn pulled_back(damping: Damping, pull: f64) -> (RunReport, Keep) {
    let mut model = mass_in_bearing(NormalLaw::new(HERTZ, damping), false);
    let components = constant([-pull, 0.0, 0.0]);
    model
        .forces
        .push(force("pull", ForceKind::Point { at: MarkerId(1), components, axes: Axes::World }));
    let mut keep = Keep::default();
    let outputs = ["pin.normal_force", "pin.indentation", "pin.contact_force.x", "pin.contact"];
    let mut start = launched(&model, 1.0);
    start.q[0] = 0.999 * RADIAL;
    let spec = RunSpec {
        loops: vec![Loop { joint: JointId(0), impacts: vec![1] }],
        pressure_at: vec![],
        ..tight(&model, 2e-3, &outputs)
    };
    (simulate(&start, &spec, &mut keep), keep)
}

#[test]
fn a_contact_never_pulls() {
    // The pull makes the journal leave faster than the law allows: its bracket turns negative.
    let (report, keep) = pulled_back(Damping::Flores { restitution: 0.2 }, 3000.0);
    assert_eq!(report.status, Status::Done);
    let impact = report.impacts[0];
    let factor = Damping::Flores { restitution: 0.2 }.factor();
    assert!(-impact.speed_out.unwrap() > impact.speed_in / factor, "{impact:?}");
    let (min, max) = (report.extremes[0].min, report.extremes[0].max);
    assert!(min >= 0.0 && max > 100.0, "{min} … {max}");
    assert!(keep.rows.iter().all(|(_, row)| row[0] >= 0.0 && row[2] <= 0.0));
    assert!(keep.points.iter().all(|point| point.force >= 0.0));
    // Still indented, but without force.
    let cut = keep.rows.iter().filter(|(_, row)| row[1] > 1e-7 && row[0] == 0.0).count();
    assert!(cut > 0, "the force was never cut");
    assert!(report.energy.residual_relative() < 1e-9, "{:?}", report.energy);
}

#[test]
fn a_contact_that_is_not_overrun_is_not_cut() {
    let (_, keep) = pulled_back(Damping::HuntCrossley { restitution: 0.9 }, 10.0);
    assert!(keep.rows.iter().all(|(_, row)| row[1] <= 1e-9 || row[0] > 0.0));
}

#[test]
fn loops_enclose_the_loss() {
    let (report, keep) = pulled_back(Damping::HuntCrossley { restitution: 0.5 }, 10.0);
    let area: f64 = keep
        .points
        .windows(2)
        .map(|w| 0.5 * (w[0].force + w[1].force) * (w[1].depth - w[0].depth))
        .sum();
    // Trapezia through six points per step: a percent.
    near(area, report.impacts[0].loss, 0.01, "area of the loop");
}

#[test]
fn the_onset_floor_acts_and_is_counted() {
    let damping = Damping::HuntCrossley { restitution: 0.5 };
    let law = NormalLaw::new(HERTZ, damping);
    let mut model = mass_in_bearing(law.clone(), false);
    model.joints[0].clearance.as_mut().unwrap().onset_floor = 2.0;
    let report = simulate(&launched(&model, 1.0), &tight(&model, 0.065, &[]), &mut Silent);
    let impact = report.impacts[0];
    assert!(impact.floored);
    assert_eq!((report.contacts[0].impacts, report.contacts[0].floored_impacts), (1, 1));
    assert!(report.warnings.iter().any(|w| w.code == "W0305"), "{:?}", report.warnings);
    // 1 + a δ̇/2 is the bracket of half the factor, c_e = 1 − a/3.
    let half = NormalLaw::new(HERTZ, Damping::HuntCrossley { restitution: 0.75 });
    near(
        impact.restitution().unwrap(),
        half.effective_restitution().unwrap(),
        1e-6,
        "floored rebound",
    );
    // Above the floor nothing changes.
    model.joints[0].clearance.as_mut().unwrap().onset_floor = 0.5;
    let report = simulate(&launched(&model, 1.0), &tight(&model, 0.065, &[]), &mut Silent);
    assert!(!report.impacts[0].floored && report.contacts[0].floored_impacts == 0);
    assert!(report.warnings.iter().all(|w| w.code != "W0305"));
    near(
        report.impacts[0].restitution().unwrap(),
        law.effective_restitution().unwrap(),
        1e-6,
        "rebound",
    );
}

#[test]
fn an_impact_off_the_centre_line_acts_along_the_normal() {
    // Without friction the tangential velocity stays and the normal one is turned round by e.
    let law = NormalLaw::new(HERTZ, Damping::LankaraniNikravesh { restitution: 0.9 });
    let mut model = mass_in_bearing(law.clone(), false);
    model.joints[0].clearance.as_mut().unwrap().radial = 0.2;
    let mut start = launched(&model, 1.0);
    start.q[1] = 0.1;
    let outputs = ["mass.velocity.x", "mass.velocity.y", "mass.angular_velocity"];
    let report = simulate(&start, &tight(&model, 0.25, &outputs), &mut Silent);
    let e = law.effective_restitution().unwrap();
    // Touch at 30° above the x axis: normal (√¾, ½). During the impact of 2 ms the normal turns by
    // about a hundredth, so this is no more than a picture of it.
    let normal = [0.75f64.sqrt(), 0.5];
    let approach = normal[0];
    let expected = [1.0 - (1.0 + e) * approach * normal[0], -(1.0 + e) * approach * normal[1]];
    near(report.impacts[0].speed_in, approach, 1e-10, "closing speed");
    for (found, expected) in report.final_values.iter().zip(expected) {
        assert!((found - expected).abs() < 0.02, "{found} is not {expected}");
    }
    assert_eq!(report.final_values[2], 0.0);
}

/// Two masses, each in a bearing of its own; the second starts `late` metres behind.
fn two_masses(damping: Damping, late: f64) -> RunReport {
    let mut model = mass_in_bearing(NormalLaw::new(HERTZ, damping), false);
    model.bodies.push(body("second", 1.0, Some(1.0), 0.0, start_at(0.0, 0.0, 0.0)));
    model.markers.push(marker("journal", 2, 0.0, 0.0));
    let mut pin = model.joints[0].clone();
    pin.name = "other".into();
    pin.b = MarkerId(2);
    model.joints.push(pin);
    let mut start = assemble(&model).unwrap();
    (start.v[0], start.v[3]) = (1.0, 1.0);
    start.q[3] = -late;
    simulate(&start, &tight(&model, 0.075, &[]), &mut Silent)
}

#[test]
fn impacts_at_one_instant_do_not_disturb_each_other() {
    let damping = Damping::HuntCrossley { restitution: 0.5 };
    // At one instant, within rounding of it, a little later, halfway through, and apart.
    for late in [0.0, 1e-16, 1e-14, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 5e-3] {
        let report = two_masses(damping, late);
        assert_eq!(report.status, Status::Done, "{late} m late");
        assert_eq!(report.impacts.len(), 2, "{late} m late: {:?}", report.impacts);
        for impact in &report.impacts {
            // Two contacts share one stretched time: 1e-6 as for one.
            near(impact.restitution().unwrap(), 0.662962, 1e-6, &format!("{late} m late"));
            near(impact.peak_force, 1636.809, 1e-6, &format!("{late} m late"));
        }
        assert!(report.energy.residual_relative() < 1e-9, "{:?}", report.energy);
    }
}
