//! Newton's iteration at one new point, for methods that have no stages.
//!
//! A method gives a prediction and how changes of v, q and z hang together:
//!
//!   v̇ = v̇ₚ + a (v − vₚ),   ż = żₚ + c (z − zₚ),   q = q₀ ⊕ (δₚ + b (v − vₚ) + W⁻¹ Ḡᵀ η)      (1)
//!
//! η is the correction of Gear, Gupta and Leimkuhler, which lets both g = 0 and G v + g_t = 0 hold;
//! Ḡ is the mean of G at the start and the predicted end of the step. With δv = (δq − W⁻¹Ḡᵀ δη)/b, what is
//! left of the equations r and the directions of the reactions R = Gᵀ − ∂f/∂λ a correction satisfies
//!
//!   (M + D/a + (b/a) K) δq + (b/a) (F_z δz + R δλ) = −(b/a) r_v + (M + D/a) W⁻¹Ḡᵀ δη             (2)
//!   (1 − H_z/c) δz − (H_q + H_v/b)/c δq = −r_z/c − H_v W⁻¹Ḡᵀ δη/(b c)                            (3)
//!   G δq = −r_g,   S δη = b r_k + G δq + b B δq = b r_k − r_g + b B δq                           (4)
//!
//! Where W = M and R = Gᵀ the last term of (2) is Gᵀ δη, but for damping: λ and η appear as λ − (a/b) η
//! only. So (2), (3) and g = 0 are solved for that, with the matrix of [`saddle`](super::saddle), and
//! (4) after. What this leaves out slows the iteration by a factor like the turn within a step.
//!
//! Elsewhere S δη₀ = b r_k − r_g, which needs no δq, is solved first, its part of (2) and (3) taken to the
//! right-hand side, and only the rest δη − δη₀ = S⁻¹ b B δq left to λ − (a/b) η. What is left out is
//! ((M + D/a) W⁻¹Ḡᵀ − R) S⁻¹ b B δq: again a factor like the turn within a step, b B.

use super::convergence::{Convergence, Verdict};
use super::equations::{ImplicitDae, Place};
use super::saddle::Saddle;
use super::work::{Failure, Residual, Work};
use crate::problem::{Dims, Fault};
use crate::statistics::Reason;

/// Iterations with one matrix.
const ITERATIONS: usize = 16;
/// A matrix whose iteration converges slower than this is renewed in the next step.
const SLOW: f64 = 0.1;
/// Corrections below this, over the scales, say nothing of the matrix.
pub(super) const ROUNDING: f64 = 1e-12;
/// An iteration that no longer converges has arrived where its corrections are below this multiple of
/// those that rounding causes.
pub(super) const AT_ROUNDING: f64 = 10.0;
/// Iterations that old tangents of a large system may cost in fixed steps, all together, before new ones are
/// worth their evaluation and factors.
const WORTH: i32 = 12;
/// Largest change of a coefficient for which an old matrix will do.
const RESIZED: f64 = 0.25;

/// How positions follow from velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chart {
    /// Equation (1).
    Exponential,
    /// q̇ₚ + (q − qₚ)/b in coordinates is N v; q₀ is the prediction.
    Coordinates,
}

/// A new point, its prediction and its unknowns.
#[derive(Debug)]
pub(super) struct NewtonPoint {
    dims: Dims,
    /// Whether G v + g_t = 0 is demanded beside g = 0.
    pub stabilised: bool,
    pub chart: Chart,
    /// a, b, c.
    pub coefficients: [f64; 3],
    pub t: f64,
    pub y: Vec<f64>,
    /// q₀, or qₚ.
    pub base: Vec<f64>,
    /// δₚ.
    pub displacement_p: Vec<f64>,
    /// q̇ₚ.
    pub rate_p: Vec<f64>,
    pub v_p: Vec<f64>,
    pub acceleration_p: Vec<f64>,
    pub z_p: Vec<f64>,
    pub zdot_p: Vec<f64>,
    pub acceleration: Vec<f64>,
    pub zdot: Vec<f64>,
    pub lambda: Vec<f64>,
    lambda_p: Vec<f64>,
    pub eta: Vec<f64>,
    pub displacement: Vec<f64>,
    shift: Vec<f64>,
    shift_change: Vec<f64>,
    rhs: Vec<f64>,
    eta_change: Vec<f64>,
    /// δη₀.
    eta_known: Vec<f64>,
    chart_change: Vec<f64>,
    q_before: Vec<f64>,
    residual: Residual,
    /// What the first correction has left.
    left: Residual,
    saddle: Saddle<f64>,
    /// Coefficients of the present factors, and whether their tangents were old.
    factored: [f64; 3],
    moved: bool,
    /// Steps that these factors have served, that those with new tangents before them did, and whether renewing
    /// G alone was in vain: such factors did not serve half as long.
    served: u32,
    served_new: u32,
    in_vain: bool,
    /// Rows that are not part of them.
    dropped: Vec<bool>,
    /// Fewest iterations of a step with these tangents, and what all steps took beyond.
    fewest: i32,
    beyond: i32,
}

