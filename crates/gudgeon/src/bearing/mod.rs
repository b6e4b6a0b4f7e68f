//! Bearing analysis: where the journals of a mechanism rest in their films, and how the films answer
//! small motions about that place.
//!
//! The mechanism turns steadily with the velocities of its start. Its weight, applied forces and
//! springs load the bearings; inertia is left out, so that an unbalanced rotor rests where a balanced
//! one would. Each bearing is then linearised on its own ([`Equilibrium`]). Grids of finite films are
//! refined first: slopes need more cells than forces.

mod settle;

use nalgebra::Vector2;

use crate::assembly::{Assembly, AssemblyError, Motion, assemble_moving};
use crate::film::{Cavitation, Equilibrium, Film, FilmModel, FilmSnapshot, Peak};
use crate::model::{Coordinates, JointId, Model};
use crate::progress::Progress;
use crate::results::{Cause, FilmReport, Warning};
use crate::run::Limits;
use crate::simulate::of_films;
use crate::system::compile::FilmElement;

/// A load below this share of the largest one is rounding.
const NO_LOAD: f64 = 1e-9;

/// All bearings of a mechanism at rest.
#[derive(Clone, Debug)]
pub struct BearingReport {
    pub bearings: Vec<Bearing>,
    pub warnings: Vec<Warning>,
    /// Newton steps that it took.
    pub steps: usize,
}

/// One journal at rest in its film.
#[derive(Clone, Debug)]
pub struct Bearing {
    pub joint: JointId,
    pub name: String,
    pub rest: Equilibrium,
    pub film: FilmSnapshot,
    pub peak: Peak,
    /// Angle between the axes of journal and bearing, rad.
    pub tilt: f64,
}

/// Why a mechanism has no bearing analysis.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BearingError {
    #[error("no joint has a `film`")]
    NoFilm,
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    #[error("the journal of `{joint}` does not turn at t = 0: its film bears no steady load")]
    NoRotation { joint: String },
    #[error("the bearing of `{joint}` turns: coefficients are for bearings at rest")]
    Turning { joint: String },
    #[error("the journal of `{joint}` touches its bearing at the start")]
    Touching { joint: String },
    #[error(
        "the mechanism finds no rest: {force:.3e} N left in {equation}, eccentricity ratio up to {eccentricity:.6}"
    )]
    NoRest { equation: String, force: f64, eccentricity: f64 },
    #[error("{0}")]
    Limit(Cause),
    #[error("the analysis was cancelled")]
    Cancelled,
}

impl BearingError {
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoFilm => {
                "give a joint with `clearance` a table such as `film = { model = \"short\", viscosity = \"0.04 Pa s\", length = \"20 mm\" }`"
            }
            Self::Assembly(_) => "`gudgeon check` says more",
            Self::NoRotation { .. } => "drive the journal with a `speed` that is not zero at t = 0",
            Self::Turning { .. } => {
                "let the first body of `between` rest, or look at the motion instead"
            }
            Self::Touching { .. } => {
                "let it start nearer to the centre: look at its `offset` in `[start]`"
            }
            Self::Limit(Cause::StepLimit { .. }) => "raise `--max-steps` or `max_steps`",
            Self::Limit(_) => "raise `--time-limit` or `time_limit`; finite films take longest",
            Self::Cancelled => "run it again",
            Self::NoRest { .. } => {
                "the analysis is for shafts that are driven steadily about axes at rest, under a load that their films can bear; lower the load, or raise speed, viscosity or length"
            }
        }
    }
}

/// Finds the rest of a mechanism and linearises its films there, within limits and unless `progress`
/// cancels it.
pub fn analyse(
    model: &Model,
    limits: Limits,
    progress: &dyn Progress,
) -> Result<BearingReport, BearingError> {
    let assembly = assemble_moving(&refined(model), Motion::Ideal)?;
    if assembly.system.films.is_empty() {
        return Err(BearingError::NoFilm);
    }
    let settled = settle::settle(&assembly, limits, progress)?;
    let bearings: Vec<Bearing> = (0..assembly.system.films.len())
        .map(|film| match progress.is_cancelled() {
            true => Err(BearingError::Cancelled),
            false => bearing(&assembly, &settled, film),
        })
        .collect::<Result<_, _>>()?;
    let warnings = warnings(&assembly, &bearings);
    Ok(BearingReport { bearings, warnings, steps: settled.steps })
}

