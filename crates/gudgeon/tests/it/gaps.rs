//! Mechanisms that cannot close: gaps against closed forms, and the joints that are named.
//!
//! Messages give four decimals of a millimetre or degree, so gaps are compared to half of the last one.

use std::f64::consts::PI;
use std::time::Instant;

use crate::common::spatial::*;
use crate::common::*;
use gudgeon::assembly::{AssemblyError, Gap, LARGE, assemble};
use gudgeon::model::*;
use gudgeon::time::TimeFunction;

/// Half of the last digit that is printed, m and rad.
const PRINTED: f64 = 5e-8;

/// A search may take a second or two; tests run side by side on machines that are slower.
const PATIENCE: f64 = 20.0;

/// Lengths of n bars, one of which is too long for the others to meet by `missing`.
fn unequal(n: usize, long: usize, missing: f64, seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    let mut lengths: Vec<f64> = (0..n).map(|_| random.between(0.2, 1.0)).collect();
    lengths[long] = lengths.iter().sum::<f64>() - lengths[long] + missing;
    lengths
}

/// How the bars of a loop are joined.
#[derive(Clone, Copy)]
enum Ends {
    Pins,
    Balls,
}

/// Adds a loop of bars that begins at height y, the first bar in the ground, the others in a rough
/// circle. Its joints are called NAME0, NAME1, …
fn add_loop(model: &mut Model, name: &str, y: f64, lengths: &[f64], ends: Ends) {
    let mut random = Random(7);
    let (first, left) = (model.bodies.len(), model.markers.len());
    model.markers.extend([marker("left", 0, 0.0, y), marker("right", 0, lengths[0], y)]);
    let (mut place, mut last) = ([0.0, y], left);
    for (i, &length) in lengths.iter().enumerate().skip(1) {
        let angle = PI * (1.0 - 2.0 * i as f64 / lengths.len() as f64) + random.between(-0.5, 0.5);
        let lifted = random.between(-0.3, 0.3);
        model.bodies.push(match ends {
            Ends::Pins => {
                let start = start_at(place[0], place[1], angle);
                body(&format!("{name}_bar{i}"), 1.0, Some(1.0), 0.5 * length, start)
            }
            Ends::Balls => Body {
                start: start_in_space([place[0], place[1], lifted], [0.0, lifted, angle]),
                ..solid(
                    &format!("{name}_bar{i}"),
                    1.0,
                    [0.1; 3],
                    [0.0; 3],
                    [0.5 * length, 0.0, 0.0],
                )
            },
        });
        place = [place[0] + length * angle.cos(), place[1] + length * angle.sin()];
        let near = model.markers.len();
        let (bar, joint_name) = (first + i - 1, format!("{name}{}", i - 1));
        model.markers.extend([marker("near", bar, 0.0, 0.0), marker("far", bar, length, 0.0)]);
        model.joints.push(joint(&joint_name, ends.kind(), last, near));
        last = near + 1;
    }
    let joint_name = format!("{name}{}", lengths.len() - 1);
    model.joints.push(joint(&joint_name, ends.kind(), last, left + 1));
}

impl Ends {
    fn kind(self) -> JointKind {
        match self {
            Self::Pins => JointKind::Revolute,
            Self::Balls => JointKind::Spherical,
        }
    }

    fn space(self) -> Model {
        match self {
            Self::Pins => empty("loop"),
            Self::Balls => empty_space("loop"),
        }
    }
}

/// Hangs a chain on a body: closed wherever the loops are.
fn add_chain(model: &mut Model, on: usize, links: usize, ends: Ends) {
    let mut last = model.markers.len();
    model.markers.push(marker("hook", on, 0.1, 0.0));
    for i in 0..links {
        let (name, link) = (format!("link{i}"), model.bodies.len());
        model.bodies.push(match ends {
            Ends::Pins => body(&name, 1.0, Some(1.0), 0.5, Start::default()),
            Ends::Balls => solid(&name, 1.0, [0.1; 3], [0.0; 3], [0.5, 0.0, 0.0]),
        });
        let near = model.markers.len();
        model.markers.extend([marker("near", link, 0.0, 0.0), marker("far", link, 1.0, 0.0)]);
        model.joints.push(joint(&format!("eye{i}"), ends.kind(), last, near));
        last = near + 1;
    }
}

