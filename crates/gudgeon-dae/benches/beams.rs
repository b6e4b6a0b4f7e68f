//! Generalized-α in fixed steps on two flexible beams.
//!
//! `cargo bench -p gudgeon-dae --bench beams` prints, per step, the time of the integrator without that of
//! evaluations, iterations and factorisations, and what is missing in the balance of energy.

use std::time::Instant;

use gudgeon_dae::problems::{Beam, Beams};
use gudgeon_dae::{AlphaParameters, Form, Implicit, Method, Options, Stabilisation, StepOutcome};

fn measure(form: Form, elements: usize, h: f64, end: f64) {
    let mut beams = Beams::new(2, Beam { elements, ..Beam::default() });
    let start = beams.start();
    let parameters = AlphaParameters::generalized(0.8);
    let method = Method::Alpha { parameters, form };
    let clock = Instant::now();
    let options = Options::fixed(h, Stabilisation::default());
    let mut ode = Implicit::new(method, options, &beams, 0.0, &start);
    let ready = clock.elapsed().as_secs_f64();
    let before = beams.energy(&start);
    let (mut all, mut off) = (0.0, 0.0f64);
    loop {
        let clock = Instant::now();
        let outcome = ode.step(&mut beams, end).expect("a regular problem");
        all += clock.elapsed().as_secs_f64();
        let y = ode.state();
        off = off.max((beams.energy(y) + y[y.len() - 1] - before).abs());
        if outcome == StepOutcome::Stopped {
            break;
        }
    }
    let s = &ode.statistics;
    let steps = s.steps as f64;
    let f = s.factorisations;
    println!(
        "{form:10?} {elements:5} {h:7.0e} {:6} {:8.1} {:8.1} {:6.2} {:6.3} {:6.2} [{} {} {} {}] {off:9.2e} {:7.3} {:9.5}",
        s.steps,
        all / steps * 1e6,
        (all - beams.seconds) / steps * 1e6,
        s.iterations as f64 / steps,
        f.total() as f64 / steps,
        s.evaluations as f64 / steps,
        f.first,
        f.resized,
        f.slow,
        f.moved,
        ready,
        ode.state()[start.len() / 2 - 12],
    );
}

fn main() {
    println!(
        "form       elem.       h  steps  all µs   own µs  iter.  fact.  eval. [first resized slow moved]   energy   ready     place"
    );
    for form in [Form::Index3, Form::Stabilised] {
        for (elements, h, end) in
            [(16, 1e-4, 0.2), (16, 1e-3, 0.2), (64, 1e-4, 0.05), (1024, 1e-4, 0.002)]
        {
            measure(form, elements, h, end);
        }
    }
}
