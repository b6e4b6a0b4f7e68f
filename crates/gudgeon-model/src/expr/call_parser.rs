//! Calls of functions, with the materials of `hertz`.

use std::ops::Range;

use super::ExprError;
use super::ast::{Ast, AstKind, Function, Interpolation};
use super::lexer::Kind;
use super::parser::Parser;
use crate::units::is_unit_name;

impl Parser<'_> {
    pub fn call(&mut self) -> Result<Ast, ExprError> {
        let (word, name) = (self.word(), self.advance());
        let Some(function) = Function::find(word) else {
            return Err(unknown_function(word, name));
        };
        let open = self.advance();
        let start = name.start;
        let kind = self.deeper(|parser| match function {
            Function::Table => parser.table(Interpolation::Linear, name, open),
            Function::Spline => parser.table(Interpolation::Spline, name, open),
            Function::Hertz => parser.hertz(name, open),
            _ => parser.arguments(function, name, open),
        })?;
        Ok(Ast { kind, range: self.since(start) })
    }

    fn arguments(
        &mut self,
        function: Function,
        name: Range<usize>,
        open: Range<usize>,
    ) -> Result<AstKind, ExprError> {
        let arguments = self.list(Kind::Close, ")", open, Self::any)?;
        if !function.takes(arguments.len()) {
            return Err(wrong_arguments(function, self.since(name.start)));
        }
        Ok(AstKind::Call(function, arguments))
    }

    /// Items separated by commas up to the closing token; `open` was taken already.
    pub fn list<T>(
        &mut self,
        close: Kind,
        shown: &str,
        open: Range<usize>,
        item: fn(&mut Self) -> Result<T, ExprError>,
    ) -> Result<Vec<T>, ExprError> {
        let mut items = Vec::new();
        if self.take(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.take(Kind::Comma) {
                self.close(close, shown, open)?;
                return Ok(items);
            }
            if self.take(close) {
                return Ok(items);
            }
        }
    }

    fn hertz(&mut self, name: Range<usize>, open: Range<usize>) -> Result<AstKind, ExprError> {
        let radii = [self.radius(&name)?, self.radius(&name)?];
        let bearing = self.material()?;
        if !self.take(Kind::Comma) {
            return Err(wrong_arguments(Function::Hertz, self.since(name.start)));
        }
        let journal = self.material()?;
        self.close(Kind::Close, ")", open)?;
        Ok(AstKind::Hertz(Box::new(radii), Box::new([bearing, journal])))
    }

    fn radius(&mut self, name: &Range<usize>) -> Result<Ast, ExprError> {
        let ast = self.sum()?;
        if self.take(Kind::Comma) {
            return Ok(ast);
        }
        Err(wrong_arguments(Function::Hertz, self.since(name.start)))
    }

    fn material(&mut self) -> Result<(String, Range<usize>), ExprError> {
        if self.kind() != Kind::Name {
            return Err(ExprError::new(self.range(), "expected a material")
                .with_help("the last two arguments are names such as `steel`"));
        }
        let word = self.word().to_owned();
        Ok((word, self.advance()))
    }
}

fn unknown_function(word: &str, range: Range<usize>) -> ExprError {
    let error = ExprError::new(range, format!("`{word}` is not a function"));
    match crate::diagnostic::nearest(word, Function::names()) {
        Some(name) => error.with_help(format!("did you mean `{name}`?")),
        None if is_unit_name(word) || word == "t" || word == "pi" => {
            error.with_help(format!("write `{word} * (…)` to multiply"))
        }
        None => {
            let names: Vec<&str> = Function::names().collect();
            error.with_help(format!("functions are {}", names.join(", ")))
        }
    }
}

pub(super) fn wrong_arguments(function: Function, range: Range<usize>) -> ExprError {
    let message = format!("wrong number of arguments for `{}`", function.name());
    ExprError::new(range, message).with_help(format!("write `{}`", function.usage()))
}
