//! Crossings of switches are found, located to rounding, and handled once.

use std::f64::consts::{PI, TAU};

use gudgeon_dae::problems::{Analytic, Level, Oscillator};
use gudgeon_dae::tableau::{DOP853, DOPRI5, RK4, Tableau};
use gudgeon_dae::{Explicit, Options, Stabilisation, StepOutcome};

fn below(level: f64) -> Level {
    Level { level, below: true }
}

fn above(level: f64) -> Level {
    Level { level, below: false }
}

fn begin(plant: &Oscillator, tableau: &'static Tableau, options: Options) -> Explicit {
    Explicit::new(tableau, options, plant, 0.0, &plant.exact(0.0))
}

/// Times and switches of all events up to `end`; at most `limit` steps.
fn run(plant: &mut Oscillator, ode: &mut Explicit, end: f64, limit: usize) -> Vec<(f64, usize)> {
    let mut events = Vec::new();
    for _ in 0..limit {
        match ode.step(plant, end).expect("smooth") {
            StepOutcome::Stopped => return events,
            StepOutcome::Stepped => {}
            StepOutcome::Event => {
                events.extend(ode.fired().iter().map(|&switch| (ode.time(), switch)));
                let fired = ode.fired().to_vec();
                plant.handle(&fired);
                ode.restart(None);
            }
        }
    }
    panic!("no end after {limit} steps at t = {}: {events:?}", ode.time());
}

#[test]
fn crossings_of_a_throw_are_exact_to_rounding() {
    // q = vt − ½t²: every method and interpolant is exact for it, so only rounding is left.
    let (speed, level) = (1.3f64, 0.4);
    let root = (speed * speed - 2.0 * level).sqrt();
    let exact = [speed - root, speed + root];
    for tableau in [&DOP853, &DOPRI5] {
        for rtol in [1e-4, 1e-9] {
            let mut plant = Oscillator::throw(speed, &[below(level)]);
            let mut ode = begin(&plant, tableau, Options::adaptive(rtol));
            let events = run(&mut plant, &mut ode, 3.0, 1000);
            assert_eq!(events.len(), 2, "{events:?}");
            for ((t, _), exact) in events.iter().zip(exact) {
                assert!((t - exact).abs() < 1e-14, "{t} is not {exact}");
            }
            assert_eq!(ode.statistics.events, 2);
        }
    }
}

#[test]
fn crossings_of_a_sine_are_as_exact_as_the_solution() {
    // Rising and falling passages of ½ over ten periods: t = π/6, 5π/6 and so on.
    let mut plant = Oscillator::sine(1.0, &[below(0.5)]);
    let mut ode = begin(&plant, &DOP853, Options::adaptive(1e-13));
    let events = run(&mut plant, &mut ode, 10.0 * TAU, 10_000);
    assert_eq!(events.len(), 20);
    for (i, (t, _)) in events.iter().enumerate() {
        let exact = TAU * (i / 2) as f64 + if i % 2 == 0 { PI / 6.0 } else { 5.0 * PI / 6.0 };
        // 1e-13 per step, linear growth over the 40 or so steps of ten periods.
        assert!((t - exact).abs() < 1e-11, "event {i}: {t} is not {exact}");
    }
}

#[test]
fn the_error_of_a_crossing_follows_the_tolerance() {
    for tableau in [&DOP853, &DOPRI5] {
        for rtol in [1e-4, 1e-6, 1e-8] {
            let mut plant = Oscillator::sine(1.0, &[below(0.5)]);
            let mut ode = begin(&plant, tableau, Options::adaptive(rtol));
            let (t, _) = run(&mut plant, &mut ode, 1.0, 1000)[0];
            assert!((t - PI / 6.0).abs() < 10.0 * rtol, "{} {t}", tableau.name);
        }
    }
}

#[test]
fn fixed_steps_locate_crossings_too() {
    let mut plant = Oscillator::sine(1.0, &[below(0.5), above(-0.5)]);
    let options = Options::fixed(0.01, Stabilisation::default());
    let mut ode = begin(&plant, &RK4, options);
    let events = run(&mut plant, &mut ode, TAU, 2000);
    let exact = [1.0, 5.0, 7.0, 11.0].map(|twelfths| twelfths * PI / 6.0);
    assert_eq!(events.iter().map(|e| e.1).collect::<Vec<_>>(), [0, 0, 1, 1]);
    for ((t, _), exact) in events.iter().zip(exact) {
        // Cubic Hermite in a step of 0.01: h⁴/384.
        assert!((t - exact).abs() < 1e-9, "{t} is not {exact}");
    }
}

/// A single step of size 1 in which a throw rises above a level by `depth` around θ = `place`.
fn touch(place: f64, depth: f64) -> Option<f64> {
    let level = 0.5 * place * place - depth;
    let mut plant = Oscillator::throw(place, &[below(level)]);
    let mut ode = begin(&plant, &DOP853, Options::adaptive(1e6));
    ode.restart(Some(1.0));
    let outcome = ode.step(&mut plant, 100.0).unwrap();
    (outcome == StepOutcome::Event).then(|| ode.time())
}

