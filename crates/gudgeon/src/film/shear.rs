//! What the oil's shear is proportional to: ∫∫ dθ dζ/h, over all but the grooves, which are deep.
//!
//! With ψ from the narrow gap and Sommerfeld's γ, on an arc from γ₁ to γ₂, h in units of c,
//!
//!   ∫ dψ/h = Δγ/q,   ∫ cosψ dψ/h² = (ε Δγ + Δsinγ)/q³,   ∫ sinψ dψ/h² = −Δcosγ/q²,   q² = 1 − ε²   (1)

use std::f64::consts::TAU;

use nalgebra::{Vector2, Vector4};

use super::finite::Groove;
use super::gauss::Gauss;
use super::sommerfeld::Sommerfeld;
use super::state::{Ends, stacked, turned};

/// The integral in units of B/c, and its derivative by the ends' eccentricity ratio.
pub fn integral(ends: &Ends, grooves: &[Groove], gauss: &Gauss) -> (f64, Vector4<f64>) {
    let (mut sum, mut slope) = (0.0, Vector4::zeros());
    let mut slice = |z: f64, weight: f64, n: [f64; 2]| {
        let (around, by_e) = around(ends.e_at(z), grooves);
        sum += weight * around;
        slope += stacked(&n.map(|n| by_e * (n * weight)));
    };
    if ends.e[0] == ends.e[1] {
        slice(0.0, 1.0, [0.5, 0.5]);
    } else {
        for (z, w) in gauss.on(-1.0, 1.0) {
            slice(z, 0.5 * w, [0.5 * (1.0 - z), 0.5 * (1.0 + z)]);
        }
    }
    (sum, slope)
}

/// ∫ dθ/h around one slice and its derivative ∫ n dθ/h² by e.
fn around(e: Vector2<f64>, grooves: &[Groove]) -> (f64, Vector2<f64>) {
    let size = e.norm();
    let q2 = (1.0 - size) * (1.0 + size);
    let q = q2.sqrt();
    let (mut sum, mut slope) = (TAU / q, e * (TAU / (q * q2)));
    let narrow = e.y.atan2(e.x);
    let along = Vector2::new(narrow.cos(), narrow.sin());
    let map = Sommerfeld::new(size);
    for groove in grooves {
        let from = groove.angle - 0.5 * groove.width - narrow;
        let (a, b) = (map.gamma(from), map.gamma(from + groove.width));
        sum -= (b - a) / q;
        slope -= along * ((size * (b - a) + b.sin() - a.sin()) / (q * q2))
            - turned(along) * ((b.cos() - a.cos()) / q2);
    }
    (sum, slope)
}
