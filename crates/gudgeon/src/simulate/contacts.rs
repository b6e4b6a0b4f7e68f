//! Impacts, contact times and force–indentation loops.

use gudgeon_dae::{Fault, Integrator};

use super::extremes::Part;
use super::failure::halt;
use super::inside::{Inside, Pressed};
use super::maximise::{may_exceed, top};
use super::{Halt, Observer, error_of, flow};
use crate::clearance::geometry::Deepest;
use crate::results::{Cause, ContactReport, IMPACTS_KEPT, Impact, LoopPoint};
use crate::run::Loop;
use crate::system::{Change, Plant, System};

/// Points of a force–indentation loop per step.
const LOOP_POINTS: usize = 6;

pub(super) struct ContactLog {
    logs: Vec<Log>,
    impacts: Vec<Impact>,
}

/// What is known of one clearance joint so far.
struct Log {
    report: ContactReport,
    deepest: Deepest,
    /// Where the works of normal and friction force stand in y.
    work: usize,
    open: Option<Open>,
    time_in_contact: f64,
    loops: Vec<usize>,
    /// At the end of the last step, and its time, while the mode lasts.
    last: Option<(f64, Pressed)>,
}

/// A contact that has begun: its record so far and the works at its start.
struct Open {
    impact: Impact,
    normal: f64,
    friction: f64,
}

impl ContactLog {
    pub fn new(system: &System, loops: &[Loop]) -> Self {
        let offset = system.layout.contacts;
        let log = |(i, element): (usize, &crate::system::compile::ContactElement)| Log {
            report: ContactReport {
                joint: element.joint,
                spot: element.spot.name(),
                name: system.contact_name(i),
                impacts: 0,
                floored_impacts: 0,
                contact_fraction: 0.0,
                longest_contact: 0.0,
                max_depth: 0.0,
                max_rate_ratio: 0.0,
                max_impact_speed: 0.0,
            },
            deepest: element.spot.deepest(&element.clearance),
            work: offset + 2 * i,
            open: None,
            time_in_contact: 0.0,
            last: None,
            loops: loops
                .iter()
                .filter(|l| l.joint == element.joint)
                .flat_map(|l| l.impacts.iter().copied())
                .collect(),
        };
        let logs = system.contacts.iter().enumerate().map(log).collect();
        Self { logs, impacts: Vec::new() }
    }

    /// The motion does not go on as it was.
    pub fn forget(&mut self) {
        self.logs.iter_mut().for_each(|log| log.last = None);
    }

    /// Contacts begin and end.
    pub fn note(&mut self, changes: &[Change], t: f64, y: &[f64]) {
        self.forget();
        for change in changes {
            match *change {
                Change::Began { contact, speed, floored } => {
                    self.logs[contact].begin(t, speed, floored, y);
                }
                // Still approaching: rounding at a gentle touch, which is about to begin.
                Change::Ended { contact, rate } if rate > 0.0 => self.logs[contact].withdraw(),
                Change::Ended { contact, rate } => {
                    if let Some(impact) = self.logs[contact].end(Some((t, rate)), y) {
                        self.keep(impact);
                    }
                }
                Change::Inner { .. }
                | Change::Zone { .. }
                | Change::Piece { .. }
                | Change::ReachedAngle => {}
            }
        }
    }

    fn keep(&mut self, impact: Impact) {
        if self.impacts.len() < IMPACTS_KEPT {
            self.impacts.push(impact);
        }
    }

    /// Whether a contact lasts.
    pub fn any_open(&self) -> bool {
        self.logs.iter().any(|log| log.open.is_some())
    }

    /// Peaks and loops of contacts that last through a step, at whose end the plant was evaluated.
    pub fn after_step(
        &mut self,
        plant: &Plant,
        inside: &mut Inside,
        ode: &mut Integrator,
        measured: Option<Part>,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        for (contact, log) in self.logs.iter_mut().enumerate() {
            if log.open.is_none() {
                continue;
            }
            log.time_in_contact += measured.map_or(0.0, |part| part.duration());
            log.peak(plant, inside, ode, contact)
                .and_then(|()| {
                    if log.is_traced() { ode.prepare_dense(&mut inside.plant) } else { Ok(()) }
                })
                .map_err(|fault| {
                    Halt::Error(Box::new(error_of(&inside.plant, ode.time(), fault)))
                })?;
            if log.is_traced() {
                log.trace_loop(inside, ode, contact, observer)?;
            }
            if let Some(cause) = log.too_deep() {
                return Err(halt(ode.time(), cause));
            }
        }
        Ok(())
    }

    /// Reports and impacts at the end of the run; contacts that last are listed open.
    pub fn finish(mut self, window: (f64, f64), y: &[f64]) -> (Vec<ContactReport>, Vec<Impact>) {
        let duration = window.1 - window.0;
        let mut reports = Vec::new();
        let mut open = Vec::new();
        for mut log in self.logs.drain(..) {
            if let Some(started) = log.open.as_ref().map(|o| o.impact.t) {
                log.report.longest_contact = log.report.longest_contact.max(window.1 - started);
                open.extend(log.end(None, y));
            }
            if duration > 0.0 {
                log.report.contact_fraction = (log.time_in_contact / duration).min(1.0);
            }
            reports.push(log.report);
        }
        for impact in open {
            self.keep(impact);
        }
        self.impacts
            .sort_by(|a, b| a.t.total_cmp(&b.t).then((a.joint, a.spot).cmp(&(b.joint, b.spot))));
        (reports, self.impacts)
    }
}

