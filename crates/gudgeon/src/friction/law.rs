//! Friction coefficients of sliding surfaces, of ideal joints and of contacts: a function of the sliding
//! velocity, or with a bristle state that can stick.
//!
//!   F_t = −N m,   ż = h        m, z and the sliding velocity s are vectors in the sliding surface   (1)
//!
//! | law | m | h | sticks |
//! |---|---|---|---|
//! | Coulomb with dynamic correction, three-zone | μ(|s|) s/|s|, see `zones.rs` | – | never |
//! | Stribeck | (μ_k + (μ_s − μ_k) e^{−(|s|/v_s)²}) tanh(|s|/v_t) s/|s| | – | never |
//! | formula  | μ(|s|, N) s/|s|, see `formula.rs` | – | never |
//! | Dahl     | σ₀ z | s − σ₀ |s| z/μ                                                  (2) | yes |
//! | LuGre    | σ₀ z + σ₁ ż + σ₂ s | s − σ₀ |s| z/g,  g = μ_k + (μ_s − μ_k) e^{−(|s|/v_s)²}  (3) | yes |
//!
//! with σ₁ e^{−(|s|/v_σ)²} in place of σ₁ where a speed v_σ is given. σ₀ in 1/m, σ₁ and σ₂ in s/m: the
//! load N is taken out, so that constants given as forces are divided by their load.
//!
//! **Pieces.** |s| has a kink at rest, μ(|s|) at the edges of its zones. Along one direction of sliding the
//! zone is memory: its formula is continued smoothly beyond its edges, |s| as ±s, and crossing an edge is
//! an event. Bristles change their side a little beyond zero, at ∓1e-9 of the speed of the law, so that
//! surfaces that creep to rest do not change sides for ever. In a plane of sliding |s| passes zero in
//! single points only.
//!
//! **Passivity of LuGre** at constant load. What is lost per load is
//!
//!   p = m · s − σ₀ z · ż = σ₀² |s| z²/g + σ₁ ż · s + σ₂ s²,   ż = s − σ₀ |s| z/g                (4)
//!
//! a quadratic form of s and σ₀ z; along one line, with ζ = σ₀ z sign(s)/g: p = |s| (g ζ² − σ₁ |s| ζ + (σ₁ +
//! σ₂) |s|), whose discriminant is not positive for |s| ≤ 4 (σ₁ + σ₂) g/σ₁². At higher speeds only |ζ| ≤
//! μ_s/g can be reached, and p ≥ 0 there needs σ₂ ≥ σ₁ (μ_s/μ_k − 1) for |s| → ∞.
//!
//! Sources: Canudas de Wit, Olsson, Åström, Lischinsky 1995; Dahl 1968; Barabanov and Ortega 2000 for (4).

use std::sync::Arc;

use super::formula::FrictionFormula;
use super::load::Loaded;
use super::zones::{Coefficient, Zone, ZonedLaw};

/// Components along up to three directions of sliding.
pub type Slip = [f64; 3];

/// How far beyond rest bristles change their side, as a share of the speed of their law.
const REST: f64 = 1e-9;
/// Speed of Dahl's law, which has none of its own, m/s.
const SLOW: f64 = 1e-3;
/// Bristles stick while they take up more than this share of the sliding, that is below 99 % of the
/// friction at which they yield; or below this share of the speed of their law.
const YIELDING: f64 = 0.01;
const STILL: f64 = 1e-3;
/// Speeds that are tried for passivity, forty per decade.
const SPEEDS: i32 = 400;

#[derive(Clone, Debug, PartialEq)]
pub enum FrictionLaw {
    /// Of the sliding velocity alone, in zones.
    Zoned(ZonedLaw),
    Stribeck {
        mu_s: f64,
        mu_k: f64,
        v_s: f64,
        v_t: f64,
    },
    Dahl {
        mu: f64,
        sigma0: f64,
    },
    LuGre {
        mu_s: f64,
        mu_k: f64,
        v_s: f64,
        sigma0: f64,
        sigma1: f64,
        sigma2: f64,
        fading: Option<f64>,
    },
    /// μ(|s|, N) of the model file.
    Formula(Arc<FrictionFormula>),
}

/// What a law depends on besides sliding: the normal load, N, and the pieces of its formula.
#[derive(Clone, Copy, Debug)]
pub struct Pressed<'a> {
    pub load: f64,
    pub pieces: &'a [i32],
}

