//! What a section of the beam bears: strains and section forces at a place of the line.
//!
//! Signs: N > 0 in tension; κ_z = rₓₓ·rᵧ > 0 bends towards +y, M_z = −∫ y σ dA = E I_z κ_z; κ_y = −rₓₓ·r_z
//! bends towards −z, M_y = ∫ z σ dA = E I_y κ_y; M_x = ∫ (y τ_z − z τᵧ) dA. Section axes. Stresses are those
//! of the element's law (`law.rs`, `cable.rs`) with their viscous part, against undeformed lengths: of the
//! continuum summed over the points of the section, of the line and of cables from the measures. Shears of
//! the line act at the nodes and are drawn linearly between them. Fibres: σ = N/A ± |M_y| c_z/I_y ± |M_z| c_y/I_z.
//! A cable in space knows its curvature but no section axes: κ_z and M_z are magnitudes, without viscous part.

use nalgebra::{Matrix3, Vector3};

use super::law::{BEND, axes, combine, normal_hooke, section_points};
use super::shape::{Shape, Weights};
use super::{Beam, Site};
use crate::flexible::Elasticity;

/// Strains and forces of a section.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SectionState {
    /// Of the line: Green's, of a cable its stretch less one.
    pub strain: f64,
    /// γ_y and γ_z.
    pub shear: [f64; 2],
    /// Twist and curvatures κ_y, κ_z less the undeformed ones, 1/m.
    pub curvature: Vector3<f64>,
    /// N, Q_y, Q_z, N.
    pub force: Vector3<f64>,
    /// M_x, M_y, M_z, N m.
    pub moment: Vector3<f64>,
    /// Smallest and largest stress of the outer fibres, Pa.
    pub stress: [f64; 2],
}

/// rₓ, rᵧ, r_z and their derivatives along the line.
#[derive(Clone, Copy, Default)]
pub(super) struct Fields {
    gradients: [Vector3<f64>; 3],
    slopes: [Vector3<f64>; 3],
}

impl Fields {
    /// Of cables.
    pub(super) fn of_tangent(gradient: Vector3<f64>, slope: Vector3<f64>) -> Self {
        let zero = Vector3::zeros();
        Self { gradients: [gradient, zero, zero], slopes: [slope, zero, zero] }
    }
}

impl Beam {
    /// Strains and section forces at a place.
    pub fn section_at(&self, site: &Site, q: &[f64], v: &[f64]) -> SectionState {
        let states = [q, v, &self.reference].map(|state| self.fields(site, site.xi, state));
        let mut out = self.line_measures(site, q, v, &states);
        match self.elasticity {
            Some(Elasticity::Continuum) => self.add_stresses(site, q, v, Share::Whole, &mut out),
            Some(Elasticity::Selective) => self.add_stresses(site, q, v, Share::Parts, &mut out),
            _ => {}
        }
        self.add_outer_stresses(&mut out);
        out
    }

    /// The same of a cable from its fields now, their rates and at rest.
    pub(super) fn cable_section(&self, of: &[Fields; 3]) -> SectionState {
        let mut out = self.cable_measures(of);
        self.add_outer_stresses(&mut out);
        out
    }

    fn add_outer_stresses(&self, out: &mut SectionState) {
        let s = &self.section;
        let bending = out.moment.y.abs() * s.fibre_z / s.inertia_y.max(f64::MIN_POSITIVE)
            + out.moment.z.abs() * s.fibre_y / s.inertia_z.max(f64::MIN_POSITIVE);
        let mean = out.force.x / s.area;
        out.stress = [mean - bending, mean + bending];
    }

    fn fields(&self, site: &Site, xi: f64, state: &[f64]) -> Fields {
        let shape = Shape::at(xi, self.length, self.vectors);
        let combine = |weights| self.combine(site, weights, state);
        Fields {
            gradients: shape.gradients.each_ref().map(combine),
            slopes: shape.slopes.each_ref().map(combine),
        }
    }

