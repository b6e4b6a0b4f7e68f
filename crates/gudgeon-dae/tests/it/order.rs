//! Every method has its order, for positions, velocities, reactions and works; so has the solution
//! between steps and the one in stretched time.
//!
//! Steps are forced: each step is told its size and the tolerance is far away, so errors follow
//! C hᵖ and p is read off two step sizes. A measured order may lie below p while the next term of the
//! error is still felt; half an order is allowed for that, which still tells p from p − 1. Errors
//! are kept well above rounding, where no order can be seen.

use gudgeon_dae::problems::{Analytic, Bead, Guide, Onset, Oscillator, Particle, Pendulum, Wire};
use gudgeon_dae::tableau::{DOP853, DOPRI5, RK4, Tableau};
use gudgeon_dae::{
    Dims, Drift, Explicit, Fault, Options, SecondOrderDae, Stabilisation, StepOutcome,
};

const SHORTFALL: f64 = 0.5;

/// The same problem, projected after every step.
struct Projected<P>(P);

impl<P: SecondOrderDae> SecondOrderDae for Projected<P> {
    fn dims(&self) -> Dims {
        self.0.dims()
    }
    fn velocity_is_rate(&self) -> bool {
        self.0.velocity_is_rate()
    }
    fn rates(
        &mut self,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
        stabilisation: Stabilisation,
    ) -> Result<f64, Fault> {
        self.0.rates(t, y, dy, stabilisation)
    }
    fn settle(&mut self, t: f64, y: &mut [f64]) -> bool {
        self.0.settle(t, y)
    }
    fn drift(&mut self) -> Drift {
        Drift { position: f64::INFINITY, velocity: f64::INFINITY }
    }
    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault> {
        self.0.project(t, y)
    }
    fn switches(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        self.0.switches(t, y, out);
    }
    fn raise_scales(&mut self, y: &[f64], scales: &mut [f64]) {
        self.0.raise_scales(y, scales);
    }
}

impl<P: Analytic> Analytic for Projected<P> {
    fn exact(&self, t: f64) -> Vec<f64> {
        self.0.exact(t)
    }
    fn exact_reaction(&self, t: f64) -> f64 {
        self.0.exact_reaction(t)
    }
    fn reaction(&self) -> f64 {
        self.0.reaction()
    }
}

/// Largest errors over the steps of a run: of q, of v, of z and w together, and of λ. The largest
/// over a run and not the one at its end, which may pass through zero.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    q: f64,
    v: f64,
    rest: f64,
    lambda: f64,
}

impl Errors {
    fn largest(&self) -> f64 {
        self.q.max(self.v).max(self.rest).max(self.lambda)
    }

    /// Takes the errors at the present point in.
    fn raise<P: Analytic>(&mut self, plant: &mut P, t: f64, y: &[f64]) {
        let exact = plant.exact(t);
        let Dims { q, v, .. } = plant.dims();
        for i in 0..y.len() {
            let error = (y[i] - exact[i]).abs();
            let part = match i {
                i if i < q => &mut self.q,
                i if i < q + v => &mut self.v,
                _ => &mut self.rest,
            };
            *part = part.max(error);
        }
        let mut dy = vec![0.0; y.len()];
        plant.rates(t, y, &mut dy, Stabilisation::default()).expect("regular");
        let error = (plant.reaction() - plant.exact_reaction(t)).abs();
        self.lambda = self.lambda.max(error);
    }
}

fn start<P: Analytic>(plant: &P, tableau: &'static Tableau, options: Options) -> Explicit {
    let y = plant.exact(0.0);
    Explicit::new(tableau, options, plant, 0.0, &y)
}

/// Runs to `end`; adaptive methods with every step forced to `h`.
fn errors<P: Analytic>(
    plant: &mut P,
    tableau: &'static Tableau,
    options: Options,
    h: Option<f64>,
    end: f64,
) -> Errors {
    let mut ode = start(plant, tableau, options);
    let mut errors = Errors::default();
    loop {
        if h.is_some() {
            ode.restart(h);
        }
        let outcome = ode.step(plant, end).expect("the problem is smooth");
        errors.raise(plant, ode.time(), ode.state());
        if outcome == StepOutcome::Stopped {
            break;
        }
    }
    assert_eq!(ode.time(), end);
    errors
}

