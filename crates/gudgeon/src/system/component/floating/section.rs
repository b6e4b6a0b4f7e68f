//! Sections of links with a floating frame, and markers on them.
//!
//! A section at X + u turns by φ against R, both linear in q_f. Its markers take D = exp(φ×) and T with
//! Ḋ = (Tφ̇)× D, so that frame, twist, J̇v and Jᵀ belong together at any φ: with ρ = D s, ℓ = X + u + ρ, β = T φ̇,
//!
//!   p = P + R ℓ,   ω_m = R (ω + β),   v = V + R (ω × ℓ + u̇ + β × ρ)
//!   J̇v = R (ω × (ω × ℓ) + 2 ω × (u̇ + β × ρ) + Ṫφ̇ × ρ + β × (β × ρ),  ω × β + Ṫφ̇)             (5)
//!   Jᵀw = (f,  ℓ × f̄ + t̄,  Sᵀf̄ + ΦᵀTᵀ(t̄ + ρ × f̄)),   f̄ = Rᵀf, t̄ = Rᵀt                          (6)

use nalgebra::{Matrix3, Vector3};

use super::masses::joined;
use super::{Columns, FloatingBody, FloatingState};
use crate::fe::{self, Site};
use crate::marker::{Attachment, MarkerState, Variation};
use crate::math::rotation::{exponential, tangent, tangent_change};
use crate::math::spatial::{Frame, Twist, Wrench};

/// A section of a marker at one instant.
#[derive(Clone, Copy, Debug)]
pub struct FloatingSection {
    site: Site,
    r: Matrix3<f64>,
    p: Vector3<f64>,
    velocity: Vector3<f64>,
    omega: Vector3<f64>,
    u: Vector3<f64>,
    u_rate: Vector3<f64>,
    phi: Vector3<f64>,
    phi_rate: Vector3<f64>,
    /// D A of the undeformed section axes A, and T.
    axes: Matrix3<f64>,
    tangent: Matrix3<f64>,
}

/// What a link does along a column: the frame turns, or an elastic coordinate grows.
#[derive(Clone, Copy, Debug)]
pub enum FloatingMoved {
    Shifted,
    /// In axes R.
    Turned(Vector3<f64>),
    /// u and φ.
    Bent(Vector3<f64>, Vector3<f64>),
}

impl FloatingBody {
    /// A section at the state.
    pub fn section(&self, site: &Site, state: &FloatingState) -> FloatingSection {
        let frame = (state.p, state.r, state.velocity, state.omega);
        let (q, v) = state.mesh();
        section(site, frame, (site.of(q), site.of(v)))
    }

    /// A section in whole q and v.
    pub fn section_at(&self, site: &Site, q: &[f64], v: &[f64]) -> FloatingSection {
        let frame = self.frame_state(q, v);
        let r = frame.frame.r;
        let frame = (frame.frame.p, r, frame.twist.v, r.tr_mul(&frame.twist.w));
        let n = self.link.size();
        let (mut q_room, mut v_room) = ([0.0; fe::COLUMNS], [0.0; fe::COLUMNS]);
        let (q, v) = (&q[self.q + self.frame..][..n], &v[self.v + self.border()..][..n]);
        let q = self.link.local(site, q, &mut q_room);
        section(site, frame, (q, self.link.local(site, v, &mut v_room)))
    }

    pub fn marker(
        &self,
        section: &FloatingSection,
        at: &Attachment,
        angle: f64,
    ) -> (MarkerState, Vector3<f64>) {
        let mut marker = section.marker(&at.offset, &at.turn);
        marker.angle = match self.planar() {
            true => angle + section.phi.z + at.angle,
            false => at.angle,
        };
        let arm = marker.frame.p - section.p;
        (marker, arm)
    }

    /// u and φ of a site by coordinates of the link.
    pub(super) fn moved(&self, site: &Site, elastic: &[f64]) -> [Vector3<f64>; 2] {
        let mut room = [0.0; fe::COLUMNS];
        site.motion(self.link.local(site, elastic, &mut room))
    }

