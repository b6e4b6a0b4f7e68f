//! Values of forces that follow the motion: expressions to functions of the state.
//!
//! Such an expression may name outputs of any body, joint, driver or force, so it is read when all of them
//! are there; until then its parameter is remembered with the text.

use std::sync::Arc;

use gudgeon::model::{ForceId, ForceParameter, FunctionId, StateFunction, Varying};
use gudgeon::reading::{Reading, Refused};
use gudgeon::sensor::{Outputs, Sensor};
use gudgeon::time::TimeFunction;

use super::Builder;
use super::forces::not_negative;
use crate::data::Sheet;
use crate::diagnostic::Diagnostic;
use crate::expr::{Scope, any_quantity};
use crate::keys::Kind;
use crate::reader::{Context, Reader, suggest};
use crate::source::Span;
use crate::tree::Node;
use crate::units::{Dimension, Quantity};
use crate::values::{
    Kept, Known, Piece, finish, function, function_of, parse, quantity, quantity_of,
};
use crate::vectors::function_pieces;

/// A parameter whose function is not built yet.
pub(super) struct Pending {
    force: ForceId,
    parameter: ForceParameter,
    /// "`torque` of force `motor`".
    name: String,
    dimension: Dimension,
    text: Kept,
}

/// A number of a force: given, or following a function.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Entry {
    Given(f64),
    Changes,
}

/// Parameters of the file, with its data files, and quantities of the state.
pub(super) struct Readable<'a> {
    pub parameters: Known<'a>,
    pub quantities: &'a [(String, Dimension)],
    /// More names that a misspelt one may mean.
    pub named: &'a [&'a str],
}

impl Scope for Readable<'_> {
    fn parameter(&self, name: &str) -> Option<Quantity> {
        self.parameters.parameter(name)
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.parameters.names();
        names.extend(self.named.iter().map(|name| (*name).to_owned()));
        names
    }

    fn data(&self, name: &str) -> Result<Arc<Sheet>, Vec<Diagnostic>> {
        self.parameters.data(name)
    }

    fn quantity(&self, name: &str) -> Option<(usize, Dimension)> {
        let found = self.quantities.iter().position(|(known, _)| known == name)?;
        Some((found, self.quantities[found].1))
    }
}

