//! A run that is in memory, written into a result folder afterwards.

use std::path::{Path, PathBuf};

use gudgeon_output::record::to_value;
use gudgeon_output::{Committed, OutputError, ResultFolder, SeriesFormat, SeriesWriter};

use super::recorder::columns;
use super::{RunJob, RunOutcome};
use crate::fields;

impl RunOutcome {
    /// Writes the rows, of which `rows` has the columns with the time first, and the record; pictures
    /// are those of a run into files. `results/NAME` where no folder is given; answers with the folder.
    pub fn save(
        &self,
        job: &RunJob,
        rows: &[&[f64]],
        out: Option<&Path>,
    ) -> Result<PathBuf, OutputError> {
        let default = || ResultFolder::default_path(&job.source.short_name());
        let shown = out.map_or_else(default, Path::to_owned);
        let mut folder = ResultFolder::prepare(&shown)?;
        let columns = columns(&job.loaded.run);
        folder.begin(&to_value(&job.head(&shown, &[])), &columns)?;
        let mut table = SeriesWriter::create(folder.path(), &columns, SeriesFormat::ALL)?;
        let mut row = Vec::with_capacity(rows.len());
        for index in 0..rows.first().map_or(0, |times| times.len()) {
            row.clear();
            row.extend(rows.iter().map(|column| column[index]));
            table.push(&row)?;
        }
        table.finish()?;
        fields::write(&folder, &job.loaded.model.name, &self.report.fields)?;
        let record = to_value(&self.file_record(job, &shown, &[]));
        let Committed { path: _, complete: _ } = folder.commit(&record)?;
        Ok(shown)
    }
}
