//! Beams in absolute nodal coordinates: chains of nodes, each a place and gradients.
//!
//! Everything at a place of the line is linear in the coordinates of one node or of two neighbours, so markers
//! move few columns, M is constant and there are no gyroscopic terms. A section has axes by its gradients
//! (`triad.rs`), or by the tangent alone (`tangent.rs`). Elastic forces are those of `crate::beam`.
//!
//! M = m ⊗ 1 with a scalar band m. Rows touch few nodes, so the columns of m⁻¹ that they need are found once:
//!
//!   M⁻¹ Gᵀ = Σ_j (m⁻¹)_j ⊗ g_j                                                              (1)

use nalgebra::{Matrix3, Vector3};

use super::rigid::{BodyState, RigidBody};
use super::tangent::{Tangent, Tilted};
use super::triad::{self, InternalRow, Triad};
use crate::beam::{Beam, Site};
use crate::flexible::{EndSection, Flexible};
use crate::marker::{Attachment, MarkerState, Variation};
use crate::math::spatial::{Frame, Twist, Wrench};
use crate::model::{Body, Space};

/// Most columns that a marker moves: two nodes with twelve coordinates.
pub const COLUMNS: usize = 24;

/// A flexible body.
#[derive(Clone, Debug)]
pub struct BeamBody {
    /// Moving body of the model, from 0.
    pub body: usize,
    /// Where its coordinates and velocities start in q and v.
    pub q: usize,
    pub v: usize,
    pub beam: Beam,
    planar: bool,
    /// kg.
    mass: f64,
    /// α of `chord.rs`, 1/s.
    pub(super) mass_damping: f64,
    pub(crate) strain_damping: bool,
    /// Undeformed coordinates in inner axes.
    reference: Vec<f64>,
    /// Nodes whose gradients stay orthonormal.
    rigid_nodes: Vec<usize>,
    /// The middle of the line, which stands for the axes of the body, and its undeformed axes in inner axes.
    middle: Site,
    middle_axes: Matrix3<f64>,
    /// Place of each scalar column in `inverse`, where rows need it.
    column: Vec<u32>,
    /// Columns of m⁻¹ one after the other.
    inverse: Vec<f64>,
}

/// What a section is seen by.
#[expect(
    clippy::large_enum_variant,
    reason = "one array of all sections, written in every evaluation"
)]
#[derive(Clone, Copy, Debug)]
pub enum SectionAxes {
    Gradients(Triad),
    Tangent(Tangent),
}

/// A section at one instant: which vectors it depends on, and its axes.
#[derive(Clone, Copy, Debug)]
pub struct SectionState {
    pub site: Site,
    pub axes: SectionAxes,
}

impl SectionState {
    /// Its place and axes.
    pub fn frame(&self) -> Frame {
        match &self.axes {
            SectionAxes::Gradients(triad) => Frame { p: triad.p, r: triad.r },
            SectionAxes::Tangent(tangent) => Frame { p: tangent.p, r: tangent.r },
        }
    }
}

/// What a section does along a column.
#[derive(Clone, Copy, Debug)]
pub enum SectionMoved {
    Gradients(triad::Moved),
    Tangent(Tilted),
}

impl BeamBody {
    pub fn new(
        index: usize,
        rigid: &RigidBody,
        body: &Body,
        flexible: &Flexible,
        space: Space,
    ) -> Self {
        let beam = Beam::new(flexible, space);
        let planar = space == Space::Planar;
        let d = beam.dimension();
        let inner = rigid.axes.transpose();
        let mut reference = beam.reference().to_vec();
        for (k, vector) in reference.chunks_exact_mut(d).enumerate() {
            let mut x = Vector3::zeros();
            x.as_mut_slice()[..d].copy_from_slice(vector);
            let from = if k % beam.vectors() == 0 { body.centre } else { Vector3::zeros() };
            let x = inner * (x - from);
            vector.copy_from_slice(&x.as_slice()[..d]);
        }
        let ends = [0, beam.nodes() - 1].into_iter().zip(flexible.ends);
        let rigid_nodes = match beam.vectors() {
            2 => Vec::new(),
            _ => ends.filter(|(_, end)| *end == EndSection::Rigid).map(|(node, _)| node).collect(),
        };
        let middle = beam.site(0.5);
        let mut made = Self {
            body: index,
            q: rigid.q,
            v: rigid.v,
            column: vec![u32::MAX; beam.nodes() * beam.vectors()],
            inverse: Vec::new(),
            planar,
            mass: beam.mass_properties().mass,
            mass_damping: flexible.damping.mass,
            strain_damping: flexible.damping.strain > 0.0,
            reference,
            rigid_nodes,
            middle,
            middle_axes: Matrix3::identity(),
            beam,
        };
        made.middle_axes = made.undeformed(&middle).1;
        made
    }

