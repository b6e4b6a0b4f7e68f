//! Functions of expressions: their arguments, dimensions and folding.

use std::ops::Range;

use gudgeon::clearance::normal::hertz_stiffness;
use gudgeon::formula::Smooth;
use gudgeon::model::Material;

use super::ExprError;
use super::ast::{Ast, Comparison, Function, Side};
use super::compile::{Compiler, depends_on_time};
use super::dimensions::{Typed, common};
use super::node::{Choice, Condition, Extreme, Node, Shape, Transition};
use crate::diagnostic::nearest;
use crate::units::{Dimension, Ratio};

impl Compiler<'_> {
    /// The parser has checked the number of arguments.
    pub fn call(
        &mut self,
        function: Function,
        arguments: &[Ast],
        range: Range<usize>,
    ) -> Result<Typed, ExprError> {
        match function {
            Function::Sin => self.smooth(Smooth::Sin, &arguments[0]),
            Function::Cos => self.smooth(Smooth::Cos, &arguments[0]),
            Function::Tan => self.smooth(Smooth::Tan, &arguments[0]),
            Function::Asin => self.smooth(Smooth::Asin, &arguments[0]),
            Function::Acos => self.smooth(Smooth::Acos, &arguments[0]),
            Function::Atan => self.smooth(Smooth::Atan, &arguments[0]),
            Function::Sinh => self.smooth(Smooth::Sinh, &arguments[0]),
            Function::Cosh => self.smooth(Smooth::Cosh, &arguments[0]),
            Function::Tanh => self.smooth(Smooth::Tanh, &arguments[0]),
            Function::Sqrt => self.smooth(Smooth::Sqrt, &arguments[0]),
            Function::Exp => self.smooth(Smooth::Exp, &arguments[0]),
            Function::Log => self.smooth(Smooth::Log, &arguments[0]),
            Function::Atan2 => self.atan2(arguments),
            Function::Abs => self.magnitude(&arguments[0]),
            Function::Min => self.extreme(Extreme::Least, arguments),
            Function::Max => self.extreme(Extreme::Greatest, arguments),
            Function::Sign => self.sign(&arguments[0]),
            Function::Floor => self.floor(&arguments[0]),
            Function::Mod => self.remainder(arguments),
            Function::Hypot => self.hypot(arguments),
            Function::Clamp => self.clamp(arguments),
            Function::Smoothstep => self.transition(Shape::Cubic, arguments),
            Function::Sawtooth | Function::Triangle | Function::Square => {
                self.wave(function, arguments)
            }
            Function::If => self.choice(&arguments[0], &arguments[1..]),
            Function::Step => self.transition(Shape::Quintic, arguments),
            Function::Ramp => self.transition(Shape::Straight, arguments),
            Function::Table | Function::Spline | Function::Hertz => {
                let help = format!("write `{}`", function.usage());
                Err(ExprError::new(range, "wrong arguments").with_help(help))
            }
        }
    }

    fn smooth(&mut self, function: Smooth, argument: &Ast) -> Result<Typed, ExprError> {
        let range = argument.range.clone();
        let x = self.value(argument)?;
        let (x, dimension, refusal) = match function {
            Smooth::Sin | Smooth::Cos | Smooth::Tan => {
                (x.expect_angle(range.clone())?, Dimension::NUMBER, "the value is not finite")
            }
            Smooth::Asin | Smooth::Acos => {
                let x = x.expect(Dimension::NUMBER, range.clone())?;
                (x, Dimension::ANGLE, "this must lie between -1 and 1")
            }
            Smooth::Atan => (x.expect(Dimension::NUMBER, range.clone())?, Dimension::ANGLE, ""),
            Smooth::Sqrt => {
                let half = Ratio::new(1, 2).and_then(|half| x.dimension.checked_pow(half));
                let wide = || ExprError::new(range.clone(), "the dimension is out of range");
                let dimension = half.ok_or_else(wide)?;
                (x, dimension, "the square root of a negative number")
            }
            Smooth::Sinh | Smooth::Cosh | Smooth::Tanh => {
                let x = x.expect(Dimension::NUMBER, range.clone())?;
                (x, Dimension::NUMBER, "the value is not finite")
            }
            Smooth::Cubic | Smooth::Quintic => (x, Dimension::NUMBER, "the value is not finite"),
            Smooth::Exp => {
                let x = x.expect(Dimension::NUMBER, range.clone())?;
                (x, Dimension::NUMBER, "the exponential of this is too large")
            }
            Smooth::Log => {
                let x = x.expect(Dimension::NUMBER, range.clone())?;
                (x, Dimension::NUMBER, "the logarithm needs a positive number")
            }
        };
        let node = match x.node {
            Node::Constant(value) => Node::Constant(function.derivatives(value)[0]),
            node => Node::Smooth(function, Box::new(node)),
        };
        self.finite(Typed::new(node, dimension), range, refusal)
    }

    fn atan2(&mut self, arguments: &[Ast]) -> Result<Typed, ExprError> {
        let (mut nodes, _) = self.alike(arguments)?;
        let node = match (nodes[0].constant(), nodes[1].constant()) {
            (Some(y), Some(x)) => Node::Constant(y.atan2(x)),
            _ => {
                let x = nodes.swap_remove(1);
                Node::Atan2(Box::new([nodes.swap_remove(0), x]))
            }
        };
        Ok(Typed::new(node, Dimension::ANGLE))
    }

    fn magnitude(&mut self, argument: &Ast) -> Result<Typed, ExprError> {
        let Typed { node, dimension } = self.value(argument)?;
        let node = match node {
            Node::Constant(value) => Node::Constant(value.abs()),
            node => Node::Magnitude(Box::new(node)),
        };
        Ok(Typed::new(node, dimension))
    }

    /// 1 or −1; 1 of zero.
    fn sign(&mut self, argument: &Ast) -> Result<Typed, ExprError> {
        let one = |value| Node::Constant(value);
        let node = match self.value(argument)?.node {
            Node::Constant(value) => one(if value < 0.0 { -1.0 } else { 1.0 }),
            Node::Open => Node::Open,
            node => {
                let condition = Condition::Compare(Comparison::GreaterEqual, node);
                Node::Choice(Box::new(Choice { condition, yes: one(1.0), no: one(-1.0) }))
            }
        };
        Ok(Typed::new(node, Dimension::NUMBER))
    }

    fn floor(&mut self, argument: &Ast) -> Result<Typed, ExprError> {
        let x = self.value(argument)?.expect(Dimension::NUMBER, argument.range.clone())?;
        Ok(Typed::new(Node::whole(x.node), Dimension::NUMBER))
    }

    /// x and a positive period of the same dimension.
    fn periodic(&mut self, arguments: &[Ast]) -> Result<(Node, f64, Dimension), ExprError> {
        let (mut nodes, dimension) = self.alike(arguments)?;
        let place = arguments[1].range.clone();
        let period = match nodes[1] {
            Node::Constant(value) => value,
            _ if self.open => 1.0,
            _ => return Err(depends_on_time(place)),
        };
        if period <= 0.0 && !self.dormant {
            return Err(ExprError::new(place, "the period must be positive"));
        }
        Ok((nodes.swap_remove(0), period, dimension))
    }

    /// x − p ⌊x/p⌋.
    fn remainder(&mut self, arguments: &[Ast]) -> Result<Typed, ExprError> {
        let (x, period, dimension) = self.periodic(arguments)?;
        let turns = Node::whole(scaled(1.0 / period, x.clone()));
        Ok(Typed::new(Node::sum([(1.0, x), (-period, turns)]), dimension))
    }

    /// Waves of height 1: from 0 up and down again at once, up and down evenly, 1 and 0 by halves.
    fn wave(&mut self, function: Function, arguments: &[Ast]) -> Result<Typed, ExprError> {
        let (x, period, _) = self.periodic(arguments)?;
        let turns = scaled(1.0 / period, x);
        let saw = Node::sum([(1.0, turns.clone()), (-1.0, Node::whole(turns))]);
        let lower = Node::sum([(1.0, saw.clone()), (-1.0, Node::Constant(0.5))]);
        let known = lower.constant().is_some();
        let node = match function {
            Function::Triangle => {
                let bend = Node::Magnitude(Box::new(lower));
                Node::sum([(1.0, Node::Constant(1.0)), (-2.0, bend)])
            }
            Function::Square => {
                let condition = Condition::Compare(Comparison::Less, lower);
                let (yes, no) = (Node::Constant(1.0), Node::Constant(0.0));
                Node::Choice(Box::new(Choice { condition, yes, no }))
            }
            _ => saw,
        };
        let node = if known { Node::Constant(node.value(0.0)) } else { node };
        Ok(Typed::new(node, Dimension::NUMBER))
    }

    fn hypot(&mut self, arguments: &[Ast]) -> Result<Typed, ExprError> {
        let (nodes, dimension) = self.alike(arguments)?;
        let together = |a: Node, b: Node| match (a.constant(), b.constant()) {
            (Some(a), Some(b)) => Node::Constant(a.hypot(b)),
            _ => Node::Hypot(Box::new([a, b])),
        };
        let node = nodes.into_iter().reduce(together).unwrap_or(Node::Constant(0.0));
        Ok(Typed::new(node, dimension))
    }

    fn clamp(&mut self, arguments: &[Ast]) -> Result<Typed, ExprError> {
        let (nodes, dimension) = self.alike(arguments)?;
        if let (Some(low), Some(high)) = (nodes[1].constant(), nodes[2].constant())
            && low > high
            && !self.dormant
        {
            let range = arguments[2].range.clone();
            return Err(ExprError::new(range, "the upper bound lies below the lower one"));
        }
        let [x, low, high] = [0, 1, 2].map(|i: usize| nodes[i].clone());
        let below = Self::best(Extreme::Least, vec![x, high]);
        Ok(Typed::new(Self::best(Extreme::Greatest, vec![below, low]), dimension))
    }

    fn extreme(&mut self, extreme: Extreme, arguments: &[Ast]) -> Result<Typed, ExprError> {
        let (nodes, dimension) = self.alike(arguments)?;
        Ok(Typed::new(Self::best(extreme, nodes), dimension))
    }

    /// The least or greatest of several.
    fn best(extreme: Extreme, nodes: Vec<Node>) -> Node {
        let (mut known, mut open): (Option<f64>, Vec<Node>) = (None, Vec::new());
        for node in nodes {
            match node {
                Node::Constant(value) => {
                    let wins = known.is_none_or(|best| extreme.prefers(value, best));
                    known = if wins { Some(value) } else { known };
                }
                node => open.push(node),
            }
        }
        if let (true, Some(value)) = (open.is_empty(), known) {
            return Node::Constant(value);
        }
        open.extend(known.map(Node::Constant));
        Node::Extreme(extreme, open.into())
    }

    fn choice(&mut self, condition: &Ast, branches: &[Ast]) -> Result<Typed, ExprError> {
        let condition = self.condition(condition)?;
        let taken = match &condition {
            Condition::Known(known) => Some(usize::from(!known)),
            _ => None,
        };
        let mut typed = Vec::with_capacity(2);
        for (index, branch) in branches.iter().enumerate() {
            let outer = self.dormant;
            self.dormant = outer || taken.is_some_and(|taken| taken != index);
            let value = self.value(branch);
            self.dormant = outer;
            typed.push(value?);
        }
        let ranges = branches.iter().map(|branch| branch.range.clone());
        let dimension = common(typed.iter().zip(ranges))?;
        let (no, yes) = (typed.swap_remove(1).node, typed.swap_remove(0).node);
        let node = match taken {
            Some(0) => yes,
            Some(_) => no,
            None => Node::Choice(Box::new(Choice { condition, yes, no })),
        };
        Ok(Typed::new(node, dimension))
    }

    /// `(x, from, to)` or `(x, from, low, to, high)`.
    fn transition(&mut self, shape: Shape, arguments: &[Ast]) -> Result<Typed, ExprError> {
        let (end, heights) = match arguments {
            [_, _, low, end, high] => (end, Some([low.clone(), high.clone()])),
            _ => (&arguments[2], None),
        };
        let limits = [arguments[0].clone(), arguments[1].clone(), end.clone()];
        let (mut nodes, _) = self.alike(&limits)?;
        let limit = |index: usize| match nodes[index] {
            Node::Constant(value) => Ok(value),
            _ if self.open => Ok(f64::NAN),
            _ => Err(depends_on_time(limits[index].range.clone())),
        };
        let (from, to) = (limit(1)?, limit(2)?);
        if from >= to && !self.dormant {
            return Err(ExprError::new(end.range.clone(), "the end must lie behind the start"));
        }
        let (mut values, dimension) = match heights {
            Some(heights) => self.alike(&heights)?,
            None => (vec![Node::Constant(0.0), Node::Constant(1.0)], Dimension::NUMBER),
        };
        let (high, low) = (values.swap_remove(1), values.swap_remove(0));
        let transition = Transition { shape, x: nodes.swap_remove(0), from, to, low, high };
        let known = [&transition.x, &transition.low, &transition.high];
        let node = if from.is_nan() || to.is_nan() {
            Node::Open
        } else if known.iter().all(|node| node.constant().is_some()) {
            Node::Constant(Node::Transition(Box::new(transition)).value(0.0))
        } else {
            Node::Transition(Box::new(transition))
        };
        Ok(Typed::new(node, dimension))
    }

    /// K of the Hertz contact of a journal in a bearing, N/m^1.5.
    pub fn hertz(
        &mut self,
        radii: &[Ast; 2],
        materials: &[(String, Range<usize>); 2],
    ) -> Result<Typed, ExprError> {
        let mut values = [0.0; 2];
        for (value, ast) in values.iter_mut().zip(radii) {
            let typed = self.value(ast)?.expect(Dimension::LENGTH, ast.range.clone())?;
            *value = match typed.node {
                Node::Constant(value) => value,
                _ if self.open => f64::NAN,
                _ => return Err(depends_on_time(ast.range.clone())),
            };
            if *value <= 0.0 && !self.dormant {
                return Err(ExprError::new(ast.range.clone(), "a radius must be positive"));
            }
        }
        let [bearing, journal] = values;
        if journal >= bearing && !self.dormant {
            let message = "the journal must be smaller than the bearing";
            return Err(ExprError::new(radii[1].range.clone(), message).with_help(format!(
                "the bearing radius is {:.6} mm, the journal radius {:.6} mm",
                bearing * 1e3,
                journal * 1e3
            )));
        }
        let [a, b] = [self.material(&materials[0])?, self.material(&materials[1])?];
        let stiffness = hertz_stiffness(bearing, journal, &a, &b);
        let node =
            if self.open && stiffness.is_nan() { Node::Open } else { Node::Constant(stiffness) };
        Ok(Typed::new(node, Dimension::contact_stiffness(1.5)))
    }

    fn material(&self, (name, range): &(String, Range<usize>)) -> Result<Material, ExprError> {
        self.scope.material(name).ok_or_else(|| {
            let names = self.scope.material_names();
            let help = match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("materials are {}", names.join(", ")),
            };
            ExprError::new(range.clone(), format!("unknown material `{name}`")).with_help(help)
        })
    }
}

fn scaled(by: f64, x: Node) -> Node {
    Node::product([(Side::Above, Node::Constant(by)), (Side::Above, x)])
}
