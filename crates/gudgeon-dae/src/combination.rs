//! Linear combinations of vectors of one length n that stand one behind the other: stages of a step, coefficients of an
//! interpolant.
//!
//! A few components at a time are kept in registers through all terms. Every component is summed in the order of the terms,
//! whatever their number.

/// Components that are summed at once.
const LANES: usize = 4;

/// Runs an expression with the number of lanes as a constant: one where there are few components.
macro_rules! with_lanes {
    ($components:expr, $lanes:ident => $run:expr) => {
        if $components < LANES {
            const $lanes: usize = 1;
            $run
        } else {
            const $lanes: usize = LANES;
            $run
        }
    };
}

/// Number of a vector and its factor.
type Term = (usize, f64);

/// out = y + h Σ a_j k_j.
pub(crate) fn combine(y: &[f64], h: f64, terms: &[Term], k: &[f64], out: &mut [f64]) {
    let n = y.len();
    with_lanes!(n, L => by_lanes::<L>(out, |first| {
        add(*lanes_at(y, first), h, terms, k, (first, n))
    }));
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
    let n = y0.len();
    with_lanes!(n, L => by_lanes::<L>(out, |first| {
        let (y0, y1) = (lanes_at::<L>(y0, first), lanes_at::<L>(y1, first));
        let start = std::array::from_fn(|i| y0[i] + c * (y1[i] - y0[i]));
        add(start, h, terms, k, (first, n))
    }));
}

/// out = h Σ a_j k_j.
pub(crate) fn sum(h: f64, terms: &[Term], k: &[f64], out: &mut [f64]) {
    let n = out.len();
    with_lanes!(n, L => by_lanes::<L>(out, |first| add([0.0; L], h, terms, k, (first, n))));
}

/// out = y + x₀ (r₀ + x₁ (r₁ + x₂ (r₂ + …))), x₀ = x₂ = … = θ and x₁ = x₃ = … = 1 − θ.
pub(crate) fn nested(theta: f64, y: &[f64], rows: &[f64], out: &mut [f64]) {
    let n = y.len();
    with_lanes!(n, L => by_lanes::<L>(out, |first| {
        let mut sum = [0.0; L];
        for (row, r) in rows.chunks_exact(n).enumerate().rev() {
            let x = if row.is_multiple_of(2) { theta } else { 1.0 - theta };
            let r = lanes_at::<L>(r, first);
            (0..L).for_each(|i| sum[i] = (sum[i] + r[i]) * x);
        }
        let y = lanes_at::<L>(y, first);
        (0..L).for_each(|i| sum[i] += y[i]);
        sum
    }));
}

/// start + h Σ a_j k_j of the lanes from `first` on, of vectors of length n.
#[inline(always)]
fn add<const L: usize>(
    start: [f64; L],
    h: f64,
    terms: &[Term],
    k: &[f64],
    (first, n): (usize, usize),
) -> [f64; L] {
    let mut sum = start;
    for &(j, a) in terms {
        let (factor, k) = (h * a, lanes_at::<L>(k, j * n + first));
        (0..L).for_each(|i| sum[i] += factor * k[i]);
    }
    sum
}

#[inline(always)]
fn lanes_at<const L: usize>(x: &[f64], first: usize) -> &[f64; L] {
    x[first..].first_chunk().expect("as many as there are")
}

/// Fills `out` by lanes, given the first component of each; the last may overlap those before.
#[inline(always)]
fn by_lanes<const L: usize>(out: &mut [f64], lanes: impl Fn(usize) -> [f64; L]) {
    let last = out.len().saturating_sub(L);
    for part in 0..out.len().div_ceil(L) {
        let first = (L * part).min(last);
        let out = out[first..].first_chunk_mut().expect("as many as there are");
        *out = lanes(first);
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
