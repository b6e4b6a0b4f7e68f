//! Free bodies in space, alone, jointed, coupled by a bushing or loose in each other, keep their
//! momenta; the ledger accounts for their energy.
//!
//! Momenta and energies are summed from outputs of the run with the masses and inertias of the model.

use crate::common::spatial::*;
use crate::common::*;
use gudgeon::assembly::{Assembly, assemble};
use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw};
use gudgeon::friction::{FrictionLaw, ZonedLaw};
use gudgeon::model::*;
use gudgeon::results::{RunReport, Status};
use gudgeon::run::RunSpec;
use gudgeon::simulate::simulate;
use gudgeon::system::Plant;
use gudgeon_dae::tableau::DOP853;
use gudgeon_dae::{Explicit, Options};
use nalgebra::{Matrix6, Vector3};

/// Runs a start and holds its momenta to those of the first row, within `allowed` of the largest
/// momentum of a body. Returns the rows; their last output is the potential energy.
fn kept(start: &Assembly, end: f64, rtol: f64, allowed: f64) -> (RunReport, Vec<Vec<f64>>) {
    let model = &start.system.model;
    let names = momentum_outputs(model);
    let mut outputs: Vec<&str> = names.iter().map(String::as_str).collect();
    outputs.push("system.potential_energy");
    let spec = RunSpec { rtol: Some(rtol), ..run_for(model, end, &outputs) };
    let mut rows = Rows::default();
    let report = simulate(start, &spec, &mut rows);
    assert_eq!(report.status, Status::Done);
    let (linear, angular, _) = momenta_of(model, &rows.0[0]);
    let (p, l) = sizes(model, &rows.0[0]);
    for row in &rows.0 {
        let now = momenta_of(model, row);
        let (off, turned) = ((now.0 - linear).norm(), (now.1 - angular).norm());
        assert!(off < allowed * p, "linear momentum off by {off:e} of {p}");
        assert!(turned < allowed * l, "angular momentum off by {turned:e} of {l}");
    }
    (report, rows.0)
}

/// Sizes of linear and angular momentum: the largest of one body, where the sum may be small.
fn sizes(model: &Model, row: &[f64]) -> (f64, f64) {
    let mut sizes = (1e-3, 1e-3);
    for (i, body) in model.bodies[1..].iter().enumerate() {
        let alone = Model { bodies: vec![ground(), body.clone()], ..model.clone() };
        let (p, l, _) = momenta_of(&alone, &row[13 * i..13 * (i + 1)]);
        sizes = (p.norm().max(sizes.0), l.norm().max(sizes.1));
    }
    sizes
}

/// The sum of kinetic and potential energy stays what it was.
fn keeps_energy(model: &Model, rows: &[Vec<f64>], allowed: f64) {
    let energy = |row: &Vec<f64>| momenta_of(model, row).2 + row[row.len() - 1];
    let first = energy(&rows[0]);
    let kinetic = rows.iter().fold(0.0f64, |peak, row| peak.max(momenta_of(model, row).2));
    for row in rows {
        let off = (energy(row) - first).abs();
        assert!(off < allowed * kinetic, "energy off by {off:e} of {kinetic}");
    }
}

/// Two solids that move and turn.
fn moving() -> Model {
    let mut model = two_solids();
    for (body, linear, angular) in [
        (1, Vector3::new(0.3, -0.2, 0.5), Vector3::new(0.8, -1.1, 0.6)),
        (2, Vector3::new(-0.4, 0.6, 0.1), Vector3::new(-1.3, 0.7, 1.9)),
    ] {
        let start = &mut model.bodies[body].start;
        start.velocity = Some(linear);
        start.angular_velocity = Some((angular, Axes::World));
    }
    model
}

#[test]
fn a_tumbling_body_keeps_its_momenta_and_its_energy() {
    let mut model = empty_space("tumbling");
    let (moments, turned) = ([0.2, 0.31, 0.37], [0.4, -0.7, 1.1]);
    model.bodies.push(solid("a", 1.3, moments, turned, [0.1, -0.2, 0.15]));
    // Almost about the middle axis, which is unstable.
    let axes = gudgeon::math::rotation::exponential(&turned.into());
    let start = &mut model.bodies[1].start;
    start.velocity = Some(Vector3::new(0.3, 0.2, -0.1));
    start.angular_velocity = Some((axes * Vector3::new(0.01, 5.0, 0.02), Axes::Body));
    let start = assemble(&model).unwrap();
    let (report, rows) = kept(&start, 10.0, 1e-12, 1e-10);
    keeps_energy(&model, &rows, 1e-10);
    assert!(report.energy.residual_relative() < 1e-10);
    // It turns over: the middle component of its angular velocity changes sign and comes back.
    let middle = |row: &Vec<f64>| {
        let turn = nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(
            row[9], row[10], row[11], row[12],
        ));
        let own = turn.inverse() * Vector3::new(row[6], row[7], row[8]);
        (axes.transpose() * own).y
    };
    let least = rows.iter().map(middle).fold(f64::INFINITY, f64::min);
    assert!(least < -4.9, "{least}");
}

#[test]
fn quaternions_keep_their_length() {
    let start = assemble(&moving()).unwrap();
    let mut plant = Plant::new(&start.system);
    let mut ode = Explicit::new(&DOP853, Options::adaptive(1e-6), &plant, 0.0, &start.state());
    while ode.time() < 20.0 {
        ode.step(&mut plant, 20.0).unwrap();
        for body in &start.system.bodies {
            let square: f64 = ode.state()[body.q + 3..body.q + 7].iter().map(|x| x * x).sum();
            assert!((square - 1.0).abs() < 1e-14, "{square}");
        }
    }
}

