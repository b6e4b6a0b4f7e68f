//! A straight beam element in space, of Euler and Bernoulli or of Timoshenko: shapes, strains, stiffness.
//!
//! Freedoms in section axes (x along the element), of its first node and then of its second:
//!
//!   a = (u_x, u_y, u_z, φ_x, φ_y, φ_z)₁, (…)₂                                              (1)
//!
//! u_x and φ_x are linear in ξ ∈ [0, 1]. In the plane x, y, with Φ = 12 E I_z/(k_y G A l²),
//!
//!   u_y = H · (u_y, φ_z)₁₂,   (1 + Φ) H = (1 − 3ξ² + 2ξ³ + Φ(1 − ξ),  l(ξ − 2ξ² + ξ³ + ½Φ(ξ − ξ²)),
//!                                          3ξ² − 2ξ³ + Φξ,            l(ξ³ − ξ² − ½Φ(ξ − ξ²)))     (2)
//!   φ_z = K · (u_y, φ_z)₁₂,   (1 + Φ) K = (6(ξ² − ξ)/l,  1 − 4ξ + 3ξ² + Φ(1 − ξ),
//!                                          6(ξ − ξ²)/l,  3ξ² − 2ξ + Φξ)                            (3)
//!
//! the exact solution of a beam without load between its nodes; Φ = 0 is Euler and Bernoulli's. The plane
//! x, z is the same for (u_z, −φ_y). Strains and stiffness:
//!
//!   ε = u_x′,  γ_y = u_y′ − φ_z,  γ_z = u_z′ + φ_y,  κ = φ′                                        (4)
//!   K = ∫ Bᵀ diag(EA, k_y GA, k_z GA, GJ, EI_y, EI_z) B dx                                         (5)
//!
//! Signs of strains and forces are those of `beam/section.rs`. References: Przemieniecki, *Theory of Matrix
//! Structural Analysis*; Friedman and Kosmatka, *An improved two-node Timoshenko beam finite element*, 1993.

use nalgebra::{SMatrix, SVector};

use crate::beam::gauss;
use crate::flexible::Section;

/// Freedoms of an element.
pub const FREEDOMS: usize = 12;

/// A vector field at one place, by freedom.
pub type Field = SMatrix<f64, 3, FREEDOMS>;
/// Strains (4) at one place, by freedom: ε, γ_y, γ_z, κ_x, κ_y, κ_z.
pub type Strains = SMatrix<f64, 6, FREEDOMS>;
/// A matrix over the freedoms.
pub type Square = SMatrix<f64, FREEDOMS, FREEDOMS>;

/// Freedoms of bending in the planes x, y and x, z, and the sign that makes the second like the first.
const PLANES: [([usize; 4], f64); 2] = [([1, 5, 7, 11], 1.0), ([2, 4, 8, 10], -1.0)];

#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// l, m.
    pub length: f64,
    /// Φ in both planes; zero without shear.
    shear: [f64; 2],
    /// Diagonal of (5).
    stiffness: SVector<f64, 6>,
}

/// (2) or (3) and its derivative by x.
struct Shapes {
    values: [f64; 4],
    slopes: [f64; 4],
}

impl Element {
    pub fn new(section: &Section, length: f64, shear: bool) -> Self {
        let s = section;
        let g = s.shear_modulus();
        let across = [s.shear_y, s.shear_z].map(|k| k * g * s.area);
        let ratio = |bending: f64, across: f64| match shear {
            true => 12.0 * bending / (across * length * length),
            false => 0.0,
        };
        let bending = [s.inertia_z, s.inertia_y].map(|i| s.young * i);
        Self {
            length,
            shear: [ratio(bending[0], across[0]), ratio(bending[1], across[1])],
            stiffness: SVector::from([
                s.young * s.area,
                across[0],
                across[1],
                g * s.torsion,
                bending[1],
                bending[0],
            ]),
        }
    }

    /// (2).
    fn across(&self, plane: usize, xi: f64) -> Shapes {
        let (l, phi) = (self.length, self.shear[plane]);
        let (x2, x3, part) = (xi * xi, xi * xi * xi, 1.0 / (1.0 + phi));
        let bow = 0.5 * phi * (xi - x2);
        Shapes {
            values: [
                1.0 - 3.0 * x2 + 2.0 * x3 + phi * (1.0 - xi),
                l * (xi - 2.0 * x2 + x3 + bow),
                3.0 * x2 - 2.0 * x3 + phi * xi,
                l * (x3 - x2 - bow),
            ]
            .map(|h| part * h),
            slopes: [
                (6.0 * (x2 - xi) - phi) / l,
                1.0 - 4.0 * xi + 3.0 * x2 + phi * (0.5 - xi),
                (6.0 * (xi - x2) + phi) / l,
                3.0 * x2 - 2.0 * xi - phi * (0.5 - xi),
            ]
            .map(|h| part * h),
        }
    }

