//! `gudgeon new`: a folder with a copy of a shipped model.

use std::fs;
use std::io;
use std::path::Path;

use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::shipped::{self, SHIPPED, Shipped};

use crate::args::NewArgs;
use crate::exit::Exit;
use crate::refusal::Refusal;
use crate::table::Table;
use crate::terminal::{Paint, Terminal};

/// Makes the folder, or lists what there is to start from.
pub fn new(args: &NewArgs, terminal: &Terminal) -> Exit {
    let Some(folder) = args.name.as_deref().filter(|_| !args.list) else {
        terminal.say(&list(terminal.paint()));
        return Exit::Done;
    };
    match find(&args.from).and_then(|shipped| create(folder, shipped)) {
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
    format!("{}\n  gudgeon new NAME --from MODEL makes a copy\n", table.render(paint))
}

fn find(name: &str) -> Result<&'static Shipped, Refusal> {
    shipped::find(name).ok_or_else(|| {
        let help = match nearest(name, shipped::names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`gudgeon new --list` lists the shipped models".to_owned(),
        };
        let message = format!("there is no shipped model `{name}`");
        Refusal::new(Diagnostic::error("G1102", message).help(help))
    })
}

fn create(folder: &Path, shipped: &Shipped) -> Result<String, Refusal> {
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
    fs::write(folder.join("model.toml"), shipped.model).map_err(cannot)?;
    fs::write(folder.join("README.md"), shipped.readme).map_err(cannot)?;
    let model = folder.join("model.toml");
    Ok(format!(
        "  {} made from {}: {}\n\n  run it with  gudgeon run {}\n",
        folder.display(),
        shipped.name,
        shipped.about,
        quoted(&model.display().to_string()),
    ))
}

/// A path as it can be typed in a shell.
fn quoted(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_owned() }
}
