//! Normal force of a dry contact: an elastic part and a hysteresis factor, or a formula of the model file
//! (`formula.rs`).
//!
//!   F = F_el(δ) · (1 + a δ̇/δ̇⁽⁻⁾),   δ > 0                                            (1)
//!
//! | elastic part | F_el | reference |
//! |---|---|---|
//! | power        | K δⁿ                                                    | hertz, n = 1.5 … 2.5 |
//! | foundation   | ½ π E* B δ √(δ / (2(c + δ)))                        (2) | liu2007, bai Eq. 13 |
//! | printed      | K_n(δ) δⁿ with bare SI numbers, K_n = dF/dδ of (2) / B  (3) | bai Eqs. 15, 18 as printed |
//! | slope        | K_n(δ) δ B                                              | bai Eq. 15 read as a secant |
//!
//! | damping | a | reference |
//! |---|---|---|
//! | none                | 0                                          | hertz |
//! | Lankarani–Nikravesh | ¾ (1 − c_e²)                               | lankarani1990 |
//! | Qin–Lu              | ¾ (1 − c_e²) e^{2(1−c_e)}                  | qin2006, bai Eq. 12 |
//! | Hunt–Crossley       | 1.5 (1 − c_e)                              | hunt1975 |
//! | Flores              | 1.6 (1 − c_e)/c_e                          | flores2011 |
//! | Gonthier            | root of a(1 + c_e) = ln((1+a)/(1−a c_e))   | gonthier2004 |
//!
//! | symbol | field / argument | unit |
//! |---|---|---|
//! | K, n | `stiffness`, `exponent` | N/mⁿ, – |
//! | E*, c, B | `modulus`, `clearance`, `width` | Pa, m, m |
//! | c_e | restitution | – |
//! | δ, δ̇ | `depth`, `rate` | m, m/s; δ̇ > 0 while approaching |
//! | δ̇⁽⁻⁾ | `impact_speed` | m/s, kept in memory from the start of the contact |
//!
//! A contact never pulls: (1) is cut to zero where its bracket is negative. The cut is a mode of the
//! contact, located as an event, so [`NormalLaw::force`] itself continues (1) smoothly through it.
//!
//! A free impact under (1) with any F_el rebounds with e from a(1+e) = ln((1+a)/(1−ae)) (4), so the
//! nominal c_e is met by Gonthier's law only; see [`NormalLaw::effective_restitution`].

use std::sync::Arc;

use super::formula::NormalFormula;

/// The elastic part F_el of a normal law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elastic {
    Power { stiffness: f64, exponent: f64 },
    Foundation { modulus: f64, clearance: f64, width: f64 },
    HybridPrinted { modulus: f64, clearance: f64, exponent: f64 },
    HybridSlope { modulus: f64, clearance: f64, width: f64 },
}

/// The hysteresis damping of a normal law, with its nominal restitution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damping {
    None,
    LankaraniNikravesh { restitution: f64 },
    QinLu { restitution: f64 },
    HuntCrossley { restitution: f64 },
    Flores { restitution: f64 },
    Gonthier { restitution: f64 },
}

/// Force and its partial derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalForce {
    pub value: f64,
    pub d_depth: f64,
    pub d_rate: f64,
}

impl NormalForce {
    pub const ZERO: Self = Self { value: 0.0, d_depth: 0.0, d_rate: 0.0 };
}

#[derive(Clone, Debug, PartialEq)]
pub enum NormalLaw {
    /// (1).
    Hysteretic(Hysteretic),
    Formula(Arc<NormalFormula>),
}

/// An elastic part times a hysteresis factor (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hysteretic {
    pub elastic: Elastic,
    pub damping: Damping,
    factor: f64,
}

impl NormalLaw {
    /// Of surfaces that a film keeps apart: no force at all.
    pub const NONE: Self = Self::Hysteretic(Hysteretic {
        elastic: Elastic::Power { stiffness: 0.0, exponent: 1.5 },
        damping: Damping::None,
        factor: 0.0,
    });

    pub fn new(elastic: Elastic, damping: Damping) -> Self {
        Self::Hysteretic(Hysteretic { elastic, damping, factor: damping.factor() })
    }

    /// The same law with every force multiplied by `share`: one of several equal contact points.
    #[must_use]
    pub fn shared(&self, share: f64) -> Self {
        match self {
            Self::Hysteretic(law) => {
                Self::Hysteretic(Hysteretic { elastic: law.elastic.scaled(share), ..*law })
            }
            Self::Formula(law) => Self::Formula(Arc::new(law.shared(share))),
        }
    }

