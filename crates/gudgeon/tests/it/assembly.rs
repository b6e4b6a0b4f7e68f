//! From rough starts to consistent ones: branches, redundancy, gaps, mobility, massless links.

use std::f64::consts::PI;

use crate::common::*;
use gudgeon::assembly::{Assembly, AssemblyError, RowName, assemble};
use gudgeon::model::*;
use gudgeon::results::Status;
use gudgeon::sensor::resolve;
use gudgeon::simulate::{Silent, simulate};
use gudgeon::system::Plant;
use gudgeon::time::TimeFunction;
use nalgebra::Vector3;

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() < tolerance, "{what}: {found} is not {expected}");
}

/// Value of an output at the start.
fn at_start(model: &Model, start: &Assembly, name: &str) -> f64 {
    let mut plant = Plant::new(&start.system);
    plant.evaluate(0.0, &start.state()).unwrap();
    resolve(model, name).unwrap().value(&plant, 0.0)
}

/// A bar with its origin at one end, mass centre in the middle.
fn bar(name: &str, length: f64, start: Start) -> Body {
    body(name, length, Some(length.powi(3) / 12.0), 0.5 * length, start)
}

const GROUND: f64 = 4.0;
const CRANK: f64 = 1.0;
const COUPLER: f64 = 3.5;
const FOLLOWER: f64 = 3.0;

/// Crank 1, coupler 2, follower 3; markers in pairs (near end, far end).
fn four_bar(crank_angle: TimeFunction, coupler: Start, follower: Start) -> Model {
    let mut model = empty("four-bar");
    model.bodies.extend([
        bar("crank", CRANK, Start::default()),
        bar("coupler", COUPLER, coupler),
        bar("follower", FOLLOWER, follower),
    ]);
    model.markers = vec![
        marker("left", 0, 0.0, 0.0),
        marker("right", 0, GROUND, 0.0),
        marker("near", 1, 0.0, 0.0),
        marker("far", 1, CRANK, 0.0),
        marker("near", 2, 0.0, 0.0),
        marker("far", 2, COUPLER, 0.0),
        marker("near", 3, 0.0, 0.0),
        marker("far", 3, FOLLOWER, 0.0),
    ];
    model.joints = vec![
        joint("shaft", JointKind::Revolute, 0, 2),
        joint("crankpin", JointKind::Revolute, 3, 4),
        joint("knee", JointKind::Revolute, 5, 7),
        joint("rocker", JointKind::Revolute, 1, 6),
    ];
    model.drivers = vec![driver("motor", 0, crank_angle)];
    model
}

/// Point between coupler and follower by the cosine rule; `side` is +1 above the diagonal.
fn knee(crank: f64, side: f64) -> [f64; 2] {
    let (px, py) = (CRANK * crank.cos(), CRANK * crank.sin());
    let (dx, dy) = (GROUND - px, -py);
    let d = dx.hypot(dy);
    let along = (COUPLER * COUPLER - FOLLOWER * FOLLOWER + d * d) / (2.0 * d);
    let across = side * (COUPLER * COUPLER - along * along).sqrt();
    [px + (along * dx - across * dy) / d, py + (along * dy + across * dx) / d]
}

#[test]
fn a_rough_start_picks_the_branch_of_a_four_bar() {
    let crank = PI / 3.0;
    for side in [1.0, -1.0] {
        let rough = |x: f64, y: f64, angle: f64| start_at(x, side * y, side * angle);
        let model =
            four_bar(TimeFunction::Constant(crank), rough(0.3, 0.7, 0.5), rough(4.2, 0.1, 1.9));
        let start = assemble(&model).unwrap();
        let exact = knee(crank, side);
        // Closed to 1e-12 of the size, 4 m.
        near(at_start(&model, &start, "coupler.far.position.x"), exact[0], 1e-11, "x");
        near(at_start(&model, &start, "coupler.far.position.y"), exact[1], 1e-11, "y");
        near(at_start(&model, &start, "crank.angle"), crank, 1e-12, "crank");
        assert_eq!(start.report.mobility, 0);
        assert!(start.report.redundant.is_empty());
    }
}

#[test]
fn a_start_without_positions_is_placed_along_the_joints() {
    for side in [1.0, -1.0] {
        let angle = |angle: f64| Start {
            orientation: Some(Orientation::Angle(side * angle)),
            ..Start::default()
        };
        let model = four_bar(TimeFunction::Constant(1.0), angle(0.6), angle(1.8));
        let start = assemble(&model).unwrap();
        let exact = knee(1.0, side);
        near(at_start(&model, &start, "follower.far.position.x"), exact[0], 1e-11, "x");
        near(at_start(&model, &start, "follower.far.position.y"), exact[1], 1e-11, "y");
    }
}

