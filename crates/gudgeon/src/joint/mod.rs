//! Rows of ideal joints and drivers with respect to the twists of two markers.
//!
//! With d = p_b − p_a and x, y, z the axes of a marker, a joint is a list of primitive rows g = 0:
//!
//! | row | g | ġ |
//! |---|---|---|
//! | point     | d · u, u fixed in the world      | u · (v_b − v_a)                               (1) |
//! | slide     | d · n − s(t), n an axis of a     | n · (v_b − v_a) + ω_a · (n × d) − ṡ           (2) |
//! | angle     | φ − α(t), planar angles          | z · (ω_b − ω_a) − α̇                           (3) |
//! | square    | u · w, u an axis of a, w of b    | (u × w) · (ω_a − ω_b)                         (4) |
//! | turn      | atan2(S, C) − α(t), S and C dot products of axes | (C Ṡ − S Ċ)/(S² + C²) − α̇     (5) |
//! | tip       | asin(x_a · z_b) − α(t)           | as (4), over the cosine                       (6) |
//! | distance  | (d · d − l²)/(2l)                | d · (v_b − v_a)/l                             (7) |
//! | helix     | d · z_a − (pitch/2π) φ           | (2) − (pitch/2π) (5)                          (8) |
//!
//! | joint | rows in space | in the plane |
//! |---|---|---|
//! | revolute      | point x y z; z_b square to x_a, y_a            | point x y |
//! | prismatic     | slide y z; all axes square                     | slide y; angle |
//! | cylindrical   | slide x y; z_b square to x_a, y_a              | – |
//! | spherical     | point x y z                                    | – |
//! | universal     | point x y z; y_b square to x_a                 | – |
//! | planar        | slide z; z_b square to x_a, y_a                | – |
//! | fixed         | point x y z; all axes square                   | point x y; angle |
//! | screw         | slide x y; z_b square to x_a, y_a; helix       | – |
//! | distance      | distance                                       | distance |
//! | point on line | slide y z                                      | slide y |
//! | point on plane| slide z                                        | – |
//! | journal with play: `axial` fixed | slide z                     | – |
//! | journal with play: `tilt` fixed  | z_b square to x_a, y_a      | – |
//!
//! Each row is a pair of unit wrenches: ġ = W_a · V_a + W_b · V_b + g_t, and the reaction on b is
//! −λ W_b. For a driver g = φ − α(t) this gives the torque T = −λ on b and the power λ g_t.
//! The second derivative is W · V̇ + Ẇ · V. A row gives Ẇ · V; of V̇ = J v̇ + J̇v the bias J̇v of both markers
//! is added in one place, [`RowWrenches::bias`]. For (2) and (4):
//!
//!   g̈ = n · (a_b − a_a) + (ω̇_a × n) · d + 2 (ω_a × n) · (v_b − v_a) + (ω_a × (ω_a × n)) · d (9)
//!   g̈ = (u × w) · (ω̇_a − ω̇_b) + (ω_a×(ω_a×u)) · w + 2 (ω_a×u) · (ω_b×w) + u · (ω_b×(ω_b×w)) (10)

mod change;

use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::marker::MarkerState;
use crate::math::spatial::{Axis, Wrench};
use crate::model::{Axial, Coordinate, JointKind, Space, Tilt};
use crate::system::component::InternalRow;

/// A primitive row between two markers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowKind {
    Point(Axis),
    Slide(Axis),
    Angle,
    Square(Axis, Axis),
    Turn(Turn),
    Tip,
    Distance {
        length: f64,
    },
    Helix {
        pitch: f64,
    },
    /// A row within a body, which its component answers for: it has no markers.
    Internal(InternalRow),
}

/// Which angle a [`RowKind::Turn`] measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// About z: S = x_b · y_a, C = x_b · x_a.
    Axis,
    /// α of R_x(α) R_y(β) R_z(γ): S = −y_a · z_b, C = z_a · z_b.
    First,
    /// γ of it: S = −x_a · y_b, C = x_a · x_b.
    Third,
    /// α of a universal joint, where γ = 0: S = z_a · y_b, C = y_a · y_b, regular over full turns.
    FirstPin,
    /// β of it: S = x_a · z_b, C = x_a · x_b.
    SecondPin,
}

/// Unit wrenches W of a row, and Ẇ · V.
#[derive(Clone, Copy, Debug)]
pub struct RowWrenches {
    pub on_a: Wrench,
    pub on_b: Wrench,
    /// Ẇ · V.
    pub turned: f64,
}

impl RowWrenches {
    pub const ZERO: Self = Self { on_a: Wrench::ZERO, on_b: Wrench::ZERO, turned: 0.0 };

