//! Derivatives of friction by displacements, velocities, bristles and reactions.
//!
//! With F_k = −N m_k, a variation of slips, bristles and reaction c gives
//!
//!   δF_k = −δN m_k − N (m_s δs + m_z δz)_k,   δN = ∂N/∂c · δc + ∂N/∂μ · m · δm/|m|            (1)
//!
//! with δm also through μ(N), δm = m_s δs + m_z δz + μ_N δN m/|m|, so that the δN of (1) without μ_N is
//! divided by 1 − ∂N/∂μ μ_N; s = P · V, δs = P · δV + δP · V, and c moves with the axes of side a and with the unit
//! wrenches of the rows: δc = Rᵀ(δr − δφ_a × r), r = −Σ λ W_b.

use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Dims, Tangents};

use super::{By, columns, subtract_force};
use crate::clearance::change::Linearised as LinearContact;
use crate::friction::{FrictionElement, Rubbing, Slip, Zone};
use crate::marker::{MarkerState, Variation};
use crate::math::spatial::{Pair, Wrench};
use crate::system::compile::{ContactElement, RowSource, System};
use crate::system::plant::Memory;
use crate::system::reactions::of_rows;
use crate::system::workspace::Workspace;

/// Patterns of −∂f/∂z, −∂f/∂λ, ∂h/∂q and ∂h/∂v, ∂h/∂z.
pub(super) struct Patterns {
    pub coupling: Entries,
    pub reactions: Entries,
    pub rates: Entries,
    pub rates_z: Entries,
}

impl Patterns {
    pub fn new(system: &System, dims: Dims) -> Self {
        let (mut coupling, mut reactions, mut rates_z) = (Vec::new(), Vec::new(), Vec::new());
        let first = system.layout.bristles - system.layout.roots;
        let mut own = |ends: (usize, usize), state: usize, count: usize| {
            let states = first + state..first + state + count;
            for z in states.clone() {
                rates_z.extend(states.clone().map(|w| (z, w)));
            }
            for v in touched(system, ends) {
                coupling.extend(states.clone().map(|z| (v, z)));
            }
        };
        for contact in &system.contacts {
            own((contact.a, contact.b), contact.state, contact.states);
        }
        for element in &system.frictions {
            own((element.a, element.b), element.state, element.states());
            for v in touched(system, (element.a, element.b)) {
                let rows = system.rows_of(RowSource::Joint(element.joint));
                reactions.extend(rows.map(|row| (v, row)));
            }
        }
        let turned: Vec<(usize, usize)> = coupling.iter().map(|&(v, z)| (z, v)).collect();
        Self {
            coupling: Entries::at(dims.v, dims.z, &coupling),
            reactions: Entries::at(dims.v, dims.rows, &reactions),
            rates: Entries::at(dims.z, dims.v, &turned),
            rates_z: Entries::at(dims.z, dims.z, &rates_z),
        }
    }
}

/// Velocities of the bodies of two markers.
fn touched(system: &System, (a, b): (usize, usize)) -> Vec<usize> {
    let columns = [a, b].map(|marker| system.columns_of(marker));
    columns.iter().flat_map(|support| support.iter()).collect()
}

/// An element at a point, from which changes are taken.
struct Linearised<'a> {
    element: &'a FrictionElement,
    system: &'a System,
    work: &'a Workspace,
    now: Rubbing,
    pairs: [Pair; 3],
    reaction: Wrench,
    /// ∂N/∂c and ∂N/∂μ.
    by_reaction: [f64; 6],
    by_mu: f64,
    /// 1 − ∂N/∂μ · ∂μ/∂N.
    own: f64,
    lambda: &'a [f64],
}

