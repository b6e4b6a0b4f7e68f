//! Which nodes of a link belong to its interface: those at or beside everything that acts on it or is read by what acts.

use std::collections::BTreeSet;

use super::functions;
use crate::fe::Link;
use crate::force;
use crate::model::{BodyId, Interface, Model};

impl Model {
    /// Where something acts on a link; none of a body that does not bend.
    pub(crate) fn interface(&self, body: BodyId) -> Option<Interface> {
        let link = self.bodies[body.0].flexible.as_deref()?;
        let joints = self.joints.iter().flat_map(|joint| [joint.a.0, joint.b.0]);
        let forces = self.forces.iter().flat_map(|f| force::pairs(&f.kind));
        let markers: BTreeSet<usize> = joints
            .chain(forces.flat_map(|(a, b)| [a, b]))
            .chain(functions::markers(self))
            .filter(|&marker| self.markers[marker].body == body)
            .collect();
        let places = markers.into_iter().map(|marker| self.markers[marker].local.p);
        // Ideal joints hold journals where these start.
        let starts =
            self.joints.iter().filter(|joint| joint.clearance.is_some()).filter_map(|joint| {
                let at = &self.markers[joint.a.0];
                (at.body == body).then(|| at.local.p + at.local.r * joint.start_offset)
            });
        let along = places.chain(starts).map(|place| link.nearest(&place));
        let nodes: BTreeSet<usize> =
            along.flat_map(|along| Link::nodes_at(along, link.elements)).collect();
        Some(Interface { body, nodes: nodes.into_iter().collect() })
    }
}