    fn scaled(&self, by: f64) -> Self {
        let wrench = |w: &Wrench| Wrench { f: w.f * by, t: w.t * by };
        Self { on_a: wrench(&self.on_a), on_b: wrench(&self.on_b), turned: self.turned * by }
    }

    fn plus(&self, other: &Self) -> Self {
        let sum = |a: &Wrench, b: &Wrench| Wrench { f: a.f + b.f, t: a.t + b.t };
        Self {
            on_a: sum(&self.on_a, &other.on_a),
            on_b: sum(&self.on_b, &other.on_b),
            turned: self.turned + other.turned,
        }
    }

    /// ġ without the prescribed rate.
    #[inline(always)]
    pub fn rate(&self, a: &MarkerState, b: &MarkerState) -> f64 {
        let side = |w: &Wrench, m: &MarkerState| w.f.dot(&m.twist.v) + w.t.dot(&m.twist.w);
        side(&self.on_a, a) + side(&self.on_b, b)
    }

    /// g̈ at v̇ = 0 without the prescribed motion, for markers whose bias has no angular part. The
    /// forces of the two sides are opposite.
    #[inline(always)]
    pub fn bias(&self, a: &MarkerState, b: &MarkerState) -> f64 {
        self.on_b.f.dot(&(b.bias.v - a.bias.v)) + self.turned
    }

    /// What the angular part of the biases adds.
    #[inline(always)]
    pub fn angular_bias(&self, a: &MarkerState, b: &MarkerState) -> f64 {
        self.on_a.t.dot(&a.bias.w) + self.on_b.t.dot(&b.bias.w)
    }
}

use Axis::{X, Y, Z};
use RowKind::{Point, Slide, Square};

/// The rows of a joint without its driver; none for joints that a space does not have.
pub fn rows(kind: JointKind, space: Space) -> Vec<RowKind> {
    let points = [Point(X), Point(Y), Point(Z)];
    let parallel = [Square(X, Z), Square(Y, Z)];
    let upright = Square(X, Y);
    match (kind, space) {
        (JointKind::Revolute, Space::Planar) => vec![Point(X), Point(Y)],
        (JointKind::Prismatic, Space::Planar) => vec![Slide(Y), RowKind::Angle],
        (JointKind::Fixed, Space::Planar) => vec![Point(X), Point(Y), RowKind::Angle],
        (JointKind::PointOnLine, Space::Planar) => vec![Slide(Y)],
        (JointKind::Distance { length }, _) => vec![RowKind::Distance { length }],
        (_, Space::Planar) => Vec::new(),
        (JointKind::Revolute, _) => [&points[..], &parallel].concat(),
        (JointKind::Prismatic, _) => [&[Slide(Y), Slide(Z)], &parallel[..], &[upright]].concat(),
        (JointKind::Cylindrical, _) => [&[Slide(X), Slide(Y)], &parallel[..]].concat(),
        (JointKind::Spherical, _) => points.to_vec(),
        (JointKind::Universal, _) => [&points[..], &[upright]].concat(),
        (JointKind::Planar, _) => [&[Slide(Z)], &parallel[..]].concat(),
        (JointKind::Fixed, _) => [&points[..], &parallel, &[upright]].concat(),
        (JointKind::Screw { pitch }, _) => {
            [&[Slide(X), Slide(Y)], &parallel[..], &[RowKind::Helix { pitch }]].concat()
        }
        (JointKind::PointOnLine, _) => vec![Slide(Y), Slide(Z)],
        (JointKind::PointOnPlane, _) => vec![Slide(Z)],
    }
}

/// Rows that a journal with play keeps: abreast of its bearing, parallel to it.
pub fn journal_rows(axial: &Axial, tilt: Tilt) -> Vec<RowKind> {
    let along = matches!(axial, Axial::Fixed).then_some(Slide(Z));
    let parallel = [Square(X, Z), Square(Y, Z)].into_iter().filter(|_| tilt == Tilt::Fixed);
    along.into_iter().chain(parallel).collect()
}

/// The row that measures a coordinate of a joint, which a driver prescribes.
pub fn coordinate_row(kind: JointKind, coordinate: Coordinate, space: Space) -> RowKind {
    match (coordinate, space) {
        (Coordinate::AngleX, _) if kind == JointKind::Universal => RowKind::Turn(Turn::FirstPin),
        (Coordinate::AngleY, _) if kind == JointKind::Universal => RowKind::Turn(Turn::SecondPin),
        (Coordinate::Angle, Space::Planar) => RowKind::Angle,
        (Coordinate::Angle, Space::Spatial) => RowKind::Turn(Turn::Axis),
        (Coordinate::AngleX, _) => RowKind::Turn(Turn::First),
        (Coordinate::AngleY, _) => RowKind::Tip,
        (Coordinate::AngleZ, _) => RowKind::Turn(Turn::Third),
        (Coordinate::X, _) => Slide(X),
        (Coordinate::Y, _) => Slide(Y),
        (Coordinate::Z, _) => Slide(Z),
    }
}

