//! Elastic and viscous forces of a beam element with all gradients, from inner products of its vectors.
//!
//! Green's strains of an element are linear in the inner products a of its translation-free vectors X
//! (X₀ = (r₂ − r₁)/l, then the gradients of both nodes), so that any energy that is quadratic in them is
//!
//!   W = ½ (a − a₀)ᵀ H (a − a₀),   a = {X_k · X_l, k ≤ l},   H = Σ w (strain rows)ᵀ C (strain rows)  (1)
//!   σ = H (a − a₀ + θ ȧ),         ȧ_kl = Ẋ_k · X_l + X_k · Ẋ_l                                      (2)
//!   F_k = −∂W/∂X_k = −Σ_l Q_kl X_l,   Q_kk = 2 σ_kk,  Q_kl = σ_kl                                  (3)
//!   K = Q ⊗ 1 + Bᵀ H (B + θ Ḃ),   D = θ Bᵀ H B,   B = ∂a/∂X,  Ḃ the same with Ẋ                    (4)
//!   dissipated power  P = θ ȧᵀ H ȧ ≥ 0                                                              (5)
//!
//! Measures that are not linear in a (`measures.rs`) add their stresses and their tangents ∂σ/∂a.
//! H is what Gauss integration of the strains gives, summed once: H and a₀ are the same for all elements
//! of one undeformed shape. Products are ordered by the parity of their strains across the section: on
//! straight beams H falls into blocks, and only 4 × 4 tiles that are not zero are kept.
//! θ: time of Kelvin and Voigt, s.
//! References: García-Vallejo, Mayo, Escalona, Domínguez 2004 (constant matrices of the elastic forces).

use super::measures::{Kind, Measures};

/// The law of an element: X = 2V − 1 vectors of D components, A ≥ X(X + 1)/2 products, a multiple of four.
#[derive(Clone, Debug)]
pub struct Products<const X: usize, const A: usize, const D: usize> {
    length: f64,
    /// θ.
    delay: f64,
    /// H.
    stiffness: Vec<[f64; A]>,
    tiles: Vec<Tile>,
    /// Where the entries of a row of H that are not zero begin and end, in steps of four.
    extent: Vec<[u8; 2]>,
    /// a₀.
    reference: [f64; A],
    /// Place of X_k · X_l in a.
    index: [[u8; X]; X],
    measures: Option<Measures<A>>,
}

#[derive(Clone, Copy, Debug)]
struct Tile {
    row: u8,
    column: u8,
    /// By column.
    entries: [[f64; 4]; 4],
}

/// Smaller entries of H, over the root of both diagonal entries, are rounding.
const ROUNDING: f64 = 1e-14;

/// A strain that is linear in the products: Σ row_kl X_k · X_l over all k, l, and its weight is in H.
pub type Row<const X: usize> = [[f64; X]; X];

/// A tangent over X: vector and component of the column, then of the row.
type Columns<const X: usize, const D: usize> = [[[[f64; D]; X]; D]; X];

impl<const X: usize, const A: usize, const D: usize> Products<X, A, D> {
    /// Without stiffness yet; `vectors` are the 2V reference vectors of an element.
    pub fn new(length: f64, delay: f64, vectors: &[f64]) -> Self {
        let mut new = Self {
            length,
            delay,
            stiffness: vec![[0.0; A]; A],
            tiles: Vec::new(),
            extent: vec![[0, A as u8]; A],
            reference: [0.0; A],
            index: index(),
            measures: None,
        };
        new.reference = new.products(&new.relative(vectors));
        new
    }

    /// Adds w Σ c_ij E_iᵀ E_j to H.
    pub fn add_stiffness(&mut self, rows: &[Row<X>], law: &[f64], weight: f64) {
        let rows: Vec<[f64; A]> = rows.iter().map(|row| self.fold(row)).collect();
        for (i, left) in rows.iter().enumerate() {
            for (j, right) in rows.iter().enumerate() {
                let factor = weight * law[i * rows.len() + j];
                if factor == 0.0 {
                    continue;
                }
                for m in 0..A {
                    for n in 0..A {
                        self.stiffness[m][n] += factor * left[m] * right[n];
                    }
                }
            }
        }
    }

