//! Sweeps of `gudgeon study`: periods, failures, files, drivers of uneven speed.

use crate::common::{Finished, SLIDER_CRANK, Scratch};
use serde_json::Value;

const HEAD: &str = r#"
format = 1
[study]
name = "small"
model = "slider_crank"
"#;

/// The slider-crank with another driver and run.
fn model(driver: &str, run: &str) -> String {
    let text = SLIDER_CRANK.replace("speed = \"=speed\"\nstart = \"0 deg\"", driver);
    let text = text.replace("until = \"3 rev\"\nmeasure_from = \"1 rev\"", run);
    assert!(text.contains(driver) && text.contains(run));
    text
}

fn study(scratch: &Scratch, text: &str, flags: &[&str]) -> Finished {
    scratch.write("small.study.toml", text);
    scratch.gudgeon(&[&["study", "small.study.toml", "--out", "out"], flags].concat())
}

fn answer(text: &str, code: i32) -> Value {
    study(&Scratch::new(), text, &["--json"]).exits(code).json()
}

/// Forty revolutions at 5000 rpm with a soft pin.
fn periods_of(output: &str) -> Value {
    let text = format!(
        "{HEAD}[run]\nuntil = \"40 rev\"\nrtol = 1e-8\n\
         [set]\nspeed = \"5000 rpm\"\nstiffness = \"1.5e10 N/m^1.5\"\n\
         [variables]\nclearance = {{ from = \"0.05 mm\", to = \"0.2 mm\" }}\n\
         [responses]\ntouching = \"contact_fraction(pin)\"\n\
         [sweep]\nvariable = \"clearance\"\npoints = 2\nbifurcation = \"{output}\"\n"
    );
    let answer = answer(&text, 0);
    let all = answer["sweep"]["bifurcation"].as_array().unwrap();
    let one = |of: &Value| {
        let states = of["states"].as_array().unwrap().len();
        assert_eq!((states, of["looked_for"].as_u64()), (40, Some(13)));
        serde_json::json!([of["period"], of["transient"], of["found"]])
    };
    all.iter().map(one).collect()
}

#[test]
fn the_period_does_not_depend_on_the_output() {
    let of_velocity = periods_of("slider.velocity.x");
    assert_eq!(of_velocity, periods_of("slider.position.x"));
    assert_eq!(of_velocity, periods_of("slider.acceleration.x"));
    let tight = &of_velocity[0];
    assert!(tight[0] == 1 && tight[2] == "period 1", "{tight}");
    assert!(tight[1].as_u64().unwrap() > 0, "{tight}");
}

const BOUNCING: &str = r#"
[run]
until = "14 rev"
[set]
clearance = "0.3 mm"
[variables]
speed = { from = "2000 rpm", to = "2600 rpm" }
[responses]
acceleration = "abs_max(slider.acceleration.x)"
hits = "count(pin.impacts)"
[sweep]
variable = "speed"
points = 30
bifurcation = "slider.velocity.x"
skip = "2 rev"
"#;

#[test]
fn what_was_not_found_is_told_with_what_was_looked_for() {
    let scratch = Scratch::new();
    let finished = study(&scratch, &format!("{HEAD}{BOUNCING}"), &[]).exits(0);
    let told = "no period up to 4 in 12 revolutions";
    assert!(finished.stdout().contains(told), "{}", finished.stdout());
    let picture = String::from_utf8(scratch.read("out/plots/bifurcation.svg")).unwrap();
    assert!(picture.contains(told));
    let record = scratch.json("out/study.json");
    let branch = &record["sweep"]["bifurcation"][0];
    assert_eq!((&branch["period"], &branch["looked_for"]), (&Value::Null, &Value::from(4)));
    assert_eq!(branch["found"], told);
    // The responses are in the summary, at some of the values.
    let text = finished.stdout();
    assert!(text.contains("12 of 30 shown"), "{text}");
    let rows = text.lines().filter(|line| line.trim_start().starts_with("2")).count();
    assert!(text.contains("speed") && text.contains("acceleration [") && rows >= 12, "{text}");
    assert!(text.contains("2000 rpm") && text.contains("2600 rpm"), "{text}");
}

