//! Stiffening by the axial force of the rigid motion.
//!
//! A straight line that begins at a point at rest and whose frame follows its chord e would bear, if it were rigid and
//! nothing pulled at it but weight and inertia,
//!
//!   N(x) = |e × ω|² S(x) + (e · g) m(x),   m(x) = ∫_x^L dm,  S(x) = ∫_x^L s dm                      (1)
//!
//! s from where the line begins, ω and g in axes of the frame. Across the line it makes the forces
//!
//!   f = −(|e × ω|² K_S + (e · g) K_m) q,   K_S = ∫ S θ θᵀ dx,  K_m = ∫ m θ θᵀ dx                    (2)
//!
//! with the slopes θ = (u_y′, u_z′). (2) is the virtual work of (1) on the shortening −½ ∫ θ² dx. The shortening itself
//! is left out: points of the line keep their distance along the chord, and the frame does not bear what (2) does to it.
//! So (2) has no potential, and its power is the formulation's own, a line of the ledger.
//!
//! The frame must follow the chord: that of the first section vibrates with it, and ω² of a vibration in (1) feeds it.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::element::Square;
use super::link::{Part, assembled};
use super::modes::Basis;
use crate::beam::gauss;
use crate::flexible::Flexible;

/// Entries of K_S and K_m, lower triangle.
type Entries = Vec<(usize, usize, [f64; 2])>;

#[derive(Clone, Debug)]
pub struct AxialForce {
    /// e in axes of the frame.
    axis: Vector3<f64>,
    entries: Entries,
}

/// What (1) follows from at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Pull {
    /// |e × ω|², 1/s².
    pub spin: f64,
    /// e · g, m/s².
    pub weight: f64,
}

impl AxialForce {
    pub(super) fn new(link: &Flexible, parts: &[Part]) -> Self {
        let mut entries: BTreeMap<(usize, usize), [f64; 2]> = BTreeMap::new();
        for (which, beyond) in [moment_beyond, mass_beyond].into_iter().enumerate() {
            for (i, j, k) in assembled(parts, |k, part| stiffness(link, k, part, beyond)) {
                entries.entry((i, j)).or_default()[which] = k;
            }
        }
        let entries = entries.into_iter().map(|((i, j), k)| (i, j, k)).collect();
        Self { axis: parts[0].axes.column(0).into_owned(), entries }
    }

    /// The same over the coordinates of a basis.
    pub(super) fn reduced(&self, basis: &Basis) -> Self {
        let one = |which: usize| -> Vec<(usize, usize, f64)> {
            let entries = self.entries.iter().map(|&(i, j, k)| (i, j, k[which]));
            basis.project(&entries.collect::<Vec<_>>())
        };
        let both = one(0).into_iter().zip(one(1));
        let entries = both.map(|((i, j, s), (_, _, m))| (i, j, [s, m])).collect();
        Self { axis: self.axis, entries }
    }

    /// ω and g in axes of the frame.
    pub fn pull(&self, omega: &Vector3<f64>, gravity: &Vector3<f64>) -> Pull {
        Pull { spin: self.axis.cross(omega).norm_squared(), weight: self.axis.dot(gravity) }
    }

    /// How (1) changes as the frame turns about each axis, and as it spins faster.
    pub fn pull_changes(&self, omega: &Vector3<f64>, gravity: &Vector3<f64>) -> [Pull; 6] {
        let across = omega - self.axis * self.axis.dot(omega);
        let turned = gravity.cross(&self.axis);
        std::array::from_fn(|k| match k {
            0..3 => Pull { spin: 0.0, weight: -turned[k] },
            _ => Pull { spin: 2.0 * across[k - 3], weight: 0.0 },
        })
    }

    /// Entries of the matrix of (2), lower triangle.
    pub fn entries(&self, pull: Pull) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.entries.iter().map(move |&(i, j, [s, m])| (i, j, pull.spin * s + pull.weight * m))
    }

    /// (2), added to `f`.
    pub fn add_forces(&self, pull: Pull, q: &[f64], f: &mut [f64]) {
        for (i, j, k) in self.entries(pull) {
            f[i] -= k * q[j];
            if i != j {
                f[j] -= k * q[i];
            }
        }
    }

    /// Power of (2), W.
    pub fn power(&self, pull: Pull, q: &[f64], v: &[f64]) -> f64 {
        let product = |(i, j, k): (usize, usize, f64)| match i == j {
            true => k * q[i] * v[i],
            false => k * (q[i] * v[j] + q[j] * v[i]),
        };
        -self.entries(pull).map(product).sum::<f64>()
    }
}

/// ∫ N θ θᵀ dx of an element, for N = m or S at its points of Gauss.
fn stiffness(link: &Flexible, k: usize, part: &Part, beyond: fn(&Flexible, f64) -> f64) -> Square {
    let share = |xi: f64| (k as f64 + xi) / link.elements as f64;
    let mut tension = [0.0; 4];
    for (tension, &(xi, _)) in tension.iter_mut().zip(gauss(4)) {
        *tension = beyond(link, share(xi));
    }
    part.element.geometric_stiffness(tension)
}

/// m(x) at a share of the line.
fn mass_beyond(link: &Flexible, along: f64) -> f64 {
    let lumps = link.lumps.iter().filter(|lump| lump.along > along);
    link.section.mass_per_length * link.length() * (1.0 - along)
        + lumps.map(|lump| lump.mass).sum::<f64>()
}

/// S(x) at a share of the line.
fn moment_beyond(link: &Flexible, along: f64) -> f64 {
    let length = link.length();
    let lumps = link.lumps.iter().filter(|lump| lump.along > along);
    0.5 * link.section.mass_per_length * length * length * (1.0 - along * along)
        + lumps.map(|lump| lump.mass * (lump.along * length + lump.centre.x)).sum::<f64>()
}
