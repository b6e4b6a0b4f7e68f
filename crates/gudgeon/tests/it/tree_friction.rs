//! Friction in joints that carry bodies: loads, accelerations and runs as with rows.

use super::common::contacts::formula_friction;
use super::common::spatial::Rows;
use super::common::*;
use super::trees::{at_start, chains, in_joint_coordinates, same};
use gudgeon::assembly::{AssemblyError, NoAcceleration, assemble};
use gudgeon::friction::{FrictionLaw, JointFriction, ZonedLaw, surfaces};
use gudgeon::model::*;
use gudgeon::results::{Cause, LedgerKind, RunReport, Status};
use gudgeon::run::{Index, Method, RunSpec};
use gudgeon::simulate::{Silent, simulate};
use gudgeon::system::Plant;
use gudgeon::system::choice::cut_friction;

/// Every law, with coefficients at which several reactions per round matter.
fn laws() -> Vec<(&'static str, FrictionLaw)> {
    let sigma0 = 2e3;
    vec![
        ("coulomb", FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: 0.2, v0: 1e-4, v1: 1e-3 })),
        (
            "three zones",
            FrictionLaw::Zoned(ZonedLaw::ThreeZone { mu_s: 0.3, mu_d: 0.2, v_s: 1e-3, v_d: 0.1 }),
        ),
        ("stribeck", FrictionLaw::Stribeck { mu_s: 0.3, mu_k: 0.2, v_s: 0.1, v_t: 1e-2 }),
        ("dahl", FrictionLaw::Dahl { mu: 0.2, sigma0 }),
        (
            "lugre",
            FrictionLaw::LuGre {
                mu_s: 0.3,
                mu_k: 0.2,
                v_s: 0.1,
                sigma0,
                sigma1: 1.0,
                sigma2: 0.02,
                fading: Some(0.1),
            },
        ),
        ("formula", formula_friction()),
    ]
}

fn rough(law: &FrictionLaw) -> JointFriction {
    let law = law.clone();
    JointFriction { law, radius: 0.05, thrust_radius: 0.04, length: Some(0.8), preload: 3.0 }
}

/// Friction by a law in every joint that has a sliding surface; none where no joint has.
fn with_friction(model: &Model, law: &FrictionLaw) -> Option<Model> {
    let mut model = model.clone();
    let friction = rough(law);
    for joint in &mut model.joints {
        if !surfaces(joint.kind, model.space, &friction).is_empty() {
            joint.friction = Some(friction.clone());
        }
    }
    model.joints.iter().any(|joint| joint.friction.is_some()).then_some(model)
}

/// Two joints one behind the other, all pairs of one law after the other.
fn rough_chains() -> impl Iterator<Item = (String, Model)> {
    let laws = laws();
    let all = chains(Space::Planar).into_iter().chain(chains(Space::Spatial));
    all.enumerate().flat_map(move |(i, (name, model))| {
        // In the plane every pair has every law; in space they take turns.
        let own: Vec<_> = match model.space {
            Space::Planar => laws.clone(),
            Space::Spatial => (0..2).map(|k| laws[(i + 3 * k) % laws.len()].clone()).collect(),
        };
        own.into_iter().filter_map(move |(law, friction)| {
            Some((format!("{name}, {law}"), with_friction(&model, &friction)?))
        })
    })
}

#[test]
fn chains_with_friction_accelerate_and_react_as_with_rows() {
    let mut count = 0;
    for (name, model) in rough_chains() {
        // Some are jammed: below they are so in both.
        if matches!(assemble(&model), Err(AssemblyError::NoAcceleration(_))) {
            continue;
        }
        let (a, loads) = at_start(&model);
        let (b, reduced) = at_start(&in_joint_coordinates(&model));
        same(&name, &b, &a, 1e-11);
        same(&name, &reduced, &loads, 1e-9);
        count += 1;
    }
    assert!(count > 200, "{count}");
}

#[test]
fn each_joint_with_each_law_loses_the_same_energy_as_with_rows() {
    let mut seen = std::collections::BTreeSet::new();
    let laws = laws();
    for space in [Space::Planar, Space::Spatial] {
        for (name, model) in chains(space).into_iter().step_by(2) {
            let second = model.joints[1].kind;
            for (law, friction) in &laws {
                // The second joint alone, driven by the first and by weight.
                let mut model = model.clone();
                let friction = rough(friction);
                if surfaces(second, space, &friction).is_empty()
                    || !seen.insert(format!("{space:?} {second:?} {law}"))
                {
                    continue;
                }
                model.joints[1].friction = Some(friction);
                let [wanted, found] =
                    [model.clone(), in_joint_coordinates(&model)].map(|model| end_of(&model));
                same(&format!("{name}, {law}"), &found, &wanted, 1e-8);
            }
        }
    }
    assert_eq!(seen.len(), 6 * (2 + 7), "{seen:?}");
}

