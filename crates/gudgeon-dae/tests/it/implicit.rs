//! Implicit methods: tolerances, events, drift, energy, stiffness, tangents and failures.

use std::f64::consts::{PI, TAU};

use gudgeon_dae::problems::{
    Actuator, Analytic, Bead, Cells, Chain, Level, Oscillator, Particle, Pendulum, Ring, Rod, Rods,
    Top, Wire,
};
use gudgeon_dae::tableau::DOP853;
use gudgeon_dae::{
    AlphaParameters, Differences, Dims, Drift, Explicit, Fault, Form, Implicit, ImplicitDae,
    Integrator, Method, Options, Place, SecondOrderDae, Stabilisation, Statistics, StepError,
    StepOutcome, Tangents, Terms, Weights,
};

const METHODS: [Method; 2] = [Method::Radau, Method::BDF];

fn all() -> [Method; 4] {
    [Method::alpha(0.8), Method::alpha(1.0), METHODS[0], METHODS[1]]
}

fn begin<P: Analytic + ImplicitDae>(plant: &P, method: Method, options: Options) -> Implicit {
    Implicit::new(method, options, plant, 0.0, &plant.exact(0.0))
}

/// Largest error of q and v over a run, and what it cost.
fn run<P: Analytic + ImplicitDae>(
    plant: &mut P,
    method: Method,
    rtol: f64,
    end: f64,
) -> (f64, Statistics) {
    let mut ode = begin(plant, method, Options::adaptive(rtol));
    let mut worst = 0.0f64;
    loop {
        let outcome = ode.step(plant, end).unwrap_or_else(|e| panic!("{method:?}: {e}"));
        let Dims { q, v, .. } = plant.dims();
        for (a, b) in ode.state()[..q + v].iter().zip(plant.exact(ode.time())) {
            worst = worst.max((a - b).abs());
        }
        if outcome == StepOutcome::Stopped {
            return (worst, ode.statistics);
        }
    }
}

#[test]
fn errors_follow_the_tolerance() {
    for method in all() {
        for exponent in [-4, -6, -8] {
            let rtol = 10f64.powi(exponent);
            if exponent == -8 && matches!(method, Method::Alpha { .. }) {
                continue;
            }
            let (bead, s) = run(&mut Particle::new(Bead::default()), method, rtol, 5.0);
            println!("{} bead {rtol:e}: {bead:e} {s:?}", method.name());
            assert!(bead < 300.0 * rtol, "{method:?}: {bead:e} at {rtol:e}");
            let (top, s) = run(&mut Top::default(), method, rtol, 1.0);
            println!("{} top {rtol:e}: {top:e} {s:?}", method.name());
            assert!(top < 2000.0 * rtol, "{method:?}: {top:e} at {rtol:e}");
        }
    }
}

#[test]
fn index_3_runs_with_variable_steps_too() {
    // The velocities leave their constraint by an error of order 2; positions do not.
    let parameters = AlphaParameters::generalized(0.8);
    let method = Method::Alpha { parameters, form: Form::Index3 };
    let (error, s) = run(&mut Particle::new(Bead::default()), method, 1e-5, 5.0);
    println!("{error:e} {s:?}");
    assert!(error < 1e-2 && s.steps < 2000, "{error:e} {s:?}");
    let (error, s) = run(&mut Particle::new(Bead::stiff(1e6, 1e3)), method, 1e-4, 5.0);
    println!("{error:e} {s:?}");
    assert!(error < 1e-2 && s.steps < 4000, "{error:e} {s:?}");
}