#[test]
fn velocities_and_accelerations_at_the_start_follow_the_driver() {
    // Against second differences of the closed form over the crank angle.
    let (speed, angle) = (3.0, 0.8);
    let motion = TimeFunction::Linear { start: angle, rate: speed };
    let model = four_bar(motion, start_at(0.7, 0.7, 0.6), start_at(GROUND, 0.0, 2.0));
    let start = assemble(&model).unwrap();
    let d = 1e-4;
    for (i, axis) in ["x", "y"].iter().enumerate() {
        let at = |t: f64| knee(angle + speed * t, 1.0)[i];
        let velocity = (at(d) - at(-d)) / (2.0 * d);
        let acceleration = (at(d) - 2.0 * at(0.0) + at(-d)) / (d * d);
        let read = |name: &str| at_start(&model, &start, &format!("follower.far.{name}.{axis}"));
        // Truncation d² and rounding 1e-16/d².
        near(read("velocity"), velocity, 1e-6, "velocity");
        near(read("acceleration"), acceleration, 1e-5, "acceleration");
    }
}

/// Three parallel bars of equal length on the ground carry one coupler: the third is one too many.
fn parallelogram(motion: Option<TimeFunction>) -> Model {
    let mut model = empty("parallelogram");
    let (length, angle) = (1.0, 1.1);
    let feet = [0.0, 1.5, 3.0];
    for (name, x) in ["left", "middle", "right"].iter().zip(feet) {
        model.bodies.push(bar(name, length, start_at(x, 0.0, angle)));
    }
    let top = start_at(length * angle.cos(), length * angle.sin(), 0.0);
    model.bodies.push(bar("top", 3.0, top));
    for (i, x) in feet.iter().enumerate() {
        let m = model.markers.len();
        model.markers.extend([
            turned_marker(0, *x, 0.0, 0.0),
            turned_marker(i + 1, 0.0, 0.0, 0.0),
            turned_marker(i + 1, length, 0.0, 0.0),
            turned_marker(4, *x, 0.0, 0.0),
        ]);
        let names = [
            ["foot_left", "foot_middle", "foot_right"],
            ["head_left", "head_middle", "head_right"],
        ];
        model.joints.push(joint(names[0][i], JointKind::Revolute, m, m + 1));
        model.joints.push(joint(names[1][i], JointKind::Revolute, m + 2, m + 3));
    }
    model.drivers.extend(motion.map(|motion| driver("motor", 0, motion)));
    model
}

#[test]
fn a_redundant_link_is_named_and_still_solved() {
    let free = assemble(&parallelogram(None)).unwrap();
    assert_eq!((free.report.mobility, free.report.rows, free.report.coordinates), (1, 12, 12));
    assert_eq!(free.report.redundant.len(), 1, "{:?}", free.report.redundant);

    let speed = 2.0;
    let model = parallelogram(Some(TimeFunction::Linear { start: 1.1, rate: speed }));
    let start = assemble(&model).unwrap();
    assert_eq!(start.report.mobility, 0);
    let [RowName { owner, .. }] = &start.report.redundant[..] else {
        panic!("one row is too many: {:?}", start.report.redundant)
    };
    assert!(model.joints.iter().any(|j| j.name == *owner), "{owner} is no joint");
    // Reactions across the loops are not unique; the driver's is.
    assert!(!start.report.not_unique.is_empty());
    assert!(start.report.not_unique.iter().all(|row| row.owner != "motor"));

    let outputs = ["top.angle", "top.position.x", "top.position.y", "right.angle", "motor.torque"];
    let end = 0.5;
    let report = simulate(&start, &run_for(&model, end, &outputs), &mut Silent);
    assert_eq!(report.status, Status::Done);
    let angle = 1.1 + speed * end;
    let expected = [0.0, angle.cos(), angle.sin(), angle];
    for (i, expected) in expected.iter().enumerate() {
        near(report.final_values[i], *expected, 1e-9, outputs[i]);
    }
    // At constant speed without gravity nothing changes its energy.
    near(report.final_values[4], 0.0, 1e-8, "torque");
}

