//! The nearest minimum of a smooth function in the unit cube: quasi-Newton with projection.
//!
//! Gradients by differences, all points of a gradient in one batch: forward ones of step h until the
//! descent ends, then central ones of step 100 h until it ends again. Coordinates on a bound against
//! which the descent pushes are held; the others move along
//!
//!   p = −H g,   x(t) = P(x + t p)                                               (1)
//!
//! with P the projection into the cube, t from backtracking until
//!
//!   f(x(t)) ≤ f(x) + 10⁻⁴ g·(x(t) − x)                                          (2)
//!
//! and H the inverse Hessian of Broyden, Fletcher, Goldfarb, Shanno:
//!
//!   H ← (I − ρ s yᵀ) H (I − ρ y sᵀ) + ρ s sᵀ,   ρ = 1/(yᵀs)                     (3)
//!
//! H of the free coordinates alone is positive definite with H, so p descends. References: Nocedal,
//! Wright, *Numerical Optimization*, 2006, §6.1, §8.1; Bertsekas, *Projected Newton methods for
//! optimization problems with simple constraints*, SIAM J. Control Optim. 20 (1982).

/// Tolerances of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalOptions {
    pub iterations: usize,
    /// Step h of the forward differences, in the unit cube.
    pub step: f64,
    /// Ends when no free coordinate would move by more than this in (1).
    pub move_tolerance: f64,
    /// Ends when f falls by less than this part of |f| twice in a row.
    pub fall_tolerance: f64,
    /// Whether central differences follow the forward ones.
    pub central: bool,
}

impl Default for LocalOptions {
    fn default() -> Self {
        Self {
            iterations: 100,
            step: 1e-7,
            move_tolerance: 1e-8,
            fall_tolerance: 1e-13,
            central: true,
        }
    }
}

/// The best point found.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    pub point: Vec<f64>,
    pub value: f64,
}

/// Descends from `start` over the coordinates in `free`; the others stay. `f` values a batch of
/// points; an answer shorter than the batch (budget spent) ends the search. Not-a-number counts as ∞.
pub fn descend(
    start: &[f64],
    free: &[usize],
    options: &LocalOptions,
    f: &mut dyn FnMut(&[Vec<f64>]) -> Vec<f64>,
) -> Option<Minimum> {
    let value = one(f, start)?;
    let mut best = Minimum { point: start.to_vec(), value };
    let mut hessian = Inverse::identity(free.len());
    let stages = [Differences::Forward(options.step), Differences::Central(100.0 * options.step)];
    for differences in stages.into_iter().take(if options.central { 2 } else { 1 }) {
        if !follow(&mut best, &mut hessian, differences, free, options, f) {
            break;
        }
    }
    Some(best)
}

#[derive(Clone, Copy)]
enum Differences {
    Forward(f64),
    Central(f64),
}

/// Descends until no step is left to take with these differences; false when the budget is spent.
fn follow(
    best: &mut Minimum,
    hessian: &mut Inverse,
    differences: Differences,
    free: &[usize],
    options: &LocalOptions,
    f: &mut dyn FnMut(&[Vec<f64>]) -> Vec<f64>,
) -> bool {
    let Some(mut gradient) = gradient(best, free, differences, f) else { return false };
    let mut small_falls = 0;
    for _ in 0..options.iterations {
        let Some(next) = line_search(best, &gradient, hessian, free, options, f) else { break };
        let Some(new_gradient) = self::gradient(&next, free, differences, f) else {
            *best = next;
            return false;
        };
        let s: Vec<f64> = free.iter().map(|&k| next.point[k] - best.point[k]).collect();
        let y: Vec<f64> = new_gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        hessian.update(&s, &y);
        let fall = best.value - next.value;
        let small = options.fall_tolerance * next.value.abs().max(1e-300);
        small_falls = if fall <= small { small_falls + 1 } else { 0 };
        (*best, gradient) = (next, new_gradient);
        if small_falls >= 2 {
            break;
        }
    }
    true
}

fn one(f: &mut dyn FnMut(&[Vec<f64>]) -> Vec<f64>, x: &[f64]) -> Option<f64> {
    f(&[x.to_vec()]).first().map(|&v| if v.is_nan() { f64::INFINITY } else { v })
}

