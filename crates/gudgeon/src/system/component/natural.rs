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
//! There are no gyroscopic terms, but six internal rows per body:
//!
//!   g_ii = ½ (e_i · e_i − 1),   g_ij = e_i · e_j,   g̈_ii = e_i · ë_i + |ė_i|²,  …              (3)
//!
//! **Axes.** E = R U with a rotation R and a symmetric U, which is 1 where (3) holds. Axes of markers
//! are R A. With B = RᵀĖ and vee((a×)) = a the spin of R in its own axes follows from
//!
//!   Y ω = vee(B − Bᵀ),   Y = (tr U) 1 − U                                                   (4)
//!   Y ω̇ = −vee(C − Cᵀ) − Ẏ ω,   C = (ω×) B,  U̇ = B − (ω×) U            at v̇ = 0             (5)
//!
//! A torque t is the couples that do its work, t · Rω = Σ F_i · ė_i:
//!
//!   F_i = R (τ × 1_i),   Y τ = Rᵀ t                                                         (6)
//!
//! All of it holds for any q near (3), so derivatives by all coordinates are those of smooth functions.
//! For a variation δE, with δθ from (4) for RᵀδE in place of B, δU = RᵀδE − (δθ×)U and δY from it:
//!
//!   Y δω = −vee(C − Cᵀ) − δY ω,  C = (δθ×) B;   Y δτ = −δθ × Rᵀt − δY τ                       (7)
//!   δF_i = R (δθ × (τ × 1_i) + δτ × 1_i)                                                    (8)
//!
//! **Flat bodies.** Of a lamina one I_i is zero, of a thin rod two are nearly: M has no inverse, though
//! the body lacks nothing, since its rows carry the missing directions. For the internal rows Ĝ in axes
//! R and any D > 0
//!
//!   (M + ĜᵀDĜ) v̇ = f + ĜᵀDγ − Gᵀλ                                                          (9)
//!
//! has the same v̇ and λ where Ĝ v̇ = γ. With X = RᵀË and the forces H = Rᵀ[F₁ F₂ F₃] the left side
//! falls into three numbers and three pairs, whose determinants hold the moments J_k = I_i + I_j:
//!
//!   (I_i + d) X_ii = H_ii;   (I_i + d) X_ki + d X_ik = H_ki,   d X_ki + (I_k + d) X_ik = H_ik  (10)
//!
//! so bodies need moments, not volume.

use nalgebra::{Matrix3, Vector3};

use super::rigid::{BodyState, RigidBody};
use crate::marker::{Attachment, MarkerState, Variation};
use crate::math::rotation::{cross_matrix, polar};
use crate::math::spatial::{Frame, Twist, Wrench};

/// Number of coordinates and velocities of a body.
pub const SIZE: usize = 12;
/// Number of its internal rows.
pub const ROWS: usize = 6;

/// An internal row (3): of which two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InternalRow {
    pub i: usize,
    pub j: usize,
}

impl InternalRow {
    pub const ALL: [Self; ROWS] = [
        Self { i: 0, j: 0 },
        Self { i: 1, j: 1 },
        Self { i: 2, j: 2 },
        Self { i: 0, j: 1 },
        Self { i: 0, j: 2 },
        Self { i: 1, j: 2 },
    ];

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
    /// d of (10).
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

