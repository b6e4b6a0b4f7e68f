//! From the cases of a reference to jobs: models with their changes, and the values asked of them.

use gudgeon::model::Model;
use gudgeon::run::RunSpec;
use gudgeon_model::{Loaded, Overrides, shipped};
use gudgeon_study::responses::{Measure, prepare};

use super::figure::Figure;
use super::film;
use super::reference::{FilmState, Group, Listed, Recipe};
use super::refuse;
use super::surrogate::SurrogateCase;
use super::value::{Given, Text, Value};
use crate::Refusal;

/// A shipped model and what is known of a paper with it.
pub struct Part {
    pub model: &'static str,
    /// The text of its `reference.toml`.
    pub text: &'static str,
    pub groups: Vec<Group>,
    pub figures: Vec<Figure>,
    pub equations: Vec<Listed>,
    pub tables: Vec<Listed>,
}

/// One case.
#[derive(Clone, Debug)]
pub struct Job {
    pub work: Work,
    /// What is asked for, by its text.
    pub values: Vec<(String, Value)>,
}

/// What a case does.
#[derive(Clone, Debug)]
pub enum Work {
    /// One run, or an ensemble of runs.
    Run { model: Box<Model>, spec: Box<RunSpec>, ensemble: Option<usize> },
    /// A surrogate instead of a run.
    Surrogate(SurrogateCase),
    /// A film at a state of its journal instead of a run.
    Film { model: Box<Model>, state: FilmState },
}

impl Part {
    /// The job of a recipe that gives some values.
    pub fn job(&self, recipe: &Recipe, asked: &[&Text]) -> Result<Job, Box<Refusal>> {
        if let Some(fit) = &recipe.fit {
            let case = SurrogateCase::new(self, fit, recipe)?;
            let given = Given::Named { prefix: "surrogate", names: &case.names() };
            let values = self.values(asked, given)?;
            return Ok(Job { work: Work::Surrogate(case), values });
        }
        let Loaded { model, run: mut spec, .. } = self.load(recipe)?;
        if let Some(state) = &recipe.film {
            let given = Given::Named { prefix: "film", names: &film::names() };
            let values = self.values(asked, given)?;
            let work = Work::Film { model: Box::new(model), state: state.clone() };
            return Ok(Job { work, values });
        }
        let is_ensemble = recipe.ensemble.is_some();
        let values = self.values(asked, Given::Run { model: &model, is_ensemble })?;
        let measures = measures(&values);
        prepare(measures.iter().copied(), &model, &mut spec)
            .map_err(|error| refuse(error.to_string()))?;
        let (model, spec) = (Box::new(model), Box::new(spec));
        Ok(Job { work: Work::Run { model, spec, ensemble: recipe.ensemble }, values })
    }

    /// The job of a recipe that gives values by their texts.
    pub fn job_of_texts(&self, recipe: &Recipe, texts: &[String]) -> Result<Job, Box<Refusal>> {
        let asked: Vec<Text> = texts.iter().map(|text| Text::new(0..0, text.clone())).collect();
        self.job(recipe, &asked.iter().collect::<Vec<_>>())
    }

    /// The model with the changes of a recipe.
    fn load(&self, recipe: &Recipe) -> Result<Loaded, Box<Refusal>> {
        let name = recipe.model.as_deref().unwrap_or(self.model);
        let shipped = shipped::find(name)
            .ok_or_else(|| refuse(format!("there is no shipped model `{name}`")))?;
        shipped::load(shipped, &overrides(recipe)).map_err(|failure| Box::new((*failure).into()))
    }

    /// Reads values, each once.
    fn values(
        &self,
        asked: &[&Text],
        given: Given<'_>,
    ) -> Result<Vec<(String, Value)>, Box<Refusal>> {
        let mut values: Vec<(String, Value)> = Vec::new();
        for written in asked {
            if values.iter().any(|(text, _)| text == written.get_ref()) {
                continue;
            }
            let value = Value::read(written, self.text, given).map_err(|diagnostic| {
                let file = format!("models/{}/reference.toml", self.model);
                Box::new(Refusal::new(*diagnostic).within(&file, self.text))
            })?;
            values.push((written.get_ref().clone(), value));
        }
        Ok(values)
    }
}

/// What is measured in runs.
pub fn measures(values: &[(String, Value)]) -> Vec<&Measure> {
    values.iter().filter_map(|(_, value)| value.measure()).collect()
}

/// The recipe as changes to a model file.
pub fn overrides(recipe: &Recipe) -> Overrides {
    let text = |value: &toml::Value| match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut set: Vec<(String, String)> =
        recipe.set.iter().map(|(name, value)| (name.clone(), text(value))).collect();
    if !recipe.outputs.is_empty() {
        set.push(("run.outputs".into(), toml::Value::from(recipe.outputs.clone()).to_string()));
    }
    Overrides {
        set,
        ideal: recipe.ideal.clone(),
        frictionless: recipe.frictionless.iter().cloned().map(Some).collect(),
        law: recipe.law.iter().map(|law| (None, law.clone())).collect(),
        until: recipe.until.clone(),
        measure_from: recipe.measure_from.clone(),
        rtol: recipe.rtol,
        method: recipe.method.clone(),
        ..Overrides::default()
    }
}
