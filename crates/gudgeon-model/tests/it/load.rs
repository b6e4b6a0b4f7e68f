//! From text to mechanism: values, overrides, inheritance, and the length of a run.

use std::f64::consts::TAU;

use gudgeon::clearance::normal::{Damping, Elastic};
use gudgeon::friction::{FrictionLaw, ZonedLaw};
use gudgeon::model::{ForceKind, JointKind, inertia_about_z};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::shipped::{self, find};
use gudgeon_model::{Loaded, Method, Overrides, Resolver, Until, load_text};

struct Folder(&'static [(&'static str, &'static str)]);

impl Resolver for Folder {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        let file = self.0.iter().find(|(file, _)| *file == name).expect("a file of the test");
        Ok((file.0.into(), file.1.into()))
    }
}

fn read(text: &str, overrides: &Overrides) -> Loaded {
    let files = Folder(&[("crank.toml", CRANK)]);
    load_text("test.toml", text, &files, overrides)
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&failure.sources, false)))
}

fn slider_crank(overrides: &Overrides) -> Loaded {
    shipped::load(find("slider_crank").unwrap(), overrides)
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&failure.sources, false)))
}

fn set(name: &str, value: &str) -> Overrides {
    Overrides { set: vec![(name.into(), value.into())], ..Overrides::default() }
}

/// A body on a driven shaft.
const CRANK: &str = r#"
format = 1
[bodies.crank]
mass = "1 kg"
inertia = "1 kg m^2"
frames.tip = { at = "1 m, 0", turn = "90 deg" }
[joints.shaft]
type = "revolute"
between = ["ground", "crank"]
[drivers.motor]
joint = "shaft"
speed = "60 rpm"
[run]
until = "3 rev"
outputs = ["motor.torque"]
"#;

#[test]
fn the_slider_crank_has_the_values_of_its_file() {
    let loaded = slider_crank(&Overrides::default());
    let pin = loaded.model.joints.iter().find(|joint| joint.name == "pin").unwrap();
    let clearance = pin.clearance.as_ref().unwrap();
    assert_eq!((clearance.bearing_radius, clearance.radial), (0.01, 1e-4));
    assert_eq!(clearance.onset_floor, 0.0);
    assert_eq!(
        clearance.normal.parts().unwrap().damping,
        Damping::LankaraniNikravesh { restitution: 0.9 }
    );
    let Elastic::Power { stiffness, exponent } = clearance.normal.parts().unwrap().elastic else {
        panic!()
    };
    // Zhang's Eq. 5 with E* = 207 GPa / 1.82 and R_B R_J/c = 0.99 m.
    let expected = 4.0 / 3.0 * 207e9 / 1.82 * 0.99_f64.sqrt();
    assert!((stiffness / expected - 1.0).abs() < 1e-12 && exponent == 1.5);
    let names: Vec<&str> = loaded.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["clearance", "speed", "stiffness", "restitution"]);
    assert_eq!(loaded.parameters[0].unit, "m");
    assert_eq!(loaded.parameters[2].unit, "N/m^1.5");
    let Until::Time(until) = loaded.run.until else { panic!() };
    assert!((until - 0.09).abs() < 1e-15);
    assert_eq!(loaded.run.outputs.len(), 4);
    assert_eq!(loaded.files.len(), 1);
}

#[test]
fn a_bare_number_is_si_and_a_unit_is_read() {
    let radial = |value: &str| {
        let loaded = slider_crank(&set("clearance", value));
        loaded.model.joints[3].clearance.as_ref().unwrap().radial
    };
    assert_eq!(radial("0.0002"), 2e-4);
    assert_eq!(radial("0.2 mm"), 2e-4);
    assert_eq!(radial("= 2 * 0.1 mm"), 2e-4);
}