impl Builder<'_> {
    /// The three components of a force, or of a force per length.
    pub(super) fn force_components(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        dimension: Dimension,
    ) -> Option<[TimeFunction; 3]> {
        let pieces = function_pieces(cx, "force", reader.get("force")?)?;
        let mut components = [const { TimeFunction::Constant(0.0) }; 3];
        let mut complete = true;
        for (i, piece) in pieces.into_iter().enumerate() {
            let found = match piece {
                Ok(piece) => match self.follows_motion(cx, piece) {
                    None => None,
                    Some(false) => function_of(cx, "force", piece, dimension),
                    Some(true) => {
                        self.remember(reader, "force", ForceParameter::Component(i), piece);
                        Some(TimeFunction::Constant(0.0))
                    }
                },
                Err(node) => function(cx, "force", node, dimension),
            };
            match found {
                Some(function) => components[i] = function,
                None => complete = false,
            }
        }
        complete.then_some(components)
    }

    /// A load that may follow time and motion.
    pub(super) fn load(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        key: &str,
        parameter: ForceParameter,
    ) -> Option<TimeFunction> {
        match self.text(reader, key) {
            Some(piece) if self.follows_motion(cx, piece)? => {
                self.remember(reader, key, parameter, piece);
                Some(TimeFunction::Constant(0.0))
            }
            _ => reader.function(cx, key),
        }
    }

    /// A value that is not negative, unless it changes.
    pub(super) fn elastic(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        key: &str,
        parameter: ForceParameter,
    ) -> Option<f64> {
        match self.changes(cx, reader, key, parameter)? {
            true => Some(0.0),
            false => not_negative(cx, reader, key),
        }
    }

    /// The same; zero where the file gives none.
    pub(super) fn elastic_if_given(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        key: &str,
        parameter: ForceParameter,
    ) -> Option<f64> {
        match reader.get(key) {
            Some(_) => self.elastic(cx, reader, key, parameter),
            None => Some(0.0),
        }
    }

    /// A value of any sign.
    pub(super) fn varied(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        key: &str,
        parameter: ForceParameter,
    ) -> Option<f64> {
        match self.changes(cx, reader, key, parameter)? {
            true => Some(0.0),
            false => reader.quantity(cx, key).map(|value| value.value),
        }
    }

    /// Whether a value changes with time or motion, and then remembers it.
    fn changes(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        key: &str,
        parameter: ForceParameter,
    ) -> Option<bool> {
        let Some(piece) = self.text(reader, key).and_then(Piece::expression) else {
            return Some(false);
        };
        let expression = parse(cx, piece, None)?;
        let changes = !expression.quantities().is_empty() || expression.depends_on_time();
        if changes {
            self.remember(reader, key, parameter, piece);
        }
        Some(changes)
    }

    /// A number of a force that may change with time or motion, of a dimension of its own; then zero, and
    /// remembered.
    pub(super) fn entry(
        &mut self,
        cx: &mut Context<'_>,
        (key, owner): (&str, &str),
        parameter: ForceParameter,
        part: Result<Piece<'_>, &Node>,
        dimension: Dimension,
    ) -> Option<Entry> {
        let piece = match part {
            Ok(piece) => piece,
            Err(node) => return quantity(cx, key, node, dimension).map(Entry::Given),
        };
        if let Some(inner) = piece.expression() {
            let expression = parse(cx, inner, Some(dimension))?;
            if !expression.quantities().is_empty() || expression.depends_on_time() {
                self.pending.push(Pending {
                    force: ForceId(self.model.forces.len()),
                    parameter,
                    name: format!("`{key}` of {owner}"),
                    dimension,
                    text: inner.kept(),
                });
                return Some(Entry::Changes);
            }
        }
        quantity_of(cx, key, piece, dimension).map(Entry::Given)
    }

    fn text<'n>(&self, reader: &Reader<'n>, key: &str) -> Option<Piece<'n>> {
        let node = reader.get(key)?;
        Some(Piece::whole(node, node.as_text()?))
    }

    /// Whether a value is an expression that needs a formula, for it names quantities of the state or looks
    /// up a table of two inputs; none where it cannot be read.
    fn follows_motion(&self, cx: &mut Context<'_>, piece: Piece<'_>) -> Option<bool> {
        let Some(inner) = piece.expression() else { return Some(false) };
        let expression = parse(cx, inner, None)?;
        Some(!expression.quantities().is_empty() || expression.has_map())
    }

    fn remember(
        &mut self,
        reader: &Reader<'_>,
        key: &str,
        parameter: ForceParameter,
        piece: Piece<'_>,
    ) {
        let dimension = match reader.kind(key) {
            Some(Kind::Function(dimension) | Kind::Quantity(dimension)) => dimension,
            Some(Kind::Functions(dimension)) => dimension,
            _ => Dimension::NUMBER,
        };
        self.pending.push(Pending {
            force: ForceId(self.model.forces.len()),
            parameter,
            name: format!("`{key}` of {}", reader.owner),
            dimension,
            text: piece.expression().unwrap_or(piece).kept(),
        });
    }

    /// Builds the functions of all parameters that were remembered.
    pub(super) fn add_functions(&mut self, cx: &mut Context<'_>) {
        if self.pending.is_empty() {
            return;
        }
        let outputs = Outputs::of(&self.model);
        for pending in std::mem::take(&mut self.pending) {
            if let Some(function) = self.function(cx, &pending, &outputs) {
                let id = FunctionId(self.model.functions.len());
                self.model.functions.push(function);
                let Pending { force, parameter, .. } = pending;
                self.model.varying.push(Varying { force, parameter, function: id });
            }
        }
    }

    fn function(
        &mut self,
        cx: &mut Context<'_>,
        pending: &Pending,
        outputs: &Outputs,
    ) -> Option<StateFunction> {
        let piece = pending.text.piece();
        let expression = parse(cx, piece, Some(pending.dimension))?;
        let (mut quantities, mut readings) = (Vec::new(), Vec::new());
        let mut complete = true;
        for (name, range) in expression.quantities() {
            if quantities.iter().any(|(known, _)| known == name) {
                continue;
            }
            let span = piece.span(range.clone());
            let found = self.quantity(cx, name, span, pending, outputs);
            complete &= found.is_some();
            if let Some((dimension, reading)) = found {
                quantities.push((name.clone(), dimension));
                readings.push(reading);
            }
        }
        if !complete {
            return None;
        }
        let scope =
            Readable { parameters: Known::at(cx, piece), quantities: &quantities, named: &[] };
        let formula = expression.formula(&scope, readings.len(), pending.dimension);
        let formula = finish(cx, piece, formula)?;
        readings.push(Reading::TIME);
        Some(StateFunction { name: pending.name.clone(), formula, readings })
    }

    /// Dimension and reading of an output by its name.
    fn quantity(
        &mut self,
        cx: &mut Context<'_>,
        name: &str,
        span: Span,
        pending: &Pending,
        outputs: &Outputs,
    ) -> Option<(Dimension, Reading)> {
        let Some(sensor) = outputs.find(name) else {
            self.report_unknown_quantity(cx, name, span, outputs);
            return None;
        };
        match Reading::of(&sensor, &mut self.model) {
            Ok(reading) => Some((dimension_of(&sensor), reading)),
            Err(refused) => {
                cx.report(refusal(name, span, &pending.name, refused));
                None
            }
        }
    }

    pub(super) fn report_unknown_quantity(
        &self,
        cx: &mut Context<'_>,
        name: &str,
        span: Span,
        outputs: &Outputs,
    ) {
        let owner = name.split('.').next().unwrap_or(name);
        if self.broken.contains(owner) {
            return;
        }
        let unknown = outputs.unknown(name);
        let diagnostic = Diagnostic::error("G0112", unknown.message.clone()).at(span, "not known");
        let part = name[unknown.part.clone()].to_owned();
        cx.report_searched(diagnostic, || {
            suggest(&part, unknown.candidates.iter().map(String::as_str))
        });
    }
}

pub(super) fn dimension_of(sensor: &Sensor) -> Dimension {
    if sensor.unit.is_empty() {
        return Dimension::NUMBER;
    }
    any_quantity(&format!("1 {}", sensor.unit)).map_or(Dimension::NUMBER, |unit| unit.dimension)
}

fn refusal(name: &str, span: Span, owner: &str, refused: Refused) -> Diagnostic {
    match refused {
        Refused::FollowsFromLoads => {
            Diagnostic::error("G0703", format!("{owner} cannot read `{name}`"))
                .at(span, "it follows from the forces, this one among them")
                .help("read positions and velocities only; for control by a measured force put a spring in between and read its length")
        }
        Refused::NoMotion => Diagnostic::error("G0703", format!("{owner} cannot read `{name}`"))
            .at(span, "no position or velocity")
            .help("loads read positions, angles, lengths and their rates; `gudgeon check --outputs` lists them"),
    }
}
