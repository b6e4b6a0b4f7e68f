//! A link: a body, the joint that carries it, and how it moves along the joint's coordinates.
//!
//! With the joint's frame P on the carrier and C on the link itself, C = P ∘ (d, R_r). The carrier has centre c_p,
//! velocity V_p, spin ω_p and the accelerations a_p, α_p that it has at v̇ = 0; r₁ leads from c_p to the origin of C, r₂ from there
//! to the link's own centre; w and u are spin and velocity of C against P. In world axes
//!
//!   ω = ω_p + w,   V = V_p + ω_p × r₁ + u + ω × r₂                                              (1)
//!   α = α_p + ω_p × w + ẇ,   a = a_p + α_p × r₁ + ω_p × (ω_p × r₁ + 2u) + u̇ + α × r₂ + ω × (ω × r₂)   (2)
//!
//! ẇ and u̇ as seen from P, with what is known of the second rates of the coordinates: those of drivers. A
//! coordinate that turns about e and slides along h has the column (h + e × r₂, e).
//!
//! | joint | coordinates | along |
//! |---|---|---|
//! | revolute    | θ            | turn about z of P |
//! | prismatic   | x            | slide along x of P |
//! | cylindrical | θ, s         | turn about z, slide along it |
//! | screw       | θ            | turn about z, slide by p θ/2π along it |
//! | universal   | α, β         | turns about x of P and y of C; about y of P and x of C where P is on side b |
//! | planar      | x, y, θ      | slides along x and y of P, turn about z |
//! | spherical   | quaternion; spin in axes of C | turns about the axes of C |
//! | fixed       | –            | |
//! | free        | those of a rigid body, from the ground | |
//!
//! Where the link is side a of its joint, coordinates of one turn or slide have the opposite sign of the joint's. Rows that
//! hold axes square to each other also allow opposite axes: C is then turned by half a turn about one of its own (`orient()`).

use std::f64::consts::TAU;

use nalgebra::{Matrix3, SVector, Vector3};

use crate::marker::Attachment;
use crate::math::rotation;
use crate::math::spatial::{Axis, Frame, Twist};
use crate::model::{Coordinate, JointId, JointKind, Space};
use crate::system::component::BodyState;
use crate::time::Jet;

/// Coordinates, and their velocities, that a joint has at the most.
pub(super) const COORDINATES: usize = 7;
pub(super) const COLUMNS: usize = 6;

/// How a link moves against what carries it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    Revolute,
    Prismatic,
    Cylindrical,
    Screw { pitch: f64 },
    Universal,
    Planar,
    Spherical,
    Fixed,
    Free,
}

impl Motion {
    /// That of a joint, where its coordinates determine the position of one side by that of the other.
    pub fn of(kind: JointKind, space: Space) -> Option<Self> {
        match (kind, space) {
            (JointKind::Revolute, _) => Some(Self::Revolute),
            (JointKind::Prismatic, _) => Some(Self::Prismatic),
            (JointKind::Fixed, _) => Some(Self::Fixed),
            (_, Space::Planar) => None,
            (JointKind::Cylindrical, _) => Some(Self::Cylindrical),
            (JointKind::Spherical, _) => Some(Self::Spherical),
            (JointKind::Universal, _) => Some(Self::Universal),
            (JointKind::Planar, _) => Some(Self::Planar),
            (JointKind::Screw { pitch }, _) => Some(Self::Screw { pitch }),
            (JointKind::Distance { .. } | JointKind::PointOnLine | JointKind::PointOnPlane, _) => {
                None
            }
        }
    }

    /// Numbers of coordinates and velocities.
    pub fn sizes(self, space: Space) -> [usize; 2] {
        match self {
            Self::Fixed => [0, 0],
            Self::Revolute | Self::Prismatic | Self::Screw { .. } => [1, 1],
            Self::Cylindrical | Self::Universal => [2, 2],
            Self::Planar => [3, 3],
            Self::Spherical => [4, 3],
            Self::Free => match space {
                Space::Planar => [3, 3],
                Space::Spatial => [7, 6],
            },
        }
    }

