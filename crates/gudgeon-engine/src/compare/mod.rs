//! One model in several variants that differ by one word: formulations of its links, coordinates of its bodies,
//! contact laws, films. Each runs for itself; what a variant cannot take is said, and the others are compared.
//!
//! `variant` has the words and what they change, `outcome` what a motion or an analysis gives, `theory` what the variants
//! assume differently, `mesh` refines each until its values settle, `record` and `picture` report. A new word is a line in
//! `variant.rs`.

mod mesh;
mod outcome;
pub mod picture;
mod record;
pub mod theory;
pub mod variant;

use std::path::{Path, PathBuf};

use gudgeon::progress::Progress;
use gudgeon_model::diagnostic::{Diagnostic, Severity};
use gudgeon_model::{Analysis, Overrides};
use gudgeon_output::record::{Status, to_value};
use gudgeon_output::{Committed, OutputError, Repair, ResultFolder};

use crate::refusal::Refusal;
use crate::run::{RunJob, RunOptions};
use crate::source::Source;
use outcome::AtRest;
pub use outcome::{Done, Drawn};
use theory::{Difference, Theory};
pub use variant::{Axis, Variant};

/// What is compared, and how closely.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    pub axis: Axis,
    /// Words of the axis, in the order of the table.
    pub words: Vec<String>,
    /// Relative change of the largest values below which a mesh counts as converged; none for the mesh of the file.
    pub converge: Option<f64>,
}

/// A comparison that can start.
#[derive(Debug)]
pub struct CompareJob {
    pub source: Source,
    pub overrides: Overrides,
    pub options: CompareOptions,
    pub variants: Vec<Variant>,
    /// Title of the model.
    pub title: String,
    /// What the file analyses.
    pub analysis: Analysis,
}

/// What became of one variant.
#[derive(Debug)]
pub struct Compared {
    pub name: String,
    pub outcome: Result<Done, Excluded>,
}

/// A variant that did not run to its end, and why.
#[derive(Debug)]
pub struct Excluded {
    /// `Invalid` where the model cannot take it.
    pub status: Status,
    pub why: String,
    pub help: Option<String>,
}

/// Everything that was found.
#[derive(Debug)]
pub struct Comparison {
    pub variants: Vec<Compared>,
    /// What the variants assume differently.
    pub differences: Vec<Difference>,
    /// Outputs that any of them has, in order, with their units.
    pub outputs: Vec<(String, String)>,
    pub interrupted: bool,
    pub folder: Option<PathBuf>,
    pub error: Option<OutputError>,
    pub saved: bool,
}

/// How far the variants are apart in an output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Largest less smallest of the largest values, over the largest.
    pub relative: f64,
    pub count: usize,
}

impl CompareJob {
    /// Reads the model once; words that do not exist are refused.
    pub fn new(
        source: Source,
        overrides: Overrides,
        options: CompareOptions,
    ) -> Result<CompareJob, Refusal> {
        let loaded = source.load(&variant::without_vibration(&overrides))?;
        if let Some(refusal) = beyond(&loaded.analysis) {
            return Err(refusal.about(&source.path));
        }
        let variants = variant::of(options.axis, &options.words, &loaded)
            .map_err(|refusal| refusal.about(&source.path))?;
        let title = loaded.model.name.clone();
        let analysis = loaded.analysis;
        Ok(CompareJob { source, overrides, options, variants, title, analysis })
    }

    /// Runs every variant, one after the other, so that their times can be compared.
    pub fn run(&self, progress: &dyn Progress) -> Comparison {
        let mut variants = Vec::new();
        for variant in &self.variants {
            if progress.is_cancelled() {
                break;
            }
            let outcome = match self.options.converge {
                Some(share) if variant.has_mesh() => mesh::refine(self, variant, share, progress),
                _ => self.once(variant, None, progress),
            };
            variants.push(Compared { name: variant.name.clone(), outcome });
        }
        let done = || variants.iter().filter_map(|v| Some((&v.name[..], v.outcome.as_ref().ok()?)));
        let theories: Vec<(&str, &Theory)> =
            done().map(|(name, done)| (name, &done.theory)).collect();
        let differences = theory::differences(&theories);
        let mut outputs: Vec<(String, String)> = Vec::new();
        for (_, one) in done() {
            for extreme in &one.values {
                if !outputs.iter().any(|(name, _)| *name == extreme.name) {
                    outputs.push((extreme.name.clone(), extreme.unit.to_string()));
                }
            }
        }
        Comparison {
            differences,
            outputs,
            interrupted: progress.is_cancelled(),
            variants,
            folder: None,
            error: None,
            saved: false,
        }
    }

