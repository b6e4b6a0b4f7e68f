//! A flexible link of finite elements: mesh, reference conditions, integrals, stiffness.
//!
//! Elements are straight between nodes on the undeformed line; a curved line is a polygon. A node has the
//! displacement and rotation (u, φ) in axes of the undeformed section at the middle of the line; in the plane
//! (u_x, u_y, φ_z). The frame of the link takes the rigid motion, so that its conditions take away as many freedoms:
//!
//! | condition | none of |
//! |---|---|
//! | clamped | u and φ of the first node |
//! | chord | u and φ_x of the first node, u_y and u_z of the last |
//! | mean | ∫ u dm and ∫ X × (u + φ × r) dm: the least kinetic energy of deformation |
//!
//! With the parts C_k of node k in the last, the coordinates r_k of
//!
//!   u_k = r_k − C_k⁻¹ C_{k−1} r_{k−1},   k = 0 … n,   r_{−1} = r_n = 0                                (1)
//!
//! satisfy Σ C_k u_k = 0, and an element still depends on three neighbours only. Every element has a matrix T from
//! its columns of q to its freedoms a = T q, whatever the condition; band and border stay as they are.
//!
//! Strain energy is ½ aᵀ K a, with `Stiffening::Actual` the line's part in it
//!
//!   V = ½ EA l e²,   e = (u_x2 − u_x1)/l + (1/2l) ∫ (u_y′² + u_z′²) dx                               (2)
//!
//! constant in the element: tension N = EA e stiffens it by ∂²V/∂q² = N ∫ θ θᵀ dx, and shortening is the
//! line's own. Stress follows E + η Ė, damping of the mass is α M q̇ on the motion against the frame.

use std::collections::BTreeSet;

use nalgebra::{DMatrix, Matrix3, Matrix3xX, SMatrix, SVector, Vector3};

use super::axial::AxialForce;
use super::band::Band;
use super::element::{Element, FREEDOMS, Field, Square};
use super::inertia::{Builder, Integrals, Piece, cross_of};
use super::modes::{Basis, nodes_at};
use crate::beam::gauss;
use crate::flexible::{Flexible, Floating, Modes, Reference, Section, Stiffening};
use crate::model::Space;

/// Most columns that an element depends on.
pub const COLUMNS: usize = 18;

/// From columns of q to the freedoms of an element.
pub type Columns = SMatrix<f64, FREEDOMS, COLUMNS>;

/// Freedoms of a node that there are in the plane.
const PLANAR: [usize; 3] = [0, 1, 5];
const SPATIAL: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// An element in its place.
#[derive(Clone, Debug)]
pub struct Part {
    pub element: Element,
    /// Its columns of q: `count` from `first` on.
    pub first: usize,
    pub count: usize,
    /// T, in its own axes.
    pub t: Columns,
    /// Its first node and its axes in those of the frame.
    pub start: Vector3<f64>,
    pub axes: Matrix3<f64>,
    /// ∫ θ θᵀ dx/l over its freedoms.
    pub(super) bow: Square,
}

/// A link as its frame sees it.
#[derive(Clone, Debug)]
pub struct Link {
    pub planar: bool,
    pub parts: Vec<Part>,
    pub integrals: Integrals,
    /// M of the elastic coordinates.
    pub mass: Band,
    /// Linear stiffness, lower triangle; without the line's where it is in (2).
    pub stiffness: Vec<(usize, usize, f64)>,
    pub stiffening: Stiffening,
    /// With `Stiffening::Rigid`.
    pub axial: Option<AxialForce>,
    pub section: Section,
    /// η and α.
    pub delay: f64,
    pub mass_damping: f64,
    /// Length of the line, m.
    pub length: f64,
    /// Whether each coordinate is a length; the others are angles.
    pub lengths: Vec<bool>,
    /// Undeformed section axes at any share of the line, in those of the frame, and places of the line.
    pub(super) line: Line,
    /// Where the coordinates are those of an interface and of modes; those of the mesh follow.
    pub basis: Option<Basis>,
}

/// The undeformed line in axes of the frame.
#[derive(Clone, Debug)]
pub(super) struct Line {
    link: Flexible,
    origin: Vector3<f64>,
    inner: Matrix3<f64>,
}

