//! The implicit methods behind one door.

use super::alpha::{Alpha, AlphaParameters, Form};
use super::bdf::Bdf;
use super::equations::ImplicitDae;
use super::last::Last;
use super::radau::Radau;
use super::work::{Failure, Work};
use crate::problem::{Dims, Fault};

/// An implicit method and its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Generalized-α, order 2.
    Alpha { parameters: AlphaParameters, form: Form },
    /// Radau IIA, order 5.
    Radau,
    /// Backward differentiation of variable order up to `highest` (at most 5).
    Bdf { highest: usize, form: Form },
}

impl Method {
    /// Generalized-α with ρ∞ = 0.8 in the stabilised form.
    pub const ALPHA: Self =
        Self::Alpha { parameters: AlphaParameters::generalized(0.8), form: Form::Stabilised };

    /// Generalized-α in the stabilised form, with ρ∞.
    pub fn alpha(rho: f64) -> Self {
        Self::Alpha { parameters: AlphaParameters::generalized(rho), form: Form::Stabilised }
    }

    /// Backward differentiation up to order 5 in the stabilised form.
    pub const BDF: Self = Self::Bdf { highest: 5, form: Form::Stabilised };

    pub fn name(&self) -> &'static str {
        match self {
            Self::Alpha { .. } => "generalized-alpha",
            Self::Radau => "radau5",
            Self::Bdf { .. } => "bdf",
        }
    }
}

/// Weights of the rates at the start, inside and at the end of a step that give its quadratures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub start: f64,
    pub inner: &'static [(f64, f64)],
    pub end: f64,
}

/// The mean of both ends.
const TRAPEZOID: Rule = Rule { start: 0.5, inner: &[], end: 0.5 };

/// Simpson's rule.
const SIMPSON: Rule = Rule { start: 1.0 / 6.0, inner: &[(0.5, 2.0 / 3.0)], end: 1.0 / 6.0 };

/// The nodes of Radau IIA, (4 ∓ √6)/10 and 1, with (16 ∓ √6)/36 and 1/9.
const RADAU: Rule = Rule {
    start: 0.0,
    inner: &[
        (0.155_051_025_721_682_2, 0.376_403_062_700_467_3),
        (0.644_948_974_278_317_8, 0.512_485_826_188_421_6),
    ],
    end: 1.0 / 9.0,
};

/// Lobatto's rule of order 6, with nodes (1 ∓ 1/√5)/2 inside.
const LOBATTO: Rule = Rule {
    start: 1.0 / 12.0,
    inner: &[(0.276_393_202_250_021, 5.0 / 12.0), (0.723_606_797_749_979, 5.0 / 12.0)],
    end: 1.0 / 12.0,
};

#[derive(Debug)]
pub(super) enum Scheme {
    Alpha(Box<Alpha>),
    Radau(Box<Radau>),
    Bdf(Box<Bdf>),
}

impl Scheme {
    pub fn new(method: Method, work: &Work) -> Self {
        match method {
            Method::Alpha { parameters, form } => {
                Self::Alpha(Box::new(Alpha::new(parameters, form, work)))
            }
            Method::Radau => Self::Radau(Box::new(Radau::new(work))),
            Method::Bdf { highest, form } => Self::Bdf(Box::new(Bdf::new(highest, form, work))),
        }
    }

    /// The history before the present point is of no use.
    pub fn restart(&mut self) {
        match self {
            Self::Alpha(alpha) => alpha.restart(),
            Self::Radau(radau) => radau.restart(),
            Self::Bdf(bdf) => bdf.restart(),
        }
    }

