//! Points of the curves and orbits that pictures show.
//!
//! Rows are too few for that: a picture of a long run needs the ends of all steps, or it shows chords.
//! An observer that draws receives them for the part of the run that it names, with points between
//! where steps are long: of the outputs one per column of a picture at least; of the orbits as many as
//! keep every chord so short and so straight that its arc, with length ℓ and sag s, has
//!
//!   s ≤ 10⁻³ c,   ℓ ≤ c/10,                                                                (1)
//!
//! c the clearance. ℓ and s are those of five points of the arc, so that the hook of an impact inside a
//! step is seen. Points are read from the dense output; the motion and the rows do not depend on them.

use gudgeon_dae::Integrator;

use super::when::When;
use super::{Observer, Run, orbits_of};

/// Columns of a picture.
const COLUMNS: usize = 1000;
/// Sag and length of chords of an orbit, over the clearance.
const SAG: f64 = 1e-3;
const CHORD: f64 = 0.1;
/// Places where a stretch is looked at to see how far an orbit is bent.
const LOOKS: [f64; 3] = [0.25, 0.5, 0.75];
/// How often a step may be halved.
const HALVINGS: usize = 8;

#[derive(Default)]
pub(super) struct Drawing {
    /// Start and end of what is drawn.
    range: Option<[When; 2]>,
    /// The same as times, once reached.
    opened: Option<f64>,
    closed: Option<f64>,
    /// Time of the last point of the curves, and how far it may be from the next.
    last: f64,
    spacing: f64,
    /// Instants inside the step at which the outputs are still to be read.
    due: Vec<f64>,
    /// Journals that have orbits.
    journals: Vec<Journal>,
    /// Orbits at the last point handed over, or about to be.
    orbits: Vec<[f64; 2]>,
}

/// A journal and how far the part of its orbit in a step is bent.
struct Journal {
    contact: usize,
    clearance: f64,
    start: [f64; 2],
    end: [f64; 2],
    /// The place last looked at, the way to it, and the largest distance from the chord.
    at: [f64; 2],
    length: f64,
    sag: f64,
}

impl Journal {
    fn new(contact: usize, clearance: f64) -> Self {
        let [start, end, at] = [[0.0; 2]; 3];
        Self { contact, clearance, start, end, at, length: 0.0, sag: 0.0 }
    }

    /// A chord to be looked at.
    fn open(&mut self, start: [f64; 2], end: [f64; 2]) {
        *self = Self { start, end, at: start, ..Self::new(self.contact, self.clearance) };
    }

    fn look(&mut self, at: [f64; 2]) {
        self.length += (at[0] - self.at[0]).hypot(at[1] - self.at[1]);
        self.sag = self.sag.max(distance(at, self.start, self.end));
        self.at = at;
    }

