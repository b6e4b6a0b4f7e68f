//! What long work tells and asks while it goes on.
//!
//! Whoever starts something long passes a [`Progress`] in: it hears how far the work is, and says whether
//! to go on. Nothing here is global, and the work never looks at signals or terminals itself. Work that is
//! cancelled ends within a fraction of a second and says so in its result; what it has until then
//! is kept where the result can hold it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Watches work and may cancel it; asked from any thread.
pub trait Progress: Sync {
    /// Whether the work should end. Asked often, so it must be cheap; it stays true once it is.
    fn is_cancelled(&self) -> bool;

    /// A part of the work begins: `run`, `samples`, …
    fn begin(&self, _part: &'static str) {}

    /// The share of the part that is done, 0 to 1.
    fn report(&self, _share: f64) {}

    /// The same, with the seconds that are left as far as they are known.
    fn report_left(&self, share: f64, _seconds: Option<f64>) {
        self.report(share);
    }
}

impl fmt::Debug for dyn Progress + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// Nobody watches: the work goes on to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Progress for Unwatched {
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// A flag that is set from elsewhere.
impl Progress for AtomicBool {
    fn is_cancelled(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}
