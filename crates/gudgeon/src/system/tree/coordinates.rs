//! q̇ = N v, displacements along v, and the state at which bodies stand where they are known to be.
//!
//! Coordinates of turns and slides move at their velocities, N = 1; quaternions of spherical joints and of free links at
//! the spin along axes of their own. What stands behind the coordinates of the tree has N = 1.

use super::Tree;
use super::link::Link;
use crate::math::rotation;
use crate::model::Space;
use crate::system::component::BodyState;

/// Which of q and v something stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Q,
    V,
}

impl Tree {
    /// Links with quaternions: where these and their spins start.
    fn quaternions(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.links.iter().filter_map(|link| match link.sizes {
            [4, 3] => Some((link.q, link.v)),
            [7, 6] => Some((link.q + 3, link.v + 3)),
            _ => None,
        })
    }

    /// Calls `each` with the places of what has N = 1, consecutive in `a` and in `b`, and how many there are.
    fn plain(
        &self,
        (a, b): (Place, Place),
        lengths: (usize, usize),
        mut each: impl FnMut(usize, usize, usize),
    ) {
        for link in &self.links {
            let count = match link.sizes {
                [4, 3] => 0,
                [7, 6] => 3,
                _ => link.free,
            };
            let at = |place| if place == Place::Q { link.q } else { link.v };
            each(at(a), at(b), count);
        }
        let end = |place| self.sizes[usize::from(place == Place::V)];
        each(end(a), end(b), lengths.0 - end(a));
        debug_assert_eq!(lengths.0 - end(a), lengths.1 - end(b));
    }

    /// q̇ = N v.
    pub fn coordinate_rates(&self, q: &[f64], v: &[f64], rates: &mut [f64]) {
        if self.is_plain {
            return rates.copy_from_slice(v);
        }
        self.plain((Place::Q, Place::V), (rates.len(), v.len()), |to, from, count| {
            rates[to..to + count].copy_from_slice(&v[from..from + count]);
        });
        for (at, spin) in self.quaternions() {
            let own = rotation::rate(&q[at..at + 4], &v[spin..spin + 3]);
            rates[at..at + 4].copy_from_slice(&own);
        }
    }

    /// The velocity at which N(q) v comes nearest to rates of the coordinates.
    pub fn velocity_of(&self, q: &[f64], rates: &[f64], v: &mut [f64]) {
        self.plain((Place::V, Place::Q), (v.len(), rates.len()), |to, from, count| {
            v[to..to + count].copy_from_slice(&rates[from..from + count]);
        });
        for (at, spin) in self.quaternions() {
            let own = rotation::spin_of(&q[at..at + 4], &rates[at..at + 4]);
            v[spin..spin + 3].copy_from_slice(&own);
        }
    }

    /// q ⊕ by.
    pub fn displace(&self, q: &mut [f64], by: &[f64]) {
        self.plain((Place::Q, Place::V), (q.len(), by.len()), |to, from, count| {
            let moved = q[to..to + count].iter_mut().zip(&by[from..from + count]);
            moved.for_each(|(q, by)| *q += by);
        });
        for (at, spin) in self.quaternions() {
            let own = rotation::turned(&q[at..at + 4], &by[spin..spin + 3]);
            q[at..at + 4].copy_from_slice(&own);
        }
    }

    /// T(by)⁻¹ of spins, in place.
    pub fn chart_rate(&self, by: &[f64], out: &mut [f64]) {
        for (_, spin) in self.quaternions() {
            let psi = nalgebra::Vector3::from_column_slice(&by[spin..spin + 3]);
            let own = nalgebra::Vector3::from_column_slice(&out[spin..spin + 3]);
            let rate = rotation::body_inverse_tangent(&psi) * own;
            out[spin..spin + 3].copy_from_slice(rate.as_slice());
        }
    }

    /// Gives quaternions their length of one.
    pub fn normalise(&self, q: &mut [f64]) {
        for (at, _) in self.quaternions() {
            let p = [q[at], q[at + 1], q[at + 2], q[at + 3]];
            q[at..at + 4].copy_from_slice(&rotation::normalised(p));
        }
    }

    /// Makes the zero of every joint the one that is nearest to the states of its bodies, the ground first, of those that its
    /// rows allow.
    pub fn orient(&mut self, states: &[BodyState]) {
        if self.space == Space::Planar {
            return;
        }
        for i in 0..self.links.len() {
            let carrier = self.links[i].parent.map_or(0, |parent| self.links[parent].body + 1);
            let own = self.links[i].body + 1;
            self.links[i].orient(&states[carrier], &states[own]);
        }
    }

    /// Coordinates and velocities of the tree at which its bodies have given states, the ground first.
    pub fn read(&self, states: &[BodyState], q: &mut [f64], v: &mut [f64]) {
        for link in &self.links {
            let carrier = link.parent.map_or(0, |parent| self.links[parent].body + 1);
            let [coordinates, velocities] = own_sizes(link);
            link.read(
                &states[carrier],
                &states[link.body + 1],
                self.space,
                &mut q[link.q..link.q + coordinates],
                &mut v[link.v..link.v + velocities],
            );
        }
    }
}

/// Numbers of unknown coordinates and velocities.
fn own_sizes(link: &Link) -> [usize; 2] {
    [link.free + link.sizes[0] - link.sizes[1], link.free]
}
