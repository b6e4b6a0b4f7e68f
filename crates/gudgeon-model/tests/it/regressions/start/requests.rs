//! A crank requested at 80° and assembled elsewhere, a body requested 80 m away and moved: both
//! without notice. Now `[start]` is compared with what was assembled: differences above 1e-6 are
//! listed, above 1 % warned of (W0315), and velocities of which nothing remains are refused.

use super::*;
use gudgeon::assembly::{AssemblyError, Quantity, Requested};
use gudgeon::simulate::of_start;

fn departures(model: &str, set: &[(&str, &str)]) -> Vec<Requested> {
    start(&shipped(model, set)).departures()
}

#[test]
fn an_exact_start_has_no_departures() {
    for name in ["slider_crank", "bai_slider_crank", "n_four_bar", "pendulum", "ball_joint"] {
        assert_eq!(departures(name, &[]), [], "{name}");
    }
    // Full turns are counted, but make no difference; a component that was not given is free.
    assert_eq!(departures("slider_crank", &[("start.rod.angle", "360 deg")]), []);
    assert_eq!(departures("pendulum", &[("start.rod.angular_velocity", "2 rad/s")]), []);
}

#[test]
fn a_pose_that_was_moved_is_reported_with_both_values() {
    let begun = start(&shipped("bai_four_bar", &[("start.crank.angle", "80 deg")]));
    let found = begun.departures();
    let crank = found.iter().find(|request| request.owner == "crank").unwrap();
    assert_eq!(crank.quantity, Quantity::Orientation);
    near(crank.requested[0], 80f64.to_radians(), 1e-14, "requested");
    near(crank.assembled[0], 90f64.to_radians(), 1e-12, "assembled");
    near(crank.difference, 10f64.to_radians(), 1e-12, "difference");
    let warnings = of_start(&begun);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!((warnings[0].code, warnings[0].joint.as_str()), ("W0315", "crank"));
    assert!(warnings[0].message.contains("angle 80 deg requested, 90 deg assembled"));
    let far = departures("slider_crank", &[("start.slider.x", "80 m")]);
    assert_eq!(far.len(), 1);
    assert_eq!((far[0].requested.len(), far[0].requested[0]), (1, 80.0));
    near(far[0].assembled[0], 0.17, 1e-12, "assembled");
}

#[test]
fn small_differences_are_listed_and_not_warned_of() {
    let begun = start(&shipped("slider_crank", &[("start.slider.x", "170.001 mm")]));
    assert_eq!(begun.departures().len(), 1);
    assert_eq!(of_start(&begun).len(), 0);
    let begun = start(&shipped("slider_crank", &[("start.slider.x", "170.00000001 mm")]));
    assert_eq!(begun.departures().len(), 0);
}

#[test]
fn velocities_are_compared_with_themselves() {
    // Slow beside the crank, but nothing of its second component remains.
    let velocity = ("start.slider.velocity", "[\"0.01 m/s\", \"0.01 m/s\"]");
    let begun = start(&shipped("slider_crank", &[velocity]));
    let found = begun.departures();
    assert_eq!((found.len(), found[0].quantity), (1, Quantity::Velocity));
    near(found[0].difference, 0.5f64.sqrt(), 1e-9, "difference");
    assert_eq!(of_start(&begun).len(), 1);
    begun.check_requests().unwrap();
}

#[test]
fn a_start_of_which_nothing_remains_is_refused() {
    let across = ("start.slider.velocity", "[0, \"0.5 m/s\"]");
    let begun = start(&shipped("slider_crank", &[across]));
    let error = begun.check_requests().unwrap_err();
    assert!(matches!(&error, AssemblyError::Lost { body, .. } if body == "slider"), "{error}");
    assert!(error.to_string().contains("0, 0.5 m/s requested, 0, 0 m/s assembled"), "{error}");
    // Something of another request remains.
    let crank = ("start.crank.angular_velocity", "100 rad/s");
    start(&shipped("slider_crank", &[across, crank])).check_requests().unwrap();
    // Rest is no motion to be lost.
    let rest = ("start.crank.angular_velocity", "0 rad/s");
    start(&shipped("slider_crank", &[rest])).check_requests().unwrap();
}

#[test]
fn a_position_inside_a_clearance_is_that_of_the_offset() {
    let text = r#"
[bodies.journal]
mass = "2 kg"
inertia = "1e-4 kg m^2"
[joints.pin]
type = "revolute"
between = ["ground", "journal"]
clearance = { bearing_radius = "10 mm", radial = "0.5 mm", contact = { law = "hertz", stiffness = "1e9 N/m^1.5" } }
[start]
journal.at = "0.2 mm, 0"
"#;
    let begun = start(&read(text, 1.0, "auto").model);
    let found = begun.departures();
    assert_eq!((found.len(), found[0].quantity), (1, Quantity::Position));
    near(found[0].difference, 0.02, 1e-12, "0.2 mm of a bearing of 10 mm");
    let text = format!("{text}pin.offset = \"0.2 mm, 0\"\n");
    assert_eq!(start(&read(&text, 1.0, "auto").model).departures(), []);
}

/// A free body whose translation alone was requested got the spin that an ideal pin would derive from it:
/// −32 rad/s, or −1600 rad/s with a lever of a millimetre. The clearance asks for none.
#[test]
fn a_requested_translation_brings_no_spin_of_its_own() {
    for lever in ["50 mm", "1 mm", "-7 mm"] {
        let text = format!(
            r#"
[bodies.a]
mass = "2 kg"
inertia = "1e-2 kg m^2"
frames.h = "{lever}, 0"
[bodies.b]
mass = "1 kg"
inertia = "1e-3 kg m^2"
frames.j = "-30 mm, 0"
[joints.pin]
type = "revolute"
between = ["a.h", "b.j"]
clearance = {{ bearing_radius = "10 mm", radial = "1 mm", contact = {{ law = "hertz", stiffness = "1e8 N/m^1.5" }} }}
[start]
a.velocity = "1 m/s, 0"
b.velocity = "0, -1 m/s"
b.angular_velocity = "20 rad/s"
"#
        );
        let begun = start(&read(&text, 1e-3, "auto").model);
        near(at_start(&begun, "a.angular_velocity"), 0.0, 1e-9, "spin");
        near(at_start(&begun, "a.velocity.x"), 1.0, 1e-12, "velocity of a");
        near(at_start(&begun, "b.velocity.y"), -1.0, 1e-12, "velocity of b");
        near(at_start(&begun, "b.angular_velocity"), 20.0, 1e-9, "spin of b");
    }
}
