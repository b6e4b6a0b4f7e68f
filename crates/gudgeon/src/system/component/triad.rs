//! Axes from three vectors that need not be orthonormal: of bodies in natural coordinates and of the sections of
//! beams.
//!
//! A material point at s is p = P + E s, linear in coordinates wherever P and E are, so its velocity is Ṗ + Ė s and
//! its bias zero.
//!
//! **Axes.** E = R U with a rotation R and a symmetric U, which is 1 where the vectors are orthonormal. Axes of
//! markers are R A. With B = RᵀĖ and vee((a×)) = a the spin of R in its own axes follows from
//!
//!   Y ω = vee(B − Bᵀ),   Y = (tr U) 1 − U                                                   (1)
//!   Y ω̇ = −vee(C − Cᵀ) − Ẏ ω,   C = (ω×) B,  U̇ = B − (ω×) U            at v̇ = 0             (2)
//!
//! A torque t is the couples that do its work, t · Rω = Σ F_i · ė_i:
//!
//!   F_i = R (τ × 1_i),   Y τ = Rᵀ t                                                         (3)
//!
//! All of it holds for any regular E, so derivatives by all coordinates are those of smooth functions.
//! For a variation δE, with δθ from (1) for RᵀδE in place of B, δU = RᵀδE − (δθ×)U and δY from it:
//!
//!   Y δω = −vee(C − Cᵀ) − δY ω,  C = (δθ×) B;   Y δτ = −δθ × Rᵀt − δY τ                       (4)
//!   δF_i = R (δθ × (τ × 1_i) + δτ × 1_i)                                                    (5)
//!
//! **Internal rows** keep the vectors orthonormal where they must be:
//!
//!   g_ii = ½ (e_i · e_i − 1),   g_ij = e_i · e_j,   g̈_ii = e_i · ë_i + |ė_i|²,  …              (6)

use nalgebra::{Matrix3, Vector3};

use super::rigid::BodyState;
use crate::marker::{Attachment, MarkerState, Variation};
use crate::math::rotation::{cross_matrix, polar};
use crate::math::spatial::{Frame, Twist, Wrench};

/// An internal row (6): of which two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InternalRow {
    /// Node of a beam; 0 of a body in natural coordinates.
    pub node: usize,
    pub i: usize,
    pub j: usize,
}

impl InternalRow {
    pub const ALL: [Self; 6] = [
        Self { node: 0, i: 0, j: 0 },
        Self { node: 0, i: 1, j: 1 },
        Self { node: 0, i: 2, j: 2 },
        Self { node: 0, i: 0, j: 1 },
        Self { node: 0, i: 0, j: 2 },
        Self { node: 0, i: 1, j: 2 },
    ];

    /// Its entries of the gradient by E, or of its change where `of` is a change of E.
    pub fn gradient(self, of: &Matrix3<f64>) -> Matrix3<f64> {
        let mut e = Matrix3::zeros();
        e.set_column(self.i, &of.column(self.j));
        if self.i != self.j {
            e.set_column(self.j, &of.column(self.i));
        }
        e
    }

    /// g of (6) for E.
    pub fn gap(self, e: &Matrix3<f64>) -> f64 {
        let product = e.column(self.i).dot(&e.column(self.j));
        if self.i == self.j { 0.5 * (product - 1.0) } else { product }
    }

    /// Its bias g̈ at v̇ = 0 for Ė.
    pub fn bias(self, rate: &Matrix3<f64>) -> f64 {
        let product = rate.column(self.i).dot(&rate.column(self.j));
        if self.i == self.j { product } else { 2.0 * product }
    }

    /// What the row holds, for messages.
    pub fn name(self) -> &'static str {
        match (self.i, self.j) {
            (0, 0) => "length of its first axis",
            (1, 1) => "length of its second axis",
            (2, 2) => "length of its third axis",
            (0, 1) => "angle between its first and second axis",
            (0, 2) => "angle between its first and third axis",
            _ => "angle between its second and third axis",
        }
    }
}

fn vee(m: &Matrix3<f64>) -> Vector3<f64> {
    Vector3::new(m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)])
}

/// (tr M) 1 − M.
fn complement(m: &Matrix3<f64>) -> Matrix3<f64> {
    Matrix3::identity() * m.trace() - m
}

/// How R and U change with a variation of E: δθ, δU.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    pub theta: Vector3<f64>,
    stretch: Matrix3<f64>,
}

/// P, E and what follows from them at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Triad {
    pub p: Vector3<f64>,
    pub velocity: Vector3<f64>,
    /// E, Ė, R.
    pub e: Matrix3<f64>,
    pub rate: Matrix3<f64>,
    pub r: Matrix3<f64>,
    /// U, Y⁻¹, B, and ω in axes R.
    u: Matrix3<f64>,
    inverse: Matrix3<f64>,
    b: Matrix3<f64>,
    omega: Vector3<f64>,
    /// R ω̇ at v̇ = 0.
    pub bias: Vector3<f64>,
}

