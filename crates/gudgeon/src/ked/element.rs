//! The planar Euler–Bernoulli frame element: constant matrices in its own axes.
//!
//! Coordinates δ = (p₁, v₁, θ₁, p₂, v₂, θ₂): displacements along and across the undeformed line and rotations of both
//! nodes. With ξ = x/L the displacement inside is q = N δ,
//!
//!   p = (1 − ξ) p₁ + ξ p₂,   v = H₁ v₁ + H₂ θ₁ + H₃ v₂ + H₄ θ₂                                   (1)
//!   H₁ = 1 − 3ξ² + 2ξ³, H₂ = L(ξ − 2ξ² + ξ³), H₃ = 3ξ² − 2ξ³, H₄ = L(ξ³ − ξ²)
//!
//! and with ρA = m, ρI = r, Ω the turn by a right angle,
//!
//!   M_t = ∫ NᵀN m dx,   M_r = ∫ v′ᵀv′ r dx,   B = ∫ NᵀΩN m dx,   K = ∫ (EA p′ᵀp′ + EI v″ᵀv″) dx      (2)
//!   K_G = F ∫ v′ᵀv′ dx, F the axial force, positive in tension                                     (3)
//!
//! Loads of the acceleration a of the rigid motion, which along the element is
//! a(x) = a₁ + α z × x − ω² x, linear:
//!
//!   exact    (M_t + M_r)(a₁, α, a₂, α)          since (1) holds a(x) exactly                     (4)
//!   case 2   (M_t + M_r)(a₁, 0, a₂, 0)          the elastic shape without rotations of nodes (hac, (25))   (5)
//!   case 1   ∫ NᵀN₀ m dx (a₁, a₂)               N₀ = [½ 0 ½ 0; 0 1−ξ 0 ξ] (hac, (22))            (6)
//!
//! Case 2 bends what should be straight; case 1 puts the mean of the axial accelerations everywhere.
//! References: hac; Przemieniecki, Theory of Matrix Structural Analysis, 1968.

use nalgebra::{Matrix6, Vector2, Vector6};

use super::Case;
use crate::flexible::Section;

/// An element by its length and section.
#[derive(Clone, Debug)]
pub struct Element {
    /// L, m.
    pub length: f64,
    /// EA, N.
    pub axial: f64,
    /// M_t, M_t + M_r, B and K of (2).
    pub translating: Matrix6<f64>,
    pub mass: Matrix6<f64>,
    pub turning: Matrix6<f64>,
    pub stiffness: Matrix6<f64>,
    /// K_G of (3) under a unit force.
    pub geometric: Matrix6<f64>,
    /// Mass of the element, kg.
    pub weight: f64,
}

impl Element {
    pub fn new(section: &Section, length: f64) -> Self {
        let (l, m) = (length, section.mass_per_length);
        let (axial, bending) = (section.young * section.area, section.young * section.inertia_z);
        let slopes = slopes(l);
        let rotary = match section.rotary {
            true => m / section.area * section.inertia_z,
            false => 0.0,
        };
        let translating = translating(l) * m;
        Self {
            length,
            axial,
            translating,
            mass: translating + slopes * rotary,
            turning: turning(l) * m,
            stiffness: stiffness(l, axial, bending),
            geometric: slopes,
            weight: m * l,
        }
    }

    /// Load of the rigid motion on the nodes: its accelerations at both ends in axes of the element, and α.
    pub fn inertia_load(&self, case: Case, ends: [Vector2<f64>; 2], alpha: f64) -> Vector6<f64> {
        let [a, b] = ends;
        match case {
            Case::Exact => -self.mass * Vector6::new(a.x, a.y, alpha, b.x, b.y, alpha), // (4)
            Case::Difference => {
                self.inertia_load(Case::Two, ends, alpha)
                    - self.inertia_load(Case::One, ends, alpha)
            }
            Case::Two => -self.mass * Vector6::new(a.x, a.y, 0.0, b.x, b.y, 0.0), // (5)
            Case::One => {
                let mean = 0.5 * (a.x + b.x);
                let [first, second] = straight(self.length);
                let across = first * a.y + second * b.y;
                let along = Vector6::new(0.5 * mean, 0.0, 0.0, 0.5 * mean, 0.0, 0.0);
                -self.weight * (along + across) // (6)
            }
        }
    }

    /// Axial strain, curvature and its slope at ξ.
    pub fn strains(&self, delta: &Vector6<f64>, xi: f64) -> [f64; 3] {
        let l = self.length;
        let [_, v1, t1, _, v2, t2] = <[f64; 6]>::from(*delta);
        let curvature =
            ((12.0 * xi - 6.0) * (v1 - v2) / l + (6.0 * xi - 4.0) * t1 + (6.0 * xi - 2.0) * t2) / l;
        let slope = (12.0 * (v1 - v2) / l + 6.0 * (t1 + t2)) / (l * l);
        [(delta[3] - delta[0]) / l, curvature, slope]
    }

