//! Failures in words of the model.

use gudgeon_dae::{Equation, Fault, StepError};

use super::{Halt, Run};
use crate::results::{Cause, SimulationError};
use crate::system::component::RigidBody;
use crate::system::erls::Lost;
use crate::system::{Plant, System};

/// Where a row has a pivot ratio below this, a step that cannot be solved fails for that reason.
const LOSING: f64 = 1e-3;

/// Help where a step cannot be solved, with fixed steps and where they follow the tolerance.
const UNSOLVED: &str = "take a smaller `step`, or leave it out so that steps follow the tolerance; if that fails too, look there for a force that jumps or a mass that is too small, try another `method`, or a larger `rtol` if it is near rounding";
const UNSOLVED_BY_TOLERANCE: &str = "look there for a film that gives way, a force that jumps or a mass that is too small; try another `method`, or a larger `rtol` if it is near rounding";

/// What to do about a table that is left.
pub(super) const OUTSIDE: &str = "give the table more points, or say what holds beyond its ends: `clamp` or `periodic` as its last argument";

/// What an event belongs to.
#[derive(Clone, Copy)]
pub(super) enum Touched {
    Contact(usize),
    Friction(usize),
    Function(usize),
}

impl Touched {
    /// Why events pile up there.
    pub fn chatters(self, system: &System) -> Cause {
        let joint = match self {
            Self::Contact(contact) => system.contact_name(contact),
            Self::Friction(friction) => {
                system.model.joints[system.frictions[friction].joint.0].name.clone()
            }
            Self::Function(function) => {
                let function = system.model.functions[function].name.clone();
                return Cause::ChatteringFunction { function };
            }
        };
        Cause::Chattering { joint }
    }
}

impl Run<'_> {
    pub(super) fn fault(&self, t: f64, fault: Fault) -> Halt {
        Halt::Error(Box::new(error_of(&self.plant, t, fault)))
    }

    pub(super) fn halt(&self, time: f64, cause: Cause) -> Halt {
        let suffers = matches!(
            cause,
            Cause::StepTooSmall { .. } | Cause::Unsolved { .. } | Cause::NoProgress { .. }
        );
        if suffers || matches!(cause, Cause::NotFinite { .. } | Cause::TooFast { .. }) {
            let (system, work) = (self.plant.system, &self.plant.work);
            let equivalent = system.erls.as_ref().zip(work.erls.as_deref());
            if let Some(lost) = equivalent.and_then(|(erls, own)| erls.lost(&system.model, own)) {
                let Lost { names, condition } = lost;
                return self::halt(time, Cause::Unfixed { names, condition });
            }
        }
        let uneven = suffers.then(|| self.plant.system.model.uneven_masses()).flatten();
        let mut halt = halt(time, cause);
        if let (Halt::Error(error), Some(masses)) = (&mut halt, uneven) {
            error.help = masses.help().into();
        }
        halt
    }

    pub(super) fn step_error(&mut self, error: StepError) -> Halt {
        match error {
            StepError::Stopped { time } => {
                let cause = self.plant.watch().exceeded();
                self.halt(time, cause.unwrap_or(Cause::StepLimit { limit: 0 }))
            }
            StepError::Fault { time, fault } => match (cause_of(&self.plant, fault), self.step()) {
                (Cause::Touching { joint }, Some(step)) => {
                    self.halt(time, Cause::FilmSkipped { joint, step })
                }
                (cause, _) => self.halt(time, cause),
            },
            StepError::Unsolved { time, step, equation, residual } => {
                self.scratch.copy_from_slice(self.ode.state());
                let weakest = self.plant.weakest_pivot_at(time, &self.scratch);
                if let Some((row, _)) = weakest.filter(|(_, pivot_ratio)| *pivot_ratio < LOSING) {
                    return self.halt(time, cause_of(&self.plant, Fault::Singular { row }));
                }
                let equation = name_of(&self.plant, equation);
                let mut halt = self.halt(time, Cause::Unsolved { equation, step, residual });
                if let (Halt::Error(error), None) = (&mut halt, self.step())
                    && error.help == UNSOLVED
                {
                    error.help = UNSOLVED_BY_TOLERANCE.into();
                }
                halt
            }
            StepError::StepTooSmall { time, .. }
                if self.piled_up > 0 && matches!(self.touched, Some(Touched::Function(_))) =>
            {
                let touched = self.touched.expect("it is a function");
                self.halt(time, touched.chatters(self.plant.system))
            }
            StepError::StepTooSmall { time, limit, fault } => {
                let weakest =
                    self.plant.weakest_pivot().filter(|(_, pivot_ratio)| *pivot_ratio < LOSING);
                let cause = match weakest {
                    Some((row, _)) => cause_of(&self.plant, Fault::Singular { row }),
                    None => fault.map_or_else(|| self.too_fast(), |f| cause_of(&self.plant, f)),
                };
                // Why the step fell says it all.
                let small = !matches!(cause, Cause::Touching { .. });
                let told = |cause| Cause::StepTooSmall { limit, cause: Box::new(cause) };
                self.halt(time, if small { told(cause) } else { cause })
            }
        }
    }

    /// The fixed step, where there is one.
    fn step(&self) -> Option<f64> {
        self.spec.method.step()
    }

    /// The body that the step size suffers from.
    pub(super) fn too_fast(&self) -> Cause {
        let (body, acceleration) = self.plant.fastest_body();
        let body = self.plant.system.model.bodies[body].name.clone();
        Cause::TooFast { body, acceleration }
    }
}

