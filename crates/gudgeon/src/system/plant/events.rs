//! What events do to the memory, and how the integration goes on after them.

use super::{Change, Plant, SLOWEST};
use crate::clearance::contact::{self, Mode, SWITCHES};
use crate::clearance::geometry::Geometry;
use crate::math::spatial::Wrench;

/// What a switch belongs to.
enum Switch {
    Contact { contact: usize, switch: usize },
    Zone { friction: usize, upper: bool },
    Piece { piece: usize, upper: bool },
    Angle,
}

impl Plant<'_> {
    /// Changes the memory for the switches that fell, and says what happened.
    pub fn handle(&mut self, t: f64, y: &mut [f64], fired: &[usize]) -> &[Change] {
        let first = self.system.layout.roots;
        self.changes.clear();
        for &switch in fired {
            let change = match self.switch(switch) {
                Switch::Contact { contact, switch } => {
                    let geometry = self.contact_geometry(contact, t, y);
                    self.handle_contact(contact, switch, &geometry)
                }
                Switch::Zone { friction, upper } => self.enter_zone(friction, upper),
                Switch::Piece { piece, upper } if piece < self.system.functions.count() => {
                    Change::Piece { function: self.enter_piece(piece, upper) }
                }
                Switch::Piece { piece, upper } => self.enter_law_piece(t, y, piece, upper),
                Switch::Angle => Change::ReachedAngle,
            };
            if let Change::Began { contact, .. }
            | Change::Ended { contact, .. }
            | Change::Inner { contact, cut: true } = change
            {
                let element = &self.system.contacts[contact];
                let own = self.system.layout.bristles + element.state;
                y[own..own + element.states].fill(0.0);
            }
            if let Change::Began { contact, speed, .. } = change {
                let mass = self.effective_mass(contact, t, y);
                let clearance = &self.system.contacts[contact].clearance;
                let depth = contact::impact_depth(clearance, mass, speed.max(SLOWEST));
                self.memory.contacts[contact].root_scale = depth.sqrt();
            }
            if let Change::Began { contact, .. } | Change::Ended { contact, .. } = change {
                y[first + contact] = 0.0;
            }
            if let Change::Began { contact, speed, .. } = change
                && speed <= SLOWEST
            {
                // Without any speed σ = 0 would be a point of rest in τ: start beside it.
                y[first + contact] = 1e-3 * self.memory.contacts[contact].root_scale;
            }
            self.changes.push(change);
        }
        &self.changes
    }

    /// How many switches there are: of contacts, of friction in ideal joints, of functions of the state and
    /// laws by formula, and of the end of the run.
    pub(super) fn switch_count(&self) -> usize {
        let pairs = 2 * (self.system.frictions.len() + self.memory.pieces.len());
        SWITCHES * self.system.contacts.len() + pairs + usize::from(self.stop.is_some())
    }

    /// What a switch belongs to.
    fn switch(&self, index: usize) -> Switch {
        let (contact, switch) = (index / SWITCHES, index % SWITCHES);
        if contact < self.system.contacts.len() {
            return Switch::Contact { contact, switch };
        }
        let rest = index - SWITCHES * self.system.contacts.len();
        let (friction, upper) = (rest / 2, rest % 2 == 1);
        if friction < self.system.frictions.len() {
            return Switch::Zone { friction, upper };
        }
        let piece = friction - self.system.frictions.len();
        if piece < self.memory.pieces.len() {
            return Switch::Piece { piece, upper };
        }
        Switch::Angle
    }

    fn enter_zone(&mut self, friction: usize, upper: bool) -> Change {
        let element = &self.system.frictions[friction];
        let zone = &mut self.memory.zones[friction];
        *zone = element.law.next_zone(*zone, upper, element.in_plane());
        Change::Zone { friction }
    }

    /// Zones of friction in ideal joints and pieces of functions as they are at a point.
    pub fn find_modes(&mut self, t: f64, y: &[f64]) {
        self.find_pieces(t, y);
        for i in 0..self.system.frictions.len() {
            self.find_friction(i, t, y);
        }
    }

    pub(super) fn handle_contact(&mut self, contact: usize, switch: usize, g: &Geometry) -> Change {
        let element = &self.system.contacts[contact];
        let clearance = &element.clearance;
        let slides_in_plane = element.spot.directions() > 1;
        let memory = &mut self.memory.contacts[contact];
        match (memory.mode, switch) {
            (Mode::Free, 0) if g.rate >= 0.0 => {
                memory.impact_speed = g.rate.max(clearance.onset_floor).max(SLOWEST);
                memory.mode = Mode::Contact { cut: false };
                self.find_normal_pieces(contact, g);
                self.find_contact_friction(contact, g);
                let floored = g.rate < clearance.onset_floor;
                return Change::Began { contact, speed: g.rate, floored };
            }
            (Mode::Contact { .. }, 0) => {
                memory.mode = Mode::Free;
                memory.left_at = g.distance;
                return Change::Ended { contact, rate: g.rate };
            }
            (Mode::Contact { cut }, 1) => {
                memory.mode = Mode::Contact { cut: !cut };
                self.find_contact_friction(contact, g);
                return Change::Inner { contact, cut: true };
            }
            (Mode::Contact { .. }, edge) => {
                if let Some(law) = &clearance.friction {
                    memory.zone = law.next_zone(memory.zone, edge == 3, slides_in_plane);
                }
            }
            // A touch without approach: flight goes on from here.
            (Mode::Free, _) => memory.left_at = g.distance,
        }
        Change::Inner { contact, cut: false }
    }

    /// Mass that a contact feels along its normal if nothing else held the two bodies.
    pub fn effective_mass(&self, contact: usize, t: f64, y: &[f64]) -> f64 {
        let element = &self.system.contacts[contact];
        let g = self.contact_geometry(contact, t, y);
        let sides = [(element.a, g.arm_a.foot), (element.b, g.arm_b.foot)];
        let inverse = sides.map(|(index, foot)| {
            let unit = Wrench { f: g.normal, t: foot.cross(&g.normal) };
            let at = &self.system.attachments[index];
            let Some(body) = at.body.checked_sub(1) else { return 0.0 };
            let (state, marker) = (self.state_of(body, t, y), self.marker_at(index, t, y));
            self.system.inverse_mass(body, &unit, &state, &marker)
        });
        1.0 / inverse.iter().sum::<f64>()
    }

    /// A first step for the mode a contact has just entered.
    pub fn step_hint(&self, contact: usize, t: f64, y: &[f64]) -> f64 {
        let clearance = &self.system.contacts[contact].clearance;
        let g = self.contact_geometry(contact, t, y);
        match self.memory.contacts[contact].mode {
            Mode::Contact { .. } => {
                let mass = self.effective_mass(contact, t, y);
                let share = if self.stretching { 0.2 } else { 0.03 };
                share * contact::impact_duration(clearance, mass, g.rate.abs().max(SLOWEST))
            }
            Mode::Free => 0.25 * clearance.radial / g.rate.abs(),
        }
    }

    /// The shortest first step that any contact asks for.
    pub fn shortest_hint(&self, t: f64, y: &[f64]) -> Option<f64> {
        (0..self.system.contacts.len())
            .map(|contact| self.step_hint(contact, t, y))
            .filter(|hint| hint.is_finite() && *hint > 0.0)
            .min_by(f64::total_cmp)
    }
}
