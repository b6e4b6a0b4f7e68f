//! What is largest along the line, over both ends and the middle of every element.

use nalgebra::Vector3;

use super::law::{combine, normal_hooke, section_points};
use super::section::{Fields, product, stretch};
use super::shape::{Shape, Weights};
use super::{Beam, SectionState, Site};
use crate::flexible::Elasticity;

/// Places in an element.
const STATIONS: [f64; 3] = [0.0, 0.5, 1.0];

/// A value and its place, a share of the line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peak {
    pub value: f64,
    pub along: f64,
}

impl Peak {
    /// Takes a value that is larger in magnitude.
    pub fn raise(&mut self, value: f64, along: f64) {
        if value.abs() > self.value.abs() {
            *self = Self { value, along };
        }
    }
}

/// The largest along the line at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peaks {
    /// Stress of the outer fibres, largest in magnitude, Pa.
    pub stress: Peak,
    /// Largest and smallest strain of the line; zero where all of it is compressed or stretched.
    pub tension: Peak,
    pub compression: Peak,
}

impl Peaks {
    /// The strain that is larger in magnitude.
    pub fn strain(&self) -> Peak {
        let mut out = self.tension;
        out.raise(self.compression.value, self.compression.along);
        out
    }
}

/// Relative difference of two stresses that counts for none.
const ALIKE: f64 = 1e-4;

impl SectionState {
    /// The stress of the outer fibres that is largest in magnitude, with its sign: tension unless compression
    /// is larger by more than `ALIKE` of it. In pure bending both sides bear the same, and the sign would
    /// be that of an error.
    pub fn outer_stress(&self) -> f64 {
        outer(self.stress)
    }
}

/// The same of the smallest and largest stress.
fn outer([least, most]: [f64; 2]) -> f64 {
    let size = most.max(-least);
    if -least > most * (1.0 + ALIKE) { -size } else { size }
}

impl Beam {
    /// Shares of the line of its nodes and of the middles of its elements.
    pub fn stations(&self) -> impl Iterator<Item = f64> + use<> {
        let last = 2 * self.elements;
        (0..=last).map(move |k| k as f64 / last as f64)
    }

    /// Largest stress and strains: what [`Beam::section_at`] says at all stations, at a small part of its cost
    /// because nothing but normal strains is needed and elements are congruent. Forces of the section jump at
    /// nodes, so both sides count.
    pub fn peaks(&self, q: &[f64], v: &[f64]) -> Peaks {
        let mut out = Peaks::default();
        let stations = STATIONS.map(|xi| Shape::at(xi, self.length, self.vectors));
        match self.elasticity {
            Some(Elasticity::Line) => self.line_peaks(&stations, q, v, &mut out),
            None => self.cable_peaks(&stations, q, v, &mut out),
            Some(_) if self.is_straight() => self.continuum_peaks(&stations, q, v, &mut out),
            _ => self.section_peaks(q, v, &mut out),
        }
        out
    }

    /// Of cables, whose elements are congruent at rest.
    fn cable_peaks(&self, stations: &[Shape; 3], q: &[f64], v: &[f64], out: &mut Peaks) {
        let fields = |shape: &Shape, element: usize, state: &[f64]| {
            let from = &state[element * self.node_size()..];
            let of = |weights: &Weights| match self.dimension {
                2 => combine::<2>(weights, 4, from),
                _ => combine::<3>(weights, 4, from),
            };
            Fields::of_tangent(of(&shape.gradients[0]), of(&shape.slopes[0]))
        };
        let rest = stations.each_ref().map(|shape| fields(shape, 0, &self.reference));
        let viscous = self.delay > 0.0;
        for element in 0..self.elements {
            for ((shape, xi), rest) in stations.iter().zip(STATIONS).zip(&rest) {
                let rates = if viscous { fields(shape, element, v) } else { Fields::default() };
                let state = self.cable_section(&[fields(shape, element, q), rates, *rest]);
                self.offer(element, xi, state.strain, state.outer_stress(), out);
            }
        }
    }

    /// Of bowed continua, section by section.
    pub(super) fn section_peaks(&self, q: &[f64], v: &[f64], out: &mut Peaks) {
        for element in 0..self.elements {
            for xi in STATIONS {
                let state = self.section_at(&Site { element, xi, ..self.start() }, q, v);
                self.offer(element, xi, state.strain, state.outer_stress(), out);
            }
        }
    }

    fn offer(&self, element: usize, xi: f64, strain: f64, stress: f64, out: &mut Peaks) {
        let along = (element as f64 + xi) / self.elements as f64;
        out.stress.raise(stress, along);
        let side = if strain < 0.0 { &mut out.compression } else { &mut out.tension };
        side.raise(strain, along);
    }

