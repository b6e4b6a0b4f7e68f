//! A result as one page that opens in any browser, offline: the mechanism moving, journals in their bearings, plots,
//! extremes, impacts, the energy ledger, and the model it came from.
//!
//! Everything is in the page: data, own modules (`page/`), uPlot, and for mechanisms in space three.js
//! (`vendor/`, built by `vendor/update.sh`). The same folder gives the same bytes.
//!
//! | file | what |
//! |---|---|
//! | `index.rs`, `block.rs` | a JSON index that refers to arrays in one block |
//! | `outputs.rs`, `reduce.rs`, `signal.rs` | rows as many as a page carries; spectra, portraits, sections and loops from all of them |
//! | `motion.rs` | poses at key instants in 16 bits; journals |
//! | `page.rs` | the page and its content security policy |
#![forbid(unsafe_code)]

mod block;
mod index;
mod motion;
mod outputs;
mod page;
mod pressure;
mod reduce;
mod signal;

use std::path::Path;

use gudgeon_output::OutputError;
use serde_json::Value;

pub use page::MODULES;

/// The name of the page in a result folder.
pub const REPORT: &str = "report.html";

/// The page of a result folder with this record.
pub fn report(folder: &Path, record: &Value) -> Result<String, OutputError> {
    index::read(folder, record).map(|content| page::page(&content))
}
