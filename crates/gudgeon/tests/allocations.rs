//! No step of a mechanism allocates: in flight, in contact, at events, with outputs read.
#![allow(unsafe_code)] // A global allocator cannot be written without.

#[path = "it/common/mod.rs"]
mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

use common::spatial::*;
use common::*;
use gudgeon::assembly::{Assembly, assemble};
use gudgeon::clearance::formula::NormalFormula;
use gudgeon::clearance::normal::NormalLaw;
use gudgeon::film::*;
use gudgeon::formula::{Formula, Site, Step};
use gudgeon::friction::{FrictionFormula, FrictionLaw, ZonedLaw};
use gudgeon::model::{
    Axes, Force, ForceId, ForceKind, ForceParameter, FunctionId, JointId, JointKind, MarkerId,
    Model, StateFunction, Varying,
};
use gudgeon::reading::Reading;
use gudgeon::results::LoopPoint;
use gudgeon::run::{Every, Index, Method, PressureAt, RunSpec, Until};
use gudgeon::simulate::{Observer, simulate};
use gudgeon::system::{Change, Plant};
use gudgeon_dae::tableau::{DOP853, DOPRI5, Tableau};
use gudgeon_dae::{Explicit, Options, StepOutcome};
use nalgebra::Vector2;

/// Passes everything on and counts the requests of each thread.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() -> u64 {
    COUNT.with(Cell::get)
}

fn add() {
    COUNT.with(|count| count.set(count.get() + 1));
}

// SAFETY: all requests are passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add();
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn with_friction() -> Model {
    let mut model = slider_crank(rpm(3000.0), 1e-4, 1e10, 0.9);
    model.joints[3].clearance.as_mut().unwrap().friction =
        Some(FrictionLaw::Zoned(ZonedLaw::ThreeZone {
            mu_s: 0.1,
            mu_d: 0.05,
            v_s: 0.01,
            v_d: 0.1,
        }));
    model
}

/// The same under laws by formula, the normal one with a piece.
fn with_formulas() -> Model {
    let mut model = slider_crank(rpm(3000.0), 1e-4, 1e10, 0.9);
    let clearance = model.joints[3].clearance.as_mut().unwrap();
    clearance.normal = stiffening(1e10, 0.3, 3e-6);
    clearance.friction = Some(limited(0.1, 1e-2));
    model
}

/// K δ^1.5 (1 + a δ̇/δ̇⁽⁻⁾), twice that beyond a depth.
fn stiffening(stiffness: f64, factor: f64, beyond: f64) -> NormalLaw {
    let mut f = Formula::default();
    let [depth, rate, speed, _] = [0, 1, 2, 3].map(|i| f.push(Step::Input(i)));
    let hertz = f.push(Step::Power(depth, 1.5));
    let ratio = f.push(Step::Divide(rate, speed));
    let damped = f.push(Step::Scale(factor, ratio));
    let bracket = f.push(Step::Shift(1.0, damped));
    let product = f.push(Step::Multiply(hertz, bracket));
    let soft = f.push(Step::Scale(stiffness, product));
    let hard = f.push(Step::Scale(2.0 * stiffness, product));
    let over = f.push(Step::Shift(-beyond, depth));
    let site = f.push_site(Site::Sign(over));
    f.push(Step::Choose(site, hard, soft));
    NormalLaw::Formula(Arc::new(NormalFormula::new(f, beyond)))
}

/// μ min(s/v, 1).
fn limited(mu: f64, speed: f64) -> FrictionLaw {
    let mut f = Formula::default();
    let [slip, _, _] = [0, 1, 2].map(|i| f.push(Step::Input(i)));
    let share = f.push(Step::Scale(1.0 / speed, slip));
    let one = f.push(Step::Constant(1.0));
    let over = f.push(Step::Shift(-1.0, share));
    let site = f.push_site(Site::Sign(over));
    let least = f.push(Step::Choose(site, one, share));
    f.push(Step::Scale(mu, least));
    FrictionLaw::Formula(Arc::new(FrictionFormula::new(f)))
}

