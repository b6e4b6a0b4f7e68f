//! From a model to flat tables: attachments, rows in elimination order, blocks and slots.

use std::collections::BTreeSet;

use crate::joint::{self, RowKind};
use crate::marker::Attachment;
use crate::model::{Clearance, DriverId, JointId, Model};
use gudgeon_dae::linear::{Ldl, minimum_degree};

/// A planar rigid body: inverse masses, with stand-ins where the user gave none.
#[derive(Clone, Copy, Debug)]
pub struct RigidBody {
    pub mass: f64,
    pub inertia: f64,
    /// 1/m, 1/m, 1/J, from stand-ins where mass or inertia is missing.
    pub inverse: [f64; 3],
    /// Stand-in (m, m, J) of the directions without mass; 0 where the user gave one.
    pub stand_in: [f64; 3],
}

impl RigidBody {
    /// ½ (m v² + J ω²), real masses only.
    pub fn kinetic(&self, v: &[f64; 3]) -> f64 {
        0.5 * (self.mass * (v[0] * v[0] + v[1] * v[1]) + self.inertia * v[2] * v[2])
    }
}

/// A constraint row: primitive, markers, and where it comes from.
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
}

/// The part of a row on one moving body.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub row: usize,
    /// Body index minus one.
    pub body: usize,
    pub on_b: bool,
}

/// The blocks of one body, contiguous and sorted by row, and the slots of S their products go to:
/// S[slot] += G[i] · M⁻¹ G[j] for i and all j ≤ i.
#[derive(Clone, Debug)]
pub struct BodyBlocks {
    pub blocks: std::ops::Range<usize>,
    pub slots: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct ContactElement {
    pub joint: JointId,
    pub a: usize,
    pub b: usize,
    pub clearance: Clearance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    #[error("joint {} connects two frames of one body", .0.0)]
    SameBody(JointId),
    #[error("driver {} drives a joint without a free coordinate", .0.0)]
    NothingToDrive(DriverId),
}

/// The compiled, immutable mechanism.
#[derive(Clone, Debug)]
pub struct System {
    pub model: Model,
    /// Moving bodies; body i of the model is at i − 1.
    pub bodies: Vec<RigidBody>,
    pub attachments: Vec<Attachment>,
    pub rows: Vec<Row>,
    /// Sorted by body, then by row.
    pub blocks: Vec<Block>,
    pub by_body: Vec<BodyBlocks>,
    /// Markers that rows, contacts or forces use, in rising order.
    pub active: Vec<usize>,
    pub ldl: Ldl,
    pub contacts: Vec<ContactElement>,
    /// Size of the mechanism, m: the scale of positions.
    pub length: f64,
    pub has_stand_ins: bool,
}

impl System {
    /// Compiles all rows of the model.
    pub fn compile(model: &Model) -> Result<Self, CompileError> {
        let rows = all_rows(model)?;
        Ok(Self::with_rows(model, rows))
    }

    /// The same system without the given rows, which depend on the others.
    pub fn without_rows(&self, dropped: &[usize]) -> Self {
        let keep = |(i, row): (usize, &Row)| (!dropped.contains(&i)).then_some(*row);
        Self::with_rows(&self.model, self.rows.iter().enumerate().filter_map(keep).collect())
    }

    fn with_rows(model: &Model, rows: Vec<Row>) -> Self {
        let attachments: Vec<Attachment> = model.markers.iter().map(|m| attach(model, m)).collect();
        let rows = in_elimination_order(rows, &attachments);
        let blocks = blocks(&rows, &attachments);
        let pairs = coupled_rows(&blocks);
        let ldl = Ldl::new(rows.len(), &pairs);
        let by_body = by_body(&blocks, &ldl);
        let active = active_markers(model);
        let length = size_of(model);
        let bodies = bodies(model, length);
        let contacts = model
            .joints
            .iter()
            .enumerate()
            .filter_map(|(i, joint)| {
                let clearance = joint.clearance.clone()?;
                Some(ContactElement { joint: JointId(i), a: joint.a.0, b: joint.b.0, clearance })
            })
            .collect();
        let has_stand_ins = bodies.iter().any(|b| b.stand_in != [0.0; 3]);
        Self {
            model: model.clone(),
            bodies,
            attachments,
            rows,
            blocks,
            by_body,
            active,
            ldl,
            contacts,
            length,
            has_stand_ins,
        }
    }

    /// Name of the joint or driver a row belongs to.
    pub fn row_owner(&self, row: usize) -> &str {
        match self.rows[row].source {
            RowSource::Joint(id) => &self.model.joints[id.0].name,
            RowSource::Driver(id) => &self.model.drivers[id.0].name,
        }
    }

    /// Rows of a joint, in the order of its kind.
    pub fn rows_of(&self, source: RowSource) -> impl Iterator<Item = usize> + '_ {
        (0..self.rows.len()).filter(move |&i| self.rows[i].source == source)
    }

