//! What does not depend on where a line is, and states of uniform strain.

use super::*;
use crate::math::rotation::exponential;

/// A bent, sheared and twisted state with its velocities, turned about an axis and moved.
fn turned(beam: &Beam, angle: f64) -> (Vec<f64>, Vec<f64>) {
    let (d, vectors) = (beam.dimension(), beam.vectors());
    let axis = if d == 2 { Vector3::z() } else { Vector3::new(0.48, -0.6, 0.64) };
    let turn = exponential(&(axis * angle));
    let shift = Vector3::new(angle, -0.5 * angle, if d == 2 { 0.0 } else { 0.3 * angle });
    let (noise_q, noise_v) = (noise(beam.size(), 21), noise(beam.size(), 22));
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for (k, reference) in beam.reference().chunks(d).enumerate() {
        let of = |x: &[f64]| Vector3::from_iterator(x.iter().copied().chain([0.0]).take(3));
        let at = k * d..(k + 1) * d;
        let mut place = turn * (of(reference) + of(&noise_q[at.clone()]) * 0.05);
        if k % vectors == 0 {
            place += shift;
        }
        q.extend_from_slice(&place.as_slice()[..d]);
        v.extend_from_slice(&(turn * of(&noise_v[at])).as_slice()[..d]);
    }
    (q, v)
}

/// Energies and what sections bear are of strains of some per cent, and their roundings relative to them.
#[test]
fn turning_a_bent_line_changes_neither_energy_nor_section_forces() {
    for (name, beam) in every() {
        let (q, v) = turned(&beam, 0.0);
        let (energy, lost) = (beam.strain_energy(&q), beam.dissipation(&q, &v));
        let places = [0.0, 0.21, 0.5, 0.83, 1.0].map(|along| beam.site(along));
        let sections = places.map(|site| beam.section_at(&site, &q, &v));
        let largest = |of: fn(&crate::beam::SectionState) -> f64| {
            sections.iter().map(of).fold(0.0f64, f64::max)
        };
        let (force, moment) = (largest(|s| s.force.norm()), largest(|s| s.moment.norm()));
        for angle in [1.0, 2.0, 3.0] {
            let (q, v) = turned(&beam, angle);
            let off = (beam.strain_energy(&q) / energy - 1.0).abs();
            assert!(off < 1e-12, "{name} {angle}: energy off by {off:e}");
            let off = (beam.dissipation(&q, &v) / lost - 1.0).abs();
            assert!(off < 1e-12, "{name} {angle}: dissipation off by {off:e}");
            for (site, before) in places.iter().zip(&sections) {
                let now = beam.section_at(site, &q, &v);
                let off = (now.force - before.force).norm() / force;
                assert!(off < 1e-12, "{name} {angle}: force off by {off:e}");
                let off = (now.moment - before.moment).norm() / moment;
                assert!(off < 1e-12, "{name} {angle}: moment off by {off:e}");
            }
        }
    }
}

/// Resultant and moment of the inner forces, viscous ones with them, are nothing at any state. Bent cables in space
/// resist spin when they are damped by strain, at most θ E I c² ω per length: elastic forces only.
#[test]
fn inner_forces_balance() {
    for (name, beam) in every() {
        let (q, mut v) = turned(&beam, 1.3);
        if beam.vectors() == 2 && beam.dimension() == 3 {
            v.fill(0.0);
        }
        let force = forces(&beam, &q, &v);
        let d = beam.dimension();
        let of = |x: &[f64]| Vector3::from_iterator(x.iter().copied().chain([0.0]).take(3));
        let (mut sum, mut moment, mut size) = (Vector3::zeros(), Vector3::zeros(), 0.0f64);
        for (k, (q, f)) in q.chunks(d).zip(force.chunks(d)).enumerate() {
            if k % beam.vectors() == 0 {
                sum += of(f);
                size = size.max(of(f).norm());
            }
            moment += of(q).cross(&of(f));
        }
        assert!(sum.norm() < 1e-12 * size, "{name}: {sum} of {size}");
        assert!(moment.norm() < 1e-12 * size, "{name}: {moment} of {size}");
    }
}

