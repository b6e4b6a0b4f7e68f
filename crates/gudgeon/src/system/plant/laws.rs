//! Laws by formula within the plant: their pieces as they are, their switches, and what events change.

use std::ops::Range;

use super::{Change, Plant};
use crate::clearance::contact::{LIGHT, Mode};
use crate::clearance::geometry::Geometry;
use crate::clearance::normal::NormalLaw;
use crate::formula::Left;
use crate::friction::FrictionLaw;

/// The load that a formula of friction sees.
fn load(normal: f64) -> f64 {
    normal.abs().max(LIGHT)
}

/// The law that a piece belongs to.
enum Owner {
    Friction(usize),
    /// The contact, and the place of the piece among its own.
    Contact(usize, usize),
}

impl Plant<'_> {
    /// Two switches per piece of a law; those of contacts that do not touch have no meaning.
    pub(super) fn law_switches(&self, t: f64, y: &[f64], out: &mut [f64]) {
        let first = self.system.functions.count();
        out.fill(1.0);
        let own = |range: &Range<usize>| 2 * (range.start - first)..2 * (range.end - first);
        for (i, element) in self.system.frictions.iter().enumerate() {
            let Some(law) = element.law.formula().filter(|_| !element.pieces.is_empty()) else {
                continue;
            };
            let speed = element.velocity(&self.slips(i, t, y)).abs();
            let pieces = &self.memory.pieces[element.pieces.clone()];
            law.switches(speed, 0.0, pieces, &mut out[own(&element.pieces)]);
        }
        for (i, element) in self.system.contacts.iter().enumerate() {
            let memory = &self.memory.contacts[i];
            if element.pieces.is_empty() || !memory.in_contact() {
                continue;
            }
            let (g, force) = self.contact_force(i, t, y);
            let (normal, friction) =
                out[own(&element.pieces)].split_at_mut(2 * element.clearance.normal.sites());
            let pieces = &self.memory.pieces[element.pieces.clone()];
            if let NormalLaw::Formula(law) = &element.clearance.normal {
                let depth = self.root(i, y).map_or(g.depth, |root| root * root);
                law.switches([depth, g.rate, memory.impact_speed], pieces, normal);
            }
            if let (Some(FrictionLaw::Formula(law)), Mode::Contact { cut: false }) =
                (&element.clearance.friction, memory.mode)
            {
                let pieces = &pieces[element.clearance.normal.sites()..];
                law.switches(g.sliding.abs(), load(force.normal), pieces, friction);
            }
        }
    }

    /// The first law that lies outside a table that must not be left: its name, and where the
    /// table was looked up.
    pub(crate) fn law_left_table(&self, t: f64, y: &[f64]) -> Option<(String, Left)> {
        if self.system.pieces == self.system.functions.count() {
            return None;
        }
        for (i, element) in self.system.frictions.iter().enumerate() {
            let Some(law) = element.law.formula() else { continue };
            let speed = element.velocity(&self.slips(i, t, y)).abs();
            let pieces = &self.memory.pieces[element.pieces.clone()];
            if let Some(left) = law.formula().left(&[speed, 0.0, 0.0], pieces) {
                let joint = &self.system.model.joints[element.joint.0].name;
                return Some((format!("`mu` of the friction of joint `{joint}`"), left));
            }
        }
        for (i, element) in self.system.contacts.iter().enumerate() {
            let memory = &self.memory.contacts[i];
            if element.pieces.is_empty() || !memory.in_contact() {
                continue;
            }
            let (g, force) = self.contact_force(i, t, y);
            let sites = element.clearance.normal.sites();
            let (normal, friction) = self.memory.pieces[element.pieces.clone()].split_at(sites);
            let name = self.system.contact_name(i);
            if let NormalLaw::Formula(law) = &element.clearance.normal {
                let inputs = [g.depth, g.rate, memory.impact_speed, 0.0];
                if let Some(left) = law.formula().left(&inputs, normal) {
                    return Some((format!("`force` of the contact of joint `{name}`"), left));
                }
            }
            if let Some(FrictionLaw::Formula(law)) = &element.clearance.friction {
                let inputs = [g.sliding.abs(), load(force.normal), 0.0];
                if let Some(left) = law.formula().left(&inputs, friction) {
                    return Some((format!("`mu` of the friction of joint `{name}`"), left));
                }
            }
        }
        None
    }

    /// Enters the piece of a law behind a switch.
    pub(super) fn enter_law_piece(
        &mut self,
        t: f64,
        y: &[f64],
        piece: usize,
        upper: bool,
    ) -> Change {
        match self.owner(piece) {
            Owner::Friction(friction) => {
                let element = &self.system.frictions[friction];
                if let Some(law) = element.law.formula() {
                    let own = &mut self.memory.pieces[piece];
                    *own = law.formula().next_piece(piece - element.pieces.start, *own, upper);
                }
                self.find_zone(friction, t, y);
                Change::Zone { friction }
            }
            Owner::Contact(contact, place) => {
                let clearance = &self.system.contacts[contact].clearance;
                let own = &mut self.memory.pieces[piece];
                let sites = clearance.normal.sites();
                match (&clearance.normal, &clearance.friction) {
                    (NormalLaw::Formula(law), _) if place < sites => {
                        *own = law.formula().next_piece(place, *own, upper);
                        // What a new piece does its switch will tell.
                        let mode = &mut self.memory.contacts[contact].mode;
                        if let Mode::Contact { cut } = mode {
                            *cut = false;
                        }
                    }
                    (_, Some(FrictionLaw::Formula(law))) => {
                        *own = law.formula().next_piece(place - sites, *own, upper);
                        let (g, force) = self.contact_force(contact, t, y);
                        self.find_contact_zone(contact, &g, force.normal);
                    }
                    _ => {}
                }
                Change::Inner { contact, cut: false }
            }
        }
    }

    fn owner(&self, piece: usize) -> Owner {
        let (frictions, contacts) = (&self.system.frictions, &self.system.contacts);
        match frictions.iter().position(|element| element.pieces.contains(&piece)) {
            Some(friction) => Owner::Friction(friction),
            None => {
                let contact = contacts.partition_point(|element| element.pieces.end <= piece);
                Owner::Contact(contact, piece - contacts[contact].pieces.start)
            }
        }
    }

    /// Pieces and zone of friction in an ideal joint as they are at a point.
    pub(super) fn find_friction(&mut self, friction: usize, t: f64, y: &[f64]) {
        let element = &self.system.frictions[friction];
        if let Some(law) = element.law.formula() {
            let speed = element.velocity(&self.slips(friction, t, y)).abs();
            let own = element.pieces.clone();
            if !own.is_empty() {
                law.find_pieces(speed, 0.0, &mut self.memory.pieces[own]);
            }
        }
        self.find_zone(friction, t, y);
    }

    /// Zone of friction in an ideal joint, on its present pieces.
    fn find_zone(&mut self, friction: usize, t: f64, y: &[f64]) {
        let element = &self.system.frictions[friction];
        let v = element.velocity(&self.slips(friction, t, y));
        self.memory.zones[friction] = match element.law.formula() {
            None => element.law.zone(v),
            Some(law) => {
                let pieces = &self.memory.pieces[element.pieces.clone()];
                let load = self.work.frictions[friction].load;
                law.zone(v, load, pieces)
            }
        };
    }

    /// Pieces of the normal law of a contact at any point.
    pub(crate) fn find_normal_pieces_at(&mut self, contact: usize, t: f64, y: &[f64]) {
        let geometry = self.contact_geometry(contact, t, y);
        self.find_normal_pieces(contact, &geometry);
    }

    /// Pieces of the normal law of a contact that begins.
    pub(super) fn find_normal_pieces(&mut self, contact: usize, g: &Geometry) {
        let element = &self.system.contacts[contact];
        let NormalLaw::Formula(law) = &element.clearance.normal else { return };
        let own = element.pieces.start..element.pieces.start + law.sites();
        let speed = self.memory.contacts[contact].impact_speed;
        law.find_pieces(g.depth.max(0.0), g.rate, speed, &mut self.memory.pieces[own]);
    }

    /// Pieces and zone of the friction of a contact that carries no force yet.
    pub(super) fn find_contact_friction(&mut self, contact: usize, g: &Geometry) {
        let element = &self.system.contacts[contact];
        if let Some(FrictionLaw::Formula(law)) = &element.clearance.friction {
            let own = element.pieces.end - law.sites()..element.pieces.end;
            law.find_pieces(g.sliding.abs(), load(0.0), &mut self.memory.pieces[own]);
        }
        self.find_contact_zone(contact, g, 0.0);
    }

    fn find_contact_zone(&mut self, contact: usize, g: &Geometry, normal: f64) {
        let element = &self.system.contacts[contact];
        let Some(law) = &element.clearance.friction else { return };
        self.memory.contacts[contact].zone = match law {
            FrictionLaw::Formula(law) => {
                let own = element.pieces.end - law.sites()..element.pieces.end;
                law.zone(g.sliding, load(normal), &self.memory.pieces[own])
            }
            _ => law.zone(g.sliding),
        };
    }
}
