//! Fixed steps over modes that no step resolves.
//!
//! A step of generalized-α that ended at an event took its state from the cubic inside it. Between the ends that cubic
//! moves a stiff mode by h v, (ωh)² times as far as it moves: a rod of 2.07e15 Pa with a dry pin at 2 µs gained
//! 1.2 MJ in its first eleven impacts and stopped. Such steps are repeated to the event now. And BDF of order 3
//! and above let what oscillates grow: a damped flexible pendulum at 50 µs reached 3.3 MN. It stays at order 2 there.

use gudgeon::assembly::assemble;
use gudgeon::results::{RunReport, Status};
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::Loaded;

use crate::common::loaded;

fn run(name: &str, set: &[(&str, &str)]) -> RunReport {
    simulated(&loaded(name, set))
}

fn simulated(loaded: &Loaded) -> RunReport {
    let report = simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent);
    assert_eq!(report.status, Status::Done);
    report
}

fn peak(report: &RunReport) -> f64 {
    report.extremes[0].abs_max().0
}

/// The stiff rod beside the rigid one up to their third impact, where they are still alike.
#[test]
fn a_very_stiff_rod_hits_like_a_rigid_one() {
    let set = [
        ("run.method", "generalized-alpha"),
        ("run.index", "3"),
        ("run.rho", "0.8"),
        ("run.step", "2 us"),
        ("run.until", "1.5 ms"),
        ("run.measure_from", "0 s"),
        ("run.outputs", "[\"pin.reaction\"]"),
    ];
    let rigid = run("tian_slider_crank", &set);
    let mut stiff = vec![("young", "2.07e15 Pa")];
    stiff.extend(set);
    let stiff = run("tian_flexible_slider_crank", &stiff);
    assert!(stiff.impacts.len() >= 4, "{} impacts", stiff.impacts.len());
    for (a, b) in stiff.impacts.iter().zip(&rigid.impacts).take(4) {
        assert!((a.t / b.t - 1.0).abs() < 1e-3, "{} {}", a.t, b.t);
        assert!((a.speed_in / b.speed_in - 1.0).abs() < 1e-2, "{} {}", a.speed_in, b.speed_in);
    }
    assert!((peak(&stiff) / peak(&rigid) - 1.0).abs() < 0.02, "{} {}", peak(&stiff), peak(&rigid));
    assert!(
        stiff.energy.residual_max.abs() < 0.05 * stiff.energy.peak_kinetic,
        "{:?}",
        stiff.energy
    );
}

/// Against Radau with the same step; without damping by the method they ring about the same motion.
#[test]
fn bdf_in_fixed_steps_does_not_let_links_ring_louder() {
    let with = |method: &str| {
        let set = [
            ("run.method", method),
            ("run.step", "20 us"),
            ("run.until", "20 ms"),
            ("run.measure_from", "10 ms"),
            ("run.outputs", "[\"motor.torque\"]"),
        ];
        let mut loaded = loaded("flexible_slider_crank", &set);
        loaded.model.joints.iter_mut().for_each(|joint| joint.clearance = None);
        simulated(&loaded)
    };
    let (bdf, radau) = (with("bdf"), with("radau5"));
    println!("{} {}", peak(&bdf), peak(&radau));
    assert!(peak(&bdf) < 3.0 * peak(&radau), "{} {}", peak(&bdf), peak(&radau));
}
