//! Values with units from the nodes of a file: numbers and functions of time.

use std::ops::Range;
use std::sync::Arc;

use gudgeon::time::TimeFunction;

use crate::data::Sheet;
use crate::diagnostic::Diagnostic;
use crate::expr::{self, ExprError, Expression, Scope};
use crate::keys::Kind;
use crate::reader::{At, Context, Reader, wrong_kind};
use crate::source::{FileId, Span};
use crate::spec::parameters::Parameters;
use crate::tree::{Node, Value};
use crate::units::{Dimension, Quantity};

impl Reader<'_> {
    /// The value of a key with a fixed dimension.
    pub fn quantity(&self, cx: &mut Context<'_>, key: &str) -> Option<At<f64>> {
        let dimension = match self.kind(key) {
            Some(Kind::Quantity(dimension)) => dimension,
            _ => Dimension::NUMBER,
        };
        self.quantity_in(cx, key, dimension)
    }

    /// The value of a key whose dimension depends on other keys.
    pub fn quantity_in(
        &self,
        cx: &mut Context<'_>,
        key: &str,
        dimension: Dimension,
    ) -> Option<At<f64>> {
        let node = self.get(key)?;
        quantity(cx, key, node, dimension).map(|value| At { value, span: node.span })
    }

    pub fn function(&self, cx: &mut Context<'_>, key: &str) -> Option<TimeFunction> {
        let Some(Kind::Function(dimension)) = self.kind(key) else { return None };
        function(cx, key, self.get(key)?, dimension)
    }
}

/// A part of a text value, able to point back into the file.
#[derive(Clone, Copy)]
pub struct Piece<'n> {
    node: &'n Node,
    pub text: &'n str,
    offset: usize,
}

impl<'n> Piece<'n> {
    pub fn whole(node: &'n Node, text: &'n str) -> Self {
        Self { node, text, offset: 0 }
    }

    pub fn within(self, range: Range<usize>) -> Self {
        let text = &self.text[range.clone()];
        let start = text.len() - text.trim_start().len();
        Self { text: text.trim(), offset: self.offset + range.start + start, ..self }
    }

    pub fn span(&self, range: Range<usize>) -> Span {
        self.node.part(self.offset + range.start..self.offset + range.end)
    }

    pub fn whole_span(&self) -> Span {
        self.span(0..self.text.len())
    }

    /// A copy that can be kept.
    pub fn kept(self) -> Kept {
        Kept { node: self.node.clone(), range: self.offset..self.offset + self.text.len() }
    }

    /// The expression after a leading `=`.
    pub fn expression(self) -> Option<Self> {
        let start = self.text.find(|c: char| !c.is_whitespace())?;
        self.text[start..].starts_with('=').then(|| self.within(start + 1..self.text.len()))
    }

    /// Reports an error of its text. What is wrong with a data file is said once, where it is used first.
    pub fn report(&self, cx: &mut Context<'_>, error: ExprError) {
        let place = self.span(error.range);
        if error.findings.is_empty() {
            let diagnostic = Diagnostic::error("G0201", error.message).at(place, String::new());
            return cx.report(Diagnostic { help: error.help, ..diagnostic });
        }
        for finding in error.findings {
            if finding.span.is_none() {
                cx.report(finding.at(place, String::new()));
            } else if !cx.diagnostics.iter().any(|known| known.is_like(&finding)) {
                cx.report(finding.also(place, "looked up here"));
            }
        }
    }

    /// The file it stands in.
    pub fn file(&self) -> FileId {
        self.node.span.file
    }
}

/// A part of a text value with the node it belongs to.
pub struct Kept {
    node: Node,
    range: Range<usize>,
}

impl Kept {
    pub fn piece(&self) -> Piece<'_> {
        let text = self.node.as_text().unwrap_or_default();
        let range = self.range.clone();
        Piece { node: &self.node, text: &text[range.clone()], offset: range.start }
    }
}

/// Parses an expression; `None` without a message if it uses a parameter that is itself in error.
/// `expected` is the dimension asked for, where it is known.
pub fn parse(
    cx: &mut Context<'_>,
    piece: Piece<'_>,
    expected: Option<Dimension>,
) -> Option<Expression> {
    match Expression::parse(piece.text) {
        Ok(expression) => {
            let broken = |(name, _): &(String, Range<usize>)| cx.parameters.is_broken(name);
            (!expression.parameters().iter().any(broken)).then_some(expression)
        }
        Err(error) => {
            let error = error.for_value(piece.text, &Known::at(cx, piece), expected);
            piece.report(cx, error);
            None
        }
    }
}

