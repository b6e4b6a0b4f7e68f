//! The equations (3) of `mod.rs`, and accelerations from them.
//!
//! Every link gives the columns that its masses make of q̈, over frame and elastic coordinates,
//!
//!   c_k = M (V_k, ω_k, ∂T/∂q_k u)                                                                (1)
//!
//! and what stands against them, f − M (V̇_b, ω̇_b, 2 Ṫu̇ + T̈u), b at q̈ = 0. T adds both up at the nodes; the rigid motion of
//! the undeformed link adds them up as forces F and moments M about its frame. With the masses M_u = TᵀMT of u,
//!
//!   | C  D | | q̈ |   | F_q |       M_u = L D Lᵀ,  S = C − D M_u⁻¹B,  S q̈ = F_q − D M_u⁻¹F_u              (2)
//!   | B  M_u | | ü | = | F_u |
//!
//! whose cost grows with the elements as it does with the links.

use gudgeon_dae::Fault;
use gudgeon_dae::linear::Entries;
use nalgebra::{Matrix3, Vector3, Vector6};

use super::bodies::{RigidLink, RigidLinkState};
use super::place::of_node;
use super::rigid::LinkMotion;
use super::work::{ErlsWork, LinkWork};
use super::{EquivalentSystem, Link, Made, Source};
use crate::flexible::Virtual;
use crate::math::rotation::cross_matrix;
use crate::math::spatial::Twist;
use crate::system::compile::{RowSource, System};
use crate::system::component::{FloatingBody, FloatingState};
use crate::system::workspace::Workspace;

/// What of a link its inertia follows from.
#[derive(Clone, Copy)]
enum Inertia<'a> {
    Flexible(&'a FloatingBody, &'a FloatingState),
    Rigid(&'a RigidLink, &'a RigidLinkState),
}

impl Inertia<'_> {
    /// Freedoms of its frame.
    fn border(&self) -> usize {
        match self {
            Self::Flexible(body, _) => body.border(),
            Self::Rigid(body, _) => body.border(),
        }
    }

    /// Masses times accelerations of the frame, in the world and in its axes, and of elastic coordinates; with Z of the
    /// undeformed link where `undeformed` is given.
    fn product(
        &self,
        undeformed: Option<&[Matrix3<f64>]>,
        motion: (&Vector3<f64>, &Vector3<f64>),
        elastic: &[f64],
        out: &mut [f64],
    ) {
        match self {
            Self::Flexible(body, state) => {
                let z = undeformed.unwrap_or(&state.moments.z);
                body.mass_product(state, z, motion, elastic, out);
            }
            Self::Rigid(body, state) => body.mass_product(state, motion, elastic, out),
        }
    }

    /// Work of forces in a motion of the frame and of elastic coordinates.
    fn work_along(&self, by: &Twist, inner: &Vector3<f64>, elastic: &[f64], of: &[f64]) -> f64 {
        match self {
            Self::Flexible(body, _) => body.work_along(&by.v, inner, elastic, of),
            Self::Rigid(body, _) => body.work_along((&by.v, inner), elastic, of),
        }
    }
}

impl EquivalentSystem {
    /// v̇ of the state and of all links, reactions of driven joints and the power of what is left out.
    pub(in crate::system) fn accelerate(
        &self,
        system: &System,
        v: &[f64],
        work: &mut Workspace,
    ) -> Result<(), Fault> {
        let Some(mut own) = work.erls.take() else { return Ok(()) };
        if !own.placed.rigid.is_closed {
            work.erls = Some(own);
            return Err(Fault::Open { row: self.open_row(system) });
        }
        self.assemble(system, v, work, &mut own);
        let solved = self.solve(&mut own);
        self.spread(system, v, work, &mut own);
        self.react(system, work, &mut own);
        work.formulation_power = self.power(system, work, &mut own);
        work.erls = Some(own);
        solved
    }

    /// A row of the joint at which loops are cut.
    fn open_row(&self, system: &System) -> usize {
        let joint = self.rigid.cuts.first().map(|cut| RowSource::Joint(cut.joint));
        joint.and_then(|joint| system.rows_of(joint).next()).unwrap_or(0)
    }

