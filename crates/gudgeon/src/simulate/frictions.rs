//! What a run notices of friction in ideal joints: bristles that give energy, loads that are not unique.

use crate::assembly::Assembly;
use crate::results::Warning;
use crate::system::Plant;

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
    /// After a step, whose end the plant was placed at.
    pub fn after_step(&mut self, plant: &Plant, t: f64, y: &[f64]) {
        let system = plant.system;
        if system.frictions.is_empty() {
            return;
        }
        self.given.resize(system.frictions.len(), Given::default());
        let (dt, layout) = (t - self.last, system.layout);
        self.last = t;
        for (i, element) in system.frictions.iter().enumerate().filter(|(_, e)| e.states() > 0) {
            let (a, b) = (&plant.work.markers[element.a], &plant.work.markers[element.b]);
            let slip = element.slips(a, b);
            let z = element.bristles(&y[layout.bristles..layout.drivers]);
            let (lost, load) = (element.law.lost(&slip, &z), plant.work.frictions[i].load);
            let speed = slip.iter().map(|s| s * s).sum::<f64>().sqrt();
            let turnover = load * element.law.largest() * speed;
            let given = &mut self.given[i];
            given.turnover += turnover * dt;
            if lost * load < -ROUNDING * turnover {
                given.first.get_or_insert((t, speed));
                given.energy -= lost * load * dt;
            }
        }
    }

    pub fn warnings(&self, assembly: &Assembly) -> Vec<Warning> {
        let system = &assembly.system;
        let mut warnings = not_unique(assembly);
        for (element, given) in system.frictions.iter().zip(&self.given) {
            let Some((t, speed)) = given.first else { continue };
            if given.energy <= 1e-6 * given.turnover {
                continue;
            }
            let limit = element.law.passive_up_to().unwrap_or(0.0);
            warnings.push(Warning {
                code: "W0327",
                joint: system.model.joints[element.joint.0].name.clone(),
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
    let limited = |element: &crate::friction::FrictionElement| {
        let limit = element.law.passive_up_to()?;
        Some(Warning {
            code: "W0328",
            joint: system.model.joints[element.joint.0].name.clone(),
            message: format!("LuGre friction with these constants takes energy up to a sliding speed of {limit:.4} m/s only"),
            help: "where surfaces slide faster, let the damping fade with `sigma1_speed`, or give `sigma2` of at least sigma1 (mu_s/mu_k - 1); a run says where it mattered".into(),
        })
    };
    let mut warnings = not_unique(assembly);
    warnings.extend(system.frictions.iter().filter_map(limited));
    warnings
}
