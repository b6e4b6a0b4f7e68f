//! The linearised equations in axes that rotate with the frame.
//!
//! A body is varied by a displacement ξ of its mass centre and a rotation η, both in axes F that rotate at Ω with
//! the frame. In its own variables, δx in world axes and δψ in its own axes R, and their rates w = δv,
//!
//!   δx = F ξ,   δψ = RᵀF η,   w = T (ζ̇ + Ω × ζ)                                             (1)
//!   ẇ = F (ξ̈ + 2 Ω × ξ̇ + Ω × (Ω × ξ)),   RᵀF (η̈ + (Ω − ω_r) × η̇ − ω_r × (Ω × η))            (2)
//!
//! with ζ = (ξ, η), T the rotations of (1) and ω_r the angular velocity of the body against the frame. From
//! M ẇ + D w + K δ + Gᵀ μ = 0, with  and B̂ the matrices of (2),
//!
//!   M′ = TᵀMT,   D′ = TᵀDT + M′Â,   K′ = TᵀKT + TᵀDT Ω̂ + M′B̂,   G′ = G T                     (3)
//!
//! which are constant where the motion is steady: the body rotates with the frame, or spins about an axis of
//! symmetry. Where Ω = 0, (3) still turns spinning bodies into axes at rest.

use std::borrow::Cow;

use gudgeon_dae::linear::Entries;
use nalgebra::{Matrix3, Vector3};

use super::balance::Balance;
use crate::math::rotation::{cross_matrix, exponential};
use crate::pencil::Pencil;
use crate::system::component::Formulation;
use crate::system::component::beam::BeamBody;

/// Velocities that are components of one vector: where they begin, how many, and a matrix for them.
type Group = (usize, usize, Matrix3<f64>);

/// Whether damping against the chords of flexible links counts: it changes no equilibrium, and its matrices are not
/// narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chords {
    Counted,
    LeftOut,
}

/// (3) from the tangents of a balance, in the axes F.
pub(super) fn linearised(balance: &Balance, f: &Matrix3<f64>, chords: Chords) -> Pencil {
    let system = balance.system();
    let speed = balance.rotation().map_or(Vector3::zeros(), |rotation| rotation.speed);
    let omega = cross_matrix(&speed);
    let (mut turns, mut firsts, mut rates, mut seconds) = (vec![], vec![], vec![], vec![]);
    for (i, body) in system.bodies.iter().enumerate() {
        // Places, and of beams gradients as well, are vectors in world axes.
        let (vectors, count) = match body.formulation {
            Formulation::Beam => (body.velocities().len(), system.model.space.axes()),
            formulation => (formulation.lengths(), formulation.lengths().min(3)),
        };
        for first in (0..vectors).step_by(count) {
            let first = body.v + first;
            turns.push((first, count, *f));
            rates.push((first, count, omega));
            firsts.push((first, count, omega * 2.0));
            seconds.push((first, count, omega * omega));
        }
        if body.formulation.has_spin() {
            let (first, r) = (body.v + 3, balance.body(i).frame.r);
            let spin = cross_matrix(&(f.transpose() * balance.spin(i)));
            turns.push((first, 3, r.transpose() * f));
            rates.push((first, 3, omega));
            firsts.push((first, 3, omega - spin));
            seconds.push((first, 3, -spin * omega));
        }
    }
    let place = places(balance, chords);
    let tangents = &balance.tangents;
    let mut own = [&tangents.stiffness, &tangents.damping].map(|part| in_places_of(&place, part));
    settle_chords(balance, chords, &mut own);
    let mass = turned_both(&in_places_of(&place, &balance.terms.mass), &turns);
    let [mut stiffness, mut damping] = own.map(|matrix| turned_both(&matrix, &turns));
    if speed != Vector3::zeros() {
        add(&mut stiffness, &times(&damping, &rates));
        add(&mut stiffness, &times(&mass, &seconds));
    }
    add(&mut damping, &times(&mass, &firsts));
    let rows = turned_columns(&balance.terms.rows, &turns);
    Pencil::new([mass, damping, stiffness], rows, balance.dropped.clone(), balance.unit.clone())
}

/// Places of all matrices.
fn places<'b>(balance: &'b Balance, chords: Chords) -> Cow<'b, Entries> {
    let (own, beams) = (&balance.tangents.stiffness, &balance.system().beams);
    let is_wide = |beam: &BeamBody| beam.chord_pairs().next().is_some();
    if chords == Chords::LeftOut || !beams.iter().any(is_wide) {
        return Cow::Borrowed(own);
    }
    let mut all: Vec<(usize, usize)> = own.iter().map(|(i, j, _)| (i, j)).collect();
    for beam in beams {
        for (a, b) in beam.chord_pairs() {
            let [a, b] = [a, b].map(|node| beam.node_columns(node));
            for (i, j) in a.flat_map(|i| b.clone().map(move |j| (beam.v + i, beam.v + j))) {
                all.extend([(i, j), (j, i)]);
            }
        }
    }
    Cow::Owned(Entries::at(own.rows(), own.columns(), &all))
}

/// Takes α M, which tangents have in place of damping against chords, away, and adds what it stands for.
fn settle_chords(balance: &Balance, chords: Chords, [stiffness, damping]: &mut [Entries; 2]) {
    let system = balance.system();
    let add = |matrix: &mut Entries, (i, j): (usize, usize), value: f64| {
        if let Some(slot) = matrix.slot(i, j) {
            matrix.values[slot] += value;
        }
    };
    for beam in &system.beams {
        beam.for_mass_damping(|i, j, value| add(damping, (i, j), -value));
        if chords == Chords::Counted && beam.chord_pairs().next().is_some() {
            let (q, v) = (&balance.y[beam.q..], &balance.y[system.layout.q + beam.v..]);
            let now = (&q[..beam.size()], &v[..beam.size()]);
            beam.for_chord_damping(now, |i, j, [k, d]| {
                add(stiffness, (i, j), k);
                add(damping, (i, j), d);
            });
        }
    }
}