    /// Its parts, of a law that has them.
    pub fn parts(&self) -> Option<&Hysteretic> {
        match self {
            Self::Hysteretic(law) => Some(law),
            Self::Formula(_) => None,
        }
    }

    /// How many pieces it has in memory.
    pub fn sites(&self) -> usize {
        match self {
            Self::Hysteretic(_) => 0,
            Self::Formula(law) => law.sites(),
        }
    }

    /// Whether damping follows the impact speed kept from the start of a contact.
    pub fn reads_impact_speed(&self) -> bool {
        match self {
            Self::Hysteretic(law) => law.factor > 0.0,
            Self::Formula(law) => law.reads_impact_speed(),
        }
    }

    /// Whether it is that of Hertz: a power of the depth.
    pub fn is_power(&self) -> bool {
        matches!(self, Self::Hysteretic(Hysteretic { elastic: Elastic::Power { .. }, .. }))
    }

    /// What is positive while the contact carries force and negative where it would pull, δ > 0; none where
    /// it never pulls.
    #[inline]
    pub fn margin(&self, depth: f64, rate: f64, impact_speed: f64, pieces: &[i32]) -> Option<f64> {
        match self {
            Self::Hysteretic(law) if law.factor > 0.0 => Some(law.bracket(rate, impact_speed)),
            Self::Hysteretic(_) => None,
            Self::Formula(law) => law.margin(depth, rate, impact_speed, pieces),
        }
    }

    /// The force without the cut, on the given pieces; zero for δ ≤ 0.
    #[inline]
    pub fn force(&self, depth: f64, rate: f64, impact_speed: f64, pieces: &[i32]) -> NormalForce {
        if depth <= 0.0 {
            return NormalForce::ZERO;
        }
        match self {
            Self::Hysteretic(law) => law.force(depth, rate, impact_speed),
            Self::Formula(law) => law.force(depth, rate, impact_speed, pieces),
        }
    }

    /// The same with δ = σ², continued analytically to σ < 0, where no contact is.
    #[inline]
    pub fn force_by_root(&self, root: f64, rate: f64, impact_speed: f64, pieces: &[i32]) -> f64 {
        let law = match self {
            Self::Hysteretic(law) => law,
            Self::Formula(law) => return law.by_root(root, rate, impact_speed, pieces),
        };
        let depth = root * root;
        if depth <= 0.0 {
            return 0.0;
        }
        let value = law.force(depth, rate, impact_speed).value;
        if root < 0.0 && law.elastic.is_odd_in_root() { -value } else { value }
    }

    /// The force of an indentation at rest.
    pub fn elastic_force(&self, depth: f64, impact_speed: f64) -> f64 {
        match self {
            Self::Hysteretic(law) => law.elastic.force(depth).0,
            Self::Formula(law) => law.value(depth, 0.0, impact_speed),
        }
    }

    /// Ratio of separation to approach speed of a free impact (4); none of formulas under which it differs
    /// from impact to impact.
    pub fn effective_restitution(&self) -> Option<f64> {
        match self {
            Self::Hysteretic(law) => Some(law.effective_restitution()),
            Self::Formula(law) => law.effective_restitution(),
        }
    }
}

impl Hysteretic {
    /// The hysteresis factor a of (1).
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// The bracket of (1); the contact carries force only while it is positive.
    #[inline]
    fn bracket(&self, rate: f64, impact_speed: f64) -> f64 {
        1.0 + self.factor * rate / impact_speed
    }

    /// Equation (1) without the cut for δ > 0.
    #[inline]
    fn force(&self, depth: f64, rate: f64, impact_speed: f64) -> NormalForce {
        let (elastic, slope) = self.elastic.force(depth);
        let bracket = self.bracket(rate, impact_speed);
        NormalForce {
            value: elastic * bracket,
            d_depth: slope * bracket,
            d_rate: if self.factor == 0.0 { 0.0 } else { elastic * self.factor / impact_speed },
        }
    }

    fn effective_restitution(&self) -> f64 {
        let a = self.factor;
        if a == 0.0 {
            return 1.0;
        }
        // h(e) = a(1+e) − ln((1+a)/(1−ae)) falls from a − ln(1+a) > 0 at 0 to −∞ at 1/a.
        bisect(0.0, (1.0 / a).min(1.0), |e| a * (1.0 + e) - ((1.0 + a) / (1.0 - a * e)).ln())
    }
}

