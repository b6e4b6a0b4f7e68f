//! Friction in ideal joints: what slides, what presses, and the pair of wrenches that follows.
//!
//! Surfaces of a joint slide along up to three directions with unit wrench pairs P_k, the sliding
//! velocity is s_k = P_k · V, and the friction does the work −N m · s:
//!
//!   F_k = −N(c, |m|) m_k(s, z),   wrenches Σ F_k P_k,   ż = h(s, z)                              (1)
//!
//! c is the reaction of the joint on side b about its marker, in axes of side a: a sum over its rows,
//! −Σ λ W_b, so that forces depend on the reactions λ. How the equations of motion are solved then is in
//! `system/reactions.rs` (explicit) and in the matrix of implicit methods.
//!
//! | joint | P_k |
//! |---|---|
//! | revolute    | R × angle about z |
//! | prismatic   | slide along x |
//! | cylindrical | R × angle about z, slide along z |
//! | screw       | R cos α × angle about z + sin α × slide along z, tan α = pitch/(2πR): along the thread |
//! | spherical   | R × spin about the three axes of a |
//! | universal   | R × angle of each pin, two surfaces |
//! | planar      | slide along x and y, r × angle about z |
//!
//! The flank of a screw carries |f_z|/cos α, since its row is the frictionless thread.

pub mod formula;
pub mod law;
pub mod load;
pub mod zones;

use std::f64::consts::TAU;
use std::ops::Range;

pub use formula::FrictionFormula;
pub use law::{FrictionLaw, Pressed, Sliding, Slip};
pub use load::{Load, Loaded};
pub use zones::{Zone, ZonedLaw};

use crate::joint::{RowKind, Turn};
use crate::marker::{MarkerState, Variation};
use crate::math::spatial::{Axis, Pair, Wrench};
use crate::model::{Joint, JointId, JointKind, Model, Space};

/// Most iterations for a load that friction depends on.
const LOADS: usize = 50;

/// Friction of an ideal joint as a model has it.
#[derive(Clone, Debug, PartialEq)]
pub struct JointFriction {
    pub law: FrictionLaw,
    /// R of pins, balls and screws, m; 1 where nothing turns.
    pub radius: f64,
    /// r of thrust faces and plates, m.
    pub thrust_radius: f64,
    /// L of bearings and guides, m; none where it carries no moment.
    pub length: Option<f64>,
    /// Added to the load, N.
    pub preload: f64,
}

/// A direction of sliding as a pair of unit wrenches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    Row(RowKind, f64),
    /// Two rows together.
    Both([(RowKind, f64); 2]),
    /// Spin about an axis of side a.
    Spin(Axis, f64),
}

impl Direction {
    pub fn pair(&self, a: &MarkerState, b: &MarkerState) -> Pair {
        match *self {
            Self::Row(row, by) => row.row(a, b).pair().scaled(by),
            Self::Both([(one, by), (two, other)]) => {
                one.row(a, b).pair().scaled(by).plus(&two.row(a, b).pair().scaled(other))
            }
            Self::Spin(axis, by) => Pair::torques(a.frame.axis(axis) * by),
        }
    }

    pub fn change(&self, a: &MarkerState, b: &MarkerState, da: &Variation, db: &Variation) -> Pair {
        match *self {
            Self::Row(row, by) => row.change(a, b, da, db).scaled(by),
            Self::Both([(one, by), (two, other)]) => {
                one.change(a, b, da, db).scaled(by).plus(&two.change(a, b, da, db).scaled(other))
            }
            Self::Spin(axis, by) => Pair::torques(da.turn.cross(&a.frame.axis(axis)) * by),
        }
    }
}

/// Power of a pair with the twists of its markers.
pub fn rate(pair: &Pair, a: &MarkerState, b: &MarkerState) -> f64 {
    let side = |w: &Wrench, m: &MarkerState| w.f.dot(&m.twist.v) + w.t.dot(&m.twist.w);
    side(&pair.a, a) + side(&pair.b, b)
}

/// One sliding surface of a joint.
#[derive(Clone, Debug)]
pub struct FrictionElement {
    pub joint: JointId,
    pub a: usize,
    pub b: usize,
    pub directions: Vec<Direction>,
    pub load: Load,
    pub law: FrictionLaw,
    pub preload: f64,
    /// ε of the load, N.
    pub round: f64,
    /// Its first bristle state, from the first of all.
    pub state: usize,
    /// Pieces of its law in memory; none of laws whose pieces follow the load.
    pub pieces: Range<usize>,
}

impl FrictionElement {
    /// Number of bristle states.
    pub fn states(&self) -> usize {
        if self.law.has_state() { self.directions.len() } else { 0 }
    }

    /// Whether it slides in several directions, so that speed has a size and no sign.
    pub fn in_plane(&self) -> bool {
        self.directions.len() > 1
    }

