//! From the text of a file to its tree, with the syntax errors a reader can act on.
//!
//! The TOML parser recovers from errors and reports many. Kept is the first of each statement, and
//! nothing after a bracket that is never closed. The tree holds whatever could be read, so that the
//! remaining checks still run: [`Broken`] says which of their findings are only consequences.

use std::ops::Range;

use toml::de::DeTable;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{FileId, Span};
use crate::tree::{self, Table};

/// Parts of a file that could not be read.
#[derive(Clone, Debug, Default)]
pub struct Broken {
    spans: Vec<Span>,
}

impl Broken {
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Marks a part that is missing for another reason.
    pub fn add(&mut self, span: Span) {
        self.spans.push(span);
    }

    /// Whether a finding at `span` repeats a syntax error.
    pub fn covers(&self, span: Span) -> bool {
        self.spans.iter().any(|broken| {
            broken.file == span.file && broken.start <= span.start && span.start < broken.end
        })
    }
}

pub fn parse(
    file: FileId,
    text: &str,
    diagnostics: &mut Diagnostics,
    broken: &mut Broken,
) -> Table {
    if let Some(range) = json(text) {
        diagnostics.push(no_toml(Span { file, start: range.start, end: range.end }));
        broken.add(Span { file, start: 0, end: text.len() + 1 });
        return Table::default();
    }
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let statements = Statements::scan(text);
        let mut found: Vec<(Range<usize>, String)> = errors
            .iter()
            .map(|error| (error.span().unwrap_or(0..0), error.message().to_string()))
            .collect();
        found.sort_by_key(|(range, _)| range.start);
        report(file, text, &statements, found, diagnostics, broken);
    }
    tree::table(file, text, document.get_ref())
}

/// Where JSON starts, if the text is no TOML but that: no TOML file starts with these brackets.
fn json(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    let rest = &text[start..];
    let is_list = rest.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'));
    (rest.starts_with('{') || is_list).then_some(start..start + 1)
}

fn no_toml(span: Span) -> Diagnostic {
    Diagnostic::error("G0015", "this is a JSON file; models and studies are TOML files")
        .at(span, "JSON starts with this bracket")
        .help("write `[run]` and `until = \"1 s\"` for `{ \"run\": { \"until\": … } }`; `gudgeon new NAME` makes a model to start from")
}

fn report(
    file: FileId,
    text: &str,
    statements: &Statements,
    found: Vec<(Range<usize>, String)>,
    diagnostics: &mut Diagnostics,
    broken: &mut Broken,
) {
    let at = |range: &Range<usize>| Span { file, start: range.start, end: range.end };
    let limit = statements.unclosed.unwrap_or(usize::MAX);
    let mut last = None;
    for (range, message) in found {
        let statement = statements.index(range.start);
        if range.start >= limit || last == Some(statement) {
            continue;
        }
        last = Some(statement);
        broken.spans.push(at(&statements.ranges[statement]));
        diagnostics.push(syntax_error(text, at(&range), &message));
    }
    if let Some(start) = statements.unclosed {
        let (open, close) = if text[start..].starts_with('[') { ('[', ']') } else { ('{', '}') };
        broken.spans.push(at(&(start..text.len() + 1)));
        diagnostics.push(
            Diagnostic::error("G0007", format!("`{open}` is never closed"))
                .at(at(&(start..start + 1)), "opened here")
                .help(format!("close it with `{close}`; what follows was not checked")),
        );
    }
}

