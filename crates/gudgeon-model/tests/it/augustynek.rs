//! The RSUP linkage of augustynek, driven by a torque, in absolute coordinates: ideal, with play, and with
//! LuGre friction in the play. References are independent solutions in joint coordinates.

use std::f64::consts::FRAC_PI_2;

use gudgeon::assembly::assemble;
use gudgeon::results::{RunReport, Status};
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver, load_text};

struct Alone;

impl Resolver for Alone {
    fn read(&self, _from: &str, _name: &str) -> Result<(String, String), Box<Diagnostic>> {
        unreachable!("no other file")
    }
}

const AXIS: &str = r#"between = ["cross", "coupler.eye"], axis = "0, 0.1443375673, -0.2""#;

/// The run with these joints between cross and coupler.
fn run(joints: &str, set: &[(&str, &str)]) -> RunReport {
    let text = include_str!("../models/rsup.toml").replace("{joints}", joints);
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    let loaded = load_text("rsup.toml", &text, &Alone, &overrides)
        .unwrap_or_else(|e| panic!("{}", e.diagnostics.render(&e.sources, false)));
    let report = simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent);
    assert_eq!(report.status, Status::Done);
    report
}

/// A journal with 1 mm of play that does not tilt, with a friction table or none.
fn loose(friction: &str) -> String {
    let contact = r#"{ law = "lankarani-nikravesh", stiffness = "2.175713e10 N/m^1.5", restitution = 0.9, onset_floor = "0.01 m/s" }"#;
    let play = r#"bearing_radius = "5 mm", journal_radius = "4 mm", length = "20 mm""#;
    format!(
        "faces = {{ type = \"planar\", {AXIS} }}\npin = {{ type = \"cylindrical\", {AXIS}, clearance = {{ {play}, contact = {contact} }} {friction} }}"
    )
}

const TABLE_1: &str = r#", friction = { law = "lugre", mu_s = 0.2, mu_k = 0.1, v_s = "0.0175 m/s", sigma0 = "600 1/m", sigma1 = "24.49489742783178 s/m""#;

/// Quicker here than what `auto` takes for bristles.
const EXPLICIT: &[(&str, &str)] = &[("run.method", "dop853")];

fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

fn largest_load(report: &RunReport) -> f64 {
    report.extremes.iter().find(|e| e.name == "pin.normal_force").expect("an output").max
}

#[test]
fn the_ideal_linkage_turns_as_in_joint_coordinates() {
    let ideal = format!("pin = {{ type = \"revolute\", {AXIS} }}");
    for (until, angle, place) in
        [("1 s", 3.967631375, 0.3187984195), ("2 s", 10.5793966459, 0.2929852985)]
    {
        let report = run(&ideal, &[("run.until", until), ("run.rtol", "1e-12")]);
        close(report.final_values[0] + FRAC_PI_2, angle, 1e-8);
        close(report.final_values[1], place, 1e-8);
    }
}

#[test]
fn contacts_and_friction_of_the_loose_linkage_are_those_of_the_reference() {
    let report = run(&loose(""), EXPLICIT);
    close(largest_load(&report), 2205.8, 0.005 * 2205.8);
    let contacts = report.impacts.iter().filter(|impact| impact.spot == "V").count();
    assert!((40..=44).contains(&contacts), "{contacts}");
    let fading = format!("{TABLE_1}, sigma1_speed = \"0.0175 m/s\" }}");
    let report = run(&loose(&fading), EXPLICIT);
    let first = report.impacts.iter().find(|impact| impact.spot == "V").expect("it touches");
    close(first.t, 0.0162450, 5e-6);
    close(first.speed_in, 0.12384, 1e-5);
    close(report.final_values[0] + FRAC_PI_2, 10.5687669, 1e-6);
    close(report.final_values[1], 0.2950873, 1e-6);
    close(largest_load(&report), 1280.0, 0.005 * 1280.0);
    assert!(report.warnings.iter().all(|warning| warning.code != "W0327"));
    assert!(report.energy.residual_relative() < 1e-7);
}

#[test]
fn friction_as_printed_gives_energy_and_is_named() {
    // Passive up to 0.0205 m/s only. The law gives energy as soon as the journal slips faster, in the jerk at
    // 1.53 s, where codes in which it does so unseen diverge (1.527 s in the reference).
    let report = run(&loose(&format!("{TABLE_1} }}")), EXPLICIT);
    let warning = report.warnings.iter().find(|warning| warning.code == "W0327").expect("W0327");
    assert_eq!(warning.joint, "pin.V");
    assert!(warning.message.contains("2.048e-2 m/s"), "{}", warning.message);
    let time = warning.message.split("t = ").nth(1).and_then(|rest| rest.split(' ').next());
    close(time.and_then(|t| t.parse().ok()).expect("a time"), 1.533, 2e-3);
}