    /// Masses and loads of (2).
    pub(in crate::system) fn assemble(
        &self,
        system: &System,
        v: &[f64],
        work: &Workspace,
        own: &mut ErlsWork,
    ) {
        let m = self.rigid.independent;
        own.load_u.fill(0.0);
        own.load_q.fill(0.0);
        own.square.fill(0.0);
        own.rows.iter_mut().chain(&mut own.columns).for_each(|row| row.fill(0.0));
        let mut links = std::mem::take(&mut own.links);
        for (l, (link, left)) in self.links.iter().zip(&mut links).enumerate() {
            let at = own.placed.bodies[l];
            let inertia = match &link.made {
                Made::Flexible(of) => Inertia::Flexible(&system.floating[*of], &work.floating[*of]),
                Made::Rigid(body) => Inertia::Rigid(body, &at),
            };
            self.load(l, inertia, &v[m..], work, (own, left));
            for k in 0..m {
                self.column(l, k, inertia, (own, left));
            }
            self.add_up(l, inertia, (own, left));
        }
        own.links = links;
        self.add_masses(own);
    }

    /// What stands against the masses of a link.
    fn load(
        &self,
        l: usize,
        inertia: Inertia<'_>,
        u_rate: &[f64],
        work: &Workspace,
        (own, left): (&ErlsWork, &mut LinkWork),
    ) {
        let link = &self.links[l];
        let LinkMotion { frame, bias, .. } = &own.placed.rigid.links[l];
        let inner = frame.r.tr_mul(&bias.w);
        let (c, g) = (link.terms.centrifugal, link.terms.coriolis);
        fill(link, &mut left.elastic, |cluster, member, freedom| {
            let at = &own.placed.clusters[cluster][member];
            let rate = || -> f64 {
                let columns = &self.clusters[cluster];
                let each = at.t_rate.iter().enumerate();
                each.map(|(k, t)| t[freedom] * self.value(columns, k, u_rate)).sum()
            };
            (if c { at.t_second[freedom] } else { 0.0 }) + if g { 2.0 * rate() } else { 0.0 }
        });
        let undeformed = (!c).then_some(&left.z[..]);
        inertia.product(undeformed, (&bias.v, &inner), &left.elastic, &mut left.load);
        let forces = match inertia {
            Inertia::Flexible(body, _) => &work.forces[body.v..body.v + body.size()],
            Inertia::Rigid(body, state) => {
                body.forces(state, &work.forces, &mut left.product);
                &left.product
            }
        };
        left.load.iter_mut().zip(forces).for_each(|(load, f)| *load = f - *load);
        if let (Inertia::Flexible(body, state), false) = (inertia, c && g) {
            self.leave_out(l, (body, state), u_rate, (own, left));
        }
    }

    /// Takes terms that are switched off out of inertia at q̈ = 0, ü = 0, which the forces contain.
    fn leave_out(
        &self,
        l: usize,
        (body, state): (&FloatingBody, &FloatingState),
        u_rate: &[f64],
        (own, left): (&ErlsWork, &mut LinkWork),
    ) {
        let link = &self.links[l];
        let (c, g) = (link.terms.centrifugal, link.terms.coriolis);
        let now = |i: usize, slower: f64| match link.sources[i] {
            Source::Own(_) if g => state.v[i],
            Source::Own(_) => 0.0,
            Source::Member { .. } => {
                (if g { slower } else { 0.0 }) + if c { state.v[i] - slower } else { 0.0 }
            }
        };
        fill(link, &mut left.elastic, |cluster, member, freedom| {
            let at = &own.placed.clusters[cluster][member];
            let columns = &self.clusters[cluster];
            let each = at.t.iter().enumerate();
            each.map(|(k, t)| t[freedom] * self.value(columns, k, u_rate)).sum()
        });
        for i in 0..left.elastic.len() {
            left.elastic[i] = now(i, left.elastic[i]);
        }
        body.link.integrals.products(&left.elastic, &mut left.z_rate);
        let spin = cross_matrix(&state.omega);
        let z = if c { &state.moments.z } else { &left.z };
        let exact = body.elastic_bias(&spin, &state.moments.z, &state.moments.z_rate);
        let used = body.elastic_bias(&spin, z, &left.z_rate);
        let load = &mut left.load[body.border()..];
        load.iter_mut()
            .zip(exact)
            .zip(used)
            .for_each(|((load, exact), used)| *load += exact - used);
    }

