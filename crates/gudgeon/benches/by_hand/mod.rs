//! The slider-crank with a loose piston pin as an engineer writes it by hand: two unknowns and no constraints.
//!
//! The crank turns by α = Ω t, its pin C = R (cos α, sin α). With φ the angle of the rod (length L, mass m at its
//! middle, moment of inertia J) and x the place of the slider (mass M), u = (cos φ, sin φ), n = (−sin φ, cos φ):
//!
//!   journal  P = C + L u,   bearing  (x, 0),   e = P − (x, 0),   δ = |e| − c                       (1)
//!   (J + m L²/4) φ̈ = −½ m L n·C̈ + L n·F,   M ẍ = −F_x                                             (2)
//!   F = −K δ^1.5 (1 + ¾ (1 − ε²) δ̇/δ̇⁽⁻⁾) e/|e|,   never pulling                                   (3)
//!
//! In plain time, by an embedded Runge–Kutta method that is restarted at every contact and release. These are
//! located by repeating the step to the root of δ (secants), so that no dense output is needed.

use gudgeon_dae::tableau::{ErrorRule, Row, Tableau};

/// φ, x and their rates.
pub type State = [f64; 4];

pub struct SliderCrank {
    pub speed: f64,
    pub clearance: f64,
    pub stiffness: f64,
    pub restitution: f64,
}

const CRANK: f64 = 0.05;
const ROD: f64 = 0.12;
const ROD_MASS: f64 = 0.21;
const ROD_INERTIA: f64 = 2.5e-4;
const SLIDER: f64 = 0.14;
/// Scales of errors: rad and m, then their rates.
const SIZE: f64 = 0.17;

/// What a run gives.
pub struct Found {
    /// Velocity of the slider at every release, m/s.
    pub plateaus: Vec<f64>,
    pub evaluations: usize,
}

struct Gap {
    e: [f64; 2],
    distance: f64,
    depth: f64,
    rate: f64,
}

impl SliderCrank {
    fn gap(&self, t: f64, y: &State) -> Gap {
        let ((sa, ca), (s, c)) = ((self.speed * t).sin_cos(), y[0].sin_cos());
        let e = [CRANK * ca + ROD * c - y[1], CRANK * sa + ROD * s];
        let v = [
            -CRANK * self.speed * sa - ROD * s * y[2] - y[3],
            CRANK * self.speed * ca + ROD * c * y[2],
        ];
        let distance = e[0].hypot(e[1]);
        let rate = (e[0] * v[0] + e[1] * v[1]) / distance;
        Gap { e, distance, depth: distance - self.clearance, rate } // (1)
    }

    /// Rates; `impact` is δ̇⁽⁻⁾ in contact and none in flight.
    fn rates(&self, t: f64, y: &State, impact: Option<f64>) -> State {
        let ((sa, ca), (s, c)) = ((self.speed * t).sin_cos(), y[0].sin_cos());
        let square = -CRANK * self.speed * self.speed;
        let mut turning = -0.5 * ROD_MASS * ROD * (-s * square * ca + c * square * sa);
        let mut along = 0.0;
        if let Some(speed) = impact {
            let gap = self.gap(t, y);
            if gap.depth > 0.0 {
                let factor = 1.0 + 0.75 * (1.0 - self.restitution.powi(2)) * gap.rate / speed;
                let force = self.stiffness * gap.depth * gap.depth.sqrt() * factor.max(0.0); // (3)
                let f = [-force * gap.e[0] / gap.distance, -force * gap.e[1] / gap.distance];
                turning += ROD * (-s * f[0] + c * f[1]);
                along = -f[0];
            }
        }
        let inertia = ROD_INERTIA + 0.25 * ROD_MASS * ROD * ROD;
        [y[2], y[3], turning / inertia, along / SLIDER] // (2)
    }

