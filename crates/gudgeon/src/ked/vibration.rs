//! The vibration step by step: Newmark's method over the rigid motion.
//!
//!   x₁ = x + h v + h² ((½ − β) a + β a₁),   v₁ = v + h ((1 − γ) a + γ a₁)                            (1)
//!   (M + γ h C + β h² K) a₁ = F − C v* − K x*,   x*, v* of (1) with a₁ = 0                           (2)
//!
//! M, C and K are those at the end of the step (`assemble.rs`). β = ¼, γ = ½ is the mean acceleration: stable at any
//! step, without damping, second order.

use nalgebra::{Vector2, Vector6};

use super::assemble::{Axes, Equations, Follow, Instant, Shares, State, local_displacements};
use super::band::Singular;
use super::linkage::Linkage;
use super::rigid::{Load, Motion, Reading};
use super::{Case, Geometric, KedSpec, StartFrom};

/// The vibration at one instant.
pub struct Vibration {
    pub linkage: Linkage,
    pub spec: KedSpec,
    pub gravity: Vector2<f64>,
    pub motions: Vec<Motion>,
    pub axial: Vec<f64>,
    /// Displacements against the rigid motion, with first and second rates.
    pub x: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    equations: Equations,
    loads: Vec<f64>,
    predicted: [Vec<f64>; 2],
}

impl Vibration {
    pub fn new(linkage: Linkage, spec: KedSpec, gravity: Vector2<f64>) -> Self {
        let n = linkage.coordinates;
        let bodies = linkage.rigid.len();
        Self {
            equations: Equations::new(&linkage),
            axial: vec![0.0; linkage.elements.len()],
            motions: vec![Motion::default(); bodies],
            x: vec![0.0; n],
            v: vec![0.0; n],
            a: vec![0.0; n],
            loads: vec![0.0; n],
            predicted: [vec![0.0; n], vec![0.0; n]],
            linkage,
            spec,
            gravity,
        }
    }