fn syntax_error(text: &str, span: Span, message: &str) -> Diagnostic {
    let marked = text.get(span.start..span.end).unwrap_or("");
    if message.starts_with("string values must be quoted") && marked.is_empty() {
        return Diagnostic::error("G0005", "syntax error: a value is missing")
            .at(span, "expected a value");
    }
    if message.starts_with("string values must be quoted") {
        let what =
            if starts_like_a_number(marked) { "a value with a unit" } else { "a text value" };
        return Diagnostic::error("G0006", format!("{what} stands in quotes"))
            .at(span, "not quoted")
            .help(format!("write \"{}\"", marked.replace('"', "")));
    }
    if message == "duplicate key" {
        return Diagnostic::error("G0005", format!("`{marked}` is given twice"))
            .at(span, "given again");
    }
    let (message, expected) = match message.split_once(", expected ") {
        Some((message, expected)) => (message, Some(expected)),
        None => (message, None),
    };
    let diagnostic = Diagnostic::error("G0005", format!("syntax error: {message}"));
    diagnostic.at(span, expected.map_or("here".into(), |expected| format!("expected {expected}")))
}

fn starts_like_a_number(text: &str) -> bool {
    text.trim_start_matches(['+', '-', '.']).starts_with(|c: char| c.is_ascii_digit())
}

/// The statements of a TOML text: lines, joined where brackets or long strings span several.
struct Statements {
    ranges: Vec<Range<usize>>,
    /// The first bracket that is still open at the end.
    unclosed: Option<usize>,
}

impl Statements {
    fn scan(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut ranges, mut open) = (Vec::new(), Vec::<usize>::new());
        let (mut start, mut i) = (0, 0);
        while i < bytes.len() {
            match bytes[i] {
                b'\n' if open.is_empty() || is_header(bytes, start) => {
                    open.clear();
                    ranges.push(start..i + 1);
                    start = i + 1;
                }
                b'#' => i = line_end(bytes, i) - 1,
                b'"' | b'\'' => i = string_end(bytes, i) - 1,
                b'[' | b'{' => open.push(i),
                close @ (b']' | b'}') => {
                    // A wrong closing bracket closes what it can; the parser reports it.
                    let wanted = if close == b']' { b'[' } else { b'{' };
                    if let Some(at) = open.iter().rposition(|&o| bytes[o] == wanted) {
                        open.truncate(at);
                    }
                }
                _ => {}
            }
            i += 1;
        }
        ranges.push(start..bytes.len() + 1);
        let unclosed = if is_header(bytes, start) { None } else { open.first().copied() };
        Self { ranges, unclosed }
    }

    fn index(&self, offset: usize) -> usize {
        self.ranges.partition_point(|range| range.end <= offset).min(self.ranges.len() - 1)
    }
}

/// Whether the statement at `start` is a table header, which ends with its line.
fn is_header(bytes: &[u8], start: usize) -> bool {
    bytes[start..].iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'[')
}

/// Index of the line feed that ends the line of `i`, or the length.
fn line_end(bytes: &[u8], i: usize) -> usize {
    bytes[i..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| i + n)
}

/// Index after the string that starts at `i`; a plain string ends with its line at the latest.
fn string_end(bytes: &[u8], i: usize) -> usize {
    let quote = bytes[i];
    let long = bytes[i..].starts_with(&[quote; 3]);
    let mut j = i + if long { 3 } else { 1 };
    while j < bytes.len() {
        match bytes[j] {
            b'\\' if quote == b'"' => j += 1,
            b'\n' if !long => return j,
            b if b == quote && !long => return j + 1,
            b if b == quote && bytes[j..].starts_with(&[quote; 3]) => return j + 3,
            _ => {}
        }
        j += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_span_brackets_and_long_strings() {
        let text = "a = 1\nb = [\n 1, # ] no\n 2]\nc = \"\"\"\n[\n\"\"\"\n[d]\n";
        let statements = Statements::scan(text);
        let starts: Vec<&str> = statements
            .ranges
            .iter()
            .filter_map(|range| text[range.start..].lines().next())
            .collect();
        assert_eq!(starts, ["a = 1", "b = [", "c = \"\"\"", "[d]"]);
        assert_eq!(statements.unclosed, None);
    }

    #[test]
    fn the_first_open_bracket_is_found() {
        let text = "a = 1\nb = [1, 2\n[c]\nd = [3]\n";
        assert_eq!(Statements::scan(text).unclosed, text.find('['));
        assert_eq!(Statements::scan("[a\nb = 1\n").unclosed, None);
    }
}
