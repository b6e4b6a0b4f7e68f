//! Mass, centre and inertia of simple solids.
//!
//! S = (1/m) ∫ r rᵀ dm about the mass centre gives the inertia of any body:
//!
//!   I = m (tr S · 1 − S)                                                   (1)
//!
//! | solid | S |
//! |---|---|
//! | straight rod of length L along u, section extents k_v², k_w² | L²/12 u uᵀ + k_v² v vᵀ + k_w² w wᵀ   (2) |
//! | sphere of diameter d | d²/20 · 1                                        (3) |
//!
//! | section | area A | k_v², k_w² |
//! |---|---|---|
//! | circle d | π d²/4 | d²/16 each |
//! | ring D, d | π (D² − d²)/4 | (D² + d²)/16 each |
//! | rectangle b × h, b along v, h along w | b h | b²/12, h²/12 |

use std::f64::consts::PI;

use gudgeon::model::{Space, inertia_about_z};
use nalgebra::{Matrix3, Vector3};

#[derive(Clone, Copy, Debug)]
pub(crate) struct MassProperties {
    pub mass: f64,
    /// About the mass centre; of a planar body only about z.
    pub inertia: Matrix3<f64>,
    pub centre: Vector3<f64>,
}

/// A section: its area and mean squares of its extents across the line, first and second side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    pub area: f64,
    pub extents: [f64; 2],
}

impl Section {
    pub fn circle(d: f64) -> Self {
        Self { area: PI * d * d / 4.0, extents: [d * d / 16.0; 2] }
    }

    pub fn ring(outer: f64, inner: f64) -> Self {
        let area = PI * (outer * outer - inner * inner) / 4.0;
        Self { area, extents: [(outer * outer + inner * inner) / 16.0; 2] }
    }

    pub fn rectangle(b: f64, h: f64) -> Self {
        Self { area: b * h, extents: [b * b / 12.0, h * h / 12.0] }
    }
}

/// What bounds a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outline {
    /// Two diameters; full where the inner one is zero.
    Round { outer: f64, inner: f64 },
    /// First and second side.
    Rectangle { first: f64, second: f64 },
}

impl Outline {
    pub fn section(self) -> Section {
        match self {
            Self::Round { outer, inner: 0.0 } => Section::circle(outer),
            Self::Round { outer, inner } => Section::ring(outer, inner),
            Self::Rectangle { first, second } => Section::rectangle(first, second),
        }
    }
}

/// A straight rod of mass m between two points; `second` is the direction of the second side of its
/// section, of which only the part across the line counts.
pub(crate) fn rod(
    space: Space,
    [from, to]: [Vector3<f64>; 2],
    mass: f64,
    [first_extent, second_extent]: [f64; 2],
    second: Vector3<f64>,
) -> MassProperties {
    let line = to - from;
    let length = length(line);
    let centre = 0.5 * (from + to);
    if space == Space::Planar {
        // The first side lies in the plane, the second across it.
        let moment = mass * (length * length / 12.0 + first_extent);
        return MassProperties { mass, inertia: inertia_about_z(moment), centre };
    }
    let u = line / length;
    let w = across(u, second);
    let v = w.cross(&u);
    let s = length * length / 12.0 * u * u.transpose()
        + first_extent * v * v.transpose()
        + second_extent * w * w.transpose(); // (2)
    MassProperties { mass, inertia: inertia(mass, s), centre }
}

pub(crate) fn sphere(
    space: Space,
    centre: Vector3<f64>,
    mass: f64,
    diameter: f64,
) -> MassProperties {
    let s = Matrix3::identity() * (diameter * diameter / 20.0); // (3)
    let inertia = match space {
        Space::Planar => inertia_about_z(mass * diameter * diameter / 10.0),
        Space::Spatial => inertia(mass, s),
    };
    MassProperties { mass, inertia, centre }
}

pub(crate) fn sphere_volume(diameter: f64) -> f64 {
    PI * diameter.powi(3) / 6.0
}

/// Length of a vector, without overflow on the way.
pub(crate) fn length(vector: Vector3<f64>) -> f64 {
    vector.x.hypot(vector.y).hypot(vector.z)
}

/// Equation (1).
fn inertia(mass: f64, s: Matrix3<f64>) -> Matrix3<f64> {
    mass * (Matrix3::identity() * s.trace() - s)
}

/// The part of `direction` across the line `u`, of length one; any direction across it if the two
/// are parallel.
pub(crate) fn across(u: Vector3<f64>, direction: Vector3<f64>) -> Vector3<f64> {
    let part = direction - u * u.dot(&direction);
    if part.norm() > PARALLEL {
        return part.normalize();
    }
    let least = Vector3::ith(u.iamin(), 1.0);
    (least - u * u.dot(&least)).normalize()
}

/// Sine of the angle below which two directions are parallel.
const PARALLEL: f64 = 1e-6;

