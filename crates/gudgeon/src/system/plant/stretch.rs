//! Stretched time of contacts: s = dt/dτ and dσ/dτ (see `clearance/contact.rs`).

use super::Plant;

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

    /// Product of `part` over the contacts that touch, without one of them.
    pub(super) fn product_without(&self, contact: usize, part: impl Fn(usize) -> f64) -> f64 {
        self.touching().filter(|&i| i != contact).map(part).product()
    }

    /// √Σ(Π s_j)², each product without one contact: 1 for one contact, 0 where two have s = 0.
    pub(super) fn crowding(&self, part: impl Fn(usize) -> f64) -> f64 {
        let squares = self.touching().map(|i| self.product_without(i, &part).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// s = dt/dτ at any point, 1 where time is not stretched.
    pub fn stretch(&self, y: &[f64]) -> f64 {
        if !self.stretching || self.touching().next().is_none() {
            return 1.0;
        }
        let first = self.system.layout.roots;
        let part = |i: usize| self.stretch_of(i, y[first + i]);
        let crowding = self.crowding(part);
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
        let s = self.stretch(y);
        if s != 1.0 {
            dy.iter_mut().for_each(|rate| *rate *= s);
        }
        let first = self.system.layout.roots;
        let rate = |i: usize| self.work.contacts[i].0.map_or(0.0, |geometry| geometry.rate);
        let part = |i: usize| self.stretch_of(i, y[first + i]);
        // Where several contacts begin at one instant (4) has the limit along σ_i ~ √(δ̇_i t).
        let crowded = self.touching().filter(|&i| y[first + i] == 0.0).count() > 1;
        let limit = |i: usize| match y[first + i] {
            0.0 => rate(i).abs().sqrt() / self.memory.contacts[i].root_scale,
            _ => 1.0,
        };
        let left = self.all_left(y);
        let crowding = if crowded { self.crowding(limit) } else { self.crowding(part) };
        for (i, memory) in self.memory.contacts.iter().enumerate() {
            let (root, scale) = (y[first + i], memory.root_scale);
            if !memory.in_contact() || (crowded && root != 0.0) {
                dy[first + i] = 0.0;
                continue;
            }
            let others = if crowded {
                self.product_without(i, limit)
            } else {
                self.product_without(i, part)
            };
            let others = if left { others.abs() } else { others };
            let slow = (root * root + scale * scale).sqrt();
            dy[first + i] = 0.5 * rate(i) / slow * others / crowding; // (3)
        }
        s
    }
}
