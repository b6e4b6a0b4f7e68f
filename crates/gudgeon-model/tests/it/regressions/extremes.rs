//! Extremes missed peaks inside a step: whether a step was searched hung on a parabola through its ends
//! and its middle by a cubic interpolant. An asymmetric free body reported a largest ω_y of 1.0172689
//! where 1.0172791 came later, the heavy top 875.728 N where its own rows held 875.753 N, the
//! slider-crank of IFToMM was off by 0.19 % at rtol 1e-4. Means came from the same cubic and had no
//! bound of their error; the rms could exceed the largest value.
//!
//! Now a step is searched wherever a bound on the output allows a new record. Sampled at 64 points per
//! step of the dense output, no output exceeds its reported extremes by more than the tolerance of the
//! run, times its largest value. Means carry bounds, which hold against finer quadratures.

use std::ops::ControlFlow;

use gudgeon::assembly::{Assembly, assemble};
use gudgeon::results::{LedgerKind, Status};
use gudgeon::run::RunSpec;
use gudgeon::simulate::{Observer, simulate};

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::shipped::SHIPPED;
use gudgeon_model::{Analysis, Loaded, Overrides, Resolver, load_text};

use crate::common::loaded;

/// Points per step.
const POINTS: usize = 64;

/// Keeps the ends of all steps.
struct Steps(Vec<f64>);

impl Observer for Steps {
    fn progress(&mut self, t: f64, _end: f64) -> ControlFlow<()> {
        if self.0.last().is_none_or(|last| t > *last) {
            self.0.push(t);
        }
        ControlFlow::Continue(())
    }
}

/// Rows at chosen instants: extremes from `from` on, integrals over the whole run by Simpson's rule.
struct Rows<'a> {
    steps: &'a [f64],
    from: f64,
    min: Vec<f64>,
    max: Vec<f64>,
    integral: Vec<f64>,
    square: Vec<f64>,
    /// Up to two rows before.
    last: Vec<(f64, Vec<f64>)>,
}

impl Observer for Rows<'_> {
    fn instant(&self, row: u64) -> Option<f64> {
        let (step, point) = ((row - 1) as usize / POINTS, (row - 1) as usize % POINTS + 1);
        let Some(to) = self.steps.get(step) else { return Some(f64::INFINITY) };
        let from = if step == 0 { 0.0 } else { self.steps[step - 1] };
        Some(if point == POINTS { *to } else { from + (to - from) * point as f64 / POINTS as f64 })
    }

    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        for (i, value) in values.iter().enumerate().filter(|_| t >= self.from) {
            self.min[i] = self.min[i].min(*value);
            self.max[i] = self.max[i].max(*value);
        }
        self.last.push((t, values.to_vec()));
        if let [(start, first), (_, second), (end, third)] = &self.last[..] {
            for i in 0..values.len() {
                let simpson = |f: fn(f64) -> f64| {
                    (end - start) / 6.0 * (f(first[i]) + 4.0 * f(second[i]) + f(third[i]))
                };
                self.integral[i] += simpson(|x| x);
                self.square[i] += simpson(|x| x * x);
            }
            self.last.drain(..2);
        }
        ControlFlow::Continue(())
    }
}

fn sampled<'a>(assembly: &Assembly, spec: &RunSpec, steps: &'a [f64], from: f64) -> Rows<'a> {
    let zeros = || vec![0.0; spec.outputs.len()];
    let mut rows = Rows {
        steps,
        from,
        min: vec![f64::INFINITY; spec.outputs.len()],
        max: vec![f64::NEG_INFINITY; spec.outputs.len()],
        integral: zeros(),
        square: zeros(),
        last: Vec::new(),
    };
    simulate(assembly, spec, &mut rows);
    rows
}

/// Runs a model twice, the second time sampled, and holds the samples against the extremes; returns by
/// how much the worst exceeds, over the tolerance times the largest value.
fn excess(name: &str, set: &[(&str, &str)]) -> f64 {
    excess_of(&loaded(name, set), name, set)
}

