//! Mechanisms run by implicit methods move as they do by the explicit one.

use crate::common::spatial::{four_bar, loose_four_bar};
use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::model::{JointKind, Model};
use gudgeon::system::{Change, Plant};
use gudgeon_dae::tableau::DOP853;
use gudgeon_dae::{Differences, Explicit, Implicit, Integrator, Method, Options, StepOutcome};

const METHODS: [(Method, f64); 3] =
    [(Method::Radau, 1e-8), (Method::BDF, 1e-9), (Method::ALPHA, 1e-7)];

/// Coordinates and velocities at `end`, and times and speeds of impacts.
fn run(model: &Model, method: Option<Method>, rtol: f64, end: f64) -> (Vec<f64>, Vec<[f64; 2]>) {
    let start = assemble(model).unwrap();
    let mut plant = Plant::new(&start.system);
    let mut y = start.state();
    let options = Options::adaptive(rtol);
    let mut ode: Integrator = match method {
        None => Explicit::new(&DOP853, options, &plant, 0.0, &y).into(),
        Some(method) => {
            plant.keep_plain_time();
            Implicit::new(method, options, &plant, 0.0, &y).into()
        }
    };
    let mut impacts = Vec::new();
    loop {
        match ode.step(&mut plant, end).unwrap() {
            StepOutcome::Stopped => break,
            StepOutcome::Stepped => {}
            StepOutcome::Event => {
                y.copy_from_slice(ode.state());
                for change in plant.handle(ode.time(), &mut y, ode.fired()) {
                    if let Change::Began { speed, .. } = change {
                        impacts.push([ode.time(), *speed]);
                    }
                }
                ode.state_mut().copy_from_slice(&y);
                ode.restart(plant.shortest_hint(ode.time(), &y));
            }
        }
    }
    println!("{:?} {:?}", method.map(|method| method.name()), ode.statistics());
    (ode.state()[..start.system.layout.roots].to_vec(), impacts)
}

#[test]
fn a_dry_slider_crank_has_the_same_first_impacts() {
    let model = slider_crank(rpm(3000.0), 1e-4, 1e10, 0.9);
    let (_, wanted) = run(&model, None, 1e-11, 0.002);
    assert!(wanted.len() > 2);
    for (method, rtol) in METHODS {
        let (_, found) = run(&model, Some(method), rtol, 0.002);
        // Of order 2, generalized-α needs shorter steps than anyone would wait for.
        let limit = if method == Method::ALPHA { 1e-2 } else { 1e-5 };
        for (a, b) in found.iter().zip(&wanted).take(3) {
            let off = [a[0] / b[0] - 1.0, a[1] / b[1] - 1.0];
            println!("{off:?}");
            assert!(off[0].abs().max(off[1].abs()) < limit, "{method:?}: {a:?} is not {b:?}");
        }
    }
}

#[test]
fn a_spatial_four_bar_with_redundant_rows_moves_the_same() {
    let model = four_bar(20.0, JointKind::Revolute);
    assert_eq!(assemble(&model).unwrap().report.redundant.len(), 3);
    let (wanted, _) = run(&model, None, 1e-11, 0.2);
    for (method, rtol) in METHODS {
        let (found, _) = run(&model, Some(method), rtol, 0.2);
        let size = wanted.iter().fold(0.0f64, |size, x| size.max(x.abs()));
        for (i, (a, b)) in found.iter().zip(&wanted).enumerate() {
            let off = (a - b).abs() / size;
            assert!(off < 1e-4, "{method:?}: {a} is not {b}, component {i}");
        }
    }
}

#[test]
fn tangents_by_differences_are_there_for_every_mechanism() {
    use gudgeon_dae::{ImplicitDae, Place, SecondOrderDae};
    let start = assemble(&four_bar(20.0, JointKind::Spherical)).unwrap();
    let mut plant = Plant::new(&start.system);
    let (y, dims) = (start.state(), plant.dims());
    let mut tangents = plant.blank_tangents();
    let (acceleration, lambda) = (vec![0.0; dims.v], vec![0.0; dims.rows]);
    let at = Place { t: 0.0, y: &y, acceleration: &acceleration, lambda: &lambda };
    let mut differences = Differences::new(&plant);
    differences.take(&mut plant, at, &vec![1.0; y.len()], &mut tangents).unwrap();
    assert!(tangents.rate_jacobian.values.iter().all(|x| x.is_finite()));
}

#[test]
fn a_loose_journal_in_space_has_the_same_first_impacts() {
    let model = loose_four_bar(rpm(600.0));
    let (_, wanted) = run(&model, None, 1e-11, 0.02);
    println!("{wanted:?}");
    assert!(wanted.len() > 2);
    let (_, found) = run(&model, Some(Method::Radau), 1e-8, 0.02);
    for (a, b) in found.iter().zip(&wanted).take(3) {
        let off = [a[0] / b[0] - 1.0, a[1] / b[1] - 1.0];
        println!("{off:?}");
        assert!(off[0].abs().max(off[1].abs()) < 1e-5, "{a:?} is not {b:?}");
    }
}
