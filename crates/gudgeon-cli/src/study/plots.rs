//! Plots of a study.

use super::{Job, Outcome};

/// File names and SVG texts of all plots that a study asks for.
pub fn plots(_job: &Job, _outcome: &Outcome) -> Vec<(String, String)> {
    Vec::new()
}
