//! Forces against differences of the energy, tangents against differences of the forces, rigid motions.

use super::*;

fn disturbed(beam: &Beam, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut v) = rigid(beam, 0.7, 0.4);
    for (q, noise) in q.iter_mut().zip(noise(beam.size(), seed)) {
        *q += 0.05 * noise;
    }
    for (v, noise) in v.iter_mut().zip(noise(beam.size(), seed + 7)) {
        *v += 0.5 * noise;
    }
    (q, v)
}

/// Central differences of step 1e-6 carry 1e-10 of rounding and truncation, relative.
#[test]
fn forces_are_the_slope_of_the_energy() {
    for (name, beam) in every() {
        let (mut q, _) = disturbed(&beam, 3);
        let force = forces(&beam, &q, &vec![0.0; beam.size()]);
        let scale = force.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        for i in 0..beam.size() {
            let (h, middle) = (1e-6, q[i]);
            q[i] = middle + h;
            let above = beam.strain_energy(&q);
            q[i] = middle - h;
            let below = beam.strain_energy(&q);
            q[i] = middle;
            let slope = (below - above) / (2.0 * h);
            assert!((slope - force[i]).abs() < 1e-7 * scale, "{name} {i}: {slope} {}", force[i]);
        }
    }
}

#[test]
fn tangents_agree_with_differences_of_forces() {
    for (name, beam) in every() {
        let (mut q, mut v) = disturbed(&beam, 5);
        let (k, d) = tangents(&beam, &q, &v);
        for i in 0..beam.size() {
            for (matrix, of_rate) in [(&k, false), (&d, true)] {
                let h = 1e-6;
                let mut at = |shift: f64| {
                    let x = if of_rate { &mut v[i] } else { &mut q[i] };
                    let middle = *x;
                    *x += shift;
                    let force = forces(&beam, &q, &v);
                    *if of_rate { &mut v[i] } else { &mut q[i] } = middle;
                    force
                };
                let (above, below) = (at(h), at(-h));
                for j in 0..beam.size() {
                    let slope = (below[j] - above[j]) / (2.0 * h);
                    let error = (slope - matrix[(j, i)]).abs() / matrix.amax();
                    assert!(error < 1e-7, "{name} {of_rate} {j} {i}: {slope} {}", matrix[(j, i)]);
                }
            }
        }
    }
}

/// The loss of power by the viscous forces is what is reported.
#[test]
fn viscous_forces_take_the_dissipated_power() {
    for (name, beam) in every() {
        let (q, v) = disturbed(&beam, 11);
        let (with, without) = (forces(&beam, &q, &v), forces(&beam, &q, &vec![0.0; beam.size()]));
        let power: f64 = (0..beam.size()).map(|i| (without[i] - with[i]) * v[i]).sum();
        let reported = beam.dissipation(&q, &v);
        assert!(reported > 0.0);
        assert!((power - reported).abs() < 1e-11 * reported, "{name} {power} {reported}");
    }
}

/// Relative to E A; a few roundings of strains of order one.
#[test]
fn rigid_motions_are_free_of_strain() {
    for (name, beam) in every() {
        let stiffness = beam.section.young * beam.section.area;
        for angle in [0.0, 1.0, 2.0, 3.0] {
            let (q, v) = rigid(&beam, angle, 0.8);
            assert!(beam.strain_energy(&q).abs() < 1e-24 * stiffness, "{name}");
            let largest = forces(&beam, &q, &v).iter().fold(0.0f64, |a, b| a.max(b.abs()));
            assert!(largest < 1e-12 * stiffness, "{name} {angle}: {largest}");
            assert!(beam.dissipation(&q, &v).abs() < 1e-24 * stiffness, "{name}");
        }
    }
}

#[test]
fn only_rigid_motions_are_without_stiffness() {
    for (name, beam) in every() {
        let (k, _) = tangents(&beam, beam.reference(), &vec![0.0; beam.size()]);
        // In units that make the columns alike: lengths over that of an element.
        let scale = |i: usize| match i / beam.dimension() % beam.vectors() {
            0 => beam.element_length(),
            _ => 1.0,
        };
        let k = DMatrix::from_fn(beam.size(), beam.size(), |i, j| k[(i, j)] * scale(i) * scale(j));
        let mut values: Vec<f64> =
            k.symmetric_eigen().eigenvalues.iter().map(|x| x.abs()).collect();
        values.sort_by(f64::total_cmp);
        let largest = values[values.len() - 1];
        // A cable in space does not feel its spin about its own straight line: it does not move.
        let straight = beam.vectors() == 2 && beam.dimension() == 3;
        let wanted = match (beam.dimension(), straight) {
            (2, _) => 3,
            (_, true) => 5,
            _ => 6,
        };
        let zeros = values.iter().filter(|value| **value < 1e-10 * largest).count();
        assert_eq!(zeros, wanted, "{name} {values:?}");
    }
}
