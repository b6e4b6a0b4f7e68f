//! A slider-crank with a loose piston pin, made in code: run it, and read results by name.
//!
//! `cargo run --release -p gudgeon-engine --example slider_crank`

use gudgeon_engine::{Mechanism, Overrides, Refusal, RunJob, RunOptions, Source, Unwatched};

pub fn main() -> Result<(), Refusal> {
    #[rustfmt::skip] // a table reads better than a tower
    let mechanism = Mechanism::planar("slider-crank")
        .parameter("clearance", "0.1 mm")
        .body("crank")
        .mass(0.3)
        .inertia(1e-4)
        .frame("pin", [0.05, 0.0])
        .body("rod")
        .mass("0.21 kg")
        .inertia("2.5e-4 kg m^2")
        .frame("big_end", "-60 mm, 0")
        .frame("small_end", "60 mm, 0")
        .body("slider")
        .mass(0.14)
        .joint("main", "revolute", ["ground", "crank"])
        .joint("big_end", "revolute", ["crank.pin", "rod.big_end"])
        .joint("guide", "prismatic", ["ground", "slider"])
        .joint("pin", "revolute", ["slider", "rod.small_end"]) // bearing, journal
        .set("clearance.bearing_radius", "10 mm")
        .set("clearance.radial", "=clearance")
        .set("clearance.contact.law", "lankarani-nikravesh")
        .set("clearance.contact.material", "steel")
        .set("clearance.contact.restitution", 0.9)
        .driver("motor", "main")
        .set("speed", "2000 rpm")
        .start("rod.x", 0.11)
        .start("slider.x", 0.17)
        .run("1 rev")
        .outputs(["pin.contact_force", "motor.torque"]);
    let options = RunOptions { series: true, ..RunOptions::default() };
    let job = RunJob::new(Source::mechanism(&mechanism)?, Overrides::default(), options)?;
    let outcome = job.run(&Unwatched);
    let record = outcome.record(&job);
    for (name, extreme) in record.extremes.iter() {
        let ideal = record.baseline.as_ref().map(|ideal| ideal.extremes[name].abs_max);
        println!("{name}: {:.4} {}, ideal joints {ideal:.4?}", extreme.abs_max, extreme.unit);
    }
    if let Some(series) = &outcome.series {
        let last = series["motor.torque"].last();
        println!("{} rows, the last torque {last:.4?} N m", series.len());
    }
    Ok(())
}
