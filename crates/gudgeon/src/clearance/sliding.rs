//! Bristles between the surfaces of a contact: their axes, and how they yield.
//!
//! Bristle states are components along the axes in which a spot slides, taken along with it:
//!
//! | spot | axes of z |
//! |---|---|
//! | pin, corner, flange, base that cannot move along | the direction of sliding |
//! | base free to move along | circumference t = z × n and axis z of the bearing |
//! | ball | the three axes of the bearing, with z ⊥ n |
//!
//! On a cylinder and on planes these axes are those of the unrolled surface, which carries bristles along
//! without turning them. On a ball the tangent plane tilts as the spot moves: with ė of the journal's centre
//! as the bearing sees it, a bristle is carried without spin about the normal by
//!
//!   ż = h − n (ė · z)/|e|                                                                   (1)
//!
//! which keeps z · n = 0 and |z|. World components that are not carried along would create energy.

use nalgebra::Vector3;

use super::contact::Touch;
use super::geometry::{Geometry, Spot};
use crate::friction::{FrictionLaw, Sliding, Slip};
use crate::marker::{MarkerState, Variation};
use crate::math::spatial::Axis;

impl Spot {
    /// Number of directions in which it slides.
    pub fn directions(&self) -> usize {
        match self {
            Self::Pin | Self::Corner { .. } | Self::Flange { .. } => 1,
            Self::Base { plane, .. } => 1 + usize::from(*plane),
            Self::Ball => 3,
        }
    }
}

/// Bristles of a contact at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Bristles {
    count: usize,
    axes: [Vector3<f64>; 3],
    /// States along the axes, of a ball without their part across the surface.
    z: Slip,
    pub slip: Slip,
    pub sliding: Sliding,
    /// ż.
    pub rates: Slip,
    /// Of a ball: n, ė and |e|, in axes of the bearing.
    carried: Option<(Vector3<f64>, Vector3<f64>, f64)>,
}

/// Components of a vector along axes.
fn components(axes: &[Vector3<f64>; 3], vector: &Vector3<f64>) -> Slip {
    axes.map(|axis| axis.dot(vector))
}

fn columns(a: &MarkerState) -> [Vector3<f64>; 3] {
    [Axis::X, Axis::Y, Axis::Z].map(|axis| a.frame.axis(axis))
}

impl Bristles {
    pub fn new(law: &FrictionLaw, touch: &Touch, g: &Geometry) -> Self {
        let (a, b) = (touch.a, touch.b);
        let slides = g.direction * g.sliding;
        let count = touch.spot.directions();
        let mut axes = [Vector3::zeros(); 3];
        let (mut z, mut carried) = (touch.z, None);
        match count {
            1 => axes[0] = g.direction,
            2 => {
                let axis = a.frame.axis(Axis::Z);
                (axes[0], axes[1]) = (axis.cross(&g.normal), axis);
            }
            _ => {
                axes = columns(a);
                let normal = a.frame.r.tr_mul(&g.normal);
                z = (Vector3::from(z) - normal * normal.dot(&Vector3::from(z))).into();
                let rate = b.twist.v - a.twist.v - a.twist.w.cross(&g.eccentricity);
                carried = Some((normal, a.frame.r.tr_mul(&rate), g.distance));
            }
        }
        let (slip, side) = match count {
            1 => ([g.sliding, 0.0, 0.0], Some(touch.memory.zone)),
            _ => (components(&axes, &slides), None),
        };
        let sliding = law.evaluate(&slip, &z, side, touch.pressed_by(0.0));
        let mut rates = sliding.h;
        if let Some((normal, rate, distance)) = carried {
            let turn = rate.dot(&Vector3::from(z)) / distance;
            rates = std::array::from_fn(|i| rates[i] - normal[i] * turn); // (1)
        }
        Self { count, axes, z, slip, sliding, rates, carried }
    }

    /// Σ m_k of the axes: −N times it is the friction force.
    pub fn pull(&self) -> Vector3<f64> {
        self.axes.iter().zip(self.sliding.m).map(|(axis, m)| axis * m).sum()
    }

    /// Power of friction per load and energy stored per load, where the bodies move at v_t + `extra`.
    pub fn power(&self, extra: &Vector3<f64>) -> f64 {
        let m = &self.sliding.m;
        let along: f64 = self.slip.iter().zip(m).map(|(s, m)| s * m).sum();
        -along - self.pull().dot(extra)
    }

    /// ½ σ₀ z².
    pub fn stored(&self, law: &FrictionLaw) -> f64 {
        0.5 * law.stiffness() * self.z.iter().map(|z| z * z).sum::<f64>()
    }

