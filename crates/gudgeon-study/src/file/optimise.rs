//! `[optimise]`: objectives, limits and the method of the search.

use super::keys::OPTIMISE;
use super::names::{Named, count_of, flag, texts, twice};
use super::{
    Constraint, Evaluator, Objective, Optimise, Optimiser, Relation, Response, Surrogate, Variable,
};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::expr;
use gudgeon_model::reader::{Context, Reader, list, text};
use gudgeon_model::source::Span;
use gudgeon_model::tree::{Name, Node};
use gudgeon_model::units::Dimension;
use gudgeon_model::values::{Piece, quantity, quantity_of};

/// What the section depends on.
pub(super) struct Around<'a, 't> {
    pub variables: &'a Named<'t, Variable>,
    pub responses: &'a Named<'t, Response>,
    /// `None` if it is absent or in error.
    pub surrogate: Option<&'a Surrogate>,
    /// Whether it is absent.
    pub no_surrogate: bool,
}

pub(super) fn read(
    cx: &mut Context<'_>,
    around: &Around<'_, '_>,
    name: &Name,
    node: &Node,
) -> Option<Optimise> {
    let reader = Reader::open(cx, "`[optimise]`", name.span, node, &OPTIMISE)?;
    let errors = cx.diagnostics.len();
    check_ranges(cx, around, name.span);
    let objectives = objectives(cx, around, &reader);
    let subject_to = match reader.get("subject_to") {
        Some(node) => constraints(cx, around, node),
        None => Vec::new(),
    };
    let method = method(cx, &reader, objectives.len());
    let on = evaluator(cx, &reader, around.no_surrogate, method);
    if on == Some(Evaluator::Surrogate) || method == Some(Optimiser::Ego) {
        check_fitted(cx, around, &reader);
    }
    let [evaluations, population, generations] =
        ["evaluations", "population", "generations"].map(|key| count_of(cx, &reader, key));
    let stop_below = stop_below(cx, around, &reader, method, &objectives);
    let [crossover, mutation] =
        ["crossover", "mutation"].map(|key| probability(cx, &reader, key, method));
    if method != Some(Optimiser::Ga) {
        refuse_of_genetic(cx, &reader, "polish", "`ga`");
    }
    let polish = flag(cx, &reader, "polish").unwrap_or(true);
    if cx.diagnostics.len() > errors {
        return None;
    }
    Some(Optimise {
        objectives,
        subject_to,
        on: on?,
        method: method?,
        evaluations,
        stop_below,
        population,
        generations,
        crossover,
        mutation,
        polish,
    })
}

/// A setting that only some searches have.
fn refuse_of_genetic(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str, owners: &str) {
    if let Some(node) = reader.get(key) {
        let diagnostic = Diagnostic::error("G2047", format!("`{key}` is for {owners}"))
            .at(node.span, "another method")
            .help("remove it, or change `method`");
        cx.report(diagnostic);
    }
}

/// A probability of the genetic methods.
fn probability(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    key: &str,
    method: Option<Optimiser>,
) -> Option<f64> {
    let node = reader.get(key)?;
    if method == Some(Optimiser::Ego) {
        refuse_of_genetic(cx, reader, key, "`ga` and `nsga2`");
        return None;
    }
    let value = quantity(cx, key, node, Dimension::NUMBER)?;
    if (0.0..=1.0).contains(&value) {
        return Some(value);
    }
    let diagnostic = Diagnostic::error("G2047", format!("`{key}` is a probability, 0 to 1"));
    cx.report(diagnostic.at(node.span, format!("{value} given")));
    None
}

/// A search chooses values; those of a distribution are not ours to choose.
fn check_ranges(cx: &mut Context<'_>, around: &Around<'_, '_>, place: Span) {
    for (name, variable) in around.variables.iter() {
        if variable.is_some_and(Variable::is_distribution) {
            let message = format!("`{}` scatters and cannot be optimised", name.text);
            let diagnostic = Diagnostic::error("G2041", message)
                .at(name.span, "a distribution")
                .also(place, "")
                .help("give it `from` and `to`, or remove `[optimise]`");
            cx.report(diagnostic);
        }
    }
}

