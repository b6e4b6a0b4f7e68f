//! A heavy symmetric top on a fixed point, in steady precession.
//!
//!   q = (x, p),  v = (ẋ, ω);   0 = x − R(p) d,   d = (0, 0, L)                                 (1)
//!   R = R_z(Ωt) R_x(θ) R_z(ψ̇t),   ψ̇ = n − Ω cos θ,   C n Ω = m g L + A Ω² cos θ              (2)
//!
//! ω in body axes, p a unit quaternion, A and C the moments about the fixed point. λ is the force of
//! the top on its support. The other motions have no closed form, but keep their energy.

use super::Analytic;
use super::rotation::{Vec3, chart_rate, cross, dot, turn, turned};
use crate::implicit::{ImplicitDae, Terms};
use crate::linear::Ldl;
use crate::problem::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};

#[derive(Clone, Debug)]
pub struct Top {
    /// kg, kg m² about the mass centre, m, m/s².
    pub mass: f64,
    pub moments: Vec3,
    /// The mass centre from the fixed point, in body axes.
    pub arm: Vec3,
    pub gravity: f64,
    /// θ and Ω of (2).
    pub tilt: f64,
    pub precession: f64,
    lambda: Vec3,
    ldl: Ldl,
    drift: Drift,
}

impl Default for Top {
    fn default() -> Self {
        Self::new(2.0, [0.3, 0.3, 0.5], [0.0, 0.0, 0.6])
    }
}

impl Top {
    pub fn new(mass: f64, moments: Vec3, arm: Vec3) -> Self {
        Self {
            mass,
            moments,
            arm,
            gravity: 9.81,
            tilt: 0.7,
            precession: 2.0,
            lambda: [0.0; 3],
            ldl: Ldl::new(3, &[(1, 0), (2, 0), (2, 1)]),
            drift: Drift::default(),
        }
    }

    /// Kinetic and potential energy.
    pub fn energy(&self, y: &[f64]) -> f64 {
        let (v, w) = (part(y, 7), part(y, 10));
        let turning: f64 = (0..3).map(|i| self.moments[i] * w[i] * w[i]).sum();
        0.5 * (self.mass * dot(v, v) + turning) + self.mass * self.gravity * y[2]
    }

    /// (force, torque in body axes) without reactions.
    fn forces(&self, w: Vec3) -> [f64; 6] {
        let momentum = std::array::from_fn(|i| self.moments[i] * w[i]);
        let t = cross(momentum, w);
        [0.0, 0.0, -self.mass * self.gravity, t[0], t[1], t[2]]
    }

    /// Columns of ∂(−R d)/∂ω: G = (1, B), B ω = −R (ω × d).
    fn turning_rows(&self, p: &[f64]) -> [Vec3; 3] {
        let column = |j: usize| {
            let axis = std::array::from_fn(|i| f64::from(u8::from(i == j)));
            turn(p, cross(axis, self.arm)).map(|x| -x)
        };
        [column(0), column(1), column(2)]
    }

    /// S λ = b with S = G M⁻¹ Gᵀ.
    fn solve(&mut self, columns: &[Vec3; 3], b: Vec3) -> Result<Vec3, Fault> {
        for i in 0..3 {
            for j in 0..=i {
                let turning: f64 =
                    (0..3).map(|k| columns[k][i] * columns[k][j] / self.moments[k]).sum();
                let slot = self.ldl.slot(i, j);
                let unit = f64::from(u8::from(i == j));
                self.ldl.entries_mut()[slot] = unit / self.mass + turning;
            }
        }
        self.ldl.factor().map_err(|row| Fault::Singular { row })?;
        let mut x = b;
        self.ldl.solve(&mut x);
        Ok(x)
    }

    /// M⁻¹ Gᵀ λ.
    fn response(&self, columns: &[Vec3; 3], lambda: Vec3) -> [f64; 6] {
        let turning: Vec3 = std::array::from_fn(|k| dot(columns[k], lambda) / self.moments[k]);
        let linear = lambda.map(|x| x / self.mass);
        [linear[0], linear[1], linear[2], turning[0], turning[1], turning[2]]
    }

    fn gap(&self, y: &[f64]) -> Vec3 {
        let end = turn(&y[3..7], self.arm);
        std::array::from_fn(|i| y[i] - end[i])
    }
}

fn part(y: &[f64], from: usize) -> Vec3 {
    [y[from], y[from + 1], y[from + 2]]
}

impl SecondOrderDae for Top {
    fn dims(&self) -> Dims {
        Dims { q: 7, v: 6, w: 1, rows: 3, ..Dims::default() }
    }

    fn velocity_is_rate(&self) -> bool {
        false
    }

