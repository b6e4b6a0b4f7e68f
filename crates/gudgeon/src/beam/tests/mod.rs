//! Tests of beams: derivatives, invariance, masses, statics, frequencies.

mod derivatives;
mod invariance;
mod masses;
mod modes;
mod sections;
mod speed;
mod statics;

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::Beam;
use crate::flexible::{
    AncfElement, Damping, Elasticity, EndSection, Flexible, Lump, Method, Section,
};
use crate::model::Space;

const KINDS: [(AncfElement, Elasticity); 4] = [
    (AncfElement::Beam, Elasticity::Continuum),
    (AncfElement::Beam, Elasticity::Selective),
    (AncfElement::Beam, Elasticity::Line),
    (AncfElement::Cable, Elasticity::Line),
];

/// A straight line along x from the origin.
fn straight(length: f64, section: Section, kind: (AncfElement, Elasticity), n: usize) -> Flexible {
    Flexible {
        from: Vector3::zeros(),
        to: Vector3::x() * length,
        axes: Matrix3::identity(),
        curvature: Vector3::zeros(),
        section,
        method: Method::Ancf { element: kind.0, elasticity: kind.1 },
        elements: n,
        damping: Damping::default(),
        ends: [EndSection::Free; 2],
        lumps: Vec::new(),
    }
}

/// All kinds with a stubby section, straight and as an arc where the element allows it, with damping.
fn every() -> Vec<(String, Beam)> {
    let mut out = Vec::new();
    for space in [Space::Planar, Space::Spatial] {
        for kind in KINDS {
            for curvature in [0.0, 1.2] {
                let cable = kind.0 == AncfElement::Cable;
                if cable && space == Space::Spatial && curvature > 0.0 {
                    continue;
                }
                let height = if cable { 0.05 } else { 0.08 };
                let section = Section::rectangle(height, 0.05, 1e6, 0.3, 2000.0);
                let mut link = straight(0.6, section, kind, 2);
                link.from = Vector3::new(0.1, -0.2, 0.0);
                link.to = link.from + link.axes.column(0) * 0.6;
                link.curvature.z = curvature;
                link.damping.strain = 0.02;
                let lump = Lump {
                    along: 0.7,
                    mass: 0.3,
                    centre: Vector3::new(0.02, 0.0, 0.0),
                    inertia: Matrix3::from_diagonal(&Vector3::new(2e-4, 1e-4, 2.5e-4)),
                };
                link.lumps.push(lump);
                let name = format!("{space:?} {kind:?} curvature {curvature}");
                out.push((name, Beam::new(&link, space)));
            }
        }
    }
    out
}

/// Numbers in −1 … 1, always the same.
fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// The undeformed line, turned and moved, with the velocity of a rigid motion.
fn rigid(beam: &Beam, angle: f64, spin: f64) -> (Vec<f64>, Vec<f64>) {
    let d = beam.dimension();
    let axis = match d {
        2 => Vector3::z(),
        _ => Vector3::new(0.48, -0.6, 0.64),
    };
    let turn = crate::math::rotation::exponential(&(axis * angle));
    let omega = axis * spin;
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for (k, vector) in beam.reference().chunks(d).enumerate() {
        let place = k % beam.vectors() == 0;
        let mut arm = Vector3::zeros();
        arm.as_mut_slice()[..d].copy_from_slice(vector);
        let arm = turn * arm;
        let mut rate = omega.cross(&arm);
        if place {
            rate += Vector3::new(0.3, -0.7, 0.2);
        }
        let shift = if place { Vector3::new(0.2, 0.5, -0.1) } else { Vector3::zeros() };
        q.extend_from_slice(&(arm + shift).as_slice()[..d]);
        v.extend_from_slice(&rate.as_slice()[..d]);
    }
    (q, v)
}

fn forces(beam: &Beam, q: &[f64], v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; beam.size()];
    beam.add_forces(q, v, &mut out);
    out
}

/// Assembled K and D.
fn tangents(beam: &Beam, q: &[f64], v: &[f64]) -> (DMatrix<f64>, DMatrix<f64>) {
    let n = beam.size();
    let (mut k, mut d) = (DMatrix::zeros(n, n), DMatrix::zeros(n, n));
    beam.add_tangents(q, v, |first, count, kb, db| {
        for i in 0..count {
            for j in 0..count {
                k[(first + i, first + j)] += kb[i * count + j];
                d[(first + i, first + j)] += db[i * count + j];
            }
        }
    });
    (k, d)
}

fn masses(beam: &Beam) -> DMatrix<f64> {
    let (n, d) = (beam.size(), beam.dimension());
    let mut m = DMatrix::zeros(n, n);
    for (i, j, entry) in beam.mass() {
        for c in 0..d {
            m[(i * d + c, j * d + c)] = entry;
            m[(j * d + c, i * d + c)] = entry;
        }
    }
    m
}

/// Which coordinates of the first node a clamp holds.
#[derive(Clone, Copy)]
enum Clamp {
    Node,
    /// Place and section, not the direction of the line, so that shear is free.
    Section,
}

/// Newton's method for a line clamped at its first node under a dead tip force, in steps of load.
fn equilibrium(beam: &Beam, force: &[f64], steps: usize, clamp: Clamp) -> Vec<f64> {
    let (n, d) = (beam.size(), beam.dimension());
    let held = |i: &usize| match clamp {
        Clamp::Node => *i < beam.node_size(),
        Clamp::Section => *i < beam.node_size() && i / d != 1,
    };
    let free: Vec<usize> = (0..n).filter(|i| !held(i)).collect();
    let (mut q, still) = (beam.reference().to_vec(), vec![0.0; n]);
    let tip = n - beam.node_size();
    for step in 1..=steps {
        for _ in 0..60 {
            let mut residual = forces(beam, &q, &still);
            for (d, force) in force.iter().enumerate() {
                residual[tip + d] += force * step as f64 / steps as f64;
            }
            let (k, _) = tangents(beam, &q, &still);
            let k = DMatrix::from_fn(free.len(), free.len(), |i, j| k[(free[i], free[j])]);
            let rest = DVector::from_fn(free.len(), |i, _| residual[free[i]]);
            let change = k.lu().solve(&rest).expect("regular");
            let longest = change.amax();
            // Steps beyond a tenth would leave the range of Newton's method.
            let factor = (0.1 / longest).min(1.0);
            for (i, to) in free.iter().enumerate() {
                q[*to] += factor * change[i];
            }
            if longest < 1e-11 {
                break;
            }
        }
    }
    q
}

fn tip_under_force(beam: &Beam, force: &[f64], steps: usize, clamp: Clamp) -> Vec<f64> {
    equilibrium(beam, force, steps, clamp)[beam.size() - beam.node_size()..].to_vec()
}
