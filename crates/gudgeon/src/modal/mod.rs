//! Modal analysis: small motions of a mechanism about a state that stays.
//!
//!   λ² M x + λ D x + K x + Gᵀ μ = 0,   G x = 0                                                (1)
//!
//! in displacements of the bodies (`pencil`), about an equilibrium, in axes that rotate with the mechanism where it
//! does (`equilibrium/coordinates.rs`). Rows that depend on others are left out first; directions without mass are
//! those that rows hold, so that no eigenvalue belongs to an artificial mass and none is infinite. Small
//! mechanisms are solved by full matrices, large ones by shifted inverses of sparse ones.

mod arnoldi;
mod chain;
mod dense;
mod follow;
mod lanczos;
mod response;

pub use follow::{alike, follow};
pub use response::{Excitation, Response, ResponseReport, respond};

use gudgeon_dae::linear::Complex;
use gudgeon_dae::{Fault, Place};

use crate::assembly::{Assembly, AssemblyError};
use crate::equilibrium::{
    Balance, Chords, Effort, EquilibriumError, Prepared, Steady, frictionless, rotation_of,
    settled, standing, unsteadiness, warnings,
};
use crate::limits::Watch;
use crate::model::Model;
use crate::pencil::Pencil;
use crate::progress::{Progress, Unwatched};
use crate::results::Warning;
use crate::run::Limits;
use crate::system::System;
use crate::system::component::Formulation;

/// Modes where nobody says how many.
const MODES: usize = 10;
/// Most free displacements of full matrices, without and with damping.
const DENSE: usize = 260;
const DENSE_DAMPED: usize = 90;
/// Damping below this share of the square root of the largest stiffness times the largest mass is none.
const UNDAMPED: f64 = 1e-14;
/// Modes of a large mechanism that are looked at for one that grows.
const LOOKED_AT: usize = 8;
/// Asymmetry that rounding leaves.
const SYMMETRIC: f64 = 1e-9;
/// Matrices that change by more than this while the mechanism turns belong to one instant only.
const STEADY: f64 = 1e-6;

/// About which state modes are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum About {
    /// The equilibrium, shafts in films turning.
    #[default]
    Equilibrium,
    /// The equilibrium of shafts that spin as their drivers turn them, in axes at rest.
    Spinning,
    /// The start, as if it were an equilibrium.
    Start,
    /// The equilibrium of everything rotating as its drivers do.
    Rotation,
    /// The start with its velocities and accelerations, as if it stayed so.
    Frozen,
    /// The start as a steady motion.
    Motion(Steady),
}

impl About {
    pub fn name(self) -> &'static str {
        match self {
            Self::Equilibrium => "equilibrium",
            Self::Spinning => "spinning",
            Self::Start => "start",
            Self::Rotation => "rotation",
            Self::Frozen => "frozen",
            Self::Motion(_) => "motion",
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModalSpec {
    pub about: About,
    /// Number of modes; without it ten, or all where there are fewer.
    pub modes: Option<usize>,
    /// Whether damping counts.
    pub damped: bool,
    /// Impact speed that the hysteresis of contacts is divided by, m/s; without it they have none.
    pub impact_speed: Option<f64>,
}

/// Why there are no modes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModalError {
    #[error(transparent)]
    Equilibrium(#[from] EquilibriumError),
    #[error("{asked} modes are asked for, but the mechanism has {mobility} degrees of freedom")]
    TooMany { asked: usize, mobility: usize },
    #[error("nothing can move: joints and drivers hold every body")]
    Immobile,
    #[error("a motion has no mass")]
    Massless,
    #[error("the matrices of the small motion have no finite eigenvalues")]
    NotFinite,
    #[error("the analysis was cancelled")]
    Cancelled,
}

impl From<AssemblyError> for ModalError {
    fn from(error: AssemblyError) -> Self {
        Self::Equilibrium(error.into())
    }
}

impl ModalError {
    pub fn help(&self) -> &'static str {
        match self {
            Self::Equilibrium(error) => error.help(),
            Self::TooMany { .. } => "ask for fewer `modes`",
            Self::Immobile => "leave a driver out, or let a joint be free",
            Self::Massless => "give mass and inertia to bodies that can move",
            Self::NotFinite => "look for forces that are not smooth at the equilibrium",
            Self::Cancelled => "run it again",
        }
    }
}

/// One eigenvalue, or one of a complex pair, and its shape.
#[derive(Clone, Debug)]
pub struct Mode {
    /// λ, 1/s.
    pub eigenvalue: [f64; 2],
    /// |Im λ|/2π, Hz.
    pub frequency: f64,
    /// −Re λ/|λ|; zero for a motion that nothing holds.
    pub damping_ratio: f64,
    /// Motion of every moving body, in axes of the frame.
    pub bodies: Vec<BodyShape>,
    /// Shares of the elastic energy by element, largest first; geometric parts may be negative.
    pub strain: Vec<(String, f64)>,
    /// Shares of the kinetic energy by body, largest first.
    pub kinetic: Vec<(String, f64)>,
    /// Displacements, scaled.
    shape: Vec<Complex>,
}

/// Motion of the mass centre (m) and rotation (rad) of a body, real and imaginary part.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyShape {
    pub body: String,
    pub translation: [[f64; 2]; 3],
    pub rotation: [[f64; 2]; 3],
    /// Of a flexible body the motion of its nodes, m.
    pub nodes: Vec<[[f64; 2]; 3]>,
}

