//! A run in words and tables: what the user wants to know first.

use std::path::Path;

use gudgeon::certify::{Certificate, Reference};
use gudgeon::ensemble::EnsembleReport;
use gudgeon::ked::{Case, KedReport};
use gudgeon::results::{
    End, Extreme, FieldReport, FilmReport, FlexibleReport, JournalReport, LinkPeak, RunReport,
    Statistics, Status, Warning, is_note,
};
use gudgeon::run::Method;
use gudgeon::sensor::Sensor;

use gudgeon_engine::report::REPORT;
use gudgeon_engine::run::{
    Cut, Kept, RunJob, RunOutcome, exactness, first_picture, ideal_value, unfinished,
};
use gudgeon_engine::text::{NONE, in_scale_of, plural, quantity};
use gudgeon_output::record::{Range, restitution_range};

use crate::table::Table;
use crate::terminal::Paint;

/// Frequencies of a vibrating linkage that are told.
const FREQUENCIES: usize = 5;

/// The whole summary.
pub fn text(job: &RunJob, outcome: &RunOutcome, paint: Paint) -> String {
    let report = &outcome.report;
    let mut parts = vec![head(job, outcome, paint), extremes(job, outcome, paint)];
    parts.push(contacts(report, paint));
    parts.push(journals(report));
    parts.push(films(report) + &fields(report));
    parts.push(links(report));
    parts.extend(report.ked.as_ref().map(vibration));
    parts.extend(outcome.ensemble.as_ref().map(|ensemble| spread(ensemble, paint)));
    parts.extend(outcome.certificate.as_ref().map(|c| digits(job.loaded.run.method, c, paint)));
    parts.push(balance(report));
    parts.push(warnings(report.warnings.iter().chain(&outcome.notes), paint));
    parts.push(places(job, outcome, paint));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Why the run did not get to its end; empty if it did.
pub fn failure(outcome: &RunOutcome, paint: Paint) -> String {
    let (message, help) = match (&outcome.error, &outcome.report.status) {
        (Some(error), _) => (error.to_string(), error.help()),
        (None, Status::Failed(error)) => (error.to_string(), error.help.to_string()),
        _ => match outcome.failed_beside() {
            Some(cut) => (cut.message(), Cut::HELP.to_owned()),
            None => return String::new(),
        },
    };
    let mut text = format!("{}: {message}\n", paint.error("error"));
    if !help.is_empty() {
        text.push_str(&format!("  = help: {help}\n"));
    }
    text
}

/// Name, time, method and cost.
fn head(job: &RunJob, outcome: &RunOutcome, paint: Paint) -> String {
    let report = &outcome.report;
    let (solver, statistics) = (&report.solver, &report.solver.statistics);
    let mut text = format!("{}\n", paint.bold(&job.loaded.model.name));
    let end = quantity(report.final_time, "s");
    text.push_str(&match (&report.status, report.window) {
        (Status::Interrupted, _) => {
            format!("  interrupted at {end}; everything up to then is kept")
        }
        (Status::Failed(_), _) => format!("  failed at {end}; everything up to then is kept"),
        (Status::Done, (from, _)) if from > 0.0 => {
            format!("  0 … {end}, measured from {}", quantity(from, "s"))
        }
        (Status::Done, _) => format!("  0 … {end}"),
    });
    if report.ended == Some(End::AtMost) {
        text.push_str(", ended by `at_most`");
    }
    if let Some(what) = outcome.interrupted {
        text.push_str(&format!("; interrupted in {what}"));
    }
    let reason = match solver.reason.as_str() {
        "" => String::new(),
        reason => format!(" ({reason})"),
    };
    text.push_str(&format!(
        "\n  {}{reason}, {}\n  {} steps, {} rejected, {} evaluations, {} CPU\n",
        solver.method,
        exactness(job.loaded.run.method, solver.rtol, 1.0),
        statistics.steps,
        statistics.rejected,
        statistics.evaluations,
        quantity(solver.cpu.integration(), "s"),
    ));
    if let Some(choice) = &job.loaded.choice {
        text.push_str(&format!("  {} coordinates: {}\n", choice.word(), choice.reason()));
    }
    if statistics.iterations > 0 {
        text.push_str(&newton(statistics));
    }
    text + &outcome.cost.text()
}

/// What the solution of implicit steps took.
fn newton(statistics: &Statistics) -> String {
    let by = &statistics.factorisations;
    let reasons = [
        (by.resized, "step or order changed"),
        (by.moved, "joints turned"),
        (by.slow, "slow iteration"),
        (by.restarted, "events"),
    ];
    let told: Vec<String> = reasons
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{count} {why}"))
        .collect();
    let why = if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) };
    format!(
        "  {} Newton iterations, {}, {}, {:.3} per step{why}\n",
        statistics.iterations,
        plural(statistics.tangents as usize, "tangent", "tangents"),
        plural(by.total() as usize, "factorisation", "factorisations"),
        by.total() as f64 / statistics.steps.max(1) as f64,
    )
}

