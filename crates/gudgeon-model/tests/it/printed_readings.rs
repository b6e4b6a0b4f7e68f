//! Methods as papers print them: each by numbers worked out by hand, and different from what is right.

use std::sync::Arc;

use gudgeon::assembly::assemble;
use gudgeon::clearance::formula::NormalFormula;
use gudgeon::clearance::normal::NormalLaw;
use gudgeon::film::Moments;
use gudgeon::results::{RunReport, Status};
use gudgeon::run::{Index, Method};
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::shipped::Embedded;
use gudgeon_model::{Loaded, Overrides, load_text};

fn read_with(text: &str, set: &[(&str, &str)]) -> Loaded {
    let set = set.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    load_text("test.toml", text, &Embedded, &overrides)
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&failure.sources, false)))
}

fn read(text: &str) -> Loaded {
    read_with(text, &[])
}

fn run(loaded: &Loaded) -> RunReport {
    let report = simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent);
    assert!(matches!(report.status, Status::Done), "{:?}", report.status);
    report
}

/// A disc of 1 kg inside a hole, 0.1 mm of play, at the centre.
fn disc(contact: &str, more: &str, start: &str) -> String {
    format!(
        r#"
format = 1
[model]
name = "a disc in a hole"
[bodies.disc]
mass = "1 kg"
inertia = "1 kg m^2"
[joints.pin]
type = "revolute"
between = ["ground", "disc"]
{more}
[joints.pin.clearance]
bearing_radius = "10 mm"
radial = "0.1 mm"
contact = {{ {contact} }}
[start]
{start}
[run]
until = "4 ms"
rtol = 1e-11
outputs = ["pin.contact_force", "pin.sliding_velocity", "pin.friction_force", "disc.position.x", "disc.position.y", "disc.velocity.x", "disc.velocity.y"]
"#
    )
}

const IMPACT: &str =
    r#"law = "impact", stiffness = "1e8 N/m^1.5", damping = "1000 N s/m", full_depth = "0.1 mm""#;

fn impact_law() -> Arc<NormalFormula> {
    let loaded = read(&disc(IMPACT, "", "disc.velocity = \"1 m/s, 0\""));
    match &loaded.model.joints[0].clearance.as_ref().unwrap().normal {
        NormalLaw::Formula(law) => law.clone(),
        NormalLaw::Hysteretic(_) => panic!("a law that is a formula"),
    }
}

/// K δ^1.5 + STEP(δ, 0, 0, d, c) δ̇: half of c at half of d, all of it beyond.
#[test]
fn the_law_impact_has_the_force_of_adams() {
    let law = impact_law();
    let rows = [
        (5e-5, 0.0, 35.355_339),
        (5e-5, 0.2, 35.355_339 + 0.5 * 1000.0 * 0.2),
        (2.5e-5, 0.2, 12.5 + 0.15625 * 1000.0 * 0.2),
        (2e-4, -0.1, 282.842_712 - 1000.0 * 0.1),
    ];
    for (depth, rate, expected) in rows {
        // Whatever the speed at which the contact began.
        for speed in [0.01, 5.0] {
            let force = law.value(depth, rate, speed);
            assert!((force / expected - 1.0).abs() < 1e-7, "{force} is not {expected}");
        }
    }
    assert!(!law.reads_impact_speed());
    // It has no restitution of its own: 1 m/s and 0.05 m/s rebound differently.
    assert_eq!(NormalLaw::Formula(law).effective_restitution(), None);
}

/// The disc meets the wall, and leaves it as m ẍ = −F by Runge and Kutta's method in a million steps per second.
#[test]
fn a_disc_rebounds_by_the_law_impact() {
    let report = run(&read(&disc(IMPACT, "", "disc.velocity = \"1 m/s, 0\"")));
    let impact = &report.impacts[0];
    let force = |x: f64, v: f64| {
        let share = (x / 1e-4f64).clamp(0.0, 1.0);
        let step = 1000.0 * share * share * (3.0 - 2.0 * share);
        (1e8 * x.max(0.0).powf(1.5) + step * v).max(0.0)
    };
    let (mut x, mut v, h) = (0.0, 1.0, 1e-7);
    let mut largest = 0.0f64;
    while x > 0.0 || v > 0.0 {
        let a = |x: f64, v: f64| -force(x, v);
        let (k1, l1) = (v, a(x, v));
        let (k2, l2) = (v + 0.5 * h * l1, a(x + 0.5 * h * k1, v + 0.5 * h * l1));
        let (k3, l3) = (v + 0.5 * h * l2, a(x + 0.5 * h * k2, v + 0.5 * h * l2));
        let (k4, l4) = (v + h * l3, a(x + h * k3, v + h * l3));
        x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        largest = largest.max(force(x, v));
    }
    assert!((impact.speed_in - 1.0).abs() < 1e-10, "{impact:?}");
    assert!((impact.speed_out.unwrap() / v - 1.0).abs() < 1e-5, "{impact:?} is not {v}");
    assert!((impact.peak_force / largest - 1.0).abs() < 1e-6, "{impact:?} is not {largest}");
    let elastic = IMPACT.replace("1000 N s/m", "0 N s/m");
    let report = run(&read(&disc(&elastic, "", "disc.velocity = \"1 m/s, 0\"")));
    assert!((report.impacts[0].speed_out.unwrap() + 1.0).abs() < 1e-8);
}