fn objectives(
    cx: &mut Context<'_>,
    around: &Around<'_, '_>,
    reader: &Reader<'_>,
) -> Vec<Objective> {
    let mut objectives: Vec<Objective> = Vec::new();
    for (key, maximise) in [("minimise", false), ("maximise", true)] {
        let Some(node) = reader.get(key) else { continue };
        for name in texts(cx, key, node) {
            let Some(response) = around.responses.find(cx, name.value, name.span) else { continue };
            if objectives.iter().any(|objective| objective.response == response) {
                twice(cx, name.value, name.span);
            } else {
                objectives.push(Objective { response, maximise });
            }
        }
    }
    let listed = |key| reader.get(key).is_some_and(|node: &Node| !is_empty(node));
    if !listed("minimise") && !listed("maximise") {
        let diagnostic = Diagnostic::error("G2042", "nothing to optimise")
            .at(reader.span, "no `minimise` and no `maximise`")
            .help("add `minimise = [..]` with the name of a response");
        cx.report(diagnostic);
    }
    objectives
}

fn is_empty(node: &Node) -> bool {
    matches!(&node.value, gudgeon_model::tree::Value::List(list) if list.is_empty())
}

fn method(cx: &mut Context<'_>, reader: &Reader<'_>, objectives: usize) -> Option<Optimiser> {
    let Some(node) = reader.get("method") else {
        return Some(if objectives > 1 { Optimiser::Nsga2 } else { Optimiser::Ga });
    };
    let method = match reader.choice(cx, "method")?.value {
        "nsga2" => Optimiser::Nsga2,
        "ego" => Optimiser::Ego,
        _ => Optimiser::Ga,
    };
    let (message, help) = match (method, objectives) {
        (_, 0) | (Optimiser::Nsga2, 2..) | (Optimiser::Ga | Optimiser::Ego, 1) => {
            return Some(method);
        }
        (Optimiser::Nsga2, _) => ("`nsga2` is for several objectives", "use `ga` or `ego`"),
        (Optimiser::Ga, _) => ("`ga` is for one objective", "use `nsga2`, or keep one objective"),
        (Optimiser::Ego, _) => ("`ego` is for one objective", "use `nsga2`, or keep one objective"),
    };
    let label =
        if objectives == 1 { "there is one".into() } else { format!("there are {objectives}") };
    cx.report(Diagnostic::error("G2043", message).at(node.span, label).help(help));
    None
}

/// An improvement of the objective, in its unit.
fn stop_below(
    cx: &mut Context<'_>,
    around: &Around<'_, '_>,
    reader: &Reader<'_>,
    method: Option<Optimiser>,
    objectives: &[Objective],
) -> Option<f64> {
    let node = reader.get("stop_below")?;
    if method? != Optimiser::Ego {
        let diagnostic = Diagnostic::error("G2046", "`stop_below` is for `ego`")
            .at(node.span, "an expected improvement")
            .help("use `method = \"ego\"`, or remove it");
        cx.report(diagnostic);
        return None;
    }
    let response = around.responses.get(objectives.first()?.response)?;
    let value = quantity(cx, "stop_below", node, dimension(&response.unit))?;
    if value > 0.0 {
        return Some(value);
    }
    let diagnostic = Diagnostic::error("G2046", "`stop_below` must be positive")
        .at(node.span, "no improvement is smaller")
        .help("give what is not worth a run, or remove it to use all evaluations");
    cx.report(diagnostic);
    None
}

