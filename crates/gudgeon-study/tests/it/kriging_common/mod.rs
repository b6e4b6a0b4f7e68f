//! What the Kriging tests share: the Branin function, designs, and a textbook Kriging by elimination.
#![allow(dead_code)]

use gudgeon::random::Random;

pub fn branin(x: &[f64; 2]) -> f64 {
    use std::f64::consts::PI;
    let a = x[1] - 5.1 / (4.0 * PI * PI) * x[0] * x[0] + 5.0 / PI * x[0] - 6.0;
    a * a + 10.0 * ((1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 1.0)
}

/// A random Latin hypercube over Branin's domain.
pub fn latin_hypercube(n: usize, seed: u64) -> Vec<[f64; 2]> {
    let mut random = Random::new(seed);
    let mut column = |low: f64, high: f64| -> Vec<f64> {
        let mut strata: Vec<usize> = (0..n).collect();
        random.shuffle(&mut strata);
        let width = (high - low) / n as f64;
        strata.iter().map(|s| low + width * (*s as f64 + random.unit())).collect()
    };
    let (x, y) = (column(-5.0, 10.0), column(0.0, 15.0));
    x.into_iter().zip(y).map(|(x, y)| [x, y]).collect()
}

/// Branin's domain in 61 × 61 points.
pub fn grid() -> Vec<[f64; 2]> {
    let place = |i: i32| 0.25 * f64::from(i);
    (0..61 * 61).map(|i| [place(i % 61) - 5.0, place(i / 61)]).collect()
}

pub fn relative(a: f64, b: f64) -> f64 {
    (a - b).abs() / b.abs()
}

/// Solves A X = B by elimination with row exchanges; A and B by rows.
pub fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            for j in 0..b[i].len() {
                b[i][j] -= factor * b[k][j];
            }
        }
    }
    for k in (0..n).rev() {
        for j in 0..b[k].len() {
            let sum: f64 = (k + 1..n).map(|i| a[k][i] * b[i][j]).sum();
            b[k][j] = (b[k][j] - sum) / a[k][k];
        }
    }
    b
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Universal Kriging written out from the covariance matrix, without factor or basis.
pub struct Textbook {
    /// K⁻¹ F by columns, K⁻¹ (y − Fβ), (Fᵀ K⁻¹ F)⁻¹
    inverse: Vec<Vec<f64>>,
    f: Vec<Vec<f64>>,
    pub beta: Vec<f64>,
    weights: Vec<f64>,
    normal_inverse: Vec<Vec<f64>>,
    pub variance: f64,
}

impl Textbook {
    /// K, F by rows, y.
    pub fn new(k: Vec<Vec<f64>>, f: Vec<Vec<f64>>, y: &[f64]) -> Self {
        let (n, p) = (y.len(), f[0].len());
        let unit = |size: usize| -> Vec<Vec<f64>> {
            (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect()
        };
        let inverse = solve(k, unit(n));
        let column = |c: usize| -> Vec<f64> { f.iter().map(|row| row[c]).collect() };
        let times = |v: &[f64]| -> Vec<f64> { inverse.iter().map(|row| dot(row, v)).collect() };
        let kf: Vec<Vec<f64>> = (0..p).map(|c| times(&column(c))).collect();
        let normal: Vec<Vec<f64>> =
            (0..p).map(|i| (0..p).map(|j| dot(&column(i), &kf[j])).collect()).collect();
        let normal_inverse = solve(normal, unit(p));
        let fky: Vec<f64> = kf.iter().map(|c| dot(c, y)).collect();
        let beta: Vec<f64> = normal_inverse.iter().map(|row| dot(row, &fky)).collect();
        let rest: Vec<f64> = y.iter().zip(&f).map(|(y, f)| y - dot(f, &beta)).collect();
        let weights = times(&rest);
        let variance = dot(&rest, &weights) / n as f64;
        Self { inverse, f, beta, weights, normal_inverse, variance }
    }

    /// Mean and variance from correlations r and trend terms f of a point.
    pub fn predict(&self, r: &[f64], f: &[f64]) -> (f64, f64) {
        let kr: Vec<f64> = self.inverse.iter().map(|row| dot(row, r)).collect();
        let u: Vec<f64> = (0..f.len())
            .map(|c| f[c] - self.f.iter().zip(&kr).map(|(row, k)| row[c] * k).sum::<f64>())
            .collect();
        let mu: Vec<f64> = self.normal_inverse.iter().map(|row| dot(row, &u)).collect();
        let part = 1.0 - dot(r, &kr) + dot(&u, &mu);
        (dot(f, &self.beta) + dot(r, &self.weights), self.variance * part)
    }
}
