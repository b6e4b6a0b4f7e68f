//! Periods of known maps and of a slider-crank.

use std::f64::consts::TAU;
use std::sync::Arc;

use crate::mechanism::{rpm, run_for, slider_crank};
use gudgeon::model::Model;
use gudgeon::run::RunSpec;
use gudgeon::sensor::resolve;
use gudgeon::time::{Jet, TimeFunction, TimeLaw};
use gudgeon_study::periods::{PeriodError, PeriodOptions, Regime, Verdict, detect};
use gudgeon_study::runner::{RunnerOptions, SampleFailure, run_in_memory};
use gudgeon_study::store::SampleOutcome;
use gudgeon_study::sweep::{Seen, Sweep, columns, poincare_section};
use gudgeon_study::turns::{TurnError, instants, multiples, turned};

/// x ← r x (1 − x).
fn logistic(r: f64, n: usize) -> Vec<Vec<f64>> {
    let mut x = 0.1;
    let mut step = || {
        x = r * x * (1.0 - x);
        vec![x]
    };
    (0..n).map(|_| step()).collect()
}

fn period(states: &[Vec<f64>]) -> Option<usize> {
    match detect(states, None, PeriodOptions::default()).expect("a sequence") {
        Regime::Periodic { period, .. } => Some(period),
        Regime::NotFound => None,
    }
}

#[test]
fn the_logistic_map_doubles_its_period_and_becomes_chaotic() {
    // Strogatz, Nonlinear dynamics and chaos, §10.2: doublings at 3, 3.449, 3.54409, 3.5644; the
    // window of period 3 begins at 3.8284.
    let known = [(2.8, 1), (3.2, 2), (3.5, 4), (3.55, 8), (3.566, 16), (3.83, 3), (3.845, 6)];
    for (r, expected) in known {
        assert_eq!(period(&logistic(r, 600)), Some(expected), "r = {r}");
    }
    for r in [3.6, 3.7, 3.9, 4.0] {
        assert_eq!(period(&logistic(r, 600)), None, "r = {r}");
    }
}

#[test]
fn the_end_of_a_known_transient_is_found() {
    // Near the fixed point x* the error shrinks by 2 − r = −0.8 per step and changes sign, so that
    // neighbours differ by 1.8 |e|.
    let states = logistic(2.8, 200);
    let fixed = 1.0 - 1.0 / 2.8;
    let range = states.iter().map(|s| s[0]).fold(0.0, f64::max) - states[0][0];
    let expected = states.iter().position(|s| 1.8 * (s[0] - fixed).abs() <= 1e-3 * range);
    let Ok(Regime::Periodic { period: 1, transient, mismatch }) =
        detect(&states, None, PeriodOptions::default())
    else {
        panic!("period 1");
    };
    assert!(transient.abs_diff(expected.expect("it converges")) <= 1, "{transient} {expected:?}");
    assert!(mismatch <= 1e-3);
}

#[test]
fn a_turn_by_the_golden_ratio_is_not_periodic() {
    let turn = TAU * 0.618_033_988_749_894_9;
    let states: Vec<Vec<f64>> =
        (0..400).map(|k| f64::from(k) * turn).map(|a| vec![a.cos(), a.sin()]).collect();
    assert_eq!(period(&states), None);
    // One component alone, with rational turns by 5/13, is.
    let turn = TAU * 5.0 / 13.0;
    let states: Vec<Vec<f64>> = (0..400).map(|k| vec![(f64::from(k) * turn).cos()]).collect();
    assert_eq!(period(&states), Some(13));
}

#[test]
fn states_at_rest_and_rounding_are_period_one() {
    let states: Vec<Vec<f64>> =
        (0..100).map(|k| vec![0.0, 5.0 + 1e-14 * f64::from(k % 7)]).collect();
    assert_eq!(period(&states), Some(1));
}

#[test]
fn bad_sequences_are_refused() {
    let options = PeriodOptions::default();
    let short = detect(&logistic(2.8, 47), None, options);
    assert_eq!(short, Err(PeriodError::TooShort { samples: 47, longest: 16, needed: 48 }));
    let mut states = logistic(2.8, 50);
    states[3] = vec![f64::NAN];
    assert_eq!(detect(&states, None, options), Err(PeriodError::NotFinite { sample: 3 }));
    states[3] = vec![];
    let ragged = PeriodError::Ragged { sample: 3, found: 0, expected: 1 };
    assert_eq!(detect(&states, None, options), Err(ragged));
}

