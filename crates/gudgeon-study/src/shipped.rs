//! Reading the studies that come with the program.

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::load::Resolver;
use gudgeon_model::{Failure, Overrides};
use gudgeon_studies::StudyFolder;

use crate::file::{LoadedStudy, load_study_text};

pub use gudgeon_studies::{ShippedStudy, find_study, studies};

/// Reads a shipped study.
pub fn load(study: &ShippedStudy, overrides: &Overrides) -> Result<LoadedStudy, Box<Failure>> {
    let path = format!("studies/{}/{}", study.folder.name, study.file);
    load_study_text(&path, study.text, &Folder(study.folder), overrides)
}

/// Files of a folder by their names.
struct Folder(&'static StudyFolder);

impl Resolver for Folder {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        let Folder(folder) = self;
        match folder.files.iter().find(|(file, _)| *file == name) {
            Some((file, text)) => {
                Ok((format!("studies/{}/{file}", folder.name), (*text).to_owned()))
            }
            None => {
                let message = format!("the shipped study `{}` has no file `{name}`", folder.name);
                Err(Box::new(Diagnostic::error("G0001", message)))
            }
        }
    }
}
