//! What tells the study of a folder from the one asked for, in words.

use super::{Column, Plan};

/// Stands between the name of a part and its fingerprint in a description.
const PART: &str = " #";

/// Why the stored study is not the one asked for: what its lines say, then what stands behind them.
pub(super) fn difference(stored: &Plan, asked: &Plan) -> String {
    let (old, new) = (Lines::of(&stored.description), Lines::of(&asked.description));
    if let Some((old, new)) = first_difference(&old.plain, &new.plain) {
        return match (old, new) {
            (Some(old), Some(new)) => format!("`{old}` is `{new}` now"),
            (Some(old), None) => format!("`{old}` is gone"),
            (None, new) => format!("`{}` is new", new.unwrap_or_default()),
        };
    }
    for (what, old, new) in [
        ("variables", &stored.variables, &asked.variables),
        ("responses", &stored.values, &asked.values),
    ] {
        if old != new {
            return format!("its {what} were {} and are {} now", names(old), names(new));
        }
    }
    old.behind(&new).unwrap_or_else(|| {
        "it reads the same, but something behind it has changed, such as the model".into()
    })
}

/// A description: plain lines, and lines with the fingerprint of a part of the study.
struct Lines<'a> {
    plain: Vec<&'a str>,
    parts: Vec<(&'a str, &'a str)>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let (mut plain, mut parts) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let is_print = |print: &str| print.bytes().all(|b| b.is_ascii_hexdigit());
            match line.rsplit_once(PART) {
                Some(part) if is_print(part.1) => parts.push(part),
                _ => plain.push(line),
            }
        }
        Self { plain, parts }
    }

    /// The first part that is not as it was.
    fn behind(&self, now: &Self) -> Option<String> {
        if self.parts.is_empty() && !now.parts.is_empty() {
            return Some("an earlier version of the program has written them".into());
        }
        let find = |all: &[(&str, &str)], name: &str| {
            all.iter().find(|part| part.0 == name).map(|part| part.1.to_owned())
        };
        let names = self.parts.iter().chain(&now.parts).map(|part| part.0);
        names.into_iter().find_map(|name| match (find(&self.parts, name), find(&now.parts, name)) {
            (old, new) if old == new => None,
            (Some(_), Some(_)) => Some(format!("`{name}` has changed")),
            (Some(_), None) => Some(format!("`{name}` is gone")),
            (None, _) => Some(format!("`{name}` is new")),
        })
    }
}

/// The first lines that only one of two texts has.
fn first_difference<'a>(
    old: &[&'a str],
    new: &[&'a str],
) -> Option<(Option<&'a str>, Option<&'a str>)> {
    if old == new {
        return None;
    }
    let gone = old.iter().find(|line| !new.contains(line)).copied();
    let added = new.iter().find(|line| !old.contains(line)).copied();
    (gone.is_some() || added.is_some()).then_some((gone, added))
}

fn names(columns: &[Column]) -> String {
    let names: Vec<String> = columns.iter().map(|c| format!("`{}`", c.heading())).collect();
    names.join(", ")
}
