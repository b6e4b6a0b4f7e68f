//! Observing changed the motion: outputs, rows and pressures were evaluated in the workspace that the
//! integrator went on with (scales of thin films, starting points of finite ones), and the start of the
//! measuring window was an instant where steps had to end. Adding an output or asking for other rows
//! changed the digits of all others, and a chaotic motion altogether.
//!
//! Now all of that happens on a copy of the plant, and the window opens inside a step. Whatever is
//! asked for, every bit of the motion and of every other output stays.

use std::ops::ControlFlow;

use gudgeon::assembly::{Assembly, assemble};
use gudgeon::results::{RunReport, Status};
use gudgeon::run::{Every, Loop, PressureAt, RunSpec, Until};
use gudgeon::sensor::catalogue;
use gudgeon::simulate::{Observer, Silent, simulate};

use crate::common::loaded;

/// An observer that draws the middle of a run of this length.
struct Draws(f64);

impl Observer for Draws {
    fn draws(&self) -> Option<(Until, Until)> {
        Some((Until::Time(0.1 * self.0), Until::Time(0.9 * self.0)))
    }
}

/// An observer with many instants of its own.
struct Often(f64);

impl Observer for Often {
    fn instant(&self, row: u64) -> Option<f64> {
        Some(row as f64 * self.0)
    }