    pub fn state(&self, q: &[f64], v: &[f64]) -> NaturalState {
        NaturalState::new(self.length, &q[self.q..], &v[self.v..])
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

    /// (M + ĜᵀDĜ)⁻¹ f by (10).
    pub fn solve(&self, state: &NaturalState, f: &[f64], out: &mut [f64]) {
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

    /// A column of M + ĜᵀDĜ, whose inverse is (10).
    pub fn weights(&self, state: &NaturalState, column: usize, out: &mut [f64]) {
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

    /// Adds ĜᵀDγ of (9).
    pub fn add_stiffening(&self, state: &NaturalState, f: &mut [f64]) {
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
    fn unit(&self, column: usize) -> (Vector3<f64>, Matrix3<f64>) {
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
    pub fn reduce(&self, state: &NaturalState, s: &Vector3<f64>, w: &Wrench, out: &mut [f64]) {
        let mut on_e = state.couples(&w.t);
        for i in 0..3 {
            let mut column = on_e.column_mut(i);
            column += w.f * s[i];
        }
        out.fill(0.0);
        self.add_forces(&w.f, &on_e, out);
    }

    /// How a marker at s moves along a coordinate, and how R and U do.
    pub fn position_variation(
        &self,
        state: &NaturalState,
        s: &Vector3<f64>,
        column: usize,
    ) -> (Variation, Moved) {
        let (p, e) = self.unit(column);
        let moved = state.moved(&e);
        let spin = state.spin_change(&moved);
        let variation = Variation {
            p: p + e * s,
            turn: state.r * moved.theta,
            v: Vector3::zeros(),
            w: state.r * (spin + moved.theta.cross(&state.omega)),
        };
        (variation, moved)
    }

    /// How its velocity changes along a coordinate.
    pub fn velocity_variation(
        &self,
        state: &NaturalState,
        s: &Vector3<f64>,
        column: usize,
    ) -> Variation {
        let (p, e) = self.unit(column);
        let turn = state.r * state.spin_of(&state.r.tr_mul(&e));
        Variation { v: p + e * s, w: turn, ..Variation::ZERO }
    }

    /// (8) of a torque that stays, added to `out`.
    pub fn add_turned(
        &self,
        state: &NaturalState,
        torque: &Vector3<f64>,
        by: &Moved,
        out: &mut [f64],
    ) {
        let on_e = state.couples_change(torque, by);
        self.add_forces(&Vector3::zeros(), &on_e, out);
    }

    /// g of an internal row.
    pub fn gap(&self, state: &NaturalState, row: InternalRow) -> f64 {
        let product = state.e.column(row.i).dot(&state.e.column(row.j));
        if row.i == row.j { 0.5 * (product - 1.0) } else { product }
    }

    /// Its bias g̈ at v̇ = 0.
    pub fn bias(&self, state: &NaturalState, row: InternalRow) -> f64 {
        let product = state.rate.column(row.i).dot(&state.rate.column(row.j));
        if row.i == row.j { product } else { 2.0 * product }
    }

    /// Its entries of G, or of ∂(G x)/∂q where `of` is x as vectors.
    fn gradient(&self, of: &Matrix3<f64>, row: InternalRow, out: &mut [f64]) {
        let mut e = Matrix3::zeros();
        e.set_column(row.i, &of.column(row.j));
        if row.i != row.j {
            e.set_column(row.j, &of.column(row.i));
        }
        out.fill(0.0);
        self.add_forces(&Vector3::zeros(), &e, out);
    }

    pub fn internal_row(&self, state: &NaturalState, row: InternalRow, out: &mut [f64]) {
        self.gradient(&state.e, row, out);
    }

    /// Its entries of B = ∂(G v)/∂q.
    pub fn internal_rate_row(&self, state: &NaturalState, row: InternalRow, out: &mut [f64]) {
        self.gradient(&state.rate, row, out);
    }

    /// A column of ∂(Gᵀ)/∂q of an internal row.
    pub fn internal_curvature(&self, row: InternalRow, column: usize, out: &mut [f64]) {
        let (_, e) = self.unit(column);
        self.gradient(&e, row, out);
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

/// A body at one instant.
#[derive(Clone, Copy, Debug)]
pub struct NaturalState {
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

impl NaturalState {
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

    fn new(length: f64, q: &[f64], v: &[f64]) -> Self {
        let vectors = |x: &[f64]| {
            let [p, j, u, w] = four(x);
            (p, Matrix3::from_columns(&[(j - p) / length, u, w]))
        };
        let ((p, e), (velocity, rate)) = (vectors(q), vectors(v));
        let r = polar(&e);
        let u = r.tr_mul(&e);
        let u = (u + u.transpose()) * 0.5;
        let inverse = complement(&u).try_inverse().unwrap_or(Matrix3::from_element(f64::NAN));
        let b = r.tr_mul(&rate);
        let mut state =
            Self { p, velocity, e, rate, r, u, inverse, b, omega: Vector3::zeros(), bias: p };
        state.omega = state.spin_of(&b); // (4)
        let stretch = b - cross_matrix(&state.omega) * u;
        let moved = Moved { theta: state.omega, stretch };
        state.bias = r * state.spin_change(&moved); // (5): (7) along the motion
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

    /// δω of (7).
    fn spin_change(&self, by: &Moved) -> Vector3<f64> {
        let c = cross_matrix(&by.theta) * self.b;
        self.inverse * (-vee(&c) - complement(&by.stretch) * self.omega)
    }

    /// F_i of (6) as columns.
    fn couples(&self, torque: &Vector3<f64>) -> Matrix3<f64> {
        let tau = self.inverse * self.r.tr_mul(torque);
        self.r * cross_matrix(&tau)
    }

    /// δF_i of (8) as columns.
    fn couples_change(&self, torque: &Vector3<f64>, by: &Moved) -> Matrix3<f64> {
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

    /// J v̇ of a marker at s, without its bias.
    pub fn acceleration(&self, length: f64, s: &Vector3<f64>, acceleration: &[f64]) -> Twist {
        let [p, j, u, w] = four(acceleration);
        let e = Matrix3::from_columns(&[(j - p) / length, u, w]);
        Twist { v: p + e * s, w: self.r * self.spin_of(&self.r.tr_mul(&e)) }
    }
}

const ZERO: Matrix3<f64> = Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
const IDENTITY: Matrix3<f64> = Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
