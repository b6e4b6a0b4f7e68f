//! A place on the line and the fields there, as weights of the vectors of its nodes.
//!
//! Place and section gradients are linear in q: p = r + E s with E = [rₓ rᵧ r_z] for what is fixed to the
//! section. A place within 1e-9 of an element's length from a node sees the vectors of that node only.

use nalgebra::Vector3;

use super::law::combine;
use super::shape::{Shape, Weights};

/// A place on the line.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub element: usize,
    /// Place in the element, 0 … 1.
    pub xi: f64,
    /// First of the coordinates that move it.
    pub first: usize,
    /// How many vectors follow there: those of one node, or of two.
    pub vectors: usize,
    /// Components of a vector.
    pub dimension: usize,
    /// Weights of the vectors in r.
    pub place: Weights,
    /// In rₓ, rᵧ, r_z; zero where an element has no such gradient.
    pub gradients: [Weights; 3],
}

const NEAR: f64 = 1e-9;

impl Site {
    pub fn new(along: f64, elements: usize, length: f64, vectors: usize, dimension: usize) -> Self {
        let s = along.clamp(0.0, 1.0) * elements as f64;
        let (element, node) = ((s as usize).min(elements - 1), s.round());
        let xi = s - element as f64;
        let node_size = vectors * dimension;
        if (s - node).abs() > NEAR {
            let Shape { place, gradients, .. } = Shape::at(xi, length, vectors);
            let (first, vectors) = (element * node_size, 2 * vectors);
            return Self { element, xi, first, vectors, dimension, place, gradients };
        }
        let mut unit = [[0.0; 8]; 4];
        for k in 0..vectors {
            unit[k][k] = 1.0;
        }
        let [place, x, y, z] = unit;
        Self {
            element,
            xi: if node as usize == element { 0.0 } else { 1.0 },
            first: node as usize * node_size,
            vectors,
            dimension,
            place,
            gradients: [x, y, z],
        }
    }

    /// r, or its rate, of the coordinates or velocities of the whole beam; z is zero in the plane.
    pub fn place(&self, q: &[f64]) -> Vector3<f64> {
        self.combine(&self.place, q)
    }

    /// rₓ, rᵧ, r_z or their rates.
    pub fn gradients(&self, q: &[f64]) -> [Vector3<f64>; 3] {
        [0, 1, 2].map(|axis| self.combine(&self.gradients[axis], q))
    }

    fn combine(&self, weights: &Weights, q: &[f64]) -> Vector3<f64> {
        match self.dimension {
            2 => combine::<2>(weights, self.vectors, &q[self.first..]),
            _ => combine::<3>(weights, self.vectors, &q[self.first..]),
        }
    }
}
