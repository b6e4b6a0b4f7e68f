//! A journal whose two sides are both driven is an ordinary test rig, but was refused unless both
//! speeds were 0 at the start and both centres in one place: the drivers contradict each other in the
//! ideal mechanism (G1202, with an innocent joint as culprit) though not in the real one. Now the
//! clearance takes up what the drivers leave, at the level of positions and of velocities.

use super::*;
use gudgeon::assembly::AssemblyError;

/// Hertz' law with K = 1e9 N/m^1.5.
const CONTACT: &str = r#"contact = { law = "hertz", stiffness = "1e9 N/m^1.5" }"#;

/// A bearing on a slide along x, a shaft on a carriage that moves along x too.
fn rig(bearing: &str, carriage: &str) -> String {
    format!(
        r#"
[bodies.bearing]
mass = "1 kg"
inertia = "1e-3 kg m^2"
[bodies.carriage]
mass = "1 kg"
inertia = "1e-3 kg m^2"
[bodies.shaft]
mass = "2 kg"
inertia = "1e-3 kg m^2"
[joints.slide]
type = "prismatic"
between = ["ground", "bearing"]
[joints.feed]
type = "prismatic"
between = ["ground", "carriage"]
[joints.spindle]
type = "revolute"
between = ["carriage", "shaft"]
[joints.pin]
type = "revolute"
between = ["bearing", "shaft"]
clearance = {{ bearing_radius = "10 mm", radial = "0.1 mm", {CONTACT} }}
[drivers.move_bearing]
joint = "slide"
displacement = "{bearing}"
[drivers.move_shaft]
joint = "feed"
displacement = "{carriage}"
[drivers.motor]
joint = "spindle"
speed = "100 rad/s"
"#
    )
}

fn measured(text: &str, until: f64, method: &str, names: &[&str]) -> (RunReport, Vec<f64>) {
    let mut loaded = read(text, until, method);
    let outputs = names.iter().map(|name| resolve(&loaded.model, name).unwrap());
    loaded.run.outputs = outputs.collect();
    let report = run(&loaded);
    let values = report.final_values.clone();
    (report, values)
}

#[test]
fn a_rig_moves_its_journal_through_the_clearance_into_the_wall() {
    let names = ["pin.eccentricity", "pin.contact_force", "move_bearing.force", "shaft.velocity.x"];
    for method in ["dop853", "radau5"] {
        for (x, sign) in [("0.02", 1.0), ("-0.02", -1.0)] {
            let text = rig(
                &format!("= {x} mm + {} m/s*t", 0.1 * sign),
                &format!("= {} m/s*t", -0.05 * sign),
            );
            // Apart by 0.02 mm + 0.15 m/s t.
            let (_, free) = measured(&text, 4e-4, method, &names);
            near(free[0], 2e-5 + 0.15 * 4e-4, 1e-14, "eccentricity");
            near(free[1], 0.0, 0.0, "force");
            near(free[3], -0.05 * sign, 1e-14, "shaft");
            let (report, pressed) = measured(&text, 1e-3, method, &names);
            let depth: f64 = 2e-5 + 0.15 * 1e-3 - 1e-4;
            let force = 1e9 * depth.powf(1.5);
            near(pressed[0], 1.7e-4, 1e-14, "eccentricity");
            near(pressed[1], force, 1e-9 * force, "Hertz");
            near(pressed[2], sign * force, 1e-9 * force, "drivers press");
            near(report.impacts[0].t, 8e-5 / 0.15, 1e-12, "touch");
            // Both drivers' work is in the contact: K δ^2.5 / 2.5.
            near(report.energy.residual, 0.0, 1e-9 * report.energy.peak_kinetic, "energy");
        }
    }
}

#[test]
fn mobility_is_that_of_the_real_mechanism() {
    let report = start(&read(&rig("= 0.1 m/s*t", "0 mm"), 1.0, "auto").model).report;
    assert_eq!((report.mobility, report.redundant.len()), (0, 0));
    assert!(!report.ideal_starts);
    // At rest and centred the ideal mechanism could start so.
    let report = start(&read(&rig("0 mm", "0 mm"), 1.0, "auto").model).report;
    assert_eq!(report.mobility, 0);
    assert!(report.ideal_starts);
}

