//! Constraint rows in elimination order, and their blocks body by body.
//!
//! Internal rows of bodies come first: once they are eliminated a body is rigid, and pivots of the other
//! rows tell how these depend on each other, whatever coordinates the bodies have.

use std::collections::BTreeSet;
use std::ops::Range;

use gudgeon_dae::linear::{Ldl, minimum_degree};

use super::compile::CompileError;
use super::component::{
    BeamBody, FloatingBody, Formulation, InternalRow, RigidBody, Support, internal_rows,
};
use super::tree::Tree;
use super::tree::rows::coupled;
use crate::fe::Site;
use crate::joint::{self, RowKind};
use crate::marker::Attachment;
use crate::model::{BodyId, Clearance, DriverId, Form, Joint, JointId, Model, Space};

/// A constraint row: primitive, markers, and where it comes from. Internal rows have no markers.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub kind: RowKind,
    pub a: usize,
    pub b: usize,
    pub source: RowSource,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSource {
    Joint(JointId),
    Driver(DriverId),
    /// An internal row of a body.
    Body(BodyId),
}

/// The part of a row on one moving body.
#[derive(Clone, Debug)]
pub struct Block {
    pub row: usize,
    /// Body index minus one.
    pub body: usize,
    pub side: Side,
    /// Columns of the body in which it may have entries.
    pub support: Support,
}

/// Where the entries of a block come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A marker on the body, and whether it is side b of the row.
    Marker {
        marker: usize,
        on_b: bool,
    },
    Internal(InternalRow),
}

/// The blocks of one body, contiguous and sorted by row, where their entries stand in G, and the
/// slots of S their products go to: Sslot += Gi · M⁻¹ Gj for i and all j ≤ i.
#[derive(Clone, Debug)]
pub struct BodyBlocks {
    pub body: usize,
    pub formulation: Formulation,
    pub blocks: Range<usize>,
    pub entries: Range<usize>,
    pub slots: Vec<usize>,
}

/// Rows of joints and drivers.
pub(super) fn all_rows(model: &Model) -> Result<Vec<Row>, CompileError> {
    let mut rows = Vec::new();
    for (i, joint) in model.joints.iter().enumerate() {
        let id = JointId(i);
        if model.markers[joint.a.0].body == model.markers[joint.b.0].body {
            return Err(CompileError::SameBody(id));
        }
        let (a, b, source) = (joint.a.0, joint.b.0, RowSource::Joint(id));
        let row = |kind| Row { kind, a, b, source };
        rows.extend(joint_rows(joint, model.space).into_iter().map(row));
    }
    for (i, driver) in model.drivers.iter().enumerate() {
        let joint = &model.joints[driver.joint.0];
        let id = DriverId(i);
        if !joint.kind.free(model.space).contains(&driver.coordinate) {
            return Err(CompileError::NothingToDrive(id));
        }
        let kind = joint::coordinate_row(joint.kind, driver.coordinate, model.space);
        rows.push(Row { kind, a: joint.a.0, b: joint.b.0, source: RowSource::Driver(id) });
    }
    Ok(rows)
}

/// Rows of a joint; a clearance leaves at most those along the axis and against tilts.
fn joint_rows(joint: &Joint, space: Space) -> Vec<RowKind> {
    match &joint.clearance {
        None => joint::rows(joint.kind, space),
        Some(Clearance { form: Form::Journal { axial, tilt, .. }, .. }) => {
            joint::journal_rows(axial, *tilt)
        }
        Some(_) => Vec::new(),
    }
}

/// Bodies of a system and the places of its markers on those with a floating frame.
#[derive(Clone, Copy)]
pub(super) struct Bodies<'a> {
    pub all: &'a [RigidBody],
    pub beams: &'a [BeamBody],
    pub floating: &'a [FloatingBody],
    pub sites: &'a [Option<Site>],
    pub tree: Option<&'a Tree>,
}

impl Bodies<'_> {
    /// Columns of its body that a marker moves with.
    pub fn support(&self, marker: usize, at: &Attachment) -> Support {
        let Some(body) = at.body.checked_sub(1).map(|i| &self.all[i]) else {
            return Support::default();
        };
        if body.formulation == Formulation::Beam {
            let beam = &self.beams[body.member];
            return Support::run(beam.support(&beam.beam.site(at.along)));
        }
        match &self.sites[marker] {
            Some(site) => self.floating[body.member].support(site),
            None => Support::run(0..body.velocities().len()),
        }
    }
}

