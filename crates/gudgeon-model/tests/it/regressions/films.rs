//! Films at the centre of their bearing.
//!
//! Films on a grid and long films had p = 0 on the line of the widest gap unless told otherwise. That line
//! follows the journal and jumps to the other side where it passes the centre: squeezed at B/D = 1, So was
//! 1.023 at ε = −1e-12 and 2.406 at 0, a journal that left the wall at ε = −0.5 met 57 % too little, and
//! a long film by half-Sommerfeld met nothing at all, so that a shaft dropped through it ended in numbers
//! that are not finite. Oil now enters from the ends unless a supply is given, which makes every default film
//! continuous; the line is still there by name, and warned of.
//!
//! The oil's shear could not be left out, as papers do whose films have radial forces alone.

use std::f64::consts::PI;

use gudgeon::assembly::assemble;
use gudgeon::bearing::analyse;
use gudgeon::film::{Film, FilmShape, JournalState};
use gudgeon::progress::Unwatched;
use gudgeon::results::{RunReport, Status};
use gudgeon::run::Limits;
use gudgeon::simulate::{Silent, simulate};
use nalgebra::Vector2;

use crate::common::loaded;

fn film(name: &str, set: &[(&str, &str)]) -> Film {
    let joints = loaded(name, set).model.joints;
    let found = joints.into_iter().find_map(|joint| joint.clearance?.film);
    found.expect("a model with a film").film
}

fn run(name: &str, set: &[(&str, &str)]) -> RunReport {
    let loaded = loaded(name, set);
    simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent)
}

fn codes(report: &RunReport) -> Vec<&str> {
    report.warnings.iter().map(|warning| warning.code).collect()
}

/// So = F ψ²/(B D η |ε̇|) of a journal at ε c that moves along with 1/s.
fn squeeze(film: &Film, e: f64) -> f64 {
    let shape = &film.shape;
    let (c, psi) = (shape.clearance, shape.clearance / shape.radius);
    let state = JournalState::aligned(Vector2::new(e * c, 0.0), Vector2::new(c, 0.0), 0.0);
    let f = film.force(&state, &mut film.work()).unwrap().f.norm();
    f * psi * psi / (shape.length * 2.0 * shape.radius * shape.viscosity)
}

const FINITE: [(&str, &str); 2] =
    [("joints.bearing.film.model", "finite"), ("joints.bearing.film.length", "40 mm")];

/// Butenschön 1976 at B/D = 1, within the 0.2 % of the default grid; R/c of this model is 200.
#[test]
fn squeezed_films_pass_the_centre_without_a_jump() {
    let film = film("squeeze_film", &FINITE);
    for (e, expected) in [(0.0, 2.4076), (-1e-12, 2.4076), (1e-12, 2.4076), (0.5, 9.7319)] {
        let so = squeeze(&film, e);
        assert!((so / expected - 1.0).abs() < 2e-3, "{e}: {so}");
    }
    // Away from the wall: nothing but the pressed side bears, on a grid four times as fine the same.
    let fine = [&FINITE[..], &[("joints.bearing.film.cells", "[384, 48]")]].concat();
    let fine = self::film("squeeze_film", &fine);
    let (so, best) = (squeeze(&film, -0.5), squeeze(&fine, -0.5));
    assert!((so / best - 1.0).abs() < 5e-3 && best > 0.8, "{so} {best}");
}

/// Every model and cavitation by its words, with the keys that are given when nothing else is.
#[test]
fn default_films_are_continuous_at_the_centre() {
    let cavitations = ["\"reynolds\"", "\"half-sommerfeld\""];
    for model in ["short", "short-exact", "long", "finite"] {
        for cavitation in cavitations {
            let mut set = vec![("joints.bearing.film.model", model)];
            if model != "short" {
                set.push(("joints.bearing.film.cavitation", cavitation));
            }
            let film = film("squeeze_film", &set);
            let at_centre = squeeze(&film, 0.0);
            for e in [1e-6, 1e-9, 1e-12] {
                for e in [e, -e] {
                    let jump = squeeze(&film, e) / at_centre - 1.0;
                    assert!(
                        jump.abs() < 10.0 * e.abs() + 1e-9,
                        "{model} {cavitation} {e}: {jump:e}"
                    );
                }
            }
        }
    }
}