    /// Whether a velocity is that of a turn.
    pub fn turns(self, column: usize, space: Space) -> bool {
        match self {
            Self::Prismatic | Self::Fixed => false,
            Self::Revolute | Self::Screw { .. } | Self::Universal | Self::Spherical => true,
            Self::Cylindrical => column == 0,
            Self::Planar => column == 2,
            Self::Free => column >= space.axes(),
        }
    }

    /// The coordinate that a driver prescribes, where it is one of the link's.
    pub fn coordinate(self, driven: Coordinate, reversed: bool) -> Option<usize> {
        match (self, driven) {
            (Self::Revolute | Self::Screw { .. } | Self::Cylindrical, Coordinate::Angle) => Some(0),
            (Self::Prismatic, Coordinate::X) => Some(0),
            (Self::Cylindrical, Coordinate::Z) => Some(1),
            (Self::Universal, Coordinate::AngleX) => Some(0),
            (Self::Universal, Coordinate::AngleY) => Some(1),
            (Self::Planar, Coordinate::Angle) => Some(2),
            // Along the axes of side a, which turn where that is the link.
            (Self::Planar, Coordinate::X) if !reversed => Some(0),
            (Self::Planar, Coordinate::Y) if !reversed => Some(1),
            _ => None,
        }
    }
}

/// A body of the tree.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its number among the moving bodies.
    pub body: usize,
    /// The link that carries it; none is the ground.
    pub parent: Option<usize>,
    /// The joint between them; none where the link is free.
    pub joint: Option<JointId>,
    pub motion: Motion,
    /// Whether the link is side a of the joint.
    pub reversed: bool,
    /// P in inner axes of the carrier, and its angle about z.
    pub inboard: Frame,
    pub inboard_angle: f64,
    /// C in inner axes of the link, the same seen from C, and its angle.
    pub outboard: Frame,
    pub outboard_inverse: Frame,
    pub outboard_angle: f64,
    /// Sign of the link's coordinates against the joint's.
    pub sign: f64,
    /// How far a screw has advanced at an angle of zero: by whole turns.
    pub advance: f64,
    /// The drivers of coordinates that are known functions of time.
    pub known: [Option<usize>; 3],
    /// Where the others start among those of the tree, and how many coordinates and velocities there are.
    pub q: usize,
    pub v: usize,
    pub sizes: [usize; 2],
    /// Columns of the unknown velocities, in their order.
    pub unknown: [usize; COLUMNS],
    pub free: usize,
    /// Whether axes of P are those of the carrier, and of C those of the link.
    pub along: [bool; 2],
    /// Whether it carries no other link.
    pub bare: bool,
    /// Whether all coordinates that lead to it are known, so that it does not give way.
    pub still: bool,
}

/// Values, rates and known second rates of the coordinates of a link: of quaternions the numbers alone, of their
/// velocities the rates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Coordinates {
    pub value: [f64; COORDINATES],
    pub rate: [f64; COLUMNS],
    pub second: [f64; COLUMNS],
}

/// How a link in the plane moves: (2), r₁ + r₂, and its column.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedInPlane {
    pub bias: SVector<f64, 3>,
    pub arm: (f64, f64),
    pub column: SVector<f64, 3>,
}

/// Place, velocity and acceleration at v̇ = 0 of a carrier in the plane.
#[derive(Clone, Copy, Debug, Default)]
struct InPlane {
    p: (f64, f64),
    v: (f64, f64),
    a: (f64, f64),
    spin: f64,
    alpha: f64,
}

impl InPlane {
    #[inline(always)]
    fn of(carrier: &BodyState, bias: &SVector<f64, 3>) -> Self {
        let BodyState { frame, twist, .. } = carrier;
        Self {
            p: (frame.p.x, frame.p.y),
            v: (twist.v.x, twist.v.y),
            a: (bias[0], bias[1]),
            spin: twist.w.z,
            alpha: bias[2],
        }
    }
}

/// Where a link is and how it moves: its pose, (2), r₁ + r₂, and its columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<const D: usize, const N: usize> {
    pub state: BodyState,
    pub bias: SVector<f64, D>,
    pub arm: Vector3<f64>,
    pub columns: [SVector<f64, D>; N],
}

