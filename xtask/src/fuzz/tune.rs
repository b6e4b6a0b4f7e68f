//! Inputs for running: shipped models with other values, units, laws, joints and motions, most of
//! them still valid.

use gudgeon::random::Random;

use super::bases::{Bases, pick, word};
use super::case::{Case, Kind};
use super::{grammar, places};

pub fn case(bases: &Bases, random: &mut Random) -> Case {
    let mut text = pick(&bases.shipped, random).clone();
    for _ in 0..1 + random.below(4) {
        tune(&mut text, bases, random);
    }
    Case { kind: Kind::Model, text }
}

fn tune(text: &mut String, bases: &Bases, random: &mut Random) {
    match random.below(16) {
        0..=5 => scale(text, random),
        6 => extreme(text, random),
        7..=8 => other_word(text, random),
        9 => move_driver(text, random),
        10 => set_key(text, "until", word(DURATIONS, random)),
        11 => set_key(text, "method", word(METHODS, random)),
        12 => set_key(text, "rtol", word(&["1e-3", "1e-6", "1e-12", "1e-2"], random)),
        13 => set_key(
            text,
            "every",
            word(&["\"steps\"", "\"1 us\"", "\"1 s\"", "\"0.1 ms\""], random),
        ),
        14 => drop_line(text, random),
        _ => other_value(text, bases, random),
    }
}

const DURATIONS: &[&str] =
    &["\"5 ms\"", "\"1 s\"", "\"1 ns\"", "\"3 rev\"", "\"0.01 rev\"", "\"1e6 s\"", "\"1 h\""];
const METHODS: &[&str] = &[
    "\"dop853\"",
    "\"dopri5\"",
    "\"radau5\"",
    "\"bdf\"",
    "\"generalized-alpha\"",
    "\"auto\"",
    "{ name = \"rk4\", step = \"1e-4 s\" }",
    "{ name = \"hht\", step = \"1e-3 s\" }",
    "{ name = \"radau5\", step = \"1e-3 s\" }",
    "{ name = \"newmark\", step = \"1e-4 s\" }",
];

/// Words that stand for one another.
const GROUPS: &[&[&str]] = &[
    &[
        "lankarani-nikravesh",
        "hertz",
        "hunt-crossley",
        "flores",
        "gonthier",
        "hu-guo",
        "bai",
        "linear",
    ],
    &["coulomb", "ambrosio", "bengisu-akay", "threlfall", "stribeck"],
    &["revolute", "prismatic", "fixed", "cylindrical", "spherical", "universal", "translational"],
    &["short", "long", "finite", "short-exact"],
    &["mm", "m", "um", "cm", "km"],
    &["kg", "g", "t", "mg"],
    &["rpm", "rad/s", "deg/s"],
    &["deg", "rad", "rev"],
    &["steel", "aluminium", "bronze", "brass", "rubber"],
    &["planar", "spatial"],
    &["x", "y", "z"],
    &["sphere", "cylinder", "tube", "box", "rod", "point"],
];

/// Multiplies a number.
fn scale(text: &mut String, random: &mut Random) {
    let numbers = places::numbers(text);
    let Some(range) = numbers.get(random.below(numbers.len().max(1))).cloned() else { return };
    let Ok(value) = text[range.clone()].parse::<f64>() else { return };
    let factor = match random.below(4) {
        0 => 10f64.powi(random.below(9) as i32 - 4),
        1 => -1.0,
        _ => 0.5 + random.unit(),
    };
    text.replace_range(range, &format!("{}", value * factor));
}

fn extreme(text: &mut String, random: &mut Random) {
    let numbers = places::numbers(text);
    if !numbers.is_empty() {
        let range = pick(&numbers, random).clone();
        text.replace_range(range, word(grammar::NUMBERS, random));
    }
}

/// A word by another one of its group.
fn other_word(text: &mut String, random: &mut Random) {
    let (mut found, bytes) = (Vec::new(), text.as_bytes());
    let in_word =
        |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    for group in GROUPS {
        for word in *group {
            let at = text.match_indices(word).map(|(at, _)| at);
            let whole = |at: &usize| (*at == 0 || !in_word(at - 1)) && !in_word(at + word.len());
            found.extend(at.filter(whole).map(|at| (at..at + word.len(), *group)));
        }
    }
    if !found.is_empty() {
        let (range, group) = pick(&found, random).clone();
        text.replace_range(range, word(group, random));
    }
}

/// Another motion of a driver.
fn move_driver(text: &mut String, random: &mut Random) {
    let a = grammar::number(random);
    let motion = match random.below(8) {
        0 => format!("{a} rpm"),
        1 => format!("= {a} rpm * sin(10 rad/s * t)"),
        2 => format!("= 100 rpm / (1 + exp(-(t - 0.5 s)/{a} s))"),
        3 => format!("= step(t, 0 s, 0 rpm, {a} s, 2000 rpm)"),
        4 => format!("= ramp(t, 0 s, 0 rpm, 0.1 s, {a} rpm)"),
        5 => format!("= abs(sin({a} rad/s * t)) * 10 rpm"),
        6 => format!("= if(t < {a} s, 100 rpm, -100 rpm)"),
        _ => "= spline([0 s, 1 s, 2 s], [0 rpm, 50 rpm, 0 rpm])".to_owned(),
    };
    set_key(text, "speed", &format!("\"{motion}\""));
}

/// Gives the last key of this name another value.
fn set_key(text: &mut String, key: &str, value: &str) {
    let entries = places::entries(text);
    let found = entries.iter().rev().find(|(name, _)| &text[name.clone()] == key);
    match found.cloned() {
        Some((_, range)) => text.replace_range(range, value),
        None if key != "speed" => {
            if let Some(at) = text.find("[run]\n") {
                text.insert_str(at + 6, &format!("{key} = {value}\n"));
            }
        }
        None => {}
    }
}

fn drop_line(text: &mut String, random: &mut Random) {
    let line = pick(&places::lines(text), random).clone();
    text.replace_range(line, "");
}

/// A value that a key of the same name has in another file.
fn other_value(text: &mut String, bases: &Bases, random: &mut Random) {
    let other = pick(&bases.shipped, random);
    let (own, others) = (places::entries(text), places::entries(other));
    if own.is_empty() {
        return;
    }
    let (key, value) = pick(&own, random).clone();
    let same = others.iter().find(|(name, _)| other[name.clone()] == text[key.clone()]);
    if let Some((_, new)) = same {
        text.replace_range(value, &other[new.clone()]);
    }
}
