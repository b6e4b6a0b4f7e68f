//! Static, modal and response analyses as a user meets them: text, tables, pictures, JSON, failures.

use crate::common::Scratch;

fn with(name: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.gudgeon(&["new", "model", "--from", name]).exits(0);
    scratch
}

#[test]
fn modes_are_told_written_and_answered() {
    let scratch = with("suspended_platform");
    let text = scratch.gudgeon(&["run", "model"]).exits(0).stdout();
    assert!(text.contains("modal analysis about the equilibrium"), "{text}");
    let answer = scratch.gudgeon(&["run", "model", "--json"]).exits(0).json();
    let modes = answer["modes"].as_array().unwrap();
    assert_eq!((modes.len(), answer["stable"].as_bool()), (6, Some(true)));
    for mode in modes {
        let number = |key: &str| mode[key].as_f64().unwrap();
        let [re, im] = [0, 1].map(|i| mode["eigenvalue"][i].as_f64().unwrap());
        assert!((number("frequency") - im / std::f64::consts::TAU).abs() < 1e-12);
        assert!((number("damping_ratio") + re / re.hypot(im)).abs() < 1e-12);
        assert!(mode["strain"]["a"].is_number() && mode["shape"]["platform"].is_object());
    }
    let record = scratch.json("results/model/run.json");
    assert_eq!(record["modes"], answer["modes"]);
    let table = String::from_utf8(scratch.read("results/model/modes.csv")).unwrap();
    assert_eq!(table.lines().count(), 7);
    assert!(String::from_utf8(scratch.read("results/model/modes.svg")).unwrap().contains("mode 6"));
}

#[test]
fn rest_fills_what_a_run_fills() {
    let scratch = with("suspended_platform");
    let flags = ["run", "model", "--json", "--set", "run.analysis=static"];
    let answer = scratch.gudgeon(&flags).exits(0).json();
    let z = answer["final"]["platform.centre.position.z"].as_f64().unwrap();
    let extreme = &answer["extremes"]["platform.centre.position.z"];
    assert_eq!((extreme["max"].as_f64(), extreme["min"].as_f64()), (Some(z), Some(z)));
    assert!(z < 0.12 && z > 0.11, "{z}");
    assert!(scratch.read("results/model/static.csv").len() > 20);
}

#[test]
fn a_path_and_a_diagram_have_their_points() {
    let scratch = with("snap_arch");
    let answer = scratch.gudgeon(&["run", "model", "--json"]).exits(0).json();
    let points = answer["points"].as_array().unwrap();
    let limits = points.iter().filter(|point| point["limit"] == true).count();
    assert_eq!(limits, 2);
    assert!(points.iter().any(|point| point["stable"] == false));
    let picture = String::from_utf8(scratch.read("results/model/static.svg")).unwrap();
    assert!(picture.contains("limit point"));
    let scratch = with("whirling_rotor");
    let flags = ["run", "model", "--json", "--set", "run.vary.speed.points=4"];
    let answer = scratch.gudgeon(&flags).exits(0).json();
    let limit = answer["stability_limit"].as_f64().unwrap();
    assert!((1080.0..1095.0).contains(&limit), "{limit}");
    assert!(answer["points"][0]["modes"][0]["track"].is_number());
    assert!(scratch.read("results/model/modes.svg").len() > 1000);
}

#[test]
fn a_response_has_amplitude_and_phase() {
    let scratch = with("jeffcott_rotor");
    let answer = scratch.gudgeon(&["run", "model", "--json"]).exits(0).json();
    // m e ω²/|k − m ω² + i ω d| at the first frequency.
    let w = std::f64::consts::TAU * 5.0;
    let wanted = 1e-4 * w * w / (2e5 - 5.2 * w * w).hypot(60.0 * w);
    let found = answer["points"][0]["response"]["disc.position.x"][0].as_f64().unwrap();
    assert!((found / wanted - 1.0).abs() < 1e-9, "{found} is not {wanted}");
    assert!(scratch.read("results/model/response.svg").len() > 1000);
}

#[test]
fn what_cannot_be_found_is_told() {
    let scratch = with("suspended_platform");
    let ran = scratch.gudgeon(&["run", "model", "--set", "run.modes=7"]).exits(1);
    assert!(ran.stderr().contains("7 modes are asked for"), "{}", ran.stderr());
    let scratch = with("pendulum");
    let flags = ["run", "model", "--set", "run.analysis=static", "--certify"];
    let ran = scratch.gudgeon(&flags).exits(2);
    assert!(ran.stderr().contains("belongs to motion, not to a static analysis"));
}