    fn combine(&self, site: &Site, weights: &Weights, state: &[f64]) -> Vector3<f64> {
        let from = &state[site.element * self.node_size()..];
        match self.dimension {
            2 => combine::<2>(weights, 2 * self.vectors, from),
            _ => combine::<3>(weights, 2 * self.vectors, from),
        }
    }

    /// Measures of the line, and the forces that follow from them.
    fn line_measures(&self, site: &Site, q: &[f64], v: &[f64], of: &[Fields; 3]) -> SectionState {
        let s = &self.section;
        let g = of[2].gradients[0].norm();
        let mut out = SectionState::default();
        // A bilinear measure less its undeformed value, and what its law sees.
        let measure = |of: &[Fields; 3], f: &dyn Fn(&Fields, &Fields) -> f64| {
            let value = f(&of[0], &of[0]) - f(&of[2], &of[2]);
            (value, value + self.delay * (f(&of[0], &of[1]) + f(&of[1], &of[0])))
        };
        if self.elasticity.is_none() {
            return self.cable_measures(of);
        }
        let stretch = |a: &Fields, b: &Fields| 0.5 * a.gradients[0].dot(&b.gradients[0]) / (g * g);
        let twist = |a: &Fields, b: &Fields| {
            0.5 * (a.slopes[1].dot(&b.gradients[2]) - a.slopes[2].dot(&b.gradients[1])) / g
        };
        let (strain, stress) = measure(of, &stretch);
        out.strain = strain;
        out.force.x = s.young * s.area * stress;
        let (value, stress) = measure(of, &twist);
        out.curvature.x = value;
        out.moment.x = s.shear_modulus() * s.torsion * stress;
        // κ̄ + (2ξ − 1) κ₁ of the law.
        for (xi, [mean, slope]) in BEND {
            let at = [q, v, &self.reference].map(|state| self.fields(site, xi, state));
            let g = at[2].gradients[0].norm();
            let share = mean + (2.0 * site.xi - 1.0) * slope;
            for (axis, sign, inertia) in [(1, -1.0, s.inertia_y), (2, 1.0, s.inertia_z)] {
                let turn = |a: &Fields, b: &Fields| a.slopes[0].dot(&b.gradients[3 - axis]);
                let shear = |a: &Fields, b: &Fields| a.gradients[0].dot(&b.gradients[3 - axis]);
                let change = (1.0 - 2.0 * xi) / self.length;
                let bend =
                    |a: &Fields, b: &Fields| sign * (share * turn(a, b) / g + change * shear(a, b));
                let (value, stress) = measure(&at, &bend);
                out.curvature[axis] += value;
                out.moment[axis] += s.young * inertia * stress;
            }
        }
        for (xi, share) in [(0.0, 1.0 - site.xi), (1.0, site.xi)] {
            let node = [q, v, &self.reference].map(|state| self.fields(site, xi, state));
            for (axis, factor) in [s.shear_y, s.shear_z].into_iter().enumerate() {
                let shear = |a: &Fields, b: &Fields| a.gradients[0].dot(&b.gradients[axis + 1]);
                let (value, stress) = measure(&node, &shear);
                out.shear[axis] += share * value;
                out.force[axis + 1] += share * factor * s.shear_modulus() * s.area * stress;
            }
        }
        out
    }

