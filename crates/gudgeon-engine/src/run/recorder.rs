//! What is kept while a run goes: rows on disk, and the reductions that plots are made of.

use std::ops::ControlFlow;
use std::path::PathBuf;

use gudgeon::assembly::Assembly;
use gudgeon::certify::History;
use gudgeon::flexible::Flexible;
use gudgeon::model::Model;
use gudgeon::progress::Progress;
use gudgeon::results::LoopPoint;
use gudgeon::run::{RunSpec, Until};
use gudgeon::sensor::Sensor;
use gudgeon::simulate::{LinePoint, MotionPoint, Observer};
use gudgeon_files::Disk;
use gudgeon_output::motion::{IDEAL_MOTION, IDEAL_SERIES, MOTION};
use gudgeon_output::{
    CentreLinesWriter, Column, LoopsWriter, OutputError, SeriesFormat, SeriesWriter,
};

use super::drawing::{Drawing, Range};
use super::motion::MotionKeys;
use super::{RunJob, Series};

/// Points kept of one loop; beyond, every second one is dropped.
const LOOP_POINTS: usize = 4096;

/// Of so many rows one has the centre lines of flexible links.
const LINE_ROWS: u64 = 10;

/// The table's column of an output.
pub fn column(sensor: &Sensor) -> Column {
    Column::new(&sensor.name, &*sensor.unit, &*sensor.about).missing(sensor.may_be_missing())
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

/// Watches the main run: streams its rows to tables, keeps what pictures and certificates are made
/// of, each where it is asked for.
pub struct Recorder<'a> {
    joints: Vec<String>,
    bodies: Vec<String>,
    progress: &'a dyn Progress,
    tables: Option<Tables>,
    series: Option<Series>,
    curves: Vec<LoopCurve>,
    range: Range,
    drawing: Option<Drawing>,
    /// The rows before the part that is drawn, until that is reached.
    before: Option<Drawing>,
    /// For the certificate, where one is asked for.
    history: Option<History>,
    row: Vec<f64>,
    /// The first error of the disk; it stops the run.
    error: Option<OutputError>,
}

/// What a recorder has when the run is over.
pub struct Recorded {
    pub recording: Option<Recording>,
    pub history: Option<History>,
    pub series: Option<Series>,
    /// The first error met.
    pub error: Option<OutputError>,
}

struct Tables {
    series: SeriesWriter,
    loops: Option<LoopsWriter>,
    lines: Option<CentreLinesWriter>,
    motion: MotionKeys,
    files: Files,
}

/// Where files go.
#[derive(Clone, Debug)]
pub struct Files {
    pub disk: Disk,
    pub folder: PathBuf,
}

impl<'a> Recorder<'a> {
    /// Keeps nothing but what a certificate compares, where one is asked for.
    pub fn new(job: &RunJob, progress: &'a dyn Progress) -> Recorder<'a> {
        let (model, outputs) = (&job.loaded.model, job.loaded.run.outputs.len());
        Recorder {
            joints: model.joints.iter().map(|joint| joint.name.clone()).collect(),
            bodies: model.bodies.iter().map(|body| body.name.clone()).collect(),
            progress,
            tables: None,
            series: job.options.series.then(|| Series::new(&job.loaded.run)),
            curves: Vec::new(),
            range: job.range,
            before: None,
            drawing: None,
            history: job.options.certify.then(|| History::new(outputs)),
            row: Vec::new(),
            error: None,
        }
    }

    /// Keeps the rows alone.
    pub fn of_rows(job: &RunJob, progress: &'a dyn Progress) -> Recorder<'a> {
        let series = Some(Series::new(&job.loaded.run));
        Recorder { series, history: None, ..Recorder::new(job, progress) }
    }

    /// Keeps what pictures are made of.
    pub fn for_pictures(mut self, model: &Model, spec: &RunSpec) -> Recorder<'a> {
        let orbits = gudgeon::simulate::orbits(model).into_iter();
        let drawing = Drawing::new(self.range, spec, orbits.map(|(_, clearance)| clearance));
        self.before = Some(drawing.clone());
        self.drawing = Some(drawing);
        self
    }

    /// Creates the tables in `folder`.
    pub fn into_files(
        mut self,
        files: Files,
        (model, assembly): (&Model, &Assembly),
        spec: &RunSpec,
    ) -> Result<Self, OutputError> {
        let folder = &files.folder;
        let series = SeriesWriter::create(folder, &columns(spec), SeriesFormat::ALL)?;
        let loops = if spec.loops.is_empty() { None } else { Some(LoopsWriter::create(folder)?) };
        let bends = |link: &Flexible| !link.is_rigid();
        let bends = model.bodies.iter().any(|body| body.flexible.as_deref().is_some_and(bends));
        let lines = if bends { Some(CentreLinesWriter::create(folder)?) } else { None };
        let motion = MotionKeys::new(model, assembly, spec);
        self.tables = Some(Tables { series, loops, lines, motion, files });
        Ok(self)
    }

    /// Whether anybody reads rows.
    pub fn wants_rows(&self) -> bool {
        self.tables.is_some() || self.history.is_some() || self.series.is_some()
    }

    pub fn progress(&self) -> &'a dyn Progress {
        self.progress
    }

