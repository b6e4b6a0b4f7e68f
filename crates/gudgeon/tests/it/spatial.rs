//! Spatial mechanisms against published and closed-form references.

use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw};
use gudgeon::friction::FrictionLaw;
use gudgeon::math::spatial::Frame;
use gudgeon::model::*;
use gudgeon::results::{RunReport, Status};
use gudgeon::simulate::{Silent, simulate};
use gudgeon::time::TimeFunction;
use nalgebra::{Matrix3, Vector3};

fn space(name: &str) -> Model {
    Model { space: Space::Spatial, ..empty(name) }
}

fn rigid(name: &str, mass: f64, moments: [f64; 3], at: [f64; 3]) -> Body {
    Body {
        name: name.into(),
        mass: Some(mass),
        inertia: Some(Matrix3::from_diagonal(&Vector3::from(moments))),
        centre: Vector3::zeros(),
        coordinates: BodyCoordinates::default(),
        flexible: None,
        start: Start {
            position: Some(Vector3::from(at)),
            orientation: Some(Orientation::Rotation(Matrix3::identity())),
            ..Start::default()
        },
    }
}

fn spot(name: &str, body: usize, p: [f64; 3], r: Matrix3<f64>) -> Marker {
    Marker { name: Some(name.into()), body: BodyId(body), local: Frame { p: p.into(), r } }
}

/// Axes whose z is the old x, y, or z.
fn z_along(axis: usize) -> Matrix3<f64> {
    let e = |i: usize| Vector3::from_fn(|k, _| if k == i % 3 { 1.0 } else { 0.0 });
    Matrix3::from_columns(&[e(axis + 1), e(axis + 2), e(axis)])
}

/// The double pendulum of flores, bearing on the ground.
fn flores(play: Option<(f64, f64, Axial)>) -> Model {
    let mut model = space("double pendulum");
    model.gravity = Vector3::new(0.0, 9.81, 0.0);
    model.bodies.push(rigid("first", 7.02, [0.0010, 0.5855, 0.5855], [0.5, 0.0, 0.0]));
    model.bodies.push(rigid("second", 7.02, [0.5855, 0.5855, 0.0010], [1.0, 0.0, 0.5]));
    let (one, x) = (Matrix3::identity(), z_along(0));
    model.markers = vec![
        spot("bearing", 0, [0.0, 0.0, 0.0], one),
        spot("journal", 1, [-0.5, 0.0, 0.0], one),
        spot("end", 1, [0.5, 0.0, 0.0], x),
        spot("hinge", 2, [0.0, 0.0, -0.5], x),
    ];
    let mut pin = joint("pin", JointKind::Revolute, 0, 1);
    pin.clearance = play.map(|(radial, length, axial)| Clearance {
        form: Form::Journal { length, bearing_length: length, axial, tilt: Tilt::Free },
        ..clearance(
            0.01,
            radial,
            NormalLaw::new(
                Elastic::Power { stiffness: 6.610198e10, exponent: 1.5 },
                Damping::LankaraniNikravesh { restitution: 0.9 },
            ),
        )
    });
    model.joints = vec![pin, joint("hinge", JointKind::Revolute, 2, 3)];
    model
}

fn run(model: &Model, end: f64, outputs: &[&str], rtol: f64) -> RunReport {
    let assembly = assemble(model).expect("it assembles");
    let mut spec = run_for(model, end, outputs);
    spec.rtol = Some(rtol);
    let report = simulate(&assembly, &spec, &mut Silent);
    assert_eq!(report.status, Status::Done);
    report
}

fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "{found} is not {wanted} ± {tolerance:e}");
}

const CENTRE: [&str; 3] = ["second.position.x", "second.position.y", "second.position.z"];

#[test]
fn the_ideal_pendulum_of_flores() {
    let model = flores(None);
    for (t, wanted) in [
        (0.5, [0.3967117117, 0.9734165749, 0.3808936723]),
        (1.0, [-0.9556381117, 0.3056958678, -0.4932604138]),
        (4.0, [-0.0095924936, 1.0381918849, 0.4148079003]),
    ] {
        let report = run(&model, t, &CENTRE, 1e-12);
        for (found, wanted) in report.final_values.iter().zip(wanted) {
            near(*found, wanted, 1e-8);
        }
    }
}