#[test]
fn what_a_clearance_cannot_take_up_is_refused_with_value_and_limit() {
    let error = assemble(&read(&rig("0.13 mm", "0 mm"), 1.0, "auto").model).unwrap_err();
    let AssemblyError::CannotClose { gaps, .. } = &error else { panic!("{error}") };
    assert_eq!(gaps[0].owner, "pin", "{error}");
    near(gaps[0].value.abs(), 1.3e-4, 1e-12, "gap");
    assert_eq!(gaps[0].limit, Some(1e-4));
    assert!(error.to_string().contains("0.1300 mm, its clearance takes up 0.1000 mm"), "{error}");
    // Just inside.
    start(&read(&rig("0.0999 mm", "0 mm"), 1.0, "auto").model);
}

#[test]
fn a_large_mechanism_with_a_rig_starts_and_is_refused_alike() {
    let text = |x: &str| format!("{}{}", free_bodies(), rig(x, "= -0.05 m/s*t"));
    let begun = start(&read(&text("= 0.02 mm + 0.1 m/s*t"), 1.0, "auto").model);
    assert!(begun.v.len() > gudgeon::assembly::LARGE);
    near(at_start(&begun, "pin.eccentricity"), 2e-5, 1e-15, "eccentricity");
    near(at_start(&begun, "bearing.velocity.x"), 0.1, 1e-14, "bearing");
    near(at_start(&begun, "shaft.velocity.x"), -0.05, 1e-14, "shaft");
    assert_eq!((begun.report.mobility, begun.report.ideal_starts), (210, false));
    let error = assemble(&read(&text("0.13 mm"), 1.0, "auto").model).unwrap_err();
    let AssemblyError::CannotClose { gaps, .. } = &error else { panic!("{error}") };
    assert_eq!((gaps[0].owner.as_str(), gaps[0].limit), ("pin", Some(1e-4)));
    near(gaps[0].value, 1.3e-4, 1e-12, "gap");
}

#[test]
fn drivers_that_contradict_each_other_are_both_named() {
    let mut model = read(&rig("= 0.1 m/s*t", "0 mm"), 1.0, "auto").model;
    model.joints[3].clearance = None;
    let error = assemble(&model).unwrap_err();
    let AssemblyError::Contradiction { gaps, .. } = &error else { panic!("{error}") };
    let mut owners: Vec<&str> = gaps.iter().map(|gap| gap.owner.as_str()).collect();
    owners.sort_unstable();
    assert_eq!(owners, ["move_bearing", "move_shaft"]);
    gaps.iter().for_each(|gap| near(gap.value, 0.1, 1e-9, &gap.owner));
}

#[test]
fn a_rig_in_space_starts_off_centre_and_moving() {
    let text = format!(
        r#"
[model]
space = "spatial"
gravity = "0, 0, 0"
[bodies.bearing]
mass = "1 kg"
inertia = "1e-3 kg m^2, 1e-3 kg m^2, 1e-3 kg m^2"
[bodies.shaft]
mass = "2 kg"
inertia = "1e-3 kg m^2, 1e-3 kg m^2, 1e-3 kg m^2"
[joints.slide]
type = "prismatic"
between = ["ground", "bearing"]
along = "x"
[joints.spindle]
type = "revolute"
between = ["ground", "shaft"]
axis = "z"
[joints.pin]
type = "revolute"
axis = "z"
between = ["bearing", "shaft"]
clearance = {{ bearing_radius = "10 mm", radial = "0.1 mm", length = "20 mm", {CONTACT} }}
[drivers.move_bearing]
joint = "slide"
displacement = "= 0.04 mm - 0.1 m/s*t"
[drivers.motor]
joint = "spindle"
speed = "100 rad/s"
"#
    );
    let names = [
        "pin.V.eccentricity",
        "pin.W.eccentricity",
        "bearing.velocity.x",
        "shaft.angular_velocity.z",
    ];
    for method in ["dop853", "radau5"] {
        let (_, found) = measured(&text, 1e-3, method, &names);
        for (found, expected) in found.iter().zip([6e-5, 6e-5, -0.1, 100.0]) {
            near(*found, expected, 1e-9 * expected.abs(), method);
        }
    }
}