    /// (1).
    fn column(
        &self,
        l: usize,
        k: usize,
        inertia: Inertia<'_>,
        (own, left): (&ErlsWork, &mut LinkWork),
    ) {
        let link = &self.links[l];
        let c = link.terms.centrifugal;
        let by = self.rigid.columns(&own.placed.rigid, l)[k];
        fill(link, &mut left.elastic, |cluster, member, freedom| {
            if c { own.placed.clusters[cluster][member].by_angle[k][freedom] } else { 0.0 }
        });
        let undeformed = (!c).then_some(&left.z[..]);
        let inner = own.placed.rigid.links[l].frame.r.tr_mul(&by.w);
        inertia.product(undeformed, (&by.v, &inner), &left.elastic, &mut left.columns[k]);
    }

    /// Adds what a link gives to (2), its masses of u excepted.
    fn add_up(&self, l: usize, inertia: Inertia<'_>, (own, left): (&mut ErlsWork, &mut LinkWork)) {
        let (link, m, border) = (&self.links[l], self.rigid.independent, inertia.border());
        let r = own.placed.rigid.links[l].frame.r;
        let mut target = std::mem::take(&mut own.load_u);
        self.at_nodes(link, own, &left.load[border..], &mut target);
        own.load_u = target;
        for k in 0..m {
            let mut target = std::mem::take(&mut own.columns[k]);
            self.at_nodes(link, own, &left.columns[k][border..], &mut target);
            own.columns[k] = target;
        }
        for k in 0..m {
            let by = self.rigid.columns(&own.placed.rigid, l)[k];
            let inner = r.tr_mul(&by.w);
            match link.terms.virtual_terms {
                Virtual::Truncated => {
                    let rigid = Twist { v: r.tr_mul(&by.v), w: inner };
                    left.elastic.fill(0.0);
                    match inertia {
                        Inertia::Flexible(..) => {
                            let motion = (&by.v, &inner);
                            inertia.product(
                                Some(&left.z),
                                motion,
                                &left.elastic,
                                &mut left.product,
                            );
                        }
                        // Its node moves as the frame does.
                        Inertia::Rigid(body, state) => {
                            body.write([&rigid.v, &rigid.w], &mut left.elastic);
                            let still = Vector3::zeros();
                            let motion = (&still, &still);
                            body.mass_product(state, motion, &left.elastic, &mut left.product);
                        }
                    }
                    own.load_q[k] += self.work_of(link, &rigid, &left.load[border..]);
                    for j in 0..m {
                        own.square[k * m + j] +=
                            self.work_of(link, &rigid, &left.columns[j][border..]);
                    }
                }
                Virtual::Exact => {
                    fill(link, &mut left.elastic, |cluster, member, freedom| {
                        own.placed.clusters[cluster][member].by_angle[k][freedom]
                    });
                    inertia.product(None, (&by.v, &inner), &left.elastic, &mut left.product);
                    let along = |x: &[f64]| inertia.work_along(&by, &inner, &left.elastic, x);
                    own.load_q[k] += along(&left.load);
                    for j in 0..m {
                        own.square[k * m + j] += along(&left.columns[j]);
                    }
                }
            }
            let mut target = std::mem::take(&mut own.rows[k]);
            self.at_nodes(link, own, &left.product[border..], &mut target);
            own.rows[k] = target;
        }
    }

    /// Tᵀ x of a vector over elastic coordinates of a link, added in order of elimination.
    pub(super) fn at_nodes(&self, link: &Link, own: &ErlsWork, x: &[f64], out: &mut [f64]) {
        for (x, source) in x.iter().zip(&link.sources) {
            match *source {
                Source::Own(unknown) => {
                    if let Some(i) = self.unknowns[unknown].index {
                        out[self.order[i]] += x;
                    }
                }
                Source::Member { cluster, member, freedom } => {
                    let t = &own.placed.clusters[cluster][member].t;
                    for (t, &unknown) in t.iter().zip(&self.clusters[cluster].columns) {
                        if let Some(i) = self.unknowns[unknown].index {
                            out[self.order[i]] += t[freedom] * x;
                        }
                    }
                }
            }
        }
    }

