//! Derivatives of inertia and weight of links with a floating frame: those of (3) in `masses.rs` by displacements
//! with the accelerations held, and by velocities.

use nalgebra::{Matrix3, Matrix6xX, Vector3};

use super::masses::pairing;
use super::{FloatingBody, FloatingState};
use crate::fe::inertia::{cross_of, inertia_of};
use crate::math::rotation::cross_matrix;

/// Which matrix an entry belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slope {
    Stiffness,
    Damping,
}

impl FloatingBody {
    /// Entries of ∂I/∂q and ∂I/∂v, counted from the first velocity of the link, at accelerations that start with it.
    pub fn for_inertia_tangents(
        &self,
        gravity: &Vector3<f64>,
        state: &FloatingState,
        accelerations: &[f64],
        mut each: impl FnMut(Slope, usize, usize, f64),
    ) {
        let at = Point::new(self, gravity, state, accelerations);
        let border = self.border();
        let mut frame = |slope, block: &Matrix6xX<f64>, first: usize| {
            for (j, column) in block.column_iter().enumerate() {
                for (i, &k) in self.freedoms().iter().enumerate() {
                    each(slope, i, first + j, column[k]);
                }
            }
        };
        let of_freedoms = |block: Matrix6xX<f64>| {
            let own: Vec<_> = self.freedoms().iter().map(|&k| block.column(k)).collect();
            Matrix6xX::from_columns(&own)
        };
        frame(Slope::Stiffness, &of_freedoms(at.frame_by_place()), 0);
        frame(Slope::Damping, &of_freedoms(at.frame_by_speed()), 0);
        frame(Slope::Stiffness, &at.frame_by_bending(), border);
        frame(Slope::Damping, &at.frame_by_bending_speed(), border);
        for (j, &k) in self.freedoms().iter().enumerate() {
            let Some(axis) = k.checked_sub(3) else { continue };
            for i in 0..self.link.size() {
                let [place, speed] = at.elastic_by_turning(i, axis);
                each(Slope::Stiffness, border + i, j, place);
                each(Slope::Damping, border + i, j, speed);
            }
        }
        let integrals = &self.link.integrals;
        integrals.for_products(&at.e, |i, j, value| {
            each(Slope::Stiffness, border + i, border + j, value);
        });
        integrals.for_products(&(at.spin * 2.0), |i, j, value| {
            each(Slope::Damping, border + i, border + j, value);
        });
        self.for_axial_tangents(gravity, state, each);
    }

    /// Those of stiffening by the rigid motion.
    fn for_axial_tangents(
        &self,
        gravity: &Vector3<f64>,
        state: &FloatingState,
        mut each: impl FnMut(Slope, usize, usize, f64),
    ) {
        let Some(axial) = &self.link.axial else { return };
        let (border, gravity) = (self.border(), state.r.tr_mul(gravity));
        let mut both = |slope, column: Option<usize>, (i, j, k): (usize, usize, f64)| {
            let pairs = if i == j { &[(i, j)][..] } else { &[(i, j), (j, i)][..] };
            for &(i, j) in pairs {
                match column {
                    None => each(slope, border + i, border + j, k),
                    Some(column) => each(slope, border + i, column, k * state.q[j]),
                }
            }
        };
        let pull = axial.pull(&state.omega, &gravity);
        axial.entries(pull).for_each(|entry| both(Slope::Stiffness, None, entry));
        let changes = axial.pull_changes(&state.omega, &gravity);
        for (column, &k) in self.freedoms().iter().enumerate() {
            let Some(axis) = k.checked_sub(3) else { continue };
            for (slope, change) in [(Slope::Stiffness, axis), (Slope::Damping, 3 + axis)] {
                let change = changes[change];
                axial.entries(change).for_each(|entry| both(slope, Some(column), entry));
            }
        }
    }
}

/// What the derivatives are made of.
struct Point<'a> {
    body: &'a FloatingBody,
    state: &'a FloatingState,
    omega: Vector3<f64>,
    spin: Matrix3<f64>,
    /// E and ā of (2).
    e: Matrix3<f64>,
    a: Vector3<f64>,
    /// Q.
    second: Matrix3<f64>,
    /// What stands behind R in I_P.
    carried: Vector3<f64>,
    /// Σ q̈_i N_ij.
    bent: Vec<Matrix3<f64>>,
}

