//! How the force of a contact changes when its markers move or move faster, within its mode.
//!
//! In plain time: F from δ itself. With n = e/|e|, δn = (δe − n (n·δe))/|e|; the rest is the product
//! rule along `geometry.rs` and `contact.rs`.

use nalgebra::Vector3;

use super::contact::{ContactMemory, Mode};
use super::geometry::{Arm, Geometry, Spot};
use crate::marker::{MarkerState, Variation};
use crate::math::spatial::{Axis, Pair, Wrench};
use crate::model::Clearance;

/// Change of a [`Geometry`].
struct Changed {
    normal: Vector3<f64>,
    direction: Vector3<f64>,
    depth: f64,
    rate: f64,
    sliding: f64,
    foot_a: Vector3<f64>,
    foot_b: Vector3<f64>,
}

/// A contact at one point, from which its changes are taken.
pub struct Linearised<'s> {
    pub spot: &'s Spot,
    pub clearance: &'s Clearance,
    pub memory: &'s ContactMemory,
    pub geometry: Geometry,
}

/// A vector and its change.
type Moving = (Vector3<f64>, Vector3<f64>);

impl Linearised<'_> {
    /// Change of both wrenches.
    pub fn change(&self, a: &MarkerState, b: &MarkerState, da: &Variation, db: &Variation) -> Pair {
        if self.memory.mode != (Mode::Contact { cut: false }) {
            return Pair::ZERO;
        }
        let (g, d) = (&self.geometry, self.changed(a, b, da, db));
        let law = self.clearance.normal.force(g.depth, g.rate, self.memory.impact_speed);
        let normal = law.value;
        let normal_change = law.d_depth * d.depth + law.d_rate * d.rate;
        let (friction, friction_change) = match &self.clearance.friction {
            Some(law) => {
                let mu = law.coefficient(g.sliding, self.memory.zone);
                let change = mu.slope * d.sliding * normal + mu.value * normal_change;
                (-mu.value * normal, -change)
            }
            None => (0.0, 0.0),
        };
        let (pull, pull_change) =
            (g.direction * friction, d.direction * friction + g.direction * friction_change);
        let (along, couple) = match g.thrust_radius {
            None => ((pull, pull_change), Vector3::zeros()),
            Some(radius) => ((Vector3::zeros(), Vector3::zeros()), pull_change * radius),
        };
        let force =
            (g.normal * -normal + along.0, d.normal * -normal - g.normal * normal_change + along.1);
        // Only the arm of the bearing changes its reach.
        let on_a = moment(g, &d, &g.arm_a, d.foot_a, d.depth, force, along) + couple;
        let on_b = moment(g, &d, &g.arm_b, d.foot_b, 0.0, force, along) + couple;
        Pair { a: Wrench { f: -force.1, t: -on_a }, b: Wrench { f: force.1, t: on_b } }
    }

    fn changed(&self, a: &MarkerState, b: &MarkerState, da: &Variation, db: &Variation) -> Changed {
        match *self.spot {
            Spot::Pin => self.round(0.0, true, a, b, da, db),
            Spot::Base { offset, plane } => self.round(offset, !plane, a, b, da, db),
            Spot::Ball => self.ball(a, b, da, db),
            Spot::Corner { x, y } => corner(&self.geometry, (x, y), a, b, da, db),
            Spot::Flange { radius, .. } => flange(&self.geometry, radius, a, b, da, db),
        }
    }

    fn round(
        &self,
        offset: f64,
        line: bool,
        a: &MarkerState,
        b: &MarkerState,
        da: &Variation,
        db: &Variation,
    ) -> Changed {
        let z = a.frame.axis(Axis::Z);
        let z_change = da.turn.cross(&z);
        let centre = b.frame.axis(Axis::Z) * offset;
        let centre_change = db.turn.cross(&centre);
        let s = b.frame.p - a.frame.p + centre;
        let s_change = db.p - da.p + centre_change;
        let foot = z * z.dot(&s);
        let foot_change = z_change * z.dot(&s) + z * (z_change.dot(&s) + z.dot(&s_change));
        let feet = ((foot, foot_change), (centre, centre_change));
        let axis = line.then_some((z, z_change));
        self.circle(s_change - foot_change, feet, axis, a, b, da, db)
    }

    fn ball(&self, a: &MarkerState, b: &MarkerState, da: &Variation, db: &Variation) -> Changed {
        let nowhere = (Vector3::zeros(), Vector3::zeros());
        self.circle(db.p - da.p, (nowhere, nowhere), None, a, b, da, db)
    }

    /// A circle or ball whose centre moves by `e_change` against that of the larger one; it slides along
    /// the line across `axis`, or in a plane.
    #[allow(clippy::too_many_arguments)]
    fn circle(
        &self,
        e_change: Vector3<f64>,
        (foot, centre): (Moving, Moving),
        axis: Option<Moving>,
        a: &MarkerState,
        b: &MarkerState,
        da: &Variation,
        db: &Variation,
    ) -> Changed {
        let g = &self.geometry;
        let depth = g.normal.dot(&e_change);
        let normal = (e_change - g.normal * depth) / g.distance;
        let (w_a, w_b) = (&a.twist.w, &b.twist.w);
        let relative = b.twist.v + w_b.cross(&centre.0) - a.twist.v - w_a.cross(&foot.0);
        let relative_change = db.v + db.w.cross(&centre.0) + w_b.cross(&centre.1)
            - da.v
            - da.w.cross(&foot.0)
            - w_a.cross(&foot.1);
        let (journal, bearing) = (self.clearance.journal_radius(), self.clearance.bearing_radius);
        let slip = relative + w_b.cross(&g.normal) * journal - w_a.cross(&g.normal) * bearing;
        let slip_change = relative_change + (db.w.cross(&g.normal) + w_b.cross(&normal)) * journal
            - (da.w.cross(&g.normal) + w_a.cross(&normal)) * bearing;
        let direction = match axis {
            Some((z, z_change)) => z_change.cross(&g.normal) + z.cross(&normal),
            None if g.sliding > 0.0 => {
                let across = slip_change
                    - normal * g.normal.dot(&slip)
                    - g.normal * (normal.dot(&slip) + g.normal.dot(&slip_change));
                (across - g.direction * g.direction.dot(&across)) / g.sliding
            }
            None => Vector3::zeros(),
        };
        Changed {
            normal,
            direction,
            depth,
            rate: normal.dot(&relative) + g.normal.dot(&relative_change),
            sliding: direction.dot(&slip) + g.direction.dot(&slip_change),
            foot_a: foot.1,
            foot_b: centre.1,
        }
    }
}

