//! Shipped models in joint coordinates move, react and collide as in absolute coordinates.

use std::ops::ControlFlow;

use crate::common::loaded;
use crate::regressions::certificates_truth::Keep;
use gudgeon::assembly::{Assembly, assemble};
use gudgeon::certify::{History, certify};
use gudgeon::ensemble::{EnsembleOptions, ensemble};
use gudgeon::model::{Coordinates, Model};
use gudgeon::progress::Unwatched;
use gudgeon::results::{RunReport, Status};
use gudgeon::run::{Every, RunSpec, Until};
use gudgeon::sensor::{Sensor, catalogue};
use gudgeon::simulate::{Observer, simulate};
use gudgeon::system::choice::cut_friction;
use gudgeon_model::Loaded;
use gudgeon_model::shipped::SHIPPED;

#[derive(Default)]
struct Rows(Vec<Vec<f64>>);

impl Observer for Rows {
    fn row(&mut self, _t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push(values.to_vec());
        ControlFlow::Continue(())
    }
}

fn assembled(own: &Loaded) -> [Assembly; 2] {
    [Coordinates::Absolute, Coordinates::Joint].map(|coordinates| {
        let mut model = Model { coordinates, ..own.model.clone() };
        cut_friction(&mut model, &own.run).unwrap();
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
        // Forces that nothing but rounding makes are small beside what the energy could do.
        let least = 1e-3_f64.max(1e-4 * first.energy.peak_kinetic);
        let size = pairs.clone().fold(least, |most: f64, (a, _)| most.max(a.abs()));
        pairs.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())) / size
    });
    let closes = [first, second].map(|report| report.energy.residual_relative());
    (far, closes, outputs.len())
}

/// What is too far apart, if anything.
fn compare_motion(name: &str, end: f64) -> Option<String> {
    let starts = assembled(&loaded(name, &[]));
    assert!(starts[1].system.tree.is_some(), "{name}");
    let (far, closes, count) = apart(&starts, end, 1e-11);
    let found = format!(
        "{name:24} {end:5.2} s, {count:3} outputs: motion {:.1e}, forces {:.1e}, ledger {:.0e} {:.0e}",
        far[0], far[1], closes[0], closes[1]
    );
    println!("{found}");
    let is_near = far.into_iter().zip(NEAR).all(|(far, (_, near))| far < near);
    let is_closed = closes.iter().all(|residual| *residual < 1e-7);
    (!(is_near && is_closed)).then_some(found)
}

#[test]
fn a_closed_tree_moves_as_in_absolute_coordinates() {
    for (name, end) in [("wiper_linkage", 0.2), ("six_axis_robot", 0.3), ("v_twin_engine", 0.05)] {
        assert_eq!(compare_motion(name, end), None);
    }
}

