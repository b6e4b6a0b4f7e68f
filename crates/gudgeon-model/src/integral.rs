//! A motion from its speed: θ(t) = θ₀ + ∫₀ᵗ ω(s) ds, exact to rounding.
//!
//! The time up to a horizon is cut at the kinks of ω and then halved until ten-point
//! Gauss–Legendre quadrature of a panel agrees with that of its halves to 1e-14. The sums at the
//! cuts are stored once; a value costs one panel's quadrature and no memory. Beyond the horizon the
//! last panel's width is continued, which is exact only for smooth ω.

use std::sync::Arc;

use gudgeon::time::{Jet, TimeFunction, TimeLaw};

/// Positive nodes on [−1, 1] and weights of the ten-point rule, degree of exactness 19.
const GAUSS: [(f64, f64); 5] = [
    (0.148_874_338_981_631_2, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

/// Agreement of a panel with its halves, relative to the largest |ω| times the width.
const TOLERANCE: f64 = 1e-14;
/// Panels are not cut below this part of the horizon.
const NARROWEST: f64 = 1e-12;
/// Cuts that are stored; a longer motion continues with panels of the last width.
const CUTS: usize = 1_000_000;

#[derive(Debug)]
struct Integral {
    start: f64,
    speed: TimeFunction,
    /// Times of the cuts, from 0 to the horizon.
    cuts: Vec<f64>,
    /// ∫₀ of ω at each cut.
    sums: Vec<f64>,
}

/// The motion with the given speed, prepared for times up to `horizon`.
pub(crate) fn integrate(start: f64, speed: TimeFunction, horizon: f64) -> TimeFunction {
    if let TimeFunction::Constant(rate) = speed {
        return TimeFunction::Linear { start, rate };
    }
    let (mut cuts, mut sums) = (vec![0.0], vec![0.0]);
    let mut total = Sum::default();
    let mut from = 0.0;
    for kink in speed.cuts(0.0, horizon) {
        if cuts.len() >= CUTS {
            break;
        }
        // Panels still to be done, the next one last.
        let mut open = vec![(from, kink)];
        while let Some((a, b)) = open.pop().filter(|_| cuts.len() < CUTS) {
            let middle = 0.5 * (a + b);
            let (whole, largest) = panel(&speed, a, b);
            let halves = panel(&speed, a, middle).0 + panel(&speed, middle, b).0;
            let close = (whole - halves).abs() <= TOLERANCE * largest * (b - a);
            if close || b - a <= NARROWEST * horizon || !halves.is_finite() {
                total.add(halves);
                cuts.push(b);
                sums.push(total.value());
            } else {
                open.push((middle, b));
                open.push((a, middle));
            }
        }
        from = kink;
    }
    TimeFunction::Law(Arc::new(Integral { start, speed, cuts, sums }))
}

/// ∫ω over [a, b], and the largest |ω| among its nodes.
fn panel(speed: &TimeFunction, a: f64, b: f64) -> (f64, f64) {
    let (centre, half) = (0.5 * (a + b), 0.5 * (b - a));
    let (mut sum, mut largest) = (0.0, 0.0_f64);
    for (node, weight) in GAUSS {
        for t in [centre - half * node, centre + half * node] {
            let value = speed.jet(t, t).value;
            sum += weight * value;
            largest = largest.max(value.abs());
        }
    }
    (sum * half, largest)
}

impl Integral {
    fn value(&self, t: f64) -> f64 {
        let last = self.cuts.len() - 1;
        let at = self.cuts.partition_point(|cut| *cut <= t).saturating_sub(1);
        if at < last {
            return self.start + self.sums[at] + panel(&self.speed, self.cuts[at], t).0;
        }
        let width = self.cuts[last] - self.cuts[last - 1];
        let (mut sum, mut from) = (self.sums[last], self.cuts[last]);
        while from < t {
            let to = (from + width).min(t);
            sum += panel(&self.speed, from, to).0;
            if to <= from {
                break;
            }
            from = to;
        }
        self.start + sum
    }
}

impl TimeLaw for Integral {
    fn jet(&self, t: f64, branch: f64) -> Jet {
        let speed = self.speed.jet(t, branch);
        Jet { value: self.value(t), rate: speed.value, second: speed.rate }
    }

    fn kinks(&self, from: f64, to: f64, out: &mut Vec<f64>) {
        self.speed.kinks(from, to, out);
    }

    fn stretch(&self, from: f64, to: f64) -> f64 {
        self.speed.stretch(from, to)
    }
}

/// Compensated summation (Neumaier).
#[derive(Default)]
struct Sum {
    sum: f64,
    rest: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        self.rest += if self.sum.abs() >= term.abs() {
            (self.sum - sum) + term
        } else {
            (term - sum) + self.sum
        };
        self.sum = sum;
    }

    fn value(&self) -> f64 {
        self.sum + self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ω = 100 + 40 sin(300 t), and from t = 0.3 on a jump of 20.
    #[derive(Debug)]
    struct Uneven;

    impl TimeLaw for Uneven {
        fn jet(&self, t: f64, branch: f64) -> Jet {
            let jump = if branch > 0.3 { 20.0 } else { 0.0 };
            let (sin, cos) = (300.0 * t).sin_cos();
            Jet { value: 100.0 + 40.0 * sin + jump, rate: 12e3 * cos, second: -3.6e6 * sin }
        }

        fn kinks(&self, from: f64, to: f64, out: &mut Vec<f64>) {
            out.extend([0.3].into_iter().filter(|kink| from < *kink && *kink < to));
        }
    }

    #[test]
    fn the_integral_is_exact_to_rounding_before_and_after_a_jump() {
        let law = integrate(2.0, TimeFunction::Law(Arc::new(Uneven)), 5.0);
        for t in [0.0_f64, 1e-9, 0.013, 0.3, 0.31, 1.7, 4.999, 5.0, 5.4] {
            let exact = 2.0
                + 100.0 * t
                + 40.0 / 300.0 * (1.0 - (300.0 * t).cos())
                + 20.0 * f64::max(0.0, t - 0.3);
            let jet = law.jet(t, t + 1e-9);
            assert!((jet.value / exact - 1.0).abs() < 1e-13, "{t}: {} {exact}", jet.value);
            assert_eq!(jet.rate, Uneven.jet(t, t + 1e-9).value);
            assert_eq!(jet.second, Uneven.jet(t, t + 1e-9).rate);
        }
    }

    #[test]
    fn a_constant_speed_stays_linear() {
        let law = integrate(1.0, TimeFunction::Constant(3.0), 1.0);
        assert!(matches!(law, TimeFunction::Linear { start: 1.0, rate: 3.0 }));
    }
}
