//! `[set]` and `[run]`: what a study always changes in its model.

use super::Variable;
use super::keys::RUN;
use super::names::Named;
use super::variables::plain;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::reader::Context;
use gudgeon_model::source::Span;
use gudgeon_model::tree::{Node, Table, Value};
use gudgeon_model::{Overrides, overrides::Change};

/// The changes that a study asks for.
pub(super) fn fixed(root: &Node) -> Vec<Change> {
    let mut changes = Vec::new();
    let section = |name: &str| root.as_table().and_then(|root| root.get(name)?.as_table());
    if let Some(set) = section("set") {
        leaves(set, &mut Vec::new(), &mut changes);
    }
    let run = section("run").map_or(&[][..], |run| &run.entries);
    for (name, node) in run.iter().filter(|(name, _)| RUN.get(&name.text).is_some()) {
        let path = vec![("run".to_owned(), name.span), (name.text.clone(), name.span)];
        changes.push(Change { path, node: node.clone() });
    }
    changes
}

/// `"joints.pin.friction.mu" = 0.1`, with quotes or without: every value with its path.
fn leaves(table: &Table, path: &mut Vec<(String, Span)>, changes: &mut Vec<Change>) {
    for (name, node) in &table.entries {
        let length = path.len();
        path.extend(name.text.split('.').map(|part| (part.trim().to_owned(), name.span)));
        match &node.value {
            Value::Table(table) => leaves(table, path, changes),
            _ => changes.push(Change { path: path.clone(), node: node.clone() }),
        }
        path.truncate(length);
    }
}

/// The command line cannot fix what the study varies.
pub(super) fn check_command_line(
    cx: &mut Context<'_>,
    variables: &Named<'_, Variable>,
    overrides: &Overrides,
) {
    for (name, variable) in variables.iter() {
        let sets = |(path, _): &&(String, String)| {
            variable.is_some_and(|variable| plain(path) == variable.path)
        };
        if let Some((path, _)) = overrides.set.iter().find(sets) {
            let diagnostic =
                Diagnostic::error("G2006", format!("`{path}` is both fixed and varied"))
                    .at(name.span, "varied here")
                    .help(format!("remove `--set {path}=…`, or the variable"));
            cx.report(diagnostic);
        }
    }
}
