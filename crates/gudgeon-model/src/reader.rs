//! Reads tables against their list of keys: unknown and missing keys, wrong kinds.

use std::collections::HashSet;

use gudgeon::model::Space;

use crate::diagnostic::{Diagnostic, Diagnostics, nearest};
use crate::keys::{Keys, Kind, Need, Tagged};
use crate::source::Span;
use crate::spec::parameters::Parameters;
use crate::tree::{Name, Node, Table, Value};

/// What every reader needs: where findings go, and the parameters that expressions may use.
pub struct Context<'a> {
    pub diagnostics: &'a mut Diagnostics,
    pub parameters: &'a Parameters,
    /// Joints whose `clearance` and `friction` are left aside.
    pub ideal: &'a HashSet<String>,
    /// The space of the model, from `[model]`; planar until that is read.
    pub space: Space,
    /// Formulation of all flexible links in place of their own: a word of `method`, from `[model]` or the
    /// analysis.
    pub links: Option<&'static str>,
    /// Number of files; sources beyond them are pieces of the command line.
    pub files: usize,
}

impl Context<'_> {
    pub fn is_spatial(&self) -> bool {
        self.space == Space::Spatial
    }

    pub fn is_command_line(&self, span: Span) -> bool {
        span.file.0 >= self.files
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports an error whose way out is looked for among all names of a kind. That is left out
    /// where nobody would see it, so that many errors do not cost their square.
    pub fn report_searched(&mut self, diagnostic: Diagnostic, help: impl FnOnce() -> String) {
        let full = self.diagnostics.is_full();
        self.report(if full { diagnostic } else { diagnostic.help(help()) });
    }
}

/// A value and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct At<T> {
    pub value: T,
    pub span: Span,
}

/// A table of the file, checked against its keys on opening.
pub struct Reader<'t> {
    table: &'t Table,
    keys: &'static Keys,
    /// What the table describes, for messages: joint `pin`.
    pub owner: String,
    /// Where the table is named.
    pub span: Span,
}

impl<'t> Reader<'t> {
    pub fn open(
        cx: &mut Context<'_>,
        owner: impl Into<String>,
        span: Span,
        node: &'t Node,
        keys: &'static Keys,
    ) -> Option<Self> {
        let owner = owner.into();
        let table = table(cx, &owner, node)?;
        let reader = Self { table, keys, owner, span };
        reader.check_known(cx, None);
        reader.check_required(cx);
        Some(reader)
    }

    /// Opens the whole of a file.
    pub fn root(cx: &mut Context<'_>, owner: &str, node: &'t Node, keys: &'static Keys) -> Self {
        const EMPTY: &Table = &Table { entries: Vec::new() };
        let table = node.as_table().unwrap_or(EMPTY);
        let reader = Self { table, keys, owner: owner.into(), span: node.span };
        reader.check_known(cx, None);
        reader.check_required(cx);
        reader
    }

    /// Opens a table whose keys follow from its tag, and returns the tag.
    pub fn open_tagged(
        cx: &mut Context<'_>,
        owner: impl Into<String>,
        span: Span,
        node: &'t Node,
        tagged: &'static Tagged,
    ) -> Option<(&'static str, Self)> {
        let owner = owner.into();
        let table = table(cx, &owner, node)?;
        let names: Vec<&'static str> = tagged.variants.iter().map(|(name, _)| *name).collect();
        let Some(tag) = table.get(tagged.tag) else {
            missing(cx, tagged.tag, &owner, span, &one_of(&names));
            return None;
        };
        let tag = choice(cx, tagged.tag, tag, &names)?;
        let (_, keys) = tagged.variants.iter().find(|(name, _)| *name == tag.value)?;
        let reader = Self { table, keys, owner, span };
        reader.check_known(cx, Some(tagged));
        reader.check_required(cx);
        Some((tag.value, reader))
    }

    fn check_known(&self, cx: &mut Context<'_>, tagged: Option<&'static Tagged>) {
        for (name, _) in &self.table.entries {
            if self.keys.get(&name.text).is_none() {
                cx.report(self.unknown(name, tagged));
            }
        }
    }

    fn unknown(&self, name: &Name, tagged: Option<&'static Tagged>) -> Diagnostic {
        let text = &name.text;
        let message = format!("unknown key `{text}` in {}", self.owner);
        let diagnostic = Diagnostic::error("G0101", message).at(name.span, "not known here");
        let elsewhere = tagged.and_then(|tagged| {
            let (other, _) = tagged.variants.iter().find(|(_, keys)| keys.get(text).is_some())?;
            Some(format!("`{text}` belongs to `{} = \"{other}\"`", tagged.tag))
        });
        diagnostic.help(elsewhere.unwrap_or_else(|| suggest(text, self.keys.names())))
    }

