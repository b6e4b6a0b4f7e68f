//! Inputs for reading: texts broken in every way that a file can be.

use std::ops::Range;

use gudgeon::random::Random;

use super::bases::{Bases, pick, word};
use super::case::{Case, FILE};
use super::{grammar, places};

/// A base with some mutations.
pub fn case(bases: &Bases, random: &mut Random) -> Case {
    let mut case = bases.any(random);
    let mut count = 1;
    while random.below(2) > 0 && count < 8 {
        count += 1;
    }
    for _ in 0..count {
        mutate(&mut case, bases, random);
    }
    case
}

fn mutate(case: &mut Case, bases: &Bases, random: &mut Random) {
    let text = &mut case.text;
    match random.below(40) {
        0..=3 => change_letter(text, random),
        4 => insert(text, places::anywhere(text, random), word(grammar::LETTERS, random)),
        5 => {
            let (a, b) = (places::anywhere(text, random), places::anywhere(text, random));
            text.replace_range(a.min(b)..a.max(b).min(places::boundary(text, a.min(b) + 40)), "");
        }
        6..=8 => swap_tokens(text, random),
        9..=12 => replace(text, places::numbers, random, grammar::number),
        13..=15 => {
            let word = pick(&bases.keys, random).clone();
            replace(text, places::words, random, |_| word);
        }
        16..=17 => replace(text, places::words, random, |random| {
            (*pick(grammar::UNITS, random)).to_owned()
        }),
        18..=23 => change_value(text, bases, random),
        24..=26 => change_key(text, bases, random),
        27..=32 => change_lines(text, bases, random),
        33..=34 => change_tables(text, bases, random),
        35..=36 => add_option(text, bases, random),
        37 => add_use(text, bases, random),
        38 => splice(text, bases, random),
        _ => insert(text, places::anywhere(text, random), &grammar::deep(random)),
    }
}

fn insert(text: &mut String, at: usize, part: &str) {
    text.insert_str(at, part);
}

/// A part of the text once more, right behind it.
fn repeat(text: &mut String, part: Range<usize>) {
    let again = text[part.clone()].to_owned();
    insert(text, part.end, &again);
}

/// Another character in the place of one, mostly a byte with a bit flipped.
fn change_letter(text: &mut String, random: &mut Random) {
    let at = places::anywhere(text, random);
    let Some(letter) = text[at..].chars().next() else { return };
    let flipped = (letter as u32) ^ (1 << random.below(7));
    let other = char::from_u32(flipped).unwrap_or('\u{fffd}');
    let mut buffer = [0; 4];
    text.replace_range(at..at + letter.len_utf8(), other.encode_utf8(&mut buffer));
}

/// Puts something in the place of one of the ranges found.
fn replace(
    text: &mut String,
    find: fn(&str) -> Vec<Range<usize>>,
    random: &mut Random,
    new: impl FnOnce(&mut Random) -> String,
) {
    let found = find(text);
    if !found.is_empty() {
        let range = pick(&found, random).clone();
        text.replace_range(range, &new(random));
    }
}

fn swap_tokens(text: &mut String, random: &mut Random) {
    let tokens = places::tokens(text);
    if tokens.len() < 2 {
        return;
    }
    let i = random.below(tokens.len());
    // Neighbours make the more likely mistakes.
    let j = match random.below(2) {
        0 => (i + 1) % tokens.len(),
        _ => random.below(tokens.len()),
    };
    swap(text, tokens[i].clone(), tokens[j].clone());
}

/// Exchanges two parts that do not overlap.
fn swap(text: &mut String, a: Range<usize>, b: Range<usize>) {
    let (first, last) = if a.start < b.start { (a, b) } else { (b, a) };
    if first.end > last.start {
        return;
    }
    let (one, two) = (text[first.clone()].to_owned(), text[last.clone()].to_owned());
    text.replace_range(last, &one);
    text.replace_range(first, &two);
}

fn change_value(text: &mut String, bases: &Bases, random: &mut Random) {
    let entries = places::entries(text);
    if entries.is_empty() {
        return;
    }
    let (_, value) = pick(&entries, random).clone();
    let new = match random.below(3) {
        0 => pick(&bases.values, random).clone(),
        _ => grammar::value(random),
    };
    text.replace_range(value, &new);
}

fn change_key(text: &mut String, bases: &Bases, random: &mut Random) {
    let entries = places::entries(text);
    if entries.is_empty() {
        return;
    }
    let (key, _) = pick(&entries, random).clone();
    match random.below(4) {
        0 => insert(text, key.end, "x"),
        1 => text.replace_range(key.clone(), &text[key.clone()].to_uppercase()),
        2 => text.replace_range(key, &format!("\"{}\"", pick(grammar::LETTERS, random))),
        _ => text.replace_range(key, pick(&bases.keys, random).as_str()),
    }
}

fn change_lines(text: &mut String, bases: &Bases, random: &mut Random) {
    let lines = places::lines(text);
    let line = pick(&lines, random).clone();
    match random.below(4) {
        0 => text.replace_range(line, ""),
        1 => repeat(text, line),
        2 => swap(text, line, pick(&lines, random).clone()),
        _ => insert(text, line.start, &format!("{}\n", pick(&bases.lines, random))),
    }
}

fn change_tables(text: &mut String, bases: &Bases, random: &mut Random) {
    let tables = places::tables(text);
    let table = pick(&tables, random).clone();
    match random.below(4) {
        0 => text.replace_range(table, ""),
        1 => repeat(text, table),
        2 => swap(text, table, pick(&tables, random).clone()),
        _ => {
            let other = bases.any(random).text;
            let part = pick(&places::tables(&other), random).clone();
            insert(text, table.end, &other[part]);
        }
    }
}

/// A line of the command line.
fn add_option(text: &mut String, bases: &Bases, random: &mut Random) {
    let value = grammar::value(random);
    let value = value.trim_matches('"').replace('\n', " ");
    let key = pick(&bases.keys, random);
    let option = match random.below(8) {
        0 => format!("--ideal {key}"),
        1 => format!("--law {}", pick(&["hertz", "pin=hertz", "lankarani-nikravesh", "x"], random)),
        2 => format!("--until {value}"),
        3 => format!("--measure-from {value}"),
        4 => format!("--plot-range {value} .. {value}"),
        5 => format!("--rtol {}", grammar::number(random)),
        6 => format!("--set joints.{key}.clearance={value}"),
        _ => format!("--set {key}={value}"),
    };
    insert(text, 0, &format!("#! {option}\n"));
}

/// The use of another file, which may be this one.
fn add_use(text: &mut String, bases: &Bases, random: &mut Random) {
    let name =
        pick(&["input.toml", "other.toml", "base.toml", "../chain/model.toml", "none"], random);
    let line = match random.below(8) {
        0 => format!("use = [\"{name}\"]\n"),
        1 => format!("use = {}\n", grammar::value(random)),
        _ => format!("use = \"{name}\"\n"),
    };
    insert(text, 0, &line);
    if *name == "other.toml" {
        text.push_str(&format!("\n{FILE}other.toml\n"));
        text.push_str(pick(&bases.models, random).as_str());
    }
}

/// The end of another text behind the beginning of this one.
fn splice(text: &mut String, bases: &Bases, random: &mut Random) {
    let other = bases.any(random).text;
    let from = places::anywhere(&other, random);
    text.truncate(places::anywhere(text, random));
    text.push_str(&other[from..]);
}
