//! Bearing analysis of whole mechanisms, against closed forms, published coefficients and motion.

use std::f64::consts::{PI, TAU};

use crate::common::loaded;
use gudgeon::assembly::assemble;
use gudgeon::bearing::{Bearing, BearingError, BearingReport, analyse};
use gudgeon::film::Stability;
use gudgeon::progress::Unwatched;
use gudgeon::results::Status;
use gudgeon::run::Limits;
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Analysis, Overrides, Resolver, load_text};

fn analysed(name: &str, set: &[(&str, &str)]) -> BearingReport {
    analyse(&loaded(name, set).model, Limits::default(), &Unwatched)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn one(report: &BearingReport) -> &Bearing {
    assert_eq!(report.bearings.len(), 1);
    &report.bearings[0]
}

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    let off = (found - expected).abs() / expected.abs();
    assert!(off <= tolerance, "{what}: {found} is not {expected} (off by {off:.1e})");
}

/// Load, attitude and S of Ocvirk's short bearing by their closed forms; W = 736 N of the model.
#[test]
fn a_short_bearing_rests_by_the_closed_form() {
    for load in ["1 N", "736 N", "20 kN"] {
        let report = analysed("journal_bearing", &[("load", load)]);
        let rest = &one(&report).rest;
        let (e, q) = (rest.eccentricity, 1.0 - rest.eccentricity.powi(2));
        let scale = 0.02 * 100.0 * PI * 0.025 * 0.025f64.powi(3) / (50e-6f64 * 50e-6);
        let expected = scale * e / (4.0 * q * q) * (16.0 * e * e + PI * PI * q).sqrt();
        near(rest.load.norm(), expected, 1e-8, load);
        near(rest.attitude, (PI * q.sqrt() / (4.0 * e)).atan(), 1e-7, load);
        let s = 0.02 * 50.0 * 0.05 * 0.025 * (0.025f64 / 50e-6).powi(2) / rest.load.norm();
        near(rest.sommerfeld, s, 1e-12, load);
    }
}

/// Lund and Thomsen 1978, through a model file: S sets the load.
#[test]
fn two_grooves_have_the_coefficients_of_lund_and_thomsen() {
    for (length, s, e, phi, k, b) in [
        ("25 mm", 0.580, 0.477, 51.01, [2.67, 3.70, -0.78, 1.75], [6.96, 1.94, 1.94, 2.40]),
        ("50 mm", 0.235, 0.460, 49.27, [2.19, 3.57, -0.80, 1.55], [7.36, 1.89, 1.89, 2.19]),
    ] {
        let width: f64 = length.trim_end_matches(" mm").parse::<f64>().unwrap() * 1e-3;
        let load = 0.02 * 50.0 * 0.05 * width * 500.0f64.powi(2) / s;
        let load = format!("{load:.12} N");
        let report = analysed("two_groove_bearing", &[("length", length), ("load", &load)]);
        let rest = &one(&report).rest;
        near(rest.sommerfeld, s, 1e-8, "S");
        assert!((rest.eccentricity - e).abs() < 0.002, "{}", rest.eccentricity);
        assert!((rest.attitude.to_degrees() - phi).abs() < 0.2, "{}", rest.attitude.to_degrees());
        for (n, place) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
            near(rest.coefficients.stiffness_ratio[place], k[n], 0.04, "K");
            near(rest.coefficients.damping_ratio[place], b[n], 0.04, "C");
        }
    }
}

/// A rotor in two bearings, one tilted: loads carry its weight and balance about its centre, and its
/// balanced motion comes to the same rest.
#[test]
fn a_rotor_rests_where_its_motion_ends() {
    let set = [
        ("unbalance", "0 um"),
        ("joints.left.film.model", "short"),
        ("joints.right.film.model", "short"),
        ("run.outputs", OUTPUTS),
        ("run.until", "40 rev"),
        ("run.rtol", "1e-9"),
    ];
    let report = analysed("rotor", &set);
    let [left, right] = &report.bearings[..] else { panic!("two bearings") };
    let weight: f64 = report.bearings.iter().map(|bearing| bearing.rest.load.norm()).sum();
    near(weight, 8.0 * 9.81, 1e-4, "weight");
    assert!(left.tilt < 1e-3 * right.tilt.to_degrees() && right.tilt > 0.0);
    let loaded = loaded("rotor", &set);
    let motion = simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent);
    assert_eq!(motion.status, Status::Done);
    for (bearing, value) in report.bearings.iter().zip(motion.final_values.chunks(3)) {
        near(bearing.rest.eccentricity, value[0], 1e-6, "eccentricity");
        near(bearing.rest.force.f.norm(), value[1], 1e-6, "force");
        near(bearing.rest.force.torque.abs(), value[2].abs(), 1e-6, "torque");
    }
}

