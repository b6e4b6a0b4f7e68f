//! Lubricated mechanisms against closed forms and reference solutions, and implicit runs of dry ones
//! against explicit runs.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::common::loaded;
use gudgeon::assembly::assemble;
use gudgeon::ensemble::{EnsembleOptions, ensemble};
use gudgeon::progress::Unwatched;
use gudgeon::results::{LedgerKind, RunReport, Status};
use gudgeon::simulate::{Silent, simulate};

fn run(name: &str, set: &[(&str, &str)]) -> RunReport {
    let loaded = loaded(name, set);
    simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent)
}

fn done(name: &str, set: &[(&str, &str)]) -> RunReport {
    let report = run(name, set);
    assert_eq!(report.status, Status::Done, "{name} {set:?}");
    report
}

/// (min, max) of an output.
fn range(report: &RunReport, name: &str) -> (f64, f64) {
    let extreme = report.extremes.iter().find(|e| e.name == name).expect("a known output");
    (extreme.min, extreme.max)
}

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    let off = (found - expected).abs() / expected.abs();
    assert!(off <= tolerance, "{what}: {found} is not {expected} (off by {off:.1e})");
}

#[test]
fn the_slider_crank_of_tian_has_its_figures_in_the_plane_and_in_space() {
    // Figures of an independent program, given to as many digits as the tolerance asks for.
    for name in ["lubricated_slider_crank", "lubricated_slider_crank_space"] {
        let report = done(name, &[]);
        near(range(&report, "slider.acceleration.x").0, -19441.0, 1e-5, name);
        near(range(&report, "pin.film_force").1, 2721.75, 1e-5, name);
        near(range(&report, "pin.eccentricity_ratio").1, 0.71874, 1e-5, name);
        assert!(report.energy.residual_relative() < 1e-5);
        assert_eq!(report.solver.method, "radau5");
        assert!(report.solver.reason.contains("film"), "{}", report.solver.reason);
        assert!(report.solver.statistics.factorisations.total() > 0);
    }
}

#[test]
fn a_loaded_journal_settles_where_the_closed_form_says() {
    let report = done("journal_bearing", &[]);
    let e = range(&report, "bearing.eccentricity_ratio").1;
    let q = 1.0 - e * e;
    let scale = 0.02 * 100.0 * PI * 0.025 * 0.025f64.powi(3) / (50e-6f64 * 50e-6);
    let load = scale * e / (4.0 * q * q) * (16.0 * e * e + PI * PI * q).sqrt();
    near(load, 736.0, 1e-6, "load");
    let attitude = (PI * q.sqrt() / (4.0 * e)).atan();
    near(range(&report, "bearing.attitude").1, attitude, 1e-6, "attitude");
    // The journal rests, so pumping is what the wedge takes: all power comes from the motor.
    let (loss, torque) =
        (range(&report, "bearing.power_loss"), range(&report, "bearing.film_torque"));
    near(loss.1, torque.0.abs() * 100.0 * PI, 1e-6, "power");
}

#[test]
fn a_shaft_sinks_through_its_film_as_the_closed_form_says() {
    let report = done("squeeze_film", &[]);
    let e = range(&report, "bearing.eccentricity_ratio").1;
    // (aligned squeeze) dt = μRB³/(c²W) f(ε) dε; inertia delays it by less than a millisecond.
    let squeeze = |e: f64| {
        let q = 1.0 - e * e;
        (1.0 + 2.0 * e * e) * (FRAC_PI_2 + e.asin()) / q.powf(2.5) + 3.0 * e / (q * q)
    };
    let n = 2000;
    let simpson: f64 = (0..=n)
        .map(|i| {
            let weight = if i == 0 || i == n {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            };
            weight * squeeze(e * f64::from(i) / f64::from(n))
        })
        .sum::<f64>()
        * e
        / (3.0 * f64::from(n));
    let t = 0.1 * 0.02 * 0.02f64.powi(3) / (1e-4f64 * 1e-4 * 9.81) * simpson;
    assert!((t - 2.0).abs() < 1e-3, "{t} s to sink to {e}");
    // In thinner oil it reaches its roughness, and the user is told.
    let thin = done("squeeze_film", &[("run.until", "500 s"), ("viscosity", "0.01 Pa s")]);
    assert!(thin.warnings.iter().any(|w| w.code == "W0311"), "{:?}", thin.warnings);
}

