//! Every shipped planar model is the same mechanism in space: equal motion, reactions and impacts.
//!
//! A model is lifted by declaring it spatial: the same pins now stand across the plane, with all
//! the rows of joints in space, most of them redundant; journals become as long as they like, with
//! half of the stiffness at each base.

use std::ops::ControlFlow;

use gudgeon::assembly::assemble;
use gudgeon::model::{Axial, Clearance, Form, Model, Orientation, Space, Tilt};
use gudgeon::results::{Impact, RunReport, Status};
use gudgeon::run::{Every, Limits, Method, RunSpec, Until};
use gudgeon::sensor::resolve;
use gudgeon::simulate::{Observer, Silent, simulate};
use gudgeon_model::shipped::{self, SHIPPED};
use gudgeon_model::{Loaded, Overrides};
use nalgebra::Matrix3;

/// Models with many bodies, for which a run in space takes long without optimisation.
const LARGE: [&str; 3] = ["andrews_squeezer", "n_four_bar", "chain"];

/// Shipped planar models of rigid bodies.
fn planar() -> impl Iterator<Item = (&'static str, Loaded)> {
    all_planar().filter(|(_, loaded)| !is_flexible(loaded))
}

fn is_flexible(loaded: &Loaded) -> bool {
    loaded.model.bodies.iter().any(|body| body.flexible.is_some())
}

fn all_planar() -> impl Iterator<Item = (&'static str, Loaded)> {
    SHIPPED.iter().filter_map(|shipped| {
        let loaded = shipped::load(shipped, &Overrides::default()).expect("a shipped model loads");
        (loaded.model.space == Space::Planar).then_some((shipped.name, loaded))
    })
}

/// A planar model as a mechanism in space.
fn lifted(planar: &Model, tilt: Tilt) -> Model {
    let mut model = Model { space: Space::Spatial, ..planar.clone() };
    for body in &mut model.bodies {
        body.inertia = body.inertia.map(|j| Matrix3::from_diagonal_element(j[(2, 2)]));
        if let Some(orientation) = &mut body.start.orientation {
            *orientation = Orientation::Rotation(orientation.rotation());
        }
    }
    for clearance in model.joints.iter_mut().filter_map(|joint| joint.clearance.as_mut()) {
        let axial = Axial::Fixed;
        clearance.form = Form::Journal { length: 0.02, bearing_length: 0.02, axial, tilt };
        if tilt == Tilt::Free {
            clearance.normal = clearance.normal.shared(0.5);
        }
    }
    model
}

/// Positions of all bodies, then reactions of all joints and loads of all drivers.
fn outputs(model: &Model) -> (Vec<String>, usize) {
    let bodies = model.bodies[1..].iter();
    let mut names: Vec<String> = bodies
        .flat_map(|body| ["x", "y"].map(|axis| format!("{}.centre.position.{axis}", body.name)))
        .collect();
    let positions = names.len();
    let joints = model.joints.iter();
    names.extend(
        joints.flat_map(|joint| ["x", "y"].map(|axis| format!("{}.reaction.{axis}", joint.name))),
    );
    for driver in &model.drivers {
        let load = if driver.coordinate.is_angle() { "torque" } else { "force" };
        names.push(format!("{}.{load}", driver.name));
    }
    (names, positions)
}

struct Rows(Vec<Vec<f64>>);

impl Observer for Rows {
    fn row(&mut self, _t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push(values.to_vec());
        ControlFlow::Continue(())
    }
}

fn run(model: &Model, end: f64, names: &[String], observer: &mut dyn Observer) -> RunReport {
    let assembly = assemble(model).unwrap_or_else(|error| panic!("{}: {error}", model.name));
    let spec = RunSpec {
        until: Until::Time(end),
        at_most: None,
        measure_from: Until::Time(0.0),
        outputs: names.iter().map(|name| resolve(model, name).expect("a known output")).collect(),
        method: match model.bodies.iter().any(|body| body.flexible.is_some()) {
            // No tolerance follows sections that vibrate; equal steps have equal errors.
            true => Method::Radau5 { step: Some(end / 200.0) },
            false => Method::Auto,
        },
        rtol: Some(1e-12),
        every: Every::Interval(end / 20.0),
        loops: vec![],
        pressure_at: vec![],
        limits: Limits::default(),
        ked: None,
    };
    let report = simulate(&assembly, &spec, observer);
    assert_eq!(report.status, Status::Done, "{}", model.name);
    report
}

/// Duration of a shipped run, s.
fn duration(loaded: &Loaded) -> f64 {
    match loaded.run.until {
        Until::Time(t) => t,
        Until::JointAngle { .. } => {
            let assembly = assemble(&ideal(&loaded.model)).expect("it assembles");
            let spec = RunSpec { rtol: Some(1e-6), ..loaded.run.clone() };
            simulate(&assembly, &spec, &mut Silent).final_time
        }
    }
}

/// The model without play.
fn ideal(model: &Model) -> Model {
    let mut model = model.clone();
    model.joints.iter_mut().for_each(|joint| joint.clearance = None);
    model
}

/// Largest magnitude of a group of columns.
fn largest<'a>(columns: impl Iterator<Item = &'a f64>) -> f64 {
    columns.fold(0.0, |largest, value| value.abs().max(largest))
}

#[test]
fn ideal_mechanisms_move_alike() {
    compare_ideal(planar().filter(|(name, _)| !LARGE.contains(name)));
}

#[test]
fn flexible_mechanisms_move_alike() {
    compare_ideal(all_planar().filter(|(_, loaded)| is_flexible(loaded)));
}

#[test]
#[ignore = "slow: many bodies, about 20 s"]
fn large_ideal_mechanisms_move_alike() {
    compare_ideal(planar().filter(|(name, _)| LARGE.contains(name)));
}

