//! Speed of a clearance run, with the error measured in the same run.
//!
//! Slider-crank of zhang, c = 0.1 mm, K from Eq. 5, one revolution. The error is that of the
//! slider's velocity plateaus after impacts 1–5 against the same run at rtol 1e-13. Times are CPU
//! seconds, the best of several repetitions: of the bare steps and events in the table, and of the
//! integration with its outputs, rows, extremes, means and ledger (nothing is written) in the line after the
//! table. Then the ratio of such a run, with its 2000 rows and without, to a program of two unknowns written by hand
//! (`by_hand`), both at the loosest tolerance at which the plateaus are within 1e-6, medians of 21 runs turn by turn.
//! Then the median of 21 pairs of runs, the law as a formula over built in, and at the end what a hundred runs of a study
//! take, whose samples have no rows unless a response reads them.
//!
//! `cargo bench -p gudgeon --bench slider_crank`

mod by_hand;
#[path = "../tests/it/common/mod.rs"]
mod common;

use std::sync::Arc;

use by_hand::SliderCrank;
use gudgeon::assembly::{Assembly, assemble};
use gudgeon::clearance::formula::NormalFormula;
use gudgeon::clearance::normal::NormalLaw;
use gudgeon::formula::{Formula, Step};
use gudgeon::model::{Coordinates, Model};
use gudgeon::results::Status;
use gudgeon::run::{Every, Limits, Method, RunSpec, Until};
use gudgeon::simulate::{Silent, simulate};
use gudgeon::system::{Change, Plant};
use gudgeon_dae::tableau::{DOP853, DOPRI5, Tableau};
use gudgeon_dae::{Explicit, Options, Statistics, StepOutcome};

const PLATEAUS: usize = 5;
/// The slider among the moving bodies.
const SLIDER: usize = 2;

fn main() {
    for speed in [5000.0, 2000.0] {
        let clearance = 1e-4;
        let stiffness = stiffness(clearance);
        let model = common::slider_crank(common::rpm(speed), clearance, stiffness, 0.9);
        let in_coordinates = |coordinates| {
            let model = Model { coordinates, ..model.clone() };
            assemble(&model).expect("the mechanism closes")
        };
        let starts = [Coordinates::Absolute, Coordinates::Joint].map(in_coordinates);
        let end = 60.0 / speed;
        println!("slider-crank, {speed} rpm, c = 0.1 mm, K = {stiffness:.4e}, one revolution");
        let (exact, _, _) = run(&starts[0], &DOP853, 1e-13, end);
        for (start, name) in starts.iter().zip(["absolute coordinates", "joint coordinates"]) {
            println!(" {name}");
            for tableau in [&DOP853, &DOPRI5] {
                for exponent in 5..=11 {
                    let rtol = 10f64.powi(-exponent);
                    report(start, tableau, rtol, end, &exact);
                }
            }
            whole_run(start, end);
        }
        let hand =
            SliderCrank { speed: common::rpm(speed), clearance, stiffness, restitution: 0.9 };
        beside_hand(&starts, &hand, end, &exact);
        by_formula(&model, &starts[0], stiffness, end);
    }
    hundred_runs();
}

/// K of Eq. 5 of zhang.
fn stiffness(clearance: f64) -> f64 {
    4.0 / 3.0 * 207e9 / 1.82 * (0.01f64 * (0.01 - clearance) / clearance).sqrt()
}

/// A hundred clearances from 0.05 to 0.5 mm, one revolution each: assembly and run with outputs.
fn hundred_runs() {
    let kinds = [Coordinates::Absolute, Coordinates::Joint];
    for (coordinates, rows) in kinds.into_iter().flat_map(|c| [(c, NO_ROWS), (c, Every::Grid)]) {
        let clock = gudgeon::cpu::seconds();
        for i in 0..100 {
            let clearance = 5e-5 + 4.5e-4 * f64::from(i) / 99.0;
            let speed = common::rpm(5000.0);
            let model = common::slider_crank(speed, clearance, stiffness(clearance), 0.9);
            let start = assemble(&Model { coordinates, ..model }).expect("the mechanism closes");
            let report =
                simulate(&start, &spec(&start, 60.0 / 5000.0, Some(1e-7), rows), &mut Silent);
            assert_eq!(report.status, Status::Done);
        }
        let seconds = gudgeon::cpu::seconds() - clock;
        let rows = if rows == NO_ROWS { "without rows" } else { "with rows" };
        println!("100 runs, rtol 1e-7, {coordinates:?} coordinates, {rows}: {seconds:.3} s CPU");
    }
}

