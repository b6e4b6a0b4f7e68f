//! The pictures that a study promises, and studies with hardly anything to draw.

use crate::common::Scratch;

const HEAD: &str = r#"
format = 1
[study]
name = "small"
model = "slider_crank"
[run]
until = "0.4 rev"
measure_from = "0.1 rev"
"#;

/// Runs a study into `out` and gives the pictures that its record lists, all of them checked.
fn drawn(scratch: &Scratch, text: &str, flags: &[&str]) -> Vec<String> {
    scratch.write("small.study.toml", format!("{HEAD}{text}"));
    let command = [&["study", "small.study.toml", "--out", "out"], flags].concat();
    scratch.gudgeon(&command).exits(0);
    let record = scratch.json("out/study.json");
    let listed = record["plots"].as_array().unwrap().iter();
    let names: Vec<String> = listed.map(|name| name.as_str().unwrap().to_owned()).collect();
    for name in &names {
        let svg = String::from_utf8(scratch.read(&format!("out/{name}"))).unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{name}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        assert!(svg.len() < 400_000, "{name}: {}", svg.len());
    }
    names.iter().map(|name| name.replace("plots/", "").replace(".svg", "")).collect()
}

const FITTED: &str = r#"
[variables]
clearance   = { from = "0.05 mm", to = "0.3 mm", scale = "log" }
restitution = { from = 0.7, to = 0.95 }
mass        = { from = "0.2 kg", to = "0.3 kg", path = "bodies.rod.mass" }
[design]
method = "lhs"
samples = 12
[responses]
acceleration = "abs_max(slider.acceleration.x)"
hits = "count(pin.impacts)"
[surrogate]
of = ["acceleration"]
log = ["acceleration"]
[optimise]
minimise = ["acceleration"]
evaluations = 500
[sensitivity]
methods = ["sobol", "morris"]
samples = 64
"#;

#[test]
fn a_study_with_everything_to_see() {
    let scratch = Scratch::new();
    let plots = "[plots]\nsurfaces = [[\"clearance\", \"mass\"], [\"clearance\", \"restitution\"]]\n\
                 slices = [{ clearance = \"0.1 mm\" }, { mass = \"0.25 kg\" }]\n";
    let names = drawn(&scratch, &format!("{FITTED}{plots}"), &[]);
    let expected = [
        // the slice of clearance leaves no pair free, the other one the second pair
        "surface_acceleration_restitution_mass_clearance_0.1mm",
        "surface_acceleration_clearance_restitution_mass_0.25kg",
        "surface_acceleration_clearance_mass",
        "convergence",
        "effects_acceleration",
        "samples_hits",
        "design",
        "parity",
        "sobol",
        "morris",
    ];
    assert_eq!(names, expected);
    let read = |name: &str| {
        let svg = scratch.read(&format!("out/plots/{name}.svg"));
        String::from_utf8(svg).unwrap()
    };
    let slice = read(expected[0]);
    assert!(slice.contains("Kriging of 12 samples · at clearance 0.1 mm"));
    assert!(slice.contains(">mass [kg]<") && slice.contains(">restitution<"));
    assert!(read(expected[2]).contains("restitution 0.825 (the middle)"));
    let parity = read("parity");
    assert!(parity.contains("Q² ") && parity.contains("RMSE ") && parity.contains("leave-one-out"));
    let effects = read("effects_acceleration");
    assert!(effects.contains("through the optimum: clearance "));
    assert!(effects.contains(">clearance [mm]<"));
}

#[test]
fn pictures_follow_the_study_when_it_is_resumed() {
    let scratch = Scratch::new();
    let plots = "[plots]\nsurfaces = [[\"clearance\", \"mass\"]]\n";
    let names = drawn(&scratch, &format!("{FITTED}{plots}"), &[]);
    assert_eq!(names[0], "surface_acceleration_clearance_mass");
    scratch.write("out/plots/mine.svg", "mine");
    let other = plots.replace("mass", "restitution");
    let names = drawn(&scratch, &format!("{FITTED}{other}"), &["--resume"]);
    assert_eq!(names[0], "surface_acceleration_clearance_restitution");
    let gone = scratch.path.join("out/plots/surface_acceleration_clearance_mass.svg");
    assert!(!gone.exists(), "the picture of the former study is still there");
    assert_eq!(scratch.read("out/plots/mine.svg"), b"mine");
    assert!(drawn(&scratch, &format!("{FITTED}{other}"), &["--resume", "--no-plots"]).is_empty());
}

