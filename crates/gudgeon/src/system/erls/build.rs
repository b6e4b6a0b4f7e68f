//! From a model to its equivalent rigid-link system: tree, loops, nodes that meet, zeroed coordinates.

use std::collections::VecDeque;

use gudgeon_dae::linear::{Ldl, minimum_degree};
use nalgebra::{DMatrix, Matrix3, Vector3};

use super::bodies::RigidLink;
use super::joints::{Cluster, Free, Member};
use super::rigid::{Carried, CutJoint, Rigid, Role, Tip, gap};
use super::{EquivalentSystem, ErlsError, Link, Made, Source, Unknown, zeroed};
use crate::flexible::{Erls, Flexible, NodeFreedom, Virtual};
use crate::joint::{self, RowKind};
use crate::math::spatial::Frame;
use crate::model::{
    Axial, Body, Coordinate, Cut, DriverId, Form, Joint, JointId, JointKind, Model, Space, Tilt,
};
use crate::system::component::{BodyState, FloatingBody, RigidBody};

/// Freedoms of a node that there are in the plane, and in space.
const PLANAR: [usize; 3] = [0, 1, 5];
const SPATIAL: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// Pivots of loops below this multiple of the largest follow from others.
const DEPENDENT: f64 = 1e-7;

/// J₀ that is worse than this is singular.
const SINGULAR: f64 = 1e8;

impl EquivalentSystem {
    /// Of a model whose bodies start at `states`, the ground first.
    pub(in crate::system) fn new(
        model: &Model,
        (bodies, floating): (&[RigidBody], &[FloatingBody]),
        states: &[BodyState],
        length: f64,
    ) -> Result<Self, ErlsError> {
        let planar = model.space == Space::Planar;
        let freedoms: &'static [usize] = if planar { &PLANAR } else { &SPATIAL };
        if let Some(error) = refused(model).into_iter().next() {
            return Err(error);
        }
        let mut rigid = tree(model, bodies)?;
        rigid.start = start_angles(model, &rigid, states);
        close_loops(&mut rigid, length);
        let mut links: Vec<Link> = rigid
            .links
            .iter()
            .map(|link| made_link(model, floating, &bodies[link.body], link.body))
            .collect();
        let wanted = wanted(model, &rigid)?;
        let found = clusters(model, bodies, &rigid, &links, freedoms, &wanted)?;
        let (clusters, mut unknowns) = (found.clusters, found.unknowns);
        number(&mut links, &clusters, &mut unknowns, freedoms);
        let kutzbach = kutzbach(model);
        let mut system = Self {
            rigid,
            links,
            clusters,
            unknowns,
            zeroed: Vec::new(),
            freedoms,
            elastic: 0,
            turns: Vec::new(),
            ldl: Ldl::new(0, &[]),
            order: Vec::new(),
            constant: Vec::new(),
            pattern: Vec::new(),
            colours: None,
            length,
            condition: 1.0,
            kutzbach,
        };
        system.zero(model, &wanted)?;
        system.make_pattern(floating);
        system.colours = system.colours(model);
        Ok(system)
    }

    /// Chooses what is held at zero, and numbers the rest.
    fn zero(&mut self, model: &Model, wanted: &[(usize, NodeFreedom)]) -> Result<(), ErlsError> {
        let rows = zeroed::rows(self);
        let fixed = |link: usize| {
            let body = self.rigid.links[link].body + 1;
            model.bodies[body].flexible.as_deref().is_some_and(|l| l.erls().zeroed.is_some())
        };
        let names = |link: usize| model.bodies[self.rigid.links[link].body + 1].name.clone();
        let chosen = zeroed::choose(self, wanted, names, fixed, &rows)?;
        self.condition = zeroed::condition(&rows, &chosen, self.rigid.independent);
        let loose = zeroed::looseness(&rows, &chosen, self.rigid.independent);
        if self.condition.is_nan() || self.condition.max(loose) >= SINGULAR {
            let names = chosen.iter().map(|&i| self.name(model, &self.unknowns[i])).collect();
            return Err(ErlsError::Singular { names });
        }
        let mut next = 0;
        for (i, unknown) in self.unknowns.iter_mut().enumerate() {
            unknown.index = (!chosen.contains(&i)).then(|| {
                next += 1;
                next - 1
            });
        }
        self.zeroed = chosen.iter().map(|&i| self.unknowns[i]).collect();
        self.elastic = next;
        let solved = self.unknowns.iter().filter(|unknown| unknown.index.is_some());
        let mut angles = vec![true; self.rigid.independent];
        for (role, link) in self.rigid.roles.iter().zip(&self.rigid.turned) {
            if let Role::Independent(i) = role {
                angles[*i] = !self.rigid.links[*link].slides;
            }
        }
        self.turns = angles.into_iter().chain(solved.map(|unknown| unknown.freedom >= 3)).collect();
        Ok(())
    }