/// Internal rows of the bodies, then those of joints and drivers by smallest degree, and last those that hold by
/// the coordinates of a tree; how many are not of the last.
pub(super) fn in_elimination_order(
    rows: Vec<Row>,
    attachments: &[Attachment],
    bodies: Bodies,
) -> (Vec<Row>, usize) {
    let tree = bodies.tree;
    let holds = |row: &Row| {
        tree.is_some_and(|tree| match row.source {
            RowSource::Joint(joint) => tree.carries(joint),
            RowSource::Driver(driver) => tree.knows(driver),
            RowSource::Body(_) => false,
        })
    };
    let (held, rows): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(holds);
    let mut pairs = coupled_rows(&blocks(&rows, attachments, bodies));
    let by_branch = tree.map(|tree| tree.blocks_of(&rows, attachments));
    pairs.extend(by_branch.iter().flat_map(|groups| coupled(groups)));
    let ordered = minimum_degree(rows.len(), &pairs).into_iter().map(|i| rows[i]);
    let internal = internal_rows(bodies.all, bodies.beams).into_iter();
    let active: Vec<Row> = internal.chain(ordered).collect();
    let count = active.len();
    (active.into_iter().chain(held).collect(), count)
}

/// Blocks of rows on bodies outside a tree.
pub(super) fn blocks(rows: &[Row], attachments: &[Attachment], bodies: Bodies) -> Vec<Block> {
    let carried = |body: usize| bodies.tree.is_some_and(|tree| tree.of_body[body].is_some());
    let mut blocks = Vec::new();
    for (row, r) in rows.iter().enumerate() {
        if let (RowKind::Internal(internal), RowSource::Body(body)) = (r.kind, r.source) {
            let body = body.0 - 1;
            let of = &bodies.all[body];
            let columns = match of.formulation {
                Formulation::Beam => bodies.beams[of.member].node_columns(internal.node),
                _ => 0..of.velocities().len(),
            };
            let support = Support::run(columns);
            blocks.push(Block { row, body, side: Side::Internal(internal), support });
            continue;
        }
        for (marker, on_b) in [(r.a, false), (r.b, true)] {
            let at = &attachments[marker];
            if let Some(body) = at.body.checked_sub(1).filter(|body| !carried(*body)) {
                let support = bodies.support(marker, at);
                blocks.push(Block { row, body, side: Side::Marker { marker, on_b }, support });
            }
        }
    }
    blocks.sort_by_key(|block| (bodies.all[block.body].v, block.row));
    blocks
}

/// Blocks of one body each.
fn groups(blocks: &[Block]) -> impl Iterator<Item = &[Block]> {
    blocks.chunk_by(|a, b| a.body == b.body)
}

/// Pairs of different rows that share a body.
pub(super) fn coupled_rows(blocks: &[Block]) -> Vec<(usize, usize)> {
    let mut pairs = BTreeSet::new();
    for group in groups(blocks) {
        for (i, later) in group.iter().enumerate() {
            pairs.extend(group[..i].iter().map(|earlier| (later.row, earlier.row)));
        }
    }
    pairs.into_iter().collect()
}

pub(super) fn by_body(blocks: &[Block], bodies: &[RigidBody], ldl: &Ldl) -> Vec<BodyBlocks> {
    let (mut start, mut entry) = (0, 0);
    groups(blocks)
        .map(|group| {
            let body = group[0].body;
            let formulation = bodies[body].formulation;
            let range = start..start + group.len();
            let entries = entry..entry + group.len() * bodies[body].velocities().len();
            (start, entry) = (range.end, entries.end);
            let slots = group
                .iter()
                .enumerate()
                .flat_map(|(i, a)| group[..=i].iter().map(|b| ldl.slot(a.row, b.row)))
                .collect();
            BodyBlocks { body, formulation, blocks: range, entries, slots }
        })
        .collect()
}

/// Rows of each joint, driver and body, in elimination order.
#[derive(Clone, Debug)]
pub struct Belongings {
    joint_rows: Vec<Vec<usize>>,
    driver_rows: Vec<Vec<usize>>,
    body_rows: Vec<Vec<usize>>,
}

impl Belongings {
    pub(super) fn new(model: &Model, rows: &[Row]) -> Self {
        let mut found = Self {
            joint_rows: vec![Vec::new(); model.joints.len()],
            driver_rows: vec![Vec::new(); model.drivers.len()],
            body_rows: vec![Vec::new(); model.bodies.len()],
        };
        for (i, row) in rows.iter().enumerate() {
            match row.source {
                RowSource::Joint(id) => found.joint_rows[id.0].push(i),
                RowSource::Driver(id) => found.driver_rows[id.0].push(i),
                RowSource::Body(id) => found.body_rows[id.0].push(i),
            }
        }
        found
    }

    pub fn of(&self, source: RowSource) -> &[usize] {
        match source {
            RowSource::Joint(id) => &self.joint_rows[id.0],
            RowSource::Driver(id) => &self.driver_rows[id.0],
            RowSource::Body(id) => &self.body_rows[id.0],
        }
    }
}
