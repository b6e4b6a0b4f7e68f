//! A run whose rows, pictures and record go to a result folder.

use std::path::{Path, PathBuf};

use gudgeon::progress::Progress;
use gudgeon_output::record::to_value;
use gudgeon_output::{OutputError, Repair, ResultFolder};

use super::cost::timed;
use super::execute::execute;
use super::recorder::{Files, Recorder, columns};
use super::{RunJob, RunOutcome, pictures};
use crate::refusal::Refusal;
use crate::report;

/// A run into a folder. The folder is written beside and exchanged when it is finished.
pub struct FilesRun<'a> {
    job: &'a RunJob,
    /// The folder as the user knows it.
    shown: PathBuf,
    /// What the user typed, for the record.
    arguments: Vec<String>,
    folder: ResultFolder,
    recorder: Recorder<'a>,
    report: bool,
}

impl<'a> FilesRun<'a> {
    /// Everything before the first step. `results/NAME` where no folder is given.
    pub fn prepare(
        job: &'a RunJob,
        out: Option<&Path>,
        arguments: Vec<String>,
        progress: &'a dyn Progress,
    ) -> Result<FilesRun<'a>, Refusal> {
        let default = || ResultFolder::default_path(&job.source.short_name());
        let shown = out.map_or_else(default, Path::to_owned);
        let mut folder = ResultFolder::prepare(&shown)?;
        let head = to_value(&job.head(&shown, &arguments));
        folder.begin(&head, &columns(&job.loaded.run))?;
        let (model, spec) = (&job.loaded.model, &job.loaded.run);
        let recorder = Recorder::new(job, progress).for_pictures(model, spec).into_files(
            Files { disk: folder.disk().clone(), folder: folder.path().to_owned() },
            (model, &job.assembly),
            spec,
        )?;
        Ok(FilesRun { job, shown, arguments, folder, recorder, report: true })
    }

    /// The same without the page.
    #[must_use]
    pub fn without_report(self, without: bool) -> Self {
        FilesRun { report: !without, ..self }
    }

    /// What killed runs had left in the place of the results, and what became of it.
    pub fn repairs(&self) -> &[Repair] {
        self.folder.repairs()
    }

    /// Runs, draws, writes the record, and puts the folder in its place.
    pub fn run(self) -> RunOutcome {
        let FilesRun { job, shown, arguments, folder, recorder, report } = self;
        let mut outcome = execute(job, recorder);
        // It tells where what there is has gone, so it counts more than what stopped the run.
        if let Err(error) = save(job, (folder, report), (&shown, &arguments), &mut outcome) {
            outcome.error = Some(error);
        }
        outcome.folder = Some(shown);
        outcome
    }
}

fn save(
    job: &RunJob,
    (folder, report): (ResultFolder, bool),
    (shown, arguments): (&Path, &[String]),
    outcome: &mut RunOutcome,
) -> Result<(), OutputError> {
    let (drawn, seconds) = timed(|| pictures::write(&folder, job, outcome));
    outcome.cost.writing += seconds;
    if let Err(error) = drawn {
        outcome.error.get_or_insert(error);
    }
    outcome.kept.killed = killed(&folder);
    if report {
        let record = || to_value(&outcome.file_record(job, shown, arguments));
        let (written, seconds) = timed(|| report::write(&folder, &record()));
        outcome.cost.writing += seconds;
        outcome.reported = written.is_ok();
        if let Err(error) = written {
            outcome.error.get_or_insert(error);
        }
    }
    let record = to_value(&outcome.file_record(job, shown, arguments));
    let (committed, seconds) = timed(|| folder.commit(&record));
    outcome.cost.writing += seconds;
    let at_its_place = match &committed {
        Ok(committed) => Some(committed),
        Err(error) => error.committed(),
    };
    outcome.saved = at_its_place.is_some();
    outcome.kept.complete = at_its_place.and_then(|committed| committed.complete.clone());
    committed.map(drop)
}

/// Where the rows of a killed run went.
pub(crate) fn killed(folder: &ResultFolder) -> Option<PathBuf> {
    folder.repairs().iter().find_map(|repair| repair.killed().cloned())
}