    /// Work of forces on elastic coordinates in a motion of the undeformed link, in axes of its frame.
    fn work_of(&self, link: &Link, by: &Twist, x: &[f64]) -> f64 {
        let (f, t) = self.resultant(link, x);
        by.v.dot(&f) + by.w.dot(&t)
    }

    /// Force and moment of forces on elastic coordinates about the frame of the undeformed link, in its axes.
    pub(super) fn resultant(&self, link: &Link, x: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        for (node, place) in link.nodes.iter().enumerate() {
            let own = of_node(self.freedoms, x, node);
            let [f, t] = [0, 3].map(|k| link.axes * own.fixed_rows::<3>(k));
            force += f;
            moment += t + place.cross(&f);
        }
        (force, moment)
    }

    /// TᵀM T.
    fn add_masses(&self, own: &mut ErlsWork) {
        let ErlsWork { ldl, placed, .. } = own;
        let entries = ldl.entries_mut();
        entries.copy_from_slice(&self.constant);
        for (link, state) in self.links.iter().zip(&placed.bodies) {
            let mut add = |i: usize, j: usize, m: f64| {
                self.each(&placed.clusters, link.sources[i], |a, t_a| {
                    self.each(&placed.clusters, link.sources[j], |b, t_b| {
                        let twice = if i != j && a == b { 2.0 } else { 1.0 };
                        // Within one node both orders of a pair come along, which are one entry.
                        if i == j && self.order[a] < self.order[b] {
                            return;
                        }
                        let slot = self.ldl.slot(self.order[a], self.order[b]);
                        entries[slot] += twice * m * t_a * t_b;
                    });
                });
            };
            link.turning.iter().for_each(|&(i, j, m)| add(i, j, m));
            if let Made::Rigid(body) = &link.made {
                body.masses(state, add);
            }
        }
    }

    /// Coordinates that an elastic coordinate of a link is made of, with their factors.
    fn each(
        &self,
        clusters: &[Vec<super::joints::MemberState>],
        source: Source,
        mut take: impl FnMut(usize, f64),
    ) {
        match source {
            Source::Own(unknown) => {
                if let Some(i) = self.unknowns[unknown].index {
                    take(i, 1.0);
                }
            }
            Source::Member { cluster, member, freedom } => {
                let t = &clusters[cluster][member].t;
                for (t, &unknown) in t.iter().zip(&self.clusters[cluster].columns) {
                    if let (Some(i), true) = (self.unknowns[unknown].index, t[freedom] != 0.0) {
                        take(i, t[freedom]);
                    }
                }
            }
        }
    }

    /// q̈ and ü of (2).
    fn solve(&self, own: &mut ErlsWork) -> Result<(), Fault> {
        let m = self.rigid.independent;
        own.ldl.factor().map_err(|_| Fault::NotFinite { index: 0 })?;
        own.ldl.solve(&mut own.load_u);
        for k in 0..m {
            own.carried[k].copy_from_slice(&own.columns[k]);
            own.ldl.solve(&mut own.carried[k]);
        }
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        for k in 0..m {
            for j in 0..m {
                own.lu.values[k * m + j] =
                    own.square[k * m + j] - dot(&own.rows[k], &own.carried[j]);
            }
            own.accelerations[k] = own.load_q[k] - dot(&own.rows[k], &own.load_u);
        }
        own.lu.factor().map_err(|index| Fault::NotFinite { index })?;
        let (q, u) = own.accelerations.split_at_mut(m);
        own.lu.solve(q);
        for (i, u) in u.iter_mut().enumerate() {
            let place = self.order[i];
            let carried: f64 = (0..m).map(|k| own.carried[k][place] * q[k]).sum();
            *u = own.load_u[place] - carried;
        }
        Ok(())
    }

