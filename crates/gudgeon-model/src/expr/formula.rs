//! Expressions that read the state: trees to formulas.
//!
//! Every place where a tree is made of pieces becomes a site of the formula, whose piece is memory of the
//! mechanism: comparisons, magnitudes, extremes, transitions, cells of tables.

use gudgeon::formula::{Curve, Formula, Outside, Place, Site, Smooth, Step, Surface};

use super::ast::{Comparison, Side};
use super::node::{Condition, Extreme, Node, Shape, Transition};

/// Writes the steps of a formula.
pub(super) struct Writer {
    formula: Formula,
    /// Registers of the inputs: quantities of the state, then the time.
    inputs: Vec<Place>,
    time: Place,
}

impl Writer {
    /// For a formula of so many quantities of the state; the time is its last input.
    pub fn new(quantities: usize) -> Self {
        let mut formula = Formula::default();
        let mut inputs: Vec<Place> =
            (0..=quantities).map(|i| formula.push(Step::Input(i as Place))).collect();
        let time = inputs.pop().unwrap_or_default();
        Self { formula, inputs, time }
    }

    pub fn finish(mut self, node: &Node) -> Formula {
        let value = self.node(node);
        // The value of a formula is its last register.
        self.formula.push(Step::Scale(1.0, value));
        self.formula
    }

    fn push(&mut self, step: Step) -> Place {
        self.formula.push(step)
    }

    fn add(&mut self, a: Place, b: Place) -> Place {
        self.push(Step::Add(a, b))
    }

    fn difference(&mut self, a: Place, b: Place) -> Place {
        let minus = self.push(Step::Scale(-1.0, b));
        self.add(a, minus)
    }

    fn node(&mut self, node: &Node) -> Place {
        match node {
            Node::Constant(value) => self.push(Step::Constant(*value)),
            Node::Open => self.push(Step::Constant(f64::NAN)),
            Node::Input(input) => self.inputs[*input],
            Node::Linear { start, rate } => self.linear(*start, *rate),
            Node::Sum { start, rate, terms } => self.sum((*start, *rate), terms),
            Node::Product { factor, factors } => self.product(*factor, factors),
            Node::Power(base, exponent) => {
                let base = self.node(base);
                self.push(Step::Power(base, *exponent))
            }
            Node::PowerOf(pair) => {
                let [base, exponent] = [self.node(&pair[0]), self.node(&pair[1])];
                self.push(Step::PowerOf(base, exponent))
            }
            Node::Smooth(function, x) => {
                let x = self.node(x);
                self.push(Step::Smooth(*function, x))
            }
            Node::Atan2(pair) => {
                let [y, x] = [self.node(&pair[0]), self.node(&pair[1])];
                self.push(Step::Atan2(y, x))
            }
            Node::Hypot(pair) => {
                let [x, y] = [self.node(&pair[0]), self.node(&pair[1])];
                self.push(Step::Hypot(x, y))
            }
            Node::Whole(pair) => {
                let x = self.node(&pair[0]);
                let site = self.formula.push_site(Site::Whole(x));
                self.push(Step::Whole(site))
            }
            Node::Magnitude(x) => {
                let x = self.node(x);
                let site = self.formula.push_site(Site::Sign(x));
                let minus = self.push(Step::Scale(-1.0, x));
                self.push(Step::Choose(site, x, minus))
            }
            Node::Extreme(extreme, items) => self.extreme(*extreme, items),
            Node::Choice(choice) => {
                let [yes, no] = [self.node(&choice.yes), self.node(&choice.no)];
                self.choose(&choice.condition, yes, no)
            }
            Node::Transition(transition) => self.transition(transition),
            Node::Table(table) => {
                let (interpolation, x, y) = table.parts();
                // As functions of time they keep their ends, or go on straight.
                let outside = match interpolation {
                    gudgeon::formula::Interpolation::Linear => Outside::Held,
                    _ => Outside::Straight,
                };
                self.formula.push_curve(Curve::new(interpolation, outside, x, y), self.time)
            }
            Node::Lookup(curve, x) => {
                let x = self.node(x);
                self.formula.push_curve(Curve::clone(curve), x)
            }
            Node::Map(surface, inputs) => {
                let at = [self.node(&inputs[0]), self.node(&inputs[1])];
                self.formula.push_surface(Surface::clone(surface), at)
            }
        }
    }