/// A body by its mass centre and its markers, world axes, m.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    pub body: String,
    pub centre: [f64; 3],
    pub points: Vec<[f64; 3]>,
}

/// The modes of a mechanism about one state.
#[derive(Clone, Debug)]
pub struct ModalReport {
    pub modes: Vec<Mode>,
    /// Whether the state is frozen, asked for or because it does not stay.
    pub frozen: bool,
    pub stable: Option<bool>,
    pub mobility: usize,
    pub dependent: Vec<(String, &'static str)>,
    pub warnings: Vec<Warning>,
    /// Where the bodies are, for pictures.
    pub outlines: Vec<Outline>,
    /// Masses of the pencil, for modes to be compared by.
    mass: gudgeon_dae::linear::Entries,
}

/// An eigenvalue with im ≥ 0 and its shape.
pub(crate) struct Pair {
    pub lambda: Complex,
    pub shape: Vec<Complex>,
}

/// |z|.
pub(crate) fn size(z: Complex) -> f64 {
    z.re.hypot(z.im)
}

/// λ with λ² = −κ; of two real ones the positive.
pub(crate) fn root_of(kappa: f64) -> Complex {
    if kappa >= 0.0 { Complex::new(0.0, kappa.sqrt()) } else { Complex::from((-kappa).sqrt()) }
}

/// Finds the modes of a mechanism.
pub fn analyse(
    model: &Model,
    spec: ModalSpec,
    limits: Limits,
    progress: &dyn Progress,
) -> Result<ModalReport, ModalError> {
    let assembly = Prepared::assembly(model)?;
    let mut watch = Watch::new(limits);
    let mut effort = Effort { watch: &mut watch, progress };
    let mut state = state(model, &assembly, spec.about, &mut effort)?;
    let mut report = modes(&mut state, spec, progress)?;
    let mut told = frictionless(model);
    told.append(&mut report.warnings);
    report.warnings = told;
    Ok(report)
}

/// A state with what has to be said about it.
pub(crate) struct State<'s> {
    pub balance: Balance<'s>,
    pub frozen: bool,
    warnings: Vec<Warning>,
}

/// The state about which a mechanism is linearised.
pub(crate) fn state<'s>(
    model: &Model,
    assembly: &'s Assembly,
    about: About,
    effort: &mut Effort,
) -> Result<State<'s>, ModalError> {
    let system = &assembly.system;
    let plain = |steady: Steady| {
        let balance = Balance::new(system, assembly.state(), steady);
        balance.map_err(|_| ModalError::Equilibrium(EquilibriumError::NotFinite))
    };
    let mut balance = match about {
        About::Equilibrium => settled(assembly, standing(model), effort)?.0,
        About::Spinning => settled(assembly, Steady::Turning, effort)?.0,
        About::Rotation => {
            let steady = Steady::Rotating { rotation: rotation_of(model)?, spins: false };
            settled(assembly, steady, effort)?.0
        }
        About::Start => with_reactions(plain(standing(model))?),
        About::Motion(steady) => with_reactions(plain(steady)?),
        About::Frozen => plain(Steady::Frozen)?,
    };
    let not_finite = |_: Fault| ModalError::Equilibrium(EquilibriumError::NotFinite);
    let changes = unsteadiness(&mut balance).map_err(not_finite)?;
    let frozen = about == About::Frozen || changes > STEADY;
    let mut warnings = Vec::new();
    if frozen {
        warnings.push(frozen_warning(about, changes));
    }
    if matches!(about, About::Start | About::Motion(_)) {
        let left = balance.imbalance().iter().fold(0.0f64, |most, x| most.max(x.abs()));
        if left > 1e-6 * balance.load() {
            warnings.push(Warning {
                code: "W0343",
                joint: String::new(),
                message: format!(
                    "the start is no equilibrium: {:.3e} N are out of balance",
                    left / system.length
                ),
                help: "modes about it say little; leave `about` out to find the equilibrium first"
                    .into(),
            });
        }
    }
    Ok(State { balance, frozen, warnings })
}

