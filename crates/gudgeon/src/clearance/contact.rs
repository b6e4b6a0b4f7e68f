//! Contact of a journal in its bearing: laws, wrench pair, memory.
//!
//! The force on the journal is −F n − μ(v_t) F t, t the direction of sliding (`geometry.rs`); its
//! power is −F δ̇ − μ F v_c with the velocity v_c of the two bodies against each other where it acts.
//! Of laws with bristles (`sliding.rs`) friction is −F m, and ½ σ₀ F z² is stored in them: gone at the
//! separation, where F = 0. Bristles begin every contact, and go on after a cut, without deflection.
//!
//! Stretched time. A contact force begins and ends like δ^1.5, which spoils the order of any method
//! in t. With the root σ = √δ as a state of its own and dt = s dτ,
//!
//!   s = σ/√(σ² + σ_r²),   dσ/dτ = δ̇/(2√(σ² + σ_r²))                                        (3)
//!
//! every quantity is an analytic function of τ from the touch (σ = 0) to the separation (σ = 0
//! again, where t turns back), so the separation is located on a smooth solution and steps need not
//! shrink towards it. σ_r is the root of the depth expected of the impact; for σ ≫ σ_r time runs
//! as usual. With several contacts the s_i of (3) make one
//!
//!   s = Π s_i / √(Σ_i Π_{j≠i} s_j²)                                                         (4)
//!
//! and dσ_i/dτ is that of (3) times s/s_i. (4) is smooth where one σ passes zero, and where several
//! do at one instant it vanishes like one of them: a plain product would vanish faster and never get
//! away from σ = 0.
//!
//! Modes: free flight; contact; contact with the force cut to zero. While a mode lasts the laws are
//! smooth, and each end of a mode is the fall of a switch:
//!
//! | mode | switch |
//! |---|---|
//! | free     | 1 − e²/c² (e² and not |e|, which has a kink at the centre; 1 − e/c for flat walls) |
//! | contact  | σ/σ_r (e²/c² − 1 in plain time); bracket of the law, of a formula (1) of `formula.rs`; distance of v_t from the edges of its friction zone |
//! | cut      | the same; minus the bracket |

use nalgebra::Vector3;

use super::geometry::{Geometry, Spot};
use super::sliding::Bristles;
use crate::friction::{FrictionLaw, Pressed, Slip, Zone};
use crate::marker::MarkerState;
use crate::math::spatial::Wrench;
use crate::model::Clearance;

/// Least depth at which a law is asked whether it pulls, as a share of that of the impact.
const SHALLOW: f64 = 1e-6;

/// Least load that a formula of friction sees, N: some have a pole at none.
pub(crate) const LIGHT: f64 = 1e-9;

/// Switches per contact: gap, bracket, lower and upper edge of the friction zone.
pub const SWITCHES: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    Free,
    Contact {
        /// Whether the law would pull, so that the force is cut to zero.
        cut: bool,
    },
}

/// Memory of one contact: read by evaluations, written by events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMemory {
    pub mode: Mode,
    /// δ̇⁽⁻⁾ as the law divides by it, m/s.
    pub impact_speed: f64,
    pub zone: Zone,
    /// σ_r of (3), √m.
    pub root_scale: f64,
    /// |e| at which the present flight began, when rounding left it beyond the clearance; the next
    /// contact begins there.
    pub left_at: f64,
}

impl ContactMemory {
    pub const FREE: Self = Self {
        mode: Mode::Free,
        impact_speed: 1.0,
        zone: Zone::Rest,
        root_scale: 1.0,
        left_at: 0.0,
    };

    pub fn in_contact(&self) -> bool {
        self.mode != Mode::Free
    }
}

