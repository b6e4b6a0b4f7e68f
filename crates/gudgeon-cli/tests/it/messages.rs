//! Every code of a message has a line in docs/messages.md and is seen by a test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder with one of these extensions.
fn files(folder: &Path, extensions: &[&str], all: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files(&path, extensions, all);
        } else if path.extension().is_some_and(|e| extensions.iter().any(|known| e == *known)) {
            all.push(path);
        }
    }
}

/// Whether a source is a module of tests in a file of its own.
fn is_test(path: &Path) -> bool {
    path.components().any(|part| ["tests", "tests.rs"].iter().any(|name| part.as_os_str() == *name))
}

/// The lines of a source that are no comments.
fn without_comments(source: &str) -> String {
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Words such as `G0207` and `W0301`.
fn codes(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_code = |word: &&str| {
        word.len() == 5
            && word.starts_with(['G', 'W'])
            && word[1..].bytes().all(|byte| byte.is_ascii_digit())
    };
    words.filter(is_code).map(str::to_owned).collect()
}

/// Codes of the program, and those that its tests name.
fn known_and_tested() -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut known, mut tested) = (BTreeSet::new(), BTreeSet::new());
    for krate in fs::read_dir(root().join("crates")).unwrap() {
        let krate = krate.unwrap().path();
        let (mut sources, mut tests) = (Vec::new(), Vec::new());
        files(&krate.join("src"), &["rs"], &mut sources);
        files(&krate.join("tests"), &["rs", "stderr", "snap"], &mut tests);
        for path in sources {
            let text = fs::read_to_string(&path).unwrap();
            // Modules of tests stand at the end of their file.
            let (program, test) = match is_test(path.strip_prefix(&krate).unwrap()) {
                true => ("", &text[..]),
                false => text.split_once("#[cfg(test)]").unwrap_or((&text, "")),
            };
            known.extend(codes(&without_comments(program)));
            tested.extend(codes(test));
        }
        tests.iter().for_each(|path| tested.extend(codes(&fs::read_to_string(path).unwrap())));
    }
    (known, tested)
}

#[test]
fn every_code_has_a_line_in_the_docs() {
    let docs = fs::read_to_string(root().join("docs/messages.md")).unwrap();
    let rows: BTreeSet<String> = docs
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .filter_map(|line| codes(line.split('|').next().unwrap_or("")).into_iter().next())
        .collect();
    let (known, _) = known_and_tested();
    assert!(known.len() > 150, "{} codes found", known.len());
    let missing: Vec<_> = known.difference(&rows).collect();
    assert!(missing.is_empty(), "no line in docs/messages.md for {missing:?}");
    let gone: Vec<_> = rows.difference(&known).collect();
    assert!(gone.is_empty(), "docs/messages.md has lines for codes that nothing gives: {gone:?}");
}

#[test]
fn every_code_is_seen_by_a_test() {
    let (known, tested) = known_and_tested();
    let missing: Vec<_> = known.difference(&tested).collect();
    assert!(missing.is_empty(), "no test shows {missing:?}");
}
