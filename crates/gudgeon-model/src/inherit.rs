//! `use`: a file that extends another one.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::load::Resolver;
use crate::parse::{Broken, parse};
use crate::source::{FileId, Sources};
use crate::spec::{NUMBERS, SI};
use crate::tree::{Node, Table, Value};

/// Files that may extend one another in a row.
const DEPTH: usize = 16;

/// Parses `file` and all files it uses, and merges them, the first file on top.
pub(crate) fn read(
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
    broken: &mut Broken,
    resolver: &dyn Resolver,
    file: FileId,
) -> Table {
    let mut chain = vec![file];
    let mut tables = Vec::new();
    let mut next = Some(file);
    while let Some(file) = next {
        let mut table = parse(file, sources.text(file), diagnostics, broken);
        if table.get(NUMBERS).and_then(Node::as_text) == Some(SI) {
            table.take_numbers_as_si(file);
        }
        next = match table.get("use") {
            Some(node) => {
                let used = follow(sources, diagnostics, resolver, &chain, node);
                if used.is_none() {
                    broken.add(node.span);
                }
                used
            }
            None => None,
        };
        chain.extend(next);
        tables.push(table);
    }
    let mut merged = tables.pop().unwrap_or_default();
    while let Some(table) = tables.pop() {
        merged.merge(table);
    }
    merged
}

fn follow(
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
    resolver: &dyn Resolver,
    chain: &[FileId],
    node: &Node,
) -> Option<FileId> {
    let Some(name) = node.as_text() else {
        diagnostics.push(no_name(node));
        return None;
    };
    let from = sources.name(*chain.last()?).to_string();
    let (path, text) = match resolver.read(&from, name) {
        Ok(read) => read,
        Err(diagnostic) => {
            diagnostics.push(diagnostic.at(node.span, "used here"));
            return None;
        }
    };
    let cycle = chain.iter().any(|file| sources.name(*file) == path);
    if cycle || chain.len() >= DEPTH {
        let message = if cycle {
            format!("`{name}` is used by itself")
        } else {
            format!("more than {DEPTH} files use one another")
        };
        let help = "remove one `use` of the chain";
        diagnostics.push(Diagnostic::error("G0008", message).at(node.span, "").help(help));
        return None;
    }
    Some(sources.add(path, text))
}

/// A value of `use` that is no name of a file.
fn no_name(node: &Node) -> Diagnostic {
    let help = match &node.value {
        Value::List(files) => match files.iter().find_map(Node::as_text) {
            Some(first) => format!(
                "write `use = \"{first}\"`: a model extends one file, which may extend another"
            ),
            None => "write `use = \"base.toml\"`".to_owned(),
        },
        _ => "write `use = \"base.toml\"`".to_owned(),
    };
    Diagnostic::error("G0103", "`use` must be the name of one file, in quotes")
        .at(node.span, format!("this is {}", node.kind()))
        .help(help)
}
