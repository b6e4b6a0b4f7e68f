//! From a model to flat tables: components, attachments, rows, contacts, films, layout of the state.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use gudgeon_dae::linear::Ldl;

use super::component::sets::{beams, bodies, components, floating, naturals};
use super::component::{
    BeamBody, BodyState, Component, FloatingBody, Formulation, NaturalBody, RigidBody,
};
use super::elements::films;
pub(crate) use super::elements::spots;
pub use super::elements::{ContactElement, FilmElement};
use super::erls::{EquivalentSystem, ErlsError};
use super::functions::{self, Functions};
pub(super) use super::rows::Side;
use super::rows::{
    Belongings, Bodies, all_rows, blocks, by_body, coupled_rows, in_elimination_order,
};
pub use super::rows::{Block, BodyBlocks, Row, RowSource};
pub(crate) use super::size::Widest;
use super::size::size_of;
use super::tree::Tree;
use super::tree::rows::coupled;
use crate::fe::Site;
use crate::flexible::Flexible;
use crate::friction::{self, FrictionElement};
use crate::marker::Attachment;
use crate::math::spatial::Frame;
use crate::model::{Coordinate, Coordinates, DriverId, ForceKind, JointId, MarkerId, Model, Space};

/// Lengths of the parts of the state y = (q, v, z, w) and where each kind of quadrature starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub q: usize,
    pub v: usize,
    /// σ of every contact.
    pub roots: usize,
    /// Bristle states of friction in ideal joints.
    pub bristles: usize,
    pub drivers: usize,
    pub forces: usize,
    /// Works of the contacts, two each.
    pub contacts: usize,
    /// Works of the films: shear and pumping each.
    pub films: usize,
    /// Works of friction in ideal joints.
    pub frictions: usize,
    /// Works of the damping of flexible links.
    pub beams: usize,
    /// Work of terms that equations leave out, where there are any.
    pub formulation: usize,
    /// Angles counted over turns.
    pub turns: usize,
    pub end: usize,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompileError {
    #[error("joint {} connects two frames of one body", .0.0)]
    SameBody(JointId),
    #[error("driver {} drives a joint without this free coordinate", .0.0)]
    NothingToDrive(DriverId),
    #[error(transparent)]
    Erls(#[from] ErlsError),
}

/// The compiled, immutable mechanism.
#[derive(Clone, Debug)]
pub struct System {
    pub model: Model,
    /// Moving bodies; body i of the model is at i − 1.
    pub bodies: Vec<RigidBody>,
    /// What the coordinates of those in natural coordinates mean, by member.
    pub naturals: Vec<NaturalBody>,
    /// The flexible ones in absolute nodal coordinates, by member.
    pub beams: Vec<BeamBody>,
    /// Those with a floating frame, by member, and the places of markers on their lines.
    pub floating: Vec<FloatingBody>,
    pub(super) sites: Vec<Option<Site>>,
    pub components: Vec<Component>,
    pub attachments: Vec<Attachment>,
    pub rows: Vec<Row>,
    /// How many of them are internal rows of bodies.
    pub(super) internal: usize,
    /// Sorted by body, then by row.
    pub blocks: Vec<Block>,
    pub by_body: Vec<BodyBlocks>,
    belongings: Belongings,
    /// Contacts and film by joint.
    joint_contacts: Vec<Range<usize>>,
    joint_films: Vec<Option<usize>>,
    /// Films by moving body.
    pub body_films: Vec<Vec<usize>>,
    pub ldl: Ldl,
    pub contacts: Vec<ContactElement>,
    pub films: Vec<FilmElement>,
    /// Sliding surfaces of ideal joints.
    pub frictions: Vec<FrictionElement>,
    /// Markers whose angle about z is counted over turns: of joints first, then of torsion springs.
    pub turns: Vec<(usize, usize)>,
    pub joint_turns: Vec<Option<usize>>,
    pub force_turns: Vec<Option<usize>>,
    /// Functions of the state and the parameters that follow them.
    pub(crate) functions: Functions,
    /// Number of pieces of functions and laws.
    pub(crate) pieces: usize,
    pub layout: Layout,
    /// Bodies in joint coordinates.
    pub tree: Option<Tree>,
    /// Flexible links on an equivalent rigid-link system: all that there are.
    pub erls: Option<EquivalentSystem>,
    /// How many rows are solved for; those behind them hold by the coordinates of the tree.
    pub active: usize,
    /// Numbers of coordinates and velocities of all bodies one by one; those of the state are in the layout.
    pub sizes: [usize; 2],
    rotations: Vec<bool>,
    /// Size of the mechanism, m: the scale of positions.
    pub length: f64,
    pub has_artificial_masses: bool,
    /// Number of rows that depend on the others wherever the mechanism goes.
    pub redundancy: usize,
}

impl System {
    /// Compiles all rows of the model.
    pub fn compile(model: &Model) -> Result<Self, CompileError> {
        Self::compile_at(model, None)
    }

    /// The same for bodies that are known to start at `states`, the ground first.
    pub fn compile_at(model: &Model, states: Option<&[BodyState]>) -> Result<Self, CompileError> {
        let divided = model.divided();
        let rows = all_rows(&divided)?;
        let system = Self::with_rows(&divided, rows, states)?;
        // A divided link is as long as it was.
        Ok(match divided {
            Cow::Borrowed(_) => system,
            Cow::Owned(_) => Self { length: size_of(model), ..system },
        })
    }

    /// Compiles the model with every clearance joint ideal, its journal held at the start offset from
    /// the bearing's centre. Drivers measure from the bearing's own frame as before.
    pub fn compile_ideal(model: &Model) -> Result<Self, CompileError> {
        let mut ideal = model.divided().into_owned();
        ideal.coordinates = Coordinates::Absolute;
        for joint in &mut ideal.joints {
            if joint.clearance.take().is_some() {
                let mut moved = ideal.markers[joint.a.0].clone();
                moved.local.p += moved.local.r * joint.start_offset;
                joint.a = MarkerId(ideal.markers.len());
                ideal.markers.push(moved);
            }
        }
        let mut rows = all_rows(&ideal)?;
        for row in &mut rows {
            if let RowSource::Driver(id) = row.source {
                row.a = model.joints[model.drivers[id.0].joint.0].a.0;
            }
        }
        let mut system = Self::with_rows(&ideal, rows, None)?;
        // A start offset is no size of the mechanism, even where everything else lies in one point.
        system.length = size_of(model);
        Ok(system)
    }

    /// The same system without the given rows.
    pub fn without_rows(&self, dropped: &[usize]) -> Self {
        let mut keep = vec![true; self.rows.len()];
        dropped.iter().for_each(|&row| keep[row] = false);
        let kept = self.rows.iter().zip(keep).filter_map(|(row, keep)| keep.then_some(*row));
        let system = Self::with_rows(&self.model, kept.collect(), None);
        Self { length: self.length, ..system.expect("what it was compiled from") }
    }

    fn with_rows(
        model: &Model,
        rows: Vec<Row>,
        states: Option<&[BodyState]>,
    ) -> Result<Self, CompileError> {
        let length = size_of(model);
        let bodies = bodies(model, length);
        let naturals = naturals(&bodies, length);
        let mut beams = beams(model, &bodies);
        let floating = floating(model, &bodies);
        let flexible = (&beams[..], &floating[..]);
        let attach =
            |m: &crate::model::Marker| attachment(model, &bodies, flexible, m.body.0, &m.local);
        let attachments: Vec<Attachment> = model.markers.iter().map(attach).collect();
        let sites: Vec<Option<Site>> =
            attachments.iter().map(|at| site(&bodies, &floating, at)).collect();
        // Links with floating frames have quaternions of their own, which a tree does not know.
        let in_tree = model.coordinates == Coordinates::Joint && floating.is_empty();
        let mut tree = in_tree.then(|| Tree::new(model, &bodies, &attachments));
        let tree_of = tree.as_ref();
        let all = Bodies {
            all: &bodies,
            beams: &beams,
            floating: &floating,
            sites: &sites,
            tree: tree_of,
        };
        let erls = equivalent(model, (&bodies, &floating), states, length)?;
        let (rows, active) = match &erls {
            // Rows of joints hold by the coordinates.
            Some(_) => (rows, 0),
            None => in_elimination_order(rows, &attachments, all),
        };
        let blocks = blocks(&rows[..active], &attachments, all);
        for block in
            blocks.iter().filter(|block| bodies[block.body].formulation == Formulation::Beam)
        {
            let run = block.support.runs().next().unwrap_or(0..0);
            beams[bodies[block.body].member].need_inverse(run);
        }
        let mut pairs = coupled_rows(&blocks);
        let by_branch = tree.as_ref().map(|tree| tree.blocks_of(&rows[..active], &attachments));
        pairs.extend(by_branch.iter().flat_map(|groups| coupled(groups)));
        let ldl = Ldl::new(active, &pairs);
        let by_body = by_body(&blocks, &bodies, &ldl);
        if let (Some(tree), Some(groups)) = (&mut tree, by_branch) {
            let first = by_body.last().map_or(0, |body| body.entries.end);
            tree.number_rows(groups, first, &ldl);
            tree.touch_rows(&rows[..active], &attachments);
        }
        let sizes = [0, 1].map(|k| bodies.iter().map(|body| body.sizes[k]).sum::<usize>());
        let shift = match &erls {
            Some(erls) => sizes.map(|size| size - erls.size()),
            None => tree.as_ref().map_or([0; 2], Tree::shift),
        };
        let mut contacts: Vec<ContactElement> =
            (0..model.joints.len()).flat_map(|i| spots(model, JointId(i))).collect();
        let films = films(model, &contacts);
        let mut frictions = friction::elements(model);
        let (turns, joint_turns, force_turns) = counted_turns(model);
        let bristles = number_bristles(&frictions, &mut contacts);
        let functions = Functions::new(model);
        let pieces = number_pieces(functions.count(), &mut frictions, &mut contacts);
        let counts = [contacts.len(), films.len(), turns.len()];
        let mut markers = active_markers(model, &rows, &turns, |_| true);
        if let Some(tree) = &mut tree {
            let rough = |joint: JointId| model.joints[joint.0].friction.is_some();
            let seen = |joint: JointId| rough(joint) || !tree.carries(joint);
            let needed = active_markers(model, &rows[..active], &turns, seen);
            tree.held = markers.difference(&needed).copied().collect();
            markers = needed;
        }
        Ok(Self {
            erls,
            components: components(model, &bodies, &markers),
            naturals,
            internal: rows.iter().filter(|row| matches!(row.source, RowSource::Body(_))).count(),
            rotations: rotations(&bodies, &beams, &floating),
            beams,
            floating,
            sites,
            belongings: Belongings::new(model, &rows),
            joint_contacts: joint_contacts(model, &contacts),
            joint_films: joint_films(model, &films),
            body_films: body_films(model, &films),
            functions,
            pieces,
            layout: layout(
                model,
                &bodies,
                [0, 1].map(|k| sizes[k] - shift[k]),
                counts,
                (&frictions, bristles),
            ),
            sizes,
            active,
            tree,
            has_artificial_masses: bodies.iter().any(RigidBody::lacks_mass),
            model: model.clone(),
            bodies,
            attachments,
            rows,
            blocks,
            by_body,
            ldl,
            contacts,
            films,
            frictions,
            turns,
            joint_turns,
            force_turns,
            length,
            redundancy: 0,
        })
    }

    /// How many links bend by coordinates of their own: beams, then those with a floating frame.
    pub fn flexible_links(&self) -> usize {
        self.beams.len() + self.floating.len()
    }

    /// Whether links bend.
    pub fn bends(&self) -> bool {
        !(self.beams.is_empty() && self.floating.is_empty() && self.model.links.is_empty())
    }

    /// Whether the equations leave terms of the motion out: what that gains or loses has a line in the ledger.
    pub fn truncates(&self) -> bool {
        self.layout.turns > self.layout.formulation
    }

    /// Whether a friction law has bristles, which are stiff.
    pub fn has_bristles(&self) -> bool {
        self.layout.drivers > self.layout.bristles
    }

    /// Whether joints carry a moving body, by their coordinates.
    pub fn is_carried(&self, body: usize) -> bool {
        self.tree.as_ref().is_some_and(|tree| tree.of_body[body].is_some())
    }

    /// Name of the joint or driver a row belongs to.
    pub fn row_owner(&self, row: usize) -> &str {
        match self.rows[row].source {
            RowSource::Joint(id) => &self.model.joints[id.0].name,
            RowSource::Driver(id) => &self.model.drivers[id.0].name,
            RowSource::Body(id) => &self.model.bodies[id.0].name,
        }
    }

    /// Joints and drivers that have rows, each once.
    pub fn owners(&self) -> Vec<RowSource> {
        let mut owners: Vec<RowSource> = Vec::new();
        for row in &self.rows {
            if !owners.contains(&row.source) {
                owners.push(row.source);
            }
        }
        owners
    }

    /// Rows of a joint, driver or body, in elimination order.
    /// The tree of a mechanism that no row holds.
    pub(super) fn free_tree(&self) -> Option<&Tree> {
        let whole = |tree: &&Tree| tree.absolute[1] == self.sizes[1];
        let tree = self.tree.as_ref().filter(whole)?;
        (self.active == 0 && self.frictions.is_empty()).then_some(tree)
    }

    pub fn rows_of(&self, source: RowSource) -> impl Iterator<Item = usize> + '_ {
        self.belongings.of(source).iter().copied()
    }

    /// Contacts of a joint, consecutive.
    pub fn contacts_of(&self, joint: JointId) -> Range<usize> {
        self.joint_contacts[joint.0].clone()
    }

    /// The film of a joint.
    pub fn film_of(&self, joint: JointId) -> Option<usize> {
        self.joint_films[joint.0]
    }

    /// Name of a contact: its joint, and the spot where the joint has several.
    pub fn contact_name(&self, contact: usize) -> String {
        self.contacts[contact].name(&self.model)
    }

    /// Whether velocity `i` is an angle or a slope per time, which has no length to be scaled by.
    pub fn is_rotation(&self, i: usize) -> bool {
        self.rotations[i]
    }

    /// Unit of velocity `i` as a multiple of the mechanism's size.
    pub fn unit(&self, i: usize) -> f64 {
        if self.is_rotation(i) { 1.0 } else { self.length }
    }

    /// Unit of a velocity of the state, which is not that of a body where joints carry it.
    pub fn unit_of_state(&self, i: usize) -> f64 {
        if let Some(erls) = &self.erls {
            return if erls.is_turn(i) { 1.0 } else { self.length };
        }
        match &self.tree {
            Some(tree) if i < tree.sizes[1] => match tree.is_turn(i) {
                true => 1.0,
                false => self.length,
            },
            Some(tree) => self.unit(i + tree.shift()[1]),
            None => self.unit(i),
        }
    }

    /// Where the velocities of a body outside a tree stand in the state.
    pub(super) fn velocities_in_state(&self, body: usize) -> usize {
        self.bodies[body].v - self.tree.as_ref().map_or(0, |tree| tree.shift()[1])
    }

    /// Moves q by a displacement in the directions of v.
    pub fn displace(&self, q: &mut [f64], by: &[f64]) {
        if let Some(tree) = &self.tree {
            return tree.displace(q, by);
        }
        if self.erls.is_some() {
            return q.iter_mut().zip(by).for_each(|(q, by)| *q += by);
        }
        for component in &self.components {
            component.displace(self, q, by);
        }
    }

    /// An attachment for any place on a body of the model, in its own axes.
    pub fn attach(&self, body: usize, local: &Frame) -> Attachment {
        let body = match self.chain(body) {
            Some(chain) => chain.holder(chain.division.link.nearest(&local.p)) + 1,
            None => body,
        };
        let flexible = (&self.beams[..], &self.floating[..]);
        attachment(&self.model, &self.bodies, flexible, body, local)
    }
}

