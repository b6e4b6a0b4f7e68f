//! `plot_range`: the part of the run that pictures show.

use std::cmp::Ordering;

use super::Builder;
use super::pressures::word;
use super::when::{End, order};
use crate::diagnostic::{Diagnostic, nearest};
use crate::reader::{Context, Reader};
use crate::run::Until;
use crate::source::Span;
use crate::tree::{Node, Value};

/// The word for the whole run.
const ALL: &str = "all";

impl Builder<'_> {
    /// Start and end of the pictures; `None` for the measuring window.
    pub(super) fn plot_range(
        &self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        end: Option<End>,
    ) -> Option<(Until, Until)> {
        let node = reader.get("plot_range")?;
        let [from, to] = match &node.value {
            Value::Text { text, .. } if text.trim() == ALL => {
                return end.map(|end| (Until::Time(0.0), end.when.value));
            }
            Value::List(ends) => match &ends[..] {
                [from, to] => [from, to].map(|end| self.when(cx, "plot_range", end)),
                _ => [refuse(cx, node), None],
            },
            _ => [refuse(cx, node), None],
        };
        let (from, to) = (from?, to?);
        if order(from.value, to.value).is_some_and(Ordering::is_ge) {
            let diagnostic = Diagnostic::error("G0911", "`plot_range` must end after its start")
                .at(to.span, "its end")
                .also(from.span, "its start")
                .help("give the earlier instant first");
            cx.report(diagnostic);
            return None;
        }
        if let Some(end) = end.and_then(|end| end.before(to.value, false)) {
            report_late(cx, to.span, end);
            return None;
        }
        Some((from.value, to.value))
    }
}

fn refuse<T>(cx: &mut Context<'_>, node: &Node) -> Option<T> {
    let help = match word(node).and_then(|word| nearest(word, [ALL])) {
        Some(_) => format!("did you mean `{ALL}`?"),
        None => format!(
            "write `[\"2 rev\", \"3 rev\"]` or \"{ALL}\" in the file, \
             `--plot-range \"2 rev .. 3 rev\"` or `--plot-range {ALL}`"
        ),
    };
    let diagnostic = Diagnostic::error("G0911", "`plot_range` takes a start and an end")
        .at(node.span, "not both of them")
        .help(help);
    cx.report(diagnostic);
    None
}

/// A run that the command line or a file on top makes shorter is drawn from its measuring window
/// instead.
fn report_late(cx: &mut Context<'_>, to: Span, until: Span) {
    let on_top = cx.is_command_line(until) || until.file.0 < to.file.0;
    let diagnostic = if on_top && !cx.is_command_line(to) {
        Diagnostic::warning(
            "G0911",
            "the run ends before `plot_range` does: the measuring window is drawn",
        )
        .help("give `--plot-range` too")
    } else {
        Diagnostic::error("G0911", "`plot_range` ends after the run")
            .help(format!("take an earlier end, or \"{ALL}\""))
    };
    cx.report(diagnostic.at(to, "too late").also(until, "the run ends here"));
}
