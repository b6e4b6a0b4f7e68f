//! Named outputs by formula.
//!
//! They may read each other in any order, so all are parsed first and built in an order in which each
//! follows those it reads.

use gudgeon::sensor::{MAX_READ, OutputFormula, Outputs, Sensor};

use super::Builder;
use super::functions::{Readable, dimension_of};
use crate::diagnostic::Diagnostic;
use crate::expr::{Expression, any_quantity};
use crate::order::Order;
use crate::reader::Context;
use crate::spec::outputs::OutputSpec;
use crate::units::Dimension;
use crate::values::{Known, Piece, finish, parse};

/// Outputs of a loop that a message shows.
const CHAIN: usize = 8;

/// An output whose expression can be read.
struct Parsed<'s> {
    spec: &'s OutputSpec<'s>,
    piece: Piece<'s>,
    expression: Expression,
}

/// Outputs that an expression reads, with their names and dimensions.
type Inputs = (Vec<Sensor>, Vec<(String, Dimension)>);

impl Builder<'_> {
    pub(super) fn add_outputs(&mut self, cx: &mut Context<'_>, specs: &[OutputSpec<'_>]) {
        if specs.is_empty() {
            return;
        }
        let parsed: Vec<Option<Parsed<'_>>> = specs.iter().map(|spec| parsed(cx, spec)).collect();
        let named: Vec<&str> = specs.iter().map(|spec| &spec.name.text[..]).collect();
        let uses: Vec<Vec<usize>> = parsed.iter().map(|one| uses(one.as_ref(), &named)).collect();
        let Order { order, cycles } = Order::of(&uses);
        for path in cycles {
            report_loop(cx, &parsed, &path);
        }
        let mut known = Outputs::of(&self.model);
        let mut built: Vec<Option<OutputFormula>> = specs.iter().map(|_| None).collect();
        for i in order {
            let Some(one) = &parsed[i] else { continue };
            if uses[i].iter().any(|&other| built[other].is_none()) {
                continue;
            }
            built[i] = self.output(cx, one, &known, &named);
            known_as(&mut known, built[i].as_ref());
        }
        for (spec, formula) in specs.iter().zip(built) {
            match formula {
                Some(formula) => self.model.outputs.push(formula),
                None => {
                    self.broken.insert(spec.name.text.clone());
                }
            }
        }
    }

    fn output(
        &self,
        cx: &mut Context<'_>,
        one: &Parsed<'_>,
        known: &Outputs,
        named: &[&str],
    ) -> Option<OutputFormula> {
        let Parsed { spec, piece, expression } = one;
        let name = &spec.name.text;
        let (inputs, read) = self.inputs(cx, one, known, named)?;
        let scope = Readable { parameters: Known::at(cx, *piece), quantities: &read, named };
        let found = expression.dimension(&scope);
        let found = finish(cx, *piece, found)?;
        let (dimension, unit) = unit(cx, spec, *piece, found)?;
        let scope = Readable { parameters: Known::at(cx, *piece), quantities: &read, named };
        let formula = expression.formula(&scope, inputs.len(), dimension);
        let formula = finish(cx, *piece, formula)?;
        let about = spec.about.map_or_else(|| format!("= {}", piece.text), str::to_owned);
        let whole = OutputFormula::new(name, &unit, &about, &formula, &inputs);
        whole
            .map_err(|_| {
                let message = format!(
                    "output `{name}` is too long with the outputs it names, or reads more than {MAX_READ} quantities in all"
                );
                let diagnostic = Diagnostic::error("G0924", message).at(piece.whole_span(), "");
                cx.report(diagnostic.help("report some of the outputs it names instead"));
            })
            .ok()
    }

    /// The outputs that an expression names, each once, with their dimensions.
    fn inputs(
        &self,
        cx: &mut Context<'_>,
        one: &Parsed<'_>,
        known: &Outputs,
        named: &[&str],
    ) -> Option<Inputs> {
        let is_output = |name: &str| named.contains(&name) && !cx.parameters.has(name);
        let bare: Vec<_> =
            one.expression.parameters().iter().filter(|(name, _)| is_output(name)).collect();
        let (mut inputs, mut read) = (Vec::new(), Vec::<(String, Dimension)>::new());
        let mut complete = true;
        for (name, range) in one.expression.quantities().iter().chain(bare) {
            if read.iter().any(|(known, _)| known == name) {
                continue;
            }
            match known.find(name) {
                Some(sensor) => {
                    read.push((name.clone(), dimension_of(&sensor)));
                    inputs.push(sensor);
                }
                None => {
                    let span = one.piece.span(range.clone());
                    self.report_unknown_quantity(cx, name, span, known);
                    complete = false;
                }
            }
        }
        complete.then_some((inputs, read))
    }
}