    fn rates(
        &mut self,
        _t: f64,
        y: &[f64],
        dy: &mut [f64],
        with: Stabilisation,
    ) -> Result<f64, Fault> {
        let (p, v, w) = (&y[3..7], part(y, 7), part(y, 10));
        let (columns, f, gap) = (self.turning_rows(p), self.forces(w), self.gap(y));
        let centripetal = turn(p, cross(w, cross(w, self.arm)));
        let spin = turn(p, cross(w, self.arm));
        let (mut b, mut drift) = ([0.0; 3], Drift::default());
        for i in 0..3 {
            let free = f[i] / self.mass
                + (0..3).map(|k| columns[k][i] * f[3 + k] / self.moments[k]).sum::<f64>();
            let rate = v[i] - spin[i];
            drift.velocity = drift.velocity.max(rate.abs());
            drift.position = drift.position.max(gap[i].abs());
            b[i] = free - centripetal[i] + 2.0 * with.alpha * rate + with.beta * with.beta * gap[i];
        }
        self.lambda = self.solve(&columns, b)?;
        let response = self.response(&columns, self.lambda);
        dy[..3].copy_from_slice(&v);
        let spin = super::rotation::product(p, &[0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]]);
        dy[3..7].copy_from_slice(&spin);
        for i in 0..6 {
            let m = if i < 3 { self.mass } else { self.moments[i - 3] };
            dy[7 + i] = f[i] / m - response[i];
        }
        dy[13] = f[2] * v[2]; // the work of the weight
        self.drift = drift;
        Ok(1.0)
    }

    fn settle(&mut self, _t: f64, y: &mut [f64]) -> bool {
        let length = y[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
        y[3..7].iter_mut().for_each(|x| *x /= length);
        false
    }

    fn drift(&mut self) -> Drift {
        self.drift
    }

    fn project(&mut self, _t: f64, y: &mut [f64]) -> Result<(), Fault> {
        for _ in 0..6 {
            let (columns, gap) = (self.turning_rows(&y[3..7]), self.gap(y));
            let mu = self.solve(&columns, gap)?;
            let by = self.response(&columns, mu).map(|x| -x);
            let mut q = [0.0; 7];
            self.displace(&y[..7], &by, &mut q);
            y[..7].copy_from_slice(&q);
        }
        let columns = self.turning_rows(&y[3..7]);
        let spin = turn(&y[3..7], cross(part(y, 10), self.arm));
        let mu = self.solve(&columns, std::array::from_fn(|i| y[7 + i] - spin[i]))?;
        for (v, by) in y[7..13].iter_mut().zip(self.response(&columns, mu)) {
            *v -= by;
        }
        Ok(())
    }

    fn switches(&mut self, _t: f64, _y: &[f64], _out: &mut [f64]) {}

    fn raise_scales(&mut self, _y: &[f64], scales: &mut [f64]) {
        scales.fill(1.0);
    }
}

impl ImplicitDae for Top {
    fn terms(&mut self, _t: f64, y: &[f64], _lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        out.force.copy_from_slice(&self.forces(part(y, 10)));
        out.gaps.copy_from_slice(&self.gap(y));
        let columns = self.turning_rows(&y[3..7]);
        for i in 0..3 {
            out.mass.set(i, i, self.mass);
            out.mass.set(3 + i, 3 + i, self.moments[i]);
            out.rows.set(i, i, 1.0);
            for (j, column) in columns.iter().enumerate() {
                out.rows.set(i, 3 + j, column[i]);
            }
        }
        Ok(())
    }

    fn displace(&self, q: &[f64], by: &[f64], out: &mut [f64]) {
        for i in 0..3 {
            out[i] = q[i] + by[i];
        }
        out[3..].copy_from_slice(&turned(&q[3..], part(by, 3)));
    }

    fn chart_rate(&self, by: &[f64], v: &[f64], out: &mut [f64]) {
        out[..3].copy_from_slice(&v[..3]);
        out[3..].copy_from_slice(&chart_rate(part(by, 3), part(v, 3)));
    }

    fn velocity_of(&self, q: &[f64], rate: &[f64], out: &mut [f64]) {
        out[..3].copy_from_slice(&rate[..3]);
        let back = [q[3], -q[4], -q[5], -q[6]];
        let length: f64 = back.iter().map(|x| x * x).sum();
        let spin = super::rotation::product(&back, &rate[3..]);
        for i in 0..3 {
            out[3 + i] = 2.0 * spin[1 + i] / length;
        }
    }
}

impl Analytic for Top {
    fn exact(&self, t: f64) -> Vec<f64> {
        let (s, c) = self.tilt.sin_cos();
        let (l, omega) = (self.arm[2], self.precession);
        let (a, axial) = (self.moments[0] + self.mass * l * l, self.moments[2]);
        let n = (self.mass * self.gravity * l / omega + a * omega * c) / axial; // (2)
        let psi = (n - omega * c) * t;
        let about_z = |angle: f64| turned(&[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, angle]);
        let leaning = turned(&about_z(omega * t), [self.tilt, 0.0, 0.0]);
        let p = turned(&leaning, [0.0, 0.0, psi]);
        let w = [omega * s * psi.sin(), omega * s * psi.cos(), n];
        let (x, v) = (turn(&p, self.arm), turn(&p, cross(w, self.arm)));
        let work = 0.0; // the centre stays at its height
        [&x[..], &p[..], &v[..], &w[..], &[work]].concat()
    }

    fn exact_reaction(&self, t: f64) -> f64 {
        // Along x: the centre runs on a circle.
        let x = turn(&self.exact(t)[3..7], self.arm)[0];
        self.mass * self.precession * self.precession * x
    }

    fn reaction(&self) -> f64 {
        self.lambda[0]
    }

    fn joint_reaction(&self, lambda: &[f64]) -> f64 {
        lambda[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precession_solves_the_equations() {
        let mut top = Top::default();
        let mut dy = [0.0; 14];
        for i in 0..20 {
            let (t, d) = (0.1 * f64::from(i), 1e-5);
            let y = top.exact(t);
            top.rates(t, &y, &mut dy, Stabilisation::default()).unwrap();
            assert!((top.reaction() - top.exact_reaction(t)).abs() < 1e-11);
            let (before, after) = (top.exact(t - d), top.exact(t + d));
            for k in 0..13 {
                let numeric = (after[k] - before[k]) / (2.0 * d);
                assert!((dy[k] - numeric).abs() < 1e-6, "component {k} at {t}: {}", dy[k]);
            }
            assert!(top.drift().position.max(top.drift().velocity) < 1e-14);
        }
    }
}
