//! A start velocity inside a clearance was dropped: the mechanism was assembled with ideal joints
//! and moved as they let it, so a journal with `velocity = "1 m/s, 0"` ran at rest, without a word.
//! Now a requested velocity is that of the start wherever ideal joints and drivers allow it, and
//! bodies of which nothing was requested move as the ideal mechanism does.
//!
//! Free flight at the requested velocity has closed forms for the first impact, which every form of
//! clearance is held to, in time (to 1e-9 of it, the tolerance of the runs) and speed.

use super::*;

/// Steel on steel at restitution 0.9.
const CONTACT: &str =
    r#"contact = { law = "lankarani-nikravesh", material = "steel", restitution = 0.9 }"#;

/// Root of a rising function in (0, b).
fn root(b: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, b);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Runs to `end` explicitly and implicitly; the first impact is at `t`.
fn hits(text: &str, t: f64, speed: f64, spot: &str) {
    for method in ["dop853", "radau5"] {
        let loaded = read(text, 1.05 * t, method);
        let report = run(&loaded);
        let first = report.impacts.first().unwrap_or_else(|| panic!("{method}: no impact"));
        near(first.t, t, 1e-8 * t, &format!("{method}: time of the impact at {spot}"));
        near(first.speed_in, speed, 1e-7 * speed, &format!("{method}: speed at {spot}"));
        let contact = report.contacts.iter().find(|contact| contact.impacts > 0).unwrap();
        assert_eq!(contact.name, spot);
        assert!(report.energy.residual.abs() < 1e-7 * report.energy.peak_kinetic);
    }
}

fn pin(start: &str) -> String {
    format!(
        r#"
[model]
gravity = "0, 0"
[bodies.journal]
mass = "2 kg"
inertia = "1e-4 kg m^2"
[joints.pin]
type = "revolute"
between = ["ground", "journal"]
clearance = {{ bearing_radius = "10 mm", radial = "0.1 mm", {CONTACT} }}
[start]
{start}
"#
    )
}

#[test]
fn a_pin_flies_at_the_requested_velocity() {
    for sign in [1.0, -1.0] {
        let v = format!("journal.velocity = \"{} m/s, 0\"\n", 0.5 * sign);
        hits(&pin(&v), 1e-4 / 0.5, 0.5, "pin");
        let offset = format!("{v}pin.offset = \"{} mm, 0\"\n", -0.06 * sign);
        hits(&pin(&offset), 1.6e-4 / 0.5, 0.5, "pin");
    }
    // Along a chord: |e + v t| = c.
    let text = pin("journal.velocity = \"0.3 m/s, 0.4 m/s\"\npin.offset = \"0.02 mm, 0\"\n");
    let t = root(1e-3, |t| (2e-5 + 0.3 * t).hypot(0.4 * t) - 1e-4);
    let normal = [(2e-5 + 0.3 * t) / 1e-4, 0.4 * t / 1e-4];
    hits(&text, t, 0.3 * normal[0] + 0.4 * normal[1], "pin");
}

#[test]
fn a_request_of_rest_is_rest() {
    let model = read(&pin("journal.velocity = \"0, 0\"\n"), 1.0, "auto").model;
    assert!(start(&model).v.iter().all(|v| *v == 0.0));
}

fn in_space(joint: &str, start: &str) -> String {
    format!(
        r#"
[model]
space = "spatial"
gravity = "0, 0, 0"
[bodies.journal]
mass = "2 kg"
inertia = "1e-3 kg m^2, 1e-3 kg m^2, 2e-4 kg m^2"
[joints.pin]
between = ["ground", "journal"]
{joint}
[start]
{start}
"#
    )
}

#[test]
fn a_journal_in_space_flies_and_tilts() {
    let joint = format!(
        "type = \"revolute\"\nclearance = {{ bearing_radius = \"10 mm\", radial = \"0.1 mm\", length = \"40 mm\", {CONTACT} }}"
    );
    // Base V is 20 mm along z: x = v t + 20 mm sin ωt.
    let text = in_space(
        &joint,
        "journal = { velocity = \"0.1 m/s, 0, 0\", angular_velocity = \"0, 3 rad/s, 0\" }\n",
    );
    let (v, w, half) = (0.1, 3.0, 0.02);
    let t = root(1e-2, |t| v * t + half * (w * t).sin() - 1e-4);
    hits(&text, t, v + half * w * (w * t).cos(), "pin.V");
    // The other way round the other base is the first.
    let text = in_space(
        &joint,
        "journal = { velocity = \"0.1 m/s, 0, 0\", angular_velocity = \"0, -3 rad/s, 0\" }\n",
    );
    hits(&text, t, v + half * w * (w * t).cos(), "pin.W");
}

#[test]
fn a_flange_is_reached_along_the_axis() {
    let joint = format!(
        "type = \"revolute\"\nclearance = {{ bearing_radius = \"10 mm\", radial = \"0.1 mm\", length = \"40 mm\", axial_clearance = \"0.3 mm\", flange_radius = \"12 mm\", {CONTACT} }}"
    );
    let text = in_space(&joint, "journal.velocity = \"0, 0, 0.2 m/s\"\n");
    hits(&text, 3e-4 / 0.2, 0.2, "pin.upper_flange");
}

