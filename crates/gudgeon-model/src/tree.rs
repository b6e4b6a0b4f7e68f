//! The content of a model file as a tree of values, each with its place in a file.
//!
//! The tree is what `use` merges and what the command line writes into; it owns its text, so that
//! values of several files can stand side by side.

use std::collections::HashMap;
use std::ops::Range;

use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

use crate::keys::{ALTERNATIVES, NAMED};
use crate::source::{FileId, Span};

/// A key as written.
#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub value: Value,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Value {
    Text {
        text: String,
        /// Where the text starts in its file, if it stands there letter by letter.
        inner: Option<usize>,
    },
    Number {
        value: f64,
        /// A bare number that is SI in whatever dimension is expected: of the command line, or of a file
        /// that says so.
        si: bool,
    },
    Flag(bool),
    Date,
    List(Vec<Node>),
    Table(Table),
}

#[derive(Clone, Debug, Default)]
pub struct Table {
    pub entries: Vec<(Name, Node)>,
}

impl Node {
    /// The place of a part of a text value; the whole value where escapes shift the letters.
    pub fn part(&self, range: Range<usize>) -> Span {
        match &self.value {
            Value::Text { inner: Some(inner), .. } => {
                Span { file: self.span.file, start: inner + range.start, end: inner + range.end }
            }
            _ => self.span,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    pub fn as_table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    fn take_numbers_as_si(&mut self, of: FileId) {
        match &mut self.value {
            Value::Number { si, .. } if self.span.file == of => *si = true,
            Value::List(list) => list.iter_mut().for_each(|node| node.take_numbers_as_si(of)),
            Value::Table(table) => table.take_numbers_as_si(of),
            _ => {}
        }
    }

    /// What the value is, in the words of a message.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text { .. } => "a text",
            Value::Number { .. } => "a number",
            Value::Flag(_) => "true or false",
            Value::Date => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

impl Table {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|(_, node)| node)
    }

    pub fn entry(&self, key: &str) -> Option<&(Name, Node)> {
        self.entries.iter().find(|(name, _)| name.text == key)
    }

    pub fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// Gives the numbers of a file the SI unit that is expected of each.
    pub fn take_numbers_as_si(&mut self, file: FileId) {
        self.entries.iter_mut().for_each(|(_, node)| node.take_numbers_as_si(file));
    }

    /// Takes the value at the end of a path away.
    pub fn remove(&mut self, path: &[(&str, Span)]) {
        let Some(((key, _), rest)) = path.split_first() else { return };
        if rest.is_empty() {
            return self.entries.retain(|(name, _)| name.text != *key);
        }
        let inner = self.entries.iter_mut().find(|(name, _)| name.text == *key);
        if let Some((_, Node { value: Value::Table(table), .. })) = inner {
            table.remove(rest);
        }
    }

    /// Lays `over` on top: tables merge, `{ add = [..] }` extends a list, a plain value replaces the
    /// `value` of a table that has one, all else is replaced; and one of several alternative keys
    /// replaces the others.
    pub fn merge(&mut self, over: Table) {
        for group in ALTERNATIVES.iter().filter(|group| group.iter().any(|k| over.has(k))) {
            let stays = |name: &str| !group.contains(&name) || over.has(name);
            self.entries.retain(|(name, _)| stays(&name.text));
        }
        self.merge_named(over);
    }

    /// The same for a table of things that the user names.
    fn merge_named(&mut self, over: Table) {
        let index: HashMap<String, usize> =
            self.entries.iter().enumerate().map(|(i, (name, _))| (name.text.clone(), i)).collect();
        for (name, node) in over.entries {
            match index.get(&name.text) {
                Some(&i) => {
                    let (key, base) = &mut self.entries[i];
                    if !base.merge(node, NAMED.contains(&name.text.as_str())) {
                        *key = name;
                    }
                }
                None => self.entries.push((name, node)),
            }
        }
    }
}

impl Node {
    /// Returns whether something of the old value remains.
    fn merge(&mut self, over: Node, named: bool) -> bool {
        match (&mut self.value, over.value) {
            (Value::Table(base), Value::Table(table)) if named => base.merge_named(table),
            (Value::Table(base), Value::Table(table)) => base.merge(table),
            (Value::Table(base), value) if base.has("value") => {
                let own = base.entries.iter_mut().find(|(name, _)| name.text == "value");
                if let Some((_, own)) = own {
                    *own = Node { value, span: over.span };
                }
            }
            (Value::List(list), Value::Table(table)) if table.get("add").is_some() => {
                for (_, node) in table.entries {
                    match node.value {
                        Value::List(more) => list.extend(more),
                        _ => list.push(node),
                    }
                }
            }
            (_, value) => {
                *self = Node { value, span: over.span };
                return false;
            }
        }
        true
    }
}

/// Copies a parsed table out of the text it borrows from.
pub fn table(file: FileId, text: &str, table: &DeTable<'_>) -> Table {
    let entry = |key: &toml::Spanned<std::borrow::Cow<'_, str>>, value| {
        let name = Name { text: key.get_ref().to_string(), span: span(file, key.span()) };
        (name, node(file, text, value))
    };
    Table { entries: table.iter().map(|(key, value)| entry(key, value)).collect() }
}

fn node(file: FileId, text: &str, value: &toml::Spanned<DeValue<'_>>) -> Node {
    let range = value.span();
    let value = match value.get_ref() {
        DeValue::String(string) => {
            Value::Text { text: string.to_string(), inner: verbatim(text, &range, string) }
        }
        DeValue::Integer(integer) => Value::Number { value: from_integer(integer), si: false },
        DeValue::Float(float) => Value::Number { value: from_float(float), si: false },
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(array) => {
            Value::List(array.iter().map(|value| node(file, text, value)).collect())
        }
        DeValue::Table(inner) => Value::Table(table(file, text, inner)),
    };
    Node { value, span: span(file, range) }
}

fn span(file: FileId, range: Range<usize>) -> Span {
    Span { file, start: range.start, end: range.end }
}

/// Start of `string` in the source if the source holds it without escapes.
fn verbatim(text: &str, range: &Range<usize>, string: &str) -> Option<usize> {
    let raw = text.get(range.clone())?;
    let quotes = if raw.starts_with("\"\"\"") || raw.starts_with("'''") {
        3
    } else {
        usize::from(raw.starts_with(['"', '\'']))
    };
    raw.get(quotes..)?.starts_with(string).then_some(range.start + quotes)
}

fn from_integer(integer: &DeInteger<'_>) -> f64 {
    match integer.radix() {
        10 => integer.as_str().parse().unwrap_or(f64::NAN),
        radix => i128::from_str_radix(integer.as_str(), radix).map_or(f64::NAN, |i| i as f64),
    }
}

fn from_float(float: &DeFloat<'_>) -> f64 {
    float.as_str().parse().unwrap_or(f64::NAN)
}