/// The equivalent rigid-link system of a model with links on one; without states where its file puts them.
fn equivalent(
    model: &Model,
    (bodies, floating): (&[RigidBody], &[FloatingBody]),
    states: Option<&[BodyState]>,
    length: f64,
) -> Result<Option<EquivalentSystem>, ErlsError> {
    if !model.bodies.iter().filter_map(|body| body.flexible.as_deref()).any(Flexible::is_erls) {
        return Ok(None);
    }
    let rough: Vec<BodyState>;
    let states = match states {
        Some(states) => states,
        None => {
            rough = super::erls::rough_states(model, bodies);
            &rough
        }
    };
    EquivalentSystem::new(model, (bodies, floating), states, length).map(Some)
}

/// The place of an attachment on the line of a link with a floating frame.
fn site(bodies: &[RigidBody], floating: &[FloatingBody], at: &Attachment) -> Option<Site> {
    let body = &bodies[at.body.checked_sub(1)?];
    body.formulation.is_floating().then(|| floating[body.member].link.site(at.along))
}

fn attachment(
    model: &Model,
    bodies: &[RigidBody],
    (beams, floating): (&[BeamBody], &[FloatingBody]),
    body: usize,
    local: &Frame,
) -> Attachment {
    let offset = local.p - model.bodies[body].centre;
    let inner = match body.checked_sub(1) {
        Some(moving) => bodies[moving].axes.transpose(),
        None => nalgebra::Matrix3::identity(),
    };
    let frame = Frame { p: inner * offset, r: inner * local.r };
    let (along, offset, turn) = match &model.bodies[body].flexible {
        Some(flexible) if flexible.is_floating() => {
            floating[bodies[body - 1].member].attach(flexible, local, &frame)
        }
        Some(flexible) => beams[bodies[body - 1].member].attach(flexible, local, &frame),
        None => (0.0, frame.p, frame.r),
    };
    Attachment { body, along, offset, turn, angle: local.planar_angle() }
}

