//! Bushings in the plane and with bearing coefficients: whirl against its closed form, energy, units.

use gudgeon::assembly::assemble;
use gudgeon::results::{LedgerKind, RunReport, Status};
use gudgeon::simulate::{Silent, simulate};
use gudgeon::system::Plant;
use gudgeon_dae::{Differences, ImplicitDae, Place, SecondOrderDae};
use gudgeon_model::shipped::Embedded;
use gudgeon_model::{Loaded, Overrides, load_text};
use nalgebra::Complex;

fn read(text: &str) -> Loaded {
    load_text("test.toml", text, &Embedded, &Overrides::default())
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&failure.sources, false)))
}

fn run(text: &str) -> (Vec<f64>, RunReport) {
    let loaded = read(text);
    let report = simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent);
    assert!(matches!(report.status, Status::Done), "{:?}", report.status);
    (report.final_values.clone(), report)
}

const MASS: f64 = 12.0;
const STIFFNESS: f64 = 3e5;
const DAMPING: f64 = 400.0;
const SPEED: f64 = 300.0;

/// A rotor of 12 kg at 300 rad/s on a bearing in the plane.
fn rotor(bushing: &str) -> String {
    format!(
        r#"
format = 1
[model]
space = "planar"
[bodies.rotor]
mass = "12 kg"
inertia = "0.2 kg m^2"
[forces.bearing]
type = "bushing"
between = ["ground", "rotor"]
{bushing}
[start]
rotor.at = "1 mm, 0"
rotor.velocity = "0, 0.2 m/s"
rotor.angular_velocity = "300 rad/s"
[run]
until = "0.3 s"
rtol = 1e-11
outputs = ["rotor.position.x", "rotor.position.y"]
"#
    )
}

/// m z̈ + c ż + (k − i q) z = 0, z = x + i y, from 1 mm and 0.2 i m/s.
fn whirl(q: f64, t: f64) -> Complex<f64> {
    let (c, k) = (Complex::from(DAMPING), Complex::new(STIFFNESS, -q));
    let root = (c * c - k * (4.0 * MASS)).sqrt();
    let s = [(-c + root) / (2.0 * MASS), (-c - root) / (2.0 * MASS)];
    let (z, v) = (Complex::new(1e-3, 0.0), Complex::new(0.0, 0.2));
    let first = (v - z * s[1]) / (s[0] - s[1]);
    first * (s[0] * t).exp() + (z - first) * (s[1] * t).exp()
}

/// Cross-coupled coefficients, plain and over the speed of the rotor.
fn matrices(q: f64) -> [String; 2] {
    let damping = "damping_matrix = [[400, 0, 0], [0, \"400 N s/m\", 0], [0, 0, 0]]";
    let part = q / SPEED;
    [
        format!("stiffness_matrix = [[3e5, {q}, 0], [{}, 3e5, 0], [0, 0, 0]]\n{damping}", -q),
        format!(
            "stiffness_matrix = [[\"= 3e5 N/m\", \"= {part} N s/m * rotor.angular_velocity\", 0], [\"= -{part} N s/m * rotor.angular_velocity\", \"3e5 N/m\", 0], [0, 0, 0]]\n{damping}"
        ),
    ]
}

#[test]
fn cross_coupled_bearings_whirl_as_their_closed_form_says() {
    // The limit is q = c ω_n.
    let limit = DAMPING * (STIFFNESS / MASS).sqrt();
    for share in [0.8, 1.2] {
        let q = share * limit;
        let exact = whirl(q, 0.3);
        for matrix in matrices(q) {
            let (found, report) = run(&rotor(&matrix));
            let off = (Complex::new(found[0], found[1]) - exact).norm() / exact.norm();
            assert!(off < 1e-8, "{share}: off by {off}\n{matrix}");
            assert!(report.energy.residual_max < 1e-8 * report.energy.peak_kinetic);
            let warned = report.warnings.iter().any(|warning| warning.code == "W0329");
            assert!(warned, "no warning: {:?}", report.warnings);
        }
        let size = |t: f64| whirl(q, t).norm();
        assert_eq!(size(20.0) > size(10.0), share > 1.0);
    }
}