fn run(model: &Model, method: Method, rtol: f64, names: &[&str]) -> (Vec<f64>, RunReport) {
    let mut rows = Rows::default();
    let spec = RunSpec { method, rtol: Some(rtol), ..run_for(model, 0.1, names) };
    let report = simulate(&assemble(model).unwrap(), &spec, &mut rows);
    (rows.0.pop().unwrap(), report)
}

const ENDS: [&str; 4] = ["a.position.x", "b.position.x", "b.position.y", "b.velocity.x"];

/// Position of the second body and the work of friction at the end of a run.
fn end_of(model: &Model) -> Vec<f64> {
    let (mut values, report) = run(model, Method::Dop853, 1e-11, &ENDS);
    assert_eq!(report.status, Status::Done, "{}", model.name);
    let off = report.energy.residual.abs() / report.energy.peak_kinetic;
    assert!(off < 1e-7, "{} closes to {off}", model.name);
    let lines = report.energy.lines.iter();
    let friction = lines.filter(|line| line.kind == LedgerKind::Friction);
    values.push(friction.map(|line| line.value).sum());
    values
}

#[test]
fn implicit_methods_cut_joints_with_friction() {
    let laws = laws();
    for (k, (name, model)) in chains(Space::Spatial).into_iter().step_by(29).enumerate() {
        let Some(model) = with_friction(&model, &laws[k % laws.len()].1) else { continue };
        let mut reduced = in_joint_coordinates(&model);
        let spec = RunSpec { method: Method::Radau5 { step: None }, ..RunSpec::seconds(0.1) };
        cut_friction(&mut reduced, &spec).unwrap();
        let rubs = |joint: &&Joint| joint.friction.is_some();
        assert!(reduced.joints.iter().filter(rubs).all(|joint| joint.cut == Cut::Friction));
        let (wanted, _) = run(&model, Method::Dop853, 1e-11, &ENDS);
        let (found, report) = run(&reduced, spec.method, 1e-10, &ENDS);
        assert_eq!(report.status, Status::Done, "{name}");
        same(&name, &found, &wanted, 1e-6);
    }
}

#[test]
fn implicit_methods_refuse_joints_with_friction_that_are_not_cut() {
    let (name, law) = &laws()[0];
    let mut rough = chains(Space::Planar).into_iter().filter_map(|(_, m)| with_friction(&m, law));
    let model = in_joint_coordinates(&rough.next().unwrap());
    let start = assemble(&model).unwrap();
    let rubbing = model.joints.iter().find(|joint| joint.friction.is_some()).unwrap();
    for method in [Method::Radau5 { step: None }, Method::Bdf { index: Index::Two, step: None }] {
        let spec = RunSpec { method, ..RunSpec::seconds(0.1) };
        let report = simulate(&start, &spec, &mut Silent);
        let Status::Failed(error) = report.status else { panic!("{name}: {:?}", report.status) };
        let Cause::UncutFriction { joint, .. } = &error.cause else { panic!("{name}: {error}") };
        assert_eq!((joint, error.time), (&rubbing.name, 0.0), "{name}");
        assert!(error.help.contains("cut_friction"), "{}", error.help);
    }
    let spec = RunSpec { method: Method::Dop853, ..RunSpec::seconds(0.1) };
    assert_eq!(simulate(&start, &spec, &mut Silent).status, Status::Done);
}

#[test]
fn strong_friction_is_found_by_newtons_method_or_jams_in_both() {
    // Loads that grow with friction faster than simple iteration can follow, up to where none exist.
    let (mut found, mut jammed) = (0, 0);
    for (name, model) in chains(Space::Planar).into_iter().chain(chains(Space::Spatial)) {
        for mu in [1.0, 3.0] {
            let law = FrictionLaw::Stribeck { mu_s: mu, mu_k: mu, v_s: 0.1, v_t: 1e-2 };
            let Some(model) = with_friction(&model, &law) else { continue };
            let ends = [model.clone(), in_joint_coordinates(&model)].map(|model| {
                let start = assemble(&model)?;
                let mut plant = Plant::new(&start.system);
                plant.find_modes(0.0, &start.state());
                plant.evaluate(0.0, &start.state()).unwrap();
                Ok(plant.work.accelerations.clone())
            });
            match ends {
                [Ok(a), Ok(b)] => {
                    same(&name, &b, &a, 1e-9);
                    found += 1;
                }
                [
                    Err(AssemblyError::NoAcceleration(NoAcceleration::Jammed { .. })),
                    Err(AssemblyError::NoAcceleration(NoAcceleration::Jammed { .. })),
                ] => jammed += 1,
                other => panic!("{name}: {other:?}"),
            }
        }
    }
    assert!(found > 50 && jammed > 0, "{found} {jammed}");
}
