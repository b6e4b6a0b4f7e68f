//! Fingerprints: has a study changed since its results were written?
//!
//! FNV-1a with 64 bits over the content of all files and of the command line. Comments, blanks, the
//! order of keys and the places of files do not count, so that a folder may be moved and notes added.
//! Every section has a fingerprint of its own, so that the one that has changed can be named.

use std::path::Path;

use gudgeon_model::Overrides;
use gudgeon_model::tree::{Node, Table, Value};

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Sections that decide on what a sample gives; the others only use it.
const OF_SAMPLES: &[&str] = &["format", "run", "set", "variables", "design", "responses"];
/// Keys of `[study]` that change no sample which was finished.
const HARMLESS: &[&str] = &["name", "about", "time_limit"];

/// Names and fingerprints of everything that decides on the samples.
#[derive(Debug, Default)]
pub(super) struct Parts(pub Vec<(String, u64)>);

impl Parts {
    /// Of all of it.
    pub fn whole(&self) -> u64 {
        let mut hash = Hash::new();
        for (name, value) in &self.0 {
            hash.text(name);
            hash.bytes(&value.to_le_bytes());
        }
        hash.0
    }

    fn push(&mut self, name: String, fill: impl FnOnce(&mut Hash)) {
        let mut hash = Hash::new();
        fill(&mut hash);
        self.0.push((name, hash.0));
    }

    /// The sections of the study.
    pub fn study(&mut self, root: &Table) {
        if let Some(study) = root.get("study").and_then(Node::as_table) {
            let keep = |key: &str| !HARMLESS.contains(&key);
            self.push("[study]".into(), |hash| hash.table(study, keep));
        }
        for section in OF_SAMPLES {
            if let Some(node) = root.get(section) {
                self.push(heading(section, node), |hash| hash.node(node));
            }
        }
    }

    /// The sections of the model, as the study calls it.
    pub fn model(&mut self, name: &str, root: &Table) {
        for (section, node) in sorted(root) {
            self.push(format!("{} of {name}", heading(section, node)), |hash| hash.node(node));
        }
    }

    /// A file with points, or with data that the model looks up.
    pub fn file(&mut self, name: &str, text: &str) {
        let name = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy());
        self.push(name.into_owned(), |hash| hash.text(&text.replace("\r\n", "\n")));
    }

    pub fn command_line(&mut self, overrides: &Overrides) {
        self.push("command line".into(), |hash| hash.overrides(overrides));
    }
}

/// A section as the file writes it.
fn heading(name: &str, node: &Node) -> String {
    if node.as_table().is_some() { format!("[{name}]") } else { name.to_owned() }
}

fn sorted(table: &Table) -> Vec<(&str, &Node)> {
    let mut all: Vec<(&str, &Node)> =
        table.entries.iter().map(|(name, node)| (&name.text[..], node)).collect();
    all.sort_by_key(|(name, _)| *name);
    all
}

struct Hash(u64);

impl Hash {
    fn new() -> Self {
        let mut hash = Self(OFFSET);
        hash.text("gudgeon study 2");
        hash
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
    }

    /// A text with its length, so that neighbours cannot be confused.
    fn text(&mut self, text: &str) {
        self.bytes(&(text.len() as u64).to_le_bytes());
        self.bytes(text.as_bytes());
    }

    /// Entries that `keep` names, in any order. Tables of tables list variables, bodies or joints,
    /// whose order is that of the unknowns: there it counts.
    fn table(&mut self, table: &Table, keep: impl Fn(&str) -> bool) {
        let mut all = sorted(table);
        if all.iter().all(|(_, node)| node.as_table().is_some()) {
            all = table.entries.iter().map(|(name, node)| (&name.text[..], node)).collect();
        }
        self.bytes(b"{");
        for (name, node) in all.into_iter().filter(|(name, _)| keep(name)) {
            self.text(name);
            self.node(node);
        }
        self.bytes(b"}");
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

    fn overrides(&mut self, overrides: &Overrides) {
        // Pictures and what a run may cost are no part of a study's results.
        let Overrides {
            set,
            ideal,
            frictionless,
            law,
            until,
            measure_from,
            rtol,
            method,
            every,
            plot_range: _,
            time_limit: _,
            max_steps: _,
        } = overrides;
        for (name, value) in set {
            ["set", name, value].iter().for_each(|text| self.text(text));
        }
        for joint in ideal {
            ["ideal", joint].iter().for_each(|text| self.text(text));
        }
        for joint in frictionless {
            ["frictionless", joint.as_deref().unwrap_or("")]
                .iter()
                .for_each(|text| self.text(text));
        }
        for (joint, law) in law {
            ["law", joint.as_deref().unwrap_or(""), law].iter().for_each(|text| self.text(text));
        }
        for (option, value) in
            [("until", until), ("measure_from", measure_from), ("method", method), ("every", every)]
        {
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
        assert_eq!(hash.0, 0x8594_4171_f739_67e8);
    }
}
