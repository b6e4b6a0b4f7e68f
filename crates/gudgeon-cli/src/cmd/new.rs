//! `gudgeon new`: a folder with a copy of a shipped model or study, or with a model that is written
//! by rule.

use std::fs;
use std::io;
use std::path::Path;

use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::shipped::{self, SHIPPED};

use crate::args::NewArgs;
use crate::exit::Exit;
use crate::generate::{RECIPES, Recipe};
use crate::refusal::Refusal;
use crate::table::Table;
use crate::terminal::{Paint, Terminal};

/// Makes the folder, or lists what there is to start from.
pub fn new(args: &NewArgs, terminal: &Terminal) -> Exit {
    let Some(folder) = args.name.as_deref().filter(|_| !args.list) else {
        terminal.say(&list(terminal.paint()));
        return Exit::Done;
    };
    match draft(args).and_then(|draft| create(folder, &draft)) {
        Ok(text) => {
            terminal.say(&text);
            Exit::Done
        }
        Err(refusal) => refusal.report(terminal),
    }
}

fn list(paint: Paint) -> String {
    let mut table = Table::new(["model", "about"]).text_from(1);
    for shipped in SHIPPED {
        table.row(vec![shipped.name.to_owned(), shipped.about.to_owned()]);
    }
    let mut studies = Table::new(["study", "about"]).text_from(1);
    for study in shipped::studies() {
        studies.row(vec![study.name.to_owned(), study.about().to_owned()]);
    }
    let mut recipes = Table::new(["by rule", "about"]).text_from(1);
    for (flags, about) in RECIPES {
        recipes.row(vec![flags.to_owned(), about.to_owned()]);
    }
    format!(
        "{}\n{}\n  gudgeon new NAME --from MODEL, or --from STUDY, makes a copy\n\n{}",
        table.render(paint),
        studies.render(paint),
        recipes.render(paint)
    )
}

/// A folder to be.
struct Draft {
    /// What it is made from.
    from: String,
    about: String,
    /// `run` or `study`.
    command: &'static str,
    /// Names and texts, the one to run first.
    files: Vec<(&'static str, String)>,
}

fn draft(args: &NewArgs) -> Result<Draft, Refusal> {
    let by_flags = match (args.links, args.spatial, args.count) {
        (None, false, None) => None,
        (_, _, Some(_)) => Some("n_four_bar"),
        _ => Some("chain"),
    };
    let from = args.from.as_deref().or(by_flags).unwrap_or("slider_crank");
    if by_flags.is_some_and(|needed| needed != from) {
        let message = format!("`{from}` takes no number of parts");
        let help = "`--links`, `--spatial` and `--count` write a model by rule: leave out `--from`";
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
    let (about, command, files) = match (shipped::find(name), shipped::find_study(name)) {
        (Some(model), _) => {
            let files = [("model.toml", model.model), ("README.md", model.readme)];
            (model.about, "run", files.to_vec())
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
    let studies = shipped::studies().map(|study| study.name);
    let names = shipped::names().chain(["chain", "n_four_bar"]).chain(studies);
    let help = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`gudgeon new --list` lists the models and studies to start from".to_owned(),
    };
    let message = format!("there is no shipped model or study `{name}`");
    Refusal::new(Diagnostic::error("G1102", message).help(help))
}

fn create(folder: &Path, draft: &Draft) -> Result<String, Refusal> {
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
    let first = folder.join(draft.files.first().map_or("", |(file, _)| *file));
    Ok(format!(
        "  {} made from {}: {}\n\n  run it with  gudgeon {} {}\n",
        folder.display(),
        draft.from,
        draft.about,
        draft.command,
        quoted(&first.display().to_string()),
    ))
}

/// A path as it can be typed in a shell.
fn quoted(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_owned() }
}
