//! Elastic and viscous forces of a cable element: the gradient along the line is all it has.
//!
//! With u = rₓ, p = rₓₓ, ν = |u|, t = u/ν, g₀ = |u| of the undeformed element and θ the time of Kelvin
//! and Voigt, integrated over the undeformed length by Gauss (`STRETCH`, `BEND` points),
//!
//!   ε = ν/g₀ − 1,   N = E A (ε + θ ε̇),   δW = ∫ N t·δu dx                                           (1)
//!   plane:  κ = (u × p)/(ν² g₀) − κ₀,   M = E I_z (κ + θ κ̇),   δW = ∫ M δκ g₀ dx                    (2)
//!   space:  k = (p − t (t·p))/ν = t′,   W = ½ E I |k|²,   y = k̇ − t (t·k̇)                           (3)
//!           M = E I (k + θ m),   m = T T y,   T = (k kᵀ + c²)/(|k|² + c²),   δW = ∫ M·δk dx      (4)
//!
//! κ and k are the turn of the tangent per undeformed length (Gerstmayr, Irschik 2008). A cable in space
//! does not know how its sections spin about the line, and damping that is both smooth at a straight line
//! and free of every rigid rotation does not exist: (4) damps the rate of |k|, half that of |k|², which
//! is objective, and where |k| ≪ c the whole of y. Where a bent cable spins about its tangent as a rigid
//! body at ω, y = ω t × k and T y = y c²/(|k|² + c²): the torque is at most θ E I c⁴ ω/|k|² per length,
//! c = 3e-4/L of the whole line, and never more than ¼ θ E I c² ω. Bending out of the plane in which a line is
//! bent (|k| ≫ c) is damped by the part of it that changes |k| alone.
//! Validity: in space I_y = I_z and a straight undeformed line.

use super::bend::{PlaneBend, SpaceBend, dot};
use super::shape::{Shape, gauss};

/// Gauss points along an element. Three of the stretch are the fewest without modes that cost nothing and lock
/// least: a clamped line of 16 elements at P L²/(E I) = 3 falls short of the elastica by 6.3e-5 with three,
/// 8.8e-5 with four and five.
pub const STRETCH: usize = 3;
pub const BEND: usize = 3;
/// c of (4) over 1/L.
const STRAIGHT: f64 = 3e-4;

/// Constants of a cable element, the same for all elements of a line.
#[derive(Clone, Debug)]
pub struct Cable<const D: usize> {
    stretch: Vec<Point>,
    bend: Vec<Point>,
    /// θ.
    delay: f64,
    /// c².
    straight: f64,
}

/// Weights of u and p of the four vectors of an element, stiffness times length and weight.
#[derive(Clone, Copy, Debug)]
struct Point {
    weights: [[f64; 4]; 2],
    stiffness: f64,
    /// g₀.
    stretch: f64,
    /// κ₀.
    curvature: f64,
}

/// u and p, or their rates, or forces on them.
pub type Pair<const D: usize> = [[f64; D]; 2];
/// A tangent of forces on (u, p).
pub type Tangent<const D: usize> = [[Pair<D>; D]; 2];

impl<const D: usize> Cable<D> {
    /// `axial` is E A, `bending` E I; `vectors` are the undeformed ones of an element, L the whole length.
    pub fn new(
        [axial, bending]: [f64; 2],
        delay: f64,
        length: f64,
        total: f64,
        vectors: &[f64],
    ) -> Self {
        let point = |stiffness: f64, (xi, weight): (f64, f64)| {
            let shape = Shape::at(xi, length, 2);
            let four = |w: [f64; 8]| [w[0], w[1], w[2], w[3]];
            let mut point = Point {
                weights: [four(shape.gradients[0]), four(shape.slopes[0])],
                stiffness: stiffness * weight * length,
                stretch: 1.0,
                curvature: 0.0,
            };
            let [u, p] = point.fields::<D>(vectors);
            point.stretch = dot(&u, &u).sqrt();
            if D == 2 {
                point.curvature = (u[0] * p[1] - u[1] * p[0]) / point.stretch.powi(3);
            }
            point
        };
        let points =
            |count, stiffness| gauss(count).iter().map(|at| point(stiffness, *at)).collect();
        Self {
            stretch: points(STRETCH, axial),
            bend: points(BEND, bending),
            delay,
            straight: (STRAIGHT / total).powi(2),
        }
    }

