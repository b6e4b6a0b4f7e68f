//! Films between bodies: momentum, power, and journals that settle where closed forms say.

mod common;

use std::ops::ControlFlow;

use common::films::*;
use common::states::*;
use common::*;
use gudgeon::assembly::assemble;
use gudgeon::film::*;
use gudgeon::model::*;
use gudgeon::results::{LedgerKind, Status};
use gudgeon::run::RunSpec;
use gudgeon::simulate::{Observer, simulate};
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

/// Collects one output.
#[derive(Default)]
struct Column(Vec<f64>);

impl Observer for Column {
    fn row(&mut self, _t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push(values[0]);
        ControlFlow::Continue(())
    }
}

/// In a run between two moving bodies the lines of shear and pumping are the integral of the losses that
/// the output shows, and with them the balance closes.
#[test]
fn ledger_lines_are_the_integrals_of_the_losses() {
    use Cavitation::*;
    let finite = FiniteFilm { around: 48, along: 6, ..FiniteFilm::default() };
    for film in [
        FilmModel::Short,
        FilmModel::ShortExact(HalfSommerfeld),
        FilmModel::Long(Reynolds),
        FilmModel::Finite(finite),
    ] {
        let mut model = slider_crank(rpm(3000.0), 2e-4, 1e9, 0.9);
        let shape = FilmShape { viscosity: 0.4, radius: 0.01, length: 0.02, clearance: 2e-4 };
        let film = Film::new(shape, film);
        let what = format!("{:?}", film.model);
        model.joints[3].clearance.as_mut().unwrap().film =
            Some(Lubricant { film, roughness: None, hybrid: false });
        let n = 4000;
        let (end, every) = (0.02, Some(0.02 / f64::from(n)));
        let spec = RunSpec { every, rtol: Some(1e-7), ..run_for(&model, end, &["pin.power_loss"]) };
        let mut losses = Column::default();
        let report = simulate(&assemble(&model).unwrap(), &spec, &mut losses);
        assert_eq!(report.status, Status::Done, "{what}");
        assert_eq!(losses.0.len(), n as usize + 1, "{what}");
        let weight = |i: usize| if i == 0 || i == n as usize { 0.5 } else { 1.0 };
        let sum: f64 = losses.0.iter().enumerate().map(|(i, loss)| weight(i) * loss).sum();
        let integral = sum * end / f64::from(n);
        let line = |kind| report.energy.lines.iter().find(|line| line.kind == kind).unwrap().value;
        let told = -line(LedgerKind::FilmShear) - line(LedgerKind::FilmPumping);
        assert!((told / integral - 1.0).abs() < 1e-5, "{what}: {told} is not {integral}");
        assert!(report.energy.residual_relative() < 1e-5, "{what}");
    }
}
