//! Where the pieces of a function of time meet.
//!
//! Tables know their times, and conditions on linear functions are solved directly. Any other
//! switching function g is searched between the kinks found so far inside it, where it is smooth:
//! the interval is cut into cells short against the periods of its sines, a change of sign in a
//! cell is bisected, and a cell in which g only dips towards zero is cut at its extremum first, so
//! that two crossings in one cell are found as well.

use std::f64::consts::PI;

use gudgeon::formula::{Knots, Left, Outside, Smooth};
use gudgeon::time::{Jet, TimeLaw};

use super::jet;
use super::node::{Condition, Node};

/// Cells of an interval without oscillation.
const CELLS: f64 = 256.0;
/// Cells for each half turn of the argument of a sine.
const CELLS_PER_SWING: f64 = 8.0;
/// An interval with more cells is searched stretch by stretch, each a half, a quarter, … of it. Where
/// the last halving still has more, nothing could follow them, and so many cells are a sample.
const MAX_CELLS: f64 = 65_536.0;
const SAMPLE: f64 = 1024.0;
const HALVINGS: i32 = 14;
/// Stretches that are searched at one request; what is left is searched as one.
const STRETCHES: usize = 16;

/// An expression as a function of time.
#[derive(Debug)]
pub(super) struct Law {
    node: Node,
}

impl Law {
    pub fn new(node: Node) -> Self {
        Self { node }
    }
}

impl Law {
    /// Adds the kinks of a stretch.
    fn search(&self, from: f64, to: f64, out: &mut Vec<f64>) {
        let search = Search { from, to };
        let mut found = Vec::new();
        search.node(&self.node, &mut found);
        search.tidy(&mut found);
        let rounding = search.rounding();
        out.extend(found.into_iter().filter(|t| t - from > rounding && to - t > rounding));
    }
}

impl TimeLaw for Law {
    fn jet(&self, t: f64, branch: f64) -> Jet {
        self.node.jet(t, branch)
    }

    /// Costs a search over the interval: ask once for a stretch, not for every step.
    fn kinks(&self, from: f64, to: f64, out: &mut Vec<f64>) {
        if !(from.is_finite() && to.is_finite() && from < to) {
            return;
        }
        let mut at = from;
        for _ in 1..STRETCHES {
            let until = self.stretch(at, to);
            if until >= to {
                break;
            }
            self.search(at, until, out);
            out.push(until); // a kink right there is in neither stretch
            at = until;
        }
        self.search(at, to, out);
    }

    fn left(&self, t: f64, branch: f64) -> Option<Left> {
        self.node.left(t, branch)
    }

    fn stretch(&self, from: f64, to: f64) -> f64 {
        if !(from.is_finite() && to.is_finite() && from < to) {
            return to;
        }
        let part = |halvings: i32| from + (to - from) * 0.5_f64.powi(halvings);
        let is_short = |until: &f64| {
            let search = Search { from, to: *until };
            wanted_cells(search.demand(&self.node)).is_some()
        };
        let found = (0..HALVINGS).map(part).find(is_short).unwrap_or_else(|| part(HALVINGS));
        if found > from { found } else { to }
    }
}

struct Search {
    from: f64,
    to: f64,
}

impl Search {
    /// Times closer than this are one.
    fn rounding(&self) -> f64 {
        8.0 * f64::EPSILON * self.from.abs().max(self.to.abs())
    }

    /// Sorts and merges what differs by rounding only.
    fn tidy(&self, found: &mut Vec<f64>) {
        let rounding = self.rounding();
        found.sort_by(f64::total_cmp);
        found.dedup_by(|next, kept| *next - *kept <= rounding);
    }

    fn push(&self, t: f64, found: &mut Vec<f64>) {
        if t > self.from && t < self.to {
            found.push(t);
        }
    }

