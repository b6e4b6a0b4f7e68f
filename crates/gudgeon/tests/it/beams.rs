//! Mechanisms with flexible links in motion.

use std::ops::ControlFlow;

use crate::common::beams::*;
use gudgeon::assembly::assemble;
use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw};
use gudgeon::model::*;
use gudgeon::results::{RunReport, Status};
use gudgeon::run::{Every, Index, Method, RunSpec};
use gudgeon::sensor::resolve;
use gudgeon::simulate::{Observer, simulate};

fn alpha(step: f64, index: Index) -> Method {
    Method::GeneralizedAlpha { rho: 0.8, index, step: Some(step) }
}

/// Rows of a run at an interval: time and outputs.
struct Rows(Vec<(f64, Vec<f64>)>);

impl Observer for Rows {
    fn row(&mut self, t: f64, values: &[f64], _: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push((t, values.to_vec()));
        ControlFlow::Continue(())
    }
}

impl Rows {
    /// An output at a time.
    fn at(&self, time: f64, output: usize) -> f64 {
        let near = |row: &&(f64, Vec<f64>)| (row.0 - time).abs() < 1e-9;
        self.0.iter().find(near).unwrap_or_else(|| panic!("no row at {time} s")).1[output]
    }
}

fn run(model: &Model, spec: RunSpec, outputs: &[&str]) -> (RunReport, Rows) {
    let outputs = outputs.iter().map(|name| resolve(model, name).unwrap()).collect();
    let assembly = assemble(model).unwrap();
    let mut rows = Rows(Vec::new());
    let report = simulate(&assembly, &RunSpec { outputs, ..spec }, &mut rows);
    if report.status != Status::Done {
        println!("{:?}", report.status);
    }
    (report, rows)
}

#[test]
fn double_pendulum_of_tian() {
    let cases: [(&str, Model, [f64; 4], f64); 3] = [
        (
            "P",
            double_pendulum(true, 6.9e9, 12),
            [-0.1974748, -0.8340748, -0.3825504, 0.0186972],
            5e-6,
        ),
        (
            "S stiff",
            double_pendulum(false, 6.9e11, 4),
            [-0.1885141, -0.4957845, -0.3389709, -0.4834976],
            1e-5,
        ),
        (
            "S soft",
            double_pendulum(false, 6.9e8, 16),
            [-0.1955449, -0.6170532, -0.7224765, 0.2418444],
            2e-4,
        ),
    ];
    for (name, model, wanted, near) in cases {
        for index in [Index::Three, Index::Two] {
            let begin = std::time::Instant::now();
            let spec = RunSpec {
                method: alpha(1e-4, index),
                every: Every::Interval(0.2),
                ..RunSpec::seconds(1.0)
            };
            let (report, rows) = run(&model, spec, &["CD.D.position.z"]);
            println!(
                "{name} {index:?} {:?} {:?} residual {:e}",
                begin.elapsed(),
                report.solver,
                report.energy.residual_max
            );
            for (t, wanted) in [0.2, 0.4, 0.6, 1.0].into_iter().zip(wanted) {
                let z = rows.at(t, 0);
                println!("  {t}: {z:.7} {wanted:.7} off {:.1e} of {near:e}", z - wanted);
            }
        }
    }
}

/// Clearance of 0.2 mm at Q, dry.
fn with_clearance(mut model: Model) -> Model {
    let normal = NormalLaw::new(
        Elastic::Power { stiffness: 2.937164e11, exponent: 1.5 },
        Damping::LankaraniNikravesh { restitution: 0.9 },
    );
    model.joints[0].clearance = Some(Clearance {
        form: Form::Journal { length: 0.04, bearing_length: 0.04, axial: Axial::Fixed },
        bearing_radius: 0.0302,
        radial: 2e-4,
        normal,
        friction: None,
        onset_floor: 1e-3,
        film: None,
        materials: None,
    });
    model
}

#[test]
fn dry_clearance_of_tian() {
    let model = with_clearance(double_pendulum(true, 6.9e11, 4));
    for (name, method, rtol, end) in [
        ("fixed", alpha(2e-6, Index::Three), 1e-9, 0.02),
        (
            "alpha 1e-5",
            Method::GeneralizedAlpha { rho: 0.8, index: Index::Two, step: None },
            1e-5,
            0.02,
        ),
        ("bdf 1e-5", Method::Bdf { step: None }, 1e-5, 0.02),
        ("radau 1e-4", Method::Radau5 { step: None }, 1e-4, 0.005),
        ("radau 1e-4", Method::Radau5 { step: None }, 1e-4, 0.02),
    ] {
        let begin = std::time::Instant::now();
        let spec = RunSpec {
            method,
            rtol: Some(rtol),
            every: Every::Interval(0.01),
            limits: gudgeon::run::Limits { steps: Some(20000), ..Default::default() },
            ..RunSpec::seconds(end)
        };
        let (report, rows) = run(&model, spec, &["CD.D.position.z", "Q.contact_force"]);
        println!(
            "{name} {:?} {:?} residual {:e} z {:.7} impacts {} first {:?}",
            begin.elapsed(),
            report.solver,
            report.energy.residual_max,
            rows.0.last().unwrap().1[0],
            report.impacts.len(),
            report.impacts.first()
        );
    }
}
