//! Codes of messages that only the command gives, each provoked once.

use crate::common::{SLIDER_CRANK, Scratch, TILTED};
use serde_json::{Value, json};

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

/// Refusals of a crank on its pivot, with what is beyond numbers: code, line and column, message, help.
#[test]
fn what_is_beyond_numbers_is_shown_at_its_key() {
    let scratch = Scratch::new();
    let crank = |mass: &str, inertia: &str, end: &str, rest: &str| {
        format!(
            "format = 1\n[bodies.crank]\nmass = \"{mass}\"\ninertia = \"{inertia}\"\n\
             frames.end = \"{end}, 0\"\n[joints]\n\
             pivot = {{ type = \"revolute\", between = [\"ground\", \"crank\"] }}\n\
             {rest}[run]\nuntil = \"1 s\"\noutputs = [\"crank.angle\"]\n"
        )
    };
    let (kg, moment, metre) = ("1 kg", "0.1 kg m^2", "1 m");
    let torque = "[forces]\npush = { type = \"torque\", on = \"crank\", torque = \"1e308 N m\" }\n";
    let rope = "[forces]\nrope = { type = \"spring\", between = [\"ground\", \"crank.end\"], \
                stiffness = \"1e300 N/m\", length = \"1e100 m\" }\n";
    let only = "only values from 1e-50 to 1e50 can be computed with";
    let lengths = "look for a wrong unit or exponent in its lengths and in `[start]`";
    let omit = "look for a wrong unit or exponent; a body without mass or inertia is written \
                without them";
    let force = "look for a wrong unit or exponent in its force, torque, stiffness or lengths";
    let starts = "look for a wrong unit or exponent in `[start]` and in the speeds of drivers";
    let no = "the start has no accelerations:";
    for (text, code, place, message, help) in [
        (
            crank("1e-60 kg", moment, metre, ""),
            "G1211",
            [3, 8],
            format!("the mass of body `crank` is 1e-60 kg: {only}"),
            omit,
        ),
        (
            crank(kg, "1e70 kg m^2", metre, ""),
            "G1211",
            [4, 11],
            format!("the inertia of body `crank` is 1e70 kg m²: {only}"),
            omit,
        ),
        (
            crank(kg, moment, "1e200 m", ""),
            "G1211",
            [5, 8],
            format!("frame `end` of body `crank` gives the mechanism a size of 1e200 m: {only}"),
            lengths,
        ),
        (
            crank(kg, moment, metre, "[start]\ncrank.at = \"1e200 m, 0\"\n"),
            "G1211",
            [2, 9],
            format!("body `crank` starts at a distance of 1e200 m: {only}"),
            lengths,
        ),
        (
            crank(kg, moment, metre, torque),
            "G1204",
            [9, 1],
            format!("{no} force `push` acts with 1e308 N or N m"),
            force,
        ),
        (
            crank(kg, moment, metre, rope),
            "G1204",
            [9, 1],
            format!("{no} force `rope` is not finite"),
            force,
        ),
        (
            crank(kg, moment, metre, "[start]\ncrank.angular_velocity = \"1e200 rad/s\"\n"),
            "G1204",
            [2, 9],
            format!("{no} body `crank` starts at 1e200 rad/s"),
            starts,
        ),
    ] {
        scratch.write("model.toml", text);
        let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(2).json();
        let error = &answer["errors"][0];
        assert_eq!(error["code"], code, "{error}");
        assert_eq!([&error["line"], &error["column"]], [place[0], place[1]], "{error}");
        assert_eq!((&error["message"], &error["help"]), (&message.into(), &help.into()));
    }
    // The shape that a mass follows from.
    let shape = crank(kg, moment, metre, "").replace(
        "mass = \"1 kg\"\ninertia = \"0.1 kg m^2\"",
        "frames.a = \"0, 0\"\nshape = { rod = \"1e-60 kg\", from = \"a\", to = \"end\" }",
    );
    scratch.write("model.toml", shape);
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(2).json();
    let error = &answer["errors"][0];
    assert_eq!([&error["code"], &error["line"]], [&json!("G1211"), &json!(4)], "{error}");
}

