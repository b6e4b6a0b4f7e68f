//! Reading a study: the one way in, from a file or from a text.

use std::path::Path;

use gudgeon::model::Space;
use gudgeon::sensor;

use super::fingerprint::Parts;
use super::keys::{ROOT, RUN};
use super::names::Named;
use super::points::Files;
use super::sections::{Mechanism, Sections};
use super::variables::{self, Known};
use super::{Study, Variable, alone, changes, trials};
use gudgeon_model::diagnostic::{Diagnostic, Diagnostics, nearest};

use gudgeon_model::files::{self, Disk};
use gudgeon_model::load::{
    Built, Edits, Loaded, ParsedModel, Resolver, file_texts, keep_causes, title,
};
use gudgeon_model::overrides::Change;
use gudgeon_model::parse::{Broken, parse};
use gudgeon_model::reader::{Context, Reader, entries, suggest};
use gudgeon_model::shipped::{self, Embedded};
use gudgeon_model::source::{FileId, Sources, Span};
use gudgeon_model::spec::check_format;
use gudgeon_model::spec::parameters::Parameters;
use gudgeon_model::tree::{Node, Table, Value};
use gudgeon_model::{Failure, Overrides, RunSpec, Until};

/// A study that can be run.
#[derive(Debug)]
pub struct LoadedStudy {
    pub study: Study,
    /// The model with the changes of the study, its variables as they stand in the model. `None` if
    /// all responses are formulas of variables.
    pub model: Option<Loaded>,
    /// Name and text of every file that was read, the study first.
    pub files: Vec<(String, String)>,
    /// Of the study and of the model.
    pub warnings: Diagnostics,
    /// The texts that warnings point into.
    pub sources: Sources,
    base: Option<ParsedModel>,
    /// Numbers of the variables where they are not varied.
    standing: Vec<f64>,
    fixed: Vec<Change>,
    absent: Vec<Change>,
    overrides: Overrides,
    parts: Parts,
}

impl LoadedStudy {
    /// Fingerprint of what decides on the samples: results with another one cannot be resumed,
    /// while surrogate, search, sensitivity, sweep and plots may change.
    pub fn sample_fingerprint(&self) -> u64 {
        self.parts.whole()
    }

    /// Names and fingerprints of the sections and files behind it.
    pub fn sample_parts(&self) -> &[(String, u64)] {
        &self.parts.0
    }

    /// Names and texts of the data files that its model looks up.
    pub fn data(&self) -> impl Iterator<Item = (&str, &str)> {
        self.base.iter().flat_map(ParsedModel::data)
    }

    /// The numbers of all variables with one of them set, the others as the model has them; without
    /// a model, in the middle of their ranges.
    pub fn swept(&self, variable: usize, value: f64) -> Vec<f64> {
        let mut numbers = self.standing.clone();
        numbers[variable] = value;
        numbers
    }

    /// The model of a sample. The outputs of its run are [`Study::outputs`], in their order.
    pub fn load_at(&self, point: &[f64]) -> Result<Loaded, Box<Failure>> {
        let values: Vec<(usize, f64)> = point.iter().copied().enumerate().collect();
        let outputs: Vec<&str> = self.study.outputs.iter().map(|output| &output.name[..]).collect();
        self.load_with(&values, &outputs)
    }

    /// The model with some variables set, by index, and with outputs of the caller's choice.
    pub fn load_with(
        &self,
        values: &[(usize, f64)],
        outputs: &[&str],
    ) -> Result<Loaded, Box<Failure>> {
        let variable =
            |(index, value): &(usize, f64)| Some(self.study.variables.get(*index)?.set(*value));
        let point =
            Overrides { set: values.iter().filter_map(variable).collect(), ..Overrides::default() };
        // What the model lacks is filled in first, so that the point replaces it.
        let first: Vec<Change> = self.fixed.iter().chain(&self.absent).cloned().collect();
        let edits =
            Edits { first: &first, overrides: &[&self.overrides, &point], ..Edits::default() };
        let Some(base) = &self.base else {
            let diagnostics = one(Diagnostic::error("G0102", "the study has no model"));
            return Err(Failure::new(self.sources.clone(), diagnostics));
        };
        let mut loaded = base.clone().build(&edits).finish()?;
        loaded.run.outputs.clear();
        for name in outputs {
            match sensor::resolve(&loaded.model, name) {
                Ok(sensor) => loaded.run.outputs.push(sensor),
                Err(unknown) => {
                    let mut diagnostics = loaded.warnings;
                    diagnostics.push(Diagnostic::error("G0903", unknown.message));
                    return Err(Failure::new(loaded.sources, diagnostics));
                }
            }
        }
        Ok(loaded)
    }
}

