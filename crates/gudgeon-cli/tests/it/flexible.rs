//! What runs answer about links that bend.

use crate::common::Scratch;

/// A clamped beam in the plane, 0.5 m long and 10 mm square, with a force on its tip from the start.
const BEAM: &str = r#"
format = 1
[parameters]
along = "0 N"
across = "-1 N"
[bodies.beam]
frames.clamp = "0, 0"
frames.root = { along = 0 }
frames.tip = "0.5 m, 0"
shape = { box = "10 mm x 10 mm", from = "clamp", to = "tip", density = "2700 kg/m^3" }
section = { young = "6.9 GPa", poisson = 0 }
flexible = { method = "ancf", elements = 4 }
[joints]
clamp = { type = "fixed", between = ["ground", "beam.clamp"] }
[forces.load]
type = "force"
on = "beam.tip"
force = "=along, =across"
[run]
until = "40 ms"
method = "generalized-alpha"
step = "0.1 ms"
every = "1 ms"
outputs = ["beam.root.stress", "beam.tip.position.x", "beam.tip.position.y", "beam.largest_stress", "beam.largest_deflection"]
"#;

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn extremes_have_place_and_time() {
    let scratch = Scratch::new();
    scratch.write("model.toml", BEAM);
    let answer = scratch.gudgeon(&["run", "model.toml", "--json", "--out", "out"]).exits(0).json();
    let beam = &answer["flexible"]["beam"];
    // A cantilever bears most at its clamp, and bends away from its chord between both ends.
    let stress = &beam["stress"];
    assert!(number(&stress["along"]) < 0.13, "{stress}");
    let deflection = &beam["deflection"];
    let along = number(&deflection["along"]);
    assert!(along > 0.2 && along < 0.8, "{deflection}");
    assert_eq!(number(&deflection["distance"]), 0.5 * along);
    for (key, output) in
        [("stress", "beam.largest_stress"), ("deflection", "beam.largest_deflection")]
    {
        let (peak, located) = (&beam[key], &answer["extremes"][output]);
        // At ends of steps: not above what is located, and near it where steps are fine.
        let (value, most) = (number(&peak["value"]).abs(), number(&located["max"]));
        assert!(value <= most * (1.0 + 1e-12) && value > 0.98 * most, "{key}: {value} of {most}");
        let off = number(&peak["t"]) - number(&located["t_max"]);
        assert!(off.abs() < 2e-4, "{key}: {off} s off");
    }
    assert!(number(&beam["compression"]["value"]) < 0.0);
    assert!(number(&beam["tension"]["value"]) >= 0.0);
    assert_eq!(scratch.json("out/run.json")["flexible"], answer["flexible"]);
    let text = scratch.gudgeon(&["run", "model.toml", "--out", "out"]).exits(0).stdout();
    assert!(text.contains("beam: stress up to "), "{text}");
    assert!(text.contains(" per step"), "{text}");
    // A model without such links says nothing of them.
    let rigid = Scratch::with_model().run(&["--json", "--no-baseline"]).exits(0).json();
    assert!(rigid.get("flexible").is_none());
}

#[test]
fn lines_are_a_table() {
    let scratch = Scratch::new();
    scratch.write("model.toml", BEAM);
    scratch.gudgeon(&["run", "model.toml", "--out", "out"]).exits(0);
    let files = scratch.json("out/run.json")["files"].clone();
    assert!(files.as_array().unwrap().iter().any(|name| name == "lines.csv"), "{files}");
    let read = |name: &str| String::from_utf8(scratch.read(name)).unwrap();
    let (lines, series) = (read("out/lines.csv"), read("out/series.csv"));
    let mut lines = lines.lines();
    assert_eq!(lines.next(), Some("body,t [s],along,x [m],y [m],z [m],q_w,q_x,q_y,q_z"));
    let cells =
        |line: &str| -> Vec<f64> { line.split(',').filter_map(|cell| cell.parse().ok()).collect() };
    let lines: Vec<Vec<f64>> = lines.map(cells).collect();
    let rows: Vec<Vec<f64>> = series.lines().skip(1).map(cells).collect();
    // Ends and middles of four elements at every tenth of 41 rows.
    assert_eq!((rows.len(), lines.len()), (41, 5 * 9));
    for (line, row) in lines.chunks(9).zip(rows.iter().step_by(10)) {
        let (clamp, tip) = (&line[0], &line[8]);
        assert_eq!((clamp[0], clamp[1], tip[1]), (row[0], 0.0, 1.0));
        assert!(clamp[2].hypot(clamp[3]) < 1e-12, "{clamp:?}");
        // The tip is where the outputs see it.
        assert!(
            (tip[2] - row[2]).abs() < 1e-12 && (tip[3] - row[3]).abs() < 1e-12,
            "{tip:?} {row:?}"
        );
        for point in line {
            let length: f64 = point[5..].iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-12, "{point:?}");
        }
    }
    // The tip has turned down.
    assert!(lines.last().unwrap()[8] < -1e-3);
}

