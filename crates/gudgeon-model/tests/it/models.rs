//! The shipped models load, and the embedded texts are those of the folder.

use std::path::Path;

use gudgeon_model::shipped::{self, SHIPPED};
use gudgeon_model::{Analysis, Overrides, load};
use nalgebra::Matrix3;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

#[test]
fn every_folder_is_embedded_as_it_stands() {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap());
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut embedded: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.name).collect();
    embedded.sort();
    assert_eq!(names, embedded);
    for shipped in SHIPPED {
        let text =
            |file: &str| std::fs::read_to_string(folder().join(shipped.name).join(file)).unwrap();
        assert_eq!(shipped.model, text("model.toml"), "{}", shipped.name);
        assert_eq!(shipped.readme, text("README.md"), "{}", shipped.name);
        for (file, data) in shipped.data {
            assert_eq!(*data, text(file), "{}", shipped.name);
        }
    }
}

#[test]
fn every_model_loads_without_errors_or_warnings() {
    for shipped in SHIPPED {
        let path = folder().join(shipped.name).join("model.toml");
        match load(&path, &Overrides::default()) {
            Ok(loaded) => {
                assert!(loaded.warnings.is_empty(), "{}", shipped.name);
                let moves = loaded.analysis == Analysis::Motion;
                assert!(!moves || !loaded.run.outputs.is_empty(), "{}", shipped.name);
            }
            Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
        }
        assert!(shipped::load(shipped, &Overrides::default()).is_ok(), "{}", shipped.name);
    }
}

/// The start angles of the literature close every loop, so that nothing is left to assembly.
#[test]
fn the_squeezer_starts_closed() {
    let loaded = load(&folder().join("andrews_squeezer/model.toml"), &Overrides::default());
    let model = loaded.unwrap().model;
    let place = |id: gudgeon::model::MarkerId| {
        let marker = &model.markers[id.0];
        let start = &model.bodies[marker.body.0].start;
        let r = start.orientation.map_or(Matrix3::identity(), |o| o.rotation());
        start.position.unwrap_or_default() + r * marker.local.p
    };
    assert_eq!(model.joints.len(), 10);
    for joint in &model.joints {
        let gap = (place(joint.a) - place(joint.b)).norm();
        assert!(gap < 1e-12, "{} is open by {gap} m", joint.name);
    }
}