fn excess_of(loaded: &Loaded, name: &str, set: &[(&str, &str)]) -> f64 {
    let assembly = assemble(&loaded.model).unwrap();
    let spec = &loaded.run;
    let mut steps = Steps(Vec::new());
    let report = simulate(&assembly, spec, &mut steps);
    assert_eq!(report.status, Status::Done, "{name} {set:?}");
    let rows = sampled(&assembly, spec, &steps.0, report.window.0);
    let mut worst = 0.0f64;
    for (i, extreme) in report.extremes.iter().enumerate() {
        let size = extreme.abs_max().0;
        let over = (rows.max[i] - extreme.max).max(extreme.min - rows.min[i]);
        // A moment that is zero but for rounding is 1e-14 N m.
        let relative = over / (report.solver.rtol * size + 1e-14);
        if relative > 1.0 {
            println!("{name} {set:?} {}: over by {over:e} of {size:e}", extreme.name);
        }
        worst = worst.max(relative);
        assert!(extreme.rms <= size, "{name} {set:?} {}", extreme.name);
        assert!((extreme.min..=extreme.max).contains(&extreme.mean), "{name} {}", extreme.name);
    }
    worst
}

fn hold(cases: &[(&str, &[(&str, &str)])]) {
    for (name, set) in cases {
        let worst = excess(name, set);
        println!("{name} {set:?}: {worst:.2e} of the tolerance");
        assert!(worst <= 1.0, "{name} {set:?}: {worst}");
    }
}

struct Nowhere;

impl Resolver for Nowhere {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        Err(Box::new(Diagnostic::error("G0001", format!("no file `{name}`"))))
    }
}

/// A body that turns about its middle axis tumbles for ever; its rates have peaks that differ a little.
#[test]
fn no_point_of_a_tumbling_body_exceeds_its_extremes() {
    for rtol in ["1e-4", "1e-7", "1e-10", "1e-12"] {
        let text = format!(
            r#"format = 1
[model]
space = "spatial"
gravity = "0, 0, 0"
[bodies.wing_nut]
mass = "1 kg"
inertia = "1 kg m^2, 2 kg m^2, 3 kg m^2"
[start]
wing_nut.body_rate = "0.01 rad/s, 1 rad/s, 0.02 rad/s"
[run]
until = "60 s"
rtol = {rtol}
outputs = ["wing_nut.angular_velocity.x", "wing_nut.angular_velocity.y", "wing_nut.angular_velocity.z", "wing_nut.angular_velocity", "wing_nut.angular_acceleration"]
"#
        );
        let loaded = match load_text("wing_nut.toml", &text, &Nowhere, &Overrides::default()) {
            Ok(loaded) => loaded,
            Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
        };
        let worst = excess_of(&loaded, "wing_nut", &[("rtol", rtol)]);
        assert!(worst <= 1.0, "{rtol}: {worst}");
    }
}

#[test]
#[ignore = "slow: every shipped model as it stands, sampled at 64 points per step"]
fn no_point_of_any_shipped_run_exceeds_its_extremes() {
    for shipped in SHIPPED {
        let loaded = loaded(shipped.name, &[]);
        if loaded.analysis == Analysis::Motion {
            let worst = excess_of(&loaded, shipped.name, &[]);
            println!("{}: {worst:.2e} of the tolerance", shipped.name);
            assert!(worst <= 1.0, "{}: {worst}", shipped.name);
        }
    }
}

#[test]
fn no_point_of_an_explicit_run_exceeds_its_extremes() {
    hold(&[
        ("heavy_top", &[("run.rtol", "1e-6")]),
        ("heavy_top", &[("run.rtol", "1e-10"), ("run.until", "0.5 s")]),
        ("iftomm_slider_crank", &[("run.rtol", "1e-4")]),
        ("iftomm_slider_crank", &[]),
        ("andrews_squeezer", &[]),
        ("andrews_squeezer", &[("run.rtol", "1e-4")]),
        ("bricard", &[]),
        ("bricard", &[("run.rtol", "1e-3")]),
        ("pendulum", &[("run.rtol", "1e-3")]),
        ("pendulum", &[("run.method", "dopri5")]),
        ("n_four_bar", &[("run.rtol", "1e-5")]),
        ("spatial_four_bar", &[]),
        ("chain", &[("run.until", "0.2 s"), ("run.rtol", "1e-5")]),
    ]);
}

#[test]
fn no_point_of_a_run_with_impacts_exceeds_its_extremes() {
    hold(&[
        ("slider_crank", &[("run.until", "8 ms"), ("run.measure_from", "3 ms")]),
        ("slider_crank", &[("run.until", "8 ms"), ("run.measure_from", "0"), ("run.rtol", "1e-4")]),
        ("flores_double_pendulum", &[("run.until", "0.06 s")]),
        ("ball_joint", &[("run.until", "0.05 s")]),
        ("guide_slider_crank", &[("run.until", "0.02 s"), ("run.measure_from", "0.01 s")]),
        ("tilted_four_bar", &[("run.until", "0.05 s"), ("run.measure_from", "0")]),
        ("bai_four_bar", &[("run.until", "0.01 s"), ("run.measure_from", "0")]),
    ]);
}