impl Line {
    pub fn place(&self, along: f64) -> Vector3<f64> {
        self.inner.tr_mul(&(self.link.place_at(along) - self.origin))
    }

    pub fn axes(&self, along: f64) -> Matrix3<f64> {
        self.inner.tr_mul(&self.link.axes_at(along))
    }
}

impl Link {
    /// `inner` and `origin`: axes and origin of the frame in the link's own.
    pub fn new(link: &Flexible, space: Space, inner: &Matrix3<f64>, origin: &Vector3<f64>) -> Self {
        let Floating { reference, stiffening, shear, .. } = link.floating();
        let line = Line { link: link.clone(), origin: *origin, inner: *inner };
        let mut mesh = Mesh::new(link, space, &line, shear);
        let columns = match reference {
            // The equivalent rigid system says where the frame is.
            _ if link.is_erls() => mesh.held(|_, _| false),
            Reference::Clamped => mesh.held(|node, _| node == 0),
            Reference::Chord => mesh.held(|node, freedom| match node {
                0 => freedom < 4,
                _ => node == link.elements && (freedom == 1 || freedom == 2),
            }),
            Reference::Mean => {
                let all = mesh.held(|_, _| false);
                mesh.attach(&all);
                let whole = mesh.integrals(link, all.size);
                mesh.without_mean_motion(&whole)
            }
        };
        mesh.attach(&columns);
        let integrals = mesh.integrals(link, columns.size);
        let mass =
            integrals.band().expect("sections have mass, and in space inertia about the line");
        Self {
            planar: space == Space::Planar,
            stiffness: stiffness(&mesh.parts, stiffening == Stiffening::Actual),
            axial: (stiffening == Stiffening::Rigid).then(|| AxialForce::new(link, &mesh.parts)),
            parts: mesh.parts,
            integrals,
            mass,
            stiffening,
            section: link.section,
            delay: link.damping.strain,
            mass_damping: link.damping.mass,
            length: link.length(),
            lengths: columns.lengths,
            line,
            basis: None,
        }
    }

    /// Axes of displacements of nodes, in those of the frame.
    pub fn node_axes(&self) -> Matrix3<f64> {
        self.line.axes(0.5)
    }

    /// The same by an interface at some nodes and modes between them; nodes that the frame needs join them.
    pub fn reduced(self, nodes: &[usize], modes: Modes, reference: Reference) -> Self {
        let last = self.parts.len();
        let of_frame: &[usize] = if reference == Reference::Chord { &[0, last] } else { &[0] };
        let nodes: BTreeSet<usize> = nodes.iter().chain(of_frame).copied().collect();
        let basis = Basis::new(&self, &Vec::from_iter(nodes), modes);
        let integrals = self.integrals.reduced(&basis);
        Self {
            mass: integrals.band().expect("independent coordinates have mass"),
            integrals,
            stiffness: basis.project(&self.stiffness),
            axial: self.axial.as_ref().map(|axial| axial.reduced(&basis)),
            lengths: basis.lengths().to_vec(),
            basis: Some(basis),
            ..self
        }
    }

    /// Nodes that a place on the line stands between; one twice where it is a node.
    pub fn nodes_at(along: f64, elements: usize) -> [usize; 2] {
        nodes_at(along, elements)
    }

    /// Number of coordinates of the mesh.
    pub fn mesh_size(&self) -> usize {
        self.parts.last().map_or(0, |part| part.first + part.count)
    }

    /// Number of elastic coordinates.
    pub fn size(&self) -> usize {
        self.integrals.size()
    }

    /// Freedoms of an element, in its axes.
    pub fn freedoms(&self, part: &Part, q: &[f64]) -> SVector<f64, FREEDOMS> {
        let own = q[part.first..part.first + part.count].iter().zip(part.t.column_iter());
        own.fold(SVector::zeros(), |sum, (q, column)| sum + column * *q)
    }

    /// e of (2) and its derivative over the freedoms.
    fn tension(&self, part: &Part, a: &SVector<f64, FREEDOMS>) -> (f64, SVector<f64, FREEDOMS>) {
        let (bow, along) = (part.bow * a, 1.0 / part.element.length);
        let mut slope = bow;
        slope[0] -= along;
        slope[6] += along;
        ((a[6] - a[0]) * along + 0.5 * a.dot(&bow), slope)
    }

