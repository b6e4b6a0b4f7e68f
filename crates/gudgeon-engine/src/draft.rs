//! Folders to start from: copies of shipped models and studies, or generated models.

use std::fs;
use std::io;
use std::path::Path;

use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::shipped;

use crate::generate::Recipe;
use crate::refusal::Refusal;

/// What to start from.
#[derive(Clone, Debug, Default)]
pub struct DraftOptions {
    /// A shipped model or study; `slider_crank` where nothing is given.
    pub from: Option<String>,
    /// Links of a generated chain, in space if `spatial`.
    pub links: Option<u32>,
    pub spatial: bool,
    /// Loops of a generated row of four-bars.
    pub count: Option<u32>,
}

/// A folder to be.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What it is made from.
    pub from: String,
    pub about: String,
    /// `run` or `study`.
    pub command: &'static str,
    /// Names and texts, the one to run first.
    pub files: Vec<(&'static str, String)>,
}

/// Finds or generates what is asked for.
pub fn draft(args: &DraftOptions) -> Result<Draft, Refusal> {
    let by_flags = match (args.links, args.spatial, args.count) {
        (None, false, None) => None,
        (_, _, Some(_)) => Some("n_four_bar"),
        _ => Some("chain"),
    };
    let from = args.from.as_deref().or(by_flags).unwrap_or("slider_crank");
    if by_flags.is_some_and(|needed| needed != from) {
        let message = format!("`{from}` takes no number of parts");
        let help = "`--links`, `--spatial` and `--count` generate a model: leave out `--from`";
        return Err(Refusal::new(Diagnostic::error("G1104", message).help(help)));
    }
    let recipe = match from {
        // Without a number the name may be that of a shipped model.
        name if by_flags.is_none() && shipped::find(name).is_some() => return copy(name),
        "chain" => Recipe::Chain { links: args.links.unwrap_or(10), spatial: args.spatial },
        "n_four_bar" => Recipe::FourBars { count: args.count.unwrap_or(2) },
        name => return copy(name),
    };
    Ok(Draft {
        from: from.to_owned(),
        about: recipe.about(),
        command: "run",
        files: vec![("model.toml", recipe.model()), ("README.md", recipe.readme())],
    })
}

/// A shipped model or study as it is.
fn copy(name: &str) -> Result<Draft, Refusal> {
    let (about, command, files) =
        match (shipped::find(name), gudgeon_study::shipped::find_study(name)) {
            (Some(model), _) => {
                let mut files = vec![("model.toml", model.model), ("README.md", model.readme)];
                files.extend(model.data);
                (model.about, "run", files)
            }
            (None, Some(study)) => {
                let mut files = study.folder.files.to_vec();
                // A study beside `study.toml` is the one to run.
                files.sort_by_key(|(file, _)| *file != study.file);
                (study.folder.about, "study", files)
            }
            (None, None) => return Err(unknown(name)),
        };
    let files = files.into_iter().map(|(file, text)| (file, text.to_owned())).collect();
    Ok(Draft { from: name.to_owned(), about: about.to_owned(), command, files })
}

fn unknown(name: &str) -> Refusal {
    let studies = gudgeon_study::shipped::studies().map(|study| study.name);
    let names = shipped::names().chain(["chain", "n_four_bar"]).chain(studies);
    let help = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`gudgeon new --list` lists the models and studies to start from".to_owned(),
    };
    let message = format!("there is no shipped model or study `{name}`");
    Refusal::new(Diagnostic::error("G1102", message).help(help))
}

/// Makes the folder, which must not exist.
pub fn create(folder: &Path, draft: &Draft) -> Result<(), Refusal> {
    let cannot = |error: io::Error| {
        let shown = folder.display();
        let message = match error.kind() {
            io::ErrorKind::AlreadyExists => format!("`{shown}` exists already"),
            _ => format!("cannot create `{shown}`: {error}"),
        };
        Refusal::new(Diagnostic::error("G1103", message).help("choose another name"))
    };
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).map_err(cannot)?;
    }
    fs::create_dir(folder).map_err(cannot)?;
    for (file, text) in &draft.files {
        fs::write(folder.join(file), text).map_err(cannot)?;
    }
    Ok(())
}