    /// Finds (q, v, z) at the end of the step.
    pub fn attempt<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &mut Last,
        tolerance: f64,
    ) -> Result<(), Failure> {
        match self {
            Self::Alpha(alpha) => alpha.attempt(plant, work, last, tolerance),
            Self::Radau(radau) => radau.attempt(plant, work, last, tolerance),
            Self::Bdf(bdf) => bdf.attempt(plant, work, last, tolerance),
        }
    }

    /// Largest error over its scale; one below `limit` will do.
    pub fn error<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &Last,
        middle: &[f64],
        limit: f64,
    ) -> Result<f64, Fault> {
        match self {
            Self::Alpha(alpha) => Ok(alpha.error(plant, work, last, middle)),
            Self::Radau(radau) => radau.error(plant, work, last, limit),
            Self::Bdf(bdf) => Ok(bdf.error(limit)),
        }
    }

    /// Takes the step over; a method that chooses its order gives the factor on the step too.
    pub fn accept(&mut self, work: &mut Work, last: &Last, fixed: bool) -> Option<f64> {
        match self {
            Self::Alpha(alpha) => {
                alpha.accept(work, last);
                None
            }
            Self::Radau(radau) => {
                radau.accept(last);
                None
            }
            Self::Bdf(bdf) => Some(bdf.accept(fixed)),
        }
    }

    /// Forgets the attempt.
    pub fn reject(&mut self) {
        match self {
            Self::Alpha(_) => {}
            Self::Radau(radau) => radau.reject(),
            Self::Bdf(bdf) => bdf.reject(),
        }
    }

    /// Goes back to the start of a step that was taken over, to repeat it.
    pub fn undo(&mut self) {
        match self {
            Self::Alpha(alpha) => alpha.undo(),
            // What these know is the step itself, not one before it.
            Self::Radau(_) | Self::Bdf(_) => self.reject(),
        }
    }

    /// (q, v, z) inside the step, which may be accepted already or not.
    pub fn inside(&self, dims: Dims, last: &Last, theta: f64, accepted: bool, out: &mut [f64]) {
        match self {
            Self::Alpha(alpha) => alpha.inside(dims, last, theta, accepted, out),
            Self::Radau(radau) => radau.inside(dims, last, theta, out),
            Self::Bdf(bdf) => bdf.inside(last, theta, out),
        }
    }

    /// The error of a step is proportional to this power of its size.
    pub fn error_order(&self) -> f64 {
        match self {
            Self::Alpha(_) => 3.0,
            Self::Radau(_) => 4.0,
            Self::Bdf(bdf) => bdf.error_order(),
        }
    }

    /// First step as a share of the time in which a component moves by its scale.
    pub fn first_share(&self, rtol: f64) -> f64 {
        0.5 * rtol.powf(1.0 / self.error_order()).min(0.1)
    }

    pub fn rule(method: Method, unresolved: bool) -> Rule {
        match method {
            Method::Alpha { .. } if unresolved => TRAPEZOID,
            Method::Alpha { .. } => SIMPSON,
            Method::Radau => RADAU,
            Method::Bdf { .. } => LOBATTO,
        }
    }

    /// Largest factor on a step.
    pub fn growth(&self) -> f64 {
        match self {
            Self::Alpha(_) => 1.6,
            Self::Radau(_) | Self::Bdf(_) => 5.0,
        }
    }

    /// The factor on the step. Generalized-α answers a change with a small oscillation, and a step that
    /// is kept needs no new matrix: only a worthwhile change is made.
    pub fn worthwhile(&self, change: f64) -> f64 {
        match self {
            Self::Alpha(_) if (0.95..1.25).contains(&change) => 1.0,
            Self::Radau(_) if (1.0..1.2).contains(&change) => 1.0,
            _ => change,
        }
    }

    /// Whether a step that ends at an event is worth repeating: the polynomial of Radau is of order 3.
    pub fn repeats_for_events(&self) -> bool {
        match self {
            Self::Alpha(alpha) => alpha.repeats_for_events(),
            Self::Radau(_) => true,
            Self::Bdf(_) => false,
        }
    }

    /// Whether the end of a repeated step may be moved to the event along its rates.
    pub fn corrects_events(&self) -> bool {
        !matches!(self, Self::Alpha(_))
    }

    /// Whether the error estimate uses rates inside the step.
    pub fn needs_middle(&self) -> bool {
        matches!(self, Self::Alpha(_))
    }

    /// Takes known points before the present one over, if the method uses any.
    pub fn seed(&mut self, y: &[f64], h: f64, known: &[Vec<f64>]) {
        if let Self::Bdf(bdf) = self {
            bdf.seed(y, h, known);
        }
    }

    pub fn reactions(&self) -> &[f64] {
        match self {
            Self::Alpha(alpha) => &alpha.point.lambda,
            Self::Radau(radau) => radau.reactions(),
            Self::Bdf(bdf) => &bdf.point.lambda,
        }
    }
}
