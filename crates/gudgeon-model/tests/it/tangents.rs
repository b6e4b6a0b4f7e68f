//! Analytic derivatives of every shipped model against the differences that stand in for them.
//!
//! Forward differences are good to 1e-8 of the terms they are taken from, over steps of 1e-8 of the
//! scales: half of the digits, relative to the largest entry of a matrix.

use crate::common::loaded;
use gudgeon::assembly::assemble;
use gudgeon::film::FilmModel;
use gudgeon::run::Method;
use gudgeon::system::Plant;
use gudgeon::system::choice::cut_friction;
use gudgeon::system::compile::FilmElement;
use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Differences, ImplicitDae, Place, SecondOrderDae};
use gudgeon_model::shipped::SHIPPED;

fn compare(found: &Entries, numeric: &Entries, near: f64, what: &str) {
    let size = numeric.values.iter().fold(1.0f64, |size, x| size.max(x.abs()));
    for ((i, j, found), (_, _, numeric)) in found.iter().zip(numeric.iter()) {
        let off = (found - numeric).abs();
        assert!(off <= near * size, "{what} ({i}, {j}): {found:e} is not {numeric:e} of {size:e}");
    }
}

#[test]
fn derivatives_of_every_model_match_differences() {
    of_every_model(&[]);
}

#[test]
fn derivatives_of_every_model_in_joint_coordinates_match_differences() {
    of_every_model(&[("model.coordinates", "joint")]);
}

fn of_every_model(set: &[(&str, &str)]) {
    for shipped in SHIPPED {
        let mut loaded = loaded(shipped.name, set);
        loaded.run.method = Method::Radau5 { step: None };
        cut_friction(&mut loaded.model, &loaded.run).unwrap();
        let assembly = assemble(&loaded.model).unwrap();
        let mut plant = Plant::new(&assembly.system);
        plant.keep_plain_time();
        let mut y = assembly.state();
        let dims = plant.dims();
        // Some speed everywhere, constraints or not, and some load in every row.
        for (i, v) in y[dims.q..dims.q + dims.v].iter_mut().enumerate() {
            *v += 0.3 * (1.0 + i as f64).sin();
        }
        let mut scales = vec![0.0; y.len()];
        plant.evaluate(0.0, &y).unwrap();
        plant.raise_scales(&y, &mut scales);
        let acceleration: Vec<f64> = (0..dims.v).map(|i| (2.0 + i as f64).sin()).collect();
        let lambda: Vec<f64> = (0..dims.rows).map(|i| (3.0 + i as f64).sin()).collect();
        let at = Place { t: 0.0, y: &y, acceleration: &acceleration, lambda: &lambda };
        let mut found = plant.blank_tangents();
        let mut numeric = found.clone();
        if !plant.tangents(at, &mut found).unwrap() {
            panic!("{} leaves its derivatives to differences", shipped.name);
        }
        Differences::new(&plant).take(&mut plant, at, &scales, &mut numeric).unwrap();
        let finite = |film: &FilmElement| matches!(film.lubricant.film.model, FilmModel::Finite(_));
        let near = match assembly.system.films.first() {
            None => 1e-5,
            // The lines of a drawn grid move with the journal; that is left out, in the order of the
            // grid's own error.
            Some(film) if finite(film) => 1e-2,
            // Steps of 1e-8 of a mechanism are not small against the clearance of a film.
            Some(_) => 1e-3,
        };
        compare(&found.stiffness, &numeric.stiffness, near, &format!("{}: K", shipped.name));
        compare(&found.damping, &numeric.damping, near, &format!("{}: D", shipped.name));
        compare(
            &found.rate_jacobian,
            &numeric.rate_jacobian,
            near,
            &format!("{}: B", shipped.name),
        );
    }
}
