//! Recomputes the tables of a paper and says what agrees.
//!
//! `reference` reads what is known, `job` makes the runs of it, `value` reads which values they give and
//! takes them, `runner` runs, `surrogate` fits, `film` evaluates a film alone, `verdict` judges, `finding` and
//! `record` report. The data are `reference.toml` of the shipped models; this module knows nothing about
//! any paper.
//!
//! # `reference.toml`
//!
//! A file has a `paper`, a `title` and `[[groups]]`. A group has a `name` and `about`, and
//!
//! | key | what |
//! |---|---|
//! | `recipe` | what is changed in the model and how long it runs, as by the options of `gudgeon run`: `set`, `ideal`, `frictionless`, `law`, `until`, `measure_from`, `rtol`, `method`, `outputs`, `model` (another shipped one), `ensemble` (number of runs from starts 1 nm apart); or instead of a run `fit` (a surrogate, see `surrogate`) or `film` (a film at a state of its journal, see `film`) |
//! | `rows` | the quantities of every case: `quantity`, `unit`, `value`, `per` (divides by another value), `scale` (multiplies), `note`, and how it is judged: `tolerance` (relative) or `absolute`, or the wider of both, against `reference`; `within` (relative) or `factor` (either way) against `printed` |
//! | `cases` | one run or ensemble each: `name`, `set` (`recipe` for other changes), then one entry per row: `printed`, `reference` (of an independent solution), nan for none, `expect` (the recorded verdict, `agrees` unless given), `note` |
//! | `claims` | statements about several cases: `quantity`, `claim`, `value` and `over` (series of cases), or `values` (a series within each case of `over`), `per`, `from_ideal` (a case: values become \|value/ideal − 1\|), `holds` (`rises`, `falls`, `constant`, `at-least`, `at-most`) with `bound`, `expect`, `note` |
//!
//! A value is written as in `[responses]` of a study (docs/study-file.md): `abs_max(slider.acceleration.x)`,
//! `nth(pin.impacts.t, 1)`, `force_at(pin, 10 um)`. Of an ensemble it is the mean over the runs, and one of
//! turns that of the turns of all runs together. Beside these there are
//!
//! | value | what |
//! |---|---|
//! | `spread(MEASURE)` | of an ensemble: standard deviation over mean |
//! | `warnings(CODE)` | number of validity warnings of a code; mean of an ensemble |
//! | `ked_frequency(NUMBER)` | of `analysis = "ked"`: frequency of the linkage at the start, counted from 1, Hz |
//! | `cpu_time` | CPU time of a run's steps, s; mean of an ensemble |
//! | `surrogate.NAME` | of a case with `fit` |
//! | `film.NAME` | of a case with `film` |

pub mod figure;
mod film;
mod finding;
mod job;
mod page;
pub mod record;
mod reference;
mod runner;
mod surrogate;
mod value;
mod verdict;

use gudgeon::progress::Progress;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::shipped;

use crate::Refusal;
use finding::{of_case, of_claim};
use job::{Job, Part};
use reference::{Group, Reference};

pub use finding::Finding;

/// A paper: the references of all models that serve it.
pub struct Paper {
    pub name: String,
    pub title: String,
    parts: Vec<Part>,
}

/// The cases asked for, by group.
pub struct Plan<'a> {
    chosen: Vec<Chosen<'a>>,
    jobs: Vec<Job>,
}

/// A group, the numbers of its cases to run, and whether its claims are asked for.
struct Chosen<'a> {
    group: &'a Group,
    cases: Vec<usize>,
    claims: bool,
    /// Job of the first case.
    first: usize,
}

/// What was found about one group.
pub struct Section<'a> {
    pub name: &'a str,
    pub about: &'a str,
    pub findings: Vec<Finding>,
}

