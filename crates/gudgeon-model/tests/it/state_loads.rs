//! Loads that follow the motion, against closed forms.

use std::f64::consts::TAU;

use gudgeon::assembly::assemble;
use gudgeon::results::{Cause, RunReport, Status};
use gudgeon::run::{Method, RunSpec};
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver, load_text};

struct Alone;

impl Resolver for Alone {
    fn read(&self, _from: &str, _name: &str) -> Result<(String, String), Box<Diagnostic>> {
        unreachable!("no other file")
    }
}

fn report(text: &str, method: Option<Method>) -> RunReport {
    let loaded = load_text("test.toml", text, &Alone, &Overrides::default())
        .unwrap_or_else(|e| panic!("{}", e.diagnostics.render(&e.sources, false)));
    let method = method.unwrap_or(loaded.run.method);
    let spec = RunSpec { method, ..loaded.run.clone() };
    simulate(&assemble(&loaded.model).unwrap(), &spec, &mut Silent)
}

/// Outputs at the end of a run.
fn at_end(text: &str, method: Option<Method>) -> Vec<f64> {
    let report = report(text, method);
    assert_eq!(report.status, Status::Done);
    report.final_values
}

fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

/// A mass on a guide, with forces and a run of some seconds.
fn slider(forces: &str, start: &str, run: &str) -> String {
    format!(
        "format = 1\n[bodies.mass]\nmass = \"1 kg\"\ninertia = \"1 kg m^2\"\n\
         [bodies.ground]\nframes.wall = \"-1 m, 0\"\n\
         [joints]\nguide = {{ type = \"prismatic\", between = [\"ground\", \"mass\"] }}\n\
         [forces]\n{forces}\n[start]\n{start}\n\
         [run]\n{run}\noutputs = [\"mass.position.x\", \"mass.velocity.x\"]\n"
    )
}

/// sn, cn, dn of u with parameter m by the arithmetic-geometric mean.
fn elliptic(u: f64, m: f64) -> [f64; 3] {
    let (mut a, mut b, mut c) = (vec![1.0], (1.0 - m).sqrt(), vec![m.sqrt()]);
    while c[c.len() - 1] > 1e-17 && a.len() < 20 {
        let last = a[a.len() - 1];
        a.push(0.5 * (last + b));
        c.push(0.5 * (last - b));
        b = (last * b).sqrt();
    }
    let n = a.len() - 1;
    let mut phi = f64::powi(2.0, n as i32) * a[n] * u;
    for i in (1..=n).rev() {
        phi = 0.5 * (phi + (c[i] / a[i] * phi.sin()).asin());
    }
    let (sn, cn) = (phi.sin(), phi.cos());
    [sn, cn, (1.0 - m * sn * sn).sqrt()]
}

#[test]
fn duffing_oscillates_by_jacobi_s_functions() {
    // x″ + x + x³ = 0 from rest at 1: x = cn(√2 t, 1/4).
    let spring = "cubic = { type = \"spring\", between = [\"ground.wall\", \"mass\"], length = \"1 m\", \
                  stiffness = \"= 1 N/m + 1 N/m^3 * (cubic.length - 1 m)^2\" }";
    let load = "cubic = { type = \"force\", on = \"mass\", \
                force = \"= -1 N/m * guide.displacement - 1 N/m^3 * mass.position.x^3, 0\" }";
    let [sn, cn, dn] = elliptic(20.0 * 2.0_f64.sqrt(), 0.25);
    for forces in [spring, load] {
        let run = "until = \"20 s\"\nrtol = 1e-12";
        let end = at_end(&slider(forces, "mass.x = \"1 m\"", run), None);
        close(end[0], cn, 1e-9);
        close(end[1], -2.0_f64.sqrt() * sn * dn, 1e-9);
        let run = "until = \"20 s\"\nrtol = 1e-11";
        let end =
            at_end(&slider(forces, "mass.x = \"1 m\"", run), Some(Method::Radau5 { step: None }));
        close(end[0], cn, 1e-9);
    }
}