/// How a shipped model is compared.
enum How {
    /// Its motion up to a time: 2 s, or where it ends, or where a singular position or friction that sticks leaves the branch
    /// to rounding.
    Motion(f64),
    /// Its first three contacts, which are over at a time.
    Contacts(f64),
    /// Its journals in oil up to a time, about a revolution, at a tolerance.
    Films(f64, f64),
    /// Not at all, and why.
    Left(&'static str),
}

const BENDS: &str = "beams have coordinates of their own in both";
const STILL: &str = "its analysis is one of small motions, in absolute coordinates always";

fn how(name: &str) -> How {
    use How::*;
    match name {
        "andrews_squeezer" => Motion(0.03),
        "gas_engine" | "jeffcott_rotor" | "snap_arch" | "torsional_train" => Motion(0.2),
        // Finer than that rounding stops it in absolute coordinates.
        "v_twin_engine" => Films(0.1, 1e-10),
        "hac_four_bar" | "hac_manipulator" => Motion(0.25),
        "rough_slider_crank" => Motion(0.01),
        "chain" | "jamming_guide" | "suspended_platform" | "three_finger_gripper" => Motion(0.5),
        "tian_double_pendulum" => Motion(1.0),
        "six_axis_robot" => Motion(1.2),
        // Then all bars lie in one line.
        "n_four_bar" => Motion(0.4),
        "bricard" | "crank_press" | "heavy_top" | "iftomm_slider_crank" => Motion(2.0),
        "nonlinear_absorber" | "pendulum" | "screw_jack" | "spatial_four_bar" => Motion(2.0),
        "sprung_four_bar" | "stick_slip" | "wiper_linkage" => Motion(2.0),
        "slider_crank" | "natural_slider_crank" => Contacts(0.004),
        "bai_slider_crank" | "bai_four_bar" | "guide_slider_crank" => Contacts(0.01),
        "formula_contact" | "four_bar_two_clearances" | "tilted_four_bar" => Contacts(0.02),
        "rsup_linkage" => Contacts(0.05),
        "flores_double_pendulum" => Contacts(0.05),
        "ball_joint" => Contacts(1.0),
        "tian_slider_crank" => Contacts(0.05),
        "journal_bearing" | "run_down_bearing" => Films(0.02, 1e-10),
        "squeeze_film" => Films(0.2, 1e-10),
        "lubricated_slider_crank" => Films(0.012, 1e-10),
        "lubricated_slider_crank_space" => Films(0.012, 1e-9),
        "rotor" => Films(0.02, 1e-9),
        "flexible_double_pendulum" | "flexible_double_pendulum_spatial" => Left(BENDS),
        "flexible_double_pendulum_dry" | "flexible_double_pendulum_lubricated" => Left(BENDS),
        "flexible_double_pendulum_offset" | "flexible_four_bar" | "flexible_rod" => Left(BENDS),
        "flexible_slider_crank" | "tian_flexible_slider_crank" => Left(BENDS),
        "rsup_linkage_flexible" => Left("stiff: implicit methods take its contacts in plain time"),
        "cantilever" | "princeton_beam" | "rfem_cantilever" => Left(STILL),
        "two_groove_bearing" | "whirling_rotor" => Left(STILL),
        name if loaded(name, &[]).model.bodies.iter().any(floats) => {
            Left("floating frames and equivalent rigid links have coordinates of their own")
        }
        _ => panic!("{name}: say how it is compared"),
    }
}

fn floats(body: &gudgeon::model::Body) -> bool {
    let method = body.flexible.as_ref().map(|link| &link.method);
    use gudgeon::flexible::Method::{Erls, Floating};
    matches!(method, Some(Floating(_) | Erls(_)))
}

#[test]
fn every_shipped_model_is_compared_or_left_for_a_reason() {
    let left = SHIPPED.iter().filter_map(|one| match how(one.name) {
        How::Left(why) => Some(why),
        How::Motion(_) | How::Contacts(_) | How::Films(..) => None,
    });
    assert!(left.count() < SHIPPED.len() / 3);
}

#[test]
#[ignore = "slow: every shipped model in both coordinates at tight tolerances"]
fn shipped_models_move_as_in_absolute_coordinates() {
    let compare = |name: &str| match how(name) {
        How::Motion(end) => compare_motion(name, end),
        How::Contacts(end) => compare_contacts(name, end),
        How::Films(end, rtol) => compare_films(name, end, rtol),
        How::Left(_) => None,
    };
    let far: Vec<String> = SHIPPED.iter().filter_map(|one| compare(one.name)).collect();
    assert!(far.is_empty(), "{far:#?}");
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

/// What is too far apart in the first three contacts, if anything.
fn compare_contacts(name: &str, end: f64) -> Option<String> {
    let starts = assembled(&loaded(name, &[]));
    let [a, b] = starts.each_ref().map(|start| run(start, end, 1e-11, Vec::new()));
    let both: Vec<_> = a.impacts.iter().zip(&b.impacts).take(3).collect();
    let (mut times, mut rest) = (0.0_f64, 0.0_f64);
    for (x, y) in &both {
        assert_eq!((x.joint, x.spot), (y.joint, y.spot), "{name}");
        times = times.max((x.t - y.t).abs() / x.t);
        let speeds = (x.speed_in - y.speed_in).abs() / x.speed_in;
        rest = rest.max(speeds.max((x.peak_force - y.peak_force).abs() / x.peak_force));
    }
    let found = format!(
        "{name:24} {} of {} contacts: times {times:.1e}, speeds and peaks {rest:.1e}",
        both.len(),
        a.impacts.len()
    );
    println!("{found}");
    (!(both.len() == 3 && times < 1e-6 && rest < 1e-5)).then_some(found)
}

#[test]
fn a_loose_pin_collides_as_in_absolute_coordinates() {
    assert_eq!(compare_contacts("slider_crank", 0.004), None);
}

/// How far journals in oil are apart, if too far.
fn compare_films(name: &str, end: f64, rtol: f64) -> Option<String> {
    let starts = assembled(&loaded(name, &[]));
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
    let found = format!("{name:30} e/c apart by {far:.1e} after {end} s");
    println!("{found}");
    (far >= 1e-6).then_some(found)
}

#[test]
fn certificates_and_ensembles_are_those_in_absolute_coordinates() {
    let own = loaded("slider_crank", &[]);
    let outputs = ["slider.acceleration.x", "pin.contact_force", "motor.torque"];
    let resolve = |name: &&str| gudgeon::sensor::resolve(&own.model, name).unwrap();
    let spec = RunSpec {
        rtol: Some(1e-9),
        outputs: outputs.iter().map(resolve).collect(),
        ..RunSpec::seconds(0.004)
    };
    let found = [Coordinates::Absolute, Coordinates::Joint].map(|coordinates| {
        let model = Model { coordinates, ..own.model.clone() };
        let start = assemble(&model).unwrap();
        let mut keep = Keep(History::new(outputs.len()));
        let report = simulate(&start, &spec, &mut keep);
        let certificate = certify(&start, &spec, (&report, &keep.0), &Unwatched);
        assert!(certificate.complete && certificate.outputs.iter().all(|o| o.whole_run));
        let options = EnsembleOptions { runs: 3, seed: 5, jobs: 1 };
        let spread = ensemble(&model, &spec, options, &Unwatched).unwrap();
        assert_eq!(spread.finished, 3);
        (report.extremes, certificate, spread)
    });
    let [(a, first, one), (b, second, two)] = &found;
    for i in 0..outputs.len() {
        let (one, two) = (one.extremes[i].abs_max.mean, two.extremes[i].abs_max.mean);
        assert!((one - two).abs() < 1e-6 * one, "{}: {one} and {two}", outputs[i]);
        // As many digits as both certificates promise are the same.
        let digits = first.outputs[i].extreme_digits.min(second.outputs[i].extreme_digits);
        let off = (a[i].abs_max().0 - b[i].abs_max().0).abs() / a[i].abs_max().0;
        assert!(
            digits > 4.0 && off < 2.0 * 10f64.powf(-digits),
            "{}: {off:e}, {digits}",
            outputs[i]
        );
    }
}
