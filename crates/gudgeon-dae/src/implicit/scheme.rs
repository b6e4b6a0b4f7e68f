//! The implicit methods behind one door.

use super::alpha::{Alpha, AlphaParameters, Form};
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
}

impl Method {
    /// Generalized-α in the stabilised form, with ρ∞.
    pub fn alpha(rho: f64) -> Self {
        Self::Alpha { parameters: AlphaParameters::generalized(rho), form: Form::Stabilised }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Alpha { .. } => "generalized-alpha",
            Self::Radau => "radau5",
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

#[derive(Debug)]
pub(super) enum Scheme {
    Alpha(Box<Alpha>),
    Radau(Box<Radau>),
}

impl Scheme {
    pub fn new(method: Method, work: &Work) -> Self {
        match method {
            Method::Alpha { parameters, form } => {
                Self::Alpha(Box::new(Alpha::new(parameters, form, work)))
            }
            Method::Radau => Self::Radau(Box::new(Radau::new(work))),
        }
    }

    /// The history before the present point is of no use.
    pub fn restart(&mut self) {
        match self {
            Self::Alpha(alpha) => alpha.restart(),
            Self::Radau(radau) => radau.restart(),
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
            Self::Alpha(alpha) => Ok(alpha.error(work, last, middle)),
            Self::Radau(radau) => radau.error(plant, work, last, limit),
        }
    }

    /// Takes the step over; a method that chooses its order gives the factor on the step too.
    pub fn accept(&mut self, work: &mut Work, last: &Last, _error: f64) -> Option<f64> {
        match self {
            Self::Alpha(alpha) => {
                alpha.accept(work, last);
                None
            }
            Self::Radau(radau) => {
                radau.accept(last);
                None
            }
        }
    }

    /// Forgets the attempt.
    pub fn reject(&mut self) {
        match self {
            Self::Alpha(_) => {}
            Self::Radau(radau) => radau.reject(),
        }
    }

    /// (q, v, z) inside the step, which may be accepted already or not.
    pub fn inside(&self, dims: Dims, last: &Last, theta: f64, accepted: bool, out: &mut [f64]) {
        match self {
            Self::Alpha(alpha) => alpha.inside(dims, last, theta, accepted, out),
            Self::Radau(radau) => radau.inside(dims, last, theta, out),
        }
    }

    /// The error of a step is proportional to this power of its size.
    pub fn error_order(&self) -> f64 {
        match self {
            Self::Alpha(_) => 3.0,
            Self::Radau(_) => 4.0,
        }
    }

    /// First step as a share of the time in which a component moves by its scale.
    pub fn first_share(&self, rtol: f64) -> f64 {
        0.5 * rtol.powf(1.0 / self.error_order()).min(0.1)
    }

    pub fn rule(&self) -> Rule {
        match self {
            Self::Alpha(_) => SIMPSON,
            Self::Radau(_) => RADAU,
        }
    }

    /// Whether the error estimate uses rates inside the step.
    pub fn needs_middle(&self) -> bool {
        matches!(self, Self::Alpha(_))
    }

    pub fn reactions(&self) -> &[f64] {
        match self {
            Self::Alpha(alpha) => &alpha.point.lambda,
            Self::Radau(radau) => radau.reactions(),
        }
    }
}
