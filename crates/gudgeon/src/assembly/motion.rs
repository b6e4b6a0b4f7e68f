//! Velocities at the start.
//!
//! With v = D u, D² = M⁻¹, lengths of u are those of the kinetic energy. G are the rows of the real
//! mechanism (ideal joints and drivers), C those that the joints with clearance would have if they
//! were ideal, A the rows of the requested velocities b.
//!
//! **Ideal motion.** G D u = −g_t and C D u = 0 hold, A D u = b is met as nearly as can be, and what is
//! left is as small as can be. Where it meets all requests, or none are made, it is the answer.
//!
//! **Requests that only a clearance allows.** A clearance forbids no velocity. Then v is sought
//! together with an ideal motion w, by levels, each as nearly as those before it allow:
//!
//!   G D u_v = −g_t,  G D u_w = −g_t           joints and drivers hold                       (1)
//!   C D u_w = 0                               w is a motion of the ideal mechanism          (2)
//!   A D u_v = b                               v is what was requested                       (3)
//!   P (u_v − u_w) = 0                         elsewhere it is the ideal motion,             (4)
//!   A D u_w = b                               the one nearest to what was requested,        (5)
//!   u_v = 0                                   with least kinetic energy                     (6)
//!
//! P takes the velocities of which nothing was requested. A body of which nothing was requested so moves as
//! the ideal mechanism does, and where ideal joints tie it to one that must move otherwise, it
//! departs from that by least kinetic energy. Drivers that no ideal mechanism could follow leave
//! (2) met as nearly as they allow.

use nalgebra::{DMatrix, DVector};

use super::close::{constraints, least_step, row_scale};
use super::contradiction::contradiction;
use super::levels::Levels;
use super::{AssemblyError, pose, rank};
use crate::math::decompose;
use crate::system::Workspace;
use crate::system::compile::{RowSource, System};
use crate::system::evaluate::{self, StateAt};

/// A requested velocity counts as met within this share of the fastest one.
const MET: f64 = 1e-12;
/// Rows hold within this multiple of the largest velocity.
const HOLDS: f64 = 1e-8;

/// Which velocities to start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motion {
    /// The requested ones, clearances permitting.
    Requested,
    /// Those of the ideal mechanism: journals rest in their bearings.
    Ideal,
}

/// Velocities at the start, and whether the ideal mechanism can follow its drivers.
pub(super) struct Velocities {
    pub v: Vec<f64>,
    pub ideal_moves: bool,
}

/// `baseline` is the ideal mechanism; the same as `real` where no joint has clearance.
pub(super) fn velocities(
    real: &System,
    baseline: &System,
    q: &[f64],
    motion: Motion,
) -> Result<Velocities, AssemblyError> {
    let [exact, evened] = [Weights::Exact, Weights::Evened];
    let ideal = ideal(baseline, q, exact).or_else(|| ideal(baseline, q, evened));
    let ideal_moves = ideal.is_some();
    let plays = real.model.joints.iter().any(|joint| joint.clearance.is_some());
    match ideal {
        Some(v) if motion == Motion::Ideal || !plays || meets_requests(real, q, &v) => {
            Ok(Velocities { v, ideal_moves })
        }
        None if !plays => Err(contradiction(real, q)),
        _ => {
            let found = in_clearances(real, baseline, q, (motion, exact));
            let again =
                |error| in_clearances(real, baseline, q, (motion, evened)).map_err(|_| error);
            Ok(Velocities { v: found.or_else(again)?, ideal_moves })
        }
    }
}

/// The motion of the ideal mechanism: u = u₀ + N y, u₀ the shortest solution of all its rows, N a
/// basis of the free directions, and y from least squares of the requests. `None` where its rows
/// contradict each other.
fn ideal(system: &System, q: &[f64], weights: Weights) -> Option<Vec<f64>> {
    let mut rates = Rates::new(system, q);
    let d = root_inverse_masses(system, weights);
    let weighted = weighted_rows(system, q, &d);
    let scaled = |rates: &[f64]| {
        let scaled = rates.iter().enumerate().map(|(i, rate)| rate / row_scale(system, i));
        DVector::from_iterator(rates.len(), scaled)
    };
    let mut u = -least_step(&weighted, &scaled(&rates.at(&vec![0.0; d.len()])), 0.0);
    let free = rank::null_space(&weighted);
    let (rows, wanted) = requests(system, q, &d);
    if !free.is_empty() && !rows.is_empty() {
        let free = DMatrix::from_fn(d.len(), free.len(), |i, k| free[k][i]);
        let svd = decompose::svd(&rows * &free)?;
        let open = wanted - &rows * &u;
        u += free * svd.solve(&open, 1e-9).expect("both factors were asked for");
    }
    // Very uneven masses cost digits; a second solve for what is left brings them back.
    u -= least_step(&weighted, &scaled(&rates.at(&velocity(&u, &d))), 0.0);
    let v = velocity(&u, &d);
    rates.hold(&v).then_some(v)
}

