//! A light body is no singular position.
//!
//! The hold of a row was its pivot in S = G M⁻¹ Gᵀ: next to a body 1e7 times lighter than its neighbours two
//! rows look alike in that metric, and W0307 was given for an everyday four-bar. Implicit methods would
//! have left a row out for a body 1e9 times lighter. Now the hold is that of the rows alone, with the size of
//! the mechanism for places and 1 for angles.

use gudgeon::assembly::assemble;
use gudgeon::results::{RunReport, Status};
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::{Overrides, load_text};

use crate::regressions::alone::Alone;

/// A four-bar far from its singular positions; its coupler is a rod of the given mass in kg.
fn four_bar(coupler: f64, set: &[(&str, &str)]) -> RunReport {
    let text = format!(
        r#"format = 1
[model]
name = "four-bar with a light coupler"
gravity = "9.81 m/s^2 along -y"
[bodies]
ground  = {{ frames = {{ a = "0, 0", b = "1 m, 0" }} }}
crank   = {{ frames = {{ l = "0, 0", r = "0.3 m, 0" }}, shape = {{ rod = "1 kg", from = "l", to = "r" }} }}
coupler = {{ frames = {{ l = "0, 0", r = "1 m, 0" }}, shape = {{ rod = "{coupler:e} kg", from = "l", to = "r" }} }}
rocker  = {{ frames = {{ l = "0, 0", r = "0.7 m, 0" }}, shape = {{ rod = "1 kg", from = "l", to = "r" }} }}
[joints]
foot_a = {{ type = "revolute", between = ["ground.a", "crank.l"] }}
foot_b = {{ type = "revolute", between = ["ground.b", "rocker.l"] }}
top_a  = {{ type = "revolute", between = ["crank.r", "coupler.l"] }}
top_b  = {{ type = "revolute", between = ["coupler.r", "rocker.r"] }}
[start]
crank   = {{ at = "0, 0", turn = "90 deg" }}
coupler = {{ at = "0, 0.3 m" }}
rocker  = {{ at = "1 m, 0", turn = "90 deg" }}
[run]
until = "1 s"
outputs = ["crank.angle", "top_a.reaction"]
"#
    );
    let set = set.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let loaded = load_text("light.toml", &text, &Alone, &Overrides { set, ..Overrides::default() })
        .unwrap_or_else(|failure| {
            panic!("{}", failure.diagnostics.render(&failure.sources, false))
        });
    simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent)
}

#[test]
fn light_couplers_move_like_lighter_ones_and_nothing_is_told() {
    let exact = four_bar(1e-5, &[("run.rtol", "1e-11")]);
    assert_eq!(exact.status, Status::Done);
    for method in ["dop853", "radau5"] {
        for mass in [1e-6, 1e-7, 1e-8, 1e-9] {
            let found = four_bar(mass, &[("run.method", method)]);
            assert_eq!(found.status, Status::Done, "{method}, {mass:e} kg");
            let codes: Vec<_> = found.warnings.iter().map(|w| w.code).collect();
            assert!(!codes.contains(&"W0307"), "{method}, {mass:e} kg: {codes:?}");
            // A coupler of 1e-5 of the mass changes the motion by as much.
            let off = (found.final_values[0] - exact.final_values[0]).abs();
            assert!(off < 1e-4, "{method}, {mass:e} kg: off by {off:.1e} rad");
        }
    }
}

/// Masses were evened against the heaviest body of the model, whatever it had to do with the others: a
/// heavy rotor beside a cart with a pendulum changed the spin that the pendulum starts with.
#[test]
fn a_heavy_body_elsewhere_changes_no_start() {
    let spin = |rotor: &str| {
        let text = format!(
            r#"format = 1
            [bodies]
            cart = {{ mass = "1 kg" }}
            bob = {{ mass = "10 g", inertia = "1e-5 kg m^2", frames.top = "0, 0.1 m" }}
            rotor = {{ mass = "1e5 kg", inertia = "{rotor}" }}
            [joints]
            rail = {{ type = "prismatic", between = ["ground", "cart"], along = "x" }}
            hinge = {{ type = "revolute", between = ["cart", "bob.top"] }}
            bearing = {{ type = "revolute", between = ["ground", "rotor"] }}
            [drivers]
            motor = {{ joint = "rail", speed = "1 m/s" }}
            [start]
            bob.y = "-0.1 m"
            [run]
            until = "1 ms"
            "#
        );
        let loaded = load_text("test.toml", &text, &Alone, &Overrides::default());
        let model = loaded.unwrap_or_else(|_| panic!("it reads")).model;
        let assembly = gudgeon::assembly::assemble_requested(&model).unwrap();
        assembly.v[5]
    };
    // By hand: the least kinetic energy with the top at 1 m/s is m l v/(J + m l²).
    for rotor in ["1e-3 kg m^2", "4e7 kg m^2"] {
        assert!((spin(rotor).abs() - 1e-3 / 1.1e-4).abs() < 1e-9, "{rotor}: {}", spin(rotor));
    }
}