/// Each output beside its value with ideal joints.
fn extremes(job: &RunJob, outcome: &RunOutcome, paint: Paint) -> String {
    let report = &outcome.report;
    if report.extremes.is_empty() {
        return String::new();
    }
    if report.window.1 <= report.window.0 {
        return "  the measuring window was not reached\n".to_owned();
    }
    let mut table = Table::new(["output", "abs max", "at", "ideal joints", "ratio", "rms"]);
    for (i, extreme) in report.extremes.iter().enumerate() {
        let ideal = outcome.baseline.as_ref().and_then(|b| b.report.extremes.get(i));
        table.row(extreme_row(&job.loaded.run.outputs[i], extreme, ideal));
    }
    table.render(paint)
}

fn extreme_row(sensor: &Sensor, extreme: &Extreme, ideal: Option<&Extreme>) -> Vec<String> {
    let (value, t) = extreme.abs_max();
    let (ideal, ratio) = match ideal {
        None => (String::new(), String::new()),
        Some(ideal) => match ideal_value(sensor, extreme, ideal) {
            Some(text) => (text, ratio(value, ideal.abs_max().0)),
            None => (NONE.to_owned(), NONE.to_owned()),
        },
    };
    vec![
        extreme.name.clone(),
        quantity(value, &extreme.unit),
        quantity(t, "s"),
        ideal,
        ratio,
        in_scale_of(value, extreme.rms, &extreme.unit),
    ]
}

/// How many times the ideal value; none where that is nothing but rounding.
fn ratio(value: f64, ideal: f64) -> String {
    let ratio = value / ideal;
    match ratio {
        _ if !ratio.is_finite() || ratio > 1e6 => NONE.to_owned(),
        _ if ratio >= 99.95 => format!("× {ratio:.0}"),
        _ if ratio >= 9.995 => format!("× {ratio:.1}"),
        _ => format!("× {ratio:.2}"),
    }
}

/// What happened in each clearance joint.
fn contacts(report: &RunReport, paint: Paint) -> String {
    if report.contacts.is_empty() {
        return String::new();
    }
    let mut table = Table::new([
        "whole run",
        "impacts",
        "fastest",
        "restitution",
        "deepest",
        "longest contact",
        "in contact (window)",
    ]);
    for contact in &report.contacts {
        let restitution = match restitution_range(report, contact) {
            Some(Range { min, max }) if max - min < 5e-4 => format!("{max:.3}"),
            Some(Range { min, max }) => format!("{min:.3} … {max:.3}"),
            None => NONE.to_owned(),
        };
        table.row(vec![
            contact.name.clone(),
            contact.impacts.to_string(),
            quantity(contact.max_impact_speed, "m/s"),
            restitution,
            quantity(contact.max_depth, "m"),
            quantity(contact.longest_contact, "s"),
            format!("{:.1} %", 100.0 * contact.contact_fraction),
        ]);
    }
    table.render(paint)
}

/// How each spatial journal lay in its bearing.
fn journals(report: &RunReport) -> String {
    let line = |journal: &JournalReport| {
        let [free, point, line, opposite] = journal.shares.map(percent);
        let tilt = quantity(journal.max_misalignment.to_degrees(), "");
        format!(
            "  {}: free {free}, one base {point}, line {line}, opposite {opposite}; tilt up to {tilt} deg\n",
            journal.name
        )
    };
    report.journals.iter().map(line).collect()
}