    /// Name of an elastic coordinate, as in files.
    pub(super) fn name(&self, model: &Model, unknown: &Unknown) -> String {
        let body = &model.bodies[self.rigid.links[unknown.link].body + 1].name;
        if self.links[unknown.link].is_rigid() {
            return format!("{body}: {}", NodeFreedom::DIRECTIONS[unknown.freedom]);
        }
        let last = self.links[unknown.link].nodes.len() - 1;
        let place = NodeFreedom { node: unknown.node, freedom: unknown.freedom };
        format!("{body}: {}", place.name(last))
    }

    /// Pattern of the masses of u, in an order with little fill.
    fn make_pattern(&mut self, floating: &[FloatingBody]) {
        let mut pairs = Vec::new();
        let places = |source: &Source| -> Vec<usize> {
            let index = |unknown: &usize| self.unknowns[*unknown].index;
            match source {
                Source::Own(unknown) => index(unknown).into_iter().collect(),
                Source::Member { cluster, .. } => {
                    self.clusters[*cluster].columns.iter().filter_map(index).collect()
                }
            }
        };
        for link in &self.links {
            let sources: Vec<_> = link.sources.iter().map(places).collect();
            let entries: Vec<(usize, usize)> = match &link.made {
                Made::Flexible(of) => {
                    floating[*of].link.mass.entries().map(|(i, j, _)| (i, j)).collect()
                }
                Made::Rigid(_) => {
                    (0..sources.len()).flat_map(|i| (0..=i).map(move |j| (i, j))).collect()
                }
            };
            for (i, j) in entries {
                for &a in &sources[i] {
                    pairs.extend(sources[j].iter().filter(|b| **b != a).map(|&b| (a, b)));
                }
            }
        }
        let eliminated = minimum_degree(self.elastic, &pairs);
        self.order = vec![0; self.elastic];
        eliminated.iter().enumerate().for_each(|(place, &i)| self.order[i] = place);
        let placed: Vec<_> = pairs.iter().map(|&(i, j)| (self.order[i], self.order[j])).collect();
        self.ldl = Ldl::new(self.elastic, &placed);
        let own = (0..self.elastic).map(|i| (i, i));
        let mut places: Vec<_> =
            own.chain(pairs.iter().map(|&(i, j)| (i.max(j), i.min(j)))).collect();
        places.sort_unstable();
        places.dedup();
        let slot = |(i, j)| (i, j, self.ldl.slot(self.order[i], self.order[j]));
        self.pattern = places.into_iter().map(slot).collect();
        self.keep_constant(floating);
    }

    /// Masses between coordinates of their own, and the list of the others.
    fn keep_constant(&mut self, floating: &[FloatingBody]) {
        let mut constant = vec![0.0; self.ldl.entries_mut().len()];
        for link in &mut self.links {
            let Made::Flexible(of) = link.made else { continue };
            for (i, j, m) in floating[of].link.mass.entries() {
                let (Source::Own(a), Source::Own(b)) = (link.sources[i], link.sources[j]) else {
                    link.turning.push((i, j, m));
                    continue;
                };
                if let (Some(a), Some(b)) = (self.unknowns[a].index, self.unknowns[b].index) {
                    constant[self.ldl.slot(self.order[a], self.order[b])] += m;
                }
            }
        }
        self.constant = constant;
    }
}

