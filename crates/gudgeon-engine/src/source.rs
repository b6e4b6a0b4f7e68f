//! From what the user names to a mechanism.

use std::path::{Path, PathBuf};

use gudgeon::assembly::{Assembly, assemble_requested};
use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::{Failure, Loaded, Mechanism, Overrides, ParsedModel, Resolver, shipped};

use crate::refusal::Refusal;

/// A model that was found and parsed; it can be built again and again with other values.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file, or the name of a shipped model or of a mechanism made in code.
    pub path: PathBuf,
    parsed: ParsedModel,
}

impl Source {
    /// The model meant by a path: the file itself, `model.toml` in a folder, or the name of a shipped
    /// model where there is neither.
    pub fn find(given: &Path) -> Result<Source, Refusal> {
        let inside = given.join("model.toml");
        if given.is_dir() && inside.is_file() {
            return Source::of(inside.clone(), ParsedModel::file(&inside));
        }
        let shipped = given.to_str().filter(|_| !given.exists()).and_then(shipped::find);
        if let Some(shipped) = shipped {
            return Source::of(given.to_owned(), shipped::parse(shipped));
        }
        // A link that leads nowhere is there, and reading it says what is wrong with it.
        if given.symlink_metadata().is_ok() {
            return Source::of(given.to_owned(), ParsedModel::file(given));
        }
        let shown = given.display();
        let study = given.to_str().and_then(gudgeon_study::shipped::find_study);
        let help = match (study, nearest(&given.to_string_lossy(), shipped::names())) {
            (Some(study), _) => format!("this is a shipped study: `gudgeon study {}`", study.name),
            (None, Some(name)) => format!("did you mean the shipped model `{name}`?"),
            (None, None) => "check the path; `gudgeon new --list` shows the models that come with the program, `gudgeon new NAME` copies one".to_owned(),
        };
        let diagnostic =
            Diagnostic::error("G0001", format!("there is no file `{shown}`")).help(help);
        Err(Refusal::new(diagnostic).about(given))
    }

    /// A shipped model, whatever lies in the working folder.
    pub fn shipped(name: &str) -> Result<Source, Refusal> {
        let Some(model) = shipped::find(name) else {
            let message = format!("there is no shipped model `{name}`");
            return Err(Refusal::new(Diagnostic::error("G0001", message)));
        };
        Source::of(PathBuf::from(name), shipped::parse(model))
    }

    /// A mechanism made in code.
    pub fn mechanism(mechanism: &Mechanism) -> Result<Source, Refusal> {
        Source::of(PathBuf::from(mechanism.name()), mechanism.parse())
    }

    /// A model from a text; `path` stands for its file in messages, and `resolver` finds what it names.
    pub fn text(path: &Path, text: &str, resolver: &dyn Resolver) -> Result<Source, Refusal> {
        let parsed = ParsedModel::text(&path.display().to_string(), text, resolver);
        Source::of(path.to_owned(), parsed)
    }

    /// As it was parsed.
    pub fn parsed(&self) -> &ParsedModel {
        &self.parsed
    }

    fn of(path: PathBuf, parsed: Result<ParsedModel, Box<Failure>>) -> Result<Source, Refusal> {
        match parsed {
            Ok(parsed) => Ok(Source { path, parsed }),
            Err(failure) => Err(Refusal::from(*failure).about(&path)),
        }
    }

    /// Builds the model with changes.
    pub fn load(&self, overrides: &Overrides) -> Result<Loaded, Refusal> {
        let loaded = self.parsed.load(overrides);
        loaded.map_err(|failure| Refusal::from(*failure).about(&self.path))
    }

    /// Reads the model and assembles it.
    pub fn assemble(&self, overrides: &Overrides) -> Result<(Loaded, Assembly), Refusal> {
        let loaded = self.load(overrides)?;
        match assemble_requested(&loaded.model) {
            Ok(assembly) => Ok((loaded, assembly)),
            Err(error) => Err(Refusal::assembly(&error, loaded).about(&self.path)),
        }
    }

    /// Name of its result folder: that of the file, or of the folder of a `model.toml`.
    pub fn short_name(&self) -> String {
        short_name(&self.path)
    }
}

/// See [`Source::short_name`].
pub fn short_name(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    if stem.as_deref() != Some("model") {
        return stem.unwrap_or_default();
    }
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = whole.parent().and_then(Path::file_name);
    folder.map_or("model".into(), |folder| folder.to_string_lossy().into_owned())
}
