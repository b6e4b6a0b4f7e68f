//! Lines of the energy ledger as responses.

use std::fmt;

use gudgeon::model::Model;
use gudgeon::results::{LedgerKind, LedgerLine};

use super::measure::window;
use super::{ResponseError, RunData};

/// The sum of the lines of a kind, or the one with a name.
pub(super) fn of_ledger(
    run: &RunData,
    kind: LedgerKind,
    name: Option<&str>,
) -> Result<f64, ResponseError> {
    check_ledger(run.model, kind, name)?;
    window(run.report)?;
    let fits = |line: &LedgerLine| line.kind == kind && name.is_none_or(|name| line.name == name);
    Ok(run.report.energy.in_window(fits) + 0.0) // never −0
}

/// A named line belongs to something the model has.
pub(super) fn check_ledger(
    model: &Model,
    kind: LedgerKind,
    name: Option<&str>,
) -> Result<(), ResponseError> {
    let Some(name) = name else { return Ok(()) };
    let is_known = match kind {
        LedgerKind::Kinetic => name == "bodies",
        LedgerKind::Gravity => name == "gravity",
        LedgerKind::Projection => name == "projection",
        LedgerKind::Formulation => name == "formulation",
        LedgerKind::Driver => model.drivers.iter().any(|driver| driver.name == name),
        LedgerKind::Spring | LedgerKind::Force => model.forces.iter().any(|f| f.name == name),
        LedgerKind::Strain | LedgerKind::Damping => {
            model.bodies.iter().any(|body| body.flexible.is_some() && body.name == name)
        }
        LedgerKind::ContactNormal
        | LedgerKind::ContactFriction
        | LedgerKind::FilmShear
        | LedgerKind::FilmPumping
        | LedgerKind::Friction
        | LedgerKind::Bristles => model.joints.iter().any(|joint| joint.name == name),
    };
    if is_known { Ok(()) } else { Err(ResponseError::NoLedgerLine { kind, name: name.into() }) }
}

/// As a study file would write it.
pub(super) fn write(f: &mut fmt::Formatter<'_>, kind: LedgerKind, name: &str) -> fmt::Result {
    match kind {
        LedgerKind::Kinetic => write!(f, "energy(kinetic)"),
        LedgerKind::Gravity | LedgerKind::Driver | LedgerKind::Force => {
            write!(f, "energy({name})")
        }
        LedgerKind::Projection => write!(f, "energy(projection)"),
        LedgerKind::Formulation => write!(f, "energy(formulation)"),
        LedgerKind::Strain => write!(f, "energy({name}.strain)"),
        LedgerKind::Damping => write!(f, "energy({name}.damping)"),
        LedgerKind::Spring => write!(f, "energy({name}.stored)"),
        LedgerKind::ContactNormal => write!(f, "energy({name}.normal)"),
        LedgerKind::ContactFriction | LedgerKind::Friction => {
            write!(f, "energy({name}.friction)")
        }
        LedgerKind::Bristles => write!(f, "energy({name}.bristles)"),
        LedgerKind::FilmShear => write!(f, "energy({name}.shear)"),
        LedgerKind::FilmPumping => write!(f, "energy({name}.pumping)"),
    }
}