/// Orders read off two step counts n and 2n.
fn orders(coarse: Errors, fine: Errors) -> [f64; 4] {
    let slope = |a: f64, b: f64| if a == 0.0 && b == 0.0 { f64::INFINITY } else { (a / b).log2() };
    [
        slope(coarse.q, fine.q),
        slope(coarse.v, fine.v),
        slope(coarse.rest, fine.rest),
        slope(coarse.lambda, fine.lambda),
    ]
}

/// Far above any error: every step is accepted and none projected.
const LOOSE: f64 = 1e12;
const END: f64 = 2.0;

fn has_order<P: Analytic>(mut plant: P, tableau: &'static Tableau, steps: u32, what: &str) {
    let mut run = |n: u32| {
        let options = Options::adaptive(LOOSE);
        errors(&mut plant, tableau, options, Some(END / f64::from(n)), END)
    };
    let (coarse, fine) = (run(steps), run(2 * steps));
    let wanted = f64::from(tableau.order) - SHORTFALL;
    for (order, name) in orders(coarse, fine).iter().zip(["q", "v", "w", "λ"]) {
        assert!(
            *order > wanted,
            "{what}, {}: order {order:.2} of {name}; {coarse:?} {fine:?}",
            tableau.name
        );
    }
}

/// Step counts for the pendulum and for the rest, at which errors lie between 1e-7 and 1e-13.
fn on_every_problem(tableau: &'static Tableau, (pendulum, rest): (u32, u32)) {
    has_order(Particle::new(Pendulum::default()), tableau, pendulum, "pendulum");
    has_order(Particle::new(Wire::default()), tableau, rest, "wire");
    has_order(Particle::new(Bead::default()), tableau, rest, "bead");
    let weights = [1.0, -2.0, 0.3];
    has_order(
        Particle::with_weights(Pendulum::default(), &weights),
        tableau,
        pendulum,
        "redundant pendulum",
    );
    has_order(
        Projected(Particle::new(Pendulum::default())),
        tableau,
        pendulum,
        "projected pendulum",
    );
    has_order(Projected(Particle::new(Bead::default())), tableau, rest, "projected bead");
    has_order(
        Projected(Particle::with_weights(Bead::default(), &weights)),
        tableau,
        rest,
        "projected redundant bead",
    );
}

#[test]
fn dop853_has_order_8() {
    on_every_problem(&DOP853, (6, 12));
}

#[test]
fn dopri5_has_order_5() {
    on_every_problem(&DOPRI5, (100, 60));
}

#[test]
fn rk4_with_baumgarte_terms_has_order_4() {
    fn check<G: Guide + Clone>(guide: G, what: &str) {
        for stabilisation in [
            Stabilisation::default(),
            Stabilisation { alpha: 5.0, beta: 5.0 },
            Stabilisation { alpha: 3.0, beta: 8.0 },
        ] {
            for weights in [&[1.0][..], &[1.0, 2.0]] {
                let run = |n: u32| {
                    let mut plant = Particle::with_weights(guide.clone(), weights);
                    let options = Options::fixed(END / f64::from(n), stabilisation);
                    errors(&mut plant, &RK4, options, None, END)
                };
                let (coarse, fine) = (run(80), run(160));
                for (order, name) in orders(coarse, fine).iter().zip(["q", "v", "w", "λ"]) {
                    assert!(
                        *order > 4.0 - SHORTFALL,
                        "{what} {stabilisation:?}: order {order:.2} of {name}; {coarse:?} {fine:?}"
                    );
                }
            }
        }
    }
    check(Pendulum::default(), "pendulum");
    check(Wire::default(), "wire");
    check(Bead::default(), "bead");
}

#[test]
fn baumgarte_terms_pull_a_wrong_start_to_the_constraint() {
    // g̈ + 2α ġ + β² g = 0 with α = β = 5: g = (1 + 5t) e^(−5t) g(0) for a start with ġ = 0.
    for tableau in [&RK4, &DOPRI5, &DOP853] {
        let mut plant = Particle::new(Pendulum::default());
        let mut y = plant.exact(0.0);
        y[1] *= 1.0 + 1e-3;
        let gap = |plant: &Particle<Pendulum>, t: f64, y: &[f64]| plant.guide.gap(t, [y[0], y[1]]);
        let first = gap(&plant, 0.0, &y);
        let stabilisation = Stabilisation { alpha: 5.0, beta: 5.0 };
        let mut ode = Explicit::new(tableau, Options::fixed(1e-3, stabilisation), &plant, 0.0, &y);
        while ode.step(&mut plant, 1.0).unwrap() != StepOutcome::Stopped {}
        let expected = first * 6.0 * (-5.0f64).exp();
        let found = gap(&plant, 1.0, ode.state());
        // At 5·10⁻³ of the time constant the fourth order is far below this.
        assert!((found / expected - 1.0).abs() < 1e-6, "{} {found} {expected}", tableau.name);
    }
}

