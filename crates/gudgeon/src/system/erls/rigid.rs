//! The equivalent rigid-link system: frames, velocities and accelerations of rigid links by joint angles.
//!
//! Links stand in a tree of revolute, prismatic and fixed joints from the ground outwards, its angles θ; joints beside
//! the tree close loops. With the frame (P, R) of a link, a joint at o with axis z and the sign s of its angle,
//!
//!   ω = ω_c + s z θ̇,   V = V_o + ω × (P − o),   ∂(V, ω)/∂θ̇_k = s_k (z_k × (P − o_k), z_k)              (1)
//!
//! for every joint k on the way to the link; of a prismatic joint θ is the way along x, and the last is s_k (x_k, 0).
//! Angles and ways are driven, θ = α(t), dependent or independent. Rows g of the cut
//! joints that do not follow from others, as many as there are dependent angles, close the loops:
//!
//!   g(θ) = 0,   G_d θ̇_d = −G_i q̇ − G_α α̇,   G_d θ̈_d = −G_i q̈ − G_α α̈ − b                                (2)
//!
//! so that q, the independent angles, move the links by V = J q̇ + …. (2) is solved by Newton's method from the last
//! angles.

use gudgeon_dae::linear::Lu;
use nalgebra::{Matrix3, Vector3};

use crate::joint::{RowKind, RowWrenches};
use crate::marker::MarkerState;
use crate::math::spatial::{Frame, Twist};
use crate::model::{DriverId, JointId};
use crate::time::Jet;

/// A place on a rigid link, in the axes of its frame; its angle about z in the plane.
#[derive(Clone, Copy, Debug)]
pub struct Tip {
    pub frame: Frame,
    pub angle: f64,
}

/// A link of the tree and the joint that carries it.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Moving body of the model, from 0, and the link that carries it; none for the ground.
    pub body: usize,
    pub parent: Option<usize>,
    pub joint: JointId,
    /// The joint on the carrier and on the link.
    pub outer: Tip,
    pub own: Tip,
    /// 1 where the link is the second side of the joint, else −1.
    pub sign: f64,
    /// Its angle, or its way along x; none of a fixed joint.
    pub angle: Option<usize>,
    pub slides: bool,
}

impl Carried {
    /// Direction about which it turns or along which it moves with its angle, with the joint of the carrier in the world.
    fn axis(&self, joint: &Frame) -> Vector3<f64> {
        joint.r.column(if self.slides { 0 } else { 2 }) * self.sign
    }
}

/// What decides on an angle of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Independent(usize),
    Dependent(usize),
    Driven(DriverId),
}

/// A joint beside the tree.
#[derive(Clone, Debug)]
pub struct CutJoint {
    pub joint: JointId,
    /// Links of its sides, none for the ground, and where it is on them.
    pub links: [Option<usize>; 2],
    pub tips: [Tip; 2],
    /// Rows that close its loop, of those that it has.
    pub rows: Vec<RowKind>,
}

/// Tree and loops.
#[derive(Clone, Debug)]
pub struct Rigid {
    /// Carriers first.
    pub links: Vec<Carried>,
    /// By angle of the tree: what decides on it, and the link it turns.
    pub roles: Vec<Role>,
    pub turned: Vec<usize>,
    pub cuts: Vec<CutJoint>,
    /// θ at the start.
    pub start: Vec<f64>,
    pub independent: usize,
    pub dependent: usize,
}

/// A rigid link at one instant.
#[derive(Clone, Copy, Debug)]
pub struct LinkMotion {
    pub frame: Frame,
    /// θ of the frame in the plane.
    pub angle: f64,
    /// V and ω, world axes.
    pub twist: Twist,
    /// Acceleration at q̈ = 0.
    pub bias: Twist,
}

impl LinkMotion {
    pub const GROUND: Self =
        Self { frame: Frame::identity(), angle: 0.0, twist: Twist::ZERO, bias: Twist::ZERO };
}

/// The rigid system at one instant.
#[derive(Clone, Debug)]
pub struct RigidState {
    pub links: Vec<LinkMotion>,
    /// ∂(V, ω)/∂q̇ by link, then by independent angle.
    pub columns: Vec<Twist>,
    /// θ and θ̇; dependent angles are the guess of the next Newton iteration.
    pub theta: Vec<f64>,
    pub rate: Vec<f64>,
    /// ∂(V, ω)/∂θ̇ by link, then by angle.
    by_angle: Vec<Twist>,
    second: Vec<f64>,
    /// ∂θ̇_d/∂q̇ by dependent, then by independent angle.
    follow: Vec<f64>,
    g: Vec<f64>,
    jacobian: Vec<f64>,
    lu: Lu<f64>,
    wrenches: Vec<RowWrenches>,
    /// Whether the loops are closed.
    pub is_closed: bool,
}

