//! Inertia of links with a floating frame, and what stands against it.
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

use nalgebra::{Cholesky, Matrix3, Matrix6, Vector3, Vector6};

use super::{FloatingBody, FloatingState};
use crate::fe::inertia::cross_of;
use crate::math::rotation::{cross_matrix, tangent};

impl FloatingBody {
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
}

/// E : Zᵀ.
pub(super) fn pairing(e: &Matrix3<f64>, z: &Matrix3<f64>) -> f64 {
    e.transpose().dot(z)
}

pub(super) fn joined(a: &Vector3<f64>, b: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}
