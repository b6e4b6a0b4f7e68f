//! Functions of time with exact first and second derivatives.
//!
//! A prescribed motion enters the equations as value, rate and second rate, so a function of time
//! is evaluated to a [`Jet`]. A function made of pieces has *kinks*: times where it or one of its
//! derivatives jumps. The run stops at every kink. Between two kinks the piece is chosen by the
//! `branch` time, any instant strictly inside the interval, so that a stage evaluated exactly on a
//! kink still sees the piece its step belongs to.

use std::fmt::Debug;
use std::sync::Arc;

use crate::formula::Left;

/// How far, s, and over how many kinks a function is looked through for jumps, and what counts as one.
const HORIZON: f64 = 1e6;
const KINKS: usize = 1000;
const JUMP: f64 = 1e-9;

/// Value, first and second derivative with respect to time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet {
    pub value: f64,
    pub rate: f64,
    pub second: f64,
}

impl Jet {
    pub const fn constant(value: f64) -> Self {
        Self { value, rate: 0.0, second: 0.0 }
    }
}

/// A function of time defined outside this crate, for example by an expression in a model file.
pub trait TimeLaw: Debug + Send + Sync {
    /// Value and derivatives at `t`; pieces are chosen at the instant `branch`.
    fn jet(&self, t: f64, branch: f64) -> Jet;

    /// Adds the kinks in the open interval `(from, to)`, in any order. What is longer than a
    /// [`Self::stretch`] may have more of them, where stretches meet, and be searched too coarsely to
    /// find all: ask for one stretch after the other, as [`TimeFunction::cuts`] does.
    fn kinks(&self, from: f64, to: f64, out: &mut Vec<f64>);

    /// How far from `from` on, and at most to `to`, kinks are looked for at once: as far as that
    /// takes milliseconds.
    fn stretch(&self, _from: f64, to: f64) -> f64 {
        to
    }

    /// The table that is looked up at `t` and must not be, on the pieces of `branch`. Its ends are
    /// kinks, so that it is enough to ask once in every interval between them.
    fn left(&self, _t: f64, _branch: f64) -> Option<Left> {
        None
    }
}

/// A scalar function of time, in SI units.
#[derive(Clone, Debug)]
pub enum TimeFunction {
    Constant(f64),
    /// `start + rate · t`
    Linear {
        start: f64,
        rate: f64,
    },
    Law(Arc<dyn TimeLaw>),
}

impl TimeFunction {
    pub fn jet(&self, t: f64, branch: f64) -> Jet {
        match self {
            Self::Constant(value) => Jet::constant(*value),
            Self::Linear { start, rate } => {
                Jet { value: start + rate * t, rate: *rate, second: 0.0 }
            }
            Self::Law(law) => law.jet(t, branch),
        }
    }

    pub fn kinks(&self, from: f64, to: f64, out: &mut Vec<f64>) {
        if let Self::Law(law) = self {
            law.kinks(from, to, out);
        }
    }

    /// See [`TimeLaw::stretch`].
    pub fn stretch(&self, from: f64, to: f64) -> f64 {
        match self {
            Self::Constant(_) | Self::Linear { .. } => to,
            Self::Law(law) => law.stretch(from, to),
        }
    }

    /// See [`TimeLaw::left`].
    pub fn left(&self, t: f64, branch: f64) -> Option<Left> {
        match self {
            Self::Constant(_) | Self::Linear { .. } => None,
            Self::Law(law) => law.left(t, branch),
        }
    }

    /// Whether the function or its rate jumps anywhere, as far as its kinks can be looked through: where
    /// there are too many, it may.
    pub fn may_jump(&self) -> bool {
        if !matches!(self, Self::Law(_)) {
            return false;
        }
        let mut cuts = self.cuts(0.0, HORIZON).take(KINKS).peekable();
        let mut before = 0.0;
        while let Some(cut) = cuts.next() {
            if cut >= HORIZON {
                return false;
            }
            let Some(next) = cuts.peek() else { return true };
            let [left, right] = [before, *next].map(|other| self.jet(cut, 0.5 * (cut + other)));
            let differ = |a: f64, b: f64| (a - b).abs() > JUMP * (a.abs() + b.abs() + 1.0);
            if differ(left.value, right.value) || differ(left.rate, right.rate) {
                return true;
            }
            before = cut;
        }
        true
    }

    /// Rising instants from `from` to `to`, between which the function is smooth: its kinks and the
    /// ends of the stretches in which they are looked for, `to` as the last. They are found as they
    /// are asked for.
    pub fn cuts(&self, from: f64, to: f64) -> Cuts<'_> {
        Cuts { function: self, from, to, found: Vec::new() }
    }
}

/// See [`TimeFunction::cuts`].
#[derive(Clone, Debug)]
pub struct Cuts<'a> {
    function: &'a TimeFunction,
    /// What is still to be searched.
    from: f64,
    to: f64,
    /// Cuts of the last stretch, the next one last.
    found: Vec<f64>,
}

impl Iterator for Cuts<'_> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        if self.found.is_empty() && self.from < self.to {
            let until = self.function.stretch(self.from, self.to);
            self.function.kinks(self.from, until, &mut self.found);
            self.found.retain(|kink| *kink > self.from && *kink < until);
            self.found.push(until);
            self.found.sort_by(|a, b| b.total_cmp(a));
            self.found.dedup();
            self.from = until;
        }
        self.found.pop()
    }
}

/// The time between `low`, where `short` holds, and `high`, where it does not.
pub fn bisect(mut low: f64, mut high: f64, mut short: impl FnMut(f64) -> bool) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high;
        }
        if short(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}