#[test]
fn a_ball_flies_in_its_socket() {
    let joint = format!(
        "type = \"spherical\"\nclearance = {{ bearing_radius = \"10 mm\", radial = \"0.1 mm\", {CONTACT} }}"
    );
    let text = in_space(&joint, "journal.velocity = \"0.1 m/s, -0.2 m/s, 0.2 m/s\"\n");
    hits(&text, 1e-4 / 0.3, 0.3, "pin");
}

#[test]
fn a_slider_flies_and_turns_in_its_guide() {
    let text = r#"
[model]
gravity = "0, 0"
[bodies.slider]
mass = "1 kg"
inertia = "1e-3 kg m^2"
[joints.guide]
type = "prismatic"
between = ["ground", "slider"]
clearance = { gap = "0.1 mm", length = "40 mm", width = "20 mm", contact = { law = "lankarani-nikravesh", stiffness = "1e9 N/m^1.5", restitution = 0.9 } }
[start]
slider = { velocity = "1 m/s, 0.05 m/s", angular_velocity = "4 rad/s" }
"#;
    // The corner ahead and above: y + 20 mm sin φ + 10 mm cos φ = 10 mm + gap.
    let (v, w) = (0.05, 4.0);
    let t = root(1e-2, |t| v * t + 0.02 * (w * t).sin() + 0.01 * (w * t).cos() - 0.0101);
    let speed = v + w * (0.02 * (w * t).cos() - 0.01 * (w * t).sin());
    hits(text, t, speed, "guide.front_upper");
}

#[test]
fn both_sides_move_as_requested_and_momentum_stays() {
    let text = format!(
        r#"
[model]
gravity = "0, 0"
[bodies.bearing]
mass = "3 kg"
inertia = "1e-3 kg m^2"
[bodies.journal]
mass = "2 kg"
inertia = "1e-4 kg m^2"
[joints.pin]
type = "revolute"
between = ["bearing", "journal"]
clearance = {{ bearing_radius = "10 mm", radial = "0.1 mm", {CONTACT} }}
[start]
bearing = {{ velocity = "0.2 m/s, 0", angular_velocity = "3 rad/s" }}
journal = {{ velocity = "-0.3 m/s, 0.1 m/s", angular_velocity = "-5 rad/s" }}
"#
    );
    let mut loaded = read(&text, 2e-3, "dop853");
    let names = ["bearing.velocity.x", "bearing.velocity.y", "journal.velocity.x"];
    let names = names.into_iter().chain(["journal.velocity.y"]);
    loaded.run.outputs = names.map(|name| resolve(&loaded.model, name).unwrap()).collect();
    let begun = start(&loaded.model);
    for request in begun.requests() {
        near(request.difference, 0.0, 0.0, &request.owner);
    }
    let report = run(&loaded);
    assert!(report.impacts.len() > 1, "{}", report.impacts.len());
    let v = &report.final_values;
    near(3.0 * v[0] + 2.0 * v[2], 0.6 - 0.6, 1e-9, "momentum along x");
    near(3.0 * v[1] + 2.0 * v[3], 0.2, 1e-9, "momentum along y");
    // The first impact is where the relative flight meets the circle: |v| t = c.
    near(report.impacts[0].t, 1e-4 / 0.5f64.hypot(0.1), 1e-10, "impact");
}

/// Velocities of some bodies.
fn moving(start: &Assembly, bodies: &[&str]) -> Vec<f64> {
    let of = |body: &&str| {
        ["velocity.x", "velocity.y", "angular_velocity"]
            .map(|what| at_start(start, &format!("{body}.{what}")))
    };
    bodies.iter().flat_map(of).collect()
}

fn same(found: &[f64], expected: &[f64]) {
    let size = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for (found, expected) in found.iter().zip(expected) {
        near(*found, *expected, 1e-12 * size, "velocity");
    }
}

#[test]
fn bodies_without_a_request_move_as_the_ideal_mechanism() {
    // Driven: crank and rod stay on their motion, the slider departs.
    let driver = ("drivers.motor.start", "40 deg");
    let ideal = start(&shipped("slider_crank", &[driver]));
    let asked = shipped("slider_crank", &[driver, ("start.slider.velocity", "[\"-3 m/s\", 0]")]);
    let departed = start(&asked);
    same(&moving(&departed, &["crank", "rod"]), &moving(&ideal, &["crank", "rod"]));
    near(at_start(&departed, "slider.velocity.x"), -3.0, 1e-14, "slider");
    assert!((at_start(&ideal, "slider.velocity.x") + 3.0).abs() > 1.0);
}

