//! Backward differentiation of order 1 to 5 with a fixed leading coefficient (Brenan, Campbell and
//! Petzold, section 5.2), on the stabilised form or on that of index 3.
//!
//! The history is kept as modified divided differences φ of (q, v, z) in coordinates. With the
//! prediction yₚ, ẏₚ from φ, a step solves the equations of motion for
//!
//!   ẏ = ẏₚ + (α/h) (y − yₚ),   α = 1 + ½ + … + 1/k                                          (1)
//!
//! where q̇ = N (v + W⁻¹G₀ᵀ μ). After an event the order begins at 1 again.
//!
//! In index 3 there is no μ, and v is what (1) makes of q. After a change of step or order v, and λ more so, are
//! wrong by amounts that do not shrink with h and are gone after some steps of one size. So errors of q and z alone judge the
//! step, as in codes of Gear's type for mechanisms (GSTIFF, formulation I3).

use super::alpha::Form;
use super::equations::ImplicitDae;
use super::last::Last;
use super::point::{Chart, NewtonPoint, largest};
use super::work::{Failure, Work};
use crate::problem::{Dims, Fault};

/// Highest order.
pub const HIGHEST: usize = 5;
/// φ and ψ of one step; one more for the order above.
const COUNT: usize = HIGHEST + 3;
/// Failures in a row after which the order begins at 1 again.
const TOO_MANY: usize = 3;

/// What a step changes and a rejected one gets back.
#[derive(Clone, Debug)]
struct History {
    /// φ₁ … by rows, ψ₁ …; index 0 is not used.
    phi: Vec<f64>,
    psi: [f64; COUNT],
    /// Steps of the present size and order so far.
    settled: usize,
    /// Order and size of the last step; 0 before the first.
    last_order: usize,
    last_step: f64,
}

impl History {
    /// Copies another, without allocation.
    fn take(&mut self, other: &Self) {
        self.phi.copy_from_slice(&other.phi);
        self.psi = other.psi;
        self.settled = other.settled;
        self.last_order = other.last_order;
        self.last_step = other.last_step;
    }
}

#[derive(Debug)]
pub(super) struct Bdf {
    highest: usize,
    pub point: NewtonPoint,
    now: History,
    before: History,
    n: usize,
    order: usize,
    /// Order and step grow together until an error is felt.
    rising: bool,
    failures: usize,
    fresh: bool,
    /// φ scaled to the present step, its prediction, and y − yₚ.
    predicted: Vec<f64>,
    change: Vec<f64>,
    spare: Vec<f64>,
    filtered: Vec<f64>,
    nothing: Vec<f64>,
    /// Estimates of the local error at the present order and its neighbours.
    estimate: Estimate,
}

/// Norms over the scales: of the step, and of steps at other orders.
#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    /// What the step is judged by.
    error: f64,
    /// At the present order, one below (with the sum of two for k > 2), and one above.
    here: f64,
    below: f64,
    below_two: f64,
    above: Option<f64>,
    tolerance: f64,
}

impl Bdf {
    pub fn new(highest: usize, form: Form, work: &Work) -> Self {
        let n = work.dims.q + work.dims.v + work.dims.z;
        let history = History {
            phi: vec![0.0; COUNT * n],
            psi: [0.0; COUNT],
            settled: 0,
            last_order: 0,
            last_step: 0.0,
        };
        Self {
            highest: highest.clamp(1, HIGHEST),
            point: NewtonPoint::new(work, form == Form::Stabilised, Chart::Coordinates),
            before: history.clone(),
            now: history,
            n,
            order: 1,
            rising: true,
            failures: 0,
            fresh: true,
            predicted: vec![0.0; n],
            change: vec![0.0; n],
            spare: vec![0.0; n],
            filtered: vec![0.0; n],
            nothing: vec![0.0; work.dims.v],
            estimate: Estimate::default(),
        }
    }

    pub fn restart(&mut self) {
        self.fresh = true;
    }

    /// The error of a step goes with this power of its size.
    pub fn error_order(&self) -> f64 {
        self.order as f64 + 1.0
    }

    /// Starts at the order of the known points before the present one, which are `h` apart and
    /// come latest first.
    pub fn seed(&mut self, y: &[f64], h: f64, known: &[Vec<f64>]) {
        let n = self.n;
        self.now.phi.fill(0.0);
        self.now.phi[n..2 * n].copy_from_slice(&y[..n]);
        for (k, point) in known.iter().enumerate() {
            self.now.phi[(k + 2) * n..][..n].copy_from_slice(&point[..n]);
        }
        // Backward differences, the highest last.
        for level in 1..=known.len() {
            for row in (level + 1..=known.len() + 1).rev() {
                for i in 0..n {
                    let above = self.now.phi[(row - 1) * n + i];
                    let value = &mut self.now.phi[row * n + i];
                    *value = above - *value;
                }
            }
        }
        self.order = known.len().min(self.highest);
        for (i, psi) in self.now.psi.iter_mut().enumerate() {
            *psi = i as f64 * h;
        }
        (self.now.last_order, self.now.last_step) = (self.order, h);
        self.now.settled = self.order + 2;
        (self.fresh, self.rising, self.failures) = (false, false, 0);
    }

