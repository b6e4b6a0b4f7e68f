//! Laws by formula: built-in laws written as formulas, closed forms of what no built-in law is.

use gudgeon::assembly::assemble;
use gudgeon::results::{Impact, RunReport, Status};
use gudgeon::run::RunSpec;
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::shipped::{Embedded, find};
use gudgeon_model::{Loaded, Overrides, load_text};

fn read(text: &str) -> Loaded {
    load_text("test.toml", text, &Embedded, &Overrides::default())
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&failure.sources, false)))
}

/// The shipped slider-crank with another contact table and friction.
fn slider_crank(contact: &str, friction: &str) -> Loaded {
    let text = find("slider_crank").unwrap().model;
    let line = text.lines().find(|line| line.starts_with("clearance.contact")).unwrap();
    let more = "# friction = { law = \"coulomb\", mu = 0.05 }";
    assert!(text.contains(more));
    let text = text.replace(line, &format!("clearance.contact = {{ {contact}, onset_floor = 0 }}"));
    read(&text.replace(more, friction))
}

fn run(loaded: &Loaded, until: f64, rtol: f64) -> RunReport {
    let spec = RunSpec { rtol: Some(rtol), ..RunSpec::seconds(until) };
    let report = simulate(&assemble(&loaded.model).unwrap(), &spec, &mut Silent);
    assert!(matches!(report.status, Status::Done), "{:?}", report.status);
    report
}

/// The first impacts agree in all their numbers.
fn same(found: &[Impact], expected: &[Impact], count: usize, what: &str) {
    assert!(expected.len() >= count, "{what}: {} impacts only", expected.len());
    for (a, b) in found.iter().zip(expected).take(count) {
        assert_eq!(a.t_out.is_some(), b.t_out.is_some(), "{what}");
        let pairs = [
            (a.t, b.t),
            (a.speed_in, b.speed_in),
            (a.t_out.unwrap_or(1.0), b.t_out.unwrap_or(1.0)),
            (a.speed_out.unwrap_or(1.0), b.speed_out.unwrap_or(1.0)),
            (a.peak_force, b.peak_force),
            (a.peak_depth, b.peak_depth),
        ];
        for (found, expected) in pairs {
            let off = ((found - expected) / expected).abs();
            assert!(off <= 1e-10, "{what}, impact {}: {found} is not {expected}", b.number);
        }
    }
}

