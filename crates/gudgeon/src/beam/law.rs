//! Stiffness H of beams with all gradients, in three quadratures.
//!
//! *Continuum.* Green's strain against the interpolated undeformed element, with the gradients G of the
//! element and J₀ those of its undeformed vectors, in axes R₀ of the undeformed section:
//!
//!   E = ½ (R₀ᵀ J₀⁻ᵀ GᵀG J₀⁻¹ R₀ − 1),   W = ½ ∫ E : C : E det J₀ dV                                (1)
//!
//! at 5 Gauss points along x and at y = ±√(I_z/A), z = ±√(I_y/A), a quarter of A each (2 × 2 Gauss points
//! of a rectangle; two points in the plane). C is Hooke's law of E and ν, in the plane that of plane
//! stress; there is no shear correction.
//! *Selective* (Gerstmayr, Matikainen, Mikkola 2008). C = C₀ + C_ν: C₀ = diag(E …, G …) at the points of
//! the section, the rest on the line only (5 points, weight A).
//! *Line.* With g₀ = |rₓ| of the undeformed element (one where it is straight) and minus undeformed values,
//!
//!   ε = ½ (rₓ·rₓ/g₀² − γᵧ² − γ_z²)  (E A),   κ_z = rₓₓ·rᵧ/(g₀ ν)  (E I_z),   −κ_y = rₓₓ·r_z/(g₀ ν)  (E I_y)  (2)
//!   κ(ξ) = κ̄ + (2ξ − 1) κ₁,  κ̄ = ⅓ (κ(0) + κ(½) + κ(1)) − (γ(1) − γ(0))/l,  κ₁ = ½ (κ(1) − κ(0))   (3)
//!   τ = ½ (rᵧₓ·r_z − r_zₓ·rᵧ)/g₀  (G J)                                                            (4)
//!   at the nodes, half of the length each:  γᵧ = rₓ·rᵧ (k_y G A),  γ_z = rₓ·r_z (k_z G A),
//!   ½ rᵧ·rᵧ, ½ r_z·r_z (E A),  rᵧ·r_z (G A)                                                        (5)
//!
//! (3) has the energy E I l (κ̄² + ⅓ κ₁²)/2. The turn of the sections is that of the line less the change of the
//! shear γ = rₓ·rᵧ, linear between the nodes: a line under end forces is exact at its nodes, with shear, as
//! long as deflections are small. On an element bent by φ, rₓₓ·rᵧ is φ²/12 too large at the nodes, where the
//! cubic line is, and φ²/6 too small in the middle, where the linear rᵧ is too short; their mean errs by
//! φ⁴/360 only. (4) is constant along an element.
//! ν = |rₓ| |rᵧ| (or |r_z|), means over the element, takes the stretch of line and section out of κ, and γ that of
//! a sheared line out of ε (`measures.rs`): W is that of Reissner's and Simo's beams up to the division.
//! A clamp that holds rₓ beside the section (r, rᵧ, r_z) allows no shear at its node.
//! Strains are linear in the inner products of the element's vectors (`products.rs`), so all of this is
//! a constant matrix.

use nalgebra::{Matrix3, Vector3};

use super::measures::{Bend, Kind};
use super::products::{Products, Row};
use super::shape::{NODES, Shape, Weights, gauss};
use crate::flexible::{Elasticity, Section};

/// Gauss points along an element: of the continuum, and of ε of the line. Three of the latter are the fewest
/// without modes that cost nothing and lock least: a clamped line of 16 elements at P L²/(E I) = 3 falls short
/// of the elastica by 3.6e-5 with three, 6.1e-5 with four and five.
pub const CONTINUUM: usize = 5;
pub const STRETCH: usize = 3;

/// Places ξ and shares of κ in κ̄ and κ₁ of (3).
pub const BEND: [(f64, [f64; 2]); 3] =
    [(0.0, [1.0 / 6.0, -0.5]), (0.5, [2.0 / 3.0, 0.0]), (1.0, [1.0 / 6.0, 0.5])];

