//! The shipped studies load, and the embedded texts are those of the folders.

use std::path::Path;

use gudgeon_model::Overrides;
use gudgeon_studies::STUDIES;
use gudgeon_study::shipped::{load, studies};

#[test]
fn every_study_is_embedded_as_it_stands_and_loads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies");
    let names = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let sorted = |mut names: Vec<&str>| {
        names.sort();
        names.into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    let folders = |folder: &Path| {
        let mut all = names(folder);
        all.retain(|name| folder.join(name).is_dir());
        all
    };
    assert_eq!(folders(&folder), sorted(STUDIES.iter().map(|study| study.name).collect()));
    for study in STUDIES {
        let folder = folder.join(study.name);
        assert_eq!(names(&folder), sorted(study.files.iter().map(|(file, _)| *file).collect()));
        for (file, text) in study.files {
            assert_eq!(std::fs::read_to_string(folder.join(file)).unwrap(), *text, "{file}");
        }
    }
    for study in studies() {
        match load(&study, &Overrides::default()) {
            Ok(loaded) => assert!(loaded.warnings.is_empty(), "{}", study.name),
            Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
        }
    }
}
