//! Static and modal analyses of shipped models, against the bearing analysis and against motion.

use crate::common::loaded;
use gudgeon::bearing;
use gudgeon::equilibrium::{Steady, find};
use gudgeon::film::Stability;
use gudgeon::modal::{About, ModalSpec, analyse};
use gudgeon::progress::Unwatched;
use gudgeon::run::Limits;
use gudgeon::sensor::resolve;
use gudgeon_model::Analysis;
use gudgeon_model::shipped::SHIPPED;

/// Both ways leave a part of 1e-9 of the load, and eccentricities follow loads less than in proportion.
#[test]
fn journals_rest_where_the_bearing_analysis_puts_them() {
    let mut compared = 0;
    for shipped in SHIPPED {
        let model = loaded(shipped.name, &[]).model;
        let Ok(report) = bearing::analyse(&model, Limits::default(), &Unwatched) else { continue };
        let names =
            report.bearings.iter().map(|bearing| format!("{}.eccentricity_ratio", bearing.name));
        let sensors: Vec<_> =
            names.map(|name| resolve(&model, &name).expect("an output")).collect();
        let rest = find(&model, Steady::Turning, &sensors, Limits::default(), &Unwatched)
            .unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
        for (bearing, found) in report.bearings.iter().zip(&rest.outputs) {
            let wanted = bearing.rest.eccentricity;
            assert!((found - wanted).abs() < 1e-7, "{}: {found} is not {wanted}", shipped.name);
        }
        compared += 1;
    }
    assert!(compared >= 5, "{compared} models");
}

/// At the speed at which the bearing analysis gives the mass of the rotor as the critical one, its whirl neither grows nor
/// dies out and has the whirl speed of that analysis.
#[test]
fn a_rotor_of_the_critical_mass_neither_whirls_nor_settles() {
    let model =
        |speed: f64| loaded("whirling_rotor", &[("speed", &format!("{speed:.12} rad/s"))]).model;
    let whirl = |speed: f64| {
        let report = bearing::analyse(&model(speed), Limits::default(), &Unwatched).unwrap();
        match report.bearings[0].rest.coefficients.stability() {
            Stability::Below(whirl) => Some(whirl),
            _ => None,
        }
    };
    let (mut calm, mut fast) = (950.0, 1250.0);
    for _ in 0..45 {
        let middle = 0.5 * (calm + fast);
        match whirl(middle) {
            Some(whirl) if whirl.mass < 4.0 => fast = middle,
            _ => calm = middle,
        }
    }
    let spec = ModalSpec { about: About::Equilibrium, modes: None, damped: true };
    let modes = analyse(&model(fast), spec, Limits::default(), &Unwatched).unwrap().modes;
    let mode = modes.iter().min_by(|a, b| a.damping_ratio.abs().total_cmp(&b.damping_ratio.abs()));
    let mode = mode.expect("modes");
    assert!(mode.damping_ratio.abs() < 1e-7, "{}", mode.damping_ratio);
    let off = mode.eigenvalue[1].abs() / whirl(fast).expect("it whirls").speed - 1.0;
    assert!(off.abs() < 1e-6, "whirl speed off by {off:.1e}");
}

#[test]
fn analyses_are_read_with_their_keys() {
    let Analysis::Modal(modal) = loaded("suspended_platform", &[]).analysis else { panic!() };
    assert_eq!(modal.spec, ModalSpec { about: About::Equilibrium, modes: Some(6), damped: true });
    let undamped = [("run.undamped", "true"), ("run.about", "start")];
    let Analysis::Modal(modal) = loaded("suspended_platform", &undamped).analysis else { panic!() };
    assert_eq!(modal.spec, ModalSpec { about: About::Start, modes: Some(6), damped: false });
    let Analysis::Static(rest) = loaded("snap_arch", &[]).analysis else { panic!() };
    assert_eq!(rest.vary.unwrap().values.len(), 13);
    let Analysis::Response(response) = loaded("jeffcott_rotor", &[]).analysis else { panic!() };
    assert_eq!((response.frequencies.len(), response.about), (151, About::Spinning));
    // The command line may ask for another analysis than the keys of the file are for.
    let other = [("run.analysis", "modal")];
    assert!(matches!(loaded("snap_arch", &other).analysis, Analysis::Modal(_)));
    assert!(matches!(loaded("jeffcott_rotor", &other).analysis, Analysis::Modal(_)));
}
