//! Reading a model: the one way in, from a file or from a text.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use gudgeon::model::{Model, Space};
use gudgeon::system::choice::{Choice, choose, cut_friction};

use crate::data::Data;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::failure::Failure;
use crate::files::{self, Disk};
use crate::overrides::{self, Change, Overrides};
use crate::parse::Broken;
use crate::reader::Context;
use crate::run::{Analysis, RunSection, RunSpec, Until};
use crate::source::{FileId, Sources, Span};
use crate::spec::{self, parameters};
use crate::tree::{Node, Table, Value};
use crate::{build, inherit, misplaced, notes};

/// A model that can be run.
#[derive(Debug)]
pub struct Loaded {
    pub model: Model,
    pub run: RunSpec,
    pub analysis: Analysis,
    /// Start and end of the pictures; `None` for the measuring window.
    pub plot_range: Option<(Until, Until)>,
    pub parameters: Vec<ResolvedParameter>,
    /// Name and text of every file that was read, the first one first.
    pub files: Vec<(String, String)>,
    /// Data files it looks up, among the sources.
    data: Vec<FileId>,
    pub warnings: Diagnostics,
    /// The texts that warnings point into.
    pub sources: Sources,
    /// Names of bodies, joints, drivers and forces, and `body.key`, and where they are defined.
    places: HashMap<String, Span>,
    /// What `coordinates = "auto"` took, where it was asked for.
    pub choice: Option<Choice>,
}

impl Loaded {
    /// Names and texts of the data files it looks up.
    pub fn data(&self) -> impl Iterator<Item = (&str, &str)> {
        self.data.iter().map(|id| (self.sources.name(*id), self.sources.text(*id)))
    }

    /// Where a body, joint, driver or force is defined.
    pub fn place(&self, name: &str) -> Option<Span> {
        self.places.get(name).copied()
    }

    /// Where a body has its mass, inertia, centre or `frames.NAME`; else where the owner is defined.
    pub fn place_of(&self, owner: &str, key: &str) -> Option<Span> {
        self.place(&format!("{owner}.{key}")).or_else(|| self.place(owner))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedParameter {
    pub name: String,
    /// In SI units.
    pub value: f64,
    /// The SI unit as a model file would write it; empty for numbers.
    pub unit: String,
    pub about: Option<String>,
}

/// Finds the files that a model names: others it uses, and data.
pub trait Resolver {
    /// Name and text of the file `name`, as written in the file `from`.
    fn read(&self, from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>>;

    /// Name and bytes of a data file. Where nothing else is said it is found as other files are.
    fn read_data(&self, from: &str, name: &str) -> Result<(String, Vec<u8>), Box<Diagnostic>> {
        self.read(from, name).map(|(name, text)| (name, text.into_bytes()))
    }
}

/// Reads a model file.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Loaded, Box<Failure>> {
    ParsedModel::file(path)?.load(overrides)
}

/// Reads a model from a text; `name` stands for its file in messages.
pub fn load_text(
    name: &str,
    text: &str,
    resolver: &dyn Resolver,
    overrides: &Overrides,
) -> Result<Loaded, Box<Failure>> {
    ParsedModel::text(name, text, resolver)?.load(overrides)
}

/// A parsed model with the files it uses: it can be built again and again with other values.
#[derive(Clone, Debug)]
pub struct ParsedModel {
    root: Table,
    pub sources: Sources,
    diagnostics: Diagnostics,
    pub broken: Broken,
    file: FileId,
    data: Arc<Data>,
}

/// What is changed in a model before it is built, in the order of the fields.
#[derive(Clone, Copy, Default)]
pub struct Edits<'a> {
    pub first: &'a [Change],
    pub overrides: &'a [&'a Overrides],
    pub last: &'a [Change],
}

/// A model that was built, right or wrong.
pub struct Built {
    pub model: Option<Model>,
    pub section: Option<RunSection>,
    pub parameters: parameters::Parameters,
    pub diagnostics: Diagnostics,
    pub sources: Sources,
    /// The files of the model among the sources, and those of its data.
    files: Range<usize>,
    data: Vec<FileId>,
    places: HashMap<String, Span>,
    /// Whether the cheaper coordinates are asked for.
    cheaper: bool,
}

