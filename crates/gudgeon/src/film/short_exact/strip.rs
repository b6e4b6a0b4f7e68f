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
//! which gives flows and pressures in closed form. In (1) and (2) flows are quadratic in s, so they need,
//! with r = h_a/h_b − 1,
//!
//!   ∫ sᵐ ds/h³ = (1+r)ᵐ/(h_a² h_b) ∫ tᵐ (1 + r t)^(1−m) dt,
//!   ∫ sᵐ ds/h⁴ = (1+r)ᵐ/(h_a³ h_b) ∫ tᵐ (1 + r t)^(2−m) dt                                    (4)
//!
//! by Gauss points in t, few where h varies little.

use nalgebra::{Matrix2, Vector2};

use super::Rules;
use crate::film::finite::Cavitation;
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

    /// For a film drawn at A and pressed at W, which leaks in at A and out at W if whole: where that one
    /// passes p = 0, between −1 and 1.
    fn zero(&self, leaks: [f64; 2]) -> f64 {
        // −p over 1 − z², which has no other zeros; its limits at the ends are known.
        let rise = |z: f64| {
            let ((all, filled), room) = (self.moments(-1.0, z), (1.0 - z) * (1.0 + z));
            let (h, f) = (Self::at(&self.h, z), 0.5 * (self.f[0] + Self::at(&self.f, z)));
            let (value, slope) =
                (filled - leaks[0] * all, ((1.0 + z) * f - leaks[0]) / (h * h * h));
            (value / room, (slope + 2.0 * z * value / room) / room)
        };
        let [a, w] = [0, 1].map(|end| -0.5 * leaks[end] / self.h[end].powi(3));
        falling_zero(rise, -1.0, 1.0, (a + w) / (a - w))
    }

    /// For a film drawn at A and pressed at W: where one with p = p' = 0 at its start begins; −1 for a
    /// whole one.
    fn start(&self) -> f64 {
        if self.moments(-1.0, 1.0).1 >= 0.0 {
            return -1.0;
        }
        // What is filled at the end changes by −f ∫ dz/h³ with the start.
        let rise = |a: f64| {
            let (all, filled) = self.moments(a, 1.0);
            let (room, f) = (1.0 - a, Self::at(&self.f, a));
            (-filled / room, (f * all - filled / room) / room)
        };
        let turns = -(self.f[0] + self.f[1]) / (self.f[1] - self.f[0]); // f = 0 there
        falling_zero(rise, -1.0, turns, 0.5 * (3.0 * turns - 1.0)) // right where h is the same all along
    }
}

/// Ends of the wet stretch have converged: Newton's next step would be the square of this.
const CLOSE: f64 = 1e-6;

/// Zero of a function, given with its slope, that is positive at `low` and negative at `high`: Newton's
/// method within brackets.
fn falling_zero(f: impl Fn(f64) -> (f64, f64), low: f64, high: f64, guess: f64) -> f64 {
    let (mut low, mut high) = (low, high);
    // Not `contains`: a NaN is outside.
    let inside = |x: f64, low: f64, high: f64| x > low && x < high;
    let mut place = if inside(guess, low, high) { guess } else { 0.5 * (low + high) };
    for _ in 0..60 {
        let (value, slope) = f(place);
        if value > 0.0 {
            low = place
        } else {
            high = place
        }
        let newton = place - value / slope;
        if (newton - place).abs() < CLOSE || high - low < 1e-15 {
            return newton.clamp(low, high);
        }
        place = if inside(newton, low, high) { newton } else { 0.5 * (low + high) };
    }
    place
}

/// Six Gauss points on 0 … 1.
const SIX: [(f64, f64); 6] = [
    (0.033_765_242_898_423_99, 0.085_662_246_189_585_17),
    (0.169_395_306_766_867_74, 0.180_380_786_524_069_3),
    (0.380_690_406_958_401_55, 0.233_956_967_286_345_52),
    (0.619_309_593_041_598_5, 0.233_956_967_286_345_52),
    (0.830_604_693_233_132_3, 0.180_380_786_524_069_3),
    (0.966_234_757_101_576, 0.085_662_246_189_585_17),
];

