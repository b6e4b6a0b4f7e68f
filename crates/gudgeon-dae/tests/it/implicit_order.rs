//! Implicit methods have their orders, for positions, velocities, reactions and works, also through
//! events and changes of the step size.
//!
//! Steps are fixed and Newton's iteration is solved to 1e-12, so errors follow C hᵖ and p is read off
//! two step sizes, as in `order.rs`. λ is the multiplier of the method itself; `recomputed` is the one that
//! belongs to the accelerations at the accepted point.

use gudgeon_dae::problems::{
    Actuator, Analytic, Bead, Cells, Guide, Oscillator, Particle, Pendulum, Ring, Rod, Rods, Top,
    Weighing, Wire,
};
use gudgeon_dae::{
    AlphaParameters, Dims, Form, Implicit, ImplicitDae, Method, Options, Stabilisation, StepOutcome,
};

const SHORTFALL: f64 = 0.35;

#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    q: f64,
    v: f64,
    w: f64,
    lambda: f64,
    recomputed: f64,
}

impl Errors {
    fn raise<P: Analytic>(&mut self, plant: &mut P, ode: &Implicit, own: bool) {
        let (t, y) = (ode.time(), ode.state());
        let exact = plant.exact(t);
        let Dims { q, v, .. } = plant.dims();
        for i in 0..y.len() {
            let error = (y[i] - exact[i]).abs();
            let part = match i {
                i if i < q => &mut self.q,
                i if i < q + v => &mut self.v,
                _ => &mut self.w,
            };
            *part = part.max(error);
        }
        let wanted = plant.exact_reaction(t);
        if own {
            let lambda = plant.joint_reaction(ode.reactions());
            self.lambda = self.lambda.max((lambda - wanted).abs());
        }
        let mut dy = vec![0.0; y.len()];
        plant.rates(t, y, &mut dy, Stabilisation::default()).expect("regular");
        self.recomputed = self.recomputed.max((plant.reaction() - wanted).abs());
    }

    fn orders(&self, fine: &Self) -> [f64; 5] {
        let slope = |a: f64, b: f64| if a < 1e-13 { f64::INFINITY } else { (a / b).log2() };
        [
            slope(self.q, fine.q),
            slope(self.v, fine.v),
            slope(self.w, fine.w),
            slope(self.lambda, fine.lambda),
            slope(self.recomputed, fine.recomputed),
        ]
    }
}

/// Runs to `end` in n steps whose sizes are multiplied by `pattern` in turn: a fixed step longer than
/// all of them is cut to end there.
fn errors<P: Analytic + ImplicitDae>(
    plant: &mut P,
    method: Method,
    n: u32,
    end: f64,
    pattern: &[f64],
    lambda_from: f64,
    mut on_event: impl FnMut(&mut P),
) -> Errors {
    let y = plant.exact(0.0);
    let h = end / f64::from(n);
    let longest = pattern.iter().copied().fold(0.0, f64::max) * h;
    let options = Options::fixed(longest, Stabilisation::default());
    let mut ode = Implicit::new(method, options, plant, 0.0, &y);
    let mut errors = Errors::default();
    for i in 0.. {
        let cut = ode.time() + h * pattern[i % pattern.len()];
        // No sliver is left before the end.
        let stop = if cut >= end - 1e-9 * h { end } else { cut };
        let outcome = ode.step(plant, stop).expect("the problem is smooth");
        errors.raise(plant, &ode, outcome != StepOutcome::Event && ode.time() > lambda_from * end);
        match outcome {
            StepOutcome::Stopped if stop == end => break,
            StepOutcome::Stopped | StepOutcome::Stepped => {}
            StepOutcome::Event => {
                on_event(plant);
                ode.restart(None);
            }
        }
    }
    assert_eq!(ode.time(), end);
    errors
}

struct Wanted {
    method: Method,
    /// Of q, v and w.
    order: f64,
    lambda: f64,
    recomputed: f64,
    pattern: &'static [f64],
    /// λ is looked at after this share of the run.
    lambda_from: f64,
}

