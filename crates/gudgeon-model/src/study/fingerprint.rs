//! Fingerprints: has a study changed since its results were written?
//!
//! FNV-1a with 64 bits over the content of all files and of the command line. Comments, blanks and
//! the names of files do not count, so that a folder may be moved and notes added.

use crate::overrides::Overrides;
use crate::tree::{Node, Table, Value};

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Sections that decide on the samples; the others only use them.
const OF_SAMPLES: &[&str] = &["format", "run", "set", "variables", "design", "responses", "sweep"];
/// Keys of `[study]` that change no sample which was finished.
const HARMLESS: &[&str] = &["name", "about", "time_limit"];

pub(super) struct Hash(u64);

impl Hash {
    pub fn new() -> Self {
        let mut hash = Self(OFFSET);
        hash.text("gudgeon study 1");
        hash
    }

    pub fn value(&self) -> u64 {
        self.0
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
    }

    /// A text with its length, so that neighbours cannot be confused.
    pub fn text(&mut self, text: &str) {
        self.bytes(&(text.len() as u64).to_le_bytes());
        self.bytes(text.as_bytes());
    }

    /// Entries that `keep` names, in their order.
    pub fn table(&mut self, table: &Table, keep: impl Fn(&str) -> bool) {
        self.bytes(b"{");
        for (name, node) in table.entries.iter().filter(|(name, _)| keep(&name.text)) {
            self.text(&name.text);
            self.node(node);
        }
        self.bytes(b"}");
    }

    /// What decides on the samples of a study.
    pub fn samples(&mut self, root: &Table) {
        self.table(root, |section| OF_SAMPLES.contains(&section));
        if let Some(study) = root.get("study").and_then(Node::as_table) {
            self.table(study, |key| !HARMLESS.contains(&key));
        }
    }

    fn node(&mut self, node: &Node) {
        match &node.value {
            Value::Text { text, .. } => {
                self.bytes(b"t");
                self.text(text);
            }
            Value::Number { value, .. } => {
                self.bytes(b"n");
                self.bytes(&value.to_bits().to_le_bytes());
            }
            Value::Flag(flag) => self.bytes(if *flag { b"T" } else { b"F" }),
            Value::Date => self.bytes(b"d"),
            Value::List(list) => {
                self.bytes(b"[");
                list.iter().for_each(|node| self.node(node));
                self.bytes(b"]");
            }
            Value::Table(table) => self.table(table, |_| true),
        }
    }

    pub fn overrides(&mut self, overrides: &Overrides) {
        let Overrides { set, ideal, law, until, measure_from, rtol } = overrides;
        for (name, value) in set {
            ["set", name, value].iter().for_each(|text| self.text(text));
        }
        for joint in ideal {
            ["ideal", joint].iter().for_each(|text| self.text(text));
        }
        for (joint, law) in law {
            ["law", joint.as_deref().unwrap_or(""), law].iter().for_each(|text| self.text(text));
        }
        for (option, value) in [("until", until), ("measure_from", measure_from)] {
            if let Some(value) = value {
                [option, value].iter().for_each(|text| self.text(text));
            }
        }
        if let Some(rtol) = rtol {
            self.text("rtol");
            self.bytes(&rtol.to_bits().to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        let mut hash = Hash(OFFSET);
        hash.bytes(b"foobar");
        assert_eq!(hash.value(), 0x8594_4171_f739_67e8);
    }
}
