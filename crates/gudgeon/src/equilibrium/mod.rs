//! Static analysis: where a mechanism rests under its loads, and how that place moves with a parameter.
//!
//! Drivers hold their place at t = 0 and nothing moves, unless films carry shafts, which then turn as at the start, or
//! everything rotates as one about an axis. Friction at rest is not unique: the place without friction is found. Bodies are described by their own coordinates, whichever they run in.

mod balance;
mod coordinates;
mod free;
mod newton;
mod path;

pub use balance::{Rotation, Steady};
pub use path::{Family, Path, PathPoint};

pub(crate) use balance::Balance;
pub(crate) use coordinates::{Chords, unsteadiness};
pub(crate) use newton::{Effort, Search};

use crate::assembly::{Assembly, AssemblyError, Motion, assemble_moving};
use crate::bearing::refined;
use crate::limits::Watch;
use crate::modal::is_stable;
use crate::model::Model;
use crate::progress::Progress;
use crate::results::{Cause, Warning};
use crate::run::Limits;
use crate::sensor::Sensor;
use crate::simulate::{at_rest, of_links};
use crate::system::System;

/// Why there is no equilibrium.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EquilibriumError {
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    #[error("nothing holds the mechanism against its load: {motion}")]
    FreeMotion { motion: String },
    #[error(
        "no equilibrium was found: {} of the load are carried{}, {left:.3e} N out of balance",
        percent(*.share),
        gives_way(.moving)
    )]
    NoRest {
        /// Share of the load under which there is an equilibrium.
        share: f64,
        left: f64,
        /// What gave way.
        moving: String,
    },
    #[error("the journal of `{joint}` touches its bearing: its film bears no load there")]
    Touching { joint: String },
    #[error("the forces of the mechanism are not finite")]
    NotFinite,
    #[error("the mechanism has no model at {value:.6e}: {cause}")]
    NoModel { value: f64, cause: String },
    #[error("the path of equilibria is lost at {value:.6e}")]
    PathLost { value: f64 },
    #[error("{0}")]
    NoRotation(String),
    #[error("{0}")]
    Limit(Cause),
    #[error("the analysis was cancelled")]
    Cancelled,
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn gives_way(moving: &str) -> String {
    match moving {
        "" => String::new(),
        moving => format!(", then {moving}"),
    }
}

impl EquilibriumError {
    pub fn help(&self) -> &'static str {
        match self {
            Self::Assembly(_) => "`gudgeon check` says more",
            Self::FreeMotion { .. } => {
                "hold that motion by a joint, a driver, a spring or a contact, or take the load away"
            }
            Self::NoRest { .. } => {
                "let the mechanism start nearer to its rest, lower the load, or follow it with `vary`, which passes limit points"
            }
            Self::Touching { .. } => {
                "let it start nearer to the centre, or lower the load: look at its `offset` in `[start]`"
            }
            Self::NotFinite => "look for a length of zero between the ends of a spring",
            Self::NoModel { .. } => "keep the range of `vary` where the model is valid",
            Self::PathLost { .. } => {
                "the equilibrium ends there, or forces have a kink: a contact that opens or closes; vary over a shorter range"
            }
            Self::NoRotation(_) => {
                "`about = \"rotation\"` needs drivers that turn bodies against the ground at one constant speed about one axis, and gravity along it or none"
            }
            Self::Limit(Cause::StepLimit { .. }) => "raise `--max-steps` or `max_steps`",
            Self::Limit(_) => "raise `--time-limit` or `time_limit`",
            Self::Cancelled => "run it again",
        }
    }

    /// Whether another way to the equilibrium is not worth trying.
    fn is_final(&self) -> bool {
        matches!(self, Self::Limit(_) | Self::Cancelled | Self::FreeMotion { .. })
    }
}

/// A mechanism at rest.
#[derive(Clone, Debug)]
pub struct StaticReport {
    /// Values of the outputs.
    pub outputs: Vec<f64>,
    pub stable: Option<bool>,
    /// Newton steps.
    pub steps: usize,
    pub mobility: usize,
    /// Rows that depend on others, by owner and kind.
    pub dependent: Vec<(String, &'static str)>,
    pub warnings: Vec<Warning>,
}

/// What analyses of small motions work with.
pub(crate) struct Prepared;

impl Prepared {
    /// The model by own coordinates of its bodies, without friction, with fine films, links on an equivalent rigid system in
    /// frames of their own: what such a system leaves out is of second order in small motions.
    pub fn model(model: &Model) -> Model {
        let mut model = refined(&model.without_natural_coordinates());
        model
            .bodies
            .iter_mut()
            .filter_map(|b| b.flexible.as_mut())
            .for_each(|link| link.leave_erls());
        for joint in &mut model.joints {
            joint.friction = None;
            if let Some(clearance) = &mut joint.clearance {
                clearance.friction = None;
            }
        }
        model
    }

