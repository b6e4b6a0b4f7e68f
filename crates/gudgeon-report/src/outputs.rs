//! Outputs of a run for a page: their rows, and what is computed from all of them.

use gudgeon_output::plot::along_path;
use gudgeon_output::{Column, OutputError, SeriesReader};
use serde::Serialize;
use serde_json::Value;

use crate::block::{Array, Block};
use crate::reduce::chosen;
use crate::signal::{rates, section, spectrum};

/// Bytes that all rows of a page may take: per output, at least, at most.
const PER_OUTPUT: usize = 14_000;
const BYTES: (usize, usize) = (200_000, 3_000_000);
/// Of which the outputs of ideal joints have a part.
const IDEAL_PART: usize = 3;
/// Outputs with spectrum, phase portrait and section; points of a portrait.
const STUDIED: usize = 12;
const PORTRAIT: usize = 600;
/// Impacts around which rows are kept, and half the stretch over the length of the run.
const IMPACTS: usize = 12;
const STRETCH: f64 = 1e-3;
/// Loops that are drawn, the largest impacts.
const LOOPS: usize = 8;

#[derive(Debug, Default, Serialize)]
pub struct Outputs {
    pub rows: usize,
    /// Instants of all outputs that have every row.
    t: Option<Array>,
    pub from: f64,
    pub to: f64,
    outputs: Vec<Output>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    loops: Vec<Loop>,
}

#[derive(Debug, Serialize)]
struct Output {
    name: String,
    unit: String,
    about: String,
    /// Instants of its own, where it has not every row.
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<Array>,
    v: Array,
    #[serde(skip_serializing_if = "Option::is_none")]
    spectrum: Option<[Array; 2]>,
    /// Value and rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<[Array; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<[Array; 2]>,
}

#[derive(Debug, Serialize)]
struct Loop {
    joint: String,
    impact: usize,
    t: f64,
    depth: Array,
    force: Array,
}

/// What of a run decides on the rows that are kept.
pub struct Stretches {
    pub window: (f64, f64),
    /// Of the drive, s.
    pub period: Option<f64>,
    /// The largest first: joint, number, start, end.
    pub impacts: Vec<(String, usize, f64, f64)>,
}

impl Stretches {
    pub fn of(record: &Value, period: Option<f64>) -> Stretches {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let window = (number(&record["window"]["from"]), number(&record["window"]["to"]));
        let mut all: Vec<&Value> = record["impacts"].as_array().into_iter().flatten().collect();
        all.sort_by(|a, b| number(&b["peak_force"]).total_cmp(&number(&a["peak_force"])));
        let one = |impact: &&Value| {
            let text = |key: &str| impact[key].as_str().unwrap_or_default().to_owned();
            let joint = match text("spot") {
                spot if spot.is_empty() => text("joint"),
                spot => format!("{}.{spot}", text("joint")),
            };
            let end = impact["t_out"].as_f64().unwrap_or(window.1);
            (joint, impact["number"].as_u64().unwrap_or(0) as usize, number(&impact["t"]), end)
        };
        let impacts = all.iter().take(IMPACTS).map(one).collect();
        Stretches { window, period, impacts }
    }

    /// Stretches of time that are kept in full, the most important first.
    fn whole(&self, (from, to): (f64, f64)) -> Vec<(f64, f64)> {
        let half = STRETCH * (to - from);
        let around = self.impacts.iter().map(|(_, _, t, _)| (t - half, t + half));
        let last = self.period.map(|period| (to - period, to));
        around.chain(last).collect()
    }
}