/// Bodies and joints that an equivalent rigid-link system does not have; none where no link is on one.
pub fn refused(model: &Model) -> Vec<ErlsError> {
    let is_link = |body: &Body| body.flexible.as_deref().is_some_and(Flexible::is_erls);
    if !model.bodies.iter().any(is_link) {
        return Vec::new();
    }
    let other = |body: &&Body| body.flexible.is_some() && !is_link(body);
    let bodies = model.bodies[1..].iter().filter(other).map(|body| {
        let why = "its flexible links are all of method `erls`";
        ErlsError::Body { body: body.name.clone(), why }
    });
    let joints = model.joints.iter().enumerate().filter_map(|(i, joint)| {
        let grounded = sides(model, JointId(i)).contains(&0);
        let driven = model.drivers.iter().any(|driver| driver.joint == JointId(i));
        let why = match joint.kind {
            _ if joint.friction.is_some() => "its joints have no friction",
            _ if joint.clearance.is_some() && driven => "it has play where it is driven",
            // It carries nothing: a contact does.
            _ if has_free_play(joint) => return None,
            _ if joint.clearance.is_some() => "its clearance leaves constraints between links",
            JointKind::Revolute | JointKind::Fixed => return None,
            JointKind::Prismatic if grounded => return None,
            JointKind::Prismatic => "links slide on the ground only",
            _ => "it has revolute and fixed joints, and prismatic ones on the ground",
        };
        Some(ErlsError::Joint { joint: joint.name.clone(), why })
    });
    bodies.chain(joints).collect()
}

/// Whether a joint has play and no rows, so that only contact and film connect its sides.
fn has_free_play(joint: &Joint) -> bool {
    joint.clearance.as_ref().is_some_and(|clearance| match &clearance.form {
        Form::Journal { axial, tilt, .. } => {
            !matches!(axial, Axial::Fixed) && !matches!(tilt, Tilt::Fixed)
        }
        Form::Pin => true,
        Form::Ball | Form::Guide { .. } => true,
    })
}

/// Mobility of n links with N joints, 6 (n − 1) − Σ (6 − f), with 3 in the plane.
fn kutzbach(model: &Model) -> i64 {
    let (all, free): (i64, i64) = match model.space {
        Space::Planar => (3, 1),
        Space::Spatial => (6, 1),
    };
    let held = |kind: JointKind| if kind == JointKind::Fixed { all } else { all - free };
    let ideal = model.joints.iter().filter(|joint| joint.clearance.is_none());
    let joints: i64 = ideal.map(|joint| held(joint.kind)).sum();
    all * (model.bodies.len() as i64 - 1) - joints
}

/// The driver of a joint.
fn driver_of(model: &Model, joint: JointId) -> Option<DriverId> {
    let coordinate = match model.joints[joint.0].kind {
        JointKind::Prismatic => Coordinate::X,
        _ => Coordinate::Angle,
    };
    let drives =
        |driver: &crate::model::Driver| driver.joint == joint && driver.coordinate == coordinate;
    model.drivers.iter().position(drives).map(DriverId)
}

/// A tree over the joints, driven ones first, and the joints that it leaves.
fn tree(model: &Model, bodies: &[RigidBody]) -> Result<Rigid, ErlsError> {
    let mut of_body: Vec<Option<Option<usize>>> = vec![None; model.bodies.len()];
    of_body[0] = Some(None);
    let mut rigid = Rigid {
        links: Vec::new(),
        roles: Vec::new(),
        turned: Vec::new(),
        cuts: Vec::new(),
        start: Vec::new(),
        independent: 0,
        dependent: 0,
    };
    let ideal = |joint: &JointId| model.joints[joint.0].clearance.is_none();
    let mut left: VecDeque<JointId> = (0..model.joints.len()).map(JointId).filter(ideal).collect();
    let rank = |joint: &JointId| {
        (model.joints[joint.0].cut == Cut::Requested, driver_of(model, *joint).is_none())
    };
    left.make_contiguous().sort_by_key(|joint| (rank(joint), joint.0));
    loop {
        let reaches = |joint: &JointId| {
            let [a, b] = sides(model, *joint);
            of_body[a].is_some() != of_body[b].is_some()
        };
        let Some(place) = left.iter().position(reaches) else { break };
        let joint = left.remove(place).expect("it is there");
        let [a, b] = sides(model, joint);
        let is_second = of_body[a].is_some();
        let (carrier, body) = if is_second { (a, b) } else { (b, a) };
        let tips = tips(model, bodies, joint);
        let (outer, own) = if is_second { (tips[0], tips[1]) } else { (tips[1], tips[0]) };
        let kind = model.joints[joint.0].kind;
        let angle = (kind != JointKind::Fixed).then(|| {
            let role = driver_of(model, joint).map_or(Role::Independent(0), Role::Driven);
            rigid.roles.push(role);
            rigid.turned.push(rigid.links.len());
            rigid.roles.len() - 1
        });
        rigid.links.push(Carried {
            body: body - 1,
            parent: of_body[carrier].flatten(),
            joint,
            outer,
            own,
            sign: if is_second { 1.0 } else { -1.0 },
            angle,
            slides: kind == JointKind::Prismatic,
        });
        of_body[body] = Some(Some(rigid.links.len() - 1));
    }
    if let Some(body) = of_body.iter().position(Option::is_none) {
        return Err(ErlsError::Free { body: model.bodies[body].name.clone() });
    }
    for joint in left {
        let links = sides(model, joint).map(|body| of_body[body].flatten());
        if let Some(driver) = driver_of(model, joint) {
            let driver = model.drivers[driver.0].name.clone();
            return Err(ErlsError::DrivesLoop { driver });
        }
        let rows = joint::rows(model.joints[joint.0].kind, model.space);
        rigid.cuts.push(CutJoint { joint, links, tips: tips(model, bodies, joint), rows });
    }
    Ok(rigid)
}