#[test]
fn stiffness_costs_little() {
    // Time constants down to 1e-4 s over 5 s. Errors do not add up where a motion is held, but v of
    // generalized-α has a local error of order 2 there, so its steps are shorter.
    let cases = [(1e6, 1e3), (1e4, 1e4), (1e8, 1e4)];
    for method in [Method::alpha(0.8), Method::alpha(1.0), METHODS[0], METHODS[1]] {
        let mild = run(&mut Particle::new(Bead::default()), method, 1e-5, 5.0);
        for (k, d) in cases {
            let (error, s) = run(&mut Particle::new(Bead::stiff(k, d)), method, 1e-5, 5.0);
            println!("{} {k:e} {d:e}: {error:e} {s:?}", method.name());
            assert!(error < 2e-4, "{method:?}: {error:e}");
            assert!(s.steps < 10 * mild.1.steps, "{method:?}: {s:?} against {:?}", mild.1);
        }
    }
    for method in all() {
        let (error, s) = run(&mut Actuator { mass: 1.3, time_constant: 1e-6 }, method, 1e-5, 5.0);
        println!("{} actuator: {error:e} {s:?}", method.name());
        assert!(error < 1e-3 && s.steps < 2000, "{method:?}: {error:e} {s:?}");
    }
    let mut plant = Particle::new(Bead::stiff(1e8, 1e4));
    let mut ode = Explicit::new(&DOP853, Options::adaptive(1e-5), &plant, 0.0, &plant.exact(0.0));
    while ode.step(&mut plant, 0.05).unwrap() != StepOutcome::Stopped {}
    // A hundredth of the time.
    assert!(ode.statistics.steps > 50, "{:?}", ode.statistics);
}

fn gaps<P: SecondOrderDae>(plant: &mut P, ode: &Implicit) -> Drift {
    let mut dy = vec![0.0; ode.state().len()];
    plant.rates(ode.time(), ode.state(), &mut dy, Stabilisation::default()).unwrap();
    plant.drift()
}

#[test]
fn long_runs_do_not_drift() {
    fn check<P: Analytic + ImplicitDae>(mut plant: P, end: f64) {
        for method in all() {
            let mut ode = begin(&plant, method, Options::adaptive(1e-4));
            while ode.step(&mut plant, end).unwrap() != StepOutcome::Stopped {
                let drift = gaps(&mut plant, &ode);
                // A hundredth of rtol is where Newton's iteration ends.
                let worst = drift.position.max(drift.velocity);
                assert!(worst < 1e-5, "{method:?}: {drift:?} at {}", ode.time());
            }
        }
    }
    check(Particle::new(Pendulum::default()), 100.0);
    check(Particle::with_weights(Pendulum::default(), &[1.0, 3.0, -0.1]), 20.0);
    check(Particle::new(Wire::default()), 3.0);
    check(Top::default(), 5.0);
}

/// Energy per mass of the pendulum.
fn energy(plant: &Particle<Pendulum>, y: &[f64]) -> f64 {
    0.5 * (y[2] * y[2] + y[3] * y[3]) + plant.guide.gravity * y[1]
}

/// Largest deviation of the energy in the first and in the last tenth of a run.
fn energy_error(rho: f64, end: f64) -> (f64, f64) {
    let mut plant = Particle::new(Pendulum::default());
    let options = Options::fixed(0.02, Stabilisation::default());
    let mut ode = begin(&plant, Method::alpha(rho), options);
    let first = energy(&plant, ode.state());
    let (mut early, mut late) = (0.0f64, 0.0f64);
    while ode.step(&mut plant, end).unwrap() != StepOutcome::Stopped {
        let error = (energy(&plant, ode.state()) - first).abs();
        if ode.time() < 0.1 * end {
            early = early.max(error);
        }
        if ode.time() > 0.9 * end {
            late = late.max(error);
        }
    }
    (early, late)
}

#[test]
fn without_damping_energy_stays_bounded() {
    // 10⁵ steps. With ρ∞ = 1 the energy swings with the motion but does not grow; below 1 it falls
    // slowly.
    let (early, late) = energy_error(1.0, 2000.0);
    println!("ρ 1: {early:e} {late:e}");
    assert!(early < 2e-3 && late < 1.5 * early, "{early:e} {late:e}");
    let (early, late) = energy_error(0.8, 2000.0);
    println!("ρ 0.8: {early:e} {late:e}");
    assert!(late < 0.1, "{early:e} {late:e}");
}

