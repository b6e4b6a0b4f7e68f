//! What the runs of the samples had to say: warnings of validity, values that are missing.

use std::collections::BTreeMap;

use gudgeon::results::about_warning;

use super::{StudyJob, StudyOutcome};

/// One remark over all samples.
pub struct Note {
    /// The code of a warning; `None` for values that are missing.
    pub code: Option<String>,
    /// Samples that it concerns.
    pub samples: usize,
    pub text: String,
}

/// All remarks, warnings first.
pub fn of(job: &StudyJob, outcome: &StudyOutcome) -> Vec<Note> {
    let total = outcome.records.len();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for note in outcome.records.iter().flat_map(|record| &record.notes) {
        *counts.entry(note).or_default() += 1;
    }
    let told = counts.into_iter().map(|(note, samples)| match about_warning(note) {
        Some(about) => Note {
            code: Some(note.to_owned()),
            samples,
            text: format!("{note} in {samples} of {total} samples: {about}"),
        },
        None => {
            Note { code: None, samples, text: format!("{note} in {samples} of {total} samples") }
        }
    });
    let mut notes: Vec<Note> = told.collect();
    notes.sort_by_key(|note| note.code.is_none());
    notes.extend(thin(job, outcome));
    notes
}

/// Responses that some runs of some ensembles did not give: their means are of the others.
fn thin<'a>(job: &'a StudyJob, outcome: &'a StudyOutcome) -> impl Iterator<Item = Note> + 'a {
    let done = || outcome.records.iter().filter_map(|record| record.outcome.values());
    job.study().responses.iter().enumerate().filter_map(move |(i, response)| {
        let is_thin = |values: &&[f64]| {
            job.runs(values, i).is_some_and(|runs| runs < job.study().ensemble as f64)
        };
        let samples = done().filter(is_thin).count();
        let text = format!(
            "`{}`: in {samples} of {} samples not every run of the ensemble gave a value; the mean is of those that did",
            response.name,
            outcome.records.len()
        );
        (samples > 0).then_some(Note { code: None, samples, text })
    })
}
