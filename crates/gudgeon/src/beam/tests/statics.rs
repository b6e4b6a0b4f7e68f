//! Clamped beams under dead tip forces, small and large, and patch tests.

use super::*;

/// Tip over that of Euler and Bernoulli of the continuum with ν = 0, in closed form for this element:
/// 1 − 1/(4n²) + (b²/2L²)(1 − 1/(8n)).
#[test]
fn a_linear_cantilever_of_the_continuum_follows_its_closed_form() {
    let (length, side, young) = (0.5, 0.01, 2e11);
    let section = Section::rectangle(side, side, young, 0.0, 7800.0);
    for space in [Space::Planar, Space::Spatial] {
        for n in [4, 16] {
            let beam = Beam::new(&straight(length, section, KINDS[0], n), space);
            let load = 1e-3;
            let (k, _) = tangents(&beam, beam.reference(), &vec![0.0; beam.size()]);
            let (clamp, size) = (beam.node_size(), beam.size() - beam.node_size());
            let mut right = DVector::zeros(size);
            right[size - clamp + 1] = load;
            let free = k.view((clamp, clamp), (size, size)).into_owned();
            let tip = free.lu().solve(&right).expect("regular")[size - clamp + 1];
            let ratio = tip / (load * length.powi(3) / (3.0 * young * section.inertia_z));
            let n = n as f64;
            let wanted = 1.0 - 0.25 / (n * n) + 0.5 * (side / length).powi(2) * (1.0 - 0.125 / n);
            assert!((ratio - wanted).abs() < 1e-6, "{space:?} {n}: {ratio} {wanted}");
        }
    }
}

/// Large deflections of the elastica (Bisshopp, Drucker 1945), w/L and u/L at PL²/EI.
const ELASTICA: [(f64, f64, f64); 2] =
    [(1.0, 0.301_720_8, 0.056_433_2), (3.0, 0.603_253_4, 0.254_420_2)];

#[test]
fn slender_lines_and_cables_follow_the_elastica() {
    let (length, side, young) = (1.0, 0.004, 2e11);
    let section = Section::rectangle(side, side, young, 0.3, 7800.0);
    for space in [Space::Planar, Space::Spatial] {
        for kind in [KINDS[2], KINDS[3]] {
            let beam = Beam::new(&straight(length, section, kind, 16), space);
            for (load, w, u) in ELASTICA {
                let mut force = vec![0.0; beam.dimension()];
                force[1] = load * young * section.inertia_z / (length * length);
                let tip = tip_under_force(&beam, &force, 10, Clamp::Node);
                let errors = (tip[1] / length / w - 1.0, (1.0 - tip[0] / length) / u - 1.0);
                println!("{space:?} {kind:?} {load}: {errors:?}");
                assert!(errors.0.abs() < 1e-3 && errors.1.abs() < 1e-3, "{kind:?} {errors:?}");
            }
        }
    }
}

/// Figures of an independent program of the same element.
#[test]
fn a_bent_continuum_in_space_has_known_deflections() {
    let (length, side, young) = (0.5, 0.01, 2.07e11);
    let section = Section::rectangle(side, side, young, 0.0, 7800.0);
    let beam = Beam::new(&straight(length, section, KINDS[0], 32), Space::Spatial);
    let load = 3.0 * young * section.inertia_z / (length * length);
    let tip = tip_under_force(&beam, &[0.0, load, 0.0], 6, Clamp::Node);
    let found = (tip[1] / length, 1.0 - tip[0] / length);
    println!("{found:?}");
    assert!((found.0 - 0.603_242).abs() < 2e-5 && (found.1 - 0.254_417).abs() < 2e-5, "{found:?}");
}

/// The thick cantilever of Gerstmayr, Matikainen, Mikkola: limits of Reissner's beam, by shooting. Small
/// deflections are exact at the nodes. At the largest load fibres are strained by 13 %, and Green's strain of the
/// line counts; a clamp that holds the direction of the line takes the shear of half an element.
#[test]
fn a_thick_line_shears() {
    let section = Section::rectangle(0.5, 0.1, 2.07e11, 0.3, 7800.0);
    let cases = [
        (62_500.0, [1.888_492e-7, 8.099_033e-4], [1e-6, 1e-6]),
        (3.125e6, [4.718_069e-4, 4.047_922e-2], [1e-5, 1e-5]),
        (6.25e7, [0.150_971_1, 0.710_568_6], [1.5e-3, 1e-3]),
    ];
    for space in [Space::Planar, Space::Spatial] {
        for (load, wanted, tolerance) in cases {
            for n in [8, 16, 32] {
                let beam = Beam::new(&straight(2.0, section, KINDS[2], n), space);
                let mut force = vec![0.0; beam.dimension()];
                force[1] = -load;
                let tip = tip_under_force(&beam, &force, 4, Clamp::Section);
                let errors = [(2.0 - tip[0]) / wanted[0] - 1.0, -tip[1] / wanted[1] - 1.0];
                let held = tip_under_force(&beam, &force, 4, Clamp::Node);
                let with_line = -held[1] / wanted[1] - 1.0;
                println!("{space:?} {load} n {n}: {errors:?}, rₓ held {with_line:.2e}");
                assert!(with_line.abs() < 0.025 / n as f64, "{load} {n}: {with_line}");
                for axis in 0..2 {
                    assert!(errors[axis].abs() < tolerance[axis], "{load} {n}: {errors:?}");
                }
            }
        }
    }
}

/// A quarter of a circle under an end moment: exact for the measures of the line up to the division.
#[test]
fn pure_bending_gives_the_curvature_of_hand() {
    let section = Section::rectangle(0.01, 0.01, 1e9, 0.3, 1000.0);
    for space in [Space::Planar, Space::Spatial] {
        for kind in [KINDS[2], KINDS[3]] {
            // Nodes on a circle of radius R: energy ½ E I L/R², bar an error of the fourth order.
            let (n, radius) = (16, 2.0);
            let beam = Beam::new(&straight(1.0, section, kind, n), space);
            let mut q = beam.reference().to_vec();
            for (node, q) in q.chunks_exact_mut(beam.node_size()).enumerate() {
                let (d, angle) = (beam.dimension(), node as f64 / n as f64 / radius);
                let (s, c) = angle.sin_cos();
                (q[0], q[1]) = (radius * s, radius * (1.0 - c));
                (q[d], q[d + 1]) = (c, s);
                if beam.vectors() > 2 {
                    (q[2 * d], q[2 * d + 1]) = (-s, c);
                }
            }
            let exact = 0.5 * 1e9 * section.inertia_z / (radius * radius);
            let ratio = beam.strain_energy(&q) / exact;
            println!("{space:?} {kind:?} {}", ratio - 1.0);
            assert!((ratio - 1.0).abs() < 1e-3, "{kind:?} {ratio}");
        }
    }
}
