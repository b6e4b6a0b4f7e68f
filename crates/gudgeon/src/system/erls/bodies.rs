//! Rigid bodies among the links: one node with all six freedoms, and no elements.
//!
//! A rigid link of the equivalent system has the frame (P, R) at the mass centre, axes R principal, ω in axes R. Its body
//! is displaced from it by what joints with flexible links hand on, u and a rotation vector φ in axes R. With D = exp(φ×),
//! Ḋ = (β × D), β = T φ̇,
//!
//!   p = P + R u,   axes R D,   v = V + R (ω × u + u̇),   ω_b = R (ω + β)                                   (1)
//!
//! and, ā = Rᵀ V̇ and J = D J₀ Dᵀ in axes R,
//!
//!   a = ā + ω̇ × u + ü + ω × (ω × u) + 2 ω × u̇,   α = ω̇ + T φ̈ + Ṫφ̇ + ω × β                               (2)
//!
//! Force f and torque t on the body act along P, R, u and φ by
//!
//!   R f,   t + u × f,   f,   Tᵀ t        (f, t in axes R)                                                (3)
//!
//! so that the masses (m, J) of (2) become those of frame and node. (1) is the motion of a rigid body at any φ, and
//! energy is kept with exact virtual terms.

use nalgebra::{Matrix3, Vector3, Vector6};

use crate::math::rotation::{exponential, quaternion, tangent, tangent_change};
use crate::system::component::RigidBody;

use super::rigid::LinkMotion;

/// A rigid body as a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct RigidLink {
    /// Where its coordinates and velocities start among those of all bodies, and whether it is in the plane.
    pub q: usize,
    pub v: usize,
    pub planar: bool,
    mass: f64,
    moments: Vector3<f64>,
}

/// Its displacement at one instant, in axes R.
#[derive(Clone, Copy, Debug)]
pub(super) struct RigidLinkState {
    r: Matrix3<f64>,
    omega: Vector3<f64>,
    u: Vector3<f64>,
    u_rate: Vector3<f64>,
    /// D, T, β and Ṫφ̇.
    turned: Matrix3<f64>,
    tangent: Matrix3<f64>,
    spin: Vector3<f64>,
    faster: Vector3<f64>,
}

impl RigidLinkState {
    pub const STILL: Self = Self {
        r: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        omega: Vector3::new(0.0, 0.0, 0.0),
        u: Vector3::new(0.0, 0.0, 0.0),
        u_rate: Vector3::new(0.0, 0.0, 0.0),
        turned: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        tangent: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        spin: Vector3::new(0.0, 0.0, 0.0),
        faster: Vector3::new(0.0, 0.0, 0.0),
    };

    /// (1) of a link at `now`, displaced by d at the rate ḋ.
    pub fn new(now: &LinkMotion, d: &Vector6<f64>, rate: &Vector6<f64>) -> Self {
        let parts =
            |x: &Vector6<f64>| [0, 3].map(|k| -> Vector3<f64> { x.fixed_rows::<3>(k).into() });
        let ([u, phi], [u_rate, phi_rate]) = (parts(d), parts(rate));
        let own = tangent(&phi);
        Self {
            r: now.frame.r,
            omega: now.frame.r.tr_mul(&now.twist.w),
            u,
            u_rate,
            turned: exponential(&phi),
            tangent: own,
            spin: own * phi_rate,
            faster: tangent_change(&phi, &phi_rate) * phi_rate,
        }
    }

    /// What (2) has at V̇ = 0, ω̇ = 0, ü = 0, φ̈ = 0.
    fn bias(&self) -> (Vector3<f64>, Vector3<f64>) {
        let w = &self.omega;
        let a = w.cross(&w.cross(&self.u)) + w.cross(&self.u_rate) * 2.0;
        (a, self.faster + w.cross(&self.spin))
    }
}

/// Rows of a vector over frame and node that there are in the plane.
const PLANAR: [usize; 3] = [0, 1, 5];

impl RigidLink {
    pub fn new(body: &RigidBody, planar: bool) -> Self {
        let RigidBody { q, v, mass, moments, .. } = *body;
        Self { q, v, planar, mass, moments }
    }

    /// Freedoms of its frame, as many as of its node.
    pub fn border(&self) -> usize {
        if self.planar { 3 } else { 6 }
    }

    /// A vector of the frame or the node, from those that there are.
    fn whole(&self, x: &[f64]) -> [Vector3<f64>; 2] {
        let mut whole = Vector6::zeros();
        match self.planar {
            true => PLANAR.iter().zip(x).for_each(|(&k, x)| whole[k] = *x),
            false => whole.copy_from_slice(&x[..6]),
        }
        [0, 3].map(|k| whole.fixed_rows::<3>(k).into())
    }

    /// The reverse of [`RigidLink::whole`].
    pub fn write(&self, [a, b]: [&Vector3<f64>; 2], out: &mut [f64]) {
        match self.planar {
            true => out[..3].copy_from_slice(&[a.x, a.y, b.z]),
            false => {
                out[..3].copy_from_slice(a.as_slice());
                out[3..6].copy_from_slice(b.as_slice());
            }
        }
    }

