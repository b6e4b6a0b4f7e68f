//! Minimum of a smooth function within bounds: quasi-Newton steps, several starts.
//!
//!   p = −H g over the free numbers,   x ← clamp(x + t p),   t = 1, then shorter (Armijo)      (1)
//!   H ← (I − s yᵀ/sᵀy) H (I − y sᵀ/sᵀy) + s sᵀ/sᵀy,   s = Δx, y = Δg                          (2)
//!
//! A number is free unless it stands at a bound and the gradient points out of it. H is the inverse
//! Hessian of Broyden, Fletcher, Goldfarb and Shanno. Numbers are logarithms or exponents, so steps
//! of about 1 are large and [`LONGEST`] limits them.

use std::ops::Range;

pub(crate) trait Objective {
    /// Value at x, infinite where there is none.
    fn value(&mut self, x: &[f64]) -> f64;
    /// Gradient at the x last valued.
    fn gradient(&mut self, gradient: &mut [f64]);
}

#[derive(Clone, Debug)]
pub(crate) struct Minimum {
    pub x: Vec<f64>,
    pub value: f64,
}

/// When a local search ends.
#[derive(Clone, Copy)]
pub(crate) struct Stop {
    /// Expected or achieved decrease of the value.
    pub decrease: f64,
    pub iterations: usize,
}

const LONGEST: f64 = 2.0;
const ARMIJO: f64 = 1e-4;
const SHORTEST: f64 = 1e-4;
/// A search this close (largest difference) to a minimum already found ends there.
const SAME_BASIN: f64 = 0.2;

/// Searches from every start and refines the best two; None where no start has a finite value.
///
/// The numbers `held` stay at their start until the others are at their minimum. Held exponents make
/// the first part a search over θ alone, which has few minima. Without this, ten starts miss the
/// maximum of Table 6 of zhang for 28 of 40 seeds, with it for none.
pub(crate) fn multistart(
    objective: &mut dyn Objective,
    bounds: &[[f64; 2]],
    held: Range<usize>,
    starts: &[Vec<f64>],
    iterations: usize,
) -> Option<Minimum> {
    // Differences of ln 𝓛 below 0.01 say nothing about which start is better.
    let coarse = Stop { decrease: 1e-2, iterations };
    let fine = Stop { decrease: 1e-7, iterations };
    let mut found: Vec<Minimum> = Vec::new();
    for start in starts {
        let mut x = start.clone();
        if !held.is_empty() {
            let mut narrow = bounds.to_vec();
            held.clone().for_each(|k| narrow[k] = [start[k]; 2]);
            match local(objective, &narrow, start, coarse, &[]) {
                Some(minimum) => x = minimum.x,
                None => continue,
            }
        }
        found.extend(local(objective, bounds, &x, coarse, &found));
    }
    found.sort_by(|a, b| a.value.total_cmp(&b.value));
    found.truncate(2);
    let refined: Vec<Minimum> =
        found.iter().filter_map(|m| local(objective, bounds, &m.x, fine, &[])).collect();
    found.into_iter().chain(refined).min_by(|a, b| a.value.total_cmp(&b.value))
}

struct State {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    /// H, row by row; `fresh` until the first update.
    inverse: Vec<Vec<f64>>,
    fresh: bool,
}

/// One local search; None where it starts from no value or reaches a known minimum.
pub(crate) fn local(
    objective: &mut dyn Objective,
    bounds: &[[f64; 2]],
    start: &[f64],
    stop: Stop,
    known: &[Minimum],
) -> Option<Minimum> {
    let x: Vec<f64> = start.iter().zip(bounds).map(|(x, [a, b])| x.clamp(*a, *b)).collect();
    let value = objective.value(&x);
    if !value.is_finite() {
        return None;
    }
    let mut state =
        State { gradient: vec![0.0; x.len()], inverse: Vec::new(), fresh: true, x, value };
    objective.gradient(&mut state.gradient);
    state.restart();
    let mut small = 0;
    for _ in 0..stop.iterations {
        if known.iter().any(|m| m.value <= state.value && state.is_near(m)) {
            return None;
        }
        let Some((direction, slope)) = state.direction(bounds) else { break };
        if !state.fresh && -0.5 * slope < stop.decrease {
            break;
        }
        let before = state.value;
        if !state.step(objective, bounds, &direction) {
            // A bad H is thrown away once; a fresh one that fails too is at the limit of precision.
            if state.fresh {
                break;
            }
            state.restart();
            continue;
        }
        small = if before - state.value < stop.decrease { small + 1 } else { 0 };
        if small == 2 {
            break;
        }
    }
    Some(Minimum { x: state.x, value: state.value })
}

impl State {
    fn is_near(&self, minimum: &Minimum) -> bool {
        self.x.iter().zip(&minimum.x).all(|(a, b)| (a - b).abs() < SAME_BASIN)
    }

    /// H such that the first step has length 1.
    fn restart(&mut self) {
        let largest = self.gradient.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
        let scale = 1.0 / largest.max(1e-300);
        let n = self.x.len();
        self.inverse =
            (0..n).map(|i| (0..n).map(|j| if i == j { scale } else { 0.0 }).collect()).collect();
        self.fresh = true;
    }

