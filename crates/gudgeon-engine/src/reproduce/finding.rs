//! One row of the answer: a value beside what is printed and what is known.

use super::reference::{Case, Claim, Group, Row, given};
use super::runner::Outcome;
use super::value::{Measured, Text};
use super::verdict::{Verdict, judge, judge_claim, test};

#[derive(Clone, Debug)]
pub struct Finding {
    pub case: String,
    pub quantity: String,
    pub unit: String,
    /// The statement of the text, for rows that test one.
    pub claim: Option<String>,
    pub printed: Option<f64>,
    pub value: Option<f64>,
    /// Standard deviation of an ensemble.
    pub spread: Option<f64>,
    /// Values of the runs behind a statement, by series.
    pub series: Vec<Vec<f64>>,
    pub reference: Option<f64>,
    pub tolerance: Option<f64>,
    /// How it is judged, in words.
    pub criterion: String,
    pub verdict: Verdict,
    pub expected: Verdict,
    pub note: String,
}

impl Finding {
    /// Ours over printed.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.value? / self.printed?)
    }

    /// Whether the verdict is the recorded one.
    pub fn is_expected(&self) -> bool {
        self.verdict == self.expected
    }
}

/// The rows of a case.
pub fn of_case(group: &Group, case: &Case, outcome: &Outcome) -> Vec<Finding> {
    let row = |(i, row): (usize, &Row)| {
        let printed = given(&case.printed, i);
        let reference = given(&case.reference, i);
        let measured = measure(outcome, &row.value, row.per.as_ref(), row.scale);
        let verdict = match &measured {
            Ok(measured) => judge(row, measured.value, printed, reference),
            Err(_) => Verdict::Failed,
        };
        let value = measured.as_ref().ok().map(|measured| measured.value);
        let spread = measured.as_ref().ok().and_then(|measured| measured.spread);
        Finding {
            case: group.case_name(case),
            quantity: row.quantity.clone(),
            unit: row.unit.clone(),
            claim: None,
            printed,
            value,
            spread,
            series: Vec::new(),
            reference,
            tolerance: reference.and_then(|reference| row.relative(reference)).or(row.within),
            criterion: row.criterion(reference),
            verdict,
            expected: expected(case, i),
            note: notes([&measured.err().unwrap_or_default(), &case.note, &row.note, &group.note]),
        }
    };
    group.rows.iter().enumerate().filter(|(i, _)| case.has(*i)).map(row).collect()
}

/// The row of a statement; `outcomes` are those of all cases of the group.
pub fn of_claim(group: &Group, claim: &Claim, outcomes: &[Outcome]) -> Finding {
    let value_of = |name: &String, value: &Text| -> Result<f64, String> {
        let index = group.cases.iter().position(|case| case.name == *name);
        let outcome = index.and_then(|i| outcomes.get(i)).ok_or("no such case")?;
        Ok(measure(outcome, value, claim.per.as_ref(), 1.0)?.value)
    };
    let one = |names: &Vec<String>, value: &Text| -> Result<Vec<f64>, String> {
        let ideal = claim.from_ideal.as_ref().map(|name| value_of(name, value)).transpose()?;
        let distance = |value: f64| ideal.map_or(value, |ideal| (value / ideal - 1.0).abs());
        names.iter().map(|name| value_of(name, value).map(distance)).collect()
    };
    let series = || -> Result<Vec<Vec<f64>>, String> {
        match &claim.value {
            Some(value) => claim.over.iter().map(|names| one(names, value)).collect(),
            None => {
                let within =
                    |name: &String| claim.values.iter().map(|v| value_of(name, v)).collect();
                claim.over.iter().flatten().map(within).collect()
            }
        }
    };
    let (series, error) = match series() {
        Ok(series) => (series, String::new()),
        Err(error) => (Vec::new(), error),
    };
    let tested: Vec<(f64, bool)> = series.iter().map(|series| test(claim, series)).collect();
    let holds: Vec<bool> = tested.iter().map(|(_, holds)| *holds).collect();
    Finding {
        case: group.name.clone(),
        quantity: claim.quantity.clone(),
        unit: claim.unit.clone(),
        claim: Some(claim.claim.clone()),
        printed: None,
        value: tested.first().map(|(value, _)| *value),
        spread: None,
        series,
        reference: claim.bound,
        tolerance: None,
        criterion: claim.criterion(),
        verdict: if tested.is_empty() { Verdict::Failed } else { judge_claim(&holds) },
        expected: claim.expect,
        note: notes([&error, &claim.note, &group.note, ""]),
    }
}

fn measure(
    outcome: &Outcome,
    value: &Text,
    per: Option<&Text>,
    scale: f64,
) -> Result<Measured, String> {
    let values = outcome.as_ref().map_err(Clone::clone)?;
    let read = |written: &Text| {
        let found = values.iter().find(|(text, _)| text == written.get_ref());
        found.map_or(Err("it was not requested".into()), |(_, measured)| measured.clone())
    };
    let Measured { value, spread } = read(value)?;
    let scale = scale / per.map(read).transpose()?.map_or(1.0, |other| other.value);
    let spread = spread.filter(|_| per.is_none()).map(|spread| spread * scale.abs());
    Ok(Measured { value: value * scale, spread })
}

/// The recorded verdict of a row: its own, or the one of the whole case, or agreement.
pub fn expected(case: &Case, row: usize) -> Verdict {
    match case.expect.as_slice() {
        [] => Verdict::Agrees,
        [one] => *one,
        many => many.get(row).copied().unwrap_or(Verdict::Agrees),
    }
}

fn notes<const N: usize>(parts: [&str; N]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Finds mistakes in a group: lists of other lengths than the rows, unknown cases of claims.
#[cfg(test)]
pub fn check(group: &Group) -> Result<(), String> {
    let rows = group.rows.len();
    for case in &group.cases {
        let name = group.case_name(case);
        let lengths = [case.printed.len(), case.reference.len()];
        if lengths.iter().any(|n| *n != 0 && *n != rows) {
            return Err(format!("{name}: one value per row, please"));
        }
        if !(case.expect.len() <= 1 || case.expect.len() == rows) {
            return Err(format!("{name}: one verdict per row or one for all, please"));
        }
    }
    for claim in &group.claims {
        if claim.value.is_some() != claim.values.is_empty() {
            return Err(format!("{}: either `value` or `values`, please", claim.quantity));
        }
        for name in claim.over.iter().flatten().chain(&claim.from_ideal) {
            if !group.cases.iter().any(|case| case.name == *name) {
                return Err(format!("{}: no case `{name}`", claim.quantity));
            }
        }
    }
    Ok(())
}