    /// Displacement along and across, and rotation, at ξ (1).
    pub fn displacement(&self, delta: &Vector6<f64>, xi: f64) -> [f64; 3] {
        let (h, d) = (shape(xi, self.length), shape_slopes(xi, self.length));
        let across = Vector6::new(0.0, h[0], h[1], 0.0, h[2], h[3]);
        let slope = Vector6::new(0.0, d[0], d[1], 0.0, d[2], d[3]);
        [(1.0 - xi) * delta[0] + xi * delta[3], across.dot(delta), slope.dot(delta)]
    }

    /// Loads on the nodes of a force in axes of the element and a moment at ξ.
    pub fn load_at(&self, xi: f64, force: Vector2<f64>, moment: f64) -> Vector6<f64> {
        let (h, d) = (shape(xi, self.length), shape_slopes(xi, self.length));
        let across = Vector6::new(0.0, h[0], h[1], 0.0, h[2], h[3]);
        let slope = Vector6::new(0.0, d[0], d[1], 0.0, d[2], d[3]);
        let along = Vector6::new(1.0 - xi, 0.0, 0.0, xi, 0.0, 0.0);
        along * force.x + across * force.y + slope * moment
    }

    /// ½ δᵀKδ.
    pub fn strain_energy(&self, delta: &Vector6<f64>) -> f64 {
        0.5 * delta.dot(&(self.stiffness * delta))
    }
}

/// H₁ … H₄.
fn shape(xi: f64, l: f64) -> [f64; 4] {
    let (x2, x3) = (xi * xi, xi * xi * xi);
    [1.0 - 3.0 * x2 + 2.0 * x3, l * (xi - 2.0 * x2 + x3), 3.0 * x2 - 2.0 * x3, l * (x3 - x2)]
}

/// Their derivatives by x.
fn shape_slopes(xi: f64, l: f64) -> [f64; 4] {
    let x2 = xi * xi;
    let steep = 6.0 * (x2 - xi) / l;
    [steep, 1.0 - 4.0 * xi + 3.0 * x2, -steep, 3.0 * x2 - 2.0 * xi]
}

/// ∫ NᵀN dx.
fn translating(l: f64) -> Matrix6<f64> {
    let (a, b) = (l / 3.0, l / 6.0);
    let k = l / 420.0;
    let (l1, l2) = (l * k, l * l * k);
    Matrix6::new(
        a,
        0.0,
        0.0,
        b,
        0.0,
        0.0, //
        0.0,
        156.0 * k,
        22.0 * l1,
        0.0,
        54.0 * k,
        -13.0 * l1, //
        0.0,
        22.0 * l1,
        4.0 * l2,
        0.0,
        13.0 * l1,
        -3.0 * l2, //
        b,
        0.0,
        0.0,
        a,
        0.0,
        0.0, //
        0.0,
        54.0 * k,
        13.0 * l1,
        0.0,
        156.0 * k,
        -22.0 * l1, //
        0.0,
        -13.0 * l1,
        -3.0 * l2,
        0.0,
        -22.0 * l1,
        4.0 * l2,
    )
}

/// ∫ v′ᵀv′ dx.
fn slopes(l: f64) -> Matrix6<f64> {
    let (a, b, c, d) = (1.2 / l, 0.1, 2.0 * l / 15.0, -l / 30.0);
    Matrix6::new(
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, //
        0.0, a, b, 0.0, -a, b, //
        0.0, b, c, 0.0, -b, d, //
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, //
        0.0, -a, -b, 0.0, a, -b, //
        0.0, b, d, 0.0, -b, c,
    )
}

/// ∫ H (1 − ξ) dξ and ∫ H ξ dξ, as loads across.
fn straight(l: f64) -> [Vector6<f64>; 2] {
    [
        Vector6::new(0.0, 0.35, l / 20.0, 0.0, 0.15, -l / 30.0),
        Vector6::new(0.0, 0.15, l / 30.0, 0.0, 0.35, -l / 20.0),
    ]
}

/// ∫ NᵀΩN dx: skew.
fn turning(l: f64) -> Matrix6<f64> {
    let mut b = Matrix6::zeros();
    for (axial, across) in [0, 3].into_iter().zip(straight(l)) {
        for i in [1, 2, 4, 5] {
            b[(i, axial)] = l * across[i];
            b[(axial, i)] = -l * across[i];
        }
    }
    b
}

