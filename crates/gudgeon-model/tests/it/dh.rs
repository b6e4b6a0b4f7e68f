//! Rows of Denavit and Hartenberg: the frames they stand for, both conventions, and where bodies start.

use gudgeon::assembly::{Assembly, assemble};
use gudgeon::model::{BodyId, Coordinates, Model, Orientation};
use gudgeon::system::Plant;
use gudgeon_model::{Loaded, Overrides, Resolver, load_text};
use nalgebra::{Matrix3, Vector3};

/// No other files.
struct Alone;

impl Resolver for Alone {
    fn read(
        &self,
        _from: &str,
        name: &str,
    ) -> Result<(String, String), Box<gudgeon_model::diagnostic::Diagnostic>> {
        panic!("{name} is not needed")
    }
}

fn loaded(text: &str) -> Loaded {
    load_text("arm", text, &Alone, &Overrides::default())
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&failure.sources, false)))
}

/// Type, a, alpha, d, theta of the joints of an arm, in mm and degrees, modified.
type Rows = [(&'static str, [f64; 4]); 5];

const ARM: Rows = [
    ("revolute", [0.0, 0.0, 320.0, 15.0]),
    ("cylindrical", [90.0, -90.0, 40.0, -70.0]),
    ("prismatic", [150.0, 35.0, 260.0, 110.0]),
    ("screw\", pitch = \"8 mm", [-60.0, 90.0, 0.0, 20.0]),
    ("revolute", [45.0, -50.0, 130.0, -160.0]),
];

/// The same rows in the standard convention: a and alpha stand a row earlier.
fn standard(rows: &Rows) -> Rows {
    let mut own = *rows;
    for i in 0..rows.len() {
        let next = rows.get(i + 1).map_or([0.0; 4], |(_, row)| *row);
        (own[i].1[0], own[i].1[1]) = (next[0], next[1]);
    }
    own
}

const HEAD: &str = "format = 1\n[model]\nname = \"arm\"\nspace = \"spatial\"\ngravity = \"1 m/s^2, 2 m/s^2, -9 m/s^2\"\n";

const BODIES: &str = r#"
[drivers.first]
joint = "J0"
angle = "= 0.4 rad + 0.5 rad * sin(3 * t / 1 s)"
[run]
until = "0.3 s"
outputs = ["system.kinetic_energy"]
[bodies.ground]
frames.foot = { at = "10 mm, -20 mm, 30 mm", turn = "25 deg about y" }
"#;

fn body(i: usize, frames: &str) -> String {
    let k = 1.0 + i as f64;
    format!(
        "[bodies.b{i}]\nmass = \"{} kg\"\ncentre = \"{} mm, {} mm, {} mm\"\n\
         inertia = {{ xx = \"{} kg m^2\", yy = \"{} kg m^2\", zz = \"{} kg m^2\", xy = \"0.002 kg m^2\" }}\n{frames}\n",
        4.0 / k,
        30.0 * k,
        -20.0,
        55.0 / k,
        0.05 / k,
        0.06 / k,
        0.04 / k,
    )
}

fn with_rows(rows: &Rows, convention: &str) -> Model {
    let mut text = format!("{HEAD}dh = \"{convention}\"\n{BODIES}");
    let mut joints = "[joints]\n".to_owned();
    for (i, (kind, [a, alpha, d, theta])) in rows.iter().enumerate() {
        text += &body(i, "");
        let from = if i == 0 { "ground.foot".to_owned() } else { format!("b{}", i - 1) };
        joints += &format!(
            "J{i} = {{ type = \"{kind}\", between = [\"{from}\", \"b{i}\"], \
             dh = {{ a = \"{a} mm\", alpha = \"{alpha} deg\", d = \"{d} mm\", theta = \"{theta} deg\" }} }}\n"
        );
    }
    loaded(&(text + &joints)).model
}

/// The same arm, modified, by frames that are written out.
fn with_frames(rows: &Rows) -> Model {
    let ahead = |i: usize| {
        let [a, alpha, ..] = rows[i].1;
        format!("frames.ahead = {{ at = \"{a} mm, 0, 0\", turn = \"{alpha} deg about x\" }}\n")
    };
    let mut text = format!("{HEAD}{BODIES}");
    let mut joints = "[joints]\n".to_owned();
    for (i, (kind, [.., d, theta])) in rows.iter().enumerate() {
        let behind = format!(
            "frames.behind = {{ at = \"0, 0, {} mm\", turn = \"{} deg about z\" }}\n",
            -d, -theta
        );
        let next = if i + 1 < rows.len() { ahead(i + 1) } else { String::new() };
        text += &body(i, &(behind + &next));
        let from = if i == 0 { "ground.foot".to_owned() } else { format!("b{}.ahead", i - 1) };
        let along = if *kind == "prismatic" { ", along = \"z\"" } else { "" };
        joints += &format!(
            "J{i} = {{ type = \"{kind}\", between = [\"{from}\", \"b{i}.behind\"]{along} }}\n"
        );
    }
    loaded(&(text + &joints)).model
}

fn assembled(model: &Model, coordinates: Coordinates) -> Assembly {
    let model = Model { coordinates, ..model.clone() };
    assemble(&model).unwrap_or_else(|error| panic!("{}: {error}", model.name))
}

/// Accelerations of all mass centres, sizes of the angular ones, and the driver's torque.
fn accelerations(start: &Assembly) -> Vec<f64> {
    let mut plant = Plant::new(&start.system);
    plant.evaluate(0.0, &start.state()).unwrap();
    let of = |a: &[f64]| [a[0], a[1], a[2], Vector3::new(a[3], a[4], a[5]).norm()];
    let bodies = plant.work.accelerations.chunks_exact(6).flat_map(of);
    let found: Vec<f64> = bodies.chain([plant.driver_load(0)]).collect();
    assert!(found.iter().any(|a| a.abs() > 1.0));
    found
}

fn same(what: &str, found: &[f64], wanted: &[f64]) {
    let size = wanted.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() <= 1e-12 * size, "{what}: {found} instead of {wanted}");
    }
}

