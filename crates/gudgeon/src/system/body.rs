//! Rigid bodies in inner axes: origin at the mass centre, axes along the principal ones.
//!
//! In these axes M is diagonal for planar and spatial bodies alike, so M⁻¹ is a list of numbers, and
//! the gyroscopic torque is ω × Jω = ((J₃−J₂)ω₂ω₃, (J₁−J₃)ω₃ω₁, (J₂−J₁)ω₁ω₂).              (1)

use nalgebra::{Matrix3, Vector3};

use crate::marker::{BodyState, Formulation};
use crate::math::{decompose, rotation};
use crate::model::{Body, Model, Space};

/// A moving body with inverse masses, and artificial masses where the user gave none.
#[derive(Clone, Copy, Debug)]
pub struct RigidBody {
    pub formulation: Formulation,
    /// Where its coordinates and velocities start in q and v.
    pub q: usize,
    pub v: usize,
    pub mass: f64,
    /// Principal moments; of a planar body the last is that about z.
    pub moments: Vector3<f64>,
    /// Inner axes in the body's own axes.
    pub axes: Matrix3<f64>,
    /// 1/m and 1/J by velocity, from artificial masses where mass or inertia is missing.
    pub inverse: [f64; 6],
    /// Artificial masses by velocity; 0 where the user gave a mass.
    pub artificial: [f64; 6],
}

impl RigidBody {
    pub fn coordinates(&self) -> std::ops::Range<usize> {
        self.q..self.q + self.formulation.coordinates()
    }

    pub fn velocities(&self) -> std::ops::Range<usize> {
        self.v..self.v + self.formulation.velocities()
    }

    /// The body's part of a vector of velocities or accelerations: linear and angular.
    #[inline(always)]
    pub fn split<'v>(&self, v: &'v [f64]) -> (&'v [f64], &'v [f64]) {
        v[self.velocities()].split_at(self.formulation.translations())
    }

    /// ½ (m v² + ω · Jω), real masses only.
    pub fn kinetic(&self, v: &[f64]) -> f64 {
        let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
        let turning = match self.formulation {
            Formulation::Planar => self.moments.z * v[2] * v[2],
            Formulation::Spatial => {
                self.moments.x * v[3] * v[3]
                    + self.moments.y * v[4] * v[4]
                    + self.moments.z * v[5] * v[5]
            }
        };
        0.5 * (self.mass * square(&v[..self.formulation.translations()]) + turning)
    }

    /// Pose and velocity from the whole vectors q and v.
    #[inline(always)]
    pub fn state(&self, q: &[f64], v: &[f64]) -> BodyState {
        BodyState::new(self.formulation, &q[self.q..], &v[self.v..])
    }

    /// Weight and gyroscopic torque (1) into the body's part of f.
    #[inline(always)]
    pub fn own_forces(&self, gravity: &Vector3<f64>, v: &[f64], f: &mut [f64]) {
        let weight = gravity * self.mass;
        match self.formulation {
            Formulation::Planar => f.copy_from_slice(&[weight.x, weight.y, 0.0]),
            Formulation::Spatial => {
                let (j, w) = (&self.moments, [v[3], v[4], v[5]]);
                f.copy_from_slice(&[
                    weight.x,
                    weight.y,
                    weight.z,
                    (j.y - j.z) * w[1] * w[2],
                    (j.z - j.x) * w[2] * w[0],
                    (j.x - j.y) * w[0] * w[1],
                ]);
            }
        }
    }

    /// q̇ = N v.
    #[inline(always)]
    pub fn coordinate_rates(&self, q: &[f64], v: &[f64], rates: &mut [f64]) {
        match self.formulation {
            Formulation::Planar => rates.copy_from_slice(v),
            Formulation::Spatial => {
                rates[..3].copy_from_slice(&v[..3]);
                rates[3..].copy_from_slice(&rotation::rate(&q[3..], &v[3..]));
            }
        }
    }

    /// Moves q by a displacement in the directions of v.
    pub fn displace(&self, q: &mut [f64], by: &[f64]) {
        let translations = self.formulation.translations();
        for (x, d) in q.iter_mut().zip(&by[..translations]) {
            *x += d;
        }
        match self.formulation {
            Formulation::Planar => q[2] += by[2],
            Formulation::Spatial => {
                let turned = rotation::turned(&q[3..], &by[3..]);
                q[3..].copy_from_slice(&turned);
            }
        }
    }
}

/// All moving bodies of a model; `length` is the size of the mechanism, for artificial masses.
pub(super) fn bodies(model: &Model, length: f64) -> Vec<RigidBody> {
    let given: Vec<f64> = model.bodies.iter().filter_map(|b| b.mass).collect();
    let typical =
        if given.is_empty() { 1.0 } else { given.iter().sum::<f64>() / given.len() as f64 };
    let formulation = match model.space {
        Space::Planar => Formulation::Planar,
        Space::Spatial => Formulation::Spatial,
    };
    let (mut q, mut v) = (0, 0);
    let mut rigid = |body: &Body| {
        let placed = RigidBody { q, v, ..inner(body, formulation, typical, length) };
        q += formulation.coordinates();
        v += formulation.velocities();
        placed
    };
    model.bodies[1..].iter().map(&mut rigid).collect()
}

fn inner(body: &Body, formulation: Formulation, typical: f64, length: f64) -> RigidBody {
    let (moments, axes) = match formulation {
        Formulation::Planar => {
            let about_z = body.inertia.map_or(0.0, |j| j[(2, 2)]);
            (Vector3::new(0.0, 0.0, about_z), Matrix3::identity())
        }
        Formulation::Spatial => {
            body.inertia.map_or((Vector3::zeros(), Matrix3::identity()), |j| principal(&j))
        }
    };
    let translations = formulation.translations();
    let real = |i: usize| match formulation {
        _ if i < translations => body.mass,
        Formulation::Planar => body.inertia.map(|_| moments.z),
        Formulation::Spatial => body.inertia.map(|_| moments[i - 3]),
    };
    let artificial = |i: usize| if i < translations { typical } else { typical * length * length };
    let mut rigid = RigidBody {
        formulation,
        q: 0,
        v: 0,
        mass: body.mass.unwrap_or(0.0),
        moments,
        axes,
        inverse: [0.0; 6],
        artificial: [0.0; 6],
    };
    for i in 0..formulation.velocities() {
        rigid.inverse[i] = 1.0 / real(i).unwrap_or(artificial(i));
        rigid.artificial[i] = if real(i).is_some() { 0.0 } else { artificial(i) };
    }
    rigid
}

/// Principal moments and axes of an inertia; the own axes where they are principal already.
pub fn principal(inertia: &Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    let diagonal = inertia.diagonal();
    let off = inertia - Matrix3::from_diagonal(&diagonal);
    if off.amax() <= 1e-14 * diagonal.amax() {
        return (diagonal, Matrix3::identity());
    }
    let Some((eigenvalues, mut eigenvectors)) = decompose::symmetric3(inertia) else {
        return (diagonal, Matrix3::identity());
    };
    if eigenvectors.determinant() < 0.0 {
        eigenvectors.column_mut(2).neg_mut();
    }
    (eigenvalues, eigenvectors)
}