fn refusal(model: &Model) -> AssemblyError {
    let begun = Instant::now();
    let error = assemble(model).expect_err("it cannot close");
    let took = begun.elapsed().as_secs_f64();
    assert!(took < PATIENCE, "{took} s");
    error
}

fn gaps_of(model: &Model) -> Vec<Gap> {
    match refusal(model) {
        AssemblyError::CannotClose { gaps, untried } if untried.is_empty() => gaps,
        error => panic!("{error}"),
    }
}

fn near(found: f64, expected: f64, what: &str) {
    assert!((found.abs() - expected).abs() < PRINTED, "{what}: {found} is not {expected}");
}

/// Names of the gaps, sorted.
fn owners(gaps: &[Gap]) -> Vec<&str> {
    let mut owners: Vec<&str> = gaps.iter().map(|gap| gap.owner.as_str()).collect();
    owners.sort_unstable();
    owners
}

#[test]
fn a_polygon_misses_what_its_longest_side_is_too_long_by() {
    for n in [3, 4, 9, 12, 20, 60] {
        for seed in 1..4 {
            for missing in [0.37, 1e-4] {
                let mut model = empty("polygon");
                add_loop(&mut model, "pin", 0.0, &unequal(n, n / 2, missing, seed), Ends::Pins);
                let gaps = gaps_of(&model);
                gaps.iter().for_each(|gap| near(gap.value, missing, &gap.owner));
                // Whichever joint is left open; named first is the first of the model.
                assert_eq!(
                    (gaps.len(), gaps[0].owner.as_str()),
                    (n, "pin0"),
                    "{n} bars, seed {seed}"
                );
            }
        }
    }
}

#[test]
fn a_polygon_beyond_dense_matrices_misses_as_much() {
    for n in [80, 120] {
        let mut model = empty("polygon");
        add_loop(&mut model, "pin", 0.0, &unequal(n, 1, 0.37, 5), Ends::Pins);
        let gaps = gaps_of(&model);
        assert_eq!(gaps.len(), n);
        gaps.iter().for_each(|gap| near(gap.value, 0.37, &gap.owner));
    }
    // Of very large loops only some joints are looked at, and the number of the others is given.
    let mut model = empty("polygon");
    add_loop(&mut model, "pin", 0.0, &unequal(300, 1, 0.37, 5), Ends::Pins);
    let error = refusal(&model);
    let AssemblyError::CannotClose { gaps, untried } = &error else { panic!("{error}") };
    assert_eq!(gaps.len() + untried.len(), 300);
    gaps.iter().for_each(|gap| near(gap.value, 0.37, &gap.owner));
    assert!(error.to_string().contains(" 370.0000 mm "), "{error}");
    assert!(error.to_string().ends_with(", 294 more"), "{error}");
}

#[test]
fn a_loop_of_balls_in_space_misses_as_much() {
    for n in [4, 9, 20] {
        let mut model = empty_space("loop");
        add_loop(&mut model, "ball", 0.0, &unequal(n, n / 2, 0.37, 3), Ends::Balls);
        let gaps = gaps_of(&model);
        assert_eq!(gaps.len(), n);
        gaps.iter().for_each(|gap| near(gap.value, 0.37, &gap.owner));
    }
}