#[test]
fn the_same_study_gives_the_same_pictures() {
    let scratch = Scratch::new();
    scratch.write("small.study.toml", format!("{HEAD}{FITTED}"));
    for jobs in ["1", "2"] {
        let flags = ["study", "small.study.toml", "--jobs", jobs, "--out", jobs];
        scratch.gudgeon(&flags).exits(0);
    }
    let names = scratch.json("1/study.json")["plots"].clone();
    assert!(names.as_array().unwrap().len() > 6);
    for name in names.as_array().unwrap() {
        let [one, two] =
            ["1", "2"].map(|out| scratch.read(&format!("{out}/{}", name.as_str().unwrap())));
        assert!(one == two, "{name}");
    }
}

#[test]
fn a_sweep_with_histories_and_periods() {
    let scratch = Scratch::new();
    let text = r#"
[variables]
speed = { from = "2000 rpm", to = "5000 rpm" }
[responses]
acceleration = "abs_max(slider.acceleration.x)"
[sweep]
variable = "speed"
points = 4
histories = ["2000 rpm", "4000 rpm"]
outputs = ["slider.velocity.x", "pin.contact_force"]
bifurcation = "slider.velocity.x"
every = "0.1 rev"
"#;
    assert_eq!(drawn(&scratch, text, &[]), ["sweep", "histories", "bifurcation"]);
    let histories = String::from_utf8(scratch.read("out/plots/histories.svg")).unwrap();
    for word in [">2000 rpm<", ">4000 rpm<", ">revolutions<", "slider.velocity.x [m/s]"] {
        assert!(histories.contains(word), "{word}");
    }
    let by_time = text.replace("bifurcation =", "show = \"5 ms\"\nbifurcation =");
    let other = Scratch::new();
    drawn(&other, &by_time, &[]);
    let histories = String::from_utf8(other.read("out/plots/histories.svg")).unwrap();
    assert!(histories.contains(">time [ms]<"));
    assert!(!scratch.path.join("out/samples.csv").exists(), "there are no samples");
    let text = scratch.gudgeon(&["study", "small.study.toml", "--out", "again"]).exits(0).stdout();
    assert!(text.contains("plot     again/plots/sweep.svg"), "{text}");
}

#[test]
fn tolerances_are_shown_as_histograms() {
    let scratch = Scratch::new();
    let text = r#"
[variables]
clearance = { normal = "0.1 mm", std = "0.01 mm" }
law = { choice = ["hertz", "flores"], path = "joints.pin.clearance.contact.law" }
[design]
method = "monte-carlo"
samples = 20
[responses]
force = "abs_max(pin.contact_force)"
"#;
    assert_eq!(drawn(&scratch, text, &[]), ["histograms", "samples_force", "design"]);
    let svg = String::from_utf8(scratch.read("out/plots/samples_force.svg")).unwrap();
    assert!(svg.contains(">hertz<") && svg.contains(">flores<"));
}

#[test]
fn a_front_has_its_picture() {
    let scratch = Scratch::new();
    let text = FITTED
        .replace("of = [\"acceleration\"]", "")
        .replace("minimise = [\"acceleration\"]", "minimise = [\"acceleration\", \"hits\"]")
        .replace("evaluations = 500", "evaluations = 300\nsubject_to = [\"hits < 2\"]");
    let text = &text[..text.find("[sensitivity]").unwrap()];
    let names = drawn(&scratch, text, &[]);
    assert!(names.contains(&"pareto".to_owned()), "{names:?}");
    assert!(!names.contains(&"convergence".to_owned()), "{names:?}");
    // three variables and nothing said: all pairs of both responses
    assert_eq!(names.iter().filter(|name| name.starts_with("surface")).count(), 6);
}

#[test]
fn few_and_equal_values_are_no_trouble() {
    let moving = "abs_max(slider.acceleration.x)";
    let still = "final(slider.angle)";
    let surrogate = "[surrogate]\nnugget = false\n";
    for (samples, response, more) in
        [(1, moving, ""), (5, still, ""), (2, moving, surrogate), (5, still, surrogate)]
    {
        let scratch = Scratch::new();
        let text = format!(
            "[variables]\nclearance = {{ from = \"0.05 mm\", to = \"0.3 mm\" }}\n\
             [design]\nmethod = \"lhs\"\nsamples = {samples}\n\
             [responses]\na_response_whose_name_is_too_long_for_a_picture_of_any_size_at_all = \
             \"{response}\"\n{more}"
        );
        let names = drawn(&scratch, &text, &[]);
        let one = names[0].split_once('_').map(|(kind, _)| kind);
        assert!(matches!(one, Some("samples" | "effects")), "{names:?}");
    }
}