#[test]
fn crossings_are_located_to_the_tolerance() {
    for method in all() {
        for rtol in [1e-4, 1e-6] {
            let mut plant = Oscillator::sine(1.0, &[Level { level: 0.5, below: true }]);
            let mut ode = begin(&plant, method, Options::adaptive(rtol));
            let mut events = Vec::new();
            loop {
                match ode.step(&mut plant, 2.0 * TAU).unwrap() {
                    StepOutcome::Stopped => break,
                    StepOutcome::Stepped => {}
                    StepOutcome::Event => {
                        events.push(ode.time());
                        let fired = ode.fired().to_vec();
                        plant.handle(&fired);
                        ode.restart(None);
                    }
                }
            }
            assert_eq!(events.len(), 4, "{method:?}: {events:?}");
            for (i, t) in events.iter().enumerate() {
                let exact = TAU * (i / 2) as f64 + [PI / 6.0, 5.0 * PI / 6.0][i % 2];
                println!("{} {rtol:e}: {:e}", method.name(), t - exact);
                assert!((t - exact).abs() < 300.0 * rtol, "{method:?}: {t} is not {exact}");
            }
        }
    }
}

#[test]
fn a_throw_is_located_to_rounding() {
    let (speed, level) = (1.3f64, 0.4);
    let root = (speed * speed - 2.0 * level).sqrt();
    for method in [Method::alpha(0.8), Method::Radau] {
        let mut plant = Oscillator::throw(speed, &[Level { level, below: true }]);
        let mut ode = begin(&plant, method, Options::adaptive(1e-6));
        while ode.step(&mut plant, 3.0).unwrap() != StepOutcome::Event {}
        assert!((ode.time() - (speed - root)).abs() < 1e-12, "{method:?} {}", ode.time());
    }
}

#[test]
fn a_jump_of_the_reaction_is_met_by_every_method() {
    for method in all() {
        let mut plant = Particle::new(Bead::jumping(0.5));
        let mut ode: Integrator = begin(&plant, method, Options::adaptive(1e-6)).into();
        let mut y = plant.exact(0.0);
        let (mut events, mut worst) = (0, 0.0f64);
        loop {
            let outcome = ode.step(&mut plant, 1.5).unwrap();
            ode.prepare_dense(&mut plant).unwrap();
            let middle = ode.place_of(0.5 * (ode.last_start() + ode.time()));
            let t = ode.interpolate(middle, &mut y);
            for (a, b) in y.iter().zip(plant.exact(t)) {
                worst = worst.max((a - b).abs());
            }
            match outcome {
                StepOutcome::Stopped => break,
                StepOutcome::Stepped => {}
                StepOutcome::Event => {
                    events += 1;
                    plant.guide.handle();
                    ode.restart(None);
                }
            }
        }
        println!("{}: {worst:e} {:?}", method.name(), ode.statistics());
        assert_eq!(events, 1);
        assert!(worst < 1e-4, "{method:?}: {worst:e}");
        assert!(ode.statistics().factorisations.restarted > 0);
    }
}

#[test]
fn places_and_times_of_a_step_belong_together() {
    for method in all() {
        let mut plant = Particle::new(Bead::default());
        let mut ode = begin(&plant, method, Options::adaptive(1e-6));
        let mut y = plant.exact(0.0);
        while ode.step(&mut plant, 2.0).unwrap() != StepOutcome::Stopped {
            let (from, to) = (ode.last_start(), ode.time());
            assert_eq!(ode.interpolate(0.0, &mut y), from);
            assert_eq!(y, ode.last_state());
            assert_eq!(ode.interpolate(1.0, &mut y), to);
            assert_eq!(y, ode.state());
            for i in 1..10 {
                let t = from + (to - from) * 0.1 * f64::from(i);
                let place = ode.place_of(t);
                assert!((ode.interpolate(place, &mut y) - t).abs() < 1e-14);
                for (a, b) in y.iter().zip(plant.exact(t)) {
                    assert!((a - b).abs() < 1e-3, "{method:?}: {a} is not {b}");
                }
            }
        }
    }
}

