//! Links whose deformation is small against a frame that moves with them.
//!
//!   q = (P, R, q_f),   v = (V, ω, q̇_f)                                                      (1)
//!
//! P is the place of the undeformed mass centre, R the undeformed principal axes, both as of a rigid body in the
//! same space; ω is in axes R, q_f are the elastic coordinates of `fe/`. A point s of the link in axes R is
//! linear in q_f, and its acceleration, in axes R with ā = Rᵀ(V̇ − g),
//!
//!   a = ā + E s + 2 ω × ṡ + s̈,   E = ω̇× + ω×ω×                                              (2)
//!
//! With the moments of `fe/inertia.rs`, C_j = ∫ S_j dm, Q = ∫ s ⊗ s dm, Z_j = ∫ s ⊗ S_j dm, Ż_j = ∫ ṡ ⊗ S_j dm and
//! P = Z_j q̇_j, virtual work of inertia and weight on P, R and q_f is
//!
//!   I_P = m (V̇ − g) + R (E m c + 2 ω × C_j q̇_j + C_j q̈_j)
//!   I_R = m c × ā + ×(Q Eᵀ) + 2 (tr P − Pᵀ) ω + ×(Z_j) q̈_j                                     (3)
//!   I_i = C_i · ā + E : Z_iᵀ + 2 ω× : Ż_iᵀ + M_ij q̈_j
//!
//! where ×(A) is ∫ a × b dm of A = ∫ a ⊗ b dm. (3) has every term of the motion (2) of the points, so that kinetic energy
//! is exactly ½ vᵀMv and is kept. M is an arrow,
//!
//!   M = | M_F   B  |      M_F of the frame, B = (R C_j; ×(Z_j)),   M_f a band that never changes        (4)
//!       | Bᵀ   M_f |
//!
//! whose inverse costs as many band solutions as the frame has freedoms.
//!
//! A section at X + u turns by φ against R, both linear in q_f. Its markers take D = exp(φ×) and T with
//! Ḋ = (Tφ̇)× D, so that frame, twist, J̇v and Jᵀ belong together at any φ: with ρ = D s, ℓ = X + u + ρ, β = T φ̇,
//!
//!   p = P + R ℓ,   ω_m = R (ω + β),   v = V + R (ω × ℓ + u̇ + β × ρ)
//!   J̇v = R (ω × (ω × ℓ) + 2 ω × (u̇ + β × ρ) + Ṫφ̇ × ρ + β × (β × ρ),  ω × β + Ṫφ̇)             (5)
//!   Jᵀw = (f,  ℓ × f̄ + t̄,  Sᵀf̄ + ΦᵀTᵀ(t̄ + ρ × f̄)),   f̄ = Rᵀf, t̄ = Rᵀt                          (6)
//!
//! References: Shabana, *Dynamics of Multibody Systems*; Schwertassek and Wallrapp, *Dynamik flexibler
//! Mehrkörpersysteme*.

use nalgebra::{Cholesky, Const, Matrix3, Matrix6, Vector3, Vector6};

use super::rigid::{BodyState, RigidBody};
use super::{Columns, Support};
use crate::fe::inertia::cross_of;
use crate::fe::{self, Link, Moments, Site};
use crate::flexible::{Flexible, Floating};
use crate::marker::{Attachment, MarkerState, Variation};
use crate::math::rotation::{cross_matrix, exponential, tangent, tangent_change};
use crate::math::spatial::{Frame, Twist, Wrench};
use crate::model::{Model, Space};

/// Freedoms of a frame in the plane, among those in space.
const PLANAR: [usize; 3] = [0, 1, 5];
const SPATIAL: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// A link with a floating frame.
#[derive(Clone, Debug)]
pub struct FloatingBody {
    /// Moving body of the model, from 0.
    pub body: usize,
    /// Where its coordinates and velocities start in q and v.
    pub q: usize,
    pub v: usize,
    pub link: Link,
    /// Coordinates of its frame.
    frame: usize,
    freedoms: &'static [usize],
    /// The middle of the line, which stands for the axes of the body.
    middle: Site,
}

