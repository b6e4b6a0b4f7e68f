//! Speed of the runner: 100 runs of a clearance slider-crank with the results on disk.
//!
//! Slider-crank of zhang at 5000 rpm, one revolution, c from 0.05 to 0.5 mm, K from Eq. 5, rtol 1e-7.
//! The best peer needs 3.0 s with two processes; the aim is below 1 s on two cores.
//!
//! `cargo bench -p gudgeon-study --bench runner`

#[path = "../tests/it/mechanism/mod.rs"]
mod mechanism;

use std::time::Instant;

use gudgeon_study::responses::Statistic;
use gudgeon_study::runner::{Mechanism, RunnerOptions, run};
use gudgeon_study::store::{Column, Plan, Store};
use mechanism::{acceleration, hertz, named, output, rpm, run_for, slider_crank};

const RUNS: usize = 100;

fn main() {
    let build = |point: &[f64]| {
        let model = slider_crank(rpm(5000.0), point[0], hertz(point[0]), 0.9);
        let spec = run_for(60.0 / 5000.0, 1e-7);
        Ok((model, spec))
    };
    let simulator = Mechanism {
        numbers: |point: &[f64]| point.to_vec(),
        build,
        responses: vec![acceleration(), named("power", output(Statistic::AbsMax, "motor.power"))],
        ensemble: 1,
    };
    let points: Vec<Vec<f64>> =
        (0..RUNS).map(|i| vec![5e-5 + 4.5e-4 * i as f64 / (RUNS - 1) as f64]).collect();
    let (model, _) = build(&points[0]).expect("a model");
    let plan = Plan {
        fingerprint: 1,
        description: "bench".into(),
        variables: vec![Column::new("clearance", "m")],
        values: simulator.columns(&model).expect("known responses"),
    };
    let folder = std::env::temp_dir().join(format!("gudgeon-bench-runner-{}", std::process::id()));
    for threads in [1, 2] {
        let mut walls = Vec::new();
        let mut cpu = 0.0;
        for _ in 0..5 {
            let _ = std::fs::remove_dir_all(&folder);
            let clock = Instant::now();
            let mut store = Store::create(&folder, &plan).expect("a store");
            let options = RunnerOptions { threads, ..RunnerOptions::default() };
            let summary =
                run(&simulator, &points, &mut store, &options, &mut |_| ()).expect("runs");
            store.finish(RUNS).expect("a table");
            walls.push(clock.elapsed().as_secs_f64());
            assert_eq!(summary.done, RUNS);
            cpu = store.records().values().map(|record| record.cpu_seconds).sum();
        }
        walls.sort_by(f64::total_cmp);
        println!(
            "{RUNS} runs, {threads} threads: wall {:.3} s (median of 5, best {:.3}), CPU of the samples {cpu:.3} s",
            walls[2], walls[0]
        );
    }
    let _ = std::fs::remove_dir_all(&folder);
}
