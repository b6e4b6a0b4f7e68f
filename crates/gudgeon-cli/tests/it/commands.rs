//! The commands beside `run`, and the help of all.

use crate::common::{IN_LINE, SLIDER_CRANK, Scratch, TILTED, parallel};

#[test]
fn check_shows_pose_mobility_and_outputs() {
    let scratch = Scratch::with_model();
    let text = scratch.gudgeon(&["check", "model.toml"]).exits(0).stdout();
    insta::assert_snapshot!(text);
    let flags = ["check", "model.toml", "--outputs", "--json"];
    let answer = scratch.gudgeon(&flags).exits(0).json();
    assert_eq!(answer["assembly"]["mobility"], 2);
    assert_eq!(answer["assembly"]["ideal_mobility"], 0);
    assert_eq!(answer["pose"][2]["name"], "slider");
    assert!((answer["pose"][2]["x"].as_f64().unwrap() - 0.17).abs() < 1e-9);
    let outputs = answer["outputs"].as_array().unwrap();
    assert!(outputs.iter().any(|o| o["name"] == "pin.contact_force" && o["unit"] == "N"));
    assert_eq!(scratch.entries(), ["model.toml"]);
}

#[test]
fn check_names_redundant_rows() {
    // A second guide repeats what the first one does.
    let guide = "guide        = { type = \"prismatic\", between = [\"ground\", \"slider\"], along = \"x\" }";
    assert!(SLIDER_CRANK.contains(guide));
    let twice = format!("{guide}\n{}", guide.replacen("guide", "rail", 1));
    let scratch = Scratch::new();
    scratch.write("model.toml", SLIDER_CRANK.replace(guide, &twice));
    let text = scratch.gudgeon(&["check", "model.toml"]).exits(0).stdout();
    assert!(text.contains("redundant, following from the others: `rail`"), "{text}");
    assert!(text.contains("not unique: `guide`"), "{text}");
}

#[test]
fn check_shows_spatial_poses_and_tilts() {
    let scratch = Scratch::new();
    scratch.write("model.toml", TILTED);
    let text = scratch.gudgeon(&["check", "model.toml"]).exits(0).stdout();
    insta::assert_snapshot!(text);
    let flags = ["check", "model.toml", "--json", "--outputs"];
    let answer = scratch.gudgeon(&flags).exits(0).json();
    let crank = &answer["pose"][0];
    assert!((crank["turn"]["angle"].as_f64().unwrap().to_degrees() - 60.0).abs() < 1e-9);
    assert!((crank["quaternion"][3].as_f64().unwrap() - 0.5).abs() < 1e-12, "{crank}");
    assert!((answer["tilts"][0]["limit"].as_f64().unwrap() - 0.02).abs() < 1e-15);
    let outputs = answer["outputs"].as_array().unwrap();
    for name in
        ["C.V.eccentricity_angle", "C.misalignment", "A.local_reaction.z", "crank.b.orientation.w"]
    {
        assert!(outputs.iter().any(|output| output["name"] == name), "{name}");
    }
}

#[test]
fn check_names_what_is_redundant_in_space() {
    let scratch = Scratch::new();
    scratch.write("model.toml", parallel());
    let text = scratch.gudgeon(&["check", "model.toml"]).exits(0).stdout();
    assert!(
        text.contains("redundant, following from the others: `C` (z, tilt about x, tilt about y)"),
        "{text}"
    );
    let torques = "(reaction.z, reaction_torque.x, reaction_torque.y)";
    assert!(text.contains(&format!("reactions that are not unique: `A` {torques}, `B` {torques}")));
}

#[test]
fn a_singular_start_is_refused_and_names_its_joints() {
    let scratch = Scratch::new();
    scratch.write("model.toml", IN_LINE);
    for command in ["check", "run"] {
        let answer = scratch.gudgeon(&[command, "model.toml", "--json"]).exits(2).json();
        let error = &answer["errors"][0];
        assert_eq!(error["code"], "G1209", "{answer}");
        assert!(error["message"].as_str().unwrap().contains("`A`, `B`, `C`, `D`"), "{answer}");
    }
}

#[test]
fn models_are_written_by_rule() {
    let scratch = Scratch::new();
    let text = scratch.gudgeon(&["new", "chain", "--links", "5", "--spatial"]).exits(0).stdout();
    assert!(text.contains("gudgeon run chain/model.toml"), "{text}");
    assert!(!scratch.read("chain/README.md").is_empty());
    let answer = scratch.gudgeon(&["check", "chain", "--json"]).exits(0).json();
    assert_eq!(answer["assembly"]["mobility"], 5);
    for flags in [
        &["--links", "0"][..],
        &["--links", "100001"],
        &["--links", "-3"],
        &["--count", "many"],
        &["--links", "3", "--count", "3"],
        &["--links", "3", "--from", "pendulum"],
        &["--count", "3", "--from", "chain"],
    ] {
        scratch.gudgeon(&[&["new", "wrong"], flags].concat()).exits(2);
    }
    assert_eq!(scratch.entries(), ["chain"]);
    // Long lists are cut short for readers, not for scripts.
    scratch.gudgeon(&["new", "long", "--links", "100"]).exits(0);
    let text = scratch.gudgeon(&["check", "long"]).exits(0).stdout();
    assert!(text.contains("… and 76 more") && text.contains("… and 52 more, all with --json"));
    let answer = scratch.gudgeon(&["check", "long", "--json"]).exits(0).json();
    assert_eq!(answer["pose"].as_array().unwrap().len(), 100);
}

