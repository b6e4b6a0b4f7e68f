//! Studies of a real mechanism.

use std::time::Duration;

use crate::mechanism::{
    acceleration, contact, hertz, impacts, lost, named, numbers, output, rpm, run_for, slider_crank,
};
use crate::scratch::Scratch;
use gudgeon::ensemble::{EnsembleOptions, ensemble};
use gudgeon::model::Model;
use gudgeon::progress::Unwatched;
use gudgeon::results::LedgerKind;
use gudgeon::run::{Every, RunSpec, Until};
use gudgeon::sensor::resolve;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver};
use gudgeon_study::file::load_study_text;
use gudgeon_study::responses::{ImpactField, ImpactStatistic, LawValue, Measure, Statistic};
use gudgeon_study::runner::{
    Mechanism, RunnerOptions, SampleFailure, Simulator, run, run_in_memory, seed_of,
};
use gudgeon_study::store::{Column, Plan, SampleOutcome, Store};

fn build(point: &[f64]) -> Result<(Model, RunSpec), SampleFailure> {
    let model = slider_crank(rpm(5000.0), point[0], hertz(point[0]), 0.9);
    Ok((model, run_for(0.4 * 60.0 / 5000.0, 1e-7)))
}

fn names(
    simulator: &Mechanism<impl Fn(&[f64]) -> Built + Sync, impl Fn(&[f64]) -> Vec<f64> + Sync>,
) -> Vec<String> {
    let (model, _) = build(&[1e-4]).expect("a model");
    simulator.columns(&model).expect("known").into_iter().map(|c| c.name).collect()
}

type Built = Result<(Model, RunSpec), SampleFailure>;

#[test]
fn an_ensemble_is_that_of_the_program() {
    let simulator = Mechanism { build, numbers, responses: vec![acceleration()], ensemble: 4 };
    let seed = seed_of(1, 0);
    let found = simulator.run(&[2e-4], seed, &|| false).expect("a sample");
    let (model, mut spec) = build(&[2e-4]).expect("a model");
    spec.outputs = vec![resolve(&model, "slider.acceleration.x").expect("known")];
    let options = EnsembleOptions { runs: 4, seed, jobs: 1 };
    let reference = ensemble(&model, &spec, options, &Unwatched).expect("an ensemble");
    let spread = reference.extremes[0].abs_max;
    assert_eq!(found.values, [spread.mean, spread.std, spread.min, spread.max, 4.0]);
    assert!(spread.std > 0.0);
    let parts = ["mean", "std", "min", "max", "runs"];
    assert_eq!(names(&simulator), parts.map(|part| format!("acceleration {part}")));
}

/// Squares: their mean is not the square of the mean.
#[test]
fn formulas_are_computed_run_by_run() {
    let text = "format = 1\n[study]\nmodel = \"slider_crank\"\nensemble = 4\n[run]\nuntil = \"10 ms\"\n\
        measure_from = \"9.999 ms\"\n[variables]\nclearance = { from = \"0.1 mm\", to = \"0.2 mm\" }\n\
        [design]\nmethod = \"lhs\"\nsamples = 4\n[responses]\n\
        a = \"abs_max(slider.acceleration.x)\"\nsquare = \"= clearance / 0.2 mm * a * a\"\n\
        never = \"max(pin.impacts.restitution)\"\nof_failed = \"= never * 2\"\n";
    let study = load_study_text("test.study.toml", text, &NoFiles, &Overrides::default());
    let study = study.unwrap_or_else(|f| panic!("{}", f.diagnostics.render(&f.sources, false)));
    let answer = study.samples().run(&[2e-4], seed_of(1, 0), &|| false).expect("a sample");
    let found = answer.values;
    let (mean, std) = (found[0], found[1]);
    let n = 4.0;
    let expected = mean * mean + std * std * (n - 1.0) / n;
    assert!((found[5] / expected - 1.0).abs() < 1e-12, "{} and {expected}", found[5]);
    assert!(std > 0.0 && found[8] == found[3] * found[3]);
    // What is computed from what failed fails for the same reason.
    assert!(found[10].is_nan() && found[15].is_nan(), "{found:?}");
    assert!(answer.notes.iter().any(|note| note.contains("`never`")), "{:?}", answer.notes);
    assert!(!answer.notes.iter().any(|note| note.contains("`of_failed`")), "{:?}", answer.notes);
}

pub struct NoFiles;

impl Resolver for NoFiles {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        Err(Box::new(Diagnostic::error("G0001", format!("no file `{name}`"))))
    }
}

