//! Least squares one after the other: each level is met as nearly as the levels before it allow.

use nalgebra::{DMatrix, DVector};

use crate::math::decompose;

/// Singular values below this are zero: rows are about of unit length before earlier levels take their
/// part.
const ZERO: f64 = 1e-9;

/// All x that meet the levels so far: `point` plus any combination of the columns of `free`, which
/// are orthonormal. `point` is the shortest of them.
pub(super) struct Levels {
    pub point: DVector<f64>,
    pub free: DMatrix<f64>,
}

impl Levels {
    pub fn new(unknowns: usize) -> Self {
        Self { point: DVector::zeros(unknowns), free: DMatrix::identity(unknowns, unknowns) }
    }

    /// Meets A x = b as nearly as the remaining freedom allows.
    pub fn meet(&mut self, a: &DMatrix<f64>, b: &DVector<f64>) {
        let freedom = self.free.ncols();
        if freedom == 0 || a.is_empty() {
            return;
        }
        // Rows of zeros make the right singular vectors a whole basis.
        let rows = a.nrows().max(freedom);
        let mut reduced = DMatrix::zeros(rows, freedom);
        reduced.rows_mut(0, a.nrows()).copy_from(&(a * &self.free));
        let mut open = DVector::zeros(rows);
        open.rows_mut(0, a.nrows()).copy_from(&(b - a * &self.point));
        let Some(svd) = decompose::svd(reduced) else { return };
        let (left, right) = (svd.u.expect("requested"), svd.v_t.expect("requested"));
        let mut step = DVector::zeros(freedom);
        let mut kept = Vec::new();
        for (k, sigma) in svd.singular_values.iter().enumerate() {
            let direction = right.row(k).transpose();
            if *sigma > ZERO {
                step += &direction * (left.column(k).dot(&open) / sigma);
            } else {
                kept.push(direction);
            }
        }
        self.point += &self.free * step;
        let kept = match kept.is_empty() {
            true => DMatrix::zeros(freedom, 0),
            false => DMatrix::from_columns(&kept),
        };
        self.free = &self.free * kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_level_takes_what_an_earlier_one_leaves() {
        let mut levels = Levels::new(3);
        levels
            .meet(&DMatrix::from_row_slice(1, 3, &[1.0, 1.0, 0.0]), &DVector::from_element(1, 2.0));
        assert!((levels.point.clone() - DVector::from_vec(vec![1.0, 1.0, 0.0])).norm() < 1e-14);
        // Contradicts the first level in part: x₀ = 0, and x₀ = 1 as well, on average 0.5.
        let rows = DMatrix::from_row_slice(2, 3, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        levels.meet(&rows, &DVector::from_vec(vec![0.0, 1.0]));
        assert!((levels.point.clone() - DVector::from_vec(vec![0.5, 1.5, 0.0])).norm() < 1e-14);
        assert_eq!(levels.free.ncols(), 1);
        // Nothing is left of x₁, and all of x₂.
        let rows = DMatrix::from_row_slice(2, 3, &[0.0, 1.0, 0.0, 0.0, 0.0, 2.0]);
        levels.meet(&rows, &DVector::from_vec(vec![9.0, 8.0]));
        assert!((levels.point.clone() - DVector::from_vec(vec![0.5, 1.5, 4.0])).norm() < 1e-14);
        assert_eq!(levels.free.ncols(), 0);
    }

    #[test]
    fn a_level_that_is_rounding_takes_nothing() {
        let mut levels = Levels::new(2);
        levels.meet(&DMatrix::from_element(1, 2, 1e-17), &DVector::from_element(1, 3.0));
        assert_eq!((levels.point.norm(), levels.free.ncols()), (0.0, 2));
    }
}