    /// (3).
    fn turned(&self, plane: usize, xi: f64) -> Shapes {
        let (l, phi) = (self.length, self.shear[plane]);
        let (x2, part) = (xi * xi, 1.0 / (1.0 + phi));
        Shapes {
            values: [
                6.0 * (x2 - xi) / l,
                1.0 - 4.0 * xi + 3.0 * x2 + phi * (1.0 - xi),
                6.0 * (xi - x2) / l,
                3.0 * x2 - 2.0 * xi + phi * xi,
            ]
            .map(|k| part * k),
            slopes: [
                6.0 * (2.0 * xi - 1.0) / l,
                6.0 * xi - 4.0 - phi,
                6.0 * (1.0 - 2.0 * xi) / l,
                6.0 * xi - 2.0 + phi,
            ]
            .map(|k| part * k / l),
        }
    }

    /// Displacement of the line at ξ.
    pub fn place(&self, xi: f64) -> Field {
        let mut out = Field::zeros();
        (out[(0, 0)], out[(0, 6)]) = (1.0 - xi, xi);
        for (plane, (freedoms, sign)) in PLANES.iter().enumerate() {
            let shapes = self.across(plane, xi);
            for (k, &freedom) in freedoms.iter().enumerate() {
                out[(1 + plane, freedom)] = shapes.values[k] * signed(*sign, k);
            }
        }
        out
    }

    /// Rotation of the section at ξ.
    pub fn turn(&self, xi: f64) -> Field {
        let mut out = Field::zeros();
        (out[(0, 3)], out[(0, 9)]) = (1.0 - xi, xi);
        for (plane, (freedoms, sign)) in PLANES.iter().enumerate() {
            let shapes = self.turned(plane, xi);
            for (k, &freedom) in freedoms.iter().enumerate() {
                out[(2 - plane, freedom)] = sign * shapes.values[k] * signed(*sign, k);
            }
        }
        out
    }

    /// Slopes u_y′ and u_z′ of the line at ξ, in the second and third row.
    pub fn slope(&self, xi: f64) -> Field {
        let mut out = Field::zeros();
        for (plane, (freedoms, sign)) in PLANES.iter().enumerate() {
            let shapes = self.across(plane, xi);
            for (k, &freedom) in freedoms.iter().enumerate() {
                out[(1 + plane, freedom)] = shapes.slopes[k] * signed(*sign, k);
            }
        }
        out
    }

    /// (4) at ξ.
    pub fn strains(&self, xi: f64) -> Strains {
        let mut out = Strains::zeros();
        let along = 1.0 / self.length;
        (out[(0, 0)], out[(0, 6)]) = (-along, along);
        (out[(3, 3)], out[(3, 9)]) = (-along, along);
        for (plane, (freedoms, sign)) in PLANES.iter().enumerate() {
            let (line, section) = (self.across(plane, xi), self.turned(plane, xi));
            for (k, &freedom) in freedoms.iter().enumerate() {
                let own = signed(*sign, k);
                out[(1 + plane, freedom)] = (line.slopes[k] - section.values[k]) * own;
                out[(5 - plane, freedom)] = sign * section.slopes[k] * own;
            }
        }
        out
    }

    /// (5); κ is linear along the element, so two points are exact.
    pub fn stiffness(&self) -> Square {
        let mut out = Square::zeros();
        for &(xi, weight) in gauss(2) {
            let b = self.strains(xi);
            let mut weighted = b;
            for (mut row, k) in weighted.row_iter_mut().zip(&self.stiffness) {
                row *= k * weight * self.length;
            }
            out += b.transpose() * weighted;
        }
        out
    }

    /// What each strain costs, N or N m².
    pub fn rigidities(&self) -> &SVector<f64, 6> {
        &self.stiffness
    }

    /// ∫ N(x) (u_y′ u_y′ᵀ + u_z′ u_z′ᵀ) dx, N > 0 in tension given at the four points of Gauss.
    pub fn geometric_stiffness(&self, tension: [f64; 4]) -> Square {
        let mut out = Square::zeros();
        for (&(xi, weight), n) in gauss(4).iter().zip(tension) {
            let slope = self.slope(xi);
            out += slope.transpose() * slope * (n * weight * self.length);
        }
        out
    }
}

