//! Kineto-elastodynamics of files: against closed forms, against itself at other steps and meshes, against the paper.

use std::f64::consts::PI;

use gudgeon::assembly::assemble;
use gudgeon::results::{RunReport, Status};
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::diagnostic::{Diagnostic, Severity};
use gudgeon_model::{Loaded, Overrides, Resolver, load_text, shipped};

struct Nothing;

impl Resolver for Nothing {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        Err(Box::new(Diagnostic::error("G0001", format!("no file {name}"))))
    }
}

fn overrides(set: &[(&str, &str)]) -> Overrides {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Overrides { set, ..Overrides::default() }
}

fn run(loaded: &Loaded) -> RunReport {
    let start = assemble(&loaded.model).unwrap();
    let report = simulate(&start, &loaded.run, &mut Silent);
    assert_eq!(report.status, Status::Done);
    report
}

fn shipped(name: &str, set: &[(&str, &str)]) -> RunReport {
    match shipped::load(shipped::find(name).unwrap(), &overrides(set)) {
        Ok(loaded) => run(&loaded),
        Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
    }
}

fn of(text: &str, set: &[(&str, &str)]) -> RunReport {
    match load_text("ked.toml", text, &Nothing, &overrides(set)) {
        Ok(loaded) => {
            let errors = loaded.warnings.iter().filter(|d| d.severity == Severity::Error).count();
            assert_eq!(errors, 0);
            run(&loaded)
        }
        Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
    }
}

fn largest(report: &RunReport, output: &str) -> f64 {
    report.extremes.iter().find(|e| e.name == output).expect("an output").abs_max().0
}

/// A beam of a metre that a driver holds or turns at its root.
const BEAM: &str = r#"
format = 1
[model]
gravity = "9.81 m/s^2 along -y"
[parameters]
elements = 4
speed = "0 rad/s"
[bodies.beam]
frames = { root = "0, 0", tip = "1 m, 0", middle = { along = 0.5 } }
shape = { box = "5 mm x 20 mm", from = "root", to = "tip", material = "steel" }
section = { young = "2.1e11 Pa", mass_per_length = "0.78 kg/m", rotary = false }
flexible = { method = "rigid", elements = "=elements" }
[joints]
root = { type = "revolute", between = ["ground", "beam.root"] }
[drivers]
motor = { joint = "root", speed = "=speed" }
[run]
analysis = "ked"
ked = { step = "1 ms" }
until = "0.5 s"
outputs = ["beam.tip.displacement.y", "beam.root.section_moment.z", "beam.tip.deflection.y", "beam.strain_energy", "beam.tip.position.y", "beam.middle.bending_strain"]
"#;

/// Of that beam: EI, N m², and its weight per length, N/m.
fn beam() -> (f64, f64) {
    (2.1e11 * 0.02 * 0.005_f64.powi(3) / 12.0, 0.78 * 9.81)
}

#[test]
fn a_held_beam_sags_as_a_cantilever() {
    let report = of(BEAM, &[("run.ked.start", "quasi-static")]);
    let (bending, weight) = beam();
    let sag = weight / (8.0 * bending);
    // Cubic elements are exact at their nodes under an even load, and at rest nothing moves from there.
    assert!((largest(&report, "beam.tip.displacement.y") / sag - 1.0).abs() < 1e-9);
    assert!((largest(&report, "beam.tip.position.y") / sag - 1.0).abs() < 1e-9);
    // Moments are those of linear curvatures: off by q l²/12 with elements of length l.
    let moment = 0.5 * weight - weight / (12.0 * 16.0);
    assert!((largest(&report, "beam.root.section_moment.z") / moment - 1.0).abs() < 1e-9);
    let ked = report.ked.unwrap();
    assert_eq!((ked.elements, ked.coordinates, &ked.locked[..]), (4, 12, &["root".to_owned()][..]));
}

#[test]
fn a_beam_let_go_swings_to_twice_its_sag_at_its_own_frequency() {
    let report = of(BEAM, &[("elements", "8"), ("run.ked.step", "0.1 ms")]);
    let (bending, weight) = beam();
    let sag = weight / (8.0 * bending);
    let swing = largest(&report, "beam.tip.displacement.y") / sag;
    // Higher modes add a few per cent.
    assert!((swing - 2.0).abs() < 0.1, "{swing}");
    let first = 3.516_015 / (2.0 * PI) * (bending / 0.78).sqrt();
    let found = report.ked.unwrap().frequencies[0];
    // Consistent masses: from above, by (l/L)⁴.
    assert!((0.0..1e-5).contains(&(found / first - 1.0)), "{found} {first}");
}

#[test]
fn geometric_stiffness_of_the_rigid_motion_gives_the_frequencies_of_spinning_beams() {
    let (bending, _) = beam();
    let unit = (bending / 0.78).sqrt();
    // γ = Ω √(ρA L⁴/EI), first flapwise frequency of a beam on an axis (Wright et al. 1982).
    for (gamma, first, second) in [(2.0, 4.13732, 22.6149), (4.0, 5.58500, 24.2734)] {
        let speed = format!("{} rad/s", gamma * unit);
        let set = [
            ("elements", "16"),
            ("speed", &speed),
            ("run.ked.geometric_stiffness", "rigid"),
            ("model.gravity", "0 m/s^2 along -y"),
            ("run.until", "10 ms"),
        ];
        let frequencies = of(BEAM, &set).ked.unwrap().frequencies;
        for (found, expected) in frequencies.into_iter().zip([first, second]) {
            let found = found * 2.0 * PI / unit;
            // Axial forces are constant within an element: h².
            assert!((found / expected - 1.0).abs() < 2e-3, "{gamma}: {found} for {expected}");
        }
    }
}