/// A link at one instant: its frame, its elastic coordinates and what inertia needs of them.
#[derive(Clone, Debug)]
pub struct FloatingState {
    pub p: Vector3<f64>,
    pub r: Matrix3<f64>,
    /// V in the world, ω in axes R.
    pub velocity: Vector3<f64>,
    pub omega: Vector3<f64>,
    /// Elastic coordinates of the link.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// Those of the mesh, where they are not the same.
    mesh: [Vec<f64>; 2],
    pub moments: Moments,
    /// M_f⁻¹ Bᵀ by freedom of the frame, and the factors of M_F − B M_f⁻¹ Bᵀ; none where that is not positive.
    carried: Vec<Vec<f64>>,
    rest: Option<Cholesky<f64, Const<6>>>,
    scratch: Vec<f64>,
}

impl FloatingState {
    /// Coordinates of the mesh and their rates.
    pub fn mesh(&self) -> (&[f64], &[f64]) {
        match self.mesh[0].is_empty() {
            true => (&self.q, &self.v),
            false => (&self.mesh[0], &self.mesh[1]),
        }
    }
}

/// A section of a marker at one instant.
#[derive(Clone, Copy, Debug)]
pub struct FloatingSection {
    site: Site,
    r: Matrix3<f64>,
    p: Vector3<f64>,
    velocity: Vector3<f64>,
    omega: Vector3<f64>,
    u: Vector3<f64>,
    u_rate: Vector3<f64>,
    phi: Vector3<f64>,
    phi_rate: Vector3<f64>,
    /// D A of the undeformed section axes A, and T.
    axes: Matrix3<f64>,
    tangent: Matrix3<f64>,
}

/// What a link does along a column: the frame turns, or an elastic coordinate grows.
#[derive(Clone, Copy, Debug)]
pub enum FloatingMoved {
    Shifted,
    /// In axes R.
    Turned(Vector3<f64>),
    /// u and φ.
    Bent(Vector3<f64>, Vector3<f64>),
}

impl FloatingBody {
    pub fn new(index: usize, rigid: &RigidBody, (model, flexible): (&Model, &Flexible)) -> Self {
        let (space, link) = (model.space, link_of(index, rigid, model, flexible));
        let (frame, freedoms): (usize, &[usize]) = match space {
            Space::Planar => (3, &PLANAR),
            Space::Spatial => (7, &SPATIAL),
        };
        let middle = link.site(0.5);
        Self { body: index, q: rigid.q, v: rigid.v, link, frame, freedoms, middle }
    }

    /// Numbers of coordinates and velocities of the link that moving body `index` is.
    pub fn sizes(
        index: usize,
        rigid: &RigidBody,
        model: &Model,
        flexible: &Flexible,
    ) -> [usize; 2] {
        let frame = match model.space {
            Space::Planar => [3; 2],
            Space::Spatial => [7, 6],
        };
        let elastic = match flexible.floating().modes {
            // The frame of an equivalent rigid link takes no freedoms of nodes.
            None => frame[1] * (flexible.elements + usize::from(flexible.is_erls())),
            Some(_) => link_of(index, rigid, model, flexible).size(),
        };
        frame.map(|frame| frame + elastic)
    }

    /// Number of its velocities.
    pub fn size(&self) -> usize {
        self.freedoms.len() + self.link.size()
    }

    /// Velocities of its frame.
    pub fn border(&self) -> usize {
        self.freedoms.len()
    }

