//! What a paper printed and what is known about it: the format of `reference.toml`, described in the
//! module above.

use serde::Deserialize;

use super::figure::Figure;
use super::value::Text;
use super::verdict::Verdict;

/// A file `reference.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Short name of the paper, as the user types it.
    pub paper: String,
    pub title: String,
    pub groups: Vec<Group>,
    #[serde(default)]
    pub figures: Vec<Figure>,
    #[serde(default)]
    pub equations: Vec<Listed>,
    #[serde(default)]
    pub tables: Vec<Listed>,
}

/// Numbered equations or tables of the paper, and where they are here.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// One number, or the first and the last: `4–7`.
    pub number: String,
    pub about: String,
    /// The word of a file or the command that has it.
    #[serde(default)]
    pub here: String,
    /// Why there is none.
    #[serde(default)]
    pub reason: String,
}

/// Cases that share a recipe and the quantities they report.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub name: String,
    pub about: String,
    #[serde(default)]
    pub recipe: Recipe,
    /// Quantities of every case.
    #[serde(default)]
    pub rows: Vec<Row>,
    pub cases: Vec<Case>,
    /// Statements about several cases.
    #[serde(default)]
    pub claims: Vec<Claim>,
    #[serde(default)]
    pub note: String,
}

/// What is changed in the shipped model and how long it runs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recipe {
    /// Another shipped model than that of the folder.
    pub model: Option<String>,
    /// Parameters by name, other keys by path.
    pub set: toml::Table,
    pub ideal: Vec<String>,
    /// Joints without their friction.
    pub frictionless: Vec<String>,
    pub law: Option<String>,
    pub until: Option<String>,
    pub measure_from: Option<String>,
    pub rtol: Option<f64>,
    pub method: Option<String>,
    /// Runs with tiny perturbations instead of one.
    pub ensemble: Option<usize>,
    /// Outputs instead of those of the model.
    pub outputs: Vec<String>,
    /// A surrogate instead of a run.
    pub fit: Option<Fit>,
    /// A film at a state of its journal instead of a run.
    pub film: Option<FilmState>,
}

/// A journal in the bearing of a joint.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilmState {
    pub joint: String,
    /// ξ_A, η_A, ξ_W, η_W of its ends A (ζ = −B/2) and W (+B/2), in clearances.
    pub place: [f64; 4],
    /// Their rates, m/s.
    #[serde(default)]
    pub rate: [f64; 4],
    /// Spin of the journal less that of the bearing, rad/s.
    #[serde(default)]
    pub omega: f64,
}

/// What a Kriging model is fitted to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Fit {
    /// A printed value, the first unless `row` counts from 0 to another, of the first cases of a group.
    Printed {
        table: String,
        cases: usize,
        #[serde(default)]
        row: usize,
    },
    /// The same of our own runs, by the recipe of that group with changes.
    Simulated { table: String, cases: usize },
    /// A response of a shipped study, at random designs; errors are taken on a grid.
    Function { study: String, response: String, samples: usize, designs: u64, grid: usize },
}

/// A quantity that every case of a group reports.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub quantity: String,
    pub value: Text,
    /// Divides the value by another one of the same run.
    pub per: Option<Text>,
    /// Multiplies the value.
    #[serde(default = "one")]
    pub scale: f64,
    pub unit: String,
    /// Relative tolerance against the independent reference.
    pub tolerance: Option<f64>,
    /// Absolute tolerance against the independent reference; with `tolerance` the wider counts.
    pub absolute: Option<f64>,
    /// Relative tolerance against the printed value.
    pub within: Option<f64>,
    /// Factor either way against the printed value.
    pub factor: Option<f64>,
    #[serde(default)]
    pub note: String,
}

/// One run, or one ensemble.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    /// Values on top of those of the group.
    #[serde(default)]
    pub set: toml::Table,
    /// Other changes to the recipe of the group.
    #[serde(default)]
    pub recipe: Recipe,
    /// Printed values, one per row of the group; `nan` where nothing is printed.
    #[serde(default)]
    pub printed: Vec<f64>,
    /// Independent references, one per row; `nan` where there is none.
    #[serde(default)]
    pub reference: Vec<f64>,
    /// Recorded verdicts: one per row, or one for all.
    #[serde(default)]
    pub expect: Vec<Verdict>,
    #[serde(default)]
    pub note: String,
}

/// A statement of the text, tested on runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub quantity: String,
    /// The statement, in the words of the paper where they are short.
    pub claim: String,
    /// Of each run; its series are the runs of `over`.
    pub value: Option<Text>,
    /// Instead of it several; its series are these, for each run of `over`.
    #[serde(default)]
    pub values: Vec<Text>,
    pub per: Option<Text>,
    #[serde(default)]
    pub unit: String,
    /// Series of cases; the statement is tested on each.
    pub over: Vec<Vec<String>>,
    /// A case with ideal joints: values become |value/ideal − 1|.
    pub from_ideal: Option<String>,
    pub holds: Holds,
    /// Bound of `at-least` and `at-most`, largest ratio of `constant`.
    pub bound: Option<f64>,
    pub expect: Verdict,
    #[serde(default)]
    pub note: String,
}

