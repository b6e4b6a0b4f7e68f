//! A comparison in words and tables: what the variants assume, what they give, what they cost.

use gudgeon_engine::compare::{CompareJob, Comparison, Done, Spread};
use gudgeon_engine::text::{NONE, quantity};
use gudgeon_output::record::Status;

use crate::summary;
use crate::table::Table;
use crate::terminal::Paint;

/// Difference of largest values that nobody asks about, where no mesh was refined.
const NOTICE: f64 = 0.01;

fn share(value: f64) -> String {
    format!("{:.2} %", 100.0 * value)
}

/// The whole answer.
pub fn text(job: &CompareJob, comparison: &Comparison, paint: Paint) -> String {
    let by = job.options.axis.name();
    let mut parts = vec![format!("{}\n  compared by {by}\n", paint.bold(&job.title))];
    parts.push(theory(comparison, paint));
    parts.push(outputs(job, comparison, paint));
    parts.push(cost(comparison, paint));
    parts.push(excluded(comparison));
    parts.push(warnings(comparison, paint));
    parts.push(verdict(job, comparison));
    if let (Some(folder), true) = (&comparison.folder, comparison.saved) {
        parts.push(format!("  results  {}\n", paint.bold(&folder.display().to_string())));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Why there is nothing to compare, or no result folder.
pub fn failures(comparison: &Comparison, paint: Paint) -> String {
    let mut text = String::new();
    if comparison.done().count() < 2 && !comparison.interrupted {
        text.push_str(&format!("{}: fewer than two variants ran\n", paint.error("error")));
    }
    if let Some(error) = &comparison.error {
        let help = error.help();
        text.push_str(&format!("{}: {error}\n  = help: {help}\n", paint.error("error")));
    }
    text
}

fn theory(comparison: &Comparison, paint: Paint) -> String {
    if comparison.differences.is_empty() {
        return match comparison.done().count() {
            0 | 1 => String::new(),
            _ => "  no difference of theory\n".to_owned(),
        };
    }
    let mut columns = vec!["theory".to_owned()];
    columns.extend(comparison.done().map(|(name, _)| name.to_owned()));
    let count = columns.len();
    let mut table = Table::of(columns).names(count);
    for difference in &comparison.differences {
        let mut row = vec![difference.aspect.to_owned()];
        row.extend(difference.assumed.iter().map(|(_, text)| text.clone()));
        table.row(row);
    }
    table.render(paint)
}

fn outputs(job: &CompareJob, comparison: &Comparison, paint: Paint) -> String {
    let mut columns = vec![job.shown().to_owned()];
    columns.extend(comparison.done().map(|(name, _)| name.to_owned()));
    columns.push("spread".to_owned());
    let mut table = Table::of(columns);
    for (name, unit) in &comparison.outputs {
        let mut row = vec![name.clone()];
        row.extend(comparison.done().map(|(_, done)| match done.largest(name) {
            Some((value, _)) => quantity(value, unit),
            None => NONE.to_owned(),
        }));
        row.push(comparison.spread(name).map_or(NONE.to_owned(), |s| share(s.relative)));
        table.row(row);
    }
    table.render(paint)
}

fn cost(comparison: &Comparison, paint: Paint) -> String {
    let mut table = Table::new(["variant", "CPU", "steps", "elements", "mesh"]).text_from(3);
    let meshes = comparison.done().any(|(_, done)| done.converged.is_some());
    for (name, done) in comparison.done() {
        let elements: Vec<String> =
            done.elements.iter().map(|(link, n)| format!("{link} {n}")).collect();
        let mesh = match done.converged {
            None if meshes => NONE.to_owned(),
            None => String::new(),
            Some((true, change)) => format!("converged, last change {}", share(change)),
            Some((false, change)) => format!("not converged, last change {}", share(change)),
        };
        table.row(vec![
            name.to_owned(),
            quantity(done.cpu, "s"),
            done.steps.map_or_else(String::new, |steps| steps.to_string()),
            elements.join(", "),
            mesh,
        ]);
    }
    table.render(paint)
}

/// What could not be compared, and why.
fn excluded(comparison: &Comparison) -> String {
    let all = comparison.variants.iter().filter_map(|variant| {
        let excluded = variant.outcome.as_ref().err()?;
        let help = excluded.help.as_ref().map(|help| format!("    = help: {help}\n"));
        let help = help.unwrap_or_default();
        let what = match excluded.status {
            Status::Failed => "failed",
            Status::Interrupted => "was stopped",
            _ => "is left out",
        };
        Some(format!("  `{}` {what}: {}\n{help}", variant.name, excluded.why))
    });
    all.collect()
}

/// What the runs warn of, by variant.
fn warnings(comparison: &Comparison, paint: Paint) -> String {
    let all = comparison.done().filter(|(_, done)| !done.warnings.is_empty());
    let one = |(name, done): (&str, &Done)| {
        format!("{}\n{}", paint.bold(name), summary::warnings(done.warnings.iter(), paint))
    };
    all.map(one).collect()
}

/// Whether differences of results have a reason in theory.
fn verdict(job: &CompareJob, comparison: &Comparison) -> String {
    if comparison.done().count() < 2 {
        return String::new();
    }
    if !comparison.differences.is_empty() {
        let names: Vec<&str> = comparison.differences.iter().map(|d| d.aspect).collect();
        return format!(
            "  the variants differ in theory ({}): no difference of results is unexplained\n",
            names.join(", ")
        );
    }
    let bound = job.options.converge.map_or(NOTICE, |converge| 2.0 * converge);
    let far = |name: &String| {
        let spread: Option<Spread> = comparison.spread(name);
        spread.filter(|spread| spread.relative > bound).map(|s| (name.clone(), s.relative))
    };
    let far: Vec<(String, f64)> =
        comparison.outputs.iter().filter_map(|(name, _)| far(name)).collect();
    match far.first() {
        None => format!("  all within {}\n", share(bound)),
        Some((name, relative)) => format!(
            "  without a difference of theory, {} of {} outputs are apart by more than {}, `{name}` by {}: look at mesh, tolerance, or chaos (an ensemble)\n",
            far.len(),
            comparison.outputs.len(),
            share(bound),
            share(*relative)
        ),
    }
}
