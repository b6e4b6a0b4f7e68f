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
            DesignMethod::File { points, .. } => return Ok(points.clone()),
            DesignMethod::Factorial { levels } => return self.factorial(levels),
            DesignMethod::Lhs { ends: true, optimise, .. } => {
                let way = match optimise {
                    true => Filling::LatinMaximin(Effort::default()),
                    false => Filling::LatinCentred,
                };
                let points = way.sample(*samples, self.variables.len(), seed)?;
                let points =
                    points.iter().map(|point| self.values(&from_end_to_end(point, *samples)));
                return Ok(points.collect());
            }
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

/// The middles of n cells, (i + ½)/n, moved to n levels i/(n − 1) with both ends among them. All distances grow alike, so that
/// points which fill the space still do.
fn from_end_to_end(point: &[f64], samples: usize) -> Vec<f64> {
    let n = samples as f64;
    point.iter().map(|u| (u * n - 0.5).round() / (n - 1.0)).collect()
}

impl Study {
    /// Whether a file of points has values of responses, and nothing is left to measure.
    pub(crate) fn is_all_given(&self) -> bool {
        let method = self.design.as_ref().map(|design| &design.method);
        let has = matches!(method, Some(DesignMethod::File { given, .. }) if !given.is_empty());
        has && self.ensemble <= 1 && self.responses.iter().all(|one| one.measure().is_none())
    }

    /// What a file of points gives for a response at one of its points.
    pub(crate) fn given_at(&self, response: usize, point: &[f64]) -> Option<f64> {
        let DesignMethod::File { points, given } = &self.design.as_ref()?.method else {
            return None;
        };
        let (_, values) = given.iter().find(|(index, _)| *index == response)?;
        let same =
            |known: &&Vec<f64>| known.iter().zip(point).all(|(a, b)| a.to_bits() == b.to_bits());
        let place = points.iter().position(|known| same(&known))?;
        values.get(place).copied()
    }
}