/// J of (3): h_a ∫ t²/(1 + r t) dt with r = h_a/h_b − 1. The logarithm loses digits where r is small.
fn weighted_gap(ha: f64, hb: f64) -> f64 {
    let r = ha / hb - 1.0;
    if r.abs() > 0.2 {
        return ha * (((1.0 + r).ln() / r - 1.0) / r + 0.5) / r;
    }
    ha * SIX.iter().map(|(t, w)| w * t * t / (1.0 + r * t)).sum::<f64>()
}

/// The solved film of one angle.
pub struct Strip {
    gap: Gap,
    /// Stretch on which (1) of the module is solved, and the wet stretch within.
    solved: [f64; 2],
    wet: [f64; 2],
    /// P_k.
    p: Vector2<f64>,
    /// ∂P_k/∂f_l and ∂P_k/∂h_l, where asked for.
    g: Matrix2<f64>,
    by_h: Matrix2<f64>,
}

impl Strip {
    /// Nothing where no oil is pressed.
    pub fn new(gap: Gap, cavitation: Cavitation, rules: &Rules, want: Want) -> Option<Self> {
        let wet = wet(&gap, cavitation)?;
        let solved = if cavitation == Cavitation::Reynolds { wet } else { [-1.0, 1.0] };
        Some(Self::on(gap, solved, wet, rules, want))
    }

    /// An unbroken film.
    pub fn whole(gap: Gap, rules: &Rules, want: Want) -> Self {
        Self::on(gap, [-1.0, 1.0], [-1.0, 1.0], rules, want)
    }

    fn on(gap: Gap, solved: [f64; 2], wet: [f64; 2], rules: &Rules, want: Want) -> Self {
        let (p, g, by_h) = (Vector2::zeros(), Matrix2::zeros(), Matrix2::zeros());
        let mut out = Self { gap, solved, wet, p, g, by_h };
        out.integrate(rules, want);
        out
    }

    /// ∫ N_k from the start of the solved stretch to z.
    fn filled(&self, z: f64) -> Vector2<f64> {
        let (s, mean) = (z - self.solved[0], 0.5 * (z + self.solved[0]));
        Vector2::new(0.5 * s * (1.0 - mean), 0.5 * s * (1.0 + mean))
    }

    /// (1) and (2), summed over the parts before, within and after the wet stretch.
    fn integrate(&mut self, rules: &Rules, want: Want) {
        let [from, to] = self.solved;
        let bounds = [from, self.wet[0], self.wet[1], to];
        let parts: [Option<Part>; 3] = std::array::from_fn(|k| {
            let (from, to) = (bounds[k], bounds[k + 1]);
            (to > from).then(|| Part::new(&self.gap, from, to, rules, want, k == 1))
        });
        let (low, high) = (self.filled(self.wet[0]), self.filled(self.wet[1]));
        let (mut all, mut sum, mut sum_wet) = (0.0, Vector2::zeros(), Vector2::zeros());
        for (k, part) in parts.iter().enumerate() {
            let Some(part) = part else { continue };
            let filled = part.mean(&self.filled(part.from));
            all += part.over3[0];
            sum += filled;
            sum_wet += [low * 0.0, filled - low * part.over3[0], (high - low) * part.over3[0]][k];
        }
        let (start, start_wet) = (sum / all, sum_wet / all);
        for (k, part) in parts.iter().enumerate() {
            let Some(part) = part else { continue };
            let y = part.flow(&(start - self.filled(part.from)));
            let y_wet = match k {
                0 => constant(&start_wet),
                1 => part.flow(&start_wet),
                _ => constant(&(start_wet - (high - low))),
            };
            self.add_part(part, &y, &y_wet, want);
        }
    }

    fn add_part(&mut self, part: &Part, y: &[[f64; 3]; 2], y_wet: &[[f64; 3]; 2], want: Want) {
        let f = self.gap.f;
        let flow: [f64; 3] = std::array::from_fn(|m| f[0] * y[0][m] + f[1] * y[1][m]);
        for k in 0..2 {
            let squared = product(&y_wet[k], &flow);
            self.p[k] += dot(&squared, &part.over3);
            if want == Want::Force {
                continue;
            }
            for l in 0..2 {
                self.g[(k, l)] += dot(&product(&y_wet[k], &y[l]), &part.over3);
                // N_l = n_l + slope s
                let even = dot(&squared, &part.over4);
                let odd = dot(&squared, &part.over4[1..]);
                self.by_h[(k, l)] -= 3.0 * (part.shape[l] * even + part.slope(l) * odd);
            }
        }
    }

