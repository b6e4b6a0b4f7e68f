//! Tree to node: names looked up, dimensions checked, constants folded.

use std::ops::Range;

use super::ast::{Ast, AstKind, Comparison, Function, Interpolation, Side, Sign};
use super::dimensions::{Typed, common};
use super::node::{Condition, Node};
use super::table::Table;
use super::{ExprError, Scope};
use crate::diagnostic::nearest;
use crate::units::{Dimension, Ratio, is_unit_name};

pub(super) struct Compiler<'a> {
    pub scope: &'a dyn Scope,
    /// Inside a branch that is never taken, where values need not exist.
    pub dormant: bool,
    /// Parameters have a dimension, but no value yet.
    pub open: bool,
}

impl<'a> Compiler<'a> {
    pub fn new(scope: &'a dyn Scope) -> Self {
        Self { scope, dormant: false, open: false }
    }

    /// A compiler that checks dimensions only.
    pub fn open(scope: &'a dyn Scope) -> Self {
        Self { open: true, ..Self::new(scope) }
    }

    pub fn value(&mut self, ast: &Ast) -> Result<Typed, ExprError> {
        let range = ast.range.clone();
        let typed = match &ast.kind {
            AstKind::Value(quantity) => {
                Typed::new(Node::Constant(quantity.value), quantity.dimension)
            }
            AstKind::Name(name) => self.parameter(name, range.clone())?,
            AstKind::Quantity(name) => self.quantity(name, range.clone())?,
            AstKind::Time => Typed::new(Node::linear(0.0, 1.0), Dimension::TIME),
            AstKind::Sum(terms) => self.sum(terms)?,
            AstKind::Product(factors) => self.product(factors)?,
            AstKind::Power(pair) => self.power(&pair[0], &pair[1], range.clone())?,
            AstKind::Call(function, arguments) => self.call(*function, arguments, range.clone())?,
            AstKind::Table(interpolation, lists) => {
                self.table(*interpolation, &lists[0], &lists[1], range.clone())?
            }
            AstKind::Lookup(lookup) => self.lookup(lookup, range.clone())?,
            AstKind::Hertz(radii, materials) => self.hertz(radii, materials)?,
            AstKind::Compare(..) | AstKind::All(_) | AstKind::Any(_) | AstKind::Not(_) => {
                return Err(ExprError::new(range, "expected a value, found a condition")
                    .with_help("write `if(condition, a, b)`"));
            }
        };
        self.finite(typed, range, "the value of this is not finite")
    }

    /// Refuses constants that are infinite or undefined.
    pub fn finite(
        &self,
        typed: Typed,
        range: Range<usize>,
        message: &str,
    ) -> Result<Typed, ExprError> {
        let finite = match typed.node {
            Node::Constant(value) => value.is_finite(),
            Node::Linear { start, rate } | Node::Sum { start, rate, .. } => {
                start.is_finite() && rate.is_finite()
            }
            Node::Product { factor, .. } => factor.is_finite(),
            _ => true,
        };
        if finite || self.dormant { Ok(typed) } else { Err(ExprError::new(range, message)) }
    }