/// Forces of a contact, all zero in free flight.
#[derive(Clone, Copy, Debug)]
pub struct ContactForce {
    /// F ≥ 0.
    pub normal: f64,
    /// −μ(v_t) F, along the tangent, on the journal; of bristles in a plane minus the size of the force.
    pub friction: f64,
    /// Force on the journal, world axes.
    pub on_journal: Vector3<f64>,
    pub wrench_a: Wrench,
    pub wrench_b: Wrench,
    /// Power of the normal and of the friction force on the mechanism, W.
    pub normal_power: f64,
    pub friction_power: f64,
}

impl ContactForce {
    pub const ZERO: Self = Self {
        normal: 0.0,
        friction: 0.0,
        on_journal: Vector3::new(0.0, 0.0, 0.0),
        wrench_a: Wrench::ZERO,
        wrench_b: Wrench::ZERO,
        normal_power: 0.0,
        friction_power: 0.0,
    };
}

/// What bristles of a contact do, nothing in free flight.
#[derive(Clone, Copy, Debug)]
pub struct Bristling {
    /// ż, m/s.
    pub rates: Slip,
    /// ½ σ₀ F z², J.
    pub stored: f64,
    /// Whether the surfaces stick.
    pub sticks: bool,
}

impl Bristling {
    pub const NONE: Self = Self { rates: [0.0; 3], stored: 0.0, sticks: false };
}

/// A spot with its markers, memory and bristles at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Touch<'s> {
    pub spot: &'s Spot,
    pub clearance: &'s Clearance,
    pub memory: &'s ContactMemory,
    /// Of its normal law, then of friction.
    pub pieces: &'s [i32],
    pub a: &'s MarkerState,
    pub b: &'s MarkerState,
    pub z: Slip,
}

impl Touch<'_> {
    /// Bristles between the surfaces, of a law that has them.
    pub fn bristles(&self, g: &Geometry) -> Option<Bristles> {
        let law = self.clearance.friction.as_ref().filter(|law| law.has_state())?;
        Some(Bristles::new(law, self, g))
    }

    /// Forces of the present mode; `root` is σ where time is stretched.
    #[inline]
    pub fn force(&self, g: &Geometry, root: Option<f64>) -> ContactForce {
        if self.memory.mode != (Mode::Contact { cut: false }) {
            return ContactForce::ZERO;
        }
        let normal = self.normal(g, root);
        let friction = match &self.clearance.friction {
            Some(law) => {
                let pressed = self.pressed_by(normal);
                match law.coefficient(g.sliding, self.memory.zone, pressed) {
                    Some(mu) => -mu.value * normal,
                    None => return self.with_bristles(g, root).0,
                }
            }
            None => 0.0,
        };
        self.pressed(g, normal, friction, g.direction * friction)
    }

    #[inline]
    fn normal(&self, g: &Geometry, root: Option<f64>) -> f64 {
        let law = &self.clearance.normal;
        match root {
            Some(root) => law.force_by_root(root, g.rate, self.memory.impact_speed, self.pieces),
            None => law.force(g.depth, g.rate, self.memory.impact_speed, self.pieces).value,
        }
    }

    /// What friction depends on besides sliding.
    #[inline]
    pub fn pressed_by(&self, normal: f64) -> Pressed<'_> {
        match &self.clearance.friction {
            Some(FrictionLaw::Formula(_)) => Pressed {
                // Beyond the end of a contact the force is negative, its size goes on.
                load: normal.abs().max(LIGHT),
                pieces: &self.pieces[self.clearance.normal.sites()..],
            },
            _ => Pressed { load: 0.0, pieces: &[] },
        }
    }

    /// Forces of a friction force `pull` of the signed size `friction`.
    #[inline]
    fn pressed(
        &self,
        g: &Geometry,
        normal: f64,
        friction: f64,
        pull: Vector3<f64>,
    ) -> ContactForce {
        let (along, couple) = match g.thrust_radius {
            None => (pull, Vector3::zeros()),
            Some(radius) => (Vector3::zeros(), g.direction * (radius * friction)),
        };
        let on_journal = g.normal * -normal + along;
        let moment = |arm| g.moment(arm, &on_journal, &along) + couple;
        ContactForce {
            normal,
            friction,
            on_journal,
            wrench_a: Wrench { f: -on_journal, t: -moment(&g.arm_a) },
            wrench_b: Wrench { f: on_journal, t: moment(&g.arm_b) },
            normal_power: -normal * g.rate,
            friction_power: friction * g.sliding_at_point,
        }
    }

    /// Forces of a law with bristles, and what these do.
    pub fn with_bristles(&self, g: &Geometry, root: Option<f64>) -> (ContactForce, Bristling) {
        let (Some(law), Some(now)) = (&self.clearance.friction, self.bristles(g)) else {
            return (ContactForce::ZERO, Bristling::NONE);
        };
        if self.memory.mode != (Mode::Contact { cut: false }) {
            return (ContactForce::ZERO, Bristling::NONE);
        }
        let normal = self.normal(g, root);
        let single = self.spot.directions() == 1;
        let pull = now.pull() * -normal;
        let friction = if single { -normal * now.sliding.m[0] } else { -pull.norm() };
        let mut force = self.pressed(g, normal, friction, pull);
        if !single {
            // v_c − v_t.
            let extra = self.a.twist.w.cross(&g.normal) * -g.depth;
            force.friction_power = normal * now.power(&extra);
        }
        let sticks = law.sticks(&now.slip, &now.sliding.h);
        (force, Bristling { rates: now.rates, stored: normal * now.stored(law), sticks })
    }
}

