//! No step allocates: neither plain ones, nor those with projection, events or dense output.
#![allow(unsafe_code)] // A global allocator cannot be written without.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use gudgeon_dae::problems::{
    Analytic, Bead, Beam, Beams, Cells, Level, Onset, Oscillator, Particle, Pendulum, Ring, Rod,
    Rods, Top,
};
use gudgeon_dae::tableau::{DOP853, DOPRI5, RK4, Tableau};
use gudgeon_dae::{
    AlphaParameters, Explicit, Form, Implicit, ImplicitDae, Method, Options, Stabilisation,
    Statistics, StepOutcome,
};

/// Passes everything on and counts the requests of each thread.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    COUNT.with(|count| count.set(count.get() + 1));
}

// SAFETY: all requests are passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(f: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    f();
    COUNT.with(Cell::get) - before
}

#[test]
fn the_counter_counts() {
    assert!(allocations(|| drop(std::hint::black_box(vec![0u8; 100]))) > 0);
}

/// Runs to `end`, reading the dense output and the sketch of every step.
fn allocations_of<P: Analytic>(
    mut plant: P,
    tableau: &'static Tableau,
    options: Options,
    mut on_event: impl FnMut(&mut P, &[usize]),
) -> (u64, Statistics) {
    let mut y = plant.exact(0.0);
    let mut ode = Explicit::new(tableau, options, &plant, 0.0, &y);
    let found = allocations(|| {
        loop {
            let outcome = ode.step(&mut plant, 20.0).unwrap();
            ode.prepare_dense(&mut plant).unwrap();
            ode.sketch(0.5, &mut y);
            let middle = ode.place_of(0.5 * (ode.last_start() + ode.time()));
            ode.interpolate(middle, &mut y);
            match outcome {
                StepOutcome::Stopped => break,
                StepOutcome::Stepped => {}
                StepOutcome::Event => {
                    on_event(&mut plant, ode.fired());
                    ode.restart(None);
                }
            }
        }
    });
    (found, ode.statistics)
}

#[test]
fn steps_with_projection_do_not_allocate() {
    for tableau in [&DOP853, &DOPRI5] {
        let plant = Particle::with_weights(Pendulum::default(), &[1.0, 2.0]);
        let (found, s) = allocations_of(plant, tableau, Options::adaptive(1e-8), |_, _| {});
        assert!(s.steps > 10 && s.projections > 0, "{s:?}");
        assert_eq!(found, 0, "{}", tableau.name);
    }
}

#[test]
fn rejected_steps_and_events_do_not_allocate() {
    let levels: Vec<Level> =
        (-4..=4).map(|i| Level { level: 0.2 * f64::from(i), below: i > 0 }).collect();
    for tableau in [&DOP853, &DOPRI5] {
        let plant = Oscillator::sine(7.0, &levels);
        let (found, s) =
            allocations_of(plant, tableau, Options::adaptive(1e-7), |p, fired| p.handle(fired));
        assert!(s.events > 50, "{s:?}");
        assert_eq!(found, 0, "{}", tableau.name);
    }
}

#[test]
fn stretched_and_fixed_steps_do_not_allocate() {
    let (found, _) = allocations_of(Onset, &DOP853, Options::adaptive(1e-9), |_, _| {});
    assert_eq!(found, 0);
    let options = Options::fixed(0.01, Stabilisation { alpha: 5.0, beta: 5.0 });
    let plant = Particle::new(Bead::default());
    assert_eq!(allocations_of(plant, &RK4, options, |_, _| {}).0, 0);
}

/// The same with an implicit method, up to 3 s.
fn implicit<P: Analytic + ImplicitDae>(
    mut plant: P,
    method: Method,
    options: Options,
    mut on_event: impl FnMut(&mut P, &[usize]),
) -> (u64, Statistics) {
    let mut y = plant.exact(0.0);
    let mut ode = Implicit::new(method, options, &plant, 0.0, &y);
    let found = allocations(|| {
        loop {
            let outcome = ode.step(&mut plant, 3.0).unwrap();
            let middle = ode.place_of(0.5 * (ode.last_start() + ode.time()));
            ode.interpolate(middle, &mut y);
            match outcome {
                StepOutcome::Stopped => break,
                StepOutcome::Stepped => {}
                StepOutcome::Event => {
                    on_event(&mut plant, ode.fired());
                    ode.restart(None);
                }
            }
        }
    });
    (found, ode.statistics)
}

#[test]
fn implicit_steps_do_not_allocate() {
    for method in [Method::alpha(0.8), Method::Radau, Method::BDF] {
        for options in [Options::adaptive(1e-5), Options::fixed(0.01, Stabilisation::default())] {
            let bead = Particle::with_weights(Bead::jumping(0.5), &[1.0, 2.0]);
            let (found, s) = implicit(bead, method, options, |p, _| p.guide.handle());
            assert!(s.events > 0 && s.factorisations.total() > 1, "{s:?}");
            assert_eq!(found, 0, "{method:?}");
            assert_eq!(implicit(Top::default(), method, options, |_, _| {}).0, 0, "{method:?}");
            let stiff = Particle::new(Bead::stiff(1e6, 1e3));
            assert_eq!(implicit(stiff, method, options, |_, _| {}).0, 0, "{method:?}");
            let ring = Particle::with_weights(Ring::default(), &[1.0, 2.0]);
            assert_eq!(implicit(ring, method, options, |_, _| {}).0, 0, "{method:?}");
            let rod = Rods::new(1, Rod::uniform());
            assert_eq!(implicit(rod, method, options, |_, _| {}).0, 0, "{method:?}");
            assert_eq!(implicit(Cells::new(3), method, options, |_, _| {}).0, 0, "{method:?}");
        }
    }
}

#[test]
fn fixed_steps_of_large_systems_do_not_allocate() {
    let parameters = AlphaParameters::generalized(0.8);
    for form in [Form::Index3, Form::Stabilised] {
        let mut plant = Beams::new(2, Beam { elements: 4, ..Beam::default() });
        let options = Options::fixed(1e-3, Stabilisation::default());
        let method = Method::Alpha { parameters, form };
        let mut ode = Implicit::new(method, options, &plant, 0.0, &plant.start());
        let found =
            allocations(|| while ode.step(&mut plant, 0.1).unwrap() != StepOutcome::Stopped {});
        assert!(ode.statistics.factorisations.slow > 0, "{:?}", ode.statistics);
        assert_eq!(found, 0, "{form:?}");
    }
}
