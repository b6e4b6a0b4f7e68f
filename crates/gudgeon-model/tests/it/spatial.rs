//! Spatial files: frames, inertia, joints with their axes, clearance forms, drivers, forces, start.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::path::Path;

use gudgeon::clearance::normal::{Elastic, NormalLaw, composite_modulus, hertz_stiffness};
use gudgeon::friction::{FrictionLaw, ZonedLaw};
use gudgeon::math::spatial::{Axis, Frame};
use gudgeon::model::{
    Axes, Axial, Body, Clearance, Coordinate, Driver, ForceKind, Form, Joint, JointKind, MarkerId,
    Model, Orientation, Space, Tilt,
};
use gudgeon_model::{Loaded, Overrides, Until, load, materials};
use nalgebra::{Matrix3, Matrix6, Rotation3, Vector3};

fn read(name: &str, overrides: &Overrides) -> Loaded {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let loaded = load(&folder.join(name), overrides).unwrap_or_else(|failure| {
        panic!("{}", failure.diagnostics.render(&failure.sources, false))
    });
    assert!(!loaded.warnings.has_warnings(), "{}", loaded.warnings.render(&loaded.sources, false));
    loaded
}

fn parts() -> Model {
    read("spatial_parts.toml", &Overrides::default()).model
}

fn body<'m>(model: &'m Model, name: &str) -> &'m Body {
    model.bodies.iter().find(|body| body.name == name).unwrap()
}

fn joint<'m>(model: &'m Model, name: &str) -> &'m Joint {
    model.joints.iter().find(|joint| joint.name == name).unwrap()
}

fn driver<'m>(model: &'m Model, name: &str) -> &'m Driver {
    model.drivers.iter().find(|driver| driver.name == name).unwrap()
}

fn clearance<'m>(model: &'m Model, name: &str) -> &'m Clearance {
    joint(model, name).clearance.as_ref().unwrap()
}

fn frame(model: &Model, id: MarkerId) -> Frame {
    model.markers[id.0].local
}

fn named(model: &Model, name: &str) -> Frame {
    model.markers.iter().find(|marker| marker.name.as_deref() == Some(name)).unwrap().local
}

fn about(axis: Vector3<f64>, degrees: f64) -> Matrix3<f64> {
    Rotation3::new(axis.normalize() * degrees.to_radians()).into_inner()
}

fn close(found: Matrix3<f64>, expected: Matrix3<f64>) {
    let error = (found - expected).norm();
    assert!(error <= 1e-12 * expected.norm(), "{found} is not {expected}");
}

fn stiffness(law: &NormalLaw) -> f64 {
    let Elastic::Power { stiffness, .. } = law.parts().unwrap().elastic else { panic!("{law:?}") };
    stiffness
}