#[test]
fn impacts_of_the_slider_crank_are_alike() {
    for tilt in [Tilt::Free, Tilt::Fixed] {
        compare_impacts(tilt, |name| name == "slider_crank");
    }
}

#[test]
#[ignore = "slow: tight tolerances, about 20 s"]
fn impacts_are_alike() {
    // A coefficient that follows the load sees half of it at each base of a journal.
    compare_impacts(Tilt::Free, |name| !["slider_crank", "formula_contact"].contains(&name));
    compare_impacts(Tilt::Fixed, |name| name != "slider_crank");
}

/// Largest load of the same kind, force or torque, of all joints and drivers.
fn largest_load(rows: &Rows, names: &[String], like: &str, first: usize) -> f64 {
    let torque = |name: &str| name.ends_with("torque");
    let columns: Vec<usize> = (0..names.len())
        .filter(|&k| torque(&names[k]) == torque(like))
        .map(|k| first + k)
        .collect();
    largest(rows.0.iter().flat_map(|row| columns.iter().map(|&k| &row[k])))
}

/// Over the first tenth of the run; the N-four-bar reaches a singular position after that.
fn compare_ideal(models: impl Iterator<Item = (&'static str, Loaded)>) {
    let (mut failures, mut count) = (Vec::new(), 0);
    for (name, loaded) in models {
        count += 1;
        let model = ideal(&loaded.model);
        let end = 0.1 * duration(&loaded);
        let (names, positions) = outputs(&model);
        let (mut a, mut b) = (Rows(vec![]), Rows(vec![]));
        run(&model, end, &names, &mut a);
        run(&lifted(&model, Tilt::Free), end, &names, &mut b);
        assert_eq!(a.0.len(), b.0.len(), "{name}");
        let size = largest(a.0.iter().flat_map(|row| &row[..positions]));
        for (i, output) in names.iter().enumerate() {
            let bound = match i < positions {
                true => 1e-9 * size,
                // A rotor without load has nothing but rounding.
                false => 1e-6 * largest_load(&a, &names[positions..], output, positions) + 1e-12,
            };
            let error = |(a, b): (&Vec<f64>, &Vec<f64>)| (a[i] - b[i]).abs();
            if let Some(worst) = a.0.iter().zip(&b.0).map(error).find(|e| e.is_nan() || *e > bound)
            {
                failures.push(format!("{name}, {output}: {worst:.2e} is above {bound:.2e}"));
            }
        }
    }
    assert!(failures.is_empty() && count > 0, "{}", failures.join("\n"));
}

/// The first three impacts of every joint. Guides stay out: in space they have no play.
fn compare_impacts(tilt: Tilt, wanted: impl Fn(&str) -> bool) {
    let mut failures = Vec::new();
    for (name, loaded) in planar().filter(|(name, _)| wanted(name)) {
        let forms = || loaded.model.joints.iter().filter_map(|joint| joint.clearance.as_ref());
        // Oil keeps surfaces apart.
        let other = |clearance: &Clearance| clearance.form != Form::Pin || clearance.film.is_some();
        if forms().count() == 0 || forms().any(other) {
            continue;
        }
        let (end, planar) = three_impacts(&loaded);
        let spatial = run(&lifted(&loaded.model, tilt), end, &[], &mut Silent);
        for (j, joint) in loaded.model.joints.iter().enumerate() {
            let of = |impact: &&Impact, spot: &str| impact.joint.0 == j && impact.spot == spot;
            let on = |spot: &'static str| spatial.impacts.iter().filter(move |i| of(i, spot));
            let pin = planar.impacts.iter().filter(|i| of(i, "")).take(3);
            let least = if joint.clearance.is_some() { 3 } else { 0 };
            let spots = if tilt == Tilt::Free { ["V", "W"] } else { ["", ""] };
            let share = if tilt == Tilt::Free { 1.0 } else { 0.5 };
            let all = |spot| on(spot).count() >= least;
            assert!(spots.into_iter().all(all), "{name}, {}", joint.name);
            for ((pin, v), w) in pin.zip(on(spots[0])).zip(on(spots[1])) {
                for (what, found, wanted) in [
                    ("time of V", v.t, pin.t),
                    ("time of W", w.t, pin.t),
                    ("speed of V", v.speed_in, pin.speed_in),
                    ("speed of W", w.speed_in, pin.speed_in),
                    ("peak force", share * (v.peak_force + w.peak_force), pin.peak_force),
                    ("loss", share * (v.loss + w.loss), pin.loss),
                    (
                        "loss by friction",
                        share * (v.friction_loss + w.friction_loss),
                        pin.friction_loss,
                    ),
                ] {
                    let error = (found - wanted).abs();
                    if error.is_nan() || error > 1e-6 * wanted.abs() {
                        let (joint, number) = (&joint.name, pin.number);
                        failures.push(format!(
                            "{name}, {joint}, impact {number}, {what}: {found} is not {wanted}"
                        ));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A planar run that is long enough for three impacts of every clearance joint.
fn three_impacts(loaded: &Loaded) -> (f64, RunReport) {
    let model = &loaded.model;
    let mut end = 0.01 * duration(loaded);
    loop {
        let report = run(model, end, &[], &mut Silent);
        let over = |j: usize| {
            let mine = report.impacts.iter().filter(|i| i.joint.0 == j && i.t_out.is_some());
            model.joints[j].clearance.is_none() || mine.count() >= 3
        };
        if (0..model.joints.len()).all(over) {
            return (end, report);
        }
        end *= 1.3;
        assert!(end < 2.0 * duration(loaded), "{}: no three impacts", model.name);
    }
}
