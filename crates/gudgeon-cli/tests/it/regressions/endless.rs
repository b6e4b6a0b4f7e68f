//! Runs without end: soft starts hung `check`, forced clearances reached giga-newtons and went on, a
//! driver's angle that jumped by 1 rad gave 5.7e56 N, and a mass of 1e-308 kg looped in a
//! decomposition.
//!
//! Now a nearby pose is reached without waiting, an indentation as deep as the journal's radius and a
//! position that jumps are failures with their reason, and limits of CPU time and steps end any run with its
//! results kept.

use serde_json::Value;

use crate::common::{FREE, Finished, SLIDER_CRANK, Scratch};

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
        scratch.write("model.toml", crate::common::IN_LINE.replace("[run]", &driver));
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
    // The record has the option as `--set` would give it.
    assert_eq!(scratch.json("out/run.json")["overrides"]["set"]["run.max_steps"], "200");
    run(&["--until", "1 ms", "--measure-from", "0 s", "--max-steps", "1e6"]).exits(0);
    assert_eq!(scratch.json("out/run.json")["overrides"]["set"]["run.max_steps"], "1e6");
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
        let refused = run(&wrong).exits(2);
        assert!(refused.stderr().contains(&format!(" --> {}\n", wrong[0])), "{}", refused.stderr());
        let errors = &refused.json()["errors"];
        assert_eq!(errors.as_array().unwrap().len(), 1, "{errors}");
        assert_eq!(errors[0]["file"], wrong[0], "{errors}");
        assert!(errors[0]["help"].is_string(), "{errors}");
    }
}

/// What a run leaves of the limit is for the runs beside it; all end, and the command fails.
#[test]
fn runs_beside_share_the_time_limit() {
    let scratch = Scratch::with_model();
    let many = ["--certify", "--ensemble", "100000", "--jobs", "2", "--time-limit", "1 s"];
    let run = scratch.run(&[&["--json", "--out", "out"], &many[..]].concat()).exits(1);
    let answer = run.json();
    let total = answer["cpu"]["total"].as_f64().unwrap();
    assert!(total < 1.5, "{total} s");
    assert!(codes(&answer).contains(&"G1303"), "{answer}");
    let ensemble = &answer["ensemble"];
    let [n, failed, cut, left] =
        ["n", "failed", "cut", "not_begun"].map(|key| ensemble[key].as_u64().unwrap());
    assert_eq!((n + failed + cut + left, &ensemble["asked"]), (100_000, &100_000.into()));
    assert!(n > 0 && failed == 0 && cut <= 2, "{n} {failed} {cut} {left}");
    assert_eq!(ensemble["failures"].as_array().unwrap().len() as u64, cut);
    assert_eq!(
        (&answer["status"], &scratch.json("out/run.json")["status"]),
        (&"failed".into(), &"failed".into())
    );
    assert_eq!(answer["error"]["cause"], "time limit: 1 s of CPU time are used up");
    let cut = if cut > 0 { format!("{cut} cut, ") } else { String::new() };
    let message = format!(
        "time limit: 1 s of CPU time are used up: {n} of 100000 perturbed runs completed, {cut}{left} not begun"
    );
    assert_eq!(answer["error"]["message"], message);
    let text = run.stderr();
    let head = format!("abs max over {n} of 100000 perturbed runs ({cut}{left} not begun)");
    assert!(text.contains(&head) && text.contains(&format!("error: {message}\n")), "{text}");
}

/// A certificate that the limit ends; and an ensemble that has nothing left of it.
#[test]
fn a_limit_within_the_certificate_leaves_the_ensemble_out() {
    let scratch = Scratch::with_model();
    let run = |limit: f64| {
        let limit = format!("{limit} s");
        let flags = ["--json", "--no-baseline", "--certify", "--ensemble", "3", "--time-limit"];
        scratch.gudgeon(&[&["run", "model.toml"], &flags[..], &[&limit]].concat())
    };
    let all = run(1e3).exits(0).json();
    let [own, certificate] = ["total", "certificate"].map(|key| all["cpu"][key].as_f64().unwrap());
    let own = own
        - certificate
        - all["cpu"]["ensemble"].as_f64().unwrap()
        - all["cpu"]["writing"].as_f64().unwrap();
    let ended = run(own + 0.5 * certificate).exits(1);
    let answer = ended.json();
    assert!(codes(&answer).contains(&"G1305") && codes(&answer).contains(&"G1303"), "{answer}");
    assert_eq!(
        (&answer["ensemble"]["n"], &answer["ensemble"]["not_begun"]),
        (&0.into(), &3.into())
    );
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("certified"), "{message}");
    assert!(message.ends_with("0 of 3 perturbed runs completed, 3 not begun"), "{message}");
    let text = ended.stderr();
    assert!(text.contains("no ensemble: none of 3 perturbed runs came to its end (3 not begun)"));
    assert!(!text.contains("13.0    0 s"), "{text}");
}