    fn check_required(&self, cx: &mut Context<'_>) {
        for key in self.keys.keys.iter().filter(|key| key.need == Need::Required) {
            if self.table.get(key.name).is_none() {
                missing(cx, key.name, &self.owner, self.span, key.about);
            }
        }
    }

    pub fn kind(&self, key: &str) -> Option<Kind> {
        self.keys.get(key).map(|key| key.kind)
    }

    /// The value of a key, whatever it is.
    pub fn get(&self, key: &str) -> Option<&'t Node> {
        debug_assert!(self.keys.get(key).is_some(), "`{key}` is not in the list of keys");
        self.table.get(key)
    }

    /// The key itself and its value.
    pub fn entry(&self, key: &str) -> Option<(&'t Name, &'t Node)> {
        debug_assert!(self.keys.get(key).is_some(), "`{key}` is not in the list of keys");
        self.table.entry(key).map(|(name, node)| (name, node))
    }

    pub fn text(&self, cx: &mut Context<'_>, key: &str) -> Option<At<&'t str>> {
        text(cx, key, self.get(key)?)
    }

    /// True or false.
    pub fn flag(&self, cx: &mut Context<'_>, key: &str) -> Option<bool> {
        let node = self.get(key)?;
        match (&node.value, node.as_text()) {
            (Value::Flag(flag), _) => Some(*flag),
            // The command line knows texts only.
            (_, Some("true")) => Some(true),
            (_, Some("false")) => Some(false),
            _ => {
                wrong_kind(cx, &format!("`{key}`"), node, "true or false");
                None
            }
        }
    }

    pub fn choice(&self, cx: &mut Context<'_>, key: &str) -> Option<At<&'static str>> {
        let node = self.get(key)?;
        match self.kind(key)? {
            Kind::Choice(names) => choice(cx, key, node, names),
            _ => None,
        }
    }

    /// The value of a key that this table needs because of its other keys.
    pub fn needed(&self, cx: &mut Context<'_>, key: &str) -> Option<&'t Node> {
        let node = self.get(key);
        if node.is_none() {
            let about = self.keys.get(key).map_or("", |key| key.about);
            missing(cx, key, &self.owner, self.span, about);
        }
        node
    }

    /// Refuses the given ones of `keys`, which have no meaning beside the other keys.
    pub fn refuse(&self, cx: &mut Context<'_>, code: &'static str, keys: &[&str], why: &str) {
        for key in keys {
            if let Some((name, _)) = self.entry(key) {
                let message = format!("`{key}` has no meaning in {}", self.owner);
                let diagnostic = Diagnostic::error(code, message).at(name.span, why);
                cx.report(diagnostic.help(format!("remove `{key}`")));
            }
        }
    }

    /// An error if both keys are given; the second is marked.
    pub fn not_both(&self, cx: &mut Context<'_>, first: &str, second: &str) -> Option<()> {
        let (Some((one, _)), Some((other, _))) = (self.entry(first), self.entry(second)) else {
            return Some(());
        };
        let message = format!("{} takes `{first}` or `{second}`, not both", self.owner);
        let diagnostic = Diagnostic::error("G0105", message)
            .at(other.span, "given too")
            .also(one.span, "given here")
            .help("keep one and remove the other");
        cx.report(diagnostic);
        None
    }

    /// The given keys of `group`; an error unless it is exactly one.
    pub fn exactly_one(
        &self,
        cx: &mut Context<'_>,
        group: &[&'static str],
    ) -> Option<&'static str> {
        let given: Vec<_> = group.iter().filter(|key| self.get(key).is_some()).collect();
        if let [one] = given[..] {
            return Some(one);
        }
        let message = format!("{} takes exactly one of {}", self.owner, listed(group));
        let diagnostic = match given.as_slice() {
            [] => Diagnostic::error("G0105", message)
                .at(self.span, "none given")
                .help(format!("add one, such as `{}`", group[0])),
            [_, rest @ ..] => {
                let place = |key: &str| self.entry(key).map_or(self.span, |(name, _)| name.span);
                let first = place(given[0]);
                Diagnostic::error("G0105", message)
                    .at(place(rest[0]), "given too")
                    .also(first, "given here")
                    .help("keep one and remove the others")
            }
        };
        cx.report(diagnostic);
        None
    }
}

fn table<'t>(cx: &mut Context<'_>, owner: &str, node: &'t Node) -> Option<&'t Table> {
    let table = node.as_table();
    if table.is_none() {
        wrong_kind(cx, owner, node, "a table");
    }
    table
}

/// The entries of a table with names of the user's choice.
pub fn entries<'t>(
    cx: &mut Context<'_>,
    owner: &str,
    node: Option<&'t Node>,
) -> &'t [(Name, Node)] {
    node.and_then(|node| table(cx, owner, node)).map_or(&[], |table| &table.entries)
}