#[test]
fn values_do_not_depend_on_what_else_is_asked() {
    let alone = Mechanism { build, numbers, responses: vec![acceleration()], ensemble: 1 };
    let percentile = named("p", output(Statistic::Percentile(95.0), "pin.contact_force"));
    let count = named("n", Measure::ImpactCount(contact("pin")));
    let responses = vec![acceleration(), percentile, count];
    let more = Mechanism { build, numbers, responses, ensemble: 0 };
    let one = alone.run(&[1e-4], 1, &|| false).expect("a sample").values;
    let three = more.run(&[1e-4], 2, &|| false).expect("a sample").values;
    assert_eq!((one.len(), three.len()), (1, 3));
    assert_eq!(one[0], three[0]);
}

#[test]
fn contact_laws_are_measured_without_a_run() {
    let value = LawValue::ForceAt(1e-5);
    let force = || named("force", Measure::Law { joint: "pin".into(), value });
    for ensemble in [1, 3] {
        let alone = Mechanism { build, numbers, responses: vec![force()], ensemble };
        // A run would be stopped at its first step.
        let found = alone.run(&[1e-4], 1, &|| true).expect("a sample").values;
        let expected = hertz(1e-4) * 1e-5_f64.powf(1.5);
        assert!((found[0] / expected - 1.0).abs() < 1e-12, "{} {expected}", found[0]);
        let responses = vec![force(), acceleration()];
        let both = Mechanism { build, numbers, responses, ensemble };
        assert!(matches!(both.run(&[1e-4], 1, &|| true), Err(SampleFailure::Stopped)));
    }
}

/// Rows of the model are for its own tables.
#[test]
fn percentiles_see_every_step_whatever_rows_the_model_asks_for() {
    let percentile = named("p", output(Statistic::Percentile(99.0), "slider.acceleration.x"));
    let value = |every: Every| {
        let build = move |point: &[f64]| {
            let (model, spec) = build(point)?;
            Ok((model, RunSpec { every, ..spec }))
        };
        let simulator =
            Mechanism { build, numbers, responses: vec![percentile.clone()], ensemble: 1 };
        simulator.run(&[5e-4], 1, &|| false).expect("a sample").values
    };
    assert_eq!(value(Every::Grid), value(Every::Interval(2e-3)));
    assert_eq!(value(Every::Grid), value(Every::Steps));
}

#[test]
fn a_value_that_is_missing_leaves_the_others() {
    // Within so short a time a wide clearance has no impact.
    let build = |point: &[f64]| {
        let (model, _) = build(point)?;
        Ok((model, run_for(1e-4, 1e-7)))
    };
    let peak = impacts(ImpactStatistic::Max, "pin", ImpactField::PeakForce);
    let responses = vec![acceleration(), named("peak", peak)];
    for ensemble in [1, 3] {
        let simulator = Mechanism { build, numbers, responses: responses.clone(), ensemble };
        let found = simulator.run(&[5e-4], 1, &|| false).expect("a sample");
        let width = found.values.len() / 2;
        assert!(found.values[..width].iter().all(|value| value.is_finite()));
        assert!(found.values[width..].iter().all(|value| value.is_nan()));
        assert!(found.notes.iter().any(|note| note.contains("no impact of `pin`")), "{found:?}");
        let alone = Mechanism { build, numbers, responses: responses[1..].to_vec(), ensemble };
        let cause = alone.run(&[5e-4], 1, &|| false).expect_err("nothing is left");
        assert!(cause.to_string().contains("no impact of `pin`"), "{cause}");
    }
}

/// The whole is the sum of its windows.
#[test]
fn energy_is_that_of_the_window() {
    let of = |from: f64, to: f64| {
        let build = move |point: &[f64]| {
            let (model, _) = build(point)?;
            let measure_from = Until::Time(from);
            Ok((model, RunSpec { measure_from, ..run_for(to, 1e-9) }))
        };
        let energy =
            |kind, name: &str| named(name, Measure::Energy { kind, name: Some(name.to_owned()) });
        let responses =
            vec![energy(LedgerKind::ContactNormal, "pin"), energy(LedgerKind::Kinetic, "bodies")];
        let simulator = Mechanism { build, numbers, responses, ensemble: 1 };
        simulator.run(&[2e-4], 1, &|| false).expect("a sample").values
    };
    let (whole, early, late) = (of(0.0, 4e-3), of(0.0, 1e-3), of(1e-3, 4e-3));
    for i in 0..2 {
        assert!(
            (early[i] + late[i] - whole[i]).abs() < 1e-6 * whole[i].abs(),
            "{early:?} {late:?} {whole:?}"
        );
        assert!(early[i].abs() > 1e-3 * whole[i].abs());
    }
}

