//! Compiled expressions: trees over the time that evaluate to jets without allocating.
//!
//! [`Node::sum`] and [`Node::product`] fold constants and keep linear functions linear. A node of
//! pieces (choice, extreme, magnitude, transition, table) takes its piece at the branch time and
//! continues that piece to the time asked for.

use std::sync::Arc;

use gudgeon::formula::{Curve, Left, Smooth, Surface};
use gudgeon::time::Jet;

use super::ast::{Comparison, Side};
use super::jet;
use super::table::Table;

#[derive(Clone, Debug)]
pub(super) enum Node {
    Constant(f64),
    /// A value that is not known yet: only its dimension counts.
    Open,
    /// A quantity of the state, by its number: only formulas have them.
    Input(usize),
    /// start + rate · t
    Linear {
        start: f64,
        rate: f64,
    },
    /// start + rate · t + Σ coefficient · node
    Sum {
        start: f64,
        rate: f64,
        terms: Box<[(f64, Node)]>,
    },
    /// factor · Π node^(±1)
    Product {
        factor: f64,
        factors: Box<[(Side, Node)]>,
    },
    Power(Box<Node>, f64),
    PowerOf(Box<[Node; 2]>),
    Smooth(Smooth, Box<Node>),
    /// y, x
    Atan2(Box<[Node; 2]>),
    /// x, y
    Hypot(Box<[Node; 2]>),
    /// The whole part of the first; the second is sin(πx) of it, which is zero where it changes.
    Whole(Box<[Node; 2]>),
    Magnitude(Box<Node>),
    Extreme(Extreme, Box<[Node]>),
    Choice(Box<Choice>),
    Transition(Box<Transition>),
    Table(Box<Table>),
    /// A curve at a value.
    Lookup(Arc<Curve>, Box<Node>),
    /// A surface over two values: only formulas have them.
    Map(Arc<Surface>, Box<[Node; 2]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extreme {
    Least,
    Greatest,
}

#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub condition: Condition,
    pub yes: Node,
    pub no: Node,
}

#[derive(Clone, Debug)]
pub(super) enum Condition {
    Known(bool),
    /// Of left − right.
    Compare(Comparison, Node),
    All(Box<[Condition]>),
    Any(Box<[Condition]>),
    Not(Box<Condition>),
}

/// From `low` to `high` while `x` goes from `from` to `to`.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    pub shape: Shape,
    pub x: Node,
    pub from: f64,
    pub to: f64,
    pub low: Node,
    pub high: Node,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Straight,
    /// s²(3 − 2s): value and rate are continuous at both ends.
    Cubic,
    /// s³(10 − 15s + 6s²): value, rate and second rate are continuous at both ends.
    Quintic,
}

impl Node {
    pub fn constant(&self) -> Option<f64> {
        match self {
            Self::Constant(value) => Some(*value),
            _ => None,
        }
    }

    pub fn linear(start: f64, rate: f64) -> Self {
        if rate == 0.0 { Self::Constant(start) } else { Self::Linear { start, rate } }
    }

    pub fn sum(items: impl IntoIterator<Item = (f64, Node)>) -> Self {
        let (mut start, mut rate, mut terms) = (0.0, 0.0, Vec::new());
        for (coefficient, node) in items {
            match node {
                Self::Constant(value) => start += coefficient * value,
                Self::Linear { start: s, rate: r } => {
                    start += coefficient * s;
                    rate += coefficient * r;
                }
                node => terms.push((coefficient, node)),
            }
        }
        if terms.is_empty() {
            return Self::linear(start, rate);
        }
        Self::Sum { start, rate, terms: terms.into() }
    }

    pub fn product(items: impl IntoIterator<Item = (Side, Node)>) -> Self {
        let (mut factor, mut factors) = (1.0, Vec::new());
        for (side, node) in items {
            match (side, node) {
                (Side::Above, Self::Constant(value)) => factor *= value,
                (Side::Below, Self::Constant(value)) => factor /= value,
                pair => factors.push(pair),
            }
        }
        if factors.is_empty() || factor == 0.0 {
            return Self::Constant(factor);
        }
        if let [(Side::Above, Self::Linear { start, rate })] = factors[..] {
            return Self::linear(factor * start, factor * rate);
        }
        Self::Product { factor, factors: factors.into() }
    }

