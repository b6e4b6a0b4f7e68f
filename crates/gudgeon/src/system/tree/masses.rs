//! M⁻¹ of a tree by articulated inertias, and M itself.
//!
//! Seen at the centre of a link, what it carries beyond its joint has the articulated inertia
//!
//!   Î = M_body + Σ X_kᵀ (Î_k − Î_k S_k (S_kᵀ Î_k S_k)⁻¹ S_kᵀ Î_k) X_k                            (1)
//!
//! over the links k that it carries, S_k their unknown columns and X_k the shift of a twist to their centres. Driven
//! coordinates do not give way and are no part of S. Then M⁻¹x in one sweep inwards and one outwards, p = 0 at the ends:
//!
//!   y = x − Sᵀp,   p_parent += Xᵀ (p + Î S D⁻¹ y),   D = SᵀÎ S                                   (2)
//!   q̈ = D⁻¹(y − SᵀÎ X a_parent),   a = X a_parent + S q̈                                          (3)

use nalgebra::{Matrix3, SMatrix, SVector, Vector3};

use super::Tree;
use super::link::{COLUMNS, Link};
use super::work::{LinkState, TreeWork, in_space};

/// X: the twist at the centre of a link by that of its carrier.
#[inline(always)]
pub(super) fn carried_out<const D: usize>(
    a: &SVector<f64, D>,
    arm: &Vector3<f64>,
) -> SVector<f64, D> {
    let mut out = *a;
    if D == 3 {
        out[0] -= a[2] * arm.y;
        out[1] += a[2] * arm.x;
    } else {
        out[0] += a[4] * arm.z - a[5] * arm.y;
        out[1] += a[5] * arm.x - a[3] * arm.z;
        out[2] += a[3] * arm.y - a[4] * arm.x;
    }
    out
}

/// Xᵀ: a wrench at the centre of a link, at that of its carrier.
#[inline(always)]
pub(super) fn carried_in<const D: usize>(
    f: &SVector<f64, D>,
    arm: &Vector3<f64>,
) -> SVector<f64, D> {
    let mut out = *f;
    if D == 3 {
        out[2] += arm.x * f[1] - arm.y * f[0];
    } else {
        out[3] += arm.y * f[2] - arm.z * f[1];
        out[4] += arm.z * f[0] - arm.x * f[2];
        out[5] += arm.x * f[1] - arm.y * f[0];
    }
    out
}

/// Xᵀ I X of a symmetric inertia.
#[inline(always)]
pub(super) fn inertia_in<const D: usize>(
    i: &SMatrix<f64, D, D>,
    arm: &Vector3<f64>,
) -> SMatrix<f64, D, D> {
    let mut out = *i;
    if D == 3 {
        let (x, y) = (arm.x, arm.y);
        let xt = i[(0, 2)] - i[(0, 0)] * y + i[(0, 1)] * x;
        let yt = i[(1, 2)] - i[(0, 1)] * y + i[(1, 1)] * x;
        out[(2, 2)] = i[(2, 2)] - y * (i[(0, 2)] + xt) + x * (i[(1, 2)] + yt);
        (out[(0, 2)], out[(2, 0)]) = (xt, xt);
        (out[(1, 2)], out[(2, 1)]) = (yt, yt);
        return out;
    }
    let a = i.fixed_view::<3, 3>(0, 0).into_owned();
    let b = i.fixed_view::<3, 3>(0, 3).into_owned();
    let c = i.fixed_view::<3, 3>(3, 3).into_owned();
    let upper = b - times_cross(&a, arm);
    let lower = c - times_cross(&b.transpose(), arm) + cross_times(arm, &upper);
    out.fixed_view_mut::<3, 3>(0, 3).copy_from(&upper);
    out.fixed_view_mut::<3, 3>(3, 0).copy_from(&upper.transpose());
    out.fixed_view_mut::<3, 3>(3, 3).copy_from(&lower);
    out
}