const BOTH: [Coordinates; 2] = [Coordinates::Absolute, Coordinates::Joint];

#[test]
fn rows_are_the_frames_they_stand_for() {
    let rows = with_rows(&ARM, "modified");
    let wanted = accelerations(&assembled(&rows, Coordinates::Absolute));
    let mut frames = with_frames(&ARM);
    for (i, pose) in assembled(&rows, Coordinates::Absolute).poses().iter().enumerate() {
        let start = &mut frames.bodies[i + 1].start;
        (start.position, start.orientation) =
            (Some(pose.frame.p), Some(Orientation::Rotation(pose.frame.r)));
    }
    for coordinates in BOTH {
        same("rows", &accelerations(&assembled(&rows, coordinates)), &wanted);
        same("frames", &accelerations(&assembled(&frames, coordinates)), &wanted);
    }
}

/// Own axes of the same bodies differ: mass centres and inertias go along.
#[test]
fn both_conventions_describe_one_arm() {
    let modified = with_rows(&ARM, "modified");
    let own = assembled(&modified, Coordinates::Absolute);
    let mut other = with_rows(&standard(&ARM), "standard");
    for (i, pose) in assembled(&other, Coordinates::Absolute).poses().iter().enumerate() {
        let (from, to) = (&own.poses()[i].frame, &pose.frame);
        let (r, body) = (to.r.tr_mul(&from.r), &modified.bodies[i + 1]);
        let there = &mut other.bodies[i + 1];
        there.centre = to.r.tr_mul(&(from.p + from.r * body.centre - to.p));
        there.inertia = body.inertia.map(|inertia: Matrix3<f64>| r * inertia * r.transpose());
    }
    let wanted = accelerations(&own);
    for coordinates in BOTH {
        same("standard", &accelerations(&assembled(&other, coordinates)), &wanted);
    }
}