#[test]
fn any_key_is_set_by_its_path() {
    let loaded = slider_crank(&Overrides {
        set: vec![
            ("joints.pin.friction.law".into(), "coulomb".into()),
            ("joints.pin.friction.mu".into(), "0.1".into()),
            ("bodies.rod.mass".into(), "0.5".into()),
            ("run.outputs".into(), "[\"rod.angle\"]".into()),
            ("joints.pin.clearance.diametral".into(), "0.4 mm".into()),
        ],
        ..Overrides::default()
    });
    let clearance = loaded.model.joints[3].clearance.as_ref().unwrap();
    assert_eq!(
        clearance.friction,
        Some(FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: 0.1, v0: 1e-4, v1: 1e-3 }))
    );
    assert_eq!(clearance.radial, 2e-4, "one alternative replaces the other");
    assert_eq!(loaded.model.bodies[2].mass, Some(0.5));
    assert_eq!(loaded.run.outputs.len(), 1);
}

#[test]
fn friction_off_removes_friction_and_nothing_else() {
    let law = "{ law = \"lugre\", mu_s = 0.2, mu_k = 0.1, v_s = \"1 mm/s\", sigma0 = \"1e5 1/m\" }";
    let with = |frictionless: &[Option<&str>]| {
        let frictionless = frictionless.iter().map(|joint| joint.map(Into::into)).collect();
        let set = vec![("joints.pin.friction".into(), law.into())];
        let loaded = slider_crank(&Overrides { set, frictionless, ..Overrides::default() });
        loaded.model.joints[3].clearance.clone().unwrap()
    };
    let rough = with(&[]);
    assert!(matches!(rough.friction, Some(FrictionLaw::LuGre { sigma0: 1e5, .. })));
    for off in [None, Some("pin")] {
        let smooth = with(&[off]);
        assert_eq!((smooth.friction, smooth.radial), (None, rough.radial));
    }
}

#[test]
fn ideal_removes_the_clearance_and_keeps_the_outputs() {
    let overrides = Overrides { ideal: vec!["pin".into()], ..Overrides::default() };
    let loaded = slider_crank(&overrides);
    assert!(loaded.model.joints.iter().all(|joint| joint.clearance.is_none()));
    assert_eq!(loaded.run.outputs[1].name, "pin.contact_force");
}

#[test]
fn one_file_serves_all_laws() {
    for law in [
        "hertz",
        "lankarani-nikravesh",
        "lankarani-nikravesh-qin-lu",
        "hunt-crossley",
        "flores",
        "gonthier",
        "bai-zhao",
        "elastic-foundation",
    ] {
        let one = Overrides { law: vec![(Some("pin".into()), law.into())], ..Overrides::default() };
        let all = Overrides { law: vec![(None, law.into())], ..Overrides::default() };
        let normal = |overrides| {
            slider_crank(overrides).model.joints[3].clearance.as_ref().unwrap().normal.clone()
        };
        assert_eq!(normal(&one), normal(&all), "{law}");
    }
}

#[test]
fn revolutions_of_a_driven_joint_become_a_time() {
    let until = |text: &str| read(text, &Overrides::default()).run.until;
    assert_eq!(until(CRANK), Until::Time(3.0));
    let with = |motion: &str| {
        let Until::Time(time) = until(&CRANK.replace("speed = \"60 rpm\"", motion)) else {
            panic!("the joint is driven")
        };
        time
    };
    // θ = 1 rad/s² t²/2 reaches 3 rev at √(2 · 3 · 2π).
    assert!((with("speed = \"= 1 rad/s^2 * t\"") - (6.0 * TAU).sqrt()).abs() < 1e-12);
    assert!((with("angle = \"= 1 rad/s^2 * t^2 / 2\"") - (6.0 * TAU).sqrt()).abs() < 1e-12);
    assert_eq!(with("speed = \"-60 rpm\""), 3.0, "either sense counts");
}