#[test]
fn adaptive_errors_fall_with_the_tolerance() {
    for tableau in [&DOP853, &DOPRI5] {
        let run = |rtol: f64| {
            let mut plant = Particle::new(Bead::default());
            let e = errors(&mut plant, tableau, Options::adaptive(rtol), None, 5.0);
            e.largest()
        };
        for exponent in [-5, -7, -9] {
            let rtol = 10f64.powi(exponent);
            let error = run(rtol);
            // The error per step is at most rtol; a few dozen steps and a stable problem.
            assert!(error < 100.0 * rtol, "{}: {error:e} at rtol {rtol:e}", tableau.name);
        }
        // Four decades of tolerance are four decades of error, to one decade.
        let decades = (run(1e-5) / run(1e-9)).log10();
        assert!((3.0..5.5).contains(&decades), "{}: {decades:.2} decades", tableau.name);
    }
}

#[test]
fn projected_runs_stay_on_the_constraint() {
    let rtol = 1e-6;
    let mut plant = Particle::with_weights(Pendulum::default(), &[1.0, 3.0]);
    let mut ode = start(&plant, &DOP853, Options::adaptive(rtol));
    let mut dy = [0.0; 5];
    loop {
        let outcome = ode.step(&mut plant, 50.0).unwrap();
        let y = ode.state().to_vec();
        plant.rates(ode.time(), &y, &mut dy, Stabilisation::default()).unwrap();
        let drift = plant.drift();
        // A drift above a tenth of rtol is projected away.
        assert!(drift.position.max(drift.velocity) <= 0.1 * rtol, "{drift:?}");
        if outcome == StepOutcome::Stopped {
            break;
        }
    }
    assert!(ode.statistics.projections > 0);
}

/// Largest error of (q, v) inside one step of size h from the exact start; `dense` or sketch.
fn error_inside<P: Analytic>(
    plant: &mut P,
    tableau: &'static Tableau,
    h: f64,
    dense: bool,
) -> (f64, f64) {
    let mut ode = start(plant, tableau, Options::adaptive(LOOSE));
    ode.restart(Some(h));
    ode.step(plant, 10.0).unwrap();
    ode.prepare_dense(plant).unwrap();
    let Dims { q, v, .. } = plant.dims();
    let mut y = plant.exact(0.0);
    let mut worst = (0.0f64, 0.0f64);
    for i in 1..20 {
        let theta = f64::from(i) / 20.0;
        let t = if dense { ode.interpolate(theta, &mut y) } else { ode.sketch(theta, &mut y) };
        let exact = plant.exact(t);
        let error = |range: std::ops::Range<usize>| {
            range.map(|i| (y[i] - exact[i]).abs()).fold(0.0, f64::max)
        };
        worst = (worst.0.max(error(0..q)), worst.1.max(error(q..q + v)));
    }
    worst
}

#[test]
fn dense_output_has_its_order_within_a_step() {
    // One step: an interpolant of order p is wrong by hᵖ⁺¹. Cubic Hermite has p = 3.
    for (tableau, order, h) in [(&DOP853, 7.0, 0.4), (&DOPRI5, 4.0, 0.2), (&RK4, 3.0, 0.1)] {
        let plant = || Particle::new(Bead::default());
        let coarse = error_inside(&mut plant(), tableau, h, true);
        let fine = error_inside(&mut plant(), tableau, 0.5 * h, true);
        let found = ((coarse.0 / fine.0).log2(), (coarse.1 / fine.1).log2());
        let wanted = order + 1.0 - SHORTFALL;
        assert!(
            found.0 > wanted && found.1 > wanted,
            "{}: {found:?} from {coarse:?}, {fine:?}",
            tableau.name
        );
    }
}

#[test]
fn the_sketch_has_order_six_without_further_stages() {
    for (tableau, order, h) in [(&DOP853, 6.0, 0.4), (&DOPRI5, 4.0, 0.2), (&RK4, 3.0, 0.1)] {
        let plant = || Particle::new(Bead::default());
        let coarse = error_inside(&mut plant(), tableau, h, false);
        let fine = error_inside(&mut plant(), tableau, 0.5 * h, false);
        let found = ((coarse.0 / fine.0).log2(), (coarse.1 / fine.1).log2());
        let wanted = order + 1.0 - SHORTFALL;
        assert!(
            found.0 > wanted && found.1 > wanted,
            "{}: {found:?} from {coarse:?}, {fine:?}",
            tableau.name
        );
    }
}