/// Levels (1) to (6), without those of requests where the ideal motion is wanted.
fn in_clearances(
    real: &System,
    baseline: &System,
    q: &[f64],
    (motion, weights): (Motion, Weights),
) -> Result<Vec<f64>, AssemblyError> {
    let d = root_inverse_masses(real, weights);
    let n = d.len();
    let (g, g_rates) = unit_rows(real, q, &d, |_| true);
    let (c, c_rates) = unit_rows(baseline, q, &d, |source| is_clearance(real, source));
    let mut all = Levels::new(n);
    all.meet(&g, &-g_rates); // (1)
    let (u_0, n_r) = (all.point.clone(), all.free.clone());
    all.meet(&c, &-c_rates); // (2)
    let mut u = all.point.clone();
    if motion == Motion::Requested {
        let (a, b) = requests(real, q, &d);
        let (w_0, n_w) = (all.point, all.free);
        let zero = DMatrix::zeros(a.nrows(), n_w.ncols());
        let mut both = Levels::new(n_r.ncols() + n_w.ncols());
        both.meet(&beside(&(&a * &n_r), &zero), &(&b - &a * &u_0)); // (3)
        let open = &b - &a * (&u_0 + &n_r * both.point.rows(0, n_r.ncols()));
        let p = unrequested(real, &a, &open, MET * b.amax());
        both.meet(&beside(&(&p * &n_r), &-(&p * &n_w)), &(&p * (&w_0 - &u_0))); // (4)
        let zero = DMatrix::zeros(a.nrows(), n_r.ncols());
        both.meet(&beside(&zero, &(&a * &n_w)), &(&b - &a * &w_0)); // (5)
        both.meet(&beside(&n_r, &DMatrix::zeros(n, n_w.ncols())), &-&u_0); // (6)
        u = u_0 + &n_r * both.point.rows(0, n_r.ncols());
    }
    let mut rates = Rates::new(real, q);
    let v = velocity(&u, &d);
    let weighted = weighted_rows(real, q, &d);
    let left = rates.at(&v);
    let left = left.iter().enumerate().map(|(i, rate)| rate / row_scale(real, i));
    u -= least_step(&weighted, &DVector::from_iterator(weighted.nrows(), left), 0.0);
    let v = velocity(&u, &d);
    if rates.hold(&v) { Ok(v) } else { Err(contradiction(real, q)) }
}

/// Whether the motion has all requested velocities.
fn meets_requests(system: &System, q: &[f64], v: &[f64]) -> bool {
    let d = root_inverse_masses(system, Weights::Exact);
    let (a, b) = requests(system, q, &d);
    let u = DVector::from_fn(v.len(), |i, _| v[i] / d[i]);
    let size = b.iter().chain(u.iter()).fold(0.0, |m: f64, x| m.max(x.abs()));
    (b - a * u).iter().all(|open| open.abs() <= MET * size)
}

/// Rates of all rows at velocities, g_t included.
pub(super) struct Rates<'a> {
    system: &'a System,
    q: &'a [f64],
    work: Workspace,
}

impl<'a> Rates<'a> {
    pub fn new(system: &'a System, q: &'a [f64]) -> Self {
        let mut work = Workspace::new(system);
        let rest = vec![0.0; system.layout.v];
        let at = StateAt::bare(0.0, 0.0, q, &rest);
        evaluate::kinematics(system, at, &mut work);
        Self { system, q, work }
    }

    pub fn at(&mut self, v: &[f64]) -> Vec<f64> {
        evaluate::kinematics(self.system, StateAt::bare(0.0, 0.0, self.q, v), &mut self.work);
        let work = &self.work;
        let rate = |row: &crate::system::compile::Row| {
            let prescribed = match row.source {
                RowSource::Driver(id) => work.motions[id.0].rate,
                RowSource::Joint(_) | RowSource::Body(_) => 0.0,
            };
            row.kind.rate(&work.markers[row.a], &work.markers[row.b]) - prescribed
        };
        self.system.rows.iter().map(rate).collect()
    }

    pub fn hold(&mut self, v: &[f64]) -> bool {
        self.at(v).iter().all(|rate| rate.abs() <= HOLDS * largest(v))
    }
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(1e-9, |m: f64, x| m.max(x.abs()))
}

fn velocity(u: &DVector<f64>, d: &[f64]) -> Vec<f64> {
    u.iter().zip(d).map(|(u, d)| u * d).collect()
}