/// Whether a direction of length one tells nothing about the sides of a rod along `line`.
pub(crate) fn is_along(line: Vector3<f64>, direction: Vector3<f64>) -> bool {
    line.cross(&direction).norm() <= PARALLEL * line.norm()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mass and inertia of unit density inside a box with the given axes and sizes: midpoint rule,
    /// and along an axis with two cells Gauss's, exact where the section does not change.
    fn integrated(
        axes: [Vector3<f64>; 3],
        sizes: [f64; 3],
        cells: [usize; 3],
        inside: impl Fn(f64, f64, f64) -> bool,
    ) -> (f64, Matrix3<f64>) {
        let cell = sizes.iter().product::<f64>() / cells.iter().product::<usize>() as f64;
        let place = |i: usize, axis: usize| match cells[axis] {
            2 => (i as f64 - 0.5) * sizes[axis] / 3.0_f64.sqrt(),
            n => ((i as f64 + 0.5) / n as f64 - 0.5) * sizes[axis],
        };
        let (mut mass, mut inertia) = (0.0, Matrix3::zeros());
        for i in 0..cells[0] {
            for j in 0..cells[1] {
                for k in 0..cells[2] {
                    let [a, b, c] = [place(i, 0), place(j, 1), place(k, 2)];
                    if inside(a, b, c) {
                        let r = a * axes[0] + b * axes[1] + c * axes[2];
                        mass += cell;
                        inertia +=
                            cell * (Matrix3::identity() * r.norm_squared() - r * r.transpose());
                    }
                }
            }
        }
        (mass, inertia)
    }

    fn close(found: Matrix3<f64>, expected: Matrix3<f64>, tolerance: f64) {
        let error = (found - expected).norm() / expected.norm();
        assert!(error < tolerance, "{error:e}: {found} is not {expected}");
    }

    fn oblique() -> ([Vector3<f64>; 2], [Vector3<f64>; 3]) {
        let (from, to) = (Vector3::new(0.1, -0.2, 0.3), Vector3::new(0.4, 0.2, 0.5));
        let u = (to - from).normalize();
        let w = (Vector3::z() - u * u.z).normalize();
        ([from, to], [u, w.cross(&u), w])
    }

    #[test]
    fn oblique_rods_agree_with_integration_over_their_volume() {
        let (ends, frame) = oblique();
        let length = (ends[1] - ends[0]).norm();
        let solid = |section: Section| {
            rod(Space::Spatial, ends, section.area * length, section.extents, Vector3::z())
        };
        let (mass, inertia) = integrated(frame, [length, 0.2, 0.05], [2, 100, 100], |_, _, _| true);
        let boxed = solid(Section::rectangle(0.2, 0.05));
        assert!((boxed.mass / mass - 1.0).abs() < 1e-9);
        close(boxed.inertia, inertia, 3e-5);
        assert!(boxed.inertia[(0, 1)].abs() > 1e-3 * boxed.inertia[(0, 0)], "oblique");
        let inside = |_: f64, b: f64, c: f64| b.hypot(c) <= 0.1;
        let (mass, inertia) = integrated(frame, [length, 0.2, 0.2], [2, 150, 150], inside);
        let round = solid(Section::circle(0.2));
        assert!((round.mass / mass - 1.0).abs() < 2e-3);
        close(round.inertia, inertia, 2e-3);
        let inside = |_: f64, b: f64, c: f64| b.hypot(c) <= 0.1 && b.hypot(c) >= 0.06;
        let (mass, inertia) = integrated(frame, [length, 0.2, 0.2], [2, 150, 150], inside);
        let tube = solid(Section::ring(0.2, 0.12));
        assert!((tube.mass / mass - 1.0).abs() < 2e-3);
        close(tube.inertia, inertia, 2e-3);
    }

    #[test]
    fn a_sphere_agrees_with_integration() {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let inside = |a: f64, b: f64, c: f64| a * a + b * b + c * c <= 0.01;
        let (mass, inertia) = integrated(axes, [0.2; 3], [40; 3], inside);
        let ball = sphere(Space::Spatial, Vector3::zeros(), sphere_volume(0.2), 0.2);
        assert!((ball.mass / mass - 1.0).abs() < 1e-2);
        close(ball.inertia, inertia, 1e-2);
    }

    #[test]
    fn solids_along_an_axis_have_the_moments_of_the_tables() {
        let ends = [Vector3::new(-1.0, 0.0, 0.0), Vector3::new(1.0, 0.0, 0.0)];
        let moments = |section: Section| {
            rod(Space::Spatial, ends, 3.0, section.extents, Vector3::z()).inertia
        };
        let diagonal = |x, y, z| Matrix3::from_diagonal(&Vector3::new(x, y, z));
        let (d, m, l): (f64, f64, f64) = (0.2, 3.0, 2.0);
        let across = m * (3.0 * (d / 2.0).powi(2) + l * l) / 12.0;
        close(moments(Section::circle(d)), diagonal(m * d * d / 8.0, across, across), 1e-15);
        let (outer, inner): (f64, f64) = (0.1, 0.08);
        let radii = outer * outer + inner * inner;
        let across = m * (3.0 * radii + l * l) / 12.0;
        let ring = moments(Section::ring(2.0 * outer, 2.0 * inner));
        close(ring, diagonal(m * radii / 2.0, across, across), 1e-15);
        let (b, h) = (0.3, 0.1);
        let sides = [b * b + h * h, l * l + h * h, l * l + b * b].map(|sum| m * sum / 12.0);
        let boxed = moments(Section::rectangle(b, h));
        close(boxed, diagonal(sides[0], sides[1], sides[2]), 1e-15);
        let planar = rod(Space::Planar, ends, m, Section::rectangle(b, h).extents, Vector3::z());
        assert_eq!(planar.inertia, inertia_about_z(m * (l * l / 12.0 + b * b / 12.0)));
    }
}
