//! How many digits of a run hold, and until when: the same run at a tenth of the tolerance.

use crate::assembly::Assembly;
use crate::run::RunSpec;

#[derive(Clone, Debug)]
pub struct Certificate {
    pub rtol: f64,
    pub reference_rtol: f64,
    pub outputs: Vec<CertifiedOutput>,
    /// Both runs finished.
    pub complete: bool,
}

#[derive(Clone, Debug)]
pub struct CertifiedOutput {
    pub name: String,
    /// Decimal digits on which the two runs' largest magnitude agrees (0 … 15).
    pub extreme_digits: f64,
    /// Digits, relative to the largest magnitude, that hold up to the horizon.
    pub digits: f64,
    /// Last time up to which the two histories agree to two digits, s.
    pub horizon: f64,
    /// Whether the horizon is the end of the run.
    pub whole_run: bool,
}

/// Runs twice and compares; `progress` gets the share done, `false` stops it.
pub fn certify(
    _assembly: &Assembly,
    _spec: &RunSpec,
    _progress: &mut dyn FnMut(f64) -> bool,
) -> Certificate {
    unreachable!("written next")
}
