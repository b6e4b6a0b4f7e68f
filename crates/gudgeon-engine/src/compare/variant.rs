//! The words that a model may be compared by, and what each changes in its file.

use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::{Analysis, Loaded, Overrides, words};

use crate::refusal::Refusal;

/// By what a model is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Formulations of flexible links.
    Methods,
    /// Coordinates of bodies.
    Coordinates,
    /// Laws of dry contacts.
    Laws,
    /// Models of films.
    Films,
}

/// Keys of a file and their values.
type Keys = &'static [(&'static str, &'static str)];

/// Formulations by their words: keys of the file, and keys of `flexible` of every link.
const METHODS: &[(&str, Keys, Keys)] = &[
    ("rigid", &[("model.flexible", "rigid")], &[]),
    ("ancf", &[("model.flexible", "ancf")], &[]),
    ("cable", &[("model.flexible", "ancf")], &[("element", "cable")]),
    ("rfem", &[("model.flexible", "rfem")], &[]),
    ("erls", &[("model.flexible", "erls")], &[]),
    ("floating", &[("model.flexible", "floating")], &[]),
    ("ked", &[("run.analysis", "ked")], &[]),
];

const COORDINATES: &[(&str, Keys, Keys)] = &[
    ("absolute", &[("model.coordinates", "absolute")], &[]),
    ("natural", &[("model.coordinates", "natural")], &[]),
    ("joint", &[("model.coordinates", "joint")], &[]),
];

/// One variant of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    pub name: String,
    set: Vec<(String, String)>,
    law: Option<String>,
    /// Flexible links whose mesh may be refined.
    links: Vec<String>,
}

impl Axis {
    /// What it is called in sentences.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Methods => "method",
            Axis::Coordinates => "coordinates",
            Axis::Laws => "law",
            Axis::Films => "film",
        }
    }

    /// What its words are a theory of; coordinates describe the same motion in other numbers, and links say for
    /// themselves what they assume.
    pub(super) fn aspect(self) -> Option<&'static str> {
        match self {
            Axis::Methods | Axis::Coordinates => None,
            Axis::Laws => Some("contact law"),
            Axis::Films => Some("film"),
        }
    }

    /// Its words.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            Axis::Methods => METHODS.iter().map(|(word, ..)| *word).collect(),
            Axis::Coordinates => COORDINATES.iter().map(|(word, ..)| *word).collect(),
            Axis::Laws => words::laws().to_vec(),
            Axis::Films => words::films().to_vec(),
        }
    }
}

impl Variant {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), set: Vec::new(), law: None, links: Vec::new() }
    }

    /// Whether it has elements that can be doubled.
    pub fn has_mesh(&self) -> bool {
        !self.links.is_empty()
    }

    /// Whether its links vibrate about the rigid motion.
    pub fn vibrates(&self) -> bool {
        self.set.iter().any(|(key, value)| key == "run.analysis" && value == "ked")
    }

    /// The changes of the user with those of the variant behind them.
    pub fn applied(&self, own: &Overrides, elements: Option<usize>) -> Overrides {
        let mut overrides = match self.vibrates() {
            true => own.clone(),
            false => without_vibration(own),
        };
        overrides.set.extend(self.set.iter().cloned());
        overrides.law.extend(self.law.iter().map(|law| (None, law.clone())));
        if let Some(elements) = elements {
            let key = |link: &String| format!("bodies.{link}.flexible.elements");
            overrides.set.extend(self.links.iter().map(|link| (key(link), elements.to_string())));
        }
        overrides
    }
}

/// Changes without those of `[run.ked]`, which other variants than `ked` do not have.
pub(super) fn without_vibration(own: &Overrides) -> Overrides {
    let mut overrides = own.clone();
    overrides.set.retain(|(key, _)| !key.starts_with("run.ked."));
    overrides
}