    /// Adds measures that are made of linear ones, given by their rows.
    pub fn add_measures(&mut self, rows: &[Row<X>], measures: &[(Kind, f64)]) {
        let rows = rows.iter().map(|row| self.fold(row)).collect();
        self.measures = Some(Measures::new(rows, measures, &self.reference));
    }

    /// A row over all pairs as one over a.
    fn fold(&self, row: &Row<X>) -> [f64; A] {
        let mut folded = [0.0; A];
        for k in 0..X {
            for l in 0..X {
                folded[self.index[k][l] as usize] += row[k][l];
            }
        }
        folded
    }

    /// Makes H symmetric to the last digit and keeps its tiles; to call once after all stiffness is in.
    pub fn finish(&mut self) {
        let diagonal: Vec<f64> = (0..A).map(|m| self.stiffness[m][m]).collect();
        for m in 0..A {
            for n in 0..m {
                let mean = 0.5 * (self.stiffness[m][n] + self.stiffness[n][m]);
                let small = mean * mean <= ROUNDING * ROUNDING * diagonal[m] * diagonal[n];
                let entry = if small { 0.0 } else { mean };
                (self.stiffness[m][n], self.stiffness[n][m]) = (entry, entry);
            }
        }
        for (row, extent) in self.stiffness.iter().zip(&mut self.extent) {
            let first = row.iter().position(|entry| *entry != 0.0).unwrap_or(0);
            let last = row.iter().rposition(|entry| *entry != 0.0).unwrap_or(0);
            *extent = match self.measures {
                None => [(first / 4 * 4) as u8, (last / 4 * 4 + 4) as u8],
                Some(_) => [0, A as u8],
            };
        }
        for row in 0..A / 4 {
            for column in 0..A / 4 {
                let mut entries = [[0.0; 4]; 4];
                for n in 0..4 {
                    for m in 0..4 {
                        entries[n][m] = self.stiffness[4 * row + m][4 * column + n];
                    }
                }
                if entries.iter().flatten().any(|entry| *entry != 0.0) {
                    self.tiles.push(Tile { row: row as u8, column: column as u8, entries });
                }
            }
        }
    }

    /// X of the vectors of an element, or Ẋ.
    #[inline]
    fn relative(&self, vectors: &[f64]) -> [[f64; D]; X] {
        let mut x = [[0.0; D]; X];
        let second = X.div_ceil(2) * D;
        let scale = 1.0 / self.length;
        for d in 0..D {
            x[0][d] = scale * (vectors[second + d] - vectors[d]);
        }
        for k in 1..X.div_ceil(2) {
            for d in 0..D {
                x[k][d] = vectors[k * D + d];
                x[k + X / 2][d] = vectors[second + k * D + d];
            }
        }
        x
    }

    #[inline]
    fn products(&self, x: &[[f64; D]; X]) -> [f64; A] {
        let mut a = [0.0; A];
        for k in 0..X {
            for l in k..X {
                a[self.index[k][l] as usize] = dot(&x[k], &x[l]);
            }
        }
        a
    }

    /// ȧ of (2).
    #[inline]
    fn rates(&self, x: &[[f64; D]; X], rate: &[[f64; D]; X]) -> [f64; A] {
        let mut a = [0.0; A];
        for k in 0..X {
            for l in k..X {
                a[self.index[k][l] as usize] = dot(&x[k], &rate[l]) + dot(&rate[k], &x[l]);
            }
        }
        a
    }

    /// H a.
    #[inline]
    fn multiply(&self, a: &[f64; A]) -> [f64; A] {
        let mut out = [0.0; A];
        for tile in &self.tiles {
            let (row, column) = (4 * tile.row as usize, 4 * tile.column as usize);
            let (Some(to), Some(from)) = (out.get_mut(row..row + 4), a.get(column..column + 4))
            else {
                continue;
            };
            for m in 0..4 {
                to[m] += tile.entries[0][m] * from[0]
                    + tile.entries[1][m] * from[1]
                    + tile.entries[2][m] * from[2]
                    + tile.entries[3][m] * from[3];
            }
        }
        out
    }

