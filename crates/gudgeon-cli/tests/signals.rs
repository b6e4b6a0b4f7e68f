//! Ctrl-C and requests to terminate: every long stretch of every command hears them.
#![cfg(unix)]

#[path = "it/common/mod.rs"]
mod common;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{FREE, Finished, SLIDER_CRANK, Scratch, send};

/// A second is promised; machines that test have other things to do.
const LIMIT: Duration = Duration::from_secs(5);

/// The function of Branin, sampled so often, and what else is asked for.
fn branin(samples: usize, design: &str, rest: &str) -> String {
    format!(
        r#"
format = 1
[study]
seed = 1
[variables]
x = {{ from = -5, to = 10 }}
y = {{ from = 0, to = 15 }}
[design]
method = "{design}"
samples = {samples}
[responses]
valley = "y - 5.1 / (4 * pi^2) * x^2 + 5 / pi * x - 6"
branin = "valley^2 + 10 * (1 - 1 / (8 * pi)) * cos(x) + 10"
{rest}
"#
    )
}

const KRIGING: &str = "[surrogate]\nkind = \"kriging\"\nof = [\"branin\"]\n";

/// The slider-crank with another speed and other lines in `[run]`.
fn slider_crank(speed: &str, run: &str) -> String {
    let text = SLIDER_CRANK.replace("speed = \"=speed\"", &format!("speed = \"{speed}\""));
    let end = text.find("[run]").unwrap();
    format!("{}[run]\noutputs = [\"pin.contact_force\"]\n{run}", &text[..end])
}

/// Wheels whose speeds take a quarter of a second each to read.
fn fast_drivers(count: usize) -> String {
    let mut text = "format = 1\n[run]\nuntil = \"10 s\"\noutputs = [\"wheel0.angle\"]\n".to_owned();
    for i in 0..count {
        text += &format!(
            "[bodies.wheel{i}]\nmass = \"1 kg\"\ninertia = \"1 kg m^2\"\n\
             [joints.axle{i}]\ntype = \"revolute\"\nbetween = [\"ground\", \"wheel{i}\"]\n\
             [drivers.motor{i}]\njoint = \"axle{i}\"\n\
             speed = \"= 1 rad/s * abs(sin(1e6 rad/s * t))\"\n"
        );
    }
    text
}

