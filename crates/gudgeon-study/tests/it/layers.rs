//! Mathematics knows nothing of files and runs: designs, surrogates, searches and sensitivities can be
//! used and tested alone.

use std::path::{Path, PathBuf};

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, all),
            false => all.push(path),
        }
    }
}

#[test]
fn mathematics_imports_neither_files_nor_runs() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in ["design", "kriging", "linear", "optimise", "sensitivity"] {
        let mut all = Vec::new();
        sources(&src.join(room), &mut all);
        assert!(!all.is_empty(), "{room} is missing");
        for path in all {
            let text = std::fs::read_to_string(&path).unwrap();
            for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
                let above = ["file", "runner", "plan", "responses", "store"];
                let known = above.iter().find(|name| line.contains(&format!("crate::{name}")));
                assert_eq!(known, None, "{}: {line}", path.display());
            }
        }
    }
}