impl Log {
    fn begin(&mut self, t: f64, speed: f64, floored: bool, y: &[f64]) {
        self.report.impacts += 1;
        self.report.floored_impacts += usize::from(floored);
        self.report.max_impact_speed = self.report.max_impact_speed.max(speed);
        self.open = Some(Open {
            impact: Impact {
                joint: self.report.joint,
                spot: self.report.spot,
                number: self.report.impacts,
                t,
                speed_in: speed,
                t_out: None,
                speed_out: None,
                peak_force: 0.0,
                peak_depth: 0.0,
                loss: 0.0,
                friction_loss: 0.0,
                floored,
            },
            normal: y[self.work],
            friction: y[self.work + 1],
        });
    }

    /// Forgets the open impact.
    fn withdraw(&mut self) {
        if let Some(open) = self.open.take() {
            self.report.impacts -= 1;
            self.report.floored_impacts -= usize::from(open.impact.floored);
        }
    }

    fn end(&mut self, out: Option<(f64, f64)>, y: &[f64]) -> Option<Impact> {
        let Open { mut impact, normal, friction } = self.open.take()?;
        impact.loss = normal - y[self.work];
        impact.friction_loss = friction - y[self.work + 1];
        if let Some((t, rate)) = out {
            impact.t_out = Some(t);
            impact.speed_out = Some(rate);
            self.report.longest_contact = self.report.longest_contact.max(t - impact.t);
        }
        Some(impact)
    }

    /// Largest force and depth of the open impact within the last step.
    fn peak(
        &mut self,
        plant: &Plant,
        inside: &mut Inside,
        ode: &mut Integrator,
        contact: usize,
    ) -> Result<(), Fault> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let impact = &mut open.impact;
        let from = ode.last_start();
        let start = match self.last {
            Some((t, known)) if t == from => known,
            _ => Pressed::at(&inside.plant, contact, from, ode.last_state()),
        };
        let end = match &plant.work.contacts[contact] {
            (Some(geometry), force) => Pressed::new(geometry, force),
            (None, _) => Pressed::at(&inside.plant, contact, ode.time(), ode.state()),
        };
        self.last = Some((ode.time(), end));
        let [first, second] = [0, 1].map(|node| inside.contact_at_node(node, contact));
        let nodes = [start, first, second, end];
        impact.peak_force = impact.peak_force.max(end.normal);
        impact.peak_depth = impact.peak_depth.max(end.depth);
        if may_exceed(&nodes.map(|at| at.normal), impact.peak_force) {
            let found = top_inside(inside, ode, impact.peak_force, |plant, t, y| {
                plant.contact_force(contact, t, y).1.normal
            })?;
            impact.peak_force = found.unwrap_or(impact.peak_force);
        }
        if may_exceed(&nodes.map(|at| at.depth), impact.peak_depth) {
            let found = top_inside(inside, ode, impact.peak_depth, |plant, t, y| {
                plant.contact_geometry(contact, t, y).depth
            })?;
            impact.peak_depth = found.unwrap_or(impact.peak_depth);
        }
        let speed = inside.plant.memory.contacts[contact].impact_speed;
        self.report.max_depth = self.report.max_depth.max(impact.peak_depth);
        self.report.max_rate_ratio = self.report.max_rate_ratio.max(end.rate.abs() / speed);
        Ok(())
    }

    /// An indentation that has no meaning any more.
    fn too_deep(&self) -> Option<Cause> {
        let depth = self.open.as_ref()?.impact.peak_depth;
        let Deepest { what, reference, depth: limit } = self.deepest;
        let joint = || self.report.name.clone();
        (depth >= limit).then(|| Cause::Indented { joint: joint(), what, reference, depth, limit })
    }

    /// Whether the loop of the open impact is asked for.
    fn is_traced(&self) -> bool {
        self.open.as_ref().is_some_and(|open| self.loops.contains(&open.impact.number))
    }

    /// Points of the loop on the dense output, which must be prepared.
    fn trace_loop(
        &mut self,
        inside: &mut Inside,
        ode: &mut Integrator,
        contact: usize,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let Some(open) = &self.open else { return Ok(()) };
        let (impact, end) = (open.impact.number, ode.last_extent().0);
        for i in 1..=LOOP_POINTS {
            let share = i as f64 / LOOP_POINTS as f64;
            let t =
                ode.interpolate(if i == LOOP_POINTS { end } else { end * share }, &mut inside.y);
            let (geometry, force) = inside.plant.contact_force(contact, t, &inside.y);
            let (joint, spot) = (self.report.joint, self.report.spot);
            let (depth, force) = (geometry.depth, force.normal);
            flow(observer.loop_point(LoopPoint { joint, spot, impact, t, depth, force }))?;
        }
        Ok(())
    }
}

/// Height of the top of a quantity of states inside the last step, if it exceeds `record`.
fn top_inside(
    inside: &mut Inside,
    ode: &mut Integrator,
    record: f64,
    quantity: impl Fn(&Plant, f64, &[f64]) -> f64,
) -> Result<Option<f64>, Fault> {
    ode.prepare_dense(&mut inside.plant)?;
    let whole = (0.0, ode.last_extent().0);
    let found = top(whole, record, &mut |theta| {
        let t = ode.interpolate(theta, &mut inside.y);
        Ok::<f64, Fault>(quantity(&inside.plant, t, &inside.y))
    })?;
    Ok(found.map(|(_, height)| height))
}