#[test]
fn two_four_bars_meet_the_benchmark() {
    // IFToMM library of computational benchmarks, N-four-bar, N = 2, first upper joint at 10 s.
    let scratch = Scratch::new();
    scratch.gudgeon(&["new", "bars", "--count", "2"]).exits(0);
    let answer = scratch.gudgeon(&["run", "bars", "--json"]).exits(0).json();
    for (output, value) in [
        ("post0.top.position.x", 0.3284581112),
        ("post0.top.position.y", 0.9445185383),
        ("post0.top.velocity.x", 1.423051470),
        ("post0.top.velocity.y", -0.494868845),
    ] {
        let found = answer["final"][output].as_f64().unwrap();
        assert!((found - value).abs() < 1e-5, "{output}: {found}");
    }
}

#[test]
fn new_makes_a_model_that_runs() {
    let scratch = Scratch::new();
    let text = scratch.gudgeon(&["new", "my_crank"]).exits(0).stdout();
    assert!(text.contains("gudgeon run my_crank/model.toml"), "{text}");
    assert_eq!(scratch.read("my_crank/model.toml"), SLIDER_CRANK.as_bytes());
    assert!(!scratch.read("my_crank/README.md").is_empty());
    let flags = [&["run", "my_crank"], &crate::common::SHORT[..]].concat();
    scratch.gudgeon(&flags).exits(0);
    assert_eq!(scratch.json("results/my_crank/run.json")["status"], "ok");
    scratch.write("my_crank/model.toml", "mine");
    scratch.gudgeon(&["new", "my_crank"]).exits(2);
    assert_eq!(scratch.read("my_crank/model.toml"), b"mine");
    scratch.gudgeon(&["new", "other", "--from", "slider_crnk"]).exits(2);
}

#[test]
fn every_shipped_model_can_be_copied_and_checked() {
    let scratch = Scratch::new();
    let list = scratch.gudgeon(&["new", "--list"]).exits(0).stdout();
    for shipped in gudgeon_model::shipped::SHIPPED {
        assert!(list.contains(shipped.name));
        scratch.gudgeon(&["new", shipped.name, "--from", shipped.name]).exits(0);
        scratch.gudgeon(&["check", shipped.name]).exits(0);
    }
}

#[test]
fn every_shipped_study_can_be_copied() {
    let scratch = Scratch::new();
    let list = scratch.gudgeon(&["new", "--list"]).exits(0).stdout();
    for study in gudgeon_study::shipped::studies() {
        assert!(list.contains(study.folder.name), "{list}");
        let text = scratch.gudgeon(&["new", study.name, "--from", study.name]).exits(0).stdout();
        let run = format!("gudgeon study {}/{}", study.name, study.file);
        assert!(text.contains(&run), "{text}");
        for (file, text) in study.folder.files {
            assert_eq!(scratch.read(&format!("{}/{file}", study.name)), text.as_bytes());
        }
    }
}

#[test]
fn a_shipped_study_runs_by_its_name() {
    let scratch = Scratch::new();
    scratch.gudgeon(&["study", "branin_ego"]).exits(0);
    let record = scratch.json("results/branin_ego/study.json");
    let best = record["optimum"]["points"][0]["simulated"]["branin"].as_f64().unwrap();
    assert!((best - 0.397887).abs() < 1e-3, "{best}");
    let wrong = scratch.gudgeon(&["study", "branin_eg"]).exits(2).stderr();
    assert!(wrong.contains("did you mean the shipped study `branin_ego`?"), "{wrong}");
}

#[test]
#[ignore = "slow: all shipped studies, some minutes"]
fn every_shipped_study_runs() {
    let scratch = Scratch::new();
    for study in gudgeon_study::shipped::studies() {
        scratch.gudgeon(&["study", study.name]).exits(0);
        assert_eq!(scratch.json(&format!("results/{}/study.json", study.name))["status"], "ok");
    }
}

#[test]
fn schema_and_completions_are_printed() {
    let scratch = Scratch::new();
    let schema = scratch.gudgeon(&["schema"]).exits(0).json();
    assert_eq!(schema["type"], "object");
    let study = scratch.gudgeon(&["schema", "--study"]).exits(0).json();
    assert_eq!(study["title"], "Gudgeon study");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = scratch.gudgeon(&["completions", shell]).exits(0).stdout();
        assert!(script.contains("measure-from"), "{shell}");
    }
}

#[test]
fn help_is_short_and_has_examples() {
    let scratch = Scratch::new();
    for command in [
        "",
        "run",
        "check",
        "new",
        "reproduce",
        "study",
        "compare",
        "plot",
        "schema",
        "completions",
    ] {
        let arguments: Vec<&str> =
            [command, "--help"].into_iter().filter(|a| !a.is_empty()).collect();
        let text = scratch.gudgeon(&arguments).exits(0).stdout();
        assert!(text.contains("Example"), "{text}");
        insta::assert_snapshot!(format!("help_{command}"), text);
    }
    assert!(scratch.gudgeon(&["--version"]).exits(0).stdout().starts_with("gudgeon 0."));
    scratch.gudgeon(&[]).exits(2);
    scratch.gudgeon(&["runn"]).exits(2);
}