/// All elements are strained alike, and inner nodes are at rest: (1 + ε) x.
#[test]
fn even_stretch_leaves_inner_nodes_at_rest() {
    let section = Section::rectangle(0.02, 0.02, 1e9, 0.0, 1000.0);
    for space in [Space::Planar, Space::Spatial] {
        for kind in KINDS {
            let beam = Beam::new(&straight(1.0, section, kind, 4), space);
            let (d, strain) = (beam.dimension(), 0.01);
            let mut q = beam.reference().to_vec();
            for (k, vector) in q.chunks_exact_mut(d).enumerate() {
                if k % beam.vectors() < 2 {
                    vector[0] *= 1.0 + strain;
                }
            }
            let green = strain + 0.5 * strain * strain;
            let (measure, tension) = match kind.0 {
                AncfElement::Cable => (strain, strain),
                AncfElement::Beam => (green, green * (1.0 + strain)),
            };
            let stiffness = 1e9 * section.area;
            let energy = beam.strain_energy(&q) / (0.5 * stiffness * measure * measure);
            assert!((energy - 1.0).abs() < 1e-11, "{space:?} {kind:?}: {energy}");
            let force = forces(&beam, &q, &vec![0.0; beam.size()]);
            let (node, last) = (beam.node_size(), beam.size() - beam.node_size());
            let inner = force[node..last].iter().fold(0.0f64, |most, f| most.max(f.abs()));
            assert!(inner < 1e-12 * stiffness, "{space:?} {kind:?}: {inner}");
            // The ends pull back by the tension.
            let pull = -force[last] / (stiffness * tension);
            assert!((pull - 1.0).abs() < 1e-11, "{space:?} {kind:?}: {pull}");
        }
    }
}

/// A straight line whose sections turn by φ′ x. Gradients across are linear inside an element: its twist is sin(φ′ l)/l,
/// the energy of the line off by (φ′ l)²/3, the torque that is its slope, sin(φ′ l) cos(φ′ l), by ⅔ (φ′ l)², and that of
/// the strains of the continuum by (φ′ l)²/6 in the middle.
/// The continuum also sees that they shrink inside an element, against E: of fourth order in l, but
/// large against thin sections.
#[test]
fn even_twist_has_the_torque_of_hand() {
    let section = Section::rectangle(0.02, 0.02, 1e9, 0.0, 1000.0);
    let rate = 0.2;
    for kind in &KINDS[..3] {
        let mut energies = Vec::new();
        for elements in [4, 8, 16] {
            let beam = Beam::new(&straight(1.0, section, *kind, elements), Space::Spatial);
            let mut q = beam.reference().to_vec();
            for (node, q) in q.chunks_exact_mut(beam.node_size()).enumerate() {
                let (sin, cos) = (rate * node as f64 / elements as f64).sin_cos();
                q[6..12].copy_from_slice(&[0.0, cos, sin, 0.0, -sin, cos]);
            }
            // The continuum knows no warping.
            let torsion = match kind.1 {
                Elasticity::Line => section.torsion,
                _ => section.inertia_y + section.inertia_z,
            };
            let stiffness = section.shear_modulus() * torsion;
            let energy = beam.strain_energy(&q) / (0.5 * stiffness * rate * rate) - 1.0;
            let still = vec![0.0; beam.size()];
            let middle = beam.section_at(&beam.site(0.5 + 0.5 / elements as f64), &q, &still);
            let torque = middle.moment.x / (stiffness * rate) - 1.0;
            println!("{kind:?} n {elements}: energy {energy:.2e}, torque {torque:.2e}");
            let turn = rate / elements as f64;
            let share = if kind.1 == Elasticity::Line { 2.0 / 3.0 } else { 1.0 / 6.0 };
            // The next term is of fourth order.
            let tolerance = 1e-6 + turn.powi(4);
            assert!(
                (torque + share * turn * turn).abs() < tolerance,
                "{kind:?} {elements}: {torque}"
            );
            energies.push(energy);
        }
        let orders = [4.0, 16.0].map(|ratio: f64| {
            energies.windows(2).all(|pair| (pair[0] / pair[1] / ratio - 1.0).abs() < 0.15)
        });
        assert_eq!(orders, [kind.1 == Elasticity::Line, kind.1 != Elasticity::Line], "{kind:?}");
        assert!(energies[2].abs() < 3e-4, "{kind:?} {energies:?}");
    }
}
