//! The motion that a result keeps is the motion: between its key instants, and against outputs by name.

use std::path::PathBuf;

use gudgeon_engine::run::FilesRun;
use gudgeon_engine::{Overrides, RunJob, RunOptions, Source, Unwatched, report};
use gudgeon_output::SeriesReader;
use gudgeon_output::motion::{Motion, read_journals, read_motion};
use gudgeon_output::run_json::RUN_JSON;

/// A result folder of its own, removed at the end.
struct Result(PathBuf);

impl Result {
    fn of(model: &str, until: &str, set: &[(&str, &str)]) -> Result {
        let name = format!("gudgeon-motion-{model}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let source = Source::find(model.as_ref()).unwrap();
        let own = |(key, value): &(&str, &str)| (key.to_string(), value.to_string());
        let overrides = Overrides {
            set: set.iter().map(own).collect(),
            until: Some(until.into()),
            measure_from: Some("0 s".into()),
            ..Overrides::default()
        };
        let job = RunJob::new(source, overrides, RunOptions::default()).unwrap();
        let run = FilesRun::prepare(&job, Some(&folder), Vec::new(), &Unwatched).unwrap();
        let outcome = run.run();
        assert!(outcome.error.is_none() && outcome.reported, "{:?}", outcome.error);
        Result(folder)
    }

    fn motion(&self, name: &str) -> Motion {
        read_motion(&self.0.join(name)).unwrap().unwrap()
    }

    fn column(&self, name: &str) -> (Vec<f64>, Vec<f64>) {
        let table = SeriesReader::open(&self.0).unwrap().unwrap();
        let place = table.columns().iter().position(|column| column.name == name).unwrap();
        let mut columns = table.read(&[0, place]).unwrap();
        let values = columns.pop().unwrap();
        (columns.pop().unwrap(), values)
    }
}

impl Drop for Result {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // of no matter to the test
    }
}

/// A column at a time, on straight lines.
fn at(times: &[f64], values: &[f64], t: f64) -> f64 {
    let i = times.partition_point(|one| *one <= t).clamp(1, times.len() - 1) - 1;
    let share = ((t - times[i]) / (times[i + 1] - times[i])).clamp(0.0, 1.0);
    values[i] + share * (values[i + 1] - values[i])
}

/// Where a body's columns begin.
fn first(motion: &Motion, name: &str) -> usize {
    let poses = motion.mechanism.drawn.iter().take_while(|one| one.name != name);
    poses.map(|one| one.stations.len().max(1)).sum::<usize>() * motion.mechanism.pose_size()
}

#[test]
fn planar_points_are_where_outputs_say_between_all_keys() {
    let outputs = r#"["rod.small_end.position.x", "rod.small_end.position.y", "pin.eccentricity.x", "pin.contact_force"]"#;
    let result = Result::of("slider_crank", "2 rev", &[("run.outputs", outputs)]);
    let motion = result.motion("motion.parquet");
    let (size, rod) = (motion.mechanism.size, first(&motion, "rod"));
    assert!(motion.mechanism.planar && motion.mechanism.error <= 1e-3 * size);
    assert!(motion.times.len() < 600 && motion.times.is_sorted(), "{} keys", motion.times.len());
    let pose = |t: f64| [0, 1, 2].map(|k| at(&motion.times, &motion.columns[rod + k], t));
    let mut worst: f64 = 0.0;
    let (t, x) = result.column("rod.small_end.position.x");
    let (_, y) = result.column("rod.small_end.position.y");
    for i in 0..t.len() {
        // The frame is at (60 mm, 0).
        let [px, py, angle] = pose(t[i]);
        let off = (px + 0.06 * angle.cos() - x[i]).hypot(py + 0.06 * angle.sin() - y[i]);
        worst = worst.max(off);
    }
    assert!(worst < motion.mechanism.error, "{worst} of {}", motion.mechanism.error);
    // Every impact is a key.
    let text = std::fs::read_to_string(result.0.join(RUN_JSON)).unwrap();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    let impacts = record["impacts"].as_array().unwrap();
    let marked: Vec<f64> = motion
        .times
        .iter()
        .zip(&motion.impacts)
        .filter(|(_, mark)| **mark)
        .map(|(t, _)| *t)
        .collect();
    let times: Vec<f64> = impacts.iter().map(|impact| impact["t"].as_f64().unwrap()).collect();
    assert!(
        !times.is_empty() && times.iter().all(|t| marked.iter().any(|m| (m - t).abs() < 1e-12))
    );
    journals_follow(&result);
    // The ideal mechanism is there, too, and the page is that of the folder.
    assert!(result.motion("motion_ideal.parquet").times.len() > 10);
    let page = std::fs::read_to_string(result.0.join("report.html")).unwrap();
    assert_eq!(report::report(&result.0).unwrap(), page);
}

fn journals_follow(result: &Result) {
    let columns = read_journals(&result.0.join("journals.parquet")).unwrap().unwrap();
    let (t, x) = result.column("pin.eccentricity.x");
    let (_, force) = result.column("pin.contact_force");
    let largest = force.iter().copied().fold(0.0, f64::max);
    let clearance = 1e-4;
    for i in 0..t.len() {
        let off = (at(&columns[1], &columns[2], t[i]) - x[i]).abs();
        assert!(off < 0.02 * clearance, "{off} at {}", t[i]);
        let [fx, fy] = [4, 5].map(|k| at(&columns[1], &columns[k], t[i]));
        // Inside steps forces are on straight lines.
        assert!((fx.hypot(fy) - force[i]).abs() < 0.2 * largest, "{} at {}", force[i], t[i]);
    }
}

