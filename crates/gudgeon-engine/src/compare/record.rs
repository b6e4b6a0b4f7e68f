//! A comparison as a record and as a table.

use gudgeon_output::csv::{push_number, push_text};
use gudgeon_output::record::{
    Assumed, CompareRecord, Extreme, FORMAT, Mistake, Named, Number, Status, TheoryRecord, VERSION,
    VariantRecord, Warning,
};

use super::{CompareJob, Compared, Comparison};
use crate::run::Origin;

impl CompareJob {
    /// The object of `--json`.
    pub fn answer(&self, comparison: &Comparison) -> CompareRecord {
        let mut record = self.record(comparison);
        record.result = comparison.folder.as_ref().map(|folder| folder.display().to_string());
        if let Some(error) = &comparison.error {
            let help = Some(error.help());
            record.error = Some(Mistake { message: error.to_string(), help, ..Mistake::default() });
        }
        record
    }

    /// `run.json`.
    pub(super) fn file_record(
        &self,
        comparison: &Comparison,
        arguments: &[String],
    ) -> CompareRecord {
        let shown = comparison.folder.clone().unwrap_or_default();
        let mut record = self.record(comparison);
        record.format = Some(FORMAT);
        record.gudgeon = Some(VERSION.to_owned());
        let first = comparison.done().next();
        if let Some((_, done)) = first {
            let origin = Origin {
                path: &self.source.path,
                overrides: &self.overrides,
                loaded: &done.loaded,
                shown: &shown,
                arguments,
                jobs: 1,
            };
            record.model = origin.model();
            record.overrides = Some(origin.overrides());
            record.environment = Some(origin.environment());
        }
        record
    }

    fn record(&self, comparison: &Comparison) -> CompareRecord {
        let theory = comparison.differences.iter().map(|difference| {
            let assumed = difference.assumed.iter();
            let assumed = assumed
                .map(|(name, text)| Assumed { variant: name.clone(), assumes: text.clone() });
            TheoryRecord { aspect: difference.aspect.to_owned(), assumed: assumed.collect() }
        });
        let spread = |name: &String| {
            let spread = comparison.spread(name)?;
            Some((name.clone(), Number(spread.relative)))
        };
        CompareRecord {
            status: comparison.status(),
            by: self.options.axis.name().to_owned(),
            theory: theory.collect(),
            variants: comparison.variants.iter().map(variant).collect(),
            spread: comparison.outputs.iter().filter_map(|(name, _)| spread(name)).collect(),
            ..CompareRecord::default()
        }
    }
}

fn variant(compared: &Compared) -> VariantRecord {
    let name = compared.name.clone();
    match &compared.outcome {
        Err(excluded) => VariantRecord {
            name,
            status: excluded.status,
            error: Some(excluded.why.clone()),
            help: excluded.help.clone(),
            ..VariantRecord::default()
        },
        Ok(done) => {
            let unique = vec![true; done.values.len()];
            let elements = done.elements.iter().map(|(link, n)| (link.clone(), *n));
            let elements: Named<usize> = elements.collect();
            VariantRecord {
                name,
                status: Status::Ok,
                cpu_seconds: Some(done.cpu),
                elements,
                converged: done.converged.map(|(converged, _)| converged),
                extremes: Extreme::all(&done.values, &unique),
                warnings: done.warnings.iter().map(Warning::from).collect(),
                ..VariantRecord::default()
            }
        }
    }
}

/// `compare.csv`: a row per variant and output.
pub(super) fn table(comparison: &Comparison) -> String {
    let mut text = "variant,output,unit,abs_max,t_abs_max [s],min,max,rms,cpu [s]\n".to_owned();
    for (name, done) in comparison.done() {
        for extreme in &done.values {
            for cell in [name, &extreme.name, &extreme.unit] {
                push_text(&mut text, cell);
                text.push(',');
            }
            let (value, t) = extreme.abs_max();
            for (i, number) in
                [value, t, extreme.min, extreme.max, extreme.rms, done.cpu].into_iter().enumerate()
            {
                if i > 0 {
                    text.push(',');
                }
                push_number(&mut text, number);
            }
            text.push('\n');
        }
    }
    text
}
