//! From a model to flat tables: attachments, rows in elimination order, blocks and slots.

use std::collections::BTreeSet;
use std::ops::Range;

use gudgeon_dae::linear::{Ldl, minimum_degree};

use super::body::{RigidBody, bodies};
use crate::clearance::contact::ContactMemory;
use crate::clearance::geometry::Spot;
use crate::film::Lubricant;
use crate::joint::{self, RowKind};
use crate::marker::{Attachment, Formulation};
use crate::math::spatial::{Axis, Frame};
use crate::model::{
    Axial, Clearance, Coordinate, DriverId, ForceKind, Form, Joint, JointId, MarkerId, Model, Space,
};

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
    /// The marker on that body, and whether it is side b of the row.
    pub marker: usize,
    pub on_b: bool,
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

/// A spot of a joint with play; `clearance` holds the gap and the law of this spot.
#[derive(Clone, Debug)]
pub struct ContactElement {
    pub joint: JointId,
    pub a: usize,
    pub b: usize,
    pub spot: Spot,
    pub clearance: Clearance,
}

impl ContactElement {
    /// Its joint, and the spot where the joint has several.
    pub fn name(&self, model: &Model) -> String {
        let joint = &model.joints[self.joint.0].name;
        match self.spot.name() {
            "" => joint.clone(),
            spot => format!("{joint}.{spot}"),
        }
    }
}

/// The film of a joint.
#[derive(Clone, Debug)]
pub struct FilmElement {
    pub joint: JointId,
    pub a: usize,
    pub b: usize,
    pub lubricant: Lubricant,
    /// Contacts of the joint.
    pub contacts: Range<usize>,
}

impl FilmElement {
    /// Whether a contact of the joint has begun.
    pub fn touches(&self, memory: &[ContactMemory]) -> bool {
        memory[self.contacts.clone()].iter().any(ContactMemory::in_contact)
    }
}

/// Lengths of the parts of the state y = (q, v, z, w) and where each kind of quadrature starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub q: usize,
    pub v: usize,
    /// σ of every contact.
    pub roots: usize,
    pub drivers: usize,
    pub forces: usize,
    /// Works of the contacts, two each.
    pub contacts: usize,
    /// Works of the films: shear and pumping each.
    pub films: usize,
    /// Angles counted over turns.
    pub turns: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    #[error("joint {} connects two frames of one body", .0.0)]
    SameBody(JointId),
    #[error("driver {} drives a joint without this free coordinate", .0.0)]
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
    pub films: Vec<FilmElement>,
    /// Markers whose angle about z is counted over turns: of joints first, then of torsion springs.
    pub turns: Vec<(usize, usize)>,
    pub joint_turns: Vec<Option<usize>>,
    pub force_turns: Vec<Option<usize>>,
    pub layout: Layout,
    /// Size of the mechanism, m: the scale of positions.
    pub length: f64,
    pub has_artificial_masses: bool,
    /// Number of rows that depend on the others wherever the mechanism goes.
    pub redundancy: usize,
}

impl System {
    /// Compiles all rows of the model.
    pub fn compile(model: &Model) -> Result<Self, CompileError> {
        let rows = all_rows(model)?;
        Ok(Self::with_rows(model, rows))
    }

    /// Compiles the model with every clearance joint ideal, its journal held at the start offset from
    /// the bearing's centre. Drivers measure from the bearing's own frame as before.
    pub fn compile_ideal(model: &Model) -> Result<Self, CompileError> {
        let mut ideal = model.clone();
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
        let mut system = Self::with_rows(&ideal, rows);
        // A start offset is no size of the mechanism, even where everything else lies in one point.
        system.length = size_of(model);
        Ok(system)
    }

    /// The same system without the given rows.
    pub fn without_rows(&self, dropped: &[usize]) -> Self {
        let mut keep = vec![true; self.rows.len()];
        dropped.iter().for_each(|&row| keep[row] = false);
        let kept = self.rows.iter().zip(keep).filter_map(|(row, keep)| keep.then_some(*row));
        Self { length: self.length, ..Self::with_rows(&self.model, kept.collect()) }
    }

    fn with_rows(model: &Model, rows: Vec<Row>) -> Self {
        let length = size_of(model);
        let bodies = bodies(model, length);
        let attach = |m: &crate::model::Marker| attachment(model, &bodies, m.body.0, &m.local);
        let attachments: Vec<Attachment> = model.markers.iter().map(attach).collect();
        let rows = in_elimination_order(rows, &attachments);
        let blocks = blocks(&rows, &attachments);
        let pairs = coupled_rows(&blocks);
        let ldl = Ldl::new(rows.len(), &pairs);
        let by_body = by_body(&blocks, &bodies, &ldl);
        let contacts: Vec<ContactElement> =
            (0..model.joints.len()).flat_map(|i| spots(model, JointId(i))).collect();
        let films = films(model, &contacts);
        let (turns, joint_turns, force_turns) = counted_turns(model);
        Self {
            active: active_markers(model, &rows),
            layout: layout(model, &bodies, contacts.len(), films.len(), turns.len()),
            has_artificial_masses: bodies.iter().any(|b| b.artificial != [0.0; 6]),
            model: model.clone(),
            bodies,
            attachments,
            rows,
            blocks,
            by_body,
            ldl,
            contacts,
            films,
            turns,
            joint_turns,
            force_turns,
            length,
            redundancy: 0,
        }
    }