    /// The sliding velocity, or its size in a plane.
    pub fn velocity(&self, slips: &Slip) -> f64 {
        match self.in_plane() {
            false => slips[0],
            true => slips.iter().map(|s| s * s).sum::<f64>().sqrt(),
        }
    }

    /// Its bristles among those of all.
    pub fn bristles(&self, all: &[f64]) -> Slip {
        let mut z = [0.0; 3];
        let own = all.get(self.state..self.state + self.states()).unwrap_or(&[]);
        z[..own.len()].copy_from_slice(own);
        z
    }

    /// Sliding velocities.
    pub fn slips(&self, a: &MarkerState, b: &MarkerState) -> Slip {
        let mut s = [0.0; 3];
        for (s, direction) in s.iter_mut().zip(&self.directions) {
            *s = rate(&direction.pair(a, b), a, b);
        }
        s
    }

    /// A reaction on side b in axes of side a.
    pub fn seen(reaction: &Wrench, a: &MarkerState) -> [f64; 6] {
        let (f, t) = (a.frame.r.tr_mul(&reaction.f), a.frame.r.tr_mul(&reaction.t));
        [f.x, f.y, f.z, t.x, t.y, t.z]
    }

    /// Wrenches of a load N and coefficients m.
    pub fn pair_of(&self, a: &MarkerState, b: &MarkerState, m: &Slip, load: f64) -> Pair {
        let all = self.directions.iter().zip(m);
        all.fold(Pair::ZERO, |sum, (direction, m)| {
            sum.plus(&direction.pair(a, b).scaled(-load * m))
        })
    }

    /// m, h and the load under a reaction seen from side a.
    #[inline]
    fn sliding(
        &self,
        slip: &Slip,
        z: &Slip,
        memory: (Zone, &[i32]),
        seen: &[f64; 6],
    ) -> (Sliding, f64) {
        if let Some(formula) = self.law.formula().filter(|law| law.follows_load()) {
            return self.sliding_by_load(formula, slip, z, memory, seen);
        }
        let side = Some(memory.0).filter(|_| !self.in_plane());
        let sliding = self.law.evaluate(slip, z, side, Pressed { load: 0.0, pieces: memory.1 });
        let loaded = self.load.of(seen, sliding.coefficient(), self.round);
        (sliding, loaded.value + self.preload)
    }

    /// The same where the coefficient follows the load: (2) of `formula.rs`.
    fn sliding_by_load(
        &self,
        formula: &FrictionFormula,
        slip: &Slip,
        z: &Slip,
        (zone, pieces): (Zone, &[i32]),
        seen: &[f64; 6],
    ) -> (Sliding, f64) {
        let side = Some(zone).filter(|_| !self.in_plane());
        let at =
            |load: f64, pieces: &[i32]| self.law.evaluate(slip, z, side, Pressed { load, pieces });
        let speed = self.velocity(slip).abs();
        let under = |load: f64| match pieces.len() == formula.sites() {
            true => at(load, pieces),
            false => formula.on_pieces(speed, load, |pieces| at(load, pieces)),
        };
        let mut load = self.load.of(seen, 0.0, self.round).value + self.preload;
        for _ in 0..LOADS {
            let sliding = under(load);
            let loaded = self.load.of(seen, sliding.coefficient(), self.round);
            let step = (load - loaded.value - self.preload) / (1.0 - sliding.lean(&loaded));
            load -= step;
            if step.abs() <= f64::EPSILON * load.abs() {
                break;
            }
        }
        (under(load), load)
    }

    /// The coefficient under another load over the present one, and its slope by the load.
    pub fn ratio(&self, now: &Rubbing, (zone, pieces): (Zone, &[i32]), load: f64) -> (f64, f64) {
        let formula = self.law.formula().filter(|law| law.follows_load());
        let (Some(formula), mu) = (formula, now.sliding.coefficient()) else { return (1.0, 0.0) };
        if mu == 0.0 {
            return (1.0, 0.0);
        }
        let v = self.velocity(&now.slip);
        let zone = if self.in_plane() { Zone::Full { positive: true } } else { zone };
        let found = match pieces.len() == formula.sites() {
            true => formula.coefficient(v, zone, load, pieces),
            false => {
                formula.on_pieces(v.abs(), load, |own| formula.coefficient(v, zone, load, own))
            }
        };
        let sign = if found.value < 0.0 { -1.0 } else { 1.0 };
        (found.value.abs() / mu, sign * found.by_load / mu)
    }

