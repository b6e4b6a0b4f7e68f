//! The run: steps, events, rows, extremes, impacts, ledger.
//!
//! After every step the outputs are taken at its end, at recorded instants inside, and at two nodes
//! that show whether an extreme may hide inside; only then is it located on the dense output. All
//! that is looked at inside a step is evaluated on a copy of the plant (`inside.rs`), so observing never
//! changes the motion. Memory changes after that, when the event that ended the step is handled.

mod bushings;
mod contacts;
mod drawing;
mod extremes;
mod failure;
mod fields;
mod films;
mod flexible;
mod frictions;
mod grid;
mod inside;
mod journals;
mod jumps;
mod kinks;
mod ledger;
mod linear;
mod maximise;
mod means;
mod method;
mod modes;
mod motion;
mod nodes;
mod observer;
mod outputs;
mod passages;
mod rows;
mod warnings;
mod when;

pub(crate) use failure::name_of;
pub(crate) use flexible::at_rest;
pub use flexible::{LinePoint, each_line};
pub use frictions::of_laws;
pub use jumps::{PositionJump, first_fatal_jump};
pub use linear::LinearRange;
pub use motion::{JOURNAL_SIZE, MotionLayout, MotionPoint};
pub use observer::{Observer, Silent};
pub(crate) use warnings::{not_measured, of_films, of_links};
pub use warnings::{of_start, of_tables};

use std::ops::ControlFlow;

use gudgeon_dae::{Integrator, SecondOrderDae, StepOutcome};

use crate::assembly::Assembly;
use crate::cpu::{Meter, Spent};
use crate::limits::{Goal, Pace};
use crate::model::{JointId, Model};
use crate::results::{Cause, DriftReport, End, RunReport, SimulationError, SolverReport, Status};
use crate::run::{RunSpec, Until};
use crate::sensor::Needs;
use crate::system::compile::spots;
use crate::system::{Change, Plant, StopAngle, System};
use contacts::ContactLog;
use drawing::Drawing;
use extremes::{Extremes, Look, Part};
use failure::{Touched, error_of};
use fields::FieldLog;
use films::FilmLog;
use flexible::FlexibleLog;
use frictions::FrictionLog;
use grid::Grid;
use inside::Inside;
use journals::JournalLog;
use kinks::Kinks;
use ledger::LedgerKeeper;
use method::Choice;
use motion::Motion;
use outputs::Outputs;
use passages::Passages;
use rows::read_orbits;
use warnings::Notes;
use when::When;

/// Events in a row without progress in time that count as a failure.
const PILED_UP: usize = 200;

/// Runs an assembled mechanism.
pub fn simulate(assembly: &Assembly, spec: &RunSpec, observer: &mut dyn Observer) -> RunReport {
    if let Some(ked) = spec.ked {
        return crate::ked::simulate(assembly, spec, ked, observer);
    }
    let mut run = Run::new(assembly, spec);
    let ended = run.execute(observer);
    // Where a run stops is a row, whatever stopped it; the observer has said already if it minds.
    let _ = run.last_row(observer);
    let status = match ended {
        Ok(()) => Status::Done,
        Err(Halt::Asked) => Status::Interrupted,
        Err(Halt::Error(error)) => Status::Failed(*error),
    };
    run.report(status)
}

/// Why a run ends early.
enum Halt {
    Asked,
    Error(Box<SimulationError>),
}

struct Run<'a> {
    assembly: &'a Assembly,
    spec: &'a RunSpec,
    plant: Plant<'a>,
    ode: Integrator,
    /// The last step as observers see it.
    inside: Inside<'a>,
    choice: Choice,
    /// End of the run; infinite when a joint's angle alone decides.
    end: f64,
    /// Angle of the joint that ends the run, at the end of the last step.
    angle: f64,
    kinks: Kinks,
    /// Start of the measuring window, once reached.
    window: Option<f64>,
    measure_from: When,
    values: Vec<f64>,
    extremes: Extremes,
    logs: Logs,
    table: Table,
    scratch: Vec<f64>,
    /// Positions of the journals at the end of the last step.
    orbits: Vec<[f64; 2]>,
    drawing: Drawing,
    /// Where the motion itself is wanted.
    motion: Option<Box<Motion>>,
    outputs: Outputs<'a>,
    piled_up: usize,
    /// What the last event belonged to.
    touched: Option<Touched>,
    pace: Pace,
    meter: Meter,
}

