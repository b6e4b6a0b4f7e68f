//! Codes of messages that only the command gives, each provoked once.

mod common;

use common::{SLIDER_CRANK, Scratch, TILTED};
use serde_json::Value;

fn codes(list: &Value) -> Vec<String> {
    let code = |finding: &Value| finding["code"].as_str().unwrap_or("").to_owned();
    list.as_array().map(|list| list.iter().map(code).collect()).unwrap_or_default()
}

/// The codes of the errors that a command is refused with.
#[track_caller]
fn refused(scratch: &Scratch, arguments: &[&str]) -> Vec<String> {
    let answer = scratch.gudgeon(&[arguments, &["--json"]].concat()).exits(2).json();
    codes(&answer["errors"])
}

/// The codes of the warnings of a run of `text`.
#[track_caller]
fn warned(text: &str, flags: &[&str]) -> Vec<String> {
    let scratch = Scratch::new();
    scratch.write("model.toml", text);
    let arguments = [&["run", "model.toml", "--json"], flags].concat();
    codes(&scratch.gudgeon(&arguments).json()["warnings"])
}

#[test]
fn wrong_uses() {
    let scratch = Scratch::with_model();
    assert_eq!(refused(&scratch, &["run"]), ["G1100"]);
    assert_eq!(refused(&scratch, &["run", "model.toml", "--out", "model.toml"]), ["G1101"]);
    assert_eq!(refused(&scratch, &["reproduce", "nobody"]), ["G1401"]);
    for (arguments, code) in [
        (&["new", "copy", "--from", "nothing"][..], "G1102"),
        (&["new", "model.toml"], "G1103"),
        (&["new", "copy", "--from", "pendulum", "--links", "3"], "G1104"),
    ] {
        let text = scratch.gudgeon(arguments).exits(2).stderr();
        assert!(text.starts_with(&format!("error[{code}]")), "{text}");
    }
    let flags = ["run", "two_groove_bearing", "--certify"];
    assert_eq!(refused(&scratch, &flags), ["G1105"]);
}

#[test]
fn mechanisms_that_cannot_start() {
    let scratch = Scratch::new();
    let chain = "format = 1\n[bodies.crank]\nmass = \"1 kg\"\ninertia = \"1 kg m^2\"\n\
                 [joints]\npivot = { type = \"revolute\", between = [\"ground\", \"crank\"] }\n";
    let disc = "hinge = { type = \"revolute\", between = [\"crank\", \"disc\"] }\n\
                [bodies.disc]\nmass = \"1 kg\"\n";
    let run = "[run]\nuntil = \"1 ms\"\noutputs = [\"crank.angle\"]\n";
    scratch.write("massless.toml", format!("{chain}{disc}{run}"));
    assert_eq!(refused(&scratch, &["check", "massless.toml"]), ["G1203"]);
    // A second hinge at the same place leaves nothing to drive for the second driver.
    let twice = "again = { type = \"revolute\", between = [\"ground\", \"crank\"] }\n";
    let drivers = "[drivers]\na = { joint = \"pivot\", speed = \"1 rpm\" }\n\
                   b = { joint = \"again\", speed = \"1 rpm\" }\n";
    scratch.write("idle.toml", format!("{chain}{twice}{drivers}{run}"));
    assert_eq!(refused(&scratch, &["check", "idle.toml"]), ["G1207"]);
}

