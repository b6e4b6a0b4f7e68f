//! Functions of the state within an evaluation: values, pieces, switches, derivatives.
//!
//! Parameters of forces that follow a function p(x), x positions and velocities anywhere in the mechanism,
//! give the tangents what no pair of markers alone can: with the unit pair P = ∂w/∂p of the force,
//!
//!   ∂f/∂q += Jᵀ P Σ ∂p/∂x ∂x/∂q,   the same by v                                              (1)

use std::f64::consts::TAU;
use std::ops::Range;

use gudgeon_dae::Tangents;

use super::compile::System;
use super::evaluate::StateAt;
use super::plant::Plant;
use super::tangents;
use super::workspace::Workspace;
use crate::force;
use crate::formula::{Left, MAX_INPUTS};
use crate::marker::{MarkerState, Variation};
use crate::math::spatial::Pair;
use crate::model::{ForceId, ForceParameter, Model, Varying};
use crate::reading::{Counted, Seen};

/// Places of pieces and of varying parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Functions {
    /// Pieces of each function in memory.
    pieces: Vec<Range<usize>>,
    /// Varying parameters of each force, sorted by force.
    varying: Vec<Varying>,
    of_force: Vec<Range<usize>>,
}

impl Functions {
    pub(super) fn new(model: &Model) -> Self {
        let mut next = 0;
        let pieces = model.functions.iter().map(|function| {
            let from = next;
            next += function.formula.sites();
            from..next
        });
        let pieces = pieces.collect();
        let mut varying = model.varying.clone();
        varying.sort_by_key(|varying| varying.force);
        let start = |force: usize| varying.partition_point(|v| v.force < ForceId(force));
        let of_force = (0..model.forces.len()).map(|i| start(i)..start(i + 1)).collect();
        Self { pieces, varying, of_force }
    }

    /// Number of pieces of all functions.
    pub(super) fn count(&self) -> usize {
        self.pieces.last().map_or(0, |range| range.end)
    }

    /// The function and site of a piece.
    pub(super) fn owner(&self, piece: usize) -> (usize, usize) {
        let function = self.pieces.partition_point(|range| range.end <= piece);
        (function, piece - self.pieces[function].start)
    }
}

impl System {
    /// Parameters of a force that follow functions.
    pub(crate) fn varying(&self, force: usize) -> &[Varying] {
        &self.functions.varying[self.functions.of_force[force].clone()]
    }

    /// The value of a parameter: of its function, or as given.
    #[inline]
    pub(crate) fn parameter(
        &self,
        force: usize,
        parameter: ForceParameter,
        given: f64,
        work: &Workspace,
    ) -> f64 {
        let is_it = |varying: &&Varying| varying.parameter == parameter;
        match self.varying(force).iter().find(is_it) {
            Some(varying) => work.functions[varying.function.0],
            None => given,
        }
    }
}

/// The state at the last kinematics, as readings see it.
fn now<'a>(
    system: &'a System,
    at: (f64, f64),
    work: &'a Workspace,
) -> Seen<'a, impl Fn(usize) -> &'a MarkerState, impl Fn(Counted, f64) -> f64> {
    Seen {
        model: &system.model,
        t: at.0,
        branch: at.1,
        marker: |i: usize| &work.markers[i],
        turn: |counted: Counted, angle: f64| {
            system.turn_of(counted).map_or(angle, |turn| work.turns[turn])
        },
    }
}

impl System {
    fn turn_of(&self, counted: Counted) -> Option<usize> {
        match counted {
            Counted::Joint(joint) => self.joint_turns[joint],
            Counted::Force(force) => self.force_turns[force],
        }
    }
}

/// Values of all functions at the last kinematics.
pub(super) fn update(system: &System, at: StateAt, pieces: &[i32], work: &mut Workspace) {
    for (i, function) in system.model.functions.iter().enumerate() {
        let own = &pieces[system.functions.pieces[i].clone()];
        let value = {
            let seen = now(system, (at.t, at.branch), work);
            function.with_inputs(&seen, |x| function.formula.value(x, own))
        };
        work.functions[i] = value;
    }
}

