//! The film along the length at one angle.
//!
//! Let y_k = h³ q_k' be the flow of the answer q_k to the shape function N_k, so that p = Σ f_k q_k, and
//! y_k* that of the answer to N_k counted on the wet stretch only. With the forces P_k = ∫ p⁺ N_k dz,
//! and as the ends of the wet stretch change nothing in first order,
//!
//!   P_k = Σ G_kl f_l,   ∂P_k/∂f_l = G_kl = ∫ y_k* y_l/h³ dz                                   (1)
//!   ∂P_k/∂h_l = −3 Σ_m f_m ∫ N_l y_m y_k*/h⁴ dz                                               (2)
//!
//! Half-Sommerfeld solves on the whole length and counts the part with p > 0; Reynolds solves on the
//! wet stretch itself. From a to b with 1/h linear in t, s = (z − a)/(b − a) and ds/h² = dt/(h_a h_b),
//!
//!   ∫ ds/h³ = (h_a + h_b)/(2 h_a² h_b²),   ∫ s ds/h³ = 1/(2 h_a h_b²),
//!   ∫ s² ds/h³ = J/(h_a h_b³),   J = ∫ t² h dt                                                (3)
//!
//! which gives flows and pressures in closed form; (1) and (2) are summed by Gauss points in t.

use nalgebra::{Matrix2, Vector2};

use crate::film::finite::Cavitation;
use crate::film::gauss::Gauss;
use crate::film::response::{Response, Want};

/// h and f at A and W, linear between.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    pub h: [f64; 2],
    pub f: [f64; 2],
}

impl Gap {
    fn at(ends: &[f64; 2], z: f64) -> f64 {
        0.5 * ((1.0 - z) * ends[0] + (1.0 + z) * ends[1])
    }

    /// From the other end.
    fn mirrored(&self) -> Self {
        Self { h: [self.h[1], self.h[0]], f: [self.f[1], self.f[0]] }
    }

    /// ∫ dz/h³ and ∫∫ f dz dz/h³ from a to b.
    fn moments(&self, a: f64, b: f64) -> (f64, f64) {
        let (ha, hb, length) = (Self::at(&self.h, a), Self::at(&self.h, b), b - a);
        let (fa, slope) = (Self::at(&self.f, a), 0.5 * (self.f[1] - self.f[0]));
        let rise = 0.5 * slope * length * weighted_gap(ha, hb);
        let filled = length * length * (0.5 * fa * hb + rise) / (ha * hb * hb * hb);
        (0.5 * length * (ha + hb) / (ha * ha * hb * hb), filled)
    }

    /// h³ p' at the start of a whole film.
    fn inflow(&self) -> f64 {
        let (all, filled) = self.moments(-1.0, 1.0);
        filled / all
    }

    /// What a whole film would give off at an end; negative where it would draw in.
    pub fn leak(&self, end: usize) -> f64 {
        if end == 0 { self.inflow() } else { self.mirrored().inflow() }
    }

    /// For a film drawn at A and pressed at W: where a whole one passes p = 0, between −1 and 1.
    fn zero(&self) -> f64 {
        let start = self.inflow();
        // −p over 1 − z², which has no other zeros; its limits at the ends are known.
        let rise = |z: f64| {
            let (all, filled) = self.moments(-1.0, z);
            (filled - start * all) / ((1.0 - z) * (1.0 + z))
        };
        let limit = |end: usize| -0.5 * self.leak(end) / self.h[end].powi(3);
        falling_zero(rise, (-1.0, limit(0)), (1.0, limit(1)))
    }

    /// For the same film: where one with p = p' = 0 at its start begins; −1 for a whole one.
    fn start(&self) -> f64 {
        if self.inflow() >= 0.0 {
            return -1.0;
        }
        let turns = -(self.f[0] + self.f[1]) / (self.f[1] - self.f[0]); // f = 0 there
        let rise = |a: f64| -self.moments(a, 1.0).1 / (1.0 - a);
        falling_zero(rise, (-1.0, rise(-1.0)), (turns, rise(turns)))
    }
}

