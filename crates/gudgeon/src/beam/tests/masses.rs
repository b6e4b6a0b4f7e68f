//! Masses: rigid kinetics, solving, gravity.

use super::*;

#[test]
fn rigid_motions_have_the_kinetics_of_a_rigid_body() {
    for (name, beam) in every() {
        let properties = beam.mass_properties();
        let (q, v) = rigid(&beam, 0.0, 0.8);
        let mut momentum = vec![0.0; beam.size()];
        beam.multiply_masses(&v, &mut momentum);
        let kinetic: f64 = 0.5 * momentum.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>();
        let (omega, mut speed) = match beam.dimension() {
            2 => (Vector3::z() * 0.8, Vector3::new(0.3, -0.7, 0.0)),
            _ => (Vector3::new(0.48, -0.6, 0.64) * 0.8, Vector3::new(0.3, -0.7, 0.2)),
        };
        speed += omega.cross(&properties.centre);
        let expected = 0.5 * properties.mass * speed.norm_squared()
            + 0.5 * omega.dot(&(properties.inertia * omega));
        assert!((kinetic / expected - 1.0).abs() < 1e-13, "{name} {kinetic} {expected}");
        assert_eq!(q.len(), beam.size());
    }
}

/// Against the formulas of a prism: ρA l, its centre, and its inertia with that of the section.
#[test]
fn a_straight_beam_has_the_masses_of_a_prism() {
    let section = Section::rectangle(0.08, 0.05, 1e6, 0.3, 2000.0);
    let link = straight(0.6, section, KINDS[0], 3);
    let found = Beam::new(&link, Space::Spatial).mass_properties();
    let mass = 2000.0 * 0.08 * 0.05 * 0.6;
    let side = |a: f64, b: f64| mass * (a * a + b * b) / 12.0;
    let inertia = Vector3::new(side(0.08, 0.05), side(0.6, 0.05), side(0.6, 0.08));
    assert!((found.mass / mass - 1.0).abs() < 1e-14);
    assert!((found.centre - Vector3::x() * 0.3).norm() < 1e-15);
    assert!((found.inertia - Matrix3::from_diagonal(&inertia)).norm() < 1e-14 * inertia.norm());
}

/// A lump at a node and inside an element, against the parallel axes.
#[test]
fn lumps_are_welded_rigid_bodies() {
    let section = Section::rectangle(0.08, 0.05, 1e6, 0.3, 2000.0);
    for along in [0.0, 0.4, 1.0] {
        let mut link = straight(0.6, section, KINDS[0], 2);
        let bare = Beam::new(&link, Space::Spatial).mass_properties();
        let inertia = Matrix3::new(3e-3, 2e-4, -1e-4, 2e-4, 4e-3, 3e-4, -1e-4, 3e-4, 5e-3);
        let centre = Vector3::new(0.03, -0.05, 0.02);
        link.lumps.push(Lump { along, mass: 0.7, centre, inertia });
        let found = Beam::new(&link, Space::Spatial);
        assert!(found.has_positive_masses());
        let found = found.mass_properties();
        let place = Vector3::x() * (0.6 * along) + centre;
        let mean = (bare.centre * bare.mass + place * 0.7) / (bare.mass + 0.7);
        let about = |mass: f64, inertia: Matrix3<f64>, arm: Vector3<f64>| {
            inertia + (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * mass
        };
        let all =
            about(bare.mass, bare.inertia, bare.centre - mean) + about(0.7, inertia, place - mean);
        assert!((found.centre - mean).norm() < 1e-15);
        assert!((found.inertia - all).norm() < 1e-13 * all.norm(), "{along}");
    }
}

/// Gradients are light against places: a condition of about 1e4 costs as many roundings.
#[test]
fn masses_are_solved_and_weights_add_up() {
    for (name, beam) in every() {
        let x = noise(beam.size(), 9);
        let mut product = vec![0.0; beam.size()];
        beam.multiply_masses(&x, &mut product);
        let dense = masses(&beam) * DVector::from_column_slice(&x);
        beam.solve_masses(&mut product);
        let mut again = vec![0.0; beam.size()];
        beam.multiply_masses(&product, &mut again);
        for i in 0..beam.size() {
            assert!((product[i] - x[i]).abs() < 1e-11, "{name}");
            assert!((again[i] - dense[i]).abs() < 1e-13 * dense.amax(), "{name}");
        }
        // The weights are M times a unit translation.
        let d = beam.dimension();
        let unit: Vec<f64> = (0..beam.size())
            .map(|i| f64::from(u8::from(i % d == 1 && i / d % beam.vectors() == 0)))
            .collect();
        beam.multiply_masses(&unit, &mut product);
        for (k, weight) in beam.weights_of_gravity().iter().enumerate() {
            assert!((weight - product[k * d + 1]).abs() < 1e-14, "{name}");
        }
        assert_eq!(beam.mass_diagonal().count() * d, beam.size());
    }
}

#[test]
fn sites_interpolate_the_undeformed_line() {
    for (name, beam) in every() {
        for along in [0.0, 0.2, 0.5, 0.5 + 1e-12, 0.77, 1.0] {
            let site = beam.site(along);
            let at_node = (along * 2.0 - (along * 2.0f64).round()).abs() < 1e-9;
            let count = if at_node { beam.vectors() } else { 2 * beam.vectors() };
            assert_eq!(site.vectors, count, "{name} {along}");
            let (q, v) = rigid(&beam, 1.3, 0.5);
            let [x, y, z] = site.gradients(&q);
            // A chord of the arc: cubic against circle.
            assert!((x.norm() - 1.0).abs() < 1e-4, "{name} {along} {x}");
            if beam.vectors() > 2 {
                assert!(x.dot(&y).abs() < 0.02 && z.dot(&y).abs() < 1e-12);
            }
            // The rate of r is that of the rigid motion there.
            let h = 1e-6;
            let moved: Vec<f64> = q.iter().zip(&v).map(|(q, v)| q + h * v).collect();
            let rate = (site.place(&moved) - site.place(&q)) / h;
            assert!((rate - site.place(&v)).norm() < 1e-8);
        }
    }
}