/// What is written down of a run beside its rows and extremes.
struct Logs {
    contacts: ContactLog,
    journals: JournalLog,
    films: FilmLog,
    flexible: FlexibleLog,
    fields: FieldLog,
    frictions: FrictionLog,
    ledger: LedgerKeeper,
    drift: DriftReport,
    passages: Passages,
    notes: Notes,
}

/// The rows of a run: when the next is due, and the last.
struct Table {
    /// Number of the next recorded instant.
    next: u64,
    grid: Grid,
    /// Time of the last row, and of the outputs at the end of the last step.
    last: f64,
    read_at: f64,
    count: u64,
    values: Vec<f64>,
    orbits: Vec<[f64; 2]>,
    line: Vec<LinePoint>,
}

impl<'a> Run<'a> {
    fn new(assembly: &'a Assembly, spec: &'a RunSpec) -> Self {
        let meter = Meter::start();
        let mut plant = Plant::new(&assembly.system);
        plant.limit(spec.limits);
        let y = assembly.state();
        let end = spec.latest_end();
        plant.expect(end);
        let start_angle = match spec.until {
            Until::Time(_) => 0.0,
            Until::JointAngle { joint, angle } => {
                let start = plant.joint_angle(joint, 0.0, &y);
                plant.stop_at(Some(StopAngle { joint, start, angle }));
                start
            }
        };
        let choice = Choice::new(spec, &assembly.system);
        if choice.plain_time() {
            plant.keep_plain_time();
        }
        let outputs = spec.outputs.len();
        let ode = choice.integrator(&plant, &y);
        Self {
            assembly,
            spec,
            ode,
            choice,
            end,
            angle: start_angle,
            kinks: Kinks::default(),
            window: None,
            measure_from: When::new(spec.measure_from, &plant, 0.0, &y),
            values: vec![0.0; outputs],
            extremes: Extremes::new(&spec.outputs, choice.rtol),
            logs: Logs {
                contacts: ContactLog::new(&assembly.system, &spec.loops),
                journals: JournalLog::new(&assembly.system),
                films: FilmLog::new(&assembly.system),
                flexible: FlexibleLog::new(&assembly.system),
                fields: FieldLog::new(&spec.pressure_at, &plant, &y),
                frictions: FrictionLog::default(),
                ledger: LedgerKeeper::new(y.len()),
                drift: DriftReport::default(),
                passages: Passages::default(),
                notes: Notes::default(),
            },
            table: Table {
                next: 1,
                grid: Grid::new(spec.until, spec.measure_from),
                last: 0.0,
                read_at: 0.0,
                count: 0,
                values: vec![0.0; outputs],
                orbits: vec![[0.0; 2]; orbits_of(&assembly.system).count()],
                line: Vec::new(),
            },
            scratch: vec![0.0; y.len()],
            orbits: vec![[0.0; 2]; orbits_of(&assembly.system).count()],
            drawing: Drawing::default(),
            motion: None,
            outputs: Outputs::new(&spec.outputs, &assembly.system),
            piled_up: 0,
            touched: None,
            pace: Pace::default(),
            meter,
            inside: Inside::new(&plant, y.len()),
            plant,
        }
    }

    fn execute(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        self.begin(observer)?;
        self.refuse_uncut_friction()?;
        while self.ode.time() < self.end {
            let stop = self.kinks.next_stop(&self.plant.system.model, self.ode.time(), self.end);
            let before = self.plant.branch();
            self.plant.enter_interval(0.5 * (self.ode.time() + stop));
            self.watch_time_tables()?;
            self.watch_positions(before)?;
            self.inside.follow(&self.plant);
            // Implicit methods go on with what they know where nothing jumps.
            let (t, sides) = (self.ode.time(), (before, self.plant.branch()));
            let model = &self.plant.system.model;
            if !self.choice.remembers() || self.kinks.are_at(model, t, sides) {
                self.ode.restart(None);
            }
            self.open_interval()?;
            self.draw_jump(observer);
            while self.ode.time() < stop {
                self.meter.mark(Spent::Outputs);
                let outcome = self.ode.step(&mut self.plant, stop);
                self.meter.mark(Spent::Stepping);
                let event = outcome.map_err(|e| self.step_error(e))? == StepOutcome::Event;
                self.after_step(event, event || self.ode.time() >= stop, observer)?;
                let reached = event && self.handle_event()?;
                self.mark_impact(observer);
                if reached {
                    return Ok(());
                }
                self.watch_pace()?;
                self.meter.step();
            }
        }
        Ok(())
    }