impl<'a> Point<'a> {
    fn new(
        body: &'a FloatingBody,
        gravity: &Vector3<f64>,
        state: &'a FloatingState,
        accelerations: &[f64],
    ) -> Self {
        let (linear, angular, elastic) = body.split(accelerations);
        let (m, n) = (&state.moments, body.link.size());
        let spin = cross_matrix(&state.omega);
        let e = cross_matrix(&angular) + spin * spin;
        let second = Matrix3::identity() * (0.5 * m.inertia.trace()) - m.inertia;
        let shapes = body.link.integrals.shapes().iter().zip(elastic);
        let moved = shapes.fold(Vector3::zeros(), |sum, (c, a)| sum + c * *a);
        let carried = e * m.first + state.omega.cross(&m.first_rate) * 2.0 + moved;
        let mut bent = vec![Matrix3::zeros(); n];
        body.link.integrals.products(elastic, &mut bent);
        Self {
            body,
            state,
            omega: state.omega,
            spin,
            e,
            a: state.r.tr_mul(&(linear - gravity)),
            second,
            carried,
            bent,
        }
    }

    /// I_P and I_R by displacements of the frame.
    fn frame_by_place(&self) -> Matrix6xX<f64> {
        let mut out = Matrix6xX::zeros(6);
        let by_turn = -self.state.r * cross_matrix(&self.carried);
        let weight = cross_matrix(&self.state.moments.first) * cross_matrix(&self.a);
        out.fixed_view_mut::<3, 3>(0, 3).copy_from(&by_turn);
        out.fixed_view_mut::<3, 3>(3, 3).copy_from(&weight);
        out
    }

    /// The same by velocities of the frame.
    fn frame_by_speed(&self) -> Matrix6xX<f64> {
        let m = &self.state.moments;
        let mut out = Matrix6xX::zeros(6);
        let turning = cross_matrix(&self.omega.cross(&m.first))
            + self.spin * cross_matrix(&m.first)
            + cross_matrix(&m.first_rate) * 2.0;
        out.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-self.state.r * turning));
        let mixed = inertia_of(&m.mixed.transpose()) * 2.0;
        for axis in 0..3 {
            let column = cross_of(&(self.second * self.faster(axis).transpose()));
            out.fixed_view_mut::<3, 1>(3, 3 + axis).copy_from(&(column + mixed.column(axis)));
        }
        out
    }

    /// ∂(ω×ω×)/∂ω along an axis.
    fn faster(&self, axis: usize) -> Matrix3<f64> {
        let by = cross_matrix(&Vector3::ith(axis, 1.0));
        by * self.spin + self.spin * by
    }

    /// I_P and I_R by elastic displacements.
    fn frame_by_bending(&self) -> Matrix6xX<f64> {
        let m = &self.state.moments;
        by_columns(m.z.len(), |j| {
            let c = self.body.shape(j);
            let on_p = self.state.r * (self.e * c);
            let turned =
                (m.z[j] + m.z[j].transpose()) * self.e.transpose() + self.bent[j].transpose();
            let on_r =
                c.cross(&self.a) + cross_of(&turned) + inertia_of(&m.z_rate[j]) * self.omega * 2.0;
            (on_p, on_r)
        })
    }

    /// The same by elastic velocities.
    fn frame_by_bending_speed(&self) -> Matrix6xX<f64> {
        let m = &self.state.moments;
        by_columns(m.z.len(), |j| {
            let on_p = self.state.r * self.omega.cross(self.body.shape(j)) * 2.0;
            let on_r = inertia_of(&m.z[j].transpose()) * self.omega * 2.0;
            (on_p, on_r)
        })
    }

    /// I_i by a turn of the frame and by its speed.
    fn elastic_by_turning(&self, i: usize, axis: usize) -> [f64; 2] {
        let m = &self.state.moments;
        let by = Vector3::ith(axis, 1.0);
        let place = -self.body.shape(i).dot(&by.cross(&self.a));
        let speed =
            pairing(&self.faster(axis), &m.z[i]) + 2.0 * pairing(&cross_matrix(&by), &m.z_rate[i]);
        [place, speed]
    }
}

/// Columns from a force and a moment each.
fn by_columns(count: usize, of: impl Fn(usize) -> (Vector3<f64>, Vector3<f64>)) -> Matrix6xX<f64> {
    let mut out = Matrix6xX::zeros(count);
    for (j, mut column) in out.column_iter_mut().enumerate() {
        let (force, moment) = of(j);
        column.fixed_rows_mut::<3>(0).copy_from(&force);
        column.fixed_rows_mut::<3>(3).copy_from(&moment);
    }
    out
}
