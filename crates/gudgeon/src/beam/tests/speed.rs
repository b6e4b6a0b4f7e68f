//! Time of one force and of one tangent; figures, not a test.

use std::hint::black_box;
use std::time::Instant;

use super::*;

#[test]
#[ignore = "prints times"]
fn time_per_element() {
    for space in [Space::Planar, Space::Spatial] {
        for kind in KINDS {
            for delay in [0.0, 1e-3] {
                let section = Section::rectangle(0.02, 0.02, 1e9, 0.3, 1000.0);
                let mut link = straight(1.0, section, kind, 50);
                link.damping.strain = delay;
                let beam = Beam::new(&link, space);
                let (q, v) = rigid(&beam, 0.3, 0.2);
                let mut out = vec![0.0; beam.size()];
                let (mut force, mut tangent) = (f64::INFINITY, f64::INFINITY);
                for _ in 0..20 {
                    let start = Instant::now();
                    for _ in 0..100 {
                        beam.add_forces(black_box(&q), black_box(&v), &mut out);
                    }
                    force = force.min(start.elapsed().as_secs_f64() / 5000.0);
                    let start = Instant::now();
                    for _ in 0..20 {
                        beam.add_tangents(black_box(&q), black_box(&v), |_, _, k, d| {
                            black_box((k, d));
                        });
                    }
                    tangent = tangent.min(start.elapsed().as_secs_f64() / 1000.0);
                }
                let (force, tangent) = (force * 1e9, tangent * 1e9);
                println!(
                    "{space:?} {kind:?} θ {delay}: force {force:.0} ns, tangent {tangent:.0} ns"
                );
            }
        }
    }
}