    /// Strain energy.
    pub fn energy(&self, q: &[f64]) -> f64 {
        let still = [0.0; 12];
        let still = &still[..4 * D];
        let sum = |points: &[Point], bending: bool| -> f64 {
            let one = |at: &Point| {
                let measure = match bending {
                    true => self.curvature(at, &at.fields(q), &at.fields(still)).0,
                    false => self.strain(at, &at.fields(q), &at.fields(still)).0,
                };
                0.5 * at.stiffness * at.stretch * measure
            };
            points.iter().map(one).sum()
        };
        sum(&self.stretch, false) + sum(&self.bend, true)
    }

    /// Dissipated power.
    pub fn dissipation(&self, q: &[f64], v: &[f64]) -> f64 {
        let stretch = self
            .stretch
            .iter()
            .map(|at| at.stiffness * at.stretch * self.strain(at, &at.fields(q), &at.fields(v)).1);
        let bend = self.bend.iter().map(|at| {
            at.stiffness * at.stretch * self.curvature(at, &at.fields(q), &at.fields(v)).1
        });
        self.delay * (stretch.sum::<f64>() + bend.sum::<f64>())
    }

    /// ε² and ε̇².
    fn strain(&self, at: &Point, z: &Pair<D>, rate: &Pair<D>) -> (f64, f64) {
        let nu = dot(&z[0], &z[0]).sqrt();
        let strain = nu / at.stretch - 1.0;
        (strain * strain, (dot(&z[0], &rate[0]) / (nu * at.stretch)).powi(2))
    }

    /// |κ|² and |κ̇|², in space |T y|².
    fn curvature(&self, at: &Point, z: &Pair<D>, rate: &Pair<D>) -> (f64, f64) {
        if D == 2 {
            let bend = PlaneBend::new(at.stretch, z);
            let rate = bend.rate(rate);
            return ((bend.curvature - at.curvature).powi(2), rate * rate);
        }
        let space = SpaceBend::new(z, rate, self.straight);
        (dot(&space.k, &space.k), space.rate_squared())
    }

    /// M of (2).
    fn moment(&self, at: &Point, bend: &PlaneBend<D>, rate: &Pair<D>) -> f64 {
        at.stiffness * (bend.curvature - at.curvature + self.delay * bend.rate(rate))
    }

    /// Forces on the vectors of an element, added.
    pub fn add_forces(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        for at in &self.stretch {
            let ([u, _], [rate, _]) = (at.fields::<D>(q), at.fields::<D>(v));
            let nu = dot(&u, &u).sqrt();
            let strain = nu / at.stretch - 1.0;
            let strain_rate = dot(&u, &rate) / (nu * at.stretch);
            let tension = at.stiffness * (strain + self.delay * strain_rate);
            at.add(out, &[u.map(|u| -tension * u / nu), [0.0; D]]);
        }
        for at in &self.bend {
            let (z, rate) = (at.fields::<D>(q), at.fields::<D>(v));
            let force = match D {
                2 => {
                    let bend = PlaneBend::new(at.stretch, &z);
                    let moment = self.moment(at, &bend, &rate) * at.stretch;
                    bend.gradient.map(|part| part.map(|g| -moment * g))
                }
                _ => SpaceBend::new(&z, &rate, self.straight)
                    .force(self.delay)
                    .map(|part| part.map(|f| -at.stiffness * f)),
            };
            at.add(out, &force);
        }
    }

    /// ∂(−f)/∂q and ∂(−f)/∂q̇ of an element as dense blocks by rows.
    pub fn update_tangents(&self, q: &[f64], v: &[f64], k: &mut [f64], d: &mut [f64]) {
        k.fill(0.0);
        d.fill(0.0);
        let zero: Tangent<D> = [[[[0.0; D]; 2]; D]; 2];
        for at in &self.stretch {
            let (mut stiffness, mut damping) = (zero, zero);
            self.stretch_tangent(at, &at.fields(q), &at.fields(v), &mut stiffness, &mut damping);
            at.spread(k, &stiffness);
            at.spread(d, &damping);
        }
        for at in &self.bend {
            let (z, rate) = (at.fields::<D>(q), at.fields::<D>(v));
            let (mut stiffness, mut damping) = (zero, zero);
            match D {
                2 => self.plane_tangent(at, &z, &rate, &mut stiffness, &mut damping),
                _ => self.space_tangent(at, &z, &rate, &mut stiffness, &mut damping),
            }
            at.spread(k, &stiffness);
            at.spread(d, &damping);
        }
    }