impl Triad {
    pub const REST: Self = Self {
        p: Vector3::new(0.0, 0.0, 0.0),
        velocity: Vector3::new(0.0, 0.0, 0.0),
        e: IDENTITY,
        rate: ZERO,
        r: IDENTITY,
        u: IDENTITY,
        inverse: IDENTITY,
        b: ZERO,
        omega: Vector3::new(0.0, 0.0, 0.0),
        bias: Vector3::new(0.0, 0.0, 0.0),
    };

    /// From P and E, and their rates.
    pub fn new(
        (p, e): (Vector3<f64>, Matrix3<f64>),
        (velocity, rate): (Vector3<f64>, Matrix3<f64>),
    ) -> Self {
        let r = polar(&e);
        let u = r.tr_mul(&e);
        let u = (u + u.transpose()) * 0.5;
        let inverse = complement(&u).try_inverse().unwrap_or(Matrix3::from_element(f64::NAN));
        let b = r.tr_mul(&rate);
        let mut state =
            Self { p, velocity, e, rate, r, u, inverse, b, omega: Vector3::zeros(), bias: p };
        state.omega = state.spin_of(&b); // (1)
        let stretch = b - cross_matrix(&state.omega) * u;
        let moved = Moved { theta: state.omega, stretch };
        state.bias = r * state.spin_change(&moved); // (2): (4) along the motion
        state
    }

    /// Y⁻¹ vee(B − Bᵀ).
    fn spin_of(&self, b: &Matrix3<f64>) -> Vector3<f64> {
        self.inverse * vee(b)
    }

    fn moved(&self, change: &Matrix3<f64>) -> Moved {
        let d = self.r.tr_mul(change);
        let theta = self.spin_of(&d);
        Moved { theta, stretch: d - cross_matrix(&theta) * self.u }
    }

    /// δω of (4).
    fn spin_change(&self, by: &Moved) -> Vector3<f64> {
        let c = cross_matrix(&by.theta) * self.b;
        self.inverse * (-vee(&c) - complement(&by.stretch) * self.omega)
    }

    /// F_i of (3) as columns.
    fn couples(&self, torque: &Vector3<f64>) -> Matrix3<f64> {
        let tau = self.inverse * self.r.tr_mul(torque);
        self.r * cross_matrix(&tau)
    }

    /// δF_i of (5) as columns.
    pub fn couples_change(&self, torque: &Vector3<f64>, by: &Moved) -> Matrix3<f64> {
        let inner = self.r.tr_mul(torque);
        let tau = self.inverse * inner;
        let change = self.inverse * (-by.theta.cross(&inner) - complement(&by.stretch) * tau);
        self.r * (cross_matrix(&by.theta) * cross_matrix(&tau) + cross_matrix(&change))
    }

    pub fn body_state(&self) -> BodyState {
        BodyState {
            frame: Frame { p: self.p, r: self.r },
            twist: Twist { v: self.velocity, w: self.r * self.omega },
            angle: 0.0,
        }
    }

    /// A marker, and its arm from the mass centre.
    pub fn marker(&self, at: &Attachment) -> (MarkerState, Vector3<f64>) {
        let arm = self.e * at.offset;
        let marker = MarkerState {
            frame: Frame { p: self.p + arm, r: self.r * at.turn },
            twist: Twist { v: self.velocity + self.rate * at.offset, w: self.r * self.omega },
            bias: Twist { v: Vector3::zeros(), w: self.bias },
            angle: at.angle,
        };
        (marker, arm)
    }

    /// J v̇ of a marker at s for accelerations of P and E, without its bias.
    pub fn acceleration(&self, s: &Vector3<f64>, p: &Vector3<f64>, e: &Matrix3<f64>) -> Twist {
        Twist { v: p + e * s, w: self.r * self.spin_of(&self.r.tr_mul(e)) }
    }

    /// How a marker at s moves with displacements of P and E, and how R and U do.
    pub fn position_variation(
        &self,
        s: &Vector3<f64>,
        p: &Vector3<f64>,
        e: &Matrix3<f64>,
    ) -> (Variation, Moved) {
        let moved = self.moved(e);
        let spin = self.spin_change(&moved);
        let variation = Variation {
            p: p + e * s,
            turn: self.r * moved.theta,
            v: Vector3::zeros(),
            w: self.r * (spin + moved.theta.cross(&self.omega)),
        };
        (variation, moved)
    }

    /// How its velocity changes with velocities of P and E.
    pub fn velocity_variation(
        &self,
        s: &Vector3<f64>,
        p: &Vector3<f64>,
        e: &Matrix3<f64>,
    ) -> Variation {
        let turn = self.r * self.spin_of(&self.r.tr_mul(e));
        Variation { v: p + e * s, w: turn, ..Variation::ZERO }
    }

    /// Jᵀ w of a marker at s: forces on P and on the columns of E.
    pub fn reduce(&self, s: &Vector3<f64>, w: &Wrench) -> (Vector3<f64>, Matrix3<f64>) {
        let mut on_e = self.couples(&w.t);
        for i in 0..3 {
            let mut column = on_e.column_mut(i);
            column += w.f * s[i];
        }
        (w.f, on_e)
    }
}

const ZERO: Matrix3<f64> = Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
const IDENTITY: Matrix3<f64> = Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
