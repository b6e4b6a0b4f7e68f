//! Gauss–Legendre nodes.

/// Nodes and weights on [−1, 1], exact for polynomials of degree 2n − 1.
#[derive(Clone, Debug)]
pub struct Gauss {
    nodes: Vec<(f64, f64)>,
}

impl Gauss {
    pub fn new(n: usize) -> Self {
        let nodes = (0..n).map(|i| node(n, i)).collect();
        Self { nodes }
    }

    /// Nodes and weights on [from, to].
    pub fn on(&self, from: f64, to: f64) -> impl Iterator<Item = (f64, f64)> + '_ {
        let (mid, half) = (0.5 * (from + to), 0.5 * (to - from));
        self.nodes.iter().map(move |&(x, w)| (mid + half * x, half * w))
    }
}

/// The i-th root of the Legendre polynomial of degree n, by Newton's method, and its weight.
fn node(n: usize, i: usize) -> (f64, f64) {
    let mut x = -(std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
    let mut slope = 1.0;
    for _ in 0..10 {
        let (value, before) = legendre(n, x);
        slope = n as f64 * (x * value - before) / (x * x - 1.0);
        x -= value / slope;
    }
    (x, 2.0 / ((1.0 - x * x) * slope * slope))
}

/// P_n and P_{n−1} at x.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 2..=n {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
    }
    (value, before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_integrated_exactly() {
        for n in [2, 5, 12, 16] {
            let gauss = Gauss::new(n);
            for degree in 0..2 * n {
                let sum: f64 = gauss.on(0.0, 1.0).map(|(x, w)| w * x.powi(degree as i32)).sum();
                assert!((sum * (degree + 1) as f64 - 1.0).abs() < 1e-13, "{n} points, x^{degree}");
            }
        }
    }
}
