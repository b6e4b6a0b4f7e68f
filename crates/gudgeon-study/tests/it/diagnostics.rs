//! Bad studies and the exact messages they get.
//!
//! Each `diagnostics/NAME.study.toml` has its messages beside it in `NAME.stderr`. Comment lines that
//! start with `#!` hold options of the command line. `GUDGEON_BLESS=1` rewrites the messages.

use std::path::{Path, PathBuf};

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver};
use gudgeon_study::file::{load_study, load_study_text};

fn studies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics")
}

/// Files of the folder under their bare names, so that messages name no machine.
struct Folder;

impl Resolver for Folder {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        std::fs::read_to_string(studies().join(name))
            .map(|text| (name.to_string(), text))
            .map_err(|_| Box::new(Diagnostic::error("G0001", format!("cannot read `{name}`"))))
    }
}

fn options(text: &str) -> Overrides {
    let mut overrides = Overrides::default();
    for line in text.lines().filter_map(|line| line.strip_prefix("#! --set ")) {
        let (name, value) = line.split_once('=').expect("NAME=VALUE");
        overrides.set.push((name.to_string(), value.to_string()));
    }
    overrides
}

/// The messages of a study.
fn study_messages(name: &str, text: &str) -> String {
    match load_study_text(name, text, &Folder, &options(text)) {
        Ok(loaded) => loaded.warnings.render(&loaded.sources, false),
        Err(failure) => failure.diagnostics.render(&failure.sources, false),
    }
}

/// Compares the messages of every `NAME.EXTENSION` of a folder with those beside it.
fn check(folder: &Path, extension: &str, messages: fn(&str, &str) -> String) -> usize {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().is_some_and(|path| path.ends_with(extension)))
        .collect();
    paths.sort();
    let bless = std::env::var_os("GUDGEON_BLESS").is_some();
    let mut differences = Vec::new();
    for path in &paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        let found = messages(name, &std::fs::read_to_string(path).unwrap());
        let beside = folder.join(name.replace(extension, ".stderr"));
        if bless {
            std::fs::write(&beside, &found).unwrap();
        } else if std::fs::read_to_string(&beside).unwrap_or_default() != found {
            differences.push(format!("== {name}\n{found}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    paths.len()
}

#[test]
fn every_bad_study_gets_its_messages() {
    assert!(check(&studies(), ".study.toml", study_messages) > 15, "the folder is missing");
}

#[test]
fn a_study_that_cannot_be_read_says_why() {
    let path = studies().join("none.study.toml");
    let failure = load_study(&path, &Overrides::default()).expect_err("there is no such file");
    let text = failure.diagnostics.render(&failure.sources, false);
    assert!(text.starts_with("error[G0001]: cannot read"), "{text}");
}