/// When tangents are renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Newton {
    /// Before the iteration, if at all.
    Modified,
    /// At every iteration.
    Full,
}

impl NewtonPoint {
    pub fn new(work: &Work, stabilised: bool, chart: Chart) -> Self {
        let dims = work.dims;
        let (v, z) = (vec![0.0; dims.v], vec![0.0; dims.z]);
        let (rows, q) = (vec![0.0; dims.rows], vec![0.0; dims.q]);
        Self {
            dims,
            stabilised,
            chart,
            coefficients: [0.0; 3],
            t: 0.0,
            y: vec![0.0; dims.total()],
            base: q.clone(),
            displacement_p: v.clone(),
            rate_p: q.clone(),
            v_p: v.clone(),
            acceleration_p: v.clone(),
            z_p: z.clone(),
            zdot_p: z.clone(),
            acceleration: v.clone(),
            zdot: z,
            lambda: rows.clone(),
            lambda_p: rows.clone(),
            eta: rows.clone(),
            displacement: v.clone(),
            shift: v.clone(),
            shift_change: v.clone(),
            rhs: vec![0.0; dims.v + dims.z + dims.rows],
            eta_change: rows.clone(),
            eta_known: rows,
            chart_change: v,
            q_before: q,
            residual: Residual::new(dims),
            left: Residual::new(dims),
            saddle: Saddle::new(dims, &work.terms, &work.tangents),
            factored: [0.0; 3],
            moved: false,
            served: 0,
            served_new: 0,
            in_vain: false,
            dropped: vec![false; dims.rows],
            fewest: i32::MAX,
            beyond: 0,
        }
    }