    fn refuse_uncut_friction(&self) -> Result<(), Halt> {
        let system = self.plant.system;
        match self.choice.uncut_friction(system) {
            Some(joint) => {
                let joint = system.model.joints[joint.0].name.clone();
                Err(self.halt(0.0, Cause::UncutFriction { joint, method: self.choice.name }))
            }
            None => Ok(()),
        }
    }

    /// Gives up where the run will not end.
    fn watch_pace(&mut self) -> Result<(), Halt> {
        let (t, tried) = (self.ode.time(), self.plant.watch().tried());
        let limits = self.spec.limits;
        let goal = match self.spec.until {
            Until::JointAngle { .. } => Goal::Open,
            Until::Time(_) if limits.cpu.is_some() || limits.steps.is_some() => {
                Goal::Limited(self.end)
            }
            Until::Time(_) => Goal::Time(self.end),
        };
        match self.pace.look(tried, t, goal) {
            Some(cause) => Err(self.halt(t, cause)),
            None => Ok(()),
        }
    }

    /// Fails where a limit is exceeded between steps.
    fn watch_limits(&mut self) -> Result<(), Halt> {
        match self.plant.watch().exceeded() {
            Some(cause) => Err(self.halt(self.ode.time(), cause)),
            None => Ok(()),
        }
    }

    /// The first row and the start of the ledger.
    fn begin(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        self.plant.enter_interval(0.0);
        self.plant.find_modes(0.0, self.ode.state());
        self.evaluate()?;
        self.logs.ledger.begin(&self.plant, self.ode.state());
        self.watch_tables()?;
        self.logs.films.begin(&self.plant, 0.0, false);
        self.logs.flexible.look(self.plant.system, &self.plant.work, 0.0);
        self.logs.fields.begin(&self.plant, self.ode.state());
        self.read_outputs();
        self.inside.follow(&self.plant);
        self.begin_drawing(observer);
        self.begin_motion(observer);
        self.emit(0.0, observer)
    }

    /// Outputs at the start of an interval: functions of time may have jumped. Where a prescribed
    /// velocity jumps, the mechanism takes it at once; the ledger shows the energy as projection.
    fn open_interval(&mut self) -> Result<(), Halt> {
        let t = self.ode.time();
        self.evaluate()?;
        let drift = self.plant.gaps();
        let loose = 1e-6_f64.max(10.0 * self.choice.rtol);
        if drift.velocity.max(drift.position) > loose && !self.choice.drifts() {
            let driver = self.plant.jumping_driver();
            self.scratch.copy_from_slice(self.ode.state());
            let projected = self.plant.project(t, &mut self.scratch);
            projected.map_err(|fault| self.fault(t, fault))?;
            self.ode.state_mut().copy_from_slice(&self.scratch);
            self.plant.find_modes(t, &self.scratch);
            self.ode.restart(None);
            self.evaluate()?;
            if drift.velocity > loose {
                self.logs.notes.jumps.push((t, driver));
            }
        }
        self.read_outputs();
        self.extremes.forget();
        self.logs.contacts.forget();
        if self.window.is_none() && self.measure_from.is_reached(&self.plant, t, self.ode.state()) {
            self.logs.films.begin(&self.plant, t, true);
            self.inside.y.copy_from_slice(self.ode.state());
            self.open_window(t);
        }
        if self.window.is_some() {
            self.extremes.offer(t, &self.values);
        }
        Ok(())
    }

    /// Opens the measuring window, at the state in `inside.y`.
    fn open_window(&mut self, t: f64) {
        self.window = Some(t);
        self.table.grid.enter_window();
        self.inside.follow(&self.plant);
        self.logs.ledger.enter_window(&mut self.inside.plant, t, &self.inside.y);
    }

