//! The angles ψ, θ, φ of a joint that leaves all rotations free, in the order of augustynek.
//!
//! With R = R_z(ψ) R_y(θ) R_x(φ) the axes of b in those of a, and ω the angular velocity of b against a in
//! axes of a:
//!
//!   ψ = atan2(R_yx, R_xx),  θ = −asin R_zx,  φ = atan2(R_zy, R_zz)                             (1)
//!   θ̇ = ω_y cos ψ − ω_x sin ψ,  φ̇ = (ω_x cos ψ + ω_y sin ψ)/cos θ,  ψ̇ = ω_z + φ̇ sin θ        (2)
//!
//! ψ and φ are within half a turn. At θ = ±90° neither they nor their rates are determined. The joint itself
//! knows no angles: its rows hold points, and bodies have quaternions.

use super::CardanAngle;
use crate::marker::MarkerState;

/// The angle, rad.
pub(super) fn angle(which: CardanAngle, a: &MarkerState, b: &MarkerState) -> f64 {
    let r = a.frame.r.tr_mul(&b.frame.r);
    match which {
        CardanAngle::Psi => r[(1, 0)].atan2(r[(0, 0)]), // (1)
        CardanAngle::Theta => -r[(2, 0)].clamp(-1.0, 1.0).asin(),
        CardanAngle::Phi => r[(2, 1)].atan2(r[(2, 2)]),
    }
}

/// Its rate, rad/s.
pub(super) fn rate(which: CardanAngle, a: &MarkerState, b: &MarkerState) -> f64 {
    let w = a.frame.r.tr_mul(&(b.twist.w - a.twist.w));
    let (sin, cos) = angle(CardanAngle::Psi, a, b).sin_cos();
    let (sin_theta, cos_theta) = angle(CardanAngle::Theta, a, b).sin_cos();
    let phi_rate = (w.x * cos + w.y * sin) / cos_theta; // (2)
    match which {
        CardanAngle::Psi => w.z + phi_rate * sin_theta,
        CardanAngle::Theta => w.y * cos - w.x * sin,
        CardanAngle::Phi => phi_rate,
    }
}
