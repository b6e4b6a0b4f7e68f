//! `analysis = "bearing"` as a user meets it: text, table, picture, JSON, refusals.

use crate::common::Scratch;

fn with(name: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.gudgeon(&["new", "bearing", "--from", name]).exits(0);
    scratch
}

#[test]
fn a_bearing_is_told_written_and_answered() {
    let scratch = with("journal_bearing");
    let flags = ["run", "bearing", "--set", "run.analysis=bearing"];
    let text = scratch.gudgeon(&flags).exits(0).stdout();
    insta::assert_snapshot!(text);
    let answer = scratch.gudgeon(&[&flags[..], &["--json"]].concat()).exits(0).json();
    let bearing = &answer["points"][0]["bearings"][0];
    assert_eq!(bearing["joint"], "bearing");
    let number = |key: &str| bearing[key].as_f64().unwrap();
    assert!((number("load") - 736.0).abs() < 1e-6);
    assert!((number("c_xy") - number("c_yx")).abs() < 1e-9);
    // x points down, y to the right: the journal turns to the left.
    let axes = bearing["bearing_axes"]["K"].as_array().unwrap();
    assert!((axes[1][1].as_f64().unwrap() - number("K_xx")).abs() < 1e-6 * number("K_xx"));
    let record = scratch.json("results/bearing/run.json");
    assert_eq!(record["analysis"], "bearing");
    assert_eq!(record["points"], answer["points"]);
    assert!(record["environment"]["date"].is_string());
    assert!(record["model"]["files"][0]["text"].is_string());
}

#[test]
fn a_parameter_takes_all_its_values() {
    let scratch = with("two_groove_bearing");
    let flags = ["run", "bearing", "--json", "--set", "run.vary.speed.points=3"];
    let answer = scratch.gudgeon(&flags).exits(0).json();
    assert_eq!(answer["vary"]["parameter"], "speed");
    let points = answer["points"].as_array().unwrap();
    let e = |i: usize| points[i]["bearings"][0]["eccentricity_ratio"].as_f64().unwrap();
    assert!(points.len() == 3 && e(0) > e(1) && e(1) > e(2));
    let table = String::from_utf8(scratch.read("results/bearing/bearing.csv")).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].starts_with("speed [rad/s],joint,load [N],"), "{}", lines[0]);
    let columns = lines[0].split(',').count();
    assert!(lines.iter().all(|line| line.split(',').count() == columns));
    let picture = String::from_utf8(scratch.read("results/bearing/bearing.svg")).unwrap();
    assert!(picture.contains("stiffness"));
}

#[test]
fn one_value_without_rest_does_not_cost_the_others() {
    let scratch = with("journal_bearing");
    let vary = "run.vary={ speed = [0, \"1000 rpm\", \"2000 rpm\"] }";
    let flags = ["run", "bearing", "--set", "run.analysis=bearing", "--set", vary];
    let ran = scratch.gudgeon(&flags).exits(0);
    assert!(
        ran.stderr().contains("speed 0 rpm: the journal of `bearing` does not turn"),
        "{}",
        ran.stderr()
    );
    let still = ["run", "bearing", "--json", "--set", "run.analysis=bearing", "--set", "speed=0"];
    let answer = scratch.gudgeon(&still).exits(1).json();
    assert_eq!(answer["status"], "failed");
    assert!(answer["points"][0]["error"]["help"].as_str().unwrap().contains("drive the journal"));
}

/// Values for which no time is left are told once, not one by one, and the command fails.
#[test]
fn a_time_limit_that_leaves_values_out_fails_the_analysis() {
    let scratch = with("two_groove_bearing");
    let vary = ["--set", "run.vary.speed.points=5000", "--time-limit", "0.5 s", "--json"];
    let ended = scratch.gudgeon(&[&["run", "bearing"], &vary[..]].concat()).exits(1);
    let answer = ended.json();
    let points = answer["points"].as_array().unwrap();
    let done = points.iter().filter(|point| point["bearings"].is_array()).count();
    assert!(points.len() == 5000 && done > 0 && done < 5000, "{done} of {}", points.len());
    let cause = "time limit: 0.5 s of CPU time are used up";
    let message = format!("{cause}: {done} of 5000 values analysed");
    assert_eq!(
        (&answer["error"]["cause"], &answer["error"]["message"]),
        (&cause.into(), &message.clone().into())
    );
    let text = ended.stderr();
    assert_eq!(text.matches("error: ").count(), 1, "{text}");
    assert!(text.contains(&format!("error: {message}\n  = help: raise `--time-limit`")), "{text}");
    assert_eq!(scratch.json("results/bearing/run.json")["status"], "failed");
}

#[test]
fn flags_of_motion_are_refused() {
    let scratch = with("two_groove_bearing");
    for flags in [&["--certify"][..], &["--ensemble", "3"]] {
        let error = scratch.gudgeon(&[&["run", "bearing"], flags].concat()).exits(2).stderr();
        assert!(error.contains(flags[0]) && error.contains("belongs to motion"), "{error}");
    }
    assert_eq!(scratch.entries(), ["bearing"]);
}
