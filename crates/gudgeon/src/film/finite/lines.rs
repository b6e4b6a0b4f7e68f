//! What the lines of a grid follow.
//!
//! A discrete film depends on where its lines lie, by its error. Lines that follow the journal turn at
//! once where it passes the centre; so do lines that follow ν where ν vanishes. No choice follows the
//! state everywhere and steadily, but a mean of several does:
//!
//!   Q = Σ w_k Q_k,   w_k ≥ 0,   Σ w_k = 1                                                     (1)
//!
//! with lines that follow e, or ν at mid-length, or the tilting of ν, each with no weight where its own
//! vector vanishes. From the eccentricity ratio [`FOLLOWED`] on the first are alone; nearer to the
//! centre those that follow ν, whose force is then proportional to |ν|. Two sets are solved only where
//! one gives way to the next. A line at the widest gap follows e by its meaning, and jumps.

use nalgebra::{Vector2, Vector4};

use super::{FiniteFilm, Supply};
use crate::film::response::{Response, turn};
use crate::film::state::{Ends, stacked, turned};

/// Eccentricity ratios from which lines follow the journal at all, and alone.
const FOLLOWED: [f64; 2] = [0.05, 0.1];
/// Shares of the tilting in |ν|² from which lines follow it at all, and alone.
const TILTING: [f64; 2] = [0.5, 0.8];

/// A set of lines.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// Where the first line lies opposite to.
    pub direction: Vector2<f64>,
    /// Derivatives of its angle by the ends' e and ν.
    turn_by_e: Vector4<f64>,
    turn_by_nu: Vector4<f64>,
    /// w of (1) and its derivatives.
    pub weight: f64,
    weight_by_e: Vector4<f64>,
    weight_by_nu: Vector4<f64>,
}

impl Lines {
    /// Lines that keep their places, or none.
    fn along(direction: Vector2<f64>, weight: f64) -> Self {
        let zero = Vector4::zeros();
        Self {
            direction: direction.try_normalize(0.0).unwrap_or(Vector2::x()),
            turn_by_e: zero,
            turn_by_nu: zero,
            weight,
            weight_by_e: zero,
            weight_by_nu: zero,
        }
    }

    /// The sets of lines for a state; those without weight are left out.
    pub fn of(film: &FiniteFilm, ends: &Ends) -> impl Iterator<Item = Self> + use<> {
        sets(film, ends).into_iter().filter(|lines| lines.weight > 0.0)
    }

    /// The set that counts most.
    pub fn heaviest(film: &FiniteFilm, ends: &Ends) -> Self {
        let [mut best, others @ ..] = sets(film, ends);
        for other in others {
            if other.weight > best.weight {
                best = other;
            }
        }
        best
    }

    /// Lets the lines of a response follow. A film that turns as a whole keeps its force in turned axes:
    /// ∂Q/∂e · Je + ∂Q/∂ν · Jν = J Q. What turns the lines takes its derivative from this, the rest from
    /// lines at rest.
    pub fn follow(&self, ends: &Ends, out: &mut Response) {
        let turn = turn();
        let whole = turn * out.q - out.by_nu * (turn * stacked(&ends.nu));
        let missing = whole - out.by_e * (turn * stacked(&ends.e));
        out.by_e += missing * self.turn_by_e.transpose();
        out.by_nu += missing * self.turn_by_nu.transpose();
    }

    /// Adds the response of these lines to (1).
    pub fn weigh(&self, part: &Response, out: &mut Response) {
        out.q += part.q * self.weight;
        out.leakage += part.leakage * self.weight;
        out.by_e += part.by_e * self.weight + part.q * self.weight_by_e.transpose();
        out.by_nu += part.by_nu * self.weight + part.q * self.weight_by_nu.transpose();
    }
}

fn sets(film: &FiniteFilm, ends: &Ends) -> [Lines; 3] {
    let (e, nu) = (ends.e_at(0.0), ends.nu_at(0.0));
    let size = e.norm();
    let none = Lines::along(Vector2::x(), 0.0);
    match film.supply {
        // Pads keep their places.
        Supply::Grooves(_) => [Lines::along(e, 1.0), none, none],
        // A journal in the centre is taken as just leaving it.
        Supply::WidestGap if size == 0.0 => [Lines::along(nu, 1.0), none, none],
        Supply::WidestGap => [after_journal(e, 1.0), none, none],
        Supply::None => {
            let (far, far_slope) = step(size, FOLLOWED);
            let mut journal = if far > 0.0 { after_journal(e, far) } else { none };
            let [mut push, mut tilting] = after_push(ends);
            if far > 0.0 {
                let outward = stacked(&[e * (0.5 * far_slope / size); 2]);
                journal.weight_by_e = outward;
                for lines in [&mut push, &mut tilting] {
                    lines.weight_by_e = outward * -lines.weight;
                    lines.weight_by_nu *= 1.0 - far;
                    lines.weight *= 1.0 - far;
                }
            }
            [journal, push, tilting]
        }
    }
}

/// Lines that follow e.
fn after_journal(e: Vector2<f64>, weight: f64) -> Lines {
    let angle = turned(e) * (0.5 / e.norm_squared());
    Lines { turn_by_e: stacked(&[angle; 2]), ..Lines::along(e, weight) }
}

/// Lines that follow ν at mid-length and those that follow its tilting, with their shares.
fn after_push(ends: &Ends) -> [Lines; 2] {
    let (nu, tilting) = (ends.nu_at(0.0), (ends.nu[1] - ends.nu[0]) * 0.5);
    let (a, b) = (nu.norm_squared(), tilting.norm_squared());
    if a + b == 0.0 {
        return [Lines::along(ends.e_at(0.0), 1.0), Lines::along(tilting, 0.0)];
    }
    let (share, slope) = step(b / (a + b), TILTING);
    let over = slope / ((a + b) * (a + b));
    let by_ends = |sign: f64| nu * (-b * over) + tilting * (sign * a * over);
    let by_nu = stacked(&[by_ends(-1.0), by_ends(1.0)]);
    let angle = |v: Vector2<f64>, square: f64| turned(v) * (0.5 / square);
    let mut out = [Lines::along(nu, 1.0 - share), Lines::along(tilting, share)];
    if share < 1.0 {
        out[0].turn_by_nu = stacked(&[angle(nu, a); 2]);
    }
    if share > 0.0 {
        let angle = angle(tilting, b);
        out[1].turn_by_nu = stacked(&[-angle, angle]);
    }
    (out[0].weight_by_nu, out[1].weight_by_nu) = (-by_nu, by_nu);
    out
}

/// A smooth step from 0 to 1 between two places, and its slope.
fn step(x: f64, [from, to]: [f64; 2]) -> (f64, f64) {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    (t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t) / (to - from))
}
