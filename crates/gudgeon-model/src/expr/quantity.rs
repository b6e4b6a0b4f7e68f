//! Plain quantities, a number with units, and what is said when the dimension is wrong.

use std::ops::Range;

use super::ExprError;
use super::lexer::Kind;
use super::parser::Parser;
use super::unit_parser::{Factor, Tonne};
use crate::units::{Converted, Dimension, Quantity, Short, suggestion};

/// Reads `"0.1 mm"`, `"3.4e9 N/m^1.5"`, `"-5 deg"` or `"0"` as a value in SI.
pub fn quantity(text: &str, expected: Dimension) -> Result<f64, ExprError> {
    let found = read(text, Help::Of(expected))?;
    let start = text.len() - text.trim_start().len();
    let range = start..text.trim_end().len().max(start);
    if found.dimension == expected || is_bare_zero(found) {
        return Ok(found.value);
    }
    Err(mismatch(found.dimension, Some(found.value), expected, range, Written::Literal))
}

/// Reads a quantity of any dimension.
pub fn any_quantity(text: &str) -> Result<Quantity, ExprError> {
    quantity_like(text, "0.1 mm")
}

/// Reads a quantity of any dimension; `example` is one that would be right there.
pub fn quantity_like(text: &str, example: &str) -> Result<Quantity, ExprError> {
    read(text, Help::Like(example))
}

/// How errors come with a way out.
#[derive(Clone, Copy)]
enum Help<'a> {
    /// This dimension is asked for.
    Of(Dimension),
    /// Something such as this.
    Like(&'a str),
    /// Without: the text is only a trial.
    None,
}

impl Help<'_> {
    fn dimension(self) -> Option<Dimension> {
        match self {
            Self::Of(dimension) => Some(dimension),
            Self::Like(_) | Self::None => None,
        }
    }

    /// What to write.
    fn text(self) -> String {
        let example = match self {
            Self::Of(dimension) if dimension.is_number() => {
                return "write a number such as 0.5".into();
            }
            Self::Of(Dimension::LENGTH) | Self::None => "0.1 mm".into(),
            Self::Of(dimension) => match dimension.common_units().first() {
                Some(unit) => format!("1 {unit}"),
                None => format!("1 {dimension}"),
            },
            Self::Like(example) => example.to_owned(),
        };
        format!("write a number with its unit, such as \"{example}\"")
    }
}

fn read(text: &str, help: Help) -> Result<Quantity, ExprError> {
    let mut parser = Parser::new(text)?;
    if parser.kind() == Kind::End {
        return Err(ExprError::new(0..text.len(), "expected a quantity, found an empty text")
            .with_help(help.text()));
    }
    let start = parser.range().start;
    let negative = parser.take(Kind::Minus);
    if !negative {
        parser.take(Kind::Plus);
    }
    let (digits, factor) = number_and_units(&mut parser, help)?;
    let size = factor.quantity(digits, parser.since(start))?;
    Ok(if negative { Quantity { value: -size.value, ..size } } else { size })
}

/// The digits of a number without sign, and its units up to the end.
fn number_and_units<'a>(
    parser: &mut Parser<'a>,
    help: Help,
) -> Result<(&'a str, Factor), ExprError> {
    let digits = match parser.kind() {
        Kind::Number(_) => parser.word(),
        _ => return Err(not_a_number(parser, help)),
    };
    parser.advance();
    let units = parser.range().start;
    if parser.kind() == Kind::Number(1.0) && parser.kind_after(1) == Kind::Slash {
        parser.advance();
    }
    let factor = parser.more_units(Factor::ONE, units, Tonne::IsUnit)?;
    if parser.kind() != Kind::End {
        return Err(leftover(parser, digits, help));
    }
    Ok((digits, factor))
}

/// A unit by itself, such as the head of a column has.
#[derive(Clone, Copy)]
pub(crate) struct Unit(Factor);

impl Unit {
    pub const NUMBER: Self = Self(Factor::ONE);

    /// Reads `deg` or `N/m^1.5`.
    pub fn read(text: &str) -> Result<Self, ExprError> {
        const ONE: &str = "1 ";
        let quantity = format!("{ONE}{text}");
        let read = Parser::new(&quantity).and_then(|mut parser| {
            number_and_units(&mut parser, Help::Like("1 bar")).map(|(_, factor)| Self(factor))
        });
        read.map_err(|mut error| {
            let inside = |at: usize| at.saturating_sub(ONE.len()).min(text.len());
            error.range = inside(error.range.start)..inside(error.range.end);
            error
        })
    }

