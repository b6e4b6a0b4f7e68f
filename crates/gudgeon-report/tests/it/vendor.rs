//! The libraries in the page are those that were pinned, whole and with their licences.

use std::path::Path;

use gudgeon_report::MODULES;
use sha2::{Digest, Sha256};

fn vendor() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vendor")
}

#[test]
fn libraries_and_licences_have_the_sums_that_are_pinned() {
    let sums = std::fs::read_to_string(vendor().join("SHA256SUMS")).unwrap();
    let mut names = Vec::new();
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        let bytes = std::fs::read(vendor().join(name)).unwrap();
        let found: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(found, sum, "{name} is not what vendor/update.sh built");
        names.push(name);
    }
    let all = ["three.min.js", "uplot.min.js", "uplot.min.css", "LICENSE-three", "LICENSE-uplot"];
    assert_eq!(names, all);
    for name in ["LICENSE-three", "LICENSE-uplot"] {
        let text = std::fs::read_to_string(vendor().join(name)).unwrap();
        assert!(text.contains("MIT") && text.contains("Permission is hereby granted"), "{name}");
    }
}

#[test]
fn no_script_can_end_its_element() {
    for name in ["three.min.js", "uplot.min.js", "uplot.min.css"] {
        let text = std::fs::read_to_string(vendor().join(name)).unwrap();
        let low = text.to_lowercase();
        assert!(
            !low.contains("</script") && !low.contains("<!--") && !low.contains("</style"),
            "{name}"
        );
    }
    for (name, text) in MODULES {
        let low = text.to_lowercase();
        assert!(!low.contains("</script") && !low.contains("<!--"), "{name}");
        assert!(
            !low.contains("innerhtml") && !low.contains("insertadjacent"),
            "{name} writes markup"
        );
        assert!(!low.contains("eval(") && !low.contains("new function"), "{name} makes code");
    }
}

/// Modules stand in one scope in the page: every name at their top once, and what is imported is exported before.
#[test]
fn modules_fit_together() {
    let mut known: Vec<(String, &str)> = Vec::new();
    for (file, text) in MODULES {
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("import ") {
                let (names, from) =
                    rest.split_once(" from './").unwrap_or_else(|| panic!("{file}: {line}"));
                let from = from.trim_end_matches("';");
                for name in names.trim_matches(['{', '}', ' ']).split(',').map(str::trim) {
                    let found = known.iter().any(|(known, of)| known == name && *of == from);
                    assert!(found, "{file} imports {name}, which {from} does not have before it");
                }
                continue;
            }
            let line = line.strip_prefix("export ").unwrap_or(line);
            let Some(rest) =
                ["const ", "let ", "function ", "class "].iter().find_map(|w| line.strip_prefix(w))
            else {
                continue;
            };
            let names = match rest.strip_prefix('[') {
                Some(list) => list.split(']').next().unwrap().split(',').map(str::trim).collect(),
                None => {
                    vec![rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap()]
                }
            };
            for name in names {
                let twice = known.iter().find(|(known, _)| known == name);
                assert!(twice.is_none(), "{name} is in {file} and in {}", twice.unwrap().1);
                known.push((name.to_owned(), file));
            }
        }
    }
}
