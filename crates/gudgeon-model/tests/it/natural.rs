//! Shipped models in natural coordinates move as with quaternions.

use crate::common::loaded;
use gudgeon::assembly::assemble;
use gudgeon::results::Status;
use gudgeon::run::{Index, Method, RunSpec, Until};
use gudgeon::simulate::{Observer, simulate};
use gudgeon_model::Loaded;
use std::ops::ControlFlow;

#[derive(Default)]
struct Rows(Vec<(f64, Vec<f64>)>);

impl Observer for Rows {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push((t, values.to_vec()));
        ControlFlow::Continue(())
    }
}

fn both(name: &str, more: &[(&str, &str)]) -> [Loaded; 2] {
    ["absolute", "natural"].map(|coordinates| {
        let mut set = vec![("model.coordinates", coordinates)];
        set.extend(more);
        loaded(name, &set)
    })
}

/// Outputs at the end of a run of some length.
fn at_end(loaded: &Loaded, end: f64, method: Method, rtol: f64) -> Vec<f64> {
    let spec = RunSpec {
        until: Until::Time(end),
        measure_from: Until::Time(0.0),
        method,
        rtol: Some(rtol),
        ..loaded.run.clone()
    };
    let mut rows = Rows::default();
    let report = simulate(&assemble(&loaded.model).unwrap(), &spec, &mut rows);
    assert_eq!(report.status, Status::Done);
    rows.0.pop().unwrap().1
}

/// Largest difference of outputs over the larger of one and their size.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / a.abs().max(1.0)).fold(0.0, f64::max)
}

/// Ideal mechanisms over up to a second; contacts to the end of the first ones.
const MODELS: [(&str, f64); 7] = [
    ("heavy_top", 0.2),
    ("bricard", 1.0),
    ("iftomm_slider_crank", 1.0),
    ("spatial_four_bar", 0.3),
    ("flores_double_pendulum", 0.04),
    ("ball_joint", 0.05),
    ("natural_slider_crank", 0.002),
];

#[test]
fn shipped_models_move_alike_in_both_coordinates() {
    for (name, end) in MODELS {
        let [absolute, natural] = both(name, &[]);
        let [a, b] = [&absolute, &natural].map(|model| at_end(model, end, Method::Dop853, 1e-11));
        // Reactions of hundreds of newtons are compared by their size.
        assert!(apart(&a, &b) < 2e-8, "{name}: {:e}", apart(&a, &b));
    }
    for name in ["iftomm_slider_crank", "spatial_four_bar"] {
        let radau = Method::Radau5 { step: None };
        let [absolute, natural] = both(name, &[]);
        let [a, b] = [&absolute, &natural].map(|model| at_end(model, 0.3, radau, 1e-10));
        assert!(apart(&a, &b) < 1e-7, "{name}: {:e}", apart(&a, &b));
    }
}

#[test]
fn a_film_between_both_kinds_of_bodies_carries_alike() {
    let name = "lubricated_slider_crank_space";
    let radau = Method::Radau5 { step: None };
    let mixed = loaded(name, &[("bodies.rod.coordinates", "natural")]);
    let [absolute, natural] = both(name, &[]);
    let [a, b, c] = [&absolute, &natural, &mixed].map(|model| at_end(model, 0.01, radau, 1e-9));
    assert!(apart(&a, &b) < 1e-5 && apart(&a, &c) < 1e-5, "{a:?} {b:?} {c:?}");
}

#[test]
fn generalized_alpha_differs_by_the_square_of_the_step() {
    let [absolute, natural] =
        both("iftomm_slider_crank", &[("run.outputs", "[\"slider.position.x\"]")]);
    let off = |h: f64| {
        let method = Method::GeneralizedAlpha { rho: 0.8, index: Index::Two, step: Some(h) };
        let [a, b] = [&absolute, &natural].map(|model| at_end(model, 0.2, method, 1e-12));
        (a[0] - b[0]).abs()
    };
    let steps = [2e-3, 1e-3, 5e-4];
    let found = steps.map(off);
    for pair in found.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.6..4.4).contains(&ratio), "{found:?}");
    }
}
