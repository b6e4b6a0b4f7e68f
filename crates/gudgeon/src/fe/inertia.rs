//! Inertia integrals of a body whose points s move linearly with its elastic coordinates.
//!
//! In axes of the body, with columns S_j of the displacement field, sums over i and j,
//!
//!   s = X + S_j q_j                                                                         (1)
//!   m = ∫ dm,   c₀ = ∫ X dm,   c_j = ∫ S_j dm,   Q₀ = ∫ X ⊗ X dm                                   (2)
//!   A_j = ∫ X ⊗ S_j dm,   N_ij = ∫ S_i ⊗ S_j dm                                             (3)
//!
//! hold once and for all, and everything that inertia needs follows at any q:
//!
//!   m c = c₀ + c_j q_j,   Z_j = ∫ s ⊗ S_j dm = A_j + q_i N_ij,   Q = ∫ s ⊗ s dm = Q₀ + q_j (Z_j + A_jᵀ)   (4)
//!   Ż_j = ∫ ṡ ⊗ S_j dm = q̇_i N_ij,   M_ij = tr N_ij                                         (5)
//!
//! A piece of the body on the line is (m, m c, Σ = ∫ r ⊗ r dm) about its place on the line, with the
//! displacement u of that place and the rotation φ of its section: its points r move by u + φ × r, to first
//! order and the same everywhere, so that kinetic energy is exactly that of (1).

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Matrix3xX, Vector3};

use super::band::Band;
use super::modes::Basis;
use crate::beam::MassProperties;

/// A piece of the body on its line, in axes of the body.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// kg.
    pub mass: f64,
    /// m c from its place on the line, kg m.
    pub moment: Vector3<f64>,
    /// Σ about its place on the line, kg m².
    pub second: Matrix3<f64>,
    /// X of its place on the line, m.
    pub place: Vector3<f64>,
}

impl Piece {
    /// Of a mass centre c and an inertia J about it.
    pub fn new(
        mass: f64,
        centre: Vector3<f64>,
        inertia: &Matrix3<f64>,
        place: Vector3<f64>,
    ) -> Self {
        let own = Matrix3::identity() * (0.5 * inertia.trace()) - inertia;
        let second = own + centre * centre.transpose() * mass;
        Self { mass, moment: centre * mass, second, place }
    }
}

/// Adds value times coordinate `from` to entry `to` of all Z, entry (a, b) of Z_j standing at 9 j + 3 a + b.
#[derive(Clone, Copy, Debug)]
struct Share {
    to: u32,
    from: u32,
    value: f64,
}

/// (2) and (3) for n elastic coordinates.
#[derive(Clone, Debug)]
pub struct Integrals {
    pub mass: f64,
    first: Vector3<f64>,
    second: Matrix3<f64>,
    shapes: Vec<Vector3<f64>>,
    mixed: Vec<Matrix3<f64>>,
    products: Vec<Share>,
}

/// What (4) is at some q and what its rates are.
#[derive(Clone, Debug, Default)]
pub struct Moments {
    /// m c, and its rate at which the body's axes stand.
    pub first: Vector3<f64>,
    pub first_rate: Vector3<f64>,
    /// J = tr(Q) 1 − Q.
    pub inertia: Matrix3<f64>,
    /// Z_j and Ż_j.
    pub z: Vec<Matrix3<f64>>,
    pub z_rate: Vec<Matrix3<f64>>,
    /// ∫ s ⊗ ṡ dm = Z_j q̇_j.
    pub mixed: Matrix3<f64>,
}

/// Sums up pieces; [`Builder::finish`] orders what they share.
#[derive(Clone, Debug)]
pub struct Builder {
    out: Integrals,
    products: BTreeMap<(usize, usize), Matrix3<f64>>,
}

/// Vee of a matrix of products: ∫ a × b dm from ∫ a ⊗ b dm.
pub fn cross_of(m: &Matrix3<f64>) -> Vector3<f64> {
    Vector3::new(m[(1, 2)] - m[(2, 1)], m[(2, 0)] - m[(0, 2)], m[(0, 1)] - m[(1, 0)])
}

/// tr(Q) 1 − Q.
pub fn inertia_of(second: &Matrix3<f64>) -> Matrix3<f64> {
    Matrix3::identity() * second.trace() - second
}

impl Builder {
    pub fn new(coordinates: usize) -> Self {
        Self {
            out: Integrals {
                mass: 0.0,
                first: Vector3::zeros(),
                second: Matrix3::zeros(),
                shapes: vec![Vector3::zeros(); coordinates],
                mixed: vec![Matrix3::zeros(); coordinates],
                products: Vec::new(),
            },
            products: BTreeMap::new(),
        }
    }

    /// A piece whose place moves by `place` and whose section turns by `turn` along coordinates from `first` on.
    pub fn add(
        &mut self,
        piece: &Piece,
        first: usize,
        place: &Matrix3xX<f64>,
        turn: &Matrix3xX<f64>,
    ) {
        let Piece { mass, moment, second, place: x } = piece;
        let out = &mut self.out;
        out.mass += mass;
        out.first += x * *mass + moment;
        let (across, whole) = (x * moment.transpose(), x * x.transpose() * *mass);
        out.second += whole + across + across.transpose() + second;
        let u = |j: usize| Vector3::from(place.column(j));
        let turned = |j: usize| turn.column(j).into_owned().cross_matrix();
        for j in 0..place.ncols() {
            let (s, t) = (u(j), turned(j));
            let moved = t * moment;
            out.shapes[first + j] += s * *mass + moved;
            out.mixed[first + j] += (x * *mass + moment) * s.transpose()
                + x * moved.transpose()
                + second * t.transpose();
            for i in 0..=j {
                let (r, o) = (u(i), turned(i));
                let part = r * s.transpose() * *mass
                    + r * moved.transpose()
                    + (o * moment) * s.transpose()
                    + o * second * t.transpose();
                if part.iter().any(|x| *x != 0.0) {
                    *self.products.entry((first + i, first + j)).or_insert_with(Matrix3::zeros) +=
                        part;
                }
            }
        }
    }