/// Reads a study file; `overrides` are changes of its model by the command line, which win over
/// those of the study.
pub fn load_study(path: &Path, overrides: &Overrides) -> Result<LoadedStudy, Box<Failure>> {
    match files::read_given(path) {
        Ok(text) => load_study_text(&path.display().to_string(), &text, &Disk::at(path), overrides),
        Err(finding) => Err(Failure::new(Sources::new(), one(*finding))),
    }
}

/// Reads a study from a text; `name` stands for its file in messages.
pub fn load_study_text(
    name: &str,
    text: &str,
    resolver: &dyn Resolver,
    overrides: &Overrides,
) -> Result<LoadedStudy, Box<Failure>> {
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    let mut broken = Broken::default();
    let file = sources.add(name, text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut root = parse(file, sources.text(file), &mut diagnostics, &mut broken);
    if root.get("numbers").and_then(Node::as_text) == Some("SI") {
        root.take_numbers_as_si(file);
    }
    if let Some(diagnostic) = no_study(name, &root, broken.is_empty()) {
        diagnostics.push(diagnostic);
        return Err(Failure::new(sources, diagnostics));
    }
    let root = Node { value: Value::Table(root), span: Span::new(file, 0..0) };
    let page = Page { file, root, broken, resolver, overrides: [overrides] };
    page.read(sources, diagnostics)
}

/// What an entirely different file gets instead of many messages.
fn no_study(name: &str, root: &Table, whole: bool) -> Option<Diagnostic> {
    if root.entries.is_empty() && whole {
        let help = "a study needs `[study]`, `[variables]`, `[design]` and `[responses]`";
        return Some(Diagnostic::error("G0004", format!("`{name}` is empty")).help(help));
    }
    let model = root.entry("bodies").or(root.entry("joints")).or(root.entry("drivers"));
    let (key, _) = model.filter(|_| !root.has("study"))?;
    let diagnostic = Diagnostic::error("G2003", format!("`{name}` is a model, not a study"))
        .at(key.span, "part of a model")
        .help("name the model in a study file: `model = \"…\"` in `[study]`");
    Some(diagnostic)
}

/// The name of a study without a name of its own: that of its file, or of the folder of a
/// `study.toml`.
fn study_title(name: &str) -> String {
    let named = title(name);
    let path = Path::new(name);
    match &named[..] {
        "study" => path
            .parent()
            .and_then(Path::file_name)
            .map_or(named, |folder| folder.to_string_lossy().into_owned()),
        _ => named.strip_suffix(".study").map_or(named.clone(), str::to_owned),
    }
}

/// A model that comes with the program.
fn shipped_model(sources: &Sources, name: &str) -> Result<ParsedModel, Diagnostics> {
    let Some(shipped) = shipped::find(name) else {
        let message = format!("there is no shipped model `{name}`");
        let mut help = suggest(name, shipped::names());
        if nearest(name, shipped::names()).is_none() {
            help.push_str("; a file of your own ends in `.toml`");
        }
        return Err(one(Diagnostic::error("G2008", message).help(help)));
    };
    let path = format!("models/{name}/model.toml");
    ParsedModel::parse(sources.clone(), &path, shipped.model, &Embedded)
        .map_err(|failure| failure.diagnostics)
}

fn one(finding: Diagnostic) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(finding);
    diagnostics
}

fn merged(mut findings: Diagnostics, more: Diagnostics) -> Diagnostics {
    findings.extend(more);
    findings
}

/// A parsed study.
struct Page<'a> {
    file: FileId,
    root: Node,
    broken: Broken,
    resolver: &'a dyn Resolver,
    overrides: [&'a Overrides; 1],
}

/// The model of a study, with what the study always changes in it.
struct Part<'a> {
    base: ParsedModel,
    fixed: Vec<Change>,
    overrides: &'a [&'a Overrides],
}

impl Part<'_> {
    fn edits<'e>(&'e self, last: &'e [Change]) -> Edits<'e> {
        Edits { first: &self.fixed, overrides: self.overrides, last }
    }

    fn build(&self, last: &[Change]) -> Built {
        self.base.clone().build(&self.edits(last))
    }
}

/// What was read, right or wrong.
struct Draft<'t> {
    sections: Sections<'t>,
    /// The model, complete with keys that only variables give.
    built: Option<Built>,
    /// Numbers of the variables where they are not varied.
    standing: Vec<f64>,
    absent: Vec<Change>,
    /// What is wrong with the keys that variables give, if trying them one by one shows nothing.
    spare: Diagnostics,
    /// Names and texts of files with points.
    points: Vec<(String, String)>,
}