pub(super) fn halt(time: f64, cause: Cause) -> Halt {
    let help = help_for(&cause).into();
    Halt::Error(Box::new(SimulationError { time, cause, help }))
}

/// An equation in words of the model.
pub(crate) fn name_of(plant: &Plant, equation: Equation) -> String {
    let system = plant.system;
    match equation {
        Equation::Motion(i) => {
            if let Some(erls) = &system.erls {
                return erls.equation(&system.model, i);
            }
            let owns = |body: &RigidBody| body.velocities().contains(&i);
            let body = system.bodies.iter().position(owns).unwrap_or(0);
            let name = &system.model.bodies[body + 1].name;
            if system.bodies[body].formulation.is_flexible() {
                return format!("the motion of flexible body `{name}`");
            }
            let (translations, i) =
                (system.bodies[body].formulation.lengths(), i - system.bodies[body].v);
            match (i.checked_sub(translations), translations) {
                (None, _) => {
                    format!("the motion of body `{name}` along {}", ["x", "y", "z"][i % 3])
                }
                // In natural coordinates unit vectors follow two points.
                (Some(_), 2 | 6) => format!("the turning of body `{name}`"),
                (Some(axis), _) => {
                    format!("the turning of body `{name}` about its principal axis {}", axis + 1)
                }
            }
        }
        Equation::Rate(i) => format!("the depth of contact `{}`", system.contact_name(i)),
        Equation::Position(row) | Equation::Velocity(row) => {
            let what =
                if matches!(equation, Equation::Position(_)) { "position" } else { "velocity" };
            let (owner, kind) = (system.row_owner(row), system.rows[row].kind.name());
            format!("the {what} of `{owner}` ({kind})")
        }
    }
}

pub(super) fn error_of(plant: &Plant, time: f64, fault: Fault) -> SimulationError {
    let cause = cause_of(plant, fault);
    let help = help_for(&cause).into();
    SimulationError { time, cause, help }
}

/// A fault in words of the model.
fn cause_of(plant: &Plant, fault: Fault) -> Cause {
    let system = plant.system;
    match fault {
        Fault::Singular { row } => Cause::Singular {
            owner: system.row_owner(row).to_owned(),
            row: system.rows[row].kind.name(),
        },
        Fault::Open { row } => Cause::Open {
            owner: system.row_owner(row).to_owned(),
            row: system.rows[row].kind.name(),
        },
        Fault::Undefined { element } => {
            let joint = system.films[element].joint;
            Cause::Touching { joint: system.model.joints[joint.0].name.clone() }
        }
        Fault::Jammed { element } => {
            let joint = system.frictions[element].joint;
            let critical = plant.work.critical;
            Cause::Jammed { joint: system.model.joints[joint.0].name.clone(), critical }
        }
        Fault::NotFinite { .. } if plant.work.functions.iter().any(|value| !value.is_finite()) => {
            let undefined = plant.work.functions.iter().position(|value| !value.is_finite());
            let function = system.model.functions[undefined.unwrap_or(0)].name.clone();
            Cause::UndefinedFunction { function }
        }
        Fault::NotFinite { index } if system.erls.is_some() => {
            let at = &system.layout;
            let erls = system.erls.as_ref().expect("it was just there");
            let body = erls.body_of(index.checked_sub(at.q).unwrap_or(index));
            Cause::NotFinite { body: system.model.bodies[body].name.clone() }
        }
        Fault::NotFinite { index } => {
            let at = &system.layout;
            let owns = |body: &RigidBody| {
                let velocity =
                    index.checked_sub(at.q).is_some_and(|i| body.velocities().contains(&i));
                body.coordinates().contains(&index) || velocity
            };
            let body = system.bodies.iter().position(owns).map_or(0, |body| body + 1);
            Cause::NotFinite { body: system.model.bodies[body].name.clone() }
        }
    }
}