/// Change of the moment at the end of an arm.
fn moment(
    g: &Geometry,
    d: &Changed,
    arm: &Arm,
    foot: Vector3<f64>,
    reach: f64,
    force: Moving,
    along: Moving,
) -> Vector3<f64> {
    let reach = if g.round { reach } else { 0.0 };
    foot.cross(&force.0)
        + arm.foot.cross(&force.1)
        + (d.normal.cross(&along.0) + g.normal.cross(&along.1)) * arm.reach
        + g.normal.cross(&along.0) * reach
}

fn corner(
    g: &Geometry,
    (x, y): (f64, f64),
    a: &MarkerState,
    b: &MarkerState,
    da: &Variation,
    db: &Variation,
) -> Changed {
    let arm_b = b.frame.r * Vector3::new(x, y, 0.0);
    let arm_a = b.frame.p - a.frame.p + arm_b;
    let b_change = db.turn.cross(&arm_b);
    let a_change = db.p - da.p + b_change;
    let slip = b.twist.v + b.twist.w.cross(&arm_b) - a.twist.v - a.twist.w.cross(&arm_a);
    let slip_change = db.v + db.w.cross(&arm_b) + b.twist.w.cross(&b_change)
        - da.v
        - da.w.cross(&arm_a)
        - a.twist.w.cross(&a_change);
    let (normal, direction) = (da.turn.cross(&g.normal), da.turn.cross(&g.direction));
    Changed {
        normal,
        direction,
        depth: normal.dot(&arm_a) + g.normal.dot(&a_change),
        rate: normal.dot(&slip) + g.normal.dot(&slip_change),
        sliding: direction.dot(&slip) + g.direction.dot(&slip_change),
        foot_a: a_change,
        foot_b: b_change,
    }
}

fn flange(
    g: &Geometry,
    radius: f64,
    a: &MarkerState,
    b: &MarkerState,
    da: &Variation,
    db: &Variation,
) -> Changed {
    let d = b.frame.p - a.frame.p;
    let d_change = db.p - da.p;
    let relative = b.twist.v - a.twist.v - a.twist.w.cross(&d);
    let relative_change = db.v - da.v - da.w.cross(&d) - a.twist.w.cross(&d_change);
    let normal = da.turn.cross(&g.normal);
    let (z, z_change) = (g.direction, da.turn.cross(&g.direction));
    let spin = z_change.dot(&(b.twist.w - a.twist.w)) + z.dot(&(db.w - da.w));
    Changed {
        normal,
        direction: z_change,
        depth: normal.dot(&d) + g.normal.dot(&d_change),
        rate: normal.dot(&relative) + g.normal.dot(&relative_change),
        sliding: radius * spin,
        foot_a: d_change,
        foot_b: Vector3::zeros(),
    }
}
