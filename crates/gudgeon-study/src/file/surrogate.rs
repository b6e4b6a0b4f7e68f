//! `[surrogate]`: a Kriging model of the responses.

use super::keys::SURROGATE;
use super::names::{Named, count, count_of, texts};
use super::plots::slice;
use super::{Correlation, Design, Nugget, Response, Surrogate, Trend, Validation, Variable};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::reader::{At, Context, Reader, list, suggest};
use gudgeon_model::source::Span;
use gudgeon_model::tree::{Name, Node, Value};

/// Starts of the likelihood search where the file gives none.
const STARTS: usize = 10;

/// The work of a fit grows with the cube of the samples.
const MOST_SAMPLES: usize = 5000;

/// What the section depends on.
pub(super) struct Around<'a, 't> {
    pub variables: &'a Named<'t, Variable>,
    pub responses: &'a Named<'t, Response>,
    /// `None` if it is absent or in error.
    pub design: Option<&'a Design>,
    /// Whether it is absent.
    pub no_design: bool,
    pub ensemble: usize,
}

pub(super) fn read(
    cx: &mut Context<'_>,
    around: &Around<'_, '_>,
    name: &Name,
    node: &Node,
) -> Option<Surrogate> {
    let reader = Reader::open(cx, "`[surrogate]`", name.span, node, &SURROGATE)?;
    if around.no_design {
        let diagnostic = Diagnostic::error("G2031", "a surrogate needs samples")
            .at(name.span, "there is no `[design]`")
            .help("add a section `[design]`, such as `method = \"lhs\"` and `samples = 30`");
        cx.report(diagnostic);
    }
    let errors = cx.diagnostics.len();
    reader.choice(cx, "kind");
    let trend = trend(cx, &reader);
    let correlation = correlation(cx, &reader);
    if let (Some(trend), Some(design)) = (trend, around.design) {
        check_samples(cx, around, &reader, trend, design);
    }
    let of = match reader.get("of") {
        Some(node) => around.responses.find_all(cx, "of", node),
        None => (0..around.responses.len()).collect(),
    };
    let (log_variables, log_responses) = match reader.get("log") {
        Some(node) => logarithms(cx, around, node),
        None => Default::default(),
    };
    let nugget = match reader.get("nugget") {
        Some(node) => nugget(cx, node),
        None if around.ensemble > 1 => Some(Nugget::Fitted),
        None => Some(Nugget::None),
    };
    let starts = count_of(cx, &reader, "starts").unwrap_or(STARTS);
    let validation = match reader.get("validation") {
        Some(node) => validation(cx, &reader, around.design, node),
        None => Some(Validation::LeaveOneOut),
    };
    warn_about_words(cx, around, name.span);
    let inputs = around.variables.len();
    let theta = each(cx, &reader, "theta", inputs, f64::MAX).unwrap_or_default();
    let exponent = each(cx, &reader, "exponent", inputs, 2.0).unwrap_or_default();
    check_given(cx, &reader, correlation, nugget);
    let points = reader.get("predict").and_then(|node| list(cx, "predict", node));
    let predict = points.unwrap_or_default().iter();
    let predict = predict.filter_map(|node| point(cx, around.variables, node)).collect();
    let (trend, correlation, nugget, validation) = (trend?, correlation?, nugget?, validation?);
    let wrong = cx.diagnostics.iter().skip(errors);
    if wrong
        .into_iter()
        .any(|finding| finding.severity == gudgeon_model::diagnostic::Severity::Error)
    {
        return None;
    }
    Some(Surrogate {
        trend,
        correlation,
        of,
        log_variables,
        log_responses,
        nugget,
        starts,
        validation,
        theta,
        exponent,
        predict,
    })
}

