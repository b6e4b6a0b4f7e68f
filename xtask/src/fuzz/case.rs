//! An input: the text of a model or study, the files it may use and the options of the command line.
//!
//! All of it is one text, so that it can be mutated, kept and read as one: comment lines that begin
//! with `#!` hold options, as in the corpus of diagnostics; `#! file NAME` begins another file.

use std::path::Path;

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver, shipped};

use super::bases::root;

/// What is done with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Read,
    Run,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Model,
    Study,
}

impl Kind {
    /// The name of the file, which messages show.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "input.toml",
            Self::Study => "input.study.toml",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub kind: Kind,
    pub text: String,
}

/// Begins the text of another file.
pub const FILE: &str = "#! file ";

impl Case {
    /// The content of a file; studies are told by their names.
    pub fn of_file(path: &Path, text: String) -> Self {
        let study = path.to_string_lossy().ends_with("study.toml");
        Self { kind: if study { Kind::Study } else { Kind::Model }, text }
    }

    /// The text of the first file.
    pub fn main(&self) -> &str {
        let end = if self.text.starts_with(FILE) { Some(0) } else { find_line(&self.text, FILE) };
        &self.text[..end.unwrap_or(self.text.len())]
    }

    /// Names and texts of the files behind it.
    fn others(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut rest = &self.text[self.main().len()..];
        std::iter::from_fn(move || {
            let text = rest.strip_prefix(FILE)?;
            let (name, text) = text.split_once('\n').unwrap_or((text, ""));
            let end = match text.starts_with(FILE) {
                true => 0,
                false => find_line(text, FILE).unwrap_or(text.len()),
            };
            rest = &text[end..];
            Some((name.trim(), &text[..end]))
        })
    }

    /// What the lines that begin with `#!` ask for; those that make no sense are comments.
    pub fn options(&self) -> Overrides {
        let mut overrides = Overrides::default();
        for line in self.main().lines().filter_map(|line| line.strip_prefix("#! --")) {
            let (option, value) = line.split_once(' ').unwrap_or((line, ""));
            let value = value.to_owned();
            match option {
                "set" => overrides.set.extend(pair(&value)),
                "ideal" => overrides.ideal.push(value),
                "law" => overrides.law.push(match pair(&value) {
                    Some((joint, law)) => (Some(joint), law),
                    None => (None, value),
                }),
                "until" => overrides.until = Some(value),
                "measure-from" => overrides.measure_from = Some(value),
                "plot-range" => overrides.plot_range = Some(value),
                "rtol" => overrides.rtol = value.trim().parse().ok(),
                _ => {}
            }
        }
        overrides
    }
}

/// Where a line that begins with `mark` starts, the first line aside.
fn find_line(text: &str, mark: &str) -> Option<usize> {
    text.match_indices(mark).map(|(at, _)| at).find(|at| text[..*at].ends_with('\n'))
}

fn pair(text: &str) -> Option<(String, String)> {
    text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// The files of the input, its own one included, and those of the repository that shipped files use.
impl Resolver for Case {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        if name == self.kind.name() {
            return Ok((name.to_owned(), self.main().to_owned()));
        }
        if let Some((name, text)) = self.others().find(|(other, _)| *other == name) {
            return Ok((name.to_owned(), text.to_owned()));
        }
        let folder = name.trim_start_matches("../").trim_start_matches("models/");
        if let Some(shipped) = shipped::find(folder.trim_end_matches("/model.toml")) {
            return Ok((format!("models/{}/model.toml", shipped.name), shipped.model.into()));
        }
        match BESIDE.iter().find(|(beside, _)| *beside == name) {
            Some((_, path)) => std::fs::read_to_string(root().join(path))
                .map(|text| (name.to_owned(), text))
                .map_err(|error| Box::new(cannot_read(name, &error.to_string()))),
            None => Err(Box::new(cannot_read(name, "there is none"))),
        }
    }
}

/// Files that shipped studies and the corpus of diagnostics use.
const BESIDE: [(&str, &str); 2] = [
    ("points.csv", "studies/zhang_example_1/points.csv"),
    ("base.toml", "crates/gudgeon-model/tests/diagnostics/base.toml"),
];

fn cannot_read(name: &str, why: &str) -> Diagnostic {
    Diagnostic::error("G0001", format!("cannot read `{name}`: {why}"))
}
