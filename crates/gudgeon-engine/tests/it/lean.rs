//! What is not asked for is not done.

use gudgeon_engine::{Mechanism, Overrides, RunJob, RunOptions, Source, Unwatched};

fn job(options: RunOptions) -> RunJob {
    let source = Source::find("slider_crank".as_ref()).unwrap();
    let (until, measure_from) = (Some("0.5 rev".into()), Some("0 s".into()));
    RunJob::new(source, Overrides { until, measure_from, ..Overrides::default() }, options).unwrap()
}

#[test]
fn a_run_in_memory_gives_the_numbers_of_one_with_rows() {
    let bare = job(RunOptions::default());
    let rows = job(RunOptions { series: true, ..RunOptions::default() });
    let (bare_run, rows_run) = (bare.run(&Unwatched), rows.run(&Unwatched));
    let (a, b) = (bare_run.record(&bare), rows_run.record(&rows));
    assert_eq!(a.extremes, b.extremes);
    assert_eq!((a.impacts, a.energy, a.last), (b.impacts, b.energy, b.last));
    assert!(bare_run.series.is_none() && bare_run.folder.is_none());
    let series = rows_run.series.unwrap();
    assert_eq!(series.len() as u64, b.solver.rows);
    assert!(series.t.is_sorted() && series["pin.contact_force"].iter().all(|f| *f >= 0.0));
    assert_eq!(series.get("none"), None);
}

/// Rows that nobody reads are not made, neither in the run nor in those beside it.
#[test]
fn rows_of_runs_beside_a_lean_one_are_not_made() {
    let often = |every: &str| {
        let source = Source::find("slider_crank".as_ref()).unwrap();
        let overrides = Overrides {
            set: vec![("run.every".into(), every.into())],
            until: Some("0.1 rev".into()),
            measure_from: Some("0 s".into()),
            ..Overrides::default()
        };
        let options = RunOptions { ensemble: Some(2), jobs: 1, ..RunOptions::default() };
        let job = RunJob::new(source, overrides, options).unwrap();
        let outcome = job.run(&Unwatched);
        let rows = outcome.baseline.as_ref().unwrap().report.solver.rows;
        assert!(outcome.report.solver.rows.max(rows) < 10, "{} {rows}", outcome.report.solver.rows);
        let record = outcome.record(&job);
        let spreads = outcome.ensemble.unwrap().extremes.into_iter();
        let spreads: Vec<_> = spreads.map(|each| (each.name, each.abs_max, each.rms)).collect();
        (record.extremes, record.baseline.unwrap().extremes, spreads)
    };
    assert_eq!(often("0.1 us"), often("1 ms"));
}

/// A model is read once; after that its file may be gone.
#[test]
fn runs_of_a_model_that_was_read_touch_no_file() {
    let folder = std::env::temp_dir().join(format!("gudgeon-lean-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("base.toml"), gudgeon_model::shipped::SHIPPED[0].model).unwrap();
    let own =
        "format = 1\nuse = \"base.toml\"\n[run]\nuntil = \"0.1 rev\"\nmeasure_from = \"0 s\"\n";
    std::fs::write(folder.join("model.toml"), own).unwrap();
    let source = Source::find(&folder).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let force = |clearance: &str| {
        let set = vec![("clearance".into(), clearance.into())];
        let overrides = Overrides { set, ..Overrides::default() };
        let job = RunJob::new(source.clone(), overrides, RunOptions::default()).unwrap();
        let outcome = job.run(&Unwatched);
        assert!(outcome.folder.is_none());
        outcome.record(&job).extremes["pin.contact_force"].abs_max
    };
    assert_ne!(force("0.1 mm"), force("0.2 mm"));
    assert!(!folder.exists());
}

/// A file, a name and code lead to the same mechanism.
#[test]
fn a_mechanism_in_code_is_that_of_a_file() {
    let mechanism = Mechanism::planar("pendulum")
        .gravity([0.0, -9.81])
        .body("rod")
        .mass(2.0)
        .inertia("0.02 kg m^2")
        .frame("top", [0.0, 0.25])
        .joint("pivot", "revolute", ["ground", "rod.top"])
        .start("rod.angle", 0.3)
        .run(1.0)
        .outputs(["pivot.angle"]);
    let text = "format = 1\n[model]\nname = \"pendulum\"\ngravity = \"0, -9.81 m/s^2\"\n\
        [bodies.rod]\nmass = \"2 kg\"\ninertia = \"0.02 kg m^2\"\nframes.top = \"0, 250 mm\"\n\
        [joints.pivot]\ntype = \"revolute\"\nbetween = [\"ground\", \"rod.top\"]\n\
        [start]\nrod.angle = \"0.3 rad\"\n[run]\nuntil = \"1 s\"\noutputs = [\"pivot.angle\"]\n";
    let folder = std::env::temp_dir().join(format!("gudgeon-engine-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("pendulum.toml");
    std::fs::write(&path, text).unwrap();
    let record = |source: Source| {
        let job = RunJob::new(source, Overrides::default(), RunOptions::default()).unwrap();
        job.run(&Unwatched).record(&job)
    };
    let (code, file) =
        (record(Source::mechanism(&mechanism).unwrap()), record(Source::find(&path).unwrap()));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(code.extremes, file.extremes);
    assert_eq!(code.solver.evaluations, file.solver.evaluations);
}

#[test]
fn mistakes_in_code_have_messages_with_places() {
    let wrong = Mechanism::planar("wrong")
        .body("rod")
        .mass("2 kgf")
        .set("colour", 3.0)
        .joint("pivot", "revolut", ["ground", "rod.top"])
        .run("1 s");
    let source = Source::mechanism(&wrong).unwrap();
    let refusal = source.load(&Overrides::default()).unwrap_err();
    let codes: Vec<String> =
        refusal.record().errors.into_iter().filter_map(|error| error.code).collect();
    assert!(codes.len() >= 4, "{refusal}");
    assert!(refusal.to_string().contains("wrong:"), "{refusal}");
}