    fn parameter(&self, name: &str, range: Range<usize>) -> Result<Typed, ExprError> {
        if let Some((input, dimension)) = self.scope.quantity(name) {
            let node = if self.open { Node::Open } else { Node::Input(input) };
            return Ok(Typed::new(node, dimension));
        }
        if let Some(found) = self.scope.parameter(name) {
            let node = if self.open { Node::Open } else { Node::Constant(found.value) };
            return Ok(Typed::new(node, found.dimension));
        }
        if self.scope.quantity(name).is_some() {
            return self.quantity(name, range);
        }
        let error = ExprError::new(range, format!("unknown parameter `{name}`"));
        if self.scope.material(name).is_some() {
            return Err(error.with_help(format!("`{name}` is a material: use it in `hertz`")));
        }
        if let Some(function) = Function::find(name) {
            return Err(error.with_help(format!("the function is written `{}`", function.usage())));
        }
        if is_unit_name(name) {
            return Err(error.with_help(format!("the unit stands behind a number: `1 {name}`")));
        }
        let names = self.scope.names();
        Err(match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => error.with_help(format!("did you mean `{near}`?")),
            None => error.with_help("add it to [parameters]"),
        })
    }

    fn quantity(&self, name: &str, range: Range<usize>) -> Result<Typed, ExprError> {
        let Some((input, dimension)) = self.scope.quantity(name) else {
            let message = format!("`{name}` is a quantity of the motion and has no value here");
            return Err(ExprError::new(range, message).with_help(
                "loads, springs and dampers may follow the motion; give a constant or a function of time here",
            ));
        };
        let node = if self.open { Node::Open } else { Node::Input(input) };
        Ok(Typed::new(node, dimension))
    }

    fn values(&mut self, items: &[Ast]) -> Result<Vec<Typed>, ExprError> {
        items.iter().map(|item| self.value(item)).collect()
    }

    /// The values of all items and the dimension they share.
    pub fn alike(&mut self, items: &[Ast]) -> Result<(Vec<Node>, Dimension), ExprError> {
        let typed = self.values(items)?;
        let ranges = items.iter().map(|item| item.range.clone());
        let dimension = common(typed.iter().zip(ranges))?;
        Ok((typed.into_iter().map(|typed| typed.node).collect(), dimension))
    }

    fn sum(&mut self, terms: &[(Sign, Ast)]) -> Result<Typed, ExprError> {
        let mut typed = Vec::with_capacity(terms.len());
        for (_, ast) in terms {
            typed.push(self.value(ast)?);
        }
        let ranges = terms.iter().map(|(_, ast)| ast.range.clone());
        let dimension = common(typed.iter().zip(ranges))?;
        let signs = terms.iter().map(|(sign, _)| if *sign == Sign::Plus { 1.0 } else { -1.0 });
        let node = Node::sum(signs.zip(typed.into_iter().map(|typed| typed.node)));
        Ok(Typed::new(node, dimension))
    }

    fn product(&mut self, factors: &[(Side, Ast)]) -> Result<Typed, ExprError> {
        let mut dimension = Dimension::NUMBER;
        let mut nodes = Vec::with_capacity(factors.len());
        for (side, ast) in factors {
            let typed = self.value(ast)?;
            if *side == Side::Below && typed.constant() == Some(0.0) && !self.dormant {
                return Err(ExprError::new(ast.range.clone(), "division by zero"));
            }
            dimension = match side {
                Side::Above => dimension.checked_mul(typed.dimension),
                Side::Below => dimension.checked_div(typed.dimension),
            }
            .ok_or_else(|| out_of_range(ast.range.clone()))?;
            nodes.push((*side, typed.node));
        }
        Ok(Typed::new(Node::product(nodes), dimension))
    }

    fn power(&mut self, base: &Ast, by: &Ast, range: Range<usize>) -> Result<Typed, ExprError> {
        let exponent = self.value(by)?.expect(Dimension::NUMBER, by.range.clone())?.node;
        let base = self.value(base)?;
        let Some(n) = exponent.constant() else {
            let base = base.expect(Dimension::NUMBER, range)?.node;
            return Ok(Typed::new(Node::PowerOf(Box::new([base, exponent])), Dimension::NUMBER));
        };
        let dimension = if base.dimension.is_number() {
            Some(Dimension::NUMBER)
        } else {
            Ratio::approximate(n).and_then(|n| base.dimension.checked_pow(n))
        };
        let dimension = dimension.ok_or_else(|| out_of_range(by.range.clone()))?;
        let node = match base.node {
            Node::Constant(value) => Node::Constant(value.powf(n)),
            _ if n == 0.0 => Node::Constant(1.0),
            node if n == 1.0 => node,
            node => Node::Power(Box::new(node), n),
        };
        let message = "this power is not a finite number";
        self.finite(Typed::new(node, dimension), range, message)
    }

    pub fn condition(&mut self, ast: &Ast) -> Result<Condition, ExprError> {
        match &ast.kind {
            AstKind::Compare(comparison, pair) => self.compare(*comparison, pair, ast),
            AstKind::All(items) => {
                let items = self.conditions(items)?;
                Ok(fold(items, false, Condition::All))
            }
            AstKind::Any(items) => {
                let items = self.conditions(items)?;
                Ok(fold(items, true, Condition::Any))
            }
            AstKind::Not(inner) => Ok(match self.condition(inner)? {
                Condition::Known(known) => Condition::Known(!known),
                condition => Condition::Not(Box::new(condition)),
            }),
            _ => Err(ExprError::new(ast.range.clone(), "expected a condition, found a value")
                .with_help("write a comparison such as `t < 1 s`")),
        }
    }

    fn conditions(&mut self, items: &[Ast]) -> Result<Vec<Condition>, ExprError> {
        items.iter().map(|item| self.condition(item)).collect()
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        pair: &[Ast; 2],
        ast: &Ast,
    ) -> Result<Condition, ExprError> {
        let (nodes, _) = self.alike(pair)?;
        let difference = Node::sum([1.0, -1.0].into_iter().zip(nodes));
        if let Some(value) = difference.constant() {
            return Ok(Condition::Known(comparison.holds(value)));
        }
        let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if equality && !self.open {
            let message = "a quantity that changes has a given value for an instant only";
            return Err(
                ExprError::new(ast.range.clone(), message).with_help("compare with `<` or `>`")
            );
        }
        Ok(Condition::Compare(comparison, difference))
    }

    fn table(
        &mut self,
        interpolation: Interpolation,
        times: &[Ast],
        values: &[Ast],
        range: Range<usize>,
    ) -> Result<Typed, ExprError> {
        if times.len() != values.len() {
            let (times, values) = (times.len(), values.len());
            return Err(ExprError::new(range, format!("{times} times but {values} values")));
        }
        if times.len() < 2 {
            return Err(ExprError::new(range, "a table needs at least two points"));
        }
        let (seconds, dimension) = self.constants(times)?;
        if dimension != Dimension::TIME {
            let first = Typed::new(Node::Constant(1.0), dimension);
            first.expect(Dimension::TIME, times[times.len() - 1].range.clone())?;
        }
        if let Some(at) = (1..times.len()).find(|i| seconds[*i] <= seconds[i - 1]) {
            return Err(ExprError::new(times[at].range.clone(), "the times must increase"));
        }
        let (values, dimension) = self.constants(values)?;
        let table = Table::new(interpolation, seconds, values);
        if !table.is_finite() {
            return Err(ExprError::new(range, "the times are too close together"));
        }
        Ok(Typed::new(Node::Table(Box::new(table)), dimension))
    }

    /// The values of items that must not depend on the time.
    fn constants(&mut self, items: &[Ast]) -> Result<(Vec<f64>, Dimension), ExprError> {
        let (nodes, dimension) = self.alike(items)?;
        let mut values = Vec::with_capacity(nodes.len());
        for (node, ast) in nodes.iter().zip(items) {
            values.push(node.constant().ok_or_else(|| depends_on_time(ast.range.clone()))?);
        }
        Ok((values, dimension))
    }
}

/// Drops the conditions that decide nothing; one that equals `decides` decides alone.
fn fold(
    items: Vec<Condition>,
    decides: bool,
    chain: fn(Box<[Condition]>) -> Condition,
) -> Condition {
    let is = |item: &Condition, truth: bool| matches!(item, Condition::Known(k) if *k == truth);
    if items.iter().any(|item| is(item, decides)) {
        return Condition::Known(decides);
    }
    let open: Box<[Condition]> = items.into_iter().filter(|item| !is(item, !decides)).collect();
    if open.is_empty() { Condition::Known(!decides) } else { chain(open) }
}

pub(super) fn depends_on_time(range: Range<usize>) -> ExprError {
    ExprError::new(range, "this value must not depend on the time")
}

fn out_of_range(range: Range<usize>) -> ExprError {
    ExprError::new(range, "the dimension of this has exponents that are no short fractions")
}
