//! A motion from its speed: θ(t) = θ₀ + ∫₀ᵗ ω(s) ds, exact to rounding.
//!
//! The time up to a horizon is cut at the kinks of ω, evenly, ever closer to the start, and then halved
//! until ten-point Gauss–Legendre quadrature of a panel agrees with that of two parts to 1e-14. The
//! sums at the cuts are stored once; a value costs one panel's quadrature and no memory. Beyond the
//! horizon stretches that double the time are cut likewise when they are first asked for. Their number
//! and that of their cuts is bounded, and so is the cost of any value, whatever ω does.

use std::sync::{Arc, OnceLock};

use gudgeon::formula::Left;
use gudgeon::time::{Jet, TimeFunction, TimeLaw};

/// Positive nodes on [−1, 1] and weights of the ten-point rule, degree of exactness 19.
const GAUSS: [(f64, f64); 5] = [
    (0.148_874_338_981_631_2, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

/// Agreement of a panel with its parts, relative to the width times the largest |ω| in it, or times
/// this share of the largest |ω| of all: near its zeros ω is rounding.
const TOLERANCE: f64 = 1e-14;
const OF_ALL: f64 = 0.1;
/// Where a panel is divided to be compared with its parts: in the middle a ramp that is symmetric about
/// it would seem exact.
const ASIDE: f64 = 0.4;
/// Panels are not cut below this part of the horizon.
const NARROWEST: f64 = 1e-12;
/// Panels that are looked at in any case, so that no ramp of a long motion is missed: so many of even
/// width, the first of them halved towards the start down to this width, s.
const EVEN: usize = 64;
const SOONEST: f64 = 1e-6;
/// Cuts up to the horizon; what is left then is not halved any more.
const CUTS: usize = 40_000;
/// So many of them up to this share of the horizon already are without hope: nothing is halved from there on.
const EARLY: (usize, f64) = (4000, 1e-5);
/// Kinks among them.
const KINKS: usize = 20_000;
/// Stretches beyond the horizon, each twice as long as all before it, and their cuts: the first few are
/// for motions whose end is not known, the others for those who look ahead.
const LATER: usize = 64;
const LATER_CUTS: [usize; 2] = [20_000, 2_000];
const FIRST_LATER: usize = 4;

#[derive(Debug)]
struct Integral {
    start: f64,
    speed: TimeFunction,
    first: Stretch,
    later: [OnceLock<Stretch>; LATER],
}

/// A part of the time.
#[derive(Debug)]
struct Stretch {
    /// Times of the cuts, the two ends included.
    cuts: Vec<f64>,
    /// ∫₀ of ω at each cut.
    sums: Vec<f64>,
    /// Where the first panel lies that could not be halved as often as it needed.
    coarse_from: Option<f64>,
}

/// A motion and from when on it is not exact, where its speed varies too fast.
pub(crate) struct Motion {
    pub function: TimeFunction,
    pub inexact_from: Option<f64>,
}

/// The motion with the given speed, prepared for times up to `horizon`.
pub(crate) fn integrate(start: f64, speed: TimeFunction, horizon: f64) -> Motion {
    if let TimeFunction::Constant(rate) = speed {
        let function = TimeFunction::Linear { start, rate };
        return Motion { function, inexact_from: None };
    }
    let horizon = if horizon > 0.0 { horizon.min(f64::MAX / 2.0) } else { 1.0 };
    let width = horizon / EVEN as f64;
    let even = (1..=EVEN).map(|i| width * i as f64);
    let halved = std::iter::successors(Some(0.5 * width), |w| Some(0.5 * w));
    let mut ends: Vec<f64> = halved.take_while(|w| *w >= SOONEST).chain(even).collect();
    let left_out = add_kinks(&speed, (0.0, horizon), KINKS, &mut ends);
    let mut first = Stretch::new(&speed, 0.0, (0.0, &ends), CUTS);
    first.coarse_from = [first.coarse_from, left_out].into_iter().flatten().reduce(f64::min);
    let inexact_from = first.coarse_from;
    let later = [const { OnceLock::new() }; LATER];
    let law = Integral { start, speed, first, later };
    Motion { function: TimeFunction::Law(Arc::new(law)), inexact_from }
}

/// Kinks within a stretch among the ends of its panels; where more are left out, from when on.
fn add_kinks(
    speed: &TimeFunction,
    (from, to): (f64, f64),
    most: usize,
    ends: &mut Vec<f64>,
) -> Option<f64> {
    let cuts = speed.cuts(from, to).filter(|cut| *cut > from && *cut < to);
    let mut left_out = None;
    for (i, cut) in cuts.enumerate() {
        if i >= most || i >= EARLY.0 && cut < EARLY.1 * to {
            left_out = Some(cut);
            break;
        }
        ends.push(cut);
    }
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    left_out
}

impl Stretch {
    /// From a time, where the integral is `sum`, over panels that end where they are given.
    fn new(speed: &TimeFunction, sum: f64, (from, ends): (f64, &[f64]), most: usize) -> Self {
        let last = ends.last().copied().unwrap_or(from);
        let narrowest = NARROWEST * last;
        let starts = std::iter::once(&from).chain(ends);
        let sizes = starts.zip(ends).map(|(a, b)| panel(speed, *a, *b).largest);
        let least = OF_ALL * sizes.fold(0.0, f64::max);
        let mut out = Self { cuts: vec![from], sums: vec![sum], coarse_from: None };
        let mut total = Sum::default();
        total.add(sum);
        let mut from = from;
        let mut hopeless = false;
        // Panels still to be done, the next one last.
        let mut open = Vec::new();
        for &end in ends {
            open.push((from, end));
            while let Some((a, b)) = open.pop() {
                let (middle, aside) = (0.5 * (a + b), a + ASIDE * (b - a));
                let whole = panel(speed, a, b);
                let parts = panel(speed, a, aside).sum + panel(speed, aside, b).sum;
                let size = TOLERANCE * whole.largest.max(least) + whole.rounding;
                let close = (whole.sum - parts).abs() <= size * (b - a);
                let done = close || b - a <= narrowest || !parts.is_finite();
                let cuts = out.cuts.len();
                hopeless |= cuts >= EARLY.0 && b < EARLY.1 * last;
                let full = cuts >= most || hopeless;
                if done || full {
                    total.add(parts);
                    out.cuts.push(b);
                    out.sums.push(total.value());
                } else {
                    open.push((middle, b));
                    open.push((a, middle));
                }
                if full && !done {
                    out.coarse_from.get_or_insert(a);
                }
            }
            from = end;
        }
        out
    }

    fn end(&self) -> (f64, f64) {
        let last = self.cuts.len() - 1;
        (self.cuts[last], self.sums[last])
    }

    fn value(&self, speed: &TimeFunction, t: f64) -> f64 {
        let at = self.cuts.partition_point(|cut| *cut <= t).saturating_sub(1);
        self.sums[at] + panel(speed, self.cuts[at], t).sum
    }
}

/// What is known of ω over [a, b].
struct Panel {
    /// ∫ω
    sum: f64,
    /// Largest |ω| among the nodes.
    largest: f64,
    /// What the rounding of t makes of ω: a sine late in a long run is known no better.
    rounding: f64,
}

fn panel(speed: &TimeFunction, a: f64, b: f64) -> Panel {
    let (centre, half) = (0.5 * (a + b), 0.5 * (b - a));
    let (mut sum, mut largest, mut fastest) = (0.0, 0.0_f64, 0.0_f64);
    for (node, weight) in GAUSS {
        for t in [centre - half * node, centre + half * node] {
            let jet = speed.jet(t, t);
            sum += weight * jet.value;
            largest = largest.max(jet.value.abs());
            fastest = fastest.max(jet.rate.abs());
        }
    }
    Panel { sum: sum * half, largest, rounding: f64::EPSILON * b.abs() * fastest }
}

impl Integral {
    fn value(&self, t: f64) -> f64 {
        self.start + self.stretch(t).value(&self.speed, t)
    }

    /// The stretch that holds a time, or the last one.
    fn stretch(&self, t: f64) -> &Stretch {
        let mut stretch = &self.first;
        for (i, later) in self.later.iter().enumerate() {
            let (end, sum) = stretch.end();
            let next = 2.0 * end;
            // A cut that ends the stretch belongs to it, as where it is computed once more.
            if t <= end || !next.is_finite() || t.is_nan() {
                break;
            }
            stretch = later.get_or_init(|| {
                let early = i < FIRST_LATER;
                let mut ends = vec![next];
                let most = LATER_CUTS[usize::from(!early)];
                if early {
                    add_kinks(&self.speed, (end, next), most, &mut ends);
                }
                Stretch::new(&self.speed, sum, (end, &ends), most)
            });
        }
        stretch
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

    fn left(&self, t: f64, branch: f64) -> Option<Left> {
        self.speed.left(t, branch)
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
        let law = integrate(2.0, TimeFunction::Law(Arc::new(Uneven)), 5.0).function;
        for t in [0.0_f64, 1e-9, 0.013, 0.3, 0.31, 1.7, 4.999, 5.0, 5.4, 11.0, 79.0] {
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
        let law = integrate(1.0, TimeFunction::Constant(3.0), 1.0).function;
        assert!(matches!(law, TimeFunction::Linear { start: 1.0, rate: 3.0 }));
    }

    /// ω = 100 once it has risen softly at t = 0.5, within 0.01 s.
    #[derive(Debug)]
    struct Soft;

    impl TimeLaw for Soft {
        fn jet(&self, t: f64, _: f64) -> Jet {
            let e = (-(t - 0.5) / 0.01).exp();
            Jet { value: 100.0 / (1.0 + e), rate: 1e4 * e / (1.0 + e).powi(2), second: 0.0 }
        }

        fn kinks(&self, _: f64, _: f64, _: &mut Vec<f64>) {}
    }

    #[test]
    fn a_ramp_is_seen_whatever_the_horizon_and_far_beyond_it() {
        for horizon in [0.0, 1e-6, 0.1, 0.7, 60.0, 5e3, 1e5] {
            let law = integrate(0.0, TimeFunction::Law(Arc::new(Soft)), horizon).function;
            for t in [0.5, 2.0, 1e3, 1e7, 1e13] {
                let x: f64 = (t - 0.5) / 0.01;
                let exact = if x > 40.0 { 100.0 * (t - 0.5) } else { x.exp().ln_1p() };
                let exact = exact - (-50.0f64).exp().ln_1p();
                let value = law.jet(t, t).value;
                assert!((value / exact - 1.0).abs() < 1e-11, "{horizon} {t}: {value} {exact}");
            }
        }
    }

    #[test]
    fn speeds_without_bound_or_end_cost_little() {
        /// ω = a sin(b t) or worse.
        #[derive(Debug)]
        struct Wild(f64, f64);
        impl TimeLaw for Wild {
            fn jet(&self, t: f64, _: f64) -> Jet {
                let (sin, cos) = (self.1 * t).sin_cos();
                Jet { value: self.0 * sin, rate: self.0 * self.1 * cos, second: 0.0 }
            }
            fn kinks(&self, _: f64, _: f64, _: &mut Vec<f64>) {}
        }
        let started = std::time::Instant::now();
        for (a, b) in [(1.0, 1e9), (f64::NAN, 1.0), (f64::INFINITY, 0.0), (1e300, 1e300)] {
            let motion = integrate(0.0, TimeFunction::Law(Arc::new(Wild(a, b))), 1e-3);
            for t in [1e-4, 1.0, 1e300, f64::INFINITY, f64::NAN] {
                motion.function.jet(t, t);
            }
        }
        let fast = integrate(0.0, TimeFunction::Law(Arc::new(Wild(1.0, 1e9))), 1.0);
        assert!(fast.inexact_from.is_some_and(|t| t < 0.1));
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}