#[test]
fn jointed_bodies_keep_their_momenta_and_their_energy() {
    use JointKind::*;
    let pitch = 0.4;
    for kind in [Spherical, Universal, Cylindrical, Screw { pitch }, Revolute, Prismatic, Planar] {
        let mut model = moving();
        model.joints.push(joint("joint", kind, 1, 2));
        let start = assemble(&model).unwrap();
        let (report, rows) = kept(&start, 4.0, 1e-12, 1e-10);
        keeps_energy(&model, &rows, 1e-10);
        let residual = report.energy.residual_relative();
        assert!(residual < 1e-10, "{kind:?}: residual {residual:e}");
        assert!(report.drift.position < 1e-12, "{kind:?}: {:?}", report.drift);
    }
}

#[test]
fn bodies_coupled_by_a_bushing_keep_their_momenta_and_their_energy() {
    let mut model = moving();
    // The places 1 and 2 meet without a turn, so that the bushing starts at ease.
    let (a, b) = (&model.markers[1].local, &model.markers[2].local);
    let frame = model.bodies[1].start.orientation.unwrap().rotation();
    let turned = frame * a.r * b.r.transpose();
    model.bodies[2].start.position = Some(frame * a.p - turned * b.p);
    model.bodies[2].start.orientation = Some(Orientation::Rotation(turned));
    let any = Matrix6::from_fn(|i, j| ((i * 7 + j * 3) as f64).sin());
    let stiffness = Box::new((any * any.transpose() + Matrix6::identity()) * 40.0);
    let (a, b) = (MarkerId(1), MarkerId(2));
    let kind = ForceKind::Bushing { a, b, stiffness, damping: Box::default() };
    model.forces.push(force("bushing", kind));
    let start = assemble(&model).unwrap();
    let (report, rows) = kept(&start, 4.0, 1e-12, 1e-10);
    keeps_energy(&model, &rows, 1e-10);
    assert!(report.energy.residual_relative() < 1e-10);
    // A good part of the energy goes through the bushing.
    let stored = rows.iter().fold(0.0f64, |peak, row| peak.max(row[row.len() - 1]));
    assert!(stored > 0.1 * momenta_of(&model, &rows[0]).2, "{stored}");
}

/// Two solids loose in each other, apart at the start, that meet several times.
fn colliding(kind: JointKind, form: Form, friction: FrictionLaw) -> RunReport {
    let normal = NormalLaw::new(
        Elastic::Power { stiffness: 1e7, exponent: 1.5 },
        Damping::LankaraniNikravesh { restitution: 0.9 },
    );
    let mut model = two_solids();
    let mut loose = joint("loose", kind, 1, 2);
    let friction = Some(friction);
    loose.clearance = Some(Clearance { form, friction, ..clearance(0.05, 0.002, normal) });
    model.joints.push(loose);
    let mut start = assemble(&model).unwrap();
    // At rest but for a little of everything.
    start.v.copy_from_slice(&[
        0.03, -0.02, 0.05, 0.1, -0.15, 0.08, -0.05, 0.04, 0.02, -0.2, 0.05, 0.12,
    ]);
    let (report, _) = kept(&start, 1.0, 1e-10, 1e-10);
    let residual = report.energy.residual_relative();
    assert!(residual < 1e-8, "{kind:?}: residual {residual:e}");
    report
}

const FRICTIONS: [FrictionLaw; 3] = [
    FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: 0.1, v0: 1e-4, v1: 1e-2 }),
    FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: 0.1, v0: 0.0, v1: 1e-2 }),
    FrictionLaw::Zoned(ZonedLaw::ThreeZone { mu_s: 0.15, mu_d: 0.1, v_s: 1e-2, v_d: 0.1 }),
];

#[test]
fn a_ball_in_its_socket_keeps_the_momenta_over_many_impacts() {
    for friction in FRICTIONS {
        let report = colliding(JointKind::Spherical, Form::Ball, friction);
        assert!(report.contacts[0].impacts > 3, "{:?}", report.contacts);
    }
}

#[test]
fn a_journal_in_its_bearing_keeps_the_momenta_over_many_impacts() {
    let normal = NormalLaw::new(
        Elastic::Power { stiffness: 1e7, exponent: 1.5 },
        Damping::LankaraniNikravesh { restitution: 0.9 },
    );
    let play = Axial::Play { clearance: 0.003, radius: 0.06, normal };
    for friction in FRICTIONS {
        for (axial, tilt) in [play.clone(), Axial::Fixed, Axial::Free]
            .into_iter()
            .flat_map(|axial| [Tilt::Free, Tilt::Fixed].map(|tilt| (axial.clone(), tilt)))
        {
            let form =
                Form::Journal { length: 0.1, bearing_length: 0.1, axial: axial.clone(), tilt };
            let report = colliding(JointKind::Revolute, form, friction.clone());
            let met = |spot: &str| report.impacts.iter().any(|impact| impact.spot == spot);
            let bases = [met("V"), met("W"), met("")];
            let expected = match tilt {
                Tilt::Free => [true, true, false],
                Tilt::Fixed => [false, false, true],
            };
            assert_eq!(bases, expected, "{axial:?}: {:?}", report.contacts);
            let flanges = met("upper_flange") && met("lower_flange");
            assert_eq!(flanges, axial == play, "{:?}", report.contacts);
        }
    }
}