    /// Coordinates and velocities of the body by (1), at its place among those of all.
    pub fn write_state(
        &self,
        now: &LinkMotion,
        at: &RigidLinkState,
        phi: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) {
        let (q, v) = (&mut q[self.q..], &mut v[self.v..]);
        let p = now.frame.p + at.r * at.u;
        let velocity = now.twist.v + at.r * (at.omega.cross(&at.u) + at.u_rate);
        let spin = at.turned.tr_mul(&(at.omega + at.spin));
        self.write([&velocity, &spin], v);
        match self.planar {
            true => q[..3].copy_from_slice(&[p.x, p.y, now.angle + phi]),
            false => {
                q[..3].copy_from_slice(p.as_slice());
                q[3..7].copy_from_slice(&quaternion(&(at.r * at.turned)));
            }
        }
    }

    /// Accelerations of the body by (2), in the world and along the body.
    pub fn write_accelerations(
        &self,
        at: &RigidLinkState,
        (linear, angular): (&Vector3<f64>, &Vector3<f64>),
        elastic: &[f64],
        out: &mut [f64],
    ) {
        let ([u, phi], bias) = (self.whole(elastic), at.bias());
        let a = linear + at.r * (angular.cross(&at.u) + u + bias.0);
        let turn = at.turned.tr_mul(&(angular + at.tangent * phi + bias.1));
        self.write([&a, &turn], out);
    }

    /// (3) of a force and a torque in axes R, over frame and node.
    fn spread(&self, at: &RigidLinkState, f: &Vector3<f64>, t: &Vector3<f64>, out: &mut [f64]) {
        let (frame, node) = out.split_at_mut(self.border());
        self.write([&(at.r * f), &(t + at.u.cross(f))], frame);
        self.write([f, &at.tangent.tr_mul(t)], node);
    }

    /// Moments of inertia in axes R times a vector.
    fn turning(&self, at: &RigidLinkState, x: &Vector3<f64>) -> Vector3<f64> {
        at.turned * at.turned.tr_mul(x).component_mul(&self.moments)
    }

    /// Forces on the body less those of inertia at V̇ = 0, ω̇ = 0, ü = 0, φ̈ = 0, over frame and node; `f` stands as for
    /// velocities of all bodies and contains the gyroscopic torque.
    pub fn forces(&self, at: &RigidLinkState, f: &[f64], out: &mut [f64]) {
        let [f, t] = self.whole(&f[self.v..]);
        let (a, turn) = at.bias();
        let force = at.r.tr_mul(&f) - a * self.mass;
        let torque = at.turned * t - self.turning(at, &turn);
        self.spread(at, &force, &torque, out);
    }

    /// Masses times accelerations of the frame, in the world and in axes R, and of the node; without displacements where they
    /// are not to count.
    pub fn mass_product(
        &self,
        at: &RigidLinkState,
        (linear, angular): (&Vector3<f64>, &Vector3<f64>),
        elastic: &[f64],
        out: &mut [f64],
    ) {
        let [u, phi] = self.whole(elastic);
        let a = at.r.tr_mul(linear) + angular.cross(&at.u) + u;
        let turn = angular + at.tangent * phi;
        self.spread(at, &(a * self.mass), &self.turning(at, &turn), out);
    }

    /// Work of forces over frame and node in a motion of both.
    pub fn work_along(
        &self,
        (linear, angular): (&Vector3<f64>, &Vector3<f64>),
        elastic: &[f64],
        forces: &[f64],
    ) -> f64 {
        let (frame, node) = forces.split_at(self.border());
        let ([f, t], [fu, tu]) = (self.whole(frame), self.whole(node));
        let [u, phi] = self.whole(elastic);
        f.dot(linear) + t.dot(angular) + fu.dot(&u) + tu.dot(&phi)
    }

    /// Masses of the node, lower triangle.
    pub fn masses(&self, at: &RigidLinkState, mut each: impl FnMut(usize, usize, f64)) {
        if self.planar {
            each(0, 0, self.mass);
            each(1, 1, self.mass);
            return each(2, 2, self.moments.z);
        }
        (0..3).for_each(|i| each(i, i, self.mass));
        let half = at.turned.tr_mul(&at.tangent);
        let turning = half.tr_mul(&(Matrix3::from_diagonal(&self.moments) * half));
        for i in 0..3 {
            (0..=i).for_each(|j| each(3 + i, 3 + j, turning[(i, j)]));
        }
    }

    /// Power of M a − f along the velocities of the body.
    pub fn power(&self, a: &[f64], f: &[f64], v: &[f64]) -> f64 {
        let [linear, angular] = self.whole(&a[self.v..]);
        let [force, torque] = self.whole(&f[self.v..]);
        let [velocity, spin] = self.whole(&v[self.v..]);
        (linear * self.mass - force).dot(&velocity)
            + (angular.component_mul(&self.moments) - torque).dot(&spin)
    }
}