/// The parameters, and their names as long as a misspelt one would be shown.
pub struct Known<'a> {
    parameters: &'a Parameters,
    named: bool,
    /// The file in which names of data files stand.
    file: FileId,
}

impl<'a> Known<'a> {
    pub fn of(cx: &Context<'a>) -> Self {
        let file = FileId(0);
        Self { parameters: cx.parameters, named: !cx.diagnostics.is_full(), file }
    }

    /// The same for a text, to whose file names of data files are relative.
    pub fn at(cx: &Context<'a>, piece: Piece<'_>) -> Self {
        Self { file: piece.file(), ..Self::of(cx) }
    }
}

impl Scope for Known<'_> {
    fn parameter(&self, name: &str) -> Option<Quantity> {
        self.parameters.parameter(name)
    }

    fn names(&self) -> Vec<String> {
        if self.named { self.parameters.names() } else { Vec::new() }
    }

    fn data(&self, name: &str) -> Result<Arc<Sheet>, Vec<Diagnostic>> {
        self.parameters.data(self.file, name)
    }
}

fn constant(
    cx: &mut Context<'_>,
    key: &str,
    piece: Piece<'_>,
    expected: Option<Dimension>,
) -> Option<Quantity> {
    let expression = parse(cx, piece, expected)?;
    if let Some((name, range)) = expression.quantities().first() {
        let message = format!("`{key}` cannot follow the motion");
        cx.report(
            Diagnostic::error("G0205", message)
                .at(piece.span(range.clone()), format!("`{name}` changes during a run"))
                .help("loads, springs, dampers and laws may read positions and velocities; give a constant here"),
        );
        return None;
    }
    if expression.depends_on_time() {
        let message = format!("`{key}` cannot depend on the time `t`");
        cx.report(
            Diagnostic::error("G0204", message)
                .at(piece.whole_span(), "")
                .help("functions of time belong to drivers and forces; give a constant here"),
        );
        return None;
    }
    let value = expression.constant(&Known::at(cx, piece));
    finish(cx, piece, value)
}

pub fn finish<T>(
    cx: &mut Context<'_>,
    piece: Piece<'_>,
    result: Result<T, ExprError>,
) -> Option<T> {
    result.map_err(|error| piece.report(cx, error)).ok()
}

/// Where a value that is not finite comes from, if it is computed.
const COMPUTED: &str = "look for a division by zero, or for a number that is too large";

fn finite(cx: &mut Context<'_>, key: &str, span: Span, value: f64, help: &str) -> Option<f64> {
    if !value.is_finite() {
        let message = format!("`{key}` is not a finite number");
        let diagnostic = Diagnostic::error("G0203", message).at(span, format!("this is {value}"));
        cx.report(diagnostic.help(help));
        return None;
    }
    Some(value)
}

pub fn quantity_of(
    cx: &mut Context<'_>,
    key: &str,
    piece: Piece<'_>,
    dimension: Dimension,
) -> Option<f64> {
    let value = match piece.expression() {
        Some(piece) => {
            let quantity = constant(cx, key, piece, Some(dimension))?;
            finish(cx, piece, expr::convert(quantity, dimension, 0..piece.text.len()))
        }
        None => finish(cx, piece, expr::quantity(piece.text, dimension)),
    }?;
    finite(cx, key, piece.whole_span(), value, COMPUTED)
}

/// A bare number: SI from the command line, else only zero and numbers without dimension.
fn number(
    cx: &mut Context<'_>,
    key: &str,
    node: &Node,
    (value, si): (f64, bool),
    dimension: Dimension,
) -> Option<f64> {
    let help = match dimension.is_number() {
        true => "write a number".to_owned(),
        false => format!("write a number with its unit, such as \"{}\"", example(dimension)),
    };
    finite(cx, key, node.span, value, &help)?;
    if si || value == 0.0 || dimension.is_number() {
        return Some(value);
    }
    let unit = dimension.common_units().into_iter().next().unwrap_or_default();
    cx.report(
        Diagnostic::error("G0202", format!("`{key}` needs a unit"))
            .at(node.span, format!("expected {}", dimension.describe()))
            .help(format!("write \"{value} {unit}\", or another unit")),
    );
    None
}

