//! One model, read once and run with many values: how a clearance changes the pin force.
//!
//! `cargo run --release -p gudgeon-engine --example clearances`

use gudgeon_engine::{Overrides, Refusal, RunJob, RunOptions, Source, Unwatched};

pub fn main() -> Result<(), Refusal> {
    let source = Source::find("slider_crank".as_ref())?;
    for clearance in [0.05, 0.1, 0.2, 0.5] {
        let overrides = Overrides {
            set: vec![("clearance".into(), format!("{clearance} mm"))],
            until: Some("1 rev".into()),
            measure_from: Some("0 s".into()),
            ..Overrides::default()
        };
        let options = RunOptions { baseline: false, ..RunOptions::default() };
        let job = RunJob::new(source.clone(), overrides, options)?;
        let record = job.run(&Unwatched).record(&job);
        let force = &record.extremes["pin.contact_force"];
        println!("{clearance} mm: {:.0} N at {:.2} ms", force.abs_max, 1e3 * force.t_abs_max);
    }
    Ok(())
}
