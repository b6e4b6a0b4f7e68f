//! Makes a finding small: lines are left out as long as the same is wrong, then characters.

use std::time::{Duration, Instant};

use super::case::{Case, Stage};
use super::judge::{Finding, judge};

/// Time for one finding.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn minimise(case: &Case, stage: Stage, limit: f64, finding: &Finding) -> Case {
    let until = Instant::now() + PATIENCE;
    let mut holds = |text: &str| {
        let case = Case { kind: case.kind, text: text.to_owned() };
        Instant::now() < until && judge(&case, stage, limit).finding.as_ref() == Some(finding)
    };
    let lines: Vec<&str> = case.text.split_inclusive('\n').collect();
    let text = shrink(lines, &mut holds);
    let ends = text.char_indices().map(|(at, letter)| &text[at..at + letter.len_utf8()]);
    Case { kind: case.kind, text: shrink(ends.collect(), &mut holds) }
}

/// Delta debugging (Zeller and Hildebrandt 2002), complements only: leaves out ever smaller runs of
/// parts.
fn shrink(mut parts: Vec<&str>, holds: &mut dyn FnMut(&str) -> bool) -> String {
    let mut run = parts.len().div_ceil(2);
    while run > 0 && !parts.is_empty() {
        let mut at = 0;
        while at < parts.len() {
            let end = (at + run).min(parts.len());
            let rest = [&parts[..at], &parts[end..]].concat();
            if holds(&rest.concat()) {
                parts = rest;
            } else {
                at = end;
            }
        }
        run /= 2;
    }
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::shrink;

    #[test]
    fn what_matters_remains() {
        let text = "the quick brown fox jumps over the lazy dog";
        let parts: Vec<&str> = text.split_inclusive("").collect();
        let mut holds = |text: &str| text.contains('q') && text.contains('z');
        assert_eq!(shrink(parts, &mut holds), "qz");
    }
}
