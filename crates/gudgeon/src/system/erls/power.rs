//! What the equations gain by the terms that they leave out: (4) of `mod.rs`.

use super::work::ErlsWork;
use super::{EquivalentSystem, Made};
use crate::system::compile::System;
use crate::system::workspace::Workspace;

impl EquivalentSystem {
    /// Power along the true velocities of what is left of the exact balances, without that of drivers.
    pub(super) fn power(&self, system: &System, work: &Workspace, own: &mut ErlsWork) -> f64 {
        let mut power = 0.0;
        for (link, left) in self.links.iter().zip(&mut own.links) {
            let floating = match &link.made {
                Made::Flexible(floating) => *floating,
                Made::Rigid(body) => {
                    power += body.power(&work.accelerations, &work.forces, &work.v);
                    continue;
                }
            };
            let (body, state) = (&system.floating[floating], &work.floating[floating]);
            let range = body.v..body.v + body.size();
            let (linear, angular, elastic) = body.split(&work.accelerations[range.clone()]);
            let z = &state.moments.z;
            body.mass_product(state, z, (&linear, &angular), elastic, &mut left.product);
            let both = left.product.iter().zip(&work.forces[range.clone()]);
            power += both.zip(&work.v[range]).map(|((i, f), v)| (i - f) * v).sum::<f64>();
        }
        let drivers = system.model.drivers.iter().enumerate();
        let driven = drivers.map(|(i, driver)| self.driving(driver, own) * work.motions[i].rate);
        power - driven.sum::<f64>()
    }
}
