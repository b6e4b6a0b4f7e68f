//! Impacts of shipped models against the same at a tolerance of 1e-12: their number, and the digits of when they
//! begin, how fast, and how much speed they give back. Each contact counts by the speed that it turns round, so that a
//! mechanism which is fast elsewhere must not cost its slow impacts their digits.

use gudgeon::assembly::assemble;
use gudgeon::results::{Impact, Status};
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::{Overrides, shipped};

/// Models with dry contacts, and a time with some impacts, the first four of which are not yet chaotic.
const MODELS: &[(&str, &str)] = &[
    ("slider_crank", "4 ms"),
    ("four_bar_two_clearances", "30 ms"),
    ("bai_slider_crank", "20 ms"),
    ("bai_four_bar", "20 ms"),
    ("guide_slider_crank", "10 ms"),
    ("flores_double_pendulum", "60 ms"),
    ("tilted_four_bar", "50 ms"),
    ("ball_joint", "0.2 s"),
    ("tian_slider_crank", "3 ms"),
    ("rsup_linkage", "50 ms"),
];

fn impacts(name: &str, until: &str, rtol: f64) -> Vec<Impact> {
    let overrides = Overrides {
        until: Some(until.into()),
        rtol: Some(rtol),
        method: Some("dop853".into()),
        ..Overrides::default()
    };
    let shipped = shipped::find(name).expect("it is shipped");
    let loaded = shipped::load(shipped, &overrides)
        .unwrap_or_else(|e| panic!("{}", e.diagnostics.render(&e.sources, false)));
    let report = simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent);
    assert_eq!(report.status, Status::Done, "{name}");
    report.impacts
}

#[test]
fn impacts_keep_their_number_and_digits() {
    let mut failures = Vec::new();
    for (name, until) in MODELS {
        let [found, exact] = [1e-8, 1e-12].map(|rtol| impacts(name, until, rtol));
        assert!(!exact.is_empty(), "{name}: no impacts");
        if found.len() != exact.len() {
            failures.push(format!("{name}: {} impacts, not {}", found.len(), exact.len()));
        }
        for (found, exact) in found.iter().zip(&exact).take(4) {
            let restitution = |impact: &Impact| impact.speed_out.map(|out| -out / impact.speed_in);
            for (what, found, exact) in [
                ("time", Some(found.t), Some(exact.t)),
                ("speed", Some(found.speed_in), Some(exact.speed_in)),
                ("restitution", restitution(found), restitution(exact)),
            ] {
                let (Some(found), Some(exact)) = (found, exact) else { continue };
                // A hundred times the tolerance: errors of one impact grow in the next.
                if (found / exact - 1.0).abs() > 1e-6 {
                    failures.push(format!("{name}, {what}: {found} is not {exact}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