/// Zero of a function that falls from positive to negative between two places with known values.
fn falling_zero(f: impl Fn(f64) -> f64, low: (f64, f64), high: (f64, f64)) -> f64 {
    let ((mut low, mut at_low), (mut high, mut at_high)) = (low, high);
    if at_low <= 0.0 {
        return low;
    }
    if at_high >= 0.0 {
        return high;
    }
    let (mut last, mut before) = (0, f64::INFINITY);
    for _ in 0..60 {
        let next = (low * at_high - high * at_low) / (at_high - at_low);
        let value = f(next);
        if value == 0.0 || (next - before).abs() < 1e-13 {
            return next;
        }
        before = next;
        if value > 0.0 {
            (low, at_low) = (next, value);
            if last == 1 {
                at_high *= 0.5;
            }
            last = 1;
        } else {
            (high, at_high) = (next, value);
            if last == -1 {
                at_low *= 0.5;
            }
            last = -1;
        }
    }
    0.5 * (low + high)
}

/// J of (3): h_a ∫ t²/(1 + r t) dt with r = h_a/h_b − 1.
fn weighted_gap(ha: f64, hb: f64) -> f64 {
    let r = ha / hb - 1.0;
    if r.abs() > 0.1 {
        return ha * (((1.0 + r).ln() / r - 1.0) / r + 0.5) / r;
    }
    let (mut sum, mut power) = (0.0, 1.0);
    for n in 0..16 {
        sum += power / (n as f64 + 3.0);
        power *= -r;
    }
    ha * sum
}

/// The solved film of one angle.
pub struct Strip {
    gap: Gap,
    /// Stretch on which (1) of the module is solved, and the wet stretch within.
    solved: [f64; 2],
    wet: [f64; 2],
    g: Matrix2<f64>,
    /// ∂P_k/∂h_l.
    by_h: Matrix2<f64>,
}

impl Strip {
    /// Nothing where no oil is pressed.
    pub fn new(gap: Gap, cavitation: Cavitation, along: &Gauss) -> Option<Self> {
        let wet = wet(&gap, cavitation)?;
        let solved = if cavitation == Cavitation::Reynolds { wet } else { [-1.0, 1.0] };
        let mut out = Self { gap, solved, wet, g: Matrix2::zeros(), by_h: Matrix2::zeros() };
        out.integrate(along);
        Some(out)
    }

    /// An unbroken film.
    pub fn whole(gap: Gap, along: &Gauss) -> Self {
        let all = [-1.0, 1.0];
        let (g, by_h) = (Matrix2::zeros(), Matrix2::zeros());
        let mut out = Self { gap, solved: all, wet: all, g, by_h };
        out.integrate(along);
        out
    }

    /// ∫ N_k from the start of the solved stretch to z.
    fn filled(&self, z: f64) -> Vector2<f64> {
        let (s, mean) = (z - self.solved[0], 0.5 * (z + self.solved[0]));
        Vector2::new(0.5 * s * (1.0 - mean), 0.5 * s * (1.0 + mean))
    }

    /// The same, counted on the wet stretch.
    fn filled_wet(&self, z: f64) -> Vector2<f64> {
        self.filled(z.clamp(self.wet[0], self.wet[1])) - self.filled(self.wet[0])
    }

    /// Nodes z, weights of ∫ dz/h³ and 1/h, on the parts before, within and after the wet stretch.
    fn nodes<'a>(&'a self, along: &'a Gauss) -> impl Iterator<Item = (f64, f64, f64)> + 'a {
        let [from, to] = self.solved;
        let parts = [(from, self.wet[0]), (self.wet[0], self.wet[1]), (self.wet[1], to)];
        parts.into_iter().filter(|(a, b)| b > a).flat_map(move |(from, to)| {
            let (a, b) = (Gap::at(&self.gap.h, from), Gap::at(&self.gap.h, to));
            along.on(0.0, 1.0).map(move |(t, w)| {
                let over = (1.0 - t) / a + t / b;
                let length = to - from;
                (from + length * t / (b * over), w * length * over / (a * b), over)
            })
        })
    }

