//! The equations of the vibration at one instant of the rigid motion.
//!
//! An element between two nodes has the displacements s = (u₁, φ₁, u₂, φ₂) in world axes. With the turn R of its axes,
//! T = diag(Rᵀ, 1, Rᵀ, 1), Ω̄ = diag(Ω, 0, Ω, 0), the displacement inside is u = R N T s (`element.rs`), and of
//! ü = R N T s̈ + 2 (R N T)˙ ṡ + (R N T)¨ s the virtual work gives, in axes of the element,
//!
//!   M δ̈ + (C_g + θ K + α M) δ̇ + (K + K_G + K_c) δ = F − load of the rigid motion                          (1)
//!   C_g = 2ω (B − M Ω̄),   M = M_t + M_r                                                              (2)
//!   K_c = ω̇ (B − M Ω̄) + ω² (M Ω̄² − M_t − 2 B Ω̄) − ω (θ K + α M) Ω̄                                      (3)
//!
//! where δ̇ = T ṡ and δ̈ = T s̈ are rates in world axes, turned: what the axes' own turn adds is in (2) and (3), so
//! that a body that is displaced without bending feels nothing. Without coupling (2) and (3) are left out (hac, (22)).
//!
//! Ends that follow others, s = S(t) y (`topology.rs`, (1)), add
//!
//!   M_y = SᵀM S,  C_y = Sᵀ(C S + 2 M Ṡ),  K_y = Sᵀ(K S + C Ṡ + M S̈)                                     (4)
//!
//! of which Ṡ and S̈ are coupling, too. A rigid body of mass m, and moment I about its centre, is (4) with
//! M = diag(m, m, I). Damping: θ and α of `damping` of the link.

use nalgebra::{Matrix2, Matrix6, Vector2, Vector6};

use super::band::Band;
use super::element::Element;
use super::linkage::{Link, LinkElement, Linkage, Mass};
use super::rigid::{Motion, across};
use super::topology::End;
use super::{Case, KedSpec};

/// Most coordinates that move one element.
pub const WIDE: usize = 16;

/// Shares of M, C and K in a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    pub mass: f64,
    pub damping: f64,
    pub stiffness: f64,
}

/// What the vibration is linear about.
pub struct Instant<'a> {
    pub motions: &'a [Motion],
    pub gravity: Vector2<f64>,
    /// Axial force of every element, N.
    pub axial: &'a [f64],
}

/// Positions and velocities, or predictions of them.
#[derive(Clone, Copy)]
pub struct State<'a> {
    pub x: &'a [f64],
    pub v: &'a [f64],
}

/// Matrix of shares, and the forces that are left.
pub struct Equations {
    pub matrix: Band,
    /// Load − C v − K x.
    pub force: Vec<f64>,
}

/// M, C and K of one element in world axes.
struct Matrices {
    mass: Matrix6<f64>,
    damping: Matrix6<f64>,
    stiffness: Matrix6<f64>,
}

/// Matrices of an element of a link, by its length and axial force.
struct Known {
    kind: (usize, f64, f64),
    axes: Axes,
    local: Matrices,
    /// The shares of all in world axes.
    whole: Matrix6<f64>,
}

impl Equations {
    pub fn new(linkage: &Linkage) -> Self {
        let matrix = Band::new(linkage.coordinates, linkage.half_width);
        Self { matrix, force: vec![0.0; linkage.coordinates] }
    }

    /// Forms matrix and forces; `loads` are those of force elements by coordinate.
    pub fn form(
        &mut self,
        linkage: &Linkage,
        spec: &KedSpec,
        now: &Instant,
        shares: Shares,
        state: State,
        loads: &[f64],
    ) {
        self.matrix.clear();
        self.force.copy_from_slice(loads);
        // Elements of a link are alike where their lengths and axial forces are.
        let mut known: Option<Known> = None;
        for (i, element) in linkage.elements.iter().enumerate() {
            let link = &linkage.links[element.link];
            let kind = (element.link, element.element.length, now.axial[i]);
            let alike = known.take().filter(|known| known.kind == kind);
            let Known { axes, local, whole, .. } = known.insert(alike.unwrap_or_else(|| {
                let axes = Axes::of(link, now);
                let local = element.matrices(link, spec, &axes, now.axial[i]);
                let whole = axes.turned(&local.weighted(shares));
                Known { kind, axes, local, whole }
            }));
            let load = axes.to_world(&element.load(link, spec.case, now, axes));
            match element.plain {
                Some(map) => self.plain(&map, axes, local, whole, state, &load),
                None => {
                    let world = local.turned(axes);
                    let follow = Follow::of(linkage, &element.ends, now, spec.coupling);
                    self.follow(&follow, &world, shares, state, &load);
                }
            }
        }
        for mass in &linkage.masses {
            let diagonal = Vector6::new(mass.mass, mass.mass, mass.inertia, 0.0, 0.0, 0.0);
            if let Some(map) = mass.plain {
                let load = mass.load(spec.case, now);
                for (i, row) in map.into_iter().enumerate() {
                    if let Some(row) = row {
                        self.force[row] += load[i];
                        self.matrix.add(row, row, shares.mass * diagonal[i]);
                    }
                }
                continue;
            }
            let m = Matrix6::from_diagonal(&diagonal);
            let world =
                Matrices { mass: m, damping: Matrix6::zeros(), stiffness: Matrix6::zeros() };
            let follow = Follow::of(linkage, &[mass.end], now, spec.coupling);
            self.follow(&follow, &world, shares, state, &mass.load(spec.case, now));
        }
    }