#[test]
fn dry_models_have_the_same_first_impacts_by_every_method() {
    let base = [("run.until", "1.2 ms"), ("run.measure_from", "0 s"), ("run.rtol", "1e-11")];
    let exact = done("slider_crank", &base);
    for (method, rtol) in [("radau5", "1e-8"), ("bdf", "1e-11"), ("generalized-alpha", "1e-11")] {
        let mut set = base.to_vec();
        set[2].1 = rtol;
        set.push(("run.method", method));
        let report = done("slider_crank", &set);
        assert_eq!(report.solver.method, method);
        for (a, b) in exact.impacts.iter().zip(&report.impacts).take(3) {
            near(b.t, a.t, 1e-5, method);
            near(b.speed_in, a.speed_in, 1e-5, method);
            near(b.speed_out.unwrap(), a.speed_out.unwrap(), 1e-5, method);
            near(b.peak_force, a.peak_force, 1e-5, method);
        }
    }
}

/// The slider-crank with thin oil and rough surfaces that touch.
const ROUGH: [(&str, &str); 8] = [
    ("viscosity", "0.004 Pa s"),
    ("run.until", "2 rev"),
    ("run.measure_from", "1 rev"),
    ("joints.pin.film.model", "hybrid"),
    ("joints.pin.film.roughness", "5 um"),
    ("joints.pin.clearance.contact.law", "hertz"),
    ("joints.pin.clearance.contact.material", "steel"),
    ("joints.pin.friction", "{ law = \"coulomb\", mu = 0.1 }"),
];

#[test]
fn a_hybrid_film_gives_its_load_to_dry_contact_and_back() {
    let at = |rtol| {
        let mut set = ROUGH.to_vec();
        set.push(("run.rtol", rtol));
        done("lubricated_slider_crank", &set)
    };
    let (loose, tight) = (at("1e-6"), at("1e-8"));
    for (a, b) in loose.extremes.iter().zip(&tight.extremes) {
        near(a.abs_max().0, b.abs_max().0, 2e-3, &a.name);
    }
    let line = |kind| tight.energy.lines.iter().find(|line| line.kind == kind).unwrap().value;
    // Film and friction lose energy apart from each other; elastic contact gives its own back.
    assert!(line(LedgerKind::FilmShear) < 0.0 && line(LedgerKind::FilmPumping) < 0.0);
    assert!(line(LedgerKind::ContactFriction) < -0.05, "{}", line(LedgerKind::ContactFriction));
    assert!(line(LedgerKind::ContactNormal).abs() < 1e-3 * line(LedgerKind::ContactFriction).abs());
    assert!(tight.energy.residual_relative() < 1e-7, "{}", tight.energy.residual_relative());
    assert!(tight.films[0].thinnest < 5e-6 && tight.films[0].thinnest > 0.0);
    assert!(tight.contacts[0].impacts == 2 && tight.warnings.iter().all(|w| w.code != "W0311"));
}

fn told(name: &str, set: &[(&str, &str)]) -> (String, String) {
    match run(name, set).status {
        Status::Failed(error) => (error.to_string(), error.help.to_string()),
        status => panic!("{status:?}"),
    }
}

#[test]
fn a_step_that_newton_cannot_solve_is_told_in_words_of_the_model() {
    let (message, help) = told("n_four_bar", &[("run.method", "newmark"), ("run.step", "0.5 s")]);
    assert_eq!(
        message,
        "the run stopped at t = 0.000000000e0 s: a step of 5.0e-1 s cannot be solved, because \
         Newton's iteration does not converge; farthest from balance is the turning of body `post_b`, \
         by 1.2e1 times the motion of the mechanism in that step"
    );
    assert_eq!(
        help,
        "take a smaller `step`, or leave it out so that steps follow the tolerance; if that fails \
         too, look there for a force that jumps or a mass that is too small, try another `method`, or a larger `rtol` if it is near rounding"
    );
}

#[test]
fn a_step_through_a_film_is_told_from_a_film_that_gives_way() {
    for (method, step) in [("rk4", "50 us"), ("newmark", "3 ms"), ("radau5", "3 ms")] {
        let set = [("run.method", method), ("run.step", step)];
        let (message, help) = told("lubricated_slider_crank", &set);
        let size = if method == "rk4" { "5.0e-5" } else { "3.0e-3" };
        let film = format!(
            "a step of {size} s takes the journal of `pin` through its film into the bearing"
        );
        assert!(message.ends_with(&film), "{message}");
        assert!(help.starts_with("take a smaller `step`, or leave it out"), "{help}");
    }
}