#[test]
fn a_redundant_mechanism_moves_like_the_one_without_the_extra_link() {
    // Falling freely: the same coupler on three bars, and on the outer two with the third bar's
    // inertia spread over them.
    let mut three = parallelogram(None);
    three.gravity = Vector3::new(0.0, -9.81, 0.0);
    let mut two = three.clone();
    two.joints.retain(|j| !j.name.ends_with("middle"));
    two.bodies.remove(2);
    for body in &mut two.bodies[1..3] {
        body.mass = body.mass.map(|m| 1.5 * m);
        body.inertia = body.inertia.map(|j| 1.5 * j);
    }
    for marker in &mut two.markers {
        marker.body.0 -= usize::from(marker.body.0 > 1);
    }
    let run = |model: &Model| {
        let start = assemble(model).unwrap();
        simulate(&start, &run_for(model, 0.4, &["left.angle", "top.velocity.y"]), &mut Silent)
    };
    let (a, b) = (run(&three), run(&two));
    for (x, y) in a.final_values.iter().zip(&b.final_values) {
        near(*x, *y, 1e-7, "motion");
    }
}

#[test]
fn a_loop_that_cannot_close_names_joints_and_gaps() {
    let mut model =
        four_bar(TimeFunction::Constant(PI), start_at(-1.0, 0.0, 0.3), start_at(GROUND, 0.0, 2.5));
    // The crank points away: 5 m from pin to rocker, but only 4.5 m of coupler and follower. The
    // rough start is far from the pose that leaves the smallest gap.
    model.bodies[2] = bar("coupler", 1.5, start_at(-1.0, 0.0, 0.1));
    model.markers[5].local.p.x = 1.5;
    let error = assemble(&model).unwrap_err();
    let AssemblyError::CannotClose { gaps, .. } = &error else { panic!("{error}") };
    assert!(gaps.iter().all(|gap| model.joints.iter().any(|j| j.name == gap.owner)
        || model.drivers.iter().any(|d| d.name == gap.owner)));
    // Whichever joint is left open, half a metre is missing; the driver can close the loop by turning.
    for gap in gaps.iter().filter(|gap| !gap.is_angle) {
        near(gap.value.abs(), 0.5, 1e-6, &gap.owner);
    }
    let message = error.to_string();
    assert!(message.contains(&gaps[0].owner) && message.contains("500.0000 mm"), "{message}");
}

#[test]
fn a_missing_length_shows_as_a_gap_of_that_length() {
    // A bar pinned at both ends to points of the ground that are 0.25 m too far apart.
    let mut model = empty("tight bar");
    model.bodies.push(bar("bar", 1.0, start_at(0.0, 0.0, 0.0)));
    model.markers = vec![
        marker("left", 0, 0.0, 0.0),
        marker("right", 0, 1.25, 0.0),
        marker("near", 1, 0.0, 0.0),
        marker("far", 1, 1.0, 0.0),
    ];
    model.joints =
        vec![joint("first", JointKind::Revolute, 0, 2), joint("second", JointKind::Revolute, 1, 3)];
    let error = assemble(&model).unwrap_err();
    let AssemblyError::CannotClose { gaps, .. } = &error else { panic!("{error}") };
    assert_eq!(gaps.len(), 2);
    for gap in gaps {
        near(gap.value.abs(), 0.25, 1e-9, &gap.owner);
    }
}

#[test]
fn a_free_direction_without_mass_is_refused() {
    let mut model = slider_crank(100.0, 0.0, 0.0, 0.9);
    model.drivers.clear();
    model.bodies[1].mass = None;
    model.bodies[1].inertia = None;
    // A crank without mass may turn with the rest: its motion is that of bodies with mass only if
    // nothing else depends on it, so it is refused.
    let error = assemble(&model).unwrap_err();
    assert!(matches!(&error, AssemblyError::Massless { body, .. } if body == "crank"), "{error}");

    let mut free = two_bodies();
    free.bodies[2].inertia = None;
    free.joints.push(joint("hinge", JointKind::Revolute, 1, 2));
    let error = assemble(&free).unwrap_err();
    let wanted = AssemblyError::Massless { body: "b".into(), what: "inertia" };
    assert_eq!(error, wanted);
}

#[test]
fn contradicting_drivers_are_refused() {
    // In a parallelogram both feet turn alike.
    let mut model = parallelogram(Some(TimeFunction::Linear { start: 1.1, rate: 2.0 }));
    model.drivers.push(driver("second", 4, TimeFunction::Linear { start: 1.1, rate: 3.0 }));
    let error = assemble(&model).unwrap_err();
    assert!(matches!(&error, AssemblyError::Contradiction { .. }), "{error}");
    // Different angles cannot both be met.
    model.drivers[1].motion = TimeFunction::Linear { start: 1.2, rate: 2.0 };
    let error = assemble(&model).unwrap_err();
    assert!(matches!(&error, AssemblyError::CannotClose { .. }), "{error}");
    // Alike, they are one too many: which of them would do the work?
    model.drivers[1].motion = TimeFunction::Linear { start: 1.1, rate: 2.0 };
    let error = assemble(&model).unwrap_err();
    assert_eq!(error, AssemblyError::IdleDriver { driver: "second".into() });
}