impl Plant<'_> {
    /// Calls `with` with a function, its place among the pieces and its inputs at any point.
    fn each_function(&self, t: f64, y: &[f64], mut with: impl FnMut(usize, Range<usize>, &[f64])) {
        let system = self.system;
        let seen = Seen {
            model: &system.model,
            t,
            branch: self.branch(),
            marker: |i: usize| self.marker_at(i, t, y),
            turn: |counted: Counted, angle: f64| match system.turn_of(counted) {
                None => angle,
                Some(turn) => {
                    let counted = y[system.layout.turns + turn];
                    angle + TAU * ((counted - angle) / TAU).round()
                }
            },
        };
        for (i, function) in system.model.functions.iter().enumerate() {
            let range = system.functions.pieces[i].clone();
            if !range.is_empty() {
                function.with_inputs(&seen, |x| with(i, range, x));
            }
        }
    }

    /// Two switches per piece of a function.
    pub(super) fn piece_switches(&self, t: f64, y: &[f64], out: &mut [f64]) {
        self.each_function(t, y, |i, range, x| {
            let formula = &self.system.model.functions[i].formula;
            let own = &self.memory.pieces[range.clone()];
            formula.switches(x, own, &mut out[2 * range.start..2 * range.end]);
        });
    }

    /// Pieces of functions as they are at a point.
    pub(super) fn find_pieces(&mut self, t: f64, y: &[f64]) {
        let mut pieces = std::mem::take(&mut self.memory.pieces);
        self.each_function(t, y, |i, range, x| {
            self.system.model.functions[i].formula.find_pieces(x, &mut pieces[range]);
        });
        self.memory.pieces = pieces;
    }

    /// The first function that lies outside a table that must not be left: its number, and what it
    /// looked up.
    pub(crate) fn left_table(&self, t: f64, y: &[f64]) -> Option<(usize, Left)> {
        let mut left = None;
        self.each_function(t, y, |i, range, x| {
            if left.is_none() {
                let formula = &self.system.model.functions[i].formula;
                left = formula.left(x, &self.memory.pieces[range]).map(|left| (i, left));
            }
        });
        left
    }

    /// Enters the piece behind a switch.
    pub(super) fn enter_piece(&mut self, piece: usize, upper: bool) -> usize {
        let (function, site) = self.system.functions.owner(piece);
        let formula = &self.system.model.functions[function].formula;
        let own = &mut self.memory.pieces[piece];
        *own = formula.next_piece(site, *own, upper);
        function
    }
}

/// Subtracts (1) from K and D.
pub(super) fn subtract(
    system: &System,
    work: &Workspace,
    at: (f64, f64),
    pieces: &[i32],
    out: &mut Tangents,
) {
    for varying in &system.functions.varying {
        let function = &system.model.functions[varying.function.0];
        let own = &pieces[system.functions.pieces[varying.function.0].clone()];
        let mut slopes = [0.0; MAX_INPUTS];
        let slopes = &mut slopes[..function.readings.len()];
        let seen = now(system, at, work);
        function.with_inputs(&seen, |x| function.formula.gradient(x, own, slopes));
        let kind = &system.model.forces[varying.force.0].kind;
        for (reading, slope) in function.readings.iter().zip(slopes) {
            let Some((a, b)) = reading.markers(&system.model) else { continue };
            let sides = (&work.markers[a], &work.markers[b]);
            let change = |da: &Variation, db: &Variation| {
                *slope * reading.change(&system.model, sides, (da, db))
            };
            for part in 0..force::parts(kind) {
                let unit = force::unit_pair(system, work, varying, part);
                let ends = force::ends(kind, part);
                tangents::subtract_product(system, work, (ends, &unit), (a, b), change, out);
            }
        }
    }
}

/// Bodies whose columns enter the rows of others through functions: markers of a force, markers of a
/// reading.
pub(super) fn couplings(system: &System) -> Vec<((usize, usize), (usize, usize))> {
    let mut pairs = Vec::new();
    for varying in &system.functions.varying {
        let readings = &system.model.functions[varying.function.0].readings;
        for ends in force::pairs(&system.model.forces[varying.force.0].kind) {
            let markers = readings.iter().filter_map(|reading| reading.markers(&system.model));
            pairs.extend(markers.map(|read| (ends, read)));
        }
    }
    pairs
}

/// What [`tangents::subtract_product`] takes of a force: its markers and its pair per parameter.
pub(super) type Pushed<'a> = ((usize, usize), &'a Pair);

/// Markers that readings are taken from.
pub(super) fn markers(model: &Model) -> impl Iterator<Item = usize> + '_ {
    let readings = model.functions.iter().flat_map(|function| &function.readings);
    readings.filter_map(|reading| reading.markers(model)).flat_map(|(a, b)| [a, b])
}