/// The sign of shape k in a plane: rotations of the second plane count the other way.
fn signed(plane: f64, k: usize) -> f64 {
    if k % 2 == 1 { plane } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    fn section() -> Section {
        Section::rectangle(0.03, 0.02, 2.1e11, 0.3, 7800.0)
    }

    /// Freedoms of both nodes for a displacement field and its rotation.
    fn freedoms(length: f64, field: impl Fn(f64) -> [Vector3<f64>; 2]) -> SVector<f64, 12> {
        let mut out = SVector::<f64, 12>::zeros();
        for (node, x) in [0.0, length].into_iter().enumerate() {
            let [u, turn] = field(x);
            out.fixed_rows_mut::<3>(6 * node).copy_from(&u);
            out.fixed_rows_mut::<3>(6 * node + 3).copy_from(&turn);
        }
        out
    }

    #[test]
    fn rigid_motions_cost_nothing_and_are_reproduced() {
        for shear in [false, true] {
            let element = Element::new(&section(), 0.4, shear);
            let (shift, turn) = (Vector3::new(0.3, -0.2, 0.5), Vector3::new(0.1, 0.7, -0.4));
            let line = |x: f64| [shift + turn.cross(&Vector3::new(x, 0.0, 0.0)), turn];
            let a = freedoms(0.4, line);
            for xi in [0.0, 0.3, 0.8, 1.0] {
                let [u, phi] = line(0.4 * xi);
                assert!((element.place(xi) * a - u).norm() < 1e-15);
                assert!((element.turn(xi) * a - phi).norm() < 1e-14);
                assert!((element.strains(xi) * a).norm() < 1e-14);
            }
            assert!((element.stiffness() * a).norm() < 1e-14 * element.stiffness().norm());
        }
    }

    /// A constant strain of every kind is reproduced exactly, whatever the length of the element.
    #[test]
    fn constant_strains_pass_the_patch_test() {
        let (bend, twist, stretch) = (0.02, 0.03, 1e-3);
        let line = |x: f64| {
            let u = Vector3::new(stretch * x, 0.5 * bend * x * x, -0.5 * bend * x * x);
            [u, Vector3::new(twist * x, bend * x, bend * x)]
        };
        for length in [0.1, 0.7] {
            for shear in [false, true] {
                let element = Element::new(&section(), length, shear);
                let a = freedoms(length, line);
                for xi in [0.0, 0.25, 0.9] {
                    let found = element.strains(xi) * a;
                    let exact = SVector::<f64, 6>::from([stretch, 0.0, 0.0, twist, bend, bend]);
                    assert!((found - exact).norm() < 1e-15, "{found} at {xi}");
                }
            }
        }
    }

    /// F l³/3EI + F l/kGA and F l²/2EI of a cantilever, in both planes, by one element.
    #[test]
    fn a_cantilever_bends_by_its_closed_form() {
        let (s, l, force) = (section(), 0.4, 100.0);
        let element = Element::new(&s, l, true);
        let k = element.stiffness();
        let end = k.fixed_view::<6, 6>(6, 6).into_owned();
        let inverse = end.try_inverse().expect("a clamped beam is stiff");
        let g = s.shear_modulus();
        for (axis, turn, sign, inertia, factor) in
            [(1, 5, 1.0, s.inertia_z, s.shear_y), (2, 4, -1.0, s.inertia_y, s.shear_z)]
        {
            let mut load = SVector::<f64, 6>::zeros();
            load[axis] = force;
            let u = inverse * load;
            let exact =
                force * l.powi(3) / (3.0 * s.young * inertia) + force * l / (factor * g * s.area);
            assert!((u[axis] / exact - 1.0).abs() < 1e-11);
            let slope = sign * force * l * l / (2.0 * s.young * inertia);
            assert!((u[turn] / slope - 1.0).abs() < 1e-11);
        }
    }

    #[test]
    fn shapes_are_integrals_of_their_slopes() {
        let h = 1e-6;
        for shear in [false, true] {
            let element = Element::new(&section(), 0.05, shear);
            for xi in [0.2, 0.6] {
                let step = 2.0 * h * element.length;
                let difference = (element.place(xi + h) - element.place(xi - h)) / step;
                let slope = element.slope(xi);
                assert!((difference - slope).rows(1, 2).amax() < 1e-7);
                let bend = (element.turn(xi + h) - element.turn(xi - h)) / step;
                let strains = element.strains(xi).fixed_rows::<3>(3).into_owned();
                assert!((bend - strains).amax() < 1e-6 * strains.amax());
            }
        }
    }

    /// Euler's load of a column clamped at one end, π²EI/4l², from K − P K_G, by four elements.
    #[test]
    fn a_column_buckles_at_eulers_load() {
        let (s, n, whole) = (section(), 4, 1.0);
        let element = Element::new(&s, whole / n as f64, false);
        let exact = std::f64::consts::PI.powi(2) * s.young * s.inertia_z / (4.0 * whole * whole);
        let determinant = |load: f64| {
            let own = element.stiffness() + element.geometric_stiffness([-load; 4]);
            let mut all = nalgebra::DMatrix::<f64>::zeros(2 * n + 2, 2 * n + 2);
            let own = |i: usize, j: usize| own[([1, 5, 7, 11][i], [1, 5, 7, 11][j])];
            for e in 0..n {
                for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                    all[(2 * e + i, 2 * e + j)] += own(i, j);
                }
            }
            all.view((2, 2), (2 * n, 2 * n)).into_owned().determinant()
        };
        let (below, above) = (determinant(0.9999 * exact), determinant(1.0002 * exact));
        assert!(below > 0.0 && above < 0.0, "{below} {above}");
    }
}