    /// Of (1): δN t + N δt, with δt = (δu − t t·δu)/ν.
    fn stretch_tangent(
        &self,
        at: &Point,
        [u, _]: &Pair<D>,
        [rate, _]: &Pair<D>,
        stiffness: &mut Tangent<D>,
        damping: &mut Tangent<D>,
    ) {
        let nu = dot(u, u).sqrt();
        let t = u.map(|u| u / nu);
        let along = dot(&t, rate);
        let per = at.stiffness / at.stretch;
        let tension = at.stiffness * (nu / at.stretch - 1.0) + per * self.delay * along;
        for i in 0..D {
            for j in 0..D {
                let across = if i == j { 1.0 - t[i] * t[j] } else { -t[i] * t[j] };
                let turned = self.delay * (rate[j] - t[j] * along) / nu;
                stiffness[0][i][0][j] = per * t[i] * (t[j] + turned) + tension * across / nu;
                damping[0][i][0][j] = self.delay * per * t[i] * t[j];
            }
        }
    }

    /// Of (2): E I g (g + θ H ż)ᵀ + M H with g and H the derivatives of κ by z = (u, p).
    fn plane_tangent(
        &self,
        at: &Point,
        z: &Pair<D>,
        rate: &Pair<D>,
        stiffness: &mut Tangent<D>,
        damping: &mut Tangent<D>,
    ) {
        let bend = PlaneBend::new(at.stretch, z);
        let moment = self.moment(at, &bend, rate) * at.stretch;
        let hessian = bend.hessian(z);
        let weight = at.stiffness * at.stretch;
        for (a, i) in (0..2).flat_map(|a| (0..D).map(move |i| (a, i))) {
            for (b, j) in (0..2).flat_map(|b| (0..D).map(move |j| (b, j))) {
                let turned: f64 = (0..2).map(|c| dot(&hessian[b][j][c], &rate[c])).sum();
                let (left, right) = (weight * bend.gradient[a][i], bend.gradient[b][j]);
                stiffness[a][i][b][j] =
                    left * (right + self.delay * turned) + moment * hessian[a][i][b][j];
                damping[a][i][b][j] = self.delay * left * right;
            }
        }
    }

    /// Of (3) and (4), direction by direction.
    fn space_tangent(
        &self,
        at: &Point,
        z: &Pair<D>,
        rate: &Pair<D>,
        stiffness: &mut Tangent<D>,
        damping: &mut Tangent<D>,
    ) {
        let bend = SpaceBend::new(z, rate, self.straight);
        for (b, j) in (0..2).flat_map(|b| (0..D).map(move |j| (b, j))) {
            let mut unit = [[0.0; D]; 2];
            unit[b][j] = 1.0;
            let zero = [[0.0; D]; 2];
            let by_place = bend.variation(self.delay, z, rate, &unit, &zero);
            for (a, i) in (0..2).flat_map(|a| (0..D).map(move |i| (a, i))) {
                stiffness[a][i][b][j] = at.stiffness * by_place[a][i];
            }
            if self.delay > 0.0 {
                let by_rate = bend.variation(self.delay, z, rate, &zero, &unit);
                for (a, i) in (0..2).flat_map(|a| (0..D).map(move |i| (a, i))) {
                    damping[a][i][b][j] = at.stiffness * by_rate[a][i];
                }
            }
        }
    }
}

impl Point {
    /// u and p of the vectors of an element.
    #[inline]
    fn fields<const D: usize>(&self, vectors: &[f64]) -> Pair<D> {
        let mut out = [[0.0; D]; 2];
        for (k, vector) in vectors.chunks_exact(D).take(4).enumerate() {
            for d in 0..D {
                out[0][d] += self.weights[0][k] * vector[d];
                out[1][d] += self.weights[1][k] * vector[d];
            }
        }
        out
    }

    #[inline]
    fn add<const D: usize>(&self, out: &mut [f64], force: &Pair<D>) {
        for (k, out) in out.chunks_exact_mut(D).take(4).enumerate() {
            for d in 0..D {
                out[d] += self.weights[0][k] * force[0][d] + self.weights[1][k] * force[1][d];
            }
        }
    }

    fn spread<const D: usize>(&self, block: &mut [f64], tangent: &Tangent<D>) {
        for (row, block) in block.chunks_exact_mut(4 * D).enumerate() {
            let (k, i) = (row / D, row % D);
            let mut half = [[0.0; D]; 2];
            for b in 0..2 {
                for j in 0..D {
                    half[b][j] = self.weights[0][k] * tangent[0][i][b][j]
                        + self.weights[1][k] * tangent[1][i][b][j];
                }
            }
            for (l, to) in block.chunks_exact_mut(D).enumerate() {
                for j in 0..D {
                    to[j] += self.weights[0][l] * half[0][j] + self.weights[1][l] * half[1][j];
                }
            }
        }
    }
}