    /// An element each of whose displacements is a coordinate or none.
    fn plain(
        &mut self,
        map: &[Option<usize>; 6],
        axes: &Axes,
        local: &Matrices,
        whole: &Matrix6<f64>,
        state: State,
        load: &Vector6<f64>,
    ) {
        let of = |y: &[f64]| Vector6::from_fn(|i, _| map[i].map_or(0.0, |j| y[j]));
        let (x, v) = (axes.to_local(&of(state.x)), axes.to_local(&of(state.v)));
        let force = load - axes.to_world(&(local.damping * v + local.stiffness * x));
        for i in 0..6 {
            let Some(row) = map[i] else { continue };
            self.force[row] += force[i];
            for j in 0..6 {
                if let Some(column) = map[j] {
                    self.matrix.add(row, column, whole[(i, j)]);
                }
            }
        }
    }

    /// An element with ends that follow others (4).
    fn follow(
        &mut self,
        follow: &Follow,
        world: &Matrices,
        shares: Shares,
        state: State,
        load: &Vector6<f64>,
    ) {
        let mut force = *load;
        for (j, column) in follow.columns().enumerate() {
            let (s, rate, second) = (&follow.s[j], &follow.rate[j], &follow.second[j]);
            let mass = world.mass * s;
            let damping = world.damping * s + world.mass * rate * 2.0;
            let stiffness = world.stiffness * s + world.damping * rate + world.mass * second;
            force -= damping * state.v[column] + stiffness * state.x[column];
            let whole =
                mass * shares.mass + damping * shares.damping + stiffness * shares.stiffness;
            for (i, row) in follow.columns().enumerate() {
                self.matrix.add(row, column, follow.s[i].dot(&whole));
            }
        }
        follow.add_load(&force, &mut self.force);
    }
}

impl Matrices {
    fn weighted(&self, shares: Shares) -> Matrix6<f64> {
        self.mass * shares.mass + self.damping * shares.damping + self.stiffness * shares.stiffness
    }

    fn turned(&self, axes: &Axes) -> Self {
        Self {
            mass: axes.turned(&self.mass),
            damping: axes.turned(&self.damping),
            stiffness: axes.turned(&self.stiffness),
        }
    }
}

/// Axes of a link at an instant.
pub struct Axes {
    /// R: x along the line.
    pub turn: Matrix2<f64>,
    omega: f64,
    alpha: f64,
}

impl Axes {
    pub fn of(link: &Link, now: &Instant) -> Self {
        let motion = &now.motions[link.body];
        let x = motion.turn * link.along;
        let turn = Matrix2::from_columns(&[x, across(x)]);
        Self { turn, omega: motion.omega, alpha: motion.alpha }
    }

    /// T s.
    pub fn to_local(&self, s: &Vector6<f64>) -> Vector6<f64> {
        self.apply(&self.turn.transpose(), s)
    }

    pub fn to_world(&self, s: &Vector6<f64>) -> Vector6<f64> {
        self.apply(&self.turn, s)
    }

    fn apply(&self, r: &Matrix2<f64>, s: &Vector6<f64>) -> Vector6<f64> {
        let a = r * Vector2::new(s[0], s[1]);
        let b = r * Vector2::new(s[3], s[4]);
        Vector6::new(a.x, a.y, s[2], b.x, b.y, s[5])
    }

    /// TᵀA T.
    fn turned(&self, a: &Matrix6<f64>) -> Matrix6<f64> {
        let (c, s) = (self.turn[(0, 0)], self.turn[(1, 0)]);
        let mut out = *a;
        for i in [0, 3] {
            for k in 0..6 {
                let (x, y) = (out[(k, i)], out[(k, i + 1)]);
                (out[(k, i)], out[(k, i + 1)]) = (c * x - s * y, s * x + c * y);
            }
        }
        for i in [0, 3] {
            for k in 0..6 {
                let (x, y) = (out[(i, k)], out[(i + 1, k)]);
                (out[(i, k)], out[(i + 1, k)]) = (c * x - s * y, s * x + c * y);
            }
        }
        out
    }
}

