//! Four numbers at once: exponential, logarithm and the products of panels.
//!
//! Every function here is `#[inline(always)]` so that it is compiled for the vector unit of its caller.

use super::{ROWS, TILE};
use fearless_simd::{Simd, f64x4, prelude::*};

/// Numbers in a vector.
pub const LANES: usize = 4;

/// 1.5 · 2⁵²: adding it rounds to a whole number that stands in the low bits of the sum.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts; the first has 32 trailing zero bits, so whole multiples of it are exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// eˣ to about one unit in the last place, for x ≤ 709; below −708 the result is e⁻⁷⁰⁸ ≈ 3e−308.
///
///   x = k ln 2 + r,  |r| ≤ ½ ln 2,   eˣ = 2ᵏ Σ rⁱ/i!,  i = 0 … 13
///
/// The first term left out, r¹⁴/14!, is below 5e−18.
#[inline(always)]
pub fn exp<S: Simd>(simd: S, x: f64x4<S>) -> f64x4<S> {
    const INVERSE_FACTORIALS: [f64; 13] = [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];
    let x = x.max(f64x4::splat(simd, -708.0));
    let rounded = x.mul_add(std::f64::consts::LOG2_E, ROUND);
    let k = rounded - ROUND;
    let r = (-k).mul_add(LN2_HIGH, x);
    let r = (-k).mul_add(LN2_LOW, r);
    let mut sum = f64x4::splat(simd, 1.0 / 6_227_020_800.0);
    for c in INVERSE_FACTORIALS {
        sum = sum.mul_add(r, c);
    }
    let power = (rounded.to_bits() + 1023) << 52;
    sum * f64x4::from_bits(power)
}

/// ln x to about two units in the last place, for normal x > 0.
///
///   x = 2ᵏ m,  m ∈ [√½, √2),  s = (m − 1)/(m + 1),  ln m = 2 (s + s³/3 + … + s²³/23)
///
/// |s| ≤ 0.1716, so the first term left out is below 4e−21.
#[inline(always)]
pub fn ln<S: Simd>(simd: S, x: f64x4<S>) -> f64x4<S> {
    /// The bits of √½: subtracted, they leave the exponent k of the m above in the high bits.
    const HALF_ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = x.to_bits() - HALF_ROOT;
    let mantissa = (bits & MANTISSA) + HALF_ROOT;
    let m = f64x4::from_bits(mantissa);
    // k + 2048 as a whole number in the low bits of ROUND, whose own low bits are zero.
    let k = f64x4::from_bits((((bits >> 52) + 2048) & 4095) + ROUND.to_bits()) - (ROUND + 2048.0);
    let s = (m - 1.0) / (m + 1.0);
    let s2 = s * s;
    let mut sum = f64x4::splat(simd, 1.0 / 23.0);
    for i in (0..11).rev() {
        sum = sum.mul_add(s2, 1.0 / (2 * i + 1) as f64);
    }
    // s may be added last: the other terms are small against it.
    k.mul_add(LN2_HIGH, k.mul_add(LN2_LOW, (s + s) * sum))
}

/// T = A Bᵀ of two panels of equal length; T column by column, its rows those of A.
#[inline(always)]
pub fn product<S: Simd>(simd: S, a: &[f64], b: &[f64], tile: &mut [f64; TILE]) {
    let (a, b) = (a.as_chunks::<ROWS>().0, b.as_chunks::<ROWS>().0);
    half_product::<S, 0>(simd, a, b, tile);
    half_product::<S, 4>(simd, a, b, tile);
}

/// Columns FIRST … FIRST + 3 of T: eight sums in flight keep the multipliers busy.
#[inline(always)]
fn half_product<S: Simd, const FIRST: usize>(
    simd: S,
    a: &[[f64; ROWS]],
    b: &[[f64; ROWS]],
    tile: &mut [f64; TILE],
) {
    let zero = f64x4::splat(simd, 0.0);
    let mut sums = [[zero; 2]; 4];
    for (a, b) in a.iter().zip(b) {
        let rows = [f64x4::from_slice(simd, &a[..4]), f64x4::from_slice(simd, &a[4..])];
        for c in 0..4 {
            let factor = f64x4::splat(simd, b[FIRST + c]);
            for v in 0..2 {
                sums[c][v] = rows[v].mul_add(factor, sums[c][v]);
            }
        }
    }
    for c in 0..4 {
        for v in 0..2 {
            let at = (FIRST + c) * ROWS + v * LANES;
            sums[c][v].store_slice(&mut tile[at..at + LANES]);
        }
    }
}

/// Sum of the products of two slices of equal length, a multiple of [`LANES`].
#[inline(always)]
pub fn dot<S: Simd>(simd: S, a: &[f64], b: &[f64]) -> f64 {
    let mut sum = f64x4::splat(simd, 0.0);
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        sum = f64x4::load_array_ref(simd, a).mul_add(f64x4::load_array_ref(simd, b), sum);
    }
    sum.reduce_sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::vectorised;

    fn of_four(
        f: fn(&mut [f64; 4]),
        values: impl Iterator<Item = f64>,
        exact: fn(f64) -> f64,
    ) -> f64 {
        let mut worst: f64 = 0.0;
        for x in values {
            let mut four = [x; 4];
            f(&mut four);
            let exact = exact(x);
            worst = worst.max((four[3] - exact).abs() / exact.abs().max(f64::MIN_POSITIVE));
        }
        worst
    }

    #[test]
    fn exp_is_exact_to_a_few_units_in_the_last_place() {
        let f = |x: &mut [f64; 4]| {
            vectorised!(simd => *x = exp(simd, f64x4::load_array(simd, *x)).into());
        };
        let values = (0..20_000).map(|i| -700.0 + 0.037 * f64::from(i));
        assert!(of_four(f, values, f64::exp) < 4e-16);
        let mut four = [0.0, -1e4, -708.0, -1e300];
        f(&mut four);
        assert_eq!(four[0], 1.0);
        assert!(four[1..].iter().all(|&e| e > 0.0 && e < 1e-300));
    }

    #[test]
    fn ln_is_exact_to_a_few_units_in_the_last_place() {
        let f = |x: &mut [f64; 4]| {
            vectorised!(simd => *x = ln(simd, f64x4::load_array(simd, *x)).into());
        };
        let values = (0..20_000).map(|i| 1e-300 * (0.067 * f64::from(i)).exp());
        assert!(of_four(f, values, f64::ln) < 5e-16);
        let near_one = (0..20_000).map(|i| 0.7 + 3.1e-5 * f64::from(i));
        assert!(of_four(f, near_one, f64::ln) < 1e-15);
    }
}
