//! What a run notices of friction: bristles that give energy, loads that are not unique.

use crate::assembly::Assembly;
use crate::friction::{FrictionElement, FrictionLaw};
use crate::results::Warning;
use crate::system::compile::ContactElement;
use crate::system::{Plant, System};

/// Energy below this share of the largest power times the time is rounding.
const ROUNDING: f64 = 1e-9;

/// Energy that the bristles of each surface have given, by the ends of steps.
#[derive(Default)]
pub(super) struct FrictionLog {
    given: Vec<Given>,
    last: f64,
}

#[derive(Clone, Copy, Default)]
struct Given {
    /// Time and sliding speed when it was first noticed.
    first: Option<(f64, f64)>,
    energy: f64,
    /// All that was turned over, for comparison.
    turnover: f64,
}

impl FrictionLog {
    /// After a step, whose end the plant was evaluated at.
    pub fn after_step(&mut self, plant: &Plant, t: f64, y: &[f64]) {
        let surfaces = surfaces(plant.system);
        if surfaces.clone().next().is_none() {
            return;
        }
        self.given.resize(surfaces.clone().count(), Given::default());
        let (dt, layout) = (t - self.last, plant.system.layout);
        self.last = t;
        let bristles = &y[layout.bristles..layout.drivers];
        for (given, surface) in self.given.iter_mut().zip(surfaces) {
            let Some((lost, load, speed)) = surface.state(plant, bristles) else { continue };
            let turnover = load * surface.law().largest() * speed;
            given.turnover += turnover * dt;
            // Where a contact ends, its load is rounding of either sign.
            if load > 0.0 && lost * load < -ROUNDING * turnover {
                given.first.get_or_insert((t, speed));
                given.energy -= lost * load * dt;
            }
        }
    }

    pub fn warnings(&self, assembly: &Assembly) -> Vec<Warning> {
        let system = &assembly.system;
        let mut warnings = not_unique(assembly);
        warnings.extend(super::bushings::warnings(system));
        for (surface, given) in surfaces(system).zip(&self.given) {
            let Some((t, speed)) = given.first else { continue };
            if given.energy <= 1e-6 * given.turnover {
                continue;
            }
            let limit = surface.law().passive_up_to().unwrap_or(0.0);
            warnings.push(Warning {
                code: "W0327",
                joint: surface.name(system),
                message: format!(
                    "the bristles of the friction law gave {:.3e} J, first at t = {t:.6} s and a sliding speed of {speed:.3e} m/s: the law takes energy up to {limit:.3e} m/s only",
                    given.energy
                ),
                help: "let the damping fade with a `sigma1_speed` such as `v_s`, or give `sigma2` of at least sigma1 (mu_s/mu_k - 1)".into(),
            });
        }
        warnings
    }
}

/// A surface with bristles.
#[derive(Clone, Copy)]
enum Surface<'s> {
    Joint(usize, &'s FrictionElement),
    Contact(usize, &'s ContactElement, &'s FrictionLaw),
}

/// All surfaces with bristles.
fn surfaces(system: &System) -> impl Iterator<Item = Surface<'_>> + Clone {
    let ideal = system.frictions.iter().enumerate().filter(|(_, element)| element.states() > 0);
    let contacts = system.contacts.iter().enumerate().filter_map(|(i, element)| {
        let law = element.clearance.friction.as_ref().filter(|law| law.has_state())?;
        Some(Surface::Contact(i, element, law))
    });
    ideal.map(|(i, element)| Surface::Joint(i, element)).chain(contacts)
}

impl Surface<'_> {
    fn law(&self) -> &FrictionLaw {
        match self {
            Self::Joint(_, element) => &element.law,
            Self::Contact(_, _, law) => law,
        }
    }

    fn name(&self, system: &System) -> String {
        match self {
            Self::Joint(_, element) => system.model.joints[element.joint.0].name.clone(),
            Self::Contact(i, ..) => system.contact_name(*i),
        }
    }

    /// What is lost per load, the load and the speed of sliding; none apart.
    fn state(&self, plant: &Plant, bristles: &[f64]) -> Option<(f64, f64, f64)> {
        let work = &plant.work;
        let (slip, z, load) = match self {
            Self::Joint(i, element) => {
                let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
                (element.slips(a, b), element.bristles(bristles), work.frictions[*i].load)
            }
            Self::Contact(i, element, _) => {
                let (geometry, force) = (work.contacts[*i].0?, &work.contacts[*i].1);
                let sides = (&work.markers[element.a], &work.markers[element.b]);
                let touch = element.touch(plant.memory.contact(*i, element), sides, bristles);
                (touch.bristles(&geometry)?.slip, touch.z, force.normal)
            }
        };
        let speed = slip.iter().map(|s| s * s).sum::<f64>().sqrt();
        Some((self.law().lost(&slip, &z), load, speed))
    }
}

/// Joints with friction whose reactions are not unique.
fn not_unique(assembly: &Assembly) -> Vec<Warning> {
    let joints = &assembly.system.model.joints;
    let shared = assembly.report.indeterminate.iter().map(|found| &joints[found.joint.0]);
    let rubs = shared.filter(|joint| joint.friction.is_some() && joint.clearance.is_none());
    let warning = |joint: &crate::model::Joint| {
        Warning {
        code: "W0326",
        joint: joint.name.clone(),
        message: "friction follows reactions that are not unique: redundant joints share the load in a way that the model does not determine".into(),
        help: "replace a revolute joint of the loop by a spherical or cylindrical one until `check` shows no redundant rows".into(),
    }
    };
    rubs.map(warning).collect()
}

/// Laws that take energy up to a speed only, for `check`.
pub fn of_laws(assembly: &Assembly) -> Vec<Warning> {
    let system = &assembly.system;
    let limited = |surface: Surface| {
        let limit = surface.law().passive_up_to()?;
        let joint = match surface {
            Surface::Joint(_, element) => element.joint,
            Surface::Contact(_, element, _) => element.joint,
        };
        Some(Warning {
            code: "W0328",
            joint: system.model.joints[joint.0].name.clone(),
            message: format!("LuGre friction with these constants takes energy up to a sliding speed of {limit:.4} m/s only"),
            help: "where surfaces slide faster, let the damping fade with `sigma1_speed`, or give `sigma2` of at least sigma1 (mu_s/mu_k - 1); a run says where it mattered".into(),
        })
    };
    let mut warnings = not_unique(assembly);
    warnings.extend(super::bushings::warnings(system));
    warnings.extend(surfaces(system).filter_map(limited));
    warnings.dedup();
    warnings
}