#[test]
fn a_free_joint_keeps_its_angle() {
    let text = CRANK.replace("[drivers.motor]\njoint = \"shaft\"\nspeed = \"60 rpm\"", "");
    let text =
        text.replace("\"3 rev\"", "{ shaft = \"3 rev\" }").replace("motor.torque", "crank.x");
    let text = text.replace("crank.x", "crank.angle");
    let Until::JointAngle { joint, angle } = read(&text, &Overrides::default()).run.until else {
        panic!("nothing drives the joint")
    };
    assert_eq!(joint.0, 0);
    assert!((angle - 3.0 * TAU).abs() < 1e-12);
}

#[test]
fn the_command_line_sets_the_length_of_the_run() {
    let overrides = |until: &str, from: &str| Overrides {
        until: Some(until.into()),
        measure_from: Some(from.into()),
        rtol: Some(1e-9),
        ..Overrides::default()
    };
    let run = read(CRANK, &overrides("20 rev", "shaft=19 rev")).run;
    assert_eq!((run.until, run.measure_from), (Until::Time(20.0), Until::Time(19.0)));
    assert_eq!(run.rtol, Some(1e-9));
    assert_eq!(read(CRANK, &overrides("0.5", "20 ms")).run.until, Until::Time(0.5));
}

#[test]
fn a_driver_starts_where_the_start_pose_says() {
    let text = format!("{CRANK}\n[start]\ncrank.angle = \"30 deg\"\n");
    let start =
        |text: &str| read(text, &Overrides::default()).model.drivers[0].motion.jet(0.0, 1e-9).value;
    assert!((start(&text) - TAU / 12.0).abs() < 1e-15);
    let given = text.replace("speed =", "start = \"-1 rad\"\nspeed =");
    assert_eq!(start(&given), -1.0);
}

#[test]
fn a_speed_of_t_is_integrated() {
    let speed = "speed = \"= 100 rpm + 20 rpm * sin(30 rad/s * t)\"";
    let loaded = read(&CRANK.replace("speed = \"60 rpm\"", speed), &Overrides::default());
    let rpm = TAU / 60.0;
    for t in [0.0_f64, 0.1, 0.77, 1.8] {
        let jet = loaded.model.drivers[0].motion.jet(t, t);
        let exact = 100.0 * rpm * t + 20.0 * rpm / 30.0 * (1.0 - (30.0 * t).cos());
        assert!((jet.value - exact).abs() < 1e-13 * exact.max(1.0), "{t}");
        assert!((jet.second - 600.0 * rpm * (30.0 * t).cos()).abs() < 1e-10);
    }
}

#[test]
fn a_file_extends_another() {
    let text = r#"
format = 1
use = "crank.toml"
[model]
gravity = "0, -9.81 m/s^2"
[parameters]
pull = { value = "10 N", about = "load" }
[bodies.crank]
mass = "2 kg"
[forces.load]
type = "force"
on = "crank.tip"
force = "=pull, = 2 N * sin(1 rad/s * t)"
axes = "body"
[run]
method = "rk4"
step = "1 us"
outputs.add = ["crank.tip.velocity.x"]
"#;
    let loaded = read(text, &set("pull", "3"));
    assert_eq!(loaded.model.bodies[1].mass, Some(2.0));
    assert_eq!(loaded.model.bodies[1].inertia, Some(inertia_about_z(1.0)));
    assert_eq!(loaded.model.gravity.y, -9.81);
    assert_eq!(loaded.run.method, Method::Rk4 { step: 1e-6, alpha: 5.0, beta: 5.0 });
    assert_eq!(loaded.run.outputs.len(), 2);
    assert_eq!(loaded.files.len(), 2);
    let ForceKind::Point { components: [x, y, _], .. } = &loaded.model.forces[0].kind else {
        panic!()
    };
    assert_eq!(x.jet(0.5, 0.5).value, 3.0);
    assert!((y.jet(0.5, 0.5).rate - 2.0 * 0.5_f64.cos()).abs() < 1e-15);
}