/// A (arm ×).
#[inline(always)]
fn times_cross(a: &Matrix3<f64>, arm: &Vector3<f64>) -> Matrix3<f64> {
    let (x, y, z) = (a.column(0), a.column(1), a.column(2));
    Matrix3::from_columns(&[y * arm.z - z * arm.y, z * arm.x - x * arm.z, x * arm.y - y * arm.x])
}

/// (arm ×) A.
#[inline(always)]
fn cross_times(arm: &Vector3<f64>, a: &Matrix3<f64>) -> Matrix3<f64> {
    Matrix3::from_columns(&[0, 1, 2].map(|k| arm.cross(&a.column(k))))
}

impl Tree {
    /// Articulated inertias and their factors at the last kinematics.
    pub(in crate::system) fn factor(&self, work: &mut TreeWork) {
        in_space!(&mut work.links, links => factor(&self.links, links));
    }

    /// x ← M⁻¹ x of one branch, by the last factors; x holds all reduced velocities.
    pub(super) fn solve_branch(&self, branch: usize, x: &mut [f64], work: &mut TreeWork) {
        let range = self.branches[branch].links.clone();
        in_space!(&mut work.links, links => solve(&self.links, links, range, x));
    }

    /// x ← M⁻¹ x of all branches.
    pub(in crate::system) fn solve_masses(&self, x: &mut [f64], work: &mut TreeWork) {
        let all = 0..self.links.len();
        in_space!(&mut work.links, links => solve(&self.links, links, all, x));
    }

    /// Calls `each` with every entry of M on and below the diagonal of its branches, at the last kinematics.
    pub(in crate::system) fn mass_entries(
        &self,
        work: &mut TreeWork,
        each: impl FnMut(usize, usize, f64),
    ) {
        in_space!(&mut work.links, links => entries(&self.links, links, each));
    }
}

fn factor<const D: usize>(tree: &[Link], links: &mut [LinkState<D>]) {
    links.iter_mut().for_each(|link| link.inertia = link.mass);
    for i in (0..tree.len()).rev() {
        factor_joint(&tree[i], &mut links[i]);
        if let Some(parent) = tree[i].parent.filter(|&parent| !tree[parent].still) {
            let add = inertia_in(&shed(&tree[i], &links[i]), &links[i].arm); // (1)
            links[parent].inertia += add;
        }
    }
}

/// M a of a body: in the plane M is diagonal, in space m and a block of moments.
#[inline(always)]
pub(super) fn inertia_of<const D: usize>(
    mass: &SMatrix<f64, D, D>,
    a: &SVector<f64, D>,
) -> SVector<f64, D> {
    if D == 3 {
        return SVector::from_fn(|k, _| mass[(k, k)] * a[k]);
    }
    SVector::from_fn(|k, _| match k {
        0..3 => mass[(k, k)] * a[k],
        _ => mass[(k, 3)] * a[3] + mass[(k, 4)] * a[4] + mass[(k, 5)] * a[5],
    })
}

/// Î of a link; where it carries nothing that of its body.
#[inline(always)]
pub(super) fn articulated<'s, const D: usize>(
    link: &Link,
    state: &'s LinkState<D>,
) -> &'s SMatrix<f64, D, D> {
    if link.bare { &state.mass } else { &state.inertia }
}

/// Factors Î of a link along the unknown columns of its joint.
#[inline(always)]
pub(super) fn factor_joint<const D: usize>(link: &Link, state: &mut LinkState<D>) {
    for k in 0..link.free {
        let column = &state.columns[link.unknown[k]];
        state.pushed[k] =
            if link.bare { inertia_of(&state.mass, column) } else { state.inertia * column };
    }
    match link.free {
        0 => {}
        1 => state.inverse[0][0] = 1.0 / state.columns[link.unknown[0]].dot(&state.pushed[0]),
        _ => invert(link, state),
    }
}

