//! A model of samples that have changed since an earlier one: what was found then is used.

use super::error::KrigingError;
use super::model::{Known, Kriging};
use super::settings::Settings;
use gudgeon::progress::Progress;

impl Kriging {
    /// As [`Self::fit`], with the parameters of `before` as one more start of the search: found once,
    /// a few steps follow the maximum of the likelihood as samples are added.
    pub fn fit_after<P: AsRef<[f64]>>(
        inputs: &[P],
        responses: &[f64],
        settings: &Settings,
        before: &Self,
        progress: &dyn Progress,
    ) -> Result<Self, KrigingError> {
        let inputs: Vec<&[f64]> = inputs.iter().map(AsRef::as_ref).collect();
        let start = Some(before.point.clone());
        let known = Known { start, ..Known::default() };
        Self::build(&inputs, responses, settings, known, progress)
    }

    /// The model of other samples with the parameters of this one, without any search.
    pub fn with_samples<P: AsRef<[f64]>>(
        &self,
        inputs: &[P],
        responses: &[f64],
        progress: &dyn Progress,
    ) -> Result<Self, KrigingError> {
        let inputs: Vec<&[f64]> = inputs.iter().map(AsRef::as_ref).collect();
        let result = Some((self.point.clone(), self.report.jitter));
        let known = Known { result, axes: Some(self.axes.clone()), ..Known::default() };
        Self::build(&inputs, responses, &self.settings, known, progress)
    }
}
