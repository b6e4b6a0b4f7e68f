//! The plant as a second-order system: rates, constraints, switches, scales.

use gudgeon_dae::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};

use super::{Plant, Scales};
use crate::clearance::contact::{self, ContactMemory, SWITCHES};
use crate::clearance::geometry::{Geometry, geometry};
use crate::joint::{RowKind, Turn};
use crate::model::DriverId;
use crate::system::compile::RowSource;
use crate::system::energy;
use crate::system::evaluate;
use crate::system::tree::Tree;

/// Share of a related scale that a scale has at least.
const PART: f64 = 0.1;
/// Share of the largest speed of a driver that scales have from the start: cancellation in a speed by formula is far
/// below it, as in that of a cycloid near its rest.
const START: f64 = 1e-6;
/// Instants of the run at which drivers are looked at.
const LOOKS: u32 = 32;

impl SecondOrderDae for Plant<'_> {
    fn dims(&self) -> Dims {
        let at = &self.system.layout;
        Dims {
            q: at.q,
            v: at.v,
            z: at.drivers - at.roots,
            w: at.end - at.drivers,
            rows: self.system.active,
            switches: self.switch_count(),
        }
    }

    fn velocity_is_rate(&self) -> bool {
        match &self.system.tree {
            _ if self.system.erls.is_some() => true,
            Some(tree) => tree.velocity_is_rate(),
            None => self.system.bodies.iter().all(|body| body.formulation.velocity_is_rate()),
        }
    }

    fn rates(
        &mut self,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
        stabilisation: Stabilisation,
    ) -> Result<f64, Fault> {
        let at = self.point(t, y);
        let memory = &self.memory;
        evaluate::accelerations(self.system, at, memory, stabilisation, &mut self.work)?;
        let layout = self.system.layout;
        let accelerations = match (&self.work.tree, &self.work.erls) {
            (Some(tree), _) => &tree.accelerations,
            (None, Some(erls)) => &erls.accelerations,
            (None, None) => &self.work.accelerations,
        };
        if let Some(index) = accelerations.iter().position(|a| !a.is_finite()) {
            return Err(Fault::NotFinite { index: layout.q + index });
        }
        let (qdot, rest) = dy.split_at_mut(layout.q);
        let (vdot, rest) = rest.split_at_mut(layout.v);
        let (zdot, wdot) = rest.split_at_mut(layout.drivers - layout.roots);
        match (&self.system.tree, &self.work.tree) {
            (Some(tree), Some(work)) => {
                tree.coordinate_rates(at.q, at.v, qdot);
                vdot.copy_from_slice(&work.accelerations);
            }
            _ if self.system.erls.is_some() => {
                qdot.copy_from_slice(at.v);
                vdot.copy_from_slice(accelerations);
            }
            _ => {
                for component in &self.system.components {
                    component.coordinate_rates(self.system, at.q, at.v, qdot);
                }
                vdot.copy_from_slice(&self.work.accelerations);
            }
        }
        // Those of roots follow below.
        let (roots, bristles) = zdot.split_at_mut(layout.bristles - layout.roots);
        roots.fill(0.0);
        if self.system.has_bristles() {
            bristles.fill(0.0);
            self.bristle_rates(bristles);
        }
        if self.system.flexible_links() > 0 {
            self.link_powers();
        }
        self.quadratures(wdot);
        Ok(if self.stretching && !self.memory.contacts.is_empty() {
            self.stretch_rates(y, dy)
        } else {
            1.0
        })
    }

    fn settle(&mut self, t: f64, y: &mut [f64]) -> bool {
        let first = self.system.layout.roots;
        let mut changed = false;
        match &self.system.tree {
            Some(tree) => tree.normalise(y),
            None if self.system.erls.is_some() => {}
            None => {
                for component in &self.system.components {
                    component.normalise(self.system, y);
                }
            }
        }
        for i in 0..self.memory.contacts.len() {
            let memory = self.memory.contacts[i];
            // Near σ = 0 the root of δ loses digits, and the integrated σ is the better one.
            let deep = y[first + i] > 0.5 * memory.root_scale;
            if self.stretching && memory.in_contact() && deep {
                let depth = self.contact_geometry(i, t, y).depth;
                y[first + i] = depth.max(0.0).sqrt();
                changed = true;
            }
        }
        changed
    }

    /// A row that nearly depends on others lets the mechanism stray by its gap over the root of its pivot ratio, so gaps
    /// count that much more near singular positions.
    fn drift(&mut self) -> Drift {
        let weakest = self.weakest_pivot().map_or(1.0, |(_, ratio)| ratio.sqrt()).max(1e-8);
        let Drift { position, velocity } = self.gaps();
        Drift { position: position / weakest, velocity: velocity / weakest }
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault> {
        if self.system.active == 0 {
            // Nothing to hold.
            return Ok(());
        }
        self.place(t, y);
        let before = energy::total(self.system, &self.work);
        let layout = self.system.layout;
        let (q, rest) = y.split_at_mut(layout.q);
        let v = &mut rest[..layout.v];
        evaluate::project(self.system, t, self.branch, q, v, &mut self.work)?;
        self.place(t, y);
        self.projection_energy += energy::total(self.system, &self.work) - before;
        Ok(())
    }

    fn goes_on(&mut self) -> bool {
        self.watch.try_step()
    }

    fn switches(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        self.switches_by(|plant, i| plant.contact_geometry(i, t, y), (t, y), out);
    }

    fn switches_here(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        let by_markers = |plant: &Self, i: usize| {
            let element = &plant.system.contacts[i];
            let (a, b) = (&plant.work.markers[element.a], &plant.work.markers[element.b]);
            geometry(&element.spot, &element.clearance, a, b)
        };
        self.switches_by(by_markers, (t, y), out);
    }

    fn raise_scales(&mut self, y: &[f64], scales: &mut [f64]) {
        self.raise_scales_of(y, scales);
    }
}