    /// The part of the last step within the measuring window, which may open inside; `row` then holds
    /// the outputs there.
    fn measured_part(&mut self, (from, to): (f64, f64)) -> Option<Part> {
        let end = self.ode.last_extent().0;
        if self.window.is_some() {
            return Some(Part { places: (0.0, end), times: (from, to) });
        }
        if !self.measure_from.is_reached(&self.plant, to, self.ode.state()) {
            return None;
        }
        let place = self.measure_from.place(&mut self.inside, &mut self.ode);
        // Where the inside cannot be evaluated the window opens at the end.
        let inside = (place < end).then(|| self.inside.evaluate(&mut self.ode, place).ok());
        let (place, t) = match inside.flatten() {
            Some(t) => (place, self.measure_from.time(t)),
            None => {
                self.inside.y.copy_from_slice(self.ode.state());
                (end, to)
            }
        };
        let plant = if place < end { &self.inside.plant } else { &self.plant };
        self.outputs.read(plant, t, &mut self.table.values);
        self.logs.films.begin(plant, t, true);
        self.extremes.offer(t, &self.table.values);
        self.open_window(t);
        Some(Part { places: (place, end), times: (t, to) })
    }

    /// Everything that is read from a step before the memory changes; `marked` where its end is a row.
    fn after_step(
        &mut self,
        event: bool,
        marked: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let (from, t) = (self.ode.last_start(), self.ode.time());
        self.table.read_at = f64::NEG_INFINITY;
        let before = std::mem::take(&mut self.table.values);
        self.table.values = std::mem::replace(&mut self.values, before);
        // `row` now holds the outputs at the start of the step; `values` will hold those at its end.
        // Baumgarte's terms hold a fixed step on course; outputs are without them.
        if !self.ode.is_current() || self.choice.is_stabilised() {
            self.evaluate()?;
        } else {
            self.plant.complete(self.outputs.needs);
        }
        self.read_outputs();
        self.logs.flexible.look(self.plant.system, &self.plant.work, t);
        self.note_drift();
        self.logs.ledger.update(&self.plant, self.ode.state());
        if self.window.is_some()
            || self.logs.contacts.any_open()
            || !self.plant.work.films.is_empty()
        {
            self.inside.sketch(&mut self.ode);
        }
        if self.window.is_some() && self.logs.contacts.any_open() {
            // Contacts and extremes look at the same places. What cannot be evaluated there is found out again.
            let _ = self.inside.read_nodes(&self.outputs);
        }
        let measured = self.measured_part((from, t));
        let (plant, inside, ode) = (&self.plant, &mut self.inside, &mut self.ode);
        self.logs.contacts.after_step(plant, inside, ode, measured, observer)?;
        let duration = measured.map_or(0.0, |part| part.duration());
        self.logs.journals.after_step(&self.plant, t, duration, measured.is_some());
        self.watch_films(t, measured)?;
        if let Some(part) = measured.filter(|part| part.duration() > 0.0) {
            let (inside, ode) = (&mut self.inside, &mut self.ode);
            let outputs = &self.outputs;
            let look = &mut Look { inside, ode, outputs };
            self.extremes.measure(look, part, (&self.table.values, &self.values));
        }
        let drawn = self.drawn_part(t);
        self.record((from, t), marked, observer)?;
        self.draw_step(drawn, observer);
        self.follow_motion(observer);
        self.meter.mark(Spent::Outputs);
        observer.step(t, &self.values, event);
        self.meter.mark(Spent::Writing);
        let end = if self.end.is_finite() { self.end } else { f64::NAN };
        flow(observer.progress(t, end))
    }

    /// Thinnest films and pressures within one step.
    fn watch_films(&mut self, t: f64, measured: Option<Part>) -> Result<(), Halt> {
        let (inside, ode) = (&mut self.inside, &mut self.ode);
        self.logs
            .films
            .after_step(&self.plant, inside, ode, measured)
            .and_then(|()| self.logs.fields.after_step(inside, ode))
            .map_err(|fault| Halt::Error(Box::new(error_of(&self.plant, t, fault))))
    }