#[test]
fn a_grazing_touch_inside_a_step_is_not_missed() {
    for depth in [1e-2f64, 1e-4, 1e-6, 1e-8, 1e-10] {
        let half = (2.0 * depth).sqrt();
        for i in 1..200 {
            let place = f64::from(i) / 200.0;
            // Touches that begin before the step or end after it are plain crossings.
            if place - half <= 0.0 || place + half >= 1.0 {
                continue;
            }
            let t = touch(place, depth)
                .unwrap_or_else(|| panic!("missed a touch of depth {depth:e} at θ = {place}"));
            // The slope at the crossing is `half`: the rounding of the dense output, whose
            // coefficients reach hundreds, is magnified by its inverse.
            let exact = place - half;
            assert!((t - exact).abs() < 1e-14 / half, "{t} is not {exact}");
        }
    }
}

#[test]
fn a_near_miss_is_no_event() {
    for i in 1..200 {
        for depth in [-1e-10, -1e-6, -1e-3] {
            assert_eq!(touch(f64::from(i) / 200.0, depth), None, "θ = {i}/200, {depth}");
        }
    }
}

#[test]
fn two_switches_at_one_instant_fire_together() {
    // The third level is passed a little later and must not be part of it.
    let mut plant = Oscillator::sine(1.0, &[below(0.5), below(0.6), below(0.5), below(0.500001)]);
    let mut ode = begin(&plant, &DOP853, Options::adaptive(1e-10));
    loop {
        if ode.step(&mut plant, 10.0).unwrap() == StepOutcome::Event {
            break;
        }
    }
    assert_eq!(ode.fired(), [0, 2]);
    let fired = ode.fired().to_vec();
    plant.handle(&fired);
    ode.restart(None);
    loop {
        if ode.step(&mut plant, 10.0).unwrap() == StepOutcome::Event {
            break;
        }
    }
    assert_eq!(ode.fired(), [3]);
    assert!((ode.time() - 0.500001f64.asin()).abs() < 1e-9);
}

#[test]
fn handled_events_do_not_repeat() {
    // Levels through the start, the crest and the rest: switches that are zero where a step begins.
    let mut plant = Oscillator::sine(2.0, &[below(0.0), above(0.0), below(1.0), below(0.7)]);
    plant.levels[0].below = false; // leaves the level upwards at t = 0
    let mut ode = begin(&plant, &DOP853, Options::adaptive(1e-9));
    let events = run(&mut plant, &mut ode, 5.0 * PI, 5000);
    for level in [0, 1] {
        let times: Vec<f64> = events.iter().filter(|e| e.1 == level).map(|e| e.0).collect();
        // Passages of zero at multiples of π/2 inside (0, 5π).
        assert!((9..=10).contains(&times.len()), "{times:?}");
        for (i, t) in times.iter().enumerate() {
            let exact = 0.5 * PI * (i + 1) as f64;
            assert!((t - exact).abs() < 1e-7, "{t} is not {exact}");
        }
    }
    assert_eq!(events.iter().filter(|e| e.1 == 3).count(), 10);
    // Every event ends a step of positive length, a tangent level at the crest excepted.
    let mut times: Vec<f64> = events.iter().filter(|e| e.1 != 2).map(|e| e.0).collect();
    times.dedup();
    assert!(times.windows(2).all(|w| w[1] > w[0]));
}

#[test]
fn an_event_at_the_stop_time_leaves_the_run_at_the_stop_time() {
    for tableau in [&DOP853, &DOPRI5] {
        for (speed, level) in [(1.3, 0.4), (0.7, 0.2), (2.0, 1.9), (1.0, 0.3)] {
            let root: f64 = speed * speed - 2.0 * level;
            let exact = speed - root.sqrt();
            // A stop a few roundings before, at and after the crossing.
            for ulps in -4..=4 {
                let stop = exact * (1.0 + f64::from(ulps) * f64::EPSILON);
                let mut plant = Oscillator::throw(speed, &[below(level)]);
                let mut ode = begin(&plant, tableau, Options::adaptive(1e-9));
                let events = run(&mut plant, &mut ode, stop, 1000);
                assert!(events.len() <= 1, "{events:?}");
                assert_eq!(ode.time(), stop);
                // Going on from there, the crossing has happened exactly once.
                let more = run(&mut plant, &mut ode, stop + 0.1, 1000);
                let all: Vec<f64> = events.iter().chain(&more).map(|e| e.0).collect();
                assert_eq!(all.len(), 1, "{all:?} around {exact}");
                assert!((all[0] - exact).abs() < 1e-14);
            }
        }
    }
}

#[test]
fn time_never_runs_back() {
    let mut plant = Oscillator::sine(1.0, &[below(0.5), above(-0.5), below(0.999), above(0.0)]);
    let mut ode = begin(&plant, &DOP853, Options::adaptive(1e-6));
    let mut last = 0.0;
    for stop in 1..=40 {
        let stop = 0.5 * f64::from(stop);
        loop {
            let outcome = ode.step(&mut plant, stop).unwrap();
            assert!(ode.time() >= last && ode.time() <= stop, "{} after {last}", ode.time());
            last = ode.time();
            match outcome {
                StepOutcome::Event => {
                    let fired = ode.fired().to_vec();
                    plant.handle(&fired);
                    ode.restart(None);
                }
                StepOutcome::Stopped => break,
                StepOutcome::Stepped => {}
            }
        }
    }
}