    fn cable_measures(&self, of: &[Fields; 3]) -> SectionState {
        let s = &self.section;
        let g = of[2].gradients[0].norm();
        let turn = |a: &Fields| {
            let (u, p) = (a.gradients[0], a.slopes[0]);
            u.cross(&p) / (u.norm_squared() * g)
        };
        let (u, u_rate) = (of[0].gradients[0], of[1].gradients[0]);
        let (p, p_rate) = (of[0].slopes[0], of[1].slopes[0]);
        let mut out = SectionState { strain: u.norm() / g - 1.0, ..SectionState::default() };
        let rate = u.dot(&u_rate) / (u.norm() * g);
        out.force.x = s.young * s.area * (out.strain + self.delay * rate);
        let curvature = turn(&of[0]);
        if self.dimension == 3 {
            out.curvature.z = curvature.norm();
            out.moment.z = 0.5 * s.young * (s.inertia_y + s.inertia_z) * out.curvature.z;
            return out;
        }
        let square = u.norm_squared();
        let change = (u_rate.cross(&p) + u.cross(&p_rate)).z / (square * g)
            - 2.0 * curvature.z * u.dot(&u_rate) / square;
        out.curvature.z = curvature.z - turn(&of[2]).z;
        out.moment.z = s.young * s.inertia_z * (out.curvature.z + self.delay * change);
        out
    }

    /// Section forces of the continuum, and its shears on the line.
    fn add_stresses(
        &self,
        site: &Site,
        q: &[f64],
        v: &[f64],
        share: Share,
        out: &mut SectionState,
    ) {
        (out.force, out.moment) = (Vector3::zeros(), Vector3::zeros());
        let dimension = self.dimension;
        let (line, line_rate) = self.strains(site, q, v, 0.0, 0.0);
        out.shear = [2.0 * line[(0, 1)], 2.0 * line[(0, 2)]];
        let (own, side) = normal_hooke(&self.section, dimension);
        for (y, z, part) in section_points(&self.section, dimension) {
            let (strain, rate) = self.strains(site, q, v, y, z);
            let here = strain + rate * self.delay;
            let mean = line + line_rate * self.delay;
            // C E, or C₀ E of the point and C_ν E of the line.
            let normal = |row: usize| -> f64 {
                let young = self.section.young;
                (0..dimension)
                    .map(|j| {
                        let law = if row == j { own } else { side };
                        let plain = if row == j { young } else { 0.0 };
                        match share {
                            Share::Whole => law * here[(j, j)],
                            Share::Parts => plain * here[(j, j)] + (law - plain) * mean[(j, j)],
                        }
                    })
                    .sum()
            };
            let weight = part * self.section.area;
            let x = weight * normal(0);
            let shear = 2.0 * weight * self.section.shear_modulus();
            let (across_y, across_z) = (shear * here[(0, 1)], shear * here[(0, 2)]);
            out.force += Vector3::new(x, across_y, across_z);
            out.moment += Vector3::new(y * across_z - z * across_y, z * x, -y * x);
        }
    }

    /// Green's strain at a point of a section in undeformed section axes, and its rate.
    fn strains(
        &self,
        site: &Site,
        q: &[f64],
        v: &[f64],
        y: f64,
        z: f64,
    ) -> (Matrix3<f64>, Matrix3<f64>) {
        let gradient = |state: &[f64], normal: f64, y: f64, z: f64| {
            let Fields { gradients: [x, across, mut up], slopes: [_, yx, zx] } =
                self.fields(site, site.xi, state);
            if self.dimension == 2 {
                up.z = normal;
            }
            Matrix3::from_columns(&[x + y * yx + z * zx, across, up])
        };
        let line = gradient(&self.reference, 1.0, 0.0, 0.0);
        let columns = [0, 1, 2].map(|axis| line.column(axis).into_owned());
        let undeformed = gradient(&self.reference, 1.0, y, z);
        let Some(inverse) = undeformed.try_inverse() else {
            return (Matrix3::zeros(), Matrix3::zeros());
        };
        let turn = inverse * axes(&columns, self.dimension);
        let now = gradient(q, 1.0, y, z) * turn;
        let rate = gradient(v, 0.0, y, z) * turn;
        let product = now.transpose() * rate;
        let strain = 0.5 * (now.transpose() * now - Matrix3::identity());
        (strain, 0.5 * (product + product.transpose()))
    }
}

/// Which part of the law of the continuum acts across the section.
#[derive(Clone, Copy)]
enum Share {
    Whole,
    Parts,
}