    /// Number of its coordinates and velocities.
    pub fn size(&self) -> usize {
        self.beam.size()
    }

    /// Place and axes of the undeformed section in inner axes.
    fn undeformed(&self, site: &Site) -> (Vector3<f64>, Matrix3<f64>) {
        let axes = self.axes_of(site, &self.reference, &vec![0.0; self.reference.len()]);
        match axes {
            SectionAxes::Gradients(triad) => (triad.p, triad.r),
            SectionAxes::Tangent(tangent) => (tangent.p, tangent.r),
        }
    }

    /// Where a pose in inner axes attaches: along, and from the section in its axes.
    pub fn attach(
        &self,
        flexible: &Flexible,
        own: &Frame,
        inner: &Frame,
    ) -> (f64, Vector3<f64>, Matrix3<f64>) {
        let along = flexible.nearest(&own.p);
        let site = self.beam.site(along);
        let (p, r) = self.undeformed(&site);
        let offset =
            match self.section(&site, &self.reference, &vec![0.0; self.reference.len()]).axes {
                SectionAxes::Gradients(triad) => {
                    let inverse = triad.e.try_inverse().unwrap_or(triad.r.transpose());
                    inverse * (inner.p - p)
                }
                SectionAxes::Tangent(_) => r.tr_mul(&(inner.p - p)),
            };
        // What is on the line but for rounding is on it.
        let size = self.beam.element_length();
        let offset = offset.map(|x| if x.abs() < 1e-12 * size { 0.0 } else { x });
        (along, offset, r.tr_mul(&inner.r))
    }

    /// The vector of a scalar column in coordinates that start with the beam.
    pub(super) fn vector(&self, x: &[f64], scalar: usize) -> Vector3<f64> {
        let d = self.beam.dimension();
        let x = &x[scalar * d..];
        Vector3::new(x[0], x[1], if d == 3 { x[2] } else { 0.0 })
    }

    /// P and E of a section; the third gradient of a planar one is given.
    fn vectors(&self, site: &Site, x: &[f64], third: f64) -> (Vector3<f64>, Matrix3<f64>) {
        let [rx, ry, rz] = site.gradients(x);
        let z = if self.planar { Vector3::new(0.0, 0.0, third) } else { rz };
        (site.place(x), Matrix3::from_columns(&[rx, ry, z]))
    }

    fn axes_of(&self, site: &Site, q: &[f64], v: &[f64]) -> SectionAxes {
        if self.beam.vectors() == 2 {
            let of = |x: &[f64]| (site.place(x), site.gradients(x)[0]);
            return SectionAxes::Tangent(Tangent::new(of(q), of(v), self.planar));
        }
        SectionAxes::Gradients(Triad::new(self.vectors(site, q, 1.0), self.vectors(site, v, 0.0)))
    }

    /// A section for coordinates and velocities that start with the beam.
    pub fn section(&self, site: &Site, q: &[f64], v: &[f64]) -> SectionState {
        SectionState { site: *site, axes: self.axes_of(site, q, v) }
    }

    /// The same at a place along the line, in whole q and v.
    pub fn section_at(&self, along: f64, q: &[f64], v: &[f64]) -> SectionState {
        self.section(&self.beam.site(along), &q[self.q..], &v[self.v..])
    }

    /// Columns of a section, from the first of the beam.
    pub fn support(&self, site: &Site) -> std::ops::Range<usize> {
        site.first..site.first + site.vectors * site.dimension
    }

    /// Pose and velocity: the mass centre, axes by the middle of the line.
    pub fn body_state(&self, q: &[f64], v: &[f64]) -> BodyState {
        self.body_state_of((&q[self.q..], &v[self.v..]))
    }