    /// What the surface does under a reaction, in a zone and on pieces of its law.
    pub fn act(
        &self,
        a: &MarkerState,
        b: &MarkerState,
        reaction: &Wrench,
        z: &Slip,
        memory: (Zone, &[i32]),
    ) -> Rubbing {
        let slip = self.slips(a, b);
        let (sliding, load) = self.sliding(&slip, z, memory, &Self::seen(reaction, a));
        let pair = self.pair_of(a, b, &sliding.m, load);
        let mut out = Rubbing { slip, sliding, load, pair, ..Rubbing::NONE };
        out.sticks = self.law.sticks(&slip, &sliding.h);
        out.power = -load * slip.iter().zip(&sliding.m).map(|(s, m)| s * m).sum::<f64>();
        out.stored = 0.5 * self.law.stiffness() * load * z.iter().map(|z| z * z).sum::<f64>();
        out
    }
}

/// What a sliding surface does at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Rubbing {
    pub pair: Pair,
    pub slip: Slip,
    pub sliding: Sliding,
    /// N.
    pub load: f64,
    /// Power on the mechanism, W.
    pub power: f64,
    /// ½ σ₀ N z², J.
    pub stored: f64,
    pub sticks: bool,
}

impl Rubbing {
    pub const NONE: Self = Self {
        pair: Pair::ZERO,
        slip: [0.0; 3],
        sliding: Sliding::NONE,
        load: 0.0,
        power: 0.0,
        stored: 0.0,
        sticks: false,
    };

    /// Friction force along the sliding, N.
    pub fn force(&self) -> f64 {
        self.load * self.sliding.coefficient()
    }

    /// Speed of sliding, m/s; of one direction with its sign.
    pub fn speed(&self) -> f64 {
        match self.slip {
            [s, 0.0, 0.0] => s,
            [x, y, z] => (x * x + y * y + z * z).sqrt(),
        }
    }
}

/// Sliding surfaces of a joint with friction.
pub fn surfaces(
    kind: JointKind,
    space: Space,
    friction: &JointFriction,
) -> Vec<(Vec<Direction>, Load)> {
    let JointFriction { radius, thrust_radius, length, .. } = *friction;
    let couple = |by: f64| length.map_or(0.0, |length| by / length);
    let journal = |thrust: f64| Load::Journal { thrust, couple: couple(2.0) };
    let angle = match space {
        Space::Planar => RowKind::Angle,
        Space::Spatial => RowKind::Turn(Turn::Axis),
    };
    let slide = |axis| Direction::Row(RowKind::Slide(axis), 1.0);
    let about = Direction::Row(angle, radius);
    match kind {
        JointKind::Revolute => vec![(vec![about], journal(thrust_radius / radius))],
        JointKind::Prismatic => vec![(vec![slide(Axis::X)], Load::Guide { couple: couple(1.0) })],
        JointKind::Cylindrical => vec![(vec![about, slide(Axis::Z)], journal(0.0))],
        JointKind::Screw { pitch } => {
            let tangent = pitch / (TAU * radius);
            let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
            let rows = [(angle, radius * cosine), (RowKind::Slide(Axis::Z), tangent * cosine)];
            vec![(vec![Direction::Both(rows)], journal(1.0 / cosine))]
        }
        JointKind::Spherical => {
            let spins = [Axis::X, Axis::Y, Axis::Z].map(|axis| Direction::Spin(axis, radius));
            vec![(spins.to_vec(), Load::Ball)]
        }
        JointKind::Universal => [Turn::FirstPin, Turn::SecondPin]
            .map(|pin| (vec![Direction::Row(RowKind::Turn(pin), radius)], Load::Ball))
            .to_vec(),
        JointKind::Planar => {
            let turn = Direction::Row(angle, thrust_radius);
            vec![(vec![slide(Axis::X), slide(Axis::Y), turn], Load::Plate)]
        }
        JointKind::Fixed
        | JointKind::Distance { .. }
        | JointKind::PointOnLine
        | JointKind::PointOnPlane => Vec::new(),
    }
}

/// Sliding surfaces of all ideal joints with friction.
pub fn elements(model: &Model) -> Vec<FrictionElement> {
    let weight: f64 = model.bodies.iter().filter_map(|body| body.mass).sum::<f64>();
    let round = 1e-9 * weight * model.gravity.norm().max(1.0);
    let mut state = 0;
    let mut all = Vec::new();
    let rubs = |joint: &'_ Joint| joint.friction.clone().filter(|_| joint.clearance.is_none());
    for (i, joint) in model.joints.iter().enumerate() {
        let Some(friction) = rubs(joint) else { continue };
        for (directions, load) in surfaces(joint.kind, model.space, &friction) {
            let element = FrictionElement {
                joint: JointId(i),
                a: joint.a.0,
                b: joint.b.0,
                directions,
                load,
                law: friction.law.clone(),
                preload: friction.preload,
                round,
                state,
                pieces: 0..0,
            };
            state += element.states();
            all.push(element);
        }
    }
    all
}
