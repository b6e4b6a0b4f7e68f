//! Cholesky factors of a symmetric positive matrix with a border and a band.
//!
//!   W = | W_b  B  | = L Lᵀ with the band eliminated first:  W_f = L_f L_fᵀ,  Y = B L_f⁻ᵀ,
//!       | Bᵀ  W_f |                                         W_b − Y Yᵀ = L_b L_bᵀ                 (1)
//!
//! so that work and memory grow with the size. The rows of the border are kept whole, behind those of the band.

use super::band::Band;
use super::weights::{backward, cholesky, forward};
use crate::linear::Scalar;

/// Rows that a border has at most.
const LARGEST: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrow {
    border: usize,
    band: Band,
}

impl Arrow {
    pub fn new(border: usize, width: usize) -> Self {
        assert!(border <= LARGEST, "a border is narrow");
        Self { border, band: Band::new(width, 1) }
    }

    /// Numbers kept for a matrix.
    pub fn len(self, size: usize) -> usize {
        self.band.len(size - self.border) + self.border * size
    }

    /// Where the entry of two columns is kept, the first not after the second, if it has a place.
    pub fn place(self, size: usize, low: usize, high: usize) -> Option<usize> {
        match low < self.border {
            true => Some(self.band.len(size - self.border) + low * size + high),
            false => self.band.place(low - self.border, high - low),
        }
    }

    /// (1). Fails with the row whose pivot is not positive.
    pub fn cholesky(self, w: &[f64], l: &mut [f64], size: usize) -> Result<(), usize> {
        let (b, banded) = (self.border, self.band.len(size - self.border));
        let (band, rest) = l.split_at_mut(banded);
        self.band.cholesky(&w[..banded], band).map_err(|i| b + i)?;
        for (l, w) in rest.chunks_exact_mut(size).zip(w[banded..].chunks_exact(size)) {
            l.copy_from_slice(w);
            self.band.forward(band, &mut l[b..]);
        }
        let (mut left, mut own) = ([0.0; LARGEST * LARGEST], [0.0; LARGEST * LARGEST]);
        for i in 0..b {
            for j in 0..=i {
                let (x, y) = (&rest[i * size..][..size], &rest[j * size..][..size]);
                let product: f64 = x[b..].iter().zip(&y[b..]).map(|(x, y)| x * y).sum();
                left[i * b + j] = w[banded + j * size + i] - product;
            }
        }
        cholesky(&left[..b * b], &mut own[..b * b], b)?;
        for i in 0..b {
            rest[i * size..][..b].copy_from_slice(&own[i * b..][..b]);
        }
        Ok(())
    }

    /// L_b of factors, for a vector of some size.
    fn corner(self, l: &[f64], size: usize) -> [f64; LARGEST * LARGEST] {
        let mut out = [0.0; LARGEST * LARGEST];
        let rest = &l[self.band.len(size - self.border)..];
        for i in 0..self.border {
            out[i * self.border..][..self.border].copy_from_slice(&rest[i * size..][..self.border]);
        }
        out
    }

    /// x = L⁻¹ x.
    pub fn forward<T: Scalar>(self, l: &[f64], x: &mut [T]) {
        let (size, corner) = (x.len(), self.corner(l, x.len()));
        let (own, rest) = x.split_at_mut(self.border);
        self.band.forward(l, rest);
        for (x, y) in own.iter_mut().zip(l[self.band.len(rest.len())..].chunks_exact(size)) {
            for (y, rest) in y[self.border..].iter().zip(&*rest) {
                *x -= T::from(*y) * *rest;
            }
        }
        forward(&corner, own);
    }

    /// x = L⁻ᵀ x.
    pub fn backward<T: Scalar>(self, l: &[f64], x: &mut [T]) {
        let (size, corner) = (x.len(), self.corner(l, x.len()));
        let (own, rest) = x.split_at_mut(self.border);
        backward(&corner, own);
        for (x, y) in own.iter().zip(l[self.band.len(rest.len())..].chunks_exact(size)) {
            for (y, rest) in y[self.border..].iter().zip(&mut *rest) {
                *rest -= T::from(*y) * *x;
            }
        }
        self.band.backward(l, rest);
    }
}
