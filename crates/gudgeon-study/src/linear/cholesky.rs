//! K = L Lᵀ, products with L⁻ᵀ, and the inverse U Uᵀ, all by panels (equations in the module above).

use super::lower::{Lower, start};
use super::{ROWS, TILE, lanes, vectorised};
use fearless_simd::{Simd, f64x4, prelude::*};
use gudgeon::progress::Progress;

/// Why a matrix has no factor.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FactorError {
    /// Not in the working precision.
    #[error("matrix is not positive definite: pivot of row {row} is {pivot:.1e}")]
    NotPositive { row: usize, pivot: f64 },
    #[error("the factorisation was cancelled")]
    Cancelled,
}

/// Replaces K by its factor L; the matrix must be padded with the identity.
pub fn factor(k: &mut Lower, progress: &dyn Progress) -> Result<(), FactorError> {
    vectorised!(simd => factor_with(simd, k, progress))
}

#[inline(always)]
fn factor_with<S: Simd>(
    simd: S,
    k: &mut Lower,
    progress: &dyn Progress,
) -> Result<(), FactorError> {
    for i in 0..k.panels() {
        if progress.is_cancelled() {
            return Err(FactorError::Cancelled);
        }
        let (above, rest) = k.values.split_at_mut(start(i));
        let panel = &mut rest[..TILE * (i + 1)];
        reduce(simd, above, 0, i, panel);
        let (done, diagonal) = panel.split_at_mut(TILE * i);
        let diagonal = diagonal.as_chunks_mut::<TILE>().0.first_mut().expect("the last tile");
        subtract_product(simd, done, done, diagonal);
        factor_tile(diagonal)
            .map_err(|(lane, pivot)| FactorError::NotPositive { row: ROWS * i + lane, pivot })?;
    }
    Ok(())
}

/// Z = B L⁻ᵀ in place for tiles `first` … `end − 1` of a panel that starts at tile `first`:
/// Zⱼ = (Bⱼ − Σ_{k<j} Zₖ Lⱼₖᵀ) Lⱼⱼ⁻ᵀ. Tiles before `first` are zero.
#[inline(always)]
fn reduce<S: Simd>(simd: S, l: &[f64], first: usize, end: usize, panel: &mut [f64]) {
    for j in first..end {
        let row = &l[start(j)..start(j + 1)];
        let (done, rest) = panel.split_at_mut(TILE * (j - first));
        let tile = rest.as_chunks_mut::<TILE>().0.first_mut().expect("a tile of the panel");
        subtract_product(simd, done, &row[TILE * first..TILE * j], tile);
        let diagonal = row[TILE * j..].as_chunks::<TILE>().0.first().expect("the last tile");
        times_inverse(simd, diagonal, tile);
    }
}

/// T ← T − A Bᵀ
#[inline(always)]
fn subtract_product<S: Simd>(simd: S, a: &[f64], b: &[f64], tile: &mut [f64; TILE]) {
    if a.is_empty() {
        return;
    }
    let mut product = [0.0; TILE];
    lanes::product(simd, a, b, &mut product);
    for (t, p) in tile.as_chunks_mut::<4>().0.iter_mut().zip(product.as_chunks::<4>().0) {
        (f64x4::load_array_ref(simd, t) - f64x4::load_array_ref(simd, p)).store_array(t);
    }
}

/// T ← T L⁻ᵀ of one tile: column by column, tⱼ ← tⱼ/lⱼⱼ, then t_c ← t_c − tⱼ l_cj for c > j.
#[inline(always)]
fn times_inverse<S: Simd>(simd: S, l: &[f64; TILE], tile: &mut [f64; TILE]) {
    let columns = tile.as_chunks_mut::<ROWS>().0;
    for half in [0, 4] {
        let mut t: [f64x4<S>; ROWS] =
            std::array::from_fn(|c| f64x4::from_slice(simd, &columns[c][half..half + 4]));
        for j in 0..ROWS {
            t[j] *= 1.0 / l[ROWS * j + j];
            for c in j + 1..ROWS {
                t[c] = t[j].mul_add(-l[ROWS * j + c], t[c]);
            }
        }
        for c in 0..ROWS {
            t[c].store_slice(&mut columns[c][half..half + 4]);
        }
    }
}

/// Factor of one diagonal tile; entries above the diagonal become zero. A failure gives the row and
/// the pivot, which is not a number where the matrix is not.
fn factor_tile(tile: &mut [f64; TILE]) -> Result<(), (usize, f64)> {
    for c in 0..ROWS {
        let pivot = tile[ROWS * c + c];
        if pivot.is_nan() || pivot <= 0.0 {
            return Err((c, pivot));
        }
        let root = pivot.sqrt();
        for r in 0..ROWS {
            tile[ROWS * c + r] = if r < c { 0.0 } else { tile[ROWS * c + r] / root };
        }
        for later in c + 1..ROWS {
            let factor = tile[ROWS * c + later];
            for r in later..ROWS {
                tile[ROWS * later + r] -= factor * tile[ROWS * c + r];
            }
        }
    }
    Ok(())
}