#[test]
fn dense_output_over_a_run_has_at_least_its_order() {
    for (tableau, order, n) in [(&DOP853, 7.0, 10u32), (&DOPRI5, 4.0, 40)] {
        let run = |n: u32| {
            let mut plant = Particle::new(Pendulum::default());
            let mut ode = start(&plant, tableau, Options::adaptive(LOOSE));
            let mut y = plant.exact(0.0);
            let mut worst = 0.0f64;
            loop {
                ode.restart(Some(END / f64::from(n)));
                let outcome = ode.step(&mut plant, END).unwrap();
                ode.prepare_dense(&mut plant).unwrap();
                for theta in [0.1, 0.3, 0.5, 0.7, 0.9] {
                    let t = ode.interpolate(theta, &mut y);
                    for (a, b) in y.iter().zip(plant.exact(t)) {
                        worst = worst.max((a - b).abs());
                    }
                }
                if outcome == StepOutcome::Stopped {
                    return worst;
                }
            }
        };
        let found = (run(n) / run(2 * n)).log2();
        assert!(found > order - SHORTFALL, "{}: {found:.2}", tableau.name);
    }
}

/// The interpolant agrees with both ends of the step and with the times it is asked for.
fn is_consistent<P: Analytic>(plant: &mut P, end: f64, rtol: f64) {
    let mut ode = start(plant, &DOP853, Options::adaptive(rtol));
    let n = plant.dims().total();
    let mut y = vec![0.0; n];
    loop {
        let outcome = ode.step(plant, end).unwrap();
        ode.prepare_dense(plant).unwrap();
        let (from, to) = (ode.last_start(), ode.time());
        let (last, _) = ode.last_extent();
        assert_eq!(ode.interpolate(0.0, &mut y), from);
        assert_eq!(y, ode.last_state());
        assert_eq!(ode.interpolate(last, &mut y), to);
        assert_eq!(y, ode.state());
        for i in 0..=10 {
            let t = from + (to - from) * 0.1 * f64::from(i);
            let theta = ode.place_of(t);
            assert!((-1e-12..=last + 1e-12).contains(&theta), "{theta} outside 0 … {last}");
            let back = ode.interpolate(theta, &mut y);
            // Rounding of t, and of θ times the length of the step.
            assert!((back - t).abs() < 1e-14 * (1.0 + t), "{back} is not {t}");
            // The interpolant is as good as the steps: one tolerance per step, and some.
            for (a, b) in y.iter().zip(plant.exact(t)) {
                assert!((a - b).abs() < 300.0 * rtol, "{a} is not {b} at {t}");
            }
        }
        if outcome == StepOutcome::Stopped {
            break;
        }
    }
}

#[test]
fn places_and_times_of_a_step_belong_together() {
    is_consistent(&mut Particle::new(Bead::default()), 4.0, 1e-9);
    is_consistent(&mut Oscillator::sine(3.0, &[]), 4.0, 1e-9);
    is_consistent(&mut Onset, 4.0, 1e-9);
}

#[test]
fn stretched_time_keeps_the_order_and_stops_exactly() {
    for (tableau, n) in [(&DOP853, 4u32), (&DOPRI5, 16)] {
        // A stop time that no number of steps in τ meets, located on the dense output, whose
        // order is one less than that of the method for DOP853 and DOPRI5.
        let end = 2.345;
        let run = |n: u32| {
            let e = errors(
                &mut Onset,
                tableau,
                Options::adaptive(LOOSE),
                Some(1.0 / f64::from(n)),
                end,
            );
            e.largest()
        };
        let wanted = f64::from(tableau.order) - SHORTFALL;
        let found = (run(n) / run(2 * n)).log2();
        assert!(found > wanted, "{}: {found:.2} {:e} {:e}", tableau.name, run(n), run(2 * n));
    }
}

#[test]
fn stretched_runs_meet_their_tolerance() {
    for rtol in [1e-5, 1e-8, 1e-11] {
        let e = errors(&mut Onset, &DOP853, Options::adaptive(rtol), None, 3.0);
        assert!(e.largest() < 100.0 * rtol, "{e:?} at {rtol:e}");
    }
}