pub fn text<'t>(cx: &mut Context<'_>, key: &str, node: &'t Node) -> Option<At<&'t str>> {
    let text = node.as_text();
    if text.is_none() {
        wrong_kind(cx, &format!("`{key}`"), node, "a text in quotes");
    }
    text.map(|value| At { value, span: node.span })
}

pub fn list<'t>(cx: &mut Context<'_>, key: &str, node: &'t Node) -> Option<&'t [Node]> {
    match &node.value {
        Value::List(list) => Some(list),
        _ => {
            wrong_kind(cx, &format!("`{key}`"), node, "a list");
            None
        }
    }
}

pub fn choice(
    cx: &mut Context<'_>,
    key: &str,
    node: &Node,
    names: &[&'static str],
) -> Option<At<&'static str>> {
    let given = text(cx, key, node)?;
    match names.iter().find(|name| **name == given.value) {
        Some(name) => Some(At { value: name, span: node.span }),
        None => {
            let message = format!("`{key}` cannot be `{}`", given.value);
            let diagnostic = Diagnostic::error("G0104", message).at(given.span, "not known");
            let help = match elsewhere(given.value, names) {
                Some(name) => format!("did you mean `{name}`?"),
                None => suggest(given.value, names.iter().copied()),
            };
            cx.report(diagnostic.help(help));
            None
        }
    }
}

/// Words of other programs and of the workshop, for those that files know.
const ELSEWHERE: &[(&str, &[&str])] = &[
    ("revolute", &["hinge", "pin", "pivot", "rotation", "rotational", "rotary", "bearing"]),
    ("prismatic", &["slider", "slide", "sliding", "translation", "translational", "guide"]),
    ("spherical", &["ball", "ball-joint", "ball-and-socket", "socket"]),
    ("universal", &["cardan", "hooke", "u-joint"]),
    ("fixed", &["weld", "welded", "rigid", "clamp", "clamped", "lock", "locked"]),
    ("screw", &["helical", "thread"]),
    ("planar", &["2d", "plane"]),
    ("spatial", &["3d", "space"]),
];

/// The name that a word from elsewhere stands for, where it is one to choose.
fn elsewhere(word: &str, names: &[&'static str]) -> Option<&'static str> {
    let folded = word.trim().to_lowercase().replace([' ', '_'], "-");
    let (meant, _) = ELSEWHERE.iter().find(|(_, words)| words.contains(&&folded[..]))?;
    names.iter().find(|name| *name == meant).copied()
}

pub fn wrong_kind(cx: &mut Context<'_>, owner: &str, node: &Node, wanted: &str) {
    let message = format!("{owner} must be {wanted}");
    let label = format!("this is {}", node.kind());
    let diagnostic = Diagnostic::error("G0103", message).at(node.span, label);
    cx.report(match kind_help(node, wanted) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    });
}

/// How to write what is wanted, where its message does not show it.
fn kind_help(node: &Node, wanted: &str) -> Option<&'static str> {
    match (wanted, &node.value) {
        ("a list", Value::Table(_)) => Some("write `[a, b]` in place of `{ … }`"),
        ("a list", _) => Some("put it in brackets, also a single one: `[a]`"),
        ("a table", _) => Some("write `{ key = value }`, or a section of its own"),
        ("a text in quotes", Value::List(_)) => Some("give one text, without brackets"),
        ("a text in quotes", Value::Table(_)) => Some("give one text in place of the table"),
        ("a text in quotes", _) => Some("put it in quotes"),
        _ => None,
    }
}

fn missing(cx: &mut Context<'_>, key: &str, owner: &str, span: Span, about: &str) {
    cx.report(
        Diagnostic::error("G0102", format!("{owner} lacks `{key}`"))
            .at(span, format!("no `{key}` given"))
            .help(format!("`{key}`: {about}")),
    );
}

/// "did you mean" if a name is near, else all names.
pub fn suggest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    match nearest(word, names.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if names.is_empty() => "there is none to choose from".into(),
        None if names.len() > 24 => format!("known are {}, …", listed(&names[..24])),
        None => format!("known are {}", listed(&names)),
    }
}

/// Names in backticks, with commas.
pub fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn one_of(names: &[&str]) -> String {
    format!("one of {}", listed(names))
}
