//! The contract with scripts: keys, units, signs.

use crate::common::{Scratch, TILTED, parallel};
use serde_json::Value;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[track_caller]
fn has_numbers(value: &Value, names: &[&str]) {
    for name in names {
        assert!(value[name].is_number(), "{name} in {value}");
    }
}

#[test]
fn a_run_answers_with_one_object() {
    let scratch = Scratch::with_model();
    let finished = scratch.run(&["--json"]).exits(0);
    let answer = finished.json();
    assert_eq!(finished.stdout().lines().count(), 1);
    assert_eq!(answer["status"], "ok");
    let outputs = ["slider.acceleration.x", "pin.contact_force", "motor.torque", "motor.power"];
    assert_eq!(keys(&answer["extremes"]), outputs);
    for output in outputs {
        let extreme = &answer["extremes"][output];
        let names = ["min", "t_min", "max", "t_max", "abs_max", "t_abs_max", "rms", "mean"];
        has_numbers(extreme, &names);
        assert!(extreme["unit"].is_string());
        assert!(answer["baseline"]["extremes"][output]["abs_max"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(keys(&answer["final"])[0], "t");
    has_numbers(&answer["final"], &outputs);
    has_numbers(&answer["energy"], &["residual_relative", "residual", "peak_kinetic"]);
    has_numbers(&answer["solver"], &["steps", "rejected", "evaluations", "cpu_seconds"]);
    assert!(answer["solver"]["method"].is_string());
    has_numbers(&answer["contacts"]["pin"], &["impacts", "contact_fraction", "longest_contact"]);
    assert_eq!(answer["parameters"]["clearance"]["value"], 1e-4);
    assert_eq!(answer["result"].as_str().map(|path| path.starts_with("results")), Some(true));
}

#[test]
fn impacts_have_times_speeds_and_losses() {
    let scratch = Scratch::with_model();
    let answer = scratch.run(&["--json", "--no-baseline"]).exits(0).json();
    assert!(answer.get("baseline").is_none());
    let impacts = answer["impacts"].as_array().unwrap();
    assert!(impacts.len() > 3);
    for impact in &impacts[..3] {
        assert_eq!(impact["joint"], "pin");
        let number = |key: &str| impact[key].as_f64().unwrap();
        assert!(number("speed_in") > 0.0 && number("speed_out") < 0.0);
        assert!(number("t_out") > number("t"));
        assert!(number("peak_force") > 0.0 && number("loss") > 0.0);
        let restitution = -number("speed_out") / number("speed_in");
        assert!((number("restitution") - restitution).abs() < 1e-12);
    }
}

#[test]
fn an_ensemble_reports_mean_and_spread() {
    let scratch = Scratch::with_model();
    let answer = scratch.run(&["--json", "--ensemble", "3", "--certify"]).exits(0).json();
    assert_eq!(answer["ensemble"]["n"], 3);
    let spread = &answer["ensemble"]["extremes"]["pin.contact_force"]["abs_max"];
    has_numbers(spread, &["mean", "std", "min", "max"]);
    let output = &answer["certificate"]["outputs"]["motor.torque"];
    has_numbers(output, &["digits", "extreme_digits", "horizon"]);
}

#[test]
fn an_ideal_joint_reports_its_reaction_as_contact_force() {
    let scratch = Scratch::with_model();
    let loose = scratch.run(&["--json"]).exits(0).json();
    let ideal = scratch.run(&["--json", "--ideal", "pin"]).exits(0).json();
    let force = &ideal["extremes"]["pin.contact_force"]["abs_max"];
    assert_eq!(*force, loose["baseline"]["extremes"]["pin.contact_force"]["abs_max"]);
    assert!(ideal["impacts"].as_array().unwrap().is_empty());
    assert!(ideal.get("baseline").is_none());
}

#[test]
fn bare_numbers_are_si() {
    let scratch = Scratch::with_model();
    let parameters = |set: &str| {
        scratch.gudgeon(&["check", "model.toml", "--json", "--set", set]).exits(0).json()
            ["parameters"]
            .clone()
    };
    assert_eq!(parameters("clearance=0.0002"), parameters("clearance=0.2 mm"));
    assert_eq!(parameters("clearance=0.0002")["clearance"]["value"], 2e-4);
}

#[test]
fn usage_errors_are_objects_too() {
    let scratch = Scratch::with_model();
    for flags in [&["--rtol", "abc"][..], &["--nonsense"], &["--set", "clearance"]] {
        let finished = scratch.run(&[&["--json"], flags].concat()).exits(2);
        let answer = finished.json();
        assert_eq!(answer["status"], "invalid");
        let error = &answer["errors"][0];
        assert_eq!(keys(error), ["code", "file", "line", "column", "message", "help"]);
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(scratch.entries(), ["model.toml"]);
}

#[test]
fn journals_in_space_report_each_base() {
    let scratch = Scratch::new();
    scratch.write("model.toml", TILTED);
    let answer = scratch.gudgeon(&["run", "model.toml", "--json"]).exits(0).json();
    assert_eq!(keys(&answer["contacts"]), ["C.V", "C.W"]);
    let impacts = answer["impacts"].as_array().unwrap();
    assert!(impacts.iter().all(|i| i["joint"] == "C" && (i["spot"] == "V" || i["spot"] == "W")));
    assert!(impacts.iter().any(|i| i["spot"] == "V") && impacts.iter().any(|i| i["spot"] == "W"));
    let journal = &answer["journals"]["C"];
    let shares = &journal["shares"];
    assert_eq!(keys(shares), ["free", "point", "line", "opposite"]);
    let sum: f64 = keys(shares).iter().map(|key| shares[key].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{shares}");
    let tilt = journal["max_misalignment"].as_f64().unwrap();
    assert!((tilt.to_degrees() - 1.0).abs() < 1e-3, "{tilt}");
    assert!(journal["left_bearing"].is_null());
    // Kept out where a joint has one spot only.
    let planar = Scratch::with_model().run(&["--json", "--no-baseline"]).exits(0).json();
    assert!(planar.get("journals").is_none());
    assert!(planar["impacts"][0].get("spot").is_none());
}

#[test]
fn reactions_that_are_not_unique_are_marked() {
    let scratch = Scratch::new();
    scratch.write("model.toml", parallel());
    let finished = scratch.gudgeon(&["run", "model.toml", "--json"]).exits(0);
    let answer = finished.json();
    let unique = |output: &str| answer["extremes"][output].get("unique").cloned();
    assert_eq!(unique("A.reaction_torque.x"), Some(Value::Bool(false)));
    assert_eq!(unique("C.contact_force.z"), Some(Value::Bool(false)));
    assert_eq!(unique("C.contact_force"), Some(Value::Bool(false)));
    assert_eq!(unique("motor.torque"), None);
    let warnings = answer["warnings"].as_array().unwrap();
    let about = |joint: &str| warnings.iter().any(|w| w["code"] == "W0309" && w["joint"] == joint);
    assert!(about("A") && about("C") && !about("B"), "{warnings:?}");
    let reactions = &answer["assembly"]["not_unique_reactions"];
    let of_joint = ["reaction.z", "reaction_torque.x", "reaction_torque.y"];
    for joint in ["A", "B", "C", "D"] {
        assert_eq!(reactions[joint], serde_json::json!(of_joint), "{joint}");
    }
}

#[test]
fn loops_name_the_spot() {
    let scratch = Scratch::new();
    scratch.write("model.toml", TILTED);
    let text = scratch.gudgeon(&["run", "model.toml", "--out", "out"]).exits(0).stdout();
    assert!(text.contains("C: free ") && text.contains("tilt up to 1 deg"), "{text}");
    let loops = String::from_utf8(scratch.read("out/loops.csv")).unwrap();
    assert!(loops.contains("\nC.V,1,") && loops.contains("\nC.W,1,"), "{loops}");
    let orbits = String::from_utf8(scratch.read("out/orbit.svg")).unwrap();
    assert!(orbits.contains(">C.V<") && orbits.contains(">C.W<"));
}
