//! Smallest, largest and mean values of outputs over the measuring window.
//!
//! A step is first seen at Lobatto's nodes: its ends, which are known, and two places on the sketch. That
//! is enough for the means of most steps (`means.rs`) and to show that no record can hide between
//! (`nodes.rs`). Where it is not, the output is taken from the dense output at Kronrod's nodes, in halves
//! where these do not suffice, and records are located there. Each output decides for itself, so none
//! depends on which others are asked for. How far the sketch is off is seen in every 32nd step, which
//! is taken from both.
//!
//! An output by formula may be missing, NaN, over parts of a step. Those count neither for its extremes
//! nor for its means, which are taken over the time in which it has a value. Where the value begins and
//! ends is found by halving, down to a small part of the step; there each node speaks for its weight.

use std::borrow::Cow;

use gudgeon_dae::{Fault, Integrator};

use super::inside::Inside;
use super::maximise::{CLEARER, DEEPEST, locate};
use super::means::{Sum, TwoRules, TwoSteps};
use super::nodes::{KRONROD, LOBATTO};
use super::outputs::Outputs;
use crate::results::Extreme;
use crate::sensor::Sensor;

/// Error of a mean, as a share of the largest value, that is worth no more evaluations: this, or `LOOSE`
/// times the tolerance of the run.
const MEAN: f64 = 1e-6;
const LOOSE: f64 = 10.0;
/// A record is new when it exceeds the last by this share of the tolerance of the run.
const RECORD: f64 = 0.1;

/// Parts in which an output begins or ceases to have a value are halved so many times at most.
const NARROWEST: usize = 12;

/// Every so many steps are taken from sketch and dense output both; the error of the sketch there counts
/// for all, with a safety factor.
const SAMPLED: u64 = 32;
const SAFETY: f64 = 3.0;

pub(super) struct Extremes {
    trackers: Vec<Tracker>,
    rtol: f64,
    /// Steps seen on the sketch so far, and whether the last is one of those taken from both.
    sketches: u64,
    sampling: bool,
    /// Length in τ and s at the nodes of the step before, while the motion goes on smoothly.
    before: Option<(f64, [f64; 4])>,
    /// Time measured, and that of the steps taken from both.
    duration: f64,
    sampled: f64,
}

struct Tracker {
    name: String,
    unit: Cow<'static, str>,
    min: (f64, f64),
    max: (f64, f64),
    /// ∫ x dt, ∫ x² dt.
    integral: Sum,
    square: Sum,
    /// Time taken from the sketch, and time without a value.
    sketched: f64,
    missing: f64,
    /// Errors of the sketch in both where it was sampled.
    off: [f64; 2],
    /// Values at Lobatto's nodes of the last step and of the one before.
    last: [f64; 4],
    before: [f64; 4],
    /// Values at Kronrod's nodes of the part of the step that is looked at.
    part: [f64; 7],
    /// How often that part was halved for this output; `None` where the sketch was enough.
    depth: Option<usize>,
    /// How far the last halvings were from enough.
    unclear: [Unclear; NARROWEST + 1],
}

/// How far the nodes of a part are from enough: error of its means over the allowed one, and error of
/// the polynomial that may hide a record over its range.
#[derive(Clone, Copy, Default)]
struct Unclear {
    mean: f64,
    blur: f64,
}

impl Unclear {
    const MOST: Self = Self { mean: f64::INFINITY, blur: f64::INFINITY };
}

/// The measured part of a step: places and times of its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub places: (f64, f64),
    pub times: (f64, f64),
}

impl Part {
    pub fn duration(&self) -> f64 {
        self.times.1 - self.times.0
    }
}

/// What is needed to look into the last step.
pub(super) struct Look<'l, 'a> {
    pub inside: &'l mut Inside<'a>,
    pub ode: &'l mut Integrator,
    pub outputs: &'l Outputs<'a>,
}

impl Tracker {
    fn new(sensor: &Sensor) -> Self {
        Self {
            name: sensor.name.clone(),
            unit: sensor.unit.clone(),
            min: (f64::INFINITY, f64::NAN),
            max: (f64::NEG_INFINITY, f64::NAN),
            integral: Sum::default(),
            square: Sum::default(),
            sketched: 0.0,
            missing: 0.0,
            off: [0.0; 2],
            last: [0.0; 4],
            before: [0.0; 4],
            part: [0.0; 7],
            depth: None,
            unclear: [Unclear::default(); NARROWEST + 1],
        }
    }