    /// Where its files go.
    pub fn files(&self) -> Option<Files> {
        self.tables.as_ref().map(|tables| tables.files.clone())
    }

    /// Completes the files.
    pub fn finish(self) -> Recorded {
        let mut error = self.error;
        if let Some(Tables { series, loops, lines, motion, files }) = self.tables {
            let series = series.finish().err();
            error = error.or(series).or(loops.and_then(|loops| loops.finish().err()));
            error = error.or(lines.and_then(|lines| lines.finish().err()));
            error = error.or(motion.write(&files, MOTION).err());
        }
        let recording = self.drawing.map(|drawing| {
            let reached = !drawing.is_empty();
            let drawing = self.before.filter(|_| !reached).unwrap_or(drawing);
            Recording { drawing, reached, loops: self.curves }
        });
        Recorded { recording, history: self.history, series: self.series, error }
    }

    fn flow(&mut self, written: Result<(), OutputError>) -> ControlFlow<()> {
        match written {
            // A step may have millions of rows.
            Ok(()) => flow(self.progress),
            Err(error) => {
                self.error.get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    }
}

impl Observer for Recorder<'_> {
    fn row(&mut self, t: f64, values: &[f64], orbits: &[[f64; 2]]) -> ControlFlow<()> {
        if let Some(before) = &mut self.before {
            before.curve_point(t, values);
            before.orbit_point(t, orbits);
        }
        if let Some(history) = &mut self.history {
            history.row(t, values);
        }
        if let Some(series) = &mut self.series {
            series.push(t, values);
        }
        let written = match &mut self.tables {
            Some(tables) => {
                self.row.clear();
                self.row.push(t);
                self.row.extend_from_slice(values);
                tables.series.push(&self.row)
            }
            None => Ok(()),
        };
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
        if self.drawing.is_none() {
            return ControlFlow::Continue(());
        }
        let loops = &mut self.curves;
        // Loops of several joints may run at once, but only a few: look from the latest.
        let known = loops.iter().rposition(|c| c.impact == impact && c.joint == *name);
        let index = known.unwrap_or_else(|| {
            loops.push(LoopCurve::new(name, impact));
            loops.len() - 1
        });
        loops[index].push(depth, force);
        let written = match self.tables.as_mut().and_then(|tables| tables.loops.as_mut()) {
            Some(writer) => writer.push(name, impact, t, depth, force),
            None => Ok(()),
        };
        self.flow(written)
    }

    fn wants_lines(&self, row: u64) -> bool {
        let wanted = self.tables.as_ref().is_some_and(|tables| tables.lines.is_some());
        wanted && row.is_multiple_of(LINE_ROWS)
    }

    fn line(&mut self, t: f64, body: usize, points: &[LinePoint]) -> ControlFlow<()> {
        let writer = self.tables.as_mut().and_then(|tables| tables.lines.as_mut());
        let Some(writer) = writer else { return ControlFlow::Continue(()) };
        let name = &self.bodies[body];
        let written = points.iter().try_for_each(|point| {
            let LinePoint { along, position: [x, y, z], axes: [w, i, j, k] } = *point;
            writer.push(name, [t, along, x, y, z, w, i, j, k])
        });
        self.flow(written)
    }

    fn wants_motion(&self) -> bool {
        self.tables.is_some()
    }

    fn motion_point(&mut self, t: f64, point: &MotionPoint) {
        if let Some(tables) = &mut self.tables {
            tables.motion.push(t, point);
        }
    }

    fn motion_impact(&mut self) {
        if let Some(tables) = &mut self.tables {
            tables.motion.mark();
        }
    }

    fn draws(&self) -> Option<(Until, Until)> {
        self.drawing.as_ref().map(|_| (self.range.from, self.range.to))
    }

    fn curve_point(&mut self, t: f64, values: &[f64]) {
        self.before = None;
        if let Some(drawing) = &mut self.drawing {
            drawing.curve_point(t, values);
        }
    }

    fn orbit_point(&mut self, t: f64, orbits: &[[f64; 2]]) {
        if let Some(drawing) = &mut self.drawing {
            drawing.orbit_point(t, orbits);
        }
    }

    fn progress(&mut self, t: f64, end: f64) -> ControlFlow<()> {
        progress(self.progress, t, end)
    }
}

/// Keeps what pictures need of the run with ideal joints, where pictures are made, and its rows and motion, where
/// there are files.
pub struct BaselineRecorder<'a> {
    drawing: Option<Drawing>,
    files: Option<IdealFiles>,
    range: Range,
    progress: &'a dyn Progress,
    row: Vec<f64>,
    error: Option<OutputError>,
}

