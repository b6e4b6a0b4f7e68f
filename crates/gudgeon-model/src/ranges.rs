//! Ranges of values, as analyses and studies vary them.

use crate::diagnostic::Diagnostic;
use crate::expr;
use crate::reader::{At, Context, Reader};

/// A unit for people: a value in SI is `factor` times the number in front of `unit`.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownUnit {
    pub unit: String,
    pub factor: f64,
}

/// How values lie between the ends of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Linear,
    Log,
}

/// So many values from `low` to `high`, both included; whole numbers each once.
pub fn spaced(low: f64, high: f64, scale: Scale, integer: bool, points: usize) -> Vec<f64> {
    let last = points.saturating_sub(1).max(1) as f64;
    let at = |i: usize| match (scale, i as f64 / last) {
        (_, u) if u <= 0.0 => low,
        (_, u) if u >= 1.0 => high,
        (Scale::Linear, u) => (low + u * (high - low)).clamp(low, high),
        (Scale::Log, u) => (low.ln() + u * (high.ln() - low.ln())).exp().clamp(low, high),
    };
    let mut values: Vec<f64> = (0..points).map(at).collect();
    if integer {
        values.iter_mut().for_each(|value| *value = value.round());
        values.dedup();
    }
    values
}

/// The unit of a quantity as written.
pub fn unit_of(text: &str) -> Option<ShownUnit> {
    let text = text.trim();
    let number = (1..=text.len())
        .rev()
        .filter(|end| text.is_char_boundary(*end))
        .find(|end| text[..*end].parse::<f64>().is_ok())?;
    let unit = text[number..].trim();
    let factor = expr::any_quantity(&format!("1 {unit}")).ok()?.value;
    (factor.is_finite() && factor > 0.0).then(|| ShownUnit { unit: unit.into(), factor })
}

/// The scale, if one is given; `None` if it is in error.
pub fn scale(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Option<Scale>> {
    if reader.get("scale").is_none() {
        return Some(None);
    }
    let scale = reader.choice(cx, "scale")?;
    Some(Some(if scale.value == "log" { Scale::Log } else { Scale::Linear }))
}

/// A range must rise.
pub fn check_order(cx: &mut Context<'_>, what: &str, low: At<f64>, high: At<f64>) -> Option<()> {
    if low.value < high.value && (high.value - low.value).is_finite() {
        return Some(());
    }
    let of = if what == "range" { "the range" } else { &format!("`{what}`") };
    let diagnostic = if low.value == high.value {
        Diagnostic::error("G2010", format!("{of} is empty: it begins and ends at the same value"))
            .at(high.span, "the same")
            .also(low.span, "")
            .help("for a fixed value write it in the model, under `[set]`, or into the formula")
    } else if low.value > high.value {
        Diagnostic::error("G2010", format!("{of} is inverted"))
            .at(high.span, "ends below its beginning")
            .also(low.span, "begins here")
            .help("write the smaller value first")
    } else {
        Diagnostic::error("G2010", format!("{of} is too wide")).at(high.span, "")
    };
    cx.report(diagnostic);
    None
}

/// A range over decades begins above zero.
pub fn check_log(cx: &mut Context<'_>, low: At<f64>) -> Option<()> {
    if low.value > 0.0 {
        return Some(());
    }
    let diagnostic = Diagnostic::error("G2012", "a logarithmic range needs positive ends")
        .at(low.span, "zero or negative")
        .help("begin above zero, or write `scale = \"linear\"`");
    cx.report(diagnostic);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_taken_as_written() {
        let unit = |text: &str| unit_of(text).map(|shown| shown.unit);
        assert_eq!(unit("50 rpm").as_deref(), Some("rpm"));
        assert_eq!(unit(" 3.3e8 N/m^1.5").as_deref(), Some("N/m^1.5"));
        assert_eq!(unit("-1e-3mm").as_deref(), Some("mm"));
        assert_eq!(unit("7").as_deref(), Some(""));
        assert_eq!(unit("=speed"), None);
        assert_eq!(unit("µ"), None);
        assert_eq!(unit(""), None);
        assert_eq!(unit_of("1 mm").map(|shown| shown.factor), Some(1e-3));
    }
}
