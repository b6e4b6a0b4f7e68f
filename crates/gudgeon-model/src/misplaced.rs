//! Sections under another name, `[body.rod]` for `[bodies.rod]`, and keys outside of their section.
//!
//! Each is reported once. A section whose meaning is plain is then read as what it means, so that
//! everything that refers to it does not fail as well.

use crate::diagnostic::{Diagnostic, Diagnostics, nearest};
use crate::spec::{ROOT, model, run};
use crate::tree::{Name, Node, Table};

/// Words for sections that people know from elsewhere, singulars among them.
const WORDS: &[(&str, &[&str])] = &[
    ("bodies", &["body", "link", "links", "part", "parts"]),
    ("joints", &["joint", "constraint", "constraints", "connection", "connections"]),
    ("drivers", &["driver", "drive", "motor", "motors", "motion", "motions", "actuators"]),
    ("forces", &["force", "load", "loads", "spring", "springs", "damper", "dampers"]),
    ("parameters", &["parameter", "param", "params", "constants", "variables"]),
    ("start", &["initial", "init", "initial_conditions", "initial_state"]),
    ("run", &["simulation", "simulate", "solver", "settings", "analysis"]),
    ("model", &["mechanism", "general"]),
];

/// Reports what does not belong where it stands in a merged file, and puts it in its place.
pub(crate) fn put_right(root: &mut Table, diagnostics: &mut Diagnostics) {
    if root.has("study") {
        return; // Not a model at all, which is reported by itself.
    }
    let (known, others): (Vec<_>, Vec<_>) =
        root.entries.drain(..).partition(|(name, _)| ROOT.get(&name.text).is_some());
    root.entries = known;
    for (name, node) in others {
        match section(&name, &node) {
            Some(section) => {
                diagnostics.push(wrong_section(&name, &node, section));
                let name = Name { text: section.to_owned(), span: name.span };
                root.merge(Table { entries: vec![(name, node)] });
            }
            None => match owner(&name.text) {
                Some(section) => diagnostics.push(outside(&name, section)),
                None => root.entries.push((name, node)), // left to the reader of the file
            },
        }
    }
}

/// The section that a table under another name is meant to be.
fn section(name: &Name, node: &Node) -> Option<&'static str> {
    node.as_table()?;
    let word = name.text.to_lowercase();
    let meant = WORDS.iter().find(|(_, words)| words.contains(&&word[..]));
    meant.map(|(section, _)| *section).or_else(|| {
        nearest(&name.text, ROOT.names().filter(|name| !["format", "use"].contains(name)))
    })
}

/// The section of a key that stands outside of it.
fn owner(key: &str) -> Option<&'static str> {
    [("model", &model::MODEL), ("run", &run::RUN)]
        .into_iter()
        .find_map(|(section, keys)| keys.get(key).map(|_| section))
}

fn wrong_section(name: &Name, node: &Node, section: &str) -> Diagnostic {
    let inside = node.as_table().and_then(|table| table.entries.first());
    let help = match inside {
        Some((entry, value)) if value.as_table().is_some() => {
            format!("did you mean `{section}`? write `[{section}.{}]`", entry.text)
        }
        _ => format!("did you mean `{section}`?"),
    };
    Diagnostic::error("G0101", format!("unknown key `{}` in the file", name.text))
        .at(name.span, "not known here")
        .help(help)
}

fn outside(name: &Name, section: &str) -> Diagnostic {
    let key = &name.text;
    Diagnostic::error("G0101", format!("`{key}` stands outside of its section"))
        .at(name.span, format!("belongs to `[{section}]`"))
        .help(format!("move it below a line `[{section}]`"))
}
