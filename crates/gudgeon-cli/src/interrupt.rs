//! Ctrl-C and the request to terminate: the first stops the run cleanly, the second at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Exit;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Listens for interruptions from now on. Where the system has none, a run cannot be stopped early.
pub fn install() {
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
}

pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// The flag itself, for those who watch it.
pub fn flag() -> &'static AtomicBool {
    &REQUESTED
}
