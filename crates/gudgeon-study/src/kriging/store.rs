//! Models as JSON text: samples, settings and the parameters found. What follows from these is
//! computed again, so a model read back predicts the same bits on the same machine.

use super::error::KrigingError;
use super::layout::Hyperparameters;
use super::model::{Known, Kriging};
use super::settings::Settings;
use gudgeon::progress::Unwatched;
use serde::{Deserialize, Serialize};

const FORMAT: &str = "gudgeon-kriging";
const VERSION: u32 = 1;

/// Only the name and version, so that a file of a later version is recognised as one.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    format: String,
    version: u32,
    settings: Settings,
    parameters: Hyperparameters,
    jitter: f64,
    inputs: Vec<Vec<f64>>,
    responses: Vec<f64>,
}

impl Kriging {
    pub fn to_json(&self) -> String {
        let stored = Stored {
            format: FORMAT.to_owned(),
            version: VERSION,
            settings: self.settings.clone(),
            parameters: self.point.clone(),
            jitter: self.report.jitter,
            inputs: self.inputs.clone(),
            responses: self.responses.clone(),
        };
        serde_json::to_string_pretty(&stored).expect("numbers of a model are finite")
    }

    pub fn from_json(text: &str) -> Result<Self, KrigingError> {
        let header: Header = serde_json::from_str(text)?;
        if header.format != FORMAT || header.version != VERSION {
            let (found, version) = (header.format, header.version);
            return Err(KrigingError::Version { expected: FORMAT, found, version });
        }
        let stored: Stored = serde_json::from_str(text)?;
        let result = Some((stored.parameters, stored.jitter));
        let known = Known { result, ..Known::default() };
        let inputs: Vec<&[f64]> = stored.inputs.iter().map(Vec::as_slice).collect();
        Self::build(&inputs, &stored.responses, &stored.settings, known, &Unwatched)
    }
}