    /// Adds the forces on an angle's width `weight`.
    pub fn add(&self, n: Vector2<f64>, weight: f64, want: Want, out: &mut Response) {
        let nn = n * n.transpose() * weight;
        for k in 0..2 {
            out.q[2 * k] -= weight * self.p[k] * n.x;
            out.q[2 * k + 1] -= weight * self.p[k] * n.y;
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

/// A stretch of the length on which y and y* are polynomials of s.
struct Part {
    from: f64,
    length: f64,
    /// N_k at its start.
    shape: [f64; 2],
    /// ∫ sᵐ dz/h³ for m = 0 … 4 and ∫ sᵐ dz/h⁴ for m = 0 … 5, by (4).
    over3: [f64; 5],
    over4: [f64; 6],
}

impl Part {
    fn new(gap: &Gap, from: f64, to: f64, rules: &Rules, want: Want, wet: bool) -> Self {
        let (a, b, length) = (Gap::at(&gap.h, from), Gap::at(&gap.h, to), to - from);
        let (wide, r) = (a / b, a / b - 1.0);
        let mut t3 = [1.0 + 0.5 * r, 0.5, 0.0, 0.0, 0.0];
        let mut t4 = [1.0 + r + r * r / 3.0, 0.5 + r / 3.0, 1.0 / 3.0, 0.0, 0.0, 0.0];
        for (t, w) in rules.along(wide).on(0.0, 1.0) {
            let x = t / (1.0 + r * t);
            let (w1, w2) = (w * t * x, w * t * t * x);
            t3[2] += w1;
            t4[3] += w2;
            if !wet {
                continue; // y* is constant there
            }
            t3[3] += w1 * x;
            t3[4] += w1 * x * x;
            if want == Want::Tangent {
                t4[4] += w2 * x;
                t4[5] += w2 * x * x;
            }
        }
        let mut unit = length / (a * a * b);
        let (mut over3, mut over4) = ([0.0; 5], [0.0; 6]);
        for m in 0..5 {
            over3[m] = unit * t3[m];
            over4[m] = unit * t4[m] / a;
            unit *= wide;
        }
        over4[5] = unit * t4[5] / a;
        let shape = [0.5 * (1.0 - from), 0.5 * (1.0 + from)];
        Self { from, length, shape, over3, over4 }
    }

    /// dN_k/ds.
    fn slope(&self, k: usize) -> f64 {
        if k == 0 { -0.5 * self.length } else { 0.5 * self.length }
    }

    /// ∫ (start + ∫ N dz) dz/h³.
    fn mean(&self, start: &Vector2<f64>) -> Vector2<f64> {
        let [zero, one, two, ..] = self.over3;
        Vector2::from_fn(|k, _| {
            let bend = 0.5 * self.slope(k) * two;
            start[k] * zero + self.length * (self.shape[k] * one + bend)
        })
    }

    /// Coefficients of start − ∫ N dz.
    fn flow(&self, start: &Vector2<f64>) -> [[f64; 3]; 2] {
        [0, 1].map(|k| [start[k], -self.length * self.shape[k], -0.5 * self.length * self.slope(k)])
    }
}

fn constant(value: &Vector2<f64>) -> [[f64; 3]; 2] {
    [[value.x, 0.0, 0.0], [value.y, 0.0, 0.0]]
}

/// Coefficients of the product of two polynomials.
fn product(a: &[f64; 3], b: &[f64; 3]) -> [f64; 5] {
    let [a0, a1, a2] = *a;
    let [b0, b1, b2] = *b;
    [a0 * b0, a0 * b1 + a1 * b0, a0 * b2 + a1 * b1 + a2 * b0, a1 * b2 + a2 * b1, a2 * b2]
}

fn dot(coefficients: &[f64; 5], moments: &[f64]) -> f64 {
    coefficients.iter().zip(moments).map(|(c, m)| c * m).sum()
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
            let leaks = [0, 1].map(|end| seen.leak(end));
            if leaks[1] <= 0.0 {
                return None;
            }
            if leaks[0] >= 0.0 { -1.0 } else { seen.zero(leaks) }
        }
    };
    Some(if pressed[0] { [-1.0, -from] } else { [from, 1.0] })
}