    /// Solves for the new point from the prediction; λ is kept from before as a first guess.
    pub fn solve<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        tolerance: f64,
    ) -> Result<(), Failure> {
        let Dims { q, v, .. } = self.dims;
        let [a, b, _] = self.coefficients;
        let [old_a, old_b, _] = self.factored;
        let off = |new: f64, old: f64| (new / old - 1.0).abs() > RESIZED;
        if work.renew.is_none() && (off(a, old_a) || off(b, old_b)) {
            work.renew = Some(Reason::Resized);
        }
        self.lambda_p.copy_from_slice(&self.lambda);
        let mut newton = Newton::Modified;
        loop {
            let fresh = work.renew.is_some_and(Reason::needs_tangents);
            self.lambda.copy_from_slice(&self.lambda_p);
            self.y[q..q + v].copy_from_slice(&self.v_p);
            self.y[q + v..q + v + self.dims.z].copy_from_slice(&self.z_p);
            self.eta.fill(0.0);
            self.displacement.copy_from_slice(&self.displacement_p);
            match self.iterate(plant, work, tolerance, newton) {
                Ok(()) => return Ok(()),
                Err(Failure::Unsolved { .. }) if !fresh && newton == Newton::Modified => {
                    work.renew = Some(Reason::Slow);
                }
                Err(Failure::Unsolved { .. }) if work.patient && newton == Newton::Modified => {
                    newton = Newton::Full;
                }
                Err(failure) => {
                    self.lambda.copy_from_slice(&self.lambda_p);
                    return Err(failure);
                }
            }
        }
    }

    fn iterate<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        tolerance: f64,
        newton: Newton,
    ) -> Result<(), Failure> {
        let mut convergence = match newton {
            Newton::Modified => Convergence::new(tolerance, ITERATIONS),
            Newton::Full => Convergence::of_newton(tolerance, ITERATIONS),
        };
        loop {
            self.place(plant, work);
            work.evaluate(plant, self.t, &self.y, &self.lambda)?;
            if convergence.count() == 0 && self.needs_metric(work) {
                work.metric.average(&work.terms.rows)?;
            }
            if newton == Newton::Full {
                work.renew = Some(Reason::Slow);
            }
            if let Some(reason) = work.renew {
                self.factor(plant, work, reason)?;
            }
            self.take_residual(work);
            if convergence.count() == 1 {
                // What the first correction left is where the trouble is; later all equations fail.
                self.left.copy(&self.residual);
            }
            let change = self.correct(plant, work);
            self.apply();
            work.statistics.iterations += 1;
            match convergence.judge(change) {
                Verdict::GoOn => {}
                Verdict::Hopeless => {
                    self.place(plant, work);
                    let harmless = work.is_harmless(change, tolerance);
                    if harmless && change <= AT_ROUNDING * self.rounding(plant, work) {
                        return Ok(());
                    }
                    break;
                }
                Verdict::Done => {
                    work.growth = convergence.growth();
                    self.served += 1;
                    self.place(plant, work);
                    if convergence.rate > SLOW && change > ROUNDING {
                        work.renew = Some(self.remedy(work));
                    } else if self.is_worth(convergence.count()) && work.patient {
                        work.renew = Some(Reason::Slow);
                    }
                    return Ok(());
                }
            }
        }
        let [a, b, c] = self.coefficients;
        let left = if convergence.count() > 1 { &self.left } else { &self.residual };
        let (equation, residual) = work.worst(left, a, b, c);
        Err(Failure::Unsolved { equation, residual })
    }

    /// Whether the iterations that a step has taken beyond the fewest since the tangents were renewed, added
    /// up, are worth new tangents.
    fn is_worth(&mut self, count: i32) -> bool {
        self.fewest = self.fewest.min(count);
        self.beyond += count - self.fewest;
        self.saddle.is_sparse() && self.beyond >= WORTH
    }

    /// Whether corrections along G are made, or defects filtered by them. Fixed steps of index 3 do neither.
    fn needs_metric(&self, work: &Work) -> bool {
        self.stabilised || !work.patient
    }

    /// What is renewed after a slow iteration: G alone first, unless friction turns with it or the tangents change
    /// as fast as G does; the tangents where that did not help.
    fn remedy(&mut self, work: &Work) -> Reason {
        match self.moved {
            true => self.in_vain = 2 * self.served < self.served_new,
            false => self.served_new = self.served,
        }
        let alone = !self.moved && !self.in_vain && !work.depends_on_reactions();
        if alone { Reason::Moved } else { Reason::Slow }
    }

    /// q, v̇ and ż from v, z and η.
    fn place<P: ImplicitDae>(&mut self, plant: &P, work: &Work) {
        let Dims { q, v, z, .. } = self.dims;
        let [a, b, c] = self.coefficients;
        let (positions, rest) = self.y.split_at_mut(q);
        let (velocities, rest) = rest.split_at(v);
        if self.stabilised {
            work.metric.shift(&self.eta, &mut self.shift);
        }
        for i in 0..v {
            self.acceleration[i] = self.acceleration_p[i] + a * (velocities[i] - self.v_p[i]);
        }
        for i in 0..z {
            self.zdot[i] = self.zdot_p[i] + c * (rest[i] - self.z_p[i]);
        }
        match self.chart {
            Chart::Exponential => {
                for i in 0..v {
                    let change = b * (velocities[i] - self.v_p[i]) + self.shift[i];
                    self.displacement[i] = self.displacement_p[i] + change;
                }
                plant.displace(&self.base, &self.displacement, positions);
            }
            Chart::Coordinates => self.place_by_rate(plant),
        }
    }

    /// q for which the rate of the coordinates is N (v + W⁻¹Ḡᵀ η/b).
    fn place_by_rate<P: ImplicitDae>(&mut self, plant: &P) {
        let Dims { q, v, .. } = self.dims;
        let b = self.coefficients[1];
        let rounds = if plant.velocity_is_rate() { 1 } else { 4 };
        for _ in 0..rounds {
            let (positions, rest) = self.y.split_at_mut(q);
            plant.displace(&self.base, &self.displacement, positions);
            for i in 0..q {
                self.q_before[i] = self.rate_p[i] + (positions[i] - self.base[i]) / b;
            }
            plant.velocity_of(positions, &self.q_before, &mut self.chart_change);
            for i in 0..v {
                self.displacement[i] += b * (rest[i] - self.chart_change[i]) + self.shift[i];
            }
        }
        plant.displace(&self.base, &self.displacement, &mut self.y[..q]);
    }

    fn factor<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        reason: Reason,
    ) -> Result<(), Failure> {
        if reason.needs_tangents() {
            let (acceleration, lambda) = (&self.acceleration, &self.lambda);
            let at = Place { t: self.t, y: &self.y, acceleration, lambda };
            work.take_tangents(plant, at)?;
            (self.fewest, self.beyond) = (i32::MAX, 0);
        }
        self.moved = reason == Reason::Moved;
        self.served = 0;
        self.in_vain &= reason != Reason::Restarted;
        let singular = |row| Failure::Fault(Fault::Singular { row });
        let dropped = &work.metric.dropped;
        let factored = self.saddle.factor(&work.terms, &work.tangents, dropped, self.coefficients);
        self.dropped.copy_from_slice(dropped);
        factored.map_err(|k| singular(k.saturating_sub(self.dims.v + self.dims.z)))?;
        work.statistics.factorisations.count(reason);
        self.factored = self.coefficients;
        work.renew = None;
        Ok(())
    }

    fn take_residual(&mut self, work: &Work) {
        let Dims { q, v, .. } = self.dims;
        let velocities = &self.y[q..q + v];
        let (acceleration, lambda) = (&self.acceleration, &self.lambda);
        self.residual.take(&work.terms, velocities, acceleration, &self.zdot, lambda);
    }

    /// Size over the scales of a correction that rounding alone causes; the residual is overwritten.
    fn rounding<P: ImplicitDae>(&mut self, plant: &P, work: &mut Work) -> f64 {
        let Dims { q, v, .. } = self.dims;
        let (positions, rest) = self.y.split_at(q);
        self.residual.take_rounding(&work.terms, positions, &rest[..v], &self.lambda);
        self.correct(plant, work)
    }

    /// A correction from what is left of the equations; returns its size over the scales.
    fn correct<P: ImplicitDae>(&mut self, plant: &P, work: &mut Work) -> f64 {
        let Dims { q, v, z, .. } = self.dims;
        let [a, b, c] = self.coefficients;
        for i in 0..v {
            self.rhs[i] = -self.residual.motion[i] * b / a;
        }
        for i in 0..z {
            self.rhs[v + i] = -self.residual.rate[i] / c;
        }
        for (i, g) in self.residual.position.iter().enumerate() {
            self.rhs[v + z + i] = if self.dropped[i] { 0.0 } else { -g };
        }
        if self.stabilised && !work.metric_is_mass {
            self.foresee(work);
        }
        self.saddle.solve(&mut self.rhs);
        let moved = &self.rhs[..v];
        match self.chart {
            Chart::Exponential => {
                plant.chart_rate(&self.displacement, moved, &mut self.chart_change)
            }
            Chart::Coordinates => self.chart_change.copy_from_slice(moved),
        }
        if self.stabilised {
            for (out, r) in self.eta_change.iter_mut().zip(&self.residual.velocity) {
                *out = b * r;
            }
            work.terms.rows.add_product(1.0, &self.chart_change, &mut self.eta_change);
            work.tangents.rate_jacobian.add_product(b, moved, &mut self.eta_change);
            work.metric.solve(&mut self.eta_change);
            work.metric.shift(&self.eta_change, &mut self.shift_change);
        } else {
            self.shift_change.fill(0.0);
        }
        for (change, shift) in self.chart_change.iter_mut().zip(&self.shift_change) {
            // The change of v, in the place of what it comes from.
            *change = (*change - shift) / b;
        }
        plant.displace(&self.y[..q], moved, &mut self.q_before);
        for (after, before) in self.q_before.iter_mut().zip(&self.y) {
            *after -= before;
        }
        let velocity = work.norm(&self.chart_change, q);
        let first_order = work.norm(&self.rhs[v..v + z], q + v);
        let position = work.norm(&self.q_before, 0);
        largest([velocity, first_order, position])
    }

    /// δη₀, and its part of the right-hand sides of (2) and (3).
    fn foresee(&mut self, work: &mut Work) {
        let Dims { v, z, .. } = self.dims;
        let [a, b, c] = self.coefficients;
        let left = self.residual.velocity.iter().zip(&self.residual.position);
        for (out, (r_k, r_g)) in self.eta_known.iter_mut().zip(left) {
            *out = b * r_k - r_g; // (4)
        }
        work.metric.solve(&mut self.eta_known);
        work.metric.shift(&self.eta_known, &mut self.shift_change);
        let (motion, rest) = self.rhs.split_at_mut(v);
        work.terms.mass.add_product(1.0, &self.shift_change, motion);
        work.tangents.damping.add_product(1.0 / a, &self.shift_change, motion);
        work.tangents.rates_v.add_product(-1.0 / (b * c), &self.shift_change, &mut rest[..z]);
    }

    /// Adds the last correction to v, z, λ and η.
    fn apply(&mut self) {
        let Dims { q, v, z, .. } = self.dims;
        let [a, b, _] = self.coefficients;
        for (y, change) in self.y[q..].iter_mut().zip(&self.chart_change) {
            *y += change;
        }
        let (z_change, lambda_change) = self.rhs[v..].split_at(z);
        for (y, change) in self.y[q + v..].iter_mut().zip(z_change) {
            *y += change;
        }
        let eta_change =
            self.eta_change.iter().zip(&self.eta_known).map(|(eta, known)| eta - known);
        for ((lambda, change), eta) in self.lambda.iter_mut().zip(lambda_change).zip(eta_change) {
            *lambda += a / b * (change + eta);
        }
        for (eta, change) in self.eta.iter_mut().zip(&self.eta_change) {
            *eta += change;
        }
    }

    /// Turns defects of the kinematics, of v and of z into errors of q, v and z, by the linear
    /// equations: (1/b) e_q = δq/b − δv, M a e_v = (a M + D) δv + K δq + …. What is stiff cannot move, so
    /// a defect of the kinematics is an error of v there. Along the rows of G η takes it up,
    /// and where there is none (index 3) a shorter step would not help. Its part of the motion is taken up
    /// by the reactions, or known before as in (4).
    pub fn filter(&mut self, work: &mut Work, e_q: &mut [f64], e_v: &mut [f64], e_z: &mut [f64]) {
        let Dims { v, z, .. } = self.dims;
        let [a, b, c] = self.coefficients;
        self.rhs.fill(0.0);
        if !work.metric_is_mass {
            // G δq = 0.
            work.along_rows(&self.rhs[..v], e_q, &mut self.shift_change);
            e_q.iter_mut().zip(&self.shift_change).for_each(|(e, shift)| *e += shift);
        }
        let (motion, rest) = self.rhs.split_at_mut(v);
        let rate = &mut rest[..z];
        work.terms.mass.add_product(b, e_v, motion);
        work.terms.mass.add_product(1.0, e_q, motion);
        work.tangents.damping.add_product(1.0 / a, e_q, motion);
        rate.copy_from_slice(e_z);
        work.tangents.rates_v.add_product(-1.0 / (b * c), e_q, rate);
        self.saddle.solve(&mut self.rhs);
        work.along_rows(&self.rhs[..v], e_q, &mut self.shift_change);
        for i in 0..v {
            e_v[i] = (self.rhs[i] - e_q[i] - self.shift_change[i]) / b;
            e_q[i] = self.rhs[i];
        }
        e_z.copy_from_slice(&self.rhs[v..v + z]);
    }
}

/// The largest, or not a number where one is not.
pub(super) fn largest<const N: usize>(sizes: [f64; N]) -> f64 {
    sizes.into_iter().fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}
