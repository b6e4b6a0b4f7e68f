//! The runs of figures: each once, into a folder of its own, on all cores.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use gudgeon::progress::Progress;
use gudgeon_model::Overrides;
use gudgeon_output::record::Status;
use gudgeon_study::store::Fingerprint;

use super::super::job::overrides;
use super::super::refuse;
use super::Asked;
use crate::Refusal;
use crate::plot::is_complete;
use crate::run::{FilesRun, RunJob, RunOptions};
use crate::source::Source;

/// A run with its folder.
pub struct FolderRun {
    pub model: String,
    pub overrides: Overrides,
    pub folder: PathBuf,
}

pub struct FigureRuns {
    all: Vec<FolderRun>,
    /// By figure and run, the place among all.
    places: Vec<((String, String), usize)>,
}

/// Why a run has no result, by place; empty where it has.
pub type Ended = Vec<Option<String>>;

impl FigureRuns {
    /// What is to be run, or what is wrong with it.
    pub fn plan(figures: &[Asked<'_>], folder: &Path) -> Result<FigureRuns, Refusal> {
        let mut runs = FigureRuns { all: Vec::new(), places: Vec::new() };
        for Asked { part, figure } in figures {
            if figure.panels.iter().all(|panel| panel.outputs.is_empty() && panel.frames.is_none())
            {
                continue;
            }
            for run in &figure.runs {
                let recipe = figure.recipe_of(part, run);
                let model = recipe.model.clone().unwrap_or_else(|| part.model.to_owned());
                let overrides = overrides(&recipe);
                let loaded = Source::shipped(&model)
                    .and_then(|source| source.load(&overrides))
                    .map_err(|refusal| in_figure(&figure.number, &run.name, refusal))?;
                let name = (figure.number.clone(), run.name.clone());
                let meant = format!("{overrides:?} {:?} {:?}", loaded.model, loaded.run);
                let place = runs.place(model, overrides, &meant, folder);
                runs.places.push((name, place));
            }
        }
        Ok(runs)
    }

    /// The place of a run among all, which is new where none is like it. Its folder is named by all that is `meant`, so that a
    /// model that has changed since is run anew.
    fn place(&mut self, model: String, overrides: Overrides, meant: &str, folder: &Path) -> usize {
        let mark = Fingerprint::new().text(env!("CARGO_PKG_VERSION")).text(meant).value();
        let folder = folder.join("runs").join(format!("{model}-{mark:016x}"));
        match self.all.iter().position(|known| known.folder == folder) {
            Some(place) => place,
            None => {
                self.all.push(FolderRun { model, overrides, folder });
                self.all.len() - 1
            }
        }
    }

    /// The run of a figure by its name.
    pub fn of(&self, figure: &str, run: &str) -> Option<(usize, &FolderRun)> {
        let named = |((f, r), _): &&((String, String), usize)| f == figure && r == run;
        let (_, place) = self.places.iter().find(named)?;
        Some((*place, &self.all[*place]))
    }

    /// Runs what has no complete result yet; `None` when `progress` cancels it.
    pub fn run(&self, threads: usize, progress: &dyn Progress) -> Option<Ended> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let next = AtomicUsize::new(0);
        let done = AtomicUsize::new(0);
        let ended: Mutex<Ended> = Mutex::new(vec![None; self.all.len()]);
        std::thread::scope(|scope| {
            for _ in 0..threads.min(self.all.len()) {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= self.all.len() || progress.is_cancelled() {
                            break;
                        }
                        let error = self.all[index].run(&Part { progress });
                        ended.lock().expect("no run panics")[index] = error;
                        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                        progress.report(done as f64 / self.all.len() as f64);
                    }
                });
            }
        });
        if progress.is_cancelled() {
            None
        } else {
            Some(ended.into_inner().expect("no run panics"))
        }
    }
}

/// Cancels a run with the whole; how far one run is says nothing about all.
struct Part<'a> {
    progress: &'a dyn Progress,
}

impl Progress for Part<'_> {
    fn report(&self, _fraction: f64) {}

    fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }
}

impl FolderRun {
    /// Runs into the folder unless that has a complete result; answers why there is none.
    fn run(&self, progress: &dyn Progress) -> Option<String> {
        if is_complete(&self.folder) {
            return None;
        }
        self.try_run(progress).unwrap_or_else(|refusal| Some(refusal.to_string()))
    }

    fn try_run(&self, progress: &dyn Progress) -> Result<Option<String>, Refusal> {
        let source = Source::shipped(&self.model)?;
        let options = RunOptions { baseline: false, ..RunOptions::default() };
        let job = RunJob::new(source, self.overrides.clone(), options)?;
        let run = FilesRun::prepare(&job, Some(&self.folder), Vec::new(), progress)?;
        let outcome = run.run();
        let record = outcome.answer(&job);
        Ok(match record.status {
            Status::Ok => None,
            _ => Some(record.error.map_or("it did not finish".to_owned(), |error| error.message)),
        })
    }

    /// The command that makes the same run.
    pub fn command(&self, out: &str) -> String {
        let Overrides { set, ideal, frictionless, law, until, measure_from, rtol, method, .. } =
            &self.overrides;
        let mut words = vec!["gudgeon run".to_owned(), self.model.clone()];
        let mut add = |option: &str, value: &str| words.push(format!("{option} {}", quoted(value)));
        set.iter().for_each(|(name, value)| add("--set", &format!("{name}={value}")));
        ideal.iter().for_each(|joint| add("--ideal", joint));
        frictionless.iter().flatten().for_each(|joint| add("--friction", &format!("{joint}=off")));
        law.iter().for_each(|(_, law)| add("--law", law));
        until.iter().for_each(|until| add("--until", until));
        measure_from.iter().for_each(|from| add("--measure-from", from));
        rtol.iter().for_each(|rtol| add("--rtol", &format!("{rtol:e}")));
        method.iter().for_each(|method| add("--method", method));
        add("--out", out);
        words.join(" ")
    }
}

/// A word of a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/=:,+".contains(c);
    match word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn in_figure(number: &str, run: &str, refusal: Refusal) -> Refusal {
    *refuse(format!("figure {number}, run `{run}`: {refusal}"))
}
