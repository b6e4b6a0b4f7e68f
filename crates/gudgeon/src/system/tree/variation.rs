//! How the bodies of a tree move when one coordinate is displaced, and when one velocity grows.
//!
//! Seen from its carrier, whose spin is ω_p, a link has the arm d between the centres, the velocity ν of its own centre
//! and the spin w, so that (1) and (2) of `link.rs` read
//!
//!   ω = ω_p + w,   V = V_p + ω_p × d + ν                                                         (1)
//!   α = α_p + ω_p × w + ẇ,   a = a_p + α_p × d + ω_p × (ω_p × d + 2ν) + ν̇                        (2)
//!
//! with ν̇ and ẇ as seen from the carrier; a and α are the accelerations at given v̇, not biases alone. A displacement along
//! the column (h + e × r, e) of a link, r from the joint's frame C to the centre, moves all that the link carries like one rigid
//! body and turns it by φ = e, while rates along the joints' own axes stay. Of every vector x the part that does not just
//! turn is kept, δ′x = δx − φ × x. Carried on to a link beyond,
//!
//!   δ′ω = δ′ω_p,   δ′V = δ′V_p + δ′ω_p × d,   δ′α = δ′α_p + δ′ω_p × w
//!   δ′a = δ′a_p + δ′α_p × d + δ′ω_p × (ω_p × d) + ω_p × (δ′ω_p × d) + 2 δ′ω_p × ν               (3)
//!
//! At the displaced link itself the carrier rests, δd = h + e × r, and (1), (2) vary with
//!
//!   δν = δw × r + w × (e × r)
//!   δν̇ = δẇ × r + ẇ × (e × r) + δw × (w × r) + w × (δw × r) + w × (w × (e × r))                  (4)
//!
//! where δw and δẇ come from axes of the joint that the displacement turns:
//!
//! | joint | δw | δẇ |
//! |---|---|---|
//! | spherical, free: axes on the link   | e × w | e × ẇ |
//! | universal, by the turn about the axis e_P on P | δe_C β̇, δe_C = e_P × e_C | δe_C β̈ + e_P × δe_C α̇ β̇ |
//! | all others: axes on P               | 0 | 0 |
//!
//! A velocity that grows along (h + e × r, e) gives δω = e, δV = h + e × r, and with δẇ = e_P × e_C times the rate about the
//! other axis of a universal joint, 0 elsewhere,
//!
//!   δα = ω_p × e + δẇ,   δa = 2 ω_p × (h + e × r) + δẇ × r + e × (w × r) + w × (e × r)           (5)
//!
//! and goes on by (3) with φ = 0.

use nalgebra::{Matrix3, SVector, Vector3};

use super::link::{COLUMNS, Coordinates, Link, Motion};
use crate::system::component::BodyState;

/// Axes of a joint that its own coordinates turn.
#[derive(Clone, Copy, Debug)]
enum Axes {
    /// None.
    Held,
    /// All: they lie on the link.
    OnLink,
    /// That of one column of a universal joint.
    Pins(Pins),
}

/// The pins of a universal joint: axes on P and on C, the column of the latter, both rates by column, β̈.
#[derive(Clone, Copy, Debug)]
struct Pins {
    on_p: Vector3<f64>,
    on_c: Vector3<f64>,
    moving: usize,
    rate: [f64; 2],
    second: f64,
}

/// A column: displacement of the centre, turn.
pub(super) type Column = (Vector3<f64>, Vector3<f64>);

/// A link at a point, in world axes: what its variations follow from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    pub r: Matrix3<f64>,
    pub arm: Vector3<f64>,
    /// Of the unknown velocities, and their numbers among those of the joint.
    pub columns: [Column; COLUMNS],
    unknown: [usize; COLUMNS],
    axes: Axes,
    /// r of (4).
    from_joint: Vector3<f64>,
    /// ω_p, α_p.
    carrier: [Vector3<f64>; 2],
    /// ν, w, ẇ.
    apart: [Vector3<f64>; 3],
    /// V, ω, a, α.
    pub moves: [Vector3<f64>; 4],
}

/// Linear and angular accelerations.
pub(super) type Acceleration = [Vector3<f64>; 2];

impl Carried {
    pub const REST: Self = {
        let zero = Vector3::new(0.0, 0.0, 0.0);
        Self {
            r: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
            arm: zero,
            columns: [(zero, zero); COLUMNS],
            unknown: [0; COLUMNS],
            axes: Axes::Held,
            from_joint: zero,
            carrier: [zero; 2],
            apart: [zero; 3],
            moves: [zero; 4],
        }
    };

    /// From the states of carrier and link, their accelerations, all columns of the joint, and its coordinates.
    pub fn new<const D: usize>(
        link: &Link,
        (carrier, own): (&BodyState, &BodyState),
        (before, a): (Acceleration, Acceleration),
        all: &[SVector<f64, D>; COLUMNS],
        at: &Coordinates,
    ) -> Self {
        let arm = own.frame.p - carrier.frame.p;
        let (spin, w) = (carrier.twist.w, own.twist.w - carrier.twist.w);
        let relative = own.twist.v - carrier.twist.v - spin.cross(&arm);
        let spin_rate = a[1] - before[1] - spin.cross(&w);
        let mut columns = [(Vector3::zeros(), Vector3::zeros()); COLUMNS];
        for (column, &k) in columns.iter_mut().zip(&link.unknown[..link.free]) {
            *column = in_parts(&all[k]);
        }
        let axes = match link.motion {
            Motion::Spherical | Motion::Free => Axes::OnLink,
            Motion::Universal => {
                let moving = usize::from(!link.reversed);
                Axes::Pins(Pins {
                    on_p: in_parts(&all[1 - moving]).1,
                    on_c: in_parts(&all[moving]).1,
                    moving,
                    rate: [at.rate[0], at.rate[1]],
                    second: at.second[moving],
                })
            }
            Motion::Revolute
            | Motion::Prismatic
            | Motion::Cylindrical
            | Motion::Screw { .. }
            | Motion::Planar
            | Motion::Fixed => Axes::Held,
        };
        Self {
            r: own.frame.r,
            arm,
            columns,
            unknown: link.unknown,
            axes,
            from_joint: -(own.frame.r * link.outboard.p),
            carrier: [spin, before[1]],
            apart: [relative, w, spin_rate],
            moves: [own.twist.v, own.twist.w, a[0], a[1]],
        }
    }

