//! A matrix as a list of entries, column by column, whose places never change.

use super::scalar::Scalar;

/// Places and values of the entries that may be non-zero.
#[derive(Clone, Debug)]
pub struct Entries {
    rows: usize,
    starts: Vec<usize>,
    row: Vec<usize>,
    pub values: Vec<f64>,
}

impl Entries {
    /// Every place of a matrix.
    pub fn full(rows: usize, columns: usize) -> Self {
        let starts = (0..=columns).map(|j| j * rows).collect();
        let row = (0..columns).flat_map(|_| 0..rows).collect();
        Self { rows, starts, row, values: vec![0.0; rows * columns] }
    }

    /// The places (row, column) in any order; repeated ones count once.
    pub fn at(rows: usize, columns: usize, places: &[(usize, usize)]) -> Self {
        let mut sorted: Vec<(usize, usize)> = places.iter().map(|&(i, j)| (j, i)).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut starts = vec![0; columns + 1];
        for &(j, _) in &sorted {
            starts[j + 1] += 1;
        }
        for j in 0..columns {
            starts[j + 1] += starts[j];
        }
        let values = vec![0.0; sorted.len()];
        Self { rows, starts, row: sorted.into_iter().map(|(_, i)| i).collect(), values }
    }

    /// The diagonal alone.
    pub fn diagonal(size: usize) -> Self {
        let places: Vec<_> = (0..size).map(|i| (i, i)).collect();
        Self::at(size, size, &places)
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where entry (i, j) is kept, if it has a place.
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        let span = self.starts[j]..self.starts[j + 1];
        self.row[span.clone()].binary_search(&i).ok().map(|place| span.start + place)
    }

    /// Writes entry (i, j). Panics where it has no place.
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        let slot = self.slot(i, j).expect("entry outside the pattern");
        self.values[slot] = value;
    }

    /// Slots of a column.
    pub fn column(&self, j: usize) -> std::ops::Range<usize> {
        self.starts[j]..self.starts[j + 1]
    }

    /// Row of the entry in a slot.
    pub fn row_of(&self, slot: usize) -> usize {
        self.row[slot]
    }

    /// (row, column, value) of every entry.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.columns()).flat_map(move |j| {
            self.column(j).map(move |slot| (self.row[slot], j, self.values[slot]))
        })
    }

    /// out += factor · A x.
    pub fn add_product<T: Scalar>(&self, factor: T, x: &[T], out: &mut [T]) {
        for (j, x) in x.iter().enumerate() {
            let by = factor * *x;
            for slot in self.column(j) {
                out[self.row[slot]] += T::from(self.values[slot]) * by;
            }
        }
    }

    /// out += factor · Aᵀ x.
    pub fn add_transposed<T: Scalar>(&self, factor: T, x: &[T], out: &mut [T]) {
        for (j, out) in out.iter_mut().enumerate() {
            let mut sum = T::default();
            for slot in self.column(j) {
                sum += T::from(self.values[slot]) * x[self.row[slot]];
            }
            *out += factor * sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_the_full_matrix() {
        let places = [(1, 0), (0, 2), (1, 2), (0, 0), (1, 0)];
        let mut sparse = Entries::at(2, 3, &places);
        let mut full = Entries::full(2, 3);
        for (k, &(i, j)) in places.iter().enumerate() {
            sparse.set(i, j, 1.0 + k as f64);
            full.set(i, j, 1.0 + k as f64);
        }
        let (mut a, mut b) = ([1.0; 2], [1.0; 2]);
        sparse.add_product(2.0, &[1.0, 2.0, 3.0], &mut a);
        full.add_product(2.0, &[1.0, 2.0, 3.0], &mut b);
        assert_eq!(a, b);
        let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
        sparse.add_transposed(-1.0, &[1.0, 2.0], &mut a);
        full.add_transposed(-1.0, &[1.0, 2.0], &mut b);
        assert_eq!(a, b);
        assert_eq!(sparse.slot(0, 1), None);
    }
}