    pub fn assembly(model: &Model) -> Result<Assembly, AssemblyError> {
        assemble_moving(&Self::model(model), Motion::Ideal)
    }
}

/// How a mechanism stands where nothing else is asked for.
pub fn standing(model: &Model) -> Steady {
    let film = |joint: &crate::model::Joint| {
        joint.clearance.as_ref().is_some_and(|clearance| clearance.film.is_some())
    };
    if model.joints.iter().any(film) { Steady::Turning } else { Steady::Still }
}

/// The rotation that the drivers of a model prescribe: all at one constant speed about one axis at rest.
pub fn rotation_of(model: &Model) -> Result<Rotation, EquilibriumError> {
    let refuse = |text: String| Err(EquilibriumError::NoRotation(text));
    let assembly = Prepared::assembly(model)?;
    let system = &assembly.system;
    let mut found: Option<Rotation> = None;
    for driver in &model.drivers {
        let [now, later] = [0.0, 1.0].map(|t| driver.motion.jet(t, t));
        if now.rate == 0.0 && later.rate == 0.0 {
            continue;
        }
        if !driver.coordinate.is_angle() || now.second != 0.0 || now.rate != later.rate {
            return refuse(format!("driver `{}` does not turn at a constant speed", driver.name));
        }
        let joint = &model.joints[driver.joint.0];
        let marker =
            |id: usize| system.marker_at(&system.attachments[id], &assembly.q, &assembly.v);
        let (a, b) = (marker(joint.a.0), marker(joint.b.0));
        let (bodies, sense) = (
            (model.markers[joint.a.0].body.0, model.markers[joint.b.0].body.0),
            b.twist.w - a.twist.w,
        );
        if bodies.0 != 0 && bodies.1 != 0 {
            return refuse(format!(
                "driver `{}` does not turn a body against the ground",
                driver.name
            ));
        }
        let speed = if bodies.0 == 0 { sense } else { -sense };
        let next = Rotation { speed, point: a.frame.p };
        if let Some(first) = found {
            let size = first.speed.norm();
            let across = (next.point - first.point).cross(&first.speed) / size;
            if (next.speed - first.speed).norm() > 1e-9 * size
                || across.norm() > 1e-9 * system.length
            {
                return refuse(format!("driver `{}` turns otherwise than the others", driver.name));
            }
        }
        found = found.or(Some(next));
    }
    let Some(rotation) = found else { return refuse("no driver turns anything".to_owned()) };
    if model.gravity.cross(&rotation.speed).norm()
        > 1e-12 * model.gravity.norm() * rotation.speed.norm()
    {
        return refuse("gravity is not along the axis of rotation".to_owned());
    }
    Ok(rotation)
}

/// Finds the equilibrium of a mechanism.
pub fn find(
    model: &Model,
    steady: Steady,
    outputs: &[Sensor],
    limits: Limits,
    progress: &dyn Progress,
) -> Result<StaticReport, EquilibriumError> {
    let assembly = Prepared::assembly(model)?;
    let mut watch = Watch::new(limits);
    let mut effort = Effort { watch: &mut watch, progress };
    let mut balance = settled(&assembly, steady, &mut effort)?;
    let steps = balance.1;
    report(model, &mut balance.0, outputs, steps)
}

/// The equilibrium of an assembled mechanism and how many steps it took.
pub(crate) fn settled<'s>(
    assembly: &'s Assembly,
    steady: Steady,
    effort: &mut Effort,
) -> Result<(Balance<'s>, usize), EquilibriumError> {
    let system = &assembly.system;
    let mut balance =
        Balance::new(system, assembly.state(), steady).map_err(|fault| undefined(system, fault))?;
    let mut search = Search::new(&mut balance).map_err(|fault| undefined(system, fault))?;
    search.find(effort)?;
    let steps = search.steps;
    balance.settle_outputs();
    Ok((balance, steps))
}

fn undefined(system: &System, fault: gudgeon_dae::Fault) -> EquilibriumError {
    match fault {
        gudgeon_dae::Fault::Undefined { element } if element < system.films.len() => {
            let joint = system.model.joints[system.films[element].joint.0].name.clone();
            EquilibriumError::Touching { joint }
        }
        _ => EquilibriumError::NotFinite,
    }
}

