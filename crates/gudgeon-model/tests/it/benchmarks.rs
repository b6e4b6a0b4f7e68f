//! Shipped models give the numbers that their READMEs promise.
//!
//! Figures of papers stand in `reference.toml` and are tested by `gudgeon reproduce`. The slow tests
//! are for `cargo test --release -- --include-ignored`.

use std::ops::ControlFlow;

use gudgeon::assembly::{Assembly, assemble};
use gudgeon::model::Form;
use gudgeon::results::{RunReport, Status};
use gudgeon::run::{Every, RunSpec, Until};
use gudgeon::simulate::{Observer, Silent, simulate};
use gudgeon_model::shipped::{self, SHIPPED, find};
use gudgeon_model::{Analysis, Loaded, Overrides};

/// A shipped model with settings as of `--set`, and other outputs than its own where any are named.
fn load(name: &str, set: &[(&str, &str)], outputs: &[&str]) -> Loaded {
    let set = set.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
    let mut overrides = Overrides { set, ..Overrides::default() };
    if !outputs.is_empty() {
        overrides.set.push(("run.outputs".into(), format!("{outputs:?}")));
    }
    match shipped::load(find(name).expect("a shipped model"), &overrides) {
        Ok(loaded) => loaded,
        Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
    }
}

fn assembled(loaded: &Loaded) -> Assembly {
    assemble(&loaded.model).unwrap_or_else(|error| panic!("{}: {error}", loaded.model.name))
}

fn run(loaded: &Loaded, until: Option<f64>, rtol: f64) -> RunReport {
    let until = until.map_or(loaded.run.until, Until::Time);
    let spec = RunSpec { until, rtol: Some(rtol), ..loaded.run.clone() };
    let report = simulate(&assembled(loaded), &spec, &mut Silent);
    assert_eq!(report.status, Status::Done, "{}", loaded.model.name);
    report
}

fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "{found} is not {wanted} ± {tolerance:e}");
}

/// Values after whole seconds.
struct Seconds(Vec<Vec<f64>>);

impl Observer for Seconds {
    fn row(&mut self, _t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push(values.to_vec());
        ControlFlow::Continue(())
    }
}

fn slider_crank_at(set: &[(&str, &str)], expected: [(usize, f64, f64); 3]) {
    let outputs = ["slider.position.x", "crank.angular_velocity.x"];
    let loaded = load("iftomm_slider_crank", set, &outputs);
    let spec = RunSpec { every: Every::Interval(1.0), ..loaded.run.clone() };
    let mut rows = Seconds(vec![]);
    simulate(&assembled(&loaded), &spec, &mut rows);
    for (second, x, rate) in expected {
        near(rows.0[second][0], x, 1e-5);
        near(rows.0[second][1], rate, 1e-3);
    }
}

#[test]
fn the_spatial_slider_crank_meets_its_published_results() {
    let published = [(1, 0.209457, 10.4432), (3, 0.231753, 6.1007), (5, 0.229387, 10.7704)];
    slider_crank_at(&[], published);
    let report = assembled(&load("iftomm_slider_crank", &[], &[])).report;
    assert_eq!((report.mobility, report.redundant.len()), (1, 0));
}

#[test]
fn the_spatial_slider_crank_from_a_start_its_joints_allow() {
    let start = ("start.rod.angular_velocity", "2.4 rad/s, -1.2 rad/s, 0");
    let known = [(1, 0.208708, 10.46667), (3, 0.233356, 6.21745), (5, 0.224926, 10.60622)];
    slider_crank_at(&[start], known);
}

#[test]
fn the_heavy_top_at_a_fifth_of_a_second() {
    let outputs = ["w", "x", "y", "z"].map(|c| format!("top.orientation.{c}"));
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let report = run(&load("heavy_top", &[], &outputs), Some(0.2), 1e-11);
    let sign = -report.final_values[0].signum();
    for (found, wanted) in report.final_values.iter().zip([-0.70828, 0.43878, 0.54573, 0.0894]) {
        near(sign * found, wanted, 1e-4);
    }
}

#[test]
fn the_n_four_bar_passes_its_singular_positions() {
    let report = run(&load("n_four_bar", &[], &[]), None, 1e-10);
    let wanted = [0.3284581112, 0.9445185383, 1.423051470, -0.494868845];
    for (found, wanted) in report.final_values.iter().zip(wanted) {
        near(*found, wanted, 1e-5);
    }
}

#[test]
fn bricard_moves_with_one_redundant_row_and_comes_back() {
    let loaded = load("bricard", &[], &["cd.c.position.x", "cd.c.position.y", "cd.c.position.z"]);
    let report = assembled(&loaded).report;
    assert_eq!((report.rows, report.redundant.len(), report.mobility), (30, 1, 1));
    let whole = run(&loaded, None, 1e-10);
    near(whole.extremes[0].min, -1.0, 1e-9);
    near(whole.extremes[0].t_min, 7.4795, 1e-3);
    near(whole.extremes[2].min, -0.5, 1e-6);
    assert!(whole.energy.residual_relative() < 1e-9);
    assert!(whole.drift.position < 1e-9);
}

