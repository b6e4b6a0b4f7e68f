//! Parameters at a bound of their search, where that says that the samples do not decide.
//!
//! | bound | meaning | told |
//! |---|---|---|
//! | θ, lower | no influence, or a polynomial: the limit θ → 0 of smooth correlations | if predictions hardly change |
//! | θ, upper | correlations of zero: no sample tells about its neighbours | always |
//! | nugget, upper | noise alone | always |
//! | α = 2, nugget, lower | a smooth response without noise | never |

use super::error::Warning;
use super::model::Kriging;
use super::settings::Search;
use gudgeon::progress::Progress;

/// Changes of the prediction below this part of the spread of the responses are none.
const SMALL: f64 = 0.01;

impl Kriging {
    /// Warnings about parameters that were searched for.
    pub(super) fn undecided(
        &self,
        search: &Search,
        nugget_is_fitted: bool,
        progress: &dyn Progress,
    ) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let at = |bound: f64| {
            let near = move |value: f64| (value - bound).abs() <= 1e-9 * bound;
            let columns = self.point.theta.iter().enumerate().filter(move |(_, t)| near(**t));
            columns.map(|(column, _)| column).filter(|column| !self.is_constant(*column))
        };
        let [low, high] = search.theta;
        if low < high {
            let small = |column: &usize| self.influence(*column, progress) < SMALL;
            let columns: Vec<usize> = at(low).filter(small).collect();
            if !columns.is_empty() {
                warnings.push(Warning::NoInfluence { columns });
            }
            let columns: Vec<usize> = at(high).collect();
            if !columns.is_empty() {
                warnings.push(Warning::TooFarApart { columns });
            }
        }
        let nugget = self.point.nugget;
        if nugget_is_fitted && nugget >= (1.0 - 1e-9) * search.nugget[1] {
            warnings.push(Warning::NoiseAlone { nugget });
        }
        warnings
    }

    fn is_constant(&self, column: usize) -> bool {
        let known = |warning: &Warning| matches!(warning, Warning::ConstantInputs { columns } if columns.contains(&column));
        self.report.warnings.iter().any(known)
    }

    /// Mean change of the prediction at the samples from the least to the largest value of an input,
    /// in standard deviations of the responses.
    fn influence(&self, column: usize, progress: &dyn Progress) -> f64 {
        let values = || self.inputs.iter().map(|row| row[column]);
        let ends =
            [values().fold(f64::INFINITY, f64::min), values().fold(-f64::INFINITY, f64::max)];
        let moved = |end: f64| {
            let mut points = self.inputs.clone();
            points.iter_mut().for_each(|point| point[column] = end);
            let points: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
            self.predict_latent(&points, progress).unwrap_or_default()
        };
        let (low, high) = (moved(ends[0]), moved(ends[1]));
        let sum: f64 = low.iter().zip(&high).map(|((a, _), (b, _))| (a - b).abs()).sum();
        sum / (low.len().max(1) as f64 * self.response.factor)
    }
}