#[test]
fn hinges_miss_what_they_are_apart_along_their_axes() {
    // Four parallel hinges; one of the ground stands 5 mm higher.
    let mut model = four_bar(0.0, JointKind::Revolute);
    model.drivers.clear();
    let hinge = model.joints.iter().find(|joint| model.markers[joint.a.0].body == BodyId::GROUND);
    let foot = hinge.expect("one stands on the ground").a.0;
    let axis = model.markers[foot].local.r * nalgebra::Vector3::z();
    model.markers[foot].local.p += 5e-3 * axis;
    let gaps = gaps_of(&model);
    assert_eq!(gaps.len(), 4, "{gaps:?}");
    for gap in &gaps {
        assert!(!gap.is_angle, "{gap:?}");
        near(gap.value, 5e-3, &gap.owner);
    }
}

#[test]
fn loops_inside_large_mechanisms_are_told_from_what_hangs_on_them() {
    for (ends, links) in [(Ends::Pins, 80), (Ends::Balls, 45)] {
        let mut model = ends.space();
        add_loop(&mut model, "pin", 0.0, &unequal(4, 2, 0.25, 3), ends);
        add_chain(&mut model, 2, links, ends);
        let velocities = if matches!(ends, Ends::Pins) { 3 } else { 6 };
        assert!(velocities * (model.bodies.len() - 1) > LARGE);
        let gaps = gaps_of(&model);
        assert_eq!(owners(&gaps), ["pin0", "pin1", "pin2", "pin3"]);
        gaps.iter().for_each(|gap| near(gap.value, 0.25, &gap.owner));
    }
}

/// Crank of 1 m, coupler and follower on a ground of 4 m; the crank is driven to an angle.
fn driven(coupler: f64, follower: f64, angle: f64) -> Model {
    let mut model = empty("four-bar");
    for (name, length, start) in [
        ("crank", 1.0, Start::default()),
        ("coupler", coupler, start_at(-1.0, 0.0, 0.3)),
        ("follower", follower, start_at(4.0, 0.0, 2.5)),
    ] {
        let near = model.markers.len();
        let bar = model.bodies.len();
        model.bodies.push(body(name, 1.0, Some(1.0), 0.5 * length, start));
        model.markers.extend([marker("near", bar, 0.0, 0.0), marker("far", bar, length, 0.0)]);
        assert_eq!(near, 2 * (bar - 1));
    }
    model.markers.extend([marker("left", 0, 0.0, 0.0), marker("right", 0, 4.0, 0.0)]);
    model.joints = vec![
        joint("shaft", JointKind::Revolute, 6, 0),
        joint("crankpin", JointKind::Revolute, 1, 2),
        joint("knee", JointKind::Revolute, 3, 5),
        joint("rocker", JointKind::Revolute, 7, 4),
    ];
    model.drivers = vec![driver("motor", 0, TimeFunction::Constant(angle))];
    model
}

#[test]
fn a_driver_is_off_by_the_angle_to_the_nearest_dead_point() {
    let angle = 3.0f64;
    let mut model = driven(1.5, 3.0, angle);
    for chain in [0, 80] {
        add_chain(&mut model, 1, chain, Ends::Pins);
        let gaps = gaps_of(&model);
        assert_eq!(gaps.len(), 5);
        // From the crankpin to the rocker by the cosine rule; 4.5 m of bars at the dead point.
        let apart = (17.0 - 8.0 * angle.cos()).sqrt();
        let dead = ((17.0 - 4.5 * 4.5) / 8.0f64).acos();
        for gap in gaps {
            let expected = if gap.owner == "motor" { angle - dead } else { apart - 4.5 };
            near(gap.value, expected, &gap.owner);
        }
    }
}

