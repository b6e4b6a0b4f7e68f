//! Sections under another name, `[body.rod]` for `[bodies.rod]`, lists of tables, `[[bodies]]` with `name =
//! "rod"`, and keys outside of their section.
//!
//! Each is reported once. A section whose meaning is plain is then read as what it means, so that
//! everything that refers to it does not fail as well.

use crate::diagnostic::{Diagnostic, Diagnostics, nearest};
use crate::spec::{ROOT, model, run};
use crate::tree::{Name, Node, Table, Value};

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

/// Sections whose tables have names of their own.
const NAMED: &[&str] = &["bodies", "joints", "drivers", "forces", "parameters"];

/// Reports what does not belong where it stands in a merged file, and puts it in its place.
pub(crate) fn put_right(root: &mut Table, diagnostics: &mut Diagnostics) {
    if root.has("study") {
        return; // Not a model at all, which is reported by itself.
    }
    let (known, others): (Vec<_>, Vec<_>) = root.entries.drain(..).partition(|(name, node)| {
        // The list of a run has the name of a section.
        let list = name.text == "outputs" && matches!(node.value, Value::List(_));
        ROOT.get(&name.text).is_some() && !list
    });
    root.entries = known;
    for (name, node) in &mut root.entries {
        if let Some(named) = names_inside(&name.text, node) {
            diagnostics.push(list_of_tables(&name.text, node, &named));
            node.value = Value::Table(named);
        }
    }
    for (name, mut node) in others {
        let meant = section(&name, &node);
        let named = meant.and_then(|section| names_inside(section, &node));
        match meant {
            Some(section) => {
                if let Some(named) = named {
                    node.value = Value::Table(named);
                }
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
    if node.as_table().is_none() && tables(node).is_none() {
        return None;
    }
    let word = name.text.to_lowercase();
    let meant = WORDS.iter().find(|(_, words)| words.contains(&&word[..]));
    meant.map(|(section, _)| *section).or_else(|| {
        nearest(&name.text, ROOT.names().filter(|name| !["format", "use"].contains(name)))
    })
}

/// A list that holds tables and nothing else.
fn tables(node: &Node) -> Option<Vec<&Table>> {
    let Value::List(list) = &node.value else { return None };
    let tables: Vec<&Table> = list.iter().filter_map(Node::as_table).collect();
    (!list.is_empty() && tables.len() == list.len()).then_some(tables)
}

/// The tables of a list, `[[bodies]]`, under the names that they give themselves.
fn names_inside(section: &str, node: &Node) -> Option<Table> {
    let tables = tables(node).filter(|_| NAMED.contains(&section))?;
    let Value::List(list) = &node.value else { return None };
    let mut entries: Vec<(Name, Node)> = Vec::new();
    for (table, whole) in tables.iter().zip(list) {
        let (key, text) = ["name", "id"].iter().find_map(|key| {
            let (key, value) = table.entry(key)?;
            Some((&key.text, (value.as_text()?, value.span)))
        })?;
        let name = Name { text: text.0.to_owned(), span: text.1 };
        if entries.iter().any(|(other, _)| other.text == name.text) {
            return None;
        }
        let rest = table.entries.iter().filter(|(other, _)| other.text != *key).cloned();
        let rest = Table { entries: rest.collect() };
        entries.push((name, Node { value: Value::Table(rest), span: whole.span }));
    }
    Some(Table { entries })
}

fn list_of_tables(section: &str, node: &Node, named: &Table) -> Diagnostic {
    let first = named.entries.first().map_or("NAME", |(name, _)| &name.text);
    Diagnostic::error("G0103", format!("`{section}` must be a table"))
        .at(node.span, "this is a list")
        .help(format!("write `[{section}.{first}]` without a name inside, and so for each"))
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