    /// Those among the six in space.
    pub(super) fn freedoms(&self) -> &'static [usize] {
        self.freedoms
    }

    fn planar(&self) -> bool {
        self.link.planar
    }

    /// Where elastic coordinates begin among its own.
    pub fn elastic_q(&self) -> usize {
        self.frame
    }

    /// Velocities of every element; modes belong to all of them.
    pub fn elements(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let (first, size) = (self.v + self.border(), self.link.size());
        let all = self.link.basis.is_some().then_some(first..first + size);
        let parts = if all.is_some() { &[][..] } else { &self.link.parts[..] };
        parts.iter().map(move |p| first + p.first..first + p.first + p.count).chain(all)
    }

    /// Columns of a section, from the first of the link.
    pub fn support(&self, site: &Site) -> Support {
        let count = if site.own.is_some() { site.count } else { 0 };
        let first = self.border() + site.own.unwrap_or(0);
        Support::pair(0..self.border(), first..first + count)
    }

    /// Whether a column is a length, from its first.
    pub fn is_length(&self, column: usize) -> bool {
        match column.checked_sub(self.border()) {
            Some(elastic) => self.link.lengths[elastic],
            None => self.freedoms[column] < 3,
        }
    }

    /// Room for a state.
    pub fn blank(&self) -> FloatingState {
        let n = self.link.size();
        FloatingState {
            p: Vector3::zeros(),
            r: Matrix3::identity(),
            velocity: Vector3::zeros(),
            omega: Vector3::zeros(),
            q: vec![0.0; n],
            v: vec![0.0; n],
            mesh: match self.link.basis {
                Some(_) => [vec![0.0; self.link.mesh_size()], vec![0.0; self.link.mesh_size()]],
                None => [Vec::new(), Vec::new()],
            },
            moments: self.link.integrals.blank(),
            carried: vec![vec![0.0; n]; self.border()],
            rest: None,
            scratch: vec![0.0; n],
        }
    }

    /// Rotation vector of the middle of the line.
    pub fn middle_rotation(&self, state: &FloatingState) -> Vector3<f64> {
        self.middle.rotation(state.mesh().0)
    }

    /// θ of a frame in the plane, of whole q.
    pub fn frame_angle(&self, q: &[f64]) -> f64 {
        if self.planar() { q[self.q + 2] } else { 0.0 }
    }

    /// Pose and twist of its frame.
    pub fn frame_state(&self, q: &[f64], v: &[f64]) -> BodyState {
        let (q, v) = (&q[self.q..], &v[self.v..]);
        if self.planar() { BodyState::planar(q, v) } else { BodyState::spatial(q, v) }
    }

    /// The state at whole q and v, and pose and velocity of the link: its mass centre, and the middle of its line.
    pub fn place(&self, q: &[f64], v: &[f64], out: &mut FloatingState) -> BodyState {
        let mut frame = self.frame_state(q, v);
        (out.p, out.r, out.velocity) = (frame.frame.p, frame.frame.r, frame.twist.v);
        out.omega = out.r.tr_mul(&frame.twist.w);
        out.q.copy_from_slice(&q[self.q + self.frame..][..self.link.size()]);
        out.v.copy_from_slice(&v[self.v + self.border()..][..self.link.size()]);
        if let Some(basis) = &self.link.basis {
            basis.expand(&out.q, &mut out.mesh[0]);
            basis.expand(&out.v, &mut out.mesh[1]);
        }
        self.link.integrals.update(&out.q, &out.v, &mut out.moments);
        let centre = out.moments.first / self.link.integrals.mass;
        let moved = out.moments.first_rate / self.link.integrals.mass;
        self.carry(&mut frame, &centre, &moved, out.mesh());
        frame
    }

    /// From the frame to the mass centre and the middle of the line.
    fn carry(
        &self,
        frame: &mut BodyState,
        centre: &Vector3<f64>,
        moved: &Vector3<f64>,
        (q, v): (&[f64], &[f64]),
    ) {
        let r = frame.frame.r;
        let arm = r * centre;
        frame.frame.p += arm;
        frame.twist.v += frame.twist.w.cross(&arm) + r * moved;
        let (phi, rate) = (self.middle.rotation(q), self.middle.rotation(v));
        frame.frame.r = r * exponential(&phi);
        frame.twist.w += r * (tangent(&phi) * rate);
        if self.planar() {
            frame.angle += phi.z;
        }
    }

    /// Pose and velocity of the link at any point.
    pub fn body_state(&self, q: &[f64], v: &[f64]) -> BodyState {
        let mut state = self.blank();
        self.place(q, v, &mut state)
    }

    /// Coordinates and velocities of the undeformed link at a pose and twist of its inner axes, the frame's excepted.
    pub fn write_elastic(&self, q: &mut [f64], v: &mut [f64]) {
        q[self.frame..].fill(0.0);
        v[self.border()..].fill(0.0);
    }

    /// Where a pose in inner axes attaches: along, and from the section in its axes.
    pub fn attach(
        &self,
        flexible: &Flexible,
        own: &Frame,
        inner: &Frame,
    ) -> (f64, Vector3<f64>, Matrix3<f64>) {
        let along = flexible.nearest(&own.p);
        let site = self.link.site(along);
        let offset = site.axes.tr_mul(&(inner.p - site.place));
        // What is on the line but for rounding is on it.
        let size = self.link.length / self.link.parts.len() as f64;
        let offset = offset.map(|x| if x.abs() < 1e-12 * size { 0.0 } else { x });
        (along, offset, site.axes.tr_mul(&inner.r))
    }

    /// A section at the state.
    pub fn section(&self, site: &Site, state: &FloatingState) -> FloatingSection {
        let frame = (state.p, state.r, state.velocity, state.omega);
        let (q, v) = state.mesh();
        section(site, frame, (site.of(q), site.of(v)))
    }

    /// A section in whole q and v.
    pub fn section_at(&self, site: &Site, q: &[f64], v: &[f64]) -> FloatingSection {
        let frame = self.frame_state(q, v);
        let r = frame.frame.r;
        let frame = (frame.frame.p, r, frame.twist.v, r.tr_mul(&frame.twist.w));
        let n = self.link.size();
        let (mut q_room, mut v_room) = ([0.0; fe::COLUMNS], [0.0; fe::COLUMNS]);
        let (q, v) = (&q[self.q + self.frame..][..n], &v[self.v + self.border()..][..n]);
        let q = self.link.local(site, q, &mut q_room);
        section(site, frame, (q, self.link.local(site, v, &mut v_room)))
    }

    pub fn marker(
        &self,
        section: &FloatingSection,
        at: &Attachment,
        angle: f64,
    ) -> (MarkerState, Vector3<f64>) {
        let mut marker = section.marker(&at.offset, &at.turn);
        marker.angle = match self.planar() {
            true => angle + section.phi.z + at.angle,
            false => at.angle,
        };
        let arm = marker.frame.p - section.p;
        (marker, arm)
    }

    /// V, ω and the elastic part of a vector of velocities or accelerations that starts with the link.
    pub(in crate::system) fn split<'a>(
        &self,
        x: &'a [f64],
    ) -> (Vector3<f64>, Vector3<f64>, &'a [f64]) {
        let (frame, rest) = x[..self.size()].split_at(self.border());
        let mut whole = Vector6::zeros();
        self.freedoms.iter().zip(frame).for_each(|(&k, x)| whole[k] = *x);
        (whole.fixed_rows::<3>(0).into(), whole.fixed_rows::<3>(3).into(), rest)
    }

    /// The reverse of [`FloatingBody::split`] for the frame.
    pub(in crate::system) fn write_motion(
        &self,
        linear: &Vector3<f64>,
        angular: &Vector3<f64>,
        out: &mut [f64],
    ) {
        let whole = joined(linear, angular);
        out.iter_mut().zip(self.freedoms).for_each(|(out, &k)| *out = whole[k]);
    }

    /// Work of forces that start with the link in a motion of its frame and its elastic coordinates.
    pub(in crate::system) fn work_along(
        &self,
        linear: &Vector3<f64>,
        angular: &Vector3<f64>,
        elastic: &[f64],
        forces: &[f64],
    ) -> f64 {
        let whole = joined(linear, angular);
        let (frame, rest) = forces.split_at(self.border());
        let on_frame: f64 = frame.iter().zip(self.freedoms).map(|(f, &k)| f * whole[k]).sum();
        on_frame + rest.iter().zip(elastic).map(|(f, d)| f * d).sum::<f64>()
    }

    /// M a of (4), with Z given, for accelerations of the frame in the world and in axes R.
    pub(in crate::system) fn mass_product(
        &self,
        state: &FloatingState,
        z: &[Matrix3<f64>],
        (linear, angular): (&Vector3<f64>, &Vector3<f64>),
        elastic: &[f64],
        out: &mut [f64],
    ) {
        let (m, inner) = (&state.moments, state.r.tr_mul(linear));
        let (frame, rest) = out.split_at_mut(self.border());
        let (mut moved, mut turned) = (angular.cross(&m.first), m.inertia * angular);
        let shapes = self.link.integrals.shapes().iter().zip(z);
        for ((c, z), (a, out)) in shapes.zip(elastic.iter().zip(rest.iter_mut())) {
            let across = cross_of(z);
            moved += c * *a;
            turned += across * *a;
            *out = c.dot(&inner) + across.dot(angular);
        }
        let on_p = linear * self.link.integrals.mass + state.r * moved;
        let whole = joined(&on_p, &(m.first.cross(&inner) + turned));
        frame.iter_mut().zip(self.freedoms).for_each(|(out, &k)| *out = whole[k]);
        self.link.mass.add_product(1.0, elastic, rest);
    }

    /// Inertia (3) on elastic coordinates where nothing accelerates, with Z and Ż given.
    pub(in crate::system) fn elastic_bias<'z>(
        &self,
        spin: &Matrix3<f64>,
        z: &'z [Matrix3<f64>],
        z_rate: &'z [Matrix3<f64>],
    ) -> impl Iterator<Item = f64> + use<'z> {
        let (spin, e) = (*spin, spin * spin);
        z.iter().zip(z_rate).map(move |(z, rate)| pairing(&e, z) + 2.0 * pairing(&spin, rate))
    }

    /// (3) with V̇ = 0, ω̇ = 0, q̈ = 0, and elastic forces, both on the other side.
    pub fn own_forces(&self, gravity: &Vector3<f64>, state: &FloatingState, f: &mut [f64]) {
        let (m, w) = (&state.moments, &state.omega);
        let mass = self.link.integrals.mass;
        let spin = cross_matrix(w);
        let e = spin * spin;
        let a = -state.r.tr_mul(gravity);
        let on_p = gravity * mass - state.r * (e * m.first + w.cross(&m.first_rate) * 2.0);
        let on_r = -(m.first.cross(&a)
            + w.cross(&(m.inertia * w))
            + (w * m.mixed.trace() - m.mixed.tr_mul(w)) * 2.0);
        let whole = joined(&on_p, &on_r);
        let (frame, elastic) = f.split_at_mut(self.border());
        frame.iter_mut().zip(self.freedoms).for_each(|(f, &k)| *f = whole[k]);
        for (j, f) in elastic.iter_mut().enumerate() {
            *f = -(self.shape(j).dot(&a)
                + pairing(&e, &m.z[j])
                + 2.0 * pairing(&spin, &m.z_rate[j]));
        }
        self.link.add_forces(&state.q, &state.v, elastic);
        if let Some(axial) = &self.link.axial {
            axial.add_forces(axial.pull(w, &-a), &state.q, elastic);
        }
    }

    /// Power of forces that have no counterpart on the frame, W.
    pub fn unbalanced_power(&self, gravity: &Vector3<f64>, state: &FloatingState) -> f64 {
        let Some(axial) = &self.link.axial else { return 0.0 };
        let pull = axial.pull(&state.omega, &state.r.tr_mul(gravity));
        axial.power(pull, &state.q, &state.v)
    }

    /// C_j.
    pub(super) fn shape(&self, j: usize) -> &Vector3<f64> {
        &self.link.integrals.shapes()[j]
    }

    /// An entry of the border B of (4).
    fn border_entry(&self, state: &FloatingState, freedom: usize, j: usize) -> f64 {
        let m = &state.moments;
        match freedom {
            0..3 => state.r.row(freedom).transpose().dot(self.shape(j)),
            axis => cross_of(&m.z[j])[axis - 3],
        }
    }

    fn border_row(&self, state: &FloatingState, freedom: usize, out: &mut [f64]) {
        let entries = out.iter_mut().enumerate();
        entries.for_each(|(j, out)| *out = self.border_entry(state, freedom, j));
    }

    /// M_F of (4), ones where the plane has no freedom.
    fn frame_mass(&self, state: &FloatingState) -> Matrix6<f64> {
        let m = &state.moments;
        let mut whole = Matrix6::identity();
        let across = -state.r * cross_matrix(&m.first);
        let mut all = Matrix6::zeros();
        all.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(self.link.integrals.mass);
        all.fixed_view_mut::<3, 3>(0, 3).copy_from(&across);
        all.fixed_view_mut::<3, 3>(3, 0).copy_from(&across.transpose());
        all.fixed_view_mut::<3, 3>(3, 3).copy_from(&m.inertia);
        for &i in self.freedoms {
            for &j in self.freedoms {
                whole[(i, j)] = all[(i, j)];
            }
        }
        whole
    }

    /// Makes ready for [`FloatingBody::solve`].
    pub fn factor(&self, state: &mut FloatingState) {
        let mut rest = self.frame_mass(state);
        let mut carried = std::mem::take(&mut state.carried);
        let mut row = std::mem::take(&mut state.scratch);
        for (carried, &k) in carried.iter_mut().zip(self.freedoms) {
            self.border_row(state, k, carried);
            self.link.mass.solve(carried);
        }
        for &i in self.freedoms {
            self.border_row(state, i, &mut row);
            for (carried, &j) in carried.iter().zip(self.freedoms) {
                rest[(i, j)] -= row.iter().zip(carried).map(|(b, x)| b * x).sum::<f64>();
            }
        }
        (state.carried, state.scratch) = (carried, row);
        state.rest = Cholesky::new(rest);
    }

    /// M⁻¹ x in place, for a vector that starts with the link.
    pub fn solve(&self, state: &FloatingState, x: &mut [f64]) {
        let (frame, elastic) = x[..self.size()].split_at_mut(self.border());
        let mut load = Vector6::zeros();
        for ((x, &k), carried) in frame.iter().zip(self.freedoms).zip(&state.carried) {
            let sum: f64 = carried.iter().zip(&*elastic).map(|(c, f)| c * f).sum();
            load[k] = x - sum;
        }
        let moved = match &state.rest {
            Some(rest) => rest.solve(&load),
            None => Vector6::repeat(f64::NAN),
        };
        self.link.mass.solve(elastic);
        for ((x, &k), carried) in frame.iter_mut().zip(self.freedoms).zip(&state.carried) {
            *x = moved[k];
            elastic.iter_mut().zip(carried).for_each(|(a, c)| *a -= c * moved[k]);
        }
    }

    /// Entries of M that change, lower triangle: those of the frame with itself, then of elastic coordinates with it.
    pub fn for_changing_masses(
        &self,
        state: &FloatingState,
        mut each: impl FnMut(usize, usize, f64),
    ) {
        let whole = self.frame_mass(state);
        for (i, &row) in self.freedoms.iter().enumerate() {
            for (j, &column) in self.freedoms[..=i].iter().enumerate() {
                each(i, j, whole[(row, column)]);
            }
        }
        for (j, &k) in self.freedoms.iter().enumerate() {
            for i in 0..self.link.size() {
                each(self.border() + i, j, self.border_entry(state, k, i));
            }
        }
    }

    /// ½ vᵀ M v for velocities that start with the link.
    pub fn kinetic(&self, state: &FloatingState, v: &[f64]) -> f64 {
        let (velocity, omega, elastic) = self.split(v);
        let m = &state.moments;
        let (mut rate, mut turned) = (Vector3::zeros(), Vector3::zeros());
        for ((c, z), v) in self.link.integrals.shapes().iter().zip(&m.z).zip(elastic) {
            rate += c * *v;
            turned += cross_of(z) * *v;
        }
        let inner = state.r.tr_mul(&velocity);
        0.5 * self.link.integrals.mass * velocity.norm_squared()
            + inner.dot(&(omega.cross(&m.first) + rate))
            + omega.dot(&(0.5 * m.inertia * omega + turned))
            + 0.5 * self.link.mass.square(elastic)
    }

    /// Largest linear and angular part of velocities that start with the link.
    pub fn speeds(&self, v: &[f64]) -> (f64, f64) {
        let (velocity, omega, elastic) = self.split(v);
        let (mut linear, mut angular) = (velocity.norm(), omega.norm());
        for (v, is_length) in elastic.iter().zip(&self.link.lengths) {
            let most = if *is_length { &mut linear } else { &mut angular };
            *most = most.max(v.abs());
        }
        (linear, angular)
    }

    /// Motion of the mass centre and turn of the middle, in the world, for a small motion that starts with the link.
    pub fn small_motion(&self, q: &[f64], v: &[f64], by: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        let mut state = self.blank();
        self.place(q, v, &mut state);
        let (velocity, omega, elastic) = self.split(by);
        let m = &state.moments;
        let shapes = self.link.integrals.shapes().iter().zip(elastic);
        let moved = shapes.fold(Vector3::zeros(), |sum, (c, x)| sum + c * *x);
        let centre = (omega.cross(&m.first) + moved) / self.link.integrals.mass;
        let phi = self.middle_rotation(&state);
        let turn = omega + tangent(&phi) * self.moved(&self.middle, elastic)[1];
        (velocity + state.r * centre, state.r * turn)
    }

    /// u and φ of a site by coordinates of the link.
    fn moved(&self, site: &Site, elastic: &[f64]) -> [Vector3<f64>; 2] {
        let mut room = [0.0; fe::COLUMNS];
        site.motion(self.link.local(site, elastic, &mut room))
    }

    /// Velocity of a place on the line for a small motion that starts with the link, in the world.
    pub fn site_motion(&self, section: &FloatingSection, by: &[f64]) -> Vector3<f64> {
        self.acceleration(section, &Vector3::zeros(), by).v
    }

    /// J v̇ of a marker at s for accelerations that start with the link, without its bias.
    pub fn acceleration(&self, section: &FloatingSection, s: &Vector3<f64>, a: &[f64]) -> Twist {
        let (linear, angular, elastic) = self.split(a);
        let rho = section.axes * s;
        let [u, phi] = self.moved(&section.site, elastic);
        let turn = section.tangent * phi;
        let arm = section.site.place + section.u + rho;
        let moved = angular.cross(&arm) + u + turn.cross(&rho);
        Twist { v: linear + section.r * moved, w: section.r * (angular + turn) }
    }

    /// (6) over the columns of a marker: of the frame, then of its element.
    pub fn reduce(
        &self,
        section: &FloatingSection,
        s: &Vector3<f64>,
        w: &Wrench,
        out: &mut Columns,
    ) {
        let rho = section.axes * s;
        let (f, t) = (section.r.tr_mul(&w.f), section.r.tr_mul(&w.t));
        let arm = section.site.place + section.u + rho;
        let on_turn = section.tangent.tr_mul(&(t + rho.cross(&f)));
        self.write(section, &w.f, &(arm.cross(&f) + t), (&f, &on_turn), out);
    }

    /// Adds forces on P, R, u and φ to the columns of a marker.
    fn write(
        &self,
        section: &FloatingSection,
        on_p: &Vector3<f64>,
        on_r: &Vector3<f64>,
        (on_u, on_phi): (&Vector3<f64>, &Vector3<f64>),
        out: &mut Columns,
    ) {
        let whole = joined(on_p, on_r);
        let (frame, own) = out.split_at_mut(self.border());
        frame.iter_mut().zip(self.freedoms).for_each(|(f, &k)| *f += whole[k]);
        let site = &section.site;
        let columns = site.moved.column_iter().zip(site.turned.column_iter());
        for (out, (u, phi)) in own[..site.count].iter_mut().zip(columns) {
            *out += u.dot(on_u) + phi.dot(on_phi);
        }
    }

    /// What a column of a marker does.
    fn along(&self, section: &FloatingSection, column: usize) -> (Vector3<f64>, FloatingMoved) {
        match column.checked_sub(self.border()) {
            Some(k) => {
                let site = &section.site;
                let (u, phi) = (site.moved.column(k).into(), site.turned.column(k).into());
                (Vector3::zeros(), FloatingMoved::Bent(u, phi))
            }
            None => match self.freedoms[column] {
                axis @ 0..3 => (Vector3::ith(axis, 1.0), FloatingMoved::Shifted),
                axis => (Vector3::zeros(), FloatingMoved::Turned(Vector3::ith(axis - 3, 1.0))),
            },
        }
    }

    /// How a marker at s moves along a column, and what the link does.
    pub fn position_variation(
        &self,
        section: &FloatingSection,
        s: &Vector3<f64>,
        column: usize,
    ) -> (Variation, FloatingMoved) {
        let (shift, moved) = self.along(section, column);
        let (r, rho) = (&section.r, section.axes * s);
        let variation = match &moved {
            FloatingMoved::Shifted => Variation { p: shift, ..Variation::ZERO },
            FloatingMoved::Turned(axis) => {
                let marker = section.marker(s, &Matrix3::identity());
                let turn = r * axis;
                Variation {
                    p: turn.cross(&(marker.frame.p - section.p)),
                    turn,
                    v: turn.cross(&(marker.twist.v - section.velocity)),
                    w: turn.cross(&marker.twist.w),
                }
            }
            FloatingMoved::Bent(u, phi) => {
                let (turn, spin) = (section.tangent * phi, section.tangent * section.phi_rate);
                let faster = tangent_change(&section.phi, phi) * section.phi_rate;
                let by = turn.cross(&rho);
                let v = section.omega.cross(&(u + by)) + faster.cross(&rho) + spin.cross(&by);
                Variation { p: r * (u + by), turn: r * turn, v: r * v, w: r * faster }
            }
        };
        (variation, moved)
    }

    /// How its velocity changes along a column.
    pub fn velocity_variation(
        &self,
        section: &FloatingSection,
        s: &Vector3<f64>,
        column: usize,
    ) -> Variation {
        let (shift, moved) = self.along(section, column);
        let (r, rho) = (&section.r, section.axes * s);
        let (v, w) = match &moved {
            FloatingMoved::Shifted => return Variation { v: shift, ..Variation::ZERO },
            FloatingMoved::Turned(axis) => {
                (axis.cross(&(section.site.place + section.u + rho)), *axis)
            }
            FloatingMoved::Bent(u, phi) => {
                let turn = section.tangent * phi;
                (u + turn.cross(&rho), turn)
            }
        };
        Variation { v: r * v, w: r * w, ..Variation::ZERO }
    }

    /// Change of Jᵀ w of a wrench that stays, added to `out`.
    pub fn add_turned(
        &self,
        section: &FloatingSection,
        s: &Vector3<f64>,
        now: &Wrench,
        by: &FloatingMoved,
        out: &mut Columns,
    ) {
        let rho = section.axes * s;
        let (f, t) = (section.r.tr_mul(&now.f), section.r.tr_mul(&now.t));
        match by {
            FloatingMoved::Shifted => {}
            FloatingMoved::Turned(axis) => {
                let (f, t) = (-axis.cross(&f), -axis.cross(&t));
                let arm = section.site.place + section.u + rho;
                let on_turn = section.tangent.tr_mul(&(t + rho.cross(&f)));
                self.write(section, &Vector3::zeros(), &(arm.cross(&f) + t), (&f, &on_turn), out);
            }
            FloatingMoved::Bent(u, phi) => {
                let by = (section.tangent * phi).cross(&rho);
                let change = tangent_change(&section.phi, phi);
                let on_turn =
                    change.tr_mul(&(t + rho.cross(&f))) + section.tangent.tr_mul(&by.cross(&f));
                let none = Vector3::zeros();
                self.write(section, &none, &(u + by).cross(&f), (&none, &on_turn), out);
            }
        }
    }
}

