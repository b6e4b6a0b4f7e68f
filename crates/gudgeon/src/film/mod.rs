//! Lubricant film between a journal and its bearing.
//!
//! Everything is seen from the *bearing axes* ξ, η, ζ: they turn with the bearing, ζ is its axis, the
//! origin P its centre. The journal's axis pierces the end planes A (ζ = −B/2) and W (ζ = +B/2) at e_A
//! and e_W and is straight between them, so at the angle θ from ξ the film is
//!
//!   h(θ, ζ) = c − ξ(ζ) cosθ − η(ζ) sinθ = c − n·e,   n = (cosθ, sinθ)                        (1)
//!
//! In these axes the bearing's surface rests and the journal's moves along θ with R ω, ω = ω_J − ω_B.
//! Between the two the oil flows, per unit of width,
//!
//!   q_θ = R ω h/2 − h³ p_θ/(12 μ R),   q_ζ = −h³ p_ζ/(12 μ)                                  (2)
//!
//! and h_t + q_θ,θ/R + q_ζ,ζ = 0 is Reynolds' equation
//!
//!   (h³ p_θ)_θ/R² + (h³ p_ζ)_ζ = 6 μ ω h_θ + 12 μ h_t = −12 μ n·v                            (3)
//!   v = ė − ½ ω ẑ×e                                                                         (4)
//!
//! with ė as seen from the bearing axes. The spins enter through their difference only, and only
//! through v: a film cannot tell the wedge from a journal that moves in axes turning with ω/2. (With ė
//! seen from axes at rest, v = ė − ½ (ω_J + ω_B) ẑ×e: the mean speed of the surfaces.) Axial sliding of
//! the journal is left out of (2); it matters by the tilt times its speed.
//!
//! Cavitation. Oil bears no suction: p ≥ 0. *Half-Sommerfeld* solves (3) and drops p < 0. *Reynolds*
//! (Swift–Stieber) asks for p ≥ 0 with (3) where p > 0 and p_n = 0 at the edge, a complementarity
//! problem; its force is minus the gradient of a convex function of v, so a film with ω = 0 only
//! damps.
//!
//! Continuity. A film that oil enters from its ends, or through grooves, is a continuous function of e and
//! v, for its force vanishes with v and nothing in (3) prefers a direction at the centre. A line of known
//! pressure at the widest gap does: [`Supply::WidestGap`] makes the force jump there.
//!
//! Forces on the journal, about P:
//!
//!   F = −∫∫ p n R dθ dζ,   M_ξ = ∫∫ p ζ sinθ R dθ dζ,   M_η = −∫∫ p ζ cosθ R dθ dζ           (5)
//!   T_J = −μ R³ ω ∫∫ dθ dζ/h − ½ N,   T_B = +μ R³ ω ∫∫ dθ dζ/h − ½ N,   N = ∫ e×dF           (6)
//!
//! T_J acts on the journal about its own centre line, T_B on the bearing; T_J + T_B + N = 0, so the
//! moments balance. Shear is counted all around, as if the broken film still wetted both surfaces, but
//! for grooves, which are deep; [`Shear::Ignored`] leaves its terms out of (6) and (7). What the pressure
//! does to both surfaces, ½ N, stays: without it moments and powers would not balance.
//! The power put in, −F·ė − T_J ω, is the sum of
//!
//!   shear  μ R³ ω² ∫∫ dθ dζ/h   and   pumping  −∫ dF·v = ∫∫ h³ |∇p|²/(12 μ) R dθ dζ          (7)
//!
//! (pumping less the work of a pressurised supply). Inside, forces are the pair Q_A, Q_W conjugate to
//! e_A, e_W: Q = ∫ N dF with the shape functions N = (1 ∓ 2ζ/B)/2.
//!
//! A journal that touches has no film: h ≤ 0 anywhere is the error [`Touching`], never a force.

mod arc;
mod bearing;
mod between;
mod check;
mod evaluate;
mod field;
pub mod finite;
mod gauss;
mod long;
mod response;
mod shear;
mod short;
mod short_exact;
mod snapshot;
mod sommerfeld;
mod state;
mod turn;

#[cfg(test)]
mod tests;

pub use bearing::{Coefficients, Equilibrium, Stability, Whirl};
pub use between::{Linearised, Lubricant, Lubricated};
pub use check::BadFilm;
pub use evaluate::{Film, FilmModel, FilmWork, Moments, Shear};
pub use field::{Peak, PressureField};
pub use finite::{Cavitation, FiniteFilm, Groove, Supply};
pub use snapshot::{FilmGrid, FilmSnapshot, Thinnest};
pub use state::{FilmForce, FilmShape, FilmTangent, JournalState, Touching};