impl Elastic {
    /// F_el times a factor.
    fn scaled(self, by: f64) -> Self {
        match self {
            Self::Power { stiffness, exponent } => {
                Self::Power { stiffness: by * stiffness, exponent }
            }
            Self::Foundation { modulus, clearance, width } => {
                Self::Foundation { modulus, clearance, width: by * width }
            }
            Self::HybridPrinted { modulus, clearance, exponent } => {
                Self::HybridPrinted { modulus: by * modulus, clearance, exponent }
            }
            Self::HybridSlope { modulus, clearance, width } => {
                Self::HybridSlope { modulus, clearance, width: by * width }
            }
        }
    }

    /// Whether F_el is an odd function of √δ, as δ^1.5 is.
    fn is_odd_in_root(&self) -> bool {
        match *self {
            Self::Power { exponent, .. } => (2.0 * exponent).round() % 2.0 == 1.0,
            Self::Foundation { .. } | Self::HybridSlope { .. } => true,
            Self::HybridPrinted { exponent, .. } => (2.0 * exponent).round() % 2.0 == 0.0,
        }
    }

    /// F_el and dF_el/dδ for δ > 0.
    #[inline]
    pub fn force(&self, depth: f64) -> (f64, f64) {
        match *self {
            Self::Power { stiffness, exponent } => {
                let power = power(depth, exponent);
                (stiffness * power, stiffness * exponent * power / depth)
            }
            Self::Foundation { modulus, clearance, width } => {
                let root = (depth / (2.0 * (clearance + depth))).sqrt();
                let force = 0.5 * std::f64::consts::PI * modulus * width * depth * root;
                (force, foundation_slope(modulus, clearance, depth).0 * width)
            }
            Self::HybridPrinted { modulus, clearance, exponent } => {
                let (slope, d_slope) = foundation_slope(modulus, clearance, depth);
                let power = power(depth, exponent);
                (slope * power, (d_slope + exponent * slope / depth) * power)
            }
            Self::HybridSlope { modulus, clearance, width } => {
                let (slope, d_slope) = foundation_slope(modulus, clearance, depth);
                (slope * depth * width, (slope + d_slope * depth) * width)
            }
        }
    }
}

impl Damping {
    /// The hysteresis factor a.
    pub fn factor(&self) -> f64 {
        match *self {
            Self::None => 0.0,
            Self::LankaraniNikravesh { restitution: e } => 0.75 * (1.0 - e * e),
            Self::QinLu { restitution: e } => 0.75 * (1.0 - e * e) * (2.0 * (1.0 - e)).exp(),
            Self::HuntCrossley { restitution: e } => 1.5 * (1.0 - e),
            Self::Flores { restitution: e } => 1.6 * (1.0 - e) / e,
            Self::Gonthier { restitution: e } => gonthier_factor(e),
        }
    }
}

/// Positive root a of (4) for a wanted restitution e; 0 for e = 1.
fn gonthier_factor(e: f64) -> f64 {
    if e >= 1.0 {
        return 0.0;
    }
    // h(a) = ln((1+a)/(1−ae)) − a(1+e) is 0 at a = 0, dips below (h'' < 0 there) and rises to +∞ at 1/e.
    let h = |a: f64| ((1.0 + a) / (1.0 - a * e)).ln() - a * (1.0 + e);
    let top = (1.0 - e) / e; // h' = 0 here: 1/(1+a) + e/(1−ae) = 1+e
    bisect(top, 1.0 / e, |a| -h(a))
}

/// Root of a function that falls from positive to negative between `low` and `high`.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let mid = 0.5 * (low + high);
        if mid <= low || mid >= high {
            break;
        }
        if f(mid) > 0.0 {
            low = mid;
        } else {
            high = mid;
        }
    }
    0.5 * (low + high)
}

/// K_n = (π/8) E* √(2δ(3c+2δ)²/(c+δ)³) (bai Eq. 15) and dK_n/dδ.
#[inline]
fn foundation_slope(modulus: f64, clearance: f64, depth: f64) -> (f64, f64) {
    let open = clearance + depth;
    let wide = 3.0 * clearance + 2.0 * depth;
    let slope = std::f64::consts::FRAC_PI_8 * modulus * (2.0 * depth / open).sqrt() * wide / open;
    (slope, slope * (0.5 / depth + 2.0 / wide - 1.5 / open))
}

#[inline]
fn power(depth: f64, exponent: f64) -> f64 {
    if exponent == 1.5 { depth * depth.sqrt() } else { depth.powf(exponent) }
}