    /// By how much the axis of unknown column m turns when the link is displaced along k.
    fn axis_change(&self, m: usize, k: usize) -> Vector3<f64> {
        match &self.axes {
            Axes::Held => Vector3::zeros(),
            Axes::OnLink => self.columns[k].1.cross(&self.columns[m].1),
            Axes::Pins(pins)
                if self.unknown[m] == pins.moving && self.unknown[k] != pins.moving =>
            {
                pins.on_p.cross(&pins.on_c)
            }
            Axes::Pins(_) => Vector3::zeros(),
        }
    }

    /// Change of unknown column m when the link is displaced along k.
    pub fn column_change(&self, m: usize, k: usize) -> Column {
        let (turn, r) = (self.axis_change(m, k), &self.from_joint);
        let moved = self.columns[k].1.cross(r);
        (turn.cross(r) + self.columns[m].1.cross(&moved), turn)
    }

    /// δw and δẇ of the table.
    fn turned_axes(&self, k: usize) -> [Vector3<f64>; 2] {
        let [_, w, w_rate] = &self.apart;
        match &self.axes {
            Axes::Held => [Vector3::zeros(); 2],
            Axes::OnLink => [w, w_rate].map(|x| self.columns[k].1.cross(x)),
            Axes::Pins(pins) if self.unknown[k] != pins.moving => {
                let turned = pins.on_p.cross(&pins.on_c);
                let both = pins.rate[0] * pins.rate[1];
                let rate = turned * pins.second + pins.on_p.cross(&turned) * both;
                [turned * pins.rate[pins.moving], rate]
            }
            Axes::Pins(_) => [Vector3::zeros(); 2],
        }
    }

    /// The link displaced along unknown column k: (4).
    pub fn displaced(&self, k: usize) -> Swing {
        let (along, e) = self.columns[k];
        let (r, [spin, turning], [_, w, w_rate]) = (&self.from_joint, &self.carrier, &self.apart);
        let [w_change, rate_change] = self.turned_axes(k);
        let moved = e.cross(r);
        let relative = w_change.cross(r) + w.cross(&moved);
        let relative_rate = rate_change.cross(r)
            + w_rate.cross(&moved)
            + w_change.cross(&w.cross(r))
            + w.cross(&relative);
        let velocity = spin.cross(&along) + relative;
        let linear = turning.cross(&along)
            + spin.cross(&(spin.cross(&along) + relative * 2.0))
            + relative_rate;
        let angular = spin.cross(&w_change) + rate_change;
        let [v, omega, a, alpha] = &self.moves;
        Swing {
            p: along,
            turn: e,
            v: velocity - e.cross(v),
            w: w_change - e.cross(omega),
            a: linear - e.cross(a),
            alpha: angular - e.cross(alpha),
        }
    }

    /// The link faster along unknown column k: (5).
    pub fn faster(&self, k: usize) -> Swing {
        let (along, e) = self.columns[k];
        let (r, [spin, _], [_, w, _]) = (&self.from_joint, &self.carrier, &self.apart);
        let rate = match &self.axes {
            Axes::Held | Axes::OnLink => Vector3::zeros(),
            Axes::Pins(pins) => pins.on_p.cross(&pins.on_c) * pins.rate[1 - self.unknown[k]],
        };
        Swing {
            v: along,
            w: e,
            a: spin.cross(&along) * 2.0
                + rate.cross(r)
                + e.cross(&w.cross(r))
                + w.cross(&e.cross(r)),
            alpha: spin.cross(&e) + rate,
            ..Swing::NONE
        }
    }
}

/// A variation of a link: δ of its centre, φ, and δ′ of V, ω, a and α.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swing {
    pub p: Vector3<f64>,
    pub turn: Vector3<f64>,
    pub v: Vector3<f64>,
    pub w: Vector3<f64>,
    pub a: Vector3<f64>,
    pub alpha: Vector3<f64>,
}

impl Swing {
    pub const NONE: Self = {
        let zero = Vector3::new(0.0, 0.0, 0.0);
        Self { p: zero, turn: zero, v: zero, w: zero, a: zero, alpha: zero }
    };

    /// The same of a link that this one carries: (3).
    pub fn carried_to(&self, link: &Carried) -> Self {
        let (d, [spin, _], [relative, w, _]) = (&link.arm, &link.carrier, &link.apart);
        let along = self.w.cross(d);
        Self {
            p: self.p + self.turn.cross(d),
            turn: self.turn,
            v: self.v + along,
            w: self.w,
            a: self.a
                + self.alpha.cross(d)
                + self.w.cross(&(spin.cross(d) + relative * 2.0))
                + spin.cross(&along),
            alpha: self.alpha + self.w.cross(w),
        }
    }
}

/// Linear and angular part of a column of sweeps.
fn in_parts<const D: usize>(x: &SVector<f64, D>) -> Column {
    match D {
        3 => (Vector3::new(x[0], x[1], 0.0), Vector3::new(0.0, 0.0, x[2])),
        _ => (Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5])),
    }
}
