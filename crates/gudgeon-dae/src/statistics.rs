//! What an integration cost.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: u64,
    /// Steps rejected by the error estimate.
    pub rejected: u64,
    /// Steps given up because an evaluation failed or Newton's iteration did not converge.
    pub faults: u64,
    /// Evaluations of the rates or of the terms of the equations.
    pub evaluations: u64,
    /// Projections to the constraints.
    pub projections: u64,
    /// Located events.
    pub events: u64,
    /// Implicit steps that an explicit method has taken, over singular positions.
    pub leaps: u64,
    /// Iterations of implicit steps.
    pub iterations: u64,
    /// Evaluations of the tangents; those by differences count as evaluations too.
    pub tangents: u64,
    /// Factorisations of the matrix of Newton's iteration, by reason.
    pub factorisations: Factorisations,
}

/// Why a matrix was factored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The first step.
    First,
    /// The step size or the order has changed; the tangents were kept.
    Resized,
    /// The iteration was slow or did not converge with old tangents.
    Slow,
    /// An event has changed the equations.
    Restarted,
    /// The constraints have turned, or the iteration was slow for the first time; the tangents were
    /// kept.
    Moved,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Factorisations {
    pub first: u64,
    pub resized: u64,
    pub slow: u64,
    pub restarted: u64,
    pub moved: u64,
}

impl Reason {
    /// Whether the tangents are renewed too.
    pub(crate) fn needs_tangents(self) -> bool {
        match self {
            Self::First | Self::Slow | Self::Restarted => true,
            Self::Resized | Self::Moved => false,
        }
    }
}

impl Factorisations {
    pub(crate) fn count(&mut self, reason: Reason) {
        match reason {
            Reason::First => self.first += 1,
            Reason::Resized => self.resized += 1,
            Reason::Slow => self.slow += 1,
            Reason::Restarted => self.restarted += 1,
            Reason::Moved => self.moved += 1,
        }
    }

    pub fn total(&self) -> u64 {
        self.first + self.resized + self.slow + self.restarted + self.moved
    }
}