    /// Adds the kinks of `node`, those of its parts first.
    fn node(&self, node: &Node, found: &mut Vec<f64>) {
        let inner = found.len();
        node.each_part(&mut |part| self.node(part, found));
        match node {
            Node::Magnitude(x) => self.crossings(&[(1.0, x)], 0.0, inner, found),
            Node::Extreme(_, items) => {
                for (i, a) in items.iter().enumerate() {
                    for b in &items[i + 1..] {
                        self.crossings(&[(1.0, a), (-1.0, b)], 0.0, inner, found);
                    }
                }
            }
            Node::Whole(pair) => self.crossings(&[(1.0, &pair[1])], 0.0, inner, found),
            Node::Choice(choice) => self.condition(&choice.condition, inner, found),
            Node::Transition(transition) => {
                for level in [transition.from, transition.to] {
                    self.crossings(&[(1.0, &transition.x)], level, inner, found);
                }
            }
            Node::Table(table) => table.times().iter().for_each(|t| self.push(*t, found)),
            Node::Lookup(curve, x) => self.passes(curve.knots(), x, inner, found),
            _ => {}
        }
    }

    /// Adds the times where `x` passes a knot. `found[inner..]` holds the kinks of `x`; between them it is
    /// smooth, and between its turning points it passes every knot on its way once.
    /// More of them than cells are left out: nothing could follow them.
    fn passes(&self, knots: &Knots, x: &Node, inner: usize, found: &mut Vec<f64>) {
        if self.passed(knots, x) > MAX_CELLS {
            return;
        }
        if let Some((start, rate)) = as_linear(&[(1.0, x)]) {
            let (a, b) = (start + rate * self.from, start + rate * self.to);
            knots.between(a, b, |level| self.push((level - start) / rate, found));
            return;
        }
        let mut ends = found[inner..].to_vec();
        ends.push(self.from);
        ends.push(self.to);
        self.tidy(&mut ends);
        let cells = wanted_cells(self.phase(x)).unwrap_or(SAMPLE) / (self.to - self.from);
        for pair in ends.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let count = ((b - a) * cells).ceil().max(4.0);
            let at = |i: f64| if i == count { b } else { a + (b - a) * (i / count) };
            for i in 0..count as usize {
                let (from, to) = (at(i as f64), at(i as f64 + 1.0));
                let cell = Cell { from, to, g: &|t: f64, branch: f64| x.jet(t, branch) };
                cell.passes(knots, |t| self.push(t, found));
            }
        }
    }

    /// About so many knots are passed by `x`.
    fn passed(&self, knots: &Knots, x: &Node) -> f64 {
        let inside = |x: f64| match knots.outside {
            Outside::Periodic => x,
            _ => x.clamp(knots.first(), knots.last()),
        };
        let length = self.to - self.from;
        let way: f64 = match as_linear(&[(1.0, x)]) {
            Some((start, rate)) => {
                (inside(start + rate * self.to) - inside(start + rate * self.from)).abs()
            }
            None => {
                let count = wanted_cells(self.phase(x)).unwrap_or(SAMPLE);
                let value = |i: usize| inside(x.value(self.from + length * (i as f64 / count)));
                let steps = (0..count as usize).map(|i| (value(i + 1) - value(i)).abs());
                steps.filter(|step| step.is_finite()).sum()
            }
        };
        way * (knots.points().len() - 1) as f64 / knots.period()
    }

    /// Adds the times where a comparison in `condition` may change.
    fn condition(&self, condition: &Condition, inner: usize, found: &mut Vec<f64>) {
        match condition {
            Condition::Known(_) => {}
            Condition::Compare(_, difference) => {
                self.crossings(&[(1.0, difference)], 0.0, inner, found);
            }
            Condition::All(items) | Condition::Any(items) => {
                items.iter().for_each(|item| self.condition(item, inner, found));
            }
            Condition::Not(condition) => self.condition(condition, inner, found),
        }
    }

    /// Adds the times where Σ coefficient · node crosses `level`. `found[inner..]` holds the kinks
    /// of the nodes; between them the sum is smooth.
    fn crossings(&self, sum: &[(f64, &Node)], level: f64, inner: usize, found: &mut Vec<f64>) {
        if let Some((start, rate)) = as_linear(sum) {
            return self.push((level - start) / rate, found);
        }
        let g = |t: f64, branch: f64| {
            sum.iter().fold(Jet::constant(-level), |sum, (coefficient, node)| {
                jet::plus(sum, jet::scale(*coefficient, node.jet(t, branch)))
            })
        };
        let mut ends = found[inner..].to_vec();
        ends.push(self.from);
        ends.push(self.to);
        self.tidy(&mut ends);
        let phase: f64 = sum.iter().map(|(_, node)| self.phase(node)).sum();
        let cells = wanted_cells(phase).unwrap_or(SAMPLE) / (self.to - self.from);
        for pair in ends.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let count = ((b - a) * cells).ceil().max(4.0);
            let at = |i: f64| if i == count { b } else { a + (b - a) * (i / count) };
            for i in 0..count as usize {
                let cell = Cell { from: at(i as f64), to: at(i as f64 + 1.0), g: &g };
                cell.roots(|t| self.push(t, found));
            }
        }
    }

    /// The largest [`Self::phase`] of a switching function inside a node.
    fn demand(&self, node: &Node) -> f64 {
        let mut most = match node {
            Node::Magnitude(x) => self.phase(x),
            Node::Extreme(_, items) => {
                let mut phases: Vec<f64> = items.iter().map(|item| self.phase(item)).collect();
                phases.sort_by(|a, b| b.total_cmp(a));
                phases.iter().take(2).sum()
            }
            Node::Choice(choice) => self.demand_of(&choice.condition),
            Node::Transition(transition) => self.phase(&transition.x),
            Node::Whole(pair) => self.phase(&pair[1]),
            Node::Lookup(curve, x) => {
                let swings = self.passed(curve.knots(), x) / CELLS_PER_SWING;
                self.phase(x).max(swings * PI)
            }
            _ => 0.0,
        };
        node.each_part(&mut |part| most = most.max(self.demand(part)));
        most
    }

    fn demand_of(&self, condition: &Condition) -> f64 {
        let most =
            |items: &[Condition]| items.iter().map(|item| self.demand_of(item)).fold(0.0, f64::max);
        match condition {
            Condition::Known(_) => 0.0,
            Condition::Compare(_, difference) => self.phase(difference),
            Condition::All(items) | Condition::Any(items) => most(items),
            Condition::Not(condition) => self.demand_of(condition),
        }
    }

    /// The angle the sines inside a node run through, summed; infinite where that takes too long to
    /// find out.
    fn phase(&self, node: &Node) -> f64 {
        let mut phase = 0.0;
        node.each_part(&mut |part| phase += self.phase(part));
        let Node::Smooth(Smooth::Sin | Smooth::Cos | Smooth::Tan, x) = node else { return phase };
        let length = self.to - self.from;
        if let Node::Linear { rate, .. } = **x {
            return phase + rate.abs() * length;
        }
        let Some(count) = wanted_cells(phase) else { return f64::INFINITY };
        let value = |i: usize| x.value(self.from + length * (i as f64 / count));
        let steps = (0..count as usize).map(|i| (value(i + 1) - value(i)).abs());
        phase + steps.filter(|step| step.is_finite()).sum::<f64>()
    }
}

