//! Beams: weights that are bands, and the inside of fixed steps.

use gudgeon_dae::problems::{Analytic, Beam, Beams, Particle, Pendulum};
use gudgeon_dae::tableau::DOP853;
use gudgeon_dae::{
    AlphaParameters, Explicit, Form, Implicit, Integrator, Method, Options, Stabilisation,
    StepOutcome,
};

const END: f64 = 0.02;

/// Two soft beams, which explicit steps can follow.
fn beams() -> Beams {
    let soft = Beam { elements: 3, stretch: 2e3, bend: 5.0, frame: 100.0, ..Beam::default() };
    Beams::new(2, soft)
}

fn end(mut ode: Integrator, plant: &mut Beams) -> Vec<f64> {
    while ode.step(plant, END).unwrap() != StepOutcome::Stopped {}
    ode.state().to_vec()
}

fn implicit(method: Method, options: Options) -> Vec<f64> {
    let mut plant = beams();
    end(Implicit::new(method, options, &plant, 0.0, &plant.start()).into(), &mut plant)
}

fn reference() -> Vec<f64> {
    let mut plant = beams();
    let start = plant.start();
    let ode = Explicit::new(&DOP853, Options::adaptive(1e-11), &plant, 0.0, &start);
    end(ode.into(), &mut plant)
}

fn off(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The reference knows nothing of weights; its own error is below 1e-8.
#[test]
fn fixed_steps_converge_to_the_motion_by_an_explicit_method() {
    let wanted = reference();
    for form in [Form::Index3, Form::Stabilised] {
        let parameters = AlphaParameters::generalized(0.8);
        let errors = [2e-4, 1e-4].map(|h| {
            let options = Options::fixed(h, Stabilisation::default());
            off(&implicit(Method::Alpha { parameters, form }, options), &wanted)
        });
        let ratio = errors[0] / errors[1];
        assert!((3.6..4.4).contains(&ratio) && errors[1] < 1e-3, "{form:?}: {errors:?}");
    }
}

/// Radau solves with complex numbers, too.
#[test]
fn steps_by_tolerance_meet_the_motion_by_an_explicit_method() {
    let wanted = reference();
    for method in [Method::Radau, Method::BDF, Method::ALPHA] {
        let error = off(&implicit(method, Options::adaptive(1e-6)), &wanted);
        // Speeds are up to 1 m/s, in hundreds of steps at most.
        assert!(error < 3e-4, "{}: {error}", method.name());
    }
}

/// tian, Eq. 45: contact is located by the cubic through places and velocities at both ends.
#[test]
fn places_inside_a_step_are_the_cubic_of_both_ends() {
    let all = [
        AlphaParameters::generalized(0.6),
        AlphaParameters::hht(0.1),
        AlphaParameters::newmark(0.25, 0.5),
    ];
    for (parameters, form) in
        all.into_iter().flat_map(|p| [(p, Form::Index3), (p, Form::Stabilised)])
    {
        let mut plant = Particle::new(Pendulum::default());
        let h = 0.05;
        let method = Method::Alpha { parameters, form };
        let options = Options::fixed(h, Stabilisation::default());
        let mut ode = Implicit::new(method, options, &plant, 0.0, &plant.exact(0.0));
        for _ in 0..5 {
            ode.step(&mut plant, 1.0).unwrap();
            let (y0, y1) = (ode.last_state().to_vec(), ode.state().to_vec());
            let mut inside = y0.clone();
            for x in [0.1, 0.5, 0.8] {
                ode.interpolate(x, &mut inside);
                for i in 0..2 {
                    let cubic =
                        (1.0 - x) * (1.0 - x) * ((1.0 + 2.0 * x) * y0[i] + x * h * y0[2 + i])
                            + x * x * ((3.0 - 2.0 * x) * y1[i] + (x - 1.0) * h * y1[2 + i]);
                    assert!((inside[i] - cubic).abs() < 1e-14, "{form:?}: {} {cubic}", inside[i]);
                }
            }
        }
    }
}