/// A hub whose speed begins with the cube of time: near its rest the formula is cancellation, which steps must not follow.
#[test]
fn a_beam_brought_up_to_speed_lags_and_straightens() {
    let set =
        [("run.analysis", "ked"), ("run.ked.geometric_stiffness", "rigid"), ("run.until", "16 s")];
    let report = shipped("spin_up_beam", &set);
    assert_eq!(report.status, gudgeon::results::Status::Done);
    assert!(report.solver.statistics.steps < 1000, "{:?}", report.solver);
    let lag = report.extremes.iter().find(|one| one.name == "lag").unwrap();
    // Large rotations give -0.5744 m at 6.76 s.
    assert!(
        (lag.min / -0.5744 - 1.0).abs() < 0.01 && (lag.t_min / 6.76 - 1.0).abs() < 0.01,
        "{lag:?}"
    );
}

#[test]
fn newmark_steps_are_of_second_order() {
    let at = |step: &str| {
        // One element: steps resolve all that gravity excites.
        let set = [("elements", "1"), ("run.ked.step", step), ("run.until", "0.1 s")];
        let report = of(BEAM, &set);
        report.final_values[0]
    };
    let [coarse, middle, fine] = ["0.4 ms", "0.2 ms", "0.1 ms"].map(at);
    let ratio = (coarse - middle) / (middle - fine);
    assert!((3.5..4.5).contains(&ratio), "{ratio}");
}

#[test]
fn damping_takes_what_it_says() {
    // ζ = ½ θ ω₁ of the first mode: after so many periods half of the swing about the sag is left.
    let (bending, weight) = beam();
    let omega = 3.516_015 * (bending / 0.78).sqrt();
    let theta = 0.05 / omega;
    let set =
        [("bodies.beam.flexible.damping", format!("{theta} s")), ("run.until", "1 s".to_owned())];
    let set: Vec<(&str, &str)> = set.iter().map(|(key, value)| (*key, &value[..])).collect();
    let report = of(BEAM, &set);
    let sag = weight / (8.0 * bending);
    let left = (-report.final_values[0] / sag - 1.0).abs();
    let bound = (-0.5 * theta * omega * omega).exp();
    assert!(left < 1.05 * bound, "{left} {bound}");
    assert!(largest(&report, "beam.tip.displacement.y") < 1.99 * sag);
}

#[test]
fn the_four_bar_of_the_paper_bends_as_its_reference_does() {
    let set = [("run.ked.case", "1"), ("run.ked.coupling", "false")];
    let report = shipped("hac_four_bar", &set);
    let extreme = |name: &str| report.extremes.iter().find(|e| e.name == name).unwrap();
    let coupler = extreme("coupler.middle.bending_strain");
    assert!((coupler.min / -1.12734e-3 - 1.0).abs() < 0.005);
    assert!((coupler.t_min - 0.0902).abs() < 2e-4);
    let follower = extreme("follower.middle.bending_strain");
    assert!((follower.max / 1.44972e-3 - 1.0).abs() < 0.005);
    let crank = extreme("crank.middle.bending_strain");
    assert!((crank.min / -2.54268e-4 - 1.0).abs() < 0.015);
    let ked = report.ked.unwrap();
    assert_eq!(ked.coordinates, 18);
    for (found, expected) in ked.frequencies.iter().zip([43.42, 48.93, 62.31]) {
        assert!((found / expected - 1.0).abs() < 1e-3);
    }
}

#[test]
fn the_cases_differ_by_the_square_of_the_mesh() {
    let at = |elements: &str| {
        let set =
            [("elements", elements), ("run.ked.case", "difference"), ("run.ked.coupling", "false")];
        largest(&shipped("hac_manipulator", &set), "forearm.tip.displacement.y") / 4.45427e-4
    };
    let [two, four, eight] = ["2", "4", "8"].map(at);
    for (found, expected) in [(two, 0.157), (four, 0.039), (eight, 0.0098)] {
        assert!((found / expected - 1.0).abs() < 0.02, "{found} for {expected}");
    }
    for ratio in [two / four, four / eight] {
        assert!((3.5..4.5).contains(&ratio), "{ratio}");
    }
}

#[test]
fn the_difference_of_the_cases_is_what_their_results_differ_by() {
    let at = |case: &str| {
        let report = shipped("hac_manipulator", &[("run.ked.case", case)]);
        report.final_values[1]
    };
    let [one, two, difference] = ["1", "2", "difference"].map(at);
    assert!((two - one - difference).abs() < 1e-10 * one.abs());
}

#[test]
fn strains_beyond_a_linear_theory_are_told_with_time_and_value() {
    let set = [("run.until", "0.25 s")];
    let report = shipped("hac_four_bar", &set);
    let codes: Vec<&str> = report.warnings.iter().map(|warning| warning.code).collect();
    assert!(codes.contains(&"W0332"), "{codes:?}");
    let warning = report.warnings.iter().find(|warning| warning.code == "W0332").unwrap();
    assert!(warning.message.contains("at t = 0."), "{}", warning.message);
    let first = shipped("hac_four_bar", &[("torque_0", "0.1 N m"), ("torque_1", "0 N m")]);
    assert!(first.warnings.iter().all(|warning| warning.code != "W0332"));
}