pub fn quantity(cx: &mut Context<'_>, key: &str, node: &Node, dimension: Dimension) -> Option<f64> {
    match &node.value {
        Value::Number { value, si } => number(cx, key, node, (*value, *si), dimension),
        Value::Text { text, .. } => quantity_of(cx, key, Piece::whole(node, text), dimension),
        _ => {
            let wanted = if dimension.is_number() { "a number" } else { "a text such as \"1 mm\"" };
            wrong_kind(cx, &format!("`{key}`"), node, &wanted.replace("1 mm", &example(dimension)));
            None
        }
    }
}

fn example(dimension: Dimension) -> String {
    let unit = dimension.common_units().into_iter().next().unwrap_or_default();
    format!("1 {unit}")
}

/// A value of any dimension.
pub fn any(cx: &mut Context<'_>, key: &str, node: &Node) -> Option<Quantity> {
    like(cx, key, node, "0.1 mm")
}

/// A value of any dimension; `example` is one that would be right there.
pub fn like(cx: &mut Context<'_>, key: &str, node: &Node, example: &str) -> Option<Quantity> {
    let quantity = match &node.value {
        Value::Number { value, .. } => {
            let help = format!("write a number with its unit, such as \"{example}\"");
            let value = finite(cx, key, node.span, *value, &help)?;
            return Some(Quantity { value, dimension: Dimension::NUMBER });
        }
        Value::Text { text, .. } => {
            let piece = Piece::whole(node, text);
            match piece.expression() {
                Some(piece) => constant(cx, key, piece, None)?,
                None => finish(cx, piece, expr::quantity_like(text, example))?,
            }
        }
        _ => {
            let wanted = format!("a number or a text such as \"{example}\"");
            wrong_kind(cx, &format!("`{key}`"), node, &wanted);
            return None;
        }
    };
    finite(cx, key, node.span, quantity.value, COMPUTED)?;
    Some(quantity)
}

pub fn function(
    cx: &mut Context<'_>,
    key: &str,
    node: &Node,
    dimension: Dimension,
) -> Option<TimeFunction> {
    match &node.value {
        Value::Text { text, .. } => function_of(cx, key, Piece::whole(node, text), dimension),
        _ => quantity(cx, key, node, dimension).map(TimeFunction::Constant),
    }
}

pub fn function_of(
    cx: &mut Context<'_>,
    key: &str,
    piece: Piece<'_>,
    dimension: Dimension,
) -> Option<TimeFunction> {
    let Some(inner) = piece.expression() else {
        return quantity_of(cx, key, piece, dimension).map(TimeFunction::Constant);
    };
    let expression = parse(cx, inner, Some(dimension))?;
    let function = expression.function(&Known::at(cx, inner), dimension);
    let function = finish(cx, inner, function)?;
    let start = function.jet(0.0, f64::MIN_POSITIVE).value;
    finite(cx, key, piece.whole_span(), start, COMPUTED)?;
    Some(function)
}

/// The names of the expressions' parameters in a value, for the order of evaluation.
pub fn dependencies(node: &Node) -> Vec<String> {
    let Some(piece) = node.as_text().and_then(|text| Piece::whole(node, text).expression()) else {
        return Vec::new();
    };
    match Expression::parse(piece.text) {
        Ok(expression) => expression.parameters().iter().map(|(name, _)| name.clone()).collect(),
        Err(_) => Vec::new(),
    }
}

/// Whether a value is an expression of t.
pub fn depends_on_time(node: &Node) -> bool {
    let piece = node.as_text().and_then(|text| Piece::whole(node, text).expression());
    piece.is_some_and(|piece| {
        Expression::parse(piece.text).is_ok_and(|expression| expression.depends_on_time())
    })
}

/// The dimension of a value that is written with one and is right; nothing is reported.
pub fn dimension_of(cx: &Context<'_>, node: &Node) -> Option<Dimension> {
    let text = node.as_text()?;
    match Piece::whole(node, text).expression() {
        Some(piece) => Expression::parse(piece.text).ok()?.dimension(&Known::at(cx, piece)).ok(),
        None => Some(expr::any_quantity(text).ok()?.dimension),
    }
}

/// Six significant digits, for messages.
pub fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// A value with its SI unit, for messages.
pub fn shown(value: f64, dimension: Dimension) -> String {
    Quantity::new(rounded(value), dimension).to_string()
}
