//! Deflection of the line against its chord.
//!
//! The chord frame has its origin at the first node and x towards the last. In the plane y = z × x; in space
//! y is the mean of the y axes of both end sections, across x. With p the place in this frame and p₀ that of
//! the undeformed line in its own chord frame,
//!
//!   w = p − p₀                                                                              (1)
//!
//! which is zero for rigid motions. Cables in space have no section axes: y lies in the plane of both end
//! tangents, so that of a straight one only w_x and |w| mean something.

use nalgebra::{Matrix3, Vector3};

use super::{Beam, Peak, Site};
use crate::math::spatial::Frame;

impl Beam {
    /// (1) at a place, in the chord frame, m.
    pub fn deflection(&self, site: &Site, q: &[f64]) -> Vector3<f64> {
        self.between(&self.chord_frame(q), &self.chord_frame(&self.reference), site, q)
    }

    /// Largest magnitude of (1) over nodes and middles of elements, m, and its share of the line.
    pub fn largest_deflection(&self, q: &[f64]) -> Peak {
        let (now, before) = (self.chord_frame(q), self.chord_frame(&self.reference));
        let mut out = Peak::default();
        let seen = |frame: &Frame, x: Vector3<f64>| frame.r.tr_mul(&(x - frame.p));
        for (k, along) in self.stations().enumerate() {
            let [at, rest] = [q, &self.reference].map(|state| self.station(k, state));
            out.raise((seen(&now, at) - seen(&before, rest)).norm(), along); // (1)
        }
        out
    }

    /// Place of a node, or of the middle of an element from the cubic between its nodes.
    fn station(&self, k: usize, q: &[f64]) -> Vector3<f64> {
        let vector = |node: usize, which: usize| {
            let from = &q[node * self.node_size() + which * self.dimension..];
            Vector3::new(from[0], from[1], if self.dimension == 3 { from[2] } else { 0.0 })
        };
        let node = k / 2;
        if k.is_multiple_of(2) {
            return vector(node, 0);
        }
        let bow = (vector(node, 1) - vector(node + 1, 1)) * (self.length / 8.0);
        0.5 * (vector(node, 0) + vector(node + 1, 0)) + bow
    }

    fn between(&self, now: &Frame, before: &Frame, site: &Site, q: &[f64]) -> Vector3<f64> {
        let seen = |frame: &Frame, x: &[f64]| frame.r.tr_mul(&(site.place(x) - frame.p));
        seen(now, q) - seen(before, &self.reference) // (1)
    }

    fn chord_frame(&self, q: &[f64]) -> Frame {
        let [a, b] = [0.0, 1.0].map(|along| self.site(along));
        let p = a.place(q);
        let x = (b.place(q) - p).try_normalize(0.0).unwrap_or(Vector3::x());
        let [[tangent_a, across_a, _], [tangent_b, across_b, _]] = [&a, &b].map(|s| s.gradients(q));
        let unit = |y: Vector3<f64>| y.try_normalize(0.0).unwrap_or_default();
        let towards = match (self.dimension, self.vectors) {
            (2, _) => Vector3::z().cross(&x),
            (_, 2) => unit(tangent_b) - unit(tangent_a),
            _ => unit(across_a) + unit(across_b),
        };
        // Where rounding is all that is left, any direction across.
        let y = (towards - x * x.dot(&towards)).try_normalize(1e-12);
        let y = y.unwrap_or_else(|| {
            let least = x.map(f64::abs).imin();
            x.cross(&Vector3::ith(least, 1.0)).normalize()
        });
        Frame { p, r: Matrix3::from_columns(&[x, y, x.cross(&y)]) }
    }
}
