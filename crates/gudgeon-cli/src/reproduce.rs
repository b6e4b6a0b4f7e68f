//! The tables of a paper, for people.

use gudgeon_engine::reproduce::figure::Drawn;
use gudgeon_engine::reproduce::{Finding, Paper, Section};
use gudgeon_engine::text::NONE;

use crate::table::Table;
use crate::terminal::Paint;

/// Digits of our values beside an independent reference, and beside print.
const EXACT: usize = 7;
const ROUGH: usize = 4;

const LEGEND: [&str; 6] = [
    "agrees          an independent reference solution is met within its tolerance",
    "differs         it is not: a fault of this program",
    "reproduced      the printed value is met as closely as stated for its table",
    "not reproduced  it is not; the note says why",
    "depends         the statement holds for some choices of what the paper leaves open",
    "ratio: ours / printed; spread: standard deviation over an ensemble of starts 1 nm apart",
];

pub fn text(paper: &Paper, sections: &[Section<'_>], paint: Paint) -> String {
    let mut text = format!("{}: {}\n", paint.bold(&paper.name), paper.title);
    let mut notes: Vec<&str> = Vec::new();
    for section in sections {
        text.push_str(&format!("\n{}: {}\n", paint.bold(section.name), section.about));
        text.push_str(&table(section, &mut notes, paint));
    }
    if !notes.is_empty() {
        text.push('\n');
    }
    for (i, note) in notes.iter().enumerate() {
        text.push_str(&format!("  [{}] {note}\n", i + 1));
    }
    text.push('\n');
    for line in LEGEND {
        text.push_str(&format!("  {}\n", paint.dim(line)));
    }
    text.push_str(&format!("\n{}", count(sections, paint)));
    text
}

/// What became of the figures of a paper.
pub fn figures_text(paper: &Paper, drawn: &[Drawn<'_>], paint: Paint) -> String {
    let mut text = format!("{}: {}\n", paint.bold(&paper.name), paper.title);
    for Drawn { figure, files, error, .. } in drawn {
        let shown: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let what = match error {
            Some(error) => paint.error(error),
            None if !shown.is_empty() => shown.join(", "),
            None => paint.dim(&format!("not drawn: {}", figure.reason)),
        };
        text.push_str(&format!("  {:>3}  {}\n       {what}\n", figure.number, figure.about));
    }
    text
}

/// One table; the first column holds case and quantity, both from the left.
fn table<'a>(section: &'a Section<'_>, notes: &mut Vec<&'a str>, paint: Paint) -> String {
    let width = section.findings.iter().map(|f| f.case.chars().count()).max().unwrap_or(0).max(4);
    let header = format!("{:width$}  quantity", "case");
    let columns = ["printed", "ours", "ratio", "reference", "spread", "criterion", "verdict"];
    let [printed, ours, ratio, reference, spread, criterion, verdict] = columns;
    let columns = [&header, printed, ours, ratio, reference, spread, criterion, verdict];
    let mut table = Table::new(columns).text_from(6);
    for finding in &section.findings {
        let unit =
            if finding.unit.is_empty() { String::new() } else { format!(", {}", finding.unit) };
        let number = |value: Option<f64>, digits| value.map_or(String::new(), |v| digit(v, digits));
        let judged = finding.reference.is_some() && finding.claim.is_none();
        let exact = if judged { EXACT } else { ROUGH };
        table.row(vec![
            format!("{:width$}  {}{unit}", finding.case, finding.quantity),
            finding.printed.map_or(String::new(), |printed| format!("{printed:e}")),
            finding.value.map_or(NONE.to_owned(), |value| digit(value, exact)),
            number(finding.ratio(), 3),
            match (finding.reference, &finding.claim) {
                (Some(bound), Some(_)) if bound.abs() < 1e-3 => format!("{bound:e}"),
                (Some(bound), Some(_)) => format!("{bound}"),
                (reference, _) => number(reference, EXACT),
            },
            finding.spread.map_or(String::new(), |spread| format!("± {}", digit(spread, 2))),
            finding.criterion.clone(),
            verdict_cell(finding, notes, paint),
        ]);
    }
    table.render(paint)
}

/// The verdict, whether it was expected, the statement it is about, and the number of its note.
fn verdict_cell<'a>(finding: &'a Finding, notes: &mut Vec<&'a str>, paint: Paint) -> String {
    let mut cell = finding.verdict.words().to_owned();
    if !finding.is_expected() {
        let expected = format!("{cell}, expected: {}", finding.expected.words());
        cell = paint.error(&expected);
    }
    if let Some(claim) = &finding.claim {
        cell.push_str(&format!(": “{claim}”"));
    }
    if !finding.note.is_empty() {
        let known = notes.iter().position(|note| *note == finding.note);
        let index = known.unwrap_or_else(|| {
            notes.push(&finding.note);
            notes.len() - 1
        });
        cell.push_str(&format!(" [{}]", index + 1));
    }
    cell
}

/// How many rows came out how, and whether that is news.
fn count(sections: &[Section<'_>], paint: Paint) -> String {
    let findings = || sections.iter().flat_map(|section| &section.findings);
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for finding in findings() {
        let words = finding.verdict.words();
        match kinds.iter_mut().find(|(kind, _)| *kind == words) {
            Some((_, count)) => *count += 1,
            None => kinds.push((words, 1)),
        }
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let surprises = findings().filter(|finding| !finding.is_expected()).count();
    let end = match surprises {
        0 => "every verdict as recorded".to_owned(),
        n => paint.error(&format!("{n} not as recorded")),
    };
    format!("{} rows: {}; {end}\n", findings().count(), kinds.join(", "))
}

/// A number with so many significant digits, plain where that is short.
fn digit(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let rounded = format!("{value:.*e}", digits - 1);
    let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if (-3..digits.max(6) as i32).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        format!("{value:.decimals$}")
    } else {
        rounded
    }
}

#[cfg(test)]
mod tests {
    use super::digit;

    #[test]
    fn digits_are_significant() {
        assert_eq!(digit(23153.636, 7), "23153.64");
        assert_eq!(digit(2.2728603e-4, 7), "2.272860e-4");
        assert_eq!(digit(0.0690104, 4), "0.06901");
        assert_eq!(digit(-3.7584508, 7), "-3.758451");
        assert_eq!(digit(243714.7, 4), "243715");
        assert_eq!(digit(0.0, 4), "0");
    }
}
