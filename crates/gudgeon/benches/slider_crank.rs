//! Speed of a clearance run, with the error measured in the same run.
//!
//! Slider-crank of zhang, c = 0.1 mm, K from Eq. 5, one revolution. The error is that of the
//! slider's velocity plateaus after impacts 1–5 against the same run at rtol 1e-13. Times are CPU
//! seconds, the best of several repetitions: of the bare steps and events in the table, and of the
//! integration with its outputs, rows, extremes, means and ledger (nothing is written) in the line after the
//! table. Then the ratio of such a run to a program of two unknowns written by hand (`by_hand`), both at the loosest
//! tolerance at which the plateaus are within 1e-6, medians of 21 runs turn by turn. The last line is the median of
//! 21 pairs of runs, the law as a formula over built in.
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
use gudgeon::model::Model;
use gudgeon::run::{Every, Limits, Method, RunSpec, Until};
use gudgeon::simulate::{Silent, simulate};
use gudgeon::system::{Change, Plant};
use gudgeon_dae::tableau::{DOP853, DOPRI5, Tableau};
use gudgeon_dae::{Explicit, Options, Statistics, StepOutcome};

const PLATEAUS: usize = 5;
const SLIDER_VELOCITY: usize = 9 + 6;

fn main() {
    for speed in [5000.0, 2000.0] {
        let clearance = 1e-4;
        let stiffness =
            4.0 / 3.0 * 207e9 / 1.82 * (0.01f64 * (0.01 - clearance) / clearance).sqrt();
        let model = common::slider_crank(common::rpm(speed), clearance, stiffness, 0.9);
        let start = assemble(&model).expect("the mechanism closes");
        let end = 60.0 / speed;
        println!("slider-crank, {speed} rpm, c = 0.1 mm, K = {stiffness:.4e}, one revolution");
        let (exact, _, _) = run(&start, &DOP853, 1e-13, end);
        for tableau in [&DOP853, &DOPRI5] {
            for exponent in 5..=11 {
                let rtol = 10f64.powi(-exponent);
                report(&start, tableau, rtol, end, &exact);
            }
        }
        whole_run(&start, end);
        beside_hand(
            &start,
            &SliderCrank { speed: common::rpm(speed), clearance, stiffness, restitution: 0.9 },
            end,
            &exact,
        );
        by_formula(&model, &start, stiffness, end);
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
                if let Change::Ended { .. } = plant.handle(ode.time(), &mut y, ode.fired())[0] {
                    plateaus.push(ode.state()[SLIDER_VELOCITY]);
                }
                ode.state_mut().copy_from_slice(&y);
                let hint = plant.step_hint(0, ode.time(), ode.state());
                ode.restart(Some(hint));
            }
        }
    }
    (plateaus, ode.statistics, gudgeon::cpu::seconds() - clock)
}

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

/// Our run with its outputs over the program by hand, at equal error.
fn beside_hand(start: &Assembly, hand: &SliderCrank, end: f64, exact: &[f64]) {
    let (ours, our_error) = loosest(|rtol| run(start, &DOP853, rtol, end).0, exact);
    let spec = spec(start, end, Some(ours));
    let mut seconds: [Vec<f64>; 3] = Default::default();
    let tableaus = [&DOPRI5, &DOP853];
    let found =
        tableaus.map(|tableau| loosest(|rtol| hand.run(tableau, rtol, end).plateaus, exact));
    for _ in 0..21 {
        seconds[0].push(simulate(start, &spec, &mut Silent).solver.cpu.integration());
        for (i, tableau) in tableaus.into_iter().enumerate() {
            // Several runs: one is near the resolution of the clock.
            let clock = gudgeon::cpu::seconds();
            (0..4).for_each(|_| drop(hand.run(tableau, found[i].0, end)));
            seconds[i + 1].push(0.25 * (gudgeon::cpu::seconds() - clock));
        }
    }
    let [our, five, eight] = seconds.map(|mut all| {
        all.sort_by(f64::total_cmp);
        1e3 * all[10]
    });
    println!("  with outputs and ledger, rtol {ours:.1e}: {our:.3} ms, error {our_error:.1e}");
    for ((tableau, (rtol, error)), time) in tableaus.into_iter().zip(found).zip([five, eight]) {
        let evaluations = hand.run(tableau, rtol, end).evaluations;
        println!(
            "  by hand, {:7} rtol {rtol:.1e}: {time:.3} ms, error {error:.1e}, evaluations {evaluations}",
            tableau.name
        );
    }
    println!("  over the better program by hand: {:.2} times the CPU time", our / five.min(eight));
}

/// The same with outputs, extremes, impacts and ledger.
fn whole_run(start: &Assembly, end: f64) {
    let spec = spec(start, end, None);
    let best = (0..7)
        .map(|_| simulate(start, &spec, &mut Silent).solver.cpu.integration())
        .fold(f64::INFINITY, f64::min);
    println!(
        "  simulate at the default tolerance, with outputs, rows, extremes, ledger, nothing written: {:.3} ms CPU",
        1e3 * best
    );
}

/// Default outputs of such a mechanism, driver torque among them.
fn spec(start: &Assembly, end: f64, rtol: Option<f64>) -> RunSpec {
    let names = ["slider.acceleration.x", "pin.contact_force", "motor.torque", "motor.power"];
    let resolve = |name: &&str| gudgeon::sensor::resolve(&start.system.model, name).expect("known");
    RunSpec {
        until: Until::Time(end),
        at_most: None,
        measure_from: Until::Time(0.0),
        outputs: names.iter().map(resolve).collect(),
        method: Method::Auto,
        rtol,
        every: Every::Grid,
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
