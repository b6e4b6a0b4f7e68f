//! Instants as files and options write them: a time, an amount of turning, or a joint with its turning,
//! beside which `until` may have the latest time.
//!
//! What is wrong with the form of one is told here, once; what it means is read in `when.rs`.

use gudgeon::model::{Coordinate, Joint};

use super::Builder;
use crate::diagnostic::{Diagnostic, nearest};
use crate::reader::{At, Context};
use crate::source::Span;
use crate::tree::{Name, Node, Table, Value};
use crate::units::{Dimension, Quantity};
use crate::values;

/// The key beside a joint that names the latest end.
pub(super) const AT_MOST: &str = "at_most";
/// The key that may have it.
const UNTIL: &str = "until";

/// An instant taken apart.
pub(super) struct Written<'n> {
    pub joint: Option<At<&'n str>>,
    /// A time, or how far the joint turns.
    pub amount: &'n Node,
    pub at_most: Option<&'n Node>,
}

impl Builder<'_> {
    /// Takes the value of a key apart.
    pub(super) fn written<'n>(
        &self,
        cx: &mut Context<'_>,
        key: &str,
        node: &'n Node,
    ) -> Option<Written<'n>> {
        let Value::Table(table) = &node.value else {
            return Some(Written { joint: None, amount: node, at_most: None });
        };
        match self.named(key, node.span, table) {
            Ok(written) => Some(written),
            Err(problem) => {
                cx.report(self.refusal(cx, key, &problem));
                None
            }
        }
    }

    /// One joint, and with `until` the latest time.
    fn named<'n>(
        &self,
        key: &str,
        span: Span,
        table: &'n Table,
    ) -> Result<Written<'n>, Problem<'n>> {
        // A joint may have that name.
        let is_limit = |name: &Name| {
            name.text == AT_MOST && (table.entries.len() > 1 || !self.is_joint(AT_MOST))
        };
        let (limits, joints): (Vec<&Entry>, Vec<&Entry>) =
            table.entries.iter().partition(|(name, _)| is_limit(name));
        if let (true, Some((name, _))) = (key != UNTIL, limits.first()) {
            return Err(Problem::NotHere(name.span));
        }
        if let Some((name, _)) = limits.get(1) {
            return Err(Problem::Twice(name.span));
        }
        let at_most = limits.first().map(|(_, node)| node);
        let (name, amount) = match joints[..] {
            [] => {
                let limit = limits.first().map(|(name, _)| name.span);
                return Err(limit.map_or(Problem::Empty(span), Problem::Alone));
            }
            [(name, amount)] => (name, amount),
            [(first, _), (second, _), ..] => {
                let others = joints.iter().map(|(name, _)| name);
                let stranger = others.clone().find(|name| is_like_limit(name));
                let stranger =
                    stranger.or_else(|| others.clone().find(|name| !self.is_joint(&name.text)));
                return Err(match stranger {
                    _ if first.text.is_empty() => Problem::Unnamed(first.span),
                    Some(name) if name.text.is_empty() => Problem::Unnamed(name.span),
                    Some(name) if key == UNTIL => Problem::Unknown(name),
                    _ => Problem::Second(second.span),
                });
            }
        };
        if name.text.is_empty() {
            let problem = if at_most.is_some() { Problem::Alone } else { Problem::Unnamed };
            return Err(problem(name.span));
        }
        if key == UNTIL && at_most.is_none() && !self.is_joint(&name.text) && is_like_limit(name) {
            return Err(Problem::Unknown(name));
        }
        Ok(Written { joint: Some(At { value: &name.text, span: name.span }), amount, at_most })
    }

    fn is_joint(&self, name: &str) -> bool {
        self.joints.contains_key(name) || self.broken.contains(name)
    }

    fn refusal(&self, cx: &Context<'_>, key: &str, problem: &Problem<'_>) -> Diagnostic {
        let (message, span, label) = match problem {
            Problem::NotHere(span) => (format!("`{key}` takes no `{AT_MOST}`"), *span, "not known"),
            Problem::Twice(span) => (format!("`{AT_MOST}` is given twice"), *span, "again"),
            Problem::Alone(span) => (
                format!("`{AT_MOST}` stands beside the turning of a joint"),
                *span,
                "no joint given",
            ),
            Problem::Empty(span) => (format!("`{key}` names no joint"), *span, "empty"),
            Problem::Unnamed(span) => {
                (format!("a part of `{key}` has no name"), *span, "write NAME=VALUE")
            }
            Problem::Unknown(name) => {
                (format!("`{key}` does not know `{}`", name.text), name.span, "not known")
            }
            Problem::Second(span) => (format!("`{key}` takes one joint"), *span, "a second one"),
        };
        let help = match problem {
            Problem::NotHere(_) => format!("the latest end of a run belongs to `{UNTIL}`"),
            Problem::Unknown(name) if is_like_limit(name) => format!("did you mean `{AT_MOST}`?"),
            _ => {
                let example = self.example(cx, key, span, None, key == UNTIL);
                format!("write {example}, or a time alone such as \"10 s\"")
            }
        };
        Diagnostic::error("G0901", message).at(span, label).help(help)
    }

    /// How the turning of a joint is written in the place of a key, with the latest time or without.
    pub(super) fn example(
        &self,
        cx: &Context<'_>,
        key: &str,
        span: Span,
        joint: Option<&str>,
        limited: bool,
    ) -> String {
        let turns = |joint: &&Joint| joint.kind.free(self.model.space).contains(&Coordinate::Angle);
        let first = || self.model.joints.iter().find(turns).map(|joint| &joint.name[..]);
        let joint = joint.or_else(first).unwrap_or("JOINT");
        let single = matches!(key, UNTIL | "measure_from");
        if cx.is_command_line(span) {
            let limit = if limited { ", at_most=10 s" } else { "" };
            let option =
                if single { format!("--{} ", key.replace('_', "-")) } else { String::new() };
            return format!("`{option}\"{joint}=3 rev{limit}\"`");
        }
        let limit = if limited { ", at_most = \"10 s\"" } else { "" };
        let key = if single { format!("{key} = ") } else { String::new() };
        format!("`{key}{{ {joint} = \"3 rev\"{limit} }}`")
    }

    /// The amount of an instant.
    pub(super) fn amount(
        &self,
        cx: &mut Context<'_>,
        key: &str,
        written: &Written<'_>,
    ) -> Option<Quantity> {
        let (node, turns) = (written.amount, written.joint.is_some());
        match &node.value {
            // A bare zero is both; of a joint other numbers could be turns as well as radians.
            Value::Number { value, si } if *value == 0.0 || *si && !turns => {
                let dimension = if turns { Dimension::ANGLE } else { Dimension::TIME };
                let value = values::like(cx, key, node, "20 ms")?.value;
                Some(Quantity::new(value, dimension))
            }
            Value::Text { text, .. } if !turns => match self.joint_in(text) {
                None => values::like(cx, key, node, "20 ms"),
                Some((joint, message)) => {
                    let example = self.example(cx, key, node.span, Some(joint), false);
                    let message = format!("`{key}` {message}");
                    let diagnostic = Diagnostic::error("G0901", message).at(node.span, "a joint");
                    cx.report(diagnostic.help(format!("write {example}")));
                    None
                }
            },
            _ => values::like(cx, key, node, if turns { "3 rev" } else { "20 ms" }),
        }
    }
}

impl Builder<'_> {
    /// The joint that stands in a text by itself, or in front of its turning, and what is wrong with that.
    pub(super) fn joint_in<'n>(&self, text: &'n str) -> Option<(&'n str, String)> {
        let joint = text.split('=').next().map(str::trim).filter(|name| self.is_joint(name))?;
        Some((
            joint,
            match text.contains('=') {
                true => format!("takes `{joint}` and how far it turns as a table"),
                false => format!("does not say how far `{joint}` turns"),
            },
        ))
    }
}

type Entry = (Name, Node);

/// What is wrong with the table of an instant.
enum Problem<'n> {
    /// `at_most` of a key that has none.
    NotHere(Span),
    Twice(Span),
    /// Without a joint.
    Alone(Span),
    Empty(Span),
    /// A part of an option without `=`.
    Unnamed(Span),
    /// Neither a joint nor `at_most`.
    Unknown(&'n Name),
    Second(Span),
}

/// Whether a name is `at_most` with a slip.
fn is_like_limit(name: &Name) -> bool {
    nearest(&name.text, [AT_MOST]).is_some()
}
