//! `[design]`: where the samples lie.

use super::keys::DESIGN;
use super::names::{MOST, Named, count, count_of, flag};
use super::points::{self, Files, Read};
use super::{Design, DesignMethod, Response, Variable};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::reader::{At, Context, Reader, text};
use gudgeon_model::source::Span;
use gudgeon_model::tree::{Name, Node, Table, Value};

pub(super) fn read(
    cx: &mut Context<'_>,
    files: &mut Files<'_>,
    variables: &Named<'_, Variable>,
    responses: &Named<'_, Response>,
    name: &Name,
    node: &Node,
) -> Option<Design> {
    let (method, reader) = Reader::open_tagged(cx, "`[design]`", name.span, node, &DESIGN)?;
    let place = reader.get("method").map_or(name.span, |node| node.span);
    let method = match method {
        "lhs" => {
            let ends = flag(cx, &reader, "ends").unwrap_or(false);
            if ends {
                check_ends(cx, variables, &reader)?;
            }
            DesignMethod::Lhs {
                optimise: flag(cx, &reader, "optimise").unwrap_or(true),
                centred: flag(cx, &reader, "centred").unwrap_or(false),
                ends,
            }
        }
        "factorial" => return factorial(cx, variables, &reader, place),
        "sobol" => DesignMethod::Sobol,
        "monte-carlo" => DesignMethod::MonteCarlo,
        _ => return file(cx, files, variables, responses, &reader),
    };
    Some(Design { method, samples: count_of(cx, &reader, "samples")? })
}

/// A hypercube with both ends among its levels needs ends, and two samples.
fn check_ends(
    cx: &mut Context<'_>,
    variables: &Named<'_, Variable>,
    reader: &Reader<'_>,
) -> Option<()> {
    let span = reader.get("ends").map_or(reader.span, |node| node.span);
    let errors = cx.diagnostics.len();
    for (name, variable) in variables.iter() {
        if variable.is_some_and(Variable::is_distribution) {
            let message = format!("the distribution of `{}` has no ends", name.text);
            let diagnostic = Diagnostic::error("G2021", message)
                .at(span, "needs ranges and choices")
                .also(name.span, "a distribution")
                .help("leave `ends` out, or give the variable `from` and `to`");
            cx.report(diagnostic);
        }
    }
    if reader.get("centred").is_some() {
        let diagnostic = Diagnostic::error("G2021", "levels from end to end have no middles")
            .at(span, "beside `centred`")
            .help("keep one of both");
        cx.report(diagnostic);
    }
    if count_of(cx, reader, "samples") == Some(1) {
        let diagnostic = Diagnostic::error("G2021", "one sample cannot stand at both ends");
        cx.report(diagnostic.at(span, "needs two samples").help("take more `samples`"));
    }
    (cx.diagnostics.len() == errors).then_some(())
}

fn factorial(
    cx: &mut Context<'_>,
    variables: &Named<'_, Variable>,
    reader: &Reader<'_>,
    place: Span,
) -> Option<Design> {
    let spread =
        variables.iter().find(|(_, variable)| variable.is_some_and(Variable::is_distribution));
    if let Some((name, _)) = spread {
        let message =
            format!("a factorial design has no levels for the distribution of `{}`", name.text);
        let diagnostic = Diagnostic::error("G2021", message)
            .at(place, "needs ranges and choices")
            .also(name.span, "a distribution")
            .help("use `monte-carlo`, `lhs` or `sobol`, or give the variable `from` and `to`");
        cx.report(diagnostic);
        return None;
    }
    let levels = match reader.get("levels") {
        Some(node) => match &node.value {
            Value::Table(table) => each(cx, variables, node.span, table)?,
            _ => vec![count(cx, "levels", node, 2)?; variables.len()],
        },
        None => each(cx, variables, place, &Table::default())?, // enough for choices
    };
    let levels: Vec<usize> = (0..variables.len())
        .map(|i| variables.get(i).map_or(1, |variable| possible(variable, levels[i])))
        .collect();
    let samples = levels.iter().try_fold(1_usize, |product, levels| product.checked_mul(*levels));
    let Some(samples) = samples.filter(|samples| *samples <= MOST) else {
        let message = format!("the levels make more than {MOST} samples");
        let place = reader.get("levels").map_or(place, |node| node.span);
        let diagnostic = Diagnostic::error("G2022", message).at(place, "too many");
        cx.report(diagnostic.help("use fewer levels, or another `method`"));
        return None;
    };
    Some(Design { method: DesignMethod::Factorial { levels }, samples })
}

/// Levels by name: of every range. Choices and whole numbers have their own where none are given.
fn each(
    cx: &mut Context<'_>,
    variables: &Named<'_, Variable>,
    span: Span,
    table: &Table,
) -> Option<Vec<usize>> {
    let errors = cx.diagnostics.len();
    let mut levels = vec![None; variables.len()];
    for (name, node) in &table.entries {
        let index = variables.find(cx, &name.text, name.span);
        let count = count(cx, &name.text, node, 2);
        let chosen = index.and_then(|index| variables.get(index));
        if chosen.is_some_and(|variable| variable.values.choices().is_some()) {
            let message = format!("`{}` is a choice: all its values are levels", name.text);
            let diagnostic = Diagnostic::error("G2021", message).at(name.span, "");
            cx.report(diagnostic.help(format!("remove `{}` from `levels`", name.text)));
        }
        if let Some(index) = index {
            levels[index] = count;
        }
    }
    for (i, (name, variable)) in variables.iter().enumerate() {
        let counted = variable.is_none_or(|variable| values_of(variable).is_some());
        if levels[i].is_none() && !counted && !table.has(&name.text) {
            let message = format!("`levels` lacks `{}`", name.text);
            let diagnostic = Diagnostic::error("G2021", message).at(span, "not given");
            cx.report(diagnostic.help(format!("add `{} = 3`", name.text)));
        }
    }
    let all = levels.into_iter().map(|levels| levels.unwrap_or(MOST)).collect();
    (cx.diagnostics.len() == errors).then_some(all)
}

/// How many values a variable has, if they can be counted.
fn values_of(variable: &Variable) -> Option<usize> {
    let most = if variable.values.choices().is_some() { usize::MAX } else { MOST };
    variable.values.count().map(|count| count.min(most))
}

fn possible(variable: &Variable, wanted: usize) -> usize {
    match (variable.values.choices(), values_of(variable)) {
        (Some(_), Some(all)) => all,
        (_, Some(all)) => wanted.min(all),
        (_, None) => wanted,
    }
}

fn file(
    cx: &mut Context<'_>,
    files: &mut Files<'_>,
    variables: &Named<'_, Variable>,
    responses: &Named<'_, Response>,
    reader: &Reader<'_>,
) -> Option<Design> {
    let wanted = match reader.get("samples") {
        Some(node) => Some(At { value: count(cx, "samples", node, 1)?, span: node.span }),
        None => None,
    };
    let node = reader.get("file")?;
    let name = text(cx, "file", node)?;
    let Read { points, given } = points::read(cx, files, variables, responses, name)?;
    let samples = points.len();
    if let Some(wanted) = wanted.filter(|wanted| wanted.value != samples) {
        let message = format!("`{}` holds {samples} points", name.value);
        let diagnostic = Diagnostic::error("G2023", message)
            .at(wanted.span, format!("{} expected", wanted.value))
            .also(name.span, "")
            .help("remove `samples`, or correct the file");
        cx.report(diagnostic);
        return None;
    }
    Some(Design { method: DesignMethod::File { points, given }, samples })
}
