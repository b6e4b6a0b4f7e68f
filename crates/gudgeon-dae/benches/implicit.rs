//! Work and precision of the implicit methods on stiff and non-stiff problems.
//!
//! `cargo bench -p gudgeon-dae --bench implicit` prints, per problem, method and tolerance, the largest error
//! of q and v over the run and what it cost. Times are the least of several runs.

use std::time::Instant;

use gudgeon_dae::problems::{Analytic, Bead, Chain, Particle, Pendulum, Top};
use gudgeon_dae::tableau::DOP853;
use gudgeon_dae::{
    Dims, Explicit, Implicit, ImplicitDae, Integrator, Method, Options, Statistics, StepOutcome,
};

const RUNS: usize = 5;

/// `None` is the explicit method of order 8.
const METHODS: [Option<Method>; 4] =
    [None, Some(Method::Radau), Some(Method::BDF), Some(Method::ALPHA)];

struct Cost {
    error: f64,
    seconds: f64,
    statistics: Statistics,
}

/// Runs to `end`; `error` compares (q, v) at a time with what they should be.
fn run<P: ImplicitDae + Clone>(
    plant: &P,
    start: &[f64],
    method: Option<Method>,
    rtol: f64,
    end: f64,
    error: impl Fn(f64, &[f64]) -> f64,
) -> Cost {
    let mut best = Cost { error: 0.0, seconds: f64::INFINITY, statistics: Statistics::default() };
    for round in 0..=RUNS {
        let mut plant = plant.clone();
        let options = Options::adaptive(rtol);
        let mut ode: Integrator = match method {
            None => Explicit::new(&DOP853, options, &plant, 0.0, start).into(),
            Some(method) => Implicit::new(method, options, &plant, 0.0, start).into(),
        };
        let clock = Instant::now();
        loop {
            let outcome = ode.step(&mut plant, end).expect("a regular problem");
            if round == 0 {
                best.error = best.error.max(error(ode.time(), ode.state()));
            }
            if outcome == StepOutcome::Stopped {
                break;
            }
        }
        if round > 0 {
            best.seconds = best.seconds.min(clock.elapsed().as_secs_f64());
        }
        best.statistics = ode.statistics();
    }
    best
}

fn print(method: Option<Method>, rtol: f64, cost: &Cost) {
    let s = &cost.statistics;
    println!(
        "  {:18} {rtol:7.0e} {:9.1e} {:6} {:6} {:7} {:7} {:6} {:6} {:9.0}",
        method.map_or("dop853", |method| method.name()),
        cost.error,
        s.steps,
        s.rejected,
        s.evaluations,
        s.iterations,
        s.tangents,
        s.factorisations.total(),
        cost.seconds * 1e6,
    );
}

fn heading(what: &str) {
    println!("{what}");
    println!(
        "  method                rtol     error  steps reject   evals   iters  tang.  fact.        µs"
    );
}

fn analytic<P: Analytic + ImplicitDae + Clone>(what: &str, plant: P, end: f64, explicit: bool) {
    heading(what);
    let Dims { q, v, .. } = plant.dims();
    let error = |t: f64, y: &[f64]| {
        let exact = plant.exact(t);
        (0..q + v).map(|i| (y[i] - exact[i]).abs()).fold(0.0, f64::max)
    };
    for method in METHODS.into_iter().filter(|method| explicit || method.is_some()) {
        for rtol in [1e-3, 1e-5, 1e-7] {
            print(method, rtol, &run(&plant, &plant.exact(0.0), method, rtol, end, error));
        }
    }
}

/// A chain has no closed form: its end is compared with that of a run to 1e-11.
fn chain(links: usize, end: f64) {
    heading(&format!("chain of {links} links, {end} s"));
    let plant = Chain::new(links);
    let start = plant.start();
    let mut reference = plant.clone();
    let mut ode = Explicit::new(&DOP853, Options::adaptive(1e-11), &plant, 0.0, &start);
    while ode.step(&mut reference, end).expect("regular") != StepOutcome::Stopped {}
    let wanted = ode.state().to_vec();
    let error = |t: f64, y: &[f64]| {
        let differences = y.iter().zip(&wanted).map(|(a, b)| (a - b).abs());
        if t == end { differences.fold(0.0, f64::max) } else { 0.0 }
    };
    for method in METHODS {
        for rtol in [1e-4, 1e-6] {
            print(method, rtol, &run(&plant, &start, method, rtol, end, error));
        }
    }
}

fn main() {
    analytic("pendulum, 20 s", Particle::new(Pendulum::default()), 20.0, true);
    analytic("bead, 5 s", Particle::new(Bead::default()), 5.0, true);
    analytic("stiff bead, 1e6 N/m, 1e3 N s/m", Particle::new(Bead::stiff(1e6, 1e3)), 5.0, true);
    analytic("stiff bead, 1e8 N/m, 1e4 N s/m", Particle::new(Bead::stiff(1e8, 1e4)), 5.0, false);
    analytic("top, 1 s, tangents by differences", Top::default(), 1.0, true);
    chain(20, 0.3);
    chain(200, 0.1);
}
