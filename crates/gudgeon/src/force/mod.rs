//! Applied forces: wrenches at markers, potential energy, and power of the rest.
//!
//! | element | force | potential | other power |
//! |---|---|---|---|
//! | point force   | F(t) at a marker                        | –           | F · v |
//! | distributed   | l_i F(t) at markers i of a line         | –           | Σ l_i F · v_i |
//! | torque        | T(t) z_a on b, −T(t) z_a on a           | –           | T z_a · (ω_b − ω_a) |
//! | spring        | f = −k (l − l₀) − d l̇ along the line    | ½ k (l−l₀)² | −d l̇² |
//! | torsion spring| T = −k (φ − φ₀) − d φ̇ on b, −T on a     | ½ k (φ−φ₀)² | −d φ̇² |
//! | bushing       | −K u − D u̇                              | ½ u · K u   | −u̇ · D u̇ − u̇ · A u |
//!
//! φ is the angle of b against a about z, counted over turns; its row (`joint.rs`) carries T. The
//! displacement of a bushing is u = (R_aᵀ d, ψ) with exp(ψ×) = R_aᵀ R_b, so that
//!
//!   u̇ = (R_aᵀ(v_b − v_a − ω_a × d), T(ψ) R_aᵀ(ω_b − ω_a))                                   (1)
//!
//! and the wrench on b is the transpose of (1) times −K u − D u̇: exactly conservative at any
//! rotation below half a turn, and exactly dissipative where K and D are symmetric. K and D of bearings are
//! not; A = ½(K − Kᵀ) has no potential, and what it does round a closed path is work that may feed energy.
//! In the plane ψ is the angle of b against a, counted over turns.
//!
//! Any of the numbers above may follow a function of the state (`model::Varying`). The element then has no
//! potential, and all its power is work: F · v, T · ω, f l̇.

pub mod change;

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use crate::joint::{RowKind, Turn};
use crate::marker::MarkerState;
use crate::math::rotation;
use crate::math::spatial::{Axis, Pair, Wrench};
use crate::model::{Axes, ForceKind, ForceParameter, Model, Space, Varying};
use crate::system::System;
use crate::system::Workspace;
use crate::system::evaluate::StateAt;
use crate::time::TimeFunction;

/// What a force element does at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    pub on_a: Wrench,
    pub on_b: Wrench,
    pub potential: f64,
    /// Power that is not the rate of the potential.
    pub power: f64,
    /// Signed magnitude for outputs: tension of a spring is negative, compression positive.
    pub value: f64,
}

/// Adds all applied forces and records their powers.
pub fn apply_all(system: &System, at: StateAt, work: &mut Workspace) {
    for (i, force) in system.model.forces.iter().enumerate() {
        work.force_powers[i] = 0.0;
        for part in 0..parts(&force.kind) {
            let (a, b) = ends(&force.kind, part);
            let action = part_action(system, work, (i, part), at.t, at.branch);
            system.apply(a, &action.on_a, work);
            system.apply(b, &action.on_b, work);
            work.force_powers[i] += action.power;
        }
    }
}

/// Pairs of markers that an element acts on: one, or those along a line.
pub fn parts(kind: &ForceKind) -> usize {
    match kind {
        ForceKind::Distributed { at, .. } => at.len(),
        _ => 1,
    }
}

/// Every part of every element: its number and that of the part.
pub fn all_parts(model: &Model) -> impl Iterator<Item = (usize, usize)> + '_ {
    let forces = model.forces.iter().enumerate();
    forces.flat_map(|(i, force)| (0..parts(&force.kind)).map(move |part| (i, part)))
}

/// Markers of all of them.
pub fn pairs(kind: &ForceKind) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..parts(kind)).map(|part| ends(kind, part))
}

/// Markers of a part of an element; a point force has one, named twice.
pub fn ends(kind: &ForceKind, part: usize) -> (usize, usize) {
    match kind {
        ForceKind::Point { at, .. } => (at.0, at.0),
        ForceKind::Distributed { at, .. } => (at[part].0.0, at[part].0.0),
        ForceKind::Torque { on, against, .. } => (against.0, on.0),
        ForceKind::Spring { a, b, .. }
        | ForceKind::TorsionSpring { a, b, .. }
        | ForceKind::Bushing { a, b, .. } => (a.0, b.0),
    }
}