/// How thin each film became.
fn films(report: &RunReport) -> String {
    let line = |film: &FilmReport| {
        format!(
            "  {}: film at least {} ({:.3} of the clearance), at {}\n",
            film.name,
            quantity(film.thinnest, "m"),
            film.thinnest / film.clearance,
            quantity(film.t, "s"),
        )
    };
    report.films.iter().map(line).collect()
}

/// How far each flexible link bent.
fn links(report: &RunReport) -> String {
    let at = |peak: &LinkPeak, unit: &str| {
        let t = quantity(peak.t, "s");
        format!("{} at {:.3} of the link and {t}", quantity(peak.value, unit), peak.along)
    };
    let line = |link: &FlexibleReport| {
        format!(
            "  {}: stress up to {}; strain {} … {}; deflection {}\n",
            link.name,
            at(&link.stress, "Pa"),
            quantity(link.compression.value, ""),
            quantity(link.tension.value, ""),
            at(&link.deflection, "m"),
        )
    };
    report.flexible.iter().map(line).collect()
}

/// How the vibration about the rigid motion was computed.
fn vibration(ked: &KedReport) -> String {
    let case = match ked.spec.case {
        Case::Exact => "exact inertia load".to_owned(),
        Case::Difference => "difference of the inertia loads of cases 2 and 1".to_owned(),
        case => format!("inertia load of case {}", case.name()),
    };
    let locked = match &ked.locked[..] {
        [] => "no joint locked".to_owned(),
        names => format!("locked: {}", names.join(", ")),
    };
    let mut text = format!(
        "  vibration about the rigid motion: {}, {}, {case}, {locked}\n  {} of {}, {} CPU\n",
        plural(ked.elements, "element", "elements"),
        plural(ked.coordinates, "coordinate", "coordinates"),
        plural(ked.steps as usize, "step", "steps"),
        quantity(ked.step, "s"),
        quantity(ked.cpu, "s"),
    );
    let shown: Vec<String> =
        ked.frequencies.iter().take(FREQUENCIES).map(|f| quantity(*f, "Hz")).collect();
    if !shown.is_empty() {
        text.push_str(&format!("  frequencies at the start: {}\n", shown.join(", ")));
    }
    text
}

/// The highest pressure of all instants asked for.
fn fields(report: &RunReport) -> String {
    let highest = |a: &&FieldReport, b: &&FieldReport| a.peak.pressure.total_cmp(&b.peak.pressure);
    let Some(field) = report.fields.iter().max_by(highest) else { return String::new() };
    format!(
        "  {}, the highest {} at {:.1} deg in {}, at {}\n",
        plural(report.fields.len(), "pressure field", "pressure fields"),
        quantity(field.peak.pressure, "Pa"),
        field.peak.angle.to_degrees(),
        field.name,
        quantity(field.t, "s"),
    )
}

fn percent(share: f64) -> String {
    if share == 0.0 { "0 %".to_owned() } else { format!("{:.1} %", 100.0 * share) }
}

fn balance(report: &RunReport) -> String {
    format!(
        "  energy balance closes to {:.1e} of the peak kinetic energy ({})\n  \
         constraint drift {:.1e} (relative to the mechanism's size), {:.1e} (to its speed)\n",
        report.energy.residual_relative(),
        quantity(report.energy.peak_kinetic, "J"),
        report.drift.position,
        report.drift.velocity,
    )
}

fn spread(ensemble: &EnsembleReport, paint: Paint) -> String {
    let runs = plural(ensemble.runs, "perturbed run", "perturbed runs");
    let text = match unfinished(ensemble) {
        None => format!("  abs max over {runs}"),
        Some(why) if ensemble.finished == 0 => {
            return format!("  no ensemble: none of {runs} came to its end ({why})\n");
        }
        Some(why) => format!("  abs max over {} of {runs} ({why})", ensemble.finished),
    };
    let mut table = Table::new(["output", "mean", "std", "min", "max"]);
    for extreme in &ensemble.extremes {
        let spread = &extreme.abs_max;
        let shown = |value: f64| in_scale_of(spread.max, value, &extreme.unit);
        table.row(vec![
            extreme.name.clone(),
            shown(spread.mean),
            // One run has no spread.
            if ensemble.finished > 1 { shown(spread.std) } else { NONE.to_owned() },
            shown(spread.min),
            shown(spread.max),
        ]);
    }
    format!("{text}\n{}", table.render(paint))
}