    /// Strain of the line in an element, and its rate.
    pub fn stretch(&self, part: &Part, q: &[f64], v: &[f64]) -> [f64; 2] {
        let (a, rate) = (self.freedoms(part, q), self.freedoms(part, v));
        if self.stiffening == Stiffening::Actual {
            let (e, slope) = self.tension(part, &a);
            return [e, slope.dot(&rate)];
        }
        [&a, &rate].map(|a| (a[6] - a[0]) / part.element.length)
    }

    /// Elastic and damping forces, added to `f`.
    pub fn add_forces(&self, q: &[f64], v: &[f64], f: &mut [f64]) {
        for &(i, j, k) in &self.stiffness {
            f[i] -= k * (q[j] + self.delay * v[j]);
            if i != j {
                f[j] -= k * (q[i] + self.delay * v[i]);
            }
        }
        if self.mass_damping > 0.0 {
            self.mass.add_product(-self.mass_damping, v, f);
        }
        if self.stiffening != Stiffening::Actual {
            return;
        }
        for part in &self.parts {
            let (e, slope) = self.tension(part, &self.freedoms(part, q));
            let rate = match self.delay > 0.0 {
                true => slope.dot(&self.freedoms(part, v)),
                false => 0.0,
            };
            let force = slope * (self.axial(part) * (e + self.delay * rate));
            let on = part.t.tr_mul(&force);
            let f = &mut f[part.first..part.first + part.count];
            f.iter_mut().zip(on.iter()).for_each(|(f, on)| *f -= on);
        }
    }

    /// EA l.
    fn axial(&self, part: &Part) -> f64 {
        part.element.rigidities()[0] * part.element.length
    }

    /// J.
    pub fn strain_energy(&self, q: &[f64]) -> f64 {
        let twice = self.quadratic(q, q);
        let line = |part: &Part| {
            let (e, _) = self.tension(part, &self.freedoms(part, q));
            self.axial(part) * e * e
        };
        match self.stiffening {
            Stiffening::Actual => 0.5 * (twice + self.parts.iter().map(line).sum::<f64>()),
            _ => 0.5 * twice,
        }
    }

    /// a · K b of the linear stiffness.
    fn quadratic(&self, a: &[f64], b: &[f64]) -> f64 {
        let product = |&(i, j, k): &(usize, usize, f64)| match i == j {
            true => k * a[i] * b[i],
            false => k * (a[i] * b[j] + a[j] * b[i]),
        };
        self.stiffness.iter().map(product).sum()
    }

    /// Whether its deformation is damped.
    pub fn is_damped(&self) -> bool {
        self.delay > 0.0 || self.mass_damping > 0.0
    }

    /// Power that damping takes, W.
    pub fn dissipation(&self, q: &[f64], v: &[f64]) -> f64 {
        let mut power = self.delay * self.quadratic(v, v) + self.mass_damping * self.mass.square(v);
        if self.stiffening == Stiffening::Actual && self.delay > 0.0 {
            for part in &self.parts {
                let [_, rate] = self.stretch(part, q, v);
                power += self.delay * self.axial(part) * rate * rate;
            }
        }
        power
    }

    /// Entries of −∂f/∂q and −∂f/∂v of these forces.
    pub fn for_tangents(&self, q: &[f64], v: &[f64], mut each: impl FnMut(usize, usize, f64, f64)) {
        for &(i, j, k) in &self.stiffness {
            each(i, j, k, self.delay * k);
            if i != j {
                each(j, i, k, self.delay * k);
            }
        }
        if self.mass_damping > 0.0 {
            for (i, j, m) in self.mass.entries() {
                each(i, j, 0.0, self.mass_damping * m);
                if i != j {
                    each(j, i, 0.0, self.mass_damping * m);
                }
            }
        }
        if self.stiffening != Stiffening::Actual {
            return;
        }
        for part in &self.parts {
            let (a, rate) = (self.freedoms(part, q), self.freedoms(part, v));
            let (e, slope) = self.tension(part, &a);
            let stress = self.axial(part) * (e + self.delay * slope.dot(&rate));
            let along = part.t.tr_mul(&slope) * self.axial(part);
            let seen = part.t.tr_mul(&(slope + part.bow * rate * self.delay));
            let (own, bowed) = (part.t.tr_mul(&slope), part.bow * part.t * stress);
            let bowed = part.t.tr_mul(&bowed);
            for (i, j) in pairs(part.count) {
                let (k, d) = (along[i] * seen[j] + bowed[(i, j)], self.delay * along[i] * own[j]);
                each(part.first + i, part.first + j, k, d);
            }
        }
    }
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| (0..count).map(move |j| (i, j)))
}