/// M, C_g and what of K_c is inertia, (2) and (3).
pub fn inertia_terms(e: &Element, axes: &Axes) -> [Matrix6<f64>; 3] {
    let (w, alpha) = (axes.omega, axes.alpha);
    let turned = by_turn(&e.mass);
    let gyroscopic = e.turning - turned;
    let twice = by_turn(&turned) - e.translating - by_turn(&e.turning) * 2.0;
    [e.mass, gyroscopic * (2.0 * w), gyroscopic * alpha + twice * (w * w)]
}

/// A Ω̄: columns (x, y) become (y, −x).
fn by_turn(a: &Matrix6<f64>) -> Matrix6<f64> {
    let mut out = Matrix6::zeros();
    for i in [0, 3] {
        out.set_column(i, &a.column(i + 1));
        out.set_column(i + 1, &-a.column(i));
    }
    out
}

impl LinkElement {
    /// Place of an end in own axes of the body.
    fn place(&self, link: &Link, end: usize) -> Vector2<f64> {
        self.place + link.along * (self.element.length * end as f64)
    }

    /// Load of the rigid motion and gravity on its nodes, in its axes.
    pub fn load(&self, link: &Link, case: Case, now: &Instant, axes: &Axes) -> Vector6<f64> {
        let motion = &now.motions[link.body];
        let felt = |end: usize| {
            let a = motion.acceleration_at(self.place(link, end));
            axes.turn.tr_mul(&(a - now.gravity))
        };
        self.element.inertia_load(case, [felt(0), felt(1)], motion.alpha)
    }

    /// M, C and K of (1) in its axes.
    fn matrices(&self, link: &Link, spec: &KedSpec, axes: &Axes, axial: f64) -> Matrices {
        let e = &self.element;
        let damping = link.flexible.damping;
        let mut c = Matrix6::zeros();
        if damping.strain > 0.0 || damping.mass > 0.0 {
            c = e.stiffness * damping.strain + e.mass * damping.mass;
        }
        let mut k = e.stiffness;
        if axial != 0.0 {
            k += e.geometric * axial;
        }
        if spec.coupling && (axes.omega != 0.0 || axes.alpha != 0.0) {
            k -= by_turn(&c) * axes.omega;
            let [_, gyroscopic, centrifugal] = inertia_terms(e, axes);
            c += gyroscopic;
            k += centrifugal;
        }
        Matrices { mass: e.mass, damping: c, stiffness: k }
    }
}

impl Mass {
    /// Load of the rigid motion and gravity, in world axes.
    pub fn load(&self, case: Case, now: &Instant) -> Vector6<f64> {
        let motion = &now.motions[self.body];
        let force = (motion.acceleration_at(self.centre) - now.gravity) * -self.mass;
        let moment = match case {
            Case::Exact => -self.inertia * motion.alpha,
            Case::One | Case::Two | Case::Difference => 0.0,
        };
        if case == Case::Difference {
            return Vector6::zeros();
        }
        Vector6::new(force.x, force.y, moment, 0.0, 0.0, 0.0)
    }
}

/// S of (4) with its derivatives, column by column, and the coordinates that these belong to.
pub struct Follow {
    coordinates: [usize; WIDE],
    count: usize,
    s: [Vector6<f64>; WIDE],
    rate: [Vector6<f64>; WIDE],
    second: [Vector6<f64>; WIDE],
}

impl Follow {
    pub fn of(linkage: &Linkage, ends: &[usize], now: &Instant, coupling: bool) -> Self {
        let zero = [Vector6::zeros(); WIDE];
        let mut out = Self { coordinates: [0; WIDE], count: 0, s: zero, rate: zero, second: zero };
        for (i, end) in ends.iter().enumerate() {
            out.add(3 * i, &linkage.ends[*end], now, coupling);
        }
        out
    }

    fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.coordinates[..self.count].iter().copied()
    }

    fn column(&mut self, coordinate: usize) -> usize {
        let known = self.columns().position(|other| other == coordinate);
        known.unwrap_or_else(|| {
            self.coordinates[self.count] = coordinate;
            self.count += 1;
            self.count - 1
        })
    }

    fn add(&mut self, row: usize, end: &End, now: &Instant, coupling: bool) {
        let put = |column: &mut Vector6<f64>, v: Vector2<f64>| {
            column[row] += v.x;
            column[row + 1] += v.y;
        };
        for (direction, coordinate) in &end.base {
            let column = self.column(*coordinate);
            put(&mut self.s[column], *direction);
        }
        for arm in &end.arms {
            let column = self.column(arm.rotation);
            let motion = &now.motions[arm.body];
            let r = motion.turn * arm.arm;
            let (w, alpha) = (motion.omega, motion.alpha);
            put(&mut self.s[column], across(r));
            if coupling {
                put(&mut self.rate[column], -r * w);
                put(&mut self.second[column], -r * alpha - across(r) * (w * w));
            }
        }
        if let Some(coordinate) = end.rotation {
            let column = self.column(coordinate);
            self.s[column][row + 2] += 1.0;
        }
    }

    /// Displacements with their first and second rates: S y, S ẏ + Ṡ y, S ÿ + 2 Ṡ ẏ + S̈ y.
    pub fn motion(&self, [x, v, a]: [&[f64]; 3]) -> [Vector6<f64>; 3] {
        let mut out = [Vector6::zeros(); 3];
        for (i, column) in self.columns().enumerate() {
            let (s, rate, second) = (self.s[i], self.rate[i], self.second[i]);
            let (x, v, a) = (x[column], v[column], a[column]);
            out[0] += s * x;
            out[1] += s * v + rate * x;
            out[2] += s * a + rate * (2.0 * v) + second * x;
        }
        out
    }

    /// Displacements alone.
    pub fn displacements(&self, y: &[f64]) -> Vector6<f64> {
        let mut out = Vector6::zeros();
        for (s, column) in self.s.iter().zip(self.columns()) {
            out += s * y[column];
        }
        out
    }

    /// Adds Sᵀ load to loads by coordinate.
    pub fn add_load(&self, load: &Vector6<f64>, loads: &mut [f64]) {
        for (s, column) in self.s.iter().zip(self.columns()) {
            loads[column] += s.dot(load);
        }
    }
}

/// Displacements of the nodes of an element in its axes.
pub fn local_displacements(
    linkage: &Linkage,
    element: usize,
    now: &Instant,
    y: &[f64],
) -> Vector6<f64> {
    let e = &linkage.elements[element];
    let s = match &e.plain {
        Some(map) => Vector6::from_fn(|i, _| map[i].map_or(0.0, |j| y[j])),
        None => Follow::of(linkage, &e.ends, now, false).displacements(y),
    };
    Axes::of(&linkage.links[e.link], now).to_local(&s)
}

/// The same in world axes with first and second rates.
pub fn nodal_motion(
    linkage: &Linkage,
    element: usize,
    now: &Instant,
    y: [&[f64]; 3],
) -> [Vector6<f64>; 3] {
    let e = &linkage.elements[element];
    match &e.plain {
        Some(map) => y.map(|y| Vector6::from_fn(|i, _| map[i].map_or(0.0, |j| y[j]))),
        None => Follow::of(linkage, &e.ends, now, true).motion(y),
    }
}

/// Displacement and rotation at ξ of an element, with first and second rates, in world axes:
/// u = R N δ and its derivatives, δ = T s.
pub fn motion_inside(
    linkage: &Linkage,
    (element, xi): (usize, f64),
    now: &Instant,
    y: [&[f64]; 3],
) -> [(Vector2<f64>, f64); 3] {
    let e = &linkage.elements[element];
    let axes = Axes::of(&linkage.links[e.link], now);
    let [x, v, a] = nodal_motion(linkage, element, now, y).map(|s| axes.to_local(&s));
    let inside = |delta: &Vector6<f64>| {
        let [p, q, turn] = e.element.displacement(delta, xi);
        (Vector2::new(p, q), turn)
    };
    // Ω̄ δ.
    let turned = |d: &Vector6<f64>| Vector6::new(-d[1], d[0], 0.0, -d[4], d[3], 0.0);
    let (w, alpha) = (axes.omega, axes.alpha);
    let (x0, x1, x2) = (inside(&x), inside(&turned(&x)), inside(&turned(&turned(&x))));
    let (v0, v1, a0) = (inside(&v), inside(&turned(&v)), inside(&a));
    let rate = (v0.0 + (across(x0.0) - x1.0) * w, v0.1 - w * x1.1);
    let second = (
        a0.0 + (across(v0.0) - v1.0) * (2.0 * w)
            + (across(x0.0) - x1.0) * alpha
            + (x2.0 - x0.0 - across(x1.0) * 2.0) * (w * w),
        a0.1 - 2.0 * w * v1.1 - alpha * x1.1 + w * w * x2.1,
    );
    [x0, rate, second].map(|(u, turn)| (axes.turn * u, turn))
}