/// What the joint of a link lets through of Î, after its factors.
#[inline(always)]
pub(super) fn shed<const D: usize>(link: &Link, state: &LinkState<D>) -> SMatrix<f64, D, D> {
    let mut shed = *articulated(link, state);
    match link.free {
        0 => {}
        1 => {
            let pushed = &state.pushed[0];
            shed -= pushed * (pushed * state.inverse[0][0]).transpose();
        }
        free => {
            for j in 0..free {
                let mut by = SVector::<f64, D>::zeros();
                for k in 0..free {
                    by += state.pushed[k] * state.inverse[j][k];
                }
                shed -= state.pushed[j] * by.transpose();
            }
        }
    }
    shed
}

/// (SᵀÎ S)⁻¹ of more than one column.
fn invert<const D: usize>(link: &Link, state: &mut LinkState<D>) {
    let free = link.free;
    // Of the rest the diagonal is one.
    let mut d = SMatrix::<f64, COLUMNS, COLUMNS>::identity();
    for j in 0..free {
        for k in 0..free {
            d[(j, k)] = state.columns[link.unknown[j]].dot(&state.pushed[k]);
        }
    }
    let inverse = d.cholesky().map_or_else(SMatrix::zeros, |factors| factors.inverse());
    for j in 0..free {
        for k in 0..free {
            state.inverse[j][k] = inverse[(j, k)];
        }
    }
}

fn solve<const D: usize>(
    tree: &[Link],
    links: &mut [LinkState<D>],
    range: std::ops::Range<usize>,
    x: &mut [f64],
) {
    links[range.clone()].iter_mut().for_each(|link| link.force = SVector::zeros());
    for i in range.clone().rev() {
        let (link, state) = (&tree[i], &mut links[i]);
        let mut y = [0.0; COLUMNS];
        for k in 0..link.free {
            y[k] = x[link.v + k] - state.columns[link.unknown[k]].dot(&state.force);
        }
        let mut push = state.force;
        for j in 0..link.free {
            let by: f64 = (0..link.free).map(|k| state.inverse[j][k] * y[k]).sum();
            state.reduced[j] = by;
            push += state.pushed[j] * by;
        }
        if let Some(parent) = link.parent {
            let add = carried_in(&push, &state.arm); // (2)
            links[parent].force += add;
        }
    }
    for i in range {
        let link = &tree[i];
        let mut a = match link.parent {
            Some(parent) => carried_out(&links[parent].motion, &links[i].arm),
            None => SVector::zeros(),
        };
        let state = &mut links[i];
        let mut left = [0.0; COLUMNS];
        for k in 0..link.free {
            left[k] = state.pushed[k].dot(&a);
        }
        for j in 0..link.free {
            let by: f64 = (0..link.free).map(|k| state.inverse[j][k] * left[k]).sum();
            let own = state.reduced[j] - by; // (3)
            x[link.v + j] = own;
            a += state.columns[link.unknown[j]] * own;
        }
        state.motion = a;
    }
}

/// M_jk = S_jᵀ Σ X … of composite inertias: what a unit acceleration along one column asks of all that carry it.
fn entries<const D: usize>(
    tree: &[Link],
    links: &mut [LinkState<D>],
    mut each: impl FnMut(usize, usize, f64),
) {
    links.iter_mut().for_each(|link| link.inertia = link.mass);
    for i in (0..tree.len()).rev() {
        if let Some(parent) = tree[i].parent {
            let add = inertia_in(&links[i].inertia, &links[i].arm);
            links[parent].inertia += add;
        }
        let link = &tree[i];
        for k in 0..link.free {
            let mut force = links[i].inertia * links[i].columns[link.unknown[k]];
            for j in 0..=k {
                each(link.v + k, link.v + j, force.dot(&links[i].columns[link.unknown[j]]));
            }
            let mut at = i;
            while let Some(parent) = tree[at].parent {
                force = carried_in(&force, &links[at].arm);
                at = parent;
                let carrier = &tree[at];
                for j in 0..carrier.free {
                    let column = &links[at].columns[carrier.unknown[j]];
                    each(link.v + k, carrier.v + j, force.dot(column));
                }
            }
        }
    }
}
