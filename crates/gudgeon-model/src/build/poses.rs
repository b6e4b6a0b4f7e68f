//! Coordinates of joints in the rough start pose.

use gudgeon::math::spatial::Frame;
use gudgeon::model::{Coordinate, JointId, MarkerId, Placement, Space};
use nalgebra::{Matrix3, Vector3};

use super::Builder;

impl Builder<'_> {
    /// A joint's coordinate in the start pose; 0 where the pose says nothing.
    pub(super) fn start_of(&self, joint: JointId, coordinate: Coordinate) -> f64 {
        let joint = &self.model.joints[joint.0];
        let placed = |marker: MarkerId| {
            let body = self.model.markers[marker.0].body;
            body.0 == 0 || self.model.bodies[body.0].start.position.is_some()
        };
        if joint.placement == Placement::AtZero && !placed(joint.b) {
            return 0.0;
        }
        if self.model.space == Space::Planar && coordinate == Coordinate::Angle {
            // Counted over full turns.
            return self.planar_angle(joint.b) - self.planar_angle(joint.a);
        }
        let (a, b) = (self.start_frame(joint.a), self.start_frame(joint.b));
        of(coordinate, a.r.tr_mul(&(b.p - a.p)), a.r.tr_mul(&b.r))
    }

    fn planar_angle(&self, marker: MarkerId) -> f64 {
        let marker = &self.model.markers[marker.0];
        let start = &self.model.bodies[marker.body.0].start;
        start.orientation.map_or(0.0, |o| o.angle()) + marker.local.planar_angle()
    }

    /// A marker in world axes.
    fn start_frame(&self, marker: MarkerId) -> Frame {
        let marker = &self.model.markers[marker.0];
        let start = &self.model.bodies[marker.body.0].start;
        let r = start.orientation.map_or_else(Matrix3::identity, |o| o.rotation());
        let p = start.position.unwrap_or_else(Vector3::zeros);
        Frame { p: p + r * marker.local.p, r: r * marker.local.r }
    }
}

/// A coordinate of b against a, from displacement and rotation in axes of a. With
/// R = R_x(α) R_y(β) R_z(γ) the first row of R is (cβ cγ, −cβ sγ, sβ), its last column
/// (sβ, −sα cβ, cα cβ).
fn of(coordinate: Coordinate, place: Vector3<f64>, r: Matrix3<f64>) -> f64 {
    match coordinate {
        Coordinate::Angle => r[(1, 0)].atan2(r[(0, 0)]),
        Coordinate::AngleX => (-r[(1, 2)]).atan2(r[(2, 2)]),
        Coordinate::AngleY => r[(0, 2)].atan2(r[(0, 0)].hypot(r[(0, 1)])),
        Coordinate::AngleZ => (-r[(0, 1)]).atan2(r[(0, 0)]),
        Coordinate::X => place.x,
        Coordinate::Y => place.y,
        Coordinate::Z => place.z,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::about;

    #[test]
    fn angles_are_found_again() {
        let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
        for [a, b, c] in [[0.3, -0.7, 2.5], [-2.0, 1.2, -0.1], [0.0, 0.0, 3.0]] {
            let r = about(x, a) * about(y, b) * about(z, c);
            let found = [Coordinate::AngleX, Coordinate::AngleY, Coordinate::AngleZ]
                .map(|coordinate| of(coordinate, z, r));
            for (found, expected) in found.iter().zip([a, b, c]) {
                assert!((found - expected).abs() < 1e-14, "{found} {expected}");
            }
        }
        assert!((of(Coordinate::Angle, z, about(z, -2.0)) + 2.0).abs() < 1e-15);
        assert_eq!(of(Coordinate::Z, Vector3::new(1.0, 2.0, 3.0), Matrix3::identity()), 3.0);
    }
}