    pub fn finish(mut self) -> Integrals {
        let share = |(i, a): (usize, usize), (j, b): (usize, usize), value: f64| Share {
            to: (9 * j + 3 * a + b) as u32,
            from: i as u32,
            value,
        };
        let axes = || (0..3).flat_map(|a| (0..3).map(move |b| (a, b)));
        for (&(i, j), part) in &self.products {
            for (a, b) in axes().filter(|&(a, b)| part[(a, b)] != 0.0) {
                self.out.products.push(share((i, a), (j, b), part[(a, b)]));
                if i != j {
                    self.out.products.push(share((j, b), (i, a), part[(a, b)]));
                }
            }
        }
        self.out
    }
}

impl Integrals {
    pub fn size(&self) -> usize {
        self.shapes.len()
    }

    /// The same over the coordinates of a basis.
    pub(super) fn reduced(&self, basis: &Basis) -> Self {
        let mut products = Vec::new();
        for place in 0..9u32 {
            let own = self.products.iter().filter(|share| share.to % 9 == place);
            let whole = basis.square(own.map(|s| (s.from as usize, s.to as usize / 9, s.value)));
            for (j, column) in whole.column_iter().enumerate() {
                let entries = column.iter().enumerate().filter(|(_, value)| **value != 0.0);
                products.extend(entries.map(|(i, value)| Share {
                    to: 9 * j as u32 + place,
                    from: i as u32,
                    value: *value,
                }));
            }
        }
        Self {
            shapes: basis.gather(&self.shapes),
            mixed: basis.gather(&self.mixed),
            products,
            ..self.clone()
        }
    }

    /// c_j.
    pub fn shapes(&self) -> &[Vector3<f64>] {
        &self.shapes
    }

    /// A_j.
    pub fn mixed(&self, j: usize) -> &Matrix3<f64> {
        &self.mixed[j]
    }

    /// A_j of all.
    pub fn all_mixed(&self) -> &[Matrix3<f64>] {
        &self.mixed
    }

    /// Of the undeformed body, in the axes of X and about its mass centre.
    pub fn mass_properties(&self) -> MassProperties {
        let centre = self.first / self.mass;
        let second = self.second - centre * centre.transpose() * self.mass;
        MassProperties { mass: self.mass, centre, inertia: inertia_of(&second) }
    }

    /// M_ij, lower triangle.
    pub fn mass_entries(&self) -> Vec<(usize, usize, f64)> {
        let mut found: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for share in &self.products {
            let (j, place, i) = (share.to as usize / 9, share.to % 9, share.from as usize);
            if place % 4 == 0 && i >= j {
                *found.entry((i, j)).or_default() += share.value;
            }
        }
        found.into_iter().map(|((i, j), m)| (i, j, m)).collect()
    }

    /// M with its factors; none where a direction lacks mass.
    pub fn band(&self) -> Option<Band> {
        Band::new(self.size(), &self.mass_entries())
    }

    /// Room for moments.
    pub fn blank(&self) -> Moments {
        Moments {
            z: self.mixed.clone(),
            z_rate: vec![Matrix3::zeros(); self.size()],
            ..Moments::default()
        }
    }

    /// (4) and (5) at q with the rates v.
    pub fn update(&self, q: &[f64], v: &[f64], out: &mut Moments) {
        out.z.copy_from_slice(&self.mixed);
        add_shares(&self.products, q, &mut out.z);
        self.products(v, &mut out.z_rate);
        (out.first, out.first_rate) = (self.first, Vector3::zeros());
        out.mixed = Matrix3::zeros();
        let mut second = self.second;
        for (j, (q, v)) in q.iter().zip(v).enumerate() {
            out.first += self.shapes[j] * *q;
            out.first_rate += self.shapes[j] * *v;
            second += (out.z[j] + self.mixed[j].transpose()) * *q;
            out.mixed += out.z[j] * *v;
        }
        out.inertia = inertia_of(&(0.5 * (second + second.transpose())));
    }

    /// Σ_i x_i N_ij of any vector x.
    pub fn products(&self, x: &[f64], out: &mut [Matrix3<f64>]) {
        out.fill(Matrix3::zeros());
        add_shares(&self.products, x, out);
    }

    /// Σ_ab E_ab (N_ij)_ab by entry (i, j).
    pub fn for_products(&self, e: &Matrix3<f64>, mut each: impl FnMut(usize, usize, f64)) {
        for share in &self.products {
            let (j, place) = (share.to as usize / 9, share.to as usize % 9);
            let factor = e[(place / 3, place % 3)];
            if factor != 0.0 {
                each(share.from as usize, j, factor * share.value);
            }
        }
    }
}

fn add_shares(shares: &[Share], x: &[f64], out: &mut [Matrix3<f64>]) {
    for share in shares {
        let (j, place) = (share.to as usize / 9, share.to as usize % 9);
        out[j][(place / 3, place % 3)] += share.value * x[share.from as usize];
    }
}