/// Bodies of the sides of a joint.
fn sides(model: &Model, joint: JointId) -> [usize; 2] {
    let joint = &model.joints[joint.0];
    [joint.a, joint.b].map(|marker| model.markers[marker.0].body.0)
}

/// Where a joint is on both sides, in axes of the frames.
fn tips(model: &Model, bodies: &[RigidBody], joint: JointId) -> [Tip; 2] {
    let joint = &model.joints[joint.0];
    [joint.a, joint.b].map(|marker| {
        let marker = &model.markers[marker.0];
        let (p, r) = (marker.local.p - model.bodies[marker.body.0].centre, marker.local.r);
        let frame = match marker.body.0.checked_sub(1) {
            Some(body) => {
                let inner = bodies[body].axes.transpose();
                Frame { p: inner * p, r: inner * r }
            }
            None => Frame { p, r },
        };
        Tip { frame, angle: marker.local.planar_angle() }
    })
}

/// Angles of the tree at which links stand where they start.
pub(super) fn start_angles(model: &Model, rigid: &Rigid, states: &[BodyState]) -> Vec<f64> {
    let mut theta = vec![0.0; rigid.roles.len()];
    for link in &rigid.links {
        let Some(k) = link.angle else { continue };
        let carrier = link.parent.map_or(0, |parent| rigid.links[parent].body + 1);
        let (before, own) = (&states[carrier], &states[link.body + 1]);
        let ends = || (before.frame.then(&link.outer.frame), own.frame.then(&link.own.frame));
        theta[k] = match model.space {
            _ if link.slides => {
                let (a, b) = ends();
                link.sign * a.r.column(0).dot(&(b.p - a.p))
            }
            Space::Planar => {
                link.sign * (own.angle + link.own.angle - before.angle - link.outer.angle)
            }
            Space::Spatial => {
                let (a, b) = ends();
                let x = b.r.column(0);
                link.sign * a.r.column(1).dot(&x).atan2(a.r.column(0).dot(&x))
            }
        };
    }
    theta
}

