//! Static and modal analyses of shipped models, against the bearing analysis and against motion.

use crate::common::loaded;
use gudgeon::assembly::assemble;
use gudgeon::bearing;
use gudgeon::equilibrium::{Steady, find};
use gudgeon::film::Stability;
use gudgeon::modal::{About, ModalSpec, analyse};
use gudgeon::progress::Unwatched;
use gudgeon::run::Limits;
use gudgeon::sensor::resolve;
use gudgeon::system::Plant;
use gudgeon_dae::linear::Entries;
use gudgeon_dae::{ImplicitDae, Place, SecondOrderDae};
use gudgeon_model::Analysis;
use gudgeon_model::shipped::SHIPPED;
use nalgebra::DMatrix;

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
    let spec =
        ModalSpec { about: About::Equilibrium, modes: None, damped: true, impact_speed: None };
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
    assert_eq!(
        modal.spec,
        ModalSpec { about: About::Equilibrium, modes: Some(6), damped: true, impact_speed: None }
    );
    let undamped = [("run.undamped", "true"), ("run.about", "start")];
    let Analysis::Modal(modal) = loaded("suspended_platform", &undamped).analysis else { panic!() };
    assert_eq!(
        modal.spec,
        ModalSpec { about: About::Start, modes: Some(6), damped: false, impact_speed: None }
    );
    let Analysis::Static(rest) = loaded("snap_arch", &[]).analysis else { panic!() };
    assert_eq!(rest.vary.unwrap().values.len(), 13);
    let Analysis::Response(response) = loaded("jeffcott_rotor", &[]).analysis else { panic!() };
    assert_eq!((response.frequencies.len(), response.about), (151, About::Spinning));
    // The command line may ask for another analysis than the keys of the file are for.
    let other = [("run.analysis", "modal")];
    assert!(matches!(loaded("snap_arch", &other).analysis, Analysis::Modal(_)));
    assert!(matches!(loaded("jeffcott_rotor", &other).analysis, Analysis::Modal(_)));
}

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
    let spec =
        ModalSpec { about: About::Equilibrium, modes: None, damped: true, impact_speed: None };
    let frequencies = ["planar", "spatial"].map(|space| {
        let report =
            analyse(&model(&four_bar(space)), spec, Limits::default(), &Unwatched).unwrap();
        assert_eq!(report.dependent.len(), if space == "planar" { 0 } else { 3 }, "{space}");
        assert_eq!(report.modes.len(), 1, "{space}");
        report.modes[0].frequency
    });
    let [plane, space] = frequencies;
    assert!((plane - space).abs() < 1e-9 * plane, "{plane} and {space}");
}

/// A model from its text.
fn model(text: &str) -> gudgeon::model::Model {
    let overrides = gudgeon_model::Overrides::default();
    gudgeon_model::load_text("test.toml", text, &Alone, &overrides)
        .unwrap_or_else(|e| panic!("{}", e.diagnostics.render(&e.sources, false)))
        .model
}

#[test]
fn loads_of_pieces_rest_on_the_piece_that_holds() {
    // 100 N push a mass: 100 N/m from the start and 900 N/m more behind 0.5 m, as a corner and as a table.
    for stop in [
        "900 N/m * max(mass.position.x - 0.5 m, 0 m)",
        "table([-9 m, 0.5 m, 9.5 m], [0 N, 0 N, 8100 N], mass.position.x)",
    ] {
        let text = format!(
            "format = 1\n[bodies.mass]\nmass = \"1 kg\"\ninertia = \"1 kg m^2\"\n\
             [joints]\nguide = {{ type = \"prismatic\", between = [\"ground\", \"mass\"] }}\n\
             [forces]\nload = {{ type = \"force\", on = \"mass\", \
             force = \"= 100 N - 100 N/m * mass.position.x - {stop}, 0\" }}\n[run]\nanalysis = \"static\"\n"
        );
        let model = model(&text);
        let place = resolve(&model, "mass.position.x").expect("an output");
        let rest = find(&model, Steady::Still, &[place], Limits::default(), &Unwatched).unwrap();
        let wanted = (100.0 + 450.0) / 1000.0;
        assert!((rest.outputs[0] - wanted).abs() < 1e-9, "{} is not {wanted}", rest.outputs[0]);
        let spec =
            ModalSpec { about: About::Equilibrium, modes: None, damped: true, impact_speed: None };
        let modes = analyse(&model, spec, Limits::default(), &Unwatched).unwrap().modes;
        let wanted = 1000.0_f64.sqrt() / std::f64::consts::TAU;
        assert!((modes[0].frequency - wanted).abs() < 1e-9 * wanted, "{}", modes[0].frequency);
    }
}