type Turns = (Vec<(usize, usize)>, Vec<Option<usize>>, Vec<Option<usize>>);

/// Which angles are counted: in space, those of joints that leave one free and of torsion springs.
/// Rigid bodies in the plane count theirs in their coordinates.
fn counted_turns(model: &Model) -> Turns {
    let mut turns = Vec::new();
    let spatial = model.space == Space::Spatial;
    let bends = |marker: usize| model.bodies[model.markers[marker].body.0].flexible.is_some();
    let mut count = |counts: bool, a: usize, b: usize| {
        (counts && (spatial || bends(a) || bends(b))).then(|| {
            turns.push((a, b));
            turns.len() - 1
        })
    };
    let joints = model.joints.iter().map(|joint| {
        let turns = joint.kind.free(model.space).contains(&Coordinate::Angle);
        count(turns, joint.a.0, joint.b.0)
    });
    let joints = joints.collect();
    let forces = model.forces.iter().map(|force| match force.kind {
        ForceKind::TorsionSpring { a, b, .. } => count(true, a.0, b.0),
        _ => None,
    });
    let forces = forces.collect();
    (turns, joints, forces)
}

/// Bristle states of contacts behind those of ideal joints; how many there are.
fn number_bristles(frictions: &[FrictionElement], contacts: &mut [ContactElement]) -> usize {
    let mut next = frictions.iter().map(FrictionElement::states).sum();
    for contact in contacts {
        contact.state = next;
        next += contact.states;
    }
    next
}