impl Plant<'_> {
    #[inline(always)]
    fn switches_by(
        &mut self,
        geometry: impl Fn(&Self, usize) -> Geometry,
        (t, y): (f64, &[f64]),
        out: &mut [f64],
    ) {
        let (contacts, rest) = out.split_at_mut(SWITCHES * self.system.contacts.len());
        let (zones, rest) = rest.split_at_mut(2 * self.system.frictions.len());
        let (pieces, stop) = rest.split_at_mut(2 * self.memory.pieces.len());
        let (functions, laws) = pieces.split_at_mut(2 * self.system.functions.count());
        for (i, out) in contacts.chunks_exact_mut(SWITCHES).enumerate() {
            let geometry = geometry(self, i);
            let clearance = &self.system.contacts[i].clearance;
            let memory = self.memory.contact(i, &self.system.contacts[i]);
            let root = self.root(i, y);
            contact::switches(clearance, memory, &geometry, root, out);
        }
        for (i, out) in zones.chunks_exact_mut(2).enumerate() {
            let element = &self.system.frictions[i];
            let v = element.velocity(&self.slips(i, t, y));
            out.copy_from_slice(&element.law.edges(v, self.memory.zones[i]));
        }
        if !functions.is_empty() {
            self.piece_switches(t, y, functions);
        }
        if !laws.is_empty() {
            self.law_switches(t, y, laws);
        }
        if let (Some(stop), Some(out)) = (&self.stop, stop.first_mut()) {
            let moved = (self.joint_angle(stop.joint, t, y) - stop.start) / stop.angle;
            *out = 1.0 - moved * moved; // in either sense
        }
    }

    fn raise_scales_of(&mut self, y: &[f64], scales: &mut [f64]) {
        self.raise_own_scales();
        let (layout, length) = (self.system.layout, self.system.length);
        let or_unbounded = |scale: f64| if scale > 0.0 { scale } else { f64::INFINITY };
        let (speed, spin) = (or_unbounded(self.scales.speed), or_unbounded(self.scales.spin));
        let [shift_q, shift_v] = self.system.tree.as_ref().map_or([0; 2], Tree::shift);
        if let Some(tree) = &self.system.tree {
            self.raise_tree_scales(tree, (speed, spin), scales);
        }
        if let Some(erls) = &self.system.erls {
            for i in 0..layout.v {
                let turns = erls.is_turn(i);
                scales[i] = if turns { 1.0 } else { length };
                scales[layout.q + i] = if turns { spin } else { speed };
            }
        }
        for (i, body) in self.system.bodies.iter().enumerate() {
            if self.system.is_carried(i) || self.system.erls.is_some() {
                continue;
            }
            if body.formulation.is_flexible() {
                let near = length.min(self.thinnest_film(i));
                // Of a frame in space there is one coordinate more, the first of the quaternion.
                let more = body.coordinates().len() - body.velocities().len();
                scales[body.q - shift_q + 3..][..more].fill(1.0);
                for (k, v) in body.velocities().enumerate() {
                    let is_length = !self.system.is_rotation(v);
                    let k = if k < 3 { k } else { k + more };
                    scales[body.q - shift_q + k] = if is_length { near } else { 1.0 };
                    scales[layout.q + v - shift_v] = if is_length { speed } else { spin };
                }
                continue;
            }
            let lengths = body.formulation.lengths();
            let q = &mut scales[body.q - shift_q..][..body.sizes[0]];
            q[..lengths].fill(length.min(self.thinnest_film(i)));
            q[lengths..].fill(1.0);
            let v = &mut scales[layout.q + body.v - shift_v..][..body.sizes[1]];
            v[..lengths].fill(speed);
            v[lengths..].fill(spin);
        }
        for (i, memory) in self.memory.contacts.iter().enumerate() {
            scales[layout.roots + i] = scale_of_root(memory, y[layout.roots + i], speed);
        }
        for element in &self.system.frictions {
            let first = layout.bristles + element.state;
            scales[first..first + element.states()].fill(element.law.deflection());
        }
        for element in &self.system.contacts {
            let law = element.clearance.friction.as_ref().filter(|law| law.has_state());
            let Some(law) = law else {
                continue;
            };
            let first = layout.bristles + element.state;
            scales[first..first + element.states].fill(law.deflection());
        }
        scales[layout.drivers..layout.turns].fill(or_unbounded(self.scales.energy));
        // Counted angles need to be right to half a turn only.
        scales[layout.turns..layout.end].fill(f64::INFINITY);
    }
}