#[test]
fn very_uneven_masses_name_the_bodies_and_a_way_out() {
    // A coupler of a four-bar that is lost in the rounding of its neighbours, or hides them.
    let four_bar = |coupler: &str| {
        let rod = |name: &str, length: &str, mass: &str| {
            format!(
                "{name} = {{ frames = {{ l = \"0, 0\", r = \"{length} m, 0\" }}, \
                 shape = {{ rod = \"{mass} kg\", from = \"l\", to = \"r\" }} }}\n"
            )
        };
        let hinge = |name: &str, a: &str, b: &str| {
            format!("{name} = {{ type = \"revolute\", between = [\"{a}\", \"{b}\"] }}\n")
        };
        format!(
            "format = 1\n[model]\ngravity = \"9.81 m/s^2 along -y\"\n[bodies]\n\
             ground = {{ frames = {{ a = \"0, 0\", b = \"1 m, 0\" }} }}\n{}{}{}[joints]\n{}{}{}{}\
             [start]\ncrank = {{ at = \"0, 0\", turn = \"87 deg\", angular_velocity = \"1 rad/s\" }}\n\
             coupler = {{ at = \"0, 0.3 m\" }}\nrocker = {{ at = \"1 m, 0\", turn = \"95 deg\" }}\n\
             [run]\nuntil = \"1 s\"\noutputs = [\"crank.angle\"]\n",
            rod("crank", "0.3", "1"),
            rod("coupler", "1", coupler),
            rod("rocker", "0.7", "2"),
            hinge("foot_a", "ground.a", "crank.l"),
            hinge("foot_b", "ground.b", "rocker.l"),
            hinge("top_a", "crank.r", "coupler.l"),
            hinge("top_b", "coupler.r", "rocker.r"),
        )
    };
    let rounding =
        "so that rounding of the one hides the other: look for a wrong unit in either mass;";
    let scratch = Scratch::new();
    scratch.write("model.toml", four_bar("1e-15"));
    for method in ["dop853", "radau5"] {
        let set = format!("run.method={method}");
        let run = ["run", "model.toml", "--json", "--set", &set];
        let answer = scratch.gudgeon(&run).exits(1).json();
        assert_eq!(
            answer["error"]["help"],
            format!(
                "`coupler` (1e-15 kg) is lighter than `rocker` (2 kg) by a factor of 2.0e15, {rounding} \
                 give `coupler` a realistic one, or write it without mass and inertia if joints and \
                 drivers fix its motion"
            ),
            "{method}"
        );
    }
    scratch.write("model.toml", four_bar("1e20"));
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(2).json();
    let error = &answer["errors"][0];
    assert_eq!(error["code"], "G1210", "{error}");
    let told = format!(
        "`crank` (1 kg) is lighter than `coupler` (1e20 kg) by a factor of 1.0e20, {rounding}"
    );
    assert!(error["help"].as_str().unwrap().starts_with(&told), "{error}");
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

/// A triangle of bars; without `[start]` all of them lie in line.
fn triangle(sides: [&str; 3], start: &str) -> String {
    let bar = |name: &str, side: &str| {
        format!(
            "{name} = {{ mass = \"1 kg\", inertia = \"1 kg m^2\", frames.end = \"{side}, 0\" }}\n"
        )
    };
    format!(
        "format = 1\n[bodies]\nground = {{ frames.b = \"{}, 0\" }}\n{}{}[joints]\n\
         a = {{ type = \"revolute\", between = [\"ground\", \"left\"] }}\n\
         c = {{ type = \"revolute\", between = [\"left.end\", \"right\"] }}\n\
         b = {{ type = \"revolute\", between = [\"right.end\", \"ground.b\"] }}\n\
         {start}[run]\nuntil = \"1 s\"\noutputs = [\"left.angle\"]\n",
        sides[0],
        bar("left", sides[1]),
        bar("right", sides[2]),
    )
}

#[test]
fn bars_in_line_are_told_where_they_close() {
    let scratch = Scratch::new();
    scratch.write("model.toml", triangle(["3 m", "4 m", "5 m"], ""));
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(2).json();
    let error = &answer["errors"][0];
    assert_eq!((&error["code"], &error["line"]), (&"G1212".into(), &4.into()));
    let message = error["message"].as_str().unwrap();
    let told =
        "the mechanism does not close from this start, though it can: body `left` is turned by ";
    assert!(message.starts_with(told) && message.contains("90.0000 deg against its start there"));
    assert!(error["help"].as_str().unwrap().contains("`[start]`"), "{error}");
    // As the help says.
    let start = "[start]\nleft.turn = \"60 deg\"\nright.turn = \"-60 deg\"\n";
    scratch.write("model.toml", triangle(["3 m", "4 m", "5 m"], start));
    scratch.gudgeon(&["check", "model.toml"]).exits(0);
    scratch.write("model.toml", triangle(["3 m", "4 m", "7.5 m"], ""));
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(2).json();
    assert_eq!(
        answer["errors"][0]["message"],
        "the mechanism cannot close: `a` stays open by 500.0000 mm when all the others are closed; \
         its loop also runs through `c`, `b`"
    );
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

/// A rod on an equivalent rigid link with one thing wrong: code, and what the message must name.
#[test]
fn links_without_an_equivalent_rigid_system_are_told_why() {
    let scratch = Scratch::new();
    let rod = |flexible: &str, frame: &str| {
        format!(
            "format = 1\n[model]\nspace = \"planar\"\n[bodies.rod]\n\
             frames = {{ a = \"0, 0\", b = \"1 m, 0\", off = \"0, 0.1 m\" }}\n\
             shape = {{ box = \"20 mm x 10 mm\", from = \"a\", to = \"b\", material = \"steel\" }}\n\
             flexible = {{ method = \"erls\", elements = 2, {flexible} }}\n[joints]\n\
             pivot = {{ type = \"revolute\", between = [\"ground\", \"rod.{frame}\"] }}\n\
             [run]\nuntil = \"1 s\"\noutputs = [\"rod.angle\"]\n"
        )
    };
    for (flexible, frame, code, told) in [
        ("zeroed = [\"to.x\"]", "a", "G1214", "zeroing `to.x` of link `rod`"),
        ("zeroed = [\"to.y\", \"1.y\"]", "a", "G1214", "2 elastic coordinates"),
        ("zeroed = [\"from.y\"]", "a", "G1214", "`from.y` of link `rod`"),
        ("zeroed = []", "a", "G1214", "1 more elastic coordinates"),
    ] {
        scratch.write("model.toml", rod(flexible, frame));
        let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(2).json();
        let error = &answer["errors"][0];
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().unwrap().contains(told), "{error}");
    }
}