impl Link {
    pub(super) fn new(
        (body, parent): (usize, Option<usize>),
        (joint, motion, reversed): (Option<JointId>, Motion, bool),
        (inboard, outboard): (&Attachment, &Attachment),
        space: Space,
    ) -> Self {
        let frame = |at: &Attachment| Frame { p: at.offset, r: at.turn };
        Self {
            body,
            parent,
            joint,
            motion,
            reversed,
            inboard: frame(inboard),
            inboard_angle: inboard.angle,
            outboard: frame(outboard),
            outboard_inverse: frame(outboard).inverse(),
            outboard_angle: outboard.angle,
            sign: if reversed { -1.0 } else { 1.0 },
            advance: 0.0,
            known: [None; 3],
            q: 0,
            v: 0,
            sizes: motion.sizes(space),
            unknown: [0; COLUMNS],
            free: 0,
            along: [&inboard.turn, &outboard.turn].map(|turn| *turn == Matrix3::identity()),
            bare: true,
            still: false,
        }
    }

    /// Turns C where the axes that its joint holds stand opposite to those of P.
    pub(super) fn orient(&mut self, parent: &BodyState, own: &BodyState) {
        let (p, c) = (parent.frame.r * self.inboard.r, own.frame.r * self.outboard.r);
        let r = p.tr_mul(&c);
        let along = |k: usize| if r[(k, k)] < 0.0 { -1.0 } else { 1.0 };
        // Of rotations about an axis only that axis is held.
        let (signs, axis) = match self.motion {
            Motion::Prismatic | Motion::Fixed => ([along(0), along(1), along(0) * along(1)], 0),
            Motion::Universal | Motion::Spherical | Motion::Free => return,
            Motion::Revolute | Motion::Cylindrical | Motion::Screw { .. } | Motion::Planar => {
                ([1.0, along(2), along(2)], 2)
            }
        };
        self.outboard.r *= Matrix3::from_diagonal(&signs.into());
        self.outboard_inverse = self.outboard.inverse();
        self.along[1] = self.outboard.r == Matrix3::identity();
        self.sign = if self.reversed { -signs[axis] } else { 1.0 };
        if let Motion::Screw { pitch } = self.motion {
            let (p, c) = (parent.frame.then(&self.inboard), own.frame.then(&self.outboard));
            let r = p.r.tr_mul(&c.r);
            let along = p.axis(Axis::Z).dot(&(c.p - p.p));
            let turns = along / pitch - r[(1, 0)].atan2(r[(0, 0)]) / TAU;
            self.advance = pitch * turns.round();
        }
    }

    /// Coordinates from those of the tree and the motions of drivers.
    #[inline(always)]
    pub(super) fn coordinates(
        &self,
        q: &[f64],
        v: &[f64],
        motion: impl Fn(usize) -> Jet,
    ) -> Coordinates {
        let mut all = Coordinates::default();
        if self.sizes[0] == self.sizes[1] {
            let (mut next, sign) = (0, self.sign);
            for i in 0..self.sizes[1] {
                match self.known.get(i).copied().flatten() {
                    Some(driver) => {
                        let jet = motion(driver);
                        all.value[i] = sign * jet.value;
                        (all.rate[i], all.second[i]) = (sign * jet.rate, sign * jet.second);
                    }
                    None => {
                        (all.value[i], all.rate[i]) = (q[self.q + next], v[self.v + next]);
                        next += 1;
                    }
                }
            }
            return all;
        }
        all.value[..self.sizes[0]].copy_from_slice(&q[self.q..self.q + self.sizes[0]]);
        all.rate[..self.sizes[1]].copy_from_slice(&v[self.v..self.v + self.sizes[1]]);
        all
    }

    /// Value, rate and known second rate of the one coordinate that a joint in the plane has at the most.
    #[inline(always)]
    pub(super) fn coordinate(
        &self,
        q: &[f64],
        v: &[f64],
        motion: impl Fn(usize) -> Jet,
    ) -> [f64; 3] {
        match (self.sizes[1], self.known[0]) {
            (0, _) => [0.0; 3],
            (_, None) => [q[self.q], v[self.v], 0.0],
            (_, Some(driver)) => {
                let Jet { value, rate, second } = motion(driver);
                [self.sign * value, self.sign * rate, self.sign * second]
            }
        }
    }

