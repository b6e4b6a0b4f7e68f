//! The run: a run of the rigid mechanism with a row at every step of the vibration, which is stepped as rows come.

use std::ops::ControlFlow;

use super::extremes::Extremes;
use super::frequencies::frequencies;
use super::linkage::Linkage;
use super::motion::Shown;
use super::outputs::{Output, largest};
use super::rigid::Reading;
use super::vibration::Vibration;
use super::{KedReport, KedSpec, Unsuited};
use crate::assembly::Assembly;
use crate::cpu;
use crate::model::{Coordinate, Model};
use crate::results::{Cause, FlexibleReport, LinkPeak, RunReport, SimulationError, Status};
use crate::run::{Every, RunSpec, Until};
use crate::sensor::{JointQuantity, Sensor, Source};
use crate::simulate::{self, LinearRange, Observer};
use crate::system::System;

/// Steps per period of the fastest first bending of a link, where no step is given.
const STEPS: f64 = 100.0;
/// Rows of a run at most, where they are on a grid.
const ROWS: f64 = 2000.0;

/// Runs an assembled mechanism whose links vibrate about its motion.
pub(crate) fn simulate(
    assembly: &Assembly,
    spec: &RunSpec,
    ked: KedSpec,
    observer: &mut dyn Observer,
) -> RunReport {
    let model = &assembly.system.model;
    let linkage = match Linkage::new(model, &ked) {
        Ok(linkage) => linkage,
        Err(unsuited) => return refused(assembly, spec, &unsuited),
    };
    let step = ked.step.unwrap_or_else(|| default_step(&linkage));
    let mut run = Run::new(
        &assembly.system,
        spec,
        Vibration::new(linkage, ked, model.gravity.xy()),
        step,
        observer,
    );
    let rigid = RunSpec {
        outputs: run.reading.sensors().to_vec(),
        every: Every::Interval(step),
        // Its own extremes are those of numbers nobody asked for.
        measure_from: Until::Time(f64::INFINITY),
        ked: None,
        ..spec.clone()
    };
    let report = simulate::simulate(assembly, &rigid, &mut run);
    run.finish(report, model)
}

/// A run that does not begin.
fn refused(assembly: &Assembly, spec: &RunSpec, unsuited: &[Unsuited]) -> RunReport {
    let nothing = RunSpec { until: Until::Time(0.0), ked: None, ..spec.clone() };
    let mut report = simulate::simulate(assembly, &nothing, &mut simulate::Silent);
    let first = unsuited.first();
    let (owner, why) =
        first.map_or((String::new(), String::new()), |u| (u.owner.clone(), u.why.clone()));
    report.status = Status::Failed(SimulationError {
        time: 0.0,
        cause: Cause::NotElastic { owner, why },
        help: first.map_or("", |unsuited| unsuited.help).into(),
    });
    report
}

/// A share of the shortest period of the first bending of a pinned link.
fn default_step(linkage: &Linkage) -> f64 {
    let period = |link: &super::linkage::Link| {
        let section = &link.flexible.section;
        let stiffness = section.young * section.inertia_z;
        let rate = (stiffness / section.mass_per_length).sqrt() / (link.length * link.length);
        std::f64::consts::TAU / (std::f64::consts::PI.powi(2) * rate)
    };
    linkage.links.iter().map(period).fold(f64::INFINITY, f64::min) / STEPS
}

/// When something begins: a time, or the turn of a joint by the number of its angle in the rows.
#[derive(Clone, Copy)]
enum When {
    Time(f64),
    Turned { column: usize, by: f64, start: f64 },
}

impl When {
    fn new(when: Until, sensors: &mut Vec<Sensor>) -> Self {
        match when {
            Until::Time(t) => Self::Time(t),
            Until::JointAngle { joint, angle } => {
                let quantity = JointQuantity::Value(Coordinate::Angle);
                sensors.push(Sensor::internal(Source::Joint(joint.0, quantity)));
                Self::Turned { column: sensors.len() - 1, by: angle, start: f64::NAN }
            }
        }
    }

    fn is_reached(&mut self, t: f64, row: &[f64]) -> bool {
        match self {
            Self::Time(when) => *when <= t * (1.0 + 1e-13),
            Self::Turned { column, by, start } => {
                if start.is_nan() {
                    *start = row[*column];
                }
                (row[*column] - *start).abs() >= *by * (1.0 - 1e-12)
            }
        }
    }
}