    /// The same by its own coordinates and velocities.
    pub(in crate::system) fn body_state_of(&self, (q, v): (&[f64], &[f64])) -> BodyState {
        let mut state = match self.axes_of(&self.middle, q, v) {
            SectionAxes::Gradients(triad) => triad.body_state(),
            SectionAxes::Tangent(tangent) => tangent.body_state(),
        };
        state.frame.r *= self.middle_axes.transpose();
        state.angle = state.frame.planar_angle();
        (state.frame.p, state.twist.v) = (self.centre(q), self.centre(v));
        state
    }

    /// Motion of the mass centre and turn of the middle for a small motion of its coordinates.
    pub fn small_motion(&self, q: &[f64], v: &[f64], by: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        let section = self.section(&self.middle, &q[self.q..], &v[self.v..]);
        let turn = self.acceleration(&section, &Vector3::zeros(), by).w;
        (self.centre(by), turn)
    }

    /// Mean of the places of coordinates that start with the beam, by mass.
    fn centre(&self, x: &[f64]) -> Vector3<f64> {
        let all = self.beam.weights_of_gravity().iter().enumerate();
        let sum = all.fold(Vector3::zeros(), |sum, (k, w)| sum + self.vector(x, k) * *w);
        sum / self.mass
    }

    /// Coordinates and velocities of the undeformed beam at a pose and twist of its inner axes.
    pub fn write_state(&self, state: &BodyState, q: &mut [f64], v: &mut [f64]) {
        let d = self.beam.dimension();
        for k in 0..self.beam.nodes() * self.beam.vectors() {
            let turned = state.frame.r * self.vector(&self.reference, k);
            let rate = state.twist.w.cross(&turned);
            let (x, rate) = match k % self.beam.vectors() {
                0 => (state.frame.p + turned, state.twist.v + rate),
                _ => (turned, rate),
            };
            q[k * d..(k + 1) * d].copy_from_slice(&x.as_slice()[..d]);
            v[k * d..(k + 1) * d].copy_from_slice(&rate.as_slice()[..d]);
        }
    }

    /// Velocities of every element.
    pub fn elements(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let node = self.beam.node_size();
        (0..self.beam.nodes() - 1).map(move |k| {
            let first = self.v + k * node;
            first..first + 2 * node
        })
    }

    /// Whether a column is a length, from the first of the beam; the others are gradients.
    pub fn is_length(&self, column: usize) -> bool {
        column % self.beam.node_size() < self.beam.dimension()
    }

    /// Fastest node and fastest gradient.
    pub fn speeds(&self, v: &[f64]) -> (f64, f64) {
        let (mut linear, mut angular) = (0.0f64, 0.0f64);
        for k in 0..self.column.len() {
            let size = self.vector(v, k).norm_squared();
            let most = if k % self.beam.vectors() == 0 { &mut linear } else { &mut angular };
            *most = most.max(size);
        }
        (linear.sqrt(), angular.sqrt())
    }

    /// Weight and elastic forces, for coordinates that start with the beam.
    pub fn own_forces(
        &self,
        gravity: &Vector3<f64>,
        (q, v): (&[f64], &[f64]),
        scratch: &mut [f64],
        f: &mut [f64],
    ) {
        let d = self.beam.dimension();
        for (f, weight) in f.chunks_exact_mut(d).zip(self.beam.weights_of_gravity()) {
            f.iter_mut().zip(gravity.iter()).for_each(|(f, g)| *f = weight * g);
        }
        self.beam.add_forces(q, v, f);
        if self.mass_damping > 0.0 {
            self.add_chord_damping(q, v, scratch, f);
        }
    }

    /// Entries of m, lower triangle.
    pub fn masses(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.beam.mass().filter(|(_, _, m)| *m != 0.0)
    }

    /// ½ vᵀ M v.
    pub fn kinetic(&self, v: &[f64]) -> f64 {
        let product = |i: usize, j: usize| self.vector(v, i).dot(&self.vector(v, j));
        let twice =
            |(i, j, m): (usize, usize, f64)| m * product(i, j) * if i == j { 1.0 } else { 2.0 };
        0.5 * self.masses().map(twice).sum::<f64>()
    }

    /// Whether its deformation is damped.
    pub fn is_damped(&self) -> bool {
        self.strain_damping || self.mass_damping > 0.0
    }