    /// Gradients and slopes at a place of an element.
    fn fields_of(&self, shape: &Shape, element: usize, state: &[f64]) -> [[Vector3<f64>; 3]; 2] {
        let from = &state[element * self.node_size()..];
        let of = |weights: &Weights| match self.dimension {
            2 => combine::<2>(weights, 2 * self.vectors, from),
            _ => combine::<3>(weights, 2 * self.vectors, from),
        };
        [shape.gradients.each_ref().map(of), shape.slopes.each_ref().map(of)]
    }

    fn is_straight(&self) -> bool {
        let middle = Shape::at(0.5, self.length, self.vectors);
        let [_, slopes] = self.fields_of(&middle, 0, &self.reference);
        slopes.iter().all(|slope| slope.norm() * self.length < 1e-12)
    }

    /// N by the strain of the line, M by `moments.rs`, with their viscous parts.
    fn line_peaks(&self, stations: &[Shape; 3], q: &[f64], v: &[f64], out: &mut Peaks) {
        let s = &self.section;
        let viscous = self.delay > 0.0;
        let gradients =
            |shape: &Shape, element: usize, state: &[f64]| self.fields_of(shape, element, state)[0];
        let rest = stations.each_ref().map(|shape| gradients(shape, 0, &self.reference)[0]);
        for element in 0..self.elements {
            let now = stations.each_ref().map(|shape| gradients(shape, element, q));
            let rate = match viscous {
                true => stations.each_ref().map(|shape| gradients(shape, element, v)),
                false => [[Vector3::zeros(); 3]; 3],
            };
            let ends = self.end_moments(element, q, viscous.then_some(v));
            // Shears are those of the nodes, linear between them.
            let shear = |k: usize| {
                let of = |axis: usize| {
                    product([&now[k][0], &rate[k][0]], [&now[k][axis], &rate[k][axis]])
                };
                [of(1), of(2)]
            };
            let (first, last) = (shear(0), shear(2));
            let middle = [0, 1].map(|axis| [0, 1].map(|i| 0.5 * (first[axis][i] + last[axis][i])));
            for (k, (xi, shears)) in STATIONS.into_iter().zip([first, middle, last]).enumerate() {
                let line = [&now[k][0], &rate[k][0]];
                let square = rest[k].norm_squared();
                let strain = stretch(product(line, line).map(|p| p / square), &shears);
                let force = s.young * s.area * (strain[0] + self.delay * strain[1]);
                let moment = self.in_section(&ends, xi, [&now[k][1], &now[k][2]]);
                let stress = s.outer_stresses(force, &moment);
                self.offer(element, xi, strain[0], outer(stress), out);
            }
        }
    }

    /// N and M summed over the points of the section, of a line that is straight at rest.
    fn continuum_peaks(&self, stations: &[Shape; 3], q: &[f64], v: &[f64], out: &mut Peaks) {
        let s = &self.section;
        let d = self.dimension;
        let (own, side) = normal_hooke(s, d);
        let selective = self.elasticity == Some(Elasticity::Selective);
        let viscous = self.delay > 0.0;
        for element in 0..self.elements {
            for (shape, xi) in stations.iter().zip(STATIONS) {
                let [now, slopes] = self.fields_of(shape, element, q);
                let rates = viscous.then(|| self.fields_of(shape, element, v));
                // Normal strain of a direction, and what its law sees.
                let normal = |x: &Vector3<f64>, rate: Option<Vector3<f64>>| {
                    0.5 * (x.norm_squared() - 1.0) + rate.map_or(0.0, |r| self.delay * x.dot(&r))
                };
                let line = |j: usize| normal(&now[j], rates.map(|r| r[0][j]));
                let across: f64 = (1..d).map(|j| side * line(j)).sum();
                let along = line(0);
                let (mut force, mut moment) = (0.0, [0.0; 2]);
                for (y, z, part) in section_points(s, d) {
                    let x = now[0] + y * slopes[1] + z * slopes[2];
                    let rate = rates.map(|[at, by]| at[0] + y * by[1] + z * by[2]);
                    let here = normal(&x, rate);
                    let stress = match selective {
                        true => s.young * here + (own - s.young) * along,
                        false => own * here,
                    } + across;
                    let x = part * s.area * stress;
                    force += x;
                    moment[0] += z * x;
                    moment[1] -= y * x;
                }
                let edge = moment[0].abs() * s.fibre_z / s.inertia_y.max(f64::MIN_POSITIVE)
                    + moment[1].abs() * s.fibre_y / s.inertia_z.max(f64::MIN_POSITIVE);
                let mean = force / s.area;
                let strain = 0.5 * (now[0].norm_squared() - 1.0);
                self.offer(element, xi, strain, outer([mean - edge, mean + edge]), out);
            }
        }
    }

    /// Whether its stresses follow from Green's strains, which soften the line in strong compression.
    pub fn softens(&self) -> bool {
        self.elasticity.is_some()
    }
}