fn report(start: &Assembly, tableau: &'static Tableau, rtol: f64, end: f64, exact: &[f64]) {
    let mut best = f64::INFINITY;
    let mut result = (Vec::new(), Statistics::default());
    for _ in 0..7 {
        let (plateaus, statistics, seconds) = run(start, tableau, rtol, end);
        best = best.min(seconds);
        result = (plateaus, statistics);
    }
    let (plateaus, s) = result;
    let error =
        (0..PLATEAUS).map(|i| ((plateaus[i] - exact[i]) / exact[i]).abs()).fold(0.0, f64::max);
    println!(
        "  {:7} rtol {rtol:.0e}  {:7.3} ms  error {error:.1e}  steps {:5} rejected {:4} evaluations {:6} impacts {}  {:.0} ns/evaluation",
        tableau.name,
        1e3 * best,
        s.steps,
        s.rejected,
        s.evaluations,
        plateaus.len(),
        1e9 * best / s.evaluations as f64,
    );
}

/// Velocity of the slider at every release, statistics and CPU seconds.
fn run(
    start: &Assembly,
    tableau: &'static Tableau,
    rtol: f64,
    end: f64,
) -> (Vec<f64>, Statistics, f64) {
    let mut y = start.state();
    let mut plant = Plant::new(&start.system);
    let mut ode = Explicit::new(tableau, Options::adaptive(rtol), &plant, 0.0, &y);
    let mut plateaus = Vec::new();
    let clock = gudgeon::cpu::seconds();
    loop {
        match ode.step(&mut plant, end).expect("the run succeeds") {
            StepOutcome::Stopped => break,
            StepOutcome::Stepped => {}
            StepOutcome::Event => {
                y.copy_from_slice(ode.state());
                let (t, ends) =
                    (ode.time(), |change: &Change| matches!(change, Change::Ended { .. }));
                if plant.handle(t, &mut y, ode.fired()).iter().any(ends) {
                    plateaus.push(plant.state_of(SLIDER, t, ode.state()).twist.v.x);
                }
                ode.state_mut().copy_from_slice(&y);
                let hint = plant.step_hint(0, ode.time(), ode.state());
                ode.restart(Some(hint));
            }
        }
    }
    (plateaus, ode.statistics, gudgeon::cpu::seconds() - clock)
}

/// Rows as studies ask for that read none.
const NO_ROWS: Every = Every::Interval(f64::INFINITY);

/// Plateaus that must hold before a time is quoted.
const WITHIN: f64 = 1e-6;

fn off(plateaus: &[f64], exact: &[f64]) -> f64 {
    let part = |i: usize| plateaus.get(i).map_or(1.0, |v| ((v - exact[i]) / exact[i]).abs());
    (0..PLATEAUS).map(part).fold(0.0, f64::max)
}

/// The loosest tolerance, in thirds of decades, from which on plateaus hold, and their error there.
fn loosest(plateaus: impl Fn(f64) -> Vec<f64>, exact: &[f64]) -> (f64, f64) {
    let rtol = |i: i32| 10f64.powf(-4.0 - f64::from(i) / 3.0);
    let error = |i: i32| off(&plateaus(rtol(i)), exact);
    let last = (0..=24).rev().find(|i| error(*i) > WITHIN).map_or(0, |i| i + 1);
    (rtol(last), error(last))
}

/// Our runs with their outputs in both kinds of coordinates over the program by hand, at equal error.
fn beside_hand(starts: &[Assembly; 2], hand: &SliderCrank, end: f64, exact: &[f64]) {
    let ours =
        starts.each_ref().map(|start| loosest(|rtol| run(start, &DOP853, rtol, end).0, exact));
    let tableaus = [&DOPRI5, &DOP853];
    let theirs =
        tableaus.map(|tableau| loosest(|rtol| hand.run(tableau, rtol, end).plateaus, exact));
    let mut seconds: [Vec<f64>; 6] = Default::default();
    let mut outputs: [Vec<f64>; 2] = Default::default();
    for _ in 0..21 {
        for (i, start) in starts.iter().enumerate() {
            let run = |rows| {
                let spec = spec(start, end, Some(ours[i].0), rows);
                simulate(start, &spec, &mut Silent).solver.cpu
            };
            let cpu = run(Every::Grid);
            seconds[i].push(cpu.integration());
            outputs[i].push(cpu.outputs / cpu.integration());
            seconds[4 + i].push(run(NO_ROWS).integration());
        }
        for (i, tableau) in tableaus.into_iter().enumerate() {
            // Several runs: one is near the resolution of the clock.
            let clock = gudgeon::cpu::seconds();
            (0..4).for_each(|_| drop(hand.run(tableau, theirs[i].0, end)));
            seconds[2 + i].push(0.25 * (gudgeon::cpu::seconds() - clock));
        }
    }
    let median = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[10]
    };
    let [absolute, joint, five, eight, bare_absolute, bare_joint] =
        seconds.map(|all| 1e3 * median(all));
    let outputs = outputs.map(median);
    for i in 0..2 {
        let name = ["absolute", "joint"][i];
        let ((rtol, error), time) = (ours[i], [absolute, joint][i]);
        let bare = [bare_absolute, bare_joint][i];
        let s = run(&starts[i], &DOP853, rtol, end).1;
        println!(
            "  with outputs and ledger, {name:8} coordinates, rtol {rtol:.1e}: {time:.3} ms, error {error:.1e}, \
             evaluations of steps {}, outputs {:.0} %; without rows {bare:.3} ms",
            s.evaluations,
            1e2 * outputs[i],
        );
    }
    for ((tableau, (rtol, error)), time) in tableaus.into_iter().zip(theirs).zip([five, eight]) {
        let evaluations = hand.run(tableau, rtol, end).evaluations;
        println!(
            "  by hand, {:7} rtol {rtol:.1e}: {time:.3} ms, error {error:.1e}, evaluations {evaluations}, \
             {:.0} ns/evaluation",
            tableau.name,
            1e6 * time / evaluations as f64,
        );
    }
    let best = five.min(eight);
    println!(
        "  over the better program by hand: absolute {:.2}, joint {:.2} times the CPU time; without rows {:.2} and {:.2}",
        absolute / best,
        joint / best,
        bare_absolute / best,
        bare_joint / best
    );
}