impl<'a> Linearised<'a> {
    fn new(
        system: &'a System,
        work: &'a Workspace,
        (element, memory): (&'a FrictionElement, (Zone, &[i32])),
        bristles: &[f64],
        lambda: &'a [f64],
    ) -> Self {
        let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
        let reaction = of_rows(system, element.joint, lambda, work);
        let now = element.act(a, b, &reaction, &element.bristles(bristles), memory);
        let seen = FrictionElement::seen(&reaction, a);
        let loaded = element.load.of(&seen, now.sliding.coefficient(), element.round);
        let mut pairs = [Pair::ZERO; 3];
        for (pair, direction) in pairs.iter_mut().zip(&element.directions) {
            *pair = direction.pair(a, b);
        }
        let (by_reaction, by_mu) = (loaded.slope, loaded.by_mu);
        let own = 1.0 - now.sliding.lean(&loaded);
        Self { element, system, work, now, pairs, reaction, by_reaction, by_mu, own, lambda }
    }

    fn sides(&self) -> (&MarkerState, &MarkerState) {
        (&self.work.markers[self.element.a], &self.work.markers[self.element.b])
    }

    /// δs.
    fn slip_change(&self, da: &Variation, db: &Variation) -> Slip {
        let (a, b) = self.sides();
        let side = |w: &Wrench, by: &Variation| w.f.dot(&by.v) + w.t.dot(&by.w);
        let mut change = [0.0; 3];
        for (k, direction) in self.element.directions.iter().enumerate() {
            let turned = direction.change(a, b, da, db);
            change[k] = side(&self.pairs[k].a, da)
                + side(&self.pairs[k].b, db)
                + crate::friction::rate(&turned, a, b);
        }
        change
    }

    /// δN for changes of m at constant load and of the reaction.
    fn load_change(&self, dm: &Slip, reaction: Option<&[f64; 6]>) -> f64 {
        let m = &self.now.sliding.m;
        let mu = self.now.sliding.coefficient();
        let along: f64 = m.iter().zip(dm).map(|(m, dm)| m * dm).sum();
        let leaning = if mu > 0.0 { self.by_mu * along / mu } else { 0.0 };
        let pressed = reaction
            .map_or(0.0, |c| c.iter().zip(&self.by_reaction).map(|(c, slope)| c * slope).sum());
        (leaning + pressed) / self.own
    }

    /// δF_k of (1) for changes of m at constant load and of the reaction.
    fn force_change(&self, dm: &Slip, reaction: Option<&[f64; 6]>) -> Slip {
        let load = self.load_change(dm, reaction);
        let (m, mu) = (&self.now.sliding.m, self.now.sliding.coefficient());
        let heavier = if mu > 0.0 { self.now.sliding.by_load * load / mu } else { 0.0 };
        std::array::from_fn(|k| -load * m[k] - self.now.load * (dm[k] + m[k] * heavier))
    }

    /// δc for motions of the markers.
    fn reaction_change(&self, da: &Variation, db: &Variation) -> [f64; 6] {
        let (a, b) = self.sides();
        let mut change = Wrench::ZERO;
        for row in self.system.rows_of(RowSource::Joint(self.element.joint)) {
            let turned = self.system.rows[row].kind.change(a, b, da, db).b;
            change.f -= turned.f * self.lambda[row];
            change.t -= turned.t * self.lambda[row];
        }
        change.f -= da.turn.cross(&self.reaction.f);
        change.t -= da.turn.cross(&self.reaction.t);
        FrictionElement::seen(&change, a)
    }

    /// Change of both wrenches.
    fn change(&self, da: &Variation, db: &Variation) -> Pair {
        let (a, b) = self.sides();
        let dm = times(&self.now.sliding.m_s, &self.slip_change(da, db));
        let forces = self.force_change(&dm, Some(&self.reaction_change(da, db)));
        let mut sum = Pair::ZERO;
        for (k, direction) in self.element.directions.iter().enumerate() {
            let force = -self.now.load * self.now.sliding.m[k];
            sum = sum.plus(&self.pairs[k].scaled(forces[k]));
            sum = sum.plus(&direction.change(a, b, da, db).scaled(force));
        }
        sum
    }

    /// Σ F_k P_k of forces along the surface.
    fn pair(&self, forces: &Slip) -> Pair {
        let all = self.pairs.iter().zip(forces);
        all.fold(Pair::ZERO, |sum, (pair, force)| sum.plus(&pair.scaled(*force)))
    }
}

fn times(matrix: &[Slip; 3], x: &Slip) -> Slip {
    std::array::from_fn(|i| (0..3).map(|j| matrix[i][j] * x[j]).sum())
}

/// Adds −Jᵀ of a pair to a column.
fn subtract_pair(
    system: &System,
    work: &Workspace,
    (a, b): (usize, usize),
    pair: &Pair,
    column: usize,
    matrix: &mut Entries,
) {
    for (marker, wrench) in [(a, &pair.a), (b, &pair.b)] {
        let values = system.reduced(marker, wrench, work);
        for (v, value) in system.columns_of(marker).iter().zip(values) {
            if let Some(slot) = matrix.slot(v, column) {
                matrix.values[slot] -= value;
            }
        }
    }
}

/// Zeros for all derivatives by and of bristles and reactions.
pub(in crate::system) fn clear_friction(out: &mut Tangents) {
    for entries in [&mut out.coupling, &mut out.reactions] {
        entries.values.fill(0.0);
    }
    for entries in [&mut out.rates_q, &mut out.rates_v, &mut out.rates_z] {
        entries.values.fill(0.0);
    }
}

/// Subtracts all derivatives of friction in ideal joints.
pub(in crate::system) fn subtract_friction(
    system: &System,
    work: &Workspace,
    (bristles, memory): (&[f64], &Memory),
    lambda: &[f64],
    out: &mut Tangents,
) {
    let first = system.layout.bristles - system.layout.roots;
    for (i, element) in system.frictions.iter().enumerate() {
        let own = memory.friction(i, element);
        let at = Linearised::new(system, work, (element, own), bristles, lambda);
        let ends = (element.a, element.b);
        let change = |da: &_, db: &_| at.change(da, db);
        subtract_force(system, work, ends, &at.now.pair, change, out);
        for row in system.rows_of(RowSource::Joint(element.joint)) {
            let unit = &work.row_wrenches[row].on_b;
            let reaction = Wrench { f: -unit.f, t: -unit.t };
            let seen = FrictionElement::seen(&reaction, at.sides().0);
            let forces = at.force_change(&[0.0; 3], Some(&seen));
            subtract_pair(system, work, ends, &at.pair(&forces), row, &mut out.reactions);
        }
        let states = States { ends, first: first + element.state, count: element.states() };
        let by_state = |j: usize| {
            let unit: Slip = std::array::from_fn(|i| f64::from(u8::from(i == j)));
            let forces = at.force_change(&times(&at.now.sliding.m_z, &unit), None);
            (at.pair(&forces), std::array::from_fn(|i| at.now.sliding.h_z[i][j]))
        };
        let rates = |da: &_, db: &_| times(&at.now.sliding.h_s, &at.slip_change(da, db));
        states.subtract(system, work, by_state, rates, out);
    }
}

/// Subtracts the derivatives by and of the bristles of a contact.
pub(in crate::system) fn subtract_bristles(
    system: &System,
    work: &Workspace,
    element: &ContactElement,
    contact: &LinearContact,
    out: &mut Tangents,
) {
    let first = system.layout.bristles - system.layout.roots + element.state;
    let states = States { ends: (element.a, element.b), first, count: element.states };
    let rates = |da: &_, db: &_| contact.rate_change(da, db);
    states.subtract(system, work, |j| contact.by_state(j), rates, out);
}

/// Bristle states between two markers.
struct States {
    ends: (usize, usize),
    first: usize,
    count: usize,
}

impl States {
    /// −∂f/∂z, ∂h/∂z by `by_state`, ∂h/∂q and ∂h/∂v by `rates`.
    fn subtract(
        &self,
        system: &System,
        work: &Workspace,
        by_state: impl Fn(usize) -> (Pair, Slip),
        rates: impl Fn(&Variation, &Variation) -> Slip,
        out: &mut Tangents,
    ) {
        if self.count == 0 {
            return;
        }
        for j in 0..self.count {
            let (pair, slopes) = by_state(j);
            subtract_pair(system, work, self.ends, &pair, self.first + j, &mut out.coupling);
            for (i, slope) in slopes.into_iter().take(self.count).enumerate() {
                out.rates_z.set(self.first + i, self.first + j, slope);
            }
        }
        for by in [By::Place, By::Speed] {
            // The rates ride on a pair that nobody applies.
            let seen = std::cell::Cell::new([0.0; 3]);
            let change = |da: &Variation, db: &Variation| {
                seen.set(rates(da, db));
                Pair::ZERO
            };
            let matrix = if by == By::Place { &mut out.rates_q } else { &mut out.rates_v };
            columns(system, work, self.ends, by, &Pair::ZERO, change, |column, _| {
                for (i, value) in seen.get().into_iter().take(self.count).enumerate() {
                    if let Some(slot) = matrix.slot(self.first + i, column) {
                        matrix.values[slot] += value;
                    }
                }
            });
        }
    }
}