const OUTPUTS: &str = "[\"left.eccentricity_ratio\", \"left.film_force\", \"left.film_torque\", \"right.eccentricity_ratio\", \"right.film_force\", \"right.film_torque\"]";

/// The critical mass separates journals that come to rest from those that whirl, and a lightly loaded
/// plain bearing whirls at half speed.
#[test]
fn the_whirl_limit_is_that_of_the_motion() {
    let whirl = |set| match one(&analysed("journal_bearing", set)).rest.coefficients.stability() {
        Stability::Below(whirl) => whirl,
        other => panic!("{other:?}"),
    };
    near(whirl(&[("load", "1 N")]).speed / (100.0 * PI), 0.5, 1e-3, "half speed");
    let limit = whirl(&[]).mass;
    let swing = |share: f64| {
        let mass = format!("{} kg", share * limit);
        let set = [
            ("bodies.journal.mass", &mass[..]),
            ("run.until", "2 s"),
            ("run.measure_from", "1.9 s"),
        ];
        let loaded = loaded("journal_bearing", &set);
        let report = simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent);
        assert_eq!(report.status, Status::Done);
        let e = report.extremes.iter().find(|e| e.name == "bearing.eccentricity_ratio").unwrap();
        e.max - e.min
    };
    // From the centre the journal first swings wide, and the limit is one of small motions.
    assert!(swing(0.8) < 1e-3, "{}", swing(0.8));
    assert!(swing(1.2) > 0.1, "{}", swing(1.2));
}

/// A heavily loaded plain bearing is stable with any mass.
#[test]
fn a_heavy_load_keeps_every_mass_at_rest() {
    let report = analysed("journal_bearing", &[("load", "30 kN")]);
    let rest = &one(&report).rest;
    assert!(rest.eccentricity > 0.8, "{}", rest.eccentricity);
    assert_eq!(rest.coefficients.stability(), Stability::Always);
}

#[test]
fn what_has_no_rest_is_refused_in_words_of_the_model() {
    let refused = |name: &str, set: &[(&str, &str)]| {
        analyse(&loaded(name, set).model, Limits::default(), &Unwatched).unwrap_err()
    };
    assert_eq!(refused("pendulum", &[]), BearingError::NoFilm);
    let still = refused("journal_bearing", &[("speed", "0 rpm")]);
    assert_eq!(still, BearingError::NoRotation { joint: "bearing".into() });
    // Nothing holds the axle's turning but the drag of its oil.
    let message = refused("squeeze_film", &[]).to_string();
    assert!(message.contains("does not turn"), "{message}");
}

/// What the analysis does not know of is refused or told.
#[test]
fn turning_bearings_and_dry_contact_are_not_passed_over() {
    let text = include_str!("../../../../models/journal_bearing/model.toml")
        .replace("between = [\"ground\", \"journal\"]", "between = [\"ring\", \"journal\"]")
        .replace(
            "[drivers.motor]",
            "[bodies.ring]\nmass = \"1 kg\"\ninertia = \"1e-3 kg m^2\"\n[joints.hinge]\ntype = \"revolute\"\nbetween = [\"ground\", \"ring\"]\n[drivers.ring_drive]\njoint = \"hinge\"\nspeed = \"100 rad/s\"\n[drivers.motor]",
        )
        .replace("pressure_at", "# pressure_at");
    let loaded = match load_text("ring.toml", &text, &Nowhere, &Overrides::default()) {
        Ok(loaded) => loaded,
        Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
    };
    assert_eq!(
        analyse(&loaded.model, Limits::default(), &Unwatched).unwrap_err(),
        BearingError::Turning { joint: "bearing".into() }
    );
    let rough = analysed("run_down_bearing", &[("speed", "50 rpm")]);
    assert!(rough.warnings.iter().any(|warning| warning.code == "W0321"));
    let smooth = analysed("run_down_bearing", &[]);
    assert!(smooth.warnings.is_empty(), "{:?}", smooth.warnings);
}