/// Events of each kind and allocations of a whole integration after the first step.
fn integrate(start: &Assembly, tableau: &'static Tableau, end: f64) -> (u64, [usize; 3]) {
    let mut y = start.state();
    let mut plant = Plant::new(&start.system);
    let mut ode = Explicit::new(tableau, Options::adaptive(1e-8), &plant, 0.0, &y);
    let mut kinds = [0; 3];
    let before = count();
    loop {
        let outcome = ode.step(&mut plant, end).unwrap();
        ode.prepare_dense(&mut plant).unwrap();
        ode.interpolate(0.5 * ode.last_extent().0, &mut y);
        let place = ode.place_of(0.5 * (ode.last_start() + ode.time()));
        ode.interpolate(place, &mut y);
        match outcome {
            StepOutcome::Stopped => break,
            StepOutcome::Stepped => {}
            StepOutcome::Event => {
                y.copy_from_slice(ode.state());
                for change in plant.handle(ode.time(), &mut y, ode.fired()) {
                    match change {
                        Change::Began { .. } => kinds[0] += 1,
                        Change::Ended { .. } => kinds[1] += 1,
                        _ => kinds[2] += 1,
                    }
                }
                ode.state_mut().copy_from_slice(&y);
                ode.restart(plant.shortest_hint(ode.time(), &y));
            }
        }
    }
    (count() - before, kinds)
}

#[test]
fn integration_in_flight_contact_and_at_events_does_not_allocate() {
    let models =
        [(with_friction(), 0.02), (with_formulas(), 0.02), (loose_four_bar(rpm(600.0)), 0.1)];
    for (model, end) in models {
        let start = assemble(&model).unwrap();
        for tableau in [&DOP853, &DOPRI5] {
            let (found, kinds) = integrate(&start, tableau, end);
            assert!(kinds.iter().all(|&n| n > 2), "too few events to tell: {kinds:?}");
            assert_eq!(found, 0, "{}, {}", model.name, tableau.name);
        }
    }
}

/// Notes the allocations between calls: after every step, and at every row.
#[derive(Default)]
struct Watch {
    last: Option<u64>,
    steps: u64,
    /// Steps with allocations, and how many in all.
    guilty: u64,
    total: u64,
}

impl Observer for Watch {
    fn row(&mut self, _t: f64, _values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn loop_point(&mut self, _point: LoopPoint) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        let now = count();
        if let Some(last) = self.last {
            self.steps += 1;
            self.guilty += u64::from(now > last);
            self.total += now - last;
        }
        self.last = Some(now);
        ControlFlow::Continue(())
    }
}

fn watched(model: &Model, spec: &RunSpec) -> (Watch, usize) {
    let start = assemble(model).unwrap();
    let mut watch = Watch::default();
    let report = simulate(&start, spec, &mut watch);
    assert_eq!(report.status, gudgeon::results::Status::Done);
    (watch, report.impacts.len())
}

const OUTPUTS: [&str; 5] =
    ["slider.acceleration.x", "pin.contact_force", "motor.torque", "motor.power", "guide.reaction"];

const OUTPUTS_IN_SPACE: [&str; 5] = [
    "coupler.acceleration.z",
    "third.contact_force",
    "motor.torque",
    "foot.reaction_torque.x",
    "rocker.orientation.w",
];

#[test]
fn runs_with_ideal_joints_do_not_allocate_per_step() {
    let model = slider_crank(rpm(3000.0), 0.0, 0.0, 0.9);
    let (watch, _) = watched(&model, &run_for(&model, 0.1, &OUTPUTS));
    assert!(watch.steps > 50);
    assert_eq!(watch.total, 0);
}

/// A gas that is pressed from a place on, on the slider of a crank: F = k max(x − 0.1 m, 0).
fn with_a_function() -> Model {
    let mut model = slider_crank(rpm(3000.0), 0.0, 0.0, 0.9);
    let push =
        ForceKind::Point { at: MarkerId(6), components: constant([0.0; 3]), axes: Axes::World };
    model.forces.push(Force { name: "gas".into(), kind: push });
    let sensor = gudgeon::sensor::resolve(&model, "slider.position.x").unwrap();
    let readings = vec![Reading::of(&sensor, &mut model).unwrap(), Reading::TIME];
    let mut formula = Formula::default();
    let x = formula.push(Step::Input(0));
    let over = formula.push(Step::Shift(-0.1, x));
    let site = formula.push_site(Site::Sign(over));
    let none = formula.push(Step::Constant(0.0));
    let more = formula.push(Step::Choose(site, over, none));
    formula.push(Step::Scale(-1e4, more));
    model.functions.push(StateFunction { name: "gas".into(), formula, readings });
    let (force, function) = (ForceId(0), FunctionId(0));
    model.varying.push(Varying { force, parameter: ForceParameter::Component(0), function });
    model
}

