//! Unit quaternions p = (w, x, y, z) from body to world axes, and rotation vectors ψ in body axes.

pub type Vec3 = [f64; 3];

pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// R(p) x for p of any length.
pub fn turn(p: &[f64], x: Vec3) -> Vec3 {
    let length = p.iter().map(|x| x * x).sum::<f64>();
    let e = [p[1], p[2], p[3]];
    let (first, w) = (cross(e, x), p[0]);
    let second = cross(e, first);
    std::array::from_fn(|i| x[i] + 2.0 * (w * first[i] + second[i]) / length)
}

/// p ∘ r.
pub fn product(p: &[f64], r: &[f64]) -> [f64; 4] {
    let (a, b) = ([p[1], p[2], p[3]], [r[1], r[2], r[3]]);
    let c = cross(a, b);
    let mixed: Vec3 = std::array::from_fn(|i| p[0] * b[i] + r[0] * a[i] + c[i]);
    [p[0] * r[0] - dot(a, b), mixed[0], mixed[1], mixed[2]]
}

/// p ∘ exp(ψ/2).
pub fn turned(p: &[f64], psi: Vec3) -> [f64; 4] {
    let half = 0.5 * dot(psi, psi).sqrt();
    let factor = if half > 1e-8 { 0.5 * half.sin() / half } else { 0.5 };
    product(p, &[half.cos(), factor * psi[0], factor * psi[1], factor * psi[2]])
}

/// ψ̇ from ω in body axes: ω + ½ ψ×ω + (1 − (θ/2) cot(θ/2))/θ² ψ×(ψ×ω).
pub fn chart_rate(psi: Vec3, omega: Vec3) -> Vec3 {
    let square = dot(psi, psi);
    let half = 0.5 * square.sqrt();
    let factor =
        if half > 1e-2 { (1.0 - half / half.tan()) / square } else { 1.0 / 12.0 + square / 720.0 };
    let first = cross(psi, omega);
    let second = cross(psi, first);
    std::array::from_fn(|i| omega[i] + 0.5 * first[i] + factor * second[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_the_chart_belong_to_the_exponential() {
        let (psi, omega) = ([0.4, -0.9, 0.3], [1.0, 2.0, -0.5]);
        let rate = chart_rate(psi, omega);
        // p(ψ + ψ̇ dt) is p(ψ) turned by ω dt.
        let p = [1.0, 0.0, 0.0, 0.0];
        let dt = 1e-6;
        let moved = turned(&p, std::array::from_fn(|i| psi[i] + dt * rate[i]));
        let again = turned(&turned(&p, psi), omega.map(|x| x * dt));
        for i in 0..4 {
            assert!((moved[i] - again[i]).abs() < 1e-11);
        }
    }
}
