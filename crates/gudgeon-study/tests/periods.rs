//! Periods of known maps and of a slider-crank.

mod mechanism;

use gudgeon::sensor::resolve;
use gudgeon_study::periods::{PeriodError, PeriodOptions, Regime, detect};
use gudgeon_study::runner::{RunnerOptions, SampleFailure};
use gudgeon_study::sweep::{Strobe, Sweep, columns, strobe, sweep};
use mechanism::{rpm, run_for, slider_crank};

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
        Regime::Aperiodic => None,
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
    let turn = std::f64::consts::TAU * 0.618_033_988_749_894_9;
    let states: Vec<Vec<f64>> =
        (0..400).map(|k| f64::from(k) * turn).map(|a| vec![a.cos(), a.sin()]).collect();
    assert_eq!(period(&states), None);
    // One component alone, with rational turns by 5/13, is.
    let turn = std::f64::consts::TAU * 5.0 / 13.0;
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

const OUTPUTS: [&str; 3] = ["slider.position.x", "slider.velocity.x", "pin.eccentricity.x"];

/// The slider-crank of zhang with c = 0.05 mm at some speed, seen once per revolution.
fn slow_and_fast(
    speed: f64,
    count: usize,
) -> Result<(gudgeon::model::Model, gudgeon::run::RunSpec, Strobe), SampleFailure> {
    let model = slider_crank(rpm(speed), 5e-5, 1.5e10, 0.9);
    let mut spec = run_for(0.0, 1e-8);
    spec.outputs = OUTPUTS.iter().map(|name| resolve(&model, name).expect("known")).collect();
    Ok((model, spec, Strobe { period: 60.0 / speed, skip: 20, count }))
}

#[test]
fn a_slider_crank_is_periodic_after_twenty_revolutions() {
    let (model, spec, when) = slow_and_fast(5000.0, 48).expect("a model");
    let seen = strobe(&model, &spec, when, &|| false).expect("a run");
    assert_eq!(seen.states.len(), 48);
    let regime = detect(&seen.states, Some(&seen.ranges), PeriodOptions::default());
    let Ok(Regime::Periodic { period, transient, mismatch }) = regime else {
        panic!("not periodic: {:?}", seen.states);
    };
    println!("period {period}, transient {transient}, mismatch {mismatch:.1e}");
    assert_eq!((period, transient), (1, 0));
}

#[test]
fn instants_of_a_strobe_are_exact() {
    // The crank stands at the same angle at every instant; the slider is where the ideal one would
    // be but for the clearance of 50 µm and an indentation of some 20 µm.
    let (model, mut spec, when) = slow_and_fast(3000.0, 5).expect("a model");
    spec.outputs = vec![
        resolve(&model, "crank.angle").expect("known"),
        resolve(&model, "slider.position.x").expect("known"),
    ];
    let seen = strobe(&model, &spec, when, &|| false).expect("a run");
    for (k, state) in (21..).zip(&seen.states) {
        let turns = state[0] / std::f64::consts::TAU;
        assert!((turns - f64::from(k)).abs() < 1e-9, "{turns}");
        assert!((state[1] - 0.17).abs() < 1e-4, "{}", state[1]);
    }
    assert!((seen.ranges[1] - 0.1).abs() < 2e-4, "{:?}", seen.ranges);
}

#[test]
fn a_sweep_gives_the_same_as_single_runs() {
    let options = PeriodOptions { longest: 4, ..PeriodOptions::default() };
    let simulator = Sweep { build: |speed| slow_and_fast(speed, 12) };
    let (_, spec, _) = slow_and_fast(5000.0, 12).expect("a model");
    let runner = RunnerOptions { threads: 2, ..Default::default() };
    let speeds = [4000.0, 5000.0, -1.0];
    let found = sweep(&simulator, &speeds, &spec.outputs, 12, options, &runner);
    assert_eq!(found.len(), 3);
    for point in &found[..2] {
        let (model, spec, when) = slow_and_fast(point.value, 12).expect("a model");
        let alone = strobe(&model, &spec, when, &|| false).expect("a run");
        let (seen, regime) = point.seen.as_ref().expect("a run");
        assert_eq!(*seen, alone);
        assert_eq!(detect(&alone.states, Some(&alone.ranges), options), Ok(*regime));
    }
    let cause = found[2].seen.as_ref().expect_err("no negative period");
    assert!(cause.contains("needs a period"), "{cause}");
    let names = columns(&spec.outputs, 2);
    assert_eq!(names.len(), 9);
    assert_eq!(names[3].heading(), "slider.position.x 2 [m]");
    assert_eq!(names[8].heading(), "pin.eccentricity.x range [m]");
}
