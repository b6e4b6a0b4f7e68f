//! Responses without a run: modes and equilibria of samples.

use std::f64::consts::TAU;

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver};
use gudgeon_study::file::{LoadedStudy, load_study_text};
use gudgeon_study::runner::Simulator;

/// A mass that hangs on a spring and damper.
const MODEL: &str = r#"
format = 1
[model]
gravity = "0, -9.81 m/s^2"
[parameters]
k = "400 N/m"
[bodies.ground]
frames.roof = "0, 1 m"
[bodies.mass]
mass = "2 kg"
inertia = "1 kg m^2"
[joints]
guide = { type = "prismatic", between = ["ground", "mass"], along = "y" }
[forces]
spring = { type = "spring", between = ["ground.roof", "mass"], stiffness = "=k", length = "1 m", damping = "3 N s/m" }
[run]
analysis = "modal"
"#;

struct Beside;

impl Resolver for Beside {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        Ok((name.into(), MODEL.into()))
    }
}

fn study(responses: &str) -> Result<LoadedStudy, String> {
    let text = format!(
        "format = 1\n[study]\nmodel = \"mass.toml\"\n[variables]\nk = {{ from = \"100 N/m\", to = \"900 N/m\" }}\n\
         [responses]\n{responses}\n[design]\nmethod = \"lhs\"\nsamples = 4\n"
    );
    load_study_text("test.study.toml", &text, &Beside, &Overrides::default())
        .map_err(|failure| failure.diagnostics.render(&failure.sources, false))
}

#[test]
fn frequencies_damping_and_rest_of_samples_are_those_of_closed_forms() {
    let responses = "f = \"frequency(1)\"\nd = \"damping_ratio(1)\"\nsag = \"rest(mass.position.y)\"\n\
                     start = \"frequency(1, start)\"\nsquare = \"= f^2\"";
    let study = study(responses).unwrap_or_else(|text| panic!("{text}"));
    let samples = study.samples();
    for k in [120.0, 400.0, 850.0] {
        let answer = samples.run(&[k], 1, &|| false).expect("a sample");
        let (omega, damping) = ((k / 2.0_f64).sqrt(), 3.0 / (2.0 * (2.0 * k).sqrt()));
        let damped = omega * (1.0 - damping * damping).sqrt() / TAU;
        let wanted = [damped, damping, -2.0 * 9.81 / k, damped, damped * damped];
        for (value, wanted) in answer.values.iter().zip(wanted) {
            assert!((value - wanted).abs() < 1e-9 * wanted.abs(), "{value} is not {wanted}");
        }
    }
}

#[test]
fn modes_that_cannot_be_are_refused_with_help() {
    let text = study("f = \"frequency(0)\"").expect_err("no mode 0");
    assert!(text.contains("whole numbers from 1"), "{text}");
    let text = study("f = \"frequency(1, spining)\"").expect_err("no such state");
    assert!(text.contains("did you mean `spinning`"), "{text}");
    let text = study("f = \"final(mass.position.y)\"").expect_err("a run needs an end");
    assert!(text.contains("G2009"), "{text}");
}