fn known_as(known: &mut Outputs, formula: Option<&OutputFormula>) {
    if let Some(formula) = formula {
        known.add(formula.clone());
    }
}

fn parsed<'s>(cx: &mut Context<'_>, spec: &'s OutputSpec<'s>) -> Option<Parsed<'s>> {
    let piece = spec.formula?;
    let expression = parse(cx, piece, None)?;
    Some(Parsed { spec, piece, expression })
}

/// Numbers of the named outputs that an output reads, each once.
fn uses(one: Option<&Parsed<'_>>, named: &[&str]) -> Vec<usize> {
    let names = one.iter().flat_map(|one| one.expression.parameters());
    let mut uses: Vec<usize> =
        names.filter_map(|(name, _)| named.iter().position(|other| other == name)).collect();
    uses.sort_unstable();
    uses.dedup();
    uses
}

fn report_loop(cx: &mut Context<'_>, parsed: &[Option<Parsed<'_>>], path: &[usize]) {
    let shown: Vec<&Parsed<'_>> =
        path.iter().take(CHAIN).filter_map(|&i| parsed[i].as_ref()).collect();
    let [first, others @ ..] = &shown[..] else { return };
    let mut chain: Vec<&str> = shown.iter().map(|one| &one.spec.name.text[..]).collect();
    chain.extend((path.len() > CHAIN).then_some("…"));
    let name = &first.spec.name.text;
    chain.push(name);
    let message = format!("output `{name}` reads itself: {}", chain.join(" → "));
    let mut diagnostic = Diagnostic::error("G0922", message).at(first.piece.whole_span(), "");
    for other in others {
        diagnostic = diagnostic.also(other.piece.whole_span(), "");
    }
    let help =
        "an output follows from others at the same instant: let one of them read the mechanism";
    cx.report(diagnostic.help(help));
}

/// Dimension and unit of a formula whose value has the dimension `found`.
fn unit(
    cx: &mut Context<'_>,
    spec: &OutputSpec<'_>,
    piece: Piece<'_>,
    found: Dimension,
) -> Option<(Dimension, String)> {
    let shown = found.shown();
    let text = if shown.is_number() { String::new() } else { shown.to_string() };
    let Some(given) = spec.unit else { return Some((shown, text)) };
    let name = &spec.name.text;
    let written = if text.is_empty() {
        "leave `unit` out".to_owned()
    } else {
        format!("write `unit = \"{text}\"`, or leave it out")
    };
    let wanted = match any_quantity(&format!("1 {}", given.value)) {
        Ok(quantity) if quantity.value == 1.0 => quantity.dimension,
        Ok(_) => {
            let message = format!("output `{name}` is given in SI units, as all results are");
            let diagnostic = Diagnostic::error("G0923", message).at(given.span, "no SI unit");
            cx.report(diagnostic.help(written));
            return None;
        }
        Err(_) => {
            let message = format!("output `{name}` has an unknown unit");
            let diagnostic = Diagnostic::error("G0923", message).at(given.span, "not known");
            cx.report(diagnostic.help(written));
            return None;
        }
    };
    if wanted == shown || wanted.accepts(found) {
        return Some((wanted, given.value.trim().to_owned()));
    }
    let message = format!("output `{name}` is {}, not {}", shown.describe(), wanted.describe());
    let diagnostic = Diagnostic::error("G0923", message)
        .at(piece.whole_span(), shown.describe())
        .also(given.span, "asked for here");
    cx.report(diagnostic.help("correct the formula or its `unit`"));
    None
}
