//! Every value of a file replaced by one of another kind.

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Failure, Resolver, shipped};
use toml::{Table, Value};

/// Shipped models and the files of one shipped study.
pub struct Shipped(pub &'static [(&'static str, &'static str)]);

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
pub fn wrong_kinds_are_refused(text: &str, load: impl Fn(&str) -> Option<Box<Failure>>) -> usize {
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
