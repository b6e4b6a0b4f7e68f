//! A study in joint coordinates answers what it answers in absolute ones.

use gudgeon_model::Overrides;
use gudgeon_study::file::load_study_text;
use gudgeon_study::runner::{Simulator, seed_of};

use crate::mechanism_study::NoFiles;

const STUDY: &str = "format = 1\n[study]\nmodel = \"slider_crank\"\n[run]\nuntil = \"4 ms\"\nmeasure_from = \"0 s\"\nrtol = 1e-10\n\
    [variables]\nclearance = { from = \"0.1 mm\", to = \"0.2 mm\" }\n\
    [design]\nmethod = \"lhs\"\nsamples = 4\n[responses]\na = \"abs_max(slider.acceleration.x)\"\n\
    torque = \"rms(motor.torque)\"\nspeed = \"max(pin.impacts.speed_in)\"\n";

#[test]
fn samples_are_those_in_absolute_coordinates() {
    let found = ["absolute", "joint"].map(|coordinates| {
        let set = vec![("model.coordinates".to_owned(), coordinates.to_owned())];
        let overrides = Overrides { set, ..Overrides::default() };
        let study = load_study_text("test.study.toml", STUDY, &NoFiles, &overrides);
        let study = study.unwrap_or_else(|f| panic!("{}", f.diagnostics.render(&f.sources, false)));
        let sample = |clearance| study.samples().run(&[clearance], seed_of(1, 0), &|| false);
        [1e-4, 2e-4].map(|clearance| sample(clearance).expect("a sample").values).concat()
    });
    let [absolute, joint] = &found;
    assert!(absolute.len() == 6 && absolute.iter().all(|value| *value != 0.0), "{absolute:?}");
    for (a, b) in absolute.iter().zip(joint) {
        assert!((a - b).abs() < 1e-6 * a.abs(), "{a} and {b}");
    }
}
