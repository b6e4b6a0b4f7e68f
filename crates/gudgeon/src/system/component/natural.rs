//! Rigid bodies in natural coordinates (García de Jalón and Bayo; tian): two points and two unit vectors.
//!
//!   q = (P, P_j, u, w),   e₁ = (P_j − P)/ℓ,  e₂ = u,  e₃ = w,   E = [e₁ e₂ e₃],   v = q̇        (1)
//!
//! P is the mass centre, P_j lies at the distance ℓ along the first principal axis, u and w are the other
//! two. A point at s in inner axes is p = P + E s, linear in q, so its velocity is Ṗ + Ė s, its bias
//! zero, and the mass matrix constant: with I_i = ½(J₁ + J₂ + J₃) − J_i = ∫ s_i² dm
//!
//!   T = ½ m |Ṗ|² + ½ Σ I_i |ė_i|²                                                           (2)
//!
//! There are no gyroscopic terms, but six internal rows per body. Axes, spins and internal rows: `triad.rs`.
//!
//! **Flat bodies.** Of a lamina one I_i is zero, of a thin rod two are nearly: M has no inverse, though
//! the body lacks nothing, since its rows carry the missing directions. For the internal rows Ĝ in axes
//! R and any D > 0
//!
//!   (M + ĜᵀDĜ) v̇ = f + ĜᵀDγ − Gᵀλ                                                          (3)
//!
//! has the same v̇ and λ where Ĝ v̇ = γ. With X = RᵀË and the forces H = Rᵀ[F₁ F₂ F₃] the left side
//! falls into three numbers and three pairs, whose determinants hold the moments J_k = I_i + I_j:
//!
//!   (I_i + d) X_ii = H_ii;   (I_i + d) X_ki + d X_ik = H_ki,   d X_ki + (I_k + d) X_ik = H_ik  (4)
//!
//! so bodies need moments, not volume.

use nalgebra::{Matrix3, Vector3};

use super::rigid::RigidBody;
use super::triad::{Moved, Triad};
use crate::marker::Variation;
use crate::math::spatial::{Frame, Twist, Wrench};

/// Number of coordinates and velocities of a body.
pub const SIZE: usize = 12;
/// Number of its internal rows.
pub const ROWS: usize = 6;

/// A body in natural coordinates.
#[derive(Clone, Copy, Debug)]
pub struct NaturalBody {
    /// Moving body of the model, from 0.
    pub body: usize,
    /// Where its coordinates and velocities start in q and v.
    pub q: usize,
    pub v: usize,
    /// ℓ.
    pub length: f64,
    /// m and I_i as given, and artificial ones where they are missing.
    mass: f64,
    second: [f64; 3],
    artificial_mass: f64,
    artificial_second: [f64; 3],
    /// d of (4).
    stiffening: f64,
}

impl NaturalBody {
    pub fn new(body: usize, rigid: &RigidBody, length: f64) -> Self {
        let second: [f64; 3] = std::array::from_fn(|i| second_moment(&rigid.moments, i));
        let missing = 0.5 * rigid.artificial[3];
        let artificial_second = [missing; 3];
        let all: f64 = second.iter().zip(&artificial_second).map(|(a, b)| a + b).sum();
        Self {
            body,
            q: rigid.q,
            v: rigid.v,
            length,
            mass: rigid.mass,
            second,
            artificial_mass: rigid.artificial[0],
            artificial_second,
            stiffening: all / 3.0,
        }
    }

    pub fn state(&self, q: &[f64], v: &[f64]) -> Triad {
        self.state_by((&q[self.q..], &v[self.v..]))
    }

    /// The same by its own coordinates and velocities.
    pub(in crate::system) fn state_by(&self, (q, v): (&[f64], &[f64])) -> Triad {
        Triad::new(self.vectors(q), self.vectors(v))
    }

    /// P and E of coordinates, or the same for their rates.
    fn vectors(&self, x: &[f64]) -> (Vector3<f64>, Matrix3<f64>) {
        let [p, j, u, w] = four(x);
        (p, Matrix3::from_columns(&[(j - p) / self.length, u, w]))
    }

    /// J v̇ of a marker at s, without its bias.
    pub fn acceleration(&self, state: &Triad, s: &Vector3<f64>, acceleration: &[f64]) -> Twist {
        let (p, e) = self.vectors(acceleration);
        state.acceleration(s, &p, &e)
    }