#[test]
fn points_in_space_are_where_outputs_say() {
    let outputs =
        r#"["coupler.eye.position.x", "coupler.eye.position.y", "coupler.eye.position.z"]"#;
    let result = Result::of("rsup_linkage", "0.3 s", &[("run.outputs", outputs)]);
    let motion = result.motion("motion.parquet");
    let (size, from) = (motion.mechanism.size, first(&motion, "coupler"));
    let eye = motion.mechanism.markers.iter().find(|m| m.name.as_deref() == Some("eye")).unwrap();
    let all = ["x", "y", "z"].map(|axis| result.column(&format!("coupler.eye.position.{axis}")));
    for i in 0..all[0].0.len() {
        let t = all[0].0[i];
        let mut pose =
            [0, 1, 2, 3, 4, 5, 6].map(|k| at(&motion.times, &motion.columns[from + k], t));
        let length = pose[3..].iter().map(|q| q * q).sum::<f64>().sqrt();
        // Quaternions on straight lines, made one again: as good as great arcs where keys are near.
        pose[3..].iter_mut().for_each(|q| *q /= length);
        let [px, py, pz, w, x, y, z] = pose;
        let s = eye.position;
        let u = [y * s[2] - z * s[1], z * s[0] - x * s[2], x * s[1] - y * s[0]];
        let v = [y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0]];
        let p = [px, py, pz];
        let off = (0..3).map(|k| (p[k] + s[k] + 2.0 * (w * u[k] + v[k]) - all[k].1[i]).powi(2));
        let off = off.sum::<f64>().sqrt();
        assert!(off < 1e-3 * size, "{off} of {size} at {t}");
    }
}

#[test]
fn lines_of_flexible_links_bend() {
    let outputs = r#"["rod.middle.position.x", "rod.middle.position.y"]"#;
    let result = Result::of("flexible_slider_crank", "0.3 rev", &[("run.outputs", outputs)]);
    let motion = result.motion("motion.parquet");
    let rod = motion.mechanism.drawn.iter().find(|one| one.name == "rod").unwrap();
    let middle = rod.stations.iter().position(|along| (along - 0.5).abs() < 1e-9).unwrap();
    let from = first(&motion, "rod") + middle * motion.mechanism.pose_size();
    let [(t, x), (_, y)] =
        ["x", "y"].map(|axis| result.column(&format!("rod.middle.position.{axis}")));
    for i in 0..t.len() {
        let [px, py] = [0, 1].map(|k| at(&motion.times, &motion.columns[from + k], t[i]));
        let off = (px - x[i]).hypot(py - y[i]);
        assert!(off < motion.mechanism.error, "{off} at {}", t[i]);
    }
}

/// A deflection of micrometres on a mechanism of decimetres, and the vibration of a linkage about its rigid motion.
#[test]
fn deflections_are_followed_at_their_own_scale() {
    for (model, until, link, place) in [
        ("flexible_slider_crank", "0.3 rev", "rod", "rod.middle"),
        ("hac_four_bar", "0.13 s", "coupler", "coupler.middle"),
    ] {
        let names =
            ["position.x", "position.y", "deflection.y"].map(|one| format!("{place}.{one}"));
        let outputs = format!("{names:?}");
        let result = Result::of(model, until, &[("run.outputs", &outputs)]);
        let motion = result.motion("motion.parquet");
        let drawn = motion.mechanism.drawn.iter().find(|one| one.name == link).unwrap();
        let at_middle = drawn.stations.iter().position(|s| (s - 0.5).abs() < 1e-9).unwrap();
        let poses = first(&motion, link);
        let point = |station: usize, t: f64| {
            let from = poses + station * motion.mechanism.pose_size();
            [0, 1].map(|k| at(&motion.times, &motion.columns[from + k], t))
        };
        let [(times, x), (_, y), (_, deflection)] =
            names.each_ref().map(|name| result.column(name));
        let largest = deflection.iter().fold(0.0, |most: f64, one| most.max(one.abs()));
        let mut worst: f64 = 0.0;
        for (i, t) in times.iter().enumerate() {
            let [a, m, b] = [0, at_middle, drawn.stations.len() - 1].map(|k| point(k, *t));
            assert!((m[0] - x[i]).hypot(m[1] - y[i]) < motion.mechanism.error, "{model} at {t}");
            let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
            let across = dx * (m[1] - a[1]) - dy * (m[0] - a[0]);
            worst = worst.max((across / dx.hypot(dy) - deflection[i]).abs());
        }
        // A twentieth of the largest so far; the coordinates of a chord and of a straight line differ by little.
        assert!(largest > 0.0 && worst < 0.08 * largest, "{model}: {worst} of {largest}");
    }
}

/// What watches the motion does not change it, whatever coordinates it is integrated in.
#[test]
fn a_run_with_files_has_the_numbers_of_one_without() {
    for coordinates in ["absolute", "joint"] {
        let source = || Source::find("slider_crank".as_ref()).unwrap();
        let overrides = || Overrides {
            set: vec![("model.coordinates".into(), coordinates.into())],
            until: Some("0.5 rev".into()),
            measure_from: Some("0 s".into()),
            ..Overrides::default()
        };
        let job = RunJob::new(source(), overrides(), RunOptions::default()).unwrap();
        let bare = job.run(&Unwatched).record(&job);
        let folder =
            std::env::temp_dir().join(format!("gudgeon-same-{coordinates}-{}", std::process::id()));
        let outcome = FilesRun::prepare(&job, Some(&folder), Vec::new(), &Unwatched).unwrap().run();
        let files = outcome.record(&job);
        let _ = std::fs::remove_dir_all(&folder); // of no matter to the test
        assert_eq!(bare.extremes, files.extremes);
        assert_eq!(
            (bare.impacts, bare.energy, bare.last),
            (files.impacts, files.energy, files.last)
        );
    }
}
