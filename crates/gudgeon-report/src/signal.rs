//! What is computed from all rows of an output before they are reduced.
//!
//! Spectrum: the values at 2^m even instants, straight lines between rows, without their mean and under Hann's
//! window w = ½ (1 − cos 2πi/n), whose mean is ½, so that a sine of amplitude A in the middle of a line shows A:
//!
//!   A_k = 4/n |Σ w_i x_i e^(−2πi ik/n)|                                                     (1)
//!
//! Rates by differences between the neighbours of a row; sections once per period at t₀ + k T.

use std::f64::consts::TAU;

/// Instants of a spectrum at most.
const LONGEST: usize = 1 << 15;
/// Lines of a spectrum that a page shows.
const LINES: usize = 350;

pub struct Spectrum {
    /// Frequencies of the lines, Hz.
    pub frequency: Vec<f64>,
    pub amplitude: Vec<f64>,
}

/// (1), of lines that are too many the largest of each part at its own frequency.
pub fn spectrum(t: &[f64], values: &[f64]) -> Option<Spectrum> {
    let (first, last) = (*t.first()?, *t.last()?);
    let n = (t.len().next_power_of_two() / 2).clamp(16, LONGEST);
    if t.len() < 32 || last <= first || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let step = (last - first) / n as f64;
    let mut place = 0;
    let mut re: Vec<f64> = (0..n)
        .map(|i| {
            let at = first + step * i as f64;
            while place + 2 < t.len() && t[place + 1] <= at {
                place += 1;
            }
            between(t, values, place, at)
        })
        .collect();
    let mean = re.iter().sum::<f64>() / n as f64;
    for (i, value) in re.iter_mut().enumerate() {
        *value = (*value - mean) * 0.5 * (1.0 - (TAU * i as f64 / n as f64).cos());
    }
    let mut im = vec![0.0; n];
    transform(&mut re, &mut im);
    let size = |k: usize| 4.0 / n as f64 * re[k].hypot(im[k]);
    let lines: Vec<(f64, f64)> = (1..n / 2).map(|k| (k as f64 / (last - first), size(k))).collect();
    let per = lines.len().div_ceil(LINES);
    let largest =
        |part: &[(f64, f64)]| part.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a });
    let (frequency, amplitude) = lines.chunks(per.max(1)).filter_map(largest).unzip();
    Some(Spectrum { frequency, amplitude })
}

/// On the line between row `place` and the next.
fn between(t: &[f64], values: &[f64], place: usize, at: f64) -> f64 {
    let (a, b) = (place, (place + 1).min(t.len() - 1));
    let share = if t[b] > t[a] { ((at - t[a]) / (t[b] - t[a])).clamp(0.0, 1.0) } else { 0.0 };
    values[a] + share * (values[b] - values[a])
}

/// Discrete Fourier transform in place; the length is a power of two.
fn transform(re: &mut [f64], im: &mut [f64]) {
    let n = re.len();
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for k in 0..half {
            let (s, c) = (-TAU * k as f64 / (2 * half) as f64).sin_cos();
            for a in (k..n).step_by(2 * half) {
                let b = a + half;
                let (x, y) = (c * re[b] - s * im[b], c * im[b] + s * re[b]);
                (re[b], im[b]) = (re[a] - x, im[a] - y);
                (re[a], im[a]) = (re[a] + x, im[a] + y);
            }
        }
        half *= 2;
    }
}

/// dx/dt at every row.
pub fn rates(t: &[f64], values: &[f64]) -> Vec<f64> {
    let last = t.len().saturating_sub(1);
    let rate = |i: usize| {
        let (mut a, mut b) = (i.saturating_sub(1), (i + 1).min(last));
        // Rows on both sides of an event stand at one instant.
        while t[b] <= t[a] && (a > 0 || b < last) {
            (a, b) = (a.saturating_sub(1), (b + 1).min(last));
        }
        (values[b] - values[a]) / (t[b] - t[a])
    };
    (0..t.len()).map(rate).collect()
}

/// Value and rate once per period, from `from` on.
pub fn section(
    t: &[f64],
    values: &[f64],
    rates: &[f64],
    from: f64,
    period: f64,
) -> Vec<(f64, f64)> {
    let Some(last) = t.last().filter(|_| period > 0.0) else { return Vec::new() };
    let count = ((last - from) / period * (1.0 + 1e-12)).floor();
    if count.is_nan() || count > 1e5 {
        return Vec::new();
    }
    let at = |k: usize| {
        let at = from + period * k as f64;
        let place = t.partition_point(|t| *t <= at).saturating_sub(1);
        (between(t, values, place, at), between(t, rates, place, at))
    };
    (0..=count.max(0.0) as usize).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(f: impl Fn(f64) -> f64) -> (Vec<f64>, Vec<f64>) {
        // Uneven instants.
        let t: Vec<f64> =
            (0..8000).map(|i| f64::from(i) / 8000.0 + 2e-5 * f64::from(i % 3)).collect();
        let values = t.iter().map(|t| f(*t)).collect();
        (t, values)
    }

    #[test]
    fn a_spectrum_shows_amplitudes_at_their_frequencies() {
        let (t, x) = rows(|t| 5.0 + 3.0 * (TAU * 50.0 * t).cos() + 0.5 * (TAU * 200.0 * t).sin());
        let found = spectrum(&t, &x).unwrap();
        let near = |f: f64| {
            let lines = found.frequency.iter().zip(&found.amplitude);
            lines.filter(|(g, _)| (*g - f).abs() < 3.0).map(|(_, a)| *a).fold(0.0, f64::max)
        };
        // A sine between two lines of Hann's window loses up to 15 %.
        assert!((near(50.0) - 3.0).abs() < 0.2 && (near(200.0) - 0.5).abs() < 0.08);
        assert!(near(120.0) < 0.01);
        assert!(found.frequency.len() <= LINES);
        assert!(spectrum(&[0.0, 1.0], &[1.0, 2.0]).is_none());
    }

    #[test]
    fn rates_are_derivatives() {
        let (t, x) = rows(|t| (7.0 * t).sin());
        for (t, rate) in t.iter().zip(rates(&t, &x)).skip(1).take(7998) {
            assert!((rate - 7.0 * (7.0 * t).cos()).abs() < 1e-2);
        }
        assert_eq!(rates(&[0.0, 1.0, 1.0, 2.0], &[0.0, 1.0, 5.0, 6.0])[1], 5.0);
    }

    #[test]
    fn sections_of_a_periodic_motion_are_one_point() {
        let (t, x) = rows(|t| (TAU * 10.0 * t + 0.3).sin());
        let points = section(&t, &x, &rates(&t, &x), 0.1, 0.1);
        assert_eq!(points.len(), 9);
        for (x, v) in points {
            assert!((x - 0.3f64.sin()).abs() < 1e-3 && (v - TAU * 10.0 * 0.3f64.cos()).abs() < 1.0);
        }
    }
}
