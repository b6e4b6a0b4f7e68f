//! The sections of a study in the order they depend on one another.

use gudgeon::model::Model;

use super::keys::STUDY;
use super::names::{Named, count_of, whole};
use super::points::Files;
use super::{
    Design, Measure, Optimise, Output, Plots, Response, Sensitivity, Study, Surrogate, Sweep,
    Variable,
};
use super::{design, optimise, plots, responses, surrogate, sweep};
use gudgeon_model::RunSpec;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::reader::{At, Context, Reader, entries};
use gudgeon_model::tree::{Name, Node};

/// Seeds up to here are exact in every reader of TOML and JSON.
const SEEDS: u64 = 9_007_199_254_740_991;

/// `[study]`.
#[derive(Default)]
pub(super) struct Head {
    name: Option<String>,
    about: Option<String>,
    model: Option<String>,
    seed: u64,
    ensemble: usize,
    time_limit: Option<f64>,
}

pub(super) fn head(cx: &mut Context<'_>, root: &Reader<'_>) -> Head {
    let default = Head { seed: 1, ensemble: 1, ..Head::default() };
    let Some((name, node)) = root.entry("study") else { return default };
    let Some(reader) = Reader::open(cx, "`[study]`", name.span, node, &STUDY) else {
        return default;
    };
    let text = |text: At<&str>| text.value.to_owned();
    let time_limit = reader.quantity(cx, "time_limit");
    if let Some(limit) = time_limit.filter(|limit| limit.value <= 0.0) {
        let message = "`time_limit` must be positive";
        let diagnostic = Diagnostic::error("G2003", message).at(limit.span, "zero or negative");
        cx.report(diagnostic.help("write a CPU time such as \"30 s\""));
    }
    Head {
        name: reader.text(cx, "name").map(text),
        about: reader.text(cx, "about").map(text),
        model: reader.text(cx, "model").map(text),
        seed: reader.get("seed").and_then(|node| whole(cx, "seed", node, 1, SEEDS)).unwrap_or(1),
        ensemble: count_of(cx, &reader, "ensemble").unwrap_or(1),
        time_limit: time_limit.map(|limit| limit.value),
    }
}

/// The model as far as it could be built.
pub(super) struct Mechanism<'a> {
    pub model: Option<&'a Model>,
    pub run: Option<&'a RunSpec>,
}

/// Everything behind the variables.
pub(super) struct Sections<'t> {
    head: Head,
    variables: Named<'t, Variable>,
    responses: Named<'t, Response>,
    outputs: Vec<Output>,
    design: Option<Design>,
    surrogate: Option<Surrogate>,
    optimise: Option<Optimise>,
    sensitivity: Option<Sensitivity>,
    sweep: Option<Sweep>,
    plots: Plots,
}

impl<'t> Sections<'t> {
    /// Whether samples are motions: not where modes, equilibria and laws alone are asked for.
    pub fn moves(&self) -> bool {
        let mut measures =
            self.responses.iter().filter_map(|(_, response)| response?.measure()).peekable();
        self.sweep.is_some() || measures.peek().is_none() || measures.any(Measure::needs_run)
    }

    pub fn read(
        cx: &mut Context<'_>,
        files: &mut Files<'_>,
        mechanism: &Mechanism<'_>,
        root: &Reader<'t>,
        variables: Named<'t, Variable>,
    ) -> Self {
        let head = head(cx, root);
        check_filled(cx, root, "variables");
        check_filled(cx, root, "responses");
        check_purpose(cx, root);
        let tables = entries(cx, "`responses`", root.get("responses"));
        let (responses, outputs) = responses::read(cx, mechanism.model, &variables, tables);
        if mechanism.model.is_some() {
            warn_unmeasured(cx, root, &responses);
        }
        let given = |key: &str| root.entry(key);
        let read_design =
            |(name, node)| design::read(cx, files, &variables, &responses, name, node);
        let design = given("design").and_then(read_design);
        let around = surrogate::Around {
            variables: &variables,
            responses: &responses,
            design: design.as_ref(),
            no_design: given("design").is_none(),
            ensemble: head.ensemble,
        };
        let surrogate =
            given("surrogate").and_then(|(name, node)| surrogate::read(cx, &around, name, node));
        let no_surrogate = given("surrogate").is_none();
        let around = optimise::Around {
            variables: &variables,
            responses: &responses,
            surrogate: surrogate.as_ref(),
            no_surrogate,
        };
        let optimise =
            given("optimise").and_then(|(name, node)| optimise::read(cx, &around, name, node));
        let read_sensitivity =
            |(name, node): (&Name, &Node)| plots::sensitivity(cx, no_surrogate, name, node);
        let sensitivity = given("sensitivity").and_then(read_sensitivity);
        let around = sweep::Around {
            variables: &variables,
            responses: &responses,
            model: mechanism.model,
            outputs: mechanism.run.map(outputs_of).unwrap_or_default(),
        };
        let sweep = given("sweep").and_then(|(name, node)| sweep::read(cx, &around, name, node));
        let read_plots =
            |(name, node): (&Name, &Node)| plots::read(cx, no_surrogate, &variables, name, node);
        let plots = given("plots").and_then(read_plots).unwrap_or_default();
        Self {
            head,
            variables,
            responses,
            outputs,
            design,
            surrogate,
            optimise,
            sensitivity,
            sweep,
            plots,
        }
    }

