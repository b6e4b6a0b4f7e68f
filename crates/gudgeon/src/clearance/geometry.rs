//! Where two surfaces with play touch: distance, normal, approach and sliding at one instant.
//!
//! a is the bearing, b the journal, d = p_b − p_a, z the axis of a. The centre of the journal's
//! cross-section is displaced by e from the centre of the bearing's, abreast of it:
//!
//! | spot | e | contact at |
//! |---|---|---|
//! | pin    | d                                            | the circle of radius R_J            |
//! | base   | s − z(z·s), s = d + ζ z_b, ζ = ±L/2 or 0     | the circle of radius R_J about p_b + ζ z_b |
//! | ball   | d                                            | the sphere of radius R_J            |
//! | corner | (n·r − ½ width) n, r the corner, n = ±y      | the corner                          |
//! | flange | (n·d) n, n = ±z                              | the axis; friction at a mean radius |
//!
//! With n = e/|e| everywhere
//!
//!   δ = |e| − c,   δ̇ = n · (v_b − v_a at the contact)                                       (1)
//!
//! The bases of a journal that is held parallel to its bearing move alike: they are pressed by the same
//! depth, slide alike, and their forces add to those of one contact at mid length, ζ = 0, under the law of
//! the whole joint (the planar model of augustynek).
//!
//! A base that is tilted against the bearing is taken as a circle across the bearing's axis flores:
//! an error of second order in the tilt, which the clearance keeps below 2c/L.
//!
//! Sliding is the velocity of the journal's surface, at radius R_J, against the bearing's, at R_B:
//!
//!   v_t = v_b + ω_b × R_J n − v_a − ω_a × R_B n, its part across n                          (2)
//!
//! With [`Slides::Centres`] friction sees the velocity of the centre alone, (2) without the turning of both bodies
//! (bai Eq. 7); what it does still acts at the contact, and may drive there.
//!
//! A pin, a corner and a journal that cannot move along its bearing slide along the line t = z × n
//! with a signed velocity; a ball and a journal free to move along slide in a plane, and v_t is the
//! length of its vector. Both wrenches act at one point, on the journal's surface, where the two
//! bodies move at v_c = v_t − δ ω_a × n against each other; so momentum balances exactly.

use nalgebra::Vector3;

use crate::marker::MarkerState;
use crate::math::spatial::Axis;
use crate::model::{Clearance, Form, Slides};

/// One place of a joint where surfaces may touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spot {
    Pin,
    /// A base of a journal, `offset` along its axis, or at 0 both of one that cannot tilt; `plane`
    /// where it slides in a plane.
    Base {
        offset: f64,
        plane: bool,
    },
    Ball,
    /// A corner of a slider, in axes of b; the sign of `y` tells the wall.
    Corner {
        x: f64,
        y: f64,
    },
    /// A flange on the positive or negative side of the journal.
    Flange {
        positive: bool,
        radius: f64,
    },
}

/// The largest indentation that has a meaning, and in words what is pressed in and how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deepest {
    pub what: &'static str,
    pub reference: &'static str,
    /// m
    pub depth: f64,
}

impl Spot {
    /// Whether the journal moves in a circle, so that its centre has an orbit.
    pub fn is_round(&self) -> bool {
        matches!(self, Self::Pin | Self::Base { .. } | Self::Ball)
    }

    /// How deep the surfaces can be pressed into each other at most: then the middle of the journal or
    /// slider has reached the surface of the other side.
    pub fn deepest(&self, clearance: &Clearance) -> Deepest {
        match *self {
            Self::Pin | Self::Base { .. } | Self::Ball => Deepest {
                what: "the journal",
                reference: "its radius",
                depth: clearance.bearing_radius - clearance.radial,
            },
            Self::Corner { y, .. } => Deepest {
                what: "a corner",
                reference: "half the width of the slider",
                depth: y.abs(),
            },
            Self::Flange { .. } => Deepest {
                what: "a flange",
                reference: "half the length of the bearing",
                depth: match clearance.form {
                    Form::Journal { bearing_length, .. } => 0.5 * bearing_length,
                    Form::Pin | Form::Ball | Form::Guide { .. } => f64::INFINITY,
                },
            },
        }
    }