    /// Lets the event change the memory; true when the run has reached its angle.
    fn handle_event(&mut self) -> Result<bool, Halt> {
        let t = self.ode.time();
        self.piled_up = if t > self.ode.last_start() { 0 } else { self.piled_up + 1 };
        self.scratch.copy_from_slice(self.ode.state());
        let system = self.plant.system;
        let changes = self.plant.handle(t, &mut self.scratch, self.ode.fired());
        let mut reached = false;
        let mut new_mode = false;
        let mut began = false;
        let mut touched = None;
        for change in changes {
            match *change {
                Change::ReachedAngle => reached = true,
                Change::Began { contact, .. } | Change::Ended { contact, .. } => {
                    new_mode = true;
                    began |= matches!(change, Change::Began { .. });
                    touched = Some(Touched::Contact(contact));
                }
                Change::Inner { contact, .. } => touched = Some(Touched::Contact(contact)),
                Change::Zone { friction } => touched = Some(Touched::Friction(friction)),
                Change::Piece { function } => touched = Some(Touched::Function(function)),
            }
        }
        if let Some(motion) = &mut self.motion {
            motion.began = began;
        }
        self.logs.contacts.note(changes, t, &self.scratch);
        self.ode.state_mut().copy_from_slice(&self.scratch);
        let mut hint = if new_mode { self.plant.shortest_hint(t, &self.scratch) } else { None };
        if self.piled_up > 0 {
            // What follows the event is too short for the last step to see.
            let shorter = 0.1 * self.ode.last_extent().1;
            hint = Some(hint.map_or(shorter, |hint| hint.min(shorter)));
        }
        self.ode.restart(hint);
        self.touched = touched;
        if self.piled_up > PILED_UP {
            let cause = touched.map_or_else(|| self.too_fast(), |touched| touched.chatters(system));
            return Err(self.halt(t, cause));
        }
        self.watch_tables()?;
        if !reached {
            self.read_after_event(t);
        }
        Ok(reached)
    }

    /// Fails where a function or law has left its table.
    fn watch_tables(&self) -> Result<(), Halt> {
        let t = self.ode.time();
        if let Some((function, left)) = self.plant.law_left_table(t, self.ode.state()) {
            return Err(self.halt(t, Cause::LeftTable { function, left: Box::new(left) }));
        }
        match self.plant.left_table(t, self.ode.state()) {
            Some((function, left)) => {
                let function = self.plant.system.model.functions[function].name.clone();
                Err(self.halt(t, Cause::LeftTable { function, left: Box::new(left) }))
            }
            None => Ok(()),
        }
    }

    /// The same for functions of time, whose pieces last as long as the interval that begins.
    fn watch_time_tables(&self) -> Result<(), Halt> {
        let (t, model) = (self.ode.time(), &self.plant.system.model);
        match kinks::left_table(model, t, self.plant.branch()) {
            Some((function, left)) => {
                Err(self.halt(t, Cause::LeftTable { function, left: Box::new(left) }))
            }
            None => Ok(()),
        }
    }

    /// Outputs that an event has changed, where the next step begins.
    fn read_after_event(&mut self, t: f64) {
        self.inside.follow(&self.plant);
        self.extremes.forget();
        // What has no solution here fails with the step that begins.
        if self.inside.plant.evaluate_for(self.outputs.needs, t, self.ode.state()).is_ok() {
            self.outputs.read(&self.inside.plant, t, &mut self.values);
            if self.window.is_some() {
                self.extremes.offer(t, &self.values);
            }
        }
    }

    /// Evaluates at the present state.
    fn evaluate(&mut self) -> Result<(), Halt> {
        let t = self.ode.time();
        let needs = self.outputs.needs.max(Needs::Accelerations);
        let result = self.plant.evaluate_for(needs, t, self.ode.state());
        result.map_err(|fault| self.fault(t, fault))
    }

    /// Outputs and orbits at the end of the step from the workspace.
    fn read_outputs(&mut self) {
        let t = self.ode.time();
        self.outputs.read(&self.plant, t, &mut self.values);
        read_orbits(&self.plant, &mut self.orbits);
        self.table.read_at = t;
    }

