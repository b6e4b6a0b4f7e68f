//! Bushings whose matrices can feed energy into the mechanism.

use nalgebra::Matrix6;

use crate::model::{ForceKind, ForceParameter};
use crate::results::Warning;
use crate::system::System;

/// Bushings whose stiffness is not symmetric: round a closed path it does work.
pub(super) fn warnings(system: &System) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (i, force) in system.model.forces.iter().enumerate() {
        let ForceKind::Bushing { stiffness, damping, .. } = &force.kind else { continue };
        let across = system.varying(i).iter().any(
            |varying| matches!(varying.parameter, ForceParameter::StiffnessEntry(i, j) if i != j),
        );
        if across || differs(stiffness) {
            warnings.push(Warning {
                code: "W0329",
                joint: force.name.clone(),
                message: "the stiffness matrix is not symmetric and can feed energy: a bushing that is moved round a closed path gives back more or less than it took".into(),
                help: "right for bearing coefficients, whose cross terms drive whirl; the ledger counts it as work of the bushing".into(),
            });
        } else if differs(damping) {
            warnings.push(Warning {
                code: "W0329",
                joint: force.name.clone(),
                message: "the damping matrix is not symmetric and may feed energy".into(),
                help: "right for bearing coefficients; the ledger counts its power as work of the bushing".into(),
            });
        }
    }
    warnings
}

fn differs(matrix: &Matrix6<f64>) -> bool {
    *matrix != matrix.transpose()
}
