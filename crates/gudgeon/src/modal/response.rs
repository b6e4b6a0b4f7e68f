//! Steady response to a harmonic load: amplitude and phase of outputs over frequency.
//!
//!   (K + iω D − ω² M) x + Gᵀ μ = F,   G x = 0,   u(t) = Re(x e^{iωt})                          (1)
//!
//! F is a force or torque at a place, or that of an unbalance m e (kg m) which turns at ω about the z axis of a frame,
//! m e ω² (1, −i) in its x and y. An output h(q, v, v̇, λ) answers with its slope along x, iω x, −ω² x and μ, taken by central
//! differences.

use gudgeon_dae::linear::Complex;
use nalgebra::Vector3;

use super::{About, ModalError, State, size, state};
use crate::equilibrium::{Balance, Chords, Effort, EquilibriumError, Prepared};
use crate::limits::Watch;
use crate::math::spatial::{Frame, Wrench};
use crate::model::{MarkerId, Model};
use crate::pencil::{Factors, Pencil};
use crate::progress::Progress;
use crate::results::Warning;
use crate::run::Limits;
use crate::sensor::Sensor;

/// A step of differences, as a displacement of the largest entry in sizes of the mechanism and radians.
const SMALL: f64 = 1e-4;

/// What shakes the mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Excitation {
    /// A force in world axes, N, at a marker.
    Force { at: MarkerId, force: [f64; 3] },
    /// A torque about z of a marker, N m, on its body.
    Torque { at: MarkerId, torque: f64 },
    /// Mass times eccentricity, kg m, turning about z of a marker.
    Unbalance { at: MarkerId, amount: f64 },
}

/// Outputs at one frequency.
#[derive(Clone, Debug)]
pub struct Response {
    /// Hz.
    pub frequency: f64,
    /// Complex amplitudes of the outputs.
    pub outputs: Vec<[f64; 2]>,
}

#[derive(Clone, Debug)]
pub struct ResponseReport {
    pub points: Vec<Response>,
    /// Outputs at the state about which the mechanism moves.
    pub mean: Vec<f64>,
    pub frozen: bool,
    pub warnings: Vec<Warning>,
}

/// The response of outputs at frequencies (Hz).
pub fn respond(
    model: &Model,
    about: About,
    excitation: Excitation,
    frequencies: &[f64],
    outputs: &[Sensor],
    (limits, progress): (Limits, &dyn Progress),
) -> Result<ResponseReport, ModalError> {
    let assembly = Prepared::assembly(model)?;
    let mut watch = Watch::new(limits);
    let mut effort = Effort { watch: &mut watch, progress };
    let State { mut balance, frozen, warnings } = state(model, &assembly, about, &mut effort)?;
    let not_finite = |_| ModalError::Equilibrium(EquilibriumError::NotFinite);
    let pencil = balance.pencil(Chords::Counted).map_err(not_finite)?;
    balance.settle_outputs();
    let mean: Vec<f64> = outputs.iter().map(|sensor| sensor.value(&balance.plant, 0.0)).collect();
    let mut factors = Factors::<Complex>::new(&pencil);
    let mut points = Vec::new();
    for (i, &frequency) in frequencies.iter().enumerate() {
        effort.goes_on()?;
        progress.report(i as f64 / frequencies.len() as f64);
        let omega = std::f64::consts::TAU * frequency;
        let force = load(&balance, excitation, omega);
        let (x, mu) = amplitude(&pencil, &mut factors, omega, &force)?;
        let outputs =
            slopes(&mut balance, &pencil, omega, (&x, &mu), outputs).map_err(not_finite)?;
        points.push(Response { frequency, outputs });
    }
    let mut told = crate::equilibrium::frictionless(model);
    told.extend(warnings);
    Ok(ResponseReport { points, mean, frozen, warnings: told })
}

