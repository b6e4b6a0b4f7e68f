//! `gudgeon new`: a folder with a copy of a shipped model or study, or with a generated model.

use std::path::Path;

use gudgeon_engine::draft::{Draft, DraftOptions, create, draft};
use gudgeon_engine::generate::RECIPES;
use gudgeon_model::shipped::SHIPPED;

use crate::args::NewArgs;
use crate::exit::Exit;
use crate::table::Table;
use crate::terminal::{Paint, Terminal};

/// Makes the folder, or lists what there is to start from.
pub fn new(args: &NewArgs, terminal: &Terminal) -> Exit {
    let Some(folder) = args.name.as_deref().filter(|_| !args.list) else {
        terminal.say(&list(terminal.paint()));
        return Exit::Done;
    };
    let NewArgs { from, links, spatial, count, .. } = args;
    let (from, links, spatial, count) = (from.clone(), *links, *spatial, *count);
    let made = draft(&DraftOptions { from, links, spatial, count })
        .and_then(|draft| create(folder, &draft).map(|()| draft));
    match made {
        Ok(draft) => {
            terminal.say(&text(folder, &draft));
            Exit::Done
        }
        Err(refusal) => terminal.refuse(&refusal),
    }
}

fn list(paint: Paint) -> String {
    let mut table = Table::new(["model", "about"]).text_from(1);
    for shipped in SHIPPED {
        table.row(vec![shipped.name.to_owned(), shipped.about.to_owned()]);
    }
    let mut studies = Table::new(["study", "about"]).text_from(1);
    for study in gudgeon_study::shipped::studies() {
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

fn text(folder: &Path, draft: &Draft) -> String {
    let first = folder.join(draft.files.first().map_or("", |(file, _)| *file));
    format!(
        "  {} made from {}: {}\n\n  run it with  gudgeon {} {}\n",
        folder.display(),
        draft.from,
        draft.about,
        draft.command,
        quoted(&first.display().to_string()),
    )
}

/// A path as it can be typed in a shell.
fn quoted(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_owned() }
}