impl Wanted {
    fn on<P: Analytic + ImplicitDae>(&self, mut plant: P, steps: u32, end: f64, what: &str) {
        let mut run = |n: u32| {
            errors(&mut plant, self.method, n, end, self.pattern, self.lambda_from, |_| {})
        };
        let (coarse, fine) = (run(steps), run(2 * steps));
        self.check(coarse, fine, what);
    }

    fn check(&self, coarse: Errors, fine: Errors, what: &str) {
        let orders = coarse.orders(&fine);
        println!("{what} {}: {orders:.2?} {fine:?}", self.method.name());
        let wanted = [self.order, self.order, self.order, self.lambda, self.recomputed];
        let names = ["q", "v", "w", "λ", "recomputed λ"];
        for ((order, wanted), name) in orders.iter().zip(wanted).zip(names) {
            assert!(
                *order > wanted - SHORTFALL,
                "{what}, {:?}: order {order:.2} of {name}; {coarse:?} {fine:?}",
                self.method
            );
        }
    }
}

const EVEN: &[f64] = &[1.0];
const UNEVEN: &[f64] = &[1.0, 1.6, 0.5, 0.9, 0.3, 2.0];

fn alpha(parameters: AlphaParameters, form: Form, pattern: &'static [f64]) -> Wanted {
    let method = Method::Alpha { parameters, form };
    Wanted { method, order: 2.0, lambda: 2.0, recomputed: 2.0, pattern, lambda_from: 0.0 }
}

fn on_every_problem(wanted: &Wanted, steps: u32) {
    wanted.on(Particle::new(Pendulum::default()), steps, 2.0, "pendulum");
    wanted.on(Particle::new(Wire::default()), steps, 2.0, "wire");
    wanted.on(Particle::new(Bead::default()), steps, 2.0, "bead");
    let redundant = Particle::with_weights(Bead::default(), &[1.0, -2.0, 0.3]);
    wanted.on(redundant, steps, 2.0, "redundant bead");
    wanted.on(Top::default(), 4 * steps, 1.0, "top");
    wanted.on(Oscillator::sine(3.0, &[]), steps, 2.0, "oscillator");
    wanted.on(Actuator { mass: 1.3, time_constant: 0.4 }, steps, 2.0, "actuator");
    wanted.on(Particle::new(Ring::default()), steps, 2.0, "ring");
    let redundant = Particle::with_weights(Ring::default(), &[1.0, -2.0, 0.3]);
    wanted.on(redundant, steps, 2.0, "redundant ring");
    wanted.on(Rods::new(1, Rod::uniform()), steps, 2.0, "rod");
    let by_diagonal = Rods::new(1, Rod::uniform()).weighed_by(Weighing::Diagonal);
    wanted.on(by_diagonal, steps, 2.0, "rod weighed by its diagonal");
    // The multipliers of index 3 start off, and friction feels it; Radau is at rounding soon.
    let finer = if wanted.method == Method::Radau { 2 } else { 4 };
    wanted.on(Cells::new(3), finer * steps, 2.0, "cells");
}

#[test]
fn alpha_has_order_2_in_everything() {
    for rho in [0.0, 0.5, 0.8, 1.0] {
        let parameters = AlphaParameters::generalized(rho);
        on_every_problem(&alpha(parameters, Form::Stabilised, EVEN), 100);
    }
    on_every_problem(&alpha(AlphaParameters::hht(0.1), Form::Stabilised, EVEN), 100);
    on_every_problem(&alpha(AlphaParameters::newmark(0.25, 0.5), Form::Stabilised, EVEN), 100);
}

#[test]
fn alpha_keeps_order_2_when_the_step_changes() {
    for rho in [0.0, 0.8, 1.0] {
        let parameters = AlphaParameters::generalized(rho);
        on_every_problem(&alpha(parameters, Form::Stabilised, UNEVEN), 200);
    }
}

#[test]
fn alpha_of_index_3_has_order_2_with_even_steps() {
    for rho in [0.0, 0.5, 0.8] {
        let parameters = AlphaParameters::generalized(rho);
        // The multipliers of index 3 start with an error of order 1 that decays like ρ∞ⁿ.
        let wanted = Wanted { lambda_from: 0.5, ..alpha(parameters, Form::Index3, EVEN) };
        on_every_problem(&wanted, 100);
    }
}