/// Numbers above zero, one for every variable or one for all.
fn each(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    key: &str,
    inputs: usize,
    most: f64,
) -> Option<Vec<f64>> {
    let node = reader.get(key)?;
    let nodes = match &node.value {
        Value::List(nodes) => nodes.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let single = !matches!(node.value, Value::List(_));
    if !single && nodes.len() != inputs {
        let message = format!("`{key}` has {}", counted(nodes.len(), "number", "numbers"));
        let wanted = counted(inputs, "variable", "variables");
        let diagnostic = Diagnostic::error("G2036", message)
            .at(node.span, format!("the study has {wanted}"))
            .help(format!(
                "give one number for each variable in their order, or `{key} = 2` for all"
            ));
        cx.report(diagnostic);
        return None;
    }
    let mut values = Vec::new();
    for node in nodes {
        match node.value {
            Value::Number { value, .. } if value > 0.0 && value <= most && value.is_finite() => {
                values.push(value)
            }
            _ => {
                let range = if most < f64::MAX {
                    format!("above 0 and up to {most}")
                } else {
                    "above 0".into()
                };
                let diagnostic = Diagnostic::error("G2036", format!("`{key}` must be {range}"));
                cx.report(diagnostic.at(node.span, "out of range"));
                return None;
            }
        }
    }
    Some(if single { vec![values[0]; inputs] } else { values })
}

/// What goes with parameters that are given.
fn check_given(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    correlation: Option<Correlation>,
    nugget: Option<Nugget>,
) {
    let powers = correlation.is_none_or(|with| with == Correlation::PowerExponential);
    let mut wrong = |key: &str, message: &str, help: &str| {
        let span = reader.get(key).map_or(reader.span, |node| node.span);
        cx.report(Diagnostic::error("G2036", message).at(span, "").help(help));
    };
    let (theta, exponent) = (reader.get("theta"), reader.get("exponent"));
    if exponent.is_some() && !powers {
        let message = "only the power-exponential correlation has an `exponent`";
        wrong("exponent", message, "remove it");
    }
    match (theta, exponent) {
        (Some(_), None) if powers => {
            wrong(
                "theta",
                "`theta` is given without `exponent`",
                "add `exponent = 2`, or leave both out",
            );
        }
        (None, Some(node)) if matches!(node.value, Value::List(_)) => {
            let message = "exponents of their own need `theta`";
            wrong("exponent", message, "give `theta`, or one `exponent` for all");
        }
        _ => {}
    }
    if theta.is_some() && nugget == Some(Nugget::Fitted) {
        let help = "give its share of the variance, such as `nugget = 0.01`, or `false`";
        let key = if reader.get("nugget").is_some() { "nugget" } else { "theta" };
        wrong(key, "a nugget cannot be fitted beside a given `theta`", help);
    }
}

/// A point of all variables.
fn point(cx: &mut Context<'_>, variables: &Named<'_, Variable>, node: &Node) -> Option<Vec<f64>> {
    let values = slice(cx, variables, "a point of `predict`", node);
    let mut point = Vec::new();
    for (i, (name, _)) in variables.iter().enumerate() {
        match values.iter().find(|(index, _)| *index == i) {
            Some((_, value)) => point.push(*value),
            None if node.as_table().is_some_and(|table| !table.has(&name.text)) => {
                let message = format!("a point of `predict` lacks `{}`", name.text);
                let diagnostic = Diagnostic::error("G2037", message).at(node.span, "not given");
                cx.report(diagnostic.help("a prediction needs a value of every variable"));
            }
            None => {}
        }
    }
    (point.len() == variables.len()).then_some(point)
}

fn trend(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Trend> {
    if reader.get("trend").is_none() {
        return Some(Trend::Constant);
    }
    Some(match reader.choice(cx, "trend")?.value {
        "linear" => Trend::Linear,
        "quadratic" => Trend::Quadratic,
        _ => Trend::Constant,
    })
}

fn correlation(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Correlation> {
    if reader.get("correlation").is_none() {
        return Some(Correlation::PowerExponential);
    }
    Some(match reader.choice(cx, "correlation")?.value {
        "squared-exponential" => Correlation::SquaredExponential,
        "matern-3/2" => Correlation::Matern32,
        "matern-5/2" => Correlation::Matern52,
        _ => Correlation::PowerExponential,
    })
}

fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A trend has an unknown for each of its terms, and needs more samples than that.
fn check_samples(
    cx: &mut Context<'_>,
    around: &Around<'_, '_>,
    reader: &Reader<'_>,
    trend: Trend,
    design: &Design,
) {
    let d = around.variables.len();
    let (word, unknowns) = match trend {
        Trend::Constant => ("constant", 1),
        Trend::Linear => ("linear", 1 + d),
        Trend::Quadratic => ("quadratic", (d + 1) * (d + 2) / 2),
    };
    if design.samples > MOST_SAMPLES {
        let message = format!("{} samples are too many for a surrogate", design.samples);
        let help = format!("take at most {MOST_SAMPLES} samples, or leave the surrogate out");
        cx.report(Diagnostic::error("G2032", message).at(reader.span, "").help(help));
    }
    // One sample more than unknowns, for the variance about the trend.
    let least = unknowns + 1;
    if design.samples >= least {
        return;
    }
    let place = reader.get("trend").map_or(reader.span, |node| node.span);
    let samples = counted(design.samples, "sample is", "samples are");
    let message = format!("{samples} too few for a surrogate with a {word} trend");
    let unknowns = counted(unknowns, "unknown", "unknowns");
    let label = format!("{unknowns} with {}", counted(d, "variable", "variables"));
    let simpler = if trend == Trend::Constant { "" } else { ", or a simpler trend" };
    let help = format!("take at least {least} samples, better {}{simpler}", 10 * d.max(1));
    cx.report(Diagnostic::error("G2032", message).at(place, label).help(help));
}

/// Names of variables and of responses; a logarithm needs positive values.
fn logarithms(
    cx: &mut Context<'_>,
    around: &Around<'_, '_>,
    node: &Node,
) -> (Vec<usize>, Vec<usize>) {
    let (mut variables, mut responses) = (Vec::new(), Vec::new());
    for name in texts(cx, "log", node) {
        let list = match around.variables.position(name.value) {
            Some(index) => {
                if let Some(variable) = around.variables.get(index) {
                    check_logarithm(cx, variable, name);
                }
                Some((&mut variables, index))
            }
            None => around.responses.position(name.value).map(|index| (&mut responses, index)),
        };
        match list {
            Some((list, index)) if list.contains(&index) => {
                super::names::twice(cx, name.value, name.span);
            }
            Some((list, index)) => list.push(index),
            None => {
                let message = format!("there is no response or variable `{}`", name.value);
                let names = around.responses.names().chain(around.variables.names());
                let diagnostic = Diagnostic::error("G2002", message)
                    .at(name.span, "not known")
                    .help(suggest(name.value, names));
                cx.report(diagnostic);
            }
        }
    }
    (variables, responses)
}

fn check_logarithm(cx: &mut Context<'_>, variable: &Variable, name: At<&str>) {
    let why = match (variable.values.choices(), variable.values.bounds()) {
        (Some(_), _) => "a choice has none",
        (_, Some((low, _))) if low > 0.0 => return,
        (_, None) => "a distribution without `limits` reaches below zero",
        _ => "its range is not positive",
    };
    let message = format!("there is no logarithm of the variable `{}`", name.value);
    cx.report(Diagnostic::error("G2033", message).at(name.span, why));
}

fn nugget(cx: &mut Context<'_>, node: &Node) -> Option<Nugget> {
    match node.value {
        Value::Flag(true) => Some(Nugget::Fitted),
        Value::Flag(false) => Some(Nugget::None),
        Value::Number { value, .. } if value >= 0.0 && value.is_finite() => {
            Some(if value > 0.0 { Nugget::Fixed(value) } else { Nugget::None })
        }
        _ => {
            let message = "`nugget` must be true, false or a number from 0";
            let label = format!("this is {}", node.kind());
            cx.report(Diagnostic::error("G2034", message).at(node.span, label));
            None
        }
    }
}

fn validation(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    design: Option<&Design>,
    node: &Node,
) -> Option<Validation> {
    if !matches!(node.value, Value::Number { .. }) {
        gudgeon_model::reader::choice(cx, "validation", node, &["leave-one-out"])?;
        return Some(Validation::LeaveOneOut);
    }
    let folds = count(cx, "validation", node, 2)?;
    if let Some(design) = design.filter(|design| design.samples < folds) {
        let message = format!("{} samples cannot make {folds} folds", design.samples);
        let diagnostic = Diagnostic::error("G2034", message)
            .at(node.span, format!("in {}", reader.owner))
            .help("use fewer folds, or \"leave-one-out\"");
        cx.report(diagnostic);
        return None;
    }
    Some(Validation::Folds(folds))
}

/// Kriging needs distances: three or more words get those of their order.
fn warn_about_words(cx: &mut Context<'_>, around: &Around<'_, '_>, place: Span) {
    for (name, variable) in around.variables.iter() {
        let Some(variable) = variable.filter(|variable| variable.is_text()) else { continue };
        if variable.values.bounds().is_some_and(|(_, last)| last >= 2.0) {
            let message =
                format!("the surrogate takes the choices of `{}` in their order", name.text);
            let diagnostic = Diagnostic::warning("G2035", message)
                .at(name.span, "neighbours count as alike")
                .also(place, "")
                .help("study words one by one, or order them from one extreme to the other");
            cx.report(diagnostic);
        }
    }
}
