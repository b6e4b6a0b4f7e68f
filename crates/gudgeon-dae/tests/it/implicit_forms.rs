//! Equations with full mass matrices, weights by blocks and forces by reactions.

use gudgeon_dae::linear::Entries;
use gudgeon_dae::problems::{Analytic, Cells, Particle, Ring, Rod, Rods, Weighing};
use gudgeon_dae::tableau::DOP853;
use gudgeon_dae::{
    Dims, Drift, Explicit, Fault, Implicit, ImplicitDae, Method, Options, SecondOrderDae,
    Stabilisation, Statistics, StepOutcome, Tangents, Terms, Weights,
};

const METHODS: [Method; 3] = [Method::ALPHA, Method::Radau, Method::BDF];

/// The end of a run and what it cost.
fn run<P: ImplicitDae>(
    mut plant: P,
    y: &[f64],
    method: Method,
    options: Options,
    end: f64,
) -> (Vec<f64>, Statistics) {
    let mut ode = Implicit::new(method, options, &plant, 0.0, y);
    loop {
        let outcome = ode.step(&mut plant, end).unwrap_or_else(|e| panic!("{method:?}: {e}"));
        if outcome == StepOutcome::Stopped {
            return (ode.state().to_vec(), ode.statistics);
        }
    }
}

