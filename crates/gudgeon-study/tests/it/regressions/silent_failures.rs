//! A reader dropped a value of the wrong kind without a message.

use gudgeon_model::Overrides;
use gudgeon_study::file::load_study_text;
use gudgeon_study::shipped;

use super::wrong_kinds::{Shipped, wrong_kinds_are_refused};

#[test]
fn no_reader_of_studies_drops_a_value_of_the_wrong_kind() {
    let none = Overrides::default();
    let mut count = 0;
    for study in shipped::studies() {
        let files = Shipped(study.folder.files);
        count += wrong_kinds_are_refused(study.text, |text| {
            load_study_text(study.name, text, &files, &none).err()
        });
    }
    assert!(count > 200, "{count} values");
}
