//! The reference of model files: its examples load, and it leaves nothing out.

use std::path::{Path, PathBuf};

use gudgeon::assembly::assemble;
use gudgeon::model::Space;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::schema::schema;
use gudgeon_model::{Overrides, Resolver, expr, load_text, materials, units};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn reference(name: &str) -> String {
    std::fs::read_to_string(root().join("docs").join(name)).unwrap()
}

/// Blocks of `toml` that are whole files, with the line they begin at.
fn examples(text: &str) -> Vec<(usize, String)> {
    let mut examples = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if line != "```toml" {
            continue;
        }
        let body = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
        let block: Vec<&str> = body.collect();
        if block.first() == Some(&"format = 1") {
            examples.push((number + 1, block.join("\n") + "\n"));
        }
    }
    examples
}

/// Examples use shipped models by their path from the root.
struct Root;

impl Resolver for Root {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        std::fs::read_to_string(root().join(name))
            .map(|text| (name.to_owned(), text))
            .map_err(|_| Box::new(Diagnostic::error("G0001", format!("cannot read `{name}`"))))
    }
}

#[test]
fn every_example_of_the_reference_loads_and_closes() {
    let examples = examples(&reference("model-file.md"));
    assert!(examples.len() >= 6, "only {} examples found", examples.len());
    for (line, text) in examples {
        let name = format!("docs/model-file.md, line {line}");
        match load_text(&name, &text, &Root, &Overrides::default()) {
            Ok(loaded) => {
                let warnings = loaded.warnings.render(&loaded.sources, false);
                assert!(warnings.is_empty(), "{warnings}");
                if loaded.model.space == Space::Planar {
                    assemble(&loaded.model).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
            }
            Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
        }
    }
}

/// Names of keys and of choices anywhere in the schema.
fn words(value: &Value, out: &mut Vec<String>) {
    if let Some(properties) = value["properties"].as_object() {
        out.extend(properties.keys().cloned());
    }
    let choices = value["enum"].as_array().into_iter().flatten();
    out.extend(choices.chain([&value["const"]]).filter_map(Value::as_str).map(str::to_owned));
    match value {
        Value::Object(map) => map.values().for_each(|value| words(value, out)),
        Value::Array(list) => list.iter().for_each(|value| words(value, out)),
        _ => {}
    }
}

/// Checks that a page names every word, in quotes as code.
fn names_all(page: &str, mut expected: Vec<String>, least: usize) {
    let text = reference(page);
    expected.sort();
    expected.dedup();
    assert!(expected.len() > least, "only {} words to look for", expected.len());
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let is_named = |word: &&String| {
        quoted.iter().any(|code| {
            code.split(|c: char| !c.is_alphanumeric() && !"_-+/".contains(c))
                .any(|part| part == **word)
        })
    };
    let missing: Vec<&String> = expected.iter().filter(|word| !is_named(word)).collect();
    assert!(missing.is_empty(), "not in docs/{page}: {missing:?}");
}

#[test]
fn the_reference_names_every_key_choice_function_unit_and_material() {
    let mut expected = Vec::new();
    words(&schema(), &mut expected);
    expected.extend(expr::function_names().map(str::to_owned));
    expected.extend(units::unit_names().map(str::to_owned));
    expected.extend(materials::names().map(str::to_owned));
    names_all("model-file.md", expected, 100);
}
