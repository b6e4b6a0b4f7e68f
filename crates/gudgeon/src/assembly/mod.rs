//! From a rough start to a consistent one: positions, velocities, mobility, redundant rows.
//!
//! The mechanism is assembled with every clearance joint ideal: the journal's centre is put at its
//! start offset from the bearing's, velocities are those of the ideal mechanism. The pose is found
//! by damped Gauss–Newton steps of least length from the user's rough pose, so that the rough pose
//! picks the branch; velocities are the given ones moved to the constraints by the shortest way.

mod pose;
mod rank;

use gudgeon_dae::{SecondOrderDae, Stabilisation};
use nalgebra::{DMatrix, DVector};

use crate::model::Model;
use crate::system::compile::{CompileError, RowSource, System};
use crate::system::evaluate::{self, Point};
use crate::system::{Plant, Workspace};
pub use rank::RowName;

/// A row is closed when it is off by less than this multiple of the mechanism's size (or radian).
const CLOSED: f64 = 1e-12;

/// A consistent start and what was learnt on the way.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The compiled mechanism without redundant rows.
    pub system: System,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub report: AssemblyReport,
}

#[derive(Clone, Debug)]
pub struct AssemblyReport {
    /// Degrees of freedom left by joints and drivers, clearance joints counted as they are.
    pub mobility: usize,
    /// The same with every clearance joint ideal.
    pub ideal_mobility: usize,
    pub coordinates: usize,
    pub rows: usize,
    /// Rows that follow from the others and were left out.
    pub redundant: Vec<RowName>,
    /// Rows whose reactions are not unique.
    pub not_unique: Vec<RowName>,
    /// Bodies without mass or inertia whose motion only drivers fix, and what they lack.
    pub massless: Vec<(String, &'static str)>,
    /// Whether the start is a singular position, where rows are dependent for an instant only.
    pub singular_start: bool,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AssemblyError {
    #[error("{}", compile_message(.0, .1))]
    Compile(CompileError, Box<str>),
    #[error("the mechanism cannot close: {}", open_message(.gaps))]
    CannotClose {
        /// What must stay open for the rest to close, smallest gap first.
        gaps: Vec<Gap>,
    },
    #[error("the prescribed velocities contradict each other: `{owner}` is off by {rate:.3e}")]
    Contradiction { owner: String, rate: f64 },
    #[error(
        "driver `{driver}` has nothing left to drive: the other joints and drivers fix its motion"
    )]
    IdleDriver { driver: String },
    #[error("body `{body}` has no {what}, but can move that way")]
    Massless { body: String, what: &'static str },
    #[error("the accelerations at the start have no solution")]
    NoAcceleration,
}

/// What stays open when everything else is closed.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    pub owner: String,
    pub row: &'static str,
    /// m or rad.
    pub value: f64,
    pub is_angle: bool,
}

impl Gap {
    fn size(&self, system: &System) -> f64 {
        self.value.abs() / if self.is_angle { 1.0 } else { system.length }
    }
}

fn compile_message(error: &CompileError, name: &str) -> String {
    match error {
        CompileError::SameBody(_) => format!("joint `{name}` connects two frames of one body"),
        CompileError::NothingToDrive(_) => {
            format!("driver `{name}` drives a joint that has no free coordinate")
        }
    }
}

fn open_message(gaps: &[Gap]) -> String {
    let one = |gap: &Gap| {
        if gap.is_angle {
            format!("`{}` stays open by {:.4} deg", gap.owner, gap.value.abs().to_degrees())
        } else {
            format!("`{}` stays open by {:.4} mm", gap.owner, gap.value.abs() * 1e3)
        }
    };
    match gaps {
        [] => "no single joint or driver is to blame".to_owned(),
        gaps => {
            gaps.iter().take(3).map(one).collect::<Vec<_>>().join(", or ")
                + " when all the others are closed"
        }
    }
}

