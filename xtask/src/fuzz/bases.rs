//! What is mutated: shipped models and studies, examples of the references, the corpus of bad files;
//! and the words found in them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gudgeon::random::Random;
use gudgeon_model::shipped;

use super::case::{Case, Kind};
use super::places;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub struct Bases {
    pub models: Vec<String>,
    pub studies: Vec<String>,
    /// Shipped models, which are right.
    pub shipped: Vec<String>,
    /// Keys, values, and lines of all of them, each once.
    pub keys: Vec<String>,
    pub values: Vec<String>,
    pub lines: Vec<String>,
}

/// A line of files that take a good part of a second each: mutants of them would be most of the time.
const SLOW: &str = "# Slow to read.";

impl Bases {
    pub fn collect() -> Self {
        let shipped: Vec<String> =
            shipped::SHIPPED.iter().map(|shipped| shipped.model.to_owned()).collect();
        let mut models = shipped.clone();
        let mut studies: Vec<String> =
            gudgeon_study::shipped::studies().map(|study| study.text.to_owned()).collect();
        models.extend(examples("docs/model-file.md"));
        studies.extend(examples("docs/study-file.md"));
        let corpus = "crates/gudgeon-model/tests/diagnostics";
        models.extend(files(corpus, ".toml").into_iter().filter(|text| !text.contains(SLOW)));
        studies.extend(files("crates/gudgeon-study/tests/diagnostics", ".study.toml"));
        let (mut keys, mut values, mut lines) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for text in models.iter().chain(&studies) {
            lines.extend(text.lines().filter(|line| !line.is_empty()).map(str::to_owned));
            for (key, value) in places::entries(text) {
                keys.insert(text[key].to_owned());
                values.insert(text[value].to_owned());
            }
        }
        let list = |set: BTreeSet<String>| set.into_iter().collect();
        let (keys, values, lines) = (list(keys), list(values), list(lines));
        Self { models, studies, shipped, keys, values, lines }
    }

    /// A text to begin with: a model mostly, a study now and then.
    pub fn any(&self, random: &mut Random) -> Case {
        let (kind, texts) = match random.below(8) {
            0 => (Kind::Study, &self.studies),
            _ => (Kind::Model, &self.models),
        };
        Case { kind, text: pick(texts, random).clone() }
    }
}

pub fn pick<'a, T>(items: &'a [T], random: &mut Random) -> &'a T {
    &items[random.below(items.len())]
}

pub fn word<'a>(words: &[&'a str], random: &mut Random) -> &'a str {
    words[random.below(words.len())]
}

/// Blocks of a reference that are whole files.
fn examples(path: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(path)).unwrap_or_default();
    let blocks = text.split("```toml\n").skip(1).filter_map(|block| block.split("```").next());
    blocks.filter(|block| block.starts_with("format = 1")).map(str::to_owned).collect()
}

fn files(folder: &str, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder));
    let entries = entries.unwrap_or_else(|error| panic!("{folder}: {error}")).flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.to_str().is_some_and(|path| path.ends_with(ending)));
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}
