//! What became of figures, for scripts and as a page beside the pictures.

use std::path::Path;

use gudgeon_output::record::PaperFigure;
use gudgeon_output::save;

use super::super::Paper;
use super::super::page::sentence;
use super::Drawn;
use crate::Refusal;

/// As scripts read it.
pub fn figure_record(paper: &Paper, drawn: &Drawn<'_>) -> PaperFigure {
    let Drawn { figure, files, commands, error } = drawn;
    PaperFigure {
        paper: paper.name.clone(),
        number: figure.number.clone(),
        about: figure.about.clone(),
        files: files.iter().map(|file| file.display().to_string()).collect(),
        reason: figure.reason.clone(),
        note: figure.note.clone(),
        commands: commands.clone(),
        error: error.clone(),
    }
}

/// Writes a page with all pictures and the commands that make them.
pub fn write(paper: &Paper, drawn: &[Drawn<'_>], folder: &Path) -> Result<(), Refusal> {
    let mut text = format!("# {}: {}\n", paper.name, paper.title);
    for Drawn { figure, files, commands, error } in drawn {
        text.push_str(&format!("\n## Figure {}: {}\n", figure.number, figure.about));
        let names = files.iter().filter_map(|file| file.file_name());
        let pictures = names.map(|name| format!("![]({})", name.to_string_lossy()));
        let paragraphs = [
            (!figure.reason.is_empty()).then(|| format!("Not drawn: {}.", figure.reason)),
            error.as_ref().map(|error| format!("It could not be drawn: {error}.")),
            (!figure.note.is_empty()).then(|| format!("{}.", sentence(&figure.note))),
            (!commands.is_empty()).then(|| format!("```sh\n{}\n```", commands.join("\n"))),
        ];
        pictures
            .chain(paragraphs.into_iter().flatten())
            .for_each(|one| text.push_str(&format!("\n{one}\n")));
    }
    Ok(save(&folder.join("figures.md"), &text)?)
}