#[test]
fn differences_agree_with_analytic_tangents() {
    fn check<P: Analytic + ImplicitDae>(mut plant: P) {
        let mut y = plant.exact(0.8);
        // Off the solution, so that everything counts.
        y.iter_mut().enumerate().for_each(|(i, y)| *y += 0.01 * i as f64);
        let Dims { v, rows, .. } = plant.dims();
        let (acceleration, lambda) = (vec![0.3; v], vec![1.4; rows]);
        let at = Place { t: 0.8, y: &y, acceleration: &acceleration, lambda: &lambda };
        let (mut exact, mut found) = (plant.blank_tangents(), plant.blank_tangents());
        assert!(plant.tangents(at, &mut exact).unwrap());
        let mut differences = Differences::new(&plant);
        differences.take(&mut plant, at, &vec![1.0; y.len()], &mut found).unwrap();
        for (a, b) in [
            (&exact.stiffness, &found.stiffness),
            (&exact.damping, &found.damping),
            (&exact.rate_jacobian, &found.rate_jacobian),
            (&exact.coupling, &found.coupling),
            (&exact.reactions, &found.reactions),
            (&exact.rates_q, &found.rates_q),
            (&exact.rates_v, &found.rates_v),
            (&exact.rates_z, &found.rates_z),
        ] {
            for (a, b) in a.values.iter().zip(&b.values) {
                assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()), "{a} is not {b}");
            }
        }
    }
    check(Particle::with_weights(Pendulum::default(), &[1.0, -0.7]));
    check(Particle::with_weights(Wire::default(), &[1.0, -0.7]));
    check(Particle::with_weights(Bead::default(), &[1.0, -0.7]));
    check(Particle::with_weights(Bead::stiff(1e3, 40.0), &[1.0, -0.7]));
    check(Actuator { mass: 1.3, time_constant: 0.01 });
    check(Particle::with_weights(Ring::upright(), &[1.0, -0.7]));
    check(Rods::new(1, Rod::uniform()));
    check(Cells::new(4));
}

/// A force that never gives the same answer, so that no iteration converges.
struct Rough(Particle<Bead>, bool);