struct IdealFiles {
    series: SeriesWriter,
    /// Which outputs ideal joints have.
    known: Vec<bool>,
    motion: MotionKeys,
    files: Files,
}

impl<'a> BaselineRecorder<'a> {
    pub fn new(
        spec: &RunSpec,
        range: Range,
        draws: bool,
        progress: &'a dyn Progress,
    ) -> BaselineRecorder<'a> {
        let drawing = draws.then(|| Drawing::new(range, spec, std::iter::empty()));
        BaselineRecorder { drawing, files: None, range, progress, row: Vec::new(), error: None }
    }

    /// Writes rows and motion.
    pub fn into_files(
        mut self,
        files: &Files,
        (model, assembly): (&Model, &Assembly),
        spec: &RunSpec,
    ) -> Self {
        let known: Vec<bool> = spec.outputs.iter().map(Sensor::has_ideal_value).collect();
        let outputs = spec.outputs.iter().filter(|sensor| sensor.has_ideal_value()).map(column);
        let columns: Vec<Column> = std::iter::once(Column::time()).chain(outputs).collect();
        match SeriesWriter::named(&files.disk, &files.folder, IDEAL_SERIES, &columns) {
            Ok(series) => {
                let motion = MotionKeys::new(model, assembly, spec);
                self.files = Some(IdealFiles { series, known, motion, files: files.clone() });
            }
            Err(error) => self.error = Some(error),
        }
        self
    }

    /// Completes the files of a run that is done, removes those of another; what is drawn, and the first error
    /// of the disk.
    pub fn finish(self, done: bool) -> (Option<Drawing>, Option<OutputError>) {
        let mut error = self.error;
        match self.files {
            Some(IdealFiles { series, motion, files, .. }) if done => {
                error = error.or(series.finish().err());
                error = error.or(motion.write(&files, IDEAL_MOTION).err());
            }
            Some(IdealFiles { series, files, .. }) => {
                drop(series);
                let _ = files.disk.remove_file(&files.folder.join(IDEAL_SERIES)); // half a table
            }
            None => {}
        }
        (self.drawing, error)
    }
}

impl Observer for BaselineRecorder<'_> {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        if let Some(files) = &mut self.files {
            self.row.clear();
            self.row.push(t);
            let known = values.iter().zip(&files.known).filter(|(_, known)| **known);
            self.row.extend(known.map(|(value, _)| *value));
            if let Err(error) = files.series.push(&self.row) {
                self.error.get_or_insert(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn wants_motion(&self) -> bool {
        self.files.is_some()
    }

    fn motion_point(&mut self, t: f64, point: &MotionPoint) {
        if let Some(files) = &mut self.files {
            files.motion.push(t, point);
        }
    }

    fn draws(&self) -> Option<(Until, Until)> {
        self.drawing.as_ref().map(|_| (self.range.from, self.range.to))
    }

    fn curve_point(&mut self, t: f64, values: &[f64]) {
        if let Some(drawing) = &mut self.drawing {
            drawing.curve_point(t, values);
        }
    }

    fn progress(&mut self, t: f64, end: f64) -> ControlFlow<()> {
        progress(self.progress, t, end)
    }
}

fn progress(progress: &dyn Progress, t: f64, end: f64) -> ControlFlow<()> {
    progress.report(t / end);
    flow(progress)
}

fn flow(progress: &dyn Progress) -> ControlFlow<()> {
    if progress.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