fn frozen_warning(about: About, changes: f64) -> Warning {
    let message = match about {
        About::Frozen => {
            "frozen: the modes are those of the matrices at one instant of a motion".to_owned()
        }
        _ => format!(
            "frozen: the matrices change by {:.1e} of themselves while the mechanism turns, so that the modes belong to one instant",
            changes
        ),
    };
    Warning {
        code: "W0342",
        joint: String::new(),
        message,
        help: "eigenvalues of a motion that goes on say nothing about its stability".into(),
    }
}

fn with_reactions(mut balance: Balance) -> Balance {
    balance.find_reactions();
    balance.settle_outputs();
    balance
}

/// The modes about a state.
fn modes(
    state: &mut State,
    spec: ModalSpec,
    progress: &dyn Progress,
) -> Result<ModalReport, ModalError> {
    let balance = &mut state.balance;
    balance.impact_speed = spec.impact_speed.unwrap_or(f64::INFINITY);
    let system = balance.system();
    let mut pencil = balance
        .pencil(Chords::Counted)
        .map_err(|_| ModalError::Equilibrium(EquilibriumError::NotFinite))?;
    if !spec.damped {
        without_damping(&mut pencil);
    }
    let mobility = pencil.mobility();
    if mobility == 0 {
        return Err(ModalError::Immobile);
    }
    let count = spec.modes.unwrap_or(MODES.min(mobility));
    if count > mobility {
        return Err(ModalError::TooMany { asked: count, mobility });
    }
    let pairs = solve(&pencil, count, progress)?;
    let modes: Vec<Mode> = pairs.into_iter().map(|pair| mode(balance, &pencil, pair)).collect();
    let dropped = balance.dropped.iter().enumerate().filter(|(_, dropped)| **dropped);
    let dependent = dropped
        .map(|(i, _)| (system.row_owner(i).to_owned(), system.rows[i].kind.name()))
        .collect();
    let stable = (!state.frozen).then(|| is_stable(&pencil)).flatten();
    let mut told = std::mem::take(&mut state.warnings);
    if matches!(spec.about, About::Equilibrium | About::Spinning | About::Rotation) {
        let unstable = warnings(&Model::new("", system.model.space), stable);
        told.extend(unstable);
    }
    Ok(ModalReport {
        modes,
        frozen: state.frozen,
        stable,
        mobility,
        dependent,
        warnings: told,
        outlines: outlines(balance),
        mass: pencil.mass,
    })
}

/// Takes dissipation away; what couples motions without loss stays.
fn without_damping(pencil: &mut Pencil) {
    let damping = pencil.damping.clone();
    for j in 0..damping.columns() {
        for slot in damping.column(j) {
            let i = damping.row_of(slot);
            let other = damping.slot(j, i).map_or(0.0, |slot| damping.values[slot]);
            pencil.damping.values[slot] = 0.5 * (damping.values[slot] - other);
        }
    }
}

/// Whether nothing is lost or coupled by speeds, and K is symmetric.
fn is_conservative(pencil: &Pencil) -> bool {
    let most = |values: &[f64]| values.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let (m, d, k) =
        (most(&pencil.mass.values), most(&pencil.damping.values), most(&pencil.stiffness.values));
    d <= UNDAMPED * (m * k).sqrt() && pencil.asymmetry() < SYMMETRIC
}