#[test]
fn a_motor_with_a_linear_curve_runs_up_exponentially() {
    // J ω′ = T (1 − ω/ω₀): ω = ω₀ (1 − e^{−t/τ}), τ = J ω₀/T = 0.2 s.
    let text = r#"
format = 1
[parameters]
stall = "10 N m"
top = "200 rad/s"
[bodies.rotor]
mass = "1 kg"
inertia = "0.01 kg m^2"
[joints]
shaft = { type = "revolute", between = ["ground", "rotor"] }
[forces]
motor = { type = "torque", on = "rotor", torque = "= stall * (1 - shaft.speed / top)" }
[run]
until = "0.5 s"
rtol = 1e-11
outputs = ["shaft.speed", "motor.power", "shaft.angle", "rotor.kinetic_energy"]
"#;
    let report = report(text, None);
    let decay = (-0.5_f64 / 0.2).exp();
    let speed = 200.0 * (1.0 - decay);
    close(report.final_values[0], speed, 1e-9 * speed);
    close(report.final_values[2], 200.0 * (0.5 - 0.2 * (1.0 - decay)), 1e-8);
    // All its work is in the rotor.
    let work = report.energy.lines.iter().find(|line| line.name == "motor");
    close(work.expect("the motor has a line").value, 0.5 * 0.01 * speed * speed, 1e-8);
}

#[test]
fn a_pendulum_with_a_torque_of_its_angle_follows_its_energy() {
    // ½ J ω² = ∫ T dφ with T = T₀ cos(2φ) + T₁ counted over turns, from φ = 0.
    for space in ["planar", "spatial"] {
        let text = format!(
            r#"
format = 1
[model]
space = "{space}"
gravity = "{gravity}"
[bodies.bar]
mass = "2 kg"
inertia = {inertia}
centre = "{centre}"
[joints]
pin = {{ type = "revolute", between = ["ground", "bar"] }}
[forces]
drive = {{ type = "torque", on = "bar", torque = "= 30 N m * cos(2 * pin.angle) + 1 N m * pin.angle/(1 rad)" }}
[start]
bar.angular_velocity = {spin}
[run]
until = {{ pin = "3 rev" }}
rtol = 1e-11
outputs = ["pin.speed", "pin.angle"]
"#,
            gravity = if space == "planar" { "0, -9.81 m/s^2" } else { "0, -9.81 m/s^2, 0" },
            inertia = if space == "planar" {
                "\"0.1 kg m^2\""
            } else {
                "[\"0.1 kg m^2\", \"0.1 kg m^2\", \"0.1 kg m^2\"]"
            },
            centre = if space == "planar" { "0.3 m, 0" } else { "0.3 m, 0, 0" },
            spin = if space == "planar" { "\"25 rad/s\"" } else { "\"0, 0, 25 rad/s\"" },
        );
        let report = report(&text, None);
        assert_eq!(report.status, Status::Done, "{space}");
        let inertia = 0.1 + 2.0 * 0.3 * 0.3;
        let energy =
            |phi: f64| 15.0 * (2.0 * phi).sin() + 0.5 * phi * phi - 2.0 * 9.81 * 0.3 * phi.sin();
        let speed = |phi: f64| (25.0 * 25.0 + 2.0 * energy(phi) / inertia).sqrt();
        close(report.final_values[1], 3.0 * TAU, 1e-9);
        close(report.final_values[0], speed(3.0 * TAU), 1e-9 * 25.0);
        // The time by the trapezoid rule in 2¹⁷ intervals: of second order, so extrapolated once.
        let time = |n: usize| {
            let h = 3.0 * TAU / n as f64;
            let inner: f64 = (1..n).map(|i| 1.0 / speed(h * i as f64)).sum();
            h * (inner + 0.5 / speed(0.0) + 0.5 / speed(3.0 * TAU))
        };
        let expected = (4.0 * time(1 << 17) - time(1 << 16)) / 3.0;
        close(report.final_time, expected, 1e-9 * expected);
    }
}