    /// Name of the joint or driver a row belongs to.
    pub fn row_owner(&self, row: usize) -> &str {
        match self.rows[row].source {
            RowSource::Joint(id) => &self.model.joints[id.0].name,
            RowSource::Driver(id) => &self.model.drivers[id.0].name,
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

    /// Rows of a joint or driver, in elimination order.
    pub fn rows_of(&self, source: RowSource) -> impl Iterator<Item = usize> + '_ {
        (0..self.rows.len()).filter(move |&i| self.rows[i].source == source)
    }

    /// Contacts of a joint, consecutive.
    pub fn contacts_of(&self, joint: JointId) -> Range<usize> {
        let first = self.contacts.iter().position(|c| c.joint == joint).unwrap_or(0);
        let count = self.contacts.iter().filter(|c| c.joint == joint).count();
        first..first + count
    }

    /// The film of a joint.
    pub fn film_of(&self, joint: JointId) -> Option<usize> {
        self.films.iter().position(|film| film.joint == joint)
    }

    /// Name of a contact: its joint, and the spot where the joint has several.
    pub fn contact_name(&self, contact: usize) -> String {
        self.contacts[contact].name(&self.model)
    }

    /// Whether velocity `i` is a rotation, which has no length to be scaled by.
    pub fn is_rotation(&self, i: usize) -> bool {
        // All bodies of a model have one formulation.
        self.bodies.first().is_some_and(|body| {
            i % body.formulation.velocities() >= body.formulation.translations()
        })
    }

    /// Unit of velocity `i` as a multiple of the mechanism's size.
    pub fn unit(&self, i: usize) -> f64 {
        if self.is_rotation(i) { 1.0 } else { self.length }
    }

    /// Moves q by a displacement in the directions of v.
    pub fn displace(&self, q: &mut [f64], by: &[f64]) {
        for body in &self.bodies {
            body.displace(&mut q[body.coordinates()], &by[body.velocities()]);
        }
    }

    /// An attachment for any place on a body of the model, in its own axes.
    pub fn attach(&self, body: usize, local: &Frame) -> Attachment {
        attachment(&self.model, &self.bodies, body, local)
    }
}

fn attachment(model: &Model, bodies: &[RigidBody], body: usize, local: &Frame) -> Attachment {
    let offset = local.p - model.bodies[body].centre;
    let inner = match body.checked_sub(1) {
        Some(moving) => bodies[moving].axes.transpose(),
        None => nalgebra::Matrix3::identity(),
    };
    Attachment { body, offset: inner * offset, turn: inner * local.r, angle: local.planar_angle() }
}

fn all_rows(model: &Model) -> Result<Vec<Row>, CompileError> {
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

/// Rows of a joint; play leaves at most the hold along the axis.
fn joint_rows(joint: &Joint, space: Space) -> Vec<RowKind> {
    match &joint.clearance {
        None => joint::rows(joint.kind, space),
        Some(Clearance { form: Form::Journal { axial: Axial::Fixed, .. }, .. }) => {
            vec![RowKind::Slide(Axis::Z)]
        }
        Some(_) => Vec::new(),
    }
}

/// The spots of a joint with play.
pub(crate) fn spots(model: &Model, id: JointId) -> Vec<ContactElement> {
    let joint = &model.joints[id.0];
    let Some(clearance) = &joint.clearance else { return Vec::new() };
    let mut clearance = clearance.clone();
    if let Some(Lubricant { roughness: Some(height), hybrid: true, .. }) = clearance.film {
        // Rough surfaces touch at their peaks.
        clearance.radial -= height;
    }
    let element = |spot: Spot| {
        let clearance = clearance.clone();
        ContactElement { joint: id, a: joint.a.0, b: joint.b.0, spot, clearance }
    };
    match clearance.form {
        Form::Pin => vec![element(Spot::Pin)],
        Form::Ball => vec![element(Spot::Ball)],
        Form::Guide { length, width } => [(0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)]
            .map(|(x, y)| element(Spot::Corner { x: x * length, y: y * width }))
            .to_vec(),
        Form::Journal { length, axial, .. } => {
            let plane = axial != Axial::Fixed;
            let base = |half: f64| element(Spot::Base { offset: half * length, plane });
            let mut spots = vec![base(0.5), base(-0.5)];
            if let Axial::Play { clearance, radius, normal } = axial {
                spots.extend([true, false].map(|positive| {
                    let mut flange = element(Spot::Flange { positive, radius });
                    (flange.clearance.radial, flange.clearance.normal) = (clearance, normal);
                    flange
                }));
            }
            spots
        }
    }
}

fn films(model: &Model, contacts: &[ContactElement]) -> Vec<FilmElement> {
    let of = |(i, joint): (usize, &Joint)| {
        let lubricant = joint.clearance.as_ref()?.film.clone()?;
        let of_joint = |contact: &ContactElement| contact.joint == JointId(i);
        let first = contacts.iter().position(of_joint).unwrap_or(0);
        let count = contacts.iter().filter(|contact| of_joint(contact)).count();
        Some(FilmElement {
            joint: JointId(i),
            a: joint.a.0,
            b: joint.b.0,
            lubricant,
            contacts: first..first + count,
        })
    };
    model.joints.iter().enumerate().filter_map(of).collect()
}

type Turns = (Vec<(usize, usize)>, Vec<Option<usize>>, Vec<Option<usize>>);

/// Which angles are counted: in space, those of joints that leave one free and of torsion springs.
/// Planar bodies count theirs in their coordinates.
fn counted_turns(model: &Model) -> Turns {
    let mut turns = Vec::new();
    let spatial = model.space == Space::Spatial;
    let mut count = |counts: bool, a: usize, b: usize| {
        (counts && spatial).then(|| {
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

fn layout(
    model: &Model,
    bodies: &[RigidBody],
    contacts: usize,
    film_count: usize,
    turns: usize,
) -> Layout {
    let q = bodies.last().map_or(0, |body| body.coordinates().end);
    let v = bodies.last().map_or(0, |body| body.velocities().end);
    let roots = q + v;
    let drivers = roots + contacts;
    let forces = drivers + model.drivers.len();
    let works = forces + model.forces.len();
    let films = works + 2 * contacts;
    let angles = films + 2 * film_count;
    let end = angles + turns;
    Layout { q, v, roots, drivers, forces, contacts: works, films, turns: angles, end }
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
                blocks.push(Block { row, body, marker, on_b });
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

fn by_body(blocks: &[Block], bodies: &[RigidBody], ldl: &Ldl) -> Vec<BodyBlocks> {
    let (mut start, mut entry) = (0, 0);
    groups(blocks)
        .map(|group| {
            let body = group[0].body;
            let formulation = bodies[body].formulation;
            let range = start..start + group.len();
            let entries = entry..entry + group.len() * formulation.velocities();
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

fn active_markers(model: &Model, rows: &[Row]) -> Vec<usize> {
    let mut active: BTreeSet<usize> = rows.iter().flat_map(|row| [row.a, row.b]).collect();
    for joint in &model.joints {
        active.extend([joint.a.0, joint.b.0]);
    }
    for force in &model.forces {
        let (a, b) = crate::force::ends(&force.kind);
        active.extend([a, b]);
    }
    active.into_iter().collect()
}

/// Of bodies with more markers than this the size is taken from the box around them.
const MANY: usize = 1000;

fn size_of(model: &Model) -> f64 {
    Widest::of(model).0
}

/// What the size of a mechanism is measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Widest {
    /// A body, and its outermost marker where that is known.
    Body {
        body: usize,
        marker: Option<usize>,
    },
    Bearing(JointId),
    Nothing,
}

impl Widest {
    /// The largest distance between markers of one body or of the ground, and at least from their
    /// centre, or the largest bearing; 1 m where all lies in one point.
    pub fn of(model: &Model) -> (f64, Self) {
        let mut by_body: Vec<Vec<(nalgebra::Vector3<f64>, Option<usize>)>> =
            model.bodies.iter().map(|body| vec![(body.centre, None)]).collect();
        for (i, marker) in model.markers.iter().enumerate() {
            by_body[marker.body.0].push((marker.local.p, Some(i)));
        }
        let mut widest = (0.0f64, Self::Nothing);
        for (body, places) in by_body.iter().enumerate() {
            if places.len() > MANY {
                let first = (places[0].0, places[0].0);
                let (low, high) =
                    places[1..].iter().fold(first, |(low, high), (p, _)| (low.inf(p), high.sup(p)));
                let size = (high - low).norm();
                if size > widest.0 {
                    widest = (size, Self::Body { body, marker: None });
                }
                continue;
            }
            for (i, a) in places.iter().enumerate() {
                for b in &places[..i] {
                    let size = (a.0 - b.0).norm();
                    if size > widest.0 {
                        let outer = if a.0.norm() >= b.0.norm() { a } else { b };
                        widest = (size, Self::Body { body, marker: outer.1 });
                    }
                }
            }
        }
        for (i, joint) in model.joints.iter().enumerate() {
            let radius = joint.clearance.as_ref().map_or(0.0, |clearance| clearance.bearing_radius);
            if radius > widest.0 {
                widest = (radius, Self::Bearing(JointId(i)));
            }
        }
        if widest.0 > 0.0 { widest } else { (1.0, Self::Nothing) }
    }
}