#[test]
fn the_four_bar_has_the_values_of_its_file() {
    let loaded = read("spatial_four_bar.toml", &Overrides::default());
    let model = &loaded.model;
    assert_eq!((model.name.as_str(), model.space), ("four-bar with a tilted pin", Space::Spatial));
    assert_eq!(model.gravity, Vector3::new(0.0, 0.0, -9.81));
    assert_eq!(model.bodies.len(), 4);
    let names: Vec<&str> = model.joints.iter().map(|joint| &joint.name[..]).collect();
    assert_eq!(names, ["A", "B", "D", "C"]);
    assert!(model.joints.iter().all(|joint| joint.kind == JointKind::Revolute));

    let mass = 7850.0 * PI * 0.012_f64.powi(2) / 4.0 * 0.24;
    let across = mass * (0.24_f64.powi(2) / 12.0 + 0.012_f64.powi(2) / 16.0);
    let line = mass * 0.012_f64.powi(2) / 8.0;
    let coupler = body(model, "coupler");
    assert!((coupler.mass.unwrap() / mass - 1.0).abs() < 1e-14);
    close(coupler.inertia.unwrap(), Matrix3::from_diagonal(&Vector3::new(line, across, across)));
    assert!((coupler.centre - Vector3::new(0.12, 0.0, 0.0)).norm() < 1e-16);
    let rocker = body(model, "rocker").inertia.unwrap();
    assert!(rocker[(1, 1)] < 0.1 * rocker[(0, 0)], "the rocker lies along y");

    let pin = joint(model, "C");
    let tilted = frame(model, pin.a);
    assert!((tilted.p.x - 0.24).abs() < 1e-16);
    close(tilted.r, about(Vector3::x(), 1.0));
    let play = pin.clearance.as_ref().unwrap();
    assert_eq!((play.bearing_radius, play.radial), (0.006, 2e-4));
    assert_eq!(
        play.form,
        Form::Journal { length: 0.02, bearing_length: 0.02, axial: Axial::Fixed, tilt: Tilt::Free }
    );
    let [bronze, steel] = ["bronze", "steel"].map(|name| materials::find(name).unwrap());
    let total = hertz_stiffness(0.006, 0.0058, &bronze, &steel);
    assert!((stiffness(&play.normal) / (0.5 * total) - 1.0).abs() < 1e-12);
    assert_eq!(
        play.friction,
        Some(FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: 0.05, v0: 1e-4, v1: 1e-3 }))
    );
    assert_eq!(play.materials, Some([bronze, steel]));

    let motor = &model.drivers[0];
    assert_eq!((motor.joint.0, motor.coordinate), (0, Coordinate::Angle));
    assert!((motor.motion.jet(0.5, 0.5).value - (60.0 + 180.0_f64).to_radians()).abs() < 1e-12);
    let start = coupler.start;
    assert!((start.position.unwrap() - Vector3::new(0.04, 0.07, 0.0)).norm() < 1e-16);
    let Some(Orientation::Rotation(r)) = start.orientation else { panic!() };
    close(r, about(Vector3::z(), 25.0));
    assert_eq!(loaded.run.until, Until::Time(3.0));
}

#[test]
fn frames_turn_about_axes_in_order_and_by_quaternions() {
    let model = parts();
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    assert_eq!(named(&model, "turned").p, Vector3::new(1.0, 2.0, 3.0));
    close(named(&model, "turned").r, about(z, 90.0));
    close(named(&model, "twice").r, about(z, 90.0) * about(x, 10.0));
    close(named(&model, "oblique").r, Matrix3::new(0., 0., 1., 1., 0., 0., 0., 1., 0.));
    close(named(&model, "half").r, about(z, 90.0));
    close(named(&model, "text").r, about(y, 30.0));
    assert!((named(&model, "text").p - Vector3::new(0.001, 0.0, 0.002)).norm() < 1e-18);
}

#[test]
fn bodies_have_the_inertia_they_give() {
    let model = parts();
    let block = body(&model, "block");
    let expected = Matrix3::new(0.3, 0.01, -0.02, 0.01, 0.4, 0.03, -0.02, 0.03, 0.5);
    assert_eq!(block.inertia, Some(expected));
    assert!((block.centre - Vector3::new(0.001, 0.002, 0.003)).norm() < 1e-18);
}

#[test]
fn shapes_have_the_inertia_of_the_tables() {
    let model = parts();
    let check = |name: &str, mass: f64, moments: [f64; 3], centre: [f64; 3]| {
        let body = body(&model, name);
        assert!((body.mass.unwrap() / mass - 1.0).abs() < 1e-14, "{name}");
        close(body.inertia.unwrap(), Matrix3::from_diagonal(&moments.into()) * mass);
        assert!((body.centre - Vector3::from(centre)).norm() < 1e-16, "{name}");
    };
    let square = |x: f64| x * x;
    let ball = 7800.0 * PI * 0.03_f64.powi(3) / 6.0;
    check("ball", ball, [0.4 * square(0.015); 3], [0.0, 0.0, 0.01]);
    let (outer, inner) = (0.01, 0.008);
    let tube = 2700.0 * PI * (square(outer) - square(inner));
    let radii = square(outer) + square(inner);
    let across = (3.0 * radii + 1.0) / 12.0;
    check("tube", tube, [across, across, radii / 2.0], [0.0, 0.0, 0.5]);
    // The second side, 10 mm, lies along x; the first, 30 mm, along y.
    let (b, h) = (square(0.03), square(0.01));
    let beam = [(1.0 + b) / 12.0, (1.0 + h) / 12.0, (b + h) / 12.0];
    check("beam", 7850.0 * 3e-4, beam, [0.0, 0.0, 0.5]);
    let across = square(0.5) / 12.0 + square(0.004) / 16.0;
    check("rod", 0.5, [across, square(0.004) / 8.0, across], [0.0, 0.25, 0.0]);
}