struct Run<'o> {
    observer: &'o mut dyn Observer,
    vibration: Vibration,
    reading: Reading,
    outputs: Vec<Output>,
    step: f64,
    /// Interval of the rows; zero for all steps.
    interval: f64,
    values: Vec<f64>,
    before: Vec<f64>,
    between: Vec<f64>,
    /// The last instant; none before the first.
    t: Option<f64>,
    steps: u64,
    rows: u64,
    last_row: f64,
    measure_from: When,
    window: Option<f64>,
    draws: Option<[When; 2]>,
    extremes: Extremes,
    links: Vec<Seen>,
    frequencies: Vec<f64>,
    /// No motion follows from the equations.
    lost: Option<f64>,
    /// Where the motion is asked for.
    shown: Option<Shown>,
    cpu: f64,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    stress: LinkPeak,
    tension: LinkPeak,
    compression: LinkPeak,
    deflection: LinkPeak,
    strain: LinkPeak,
    linear: LinearRange,
}

impl<'o> Run<'o> {
    fn new(
        system: &System,
        spec: &RunSpec,
        vibration: Vibration,
        step: f64,
        observer: &'o mut dyn Observer,
    ) -> Self {
        let mut sensors = Vec::new();
        let outputs = spec.outputs.iter();
        let outputs: Vec<Output> =
            outputs.map(|sensor| Output::new(sensor, &vibration, &mut sensors)).collect();
        let measure_from = When::new(spec.measure_from, &mut sensors);
        let draws = observer.draws();
        let draws = draws.map(|(from, to)| [from, to].map(|when| When::new(when, &mut sensors)));
        let mut reading = Reading::new(&system.model, &vibration.linkage, &vibration.spec, sensors);
        let shown =
            observer.wants_motion().then(|| Shown::new(system, &vibration.linkage, &mut reading));
        let interval = match spec.every {
            Every::Steps => 0.0,
            Every::Interval(interval) => interval,
            Every::Grid if spec.latest_end().is_finite() => (spec.latest_end() / ROWS).max(step),
            Every::Grid => 0.0,
        };
        let count = outputs.len();
        Self {
            links: vec![Seen::default(); vibration.linkage.links.len()],
            observer,
            vibration,
            reading,
            outputs,
            step,
            interval,
            values: vec![0.0; count],
            before: vec![0.0; count],
            between: vec![0.0; count],
            t: None,
            steps: 0,
            rows: 0,
            last_row: f64::NEG_INFINITY,
            measure_from,
            window: None,
            draws,
            extremes: Extremes::new(&spec.outputs),
            frequencies: Vec::new(),
            lost: None,
            shown,
            cpu: 0.0,
        }
    }