    /// Accelerations of frames and elastic coordinates of all links, with every term.
    fn spread(&self, system: &System, v: &[f64], work: &mut Workspace, own: &mut ErlsWork) {
        let m = self.rigid.independent;
        let (q, u) = own.accelerations.split_at(m);
        for (l, link) in self.links.iter().enumerate() {
            let mut a = own.placed.rigid.links[l].bias;
            for (by, q) in self.rigid.columns(&own.placed.rigid, l).iter().zip(q) {
                super::rigid::add(&mut a, by, *q);
            }
            let inner = own.placed.rigid.links[l].frame.r.tr_mul(&a.w);
            let elastic = &mut own.links[l].elastic;
            for (out, source) in elastic.iter_mut().zip(&link.sources) {
                *out = match *source {
                    Source::Own(unknown) => self.unknowns[unknown].index.map_or(0.0, |i| u[i]),
                    Source::Member { cluster, member, freedom } => {
                        let (columns, at) =
                            (&self.clusters[cluster], &own.placed.clusters[cluster][member]);
                        let mut sum = at.t_second[freedom];
                        for k in 0..columns.columns.len() {
                            sum += at.t[k][freedom] * self.value(columns, k, u)
                                + 2.0 * at.t_rate[k][freedom] * self.value(columns, k, &v[m..]);
                        }
                        sum + at.by_angle.iter().zip(q).map(|(d, q)| d[freedom] * q).sum::<f64>()
                    }
                };
            }
            match &link.made {
                Made::Flexible(floating) => {
                    let body = &system.floating[*floating];
                    let out = &mut work.accelerations[body.v..body.v + body.size()];
                    body.write_motion(&a.v, &inner, out);
                    out[body.border()..].copy_from_slice(elastic);
                }
                Made::Rigid(body) => {
                    let state = &own.placed.bodies[l];
                    let out = &mut work.accelerations[body.v..body.v + body.border()];
                    body.write_accelerations(state, (&a.v, &inner), elastic, out);
                }
            }
        }
    }

    /// Places of the masses of the state: those of u, with a border for q.
    pub(in crate::system) fn mass_pattern(&self) -> Entries {
        let (m, n) = (self.rigid.independent, self.size());
        let mut places: Vec<(usize, usize)> =
            self.pattern.iter().flat_map(|&(i, j, _)| [(m + i, m + j), (m + j, m + i)]).collect();
        places.extend((0..m).flat_map(|k| (0..n).flat_map(move |i| [(k, i), (i, k)])));
        places.sort_unstable();
        places.dedup();
        Entries::at(n, n, &places)
    }

    /// Entries of the masses of the state, after [`EquivalentSystem::assemble`].
    pub(in crate::system) fn for_masses(
        &self,
        own: &mut ErlsWork,
        mut each: impl FnMut(usize, usize, f64),
    ) {
        let m = self.rigid.independent;
        for k in 0..m {
            (0..m).for_each(|j| each(k, j, own.square[k * m + j]));
            for i in 0..self.elastic {
                each(k, m + i, own.rows[k][self.order[i]]);
                each(m + i, k, own.columns[k][self.order[i]]);
            }
        }
        for &(i, j, slot) in &self.pattern {
            let value = own.ldl.entries_mut()[slot];
            each(m + i, m + j, value);
            if i != j {
                each(m + j, m + i, value);
            }
        }
    }

    /// Loads of the state, after [`EquivalentSystem::assemble`].
    pub(in crate::system) fn write_loads(&self, own: &ErlsWork, out: &mut [f64]) {
        let (q, u) = out.split_at_mut(self.rigid.independent);
        q.copy_from_slice(&own.load_q);
        u.iter_mut().zip(&self.order).for_each(|(u, &place)| *u = own.load_u[place]);
    }
}

/// A vector over elastic coordinates that is zero but for nodes in joints.
fn fill(link: &Link, out: &mut [f64], of: impl Fn(usize, usize, usize) -> f64) {
    for (out, source) in out.iter_mut().zip(&link.sources) {
        *out = match *source {
            Source::Own(_) => 0.0,
            Source::Member { cluster, member, freedom } => of(cluster, member, freedom),
        };
    }
}

/// A node's part of a vector in the world.
pub(super) fn in_world(r: &Matrix3<f64>, own: &Vector6<f64>) -> [Vector3<f64>; 2] {
    [0, 3].map(|k| r * own.fixed_rows::<3>(k))
}
