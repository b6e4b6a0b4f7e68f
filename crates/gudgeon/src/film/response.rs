//! The answer of a film model in the coordinates of the journal's two ends, and what follows from it.

use nalgebra::{Matrix2, Matrix4, SMatrix, SVector, Vector2, Vector4};

use super::state::*;

/// Whether derivatives are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    Force,
    Tangent,
}

/// Q = (Q_A, Q_W) in N, with its derivatives by the ends' eccentricity ratio and by ν = v/c.
#[derive(Clone, Copy, Debug)]
pub struct Response {
    pub q: Vector4<f64>,
    pub by_e: Matrix4<f64>,
    pub by_nu: Matrix4<f64>,
    /// Leakage through both ends, m³/s.
    pub leakage: f64,
}

impl Response {
    pub const ZERO: Self = Self {
        q: Vector4::new(0.0, 0.0, 0.0, 0.0),
        by_e: Matrix4::from_array_storage(nalgebra::ArrayStorage([[0.0; 4]; 4])),
        by_nu: Matrix4::from_array_storage(nalgebra::ArrayStorage([[0.0; 4]; 4])),
        leakage: 0.0,
    };

    /// Adds the slice at z that bears `force`, whose derivatives are `by_e` and `by_nu`.
    pub fn add(
        &mut self,
        z: f64,
        force: Vector2<f64>,
        by_e: &Matrix2<f64>,
        by_nu: &Matrix2<f64>,
        want: Want,
    ) {
        let n = [0.5 * (1.0 - z), 0.5 * (1.0 + z)];
        for a in 0..2 {
            self.q[2 * a] += n[a] * force.x;
            self.q[2 * a + 1] += n[a] * force.y;
            if want == Want::Force {
                continue;
            }
            for b in 0..2 {
                let w = n[a] * n[b];
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    self.by_e[(2 * a + i, 2 * b + j)] += w * by_e[(i, j)];
                    self.by_nu[(2 * a + i, 2 * b + j)] += w * by_nu[(i, j)];
                }
            }
        }
    }

    /// The same for an aligned journal; `tilt` are the derivatives of ∫ z dF by ν and by e along z over
    /// those of F.
    pub fn add_aligned(
        &mut self,
        tilt: [f64; 2],
        force: Vector2<f64>,
        by_e: &Matrix2<f64>,
        by_nu: &Matrix2<f64>,
    ) {
        for a in 0..2 {
            self.q[2 * a] += 0.5 * force.x;
            self.q[2 * a + 1] += 0.5 * force.y;
            for b in 0..2 {
                // N = (1 ∓ z)/2 at both sides
                let [nu, e] = tilt.map(|tilt| 0.25 * (1.0 + if a == b { tilt } else { -tilt }));
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    self.by_e[(2 * a + i, 2 * b + j)] += e * by_e[(i, j)];
                    self.by_nu[(2 * a + i, 2 * b + j)] += nu * by_nu[(i, j)];
                }
            }
        }
    }

    pub fn scale(&mut self, by: f64) {
        self.q *= by;
        self.by_e *= by;
        self.by_nu *= by;
    }
}

/// J with J a = ẑ×a at both ends.
pub fn turn() -> Matrix4<f64> {
    let mut j = Matrix4::zeros();
    for k in [0, 2] {
        (j[(k, k + 1)], j[(k + 1, k)]) = (-1.0, 1.0);
    }
    j
}

/// From Q to (F_ξ, F_η, M_ξ, M_η): M = ∫ ζ ẑ × dF.
fn wrench(length: f64) -> Matrix4<f64> {
    let arm = 0.5 * length;
    Matrix4::new(
        1.0, 0.0, 1.0, 0.0, //
        0.0, 1.0, 0.0, 1.0, //
        0.0, arm, 0.0, -arm, //
        -arm, 0.0, arm, 0.0,
    )
}

/// All results of a film from the response of its model.
pub fn force(
    shape: &FilmShape,
    state: &JournalState,
    ends: &Ends,
    answer: &Response,
    shear: &(f64, Vector4<f64>),
) -> FilmForce {
    let c = shape.clearance;
    let fm = wrench(shape.length) * answer.q;
    let twist = (turn() * stacked(&state.place)).dot(&answer.q); // N of (6)
    let couette = drag(shape) * shear.0 * state.omega;
    let (e, end) = ends.widest();
    let aligned = ends.e[0] == ends.e[1];
    let side = if end == 0 { -0.5 } else { 0.5 };
    FilmForce {
        f: Vector2::new(fm[0], fm[1]),
        m: Vector2::new(fm[2], fm[3]),
        torque: -couette - 0.5 * twist,
        bearing_torque: couette - 0.5 * twist,
        shear: couette * state.omega,
        pumping: -c * stacked(&ends.nu).dot(&answer.q),
        leakage: answer.leakage,
        min_film: c * (1.0 - e),
        min_film_angle: ends.e[end].y.atan2(ends.e[end].x),
        min_film_place: if aligned { 0.0 } else { side * shape.length },
    }
}

/// Derivatives of all results from those of the model, by (4) and (6).
pub fn tangent(
    shape: &FilmShape,
    state: &JournalState,
    answer: &Response,
    (around, slope): &(f64, Vector4<f64>),
) -> FilmTangent {
    let c = shape.clearance;
    let (turn, x) = (turn(), stacked(&state.place));
    let by_rate = answer.by_nu / c;
    let by_place = answer.by_e / c - by_rate * turn * (0.5 * state.omega);
    let by_omega = by_rate * (turn * x) * -0.5;
    let drag = drag(shape);
    let arm = (turn * x).transpose();
    let torque_by_place = slope.transpose() * (-drag * state.omega / c)
        - ((turn.transpose() * answer.q).transpose() + arm * by_place) * 0.5;
    let torque_by_rate = arm * by_rate * -0.5;
    let torque_by_omega = -drag * around - 0.5 * (arm * by_omega)[0];
    let wrench = wrench(shape.length);
    FilmTangent {
        by_place: below(&(wrench * by_place), &torque_by_place),
        by_rate: below(&(wrench * by_rate), &torque_by_rate),
        by_omega: SVector::<f64, 5>::from_fn(|i, _| {
            if i < 4 { (wrench.row(i) * by_omega)[0] } else { torque_by_omega }
        }),
    }
}

/// μ R³ B/c: the torque of a centred journal is 2π times this, per rad/s.
fn drag(shape: &FilmShape) -> f64 {
    shape.viscosity * shape.radius.powi(3) * shape.length / shape.clearance
}

fn below(top: &Matrix4<f64>, row: &SMatrix<f64, 1, 4>) -> SMatrix<f64, 5, 4> {
    SMatrix::from_fn(|i, j| if i < 4 { top[(i, j)] } else { row[j] })
}