/// The outputs of a table; `studied` those of the run itself, with what is computed from all rows.
pub fn outputs(
    table: &SeriesReader,
    block: &mut Block,
    stretches: &Stretches,
    studied: bool,
) -> Result<Outputs, OutputError> {
    let columns = table.columns();
    let t = table.read(&[0])?.pop().unwrap_or_default();
    let (Some(from), Some(to)) = (t.first().copied(), t.last().copied()) else {
        return Ok(Outputs::default());
    };
    let count = columns.len() - 1;
    let part = if studied { 1 } else { IDEAL_PART };
    let bytes = (count * PER_OUTPUT).clamp(BYTES.0, BYTES.1) / part;
    let all = t.len() * (count + 1) * 4 <= bytes;
    let most = bytes / (8 * count.max(1));
    let mut out = Outputs { rows: t.len(), from, to, ..Outputs::default() };
    if all {
        out.t = Some(block.floats(t.iter().copied()));
    }
    let whole = stretches.whole((from, to));
    for (place, column) in columns.iter().enumerate().skip(1) {
        let values = table.read(&[place])?.pop().unwrap_or_default();
        let mut output = match all {
            true => Output::new(column, None, block.floats(values.iter().copied())),
            false => {
                let kept = chosen(&t, &values, most, &whole);
                let instants = block.floats(kept.iter().map(|i| t[*i]));
                Output::new(column, Some(instants), block.floats(kept.iter().map(|i| values[*i])))
            }
        };
        if studied && place <= STUDIED {
            output.study(block, &t, &values, stretches);
        }
        out.outputs.push(output);
    }
    if studied {
        out.loops = loops(table, block, &t, stretches)?;
    }
    Ok(out)
}

impl Output {
    fn new(column: &Column, t: Option<Array>, v: Array) -> Output {
        Output {
            name: column.name.clone(),
            unit: column.unit.clone(),
            about: column.about.clone(),
            t,
            v,
            spectrum: None,
            phase: None,
            section: None,
        }
    }

    /// Over the measuring window.
    fn study(&mut self, block: &mut Block, t: &[f64], values: &[f64], stretches: &Stretches) {
        let (from, to) = stretches.window;
        let part = t.partition_point(|t| *t < from)..t.partition_point(|t| *t <= to);
        let part = if part.len() > 1 { part } else { 0..t.len() };
        let (t, values) = (&t[part.clone()], &values[part]);
        let mut pair = |x: Vec<f64>, y: Vec<f64>| [block.floats(x), block.floats(y)];
        self.spectrum = spectrum(t, values).map(|found| pair(found.frequency, found.amplitude));
        let speeds = rates(t, values);
        let mut path = along_path(values, &speeds);
        if path.len() > PORTRAIT {
            // The last of it: what the motion has come to.
            path.drain(..path.len() - PORTRAIT);
        }
        let (x, y) = path.into_iter().unzip();
        self.phase = Some(pair(x, y));
        if let (Some(period), Some(first)) = (stretches.period, t.first()) {
            let (x, y): (Vec<f64>, Vec<f64>) =
                section(t, values, &speeds, *first, period).into_iter().unzip();
            self.section = (x.len() > 1).then(|| pair(x, y));
        }
    }
}

/// Force over indentation of the largest impacts, of joints that have both among the outputs.
fn loops(
    table: &SeriesReader,
    block: &mut Block,
    t: &[f64],
    stretches: &Stretches,
) -> Result<Vec<Loop>, OutputError> {
    let place = |name: String| table.columns().iter().position(|column| column.name == name);
    let mut out = Vec::new();
    for (joint, impact, from, to) in stretches.impacts.iter().take(LOOPS) {
        let depth = place(format!("{joint}.indentation"));
        let force = place(format!("{joint}.normal_force"));
        let force = force.or_else(|| place(format!("{joint}.contact_force")));
        let (Some(depth), Some(force)) = (depth, force) else { continue };
        let part = t.partition_point(|t| t < from)..t.partition_point(|t| t <= to);
        let columns = table.read(&[depth, force])?;
        let path = along_path(&columns[0][part.clone()], &columns[1][part]);
        if path.len() > 4 {
            let (x, y): (Vec<f64>, Vec<f64>) = path.into_iter().unzip();
            let (depth, force) = (block.floats(x), block.floats(y));
            out.push(Loop { joint: joint.clone(), impact: *impact, t: *from, depth, force });
        }
    }
    Ok(out)
}