    /// Power that damping takes, W.
    pub fn dissipation(&self, q: &[f64], v: &[f64]) -> f64 {
        let own = self.beam.dissipation(q, v);
        match self.mass_damping > 0.0 {
            true => own + self.chord_dissipation(q, v),
            false => own,
        }
    }

    /// Finds the columns of m⁻¹ that rows at some columns need.
    pub fn need_inverse(&mut self, columns: std::ops::Range<usize>) {
        let (d, n) = (self.beam.dimension(), self.column.len());
        for scalar in columns.start / d..columns.end.div_ceil(d) {
            if self.column[scalar] != u32::MAX {
                continue;
            }
            let mut unit = vec![0.0; n * d];
            unit[scalar * d] = 1.0;
            self.beam.solve_masses(&mut unit);
            self.column[scalar] = (self.inverse.len() / n) as u32;
            self.inverse.extend(unit.iter().step_by(d));
        }
    }

    /// (1) for entries g in some columns; the rest of `mg` is overwritten.
    pub fn solve_row(&self, columns: std::ops::Range<usize>, g: &[f64], mg: &mut [f64]) {
        mg.fill(0.0);
        match self.beam.dimension() {
            2 => self.add_inverse::<2>(columns, g, mg),
            _ => self.add_inverse::<3>(columns, g, mg),
        }
    }

    fn add_inverse<const D: usize>(
        &self,
        columns: std::ops::Range<usize>,
        g: &[f64],
        mg: &mut [f64],
    ) {
        let n = self.column.len();
        let first = columns.start / D;
        let g = g[columns].as_chunks::<D>().0;
        for (k, g) in g.iter().enumerate() {
            let inverse = &self.inverse[self.column[first + k] as usize * n..][..n];
            for (out, inverse) in mg.as_chunks_mut::<D>().0.iter_mut().zip(inverse) {
                for c in 0..D {
                    out[c] += inverse * g[c];
                }
            }
        }
    }