#[test]
fn a_journal_that_rests_swings_in_its_bearing_and_is_damped_where_it_is_asked_for() {
    let model = model(
        "format = 1\n[model]\ngravity = \"9.81 m/s^2 along -y\"\n\
         [bodies.shaft]\nmass = \"3 kg\"\ninertia = \"0.01 kg m^2\"\n\
         [joints.pin]\ntype = \"revolute\"\nbetween = [\"ground\", \"shaft\"]\n\
         clearance = { bearing_radius = \"20 mm\", radial = \"1 mm\", contact = { law = \"lankarani-nikravesh\", \
         stiffness = \"1e9 N/m^1.5\", restitution = 0.5, onset_floor = \"1e-3 m/s\" } }\n[run]\nanalysis = \"modal\"\n",
    );
    let (weight, mass) = (3.0 * 9.81, 3.0);
    let depth = (weight / 1e9_f64).powf(1.0 / 1.5);
    // Across: a pendulum of the length of the eccentricity, F/|e|. Along: 1.5 K √δ, and hysteresis a F/δ̇⁽⁻⁾.
    let across = (weight / (1e-3 + depth) / mass).sqrt();
    let along = (1.5 * weight / depth / mass).sqrt();
    let ratio = 0.75 * 0.75 * weight / 0.2 / (2.0 * mass * along);
    for (impact_speed, damping) in [(None, 0.0), (Some(0.2), ratio)] {
        let spec = ModalSpec { about: About::Equilibrium, modes: None, damped: true, impact_speed };
        let modes = analyse(&model, spec, Limits::default(), &Unwatched).unwrap().modes;
        let size = |mode: &gudgeon::modal::Mode| mode.eigenvalue[0].hypot(mode.eigenvalue[1]);
        let swing = modes.iter().find(|mode| (size(mode) / across - 1.0).abs() < 1e-7);
        assert!(swing.is_some_and(|mode| mode.damping_ratio.abs() < 1e-9), "no swing across");
        let bounce = modes.iter().find(|mode| (size(mode) / along - 1.0).abs() < 1e-7);
        let found = bounce.expect("it bounces along its load").damping_ratio;
        assert!((found - damping).abs() < 1e-9, "{found} is not {damping}");
    }
}

fn near(name: &str, found: &[f64], wanted: &[f64]) {
    let size = wanted.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
    assert_eq!(found.len(), wanted.len(), "{name}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() <= 1e-8 * size, "{name}: {found} is not {wanted}");
    }
}

