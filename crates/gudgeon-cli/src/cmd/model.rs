//! From what the user typed for MODEL to a mechanism.

use std::path::{Path, PathBuf};

use gudgeon::assembly::{Assembly, assemble_requested};
use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::{Loaded, Overrides, shipped};

use crate::refusal::Refusal;

/// The model file meant by a path: the file itself, or `model.toml` in a folder.
pub fn file(given: &Path) -> Result<PathBuf, Refusal> {
    let inside = given.join("model.toml");
    if given.is_dir() && inside.is_file() {
        return Ok(inside);
    }
    if given.exists() {
        return Ok(given.to_owned());
    }
    let shown = given.display();
    let help = match nearest(&given.to_string_lossy(), shipped::names()) {
        Some(name) => format!("`gudgeon new {name} --from {name}` makes a copy of a shipped model"),
        None => "check the path; `gudgeon new NAME` makes a model to start from".to_owned(),
    };
    let diagnostic = Diagnostic::error("G0001", format!("there is no file `{shown}`")).help(help);
    Err(Refusal::new(diagnostic).about(given))
}

/// Reads the model with all changes of the command line.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Loaded, Refusal> {
    gudgeon_model::load(path, overrides).map_err(|failure| Refusal::from(*failure).about(path))
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
