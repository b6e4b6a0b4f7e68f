//! Eigenfrequencies of a clamped beam against an independent program of the same element.

use super::*;

/// Bending in pairs and torsion; figures of the continuum with ν = 0.3, n = 16.
#[test]
fn a_clamped_continuum_has_known_frequencies() {
    let section = Section::rectangle(0.01, 0.01, 6.9e9, POISSON, 2700.0);
    let beam = Beam::new(&straight(0.5, section, KINDS[0], 16), Space::Spatial);
    let (k, _) = tangents(&beam, beam.reference(), &vec![0.0; beam.size()]);
    let m = masses(&beam);
    let (clamp, n) = (beam.node_size(), beam.size() - beam.node_size());
    let (k, m) = (k.view((clamp, clamp), (n, n)).into_owned(), m.view((clamp, clamp), (n, n)));
    let l = m.into_owned().cholesky().expect("positive").l();
    let half = l.solve_lower_triangular(&k).expect("regular");
    let matrix = l.solve_lower_triangular(&half.transpose()).expect("regular");
    let matrix = (&matrix + matrix.transpose()) * 0.5;
    let mut found: Vec<f64> = matrix.symmetric_eigen().eigenvalues.iter().copied().collect();
    found.sort_by(f64::total_cmp);
    let hertz: Vec<f64> = found.iter().take(14).map(|x| x.sqrt() / std::f64::consts::TAU).collect();
    println!("{hertz:?}");
    for wanted in [10.3350, 64.9733, 182.8600, 565.4212] {
        let error = hertz.iter().map(|f| (f / wanted - 1.0).abs()).fold(1.0, f64::min);
        assert!(error < 1e-4, "{wanted}: {error} {hertz:?}");
    }
}

const POISSON: f64 = 0.0;