impl ParsedModel {
    /// Parses a file.
    pub fn file(path: &Path) -> Result<Self, Box<Failure>> {
        match files::read_given(path) {
            Ok(text) => Self::text(&path.display().to_string(), &text, &Disk::at(path)),
            Err(diagnostic) => {
                let mut diagnostics = Diagnostics::new();
                diagnostics.push(*diagnostic);
                Err(Failure::new(Sources::new(), diagnostics))
            }
        }
    }

    /// Parses a text; `name` stands for its file in messages.
    pub fn text(name: &str, text: &str, resolver: &dyn Resolver) -> Result<Self, Box<Failure>> {
        Self::parse(Sources::new(), name, text, resolver)
    }

    /// Builds the mechanism with changes; as often as wanted.
    pub fn load(&self, overrides: &Overrides) -> Result<Loaded, Box<Failure>> {
        let run = self.root().entry("run").map(|(name, _)| name.span);
        let built = self.clone().build(&Edits { overrides: &[overrides], ..Edits::default() });
        let mut loaded = built.finish()?;
        notes::add(&mut loaded, run);
        Ok(loaded)
    }

    /// Parses a model and the files it uses, which are added to `sources`.
    pub fn parse(
        mut sources: Sources,
        name: &str,
        text: &str,
        resolver: &dyn Resolver,
    ) -> Result<Self, Box<Failure>> {
        let mut diagnostics = Diagnostics::new();
        let file = sources.add(name, text.strip_prefix('\u{feff}').unwrap_or(text));
        let mut broken = Broken::default();
        let mut root = inherit::read(&mut sources, &mut diagnostics, &mut broken, resolver, file);
        misplaced::put_right(&mut root, &mut diagnostics);
        if root.entries.is_empty() && broken.is_empty() && !diagnostics.has_errors() {
            diagnostics.push(
                Diagnostic::error("G0004", format!("`{name}` is empty"))
                    .help("`gudgeon new NAME` writes a model to start from"),
            );
            return Err(Failure::new(sources, diagnostics));
        }
        let data = Arc::new(Data::of(&root, &mut sources, resolver));
        Ok(Self { root, sources, diagnostics, broken, file, data })
    }

    /// Names and texts of the data files it looks up.
    pub fn data(&self) -> impl Iterator<Item = (&str, &str)> {
        self.data.sources().map(|id| (self.sources.name(id), self.sources.text(id)))
    }

    /// Names and texts of the model files, the first one first.
    pub fn files(&self) -> Vec<(String, String)> {
        file_texts(&self.sources, self.file.0..self.sources.len() - self.data().count())
    }

    /// The merged content of the files.
    pub fn root(&self) -> &Table {
        &self.root
    }

    /// Applies the edits, reads every section and builds the mechanism.
    pub fn build(self, edits: &Edits<'_>) -> Built {
        let Self { mut root, mut sources, mut diagnostics, mut broken, file, data } = self;
        let files = file.0..sources.len();
        let read: Vec<FileId> = data.sources().collect();
        let mut findings = Diagnostics::new();
        let applied = overrides::apply(&mut sources, &mut findings, &mut broken, &mut root, edits);
        let empty = Default::default();
        let table = spec::parameter_table(&root).unwrap_or(&empty);
        let parameters = parameters::read(&mut findings, table, &applied.parameters, data);
        let place = Span::new(file, 0..0);
        let root = Node { value: Value::Table(root), span: place };
        let mut cx = Context {
            diagnostics: &mut findings,
            parameters: &parameters,
            ideal: &applied.ideal,
            space: Space::Planar,
            links: None,
            files: files.end,
        };
        let built = spec::read(&mut cx, &root, place).map(|spec| {
            let built = build::build(&mut cx, &spec, &title(sources.name(file)));
            (built, places(&spec), spec.model.cheaper)
        });
        keep_causes(&mut diagnostics, findings, &broken);
        let (model, section, places, cheaper) = match built {
            Some(((model, section), places, cheaper)) => (Some(model), section, places, cheaper),
            None => (None, None, HashMap::new(), false),
        };
        // Data files follow on those of the model.
        let files = files.start..files.end - read.len();
        Built {
            model,
            section,
            parameters,
            diagnostics,
            sources,
            files,
            data: read,
            places,
            cheaper,
        }
    }
}