    pub fn dimension(&self) -> Dimension {
        self.0.quantity("1", 0..0).map_or(Dimension::NUMBER, |one| one.dimension)
    }

    /// The value in SI of a decimal number, which may have a sign.
    pub fn value(&self, number: &str) -> Option<f64> {
        let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
        let plain = digits.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
        if !plain
            || !digits.parse::<f64>().is_ok_and(f64::is_finite)
            || digits.starts_with(['+', '-'])
        {
            return None;
        }
        let size = self.0.quantity(digits, 0..0).ok()?.value;
        Some(if number.starts_with('-') { -size } else { size })
    }
}

/// The value in SI of a quantity used where `expected` is asked for. A bare 0 fits everywhere; the
/// radian is dropped where lever arms need it (see [`Dimension::accepts`]).
pub fn convert(
    found: Quantity,
    expected: Dimension,
    range: Range<usize>,
) -> Result<f64, ExprError> {
    if expected.accepts(found.dimension) || is_bare_zero(found) {
        return Ok(found.value);
    }
    Err(mismatch(found.dimension, Some(found.value), expected, range, Written::Literal))
}

pub(super) fn is_bare_zero(quantity: Quantity) -> bool {
    quantity.value == 0.0 && quantity.dimension.is_number()
}

/// How the user wrote a value, which decides how to correct it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Literal,
    Computed,
}

/// The error for a value of the wrong dimension; `value` where it is known.
pub(super) fn mismatch(
    found: Dimension,
    value: Option<f64>,
    expected: Dimension,
    range: Range<usize>,
    written: Written,
) -> ExprError {
    let message = format!("expected {}, found {}", expected.describe(), found.describe());
    let help = conversion(found, value, expected)
        .unwrap_or_else(|| correction(found, value, expected, written));
    ExprError::new(range, message).with_help(help)
}

/// Frequencies and angular speeds: the one mistake where the right value can be told.
fn conversion(found: Dimension, value: Option<f64>, expected: Dimension) -> Option<String> {
    let rpm = std::f64::consts::TAU / 60.0;
    match (found, expected) {
        (Dimension::FREQUENCY, Dimension::ANGULAR_SPEED) => {
            let value = value.unwrap_or(1.0);
            Some(format!("{} Hz = {} rpm", rounded(value, 6), rounded(value * 60.0, 6)))
        }
        (Dimension::ANGULAR_SPEED, Dimension::FREQUENCY) => {
            let value = value.unwrap_or(rpm) / rpm;
            Some(format!("{} rpm = {} Hz", rounded(value, 6), rounded(value / 60.0, 6)))
        }
        _ => None,
    }
}

fn correction(
    found: Dimension,
    value: Option<f64>,
    expected: Dimension,
    written: Written,
) -> String {
    let units = expected.common_units();
    let first = units.first().map_or("", String::as_str);
    match (written, value) {
        (Written::Literal, _) if expected.is_number() => "remove the unit".to_owned(),
        (Written::Computed, _) if expected.is_number() => format!("divide by `1 {found}`"),
        (Written::Literal, Some(value)) if found.is_number() => with_unit(value, expected, &units),
        (Written::Computed, _) if found.is_number() => {
            format!("multiply by a unit, such as `1 {first}`")
        }
        _ => {
            let units: Vec<String> = units.iter().map(|unit| format!("`{unit}`")).collect();
            format!("use a unit such as {}{}", units.join(" or "), weight(found, expected))
        }
    }
}

/// Masses written for their weights, as in `lb ft` for a torque, and weights for their masses.
fn weight(found: Dimension, expected: Dimension) -> &'static str {
    let heavier = |mass: Dimension| mass.checked_mul(Dimension::ACCELERATION);
    if heavier(found) == Some(expected) {
        "; the weight of a kilogram is `kgf`, of a pound `lbf`"
    } else if heavier(expected) == Some(found) {
        "; `kgf` and `lbf` are forces, a kilogram is `kg`, a pound `lb`"
    } else {
        ""
    }
}

/// What a bare number may have meant.
fn with_unit(value: f64, expected: Dimension, units: &[String]) -> String {
    let number = Short(value);
    if expected == Dimension::ANGLE {
        let degrees = rounded(value.to_degrees(), 3);
        return format!("write \"{number} rad\" (= {degrees} deg) or \"{number} deg\"");
    }
    let written: Vec<String> = units.iter().map(|unit| format!("\"{number} {unit}\"")).collect();
    format!("write {}", written.join(" or "))
}