/// Rows ← rows L⁻ᵀ, that is (L⁻¹ B)ᵀ for the columns of B given as rows: a panel over all columns.
pub fn rows_times_inverse(l: &Lower, panel: &mut [f64]) {
    assert_eq!(panel.len(), ROWS * l.padded());
    vectorised!(simd => reduce(simd, &l.values, 0, l.panels(), panel));
}

/// v ← L⁻ᵀ v by substitution from the last row up. Unlike the product with U it leaves L⁻ᵀ v small
/// errors *in Lᵀ times the result*, which is what predictions from a nearly singular K live on.
pub fn solve_transposed(l: &Lower, v: &mut [f64]) {
    assert_eq!(v.len(), l.padded());
    for i in (0..l.panels()).rev() {
        let (before, own) = v.split_at_mut(ROWS * i);
        let (columns, diagonal) = l.panel(i).split_at(TILE * i);
        let own = &mut own[..ROWS];
        for c in (0..ROWS).rev() {
            own[c] /= diagonal[ROWS * c + c];
            for earlier in 0..c {
                own[earlier] -= diagonal[ROWS * earlier + c] * own[c];
            }
        }
        for (entry, column) in before.iter_mut().zip(columns.as_chunks::<ROWS>().0) {
            *entry -= column.iter().zip(&*own).map(|(l, x)| l * x).sum::<f64>();
        }
    }
}

/// U = L⁻ᵀ, upper triangular: panel i holds rows 8i … 8i+7 from column 8i on.
#[derive(Clone, Debug)]
pub struct InverseFactor {
    size: usize,
    panels: usize,
    values: Vec<f64>,
}

impl InverseFactor {
    pub fn zeros(size: usize) -> Self {
        let panels = size.div_ceil(ROWS);
        Self { size, panels, values: vec![0.0; start(panels)] }
    }

    /// Of what is cancelled only a part is right.
    pub fn of(l: &Lower, progress: &dyn Progress) -> Self {
        let mut u = Self::zeros(l.size());
        u.update(l, progress);
        u
    }

    /// Place of panel i; the panels before it have `panels`, `panels − 1`, … tiles.
    #[inline(always)]
    fn start(&self, i: usize) -> usize {
        TILE * (i * self.panels - i * i.saturating_sub(1) / 2)
    }

    pub fn panel(&self, i: usize) -> &[f64] {
        &self.values[self.start(i)..self.start(i + 1)]
    }

    /// Entry (r, c), r ≤ c.
    pub fn at(&self, r: usize, c: usize) -> f64 {
        let i = r / ROWS;
        self.values[self.start(i) + ROWS * (c - ROWS * i) + r % ROWS]
    }

    /// See [`Self::of`].
    pub fn update(&mut self, l: &Lower, progress: &dyn Progress) {
        assert_eq!(l.size(), self.size);
        for i in (0..self.panels).take_while(|_| !progress.is_cancelled()) {
            let range = self.start(i)..self.start(i + 1);
            let panel = &mut self.values[range];
            panel.fill(0.0);
            for lane in 0..ROWS {
                panel[(ROWS + 1) * lane] = 1.0;
            }
            vectorised!(simd => reduce(simd, &l.values, i, l.panels(), panel));
        }
    }