    fn linear(&mut self, start: f64, rate: f64) -> Place {
        let time = self.push(Step::Scale(rate, self.time));
        if start == 0.0 { time } else { self.push(Step::Shift(start, time)) }
    }

    fn sum(&mut self, (start, rate): (f64, f64), terms: &[(f64, Node)]) -> Place {
        let mut sum: Option<Place> = (rate != 0.0).then(|| self.push(Step::Scale(rate, self.time)));
        for (coefficient, node) in terms {
            let mut term = self.node(node);
            if *coefficient != 1.0 {
                term = self.push(Step::Scale(*coefficient, term));
            }
            sum = Some(match sum {
                None => term,
                Some(sum) => self.add(sum, term),
            });
        }
        match sum {
            None => self.push(Step::Constant(start)),
            Some(sum) if start == 0.0 => sum,
            Some(sum) => self.push(Step::Shift(start, sum)),
        }
    }

    fn product(&mut self, factor: f64, factors: &[(Side, Node)]) -> Place {
        let mut product: Option<Place> = None;
        for (side, node) in factors {
            let value = self.node(node);
            product = Some(match (product, side) {
                (None, Side::Above) => value,
                (None, Side::Below) => {
                    let one = self.push(Step::Constant(1.0));
                    self.push(Step::Divide(one, value))
                }
                (Some(product), Side::Above) => self.push(Step::Multiply(product, value)),
                (Some(product), Side::Below) => self.push(Step::Divide(product, value)),
            });
        }
        match product {
            None => self.push(Step::Constant(factor)),
            Some(product) if factor == 1.0 => product,
            Some(product) => self.push(Step::Scale(factor, product)),
        }
    }

    fn extreme(&mut self, extreme: Extreme, items: &[Node]) -> Place {
        let mut best = self.node(&items[0]);
        for item in &items[1..] {
            let item = self.node(item);
            let more = self.difference(item, best);
            let site = self.formula.push_site(Site::Sign(more));
            best = match extreme {
                Extreme::Greatest => self.push(Step::Choose(site, item, best)),
                Extreme::Least => self.push(Step::Choose(site, best, item)),
            };
        }
        best
    }

    /// One of two registers.
    fn choose(&mut self, condition: &Condition, yes: Place, no: Place) -> Place {
        match condition {
            Condition::Known(known) => {
                if *known {
                    yes
                } else {
                    no
                }
            }
            Condition::Compare(comparison, difference) => {
                let mut difference = self.node(difference);
                // A site counts zero as positive: `>` and `<=` look at it from the other side.
                if let Comparison::Greater | Comparison::LessEqual = comparison {
                    difference = self.push(Step::Scale(-1.0, difference));
                }
                let site = self.formula.push_site(Site::Sign(difference));
                match comparison {
                    Comparison::GreaterEqual | Comparison::LessEqual => {
                        self.push(Step::Choose(site, yes, no))
                    }
                    Comparison::Less | Comparison::Greater => {
                        self.push(Step::Choose(site, no, yes))
                    }
                    // The compiler refuses both.
                    Comparison::Equal => no,
                    Comparison::NotEqual => yes,
                }
            }
            Condition::All(items) => {
                items.iter().rev().fold(yes, |yes, item| self.choose(item, yes, no))
            }
            Condition::Any(items) => {
                items.iter().rev().fold(no, |no, item| self.choose(item, yes, no))
            }
            Condition::Not(inner) => self.choose(inner, no, yes),
        }
    }

    fn transition(&mut self, transition: &Transition) -> Place {
        let x = self.node(&transition.x);
        let behind = self.push(Step::Shift(-transition.from, x));
        let beyond = self.push(Step::Shift(-transition.to, x));
        let began = self.formula.push_site(Site::Sign(behind));
        let ended = self.formula.push_site(Site::Sign(beyond));
        let mut share = self.push(Step::Scale(1.0 / (transition.to - transition.from), behind));
        if let Some(shape) = match transition.shape {
            Shape::Straight => None,
            Shape::Cubic => Some(Smooth::Cubic),
            Shape::Quintic => Some(Smooth::Quintic),
        } {
            share = self.push(Step::Smooth(shape, share));
        }
        let (low, high) = (self.node(&transition.low), self.node(&transition.high));
        let rise = self.difference(high, low);
        let risen = self.push(Step::Multiply(rise, share));
        let between = self.add(low, risen);
        let late = self.push(Step::Choose(ended, high, between));
        self.push(Step::Choose(began, late, low))
    }
}
