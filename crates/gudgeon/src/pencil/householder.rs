//! An orthonormal basis of the displacements that rows allow, by reflections.
//!
//!   Gᵀ = Q R,   Q = (Q₁ Q₂),   G Q₂ = 0                                                       (1)

use nalgebra::{DMatrix, DVector};

use super::Pencil;

/// Q₂ of (1), of the rows that are not left out.
pub(crate) fn null_space(pencil: &Pencil) -> DMatrix<f64> {
    let (n, kept) = (pencil.size(), pencil.size() - pencil.mobility());
    let mut place = vec![usize::MAX; pencil.dropped.len()];
    let mut next = 0;
    for (place, dropped) in place.iter_mut().zip(&pencil.dropped) {
        if !dropped {
            *place = next;
            next += 1;
        }
    }
    let mut a = DMatrix::<f64>::zeros(n, kept);
    for (i, j, value) in pencil.rows.iter().filter(|(i, _, _)| place[*i] != usize::MAX) {
        a[(j, place[i])] = value;
    }
    let mut reflections: Vec<DVector<f64>> = Vec::with_capacity(kept);
    for k in 0..kept {
        let mut w = DVector::<f64>::zeros(n);
        w.rows_mut(k, n - k).copy_from(&a.view((k, k), (n - k, 1)));
        let size = w.norm();
        w[k] += if w[k] < 0.0 { -size } else { size };
        let norm = w.norm();
        if norm > 0.0 {
            w /= norm;
            for j in k..kept {
                let part = 2.0 * w.dot(&a.column(j));
                a.column_mut(j).axpy(-part, &w, 1.0);
            }
        }
        reflections.push(w);
    }
    let mut basis = DMatrix::<f64>::zeros(n, n - kept);
    for (c, mut column) in basis.column_iter_mut().enumerate() {
        column[kept + c] = 1.0;
        for w in reflections.iter().rev() {
            let part = 2.0 * w.dot(&column);
            column.axpy(-part, w, 1.0);
        }
    }
    basis
}