#[test]
fn gaps_are_at_a_place() {
    // Two loops that cannot close, so that leaving one joint open does not help.
    let scratch = Scratch::new();
    let bar = |name: &str, y: &str| {
        format!(
            "[bodies.{name}]\nmass = \"1 kg\"\ninertia = \"1 kg m^2\"\nframes.end = \"1 m, 0\"\n\
             [joints.{name}_left]\ntype = \"revolute\"\nbetween = [\"ground.{name}_a\", \"{name}\"]\n\
             [joints.{name}_right]\ntype = \"revolute\"\nbetween = [\"ground.{name}_b\", \"{name}.end\"]\n\
             [bodies.ground.frames]\n{name}_a = \"0, {y}\"\n{name}_b = \"1.25 m, {y}\"\n"
        )
    };
    let frames = "[bodies.ground.frames]\n";
    let (one, two) = (bar("one", "0"), bar("two", "1 m"));
    let (one, ground) = one.split_once(frames).unwrap();
    let (two, more) = two.split_once(frames).unwrap();
    let run = "[run]\nuntil = \"1 s\"\noutputs = [\"one.angle\"]\n";
    scratch.write("model.toml", format!("format = 1\n{one}{two}{frames}{ground}{more}{run}"));
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(2).json();
    let error = &answer["errors"][0];
    assert_eq!(error["code"], "G1201");
    assert!(error["line"].as_u64().is_some_and(|line| line > 1), "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("is open most") && message.contains("open are also"), "{message}");
}

#[test]
fn a_gap_names_its_worst_joint_first() {
    let text =
        SLIDER_CRANK.replace("frames.small_end = \"60 mm, 0\"", "frames.small_end = \"-50 mm, 0\"");
    let scratch = Scratch::new();
    scratch.write("model.toml", text.replace("start = \"0 deg\"", "start = \"90 deg\""));
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(2).json();
    let message = answer["errors"][0]["message"].as_str().unwrap();
    assert_eq!(message.matches("stays open").count(), 1, "{message}");
    assert!(message.contains("when all the others are closed; its loop also runs through `"));
}

#[test]
fn validity_of_runs() {
    let all = warned(SLIDER_CRANK, &["--until", "1 rev", "--measure-from", "0"]);
    assert!(all.contains(&"W0304".to_owned()), "{all:?}");
    let stiff = ["--set", "speed=5000 rpm", "--until", "3 rev", "--measure-from", "0"];
    assert!(warned(SLIDER_CRANK, &stiff).contains(&"W0303".to_owned()));
    let jump = "format = 1\n[bodies.crank]\nframes.tip = \"100 mm, 0\"\n[joints]\n\
                pivot = { type = \"revolute\", between = [\"ground\", \"crank\"] }\n\
                [drivers.motor]\njoint = \"pivot\"\n\
                angle = \"= if(t < 5 ms, 0 deg, 1 rad/s * (t - 5 ms))\"\n\
                [run]\nuntil = \"10 ms\"\noutputs = [\"crank.angle\"]\n";
    assert_eq!(warned(jump, &[]), ["W0306", "W0308"]);
    let bore = "format = 1\n[model]\nspace = \"spatial\"\ngravity = \"9.81 m/s^2 along -z\"\n\
                [bodies.pin]\nmass = \"1 kg\"\n\
                inertia = \"1e-3 kg m^2, 1e-3 kg m^2, 1e-3 kg m^2\"\n\
                [joints.bore]\ntype = \"cylindrical\"\nbetween = [\"ground\", \"pin\"]\n\
                clearance = { bearing_radius = \"10 mm\", radial = \"0.1 mm\", length = \"20 mm\", \
                contact = { law = \"hertz\", material = \"steel\" } }\n\
                [run]\nuntil = \"100 ms\"\noutputs = [\"pin.position.z\"]\n";
    assert!(warned(bore, &[]).contains(&"W0310".to_owned()));
}

#[test]
fn runs_beside_the_main_one() {
    // Redundant hinges: what the ideal joints carry is not determined.
    let tilted = TILTED.replace("tilt = \"1 deg\"", "tilt = 0");
    let flags = ["--until", "1 ms", "--measure-from", "0"];
    let all = warned(&tilted.replace("outputs = [", "outputs = [\"C.contact_force.z\", "), &flags);
    assert!(all.contains(&"G1304".to_owned()), "{all:?}");
    // A run that fails has no certificate.
    let short =
        SLIDER_CRANK.replace("frames.small_end = \"60 mm, 0\"", "frames.small_end = \"-20 mm, 0\"");
    let all = warned(
        &short,
        &["--ideal", "pin", "--until", "0.3 rev", "--measure-from", "0", "--certify"],
    );
    assert!(all.contains(&"G1306".to_owned()), "{all:?}");
}

#[test]
fn studies() {
    let scratch = Scratch::new();
    scratch.gudgeon(&["study", "branin", "--no-plots"]).exits(0);
    assert_eq!(refused(&scratch, &["study", "branin"]), ["G2072"]);
    let study = "format = 1\n[study]\n[variables]\nx = { from = 0, to = 1 }\n[design]\n\
                 method = \"lhs\"\nsamples = 1000000\n[responses]\ny = \"= x^2\"\n";
    scratch.write("large.study.toml", study);
    assert_eq!(refused(&scratch, &["study", "large.study.toml", "--check"]), ["G2071"]);
}