/// A mass between two springs, the second with a gap of 0.5 m: x and ẋ after t from rest at −1 m. Times of
/// the corners and motion between them are closed: harmonic about 0 with ω = 2, about 0.375 m with ω = 4
/// where x > 0.5 m (x″ = −4 x − 12 (x − 0.5)).
fn piecewise(until: f64) -> (f64, f64, u64) {
    let mut corners = 0;
    let (mut t, mut x, mut v, mut stiff) = (0.0_f64, -1.0_f64, 0.0_f64, false);
    loop {
        let (omega, middle) = if stiff { (4.0_f64, 0.375) } else { (2.0_f64, 0.0) };
        let (amplitude, phase) = ((x - middle).hypot(v / omega), (-v / omega).atan2(x - middle));
        // x = middle + A cos(ω s + phase) meets 0.5 m.
        let edge = ((0.5 - middle) / amplitude).acos();
        let meet = if stiff { edge } else { -edge };
        let mut s = (meet - phase) / omega;
        while s <= 1e-9 {
            s += TAU / omega;
        }
        let s = s.min(until - t);
        let angle = omega * s + phase;
        (x, v) = (middle + amplitude * angle.cos(), -amplitude * omega * angle.sin());
        t += s;
        if t >= until {
            return (x, v, corners);
        }
        (stiff, corners) = (!stiff, corners + 1);
    }
}

#[test]
fn corners_of_a_force_are_located_and_methods_keep_their_order() {
    let force = "stop = { type = \"force\", on = \"mass\", \
         force = \"= -4 N/m * mass.position.x - 12 N/m * max(mass.position.x - 0.5 m, 0 m), 0\" }";
    let (x, v, corners) = piecewise(10.0);
    let model = |run: &str| slider(force, "mass.x = \"-1 m\"", run);
    let exact = report(&model("until = \"10 s\"\nrtol = 1e-12"), None);
    close(exact.final_values[0], x, 1e-10);
    close(exact.final_values[1], v, 4e-10);
    assert_eq!(exact.solver.statistics.events, corners);
    // Between corners it takes as long steps as where there are none.
    assert!(exact.solver.statistics.steps < 400, "{}", exact.solver.statistics.steps);
    let alpha = |step: f64| {
        let run = format!("until = \"10 s\"\nmethod = \"generalized-alpha\"\nstep = \"{step} s\"");
        (at_end(&model(&run), None)[0] - x).abs()
    };
    let ratio = alpha(4e-3) / alpha(2e-3);
    assert!((3.5..4.5).contains(&ratio), "{ratio}");
}

#[test]
fn a_force_that_jumps_against_the_motion_is_named() {
    let force = "brake = { type = \"force\", on = \"mass\", force = \"= -1 N * sign(mass.velocity.x), 0\" }";
    for method in ["auto", "radau5", "rk4\"\nstep = \"1e-3 s"] {
        let run = format!("until = \"3 s\"\nmethod = \"{method}\"");
        let report = report(&slider(force, "mass.velocity = \"1 m/s, 0\"", &run), None);
        let Status::Failed(error) = report.status else { panic!("{method} does not fail") };
        let named = |function: &str| function == "`force` of force `brake`";
        let Cause::ChatteringFunction { function } = &error.cause else {
            panic!("{method}: {error}")
        };
        assert!(named(function), "{function}");
        close(error.time, 1.0, 1e-6);
    }
}

#[test]
fn quadratic_drag_and_mathieu_s_spring_are_one_line_each() {
    // v′ = −v|v|: v = 1/(1 + t), x = ln(1 + t); the corner at rest is never reached.
    let force = "drag = { type = \"force\", on = \"mass\", \
                 force = \"= -1 kg/m * mass.velocity.x * abs(mass.velocity.x), 0\" }";
    let run = "until = \"5 s\"\nrtol = 1e-12";
    let end = at_end(&slider(force, "mass.velocity = \"1 m/s, 0\"", run), None);
    close(end[0], 6.0_f64.ln(), 1e-10);
    close(end[1], 1.0 / 6.0, 1e-10);
    // A stiffness that changes with time, and the same as a load.
    let spring = "pump = { type = \"spring\", between = [\"ground.wall\", \"mass\"], length = \"1 m\", \
                  stiffness = \"= 4 N/m * (1 + 0.3 * cos(3 rad/s * t))\", damping = \"= 0.2 N s/m * (1 + t / (1 s))\" }";
    let load = "pump = { type = \"force\", on = \"mass\", force = \"= -4 N/m * (1 + 0.3 * cos(3 rad/s * t)) * \
                mass.position.x - 0.2 N s/m * (1 + t / (1 s)) * mass.velocity.x, 0\" }";
    let [a, b] =
        [spring, load].map(|force| at_end(&slider(force, "mass.x = \"0.4 m\"", run), None));
    close(a[0], b[0], 1e-11);
    close(a[1], b[1], 1e-11);
}