impl SecondOrderDae for Rough {
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
    fn settle(&mut self, _t: f64, _y: &mut [f64]) -> bool {
        false
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

impl ImplicitDae for Rough {
    fn terms(&mut self, t: f64, y: &[f64], lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        out.mass.set(0, 0, 1.2);
        out.mass.set(1, 1, 1.2);
        self.0.terms(t, y, lambda, out)?;
        if t > 0.5 {
            self.1 = !self.1;
            out.force[1] += if self.1 { 1e9 } else { -1e9 };
        }
        Ok(())
    }
    fn tangents(&mut self, at: Place, out: &mut Tangents) -> Result<bool, Fault> {
        self.0.tangents(at, out)
    }
}

#[test]
fn a_failure_names_the_equation() {
    for method in all() {
        for options in [Options::adaptive(1e-5), Options::fixed(0.01, Stabilisation::default())] {
            let mut plant = Rough(Particle::new(Bead::default()), false);
            let y = plant.0.exact(0.0);
            let mut ode = Implicit::new(method, options, &plant, 0.0, &y);
            let error = loop {
                if let Err(error) = ode.step(&mut plant, 2.0) {
                    break error;
                }
                assert!(ode.time() < 0.6, "{method:?}");
            };
            let StepError::Unsolved { time, step, residual, .. } = error else {
                panic!("{method:?}: {error}")
            };
            println!("{}: {error}", method.name());
            assert!((0.4..0.6).contains(&time) && step > 0.0 && residual > 0.0, "{error}");
        }
    }
}

/// The end of a swing of a chain with an explicit method, to compare with.
fn swing(links: usize, end: f64) -> Vec<f64> {
    let mut plant = Chain::new(links);
    let mut ode = Explicit::new(&DOP853, Options::adaptive(1e-10), &plant, 0.0, &plant.start());
    while ode.step(&mut plant, end).unwrap() != StepOutcome::Stopped {}
    ode.state().to_vec()
}

#[test]
fn large_systems_are_solved_by_sparse_elimination() {
    // 36 unknowns are solved as a full matrix, 120 by sparse elimination.
    for links in [12, 40] {
        let wanted = swing(links, 0.3);
        for method in all() {
            let mut plant = Chain::new(links);
            let rtol = if method == Method::Radau { 1e-7 } else { 1e-6 };
            let y = plant.start();
            let mut ode = Implicit::new(method, Options::adaptive(rtol), &plant, 0.0, &y);
            while ode.step(&mut plant, 0.3).unwrap() != StepOutcome::Stopped {}
            let error =
                ode.state().iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            println!("{links} {}: {error:e} {:?}", method.name(), ode.statistics);
            assert!(error < 1e-3, "{method:?}: {error:e}");
            let lost = plant.energy(ode.state()) - plant.energy(&y);
            assert!(lost.abs() < 1e-3, "{method:?}: {lost:e}");
        }
    }
}

#[test]
fn the_heavy_top_of_the_literature() {
    // Euler parameters at 0.2 s, to 1e-4 and a common sign.
    let wanted = [-0.70828, 0.43878, 0.54573, 0.0894];
    for (method, rtol) in [(Method::alpha(0.8), 1e-8), (METHODS[0], 1e-6), (METHODS[1], 1e-8)] {
        let mut plant = Top::new(15.0, [0.234375, 0.46875, 0.234375], [0.0, 1.0, 0.0]);
        let spin = [0.0, 150.0, -4.61538];
        let start = [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 4.61538, 0.0, 0.0];
        let y = [&start[..], &spin[..], &[0.0]].concat();
        let mut ode = Implicit::new(method, Options::adaptive(rtol), &plant, 0.0, &y);
        while ode.step(&mut plant, 0.2).unwrap() != StepOutcome::Stopped {}
        let p = &ode.state()[3..7];
        let sign = (p[0] * wanted[0]).signum();
        println!("{} {p:?} {:?}", method.name(), ode.statistics);
        for (p, wanted) in p.iter().zip(wanted) {
            assert!((sign * p - wanted).abs() < 2e-4, "{method:?}: {p} is not {wanted}");
        }
    }
}

/// A mass that slides along x and carries a massless pointer θ = x²/2 under a torque.
struct Pointer;

impl SecondOrderDae for Pointer {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, rows: 1, ..Dims::default() }
    }
    fn velocity_is_rate(&self) -> bool {
        true
    }
    fn rates(
        &mut self,
        _t: f64,
        y: &[f64],
        dy: &mut [f64],
        _with: Stabilisation,
    ) -> Result<f64, Fault> {
        // λ = torque = −1 N m, and x feels −λ ∂g/∂x = −x.
        let acceleration = -y[0];
        dy.copy_from_slice(&[y[2], y[3], acceleration, y[2] * y[2] + y[0] * acceleration]);
        Ok(1.0)
    }
    fn settle(&mut self, _t: f64, _y: &mut [f64]) -> bool {
        false
    }
    fn drift(&mut self) -> Drift {
        Drift::default()
    }
    fn project(&mut self, _t: f64, _y: &mut [f64]) -> Result<(), Fault> {
        Ok(())
    }
    fn switches(&mut self, _t: f64, _y: &[f64], _out: &mut [f64]) {}
    fn raise_scales(&mut self, _y: &[f64], scales: &mut [f64]) {
        scales.fill(1.0);
    }
}

impl ImplicitDae for Pointer {
    fn terms(&mut self, _t: f64, y: &[f64], _lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        out.force[1] = -1.0;
        out.mass.set(0, 0, 1.0);
        out.gaps[0] = y[1] - 0.5 * y[0] * y[0];
        out.rows.set(0, 0, -y[0]);
        out.rows.set(0, 1, 1.0);
        Ok(())
    }
    fn weights(&self, _terms: &Terms, out: &mut Weights) {
        (0..2).for_each(|i| out.set(i, i, 1.0));
    }
}

#[test]
fn directions_without_mass_are_held_by_constraints() {
    for method in all() {
        let mut ode =
            Implicit::new(method, Options::adaptive(1e-6), &Pointer, 0.0, &[1.0, 0.5, 0.0, 0.0]);
        while ode.step(&mut Pointer, 3.0).unwrap() != StepOutcome::Stopped {}
        let error = ode.state()[0] - 3f64.cos();
        assert!(error.abs() < 1e-3, "{method:?}: {error:e}");
        assert!((ode.reactions()[0] + 1.0).abs() < 1e-2, "{method:?}: {:?}", ode.reactions());
    }
}
