//! Quantities and expressions of the model file.
//!
//! A *quantity* is a number with units, `"0.1 mm"`. An *expression*, the text behind a leading
//! `=`, computes with parameters, units and the time `t`; it is checked for dimensions and becomes
//! a [`gudgeon::time::TimeFunction`] with exact derivatives. The way: `lexer` → `parser` (with
//! `call_parser`, `table_parser` and `unit_parser`) → [`Expression`] → `compile` → `node` (evaluation) and `kinks`.

mod ast;
mod call_parser;
mod compile;
mod dimensions;
mod formula;
mod functions;
mod jet;
mod kinks;
mod lexer;
mod lookup;
mod node;
mod parser;
mod quantity;
mod table;
mod table_parser;
mod unit_help;
mod unit_parser;

use std::ops::Range;
use std::sync::Arc;

use gudgeon::formula::{Formula, MAX_INPUTS, MAX_STEPS};
use gudgeon::model::Material;
use gudgeon::time::TimeFunction;

use crate::data::Sheet;
use crate::diagnostic::Diagnostic;
use crate::units::{Dimension, Quantity, is_unit_name};

use ast::{Ast, Function};
use compile::Compiler;
use formula::Writer;
use kinks::Law;
use node::Node;
use parser::Parser;
pub(crate) use quantity::Unit;
pub use quantity::{any_quantity, convert, quantity, quantity_like};

/// What is wrong with a text, and where in it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExprError {
    /// Bytes inside the text that was given.
    pub range: Range<usize>,
    pub message: String,
    pub help: Option<String>,
    /// Where the number begins behind which the place holds a word that is no unit.
    number: Option<usize>,
    /// What is wrong with a table, in place of the message: its places are in a data file, or it has
    /// none.
    pub findings: Vec<Diagnostic>,
}

impl ExprError {
    pub fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, message: message.into(), help: None, number: None, findings: Vec::new() }
    }

    /// Findings about a table that is used there.
    pub(crate) fn of_table(range: Range<usize>, findings: Vec<Diagnostic>) -> Self {
        let first = findings.first();
        let message = first.map_or(String::new(), |finding| finding.message.clone());
        let help = first.and_then(|finding| finding.help.clone());
        Self { range, message, help, number: None, findings }
    }

    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// What names in an expression stand for.
pub trait Scope {
    fn parameter(&self, name: &str) -> Option<Quantity>;

    /// All parameters, to find the one a misspelt name means.
    fn names(&self) -> Vec<String>;

    /// Number and dimension of a quantity of the state, where it may be read.
    fn quantity(&self, _name: &str) -> Option<(usize, Dimension)> {
        None
    }

    /// A data file.
    fn data(&self, name: &str) -> Result<Arc<Sheet>, Vec<Diagnostic>> {
        Err(vec![no_data(name)])
    }

    fn material(&self, name: &str) -> Option<Material> {
        crate::materials::find(name)
    }

    fn material_names(&self) -> Vec<String> {
        crate::materials::names().map(str::to_owned).collect()
    }
}

/// A data file that is named where none can be read.
pub(crate) fn no_data(name: &str) -> Diagnostic {
    Diagnostic::error("G0206", format!("the data file `{name}` cannot be read here"))
        .help("name data files in the model file")
}

/// Units that count only behind a number and functions that count only before a bracket: alone they may
/// be parameters, since files had such names before these units and functions were read.
const ALONE_A_PARAMETER: [&str; 22] = [
    "hp",
    "PS",
    "kgf",
    "mph",
    "ksi",
    "mil",
    "slug",
    "St",
    "cSt",
    "lbm",
    "sign",
    "floor",
    "mod",
    "hypot",
    "clamp",
    "smoothstep",
    "sawtooth",
    "triangle",
    "square",
    "sinh",
    "cosh",
    "tanh",
];

/// Why a name may not be given to a parameter, which stands alone in expressions: "a unit", "a
/// function", …
pub fn reserved(name: &str) -> Option<&'static str> {
    match name {
        "t" => Some("the time"),
        "pi" => Some("a constant"),
        "and" | "or" | "not" => Some("an operator"),
        _ if ALONE_A_PARAMETER.contains(&name) => None,
        _ if Function::find(name).is_some() => Some("a function"),
        _ if is_unit_name(name) => Some("a unit"),
        _ => None,
    }
}

