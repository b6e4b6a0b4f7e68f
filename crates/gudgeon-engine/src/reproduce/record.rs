//! What was found about a paper, as scripts read it.

use gudgeon_output::record::{Number, PaperRecord, PaperRow, Status};

use super::{Finding, Paper, Section};

/// The object of `--json`.
pub fn record(paper: &Paper, sections: &[Section<'_>]) -> PaperRecord {
    let findings = || sections.iter().flat_map(|section| &section.findings);
    let expected = findings().all(Finding::is_expected);
    PaperRecord {
        paper: paper.name.clone(),
        rows: findings().map(row).collect(),
        figures: Vec::new(),
        status: if expected { Status::Ok } else { Status::Failed },
        error: failure(sections),
        errors: Vec::new(),
    }
}

/// Which rows have another verdict than the recorded one.
pub fn failure(sections: &[Section<'_>]) -> Option<String> {
    let findings = || sections.iter().flat_map(|section| &section.findings);
    let others = findings().filter(|finding| !finding.is_expected()).count();
    let first = findings().find(|finding| !finding.is_expected())?;
    Some(format!(
        "{others} of {} rows are not as recorded, the first `{}` of `{}`: {} instead of {}",
        findings().count(),
        first.quantity,
        first.case,
        first.verdict.words(),
        first.expected.words(),
    ))
}

fn row(finding: &Finding) -> PaperRow {
    let ratio = finding.ratio();
    let Finding {
        case,
        quantity,
        unit,
        claim,
        printed,
        value,
        spread,
        series,
        reference,
        tolerance,
        criterion,
        verdict,
        expected,
        note,
    } = finding.clone();
    let numbers = |all: Vec<f64>| all.into_iter().map(Number).collect();
    PaperRow {
        case,
        quantity,
        printed,
        value,
        reference,
        tolerance,
        criterion,
        verdict: verdict.words().to_owned(),
        expected: expected.words().to_owned(),
        unit,
        ratio,
        spread,
        claim,
        series: series.into_iter().map(numbers).collect(),
        note,
    }
}