#[test]
fn a_request_that_the_ideal_mechanism_can_meet_moves_all_of_it() {
    // Not driven: the crank alone takes rod and slider along, across the clearance.
    let mut free = shipped("slider_crank", &[("start.crank.angular_velocity", "30 rad/s")]);
    let motor = free.drivers.remove(0);
    let begun = start(&free);
    free.drivers.push(gudgeon::model::Driver {
        motion: gudgeon::time::TimeFunction::Linear { start: 0.0, rate: 30.0 },
        ..motor
    });
    let driven = start(&free);
    same(
        &moving(&begun, &["crank", "rod", "slider"]),
        &moving(&driven, &["crank", "rod", "slider"]),
    );
    // With the slider held back, the rod still goes with the crank it is tied to.
    free.drivers.clear();
    free.bodies.iter_mut().find(|body| body.name == "slider").unwrap().start.velocity =
        Some(nalgebra::Vector3::zeros());
    let held = start(&free);
    same(&moving(&held, &["crank", "rod"]), &moving(&driven, &["crank", "rod"]));
    near(at_start(&held, "slider.velocity.x"), 0.0, 1e-12, "slider");
}

#[test]
fn films_and_several_clearances_forbid_nothing() {
    for (name, key, velocity) in [
        ("lubricated_slider_crank", "slider.velocity", "[\"0.2 m/s\", 0]"),
        ("squeeze_film", "shaft.velocity", "[\"0.01 m/s\", \"-0.02 m/s\"]"),
        ("four_bar_two_clearances", "coupler.velocity", "[\"1 m/s\", \"2 m/s\"]"),
        ("tilted_four_bar", "rocker.angular_velocity", "[0, 0, \"7 rad/s\"]"),
    ] {
        let begun = start(&shipped(name, &[(&format!("start.{key}"), velocity)]));
        let requests = begun.requests();
        let velocity = requests.iter().find(|request| request.quantity.is_velocity()).unwrap();
        for (found, expected) in velocity.assembled.iter().zip(&velocity.requested) {
            near(*found, *expected, 1e-12, name);
        }
    }
}

#[test]
fn what_ideal_joints_forbid_is_projected_and_nothing_else_moves() {
    // The coupler hangs on the driven crank by an ideal pin, so its origin moves as that does.
    let ideal = start(&shipped("tilted_four_bar", &[]));
    let velocity = ("start.coupler.velocity", "[\"0.1 m/s\", \"0.2 m/s\", 0]");
    let asked = start(&shipped("tilted_four_bar", &[velocity]));
    same(&asked.v, &ideal.v);
}

/// A hanging chain of links of 0.1 m, pin number `loose` with clearance.
fn chain(links: usize, loose: usize, start: &str) -> Model {
    let mut text = "[model]\ngravity = \"0, -9.81 m/s^2\"\n".to_owned();
    for i in 1..=links {
        text += &format!(
            "[bodies.link{i}]\nframes.top = \"0, 0\"\nframes.bottom = \"0, -0.1 m\"\nshape = {{ cylinder = \"10 mm\", from = \"top\", to = \"bottom\", material = \"steel\" }}\n"
        );
    }
    for i in 1..=links {
        let above = if i == 1 { "ground".to_owned() } else { format!("link{}.bottom", i - 1) };
        text += &format!(
            "[joints.pin{i}]\ntype = \"revolute\"\nbetween = [\"{above}\", \"link{i}.top\"]\n"
        );
        if i == loose {
            text += &format!(
                "clearance = {{ bearing_radius = \"5 mm\", radial = \"0.1 mm\", {CONTACT} }}\n"
            );
        }
    }
    read(&format!("{text}[start]\n{start}"), 1.0, "auto").model
}

#[test]
fn a_long_chain_starts_as_a_short_one_does() {
    // 80 links are above the size at which assembly works with sparse factors, 60 are below; the
    // links beyond the first ones feel nothing of the length.
    let request = "link30 = { velocity = \"0.1 m/s, 0.2 m/s\", angular_velocity = \"1 rad/s\" }\n";
    for loose in [30, 0] {
        let request = if loose == 0 { "link30.velocity = \"0.1 m/s, 0\"\n" } else { request };
        let bodies = ["link29", "link30", "link31"];
        let short = moving(&start(&chain(60, loose, request)), &bodies);
        let long = moving(&start(&chain(80, loose, request)), &bodies);
        for (short, long) in short.iter().zip(&long) {
            near(*long, *short, 1e-9, "velocity");
        }
        near(long[3], 0.1, 1e-12, "request");
    }
}

#[test]
fn a_bearing_analysis_looks_at_journals_at_rest() {
    // A requested velocity would squeeze the film, whose rest is looked for.
    let bearings = |set: &[(&str, &str)]| {
        let report = gudgeon::bearing::analyse(
            &shipped("journal_bearing", set),
            gudgeon::run::Limits::default(),
            &gudgeon::progress::Unwatched,
        )
        .unwrap();
        report.bearings.iter().map(|bearing| bearing.rest.force.f).collect::<Vec<_>>()
    };
    let moving = ("start.journal.velocity", "[\"1 mm/s\", \"-2 mm/s\"]");
    assert_eq!(bearings(&[moving]), bearings(&[]));
}
