//! Shipped models in joint coordinates move, react and collide as in absolute coordinates.

use std::ops::ControlFlow;

use crate::common::loaded;
use gudgeon::assembly::{Assembly, assemble};
use gudgeon::model::{Coordinates, Model};
use gudgeon::results::{RunReport, Status};
use gudgeon::run::{Every, RunSpec, Until};
use gudgeon::sensor::{Sensor, catalogue};
use gudgeon::simulate::{Observer, simulate};

#[derive(Default)]
struct Rows(Vec<Vec<f64>>);

impl Observer for Rows {
    fn row(&mut self, _t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push(values.to_vec());
        ControlFlow::Continue(())
    }
}

fn assembled(model: &Model) -> [Assembly; 2] {
    [Coordinates::Absolute, Coordinates::Joint].map(|coordinates| {
        let model = Model { coordinates, ..model.clone() };
        assemble(&model).unwrap_or_else(|error| panic!("{}: {error}", model.name))
    })
}

/// Poses and velocities of bodies, what joints carry and drivers give, as far as it is unique.
fn outputs(starts: &[Assembly; 2]) -> Vec<Sensor> {
    let told = |sensor: &Sensor| {
        let ends = [
            ".position.x",
            ".position.y",
            ".position.z",
            ".velocity.x",
            ".velocity.y",
            ".angle",
            ".reaction",
            ".reaction_torque",
            ".torque",
        ];
        ends.iter().any(|end| sensor.name.ends_with(end))
            && starts.iter().all(|start| sensor.is_unique(start))
    };
    catalogue(&starts[0].system.model).into_iter().filter(told).collect()
}

/// What is compared, and how well: motions and forces.
const NEAR: [(&[&str], f64); 2] = [(&["m", "m/s", "rad", "rad/s"], 1e-8), (&["N", "N m"], 1e-6)];

/// Largest differences of motions and of forces over their largest values, the ledger's residuals over the peak
/// kinetic energy, and how many outputs were compared.
fn apart(starts: &[Assembly; 2], end: f64, rtol: f64) -> ([f64; 2], [f64; 2], usize) {
    let outputs = outputs(starts);
    let spec = RunSpec {
        rtol: Some(rtol),
        outputs: outputs.clone(),
        every: Every::Interval(end / 50.0),
        until: Until::Time(end),
        ..RunSpec::seconds(end)
    };
    let runs = starts.each_ref().map(|start| {
        let mut rows = Rows::default();
        let report = simulate(start, &spec, &mut rows);
        assert_eq!(report.status, Status::Done, "{}", start.system.model.name);
        (rows.0, report)
    });
    let [(a, first), (b, second)] = &runs;
    assert_eq!(a.len(), b.len());
    let far = NEAR.map(|(units, _)| {
        let columns: Vec<usize> =
            (0..outputs.len()).filter(|&i| units.contains(&outputs[i].unit.as_ref())).collect();
        let pairs = a.iter().zip(b).flat_map(|(a, b)| columns.iter().map(|&i| (a[i], b[i])));
        let size = pairs.clone().fold(1e-3, |most: f64, (a, _)| most.max(a.abs()));
        pairs.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())) / size
    });
    let closes = [first, second].map(|report| report.energy.residual_relative());
    (far, closes, outputs.len())
}

fn check_motion(name: &str, set: &[(&str, &str)], end: f64) {
    let own = loaded(name, set);
    let starts = assembled(&own.model);
    assert!(starts[1].system.tree.is_some(), "{name}");
    let (far, closes, count) = apart(&starts, end, 1e-11);
    println!(
        "{name:24} {end:5.2} s, {count:3} outputs: motion {:.1e}, forces {:.1e}, ledger {:.0e} {:.0e}",
        far[0], far[1], closes[0], closes[1]
    );
    for (far, (_, near)) in far.into_iter().zip(NEAR) {
        assert!(far < near, "{name}: {far:e} is not below {near:e}");
    }
    assert!(closes.iter().all(|residual| *residual < 1e-7), "{name}: {closes:?}");
}

#[test]
fn a_closed_tree_moves_as_in_absolute_coordinates() {
    check_motion("wiper_linkage", &[], 0.2);
    check_motion("six_axis_robot", &[], 0.3);
    check_motion("v_twin_engine", &[], 0.05);
}

/// Ideal joints, no chaos: up to 2 s, or to where a singular position or friction that sticks leaves the branch to rounding.
const IDEAL: [(&str, f64); 26] = [
    ("andrews_squeezer", 0.03),
    ("bricard", 2.0),
    ("chain", 0.5),
    ("crank_press", 2.0),
    ("gas_engine", 0.2),
    ("hac_four_bar", 0.25),
    ("hac_manipulator", 0.25),
    ("heavy_top", 2.0),
    ("iftomm_slider_crank", 2.0),
    ("jamming_guide", 0.5),
    ("jeffcott_rotor", 0.2),
    ("n_four_bar", 2.0),
    ("nonlinear_absorber", 2.0),
    ("rough_slider_crank", 0.01),
    ("screw_jack", 2.0),
    ("six_axis_robot", 1.2),
    ("snap_arch", 0.2),
    ("spatial_four_bar", 2.0),
    ("sprung_four_bar", 2.0),
    ("stick_slip", 2.0),
    ("suspended_platform", 0.5),
    ("three_finger_gripper", 0.5),
    ("tian_double_pendulum", 1.0),
    ("torsional_train", 0.2),
    ("v_twin_engine", 0.2),
    ("wiper_linkage", 2.0),
];