/// Steps are counted run by run: a certificate whose runs need more of them ends there, with a warning.
#[test]
fn a_step_limit_beside_the_run_is_a_warning() {
    let scratch = Scratch::with_model();
    let run = |steps: &str| {
        let flags = ["--json", "--until", "2 ms", "--measure-from", "0", "--certify"];
        scratch.gudgeon(&[&["run", "model.toml"], &flags[..], &["--max-steps", steps]].concat())
    };
    let needed = run("1e6").exits(0).json();
    let count = |key: &str| needed["solver"][key].as_u64().unwrap();
    let answer = run(&(count("steps") + count("rejected")).to_string()).exits(0).json();
    assert_eq!(answer["certificate"]["complete"], false, "{answer}");
    assert!(codes(&answer).contains(&"G1305"), "{answer}");
}

/// The comparison with ideal joints may take much longer than the run.
#[test]
fn limits_hold_in_the_comparison_with_ideal_joints() {
    let scratch = Scratch::new();
    scratch.write("model.toml", FREE);
    let run = |limit: &[&str]| {
        scratch.gudgeon(&[&["run", "model.toml", "--json", "--out", "out"], limit].concat())
    };
    let ended = run(&["--time-limit", "0.3 s"]).exits(1);
    let answer = ended.json();
    assert_eq!(codes(&answer), ["G1301"]);
    assert_eq!((&answer["status"], &answer["ended_by"]), (&"failed".into(), &"time".into()));
    assert_eq!(answer["final"]["t"], 1e5);
    let message = "time limit: 0.3 s of CPU time are used up: no comparison with ideal joints";
    assert_eq!(answer["error"]["message"], message);
    assert!(ended.stderr().contains(&format!("error: {message}\n")), "{}", ended.stderr());
    assert_eq!(scratch.json("out/run.json")["status"], "failed");
    let answer = run(&["--max-steps", "1000"]).exits(0).json();
    assert_eq!(codes(&answer), ["G1301"]);
    let warning = answer["warnings"][0]["message"].as_str().unwrap();
    assert!(warning.ends_with("step limit: 1000 steps are used up"), "{warning}");
}

/// A sample that would never end ends with the limit of its study; a limit beyond all numbers of seconds that
/// a clock has was a mistake of the program.
#[test]
fn samples_without_end_end_with_the_limit_of_their_study() {
    let scratch = Scratch::new();
    let model = PENDULUM.replace("[bodies.rod]", "[parameters]\nmass = \"1 kg\"\n[bodies.rod]");
    let model = model.replace("rod = \"1 kg\"", "rod = \"=mass\"");
    scratch.write("model.toml", &model);
    let study = |limit: &str| {
        let text = format!(
            "format = 1\n[study]\nmodel = \"model.toml\"\n{limit}\n\
             [variables]\nmass = {{ from = \"1 kg\", to = \"2 kg\" }}\n\
             [design]\nmethod = \"lhs\"\nsamples = 2\n\
             [responses]\nangle = \"abs_max(rod.angle)\"\n"
        );
        scratch.write("s.study.toml", text);
        scratch.gudgeon(&["study", "s.study.toml", "--no-plots", "--overwrite"])
    };
    let ended = study("time_limit = \"0.1 s\"").exits(1);
    assert!(ended.stdout().contains("sample 1 timed out"), "{}", ended.stdout());
    assert!(!ended.stderr().contains("G0912"), "{}", ended.stderr());
    scratch.write("model.toml", model.replace("\"3 rev\"", "\"3 rev\", at_most = \"1 s\""));
    study("time_limit = \"1e300 s\"").exits(0);
    let check = ["study", "s.study.toml", "--check"];
    let told = scratch.gudgeon(&check).exits(0).stdout();
    assert!(told.contains("until 3 rev of pivot, at most 1 s\n"), "{told}");
    scratch.write("model.toml", &model);
    assert!(!scratch.gudgeon(&check).exits(0).stderr().contains("G0912"));
    let free = String::from_utf8(scratch.read("s.study.toml")).unwrap();
    scratch.write("s.study.toml", free.replace("time_limit = \"1e300 s\"", ""));
    assert!(scratch.gudgeon(&check).exits(0).stderr().contains("G0912"));
}

/// Of a window that depends on the motion only the run can tell that it is not reached.
#[test]
fn a_window_that_is_never_reached_is_warned_of() {
    let scratch = Scratch::new();
    scratch.write("model.toml", PENDULUM);
    let flags = ["--json", "--until", "2 s", "--measure-from", "pivot=1 rev"];
    let run = scratch.gudgeon(&[&["run", "model.toml"], &flags[..]].concat()).exits(0);
    assert_eq!(codes(&run.json()), ["W0325"]);
    assert!(run.stderr().contains("the measuring window was not reached"), "{}", run.stderr());
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
