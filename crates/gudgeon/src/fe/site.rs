//! A place on a finite-element link: how it moves, what its section bears, how far the line is from its chord.

use nalgebra::{Matrix3, SMatrix, Vector3};

use super::link::{COLUMNS, Link, Part, at};
use crate::beam::{Peak, Peaks, SectionState};
use crate::flexible::Stiffening;
use crate::math::spatial::Frame;

/// A vector at a place by column.
pub type Field = SMatrix<f64, 3, COLUMNS>;

/// A place on the line, in axes of the frame.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Columns of q that it depends on.
    pub first: usize,
    pub count: usize,
    /// X, undeformed.
    pub place: Vector3<f64>,
    /// Undeformed section axes.
    pub axes: Matrix3<f64>,
    /// Displacement of the place and rotation of the section.
    pub moved: Field,
    pub turned: Field,
}

impl Site {
    /// Σ of a field over coordinates of the link.
    fn sum(&self, field: &Field, x: &[f64]) -> Vector3<f64> {
        let own = x[self.first..self.first + self.count].iter();
        own.zip(field.column_iter()).fold(Vector3::zeros(), |sum, (x, column)| sum + column * *x)
    }

    /// Displacement of the place.
    pub fn displacement(&self, q: &[f64]) -> Vector3<f64> {
        self.sum(&self.moved, q)
    }

    /// Rotation vector of the section.
    pub fn rotation(&self, q: &[f64]) -> Vector3<f64> {
        self.sum(&self.turned, q)
    }
}

/// Places in an element.
const STATIONS: [f64; 3] = [0.0, 0.5, 1.0];

impl Link {
    /// A place at a share of the line.
    pub fn site(&self, along: f64) -> Site {
        let (part, xi) = at(&self.parts, along);
        let field = |own: crate::fe::element::Field| part.axes * own * part.t;
        Site {
            first: part.first,
            count: part.count,
            place: self.line.place(along),
            axes: self.line.axes(along),
            moved: field(part.element.place(xi)),
            turned: field(part.element.turn(xi)),
        }
    }

    /// Shares of the line of its nodes.
    pub fn nodes(&self) -> impl Iterator<Item = f64> + use<> {
        let last = self.parts.len();
        (0..=last).map(move |k| k as f64 / last as f64)
    }

    /// Shares of the line of its nodes and of the middles of its elements.
    pub fn stations(&self) -> impl Iterator<Item = f64> + use<> {
        let last = 2 * self.parts.len();
        (0..=last).map(move |k| k as f64 / last as f64)
    }

    /// Strains and section forces at a share of the line; stress follows E + η Ė, shear forces are those that the
    /// change of the moments along the element asks for.
    pub fn section_at(&self, along: f64, q: &[f64], v: &[f64]) -> SectionState {
        let (part, xi) = at(&self.parts, along);
        self.section(part, xi, q, v)
    }

    fn section(&self, part: &Part, xi: f64, q: &[f64], v: &[f64]) -> SectionState {
        let (a, rate) = (self.freedoms(part, q), self.freedoms(part, v));
        let strains = part.element.strains(xi) * a;
        let seen = a + rate * self.delay;
        let rigid = part.element.rigidities();
        let borne = |xi: f64| (part.element.strains(xi) * seen).component_mul(rigid);
        let (here, first, last) = (borne(xi), borne(0.0), borne(1.0));
        let slope = (last - first) / part.element.length;
        let mut out = SectionState {
            strain: strains[0],
            shear: [strains[1], strains[2]],
            curvature: Vector3::new(strains[3], strains[4], strains[5]),
            force: Vector3::new(here[0], -slope[5], slope[4]),
            moment: Vector3::new(here[3], here[4], here[5]),
            stress: [0.0; 2],
        };
        if self.stiffening == Stiffening::Actual {
            let [strain, rate] = self.stretch(part, q, v);
            out.strain = strain;
            out.force.x = rigid[0] * (strain + self.delay * rate);
        }
        out.stress = self.section.outer_stresses(out.force.x, &out.moment);
        out
    }

    /// Largest stress and strains over nodes and middles of elements.
    pub fn peaks(&self, q: &[f64], v: &[f64]) -> Peaks {
        let mut out = Peaks::default();
        for (k, part) in self.parts.iter().enumerate() {
            for xi in STATIONS {
                let state = self.section(part, xi, q, v);
                let along = (k as f64 + xi) / self.parts.len() as f64;
                out.stress.raise(state.outer_stress(), along);
                let side = if state.strain < 0.0 { &mut out.compression } else { &mut out.tension };
                side.raise(state.strain, along);
            }
        }
        out
    }

    /// Deflection of the line against its chord, as of other flexible links, m.
    pub fn deflection(&self, site: &Site, q: &[f64]) -> Vector3<f64> {
        let [now, before] = [Some(q), None].map(|q| self.chord_frame(q));
        let seen = |frame: &Frame, x: Vector3<f64>| frame.r.tr_mul(&(x - frame.p));
        seen(&now, site.place + site.displacement(q)) - seen(&before, site.place)
    }

    /// Largest magnitude of it over nodes and middles of elements.
    pub fn largest_deflection(&self, q: &[f64]) -> Peak {
        let [now, before] = [Some(q), None].map(|q| self.chord_frame(q));
        let seen = |frame: &Frame, x: Vector3<f64>| frame.r.tr_mul(&(x - frame.p));
        let mut out = Peak::default();
        for along in self.stations() {
            let site = self.site(along);
            let moved = seen(&now, site.place + site.displacement(q)) - seen(&before, site.place);
            out.raise(moved.norm(), along);
        }
        out
    }

    /// Origin at the first node, x towards the last, y the mean of both sections' y across it; undeformed without q.
    fn chord_frame(&self, q: Option<&[f64]>) -> Frame {
        let ends = [0.0, 1.0].map(|along| {
            let site = self.site(along);
            let [u, turn] = match q {
                Some(q) => [site.displacement(q), site.rotation(q)],
                None => [Vector3::zeros(); 2],
            };
            let y = site.axes.column(1).into_owned();
            (site.place + u, y + turn.cross(&y))
        });
        let [(a, y_a), (b, y_b)] = ends;
        let x = (b - a).normalize();
        let y = y_a + y_b;
        let y = (y - x * x.dot(&y)).normalize();
        Frame { p: a, r: Matrix3::from_columns(&[x, y, x.cross(&y)]) }
    }
}