#[test]
#[ignore = "slow: every shipped model with ideal joints in both coordinates at 1e-11"]
fn ideal_mechanisms_move_as_in_absolute_coordinates() {
    IDEAL.iter().for_each(|(name, end)| check_motion(name, &[], *end));
}

fn run(start: &Assembly, end: f64, rtol: f64, outputs: Vec<Sensor>) -> RunReport {
    let spec = RunSpec {
        rtol: Some(rtol),
        outputs,
        every: Every::Interval(f64::INFINITY),
        ..RunSpec::seconds(end)
    };
    let report = simulate(start, &spec, &mut Rows::default());
    assert_eq!(report.status, Status::Done, "{}", start.system.model.name);
    report
}

/// Models with play, and when the first three contacts are over.
const LOOSE: [(&str, f64); 10] = [
    ("slider_crank", 0.004),
    ("bai_slider_crank", 0.01),
    ("bai_four_bar", 0.01),
    ("formula_contact", 0.004),
    ("four_bar_two_clearances", 0.02),
    ("guide_slider_crank", 0.01),
    ("flores_double_pendulum", 0.05),
    ("tilted_four_bar", 0.02),
    ("pendulum", 0.05),
    ("ball_joint", 0.1),
];

fn check_contacts(name: &str, end: f64) {
    let starts = assembled(&loaded(name, &[]).model);
    let [a, b] = starts.each_ref().map(|start| run(start, end, 1e-11, Vec::new()));
    let both: Vec<_> = a.impacts.iter().zip(&b.impacts).take(3).collect();
    let (mut times, mut rest) = (0.0_f64, 0.0_f64);
    for (x, y) in &both {
        assert_eq!((x.joint, x.spot), (y.joint, y.spot), "{name}");
        times = times.max((x.t - y.t).abs() / x.t);
        let speeds = (x.speed_in - y.speed_in).abs() / x.speed_in;
        rest = rest.max(speeds.max((x.peak_force - y.peak_force).abs() / x.peak_force));
    }
    println!(
        "{name:24} {} of {} contacts: times {times:.1e}, speeds and peaks {rest:.1e}",
        both.len(),
        a.impacts.len()
    );
    assert!(!both.is_empty() && times < 1e-6 && rest < 1e-5, "{name}: {times:e}, {rest:e}");
}

#[test]
#[ignore = "slow: contacts of every shipped model with play in both coordinates"]
fn first_contacts_are_those_in_absolute_coordinates() {
    LOOSE.iter().for_each(|(name, end)| check_contacts(name, *end));
}

#[test]
fn a_loose_pin_collides_as_in_absolute_coordinates() {
    check_contacts("slider_crank", 0.004);
}

/// Models with films, and the time of a revolution.
const WET: [(&str, f64, f64); 5] = [
    ("journal_bearing", 0.02, 1e-10),
    ("lubricated_slider_crank", 0.012, 1e-10),
    ("lubricated_slider_crank_space", 0.012, 1e-9),
    ("rotor", 0.02, 1e-9),
    ("squeeze_film", 0.2, 1e-10),
];

#[test]
#[ignore = "slow: a revolution in oil in both coordinates"]
fn journals_float_as_in_absolute_coordinates() {
    for (name, end, rtol) in WET {
        let starts = assembled(&loaded(name, &[]).model);
        let all = catalogue(&starts[0].system.model);
        let centre = [".eccentricity.x", ".eccentricity.y"];
        let along = |s: &Sensor| centre.iter().any(|end| s.name.ends_with(end));
        let ratios: Vec<Sensor> = all.into_iter().filter(along).collect();
        let radial = |joint: &gudgeon::model::Joint| joint.clearance.as_ref().map(|own| own.radial);
        let joints = starts[0].system.model.joints.iter();
        let c = joints.filter_map(radial).fold(f64::INFINITY, f64::min);
        assert!(!ratios.is_empty(), "{name}");
        let [a, b] = starts.each_ref().map(|start| run(start, end, rtol, ratios.clone()));
        let far = a.final_values.iter().zip(&b.final_values).map(|(a, b)| (a - b).abs() / c);
        let far = far.fold(0.0, f64::max);
        println!("{name:30} e/c apart by {far:.1e} after {end} s");
        assert!(far < 1e-6, "{name}: {far:e}");
    }
}