/// K = 4/(3(σ_B + σ_J)) √(R_B R_J/(R_B − R_J)), σ = (1 − ν²)/E (zhang Eqs. 5–6), N/m^1.5.
pub fn hertz_stiffness(
    bearing_radius: f64,
    journal_radius: f64,
    bearing: &crate::model::Material,
    journal: &crate::model::Material,
) -> f64 {
    let radii = bearing_radius * journal_radius / (bearing_radius - journal_radius);
    4.0 / 3.0 * composite_modulus(bearing, journal) * radii.sqrt()
}

/// 1/E* = (1 − ν_B²)/E_B + (1 − ν_J²)/E_J (bai Eq. 14), Pa.
pub fn composite_modulus(
    bearing: &crate::model::Material,
    journal: &crate::model::Material,
) -> f64 {
    let compliance = |m: &crate::model::Material| (1.0 - m.poisson * m.poisson) / m.young;
    1.0 / (compliance(bearing) + compliance(journal))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64, tolerance: f64) {
        assert!(((value - expected) / expected).abs() < tolerance, "{value} is not {expected}");
    }

    const STEEL_E: f64 = 207e9 / (2.0 * 0.91);

    #[test]
    fn static_forces_of_bai_at_ten_micrometres() {
        let (modulus, clearance, width) = (STEEL_E, 2.5e-4, 0.04);
        let at = |elastic: Elastic| elastic.force(1e-5).0;
        close(foundation_slope(modulus, clearance, 1e-5).0, 3.66864e10, 1e-5);
        close(at(Elastic::HybridPrinted { modulus, clearance, exponent: 1.5 }), 1160.12, 1e-5);
        close(at(Elastic::HybridSlope { modulus, clearance, width }), 14674.5, 1e-5);
        close(at(Elastic::Foundation { modulus, clearance, width }), 9910.08, 1e-5);
    }

    #[test]
    fn effective_restitution_of_each_factor() {
        let of = |damping| {
            let elastic = Elastic::Power { stiffness: 1e8, exponent: 1.5 };
            NormalLaw::new(elastic, damping).effective_restitution().unwrap()
        };
        close(of(Damping::LankaraniNikravesh { restitution: 0.9 }), 0.913177, 1e-6);
        close(of(Damping::LankaraniNikravesh { restitution: 0.5 }), 0.725241, 1e-6);
        close(of(Damping::LankaraniNikravesh { restitution: 0.46 }), 0.714994, 1e-6);
        close(of(Damping::QinLu { restitution: 0.46 }), 0.447754, 1e-6);
        close(of(Damping::QinLu { restitution: 0.9 }), 0.895918, 1e-6);
        close(of(Damping::HuntCrossley { restitution: 0.5 }), 0.662962, 1e-6);
        close(of(Damping::Flores { restitution: 0.5 }), 0.470445, 1e-6);
        close(of(Damping::Gonthier { restitution: 0.5 }), 0.5, 1e-9);
        close(of(Damping::Gonthier { restitution: 0.05 }), 0.05, 1e-9);
        close(of(Damping::None), 1.0, 1e-12);
    }

    #[test]
    fn derivatives_match_central_differences() {
        let (modulus, clearance, width) = (STEEL_E, 2.5e-4, 0.04);
        let elastics = [
            Elastic::Power { stiffness: 3e9, exponent: 1.5 },
            Elastic::Power { stiffness: 3e12, exponent: 2.3 },
            Elastic::Foundation { modulus, clearance, width },
            Elastic::HybridPrinted { modulus, clearance, exponent: 1.5 },
            Elastic::HybridSlope { modulus, clearance, width },
        ];
        for elastic in elastics {
            let law = NormalLaw::new(elastic, Damping::QinLu { restitution: 0.6 });
            for (depth, rate) in [(1e-7, 0.3), (1e-5, -0.1), (3e-4, 0.02)] {
                let f = law.force(depth, rate, 0.4, &[]);
                let (dd, dr) = (depth * 1e-5, 1e-5);
                let by_depth = (law.force(depth + dd, rate, 0.4, &[]).value
                    - law.force(depth - dd, rate, 0.4, &[]).value)
                    / (2.0 * dd);
                let by_rate = (law.force(depth, rate + dr, 0.4, &[]).value
                    - law.force(depth, rate - dr, 0.4, &[]).value)
                    / (2.0 * dr);
                close(f.d_depth, by_depth, 1e-8);
                close(f.d_rate, by_rate, 1e-8);
            }
        }
    }
}
