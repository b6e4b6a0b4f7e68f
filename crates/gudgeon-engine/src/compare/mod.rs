//! One model in several variants that differ by one word: formulations of its links, coordinates of its bodies,
//! contact laws, films. Each runs for itself; what a variant cannot take is said, and the others are compared.
//!
//! `variant` has the words and what they change, `theory` what the variants assume differently, `mesh` refines each until
//! its extremes settle, `record` and `picture` report. A new word is a line in `variant.rs`.

mod mesh;
pub mod picture;
mod record;
pub mod theory;
pub mod variant;

use std::path::{Path, PathBuf};

use gudgeon::progress::Progress;
use gudgeon::results::Status as Ended;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Analysis, Overrides};
use gudgeon_output::record::{Status, to_value};
use gudgeon_output::{Committed, OutputError, Repair, ResultFolder};

use crate::refusal::Refusal;
use crate::run::{RunJob, RunOptions, RunOutcome, Series};
use crate::source::Source;
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
}

/// A variant that ran.
#[derive(Debug)]
pub struct Done {
    pub job: RunJob,
    pub run: RunOutcome,
    pub theory: Theory,
    /// Elements per flexible link in the end.
    pub elements: Vec<(String, usize)>,
    /// Whether the mesh converged, where that was asked for, with the last change of a largest value.
    pub converged: Option<(bool, f64)>,
}

impl Done {
    pub fn series(&self) -> Option<&Series> {
        self.run.series.as_ref()
    }

    /// CPU time of the integration, s.
    pub fn cpu(&self) -> f64 {
        self.run.report.solver.cpu.integration()
    }

    /// The largest magnitude of an output and its time.
    pub fn largest(&self, output: &str) -> Option<(f64, f64)> {
        let extreme = self.run.report.extremes.iter().find(|extreme| extreme.name == output)?;
        Some(extreme.abs_max())
    }
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
        let loaded = source.load(&overrides)?;
        if !matches!(loaded.analysis, Analysis::Motion | Analysis::Ked) {
            let message =
                format!("`compare` runs motions, not a {} analysis", loaded.analysis.name());
            let help = "add `--set run.analysis=motion` and `--until`";
            return Err(
                Refusal::new(Diagnostic::error("G1501", message).help(help)).about(&source.path)
            );
        }
        let variants = variant::of(options.axis, &options.words, &loaded)
            .map_err(|refusal| refusal.about(&source.path))?;
        let title = loaded.model.name.clone();
        Ok(CompareJob { source, overrides, options, variants, title })
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
            for extreme in &one.run.report.extremes {
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

    /// One run of a variant, with so many elements per link where they are given.
    fn once(
        &self,
        variant: &Variant,
        elements: Option<usize>,
        progress: &dyn Progress,
    ) -> Result<Done, Excluded> {
        let overrides = variant.applied(&self.overrides, elements);
        let options = RunOptions { baseline: false, series: true, ..RunOptions::default() };
        let job = RunJob::new(self.source.clone(), overrides, options)
            .map_err(|refusal| Excluded { status: Status::Invalid, why: first_error(&refusal) })?;
        let run = job.run(progress);
        match &run.report.status {
            Ended::Done => {}
            Ended::Interrupted => {
                return Err(Excluded {
                    status: Status::Interrupted,
                    why: "interrupted".to_owned(),
                });
            }
            Ended::Failed(error) => {
                return Err(Excluded { status: Status::Failed, why: error.to_string() });
            }
        }
        let model = &job.loaded.model;
        let mut theory = Theory::of(&job.loaded);
        if let Some(aspect) = self.options.axis.aspect() {
            theory.add(aspect, variant.name.clone());
        }
        let links = model.bodies.iter();
        let links = links.filter_map(|b| Some((b.name.clone(), b.flexible.as_ref()?.elements)));
        Ok(Done { elements: links.collect(), theory, run, converged: None, job })
    }
}

/// What a refusal says first.
fn first_error(refusal: &Refusal) -> String {
    let record = refusal.record();
    record.errors.first().map_or_else(String::new, |finding| finding.message.clone())
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
        if comparison.done().count() > 0 {
            folder.write("compare.svg", &picture::draw(self, comparison))?;
        }
        folder.commit(&to_value(&self.file_record(comparison, arguments)))
    }
}