    pub fn variables(&self) -> &Named<'t, Variable> {
        &self.variables
    }

    /// A sweep must know the variables that formulas name.
    pub fn check_sweep(&self, cx: &mut Context<'_>, root: &Reader<'_>, standing: &[f64]) {
        let (Some(sweep), Some((name, _))) = (&self.sweep, root.entry("sweep")) else { return };
        for response in self.responses.iter().filter_map(|(_, response)| response) {
            let Some(formula) = response.formula() else { continue };
            let unknown = |index: &usize| *index != sweep.variable && standing[*index].is_nan();
            let Some(index) = formula.variables().find(unknown) else { continue };
            let Some(variable) = self.variables.get(index) else { continue };
            let (named, path) = (&variable.name, &variable.path);
            let message = format!("formula `{}` needs `{named}`, too", response.name);
            let diagnostic = Diagnostic::error("G2055", message)
                .at(name.span, format!("leaves `{named}` as the model has it"))
                .help(format!("the model must give a number at `{path}`"));
            cx.report(diagnostic);
        }
    }

    /// The study, if nothing of it is in error.
    pub fn finish(self, title: String) -> Option<Study> {
        Some(Study {
            name: self.head.name.unwrap_or(title),
            about: self.head.about,
            model: self.head.model,
            seed: self.head.seed,
            ensemble: self.head.ensemble,
            time_limit: self.head.time_limit,
            variables: self.variables.finish()?,
            design: self.design,
            responses: self.responses.finish()?,
            outputs: self.outputs,
            surrogate: self.surrogate,
            optimise: self.optimise,
            sensitivity: self.sensitivity,
            sweep: self.sweep,
            plots: self.plots,
        })
    }
}

fn outputs_of(run: &RunSpec) -> Vec<Output> {
    let output = |sensor: &gudgeon::sensor::Sensor| Output {
        name: sensor.name.clone(),
        unit: sensor.unit.clone(),
    };
    run.outputs.iter().map(output).collect()
}

/// A section must not be empty.
fn check_filled(cx: &mut Context<'_>, root: &Reader<'_>, key: &str) {
    let Some((name, node)) = root.entry(key) else { return };
    if node.as_table().is_some_and(|table| table.entries.is_empty()) {
        let message = format!("`[{key}]` is empty");
        cx.report(Diagnostic::error("G0102", message).at(name.span, "nothing given"));
    }
}

/// A model that nothing is measured in is run in vain.
fn warn_unmeasured(cx: &mut Context<'_>, root: &Reader<'_>, responses: &Named<'_, Response>) {
    let formula = |response: &Response| response.formula().is_some();
    let all = responses.iter().all(|(_, response)| response.is_some_and(formula));
    let model = root.get("study").and_then(|study| study.as_table()?.get("model"));
    if let (true, 1.., Some(model)) = (all, responses.len(), model) {
        let diagnostic = Diagnostic::warning("G2103", "nothing is measured in the model")
            .at(model.span, "runs in vain")
            .help("remove `model`: all responses are formulas of variables");
        cx.report(diagnostic);
    }
}

/// A study must do something.
fn check_purpose(cx: &mut Context<'_>, root: &Reader<'_>) {
    let purposes = ["design", "sweep", "optimise", "sensitivity"];
    if purposes.iter().all(|key| root.get(key).is_none()) {
        let diagnostic = Diagnostic::error("G0102", "the study lacks `design` or `sweep`")
            .at(root.span, "no samples asked for")
            .help("add a section `[design]`, such as `method = \"lhs\"` and `samples = 30`");
        cx.report(diagnostic);
    }
}