    /// How slip, axes and the part of z in the surface change with the markers.
    pub fn moved(&self, touch: &Touch, g: &Geometry, d: &Moved) -> Change {
        let turn = &d.turn_a;
        let mut axes = [Vector3::zeros(); 3];
        let mut z = [0.0; 3];
        match self.count {
            1 => axes[0] = d.direction,
            2 => {
                let axis = touch.a.frame.axis(Axis::Z);
                let tilted = turn.cross(&axis);
                (axes[0], axes[1]) = (tilted.cross(&g.normal) + axis.cross(&d.normal), tilted);
            }
            _ => axes = self.axes.map(|axis| turn.cross(&axis)),
        }
        let slides = g.direction * g.sliding;
        let slip = match self.count {
            1 => [d.sliding, 0.0, 0.0],
            _ => std::array::from_fn(|k| axes[k].dot(&slides) + self.axes[k].dot(&d.slip)),
        };
        if let Some((normal, ..)) = self.carried {
            let tilted = self.tilted(touch, g, d);
            let all = Vector3::from(touch.z);
            z = (-(tilted * normal.dot(&all) + normal * tilted.dot(&all))).into();
        }
        Change { axes, slip, z }
    }

    /// Change of n in axes of the bearing.
    fn tilted(&self, touch: &Touch, g: &Geometry, d: &Moved) -> Vector3<f64> {
        touch.a.frame.r.tr_mul(&(d.normal - d.turn_a.cross(&g.normal)))
    }

    /// Change of m for a [`Change`].
    pub fn coefficients(&self, change: &Change) -> Slip {
        let by_slip = times(&self.sliding.m_s, &change.slip);
        let by_z = times(&self.sliding.m_z, &change.z);
        std::array::from_fn(|i| by_slip[i] + by_z[i])
    }

    /// Change of ż as the markers move.
    pub fn rate_change(
        &self,
        touch: &Touch,
        g: &Geometry,
        d: &Moved,
        by: (&Variation, &Variation),
    ) -> Slip {
        let change = self.moved(touch, g, d);
        let (by_slip, by_z) =
            (times(&self.sliding.h_s, &change.slip), times(&self.sliding.h_z, &change.z));
        let mut rates: Slip = std::array::from_fn(|i| by_slip[i] + by_z[i]);
        let Some((normal, rate, distance)) = self.carried else { return rates };
        let (a, b, (da, db)) = (touch.a, touch.b, by);
        let z = Vector3::from(self.z);
        let moving = b.twist.v - a.twist.v - a.twist.w.cross(&g.eccentricity);
        let moving_change = db.v
            - da.v
            - da.w.cross(&g.eccentricity)
            - a.twist.w.cross(&(db.p - da.p))
            - da.turn.cross(&moving);
        let rate_change = a.frame.r.tr_mul(&moving_change);
        let turn = rate.dot(&z) / distance;
        let turn_change = (rate_change.dot(&z) + rate.dot(&Vector3::from(change.z))
            - turn * g.normal.dot(&(db.p - da.p)))
            / distance;
        let tilted = self.tilted(touch, g, d);
        for i in 0..3 {
            rates[i] -= tilted[i] * turn + normal[i] * turn_change;
        }
        rates
    }

    /// Changes of m and of ż with state `j`.
    pub fn by_state(&self, j: usize) -> (Slip, Slip) {
        let mut unit = [0.0; 3];
        unit[j] = 1.0;
        let mut turn = 0.0;
        if let Some((normal, rate, distance)) = self.carried {
            let across = Vector3::from(unit) - normal * normal[j];
            turn = rate.dot(&across) / distance;
            unit = across.into();
        }
        let mut rates = times(&self.sliding.h_z, &unit);
        if let Some((normal, ..)) = self.carried {
            (0..3).for_each(|i| rates[i] -= normal[i] * turn);
        }
        (times(&self.sliding.m_z, &unit), rates)
    }

    /// Change of the friction force over −N: for changes of m and of the axes.
    pub fn pull_change(&self, m: &Slip, axes: &[Vector3<f64>; 3]) -> Vector3<f64> {
        (0..3).map(|k| self.axes[k] * m[k] + axes[k] * self.sliding.m[k]).sum()
    }
}

/// What [`Bristles::moved`] needs of the change of a geometry.
pub struct Moved {
    pub normal: Vector3<f64>,
    pub direction: Vector3<f64>,
    pub sliding: f64,
    /// Of the vector of sliding in a plane.
    pub slip: Vector3<f64>,
    pub turn_a: Vector3<f64>,
}

/// Changes of the axes, of the slip along them and of the states in the surface.
pub struct Change {
    pub axes: [Vector3<f64>; 3],
    pub slip: Slip,
    pub z: Slip,
}

fn times(matrix: &[Slip; 3], x: &Slip) -> Slip {
    std::array::from_fn(|i| (0..3).map(|j| matrix[i][j] * x[j]).sum())
}
