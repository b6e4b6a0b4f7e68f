//! How applied forces change when their markers move or move faster.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::{Action, elasticity, ends, matrices, part_action, turn, turn_tangent};
use crate::joint::{RowKind, Turn};
use crate::marker::{MarkerState, Variation};
use crate::math::rotation;
use crate::math::spatial::{Axis, Pair, Wrench};
use crate::model::{Axes, ForceKind, Space};
use crate::system::System;
use crate::system::Workspace;

/// A part of a force at one point, from which its changes are taken.
pub struct Linearised<'s> {
    kind: &'s ForceKind,
    part: usize,
    row: RowKind,
    /// Stiffness, damping and free length or angle.
    elasticity: [f64; 3],
    /// Stiffness and damping of a bushing.
    matrices: [Matrix6<f64>; 2],
    space: Space,
    pub now: Action,
}

impl<'s> Linearised<'s> {
    pub fn new(
        system: &'s System,
        work: &Workspace,
        (force, part): (usize, usize),
        t: f64,
        branch: f64,
    ) -> Self {
        let row = match system.model.space {
            Space::Planar => RowKind::Angle,
            Space::Spatial => RowKind::Turn(Turn::Axis),
        };
        let now = part_action(system, work, (force, part), t, branch);
        let elasticity = elasticity(system, work, force);
        let (kind, space) = (&system.model.forces[force].kind, system.model.space);
        let matrices = match kind {
            ForceKind::Bushing { .. } => matrices(system, work, force),
            _ => [Matrix6::zeros(); 2],
        };
        Self { kind, part, row, elasticity, matrices, space, now }
    }

    pub fn markers(&self) -> (usize, usize) {
        ends(self.kind, self.part)
    }

    /// Change of both wrenches while the parameters stay.
    pub fn change(&self, a: &MarkerState, b: &MarkerState, da: &Variation, db: &Variation) -> Pair {
        let [stiffness, damping, free] = self.elasticity;
        match self.kind {
            ForceKind::Point { axes: Axes::World, .. }
            | ForceKind::Distributed { axes: Axes::World, .. } => Pair::ZERO,
            ForceKind::Point { axes: Axes::Body, .. }
            | ForceKind::Distributed { axes: Axes::Body, .. } => {
                Pair { b: Wrench::force(db.turn.cross(&self.now.on_b.f)), ..Pair::ZERO }
            }
            ForceKind::Torque { .. } => {
                Pair::torques(da.turn.cross(&a.frame.axis(Axis::Z)) * self.now.value)
            }
            // Ends that meet: a spring without free length pulls them together from any side.
            ForceKind::Spring { .. } if free == 0.0 && a.frame.p == b.frame.p => {
                Pair::forces((db.p - da.p) * -stiffness)
            }
            ForceKind::Spring { .. } => spring(stiffness, damping, self.now.value, a, b, da, db),
            ForceKind::TorsionSpring { .. } => {
                torsion(stiffness, damping, self.now.value, self.row, a, b, da, db)
            }
            ForceKind::Bushing { .. } => bushing(&self.matrices, self.space, (a, b), (da, db)),
        }
    }
}

/// Of f u, u = d/l: δu = (δd − u (u·δd))/l.
fn spring(
    stiffness: f64,
    damping: f64,
    value: f64,
    a: &MarkerState,
    b: &MarkerState,
    da: &Variation,
    db: &Variation,
) -> Pair {
    let d = b.frame.p - a.frame.p;
    let length = d.norm();
    if length == 0.0 {
        return Pair::ZERO;
    }
    let (u, d_change) = (d / length, db.p - da.p);
    let stretch = u.dot(&d_change);
    let u_change = (d_change - u * stretch) / length;
    let rate = u_change.dot(&(b.twist.v - a.twist.v)) + u.dot(&(db.v - da.v));
    Pair::forces(u_change * value - u * (stiffness * stretch + damping * rate))
}

/// Of T W, W the unit wrenches of the angle.
#[allow(clippy::too_many_arguments)]
fn torsion(
    stiffness: f64,
    damping: f64,
    value: f64,
    row: RowKind,
    a: &MarkerState,
    b: &MarkerState,
    da: &Variation,
    db: &Variation,
) -> Pair {
    let (pair, change) = (row.row(a, b).pair(), row.change(a, b, da, db));
    let side = |w: &Wrench, v: &Vector3<f64>, t: &Vector3<f64>| w.f.dot(v) + w.t.dot(t);
    let turn = side(&pair.a, &da.p, &da.turn) + side(&pair.b, &db.p, &db.turn);
    let rate = side(&pair.a, &da.v, &da.w)
        + side(&pair.b, &db.v, &db.w)
        + side(&change.a, &a.twist.v, &a.twist.w)
        + side(&change.b, &b.twist.v, &b.twist.w);
    change.scaled(value).plus(&pair.scaled(-stiffness * turn - damping * rate))
}

/// Of the transpose of (1) in `force/mod.rs` times −K u − D u̇.
fn bushing(
    [k, damping]: &[Matrix6<f64>; 2],
    space: Space,
    (a, b): (&MarkerState, &MarkerState),
    (da, db): (&Variation, &Variation),
) -> Pair {
    let (r, d) = (&a.frame.r, b.frame.p - a.frame.p);
    // What stands still in axes of a, and its change there.
    let seen = |x: &Vector3<f64>, change: &Vector3<f64>| r.tr_mul(&(change - da.turn.cross(x)));
    let psi = turn(space, a, b);
    let tangent = turn_tangent(space, &psi);
    let d_change = db.p - da.p;
    let apart = b.twist.v - a.twist.v - a.twist.w.cross(&d);
    let apart_change = db.v - da.v - da.w.cross(&d) - a.twist.w.cross(&d_change);
    let spin = b.twist.w - a.twist.w;
    let psi_change = tangent * r.tr_mul(&(db.turn - da.turn));
    let tangent_change = match space {
        Space::Planar => Matrix3::zeros(),
        Space::Spatial => rotation::inverse_tangent_change(&psi, &psi_change),
    };
    let turning = tangent * r.tr_mul(&spin);
    let turning_change = tangent_change * r.tr_mul(&spin) + tangent * seen(&spin, &(db.w - da.w));
    let stacked = |x: Vector3<f64>, y: Vector3<f64>| Vector6::new(x.x, x.y, x.z, y.x, y.y, y.z);
    let load = -(k * stacked(r.tr_mul(&d), psi)) - damping * stacked(r.tr_mul(&apart), turning);
    let load_change = -(k * stacked(seen(&d, &d_change), psi_change))
        - damping * stacked(seen(&apart, &apart_change), turning_change);
    let parts = |x: &Vector6<f64>| -> (Vector3<f64>, Vector3<f64>) {
        (x.fixed_rows::<3>(0).into(), x.fixed_rows::<3>(3).into())
    };
    let ((push, twist), (push_change, twist_change)) = (parts(&load), parts(&load_change));
    let (force, torque) = (r * push, r * tangent.tr_mul(&twist));
    let force_change = r * push_change + da.turn.cross(&force);
    let torque_change = r * (tangent.tr_mul(&twist_change) + tangent_change.tr_mul(&twist))
        + da.turn.cross(&torque);
    let moment_change = d_change.cross(&force) + d.cross(&force_change);
    Pair {
        a: Wrench { f: -force_change, t: -torque_change - moment_change },
        b: Wrench { f: force_change, t: torque_change },
    }
}
