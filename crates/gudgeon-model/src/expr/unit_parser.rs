//! Units as they are written behind a number: `N m`, `kg·m²`, `N/m^1.5`, `m^(3/2)`, `J/(kg rad)`.
//!
//! ```text
//! units    = unit { [ "*" | "/" ] unit }
//! unit     = name [ "^" exponent ] | "(" units ")"
//! exponent = [ "-" ] number | "(" [ "-" ] number [ "/" number ] ")"
//! ```

use std::ops::Range;

use super::ExprError;
use super::ast::{Function, Side};
use super::lexer::Kind;
use super::parser::Parser;
use crate::units::{Dimension, Quantity, Ratio, Scale, scale};

/// `t` is a tonne in a plain quantity and the time in an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tonne {
    IsUnit,
    IsTime,
}

/// A product of powers of units.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    scale: Scale,
    dimension: Dimension,
}

impl Factor {
    pub const ONE: Self = Self { scale: Scale::ONE, dimension: Dimension::NUMBER };

    /// `digits`, a number without a sign, of this unit; `range` is where it is written.
    pub fn quantity(self, digits: &str, range: Range<usize>) -> Result<Quantity, ExprError> {
        match self.scale.read(digits) {
            Some(value) if value.is_finite() => Ok(Quantity::new(value, self.dimension)),
            _ => Err(ExprError::new(range, "this quantity is out of range")),
        }
    }

    fn times(self, other: Self) -> Option<Self> {
        let dimension = self.dimension.checked_mul(other.dimension)?;
        Some(Self { scale: self.scale.times(other.scale), dimension })
    }

    fn pow(self, exponent: Ratio) -> Option<Self> {
        let dimension = self.dimension.checked_pow(exponent)?;
        Some(Self { scale: self.scale.pow(exponent), dimension })
    }
}

impl Parser<'_> {
    /// Whether the next token is a unit.
    pub fn is_unit(&self, tonne: Tonne) -> bool {
        self.is_unit_after(0, tonne)
    }

    pub fn is_unit_after(&self, count: usize, tonne: Tonne) -> bool {
        if self.kind_after(count) != Kind::Name {
            return false;
        }
        let range = self.tokens[self.at + count].range.clone();
        let (word, is_dotted) =
            (&self.text[range.clone()], self.text[range.end..].starts_with('.'));
        let is_call = self.kind_after(count + 1) == Kind::Open && Function::find(word).is_some();
        let is_time = word == "t" && tonne == Tonne::IsTime;
        !is_call && !is_time && !is_dotted && scale(word).is_some()
    }

    /// Units from the next token on, as far as they go.
    pub fn units(&mut self, tonne: Tonne) -> Result<Factor, ExprError> {
        let start = self.range().start;
        let first = self.unit(tonne)?;
        self.more_units(first, start, tonne)
    }

    /// The units that follow on `product`, which began at `start`.
    pub fn more_units(
        &mut self,
        mut product: Factor,
        start: usize,
        tonne: Tonne,
    ) -> Result<Factor, ExprError> {
        loop {
            let side = match self.kind() {
                Kind::Name if self.is_unit(tonne) => Side::Above,
                Kind::Star if self.is_unit_after(1, tonne) => Side::Above,
                Kind::Slash if self.is_unit_after(1, tonne) => Side::Below,
                Kind::Slash if self.kind_after(1) == Kind::Open => {
                    let Some(group) = self.group_below(tonne) else { return Ok(product) };
                    product = combine(product, group, Side::Below, self.since(start))?;
                    continue;
                }
                _ => return Ok(product),
            };
            if self.kind() != Kind::Name {
                self.advance();
            }
            let unit = self.unit(tonne)?;
            product = combine(product, unit, side, self.since(start))?;
        }
    }

    /// `/ ( units )`, or nothing taken if the parentheses hold anything else.
    fn group_below(&mut self, tonne: Tonne) -> Option<Factor> {
        let (at, depth) = (self.at, self.depth);
        self.advance();
        let group = self.unit_group(tonne);
        if group.is_err() {
            (self.at, self.depth) = (at, depth);
        }
        group.ok()
    }

    /// `( units )`, with the opening parenthesis next.
    pub fn unit_group(&mut self, tonne: Tonne) -> Result<Factor, ExprError> {
        let open = self.advance();
        if !self.is_unit(tonne) {
            return Err(ExprError::new(self.range(), "expected a unit"));
        }
        let inner = self.deeper(|parser| parser.units(tonne))?;
        self.close(Kind::Close, ")", open)?;
        Ok(inner)
    }

    fn unit(&mut self, tonne: Tonne) -> Result<Factor, ExprError> {
        let (word, range) = (self.word(), self.range());
        let known = if self.is_unit(tonne) { scale(word) } else { None };
        let Some((scale, dimension)) = known else {
            return Err(ExprError::new(range, "expected a unit"));
        };
        self.advance();
        let unit = Factor { scale, dimension };
        if self.kind() != Kind::Caret {
            return Ok(unit);
        }
        self.advance();
        let exponent = self.exponent()?;
        let range = self.since(range.start);
        unit.pow(exponent).ok_or_else(|| out_of_range(range))
    }

    fn exponent(&mut self) -> Result<Ratio, ExprError> {
        let start = self.range().start;
        let grouped = self.take(Kind::Open);
        let numerator = self.exponent_number()?;
        let mut exponent = Some(numerator);
        if grouped {
            if self.take(Kind::Slash) {
                let denominator = self.exponent_number()?;
                exponent = Ratio::approximate(numerator.value() / denominator.value());
            }
            if !self.take(Kind::Close) {
                return Err(ExprError::new(self.range(), "expected `)` behind the exponent")
                    .with_help("exponents of units are numbers or fractions, as in `m^(3/2)`"));
            }
        }
        exponent.ok_or_else(|| out_of_range(self.since(start)))
    }

    fn exponent_number(&mut self) -> Result<Ratio, ExprError> {
        let negative = self.take(Kind::Minus);
        let Kind::Number(number) = self.kind() else {
            return Err(ExprError::new(self.range(), "expected a number as exponent of the unit")
                .with_help("write it as in `m^2`, `m^1.5` or `m^(3/2)`"));
        };
        let range = self.advance();
        let signed = if negative { -number } else { number };
        Ratio::approximate(signed).ok_or_else(|| out_of_range(range))
    }
}

fn combine(
    product: Factor,
    unit: Factor,
    side: Side,
    range: Range<usize>,
) -> Result<Factor, ExprError> {
    let unit = match side {
        Side::Above => Some(unit),
        Side::Below => unit.pow(Ratio::whole(-1)),
    };
    unit.and_then(|unit| product.times(unit)).ok_or_else(|| out_of_range(range))
}

fn out_of_range(range: Range<usize>) -> ExprError {
    ExprError::new(range, "the exponent of this unit is out of range")
}