/// Assembles a model at t = 0.
pub fn assemble(model: &Model) -> Result<Assembly, AssemblyError> {
    let real = compile(model)?;
    let twin = compile(&ideal_twin(model))?;
    let mut q = pose::guess(&twin);
    close(&twin, 0.0, &mut q).map_err(|_| cannot_close(&twin))?;
    let v = velocities(&twin, &q)?;
    let ideal = rank::analyse(&twin, &q, &v);
    let found = rank::analyse(&real, &q, &v);
    rank::check_masses(&real, &q)?;
    let dropped = if found.singular { Vec::new() } else { found.dependent.clone() };
    for &row in &dropped {
        if let RowSource::Driver(id) = real.rows[row].source {
            let driver = model.drivers[id.0].name.clone();
            return Err(AssemblyError::IdleDriver { driver });
        }
    }
    let report = AssemblyReport {
        mobility: q.len() - found.rank,
        ideal_mobility: q.len() - ideal.rank,
        coordinates: q.len(),
        rows: real.rows.len(),
        redundant: dropped.iter().map(|&i| rank::name(&real, i)).collect(),
        not_unique: found.not_unique.iter().map(|&i| rank::name(&real, i)).collect(),
        massless: rank::massless_by_drivers(&real, &q, &v),
        singular_start: found.singular,
    };
    let system = if dropped.is_empty() { real } else { real.without_rows(&dropped) };
    let assembly = Assembly { system, q, v, report };
    assembly.check_accelerations()?;
    Ok(assembly)
}

impl Assembly {
    /// The state y at the start: no work done yet.
    pub fn state(&self) -> Vec<f64> {
        let mut y = vec![0.0; Plant::new(&self.system).dims().total()];
        let n = self.q.len();
        y[..n].copy_from_slice(&self.q);
        y[n..2 * n].copy_from_slice(&self.v);
        y
    }

    fn check_accelerations(&self) -> Result<(), AssemblyError> {
        let mut plant = Plant::new(&self.system);
        let y = self.state();
        let mut dy = vec![0.0; y.len()];
        plant
            .rates(0.0, &y, &mut dy, Stabilisation::default())
            .map(|_| ())
            .map_err(|_| AssemblyError::NoAcceleration)
    }
}

fn compile(model: &Model) -> Result<System, AssemblyError> {
    System::compile(model).map_err(|error| {
        let name = match error {
            CompileError::SameBody(id) => &model.joints[id.0].name,
            CompileError::NothingToDrive(id) => &model.drivers[id.0].name,
        };
        AssemblyError::Compile(error, name.as_str().into())
    })
}

/// The model with every clearance joint ideal, its bearing moved by the start offset.
fn ideal_twin(model: &Model) -> Model {
    let mut twin = model.clone();
    for joint in &mut twin.joints {
        if joint.clearance.take().is_some() {
            let bearing = &mut twin.markers;
            let mut moved = bearing[joint.a.0].clone();
            moved.local.p += moved.local.r * joint.start_offset;
            joint.a = crate::model::MarkerId(bearing.len());
            bearing.push(moved);
        }
    }
    twin
}

/// Scaled residuals g and Jacobian G of all rows at t, in units of the mechanism's size.
pub(crate) fn constraints(system: &System, t: f64, q: &[f64]) -> (DVector<f64>, DMatrix<f64>) {
    let mut work = Workspace::new(system);
    let v = vec![0.0; q.len()];
    let at = Point { t, branch: t, q, v: &v, roots: &[] };
    evaluate::kinematics(system, at, &mut work);
    evaluate::motions(system, at, &mut work);
    let length = system.length;
    let scale = |row: usize| if system.rows[row].kind.is_angle() { 1.0 } else { length };
    let g = DVector::from_fn(system.rows.len(), |i, _| {
        evaluate::position_residual(system, i, &work) / scale(i)
    });
    let mut jacobian = DMatrix::zeros(system.rows.len(), q.len());
    for block in &system.blocks {
        let row = &system.rows[block.row];
        let (a, b) = (&work.markers[row.a], &work.markers[row.b]);
        let twist = row.kind.row(a, b);
        let reduced = if block.on_b { b.reduce(&twist.on_b) } else { a.reduce(&twist.on_a) };
        for (i, value) in reduced.iter().enumerate() {
            // Columns in units of the size too: dx = L dξ, dθ = dξ.
            let column = if i < 2 { length } else { 1.0 };
            jacobian[(block.row, 3 * block.body + i)] += value * column / scale(block.row);
        }
    }
    (g, jacobian)
}

