//! The words that a model may be compared by, and what each changes in its file.

use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::{Loaded, Overrides};

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

/// Formulations by their words: keys of the file and values.
const METHODS: &[(&str, &[(&str, &str)])] = &[
    ("rigid", &[("model.flexible", "rigid"), ("run.analysis", "motion")]),
    ("ancf", &[("model.flexible", "ancf"), ("run.analysis", "motion")]),
    ("rfem", &[("model.flexible", "rfem"), ("run.analysis", "motion")]),
    ("erls", &[("model.flexible", "erls"), ("run.analysis", "motion")]),
    ("floating", &[("model.flexible", "floating"), ("run.analysis", "motion")]),
    ("ked", &[("run.analysis", "ked")]),
];

const COORDINATES: &[(&str, &[(&str, &str)])] = &[
    ("absolute", &[("model.coordinates", "absolute")]),
    ("natural", &[("model.coordinates", "natural")]),
    ("joint", &[("model.coordinates", "joint")]),
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

    /// Its words, where they are a fixed list.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            Axis::Methods => METHODS.iter().map(|(word, _)| *word).collect(),
            Axis::Coordinates => COORDINATES.iter().map(|(word, _)| *word).collect(),
            Axis::Laws | Axis::Films => Vec::new(),
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

    /// The changes of the user with those of the variant behind them.
    pub fn applied(&self, own: &Overrides, elements: Option<usize>) -> Overrides {
        let mut overrides = own.clone();
        overrides.set.extend(self.set.iter().cloned());
        overrides.law.extend(self.law.iter().map(|law| (None, law.clone())));
        if let Some(elements) = elements {
            let key = |link: &String| format!("bodies.{link}.flexible.elements");
            overrides.set.extend(self.links.iter().map(|link| (key(link), elements.to_string())));
        }
        overrides
    }
}

/// The variants of a list of words.
pub fn of(axis: Axis, words: &[String], loaded: &Loaded) -> Result<Vec<Variant>, Refusal> {
    let all: Result<Vec<Variant>, Refusal> =
        words.iter().map(|word| one(axis, word, loaded)).collect();
    let all = all?;
    match all.len() {
        0 | 1 => Err(Refusal::new(
            Diagnostic::error("G1502", "a comparison needs two variants at least")
                .help("write them with commas: `--methods rigid,ancf,ked`"),
        )),
        _ => Ok(all),
    }
}

fn one(axis: Axis, word: &str, loaded: &Loaded) -> Result<Variant, Refusal> {
    let mut variant = Variant::new(word);
    let listed = match axis {
        Axis::Methods => METHODS,
        Axis::Coordinates => COORDINATES,
        Axis::Laws => {
            variant.law = Some(word.to_owned());
            return Ok(variant);
        }
        Axis::Films => {
            let joints = loaded.model.joints.iter();
            let films = joints.filter(|j| j.clearance.as_ref().is_some_and(|c| c.film.is_some()));
            let keys = films.map(|j| (format!("joints.{}.film.model", j.name), word.to_owned()));
            variant.set = keys.collect();
            if variant.set.is_empty() {
                let message = "no joint of the model has a film to compare";
                return Err(Refusal::new(
                    Diagnostic::error("G1502", message)
                        .help("give a joint with `clearance` a `film` table"),
                ));
            }
            return Ok(variant);
        }
    };
    let Some((_, set)) = listed.iter().find(|(known, _)| *known == word) else {
        return Err(unknown(axis, word));
    };
    variant.set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    if axis == Axis::Methods {
        let bodies = loaded.model.bodies.iter().filter(|body| body.flexible.is_some());
        let names: Vec<String> = bodies.map(|body| body.name.clone()).collect();
        if names.is_empty() {
            let message = "no body of the model has a `flexible` table to compare";
            return Err(Refusal::new(Diagnostic::error("G1502", message).help(
                "give a link `shape` and `flexible = { method = \"ancf\", elements = 8 }`",
            )));
        }
        if word != "rigid" {
            variant.links = names;
        }
    }
    Ok(variant)
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
