//! Which joints carry bodies, and which are cut.
//!
//! From the ground outwards, always by the joint that takes most from what is left to solve for: after those that
//! the model wants to carry a body driven ones, since their coordinates are known, then those with most rows, then those nearest to the ground. A joint with
//! clearance has no coordinates that determine a position, and beams and bodies in natural coordinates have none of their own:
//! such joints are cut, like those that the model names (`Cut`). A body that nothing carries is free.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::link::{Link, Motion};
use crate::joint;
use crate::marker::Attachment;
use crate::model::{Cut, DriverId, JointId, Model};
use crate::system::component::{Formulation, RigidBody};

/// Links in the order of their branches, parents first.
pub(super) fn links(model: &Model, bodies: &[RigidBody], attachments: &[Attachment]) -> Vec<Link> {
    let mut found: Vec<Link> = Vec::new();
    let mut of_body: Vec<Option<usize>> = vec![None; bodies.len()];
    let joints = joints_of_bodies(model);
    let mut open: BinaryHeap<Candidate> = BinaryHeap::new();
    let offer = |body: usize, depth: usize, open: &mut BinaryHeap<Candidate>| {
        for &index in &joints[body] {
            if let Some(motion) = carries(model, bodies, index) {
                let rank = rank(model, index, depth);
                open.push(Candidate { rank, joint: Reverse(index), from: body, depth, motion });
            }
        }
    };
    offer(0, 0, &mut open);
    let mut next_free = 0;
    loop {
        while let Some(candidate) = open.pop() {
            let [a, b] = sides(model, candidate.joint.0);
            let reversed = a != candidate.from;
            let to = if reversed { a } else { b };
            if to == 0 || of_body[to - 1].is_some() {
                continue;
            }
            let joint = &model.joints[candidate.joint.0];
            let (inboard, outboard) =
                if reversed { (joint.b, joint.a) } else { (joint.a, joint.b) };
            let parent = candidate.from.checked_sub(1).and_then(|body| of_body[body]);
            let by = (Some(JointId(candidate.joint.0)), candidate.motion, reversed);
            let ends = (&attachments[inboard.0], &attachments[outboard.0]);
            let mut link = Link::new((to - 1, parent), by, ends, model.space);
            take_drivers(model, &mut link);
            of_body[to - 1] = Some(found.len());
            found.push(link);
            offer(to, candidate.depth + 1, &mut open);
        }
        let left = |&i: &usize| of_body[i].is_none() && is_rigid(&bodies[i]);
        let Some(body) = (next_free..bodies.len()).find(left) else { break };
        next_free = body + 1;
        let centre = free_attachment(body + 1);
        let link =
            Link::new((body, None), (None, Motion::Free, false), (&centre, &centre), model.space);
        of_body[body] = Some(found.len());
        found.push(link);
        offer(body + 1, 1, &mut open);
    }
    branch_by_branch(found)
}

/// A joint that may carry the body on its other side.
#[derive(PartialEq)]
struct Candidate {
    rank: Rank,
    joint: Reverse<usize>,
    from: usize,
    depth: usize,
    motion: Motion,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank).then(self.joint.cmp(&other.joint))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Not to be cut, driven, rows, near the ground.
type Rank = (bool, bool, usize, Reverse<usize>);

fn rank(model: &Model, index: usize, depth: usize) -> Rank {
    let driven = model.drivers.iter().any(|driver| driver.joint.0 == index);
    let joint = &model.joints[index];
    let rows = joint::rows(joint.kind, model.space).len();
    (joint.cut == Cut::Refused, driven, rows, Reverse(depth))
}

/// The bodies of a joint.
pub(super) fn sides(model: &Model, joint: usize) -> [usize; 2] {
    let joint = &model.joints[joint];
    [joint.a, joint.b].map(|marker| model.markers[marker.0].body.0)
}

fn joints_of_bodies(model: &Model) -> Vec<Vec<usize>> {
    let mut joints = vec![Vec::new(); model.bodies.len()];
    for index in 0..model.joints.len() {
        sides(model, index).into_iter().for_each(|body| joints[body].push(index));
    }
    joints
}

fn is_rigid(body: &RigidBody) -> bool {
    matches!(body.formulation, Formulation::Planar | Formulation::Spatial)
}

/// How a joint carries a body, if it can.
fn carries(model: &Model, bodies: &[RigidBody], index: usize) -> Option<Motion> {
    let joint = &model.joints[index];
    let rigid = sides(model, index).iter().all(|&body| body == 0 || is_rigid(&bodies[body - 1]));
    let ideal = joint.clearance.is_none();
    if !(rigid && ideal) || matches!(joint.cut, Cut::Requested | Cut::Friction) {
        return None;
    }
    Motion::of(joint.kind, model.space)
}

/// Drivers of the link's own coordinates, where these move without jumps of velocity.
fn take_drivers(model: &Model, link: &mut Link) {
    for (i, driver) in model.drivers.iter().enumerate() {
        if Some(driver.joint) != link.joint || driver.motion.may_jump() {
            continue;
        }
        let driven = link.motion.coordinate(driver.coordinate, link.reversed);
        if let Some(coordinate) = driven.filter(|&k| link.known[k].is_none()) {
            link.known[coordinate] = Some(i);
        }
    }
}

/// A free link moves by its mass centre and inner axes.
fn free_attachment(body: usize) -> Attachment {
    Attachment {
        body,
        along: 0.0,
        offset: nalgebra::Vector3::zeros(),
        turn: nalgebra::Matrix3::identity(),
        angle: 0.0,
    }
}

/// The same links, those of a branch together.
fn branch_by_branch(links: Vec<Link>) -> Vec<Link> {
    let mut root = vec![0; links.len()];
    for (i, link) in links.iter().enumerate() {
        root[i] = link.parent.map_or(i, |parent| root[parent]);
    }
    let mut order: Vec<usize> = (0..links.len()).collect();
    order.sort_by_key(|&i| (root[i], i));
    let mut place = vec![0; links.len()];
    order.iter().enumerate().for_each(|(to, &from)| place[from] = to);
    let moved = |&i: &usize| {
        let link = links[i].clone();
        Link { parent: link.parent.map(|parent| place[parent]), ..link }
    };
    order.iter().map(moved).collect()
}

/// Whether a driver belongs to a coordinate of the tree.
pub(super) fn knows(links: &[Link], driver: DriverId) -> bool {
    links.iter().any(|link| link.known.contains(&Some(driver.0)))
}
