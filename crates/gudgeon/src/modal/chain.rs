//! Outlines and shapes of links of rigid finite elements: one body each, with its ends and sde as nodes.

use nalgebra::Vector3;

use super::{BodyShape, Outline};
use crate::equilibrium::Balance;
use crate::model::Model;
use crate::rfem::Chain;

/// Ends and sde of a divided link.
pub(super) fn outline(balance: &Balance, chain: Chain) -> Outline {
    let (model, place) =
        (&balance.system().model, |along| chain.frame(along, |i| balance.body(i)).p);
    let centre = weighted(model, chain, |i| balance.body(i).frame.p);
    Outline {
        body: model.bodies[chain.division.body.0].name.clone(),
        centre: centre.into(),
        points: chain.stations().map(|along| place(along).into()).collect(),
    }
}

/// Mean over the elements of a divided link by their masses.
fn weighted(model: &Model, chain: Chain, of: impl Fn(usize) -> Vector3<f64>) -> Vector3<f64> {
    let mass = |i: usize| model.bodies[i + 1].mass.unwrap_or(0.0);
    let elements = || chain.division.elements.iter().map(|body| body.0 - 1);
    let sum: Vector3<f64> = elements().map(|i| of(i) * mass(i)).sum();
    sum / elements().map(mass).sum::<f64>()
}

/// Mass centre, rotation of the middle, ends and sde of a divided link.
pub(super) fn update_shape(
    balance: &Balance,
    chain: Chain,
    parts: &[Vec<f64>; 2],
    out: &mut BodyShape,
) {
    let system = balance.system();
    out.nodes = vec![[[0.0; 2]; 3]; chain.stations().count()];
    for (part, values) in parts.iter().enumerate() {
        let motion = |i: usize| {
            let own = &values[system.bodies[i].velocities()];
            match system.bodies[i].formulation.lengths() {
                2 => (Vector3::new(own[0], own[1], 0.0), Vector3::new(0.0, 0.0, own[2])),
                _ => {
                    (Vector3::from_column_slice(&own[..3]), Vector3::from_column_slice(&own[3..6]))
                }
            }
        };
        let centre = weighted(&system.model, chain, |i| motion(i).0);
        let turn = motion(chain.holder(0.5)).1;
        for k in 0..3 {
            out.translation[k][part] = centre[k];
            out.rotation[k][part] = turn[k];
        }
        for (node, along) in chain.stations().enumerate() {
            let holder = chain.holder(along);
            let arm = chain.frame(along, |i| balance.body(i)).p - balance.body(holder).frame.p;
            let (moved, turned) = motion(holder);
            let moved = moved + turned.cross(&arm);
            (0..3).for_each(|k| out.nodes[node][k][part] = moved[k]);
        }
    }
}
