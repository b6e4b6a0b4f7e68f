//! Coordinates of Craig and Bampton: nodes that something acts on, and modes of the line between them.
//!
//! With the elastic coordinates q = (q_b, q_i) of interface nodes and of the others,
//!
//!   q = Ψ p,   Ψ = | 1    0  |,   Φ_c = −K_ii⁻¹ K_ib,   K_ii φ = ω² M_ii φ                         (1)
//!                  | Φ_c  Φ |
//!
//! p are the coordinates of the interface, to which the others follow as at rest (boundary modes), and those of the kept
//! modes with the interface held, slowest first. The conditions of the frame hold freedoms of an interface node, at its begin and
//! with a chord at its end, so that no boundary mode is a rigid motion. With all modes p says what q says.
//!
//! Every integral, mass and stiffness over p is Ψᵀ(·)Ψ, so that inertia keeps all its terms. A mode is scaled to 1 m, or
//! where the line only turns to 1 rad, where it moves most.
//!
//! Reference: Craig and Bampton, *Coupling of substructures for dynamic analyses*, 1968.

use std::f64::consts::TAU;

use nalgebra::{Cholesky, DMatrix, DVector};

use super::link::{Link, Part};
use crate::flexible::Modes;

/// Motion across the line below this share of what its turn would move a length is none.
const TURNS_ONLY: f64 = 1e-6;

/// Ψ of (1).
#[derive(Clone, Debug)]
pub struct Basis {
    /// Ψ by rows.
    psi: Vec<f64>,
    columns: usize,
    /// Where a coordinate of the mesh stands among p, if it does.
    place: Vec<Option<usize>>,
    /// Frequencies of the kept modes, Hz, and of the first that was left.
    pub kept: Vec<f64>,
    pub left: Option<f64>,
    /// Whether each of p is a length.
    lengths: Vec<bool>,
}

/// An entry of a symmetric matrix, in the lower triangle.
type Entry = (usize, usize, f64);

impl Basis {
    /// Of a mesh whose interface is at `nodes`, in order.
    pub(super) fn new(link: &Link, nodes: &[usize], modes: Modes) -> Self {
        let n = link.size();
        let mut place = vec![None; n];
        let kept_first: Vec<usize> =
            nodes.iter().flat_map(|&k| columns_of(&link.parts, k)).collect();
        for (p, &j) in kept_first.iter().enumerate() {
            place[j] = Some(p);
        }
        let inner: Vec<usize> = (0..n).filter(|&j| place[j].is_none()).collect();
        let k = dense(n, link.stiffness.iter().copied());
        let m = dense(n, link.mass.entries());
        let part = |of: &DMatrix<f64>, rows: &[usize], columns: &[usize]| {
            DMatrix::from_fn(rows.len(), columns.len(), |i, j| of[(rows[i], columns[j])])
        };
        let factor = Cholesky::new(part(&k, &inner, &inner)).expect("a held line is stiff");
        let follow = -factor.solve(&part(&k, &inner, &kept_first));
        let (frequencies, shapes) = held_modes(&factor.l(), &part(&m, &inner, &inner));
        let count = match modes {
            Modes::Count(count) => count.min(inner.len()),
            Modes::UpTo(most) => frequencies.iter().filter(|f| **f <= most).count(),
        };
        let columns = kept_first.len() + count;
        let mut psi = DMatrix::zeros(n, columns);
        let mut lengths: Vec<bool> = kept_first.iter().map(|&j| link.lengths[j]).collect();
        kept_first.iter().enumerate().for_each(|(p, &j)| psi[(j, p)] = 1.0);
        for (i, &j) in inner.iter().enumerate() {
            psi.view_mut((j, 0), (1, kept_first.len())).copy_from(&follow.row(i));
        }
        for (mode, shape) in shapes.column_iter().take(count).enumerate() {
            let is_length = |i: usize| link.lengths[inner[i]];
            let most = |length: bool| {
                let own = shape.iter().enumerate().filter(|(i, _)| is_length(*i) == length);
                own.fold(0.0f64, |most, (_, x)| if x.abs() > most.abs() { *x } else { most })
            };
            let (moved, turned) = (most(true), most(false));
            let moves = moved.abs() > TURNS_ONLY * link.length * turned.abs();
            let scale = 1.0 / if moves { moved } else { turned };
            lengths.push(moves);
            for (i, &j) in inner.iter().enumerate() {
                psi[(j, kept_first.len() + mode)] = scale * shape[i];
            }
        }
        Self {
            psi: psi.transpose().iter().copied().collect(),
            columns,
            place,
            kept: frequencies[..count].to_vec(),
            left: frequencies.get(count).copied(),
            lengths,
        }
    }

    /// Number of p.
    pub fn size(&self) -> usize {
        self.columns
    }

    pub(super) fn lengths(&self) -> &[bool] {
        &self.lengths
    }

