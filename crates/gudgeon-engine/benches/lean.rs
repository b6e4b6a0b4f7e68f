//! A model read once and run a thousand times with other values: what a run costs beside its
//! integration. `cargo bench -p gudgeon-engine --bench lean`

use gudgeon::cpu;
use gudgeon_engine::{Overrides, RunJob, RunOptions, Source, Unwatched};

const RUNS: usize = 1000;

fn main() {
    let source = Source::find("slider_crank".as_ref()).expect("a shipped model");
    let options = RunOptions { baseline: false, ..RunOptions::default() };
    let (started, mut integration, mut largest) = (cpu::seconds(), 0.0, 0.0_f64);
    for i in 0..RUNS {
        let overrides = Overrides {
            set: vec![("clearance".into(), format!("{}", 1e-4 + 1e-8 * i as f64))],
            until: Some("0.1 rev".into()),
            measure_from: Some("0 s".into()),
            ..Overrides::default()
        };
        let job = RunJob::new(source.clone(), overrides, options.clone()).expect("it assembles");
        let outcome = job.run(&Unwatched);
        integration += outcome.report.solver.cpu.integration();
        largest = largest.max(outcome.report.extremes[1].max);
    }
    let whole = cpu::seconds() - started;
    let ms = |seconds: f64| 1e3 * seconds / RUNS as f64;
    println!("{RUNS} runs of 0.1 rev, largest pin force {largest:.1} N");
    println!("per run: {:.3} ms CPU, {:.3} of it integration", ms(whole), ms(integration));
    println!("beside the integration: {:.3} ms (at most 0.5)", ms(whole - integration));
}