    /// In the plane, of a link that a joint carries: its state, into `own`, whose axes stand where its angle has
    /// not changed. What the ground carries has no carrier.
    #[inline(always)]
    pub(super) fn place_planar(
        &self,
        carrier: Option<(&BodyState, &SVector<f64, 3>)>,
        [value, rate, second]: [f64; 3],
        own: &mut BodyState,
    ) -> PlacedInPlane {
        let offset = &self.inboard.p;
        // r₁, and p, V and a of (1) and (2) as the carrier moves there.
        let (mut r1, base, turned) = match carrier {
            None => ((offset.x, offset.y), InPlane::default(), 0.0),
            Some((parent, bias)) => {
                let (c, s) = (parent.frame.r[(0, 0)], parent.frame.r[(1, 0)]);
                let r1 = (c * offset.x - s * offset.y, s * offset.x + c * offset.y);
                (r1, InPlane::of(parent, bias), parent.angle)
            }
        };
        let mut angle = turned + self.inboard_angle;
        let prismatic = self.motion == Motion::Prismatic;
        // The direction of sliding.
        let mut e = (0.0, 0.0);
        let mut turn = (0.0, 0.0);
        if prismatic {
            let t = &self.inboard.r;
            let (c, s) = carrier
                .map_or((1.0, 0.0), |(parent, _)| (parent.frame.r[(0, 0)], parent.frame.r[(1, 0)]));
            e = (c * t[(0, 0)] - s * t[(1, 0)], s * t[(0, 0)] + c * t[(1, 0)]);
            r1 = (r1.0 + e.0 * value, r1.1 + e.1 * value);
        } else if self.motion != Motion::Fixed {
            angle += value;
            turn = (rate, second);
        }
        angle -= self.outboard_angle;
        if angle != own.angle {
            own.angle = angle;
            let (s, c) = angle.sin_cos();
            let r = &mut own.frame.r;
            (r[(0, 0)], r[(0, 1)], r[(1, 0)], r[(1, 1)]) = (c, -s, s, c);
        }
        let (c, s) = (own.frame.r[(0, 0)], own.frame.r[(1, 0)]);
        let offset = &self.outboard.p;
        let r2 = (s * offset.y - c * offset.x, -s * offset.x - c * offset.y);
        let arm = (r1.0 + r2.0, r1.1 + r2.1);
        (own.frame.p.x, own.frame.p.y) = (base.p.0 + arm.0, base.p.1 + arm.1);
        let spin = base.spin;
        let turning = spin + turn.0;
        let (mut v, mut a) = (base.v, base.a);
        if carrier.is_some() {
            let square = spin * spin;
            v = (v.0 - spin * r1.1, v.1 + spin * r1.0);
            a = (a.0 - base.alpha * r1.1 - square * r1.0, a.1 + base.alpha * r1.0 - square * r1.1);
        }
        if prismatic {
            let u = (e.0 * rate, e.1 * rate);
            v = (v.0 + u.0, v.1 + u.1);
            a = (a.0 - 2.0 * spin * u.1 + e.0 * second, a.1 + 2.0 * spin * u.0 + e.1 * second);
        }
        own.twist.v.x = v.0 - turning * r2.1;
        own.twist.v.y = v.1 + turning * r2.0;
        own.twist.w.z = turning; // (1)
        let (angular, square) = (base.alpha + turn.1, turning * turning);
        let bias = SVector::<f64, 3>::new(
            a.0 - angular * r2.1 - square * r2.0,
            a.1 + angular * r2.0 - square * r2.1,
            angular,
        ); // (2)
        let column = if prismatic {
            SVector::<f64, 3>::new(e.0, e.1, 0.0)
        } else {
            SVector::<f64, 3>::new(-r2.1, r2.0, 1.0)
        };
        PlacedInPlane { bias, arm, column }
    }

    /// P in the axes of the world.
    #[inline(always)]
    fn inboard_on(&self, carrier: &Frame) -> Frame {
        match self.along[0] {
            true => Frame { p: carrier.p + carrier.r * self.inboard.p, r: carrier.r },
            false => carrier.then(&self.inboard),
        }
    }

