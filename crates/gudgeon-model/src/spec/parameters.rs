//! `[parameters]`: named values that expressions use and the command line sets.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gudgeon::model::Space;

use crate::data::{Data, Sheet};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::expr::{self, Scope};
use crate::keys::{Keys, Kind, optional, required};
use crate::order::Order;
use crate::reader::{Context, Reader, listed};
use crate::source::{FileId, Span};
use crate::tree::{Name, Node, Table, Value};
use crate::units::{Dimension, Quantity};
use crate::values;

pub const PARAMETER: Keys = Keys {
    about: "a parameter with its limits",
    keys: &[
        required(
            "value",
            Kind::Varies("0.1 mm"),
            "the value, or an expression of other parameters",
        ),
        optional("about", Kind::Text, "what it means"),
        optional("min", Kind::Varies("0"), "smallest allowed value"),
        optional("max", Kind::Varies("1 mm"), "largest allowed value"),
        optional("choice", Kind::List(&Kind::Varies("1 mm")), "the only allowed values"),
    ],
};

pub const PARAMETERS: Kind =
    Kind::Named(&Kind::Either(&[Kind::Varies("0.1 mm"), Kind::Table(&PARAMETER)]));

#[derive(Debug)]
pub struct Parameter {
    pub name: String,
    pub about: Option<String>,
    /// `None` where the definition is in error.
    pub value: Option<Quantity>,
}

/// All parameters; the scope of expressions.
#[derive(Debug, Default)]
pub struct Parameters {
    pub list: Vec<Parameter>,
    index: HashMap<String, usize>,
    /// Tables that expressions look up.
    data: Arc<Data>,
}

impl Parameters {
    /// A data file by the name it has in a text.
    pub(crate) fn data(&self, from: FileId, name: &str) -> Result<Arc<Sheet>, Vec<Diagnostic>> {
        self.data.find(from, name)
    }

    /// Whether there is a parameter of this name, right or wrong.
    pub fn has(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    /// Declared, but without a value because of an error reported elsewhere.
    pub fn is_broken(&self, name: &str) -> bool {
        self.index.get(name).is_some_and(|&i| self.list[i].value.is_none())
    }
}

impl Scope for Parameters {
    fn parameter(&self, name: &str) -> Option<Quantity> {
        self.index.get(name).and_then(|&i| self.list[i].value)
    }

    fn names(&self) -> Vec<String> {
        self.list.iter().map(|parameter| parameter.name.clone()).collect()
    }
}

/// Parameters of a cycle that a message shows.
const CHAIN: usize = 8;

/// A definition with the value that the command line sets instead.
struct Definition<'t> {
    name: &'t Name,
    value: &'t Node,
    set: Option<&'t Node>,
    limits: Option<Reader<'t>>,
}

/// Reads and evaluates all parameters; `set` holds the values of the command line.
pub fn read(
    diagnostics: &mut Diagnostics,
    table: &Table,
    set: &HashMap<String, Node>,
    data: Arc<Data>,
) -> Parameters {
    let mut parameters = Parameters { data, ..Parameters::default() };
    let mut definitions = Vec::new();
    let none = Parameters::default();
    let (ideal, space, files) = (&HashSet::new(), Space::Planar, usize::MAX);
    for (name, node) in &table.entries {
        let mut cx = Context {
            diagnostics: &mut *diagnostics,
            parameters: &none,
            ideal,
            space,
            links: None,
            files,
        };
        super::check_name(&mut cx, name, || proposal(table, name, node));
        let (definition, about) = define(&mut cx, name, node, set.get(&name.text));
        parameters.index.insert(name.text.clone(), parameters.list.len());
        parameters.list.push(Parameter { name: name.text.clone(), about, value: None });
        definitions.push(definition);
    }
    for i in order(diagnostics, &definitions, &parameters.index) {
        let Some(definition) = &definitions[i] else { continue };
        let mut cx = Context {
            diagnostics: &mut *diagnostics,
            parameters: &parameters,
            ideal,
            space,
            links: None,
            files,
        };
        let value = evaluate(&mut cx, definition);
        parameters.list[i].value = value;
    }
    parameters
}

/// A name to take instead of a reserved one, by what its value is: `m_mass`, `bar_length`, `step_value`.
fn proposal(table: &Table, name: &Name, node: &Node) -> String {
    let value = node.as_table().map_or(Some(node), |table| table.get("value"));
    let text = value.and_then(Node::as_text);
    let dimension = text.and_then(|text| expr::any_quantity(text).ok()).map(|it| it.dimension);
    let what = dimension.and_then(Dimension::word).unwrap_or("value");
    let first = format!("{}_{what}", name.text);
    let numbered = (2..).map(|number| format!("{first}_{number}"));
    let free = |name: &String| table.get(name).is_none();
    std::iter::once(first.clone()).chain(numbered).find(free).unwrap_or_default()
}