    fn integrate(&mut self, along: &Gauss) {
        let (mut all, mut sum, mut sum_wet) = (0.0, Vector2::zeros(), Vector2::zeros());
        for (z, w, _) in self.nodes(along) {
            all += w;
            sum += self.filled(z) * w;
            sum_wet += self.filled_wet(z) * w;
        }
        let (start, start_wet) = (sum / all, sum_wet / all);
        let (mut g, mut by_h) = (Matrix2::zeros(), Matrix2::zeros());
        let f = Vector2::from(self.gap.f);
        for (z, w, over) in self.nodes(along) {
            let y = start - self.filled(z);
            let y_wet = start_wet - self.filled_wet(z);
            let n = Vector2::new(0.5 * (1.0 - z), 0.5 * (1.0 + z));
            g += y_wet * y.transpose() * w;
            by_h -= y_wet * n.transpose() * (3.0 * w * over * f.dot(&y));
        }
        (self.g, self.by_h) = (g, by_h);
    }

    /// Adds the forces on an angle's width `weight`.
    pub fn add(&self, n: Vector2<f64>, weight: f64, want: Want, out: &mut Response) {
        let nn = n * n.transpose() * weight;
        let p = self.g * Vector2::from(self.gap.f);
        for k in 0..2 {
            out.q[2 * k] -= weight * p[k] * n.x;
            out.q[2 * k + 1] -= weight * p[k] * n.y;
            if want == Want::Force {
                continue;
            }
            for l in 0..2 {
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    out.by_nu[(2 * k + i, 2 * l + j)] -= nn[(i, j)] * self.g[(k, l)];
                    out.by_e[(2 * k + i, 2 * l + j)] += nn[(i, j)] * self.by_h[(k, l)];
                }
            }
        }
        let leak = |end: usize| {
            let open = (end == 0 && self.wet[0] == -1.0) || (end == 1 && self.wet[1] == 1.0);
            if open { self.flow_at(end) } else { 0.0 }
        };
        out.leakage += weight * (leak(0) + leak(1));
    }

    /// Flow out of an end of the wet stretch.
    fn flow_at(&self, end: usize) -> f64 {
        let [a, b] = self.solved;
        let (all, filled) = self.gap.moments(a, b);
        let f = Vector2::from(self.gap.f);
        let start = filled / all;
        if end == 0 { start } else { f.dot(&self.filled(b)) - start }
    }

    /// p at z, in 3 μ (B/c)².
    pub fn pressure(&self, z: f64) -> f64 {
        if z <= self.wet[0] || z >= self.wet[1] {
            return 0.0;
        }
        let [a, b] = self.solved;
        let (all, filled) = self.gap.moments(a, b);
        let (here, filled_here) = self.gap.moments(a, z);
        (here * filled / all - filled_here).max(0.0)
    }
}

/// The stretch that carries pressure.
fn wet(gap: &Gap, cavitation: Cavitation) -> Option<[f64; 2]> {
    let pressed = gap.f.map(|f| f > 0.0);
    if pressed == [true, true] {
        return Some([-1.0, 1.0]);
    }
    if pressed == [false, false] {
        return None;
    }
    let seen = if pressed[0] { gap.mirrored() } else { *gap };
    let from = match cavitation {
        Cavitation::Reynolds => seen.start(),
        Cavitation::HalfSommerfeld => {
            if seen.leak(1) <= 0.0 {
                return None;
            }
            if seen.leak(0) >= 0.0 { -1.0 } else { seen.zero() }
        }
    };
    Some(if pressed[0] { [-1.0, -from] } else { [from, 1.0] })
}