#[test]
fn strong_strains_are_told_with_place_and_time() {
    let scratch = Scratch::new();
    scratch.write("model.toml", BEAM);
    let run = |along: &str| {
        let set = format!("along={along}");
        let flags = ["run", "model.toml", "--json", "--set", &set, "--set", "across=0 N"];
        let more = ["--until", "2 ms", "--set", "run.step=10 us"];
        scratch.gudgeon(&[&flags[..], &more].concat()).json()
    };
    let codes = |answer: &serde_json::Value| -> Vec<String> {
        let all = answer["warnings"].as_array().unwrap().iter();
        all.map(|w| w["code"].as_str().unwrap_or("").to_owned()).collect()
    };
    // EA = 690 kN; a sudden load strains twice as much as a slow one.
    let answer = run("-45 kN");
    assert!(codes(&answer).contains(&"W0331".to_owned()), "{answer}");
    let warning = answer["warnings"].as_array().unwrap().iter().find(|w| w["code"] == "W0331");
    let warning = warning.unwrap();
    assert_eq!(warning["joint"], "beam");
    let message = warning["message"].as_str().unwrap();
    assert!(message.contains("t = 0.00") && message.contains(" m along the link"), "{message}");
    assert!(!codes(&run("-2 kN")).contains(&"W0331".to_owned()));
    assert!(!codes(&run("20 kN")).contains(&"W0331".to_owned()));
    assert!(!codes(&run("45 kN")).contains(&"W0331".to_owned()));
    // No linear law holds for strong tension, either.
    let answer = run("90 kN");
    assert!(codes(&answer).contains(&"W0331".to_owned()), "{answer}");
    assert!(answer["warnings"].to_string().contains("above 0.2"), "{answer}");
}

#[test]
fn an_ideal_bearing_that_is_left_is_told() {
    let model = |length: &str, step: &str| {
        format!(
            "format = 1\n[model]\nspace = \"spatial\"\ngravity = \"9.81 m/s^2 along -z\"\n\
             [bodies.pin]\nmass = \"1 kg\"\ninertia = \"1e-3 kg m^2, 1e-3 kg m^2, 1e-3 kg m^2\"\n\
             [joints.bore]\ntype = \"cylindrical\"\nbetween = [\"ground\", \"pin\"]\n{length}\n\
             [run]\nuntil = \"100 ms\"\nmethod = \"rk4\"\nstep = \"{step}\"\noutputs = [\"pin.position.z\"]\n"
        )
    };
    let warnings = |length: &str, step: &str| {
        let scratch = Scratch::new();
        scratch.write("model.toml", model(length, step));
        let answer = scratch.gudgeon(&["run", "model.toml", "--json"]).exits(0).json();
        answer["warnings"].as_array().unwrap().clone()
    };
    // ½ g t² = 10 mm at 45.15236 ms, whatever the steps.
    for step in ["1 ms", "20 ms"] {
        let told = warnings("length = \"20 mm\"", step);
        assert_eq!((told.len(), &told[0]["code"]), (1, &"W0310".into()), "{told:?}");
        assert!(told[0]["message"].as_str().unwrap().contains("t = 0.045152"), "{told:?}");
    }
    assert!(warnings("length = \"100 mm\"", "1 ms").is_empty() && warnings("", "1 ms").is_empty());
}

