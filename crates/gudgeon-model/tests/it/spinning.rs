//! Beams on a hub that turns: frequencies of handbooks, and the benchmark of a spin-up, by every formulation.
//!
//! Wright, Smith, Thresher and Wang, *Vibration modes of centrifugally stiffened beams*, 1982: flapwise frequencies over
//! the root of EI/(ρA L⁴) at γ = Ω over that root; chordwise ones are the root of their squares less γ².

use crate::common::loaded;
use gudgeon::assembly::assemble;
use gudgeon::modal::{About, ModalSpec, Mode, analyse};
use gudgeon::progress::Unwatched;
use gudgeon::results::{RunReport, Status};
use gudgeon::run::Limits;
use gudgeon::simulate::{Observer, simulate};

const FLAPWISE: [(f64, [f64; 2]); 3] =
    [(0.0, [3.51602, 22.0345]), (2.0, [4.13732, 22.6149]), (4.0, [5.58500, 24.2734])];

/// Formulations of the beam: a name and what makes it.
const STIFFENED: [(&str, &[(&str, &str)]); 4] = [
    ("floating, actual", &[]),
    ("floating, rigid", &[("bodies.beam.flexible.stiffening", "rigid")]),
    ("ancf", &[("bodies.beam.flexible.method", "ancf"), ("bodies.beam.section.rotary", "true")]),
    ("rfem", &[("bodies.beam.flexible.method", "rfem"), ("elements", "24")]),
];

/// First two frequencies across the plane of the rotation and in it, over the root of EI/(ρA L⁴).
fn frequencies(gamma: f64, set: &[(&str, &str)]) -> [[f64; 2]; 2] {
    let text = gamma.to_string();
    let mut all = vec![("gamma", &text[..])];
    all.extend(set);
    let model = loaded("spinning_beam", &all).model;
    let about = if gamma > 0.0 { About::Rotation } else { About::Equilibrium };
    let spec = ModalSpec { about, modes: Some(6), damped: false, impact_speed: None };
    let found = analyse(&model, spec, Limits::default(), &Unwatched).unwrap().modes;
    let unit = 4e-3 * (207e9 / (12.0 * 7850.0_f64)).sqrt();
    let across = |mode: &&Mode, axis: usize| {
        let size = |k: usize| {
            mode.bodies[0].nodes.iter().fold(0.0f64, |m, n| m.max(n[k][0].hypot(n[k][1])))
        };
        size(axis) > 10.0 * size(3 - axis)
    };
    let scaled = |mode: &Mode| mode.frequency * std::f64::consts::TAU / unit;
    if gamma == 0.0 {
        // At rest they come in pairs, in any two directions.
        return [0, 1].map(|k| [scaled(&found[k]), scaled(&found[2 + k])]);
    }
    // y is chordwise, z flapwise.
    [2, 1].map(|axis| {
        let mut own = found.iter().filter(|mode| across(mode, axis)).map(scaled);
        [0, 1].map(|_| own.next().expect("two modes each way"))
    })
}

#[test]
fn spinning_beams_have_the_frequencies_of_handbooks() {
    for (gamma, wanted) in FLAPWISE {
        for (name, set) in STIFFENED {
            let [flap, chord] = frequencies(gamma, set);
            println!("{gamma} {name}: {flap:?} {chord:?}");
            for k in 0..2 {
                let in_plane = (wanted[k] * wanted[k] - gamma * gamma).sqrt();
                assert!((flap[k] / wanted[k] - 1.0).abs() < 0.01, "{gamma} {name}: {flap:?}");
                assert!((chord[k] / in_plane - 1.0).abs() < 0.01, "{gamma} {name}: {chord:?}");
            }
        }
    }
}

/// Flapwise the beam stays as at rest, chordwise it loses its stiffness.
#[test]
fn without_stiffening_the_frequencies_of_spinning_beams_are_missed() {
    let [flap, chord] = frequencies(2.0, &[("bodies.beam.flexible.stiffening", "none")]);
    println!("{flap:?} {chord:?}");
    assert!((flap[0] / 3.51602 - 1.0).abs() < 1e-3, "{flap:?}");
    assert!((chord[0] / (3.51602f64.powi(2) - 4.0).sqrt() - 1.0).abs() < 1e-3, "{chord:?}");
    assert!(flap[0] / 4.13732 < 0.86);
}

struct Nobody;

impl Observer for Nobody {}

fn spun_up(set: &[(&str, &str)]) -> RunReport {
    let loaded = loaded("spin_up_beam", set);
    simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Nobody)
}

/// Simo and Vu-Quoc's beam: the tip lags by 0.5744 m at 6.76 s and is pulled by ρA Ω² L³/3EA in the end.
#[test]
fn a_beam_that_is_spun_up_lags_and_stretches_as_in_the_benchmark() {
    let formulations: [(&str, &[(&str, &str)]); 4] = [
        ("floating, actual", &[]),
        ("floating, rigid", &[("bodies.beam.flexible.stiffening", "rigid")]),
        (
            "cable",
            &[("bodies.beam.flexible.method", "ancf"), ("bodies.beam.flexible.element", "cable")],
        ),
        (
            "rfem",
            &[
                ("bodies.beam.flexible.method", "rfem"),
                ("bodies.beam.flexible.tension", "true"),
                ("elements", "20"),
            ],
        ),
    ];
    for (name, set) in formulations {
        let early = spun_up(&[set, &[("run.until", "8 s")]].concat());
        assert_eq!(early.status, Status::Done);
        let lag = &early.extremes[0];
        println!("{name}: {} at {}", lag.min, lag.t_min);
        assert!((lag.min / -0.5744 - 1.0).abs() < 0.01, "{name}: {}", lag.min);
        assert!((lag.t_min / 6.76 - 1.0).abs() < 0.01, "{name}: {}", lag.t_min);
        let late = [("run.until", "18 s"), ("run.measure_from", "15 s")];
        let stretch = spun_up(&[set, &late].concat()).extremes[1].mean;
        println!("{name}: {stretch:e}");
        assert!((stretch / 5.14e-4 - 1.0).abs() < 0.01, "{name}: {stretch:e}");
    }
}

/// The hub turns faster than the beam swings at rest: without its axial force it runs away, and the run says that a linear
/// theory ends there.
#[test]
fn a_linear_beam_without_stiffening_diverges_and_is_reported() {
    let set = [("bodies.beam.flexible.stiffening", "none"), ("run.until", "10 s")];
    let report = spun_up(&set);
    println!("{}", report.final_values[0]);
    assert!(report.final_values[0].abs() > 2.0, "{}", report.final_values[0]);
    let told = report.warnings.iter().find(|warning| warning.code == "W0332");
    let told = told.expect("a warning");
    assert!(told.joint == "beam" && told.message.contains("at t = 8."), "{}", told.message);
}