    /// Name within its joint, empty where a joint has one spot only.
    pub fn name(&self) -> &'static str {
        match *self {
            Self::Pin | Self::Ball => "",
            Self::Base { offset, .. } if offset > 0.0 => "V",
            Self::Base { offset, .. } if offset < 0.0 => "W",
            Self::Base { .. } => "",
            Self::Corner { x, y } => match (x > 0.0, y > 0.0) {
                (true, true) => "front_upper",
                (false, true) => "rear_upper",
                (true, false) => "front_lower",
                (false, false) => "rear_lower",
            },
            Self::Flange { positive: true, .. } => "upper_flange",
            Self::Flange { positive: false, .. } => "lower_flange",
        }
    }
}

/// Geometry of a spot at one instant, world axes.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// e.
    pub eccentricity: Vector3<f64>,
    /// |e|; of corners and flanges signed.
    pub distance: f64,
    pub normal: Vector3<f64>,
    /// δ, δ̇.
    pub depth: f64,
    pub rate: f64,
    /// v_t along `direction`, and v_c likewise.
    pub sliding: f64,
    pub sliding_at_point: f64,
    /// Direction in which the journal slides; the axis of turning of a flange.
    pub direction: Vector3<f64>,
    /// From the markers to the point where the wrenches act.
    pub arm_a: Arm,
    pub arm_b: Arm,
    /// Radius at which friction makes a torque about `direction` instead of a force along it.
    pub thrust_radius: Option<f64>,
    /// Whether |e| is the length of a vector, with a kink where it is zero.
    pub round: bool,
}

/// A way to the contact: a vector, then a length along the normal. The normal force has no moment
/// about the second part, which a product of vectors would give by rounding.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    pub foot: Vector3<f64>,
    pub reach: f64,
}

impl Geometry {
    /// Moment at a marker of the force `along` the surface and −F n at the end of an arm.
    #[inline(always)]
    pub fn moment(&self, arm: &Arm, force: &Vector3<f64>, along: &Vector3<f64>) -> Vector3<f64> {
        arm.foot.cross(force) + self.normal.cross(along) * arm.reach
    }
}

#[inline]
pub fn geometry(spot: &Spot, clearance: &Clearance, a: &MarkerState, b: &MarkerState) -> Geometry {
    match *spot {
        Spot::Pin => pin(clearance, a, b),
        Spot::Base { offset, plane } => base(clearance, offset, plane, a, b),
        Spot::Ball => ball(clearance, a, b),
        Spot::Corner { x, y } => corner(clearance, x, y, a, b),
        Spot::Flange { positive, radius } => flange(clearance, positive, radius, a, b),
    }
}

/// e alone.
#[inline]
pub fn eccentricity(
    spot: &Spot,
    clearance: &Clearance,
    a: &MarkerState,
    b: &MarkerState,
) -> Vector3<f64> {
    match spot {
        Spot::Pin | Spot::Ball => b.frame.p - a.frame.p,
        Spot::Base { .. } | Spot::Corner { .. } | Spot::Flange { .. } => {
            geometry(spot, clearance, a, b).eccentricity
        }
    }
}

/// The plane case of [`base`], without the components that vanish there.
#[inline(always)]
fn pin(clearance: &Clearance, a: &MarkerState, b: &MarkerState) -> Geometry {
    let e = b.frame.p - a.frame.p;
    let distance = e.norm();
    let normal = if distance > 0.0 { e / distance } else { Vector3::x() };
    let tangent = Vector3::new(-normal.y, normal.x, 0.0);
    let relative = b.twist.v - a.twist.v;
    let depth = distance - clearance.radial;
    let journal = clearance.journal_radius();
    let of_centre = tangent.dot(&relative);
    let of_surfaces = of_centre + b.twist.w.z * journal - a.twist.w.z * clearance.bearing_radius;
    Geometry {
        eccentricity: e,
        distance,
        normal,
        depth,
        rate: normal.dot(&relative),
        sliding: match clearance.slides {
            Slides::Surfaces => of_surfaces,
            Slides::Centres => of_centre,
        },
        sliding_at_point: of_surfaces - a.twist.w.z * depth,
        direction: tangent,
        arm_a: Arm { foot: Vector3::zeros(), reach: distance + journal },
        arm_b: Arm { foot: Vector3::zeros(), reach: journal },
        thrust_radius: None,
        round: true,
    }
}

fn base(
    clearance: &Clearance,
    offset: f64,
    plane: bool,
    a: &MarkerState,
    b: &MarkerState,
) -> Geometry {
    let z = a.frame.axis(Axis::Z);
    let centre = b.frame.axis(Axis::Z) * offset;
    let s = b.frame.p - a.frame.p + centre;
    let foot = z * z.dot(&s);
    let e = s - foot;
    let distance = e.norm();
    let normal = if distance > 0.0 { e / distance } else { a.frame.axis(Axis::X) };
    let relative = b.twist.v + b.twist.w.cross(&centre) - a.twist.v - a.twist.w.cross(&foot);
    let tangent = z.cross(&normal);
    let line = if plane { None } else { Some(tangent) };
    round(clearance, (e, distance, normal), relative, (foot, centre), line, tangent, a, b)
}

