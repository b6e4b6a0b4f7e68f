//! What a campaign found, counted and written.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::case::{Case, Kind, Stage};
use super::judge::{Fate, Finding, Verdict};
use super::minimise::minimise;

/// Inputs kept per finding.
const KEPT: usize = 2;

#[derive(Default)]
pub struct Tally {
    fates: BTreeMap<&'static str, u64>,
    inputs: u64,
    seconds: f64,
    /// CPU time and number of the slowest input.
    slowest: (f64, u64),
    findings: BTreeMap<(String, String), Found>,
}

/// Findings of one kind.
#[derive(Default)]
struct Found {
    count: u64,
    kept: Vec<(u64, Case, Finding)>,
}

fn word(fate: Fate) -> &'static str {
    match fate {
        Fate::Read => "read",
        Fate::Refused => "refused with messages",
        Fate::NotAssembled => "not assembled, with the reason",
        Fate::Done => "done",
        Fate::Failed => "failed with the cause",
        Fate::Stopped => "stopped by the limit",
        Fate::Wrong => "findings",
    }
}

impl Tally {
    pub fn count(&mut self, index: u64, case: Case, verdict: Verdict) {
        self.inputs += 1;
        self.seconds += verdict.seconds;
        *self.fates.entry(word(verdict.fate)).or_default() += 1;
        if verdict.seconds > self.slowest.0 {
            self.slowest = (verdict.seconds, index);
        }
        if let Some(finding) = verdict.finding {
            self.keep(index, case, finding);
        }
    }

    pub fn keep(&mut self, index: u64, case: Case, finding: Finding) {
        let key = (finding.kind.to_owned(), finding.about.clone());
        let found = self.findings.entry(key).or_default();
        found.count += 1;
        if found.kept.len() < KEPT {
            found.kept.push((index, case, finding));
        }
    }

    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// Counts and findings, which are made small and written to `folder`.
    pub fn text(&self, stage: Stage, limit: f64, wall: Duration, folder: &Path) -> String {
        let name = match stage {
            Stage::Read => "read and rendered",
            Stage::Run => "assembled and run",
        };
        let mean = 1e6 * self.seconds / self.inputs.max(1) as f64;
        let (slowest, index) = self.slowest;
        let mut text = format!(
            "{name}: {} inputs in {:.0} s, {mean:.0} µs each, slowest {slowest:.3} s (input {index})\n",
            self.inputs,
            wall.as_secs_f64(),
        );
        for (fate, count) in &self.fates {
            text += &format!("  {count:>9} {fate}\n");
        }
        for ((kind, about), found) in &self.findings {
            text += &format!("  finding: {kind} ({about}), {} times\n", found.count);
            for (index, case, finding) in &found.kept {
                let small = match *kind == "hang" {
                    true => case.clone(),
                    false => minimise(case, stage, limit, finding),
                };
                text +=
                    &format!("    input {index}: {}\n", write(folder, stage, kind, *index, &small));
            }
        }
        text
    }
}

/// Writes an input and returns its path.
pub fn write(folder: &Path, stage: Stage, kind: &str, index: u64, case: &Case) -> String {
    let ending = match case.kind {
        Kind::Model => "toml",
        Kind::Study => "study.toml",
    };
    let name = format!("{stage:?}-{}-{index}.{ending}", kind.replace(' ', "_")).to_lowercase();
    let path = folder.join(name);
    match std::fs::write(&path, &case.text) {
        Ok(()) => path.display().to_string(),
        Err(error) => format!("cannot write {}: {error}", path.display()),
    }
}