/// The link that moving body `index` of a model is, by its nodes or by its interface and modes.
fn link_of(index: usize, rigid: &RigidBody, model: &Model, flexible: &Flexible) -> Link {
    let centre = &model.bodies[index + 1].centre;
    let link = Link::new(flexible, model.space, &rigid.axes, centre);
    let Floating { modes: Some(modes), reference, .. } = flexible.floating() else { return link };
    let interface = model.interfaces.iter().find(|interface| interface.body.0 == index + 1);
    link.reduced(interface.map_or(&[], |interface| &interface.nodes), modes, reference)
}

/// E : Zᵀ.
pub(super) fn pairing(e: &Matrix3<f64>, z: &Matrix3<f64>) -> f64 {
    e.transpose().dot(z)
}

fn joined(a: &Vector3<f64>, b: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

type FrameOf = (Vector3<f64>, Matrix3<f64>, Vector3<f64>, Vector3<f64>);

fn section(site: &Site, frame: FrameOf, (q, v): (&[f64], &[f64])) -> FloatingSection {
    let (p, r, velocity, omega) = frame;
    let ([u, phi], [u_rate, phi_rate]) = (site.motion(q), site.motion(v));
    FloatingSection {
        site: *site,
        r,
        p,
        velocity,
        omega,
        u,
        u_rate,
        phi,
        phi_rate,
        axes: exponential(&phi) * site.axes,
        tangent: tangent(&phi),
    }
}

impl FloatingSection {
    /// Its place and axes.
    pub fn frame(&self) -> Frame {
        let p = self.p + self.r * (self.site.place + self.u);
        Frame { p, r: self.r * self.axes }
    }

    /// Angle of a section in the plane from another one.
    pub fn angle_from(&self, phi: &Vector3<f64>) -> f64 {
        self.phi.z - phi.z
    }

    /// (5) of a marker at s with axes A; its angle is not known here.
    fn marker(&self, s: &Vector3<f64>, turn: &Matrix3<f64>) -> MarkerState {
        let (r, w) = (&self.r, &self.omega);
        let rho = self.axes * s;
        let arm = self.site.place + self.u + rho;
        let spin = self.tangent * self.phi_rate;
        let faster = tangent_change(&self.phi, &self.phi_rate) * self.phi_rate;
        let moving = self.u_rate + spin.cross(&rho);
        let bias = w.cross(&w.cross(&arm))
            + w.cross(&moving) * 2.0
            + faster.cross(&rho)
            + spin.cross(&spin.cross(&rho));
        MarkerState {
            frame: Frame { p: self.p + r * arm, r: r * self.axes * turn },
            twist: Twist { v: self.velocity + r * (w.cross(&arm) + moving), w: r * (w + spin) },
            bias: Twist { v: r * bias, w: r * (w.cross(&spin) + faster) },
            angle: 0.0,
        }
    }
}