    /// The whole part of a node.
    pub fn whole(x: Node) -> Self {
        if let Self::Constant(value) = x {
            return Self::Constant(value.floor());
        }
        let pi = Self::Constant(std::f64::consts::PI);
        let phase = Self::product([(Side::Above, pi), (Side::Above, x.clone())]);
        Self::Whole(Box::new([x, Self::Smooth(Smooth::Sin, Box::new(phase))]))
    }

    /// Value and derivatives at `t`, on the pieces that hold at `branch`.
    pub fn jet(&self, t: f64, branch: f64) -> Jet {
        self.jets([t, branch])[0]
    }

    pub fn value(&self, t: f64) -> f64 {
        self.jets([t])[0].value
    }

    /// Jets at several times, all on the pieces that hold at the last of them. Visiting a node once
    /// for both times keeps nested pieces from being evaluated again at every level.
    fn jets<const N: usize>(&self, times: [f64; N]) -> [Jet; N] {
        match self {
            Self::Constant(value) => [Jet::constant(*value); N],
            Self::Open | Self::Input(_) | Self::Map(..) => [Jet::constant(f64::NAN); N],
            Self::Linear { start, rate } => times.map(|t| linear(*start, *rate, t)),
            Self::Sum { start, rate, terms } => {
                let sum = times.map(|t| linear(*start, *rate, t));
                terms.iter().fold(sum, |sum, (coefficient, node)| {
                    let term = node.jets(times);
                    zip(sum, term, |sum, term| jet::plus(sum, jet::scale(*coefficient, term)))
                })
            }
            Self::Product { factor, factors } => {
                let product = [Jet::constant(*factor); N];
                factors.iter().fold(product, |product, (side, node)| match side {
                    Side::Above => zip(product, node.jets(times), jet::times),
                    Side::Below => zip(product, node.jets(times), jet::divide),
                })
            }
            Self::Power(base, exponent) => base.jets(times).map(|base| jet::power(base, *exponent)),
            Self::PowerOf(pair) => zip(pair[0].jets(times), pair[1].jets(times), jet::power_of),
            Self::Smooth(function, x) => {
                x.jets(times).map(|x| jet::chain(x, function.derivatives(x.value)))
            }
            Self::Atan2(pair) => zip(pair[0].jets(times), pair[1].jets(times), jet::atan2),
            Self::Hypot(pair) => zip(pair[0].jets(times), pair[1].jets(times), jet::hypot),
            Self::Whole(pair) => [Jet::constant(pair[0].jets(times)[N - 1].value.floor()); N],
            Self::Magnitude(x) => {
                let x = x.jets(times);
                let sign = if side(&x) < 0.0 { -1.0 } else { 1.0 };
                x.map(|x| jet::scale(sign, x))
            }
            Self::Extreme(extreme, items) => extreme.jets(items, times),
            Self::Choice(choice) => {
                let holds = choice.condition.holds(times[N - 1]);
                if holds { choice.yes.jets(times) } else { choice.no.jets(times) }
            }
            Self::Transition(transition) => transition.jets(times),
            Self::Table(table) => times.map(|t| table.jet(t, times[N - 1])),
            Self::Lookup(curve, x) => {
                let x = x.jets(times);
                let cell = curve.cell(x[N - 1].value);
                x.map(|x| jet::chain(x, curve.derivatives(x.value, cell)))
            }
        }
    }

    /// Whether a surface is among its parts.
    pub fn has_map(&self) -> bool {
        let mut found = matches!(self, Self::Map(..));
        self.each_part(&mut |part| found |= part.has_map());
        found
    }