    /// U v for v over all padded rows.
    pub fn times(&self, v: &[f64]) -> Vec<f64> {
        assert_eq!(v.len(), ROWS * self.panels);
        let mut result = vec![0.0; v.len()];
        for (i, out) in result.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
            for (column, factor) in self.panel(i).as_chunks::<ROWS>().0.iter().zip(&v[ROWS * i..]) {
                for lane in 0..ROWS {
                    out[lane] += column[lane] * factor;
                }
            }
        }
        result
    }

    /// Diagonal of K⁻¹ = U Uᵀ.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; ROWS * self.panels];
        for (i, out) in diagonal.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
            for column in self.panel(i).as_chunks::<ROWS>().0 {
                for lane in 0..ROWS {
                    out[lane] += column[lane] * column[lane];
                }
            }
        }
        diagonal.truncate(self.size);
        diagonal
    }

    /// Tile (i, j), j ≤ i, of K⁻¹ = U Uᵀ: the sum over columns from 8i on.
    #[inline(always)]
    pub(crate) fn inverse_tile<S: Simd>(
        &self,
        simd: S,
        i: usize,
        j: usize,
        tile: &mut [f64; TILE],
    ) {
        lanes::product(simd, self.panel(i), &self.panel(j)[TILE * (i - j)..], tile);
    }

    /// The largest sum of |entries| over the rows of K⁻¹, its norm ‖K⁻¹‖₁.
    /// Of what is cancelled it is that of a part.
    pub fn inverse_norm(&self, progress: &dyn Progress) -> f64 {
        let mut sums = vec![0.0; ROWS * self.panels];
        let mut tile = [0.0; TILE];
        for i in (0..self.panels).take_while(|_| !progress.is_cancelled()) {
            for j in 0..=i {
                vectorised!(simd => self.inverse_tile(simd, i, j, &mut tile));
                for (c, column) in tile.as_chunks::<ROWS>().0.iter().enumerate() {
                    for (lane, entry) in column.iter().enumerate() {
                        sums[ROWS * i + lane] += entry.abs();
                        if i != j {
                            sums[ROWS * j + c] += entry.abs();
                        }
                    }
                }
            }
        }
        sums[..self.size].iter().fold(0.0, |a: f64, &b| a.max(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gudgeon::progress::Unwatched;
    use gudgeon::random::Random;

    /// A Aᵀ + I of a random A, padded, and as a full matrix.
    fn positive(n: usize) -> (Lower, Vec<Vec<f64>>) {
        let mut random = Random::new(n as u64);
        let a: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| random.normal()).collect()).collect();
        let entry = |r: usize, c: usize| {
            a[r].iter().zip(&a[c]).map(|(x, y)| x * y).sum::<f64>() + f64::from(u8::from(r == c))
        };
        let full = (0..n).map(|r| (0..n).map(|c| entry(r, c)).collect()).collect();
        let mut k = Lower::zeros(n);
        k.fill(|r, c| if r < n && c < n { entry(r, c) } else { 0.0 });
        k.pad_with_identity();
        (k, full)
    }

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix() {
        for n in [1, 7, 8, 9, 37] {
            let (mut l, full) = positive(n);
            factor(&mut l, &Unwatched).unwrap();
            for r in 0..n {
                for c in 0..=r {
                    let sum: f64 = (0..=c).map(|k| l.at(r, k) * l.at(c, k)).sum();
                    assert!((sum - full[r][c]).abs() < 1e-12 * full[r][r].max(full[c][c]));
                }
            }
        }
    }

    #[test]
    fn the_inverse_undoes_the_matrix() {
        for n in [1, 8, 13, 40] {
            let (mut l, full) = positive(n);
            factor(&mut l, &Unwatched).unwrap();
            let u = InverseFactor::of(&l, &Unwatched);
            let inverse = |r: usize, c: usize| -> f64 {
                (r.max(c)..n).map(|k| u.at(r, k) * u.at(c, k)).sum()
            };
            let mut norm: f64 = 0.0;
            for r in 0..n {
                for c in 0..n {
                    let sum: f64 = (0..n).map(|k| full[r][k] * inverse(k, c)).sum();
                    assert!((sum - f64::from(u8::from(r == c))).abs() < 1e-10);
                }
                assert!((u.inverse_diagonal()[r] - inverse(r, r)).abs() < 1e-12);
                norm = norm.max((0..n).map(|c| inverse(r, c).abs()).sum());
            }
            assert!((u.inverse_norm(&Unwatched) - norm).abs() < 1e-12 * norm);
            let v: Vec<f64> = (0..l.padded()).map(|i| i as f64).collect();
            let product = u.times(&v);
            for r in 0..n {
                let sum: f64 = (r..n).map(|k| u.at(r, k) * v[k]).sum();
                assert!((product[r] - sum).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn rows_are_solved_against_the_factor() {
        let n = 21;
        let (mut l, _) = positive(n);
        factor(&mut l, &Unwatched).unwrap();
        let mut panel = vec![0.0; ROWS * l.padded()];
        let b =
            |lane: usize, c: usize| if c < n { (lane + 1) as f64 - 0.1 * c as f64 } else { 0.0 };
        for c in 0..l.padded() {
            for lane in 0..ROWS {
                panel[ROWS * c + lane] = b(lane, c);
            }
        }
        rows_times_inverse(&l, &mut panel);
        for lane in 0..ROWS {
            for r in 0..n {
                let sum: f64 = (0..=r).map(|c| l.at(r, c) * panel[ROWS * c + lane]).sum();
                assert!((sum - b(lane, r)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn substitution_and_product_with_the_inverse_agree() {
        let (mut l, _) = positive(29);
        factor(&mut l, &Unwatched).unwrap();
        let v: Vec<f64> =
            (0..l.padded()).map(|i| if i < 29 { 1.0 - 0.1 * i as f64 } else { 0.0 }).collect();
        let mut solved = v.clone();
        solve_transposed(&l, &mut solved);
        let product = InverseFactor::of(&l, &Unwatched).times(&v);
        assert!(solved.iter().zip(&product).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn an_indefinite_matrix_names_its_row() {
        let mut k = Lower::zeros(10);
        k.fill(|r, c| if r == c { if r == 9 { -2.0 } else { 1.0 } } else { 0.0 });
        k.pad_with_identity();
        let found = factor(&mut k, &Unwatched);
        assert_eq!(found, Err(FactorError::NotPositive { row: 9, pivot: -2.0 }));
    }
}
