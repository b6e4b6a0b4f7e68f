//! Points of the curves and orbits that pictures show.
//!
//! Rows are too few for that: a picture of a long run needs the ends of all steps, or it shows chords.
//! An observer that draws receives them for the part of the run that it names, with points between
//! where steps are long: of the outputs one per column of a picture at least; of the orbits as many as
//! keep the chords of a step with arc length ℓ and sag s within
//!
//!   s/n² ≤ 10⁻³ c,   ℓ/n ≤ c/4                                                             (1)
//!
//! of the path, n chords and clearance c. Points are read from the dense output; the motion and the
//! rows do not depend on them.

use super::reach::Reach;
use super::{Halt, Observer, Run, orbits_of};

/// Columns of a picture.
const COLUMNS: usize = 1000;
/// Sag and length of chords of an orbit, over the clearance.
const SAG: f64 = 1e-3;
const CHORD: f64 = 0.25;
/// Chords of an orbit in one step at most.
const CHORDS: f64 = 256.0;

#[derive(Default)]
pub(super) struct Drawing {
    /// Start and end of what is drawn.
    range: Option<[Reach; 2]>,
    /// The same as times, once reached.
    opened: Option<f64>,
    closed: Option<f64>,
    /// Time of the last point of the curves, and how far it may be from the next.
    last: f64,
    spacing: f64,
    /// Instants inside the step at which the outputs are still to be read.
    due: Vec<f64>,
    /// Contacts whose journals have orbits, and their clearances.
    contacts: Vec<(usize, f64)>,
    /// Orbits at the start, in the middle and at the end of the part of a step.
    start: Vec<[f64; 2]>,
    middle: Vec<[f64; 2]>,
    end: Vec<[f64; 2]>,
}

/// The places in the last step between which it is drawn, and whether drawing starts there.
#[derive(Clone, Copy)]
pub(super) struct Part {
    first: f64,
    last: f64,
    opens: bool,
}

impl Drawing {
    fn holds(&self, t: f64) -> bool {
        self.opened.is_some_and(|from| from <= t) && self.closed.is_none_or(|to| t <= to)
    }

    /// Goes on to a point of the curves at `t`; columns without a point become due.
    fn advance(&mut self, t: f64) {
        let columns = ((t - self.last) / self.spacing).ceil();
        if columns > 1.0 {
            let count = columns.min(COLUMNS as f64) as usize;
            let (from, gap) = (self.last, (t - self.last) / count as f64);
            self.due.extend((1..count).map(|i| from + gap * i as f64));
        }
        self.last = self.last.max(t);
    }

    /// Chords that a part of a step needs to follow all orbits, by (1).
    fn chords(&self) -> usize {
        let between = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let mut most = 1.0_f64;
        for (i, (_, clearance)) in self.contacts.iter().enumerate().filter(|(_, c)| c.1 > 0.0) {
            let (a, m, b) = (self.start[i], self.middle[i], self.end[i]);
            let length = between(a, m) + between(m, b);
            let by_length = length / (CHORD * clearance);
            let by_sag = (distance(m, a, b) / (SAG * clearance)).sqrt();
            most = most.max(by_length).max(by_sag);
        }
        most.min(CHORDS).ceil() as usize
    }
}