    fn offer(&mut self, t: f64, value: f64) {
        if value < self.min.0 {
            self.min = (value, t);
        }
        if value > self.max.0 {
            self.max = (value, t);
        }
    }

    /// Largest absolute value so far.
    fn size(&self) -> f64 {
        self.max.0.abs().max(self.min.0.abs())
    }

    /// What the largest (`sign` 1) or minus the smallest value (−1) must exceed to be a new record.
    fn record(&self, sign: f64, rtol: f64) -> f64 {
        let record = if sign > 0.0 { self.max.0 } else { -self.min.0 };
        record + (RECORD * rtol + 4.0 * f64::EPSILON) * self.size()
    }

    /// Errors of ∫ x dt and ∫ x² dt over the allowed ones.
    fn excess(&self, [integral, square]: [Sum; 2], duration: f64, rtol: f64) -> f64 {
        let size = self.size();
        let allowed = MEAN.max(LOOSE * rtol) * duration * size;
        let over = |error: f64, allowed: f64| if error > 0.0 { error / allowed } else { 0.0 };
        over(integral.error, allowed).max(over(square.error, 2.0 * size * allowed))
    }

    fn add(&mut self, [integral, square]: [Sum; 2]) {
        self.integral.add(integral);
        self.square.add(square);
    }

    /// Takes the last step from its nodes on the sketch, where they are enough.
    fn take_sketch(&mut self, steps: &TwoSteps, duration: f64, rtol: f64) -> bool {
        if self.last.iter().all(|value| value.is_nan()) {
            self.missing += duration;
            return true;
        }
        if self.last.iter().chain(&self.before).any(|value| value.is_nan()) {
            return false;
        }
        let square = |values: [f64; 4]| values.map(|value| value * value);
        let sums = [
            steps.integral(&self.before, &self.last),
            steps.integral(&square(self.before), &square(self.last)),
        ];
        let hides = |sign: f64| {
            let values = self.last.map(|value| sign * value);
            LOBATTO.may_exceed(&values, self.record(sign, rtol)).is_some()
        };
        if self.excess(sums, duration, rtol) > 1.0 || hides(1.0) || hides(-1.0) {
            return false;
        }
        self.add(sums);
        self.sketched += duration;
        true
    }

    /// Notes how far the sketch is off in a step with both.
    fn sample_sketch_error(&mut self, duration: f64) {
        for (k, of) in [(1, 2), (2, 4)] {
            let (sketched, dense) = (self.last[k], self.part[of]);
            if sketched.is_nan() || dense.is_nan() {
                continue;
            }
            let weight = LOBATTO.weights[k] * duration;
            self.off[0] += weight * (sketched - dense).abs();
            self.off[1] += weight * (sketched * sketched - dense * dense).abs();
        }
    }

    /// Where nothing is known inside a part: the mean of its ends, with as large an error as there
    /// can be.
    fn take_ends(&mut self, duration: f64) {
        let [first, .., last] = self.part;
        let (first, last) = match [first, last].map(f64::is_nan) {
            [true, true] => {
                self.missing += duration;
                return;
            }
            [true, false] => (last, last),
            [false, true] => (first, first),
            [false, false] => (first, last),
        };
        let mean = |a: f64, b: f64| 0.5 * (a + b) * duration;
        let size = self.size();
        self.add([
            Sum { value: mean(first, last), error: size * duration },
            Sum { value: mean(first * first, last * last), error: size * size * duration },
        ]);
    }

    /// Takes a part that has a value at some of its nodes only: each of them speaks for its weight.
    fn take_nodes(&mut self, weights: &[f64; 7], duration: f64) {
        let size = self.size();
        let (mut present, mut integral, mut square) = (0.0, 0.0, 0.0);
        for (weight, value) in weights.iter().zip(self.part).filter(|(_, value)| !value.is_nan()) {
            present += weight;
            integral += weight * value;
            square += weight * value * value;
        }
        self.missing += duration - present;
        self.add([
            Sum { value: integral, error: size * duration },
            Sum { value: square, error: size * size * duration },
        ]);
    }

