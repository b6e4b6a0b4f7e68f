//! A place on a finite-element link: how it moves, what its section bears, how far the line is from its chord.

use nalgebra::{Matrix3, SMatrix, Vector3};

use super::link::{COLUMNS, Link, Part, at};
use super::modes::Basis;
use crate::beam::{Peak, Peaks, SectionState};
use crate::flexible::Stiffening;
use crate::math::spatial::Frame;

/// A vector at a place by column.
pub type Field = SMatrix<f64, 3, COLUMNS>;

/// A place on the line, in axes of the frame.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Coordinates of the mesh that it depends on.
    pub first: usize,
    pub count: usize,
    /// Where these begin among the coordinates of the link; none of a place that nothing may act on.
    pub own: Option<usize>,
    /// X, undeformed.
    pub place: Vector3<f64>,
    /// Undeformed section axes.
    pub axes: Matrix3<f64>,
    /// Displacement of the place and rotation of the section.
    pub moved: Field,
    pub turned: Field,
}

impl Site {
    /// Its coordinates among those of the mesh.
    pub fn of<'q>(&self, q: &'q [f64]) -> &'q [f64] {
        &q[self.first..self.first + self.count]
    }

    /// Displacement of the place and rotation vector of the section, by its coordinates.
    pub fn motion(&self, own: &[f64]) -> [Vector3<f64>; 2] {
        [&self.moved, &self.turned].map(|field| {
            let columns = own.iter().zip(field.column_iter());
            columns.fold(Vector3::zeros(), |sum, (x, column)| sum + column * *x)
        })
    }

    /// Displacement of the place, by coordinates of the mesh.
    pub fn displacement(&self, q: &[f64]) -> Vector3<f64> {
        self.motion(self.of(q))[0]
    }

    /// Rotation vector of the section, by coordinates of the mesh.
    pub fn rotation(&self, q: &[f64]) -> Vector3<f64> {
        self.motion(self.of(q))[1]
    }

    /// Without columns that it does not move with, and where the others begin.
    fn between(mut self, basis: &Basis) -> Self {
        let moves = |c: usize| {
            let [u, phi] = [&self.moved, &self.turned].map(|field| field.column(c).amax());
            u.max(phi) > STILL
        };
        let columns: Vec<usize> = (0..self.count).filter(|&c| moves(c)).collect();
        let (Some(&from), Some(&to)) = (columns.first(), columns.last()) else {
            return Self { count: 0, own: Some(0), ..self };
        };
        let count = to + 1 - from;
        for field in [&mut self.moved, &mut self.turned] {
            let kept = field.columns(from, count).into_owned();
            field.fill(0.0);
            field.columns_mut(0, count).copy_from(&kept);
        }
        let first = self.first + from;
        let own = basis.place(first);
        let together = |own: usize| (0..count).all(|c| basis.place(first + c) == Some(own + c));
        Self { first, count, own: own.filter(|&own| together(own)), ..self }
    }
}

/// Columns of fields below this are rounding.
const STILL: f64 = 1e-12;

/// Places in an element.
const STATIONS: [f64; 3] = [0.0, 0.5, 1.0];

impl Link {
    /// A place at a share of the line.
    pub fn site(&self, along: f64) -> Site {
        let (part, xi) = at(&self.parts, along);
        let field = |own: crate::fe::element::Field| part.axes * own * part.t;
        let site = Site {
            first: part.first,
            count: part.count,
            own: Some(part.first),
            place: self.line.place(along),
            axes: self.line.axes(along),
            moved: field(part.element.place(xi)),
            turned: field(part.element.turn(xi)),
        };
        match &self.basis {
            None => site,
            Some(basis) => site.between(basis),
        }
    }

    /// Coordinates of a site from those of the link, in place or in `room`.
    pub fn local<'q>(
        &self,
        site: &Site,
        own: &'q [f64],
        room: &'q mut [f64; COLUMNS],
    ) -> &'q [f64] {
        let Some(basis) = &self.basis else { return site.of(own) };
        let room = &mut room[..site.count];
        basis.expand_part(own, site.first, room);
        room
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