/// The tilt of a short film is that of the exact one, a third of Eq. 38 of tian.
#[test]
fn tilts_of_short_films_are_exact() {
    let rest = |model| {
        let report = analysed("journal_bearing", &[("joints.bearing.film.model", model)]);
        one(&report).rest.coefficients
    };
    let (short, exact) = (rest("short"), rest("short-exact"));
    near(short.stiffness[(0, 1)], exact.stiffness[(0, 1)], 1e-6, "stiffness");
    near(short.tilt_damping[(1, 1)], exact.tilt_damping[(1, 1)], 1e-6, "tilt");
}

#[test]
fn a_centred_journal_is_warned_of() {
    let report = analysed("journal_bearing", &[("load", "0 N")]);
    let bearing = one(&report);
    assert!(bearing.rest.eccentricity < 1e-9);
    assert!(report.warnings.iter().any(|warning| warning.code == "W0320"));
    assert_eq!(bearing.rest.coefficients.stability(), Stability::Never);
    // Half speed whirl of a centred journal: K is C turned by ω/2.
    let c = &bearing.rest.coefficients;
    near(c.stiffness[(0, 1)], 0.5 * 100.0 * PI * c.damping[(0, 0)], 1e-6, "cross stiffness");
}

#[test]
fn the_values_of_a_parameter_are_those_asked_for() {
    let Analysis::Bearing(Some(vary)) = loaded("two_groove_bearing", &[]).analysis else {
        panic!("a bearing analysis that varies its speed")
    };
    assert_eq!((vary.parameter.as_str(), vary.values.len()), ("speed", 24));
    near(vary.values[0], 500.0 / 60.0 * TAU, 1e-12, "first");
    near(vary.values[23], 200.0 * TAU, 1e-12, "last");
    near(vary.values[1] / vary.values[0], vary.values[23] / vary.values[22], 1e-9, "spread");
    let listed = [("run.analysis", "bearing"), ("run.vary", "{ load = [\"1 N\", \"2 kN\"] }")];
    let Analysis::Bearing(Some(vary)) = loaded("journal_bearing", &listed).analysis else {
        panic!("a list")
    };
    assert_eq!(vary.values, [1.0, 2000.0]);
    // The command line replaces the parameter of the file, or its analysis.
    let Analysis::Bearing(Some(vary)) = loaded("two_groove_bearing", &listed[1..]).analysis else {
        panic!("another parameter")
    };
    assert_eq!((vary.parameter.as_str(), vary.values.len()), ("load", 2));
    let moving = loaded("two_groove_bearing", &[("run.analysis", "motion"), ("run.until", "1 s")]);
    assert_eq!(moving.analysis, Analysis::Motion);
}

/// Pads say the same as the grooves between them.
#[test]
fn pads_are_what_grooves_leave() {
    let text = include_str!("../../../../models/two_groove_bearing/model.toml");
    let (head, rest) = text.split_once("grooves = [").unwrap();
    let (_, tail) = rest.split_once("\n]\n").unwrap();
    let pads = "pads = [{ angle = \"-90 deg\", width = \"160 deg\" }, { angle = \"90 deg\", width = \"160 deg\" }]";
    let text = format!("{head}{pads}\nsupply_pressure = \"0 bar\"\n{tail}");
    let padded = match load_text("pads.toml", &text, &Nowhere, &Overrides::default()) {
        Ok(loaded) => analyse(&loaded.model, Limits::default(), &Unwatched).unwrap(),
        Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
    };
    let grooved = analysed("two_groove_bearing", &[]);
    let (padded, grooved) = (&one(&padded).rest, &one(&grooved).rest);
    near(padded.eccentricity, grooved.eccentricity, 1e-9, "eccentricity");
    near(padded.attitude, grooved.attitude, 1e-9, "attitude");
}

/// No files beside the text.
struct Nowhere;

impl Resolver for Nowhere {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        Err(Box::new(Diagnostic::error("G0001", format!("no file `{name}`"))))
    }
}

/// Every model finds its rest from light to heavy loads, and bears what it is given.
#[test]
fn every_film_finds_its_rest() {
    for model in ["short", "short-exact", "long", "finite"] {
        for load in [1e-3, 1.0, 1e3, 1e6] {
            let load = format!("{load} N");
            let report = analysed(
                "journal_bearing",
                &[("joints.bearing.film.model", model), ("load", &load)],
            );
            let rest = &one(&report).rest;
            let asked: f64 = load.trim_end_matches(" N").parse().unwrap();
            near(rest.load.norm(), asked, 1e-6, model);
            near(rest.load.y, -asked, 1e-6, model);
        }
    }
}