/// m and h with their derivatives by s and z; the isotropic parts as numbers.
#[derive(Clone, Copy, Debug)]
pub struct Sliding {
    pub m: Slip,
    pub h: Slip,
    pub m_s: [Slip; 3],
    pub m_z: [Slip; 3],
    pub h_s: [Slip; 3],
    pub h_z: [Slip; 3],
    /// ∂|m|/∂N, with m along the sliding.
    pub by_load: f64,
}

impl Sliding {
    pub const NONE: Self = Self {
        m: [0.0; 3],
        h: [0.0; 3],
        m_s: [[0.0; 3]; 3],
        m_z: [[0.0; 3]; 3],
        h_s: [[0.0; 3]; 3],
        h_z: [[0.0; 3]; 3],
        by_load: 0.0,
    };

    /// How much a load changes by itself, through its coefficient: ∂N/∂μ · ∂μ/∂N.
    pub fn lean(&self, loaded: &Loaded) -> f64 {
        loaded.by_mu * self.by_load
    }

    /// |m|.
    pub fn coefficient(&self) -> f64 {
        norm(&self.m)
    }
}

fn norm(x: &Slip) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Value and derivative of a function of the speed |s|.
type Jet = (f64, f64);

impl FrictionLaw {
    /// Its formula, where it has one.
    pub fn formula(&self) -> Option<&FrictionFormula> {
        match self {
            Self::Formula(law) => Some(law),
            _ => None,
        }
    }

    /// How many pieces it has in memory.
    pub fn sites(&self) -> usize {
        self.formula().map_or(0, FrictionFormula::sites)
    }

    /// Whether it has a bristle state.
    pub fn has_state(&self) -> bool {
        matches!(self, Self::Dahl { .. } | Self::LuGre { .. })
    }

    /// σ₀, 1/m.
    pub fn stiffness(&self) -> f64 {
        match *self {
            Self::Dahl { sigma0, .. } | Self::LuGre { sigma0, .. } => sigma0,
            Self::Zoned(_) | Self::Stribeck { .. } | Self::Formula(_) => 0.0,
        }
    }

    /// Deflection at which bristles yield, m.
    pub fn deflection(&self) -> f64 {
        self.largest() / self.stiffness()
    }

    /// The largest coefficient.
    pub fn largest(&self) -> f64 {
        match *self {
            Self::Formula(ref law) => law.largest(),
            Self::Zoned(ZonedLaw::Coulomb { mu, .. }) | Self::Dahl { mu, .. } => mu,
            Self::Zoned(ZonedLaw::ThreeZone { mu_s, mu_d, .. }) => mu_s.max(mu_d),
            Self::Stribeck { mu_s, mu_k, .. } | Self::LuGre { mu_s, mu_k, .. } => mu_s.max(mu_k),
        }
    }