/// An element as a whole at the last kinematics: potential, power, and the size of the sum of its forces.
pub fn action(system: &System, work: &Workspace, force: usize, t: f64, branch: f64) -> Action {
    let kind = &system.model.forces[force].kind;
    let mut whole = part_action(system, work, (force, 0), t, branch);
    for part in 1..parts(kind) {
        let action = part_action(system, work, (force, part), t, branch);
        whole.on_b.f += action.on_b.f;
        whole.power += action.power;
        whole.value = whole.on_b.f.norm();
    }
    whole
}

/// Wrenches, potential and power of a part of an element at the last kinematics.
pub(crate) fn part_action(
    system: &System,
    work: &Workspace,
    (force, part): (usize, usize),
    t: f64,
    branch: f64,
) -> Action {
    let kind = &system.model.forces[force].kind;
    let (a, b) = ends(kind, part);
    let (a, b) = (&work.markers[a], &work.markers[b]);
    let local = |components: &[TimeFunction; 3]| {
        Vector3::from_fn(|i, _| {
            let given = components[i].jet(t, branch).value;
            system.parameter(force, ForceParameter::Component(i), given, work)
        })
    };
    match kind {
        ForceKind::Point { components, axes, .. } => point(local(components), *axes, b),
        ForceKind::Distributed { at, components, axes } => {
            point(local(components) * at[part].1, *axes, b)
        }
        ForceKind::Torque { torque, .. } => {
            let given = torque.jet(t, branch).value;
            let value = system.parameter(force, ForceParameter::Torque, given, work);
            let axis = a.frame.axis(Axis::Z);
            let power = value * axis.dot(&(b.twist.w - a.twist.w));
            Action { power, value, ..couple(axis * value) }
        }
        ForceKind::Spring { .. } => {
            let [k, d, free] = elasticity(system, work, force);
            let action = spring(k, d, free, a, b);
            if system.varying(force).is_empty() {
                return action;
            }
            let power = action.value * direction(a, b).dot(&(b.twist.v - a.twist.v));
            Action { potential: 0.0, power, ..action }
        }
        ForceKind::TorsionSpring { .. } => {
            let [k, d, free] = elasticity(system, work, force);
            let (angle, row) = angle_of(system, work, force);
            let action = torsion(k, d, angle - free, row, a, b);
            if system.varying(force).is_empty() {
                return action;
            }
            let power = action.value * row.row(a, b).rate(a, b);
            Action { potential: 0.0, power, ..action }
        }
        ForceKind::Bushing { .. } => {
            let moved = Moved::new(system.model.space, a, b);
            match (kind, system.varying(force).is_empty()) {
                (ForceKind::Bushing { stiffness, damping, .. }, true) => {
                    bushing(stiffness, damping, &moved)
                }
                _ => {
                    let [k, damping] = matrices(system, work, force);
                    let load = moved.load(&k, &damping);
                    Action { potential: 0.0, power: load.dot(&moved.rate), ..moved.action(&load) }
                }
            }
        }
    }
}

/// Stiffness, damping and free length or angle of a spring.
fn elasticity(system: &System, work: &Workspace, force: usize) -> [f64; 3] {
    let given = match system.model.forces[force].kind {
        ForceKind::Spring { stiffness, damping, free_length: free, .. }
        | ForceKind::TorsionSpring { stiffness, damping, free_angle: free, .. } => {
            [stiffness, damping, free]
        }
        _ => [0.0; 3],
    };
    if system.varying(force).is_empty() {
        return given;
    }
    let parameters = [ForceParameter::Stiffness, ForceParameter::Damping, ForceParameter::Free];
    std::array::from_fn(|i| system.parameter(force, parameters[i], given[i], work))
}

/// The angle of a torsion spring, counted over turns, and its row.
pub fn angle_of(system: &System, work: &Workspace, force: usize) -> (f64, RowKind) {
    match system.force_turns[force] {
        Some(turn) => (work.turns[turn], RowKind::Turn(Turn::Axis)),
        None => {
            let (a, b) = ends(&system.model.forces[force].kind, 0);
            (work.markers[b].angle - work.markers[a].angle, RowKind::Angle)
        }
    }
}

