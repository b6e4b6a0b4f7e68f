//! `[outputs]`: named outputs by formula.

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, optional, required};
use crate::reader::{At, Context, Reader};
use crate::tree::{Name, Node, Value};
use crate::values::Piece;

const EXAMPLE: &str = "= pump.power / motor.power";

pub(crate) const OUTPUT: Keys = Keys {
    about: "an output by formula",
    keys: &[
        required("value", Kind::Varies(EXAMPLE), "an expression of outputs, parameters and `t`"),
        optional("about", Kind::Text, "what it means"),
        optional("unit", Kind::Text, "its unit in SI, which is checked; found unless given"),
    ],
};

pub(crate) const OUTPUTS: Kind =
    Kind::Named(&Kind::Either(&[Kind::Varies(EXAMPLE), Kind::Table(&OUTPUT)]));

pub(crate) struct OutputSpec<'t> {
    pub name: &'t Name,
    /// Without the leading `=`; none where it is in error.
    pub formula: Option<Piece<'t>>,
    pub about: Option<&'t str>,
    pub unit: Option<At<&'t str>>,
}

pub(crate) fn read<'t>(cx: &mut Context<'_>, entries: &'t [(Name, Node)]) -> Vec<OutputSpec<'t>> {
    entries.iter().map(|(name, node)| one(cx, name, node)).collect()
}

fn one<'t>(cx: &mut Context<'_>, name: &'t Name, node: &'t Node) -> OutputSpec<'t> {
    super::check_name(cx, name, || format!("{}_output", name.text));
    if cx.parameters.has(&name.text) {
        let message = format!("output `{}` has the name of a parameter", name.text);
        let diagnostic = Diagnostic::error("G0920", message).at(name.span, "used again");
        cx.report(diagnostic.help("formulas name both: rename one"));
    }
    let Value::Table(_) = node.value else {
        return OutputSpec { name, formula: formula(cx, name, node), about: None, unit: None };
    };
    let owner = format!("output `{}`", name.text);
    let Some(reader) = Reader::open(cx, owner, name.span, node, &OUTPUT) else {
        return OutputSpec { name, formula: None, about: None, unit: None };
    };
    OutputSpec {
        name,
        formula: reader.get("value").and_then(|node| formula(cx, name, node)),
        about: reader.text(cx, "about").map(|about| about.value),
        unit: reader.text(cx, "unit"),
    }
}

fn formula<'t>(cx: &mut Context<'_>, name: &Name, node: &'t Node) -> Option<Piece<'t>> {
    let text = node.as_text();
    let found = text.and_then(|text| Piece::whole(node, text).expression());
    if found.is_none() {
        let message = format!("output `{}` is no expression", name.text);
        let help = match text {
            Some(text) => format!("write \"= {}\"", text.trim()),
            None => format!("write a text such as \"{EXAMPLE}\""),
        };
        let diagnostic = Diagnostic::error("G0921", message);
        cx.report(diagnostic.at(node.span, "no leading `=`").help(help));
    }
    found
}
