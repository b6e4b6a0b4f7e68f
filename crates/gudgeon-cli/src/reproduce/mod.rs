//! Recomputes the tables of a paper and says what agrees.
//!
//! `reference` reads what is known, `runner` runs the cases, `learn` fits, `film` asks a film alone,
//! `selector` finds the values, `turns` those of every turn, `verdict` judges them, `report` tells. The data are `reference.toml` of the shipped models; this
//! module knows nothing about any paper.

mod film;
mod finding;
mod learn;
mod reference;
pub mod report;
mod runner;
mod selector;
mod turns;
mod verdict;

use gudgeon::progress::Progress;
use gudgeon_model::shipped;

use finding::{of_case, of_claim};
use learn::Lesson;
use reference::{Group, Reference};
use runner::{Job, Needs};
use selector::Selector;

pub use finding::Finding;

/// A paper: the references of all models that serve it.
pub struct Paper {
    pub name: String,
    pub title: String,
    /// Shipped model and its groups.
    parts: Vec<(&'static str, Vec<Group>)>,
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
pub fn papers() -> Result<Vec<Paper>, String> {
    let mut papers: Vec<Paper> = Vec::new();
    for (model, text) in shipped::REFERENCES {
        let Reference { paper, title, groups } = toml::from_str(text)
            .map_err(|error| format!("models/{model}/reference.toml: {error}"))?;
        match papers.iter_mut().find(|other| other.name == paper) {
            Some(known) => known.parts.push((model, groups)),
            None => papers.push(Paper { name: paper, title, parts: vec![(model, groups)] }),
        }
    }
    Ok(papers)
}

impl Paper {
    /// Names of groups, as the user may ask for them.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(|(_, groups)| groups).map(|group| group.name.as_str())
    }

    /// The cases of a group (`table4`), a single one (`table4/3`), or all; `None` when there is no
    /// such case.
    pub fn plan(&self, case: Option<&str>) -> Result<Option<Plan<'_>>, String> {
        let mut plan = Plan { chosen: Vec::new(), jobs: Vec::new() };
        for (model, groups) in &self.parts {
            for group in groups {
                plan.add(model, groups, group, case)?;
            }
        }
        Ok(if plan.chosen.is_empty() { None } else { Some(plan) })
    }
}

impl<'a> Plan<'a> {
    fn add(
        &mut self,
        model: &'static str,
        groups: &[Group],
        group: &'a Group,
        asked: Option<&str>,
    ) -> Result<(), String> {
        let claims = asked.is_none_or(|asked| within(&group.name, asked));
        let wanted =
            |i: &usize| asked.is_none_or(|asked| within(&group.case_name(&group.cases[*i]), asked));
        let cases: Vec<usize> = (0..group.cases.len()).filter(wanted).collect();
        if cases.is_empty() {
            return Ok(());
        }
        let first = self.jobs.len();
        let needs = needs(group).map_err(|text| format!("{model}, {}: {text}", group.name))?;
        for &i in &cases {
            let case = &group.cases[i];
            let recipe = group.recipe_of(case);
            let lesson = Lesson::new(model, groups, &recipe)
                .map_err(|text| format!("{}: {text}", group.case_name(case)))?;
            self.jobs.push(Job { model, recipe, needs, lesson });
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

/// What the values of a group need to know of its runs.
fn needs(group: &Group) -> Result<Needs, String> {
    let rows = group.rows.iter().flat_map(|row| [Some(&row.value), row.per.as_ref()]);
    let claims = group
        .claims
        .iter()
        .flat_map(|claim| claim.value.iter().chain(&claim.values).chain(&claim.per).map(Some));
    let mut needs = Needs::MODEL;
    for text in rows.chain(claims).flatten() {
        let selector = Selector::parse(text).ok_or_else(|| format!("no such value: {text}"))?;
        needs = needs.with(selector.needs());
    }
    Ok(needs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_file_reads_and_plans() {
        for paper in papers().unwrap() {
            let plan = paper.plan(None).unwrap().unwrap();
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
