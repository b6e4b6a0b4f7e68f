//! Values of the command line that replace values of the file.
//!
//! Each option becomes a text of its own, named after the option, so that messages about it point
//! into it; its value is merged into the tree of the file like that of any other file.

mod scalars;

use std::collections::{HashMap, HashSet};

use crate::diagnostic::{Diagnostic, Diagnostics, nearest};
use crate::load::Edits;
use crate::parse::{Broken, parse};
use crate::reader::suggest;
use crate::source::{FileId, Sources, Span};
use crate::spec::contacts::LAWS;
use crate::spec::{ROOT, parameter_table};
use crate::tree::{Name, Node, Table, Value};
use crate::units::Short;
use scalars::{instant, scalar, unquoted};

/// Everything a caller may change in a model without touching its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `--set NAME=VALUE`: a parameter by name or any key by its path. A bare number is SI.
    pub set: Vec<(String, String)>,
    /// `--ideal JOINT`: the joint loses its clearance and friction.
    pub ideal: Vec<String>,
    /// `--friction off` for all joints, `--friction JOINT=off` for one: without their friction.
    pub frictionless: Vec<Option<String>>,
    /// `--law NAME` for all clearance joints, `--law JOINT=NAME` for one.
    pub law: Vec<(Option<String>, String)>,
    /// `--until`: replaces `run.until`; `"3 rev"`, `"20 ms"`, `"JOINT=3 rev"` or `"JOINT=3 rev, at_most=10 s"`.
    pub until: Option<String>,
    /// `--measure-from`: replaces `run.measure_from`.
    pub measure_from: Option<String>,
    /// `--plot-range`: replaces `run.plot_range`; `"2 rev .. 3 rev"` or `"all"`.
    pub plot_range: Option<String>,
    /// `--rtol`: replaces `run.rtol`.
    pub rtol: Option<f64>,
    /// `--method`: replaces `run.method`.
    pub method: Option<String>,
    /// `--every`: replaces `run.every`.
    pub every: Option<String>,
    /// `--time-limit`: replaces `run.time_limit`. A bare number is SI.
    pub time_limit: Option<String>,
    /// `--max-steps`: replaces `run.max_steps`.
    pub max_steps: Option<String>,
}

impl Overrides {
    /// Options that replace a key of `[run]` as they stand: option, key and value.
    pub fn of_run(&self) -> impl Iterator<Item = (&'static str, &'static str, &str)> {
        let options = [
            ("--method", "method", &self.method),
            ("--every", "every", &self.every),
            ("--time-limit", "time_limit", &self.time_limit),
            ("--max-steps", "max_steps", &self.max_steps),
        ];
        options
            .into_iter()
            .filter_map(|(option, key, value)| Some((option, key, value.as_deref()?)))
    }
}

/// A change of a model that another file asks for, with its places there.
#[derive(Clone, Debug)]
pub struct Change {
    /// A parameter, or the parts of a path.
    pub path: Vec<(String, Span)>,
    pub node: Node,
}

impl Change {
    /// The path as `--set` writes it.
    pub fn name(&self) -> String {
        let parts: Vec<&str> = self.path.iter().map(|(part, _)| part.as_str()).collect();
        parts.join(".")
    }
}

/// What is not simply a value in the tree.
#[derive(Default)]
pub struct Applied {
    /// New values of parameters.
    pub parameters: HashMap<String, Node>,
    /// Joints that run without clearance.
    pub ideal: HashSet<String>,
}

/// Parts of a path beyond which no key of the format lies.
const DEEPEST: usize = 16;

/// Writes the overrides into the tree of the file.
pub fn apply(
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
    broken: &mut Broken,
    root: &mut Table,
    edits: &Edits<'_>,
) -> Applied {
    let mut desk = Desk { sources, diagnostics, broken, root, applied: Applied::default() };
    edits.first.iter().for_each(|change| desk.change(change));
    edits.overrides.iter().for_each(|overrides| desk.all(overrides));
    edits.last.iter().for_each(|change| desk.change(change));
    desk.applied
}

struct Desk<'a> {
    sources: &'a mut Sources,
    diagnostics: &'a mut Diagnostics,
    broken: &'a mut Broken,
    root: &'a mut Table,
    applied: Applied,
}

