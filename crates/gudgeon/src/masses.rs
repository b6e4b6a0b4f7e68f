//! Masses so uneven that rounding of the one hides the other.

use crate::assembly::rounded;
use crate::model::Model;

/// Ratio of masses above which nothing is left of the smaller beside the larger.
const UNEVEN: f64 = 1e12;

/// The lightest and the heaviest body of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct UnevenMasses {
    pub light: String,
    pub heavy: String,
    /// Their masses, kg.
    pub masses: [f64; 2],
}

impl Model {
    /// The lightest and the heaviest body, where the one is lost in the rounding of the other.
    pub fn uneven_masses(&self) -> Option<UnevenMasses> {
        let given = self.bodies.iter().filter_map(|body| Some((body.mass?, &body.name)));
        let (light, heavy) = (
            given.clone().min_by(|a, b| a.0.total_cmp(&b.0))?,
            given.max_by(|a, b| a.0.total_cmp(&b.0))?,
        );
        (heavy.0 > UNEVEN * light.0).then(|| UnevenMasses {
            light: light.1.clone(),
            heavy: heavy.1.clone(),
            masses: [light.0, heavy.0],
        })
    }
}

impl UnevenMasses {
    /// What to do about them.
    pub fn help(&self) -> String {
        let Self { light, heavy, masses: [least, most] } = self;
        let ratio = most / least;
        format!(
            "`{light}` ({} kg) is lighter than `{heavy}` ({} kg) by a factor of {ratio:.1e}, so that rounding of the one hides the other: look for a wrong unit in either mass; give `{light}` a realistic one, or write it without mass and inertia if joints and drivers fix its motion",
            rounded(*least, 0.0),
            rounded(*most, 0.0),
        )
    }
}