/// `value` with so many significant digits.
fn rounded(value: f64, digits: usize) -> Short {
    let text = format!("{:.*e}", digits.saturating_sub(1), value);
    Short(text.parse().unwrap_or(value))
}

fn not_a_number(parser: &Parser, help: Help) -> ExprError {
    let (text, range) = (parser.text.trim(), parser.range());
    if parser.kind() == Kind::End {
        return ExprError::new(range, "expected a number, found the end").with_help(help.text());
    }
    let message = format!("expected a number, found `{}`", parser.word());
    let mut help = help.text();
    if super::Expression::parse(text).is_ok() {
        help.push_str(&format!(", or \"={text}\" if it is an expression"));
    }
    ExprError::new(range, message).with_help(help)
}

/// What follows number and units is neither.
fn leftover(parser: &mut Parser, digits: &str, help: Help) -> ExprError {
    // `mm/sec`: the word behind the sign is what is wrong.
    if matches!(parser.kind(), Kind::Slash | Kind::Star) && parser.kind_after(1) == Kind::Name {
        parser.advance();
    }
    let (word, range) = (parser.word(), parser.range());
    let unexpected = format!("expected a unit, found `{word}`");
    match parser.kind() {
        Kind::Name => {
            let error = ExprError::new(range, format!("`{word}` is not a unit"));
            match help {
                Help::Of(_) | Help::Like(_) => {
                    error.with_help(unit_for(parser, digits, help.dimension()))
                }
                Help::None => error,
            }
        }
        Kind::Comma => ExprError::new(range, "expected one quantity, found `,`")
            .with_help("write `.` as the decimal sign"),
        // `ft-lbf`
        Kind::Minus if joins_units(parser) => ExprError::new(range, unexpected)
            .with_help("write a space between units that are multiplied, as in `ft lbf`"),
        Kind::Number(_) if parser.tokens[parser.at - 1].kind == Kind::Slash => {
            ExprError::new(range, unexpected).with_help("write fractions as `m^(3/2)`")
        }
        _ => match super::Expression::parse(parser.text.trim()) {
            Ok(_) => ExprError::new(range, unexpected)
                .with_help(format!("write \"= {}\" if it is an expression", parser.text.trim())),
            Err(_) => ExprError::new(range, unexpected),
        },
    }
}

/// Whether the next sign stands between two units.
fn joins_units(parser: &Parser) -> bool {
    parser.at > 0
        && parser.tokens[parser.at - 1].kind == Kind::Name
        && parser.is_unit_after(1, Tonne::IsUnit)
}

/// What to write in place of a word that is no unit. Only what gives the dimension asked for is
/// suggested.
fn unit_for(parser: &Parser, digits: &str, expected: Option<Dimension>) -> String {
    let (text, word, range) = (parser.text, parser.word(), parser.range());
    // The number can be converted where the word is all of the unit.
    let alone =
        text[..range.start].trim_end().ends_with(digits) && parser.kind_after(1) == Kind::End;
    let sign = if text.trim_start().starts_with('-') { -1.0 } else { 1.0 };
    let number = digits.parse::<f64>().ok().filter(|_| alone).map(|number| sign * number);
    let fits = |unit: &str| {
        let trial = format!("{}{unit}{}", &text[..range.start], &text[range.end..]);
        let found = read(&trial, Help::None).map(|quantity| quantity.dimension);
        found.is_ok_and(|found| expected.is_none_or(|expected| found == expected))
    };
    if let Some(known) = Converted::of(word) {
        return match number.map(|number| known.text(number)) {
            Some(text) if fits(known.unit) => format!("{known}: write \"{text}\""),
            Some(_) => format!("{known}; {}", in_units_of(expected)),
            None => known.to_string(),
        };
    }
    match suggestion(word, expected.is_some(), fits) {
        Some(unit) => format!("did you mean `{unit}`?"),
        None => in_units_of(expected),
    }
}

/// In which units a value can be written.
fn in_units_of(expected: Option<Dimension>) -> String {
    match expected {
        Some(expected) if expected.is_number() => "remove the unit".to_owned(),
        Some(expected) => {
            let units: Vec<String> =
                expected.common_units().iter().map(|unit| format!("`{unit}`")).collect();
            format!("write {} in a unit such as {}", expected.noun(), units.join(" or "))
        }
        None => "units are m, mm, kg, s, N, Pa, J, W, Hz, rad, deg, rpm, …".to_owned(),
    }
}