/// The same with outputs, extremes, impacts and ledger.
fn whole_run(start: &Assembly, end: f64) {
    let spec = spec(start, end, None, Every::Grid);
    let best = (0..7)
        .map(|_| simulate(start, &spec, &mut Silent).solver.cpu.integration())
        .fold(f64::INFINITY, f64::min);
    println!(
        "  simulate at the default tolerance, with outputs, rows, extremes, ledger, nothing written: {:.3} ms CPU",
        1e3 * best
    );
}

/// Default outputs of such a mechanism, driver torque among them.
fn spec(start: &Assembly, end: f64, rtol: Option<f64>, every: Every) -> RunSpec {
    let names = ["slider.acceleration.x", "pin.contact_force", "motor.torque", "motor.power"];
    let resolve = |name: &&str| gudgeon::sensor::resolve(&start.system.model, name).expect("known");
    RunSpec {
        until: Until::Time(end),
        at_most: None,
        measure_from: Until::Time(0.0),
        outputs: names.iter().map(resolve).collect(),
        method: Method::Auto,
        rtol,
        every,
        loops: vec![],
        pressure_at: vec![],
        limits: Limits::default(),
        ked: None,
    }
}

/// What the same law costs as a formula, and how far the first impacts are from the built-in ones.
fn by_formula(model: &Model, start: &Assembly, stiffness: f64, end: f64) {
    let mut model = model.clone();
    let loose = model.joints.iter_mut().find_map(|joint| joint.clearance.as_mut()).expect("a pin");
    loose.normal = lankarani_nikravesh(stiffness, 0.9);
    let formula = assemble(&model).expect("the mechanism closes");
    let mut ratios: Vec<f64> = (0..21)
        .map(|_| run(&formula, &DOP853, 1e-9, end).2 / run(start, &DOP853, 1e-9, end).2)
        .collect();
    ratios.sort_by(f64::total_cmp);
    let [found, expected] = [&formula, start].map(|start| run(start, &DOP853, 1e-12, end).0);
    let off = |i: usize| ((found[i] - expected[i]) / expected[i]).abs();
    let off = (0..PLATEAUS).map(off).fold(0.0, f64::max);
    println!("  law by formula: {:.3} times the CPU time, plateaus off by {off:.1e}", ratios[10]);
}

/// K δ^1.5 (1 + ¾ (1 − e²) δ̇/δ̇⁽⁻⁾), as an expression of a file becomes it.
fn lankarani_nikravesh(stiffness: f64, restitution: f64) -> NormalLaw {
    let mut f = Formula::default();
    let [depth, rate, speed, _] = [0, 1, 2, 3].map(|i| f.push(Step::Input(i)));
    let power = f.push(Step::Power(depth, 1.5));
    let ratio = f.push(Step::Divide(rate, speed));
    let damped = f.push(Step::Scale(0.75 * (1.0 - restitution * restitution), ratio));
    let bracket = f.push(Step::Shift(1.0, damped));
    let product = f.push(Step::Multiply(power, bracket));
    let force = f.push(Step::Scale(stiffness, product));
    f.push(Step::Scale(1.0, force));
    NormalLaw::Formula(Arc::new(NormalFormula::new(f, 1e-6)))
}