/// Values of a matrix in the places of another, which has them all.
fn in_places_of(place: &Entries, matrix: &Entries) -> Entries {
    let mut out = place.clone();
    out.values.fill(0.0);
    for (i, j, value) in matrix.iter().filter(|(_, _, value)| *value != 0.0) {
        out.set(i, j, value);
    }
    out
}

fn add(to: &mut Entries, from: &Entries) {
    to.values.iter_mut().zip(&from.values).for_each(|(to, from)| *to += from);
}

/// A B, B with a matrix for every group and nothing elsewhere.
fn times(a: &Entries, groups: &[Group]) -> Entries {
    let mut out = a.clone();
    out.values.fill(0.0);
    multiply(a, groups, &mut out);
    out
}

/// A T, T with a matrix for every group and one elsewhere.
fn turned_columns(a: &Entries, groups: &[Group]) -> Entries {
    let mut out = a.clone();
    for &(first, count, _) in groups {
        (first..first + count).for_each(|j| out.values[a.column(j)].fill(0.0));
    }
    multiply(a, groups, &mut out);
    out
}

/// Columns of a group share their places, because they belong to one body.
fn multiply(a: &Entries, groups: &[Group], out: &mut Entries) {
    for &(first, count, matrix) in groups {
        for k in 0..count {
            let to = a.column(first + k);
            for m in 0..count {
                let from = a.column(first + m);
                for (to, from) in to.clone().zip(from) {
                    out.values[to] += a.values[from] * matrix[(m, k)];
                }
            }
        }
    }
}

/// Tᵀ A T.
fn turned_both(a: &Entries, groups: &[Group]) -> Entries {
    let mut out = turned_columns(a, groups);
    let mut begins: Vec<Option<&Group>> = vec![None; out.rows()];
    groups.iter().for_each(|group| begins[group.0] = Some(group));
    // Rows of a group follow each other, if they are there.
    let starts = out.iter().enumerate().filter_map(|(slot, (i, _, _))| Some((slot, begins[i]?)));
    let starts: Vec<(usize, &Group)> = starts.collect();
    for (slot, &(_, count, matrix)) in starts {
        let old = Vector3::from_fn(|i, _| if i < count { out.values[slot + i] } else { 0.0 });
        for k in 0..count {
            out.values[slot + k] = (0..count).map(|m| matrix[(m, k)] * old[m]).sum();
        }
    }
    out
}

/// By how much the matrices change while the mechanism turns by a radian at most, over their largest entries:
/// nothing where its motion is steady.
pub(crate) fn unsteadiness(balance: &mut Balance) -> Result<f64, gudgeon_dae::Fault> {
    let system = balance.system();
    let speed = balance.rotation().map_or(Vector3::zeros(), |rotation| rotation.speed);
    let spins: Vec<Vector3<f64>> = (0..system.bodies.len()).map(|i| balance.spin(i)).collect();
    let fastest = spins.iter().fold(speed.norm(), |most, spin| most.max(spin.norm()));
    if fastest == 0.0 {
        return Ok(0.0);
    }
    let before = balance.pencil(Chords::LeftOut)?;
    let (y, lambda) = (balance.y.clone(), balance.lambda.clone());
    let time = 0.7 / fastest;
    let frame = exponential(&(speed * time));
    let point = balance.rotation().map_or(Vector3::zeros(), |rotation| rotation.point);
    for (i, spin) in spins.iter().enumerate() {
        if system.bodies[i].formulation == Formulation::Beam {
            let turn = frame * exponential(&(spin * time));
            balance.turn_beam(i, &turn, &point);
            continue;
        }
        let mut state = balance.body(i);
        let own = exponential(&(spin * time));
        // What does not rotate with the frame moves along a straight line for a moment only.
        state.frame.p = point + frame * (state.frame.p - point);
        state.frame.r = frame * own * state.frame.r;
        state.angle += (speed.z + spin.z) * time;
        (state.twist.v, state.twist.w) = (frame * state.twist.v, frame * state.twist.w);
        let (q, rest) = balance.y.split_at_mut(system.layout.q);
        system.write_frame(i, &state, q, &mut rest[..system.layout.v]);
    }
    balance.move_steadily();
    let after = match balance.evaluate() {
        Ok(()) => {
            // Rows that do not turn with the frame have other reactions there.
            balance.find_reactions();
            let at = gudgeon_dae::Place {
                t: 0.0,
                y: &balance.y,
                acceleration: &balance.acceleration,
                lambda: &balance.lambda,
            };
            let done =
                gudgeon_dae::ImplicitDae::tangents(&mut balance.plant, at, &mut balance.tangents);
            done.map(|_| linearised(balance, &frame, Chords::LeftOut))
        }
        Err(fault) => Err(fault),
    };
    (balance.y, balance.lambda) = (y, lambda);
    balance.move_steadily();
    balance.evaluate()?;
    Ok(after.map_or(1.0, |after| difference(&before, &after)))
}

fn difference(a: &Pencil, b: &Pencil) -> f64 {
    let of = |a: &Entries, b: &Entries| {
        let most = a.values.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let apart = a.values.iter().zip(&b.values).fold(0.0f64, |d, (a, b)| d.max((a - b).abs()));
        if most > 0.0 { apart / most } else { 0.0 }
    };
    of(&a.mass, &b.mass).max(of(&a.damping, &b.damping)).max(of(&a.stiffness, &b.stiffness))
}