#[test]
fn axes_turn_both_markers_alike() {
    let model = parts();
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let turns = |name: &str| {
        let joint = joint(&model, name);
        [frame(&model, joint.a), frame(&model, joint.b)]
    };
    let turned = about(z, 90.0);
    // Least rotation from z to y: a quarter turn about −x.
    let [a, b] = turns("hinge");
    close(a.r, turned * about(-x, 90.0));
    close(b.r, about(-x, 90.0));
    assert!((a.r * z - turned * y).norm() < 1e-15 && (b.r * z - y).norm() < 1e-15);
    assert_eq!(a.p, Vector3::new(1.0, 2.0, 3.0));
    let [a, b] = turns("flipped");
    close(a.r, about(x, 180.0));
    assert_eq!(a.r, b.r);
    let [a, b] = turns("guide");
    let along = Vector3::new(0.0, 0.6, 0.8);
    assert!(
        (a.axis(Axis::X) - turned * along).norm() < 1e-15
            && (b.axis(Axis::X) - along).norm() < 1e-15
    );
    let [a, b] = turns("cardan");
    assert!((a.axis(Axis::X) - z).norm() < 1e-15, "first pin along z of the first frame");
    assert!((b.axis(Axis::Y) - x).norm() < 1e-15, "second pin along x of the second frame");
    let [a, b] = turns("floor");
    let normal = Vector3::new(1.0, 0.0, 1.0).normalize();
    assert!((a.r * z - normal).norm() < 1e-15 && (b.r * z - normal).norm() < 1e-15);
    // The usual axes need no markers of their own.
    let plain = joint(&model, "plain_cardan");
    assert_eq!(model.markers[plain.a.0].name.as_deref(), Some("turned"));
    assert_eq!(model.markers[plain.b.0].name.as_deref(), Some("b"));
}

#[test]
fn joints_have_their_kinds() {
    let model = parts();
    for (name, kind) in [
        ("hinge", JointKind::Revolute),
        ("guide", JointKind::Prismatic),
        ("sleeve", JointKind::Cylindrical),
        ("socket", JointKind::Spherical),
        ("cardan", JointKind::Universal),
        ("table_top", JointKind::Planar),
        ("weld", JointKind::Fixed),
        ("thread", JointKind::Screw { pitch: -0.002 }),
        ("link", JointKind::Distance { length: 0.3 }),
        ("slot", JointKind::PointOnLine),
        ("floor", JointKind::PointOnPlane),
    ] {
        assert_eq!(joint(&model, name).kind, kind);
    }
}

#[test]
fn each_base_of_a_journal_gets_its_share() {
    let model = parts();
    let bush = clearance(&model, "bush");
    assert_eq!(stiffness(&bush.normal), 2e9, "half of the total");
    let axial = |name: &str| match clearance(&model, name).form.clone() {
        Form::Journal { axial, .. } => axial,
        other => panic!("{other:?}"),
    };
    assert_eq!(axial("bush"), Axial::Fixed);
    let per_base = clearance(&model, "per_base");
    assert_eq!(stiffness(&per_base.normal), 4e9);
    let form =
        Form::Journal { length: 0.02, bearing_length: 0.03, axial: Axial::Free, tilt: Tilt::Free };
    assert_eq!(per_base.form, form);
    let Axial::Play { clearance: play, radius, normal } = axial("flanged") else { panic!() };
    assert_eq!((play, radius), (5e-4, 1.25 * 0.008));
    assert_eq!(stiffness(&normal), 4e9, "flanges take the total");
    assert_eq!(stiffness(&clearance(&model, "flanged").normal), 2e9);
    assert_eq!(clearance(&model, "flanged").radial, 1e-4);
    assert!(clearance(&model, "flanged").friction.is_some());
    let Axial::Play { radius, normal, .. } = axial("flanged_per_base") else { panic!() };
    assert_eq!((radius, stiffness(&normal)), (0.012, 8e9), "the sum of both bases");
    let steel = materials::find("steel").unwrap();
    let modulus = 0.5 * composite_modulus(&steel, &steel);
    let foundation = clearance(&model, "foundation");
    let force = |modulus: f64| {
        let elastic = Elastic::Foundation { modulus, clearance: 1e-4, width: 0.02 };
        NormalLaw::new(elastic, foundation.normal.parts().unwrap().damping)
            .force(1e-5, 0.0, 1.0, &[])
            .value
    };
    let found = foundation.normal.force(1e-5, 0.0, 1.0, &[]).value;
    // The clearance is a difference of radii, hence the rounding.
    assert!((found / force(modulus) - 1.0).abs() < 1e-9);
    assert_eq!(axial("foundation"), Axial::Free);
}

