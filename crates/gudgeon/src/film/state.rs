//! What a film is given and what it answers.

use nalgebra::{SMatrix, SVector, Vector2, Vector4};

/// Oil and gap. As c ≪ R, either surface's radius will do for R.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmShape {
    /// μ, Pa s.
    pub viscosity: f64,
    /// R, m.
    pub radius: f64,
    /// B, m.
    pub length: f64,
    /// c, m.
    pub clearance: f64,
}

/// The journal as seen from the bearing axes; ends in the order A (ζ = −B/2), W (ζ = +B/2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JournalState {
    /// Centres (ξ, η) of the journal at its ends, m.
    pub place: [Vector2<f64>; 2],
    /// Their rates in bearing axes, m/s.
    pub rate: [Vector2<f64>; 2],
    /// ω = ω_J − ω_B, rad/s.
    pub omega: f64,
}

impl JournalState {
    /// An aligned journal.
    pub fn aligned(place: Vector2<f64>, rate: Vector2<f64>, omega: f64) -> Self {
        Self { place: [place; 2], rate: [rate; 2], omega }
    }

    /// e and v of (4) over the clearance.
    pub(super) fn scaled(&self, clearance: f64) -> Ends {
        let e = self.place.map(|e| e / clearance);
        let half = 0.5 * self.omega;
        let nu = [0, 1].map(|k| self.rate[k] / clearance - turned(e[k]) * half);
        Ends { e, nu }
    }
}

/// Eccentricity ratio and v/c (1/s) at both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ends {
    pub e: [Vector2<f64>; 2],
    pub nu: [Vector2<f64>; 2],
}

impl Ends {
    /// Eccentricity ratio at z = 2ζ/B.
    pub fn e_at(&self, z: f64) -> Vector2<f64> {
        between(&self.e, z)
    }

    /// v/c at z = 2ζ/B.
    pub fn nu_at(&self, z: f64) -> Vector2<f64> {
        between(&self.nu, z)
    }

    /// Whether both ends are displaced and move alike.
    pub fn aligned(&self) -> bool {
        self.e[0] == self.e[1] && self.nu[0] == self.nu[1]
    }

    /// Whether nothing presses the film. Its force has a corner there: as derivative by ν serves half
    /// that of an unbroken film.
    pub fn at_rest(&self) -> bool {
        self.nu == [Vector2::zeros(); 2]
    }

    /// The largest eccentricity ratio and its end.
    pub fn widest(&self) -> (f64, usize) {
        let r = self.e.map(|e| e.norm());
        if r[1] > r[0] { (r[1], 1) } else { (r[0], 0) }
    }
}

fn between(ends: &[Vector2<f64>; 2], z: f64) -> Vector2<f64> {
    ends[0] * (0.5 * (1.0 - z)) + ends[1] * (0.5 * (1.0 + z))
}

/// ẑ × a.
pub fn turned(a: Vector2<f64>) -> Vector2<f64> {
    Vector2::new(-a.y, a.x)
}

/// What the film does at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmForce {
    /// Force on the journal along ξ, η, N; the bearing gets the opposite at P.
    pub f: Vector2<f64>,
    /// Moment on the journal about P along ξ, η, N m.
    pub m: Vector2<f64>,
    /// T_J on the journal about its own centre line, N m.
    pub torque: f64,
    /// T_B on the bearing about its axis, N m.
    pub bearing_torque: f64,
    /// Power lost to shear, W.
    pub shear: f64,
    /// Power lost to pumping, W.
    pub pumping: f64,
    /// Oil that leaves through both ends, m³/s; zero for `Long`.
    pub leakage: f64,
    /// Thinnest film, m, its angle from ξ and its place along ζ (0 where the journal is aligned).
    pub min_film: f64,
    pub min_film_angle: f64,
    pub min_film_place: f64,
}

/// Derivatives of (F_ξ, F_η, M_ξ, M_η, T_J) by (ξ_A, η_A, ξ_W, η_W), by their rates and by ω.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmTangent {
    pub by_place: SMatrix<f64, 5, 4>,
    pub by_rate: SMatrix<f64, 5, 4>,
    pub by_omega: SVector<f64, 5>,
}

/// The journal reaches the bearing: no film is left.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the journal touches the bearing: film {min_film:.3e} m at {angle:.4} rad, {place:.3e} m from the middle"
)]
pub struct Touching {
    pub min_film: f64,
    pub angle: f64,
    pub place: f64,
}

/// Q_A and Q_W in one vector.
pub fn stacked(ends: &[Vector2<f64>; 2]) -> Vector4<f64> {
    Vector4::new(ends[0].x, ends[0].y, ends[1].x, ends[1].y)
}
