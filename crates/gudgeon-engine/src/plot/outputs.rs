//! Which columns of the tables are drawn, and over which.

use gudgeon::sensor::{fits, is_pattern};
use gudgeon_model::diagnostic::{Diagnostic, nearest};

use super::result::RunResult;
use super::{PlotOptions, all, finding};
use crate::refusal::Refusal;

/// A column by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub name: String,
    pub unit: String,
    pub about: String,
}

pub struct Chosen {
    pub outputs: Vec<Found>,
    /// In place of the time.
    pub over: Option<Found>,
}

impl Chosen {
    /// What is asked for, or everything that is wrong with it.
    pub fn find(options: &PlotOptions, results: &[RunResult]) -> Result<Chosen, Refusal> {
        let columns = columns(results);
        let mut findings = Vec::new();
        let mut outputs = Vec::new();
        for name in &options.outputs {
            let found = matching(&columns, name);
            if found.is_empty() {
                findings.push(unknown(&columns, name, "output"));
            }
            outputs.extend(found);
        }
        if options.outputs.is_empty() {
            outputs.clone_from(&columns);
        }
        let mut unique: Vec<Found> = Vec::new();
        outputs.into_iter().for_each(|one| {
            if !unique.contains(&one) {
                unique.push(one)
            }
        });
        let over = options.over.as_deref().filter(|name| *name != "t");
        let over = over.map(|name| angle_or_output(&columns, name));
        if let Some(Err(finding)) = &over {
            findings.push((**finding).clone());
        }
        let over = over.and_then(Result::ok);
        if options.fold && over.as_ref().is_none_or(|over| over.unit != "rad") {
            findings.push(finding(
                "G1604",
                "`--fold` needs an angle to draw over".into(),
                "add `--over NAME` with an output that is an angle, such as `crank.angle`".into(),
            ));
        }
        if options.together {
            findings.extend(apart(&unique));
        }
        all(findings)?;
        Ok(Chosen { outputs: unique, over })
    }
}

/// The columns of all results but the time, each once.
fn columns(results: &[RunResult]) -> Vec<Found> {
    let mut columns: Vec<Found> = Vec::new();
    for column in results.iter().flat_map(|result| &result.columns()[1..]) {
        if columns.iter().all(|known| known.name != column.name) {
            let (name, unit, about) =
                (column.name.clone(), column.unit.clone(), column.about.clone());
            columns.push(Found { name, unit, about });
        }
    }
    columns
}

fn matching(columns: &[Found], name: &str) -> Vec<Found> {
    let is = |column: &&Found| match is_pattern(name) {
        true => fits(name, &column.name),
        false => column.name == name,
    };
    columns.iter().filter(is).cloned().collect()
}

/// An output, or the angle of a body, joint or driver of that name.
fn angle_or_output(columns: &[Found], name: &str) -> Result<Found, Box<Diagnostic>> {
    let angle = format!("{name}.angle");
    let named = |wanted: &str| columns.iter().find(|column| column.name == wanted).cloned();
    named(name).or_else(|| named(&angle)).ok_or_else(|| {
        let mut finding = unknown(columns, name, "output");
        if !name.contains('.') {
            finding = finding.help(format!(
                "run the model with `{angle}` among its `outputs`, or draw over one of {}",
                listed(columns)
            ));
        }
        Box::new(finding)
    })
}

fn unknown(columns: &[Found], name: &str, what: &str) -> Diagnostic {
    let names = || columns.iter().map(|column| column.name.as_str());
    let help = match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`? The result has {}", listed(columns)),
        None => format!(
            "the result has {}; others must stand in `outputs` of the model when it runs",
            listed(columns)
        ),
    };
    let message = match is_pattern(name) {
        true => format!("no {what} fits `{name}`"),
        false => format!("the result has no {what} `{name}`"),
    };
    finding("G1602", message, help)
}

/// The first names of the columns.
fn listed(columns: &[Found]) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<String> =
        columns.iter().take(SHOWN).map(|column| format!("`{}`", column.name)).collect();
    if columns.len() > SHOWN {
        names.push(format!("{} more", columns.len() - SHOWN));
    }
    names.join(", ")
}

/// Outputs of different units have no common axis.
fn apart(outputs: &[Found]) -> Option<Diagnostic> {
    let first = outputs.first()?;
    let other = outputs.iter().find(|output| output.unit != first.unit)?;
    let unit = |found: &Found| match found.unit.as_str() {
        "" => "no unit".to_owned(),
        unit => format!("the unit {unit}"),
    };
    Some(finding(
        "G1604",
        format!(
            "`{}` has {} and `{}` {}: they have no common axis",
            first.name,
            unit(first),
            other.name,
            unit(other)
        ),
        "leave out `--together`, or choose outputs of one unit".into(),
    ))
}