#[test]
fn warnings_of_runs_become_notes() {
    let simulator = Mechanism { build, numbers, responses: vec![acceleration()], ensemble: 2 };
    let found = simulator.run(&[2e-4], 1, &|| false).expect("a sample");
    assert!(found.notes.iter().all(|note| gudgeon::results::about_warning(note).is_some()));
    assert!(found.notes.iter().any(|note| note == "W0301" || note == "W0302"), "{found:?}");
}

#[test]
fn failures_of_a_mechanism_are_told() {
    let build = |point: &[f64]| match point[0] as i32 {
        0 => {
            // The crank cannot reach: the rod is too far away.
            let (mut model, spec) = build(&[1e-4])?;
            model.markers[3].local.p.x = -1.0;
            model.markers[5].local.p.y = 5.0;
            Ok((model, spec))
        }
        1 => {
            let (model, mut spec) = build(&[1e-4])?;
            spec.measure_from = Until::Time(1.0);
            Ok((model, spec))
        }
        2 => Err(SampleFailure::failed("the bearing is smaller than its pin")),
        _ => build(&[1e-4]),
    };
    for runs in [1, 2] {
        let simulator =
            Mechanism { build, numbers, responses: vec![acceleration()], ensemble: runs };
        let points: Vec<Vec<f64>> = (0..4).map(|i| vec![f64::from(i)]).collect();
        let found = run_in_memory(&simulator, &points, &names(&simulator), &Default::default());
        let cause = |i: usize| found[i].as_ref().expect("not cancelled").cause();
        assert!(cause(0).contains("the mechanism cannot close"), "{}", cause(0));
        let window = "the run ended before its measuring window began";
        assert_eq!(cause(1), format!("`acceleration`: {window}"));
        assert_eq!(cause(2), "the bearing is smaller than its pin");
        assert!(matches!(found[3], Some(SampleOutcome::Done(_))));
    }
    let responses = vec![named("nose", output(Statistic::Max, "nose.x"))];
    let unknown = Mechanism { build, numbers, responses, ensemble: 1 };
    let (model, _) = build(&[3.0]).expect("a model");
    assert!(unknown.columns(&model).is_err());
    let failure = unknown.run(&[3.0], 0, &|| false).expect_err("no such output").to_string();
    assert!(failure.contains("`nose.x` is no output of the model"), "{failure}");
}

#[test]
fn a_long_run_is_cut_off_by_the_limit() {
    let long = |point: &[f64]| {
        let (model, mut spec) = build(point)?;
        spec.until = Until::Time(1e6);
        Ok((model, spec))
    };
    let simulator =
        Mechanism { build: long, numbers, responses: vec![acceleration()], ensemble: 2 };
    let limit = Some(Duration::from_millis(30));
    let options = RunnerOptions { time_limit: limit, ..Default::default() };
    let found = run_in_memory(&simulator, &[vec![1e-4]], &names(&simulator), &options);
    assert_eq!(found, [Some(SampleOutcome::TimedOut { limit: 0.03 })]);
}

#[test]
fn a_study_on_disk_is_that_in_memory() {
    let percentile = named("p", output(Statistic::Percentile(90.0), "pin.contact_force"));
    let responses = vec![acceleration(), lost(), percentile];
    let simulator = Mechanism { build, numbers, responses, ensemble: 2 };
    let points: Vec<Vec<f64>> = (1..=6).map(|i| vec![1e-4 * f64::from(i)]).collect();
    let (model, _) = build(&points[0]).expect("a model");
    let plan = Plan {
        fingerprint: 0,
        description: String::new(),
        variables: vec![Column::new("clearance", "m")],
        values: simulator.columns(&model).expect("known"),
    };
    let folder = Scratch::new();
    let mut store = Store::create(&folder, &plan).expect("new");
    let options = RunnerOptions { threads: 2, seed: 8, ..Default::default() };
    let summary = run(&simulator, &points, &mut store, &options, &mut |_| ()).expect("a study");
    assert_eq!((summary.done, summary.run), (6, 6));
    let one = RunnerOptions { threads: 1, ..options };
    let outcomes = run_in_memory(&simulator, &points, &names(&simulator), &one);
    for (index, outcome) in outcomes.iter().enumerate() {
        assert_eq!(outcome.as_ref(), Some(&store.records()[&index].outcome));
    }
}