#[test]
fn a_verdict_tells_how_far_it_looked() {
    let scales = [1.0];
    let of = |n: usize| Verdict::of(&logistic(3.9, n), &scales).expect("a sequence");
    assert_eq!(of(3), Verdict { samples: 3, longest: 0, regime: None });
    assert_eq!(of(12), Verdict { samples: 12, longest: 4, regime: Some(Regime::NotFound) });
    assert_eq!(of(100).longest, 16);
    assert_eq!(Verdict::of(&logistic(3.5, 300), &scales).expect("a sequence").period(), Some(4));
}

/// The slider-crank of zhang at 5000 rpm and K = 1.5e10 N/m^1.5, seen once per revolution.
fn at_5000(clearance: f64, outputs: &[&str]) -> Seen {
    let model = slider_crank(rpm(5000.0), clearance, 1.5e10, 0.9);
    let mut spec = run_for(0.0, 1e-8);
    spec.outputs = outputs.iter().map(|name| resolve(&model, name).expect("known")).collect();
    poincare_section(&model, &spec, &multiples(0.012, 40.0 * 0.012), &|| false).expect("a run")
}

#[test]
fn the_verdict_does_not_depend_on_the_output() {
    let outputs = ["slider.position.x", "slider.velocity.x", "slider.acceleration.x"];
    // The larger clearance bounces without order before it settles.
    for (clearance, transient) in [(5e-5, 1..6), (2e-4, 3..25)] {
        let seen = outputs.map(|output| at_5000(clearance, &[output]).verdict);
        println!("c = {clearance}: {:?}", seen[0]);
        assert!(seen.iter().all(|verdict| *verdict == seen[0]), "{seen:?}");
        assert_eq!((seen[0].period(), seen[0].longest), (Some(1), 13));
        assert!(transient.contains(&seen[0].transient().expect("periodic")), "{:?}", seen[0]);
    }
}

#[test]
fn a_mechanism_without_play_repeats_at_once() {
    let mut model = slider_crank(rpm(3000.0), 1e-4, 1.5e10, 0.9);
    model.joints.iter_mut().for_each(|joint| joint.clearance = None);
    let seen = poincare_section(&model, &run_for(0.0, 1e-6), &multiples(0.02, 0.2), &|| false);
    let verdict = seen.expect("a run").verdict;
    assert_eq!((verdict.period(), verdict.transient()), (Some(1), Some(0)));
    // Half a revolution later the crank points the other way.
    let seen = poincare_section(&model, &run_for(0.0, 1e-6), &multiples(0.01, 0.2), &|| false);
    assert_eq!(seen.expect("a run").verdict.period(), Some(2));
}

#[test]
fn instants_of_a_poincare_section_are_exact() {
    // The crank stands at the same angle at every instant; the slider is where the ideal one would
    // be but for the clearance of 50 µm and an indentation of some 20 µm.
    let model = slider_crank(rpm(3000.0), 5e-5, 1.5e10, 0.9);
    let mut spec = run_for(0.0, 1e-8);
    let names = ["crank.angle", "slider.position.x"];
    spec.outputs = names.map(|name| resolve(&model, name).expect("known")).to_vec();
    let seen =
        poincare_section(&model, &spec, &multiples(0.02, 0.5)[20..], &|| false).expect("a run");
    assert_eq!(seen.states.len(), 5);
    for (k, state) in (21..).zip(&seen.states) {
        let turns = state[0] / TAU;
        assert!((turns - f64::from(k)).abs() < 1e-9, "{turns}");
        assert!((state[1] - 0.17).abs() < 1e-4, "{}", state[1]);
    }
}

/// Speeds up evenly from rest and then turns with `rate`; a swing if `swings`.
#[derive(Debug)]
struct Ramp {
    rate: f64,
    until: f64,
    swings: bool,
}

impl TimeLaw for Ramp {
    fn jet(&self, t: f64, branch: f64) -> Jet {
        let (rate, until) = (self.rate, self.until);
        match branch < until {
            _ if self.swings => Jet { value: t.sin(), rate: t.cos(), second: -t.sin() },
            true => {
                let second = rate / until;
                Jet { value: 0.5 * second * t * t, rate: second * t, second }
            }
            false => Jet { value: rate * (t - 0.5 * until), rate, second: 0.0 },
        }
    }

