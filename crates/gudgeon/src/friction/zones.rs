//! Friction coefficients that are made of zones along the axis of the sliding velocity.
//!
//!   F_t = −μ(v) F_n,   v the sliding velocity of the journal's surface on the bearing's     (1)
//!
//! Both laws are odd in v and made of smooth pieces (zones) along the axis of v.
//!
//! Coulomb with dynamic correction (Ambrósio; tian Eq. 21):
//!   μ(v) = 0 for |v| ≤ v₀;  μ_d (|v| − v₀)/(v₁ − v₀) up to v₁;  μ_d beyond                 (2)
//!
//! Three zones (bai Eqs. 19–20, sign counted once, μ_s and μ_d of the middle zone exchanged so that
//! the curve is continuous):
//!   |v| < v_s:        μ = μ_s (2u²(3 − 2u) − 1),  u = (v + v_s)/(2 v_s)                      (3)
//!   v_s ≤ |v| ≤ v_d:  μ = μ_s + (μ_d − μ_s) s²(3 − 2s),  s = (|v| − v_s)/(v_d − v_s)         (4)
//!   |v| > v_d:        μ = μ_d                                                               (5)
//!
//! The zone is memory: within a step its formula is continued smoothly past its
//! edges, and the crossing of an edge is an event.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ZonedLaw {
    Coulomb { mu: f64, v0: f64, v1: f64 },
    ThreeZone { mu_s: f64, mu_d: f64, v_s: f64, v_d: f64 },
}

/// A piece of the friction curve: `Rest` around zero, then outwards, with the sign of v.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    Rest,
    Rising { positive: bool },
    Full { positive: bool },
}

/// μ, dμ/dv and dμ/dN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficient {
    pub value: f64,
    pub slope: f64,
    pub by_load: f64,
}

impl Coefficient {
    /// Of the sliding velocity alone.
    #[inline]
    pub(super) fn of_speed(value: f64, slope: f64) -> Self {
        Self { value, slope, by_load: 0.0 }
    }
}

impl ZonedLaw {
    /// The two speeds |v| at which the formula changes.
    pub fn edges(&self) -> (f64, f64) {
        match *self {
            Self::Coulomb { v0, v1, .. } => (v0, v1),
            Self::ThreeZone { v_s, v_d, .. } => (v_s, v_d),
        }
    }

    pub fn zone(&self, v: f64) -> Zone {
        let (inner, outer) = self.edges();
        let positive = v > 0.0;
        match v.abs() {
            s if s < inner => Zone::Rest,
            s if s < outer => Zone::Rising { positive },
            _ => Zone::Full { positive },
        }
    }

    /// Lower and upper bound of v in a zone.
    pub fn bounds(&self, zone: Zone) -> (f64, f64) {
        let (inner, outer) = self.edges();
        let (low, high) = match zone {
            Zone::Rest => return (-inner, inner),
            Zone::Rising { .. } => (inner, outer),
            Zone::Full { .. } => (outer, f64::INFINITY),
        };
        let (Zone::Rising { positive } | Zone::Full { positive }) = zone else { unreachable!() };
        if positive { (low, high) } else { (-high, -low) }
    }

    /// The formula of `zone`, continued to any v.
    #[inline]
    pub fn coefficient(&self, v: f64, zone: Zone) -> Coefficient {
        match zone {
            Zone::Rest => self.at_rest(v),
            Zone::Rising { positive: true } => self.rising(v),
            Zone::Rising { positive: false } => {
                let mirrored = self.rising(-v);
                Coefficient { value: -mirrored.value, ..mirrored }
            }
            Zone::Full { positive } => {
                let mu = match *self {
                    Self::Coulomb { mu, .. } => mu,
                    Self::ThreeZone { mu_d, .. } => mu_d,
                };
                Coefficient::of_speed(if positive { mu } else { -mu }, 0.0)
            }
        }
    }

    fn at_rest(&self, v: f64) -> Coefficient {
        match *self {
            Self::Coulomb { .. } => Coefficient::of_speed(0.0, 0.0),
            Self::ThreeZone { mu_s, v_s, .. } => {
                let u = (v + v_s) / (2.0 * v_s);
                Coefficient::of_speed(
                    mu_s * (2.0 * u * u * (3.0 - 2.0 * u) - 1.0), // (3)
                    mu_s * 6.0 * u * (1.0 - u) / v_s,
                )
            }
        }
    }

    fn rising(&self, v: f64) -> Coefficient {
        match *self {
            Self::Coulomb { mu, v0, v1 } => {
                Coefficient::of_speed(mu * (v - v0) / (v1 - v0), mu / (v1 - v0)) // (2)
            }
            Self::ThreeZone { mu_s, mu_d, v_s, v_d } => {
                let s = (v - v_s) / (v_d - v_s);
                Coefficient::of_speed(
                    mu_s + (mu_d - mu_s) * s * s * (3.0 - 2.0 * s), // (4)
                    (mu_d - mu_s) * 6.0 * s * (1.0 - s) / (v_d - v_s),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAWS: [ZonedLaw; 3] = [
        ZonedLaw::Coulomb { mu: 0.2, v0: 1e-4, v1: 1e-3 },
        ZonedLaw::Coulomb { mu: 0.2, v0: 0.0, v1: 1e-3 },
        ZonedLaw::ThreeZone { mu_s: 0.3, mu_d: 0.1, v_s: 0.01, v_d: 0.1 },
    ];

    #[test]
    fn curves_are_continuous_odd_and_oppose_sliding() {
        for law in LAWS {
            let (inner, outer) = law.edges();
            for edge in [inner, outer] {
                let below = law.coefficient(edge, law.zone(edge * (1.0 - 1e-12) - 1e-300));
                let above = law.coefficient(edge, law.zone(edge * (1.0 + 1e-12) + 1e-300));
                assert!((below.value - above.value).abs() < 1e-12, "{law:?} jumps at {edge}");
            }
            for v in [1e-5, 5e-4, 0.02, 0.5] {
                let plus = law.coefficient(v, law.zone(v)).value;
                let minus = law.coefficient(-v, law.zone(-v)).value;
                assert!((plus + minus).abs() < 1e-15 && plus >= 0.0, "{law:?} at {v}");
            }
        }
    }

    #[test]
    fn slopes_match_central_differences() {
        for law in LAWS {
            for v in [-0.3, -0.05, -5e-4, 2e-5, 3e-3, 0.03] {
                let zone = law.zone(v);
                let d = 1e-7;
                let numeric = (law.coefficient(v + d, zone).value
                    - law.coefficient(v - d, zone).value)
                    / (2.0 * d);
                let slope = law.coefficient(v, zone).slope;
                assert!((slope - numeric).abs() < 1e-6 * (1.0 + slope.abs()), "{law:?} at {v}");
            }
        }
    }

    #[test]
    fn zones_tile_the_axis() {
        for law in LAWS {
            for v in [-0.5, -0.02, -1e-5, 0.0, 1e-5, 5e-4, 0.02, 0.5] {
                let (low, high) = law.bounds(law.zone(v));
                assert!(low <= v && v <= high, "{law:?}: {v} outside [{low}, {high}]");
            }
        }
    }
}