    /// The start, or one step.
    fn advance(&mut self, t: f64, row: &[f64]) -> ControlFlow<()> {
        let started = cpu::seconds();
        let solved = match self.t {
            None => {
                let solved = self.vibration.begin(&self.reading, row);
                self.frequencies = frequencies(&mut self.vibration);
                solved
            }
            Some(before) => {
                self.steps += 1;
                self.vibration.step(&self.reading, row, t - before)
            }
        };
        std::mem::swap(&mut self.values, &mut self.before);
        for (value, output) in self.values.iter_mut().zip(&self.outputs) {
            *value = output.value(&self.vibration, row, t);
        }
        self.look(t);
        self.cpu += cpu::seconds() - started;
        if solved.is_err() || self.vibration.x.iter().any(|x| !x.is_finite()) {
            self.lost = Some(t);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Largest values along the links.
    fn look(&mut self, t: f64) {
        for (number, seen) in self.links.iter_mut().enumerate() {
            let now = largest(&self.vibration, number);
            let length = self.vibration.linkage.links[number].length;
            let at =
                |(value, along): (f64, f64)| LinkPeak { value, along, distance: along * length, t };
            let offer = |best: &mut LinkPeak, value: (f64, f64)| {
                if value.0.abs() > best.value.abs() {
                    *best = at(value);
                }
            };
            offer(&mut seen.stress, now.stress);
            offer(&mut seen.tension, now.tension);
            offer(&mut seen.compression, now.compression);
            offer(&mut seen.deflection, now.deflection);
            offer(&mut seen.strain, now.strain);
            seen.linear.look(at(now.strain), at(now.deflection), length);
        }
    }

    /// Outputs between the last two instants, on a straight line.
    fn interpolate(&mut self, t: f64, (from, to): (f64, f64)) {
        let share = if to > from { ((t - from) / (to - from)).clamp(0.0, 1.0) } else { 1.0 };
        for (i, value) in self.between.iter_mut().enumerate() {
            *value = self.before[i] + share * (self.values[i] - self.before[i]);
        }
    }

    /// Rows and samples up to the present instant.
    fn record(&mut self, from: f64, t: f64) -> ControlFlow<()> {
        let end = t * (1.0 + 1e-13);
        while self.observer.next_sample() <= end {
            let due = self.observer.next_sample();
            self.interpolate(due, (from, t));
            self.observer.sample(due, &self.between)?;
        }
        loop {
            let own = self.observer.instant(self.rows);
            let due = match own {
                Some(due) => due,
                None if self.interval == 0.0 => return self.row(t),
                None => self.rows as f64 * self.interval,
            };
            if due > end {
                return ControlFlow::Continue(());
            }
            self.interpolate(due, (from, t));
            (self.rows, self.last_row) = (self.rows + 1, due.min(t));
            self.observer.row(due.min(t), &self.between, &[])?;
        }
    }

    /// The present instant as a row.
    fn row(&mut self, t: f64) -> ControlFlow<()> {
        (self.rows, self.last_row) = (self.rows + 1, t);
        self.observer.row(t, &self.values, &[])
    }

    fn draw(&mut self, t: f64, row: &[f64]) {
        let Some([from, to]) = &mut self.draws else { return };
        // The end itself is drawn, too.
        if from.is_reached(t, row)
            && (!to.is_reached(t - self.step, row)
                || to.is_reached(t, row) != to.is_reached(t - self.step, row))
        {
            self.observer.curve_point(t, &self.values);
        }
    }

    fn finish(mut self, rigid: RunReport, model: &Model) -> RunReport {
        let t = self.t.unwrap_or(0.0);
        if self.t.is_some() && self.last_row < t {
            let _ = self.row(t);
        }
        let status = match self.lost {
            Some(time) => Status::Failed(SimulationError {
                time,
                cause: Cause::Unbound,
                help: "a body without mass or inertia may be free there, or the links are not held at the start: see `locked` and `start` of `[run.ked]`".into(),
            }),
            None => rigid.status.clone(),
        };
        let name = |link: &super::linkage::Link| model.bodies[link.body].name.clone();
        let names: Vec<String> = self.vibration.linkage.links.iter().map(name).collect();
        let flexible = names.iter().zip(&self.links).map(|(name, seen)| FlexibleReport {
            name: name.clone(),
            stress: seen.stress,
            tension: seen.tension,
            compression: seen.compression,
            deflection: seen.deflection,
            crushed: None,
            linear: seen.linear,
        });
        let mut warnings = rigid.warnings.clone();
        warnings.retain(|warning| warning.code != "W0325");
        if self.window.is_none() && rigid.status == Status::Done {
            warnings.push(simulate::not_measured());
        }
        for (name, seen) in names.iter().zip(&self.links) {
            warnings.extend(seen.linear.warnings(name, |t| format!("at t = {t:.6} s")));
        }
        let linkage = &self.vibration.linkage;
        let ked = KedReport {
            spec: self.vibration.spec,
            step: self.step,
            steps: self.steps,
            elements: linkage.elements.len(),
            coordinates: linkage.coordinates,
            half_width: linkage.half_width,
            locked: linkage.locked.iter().map(|i| model.joints[*i].name.clone()).collect(),
            frequencies: self.frequencies.clone(),
            strains: names.iter().cloned().zip(self.links.iter().map(|seen| seen.strain)).collect(),
            cpu: self.cpu,
        };
        let mut solver = rigid.solver.clone();
        solver.cpu.outputs += self.cpu;
        solver.cpu.writing = (solver.cpu.writing - self.cpu).max(0.0);
        solver.rows = self.rows;
        RunReport {
            status,
            extremes: self.extremes.finish(),
            flexible: flexible.collect(),
            final_time: t,
            final_values: self.values.clone(),
            window: self.window.map_or((t, t), |from| (from, t)),
            warnings,
            solver,
            ked: Some(ked),
            ..rigid
        }
    }
}

impl Observer for Run<'_> {
    fn row(&mut self, t: f64, row: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        let from = self.t.unwrap_or(t);
        if self.t.is_some() && t <= from {
            return ControlFlow::Continue(());
        }
        let begins = self.t.is_none();
        let solved = self.advance(t, row);
        self.t = Some(t);
        solved?;
        if begins {
            self.before.copy_from_slice(&self.values);
        }
        if self.window.is_none() && self.measure_from.is_reached(t, row) {
            self.window = Some(t);
        }
        if self.window.is_some() {
            self.extremes.offer(t, &self.values);
        }
        self.record(from, t)?;
        self.draw(t, row);
        if let Some(shown) = &mut self.shown {
            shown.read(&self.vibration, row);
            self.observer.motion_point(t, &shown.point);
        }
        self.observer.step(t, &self.values, false);
        ControlFlow::Continue(())
    }

    fn progress(&mut self, t: f64, end: f64) -> ControlFlow<()> {
        self.observer.progress(t, end)
    }
}