#[test]
fn a_sliding_direction_turns_both_frames() {
    let text = r#"
format = 1
[bodies.ground]
frames.rail = { at = "1 m, 2 m", turn = "30 deg" }
[bodies.cart]
mass = "1 kg"
[joints.guide]
type = "prismatic"
between = ["ground.rail", "cart"]
along = "-y"
[drivers.push]
joint = "guide"
speed = "2 m/s"
[run]
until = "1 s"
"#;
    let model = read(text, &Overrides::default()).model;
    assert_eq!(model.joints[0].kind, JointKind::Prismatic);
    let local = |id: gudgeon::model::MarkerId| model.markers[id.0].local;
    let (rail, cart) = (local(model.joints[0].a), local(model.joints[0].b));
    let deg = TAU / 360.0;
    assert!((rail.planar_angle() + 60.0 * deg).abs() < 1e-15);
    assert!((cart.planar_angle() + 90.0 * deg).abs() < 1e-15);
    assert_eq!((rail.p.x, rail.p.y), (1.0, 2.0));
}

#[test]
fn shapes_give_mass_centre_and_inertia() {
    let text = r#"
format = 1
[bodies.rod]
frames.a = "-1 m, 0"
frames.b = "1 m, 0"
shape = { box = "20 mm x 10 mm", from = "a", to = "b", material = "steel" }
[run]
until = "1 s"
"#;
    let model = read(text, &Overrides::default()).model;
    let (mass, inertia) = (model.bodies[1].mass.unwrap(), model.bodies[1].inertia.unwrap());
    assert!((mass - 7850.0 * 2.0 * 2e-4).abs() < 1e-12);
    assert!((inertia[(2, 2)] - mass * (4.0 + 4e-4) / 12.0).abs() < 1e-12);
}

#[test]
fn an_offset_is_kept_for_loose_joints_only() {
    let text = |ideal: &[&str]| {
        let overrides = Overrides {
            set: vec![("start.pin.offset".into(), "0.05 mm, 0".into())],
            ideal: ideal.iter().map(|joint| joint.to_string()).collect(),
            ..Overrides::default()
        };
        slider_crank(&overrides).model.joints[3].start_offset.x
    };
    assert!((text(&[]) - 5e-5).abs() < 1e-18);
    assert_eq!(text(&["pin"]), 0.0);
}

/// Things with outputs may be called like units and functions, and move as under any other name.
#[test]
fn units_and_functions_are_names_of_things_with_outputs() {
    let run = |[body, joint, driver, force]: [&str; 4]| {
        let text = format!(
            r#"
format = 1
[parameters]
arm = "1 ft"
[bodies.{body}]
mass = "2 lb"
inertia = "= 2 lb * (1 in)^2"
frames.end = "=arm, 0"
[bodies.rod]
mass = "1 lb"
inertia = "1 lb in^2"
[joints.{joint}]
type = "revolute"
between = ["ground", "{body}"]
[joints.pin]
type = "revolute"
between = ["{body}.end", "rod"]
[drivers.{driver}]
joint = "{joint}"
speed = "= 100 rpm * step(t, 0 s, 10 ms)"
[forces.{force}]
type = "torque"
on = "rod"
torque = "= 2 in lbf * min(t / 1 s, 1)"
[start]
{body}.angle = "10 deg"
[run]
until = "20 ms"
outputs = ["{body}.angle", "{driver}.torque", "{joint}.reaction", "rod.angle", "{body}.end.velocity.x"]
"#
        );
        let loaded = read(&text, &set(&format!("bodies.{body}.mass"), "3 lb"));
        let system = gudgeon::assembly::assemble(&loaded.model).unwrap();
        let report =
            gudgeon::simulate::simulate(&system, &loaded.run, &mut gudgeon::simulate::Silent);
        assert_eq!(report.status, gudgeon::results::Status::Done);
        report.final_values
    };
    let plain = run(["crank", "shaft", "motor", "load"]);
    assert!(plain.iter().any(|value| *value != 0.0));
    for names in [["bar", "in", "min", "step"], ["m", "h", "table", "rev"], ["sin", "hp", "N", "s"]]
    {
        assert_eq!(run(names), plain, "{names:?}");
    }
}
