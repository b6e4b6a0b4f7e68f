//! Outputs by formula in the files and on the command line.

use crate::common::{SLIDER_CRANK, Scratch};

/// The slider-crank with formulas; `half` has a value in every other half turn, `never` has none.
fn model() -> String {
    let formulas = "[outputs]\nspecific = \"= pin.contact_force / 1 N\"\n\
        half = \"= sqrt(motor.angle * 0 / 1 rad + sin(motor.angle))\"\n\
        never = \"= 1 / (motor.angle - motor.angle)\"\n\
        pressed = \"= if(pin.contact > 0.5, pin.indentation, 0)\"\n\n[run]\n";
    let text = SLIDER_CRANK.replacen("[run]\n", formulas, 1);
    let list = "outputs = [\"specific\", \"half\", \"never\", \"pressed\", \"pin.contact_force*\"]";
    let start = text.find("outputs = [\"").expect("outputs of the run");
    let end = start + text[start..].find("]").expect("a list") + 1;
    format!("{}{list}{}", &text[..start], &text[end..])
}

#[test]
fn missing_values_are_null_and_empty() {
    let scratch = Scratch::new();
    scratch.write("model.toml", model());
    let flags = ["--until", "1.2 rev", "--measure-from", "0.1 rev", "--ensemble", "2", "--json"];
    let answer =
        scratch.gudgeon(&[&["run", "model.toml", "--out", "out"], &flags[..]].concat()).exits(0);
    let answer = answer.json();
    let extremes = &answer["extremes"];
    assert!(extremes["never"]["max"].is_null() && extremes["never"]["mean"].is_null());
    assert!((extremes["half"]["max"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    let (formula, force) = (&extremes["specific"], &extremes["pin.contact_force"]);
    let [formula, force] = [formula, force].map(|one| one["abs_max"].as_f64().unwrap());
    assert!((formula / force - 1.0).abs() < 1e-6, "{formula} {force}");
    assert!(answer["ensemble"]["extremes"]["half"]["max"]["mean"].is_number(), "{answer}");
    assert!(answer["ensemble"]["extremes"]["never"]["max"]["mean"].is_null());
    let table = String::from_utf8(scratch.read("out/series.csv")).unwrap();
    let head = table.lines().next().unwrap();
    assert!(head.contains("half,never [1/rad],pressed [m]"), "{head}");
    let half = head.split(',').position(|name| name == "half").unwrap();
    let cells: Vec<&str> =
        table.lines().skip(1).map(|line| line.split(',').nth(half).unwrap()).collect();
    let empty = cells.iter().filter(|cell| cell.is_empty()).count();
    assert!(empty > cells.len() / 4 && empty < 3 * cells.len() / 4, "{empty} of {}", cells.len());
    assert!(!table.contains("NaN"));
    let plot = String::from_utf8(scratch.read("out/plot.svg")).unwrap();
    assert!(!plot.contains("NaN"));
}

#[test]
fn baselines_and_certificates_take_formulas() {
    let scratch = Scratch::new();
    scratch.write("model.toml", model());
    let flags = ["--until", "0.3 rev", "--certify", "--json"];
    let answer =
        scratch.gudgeon(&[&["run", "model.toml", "--out", "out"], &flags[..]].concat()).exits(0);
    let answer = answer.json();
    let ideal = &answer["baseline"]["extremes"]["specific"]["abs_max"];
    let force = &answer["baseline"]["extremes"]["pin.contact_force"]["abs_max"];
    let [ideal, force] = [ideal, force].map(|one| one.as_f64().expect("a baseline"));
    assert!((ideal / force - 1.0).abs() < 1e-6, "{ideal} {force}");
    let digits = |name: &str| answer["certificate"]["outputs"][name]["digits"].as_f64();
    assert!(digits("half").is_some_and(|digits| digits > 4.0), "{answer}");
    let text = scratch
        .gudgeon(&["run", "model.toml", "--out", "ideal", "--ideal", "pin", "--until", "0.3 rev"])
        .exits(0);
    drop(text);
}
