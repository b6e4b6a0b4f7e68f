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
        // A crank that only its loads turn has no rest.
        if shipped.name == "v_twin_engine" {
            continue;
        }
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

/// A four-bar on a torsion spring, in the plane or, with three redundant rows, in space.
fn four_bar(space: &str) -> String {
    let spatial = space == "spatial";
    let z = if spatial { ", 0" } else { "" };
    let link = |name: &str, length: f64, mass: f64| {
        let inertia = mass * length * length / 12.0;
        let inertia = match spatial {
            true => format!("1e-5 kg m^2, {inertia} kg m^2, {inertia} kg m^2"),
            false => format!("{inertia} kg m^2"),
        };
        format!(
            "[bodies.{name}]\nmass = \"{mass} kg\"\ninertia = \"{inertia}\"\ncentre = \"{} m, 0{z}\"\n\
             frames.a = \"0, 0{z}\"\nframes.b = \"{length} m, 0{z}\"\n",
            0.5 * length
        )
    };
    let turn = |angle: &str| match spatial {
        true => format!("turn = \"{angle} about z\""),
        false => format!("angle = \"{angle}\""),
    };
    let at = |x: &str, y: &str| match spatial {
        true => format!("at = \"{x}, {y}, 0\""),
        false => format!("x = \"{x}\", y = \"{y}\""),
    };
    format!(
        "format = 1\n[model]\nspace = \"{space}\"\ngravity = \"9.81 m/s^2 along -y\"\n\
         [bodies.ground]\nframes.d = \"0.3 m, 0{z}\"\n{}{}{}\
         [joints]\nA = {{ type = \"revolute\", between = [\"ground\", \"crank.a\"] }}\n\
         B = {{ type = \"revolute\", between = [\"crank.b\", \"coupler.a\"] }}\n\
         C = {{ type = \"revolute\", between = [\"coupler.b\", \"rocker.b\"] }}\n\
         D = {{ type = \"revolute\", between = [\"ground.d\", \"rocker.a\"] }}\n\
         [forces]\nspring = {{ type = \"torsion-spring\", between = [\"ground.d\", \"rocker.a\"], \
         stiffness = \"15 N m/rad\", angle = \"100 deg\" }}\n\
         [start]\ncrank = {{ {}, {} }}\ncoupler = {{ {}, {} }}\nrocker = {{ {}, {} }}\n\
         [run]\nanalysis = \"modal\"\n",
        link("crank", 0.1, 0.25),
        link("coupler", 0.28, 0.7),
        link("rocker", 0.2, 0.5),
        at("0 m", "0 m"),
        turn("60 deg"),
        at("0.05 m", "0.087 m"),
        turn("20 deg"),
        at("0.3 m", "0 m"),
        turn("85 deg"),
    )
}

#[test]
fn redundant_rows_in_space_leave_the_planar_frequency() {
    struct Alone;
    impl gudgeon_model::Resolver for Alone {
        fn read(
            &self,
            _from: &str,
            _name: &str,
        ) -> Result<(String, String), Box<gudgeon_model::diagnostic::Diagnostic>> {
            unreachable!("no other file")
        }
    }
    let spec = ModalSpec { about: About::Equilibrium, modes: None, damped: true };
    let frequencies = ["planar", "spatial"].map(|space| {
        let overrides = gudgeon_model::Overrides::default();
        let loaded =
            gudgeon_model::load_text("four_bar.toml", &four_bar(space), &Alone, &overrides)
                .unwrap_or_else(|e| panic!("{}", e.diagnostics.render(&e.sources, false)));
        let report = analyse(&loaded.model, spec, Limits::default(), &Unwatched).unwrap();
        assert_eq!(report.dependent.len(), if space == "planar" { 0 } else { 3 }, "{space}");
        assert_eq!(report.modes.len(), 1, "{space}");
        report.modes[0].frequency
    });
    let [plane, space] = frequencies;
    assert!((plane - space).abs() < 1e-9 * plane, "{plane} and {space}");
}