    /// Coordinates of a pose of the inner axes.
    pub fn write_pose(&self, frame: &Frame, q: &mut [f64]) {
        let [e1, e2, e3] = [0, 1, 2].map(|i| frame.r.column(i).into_owned());
        for (to, from) in q.chunks_exact_mut(3).zip([frame.p, frame.p + e1 * self.length, e2, e3]) {
            to.copy_from_slice(from.as_slice());
        }
    }

    /// Velocities of a twist of the inner axes at a pose.
    pub fn write_twist(&self, r: &Matrix3<f64>, twist: &Twist, v: &mut [f64]) {
        let rate = |i: usize| twist.w.cross(&r.column(i).into_owned());
        let all = [twist.v, twist.v + rate(0) * self.length, rate(1), rate(2)];
        for (to, from) in v.chunks_exact_mut(3).zip(all) {
            to.copy_from_slice(from.as_slice());
        }
    }

    /// Forces on P and E from those on q, or the same for unit wrenches.
    fn on_vectors(&self, f: &[f64]) -> (Vector3<f64>, Matrix3<f64>) {
        let [on_p, on_j, on_u, on_w] = four(f);
        (on_p + on_j, Matrix3::from_columns(&[on_j * self.length, on_u, on_w]))
    }

    /// Coordinates of accelerations of P and E.
    fn write_vectors(&self, p: &Vector3<f64>, e: &Matrix3<f64>, out: &mut [f64]) {
        let column = |i: usize| Vector3::from(e.column(i));
        let all = [*p, p + column(0) * self.length, column(1), column(2)];
        for (to, from) in out.chunks_exact_mut(3).zip(all) {
            to.copy_from_slice(from.as_slice());
        }
    }

    /// Adds forces on P and E to those on q.
    fn add_forces(&self, on_p: &Vector3<f64>, on_e: &Matrix3<f64>, out: &mut [f64]) {
        let on_j = on_e.column(0) / self.length;
        for k in 0..3 {
            out[k] += on_p[k] - on_j[k];
            out[3 + k] += on_j[k];
            out[6 + k] += on_e[(k, 1)];
            out[9 + k] += on_e[(k, 2)];
        }
    }

    /// (M + ĜᵀDĜ)⁻¹ f by (4).
    pub fn solve(&self, state: &Triad, f: &[f64], out: &mut [f64]) {
        let (on_p, on_e) = self.on_vectors(f);
        let h = state.r.tr_mul(&on_e);
        let moment = |i: usize| self.second[i] + self.artificial_second[i];
        let d = self.stiffening;
        let mut x = Matrix3::zeros();
        for i in 0..3 {
            x[(i, i)] = h[(i, i)] / (moment(i) + d);
            for k in 0..i {
                let (of_i, of_k) = (moment(i) + d, moment(k) + d);
                // The moment about the third axis keeps its digits where both parts are small.
                let determinant = moment(i) * moment(k) + d * (moment(i) + moment(k));
                x[(k, i)] = (of_k * h[(k, i)] - d * h[(i, k)]) / determinant;
                x[(i, k)] = (of_i * h[(i, k)] - d * h[(k, i)]) / determinant;
            }
        }
        let p = on_p / (self.mass + self.artificial_mass);
        self.write_vectors(&p, &(state.r * x), out);
    }

    /// A column of M + ĜᵀDĜ, whose inverse is (4).
    pub fn weights(&self, state: &Triad, column: usize, out: &mut [f64]) {
        let (p, e) = self.unit(column);
        let x = state.r.tr_mul(&e);
        let d = self.stiffening;
        let h = Matrix3::from_fn(|k, i| {
            let own = (self.second[i] + self.artificial_second[i]) * x[(k, i)];
            own + d * if i == k { x[(i, i)] } else { x[(k, i)] + x[(i, k)] }
        });
        out.fill(0.0);
        self.add_forces(&(p * (self.mass + self.artificial_mass)), &(state.r * h), out);
    }

    /// Adds ĜᵀDγ of (3).
    pub fn add_stiffening(&self, state: &Triad, f: &mut [f64]) {
        let products = state.rate.tr_mul(&state.rate);
        let gamma = |i: usize, k: usize| products[(i, k)] * if i == k { -1.0 } else { -2.0 };
        let h = Matrix3::from_fn(|k, i| self.stiffening * gamma(i, k));
        self.add_forces(&Vector3::zeros(), &(state.r * h), f);
    }

