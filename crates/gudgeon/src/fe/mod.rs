//! Finite elements of links whose deformation is small against a frame that moves with them.
//!
//! Elements and their matrices: `element.rs`; mesh, reference conditions, elastic forces: `link.rs`; stiffening by
//! the rigid motion: `axial.rs`; inertia
//! integrals to second order: `inertia.rs`; interface and modes:
//! `modes.rs`; places on the line, sections, deflection: `site.rs`; band
//! matrices: `band.rs`. Pure functions of elastic coordinates in axes of the frame; what the frame does with them is
//! `system/component/floating/`. Nothing is allocated after [`Link::new`].

mod axial;
pub mod band;
pub mod element;
pub mod inertia;
mod link;
mod modes;
mod site;
#[cfg(test)]
mod tests;

pub use axial::AxialForce;
pub use band::Band;
pub use inertia::{Integrals, Moments};
pub use link::{COLUMNS, Link};
pub use modes::Basis;
pub use site::{Field, Site};

use nalgebra::{Matrix3, Vector3};

use crate::beam::MassProperties;
use crate::flexible::Flexible;
use crate::model::{Space, inertia_about_z};

/// Of the whole undeformed link in its own axes.
pub fn mass_properties(link: &Flexible, space: Space) -> MassProperties {
    let own = Link::new(link, space, &Matrix3::identity(), &Vector3::zeros());
    let whole = own.integrals.mass_properties();
    match space {
        Space::Spatial => whole,
        Space::Planar => {
            MassProperties { inertia: inertia_about_z(whole.inertia[(2, 2)]), ..whole }
        }
    }
}