    fn row(&mut self, _t: f64, _values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// An observer with many samples beside the rows.
struct Samples(f64, u64);

impl Observer for Samples {
    fn next_sample(&self) -> f64 {
        (self.1 + 1) as f64 * self.0
    }

    fn sample(&mut self, _t: f64, _values: &[f64]) -> ControlFlow<()> {
        self.1 += 1;
        ControlFlow::Continue(())
    }
}

/// Everything that the motion decides: to the last bit, as texts of numbers are exact.
fn motion(report: &RunReport) -> String {
    let s = &report.solver.statistics;
    let counts = (s.steps, s.rejected, s.faults, s.projections, s.events, s.iterations, s.tangents);
    let energy = (&report.energy.lines, report.energy.residual_max, report.energy.peak_kinetic);
    let films: Vec<_> = report.films.iter().map(|film| (film.t, film.thinnest)).collect();
    format!("{} {:?} {energy:?} {films:?} {counts:?}", report.final_time, report.impacts)
}

/// What is reported of the outputs of `of`, in their order.
fn outputs(report: &RunReport, of: &RunSpec) -> String {
    let place = |name: &str| report.extremes.iter().position(|e| e.name == name).unwrap();
    let one = |name: &str| {
        let i = place(name);
        format!("{:?} {}\n", report.extremes[i], report.final_values[i])
    };
    of.outputs.iter().map(|sensor| one(&sensor.name)).collect()
}

fn done(assembly: &Assembly, spec: &RunSpec, observer: &mut dyn Observer) -> RunReport {
    let report = simulate(assembly, spec, observer);
    assert_eq!(report.status, Status::Done);
    report
}

fn unmoved(name: &str, set: &[(&str, &str)]) {
    let loaded = loaded(name, set);
    let assembly = assemble(&loaded.model).unwrap();
    let every = Every::Grid;
    let plain = RunSpec { every, loops: vec![], pressure_at: vec![], ..loaded.run.clone() };
    let reference = done(&assembly, &plain, &mut Silent);
    let same = |report: &RunReport, what: &str| {
        assert_eq!(motion(report), motion(&reference), "{name} {set:?}: {what}");
        let (now, then) = (outputs(report, &plain), outputs(&reference, &plain));
        assert_eq!(now, then, "{name} {set:?}: {what}");
    };

    // All outputs there are, in another order.
    let mut all = catalogue(&loaded.model);
    all.retain(|sensor| !plain.outputs.iter().any(|own| own.name == sensor.name));
    all.extend(plain.outputs.clone());
    same(&done(&assembly, &RunSpec { outputs: all, ..plain.clone() }, &mut Silent), "outputs");

    // Each output alone.
    for sensor in &plain.outputs {
        let alone = RunSpec { outputs: vec![sensor.clone()], ..plain.clone() };
        let report = done(&assembly, &alone, &mut Silent);
        assert_eq!(motion(&report), motion(&reference), "{name} {set:?}: {} alone", sensor.name);
        assert_eq!(outputs(&report, &alone), outputs(&reference, &alone), "{name} {}", sensor.name);
    }

    // Rows, loops, pressures.
    for every in [Every::Steps, Every::Interval(reference.final_time / 777.0)] {
        same(&done(&assembly, &RunSpec { every, ..plain.clone() }, &mut Silent), "every");
    }
    same(&done(&assembly, &plain, &mut Often(reference.final_time / 1234.5)), "an observer");
    let mut samples = Samples(reference.final_time / 1234.5, 0);
    same(&done(&assembly, &plain, &mut samples), "samples");
    assert_eq!(samples.1, 1234, "{name} {set:?}");
    same(&done(&assembly, &plain, &mut Draws(reference.final_time)), "a picture");
    let joints = reference.impacts.iter().map(|impact| impact.joint);
    let loops = joints.map(|joint| Loop { joint, impacts: vec![1, 2, 3] }).collect();
    same(&done(&assembly, &RunSpec { loops, ..plain.clone() }, &mut Silent), "loops");
    let when = |share: f64| PressureAt::When(Until::Time(share * reference.final_time));
    let pressure_at = vec![when(0.1234), when(0.5), PressureAt::Thinnest];
    same(&done(&assembly, &RunSpec { pressure_at, ..plain.clone() }, &mut Silent), "pressures");

    // The window: its outputs are others, the motion is not.
    for share in [0.0, 0.123, 0.5, 0.987] {
        let measure_from = Until::Time(share * reference.final_time);
        let report = done(&assembly, &RunSpec { measure_from, ..plain.clone() }, &mut Silent);
        assert_eq!(motion(&report), motion(&reference), "{name} {set:?}: window from {share}");
        assert_eq!(report.window.0, share * reference.final_time);
    }
}

#[test]
fn observing_leaves_explicit_runs_as_they_are() {
    unmoved("slider_crank", &[("run.until", "5 ms"), ("run.measure_from", "2 ms")]);
    unmoved("tilted_four_bar", &[("run.until", "0.02 s"), ("run.measure_from", "0.003 s")]);
    unmoved("guide_slider_crank", &[("run.until", "0.01 s"), ("run.measure_from", "1 ms")]);
    unmoved("heavy_top", &[("run.until", "0.2 s"), ("run.method", "dopri5")]);
    unmoved("iftomm_slider_crank", &[("run.rtol", "1e-4")]);
}

#[test]
fn observing_leaves_implicit_runs_and_films_as_they_are() {
    let short = [("run.until", "0.3 rev"), ("run.measure_from", "0.1 rev")];
    let and = |more: &[(&'static str, &'static str)]| [&short[..], more].concat();
    unmoved("lubricated_slider_crank", &and(&[]));
    unmoved("lubricated_slider_crank", &and(&[("run.method", "dop853"), ("run.rtol", "1e-6")]));
    unmoved("lubricated_slider_crank", &and(&[("joints.pin.film.model", "finite")]));
    unmoved("run_down_bearing", &[("run.until", "2 s")]);
    unmoved("heavy_top", &[("run.until", "0.1 s"), ("run.method", "generalized-alpha")]);
    unmoved(
        "slider_crank",
        &[("run.until", "1 ms"), ("run.measure_from", "0.2 ms"), ("run.method", "bdf")],
    );
}

/// Turns of a joint open the window where it has turned so far, not at the end of that step.
#[test]
fn a_window_by_turns_opens_where_a_window_by_time_does() {
    let set = [("run.until", "12 ms"), ("run.measure_from", "0"), ("run.rtol", "1e-6")];
    let loaded = loaded("slider_crank", &set);
    let assembly = assemble(&loaded.model).unwrap();
    let driver = &loaded.model.drivers[0];
    let (speed, from) = (2000.0 * std::f64::consts::TAU / 60.0, 0.0071);
    let turned = Until::JointAngle { joint: driver.joint, angle: speed * from };
    let with = |measure_from| {
        let spec = RunSpec { measure_from, ..loaded.run.clone() };
        done(&assembly, &spec, &mut Silent)
    };
    let (by_turns, by_time) = (with(turned), with(Until::Time(from)));
    assert!((by_turns.window.0 - from).abs() < 1e-9, "{}", by_turns.window.0);
    assert_eq!(motion(&by_turns), motion(&by_time));
    for (a, b) in by_turns.extremes.iter().zip(&by_time.extremes) {
        assert!((a.mean - b.mean).abs() < 1e-6 * a.abs_max().0, "{a:?} {b:?}");
        assert_eq!((a.max, a.min), (b.max, b.min));
    }
}