#[test]
fn a_sweep_of_failures_fails_with_the_cause() {
    let text = r#"
[run]
until = "1 ms"
measure_from = 0
[variables]
speed = { from = "2000 rpm", to = "2600 rpm" }
[responses]
hardest = "max(pin.impacts.peak_force)"
"#;
    let sweep = "[sweep]\nvariable = \"speed\"\npoints = 3\n";
    let gap = "[set]\nclearance = \"5 mm\"\n";
    let finished = study(&Scratch::new(), &format!("{HEAD}{gap}{text}{sweep}"), &["--json"]);
    let finished = finished.exits(1);
    let told = finished.stderr();
    assert!(told.contains("all 3 values of the sweep failed: "), "{told}");
    assert!(told.contains("no impact of `pin`"), "{told}");
    let answer = finished.json();
    assert_eq!(answer["status"], "failed");
    let cause = answer["sweep"]["points"][0]["error"].as_str().unwrap();
    assert!(cause.contains("no impact of `pin`"), "{cause}");
    let sensitivity =
        "[sensitivity]\nmethods = [\"morris\", \"sobol\"]\non = \"simulator\"\nsamples = 4\n";
    let finished = study(&Scratch::new(), &format!("{HEAD}{gap}{text}{sensitivity}"), &[]).exits(1);
    let told = finished.stderr();
    assert!(told.contains("simulations of the sensitivity failed: "), "{told}");
    assert!(told.contains("no impact of `pin`"), "{told}");
}

#[test]
fn a_warning_is_given_once() {
    let text = "format = 1\n[study]\nname = \"flat\"\n[variables]\nx = { from = 0, to = 1 }\n\
                [responses]\nflat = \"0 * x + 1 / (x - x)\"\n\
                [sensitivity]\nmethods = [\"sobol\", \"morris\"]\non = \"simulator\"\nsamples = 8\n";
    let finished = study(&Scratch::new(), text, &[]).exits(1);
    let warnings: Vec<String> = finished
        .stdout()
        .lines()
        .filter(|line| line.contains("warning"))
        .map(str::to_owned)
        .collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn histories_of_close_values_are_different_files() {
    let text = r#"
[run]
until = "0.2 rev"
measure_from = 0
[variables]
speed = { from = "2990 rpm", to = "3010 rpm" }
[responses]
acceleration = "abs_max(slider.acceleration.x)"
[sweep]
variable = "speed"
points = 2
histories = ["3000.01 rpm", "3000.02 rpm"]
outputs = ["slider.velocity.x"]
"#;
    let scratch = Scratch::new();
    study(&scratch, &format!("{HEAD}{text}"), &[]).exits(0);
    let [one, two] =
        ["3000.01", "3000.02"].map(|v| scratch.read(&format!("out/sweep/speed_{v}.csv")));
    assert!(one != two);
    let picture = String::from_utf8(scratch.read("out/plots/histories.svg")).unwrap();
    assert!(picture.contains(">3000.01 rpm<") && picture.contains(">3000.02 rpm<"));
}

const SPEEDING: &str = r#"
format = 1
[study]
name = "small"
model = "ramp.toml"
[run]
until = "6 rev"
measure_from = "2 rev"
[variables]
clearance = { from = "0.05 mm", to = "0.06 mm" }
[responses]
acceleration = "abs_max(slider.acceleration.x)"
[sweep]
variable = "clearance"
points = 2
histories = ["0.05 mm"]
outputs = ["crank.angle"]
bifurcation = "crank.angle"
skip = "1 rev"
"#;

#[test]
fn a_crank_that_speeds_up_is_seen_once_per_revolution() {
    let scratch = Scratch::new();
    // 3 revolutions of speeding up
    let driver = "speed = \"= speed * min(t / 0.18 s, 1)\"";
    scratch.write("ramp.toml", model(driver, "until = \"6 rev\""));
    let answer = study(&scratch, SPEEDING, &["--json"]).exits(0).json();
    let states = answer["sweep"]["bifurcation"][0]["states"].as_array().unwrap();
    assert_eq!(states.len(), 5);
    for (k, state) in (2..).map(f64::from).zip(states) {
        let turns = state.as_f64().unwrap() / std::f64::consts::TAU;
        assert!((turns - k).abs() < 1e-7, "{turns}");
    }
    let picture = String::from_utf8(scratch.read("out/plots/histories.svg")).unwrap();
    assert!(picture.contains(">revolutions<"));
}

#[test]
fn a_driver_that_turns_back_is_named_before_anything_runs() {
    let scratch = Scratch::new();
    let driver = "angle = \"= 1 rad * sin(20 rad/s * t)\"";
    scratch.write("ramp.toml", model(driver, "until = \"1 s\""));
    let text = SPEEDING.replace("6 rev", "1 s").replace("2 rev", "0 s");
    let finished = study(&scratch, &text, &[]).exits(2);
    let told = finished.stderr();
    assert!(told.contains("the driver `motor` turns back"), "{told}");
    assert!(!scratch.path.join("out").exists());
}

#[test]
fn every_value_has_its_own_number_of_states() {
    let text = BOUNCING
        .replace("until = \"14 rev\"", "until = \"0.1 s\"\nmeasure_from = 0")
        .replace("2000 rpm", "600 rpm")
        .replace("2600 rpm", "3000 rpm")
        .replace("points = 30", "points = 2")
        .replace("skip = \"2 rev\"", "");
    let scratch = Scratch::new();
    let answer = study(&scratch, &format!("{HEAD}{text}"), &["--json"]).exits(0).json();
    let count = |i: usize| answer["sweep"]["bifurcation"][i]["states"].as_array().unwrap().len();
    assert_eq!((count(0), count(1)), (1, 5));
    let table = String::from_utf8(scratch.read("out/bifurcation/samples.csv")).unwrap();
    let widths: Vec<usize> = table.lines().map(|line| line.split(',').count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]) && !table.contains("NaN"), "{table}");
    let again = study(&scratch, &format!("{HEAD}{text}"), &["--json", "--resume"]).exits(0).json();
    assert_eq!(again["sweep"], answer["sweep"]);
}