impl RowKind {
    /// Whether g is an angle (or its sine), not a length.
    pub fn is_angle(self) -> bool {
        matches!(
            self,
            Self::Angle | Self::Square(..) | Self::Turn(_) | Self::Tip | Self::Internal(_)
        )
    }

    /// The length or angle after which g repeats itself.
    pub fn period(self) -> Option<f64> {
        match self {
            Self::Turn(_) => Some(TAU),
            Self::Helix { pitch } if pitch != 0.0 => Some(pitch.abs()),
            _ => None,
        }
    }

    /// What the row holds, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Point(X) => "x",
            Self::Point(Y) => "y",
            Self::Point(Z) => "z",
            Self::Slide(X) => "along",
            Self::Slide(Y) => "across",
            Self::Slide(Z) => "along z",
            Self::Angle | Self::Turn(_) | Self::Tip => "angle",
            Self::Square(X, Z) => "tilt about y",
            Self::Square(Y, Z) => "tilt about x",
            Self::Square(..) => "turn about z",
            Self::Distance { .. } => "distance",
            Self::Helix { .. } => "pitch",
            Self::Internal(row) => row.name(),
        }
    }

    /// The coordinate that the row compares with its prescribed value.
    #[inline(always)]
    pub fn coordinate(self, a: &MarkerState, b: &MarkerState) -> f64 {
        let d = b.frame.p - a.frame.p;
        match self {
            Self::Point(axis) => d[axis as usize],
            Self::Slide(axis) => d.dot(&a.frame.axis(axis)),
            Self::Angle => b.angle - a.angle,
            Self::Square(u, w) => a.frame.axis(u).dot(&b.frame.axis(w)),
            Self::Turn(turn) => {
                let (s, c) = turn.sides(a, b);
                s.0.atan2(c.0)
            }
            Self::Tip => a.frame.axis(X).dot(&b.frame.axis(Z)).clamp(-1.0, 1.0).asin(),
            Self::Distance { length } => (d.dot(&d) - length * length) / (2.0 * length),
            Self::Helix { pitch } => {
                let turn = Self::Turn(Turn::Axis).coordinate(a, b);
                d.dot(&a.frame.axis(Z)) - pitch / TAU * turn
            }
            Self::Internal(_) => unreachable!("internal rows are known to their component"),
        }
    }

    /// ġ without the prescribed rate.
    pub fn rate(self, a: &MarkerState, b: &MarkerState) -> f64 {
        self.row(a, b).rate(a, b)
    }

    /// Unit wrenches of the row, and Ẇ · V.
    pub fn row(self, a: &MarkerState, b: &MarkerState) -> RowWrenches {
        let mut row = RowWrenches::ZERO;
        self.write(a, b, &mut row);
        row
    }

    /// [`row`](Self::row) in place: every arm writes for itself, and nothing is copied.
    #[inline(always)]
    pub fn write(self, a: &MarkerState, b: &MarkerState, out: &mut RowWrenches) {
        match self {
            Self::Point(X) => *out = point_row(Vector3::x()),
            Self::Point(Y) => *out = point_row(Vector3::y()),
            Self::Point(Z) => *out = point_row(Vector3::z()),
            Self::Slide(axis) => *out = axis_row(a.frame.axis(axis), a, b),
            Self::Angle => {
                *out = RowWrenches {
                    on_a: Wrench { t: -Vector3::z(), ..Wrench::ZERO },
                    on_b: Wrench { t: Vector3::z(), ..Wrench::ZERO },
                    turned: 0.0,
                }
            }
            Self::Square(u, w) => *out = square_row(a.frame.axis(u), b.frame.axis(w), a, b),
            Self::Turn(turn) => *out = turn_row(turn, a, b),
            Self::Tip => *out = tip_row(a, b),
            Self::Distance { length } => *out = distance_row(length, a, b),
            Self::Helix { pitch } => *out = helix_row(pitch, a, b),
            Self::Internal(_) => unreachable!("internal rows are known to their component"),
        }
    }
}