    fn kinks(&self, from: f64, to: f64, out: &mut Vec<f64>) {
        out.extend([self.until].into_iter().filter(|kink| from < *kink && *kink < to));
    }
}

fn ramping(swings: bool) -> Model {
    let mut model = slider_crank(rpm(3000.0), 5e-5, 1.5e10, 0.9);
    let law = Ramp { rate: rpm(3000.0), until: 0.1, swings };
    model.drivers[0].motion = TimeFunction::Law(Arc::new(law));
    model
}

#[test]
fn a_driver_that_speeds_up_is_seen_by_its_angle() {
    let model = ramping(false);
    let driver = &model.drivers[0];
    // 2.5 revolutions in 0.1 s of speeding up, then 50 per second.
    let found = instants(driver, TAU, 0.3).expect("it turns");
    assert_eq!(found.len(), 12);
    for (k, t) in (1..).map(f64::from).zip(&found) {
        let exact = if k < 2.5 { 0.1 * (k / 2.5).sqrt() } else { 0.1 + (k - 2.5) / 50.0 };
        assert!((t - exact).abs() < 1e-12, "{t} {exact}");
        assert!((turned(&driver.motion, *t) - k * TAU).abs() < 1e-9);
    }
    // The end of a run that counts revolutions is one of them.
    assert_eq!(instants(driver, TAU, found[6]).expect("it turns"), found[..7]);
    let mut spec = run_for(0.0, 1e-8);
    spec.outputs = vec![resolve(&model, "crank.angle").expect("known")];
    let seen = poincare_section(&model, &spec, &found, &|| false).expect("a run");
    for (k, state) in (1..).map(f64::from).zip(&seen.states) {
        assert!((state[0] - k * TAU).abs() < 1e-7, "{}", state[0] / TAU);
    }
}

#[test]
fn drivers_that_tell_no_turns_are_named() {
    let mut model = ramping(true);
    let back = instants(&model.drivers[0], 0.5, 10.0);
    assert!(matches!(&back, Err(TurnError::Back { driver, t }) if driver == "motor" && *t < 2.0));
    model.drivers[0].motion = TimeFunction::Constant(1.0);
    let still = instants(&model.drivers[0], TAU, 10.0).expect_err("it stands still");
    assert_eq!(still.to_string(), "the driver `motor` does not turn");
}

/// Twelve revolutions, and six of the slow crank.
fn slow_and_fast(speed: f64) -> Result<(Model, RunSpec, Vec<f64>), SampleFailure> {
    let model = slider_crank(rpm(speed), 5e-5, 1.5e10, 0.9);
    let mut spec = run_for(0.0, 1e-8);
    spec.outputs = vec![resolve(&model, "slider.velocity.x").expect("known")];
    let count = if speed < 4500.0 { 6.0 } else { 12.0 };
    Ok((model, spec, multiples(60.0 / speed, count * 60.0 / speed)))
}

#[test]
fn a_sweep_gives_the_same_as_single_runs() {
    let simulator = Sweep { build: slow_and_fast, count: 12 };
    let columns = columns(&[("slider.velocity.x", "m/s")], 12);
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let runner = RunnerOptions { threads: 2, ..Default::default() };
    let points = [4000.0, 5000.0, -1.0].map(|speed| vec![speed]);
    let found = run_in_memory(&simulator, &points, &names, &runner);
    for (point, outcome) in points.iter().zip(&found).take(2) {
        let (model, spec, when) = slow_and_fast(point[0]).expect("a model");
        let alone = poincare_section(&model, &spec, &when, &|| false).expect("a run");
        let Some(SampleOutcome::Done(values)) = outcome else { panic!("{outcome:?}") };
        assert_eq!(values.len(), columns.len());
        assert_eq!(Seen::from_values(values, 1), alone);
        assert_eq!(alone.states.len(), when.len());
    }
    let cause = found[2].as_ref().expect("it was run").cause();
    assert!(cause.contains("needs rising instants"), "{cause}");
    assert_eq!(columns[6].heading(), "slider.velocity.x 2 [m/s]");
}