    /// Whether one chord will do, by (1).
    fn is_straight(&self) -> bool {
        let Self { clearance, length, sag, .. } = self;
        *clearance <= 0.0 || (*sag <= SAG * clearance && *length <= CHORD * clearance)
    }
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
        let (plant, t, y) = (&self.plant, self.ode.time(), self.ode.state());
        let range = [from, to].map(|when| When::new(when, plant, t, y));
        let system = plant.system;
        let journal = |i: usize| Journal::new(i, system.contacts[i].clearance.radial);
        let journals: Vec<Journal> = orbits_of(system).map(journal).collect();
        self.drawing = Drawing {
            opened: range[0].is_reached(plant, 0.0, y).then_some(0.0),
            range: Some(range),
            due: Vec::with_capacity(COLUMNS),
            orbits: vec![[0.0; 2]; journals.len()],
            journals,
            ..Drawing::default()
        };
        self.drawing.spacing = self.spacing(0.0);
        if self.drawing.opened.is_some() {
            self.orbits_at_end();
            observer.orbit_point(0.0, &self.drawing.orbits);
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
    pub(super) fn drawn_part(&mut self, t: f64) -> Option<Part> {
        let [from, to] = self.drawing.range?;
        let (plant, y) = (&self.plant, self.ode.state());
        if self.drawing.closed.is_some() || !from.is_reached(plant, t, y) {
            return None;
        }
        let (opens, closes) = (self.drawing.opened.is_none(), to.is_reached(plant, t, y));
        let mut part = Part { first: 0.0, last: self.ode.last_extent().0, opens };
        if opens {
            part.first = from.place(&mut self.inside, &mut self.ode);
            let opened = self.ode.interpolate(part.first, &mut self.inside.y);
            self.drawing.opened = Some(opened);
            self.drawing.last = opened;
        }
        if closes {
            part.last = to.place(&mut self.inside, &mut self.ode);
            self.drawing.closed = Some(self.ode.interpolate(part.last, &mut self.inside.y));
        }
        self.drawing.spacing = self.spacing(t);
        Some(part)
    }

    /// Hands over the points of the last step that its rows did not bring.
    pub(super) fn draw_step(&mut self, part: Option<Part>, observer: &mut dyn Observer) {
        if let Some(part) = part {
            self.draw_orbits(part, observer);
            self.draw_curves(part, observer);
        }
    }

    fn draw_curves(&mut self, part: Part, observer: &mut dyn Observer) {
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
        let mut due = std::mem::take(&mut self.drawing.due);
        for instant in due.drain(..) {
            // What cannot be evaluated there is no reason to stop the run, and not drawn.
            if self.read_inside(instant).is_ok() {
                observer.curve_point(instant, &self.table.values);
            }
        }
        self.drawing.due = due;
    }

    fn draw_orbits(&mut self, part: Part, observer: &mut dyn Observer) {
        if self.drawing.journals.is_empty() {
            return;
        }
        if part.opens {
            let t = self.orbits_inside(part.first);
            observer.orbit_point(t, &self.drawing.orbits);
        }
        // The cheap interpolant shows whether the path is bent; it is no part of it.
        if !self.is_straight(part.first, part.last, Integrator::sketch)
            && self.ode.prepare_dense(&mut self.inside.plant).is_ok()
        {
            self.draw_bent(part, observer);
        }
        let t = self.orbits_where_it_ends(part);
        observer.orbit_point(t, &self.drawing.orbits);
    }

    /// Points inside a part of the last step that halve it until all chords are straight.
    fn draw_bent(&mut self, part: Part, observer: &mut dyn Observer) {
        let mut ends = [part.last; HALVINGS + 1];
        let (mut from, mut level) = (part.first, 0);
        // A second half is one level deeper than its place in `ends`, so that lengths decide.
        let shortest = 1.5 * (part.last - part.first) / f64::from(1u32 << HALVINGS);
        loop {
            let to = ends[level];
            let long = level < HALVINGS && to - from > shortest;
            if long && !self.is_straight(from, to, Integrator::interpolate) {
                level += 1;
                ends[level] = 0.5 * (from + to);
                continue;
            }
            if level == 0 {
                return;
            }
            let t = self.orbits_inside(to);
            observer.orbit_point(t, &self.drawing.orbits);
            (from, level) = (to, level - 1);
        }
    }

    /// Whether chords follow all orbits from the last point, at `from`, to the place `to`.
    fn is_straight(
        &mut self,
        from: f64,
        to: f64,
        read: fn(&mut Integrator, f64, &mut [f64]) -> f64,
    ) -> bool {
        let t = read(&mut self.ode, to, &mut self.inside.y);
        for (journal, start) in self.drawing.journals.iter_mut().zip(&self.drawing.orbits) {
            let end = self.plant.journal_position(journal.contact, t, &self.inside.y);
            journal.open(*start, end);
        }
        for share in LOOKS {
            let t = read(&mut self.ode, from + share * (to - from), &mut self.inside.y);
            for journal in &mut self.drawing.journals {
                journal.look(self.plant.journal_position(journal.contact, t, &self.inside.y));
            }
        }
        self.drawing.journals.iter_mut().all(|journal| {
            journal.look(journal.end);
            journal.is_straight()
        })
    }

    /// Orbits where a part of the last step ends; returns the time.
    fn orbits_where_it_ends(&mut self, part: Part) -> f64 {
        if part.last < self.ode.last_extent().0 {
            self.orbits_inside(part.last)
        } else {
            self.orbits_at_end()
        }
    }

    /// Orbits at the end of the last step; returns the time.
    fn orbits_at_end(&mut self) -> f64 {
        let t = self.ode.time();
        for (orbit, journal) in self.drawing.orbits.iter_mut().zip(&self.drawing.journals) {
            *orbit = self.plant.journal_position(journal.contact, t, self.ode.state());
        }
        t
    }

    /// Orbits at a place of the dense output; returns the time.
    fn orbits_inside(&mut self, theta: f64) -> f64 {
        let t = self.ode.interpolate(theta, &mut self.inside.y);
        for (orbit, journal) in self.drawing.orbits.iter_mut().zip(&self.drawing.journals) {
            *orbit = self.plant.journal_position(journal.contact, t, &self.inside.y);
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
    fn bends_and_hooks_are_seen() {
        let mut journal = Journal::new(0, 1.0);
        let mut straight = |path: [[f64; 2]; 5]| {
            journal.open(path[0], path[4]);
            path[1..].iter().for_each(|at| journal.look(*at));
            journal.is_straight()
        };
        let arc = |angle: f64| {
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|s: f64| [(s * angle).cos(), (s * angle).sin()])
        };
        // Along the wall the sag is 1 − cos of half the angle.
        assert!(straight(arc(0.08)) && !straight(arc(0.095)));
        // An impact that comes back on its own path reaches beyond its chord.
        assert!(!straight([0.0, 0.03, 0.05, 0.048, 0.04].map(|x| [x, 0.0])));
        assert!(straight([0.0, 0.02, 0.04, 0.06, 0.08].map(|x| [x, 0.0])));
        assert!(!straight([0.0, 0.1, 0.2, 0.3, 0.4].map(|x| [x, 0.0])));
        assert_eq!(distance([3.0, 4.0], [0.0, 0.0], [0.0, 0.0]), 5.0);
    }
}