/// Which rows close the loops, and which angles follow from them: later joints before earlier ones.
fn close_loops(rigid: &mut Rigid, length: f64) {
    let (angles, rows) = (rigid.roles.len(), rigid.cuts.iter().map(|cut| cut.rows.len()).sum());
    let mut g = DMatrix::<f64>::zeros(rows, angles);
    let mut state = rigid.blank();
    rigid.place(&mut state);
    let all = rigid.cuts.iter().enumerate();
    let kinds: Vec<(usize, RowKind)> =
        all.flat_map(|(c, cut)| cut.rows.iter().map(move |kind| (c, *kind))).collect();
    for (row, (cut, kind)) in kinds.iter().enumerate() {
        let cut = &rigid.cuts[*cut];
        let [a, b] = [0, 1].map(|side| rigid.marker(cut, side, &state));
        debug_assert!(gap(*kind, &a, &b).is_finite());
        let unit = if kind.is_angle() { 1.0 } else { 1.0 / length };
        for k in 0..angles {
            let slope = rigid.slope(cut, k, (&a, &b), &kind.row(&a, &b), &state);
            let by = if rigid.links[rigid.turned[k]].slides { length } else { 1.0 };
            g[(row, k)] = slope * unit * by;
        }
    }
    let mut kept = vec![false; rows];
    let mut dependent = Vec::new();
    let size = g.amax();
    for least in [0.05, DEPENDENT] {
        for k in (0..angles).rev() {
            if matches!(rigid.roles[k], Role::Driven(_)) || dependent.contains(&k) {
                continue;
            }
            let open = (0..rows).filter(|row| !kept[*row]);
            let Some(row) = open.max_by(|a, b| g[(*a, k)].abs().total_cmp(&g[(*b, k)].abs()))
            else {
                continue;
            };
            if g[(row, k)].abs() <= least * size {
                continue;
            }
            kept[row] = true;
            dependent.push(k);
            for other in (0..rows).filter(|other| !kept[*other]) {
                let factor = g[(other, k)] / g[(row, k)];
                for j in 0..angles {
                    let by = factor * g[(row, j)];
                    g[(other, j)] -= by;
                }
            }
        }
    }
    let (mut d, mut m) = (0, 0);
    for (k, role) in rigid.roles.iter_mut().enumerate() {
        if matches!(role, Role::Driven(_)) {
            continue;
        }
        if dependent.contains(&k) {
            (*role, d) = (Role::Dependent(d), d + 1);
        } else {
            (*role, m) = (Role::Independent(m), m + 1);
        }
    }
    (rigid.dependent, rigid.independent) = (d, m);
    let mut row = 0;
    for cut in &mut rigid.cuts {
        cut.rows.retain(|_| {
            row += 1;
            kept[row - 1]
        });
    }
}

/// A flexible link or a rigid body. Of a body the equations are those of most links: its virtual terms are exact where all
/// have exact ones.
fn made_link(model: &Model, floating: &[FloatingBody], rigid: &RigidBody, body: usize) -> Link {
    if model.bodies[body + 1].flexible.is_none() {
        let mut links = model.bodies.iter().filter_map(|body| body.flexible.as_deref());
        let exact = links.all(|link| link.erls().virtual_terms == Virtual::Exact);
        let virtual_terms = if exact { Virtual::Exact } else { Virtual::Truncated };
        return Link {
            made: Made::Rigid(RigidLink::new(rigid, model.space == Space::Planar)),
            nodes: vec![Vector3::zeros()],
            axes: Matrix3::identity(),
            sources: Vec::new(),
            terms: Erls { virtual_terms, coriolis: true, centrifugal: true, ..Erls::default() },
            turning: Vec::new(),
        };
    }
    let link = &floating[rigid.member].link;
    Link {
        made: Made::Flexible(rigid.member),
        nodes: link.nodes().map(|along| link.site(along).place).collect(),
        axes: link.node_axes(),
        sources: Vec::new(),
        terms: model.bodies[body + 1].flexible.as_deref().map(|l| l.erls()).unwrap_or_default(),
        turning: Vec::new(),
    }
}

/// What links ask to be zeroed.
fn wanted(model: &Model, rigid: &Rigid) -> Result<Vec<(usize, NodeFreedom)>, ErlsError> {
    let mut wanted = Vec::new();
    for (i, link) in rigid.links.iter().enumerate() {
        let body = &model.bodies[link.body + 1];
        let Some(flexible) = body.flexible.as_deref() else { continue };
        let zeroed = flexible.erls().zeroed;
        wanted.extend(zeroed.iter().flatten().flatten().map(|place| (i, *place)));
    }
    Ok(wanted)
}

/// Nodes that joints put in one place, and all elastic coordinates of the system.
struct Nodes {
    clusters: Vec<Cluster>,
    unknowns: Vec<Unknown>,
}

/// A joint between nodes: of its first and second side, none at the ground, and where it is from them in their axes.
struct Meeting {
    joint: JointId,
    ends: [Option<(usize, usize)>; 2],
    arms: [Vector3<f64>; 2],
}

