//! A model with its changes as one text: what was merged of several files and of the command line,
//! written back.
//!
//! A tree does not know units, so the text says that its numbers are SI (`numbers = "SI"`); quantities
//! written with a unit keep it. It has no `use`, and names its data files as the model did.

use std::fmt::Write as _;

use crate::diagnostic::Diagnostics;
use crate::failure::Failure;
use crate::load::{Edits, ParsedModel, ResolvedParameter, resolved};
use crate::overrides::{self, Overrides};
use crate::parse::Broken;
use crate::spec::{NUMBERS, SI};
use crate::tree::{Name, Node, Table, Value};

impl ParsedModel {
    /// The model with these changes as one file.
    pub fn to_toml(&self, overrides: &Overrides) -> Result<String, Box<Failure>> {
        let mut text = format!("format = 1\n{NUMBERS} = \"{SI}\"\n");
        for (name, node) in &self.merged(overrides)?.entries {
            if !matches!(name.text.as_str(), "format" | "use" | NUMBERS) {
                section(&mut text, &key(&name.text), node);
            }
        }
        Ok(text)
    }

    /// The same with every value on a line of its own that begins with its whole path, so that messages
    /// show it.
    pub fn to_paths(&self, overrides: &Overrides) -> Result<String, Box<Failure>> {
        let mut text = format!("format = 1\n{NUMBERS} = \"{SI}\"\n");
        for (name, node) in &self.merged(overrides)?.entries {
            if !matches!(name.text.as_str(), "format" | "use" | NUMBERS) {
                paths(&mut text, &key(&name.text), node);
            }
        }
        Ok(text)
    }

    /// The tree with changes laid over.
    fn merged(&self, overrides: &Overrides) -> Result<Table, Box<Failure>> {
        let (mut root, mut sources) = (self.root().clone(), self.sources.clone());
        let (mut found, mut broken) = (Diagnostics::new(), Broken::default());
        let edits = Edits { overrides: &[overrides], ..Edits::default() };
        let applied = overrides::apply(&mut sources, &mut found, &mut broken, &mut root, &edits);
        if found.has_errors() {
            return Err(Failure::new(sources, found));
        }
        let mut parameters: Vec<(String, Node)> = applied.parameters.into_iter().collect();
        parameters.sort_by(|a, b| a.0.cmp(&b.0));
        if parameters.iter().any(|(_, node)| matches!(node.value, Value::Number { .. })) {
            let known = resolved(&self.clone().build(&edits).parameters);
            parameters.iter_mut().for_each(|(name, node)| give_unit(name, node, &known));
        }
        for (name, node) in parameters {
            let (text, span) = (name, node.span);
            let one = Table { entries: vec![(Name { text, span }, node)] };
            let all = Node { value: Value::Table(one), span };
            root.merge(Table { entries: vec![(Name { text: "parameters".into(), span }, all)] });
        }
        let mut ideal: Vec<String> = applied.ideal.into_iter().collect();
        ideal.sort();
        if let Some(span) = root.entries.first().map(|(name, _)| name.span) {
            for joint in &ideal {
                for table in ["clearance", "friction", "film"] {
                    root.remove(&[("joints", span), (joint, span), (table, span)]);
                }
                root.remove(&[("start", span), (joint, span)]);
            }
        }
        Ok(root)
    }
}

/// A number that replaces a parameter has its dimension, which the text of the parameter would lose.
fn give_unit(name: &str, node: &mut Node, known: &[ResolvedParameter]) {
    let unit = known.iter().find(|one| one.name == name).map(|one| &one.unit);
    if let (Value::Number { value, .. }, Some(unit)) = (&node.value, unit)
        && !unit.is_empty()
    {
        let text = format!("{} {unit}", number(*value));
        node.value = Value::Text { text, inner: None };
    }
}

/// `[bodies.rod]` and what it holds; tables inside stay on their line.
fn section(text: &mut String, path: &str, node: &Node) {
    let Some(table) = node.as_table() else {
        let _ = writeln!(text, "{path} = {}", inline(node)); // a text takes everything
        return;
    };
    let named = path == "bodies" || path == "joints" || path == "drivers" || path == "forces";
    if !named {
        let _ = writeln!(text, "\n[{path}]");
    }
    for (name, node) in &table.entries {
        let name = key(&name.text);
        match named {
            true => section(text, &format!("{path}.{name}"), node),
            false => lines(text, &name, node, 1),
        }
    }
}