/// Pieces of laws by formula behind those of functions; how many there are.
fn number_pieces(
    functions: usize,
    frictions: &mut [FrictionElement],
    contacts: &mut [ContactElement],
) -> usize {
    let mut next = functions;
    let mut take = |count: usize| {
        next += count;
        next - count..next
    };
    for element in frictions {
        let located = element.law.formula().filter(|law| !law.pieces_follow_load());
        element.pieces = take(located.map_or(0, |law| law.sites()));
    }
    for contact in contacts {
        let friction = contact.clearance.friction.as_ref().map_or(0, |law| law.sites());
        contact.pieces = take(contact.clearance.normal.sites() + friction);
    }
    next
}

fn truncates(model: &Model) -> bool {
    model.bodies.iter().filter_map(|body| body.flexible.as_deref()).any(Flexible::truncates)
}

fn layout(
    model: &Model,
    bodies: &[RigidBody],
    [q, v]: [usize; 2],
    [contacts, film_count, turns]: [usize; 3],
    (rubbing, bristle_count): (&[FrictionElement], usize),
) -> Layout {
    let roots = q + v;
    let bristles = roots + contacts;
    let drivers = bristles + bristle_count;
    let forces = drivers + model.drivers.len();
    let works = forces + model.forces.len();
    let films = works + 2 * contacts;
    let frictions = films + 2 * film_count;
    let beams = frictions + rubbing.len();
    let formulation = beams + bodies.iter().filter(|b| b.formulation.is_flexible()).count();
    let angles = formulation + usize::from(truncates(model));
    let end = angles + turns;
    let contacts = works;
    Layout {
        q,
        v,
        roots,
        bristles,
        drivers,
        forces,
        contacts,
        films,
        frictions,
        beams,
        formulation,
        turns: angles,
        end,
    }
}

