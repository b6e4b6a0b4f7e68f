//! What was requested in `[start]` and what came of it was not said anywhere: a dropped velocity, a
//! moved crank, a rig with two drivers refused for its ideal twin. Now `check` shows both values,
//! `run` warns on the screen, in run.json and with `--json`, refuses what is lost altogether, and
//! goes on without the comparison run where ideal joints could not follow the drivers.

use crate::common::Scratch;
use serde_json::Value;

fn codes(answer: &Value) -> Vec<&str> {
    let warnings = answer["warnings"].as_array().unwrap().iter();
    warnings.map(|warning| warning["code"].as_str().unwrap()).collect()
}

#[test]
fn check_and_run_show_what_became_of_a_request() {
    let scratch = Scratch::with_model();
    let set = ["--set", "start.slider.velocity=[\"1 m/s\", \"1 m/s\"]"];
    let checked = scratch.gudgeon(&[&["check", "model.toml"], &set[..]].concat()).exits(0);
    let lines = "  start   quantity  requested  assembled  difference\n  slider  velocity   1, 1 m/s   1, 0 m/s      7.1e-1\n";
    assert!(checked.stdout().contains(lines), "{}", checked.stdout());
    assert!(checked.stdout().contains("warning[W0315]: `slider`"), "{}", checked.stdout());
    let checked =
        scratch.gudgeon(&[&["check", "model.toml", "--json"], &set[..]].concat()).exits(0);
    let answer = checked.json();
    assert_eq!(codes(&answer), ["W0315"]);
    let request = &answer["start"][0];
    assert_eq!((&request["name"], &request["quantity"]), (&"slider".into(), &"velocity".into()));
    assert_eq!(request["requested"], serde_json::json!([1.0, 1.0]));
    assert!((request["assembled"][0].as_f64().unwrap() - 1.0).abs() < 1e-14);
    assert!((request["difference"].as_f64().unwrap() - 0.5f64.sqrt()).abs() < 1e-12);
    let answer = scratch.run(&[&["--json", "--out", "out"], &set[..]].concat()).exits(0).json();
    assert!(codes(&answer).contains(&"W0315"), "{:?}", codes(&answer));
    let record = scratch.json("out/run.json");
    assert!(codes(&record).contains(&"W0315"), "{:?}", codes(&record));
    // A start that is met says nothing.
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(0).json();
    assert!(answer.get("start").is_none() && codes(&answer).is_empty());
}

#[test]
fn a_velocity_that_is_lost_altogether_is_refused() {
    let scratch = Scratch::with_model();
    let set = ["--set", "start.slider.velocity=[0, \"1 m/s\"]", "--json"];
    for command in ["check", "run"] {
        let finished = scratch.gudgeon(&[&[command, "model.toml"], &set[..]].concat()).exits(2);
        let error = &finished.json()["errors"][0];
        assert_eq!(error["code"], "G1210");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("0, 1 m/s requested, 0, 0 m/s assembled"), "{message}");
        assert_eq!(error["line"], 27, "{message}");
    }
}

const RIG: &str = r#"
format = 1
[bodies.bearing]
mass = "1 kg"
inertia = "1e-3 kg m^2"
[bodies.shaft]
mass = "1 kg"
inertia = "1e-3 kg m^2"
[joints.slide]
type = "prismatic"
between = ["ground", "bearing"]
[joints.spindle]
type = "revolute"
between = ["ground", "shaft"]
[joints.pin]
type = "revolute"
between = ["bearing", "shaft"]
clearance = { bearing_radius = "10 mm", radial = "0.1 mm", contact = { law = "hertz", stiffness = "1e9 N/m^1.5" } }
[drivers.shake]
joint = "slide"
displacement = "= 0.02 mm + 0.05 mm*sin(1000 rad/s*t)"
[drivers.motor]
joint = "spindle"
speed = "100 rad/s"
[run]
until = "10 ms"
outputs = ["pin.eccentricity", "shake.force"]
"#;

#[test]
fn a_rig_runs_without_a_comparison_and_says_why() {
    let scratch = Scratch::new();
    scratch.write("model.toml", RIG);
    let checked = scratch.gudgeon(&["check", "model.toml"]).exits(0).stdout();
    let line = "mobility 0 with clearances; with ideal joints it could not start so";
    assert!(checked.contains(line), "{checked}");
    let told = "with ideal joints the mechanism cannot be assembled, so that a run has no baseline to \
                compare with: the mechanism cannot close: `shake` stays open by 0.0200 mm";
    assert!(checked.contains(&format!("warning[G1301]: {told}")), "{checked}");
    let answer = scratch.gudgeon(&["run", "model.toml", "--json"]).exits(0).json();
    assert_eq!(codes(&answer), ["G1301"]);
    let message = answer["warnings"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("no comparison with ideal joints: the mechanism cannot close"));
    assert!(message.contains("`pin`") && message.contains("`shake`"), "{message}");
    let largest = answer["extremes"]["pin.eccentricity"]["abs_max"].as_f64().unwrap();
    assert!((largest - 7e-5).abs() < 1e-12, "{largest}");
    assert_eq!(answer["assembly"]["ideal_starts"], false);
    // An acceleration of 50 m/s² of 1 kg at the turning points.
    let force = answer["extremes"]["shake.force"]["abs_max"].as_f64().unwrap();
    assert!((force - 50.0).abs() < 1e-6, "{force}");
    let beyond = ["check", "model.toml", "--json", "--set", "drivers.shake.displacement=0.2 mm"];
    let error = &scratch.gudgeon(&beyond).exits(2).json()["errors"][0];
    assert_eq!(error["code"], "G1201");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("`pin` stays open by 0.2000 mm, its clearance takes up 0.1000 mm"));
}

/// At rest and centred the ideal mechanism could start as the real one does, but its second driver would
/// have nothing to drive: `check` was silent, and the run had no baseline.
#[test]
fn check_says_that_drivers_on_both_sides_of_a_clearance_have_no_baseline() {
    let scratch = Scratch::new();
    let soft = "= 0.02 mm*(1 - cos(1000 rad/s*t))";
    let text = RIG.replace("= 0.02 mm + 0.05 mm*sin(1000 rad/s*t)", soft);
    let held = "[joints.hold]\ntype = \"prismatic\"\nbetween = [\"ground\", \"shaft\"]\n\
                [drivers.push]\njoint = \"hold\"\ndisplacement = \"0 mm\"\n[run]";
    let text = text
        .replace("[joints.spindle]\ntype = \"revolute\"\nbetween = [\"ground\", \"shaft\"]\n", "")
        .replace("[drivers.motor]\njoint = \"spindle\"\nspeed = \"100 rad/s\"\n", "")
        .replace("[run]", held);
    scratch.write("model.toml", text);
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(0).json();
    assert_eq!(codes(&answer), ["G1301"]);
    let warning = &answer["warnings"][0];
    assert_eq!(
        warning["message"],
        "with ideal joints the mechanism cannot be assembled, so that a run has no baseline to compare \
         with: driver `push` has nothing left to drive: the other joints and drivers fix its motion"
    );
    assert!(warning["help"].as_str().unwrap().contains("`--no-baseline`"), "{warning}");
    let answer = scratch.gudgeon(&["run", "model.toml", "--json"]).exits(0).json();
    assert_eq!(codes(&answer), ["G1301"]);
    // With ideal joints it is the error itself.
    let ideal = ["check", "model.toml", "--json", "--ideal", "pin"];
    assert_eq!(scratch.gudgeon(&ideal).exits(2).json()["errors"][0]["code"], "G1207");
}