#[test]
fn no_point_of_an_implicit_run_exceeds_its_extremes() {
    hold(&[
        ("lubricated_slider_crank", &[("run.until", "1 rev"), ("run.measure_from", "0")]),
        ("journal_bearing", &[("run.measure_from", "0")]),
        ("run_down_bearing", &[]),
        ("squeeze_film", &[]),
        ("rotor", &[("run.until", "1 rev"), ("run.measure_from", "0")]),
        ("pendulum", &[("run.method", "bdf"), ("run.rtol", "1e-6")]),
        ("heavy_top", &[("run.method", "generalized-alpha"), ("run.rtol", "1e-4")]),
    ]);
}

/// Smooth motions, where Simpson's rule on 64 parts of every step is right to 1e-10.
#[test]
fn the_bounds_of_means_hold_against_simpsons_rule() {
    for (name, set) in [
        ("iftomm_slider_crank", &[("run.rtol", "1e-4")][..]),
        ("iftomm_slider_crank", &[]),
        ("andrews_squeezer", &[]),
        ("heavy_top", &[("run.rtol", "1e-6")]),
        ("pendulum", &[("run.rtol", "1e-4")]),
        ("squeeze_film", &[]),
    ] {
        let loaded = loaded(name, set);
        let (assembly, spec) = (assemble(&loaded.model).unwrap(), &loaded.run);
        let mut steps = Steps(Vec::new());
        let report = simulate(&assembly, spec, &mut steps);
        let rows = sampled(&assembly, spec, &steps.0, 0.0);
        let duration = report.window.1 - report.window.0;
        for (i, extreme) in report.extremes.iter().enumerate() {
            let size = extreme.abs_max().0;
            let mean = rows.integral[i] / duration;
            let rms = (rows.square[i] / duration).sqrt();
            let off = ((extreme.mean - mean).abs(), (extreme.rms - rms).abs());
            let (bounds, output) = ((extreme.mean_error, extreme.rms_error), &extreme.name);
            println!("{name} {output}: off {off:?}, bounds {bounds:?} of {size:.1e}");
            assert!(off.0 <= bounds.0 + 1e-10 * size, "{name} {set:?} {output}: {off:?}");
            assert!(off.1 <= bounds.1 + 1e-10 * size, "{name} {set:?} {output}: {off:?}");
            // Bounds that nothing comes near would be of no use.
            let useful = 1e-5f64.max(10.0 * report.solver.rtol) * size;
            assert!(bounds.0 <= useful && bounds.1 <= useful, "{name} {set:?} {output}");
        }
    }
}

/// Through impacts the mean of an acceleration is the change of the velocity, and the mean power of the
/// driver its work, which the integrator keeps as a state of its own.
#[test]
fn means_through_impacts_are_what_velocity_and_work_say() {
    for rtol in ["1e-6", "1e-9"] {
        let set = [("run.until", "8 ms"), ("run.measure_from", "0"), ("run.rtol", rtol)];
        let mut loaded = loaded("slider_crank", &set);
        let names = ["slider.acceleration.x", "slider.velocity.x", "motor.power"];
        let sensor = |name: &str| gudgeon::sensor::resolve(&loaded.model, name).unwrap();
        loaded.run.outputs = names.map(sensor).to_vec();
        let assembly = assemble(&loaded.model).unwrap();
        let mut rows = sampled(&assembly, &loaded.run, &[], 0.0);
        let report = simulate(&assembly, &loaded.run, &mut rows);
        let start = rows.last[0].1[1];
        let duration = report.window.1 - report.window.0;
        let [acceleration, velocity, power] = &report.extremes[..] else { panic!() };
        let change = (report.final_values[1] - start) / duration;
        let is_work = |line: &&gudgeon::results::LedgerLine| line.kind == LedgerKind::Driver;
        let work = report.energy.lines.iter().find(is_work).unwrap().value / duration;
        let rtol = report.solver.rtol;
        // Velocity and work have errors of the tolerance of their own.
        let own = |size: f64| 100.0 * rtol * size / duration;
        let off = ((acceleration.mean - change).abs(), (power.mean - work).abs());
        println!("{rtol:e}: {off:?}, {:.1e} {:.1e}", acceleration.mean_error, power.mean_error);
        let speed = velocity.abs_max().0;
        assert!(off.0 <= acceleration.mean_error + own(speed), "{off:?}");
        assert!(off.1 <= power.mean_error + own(report.energy.peak_kinetic), "{off:?}");
        assert!(acceleration.mean_error <= 1e-6 * acceleration.abs_max().0);
    }
}