/// A film's thickness is held to the tolerance times this: forces change with its inverse cube, and
/// more would cost steps that no other part of the mechanism needs.
const FILM: f64 = 1e3;

/// However fast the mechanism, √δ is held to a hundred times the tolerance.
const SLACK: f64 = 100.0;

/// Scale of σ = √δ of a contact, in a mechanism that moves with some speed V.
///
/// A share of σ that is wrong makes three times that share of the force wrong (F ~ σ³), and so of the speed v that
/// the contact turns round: that of the impact, v = δ̇⁽⁻⁾, or where it lasts and is pressed deeper, the speed that
/// would press it there, v = δ̇⁽⁻⁾ (σ/σ_r)^2.5. Speeds are held to the tolerance times V; so may be what σ does to
/// them, with a factor of three to spare.
fn scale_of_root(memory: &ContactMemory, root: f64, speed: f64) -> f64 {
    let deeper = (root / memory.root_scale).max(1.0);
    let turned = memory.impact_speed * deeper * deeper * deeper.sqrt();
    // Before anything has moved V is unbounded, and there was no impact.
    let slack = PART * speed / turned;
    let slack = if slack.is_finite() { slack.clamp(1.0, SLACK) } else { 1.0 };
    deeper * memory.root_scale * slack
}

impl Plant<'_> {
    /// Scales of coordinates and velocities of a tree. A turn moves what it carries by its size, so where a film
    /// is thin both kinds are held to that.
    fn raise_tree_scales(&self, tree: &Tree, (speed, spin): (f64, f64), scales: &mut [f64]) {
        let (layout, length) = (self.system.layout, self.system.length);
        for branch in &tree.branches {
            let bodies = tree.links[branch.links.clone()].iter().map(|link| link.body);
            let thinnest =
                bodies.map(|body| self.thinnest_film(body)).fold(f64::INFINITY, f64::min);
            let near = length.min(thinnest);
            for link in &tree.links[branch.links.clone()] {
                let [coordinates, velocities] =
                    [0, 1].map(|k| link.free + link.sizes[k] - link.sizes[1]);
                let turns = |k: usize| tree.is_turn(link.v + k.min(link.free - 1));
                for k in 0..coordinates {
                    scales[link.q + k] = if turns(k) { near / length } else { near };
                }
                for k in 0..velocities {
                    scales[layout.q + link.v + k] = if turns(k) { spin } else { speed };
                }
            }
        }
    }

    /// Scale of the position of a moving body that its thinnest film needs.
    fn thinnest_film(&self, body: usize) -> f64 {
        let mut least = f64::INFINITY;
        for &i in &self.system.body_films[body] {
            let clearance = self.system.films[i].lubricant.film.shape.clearance;
            let thickness = self.work.films[i].now.thickness;
            least = least.min(thickness.clamp(1e-6 * clearance, clearance));
        }
        FILM * least
    }

    /// Distance from the constraints at the last evaluation, as multiples of the scales.
    pub fn gaps(&mut self) -> Drift {
        evaluate::velocity_residual(self.system, &mut self.work);
        let Scales { speed, spin, .. } = self.scales;
        // Before anything has moved there is no speed to compare with.
        let or_one = |scale: f64| if scale > 0.0 { scale } else { 1.0 };
        let (speed, spin) = (or_one(speed), or_one(spin));
        let velocity = evaluate::largest(self.system, &self.work.residual, speed, spin).0;
        for i in 0..self.system.active {
            self.work.residual[i] = evaluate::position_residual(self.system, i, &self.work);
        }
        let length = self.system.length;
        let position = evaluate::largest(self.system, &self.work.residual, length, 1.0).0;
        Drift { position, velocity }
    }

    /// Power that the damping of each flexible link takes at the last evaluation, and that of forces without a potential.
    fn link_powers(&mut self) {
        let (system, work) = (self.system, &mut self.work);
        for (power, beam) in work.damping_powers.iter_mut().zip(&system.beams) {
            let q = &work.beam_q[beam.v - system.first_beam()..][..beam.size()];
            let v = &work.v[beam.v..beam.v + beam.size()];
            *power = if beam.is_damped() { beam.dissipation(q, v) } else { 0.0 };
        }
        let powers = &mut work.damping_powers[system.beams.len()..];
        for ((power, body), state) in powers.iter_mut().zip(&system.floating).zip(&work.floating) {
            let damped = body.link.is_damped();
            *power = if damped { body.link.dissipation(&state.q, &state.v) } else { 0.0 };
        }
        if system.erls.is_some() {
            // Known since the accelerations.
            return;
        }
        let gravity = &system.model.gravity;
        let bodies = system.floating.iter().zip(&work.floating);
        work.formulation_power =
            bodies.map(|(body, state)| body.unbalanced_power(gravity, state)).sum();
    }

    /// Powers and rates of the counted angles at the last evaluation.
    fn quadratures(&self, out: &mut [f64]) {
        let (layout, work) = (self.system.layout, &self.work);
        let at = |i: usize| i - layout.drivers;
        for (driver, out) in out[..at(layout.forces)].iter_mut().enumerate() {
            let rows = self.system.rows_of(RowSource::Driver(DriverId(driver)));
            *out = rows.last().map_or(0.0, |row| -work.lambda[row] * work.motions[driver].rate);
        }
        if !work.force_powers.is_empty() {
            out[at(layout.forces)..at(layout.contacts)].copy_from_slice(&work.force_powers);
        }
        let contacts = &mut out[at(layout.contacts)..at(layout.films)];
        for (out, (_, force)) in contacts.as_chunks_mut::<2>().0.iter_mut().zip(&work.contacts) {
            *out = [force.normal_power, force.friction_power];
        }
        if layout.turns > layout.films {
            out[at(layout.formulation)..at(layout.turns)].fill(work.formulation_power);
            let beams = &mut out[at(layout.beams)..at(layout.formulation)];
            beams.iter_mut().zip(&work.damping_powers).for_each(|(out, power)| *out = -power);
            let frictions = &mut out[at(layout.frictions)..at(layout.beams)];
            for (out, now) in frictions.iter_mut().zip(&work.frictions) {
                *out = now.power;
            }
            let films = &mut out[at(layout.films)..at(layout.frictions)];
            for (out, film) in films.as_chunks_mut::<2>().0.iter_mut().zip(&work.films) {
                *out = [-film.now.force.shear, -film.now.force.pumping];
            }
        }
        for (out, &(a, b)) in out[at(layout.turns)..].iter_mut().zip(&self.system.turns) {
            *out = RowKind::Turn(Turn::Axis).rate(&work.markers[a], &work.markers[b]);
        }
    }

    /// ż of the bristles at the last evaluation.
    pub(super) fn bristle_rates(&self, out: &mut [f64]) {
        for (element, now) in self.system.frictions.iter().zip(&self.work.frictions) {
            let own = &mut out[element.state..element.state + element.states()];
            own.iter_mut().zip(now.sliding.h).for_each(|(out, h)| *out = h);
        }
        for (element, now) in self.system.contacts.iter().zip(&self.work.bristling) {
            let own = &mut out[element.state..element.state + element.states];
            own.iter_mut().zip(now.rates).for_each(|(out, h)| *out = h);
        }
    }

    /// Part of the speed that the loads would give the whole mechanism over its size: a motion that begins
    /// without speed and acceleration must not be held to the rounding of what its loads cancel to.
    fn speed_of_loads(&self) -> f64 {
        let bodies = || self.system.bodies.iter().enumerate();
        let mass: f64 = bodies().map(|(_, body)| body.mass).sum();
        let force = |(i, _)| self.system.speeds_of(i, &self.work.forces).0;
        let largest = bodies().map(force).fold(0.0, f64::max);
        if mass > 0.0 { PART * PART * (largest / mass * self.system.length).sqrt() } else { 0.0 }
    }

    /// Largest speed and spin that drivers give within the run.
    fn speeds_of_drivers(&self) -> [f64; 2] {
        let mut largest = [0.0, 0.0];
        for driver in &self.system.model.drivers {
            let most = &mut largest[usize::from(driver.coordinate.is_angle())];
            for look in 0..=LOOKS {
                let t = self.horizon * f64::from(look) / f64::from(LOOKS);
                let rate = driver.motion.jet(t, t).rate.abs();
                if rate.is_finite() {
                    *most = rate.max(*most);
                }
            }
        }
        largest
    }

    /// By the velocities and accelerations of the last evaluation.
    fn raise_own_scales(&mut self) {
        let (length, v) = (self.system.length, &self.work.v);
        let mut next = self.scales;
        for body in 0..self.system.bodies.len() {
            let (linear, angular) = self.system.speeds_of(body, v);
            next.speed = next.speed.max(linear);
            next.spin = next.spin.max(angular);
            if !next.started {
                // From rest: part of the speed a body gains over the size of the mechanism.
                let (linear, angular) = self.system.speeds_of(body, &self.work.accelerations);
                next.speed = next.speed.max(PART * (linear * length).sqrt());
                next.spin = next.spin.max(PART * angular.sqrt());
            }
        }
        if !next.started {
            let [speed, spin] = self.speeds_of_drivers();
            next.speed = next.speed.max(self.speed_of_loads()).max(START * speed);
            next.spin = next.spin.max(START * spin);
        }
        next.started = true;
        // A motion without turning, or about a fixed centre, must not be held to rounding.
        next.spin = next.spin.max(PART * next.speed / length);
        next.speed = next.speed.max(PART * next.spin * length);
        for (i, body) in self.system.bodies.iter().enumerate() {
            let least = body.mass * PART * next.speed * PART * next.speed;
            let kinetic = self.system.kinetic_of(i, &self.work, v);
            next.energy = next.energy.max(kinetic).max(0.5 * least);
        }
        self.scales = next;
    }
}