    /// The first table that must not be left and was, among those that the value at `t` follows from.
    pub fn left(&self, t: f64, branch: f64) -> Option<Left> {
        if let Self::Lookup(curve, x) = self {
            let [now, there] = x.jets([t, branch]);
            return curve
                .knots()
                .left(curve.cell(there.value), now.value)
                .or_else(|| x.left(t, branch));
        }
        let mut left = None;
        self.each_live_part(branch, &mut |part| {
            if left.is_none() {
                left = part.left(t, branch);
            }
        });
        left
    }

    /// Visits the parts that the value follows from at the branch time.
    fn each_live_part(&self, branch: f64, visit: &mut dyn FnMut(&Node)) {
        match self {
            Self::Choice(choice) => {
                choice.condition.each_part(visit);
                visit(if choice.condition.holds(branch) { &choice.yes } else { &choice.no });
            }
            Self::Transition(transition) => {
                visit(&transition.x);
                let x = transition.x.value(branch);
                if x < transition.to {
                    visit(&transition.low);
                }
                if x > transition.from {
                    visit(&transition.high);
                }
            }
            _ => self.each_part(visit),
        }
    }
}

fn linear(start: f64, rate: f64, t: f64) -> Jet {
    Jet { value: start + rate * t, rate, second: 0.0 }
}

fn zip<const N: usize>(a: [Jet; N], b: [Jet; N], combine: impl Fn(Jet, Jet) -> Jet) -> [Jet; N] {
    std::array::from_fn(|i| combine(a[i], b[i]))
}

/// On which side of zero a function lies around the branch time. It may touch zero there without
/// crossing it; then its curvature tells. At a crossing there is a kink, and no branch time.
fn side<const N: usize>(jets: &[Jet; N]) -> f64 {
    let at_branch = jets[N - 1];
    if at_branch.value == 0.0 { at_branch.second } else { at_branch.value }
}

fn above<const N: usize>(jets: [Jet; N], level: f64) -> [Jet; N] {
    jets.map(|jet| Jet { value: jet.value - level, ..jet })
}

impl Extreme {
    /// Whether `a` wins over `b`.
    pub fn prefers(self, a: f64, b: f64) -> bool {
        match self {
            Self::Least => a < b,
            Self::Greatest => a > b,
        }
    }

    fn jets<const N: usize>(self, items: &[Node], times: [f64; N]) -> [Jet; N] {
        let mut best = items[0].jets(times);
        for item in &items[1..] {
            let jets = item.jets(times);
            if self.prefers(side(&zip(jets, best, jet::minus)), 0.0) {
                best = jets;
            }
        }
        best
    }
}

impl Condition {
    pub fn holds(&self, t: f64) -> bool {
        match self {
            Self::Known(known) => *known,
            Self::Compare(comparison, difference) => comparison.holds(side(&difference.jets([t]))),
            Self::All(items) => items.iter().all(|item| item.holds(t)),
            Self::Any(items) => items.iter().any(|item| item.holds(t)),
            Self::Not(inner) => !inner.holds(t),
        }
    }
}

impl Transition {
    fn jets<const N: usize>(&self, times: [f64; N]) -> [Jet; N] {
        let x = self.x.jets(times);
        if side(&above(x, self.from)) <= 0.0 {
            return self.low.jets(times);
        }
        if side(&above(x, self.to)) >= 0.0 {
            return self.high.jets(times);
        }
        let share = x.map(|x| {
            let behind = jet::minus(x, Jet::constant(self.from));
            let s = jet::scale(1.0 / (self.to - self.from), behind);
            jet::chain(s, self.shape.derivatives(s.value))
        });
        let (low, high) = (self.low.jets(times), self.high.jets(times));
        let rise = zip(high, low, jet::minus);
        zip(low, zip(rise, share, jet::times), jet::plus)
    }
}

impl Shape {
    fn derivatives(self, s: f64) -> [f64; 3] {
        match self {
            Self::Straight => [s, 1.0, 0.0],
            Self::Cubic => Smooth::Cubic.derivatives(s),
            Self::Quintic => Smooth::Quintic.derivatives(s),
        }
    }
}