/// A rod of 200 mm between two pins that drivers keep 200.3 mm apart.
fn rod(left: &str, right: &str) -> String {
    format!(
        r#"
[bodies.rod]
frames.left = "-100 mm, 0"
frames.right = "100 mm, 0"
mass = "1 kg"
inertia = "1e-3 kg m^2"
[bodies.block]
mass = "1 kg"
inertia = "1e-3 kg m^2"
[joints.slide]
type = "prismatic"
between = ["ground", "block"]
[joints.left]
type = "revolute"
between = ["ground", "rod.left"]
clearance = {{ bearing_radius = "10 mm", radial = "{left}", {CONTACT} }}
[joints.right]
type = "revolute"
between = ["block", "rod.right"]
clearance = {{ bearing_radius = "10 mm", radial = "{right}", {CONTACT} }}
[drivers.pull]
joint = "slide"
displacement = "= 200.3 mm + 0.2 m/s*t"
"#
    )
}

#[test]
fn clearances_share_a_gap_in_proportion() {
    let begun = start(&read(&rod("0.1 mm", "0.4 mm"), 1.0, "auto").model);
    near(at_start(&begun, "left.eccentricity"), 0.06e-3, 1e-9, "left");
    near(at_start(&begun, "right.eccentricity"), 0.24e-3, 1e-9, "right");
    near(at_start(&begun, "block.velocity.x"), 0.2, 1e-14, "block");
    // An offset of a bearing counts once, also where its own joint is driven.
    assert_eq!(begun.report.mobility, 3);
}

#[test]
fn clearances_share_a_gap_in_large_mechanisms_where_one_alone_is_too_small() {
    // The rough pose puts all of it into one clearance, and such a start was refused.
    let text = format!("{}{}", free_bodies(), rod("0.1 mm", "0.25 mm"));
    let begun = start(&read(&text, 1.0, "auto").model);
    assert!(begun.v.len() > gudgeon::assembly::LARGE);
    near(at_start(&begun, "left.eccentricity"), 0.3e-3 * 0.1 / 0.35, 1e-9, "left");
    near(at_start(&begun, "right.eccentricity"), 0.3e-3 * 0.25 / 0.35, 1e-9, "right");
    let text = format!("{}{}", free_bodies(), rod("0.1 mm", "0.15 mm"));
    let error = assemble(&read(&text, 1.0, "auto").model).unwrap_err();
    let AssemblyError::CannotClose { gaps, .. } = &error else { panic!("{error}") };
    assert_eq!((gaps[0].owner.as_str(), gaps[0].limit), ("left", Some(1e-4)));
    near(gaps[0].value, 3e-4, 1e-12, "gap");
}

/// Seventy bodies beside others: above the size at which assembly works with sparse factors.
fn free_bodies() -> String {
    let body = |i| format!("[bodies.free{i}]\nmass = \"1 kg\"\ninertia = \"1 kg m^2\"\n");
    (0..70).map(body).collect()
}

#[test]
fn the_driver_of_a_guide_measures_from_the_guide() {
    // The twin of the assembly measured from the start offset, so the driver was off by it.
    let text = format!(
        r#"
[bodies.slider]
mass = "1 kg"
inertia = "1e-3 kg m^2"
[joints.guide]
type = "prismatic"
between = ["ground", "slider"]
clearance = {{ gap = "0.1 mm", length = "40 mm", width = "20 mm", {CONTACT} }}
[drivers.feed]
joint = "guide"
displacement = "= 5 mm + 1 m/s*t"
[start]
guide.offset = "3 mm, 0.05 mm"
"#
    );
    let begun = start(&read(&text, 1.0, "auto").model);
    near(at_start(&begun, "slider.position.x"), 5e-3, 1e-15, "x");
    near(at_start(&begun, "slider.position.y"), 5e-5, 1e-15, "y");
}