#[test]
fn a_journal_that_cannot_tilt_has_one_contact_of_the_whole_stiffness() {
    let model = parts();
    for (name, total) in [("upright", 4e9), ("upright_per_base", 8e9)] {
        let joint = clearance(&model, name);
        assert!(matches!(joint.form, Form::Journal { tilt: Tilt::Fixed, .. }));
        assert_eq!(stiffness(&joint.normal), total);
    }
    let names = gudgeon::sensor::catalogue(&model);
    let has = |name: &str| names.iter().any(|output| output.name == name);
    assert!(has("upright.local_reaction.z") && has("upright.local_reaction_torque.x"));
    assert!(!has("upright.V.normal_force"));
}

#[test]
fn a_ball_has_one_contact() {
    let model = parts();
    let ball = clearance(&model, "loose_ball");
    assert_eq!(ball.form, Form::Ball);
    let [bronze, steel] = ["bronze", "steel"].map(|name| materials::find(name).unwrap());
    let total = hertz_stiffness(0.01, 0.0099, &bronze, &steel);
    assert!((stiffness(&ball.normal) / total - 1.0).abs() < 1e-12, "not halved");
}

#[test]
fn drivers_pick_the_coordinate_that_their_keys_mean() {
    let model = parts();
    for (name, coordinate) in [
        ("turns", Coordinate::Angle),
        ("slides", Coordinate::Z),
        ("nods", Coordinate::AngleY),
        ("rolls", Coordinate::AngleX),
        ("swings", Coordinate::AngleY),
        ("east", Coordinate::X),
        ("north", Coordinate::Y),
        ("around", Coordinate::Angle),
        ("advance", Coordinate::Z),
        ("along", Coordinate::X),
        ("over", Coordinate::Y),
        ("spin", Coordinate::Angle),
    ] {
        assert_eq!(driver(&model, name).coordinate, coordinate, "{name}");
    }
}

#[test]
fn speeds_start_where_the_start_pose_says() {
    let model = parts();
    let start = |name: &str| driver(&model, name).motion.jet(0.0, 1e-9).value;
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-14, "{found} is not {expected}");
    };
    let (x, y) = (Vector3::x(), Vector3::y());
    let place = Vector3::new(0.1, 0.2, 0.3);
    let turn = about(x, 30.0) * about(y, 20.0);
    // R_x(30°) R_y(20°) is read back as its own angles.
    near(start("rolls"), 30.0_f64.to_radians());
    // Frame `turned` is a quarter turn about z ahead.
    let seen = about(Vector3::z(), -90.0) * turn;
    near(start("swings"), seen[(0, 2)].asin());
    // The axis x of the sleeve is the z axis of its markers.
    near(start("slides"), place.x);
    let sleeve = about(y, -90.0) * turn * about(y, 90.0);
    near(start("turns"), sleeve[(1, 0)].atan2(sleeve[(0, 0)]));
    near(start("north"), place.y);
    near(start("along"), place.z);
    near(start("over"), place.y);
    let hinge = about(-x, -90.0) * about(Vector3::z(), -90.0) * turn * about(-x, 90.0);
    near(start("spin"), hinge[(1, 0)].atan2(hinge[(0, 0)]));
}

