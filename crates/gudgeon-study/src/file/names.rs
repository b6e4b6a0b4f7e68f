//! Small readers that the sections share, and the names they refer to one another by.

use std::collections::HashMap;

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::reader::{At, Context, Reader, list, suggest, text, wrong_kind};
use gudgeon_model::source::Span;
use gudgeon_model::tree::{Name, Node, Value};

/// Largest number of samples, points, runs and the like.
pub(super) const MOST: usize = 1_000_000;

/// The variables or the responses of a study; those in error are known by name only.
pub(super) struct Named<'t, T> {
    /// "variable" or "response".
    what: &'static str,
    list: Vec<(&'t Name, Option<T>)>,
    places: HashMap<&'t str, usize>,
}

impl<'t, T> Named<'t, T> {
    pub fn new(what: &'static str) -> Self {
        Self { what, list: Vec::new(), places: HashMap::new() }
    }

    pub fn push(&mut self, name: &'t Name, thing: Option<T>) {
        self.places.entry(&name.text).or_insert(self.list.len());
        self.list.push((name, thing));
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&'t Name, Option<&T>)> {
        self.list.iter().map(|(name, thing)| (*name, thing.as_ref()))
    }

    pub fn get(&self, index: usize) -> Option<&T> {
        self.list.get(index)?.1.as_ref()
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    pub fn names(&self) -> impl Iterator<Item = &'t str> {
        self.list.iter().map(|(name, _)| name.text.as_str())
    }

    /// The index of a name; one that is not there is reported.
    pub fn find(&self, cx: &mut Context<'_>, name: &str, span: Span) -> Option<usize> {
        let found = self.position(name);
        if found.is_none() {
            let message = format!("there is no {} `{name}`", self.what);
            let diagnostic = Diagnostic::error("G2002", message).at(span, "not known");
            cx.report_searched(diagnostic, || suggest(name, self.names()));
        }
        found
    }

    /// The indices of a list of names, each named once.
    pub fn find_all(&self, cx: &mut Context<'_>, key: &str, node: &Node) -> Vec<usize> {
        let mut found = Vec::new();
        for name in texts(cx, key, node) {
            let Some(index) = self.find(cx, name.value, name.span) else { continue };
            if found.contains(&index) {
                twice(cx, name.value, name.span);
            } else {
                found.push(index);
            }
        }
        found
    }

    /// All of them, if none is in error.
    pub fn finish(self) -> Option<Vec<T>> {
        self.list.into_iter().map(|(_, thing)| thing).collect()
    }
}

pub(super) fn twice(cx: &mut Context<'_>, name: &str, span: Span) {
    let diagnostic = Diagnostic::error("G2004", format!("`{name}` is named twice"))
        .at(span, "named again")
        .help("remove one");
    cx.report(diagnostic);
}

/// The texts of a list; other values are reported.
pub(super) fn texts<'t>(cx: &mut Context<'_>, key: &str, node: &'t Node) -> Vec<At<&'t str>> {
    let nodes = list(cx, key, node).unwrap_or_default();
    nodes.iter().filter_map(|node| text(cx, key, node)).collect()
}

pub(super) fn flag(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<bool> {
    let node = reader.get(key)?;
    match node.value {
        Value::Flag(flag) => Some(flag),
        _ => {
            wrong_kind(cx, &format!("`{key}`"), node, "true or false");
            None
        }
    }
}

/// A whole number from `least`, not beyond [`MOST`].
pub(super) fn count(cx: &mut Context<'_>, key: &str, node: &Node, least: usize) -> Option<usize> {
    whole(cx, key, node, least as u64, MOST as u64).map(|value| value as usize)
}

/// A whole number within limits that a double holds exactly.
pub(super) fn whole(
    cx: &mut Context<'_>,
    key: &str,
    node: &Node,
    least: u64,
    most: u64,
) -> Option<u64> {
    match node.value {
        Value::Number { value, .. }
            if value.fract() == 0.0 && value >= least as f64 && value <= most as f64 =>
        {
            Some(value as u64)
        }
        _ => {
            let message = format!("`{key}` must be a whole number from {least} to {most}");
            let label = format!("this is {}", shown(node));
            cx.report(Diagnostic::error("G2001", message).at(node.span, label));
            None
        }
    }
}

fn shown(node: &Node) -> String {
    match node.value {
        Value::Number { value, .. } => value.to_string(),
        _ => node.kind().into(),
    }
}

pub(super) fn count_of(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<usize> {
    count(cx, key, reader.get(key)?, 1)
}
