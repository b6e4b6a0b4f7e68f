//! What a section of the beam bears: strains and section forces at a place of the line.
//!
//! Signs: N > 0 in tension; κ_z = rₓₓ·rᵧ > 0 bends towards +y, M_z = −∫ y σ dA = E I_z κ_z; κ_y = −rₓₓ·r_z
//! bends towards −z, M_y = ∫ z σ dA = E I_y κ_y; M_x = ∫ (y τ_z − z τᵧ) dA. Section axes. Stresses are those
//! of the element's law (`law.rs`, `cable.rs`) with their viscous part, against undeformed lengths: of the
//! continuum summed over the points of the section, of the line and of cables from the measures, but moments of the
//! line from those at its nodes (`moments.rs`). Shears of
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
    pub(super) gradients: [Vector3<f64>; 3],
    pub(super) slopes: [Vector3<f64>; 3],
}

/// A value and its rate.
pub(super) type Rated = [f64; 2];

/// a · b and its rate.
pub(super) fn product(a: [&Vector3<f64>; 2], b: [&Vector3<f64>; 2]) -> Rated {
    [a[0].dot(b[0]), a[0].dot(b[1]) + a[1].dot(b[0])]
}

/// One term of κ of the line ((2) of `measures.rs`): a share of rₓₓ across the line, along a direction of the
/// section, and of the shear there; from the fields now and their rates.
pub(super) fn bend(of: [&Fields; 2], axis: usize, [share, change]: [f64; 2]) -> Rated {
    let gradient = |axis: usize| of.map(|fields| &fields.gradients[axis]);
    let (line, across) = (gradient(0), gradient(axis));
    let slope = of.map(|fields| &fields.slopes[0]);
    let (k, h) = (product(slope, across), product(slope, line));
    let (shear, p, n) = (product(line, across), product(line, line), product(across, across));
    let along = shear[0] * h[0] / p[0];
    let u = share * (k[0] - along) + change * shear[0];
    let along = (shear[1] * h[0] + shear[0] * h[1] - along * p[1]) / p[0];
    let rate = share * (k[1] - along) + change * shear[1];
    let factor = 1.0 / (p[0] * n[0]).sqrt();
    [u * factor, factor * (rate - 0.5 * u * (p[1] / p[0] + n[1] / n[0]))]
}

/// ε of the line ((1) of `measures.rs`) from p over its undeformed value and both shears.
pub(super) fn stretch(p: Rated, shears: &[Rated]) -> Rated {
    let mut out = [0.5 * (p[0] - 1.0), 0.5 * p[1]];
    for shear in shears {
        out[0] -= 0.5 * shear[0] * shear[0];
        out[1] -= shear[0] * shear[1];
    }
    out
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
        out.stress = self.section.outer_stresses(out.force.x, &out.moment);
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
        if self.elasticity.is_none() {
            return self.cable_measures(of);
        }
        let s = &self.section;
        let mut out = SectionState::default();
        let stress = |[value, rate]: Rated| value + self.delay * rate;
        let (g, [now, rate, _]) = (of[2].gradients[0].norm(), of);
        match self.elasticity == Some(Elasticity::Line) {
            true => self.add_moments(site, (q, v), now, &mut out),
            false => {
                self.add_twist(of, &mut out);
                self.add_bending(site, (q, v), &mut out);
            }
        }
        let mut shears = [[0.0; 2]; 2];
        for (xi, share) in [(0.0, 1.0 - site.xi), (1.0, site.xi)] {
            let [now, rate, rest] =
                [q, v, &self.reference].map(|state| self.fields(site, xi, state));
            let shear = |axis: usize| {
                let gradient = |axis: usize| [&now.gradients[axis], &rate.gradients[axis]];
                let mut shear = product(gradient(0), gradient(axis));
                shear[0] -= rest.gradients[0].dot(&rest.gradients[axis]);
                shear
            };
            for (axis, factor) in [s.shear_y, s.shear_z].into_iter().enumerate() {
                let own = shear(axis + 1);
                (0..2).for_each(|k| shears[axis][k] += share * own[k]);
                out.force[axis + 1] += share * factor * s.shear_modulus() * s.area * stress(own);
            }
        }
        let line = [&now.gradients[0], &rate.gradients[0]];
        let strain = stretch(product(line, line).map(|p| p / (g * g)), &shears);
        out.shear = shears.map(|shear| shear[0]);
        out.strain = strain[0];
        out.force.x = s.young * s.area * stress(strain);
        out
    }

    /// Moments by `moments.rs`, and the curvatures of their elastic part.
    fn add_moments(
        &self,
        site: &Site,
        (q, v): (&[f64], &[f64]),
        now: &Fields,
        out: &mut SectionState,
    ) {
        let s = &self.section;
        let across = [&now.gradients[1], &now.gradients[2]];
        let of = |v: Option<&[f64]>| {
            self.in_section(&self.end_moments(site.element, q, v), site.xi, across)
        };
        let elastic = of(None);
        out.moment = if self.delay > 0.0 { of(Some(v)) } else { elastic };
        out.curvature.z = elastic.z / (s.young * s.inertia_z);
        if self.dimension == 3 {
            out.curvature.x = elastic.x / (s.shear_modulus() * s.torsion);
            out.curvature.y = elastic.y / (s.young * s.inertia_y);
        }
    }

    /// τ of the law, constant along an element.
    fn add_twist(&self, of: &[Fields; 3], out: &mut SectionState) {
        let (s, [now, rate, rest]) = (&self.section, of);
        let g = rest.gradients[0].norm();
        let twist = |a: &Fields, b: &Fields| {
            0.5 * (a.slopes[1].dot(&b.gradients[2]) - a.slopes[2].dot(&b.gradients[1])) / g
        };
        out.curvature.x = twist(now, now) - twist(rest, rest);
        let rate = twist(now, rate) + twist(rate, now);
        out.moment.x = s.shear_modulus() * s.torsion * (out.curvature.x + self.delay * rate);
    }

    /// κ̄ + (2ξ − 1) κ₁ of the law.
    fn add_bending(&self, site: &Site, (q, v): (&[f64], &[f64]), out: &mut SectionState) {
        let s = &self.section;
        let axes = [(1, 2, 1.0, s.inertia_z), (2, 1, -1.0, s.inertia_y)];
        for (xi, [mean, slope]) in BEND {
            let [now, rate, rest] =
                [q, v, &self.reference].map(|state| self.fields(site, xi, state));
            let (g, still) = (rest.gradients[0].norm(), Fields::default());
            let share = (mean + (2.0 * site.xi - 1.0) * slope) / g;
            let factors = [share, (1.0 - 2.0 * xi) / self.length];
            for (across, about, sign, inertia) in axes.into_iter().take(self.dimension - 1) {
                let mut turn = bend([&now, &rate], across, factors);
                turn[0] -= bend([&rest, &still], across, factors)[0];
                out.curvature[about] += sign * turn[0];
                out.moment[about] += sign * s.young * inertia * (turn[0] + self.delay * turn[1]);
            }
        }
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
        out.strain = line[(0, 0)];
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