/// Data of a built-in law, and the same law as a formula.
const LAWS: [(&str, &str); 9] = [
    (r#"law = "hertz", stiffness = "=stiffness""#, "stiffness * delta^1.5"),
    (
        r#"law = "lankarani-nikravesh", stiffness = "=stiffness", restitution = 0.9"#,
        "stiffness * delta^1.5 * (1 + 0.75*(1 - 0.9^2) * delta_rate / impact_speed)",
    ),
    (
        r#"law = "lankarani-nikravesh-qin-lu", stiffness = "=stiffness", restitution = 0.8"#,
        "stiffness * delta^1.5 * (1 + 0.75*(1 - 0.8^2)*exp(2*(1 - 0.8)) * delta_rate / impact_speed)",
    ),
    (
        r#"law = "hunt-crossley", stiffness = "=stiffness", restitution = 0.7"#,
        "stiffness * delta^1.5 + 1.5*(1 - 0.7)*stiffness * delta^1.5 * delta_rate / impact_speed",
    ),
    (
        // A factor of 1.6 cuts the force while surfaces separate.
        r#"law = "flores", stiffness = "=stiffness", restitution = 0.5"#,
        "stiffness * delta^1.5 * (1 + 1.6*(1 - 0.5)/0.5 * delta_rate / impact_speed)",
    ),
    (
        r#"law = "hunt-crossley", stiffness = "2e12 N/m^2", exponent = 2, restitution = 0.7"#,
        "2e12 N/m^2 * delta^2 * (1 + 1.5*(1 - 0.7) * delta_rate / impact_speed)",
    ),
    (
        r#"law = "bai-zhao", material = "steel", width = "40 mm", restitution = 0.8"#,
        "0.5*pi * modulus * 40 mm * delta * sqrt(delta/(2*(clearance + delta))) * damped",
    ),
    (
        r#"law = "bai-zhao", reading = "printed", material = "steel", restitution = 0.8"#,
        "tangent/(1 Pa) * (delta/(1 m))^1.5 * 1 N * damped",
    ),
    (
        r#"law = "bai-zhao", reading = "slope", material = "steel", width = "40 mm", restitution = 0.8"#,
        "tangent * delta * 40 mm * damped",
    ),
];

/// Parts that several formulas share.
fn spelt(formula: &str) -> String {
    let tangent = "(pi/8 * modulus * sqrt(2*delta/(clearance + delta)) * (3*clearance + 2*delta)/(clearance + delta))";
    let damped = "(1 + 0.75*(1 - 0.8^2)*exp(2*(1 - 0.8)) * delta_rate / impact_speed)";
    let modulus = "(steel_modulus / (2*(1 - steel_poisson^2)))";
    formula.replace("tangent", tangent).replace("damped", damped).replace("modulus", modulus)
}

#[test]
fn built_in_contact_laws_written_as_formulas_give_the_same_impacts() {
    for (built_in, formula) in LAWS {
        let steel = gudgeon_model::materials::find("steel").unwrap();
        let formula = spelt(formula)
            .replace("steel_modulus", &format!("{:e} Pa", steel.young))
            .replace("steel_poisson", &steel.poisson.to_string());
        let by_formula = format!("law = \"formula\", force = \"= {formula}\"");
        let reports = [built_in, &by_formula].map(|law| run(&slider_crank(law, ""), 0.003, 1e-13));
        // Later ones tell nothing: the fourth changes by 2e-10 where the stiffness changes by its last
        // digit. Much damping ends the rattle earlier.
        let count = reports[0].impacts.len().clamp(1, 3);
        same(&reports[1].impacts, &reports[0].impacts, count, built_in);
        for report in &reports {
            let off = report.energy.residual_relative();
            assert!(off < 1e-9, "{built_in}: the ledger is off by {off}");
        }
    }
}

#[test]
fn built_in_friction_laws_written_as_formulas_give_the_same_impacts() {
    let contact = r#"law = "lankarani-nikravesh", stiffness = "=stiffness", restitution = 0.9"#;
    let laws = [
        (
            r#"law = "coulomb", mu = 0.1, v0 = "1 mm/s", v1 = "20 mm/s""#,
            "0.1 * clamp((slip - 1 mm/s)/(19 mm/s), 0, 1)",
        ),
        (r#"law = "coulomb", mu = 0.1, v0 = 0, v1 = "20 mm/s""#, "0.1 * min(slip/(20 mm/s), 1)"),
        (
            r#"law = "stribeck", mu_s = 0.15, mu_k = 0.1, v_s = "50 mm/s", v_t = "5 mm/s""#,
            "(0.1 + 0.05*exp(-(slip/(50 mm/s))^2)) * tanh(slip/(5 mm/s))",
        ),
        (
            r#"law = "three-zone", mu_s = 0.15, mu_d = 0.1, v_s = "20 mm/s", v_d = "0.2 m/s""#,
            "if(slip < 20 mm/s, 0.15*(2*((slip + 20 mm/s)/(40 mm/s))^2 * (3 - (slip + 20 mm/s)/(20 mm/s)) - 1), if(slip < 0.2 m/s, 0.15 - 0.05*((slip - 20 mm/s)/(180 mm/s))^2 * (3 - 2*(slip - 20 mm/s)/(180 mm/s)), 0.1))",
        ),
    ];
    for (built_in, formula) in laws {
        let tables = [built_in.to_owned(), format!("law = \"formula\", mu = \"= {formula}\"")];
        let reports = tables.map(|law| {
            run(&slider_crank(contact, &format!("friction = {{ {law} }}")), 0.003, 1e-13)
        });
        same(&reports[1].impacts, &reports[0].impacts, 3, built_in);
        let lost = |report: &RunReport| report.impacts.iter().map(|i| i.friction_loss).sum::<f64>();
        assert!(lost(&reports[1]) > 0.0, "{built_in}: nothing rubbed");
    }
}

#[test]
fn formulas_work_in_every_shape_of_play() {
    // Ball, corners of a guide, bases of journals with their half of the force, flanges.
    let models = [("ball_joint", 0.1), ("guide_slider_crank", 0.03), ("tilted_four_bar", 0.05)];
    let built_in = r#"contact = { law = "lankarani-nikravesh", stiffness = "1e10 N/m^1.5", restitution = 0.7 }"#;
    let formula = r#"contact = { law = "formula", force = "= 1e10 N/m^1.5 * delta^1.5 * (1 + 0.75*(1 - 0.7^2) * delta_rate/impact_speed)" }"#;
    for (name, until) in models {
        let text = find(name).unwrap().model;
        let start = text.find("contact = {").unwrap();
        let end = start + text[start..].find('}').unwrap() + 1;
        let with = |law: &str| read(&text.replace(&text[start..end], law));
        let reports = [built_in, formula].map(|law| run(&with(law), until, 1e-12));
        same(&reports[1].impacts, &reports[0].impacts, 1, name);
    }
}

#[test]
fn the_restitution_of_a_formula_is_found_where_it_has_one() {
    let law = |contact: &str| {
        let loaded = slider_crank(contact, "");
        let pin = loaded.model.joints.iter().find(|joint| joint.name == "pin").unwrap();
        pin.clearance.as_ref().unwrap().normal.clone()
    };
    for (built_in, formula) in &LAWS[..6] {
        let expected = law(built_in).effective_restitution().unwrap();
        let found = law(&format!("law = \"formula\", force = \"= {formula}\""));
        let found = found.effective_restitution().unwrap();
        assert!((found - expected).abs() < 1e-8, "{formula}: {found} is not {expected}");
    }
    let viscous =
        "law = \"formula\", force = \"= stiffness*delta^1.5 + 1e9 N s/m^2.5*delta^1.5*delta_rate\"";
    assert_eq!(law(viscous).effective_restitution(), None);
}

#[test]
fn a_law_made_of_pieces_is_located_and_keeps_its_energy() {
    // Stiff beyond 5 µm, and lossy on the way out: both change at located instants.
    let law = r#"law = "formula", force = "= (stiffness*delta^1.5 + stiffness*max(delta - 5 um, 0 m)^1.5) * if(delta_rate > 0 m/s, 1, 0.81)""#;
    let loaded = slider_crank(law, "");
    let coarse = run(&loaded, 0.002, 1e-9);
    let fine = run(&loaded, 0.002, 1e-13);
    assert!(coarse.energy.residual_relative() < 1e-7);
    let impact =
        |report: &RunReport| (report.impacts[0].speed_out.unwrap(), report.impacts[0].peak_force);
    let ((a, p), (b, q)) = (impact(&coarse), impact(&fine));
    assert!(((a - b) / b).abs() < 1e-7 && ((p - q) / q).abs() < 1e-7, "{a} {b} {p} {q}");
}

fn last(text: &str) -> (Vec<f64>, RunReport) {
    let loaded = read(text);
    let report = simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent);
    assert!(matches!(report.status, Status::Done), "{:?}", report.status);
    (report.final_values.clone(), report)
}

/// A block that slides on a level guide, and a disc that spins on a loaded pin.
fn block(mu: &str, method: &str) -> String {
    format!(
        r#"
format = 1
[model]
space = "planar"
gravity = "9.81 m/s^2 along -y"
[bodies.block]
mass = "20 kg"
inertia = "1 kg m^2"
[bodies.disc]
mass = "50 kg"
inertia = "0.5 kg m^2"
[joints]
guide = {{ type = "prismatic", between = ["ground", "block"], friction = {{ law = "formula", mu = "{mu}" }} }}
pin = {{ type = "revolute", between = ["ground", "disc"], friction = {{ law = "formula", mu = "{mu}", radius = "20 mm" }} }}
[start]
block.velocity = "2 m/s, 0"
disc.angular_velocity = "40 rad/s"
[run]
until = "0.5 s"
method = "{method}"
rtol = 1e-10
outputs = ["block.velocity.x", "disc.angular_velocity"]
"#
    )
}

#[test]
fn friction_that_follows_the_load_brakes_as_its_closed_form_says() {
    let mu = "= 0.2 * tanh(slip/(1 mm/s)) * (1 - normal_force/(5 kN))";
    let g = 9.81;
    let of = |load: f64| 0.2 * (1.0 - load / 5e3);
    let block_speed = 2.0 - of(20.0 * g) * g * 0.5;
    // N √(1 + μ(N)²) = m g on a pin.
    let mut load = 50.0 * g;
    for _ in 0..200 {
        load = 50.0 * g / (1.0 + of(load).powi(2)).sqrt();
    }
    let disc_speed = 40.0 - of(load) * load * 0.02 / 0.5 * 0.5;
    for (method, near) in [("dop853", 1e-9), ("radau5", 1e-7)] {
        let (values, report) = last(&block(mu, method));
        assert!((values[0] - block_speed).abs() < near, "{method}: {} {block_speed}", values[0]);
        assert!(
            (values[1] - disc_speed).abs() < 40.0 * near,
            "{method}: {} {disc_speed}",
            values[1]
        );
        assert!(report.energy.residual_relative() < 1e-7);
        // The same by pieces that follow the load, which are chosen as they come.
        let pieces =
            "= 0.2 * tanh(slip/(1 mm/s)) * if(normal_force > 1 MN, 2, 1 - normal_force/(5 kN))";
        let (values, _) = last(&block(pieces, method));
        assert!((values[0] - block_speed).abs() < near, "{method} by pieces: {}", values[0]);
    }
}

#[test]
fn runs_with_formulas_have_the_same_bits() {
    let law =
        r#"law = "formula", force = "= stiffness*delta^1.5*(1 + 0.3*delta_rate/impact_speed)""#;
    let friction = r#"friction = { law = "formula", mu = "= 0.1*min(slip/(5 mm/s), 1)*(1 + normal_force/(10 kN))" }"#;
    let reports = [(); 2].map(|()| run(&slider_crank(law, friction), 0.004, 1e-9));
    let bits = |report: &RunReport| {
        report.impacts.iter().map(|i| (i.t.to_bits(), i.peak_force.to_bits())).collect::<Vec<_>>()
    };
    assert!(!reports[0].impacts.is_empty());
    assert_eq!(bits(&reports[0]), bits(&reports[1]));
}