/// When a statement holds for a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// Every value is larger than the one before.
    Rises,
    /// Every value is smaller than the one before.
    Falls,
    /// Largest over smallest value is at most the bound.
    Constant,
    /// No value is below the bound.
    AtLeast,
    /// No value is above the bound.
    AtMost,
}

fn one() -> f64 {
    1.0
}

impl Row {
    /// How far a value may be from a reference.
    pub fn bound(&self, reference: f64) -> Option<f64> {
        let relative = self.tolerance.map(|tolerance| tolerance * reference.abs());
        self.absolute.into_iter().chain(relative).reduce(f64::max)
    }

    /// How a value is judged, in words.
    pub fn criterion(&self, reference: Option<f64>) -> String {
        match (reference, self.tolerance, self.absolute, self.within, self.factor) {
            (Some(_), Some(relative), Some(absolute), ..) => {
                format!("{relative:e} or ±{absolute:e} of reference")
            }
            (Some(_), Some(relative), None, ..) => format!("{relative:e} of reference"),
            (Some(_), None, Some(absolute), ..) => format!("±{absolute:e} of reference"),
            (_, _, _, Some(within), _) => format!("{within:e} of print"),
            (_, _, _, None, Some(factor)) => format!("factor {factor} of print"),
            _ => String::new(),
        }
    }

    /// The same as a part of the reference; none where that is zero.
    pub fn relative(&self, reference: f64) -> Option<f64> {
        self.bound(reference).map(|bound| bound / reference.abs()).filter(|part| part.is_finite())
    }
}

impl Recipe {
    /// This recipe with the changes of another.
    pub fn with(&self, other: &Recipe) -> Recipe {
        let mut set = self.set.clone();
        set.extend(other.set.clone());
        let either = |a: &[String], b: &[String]| if b.is_empty() { a } else { b }.to_vec();
        Recipe {
            model: other.model.clone().or_else(|| self.model.clone()),
            set,
            ideal: either(&self.ideal, &other.ideal),
            frictionless: either(&self.frictionless, &other.frictionless),
            law: other.law.clone().or_else(|| self.law.clone()),
            until: other.until.clone().or_else(|| self.until.clone()),
            measure_from: other.measure_from.clone().or_else(|| self.measure_from.clone()),
            rtol: other.rtol.or(self.rtol),
            method: other.method.clone().or_else(|| self.method.clone()),
            ensemble: other.ensemble.or(self.ensemble),
            outputs: either(&self.outputs, &other.outputs),
            fit: other.fit.clone().or_else(|| self.fit.clone()),
            film: other.film.clone().or_else(|| self.film.clone()),
        }
    }
}

impl Case {
    /// Whether a row belongs to it: something is printed, or known otherwise.
    pub fn has(&self, row: usize) -> bool {
        given(&self.printed, row).or(given(&self.reference, row)).is_some()
    }
}

/// A number of a list, unless it is missing.
pub fn given(values: &[f64], index: usize) -> Option<f64> {
    values.get(index).copied().filter(|value| !value.is_nan())
}

impl Claim {
    /// When it holds, in words.
    pub fn criterion(&self) -> String {
        let bound = self.bound.unwrap_or(f64::NAN);
        match self.holds {
            Holds::Rises => "rises".to_owned(),
            Holds::Falls => "falls".to_owned(),
            Holds::Constant => format!("largest ≤ {bound} smallest"),
            Holds::AtLeast => format!("≥ {bound}"),
            Holds::AtMost => format!("≤ {bound}"),
        }
    }

    fn is_about(&self, case: &Case) -> bool {
        self.over.iter().flatten().chain(&self.from_ideal).any(|name| *name == case.name)
    }
}

impl Group {
    /// The values that rows and claims take of a case.
    pub fn values_of(&self, case: &Case, claims: bool) -> Vec<&Text> {
        let rows = self.rows.iter().enumerate().filter(|(i, _)| case.has(*i));
        let rows = rows.flat_map(|(_, row)| std::iter::once(&row.value).chain(&row.per));
        let claims = self.claims.iter().filter(|claim| claims && claim.is_about(case));
        let claims =
            claims.flat_map(|claim| claim.value.iter().chain(&claim.values).chain(&claim.per));
        rows.chain(claims).collect()
    }

    /// The whole recipe of a case.
    pub fn recipe_of(&self, case: &Case) -> Recipe {
        let set = Recipe { set: case.set.clone(), ..Recipe::default() };
        self.recipe.with(&case.recipe).with(&set)
    }

    /// Name of a case as the user types it.
    pub fn case_name(&self, case: &Case) -> String {
        if case.name.is_empty() {
            self.name.clone()
        } else {
            format!("{}/{}", self.name, case.name)
        }
    }
}