#[test]
fn mobility_is_counted_with_and_without_play() {
    let numbers = |model: &Model| {
        let report = assemble(model).unwrap().report;
        (report.coordinates, report.rows, report.mobility, report.ideal_mobility)
    };
    let mut model = slider_crank(100.0, 0.0, 0.0, 0.9);
    assert_eq!(numbers(&model), (9, 9, 0, 0));
    model.drivers.clear();
    assert_eq!(numbers(&model), (9, 8, 1, 1));
    let mut model = slider_crank(100.0, 1e-4, 1e10, 0.9);
    assert_eq!(numbers(&model), (9, 7, 2, 0));
    model.drivers.clear();
    assert_eq!(numbers(&model), (9, 6, 3, 1));
    assert_eq!(numbers(&two_bodies()), (6, 0, 6, 6));
    let mut welded = two_bodies();
    welded.joints.push(joint("weld", JointKind::Fixed, 1, 2));
    assert_eq!(numbers(&welded), (6, 3, 3, 3));
}

#[test]
fn a_free_slider_crank_at_its_dead_point_is_neither_singular_nor_redundant() {
    let mut model = slider_crank(0.0, 0.0, 0.0, 0.9);
    model.drivers.clear();
    let report = assemble(&model).unwrap().report;
    assert!(report.redundant.is_empty(), "{:?}", report.redundant);
    assert_eq!(report.mobility, 1);
}

#[test]
fn start_offsets_move_the_journal() {
    let mut model = slider_crank(100.0, 1e-3, 1e10, 0.9);
    model.joints[3].start_offset = Vector3::new(3e-4, -4e-4, 0.0);
    let start = assemble(&model).unwrap();
    near(at_start(&model, &start, "pin.eccentricity.x"), 3e-4, 1e-12, "x");
    near(at_start(&model, &start, "pin.eccentricity.y"), -4e-4, 1e-12, "y");
}

#[test]
fn a_massless_rod_carries_force_along_itself_only() {
    let speed = 30.0;
    let mut model = slider_crank(speed, 0.0, 0.0, 0.9);
    model.drivers[0].motion = TimeFunction::Linear { start: 0.9, rate: speed };
    let mut tiny = model.clone();
    (model.bodies[2].mass, model.bodies[2].inertia) = (None, None);
    (tiny.bodies[2].mass, tiny.bodies[2].inertia) = (Some(1e-9), Some(inertia_about_z(1e-12)));
    for body in [&mut model, &mut tiny] {
        for b in &mut body.bodies[1..] {
            b.start = Start::default();
        }
    }
    let (start, limit) = (assemble(&model).unwrap(), assemble(&tiny).unwrap());
    let read = |name: &str| at_start(&model, &start, name);
    let angle = read("rod.angle");
    // 0.05 sin 0.9 = −0.12 sin(rod): by the sine rule.
    near(angle, -(0.05 / 0.12 * 0.9f64.sin()).asin(), 1e-12, "rod angle");
    let (x, y) = (read("pin.reaction.x"), read("pin.reaction.y"));
    near(x * angle.sin() - y * angle.cos(), 0.0, 1e-9, "force across the rod");
    near(x, -0.14 * read("slider.acceleration.x"), 1e-9, "force of the slider on the rod");
    near(read("big_end.reaction.x"), -x, 1e-9, "force at the other end");
    // Power of the motor is the rate of the kinetic energy: only the slider's changes.
    let power = 0.14 * read("slider.acceleration.x") * read("slider.velocity.x");
    near(read("motor.power"), power, 1e-9, "power");
    for name in [
        "pin.reaction.x",
        "pin.reaction.y",
        "motor.torque",
        "guide.reaction.y",
        "guide.reaction_torque",
        "main_bearing.reaction.x",
    ] {
        // Inertia of 1e-9 kg at 100 m/s² adds 1e-7 N.
        near(read(name), at_start(&tiny, &limit, name), 1e-5, name);
    }
}