    pub fn attempt<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &mut Last,
        tolerance: f64,
    ) -> Result<(), Failure> {
        if self.fresh {
            self.begin(plant, work, last)?;
        }
        self.before.take(&self.now);
        let judge = self.predict(work.dims, last);
        self.point.t = last.t + last.h;
        let states = self.n;
        self.point.y[states..].copy_from_slice(&last.y0[states..]);
        self.point.solve(plant, work, tolerance)?;
        last.y1[..states].copy_from_slice(&self.point.y[..states]);
        plant.settle(self.point.t, &mut last.y1);
        for i in 0..states {
            self.change[i] = last.y1[i] - self.predicted[i];
        }
        self.judge(work, judge);
        self.update(last.h);
        Ok(())
    }

    fn begin<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &Last,
    ) -> Result<(), Fault> {
        let n = self.n;
        self.now.phi.fill(0.0);
        self.now.psi = [0.0; COUNT];
        self.now.psi[1] = last.h;
        (self.now.settled, self.now.last_order, self.now.last_step) = (0, 0, 0.0);
        self.now.phi[n..2 * n].copy_from_slice(&last.y0[..n]);
        for i in 0..n {
            self.now.phi[2 * n + i] = last.h * last.rates0[i];
        }
        (self.order, self.rising, self.failures) = (1, true, 0);
        work.reactions(plant, last, &mut self.point.lambda)
    }

    /// Scales the history to the new step and predicts; returns the weights of the estimates.
    fn predict(&mut self, dims: Dims, last: &Last) -> Judge {
        let (h, k, n) = (last.h, self.order, self.n);
        let now = &mut self.now;
        if h != now.last_step || k != now.last_order {
            now.settled = 0;
        }
        now.settled = (now.settled + 1).min(now.last_order + 2);
        let (mut alpha, mut beta) = ([1.0; COUNT], [1.0; COUNT]);
        let (mut gamma, mut sigma) = ([0.0; COUNT], [1.0; COUNT]);
        let mut sum = h;
        for i in 2..=k + 1 {
            let old = now.psi[i - 1];
            now.psi[i - 1] = sum;
            beta[i] = beta[i - 1] * sum / old;
            sum = old + h;
            alpha[i] = h / sum;
            sigma[i] = (i - 1) as f64 * sigma[i - 1] * alpha[i];
            gamma[i] = gamma[i - 1] + alpha[i - 1] / h;
        }
        now.psi[k + 1] = sum;
        let leading: f64 = (1..=k).map(|i| 1.0 / i as f64).sum();
        let variable: f64 = alpha[1..=k].iter().sum();
        self.predicted.fill(0.0);
        self.spare.fill(0.0);
        for i in 1..=k + 1 {
            let phi = &mut now.phi[i * n..][..n];
            for (j, phi) in phi.iter_mut().enumerate() {
                *phi *= beta[i];
                self.predicted[j] += *phi;
                self.spare[j] += gamma[i] * *phi;
            }
        }
        let Dims { q, v, .. } = dims;
        let c = leading / h;
        let point = &mut self.point;
        point.coefficients = [c, 1.0 / c, c];
        point.base.copy_from_slice(&self.predicted[..q]);
        point.rate_p.copy_from_slice(&self.spare[..q]);
        point.displacement_p.fill(0.0);
        point.v_p.copy_from_slice(&self.predicted[q..q + v]);
        point.acceleration_p.copy_from_slice(&self.spare[q..q + v]);
        point.z_p.copy_from_slice(&self.predicted[q + v..]);
        point.zdot_p.copy_from_slice(&self.spare[q + v..]);
        let error = (alpha[k + 1] - leading + variable).abs().max(alpha[k + 1]);
        Judge { error, sigma }
    }

    /// Size of `spare` as an error. Where a motion is stiffly held, v is the derivative of q by the
    /// formula and jumps with its order; that part is filtered out.
    fn size(&mut self, work: &mut Work) -> f64 {
        let Dims { q, v, .. } = work.dims;
        self.filtered.copy_from_slice(&self.spare);
        let position = work.norm(&self.filtered[..q], 0);
        if !self.point.stabilised {
            return largest([position, work.norm(&self.filtered[q + v..], q + v)]);
        }
        let (velocity, first_order) = self.filtered[q..].split_at_mut(v);
        self.nothing.fill(0.0);
        self.point.filter(work, &mut self.nothing, velocity, first_order);
        largest([position, work.norm(&self.filtered[q..], q)])
    }

    /// Local errors at this order and the ones below.
    fn judge(&mut self, work: &mut Work, with: Judge) {
        let (k, n) = (self.order, self.n);
        self.spare.copy_from_slice(&self.change);
        let size = self.size(work);
        let (order, sigma) = (k as f64, with.sigma);
        self.estimate = Estimate {
            error: with.error * size,
            here: (order + 1.0) * sigma[k + 1] * size,
            tolerance: self.estimate.tolerance,
            ..Estimate::default()
        };
        if k > 1 {
            add(&mut self.spare, &self.now.phi[(k + 1) * n..][..n]);
            self.estimate.below = order * sigma[k] * self.size(work);
        }
        if k > 2 {
            add(&mut self.spare, &self.now.phi[k * n..][..n]);
            self.estimate.below_two = (order - 1.0) * sigma[k - 1] * self.size(work);
        }
        let may_rise = k < self.highest && k + 1 < self.now.settled && k == self.now.last_order;
        if may_rise {
            self.spare.copy_from_slice(&self.change);
            for (x, phi) in self.spare.iter_mut().zip(&self.now.phi[(k + 2) * n..]) {
                *x -= phi;
            }
            self.estimate.above = Some(self.size(work));
        }
    }

    /// Takes the new point into the history.
    fn update(&mut self, h: f64) {
        let (k, n) = (self.order, self.n);
        self.now.phi[(k + 2) * n..][..n].copy_from_slice(&self.change);
        add(&mut self.now.phi[(k + 1) * n..][..n], &self.change);
        for i in (1..=k).rev() {
            let (low, high) = self.now.phi.split_at_mut((i + 1) * n);
            add(&mut low[i * n..], &high[..n]);
        }
        self.now.last_order = k;
        self.now.last_step = h;
    }

    pub fn error(&mut self, tolerance: f64) -> f64 {
        self.estimate.tolerance = tolerance;
        self.estimate.error
    }

    /// Chooses order and factor of the next step; with fixed steps the order rises to the highest.
    pub fn accept(&mut self, fixed: bool) -> f64 {
        (self.fresh, self.failures) = (false, 0);
        let k = self.order;
        if fixed {
            self.order = (k + 1).min(self.highest);
            return 1.0;
        }
        let lower = self.wants_lower();
        if self.rising && !lower && k < self.highest {
            self.order = k + 1;
            return 2.0;
        }
        self.rising = false;
        let order = k as f64;
        let mut estimate = self.estimate.here / (order + 1.0);
        match self.estimate.above {
            _ if lower => (self.order, estimate) = (k - 1, self.estimate.below / order),
            Some(above) if k > 1 && self.estimate.below <= self.estimate.here.min(above) => {
                (self.order, estimate) = (k - 1, self.estimate.below / order);
            }
            Some(above) if above < if k == 1 { 0.5 } else { 1.0 } * self.estimate.here => {
                (self.order, estimate) = (k + 1, above / (order + 2.0));
            }
            _ => {}
        }
        let size = 2.0 * estimate / self.estimate.tolerance + 1e-4;
        let factor = size.powf(-1.0 / (self.order as f64 + 1.0));
        match factor {
            f if f >= 2.0 => 2.0,
            f if f > 1.0 => 1.0,
            f => f.clamp(0.5, 0.9),
        }
    }

    fn wants_lower(&self) -> bool {
        let Estimate { here, below, below_two, .. } = self.estimate;
        match self.order {
            1 => false,
            2 => below <= 0.5 * here,
            _ => below.max(below_two) <= here,
        }
    }

    pub fn reject(&mut self) {
        self.failures += 1;
        if self.fresh {
            return;
        }
        self.now.take(&self.before);
        self.rising = false;
        if self.wants_lower() {
            self.order -= 1;
        }
        if self.failures >= TOO_MANY {
            self.restart();
        }
    }

    /// (q, v, z) inside the step: the polynomial through its end and the points before it.
    pub fn inside(&self, last: &Last, theta: f64, out: &mut [f64]) {
        let (n, k) = (self.n, self.now.last_order);
        let from_end = (theta - 1.0) * last.h;
        out[..n].copy_from_slice(&self.now.phi[n..2 * n]);
        let mut c = 1.0;
        let mut gamma = from_end / self.now.psi[1];
        for j in 2..=k + 1 {
            c *= gamma;
            gamma = (from_end + self.now.psi[j - 1]) / self.now.psi[j];
            for (out, phi) in out.iter_mut().zip(&self.now.phi[j * n..][..n]) {
                *out += c * phi;
            }
        }
    }
}

/// Weights of the estimates at one step.
#[derive(Clone, Copy, Debug)]
struct Judge {
    error: f64,
    sigma: [f64; COUNT],
}

fn add(sum: &mut [f64], part: &[f64]) {
    for (s, p) in sum.iter_mut().zip(part) {
        *s += p;
    }
}