/// The model with finite films on grids fine enough for their slopes.
pub(crate) fn refined(model: &Model) -> Model {
    // Rest, and small motions about it, are the same in any coordinates.
    let mut model = Model { coordinates: Coordinates::Absolute, ..model.clone() };
    for joint in &mut model.joints {
        let film = joint.clearance.as_mut().and_then(|clearance| clearance.film.as_mut());
        if let Some(FilmModel::Finite(film)) = film.map(|film| &mut film.film.model) {
            let fine = film.clone().fine();
            film.around = film.around.max(fine.around);
            film.along = film.along.max(fine.along);
        }
    }
    model
}

fn bearing(
    assembly: &Assembly,
    settled: &settle::Settled,
    index: usize,
) -> Result<Bearing, BearingError> {
    let element = &assembly.system.films[index];
    let now = settled.films[index];
    let (film, state) = (&element.lubricant.film, now.state);
    let name = assembly.system.model.joints[element.joint.0].name.clone();
    let touching = |_| BearingError::Touching { joint: name.clone() };
    let mut work = film.work();
    let (force, tangent) = film.tangent(&state, &mut work).map_err(touching)?;
    let small = force.f.norm() <= NO_LOAD * settled.load;
    let load = if small { Vector2::zeros() } else { -force.f };
    let snapshot = FilmSnapshot { lubricant: element.lubricant.clone(), now };
    let slope = (state.place[1] - state.place[0]) / film.shape.length;
    let mut rest = Equilibrium::new(film, state, load, force, tangent);
    if film.model == FilmModel::Short {
        // Its tilting moments are too large (tian, Eq. 38); its forces are exact where it is aligned.
        let exact = Film::new(film.shape, FilmModel::ShortExact(Cavitation::HalfSommerfeld));
        let (force, tangent) = exact.tangent(&state, &mut exact.work()).map_err(touching)?;
        let exact = Equilibrium::new(&exact, state, load, force, tangent).coefficients;
        rest.coefficients.tilt_stiffness = exact.tilt_stiffness;
        rest.coefficients.tilt_damping = exact.tilt_damping;
    }
    Ok(Bearing {
        joint: element.joint,
        rest,
        peak: snapshot.peak(),
        film: snapshot,
        tilt: slope.norm().atan(),
        name,
    })
}

fn warnings(assembly: &Assembly, bearings: &[Bearing]) -> Vec<Warning> {
    let elements = &assembly.system.films;
    let report = |(bearing, element): (&Bearing, &FilmElement)| FilmReport {
        joint: bearing.joint,
        name: bearing.name.clone(),
        thinnest: bearing.rest.force.min_film,
        t: 0.0,
        angle: bearing.rest.force.min_film_angle,
        clearance: element.lubricant.film.shape.clearance,
        roughness: element.lubricant.roughness,
        hybrid: element.lubricant.hybrid,
        turned: f64::INFINITY, // for ever
    };
    let reports: Vec<FilmReport> = bearings.iter().zip(elements).map(report).collect();
    let idle = bearings.iter().filter(|bearing| bearing.rest.load == Vector2::zeros());
    let idle = idle.map(|bearing| Warning {
        code: "W0320",
        joint: bearing.name.clone(),
        message: "nothing presses on this film: its coefficients are those of a centred journal"
            .into(),
        help:
            "weight (`gravity` in `[model]`), forces and springs are the load; inertia is left out"
                .into(),
    });
    let rough = reports.iter().filter(|film| film.hybrid && film.roughness > Some(film.thinnest));
    let rough = rough.map(|film| Warning {
        code: "W0321",
        joint: film.name.clone(),
        message: format!(
            "the film is {:.3e} m thick, thinner than the roughness: dry contact, which shares the load there, is left out",
            film.thinnest
        ),
        help: "coefficients are those of the film alone; look at the motion instead".into(),
    });
    let told = of_films(&assembly.system, &reports);
    told.into_iter().chain(idle).chain(rough).collect()
}