/// Values of the switches of the present mode; 1 where a switch has no meaning.
#[inline]
pub fn switches(
    clearance: &Clearance,
    (memory, pieces): (&ContactMemory, &[i32]),
    g: &Geometry,
    root: Option<f64>,
    out: &mut [f64],
) {
    let c = match memory.mode {
        Mode::Free => clearance.radial.max(memory.left_at),
        Mode::Contact { .. } => clearance.radial,
    };
    let gap =
        if g.round { (c - g.distance) * (c + g.distance) / (c * c) } else { (c - g.distance) / c };
    out.fill(1.0);
    match memory.mode {
        Mode::Free => out[0] = gap,
        Mode::Contact { cut } => {
            out[0] = root.map_or(-gap, |root| root / memory.root_scale);
            // Where both forces vanish with the depth, their ratio does not.
            let depth = root.map_or(g.depth, |root| root * root);
            let depth = depth.max(SHALLOW * memory.root_scale * memory.root_scale);
            let law = &clearance.normal;
            if let Some(margin) = law.margin(depth, g.rate, memory.impact_speed, pieces) {
                out[1] = if cut { -margin } else { margin };
            }
            if let (Some(friction), false) = (&clearance.friction, cut) {
                out[2..].copy_from_slice(&friction.edges(g.sliding, memory.zone));
            }
        }
    }
}

/// Rough depth of a free impact, m: there the elastic energy (taken as 0.4 F δ, exact for n = 1.5)
/// equals the kinetic one.
pub fn impact_depth(clearance: &Clearance, effective_mass: f64, speed: f64) -> f64 {
    let kinetic = 0.5 * effective_mass * speed * speed;
    let mut depth = clearance.radial;
    for _ in 0..40 {
        let force = clearance.normal.elastic_force(depth, speed);
        let ratio = kinetic / (0.4 * force * depth);
        if !ratio.is_finite() || ratio <= 0.0 {
            break;
        }
        depth *= ratio.powf(0.4);
        if (ratio - 1.0).abs() < 0.01 {
            break;
        }
    }
    depth
}

/// Rough duration of a free impact, s: 2.94 times depth over speed, exact for n = 1.5.
pub fn impact_duration(clearance: &Clearance, effective_mass: f64, speed: f64) -> f64 {
    2.94 * impact_depth(clearance, effective_mass, speed) / speed
}