fn start(scratch: &Scratch, arguments: &[&str]) -> Child {
    scratch.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_for(mut is_there: impl FnMut() -> bool) {
    let asked = Instant::now();
    while !is_there() {
        assert!(asked.elapsed() < Duration::from_secs(60), "nothing happens");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The command after its end, and how long it took to hear.
fn heard(child: Child, signal: &str) -> (Finished, Duration) {
    let sent = Instant::now();
    send(&child, signal);
    let finished = Finished(child.wait_with_output().unwrap());
    (finished, sent.elapsed())
}

/// One JSON object that says so, exit code 130, in time.
fn assert_interrupted((finished, took): (Finished, Duration)) -> Finished {
    let finished = finished.exits(130);
    assert_eq!(finished.stdout().lines().count(), 1, "{}", finished.stdout());
    assert_eq!(finished.json()["status"], "interrupted");
    assert!(took < LIMIT, "{took:?}");
    finished
}

#[test]
fn a_fit_of_thousands_of_samples_is_interrupted_and_its_samples_are_kept() {
    let scratch = Scratch::new();
    scratch.write("many.study.toml", branin(4000, "monte-carlo", KRIGING));
    let child = start(&scratch, &["study", "many.study.toml", "--out", "out", "--json"]);
    wait_for(|| scratch.path.join("out/samples.csv").exists());
    std::thread::sleep(Duration::from_millis(300)); // the fit takes minutes
    let finished = assert_interrupted(heard(child, "INT"));
    assert_eq!(finished.json()["design"]["done"], 4000);
    assert_eq!(scratch.json("out/study.json")["status"], "interrupted");
    assert_eq!(String::from_utf8(scratch.read("out/samples.csv")).unwrap().lines().count(), 4001);
}

#[test]
fn rows_without_end_within_a_step_are_interrupted_and_warned_of() {
    let scratch = Scratch::new();
    scratch.write("model.toml", slider_crank("=speed", "until = \"3 rev\"\nevery = \"1e-15 s\"\n"));
    let child = start(&scratch, &["run", "model.toml", "--out", "out", "--json"]);
    wait_for(|| scratch.entries().iter().any(|name| name.starts_with(".out.partial")));
    std::thread::sleep(Duration::from_millis(200));
    let finished = assert_interrupted(heard(child, "TERM"));
    assert!(finished.stderr().contains("G0915"), "{}", finished.stderr());
    assert_eq!(scratch.json("out/run.json")["status"], "interrupted");
    assert!(scratch.read("out/series.csv").len() > 1000);
}

/// The run itself takes milliseconds; the summary says in which of the others it was interrupted.
#[test]
fn runs_beside_the_main_one_are_interrupted_and_told() {
    let scratch = Scratch::new();
    scratch.write("free.toml", FREE);
    scratch.write("crank.toml", slider_crank("=speed", "until = \"0.1 rev\"\n"));
    let run = |arguments: &[&str]| {
        let child = start(&scratch, &[&["run", "--json"], arguments].concat());
        std::thread::sleep(Duration::from_millis(1000));
        assert_interrupted(heard(child, "INT"))
    };
    let finished = run(&["free.toml"]);
    let told = "; interrupted in the comparison with ideal joints\n";
    assert!(finished.stderr().contains(told), "{}", finished.stderr());
    assert!(finished.json()["baseline"].is_null());
    let finished = run(&["crank.toml", "--ensemble", "100000"]);
    assert!(finished.stderr().contains("; interrupted in the ensemble\n"), "{}", finished.stderr());
    let ensemble = &finished.json()["ensemble"];
    let [n, cut, left] = ["n", "cut", "not_begun"].map(|key| ensemble[key].as_u64().unwrap());
    assert!(n > 0 && left > 0 && n + cut + left == 100_000, "{n} {cut} {left}");
    assert!(finished.stderr().contains(&format!("abs max over {n} of 100000 perturbed runs")));
    let vary = ["two_groove_bearing", "--set", "run.vary.speed.points=10000"];
    let finished = run(&vary);
    let points = finished.json()["points"].as_array().unwrap().len();
    let told = format!("\n  interrupted after {points} of 10000\n");
    assert!(finished.stderr().contains(&told), "{}", finished.stderr());
}

#[test]
fn what_only_reads_and_assembles_ends_at_once_with_one_answer() {
    let scratch = Scratch::new();
    scratch.write("model.toml", fast_drivers(16));
    for (command, signal) in [("run", "INT"), ("check", "TERM"), ("run", "HUP")] {
        let child = start(&scratch, &[command, "model.toml", "--json"]);
        std::thread::sleep(Duration::from_millis(200));
        let finished = assert_interrupted(heard(child, signal));
        assert_eq!(finished.json()["errors"][0]["code"], "G1112");
        assert!(finished.stderr().contains("nothing was changed"), "{}", finished.stderr());
        assert_eq!(scratch.entries(), ["model.toml"]);
    }
}

/// Ignored at the start is ignored to the end: `nohup`, and commands in the background of a script.
#[test]
fn signals_that_were_ignored_at_the_start_stay_ignored() {
    let scratch = Scratch::with_model();
    let gudgeon = env!("CARGO_BIN_EXE_gudgeon");
    let run = format!("exec '{gudgeon}' run model.toml --until '30 rev' --out out --json");
    for (ignored, signals) in [("HUP INT", &["HUP", "INT"][..]), ("TERM", &["TERM"])] {
        let mut shell = Command::new("sh");
        shell.current_dir(&scratch.path).args(["-c", &format!("trap '' {ignored}; {run}")]);
        let mut child = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| scratch.entries().iter().any(|name| name.starts_with(".out.partial")));
        for _ in 0..3 {
            let id = child.id().to_string();
            for signal in signals {
                assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
            }
        }
        assert!(child.try_wait().unwrap().is_none(), "the run was too short for this test");
        let finished = Finished(child.wait_with_output().unwrap()).exits(0);
        assert_eq!(finished.json()["status"], "ok");
        std::fs::remove_dir_all(scratch.path.join("out")).unwrap();
    }
}

#[test]
fn two_signals_end_the_program_with_one_answer_whenever_they_come() {
    let scratch = Scratch::with_model();
    for delay in [0, 3, 10, 30, 100] {
        let arguments = ["run", "model.toml", "--until", "1e6 rev", "--out", "out", "--json"];
        let child = start(&scratch, &arguments);
        // Before it listens a signal has its default effect.
        std::thread::sleep(Duration::from_millis(100 + delay));
        send(&child, "INT");
        let (finished, took) = heard(child, "INT");
        assert_interrupted((finished, took));
    }
}

/// The answer of 4096 bodies is longer than a pipe holds.
#[test]
fn a_reader_that_does_not_read_keeps_no_one_from_ending() {
    let scratch = Scratch::new();
    scratch.gudgeon(&["new", "chain", "--links", "2048"]).exits(0);
    let mut child = start(&scratch, &["check", "chain", "--json"]);
    drop(child.stderr.take());
    std::thread::sleep(Duration::from_millis(1500));
    assert!(child.try_wait().unwrap().is_none(), "there was room for the whole answer");
    let sent = Instant::now();
    send(&child, "INT");
    wait_for(|| child.try_wait().unwrap().is_some());
    assert!(sent.elapsed() < LIMIT, "{:?}", sent.elapsed());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// Every long stretch, at several instants. The real latencies are printed: `--nocapture`.
#[test]
#[ignore = "slow: some three minutes"]
fn every_long_stretch_hears_within_a_second() {
    let scratch = Scratch::new();
    let write = |name: &str, text: String| scratch.write(name, text);
    let optimise = |more: &str| format!("[optimise]\nminimise = [\"branin\"]\n{more}\n");
    let surrogate = |more: &str| format!("{KRIGING}{}", optimise(more));
    write("kriging.toml", branin(4000, "monte-carlo", KRIGING));
    let folds = "validation = 10\ncorrelation = \"power-exponential\"\n";
    write("folds.toml", branin(1500, "sobol", &format!("{KRIGING}{folds}")));
    write("maximin.toml", branin(8000, "lhs", ""));
    write("samples.toml", branin(1_000_000, "monte-carlo", ""));
    write("ga.toml", branin(900, "sobol", &surrogate("evaluations = 1000000")));
    write(
        "nsga2.toml",
        branin(
            10,
            "sobol",
            &optimise("method = \"nsga2\"\non = \"simulator\"\nevaluations = 1000000"),
        )
        .replace("minimise = [\"branin\"]", "minimise = [\"branin\", \"valley\"]"),
    );
    write(
        "simulator.toml",
        branin(
            10,
            "sobol",
            &optimise(
                "method = \"ga\"\non = \"simulator\"\nevaluations = 1000000\npopulation = 1000",
            ),
        ),
    );
    write("ego.toml", branin(300, "sobol", &surrogate("method = \"ego\"\nevaluations = 1000")));
    let indices = "[sensitivity]\nmethods = [\"sobol\", \"morris\"]\nsamples = 1000000\n";
    write("indices.toml", branin(50, "sobol", &format!("{KRIGING}{indices}")));
    let dense = "= speed * abs(sin(1e6 rad/s * t))";
    write("dense.toml", slider_crank(dense, "until = \"10 s\"\n"));
    let hum = "[forces.hum]\ntype = \"force\"\non = \"slider\"\n";
    let hum = format!("{hum}force = \"= 1 N * abs(sin(1e6 rad/s * t)), 0\"\n");
    write("hum.toml", slider_crank("=speed", &format!("until = \"10 s\"\n{hum}")));
    write("rows.toml", slider_crank("=speed", "until = \"3 rev\"\nevery = \"1 ns\"\n"));
    write("crank.toml", SLIDER_CRANK.into());
    scratch.gudgeon(&["new", "chain", "--links", "4096", "--spatial"]).exits(0);
    for (name, from) in [("film", "lubricated_slider_crank"), ("grooves", "two_groove_bearing")] {
        scratch.gudgeon(&["new", name, "--from", from]).exits(0);
    }
    let cases: &[&[&str]] = &[
        &["run", "crank.toml", "--until", "1e6 rev"],
        &["run", "rows.toml"],
        &["run", "dense.toml"],
        &["run", "hum.toml"],
        &["run", "chain"],
        &["check", "chain"],
        &["check", "dense.toml"],
        &["run", "crank.toml", "--ensemble", "10000"],
        &["run", "crank.toml", "--certify", "--until", "300 rev"],
        &["run", "film", "--set", "joints.pin.film.model=finite"],
        &["run", "grooves"],
        &["reproduce", "zhang"],
        &["reproduce", "bai"],
        &["reproduce", "tian"],
        &["study", "kriging.toml"],
        &["study", "folds.toml"],
        &["study", "maximin.toml"],
        &["study", "samples.toml"],
        &["study", "ga.toml"],
        &["study", "nsga2.toml"],
        &["study", "simulator.toml"],
        &["study", "ego.toml"],
        &["study", "indices.toml"],
        &["study", "zhang_sweeps"],
        &["study", "four_bar_tolerances"],
    ];
    let mut slowest = Duration::ZERO;
    for (number, case) in cases.iter().enumerate() {
        for (turn, instant) in [50, 300, 1200, 3500].into_iter().enumerate() {
            let signal = if (number + turn) % 2 == 0 { "INT" } else { "TERM" };
            let out = format!("out{number}-{turn}");
            let kept = ["--out", out.as_str()];
            let kept = if matches!(case[0], "run" | "study") { &kept[..] } else { &[] };
            let mut child = start(&scratch, &[case, kept, &["--json"][..]].concat());
            std::thread::sleep(Duration::from_millis(instant));
            if child.try_wait().unwrap().is_some() {
                break; // faster than thought
            }
            let (finished, took) = heard(child, signal);
            // A signal that comes when all is done has nothing to end.
            if finished.code() != Some(0) {
                slowest = slowest.max(took);
                println!(
                    "{:>6.0} ms  {} after {instant} ms: {case:?}",
                    1e3 * took.as_secs_f64(),
                    signal
                );
                assert_interrupted((finished, took));
            }
        }
    }
    println!("slowest: {slowest:?}");
}