#[test]
fn the_first_impacts_of_flores() {
    let model = flores(Some((0.5e-3, 0.03, Axial::Free)));
    let report = run(&model, 0.15, &CENTRE, 1e-11);
    let of = |spot: &str| report.impacts.iter().filter(|i| i.spot == spot).collect::<Vec<_>>();
    let (v, w) = (of("V"), of("W"));
    for first in [v[0], w[0]] {
        near(first.t, 0.010096375547, 1e-11);
        near(first.speed_in, 0.0990454441, 1e-9);
        near(first.peak_force, 1466.374, 5e-4 * 1466.4);
        near(first.speed_out.unwrap(), -0.09027955, 5e-4 * 0.09);
        near(first.loss, 8.33239e-4, 5e-4 * 8.3e-4);
    }
    near(v[2].t, 0.045748277, 1e-7);
    near(v[2].peak_force, 1181.066, 2e-3 * 1181.0);
    near(report.final_values[1], 0.11799403, 1e-6);
    let fixed = run(&flores(Some((0.5e-3, 0.03, Axial::Fixed))), 0.15, &CENTRE, 1e-11);
    near(fixed.final_values[1], 0.11791311, 1e-6);
}

#[test]
fn the_heavy_top() {
    let mut model = space("heavy top");
    model.gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut top = rigid("top", 15.0, [0.234375, 0.46875, 0.234375], [0.0, 0.0, 0.0]);
    top.centre = Vector3::y();
    top.start.angular_velocity = Some((Vector3::new(0.0, 150.0, -4.61538), Axes::Body));
    model.bodies.push(top);
    let one = Matrix3::identity();
    model.markers = vec![spot("origin", 0, [0.0; 3], one), spot("tip", 1, [0.0; 3], one)];
    model.joints = vec![joint("tip", JointKind::Spherical, 0, 1)];
    let outputs = ["w", "x", "y", "z"].map(|c| format!("top.orientation.{c}"));
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let report = run(&model, 0.2, &outputs, 1e-11);
    let wanted = [-0.70828, 0.43878, 0.54573, 0.0894];
    let sign = if report.final_values[0] < 0.0 { 1.0 } else { -1.0 };
    for (found, wanted) in report.final_values.iter().zip(wanted) {
        near(sign * found, wanted, 1e-4);
    }
    assert!(report.energy.residual_relative() < 1e-10);
}