#[test]
fn a_slider_beside_its_guide_misses_the_distance() {
    // Crank of 1 m and rod of 0.5 m; the guide is 2 m above the shaft.
    let mut model = empty("slider-crank");
    model.bodies.extend([
        body("crank", 1.0, Some(1.0), 0.5, start_at(0.0, 0.0, 1.0)),
        body("rod", 1.0, Some(1.0), 0.2, start_at(0.5, 0.8, 0.4)),
        body("slider", 1.0, Some(1.0), 0.0, start_at(0.3, 2.0, 0.0)),
    ]);
    model.markers = vec![
        marker("shaft", 0, 0.0, 0.0),
        marker("guide", 0, 0.0, 2.0),
        marker("near", 1, 0.0, 0.0),
        marker("far", 1, 1.0, 0.0),
        marker("near", 2, 0.0, 0.0),
        marker("far", 2, 0.5, 0.0),
        marker("pin", 3, 0.0, 0.0),
    ];
    model.joints = vec![
        joint("shaft", JointKind::Revolute, 0, 2),
        joint("crankpin", JointKind::Revolute, 3, 4),
        joint("wristpin", JointKind::Revolute, 5, 6),
        joint("guide", JointKind::Prismatic, 1, 6),
    ];
    let gaps = gaps_of(&model);
    assert_eq!(gaps.len(), 4);
    gaps.iter().for_each(|gap| near(gap.value, 0.5, &gap.owner));
}

#[test]
fn the_gap_of_a_distance_is_a_length() {
    // Its row is that of the squares, (d² − l²)/2l.
    let mut model = empty("link");
    model.bodies.push(body("bar", 1.0, Some(1.0), 0.5, start_at(0.0, 0.0, 0.4)));
    model.markers = vec![
        marker("left", 0, 0.0, 0.0),
        marker("right", 0, 2.0, 0.0),
        marker("near", 1, 0.0, 0.0),
        marker("far", 1, 1.0, 0.0),
    ];
    model.joints = vec![
        joint("pivot", JointKind::Revolute, 0, 2),
        joint("rope", JointKind::Distance { length: 0.25 }, 1, 3),
    ];
    let gaps = gaps_of(&model);
    assert_eq!(owners(&gaps), ["pivot", "rope"]);
    gaps.iter().for_each(|gap| near(gap.value, 0.75, &gap.owner));
}

#[test]
fn of_two_broken_loops_the_widest_gap_of_the_nearest_position_is_named() {
    // Least squares share what is missing equally among the joints of a loop.
    for (ends, links) in [(Ends::Pins, 0), (Ends::Pins, 80), (Ends::Balls, 0)] {
        let mut model = ends.space();
        add_loop(&mut model, "a", 0.0, &unequal(4, 2, 0.2, 3), ends);
        add_loop(&mut model, "b", 3.0, &unequal(5, 2, 0.5, 4), ends);
        add_chain(&mut model, 2, links, ends);
        let error = refusal(&model);
        let AssemblyError::OpenInSeveralPlaces { gaps } = &error else { panic!("{error}") };
        assert_eq!(gaps.len(), 9);
        let (b, a) = gaps.split_at(5);
        assert_eq!(owners(a), ["a0", "a1", "a2", "a3"]);
        assert_eq!(owners(b), ["b0", "b1", "b2", "b3", "b4"]);
        a.iter().for_each(|gap| near(gap.value, 0.05, &gap.owner));
        b.iter().for_each(|gap| near(gap.value, 0.1, &gap.owner));
        assert!(error.to_string().contains("is open most, by 100.0000 mm"), "{error}");
    }
}

#[test]
fn bars_in_line_that_could_close_are_told_so() {
    // A triangle of 3, 4 and 5 m, all in line: in balance, but on a saddle. In the triangle the side
    // of 4 m is square to the ground.
    let mut model = empty("triangle");
    add_loop(&mut model, "pin", 0.0, &[3.0, 4.0, 5.0], Ends::Pins);
    for (bar, x) in [(1, 0.0), (2, 4.0)] {
        model.bodies[bar].start = start_at(x, 0.0, 0.0);
    }
    let error = refusal(&model);
    let AssemblyError::ClosesElsewhere { body, by, is_angle } = &error else { panic!("{error}") };
    let turn = if body == "pin_bar1" { 0.5 * PI } else { PI - (3.0f64 / 5.0).acos() };
    assert!(*is_angle && (by.abs() - turn).abs() < 1e-6, "{error}");
    // A bar too long is one in line, too.
    let mut model = empty("triangle");
    add_loop(&mut model, "pin", 0.0, &[3.0, 4.0, 7.5], Ends::Pins);
    for (bar, x) in [(1, 0.0), (2, 4.0)] {
        model.bodies[bar].start = start_at(x, 0.0, 0.0);
    }
    gaps_of(&model).iter().for_each(|gap| near(gap.value, 0.5, &gap.owner));
}

