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