/// Why a name may not be given to a body, joint, driver or force. Expressions and outputs name these
/// with a dot behind, `bar.angle`, as no unit and no function is written.
pub fn reserved_before_dot(name: &str) -> Option<&'static str> {
    reserved(name).filter(|why| !matches!(*why, "a unit" | "a function"))
}

/// The names of all functions, for editors and help.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    Function::names()
}

/// A parsed expression, without the leading `=`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    ast: Ast,
    parameters: Vec<(String, Range<usize>)>,
    quantities: Vec<(String, Range<usize>)>,
    files: Vec<(String, Range<usize>)>,
    map: bool,
    time: Option<Range<usize>>,
}

impl Expression {
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        let mut parser = Parser::new(text)?;
        let ast = parser.expression()?;
        let Parser { names, quantities, files, map, time, .. } = parser;
        Ok(Self { ast, parameters: names, quantities, files, map, time })
    }

    /// The parameters it uses, each with every place of its use.
    pub fn parameters(&self) -> &[(String, Range<usize>)] {
        &self.parameters
    }

    /// The quantities of the state it reads, each with every place of its use.
    pub fn quantities(&self) -> &[(String, Range<usize>)] {
        &self.quantities
    }

    /// The data files it names, each with every place of its use.
    pub fn files(&self) -> &[(String, Range<usize>)] {
        &self.files
    }

    /// Whether a table of two inputs is looked up in it, which only formulas can.
    pub fn has_map(&self) -> bool {
        self.map
    }

    /// Whether `t` or a table of times appears in it.
    pub fn depends_on_time(&self) -> bool {
        self.time.is_some()
    }

    /// Its dimension, whatever the values of the parameters.
    pub fn dimension(&self, scope: &dyn Scope) -> Result<Dimension, ExprError> {
        Ok(Compiler::open(scope).value(&self.ast)?.dimension)
    }

    /// The first place where the time is used.
    pub fn time(&self) -> Option<Range<usize>> {
        self.time.clone()
    }

    /// The value of an expression that must not depend on the time.
    pub fn constant(&self, scope: &dyn Scope) -> Result<Quantity, ExprError> {
        let typed = Compiler::new(scope).value(&self.ast)?;
        match typed.node {
            Node::Constant(value) => Ok(Quantity::new(value, typed.dimension)),
            _ => {
                let range = self.time.clone().unwrap_or_else(|| self.ast.range.clone());
                Err(ExprError::new(range, "this value must not depend on the time"))
            }
        }
    }

    /// The expression as a formula of `inputs` quantities of the state, which the scope numbers, and of
    /// the time as its last input.
    pub fn formula(
        &self,
        scope: &dyn Scope,
        inputs: usize,
        expected: Dimension,
    ) -> Result<Formula, ExprError> {
        let typed = Compiler::new(scope).value(&self.ast)?;
        let typed = typed.expect(expected, self.ast.range.clone())?;
        let formula = Writer::new(inputs).finish(&typed.node);
        if formula.is_too_long() || inputs >= MAX_INPUTS {
            let range = self.ast.range.clone();
            let message = format!(
                "this is longer than {MAX_STEPS} operations or reads more than {} quantities",
                MAX_INPUTS - 1
            );
            return Err(ExprError::new(range, message)
                .with_help("move what is constant into parameters, or put it into a table"));
        }
        Ok(formula)
    }

    /// The expression as a function of time of the expected dimension.
    pub fn function(
        &self,
        scope: &dyn Scope,
        expected: Dimension,
    ) -> Result<TimeFunction, ExprError> {
        let typed = Compiler::new(scope).value(&self.ast)?;
        let typed = typed.expect(expected, self.ast.range.clone())?;
        if typed.node.has_map() {
            let message = "a table of two inputs cannot be followed by a prescribed motion";
            let finding = Diagnostic::error("G0216", message)
                .help("give the motion as a table of one input; loads may have tables of two");
            return Err(ExprError::of_table(self.ast.range.clone(), vec![finding]));
        }
        Ok(match typed.node {
            Node::Constant(value) => TimeFunction::Constant(value),
            Node::Linear { start, rate } => TimeFunction::Linear { start, rate },
            node => TimeFunction::Law(Arc::new(Law::new(node))),
        })
    }
}
