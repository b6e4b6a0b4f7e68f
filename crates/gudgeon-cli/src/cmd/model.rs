//! From what the user typed for MODEL to a mechanism.

use std::path::{Path, PathBuf};

use gudgeon::assembly::{Assembly, assemble_requested};
use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::shipped::{self, Shipped};
use gudgeon_model::{Loaded, Overrides};

use crate::refusal::Refusal;

/// The model file meant by a path: the file itself, `model.toml` in a folder, or the name of a shipped
/// model where there is neither.
pub fn file(given: &Path) -> Result<PathBuf, Refusal> {
    let inside = given.join("model.toml");
    if given.is_dir() && inside.is_file() {
        return Ok(inside);
    }
    if given.exists() || shipped_model(given).is_some() {
        return Ok(given.to_owned());
    }
    let shown = given.display();
    let help = match nearest(&given.to_string_lossy(), shipped::names()) {
        Some(name) => format!("did you mean the shipped model `{name}`?"),
        None => "check the path; `gudgeon new --list` shows the models that come with the program, `gudgeon new NAME` copies one".to_owned(),
    };
    let diagnostic = Diagnostic::error("G0001", format!("there is no file `{shown}`")).help(help);
    Err(Refusal::new(diagnostic).about(given))
}

/// The shipped model of a name, unless a file or folder has that name.
fn shipped_model(given: &Path) -> Option<&'static Shipped> {
    given.to_str().filter(|_| !given.exists()).and_then(shipped::find)
}

/// Reads the model with all changes of the command line.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Loaded, Refusal> {
    let loaded = match shipped_model(path) {
        Some(shipped) => shipped.load(overrides),
        None => gudgeon_model::load(path, overrides),
    };
    loaded.map_err(|failure| Refusal::from(*failure).about(path))
}

/// Reads the model and assembles it.
pub fn assembled(path: &Path, overrides: &Overrides) -> Result<(Loaded, Assembly), Refusal> {
    let loaded = load(path, overrides)?;
    match assemble_requested(&loaded.model) {
        Ok(assembly) => Ok((loaded, assembly)),
        Err(error) => Err(Refusal::assembly(&error, loaded).about(path)),
    }
}

/// Name of a model's result folder: that of its file, or of the folder of a `model.toml`.
pub fn short_name(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    if stem.as_deref() != Some("model") {
        return stem.unwrap_or_default();
    }
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = whole.parent().and_then(Path::file_name);
    folder.map_or("model".into(), |folder| folder.to_string_lossy().into_owned())
}
