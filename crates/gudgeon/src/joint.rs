//! Rows of ideal joints and drivers with respect to the twists of two markers.
//!
//! With d = p_b − p_a, x and y the axes of a, and φ = angle_b − angle_a, a joint is a list of
//! primitive rows g = 0:
//!
//! | row | g | ġ |
//! |---|---|---|
//! | point   | d · u, u fixed in the world | u · (v_b − v_a)                            (1) |
//! | along   | d · x − s(t)                | x · (v_b − v_a) + ω_a · (x × d) − ṡ        (2) |
//! | across  | d · y                       | y · (v_b − v_a) + ω_a · (y × d)            (3) |
//! | angle   | φ − α(t)                    | z · (ω_b − ω_a) − α̇                        (4) |
//!
//! | joint | rows | driver |
//! |---|---|---|
//! | revolute | point x, point y | angle |
//! | prismatic | across, angle (α = 0) | along |
//! | fixed | point x, point y, angle (α = 0) | – |
//! | point on line | across | along |
//!
//! Each row is a pair of unit wrenches: ġ = W_a · V_a + W_b · V_b + g_t, and the reaction on b is
//! −λ W_b. For a driver g = φ − α(t) this gives the torque T = −λ on b and the power λ g_t.
//! The second derivative splits into the rows times v̇ and the bias; for (2), (3) with n = x or y:
//!
//!   g̈ = n · (a_b − a_a) + (ω̇_a × n) · d + 2 (ω_a × n) · (v_b − v_a) + (ω_a × (ω_a × n)) · d (5)

use nalgebra::Vector3;

use crate::marker::Marker;
use crate::math::spatial::Wrench;
use crate::model::JointKind;

/// A primitive row between two markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    PointX,
    PointY,
    Along,
    Across,
    Angle,
}

/// Unit wrenches of a row and its bias g̈ at v̇ = 0 without the prescribed motion.
#[derive(Clone, Copy, Debug)]
pub struct RowTwist {
    pub on_a: Wrench,
    pub on_b: Wrench,
    pub bias: f64,
}

impl RowTwist {
    pub const ZERO: Self = Self { on_a: Wrench::ZERO, on_b: Wrench::ZERO, bias: 0.0 };
}

/// The rows of a joint without its driver.
pub fn rows(kind: JointKind) -> &'static [RowKind] {
    match kind {
        JointKind::Revolute => &[RowKind::PointX, RowKind::PointY],
        JointKind::Prismatic => &[RowKind::Across, RowKind::Angle],
        JointKind::Fixed => &[RowKind::PointX, RowKind::PointY, RowKind::Angle],
        JointKind::PointOnLine => &[RowKind::Across],
    }
}

/// The row a driver of this joint prescribes; a fixed joint has none.
pub fn driver_row(kind: JointKind) -> Option<RowKind> {
    match kind {
        JointKind::Revolute => Some(RowKind::Angle),
        JointKind::Prismatic | JointKind::PointOnLine => Some(RowKind::Along),
        JointKind::Fixed => None,
    }
}

impl RowKind {
    /// Whether g is an angle, not a length.
    pub fn is_angle(self) -> bool {
        self == Self::Angle
    }

    /// What the row holds, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::PointX => "x",
            Self::PointY => "y",
            Self::Along => "along",
            Self::Across => "across",
            Self::Angle => "angle",
        }
    }

    /// The coordinate that the row compares with its prescribed value.
    #[inline(always)]
    pub fn coordinate(self, a: &Marker, b: &Marker) -> f64 {
        let d = b.frame.p - a.frame.p;
        match self {
            Self::PointX => d.x,
            Self::PointY => d.y,
            Self::Along => d.dot(&a.frame.x_axis()),
            Self::Across => d.dot(&a.frame.y_axis()),
            Self::Angle => b.angle - a.angle,
        }
    }

    /// ġ without the prescribed rate.
    #[inline(always)]
    pub fn rate(self, a: &Marker, b: &Marker) -> f64 {
        let row = self.row(a, b);
        let side = |w: &Wrench, m: &Marker| w.f.dot(&m.twist.v) + w.t.dot(&m.twist.w);
        side(&row.on_a, a) + side(&row.on_b, b)
    }

    /// Unit wrenches and bias of the row.
    #[inline(always)]
    pub fn row(self, a: &Marker, b: &Marker) -> RowTwist {
        match self {
            Self::PointX => point_row(Vector3::x(), a, b),
            Self::PointY => point_row(Vector3::y(), a, b),
            Self::Along => axis_row(a.frame.x_axis(), a, b),
            Self::Across => axis_row(a.frame.y_axis(), a, b),
            Self::Angle => RowTwist {
                on_a: Wrench { t: -Vector3::z(), ..Wrench::ZERO },
                on_b: Wrench { t: Vector3::z(), ..Wrench::ZERO },
                bias: 0.0,
            },
        }
    }
}

#[inline(always)]
fn point_row(u: Vector3<f64>, a: &Marker, b: &Marker) -> RowTwist {
    RowTwist { on_a: Wrench::force(-u), on_b: Wrench::force(u), bias: u.dot(&(b.bias - a.bias)) }
}

#[inline(always)]
fn axis_row(n: Vector3<f64>, a: &Marker, b: &Marker) -> RowTwist {
    let d = b.frame.p - a.frame.p;
    let n_rate = a.twist.w.cross(&n);
    let bias = n.dot(&(b.bias - a.bias))
        + 2.0 * n_rate.dot(&(b.twist.v - a.twist.v))
        + a.twist.w.cross(&n_rate).dot(&d); // (5)
    RowTwist { on_a: Wrench { f: -n, t: n.cross(&d) }, on_b: Wrench::force(n), bias }
}