    pub fn now(&self) -> Instant<'_> {
        Instant { motions: &self.motions, gravity: self.gravity, axial: &self.axial }
    }

    /// The start: at zero, or where the links would be bent at rest by the loads of the first instant.
    pub fn begin(&mut self, reading: &Reading, row: &[f64]) -> Result<(), Singular> {
        self.look(reading, row);
        if self.spec.start == StartFrom::QuasiStatic {
            let shares = Shares { mass: 0.0, damping: 0.0, stiffness: 1.0 };
            self.predicted.iter_mut().for_each(|y| y.fill(0.0));
            let mut x = std::mem::take(&mut self.x);
            let solved = self.solve(shares, &mut x);
            self.x = x;
            solved?;
        }
        self.predicted[0].copy_from_slice(&self.x);
        self.predicted[1].copy_from_slice(&self.v);
        let mut a = std::mem::take(&mut self.a);
        let solved = self.solve(Shares { mass: 1.0, damping: 0.0, stiffness: 0.0 }, &mut a);
        self.a = a;
        solved
    }

    /// One step to the instant of a row.
    pub fn step(&mut self, reading: &Reading, row: &[f64], h: f64) -> Result<(), Singular> {
        self.look(reading, row);
        let KedSpec { beta, gamma, .. } = self.spec;
        let [xp, vp] = &mut self.predicted;
        for i in 0..self.x.len() {
            xp[i] = self.x[i] + h * self.v[i] + h * h * (0.5 - beta) * self.a[i];
            vp[i] = self.v[i] + h * (1.0 - gamma) * self.a[i];
        }
        let shares = Shares { mass: 1.0, damping: gamma * h, stiffness: beta * h * h };
        let mut a = std::mem::take(&mut self.a);
        let solved = self.solve(shares, &mut a);
        self.a = a;
        solved?;
        let [xp, vp] = &self.predicted;
        for i in 0..self.x.len() {
            self.x[i] = xp[i] + beta * h * h * self.a[i];
            self.v[i] = vp[i] + gamma * h * self.a[i];
        }
        Ok(())
    }

    /// Solves (2) at the predicted state.
    fn solve(&mut self, shares: Shares, out: &mut [f64]) -> Result<(), Singular> {
        let Self { equations, linkage, spec, motions, axial, gravity, predicted, loads, .. } = self;
        let now = Instant { motions, gravity: *gravity, axial };
        let state = State { x: &predicted[0], v: &predicted[1] };
        equations.form(linkage, spec, &now, shares, state, loads);
        equations.matrix.factor()?;
        out.copy_from_slice(&equations.force);
        equations.matrix.solve(out);
        Ok(())
    }

    /// The rigid motion of a row, with its loads.
    pub fn look(&mut self, reading: &Reading, row: &[f64]) {
        reading.motions(row, &mut self.motions);
        self.loads.fill(0.0);
        // The difference of two cases has none of what they have alike.
        if self.spec.case != Case::Difference {
            let mut loads = std::mem::take(&mut self.loads);
            reading.loads.iter().for_each(|load| self.add_load(load, row, &mut loads));
            self.loads = loads;
        }
        let mut axial = std::mem::take(&mut self.axial);
        match self.spec.geometric {
            Geometric::None => {}
            Geometric::Actual => self.actual_axial(&mut axial),
            Geometric::Rigid => self.rigid_axial(reading, row, &mut axial),
        }
        self.axial = axial;
    }

    fn add_load(&self, load: &Load, row: &[f64], loads: &mut [f64]) {
        let (force, torque) = (load.force(row), load.torque(row));
        let motion = &self.motions[load.body];
        let now = self.now();
        // About a place of the same body.
        let about =
            |place: Vector2<f64>| torque + (motion.turn * (load.place - place)).perp(&force);
        if let Some(end) = self.linkage.rigid[load.body] {
            let mass = self.linkage.masses.iter().find(|mass| mass.end == end);
            let centre = mass.map_or(Vector2::zeros(), |mass| mass.centre);
            let wrench = Vector6::new(force.x, force.y, about(centre), 0.0, 0.0, 0.0);
            Follow::of(&self.linkage, &[end], &now, false).add_load(&wrench, loads);
        } else if let Some(number) = self.linkage.link_of[load.body] {
            let link = &self.linkage.links[number];
            let along = ((load.place - link.from).dot(&link.along) / link.length).clamp(0.0, 1.0);
            let (element, xi) = self.linkage.station(number, along).behind;
            let e = &self.linkage.elements[element];
            let axes = Axes::of(link, &now);
            let moment = about(link.from + link.along * (along * link.length));
            let nodal = e.element.load_at(xi, axes.turn.tr_mul(&force), moment);
            let nodal = axes.to_world(&nodal);
            Follow::of(&self.linkage, &e.ends, &now, false).add_load(&nodal, loads);
        }
    }

    /// EA ε of the elements as they are.
    fn actual_axial(&self, axial: &mut [f64]) {
        for (i, e) in self.linkage.elements.iter().enumerate() {
            let delta = local_displacements(&self.linkage, i, &self.now(), &self.x);
            axial[i] = e.element.axial * e.element.strains(&delta, 0.5)[0];
        }
    }

    /// Of the rigid motion: what the part of a link before the middle of an element needs to move as it does,
    ///
    ///   N(s) = ∫₀ˢ ρA (a − g) · e ds + Σ m (a − g) · e − Σ F · e
    fn rigid_axial(&self, reading: &Reading, row: &[f64], axial: &mut [f64]) {
        let now = self.now();
        for (number, link) in self.linkage.links.iter().enumerate() {
            let motion = &self.motions[link.body];
            let direction = motion.turn * link.along;
            let felt =
                |place: Vector2<f64>| (motion.acceleration_at(place) - now.gravity).dot(&direction);
            for i in link.first..link.first + link.nodes.len() - 1 {
                let e = &self.linkage.elements[i];
                let s = (e.place - link.from).norm() + 0.5 * e.element.length;
                let rho = link.flexible.section.mass_per_length;
                let mut sum = rho * s * felt(link.from + link.along * (0.5 * s));
                let masses = self.linkage.masses.iter();
                for mass in masses.filter(|mass| mass.on.is_some_and(|on| on.0 == number)) {
                    if mass.on.is_some_and(|(_, along)| along * link.length < s) {
                        sum += mass.mass * felt(mass.centre);
                    }
                }
                for load in reading.loads.iter().chain(&reading.reactions) {
                    if load.body == link.body && (load.place - link.from).dot(&link.along) < s {
                        sum -= load.force(row).dot(&direction);
                    }
                }
                axial[i] = sum;
            }
        }
    }

    /// M and K at the present instant as dense matrices, without what is not symmetric.
    pub fn pencil(&mut self) -> [nalgebra::DMatrix<f64>; 2] {
        let n = self.linkage.coordinates;
        let spec = KedSpec { coupling: false, ..self.spec };
        self.predicted.iter_mut().for_each(|y| y.fill(0.0));
        let Self { equations, linkage, motions, axial, gravity, predicted, loads, .. } = self;
        let now = Instant { motions, gravity: *gravity, axial };
        let state = State { x: &predicted[0], v: &predicted[1] };
        [(1.0, 0.0), (0.0, 1.0)].map(|(mass, stiffness)| {
            let shares = Shares { mass, damping: 0.0, stiffness };
            equations.form(linkage, &spec, &now, shares, state, loads);
            nalgebra::DMatrix::from_fn(n, n, |i, j| equations.matrix.at(i, j))
        })
    }
}