/// So many eigenvalues, nearest to zero first.
pub(crate) fn solve(
    pencil: &Pencil,
    count: usize,
    progress: &dyn Progress,
) -> Result<Vec<Pair>, ModalError> {
    let mobility = pencil.mobility();
    let mut pairs = match is_conservative(pencil) {
        true if mobility <= DENSE || 3 * count > mobility => {
            dense::Reduced::new(pencil)?.conservative(pencil)?
        }
        true => lanczos::lowest(pencil, count, progress)?,
        false if mobility <= DENSE_DAMPED || 3 * count > mobility => dense::damped(pencil, count)?,
        false => arnoldi::lowest(pencil, count, progress)?,
    };
    pairs.sort_by(|a, b| size(a.lambda).total_cmp(&size(b.lambda)));
    pairs.truncate(count);
    // What rounding leaves of nothing.
    let least = 1e-8 * pencil.fastest().sqrt();
    for pair in &mut pairs {
        let shape: Vec<f64> = pair.shape.iter().map(|x| x.re).collect();
        if size(pair.lambda) < least && mobility <= DENSE && !pencil.is_held(&shape) {
            pair.lambda = Complex::default();
        }
        normalise(pencil, &mut pair.shape);
    }
    Ok(pairs)
}

/// Whether small motions about a state die out or stay small; none where the answer has not been found.
pub(crate) fn is_stable(pencil: &Pencil) -> Option<bool> {
    if pencil.mobility() == 0 {
        return Some(true);
    }
    let fastest = pencil.fastest();
    // Dissipation does not make a conservative system unstable, nor stable.
    if pencil.asymmetry() < SYMMETRIC && gyroscopic(pencil) < SYMMETRIC {
        if pencil.mobility() <= DENSE {
            let values = dense::Reduced::new(pencil).ok()?.symmetric(pencil).ok()?;
            return Some(!values.iter().any(|(_, shape)| pencil.is_driven(shape)));
        }
        let mut factors = crate::pencil::Factors::<f64>::new(pencil);
        factors.factor_sum(pencil, [1e-10 * fastest, 0.0]).ok()?;
        if factors.negative(pencil)? > 0 {
            return Some(false);
        }
        // What pushes less than the shift.
        let lowest = lanczos::lowest(pencil, LOOKED_AT, &Unwatched).ok()?;
        let shape = |pair: &Pair| pair.shape.iter().map(|x| x.re).collect::<Vec<f64>>();
        return Some(!lowest.iter().any(|pair| pencil.is_driven(&shape(pair))));
    }
    if pencil.mobility() <= DENSE_DAMPED {
        return Some(!dense::grows(pencil).ok()?);
    }
    let pairs = arnoldi::lowest(pencil, LOOKED_AT, &Unwatched).ok()?;
    let values: Vec<Complex> = pairs.into_iter().map(|pair| pair.lambda).collect();
    let grows = |x: &Complex| x.re > 1e-8 * size(*x) && size(*x) > 1e-7 * fastest.sqrt();
    Some(!values.iter().any(grows))
}

/// The part of D that couples without loss, over the largest of M and K.
fn gyroscopic(pencil: &Pencil) -> f64 {
    let most = |values: &[f64]| values.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let whole = (most(&pencil.mass.values) * most(&pencil.stiffness.values)).sqrt();
    let mut apart = 0.0f64;
    for (i, j, value) in pencil.damping.iter() {
        let other = pencil.damping.slot(j, i).map_or(0.0, |slot| pencil.damping.values[slot]);
        apart = apart.max((value - other).abs());
    }
    if whole > 0.0 { apart / whole } else { apart }
}

/// To a length of one in M, its largest entry real and positive.
fn normalise(pencil: &Pencil, shape: &mut [Complex]) {
    let mut image = vec![Complex::default(); shape.len()];
    pencil.mass.add_product(Complex::from(1.0), shape, &mut image);
    let length: f64 = shape.iter().zip(&image).map(|(x, m)| x.re * m.re + x.im * m.im).sum();
    let most = shape.iter().fold(0.0f64, |most, x| most.max(size(*x)));
    let Some(k) = shape.iter().position(|x| size(*x) >= (1.0 - 1e-9) * most) else { return };
    let length = if length > 0.0 { length.sqrt() } else { 1.0 };
    if most > 0.0 {
        let by =
            Complex::new(shape[k].re / most, -shape[k].im / most) * Complex::from(1.0 / length);
        shape.iter_mut().for_each(|x| *x = *x * by);
    }
}