impl Turn {
    /// S and C, each with the axes of a and of b whose dot product it is.
    #[inline(always)]
    fn sides(self, a: &MarkerState, b: &MarkerState) -> (Side, Side) {
        let side = |u: Vector3<f64>, w: Vector3<f64>| (u.dot(&w), u, w);
        let (a, b) = (&a.frame, &b.frame);
        match self {
            Self::Axis => (side(a.axis(Y), b.axis(X)), side(a.axis(X), b.axis(X))),
            Self::First => (side(-a.axis(Y), b.axis(Z)), side(a.axis(Z), b.axis(Z))),
            Self::Third => (side(-a.axis(X), b.axis(Y)), side(a.axis(X), b.axis(X))),
            Self::FirstPin => (side(a.axis(Z), b.axis(Y)), side(a.axis(Y), b.axis(Y))),
            Self::SecondPin => (side(a.axis(X), b.axis(Z)), side(a.axis(X), b.axis(X))),
        }
    }
}

type Side = (f64, Vector3<f64>, Vector3<f64>);

#[inline(always)]
fn point_row(u: Vector3<f64>) -> RowWrenches {
    RowWrenches { on_a: Wrench::force(-u), on_b: Wrench::force(u), turned: 0.0 }
}

#[inline(always)]
fn axis_row(n: Vector3<f64>, a: &MarkerState, b: &MarkerState) -> RowWrenches {
    let d = b.frame.p - a.frame.p;
    let n_rate = a.twist.w.cross(&n);
    let turned = 2.0 * n_rate.dot(&(b.twist.v - a.twist.v)) + a.twist.w.cross(&n_rate).dot(&d); // (9)
    RowWrenches { on_a: Wrench { f: -n, t: n.cross(&d) }, on_b: Wrench::force(n), turned }
}

#[inline(always)]
fn square_row(u: Vector3<f64>, w: Vector3<f64>, a: &MarkerState, b: &MarkerState) -> RowWrenches {
    let torque = u.cross(&w);
    let (u_rate, w_rate) = (a.twist.w.cross(&u), b.twist.w.cross(&w));
    let turned = a.twist.w.cross(&u_rate).dot(&w)
        + 2.0 * u_rate.dot(&w_rate)
        + u.dot(&b.twist.w.cross(&w_rate)); // (10)
    RowWrenches {
        on_a: Wrench { t: torque, ..Wrench::ZERO },
        on_b: Wrench { t: -torque, ..Wrench::ZERO },
        turned,
    }
}

// The rows below are rare: kept out of line, they do not slow down the others.

/// (5) and its derivative φ̈ = (C S̈ − S C̈)/ρ² − 2 φ̇ (S Ṡ + C Ċ)/ρ², ρ² = S² + C².
#[inline(never)]
fn turn_row(turn: Turn, a: &MarkerState, b: &MarkerState) -> RowWrenches {
    let ((s, s_u, s_w), (c, c_u, c_w)) = turn.sides(a, b);
    let (sine, cosine) = (square_row(s_u, s_w, a, b), square_row(c_u, c_w, a, b));
    let square = s * s + c * c;
    let mut row = sine.scaled(c / square).plus(&cosine.scaled(-s / square));
    let growth = s * sine.rate(a, b) + c * cosine.rate(a, b);
    row.turned -= 2.0 * row.rate(a, b) * growth / square;
    row
}

/// (6) and its derivative: with x = sin φ, φ̈ = (ẍ + x φ̇²)/cos φ.
#[inline(never)]
fn tip_row(a: &MarkerState, b: &MarkerState) -> RowWrenches {
    let (u, w) = (a.frame.axis(X), b.frame.axis(Z));
    let sine = u.dot(&w);
    // At 90° the angle has no rate; a floor keeps the row finite, and the motion cannot pass there.
    let cosine = (1.0 - sine * sine).max(1e-16).sqrt();
    let mut row = square_row(u, w, a, b).scaled(1.0 / cosine);
    let rate = row.rate(a, b);
    row.turned += sine * rate * rate / cosine;
    row
}

#[inline(never)]
fn helix_row(pitch: f64, a: &MarkerState, b: &MarkerState) -> RowWrenches {
    let turn = turn_row(Turn::Axis, a, b).scaled(-pitch / TAU);
    axis_row(a.frame.axis(Z), a, b).plus(&turn) // (8)
}

#[inline(never)]
fn distance_row(length: f64, a: &MarkerState, b: &MarkerState) -> RowWrenches {
    let d = b.frame.p - a.frame.p;
    let apart = b.twist.v - a.twist.v;
    RowWrenches {
        on_a: Wrench::force(-d / length),
        on_b: Wrench::force(d / length),
        turned: apart.dot(&apart) / length,
    }
}
