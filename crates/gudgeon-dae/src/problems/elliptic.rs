//! Jacobi's elliptic functions by the arithmetic–geometric mean (Abramowitz and Stegun 16.4).

/// sn(u, k) and cn(u, k) for a modulus 0 ≤ k < 1.
pub(super) fn sn_cn(u: f64, k: f64) -> (f64, f64) {
    let mut ratios = [0.0; 16];
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    let mut steps = 0;
    let mut c = k;
    while c.abs() > f64::EPSILON * a && steps < ratios.len() {
        (a, b, c) = (0.5 * (a + b), (a * b).sqrt(), 0.5 * (a - b));
        ratios[steps] = c / a;
        steps += 1;
    }
    let mut phi = a * u * f64::from(1u32 << steps);
    for ratio in ratios[..steps].iter().rev() {
        phi = 0.5 * (phi + (ratio * phi.sin()).asin());
    }
    phi.sin_cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_table_values() {
        let (sn, cn) = sn_cn(0.7, 0.0);
        assert!((sn - 0.7f64.sin()).abs() < 1e-15 && (cn - 0.7f64.cos()).abs() < 1e-15);
        // k → 1: sn = tanh.
        let (sn, _) = sn_cn(0.7, 1.0 - 1e-14);
        assert!((sn - 0.7f64.tanh()).abs() < 1e-12);
        // sn of the quarter period K(½) = 1.68575035481260 (modulus k = ½).
        let (sn, cn) = sn_cn(1.685_750_354_812_596, 0.5);
        assert!((sn - 1.0).abs() < 1e-14 && cn.abs() < 1e-12, "{sn} {cn}");
    }

    #[test]
    fn derivative_of_sn_is_cn_times_dn() {
        let (k, u, d) = (0.8, 1.3, 1e-5);
        let numeric = (sn_cn(u + d, k).0 - sn_cn(u - d, k).0) / (2.0 * d);
        let (sn, cn) = sn_cn(u, k);
        assert!((numeric - cn * (1.0 - k * k * sn * sn).sqrt()).abs() < 1e-10);
    }
}