#[test]
fn check_tells_how_links_are_divided() {
    let scratch = Scratch::new();
    scratch.write("model.toml", BEAM);
    let text = scratch.gudgeon(&["check", "model.toml"]).exits(0).stdout();
    assert!(text.contains("`beam` bends: ancf beam, line, 4 elements, 30 coordinates"), "{text}");
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(0).json();
    let link = &answer["flexible"][0];
    assert_eq!((&link["elements"], &link["coordinates"]), (&4.into(), &30.into()));
    assert!((number(&link["mass"]) - 0.135).abs() < 1e-12, "{link}");
}

#[test]
fn rigid_elements_are_one_body_to_their_user() {
    let scratch = Scratch::new();
    scratch.write("model.toml", BEAM);
    let rfem = "bodies.beam.flexible.method=rfem";
    let text = scratch.gudgeon(&["check", "model.toml", "--set", rfem]).exits(0).stdout();
    let division = "`beam` bends: rfem, 4 rigid elements, springs between them, 12 coordinates";
    assert!(text.contains(division) && text.contains("rad/s in bending"), "{text}");
    let one = "bodies.beam.flexible.elements=1";
    let flags = ["check", "model.toml", "--set", rfem, "--set", one];
    let text = scratch.gudgeon(&flags).exits(0).stdout();
    assert!(text.contains("`beam` is rigid: rfem, 1 rigid element, 3 coordinates"), "{text}");
    let flags = ["check", "model.toml", "--set", rfem, "--json", "--outputs"];
    let answer = scratch.gudgeon(&flags).exits(0).json();
    assert_eq!((&answer["model"]["bodies"], &answer["model"]["forces"]), (&1.into(), &1.into()));
    assert_eq!(answer["pose"].as_array().unwrap().len(), 1);
    assert!(!answer.to_string().contains("sde") && !answer.to_string().contains("rfe1"));
    let flags = ["run", "model.toml", "--set", rfem, "--json"];
    let run = scratch.gudgeon(&flags).exits(0).json();
    assert_eq!(run["flexible"].as_object().unwrap().len(), 1, "{run}");
    assert!(!run.to_string().contains("sde"), "{run}");
}

#[test]
fn studies_measure_stresses() {
    let scratch = Scratch::new();
    scratch.write("model.toml", BEAM);
    scratch.write(
        "load.study.toml",
        "format = 1\n[study]\nmodel = \"model.toml\"\n\
         [variables]\nacross = { from = \"-2 N\", to = \"-1 N\" }\n\
         [design]\nmethod = \"factorial\"\nlevels = 2\n\
         [responses]\nstress = \"max(beam.root.stress)\"\nstored = \"energy(beam.strain)\"\n",
    );
    scratch.gudgeon(&["study", "load.study.toml", "--no-plots"]).exits(0);
    let folder = scratch.entries().into_iter().find(|name| name == "results").expect("results");
    let table = scratch.read(&format!("{folder}/load/samples.csv"));
    let table = String::from_utf8(table).unwrap();
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').filter_map(|cell| cell.parse().ok()).collect())
        .collect();
    println!("{table}");
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row.iter().any(|x| *x > 1e6)), "{table}");
}