/// The shaft of `squeeze_film` in a bearing of ten diameters, dropped from the centre and from above. A whole
/// ring bears 12π μ R³ B ε̇/(c² (1 − ε²)^1.5) on either side of the centre, so that the weight W carries
/// ε/√(1 − ε²) on by W c²/(12π μ R³ B) per second: by 1.6265 in 200 s.
#[test]
fn shafts_sink_through_long_films() {
    for cavitation in ["\"reynolds\"", "\"half-sommerfeld\""] {
        for (start, above, method) in
            [("0, 0", 0.0, "radau5"), ("0, 0.05 mm", 0.5, "radau5"), ("0, 0.05 mm", 0.5, "bdf")]
        {
            let set = [
                ("joints.bearing.film.model", "long"),
                ("joints.bearing.film.length", "400 mm"),
                ("joints.bearing.film.cavitation", cavitation),
                ("start.bearing.offset", start),
                ("run.method", method),
                ("run.until", "200 s"),
                ("run.rtol", "1e-9"),
                ("run.outputs", "[\"bearing.eccentricity_ratio\"]"),
            ];
            let report = run("squeeze_film", &set);
            assert_eq!(report.status, Status::Done, "{cavitation} {start} {method}");
            let turned: f64 = report.energy.lines.iter().map(|line| line.value.abs()).sum();
            let off = report.energy.residual.abs() / turned;
            assert!(off < 1e-4, "{cavitation} {start} {method}: {off:e}");
            let e: f64 = report.final_values[0];
            let sunk = |e: f64| e / ((1.0 - e) * (1.0 + e)).sqrt();
            let (film, weight) = (film("squeeze_film", &set), 9.81);
            let FilmShape { viscosity, radius, length, clearance } = film.shape;
            let damping = 12.0 * PI * viscosity * radius.powi(3) * length / clearance.powi(2);
            let expected = sunk(-above) + 200.0 * weight / damping;
            if cavitation == "\"reynolds\"" {
                assert!(
                    (sunk(e) - expected).abs() < 1e-4,
                    "{start} {method}: {} {expected}",
                    sunk(e)
                );
            } else {
                assert!(sunk(e) > expected, "a film that breaks bears less");
            }
        }
    }
}

#[test]
fn what_jumps_is_warned_of() {
    let widest = ("joints.bearing.film.supply", "widest-gap");
    let short = ("run.until", "1 ms");
    for model in ["finite", "long"] {
        let model = ("joints.bearing.film.model", model);
        let long = ("joints.bearing.film.length", "100 mm");
        let kept = run("squeeze_film", &[model, long, short]);
        assert_eq!(codes(&kept), [] as [&str; 0], "{:?}", kept.warnings);
        assert_eq!(codes(&run("squeeze_film", &[model, long, short, widest])), ["W0317"]);
    }
    // A long film that does not break lets every journal whirl.
    let turning = [("joints.bearing.film.model", "long"), ("length", "120 mm"), ("load", "10 N")];
    let report =
        analyse(&loaded("journal_bearing", &turning).model, Limits::default(), &Unwatched).unwrap();
    assert!(report.warnings.iter().any(|warning| warning.code == "W0318"));
    let rest = &report.bearings[0].rest;
    assert!((rest.attitude.to_degrees() - 90.0).abs() < 1e-6, "{}", rest.attitude.to_degrees());
    let half = [&turning[..], &[("joints.bearing.film.cavitation", "half-sommerfeld")]].concat();
    let report =
        analyse(&loaded("journal_bearing", &half).model, Limits::default(), &Unwatched).unwrap();
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
}

/// Without shear a film still balances moments and energy: what is left is pumping.
#[test]
fn shear_can_be_left_out() {
    let outputs = (
        "run.outputs",
        "[\"bearing.film_torque\", \"bearing.power_loss\", \"bearing.eccentricity_ratio\"]",
    );
    let set = [outputs, ("run.pressure_at", "[]"), ("joints.bearing.film.shear", "none")];
    let (with, without) = (run("journal_bearing", &set[..2]), run("journal_bearing", &set));
    assert_eq!((&with.status, &without.status), (&Status::Done, &Status::Done));
    let [torque, loss, e] = [0, 1, 2].map(|k| without.final_values[k]);
    // The motion of a driven journal does not know of its drag.
    assert!((e - with.final_values[2]).abs() < 1e-6, "{e}");
    // At rest T_J = −½ e×F, and its power is the pumping.
    let film = film("journal_bearing", &set);
    let omega = 100.0 * PI;
    let place = Vector2::new(e * film.shape.clearance, 0.0);
    let state = JournalState::aligned(place, Vector2::zeros(), omega);
    let (force, tangent) = film.tangent(&state, &mut film.work()).unwrap();
    let twist = place.perp(&force.f);
    assert_eq!(force.shear, 0.0);
    assert!((force.torque + 0.5 * twist).abs() < 1e-12 * twist.abs());
    assert!((torque / force.torque - 1.0).abs() < 1e-4, "{torque} {}", force.torque);
    assert!((loss / force.pumping - 1.0).abs() < 1e-4, "{loss} {}", force.pumping);
    assert!((force.pumping + force.torque * omega).abs() < 1e-9 * force.pumping);
    // Its derivative by ω is that of the pressure alone.
    let by = |d: f64| {
        let state = JournalState { omega: omega + d, ..state };
        film.force(&state, &mut film.work()).unwrap().torque
    };
    let slope = (by(1e-3) - by(-1e-3)) / 2e-3;
    assert!((tangent.by_omega[4] - slope).abs() < 1e-6 * slope.abs());
    let turned: f64 = without.energy.lines.iter().map(|line| line.value.abs()).sum();
    assert!(without.energy.residual.abs() < 1e-5 * turned, "{:e}", without.energy.residual);
}