fn clusters(
    model: &Model,
    bodies: &[RigidBody],
    rigid: &Rigid,
    links: &[Link],
    freedoms: &'static [usize],
    wanted: &[(usize, NodeFreedom)],
) -> Result<Nodes, ErlsError> {
    let mut link_of = vec![None; model.bodies.len()];
    rigid.links.iter().enumerate().for_each(|(i, link)| link_of[link.body + 1] = Some(i));
    let mut left = Vec::new();
    for (i, joint) in model.joints.iter().enumerate() {
        if joint.clearance.is_some() {
            continue;
        }
        let id = JointId(i);
        let tips = tips(model, bodies, id);
        let (mut ends, mut arms) = ([None; 2], [Vector3::zeros(); 2]);
        for (side, marker) in [joint.a, joint.b].into_iter().enumerate() {
            let body = model.markers[marker.0].body.0;
            let Some(link) = link_of[body] else { continue };
            let Link { nodes, axes, .. } = &links[link];
            let place = model.markers[marker.0].local.p;
            let node = match model.bodies[body].flexible.as_deref() {
                None => 0,
                Some(line) => node_at(line, &place).ok_or_else(|| ErlsError::BesideNode {
                    joint: joint.name.clone(),
                    body: model.bodies[body].name.clone(),
                })?,
            };
            ends[side] = Some((link, node));
            let arm = axes.tr_mul(&(tips[side].frame.p - nodes[node]));
            // What is on the node but for rounding is on it.
            let size = (tips[side].frame.p - nodes[0]).norm().max(nodes[node].norm());
            arms[side] = if arm.norm() < 1e-9 * size { Vector3::zeros() } else { arm };
        }
        left.push(Meeting { joint: id, ends, arms });
    }
    let mut nodes = Nodes { clusters: Vec::new(), unknowns: Vec::new() };
    while let Some(seed) = next_seed(&left, rigid, wanted) {
        let cluster = grow(seed, &mut left, (model, bodies, links), freedoms, &mut nodes)?;
        nodes.clusters.push(cluster);
    }
    Ok(nodes)
}

/// Where the next cluster begins: at the ground, then at nodes with zeroed coordinates, then with the innermost link: what is
/// held at zero of it counts in axes of the link that its joint turns, wherever others go.
fn next_seed(
    left: &[Meeting],
    rigid: &Rigid,
    wanted: &[(usize, NodeFreedom)],
) -> Option<Option<(usize, usize)>> {
    if left.iter().any(|meeting| meeting.ends.contains(&None)) {
        return Some(None);
    }
    let ends = || left.iter().flat_map(|meeting| meeting.ends).flatten();
    let asked = ends().find(|(link, node)| {
        wanted.iter().any(|(l, place)| l == link && place.node == *node && place.freedom < 3)
    });
    let depth = |link: usize| std::iter::successors(Some(link), |&l| rigid.links[l].parent).count();
    let innermost = || {
        let first = left.first()?;
        first.ends.into_iter().flatten().min_by_key(|(link, _)| depth(*link))
    };
    asked.or_else(innermost).map(Some)
}

type Parts<'a> = (&'a Model, &'a [RigidBody], &'a [Link]);