/// A mechanism whose rows cannot all be closed.
struct Open;

/// Closes all rows at time t from a rough pose.
fn close(system: &System, t: f64, q: &mut [f64]) -> Result<(), Open> {
    let weights = vec![1.0; system.rows.len()];
    if approach(system, t, q, &weights) < 1e3 * CLOSED { Ok(()) } else { Err(Open) }
}

/// Brings the weighted rows as near to closed as they get by damped Gauss–Newton steps of least
/// length; returns the largest weighted rest.
fn approach(system: &System, t: f64, q: &mut [f64], weights: &[f64]) -> f64 {
    let weighted = |q: &[f64]| {
        let (mut g, mut jacobian) = constraints(system, t, q);
        for (i, weight) in weights.iter().enumerate() {
            g[i] *= weight;
            jacobian.row_mut(i).scale_mut(*weight);
        }
        (g, jacobian)
    };
    let (mut g, mut jacobian) = weighted(q);
    let mut damping = 0.0;
    for _ in 0..300 {
        if g.is_empty() || g.amax() < CLOSED {
            break;
        }
        let step = least_step(&jacobian, &g, damping);
        let mut trial = q.to_vec();
        for (i, value) in trial.iter_mut().enumerate() {
            *value -= step[i] * if i % 3 == 2 { 1.0 } else { system.length };
        }
        let (next, next_jacobian) = weighted(&trial);
        let slow = next.norm() > (1.0 - 1e-9) * g.norm();
        if next.norm() < g.norm() {
            q.copy_from_slice(&trial);
            (g, jacobian) = (next, next_jacobian);
            damping *= 0.1;
        }
        if slow {
            if g.amax() < 1e3 * CLOSED || damping > 1e9 {
                break;
            }
            damping = (10.0 * damping).max(1e-6);
        }
    }
    if g.is_empty() { 0.0 } else { g.amax() }
}

/// x of least length with J x = g in the sense of least squares: Jᵀ (J Jᵀ + d I)⁺ g.
fn least_step(jacobian: &DMatrix<f64>, g: &DVector<f64>, damping: f64) -> DVector<f64> {
    if jacobian.is_empty() {
        return DVector::zeros(jacobian.ncols());
    }
    let mut normal = jacobian * jacobian.transpose();
    for i in 0..normal.nrows() {
        normal[(i, i)] += damping;
    }
    let svd = normal.svd(true, true);
    let tolerance = 1e-13 * svd.singular_values.max();
    jacobian.transpose() * svd.solve(g, tolerance).expect("both factors were asked for")
}

/// Which joint or driver must be left open for all the others to close, and by how much it then
/// stays open: the smallest gaps first.
fn cannot_close(system: &System) -> AssemblyError {
    let mut owners: Vec<RowSource> = Vec::new();
    for row in &system.rows {
        if !owners.contains(&row.source) {
            owners.push(row.source);
        }
    }
    let mut gaps: Vec<Gap> = owners.into_iter().filter_map(|owner| gap_of(system, owner)).collect();
    gaps.sort_by(|a, b| a.size(system).total_cmp(&b.size(system)));
    AssemblyError::CannotClose { gaps }
}

/// Smallest gap of one owner's rows when all other rows are closed.
fn gap_of(system: &System, owner: RowSource) -> Option<Gap> {
    let rows: Vec<usize> = system.rows_of(owner).collect();
    let rest = system.without_rows(&rows);
    let mut q = pose::guess(system);
    close(&rest, 0.0, &mut q).ok()?;
    narrow(system, &rest, &rows, &mut q);
    let (g, _) = constraints(system, 0.0, &q);
    let i = rows.into_iter().max_by(|&i, &j| g[i].abs().total_cmp(&g[j].abs()))?;
    let kind = system.rows[i].kind;
    let is_angle = kind.is_angle();
    // Both components of a point are one distance.
    let value = if is_angle {
        g[i]
    } else {
        let lengths = system.rows_of(owner).filter(|&i| !system.rows[i].kind.is_angle());
        lengths.map(|i| g[i] * g[i]).sum::<f64>().sqrt() * system.length
    };
    Some(Gap { owner: system.row_owner(i).to_owned(), row: kind.name(), value, is_angle })
}