/// F of (1), scaled, in the axes of the frame.
fn load(balance: &Balance, excitation: Excitation, omega: f64) -> Vec<Complex> {
    let system = balance.system();
    let mut out = vec![Complex::default(); balance.unit.len()];
    let (marker, parts) = match excitation {
        Excitation::Force { at, force } => {
            (at, vec![(Wrench { f: force.into(), t: Vector3::zeros() }, Complex::from(1.0))])
        }
        Excitation::Torque { at, torque } => {
            let t = frame(balance, at).r.column(2) * torque;
            (at, vec![(Wrench { f: Vector3::zeros(), t }, Complex::from(1.0))])
        }
        Excitation::Unbalance { at, amount } => {
            let r = frame(balance, at).r;
            let along = |axis: usize| Wrench {
                f: r.column(axis).into_owned() * (amount * omega * omega),
                t: Vector3::zeros(),
            };
            (at, vec![(along(0), Complex::from(1.0)), (along(1), Complex::new(0.0, -1.0))])
        }
    };
    let Some(index) = system.attachments[marker.0].body.checked_sub(1) else { return out };
    if system.bodies[index].formulation.is_flexible() {
        for (wrench, phase) in parts {
            let layout = &system.layout;
            let (q, v) = (&balance.y[..layout.q], &balance.y[layout.q..layout.roots]);
            let (columns, mut values) = system.reduced_on_flexible(marker.0, &wrench, q, v);
            if system.bodies[index].formulation.has_spin() {
                // Torques on its frame are counted in axes of the frame, here in those of the world.
                let torque = Vector3::from_column_slice(&values[3..6]);
                let turned = balance.body(index).frame.r * torque;
                values[3..6].copy_from_slice(turned.as_slice());
            }
            for (place, value) in columns.iter().zip(values) {
                out[place] += phase * Complex::from(value * balance.unit[place]);
            }
        }
        return out;
    }
    let (body, state) = (&system.bodies[index], balance.body(index));
    let arm = state.frame.r * system.attachments[marker.0].offset;
    for (wrench, phase) in parts {
        let moment = wrench.t + arm.cross(&wrench.f);
        let values = match body.formulation.lengths() {
            2 => vec![wrench.f.x, wrench.f.y, moment.z],
            _ => vec![wrench.f.x, wrench.f.y, wrench.f.z, moment.x, moment.y, moment.z],
        };
        for (place, value) in body.velocities().zip(values) {
            out[place] += phase * Complex::from(value * balance.unit[place]);
        }
    }
    out
}

/// Pose of a marker, which nothing else may use.
fn frame(balance: &Balance, at: MarkerId) -> Frame {
    let system = balance.system();
    let layout = &system.layout;
    let (q, v) = (&balance.y[..layout.q], &balance.y[layout.q..layout.roots]);
    system.marker_at(&system.attachments[at.0], q, v).frame
}

/// x and μ of (1).
fn amplitude(
    pencil: &Pencil,
    factors: &mut Factors<Complex>,
    omega: f64,
    force: &[Complex],
) -> Result<(Vec<Complex>, Vec<Complex>), ModalError> {
    let rows = pencil.rows.rows();
    factors.factor(pencil, Complex::new(0.0, omega)).map_err(|_| ModalError::NotFinite)?;
    let (mut x, mut mu) = (vec![Complex::default(); force.len()], vec![Complex::default(); rows]);
    factors.solve(pencil, force, &vec![Complex::default(); rows], &mut x, &mut mu);
    match x.iter().all(|x| x.re.is_finite() && x.im.is_finite()) {
        true => Ok((x, mu)),
        false => Err(ModalError::NotFinite),
    }
}

/// Slopes of the outputs along a complex amplitude.
fn slopes(
    balance: &mut Balance,
    pencil: &Pencil,
    omega: f64,
    (x, mu): (&[Complex], &[Complex]),
    outputs: &[Sensor],
) -> Result<Vec<[f64; 2]>, gudgeon_dae::Fault> {
    let most = x.iter().fold(0.0f64, |most, x| most.max(size(*x)));
    let mut out = vec![[0.0; 2]; outputs.len()];
    if most == 0.0 {
        return Ok(out);
    }
    let step = SMALL / most;
    for part in 0..2 {
        let of = |z: &Complex| if part == 0 { z.re } else { z.im };
        let at = |factor: Complex| -> Vec<f64> { x.iter().map(|x| of(&(factor * *x))).collect() };
        let place = at(Complex::from(1.0));
        let speed = at(Complex::new(0.0, omega));
        let second = at(Complex::from(-omega * omega));
        let reactions: Vec<f64> =
            mu.iter().zip(&pencil.row_scale).map(|(mu, scale)| of(mu) * scale).collect();
        let mut sides = Vec::new();
        for side in [step, -step] {
            balance.varied(&place, &speed, &second, &reactions, side)?;
            let values = outputs.iter().map(|sensor| sensor.value(&balance.plant, 0.0));
            sides.push(values.collect::<Vec<f64>>());
        }
        for (i, out) in out.iter_mut().enumerate() {
            out[part] = (sides[0][i] - sides[1][i]) / (2.0 * step);
        }
    }
    balance.evaluate()?;
    Ok(out)
}
