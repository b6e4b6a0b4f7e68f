//! Masses of a beam: matrix, weights of gravity, mass properties of the undeformed line.
//!
//! With the shape functions s of `shape.rs` and the mass per undeformed length ρA,
//!
//!   M = ∫ ρA s sᵀ dx + ρI_z ∫ s_y s_yᵀ dx + ρI_y ∫ s_z s_zᵀ dx     beams: r = … + y rᵧ + z r_z          (1)
//!   M = ∫ ρA (s sᵀ + l⁴/720 s_xx s_xxᵀ) dx [+ ρI ∫ s_x s_xᵀ dx, with rotary inertia]   cables          (2)
//!   a rigid part of mass m, centre s and inertia J on a section:   T = ½ m|ṙ|² + m ṙ·Ės + ½ Ė P : Ė
//!   P = ½ tr(J) 1 − J + m s sᵀ, in the axes of which there are gradients                               (3)
//!
//! A cable has rₓ only: it takes s_x with I = I_z, in space with the mean of both, and in place of P the inertia J_z
//! of its turn in the plane, in space the mean of J_y and J_z; what it cannot see (s_y, s_z, J_x) is the caller's to
//! refuse. Between its nodes an element that vibrates at the wave number β lacks r⁗ l⁴ ξ² (1 − ξ)²/24, in the mean
//! l⁴/720 r⁗: cubics make the squares of frequencies (βl)⁴/720 too large. The second term of (2) takes that away
//! and leaves (βl)⁶; it has no part in rigid motions of a straight line. An arc is taken
//! with its mass on the line, as if dx were the same at all fibres.
//! A rigid motion of the undeformed line has exactly the mass properties of
//!
//!   m = 1ᵀM1,   m c = Σ M_kl X_l,   P = Σ M_kl X_k X_lᵀ,   J = tr(P) 1 − P                           (4)
//!
//! where X are the undeformed vectors and 1 is one for places, zero for gradients.

use nalgebra::{Matrix3, Vector3};

use super::Beam;
use super::shape::{Shape, gauss};
use crate::flexible::{Flexible, Lump};

/// Mass properties of the undeformed line with what is welded to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// kg.
    pub mass: f64,
    /// In own axes, m.
    pub centre: Vector3<f64>,
    /// About the centre in own axes, kg m².
    pub inertia: Matrix3<f64>,
}

impl Beam {
    pub(super) fn gather_masses(&mut self, link: &Flexible) {
        let s = &link.section;
        let cable = self.elasticity.is_none();
        let density = s.mass_per_length / s.area;
        let turn = match (cable, self.dimension) {
            (true, 2) if s.rotary => density * s.inertia_z,
            (true, _) if s.rotary => 0.5 * density * (s.inertia_y + s.inertia_z),
            _ => 0.0,
        };
        // Of (2).
        let bubble = if cable { s.mass_per_length * self.length.powi(4) / 720.0 } else { 0.0 };
        let across = if cable { [0.0; 2] } else { [s.inertia_z, s.inertia_y].map(|i| density * i) };
        for element in 0..self.elements {
            let first = element * self.vectors;
            for &(xi, weight) in gauss(4) {
                let shape = Shape::at(xi, self.length, self.vectors);
                let dx = weight * self.length;
                let [x, y, z] = &shape.gradients;
                self.mass.add(first, &shape.place, &shape.place, s.mass_per_length * dx);
                self.mass.add(first, x, x, turn * dx);
                self.mass.add(first, &shape.slopes[0], &shape.slopes[0], bubble * dx);
                self.mass.add(first, y, y, across[0] * dx);
                self.mass.add(first, z, z, across[1] * dx);
            }
        }
        for lump in &link.lumps {
            self.add_lump(lump);
        }
        self.positive = self.mass.factorise();
        for (i, j, entry) in self.mass.entries() {
            if j % self.vectors == 0 {
                self.gravity[i] += entry;
            }
            if i != j && i % self.vectors == 0 {
                self.gravity[j] += entry;
            }
        }
    }

    /// (3).
    fn add_lump(&mut self, lump: &Lump) {
        let site = self.site(lump.along);
        let first = site.first / self.dimension;
        let (m, s, j) = (lump.mass, lump.centre, lump.inertia);
        let second = match self.elasticity {
            None => {
                let turn = match self.dimension {
                    2 => j[(2, 2)],
                    _ => 0.5 * (j[(1, 1)] + j[(2, 2)]),
                };
                Matrix3::from_diagonal(&Vector3::new(turn + m * s.x * s.x, 0.0, 0.0))
            }
            Some(_) => Matrix3::identity() * (0.5 * j.trace()) - j + s * s.transpose() * m,
        };
        let axes = self.vectors - 1;
        self.mass.add(first, &site.place, &site.place, m);
        for a in 0..axes {
            self.mass.add(first, &site.place, &site.gradients[a], m * s[a]);
            self.mass.add(first, &site.gradients[a], &site.place, m * s[a]);
            for b in 0..axes {
                self.mass.add(first, &site.gradients[a], &site.gradients[b], second[(a, b)]);
            }
        }
    }

    /// Whether the mass matrix is positive definite, as it is where lumps are rigid bodies.
    pub fn has_positive_masses(&self) -> bool {
        self.positive
    }

    /// Row, column and entry of M_s over vectors, lower triangle with its diagonal.
    pub fn mass(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.mass.entries()
    }

    /// Diagonal of M_s, one entry per vector.
    pub fn mass_diagonal(&self) -> impl Iterator<Item = f64> + '_ {
        self.mass.diagonal()
    }

    /// x := M⁻¹ x.
    pub fn solve_masses(&self, x: &mut [f64]) {
        match self.dimension {
            2 => self.mass.solve::<2>(x),
            _ => self.mass.solve::<3>(x),
        }
    }

    /// out := M x.
    pub fn multiply_masses(&self, x: &[f64], out: &mut [f64]) {
        match self.dimension {
            2 => self.mass.multiply::<2>(x, out),
            _ => self.mass.multiply::<3>(x, out),
        }
    }

    /// ½ vᵀ M v, J.
    pub fn kinetic_energy(&self, v: &[f64]) -> f64 {
        match self.dimension {
            2 => 0.5 * self.mass.square::<2>(v),
            _ => 0.5 * self.mass.square::<3>(v),
        }
    }

    /// w, one per vector, kg or kg m: the force of gravity on vector k is w_k g.
    pub fn weights_of_gravity(&self) -> &[f64] {
        &self.gravity
    }

    /// (4).
    pub fn mass_properties(&self) -> MassProperties {
        let d = self.dimension;
        let vector = |k: usize| {
            Vector3::from_fn(|axis, _| match axis < d {
                true => self.reference[k * d + axis],
                false => 0.0,
            })
        };
        let (mut mass, mut first) = (0.0, Vector3::zeros());
        for (k, weight) in self.gravity.iter().enumerate() {
            if k % self.vectors == 0 {
                mass += weight;
            }
            first += vector(k) * *weight;
        }
        let centre = first / mass;
        // Moments about the centre: places less it.
        let arm = |k: usize| match k % self.vectors {
            0 => vector(k) - centre,
            _ => vector(k),
        };
        let mut second = Matrix3::zeros();
        for (i, j, entry) in self.mass.entries() {
            let product = arm(i) * arm(j).transpose() * entry;
            second += if i == j { product } else { product + product.transpose() };
        }
        let inertia = Matrix3::identity() * second.trace() - second;
        MassProperties { mass, centre, inertia }
    }
}