/// K of all elements, lower triangle.
fn stiffness(parts: &[Part], apart: bool) -> Vec<(usize, usize, f64)> {
    assembled(parts, |_, part| {
        let mut own = part.element.stiffness();
        if apart {
            for (i, j) in [(0, 0), (0, 6), (6, 0), (6, 6)] {
                own[(i, j)] = 0.0;
            }
        }
        own
    })
}

/// Tᵀ A T of a matrix of every element, lower triangle.
pub(super) fn assembled(
    parts: &[Part],
    of: impl Fn(usize, &Part) -> Square,
) -> Vec<(usize, usize, f64)> {
    let mut found = std::collections::BTreeMap::new();
    for (k, part) in parts.iter().enumerate() {
        let square = part.t.tr_mul(&(of(k, part) * part.t));
        for (i, j) in pairs(part.count).filter(|(i, j)| j <= i) {
            if square[(i, j)] != 0.0 {
                *found.entry((part.first + i, part.first + j)).or_insert(0.0) += square[(i, j)];
            }
        }
    }
    found.into_iter().map(|((i, j), k)| (i, j, k)).collect()
}

/// What every freedom of the nodes is made of: columns and factors, and how many columns there are.
struct Held {
    made_of: Vec<Vec<(usize, f64)>>,
    size: usize,
    /// Whether each column is a length.
    lengths: Vec<bool>,
}

/// Elements and what freedoms their nodes have.
struct Mesh {
    parts: Vec<Part>,
    /// Of a node, those that there are.
    freedoms: &'static [usize],
    /// Axes of the nodes in those of the frame.
    axes: Matrix3<f64>,
}

impl Mesh {
    fn new(link: &Flexible, space: Space, line: &Line, shear: bool) -> Self {
        let nodes: Vec<Vector3<f64>> =
            (0..=link.elements).map(|k| line.place(k as f64 / link.elements as f64)).collect();
        let part = |k: usize| {
            let along = (k as f64 + 0.5) / link.elements as f64;
            let element = Element::new(&link.section, (nodes[k + 1] - nodes[k]).norm(), shear);
            Part {
                element,
                first: 0,
                count: 0,
                t: Columns::zeros(),
                start: nodes[k],
                axes: line.axes(along),
                bow: element.geometric_stiffness([1.0; 4]) / element.length,
            }
        };
        let freedoms: &[usize] = if space == Space::Planar { &PLANAR } else { &SPATIAL };
        Self { parts: (0..link.elements).map(part).collect(), freedoms, axes: line.axes(0.5) }
    }

    /// Freedoms of nodes without those that are held.
    fn held(&self, held: impl Fn(usize, usize) -> bool) -> Held {
        let (mut size, mut lengths) = (0, Vec::new());
        let mut made_of = vec![Vec::new(); 6 * (self.parts.len() + 1)];
        for node in 0..=self.parts.len() {
            for &freedom in self.freedoms.iter().filter(|&&freedom| !held(node, freedom)) {
                made_of[6 * node + freedom].push((size, 1.0));
                lengths.push(freedom < 3);
                size += 1;
            }
        }
        Held { made_of, size, lengths }
    }