fn define<'t>(
    cx: &mut Context<'_>,
    name: &'t Name,
    node: &'t Node,
    set: Option<&'t Node>,
) -> (Option<Definition<'t>>, Option<String>) {
    let Value::Table(_) = node.value else {
        return (Some(Definition { name, value: node, set, limits: None }), None);
    };
    let owner = format!("parameter `{}`", name.text);
    let Some(reader) = Reader::open(cx, owner, name.span, node, &PARAMETER) else {
        return (None, None);
    };
    let about = reader.text(cx, "about").map(|about| about.value.to_string());
    let definition =
        reader.get("value").map(|value| Definition { name, value, set, limits: Some(reader) });
    (definition, about)
}

/// Indices so that each parameter follows those it uses. Cycles are reported and left out.
fn order(
    diagnostics: &mut Diagnostics,
    definitions: &[Option<Definition<'_>>],
    index: &HashMap<String, usize>,
) -> Vec<usize> {
    let uses: Vec<Vec<usize>> = definitions
        .iter()
        .map(|definition| {
            let nodes = definition.iter().flat_map(|d| d.set.into_iter().chain([d.value]));
            let names = nodes.flat_map(values::dependencies);
            names.filter_map(|name| index.get(&name).copied()).collect()
        })
        .collect();
    let Order { order, cycles } = Order::of(&uses);
    for path in cycles {
        cycle(diagnostics, definitions, &path);
    }
    order
}

fn cycle(diagnostics: &mut Diagnostics, definitions: &[Option<Definition<'_>>], path: &[usize]) {
    let shown: Vec<&Definition<'_>> =
        path.iter().take(CHAIN).filter_map(|&i| definitions[i].as_ref()).collect();
    let [first, others @ ..] = &shown[..] else { return };
    let mut chain: Vec<&str> = shown.iter().map(|each| each.name.text.as_str()).collect();
    chain.extend((path.len() > CHAIN).then_some("…"));
    chain.push(&first.name.text);
    let place = |each: &Definition<'_>| each.set.unwrap_or(each.value).span;
    let mut diagnostic = Diagnostic::error(
        "G0301",
        format!("parameter `{}` depends on itself: {}", first.name.text, chain.join(" → ")),
    )
    .at(place(first), "");
    for other in others {
        diagnostic = diagnostic.also(place(other), "");
    }
    let whom = if path.len() == 1 { "it" } else { "one of them" };
    diagnostics.push(diagnostic.help(format!("give {whom} a value of its own")));
}

fn evaluate(cx: &mut Context<'_>, definition: &Definition<'_>) -> Option<Quantity> {
    let key = &definition.name.text;
    let own = values::any(cx, key, definition.value);
    let (quantity, span) = match (definition.set, own) {
        (None, own) => (own?, definition.value.span),
        (Some(set), Some(own)) => {
            let value = values::quantity(cx, key, set, own.dimension)?;
            (Quantity { value, dimension: own.dimension }, set.span)
        }
        (Some(set), None) => (values::any(cx, key, set)?, set.span),
    };
    if let Some(limits) = &definition.limits {
        check_limits(cx, key, limits, quantity, span)?;
    }
    Some(quantity)
}

fn check_limits(
    cx: &mut Context<'_>,
    name: &str,
    limits: &Reader<'_>,
    quantity: Quantity,
    span: Span,
) -> Option<()> {
    let Quantity { value, dimension } = quantity;
    let min = limits.quantity_in(cx, "min", dimension);
    let max = limits.quantity_in(cx, "max", dimension);
    let shown = |value: f64| values::shown(value, dimension);
    let beyond = [
        (min.filter(|min| value < min.value), "below", "min"),
        (max.filter(|max| value > max.value), "above", "max"),
    ];
    for (limit, word, key) in beyond {
        let Some(limit) = limit else { continue };
        let message = format!("`{name}` is {word} its `{key}`");
        let diagnostic = Diagnostic::error("G0302", message)
            .at(span, shown(value))
            .also(limit.span, format!("limit {}", shown(limit.value)))
            .help(format!("change the value, or `{key}` in `[parameters]`"));
        cx.report(diagnostic);
        return None;
    }
    let Some(node) = limits.get("choice") else { return Some(()) };
    let nodes = crate::reader::list(cx, "choice", node)?;
    let choices: Vec<f64> =
        nodes.iter().filter_map(|node| values::quantity(cx, "choice", node, dimension)).collect();
    let same = |choice: &f64| (choice - value).abs() <= 1e-12 * choice.abs();
    if choices.len() == nodes.len() && !choices.iter().any(same) {
        let texts: Vec<String> = choices.iter().map(|choice| shown(*choice)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let diagnostic = Diagnostic::error("G0303", format!("`{name}` cannot be {}", shown(value)))
            .at(span, "not among the choices")
            .also(node.span, "choices")
            .help(format!("choose one of {}", listed(&texts)));
        cx.report(diagnostic);
        return None;
    }
    Some(())
}
