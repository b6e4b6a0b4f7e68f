//! A sweep in words and a table.

use gudgeon_study::file::Bifurcation;
use gudgeon_study::runner::most_frequent;

use gudgeon_engine::study::{Branch, StudyJob, SweepResult, told};
use gudgeon_engine::text::{NONE, in_one_unit, plural};

use crate::table::Table;
use crate::terminal::Paint;

/// Values shown at most.
const SHOWN: usize = 12;

pub fn text(job: &StudyJob, sweep: &SweepResult, paint: Paint) -> String {
    let name = &job.study().variables[sweep.variable].name;
    let mut text = format!("  sweep of `{name}`");
    if let [first, .., last] = &sweep.labels[..] {
        text.push_str(&format!(" from {first} to {last}"));
    }
    text.push_str(&format!(": {}", plural(sweep.points.len(), "value", "values")));
    text.push_str(&failed(sweep));
    text.push('\n');
    text.push_str(&table(job, sweep, paint));
    let wanted = job.study().sweep.as_ref().and_then(|wanted| wanted.bifurcation.as_ref());
    if let Some((wanted, all)) = wanted.zip(sweep.bifurcation.as_ref()) {
        for (range, what) in stretches(&sweep.labels, all, wanted) {
            text.push_str(&format!("    {range}: {what}\n"));
        }
    }
    for history in &sweep.histories {
        let what = match &history.file {
            Ok(file) => file.clone(),
            Err(cause) => format!("no history: {cause}"),
        };
        text.push_str(&format!("    {}: {what}\n", history.label));
    }
    text
}

/// How many values failed, and why most of them did.
fn failed(sweep: &SweepResult) -> String {
    let causes = || sweep.points.iter().filter_map(|(_, answer)| answer.clone().err());
    match causes().count() {
        0 => String::new(),
        count => match most_frequent(causes()) {
            (cause, times) if times < count => {
                format!(", {count} failed, {times} of them with: {cause}")
            }
            (cause, _) => format!(", {count} failed: {cause}"),
        },
    }
}

/// The responses at some values, both ends among them.
fn table(job: &StudyJob, sweep: &SweepResult, paint: Paint) -> String {
    let Some(wanted) = &job.study().sweep else { return String::new() };
    let (count, last) = (sweep.points.len(), sweep.points.len().saturating_sub(1));
    let rows: Vec<usize> = match count > SHOWN {
        true => (0..SHOWN).map(|i| (i * last + (SHOWN - 1) / 2) / (SHOWN - 1)).collect(),
        false => (0..count).collect(),
    };
    let columns = wanted.responses.iter().map(|i| column(job, sweep, *i, &rows));
    let columns: Vec<Vec<String>> = columns.collect();
    let mut header = vec![job.study().variables[sweep.variable].name.clone()];
    header.extend(columns.iter().map(|column| column[0].clone()));
    let mut table = Table::of(header);
    for (k, row) in rows.iter().enumerate() {
        let mut cells = vec![sweep.labels[*row].clone()];
        cells.extend(columns.iter().map(|column| column[k + 1].clone()));
        table.row(cells);
    }
    let mut text = table.render(paint);
    if count > SHOWN {
        text.push_str(&format!("    {SHOWN} of {count} shown, all in sweep/samples.csv\n"));
    }
    text
}

/// Name and unit of a response, then its values.
fn column(job: &StudyJob, sweep: &SweepResult, response: usize, rows: &[usize]) -> Vec<String> {
    let value = |row: &usize| match &sweep.points[*row].1 {
        Ok(values) => job.value(values, response),
        Err(_) => f64::NAN,
    };
    let values: Vec<f64> = rows.iter().map(value).collect();
    let finite = values.iter().map(|value| value.abs()).filter(|value| value.is_finite());
    let response = &job.study().responses[response];
    let (unit, texts) = in_one_unit(finite.fold(0.0, f64::max), &values, &response.unit);
    let heading = match unit.is_empty() {
        true => response.name.clone(),
        false => format!("{} [{unit}]", response.name),
    };
    debug_assert!(texts.iter().zip(&values).all(|(t, v)| v.is_finite() || t == NONE));
    std::iter::once(heading).chain(texts).collect()
}

/// Neighbouring values of the same kind: their range, and what is known of them.
fn stretches(labels: &[String], all: &[Branch], wanted: &Bifurcation) -> Vec<(String, String)> {
    let mut stretches = Vec::new();
    let mut from = 0;
    for stretch in all.chunk_by(|a, b| a.kind() == b.kind()) {
        let (first, last) = (&labels[from], &labels[from + stretch.len() - 1]);
        let range = if stretch.len() == 1 { first.clone() } else { format!("{first} … {last}") };
        let members: Vec<&Branch> = stretch.iter().collect();
        stretches.push((range, told(stretch[0].kind(), &members, wanted)));
        from += stretch.len();
    }
    stretches
}