impl Built {
    /// The model if it can be run, else what is wrong with it.
    pub fn finish(self) -> Result<Loaded, Box<Failure>> {
        let Self { model, section, parameters, diagnostics, sources, files, data, places, cheaper } =
            self;
        match (model, section) {
            (Some(mut model), Some(RunSection { run, analysis, plot_range }))
                if !diagnostics.has_errors() =>
            {
                let asked = cheaper && analysis == Analysis::Motion;
                let choice = asked.then(|| choose(&model, &run).ok()).flatten();
                if let Some(choice) = &choice {
                    model.coordinates = choice.coordinates;
                }
                if analysis == Analysis::Motion {
                    // What cannot be compiled is found at assembly.
                    let _ = cut_friction(&mut model, &run);
                }
                let (files, parameters) = (file_texts(&sources, files), resolved(&parameters));
                Ok(Loaded {
                    model,
                    run,
                    analysis,
                    plot_range,
                    parameters,
                    files,
                    data,
                    warnings: diagnostics,
                    sources,
                    places,
                    choice,
                })
            }
            _ => Err(Failure::new(sources, diagnostics)),
        }
    }
}

fn places(spec: &spec::Spec<'_>) -> HashMap<String, Span> {
    let bodies = spec.bodies.iter().map(|body| &body.name);
    let joints = spec.joints.iter().map(|joint| &joint.name);
    let drivers = spec.drivers.iter().map(|driver| &driver.name);
    let forces = spec.forces.iter().map(|force| &force.name);
    let owners = bodies.chain(joints).chain(drivers).chain(forces);
    let owners = owners.map(|name| (name.text.clone(), name.span));
    let of_body = |body: &spec::bodies::BodySpec| {
        let owner = body.name.text.clone();
        let given = body.given.iter().map(|(key, span)| ((*key).to_owned(), *span));
        let frames = body.frames.iter();
        let frames = frames.map(|frame| (format!("frames.{}", frame.name.text), frame.name.span));
        let keys: Vec<(String, Span)> = given.chain(frames).collect();
        keys.into_iter().map(move |(key, span)| (format!("{owner}.{key}"), span))
    };
    owners.chain(spec.bodies.iter().flat_map(of_body)).collect()
}

/// Codes of syntax errors.
const SYNTAX: [&str; 3] = ["G0005", "G0006", "G0007"];
/// Codes that say something is not there, which a part that could not be read may have held.
const LACKS: [&str; 11] = [
    "G0102", "G0105", "G0112", "G0414", "G0507", "G0902", "G0903", "G1001", "G1002", "G1003",
    "G2002",
];

/// Adds the findings that are no mere consequence of what could not be read. Where no cause was
/// reported, they are all there is to say.
pub fn keep_causes(diagnostics: &mut Diagnostics, findings: Diagnostics, broken: &Broken) {
    let is_cause = |finding: &Diagnostic| {
        let repeats = finding.span.is_some_and(|span| broken.covers(span));
        let lost = LACKS.contains(&finding.code);
        broken.is_empty() || SYNTAX.contains(&finding.code) || !(repeats || lost)
    };
    let (causes, consequences) = findings.split(is_cause);
    diagnostics.extend(causes);
    if !diagnostics.has_errors() {
        diagnostics.extend(consequences);
    }
}

/// Names and texts of some of the sources.
pub fn file_texts(sources: &Sources, files: Range<usize>) -> Vec<(String, String)> {
    let ids = files.map(FileId);
    ids.map(|id| (sources.name(id).to_string(), sources.text(id).to_string())).collect()
}

pub(crate) fn resolved(parameters: &parameters::Parameters) -> Vec<ResolvedParameter> {
    let resolve = |parameter: &parameters::Parameter| {
        let quantity = parameter.value?;
        let number = quantity.dimension.is_number();
        Some(ResolvedParameter {
            name: parameter.name.clone(),
            value: quantity.value,
            unit: if number { String::new() } else { quantity.dimension.to_string() },
            about: parameter.about.clone(),
        })
    };
    parameters.list.iter().filter_map(resolve).collect()
}

/// The name of a model without a name of its own: that of its file, or of the folder.
pub fn title(name: &str) -> String {
    let path = Path::new(name);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    match stem.as_deref() {
        Some("model") => path
            .parent()
            .and_then(Path::file_name)
            .map_or("model".into(), |folder| folder.to_string_lossy().into_owned()),
        _ => stem.unwrap_or_else(|| "model".into()),
    }
}
