//! Reading the models that come with the program, so that `gudgeon new` and `gudgeon reproduce` work
//! wherever it is installed.

use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::load::{Loaded, ParsedModel, Resolver};
use crate::overrides::Overrides;

pub use gudgeon_models::{REFERENCES, SHIPPED, Shipped, find, names};

/// Reads a shipped model.
pub fn load(shipped: &Shipped, overrides: &Overrides) -> Result<Loaded, Box<Failure>> {
    parse(shipped)?.load(overrides)
}

/// Parses a shipped model, to be built with any values.
pub fn parse(shipped: &Shipped) -> Result<ParsedModel, Box<Failure>> {
    ParsedModel::text(&format!("models/{}/model.toml", shipped.name), shipped.model, &Embedded)
}

/// Shipped models that use one another: `../NAME/model.toml`.
pub struct Embedded;

impl Resolver for Embedded {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        let folder = name.trim_start_matches("../").trim_end_matches("/model.toml");
        match find(folder) {
            Some(shipped) => Ok((format!("models/{folder}/model.toml"), shipped.model.into())),
            None => {
                let message = format!("there is no shipped model `{name}`");
                Err(Box::new(Diagnostic::error("G0001", message)))
            }
        }
    }

    /// Data files lie in the folder of the model that names them.
    fn read_data(&self, from: &str, name: &str) -> Result<(String, Vec<u8>), Box<Diagnostic>> {
        let folder = from.rsplit('/').nth(1).unwrap_or("");
        let data = find(folder).map_or(&[][..], |shipped| shipped.data);
        match data.iter().find(|(file, _)| *file == name) {
            Some((_, text)) => Ok((format!("models/{folder}/{name}"), text.as_bytes().to_vec())),
            None => {
                let message = format!("the shipped model `{folder}` has no file `{name}`");
                Err(Box::new(Diagnostic::error("G0001", message)))
            }
        }
    }
}
