//! Every figure of the papers: each verdict is the recorded one.
//!
//! Tolerances and their origin stand in `models/*/reference.toml`, the only place that holds the
//! figures. A row that must agree with its independent reference is recorded as such there.

use std::process::{Command, Output};

use crate::common::Scratch;

use serde_json::Value;

/// Groups that take seconds, and groups of ensembles and long runs.
const FAST: &[&str] = &[
    "zhang/ideal",
    "zhang/restitution",
    "zhang/impacts",
    "zhang/periodic",
    "zhang/chaos",
    "zhang/branin",
    "zhang/kriging",
    "zhang/optimum",
    "zhang/optimum-simulated",
    "bai/static",
    "bai/stiffness",
    "bai/restitution",
    "bai/slider-crank/ideal",
    "bai/slider-crank/impact",
    "bai/slider-crank/steady",
    "bai/four-bar/ideal",
    "bai/four-bar/impact",
    "bai/four-bar/steady",
    "flores/ideal",
    "flores/restitution",
    "flores/impact1",
    "flores/sizes",
    "flores/fig13a",
    "flores/later",
    "tian/film/rotation",
    "tian/film/squeeze",
    "tian/film/states",
    "tian/film/states-exact",
    "tian/film/tilt",
    "tian/film/length",
    "tian/film/settled",
    "tian/slider-crank/ideal",
    "tian/slider-crank/plane",
    "tian/slider-crank/methods",
    "tian/slider-crank/space",
    "tian/slider-crank/flexible",
    "tian/cantilever/small",
    "tian/cantilever/large",
    "tian/cantilever/locking",
    "tian/cantilever/modes",
    "tian/pendulum/rigid",
    "tian/pendulum/plane",
    "tian/pendulum/dry",
    "tian/pendulum/lubricated",
    "tian/pendulum/tilted",
    "augustynek/start",
    "augustynek/closure",
    "augustynek/ideal",
    "augustynek/rk4-contact",
    "augustynek/planar",
    "augustynek/spatial",
    "augustynek/rfem",
    "zhang/impact-law",
    "zhang/gstiff",
    "zhang/optimum-columns",
    "bai/sliding",
    "tian/film/states-printed",
    "hac/four-bar/difference",
    "hac/four-bar/force",
    "hac/four-bar/mesh",
    "hac/four-bar/motion",
    "hac/four-bar/strain",
    "hac/manipulator/difference",
    "hac/manipulator/geometric",
    "hac/manipulator/tip",
    "vidoni/pendulum/table3",
    "vidoni/pendulum/fig5",
    "vidoni/pendulum/fig6",
    "vidoni/double/stiff",
    "vidoni/double/path",
];
const SLOW: &[&str] = &[
    "zhang/table4",
    "zhang/table6",
    "zhang/claims",
    "zhang/kriging-simulated",
    "bai/slider-crank/clearance",
    "bai/slider-crank/rattle",
    "bai/slider-crank/speed",
    "bai/four-bar/friction",
    "bai/slider-crank/steady-impacts",
    "flores/fig14",
    "flores/fig14-later",
    "flores/axial",
    "flores/until-0.15s",
    "flores/until-0.3s",
    "flores/spread",
    "tian/slider-crank/joints",
    "tian/slider-crank/flexible-dry",
    "tian/pendulum/space",
    "tian/pendulum/dry-later",
    "tian/pendulum/table1",
    "augustynek/rk4",
    "augustynek/flexible",
    "vidoni/pendulum/formulations",
    "vidoni/double/table4",
    "vidoni/double/table5",
];

fn reproduce(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gudgeon"));
    command.arg("reproduce").args(arguments).output().expect("the program starts")
}

