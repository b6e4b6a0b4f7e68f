//! Masses of rigid finite elements: those of the parts of the line, with its sections and lumps.
//!
//!   m = ∫ ρA ds,   m c = ∫ ρA r ds,   J = ∫ (ρA (|x|² 1 − x xᵀ) + R i Rᵀ) ds,   x = r − c              (1)
//!
//! with i = ρ diag(I_y + I_z, I_y, I_z), of which only the first is left where sections have no rotary inertia.

use nalgebra::{Matrix3, Vector3};

use crate::beam::{MassProperties, gauss};
use crate::flexible::Flexible;
use crate::model::{Space, inertia_about_z};

/// Of the whole link, in its own axes.
pub fn mass_properties(link: &Flexible, space: Space) -> MassProperties {
    joined(&parts(link, space))
}

/// Of every rfe.
pub(super) fn parts(link: &Flexible, space: Space) -> Vec<MassProperties> {
    let bounds = link.boundaries();
    let parts = bounds.windows(2).enumerate();
    parts.map(|(i, ends)| part(link, space, i, (ends[0], ends[1]))).collect()
}

fn part(link: &Flexible, space: Space, element: usize, (from, to): (f64, f64)) -> MassProperties {
    let s = &link.section;
    let density = s.mass_per_length / s.area;
    let across = if s.rotary { [s.inertia_y, s.inertia_z] } else { [0.0; 2] };
    let own = Vector3::new(s.inertia_y + s.inertia_z, across[0], across[1]) * density;
    let length = (to - from) * link.length();
    let mut pieces: Vec<MassProperties> = gauss(5)
        .iter()
        .map(|(xi, weight)| {
            let along = from + (to - from) * xi;
            let axes = link.axes_at(along);
            MassProperties {
                mass: s.mass_per_length * length * weight,
                centre: link.place_at(along),
                inertia: axes
                    * Matrix3::from_diagonal(&(own * (length * weight)))
                    * axes.transpose(),
            }
        })
        .collect();
    for lump in link.lumps.iter().filter(|lump| link.element_at(lump.along) == element) {
        let axes = link.axes_at(lump.along);
        pieces.push(MassProperties {
            mass: lump.mass,
            centre: link.place_at(lump.along) + axes * lump.centre,
            inertia: axes * lump.inertia * axes.transpose(),
        });
    }
    let whole = joined(&pieces);
    match space {
        Space::Spatial => whole,
        Space::Planar => {
            MassProperties { inertia: inertia_about_z(whole.inertia[(2, 2)]), ..whole }
        }
    }
}

/// (1) of several.
fn joined(pieces: &[MassProperties]) -> MassProperties {
    let mass: f64 = pieces.iter().map(|piece| piece.mass).sum();
    let centre = pieces.iter().map(|piece| piece.centre * piece.mass).sum::<Vector3<f64>>() / mass;
    let about = |piece: &MassProperties| {
        let x = piece.centre - centre;
        piece.inertia + (Matrix3::identity() * x.norm_squared() - x * x.transpose()) * piece.mass
    };
    MassProperties { mass, centre, inertia: pieces.iter().map(about).sum() }
}