/// Change of both wrenches of a part of an element by one of its parameters.
pub fn unit_pair(system: &System, work: &Workspace, varying: &Varying, part: usize) -> Pair {
    let force = varying.force.0;
    let kind = &system.model.forces[force].kind;
    let (a, b) = ends(kind, part);
    let (a, b) = (&work.markers[a], &work.markers[b]);
    // f = −k s − d ṡ by k, d and the free value.
    let by = |stretch: f64, rate: f64| match varying.parameter {
        ForceParameter::Stiffness => -stretch,
        ForceParameter::Damping => -rate,
        _ => elasticity(system, work, force)[0],
    };
    match (kind, varying.parameter) {
        (ForceKind::Point { axes, .. }, ForceParameter::Component(i)) => {
            let mut unit = Vector3::zeros();
            unit[i] = 1.0;
            Pair { a: Wrench::ZERO, b: point(unit, *axes, b).on_b }
        }
        (ForceKind::Distributed { at, axes, .. }, ForceParameter::Component(i)) => {
            let mut unit = Vector3::zeros();
            unit[i] = at[part].1;
            Pair { a: Wrench::ZERO, b: point(unit, *axes, b).on_b }
        }
        (ForceKind::Torque { .. }, ForceParameter::Torque) => Pair::torques(a.frame.axis(Axis::Z)),
        (ForceKind::Spring { .. }, _) => {
            let u = direction(a, b);
            let free = elasticity(system, work, force)[2];
            let length = (b.frame.p - a.frame.p).norm();
            Pair::forces(u * by(length - free, u.dot(&(b.twist.v - a.twist.v))))
        }
        (ForceKind::TorsionSpring { .. }, _) => {
            let (angle, row) = angle_of(system, work, force);
            let free = elasticity(system, work, force)[2];
            let row = row.row(a, b);
            row.pair().scaled(by(angle - free, row.rate(a, b)))
        }
        (
            ForceKind::Bushing { .. },
            ForceParameter::StiffnessEntry(i, j) | ForceParameter::DampingEntry(i, j),
        ) => {
            let moved = Moved::new(system.model.space, a, b);
            let by = match varying.parameter {
                ForceParameter::StiffnessEntry(..) => moved.u[j],
                _ => moved.rate[j],
            };
            let mut load = Vector6::zeros();
            load[i] = -by;
            let action = moved.action(&load);
            Pair { a: action.on_a, b: action.on_b }
        }
        _ => Pair::ZERO,
    }
}

/// Stiffness and damping of a bushing as they are now.
fn matrices(system: &System, work: &Workspace, force: usize) -> [Matrix6<f64>; 2] {
    let ForceKind::Bushing { stiffness, damping, .. } = &system.model.forces[force].kind else {
        return [Matrix6::zeros(); 2];
    };
    let [mut k, mut d] = [**stiffness, **damping];
    for varying in system.varying(force) {
        let value = work.functions[varying.function.0];
        match varying.parameter {
            ForceParameter::StiffnessEntry(i, j) => k[(i, j)] = value,
            ForceParameter::DampingEntry(i, j) => d[(i, j)] = value,
            _ => {}
        }
    }
    [k, d]
}

fn couple(torque: Vector3<f64>) -> Action {
    Action {
        on_a: Wrench { t: -torque, ..Wrench::ZERO },
        on_b: Wrench { t: torque, ..Wrench::ZERO },
        potential: 0.0,
        power: 0.0,
        value: 0.0,
    }
}

fn torsion(k: f64, d: f64, stretch: f64, row: RowKind, a: &MarkerState, b: &MarkerState) -> Action {
    let twist = row.row(a, b);
    let rate = twist.rate(a, b);
    let value = -k * stretch - d * rate;
    let wrench = |w: &Wrench| Wrench { f: w.f * value, t: w.t * value };
    Action {
        on_a: wrench(&twist.on_a),
        on_b: wrench(&twist.on_b),
        potential: 0.5 * k * stretch * stretch,
        power: -d * rate * rate,
        value,
    }
}

/// Displacement of a bushing (1).
struct Moved {
    r: Matrix3<f64>,
    d: Vector3<f64>,
    /// T(ψ).
    tangent: Matrix3<f64>,
    u: Vector6<f64>,
    rate: Vector6<f64>,
}

