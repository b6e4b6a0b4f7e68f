//! Which element holds a small displacement: u · K_e u by element.

use gudgeon_dae::{Fault, Place};

use super::Plant;
use crate::clearance::change::Linearised as LinearContact;
use crate::force::{self, change::Linearised as LinearForce};
use crate::joint::RowKind;
use crate::math::spatial::Pair;
use crate::system::compile::RowSource;
use crate::system::{evaluate, tangents};

impl Plant<'_> {
    /// u · K_e u summed over some displacements along v, of every force, contact, film and flexible link, and of the
    /// reactions of every joint and driver as bodies turn. Nothing where the forces are not defined.
    pub(crate) fn element_energies(&mut self, at: Place, along: &[Vec<f64>]) -> Vec<(String, f64)> {
        self.energies(at, along).unwrap_or_default()
    }

    fn energies(&mut self, at: Place, along: &[Vec<f64>]) -> Result<Vec<(String, f64)>, Fault> {
        let point = self.point(at.t, at.y);
        evaluate::equations(self.system, point, &self.memory, &mut self.work)?;
        let (system, work) = (self.system, &self.work);
        let mut out: Vec<(String, f64)> = Vec::new();
        // A divided link is one element.
        let model = &system.model;
        let own = model.own_forces();
        out.extend(model.forces[..own].iter().map(|force| (force.name.clone(), 0.0)));
        let links = model.links.iter().map(|link| (model.bodies[link.body.0].name.clone(), 0.0));
        out.extend(links);
        let element = |force: usize| match model.links.iter().position(|l| l.has_spring(force)) {
            Some(link) => own + link,
            None => force,
        };
        for (i, part) in force::all_parts(&system.model) {
            let linear = LinearForce::new(system, work, (i, part), at.t, self.branch);
            let ends = linear.markers();
            let (a, b) = (&work.markers[ends.0], &work.markers[ends.1]);
            let now = Pair { a: linear.now.on_a, b: linear.now.on_b };
            let change = |da: &_, db: &_| linear.change(a, b, da, db);
            let energy = tangents::quadratic(system, work, ends, &now, change, along);
            out[element(i)].1 -= energy;
        }
        for (i, element) in system.contacts.iter().enumerate() {
            let (Some(geometry), force) = work.contacts[i] else { continue };
            let sides = (&work.markers[element.a], &work.markers[element.b]);
            let touch = element.touch(self.memory.contact(i, element), sides, point.bristles);
            let Some(contact) = LinearContact::new(touch, geometry) else { continue };
            let now = Pair { a: force.wrench_a, b: force.wrench_b };
            let change = |da: &_, db: &_| contact.change(da, db);
            let ends = (element.a, element.b);
            let energy = tangents::quadratic(system, work, ends, &now, change, along);
            out.push((system.contact_name(i), -energy));
        }
        for (i, element) in system.films.iter().enumerate() {
            let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
            let mut film = work.films[i].work.borrow_mut();
            let touching = element.touches(&self.memory.contacts);
            let film = element.lubricant.linearised(a, b, touching, &mut film);
            let film = film.map_err(|_| Fault::Undefined { element: i })?;
            let change = |da: &_, db: &_| film.change(a, b, da, db);
            let ends = (element.a, element.b);
            let energy = tangents::quadratic(system, work, ends, &film.now.pair, change, along);
            out.push((system.model.joints[element.joint.0].name.clone(), -energy));
        }
        self.link_energies(along, &mut out);
        self.reaction_energies(at.lambda, along, &mut out);
        Ok(out)
    }

    /// What flexible links hold as they bend, of every link by the name of its body.
    fn link_energies(&self, along: &[Vec<f64>], out: &mut Vec<(String, f64)>) {
        let (system, work) = (self.system, &self.work);
        for beam in &system.beams {
            let q = &work.beam_q[beam.v - system.first_beam()..][..beam.size()];
            let v = &work.v[beam.v..beam.v + beam.size()];
            let mut energy = 0.0;
            beam.beam.add_tangents(q, v, |first, count, stiffness, _| {
                for u in along.iter().map(|u| &u[beam.v + first..][..count]) {
                    let rows = stiffness.chunks_exact(count).zip(u);
                    let work_of = |(row, x): (&[f64], &f64)| {
                        x * row.iter().zip(u).map(|(k, y)| k * y).sum::<f64>()
                    };
                    energy += rows.map(work_of).sum::<f64>();
                }
            });
            out.push((system.model.bodies[beam.body + 1].name.clone(), energy));
        }
        for (body, state) in system.floating.iter().zip(&work.floating) {
            let first = body.v + body.border();
            let mut energy = 0.0;
            body.link.for_tangents(&state.q, &state.v, |i, j, stiffness, _| {
                energy +=
                    along.iter().map(|u| u[first + i] * stiffness * u[first + j]).sum::<f64>();
            });
            out.push((system.model.bodies[body.body + 1].name.clone(), energy));
        }
    }

    /// What reactions hold because their directions turn with the bodies.
    fn reaction_energies(&self, lambda: &[f64], along: &[Vec<f64>], out: &mut Vec<(String, f64)>) {
        let (system, work) = (self.system, &self.work);
        let mut last: Option<(RowSource, usize)> = None;
        for (row, lambda) in system.rows.iter().zip(lambda).enumerate().map(|(i, x)| (i, x.1)) {
            let r = &system.rows[row];
            if matches!(r.kind, RowKind::Internal(_)) {
                continue;
            }
            let (a, b) = (&work.markers[r.a], &work.markers[r.b]);
            let now = work.row_wrenches[row].pair();
            let change = |da: &_, db: &_| r.kind.change(a, b, da, db);
            let energy =
                lambda * tangents::quadratic(system, work, (r.a, r.b), &now, change, along);
            let name = format!("{} (reaction)", system.row_owner(row));
            let place = match last {
                Some((source, place)) if source == r.source => place,
                _ => match out.iter().position(|(known, _)| *known == name) {
                    Some(place) => place,
                    None => {
                        out.push((name, 0.0));
                        out.len() - 1
                    }
                },
            };
            last = Some((r.source, place));
            out[place].1 += energy;
        }
    }
}