/// The variants of a list of words.
pub fn of(axis: Axis, words: &[String], loaded: &Loaded) -> Result<Vec<Variant>, Refusal> {
    if let Some(word) = words.iter().find(|word| !axis.words().contains(&word.as_str())) {
        return Err(unknown(axis, word));
    }
    if let Some((i, word)) = words.iter().enumerate().find(|(i, word)| words[..*i].contains(word)) {
        let message = format!("`{word}` stands twice in the list, at {} again", i + 1);
        return Err(refuse(message, "leave one of them out"));
    }
    if words.len() < 2 {
        let help = match axis {
            Axis::Methods => "write them with commas: `--methods rigid,ancf,ked`",
            Axis::Coordinates => "write them with commas: `--coordinates absolute,natural,joint`",
            Axis::Laws => "write them with commas: `--laws flores,lankarani-nikravesh`",
            Axis::Films => "write them with commas: `--films short,finite`",
        };
        return Err(refuse("a comparison needs two variants at least", help));
    }
    words.iter().map(|word| one(axis, word, loaded)).collect()
}

fn refuse(message: impl Into<String>, help: &str) -> Refusal {
    Refusal::new(Diagnostic::error("G1502", message).help(help))
}

fn one(axis: Axis, word: &str, loaded: &Loaded) -> Result<Variant, Refusal> {
    match axis {
        Axis::Methods => method(word, loaded),
        Axis::Coordinates => Ok(Variant { set: keys(COORDINATES, word), ..Variant::new(word) }),
        Axis::Laws => law(word, loaded),
        Axis::Films => film(word, loaded),
    }
}

/// The keys of a word for the whole file.
fn keys(list: &[(&str, Keys, Keys)], word: &str) -> Vec<(String, String)> {
    let found = list.iter().find(|(known, ..)| *known == word);
    let pairs = found.map_or(&[][..], |(_, set, _)| set).iter();
    pairs.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn method(word: &str, loaded: &Loaded) -> Result<Variant, Refusal> {
    let bodies = loaded.model.bodies.iter().filter(|body| body.flexible.is_some());
    let links: Vec<String> = bodies.map(|body| body.name.clone()).collect();
    if links.is_empty() {
        return Err(refuse(
            "no body of the model has a `flexible` table to compare",
            "give a link `shape` and `flexible = { method = \"ancf\", elements = 8 }`",
        ));
    }
    let mut set = keys(METHODS, word);
    let of_links = METHODS.iter().find(|(known, ..)| *known == word).map_or(&[][..], |m| m.2);
    for (key, value) in of_links {
        let one = |link: &String| (format!("bodies.{link}.flexible.{key}"), (*value).to_owned());
        set.extend(links.iter().map(one));
    }
    // A file that analyses a vibration about the rigid motion is compared by its motion.
    if word != "ked" && loaded.analysis == Analysis::Ked {
        set.push(("run.analysis".to_owned(), "motion".to_owned()));
    }
    let links = if word == "rigid" { Vec::new() } else { links };
    Ok(Variant { set, links, ..Variant::new(word) })
}

fn law(word: &str, loaded: &Loaded) -> Result<Variant, Refusal> {
    if !loaded.model.joints.iter().any(|joint| joint.clearance.is_some()) {
        return Err(refuse(
            "no joint of the model has clearance, so that no contact law acts",
            "give a joint `clearance`",
        ));
    }
    Ok(Variant { law: Some(word.to_owned()), ..Variant::new(word) })
}

fn film(word: &str, loaded: &Loaded) -> Result<Variant, Refusal> {
    let joints = loaded.model.joints.iter();
    let films = joints.filter(|j| j.clearance.as_ref().is_some_and(|c| c.film.is_some()));
    let set: Vec<_> =
        films.map(|j| (format!("joints.{}.film.model", j.name), word.to_owned())).collect();
    if set.is_empty() {
        return Err(refuse(
            "no joint of the model has a film to compare",
            "give a joint with `clearance` a `film` table",
        ));
    }
    Ok(Variant { set, ..Variant::new(word) })
}

fn unknown(axis: Axis, word: &str) -> Refusal {
    let words = axis.words();
    let help = match nearest(word, words.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", words.join(", ")),
    };
    let message = format!("`compare` knows no {} `{word}`", axis.name());
    Refusal::new(Diagnostic::error("G1502", message).help(help))
}