    /// Whether its joint turns or slides along one axis of P.
    #[inline(always)]
    pub(super) fn is_single(&self) -> bool {
        matches!(self.motion, Motion::Revolute | Motion::Prismatic)
    }

    /// In space, of a link that turns or slides along one axis of P.
    #[inline(always)]
    pub(super) fn place_single(
        &self,
        carrier: (&BodyState, &SVector<f64, 6>),
        [value, rate, second]: [f64; 3],
    ) -> Placed<6, 1> {
        let p = self.inboard_on(&carrier.0.frame);
        let zero = Vector3::zeros();
        let moved = if self.motion == Motion::Prismatic {
            let x = p.axis(Axis::X);
            Moved {
                frame: Frame { p: p.p + x * value, r: p.r },
                directions: [(x, zero)],
                slide: x * rate,
                spin: zero,
                slide_rate: x * second,
                spin_rate: zero,
            }
        } else {
            let z = p.axis(Axis::Z);
            Moved {
                frame: Frame { p: p.p, r: turned_about_z(&p.r, value) },
                directions: [(zero, z)],
                slide: zero,
                spin: z * rate,
                slide_rate: zero,
                spin_rate: z * second,
            }
        };
        self.carried(carrier, &moved, 1)
    }

    /// In space, of any link.
    #[inline(always)]
    pub(super) fn place_spatial(
        &self,
        carrier: (&BodyState, &SVector<f64, 6>),
        at: &Coordinates,
    ) -> Placed<6, COLUMNS> {
        if self.motion == Motion::Free {
            return placed_freely(at);
        }
        let inboard = self.inboard_on(&carrier.0.frame);
        self.carried(carrier, &self.moved(&inboard, at), self.sizes[1])
    }

    /// (1), (2) and the columns by how C moves.
    #[inline(always)]
    fn carried<const N: usize>(
        &self,
        (parent, bias): (&BodyState, &SVector<f64, 6>),
        moved: &Moved<N>,
        count: usize,
    ) -> Placed<6, N> {
        let r = match self.along[1] {
            true => moved.frame.r,
            false => moved.frame.r * self.outboard_inverse.r,
        };
        let p = moved.frame.p + moved.frame.r * self.outboard_inverse.p;
        let (spin, v) = (&parent.twist.w, &parent.twist.v);
        let (r1, r2) = (moved.frame.p - parent.frame.p, p - moved.frame.p);
        let own = spin + moved.spin;
        let around = spin.cross(&r1);
        let velocity = v + around + moved.slide + own.cross(&r2); // (1)
        let (a, alpha) = (bias.fixed_rows::<3>(0), Vector3::new(bias[3], bias[4], bias[5]));
        let angular = alpha + spin.cross(&moved.spin) + moved.spin_rate;
        let linear = a
            + alpha.cross(&r1)
            + spin.cross(&(around + moved.slide * 2.0))
            + moved.slide_rate
            + angular.cross(&r2)
            + own.cross(&own.cross(&r2)); // (2)
        let mut columns = [SVector::<f64, 6>::zeros(); N];
        for (column, (h, e)) in columns.iter_mut().zip(&moved.directions[..count]) {
            *column = stacked(&(h + e.cross(&r2)), e);
        }
        let state =
            BodyState { frame: Frame { p, r }, twist: Twist { v: velocity, w: own }, angle: 0.0 };
        Placed { state, bias: stacked(&linear, &angular), arm: r1 + r2, columns }
    }