/// IFToMM's spatial slider-crank.
fn spatial_slider_crank() -> Model {
    let mut model = space("spatial slider-crank");
    model.gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut crank = rigid("crank", 0.12, [1e-4, 1e-4, 1e-5], [0.0, 0.1, 0.16]);
    crank.start.angular_velocity = Some((Vector3::new(6.0, 0.0, 0.0), Axes::World));
    crank.start.velocity = Some(Vector3::new(0.0, -0.24, 0.0));
    // The rod leads from the crank pin (0, 0.1, 0.2) to the slider (0.2, 0, 0).
    let along = Vector3::new(0.2, -0.1, -0.2) / 0.3;
    let r = gudgeon::math::rotation::between(&Vector3::x(), &along, &Vector3::y());
    let mut rod = rigid("rod", 0.5, [4e-4, 4e-3, 4e-3], [0.1, 0.05, 0.1]);
    rod.start.orientation = Some(Orientation::Rotation(r));
    // The published start gives the rod a spin that the universal joint does not allow; the nearest
    // allowed velocities, in the metric of the kinetic energy, turn the crank at 6·1219/1223 rad/s.
    rod.start.velocity = Some(Vector3::new(0.12, -0.24, 0.0));
    rod.start.angular_velocity = Some((Vector3::new(1.92, -0.96, 0.48), Axes::World));
    let mut slider = rigid("slider", 2.0, [1e-4; 3], [0.2, 0.0, 0.0]);
    slider.start.velocity = Some(Vector3::new(0.24, 0.0, 0.0));
    model.bodies.extend([crank, rod, slider]);
    let one = Matrix3::identity();
    // Pins along world axes at the start: y on the slider, x on the rod.
    let (first, second) = (Vector3::y(), Vector3::x());
    let on_slider = Matrix3::from_columns(&[first, second, first.cross(&second)]);
    let on_rod = r.transpose() * on_slider;
    model.markers = vec![
        spot("shaft", 0, [0.0, 0.1, 0.12], z_along(0)),
        spot("shaft", 1, [0.0, 0.0, -0.04], z_along(0)),
        spot("pin", 1, [0.0, 0.0, 0.04], one),
        spot("big_end", 2, [-0.15, 0.0, 0.0], one),
        spot("small_end", 2, [0.15, 0.0, 0.0], on_rod),
        spot("cross", 3, [0.0; 3], on_slider),
        spot("guide", 0, [0.0; 3], one),
        spot("shoe", 3, [0.0; 3], one),
    ];
    model.joints = vec![
        joint("shaft", JointKind::Revolute, 0, 1),
        joint("ball", JointKind::Spherical, 2, 3),
        joint("cross", JointKind::Universal, 5, 4),
        joint("guide", JointKind::Prismatic, 6, 7),
    ];
    model
}

#[test]
fn the_spatial_slider_crank_of_iftomm() {
    let model = spatial_slider_crank();
    let assembly = assemble(&model).unwrap();
    assert_eq!((assembly.report.mobility, assembly.report.redundant.len()), (1, 0));
    for (t, x, rate) in
        [(1.0, 0.209457, 10.4432), (3.0, 0.231753, 6.1007), (5.0, 0.229387, 10.7704)]
    {
        let outputs = ["slider.position.x", "crank.angular_velocity.x"];
        let report = run(&model, t, &outputs, 1e-10);
        near(report.final_values[0], x, 1e-5);
        near(report.final_values[1].abs(), rate, 1e-3);
    }
}

/// A planar model as a mechanism in space: the same pins across the plane, journals of a length that
/// does not matter while nothing tilts, and moments of inertia that do not either.
fn lifted(planar: &Model, tilt: Tilt) -> Model {
    let mut model = Model { space: Space::Spatial, ..planar.clone() };
    for body in &mut model.bodies {
        body.inertia = body.inertia.map(|j| Matrix3::from_diagonal_element(j[(2, 2)]));
        if let Some(orientation) = &mut body.start.orientation {
            *orientation = Orientation::Rotation(orientation.rotation());
        }
    }
    for joint in &mut model.joints {
        if let Some(clearance) = &mut joint.clearance {
            let axial = Axial::Fixed;
            clearance.form = Form::Journal { length: 0.02, bearing_length: 0.02, axial, tilt };
            if tilt == Tilt::Free {
                clearance.normal = clearance.normal.shared(0.5);
            }
        }
    }
    model
}

#[test]
fn a_planar_mechanism_moves_alike_in_space() {
    let outputs = ["slider.position.x", "rod.position.y", "big_end.reaction", "motor.torque"];
    let planar = slider_crank(rpm(5000.0), 0.0, 0.0, 0.0);
    let spatial = lifted(&planar, Tilt::Free);
    let report = assemble(&spatial).unwrap().report;
    assert_eq!((report.mobility, report.redundant.len()), (0, 3), "{:?}", report.redundant);
    for t in [1e-3, 4.3e-3, 0.012] {
        let (a, b) = (run(&planar, t, &outputs, 1e-11), run(&spatial, t, &outputs, 1e-11));
        for i in 0..outputs.len() {
            let tolerance = if i < 2 { 1e-9 * 0.17 } else { 1e-6 * a.extremes[i].abs_max().0 };
            near(b.final_values[i], a.final_values[i], tolerance);
        }
    }
}

