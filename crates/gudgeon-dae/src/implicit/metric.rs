//! Corrections of positions and velocities along Gᵀ, short in the weights W.
//!
//!   S = Ḡ W⁻¹ Ḡᵀ,   shift(η) = W⁻¹ Ḡᵀ η
//!
//! Rows that depend on others here are left out of the corrections and of Newton's matrix: they hold
//! where the others do. They are chosen anew for every step, because a dependency may shift. Whether a
//! row depends on others is a matter of directions: a pivot of S may be small for a light body, too, so
//! the judgement is that of S with the sizes u of displacements, G diag(u²) Gᵀ.

use super::equations::{ImplicitDae, Terms};
use crate::linear::{Entries, Ldl, Scalar, minimum_degree};
use crate::problem::Dims;

/// A row whose pivot in S is below this fraction of its diagonal entry depends on others.
const DEPENDENT: f64 = 1e-9;

#[derive(Debug)]
pub(super) struct Metric {
    /// 1/W.
    pub inverse: Vec<f64>,
    /// G at the last call of `take`.
    pub rows: Entries,
    /// G along which corrections go: that of `take`, or the mean with another point.
    along: Entries,
    /// Rows that are left out.
    pub dropped: Vec<bool>,
    /// Smallest pivot of the other rows as a fraction of its diagonal entry, in the sizes u.
    pub weakest: f64,
    /// Rows that are left out now, and the fewest so far.
    count: usize,
    fewest: usize,
    /// u².
    sizes: Vec<f64>,
    ldl: Ldl,
    /// Place of each row in the order of `ldl`.
    place: Vec<usize>,
    /// Per pair of entries of a column of G: slot in `ldl`.
    slots: Vec<usize>,
    work: Vec<f64>,
}

impl Metric {
    pub fn new(dims: Dims, rows: &Entries) -> Self {
        let mut pairs = Vec::new();
        each_pair(rows, |a, b| pairs.push((rows.row_of(a), rows.row_of(b))));
        let order = minimum_degree(dims.rows, &pairs);
        let mut place = vec![0; dims.rows];
        for (k, &row) in order.iter().enumerate() {
            place[row] = k;
        }
        let placed: Vec<_> = pairs.iter().map(|&(i, j)| (place[i], place[j])).collect();
        let ldl = Ldl::new(dims.rows, &placed);
        let slots = placed.iter().map(|&(i, j)| ldl.slot(i, j)).collect();
        Self {
            inverse: vec![1.0; dims.v],
            rows: rows.clone(),
            along: rows.clone(),
            dropped: vec![false; dims.rows],
            weakest: 1.0,
            count: 0,
            fewest: dims.rows,
            sizes: vec![1.0; dims.v],
            ldl,
            place,
            slots,
            work: vec![0.0; dims.rows],
        }
    }

    /// Takes W and G over, finds the rows that depend on others and factors S. Fails with the row that is no number.
    pub fn take<P: ImplicitDae>(&mut self, plant: &P, terms: &Terms) -> Result<(), usize> {
        self.rows.values.copy_from_slice(&terms.rows.values);
        self.along.values.copy_from_slice(&terms.rows.values);
        plant.sizes(&mut self.sizes);
        self.sizes.iter_mut().for_each(|u| *u *= *u);
        std::mem::swap(&mut self.inverse, &mut self.sizes);
        let judged = self.judge();
        std::mem::swap(&mut self.inverse, &mut self.sizes);
        judged?;
        plant.weights(terms, &mut self.inverse);
        self.inverse.iter_mut().for_each(|w| *w = 1.0 / *w);
        self.factor()
    }

    /// Finds the rows that depend on others, and the weakest of the rest.
    fn judge(&mut self) -> Result<(), usize> {
        self.dropped.fill(false);
        self.factor()?;
        self.weakest = 1.0;
        self.count = 0;
        for (dropped, &place) in self.dropped.iter_mut().zip(&self.place) {
            let ratio = self.ldl.pivot_ratio(place);
            *dropped = ratio < DEPENDENT;
            match *dropped {
                true => self.count += 1,
                false => self.weakest = self.weakest.min(ratio),
            }
        }
        self.fewest = self.fewest.min(self.count);
        Ok(())
    }

    /// Whether a row depends on others that does not elsewhere.
    pub fn has_lost(&self) -> bool {
        self.count > self.fewest
    }

    /// Whether a row has become dependent, or a pivot ratio is below `limit`.
    pub fn is_near(&self, limit: f64) -> bool {
        self.has_lost() || self.weakest < limit
    }

    /// S and its factors, without the rows that are left out.
    fn factor(&mut self) -> Result<(), usize> {
        let entries = self.ldl.entries_mut();
        entries.fill(0.0);
        let mut slots = self.slots.iter();
        for j in 0..self.along.columns() {
            let column = self.along.column(j);
            for a in column.clone() {
                let left_out = self.dropped[self.along.row_of(a)];
                for b in column.start..=a {
                    let slot = slots.next().expect("as many as pairs");
                    if !left_out && !self.dropped[self.along.row_of(b)] {
                        let product = self.along.values[a] * self.along.values[b];
                        entries[*slot] += product * self.inverse[j];
                    }
                }
            }
        }
        for (dropped, &place) in self.dropped.iter().zip(&self.place) {
            if *dropped {
                entries[place] = 1.0;
            }
        }
        self.ldl.factor()
    }

    /// Lets corrections go along the mean of G at the start and at another point of a step. That
    /// keeps a symmetric method symmetric, and so its energy from drifting.
    pub fn average(&mut self, other: &Entries) -> Result<(), usize> {
        let ends = self.rows.values.iter().zip(&other.values);
        for (along, (a, b)) in self.along.values.iter_mut().zip(ends) {
            *along = 0.5 * (a + b);
        }
        self.factor()
    }

    /// Solves S η = b in place.
    pub fn solve<T: Scalar>(&mut self, b: &mut [T]) {
        for part in 0..T::PARTS {
            for ((b, &place), dropped) in b.iter().zip(&self.place).zip(&self.dropped) {
                self.work[place] = if *dropped { 0.0 } else { b.part(part) };
            }
            self.ldl.solve(&mut self.work);
            for (b, &place) in b.iter_mut().zip(&self.place) {
                b.set_part(part, self.work[place]);
            }
        }
    }

    /// out = W⁻¹ Ḡᵀ η.
    pub fn shift<T: Scalar>(&self, eta: &[T], out: &mut [T]) {
        out.fill(T::default());
        self.along.add_transposed(T::from(1.0), eta, out);
        for (out, inverse) in out.iter_mut().zip(&self.inverse) {
            *out = *out * T::from(*inverse);
        }
    }
}

/// Calls `f` for every pair of slots of a column of G, the second not after the first.
fn each_pair(rows: &Entries, mut f: impl FnMut(usize, usize)) {
    for j in 0..rows.columns() {
        let column = rows.column(j);
        for a in column.clone() {
            for b in column.start..=a {
                f(a, b);
            }
        }
    }
}