/// The reaction of a bead jumps where x = sin t passes ½ upwards.
fn through_a_jump(wanted: &Wanted, steps: u32) {
    let run = |n: u32| {
        let mut plant = Particle::new(Bead::jumping(0.5));
        errors(&mut plant, wanted.method, n, 1.5, wanted.pattern, 0.0, |plant| plant.guide.handle())
    };
    let (coarse, fine) = (run(steps), run(2 * steps));
    wanted.check(coarse, fine, "jump");
}

#[test]
fn alpha_keeps_order_2_through_an_event() {
    for rho in [0.0, 0.8, 1.0] {
        for pattern in [EVEN, UNEVEN] {
            through_a_jump(
                &alpha(AlphaParameters::generalized(rho), Form::Stabilised, pattern),
                150,
            );
        }
    }
}

#[test]
fn radau_keeps_order_5_through_an_event() {
    through_a_jump(&radau(EVEN), 12);
}

fn radau(pattern: &'static [f64]) -> Wanted {
    let lambda_from = 0.0;
    Wanted { method: Method::Radau, order: 5.0, lambda: 3.0, recomputed: 5.0, pattern, lambda_from }
}

#[test]
fn radau_has_order_5_and_its_multipliers_order_3() {
    for pattern in [EVEN, UNEVEN] {
        on_every_problem(&radau(pattern), if pattern.len() > 1 { 50 } else { 20 });
    }
}

/// BDF of each order, with exact points before the start.
#[test]
fn bdf_has_its_orders() {
    fn run<P: Analytic + ImplicitDae>(
        plant: &mut P,
        (highest, form): (usize, Form),
        n: u32,
        end: f64,
    ) -> Errors {
        let h = end / f64::from(n);
        let options = Options::fixed(h, Stabilisation::default());
        let y = plant.exact(0.0);
        let mut ode = Implicit::new(Method::Bdf { highest, form }, options, plant, 0.0, &y);
        let before: Vec<_> = (1..=highest).map(|k| plant.exact(-h * k as f64)).collect();
        ode.seed(h, &before);
        let mut errors = Errors::default();
        let from = if form == Form::Index3 { 0.5 * end } else { 0.0 };
        while ode.step(plant, end).expect("smooth") != StepOutcome::Stopped {
            errors.raise(plant, &ode, ode.time() > from);
        }
        errors
    }
    fn check<P: Analytic + ImplicitDae>(mut plant: P, steps: u32, end: f64, what: &str) {
        // In index 3 reactions are right when the exact points have left the history.
        let forms = [(Form::Stabilised, 0.0), (Form::Index3, 0.5)];
        for (highest, (form, lambda_from)) in (1..=5).flat_map(|k| forms.map(|form| (k, form))) {
            let n = [8 * steps, steps, steps, steps, steps / 2][highest - 1];
            let (coarse, fine) = (
                run(&mut plant, (highest, form), n, end),
                run(&mut plant, (highest, form), 2 * n, end),
            );
            let order = highest as f64;
            let method = Method::Bdf { highest, form };
            let wanted = Wanted {
                method,
                order,
                lambda: order,
                recomputed: order,
                pattern: EVEN,
                lambda_from,
            };
            wanted.check(coarse, fine, &format!("{what} of order {highest}, {form:?}"));
        }
    }
    check(Particle::new(Pendulum::default()), 150, 2.0, "pendulum");
    check(Particle::new(Bead::default()), 100, 2.0, "bead");
    check(Top::default(), 200, 0.5, "top");
    check(Actuator { mass: 1.3, time_constant: 0.4 }, 100, 2.0, "actuator");
    check(Particle::new(Ring::default()), 140, 2.0, "ring");
    check(Rods::new(1, Rod::uniform()), 200, 2.0, "rod");
    check(Cells::new(3), 100, 2.0, "cells");
}

#[test]
fn guides_are_used() {
    // The exact reaction of a jumping bead follows its mode.
    let mut bead = Bead::jumping(0.5);
    let before = bead.motion(0.6).2;
    bead.handle();
    assert_eq!(bead.motion(0.6).2, before + 1.0);
}