#[test]
fn impacts_of_a_planar_mechanism_are_those_in_space() {
    let planar = slider_crank(rpm(5000.0), 0.2e-3, 4.9e9, 0.9);
    let (a, b) =
        (run(&planar, 2e-3, &[], 1e-11), run(&lifted(&planar, Tilt::Free), 2e-3, &[], 1e-11));
    for (i, planar) in a.impacts.iter().take(3).enumerate() {
        for spot in ["V", "W"] {
            let spatial = b.impacts.iter().filter(|impact| impact.spot == spot).nth(i).unwrap();
            near(spatial.t, planar.t, 1e-6 * planar.t);
            near(spatial.speed_in, planar.speed_in, 1e-6 * planar.speed_in);
            near(2.0 * spatial.peak_force, planar.peak_force, 1e-6 * planar.peak_force);
            near(2.0 * spatial.loss, planar.loss, 1e-6 * planar.loss);
        }
    }
    assert!(a.impacts.len() >= 3);
}

#[test]
fn a_journal_that_cannot_tilt_is_the_pin_of_the_plane() {
    let friction = FrictionLaw::LuGre {
        mu_s: 0.2,
        mu_k: 0.1,
        v_s: 0.1,
        sigma0: 600.0,
        sigma1: 5.0,
        sigma2: 0.01,
        fading: Some(0.1),
    };
    for friction in [None, Some(friction)] {
        let mut planar = slider_crank(rpm(5000.0), 0.2e-3, 4.9e9, 0.9);
        planar.joints.iter_mut().filter_map(|joint| joint.clearance.as_mut()).for_each(|loose| {
            loose.friction = friction.clone();
        });
        let spatial = lifted(&planar, Tilt::Fixed);
        let outputs = ["pin.reaction.x", "pin.reaction.y", "slider.velocity.x", "motor.torque"];
        let (a, b) = (run(&planar, 2e-3, &outputs, 1e-11), run(&spatial, 2e-3, &outputs, 1e-11));
        assert!(a.impacts.len() >= 3);
        assert_eq!(a.impacts.len(), b.impacts.len());
        for (planar, spatial) in a.impacts.iter().zip(&b.impacts).take(3) {
            assert_eq!(spatial.spot, "");
            near(spatial.t, planar.t, 1e-6 * planar.t);
            near(spatial.speed_in, planar.speed_in, 1e-6 * planar.speed_in);
            near(spatial.peak_force, planar.peak_force, 1e-6 * planar.peak_force);
            near(spatial.loss, planar.loss, 1e-6 * planar.loss);
            near(spatial.friction_loss, planar.friction_loss, 1e-6 * planar.loss);
        }
        for i in 0..outputs.len() {
            let tolerance = 1e-5 * a.extremes[i].abs_max().0;
            near(b.final_values[i], a.final_values[i], tolerance);
        }
    }
}

/// A shaft whose mass stands 0.3 m beside a bearing along x with 1 mm of play: the rows of `axial` and `tilt`
/// carry what the contact cannot. The shaft only translates and turns about x, so that about its mass centre
/// the reaction has no moment across.
#[test]
fn what_is_held_beside_the_play_is_reported_as_a_reaction() {
    let mut model = space("shaft");
    model.gravity = Vector3::new(-3.0, 0.0, -9.81);
    let inertia = Matrix3::from_diagonal(&Vector3::new(0.02, 0.03, 0.03));
    let centre = Vector3::new(0.3, 0.0, 0.0);
    let shaft = Body { centre, inertia: Some(inertia), ..rigid("shaft", 2.0, [0.0; 3], [0.0; 3]) };
    model.bodies.push(shaft);
    model.markers.push(spot("bore", 0, [0.0; 3], z_along(0)));
    model.markers.push(spot("journal", 1, [0.0; 3], z_along(0)));
    let mut pin = joint("pin", JointKind::Revolute, 0, 1);
    let (axial, tilt) = (Axial::Fixed, Tilt::Fixed);
    let form = Form::Journal { length: 0.1, bearing_length: 0.1, axial, tilt };
    let elastic = Elastic::Power { stiffness: 1e7, exponent: 1.5 };
    let normal = NormalLaw::new(elastic, Damping::LankaraniNikravesh { restitution: 0.7 });
    pin.clearance = Some(Clearance { form, ..clearance(0.02, 1e-3, normal) });
    model.joints.push(pin);
    let outputs = [
        "pin.local_reaction.z",
        "pin.reaction_torque.y",
        "pin.reaction.z",
        "shaft.centre.acceleration.z",
        "pin.contact_force.z",
    ];
    let mut pressed = 0;
    for t in [0.014_4, 0.014_6, 0.05, 0.3] {
        let report = run(&model, t, &outputs, 1e-10);
        let [along, tilting, up, acceleration, contact] = report.final_values[..] else { panic!() };
        near(along, 6.0, 1e-9);
        near(up, 2.0 * (acceleration + 9.81), 1e-9 * up.abs().max(1.0));
        near(contact, up, 1e-9 * up.abs().max(1.0));
        near(tilting, -0.3 * up, 1e-9 * up.abs().max(1.0));
        pressed += usize::from(up > 1.0);
    }
    assert!(pressed > 0);
}