/// Bai's Eq. 7 knows no R ω: a disc that spins in its bearing without moving slides at R_J ω = 0.0099 m · 100 rad/s, and by
/// the equation as printed not at all.
#[test]
fn centres_do_not_slide_where_a_disc_spins() {
    let contact = r#"law = "hertz", stiffness = "1e8 N/m^1.5""#;
    let friction = "friction = { law = \"coulomb\", mu = 0.1 }";
    let last = |start: &str, sliding: &str| {
        let text = disc(contact, friction, start).replace("4 ms", "0.3 ms");
        run(&read_with(&text, &[("joints.pin.clearance.sliding", sliding)])).final_values
    };
    // Straight to the wall, spinning: within 0.3 ms it presses.
    let spins = "pin.offset = \"0.09 mm, 0\"\ndisc.velocity = \"1 m/s, 0\"\ndisc.angular_velocity = \"100 rad/s\"";
    let now = last(spins, "surfaces");
    let (force, sliding, rubs) = (now[0], now[1], now[2]);
    assert!(force > 100.0 && (rubs.abs() / force - 0.1 / 1.01f64.sqrt()).abs() < 1e-9, "{now:?}");
    assert!(sliding > 0.9);
    let now = last(spins, "centres");
    assert!(now[0] > 100.0 && now[1] == 0.0 && now[2] == 0.0, "{now:?}");
    // Along the wall, too: t · v with t = z × n, to which the surfaces add R_J ω.
    let moves = "pin.offset = \"0.09 mm, 0\"\ndisc.velocity = \"1 m/s, 0.5 m/s\"\ndisc.angular_velocity = \"100 rad/s\"";
    for (sliding, more) in [("surfaces", 0.99), ("centres", 0.0)] {
        let [_, seen, rubs, x, y, vx, vy] = last(moves, sliding)[..] else {
            panic!("seven outputs")
        };
        let wanted = (x * vy - y * vx) / x.hypot(y) + more;
        assert!((seen - wanted).abs() < 1e-4 * more + 1e-12, "{seen} is not {wanted}");
        assert!(rubs.abs() > 10.0);
    }
}

/// BDF of index 3 finds the pendulum's positions as BDF of index 2 does, and its velocities without holding G v = 0.
#[test]
fn bdf_of_index_three_finds_positions() {
    let text = r#"
format = 1
[model]
name = "a pendulum"
gravity = "9.81 m/s^2 along -y"
[bodies.bob]
mass = "1 kg"
inertia = "0.1 kg m^2"
frames.pin = "-1 m, 0"
[joints.pin]
type = "revolute"
between = ["ground", "bob.pin"]
[start]
bob.x = "1 m"
[run]
until = "2 s"
method = "bdf"
rtol = 1e-8
outputs = ["bob.position.y"]
"#;
    let of = |set: &[(&str, &str)]| {
        let loaded = read_with(text, set);
        let report = run(&loaded);
        (loaded.run.method, report.final_values[0], report.drift.velocity, report.drift.position)
    };
    let wanted = of(&[("run.method", "dop853"), ("run.rtol", "1e-12")]).1;
    let (method, two, still, _) = of(&[]);
    assert_eq!(method, Method::Bdf { index: Index::Two, step: None });
    let (method, three, moving, placed) = of(&[("run.index", "3")]);
    assert_eq!(method, Method::Bdf { index: Index::Three, step: None });
    assert!((two - wanted).abs() < 1e-5 && (three - wanted).abs() < 1e-5, "{two} {three} {wanted}");
    assert!(placed < 1e-10, "{placed:e}");
    assert!(moving > 1e3 * still, "{moving:e} {still:e}");
}

/// Eq. 32 of flores puts Baumgarte's terms into the rows of the forces, where they can stand only as Gᵀ(2α ġ + β² g): that
/// changes λ and not v̇, so that positions drift as with α = β = 0.
#[test]
fn baumgarte_in_the_rows_of_forces_holds_nothing() {
    use nalgebra::{Matrix3, RowVector3, Vector3};
    // A bob of 2 kg on a rod that has drifted: g = x² + y² − 1, ġ = 2(x ẋ + y ẏ).
    let (x, y, vx, vy, m) = (0.61f64, -0.8f64, 0.5f64, 0.3f64, 2.0f64);
    let (g, rate) = (x * x + y * y - 1.0, 2.0 * (x * vx + y * vy));
    let (row, gamma) = ([2.0 * x, 2.0 * y], -2.0 * (vx * vx + vy * vy));
    let matrix = Matrix3::from_rows(&[
        RowVector3::new(m, 0.0, row[0]),
        RowVector3::new(0.0, m, row[1]),
        RowVector3::new(row[0], row[1], 0.0),
    ]);
    let terms = 2.0 * 5.0 * rate + 25.0 * g;
    let solve = |force: f64, rhs: f64| {
        let load = Vector3::new(-row[0] * force, -9.81 * m - row[1] * force, rhs);
        matrix.lu().solve(&load).unwrap()
    };
    let (plain, printed, meant) =
        (solve(0.0, gamma), solve(terms, gamma), solve(0.0, gamma - terms));
    assert!((plain - printed).fixed_rows::<2>(0).norm() < 1e-12);
    assert!((plain.z - printed.z - terms).abs() < 1e-12);
    assert!((plain - meant).fixed_rows::<2>(0).norm() > 0.1);
}

#[test]
fn printed_moments_are_asked_for_by_name() {
    let loaded = |set: &[(&str, &str)]| {
        let text = gudgeon_model::shipped::find("lubricated_slider_crank_space").unwrap().model;
        let loaded = read_with(text, set);
        let films: Vec<_> =
            loaded.model.joints.iter().filter_map(|j| j.clearance.as_ref()?.film.clone()).collect();
        films[0].film.moments
    };
    assert_eq!(loaded(&[]), Moments::OfPressure);
    let joint = "joints.pin.film.moments";
    assert_eq!(loaded(&[(joint, "printed")]), Moments::Printed);
}