/// Cells for sines that run through this angle, unless these are too many.
fn wanted_cells(phase: f64) -> Option<f64> {
    let cells = (CELLS + CELLS_PER_SWING * phase / PI).ceil();
    (cells <= MAX_CELLS).then_some(cells)
}

fn as_linear(sum: &[(f64, &Node)]) -> Option<(f64, f64)> {
    sum.iter().try_fold((0.0, 0.0), |(start, rate), (coefficient, node)| match node {
        Node::Constant(value) => Some((start + coefficient * value, rate)),
        Node::Linear { start: s, rate: r } => {
            Some((start + coefficient * s, rate + coefficient * r))
        }
        _ => None,
    })
}

/// A short interval in which g is smooth and bends little.
struct Cell<'a, G> {
    from: f64,
    to: f64,
    g: &'a G,
}

impl<G: Fn(f64, f64) -> Jet> Cell<'_, G> {
    fn at(&self, t: f64) -> Jet {
        (self.g)(t, 0.5 * (self.from + self.to))
    }

    fn roots(&self, mut push: impl FnMut(f64)) {
        let inside = 1e-6 * (self.to - self.from);
        let (mut from, mut to) = (self.from, self.to);
        let (mut a, mut b) = (self.at(from), self.at(to));
        // A root at an end is taken as such, and the search goes on inside it.
        if a.value == 0.0 {
            (from, a) = (from + inside, self.at(from + inside));
            if a.value != 0.0 {
                push(self.from);
            }
        }
        if b.value == 0.0 {
            (to, b) = (to - inside, self.at(to - inside));
            if b.value != 0.0 {
                push(self.to);
            }
        }
        if a.value * b.value < 0.0 {
            push(self.bisect(from, to, |jet| jet.value));
        } else if a.value * a.rate < 0.0 && b.value * b.rate > 0.0 {
            let dip = self.bisect(from, to, |jet| jet.rate);
            if self.at(dip).value * a.value < 0.0 {
                push(self.bisect(from, dip, |jet| jet.value));
                push(self.bisect(dip, to, |jet| jet.value));
            }
        }
    }

    /// The times where g passes a knot.
    fn passes(&self, knots: &Knots, mut push: impl FnMut(f64)) {
        let (a, b) = (self.at(self.from), self.at(self.to));
        let turns = a.rate * b.rate < 0.0;
        let turn = turns.then(|| self.bisect(self.from, self.to, |jet| jet.rate));
        let ends = [Some(self.from), turn, Some(self.to)];
        let ends: Vec<f64> = ends.into_iter().flatten().collect();
        for pair in ends.windows(2) {
            let (from, to) = (self.at(pair[0]).value, self.at(pair[1]).value);
            knots.between(from, to, |level| {
                push(self.bisect(pair[0], pair[1], |jet| jet.value - level));
            });
        }
    }

    /// Where `f` changes its sign between `low` and `high`, to the last bit.
    fn bisect(&self, mut low: f64, mut high: f64, f: impl Fn(Jet) -> f64) -> f64 {
        let below = f(self.at(low)) < 0.0;
        for _ in 0..100 {
            let middle = low + 0.5 * (high - low);
            if middle <= low || middle >= high {
                break;
            }
            if (f(self.at(middle)) < 0.0) == below { low = middle } else { high = middle }
        }
        high
    }
}