#[test]
fn runs_with_functions_of_the_state_do_not_allocate_per_step() {
    let model = with_a_function();
    for method in [Method::Auto, Method::Radau5 { step: None }] {
        let spec = RunSpec { method, ..run_for(&model, 0.1, &OUTPUTS) };
        let (watch, _) = watched(&model, &spec);
        assert!(watch.steps > 50);
        assert_eq!(watch.total, 0);
    }
}

#[test]
fn runs_with_redundant_joints_in_space_do_not_allocate_per_step() {
    let model = four_bar(rpm(600.0), JointKind::Revolute);
    assert_eq!(assemble(&model).unwrap().report.redundant.len(), 3);
    let (watch, _) = watched(&model, &run_for(&model, 0.5, &OUTPUTS_IN_SPACE));
    assert!(watch.steps > 50, "{}", watch.steps);
    assert_eq!(watch.total, 0);
}

#[test]
fn runs_with_play_allocate_for_the_list_of_impacts_only() {
    let model = with_friction();
    only_impacts(&model, 0.04, 0.01, &OUTPUTS);
    only_impacts(&loose_four_bar(rpm(600.0)), 0.1, 0.05, &OUTPUTS_IN_SPACE);
}

/// Runs with free and even recording, and with fixed steps until `brief`.
fn only_impacts(model: &Model, end: f64, brief: f64, outputs: &[&str]) {
    let every = RunSpec { every: Every::Interval(1e-5), ..run_for(model, end, outputs) };
    let rk4 = Method::Rk4 { step: 1e-6, alpha: 5.0, beta: 5.0 };
    let fixed = RunSpec { method: rk4, ..run_for(model, brief, outputs) };
    let steps = RunSpec { every: Every::Steps, ..run_for(model, end, outputs) };
    for spec in [run_for(model, end, outputs), every, steps, fixed] {
        let (watch, impacts) = watched(model, &spec);
        assert!(watch.steps > 200 && impacts > 4, "{} steps, {impacts} impacts", watch.steps);
        // The list doubles its capacity: at most one allocation per doubling.
        let doublings = u64::from(usize::BITS - impacts.leading_zeros());
        assert!(watch.guilty <= doublings, "{} of {} steps allocate", watch.guilty, watch.steps);
        assert!(watch.total <= doublings, "{} allocations", watch.total);
    }
}

#[test]
fn runs_with_a_film_do_not_allocate_for_its_thinnest_places_and_pressures() {
    let mut model = slider_crank(rpm(3000.0), 1e-4, 1e10, 0.9);
    let clearance = model.joints[3].clearance.as_mut().unwrap();
    let shape = FilmShape {
        viscosity: 0.4,
        radius: clearance.journal_radius(),
        length: 0.02,
        clearance: 1e-4,
    };
    let film = Film::new(shape, FilmModel::Short);
    clearance.film = Some(Lubricant { film, roughness: None, hybrid: false });
    let angle = Until::JointAngle { joint: JointId(1), angle: 1.0 };
    let pressure_at =
        vec![PressureAt::When(Until::Time(0.005)), PressureAt::When(angle), PressureAt::Thinnest];
    let spec = run_for(&model, 0.01, &["slider.acceleration.x"]);
    for method in [Method::Dopri5, Method::Radau5 { step: None }] {
        let spec =
            RunSpec { method, rtol: Some(1e-6), pressure_at: pressure_at.clone(), ..spec.clone() };
        let (watch, _) = watched(&model, &spec);
        assert!(watch.steps > 50, "{} steps", watch.steps);
        assert_eq!((watch.guilty, watch.total), (0, 0), "{method:?}");
    }
}

