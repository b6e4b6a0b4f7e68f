//! Rows grew with the length of a run: every step was one, and ten of every step with a film, so that a
//! thousand revolutions of a slider-crank wrote 370 MB. And every row took a whole evaluation, also where
//! only positions were asked for.
//!
//! Now a run has about two thousand rows over its measuring window, at most as many before it, and every
//! event; `every = "steps"` brings all steps back. A row evaluates no more than its outputs read.

use std::ops::ControlFlow;

use gudgeon::assembly::assemble;
use gudgeon::results::{RunReport, Status};
use gudgeon::run::Every;
use gudgeon::simulate::{Observer, simulate};
use gudgeon_model::Loaded;

use crate::common::loaded;

#[derive(Default)]
struct Rows {
    times: Vec<f64>,
    values: Vec<Vec<f64>>,
    orbits: Vec<Vec<[f64; 2]>>,
}

impl Observer for Rows {
    fn row(&mut self, t: f64, values: &[f64], orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.times.push(t);
        self.values.push(values.to_vec());
        self.orbits.push(orbits.to_vec());
        ControlFlow::Continue(())
    }
}

fn run(loaded: &Loaded) -> (RunReport, Rows) {
    let mut rows = Rows::default();
    let report = simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut rows);
    assert_eq!(report.status, Status::Done);
    assert!(rows.times.windows(2).all(|pair| pair[1] > pair[0]));
    assert_eq!(rows.times[0], 0.0);
    assert_eq!(*rows.times.last().unwrap(), report.final_time);
    (report, rows)
}

#[test]
fn the_number_of_rows_does_not_grow_with_the_run() {
    for until in ["2 rev", "6 rev"] {
        let (report, rows) =
            run(&loaded("slider_crank", &[("run.until", until), ("run.measure_from", "1 rev")]));
        let events = report.solver.statistics.events as usize;
        let count = rows.times.len();
        assert!((2000..=4003 + events).contains(&count), "{until}: {count} rows");
        let inside = rows.times.iter().filter(|t| **t > report.window.0).count();
        assert!((2000..=2001 + events).contains(&inside), "{until}: {inside} in the window");
        assert!(rows.times.iter().any(|t| (t - report.window.0).abs() < 1e-15));
    }
    let (report, rows) = run(&loaded("lubricated_slider_crank", &[]));
    assert!(report.solver.statistics.steps > 1000);
    assert!((2000..=4003).contains(&rows.times.len()), "{} rows", rows.times.len());
}

#[test]
fn every_impact_begins_and_ends_with_a_row() {
    let (report, rows) = run(&loaded("slider_crank", &[("run.until", "1 rev")]));
    let has = |t: f64| rows.times.binary_search_by(|row| row.total_cmp(&t)).is_ok();
    assert!(report.impacts.len() > 5);
    for impact in &report.impacts {
        assert!(has(impact.t) && impact.t_out.is_none_or(has), "{impact:?}");
    }
}

#[test]
fn steps_are_rows_where_asked_for() {
    let (report, rows) = run(&loaded(
        "slider_crank",
        &[("run.until", "1 rev"), ("run.measure_from", "0"), ("run.every", "steps")],
    ));
    assert!(rows.times.len() as u64 > report.solver.statistics.steps);
    let loaded = loaded("slider_crank", &[("run.every", "20 us")]);
    assert_eq!(loaded.run.every, Every::Interval(2e-5));
}

/// A pendulum that turns over ends its run by an angle; the number of its rows is known all the same.
#[test]
fn a_run_that_ends_at_an_angle_has_as_many_rows() {
    let set = [("run.until", "{ foot_a = \"4 rev\" }")];
    let (report, rows) = run(&loaded("n_four_bar", &set));
    assert!(report.final_time > 1.0);
    assert!((2000..2300).contains(&rows.times.len()), "{} rows", rows.times.len());
    let longest = rows.times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    assert!(longest < 0.01 * report.final_time, "{longest} s without a row");
}

/// Positions take kinematics alone, forces of contacts no λ: the same bits as beside a reaction that
/// takes everything.
#[test]
fn what_outputs_do_not_need_does_not_change_them() {
    for (model, few) in [
        (
            "slider_crank",
            r#"["slider.position.x", "rod.angle", "pin.eccentricity", "system.potential_energy"]"#,
        ),
        ("slider_crank", r#"["slider.velocity.x", "pin.contact_force", "motor.angular_velocity"]"#),
        ("ball_joint", r#"["rod.end.position.x", "rod.orientation.w", "system.kinetic_energy"]"#),
        ("guide_slider_crank", r#"["guide.contact_force", "guide.indentation"]"#),
        (
            "lubricated_slider_crank",
            r#"["pin.film_force", "pin.film_thickness", "pin.power_loss"]"#,
        ),
    ] {
        let many = few.replace(']', r#", "rod.acceleration.x"]"#);
        let until = if model == "ball_joint" { "0.2 s" } else { "20 ms" };
        let set =
            |outputs| [("run.outputs", outputs), ("run.until", until), ("run.measure_from", "0")];
        let ((_, few), (_, many)) =
            (run(&loaded(model, &set(few))), run(&loaded(model, &set(&many))));
        assert_eq!(few.times, many.times, "{model}");
        assert_eq!(few.orbits, many.orbits, "{model}");
        for (few, many) in few.values.iter().zip(&many.values) {
            assert_eq!(few[..], many[..few.len()], "{model}");
        }
    }
}
