//! Bad inputs and the exact messages they get.
//!
//! Each `diagnostics/NAME.toml` has its messages beside it in `NAME.stderr`. Comment lines that start
//! with `#!` hold options of the command line. `GUDGEON_BLESS=1` rewrites the messages.

use std::path::{Path, PathBuf};

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver, load, load_text};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics")
}

/// Files of a folder under their bare names, so that messages name no machine.
struct Folder(PathBuf);

impl Resolver for Folder {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        std::fs::read_to_string(self.0.join(name))
            .map(|text| (name.to_string(), text))
            .map_err(|_| Box::new(Diagnostic::error("G0001", format!("cannot read `{name}`"))))
    }
}

fn options(text: &str) -> Overrides {
    let mut overrides = Overrides::default();
    let pair = |text: &str| {
        let (name, value) = text.split_once('=').expect("NAME=VALUE");
        (name.to_string(), value.to_string())
    };
    for line in text.lines().filter_map(|line| line.strip_prefix("#! ")) {
        let (option, value) = line.split_once(' ').expect("an option and its value");
        match option {
            "--set" => overrides.set.push(pair(value)),
            "--ideal" => overrides.ideal.push(value.into()),
            "--law" => overrides.law.push(match value.split_once('=') {
                Some((joint, law)) => (Some(joint.into()), law.into()),
                None => (None, value.into()),
            }),
            "--until" => overrides.until = Some(value.into()),
            "--measure-from" => overrides.measure_from = Some(value.into()),
            "--plot-range" => overrides.plot_range = Some(value.into()),
            "--rtol" => overrides.rtol = value.parse().ok(),
            "--method" => overrides.method = Some(value.into()),
            "--every" => overrides.every = Some(value.into()),
            "--time-limit" => overrides.time_limit = Some(value.into()),
            "--max-steps" => overrides.max_steps = Some(value.into()),
            other => panic!("unknown option {other}"),
        }
    }
    overrides
}

/// The messages of a model.
fn messages(name: &str, text: &str) -> String {
    match load_text(name, text, &Folder(folder()), &options(text)) {
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
fn every_bad_file_gets_its_messages() {
    assert!(check(&folder(), ".toml", messages) > 30, "the folder is missing");
}

fn failure_of(path: &Path) -> String {
    let failure = load(path, &Overrides::default()).expect_err("the file is bad");
    let text = failure.diagnostics.render(&failure.sources, false);
    text.replace(path.to_str().unwrap(), "FILE")
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let dir = std::env::temp_dir().join(format!("gudgeon-model-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join("model.toml");
    let with = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        failure_of(&path)
    };
    let not_text = with(b"format = 1\nname = \"\xff\"\n");
    assert!(not_text.starts_with("error[G0002]: `FILE` is not UTF-8 text (line 2)"), "{not_text}");
    let empty = with(b"# only a comment\n");
    assert!(empty.starts_with("error[G0004]: `FILE` is empty"), "{empty}");
    let large = with(&vec![b'\n'; (64 << 20) + 1]);
    assert!(large.starts_with("error[G0003]: `FILE` is larger than 64 MB"), "{large}");
    let missing = failure_of(&dir.join("none.toml"));
    assert!(missing.starts_with("error[G0001]: cannot read `FILE`"), "{missing}");
    let folder = failure_of(&dir);
    assert!(folder.contains("is a folder"), "{folder}");
    std::fs::remove_dir_all(&dir).unwrap();
}