/// All papers, in the order of the shipped models.
pub fn papers() -> Result<Vec<Paper>, Box<Refusal>> {
    let mut papers: Vec<Paper> = Vec::new();
    for &(model, text) in shipped::REFERENCES {
        let Reference { paper, title, groups, figures, equations, tables } =
            toml::from_str(text)
                .map_err(|error| refuse(format!("models/{model}/reference.toml: {error}")))?;
        let part = Part { model, text, groups, figures, equations, tables };
        match papers.iter_mut().find(|other| other.name == paper) {
            Some(known) => known.parts.push(part),
            None => papers.push(Paper { name: paper, title, parts: vec![part] }),
        }
    }
    Ok(papers)
}

/// A mistake without a place.
fn refuse(message: String) -> Box<Refusal> {
    Box::new(Refusal::new(Diagnostic::error("G1401", message)))
}

impl Paper {
    /// Names of groups, as the user may ask for them.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(|part| &part.groups).map(|group| group.name.as_str())
    }

    /// The cases of a group (`table4`), a single one (`table4/3`), or all; `None` when there is no
    /// such case.
    pub fn plan(&self, case: Option<&str>) -> Result<Option<Plan<'_>>, Box<Refusal>> {
        let mut plan = Plan { chosen: Vec::new(), jobs: Vec::new() };
        for part in &self.parts {
            for group in &part.groups {
                plan.add(part, group, case)?;
            }
        }
        Ok(if plan.chosen.is_empty() { None } else { Some(plan) })
    }
}

impl<'a> Plan<'a> {
    fn add(
        &mut self,
        part: &Part,
        group: &'a Group,
        asked: Option<&str>,
    ) -> Result<(), Box<Refusal>> {
        let claims = asked.is_none_or(|asked| within(&group.name, asked));
        let wanted =
            |i: &usize| asked.is_none_or(|asked| within(&group.case_name(&group.cases[*i]), asked));
        let cases: Vec<usize> = (0..group.cases.len()).filter(wanted).collect();
        if cases.is_empty() {
            return Ok(());
        }
        let first = self.jobs.len();
        for &i in &cases {
            let case = &group.cases[i];
            self.jobs.push(part.job(&group.recipe_of(case), &group.values_of(case, claims))?);
        }
        self.chosen.push(Chosen { group, cases, claims, first });
        Ok(())
    }

    /// Runs everything; `None` when `progress` cancels it.
    pub fn run(&self, threads: usize, progress: &dyn Progress) -> Option<Vec<Section<'a>>> {
        let outcomes = runner::run_all(&self.jobs, threads, progress)?;
        let section = |chosen: &Chosen<'a>| {
            let Chosen { group, ref cases, claims, first } = *chosen;
            let outcomes = &outcomes[first..first + cases.len()];
            let mut findings = Vec::new();
            for (&i, outcome) in cases.iter().zip(outcomes) {
                findings.extend(of_case(group, &group.cases[i], outcome));
            }
            if claims {
                findings.extend(group.claims.iter().map(|claim| of_claim(group, claim, outcomes)));
            }
            Section { name: &group.name, about: &group.about, findings }
        };
        Some(self.chosen.iter().map(section).filter(|s| !s.findings.is_empty()).collect())
    }
}

/// Whether `name` is what was asked for, or lies within it.
fn within(name: &str, asked: &str) -> bool {
    name.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_file_reads_and_every_value_is_known_to_its_model() {
        for paper in papers().unwrap() {
            let plan = paper.plan(None).unwrap_or_else(|refusal| panic!("{refusal}")).unwrap();
            assert!(plan.jobs.len() > 10, "{}", paper.name);
            for Chosen { group, .. } in &plan.chosen {
                finding::check(group).unwrap();
            }
        }
    }

    #[test]
    fn cases_are_found_by_whole_names() {
        let papers = papers().unwrap();
        let zhang = papers.iter().find(|paper| paper.name == "zhang").unwrap();
        let jobs = |case| zhang.plan(Some(case)).unwrap().map(|plan| plan.jobs.len());
        assert_eq!(jobs("table4/3"), Some(1));
        assert_eq!(jobs("table"), None);
        assert!(jobs("table6") >= Some(30));
    }
}