/// What is evaluated: the surrogate where there is one, unless the section says otherwise.
pub(super) fn evaluator(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    no_surrogate: bool,
    method: Option<Optimiser>,
) -> Option<Evaluator> {
    let ego = method == Some(Optimiser::Ego);
    let place = |key| reader.get(key).map_or(reader.span, |node| node.span);
    let (on, lacks) = match reader.get("on") {
        Some(node) => match (reader.choice(cx, "on")?.value, ego) {
            ("surrogate", true) => {
                let message = "`ego` simulates where it pays: it cannot stay on the surrogate";
                let diagnostic = Diagnostic::error("G2043", message).at(node.span, "");
                cx.report(diagnostic.help("remove `on`, or use `method = \"ga\"`"));
                return None;
            }
            ("surrogate", false) => (Evaluator::Surrogate, no_surrogate.then_some("on")),
            _ => (Evaluator::Simulator, (ego && no_surrogate).then_some("method")),
        },
        None if ego => (Evaluator::Simulator, no_surrogate.then_some("method")),
        None if no_surrogate => (Evaluator::Simulator, None),
        None => (Evaluator::Surrogate, None),
    };
    if let Some(key) = lacks {
        let diagnostic = Diagnostic::error("G2031", "there is no `[surrogate]`")
            .at(place(key), "needs one")
            .help("add a section `[surrogate]`, such as `kind = \"kriging\"`");
        cx.report(diagnostic);
        return None;
    }
    Some(on)
}

/// Objectives and limits must be among the fitted responses.
fn check_fitted(cx: &mut Context<'_>, around: &Around<'_, '_>, reader: &Reader<'_>) {
    let Some(surrogate) = around.surrogate else { return };
    for key in ["minimise", "maximise", "subject_to"] {
        for node in reader.get(key).and_then(|node| list_of(node)).unwrap_or_default() {
            let Some(name) = node.as_text() else { continue };
            let name = name.split(['<', '>']).next().unwrap_or("").trim();
            let index = around.responses.position(name);
            if index.is_some_and(|index| !surrogate.of.contains(&index)) {
                let message = format!("the surrogate leaves out `{name}`");
                let diagnostic = Diagnostic::error("G2044", message).at(node.span, "needed here");
                cx.report(diagnostic.help("add it to `of` in `[surrogate]`"));
            }
        }
    }
}

fn list_of(node: &Node) -> Option<&[Node]> {
    match &node.value {
        gudgeon_model::tree::Value::List(list) => Some(list),
        _ => None,
    }
}

fn constraints(cx: &mut Context<'_>, around: &Around<'_, '_>, node: &Node) -> Vec<Constraint> {
    let nodes = list(cx, "subject_to", node).unwrap_or_default();
    nodes.iter().filter_map(|node| constraint(cx, around, node)).collect()
}

/// `response < quantity`.
fn constraint(cx: &mut Context<'_>, around: &Around<'_, '_>, node: &Node) -> Option<Constraint> {
    let written = text(cx, "subject_to", node)?.value;
    let Some(at) = written.find(['<', '>']) else {
        let diagnostic = Diagnostic::error("G2045", format!("`{}` is no limit", written.trim()))
            .at(node.span, "no `<` or `>`")
            .help("write a response, `<`, `<=`, `>` or `>=`, and a quantity: \"power < 100 kW\"");
        cx.report(diagnostic);
        return None;
    };
    let equal = written[at + 1..].starts_with('=');
    let relation = match (written[at..].starts_with('<'), equal) {
        (true, false) => Relation::Below,
        (true, true) => Relation::AtMost,
        (false, false) => Relation::Above,
        (false, true) => Relation::AtLeast,
    };
    let whole = Piece::whole(node, written);
    let name = whole.within(0..at);
    let limit = whole.within(at + 1 + usize::from(equal)..written.len());
    let response = around.responses.find(cx, name.text, name.whole_span())?;
    let unit = &around.responses.get(response)?.unit;
    let limit = quantity_of(cx, name.text, limit, dimension(unit))?;
    Some(Constraint { text: written.trim().into(), response, relation, limit })
}

/// The dimension of an SI unit as outputs name it.
pub(super) fn dimension(unit: &str) -> Dimension {
    expr::any_quantity(&format!("1 {unit}")).map_or(Dimension::NUMBER, |one| one.dimension)
}
