//! Values of options: numbers, texts and instants.

use crate::source::{FileId, Span};
use crate::tree::{Name, Node, Table, Value};

/// A time or turns: `20 ms`, `JOINT=3 rev` or `JOINT=3 rev, at_most=10 s`. What has no name gets an empty
/// one, for the reader of instants to tell.
pub(super) fn instant(value: &str, file: FileId, offset: usize) -> Node {
    let is_expression = value.trim_start().starts_with('=');
    if is_expression || !value.contains('=') {
        return scalar(value, file, offset);
    }
    let mut entries = Vec::new();
    let mut start = 0;
    for end in ends_of_parts(value) {
        let (part, at) = (&value[start..end], offset + start);
        // A comma at the end names nothing.
        if end < value.len() || !part.trim().is_empty() {
            entries.push(entry(part, file, at));
        }
        start = end + 1;
    }
    let span = Span::new(file, offset..offset + value.len());
    Node { value: Value::Table(Table { entries }), span }
}

/// `NAME=VALUE`.
fn entry(part: &str, file: FileId, offset: usize) -> (Name, Node) {
    let (name, value) = part.split_once('=').unwrap_or(("", part));
    let shown = if name.trim().is_empty() { part } else { name };
    let start = offset + shown.len() - shown.trim_start().len();
    let span = Span::new(file, start..start + shown.trim().len());
    let name = Name { text: name.trim().into(), span };
    (name, scalar(value, file, offset + part.len() - value.len()))
}

/// Where parts end: at commas outside of parentheses that are no decimal signs, and at the end.
fn ends_of_parts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut open = 0_usize;
    let mut ends = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' => open += 1,
            b')' => open = open.saturating_sub(1),
            b',' if open == 0 && !(at > 0 && is_digit(at - 1) && is_digit(at + 1)) => ends.push(at),
            _ => {}
        }
    }
    ends.push(text.len());
    ends
}

/// A number or a text, also one that has kept its quotes.
pub(super) fn unquoted(value: &str, file: FileId) -> Node {
    let text = value.trim();
    let quoted =
        ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    match quoted {
        Some(inner) => scalar(inner, file, value.len() - value.trim_start().len() + 1),
        None => scalar(value, file, 0),
    }
}

/// A number, or a text as it stands.
pub(super) fn scalar(value: &str, file: FileId, offset: usize) -> Node {
    let start = offset + value.len() - value.trim_start().len();
    let text = value.trim();
    let span = Span::new(file, start..start + text.len());
    let value = match text.parse::<f64>() {
        Ok(value) => Value::Number { value, si: true },
        Err(_) => Value::Text { text: text.into(), inner: Some(start) },
    };
    Node { value, span }
}
