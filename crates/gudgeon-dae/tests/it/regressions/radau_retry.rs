//! A step of Radau that did not converge with old tangents was tried again with new ones, but predicted
//! from the stages of the failed iteration as if they were those of the last step. Steps of 0.11 s to 0.23 s
//! of a pendulum ended with "did not converge".

use gudgeon_dae::problems::{Analytic, Particle, Pendulum};
use gudgeon_dae::{Implicit, Method, Options, Stabilisation, StepOutcome};

#[test]
fn a_step_that_is_tried_again_begins_like_the_first_time() {
    for step in [0.12, 0.15, 0.2] {
        let mut plant = Particle::new(Pendulum::default());
        let options = Options::fixed(step, Stabilisation::default());
        let y = plant.exact(0.0);
        let mut ode = Implicit::new(Method::Radau, options, &plant, 0.0, &y);
        while ode.step(&mut plant, 4.0).unwrap() != StepOutcome::Stopped {}
        let error = (ode.state()[0] - plant.exact(4.0)[0]).abs();
        assert!(error < 1e-2, "{error:e} with steps of {step} s");
    }
}