    /// The speed up to which (4) is passive for every z; none where it is at all speeds for every z that
    /// sliding can reach.
    pub fn passive_up_to(&self) -> Option<f64> {
        let Self::LuGre { mu_s, mu_k, v_s, sigma1, sigma2, fading, .. } = *self else {
            return None;
        };
        if sigma1 == 0.0 || (fading.is_none() && sigma2 >= sigma1 * (mu_s / mu_k - 1.0)) {
            return None;
        }
        let holds = |v: f64| {
            let damping = damping(sigma1, fading, v).0;
            v * damping * damping <= 4.0 * (damping + sigma2) * stribeck(mu_s, mu_k, v_s, v).0
        };
        // No law with constant damping holds at this speed, and damping that fades is gone there; what fades
        // a hundred times later is constant where it matters.
        let constant = mu_s / sigma1;
        let fades = fading.unwrap_or(0.0).min(100.0 * constant);
        let fastest = 40.0 * constant.max(fades) * (1.0 + sigma2 / sigma1);
        let speed = |i: i32| fastest * 10f64.powf(f64::from(i - SPEEDS) / 40.0);
        let first = (0..=SPEEDS).find(|i| !holds(speed(*i)))?;
        let (mut low, mut high) = (speed(first - 1), speed(first));
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if holds(middle) { low = middle } else { high = middle }
        }
        Some(low)
    }

    /// (4): what is lost per load, m/s.
    pub fn lost(&self, s: &Slip, z: &Slip) -> f64 {
        let now = self.evaluate(s, z, None, Pressed { load: 0.0, pieces: &[] });
        let dot = |a: &Slip, b: &Slip| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        dot(&now.m, s) - self.stiffness() * dot(z, &now.h)
    }

    /// The zone of a sliding velocity, or of its size in a plane; of formulas that of
    /// [`FrictionFormula::zone`].
    #[inline]
    pub fn zone(&self, v: f64) -> Zone {
        match self {
            Self::Zoned(law) => law.zone(v),
            Self::Stribeck { .. } => Zone::Rest,
            Self::Dahl { .. } | Self::LuGre { .. } | Self::Formula(_) => {
                Zone::Full { positive: v >= 0.0 }
            }
        }
    }

    /// Lower and upper bound of v in a zone.
    #[inline]
    pub fn bounds(&self, zone: Zone) -> (f64, f64) {
        if let Self::Zoned(law) = self {
            return law.bounds(zone);
        }
        let little = REST * self.speed();
        match (self, zone) {
            (Self::Stribeck { .. }, _) => (f64::NEG_INFINITY, f64::INFINITY),
            (_, Zone::Full { positive: true }) => (-little, f64::INFINITY),
            (_, Zone::Full { positive: false }) => (f64::NEG_INFINITY, little),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// The zone beyond the lower or upper edge of another, along one direction or, `in_plane`, of a size.
    pub fn next_zone(&self, zone: Zone, upper: bool, in_plane: bool) -> Zone {
        let (low, high) = self.bounds(zone);
        let step = REST * self.speed();
        let beyond = if upper { high + step } else { low - step };
        self.zone(if in_plane { beyond.abs() } else { beyond })
    }

    /// Distances of a sliding velocity from the edges of its zone, over the speed of the law; at most 1.
    #[inline]
    pub fn edges(&self, v: f64, zone: Zone) -> [f64; 2] {
        let (low, high) = self.bounds(zone);
        let scale = self.speed();
        [((v - low) / scale).min(1.0), ((high - v) / scale).min(1.0)]
    }

    /// A speed at which the law is fully developed, m/s.
    #[inline]
    pub fn speed(&self) -> f64 {
        match *self {
            Self::Formula(ref law) => law.speed(),
            Self::Zoned(law) => law.edges().1,
            Self::Stribeck { v_s, .. } | Self::LuGre { v_s, .. } => v_s,
            Self::Dahl { .. } => SLOW,
        }
    }

    /// Whether surfaces stick: bristles, which deflect at the rate h, have not yielded, or hold them almost
    /// still; of laws without bristles, whether the speed is in the lowest zone.
    pub fn sticks(&self, s: &Slip, h: &Slip) -> bool {
        let v = norm(s);
        match *self {
            Self::Formula(ref law) => v < law.rest(),
            Self::Zoned(law) => v < law.edges().0,
            Self::Stribeck { v_t, .. } => v < v_t,
            Self::Dahl { .. } | Self::LuGre { .. } => {
                let taken = h.iter().zip(s).map(|(h, s)| h * s).sum::<f64>();
                v <= STILL * self.speed() || taken >= YIELDING * v * v
            }
        }
    }

    /// μ of a law without bristles for a sliding velocity, or its size in a plane.
    #[inline]
    pub fn coefficient(&self, v: f64, zone: Zone, pressed: Pressed) -> Option<Coefficient> {
        match *self {
            Self::Formula(ref law) => Some(law.coefficient(v, zone, pressed.load, pressed.pieces)),
            Self::Zoned(law) => Some(law.coefficient(v, zone)),
            Self::Stribeck { mu_s, mu_k, v_s, v_t } => {
                let (g, slope) = stribeck(mu_s, mu_k, v_s, v);
                let t = (v / v_t).tanh();
                Some(Coefficient::of_speed(g * t, slope * t + g * (1.0 - t * t) / v_t))
            }
            Self::Dahl { .. } | Self::LuGre { .. } => None,
        }
    }

    /// m and h; `side` is the zone of a single direction of sliding, none where it is to be found.
    pub fn evaluate(&self, s: &Slip, z: &Slip, side: Option<Zone>, pressed: Pressed) -> Sliding {
        // Along one direction the signed velocity and its zone, else the size.
        let (v, zone) = match side {
            Some(zone) => (s[0], zone),
            None => (norm(s), self.zone(norm(s))),
        };
        if let Some(mu) = self.coefficient(v, zone, pressed) {
            return match side {
                Some(_) => line(mu),
                None => along(s, mu),
            };
        }
        debug_assert!(side.is_none() || (s[1] == 0.0 && s[2] == 0.0));
        // |s| and its gradient.
        let (v, gradient) = match side {
            Some(Zone::Full { positive: false }) => (-s[0], [-1.0, 0.0, 0.0]),
            Some(_) => (s[0], [1.0, 0.0, 0.0]),
            None if v > 0.0 => (v, s.map(|s| s / v)),
            None => (0.0, [0.0; 3]),
        };
        let speed = Speed { v, gradient };
        match *self {
            Self::Dahl { mu, sigma0 } => {
                let mut out = bristles(s, z, sigma0, &speed, (mu, 0.0));
                out.m = z.map(|z| sigma0 * z);
                out.m_z = diagonal(sigma0);
                out
            }
            Self::LuGre { mu_s, mu_k, v_s, sigma0, sigma1, sigma2, fading } => {
                let out = bristles(s, z, sigma0, &speed, stribeck(mu_s, mu_k, v_s, v));
                damped(out, s, z, (sigma0, sigma2), &speed, damping(sigma1, fading, v))
            }
            Self::Zoned(_) | Self::Stribeck { .. } | Self::Formula(_) => Sliding::NONE,
        }
    }
}

/// |s| and ∂|s|/∂s.
struct Speed {
    v: f64,
    gradient: Slip,
}

fn stribeck(mu_s: f64, mu_k: f64, v_s: f64, v: f64) -> Jet {
    let more = (mu_s - mu_k) * (-(v / v_s) * (v / v_s)).exp();
    (mu_k + more, -2.0 * v / (v_s * v_s) * more)
}

/// σ₁ and its slope.
fn damping(sigma1: f64, fading: Option<f64>, v: f64) -> Jet {
    let Some(w) = fading else { return (sigma1, 0.0) };
    let fade = sigma1 * (-(v / w) * (v / w)).exp();
    (fade, -2.0 * v / (w * w) * fade)
}

fn diagonal(x: f64) -> [Slip; 3] {
    [[x, 0.0, 0.0], [0.0, x, 0.0], [0.0, 0.0, x]]
}

/// μ(s) along one direction.
fn line(mu: Coefficient) -> Sliding {
    let mut out = Sliding::NONE;
    (out.m[0], out.m_s[0][0]) = (mu.value, mu.slope);
    out.by_load = if mu.value < 0.0 { -mu.by_load } else { mu.by_load };
    out
}

/// μ(|s|) s/|s|; near rest the slope of μ times s.
fn along(s: &Slip, mu: Coefficient) -> Sliding {
    let v = norm(s);
    let ratio = if v > 0.0 { mu.value / v } else { mu.slope };
    let mut out = Sliding { m: s.map(|s| ratio * s), ..Sliding::NONE };
    out.by_load = mu.by_load;
    for i in 0..3 {
        for j in 0..3 {
            let radial = if v > 0.0 { s[i] * s[j] / (v * v) } else { 0.0 };
            let own = f64::from(u8::from(i == j));
            out.m_s[i][j] = mu.slope * radial + ratio * (own - radial);
        }
    }
    out
}

/// h = s − σ₀ |s| z/g(|s|) and its derivatives.
fn bristles(s: &Slip, z: &Slip, sigma0: f64, speed: &Speed, (g, slope): Jet) -> Sliding {
    let v = speed.v;
    let mut out = Sliding::NONE;
    let pull = sigma0 * v / g;
    // d(v/g)/dv.
    let change = sigma0 * (1.0 / g - v * slope / (g * g));
    for i in 0..3 {
        out.h[i] = s[i] - pull * z[i];
        out.h_z[i][i] = -pull;
        for j in 0..3 {
            out.h_s[i][j] = f64::from(u8::from(i == j)) - change * speed.gradient[j] * z[i];
        }
    }
    out
}

/// m = σ₀ z + σ₁(|s|) ż + σ₂ s.
fn damped(
    mut out: Sliding,
    s: &Slip,
    z: &Slip,
    (sigma0, sigma2): (f64, f64),
    speed: &Speed,
    (value, slope): Jet,
) -> Sliding {
    for i in 0..3 {
        out.m[i] = sigma0 * z[i] + value * out.h[i] + sigma2 * s[i];
        for j in 0..3 {
            let own = f64::from(u8::from(i == j));
            out.m_s[i][j] =
                value * out.h_s[i][j] + slope * speed.gradient[j] * out.h[i] + sigma2 * own;
            out.m_z[i][j] = sigma0 * own + value * out.h_z[i][j];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Pressed = Pressed { load: 0.0, pieces: &[] };

    fn laws() -> Vec<FrictionLaw> {
        let lugre = |fading| FrictionLaw::LuGre {
            mu_s: 0.15,
            mu_k: 0.1,
            v_s: 0.01,
            sigma0: 1e3,
            sigma1: 3.0,
            sigma2: 0.4,
            fading,
        };
        vec![
            FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: 0.2, v0: 1e-4, v1: 1e-3 }),
            FrictionLaw::Zoned(ZonedLaw::ThreeZone { mu_s: 0.3, mu_d: 0.1, v_s: 0.01, v_d: 0.1 }),
            FrictionLaw::Stribeck { mu_s: 0.3, mu_k: 0.1, v_s: 0.01, v_t: 1e-3 },
            FrictionLaw::Dahl { mu: 0.2, sigma0: 1e3 },
            lugre(None),
            lugre(Some(0.02)),
        ]
    }

    #[test]
    fn derivatives_are_those_of_central_differences() {
        let (s, z) = ([0.013, -0.021, 0.004], [4e-5, 7e-5, -3e-5]);
        for law in laws() {
            let at = law.evaluate(&s, &z, None, FREE);
            for j in 0..3 {
                let side = |by: f64, of_z: bool| {
                    let (mut s, mut z) = (s, z);
                    if of_z {
                        z[j] += by
                    } else {
                        s[j] += by
                    }
                    law.evaluate(&s, &z, None, FREE)
                };
                for (of_z, step) in [(false, 1e-7), (true, 1e-9)] {
                    let (up, down) = (side(step, of_z), side(-step, of_z));
                    for i in 0..3 {
                        let m = (up.m[i] - down.m[i]) / (2.0 * step);
                        let h = (up.h[i] - down.h[i]) / (2.0 * step);
                        let (found_m, found_h) =
                            if of_z { (at.m_z, at.h_z) } else { (at.m_s, at.h_s) };
                        let near = |a: f64, b: f64| (a - b).abs() < 1e-5 * (1.0 + b.abs());
                        assert!(near(found_m[i][j], m), "{law:?} {i}{j} {} {m}", found_m[i][j]);
                        assert!(near(found_h[i][j], h), "{law:?} {i}{j} {} {h}", found_h[i][j]);
                    }
                }
            }
        }
    }

    #[test]
    fn steady_sliding_has_the_coefficient_of_the_curve() {
        // Where ż = 0: σ₀ z = g s/|s|.
        for law in laws() {
            let FrictionLaw::LuGre { mu_s, mu_k, v_s, sigma0, sigma2, .. } = law else {
                continue;
            };
            let v: f64 = 0.02;
            let g = mu_k + (mu_s - mu_k) * (-(v / v_s).powi(2)).exp();
            let found = law.evaluate(&[v, 0.0, 0.0], &[g / sigma0, 0.0, 0.0], None, FREE);
            assert!((found.m[0] - g - sigma2 * v).abs() < 1e-15 && found.h[0].abs() < 1e-15);
        }
    }

    #[test]
    fn the_law_of_augustynek_is_passive_up_to_twenty_millimetres_per_second() {
        // Its Table 1.
        let law = FrictionLaw::LuGre {
            mu_s: 0.2,
            mu_k: 0.1,
            v_s: 0.0175,
            sigma0: 600.0,
            sigma1: 600f64.sqrt(),
            sigma2: 0.0,
            fading: None,
        };
        let v = law.passive_up_to().unwrap();
        assert!((v - 0.0205).abs() < 5e-5, "{v}");
        let FrictionLaw::LuGre { mu_s, mu_k, v_s, sigma0, sigma1, sigma2, .. } = law else {
            panic!()
        };
        let fading = Some(1e6);
        let late = FrictionLaw::LuGre { mu_s, mu_k, v_s, sigma0, sigma1, sigma2, fading };
        assert!((late.passive_up_to().unwrap() / v - 1.0).abs() < 1e-6);
        // Just beyond, some z gives energy; just below, none does.
        let least = |v: f64| {
            let at = |k: i32| {
                let z = 1e-6 * f64::from(k);
                let now = law.evaluate(&[v, 0.0, 0.0], &[z, 0.0, 0.0], None, FREE);
                now.m[0] * v - 600.0 * z * now.h[0]
            };
            (-500..500).map(at).fold(f64::INFINITY, f64::min)
        };
        assert!(least(0.99 * v) > 0.0 && least(1.02 * v) < 0.0);
    }
}
