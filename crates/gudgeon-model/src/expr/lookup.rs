//! Tables that are looked up: points checked, dimensions matched, constants folded.

use std::ops::Range;
use std::sync::Arc;

use gudgeon::formula::{Curve, Input, Left, Surface};

use super::ExprError;
use super::ast::{Ast, Lookup, Points};
use super::compile::Compiler;
use super::dimensions::Typed;
use super::node::Node;
use crate::data::Sheet;
use crate::diagnostic::Diagnostic;
use crate::units::Dimension;

/// A text and where it stands.
type Named = (String, Range<usize>);

impl Compiler<'_> {
    pub fn lookup(&mut self, lookup: &Lookup, range: Range<usize>) -> Result<Typed, ExprError> {
        match &lookup.points {
            Points::Lists(lists) => self.look_up_lists(lookup, lists, range),
            Points::File { file, column } => {
                let found = self.scope.data(&file.0);
                let sheet =
                    found.map_err(|findings| ExprError::of_table(file.1.clone(), findings))?;
                match &lookup.inputs[..] {
                    [x] => self.look_up_curve(lookup, (&sheet, file, column), x),
                    [x, y, ..] => self.look_up_surface(lookup, (&sheet, file, column), [x, y]),
                    [] => Err(ExprError::new(range, "what is this table looked up with?")),
                }
            }
        }
    }

    /// Points in the text itself.
    fn look_up_lists(
        &mut self,
        lookup: &Lookup,
        [places, values]: &[Vec<Ast>; 2],
        range: Range<usize>,
    ) -> Result<Typed, ExprError> {
        if places.len() != values.len() {
            let (places, values) = (places.len(), values.len());
            return Err(ExprError::new(range, format!("{places} places but {values} values")));
        }
        if places.len() < 2 {
            return Err(ExprError::new(range, "a table needs at least two points"));
        }
        let (x, input) = self.points(places)?;
        let (y, dimension) = self.points(values)?;
        let looked_up = self.value(&lookup.inputs[0])?;
        let looked_up = looked_up.expect(input, lookup.inputs[0].range.clone())?;
        let (Some(x), Some(mut y)) = (x, y) else { return Ok(Typed::new(Node::Open, dimension)) };
        if let Some(at) = (1..x.len()).find(|i| x[*i] <= x[i - 1]) {
            return Err(ExprError::new(places[at].range.clone(), "the places must rise"));
        }
        if !lookup.closes(&mut y) {
            let place = values[values.len() - 1].range.clone();
            return Err(ExprError::new(
                place,
                "a periodic table ends with the value it begins with",
            ));
        }
        let unit = if input.is_number() { String::new() } else { input.to_string() };
        let name = Input { table: "a table".into(), column: String::new(), unit, scale: 1.0 };
        let curve = Curve::new(lookup.interpolation, lookup.outside, &x, &y).named(name);
        if !curve.is_finite() {
            return Err(ExprError::new(range, "the places are too close together"));
        }
        self.at_curve(curve, looked_up.node, dimension, &lookup.inputs[0])
    }

    /// Constants of one dimension; no values where they are not known yet.
    fn points(&mut self, items: &[Ast]) -> Result<(Option<Vec<f64>>, Dimension), ExprError> {
        let (nodes, dimension) = self.alike(items)?;
        let mut values = Some(Vec::with_capacity(nodes.len()));
        for (node, ast) in nodes.iter().zip(items) {
            match (node, &mut values) {
                (Node::Constant(value), Some(values)) => values.push(*value),
                (Node::Open, _) => values = None,
                (Node::Constant(_), None) => {}
                _ => {
                    let message = "the points of a table must not change";
                    return Err(ExprError::new(ast.range.clone(), message));
                }
            }
        }
        Ok((values, dimension))
    }

    fn look_up_curve(
        &mut self,
        lookup: &Lookup,
        (sheet, file, column): (&Sheet, &Named, &Option<Named>),
        x: &Ast,
    ) -> Result<Typed, ExprError> {
        let value = value_column(sheet, (file, column), 1)?;
        let node = self.input(sheet, 0, x)?;
        let curve = sheet
            .curve(value, lookup.interpolation, lookup.outside)
            .map_err(|findings| ExprError::of_table(file.1.clone(), findings))?;
        self.at_curve(curve, node, sheet.dimension(value), x)
    }

    fn look_up_surface(
        &mut self,
        lookup: &Lookup,
        (sheet, file, column): (&Sheet, &Named, &Option<Named>),
        [x, y]: [&Ast; 2],
    ) -> Result<Typed, ExprError> {
        let value = value_column(sheet, (file, column), 2)?;
        let nodes = [self.input(sheet, 0, x)?, self.input(sheet, 1, y)?];
        let surface = sheet
            .surface(value, lookup.interpolation, lookup.outside)
            .map_err(|findings| ExprError::of_table(file.1.clone(), findings))?;
        self.at_surface(surface, nodes, sheet.dimension(value), [x, y])
    }

    /// What a column is looked up with.
    fn input(&mut self, sheet: &Sheet, column: usize, ast: &Ast) -> Result<Node, ExprError> {
        let typed = self.value(ast)?;
        let found = typed.dimension;
        typed.expect(sheet.dimension(column), ast.range.clone()).map(|typed| typed.node).map_err(
            |_| ExprError::of_table(ast.range.clone(), vec![sheet.wrong_input(column, found)]),
        )
    }

    fn at_curve(
        &self,
        curve: Curve,
        x: Node,
        dimension: Dimension,
        place: &Ast,
    ) -> Result<Typed, ExprError> {
        let node = match x {
            Node::Open => Node::Open,
            Node::Constant(x) => {
                let cell = curve.cell(x);
                self.inside(curve.knots().left(cell, x), place)?;
                Node::Constant(curve.at(x, cell).0)
            }
            x => Node::Lookup(Arc::new(curve), Box::new(x)),
        };
        Ok(Typed::new(node, dimension))
    }

    fn at_surface(
        &self,
        surface: Surface,
        inputs: [Node; 2],
        dimension: Dimension,
        places: [&Ast; 2],
    ) -> Result<Typed, ExprError> {
        if inputs.iter().any(|node| matches!(node, Node::Open)) {
            return Ok(Typed::new(Node::Open, dimension));
        }
        let mut cells = [0; 2];
        for (axis, node) in inputs.iter().enumerate() {
            if let Some(x) = node.constant() {
                cells[axis] = surface.axis(axis).cell(x);
                self.inside(surface.axis(axis).left(cells[axis], x), places[axis])?;
            }
        }
        let node = match (inputs[0].constant(), inputs[1].constant()) {
            (Some(x), Some(y)) => Node::Constant(surface.at([x, y], cells).0),
            _ => Node::Map(Arc::new(surface), Box::new(inputs)),
        };
        Ok(Typed::new(node, dimension))
    }

    /// Refuses a constant that lies outside of its table.
    fn inside(&self, left: Option<Left>, place: &Ast) -> Result<(), ExprError> {
        match left {
            Some(left) if !self.dormant => {
                let finding = Diagnostic::error("G0217", format!("this looks up {left}")).help(
                    "give the table more points, or say what holds beyond its ends: `clamp` or `periodic`",
                );
                Err(ExprError::of_table(place.range.clone(), vec![finding]))
            }
            _ => Ok(()),
        }
    }
}

impl Lookup {
    /// Whether a curve that repeats ends with the value it begins with; makes it the same to the last
    /// bit.
    fn closes(&self, values: &mut [f64]) -> bool {
        self.outside != gudgeon::formula::Outside::Periodic || crate::data::close(values)
    }
}

/// The column of the values: the one that is named, else the one behind the inputs.
fn value_column(
    sheet: &Sheet,
    (file, column): (&Named, &Option<Named>),
    inputs: usize,
) -> Result<usize, ExprError> {
    let (found, place) = match column {
        Some((name, place)) => (sheet.find(name, inputs), place),
        None => (sheet.default_column(inputs), &file.1),
    };
    found.map_err(|finding| ExprError::of_table(place.clone(), vec![*finding]))
}
