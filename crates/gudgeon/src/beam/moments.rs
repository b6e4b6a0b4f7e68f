//! Section moments of a line, as its elements bring them to their nodes.
//!
//! A turn δθ of node i changes its gradients by δθ × r_a, so that the elastic and viscous forces f_a of an element
//! on them do the work δθ · m_i, and with section moments as vectors
//!
//!   m_i = Σ_a r_a × f_a,   M(0) = m_0,   M(1) = −m_1,   M(ξ) = (1 − ξ) M(0) + ξ M(1)                   (1)
//!
//! These balance at every node whatever the element's strains. Those do not see how the components of M
//! change where a section turns within an element: the twist is constant there (`law.rs`), though M_x changes by
//! κ_z M_y − κ_y M_z per length, and M_y with M_x. Moments by strains are thus of order 1 at nodes of lines
//! that are curved in space, those of (1) of order 2. Curvatures are those that have the elastic part of M.

use nalgebra::Vector3;

use super::{Beam, Law};

/// M of an element at both ends, in the axes that its coordinates have, N m.
pub(super) type EndMoments = [Vector3<f64>; 2];

/// Coordinates of the two nodes of an element, at most.
const MOST: usize = 24;

impl Beam {
    /// (1) of an element of a beam; without velocities the elastic part alone.
    pub(super) fn end_moments(&self, element: usize, q: &[f64], v: Option<&[f64]>) -> EndMoments {
        let (range, still) = (self.range(element), [0.0; MOST]);
        let q = &q[range.clone()];
        let v = v.map_or(&still[..q.len()], |v| &v[range]);
        let mut force = [0.0; MOST];
        by_law!(&self.law, law => law.add_forces(q, v, &mut force[..q.len()]));
        let vector = |of: &[f64], k: usize| {
            let mut out = Vector3::zeros();
            out.iter_mut()
                .zip(&of[k * self.dimension..])
                .take(self.dimension)
                .for_each(|(to, x)| *to = *x);
            out
        };
        let moment = |node: usize| -> Vector3<f64> {
            let gradients = node * self.vectors + 1..(node + 1) * self.vectors;
            gradients.map(|k| vector(q, k).cross(&vector(&force, k))).sum()
        };
        [moment(0), -moment(1)]
    }

    /// Components of M(ξ) along the normal of a section and its directions `across`, rᵧ and r_z.
    pub(super) fn in_section(
        &self,
        ends: &EndMoments,
        xi: f64,
        across: [&Vector3<f64>; 2],
    ) -> Vector3<f64> {
        let moment = ends[0] * (1.0 - xi) + ends[1] * xi;
        if self.dimension == 2 {
            return moment;
        }
        let x = across[0].cross(across[1]).normalize();
        let y = across[0].normalize();
        Vector3::new(moment.dot(&x), moment.dot(&y), moment.dot(&x.cross(&y)))
    }
}
