//! What a run says when it cannot go on.

use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::clearance::normal::NormalLaw;
use gudgeon::film::{Film, FilmModel, FilmShape, Lubricant};
use gudgeon::model::*;
use gudgeon::results::Status;
use gudgeon::run::{Method, RunSpec};
use gudgeon::simulate::{Silent, simulate};
use gudgeon::time::{Jet, TimeFunction, TimeLaw};

/// A motion from rest with one acceleration, m/s².
#[derive(Debug)]
struct Push(f64);

impl TimeLaw for Push {
    fn jet(&self, t: f64, _branch: f64) -> Jet {
        Jet { value: 0.5 * self.0 * t * t, rate: self.0 * t, second: self.0 }
    }

    fn kinks(&self, _from: f64, _to: f64, _out: &mut Vec<f64>) {}
}

/// A heavy journal that a driver pushes sideways through a film of hardly anything: it arrives after 2 ms.
fn pushed() -> Model {
    let mut model = empty("pushed");
    model.bodies.push(body("shaft", 1e3, Some(0.01), 0.0, start_at(0.0, 0.0, 0.0)));
    model.markers = vec![marker("seat", 0, 0.0, 0.0), marker("axle", 1, 0.0, 0.0)];
    let shape = FilmShape { viscosity: 1e-12, radius: 0.02, length: 0.02, clearance: 2e-4 };
    let mut bearing = joint("bearing", JointKind::Revolute, 0, 1);
    bearing.clearance = Some(Clearance {
        film: Some(Lubricant {
            film: Film::new(shape, FilmModel::Short),
            roughness: None,
            hybrid: false,
        }),
        ..clearance(0.02, 2e-4, NormalLaw::NONE)
    });
    model.joints = vec![bearing, joint("slide", JointKind::Prismatic, 0, 1)];
    let press = driver("press", 1, TimeFunction::Law(std::sync::Arc::new(Push(100.0))));
    model.drivers.push(Driver { coordinate: Coordinate::X, ..press });
    model
}

#[test]
fn a_film_that_gives_way_names_its_joint() {
    let model = pushed();
    for method in [Method::Auto, Method::Bdf { index: gudgeon::run::Index::Two, step: None }] {
        let spec = RunSpec { method, rtol: Some(1e-4), ..run_for(&model, 0.01, &[]) };
        let report = simulate(&assemble(&model).unwrap(), &spec, &mut Silent);
        let Status::Failed(error) = report.status else { panic!("{:?}", report.status) };
        assert_eq!(
            error.to_string(),
            "the run stopped at t = 2.000000000e-3 s: the journal of `bearing` touches its bearing: \
             no film is left"
        );
        assert_eq!(
            error.help,
            "the film bears no more load: raise viscosity or length, or let surfaces touch with \
             `model = \"hybrid\"`"
        );
    }
}
