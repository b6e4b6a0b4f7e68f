//! The figures of a paper, drawn again: ordinary runs, and pictures of their rows.
//!
//! A file `reference.toml` has `[[figures]]` beside its groups, one for every numbered figure of the paper:
//!
//! | key | what |
//! |---|---|
//! | `number`, `about` | as the paper numbers it, and what it shows |
//! | `reason` | why there is nothing to draw: a sketch, a measurement of others, a curve that is lost |
//! | `group` | the group of this file whose recipe the runs begin with; ensembles give one run |
//! | `recipe` | what is changed for all runs |
//! | `runs` | `name`, `set`, `recipe` of each |
//! | `columns` | panels beside one another |
//! | `panels` | one below or beside the other, see below |
//! | `study`, `pictures` | instead of runs: a shipped study and some of its pictures |
//! | `note` | what the reader should know |
//!
//! | key of a panel | what |
//! |---|---|
//! | `heading` | in place of what the output means |
//! | `runs` | names of the runs that are drawn; all unless given |
//! | `labels` | of the runs in the legend, in place of their names |
//! | `outputs` | names; several share the panel |
//! | `over`, `fold`, `range` | as the options of `gudgeon plot` |
//! | `circle` | radius of a circle about the middle, such as the clearance around an orbit; both axes then have one scale |
//! | `across` | ends of the axis across, SI; what lies beyond is left out |
//! | `frames` | instead of `outputs`: a journal in its bearing, a panel for each of `times`; `x` and `y` are outputs, `clearance` its play |
//! | `curve` | instead of `outputs`: `value` with `{}` in the place of a number that goes `from` … `to` in `points` steps; `name`, `unit` of value and `over`, `over_unit` of the number. The value must need no run |
//!
//! Runs go to folders named by what they are made of, so that figures share them and a command that was stopped goes on.

mod draw;
mod list;
mod runs;
mod study;

use std::path::{Path, PathBuf};
use std::{fs, io};

use gudgeon::progress::Progress;
use gudgeon_model::diagnostic::{Diagnostic, nearest};
use serde::Deserialize;

use super::Paper;
use super::job::Part;
use super::reference::Recipe;
use crate::Refusal;
pub use list::figure_record;
use runs::FigureRuns;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    pub number: String,
    pub about: String,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub note: String,
    pub group: Option<String>,
    #[serde(default)]
    pub recipe: Recipe,
    #[serde(default)]
    pub runs: Vec<FigureRun>,
    #[serde(default = "one")]
    pub columns: usize,
    #[serde(default)]
    pub panels: Vec<FigurePanel>,
    pub study: Option<String>,
    #[serde(default)]
    pub pictures: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureRun {
    pub name: String,
    #[serde(default)]
    pub set: toml::Table,
    #[serde(default)]
    pub recipe: Recipe,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FigurePanel {
    pub heading: String,
    pub runs: Vec<String>,
    pub labels: Vec<String>,
    pub outputs: Vec<String>,
    pub over: Option<String>,
    pub fold: bool,
    pub range: Option<String>,
    pub circle: Option<String>,
    pub across: Option<[f64; 2]>,
    pub curve: Option<Curve>,
    pub frames: Option<Frames>,
}

/// A journal in its bearing at chosen times.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frames {
    /// Outputs that are the place of its centre.
    pub x: String,
    pub y: String,
    pub clearance: String,
    pub times: Vec<String>,
}

/// A value over a number that stands in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    pub value: String,
    pub name: String,
    pub unit: String,
    pub over: String,
    pub over_unit: String,
    pub from: f64,
    pub to: f64,
    pub points: usize,
}

fn one() -> usize {
    1
}

/// A figure with the file it stands in.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub part: &'a Part,
    pub figure: &'a Figure,
}

/// What became of a figure.
pub struct Drawn<'a> {
    pub figure: &'a Figure,
    /// None where there is nothing to draw, or it could not be drawn.
    pub files: Vec<PathBuf>,
    /// Commands that make its results and draw from them.
    pub commands: Vec<String>,
    pub error: Option<String>,
}

impl Figure {
    pub fn is_drawn(&self) -> bool {
        self.reason.is_empty()
    }