/// Markers of rows, counted turns, forces and readings, and of joints that are `seen`.
fn active_markers(
    model: &Model,
    rows: &[Row],
    turns: &[(usize, usize)],
    seen: impl Fn(JointId) -> bool,
) -> BTreeSet<usize> {
    let between = rows.iter().filter(|row| !matches!(row.source, RowSource::Body(_)));
    let mut active: BTreeSet<usize> = between.flat_map(|row| [row.a, row.b]).collect();
    active.extend(turns.iter().flat_map(|&(a, b)| [a, b]));
    for (_, joint) in model.joints.iter().enumerate().filter(|(i, _)| seen(JointId(*i))) {
        active.extend([joint.a.0, joint.b.0]);
    }
    for force in &model.forces {
        active.extend(crate::force::pairs(&force.kind).flat_map(|(a, b)| [a, b]));
    }
    active.extend(functions::markers(model));
    active
}

fn rotations(bodies: &[RigidBody], beams: &[BeamBody], floating: &[FloatingBody]) -> Vec<bool> {
    let end = bodies.iter().map(|body| body.velocities().end).max().unwrap_or(0);
    let mut rotations = vec![false; end];
    for body in bodies {
        if body.formulation == Formulation::Beam {
            let beam = &beams[body.member];
            body.velocities().enumerate().for_each(|(k, i)| rotations[i] = !beam.is_length(k));
            continue;
        }
        if body.formulation.is_floating() {
            let link = &floating[body.member];
            body.velocities().enumerate().for_each(|(k, i)| rotations[i] = !link.is_length(k));
            continue;
        }
        let turning = body.velocities().skip(body.formulation.lengths());
        turning.for_each(|i| rotations[i] = true);
    }
    rotations
}

fn joint_contacts(model: &Model, contacts: &[ContactElement]) -> Vec<Range<usize>> {
    let mut ranges = vec![0..0; model.joints.len()];
    for (i, contact) in contacts.iter().enumerate() {
        let range = &mut ranges[contact.joint.0];
        *range = if range.start == range.end { i..i + 1 } else { range.start..i + 1 };
    }
    ranges
}

fn joint_films(model: &Model, films: &[FilmElement]) -> Vec<Option<usize>> {
    let mut found = vec![None; model.joints.len()];
    films.iter().enumerate().for_each(|(i, film)| found[film.joint.0] = Some(i));
    found
}

fn body_films(model: &Model, films: &[FilmElement]) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); model.bodies.len() - 1];
    for (i, film) in films.iter().enumerate() {
        for marker in [film.a, film.b] {
            if let Some(body) = model.markers[marker].body.0.checked_sub(1) {
                found[body].push(i);
            }
        }
    }
    found
}
