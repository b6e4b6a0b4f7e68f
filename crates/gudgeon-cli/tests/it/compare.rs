//! `gudgeon compare` as a user meets it: what is compared, what is left out and why, table, picture, JSON.

use crate::common::Scratch;

#[test]
fn formulations_of_a_slender_rod_agree() {
    let scratch = Scratch::new();
    let words = "rigid,ancf,rfem,ked,erls,floating";
    let flags = ["compare", "flexible_rod", "--methods", words, "--until", "50 ms"];
    let text = scratch.gudgeon(&flags).exits(0).stdout();
    for part in ["theory", "stiffening", "no difference of results is unexplained"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("left out:"), "{text}");
    let answer = scratch.gudgeon(&[&flags[..], &["--json"]].concat()).exits(0).json();
    let variants = answer["variants"].as_array().unwrap();
    let names: Vec<&str> = variants.iter().map(|v| v["name"].as_str().unwrap()).collect();
    assert_eq!(names.join(","), words);
    let largest = |i: usize, output: &str| variants[i]["extremes"][output]["abs_max"].as_f64();
    assert!(variants.iter().all(|v| v["cpu_seconds"].as_f64().unwrap() > 0.0));
    // A rod that stays rigid has no deflection; the others have the same but for their division and, with ked, the
    // motion that does not feel the vibration.
    assert_eq!(largest(0, "rod.middle.deflection.y"), None);
    let ancf = largest(1, "rod.middle.deflection.y").unwrap();
    for (i, tolerance) in [(2, 0.03), (3, 0.03), (4, 0.03), (5, 0.03)] {
        let found = largest(i, "rod.middle.deflection.y").unwrap();
        assert!((found / ancf - 1.0).abs() < tolerance, "{i}: {found} beside {ancf}");
    }
    let record = scratch.json("results/flexible_rod-compare/run.json");
    assert_eq!(record["by"], "method");
    let table =
        String::from_utf8(scratch.read("results/flexible_rod-compare/compare.csv")).unwrap();
    assert!(table.lines().count() > 15 && table.starts_with("variant,output,unit,abs_max"));
    let picture =
        String::from_utf8(scratch.read("results/flexible_rod-compare/compare.svg")).unwrap();
    assert!(picture.contains("rod.middle.stress"));
}

/// With play in the pin links do not vibrate about a given motion; they do everything else, as with an ideal pin.
#[test]
fn what_a_model_cannot_take_is_left_out_by_name() {
    let scratch = Scratch::new();
    let words = "rigid,ancf,rfem,erls,floating,ked";
    let flags = ["compare", "flexible_slider_crank", "--methods", words, "--until", "5 ms"];
    let text = scratch.gudgeon(&flags).exits(0).stdout();
    assert!(text.contains("`ked` is left out: links cannot vibrate about this motion"), "{text}");
    let answer = scratch.gudgeon(&[&flags[..], &["--json"]].concat()).exits(0).json();
    let variants = answer["variants"].as_array().unwrap();
    assert_eq!(variants[5]["status"], "invalid");
    assert!(variants[5]["error"].as_str().unwrap().contains("clearance"));
    let force =
        |i: usize| variants[i]["extremes"]["pin.contact_force"]["abs_max"].as_f64().unwrap();
    // Impacts of rods with the same elements in other frames.
    assert!((force(3) / force(4) - 1.0).abs() < 0.01, "{} {}", force(3), force(4));
    let flags = [&flags[..], &["--ideal", "pin", "--json"]].concat();
    let answer = scratch.gudgeon(&flags).exits(0).json();
    let variants = answer["variants"].as_array().unwrap();
    assert!(variants.iter().all(|variant| variant["status"] == "ok"), "{answer}");
}

#[test]
fn each_refines_its_own_mesh() {
    let scratch = Scratch::new();
    let flags = [
        "compare",
        "flexible_rod",
        "--methods",
        "rfem,ked",
        "--until",
        "20 ms",
        "--converge",
        "2%",
    ];
    let flags =
        [&flags[..], &["--outputs", "rod.middle.deflection.y", "--only", "summary", "--json"]]
            .concat();
    let answer = scratch.gudgeon(&flags).exits(0).json();
    for variant in answer["variants"].as_array().unwrap() {
        assert_eq!(variant["converged"], true, "{answer}");
        assert!(variant["elements"]["rod"].as_u64().unwrap() >= 16);
    }
    // What is left is theory: one rod does not stretch, the motion of the other does not feel it.
    assert!(answer["spread"]["rod.middle.deflection.y"].as_f64().unwrap() < 0.05);
}

#[test]
fn coordinates_and_laws_are_compared_by_the_same_command() {
    let scratch = Scratch::new();
    let flags = [
        "compare",
        "spatial_four_bar",
        "--coordinates",
        "absolute,natural,joint",
        "--only",
        "summary",
    ];
    let answer = scratch.gudgeon(&[&flags[..], &["--json"]].concat()).exits(0).json();
    // The same motion in other numbers.
    assert_eq!(answer["theory"].as_array().unwrap().len(), 0);
    let torque = |i: usize| {
        assert_eq!(answer["variants"][i]["status"], "ok");
        answer["variants"][i]["extremes"]["motor.torque"]["abs_max"].as_f64().unwrap()
    };
    assert!((1..3).all(|i| (torque(i) / torque(0) - 1.0).abs() < 1e-7), "{answer}");
    let flags = [
        "compare",
        "slider_crank",
        "--laws",
        "hertz,flores",
        "--until",
        "5 ms",
        "--measure-from",
        "0 s",
        "--only",
        "summary",
    ];
    let text = scratch.gudgeon(&flags).exits(0).stdout();
    assert!(text.contains("contact law"), "{text}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_way_out() {
    let scratch = Scratch::new();
    for (flags, code) in [
        (vec!["compare", "flexible_rod", "--methods", "ancf"], "G1502"),
        (vec!["compare", "flexible_rod", "--methods", "ancf,kedd"], "G1502"),
        (vec!["compare", "pendulum", "--methods", "ancf,ked"], "G1502"),
        (vec!["compare", "pendulum", "--films", "short,long"], "G1502"),
        (vec!["compare", "two_groove_bearing", "--films", "short,long"], "G1501"),
    ] {
        let text = scratch.gudgeon(&flags).exits(2).stderr();
        assert!(text.contains(code) && text.contains("help"), "{text}");
    }
}