    /// The recipe of a run: that of the group, of the figure, and its own.
    fn recipe_of(&self, part: &Part, run: &FigureRun) -> Recipe {
        let group = self.group.as_ref();
        let group = group.and_then(|name| part.groups.iter().find(|group| group.name == *name));
        let base = group.map_or(Recipe::default(), |group| group.recipe.clone());
        let set = Recipe { set: run.set.clone(), ..Recipe::default() };
        Recipe { ensemble: None, ..base.with(&self.recipe).with(&run.recipe).with(&set) }
    }
}

impl Paper {
    /// All figures in the order of their numbers.
    pub fn figures(&self) -> Vec<Asked<'_>> {
        let of_part = |part| move |figure| Asked { part, figure };
        let mut figures: Vec<Asked<'_>> =
            self.parts.iter().flat_map(|part| part.figures.iter().map(of_part(part))).collect();
        figures.sort_by_key(|asked| number(&asked.figure.number));
        figures
    }

    /// The figure of a number, or all of them.
    pub fn figures_asked(&self, asked: Option<&str>) -> Result<Vec<Asked<'_>>, Refusal> {
        let all = self.figures();
        let Some(asked) = asked else { return Ok(all) };
        let chosen: Vec<Asked<'_>> =
            all.iter().copied().filter(|one| one.figure.number == asked).collect();
        if chosen.is_empty() {
            return Err(self.unknown(asked, &all));
        }
        Ok(chosen)
    }

    fn unknown(&self, asked: &str, all: &[Asked<'_>]) -> Refusal {
        let numbers: Vec<&str> = all.iter().map(|one| one.figure.number.as_str()).collect();
        let help = match nearest(asked, numbers.iter().copied()) {
            Some(near) if near != asked && asked.parse::<f64>().is_err() => {
                format!("did you mean `{near}`?")
            }
            _ => format!("it has {}", numbers.join(", ")),
        };
        let message = format!("paper `{}` has no figure `{asked}`", self.name);
        Refusal::new(Diagnostic::error("G1404", message).help(help))
    }

    /// Runs what figures need and draws them into a folder; `None` when `progress` cancels it.
    pub fn draw<'a>(
        &self,
        figures: &[Asked<'a>],
        folder: &Path,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Drawn<'a>>>, Refusal> {
        let runs = FigureRuns::plan(figures, folder)?;
        fs::create_dir_all(folder).map_err(|error| no_folder(folder, &error))?;
        let Some(ended) = runs.run(threads, progress) else { return Ok(None) };
        let drawn = figures.iter().map(|asked| draw::draw(asked, &runs, &ended, folder, progress));
        let drawn: Vec<Drawn<'a>> = drawn.collect();
        if progress.is_cancelled() {
            return Ok(None);
        }
        list::write(self, &drawn, folder)?;
        Ok(Some(drawn))
    }
}

fn no_folder(folder: &Path, error: &io::Error) -> Refusal {
    let message = format!("the folder `{}` cannot be made: {error}", folder.display());
    Refusal::new(Diagnostic::error("G1403", message).help("give another one with `--out DIR`"))
}

/// Digits first, then letters: 7, 7a, 10.
fn number(text: &str) -> (u32, String) {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    (digits.parse().unwrap_or(u32::MAX), text[digits.len()..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::papers;
    use super::*;

    #[test]
    fn figures_can_be_read_and_loaded() {
        for paper in papers().unwrap() {
            let figures = paper.figures();
            let runs = FigureRuns::plan(&figures, Path::new("figures"));
            runs.unwrap_or_else(|refusal| panic!("{}: {refusal}", paper.name));
            for Asked { figure, part } in figures {
                let name = format!("{}: figure {}", paper.name, figure.number);
                assert!(!figure.about.is_empty(), "{name}");
                let has = !figure.panels.is_empty() || figure.study.is_some();
                assert_eq!(figure.is_drawn(), has, "{name}: either panels or a reason");
                if let Some(group) = &figure.group {
                    assert!(
                        part.groups.iter().any(|known| known.name == *group),
                        "{name}: {group}"
                    );
                }
                for run in figure.panels.iter().flat_map(|panel| &panel.runs) {
                    let known = figure.runs.iter().any(|known| known.name == *run);
                    assert!(known, "{name}: no run `{run}`");
                }
            }
        }
    }

    #[test]
    fn numbers_are_in_the_order_of_the_paper() {
        let mut all = ["10", "7b", "2", "7a"];
        all.sort_by_key(|text| number(text));
        assert_eq!(all, ["2", "7a", "7b", "10"]);
    }
}
