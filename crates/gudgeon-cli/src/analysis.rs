//! Static, modal and response analyses in words and tables.

use std::path::Path;

use gudgeon::equilibrium::{PathReport, StaticReport};
use gudgeon::modal::{ModalReport, Mode, ResponseReport};
use gudgeon_engine::analysis::{AnalysisJob, AnalysisOutcome, Found, VariedModes, picture};
use gudgeon_engine::bearing::value_of;
use gudgeon_engine::text::{NONE, plural, quantity, share};

use crate::summary;
use crate::table::Table;
use crate::terminal::Paint;

/// Elements that are named as the seat of a mode.
const SEATS: usize = 2;

/// The whole answer.
pub fn text(job: &AnalysisJob, outcome: &AnalysisOutcome, paint: Paint) -> String {
    let mut parts = vec![head(job, outcome, paint)];
    match &outcome.found {
        Found::Rest(Ok(report)) => parts.push(rest(job, report, paint)),
        Found::Path(Ok(report)) => parts.push(path(job, report, paint)),
        Found::Modes(Ok(report)) => parts.push(modes(report, paint)),
        Found::Varied(varied) => parts.push(over_parameter(job, varied, paint)),
        Found::Response(Ok(report)) => parts.push(response(job, report, paint)),
        Found::Rest(Err(_)) | Found::Path(Err(_)) => {}
        Found::Modes(Err(_)) | Found::Response(Err(_)) => {}
    }
    parts.push(summary::warnings(outcome.found.warnings().iter(), paint));
    if let (Some(folder), true) = (&outcome.folder, outcome.saved) {
        let kept = summary::last_complete(folder, outcome.kept.complete.as_deref(), paint);
        parts.push(files(job, outcome, folder, paint) + &kept);
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Why there is nothing, or no result folder.
pub fn failures(outcome: &AnalysisOutcome, paint: Paint) -> String {
    let mut text = String::new();
    if let Some(mistake) = outcome.found.failure() {
        let help = mistake.help.unwrap_or_default();
        text.push_str(&format!(
            "{}: {}\n  = help: {help}\n",
            paint.error("error"),
            mistake.message
        ));
    }
    if let Some(error) = &outcome.error {
        let help = error.help();
        text.push_str(&format!("{}: {error}\n  = help: {help}\n", paint.error("error")));
    }
    text
}

fn head(job: &AnalysisJob, outcome: &AnalysisOutcome, paint: Paint) -> String {
    let name = paint.bold(&job.loaded.model.name);
    let about = match &outcome.found {
        Found::Modes(Ok(report)) if report.frozen => "a frozen state",
        Found::Response(Ok(report)) if report.frozen => "a frozen state",
        _ => match job.about() {
            "start" => "the start",
            "spinning" => "the equilibrium of spinning shafts",
            "rotation" => "steady rotation",
            "frozen" => "a frozen state",
            _ => "the equilibrium",
        },
    };
    let what = match &outcome.found {
        Found::Rest(_) => format!("static analysis: {about}"),
        Found::Path(_) => "static analysis: a path of equilibria".to_owned(),
        Found::Modes(_) => format!("modal analysis about {about}"),
        Found::Varied(_) => format!("modal analysis about {about}, modes followed by their shapes"),
        Found::Response(_) => format!("harmonic response about {about}"),
    };
    format!("{name}\n  {what}\n")
}

fn stability(stable: Option<bool>) -> &'static str {
    match stable {
        Some(true) => "stable",
        Some(false) => "not stable",
        None => NONE,
    }
}

fn rest(job: &AnalysisJob, report: &StaticReport, paint: Paint) -> String {
    let mut table = Table::new(["output", "value"]);
    for (sensor, value) in job.loaded.run.outputs.iter().zip(&report.outputs) {
        table.row(vec![sensor.name.clone(), quantity(*value, &sensor.unit)]);
    }
    let freedom = plural(report.mobility, "degree of freedom", "degrees of freedom");
    let found = plural(report.steps, "step", "steps");
    let dependent = dependent(&report.dependent);
    format!("  {}, {freedom}, {found}\n{dependent}\n", stability(report.stable))
        + &table.render(paint)
}

fn dependent(rows: &[(String, &'static str)]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let names: Vec<String> = rows.iter().map(|(owner, row)| format!("{owner} ({row})")).collect();
    format!("  rows that follow from others: {}\n", names.join(", "))
}

fn path(job: &AnalysisJob, report: &PathReport, paint: Paint) -> String {
    let Some(vary) = job.vary() else { return String::new() };
    let mut columns = vec![vary.parameter.clone(), String::new()];
    columns.extend(job.loaded.run.outputs.iter().map(|sensor| sensor.name.clone()));
    let mut table = Table::of(columns).names(2);
    for (point, values) in &report.points {
        if !point.requested && !point.limit {
            continue;
        }
        let note = if point.limit { "limit point" } else { stability(point.stable) };
        let mut cells = vec![value_of(vary, point.value, job.unit(vary)), note.to_owned()];
        let outputs = job.loaded.run.outputs.iter().zip(values);
        cells.extend(outputs.map(|(sensor, value)| quantity(*value, &sensor.unit)));
        table.row(cells);
    }
    table.render(paint)
}

fn seats(mode: &Mode) -> String {
    let largest = mode.strain.iter().take(SEATS);
    let parts: Vec<String> =
        largest.map(|(name, part)| format!("{name} {:.0} %", 100.0 * part)).collect();
    if parts.is_empty() { NONE.to_owned() } else { parts.join(", ") }
}

fn modes(report: &ModalReport, paint: Paint) -> String {
    let mut table = Table::new(["mode", "frequency", "damping ratio", "eigenvalue", "held by"]);
    for (i, mode) in report.modes.iter().enumerate() {
        let [re, im] = mode.eigenvalue;
        table.row(vec![
            (i + 1).to_string(),
            quantity(mode.frequency, "Hz"),
            share(mode.damping_ratio),
            format!("{} ± {}i", quantity(re, ""), quantity(im, "")),
            seats(mode),
        ]);
    }
    let freedom = plural(report.mobility, "degree of freedom", "degrees of freedom");
    let dependent = dependent(&report.dependent);
    format!("  {}, {freedom}\n{dependent}\n", stability(report.stable)) + &table.render(paint)
}

fn over_parameter(job: &AnalysisJob, varied: &VariedModes, paint: Paint) -> String {
    let Some(vary) = job.vary() else { return String::new() };
    let tracks = varied.points.iter().flat_map(|point| &point.tracks).max().map_or(0, |t| t + 1);
    let shown = tracks.min(8);
    let mut columns = vec![vary.parameter.clone(), String::new()];
    columns.extend((0..shown).map(|track| format!("mode {}", track + 1)));
    let mut table = Table::of(columns).names(2);
    for point in &varied.points {
        let mut cells = vec![value_of(vary, point.value, job.unit(vary))];
        match &point.found {
            Ok(report) => {
                cells.push(stability(report.stable).to_owned());
                for track in 0..shown {
                    let place = point.tracks.iter().position(|other| *other == track);
                    let text = |place: usize| quantity(report.modes[place].frequency, "Hz");
                    cells.push(place.map_or(NONE.to_owned(), text));
                }
            }
            Err(_) => cells.resize(shown + 2, NONE.to_owned()),
        }
        table.row(cells);
    }
    let limit = match varied.stability_limit {
        Some(limit) => {
            let value = value_of(vary, limit, job.unit(vary));
            format!("\n  limit of stability at {} {value}\n", vary.parameter)
        }
        None => String::new(),
    };
    table.render(paint) + &limit
}

/// The largest amplitude of every output.
fn response(job: &AnalysisJob, report: &ResponseReport, paint: Paint) -> String {
    let mut table = Table::new(["output", "mean", "largest amplitude", "at", "phase there"]);
    for (i, sensor) in job.loaded.run.outputs.iter().enumerate() {
        let size = |z: [f64; 2]| z[0].hypot(z[1]);
        let most =
            report.points.iter().max_by(|a, b| size(a.outputs[i]).total_cmp(&size(b.outputs[i])));
        let Some(most) = most else { continue };
        let [re, im] = most.outputs[i];
        table.row(vec![
            sensor.name.clone(),
            quantity(report.mean[i], &sensor.unit),
            quantity(size([re, im]), &sensor.unit),
            quantity(most.frequency, "Hz"),
            format!("{:.1} deg", im.atan2(re).to_degrees()),
        ]);
    }
    table.render(paint)
}

fn files(job: &AnalysisJob, outcome: &AnalysisOutcome, folder: &Path, paint: Paint) -> String {
    let mut text = format!("  results  {}\n", paint.bold(&folder.display().to_string()));
    if let Some((name, _)) = picture::all(job, &outcome.found).first() {
        let plot = folder.join(name).display().to_string();
        text.push_str(&format!("  plot     {}\n", paint.bold(&plot)));
    }
    text
}