fn report(
    model: &Model,
    balance: &mut Balance,
    outputs: &[Sensor],
    steps: usize,
) -> Result<StaticReport, EquilibriumError> {
    let system = balance.system();
    let pencil = balance.pencil(Chords::Counted).map_err(|fault| undefined(system, fault))?;
    let stable = is_stable(&pencil);
    balance.settle_outputs();
    let links = at_rest(system, &balance.plant.work);
    let mut warnings = warnings(model, stable);
    warnings.extend(of_links(&links, |_| "at rest".into()));
    let dropped = balance.dropped.iter().enumerate().filter(|(_, dropped)| **dropped);
    let dependent = dropped
        .map(|(i, _)| (system.row_owner(i).to_owned(), system.rows[i].kind.name()))
        .collect();
    Ok(StaticReport {
        outputs: outputs.iter().map(|sensor| sensor.value(&balance.plant, 0.0)).collect(),
        stable,
        steps,
        mobility: pencil.mobility(),
        dependent,
        warnings,
    })
}

/// What was assumed, and what became of it.
pub(crate) fn warnings(model: &Model, stable: Option<bool>) -> Vec<Warning> {
    let mut out = frictionless(model);
    if stable == Some(false) {
        out.push(Warning {
            code: "W0341",
            joint: String::new(),
            message: "the equilibrium is not stable: a small push takes the mechanism away from it"
                .into(),
            help: "let it start beside, so that it falls to another one".into(),
        });
    }
    out
}

/// Joints whose friction was left out.
pub(crate) fn frictionless(model: &Model) -> Vec<Warning> {
    let rough = |joint: &&crate::model::Joint| {
        let play = joint.clearance.as_ref().is_some_and(|clearance| clearance.friction.is_some());
        play || joint.friction.is_some()
    };
    let joints = model.joints.iter().filter(rough);
    let warn = |joint: &crate::model::Joint| Warning {
        code: "W0340",
        joint: joint.name.clone(),
        message: "friction is left out: at rest it may take any value up to its limit".into(),
        help: "the place without friction was found; the motion shows where it sticks".into(),
    };
    joints.map(warn).collect()
}

/// A path of equilibria with the outputs at its points.
#[derive(Debug)]
pub struct PathReport {
    pub points: Vec<(PathPoint, Vec<f64>)>,
    pub ended: Option<EquilibriumError>,
    pub steps: usize,
    pub warnings: Vec<Warning>,
}

/// Follows the equilibrium over the values of a parameter, from the first to the last.
pub fn trace(
    family: Family,
    values: &[f64],
    steady: Steady,
    outputs: &[Sensor],
    limits: Limits,
    progress: &dyn Progress,
) -> Result<PathReport, EquilibriumError> {
    let failed = |value: f64| move |cause: String| EquilibriumError::NoModel { value, cause };
    let model = family(values[0]).map_err(failed(values[0]))?;
    let assembly = Prepared::assembly(&model)?;
    let mut watch = Watch::new(limits);
    let (balance, first) = {
        let mut effort = Effort { watch: &mut watch, progress };
        settled(&assembly, steady, &mut effort)?
    };
    let mut effort = Effort { watch: &mut watch, progress };
    let path = path::follow(family, values, (&balance, steady), &mut effort);
    let mut points = Vec::new();
    let mut crushed = Vec::new();
    for point in path.points {
        let model = family(point.value).map_err(failed(point.value))?;
        let compiled = System::compile(&Prepared::model(&model));
        let system = compiled.map_err(|error| failed(point.value)(error.to_string()))?;
        let at = Balance::new(&system, point.y.clone(), steady);
        let mut at = at.map_err(|fault| undefined(&system, fault))?;
        at.lambda.copy_from_slice(&point.lambda);
        at.settle_outputs();
        let values = outputs.iter().map(|sensor| sensor.value(&at.plant, 0.0)).collect();
        if crushed.is_empty() {
            let links = at_rest(&system, &at.plant.work);
            let when = format!("at rest where the value varied is {:.6e} (SI)", point.value);
            crushed = of_links(&links, |_| when.clone());
        }
        points.push((point, values));
    }
    let mut warnings = frictionless(&model);
    warnings.extend(crushed);
    Ok(PathReport { points, ended: path.ended, steps: first + path.steps, warnings })
}
