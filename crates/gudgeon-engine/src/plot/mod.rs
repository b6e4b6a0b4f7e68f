//! Pictures of results that are there already: any outputs of one or more runs over time, over an angle or over another
//! output, from all rows of their tables, with measured values laid over.

mod draw;
mod outputs;
mod overlay;
mod range;
mod result;

use std::path::{Path, PathBuf};

use gudgeon_model::diagnostic::{Diagnostic, Diagnostics};
use gudgeon_output::plot::chart::Panel;
use gudgeon_output::record::{PlotRecord, PlottedResult, Status};

use crate::refusal::Refusal;
use outputs::Chosen;
use overlay::Overlay;
use range::Part;
use result::{Curves, RunResult};

/// What is drawn, and how.
#[derive(Clone, Debug, Default)]
pub struct PlotOptions {
    /// Result folders; curves of several stand in the same panels.
    pub folders: Vec<PathBuf>,
    /// Names or patterns; all outputs of the first result unless given.
    pub outputs: Vec<String>,
    /// An output in place of the time, or whose `angle` is one.
    pub over: Option<String>,
    /// An angle over one turn, turns on top of one another.
    pub fold: bool,
    /// Ends of the axis across, of another output in SI and of an angle in degrees; what lies beyond is left out.
    pub across: Option<[f64; 2]>,
    /// `"A .. B"` or `"all"`; the measuring window unless given.
    pub range: Option<String>,
    /// All outputs in one panel.
    pub together: bool,
    /// Files of measured values.
    pub overlays: Vec<PathBuf>,
    pub title: Option<String>,
    /// Names of the results in the legend, in their order; those of their folders unless given.
    pub labels: Vec<String>,
}

/// A picture, and what stands in it.
#[derive(Clone, Debug)]
pub struct Plotted {
    pub svg: String,
    /// Without its file.
    pub record: PlotRecord,
}

/// Draws a picture.
pub fn plot(options: &PlotOptions) -> Result<Plotted, Refusal> {
    read(options, |picture, record| Plotted { svg: picture.draw(), record })
}

/// The panels of a picture, to stand beside others.
pub(crate) fn panels(options: &PlotOptions) -> Result<Vec<Panel>, Refusal> {
    read(options, |picture, _| picture.panels())
}

/// Outputs of one result at some times, s, between its rows by straight lines.
pub(crate) fn values_at(
    folder: &Path,
    outputs: &[String],
    times: &[f64],
) -> Result<Vec<Vec<f64>>, Refusal> {
    let options = PlotOptions {
        folders: vec![folder.to_owned()],
        outputs: outputs.to_vec(),
        range: Some("all".into()),
        ..PlotOptions::default()
    };
    let results = RunResult::open_all(&options.folders)?;
    let chosen = Chosen::find(&options, &results)?;
    let part = Part::find(options.range.as_deref(), &results)?;
    let curves = results[0].curves(&chosen, part)?;
    let at = |t: f64, values: &[f64]| {
        let after = curves.t.partition_point(|row| *row < t).clamp(1, curves.t.len() - 1);
        let (a, b) = (curves.t[after - 1], curves.t[after]);
        let share = if b > a { ((t - a) / (b - a)).clamp(0.0, 1.0) } else { 0.0 };
        values[after - 1] + share * (values[after] - values[after - 1])
    };
    let of = |values: &Option<Vec<f64>>| {
        let values = values.as_deref().filter(|values| values.len() > 1).unwrap_or(&[]);
        times.iter().map(|t| if values.is_empty() { f64::NAN } else { at(*t, values) }).collect()
    };
    Ok(curves.outputs.iter().map(of).collect())
}

/// Whether a folder holds a run that came to its end.
pub(crate) fn is_complete(folder: &Path) -> bool {
    let opened = RunResult::open_all(std::slice::from_ref(&folder.to_owned()));
    opened.is_ok_and(|results| results[0].record.status == Status::Ok)
}

fn read<T>(
    options: &PlotOptions,
    use_of: impl FnOnce(&draw::Picture<'_>, PlotRecord) -> T,
) -> Result<T, Refusal> {
    let mut results = RunResult::open_all(&options.folders)?;
    for (result, label) in results.iter_mut().zip(&options.labels) {
        result.label.clone_from(label);
    }
    let chosen = Chosen::find(options, &results)?;
    let part = Part::find(options.range.as_deref(), &results)?;
    let overlays = Overlay::read_all(&options.overlays, &results[0], &chosen)?;
    let curves =
        results.iter().map(|result| result.curves(&chosen, part)).collect::<Result<Vec<_>, _>>()?;
    if curves.iter().all(|curves| curves.t.is_empty()) {
        return Err(refused("G1603", "the range holds no rows".into(), part.help(&results)));
    }
    let record = record(&chosen, &results, &curves);
    let picture = draw::Picture {
        options,
        results: &results,
        chosen: &chosen,
        part,
        curves: &curves,
        overlays: &overlays,
    };
    Ok(use_of(&picture, record))
}

fn record(chosen: &Chosen, results: &[RunResult], curves: &[Curves]) -> PlotRecord {
    let reported = |(result, curves): (&RunResult, &Curves)| PlottedResult {
        label: result.label.clone(),
        rows: curves.t.len(),
    };
    let ends = curves.iter().filter_map(|curves| Some((*curves.t.first()?, *curves.t.last()?)));
    let ends = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let (from, to) = ends.unwrap_or_default();
    PlotRecord {
        outputs: chosen.outputs.iter().map(|column| column.name.clone()).collect(),
        over: chosen.over.as_ref().map_or("t", |column| &column.name).to_owned(),
        from,
        to,
        results: results.iter().zip(curves).map(reported).collect(),
        ..PlotRecord::default()
    }
}

fn refused(code: &'static str, message: String, help: String) -> Refusal {
    Refusal::new(finding(code, message, help))
}

fn finding(code: &'static str, message: String, help: String) -> Diagnostic {
    Diagnostic::error(code, message).help(help)
}

/// Everything that is wrong at once.
fn all(findings: Vec<Diagnostic>) -> Result<(), Refusal> {
    if findings.is_empty() {
        return Ok(());
    }
    let mut diagnostics = Diagnostics::new();
    findings.into_iter().for_each(|finding| diagnostics.push(finding));
    Err(Refusal::of(diagnostics))
}
