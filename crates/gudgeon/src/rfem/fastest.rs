//! The fastest vibration that springs between rigid elements allow, of the free link without lumps.
//!
//! Along and about the line a free chain of parts m and springs k, with half parts at its ends, has ω = 2 √(k/m)
//! at most. Across the line it is that of
//!
//!   M = diag(ρA l_i, ρA l_i³/12 + ρI l_i),   K from gaps y and angles θ of neighbours at every sde            (1)
//!
//! over y_i, θ_i of the middles; where shear is held over the places where elements meet. The fastest shapes live
//! at an end, whose element is light, or between neighbours: chains of more than [`LONGEST`] sde vibrate no faster.

use nalgebra::{DMatrix, DVector};

use crate::flexible::{Flexible, Method};
use crate::model::Space;

/// Springs of the longest chain that is looked at.
const LONGEST: usize = 12;

impl Flexible {
    /// Of rigid finite elements: rad/s, and what it is.
    pub fn fastest(&self, space: Space) -> Option<(f64, &'static str)> {
        let Method::Rfem { shear, tension } = self.method else { return None };
        if self.springs() == 0 {
            return None;
        }
        let s = &self.section;
        let (length, density) = (self.length() / self.springs() as f64, s.mass_per_length / s.area);
        let inertias: &[(f64, f64)] = match space {
            Space::Planar => &[(s.inertia_z, s.shear_y)],
            Space::Spatial => &[(s.inertia_z, s.shear_y), (s.inertia_y, s.shear_z)],
        };
        let what = if shear { "shear" } else { "bending" };
        let across = inertias.iter().map(|&(inertia, factor)| {
            let shear = shear.then_some(factor * s.shear_modulus() * s.area);
            (self.fastest_across(length, inertia, shear), what)
        });
        let mut found: Vec<(f64, &'static str)> = across.collect();
        if space == Space::Spatial {
            let polar = density * (s.inertia_y + s.inertia_z);
            let speed = (s.shear_modulus() * s.torsion / polar).sqrt();
            found.push((2.0 * speed / length, "torsion"));
        }
        if tension {
            found.push((2.0 * (s.young / density).sqrt() / length, "tension"));
        }
        found.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Of (1); k G A where shear is a spring.
    fn fastest_across(&self, part: f64, inertia: f64, shear: Option<f64>) -> f64 {
        let s = &self.section;
        let springs = self.springs().min(LONGEST);
        let lengths: Vec<f64> =
            (0..=springs).map(|i| if i % springs == 0 { 0.5 * part } else { part }).collect();
        let size = 2 * lengths.len();
        let (mut mass, mut stiffness) = (DVector::zeros(size), DMatrix::zeros(size, size));
        let rotary = if s.rotary { s.mass_per_length / s.area * inertia } else { 0.0 };
        for (i, l) in lengths.iter().enumerate() {
            mass[2 * i] = s.mass_per_length * l;
            mass[2 * i + 1] = s.mass_per_length * l.powi(3) / 12.0 + rotary * l;
        }
        let mut add = |row: DVector<f64>, k: f64| stiffness.ger(k, &row, &row, 1.0);
        for i in 0..springs {
            let mut turn = DVector::zeros(size);
            (turn[2 * i + 1], turn[2 * i + 3]) = (-1.0, 1.0);
            add(turn, s.young * inertia / part);
            if let Some(shear) = shear {
                let mut gap = DVector::zeros(size);
                (gap[2 * i], gap[2 * i + 1]) = (-1.0, -0.5 * lengths[i]);
                (gap[2 * i + 2], gap[2 * i + 3]) = (1.0, -0.5 * lengths[i + 1]);
                add(gap, shear / part);
            }
        }
        let (mass, stiffness) = match shear {
            Some(_) => (DMatrix::from_diagonal(&mass), stiffness),
            None => {
                // y and θ of an element from the places of its ends.
                let mut ends = DMatrix::zeros(size, lengths.len() + 1);
                for (i, l) in lengths.iter().enumerate() {
                    (ends[(2 * i, i)], ends[(2 * i, i + 1)]) = (0.5, 0.5);
                    (ends[(2 * i + 1, i)], ends[(2 * i + 1, i + 1)]) = (-1.0 / l, 1.0 / l);
                }
                let mass = ends.transpose() * DMatrix::from_diagonal(&mass) * &ends;
                (mass, ends.transpose() * stiffness * ends)
            }
        };
        let Some(root) = mass.cholesky() else { return 0.0 };
        let half = root.l().solve_lower_triangular(&stiffness).unwrap_or_default();
        let whole = root.l().solve_lower_triangular(&half.transpose()).unwrap_or_default();
        whole.symmetric_eigenvalues().iter().fold(0.0f64, |most, x| most.max(*x)).sqrt()
    }
}