fn digits(method: Method, certificate: &Certificate, paint: Paint) -> String {
    let [near, far] = &certificate.references;
    let at = |reference: &Reference| exactness(method, reference.rtol, reference.step_ratio);
    let mut text = format!("  digits that hold, from runs at {} and {}\n", at(near), at(far));
    for reference in &certificate.references {
        text.push_str(&stopped(reference, &at(reference)));
    }
    let mut table =
        Table::new(["output", "of abs max", "of mean", "of rms", "of the history", "up to"]);
    for output in &certificate.outputs {
        let until = match output.whole_run {
            true => "the end".to_owned(),
            false => quantity(output.horizon, "s"),
        };
        let digits = [output.extreme_digits, output.mean_digits, output.rms_digits, output.digits]
            // Never more than hold.
            .map(|d| match d > 0.0 && output.horizon > 0.0 {
                true => format!("{:.1}", (10.0 * d).floor() / 10.0),
                false => NONE.into(),
            });
        let mut row = vec![output.name.clone()];
        row.extend(digits);
        row.push(until);
        table.row(row);
    }
    text.push_str(&table.render(paint));
    text
}

/// Where a run that digits rest on did not get to the end.
fn stopped(reference: &Reference, at: &str) -> String {
    let how = match reference.status {
        Status::Done => return String::new(),
        Status::Interrupted => "was interrupted",
        Status::Failed(_) => "failed",
    };
    let t = quantity(reference.final_time, "s");
    format!("  the run at {at} {how} at {t}: nothing is certified beyond\n")
}

/// Warnings in full; what several spots of a joint share is said once, with the numbers of the first.
pub fn warnings<'a>(all: impl Iterator<Item = &'a Warning>, paint: Paint) -> String {
    let owner =
        |warning: &Warning| warning.joint.split_once('.').map(|(joint, _)| joint.to_owned());
    let mut groups: Vec<(&Warning, Vec<&str>)> = Vec::new();
    for one in all {
        let alike = |(first, _): &&mut (&Warning, Vec<&str>)| {
            owner(one).is_some() && first.code == one.code && owner(first) == owner(one)
        };
        match groups.iter_mut().find(alike) {
            Some((_, also)) => also.push(&one.joint),
            None => groups.push((one, Vec::new())),
        }
    }
    groups.iter().map(|(first, also)| warning(first, also, paint)).collect()
}

fn warning(warning: &Warning, also: &[&str], paint: Paint) -> String {
    let joint = match (warning.joint.as_str(), also) {
        ("", _) => String::new(),
        (joint, []) => format!(" `{joint}`:"),
        (joint, also) => format!(" `{joint}` (also `{}`):", also.join("`, `")),
    };
    let level = if is_note(warning.code) { "note" } else { "warning" };
    let label = paint.warning(&format!("{level}[{}]", warning.code));
    format!("{label}:{joint} {}\n  = help: {}\n", warning.message, warning.help)
}

/// Where the last complete result is, if that of now is not one.
pub fn last_complete(shown: &Path, complete: Option<&Path>, paint: Paint) -> String {
    let Some(complete) = complete else { return String::new() };
    format!("  kept     {}, the last complete result\n", paint.bold(&Kept::beside(shown, complete)))
}

/// Where the results are.
fn places(job: &RunJob, outcome: &RunOutcome, paint: Paint) -> String {
    if !outcome.saved {
        return String::new();
    }
    let Some(folder) = &outcome.folder else { return String::new() };
    let mut text = format!("  results  {}\n", paint.bold(&folder.display().to_string()));
    text.push_str(&last_complete(folder, outcome.kept.complete.as_deref(), paint));
    if outcome.error.is_some() {
        return text;
    }
    if let Some(plot) = first_picture(job, outcome) {
        let plot = folder.join(plot).display().to_string();
        text.push_str(&format!("  plot     {}\n", paint.bold(&plot)));
    }
    if outcome.reported {
        let report = folder.join(REPORT).display().to_string();
        text.push_str(&format!("  report   {}\n", paint.bold(&report)));
    }
    text
}