/// The law of one element, all elements being congruent; `vectors` are its undeformed ones.
pub fn law<const X: usize, const A: usize, const D: usize>(
    section: &Section,
    elasticity: Elasticity,
    length: f64,
    delay: f64,
    vectors: &[f64],
) -> Products<X, A, D> {
    let mut builder = Builder::<X, A, D> {
        section,
        length,
        vectors,
        products: Products::new(length, delay, vectors),
    };
    let (full, plain) = (hooke(section, D), plain(section, D));
    let rest: Vec<f64> = full.iter().zip(&plain).map(|(all, part)| all - part).collect();
    match elasticity {
        Elasticity::Continuum => builder.add_continuum(&full, Across::Section),
        Elasticity::Selective => {
            builder.add_continuum(&plain, Across::Section);
            builder.add_continuum(&rest, Across::Line);
        }
        Elasticity::Line => {
            builder.add_line();
            builder.add_nodes();
        }
    }
    builder.products.finish();
    builder.products
}

/// Pairs of axes of the strains, normal ones first; shears are γ = 2 E.
pub fn pairs(dimension: usize) -> &'static [(usize, usize)] {
    match dimension {
        2 => &[(0, 0), (1, 1), (0, 1)],
        _ => &[(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)],
    }
}

/// C of Hooke, by rows over `pairs`.
pub fn hooke(section: &Section, dimension: usize) -> Vec<f64> {
    let (normal, side) = normal_hooke(section, dimension);
    diagonal(section, dimension, |i, j| match i == j {
        true => normal,
        false => side,
    })
}

/// Entries of C between normal strains: diagonal and beside.
pub fn normal_hooke(section: &Section, dimension: usize) -> (f64, f64) {
    let (e, nu) = (section.young, section.poisson);
    let side = match dimension {
        2 => e * nu / (1.0 - nu * nu),
        _ => e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)),
    };
    (side + 2.0 * section.shear_modulus(), side)
}

/// C₀.
fn plain(section: &Section, dimension: usize) -> Vec<f64> {
    diagonal(section, dimension, |i, j| if i == j { section.young } else { 0.0 })
}

fn diagonal(section: &Section, dimension: usize, law: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let count = pairs(dimension).len();
    let mut out = vec![0.0; count * count];
    for i in 0..count {
        out[i * count + i] = section.shear_modulus();
    }
    for i in 0..dimension {
        for j in 0..dimension {
            out[i * count + j] = law(i, j);
        }
    }
    out
}

/// Where a law is integrated.
#[derive(Clone, Copy)]
enum Across {
    Section,
    Line,
}

/// Points of a section with their shares of the area.
pub fn section_points(
    section: &Section,
    dimension: usize,
) -> impl Iterator<Item = (f64, f64, f64)> + use<> {
    let y = (section.inertia_z / section.area).sqrt();
    let z = (section.inertia_y / section.area).sqrt();
    let points = match dimension {
        2 => [(-y, 0.0, 0.5), (y, 0.0, 0.5), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)],
        _ => [(-y, -z, 0.25), (-y, z, 0.25), (y, -z, 0.25), (y, z, 0.25)],
    };
    points.into_iter().take(if dimension == 2 { 2 } else { 4 })
}

struct Builder<'a, const X: usize, const A: usize, const D: usize> {
    section: &'a Section,
    length: f64,
    vectors: &'a [f64],
    products: Products<X, A, D>,
}