/// All that joints connect with a node, or with the ground at one joint.
fn grow(
    seed: Option<(usize, usize)>,
    left: &mut Vec<Meeting>,
    (model, bodies, links): Parts,
    freedoms: &'static [usize],
    nodes: &mut Nodes,
) -> Result<Cluster, ErlsError> {
    let mut cluster = Cluster { grounded: seed.is_none(), ..Cluster::default() };
    let mut unknown = |own: Unknown| {
        nodes.unknowns.push(own);
        nodes.unknowns.len() - 1
    };
    let member = |link, node| Member {
        link,
        node,
        before: None,
        joint: None,
        is_second: false,
        free: None,
        arms: [Vector3::zeros(); 2],
    };
    if let Some((link, node)) = seed {
        cluster.columns.extend(freedoms.iter().map(|&k| unknown(unknown_at(link, node, k))));
        cluster.first = freedoms;
        cluster.members.push(member(link, node));
    }
    loop {
        let known = |end: Option<(usize, usize)>| match end {
            None => cluster.grounded.then_some(None),
            Some(end) => {
                cluster.members.iter().position(|own| (own.link, own.node) == end).map(Some)
            }
        };
        let found = left.iter().enumerate().find_map(|(i, meeting)| {
            let [a, b] = meeting.ends.map(known);
            // One joint at the ground begins a cluster of its own.
            let grown = !cluster.members.is_empty();
            match (a, b) {
                (Some(_), Some(_)) => Some((i, None)),
                (Some(None), None) | (None, Some(None)) if grown => None,
                (Some(before), None) => Some((i, Some((before, 1)))),
                (None, Some(before)) => Some((i, Some((before, 0)))),
                (None, None) => None,
            }
        });
        let Some((i, how)) = found else { return Ok(cluster) };
        let meeting = left.remove(i);
        let name = || model.joints[meeting.joint.0].name.clone();
        let Some((before, side)) = how else {
            let why = "it closes a ring of rigid bodies, or of links that meet in one node";
            return Err(ErlsError::Joint { joint: name(), why });
        };
        let (link, node) = meeting.ends[side].expect("the ground is known first");
        let tip = tips(model, bodies, meeting.joint)[side];
        let driven = driver_of(model, meeting.joint).is_some();
        let kind = model.joints[meeting.joint.0].kind;
        let slides = kind == JointKind::Prismatic;
        let free = (kind != JointKind::Fixed && !driven).then(|| {
            let axis = tip.frame.r.column(if slides { 0 } else { 2 });
            let axis: Vector3<f64> = links[link].axes.tr_mul(&axis);
            let freedom = if slides { axis.iamax() } else { 3 + axis.iamax() };
            let own = Unknown { along: axis, is_free: true, ..unknown_at(link, node, freedom) };
            cluster.columns.push(unknown(own));
            Free { axis, column: cluster.columns.len() - 1, slides }
        });
        let joint = Some(meeting.joint);
        let is_second = side == 1;
        let arms = [meeting.arms[1 - side], meeting.arms[side]];
        let own = Member { before, joint, is_second, free, arms, ..member(link, node) };
        cluster.members.push(own);
    }
}

/// The node whose section carries a place on a link, in its own axes.
fn node_at(line: &Flexible, place: &Vector3<f64>) -> Option<usize> {
    let at = line.nearest(place) * line.elements as f64;
    ((at - at.round()).abs() < 1e-6).then_some(at.round() as usize)
}

/// A freedom of a node in its axes.
fn unknown_at(link: usize, node: usize, freedom: usize) -> Unknown {
    let along = Vector3::ith(freedom % 3, 1.0);
    Unknown { link, node, freedom, along, is_free: false, index: None }
}

/// Sources of the elastic coordinates of every link, and unknowns of nodes without joints.
fn number(
    links: &mut [Link],
    clusters: &[Cluster],
    unknowns: &mut Vec<Unknown>,
    freedoms: &[usize],
) {
    for (l, link) in links.iter_mut().enumerate() {
        for node in 0..link.nodes.len() {
            let place = clusters.iter().enumerate().find_map(|(c, cluster)| {
                let own = |m: &Member| (m.link, m.node) == (l, node);
                cluster.members.iter().position(own).map(|m| (c, m))
            });
            for &freedom in freedoms {
                link.sources.push(match place {
                    Some((cluster, member)) => Source::Member { cluster, member, freedom },
                    None => {
                        unknowns.push(unknown_at(l, node, freedom));
                        Source::Own(unknowns.len() - 1)
                    }
                });
            }
        }
    }
}

/// Where the file of a model puts its bodies, the ground first.
pub(in crate::system) fn rough_states(model: &Model, bodies: &[RigidBody]) -> Vec<BodyState> {
    let of = |(body, rigid): (&Body, &RigidBody)| {
        let turn = body.start.orientation;
        let r = turn.map_or(Matrix3::identity(), |turn| turn.rotation());
        let p = body.start.position.unwrap_or_default() + r * body.centre;
        let angle = turn.map_or(0.0, |turn| turn.angle());
        BodyState { frame: Frame { p, r: r * rigid.axes }, angle, ..BodyState::GROUND }
    };
    let moving = model.bodies[1..].iter().zip(bodies).map(of);
    std::iter::once(BodyState::GROUND).chain(moving).collect()
}