    /// Where a coordinate of the mesh stands among p.
    pub(super) fn place(&self, coordinate: usize) -> Option<usize> {
        self.place[coordinate]
    }

    /// q = Ψ p.
    pub fn expand(&self, p: &[f64], q: &mut [f64]) {
        for (row, q) in self.psi.chunks_exact(self.columns.max(1)).zip(q) {
            *q = row.iter().zip(p).map(|(psi, p)| psi * p).sum();
        }
    }

    /// Coordinates of the mesh from `first` on.
    pub fn expand_part(&self, p: &[f64], first: usize, q: &mut [f64]) {
        let rows = self.psi.chunks_exact(self.columns.max(1)).skip(first);
        for (row, q) in rows.zip(q) {
            *q = row.iter().zip(p).map(|(psi, p)| psi * p).sum();
        }
    }

    /// Ψ.
    fn matrix(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.place.len(), self.columns, &self.psi)
    }

    /// Ψᵀ A Ψ of a symmetric matrix.
    pub(super) fn project(&self, entries: &[Entry]) -> Vec<Entry> {
        let square = self.square(entries.iter().flat_map(|&(i, j, x)| {
            let twin = (i != j).then_some((j, i, x));
            std::iter::once((i, j, x)).chain(twin)
        }));
        let pairs = (0..self.columns).flat_map(|i| (0..=i).map(move |j| (i, j)));
        pairs.map(|(i, j)| (i, j, 0.5 * (square[(i, j)] + square[(j, i)]))).collect()
    }

    /// Ψᵀ A Ψ of any matrix, from its entries that are not zero.
    pub(super) fn square(&self, entries: impl Iterator<Item = Entry>) -> DMatrix<f64> {
        let psi = self.matrix();
        let mut half = DMatrix::zeros(self.place.len(), self.columns);
        for (i, j, value) in entries {
            for c in 0..self.columns {
                half[(i, c)] += value * psi[(j, c)];
            }
        }
        psi.tr_mul(&half)
    }

    /// Ψᵀ x of what belongs to every coordinate of the mesh.
    pub(super) fn gather<T>(&self, x: &[T]) -> Vec<T>
    where
        T: Copy + std::ops::Mul<f64, Output = T> + std::ops::Add<Output = T>,
    {
        let of = |c: usize| {
            let mut terms = x.iter().enumerate().map(|(j, x)| *x * self.psi[j * self.columns + c]);
            let first = terms.next().expect("a mesh has coordinates");
            terms.fold(first, |sum, term| sum + term)
        };
        (0..self.columns).map(of).collect()
    }
}

/// Columns of q that a node moves with.
fn columns_of(parts: &[Part], node: usize) -> Vec<usize> {
    let (part, rows) = match parts.get(node) {
        Some(part) => (part, 0..6),
        None => (&parts[parts.len() - 1], 6..12),
    };
    let moves = |c: &usize| rows.clone().any(|row| part.t[(row, *c)] != 0.0);
    (0..part.count).filter(moves).map(|c| part.first + c).collect()
}

/// Nodes that the columns of an element belong to near a place in it: one where the place is a node.
pub(super) fn nodes_at(along: f64, elements: usize) -> [usize; 2] {
    let place = along * elements as f64;
    let near = place.round();
    if (place - near).abs() < 1e-9 {
        return [near as usize; 2];
    }
    [place.floor() as usize, place.ceil() as usize]
}

/// Frequencies and shapes with the interface held, slowest first, from the factor of K_ii: μ = 1/ω² of L⁻¹ M L⁻ᵀ,
/// of which the slowest are the largest and found to rounding.
fn held_modes(l: &DMatrix<f64>, m: &DMatrix<f64>) -> (Vec<f64>, DMatrix<f64>) {
    let n = m.nrows();
    if n == 0 {
        return (Vec::new(), DMatrix::zeros(0, 0));
    }
    let half = l.solve_lower_triangular(m).expect("a factor has pivots");
    let whole = l.solve_lower_triangular(&half.transpose()).expect("a factor has pivots");
    let eigen = (0.5 * (&whole + whole.transpose())).symmetric_eigen();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let shape = |i: &usize| -> DVector<f64> {
        let y = eigen.eigenvectors.column(*i).into_owned();
        l.tr_solve_lower_triangular(&y).expect("a factor has pivots")
    };
    let shapes: Vec<_> = order.iter().map(shape).collect();
    let frequency = |i: &usize| 1.0 / (TAU * eigen.eigenvalues[*i].max(f64::MIN_POSITIVE).sqrt());
    (order.iter().map(frequency).collect(), DMatrix::from_columns(&shapes))
}

fn dense(n: usize, entries: impl Iterator<Item = Entry>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(n, n);
    for (i, j, value) in entries {
        out[(i, j)] = value;
        out[(j, i)] = value;
    }
    out
}
