//! The variables of a study as coordinates of the unit cube, and the points of its design.

use crate::design::maximin::Effort;
use crate::design::variables::{Range, RangeError, Ranges, Values};
use crate::design::{DesignError, Filling, factorial_of};
use crate::file::{Design, DesignMethod, Study, Variable};

impl Study {
    /// Values at a point of the unit cube: SI, or the index of a choice.
    pub fn values(&self, point: &[f64]) -> Vec<f64> {
        self.variables.iter().zip(point).map(|(variable, u)| variable.values.value(*u)).collect()
    }

    /// What a search varies; `None` where a variable has a distribution.
    pub fn ranges(&self) -> Option<Result<Ranges, RangeError>> {
        let range = |variable: &Variable| match &variable.values {
            Values::Range(range) => Some(range.clone()),
            Values::Distribution(_) => None,
        };
        self.variables.iter().map(range).collect::<Option<Vec<Range>>>().map(Ranges::new)
    }

    /// The points of the design; none where there is no design.
    pub fn points(&self, seed: u64) -> Result<Vec<Vec<f64>>, DesignError> {
        let Some(Design { method, samples }) = &self.design else { return Ok(Vec::new()) };
        let filling = match method {
            DesignMethod::File { points } => return Ok(points.clone()),
            DesignMethod::Factorial { levels } => return self.factorial(levels),
            DesignMethod::Lhs { optimise: true, .. } => Filling::LatinMaximin(Effort::default()),
            DesignMethod::Lhs { centred: true, .. } => Filling::LatinCentred,
            DesignMethod::Lhs { .. } => Filling::LatinRandom,
            DesignMethod::Sobol => Filling::SobolShifted,
            DesignMethod::MonteCarlo => Filling::MonteCarlo,
        };
        let points = filling.sample(*samples, self.variables.len(), seed)?;
        Ok(points.iter().map(|point| self.values(point)).collect())
    }

    fn factorial(&self, levels: &[usize]) -> Result<Vec<Vec<f64>>, DesignError> {
        let of = |(variable, count): (&Variable, &usize)| match &variable.values {
            Values::Range(range) => range.levels(*count),
            Values::Distribution(_) => Vec::new(),
        };
        let axes: Vec<Vec<f64>> = self.variables.iter().zip(levels).map(of).collect();
        Ok(factorial_of(&axes)?.iter().map(|point| self.values(point)).collect())
    }
}
