//! Films between bodies: momentum, power, and journals that settle where closed forms say.

mod common;

use common::films::*;
use common::states::*;
use common::*;
use gudgeon::film::{FilmModel, FiniteFilm};
use gudgeon::model::*;
use gudgeon::system::{Plant, System};

#[test]
fn wrenches_balance_and_lose_what_shear_and_pumping_take() {
    let mut random = Random(53);
    let finite = lubricant(FilmModel::Finite(FiniteFilm::default()), false);
    for lubricant in films().into_iter().chain([finite]) {
        for space in [Space::Planar, Space::Spatial] {
            let system = System::compile(&filled(space, &lubricant)).unwrap();
            let mut plant = Plant::new(&system);
            for _ in 0..20 {
                let y = inside(&system, &mut random, 0.7);
                let what = format!("{space:?} {:?}", lubricant.film.model);
                plant.evaluate(0.0, &y).unwrap();
                let mut dry = system.clone();
                dry.films.clear();
                let mut without = Plant::new(&dry);
                without.evaluate(0.0, &y).unwrap();
                let forces: Vec<f64> = plant
                    .work
                    .forces
                    .iter()
                    .zip(&without.work.forces)
                    .map(|(f, own)| f - own)
                    .collect();
                balanced(&system, &y, &forces, &what);
                let now = &plant.work.films[0].now;
                let (given, told) = (power(&forces, velocities(&system, &y)), now.force);
                let told = -told.shear - told.pumping;
                // Rounding of the parts of a sum that cancel.
                let size = power(
                    &forces.iter().map(|f| f.abs()).collect::<Vec<_>>(),
                    &velocities(&system, &y).iter().map(|v| v.abs()).collect::<Vec<_>>(),
                );
                assert!((given - told).abs() <= 1e-12 * size, "{what}: {given} {told}");
                assert!(now.force.shear >= 0.0);
            }
        }
    }
}