    pub fn contact_of(&self, joint: JointId) -> Option<usize> {
        self.contacts.iter().position(|c| c.joint == joint)
    }
}

fn all_rows(model: &Model) -> Result<Vec<Row>, CompileError> {
    let mut rows = Vec::new();
    for (i, joint) in model.joints.iter().enumerate() {
        let id = JointId(i);
        if model.markers[joint.a.0].body == model.markers[joint.b.0].body {
            return Err(CompileError::SameBody(id));
        }
        if joint.clearance.is_none() {
            rows.extend(joint::rows(joint.kind).iter().map(|&kind| Row {
                kind,
                a: joint.a.0,
                b: joint.b.0,
                source: RowSource::Joint(id),
            }));
        }
    }
    for (i, driver) in model.drivers.iter().enumerate() {
        let joint = &model.joints[driver.joint.0];
        let id = DriverId(i);
        let kind = joint::driver_row(joint.kind).ok_or(CompileError::NothingToDrive(id))?;
        rows.push(Row { kind, a: joint.a.0, b: joint.b.0, source: RowSource::Driver(id) });
    }
    Ok(rows)
}

fn attach(model: &Model, marker: &crate::model::Marker) -> Attachment {
    let body = marker.body.0;
    let angle = marker.local.planar_angle();
    let (sin, cos) = angle.sin_cos();
    Attachment { body, offset: marker.local.p - model.bodies[body].centre, angle, turn: (cos, sin) }
}

fn in_elimination_order(rows: Vec<Row>, attachments: &[Attachment]) -> Vec<Row> {
    let pairs = coupled_rows(&blocks(&rows, attachments));
    minimum_degree(rows.len(), &pairs).into_iter().map(|i| rows[i]).collect()
}

fn blocks(rows: &[Row], attachments: &[Attachment]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (row, r) in rows.iter().enumerate() {
        for (marker, on_b) in [(r.a, false), (r.b, true)] {
            if let Some(body) = attachments[marker].body.checked_sub(1) {
                blocks.push(Block { row, body, on_b });
            }
        }
    }
    blocks.sort_by_key(|block| (block.body, block.row));
    blocks
}

/// Blocks of one body each.
fn groups(blocks: &[Block]) -> impl Iterator<Item = &[Block]> {
    blocks.chunk_by(|a, b| a.body == b.body)
}

/// Pairs of different rows that share a body.
fn coupled_rows(blocks: &[Block]) -> Vec<(usize, usize)> {
    let mut pairs = BTreeSet::new();
    for group in groups(blocks) {
        for (i, later) in group.iter().enumerate() {
            pairs.extend(group[..i].iter().map(|earlier| (later.row, earlier.row)));
        }
    }
    pairs.into_iter().collect()
}

fn by_body(blocks: &[Block], ldl: &Ldl) -> Vec<BodyBlocks> {
    let mut start = 0;
    groups(blocks)
        .map(|group| {
            let range = start..start + group.len();
            start = range.end;
            let slots = group
                .iter()
                .enumerate()
                .flat_map(|(i, a)| group[..=i].iter().map(|b| ldl.slot(a.row, b.row)))
                .collect();
            BodyBlocks { blocks: range, slots }
        })
        .collect()
}

fn active_markers(model: &Model) -> Vec<usize> {
    let mut active = BTreeSet::new();
    for joint in &model.joints {
        active.extend([joint.a.0, joint.b.0]);
    }
    for force in &model.forces {
        let (a, b) = crate::force::ends(&force.kind);
        active.extend([a, b]);
    }
    active.into_iter().collect()
}

/// Largest distance between markers of one body or of the ground, and at least from their origin.
fn size_of(model: &Model) -> f64 {
    let mut size = 0.0f64;
    for a in &model.markers {
        let centre = model.bodies[a.body.0].centre;
        size = size.max((a.local.p - centre).norm());
        for b in model.markers.iter().filter(|b| b.body == a.body) {
            size = size.max((a.local.p - b.local.p).norm());
        }
    }
    if size > 0.0 { size } else { 1.0 }
}

fn bodies(model: &Model, length: f64) -> Vec<RigidBody> {
    let given: Vec<f64> = model.bodies.iter().filter_map(|b| b.mass).collect();
    let typical =
        if given.is_empty() { 1.0 } else { given.iter().sum::<f64>() / given.len() as f64 };
    let stand_in = [typical, typical, typical * length * length];
    model.bodies[1..]
        .iter()
        .map(|body| {
            let real = [body.mass, body.mass, body.inertia];
            RigidBody {
                mass: body.mass.unwrap_or(0.0),
                inertia: body.inertia.unwrap_or(0.0),
                inverse: std::array::from_fn(|i| 1.0 / real[i].unwrap_or(stand_in[i])),
                stand_in: std::array::from_fn(
                    |i| if real[i].is_some() { 0.0 } else { stand_in[i] },
                ),
            }
        })
        .collect()
}
