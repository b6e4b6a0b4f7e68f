//! Short bearing: pressure falls off along ζ alone (tian Eq. 38).
//!
//!   p = (3μ/2) (B² − 4ζ²) (n·v)⁺/h³                                                         (1)
//!
//! with e and v of the slice. For an aligned journal this solves (3) of the module without its first
//! term; for a tilted one it is the paper's approximation, which overstates the moment of a pure tilt
//! three times (`short_exact.rs` solves the equation).
//!
//! Each slice carries on the half circle n·v > 0 and is integrated there in closed form (`arc.rs`).
//! Along ζ the forces are summed by Gauss points (`turn.rs`), in two parts where |v| has a minimum inside: v
//! turns around there, and if it vanishes the force has a corner.

use super::arc::Arc;
use super::gauss::Gauss;
use super::response::{Response, Want};
use super::state::{Ends, FilmShape};
use super::turn::{Turn, points};

/// Points along each part of a tilted journal.
pub const POINTS: usize = 16;

pub fn response(shape: &FilmShape, ends: &Ends, gauss: &Gauss, want: Want) -> Response {
    if ends.aligned() {
        // ∫ z² (1 − z²) = 1/5 of ∫ (1 − z²)
        return aligned(shape, ends, [0.2; 2]);
    }
    let mut out = Response::ZERO;
    let turn = Turn::of(&ends.nu);
    let split = turn.middle.clamp(-1.0, 1.0);
    for (from, to) in [(-1.0, split), (split, 1.0)].into_iter().filter(|(from, to)| to > from) {
        for (z, w) in points(&[turn], from, to, gauss) {
            let weight = -0.75 * w * (1.0 - z * z);
            let nu = ends.nu_at(z);
            let arc = Arc::new(ends.e_at(z), nu);
            out.add(z, arc.a * nu * weight, &(arc.d * weight), &(arc.a * weight), want);
        }
    }
    finish(shape, ends, out)
}

/// An aligned journal; `tilt` are the derivatives of the moment of a tilt by ν and by e over those of
/// the force.
pub fn aligned(shape: &FilmShape, ends: &Ends, tilt: [f64; 2]) -> Response {
    let mut out = Response::ZERO;
    let arc = Arc::new(ends.e[0], ends.nu[0]);
    out.add_aligned(tilt, -arc.a * ends.nu[0], &-arc.d, &-arc.a);
    finish(shape, ends, out)
}

fn finish(shape: &FilmShape, ends: &Ends, mut out: Response) -> Response {
    let c = shape.clearance;
    out.scale(shape.viscosity * shape.radius * shape.length.powi(3) / (c * c));
    // −h³ p_ζ/(12 μ) at an end is B/2 (n·v)⁺, and ∫ (n·v)⁺ dθ = 2|v|.
    out.leakage = shape.radius * shape.length * c * (ends.nu[0].norm() + ends.nu[1].norm());
    out
}

/// p of (1) at θ and z = 2ζ/B, Pa.
pub fn pressure(shape: &FilmShape, ends: &Ends, theta: f64, z: f64) -> f64 {
    let n = nalgebra::Vector2::new(theta.cos(), theta.sin());
    let h = 1.0 - n.dot(&ends.e_at(z));
    let slant = shape.length / shape.clearance;
    let push = n.dot(&ends.nu_at(z)).max(0.0);
    1.5 * shape.viscosity * slant * slant * (1.0 - z * z) * push / (h * h * h)
}
