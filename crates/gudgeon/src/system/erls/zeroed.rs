//! Which elastic coordinates are held at zero, so that the nodes say where the equivalent rigid system is.
//!
//! Their rows J₀ of J, lengths over the size of the mechanism, must be regular. What links ask for is taken. What lacks
//! is chosen at ends of links: for every independent angle, in the order of the tree, the displacement at an end of the link
//! it turns that it moves most, once those before it stand still. In open chains J₀ is then triangular wherever they go.

use nalgebra::{DMatrix, Vector3};

use super::rigid::RigidState;
use super::work::ErlsWork;
use super::{EquivalentSystem, ErlsError};
use crate::flexible::NodeFreedom;
use crate::model::Model;

/// Steps that fail where the condition of J₀ is larger fail for that.
const LOST: f64 = 3e2;

/// Rows of J of all elastic coordinates at the start.
pub(super) fn rows(system: &EquivalentSystem) -> Vec<Vec<f64>> {
    let state = system.rigid.settled(system.length);
    rows_at(system, &system.unknowns, &state)
}

/// Rows of J of elastic coordinates where the rigid system is.
fn rows_at(
    system: &EquivalentSystem,
    unknowns: &[super::Unknown],
    state: &RigidState,
) -> Vec<Vec<f64>> {
    let row = |unknown: &super::Unknown| {
        let (link, frame) = (&system.links[unknown.link], &state.links[unknown.link].frame);
        let arm = frame.r * link.nodes[unknown.node];
        let axis: Vector3<f64> = frame.r * (link.axes * unknown.along);
        let columns = system.rigid.columns(state, unknown.link).iter();
        let along = columns.map(|by| match unknown.freedom {
            0..3 => axis.dot(&(by.v + by.w.cross(&arm))) / system.length,
            _ => axis.dot(&by.w),
        });
        along.collect()
    };
    unknowns.iter().map(row).collect()
}

impl EquivalentSystem {
    /// What is held at zero where the rigid system is, with its links, once that no longer fixes it.
    pub(crate) fn lost(&self, model: &Model, work: &ErlsWork) -> Option<Lost> {
        let rows = rows_at(self, &self.unknowns, &work.placed.rigid);
        let held = self.zeroed.iter().filter_map(|own| self.unknowns.iter().position(|u| u == own));
        let held: Vec<usize> = held.collect();
        let finite = rows.iter().flatten().all(|x| x.is_finite());
        let condition = if finite { looseness(&rows, &held, self.rigid.independent) } else { 0.0 };
        let names = || self.zeroed.iter().map(|unknown| self.name(model, unknown)).collect();
        (condition > LOST).then(|| Lost { names: names(), condition })
    }
}

/// Elastic coordinates that are held at zero in vain, and the largest entry of J over the smallest singular value of J₀.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    pub names: Vec<String>,
    pub condition: f64,
}

/// Largest entry of J of all elastic coordinates over the smallest singular value of J₀: one coordinate alone that hardly
/// moves has the condition 1.
pub(super) fn looseness(rows: &[Vec<f64>], chosen: &[usize], m: usize) -> f64 {
    if m == 0 {
        return 1.0;
    }
    let least = DMatrix::from_fn(m, m, |i, k| rows[chosen[i]][k]).singular_values().min();
    let most = rows.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
    if least > 0.0 { most / least } else { f64::INFINITY }
}

/// Largest over smallest singular value of J₀.
pub(super) fn condition(rows: &[Vec<f64>], chosen: &[usize], m: usize) -> f64 {
    if m == 0 {
        return 1.0;
    }
    let values = DMatrix::from_fn(m, m, |i, k| rows[chosen[i]][k]).singular_values();
    let (most, least) = (values.max(), values.min());
    if least > 0.0 { most / least } else { f64::INFINITY }
}