fn help_for(cause: &Cause) -> &'static str {
    match cause {
        Cause::Unfixed { .. } => {
            "zero a displacement that the rigid linkage moves in every position: across the link that an independent joint turns, `zeroed = [\"to.y\"]`, or write `zeroed = \"auto\"`; in a closed chain drive or `cut` another joint where none does"
        }
        Cause::StepTooSmall { cause, .. } if matches!(**cause, Cause::Singular { .. }) => {
            "the mechanism locks here: change the dimensions, or drive another joint"
        }
        Cause::Jammed { .. } => {
            "lower the friction, make the guide or bearing longer, or drive the mechanism elsewhere"
        }
        Cause::UncutFriction { .. } => {
            "cut joints with friction before assembly (`gudgeon::system::choice::cut_friction`), as files are, or take an explicit method"
        }
        Cause::StepTooSmall { cause, .. } if matches!(**cause, Cause::Jammed { .. }) => {
            help_for(cause)
        }
        Cause::StepTooSmall { cause, .. }
            if matches!(**cause, Cause::Touching { .. } | Cause::FilmSkipped { .. }) =>
        {
            help_for(cause)
        }
        Cause::StepTooSmall { .. } | Cause::TooFast { .. } => {
            "a force or prescribed motion may jump or blow up here; loosen rtol or look at the series up to this time"
        }
        Cause::Unsolved { .. } => UNSOLVED,
        Cause::Touching { .. } => {
            "the film bears no more load: raise viscosity or length, or let surfaces touch with `model = \"hybrid\"`"
        }
        Cause::FilmSkipped { .. } => {
            "take a smaller `step`, or leave it out so that steps follow the tolerance; if the film is too weak for its load, raise viscosity or length, or let surfaces touch with `model = \"hybrid\"`"
        }
        Cause::Singular { .. } => {
            "the mechanism passes a dead point; drive another joint or change the dimensions"
        }
        Cause::NotElastic { .. } => "take `analysis = \"motion\"`",
        Cause::Unbound => {
            "a body without mass or inertia may be free, or nothing holds the links at the start"
        }
        Cause::Open { .. } => {
            "the prescribed motion asks for a position the mechanism cannot reach"
        }
        Cause::NotFinite { .. } => {
            "look for forces that grow without bound or a mass that is too small"
        }
        Cause::Indented { .. } => {
            "drivers or dimensions ask for a motion that only the clearance lets through (`gudgeon check` says where the ideal mechanism locks), or the contact is far too soft for its load"
        }
        Cause::PositionJump { .. } => {
            "let the position go over smoothly with `step` or `spline`, or prescribe a `speed`"
        }
        Cause::TimeLimit { .. } => {
            "results up to this time are kept; raise `--time-limit` or `time_limit`, or loosen `rtol`"
        }
        Cause::StepLimit { .. } => {
            "results up to this time are kept; raise `--max-steps` or `max_steps`, or loosen `rtol`"
        }
        Cause::NoProgress { .. } => {
            "steps follow the fastest motion: look for a stiffness, frequency or speed that is too large, a mass that is too small, or end the run earlier"
        }
        Cause::ChatteringFunction { .. } => {
            "it jumps where the motion is driven back to the jump: let it change smoothly, as `tanh(v / (1 mm/s))` or `smoothstep` do, or give the joint `friction` with a law that sticks"
        }
        Cause::LeftTable { .. } => OUTSIDE,
        Cause::UndefinedFunction { .. } => {
            "look for a division by zero, a root of a negative number, or a power that grows without bound"
        }
        Cause::Chattering { .. } => {
            "raise the onset floor or add friction or damping to this joint; with `rk4` take a smaller step"
        }
    }
}