    /// M̃ v̇: what artificial masses would need.
    pub fn artificial_inertia(&self, acceleration: &[f64], out: &mut [f64]) {
        let [p, j, u, w] = four(acceleration);
        let e1 = (j - p) / self.length;
        let i = &self.artificial_second;
        let on_e = Matrix3::from_columns(&[e1 * i[0], u * i[1], w * i[2]]);
        out.fill(0.0);
        self.add_forces(&(p * self.artificial_mass), &on_e, out);
    }

    /// (2), real masses only.
    pub fn kinetic(&self, v: &[f64]) -> f64 {
        let [p, j, u, w] = four(v);
        let e1 = (j - p) / self.length;
        let turning: f64 =
            [e1, u, w].iter().zip(&self.second).map(|(e, i)| i * e.norm_squared()).sum();
        0.5 * (self.mass * p.norm_squared() + turning)
    }

    /// Weight, which acts on P alone.
    pub fn own_forces(&self, gravity: &Vector3<f64>, f: &mut [f64]) {
        f.fill(0.0);
        f[..3].copy_from_slice((gravity * self.mass).as_slice());
    }

    /// Entries of M, as (row, column, value) from the body's first velocity.
    pub fn mass_entries(&self) -> Vec<(usize, usize, f64)> {
        let near = self.second[0] / self.length.powi(2);
        let mut entries = Vec::new();
        for k in 0..3 {
            entries.push((k, k, self.mass + near));
            entries.push((k, 3 + k, -near));
            entries.push((3 + k, k, -near));
            entries.push((3 + k, 3 + k, near));
            entries.push((6 + k, 6 + k, self.second[1]));
            entries.push((9 + k, 9 + k, self.second[2]));
        }
        entries
    }

    /// What a coordinate is: its vector (P, e₁, e₂, e₃) and what a unit of it moves P and E by.
    pub fn unit(&self, column: usize) -> (Vector3<f64>, Matrix3<f64>) {
        let axis = Vector3::ith(column % 3, 1.0);
        let mut e = Matrix3::zeros();
        match column / 3 {
            0 => {
                e.set_column(0, &(-axis / self.length));
                (axis, e)
            }
            1 => {
                e.set_column(0, &(axis / self.length));
                (Vector3::zeros(), e)
            }
            k => {
                e.set_column(k - 1, &axis);
                (Vector3::zeros(), e)
            }
        }
    }

    /// Jᵀ w of a marker at s.
    pub fn reduce(&self, state: &Triad, s: &Vector3<f64>, w: &Wrench, out: &mut [f64]) {
        let (on_p, on_e) = state.reduce(s, w);
        out.fill(0.0);
        self.add_forces(&on_p, &on_e, out);
    }

    /// How a marker at s moves along a coordinate, and how R and U do.
    pub fn position_variation(
        &self,
        state: &Triad,
        s: &Vector3<f64>,
        column: usize,
    ) -> (Variation, Moved) {
        let (p, e) = self.unit(column);
        state.position_variation(s, &p, &e)
    }

    /// How its velocity changes along a coordinate.
    pub fn velocity_variation(&self, state: &Triad, s: &Vector3<f64>, column: usize) -> Variation {
        let (p, e) = self.unit(column);
        state.velocity_variation(s, &p, &e)
    }

    /// Change of the couples of a torque that stays, added to `out`.
    pub fn add_turned(&self, state: &Triad, torque: &Vector3<f64>, by: &Moved, out: &mut [f64]) {
        let on_e = state.couples_change(torque, by);
        self.add_forces(&Vector3::zeros(), &on_e, out);
    }

    /// Forces on E as those on q.
    pub fn write_forces(&self, on_e: &Matrix3<f64>, out: &mut [f64]) {
        out.fill(0.0);
        self.add_forces(&Vector3::zeros(), on_e, out);
    }
}

/// I_i = ½ (J_j + J_k − J_i). The difference of the large ones first: a thin rod keeps its digits.
/// Rounding must not make that of a flat body negative.
fn second_moment(moments: &Vector3<f64>, i: usize) -> f64 {
    let (j, k) = (moments[(i + 1) % 3], moments[(i + 2) % 3]);
    let (small, large) = if j < k { (j, k) } else { (k, j) };
    (0.5 * ((large - moments[i]) + small)).max(0.0)
}

fn four(x: &[f64]) -> [Vector3<f64>; 4] {
    std::array::from_fn(|i| Vector3::new(x[3 * i], x[3 * i + 1], x[3 * i + 2]))
}
