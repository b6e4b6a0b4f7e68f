//! Correlation functions of one pair of points, four pairs at a time, and their slopes.
//!
//! A correlation is a product over inputs of ρ(θ, |d|). The distance enters through a *base* b(|d|)
//! that does not depend on θ and is computed once per pair:
//!
//! | shape | base b | ρ | ∂ ln ρ/∂ ln θ |
//! |---|---|---|---|
//! | power exponential | ln \|d\| | exp(−p), p = θ \|d\|^α = exp(α b + ln θ) | −p |
//! | squared exponential | d² | exp(−θ b) | −θ b |
//! | Matérn 3/2 | \|d\| | (1 + t) e⁻ᵗ, t = √3 θ b | −t²/(1 + t) |
//! | Matérn 5/2 | \|d\| | (1 + t + t²/3) e⁻ᵗ, t = √5 θ b | −t² (1 + t)/(3 + 3t + t²) |
//!
//! and for the power exponential ∂ ln ρ/∂α = −p b.

use crate::linear::lanes;
use fearless_simd::{Simd, f64x4, prelude::*};

/// θ and α of one input, prepared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    theta: f64,
    ln_theta: f64,
    alpha: f64,
}

impl Scale {
    pub fn new(theta: f64, alpha: f64) -> Self {
        Self { theta, ln_theta: theta.ln(), alpha }
    }
}

pub(crate) trait Shape: Copy {
    fn base<S: Simd>(simd: S, distance: f64x4<S>) -> f64x4<S>;

    /// Π ρ over the inputs; `base(k)` is that of input k.
    fn value<S: Simd>(simd: S, scales: &[Scale], base: impl Fn(usize) -> f64x4<S>) -> f64x4<S>;

    /// ∂ ln ρ/∂ ln θ of one input.
    fn slope<S: Simd>(simd: S, scale: &Scale, base: f64x4<S>) -> f64x4<S>;
}

#[derive(Clone, Copy)]
pub(crate) struct PowerExponential;
#[derive(Clone, Copy)]
pub(crate) struct SquaredExponential;
#[derive(Clone, Copy)]
pub(crate) struct Matern32;
#[derive(Clone, Copy)]
pub(crate) struct Matern52;

/// Distances below this count as this, so that their logarithm exists: |d|^α is zero in effect.
const SMALLEST: f64 = 1e-300;

impl Shape for PowerExponential {
    #[inline(always)]
    fn base<S: Simd>(simd: S, distance: f64x4<S>) -> f64x4<S> {
        lanes::ln(simd, distance.max(f64x4::splat(simd, SMALLEST)))
    }

    #[inline(always)]
    fn value<S: Simd>(simd: S, scales: &[Scale], base: impl Fn(usize) -> f64x4<S>) -> f64x4<S> {
        let mut exponent = f64x4::splat(simd, 0.0);
        for (k, scale) in scales.iter().enumerate() {
            exponent += Self::slope(simd, scale, base(k));
        }
        lanes::exp(simd, exponent)
    }

    #[inline(always)]
    fn slope<S: Simd>(simd: S, scale: &Scale, base: f64x4<S>) -> f64x4<S> {
        -lanes::exp(simd, base.mul_add(scale.alpha, scale.ln_theta))
    }
}

impl Shape for SquaredExponential {
    #[inline(always)]
    fn base<S: Simd>(_: S, distance: f64x4<S>) -> f64x4<S> {
        distance * distance
    }

    #[inline(always)]
    fn value<S: Simd>(simd: S, scales: &[Scale], base: impl Fn(usize) -> f64x4<S>) -> f64x4<S> {
        let mut exponent = f64x4::splat(simd, 0.0);
        for (k, scale) in scales.iter().enumerate() {
            exponent = base(k).mul_add(-scale.theta, exponent);
        }
        lanes::exp(simd, exponent)
    }

    #[inline(always)]
    fn slope<S: Simd>(_: S, scale: &Scale, base: f64x4<S>) -> f64x4<S> {
        base * -scale.theta
    }
}

const ROOT_3: f64 = 1.732_050_807_568_877_2;
const ROOT_5: f64 = 2.236_067_977_499_79;

impl Shape for Matern32 {
    #[inline(always)]
    fn base<S: Simd>(_: S, distance: f64x4<S>) -> f64x4<S> {
        distance
    }

    #[inline(always)]
    fn value<S: Simd>(simd: S, scales: &[Scale], base: impl Fn(usize) -> f64x4<S>) -> f64x4<S> {
        let mut exponent = f64x4::splat(simd, 0.0);
        let mut factor = f64x4::splat(simd, 1.0);
        for (k, scale) in scales.iter().enumerate() {
            let t = base(k) * (ROOT_3 * scale.theta);
            exponent -= t;
            factor *= t + 1.0;
        }
        factor * lanes::exp(simd, exponent)
    }

    #[inline(always)]
    fn slope<S: Simd>(_: S, scale: &Scale, base: f64x4<S>) -> f64x4<S> {
        let t = base * (ROOT_3 * scale.theta);
        -(t * t) / (t + 1.0)
    }
}

impl Shape for Matern52 {
    #[inline(always)]
    fn base<S: Simd>(_: S, distance: f64x4<S>) -> f64x4<S> {
        distance
    }

    #[inline(always)]
    fn value<S: Simd>(simd: S, scales: &[Scale], base: impl Fn(usize) -> f64x4<S>) -> f64x4<S> {
        let mut exponent = f64x4::splat(simd, 0.0);
        let mut factor = f64x4::splat(simd, 1.0);
        for (k, scale) in scales.iter().enumerate() {
            let t = base(k) * (ROOT_5 * scale.theta);
            exponent -= t;
            factor *= (t * (1.0 / 3.0) + 1.0).mul_add(t, 1.0);
        }
        factor * lanes::exp(simd, exponent)
    }

    #[inline(always)]
    fn slope<S: Simd>(_: S, scale: &Scale, base: f64x4<S>) -> f64x4<S> {
        let t = base * (ROOT_5 * scale.theta);
        -(t * t) * (t + 1.0) / (t + 3.0).mul_add(t, 3.0)
    }
}

/// Runs `$body` with `$shape` the type of a [`super::Correlation`].
macro_rules! with_shape {
    ($correlation:expr, $shape:ident => $body:expr) => {
        match $correlation {
            $crate::kriging::Correlation::PowerExponential => {
                type $shape = $crate::kriging::shape::PowerExponential;
                $body
            }
            $crate::kriging::Correlation::SquaredExponential => {
                type $shape = $crate::kriging::shape::SquaredExponential;
                $body
            }
            $crate::kriging::Correlation::Matern32 => {
                type $shape = $crate::kriging::shape::Matern32;
                $body
            }
            $crate::kriging::Correlation::Matern52 => {
                type $shape = $crate::kriging::shape::Matern52;
                $body
            }
        }
    };
}
pub(crate) use with_shape;
