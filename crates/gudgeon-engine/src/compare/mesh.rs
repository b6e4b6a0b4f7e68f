//! Each variant at its own mesh: elements are doubled until no value changes by more than a share.

use gudgeon::progress::Progress;

use super::{CompareJob, Done, Excluded, Variant};

/// No mesh has more elements per link.
const MOST: usize = 128;

/// Doubles the elements, from those of the file on.
pub(super) fn refine(
    job: &CompareJob,
    variant: &Variant,
    share: f64,
    progress: &dyn Progress,
) -> Result<Done, Excluded> {
    let mut last = job.once(variant, None, progress)?;
    let mut elements = last.elements.iter().map(|(_, n)| *n).max().unwrap_or(1);
    let mut change = f64::INFINITY;
    while elements < MOST {
        elements *= 2;
        let next = job.once(variant, Some(elements), progress)?;
        change = largest_change(&last, &next);
        last = next;
        if change <= share {
            break;
        }
    }
    last.converged = Some((change <= share, change));
    Ok(last)
}

/// By how much any largest value changed, relative to the new one.
fn largest_change(before: &Done, now: &Done) -> f64 {
    let relative = |extreme: &gudgeon::results::Extreme| {
        let (value, _) = now.largest(&extreme.name)?;
        let (other, _) = before.largest(&extreme.name)?;
        (value > 0.0).then(|| (value - other).abs() / value)
    };
    now.values.iter().filter_map(relative).fold(0.0, f64::max)
}