    /// σ of (2), of a and θ ȧ.
    #[inline]
    fn stress(&self, a: &[f64; A], delayed: Option<&[f64; A]>) -> [f64; A] {
        let mut strain = *a;
        for m in 0..A {
            strain[m] -= self.reference[m];
        }
        if let Some(delayed) = delayed {
            for m in 0..A {
                strain[m] += delayed[m];
            }
        }
        let mut stress = self.multiply(&strain);
        if let Some(measures) = &self.measures {
            measures.add_stress(a, delayed, &mut stress);
        }
        stress
    }

    /// θ ȧ where there is damping.
    #[inline]
    fn delayed(&self, x: &[[f64; D]; X], v: &[f64]) -> Option<[f64; A]> {
        (self.delay > 0.0).then(|| self.rates(x, &self.relative(v)).map(|rate| self.delay * rate))
    }

    /// (1).
    pub fn energy(&self, q: &[f64]) -> f64 {
        let mut a = self.products(&self.relative(q));
        let own = self.measures.as_ref().map_or(0.0, |measures| measures.energy(&a));
        for m in 0..A {
            a[m] -= self.reference[m];
        }
        0.5 * dot(&a, &self.multiply(&a)) + own
    }

    /// (5).
    pub fn dissipation(&self, q: &[f64], v: &[f64]) -> f64 {
        let x = self.relative(q);
        let rates = self.rates(&x, &self.relative(v));
        let square = |measures: &Measures<A>| measures.rates_squared(&self.products(&x), &rates);
        let own = self.measures.as_ref().map_or(0.0, square);
        self.delay * (dot(&rates, &self.multiply(&rates)) + own)
    }

    /// (3), added to the forces on the vectors of an element.
    pub fn add_forces(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let x = self.relative(q);
        let stress = self.stress(&self.products(&x), self.delayed(&x, v).as_ref());
        let second = X.div_ceil(2) * D;
        let mut force = [[0.0; D]; X];
        for k in 0..X {
            for l in 0..X {
                let s = stress[self.index[k][l] as usize];
                let s = if k == l { 2.0 * s } else { s };
                for d in 0..D {
                    force[k][d] -= s * x[l][d];
                }
            }
        }
        let scale = 1.0 / self.length;
        for d in 0..D {
            out[d] -= scale * force[0][d];
            out[second + d] += scale * force[0][d];
        }
        for k in 1..X.div_ceil(2) {
            for d in 0..D {
                out[k * D + d] += force[k][d];
                out[second + k * D + d] += force[k + X / 2][d];
            }
        }
    }

    /// (4), as dense blocks by rows over the vectors of an element.
    pub fn update_tangents(&self, q: &[f64], v: &[f64], k: &mut [f64], d: &mut [f64]) {
        let (x, rate) = (self.relative(q), self.relative(v));
        let (a, delayed) = (self.products(&x), self.delayed(&x, v));
        let stress = self.stress(&a, delayed.as_ref());
        let (mut own, mut own_elastic);
        let (all, elastic): (&[[f64; A]], &[[f64; A]]) = match &self.measures {
            None => (&self.stiffness, &self.stiffness),
            Some(measures) => {
                own = [[0.0; A]; A];
                own.copy_from_slice(&self.stiffness);
                own_elastic = own;
                measures.add_tangents(&a, delayed.as_ref(), &mut own, &mut own_elastic);
                (&own, &own_elastic)
            }
        };
        let symmetric = delayed.is_none() || self.measures.is_none();
        let mut tangent = self.congruent(all, &x, symmetric);
        d.fill(0.0);
        if delayed.is_some() {
            match self.measures {
                None => self.spread(&tangent, self.delay, d),
                Some(_) => self.spread(&self.congruent(elastic, &x, true), self.delay, d),
            }
        }
        for m in 0..X {
            for e in 0..D {
                if delayed.is_some() {
                    let viscous = self.pull(&self.push(elastic, &rate, m, e), &x, 0);
                    for (to, from) in tangent[m][e].iter_mut().zip(viscous) {
                        (0..D).for_each(|f| to[f] += self.delay * from[f]);
                    }
                }
                for n in 0..X {
                    let s = stress[self.index[m][n] as usize];
                    tangent[m][e][n][e] += if m == n { 2.0 * s } else { s };
                }
            }
        }
        self.spread(&tangent, 1.0, k);
    }