fn outlines(balance: &Balance) -> Vec<Outline> {
    let system = balance.system();
    let outline = |i: usize| {
        let state = balance.body(i);
        if system.bodies[i].formulation == Formulation::Beam {
            return beam_outline(balance, i);
        }
        if system.bodies[i].formulation.is_floating() {
            return floating_outline(balance, i);
        }
        if let Some(chain) = system.chain(i + 1) {
            return chain::outline(balance, chain);
        }
        let own = system.attachments.iter().filter(|at| at.body == i + 1);
        Outline {
            body: system.model.bodies[i + 1].name.clone(),
            centre: state.frame.p.into(),
            points: own.map(|at| (state.frame.p + state.frame.r * at.offset).into()).collect(),
        }
    };
    (0..system.model.own_bodies() - 1).map(outline).collect()
}

/// Nodes of a beam.
fn beam_outline(balance: &Balance, i: usize) -> Outline {
    let (system, beam) = (balance.system(), balance.system().beam(i));
    let node = |k: usize| beam.node_place(k, &balance.y[beam.q..]);
    Outline {
        body: system.model.bodies[i + 1].name.clone(),
        centre: balance.body(i).frame.p.into(),
        points: (0..beam.beam.nodes()).map(|k| node(k).into()).collect(),
    }
}

/// Nodes of a link with a floating frame.
fn floating_outline(balance: &Balance, i: usize) -> Outline {
    let (system, body) = (balance.system(), balance.system().floating(i));
    let (q, v) = balance.y[..system.layout.roots].split_at(system.layout.q);
    let node = |along: f64| body.section_at(&body.link.site(along), q, v).frame().p.into();
    Outline {
        body: system.model.bodies[i + 1].name.clone(),
        centre: system.state_of(i, q, v).frame.p.into(),
        points: body.link.nodes().map(node).collect(),
    }
}

fn mode(balance: &mut Balance, pencil: &Pencil, pair: Pair) -> Mode {
    let Pair { lambda, shape } = pair;
    let whole = size(lambda);
    let damping_ratio = if whole > 0.0 { -lambda.re / whole } else { 0.0 };
    let system = balance.system();
    let real = |part: fn(&Complex) -> f64| -> Vec<f64> {
        shape.iter().zip(&pencil.unit).map(|(x, unit)| part(x) * unit).collect()
    };
    let parts = [real(|x| x.re), real(|x| x.im)];
    Mode {
        eigenvalue: [lambda.re, lambda.im],
        frequency: lambda.im.abs() / std::f64::consts::TAU,
        damping_ratio,
        bodies: body_shapes(balance, &parts),
        strain: strain(balance, &parts),
        kinetic: kinetic(system, pencil, &shape),
        shape,
    }
}

/// Mass centre, rotation of the middle and nodes of a beam.
fn beam_shape(balance: &Balance, i: usize, parts: &[Vec<f64>; 2], out: &mut BodyShape) {
    let (layout, beam) = (&balance.system().layout, balance.system().beam(i));
    let (q, v) = (&balance.y[..layout.q], &balance.y[layout.q..layout.roots]);
    out.nodes = vec![[[0.0; 2]; 3]; beam.beam.nodes()];
    for (part, values) in parts.iter().enumerate() {
        let values = &values[beam.v..beam.v + beam.size()];
        let (centre, turn) = beam.small_motion(q, v, values);
        for k in 0..3 {
            out.translation[k][part] = centre[k];
            out.rotation[k][part] = turn[k];
        }
        for (node, moved) in out.nodes.iter_mut().enumerate() {
            let place = beam.node_place(node, values);
            (0..3).for_each(|k| moved[k][part] = place[k]);
        }
    }
}