/// A key and its value; tables down to a depth are written by the paths of their keys.
fn lines(text: &mut String, path: &str, node: &Node, depth: usize) {
    match node.as_table() {
        Some(table) if depth > 0 && !table.entries.is_empty() => {
            for (name, node) in &table.entries {
                lines(text, &format!("{path}.{}", key(&name.text)), node, depth - 1);
            }
        }
        _ => {
            let _ = writeln!(text, "{path} = {}", inline(node));
        }
    }
}

fn paths(text: &mut String, path: &str, node: &Node) {
    lines(text, path, node, usize::MAX);
}

/// A value on one line.
fn inline(node: &Node) -> String {
    match &node.value {
        Value::Text { text, .. } => quoted(text),
        Value::Number { value, .. } => number(*value),
        Value::Flag(flag) => flag.to_string(),
        // No key of a model is a date: what the text had is an error in either.
        Value::Date => "1970-01-01".to_owned(),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Table(table) => {
            let entry =
                |(name, node): &(Name, Node)| format!("{} = {}", key(&name.text), inline(node));
            let entries: Vec<String> = table.entries.iter().map(entry).collect();
            if entries.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{ {} }}", entries.join(", "))
            }
        }
    }
}

/// The shortest number that reads back as the same.
fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "nan".to_owned(),
        _ if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_owned(),
        _ if value.fract() == 0.0
            && value.abs() < 1e15
            && value.to_bits() != (-0.0_f64).to_bits() =>
        {
            format!("{value:.0}")
        }
        _ => format!("{value:?}"),
    }
}

/// A key as TOML writes it.
pub fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}

/// A text as TOML writes it.
pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use crate::load::ParsedModel;
    use crate::overrides::Overrides;
    use crate::shipped::{self, Embedded};

    #[test]
    fn every_shipped_model_is_the_same_when_it_is_written_and_read() {
        for model in shipped::SHIPPED {
            let parsed = shipped::parse(model).unwrap_or_else(|error| panic!("{error}"));
            let Ok(first) = parsed.load(&Overrides::default()) else { continue };
            let name = format!("models/{}/model.toml", model.name);
            for write in [ParsedModel::to_toml, ParsedModel::to_paths] {
                let text = write(&parsed, &Overrides::default()).expect("no changes");
                let again = ParsedModel::text(&name, &text, &Embedded)
                    .and_then(|parsed| parsed.load(&Overrides::default()))
                    .unwrap_or_else(|error| panic!("{}: {error}\n{text}", model.name));
                let told = |loaded: &crate::Loaded| {
                    format!("{:?} {:?} {:?}", loaded.model, loaded.run, loaded.parameters)
                };
                assert_eq!(told(&first), told(&again), "{}", model.name);
            }
        }
    }

    #[test]
    fn changes_are_written_with_the_model() {
        let model = shipped::find("slider_crank").expect("it is shipped");
        let parsed = shipped::parse(model).unwrap_or_else(|error| panic!("{error}"));
        let changes = Overrides {
            set: vec![("clearance".into(), "0.0002".into()), ("run.rtol".into(), "1e-9".into())],
            ..Overrides::default()
        };
        let text = parsed.to_toml(&changes).expect("they are right");
        assert!(text.contains("clearance") && text.contains("0.0002"), "{text}");
        let again = ParsedModel::text("again", &text, &Embedded).expect("it is a model");
        let again = again.load(&Overrides::default()).unwrap_or_else(|error| panic!("{error}"));
        let there = parsed.load(&changes).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            format!("{:?}", there.model),
            format!("{:?}", again.model).replace("again", &there.model.name)
        );
        let ideal = Overrides { ideal: vec!["pin".into()], ..Overrides::default() };
        let text = parsed.to_toml(&ideal).expect("there is such a joint");
        let again = ParsedModel::text("again", &text, &Embedded).expect("it is a model");
        let again = again.load(&Overrides::default()).unwrap_or_else(|error| panic!("{error}"));
        assert!(again.model.joints.iter().all(|joint| joint.clearance.is_none()));
    }
}
