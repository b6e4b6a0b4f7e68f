//! Tokens to a tree.
//!
//! ```text
//! any      = all { "or" all }
//! all      = not { "and" not }
//! not      = { "not" } compare
//! compare  = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//! sum      = product { ("+" | "-") product }
//! product  = unary { ("*" | "/") unary }
//! unary    = { "-" | "+" } power
//! power    = primary [ "^" unary ]
//! primary  = number [ units ] | units | name | call | "(" any ")"
//! ```
//!
//! A number followed by a unit is one quantity: `2 / 3 m/s` divides by three metres per second.

use std::ops::Range;

use super::ast::{Ast, AstKind, Comparison, Function, Side, Sign};
use super::lexer::{Kind, Token, tokens};
use super::unit_parser::{Factor, Tonne};
use super::{ALONE_A_PARAMETER, ExprError};
use crate::units::Quantity;

/// Nesting of parentheses, calls and powers that is read; enough for people, safe for the stack.
const MAX_DEPTH: usize = 64;

pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token>,
    pub at: usize,
    pub depth: usize,
    /// Parameters in the order of their use.
    pub names: Vec<(String, Range<usize>)>,
    /// Quantities of the state in the order of their use.
    pub quantities: Vec<(String, Range<usize>)>,
    /// Data files in the order of their use.
    pub files: Vec<(String, Range<usize>)>,
    /// Whether a table has two inputs.
    pub map: bool,
    /// First use of the time.
    pub time: Option<Range<usize>>,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Result<Self, ExprError> {
        let tokens = tokens(text)?;
        Ok(Self {
            text,
            tokens,
            at: 0,
            depth: 0,
            names: Vec::new(),
            quantities: Vec::new(),
            files: Vec::new(),
            map: false,
            time: None,
        })
    }

    pub fn expression(&mut self) -> Result<Ast, ExprError> {
        if self.kind() == Kind::End {
            return Err(ExprError::new(0..self.text.len(), "the expression is empty"));
        }
        let ast = self.any()?;
        match self.kind() {
            Kind::End => Ok(ast),
            _ => Err(self.expected_operator()),
        }
    }

    pub fn kind(&self) -> Kind {
        self.tokens[self.at].kind
    }

    pub fn kind_after(&self, count: usize) -> Kind {
        self.tokens.get(self.at + count).map_or(Kind::End, |token| token.kind)
    }

    pub fn range(&self) -> Range<usize> {
        self.tokens[self.at].range.clone()
    }

    pub fn word(&self) -> &'a str {
        &self.text[self.range()]
    }

    pub fn advance(&mut self) -> Range<usize> {
        let range = self.range();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        range
    }

    pub fn take(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.advance();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.kind() == Kind::Name && self.word() == word;
        if found {
            self.advance();
        }
        found
    }

    pub fn close(&mut self, kind: Kind, shown: &str, open: Range<usize>) -> Result<(), ExprError> {
        if self.take(kind) {
            return Ok(());
        }
        if self.kind() == Kind::End {
            return Err(ExprError::new(open, format!("no matching `{shown}`")));
        }
        Err(self.expected_operator())
    }

    /// The range from the start of `first` to the last token taken.
    pub fn since(&self, start: usize) -> Range<usize> {
        start..self.tokens[self.at.saturating_sub(1)].range.end.max(start)
    }

    /// Runs `parse` one level deeper.
    pub fn deeper<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, ExprError>,
    ) -> Result<T, ExprError> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            let help = "move parts of it into parameters";
            return Err(ExprError::new(self.range(), message).with_help(help));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub fn any(&mut self) -> Result<Ast, ExprError> {
        self.chain("or", Self::all, AstKind::Any)
    }

    fn all(&mut self) -> Result<Ast, ExprError> {
        self.chain("and", Self::not, AstKind::All)
    }

    fn chain(
        &mut self,
        word: &str,
        item: fn(&mut Self) -> Result<Ast, ExprError>,
        kind: fn(Vec<Ast>) -> AstKind,
    ) -> Result<Ast, ExprError> {
        let start = self.range().start;
        let first = item(self)?;
        if !(self.kind() == Kind::Name && self.word() == word) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.take_word(word) {
            items.push(item(self)?);
        }
        Ok(Ast { kind: kind(items), range: self.since(start) })
    }

    fn not(&mut self) -> Result<Ast, ExprError> {
        let start = self.range().start;
        let mut negations = 0_usize;
        while self.take_word("not") {
            negations += 1;
        }
        let inner = self.compare()?;
        Ok(match negations {
            0 => inner,
            // Two negations are kept so that the compiler still asks for a condition.
            count => {
                let range = self.since(start);
                let once = Ast { kind: AstKind::Not(Box::new(inner)), range: range.clone() };
                if count % 2 == 1 {
                    once
                } else {
                    Ast { kind: AstKind::Not(Box::new(once)), range }
                }
            }
        })
    }

    fn compare(&mut self) -> Result<Ast, ExprError> {
        let start = self.range().start;
        let left = self.sum()?;
        let Some(comparison) = as_comparison(self.kind()) else { return Ok(left) };
        self.advance();
        let right = self.sum()?;
        if as_comparison(self.kind()).is_some() {
            let help = "write `a < b and b < c`";
            return Err(
                ExprError::new(self.range(), "comparisons cannot be chained").with_help(help)
            );
        }
        let kind = AstKind::Compare(comparison, Box::new([left, right]));
        Ok(Ast { kind, range: self.since(start) })
    }

    pub fn sum(&mut self) -> Result<Ast, ExprError> {
        let start = self.range().start;
        let first = self.product()?;
        let mut terms = vec![(Sign::Plus, first)];
        loop {
            let sign = match self.kind() {
                Kind::Plus => Sign::Plus,
                Kind::Minus => Sign::Minus,
                _ => break,
            };
            self.advance();
            terms.push((sign, self.product()?));
        }
        let range = self.since(start);
        Ok(match single(&mut terms) {
            Some(alone) => alone,
            None => Ast { kind: AstKind::Sum(terms), range },
        })
    }

    fn product(&mut self) -> Result<Ast, ExprError> {
        let start = self.range().start;
        let mut factors = vec![(Side::Above, self.unary()?)];
        loop {
            let side = match self.kind() {
                Kind::Star if self.kind_after(1) == Kind::Star => {
                    return Err(ExprError::new(self.range(), "expected a value, found `*`")
                        .with_help("write `^` for a power"));
                }
                Kind::Star => Side::Above,
                Kind::Slash => Side::Below,
                _ => break,
            };
            self.advance();
            factors.push((side, self.unary()?));
        }
        let range = self.since(start);
        Ok(match single(&mut factors) {
            Some(alone) => alone,
            None => Ast { kind: AstKind::Product(factors), range },
        })
    }

    fn unary(&mut self) -> Result<Ast, ExprError> {
        let start = self.range().start;
        let mut sign = Sign::Plus;
        while let Kind::Plus | Kind::Minus = self.kind() {
            if self.kind() == Kind::Minus {
                sign = if sign == Sign::Plus { Sign::Minus } else { Sign::Plus };
            }
            self.advance();
        }
        let inner = self.power()?;
        match sign {
            Sign::Plus => Ok(inner),
            Sign::Minus => {
                Ok(Ast { kind: AstKind::Sum(vec![(Sign::Minus, inner)]), range: self.since(start) })
            }
        }
    }

    fn power(&mut self) -> Result<Ast, ExprError> {
        let start = self.range().start;
        let base = self.primary()?;
        if !self.take(Kind::Caret) {
            return Ok(base);
        }
        let exponent = self.deeper(Self::unary)?;
        let kind = AstKind::Power(Box::new([base, exponent]));
        Ok(Ast { kind, range: self.since(start) })
    }

    fn primary(&mut self) -> Result<Ast, ExprError> {
        match self.kind() {
            Kind::Number(_) => self.number(),
            Kind::Name => self.name(),
            Kind::Path => {
                let (name, range) = (self.word().to_owned(), self.advance());
                self.quantities.push((name.clone(), range.clone()));
                Ok(Ast { kind: AstKind::Quantity(name), range })
            }
            Kind::Open => {
                let open = self.advance();
                let inner = self.deeper(Self::any)?;
                self.close(Kind::Close, ")", open)?;
                Ok(inner)
            }
            Kind::OpenList => Err(ExprError::new(self.range(), "a list is not a value")
                .with_help("lists are arguments of `table` and `spline`")),
            Kind::Text => Err(ExprError::new(self.range(), "a text in quotes is not a value")
                .with_help("write names and quantities without quotes; in quotes stands the file of a `table`")),
            Kind::End => Err(ExprError::new(self.range(), "expected a value, found the end")),
            _ => Err(ExprError::new(
                self.range(),
                format!("expected a value, found `{}`", self.word()),
            )),
        }
    }

    fn number(&mut self) -> Result<Ast, ExprError> {
        let (digits, start) = (self.word(), self.advance().start);
        let factor = match self.kind() {
            Kind::Name if self.is_unit(Tonne::IsTime) => self.units(Tonne::IsTime)?,
            Kind::Name if !self.is_keyword() => return Err(self.not_a_unit(start)),
            _ => Factor::ONE,
        };
        let range = self.since(start);
        let value = factor.quantity(digits, range.clone())?;
        Ok(Ast { kind: AstKind::Value(value), range })
    }

    fn is_keyword(&self) -> bool {
        matches!(self.word(), "and" | "or" | "not")
    }

    fn name(&mut self) -> Result<Ast, ExprError> {
        let (word, start) = (self.word(), self.range().start);
        if self.kind_after(1) == Kind::Open {
            return self.call();
        }
        let alone = ALONE_A_PARAMETER.contains(&word);
        if self.is_unit(Tonne::IsTime) && !alone {
            let factor = self.units(Tonne::IsTime)?;
            let range = self.since(start);
            let value = factor.quantity("1", range.clone())?;
            return Ok(Ast { kind: AstKind::Value(value), range });
        }
        let range = self.range();
        let kind = match word {
            "t" => {
                self.time.get_or_insert(range.clone());
                AstKind::Time
            }
            "pi" => AstKind::Value(Quantity::number(std::f64::consts::PI)),
            "and" | "or" | "not" => {
                return Err(ExprError::new(range, format!("expected a value, found `{word}`")));
            }
            _ => match Function::find(word).filter(|_| !alone) {
                Some(function) => {
                    let message = format!("`{word}` is a function and needs arguments");
                    let help = format!("write `{}`", function.usage());
                    return Err(ExprError::new(range, message).with_help(help));
                }
                None => {
                    self.names.push((word.to_owned(), range.clone()));
                    AstKind::Name(word.to_owned())
                }
            },
        };
        self.advance();
        Ok(Ast { kind, range })
    }

    fn expected_operator(&self) -> ExprError {
        let range = self.range();
        if self.kind() == Kind::End {
            return ExprError::new(range, "expected an operator, found the end");
        }
        let word = self.word();
        let error = ExprError::new(range.clone(), format!("expected an operator, found `{word}`"));
        match self.kind() {
            Kind::Name | Kind::Path | Kind::Number(_) | Kind::Open => {
                error.with_help(format!("write `*` before `{word}` to multiply"))
            }
            Kind::Close | Kind::CloseList => {
                ExprError::new(range, format!("no matching bracket for `{word}`"))
            }
            _ => error,
        }
    }

    /// A number is followed by a name that is no unit.
    fn not_a_unit(&self, start: usize) -> ExprError {
        let (word, range) = (self.word(), self.range());
        let number = self.text[start..range.start].trim_end();
        if word == "t" {
            return ExprError::new(range, "`t` is the time in an expression").with_help(format!(
                "write `{number} * t` to multiply by the time; a tonne is `1000 kg`"
            ));
        }
        ExprError::not_a_unit(self.text, start, range)
    }
}

fn as_comparison(kind: Kind) -> Option<Comparison> {
    match kind {
        Kind::Less => Some(Comparison::Less),
        Kind::LessEqual => Some(Comparison::LessEqual),
        Kind::Greater => Some(Comparison::Greater),
        Kind::GreaterEqual => Some(Comparison::GreaterEqual),
        Kind::Equal => Some(Comparison::Equal),
        Kind::NotEqual => Some(Comparison::NotEqual),
        _ => None,
    }
}

/// The only item of a list that begins with one, if it is alone.
fn single<S>(items: &mut Vec<(S, Ast)>) -> Option<Ast> {
    if items.len() == 1 { items.pop().map(|(_, ast)| ast) } else { None }
}