/// Rest and small motions are the same in any coordinates.
#[test]
fn analyses_of_shipped_models_find_the_same_in_joint_coordinates() {
    let (limits, mut compared) = (Limits::default(), [0; 4]);
    for shipped in SHIPPED {
        let [wanted, found] = [&[][..], &[("model.coordinates", "joint")]]
            .map(|set: &[(&str, &str)]| loaded(shipped.name, set));
        let both = [&wanted, &found];
        match &wanted.analysis {
            Analysis::Motion | Analysis::Ked => continue,
            Analysis::Bearing(_) => {
                let [wanted, found] = both.map(|loaded| {
                    let report = bearing::analyse(&loaded.model, limits, &Unwatched).unwrap();
                    let rest = report.bearings.into_iter().map(|bearing| bearing.rest);
                    rest.flat_map(|rest| [rest.eccentricity, rest.attitude]).collect::<Vec<_>>()
                });
                near(shipped.name, &found, &wanted);
                compared[0] += 1;
            }
            Analysis::Static(_) => {
                let [wanted, found] = both.map(|loaded| {
                    let outputs = &loaded.run.outputs[..];
                    let steady = gudgeon::equilibrium::standing(&loaded.model);
                    find(&loaded.model, steady, outputs, limits, &Unwatched)
                        .map(|rest| rest.outputs)
                });
                // Some rest only along a path.
                assert_eq!(found.is_ok(), wanted.is_ok(), "{}", shipped.name);
                let (Ok(found), Ok(wanted)) = (found, wanted) else { continue };
                near(shipped.name, &found, &wanted);
                compared[1] += 1;
            }
            Analysis::Modal(modal) => {
                let [wanted, found] = both.map(|loaded| {
                    let modes =
                        analyse(&loaded.model, modal.spec, limits, &Unwatched).unwrap().modes;
                    modes.iter().flat_map(|mode| mode.eigenvalue).collect::<Vec<_>>()
                });
                near(shipped.name, &found, &wanted);
                compared[2] += 1;
            }
            Analysis::Response(one) => {
                let [wanted, found] = both.map(|loaded| {
                    let work = (limits, &Unwatched as &dyn gudgeon::progress::Progress);
                    let outputs = &loaded.run.outputs[..];
                    let (about, load) = (one.about, one.excitation);
                    let report = gudgeon::modal::respond(
                        &loaded.model,
                        about,
                        load,
                        &one.frequencies[..3],
                        outputs,
                        work,
                    );
                    let points = report.unwrap().points;
                    points.iter().flat_map(|point| point.outputs.concat()).collect::<Vec<_>>()
                });
                near(shipped.name, &found, &wanted);
                compared[3] += 1;
            }
        }
    }
    assert!(compared.iter().all(|count| *count > 0), "{compared:?}");
}

/// Frequencies by M and K of joint coordinates themselves, which have no rows: λ² of det(K + λ² M).
#[test]
fn joint_coordinates_vibrate_as_the_modal_analysis_says() {
    let model = loaded("rfem_cantilever", &[("model.coordinates", "joint")]).model;
    let start = assemble(&model).unwrap();
    let mut plant = Plant::new(&start.system);
    let (dims, y) = (plant.dims(), start.state());
    assert_eq!(dims.rows, 0, "every joint carries an element");
    let (mut terms, mut tangents) = (plant.blank_terms(), plant.blank_tangents());
    plant.terms(0.0, &y, &[], &mut terms).unwrap();
    let rest = vec![0.0; dims.v];
    let at = Place { t: 0.0, y: &y, acceleration: &rest, lambda: &[] };
    assert!(plant.tangents(at, &mut tangents).unwrap());
    let full = |entries: &Entries| {
        let mut full = DMatrix::zeros(dims.v, dims.v);
        entries.iter().for_each(|(i, j, value)| full[(i, j)] = value);
        full
    };
    let (mass, stiffness) = (full(&terms.mass), full(&tangents.stiffness));
    let root = mass.cholesky().unwrap();
    let half = root.l().solve_lower_triangular(&stiffness).unwrap();
    let whole = root.l().solve_lower_triangular(&half.transpose()).unwrap();
    let mut found: Vec<f64> = whole.symmetric_eigenvalues().iter().map(|x| x.sqrt()).collect();
    found.sort_by(f64::total_cmp);
    let spec =
        ModalSpec { about: About::Start, modes: Some(12), damped: false, impact_speed: None };
    let modes = analyse(&model, spec, Limits::default(), &Unwatched).unwrap().modes;
    let mut wanted: Vec<f64> = modes.iter().map(|mode| mode.eigenvalue[1].abs()).collect();
    wanted.sort_by(f64::total_cmp);
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(&wanted) {
        assert!((found / wanted - 1.0).abs() < 1e-8, "{found} is not {wanted}");
    }
}