/// The elastic coordinates that are held, as many as there are independent angles. Links that are `fixed` choose for
/// themselves.
pub(super) fn choose(
    system: &EquivalentSystem,
    wanted: &[(usize, NodeFreedom)],
    names: impl Fn(usize) -> String,
    fixed: impl Fn(usize) -> bool,
    rows: &[Vec<f64>],
) -> Result<Vec<usize>, ErlsError> {
    let m = system.rigid.independent;
    let mut chosen = Vec::new();
    for (link, place) in wanted {
        let body = || names(*link);
        chosen.push(find(system, (*link, body), place)?);
    }
    if chosen.len() > m {
        let body = names(wanted[0].0);
        return Err(ErlsError::TooMany { body, given: chosen.len(), mobility: m });
    }
    let mut left = rows.to_vec();
    let mut open: Vec<usize> = (0..m).collect();
    for &own in &chosen {
        let largest = |k: &&usize| left[own][**k].abs();
        let Some(&k) = open.iter().max_by(|a, b| largest(a).total_cmp(&largest(b))) else { break };
        if left[own][k].abs() > 1e-12 {
            eliminate(&mut left, own, k);
            open.retain(|other| *other != k);
        }
    }
    let ends = |i: &usize| {
        let unknown = &system.unknowns[*i];
        let link = &system.links[unknown.link];
        let is_end = unknown.node == 0 || unknown.node == link.nodes.len() - 1;
        // A body may turn with its link, sections do by bending.
        let moves = unknown.freedom < 3 || unknown.is_free && link.is_rigid();
        moves && is_end && !fixed(unknown.link)
    };
    let candidates: Vec<usize> = (0..rows.len()).filter(ends).collect();
    for k in open {
        if chosen.len() == m {
            break;
        }
        let most = |of: &dyn Fn(usize) -> bool| {
            let own = candidates.iter().copied().filter(|i| !chosen.contains(i) && of(*i));
            own.max_by(|a, b| left[*a][k].abs().total_cmp(&left[*b][k].abs()))
        };
        let turned = turned_by(system, k);
        let near = most(&|i| system.unknowns[i].link == turned);
        let best = near.filter(|&i| left[i][k].abs() > 0.05).or_else(|| most(&|_| true));
        let lacking = m - chosen.len();
        let best = best
            .filter(|&i| left[i][k].abs() > 1e-9)
            .ok_or_else(|| ErlsError::TooFew { body: names(0), lacking })?;
        eliminate(&mut left, best, k);
        chosen.push(best);
    }
    Ok(chosen)
}

/// The link that an independent angle turns.
fn turned_by(system: &EquivalentSystem, k: usize) -> usize {
    let is_it = |role: &super::rigid::Role| *role == super::rigid::Role::Independent(k);
    let angle = system.rigid.roles.iter().position(is_it).unwrap_or(0);
    system.rigid.turned[angle]
}

/// Takes a row out of all others, so that they have nothing left in a column.
fn eliminate(rows: &mut [Vec<f64>], own: usize, k: usize) {
    let pivot = rows[own].clone();
    for (i, row) in rows.iter_mut().enumerate() {
        let factor = if i == own { 0.0 } else { row[k] / pivot[k] };
        row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
    }
}

/// The elastic coordinate that a link asks for.
fn find(
    system: &EquivalentSystem,
    (link, body): (usize, impl Fn() -> String),
    place: &NodeFreedom,
) -> Result<usize, ErlsError> {
    let last = system.links[link].nodes.len() - 1;
    let held = |why| Err(ErlsError::Held { body: body(), name: place.name(last), why });
    if place.node > last {
        return held("the link has fewer elements");
    }
    let is_it = |unknown: &super::Unknown| {
        (unknown.link, unknown.node, unknown.freedom) == (link, place.node, place.freedom)
    };
    if let Some(i) = system.unknowns.iter().position(is_it) {
        return Ok(i);
    }
    let cluster = system
        .clusters
        .iter()
        .find(|cluster| cluster.members.iter().any(|m| (m.link, m.node) == (link, place.node)));
    match cluster {
        Some(cluster) if cluster.grounded => {
            let own = |m: &&super::joints::Member| (m.link, m.node) == (link, place.node);
            match cluster.members.iter().find(own).and_then(|m| m.before) {
                None => held("a joint on the ground holds it"),
                Some(_) => held("it follows from the body that carries it from the ground"),
            }
        }
        _ => held("it is that of another link in the same joint"),
    }
}
