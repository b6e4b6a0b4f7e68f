//! A steadily loaded bearing: how film forces change about the place where its journal rests.
//!
//! A journal turns with ω under a constant load W fixed in the bearing axes and rests where F + W = 0
//! (`bearing/settle.rs` finds the place). About it, in axes x along the load and y = ±ẑ×x in the sense of rotation,
//!
//!   K_ij = −∂F_i/∂e_j,   C_ij = −∂F_i/∂ė_j,   K* = K c/W,   C* = C c |ω|/W                     (1)
//!
//! C is symmetric, K is not. A tilt φ moves the slice at ζ by ζ φ×ẑ; moments answer it with
//! K_φ = −∂M/∂φ and C_φ = −∂M/∂φ̇.

use nalgebra::{Matrix2, SMatrix, Vector2};

use super::evaluate::Film;
use super::state::*;

/// A journal at rest under a load.
#[derive(Clone, Copy, Debug)]
pub struct Equilibrium {
    pub state: JournalState,
    /// Load on the journal, N.
    pub load: Vector2<f64>,
    pub force: FilmForce,
    pub tangent: FilmTangent,
    /// Eccentricity ratio, of a tilted journal where it is largest.
    pub eccentricity: f64,
    /// Angle from the load to the eccentricity at mid-length, positive in the sense of rotation, rad.
    pub attitude: f64,
    /// Sommerfeld number S = μ n D B/W (R/c)², n in revolutions per second.
    pub sommerfeld: f64,
    pub coefficients: Coefficients,
}

/// K and C of (1) in SI and without dimension, and those of tilting.
#[derive(Clone, Copy, Debug)]
pub struct Coefficients {
    /// N/m.
    pub stiffness: Matrix2<f64>,
    /// N s/m.
    pub damping: Matrix2<f64>,
    /// K* and C*.
    pub stiffness_ratio: Matrix2<f64>,
    pub damping_ratio: Matrix2<f64>,
    /// N m/rad and N m s/rad.
    pub tilt_stiffness: Matrix2<f64>,
    pub tilt_damping: Matrix2<f64>,
}

/// The whirl that a bearing sets up once its share of the rotor's mass is large enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Whirl {
    /// Its angular speed, rad/s.
    pub speed: f64,
    /// The mass from which the journal's rest is unstable, kg.
    pub mass: f64,
}

/// Which masses on a film come to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stability {
    Always,
    /// Those below that of the whirl.
    Below(Whirl),
    Never,
}

/// A mean stiffness below this share of K is rounding.
const NOTHING: f64 = 1e-9;

impl Coefficients {
    /// Stability of a mass m on this film alone, K and C being those of its rest. At its limit
    /// det(K − mΩ² + iΩC) = 0, which gives, with k = mΩ²,
    ///
    ///   k = (K_xx C_yy + K_yy C_xx − K_xy C_yx − K_yx C_xy)/(C_xx + C_yy)
    ///   Ω² = det(K − k)/det C                                                                (2)
    ///
    /// By Routh and Hurwitz the rest is stable where det K > 0, k > 0 and m det(K − k) < k det C.
    pub fn stability(&self) -> Stability {
        let (k, c) = (&self.stiffness, &self.damping);
        let mean = (k[(0, 0)] * c[(1, 1)] + k[(1, 1)] * c[(0, 0)]
            - k[(0, 1)] * c[(1, 0)]
            - k[(1, 0)] * c[(0, 1)])
            / c.trace();
        let square = (k - Matrix2::identity() * mean).determinant() / c.determinant();
        if mean.is_nan() || mean <= NOTHING * k.norm() || k.determinant() <= 0.0 {
            Stability::Never
        } else if square <= 0.0 {
            Stability::Always
        } else {
            Stability::Below(Whirl { speed: square.sqrt(), mass: mean / square })
        }
    }
}

/// Derivative of F when both ends move alike.
pub(super) fn common(by: &SMatrix<f64, 5, 4>) -> Matrix2<f64> {
    Matrix2::from_fn(|i, j| by[(i, j)] + by[(i, j + 2)])
}

/// Derivative of M by a tilt φ about ξ and η: the ends move by ±B/2 (φ_η, −φ_ξ).
fn tilting(by: &SMatrix<f64, 5, 4>, length: f64) -> Matrix2<f64> {
    let by_slope = |i: usize, j: usize| 0.5 * length * (by[(i + 2, j + 2)] - by[(i + 2, j)]);
    Matrix2::from_fn(|i, j| if j == 0 { -by_slope(i, 1) } else { by_slope(i, 0) })
}

impl Equilibrium {
    /// What a journal at rest in a film tells. A load too small to point anywhere is taken along ξ.
    pub(crate) fn new(
        film: &Film,
        state: JournalState,
        load: Vector2<f64>,
        force: FilmForce,
        tangent: FilmTangent,
    ) -> Self {
        let FilmShape { viscosity, radius, length, clearance } = film.shape;
        let (omega, size) = (state.omega, load.norm());
        let middle = (state.place[0] + state.place[1]) * 0.5;
        let x = load.try_normalize(0.0).unwrap_or(Vector2::x());
        let y = turned(x) * omega.signum();
        let axes = Matrix2::from_columns(&[x, y]);
        let in_load_axes = |m: Matrix2<f64>| axes.transpose() * m * axes;
        let stiffness = in_load_axes(-common(&tangent.by_place));
        let damping = in_load_axes(-common(&tangent.by_rate));
        let slender = radius / clearance;
        let speed = omega.abs() / std::f64::consts::TAU;
        Self {
            state,
            load,
            force,
            tangent,
            eccentricity: 1.0 - force.min_film / clearance,
            attitude: middle.dot(&y).atan2(middle.dot(&x)),
            sommerfeld: viscosity * speed * 2.0 * radius * length * slender * slender / size,
            coefficients: Coefficients {
                stiffness,
                damping,
                stiffness_ratio: stiffness * (clearance / size),
                damping_ratio: damping * (clearance * omega.abs() / size),
                tilt_stiffness: in_load_axes(-tilting(&tangent.by_place, length)),
                tilt_damping: in_load_axes(-tilting(&tangent.by_rate, length)),
            },
        }
    }

    /// K and C in the bearing's own axes ξ, η, N/m and N s/m.
    pub fn in_bearing_axes(&self) -> [Matrix2<f64>; 2] {
        [&self.tangent.by_place, &self.tangent.by_rate].map(|by| -common(by))
    }
}