/// u of a bushing whose matrices do not change and −K u − D u̇, at the last kinematics.
pub(crate) fn bushing_load(
    system: &System,
    work: &Workspace,
    force: usize,
) -> (Vector6<f64>, Vector6<f64>) {
    let ForceKind::Bushing { a, b, stiffness, damping } = &system.model.forces[force].kind else {
        return (Vector6::zeros(), Vector6::zeros());
    };
    let moved = Moved::new(system.model.space, &work.markers[a.0], &work.markers[b.0]);
    (moved.u, moved.load(stiffness, damping))
}

/// ψ of b against a, in axes of a.
fn turn(space: Space, a: &MarkerState, b: &MarkerState) -> Vector3<f64> {
    match space {
        Space::Planar => Vector3::new(0.0, 0.0, b.angle - a.angle),
        Space::Spatial => rotation::vector(&a.frame.r.tr_mul(&b.frame.r)),
    }
}

/// T(ψ); turns in the plane are about one axis.
fn turn_tangent(space: Space, psi: &Vector3<f64>) -> Matrix3<f64> {
    match space {
        Space::Planar => Matrix3::identity(),
        Space::Spatial => rotation::inverse_tangent(psi),
    }
}

impl Moved {
    fn new(space: Space, a: &MarkerState, b: &MarkerState) -> Self {
        let (r, d) = (a.frame.r, b.frame.p - a.frame.p);
        let psi = turn(space, a, b);
        let tangent = turn_tangent(space, &psi);
        let moved = r.tr_mul(&d);
        let moving = r.tr_mul(&(b.twist.v - a.twist.v - a.twist.w.cross(&d)));
        let turning = tangent * r.tr_mul(&(b.twist.w - a.twist.w));
        let u = Vector6::new(moved.x, moved.y, moved.z, psi.x, psi.y, psi.z);
        let rate = Vector6::new(moving.x, moving.y, moving.z, turning.x, turning.y, turning.z);
        Self { r, d, tangent, u, rate }
    }

    /// −K u − D u̇.
    fn load(&self, k: &Matrix6<f64>, damping: &Matrix6<f64>) -> Vector6<f64> {
        -(k * self.u) - damping * self.rate
    }

    /// Wrenches of a load: the transpose of (1). The value is the size of the force.
    fn action(&self, load: &Vector6<f64>) -> Action {
        let force = self.r * load.fixed_rows::<3>(0);
        let torque = self.r * self.tangent.tr_mul(&load.fixed_rows::<3>(3).into_owned());
        Action {
            on_a: Wrench { f: -force, t: -torque - self.d.cross(&force) },
            on_b: Wrench { f: force, t: torque },
            potential: 0.0,
            power: 0.0,
            value: force.norm(),
        }
    }
}

fn bushing(k: &Matrix6<f64>, damping: &Matrix6<f64>, moved: &Moved) -> Action {
    let Moved { u, rate, .. } = moved;
    let circular = 0.5 * (k - k.transpose());
    Action {
        potential: 0.5 * u.dot(&(k * u)),
        power: -rate.dot(&(damping * rate)) - rate.dot(&(circular * u)),
        ..moved.action(&moved.load(k, damping))
    }
}

fn point(local: Vector3<f64>, axes: Axes, at: &MarkerState) -> Action {
    let force = match axes {
        Axes::World => local,
        Axes::Body => at.frame.r * local,
    };
    Action {
        on_a: Wrench::ZERO,
        on_b: Wrench::force(force),
        potential: 0.0,
        power: force.dot(&at.twist.v),
        value: force.norm(),
    }
}

/// From a to b; none where they meet.
pub fn direction(a: &MarkerState, b: &MarkerState) -> Vector3<f64> {
    let d = b.frame.p - a.frame.p;
    let length = d.norm();
    if length > 0.0 { d / length } else { Vector3::zeros() }
}

/// Ends that meet have no direction: the force is taken as zero there.
fn spring(stiffness: f64, damping: f64, free: f64, a: &MarkerState, b: &MarkerState) -> Action {
    let length = (b.frame.p - a.frame.p).norm();
    let direction = direction(a, b);
    let rate = direction.dot(&(b.twist.v - a.twist.v));
    let stretch = length - free;
    let value = -stiffness * stretch - damping * rate;
    Action {
        on_a: Wrench::force(direction * -value),
        on_b: Wrench::force(direction * value),
        potential: 0.5 * stiffness * stretch * stretch,
        power: -damping * rate * rate,
        value,
    }
}
