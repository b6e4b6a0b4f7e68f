//! Bending of a cable by u = rₓ and p = rₓₓ, with derivatives.
//!
//!   plane:  κ = (u × p)/(|u|² g₀),   its gradient and second derivatives by (u, p)                  (1)
//!   space:  k = (p − t (t·p))/ν,     y = k̇ − t (t·k̇) = (z − t (t·z) − k (t·u̇))/ν,  z = ṗ − u̇ (t·p)/ν  (2)
//!           T = (k kᵀ + c²)/(|k|² + c²),   m = T T y,   M = k + θ m ⟂ t
//!           F_p = M/ν,   F_u = −(M (t·p)/ν + t (M·k))/ν                                            (3)
//!
//! with ν = |u|, t = u/ν; F are what δu and δp do work on, per E I. Why m: `cable.rs`.

use super::cable::{Pair, Tangent};

/// κ of (1) with its derivatives by u and p.
pub struct PlaneBend<const D: usize> {
    pub curvature: f64,
    pub gradient: Pair<D>,
    /// |u|².
    square: f64,
    /// ∂(u × p)/∂u and by p.
    cross: Pair<D>,
    /// g₀.
    stretch: f64,
}

impl<const D: usize> PlaneBend<D> {
    pub fn new(stretch: f64, [u, p]: &Pair<D>) -> Self {
        let square = dot(u, u);
        let mut cross = [[0.0; D]; 2];
        (cross[0][0], cross[0][1]) = (p[1], -p[0]);
        (cross[1][0], cross[1][1]) = (-u[1], u[0]);
        let scale = 1.0 / (square * stretch);
        let curvature = (u[0] * p[1] - u[1] * p[0]) * scale;
        let mut gradient = cross.map(|part| part.map(|c| c * scale));
        for d in 0..D {
            gradient[0][d] -= 2.0 * curvature * u[d] / square;
        }
        Self { curvature, gradient, square, cross, stretch }
    }

    pub fn rate(&self, rate: &Pair<D>) -> f64 {
        dot(&self.gradient[0], &rate[0]) + dot(&self.gradient[1], &rate[1])
    }

    pub fn hessian(&self, [u, _]: &Pair<D>) -> Tangent<D> {
        let mut out = [[[[0.0; D]; 2]; D]; 2];
        let n = self.square;
        let scale = 1.0 / (n * self.stretch);
        for i in 0..D {
            for j in 0..D {
                let turned = self.cross[0][i] * u[j] + u[i] * self.cross[0][j];
                let unit = if i == j { 1.0 } else { 0.0 };
                out[0][i][0][j] = -2.0 * scale * turned / n
                    + self.curvature / n * (8.0 * u[i] * u[j] / n - 2.0 * unit);
                let skew = j as f64 - i as f64;
                let mixed = scale * (skew - 2.0 * u[i] * self.cross[1][j] / n);
                (out[0][i][1][j], out[1][j][0][i]) = (mixed, mixed);
            }
        }
        out
    }
}

/// Quantities of (2) and (3).
pub struct SpaceBend<const D: usize> {
    nu: f64,
    t: [f64; D],
    /// t · p.
    along: f64,
    pub k: [f64; D],
    /// ṗ − u̇ (t·p)/ν, of which y is the part across.
    z: [f64; D],
    y: [f64; D],
    /// T y.
    half: [f64; D],
    m: [f64; D],
    straight: f64,
}

/// T x.
fn turned<const D: usize>(k: &[f64; D], x: &[f64; D], straight: f64) -> [f64; D] {
    let (along, scale) = (dot(k, x), 1.0 / (dot(k, k) + straight));
    std::array::from_fn(|d| (k[d] * along + straight * x[d]) * scale)
}