    /// (1), from the integrals over all freedoms of all nodes.
    fn without_mean_motion(&self, whole: &Integrals) -> Held {
        let d = self.freedoms.len();
        let of_node = |node: usize| {
            DMatrix::from_fn(d, d, |row, column| {
                let j = node * d + column;
                match self.freedoms[row] {
                    axis @ 0..3 => whole.shapes()[j][axis],
                    axis => cross_of(whole.mixed(j))[axis - 3],
                }
            })
        };
        let last = self.parts.len();
        let mut made_of = vec![Vec::new(); 6 * (last + 1)];
        for node in 0..=last {
            for (k, &freedom) in self.freedoms.iter().enumerate() {
                let own = &mut made_of[6 * node + freedom];
                if node < last {
                    own.push((node * d + k, 1.0));
                }
            }
            if node == 0 {
                continue;
            }
            let carried = of_node(node).lu().solve(&of_node(node - 1));
            let carried = carried.expect("a node and its neighbours have mass");
            for (row, &freedom) in self.freedoms.iter().enumerate() {
                let from = (0..d).map(|k| ((node - 1) * d + k, -carried[(row, k)]));
                made_of[6 * node + freedom].extend(from.filter(|(_, factor)| *factor != 0.0));
            }
        }
        let lengths = (0..last * d).map(|j| self.freedoms[j % d] < 3).collect();
        Held { made_of, size: last * d, lengths }
    }

    /// T of every element.
    fn attach(&mut self, held: &Held) {
        for (k, part) in self.parts.iter_mut().enumerate() {
            let own = &held.made_of[6 * k..6 * k + FREEDOMS];
            let columns = || own.iter().flatten().map(|(column, _)| *column);
            part.first = columns().min().unwrap_or(0);
            part.count = columns().max().map_or(0, |last| last + 1 - part.first);
            let turn = part.axes.tr_mul(&self.axes);
            part.t = Columns::zeros();
            for (freedom, made_of) in own.iter().enumerate() {
                let (vector, axis) = (freedom / 3, freedom % 3);
                for &(column, factor) in made_of {
                    for k in 0..3 {
                        part.t[(3 * vector + k, column - part.first)] += turn[(k, axis)] * factor;
                    }
                }
            }
        }
    }

    fn integrals(&self, link: &Flexible, size: usize) -> Integrals {
        let mut builder = Builder::new(size);
        for (part, xi, piece) in self.pieces(link) {
            let fields = part.fields(xi);
            builder.add(&piece, part.first, &fields[0], &fields[1]);
        }
        builder.finish()
    }

    /// Pieces of the line at four points of every element, and what is welded to it.
    fn pieces(&self, link: &Flexible) -> Vec<(&Part, f64, Piece)> {
        let s = &link.section;
        let density = s.mass_per_length / s.area;
        let across = if s.rotary { [s.inertia_y, s.inertia_z] } else { [0.0; 2] };
        // Torsion in space would have no inertia without the first.
        let polar = if self.freedoms.len() == 6 { s.inertia_y + s.inertia_z } else { 0.0 };
        let own = Matrix3::from_diagonal(&(Vector3::new(polar, across[0], across[1]) * density));
        let mut pieces = Vec::new();
        for part in &self.parts {
            for &(xi, weight) in gauss(4) {
                let dx = weight * part.element.length;
                let place = part.place(xi);
                let inertia = part.axes * own * part.axes.transpose() * dx;
                let piece = Piece::new(s.mass_per_length * dx, Vector3::zeros(), &inertia, place);
                pieces.push((part, xi, piece));
            }
        }
        for lump in &link.lumps {
            let (part, xi) = at(&self.parts, lump.along);
            let centre = part.axes * lump.centre;
            let inertia = part.axes * lump.inertia * part.axes.transpose();
            pieces.push((part, xi, Piece::new(lump.mass, centre, &inertia, part.place(xi))));
        }
        pieces
    }
}

/// The element at a share of the line, and the place in it.
pub(super) fn at(parts: &[Part], along: f64) -> (&Part, f64) {
    let place = along * parts.len() as f64;
    let k = (place.floor() as usize).min(parts.len() - 1);
    (&parts[k], place - k as f64)
}

impl Part {
    /// On its undeformed axis, in axes of the frame.
    pub fn place(&self, xi: f64) -> Vector3<f64> {
        self.start + self.axes.column(0) * (xi * self.element.length)
    }

    /// Displacement of its axis and rotation of its sections, in axes of the frame by column.
    pub fn fields(&self, xi: f64) -> [Matrix3xX<f64>; 2] {
        [self.element.place(xi), self.element.turn(xi)].map(|field: Field| {
            let own = self.axes * field * self.t;
            Matrix3xX::from_fn(self.count, |i, j| own[(i, j)])
        })
    }
}