impl<const X: usize, const A: usize, const D: usize> Builder<'_, X, A, D> {
    fn shape(&self, xi: f64) -> Shape {
        Shape::at(xi, self.length, X.div_ceil(2))
    }

    /// Weights over X of a field without translations.
    fn relative(&self, weights: &Weights) -> [f64; X] {
        let half = X.div_ceil(2);
        let mut out = [0.0; X];
        out[0] = self.length * weights[half];
        for k in 1..half {
            out[k] = weights[k];
            out[k + X / 2] = weights[half + k];
        }
        out
    }

    /// A field of the undeformed element.
    fn undeformed(&self, weights: &Weights) -> Vector3<f64> {
        combine::<D>(weights, X + 1, self.vectors)
    }

    /// (1).
    fn add_continuum(&mut self, law: &[f64], across: Across) {
        let points = match across {
            Across::Section => section_points(self.section, D).collect(),
            Across::Line => vec![(0.0, 0.0, 1.0)],
        };
        for &(xi, weight) in gauss(CONTINUUM) {
            let shape = self.shape(xi);
            let axes = axes(&shape.gradients.map(|weights| self.undeformed(&weights)), D);
            for &(y, z, share) in &points {
                let gradients = gradients(&shape, y, z);
                let mut columns = gradients.map(|weights| self.undeformed(&weights));
                if D == 2 {
                    columns[2] = Vector3::z();
                }
                let undeformed = Matrix3::from_columns(&columns);
                let Some(inverse) = undeformed.try_inverse() else { continue };
                let turn = inverse * axes;
                let along = gradients.map(|weights| self.relative(&weights));
                let mut turned = [[0.0; X]; 3];
                for k in 0..X {
                    for m in 0..3 {
                        turned[m][k] = (0..3).map(|i| along[i][k] * turn[(i, m)]).sum();
                    }
                }
                let rows: Vec<Row<X>> = pairs(D)
                    .iter()
                    .map(|&(i, j)| outer(&turned[i], &turned[j], if i == j { 0.5 } else { 1.0 }))
                    .collect();
                let volume = weight * share * self.section.area * self.length;
                self.products.add_stiffness(&rows, law, volume * undeformed.determinant());
            }
        }
    }

    /// Adds one strain with its stiffness per length.
    fn add_row(&mut self, pairs: &[(&Weights, &Weights, f64)], stiffness: f64) {
        let row = self.row(pairs);
        self.products.add_stiffness(&[row], &[1.0], stiffness * self.length);
    }

    /// A linear functional: Σ over its pairs of fields.
    fn row(&self, pairs: &[(&Weights, &Weights, f64)]) -> Row<X> {
        let mut row = [[0.0; X]; X];
        for &(left, right, factor) in pairs {
            let part = outer(&self.relative(left), &self.relative(right), factor);
            for (to, from) in row.iter_mut().flatten().zip(part.iter().flatten()) {
                *to += from;
            }
        }
        row
    }

    /// (2) to (4).
    fn add_line(&mut self) {
        let s = *self.section;
        let (mut rows, mut measures) = (Vec::new(), Vec::new());
        // p at the Gauss points and the nodes, rₓₓ·rₓ; of each axis rₓₓ·r, rₓ·r and r·r; at the nodes and in the
        // middle.
        let places = gauss(STRETCH).iter().map(|(xi, _)| *xi).chain([0.0, 1.0]);
        for xi in places {
            let Shape { gradients: [x, ..], .. } = self.shape(xi);
            rows.push(self.row(&[(&x, &x, 1.0 / self.undeformed(&x).norm_squared())]));
        }
        let lines = [STRETCH, STRETCH / 2, STRETCH + 1];
        let shapes = BEND.map(|(xi, _)| self.shape(xi));
        let g = shapes.each_ref().map(|shape| self.undeformed(&shape.gradients[0]).norm());
        for (shape, g) in shapes.iter().zip(g) {
            rows.push(self.row(&[(&shape.slopes[0], &shape.gradients[0], 1.0 / (g * g))]));
        }
        let first = |axis: usize| STRETCH + 5 + 9 * axis;
        for (at, &(xi, weight)) in gauss(STRETCH).iter().enumerate() {
            let length = self.undeformed(&self.shape(xi).gradients[0]).norm();
            let shears = [0, 1].map(|axis| [first(axis) + 3, first(axis) + 5]);
            let kind = Kind::Stretch { along: at, shears, shares: [1.0 - xi, xi], axes: D - 1 };
            measures.push((kind, s.young * s.area * weight * length * self.length));
        }
        for (axis, inertia) in [(1, s.inertia_z), (2, s.inertia_y)].into_iter().take(D - 1) {
            let at = first(axis - 1);
            let row =
                |field: Weights, shape: &Shape| self.row(&[(&field, &shape.gradients[axis], 1.0)]);
            rows.extend(shapes.iter().map(|shape| row(shape.slopes[0], shape)));
            rows.extend(shapes.iter().map(|shape| row(shape.gradients[0], shape)));
            rows.extend(shapes.iter().map(|shape| row(shape.gradients[axis], shape)));
            for (part, share) in [1.0, 1.0 / 3.0].into_iter().enumerate() {
                let points = [0, 1, 2].map(|k| {
                    let change = [1.0 - k as f64, 0.0][part] / self.length;
                    let of = [at + k, STRETCH + 2 + k, at + 3 + k, lines[k], at + 6 + k];
                    Bend { of, factors: [BEND[k].1[part] / g[k], change] }
                });
                measures.push((Kind::Bend(points), s.young * inertia * share * self.length));
            }
        }
        self.products.add_measures(&rows, &measures);
        if D == 3 {
            let Shape { gradients: [x, y, z], slopes: [_, yx, zx], .. } = self.shape(0.5);
            let g = self.undeformed(&x).norm();
            let twist = [(&yx, &z, 0.5 / g), (&zx, &y, -0.5 / g)];
            self.add_row(&twist, s.shear_modulus() * s.torsion * g);
        }
    }

    /// (5).
    fn add_nodes(&mut self) {
        let s = *self.section;
        let (normal, shear) = (s.young * s.area, s.shear_modulus() * s.area);
        for (xi, weight) in NODES {
            let Shape { gradients: [x, y, z], .. } = self.shape(xi);
            self.add_row(&[(&x, &y, 1.0)], s.shear_y * shear * weight);
            self.add_row(&[(&y, &y, 0.5)], normal * weight);
            if D == 3 {
                self.add_row(&[(&x, &z, 1.0)], s.shear_z * shear * weight);
                self.add_row(&[(&z, &z, 0.5)], normal * weight);
                self.add_row(&[(&y, &z, 1.0)], shear * weight);
            }
        }
    }
}

