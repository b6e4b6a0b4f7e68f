//! What planar files share with spatial ones: guides with play, shapes, turns about z.

use std::f64::consts::PI;

use gudgeon::clearance::normal::Elastic;
use gudgeon::model::{Coordinate, Form, JointKind, Model, Orientation, Space, inertia_about_z};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver, load_text};
use nalgebra::Vector3;

struct Base(&'static str);

impl Resolver for Base {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        Ok((name.into(), self.0.into()))
    }
}

fn read_with(text: &str, base: &'static str) -> Model {
    let loaded = load_text("test.toml", text, &Base(base), &Overrides::default()).unwrap_or_else(
        |failure| panic!("{}", failure.diagnostics.render(&failure.sources, false)),
    );
    assert!(!loaded.warnings.has_warnings(), "{}", loaded.warnings.render(&loaded.sources, false));
    loaded.model
}

fn read(text: &str) -> Model {
    read_with(text, "")
}

#[test]
fn a_guide_has_play() {
    let model = read(
        r#"
format = 1
[bodies.slider]
mass = "1 kg"
inertia = "1e-3 kg m^2"
[joints.guide]
type = "prismatic"
between = ["ground", "slider"]
clearance = { gap = "0.1 mm", length = "40 mm", width = "20 mm", contact = { law = "hunt-crossley", stiffness = "1e8 N/m^1.5", restitution = 0.8, material = "steel" } }
friction = { law = "coulomb", mu = 0.1 }
[start]
guide.offset = "100 mm, -0.05 mm"
[run]
until = "1 s"
"#,
    );
    let guide = model.joints[0].clearance.as_ref().unwrap();
    assert_eq!(guide.form, Form::Guide { length: 0.04, width: 0.02 });
    assert_eq!((guide.bearing_radius, guide.radial), (0.0, 1e-4));
    assert_eq!(
        guide.normal.parts().unwrap().elastic,
        Elastic::Power { stiffness: 1e8, exponent: 1.5 }
    );
    assert!(guide.friction.is_some() && guide.materials.is_some());
    let offset = model.joints[0].start_offset;
    assert!((offset - Vector3::new(0.1, -5e-5, 0.0)).norm() < 1e-16);
}

#[test]
fn shapes_count_about_z_only() {
    let model = read(
        r#"
format = 1
[bodies.tube]
frames.a = "0, 0"
frames.b = "3 m, 4 m"
shape = { tube = "20 mm x 16 mm", from = "a", to = "b", density = "2700 kg/m^3" }
[bodies.thin]
frames.a = "-1 m, 0"
frames.b = "1 m, 0"
shape = { rod = "3 kg", from = "a", to = "b" }
[bodies.ball]
shape = { sphere = "20 mm", material = "steel" }
[run]
until = "1 s"
"#,
    );
    let [tube, thin, ball] = [1, 2, 3].map(|i| &model.bodies[i]);
    let (outer, inner) = (0.01_f64, 0.008_f64);
    let mass = 2700.0 * PI * (outer * outer - inner * inner) * 5.0;
    assert!((tube.mass.unwrap() / mass - 1.0).abs() < 1e-12);
    let moment = mass * (25.0 / 12.0 + (outer * outer + inner * inner) / 4.0);
    let found = tube.inertia.unwrap();
    assert!((found[(2, 2)] / moment - 1.0).abs() < 1e-12);
    assert_eq!(found, inertia_about_z(found[(2, 2)]));
    assert_eq!((thin.mass, thin.inertia), (Some(3.0), Some(inertia_about_z(1.0))));
    let mass = 7850.0 * PI * 0.02_f64.powi(3) / 6.0;
    assert!((ball.inertia.unwrap()[(2, 2)] / (0.4 * mass * 1e-4) - 1.0).abs() < 1e-12);
    assert_eq!(model.space, Space::Planar);
}

#[test]
fn turns_are_angles_about_z() {
    let model = read(
        r#"
format = 1
[bodies.ground]
frames.a = { at = "1 m, 0", turn = "400 deg" }
frames.b = { at = "1 m, 0", turn = "40 deg about z" }
frames.c = { at = "1 m, 0", turn = ["50 deg", "10 deg about -z"] }
[bodies.rod]
mass = "1 kg"
inertia = "1 kg m^2"
[bodies.other]
mass = "1 kg"
inertia = "1 kg m^2"
[joints]
slot = { type = "point-on-line", between = ["ground", "rod"] }
link = { type = "distance", between = ["rod", "other"], length = "0.2 m" }
[drivers]
spin = { joint = "slot", speed = "60 rpm" }
move = { joint = "slot", speed = "1 m/s" }
[start]
rod = { at = "1 m, 2 m", turn = "400 deg about z", angular_velocity = "2 rad/s", velocity = "3 m/s, 0" }
other = { y = "5 mm" }
[run]
until = { slot = "1 rev" }
"#,
    );
    for marker in &model.markers[..3] {
        assert!((marker.local.planar_angle() - 40.0_f64.to_radians()).abs() < 1e-14);
        assert_eq!(marker.local.r[(2, 2)], 1.0);
    }
    let start = model.bodies[1].start;
    let Some(Orientation::Angle(angle)) = start.orientation else { panic!() };
    assert!((angle - 400.0_f64.to_radians()).abs() < 1e-14, "counted over full turns");
    assert_eq!(start.position, Some(Vector3::new(1.0, 2.0, 0.0)));
    assert_eq!(start.velocity, Some(Vector3::new(3.0, 0.0, 0.0)));
    assert_eq!(start.angular_velocity.unwrap().0, Vector3::new(0.0, 0.0, 2.0));
    assert_eq!(model.bodies[2].start.position, Some(Vector3::new(0.0, 0.005, 0.0)));
    assert_eq!(model.joints[1].kind, JointKind::Distance { length: 0.2 });
    let coordinates = [Coordinate::Angle, Coordinate::X];
    for (driver, (coordinate, start)) in
        model.drivers.iter().zip(coordinates.into_iter().zip([angle, 1.0]))
    {
        assert_eq!(driver.coordinate, coordinate);
        assert!((driver.motion.jet(0.0, 1e-9).value - start).abs() < 1e-14);
    }
}

/// Names of the user's choice are no alternatives of one another; keys are.
#[test]
fn extending_a_file_keeps_parameters_and_replaces_alternatives() {
    let base = r#"
format = 1
[parameters]
speed = "60 rpm"
density = "1 kg/m^3"
[bodies.ground]
frames.a = { at = "1 m, 0", turn = "40 deg" }
[bodies.rod]
frames.a = "0, 0"
frames.b = "1 m, 0"
shape = { cylinder = "20 mm", from = "a", to = "b", material = "steel" }
[run]
until = "1 s"
"#;
    let text = r#"
format = 1
use = "base.toml"
[parameters]
angle = "= speed * 1 s"
[bodies.rod]
shape = { box = "100 mm x 100 mm", density = "=density" }
"#;
    let model = read_with(text, base);
    assert!((model.bodies[1].mass.unwrap() - 0.01).abs() < 1e-15);
}
