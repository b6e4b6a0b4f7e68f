//! Whether a start has accelerations, and if not, what stands in the way.

use gudgeon_dae::{Fault, SecondOrderDae, Stabilisation};

use super::ranges::COMPUTABLE;
use super::{Assembly, AssemblyError, rounded};
use crate::force;
use crate::system::{Plant, System, Workspace};

/// Why a start has no accelerations.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoAcceleration {
    #[error("force `{force}` {}", strength(.size))]
    Force {
        force: String,
        /// N or N m.
        size: f64,
    },
    #[error("body `{body}` starts at {} {unit}", rounded(*.speed, 0.0))]
    Speed { body: String, speed: f64, unit: &'static str },
    #[error("what acts on body `{body}` is not finite")]
    Body { body: String },
    #[error("the reaction of `{owner}` ({row}) cannot be solved for")]
    Row { owner: String, row: &'static str },
    #[error(
        "friction jams `{joint}`: no finite reaction moves it, from a coefficient of {critical:.4} on"
    )]
    Jammed { joint: String, critical: f64 },
    #[error("the journal of `{joint}` touches its bearing, so that its film has no pressure")]
    Film { joint: String },
}

fn strength(size: &f64) -> String {
    match size.is_finite() {
        true => format!("acts with {} N or N m", rounded(*size, 0.0)),
        false => "is not finite".to_owned(),
    }
}

impl NoAcceleration {
    /// The body, joint, driver or force to blame.
    pub fn owner(&self) -> &str {
        match self {
            Self::Force { force: owner, .. }
            | Self::Speed { body: owner, .. }
            | Self::Body { body: owner }
            | Self::Row { owner, .. }
            | Self::Jammed { joint: owner, .. }
            | Self::Film { joint: owner } => owner,
        }
    }

    /// A fault before anything moves, of a row or a film.
    pub(super) fn of(system: &System, critical: f64, fault: Fault) -> Self {
        match fault {
            Fault::Singular { row } | Fault::Open { row } => Self::Row {
                owner: system.row_owner(row).to_owned(),
                row: system.rows[row].kind.name(),
            },
            Fault::Undefined { element } => {
                let joint = system.films[element].joint;
                Self::Film { joint: system.model.joints[joint.0].name.clone() }
            }
            Fault::Jammed { element } => {
                let joint = system.frictions[element].joint;
                let joint = system.model.joints[joint.0].name.clone();
                Self::Jammed { joint, critical }
            }
            Fault::NotFinite { index } => {
                let index = index.saturating_sub(system.layout.q);
                let body = system.bodies.iter().position(|body| body.velocities().contains(&index));
                let body = body.map_or(0, |body| body + 1);
                Self::Body { body: system.model.bodies[body].name.clone() }
            }
        }
    }
}

impl Assembly {
    pub(super) fn check_accelerations(&self) -> Result<(), AssemblyError> {
        let mut plant = Plant::new(&self.system);
        let y = self.state();
        let mut dy = vec![0.0; y.len()];
        plant.find_modes(0.0, &y);
        let solved = plant.rates(0.0, &y, &mut dy, Stabilisation::default());
        solved.map(|_| ()).map_err(|fault| {
            let film = matches!(fault, Fault::Undefined { .. });
            let beyond = if film { None } else { self.beyond_numbers(&plant.work) };
            AssemblyError::NoAcceleration(
                beyond.unwrap_or_else(|| {
                    NoAcceleration::of(&self.system, plant.work.critical, fault)
                }),
            )
        })
    }

    /// The force or the velocity that is so large that no numbers are left for what follows from it.
    fn beyond_numbers(&self, work: &Workspace) -> Option<NoAcceleration> {
        let system = &self.system;
        let far = |size: f64| !size.is_finite() || size >= COMPUTABLE.end;
        let forces = system.model.forces.iter().enumerate().map(|(i, force)| {
            let now = force::action(system, work, i, 0.0, 0.0);
            let all = [now.on_a.f, now.on_a.t, now.on_b.f, now.on_b.t];
            let size = |x: &f64| if x.is_finite() { x.abs() } else { f64::INFINITY };
            (all.iter().flat_map(|x| x.iter()).map(size).fold(0.0, f64::max), &force.name)
        });
        let strongest = forces.max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((size, force)) = strongest.filter(|(size, _)| far(*size)) {
            return Some(NoAcceleration::Force { force: force.clone(), size });
        }
        let speeds =
            system.bodies.iter().zip(&system.model.bodies[1..]).flat_map(|(rigid, body)| {
                let own = self.v[rigid.velocities()].iter().enumerate();
                let translations = rigid.formulation.lengths();
                own.map(move |(i, v)| {
                    (v.abs(), if i < translations { "m/s" } else { "rad/s" }, body)
                })
            });
        let (speed, unit, body) = speeds.max_by(|a, b| a.0.total_cmp(&b.0))?;
        far(speed).then(|| NoAcceleration::Speed { body: body.name.clone(), speed, unit })
    }
}