fn rows(case: &str) -> (Output, Vec<Value>) {
    let output = reproduce(&[case, "--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let rows = answer["rows"].as_array().expect("rows").clone();
    (output, rows)
}

/// Runs groups and fails with all rows whose verdict is not the recorded one.
fn check(groups: &[&str]) {
    let mut surprises = Vec::new();
    for group in groups {
        let (output, rows) = rows(group);
        assert!(!rows.is_empty(), "{group} has no rows");
        let before = surprises.len();
        surprises.extend(rows.iter().filter(|r| r["verdict"] != r["expected"]).map(|row| {
            let of = |key: &str| row[key].to_string();
            let [case, quantity, value, reference] =
                ["case", "quantity", "value", "reference"].map(of);
            let [printed, verdict, note] = ["printed", "verdict", "note"].map(of);
            format!(
                "{case} {quantity}: {value}, reference {reference}, printed {printed}: {verdict} ({note})"
            )
        }));
        let expected = if surprises.len() > before { 1 } else { 0 };
        assert_eq!(output.status.code(), Some(expected), "exit code of {group}");
    }
    assert!(surprises.is_empty(), "not as recorded:\n{}", surprises.join("\n"));
}

#[test]
fn zhang_figures_hold() {
    let groups: Vec<&str> = FAST.iter().copied().filter(|g| g.starts_with("zhang/")).collect();
    check(&groups);
}

#[test]
fn bai_figures_hold() {
    let groups: Vec<&str> = FAST.iter().copied().filter(|g| g.starts_with("bai/")).collect();
    check(&groups);
}

#[test]
fn flores_figures_hold() {
    let groups: Vec<&str> = FAST.iter().copied().filter(|g| g.starts_with("flores/")).collect();
    check(&groups);
}

#[test]
fn tian_figures_hold() {
    let groups: Vec<&str> = FAST.iter().copied().filter(|g| g.starts_with("tian/")).collect();
    check(&groups);
}

#[test]
fn augustynek_figures_hold() {
    let groups: Vec<&str> = FAST.iter().copied().filter(|g| g.starts_with("augustynek/")).collect();
    check(&groups);
}

#[test]
#[ignore = "slow: fixed steps of 5 µs and a flexible coupler, about 30 s"]
fn augustynek_statements_hold() {
    let groups: Vec<&str> = SLOW.iter().copied().filter(|g| g.starts_with("augustynek/")).collect();
    check(&groups);
}

#[test]
#[ignore = "slow: dry runs, soft links and Table 1, about two minutes"]
fn tian_statements_hold() {
    let groups: Vec<&str> = SLOW.iter().copied().filter(|g| g.starts_with("tian/")).collect();
    check(&groups);
}

#[test]
#[ignore = "slow: long runs and ensembles, a second with optimisation"]
fn flores_later_motion_is_chaotic() {
    let groups: Vec<&str> = SLOW.iter().copied().filter(|g| g.starts_with("flores/")).collect();
    check(&groups);
}

#[test]
#[ignore = "slow: ensembles of Table 4, about 20 s"]
fn zhang_table_4_holds() {
    check(&["zhang/table4"]);
}

#[test]
#[ignore = "slow: ensembles of Table 6, about two minutes"]
fn zhang_table_6_holds() {
    check(&["zhang/table6"]);
}

#[test]
#[ignore = "slow: all designs of Tables 4 and 6, about 10 s"]
fn zhang_models_of_simulations_hold() {
    check(&["zhang/kriging-simulated"]);
}

#[test]
#[ignore = "slow: ensembles, about 40 s"]
fn zhang_statements_hold() {
    check(&["zhang/claims"]);
}

#[test]
#[ignore = "slow: ensembles and long runs, about a minute"]
fn bai_statements_hold() {
    let groups: Vec<&str> = SLOW.iter().copied().filter(|g| g.starts_with("bai/")).collect();
    check(&groups);
}

#[test]
fn hac_figures_hold() {
    let groups: Vec<&str> = FAST.iter().copied().filter(|g| g.starts_with("hac/")).collect();
    check(&groups);
}

#[test]
fn every_group_is_tested() {
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut found = Vec::new();
    for model in std::fs::read_dir(models).unwrap() {
        let Ok(text) = std::fs::read_to_string(model.unwrap().path().join("reference.toml")) else {
            continue;
        };
        let reference: toml::Table = toml::from_str(&text).unwrap();
        let paper = reference["paper"].as_str().unwrap().to_owned();
        for group in reference["groups"].as_array().unwrap() {
            found.push(format!("{paper}/{}", group["name"].as_str().unwrap()));
        }
    }
    let mut tested: Vec<String> = FAST.iter().chain(SLOW).map(|g| g.to_string()).collect();
    found.sort();
    tested.sort();
    assert_eq!(found, tested);
}

#[test]
fn a_row_has_the_keys_of_the_contract() {
    let (_, rows) = rows("zhang/impacts/3");
    assert_eq!(rows.len(), 5);
    for key in ["case", "quantity", "printed", "value", "reference", "tolerance", "verdict"] {
        assert!(rows.iter().all(|row| row.get(key).is_some()), "{key}");
    }
    assert_eq!(rows[0]["case"], "impacts/3");
    assert_eq!(rows[0]["verdict"], "agrees");
}

#[test]
fn threads_do_not_change_a_bit() {
    let one = reproduce(&["bai/slider-crank/impact", "--json", "--jobs", "1"]).stdout;
    let four = reproduce(&["bai/slider-crank/impact", "--json", "--jobs", "4"]).stdout;
    assert_eq!(one, four);
}

#[test]
fn unknown_papers_and_cases_are_refused() {
    for (asked, help) in [("zheng", "did you mean `zhang`?"), ("zhang/table5", "`zhang/table4`")] {
        let output = reproduce(&[asked, "--json"]);
        assert_eq!(output.status.code(), Some(2), "{asked}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["status"], "invalid");
        assert!(answer["errors"][0]["help"].as_str().unwrap().contains(help), "{answer}");
    }
}

#[test]
fn figures_are_drawn_from_runs_that_are_kept() {
    let scratch = Scratch::new();
    let flags = ["reproduce", "hac", "--figures", "3", "--out", "figures", "--json"];
    let answer = scratch.gudgeon(&flags).exits(0).json();
    let figure = &answer["figures"][0];
    assert_eq!((figure["number"].as_str(), &figure["error"]), (Some("3"), &Value::Null));
    let commands = figure["commands"].as_array().unwrap();
    assert!(commands.len() == 3, "two runs and a picture: {commands:?}");
    let picture = scratch.read("figures/figure-3.svg");
    assert!(picture.starts_with(b"<svg"));
    let page = String::from_utf8(scratch.read("figures/figures.md")).unwrap();
    assert!(page.contains("![](figure-3.svg)") && page.contains("gudgeon plot results/figure-3/"));
    // The second time nothing is run: what is in the folders of the runs stays.
    let runs: Vec<_> = std::fs::read_dir(scratch.path.join("figures/runs"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("run.json"))
        .collect();
    let times = || -> Vec<_> {
        runs.iter().map(|run| run.metadata().unwrap().modified().unwrap()).collect()
    };
    let before = times();
    assert_eq!(before.len(), 2);
    scratch.gudgeon(&flags).exits(0);
    assert_eq!(times(), before);
    assert!(scratch.read("figures/figure-3.svg") == picture);
}

#[test]
fn curves_of_laws_need_no_run() {
    let scratch = Scratch::new();
    let flags = ["reproduce", "bai", "--figures", "5", "--out", "figures"];
    let text = scratch.gudgeon(&flags).exits(0).stdout();
    assert!(text.contains("figures/figure-5.svg"), "{text}");
    assert!(!scratch.path.join("figures/runs").exists());
}

#[test]
fn figures_that_cannot_be_drawn_are_refused_with_a_way_out() {
    let scratch = Scratch::new();
    let refused = |flags: &[&str], code: &str| {
        let text = scratch.gudgeon(flags).exits(2).stderr();
        assert!(text.contains(code) && text.contains("help"), "{text}");
    };
    refused(&["reproduce", "hac", "--figures", "99"], "G1404");
    refused(&["reproduce", "hacc", "--figures"], "G1401");
    refused(&["reproduce", "all"], "`--figures` draws all");
    scratch.write("file", "");
    refused(&["reproduce", "hac", "--figures", "3", "--out", "file/figures"], "G1403");
}

/// Frames of a journal at nine times, four of which meet it at the wall: at impacts, which are where closed forms and the
/// references of the paper have the first three.
#[test]
fn journals_are_drawn_in_frames() {
    let scratch = Scratch::new();
    scratch.gudgeon(&["reproduce", "flores", "--figures", "17", "--out", "figures"]).exits(0);
    let picture = String::from_utf8(scratch.read("figures/figure-17.svg")).unwrap();
    assert_eq!(picture.matches("touching").count(), 4, "{picture}");
    for time in ["10.2 ms, touching", "28.9 ms, touching", "45.85 ms, touching"] {
        assert!(picture.contains(time), "{time}");
    }
}

/// The loops of three impacts have as many corners as their window shows, whatever the journal does in flight.
#[test]
fn a_window_across_decides_how_fine_lines_are() {
    let scratch = Scratch::new();
    scratch.gudgeon(&["reproduce", "flores", "--figures", "13", "--out", "figures"]).exits(0);
    let picture = String::from_utf8(scratch.read("figures/figure-13.svg")).unwrap();
    // Two lines over time in (a), the loops in (b).
    let fine = picture.split('"').filter(|part| part.split_whitespace().count() > 100).count();
    assert_eq!(fine, 3);
}
