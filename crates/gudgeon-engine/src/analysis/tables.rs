//! Tables of analyses: `static.csv`, `modes.csv`, `response.csv`.

use gudgeon::modal::Mode;
use gudgeon_output::csv::{push_number, push_text};

use super::{AnalysisJob, Found};

/// Names and texts.
pub(super) fn all(job: &AnalysisJob, found: &Found) -> Vec<(&'static str, String)> {
    let outputs = &job.loaded.run.outputs;
    let parameter = job.vary().map(|vary| heading(&vary.parameter, job.unit(vary)));
    let parameter = parameter.unwrap_or_default();
    let columns: Vec<String> =
        outputs.iter().map(|sensor| heading(&sensor.name, &sensor.unit)).collect();
    match found {
        Found::Rest(Ok(report)) => {
            let mut text = head(&columns);
            row(&mut text, &[], &report.outputs);
            vec![("static.csv", text)]
        }
        Found::Path(Ok(report)) => {
            let mut names = vec![parameter, "stable".to_owned(), "limit".to_owned()];
            names.push("requested".to_owned());
            names.extend(columns);
            let mut text = head(&names);
            for (point, values) in &report.points {
                let stable =
                    point.stable.map_or(String::new(), |stable| u8::from(stable).to_string());
                let flags = [stable, flag(point.limit), flag(point.requested)];
                let mut line = String::new();
                push_number(&mut line, point.value);
                let cells: Vec<String> = std::iter::once(line).chain(flags).collect();
                row(&mut text, &cells, values);
            }
            vec![("static.csv", text)]
        }
        Found::Modes(Ok(report)) => {
            let mut text = head(&mode_columns(None));
            for (i, mode) in report.modes.iter().enumerate() {
                row(&mut text, &[(i + 1).to_string()], &numbers(mode));
            }
            vec![("modes.csv", text)]
        }
        Found::Varied(varied) => {
            let mut text = head(&mode_columns(Some(parameter)));
            for point in &varied.points {
                let Ok(report) = &point.found else { continue };
                for (mode, track) in report.modes.iter().zip(&point.tracks) {
                    let mut value = String::new();
                    push_number(&mut value, point.value);
                    row(&mut text, &[value, (track + 1).to_string()], &numbers(mode));
                }
            }
            vec![("modes.csv", text)]
        }
        Found::Response(Ok(report)) => {
            let mut names = vec![heading("frequency", "Hz")];
            for sensor in outputs {
                names.push(heading(&format!("{}.amplitude", sensor.name), &sensor.unit));
                names.push(heading(&format!("{}.phase", sensor.name), "rad"));
            }
            let mut text = head(&names);
            for point in &report.points {
                let polar =
                    point.outputs.iter().flat_map(|[re, im]| [re.hypot(*im), im.atan2(*re)]);
                let values: Vec<f64> = std::iter::once(point.frequency).chain(polar).collect();
                row(&mut text, &[], &values);
            }
            vec![("response.csv", text)]
        }
        Found::Rest(Err(_)) | Found::Path(Err(_)) => Vec::new(),
        Found::Modes(Err(_)) | Found::Response(Err(_)) => Vec::new(),
    }
}

fn mode_columns(parameter: Option<String>) -> Vec<String> {
    let own = [
        "mode".to_owned(),
        heading("frequency", "Hz"),
        "damping_ratio".to_owned(),
        heading("eigenvalue_re", "1/s"),
        heading("eigenvalue_im", "1/s"),
    ];
    parameter.into_iter().chain(own).collect()
}

fn numbers(mode: &Mode) -> [f64; 4] {
    let [re, im] = mode.eigenvalue;
    [mode.frequency, mode.damping_ratio, re, im]
}

fn flag(flag: bool) -> String {
    u8::from(flag).to_string()
}

fn head(columns: &[String]) -> String {
    let mut text = String::new();
    for (i, column) in columns.iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        push_text(&mut text, column);
    }
    text.push('\n');
    text
}

fn row(text: &mut String, cells: &[String], values: &[f64]) {
    let mut first = true;
    for cell in cells {
        if !std::mem::take(&mut first) {
            text.push(',');
        }
        text.push_str(cell);
    }
    for value in values {
        if !std::mem::take(&mut first) {
            text.push(',');
        }
        push_number(text, *value);
    }
    text.push('\n');
}

fn heading(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") }
}