impl Page<'_> {
    fn read(
        self,
        mut sources: Sources,
        mut diagnostics: Diagnostics,
    ) -> Result<LoadedStudy, Box<Failure>> {
        let part = match self.model(&sources) {
            Ok(base) => base.map(|base| {
                let fixed = changes::fixed(&self.root);
                Part { base, fixed, overrides: &self.overrides }
            }),
            Err(failure) => {
                diagnostics.extend(failure.diagnostics);
                sources = failure.sources;
                None
            }
        };
        let mut findings = Diagnostics::new();
        let draft = self.draft(&mut findings, &mut sources, part.as_ref());
        keep_causes(&mut diagnostics, findings, &self.broken);
        if let (Some(part), Some(built)) = (&part, &draft.built) {
            diagnostics.extend(self.try_variables(part, built, &draft));
            diagnostics.extend(built.diagnostics.clone());
        }
        self.finish(sources, diagnostics, part, draft)
    }

    /// Asks a model that is right as it stands about the values of the variables.
    fn try_variables(&self, part: &Part<'_>, built: &Built, draft: &Draft<'_>) -> Diagnostics {
        if built.diagnostics.has_errors() {
            return Diagnostics::new();
        }
        let edits = part.edits(&draft.absent);
        let found = trials::run(&part.base, &edits, draft.sections.variables(), self.variables());
        if found.has_errors() { found } else { merged(found, draft.spare.clone()) }
    }

    /// Whether the study names no model; one that cannot be read may name one.
    fn is_alone(&self) -> bool {
        let study = self.root.as_table().and_then(|root| root.get("study")?.as_table());
        self.broken.is_empty() && study.is_some_and(|study| !study.has("model"))
    }

    /// The table of variables.
    fn variables(&self) -> Option<&Table> {
        self.root.as_table()?.get("variables")?.as_table()
    }

    /// Finds and parses the model; `None` if the study names none.
    fn model(&self, sources: &Sources) -> Result<Option<ParsedModel>, Box<Failure>> {
        let study = self.root.as_table().and_then(|root| root.get("study")?.as_table());
        let Some(node) = study.and_then(|study| study.get("model")) else { return Ok(None) };
        let Some(name) = node.as_text() else { return Ok(None) };
        let fails = |findings: Diagnostics| {
            let mut diagnostics = Diagnostics::new();
            for finding in findings {
                diagnostics.push(finding.at(node.span, "named here"));
            }
            Failure::new(sources.clone(), diagnostics)
        };
        let base = match name.ends_with(".toml") || name.contains(['/', '\\']) {
            true => self
                .resolver
                .read(sources.name(self.file), name)
                .map_err(|finding| one(*finding))
                .and_then(|(path, text)| {
                    ParsedModel::parse(sources.clone(), &path, &text, self.resolver)
                        .map_err(|failure| failure.diagnostics)
                }),
            false => shipped_model(sources, name),
        };
        base.map(Some).map_err(fails)
    }

    /// Reads the sections against the model. The model is built twice: alone for its parameters,
    /// which the variables need, and again with the keys that only variables give.
    fn draft(
        &self,
        findings: &mut Diagnostics,
        sources: &mut Sources,
        part: Option<&Part<'_>>,
    ) -> Draft<'_> {
        let none = Parameters::default();
        let alone = part.map(|part| part.build(&[]));
        let parameters = alone.as_ref().map(|built| &built.parameters);
        let (ideal, space, files) = (&Default::default(), Space::Planar, usize::MAX);
        let mut cx = Context {
            diagnostics: findings,
            parameters: parameters.unwrap_or(&none),
            ideal,
            space,
            links: None,
            files,
        };
        let root = self.open(&mut cx);
        let known = Known {
            // What a file with syntax errors lacks may stand in the part that could not be read.
            parameters: parameters.filter(|_| part.is_some_and(|p| p.base.broken.is_empty())),
            changes: part.map_or(&[], |part| &part.fixed),
            alone: self.is_alone(),
        };
        let tables = root.get("variables");
        let tables = entries(&mut cx, "`variables`", tables);
        let variables = variables::read(&mut cx, known, tables);
        match known.alone {
            true => alone::check(&mut cx, &root, self.overrides[0]),
            false => changes::check_command_line(&mut cx, &variables, self.overrides[0]),
        }
        let (built, absent, spare) = match (part, &alone) {
            (Some(part), Some(alone)) => self.complete(part, &variables, alone),
            _ => (None, Vec::new(), Diagnostics::new()),
        };
        if let Some(built) = &built {
            *sources = built.sources.clone();
        }
        let right = built.as_ref().filter(|built| !built.diagnostics.has_errors());
        let mechanism = Mechanism {
            model: right.and_then(|built| built.model.as_ref()),
            run: right.and_then(|built| built.section.as_ref()).map(|section| &section.run),
        };
        let from = sources.name(self.file).to_owned();
        let mut files = Files { sources, resolver: self.resolver, from, read: Vec::new() };
        let sections = Sections::read(&mut cx, &mut files, &mechanism, &root, variables);
        let points = files.read;
        if sections.moves() {
            self.check_motion(&mut cx, mechanism.run);
        }
        let model = part.zip(built.as_ref()).map(|(part, built)| (&part.base, &built.parameters));
        let standing = alone::standing(model, sections.variables());
        sections.check_sweep(&mut cx, &root, &standing);
        Draft { sections, built, standing, absent, spare, points }
    }

    /// Samples are motions, which need an end.
    fn check_motion(&self, cx: &mut Context<'_>, run: Option<&RunSpec>) {
        if run.is_none_or(|run| run.until != Until::Time(0.0)) {
            return;
        }
        let study = self.root.as_table().and_then(|root| root.get("study")?.as_table());
        let mut diagnostic = Diagnostic::error(
            "G2009",
            "the model is for an analysis without motion and has no `until`",
        )
        .help("add a section `[run]` with `until` to the study, so that the model moves");
        if let Some(model) = study.and_then(|study| study.get("model")) {
            diagnostic = diagnostic.at(model.span, "does not move");
        }
        cx.report(diagnostic);
    }

    /// The model with the keys that only variables give; without them if that makes it wrong.
    fn complete(
        &self,
        part: &Part<'_>,
        variables: &Named<'_, Variable>,
        alone: &Built,
    ) -> (Option<Built>, Vec<Change>, Diagnostics) {
        let absent = trials::absent(part.base.root(), variables, self.variables());
        let built = part.build(&absent);
        if !built.diagnostics.has_errors() || alone.diagnostics.has_errors() {
            return (Some(built), absent, Diagnostics::new());
        }
        (Some(part.build(&[])), Vec::new(), built.diagnostics)
    }

    /// The whole file, with the sections that only change the model.
    fn open(&self, cx: &mut Context<'_>) -> Reader<'_> {
        let root = Reader::root(cx, "the study", &self.root, &ROOT);
        check_format(cx, &root);
        if let Some((name, node)) = root.entry("run") {
            Reader::open(cx, "`[run]`", name.span, node, &RUN);
        }
        entries(cx, "`set`", root.get("set"));
        root
    }

    fn finish(
        &self,
        sources: Sources,
        diagnostics: Diagnostics,
        part: Option<Part<'_>>,
        draft: Draft<'_>,
    ) -> Result<LoadedStudy, Box<Failure>> {
        let study = draft.sections.finish(study_title(sources.name(self.file)));
        let (base, fixed) = match part {
            Some(Part { base, fixed, .. }) => (Some(base), fixed),
            None => (None, Vec::new()),
        };
        let model = draft.built.map(Built::finish).transpose().ok();
        let model = model.filter(|model| model.is_some() || self.is_alone());
        let (Some(study), Some(model), false) = (study, model, diagnostics.has_errors()) else {
            return Err(Failure::new(sources, diagnostics));
        };
        // A sample that would run for ever ends with its time limit.
        let (diagnostics, _) =
            diagnostics.split(|found| study.time_limit.is_none() || found.code != "G0912");
        let last = base.as_ref().map_or(self.file.0 + 1, |base| base.sources.len());
        let mut files = file_texts(&sources, self.file.0..last);
        files.extend(draft.points.iter().cloned());
        let parts = self.parts(base.as_ref(), &draft.points);
        Ok(LoadedStudy {
            study,
            model,
            files,
            warnings: diagnostics,
            sources,
            base,
            standing: draft.standing,
            fixed,
            absent: draft.absent,
            overrides: self.overrides[0].clone(),
            parts,
        })
    }

    /// Fingerprints of what decides on the samples.
    fn parts(&self, base: Option<&ParsedModel>, points: &[(String, String)]) -> Parts {
        let empty = Table::default();
        let root = self.root.as_table().unwrap_or(&empty);
        let study = root.get("study").and_then(Node::as_table);
        let model = study.and_then(|study| study.get("model")?.as_text());
        let mut parts = Parts::default();
        parts.study(root);
        if let Some(base) = base {
            parts.model(model.unwrap_or("the model"), base.root());
            base.data().for_each(|(name, text)| parts.file(name, text));
        }
        points.iter().for_each(|(name, text)| parts.file(name, text));
        parts.command_line(self.overrides[0]);
        parts
    }
}
