//! Linear combinations of vectors of one length n that stand one behind the other: stages of a step, coefficients of an
//! interpolant.
//!
//! A few components at a time are kept in registers through all terms. Every component is summed in the order of the terms,
//! whatever their number.

/// Number of a vector and its factor.
type Term = (usize, f64);

/// Components that are summed at once.
const LANES: usize = 4;

/// out = y + h Σ a_j k_j.
pub(crate) fn combine(y: &[f64], h: f64, terms: &[Term], k: &[f64], out: &mut [f64]) {
    let n = y.len();
    let factors = Factors::new(h, terms, n);
    by_lanes(
        out,
        |first| factors.lanes(*lanes_at(y, first), k, first),
        |i| factors.single(y[i], k, i),
    );
}

/// out = y₀ + c (y₁ − y₀) + h Σ a_j k_j.
pub(crate) fn combine_between(
    (y0, y1): (&[f64], &[f64]),
    c: f64,
    h: f64,
    terms: &[Term],
    k: &[f64],
    out: &mut [f64],
) {
    let factors = Factors::new(h, terms, y0.len());
    by_lanes(
        out,
        |first| {
            let (y0, y1) = (lanes_at(y0, first), lanes_at(y1, first));
            let start = std::array::from_fn(|i| y0[i] + c * (y1[i] - y0[i]));
            factors.lanes(start, k, first)
        },
        |i| factors.single(y0[i] + c * (y1[i] - y0[i]), k, i),
    );
}

/// out = h Σ a_j k_j.
pub(crate) fn sum(h: f64, terms: &[Term], k: &[f64], out: &mut [f64]) {
    let factors = Factors::new(h, terms, out.len());
    by_lanes(out, |first| factors.lanes([0.0; LANES], k, first), |i| factors.single(0.0, k, i));
}

/// out = y + x₀ (r₀ + x₁ (r₁ + x₂ (r₂ + …))), x₀ = x₂ = … = θ and x₁ = x₃ = … = 1 − θ.
pub(crate) fn nested(theta: f64, y: &[f64], rows: &[f64], out: &mut [f64]) {
    let n = y.len();
    let count = rows.len() / n;
    let x = |row: usize| if row.is_multiple_of(2) { theta } else { 1.0 - theta };
    by_lanes(
        out,
        |first| {
            let mut sum = [0.0; LANES];
            for row in (0..count).rev() {
                let (x, r) = (x(row), lanes_at(rows, row * n + first));
                (0..LANES).for_each(|i| sum[i] = (sum[i] + r[i]) * x);
            }
            let y = lanes_at(y, first);
            (0..LANES).for_each(|i| sum[i] += y[i]);
            sum
        },
        |i| (0..count).rev().fold(0.0, |sum, row| (sum + rows[row * n + i]) * x(row)) + y[i],
    );
}

/// h a_j and where k_j begins.
struct Factors {
    all: [(usize, f64); MOST],
    count: usize,
}

/// Terms at most.
const MOST: usize = 16;

impl Factors {
    #[inline(always)]
    fn new(h: f64, terms: &[Term], n: usize) -> Self {
        let mut all = [(0, 0.0); MOST];
        for (to, &(j, a)) in all.iter_mut().zip(terms) {
            *to = (j * n, h * a);
        }
        debug_assert!(terms.len() <= MOST);
        Self { all, count: terms.len() }
    }

    #[inline(always)]
    fn lanes(&self, start: [f64; LANES], k: &[f64], first: usize) -> [f64; LANES] {
        let mut sum = start;
        for &(at, factor) in &self.all[..self.count] {
            let k = lanes_at(k, at + first);
            (0..LANES).for_each(|i| sum[i] += factor * k[i]);
        }
        sum
    }

    #[inline(always)]
    fn single(&self, start: f64, k: &[f64], i: usize) -> f64 {
        self.all[..self.count].iter().fold(start, |sum, &(at, factor)| sum + factor * k[at + i])
    }
}

#[inline(always)]
fn lanes_at(x: &[f64], first: usize) -> &[f64; LANES] {
    x[first..].first_chunk().expect("as many as there are")
}

/// Fills `out` by lanes, given the first component of each. The last lanes may overlap those before; where there are too few
/// components for any, they are filled one by one.
#[inline(always)]
fn by_lanes(out: &mut [f64], lanes: impl Fn(usize) -> [f64; LANES], single: impl Fn(usize) -> f64) {
    let n = out.len();
    if n < LANES {
        (0..n).for_each(|i| out[i] = single(i));
        return;
    }
    let (parts, rest) = out.as_chunks_mut::<LANES>();
    for (i, part) in parts.iter_mut().enumerate() {
        *part = lanes(LANES * i);
    }
    if !rest.is_empty() {
        *out.last_chunk_mut().expect("as many as there are") = lanes(n - LANES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without pattern, and as many vectors as rows name.
    fn vectors(n: usize) -> Vec<f64> {
        (0..3 * n).map(|i| ((i * i + 7 * i) as f64).sin()).collect()
    }

    #[test]
    fn components_are_summed_in_the_order_of_the_terms() {
        const ROW: &[Term] = &[(0, 0.3), (2, -1.7), (1, 0.11)];
        for n in 1..11 {
            let (k, y) = (vectors(n), vectors(n)[..n].to_vec());
            let [mut whole, mut change, mut inside, mut between] =
                std::array::from_fn(|_| y.clone());
            combine(&y, 0.7, ROW, &k, &mut whole);
            sum(0.7, ROW, &k, &mut change);
            nested(0.6, &y, &k, &mut inside);
            combine_between((&k[..n], &y), 1.0, 0.7, ROW, &k, &mut between);
            for i in 0..n {
                let (mut expected, mut without) = (y[i], 0.0);
                for &(j, a) in ROW {
                    expected += 0.7 * a * k[j * n + i];
                    without += 0.7 * a * k[j * n + i];
                }
                assert_eq!((whole[i], change[i]), (expected, without), "{i} of {n}");
                assert_eq!(between[i], expected, "{i} of {n}");
                let by_hand = 0.6 * (k[i] + 0.4 * (k[n + i] + 0.6 * k[2 * n + i])) + y[i];
                assert!((inside[i] - by_hand).abs() < 1e-15, "{i} of {n}");
            }
        }
    }
}