#[test]
fn histories_keep_the_time_limit() {
    // Both ends of the sweep are short runs, what is between takes hours.
    let long = "until = \"= 1 ms + 4000 s * part * (1 - part)\"\nmeasure_from = 0";
    let text =
        model("speed = \"=speed\"", long).replace("[parameters]", "[parameters]\npart = 0.0");
    let scratch = Scratch::new();
    scratch.write("long.toml", text);
    let text = "format = 1\n[study]\nmodel = \"long.toml\"\ntime_limit = \"0.5 s\"\n\
                [variables]\npart = { from = 0, to = 1 }\n\
                [responses]\nacceleration = \"abs_max(slider.acceleration.x)\"\n\
                [sweep]\nvariable = \"part\"\npoints = 2\nhistories = [0.5]\n\
                outputs = [\"slider.velocity.x\"]\n";
    let answer = study(&scratch, text, &["--json"]).exits(0).json();
    let history = &answer["sweep"]["histories"][0];
    assert_eq!(history["error"], "more than 0.5 s of CPU time");
}

#[test]
fn a_sweep_without_a_model_does_not_speak_of_one() {
    let text = "format = 1\n[study]\nname = \"plane\"\n[variables]\nx = { from = 0, to = 1 }\n\
                y = { from = 0, to = 1 }\n[responses]\nz = \"x + y\"\n[sweep]\nvariable = \"x\"\n";
    let scratch = Scratch::new();
    study(&scratch, text, &[]).exits(0);
    let picture = String::from_utf8(scratch.read("out/plots/sweep.svg")).unwrap();
    assert!(picture.contains("the other variables in the middle of their ranges"));
    assert!(!picture.contains("as in the model"));
}