impl<const D: usize> SpaceBend<D> {
    pub fn new([u, p]: &Pair<D>, [u_rate, p_rate]: &Pair<D>, straight: f64) -> Self {
        let nu = dot(u, u).sqrt();
        let t = u.map(|u| u / nu);
        let along = dot(&t, p);
        let k: [f64; D] = std::array::from_fn(|d| (p[d] - t[d] * along) / nu);
        let z: [f64; D] = std::array::from_fn(|d| p_rate[d] - u_rate[d] * along / nu);
        let (stretching, lengthwise) = (dot(&t, u_rate), dot(&t, &z));
        let y: [f64; D] =
            std::array::from_fn(|d| (z[d] - t[d] * lengthwise - k[d] * stretching) / nu);
        let half = turned(&k, &y, straight);
        let m = turned(&k, &half, straight);
        Self { nu, t, along, k, z, y, half, m, straight }
    }

    /// |T y|², of which m is half the gradient by y.
    pub fn rate_squared(&self) -> f64 {
        dot(&self.half, &self.half)
    }

    /// What δu and δp do work on, per E I.
    pub fn force(&self, delay: f64) -> Pair<D> {
        let moment: [f64; D] = std::array::from_fn(|d| self.k[d] + delay * self.m[d]);
        let h = dot(&moment, &self.k);
        let across = moment.map(|m| m / self.nu);
        let along =
            std::array::from_fn(|d| -(moment[d] * self.along / self.nu + self.t[d] * h) / self.nu);
        [along, across]
    }

    /// Change of `force` where u, p and their rates change.
    pub fn variation(
        &self,
        delay: f64,
        [_, p]: &Pair<D>,
        [u_rate, _]: &Pair<D>,
        [du, dp]: &Pair<D>,
        [du_rate, dp_rate]: &Pair<D>,
    ) -> Pair<D> {
        // Product rule, line by line of (2) and (3).
        let make = |f: &dyn Fn(usize) -> f64| -> [f64; D] { std::array::from_fn(f) };
        let Self { nu, t, along, k, z, y, half, m, straight } = self;
        let (nu, along, straight) = (*nu, *along, *straight);
        let d_nu = dot(t, du);
        let dt = make(&|d| (du[d] - t[d] * d_nu) / nu);
        let d_along = dot(&dt, p) + dot(t, dp);
        let dk = make(&|d| (dp[d] - dt[d] * along - t[d] * d_along - k[d] * d_nu) / nu);
        let stretching = dot(t, u_rate);
        let d_stretching = dot(&dt, u_rate) + dot(t, du_rate);
        let (ratio, d_ratio) = (along / nu, (d_along - along * d_nu / nu) / nu);
        let dz = make(&|d| dp_rate[d] - du_rate[d] * ratio - u_rate[d] * d_ratio);
        let (lengthwise, d_lengthwise) = (dot(t, z), dot(&dt, z) + dot(t, &dz));
        let dy = make(&|d| {
            (dz[d]
                - dt[d] * lengthwise
                - t[d] * d_lengthwise
                - dk[d] * stretching
                - k[d] * d_stretching
                - y[d] * d_nu)
                / nu
        });
        let (square, d_square) = (dot(k, k) + straight, 2.0 * dot(k, &dk));
        // Of T x, where x changes by dx.
        let d_turned = |x: &[f64; D], dx: &[f64; D], out: &[f64; D]| -> [f64; D] {
            let (beta, d_beta) = (dot(k, x), dot(&dk, x) + dot(k, dx));
            make(&|d| {
                (dk[d] * beta + k[d] * d_beta + straight * dx[d] - out[d] * d_square) / square
            })
        };
        let dm = d_turned(half, &d_turned(y, &dy, half), m);
        let moment = make(&|d| k[d] + delay * m[d]);
        let d_moment = make(&|d| dk[d] + delay * dm[d]);
        let (h, dh) = (dot(&moment, k), dot(&d_moment, k) + dot(&moment, &dk));
        let [force, across] = self.force(delay);
        [
            make(&|d| {
                -(d_moment[d] * ratio
                    + moment[d] * d_ratio
                    + dt[d] * h
                    + t[d] * dh
                    + force[d] * d_nu)
                    / nu
            }),
            make(&|d| (d_moment[d] - across[d] * d_nu) / nu),
        ]
    }
}

#[inline]
pub fn dot<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    let mut sum = 0.0;
    for d in 0..D {
        sum += a[d] * b[d];
    }
    sum
}