/// Difference quotients; none when the budget is spent. Where a bound or a failure stands on one side,
/// the other side alone counts, and where on both, the slope counts as nought.
fn gradient(
    at: &Minimum,
    free: &[usize],
    differences: Differences,
    f: &mut dyn FnMut(&[Vec<f64>]) -> Vec<f64>,
) -> Option<Vec<f64>> {
    let mut batch = Vec::with_capacity(2 * free.len());
    let mut push = |k: usize, x: f64| {
        if (0.0..=1.0).contains(&x) {
            let mut point = at.point.clone();
            point[k] = x;
            batch.push((k, point));
        }
    };
    for &k in free {
        let x = at.point[k];
        match differences {
            Differences::Forward(h) => push(k, if x + h <= 1.0 { x + h } else { x - h }),
            Differences::Central(h) => {
                push(k, x - h);
                push(k, x + h);
            }
        }
    }
    let (axes, points): (Vec<usize>, Vec<Vec<f64>>) = batch.into_iter().unzip();
    let values = f(&points);
    if values.len() < points.len() {
        return None;
    }
    let sides = |k: usize| {
        let all = axes.iter().zip(&points).zip(&values);
        let finite = all.filter(move |((a, _), v)| **a == k && v.is_finite());
        finite.map(move |((_, p), v)| (p[k], *v))
    };
    let quotient = |&k: &usize| {
        let (mut low, mut high) = ((at.point[k], at.value), (at.point[k], at.value));
        for side in sides(k) {
            if side.0 < low.0 { low = side } else { high = side }
        }
        if high.0 > low.0 { (high.1 - low.1) / (high.0 - low.0) } else { 0.0 }
    };
    Some(free.iter().map(quotient).collect())
}

/// A point that satisfies (2), first along (1) and, if that fails, along the steepest descent.
fn line_search(
    at: &Minimum,
    gradient: &[f64],
    hessian: &mut Inverse,
    free: &[usize],
    options: &LocalOptions,
    f: &mut dyn FnMut(&[Vec<f64>]) -> Vec<f64>,
) -> Option<Minimum> {
    let outward = |i: usize| {
        let x = at.point[free[i]];
        (x <= 0.0 && gradient[i] >= 0.0) || (x >= 1.0 && gradient[i] <= 0.0)
    };
    let moving: Vec<bool> = (0..free.len()).map(|i| !outward(i)).collect();
    let mut fresh = hessian.fresh;
    loop {
        let direction = hessian.direction(gradient, &moving);
        let length = direction.iter().fold(0.0f64, |m, p| m.max(p.abs()));
        if length == 0.0 || (!fresh && length < options.move_tolerance) {
            return None;
        }
        // Without a curvature yet, a tenth of the cube is a fair first step.
        let first = if fresh { 0.1 / length } else { (0.5 / length).min(1.0) };
        if let Some(next) = backtrack(at, gradient, &direction, first, free, options, f) {
            return Some(next);
        }
        if fresh {
            return None;
        }
        hessian.reset();
        fresh = true;
    }
}

fn backtrack(
    at: &Minimum,
    gradient: &[f64],
    direction: &[f64],
    first: f64,
    free: &[usize],
    options: &LocalOptions,
    f: &mut dyn FnMut(&[Vec<f64>]) -> Vec<f64>,
) -> Option<Minimum> {
    let length = direction.iter().fold(0.0f64, |m, p| m.max(p.abs()));
    let mut t = first;
    while t * length >= 0.1 * options.move_tolerance {
        let mut point = at.point.clone();
        let mut slope = 0.0;
        for ((&k, p), g) in free.iter().zip(direction).zip(gradient) {
            point[k] = (point[k] + t * p).clamp(0.0, 1.0); // (1)
            slope += g * (point[k] - at.point[k]);
        }
        let value = one(f, &point)?;
        if slope < 0.0 && value <= at.value + 1e-4 * slope {
            return Some(Minimum { point, value }); // (2)
        }
        // The minimum of the parabola through f, its slope and the new value, within limits.
        let parabola = -0.5 * slope / (value - at.value - slope);
        t *= if parabola.is_finite() { parabola.clamp(0.1, 0.5) } else { 0.1 };
    }
    None
}

/// H of (3), row by row.
struct Inverse {
    n: usize,
    rows: Vec<f64>,
    fresh: bool,
}

impl Inverse {
    fn identity(n: usize) -> Self {
        let mut inverse = Self { n, rows: vec![0.0; n * n], fresh: true };
        inverse.reset();
        inverse
    }