    /// p of (1) and gᵀp; None where nothing is free or flat.
    fn direction(&mut self, bounds: &[[f64; 2]]) -> Option<(Vec<f64>, f64)> {
        let n = self.x.len();
        let free: Vec<bool> = (0..n)
            .map(|i| {
                let (x, g) = (self.x[i], self.gradient[i]);
                !(x <= bounds[i][0] && g >= 0.0 || x >= bounds[i][1] && g <= 0.0)
            })
            .collect();
        let mut p = self.quasi_newton(&free);
        let mut slope: f64 = (0..n).map(|i| self.gradient[i] * p[i]).sum();
        if slope >= 0.0 {
            self.restart();
            p = self.quasi_newton(&free);
            slope = (0..n).map(|i| self.gradient[i] * p[i]).sum();
        }
        let longest = p.iter().fold(0.0, |m: f64, p| m.max(p.abs()));
        if slope >= 0.0 || longest == 0.0 {
            return None;
        }
        let cut = (LONGEST / longest).min(1.0);
        p.iter_mut().for_each(|p| *p *= cut);
        Some((p, slope * cut))
    }

    fn quasi_newton(&self, free: &[bool]) -> Vec<f64> {
        let n = self.x.len();
        let sum = |i: usize| -> f64 {
            (0..n).filter(|&j| free[j]).map(|j| -self.inverse[i][j] * self.gradient[j]).sum()
        };
        (0..n).map(|i| if free[i] { sum(i) } else { 0.0 }).collect()
    }

    /// A step along p that is long enough and goes down; false where there is none.
    fn step(&mut self, objective: &mut dyn Objective, bounds: &[[f64; 2]], p: &[f64]) -> bool {
        let mut t = 1.0;
        while t > SHORTEST {
            let x: Vec<f64> = (0..p.len())
                .map(|i| (self.x[i] + t * p[i]).clamp(bounds[i][0], bounds[i][1]))
                .collect();
            let s: Vec<f64> = x.iter().zip(&self.x).map(|(a, b)| a - b).collect();
            let slope: f64 = s.iter().zip(&self.gradient).map(|(s, g)| s * g).sum();
            let value = objective.value(&x);
            if value.is_finite() && value <= self.value + ARMIJO * slope && slope < 0.0 {
                self.accept(objective, x, value, &s);
                return true;
            }
            // The minimum of the parabola through both values, within reason.
            let parabola = -0.5 * slope / (value - self.value - slope);
            t *= if value.is_finite() { parabola.clamp(0.1, 0.5) } else { 0.25 };
        }
        false
    }

    fn accept(&mut self, objective: &mut dyn Objective, x: Vec<f64>, value: f64, s: &[f64]) {
        let old = std::mem::replace(&mut self.gradient, vec![0.0; x.len()]);
        objective.gradient(&mut self.gradient);
        self.x = x;
        self.value = value;
        let y: Vec<f64> = self.gradient.iter().zip(&old).map(|(a, b)| a - b).collect();
        self.update_inverse(s, &y);
    }

    /// (2), left out where the curvature along s is not positive.
    fn update_inverse(&mut self, s: &[f64], y: &[f64]) {
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let (sy, yy) = (dot(s, y), dot(y, y));
        if sy <= 1e-10 * (dot(s, s) * yy).sqrt() {
            return;
        }
        let n = s.len();
        if self.fresh {
            for i in 0..n {
                self.inverse[i][i] = sy / yy;
            }
            self.fresh = false;
        }
        let hy: Vec<f64> = (0..n).map(|i| dot(&self.inverse[i], y)).collect();
        let factor = (1.0 + dot(y, &hy) / sy) / sy;
        for i in 0..n {
            for j in 0..n {
                self.inverse[i][j] += factor * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / sy;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley.
    struct Valley {
        x: Vec<f64>,
        evaluations: usize,
    }

    impl Objective for Valley {
        fn value(&mut self, x: &[f64]) -> f64 {
            self.x = x.to_vec();
            self.evaluations += 1;
            100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2)
        }
        fn gradient(&mut self, g: &mut [f64]) {
            let x = &self.x;
            g[1] = 200.0 * (x[1] - x[0] * x[0]);
            g[0] = -2.0 * x[0] * g[1] - 2.0 * (1.0 - x[0]);
        }
    }

    fn valley(bounds: [[f64; 2]; 2]) -> (Minimum, usize) {
        let mut objective = Valley { x: Vec::new(), evaluations: 0 };
        let stop = Stop { decrease: 1e-12, iterations: 200 };
        let minimum = local(&mut objective, &bounds, &[-1.2, 1.0], stop, &[]).unwrap();
        (minimum, objective.evaluations)
    }

    #[test]
    fn the_valley_is_followed_to_its_end() {
        let (minimum, evaluations) = valley([[-2.0, 2.0]; 2]);
        assert!((minimum.x[0] - 1.0).abs() < 1e-5 && (minimum.x[1] - 1.0).abs() < 1e-5);
        assert!(evaluations < 80, "{evaluations} evaluations");
    }

    #[test]
    fn a_bound_holds_and_the_rest_is_at_its_minimum() {
        let (minimum, _) = valley([[-2.0, 0.5], [-2.0, 2.0]]);
        assert_eq!(minimum.x[0], 0.5);
        assert!((minimum.x[1] - 0.25).abs() < 1e-6);
    }
}