impl Desk<'_> {
    /// Everything the command line asks for.
    fn all(&mut self, overrides: &Overrides) {
        for (name, value) in &overrides.set {
            self.set(name, value);
        }
        for (joint, law) in &overrides.law {
            self.law(joint.as_deref(), law);
        }
        for (option, key, value) in [
            ("--until", "until", &overrides.until),
            ("--measure-from", "measure_from", &overrides.measure_from),
        ] {
            if let Some(value) = value {
                self.when(option, key, value);
            }
        }
        if let Some(range) = &overrides.plot_range {
            self.plot_range(range);
        }
        for (option, key, value) in overrides.of_run() {
            let file = self.sources.add_option(option, value);
            self.replace(file, key, unquoted(value, file));
        }
        if let Some(value) = overrides.rtol {
            let file = self.sources.add_option("--rtol", Short(value).to_string());
            let node = Node { value: Value::Number { value, si: true }, span: self.whole(file) };
            self.replace(file, "rtol", node);
        }
        for joint in &overrides.ideal {
            if self.knows_joint("--ideal", joint) {
                self.applied.ideal.insert(joint.clone());
            }
        }
        for joint in &overrides.frictionless {
            match joint {
                Some(joint) if !self.knows_joint("--friction", joint) => {}
                Some(joint) => self.take_friction(joint),
                None => self.joints().iter().for_each(|joint| self.take_friction(joint)),
            }
        }
    }

    fn change(&mut self, change: &Change) {
        let path: Vec<(&str, Span)> =
            change.path.iter().map(|(part, span)| (part.as_str(), *span)).collect();
        match path[..] {
            [(name, at)] | [("parameters", _), (name, at)] if self.knows_parameter(name, at) => {
                self.applied.parameters.insert(name.into(), change.node.clone());
            }
            [_] | [("parameters", _), _] => {}
            [_, _, ..] if self.check_path(&path) => {
                // The file may give a table, such as one of another joint, which a merge would keep.
                if change.node.as_table().is_some() {
                    self.root.remove(&path);
                }
                self.root.merge(nest(&path, change.node.clone()));
            }
            _ => {}
        }
    }

    fn whole(&self, file: FileId) -> Span {
        Span::new(file, 0..self.sources.text(file).len())
    }

    fn set(&mut self, name: &str, value: &str) {
        let text = format!("{name}={value}");
        let file = self.sources.add_option("--set", text.as_str());
        let at = Span::new(file, 0..name.len());
        let parameter = name.strip_prefix("parameters.").unwrap_or(name);
        if !parameter.contains('.') {
            if self.knows_parameter(parameter, at) {
                let node = scalar(value, file, name.len() + 1);
                self.applied.parameters.insert(parameter.into(), node);
            }
            return;
        }
        let mut offset = 0;
        let mut path = Vec::new();
        for part in name.split('.') {
            path.push((part, Span::new(file, offset..offset + part.len())));
            offset += part.len() + 1;
        }
        if !self.check_path(&path) {
            return;
        }
        let overlay = if value.trim_start().starts_with(['[', '{', '"', '\'']) {
            let mut overlay = parse(file, &text, self.diagnostics, self.broken);
            overlay.take_numbers_as_si(file);
            overlay
        } else {
            nest(&path, scalar(value, file, name.len() + 1))
        };
        self.root.merge(overlay);
    }

    /// Whether there is such a parameter; if not, that is reported.
    fn knows_parameter(&mut self, name: &str, at: Span) -> bool {
        let names = parameter_table(self.root).map_or(&[][..], |table| &table.entries);
        if names.iter().any(|(parameter, _)| parameter.text == name) {
            return true;
        }
        let names: Vec<&str> = names.iter().map(|(parameter, _)| &parameter.text[..]).collect();
        let mut help = suggest(name, names.iter().copied());
        if nearest(name, names.iter().copied()).is_none() {
            help.push_str("; other keys are set by path, such as `joints.pin.friction.mu`");
        }
        self.diagnostics.push(
            Diagnostic::error("G1001", format!("there is no parameter `{name}`"))
                .at(at, "not known")
                .help(help),
        );
        false
    }

    /// The section and, where the file names its entries, the entry must be there already.
    fn check_path(&mut self, path: &[(&str, Span)]) -> bool {
        let (section, span) = path[0];
        let (name, at) = path[1];
        let problem = if path.len() > DEEPEST {
            let message = format!("no key lies {} levels deep", path.len());
            Some((span, message, "paths look like `joints.pin.friction.mu`".to_string()))
        } else if !ROOT.names().any(|key| key == section) {
            Some((span, format!("there is no section `{section}`"), suggest(section, ROOT.names())))
        } else if matches!(section, "bodies" | "joints" | "drivers" | "forces") {
            let table = self.root.get(section).and_then(Node::as_table);
            let entries = table.map_or(&[][..], |table| &table.entries);
            let known = entries.iter().any(|(entry, _)| entry.text == name);
            let names = entries.iter().map(|(entry, _)| entry.text.as_str());
            (!known).then(|| (at, format!("`{section}` has no `{name}`"), suggest(name, names)))
        } else {
            None
        };
        let Some((span, message, help)) = problem else { return true };
        self.diagnostics.push(Diagnostic::error("G1001", message).at(span, "not known").help(help));
        false
    }

    fn law(&mut self, joint: Option<&str>, law: &str) {
        let text = joint.map_or(law.into(), |joint| format!("{joint}={law}"));
        let start = text.len() - law.len();
        let file = self.sources.add_option("--law", text);
        let span = Span::new(file, start..start + law.len());
        if !LAWS.contains(&law) {
            let diagnostic = Diagnostic::error("G1002", format!("there is no law `{law}`"))
                .at(span, "not known")
                .help(suggest(law, LAWS.iter().copied()));
            return self.diagnostics.push(diagnostic);
        }
        let loose = self.loose_joints();
        let chosen: Vec<String> =
            loose.iter().filter(|name| joint.is_none_or(|joint| joint == *name)).cloned().collect();
        if chosen.is_empty() {
            let message = match joint {
                Some(joint) => format!("there is no clearance joint `{joint}`"),
                None => "no joint has a clearance table".into(),
            };
            let help = suggest(joint.unwrap_or(""), loose.iter().map(String::as_str));
            let at = Span::new(file, 0..start.saturating_sub(1).max(1));
            self.diagnostics.push(Diagnostic::error("G1002", message).at(at, "").help(help));
        }
        for name in chosen {
            let value = Value::Text { text: law.into(), inner: Some(start) };
            let path = ["joints", &name, "clearance", "contact", "law"].map(|part| (part, span));
            self.root.merge(nest(&path, Node { value, span }));
        }
    }

    /// Names of joints with a clearance table.
    fn loose_joints(&self) -> Vec<String> {
        let joints = self.root.get("joints").and_then(Node::as_table);
        let entries = joints.map_or(&[][..], |table| &table.entries);
        let loose = |node: &Node| node.as_table().is_some_and(|table| table.has("clearance"));
        entries.iter().filter(|(_, node)| loose(node)).map(|(name, _)| name.text.clone()).collect()
    }

    fn when(&mut self, option: &str, key: &str, value: &str) {
        let file = self.sources.add_option(option, value);
        self.replace(file, key, instant(value, file, 0));
    }

    fn plot_range(&mut self, value: &str) {
        let file = self.sources.add_option("--plot-range", value);
        let is_end = |text: &str| !text.trim().is_empty() && !text.contains("..");
        let ends = value.split_once("..").filter(|(from, to)| is_end(from) && is_end(to));
        let node = match ends {
            Some((from, to)) => {
                let ends = vec![instant(from, file, 0), instant(to, file, from.len() + 2)];
                Node { value: Value::List(ends), span: self.whole(file) }
            }
            None => scalar(value, file, 0),
        };
        self.replace(file, "plot_range", node);
    }

    /// Puts a value in the place of that of a key of `[run]`.
    fn replace(&mut self, file: FileId, key: &str, node: Node) {
        let span = self.whole(file);
        let path = [("run", span), (key, span)];
        // The file may give a table of another joint, which a merge would keep.
        self.root.remove(&path);
        self.root.merge(nest(&path, node));
    }

    /// Names of the joints of the file.
    fn joints(&self) -> Vec<String> {
        let joints = self.root.get("joints").and_then(Node::as_table);
        let entries = joints.map_or(&[][..], |table| &table.entries);
        entries.iter().map(|(name, _)| name.text.clone()).collect()
    }

    fn take_friction(&mut self, joint: &str) {
        let file = self.sources.add_option("--friction", joint);
        let span = self.whole(file);
        self.root.remove(&[("joints", span), (joint, span), ("friction", span)]);
    }

    /// Whether there is a joint that an option names.
    fn knows_joint(&mut self, option: &str, joint: &str) -> bool {
        let names = self.joints();
        if names.iter().any(|name| name == joint) {
            return true;
        }
        let help = suggest(joint, names.iter().map(String::as_str));
        let file = self.sources.add_option(option, joint);
        self.diagnostics.push(
            Diagnostic::error("G1003", format!("there is no joint `{joint}`"))
                .at(self.whole(file), "not known")
                .help(help),
        );
        false
    }
}

/// A tree with one value at the end of a path.
fn nest(path: &[(&str, Span)], node: Node) -> Table {
    let mut node = node;
    for (i, (name, span)) in path.iter().enumerate().rev() {
        let name = Name { text: (*name).into(), span: *span };
        let table = Table { entries: vec![(name, node)] };
        if i == 0 {
            return table;
        }
        node = Node { value: Value::Table(table), span: *span };
    }
    Table::default()
}