/// Six bars 1 m long, hinges in turn square to each other: Bricard's linkage, closed as a cube's edges.
fn bricard() -> Model {
    let corners = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, -1.0, 1.0],
        [0.0, -1.0, 1.0],
        [0.0, 0.0, 1.0],
    ];
    // Each hinge lies along the bar after next: square to the two bars it joins.
    let axes = [1, 2, 0, 1, 2, 0];
    let mut model = space("Bricard");
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    let at = |i: usize| Vector3::from(corners[i % 6]);
    // The last bar, from corner 5 to corner 0, is the ground.
    for i in 0..5 {
        let along = at(i + 1) - at(i);
        let moment = Matrix3::identity() / 12.0 - along * along.transpose() / 12.0
            + Matrix3::identity() * 1e-4;
        let middle = (at(i) + at(i + 1)) / 2.0;
        let mut bar = rigid(&format!("bar{i}"), 1.0, [1.0; 3], middle.into());
        bar.inertia = Some(moment);
        model.bodies.push(bar);
    }
    for i in 0..6 {
        let axis = z_along(axes[i]);
        let local = |body: usize| match body {
            0 => at(i),
            body => at(i) - (at(body - 1) + at(body)) / 2.0,
        };
        let (before, after) = (if i == 0 { 0 } else { i }, if i == 5 { 0 } else { i + 1 });
        model.markers.push(spot("", before, local(before).into(), axis));
        model.markers.push(spot("", after, local(after).into(), axis));
        model.joints.push(joint(&format!("hinge{i}"), JointKind::Revolute, 2 * i, 2 * i + 1));
    }
    model
}

#[test]
fn bricard_moves_with_one_redundant_row() {
    let model = bricard();
    let assembly = assemble(&model).unwrap();
    let report = &assembly.report;
    assert_eq!((report.rows, report.redundant.len(), report.mobility), (30, 1, 1), "{report:?}");
    assert!(!report.not_unique.is_empty());
    let run = run(&model, 10.0, &["bar2.position.y"], 1e-9);
    assert!(run.energy.residual_relative() < 1e-7, "{}", run.energy.residual_relative());
    assert!(run.drift.position < 1e-9);
}