/// The same with an explicit method, to compare with.
fn reference<P: SecondOrderDae>(mut plant: P, y: &[f64], end: f64) -> Vec<f64> {
    let mut ode = Explicit::new(&DOP853, Options::adaptive(1e-11), &plant, 0.0, y);
    while ode.step(&mut plant, end).unwrap() != StepOutcome::Stopped {}
    ode.state().to_vec()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn errors_follow_the_tolerance() {
    fn check<P: Analytic + ImplicitDae + Clone>(plant: P, what: &str) {
        for method in METHODS {
            for rtol in [1e-4, 1e-6] {
                let (y, s) =
                    run(plant.clone(), &plant.exact(0.0), method, Options::adaptive(rtol), 3.0);
                let error = distance(&y, &plant.exact(3.0));
                println!("{what} {} {rtol:e}: {error:e} {s:?}", method.name());
                assert!(error < 300.0 * rtol, "{what}, {method:?}: {error:e} at {rtol:e}");
            }
        }
    }
    check(Particle::new(Ring::default()), "ring");
    check(Particle::with_weights(Ring::default(), &[1.0, -2.0]), "redundant ring");
    check(Rods::new(1, Rod::uniform()), "rod");
    check(Rods::new(1, Rod::uniform()).weighed_by(Weighing::Diagonal), "rod, diagonal");
    check(Cells::new(3), "cells");
    // 48 unknowns are solved by sparse elimination.
    check(Cells::new(12), "many cells");
}

#[test]
fn full_blocks_cost_no_more_iterations_than_a_diagonal_mass() {
    // The same swing: both rods have the same frequency. A tenth is what the last digit of a step may do.
    let dumbbell = Rod { gravity: 3.0, ..Rod::dumbbell() };
    assert!((dumbbell.frequency() - Rod::uniform().frequency()).abs() < 1e-14);
    let fixed = Options::fixed(0.02, Stabilisation::default());
    for method in METHODS {
        let count = |rods: Rods| {
            let y = rods.exact(0.0);
            let (_, s) = run(rods, &y, method, fixed, 2.0);
            (s.iterations, s.factorisations.total())
        };
        let diagonal = count(Rods::new(1, dumbbell));
        let full = count(Rods::new(1, Rod::uniform()));
        println!("{}: {diagonal:?} {full:?}", method.name());
        assert!(full.0 as f64 <= 1.1 * diagonal.0 as f64, "{method:?}: {full:?} {diagonal:?}");
        assert!(full.1 as f64 <= 1.1 * diagonal.1 as f64, "{method:?}: {full:?} {diagonal:?}");
    }
}

#[test]
fn weights_that_are_not_the_mass_cost_no_more_either() {
    // Eight rods pull each other along. With the shortcut for W = M the diagonal costs 1.4 to 2.8 times the
    // factorisations.
    let fixed = Options::fixed(0.01, Stabilisation::default());
    for method in METHODS {
        let count = |weighing: Weighing| {
            let rods = Rods::new(8, Rod::uniform()).weighed_by(weighing);
            let y = rods.start();
            let (_, s) = run(rods, &y, method, fixed, 1.0);
            (s.iterations, s.factorisations.total())
        };
        let (mass, diagonal) = (count(Weighing::Mass), count(Weighing::Diagonal));
        println!("{}: {mass:?} {diagonal:?}", method.name());
        assert!(diagonal.0 as f64 <= 1.1 * mass.0 as f64, "{method:?}: {mass:?} {diagonal:?}");
        assert!(diagonal.1 as f64 <= 1.1 * mass.1 as f64, "{method:?}: {mass:?} {diagonal:?}");
    }
}

#[test]
fn rods_swing_as_by_an_explicit_method() {
    // 14 unknowns are solved as a full matrix, 56 by sparse elimination.
    for count in [2, 8] {
        let start = Rods::new(count, Rod::uniform()).start();
        let wanted = reference(Rods::new(count, Rod::uniform()), &start, 1.0);
        for method in METHODS {
            for weighing in [Weighing::Mass, Weighing::Diagonal] {
                let rods = Rods::new(count, Rod::uniform()).weighed_by(weighing);
                let (y, s) = run(rods.clone(), &start, method, Options::adaptive(1e-6), 1.0);
                let (error, lost) = (distance(&y, &wanted), rods.energy(&y) - rods.energy(&start));
                println!("{count} {} {weighing:?}: {error:e} {lost:e} {s:?}", method.name());
                assert!(error < 1e-3 && lost.abs() < 1e-3, "{method:?}: {error:e} {lost:e}");
            }
        }
    }
}

#[test]
fn a_rough_ring_brings_a_bead_to_rest() {
    // Up the ring and back; rounded friction lets it creep where it would stick.
    let plant = || Particle::new(Ring { friction: 0.4, ..Ring::upright() });
    let start = plant().exact(0.0);
    let wanted = reference(plant(), &start, 3.0);
    for method in METHODS {
        let (y, s) = run(plant(), &start, method, Options::adaptive(1e-6), 3.0);
        let error = distance(&y, &wanted);
        println!("{}: {error:e} {wanted:?} {s:?}", method.name());
        assert!(error < 3e-4, "{method:?}: {error:e}");
    }
}

/// Cells with places for everything and without tangents of their own.
#[derive(Clone)]
struct Plain(Cells);

impl SecondOrderDae for Plain {
    fn dims(&self) -> Dims {
        self.0.dims()
    }
    fn velocity_is_rate(&self) -> bool {
        true
    }
    fn rates(
        &mut self,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
        with: Stabilisation,
    ) -> Result<f64, Fault> {
        self.0.rates(t, y, dy, with)
    }
    fn settle(&mut self, t: f64, y: &mut [f64]) -> bool {
        self.0.settle(t, y)
    }
    fn drift(&mut self) -> Drift {
        self.0.drift()
    }
    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault> {
        self.0.project(t, y)
    }
    fn switches(&mut self, _t: f64, _y: &[f64], _out: &mut [f64]) {}
    fn raise_scales(&mut self, y: &[f64], scales: &mut [f64]) {
        self.0.raise_scales(y, scales);
    }
}

impl ImplicitDae for Plain {
    fn terms(&mut self, t: f64, y: &[f64], lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        // Places of M and G are full here.
        let mut own = self.0.blank_terms();
        self.0.terms(t, y, lambda, &mut own)?;
        out.force.copy_from_slice(&own.force);
        out.rates.copy_from_slice(&own.rates);
        out.gaps.copy_from_slice(&own.gaps);
        out.drives.copy_from_slice(&own.drives);
        own.mass.iter().for_each(|(i, j, m)| out.mass.set(i, j, m));
        own.rows.iter().for_each(|(i, j, g)| out.rows.set(i, j, g));
        Ok(())
    }
    fn blank_tangents(&self) -> Tangents {
        let dims = self.dims();
        let mut tangents = Tangents::full(dims);
        tangents.reactions = Entries::full(dims.v, dims.rows);
        tangents
    }
    fn blank_weights(&self) -> Weights {
        self.0.blank_weights()
    }
}

#[test]
fn sparse_patterns_and_differences_lead_to_the_same_motion() {
    let fixed = Options::fixed(0.02, Stabilisation::default());
    for method in METHODS {
        let cells = Cells::new(4);
        let y = cells.exact(0.0);
        let (sparse, s) = run(cells.clone(), &y, method, fixed, 1.0);
        let (full, plain) = run(Plain(cells), &y, method, fixed, 1.0);
        let error = distance(&sparse, &full);
        println!("{}: {error:e} {s:?} {plain:?}", method.name());
        // Newton's iteration ends at 1e-12 in either of 50 steps.
        assert!(error < 1e-10, "{method:?}: {error:e}");
    }
}