/// How D takes the masses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weights {
    Exact,
    /// Bodies lighter by more than [`UNEVEN`] move as freely as if they were no lighter: where masses
    /// are so uneven that no digits are left, velocities that hold are better than none.
    Evened,
}

/// Largest ratio of entries of evened D in units of the size.
const UNEVEN: f64 = 1e5;

/// D.
pub(super) fn root_inverse_masses(system: &System, weights: Weights) -> Vec<f64> {
    let of = |body: &crate::system::component::RigidBody| {
        body.inverse.map(f64::sqrt).into_iter().take(body.formulation.velocities())
    };
    let mut d: Vec<f64> = system.bodies.iter().flat_map(of).collect();
    if weights == Weights::Evened {
        let sized = d.iter().enumerate().map(|(i, d)| d / system.unit(i));
        let heaviest = sized.fold(f64::INFINITY, f64::min);
        for (i, d) in d.iter_mut().enumerate() {
            *d = d.min(UNEVEN * heaviest * system.unit(i));
        }
    }
    d
}

/// G D, rows in units of the size.
fn weighted_rows(system: &System, q: &[f64], d: &[f64]) -> DMatrix<f64> {
    let (_, jacobian) = constraints(system, 0.0, q);
    DMatrix::from_fn(jacobian.nrows(), d.len(), |i, j| jacobian[(i, j)] * d[j] / system.unit(j))
}

/// Rows of some owners at unit length, and their g_t.
fn unit_rows(
    system: &System,
    q: &[f64],
    d: &[f64],
    wanted: impl Fn(RowSource) -> bool,
) -> (DMatrix<f64>, DVector<f64>) {
    let mut rows = weighted_rows(system, q, d);
    let rest = Rates::new(system, q).at(&vec![0.0; d.len()]);
    let mut rates = DVector::from_fn(rest.len(), |i, _| rest[i] / row_scale(system, i));
    for (i, rate) in rates.iter_mut().enumerate() {
        let size = rows.row(i).norm();
        if size > 0.0 {
            rows.row_mut(i).unscale_mut(size);
            *rate /= size;
        }
    }
    let kept: Vec<usize> =
        (0..system.rows.len()).filter(|&i| wanted(system.rows[i].source)).collect();
    (rows.select_rows(&kept), rates.select_rows(&kept))
}

fn is_clearance(real: &System, source: RowSource) -> bool {
    match source {
        RowSource::Joint(id) => real.model.joints[id.0].clearance.is_some(),
        RowSource::Driver(_) | RowSource::Body(_) => false,
    }
}

/// A D and b.
fn requests(system: &System, q: &[f64], d: &[f64]) -> (DMatrix<f64>, DVector<f64>) {
    let rows = pose::request_rows(system, q);
    let mut a = DMatrix::zeros(rows.len(), d.len());
    for (i, row) in rows.iter().enumerate() {
        for (j, entry) in row.at.clone().zip(&row.entries) {
            a[(i, j)] = entry * d[j];
        }
    }
    (a, DVector::from_iterator(rows.len(), rows.iter().map(|row| row.wanted)))
}

/// P: the velocities that follow the ideal motion, as rows: those of bodies of which nothing was
/// requested, and the translation of bodies of which only the spin was. The spin of a body that has
/// its requested translation does not follow: an ideal joint would derive it from a translation that
/// its clearance does not ask for. `open` is what is left of the requests A.
fn unrequested(
    system: &System,
    a: &DMatrix<f64>,
    open: &DVector<f64>,
    tolerance: f64,
) -> DMatrix<f64> {
    let mut follows = Vec::new();
    for (rigid, body) in system.bodies.iter().zip(&system.model.bodies[1..]) {
        let own = |row: usize| rigid.velocities().any(|j| a[(row, j)] != 0.0);
        let met = (0..open.len()).filter(|&row| own(row)).all(|row| open[row].abs() <= tolerance);
        let (velocity, spin) =
            (body.start.velocity.is_some(), body.start.angular_velocity.is_some());
        for (i, index) in rigid.velocities().enumerate() {
            let translates = i < rigid.formulation.lengths();
            let has_own = if translates { velocity } else { spin || (velocity && met) };
            if !has_own {
                follows.push(index);
            }
        }
    }
    let one = |i: usize, j: usize| if follows[i] == j { 1.0 } else { 0.0 };
    DMatrix::from_fn(follows.len(), system.layout.v, one)
}

fn beside(left: &DMatrix<f64>, right: &DMatrix<f64>) -> DMatrix<f64> {
    let mut both = DMatrix::zeros(left.nrows(), left.ncols() + right.ncols());
    both.columns_mut(0, left.ncols()).copy_from(left);
    both.columns_mut(left.ncols(), right.ncols()).copy_from(right);
    both
}
