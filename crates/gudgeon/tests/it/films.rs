//! Films between bodies: momentum, power, and journals that settle where closed forms say.

use std::ops::ControlFlow;

use crate::common::contacts::{GAP, in_contact};
use crate::common::films::*;
use crate::common::states::*;
use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::film::*;
use gudgeon::model::*;
use gudgeon::results::{LedgerKind, Status};
use gudgeon::run::{Every, RunSpec};
use gudgeon::sensor;
use gudgeon::simulate::{Observer, simulate};
use gudgeon::system::{Plant, System};
use nalgebra::Vector3;

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

/// Force and moment about the bearing's centre of a pressure given on a grid, by the trapezium rule,
/// and what it would bear if it pressed one way.
fn integrated(grid: &FilmGrid, radius: f64) -> ([Vector3<f64>; 2], f64) {
    let ends = |k: usize, n: usize| if k == 0 || k + 1 == n { 0.5 } else { 1.0 };
    let (m, n) = (grid.angles.len(), grid.places.len());
    let area = radius * (grid.angles[1] - grid.angles[0]) * (grid.places[1] - grid.places[0]);
    let (mut sums, mut whole) = ([Vector3::zeros(); 2], 0.0);
    for (j, zeta) in grid.places.iter().enumerate() {
        for (i, theta) in grid.angles.iter().enumerate() {
            let p = grid.pressure[j * m + i] * area * ends(i, m) * ends(j, n);
            let force = Vector3::new(-theta.cos(), -theta.sin(), 0.0) * p;
            whole += p;
            sums[0] += force;
            sums[1] += Vector3::new(0.0, 0.0, *zeta).cross(&force);
        }
    }
    (sums, whole)
}

fn all_films() -> impl Iterator<Item = Lubricant> {
    let finite = |hybrid| lubricant(FilmModel::Finite(FiniteFilm::default()), hybrid);
    films().into_iter().chain([finite(false), finite(true)])
}

#[test]
fn the_pressure_shown_makes_the_force_and_the_moment_shown() {
    let mut random = Random(29);
    let mut shared = 0;
    for lubricant in all_films() {
        for space in [Space::Planar, Space::Spatial] {
            let model = filled(space, &lubricant);
            let system = System::compile(&model).unwrap();
            let mut plant = Plant::new(&system);
            for _ in 0..5 {
                let y = inside(&system, &mut random, if lubricant.hybrid { 0.95 } else { 0.7 });
                if lubricant.hybrid {
                    in_contact(&mut plant, 0, &y);
                }
                plant.evaluate(0.0, &y).unwrap();
                let now = plant.work.films[0].now;
                shared += usize::from(now.share < 0.9);
                let film = FilmSnapshot { lubricant: lubricant.clone(), now };
                let grid = film.grid(361, 161);
                let bearing = plant.work.markers[system.films[0].a].frame.r;
                let ([force, moment], whole) = integrated(&grid, lubricant.film.shape.radius);

                let what = format!("{space:?} {:?} share {}", lubricant.film.model, now.share);
                let value = |name: &str| {
                    let name = format!("loose.{name}");
                    sensor::resolve(&model, &name).expect("a known output").value(&plant, 0.0)
                };
                let vector = |name: &str| {
                    let component = |axis: &str| value(&format!("{name}.{axis}"));
                    let z = if space == Space::Spatial { component("z") } else { 0.0 };
                    // Along its axis a tilted journal is pushed by the same pressure on its own side.
                    let shown = bearing.tr_mul(&Vector3::new(component("x"), component("y"), z));
                    Vector3::new(shown.x, shown.y, 0.0)
                };
                // Kinks at the edge of cavitation cost a trapezium rule its second order, and nodes
                // of a finite film lie elsewhere than those of the grid.
                let finite = matches!(lubricant.film.model, FilmModel::Finite(_));
                let tolerance = if finite { 1e-2 } else { 2e-3 };
                let size = tolerance * whole;
                let off = (force - vector("film_force")).norm();
                assert!(off <= size, "{what}: {off} above {size}");
                if space == Space::Spatial {
                    let off = (moment - vector("film_moment")).norm();
                    assert!(off <= size * LENGTH, "{what}: moment {off} above {}", size * LENGTH);
                }
                let (peak, highest) =
                    (film.peak(), grid.pressure.iter().fold(0.0, |a, b| f64::max(a, *b)));
                assert_eq!(peak.pressure, value("peak_pressure"), "{what}");
                assert!(highest <= peak.pressure * (1.0 + 1e-9), "{what}: {highest} {peak:?}");
                assert!(highest >= 0.98 * peak.pressure, "{what}: {highest} {peak:?}");
                let thinnest = grid.thickness.iter().fold(f64::INFINITY, |a, b| a.min(*b));
                let told = value("film_thickness");
                assert!(thinnest >= told && thinnest - told < 1e-3 * GAP, "{thinnest} {told}");
            }
        }
    }
    assert!(shared > 6, "dry contact shared the load {shared} times only");
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
        FilmModel::Long(Reynolds, Supply::None),
        FilmModel::Finite(finite),
    ] {
        let mut model = slider_crank(rpm(3000.0), 2e-4, 1e9, 0.9);
        let shape = FilmShape { viscosity: 0.4, radius: 0.01, length: 0.02, clearance: 2e-4 };
        let film = Film::new(shape, film);
        let what = format!("{:?}", film.model);
        model.joints[3].clearance.as_mut().unwrap().film =
            Some(Lubricant { film, roughness: None, hybrid: false });
        let n = 4000;
        let (end, every) = (0.02, Every::Interval(0.02 / f64::from(n)));
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