    fn finish(mut self, duration: f64, sampled: f64) -> Extreme {
        let duration = duration - self.missing;
        if self.min.1.is_nan() {
            (self.min.0, self.max.0) = (f64::NAN, f64::NAN);
        }
        if sampled > 0.0 {
            let share = SAFETY * self.sketched / sampled;
            self.integral.error += share * self.off[0];
            self.square.error += share * self.off[1];
        }
        let over = |x: f64| if duration > 0.0 { x / duration } else { f64::NAN };
        let rounding = f64::EPSILON * self.size();
        let (mean, square) = (over(self.integral.value), over(self.square.value));
        let lower = (square - over(self.square.error)).max(0.0).sqrt();
        Extreme {
            min: self.min.0,
            t_min: self.min.1,
            max: self.max.0,
            t_max: self.max.1,
            // Neither can lie outside what the output was; their sums may, by their errors.
            rms: if square.is_nan() { square } else { square.sqrt().min(self.size()) },
            mean: if mean.is_nan() { mean } else { mean.max(self.min.0).min(self.max.0) },
            mean_error: over(self.integral.error) + rounding,
            rms_error: square.sqrt() - lower + rounding,
            name: self.name,
            unit: self.unit,
        }
    }
}

impl Extremes {
    pub fn new(outputs: &[Sensor], rtol: f64) -> Self {
        let trackers = outputs.iter().map(Tracker::new).collect();
        Self {
            trackers,
            rtol,
            sketches: 0,
            sampling: false,
            sampled: 0.0,
            before: None,
            duration: 0.0,
        }
    }

    /// Values at one instant of the window.
    pub fn offer(&mut self, t: f64, values: &[f64]) {
        for (tracker, value) in self.trackers.iter_mut().zip(values) {
            tracker.offer(t, *value);
        }
    }

    /// The motion does not go on smoothly from the last step to the next.
    pub fn forget(&mut self) {
        self.before = None;
    }

    /// A step, or its part within the window, with the outputs at both ends.
    pub fn measure(&mut self, look: &mut Look, part: Part, ends: (&[f64], &[f64])) {
        self.duration += part.duration();
        self.offer(part.times.1, ends.1);
        self.trackers.iter_mut().for_each(|tracker| tracker.depth = Some(0));
        self.sampling = false;
        let before = self.before.take();
        if part.places.0 == 0.0
            && let Ok(now) = self.sample_sketch(look, ends)
        {
            self.sampling = self.sketches.is_multiple_of(SAMPLED);
            self.sketches += 1;
            let before = before.filter(|_| !self.sampling);
            let steps = before.and_then(|then| TwoSteps::new(now, then, part.duration()));
            for tracker in &mut self.trackers {
                if let Some(steps) = &steps
                    && tracker.take_sketch(steps, part.duration(), self.rtol)
                {
                    tracker.depth = None;
                }
                tracker.before = tracker.last;
            }
            self.before = Some(now);
        }
        if self.trackers.iter().any(|tracker| tracker.depth.is_some()) {
            for (i, tracker) in self.trackers.iter_mut().enumerate() {
                (tracker.part[0], tracker.part[6]) = (ends.0[i], ends.1[i]);
            }
            match look.ode.prepare_dense(&mut look.inside.plant) {
                Ok(()) => self.measure_part(look, part.places, 0),
                Err(_) => self.take_ends(0, part.duration()),
            }
        }
    }

    /// Outputs at Lobatto's nodes of the last step; its length in τ and s there.
    fn sample_sketch(
        &mut self,
        look: &mut Look,
        ends: (&[f64], &[f64]),
    ) -> Result<(f64, [f64; 4]), Fault> {
        let Look { inside, ode, outputs } = look;
        let (end, h) = ode.last_extent();
        let mut stretch = [1.0; 4];
        stretch[0] = inside.plant.stretch(ode.last_state());
        stretch[3] = inside.plant.stretch(ode.state());
        for (k, reading) in inside.read_nodes(outputs)?.iter().enumerate() {
            stretch[k + 1] = reading.stretch;
            for (tracker, value) in self.trackers.iter_mut().zip(&reading.values) {
                tracker.last[k + 1] = *value;
            }
        }
        for (i, tracker) in self.trackers.iter_mut().enumerate() {
            (tracker.last[0], tracker.last[3]) = (ends.0[i], ends.1[i]);
        }
        Ok((end * h, stretch))
    }