/// The default of 1e-9 let steps follow modes of sections: 145 000 of them for 20 ms of a swinging rod, whose
/// motion agreed to four digits with that of 340 steps; pins with clearance failed at rounding.
#[test]
fn own_steps_do_not_follow_modes_of_sections_by_default() {
    let scratch = Scratch::new();
    scratch.write("model.toml", BEAM);
    let run = |flags: &[&str]| {
        let all = [&["run", "model.toml", "--json", "--until", "5 ms"], flags].concat();
        scratch.gudgeon(&all).exits(0).json()
    };
    let solver = |answer: &serde_json::Value, key: &str| number(&answer["solver"][key]);
    let radau = BEAM.replace("method = \"generalized-alpha\"\nstep = \"0.1 ms\"\n", "");
    assert_eq!(solver(&run(&[]), "rtol"), 1e-9, "each fixed step is solved well");
    scratch.write("model.toml", &radau);
    let answer = run(&[]);
    assert_eq!(solver(&answer, "rtol"), 1e-5);
    assert_eq!(solver(&run(&["--rtol", "1e-4"]), "rtol"), 1e-4, "what is given holds");
    // The motion is that of the tolerance of rigid bodies: ten times the tolerance, of the largest value.
    let tight = run(&["--rtol", "1e-9"]);
    let [few, many] = [&answer, &tight].map(|answer| solver(answer, "steps"));
    assert!(5.0 * few < many, "{few} and {many} steps");
    let tip = |answer| {
        number(&serde_json::Value::clone(answer)["extremes"]["beam.tip.position.y"]["abs_max"])
    };
    let [loose, tight] = [&answer, &tight].map(tip);
    assert!((loose - tight).abs() < 1e-4 * tight, "{loose} and {tight}");
}

#[test]
fn strong_compression_is_told_at_rest() {
    let scratch = Scratch::new();
    let held = BEAM.replace(
        "[forces.load]",
        "guide = { type = \"prismatic\", between = [\"ground\", \"beam.tip\"] }\n[forces.load]",
    );
    let at_rest = held
        .replace("method = \"generalized-alpha\"\nstep = \"0.1 ms\"\n", "analysis = \"static\"\n")
        .replace("until = \"40 ms\"\n", "")
        .replace("every = \"1 ms\"\n", "");
    scratch.write("model.toml", &at_rest);
    let told = |flags: &[&str]| {
        let all = [&["run", "model.toml", "--json", "--set", "across=0 N"], flags].concat();
        let answer = scratch.gudgeon(&all).json();
        let warnings = answer["warnings"].as_array().unwrap().clone();
        let found = warnings.into_iter().find(|warning| warning["code"] == "W0331");
        found.map(|warning| warning["message"].as_str().unwrap().to_owned())
    };
    // EA = 690 kN: F = EA E √(1 + 2E) is 62 kN at E = −0.1.
    let message = told(&["--set", "along=-66 kN"]).unwrap();
    assert!(message.contains("at rest") && message.contains(" m along the link"), "{message}");
    assert_eq!(told(&["--set", "along=-50 kN"]), None);
    let vary = "run.vary={ along = { from = \"-70 kN\", to = \"0 N\", points = 8 } }";
    let message = told(&["--set", vary]).unwrap();
    assert!(message.contains("at rest where the value varied is -7.000000e4 (SI)"), "{message}");
}

/// Links were left out: a cantilever was held by nothing, and one on a bushing by the bushing alone.
#[test]
fn modes_are_held_by_links_that_bend() {
    let scratch = Scratch::new();
    let modal = BEAM
        .replace("method = \"generalized-alpha\"\nstep = \"0.1 ms\"\n", "analysis = \"modal\"\n")
        .replace("until = \"40 ms\"\n", "")
        .replace("every = \"1 ms\"\n", "");
    let share = |model: &str, of: &str| {
        scratch.write("model.toml", model);
        let answer = scratch.gudgeon(&["run", "model.toml", "--json"]).exits(0).json();
        answer["modes"][0]["strain"][of].as_f64().unwrap_or(0.0)
    };
    // A load of 1 N leaves next to nothing to reactions that turn.
    assert!(share(&modal, "beam") > 0.95);
    let soft = modal.replace(
        "[joints]\nclamp = { type = \"fixed\", between = [\"ground\", \"beam.clamp\"] }\n",
        "[forces.b]\ntype = \"bushing\"\nbetween = [\"ground\", \"beam.clamp\"]\nstiffness = \"1e6 N/m, 1e6 N/m\"\ntorsion_stiffness = \"11.5 N m/rad\"\n",
    );
    // The beam bends by 3 EI/L = 34.5 N m per rad of its tip: three quarters of the softness are the bushing's.
    let (beam, bushing) = (share(&soft, "beam"), share(&soft, "b"));
    assert!((0.1..0.4).contains(&beam) && (0.6..0.9).contains(&bushing), "{beam} and {bushing}");
}