/// Distance of a point from the line between two others.
fn distance(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (chord, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let square = chord[0] * chord[0] + chord[1] * chord[1];
    let share = (chord[0] * to[0] + chord[1] * to[1]) / square;
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    (to[0] - share * chord[0]).hypot(to[1] - share * chord[1])
}

impl Run<'_> {
    /// Learns what is drawn, with the outputs of the start read.
    pub(super) fn begin_drawing(&mut self, observer: &mut dyn Observer) {
        let Some((from, to)) = observer.draws() else { return };
        let (plant, y) = (&self.plant, self.ode.state());
        let range = [from, to].map(|when| Reach::new(when, plant, y));
        let system = plant.system;
        let contacts: Vec<(usize, f64)> =
            orbits_of(system).map(|i| (i, system.contacts[i].clearance.radial)).collect();
        let orbits = vec![[0.0; 2]; contacts.len()];
        self.drawing = Drawing {
            opened: range[0].is_reached(plant, 0.0, y).then_some(0.0),
            range: Some(range),
            due: Vec::with_capacity(COLUMNS),
            contacts,
            start: orbits.clone(),
            middle: orbits.clone(),
            end: orbits,
            ..Drawing::default()
        };
        self.drawing.spacing = self.spacing(0.0);
        if self.drawing.opened.is_some() {
            for (place, (contact, _)) in self.drawing.start.iter_mut().zip(&self.drawing.contacts) {
                *place = self.plant.journal_position(*contact, self.ode.state());
            }
            observer.orbit_point(0.0, &self.drawing.start);
        }
    }

    /// Width of a column in time, as far as the end of what is drawn is known.
    fn spacing(&self, t: f64) -> f64 {
        let Some([_, to]) = &self.drawing.range else { return f64::INFINITY };
        let end = to.estimate(&self.plant, t, self.ode.state()).min(self.end);
        let width = (end - self.drawing.opened.unwrap_or(t)) / COLUMNS as f64;
        if width > 0.0 { width } else { f64::INFINITY }
    }

    /// The outputs after a function of time has jumped.
    pub(super) fn draw_jump(&mut self, observer: &mut dyn Observer) {
        if self.drawing.holds(self.ode.time()) {
            observer.curve_point(self.ode.time(), &self.values);
        }
    }

    /// A row is a point of the curves too.
    pub(super) fn draw_row(&mut self, t: f64, values: &[f64], observer: &mut dyn Observer) {
        if self.drawing.holds(t) {
            self.drawing.advance(t);
            observer.curve_point(t, values);
        }
    }

    /// What of the last step, which ended at `t`, is drawn.
    pub(super) fn drawn_part(&mut self, t: f64) -> Result<Option<Part>, Halt> {
        let Some([from, to]) = self.drawing.range else { return Ok(None) };
        let (plant, y) = (&self.plant, self.ode.state());
        if self.drawing.closed.is_some() || !from.is_reached(plant, t, y) {
            return Ok(None);
        }
        let (opens, closes) = (self.drawing.opened.is_none(), to.is_reached(plant, t, y));
        let mut part = Part { first: 0.0, last: self.ode.last_extent().0, opens };
        if opens || closes {
            let prepared = self.ode.prepare_dense(&mut self.plant);
            prepared.map_err(|fault| self.fault(t, fault))?;
        }
        if opens {
            part.first = from.place(&self.plant, &mut self.ode, &mut self.scratch);
            let opened = self.ode.interpolate(part.first, &mut self.scratch);
            self.drawing.opened = Some(opened);
            self.drawing.last = opened;
        }
        if closes {
            part.last = to.place(&self.plant, &mut self.ode, &mut self.scratch);
            self.drawing.closed = Some(self.ode.interpolate(part.last, &mut self.scratch));
        }
        self.drawing.spacing = self.spacing(t);
        Ok(Some(part))
    }

    /// Hands over the points of the last step that its rows did not bring.
    pub(super) fn draw_step(
        &mut self,
        part: Option<Part>,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let Some(part) = part else { return Ok(()) };
        self.draw_orbits(part, observer)?;
        self.draw_curves(part, observer)
    }

    fn draw_curves(&mut self, part: Part, observer: &mut dyn Observer) -> Result<(), Halt> {
        let t = self.ode.time();
        let end = self.drawing.closed.unwrap_or(t);
        if part.opens {
            self.drawing.due.extend(self.drawing.opened.filter(|from| *from < t));
        }
        if self.drawing.last < end || end == t {
            self.drawing.advance(end);
            if end == t {
                observer.curve_point(t, &self.values);
            } else {
                self.drawing.due.push(end);
            }
        }
        if self.drawing.due.is_empty() {
            return Ok(());
        }
        let mut due = std::mem::take(&mut self.drawing.due);
        for instant in due.drain(..) {
            self.read_inside(instant)?;
            observer.curve_point(instant, &self.row);
        }
        self.drawing.due = due;
        self.evaluate()
    }

    fn draw_orbits(&mut self, part: Part, observer: &mut dyn Observer) -> Result<(), Halt> {
        if self.drawing.contacts.is_empty() {
            return Ok(());
        }
        if part.opens {
            let t = self.orbits_inside(part.first);
            self.drawing.start.copy_from_slice(&self.drawing.end);
            observer.orbit_point(t, &self.drawing.start);
        }
        // The cheap interpolant shows whether the path is bent; it is no part of it.
        self.ode.sketch(0.5 * (part.first + part.last), &mut self.scratch);
        for (place, (contact, _)) in self.drawing.middle.iter_mut().zip(&self.drawing.contacts) {
            *place = self.plant.journal_position(*contact, &self.scratch);
        }
        self.orbits_at_end(part);
        let chords = self.drawing.chords();
        if chords > 1 {
            let t = self.ode.time();
            let prepared = self.ode.prepare_dense(&mut self.plant);
            prepared.map_err(|fault| self.fault(t, fault))?;
        }
        for i in 1..chords {
            let share = i as f64 / chords as f64;
            let t = self.orbits_inside(part.first + share * (part.last - part.first));
            observer.orbit_point(t, &self.drawing.end);
        }
        let t = self.orbits_at_end(part);
        observer.orbit_point(t, &self.drawing.end);
        self.drawing.start.copy_from_slice(&self.drawing.end);
        Ok(())
    }

    /// Orbits where the part ends, into `end`; returns the time.
    fn orbits_at_end(&mut self, part: Part) -> f64 {
        if part.last < self.ode.last_extent().0 {
            return self.orbits_inside(part.last);
        }
        for (place, (contact, _)) in self.drawing.end.iter_mut().zip(&self.drawing.contacts) {
            *place = self.plant.journal_position(*contact, self.ode.state());
        }
        self.ode.time()
    }

    /// Orbits at a place of the dense output, into `end`; returns the time.
    fn orbits_inside(&mut self, theta: f64) -> f64 {
        let t = self.ode.interpolate(theta, &mut self.scratch);
        for (place, (contact, _)) in self.drawing.end.iter_mut().zip(&self.drawing.contacts) {
            *place = self.plant.journal_position(*contact, &self.scratch);
        }
        t
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_column_is_without_a_point() {
        let mut drawing = Drawing { spacing: 0.1, ..Drawing::default() };
        drawing.advance(0.05);
        assert!(drawing.due.is_empty());
        drawing.advance(0.45);
        assert_eq!(drawing.due.len(), 3);
        let mut all = [&[0.05][..], &drawing.due, &[0.45]].concat();
        all.dedup();
        assert!(all.windows(2).all(|pair| pair[1] > pair[0] && pair[1] - pair[0] <= 0.1 + 1e-12));
        drawing.spacing = f64::INFINITY;
        drawing.advance(7.0);
        assert_eq!(drawing.due.len(), 3);
    }

    #[test]
    fn chords_follow_an_arc_along_the_wall() {
        // A quarter of the wall in one step: its chords must stay within a thousandth of it.
        let arc = |angle: f64| [angle.cos(), angle.sin()];
        let drawing = Drawing {
            contacts: vec![(0, 1.0)],
            start: vec![arc(0.0)],
            middle: vec![arc(0.25 * std::f64::consts::PI)],
            end: vec![arc(0.5 * std::f64::consts::PI)],
            ..Drawing::default()
        };
        let chords = drawing.chords() as f64;
        let sag = 1.0 - (0.25 * std::f64::consts::PI / chords).cos();
        assert!(sag <= SAG && sag > 0.2 * SAG, "{chords} chords, {sag}");
        assert_eq!(distance([3.0, 4.0], [0.0, 0.0], [0.0, 0.0]), 5.0);
    }
}
