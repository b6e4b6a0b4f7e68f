//! Kriging models of a search: samples are added one by one, so each model follows the one before.

use gudgeon::progress::Progress;

use crate::kriging::{Kriging, KrigingError, Parameters, Refit, Search, Settings};

/// A search from all starts is made again when the samples have grown by this factor; in between the
/// maximum of the likelihood is followed from the last one.
pub(super) const GROWTH: f64 = 1.1;

/// The models of one search, response by response.
pub struct Fits<'a> {
    settings: Settings,
    progress: &'a dyn Progress,
    last: Vec<Option<Last>>,
}

struct Last {
    model: Kriging,
    /// Samples of the last search from all starts.
    searched: usize,
}

impl<'a> Fits<'a> {
    /// All responses are modelled by the same settings; `progress` may cancel a fit.
    pub fn new(settings: Settings, progress: &'a dyn Progress) -> Self {
        Self { settings, progress, last: Vec::new() }
    }

    /// The model of a response; see [`super::Fit`].
    pub fn fit(
        &mut self,
        response: usize,
        points: &[Vec<f64>],
        values: &[f64],
        parameters: Refit,
    ) -> Result<Kriging, KrigingError> {
        if self.last.len() <= response {
            self.last.resize_with(response + 1, || None);
        }
        let last = self.last[response].as_ref();
        if let (Some(last), Refit::Kept) = (last, parameters) {
            return last.model.with_samples(points, values, self.progress);
        }
        let recent = last.filter(|last| (points.len() as f64) < GROWTH * last.searched as f64);
        let (model, searched) = match (last, recent) {
            (_, Some(recent)) => {
                let settings = self.without_starts();
                let before = &recent.model;
                let model = Kriging::fit_after(points, values, &settings, before, self.progress)?;
                (model, recent.searched)
            }
            (Some(last), None) => {
                let (settings, before) = (&self.settings, &last.model);
                let model = Kriging::fit_after(points, values, settings, before, self.progress)?;
                (model, points.len())
            }
            (None, None) => {
                let settings = &self.settings;
                let model = Kriging::fit_watched(points, values, settings, self.progress)?;
                (model, points.len())
            }
        };
        self.last[response] = Some(Last { model: model.clone(), searched });
        Ok(model)
    }

    fn without_starts(&self) -> Settings {
        let parameters = match &self.settings.parameters {
            Parameters::Fitted(search) => {
                Parameters::Fitted(Search { starts: 0, ..search.clone() })
            }
            fixed => fixed.clone(),
        };
        Settings { parameters, ..self.settings.clone() }
    }
}
