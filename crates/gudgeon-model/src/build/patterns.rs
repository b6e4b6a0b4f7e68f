//! The outputs of a run: a list of names and patterns.

use std::collections::HashSet;

use gudgeon::sensor::{Outputs, Sensor, is_pattern};

use super::Builder;
use super::vibration::not_of_motion;
use crate::diagnostic::Diagnostic;
use crate::reader::{Context, Reader, list, suggest, text};
use crate::tree::{Node, Value};

/// Outputs that patterns may bring without a word, and at all.
const MANY: usize = 256;
const MOST: usize = 4096;

impl Builder<'_> {
    /// Each output once, in the order of the list and within a pattern in that of the catalogue.
    pub(super) fn outputs(&self, cx: &mut Context<'_>, reader: &Reader<'_>) -> Vec<Sensor> {
        let Some(node) = reader.get("outputs") else { return Vec::new() };
        let known = Outputs::of(&self.model);
        let (mut sensors, mut seen) = (Vec::<Sensor>::new(), HashSet::new());
        let mut wide = None;
        for node in output_nodes(cx, node) {
            let Some(name) = text(cx, "outputs", node) else { continue };
            let owner = name.value.split('.').next().unwrap_or("");
            if self.broken.contains(owner) {
                continue;
            }
            // Why a name is unknown is looked up as long as it is shown.
            if cx.diagnostics.is_full()
                && !is_pattern(name.value)
                && known.find(name.value).is_none()
            {
                cx.report(Diagnostic::error("G0903", "unknown output").at(node.span, ""));
                continue;
            }
            match known.choose(name.value) {
                Ok(found) => {
                    if is_pattern(name.value) && found.len() > MANY {
                        wide = wide.or(Some(node.span));
                    }
                    let fresh = found.into_iter().filter(|one| seen.insert(one.name.clone()));
                    sensors.extend(fresh);
                }
                Err(_) if cx.diagnostics.is_full() => {
                    cx.report(Diagnostic::error("G0903", "unknown output").at(node.span, ""));
                }
                Err(_) if self.is_of_vibration(name.value) => {
                    cx.report(not_of_motion(name.value, node.span));
                }
                // A pattern of what could not be built says nothing new.
                Err(_) if is_pattern(name.value) && !self.broken.is_empty() => {}
                Err(unknown) => {
                    let (code, label) = match is_pattern(name.value) {
                        true => ("G0925", "nothing fits"),
                        false => ("G0903", "not known"),
                    };
                    let part = name.value.get(unknown.part.clone()).unwrap_or("");
                    let help = match unknown.candidates.is_empty() {
                        true => "`gudgeon check MODEL --outputs` lists all outputs".to_owned(),
                        false => suggest(part, unknown.candidates.iter().map(String::as_str)),
                    };
                    let diagnostic = Diagnostic::error(code, unknown.message)
                        .at(node.part(unknown.part), label)
                        .help(help);
                    cx.report(diagnostic);
                }
            }
        }
        if let Some(span) = wide {
            let message = format!("the run reports {} outputs", sensors.len());
            let help = "each is computed, written and drawn; name those that matter";
            let diagnostic = match sensors.len() > MOST {
                true => Diagnostic::error("G0926", format!("{message}, more than {MOST}")),
                false => Diagnostic::warning("G0926", message),
            };
            cx.report(diagnostic.at(span, "this fits many").help(help));
        }
        self.without_bending(cx, reader, sensors)
    }
}

/// A list, or `{ add = [..] }` where no other file is there to add to.
fn output_nodes<'t>(cx: &mut Context<'_>, node: &'t Node) -> &'t [Node] {
    match &node.value {
        Value::Table(table) if table.entries.len() == 1 && table.get("add").is_some() => {
            table.get("add").and_then(|node| list(cx, "outputs.add", node)).unwrap_or_default()
        }
        _ => list(cx, "outputs", node).unwrap_or_default(),
    }
}