/// Newton's iterations end here, relative to the size of the mechanism.
const CLOSED: f64 = 1e-14;
const ITERATIONS: usize = 20;

impl Rigid {
    pub fn blank(&self) -> RigidState {
        let (links, angles, d) = (self.links.len(), self.roles.len(), self.dependent);
        RigidState {
            links: vec![LinkMotion::GROUND; links],
            columns: vec![Twist::ZERO; links * self.independent],
            theta: self.start.clone(),
            rate: vec![0.0; angles],
            by_angle: vec![Twist::ZERO; links * angles],
            second: vec![0.0; angles],
            follow: vec![0.0; d * self.independent],
            g: vec![0.0; d],
            jacobian: vec![0.0; d * angles],
            lu: Lu::new(d),
            wrenches: vec![RowWrenches::ZERO; d],
            is_closed: true,
        }
    }

    /// ∂(V, ω)/∂q̇ of a link.
    pub fn columns<'s>(&self, state: &'s RigidState, link: usize) -> &'s [Twist] {
        &state.columns[link * self.independent..(link + 1) * self.independent]
    }

    /// Everything at q and q̇; `length` is the size of the mechanism.
    pub fn update(
        &self,
        (q, v): (&[f64], &[f64]),
        motion: impl Fn(usize) -> Jet,
        length: f64,
        out: &mut RigidState,
    ) {
        for (k, role) in self.roles.iter().enumerate() {
            (out.theta[k], out.rate[k], out.second[k]) = match *role {
                Role::Independent(i) => (q[i], v[i], 0.0),
                Role::Driven(driver) => {
                    let jet = motion(driver.0);
                    (jet.value, jet.rate, jet.second)
                }
                Role::Dependent(_) => (out.theta[k], 0.0, 0.0),
            };
        }
        self.place(out);
        if self.dependent > 0 {
            self.close(length, out);
            self.follow_rates(out);
        }
        self.move_links(out);
        if self.dependent > 0 {
            self.follow_accelerations(out);
        }
        self.reduce_columns(out);
    }

    /// Frames and (1) at θ.
    pub fn place(&self, out: &mut RigidState) {
        let angles = self.roles.len();
        for (i, link) in self.links.iter().enumerate() {
            let carrier = link.parent.map_or(LinkMotion::GROUND, |parent| out.links[parent]);
            let theta = link.angle.map_or(0.0, |k| link.sign * out.theta[k]);
            let joint = carrier.frame.then(&link.outer.frame);
            let (behind, turn) = match link.slides {
                true => (Frame { p: joint.p + joint.r.column(0) * theta, r: joint.r }, 0.0),
                false => (Frame { p: joint.p, r: joint.r * about_z(theta) }, theta),
            };
            let moved = &mut out.links[i];
            moved.frame = behind.then(&link.own.frame.inverse());
            moved.angle = carrier.angle + link.outer.angle + turn - link.own.angle;
            let p = moved.frame.p;
            for k in 0..angles {
                out.by_angle[i * angles + k] = match link.parent {
                    Some(parent) => carried(
                        &out.by_angle[parent * angles + k],
                        &(p - out.links[parent].frame.p),
                    ),
                    None => Twist::ZERO,
                };
            }
            if let Some(k) = link.angle {
                let axis = link.axis(&joint);
                let own = &mut out.by_angle[i * angles + k];
                match link.slides {
                    true => own.v += axis,
                    false => {
                        own.v += axis.cross(&(p - joint.p));
                        own.w += axis;
                    }
                }
            }
        }
    }

    /// Velocities at θ̇, and biases at θ̈ of what is driven or dependent.
    fn move_links(&self, out: &mut RigidState) {
        for (i, link) in self.links.iter().enumerate() {
            let carrier = link.parent.map_or(LinkMotion::GROUND, |parent| out.links[parent]);
            let joint = carrier.frame.then(&link.outer.frame);
            let axis = link.axis(&joint);
            let (rate, second) = link.angle.map_or((0.0, 0.0), |k| (out.rate[k], out.second[k]));
            let value = link.angle.map_or(0.0, |k| out.theta[k]);
            let (w, b) = (&carrier.twist.w, &carrier.bias);
            let place = if link.slides { joint.p + axis * value } else { joint.p };
            let (before, after) = (place - carrier.frame.p, out.links[i].frame.p - place);
            // Along the joint and about it.
            let zero = Vector3::zeros();
            let (slide, turn) = if link.slides { (axis, zero) } else { (zero, axis) };
            let own = w + turn * rate;
            let faster = b.w + w.cross(&turn) * rate + turn * second;
            let moved = &mut out.links[i];
            let velocity = carrier.twist.v + w.cross(&before) + slide * rate + own.cross(&after);
            moved.twist = Twist { v: velocity, w: own };
            let at = b.v
                + b.w.cross(&before)
                + w.cross(&(w.cross(&before) + slide * (2.0 * rate)))
                + slide * second;
            let bias = at + faster.cross(&after) + own.cross(&own.cross(&after));
            moved.bias = Twist { v: bias, w: faster };
        }
    }

    /// A side of a cut joint as rows see it.
    pub fn marker(&self, cut: &CutJoint, side: usize, state: &RigidState) -> MarkerState {
        let tip = &cut.tips[side];
        let link = cut.links[side].map_or(LinkMotion::GROUND, |link| state.links[link]);
        let frame = link.frame.then(&tip.frame);
        let (arm, w) = (frame.p - link.frame.p, &link.twist.w);
        let turning = w.cross(&arm);
        MarkerState {
            frame,
            twist: Twist { v: link.twist.v + turning, w: *w },
            bias: Twist {
                v: link.bias.v + link.bias.w.cross(&arm) + w.cross(&turning),
                w: link.bias.w,
            },
            angle: link.angle + tip.angle,
        }
    }

    /// g, G by angle and the wrenches of all rows that close loops.
    fn rows(&self, out: &mut RigidState) {
        let angles = self.roles.len();
        let mut row = 0;
        for cut in &self.cuts {
            let [a, b] = [0, 1].map(|side| self.marker(cut, side, out));
            for kind in &cut.rows {
                let wrenches = kind.row(&a, &b);
                out.g[row] = gap(*kind, &a, &b);
                for k in 0..angles {
                    out.jacobian[row * angles + k] = self.slope(cut, k, (&a, &b), &wrenches, out);
                }
                out.wrenches[row] = wrenches;
                row += 1;
            }
        }
    }

    /// ∂ġ/∂θ̇ of a row.
    pub fn slope(
        &self,
        cut: &CutJoint,
        angle: usize,
        (a, b): (&MarkerState, &MarkerState),
        wrenches: &RowWrenches,
        state: &RigidState,
    ) -> f64 {
        let side = |side: usize, marker: &MarkerState| match cut.links[side] {
            Some(link) => carried(
                &state.by_angle[link * self.roles.len() + angle],
                &(marker.frame.p - state.links[link].frame.p),
            ),
            None => Twist::ZERO,
        };
        let (on_a, on_b) = (side(0, a), side(1, b));
        wrenches.on_a.f.dot(&on_a.v)
            + wrenches.on_a.t.dot(&on_a.w)
            + wrenches.on_b.f.dot(&on_b.v)
            + wrenches.on_b.t.dot(&on_b.w)
    }

    /// Newton's method for the dependent angles; leaves G and its factors at the closed position.
    fn close(&self, length: f64, out: &mut RigidState) {
        out.is_closed = false;
        let mut last = f64::INFINITY;
        for _ in 0..ITERATIONS {
            self.rows(out);
            self.factor(out);
            let worst = out.g.iter().fold(0.0f64, |worst, g| worst.max(g.abs())) / length;
            out.is_closed = worst <= CLOSED || (worst < 1e3 * CLOSED && worst >= 0.5 * last);
            if out.is_closed || !worst.is_finite() {
                return;
            }
            last = worst;
            let mut step = std::mem::take(&mut out.g);
            out.lu.solve(&mut step);
            for (k, role) in self.roles.iter().enumerate() {
                if let Role::Dependent(d) = role {
                    out.theta[k] -= step[*d];
                }
            }
            out.g = step;
            self.place(out);
        }
    }

    /// Factors of G_d; where it is singular the next solution is not finite, which steps see.
    fn factor(&self, out: &mut RigidState) {
        let (angles, n) = (self.roles.len(), self.dependent);
        for (k, role) in self.roles.iter().enumerate() {
            if let Role::Dependent(d) = role {
                for row in 0..n {
                    out.lu.values[row * n + d] = out.jacobian[row * angles + k];
                }
            }
        }
        if out.lu.factor().is_err() {
            out.lu.values.fill(f64::NAN);
        }
    }

    /// ∂θ̇_d/∂q̇ and θ̇_d of (2).
    fn follow_rates(&self, out: &mut RigidState) {
        let (angles, m) = (self.roles.len(), self.independent);
        let mut x = std::mem::take(&mut out.g);
        for (k, role) in self.roles.iter().enumerate() {
            let Role::Independent(i) = role else { continue };
            x.iter_mut().enumerate().for_each(|(row, x)| *x = -out.jacobian[row * angles + k]);
            out.lu.solve(&mut x);
            x.iter().enumerate().for_each(|(d, x)| out.follow[d * m + i] = *x);
        }
        for (row, x) in x.iter_mut().enumerate() {
            let known = (0..angles).map(|k| out.jacobian[row * angles + k] * out.rate[k]);
            *x = -known.sum::<f64>();
        }
        out.lu.solve(&mut x);
        self.set_dependent(&x, &mut out.rate);
        out.g = x;
    }

    /// θ̈_d at q̈ = 0, and the biases with it.
    fn follow_accelerations(&self, out: &mut RigidState) {
        let mut x = std::mem::take(&mut out.g);
        let mut row = 0;
        for cut in &self.cuts {
            let [a, b] = [0, 1].map(|side| self.marker(cut, side, out));
            for kind in &cut.rows {
                let wrenches = kind.row(&a, &b);
                x[row] = -wrenches.bias(&a, &b) - wrenches.angular_bias(&a, &b);
                row += 1;
            }
        }
        out.lu.solve(&mut x);
        self.set_dependent(&x, &mut out.second);
        out.g = x;
        self.move_links(out);
    }

    fn set_dependent(&self, x: &[f64], to: &mut [f64]) {
        for (to, role) in to.iter_mut().zip(&self.roles) {
            if let Role::Dependent(d) = role {
                *to = x[*d];
            }
        }
    }

    /// J by link from (1) and ∂θ̇_d/∂q̇.
    fn reduce_columns(&self, out: &mut RigidState) {
        let (angles, m) = (self.roles.len(), self.independent);
        for link in 0..self.links.len() {
            let own = &mut out.columns[link * m..(link + 1) * m];
            own.fill(Twist::ZERO);
            for (k, role) in self.roles.iter().enumerate() {
                let by = &out.by_angle[link * angles + k];
                match *role {
                    Role::Independent(i) => add(&mut own[i], by, 1.0),
                    Role::Dependent(d) => {
                        let follow = &out.follow[d * m..(d + 1) * m];
                        own.iter_mut().zip(follow).for_each(|(own, n)| add(own, by, *n));
                    }
                    Role::Driven(_) => {}
                }
            }
        }
    }

    /// The system at rest where it starts.
    pub fn settled(&self, length: f64) -> RigidState {
        let mut state = self.blank();
        self.place(&mut state);
        if self.dependent > 0 {
            self.close(length, &mut state);
            self.follow_rates(&mut state);
        }
        self.move_links(&mut state);
        self.reduce_columns(&mut state);
        state
    }
}

/// g of a row; angles are compared with the nearest repetition.
pub fn gap(kind: RowKind, a: &MarkerState, b: &MarkerState) -> f64 {
    use std::f64::consts::TAU;
    let value = kind.coordinate(a, b);
    match kind {
        RowKind::Angle | RowKind::Turn(_) => value - TAU * (value / TAU).round(),
        _ => value,
    }
}

/// A rigid motion at a place that is `arm` away.
pub fn carried(by: &Twist, arm: &Vector3<f64>) -> Twist {
    Twist { v: by.v + by.w.cross(arm), w: by.w }
}

pub fn add(sum: &mut Twist, part: &Twist, factor: f64) {
    sum.v += part.v * factor;
    sum.w += part.w * factor;
}

fn about_z(angle: f64) -> Matrix3<f64> {
    Frame::planar(0.0, 0.0, angle).r
}
