//! What an integration cost.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: u64,
    /// Steps rejected by the error estimate.
    pub rejected: u64,
    /// Steps given up because an evaluation failed.
    pub faults: u64,
    /// Evaluations of the rates.
    pub evaluations: u64,
    /// Projections to the constraints.
    pub projections: u64,
    /// Located events.
    pub events: u64,
}