/// rₓ, rᵧ, r_z at a point of a section.
pub fn gradients(shape: &Shape, y: f64, z: f64) -> [Weights; 3] {
    let mut out = shape.gradients;
    for k in 0..8 {
        out[0][k] += y * shape.slopes[1][k] + z * shape.slopes[2][k];
    }
    out
}

/// Σ weight · vector over the first `count` vectors of D components.
#[inline]
pub fn combine<const D: usize>(weights: &Weights, count: usize, vectors: &[f64]) -> Vector3<f64> {
    let mut out = Vector3::zeros();
    for (weight, vector) in weights.iter().zip(vectors.chunks_exact(D)).take(count) {
        for d in 0..D {
            out[d] += weight * vector[d];
        }
    }
    out
}

/// Axes of a section by its gradients: x along the line, y in the plane of rₓ and rᵧ.
pub fn axes(gradients: &[Vector3<f64>; 3], dimension: usize) -> Matrix3<f64> {
    let x = gradients[0].normalize();
    let z = match dimension {
        2 => Vector3::z(),
        _ => x.cross(&gradients[1]).normalize(),
    };
    Matrix3::from_columns(&[x, z.cross(&x), z])
}

fn outer<const X: usize>(left: &[f64; X], right: &[f64; X], factor: f64) -> Row<X> {
    let mut row = [[0.0; X]; X];
    for k in 0..X {
        for l in 0..X {
            row[k][l] = factor * left[k] * right[l];
        }
    }
    row
}
