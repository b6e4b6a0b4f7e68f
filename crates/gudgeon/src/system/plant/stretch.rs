//! Stretched time of contacts: s = dt/dτ and dσ/dτ (see `clearance/contact.rs`).

use super::Plant;

/// Up to so many contacts that touch, products leave one out; beyond, they are divided by it.
const FEW: usize = 4;

/// See [`Plant::products`].
struct Products {
    /// Of all parts that are not zero.
    product: f64,
    zeros: usize,
    count: usize,
    crowding: f64,
}

impl Plant<'_> {
    pub(super) fn root(&self, contact: usize, y: &[f64]) -> Option<f64> {
        self.stretching.then(|| y[self.system.layout.roots + contact])
    }

    /// s of one contact alone, 1 in free flight.
    pub(super) fn stretch_of(&self, contact: usize, root: f64) -> f64 {
        let memory = &self.memory.contacts[contact];
        if memory.in_contact() {
            root / (root * root + memory.root_scale * memory.root_scale).sqrt()
        } else {
            1.0
        }
    }

    /// Contacts that touch.
    pub(super) fn touching(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.memory.contacts.len()).filter(|&i| self.memory.contacts[i].in_contact())
    }

    /// Products of `part` over the contacts that touch, each without one of them, and √ of the sum of their
    /// squares: 1 for one contact, 0 where two have s = 0.
    fn products(&self, part: impl Fn(usize) -> f64) -> Products {
        let mut all = Products { product: 1.0, zeros: 0, count: 0, crowding: 0.0 };
        for i in self.touching() {
            let part = part(i);
            all.count += 1;
            match part {
                0.0 => all.zeros += 1,
                _ => all.product *= part,
            }
        }
        let squares = self.touching().map(|i| self.product_without(i, &all, &part).powi(2));
        all.crowding = squares.sum::<f64>().sqrt();
        all
    }

    /// The product without one contact: of few contacts that of the others, of many the whole over it.
    fn product_without(&self, contact: usize, all: &Products, part: impl Fn(usize) -> f64) -> f64 {
        if all.count <= FEW {
            return self.touching().filter(|&i| i != contact).map(part).product();
        }
        match (all.zeros, part(contact)) {
            (0, own) => all.product / own,
            (1, 0.0) => all.product,
            _ => 0.0,
        }
    }

    /// The one contact that touches, if it is one.
    fn only(&self) -> Option<usize> {
        let mut touching = self.touching();
        let first = touching.next()?;
        touching.next().is_none().then_some(first)
    }

    /// s = dt/dτ at any point, 1 where time is not stretched.
    pub fn stretch(&self, y: &[f64]) -> f64 {
        if !self.stretching || self.touching().next().is_none() {
            return 1.0;
        }
        let first = self.system.layout.roots;
        let part = |i: usize| self.stretch_of(i, y[first + i]);
        if let Some(only) = self.only() {
            let all = part(only);
            return if y[first + only] < 0.0 { -all.abs() } else { all };
        }
        let crowding = self.products(part).crowding;
        let all: f64 = self.touching().map(part).product();
        let all = if self.all_left(y) { -all.abs() } else { all };
        if crowding > 0.0 { all / crowding } else { 0.0 } // (4)
    }

    /// Whether every contact that touches has gone beyond its end, as trial steps do when several end at
    /// one instant. The products of (3) and (4) change their signs there with every σ; time goes straight
    /// on where σ does, as it does for one contact.
    fn all_left(&self, y: &[f64]) -> bool {
        let first = self.system.layout.roots;
        self.touching().all(|i| y[first + i] < 0.0)
    }

    /// Turns rates by t into rates by τ; writes dσ/dτ and returns s.
    pub(super) fn stretch_rates(&self, y: &[f64], dy: &mut [f64]) -> f64 {
        let first = self.system.layout.roots;
        let rate = |i: usize| self.work.contacts[i].0.as_ref().map_or(0.0, |now| now.rate);
        let roots = first..first + self.memory.contacts.len();
        if self.touching().next().is_none() {
            dy[roots].fill(0.0);
            return 1.0;
        }
        if let Some(only) = self.only() {
            let (root, scale) = (y[first + only], self.memory.contacts[only].root_scale);
            let slow = (root * root + scale * scale).sqrt();
            // Beyond its end time goes back.
            let s = root / slow;
            dy.iter_mut().for_each(|rate| *rate *= s);
            dy[roots].fill(0.0);
            dy[first + only] = 0.5 * rate(only) / slow; // (3)
            return s;
        }
        let s = self.stretch(y);
        if s != 1.0 {
            dy.iter_mut().for_each(|rate| *rate *= s);
        }
        let part = |i: usize| self.stretch_of(i, y[first + i]);
        // Where several contacts begin at one instant (4) has the limit along σ_i ~ √(δ̇_i t).
        let crowded = self.touching().filter(|&i| y[first + i] == 0.0).count() > 1;
        let limit = |i: usize| match y[first + i] {
            0.0 => rate(i).abs().sqrt() / self.memory.contacts[i].root_scale,
            _ => 1.0,
        };
        let left = self.all_left(y);
        let all = if crowded { self.products(limit) } else { self.products(part) };
        for (i, memory) in self.memory.contacts.iter().enumerate() {
            let (root, scale) = (y[first + i], memory.root_scale);
            if !memory.in_contact() || (crowded && root != 0.0) {
                dy[first + i] = 0.0;
                continue;
            }
            let others = if crowded {
                self.product_without(i, &all, limit)
            } else {
                self.product_without(i, &all, part)
            };
            let others = if left { others.abs() } else { others };
            let slow = (root * root + scale * scale).sqrt();
            dy[first + i] = 0.5 * rate(i) / slow * others / all.crowding; // (3)
        }
        s
    }
}
