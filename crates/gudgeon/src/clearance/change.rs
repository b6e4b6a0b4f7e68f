//! How the force of a contact changes when its markers move or move faster, within its mode.
//!
//! In plain time: F from δ itself. With n = e/|e|, δn = (δe − n (n·δe))/|e|; the rest is the product
//! rule along `geometry.rs` and `contact.rs`.

use nalgebra::Vector3;

use super::contact::{Mode, Touch};
use super::geometry::{Arm, Geometry, Spot};
use super::normal::NormalForce;
use super::sliding::{Bristles, Moved};
use crate::friction::Slip;
use crate::marker::{MarkerState, Variation};
use crate::math::spatial::{Axis, Pair, Wrench};
use crate::model::Slides;

/// Change of a [`Geometry`].
struct Changed {
    normal: Vector3<f64>,
    direction: Vector3<f64>,
    depth: f64,
    rate: f64,
    sliding: f64,
    /// Of the vector of sliding in a plane.
    slip: Vector3<f64>,
    foot_a: Vector3<f64>,
    foot_b: Vector3<f64>,
}

/// A contact at one point, from which its changes are taken.
pub struct Linearised<'s> {
    touch: Touch<'s>,
    geometry: Geometry,
    bristles: Option<Bristles>,
    /// F, its derivatives by δ and δ̇.
    normal: NormalForce,
}

/// A vector and its change.
type Moving = (Vector3<f64>, Vector3<f64>);

impl<'s> Linearised<'s> {
    /// Of a contact that carries force; others do not change.
    pub fn new(touch: Touch<'s>, geometry: Geometry) -> Option<Self> {
        if touch.memory.mode != (Mode::Contact { cut: false }) {
            return None;
        }
        let (law, speed) = (&touch.clearance.normal, touch.memory.impact_speed);
        let normal = law.force(geometry.depth, geometry.rate, speed, touch.pieces);
        let bristles = touch.bristles(&geometry);
        Some(Self { touch, geometry, bristles, normal })
    }

    /// Change of both wrenches.
    pub fn change(&self, da: &Variation, db: &Variation) -> Pair {
        let (g, d) = (&self.geometry, self.changed(da, db));
        let normal = self.normal.value;
        let normal_change = self.normal.d_depth * d.depth + self.normal.d_rate * d.rate;
        let (friction, friction_change, pull, pull_change) = match &self.bristles {
            Some(bristles) => self.bristled(bristles, &d, normal_change, da),
            None => {
                let law = self.touch.clearance.friction.as_ref();
                let (zone, pressed) = (self.touch.memory.zone, self.touch.pressed_by(normal));
                let mu = law.and_then(|law| law.coefficient(g.sliding, zone, pressed));
                let (friction, change) = mu.map_or((0.0, 0.0), |mu| {
                    let pressed = mu.value + mu.by_load * normal;
                    let change = mu.slope * d.sliding * normal + pressed * normal_change;
                    (-mu.value * normal, -change)
                });
                let pull = g.direction * friction;
                (friction, change, pull, d.direction * friction + g.direction * change)
            }
        };
        let (along, couple) = match g.thrust_radius {
            None => ((pull, pull_change), Vector3::zeros()),
            Some(radius) => {
                let couple = (d.direction * friction + g.direction * friction_change) * radius;
                ((Vector3::zeros(), Vector3::zeros()), couple)
            }
        };
        let force =
            (g.normal * -normal + along.0, d.normal * -normal - g.normal * normal_change + along.1);
        // Only the arm of the bearing changes its reach.
        let on_a = moment(g, &d, &g.arm_a, d.foot_a, d.depth, force, along) + couple;
        let on_b = moment(g, &d, &g.arm_b, d.foot_b, 0.0, force, along) + couple;
        Pair { a: Wrench { f: -force.1, t: -on_a }, b: Wrench { f: force.1, t: on_b } }
    }

    /// Friction of one direction and its change, the force of friction and its change.
    fn bristled(
        &self,
        bristles: &Bristles,
        d: &Changed,
        normal_change: f64,
        da: &Variation,
    ) -> (f64, f64, Vector3<f64>, Vector3<f64>) {
        let normal = self.normal.value;
        let change = bristles.moved(&self.touch, &self.geometry, &d.moved(da));
        let dm = bristles.coefficients(&change);
        let m = bristles.sliding.m[0];
        let turned = bristles.pull_change(&dm, &change.axes);
        (
            -normal * m,
            -normal_change * m - normal * dm[0],
            bristles.pull() * -normal,
            -(bristles.pull() * normal_change + turned * normal),
        )
    }

    /// Change of ż of the bristles.
    pub fn rate_change(&self, da: &Variation, db: &Variation) -> Slip {
        let Some(bristles) = &self.bristles else { return [0.0; 3] };
        let moved = self.changed(da, db).moved(da);
        bristles.rate_change(&self.touch, &self.geometry, &moved, (da, db))
    }

    /// Changes of both wrenches and of ż with bristle state `j`.
    pub fn by_state(&self, j: usize) -> (Pair, Slip) {
        let Some(bristles) = &self.bristles else { return (Pair::ZERO, [0.0; 3]) };
        let g = &self.geometry;
        let (dm, rates) = bristles.by_state(j);
        let pull = bristles.pull_change(&dm, &[Vector3::zeros(); 3]) * -self.normal.value;
        let (along, couple) = match g.thrust_radius {
            None => (pull, Vector3::zeros()),
            Some(radius) => (Vector3::zeros(), pull * radius),
        };
        let moment = |arm| g.moment(arm, &along, &along) + couple;
        let on_a = Wrench { f: -along, t: -moment(&g.arm_a) };
        (Pair { a: on_a, b: Wrench { f: along, t: moment(&g.arm_b) } }, rates)
    }

    fn changed(&self, da: &Variation, db: &Variation) -> Changed {
        let (a, b) = (self.touch.a, self.touch.b);
        match *self.touch.spot {
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
        let clearance = self.touch.clearance;
        let (journal, bearing) = match clearance.slides {
            Slides::Surfaces => (clearance.journal_radius(), clearance.bearing_radius),
            Slides::Centres => (0.0, 0.0),
        };
        let slip = relative + w_b.cross(&g.normal) * journal - w_a.cross(&g.normal) * bearing;
        let slip_change = relative_change + (db.w.cross(&g.normal) + w_b.cross(&normal)) * journal
            - (da.w.cross(&g.normal) + w_a.cross(&normal)) * bearing;
        let across = slip_change
            - normal * g.normal.dot(&slip)
            - g.normal * (normal.dot(&slip) + g.normal.dot(&slip_change));
        let direction = match axis {
            Some((z, z_change)) => z_change.cross(&g.normal) + z.cross(&normal),
            None if g.sliding > 0.0 => {
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
            slip: across,
            foot_a: foot.1,
            foot_b: centre.1,
        }
    }
}

impl Changed {
    fn moved(&self, da: &Variation) -> Moved {
        let &Self { normal, direction, sliding, slip, .. } = self;
        Moved { normal, direction, sliding, slip, turn_a: da.turn }
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
        slip: Vector3::zeros(),
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
        slip: Vector3::zeros(),
        foot_a: d_change,
        foot_b: Vector3::zeros(),
    }
}