    /// C, and how it moves against P.
    #[inline(always)]
    fn moved(&self, p: &Frame, at: &Coordinates) -> Moved<COLUMNS> {
        let (x, y, z) = (p.axis(Axis::X), p.axis(Axis::Y), p.axis(Axis::Z));
        let zero = Vector3::zeros();
        let [a, b, c] = [at.value[0], at.value[1], at.value[2]];
        let mut directions = [(zero, zero); COLUMNS];
        let mut extra = zero;
        let frame = match self.motion {
            Motion::Revolute => {
                directions[0] = (zero, z);
                Frame { p: p.p, r: turned_about_z(&p.r, a) }
            }
            Motion::Prismatic => {
                directions[0] = (x, zero);
                Frame { p: p.p + x * a, r: p.r }
            }
            Motion::Cylindrical => {
                directions[..2].copy_from_slice(&[(zero, z), (z, zero)]);
                Frame { p: p.p + z * b, r: turned_about_z(&p.r, a) }
            }
            Motion::Screw { pitch } => {
                let lead = pitch / TAU;
                directions[0] = (z * lead, z);
                Frame { p: p.p + z * (lead * a + self.advance), r: turned_about_z(&p.r, a) }
            }
            Motion::Planar => {
                directions[..3].copy_from_slice(&[(x, zero), (y, zero), (zero, z)]);
                Frame { p: p.p + x * a + y * b, r: turned_about_z(&p.r, c) }
            }
            Motion::Universal => {
                let about = |axis: Vector3<f64>, by: f64| rotation::exponential(&(axis * by));
                let (first, second) = (about(Vector3::x(), a), about(Vector3::y(), b));
                let r = if self.reversed { p.r * second * first } else { p.r * first * second };
                let (on_p, on_c) =
                    if self.reversed { (y, r.column(0).into()) } else { (x, r.column(1).into()) };
                directions[..2].copy_from_slice(&if self.reversed {
                    [(zero, on_c), (zero, on_p)]
                } else {
                    [(zero, on_p), (zero, on_c)]
                });
                // The axis on C turns with the one on P.
                extra = on_p.cross(&on_c) * (at.rate[0] * at.rate[1]);
                Frame { p: p.p, r }
            }
            Motion::Spherical => {
                let r = p.r * rotation::matrix(&at.value[..4]);
                for (k, direction) in directions[..3].iter_mut().enumerate() {
                    *direction = (zero, r.column(k).into());
                }
                Frame { p: p.p, r }
            }
            Motion::Fixed | Motion::Free => *p,
        };
        let sum = |rates: &[f64; COLUMNS]| {
            let mut sum = (zero, zero);
            for ((h, e), rate) in directions.iter().zip(&rates[..self.sizes[1].min(COLUMNS)]) {
                sum = (sum.0 + h * *rate, sum.1 + e * *rate);
            }
            sum
        };
        let ((slide, spin), (slide_rate, spin_rate)) = (sum(&at.rate), sum(&at.second));
        Moved { frame, directions, slide, spin, slide_rate, spin_rate: spin_rate + extra }
    }

    /// Coordinates and velocities at which the link has a state while its carrier has another. `near` is the counted
    /// angle of a link that turns about z.
    pub(super) fn read(
        &self,
        parent: &BodyState,
        own: &BodyState,
        space: Space,
        q: &mut [f64],
        v: &mut [f64],
    ) {
        let (p, c) = (parent.frame.then(&self.inboard), own.frame.then(&self.outboard));
        let (d, r) = (p.r.tr_mul(&(c.p - p.p)), p.r.tr_mul(&c.r));
        let at_p = parent.twist.v + parent.twist.w.cross(&(c.p - parent.frame.p));
        let at_c = own.twist.v + own.twist.w.cross(&(c.p - own.frame.p));
        let slide = p.r.tr_mul(&(at_c - at_p));
        let spin = own.twist.w - parent.twist.w;
        let about = p.r.tr_mul(&spin);
        let angle = match space {
            Space::Planar => own.angle + self.outboard_angle - parent.angle - self.inboard_angle,
            Space::Spatial => r[(1, 0)].atan2(r[(0, 0)]),
        };
        let (mut value, mut rate) = ([0.0; COORDINATES], [0.0; COLUMNS]);
        match self.motion {
            Motion::Revolute | Motion::Screw { .. } => (value[0], rate[0]) = (angle, about.z),
            Motion::Prismatic => (value[0], rate[0]) = (d.x, slide.x),
            Motion::Cylindrical => {
                value[..2].copy_from_slice(&[angle, d.z]);
                rate[..2].copy_from_slice(&[about.z, slide.z]);
            }
            Motion::Planar => {
                value[..3].copy_from_slice(&[d.x, d.y, angle]);
                rate[..3].copy_from_slice(&[slide.x, slide.y, about.z]);
            }
            Motion::Universal => {
                let (angles, rates) = self.universal(&r, &p, &c, &spin);
                value[..2].copy_from_slice(&angles);
                rate[..2].copy_from_slice(&rates);
            }
            Motion::Spherical => {
                value[..4].copy_from_slice(&rotation::quaternion(&r));
                rate[..3].copy_from_slice(c.r.tr_mul(&spin).as_slice());
            }
            Motion::Fixed => {}
            Motion::Free => free(own, space, &mut value, &mut rate),
        }
        let all = self.sizes[0] == self.sizes[1];
        let is_unknown = |i: usize| !(all && self.known.get(i).copied().flatten().is_some());
        for (to, i) in q.iter_mut().zip((0..self.sizes[0]).filter(|&i| is_unknown(i))) {
            *to = value[i];
        }
        for (to, i) in v.iter_mut().zip((0..self.sizes[1]).filter(|&i| is_unknown(i))) {
            *to = rate[i];
        }
    }

