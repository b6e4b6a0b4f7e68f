//! Where linear theories of links end, for all formulations that have one: floating frames and kineto-elastodynamics.

use crate::results::{LinkPeak, Warning};

/// Strain of an outer fibre, and deflection over length, beyond which a linear theory is left.
const STRAINED: f64 = 0.01;
const DEFLECTED: f64 = 0.1;

/// What a link was strained and deflected by: the first beyond a linear theory, and the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinearRange {
    strained: Option<LinkPeak>,
    deflected: Option<LinkPeak>,
    strain: f64,
    deflection: f64,
}

impl LinearRange {
    /// Largest strain of outer fibres and deflection of a link of some length at one instant.
    pub fn look(&mut self, strain: LinkPeak, deflection: LinkPeak, length: f64) {
        self.strain = self.strain.max(strain.value.abs());
        self.deflection = self.deflection.max(deflection.value.abs());
        if strain.value.abs() > STRAINED {
            self.strained.get_or_insert(strain);
        }
        if deflection.value.abs() > DEFLECTED * length {
            self.deflected.get_or_insert(deflection);
        }
    }

    /// What is no longer small; `when`, by the time.
    pub fn warnings(&self, name: &str, when: impl Fn(f64) -> String) -> Vec<Warning> {
        let one = |peak: LinkPeak, most: f64, what: String| {
            Warning {
            code: "W0332",
            joint: name.to_owned(),
            message: format!(
                "{what} {}, {:.4} m along the link, {most:.3e} at most: the link bends by a linear theory",
                when(peak.t),
                peak.distance
            ),
            help: "compare with `analysis = \"motion\"` and `method = \"ancf\"`, which bends as far as it has to".into(),
        }
        };
        let strained = self.strained.map(|peak| {
            one(peak, self.strain, format!("the strain of outer fibres is {:.3}", peak.value))
        });
        let deflected = self.deflected.map(|peak| {
            let what =
                format!("the deflection is {:.3e} m, more than a tenth of the link,", peak.value);
            one(peak, self.deflection, what)
        });
        strained.into_iter().chain(deflected).collect()
    }
}
