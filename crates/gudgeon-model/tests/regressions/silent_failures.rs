//! `use = ["base.toml"]` failed without any message, and in a complete model it was ignored: a
//! reader dropped a value of the wrong kind, and what followed from it was taken for a consequence.

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::shipped::{self, SHIPPED};
use gudgeon_model::{Failure, Overrides, Resolver, load_study_text, load_text};
use toml::{Table, Value};

/// Shipped models and the files of one shipped study.
struct Shipped(&'static [(&'static str, &'static str)]);

impl Resolver for Shipped {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        let model = name.trim_start_matches("../").trim_end_matches("/model.toml");
        let beside = self.0.iter().find(|(file, _)| *file == name).map(|(_, text)| *text);
        match beside.or_else(|| shipped::find(model).map(|shipped| shipped.model)) {
            Some(text) => Ok((name.to_owned(), text.to_owned())),
            None => Err(Box::new(Diagnostic::error("G0001", format!("cannot read `{name}`")))),
        }
    }
}

/// The paths of all values of a tree, tables and lists included.
fn paths(value: &Value, here: &mut Vec<String>, all: &mut Vec<Vec<String>>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Table(table) => table.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(i, v)| (i.to_string(), v)).collect(),
        _ => Vec::new(),
    };
    for (key, value) in inner {
        here.push(key);
        all.push(here.clone());
        paths(value, here, all);
        here.pop();
    }
}

fn replaced(root: &Value, path: &[String], by: &Value) -> String {
    let mut root = root.clone();
    let mut at = &mut root;
    for key in path {
        at = match at {
            Value::Table(table) => table.get_mut(key).unwrap(),
            Value::Array(list) => &mut list[key.parse::<usize>().unwrap()],
            _ => unreachable!(),
        };
    }
    *at = by.clone();
    toml::to_string(&root).unwrap()
}

/// Replaces every value of a file by a date, which no key takes: each must be refused. Other kinds may
/// be taken; if not, that has its reason, too.
fn wrong_kinds_are_refused(text: &str, load: impl Fn(&str) -> Option<Box<Failure>>) -> usize {
    let root = Value::Table(text.parse::<Table>().unwrap());
    let date = Value::Datetime("1979-05-27".parse().unwrap());
    let others =
        [Value::Boolean(true), Value::Array(vec![date.clone()]), Value::Table(Table::new())];
    let mut all = Vec::new();
    paths(&root, &mut Vec::new(), &mut all);
    for path in &all {
        let text = replaced(&root, path, &date);
        let failure = load(&text);
        assert!(failure.is_some(), "a date is taken at {path:?}:\n{text}");
        let others = others.iter().filter_map(|other| load(&replaced(&root, path, other)));
        for failure in failure.into_iter().chain(others) {
            let messages = failure.diagnostics.render(&failure.sources, false);
            assert!(
                messages.contains("error[") && !messages.contains("G0016"),
                "{path:?} {messages}"
            );
        }
    }
    all.len()
}

/// Whole files in the reference.
fn examples(docs: &str) -> impl Iterator<Item = &str> {
    let blocks = docs.split("```toml\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    blocks.filter(|block| block.trim_start().starts_with("format = 1"))
}

#[test]
fn no_reader_of_models_drops_a_value_of_the_wrong_kind() {
    let none = Overrides::default();
    let mut count = 0;
    for model in SHIPPED {
        count += wrong_kinds_are_refused(model.model, |text| {
            load_text(model.name, text, &Shipped(&[]), &none).err()
        });
    }
    for text in examples(include_str!("../../../../docs/model-file.md")) {
        count += wrong_kinds_are_refused(text, |text| {
            load_text("example.toml", text, &Shipped(&[]), &none).err()
        });
    }
    assert!(count > 1000, "{count} values");
}

#[test]
fn no_reader_of_studies_drops_a_value_of_the_wrong_kind() {
    let none = Overrides::default();
    let mut count = 0;
    for study in shipped::studies() {
        let files = Shipped(study.folder.files);
        count += wrong_kinds_are_refused(study.text, |text| {
            load_study_text(study.name, text, &files, &none).err()
        });
    }
    assert!(count > 200, "{count} values");
}

#[test]
fn a_list_of_files_is_refused_with_its_reason() {
    let complete = shipped::find("pendulum").unwrap().model;
    let extended = format!("use = [\"slider_crank\"]\n{complete}");
    for text in ["format = 1\nuse = [\"../pendulum/model.toml\"]\n", &extended] {
        let failure = load_text("model.toml", text, &Shipped(&[]), &Overrides::default())
            .expect_err("`use` takes one file");
        let codes: Vec<&str> = failure.diagnostics.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["G0103"]);
    }
}