    /// Gaps of the constraints, and positions where rows become dependent.
    fn note_drift(&mut self) {
        let (t, y) = (self.ode.time(), self.ode.state());
        self.logs.frictions.after_step(&self.plant, t, y);
        let drift = self.plant.gaps();
        self.logs.drift.position = self.logs.drift.position.max(drift.position);
        self.logs.drift.velocity = self.logs.drift.velocity.max(drift.velocity);
        let (inside, ode) = (&mut self.inside, &mut self.ode);
        let Some(weakest) = self.logs.passages.after_step(&mut self.plant, inside, ode) else {
            return;
        };
        let pivot_ratio = weakest.pivot_ratio;
        if pivot_ratio < warnings::SINGULAR
            && self.logs.notes.weakest.as_ref().is_none_or(|w| pivot_ratio < w.0)
        {
            self.logs.notes.weakest = Some((pivot_ratio, weakest.t, weakest.row));
        }
    }

    /// What ended a run that is done.
    fn ended(&self) -> End {
        match (self.spec.until, self.spec.at_most) {
            (_, Some(latest)) if self.ode.time() >= latest => End::AtMost,
            (Until::Time(_), _) => End::Time,
            (Until::JointAngle { .. }, _) => End::Angle,
        }
    }

    fn report(mut self, status: Status) -> RunReport {
        let t = self.ode.time();
        let ended = (status == Status::Done).then(|| self.ended());
        let window = self.window.map_or((t, t), |from| (from, t));
        let (mut contacts, impacts) = self.logs.contacts.finish(window, self.ode.state());
        let journals = self.logs.journals.finish();
        let system = self.plant.system;
        let films = self.logs.films.finish(system);
        let flexible = self.logs.flexible.finish(system);
        let (fields, missed) = self.logs.fields.finish(system, &self.logs.films);
        let energy = self.logs.ledger.finish(&mut self.plant, t, self.ode.state());
        let warnings = [
            warnings::of_start(self.assembly),
            warnings::of_mechanism(self.assembly, self.spec, &self.logs.notes),
            warnings::of_contacts(system, &contacts, &impacts),
            warnings::of_journals(system, &journals, self.logs.journals.left()),
            warnings::of_films(system, &films),
            warnings::of_links(&flexible, |t| format!("at t = {t:.6} s")),
            modes::warnings(system, &impacts),
            self.logs.frictions.warnings(self.assembly),
            warnings::of_fields(missed, &status),
            warnings::of_window(self.window, &status),
            warnings::of_balance(&energy),
        ]
        .concat();
        // Where a film keeps surfaces apart there is no contact to report.
        contacts
            .retain(|contact| films.iter().all(|film| film.hybrid || film.joint != contact.joint));
        RunReport {
            status,
            ended,
            extremes: self.extremes.finish(),
            warnings,
            impacts,
            contacts,
            journals,
            films,
            flexible,
            fields,
            energy,
            drift: self.logs.drift,
            solver: SolverReport {
                method: self.choice.name,
                reason: self.choice.reason.to_owned(),
                rtol: self.choice.rtol,
                statistics: self.ode.statistics(),
                rows: self.table.count,
                cpu: self.meter.finish(),
            },
            final_time: t,
            final_values: self.values,
            window,
            ked: None,
        }
    }
}

/// Names and clearances of the orbits that rows carry: of every round spot of every joint.
pub fn orbits(model: &Model) -> Vec<(String, f64)> {
    let elements = (0..model.joints.len()).flat_map(|i| spots(model, JointId(i)));
    let named = elements.filter(|element| element.spot.is_round());
    // Of rough surfaces that of the smooth ones behind them.
    let radial =
        |joint: JointId| model.joints[joint.0].clearance.as_ref().map_or(0.0, |c| c.radial);
    named.map(|element| (element.name(model), radial(element.joint))).collect()
}

/// Contacts whose journal has an orbit, in the order of [`orbits`].
fn orbits_of(system: &System) -> impl Iterator<Item = usize> + '_ {
    (0..system.contacts.len()).filter(|&i| system.contacts[i].spot.is_round())
}

fn flow(asked: ControlFlow<()>) -> Result<(), Halt> {
    if asked.is_break() { Err(Halt::Asked) } else { Ok(()) }
}