#[test]
fn the_spatial_four_bar_has_three_rows_too_many() {
    let rows = |set: &[(&str, &str)]| {
        let report = assembled(&load("spatial_four_bar", set, &[])).report;
        (report.mobility, report.redundant.len(), report.not_unique.is_empty())
    };
    assert_eq!(rows(&[]), (0, 3, false));
    let determinate = [("joints.C.type", "spherical"), ("joints.D.type", "cylindrical")];
    assert_eq!(rows(&determinate), (0, 0, true));
}

#[test]
fn the_chain_whips() {
    let report =
        run(&load("chain", &[], &["link16.to.velocity", "pin1.reaction"]), Some(0.41), 1e-9);
    near(report.extremes[0].max, 10.90, 0.01);
    near(report.extremes[1].max, 14.66, 0.01);
    assert!(report.energy.residual_relative() < 1e-9);
}

#[test]
fn the_tilted_four_bar_needs_its_play() {
    let mut ideal = load("tilted_four_bar", &[], &["motor.torque"]);
    ideal.model.joints.iter_mut().for_each(|joint| joint.clearance = None);
    let refused = assemble(&ideal.model).unwrap_err().to_string();
    assert!(refused.contains("1.0000 deg"), "{refused}");
    let tight = load("tilted_four_bar", &[("clearance", "0.15 mm")], &["motor.torque"]);
    let refused = assemble(&tight.model).unwrap_err().to_string();
    assert!(refused.contains("allows 0.8594 deg"), "{refused}");
}

#[test]
#[ignore = "slow: contacts, some seconds with optimisation"]
fn the_tilt_costs_torque() {
    let run = |tilt: &str| {
        let loaded = load("tilted_four_bar", &[("tilt", tilt)], &["motor.torque"]);
        let report = run(&loaded, None, 1e-9);
        let journal = &report.journals[0];
        (report.extremes[0].abs_max().0, journal.shares, journal.max_misalignment.to_degrees())
    };
    let (straight, shares, _) = run("0 deg");
    near(straight, 3.331, 0.01);
    near(shares[2], 1.0, 1e-9);
    let (askew, shares, tilt) = run("1 deg");
    near(askew, 26.6, 1.0);
    near(tilt, 1.0, 1e-6);
    near(shares[2], 0.57, 0.05);
    let (jammed, shares, _) = run("1.5 deg");
    assert!(jammed < askew && jammed > 3.0 * straight, "{jammed}");
    near(shares[3], 0.78, 0.05);
}

#[test]
#[ignore = "slow: contacts, about 40 s without optimisation"]
fn friction_makes_the_ball_roll() {
    let spin = |mu: &str| {
        let loaded = load("ball_joint", &[("mu", mu)], &["rod.angular_velocity.z"]);
        run(&loaded, Some(1.0), 1e-9).extremes[0].min
    };
    near(spin("0"), -2.15, 0.02);
    near(spin("0.1"), -17.1, 0.3);
}

#[test]
fn the_slider_stays_in_its_guide() {
    let outputs = ["slider.position.y", "slider.angle", "guide.contact_force"];
    let loaded = load("guide_slider_crank", &[], &outputs);
    let guides = loaded.model.joints.iter().filter_map(|joint| joint.clearance.as_ref());
    let (gap, form) = guides.map(|guide| (guide.radial, guide.form.clone())).next().unwrap();
    let Form::Guide { length, .. } = form else { panic!("{form:?}") };
    let report = run(&loaded, Some(0.1), 1e-9);
    let deepest = report.contacts.iter().map(|contact| contact.max_depth).fold(0.0, f64::max);
    assert!(deepest > 1e-6 && deepest < 0.1 * gap, "{deepest}");
    assert!(report.extremes[0].abs_max().0 < gap + deepest);
    assert!(report.extremes[1].abs_max().0 < 2.0 * (gap + deepest) / length);
    assert!(report.contacts.iter().all(|contact| contact.impacts > 0));
}

/// A warning of a shipped model is named in its README, so that nobody is surprised.
#[test]
#[ignore = "slow: runs every shipped model, some seconds with optimisation"]
fn warnings_are_explained() {
    let older = ["slider_crank", "four_bar_two_clearances", "bai_slider_crank", "bai_four_bar"];
    for shipped in SHIPPED.iter().filter(|shipped| !older.contains(&shipped.name)) {
        let loaded = load(shipped.name, &[], &[]);
        if loaded.analysis != Analysis::Motion {
            continue; // nothing moves, so that no run warns
        }
        let bends = loaded.model.bodies.iter().any(|body| body.flexible.is_some());
        let report = match bends {
            // At the tolerance of the file: a tighter one follows sections that vibrate.
            true => simulate(&assembled(&loaded), &loaded.run, &mut Silent),
            false => run(&loaded, None, 1e-9),
        };
        assert_eq!(report.status, Status::Done, "{}", shipped.name);
        for warning in report.warnings {
            let code = warning.code;
            assert!(shipped.readme.contains(code), "{}: {code} is not explained", shipped.name);
        }
    }
}