#[test]
fn a_massless_driven_crank_needs_the_torque_of_its_load() {
    // A point mass welded to the end of a crank without mass, swinging under gravity.
    let (length, m, g) = (0.4, 1.5, 9.81);
    let (mean, size, frequency) = (0.3, 0.5, 2.0);
    let mut model = empty("crank");
    let mut crank = bar("crank", length, Start::default());
    (crank.mass, crank.inertia) = (None, None);
    let mut load = body("load", m, None, 0.0, Start::default());
    load.inertia = None;
    model.bodies.extend([crank, load]);
    model.gravity = Vector3::new(0.0, -g, 0.0);
    model.markers = vec![
        marker("origin", 0, 0.0, 0.0),
        marker("shaft", 1, 0.0, 0.0),
        marker("end", 1, length, 0.0),
        marker("load", 2, 0.0, 0.0),
    ];
    model.joints =
        vec![joint("shaft", JointKind::Revolute, 0, 1), joint("weld", JointKind::Fixed, 2, 3)];
    model.drivers = vec![driver("motor", 0, swing(mean, size, frequency))];
    let start = assemble(&model).unwrap();
    let outputs = ["motor.torque", "shaft.reaction.x", "shaft.reaction.y", "weld.reaction_torque"];
    let end = 0.7;
    let report = simulate(&start, &run_for(&model, end, &outputs), &mut Silent);
    let (s, c) = (frequency * end).sin_cos();
    let (angle, spin) = (mean + size * s, size * frequency * c);
    let alpha = -size * frequency * frequency * s;
    let torque = m * length * (length * alpha + g * angle.cos());
    let x = m * length * (-spin * spin * angle.cos() - alpha * angle.sin());
    let y = m * (length * (-spin * spin * angle.sin() + alpha * angle.cos()) + g);
    for (found, expected) in report.final_values.iter().zip([torque, x, y, 0.0]) {
        near(*found, expected, 1e-9, "load of the crank");
    }
    let work = report.energy.lines.iter().find(|l| l.name == "motor").unwrap().value;
    let energy =
        |angle: f64, spin: f64| m * (0.5 * (length * spin).powi(2) + g * length * angle.sin());
    near(work, energy(angle, spin) - energy(mean, size * frequency), 1e-8, "work of the motor");
}

#[test]
fn compile_errors_name_the_joint_and_the_driver() {
    let mut model = two_bodies();
    model.joints.push(joint("knot", JointKind::Revolute, 1, 3));
    let error = assemble(&model).unwrap_err();
    assert_eq!(error.to_string(), "joint `knot` connects two frames of one body");
    let mut model = two_bodies();
    model.joints.push(joint("weld", JointKind::Fixed, 1, 2));
    model.drivers.push(driver("motor", 0, TimeFunction::Constant(0.0)));
    let error = assemble(&model).unwrap_err();
    assert!(error.to_string().contains("`motor`"), "{error}");
}

#[test]
fn a_mechanism_without_moving_bodies_assembles() {
    let start = assemble(&empty("nothing")).unwrap();
    assert_eq!(start.report.mobility, 0);
}

#[test]
fn a_second_driver_of_the_same_motion_is_refused() {
    // Angle, rate and acceleration agree at the start; then the second driver asks for more.
    #[derive(Debug)]
    struct Cubic;
    impl gudgeon::time::TimeLaw for Cubic {
        fn jet(&self, t: f64, _branch: f64) -> gudgeon::time::Jet {
            let (value, rate, second) = (1.1 + 2.0 * t + t.powi(3), 2.0 + 3.0 * t * t, 6.0 * t);
            gudgeon::time::Jet { value, rate, second }
        }
        fn kinks(&self, _from: f64, _to: f64, _out: &mut Vec<f64>) {}
    }
    let mut model = parallelogram(Some(TimeFunction::Linear { start: 1.1, rate: 2.0 }));
    let law = TimeFunction::Law(std::sync::Arc::new(Cubic));
    model.drivers.push(driver("second", 4, law));
    let refused = match assemble(&model) {
        Err(_) => true,
        Ok(start) => {
            let report = simulate(&start, &run_for(&model, 0.5, &["right.angle"]), &mut Silent);
            report.status != Status::Done
        }
    };
    assert!(refused, "the second driver was ignored");
}

#[test]
fn a_driven_body_without_mass_is_noted() {
    // At the dead point the slider does not move, but it does a little later.
    let mut model = crate::common::slider_crank(crate::common::rpm(2000.0), 0.0, 1e10, 0.9);
    model.bodies[3].mass = None;
    let report = assemble(&model).unwrap().report;
    assert_eq!(report.massless, [("slider".to_owned(), "mass")]);
    // Its missing inertia is forbidden by the guide, not by the driver.
    let whole = crate::common::slider_crank(crate::common::rpm(2000.0), 0.0, 1e10, 0.9);
    assert!(assemble(&whole).unwrap().report.massless.is_empty());
}