/// A journal runs down: film and rough contact share the load, which balances at every moment but for
/// a millionth of inertia, and all losses have lines of their own.
#[test]
fn a_journal_that_runs_down_hands_its_load_to_dry_contact() {
    let outputs = "[\"bearing.film_force.x\", \"bearing.film_force.y\", \"bearing.contact_force.x\", \"bearing.contact_force.y\", \"bearing.contact_force\", \"bearing.film_thickness\", \"bearing.film_torque\", \"motor.torque\"]";
    let set = [("run.outputs", outputs), ("run.rtol", "1e-9")];
    let report = done("run_down_bearing", &set);
    let [fx, fy, nx, ny, n, film, drag, torque] = report.final_values[..] else { panic!("eight") };
    near(fy + ny, 1000.0, 1e-5, "load");
    assert!((fx + nx).abs() < 1e-2, "{fx} {nx}");
    assert!(n > 500.0 && film < 5e-6 && film > 0.0);
    // Friction acts at the journal's radius; the rest is the film's drag and the journal's inertia.
    let inertia = -6.25e-4 * 1500.0 / 60.0 * 2.0 * PI / 10.0;
    let lever = 0.025 * 0.12 / (1.0f64 + 0.12 * 0.12).sqrt();
    near(torque - inertia + drag, n * lever, 1e-3, "friction");
    assert_eq!(report.impacts.len(), 1);
    let line = |kind| report.energy.lines.iter().find(|line| line.kind == kind).unwrap().value;
    for kind in [LedgerKind::FilmShear, LedgerKind::FilmPumping, LedgerKind::ContactFriction] {
        assert!(line(kind) < -0.1, "{kind:?}");
    }
    assert!(report.energy.residual_relative() < 1e-5);
}

/// A fixed step cannot be made shorter where it is hard to solve: tangents are renewed until it is.
#[test]
fn long_fixed_steps_are_solved() {
    for (step, tolerance) in [("20 us", 1e-3), ("40 us", 1e-3), ("80 us", 3e-3)] {
        let set = [("run.method", "generalized-alpha"), ("run.step", step), ("run.rtol", "1e-8")];
        let report = done("lubricated_slider_crank", &set);
        near(range(&report, "slider.acceleration.x").0, -19441.0, tolerance, step);
    }
}

/// Where all frames lie in one point a nanometre of offset must not become the size of the mechanism.
#[test]
fn ensembles_of_a_driven_journal_start() {
    let loaded = loaded("journal_bearing", &[("run.until", "5 ms"), ("run.measure_from", "0 s")]);
    let options = EnsembleOptions { runs: 3, seed: 1, jobs: 1 };
    let report = ensemble(&loaded.model, &loaded.run, options, &Unwatched).unwrap();
    assert!(report.failures.is_empty(), "{:?}", report.failures);
}

/// The film of a shaft that sinks for a thousand seconds thins steadily, by the closed form to 0.32 µm.
#[test]
fn a_film_thins_steadily_however_thin() {
    for (method, rtol) in [("radau5", "1e-6"), ("radau5", "1e-7"), ("bdf", "1e-7")] {
        let set = [("run.until", "1000 s"), ("run.method", method), ("run.rtol", rtol)];
        let report = done("squeeze_film", &set);
        let (least, _) = range(&report, "bearing.film_thickness");
        near(least, 3.2e-7, 5e-3, method);
        near(range(&report, "bearing.film_force").1, 9.81, 1e-2, method);
        let last = report.extremes.iter().find(|e| e.name == "bearing.film_thickness").unwrap();
        assert!(last.t_min > 999.0, "{method} {rtol}: thinnest at {}", last.t_min);
    }
}

/// Steps far too long for their film are told by the energy that is missing.
#[test]
fn a_balance_that_does_not_close_is_warned_of() {
    let codes = |rtol| -> Vec<&str> {
        let report = done("lubricated_slider_crank", &[("run.rtol", rtol)]);
        report.warnings.iter().map(|warning| warning.code).collect()
    };
    assert_eq!(codes("1e-2"), ["W0314"]);
    assert!(codes("1e-5").is_empty());
}

/// μ = ν ρ, of a text, of an expression and of a number on the command line, which is SI.
#[test]
fn kinematic_viscosities_take_the_density() {
    let viscosity = |set: &[(&str, &str)]| {
        let joints = loaded("squeeze_film", set).model.joints;
        joints.into_iter().find_map(|joint| joint.clearance?.film).unwrap().film.shape.viscosity
    };
    let (nu, rho) = ("joints.bearing.film.viscosity", "joints.bearing.film.density");
    for given in ["46 cSt", "46 mm^2/s", "=2 * 23 cSt", "=viscosity / (0.1 Pa s) * 46 cSt", "46e-6"]
    {
        let found = viscosity(&[(nu, given), (rho, "870 kg/m^3")]);
        near(found, 46e-6 * 870.0, 1e-15, given);
    }
    assert_eq!(viscosity(&[(nu, "40.02 cP")]), 0.04002);
    assert_eq!(viscosity(&[(nu, "0.04")]), 0.04, "without a density a number is dynamic");
}