    /// Angles and rates of a universal joint.
    fn universal(
        &self,
        r: &Matrix3<f64>,
        p: &Frame,
        c: &Frame,
        spin: &Vector3<f64>,
    ) -> ([f64; 2], [f64; 2]) {
        if self.reversed {
            // R_y(β) R_x(α): x of C is (cos β, 0, −sin β), y of P is (0, cos α, −sin α) seen from C.
            let (alpha, beta) = ((-r[(1, 2)]).atan2(r[(1, 1)]), (-r[(2, 0)]).atan2(r[(0, 0)]));
            let rates = [spin.dot(&c.axis(Axis::X)), spin.dot(&p.axis(Axis::Y))];
            return ([alpha, beta], rates);
        }
        // R_x(α) R_y(β): y of C is (0, cos α, sin α), x of P is (cos β, 0, sin β) seen from C.
        let (alpha, beta) = (r[(2, 1)].atan2(r[(1, 1)]), r[(0, 2)].atan2(r[(0, 0)]));
        ([alpha, beta], [spin.dot(&p.axis(Axis::X)), spin.dot(&c.axis(Axis::Y))])
    }
}

/// C in the world; directions (slide, turn) of the coordinates; velocity, spin and their rates against P.
struct Moved<const N: usize> {
    frame: Frame,
    directions: [(Vector3<f64>, Vector3<f64>); N],
    slide: Vector3<f64>,
    spin: Vector3<f64>,
    slide_rate: Vector3<f64>,
    spin_rate: Vector3<f64>,
}

/// Axes turned about their own z.
#[inline(always)]
fn turned_about_z(r: &Matrix3<f64>, angle: f64) -> Matrix3<f64> {
    let (s, c) = angle.sin_cos();
    let (x, y, z) = (r.column(0), r.column(1), r.column(2));
    Matrix3::from_columns(&[x * c + y * s, y * c - x * s, z.into_owned()])
}

/// A link that nothing carries has the coordinates of a rigid body.
fn placed_freely(at: &Coordinates) -> Placed<6, COLUMNS> {
    let state = BodyState::spatial(&at.value, &at.rate);
    let mut columns = [SVector::<f64, 6>::zeros(); COLUMNS];
    for k in 0..3 {
        columns[k][k] = 1.0;
        columns[3 + k] = stacked(&Vector3::zeros(), &state.frame.r.column(k).into());
    }
    Placed { state, bias: SVector::zeros(), arm: state.frame.p, columns }
}

fn free(own: &BodyState, space: Space, value: &mut [f64], rate: &mut [f64]) {
    let (p, twist) = (&own.frame.p, &own.twist);
    match space {
        Space::Planar => {
            value[..3].copy_from_slice(&[p.x, p.y, own.angle]);
            rate[..3].copy_from_slice(&[twist.v.x, twist.v.y, twist.w.z]);
        }
        Space::Spatial => {
            value[..3].copy_from_slice(p.as_slice());
            value[3..7].copy_from_slice(&rotation::quaternion(&own.frame.r));
            rate[..3].copy_from_slice(twist.v.as_slice());
            rate[3..6].copy_from_slice(own.frame.r.tr_mul(&twist.w).as_slice());
        }
    }
}

pub(super) fn stacked(v: &Vector3<f64>, w: &Vector3<f64>) -> SVector<f64, 6> {
    SVector::<f64, 6>::new(v.x, v.y, v.z, w.x, w.y, w.z)
}