#[test]
fn films_do_not_allocate() {
    let shape = FilmShape { viscosity: 0.01, radius: 0.05, length: 0.05, clearance: 5e-5 };
    let groove = |angle| Groove { angle, width: 0.3, pressure: 1e5 };
    let supplies =
        [Supply::WidestGap, Supply::None, Supply::Grooves(vec![groove(-1.5), groove(1.5)])];
    let mut models = vec![FilmModel::Short];
    for cavitation in [Cavitation::HalfSommerfeld, Cavitation::Reynolds] {
        models.extend([
            FilmModel::ShortExact(cavitation),
            FilmModel::Long(cavitation, Supply::None),
            FilmModel::Long(cavitation, Supply::WidestGap),
        ]);
        for supply in supplies.clone() {
            models.push(FilmModel::Finite(FiniteFilm {
                supply,
                cavitation,
                ..FiniteFilm::default()
            }));
        }
    }
    for model in models {
        let film = Film::new(shape, model);
        let mut work = film.work();
        for tilt in [0.0, 0.1, -0.6] {
            let c = shape.clearance;
            let place = [Vector2::new(0.5, 0.1) * c, Vector2::new(0.5 + tilt, 0.1 - tilt) * c];
            let state = JournalState { place, rate: [Vector2::new(c, c); 2], omega: 10.0 };
            let before = count();
            film.force(&state, &mut work).unwrap();
            film.tangent(&state, &mut work).unwrap();
            assert_eq!(count() - before, 0, "{:?}", film.model);
        }
    }
}

const IMPLICIT: [Method; 3] = [
    Method::Radau5 { step: None },
    Method::Bdf { index: gudgeon::run::Index::Two, step: None },
    Method::GeneralizedAlpha { rho: 0.8, index: Index::Two, step: None },
];

#[test]
fn implicit_runs_with_dry_contact_allocate_for_the_list_of_impacts_only() {
    for (model, end, outputs) in
        [(with_friction(), 0.02, OUTPUTS), (loose_four_bar(rpm(600.0)), 0.05, OUTPUTS_IN_SPACE)]
    {
        for method in IMPLICIT {
            let spec = RunSpec { method, rtol: Some(1e-5), ..run_for(&model, end, &outputs) };
            let (watch, impacts) = watched(&model, &spec);
            assert!(watch.steps > 100 && impacts > 0, "{} steps, {impacts} impacts", watch.steps);
            let doublings = u64::from(usize::BITS - impacts.leading_zeros());
            assert!(watch.total <= doublings, "{method:?}: {} allocations", watch.total);
        }
    }
}

/// A joint of a mechanism filled with oil.
fn lubricated(mut model: Model, joint: usize, film: FilmModel, hybrid: bool) -> Model {
    let clearance = model.joints[joint].clearance.as_mut().unwrap();
    let shape = FilmShape {
        viscosity: 0.4,
        radius: clearance.bearing_radius,
        length: 0.02,
        clearance: clearance.radial,
    };
    // Contact begins at an eccentricity ratio of a half.
    let roughness = hybrid.then_some(0.5 * clearance.radial);
    clearance.film = Some(Lubricant { film: Film::new(shape, film), roughness, hybrid });
    model
}

#[test]
fn implicit_runs_with_films_do_not_allocate_per_step() {
    let finite = FilmModel::Finite(FiniteFilm { around: 32, along: 4, ..FiniteFilm::default() });
    let exact = FilmModel::ShortExact(Cavitation::Reynolds);
    let long = FilmModel::Long(Cavitation::HalfSommerfeld, Supply::None);
    let outputs = ["pin.film_force", "pin.film_thickness", "pin.power_loss", "motor.torque"];
    let in_space = ["third.film_force", "third.film_thickness", "third.misalignment"];
    for film in [FilmModel::Short, exact, long, finite] {
        for hybrid in [false, true] {
            let plane = lubricated(with_friction(), 3, film.clone(), hybrid);
            let space = lubricated(loose_four_bar(rpm(600.0)), 2, film.clone(), hybrid);
            for method in IMPLICIT {
                let free = |spec| RunSpec { method, rtol: Some(1e-4), ..spec };
                for (model, spec) in [
                    (&plane, free(run_for(&plane, 0.01, &outputs))),
                    (&space, free(run_for(&space, 0.01, &in_space))),
                ] {
                    let (watch, impacts) = watched(model, &spec);
                    assert!(watch.steps > 10, "{} steps", watch.steps);
                    let doublings = u64::from(usize::BITS - impacts.leading_zeros());
                    let what = format!("{} {film:?} {hybrid} {method:?}", model.name);
                    assert!(watch.total <= doublings, "{what}: {} allocations", watch.total);
                }
            }
        }
    }
}
