//! Motions that neither rows nor forces hold.

use super::newton::Search;
use crate::pencil::Pencil;
use crate::system::System;

/// A displacement counts as free where the stiffnesses that it meets cancel but for this share: a slender line is
/// held by some 1e-9 of what its stretch would cost.
const HELD: f64 = 1e-12;

/// A displacement that nothing holds.
pub(crate) struct Free {
    pub direction: Vec<f64>,
    /// What loads it, J.
    pub load: f64,
}

/// The direction that is held least, where that is hardly at all: by inverse iteration with the last factors.
pub(crate) fn free_direction(search: &mut Search, pencil: &Pencil) -> Option<Free> {
    let n = pencil.size();
    let s = (1e-13 * pencil.fastest()).sqrt();
    search.factors.factor(pencil, s).ok()?;
    let gaps = vec![0.0; pencil.rows.rows()];
    // Every direction has a part in the first one.
    let mut x: Vec<f64> = (0..n).map(|i| 1.0 + 0.37 * ((i * 7919) % 101) as f64 / 101.0).collect();
    for _ in 0..4 {
        let mut right = vec![0.0; n];
        pencil.mass.add_product(1.0, &x, &mut right);
        let step = search.solved(pencil, s, &right, &gaps)?;
        let size = step.size;
        x = step.by.iter().map(|u| u / size).collect();
    }
    let (mut held, mut met) = (0.0f64, 0.0f64);
    for (i, j, k) in pencil.stiffness.iter() {
        held += x[i] * k * x[j];
        met += (x[i] * k * x[j]).abs();
    }
    if held.abs() > HELD * met {
        return None;
    }
    let left = search.balance.imbalance();
    let load = left.iter().zip(&x).map(|(left, x)| left * x).sum::<f64>().abs();
    Some(Free { direction: x, load })
}

/// The body that a displacement moves most, and how.
pub(crate) fn moving_most(system: &System, by: &[f64]) -> String {
    let sizes = by.iter().enumerate();
    let (worst, _) =
        sizes.fold((0, 0.0), |most, (i, u)| if u.abs() > most.1 { (i, u.abs()) } else { most });
    let body = system.bodies.iter().position(|body| body.velocities().contains(&worst));
    let Some(body) = body else { return String::from("nothing") };
    let name = &system.model.bodies[body + 1].name;
    if system.bodies[body].formulation.is_flexible() {
        return format!("`{name}` moves or bends");
    }
    let lengths = system.bodies[body].formulation.lengths();
    let place = worst - system.bodies[body].v;
    match place.checked_sub(lengths) {
        None => format!("`{name}` moves along {}", ["x", "y", "z"][place.min(2)]),
        Some(_) if lengths == 2 => format!("`{name}` turns"),
        Some(axis) => format!("`{name}` turns about {}", ["x", "y", "z"][axis.min(2)]),
    }
}
