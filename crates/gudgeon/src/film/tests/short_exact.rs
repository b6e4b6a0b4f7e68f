//! The exact short film of a tilted journal.

use super::*;

fn force_of(state: &JournalState) -> FilmForce {
    let film = Film::new(TIAN, FilmModel::ShortExact(Cavitation::HalfSommerfeld));
    film.force(state, &mut film.work()).unwrap()
}

/// PAPERS.md, tian: pure tilt, short-exact −0.06479, −0.02285.
#[test]
fn pure_tilt_of_tian() {
    let got = force_of(&state([-0.3, 0.0, 0.3, 0.0], [0.0; 4], 10.0));
    println!("{got:?}");
    close(got.m.x, -0.06479, 1e-4);
    close(got.m.y, -0.02285, 3e-4);
}

#[test]
fn quadrature_is_fine_enough() {
    use super::super::response::Want;
    use super::super::short_exact::{Rules, response};
    use super::super::gauss::Gauss;
    for s in [
        state([-0.3, 0.0, 0.3, 0.0], [0.0; 4], 10.0),
        state([0.2, 0.1, 0.6, -0.2], [0.0; 4], 10.0),
        state([0.6, 0.3, 0.1, -0.2], [-0.5, 0.8, 0.3, 0.1], 8.0),
        state([0.0, 0.0, 0.0, 0.8], [0.0, 0.0, 0.0, 1.0], 0.0),
        state([-0.8, 0.0, 0.9, 0.0], [0.0; 4], 10.0),
        state([0.8, 0.3, 0.9, 0.1], [0.0; 4], 10.0),
    ] {
        let ends = s.scaled(TIAN.clearance);
        let gauss = Gauss::new(16);
      for cavitation in [Cavitation::HalfSommerfeld, Cavitation::Reynolds] {
        let best = response(&TIAN, cavitation, &ends, &gauss, &Rules::new(400, 40), Want::Tangent);
        for (a, b) in [(16, 8), (24, 8), (12, 12), (16, 12), (24, 12)] {
            let got = response(&TIAN, cavitation, &ends, &gauss, &Rules::new(a, b), Want::Tangent);
            println!("{a} {b}: {:.1e} {:.1e} {:.1e}", (got.q - best.q).norm() / best.q.norm(),
                (got.by_e - best.by_e).norm() / best.by_e.norm(), (got.by_nu - best.by_nu).norm() / best.by_nu.norm());
        }
      }
    }
}