#[test]
fn large_loops_close_from_rough_starts() {
    // The projection of a run is for small errors; from a rough circle it goes astray.
    for seed in 1..20 {
        let mut random = Random(seed);
        let lengths: Vec<f64> = (0..100).map(|_| random.between(0.2, 1.0)).collect();
        let mut model = empty("loop");
        add_loop(&mut model, "pin", 0.0, &lengths, Ends::Pins);
        let start = assemble(&model).unwrap_or_else(|error| panic!("{seed}: {error}"));
        assert_eq!(start.report.mobility, 97);
    }
}

#[test]
fn gaps_of_small_and_large_mechanisms_are_printed_with_their_digits() {
    let message = |scale: f64| {
        let mut model = empty("polygon");
        let lengths: Vec<f64> = unequal(4, 2, 0.37, 3).iter().map(|x| scale * x).collect();
        add_loop(&mut model, "pin", 0.0, &lengths, Ends::Pins);
        refusal(&model).to_string()
    };
    assert!(message(1e-9).contains("by 3.7000e-7 mm when"), "{}", message(1e-9));
    assert!(message(1.0).contains("by 370.0000 mm when"), "{}", message(1.0));
    assert!(message(1e9).contains("by 3.7000e11 mm when"), "{}", message(1e9));
}

/// Adds a slide on two rails in one place, both driven: its two speeds contradict each other.
fn add_slide(model: &mut Model, name: &str, speeds: [f64; 2]) {
    let slide = model.bodies.len();
    model.bodies.push(body(name, 1.0, Some(1.0), 0.0, Start::default()));
    for (i, rate) in speeds.into_iter().enumerate() {
        let place = model.markers.len();
        model.markers.extend([marker("rail", 0, 0.0, 0.0), marker("shoe", slide, 0.0, 0.0)]);
        let rail = format!("{name}_rail{i}");
        model.joints.push(joint(&rail, JointKind::Prismatic, place, place + 1));
        let motion = TimeFunction::Linear { start: 0.0, rate };
        let id = JointId(model.joints.len() - 1);
        let coordinate = Coordinate::X;
        model.drivers.push(Driver { name: format!("{name}{i}"), joint: id, coordinate, motion });
    }
}

#[test]
fn drivers_that_contradict_each_other_are_off_by_the_difference() {
    for links in [0, 80] {
        let mut model = empty("slides");
        add_slide(&mut model, "a", [1.0, 3.5]);
        add_chain(&mut model, 1, links, Ends::Pins);
        let error = refusal(&model);
        let AssemblyError::Contradiction { gaps, others_hold: true } = &error else {
            panic!("{error}")
        };
        assert_eq!(owners(gaps), ["a0", "a1"]);
        gaps.iter().for_each(|gap| near(gap.value, 2.5, &gap.owner));
        let told =
            "`a0` is off by 2.500e0 m/s, or `a1` is off by 2.500e0 m/s when all the others hold";
        assert!(error.to_string().ends_with(told), "{error}");
        // Two pairs: whichever driver is left out, the other pair does not hold. The nearest motion
        // is halfway.
        add_slide(&mut model, "b", [0.0, 0.4]);
        let error = refusal(&model);
        let AssemblyError::Contradiction { gaps, others_hold: false } = &error else {
            panic!("{error}")
        };
        assert_eq!(owners(gaps), ["a0", "a1", "b0", "b1"]);
        for gap in gaps {
            near(gap.value, if gap.owner.starts_with('a') { 1.25 } else { 0.2 }, &gap.owner);
        }
        assert!(error.to_string().contains("in the nearest motion `a0` is off by"), "{error}");
    }
}