    /// Velocity of a place on the line for a small motion that starts with the link, in the world.
    pub fn site_motion(&self, section: &FloatingSection, by: &[f64]) -> Vector3<f64> {
        self.acceleration(section, &Vector3::zeros(), by).v
    }

    /// J v̇ of a marker at s for accelerations that start with the link, without its bias.
    pub fn acceleration(&self, section: &FloatingSection, s: &Vector3<f64>, a: &[f64]) -> Twist {
        let (linear, angular, elastic) = self.split(a);
        let rho = section.axes * s;
        let [u, phi] = self.moved(&section.site, elastic);
        let turn = section.tangent * phi;
        let arm = section.site.place + section.u + rho;
        let moved = angular.cross(&arm) + u + turn.cross(&rho);
        Twist { v: linear + section.r * moved, w: section.r * (angular + turn) }
    }

    /// (6) over the columns of a marker: of the frame, then of its element.
    pub fn reduce(
        &self,
        section: &FloatingSection,
        s: &Vector3<f64>,
        w: &Wrench,
        out: &mut Columns,
    ) {
        let rho = section.axes * s;
        let (f, t) = (section.r.tr_mul(&w.f), section.r.tr_mul(&w.t));
        let arm = section.site.place + section.u + rho;
        let on_turn = section.tangent.tr_mul(&(t + rho.cross(&f)));
        self.write(section, &w.f, &(arm.cross(&f) + t), (&f, &on_turn), out);
    }

    /// Adds forces on P, R, u and φ to the columns of a marker.
    fn write(
        &self,
        section: &FloatingSection,
        on_p: &Vector3<f64>,
        on_r: &Vector3<f64>,
        (on_u, on_phi): (&Vector3<f64>, &Vector3<f64>),
        out: &mut Columns,
    ) {
        let whole = joined(on_p, on_r);
        let (frame, own) = out.split_at_mut(self.border());
        frame.iter_mut().zip(self.freedoms).for_each(|(f, &k)| *f += whole[k]);
        let site = &section.site;
        let columns = site.moved.column_iter().zip(site.turned.column_iter());
        for (out, (u, phi)) in own[..site.count].iter_mut().zip(columns) {
            *out += u.dot(on_u) + phi.dot(on_phi);
        }
    }

    /// What a column of a marker does.
    fn along(&self, section: &FloatingSection, column: usize) -> (Vector3<f64>, FloatingMoved) {
        match column.checked_sub(self.border()) {
            Some(k) => {
                let site = &section.site;
                let (u, phi) = (site.moved.column(k).into(), site.turned.column(k).into());
                (Vector3::zeros(), FloatingMoved::Bent(u, phi))
            }
            None => match self.freedoms[column] {
                axis @ 0..3 => (Vector3::ith(axis, 1.0), FloatingMoved::Shifted),
                axis => (Vector3::zeros(), FloatingMoved::Turned(Vector3::ith(axis - 3, 1.0))),
            },
        }
    }

    /// How a marker at s moves along a column, and what the link does.
    pub fn position_variation(
        &self,
        section: &FloatingSection,
        s: &Vector3<f64>,
        column: usize,
    ) -> (Variation, FloatingMoved) {
        let (shift, moved) = self.along(section, column);
        let (r, rho) = (&section.r, section.axes * s);
        let variation = match &moved {
            FloatingMoved::Shifted => Variation { p: shift, ..Variation::ZERO },
            FloatingMoved::Turned(axis) => {
                let marker = section.marker(s, &Matrix3::identity());
                let turn = r * axis;
                Variation {
                    p: turn.cross(&(marker.frame.p - section.p)),
                    turn,
                    v: turn.cross(&(marker.twist.v - section.velocity)),
                    w: turn.cross(&marker.twist.w),
                }
            }
            FloatingMoved::Bent(u, phi) => {
                let (turn, spin) = (section.tangent * phi, section.tangent * section.phi_rate);
                let faster = tangent_change(&section.phi, phi) * section.phi_rate;
                let by = turn.cross(&rho);
                let v = section.omega.cross(&(u + by)) + faster.cross(&rho) + spin.cross(&by);
                Variation { p: r * (u + by), turn: r * turn, v: r * v, w: r * faster }
            }
        };
        (variation, moved)
    }