/// IFToMM's windows of four-bars: `n` of them side by side, upright, pushed at the top.
fn n_four_bar(n: usize) -> Model {
    let mut model = empty("N-four-bar");
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    let bar = |name: String, x: f64, y: f64, angle: f64| {
        let mut bar = body(&name, 1.0, Some(1.0 / 12.0), 0.5, start_at(x, y, angle));
        let upright = angle != 0.0;
        bar.start.velocity = Some(Vector3::new(if upright { 0.0 } else { 1.0 }, 0.0, 0.0));
        let spin = if upright { -1.0 } else { 0.0 };
        bar.start.angular_velocity = Some((Vector3::new(0.0, 0.0, spin), Axes::World));
        bar
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    for i in 0..=n {
        model.bodies.push(bar(format!("post{i}"), i as f64, 0.0, quarter));
    }
    for i in 0..n {
        model.bodies.push(bar(format!("beam{i}"), i as f64, 1.0, 0.0));
    }
    let mut connect = |name: String, a: (usize, f64), b: (usize, f64)| {
        let first = model.markers.len();
        model.markers.push(marker("end", a.0, a.1, 0.0));
        model.markers.push(marker("end", b.0, b.1, 0.0));
        model.joints.push(joint(&name, JointKind::Revolute, first, first + 1));
    };
    for i in 0..=n {
        connect(format!("foot{i}"), (0, i as f64), (1 + i, 0.0));
    }
    for i in 0..n {
        connect(format!("left{i}"), (1 + i, 1.0), (2 + n + i, 0.0));
        connect(format!("right{i}"), (2 + i, 1.0), (2 + n + i, 1.0));
    }
    model
}

#[test]
fn two_four_bars_pass_their_singular_positions() {
    let outputs = ["beam0.position.x", "beam0.position.y", "beam0.velocity.x", "beam0.velocity.y"];
    let wanted = [0.3284581112, 0.9445185383, 1.423051470, -0.494868845];
    for model in [n_four_bar(2), lifted(&n_four_bar(2), Tilt::Free)] {
        let report = run(&model, 10.0, &outputs, 1e-9);
        for (found, wanted) in report.final_values.iter().zip(wanted) {
            near(*found, wanted, 1e-5);
        }
    }
}

/// A body on a joint at the ground, one of whose angles is driven.
fn driven(kind: JointKind, coordinate: Coordinate, motion: TimeFunction) -> Model {
    let mut model = space("driven");
    model.bodies.push(rigid("body", 1.0, [0.1, 0.2, 0.3], [0.0; 3]));
    let one = Matrix3::identity();
    model.markers = vec![spot("ground", 0, [0.0; 3], one), spot("body", 1, [0.0; 3], one)];
    model.joints = vec![joint("joint", kind, 0, 1)];
    let name = "motor".into();
    model.drivers = vec![Driver { name, joint: JointId(0), coordinate, motion }];
    model
}

#[test]
fn both_pins_of_a_universal_joint_turn_all_the_way_round() {
    for coordinate in [Coordinate::AngleX, Coordinate::AngleY] {
        let motion = TimeFunction::Linear { start: 2.0, rate: 3.0 };
        let model = driven(JointKind::Universal, coordinate, motion);
        let report = run(&model, 3.0, &["body.angular_velocity", "motor.torque"], 1e-10);
        near(report.final_values[0], 3.0, 1e-9);
        near(report.extremes[1].abs_max().0, 0.0, 1e-9);
    }
}

#[test]
fn a_spherical_joint_cannot_start_beyond_its_range() {
    let motion = TimeFunction::Constant(2.1);
    let model = driven(JointKind::Spherical, Coordinate::AngleY, motion);
    let error = assemble(&model).unwrap_err();
    assert!(matches!(error, gudgeon::assembly::AssemblyError::CannotClose { .. }), "{error}");
}

#[test]
fn a_spring_across_a_driven_axis_counts_its_own_turns() {
    let start = 4.0 * std::f64::consts::PI;
    let motion = TimeFunction::Linear { start, rate: 0.0 };
    let mut model = driven(JointKind::Revolute, Coordinate::Angle, motion);
    model.markers.push(spot("across", 0, [0.0; 3], z_along(0)));
    model.markers.push(spot("across", 1, [0.0; 3], z_along(0)));
    let (a, b) = (MarkerId(2), MarkerId(3));
    let kind = ForceKind::TorsionSpring { a, b, stiffness: 1.0, damping: 0.0, free_angle: 0.0 };
    model.forces.push(force("spring", kind));
    near(run(&model, 0.1, &["spring.torque"], 1e-9).final_values[0], 0.0, 1e-12);
}