/// Mass centre, rotation of the middle and nodes of a link with a floating frame; the parts hold turns of the frame in
/// the world.
fn floating_shape(balance: &Balance, i: usize, parts: &[Vec<f64>; 2], out: &mut BodyShape) {
    let (layout, body) = (&balance.system().layout, balance.system().floating(i));
    let (q, v) = (&balance.y[..layout.q], &balance.y[layout.q..layout.roots]);
    let sections: Vec<_> =
        body.link.nodes().map(|along| body.section_at(&body.link.site(along), q, v)).collect();
    out.nodes = vec![[[0.0; 2]; 3]; sections.len()];
    for (part, values) in parts.iter().enumerate() {
        let mut values = values[body.v..body.v + body.size()].to_vec();
        if body.border() == 6 {
            let turn = nalgebra::Vector3::from_column_slice(&values[3..6]);
            let turn = balance.body(i).frame.r.tr_mul(&turn);
            values[3..6].copy_from_slice(turn.as_slice());
        }
        let (centre, turn) = body.small_motion(q, v, &values);
        for k in 0..3 {
            out.translation[k][part] = centre[k];
            out.rotation[k][part] = turn[k];
        }
        for (section, moved) in sections.iter().zip(&mut out.nodes) {
            let place = body.site_motion(section, &values);
            (0..3).for_each(|k| moved[k][part] = place[k]);
        }
    }
}

fn body_shapes(balance: &Balance, parts: &[Vec<f64>; 2]) -> Vec<BodyShape> {
    let system = balance.system();
    let shape = |(i, body): (usize, &crate::system::component::RigidBody)| {
        let mut out = BodyShape {
            body: system.model.bodies[i + 1].name.clone(),
            translation: [[0.0; 2]; 3],
            rotation: [[0.0; 2]; 3],
            nodes: Vec::new(),
        };
        if body.formulation == Formulation::Beam {
            beam_shape(balance, i, parts, &mut out);
            return out;
        }
        if body.formulation.is_floating() {
            floating_shape(balance, i, parts, &mut out);
            return out;
        }
        if let Some(chain) = system.chain(i + 1) {
            chain::update_shape(balance, chain, parts, &mut out);
            return out;
        }
        let lengths = body.formulation.lengths();
        for (part, values) in parts.iter().enumerate() {
            for (k, place) in body.velocities().enumerate() {
                match k.checked_sub(lengths) {
                    None => out.translation[k][part] = values[place],
                    // In the plane bodies turn about z.
                    Some(_) if lengths == 2 => out.rotation[2][part] = values[place],
                    Some(axis) => out.rotation[axis][part] = values[place],
                }
            }
        }
        out
    };
    let own = system.model.own_bodies() - 1;
    system.bodies[..own].iter().enumerate().map(shape).collect()
}

/// xᴴ K_e x of every element, over their sum of sizes.
fn strain(balance: &mut Balance, parts: &[Vec<f64>; 2]) -> Vec<(String, f64)> {
    let system = balance.system();
    // In the axes of the bodies, as elements know them.
    let own = parts.clone().map(|mut part| {
        for (i, body) in system.bodies.iter().enumerate() {
            if body.formulation.has_spin() {
                let turn = &mut part[body.v + 3..body.v + 6];
                let turned =
                    balance.body(i).frame.r.tr_mul(&nalgebra::Vector3::from_column_slice(turn));
                turn.copy_from_slice(turned.as_slice());
            }
        }
        part
    });
    let at = Place {
        t: 0.0,
        y: &balance.y,
        acceleration: &balance.acceleration,
        lambda: &balance.lambda,
    };
    let energies = balance.plant.element_energies(at, &own);
    let mut shares = shares(energies);
    shares.retain(|(_, share)| share.abs() > 1e-6);
    shares
}

fn kinetic(system: &System, pencil: &Pencil, shape: &[Complex]) -> Vec<(String, f64)> {
    let mut image = vec![Complex::default(); shape.len()];
    pencil.mass.add_product(Complex::from(1.0), shape, &mut image);
    let of = |i: usize| {
        let part = system.bodies[i].velocities();
        part.map(|k| shape[k].re * image[k].re + shape[k].im * image[k].im).sum::<f64>()
    };
    let names = system.model.bodies[1..system.model.own_bodies()].iter();
    let mut values: Vec<(String, f64)> = names.map(|body| (body.name.clone(), 0.0)).collect();
    for i in 0..system.bodies.len() {
        values[system.model.whole(i + 1) - 1].1 += of(i);
    }
    let mut shares = shares(values);
    shares.retain(|(_, share)| share.abs() > 1e-6);
    shares
}

/// Every value over the sum of their sizes, the largest first.
fn shares(mut values: Vec<(String, f64)>) -> Vec<(String, f64)> {
    let sum: f64 = values.iter().map(|(_, x)| x.abs()).sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return Vec::new();
    }
    values.iter_mut().for_each(|(_, x)| *x /= sum);
    values.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    values
}