fn ball(clearance: &Clearance, a: &MarkerState, b: &MarkerState) -> Geometry {
    let e = b.frame.p - a.frame.p;
    let distance = e.norm();
    let normal = if distance > 0.0 { e / distance } else { a.frame.axis(Axis::X) };
    let nowhere = (Vector3::zeros(), Vector3::zeros());
    let across = a.frame.axis(Axis::Z);
    let relative = b.twist.v - a.twist.v;
    round(clearance, (e, distance, normal), relative, nowhere, None, across, a, b)
}

/// A circle or a ball inside a larger one: `foot` and `centre` lead from the markers to the two
/// centres, `relative` is the velocity of one against the other.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
fn round(
    clearance: &Clearance,
    (e, distance, normal): (Vector3<f64>, f64, Vector3<f64>),
    relative: Vector3<f64>,
    (foot, centre): (Vector3<f64>, Vector3<f64>),
    line: Option<Vector3<f64>>,
    at_rest: Vector3<f64>,
    a: &MarkerState,
    b: &MarkerState,
) -> Geometry {
    let depth = distance - clearance.radial;
    let journal = clearance.journal_radius();
    let bearing_turn = a.twist.w.cross(&normal);
    let of_surfaces =
        relative + b.twist.w.cross(&normal) * journal - bearing_turn * clearance.bearing_radius; // (2)
    let slip = match clearance.slides {
        Slides::Surfaces => of_surfaces,
        Slides::Centres => relative,
    };
    let direction = line.unwrap_or_else(|| {
        let across = slip - normal * normal.dot(&slip);
        let speed = across.norm();
        if speed > 0.0 { across / speed } else { at_rest }
    });
    Geometry {
        eccentricity: e,
        distance,
        normal,
        depth,
        rate: normal.dot(&relative),
        sliding: direction.dot(&slip),
        sliding_at_point: direction.dot(&(of_surfaces - bearing_turn * depth)),
        direction,
        arm_a: Arm { foot, reach: distance + journal },
        arm_b: Arm { foot: centre, reach: journal },
        thrust_radius: None,
        round: true,
    }
}

fn corner(clearance: &Clearance, x: f64, y: f64, a: &MarkerState, b: &MarkerState) -> Geometry {
    let arm_b = b.frame.r * Vector3::new(x, y, 0.0);
    let arm_a = b.frame.p - a.frame.p + arm_b;
    let normal = a.frame.axis(Axis::Y) * y.signum();
    let distance = normal.dot(&arm_a) - y.abs();
    let slip = b.twist.v + b.twist.w.cross(&arm_b) - a.twist.v - a.twist.w.cross(&arm_a);
    let direction = a.frame.axis(Axis::Z).cross(&normal);
    let sliding = direction.dot(&slip);
    Geometry {
        eccentricity: normal * distance,
        distance,
        normal,
        depth: distance - clearance.radial,
        rate: normal.dot(&slip),
        sliding,
        sliding_at_point: sliding,
        direction,
        arm_a: Arm { foot: arm_a, reach: 0.0 },
        arm_b: Arm { foot: arm_b, reach: 0.0 },
        thrust_radius: None,
        round: false,
    }
}

fn flange(
    clearance: &Clearance,
    positive: bool,
    radius: f64,
    a: &MarkerState,
    b: &MarkerState,
) -> Geometry {
    let d = b.frame.p - a.frame.p;
    let z = a.frame.axis(Axis::Z);
    let normal = if positive { z } else { -z };
    let distance = normal.dot(&d);
    let relative = b.twist.v - a.twist.v - a.twist.w.cross(&d);
    let sliding = radius * z.dot(&(b.twist.w - a.twist.w));
    Geometry {
        eccentricity: normal * distance,
        distance,
        normal,
        depth: distance - clearance.radial,
        rate: normal.dot(&relative),
        sliding,
        sliding_at_point: sliding,
        direction: z,
        arm_a: Arm { foot: d, reach: 0.0 },
        arm_b: Arm { foot: Vector3::zeros(), reach: 0.0 },
        thrust_radius: Some(radius),
        round: false,
    }
}