/// Position of the last own axes at joint angles of zero, by (1) of the reader multiplied out.
#[test]
fn bodies_start_where_their_joints_are_at_zero_or_driven_to() {
    let text = format!(
        "{HEAD}dh = \"standard\"\n[joints]\n\
         J0 = {{ type = \"revolute\", between = [\"ground\", \"b0\"], dh = {{ a = \"1 m\", theta = \"90 deg\" }} }}\n\
         J1 = {{ type = \"prismatic\", between = [\"b0\", \"b1\"], dh = {{ alpha = \"90 deg\", d = \"2 m\" }} }}\n\
         J2 = {{ type = \"revolute\", between = [\"b1\", \"b2\"], dh = {{ d = \"3 m\" }} }}\n\
         [drivers]\nturns = {{ joint = \"J0\", speed = \"1 rad/s\" }}\n\
         slides = {{ joint = \"J1\", displacement = \"= 0.5 m + 1 m/s * t\" }}\n\
         [run]\nuntil = \"1 s\"\noutputs = [\"J0.angle\"]\n{}{}{}",
        body(0, ""),
        body(1, ""),
        body(2, ""),
    );
    for coordinates in BOTH {
        let start = assembled(&loaded(&text).model, coordinates);
        let places: Vec<Vector3<f64>> = start.poses().iter().map(|pose| pose.frame.p).collect();
        let wanted = [[0.0, 1.0, 0.0], [0.0, 1.0, 2.5], [3.0, 1.0, 2.5]];
        for (place, wanted) in places.iter().zip(wanted) {
            assert!((place - Vector3::from(wanted)).norm() < 1e-14, "{place} {wanted:?}");
        }
        assert!(start.departures().is_empty());
    }
}

#[test]
fn planar_arms_have_rows_of_a_and_theta() {
    let text = "format = 1\n[model]\ndh = \"standard\"\n[bodies]\nupper = { mass = \"1 kg\", inertia = \"0.1 kg m^2\" }\n\
        fore = { mass = \"1 kg\", inertia = \"0.1 kg m^2\" }\n[joints]\n\
        shoulder = { type = \"revolute\", between = [\"ground\", \"upper\"], dh = { a = \"400 mm\", theta = \"90 deg\" } }\n\
        elbow = { type = \"revolute\", between = [\"upper\", \"fore\"], dh = { a = \"300 mm\", theta = \"-90 deg\" } }\n\
        [run]\nuntil = \"1 s\"\noutputs = [\"fore.position.x\"]\n";
    let start = assembled(&loaded(text).model, Coordinates::Joint);
    let place = start.poses()[1].frame.p;
    assert!((place - Vector3::new(0.3, 0.4, 0.0)).norm() < 1e-15, "{place}");
}

/// The shipped robot beside the same robot by frames: the same torques in every pose.
#[test]
fn the_robot_by_rows_is_the_robot_by_frames() {
    let [rows, frames] = [
        include_str!("../../../../models/six_axis_robot/model.toml"),
        include_str!("../dh/six_axis_by_frames.toml"),
    ]
    .map(|text| loaded(text).model);
    let torques = |model: &Model| -> Vec<f64> {
        let start = assembled(model, Coordinates::Joint);
        let mut plant = Plant::new(&start.system);
        let at = |t: f64| {
            plant.evaluate(t, &start.state()).unwrap();
            (0..6).map(|driver| plant.driver_load(driver)).collect::<Vec<_>>()
        };
        [0.0, 0.3, 0.7, 1.1].into_iter().flat_map(at).collect()
    };
    assert_eq!(rows.bodies[BodyId(6).0].name, "load");
    same("robot", &torques(&rows), &torques(&frames));
}