#[test]
fn the_work_of_a_circular_stiffness_is_the_integral_along_the_path() {
    let q = 8e4;
    let [plain, over_speed] = matrices(q);
    let steps = 200_000;
    // ∮ −c |ż|² + q (x ẏ − y ẋ) dt by Simpson's rule on the closed form.
    let rate = |t: f64| {
        let h = 1e-7;
        let z = whirl(q, t);
        let v = (whirl(q, t + h) - whirl(q, t - h)) / (2.0 * h);
        (-DAMPING * v.norm_sqr() + q * (z.re * v.im - z.im * v.re), z)
    };
    let h = 0.3 / steps as f64;
    let weight = |i: usize| if i == 0 || i == steps { 1.0 } else { 2.0 * (1 + i % 2) as f64 };
    let work: f64 = (0..=steps).map(|i| weight(i) * rate(i as f64 * h).0).sum::<f64>() * h / 3.0;
    let of = |report: &RunReport, kind: LedgerKind| {
        report
            .energy
            .lines
            .iter()
            .filter(|line| line.kind == kind)
            .map(|line| line.value)
            .sum::<f64>()
    };
    let (_, report) = run(&rotor(&plain));
    let found = of(&report, LedgerKind::Force);
    assert!((found - work).abs() < 1e-6 * work.abs(), "{found} is not {work}");
    // Whatever follows the motion has no potential: all is work.
    let (_, report) = run(&rotor(&over_speed));
    let stored = 0.5 * STIFFNESS * (rate(0.3).1.norm_sqr() - 1e-6);
    let found = of(&report, LedgerKind::Force);
    assert!(
        (found - (work - stored)).abs() < 1e-6 * work.abs(),
        "{found} is not {}",
        work - stored
    );
    assert_eq!(of(&report, LedgerKind::Spring), 0.0);
}

#[test]
fn a_bushing_in_the_plane_is_that_of_space() {
    let body = |start: &str, space: &str, inertia: &str, bushing: &str| {
        format!(
            r#"
format = 1
[model]
space = "{space}"
[bodies.block]
mass = "2 kg"
inertia = "{inertia}"
frames.eye = "{start}"
[forces.rubber]
type = "bushing"
between = ["ground", "block.eye"]
{bushing}
[run]
until = "0.2 s"
rtol = 1e-11
outputs = ["block.position.x", "block.position.y", "block.angular_velocity{}"]
"#,
            if space == "planar" { "" } else { ".z" }
        )
    };
    let planar = body(
        "50 mm, 20 mm",
        "planar",
        "0.01 kg m^2",
        "stiffness = \"4 kN/m, 9 kN/m\"\ntorsion_stiffness = \"3 N m/rad\"\ndamping = \"2 N s/m, 3 N s/m\"\ntorsion_damping = \"0.01 N m s/rad\"\n[start]\nblock.velocity = \"0.3 m/s, 0.1 m/s\"\nblock.angular_velocity = \"4 rad/s\"",
    );
    let spatial = body(
        "50 mm, 20 mm, 0",
        "spatial",
        "0.01 kg m^2, 0.01 kg m^2, 0.01 kg m^2",
        "stiffness = \"4 kN/m, 9 kN/m, 5 kN/m\"\ntorsion_stiffness = \"1 N m/rad, 2 N m/rad, 3 N m/rad\"\ndamping = \"2 N s/m, 3 N s/m, 4 N s/m\"\ntorsion_damping = \"0.01 N m s/rad, 0.01 N m s/rad, 0.01 N m s/rad\"\n[start]\nblock.velocity = \"0.3 m/s, 0.1 m/s, 0\"\nblock.angular_velocity = \"0, 0, 4 rad/s\"",
    );
    let ((a, report), (b, _)) = (run(&planar), run(&spatial));
    for (a, b) in a.iter().zip(&b) {
        assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} is not {b}");
    }
    assert!(report.energy.residual_relative() < 1e-8);
}

#[test]
fn derivatives_of_entries_that_follow_the_motion_match_differences() {
    let [_, text] = matrices(5e4);
    let text = rotor(&text.replace(
        "[0, \"400 N s/m\", 0]",
        "[0, \"= 400 N s/m * (1 + (rotor.position.x/(1 mm))^2)\", 0]",
    ));
    let loaded = read(&text);
    let assembly = assemble(&loaded.model).unwrap();
    let mut plant = Plant::new(&assembly.system);
    plant.keep_plain_time();
    let y = assembly.state();
    let (dims, mut scales) = (plant.dims(), vec![1e-3; y.len()]);
    scales[dims.q..].fill(1.0);
    plant.evaluate(0.0, &y).unwrap();
    let (acceleration, lambda) = (vec![0.0; dims.v], vec![0.0; dims.rows]);
    let at = Place { t: 0.0, y: &y, acceleration: &acceleration, lambda: &lambda };
    let mut found = plant.blank_tangents();
    let mut numeric = found.clone();
    assert!(plant.tangents(at, &mut found).unwrap());
    Differences::new(&plant).take(&mut plant, at, &scales, &mut numeric).unwrap();
    for (found, numeric) in
        [(&found.stiffness, &numeric.stiffness), (&found.damping, &numeric.damping)]
    {
        let size = numeric.values.iter().fold(1.0f64, |size, x| size.max(x.abs()));
        for (a, b) in found.values.iter().zip(&numeric.values) {
            assert!((a - b).abs() < 1e-5 * size, "{a} is not {b} of {size}");
        }
    }
}