#[test]
fn forces_act_about_the_axes_they_name() {
    let model = parts();
    let force = |name: &str| &model.forces.iter().find(|force| force.name == name).unwrap().kind;
    let ForceKind::Point { components, axes, .. } = force("push") else { panic!() };
    let values = components.each_ref().map(|c| c.jet(FRAC_PI_2, FRAC_PI_2).value);
    assert_eq!((values, *axes), ([1.0, 2.0, 3.0], Axes::Body));
    let ForceKind::Torque { against, on, .. } = force("twist") else { panic!() };
    assert!((frame(&model, *against).r * Vector3::z() - Vector3::x()).norm() < 1e-15);
    assert_eq!(frame(&model, *on), Frame::identity(), "only the reaction side is turned");
    let ForceKind::Torque { against, .. } = force("plain_twist") else { panic!() };
    assert_eq!(model.markers[against.0].name.as_deref(), Some("turned"));
    let ForceKind::TorsionSpring { a, b, .. } = force("spiral") else { panic!() };
    for id in [a, b] {
        assert!((frame(&model, *id).r * Vector3::z() + Vector3::x()).norm() < 1e-15);
    }
}

#[test]
fn bushings_have_six_directions() {
    let model = parts();
    let bushing = |name: &str| {
        let force = model.forces.iter().find(|force| force.name == name).unwrap();
        let ForceKind::Bushing { stiffness, damping, .. } = &force.kind else { panic!() };
        (**stiffness, **damping)
    };
    let (stiffness, damping) = bushing("rubber");
    let diagonal = |values: [f64; 6]| Matrix6::from_diagonal(&values.into());
    assert_eq!(stiffness, diagonal([1e3, 2e3, 3e3, 4.0, 5.0, 6.0]));
    assert_eq!(damping, diagonal([7.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
    let (stiffness, damping) = bushing("beam_like");
    assert_eq!((stiffness[(1, 5)], stiffness[(4, 2)], stiffness[(5, 5)]), (6.0, -6.0, 4.0));
    assert_eq!(damping, diagonal([0.0, 0.0, 0.0, 0.1, 0.2, 0.3]));
}

#[test]
fn the_start_has_three_dimensions() {
    let model = parts();
    let start = body(&model, "block").start;
    assert_eq!(start.velocity, Some(Vector3::x()));
    assert_eq!(start.angular_velocity, Some((Vector3::z() * 5.0, Axes::World)));
    let ball = body(&model, "ball").start;
    assert_eq!(ball.position, None);
    assert_eq!(ball.angular_velocity, Some((Vector3::new(1.0, 2.0, 3.0), Axes::Body)));
    close(ball.orientation.unwrap().rotation(), about(Vector3::x(), 180.0));
    let near = |name: &str, offset: [f64; 3]| {
        assert!(
            (joint(&model, name).start_offset - Vector3::from(offset)).norm() < 1e-18,
            "{name}"
        );
    };
    near("bush", [1e-4, 1e-4, 0.0]);
    near("per_base", [1e-4, 1e-4, 7e-3]);
    near("flanged", [0.0, 0.0, -4e-4]);
    near("loose_ball", [5e-5; 3]);
}

#[test]
fn an_ideal_journal_forgets_its_offset() {
    let overrides = Overrides { ideal: vec!["bush".into()], ..Overrides::default() };
    let model = read("spatial_parts.toml", &overrides).model;
    let bush = joint(&model, "bush");
    assert!(bush.clearance.is_none() && bush.start_offset == Vector3::zeros());
}

#[test]
fn turns_of_any_driven_angle_end_a_run() {
    let until = |text: &str| {
        let overrides = Overrides {
            until: Some(text.into()),
            measure_from: Some("0".into()),
            ..Overrides::default()
        };
        read("spatial_parts.toml", &overrides).run.until
    };
    let Until::Time(time) = until("sleeve=3 rev") else { panic!() };
    assert!((time - 3.0).abs() < 1e-12);
    let Until::Time(time) = until("plain_cardan=1 rev") else { panic!() };
    assert!((time - TAU / 3.0).abs() < 1e-12);
    let Until::JointAngle { angle, .. } = until("flipped=0.5 rev, at_most=10 s") else { panic!() };
    assert!((angle - PI).abs() < 1e-12);
}
