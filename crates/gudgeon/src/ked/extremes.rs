//! Extremes and means of outputs that are known at the ends of steps.
//!
//! An extreme between steps is that of the parabola through three neighbouring values where the middle one is the largest,
//! unless the curve bends there twice as much as one step before or more: an output that jumps, such as the stress of the
//! outer fibre where tension takes turns with compression, has its extremes at its values.
//! Means are those of straight lines between the values; their error is estimated from every second value, whose
//! own error is four times as large.

use std::borrow::Cow;

use crate::results::Extreme;
use crate::sensor::Sensor;

pub struct Extremes {
    outputs: Vec<One>,
    names: Vec<(String, Cow<'static, str>)>,
}

#[derive(Clone)]
struct One {
    low: (f64, f64),
    high: (f64, f64),
    /// Up to three last values with their times.
    last: [(f64, f64); 3],
    /// Second difference of the three values before, over time twice; NaN before there were three.
    bend: f64,
    count: usize,
    /// ∫ x and ∫ x² over all values, and over every second.
    sums: [f64; 2],
    coarse: [f64; 2],
    even: (f64, f64),
    begin: f64,
}

impl Extremes {
    pub fn new(outputs: &[Sensor]) -> Self {
        let nothing = (f64::NAN, f64::NAN);
        let one = One {
            low: nothing,
            high: nothing,
            last: [nothing; 3],
            bend: f64::NAN,
            count: 0,
            sums: [0.0; 2],
            coarse: [0.0; 2],
            even: nothing,
            begin: f64::NAN,
        };
        let names = outputs.iter().map(|sensor| (sensor.name.clone(), sensor.unit.clone()));
        Self { outputs: vec![one; outputs.len()], names: names.collect() }
    }

    /// Values at the end of a step.
    pub fn offer(&mut self, t: f64, values: &[f64]) {
        for (one, value) in self.outputs.iter_mut().zip(values) {
            one.offer(t, *value);
        }
    }

    pub fn finish(&self) -> Vec<Extreme> {
        let all = self.outputs.iter().zip(&self.names);
        all.map(|(one, (name, unit))| one.extreme(name.clone(), unit.clone())).collect()
    }
}

impl One {
    fn offer(&mut self, t: f64, x: f64) {
        if self.count == 0 {
            (self.low, self.high, self.even, self.begin) = ((t, x), (t, x), (t, x), t);
        } else {
            let (before, y) = self.last[2];
            self.sums[0] += 0.5 * (t - before) * (x + y);
            self.sums[1] += (t - before) * (x * x + x * y + y * y) / 3.0;
            if self.count.is_multiple_of(2) {
                let (before, y) = self.even;
                self.coarse[0] += 0.5 * (t - before) * (x + y);
                self.coarse[1] += (t - before) * (x * x + x * y + y * y) / 3.0;
                self.even = (t, x);
            }
        }
        self.last = [self.last[1], self.last[2], (t, x)];
        self.count += 1;
        self.look(t, x);
        if self.count >= 3 {
            let bend = bend(&self.last);
            // Behind a jump the curve seems to bend as much as before it, the other way.
            let smooth = bend * self.bend > 0.0 && bend.abs() <= 2.0 * self.bend.abs();
            if let (true, Some((t, x))) = (smooth, vertex(&self.last)) {
                self.look(t, x);
            }
            self.bend = bend;
        }
    }

    fn look(&mut self, t: f64, x: f64) {
        if x < self.low.1 || self.low.1.is_nan() {
            self.low = (t, x);
        }
        if x > self.high.1 || self.high.1.is_nan() {
            self.high = (t, x);
        }
    }

    fn extreme(&self, name: String, unit: Cow<'static, str>) -> Extreme {
        let duration = self.last[2].0 - self.begin;
        let (mean, square, errors) = match duration > 0.0 {
            true => {
                let covered = self.even.0 - self.begin;
                let error = |i: usize| match covered == duration {
                    true => (self.sums[i] - self.coarse[i]).abs() / (3.0 * duration),
                    false => (self.sums[i] / duration - self.coarse[i] / covered).abs() / 3.0,
                };
                (self.sums[0] / duration, self.sums[1] / duration, [error(0), error(1)])
            }
            false => (self.last[2].1, self.last[2].1.powi(2), [0.0; 2]),
        };
        let rms = square.max(0.0).sqrt();
        Extreme {
            name,
            unit,
            min: self.low.1,
            t_min: self.low.0,
            max: self.high.1,
            t_max: self.high.0,
            rms,
            mean,
            mean_error: errors[0],
            rms_error: if rms > 0.0 { 0.5 * errors[1] / rms } else { 0.0 },
        }
    }
}

/// Second difference over time twice.
fn bend(points: &[(f64, f64); 3]) -> f64 {
    let [(t0, x0), (t1, x1), (t2, x2)] = *points;
    ((x2 - x1) / (t2 - t1) - (x1 - x0) / (t1 - t0)) / (t2 - t0)
}

/// The vertex of the parabola through three points whose middle one is an extreme.
fn vertex(points: &[(f64, f64); 3]) -> Option<(f64, f64)> {
    let [(t0, x0), (t1, x1), (t2, x2)] = *points;
    let (a, b) = ((x1 - x0) / (t1 - t0), (x2 - x1) / (t2 - t1));
    let turns = a * b < 0.0;
    if !turns {
        return None;
    }
    let curve = bend(points);
    let slope = a + curve * (t1 - t0);
    let shift = -0.5 * slope / curve;
    Some((t1 + shift, x1 + 0.5 * slope * shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> One {
        One {
            low: (0.0, f64::NAN),
            high: (0.0, f64::NAN),
            last: [(0.0, 0.0); 3],
            bend: f64::NAN,
            count: 0,
            sums: [0.0; 2],
            coarse: [0.0; 2],
            even: (0.0, 0.0),
            begin: 0.0,
        }
    }

    #[test]
    fn an_output_that_jumps_has_no_extremes_beyond_its_values() {
        let mut one = one();
        for i in 0..100 {
            let t = 0.1 * f64::from(i);
            // As stress does where tension takes turns with compression.
            let sign = if (i / 7) % 2 == 0 { 1.0 } else { -1.0 };
            one.offer(t, sign * (8.0 + 0.1 * t.sin()));
        }
        let found = one.extreme(String::new(), "".into());
        assert!(found.max <= 8.1 && found.min >= -8.1, "{} {}", found.min, found.max);
    }

    #[test]
    fn extremes_and_means_of_a_sine_are_those_of_the_curve() {
        let mut one = one();
        let steps = 64;
        for i in 0..=steps {
            let t = std::f64::consts::TAU * f64::from(i) / f64::from(steps) + 0.3;
            one.offer(t, t.sin());
        }
        let found = one.extreme(String::new(), "".into());
        // A parabola misses a quarter of the third order.
        assert!((found.max - 1.0).abs() < 1e-5 && (found.min + 1.0).abs() < 1e-5);
        assert!((found.t_max - std::f64::consts::FRAC_PI_2).abs() < 1e-3);
        assert!(found.mean.abs() < 1e-12);
        let error = (found.rms - 0.5_f64.sqrt()).abs();
        assert!(error < 1e-3 && error < 1.5 * found.rms_error, "{error} {}", found.rms_error);
    }
}