fn stiffness(l: f64, axial: f64, bending: f64) -> Matrix6<f64> {
    let e = axial / l;
    let k = bending / l.powi(3);
    let (a, b, c, d) = (12.0 * k, 6.0 * l * k, 4.0 * l * l * k, 2.0 * l * l * k);
    Matrix6::new(
        e, 0.0, 0.0, -e, 0.0, 0.0, //
        0.0, a, b, 0.0, -a, b, //
        0.0, b, c, 0.0, -b, d, //
        -e, 0.0, 0.0, e, 0.0, 0.0, //
        0.0, -a, -b, 0.0, a, -b, //
        0.0, b, d, 0.0, -b, c,
    )
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix2x6;

    use super::*;

    fn element() -> Element {
        let section = Section::rectangle(0.01, 0.02, 2.1e11, 0.3, 7800.0);
        Element::new(&section, 0.37)
    }

    /// N of (1), and v′, at ξ.
    fn fields(e: &Element, xi: f64) -> (Matrix2x6<f64>, Vector6<f64>) {
        let mut n = Matrix2x6::zeros();
        let mut slope = Vector6::zeros();
        for i in 0..6 {
            let mut unit = Vector6::zeros();
            unit[i] = 1.0;
            let [p, v, turn] = e.displacement(&unit, xi);
            n[(0, i)] = p;
            n[(1, i)] = v;
            slope[i] = turn;
        }
        (n, slope)
    }

    /// Five Gauss points: exact up to order 9.
    fn integral<T>(mut sum: T, l: f64, mut f: impl FnMut(f64) -> T) -> T
    where
        T: std::ops::AddAssign + std::ops::Mul<f64, Output = T>,
    {
        for (x, w) in crate::beam::gauss(5) {
            sum += f(*x) * (w * l);
        }
        sum
    }

    #[test]
    fn matrices_are_the_integrals_of_their_shapes() {
        let e = element();
        let m = e.weight / e.length;
        let omega = nalgebra::Matrix2::new(0.0, -1.0, 1.0, 0.0);
        let translating = integral(Matrix6::zeros(), e.length, |x| {
            let (n, _) = fields(&e, x);
            n.transpose() * n * m
        });
        assert!((translating - e.translating).norm() < 1e-12 * translating.norm());
        let turning = integral(Matrix6::zeros(), e.length, |x| {
            let (n, _) = fields(&e, x);
            n.transpose() * omega * n * m
        });
        assert!((turning - e.turning).norm() < 1e-12 * turning.norm());
        let geometric = integral(Matrix6::zeros(), e.length, |x| {
            let (_, slope) = fields(&e, x);
            slope * slope.transpose()
        });
        assert!((geometric - e.geometric).norm() < 1e-12 * geometric.norm());
        let bending = 2.1e11 * 0.02 * 0.01_f64.powi(3) / 12.0;
        let stiffness = integral(Matrix6::zeros(), e.length, |x| {
            let mut rows = [Vector6::zeros(); 2];
            for i in 0..6 {
                let mut unit = Vector6::zeros();
                unit[i] = 1.0;
                let [strain, curvature, _] = e.strains(&unit, x);
                (rows[0][i], rows[1][i]) = (strain, curvature);
            }
            rows[0] * rows[0].transpose() * e.axial + rows[1] * rows[1].transpose() * bending
        });
        assert!((stiffness - e.stiffness).norm() < 1e-12 * stiffness.norm());
    }

    #[test]
    fn loads_are_the_integrals_of_the_accelerations_they_assume() {
        let e = element();
        let (alpha, omega) = (37.0, 5.0);
        let first = Vector2::new(3.0, -2.0);
        let second = first + Vector2::new(-omega * omega, alpha) * e.length;
        let m = e.weight / e.length;
        let load = |case| e.inertia_load(case, [first, second], alpha);
        let of = |a: &dyn Fn(f64) -> Vector2<f64>| {
            -integral(Vector6::zeros(), e.length, |x| fields(&e, x).0.transpose() * a(x) * m)
        };
        let line = |x: f64| first * (1.0 - x) + second * x;
        let rotary = -(e.mass - e.translating) * Vector6::new(0.0, 0.0, alpha, 0.0, 0.0, alpha);
        let straight = Vector6::new(0.0, first.y, 0.0, 0.0, second.y, 0.0);
        let rotary = rotary - (e.mass - e.translating) * straight;
        let exact = of(&line) + rotary;
        assert!((load(Case::Exact) - exact).norm() < 1e-12 * exact.norm());
        let one = of(&|x| Vector2::new(0.5 * (first.x + second.x), line(x).y));
        assert!((load(Case::One) - one).norm() < 1e-12 * one.norm());
        // The sum of the forces is the same in all cases, and that is the mass times the mean acceleration.
        for case in [Case::One, Case::Two, Case::Exact] {
            let load = load(case);
            let sum = Vector2::new(load[0] + load[3], load[1] + load[4]);
            assert!((sum + (first + second) * (0.5 * e.weight)).norm() < 1e-12 * sum.norm());
        }
    }
}