    /// Bᵀ H B by columns.
    fn congruent(&self, h: &[[f64; A]], x: &[[f64; D]; X], symmetric: bool) -> Columns<X, D> {
        let mut out = [[[[0.0; D]; X]; D]; X];
        for m in 0..X {
            for e in 0..D {
                let first = if symmetric { m } else { 0 };
                out[m][e] = self.pull(&self.push(h, x, m, e), x, first);
            }
        }
        if symmetric {
            for m in 0..X {
                for n in 0..m {
                    for e in 0..D {
                        for f in 0..D {
                            out[m][e][n][f] = out[n][f][m][e];
                        }
                    }
                }
            }
        }
        out
    }

    /// Column (m, e) of H B, H by columns.
    #[inline]
    fn push(&self, h: &[[f64; A]], x: &[[f64; D]; X], m: usize, e: usize) -> [f64; A] {
        let mut out = [0.0; A];
        for n in 0..X {
            let factor = if n == m { 2.0 * x[n][e] } else { x[n][e] };
            let row = self.index[m][n] as usize;
            let (column, [from, to]) = (&h[row], self.extent[row]);
            let (from, to) = (from as usize, to as usize);
            let quads = out[from..to].chunks_exact_mut(4).zip(column[from..to].chunks_exact(4));
            for (out, column) in quads {
                for a in 0..4 {
                    out[a] += factor * column[a];
                }
            }
        }
        out
    }

    /// Bᵀ times a vector, from a vector of the element on.
    #[inline]
    fn pull(&self, stress: &[f64; A], x: &[[f64; D]; X], first: usize) -> [[f64; D]; X] {
        let mut out = [[0.0; D]; X];
        for k in first..X {
            for l in 0..X {
                let s = stress[self.index[k][l] as usize];
                let s = if k == l { 2.0 * s } else { s };
                for d in 0..D {
                    out[k][d] += s * x[l][d];
                }
            }
        }
        out
    }

    /// A tangent over X, by columns, as one over the element's vectors, by rows.
    fn spread(&self, columns: &Columns<X, D>, factor: f64, block: &mut [f64]) {
        let half = X.div_ceil(2);
        let source = |vector: usize| match vector {
            0 => (0, -1.0 / self.length),
            _ if vector == half => (0, 1.0 / self.length),
            _ if vector > half => (vector - 1, 1.0),
            _ => (vector, 1.0),
        };
        for (i, rows) in block.chunks_exact_mut((X + 1) * D * D).enumerate() {
            let (n, left) = source(i);
            for (f, row) in rows.chunks_exact_mut((X + 1) * D).enumerate() {
                for (j, row) in row.chunks_exact_mut(D).enumerate() {
                    let (m, right) = source(j);
                    let scale = factor * left * right;
                    for e in 0..D {
                        row[e] = scale * columns[m][e][n][f];
                    }
                }
            }
        }
    }
}

/// Places of the products in a: of the line and of the section first, then line with y, with z, y with z.
fn index<const X: usize>() -> [[u8; X]; X] {
    let kind = |k: usize| match k {
        0 => 0,
        _ => (k - 1) % (X / 2),
    };
    let group = |k: usize, l: usize| match (kind(k).min(kind(l)), kind(k).max(kind(l))) {
        (i, j) if i == j => 0,
        (i, j) => i + j,
    };
    let mut index = [[0; X]; X];
    let mut next = 0;
    for wanted in 0..4 {
        for k in 0..X {
            for l in k..X {
                if group(k, l) == wanted {
                    (index[k][l], index[l][k]) = (next, next);
                    next += 1;
                }
            }
        }
    }
    index
}

#[inline]
fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for n in 0..N {
        sum += a[n] * b[n];
    }
    sum
}
