//! Why a file cannot be used: at least one error, whatever happened.

use std::fmt;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::Sources;

/// Why a model or a study cannot be run: everything that is wrong with it. Made by
/// [`Failure::new`] only, so that no failure is without a message.
#[derive(Debug)]
#[expect(clippy::manual_non_exhaustive, reason = "holds for the modules of this crate, too")]
pub struct Failure {
    pub sources: Sources,
    pub diagnostics: Diagnostics,
    /// Keeps other modules from making one by its fields.
    _made_by_new: (),
}

impl Failure {
    /// A failure for these reasons. A reader that gave up without one is a mistake of the program,
    /// and is reported as that.
    pub fn new(sources: Sources, mut diagnostics: Diagnostics) -> Box<Self> {
        if !diagnostics.has_errors() {
            diagnostics.push(unexplained());
        }
        Box::new(Self { sources, diagnostics, _made_by_new: () })
    }
}

/// All messages, one after the other.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.diagnostics.render(&self.sources, false).trim_end())
    }
}

impl std::error::Error for Failure {}

fn unexplained() -> Diagnostic {
    Diagnostic::error("G0016", "the file was refused, but no reason was recorded").help(format!(
        "this is a mistake of the program: please send the file to {}/issues, with the version, {}",
        env!("CARGO_PKG_REPOSITORY"),
        env!("CARGO_PKG_VERSION"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_failure_is_without_a_message() {
        let mut warned = Diagnostics::new();
        warned.push(Diagnostic::warning("G0404", "only a warning"));
        for diagnostics in [Diagnostics::new(), warned] {
            let failure = Failure::new(Sources::new(), diagnostics);
            assert!(failure.diagnostics.has_errors());
            let text = failure.diagnostics.render(&failure.sources, false);
            assert!(
                text.contains("error[G0016]") && text.contains("please send the file"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_failure_with_a_reason_keeps_it() {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(Diagnostic::error("G0004", "empty"));
        assert_eq!(Failure::new(Sources::new(), diagnostics).diagnostics.len(), 1);
    }
}
