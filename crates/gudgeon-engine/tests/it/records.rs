//! Records are read back as they were written, and old ones are read by every later program.

use std::path::{Path, PathBuf};

use gudgeon_engine::{Overrides, RunJob, RunOptions, Source, Unwatched};
use gudgeon_output::record::{BearingRecord, RunRecord, Status, StudyRecord, to_value};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(fixtures().join(name)).unwrap()
}

#[test]
fn a_record_is_read_back_to_the_last_bit() {
    let source = Source::find("tilted_four_bar".as_ref()).unwrap();
    let (until, measure_from) = (Some("20 ms".into()), Some("0 s".into()));
    let overrides = Overrides { until, measure_from, ..Overrides::default() };
    let options = RunOptions { ensemble: Some(2), certify: true, ..RunOptions::default() };
    let job = RunJob::new(source, overrides, options).unwrap();
    let outcome = job.run(&Unwatched);
    let file = outcome.file_record(&job, Path::new("results/x"), &["run".to_owned()]);
    let text = serde_json::to_string(&file).unwrap();
    let back: RunRecord = serde_json::from_str(&text).unwrap();
    // Numbers that are not finite are equal to nothing; their texts are the same.
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
    assert_eq!(back.format, Some(1));
    assert_eq!(to_value(&back)["ensemble"]["n"], 2);
}

/// Folders of the first version, written before records were types.
#[test]
fn records_of_earlier_programs_are_read() {
    let run: RunRecord = serde_json::from_str(&text("run_0.json")).unwrap();
    assert_eq!((run.format, run.status), (None, Status::Ok));
    assert!(run.extremes["pin.contact_force"].abs_max > 0.0 && !run.impacts.is_empty());
    assert!(run.model.files[0].text.contains("[bodies.crank]"));
    let film: RunRecord = serde_json::from_str(&text("film_0.json")).unwrap();
    assert!(film.films["pin"].thinnest > 0.0 && film.solver.newton.is_some());
    let bearing: BearingRecord = serde_json::from_str(&text("bearing_0.json")).unwrap();
    let bearings = bearing.points[0].bearings.as_ref().unwrap();
    assert!(bearings[0].numbers["load"].0 > 0.0);
    let study: StudyRecord = serde_json::from_str(&text("study_0.json")).unwrap();
    assert_eq!(study.samples.as_ref().map(Vec::len), study.design.as_ref().map(|d| d.samples));
    assert!(study.optimum.is_some());
    let killed: RunRecord = serde_json::from_str(&text("killed_0.json")).unwrap();
    assert_eq!(killed.status, Status::Killed);
}

/// What is read from them says the same again: nothing of an old record is lost in reading.
#[test]
fn nothing_of_earlier_records_is_lost() {
    fn lost(old: &serde_json::Value, new: &serde_json::Value, path: &str, out: &mut Vec<String>) {
        match (old, new) {
            (serde_json::Value::Object(old), serde_json::Value::Object(new)) => {
                for (key, value) in old {
                    match new.get(key) {
                        Some(other) => lost(value, other, &format!("{path}.{key}"), out),
                        None => out.push(format!("{path}.{key}")),
                    }
                }
            }
            (serde_json::Value::Array(old), serde_json::Value::Array(new)) => {
                assert_eq!(old.len(), new.len(), "{path}");
                old.iter().zip(new).for_each(|(a, b)| lost(a, b, path, out));
            }
            (old, new) if old != new => out.push(format!("{path}: {old} became {new}")),
            _ => {}
        }
    }
    let mut out = Vec::new();
    for name in ["run_0.json", "film_0.json"] {
        let old: serde_json::Value = serde_json::from_str(&text(name)).unwrap();
        let read: RunRecord = serde_json::from_str(&text(name)).unwrap();
        lost(&old, &to_value(&read), name, &mut out);
    }
    let old: serde_json::Value = serde_json::from_str(&text("bearing_0.json")).unwrap();
    let read: BearingRecord = serde_json::from_str(&text("bearing_0.json")).unwrap();
    lost(&old, &to_value(&read), "bearing", &mut out);
    let old: serde_json::Value = serde_json::from_str(&text("study_0.json")).unwrap();
    let read: StudyRecord = serde_json::from_str(&text("study_0.json")).unwrap();
    lost(&old, &to_value(&read), "study", &mut out);
    assert!(out.is_empty(), "{out:#?}");
}