    /// One revolution from the ideal motion in line.
    pub fn run(&self, tableau: &Tableau, rtol: f64, end: f64) -> Found {
        let mut run = Run { of: self, tableau, rtol, k: [[0.0; 4]; 16], evaluations: 0 };
        let (mut t, mut y) = (0.0, [0.0, 0.17, -CRANK * self.speed / ROD, 0.0]);
        let (mut h, mut impact, mut plateaus) = (1e-6, None, Vec::new());
        while t < end {
            h = f64::min(h, end - t);
            let (mut next, error) = run.step(t, &y, h, impact);
            let size = h;
            h *= (0.9 * error.max(1e-10).powf(-1.0 / tableau.error_order())).clamp(0.2, 5.0);
            if error > 1.0 {
                continue;
            }
            let depth = self.gap(t + size, &next).depth;
            if (depth > 0.0) == impact.is_some() {
                (t, y) = (t + size, next);
                continue;
            }
            let size = run.locate(t, &y, size, impact, &mut next);
            (t, y) = (t + size, next);
            if impact.is_some() {
                plateaus.push(y[3]);
            }
            let speed = self.gap(t, &y).rate;
            impact = impact.is_none().then_some(speed);
            // A hundredth of an impact of this speed.
            h = 1e-2 * 2.94 * (0.1 / self.stiffness).powf(0.4) * speed.abs().powf(-0.2);
        }
        Found { plateaus, evaluations: run.evaluations }
    }
}

struct Run<'a> {
    of: &'a SliderCrank,
    tableau: &'a Tableau,
    rtol: f64,
    k: [State; 16],
    evaluations: usize,
}

impl Run<'_> {
    /// The new point and its error over the tolerance.
    fn step(&mut self, t: f64, y: &State, h: f64, impact: Option<f64>) -> (State, f64) {
        let stages = self.tableau.stages;
        for i in 0..stages {
            let at = self.point(y, h, self.tableau.rows[i]);
            self.k[i] = self.of.rates(t + self.tableau.nodes[i] * h, &at, impact);
        }
        let next = self.point(y, h, self.tableau.rows[stages]);
        self.evaluations += stages;
        if self.tableau.error_uses_new_point() {
            self.k[stages] = self.of.rates(t + h, &next, impact);
            self.evaluations += 1;
        }
        let error = match self.tableau.error {
            ErrorRule::None => 0.0,
            ErrorRule::Embedded(row) => h * self.largest(row),
            ErrorRule::FifthThird { fifth, third } => {
                let (five, three) = (self.largest(fifth), self.largest(third));
                h * five * five / (five * five + 0.01 * three * three).sqrt().max(f64::MIN_POSITIVE)
            }
        };
        (next, error)
    }

    fn point(&self, y: &State, h: f64, row: Row) -> State {
        let mut at = *y;
        for &(j, a) in row {
            for (at, k) in at.iter_mut().zip(&self.k[j]) {
                *at += h * a * k;
            }
        }
        at
    }

    fn largest(&self, row: Row) -> f64 {
        let speed = CRANK * self.of.speed;
        let scales = [1.0, SIZE, speed / SIZE, speed];
        let mut sum = [0.0; 4];
        for &(j, e) in row {
            for (sum, k) in sum.iter_mut().zip(&self.k[j]) {
                *sum += e * k;
            }
        }
        let over = sum.iter().zip(scales).map(|(sum, scale)| sum.abs() / (self.rtol * scale));
        over.fold(0.0, f64::max)
    }

    /// The step at whose end δ = 0, between 0 and `size`; its end goes to `next`.
    fn locate(
        &mut self,
        t: f64,
        y: &State,
        size: f64,
        impact: Option<f64>,
        next: &mut State,
    ) -> f64 {
        let (mut low, mut high, mut h) = (0.0, size, size);
        for _ in 0..50 {
            let gap = self.of.gap(t + h, next);
            if gap.depth.abs() < 1e-13 * self.of.clearance {
                break;
            }
            if (gap.depth > 0.0) == impact.is_some() {
                low = h
            } else {
                high = h
            }
            let newton = h - gap.depth / gap.rate;
            h = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            *next = self.step(t, y, h, impact).0;
        }
        h
    }
}
