//! Runs without end: soft starts hung `check`, forced clearances reached giga-newtons and went on, a
//! driver's angle that jumped by 1 rad gave 5.7e56 N, and a mass of 1e-308 kg looped in a
//! decomposition.
//!
//! Now a nearby pose is reached without waiting, an indentation as deep as the journal's radius and a
//! position that jumps are failures with their reason, and limits of CPU time and steps end any run with its
//! results kept.

use serde_json::Value;

use super::common::{Finished, SLIDER_CRANK, Scratch};

/// The slider-crank with another line for the speed of its motor.
fn driven_by(line: &str) -> String {
    assert!(SLIDER_CRANK.contains("speed = \"=speed\"\n"));
    SLIDER_CRANK.replace("speed = \"=speed\"\n", line)
}

/// A rod of 40 mm on a crank of 50 mm: with ideal joints it locks at asin(0.8) = 53.13 deg.
const SHORT_ROD: [&str; 4] = [
    "--set",
    "bodies.rod.frames.big_end=\"-20 mm, 0\"",
    "--set",
    "bodies.rod.frames.small_end=\"20 mm, 0\"",
];

fn codes(answer: &Value) -> Vec<&str> {
    let list = answer["warnings"].as_array().expect("a list of warnings");
    list.iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

/// A failed run whose results are kept; its cause.
fn cause(scratch: &Scratch, run: Finished) -> String {
    let answer = run.exits(1).json();
    assert_eq!(answer["status"], "failed", "{answer}");
    assert!(answer["final"]["t"].as_f64().is_some());
    assert!(scratch.read("out/series.csv").iter().filter(|byte| **byte == b'\n').count() > 2);
    assert_eq!(scratch.json("out/run.json")["status"], "failed");
    assert!(!answer["error"]["help"].as_str().unwrap().is_empty());
    answer["error"]["cause"].as_str().unwrap().to_owned()
}

#[test]
fn soft_starts_are_checked_and_run_at_once() {
    for speed in [
        "speed / (1 + exp(-(t - 0.5 s)/0.01 s))",
        "speed * sin(pi * 1 rad * (1 + t/1 s))",
        "1e-15 rpm",
        "-1e-15 rpm",
        "speed * (t/1 s)^3",
    ] {
        let scratch = Scratch::new();
        scratch.write("model.toml", driven_by(&format!("speed = \"= {speed}\"\n")));
        let flags = ["--until", "5 ms", "--measure-from", "0 s", "--time-limit", "20 s"];
        let check = scratch.gudgeon(&[
            "check",
            "model.toml",
            "--json",
            "--set",
            "run.until=5 ms",
            "--set",
            "run.measure_from=0 s",
        ]);
        let check = check.exits(0).json();
        assert_eq!(check["assembly"]["ideal_mobility"], 0, "{speed}");
        scratch.gudgeon(&[&["run", "model.toml", "--no-baseline"], &flags[..]].concat()).exits(0);
    }
}

/// A parallelogram in line is singular, also where its driver starts softly.
#[test]
fn a_singular_start_is_found_for_a_driver_at_rest() {
    let scratch = Scratch::new();
    for motion in ["1 rad * (t/1 s)^2", "1 rad * (t/1 s)^4", "1e-20 rad/s * t", "1 rad/s * t"] {
        let driver = format!("[drivers.motor]\njoint = \"A\"\nangle = \"= {motion}\"\n[run]");
        scratch.write("model.toml", super::common::IN_LINE.replace("[run]", &driver));
        let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(2).json();
        assert_eq!(answer["errors"][0]["code"], "G1209", "{motion}: {answer}");
    }
}

#[test]
fn a_forced_clearance_fails_at_the_radius_of_its_journal() {
    let scratch = Scratch::with_model();
    let run = [&["run", "model.toml", "--json", "--out", "out"], &SHORT_ROD[..]].concat();
    let run = scratch.gudgeon(&run);
    let answer = run.json();
    assert_eq!(codes(&answer).iter().filter(|code| **code == "W0322").count(), 1);
    assert!(codes(&answer).contains(&"W0324"));
    let depth = answer["contacts"][0]["max_depth"].as_f64();
    assert!(depth.is_none_or(|depth| depth > 9.9e-3), "{depth:?}");
    let cause = cause(&scratch, run);
    assert!(cause.contains("the journal of `pin` is pressed"), "{cause}");
    assert!(cause.contains("past its radius"), "{cause}");
    // The slider is driven, too, through the clearance of its pin.
    let second = "[drivers.press]\njoint = \"guide\"\nspeed = \"1 m/s\"\n\n[start]";
    scratch.write("model.toml", SLIDER_CRANK.replace("[start]", second));
    let run = scratch.gudgeon(&[
        "run",
        "model.toml",
        "--json",
        "--out",
        "out",
        "--until",
        "10 ms",
        "--measure-from",
        "0 s",
    ]);
    assert!(self::cause(&scratch, run).contains("past its radius"));
}

#[test]
fn check_says_where_the_ideal_mechanism_locks() {
    let scratch = Scratch::with_model();
    let check = [&["check", "model.toml", "--json"], &SHORT_ROD[..]].concat();
    let check = scratch.gudgeon(&check).exits(0);
    assert!(check.stderr().contains("it locks at t = 0.0044"), "{}", check.stderr());
    let answer = check.json();
    assert!(codes(&answer).contains(&"W0324"));
    let lock = &answer["ideal_motion"]["locks"];
    let angle = lock["position"].as_f64().unwrap();
    assert!((angle - 0.8_f64.asin()).abs() < 1e-4, "{lock}");
    assert_eq!((&lock["driver"], &lock["unit"]), (&"motor".into(), &"rad".into()));
    // The shipped one goes round.
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(0).json();
    assert_eq!(answer["ideal_motion"]["locks"], Value::Null);
    assert!((answer["ideal_motion"]["followed_to"].as_f64().unwrap() - 0.09).abs() < 1e-12);
    assert!(codes(&answer).is_empty());
}

#[test]
fn a_position_that_jumps_is_named() {
    let scratch = Scratch::new();
    let jump = |by: &str| {
        driven_by(&format!("angle = \"= if(t < 1 ms, 0 rad, {by})\"\n"))
            .replace("start = \"0 deg\"\n", "")
    };
    let times = ["--until", "2 ms", "--measure-from", "0 s", "--json", "--out", "out"];
    for method in ["auto", "rk4", "radau5"] {
        scratch.write("model.toml", jump("1 rad"));
        let mut flags = [&["run", "model.toml", "--method", method], &times[..]].concat();
        if method == "rk4" {
            flags.extend(["--set", "run.step=1 us"]);
        }
        let cause = cause(&scratch, scratch.gudgeon(&flags));
        assert_eq!(
            cause,
            "the position that driver `motor` prescribes jumps by 1.0000e0 rad, which no mechanism can follow",
        );
    }
    let check = [
        "check",
        "model.toml",
        "--json",
        "--set",
        "run.until=2 ms",
        "--set",
        "run.measure_from=0 s",
    ];
    let answer = scratch.gudgeon(&check).exits(0).json();
    assert!(codes(&answer).contains(&"W0323"), "{answer}");
    // Pieces that hardly meet are taken at once.
    scratch.write("model.toml", jump("1e-5 rad"));
    let answer = scratch.gudgeon(&[&["run", "model.toml"], &times[..]].concat()).exits(0).json();
    assert!(codes(&answer).contains(&"W0323"), "{answer}");
    assert!(!codes(&answer).contains(&"W0306"), "{answer}");
}

/// A pendulum that swings and never turns over.
const PENDULUM: &str = r#"
format = 1
[model]
gravity = "9.81 m/s^2 along -y"
[bodies.rod]
frames = { o = "0, 0", e = "1 m, 0" }
shape = { rod = "1 kg", from = "o", to = "e" }
[joints]
pivot = { type = "revolute", between = ["ground", "rod.o"] }
[run]
until = { pivot = "3 rev" }
outputs = ["rod.angle"]
"#;

#[test]
fn an_angle_that_nobody_drives_may_come_at_the_latest_time() {
    let scratch = Scratch::new();
    scratch.write("model.toml", PENDULUM);
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(0).json();
    assert!(codes(&answer).contains(&"G0912"), "{answer}");
    let limited = scratch.gudgeon(&["check", "model.toml", "--json", "--set", "run.max_steps=100"]);
    assert!(codes(&limited.exits(0).json()).is_empty());
    let by_option = ["run", "model.toml", "--json", "--until", "pivot=3 rev, at_most=2 s"];
    let answer = scratch.gudgeon(&by_option).exits(0);
    assert!(answer.stderr().contains("ended by `at_most`"), "{}", answer.stderr());
    let answer = answer.json();
    assert_eq!((&answer["ended_by"], &answer["final"]["t"]), (&"at_most".into(), &2.0.into()));
    assert!(codes(&answer).is_empty());
    // The joint gets there first; and a driven one may be late.
    let key = PENDULUM.replace("\"3 rev\"", "\"90 deg\", at_most = \"2 s\"");
    scratch.write("model.toml", key);
    let answer = scratch.gudgeon(&["run", "model.toml", "--json"]).exits(0).json();
    assert_eq!(answer["ended_by"], "angle");
    assert!(answer["final"]["t"].as_f64().unwrap() < 1.0);
    scratch.write("model.toml", SLIDER_CRANK);
    for (until, ended) in [
        ("main_bearing=1 rev, at_most=5 ms", "at_most"),
        ("main_bearing=0.1 rev, at_most=5 ms", "time"),
    ] {
        let flags = ["run", "model.toml", "--json", "--no-baseline", "--measure-from", "0 s"];
        let run = scratch.gudgeon(&[&flags[..], &["--until", until]].concat());
        assert_eq!(run.exits(0).json()["ended_by"], ended, "{until}");
    }
}

#[test]
fn steps_and_cpu_time_are_limited() {
    let scratch = Scratch::with_model();
    let run = |flags: &[&str]| {
        scratch.gudgeon(&[&["run", "model.toml", "--json", "--out", "out"], flags].concat())
    };
    assert_eq!(cause(&scratch, run(&["--max-steps", "200"])), "step limit: 200 steps are used up");
    assert_eq!(
        cause(&scratch, run(&["--set", "run.max_steps=200"])),
        "step limit: 200 steps are used up"
    );
    let long = ["--until", "1e5 s", "--measure-from", "0 s", "--time-limit", "0.3 s"];
    let ended = run(&long);
    let total = ended.json()["cpu"]["total"].as_f64().unwrap();
    assert!((0.25..0.5).contains(&total), "{total} s");
    assert_eq!(cause(&scratch, ended), "time limit: 0.3 s of CPU time are used up");
    // Rows of a single step and fixed steps.
    for more in [["--every", "1e-15 s"], ["--set", "run.method=bdf"]] {
        let cause = cause(&scratch, run(&[&long[..], &more].concat()));
        assert!(cause.starts_with("time limit"), "{more:?}: {cause}");
    }
    for wrong in [
        ["--max-steps", "0"],
        ["--max-steps", "1.5"],
        ["--time-limit", "0 s"],
        ["--time-limit", "-1 s"],
        ["--time-limit", "3 m"],
    ] {
        let answer = run(&wrong).exits(2).json();
        assert!(!answer["errors"].as_array().unwrap().is_empty(), "{wrong:?}");
    }
}

/// What a run leaves of the limit is for the runs beside it; all end.
#[test]
fn runs_beside_share_the_time_limit() {
    let scratch = Scratch::with_model();
    let many = ["--certify", "--ensemble", "100000", "--jobs", "2", "--time-limit", "1 s"];
    let answer = scratch.run(&[&["--json"], &many[..]].concat()).exits(0).json();
    let total = answer["cpu"]["total"].as_f64().unwrap();
    assert!(total < 1.5, "{total} s");
    assert!(codes(&answer).contains(&"G1303"), "{answer}");
}

#[test]
fn a_run_that_gets_nowhere_says_so() {
    let scratch = Scratch::with_model();
    let flags = ["--set", "run.method=rk4", "--set", "run.step=1e-15 s"];
    let run = [&["run", "model.toml", "--json", "--out", "out"], &flags[..]].concat();
    let cause = cause(&scratch, scratch.gudgeon(&run));
    assert!(cause.starts_with("no progress: the last 100000 steps"), "{cause}");
}

#[test]
fn masses_and_sizes_beyond_numbers_are_refused() {
    let scratch = Scratch::with_model();
    for set in [
        "bodies.rod.mass=1e-308 kg",
        "bodies.rod.mass=1e300 kg",
        "bodies.rod.inertia=1e-300 kg m^2",
        "bodies.crank.frames.crankpin=\"1e200 m, 0\"",
    ] {
        let answer =
            scratch.gudgeon(&["check", "model.toml", "--json", "--set", set]).exits(2).json();
        assert_eq!(answer["errors"][0]["code"], "G1211", "{set}: {answer}");
    }
    // A body may be light: its velocities are those of its joints.
    for set in ["bodies.rod.mass=1e-15 kg", "bodies.slider.mass=1e-40 kg"] {
        for joint in [&[][..], &["--ideal", "pin"]] {
            scratch.gudgeon(&[&["check", "model.toml", "--set", set], joint].concat()).exits(0);
        }
    }
}
