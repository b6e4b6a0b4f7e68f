//! What sections bear, against hand values.

use super::*;

/// A beam under a small tip force and a tip tension: N, Q and M of statics at two places.
#[test]
fn sections_bear_what_statics_says() {
    let section = Section::rectangle(0.02, 0.02, 1e9, 0.0, 1000.0);
    for space in [Space::Planar, Space::Spatial] {
        for kind in KINDS {
            let beam = Beam::new(&straight(1.0, section, kind, 8), space);
            let mut force = vec![2.0, 0.01];
            force.resize(beam.dimension(), 0.0);
            let q = equilibrium(&beam, &force, 1, Clamp::Node);
            let still = vec![0.0; beam.size()];
            // The middle of the third element, where cubic lines have no error of the moment.
            let state = beam.section_at(&beam.site(5.0 / 16.0), &q, &still);
            let lever = beam.site(1.0).place(&q) - beam.site(5.0 / 16.0).place(&q);
            let moment = 0.01 * lever.x - 2.0 * lever.y;
            // The strain of a cubic line that bends varies a little along an element.
            assert!((state.force.x / 2.0 - 1.0).abs() < 0.01, "{kind:?} {state:?}");
            let tolerance = 0.01 * moment.abs();
            assert!(
                (state.moment.z.abs() - moment).abs() < tolerance,
                "{kind:?} {state:?} {moment}"
            );
            let edge = state.moment.z.abs() * 0.01 / section.inertia_z;
            assert!((state.stress[1] - state.force.x / section.area - edge).abs() < 1e-9 * edge);
            assert!(beam.peaks(&q, &still).compression.value > -1e-6);
        }
    }
}

/// An arc in its plane under a tip force across it, which bends and twists: moments of statics at all places, and
/// twist and curvatures by Hooke's law. Between nodes they are drawn linearly, with errors of order 2.
#[test]
fn moments_of_a_curved_line_are_those_of_statics() {
    let section = Section::rectangle(0.02, 0.01, 1e9, 0.3, 1000.0);
    let kind = (AncfElement::Beam, Elasticity::Line);
    let force = Vector3::new(0.003, -0.002, 0.01);
    let mut errors = Vec::new();
    for elements in [8, 16] {
        let mut link = straight(1.0, section, kind, elements);
        link.curvature.z = 1.0;
        let beam = Beam::new(&link, Space::Spatial);
        let q = equilibrium(&beam, force.as_slice(), 1, Clamp::Node);
        let still = vec![0.0; beam.size()];
        let tip = beam.site(1.0).place(&q);
        let mut worst = 0.0f64;
        for k in 0..=4 * elements {
            let site = beam.site(k as f64 / (4 * elements) as f64);
            let state = beam.section_at(&site, &q, &still);
            let [_, y, z] = site.gradients(&q).map(|axis| axis.normalize());
            let z = y.cross(&z).cross(&y).normalize();
            let vector = (tip - site.place(&q)).cross(&force);
            let moment = Vector3::new(vector.dot(&y.cross(&z)), vector.dot(&y), vector.dot(&z));
            let error = (state.moment - moment).norm();
            if k % 4 == 0 {
                assert!(error < 1e-9 * moment.norm().max(1e-3), "{k}: {state:?} {moment}");
            }
            worst = worst.max(error);
            let twist = state.moment.x / (section.shear_modulus() * section.torsion);
            assert!((state.curvature.x - twist).abs() < 1e-12, "{state:?}");
        }
        errors.push(worst);
    }
    // A line misses h²/8 of the second derivative of M in axes that turn, which is at most 2κ|F| + κ²|F|L.
    let most = 3.0 * force.norm() * (1.0f64 / 8.0).powi(2) / 8.0;
    assert!(errors[0] < most && errors[0] > 3.8 * errors[1], "{errors:?} {most}");
}

/// Peaks are what sections say at their places, at any state.
#[test]
fn peaks_are_those_of_sections() {
    for (name, beam) in every() {
        for seed in 0..4 {
            let mut q = beam.reference().to_vec();
            let noise_q = noise(beam.size(), seed);
            q.iter_mut().zip(&noise_q).for_each(|(q, noise)| *q += 0.03 * noise);
            let v = noise(beam.size(), seed + 9);
            let (found, mut expected) = (beam.peaks(&q, &v), crate::beam::Peaks::default());
            beam.section_peaks(&q, &v, &mut expected);
            for (a, b) in [
                (found.stress, expected.stress),
                (found.tension, expected.tension),
                (found.compression, expected.compression),
            ] {
                assert!((a.value - b.value).abs() <= 1e-10 * b.value.abs(), "{name}: {a:?} {b:?}");
                assert_eq!(a.along, b.along, "{name}: {a:?} {b:?}");
            }
        }
    }
}

/// A bar stretched by λ: strains and forces by hand, with the viscous part.
#[test]
fn a_stretched_bar_has_uniform_sections() {
    let section = Section::rectangle(0.02, 0.02, 1e9, 0.0, 1000.0);
    for (element, elasticity) in KINDS {
        let mut link = straight(1.0, section, (element, elasticity), 3);
        link.damping.strain = 0.01;
        let beam = Beam::new(&link, Space::Spatial);
        let stretch = 1.01;
        let x_only = |factor: f64| -> Vec<f64> {
            let d = beam.dimension();
            let along = |i: usize| i.is_multiple_of(d) && i / d % beam.vectors() < 2;
            let value = |(i, q): (usize, &f64)| if along(i) { factor * q } else { 0.0 };
            beam.reference().iter().enumerate().map(value).collect()
        };
        let mut q = beam.reference().to_vec();
        for (q, x) in q.iter_mut().zip(x_only(stretch - 1.0)) {
            *q += x;
        }
        let v = x_only(0.2);
        let (strain, rate) = match element {
            AncfElement::Cable => (stretch - 1.0, 0.2),
            AncfElement::Beam => (0.5 * (stretch * stretch - 1.0), stretch * 0.2),
        };
        for along in [0.0, 0.4, 2.0 / 3.0, 1.0] {
            let state = beam.section_at(&beam.site(along), &q, &v);
            assert!((state.strain - strain).abs() < 1e-14);
            let tension = 1e9 * section.area * (strain + 0.01 * rate);
            assert!((state.force.x / tension - 1.0).abs() < 1e-12, "{elasticity:?} {state:?}");
            assert!(state.moment.norm() < 1e-9 && state.force.yz().norm() < 1e-9 * tension);
        }
        // Inner forces balance: only the ends are pulled.
        let force = forces(&beam, &q, &v);
        let inner = &force[beam.node_size()..2 * beam.node_size()];
        assert!(inner.iter().all(|f| f.abs() < 1e-7), "{inner:?}");
    }
}