    /// The outputs that want it, over a part of the step on the dense output.
    fn measure_part(&mut self, look: &mut Look, (from, to): (f64, f64), depth: usize) {
        let place = |x: f64| from + x * (to - from);
        let (sampled, times, stretch) = self.sample_part(look, place, depth);
        let duration = times[6] - times[0];
        if !sampled {
            return self.take_ends(depth, duration);
        }
        if depth == 0 && self.sampling {
            self.sampled += duration;
            self.trackers.iter_mut().for_each(|tracker| tracker.sample_sketch_error(duration));
        }
        let rules = TwoRules::new(&stretch, duration);
        let mut halve = false;
        for i in 0..self.trackers.len() {
            let tracker = &mut self.trackers[i];
            if tracker.depth != Some(depth) {
                continue;
            }
            times.iter().zip(tracker.part).for_each(|(t, value)| tracker.offer(*t, value));
            match tracker.part.iter().filter(|value| value.is_nan()).count() {
                0 => {}
                7 => {
                    tracker.missing += duration;
                    continue;
                }
                _ if depth < NARROWEST => {
                    tracker.unclear[depth] = Unclear::MOST;
                    tracker.depth = Some(depth + 1);
                    halve = true;
                    continue;
                }
                _ => {
                    tracker.take_nodes(rules.weights(), duration);
                    continue;
                }
            }
            let sums = [tracker.part, tracker.part.map(|value| value * value)]
                .map(|values| rules.integral(&values));
            let hiding = [1.0, -1.0].map(|sign| {
                let values = tracker.part.map(|value| sign * value);
                KRONROD.may_exceed(&values, tracker.record(sign, self.rtol))
            });
            let blurs = hiding.iter().flatten().filter(|hiding| !hiding.resolved);
            let unclear = Unclear {
                mean: tracker.excess(sums, duration, self.rtol),
                blur: blurs.map(|hiding| hiding.blur).fold(0.0, f64::max),
            };
            tracker.unclear[depth] = unclear;
            let twice = if depth > 0 { tracker.unclear[depth - 1] } else { Unclear::MOST };
            if depth < DEEPEST
                && (unclear.mean > 1.0 && unclear.mean < CLEARER * twice.mean
                    || unclear.blur > 0.0 && unclear.blur < CLEARER * twice.blur)
            {
                tracker.depth = Some(depth + 1);
                halve = true;
                continue;
            }
            tracker.add(sums);
            for (sign, hiding) in [1.0, -1.0].into_iter().zip(hiding) {
                let Some(hiding) = hiding else { continue };
                let values = tracker.part.map(|value| sign * value);
                let found = locate(hiding, &values, |x| {
                    let inside = &mut look.inside;
                    let t = look.ode.interpolate(place(x), &mut inside.y);
                    inside.plant.evaluate_for(look.outputs.needs, t, &inside.y)?;
                    Ok::<f64, Fault>(sign * look.outputs.value(i, &inside.plant, t))
                });
                if let Ok((x, height)) = found {
                    let t = look.ode.interpolate(place(x), &mut look.inside.y);
                    tracker.offer(t, sign * height);
                }
            }
        }
        if halve {
            self.measure_part(look, (from, place(0.5)), depth + 1);
            self.measure_part(look, (place(0.5), to), depth + 1);
            let halved = self.trackers.iter_mut().filter(|t| t.depth == Some(depth + 1));
            halved.for_each(|tracker| tracker.depth = Some(depth));
        }
    }

    /// Outputs, times and s at Kronrod's nodes of a part, its ends first; false where an inner one
    /// cannot be evaluated. The ends of the whole are known.
    fn sample_part(
        &mut self,
        look: &mut Look,
        place: impl Fn(f64) -> f64,
        depth: usize,
    ) -> (bool, [f64; 7], [f64; 7]) {
        let Look { inside, ode, outputs } = look;
        let (mut times, mut stretch) = ([0.0; 7], [1.0; 7]);
        for k in [0, 6, 3, 1, 2, 4, 5] {
            times[k] = ode.interpolate(place(KRONROD.places[k]), &mut inside.y);
            stretch[k] = inside.plant.stretch(&inside.y);
            if depth == 0 && (k == 0 || k == 6) {
                continue;
            }
            if inside.plant.evaluate_for(outputs.needs, times[k], &inside.y).is_err() {
                return (false, times, stretch);
            }
            for (i, tracker) in self.trackers.iter_mut().enumerate() {
                if tracker.depth == Some(depth) {
                    tracker.part[k] = outputs.value(i, &inside.plant, times[k]);
                }
            }
        }
        (true, times, stretch)
    }

    fn take_ends(&mut self, depth: usize, duration: f64) {
        let wanting = self.trackers.iter_mut().filter(|tracker| tracker.depth == Some(depth));
        wanting.for_each(|tracker| tracker.take_ends(duration));
    }

    pub fn finish(self) -> Vec<Extreme> {
        let (duration, sampled) = (self.duration, self.sampled);
        self.trackers.into_iter().map(|tracker| tracker.finish(duration, sampled)).collect()
    }
}