/// Moves the pose within the rows of `rest` until the `open` rows of the whole system are as near to
/// closed as they can be: damped Gauss–Newton steps in the free directions of `rest`.
fn narrow(system: &System, rest: &System, open: &[usize], q: &mut [f64]) {
    let gap = |q: &[f64]| {
        let (g, jacobian) = constraints(system, 0.0, q);
        (g.select_rows(open), jacobian.select_rows(open))
    };
    let (mut g, mut jacobian) = gap(q);
    let mut damping = 1e-6;
    for _ in 0..300 {
        let free = rank::null_space(&constraints(rest, 0.0, q).1);
        let free = DMatrix::from_fn(q.len(), free.len(), |i, k| free[k][i]);
        let step = &free * least_step(&(&jacobian * &free), &g, damping);
        let mut trial = q.to_vec();
        for (i, value) in trial.iter_mut().enumerate() {
            *value -= step[i] * if i % 3 == 2 { 1.0 } else { system.length };
        }
        let closed = close(rest, 0.0, &mut trial).is_ok();
        let (next, next_jacobian) = gap(&trial);
        if closed && next.norm() < g.norm() {
            let gain = 1.0 - next.norm() / g.norm();
            q.copy_from_slice(&trial);
            (g, jacobian) = (next, next_jacobian);
            damping *= 0.3;
            if gain < 1e-12 {
                return;
            }
        } else if damping > 1e6 {
            return;
        } else {
            damping *= 10.0;
        }
    }
}

/// The user's velocities, moved to the constraints in the metric of M.
fn velocities(system: &System, q: &[f64]) -> Result<Vec<f64>, AssemblyError> {
    let mut v = pose::given_velocities(system, q);
    let mut work = Workspace::new(system);
    let at = Point { t: 0.0, branch: 0.0, q, v: &v, roots: &[] };
    evaluate::kinematics(system, at, &mut work);
    evaluate::motions(system, at, &mut work);
    let (_, jacobian) = constraints(system, 0.0, q);
    let weights = DVector::from_fn(q.len(), |i, _| {
        let length = if i % 3 == 2 { 1.0 } else { system.length };
        system.bodies[i / 3].inverse[i % 3].sqrt() / length
    });
    let scale = |i: usize| if system.rows[i].kind.is_angle() { 1.0 } else { system.length };
    let mut residual = row_rates(system, &work);
    residual.iter_mut().enumerate().for_each(|(i, r)| *r /= scale(i));
    let weighted =
        DMatrix::from_fn(jacobian.nrows(), jacobian.ncols(), |i, j| jacobian[(i, j)] * weights[j]);
    let step = least_step(&weighted, &DVector::from_vec(residual), 0.0);
    for (i, value) in v.iter_mut().enumerate() {
        *value -= step[i] * weights[i] * if i % 3 == 2 { 1.0 } else { system.length };
    }
    let at = Point { t: 0.0, branch: 0.0, q, v: &v, roots: &[] };
    evaluate::kinematics(system, at, &mut work);
    let rest = row_rates(system, &work);
    let speed = v.iter().fold(1e-9, |m: f64, x| m.max(x.abs()));
    let worst = (0..rest.len()).max_by(|&i, &j| rest[i].abs().total_cmp(&rest[j].abs()));
    match worst {
        Some(i) if rest[i].abs() > 1e-8 * speed => Err(AssemblyError::Contradiction {
            owner: system.row_owner(i).to_owned(),
            rate: rest[i],
        }),
        _ => Ok(v),
    }
}

/// G v + g_t of every row at the last kinematics.
fn row_rates(system: &System, work: &Workspace) -> Vec<f64> {
    let rate = |row: &crate::system::compile::Row| {
        let prescribed = match row.source {
            RowSource::Driver(id) => work.motions[id.0].rate,
            RowSource::Joint(_) => 0.0,
        };
        row.kind.rate(&work.markers[row.a], &work.markers[row.b]) - prescribed
    };
    system.rows.iter().map(rate).collect()
}