    /// Which internal rows it has.
    pub fn internal_rows(&self) -> impl Iterator<Item = InternalRow> + '_ {
        let planar = self.planar;
        let own = move |row: &InternalRow| !planar || (row.i < 2 && row.j < 2);
        self.rigid_nodes.iter().flat_map(move |&node| {
            InternalRow::ALL.into_iter().filter(own).map(move |row| InternalRow { node, ..row })
        })
    }

    /// Place of a node, of coordinates that start with the beam.
    pub fn node_place(&self, node: usize, x: &[f64]) -> Vector3<f64> {
        self.vector(x, node * self.beam.vectors())
    }

    /// Columns of a node.
    pub fn node_columns(&self, node: usize) -> std::ops::Range<usize> {
        node * self.beam.node_size()..(node + 1) * self.beam.node_size()
    }

    /// E of a node, of coordinates that start with the beam or of their rates.
    pub fn gradients(&self, node: usize, x: &[f64], third: f64) -> Matrix3<f64> {
        let first = node * self.beam.vectors();
        let z = match self.planar {
            true => Vector3::new(0.0, 0.0, third),
            false => self.vector(x, first + 3),
        };
        Matrix3::from_columns(&[self.vector(x, first + 1), self.vector(x, first + 2), z])
    }

    /// Forces on the gradients of a node, into the columns of the node.
    pub fn write_node(&self, on_e: &Matrix3<f64>, out: &mut [f64]) {
        let d = self.beam.dimension();
        out[..d].fill(0.0);
        for i in 0..self.beam.vectors() - 1 {
            out[(i + 1) * d..(i + 2) * d].copy_from_slice(&on_e.column(i).as_slice()[..d]);
        }
    }

    /// What a unit of a column of a node changes E by.
    pub fn node_unit(&self, column: usize) -> Matrix3<f64> {
        let d = self.beam.dimension();
        let mut e = Matrix3::zeros();
        if let Some(i) = (column / d).checked_sub(1) {
            e[(column % d, i)] = 1.0;
        }
        e
    }

    /// What a unit of a column of a section moves P and E by.
    fn unit(&self, site: &Site, column: usize) -> (Vector3<f64>, Matrix3<f64>) {
        let d = self.beam.dimension();
        let (k, axis) = (column / d, Vector3::ith(column % d, 1.0));
        let [rx, ry, rz] = &site.gradients;
        let e = Matrix3::from_columns(&[axis * rx[k], axis * ry[k], axis * rz[k]]);
        (axis * site.place[k], e)
    }

    /// Spreads forces on P and E over the columns of a section.
    fn spread(&self, site: &Site, on_p: &Vector3<f64>, on_e: &Matrix3<f64>, out: &mut [f64]) {
        let d = self.beam.dimension();
        let [rx, ry, rz] = &site.gradients;
        let [e1, e2, e3] = [0, 1, 2].map(|i| on_e.column(i));
        for (k, out) in out[..site.vectors * d].chunks_exact_mut(d).enumerate() {
            for (c, out) in out.iter_mut().enumerate() {
                *out += on_p[c] * site.place[k] + e1[c] * rx[k] + e2[c] * ry[k] + e3[c] * rz[k];
            }
        }
    }

    /// Jᵀ w of a marker at s, over the columns of its section.
    pub fn reduce(&self, state: &SectionState, s: &Vector3<f64>, w: &Wrench, out: &mut [f64]) {
        out.fill(0.0);
        let (on_p, on_e) = match &state.axes {
            SectionAxes::Gradients(triad) => triad.reduce(s, w),
            SectionAxes::Tangent(tangent) => {
                let (on_p, on_u) = tangent.reduce(s, w);
                (on_p, along_line(on_u))
            }
        };
        self.spread(&state.site, &on_p, &on_e, out);
    }

    pub fn marker(&self, state: &SectionState, at: &Attachment) -> (MarkerState, Vector3<f64>) {
        let (mut marker, arm) = match &state.axes {
            SectionAxes::Gradients(triad) => triad.marker(at),
            SectionAxes::Tangent(tangent) => tangent.marker(at),
        };
        if self.planar {
            marker.angle = marker.frame.planar_angle();
        }
        (marker, arm)
    }

    /// J v̇ of a marker at s for accelerations that start with the beam, without its bias.
    pub fn acceleration(&self, state: &SectionState, s: &Vector3<f64>, a: &[f64]) -> Twist {
        let (p, e) = self.vectors(&state.site, a, 0.0);
        match &state.axes {
            SectionAxes::Gradients(triad) => triad.acceleration(s, &p, &e),
            SectionAxes::Tangent(tangent) => tangent.acceleration(s, &p, &e.column(0).into()),
        }
    }

    /// How a marker at s moves along a column of its section, and what the section does.
    pub fn position_variation(
        &self,
        state: &SectionState,
        s: &Vector3<f64>,
        column: usize,
    ) -> (Variation, SectionMoved) {
        let (p, e) = self.unit(&state.site, column);
        match &state.axes {
            SectionAxes::Gradients(triad) => {
                let (variation, moved) = triad.position_variation(s, &p, &e);
                (variation, SectionMoved::Gradients(moved))
            }
            SectionAxes::Tangent(tangent) => {
                let (variation, moved) = tangent.position_variation(s, &p, &e.column(0).into());
                (variation, SectionMoved::Tangent(moved))
            }
        }
    }

    /// How its velocity changes along a column.
    pub fn velocity_variation(
        &self,
        state: &SectionState,
        s: &Vector3<f64>,
        column: usize,
    ) -> Variation {
        let (p, e) = self.unit(&state.site, column);
        match &state.axes {
            SectionAxes::Gradients(triad) => triad.velocity_variation(s, &p, &e),
            SectionAxes::Tangent(tangent) => tangent.velocity_variation(s, &p, &e.column(0).into()),
        }
    }

    /// Change of Jᵀ w of a wrench that stays, added to `out`.
    pub fn add_turned(
        &self,
        state: &SectionState,
        s: &Vector3<f64>,
        now: &Wrench,
        by: &SectionMoved,
        out: &mut [f64],
    ) {
        let on_e = match (&state.axes, by) {
            (SectionAxes::Gradients(triad), SectionMoved::Gradients(by)) => {
                triad.couples_change(&now.t, by)
            }
            (SectionAxes::Tangent(tangent), SectionMoved::Tangent(by)) => {
                along_line(tangent.turned(s, now, by))
            }
            _ => Matrix3::zeros(),
        };
        self.spread(&state.site, &Vector3::zeros(), &on_e, out);
    }
}

/// Forces on E of which only the first gradient is there.
fn along_line(on_u: Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_columns(&[on_u, Vector3::zeros(), Vector3::zeros()])
}