    /// How its velocity changes along a column.
    pub fn velocity_variation(
        &self,
        section: &FloatingSection,
        s: &Vector3<f64>,
        column: usize,
    ) -> Variation {
        let (shift, moved) = self.along(section, column);
        let (r, rho) = (&section.r, section.axes * s);
        let (v, w) = match &moved {
            FloatingMoved::Shifted => return Variation { v: shift, ..Variation::ZERO },
            FloatingMoved::Turned(axis) => {
                (axis.cross(&(section.site.place + section.u + rho)), *axis)
            }
            FloatingMoved::Bent(u, phi) => {
                let turn = section.tangent * phi;
                (u + turn.cross(&rho), turn)
            }
        };
        Variation { v: r * v, w: r * w, ..Variation::ZERO }
    }

    /// Change of Jᵀ w of a wrench that stays, added to `out`.
    pub fn add_turned(
        &self,
        section: &FloatingSection,
        s: &Vector3<f64>,
        now: &Wrench,
        by: &FloatingMoved,
        out: &mut Columns,
    ) {
        let rho = section.axes * s;
        let (f, t) = (section.r.tr_mul(&now.f), section.r.tr_mul(&now.t));
        match by {
            FloatingMoved::Shifted => {}
            FloatingMoved::Turned(axis) => {
                let (f, t) = (-axis.cross(&f), -axis.cross(&t));
                let arm = section.site.place + section.u + rho;
                let on_turn = section.tangent.tr_mul(&(t + rho.cross(&f)));
                self.write(section, &Vector3::zeros(), &(arm.cross(&f) + t), (&f, &on_turn), out);
            }
            FloatingMoved::Bent(u, phi) => {
                let by = (section.tangent * phi).cross(&rho);
                let change = tangent_change(&section.phi, phi);
                let on_turn =
                    change.tr_mul(&(t + rho.cross(&f))) + section.tangent.tr_mul(&by.cross(&f));
                let none = Vector3::zeros();
                self.write(section, &none, &(u + by).cross(&f), (&none, &on_turn), out);
            }
        }
    }
}

type FrameOf = (Vector3<f64>, Matrix3<f64>, Vector3<f64>, Vector3<f64>);

fn section(site: &Site, frame: FrameOf, (q, v): (&[f64], &[f64])) -> FloatingSection {
    let (p, r, velocity, omega) = frame;
    let ([u, phi], [u_rate, phi_rate]) = (site.motion(q), site.motion(v));
    FloatingSection {
        site: *site,
        r,
        p,
        velocity,
        omega,
        u,
        u_rate,
        phi,
        phi_rate,
        axes: exponential(&phi) * site.axes,
        tangent: tangent(&phi),
    }
}

impl FloatingSection {
    /// Its place and axes.
    pub fn frame(&self) -> Frame {
        let p = self.p + self.r * (self.site.place + self.u);
        Frame { p, r: self.r * self.axes }
    }

    /// Angle of a section in the plane from another one.
    pub fn angle_from(&self, phi: &Vector3<f64>) -> f64 {
        self.phi.z - phi.z
    }

    /// (5) of a marker at s with axes A; its angle is not known here.
    fn marker(&self, s: &Vector3<f64>, turn: &Matrix3<f64>) -> MarkerState {
        let (r, w) = (&self.r, &self.omega);
        let rho = self.axes * s;
        let arm = self.site.place + self.u + rho;
        let spin = self.tangent * self.phi_rate;
        let faster = tangent_change(&self.phi, &self.phi_rate) * self.phi_rate;
        let moving = self.u_rate + spin.cross(&rho);
        let bias = w.cross(&w.cross(&arm))
            + w.cross(&moving) * 2.0
            + faster.cross(&rho)
            + spin.cross(&spin.cross(&rho));
        MarkerState {
            frame: Frame { p: self.p + r * arm, r: r * self.axes * turn },
            twist: Twist { v: self.velocity + r * (w.cross(&arm) + moving), w: r * (w + spin) },
            bias: Twist { v: r * bias, w: r * (w.cross(&spin) + faster) },
            angle: 0.0,
        }
    }
}
