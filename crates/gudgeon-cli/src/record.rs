//! What is kept while a run goes: rows on disk, and the reductions that plots are made of.

use std::ops::ControlFlow;
use std::path::Path;

use gudgeon::certify::History;
use gudgeon::model::Model;
use gudgeon::progress::Progress;
use gudgeon::results::LoopPoint;
use gudgeon::run::{RunSpec, Until};
use gudgeon::sensor::Sensor;
use gudgeon::simulate::Observer;
use gudgeon_output::{Column, LoopsWriter, OutputError, SeriesFormat, SeriesWriter};

use crate::drawing::{Drawing, Range};
use crate::terminal::Watch;

/// Points kept of one loop; beyond, every second one is dropped.
const LOOP_POINTS: usize = 4096;

/// The table's column of an output.
pub fn column(sensor: &Sensor) -> Column {
    Column::new(&sensor.name, sensor.unit, sensor.about)
}

/// All columns of the table.
pub fn columns(spec: &RunSpec) -> Vec<Column> {
    std::iter::once(Column::time()).chain(spec.outputs.iter().map(column)).collect()
}

/// What remains of a run in memory.
#[derive(Debug)]
pub struct Recording {
    /// The part that is drawn; what came before where that was not reached.
    pub drawing: Drawing,
    pub reached: bool,
    pub loops: Vec<LoopCurve>,
}

/// The force–indentation loop of one impact.
#[derive(Debug)]
pub struct LoopCurve {
    pub joint: String,
    pub impact: usize,
    pub points: Vec<(f64, f64)>,
    stride: usize,
    count: usize,
}

impl LoopCurve {
    fn new(joint: &str, impact: usize) -> LoopCurve {
        LoopCurve { joint: joint.into(), impact, points: Vec::new(), stride: 1, count: 0 }
    }

    fn push(&mut self, depth: f64, force: f64) {
        if self.count.is_multiple_of(self.stride) {
            self.points.push((depth, force));
        }
        self.count += 1;
        if self.points.len() == LOOP_POINTS {
            let mut index = 0;
            self.points.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.stride *= 2;
        }
    }
}

/// Streams the rows of the main run.
pub struct Recorder {
    joints: Vec<String>,
    watch: Watch,
    series: SeriesWriter,
    loops: Option<LoopsWriter>,
    curves: Vec<LoopCurve>,
    range: Range,
    drawing: Drawing,
    /// The rows before the part that is drawn, until that is reached.
    before: Option<Drawing>,
    /// For the certificate, where one is asked for.
    history: Option<History>,
    row: Vec<f64>,
    /// The first error of the disk; it stops the run.
    error: Option<OutputError>,
}

impl Recorder {
    /// Creates the tables in `folder`.
    pub fn create(
        folder: &Path,
        model: &Model,
        spec: &RunSpec,
        range: Range,
        watch: Watch,
    ) -> Result<Recorder, OutputError> {
        let columns = columns(spec);
        let series = SeriesWriter::create(folder, &columns, SeriesFormat::ALL)?;
        let loops = if spec.loops.is_empty() { None } else { Some(LoopsWriter::create(folder)?) };
        let clearances =
            gudgeon::simulate::orbits(model).into_iter().map(|(_, clearance)| clearance);
        let drawing = Drawing::new(range, spec, clearances);
        Ok(Recorder {
            joints: model.joints.iter().map(|joint| joint.name.clone()).collect(),
            watch,
            series,
            loops,
            curves: Vec::new(),
            range,
            before: Some(drawing.clone()),
            drawing,
            history: None,
            row: Vec::with_capacity(columns.len()),
            error: None,
        })
    }

    /// Keeps what a certificate compares.
    pub fn for_certificate(mut self, outputs: usize) -> Recorder {
        self.history = Some(History::new(outputs));
        self
    }

    /// Completes the files; the error is the first one met.
    pub fn finish(self) -> (Recording, Option<History>, Option<OutputError>) {
        let series = self.series.finish().err();
        let loops = self.loops.and_then(|loops| loops.finish().err());
        let reached = !self.drawing.is_empty();
        let drawing = self.before.filter(|_| !reached).unwrap_or(self.drawing);
        let recording = Recording { drawing, reached, loops: self.curves };
        (recording, self.history, self.error.or(series).or(loops))
    }

    fn flow(&mut self, written: Result<(), OutputError>) -> ControlFlow<()> {
        match written {
            // A step may have millions of rows.
            Ok(()) => flow(&self.watch),
            Err(error) => {
                self.error.get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    }
}

impl Observer for Recorder {
    fn row(&mut self, t: f64, values: &[f64], orbits: &[[f64; 2]]) -> ControlFlow<()> {
        if let Some(before) = &mut self.before {
            before.curve_point(t, values);
            before.orbit_point(t, orbits);
        }
        if let Some(history) = &mut self.history {
            history.row(t, values);
        }
        self.row.clear();
        self.row.push(t);
        self.row.extend_from_slice(values);
        let written = self.series.push(&self.row);
        self.flow(written)
    }

    fn step(&mut self, t: f64, values: &[f64], event: bool) {
        if let Some(history) = &mut self.history {
            history.step(t, values, event);
        }
    }

    fn loop_point(&mut self, point: LoopPoint) -> ControlFlow<()> {
        let LoopPoint { joint, spot, impact, t, depth, force } = point;
        let name = &match spot {
            "" => self.joints[joint.0].clone(),
            spot => format!("{}.{spot}", self.joints[joint.0]),
        };
        let loops = &mut self.curves;
        // Loops of several joints may run at once, but only a few: look from the latest.
        let known = loops.iter().rposition(|c| c.impact == impact && c.joint == *name);
        let index = known.unwrap_or_else(|| {
            loops.push(LoopCurve::new(name, impact));
            loops.len() - 1
        });
        loops[index].push(depth, force);
        let written = match &mut self.loops {
            Some(writer) => writer.push(name, impact, t, depth, force),
            None => Ok(()),
        };
        self.flow(written)
    }

    fn draws(&self) -> Option<(Until, Until)> {
        Some((self.range.from, self.range.to))
    }

    fn curve_point(&mut self, t: f64, values: &[f64]) {
        self.before = None;
        self.drawing.curve_point(t, values);
    }

    fn orbit_point(&mut self, t: f64, orbits: &[[f64; 2]]) {
        self.drawing.orbit_point(t, orbits);
    }

    fn progress(&mut self, t: f64, end: f64) -> ControlFlow<()> {
        progress(&self.watch, t, end)
    }
}

/// Keeps only what the plot needs of the run with ideal joints.
pub struct Shadow {
    pub drawing: Drawing,
    range: Range,
    watch: Watch,
}

impl Shadow {
    pub fn new(spec: &RunSpec, range: Range, watch: Watch) -> Shadow {
        Shadow { drawing: Drawing::new(range, spec, std::iter::empty()), range, watch }
    }
}

impl Observer for Shadow {
    fn draws(&self) -> Option<(Until, Until)> {
        Some((self.range.from, self.range.to))
    }

    fn curve_point(&mut self, t: f64, values: &[f64]) {
        self.drawing.curve_point(t, values);
    }

    fn progress(&mut self, t: f64, end: f64) -> ControlFlow<()> {
        progress(&self.watch, t, end)
    }
}

fn progress(watch: &Watch, t: f64, end: f64) -> ControlFlow<()> {
    watch.report(t / end);
    flow(watch)
}

fn flow(watch: &Watch) -> ControlFlow<()> {
    if watch.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
