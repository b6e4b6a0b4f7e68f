//! What an integrator needs to know of a mechanical system.
//!
//!   q̇ = N(q) v
//!   M(q) v̇ = f(q, v, z, λ, t; d) − G(q, t)ᵀ λ
//!   0 = g(q, t),  0 = G v + g_t
//!   ż = h(q, v, z, t; d)
//!   ẇ = p(q, v, z, λ, t; d)            quadratures: the power of every element
//!
//! The state is one flat vector y = (q, v, z, w). The memory d (impact speeds, contact modes)
//! belongs to the system: evaluations read it, only the handling of an event writes it.
//!
//! A system may ask to be integrated over a stretched time τ with dt = s dτ, s ≥ 0 a smooth function
//! of the state. Forces that begin like δ^1.5 are not smooth in t but are in a suitable τ, and high
//! orders need smoothness.

/// Lengths of the parts of y, and numbers of constraint rows and switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dims {
    pub q: usize,
    pub v: usize,
    pub z: usize,
    pub w: usize,
    pub rows: usize,
    pub switches: usize,
}

impl Dims {
    pub fn total(&self) -> usize {
        self.q + self.v + self.z + self.w
    }
}

/// Baumgarte's stabilisation: G v̇ = γ − 2α (G v + g_t) − β² g.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stabilisation {
    pub alpha: f64,
    pub beta: f64,
}

/// Why an evaluation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("component {index} of the state is not finite")]
    NotFinite { index: usize },
    #[error("constraint row {row} is singular")]
    Singular { row: usize },
    #[error("constraint row {row} could not be closed")]
    Open { row: usize },
    #[error("the force of element {element} is not defined")]
    Undefined { element: usize },
    #[error("friction of element {element} has no finite reactions")]
    Jammed { element: usize },
}

/// How far a point is from the constraints, as multiples of the scales of the system.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    pub position: f64,
    pub velocity: f64,
}

/// A constrained second-order system with memory, as the integrators see it.
pub trait SecondOrderDae {
    fn dims(&self) -> Dims;

    /// Whether N = I, so that v is the derivative of q.
    fn velocity_is_rate(&self) -> bool;

    /// Writes dy/dτ at a point and returns s = dt/dτ, 1 where time is not stretched; λ stays with
    /// the system until the next call.
    fn rates(
        &mut self,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
        stabilisation: Stabilisation,
    ) -> Result<f64, Fault>;

    /// Gives first-order states that follow from q their exact value at an accepted point; says
    /// whether anything changed.
    fn settle(&mut self, t: f64, y: &mut [f64]) -> bool;

    /// Distance from the constraints at the point of the last call of `rates`.
    fn drift(&mut self) -> Drift;

    /// Moves q, then v, to the constraints by the shortest way in the metric of M.
    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault>;

    /// Writes one value per switch. A switch is positive while its mode lasts; an event is its
    /// fall through zero.
    fn switches(&mut self, t: f64, y: &[f64], out: &mut [f64]);

    /// The same at the point of the last call of `rates`.
    fn switches_here(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        self.switches(t, y, out);
    }

    /// Raises the scale of each component of y to what this point shows. An error of `rtol` times
    /// the scale is accepted per step.
    fn raise_scales(&mut self, y: &[f64], scales: &mut [f64]);

    /// Asked before every step that is tried; where the answer is no, stepping ends with
    /// [`StepError::Stopped`](crate::StepError::Stopped).
    fn goes_on(&mut self) -> bool {
        true
    }
}
