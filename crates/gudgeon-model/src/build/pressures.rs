//! `pressure_at`: when the pressure of films is written.

use super::Builder;
use super::when::End;
use crate::diagnostic::{Diagnostic, nearest};
use crate::reader::{At, Context, Reader, list};
use crate::run::PressureAt;
use crate::source::Span;
use crate::spec::Spec;
use crate::tree::{Node, Value};

/// The word for the instant of the thinnest film.
const THINNEST: &str = "thinnest";

impl Builder<'_> {
    pub(super) fn pressure_at(
        &self,
        cx: &mut Context<'_>,
        spec: &Spec<'_>,
        reader: &Reader<'_>,
        end: Option<End>,
    ) -> Vec<PressureAt> {
        let Some((key, node)) = reader.entry("pressure_at") else { return Vec::new() };
        if !spec.joints.iter().any(|joint| joint.wet) {
            let diagnostic = Diagnostic::error("G0908", "`pressure_at` needs a joint with a film")
                .at(key.span, "no joint has one")
                .help("give a joint with `clearance` a `film`, or remove `pressure_at`");
            cx.report(diagnostic);
            return Vec::new();
        }
        if let Value::Table(_) = node.value {
            let example = self.example(cx, "pressure_at", node.span, None, false);
            let help =
                format!("put it in brackets, also a single one: `[{}]`", example.replace('`', ""));
            let diagnostic = Diagnostic::error("G0103", "`pressure_at` must be a list");
            cx.report(diagnostic.at(node.span, "this is a table").help(help));
            return Vec::new();
        }
        let nodes = list(cx, "pressure_at", node).unwrap_or_default();
        let (mut instants, mut late, mut until) = (Vec::new(), Vec::new(), None);
        for node in nodes {
            let Some(instant) = self.instant(cx, node) else { continue };
            let before = match (instant.value, end) {
                (PressureAt::When(when), Some(end)) => end.before(when, false),
                _ => None,
            };
            match before {
                Some(end) => {
                    late.push(instant.span);
                    until.get_or_insert(end);
                }
                None => instants.push(instant.value),
            }
        }
        report_late(cx, &late, until);
        instants
    }

    fn instant(&self, cx: &mut Context<'_>, node: &Node) -> Option<At<PressureAt>> {
        match word(node).filter(|word| self.joint_in(word).is_none()) {
            Some(THINNEST) => return Some(At { value: PressureAt::Thinnest, span: node.span }),
            Some(other) => {
                let message = format!("`pressure_at` does not know `{other}`");
                let help = match nearest(other, [THINNEST]) {
                    Some(word) => format!("did you mean `{word}`?"),
                    None => {
                        format!("write a time such as \"20 ms\", \"3 rev\", or \"{THINNEST}\"")
                    }
                };
                let diagnostic = Diagnostic::error("G0908", message)
                    .at(node.span, "no time and no angle")
                    .help(help);
                cx.report(diagnostic);
                return None;
            }
            None => {}
        }
        let when = self.when(cx, "pressure_at", node)?;
        Some(At { value: PressureAt::When(when.value), span: when.span })
    }
}

/// A text of letters, which can be no quantity.
pub(super) fn word(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Text { text, .. } => {
            let text = text.trim();
            text.starts_with(|c: char| c.is_alphabetic()).then_some(text)
        }
        _ => None,
    }
}

/// Reports instants behind the end of the run. One that the command line, a study or a file on top makes
/// shorter leaves out what its own file asks for later.
fn report_late(cx: &mut Context<'_>, late: &[Span], until: Option<Span>) {
    let (Some(until), Some(first)) = (until, late.first()) else { return };
    // A study comes before its model among the sources, and a file before those that it uses.
    let on_top = cx.is_command_line(until) || until.file.0 < first.file.0;
    let shortened = on_top && !cx.is_command_line(*first);
    let what = match late.len() {
        1 => "an instant of `pressure_at`".to_owned(),
        n => format!("{n} instants of `pressure_at`"),
    };
    let diagnostic = if shortened {
        Diagnostic::warning("G0908", format!("the run ends before {what}: left out"))
    } else {
        let verb = if late.len() == 1 { "comes" } else { "come" };
        Diagnostic::error("G0908", format!("{what} {verb} after `until`"))
            .help("take an earlier one, or `\"thinnest\"`")
    };
    cx.report(diagnostic.at(*first, "too late").also(until, "the run ends here"));
}