impl Node {
    /// Visits the nodes directly inside this one.
    pub fn each_part(&self, visit: &mut dyn FnMut(&Node)) {
        match self {
            Self::Constant(_)
            | Self::Open
            | Self::Input(_)
            | Self::Linear { .. }
            | Self::Table(_) => {}
            Self::Sum { terms, .. } => terms.iter().for_each(|(_, node)| visit(node)),
            Self::Product { factors, .. } => factors.iter().for_each(|(_, node)| visit(node)),
            Self::Power(node, _)
            | Self::Smooth(_, node)
            | Self::Magnitude(node)
            | Self::Lookup(_, node) => visit(node),
            Self::Map(_, pair) => pair.iter().for_each(visit),
            Self::PowerOf(pair) | Self::Atan2(pair) | Self::Hypot(pair) | Self::Whole(pair) => {
                pair.iter().for_each(visit)
            }
            Self::Extreme(_, items) => items.iter().for_each(visit),
            Self::Choice(choice) => {
                choice.condition.each_part(visit);
                visit(&choice.yes);
                visit(&choice.no);
            }
            Self::Transition(transition) => {
                visit(&transition.x);
                visit(&transition.low);
                visit(&transition.high);
            }
        }
    }
}

impl Condition {
    pub fn each_part(&self, visit: &mut dyn FnMut(&Node)) {
        match self {
            Self::Known(_) => {}
            Self::Compare(_, difference) => visit(difference),
            Self::All(items) | Self::Any(items) => {
                items.iter().for_each(|item| item.each_part(visit));
            }
            Self::Not(condition) => condition.each_part(visit),
        }
    }
}