    fn reset(&mut self) {
        self.rows.fill(0.0);
        (0..self.n).for_each(|i| self.rows[i * self.n + i] = 1.0);
        self.fresh = true;
    }

    /// −H g over the moving coordinates.
    fn direction(&self, gradient: &[f64], moving: &[bool]) -> Vec<f64> {
        let entry = |i: usize| {
            let row = &self.rows[i * self.n..(i + 1) * self.n];
            let terms = row.iter().zip(gradient).zip(moving).filter(|(_, m)| **m);
            -terms.map(|((h, g), _)| h * g).sum::<f64>()
        };
        (0..self.n).map(|i| if moving[i] { entry(i) } else { 0.0 }).collect()
    }

    /// (3), left out where the curvature along the step is not positive.
    fn update(&mut self, s: &[f64], y: &[f64]) {
        let n = self.n;
        let sy: f64 = s.iter().zip(y).map(|(a, b)| a * b).sum();
        let yy: f64 = y.iter().map(|b| b * b).sum();
        let ss: f64 = s.iter().map(|a| a * a).sum();
        if sy.is_nan() || sy <= 1e-10 * (yy * ss).sqrt() {
            return;
        }
        if self.fresh {
            // The first curvature scales the identity.
            self.rows.iter_mut().for_each(|h| *h *= sy / yy);
            self.fresh = false;
        }
        let hy: Vec<f64> = (0..n)
            .map(|i| self.rows[i * n..(i + 1) * n].iter().zip(y).map(|(h, b)| h * b).sum())
            .collect();
        let yhy: f64 = y.iter().zip(&hy).map(|(a, b)| a * b).sum();
        let factor = (1.0 + yhy / sy) / sy;
        for i in 0..n {
            for j in 0..n {
                self.rows[i * n + j] += factor * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / sy;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(f: impl Fn(&[f64]) -> f64, start: &[f64]) -> (Minimum, usize) {
        let mut count = 0;
        let free: Vec<usize> = (0..start.len()).collect();
        let found = descend(start, &free, &LocalOptions::default(), &mut |rows| {
            count += rows.len();
            rows.iter().map(|x| f(x)).collect()
        });
        (found.unwrap(), count)
    }

    /// Rosenbrock's valley in [−2, 2]², minimum at (1, 1), which is (¾, ¾) of the cube.
    fn rosenbrock(u: &[f64]) -> f64 {
        let (x, y) = (4.0 * u[0] - 2.0, 4.0 * u[1] - 2.0);
        100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2)
    }

    #[test]
    fn follows_the_valley_of_rosenbrock() {
        let (found, count) = search(rosenbrock, &[0.2, 0.75]);
        assert!(found.value < 1e-9, "{found:?} after {count}");
        assert!(count < 300, "{count}");
    }

    #[test]
    fn stops_on_bounds() {
        // Minimum of a tilted bowl outside the cube: at x₁ = 1, and x₂ = 0.3 + 0.2 by the coupling.
        let bowl = |u: &[f64]| {
            let (a, b) = (u[0] - 2.0, u[1] - 0.3);
            a * a + b * b + 0.4 * a * b
        };
        let (found, _) = search(bowl, &[0.1, 0.9]);
        assert_eq!(found.point[0], 1.0);
        assert!((found.point[1] - 0.5).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn held_coordinates_stay_and_failures_are_walls() {
        let f = |u: &[f64]| if u[0] > 0.5 { f64::NAN } else { -u[0] + (u[1] - 0.1).powi(2) };
        let found = descend(&[0.1, 0.8], &[0], &LocalOptions::default(), &mut |rows| {
            rows.iter().map(|x| f(x)).collect()
        })
        .unwrap();
        assert_eq!(found.point[1], 0.8);
        assert!(found.value.is_finite() && found.point[0] > 0.4, "{found:?}");
    }

    #[test]
    fn a_spent_budget_ends_the_search_with_the_best_so_far() {
        let mut left = 12;
        let found = descend(&[0.2, 0.75], &[0, 1], &LocalOptions::default(), &mut |rows| {
            let n = rows.len().min(left);
            left -= n;
            rows[..n].iter().map(|x| rosenbrock(x)).collect()
        })
        .unwrap();
        assert!(found.value < rosenbrock(&[0.2, 0.75]));
    }
}
