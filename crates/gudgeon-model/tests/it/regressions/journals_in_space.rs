//! Both ends of a journal may leave its bearing at one instant.
//!
//! The pin of a slider-crank in space touches with two bases, which begin and end together. Time is stretched
//! by both: s = s₁ s₂ / √(s₁² + s₂²). Where trial steps went beyond the end of both contacts the products
//! changed their signs with σ₁ and σ₂, and σ came back instead of passing zero: at rtol 1e-12 no step
//! was short enough. The planar twin, with one contact, went on. Now σ goes straight on through zero
//! for several contacts as for one.

use gudgeon::assembly::assemble;
use gudgeon::results::Status;
use gudgeon::simulate::{Silent, simulate};

use crate::common::loaded;

#[test]
fn tight_tolerances_are_met() {
    let until = ("run.until", "3 rev");
    let output = ("run.outputs", "[\"pin.reaction\"]");
    let run = |rtol: &str| {
        let loaded = loaded(
            "tian_slider_crank",
            &[until, output, ("run.measure_from", "0 s"), ("run.rtol", rtol)],
        );
        let report = simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent);
        assert_eq!(report.status, Status::Done, "rtol {rtol}");
        let energy = report.energy.residual_max / report.energy.peak_kinetic;
        assert!(energy < 1e-11, "rtol {rtol}: energy off by {energy:.1e}");
        report
    };
    let (tight, tighter) = (run("1e-12"), run("1e-13"));
    // The first impacts, before chaos takes over, agree to the tolerance times their condition.
    for (a, b) in tight.impacts.iter().zip(&tighter.impacts).take(6) {
        assert!((a.t - b.t).abs() < 1e-10 && (a.peak_force / b.peak_force - 1.0).abs() < 1e-8);
    }
}