    /// What its table of outputs shows.
    pub fn shown(&self) -> &'static str {
        match self.analysis {
            Analysis::Modal(_) => "frequency",
            Analysis::Static(_) => "largest",
            _ => "abs max",
        }
    }

    /// One run of a variant, with so many elements per link where they are given.
    fn once(
        &self,
        variant: &Variant,
        elements: Option<usize>,
        progress: &dyn Progress,
    ) -> Result<Done, Excluded> {
        let at_rest = self.at_rest(variant)?;
        let mut overrides = variant.applied(&self.overrides, elements);
        if at_rest.is_some() {
            overrides.until = Some("1 s".to_owned());
        }
        let options = RunOptions { baseline: false, series: true, ..RunOptions::default() };
        let job = RunJob::new(self.source.clone(), overrides, options).map_err(first_error)?;
        let mut done = match at_rest {
            Some(of) => outcome::at_rest(job, of, progress)?,
            None => outcome::run(job, progress)?,
        };
        if let Some(aspect) = self.options.axis.aspect() {
            done.theory.add(aspect, variant.name.clone());
        }
        Ok(done)
    }

    /// What a vibration about the rigid motion has to say where nothing moves.
    fn at_rest(&self, variant: &Variant) -> Result<Option<AtRest>, Excluded> {
        match &self.analysis {
            _ if !variant.vibrates() => Ok(None),
            Analysis::Modal(one) => {
                Ok(Some(AtRest::Frequencies(one.spec.modes.unwrap_or(usize::MAX))))
            }
            Analysis::Static(one) if one.vary.is_none() => Ok(Some(AtRest::Deflections)),
            Analysis::Static(_) => Err(refused(
                "it is linear, and has no path of equilibria",
                "leave `vary` out of `[run]`",
            )),
            Analysis::Motion | Analysis::Ked | Analysis::Bearing(_) | Analysis::Response(_) => {
                Ok(None)
            }
        }
    }
}

/// Analyses that give no single values to put side by side.
fn beyond(analysis: &Analysis) -> Option<Refusal> {
    let refuse = |what: &str, help: &str| {
        let message = format!("`compare` does not take {what}");
        Some(Refusal::new(Diagnostic::error("G1501", message).help(help)))
    };
    match analysis {
        Analysis::Motion | Analysis::Ked | Analysis::Static(_) => None,
        Analysis::Modal(modal) if modal.vary.is_none() => None,
        Analysis::Modal(_) => refuse(
            "modes over a parameter",
            "leave `vary` out of `[run]`, and give the parameter one value by `--set`",
        ),
        Analysis::Bearing(_) | Analysis::Response(_) => refuse(
            &format!("a {} analysis", analysis.name()),
            "compare the motion: `--set run.analysis=motion --until 1s`",
        ),
    }
}

fn refused(why: &str, help: &str) -> Excluded {
    Excluded { status: Status::Invalid, why: why.to_owned(), help: Some(help.to_owned()) }
}

/// The first error, with its way out.
fn first_error(refusal: Refusal) -> Excluded {
    let (diagnostics, _) = refusal.findings();
    let first = diagnostics.iter().find(|one| one.severity == Severity::Error);
    let (why, help) =
        first.map_or_else(Default::default, |one| (one.message.clone(), one.help.clone()));
    Excluded { status: Status::Invalid, why, help }
}

impl Comparison {
    pub fn done(&self) -> impl Iterator<Item = (&str, &Done)> {
        self.variants.iter().filter_map(|v| Some((&v.name[..], v.outcome.as_ref().ok()?)))
    }

    /// How far the variants are apart; none where fewer than two have the output.
    pub fn spread(&self, output: &str) -> Option<Spread> {
        let values: Vec<f64> =
            self.done().filter_map(|(_, done)| Some(done.largest(output)?.0)).collect();
        let most = values.iter().copied().fold(f64::NAN, f64::max);
        let least = values.iter().copied().fold(f64::NAN, f64::min);
        let relative = if most > 0.0 { (most - least) / most } else { 0.0 };
        (values.len() > 1).then_some(Spread { relative, count: values.len() })
    }

    /// Two variants at least.
    pub fn status(&self) -> Status {
        match self.done().count() {
            _ if self.error.is_some() => Status::Failed,
            _ if self.interrupted => Status::Interrupted,
            0 | 1 => Status::Failed,
            _ => Status::Ok,
        }
    }
}

/// A comparison whose table, picture and record go to a result folder.
pub struct FilesCompare<'a> {
    job: &'a CompareJob,
    shown: PathBuf,
    arguments: Vec<String>,
    folder: ResultFolder,
}

impl<'a> FilesCompare<'a> {
    /// `results/NAME-compare` where no folder is given.
    pub fn prepare(
        job: &'a CompareJob,
        out: Option<&Path>,
        arguments: Vec<String>,
    ) -> Result<FilesCompare<'a>, Refusal> {
        let name = format!("{}-compare", job.source.short_name());
        let shown = out.map_or_else(|| ResultFolder::default_path(&name), Path::to_owned);
        let folder = ResultFolder::prepare(&shown)?;
        Ok(FilesCompare { job, shown, arguments, folder })
    }

    /// What killed runs had left in the place of the results, and what became of it.
    pub fn repairs(&self) -> &[Repair] {
        self.folder.repairs()
    }

    pub fn run(self, progress: &dyn Progress) -> Comparison {
        let FilesCompare { job, shown, arguments, folder } = self;
        let mut comparison = job.run(progress);
        comparison.folder = Some(shown);
        match job.save(folder, &comparison, &arguments) {
            Ok(_) => comparison.saved = true,
            Err(error) => comparison.error = Some(error),
        }
        comparison
    }
}

impl CompareJob {
    fn save(
        &self,
        folder: ResultFolder,
        comparison: &Comparison,
        arguments: &[String],
    ) -> Result<Committed, OutputError> {
        folder.write("compare.csv", &record::table(comparison))?;
        if let Some(picture) = picture::draw(self, comparison) {
            folder.write("compare.svg", &picture)?;
        }
        folder.commit(&to_value(&self.file_record(comparison, arguments)))
    }
}
