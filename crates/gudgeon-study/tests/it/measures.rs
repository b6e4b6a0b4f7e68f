//! Measures as study files write them: what is read is what was written, and runs give the values that
//! closed forms have.

use std::f64::consts::TAU;

use gudgeon::model::Model;
use gudgeon::results::RunReport;
use gudgeon::run::{RunSpec, Until};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::source::{FileId, Span};
use gudgeon_model::tree::{Node, Value};
use gudgeon_model::{Overrides, shipped};
use gudgeon_study::file::{impact_fields, read_measure, response_functions};
use gudgeon_study::responses::{Kept, Measure, ResponseError, RunData, measured_run, prepare};

fn loaded(name: &str, set: &[(&str, &str)], ideal: &[&str]) -> (Model, RunSpec) {
    let overrides = Overrides {
        set: set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
        ideal: ideal.iter().map(|joint| joint.to_string()).collect(),
        ..Overrides::default()
    };
    let loaded = shipped::load(shipped::find(name).expect("shipped"), &overrides);
    let loaded = loaded.unwrap_or_else(|f| panic!("{}", f.diagnostics.render(&f.sources, false)));
    (loaded.model, loaded.run)
}

fn read(text: &str, model: &Model) -> Result<Measure, Box<Diagnostic>> {
    let span = Span::new(FileId(0), 0..text.len());
    let node = Node { value: Value::Text { text: text.into(), inner: Some(0) }, span };
    read_measure(model, &node, text, 0..text.len())
}

fn known(text: &str, model: &Model) -> Measure {
    read(text, model).unwrap_or_else(|diagnostic| panic!("{text}: {}", diagnostic.message))
}

/// One run of a model, with what some measures need of it.
fn run(model: &Model, mut spec: RunSpec, texts: &[&str]) -> (RunReport, Kept) {
    let measures: Vec<Measure> = texts.iter().map(|text| known(text, model)).collect();
    prepare(measures.iter(), model, &mut spec).expect("known outputs");
    measured_run(measures.iter(), model, &spec, &|| false).expect("it closes")
}

fn values(model: &Model, spec: RunSpec, texts: &[&str]) -> Vec<Result<f64, ResponseError>> {
    let (report, kept) = run(model, spec, texts);
    let data = RunData { model, report: &report, kept: &kept };
    texts.iter().map(|text| known(text, model).evaluate(&data)).collect()
}

fn near(found: &Result<f64, ResponseError>, expected: f64, tolerance: f64) {
    let found = found.as_ref().expect("a value");
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{found} is not {expected}");
}

/// In its own words: with a journal in space, and with everything a planar model has.
const SPATIAL: &[&str] = &[
    "nth(bearing.V.impacts.speed_out, 12)",
    "count_all(bearing.W.impacts)",
    "left_bearing(bearing)",
    "max_misalignment(bearing)",
    "share(bearing, free)",
    "share(bearing, point)",
    "share(bearing, line)",
    "share(bearing, opposite)",
    "first(bearing.V.eccentricity - bearing.W.eccentricity, 1e-5)",
];
const PLANAR: &[&str] = &[
    "max(slider.position.x)",
    "min(slider.position.x)",
    "abs_max(slider.position.x)",
    "rms(slider.position.x)",
    "mean(slider.position.x)",
    "range(slider.position.x)",
    "start(slider.position.x)",
    "final(slider.position.x)",
    "percentile(slider.position.x, 99.5)",
    "turn_median(pin.contact_force)",
    "turn_max(pin.contact_force)",
    "turn_min(pin.contact_force)",
    "first(slider.position.x, 0.25)",
    "at(slider.position.x, 0.01)",
    "sum(pin.impacts.friction_loss)",
    "max(pin.impacts.duration)",
    "mean(pin.impacts.loss)",
    "min(pin.impacts.t)",
    "nth(pin.impacts.restitution, 1)",
    "count(pin.impacts)",
    "count_all(pin.impacts)",
    "contact_fraction(pin)",
    "time_of_max(pin.contact_force)",
    "time_of_min(pin.contact_force)",
    "force_at(pin, 1e-5)",
    "friction_at(pin, 0.001)",
    "effective_restitution(pin)",
    "frequency(2)",
    "frequency(1, spinning)",
    "damping_ratio(1)",
    "rest(slider.position.x)",
    "energy(kinetic)",
    "energy(motor)",
    "energy(pin.normal)",
    "energy(projection)",
];

#[test]
fn every_measure_reads_back_as_written() {
    let models = [("slider_crank", PLANAR), ("flores_double_pendulum", SPATIAL)];
    let mut functions: Vec<&str> = Vec::new();
    for (name, texts) in models {
        let model = loaded(name, &[], &[]).0;
        for text in texts {
            let measure = known(text, &model);
            assert_eq!(measure.to_string(), *text);
            assert!(measure.unit(&model).is_ok(), "{text}");
            functions.push(text.split('(').next().unwrap_or_default());
        }
        // Every field of impacts.
        let joint = if name == "slider_crank" { "pin" } else { "bearing.W" };
        for field in impact_fields() {
            let text = format!("nth({joint}.impacts.{field}, 3)");
            assert_eq!(known(&text, &model).to_string(), text);
        }
    }
    let left: Vec<&str> = response_functions().filter(|f| !functions.contains(f)).collect();
    assert!(left.is_empty(), "not tried: {left:?}");
}

#[test]
fn quantities_are_read_in_any_unit_and_in_si_without() {
    let model = loaded("slider_crank", &[], &[]).0;
    for (text, same) in [
        ("first( slider.position.x ,  250 mm )", "first(slider.position.x, 0.25)"),
        ("first(crank.angle, 180 deg)", "first(crank.angle, 3.141592653589793)"),
        (
            "first(slider.position.x-rod.position.x, 1 m)",
            "first(slider.position.x - rod.position.x, 1.0)",
        ),
        ("force_at(pin, 10 um)", "force_at(pin, 1e-5)"),
        ("friction_at(pin, 1 mm/s)", "friction_at(pin, 0.001)"),
    ] {
        assert_eq!(known(text, &model).to_string(), same);
    }
}

/// Eq. 7 of a slider-crank: |ẍ| = rω²(1 + r/l) at the dead centre, in every turn.
#[test]
fn turns_of_an_ideal_slider_crank_are_alike() {
    let until = [("run.until", "3.5 rev"), ("run.measure_from", "0.5 rev"), ("run.rtol", "1e-10")];
    let (model, spec) =
        loaded("slider_crank", &[&until[..], &[("speed", "5000 rpm")]].concat(), &["pin"]);
    let texts = ["turn_median", "turn_max", "turn_min", "abs_max", "start"];
    let texts = texts.map(|function| format!("{function}(slider.acceleration.x)"));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = values(&model, spec.clone(), &texts);
    let (r, l, omega) = (0.05, 0.12, 5000.0 * TAU / 60.0);
    let expected = r * omega * omega * (1.0 + r / l);
    for value in &found[..4] {
        near(value, expected, 1e-8);
    }
    let (_, kept) = run(&model, spec, &texts);
    // Of three and a half turns the first begins before the window, the last does not end.
    assert_eq!(kept.turns.map(|turns| turns.peaks.len()), Ok(2));
}

/// Impacts last some ten instants of a turn; the parabola leaves their fourth order.
#[test]
fn the_largest_of_all_turns_is_the_located_extreme() {
    let (model, mut spec) = loaded("tian_slider_crank", &[], &[]);
    let Until::Time(_) = spec.until else { panic!("by time") };
    let turn = 60.0 / 5000.0;
    (spec.until, spec.measure_from) = (Until::Time(2.0 * turn), Until::Time(0.0));
    let found = values(&model, spec, &["turn_max(pin.reaction)", "abs_max(pin.reaction)"]);
    near(&found[0], *found[1].as_ref().expect("a value"), 2e-3);
}

#[test]
fn turns_that_cannot_be_told_leave_the_other_values() {
    let (model, spec) =
        loaded("slider_crank", &[("run.until", "0.5 rev"), ("run.measure_from", "0")], &["pin"]);
    let texts = ["turn_max(motor.power)", "max(motor.power)"];
    let found = values(&model, spec.clone(), &texts);
    assert_eq!(found[0], Err(ResponseError::NoWholeTurn));
    assert!(found[1].is_ok());
    let joint = gudgeon::model::JointId(0);
    let until = Until::JointAngle { joint, angle: 0.1 };
    let found = values(&model, RunSpec { until, ..spec }, &texts);
    assert_eq!(found[0], Err(ResponseError::NoTimes));
    assert!(found[1].is_ok());
}

/// Everything falls freely until the first impact: e = ½gt², v = gt.
#[test]
fn a_journal_falls_through_its_clearance() {
    let set = [("run.until", "20 ms"), ("run.measure_from", "5 ms"), ("run.rtol", "1e-11")];
    let (model, spec) = loaded("flores_double_pendulum", &set, &[]);
    let (c, g) = (0.5e-3_f64, 9.81);
    let texts = [
        "nth(bearing.V.impacts.t, 1)",
        "nth(bearing.impacts.speed_in, 2)",
        "first(bearing.V.eccentricity, 0.125 mm)",
        "count_all(bearing.impacts)",
        "share(bearing, free)",
        "share(bearing, line)",
        "share(bearing, point)",
        "share(bearing, opposite)",
        "start(second.position.y)",
        "left_bearing(bearing)",
        "max_misalignment(bearing)",
        "first(bearing.V.eccentricity - bearing.W.eccentricity, 10 um)",
    ];
    let found = values(&model, spec, &texts);
    near(&found[0], (2.0 * c / g).sqrt(), 1e-9);
    // Impact 1 is that of V, impact 2 that of W at the same instant.
    near(&found[1], (2.0 * c * g).sqrt(), 1e-9);
    // Rows are a part of the fall apart: the chord is off by their distance squared.
    near(&found[2], (0.5 * c / g).sqrt(), 1e-3);
    assert_eq!(found[3], Ok(2.0));
    let shares: f64 = found[4..8].iter().map(|share| share.as_ref().expect("a share")).sum();
    assert!((shares - 1.0).abs() < 1e-12, "{shares}");
    assert!(found[4].as_ref().is_ok_and(|free| *free > 0.9) && found[7] == Ok(0.0));
    assert!(found[5].as_ref().is_ok_and(|line| *line > 0.0), "both bases touch together");
    assert_eq!(found[8], Ok(0.0));
    assert_eq!(
        found[9].as_ref().map_err(|error| error.to_string()),
        Err("the journal of `bearing` does not leave its bearing".into())
    );
    assert!(found[10].as_ref().is_ok_and(|tilt| *tilt < 1e-3));
    assert!(matches!(found[11], Err(ResponseError::NotExceeded { .. })), "{:?}", found[11]);
}

#[test]
fn values_of_a_journal_are_those_of_the_report() {
    let (model, mut spec) = loaded("flores_double_pendulum", &[], &[]);
    spec.until = Until::Time(1e-3);
    let (mut report, kept) = run(&model, spec, &[]);
    let journal = &mut report.journals[0];
    journal.shares = [0.1, 0.2, 0.3, 0.4];
    (journal.max_misalignment, journal.left_bearing) = (0.05, Some(0.21));
    let data = RunData { model: &model, report: &report, kept: &kept };
    for (text, expected) in [
        ("share(bearing, free)", 0.1),
        ("share(bearing, point)", 0.2),
        ("share(bearing, line)", 0.3),
        ("share(bearing, opposite)", 0.4),
        ("max_misalignment(bearing)", 0.05),
        ("left_bearing(bearing)", 0.21),
    ] {
        assert_eq!(known(text, &model).evaluate(&data), Ok(expected), "{text}");
    }
    report.window = (1.0, 1.0);
    let data = RunData { model: &model, report: &report, kept: &kept };
    let share = known("share(bearing, free)", &model).evaluate(&data);
    assert_eq!(share, Err(ResponseError::NoWindow));
    assert_eq!(known("left_bearing(bearing)", &model).evaluate(&data), Ok(0.21));
}

#[test]
fn laws_are_measured_without_a_run() {
    let set = [("stiffness", "1e10"), ("restitution", "0.9")];
    let model = loaded("slider_crank", &set, &[]).0;
    let of = |text: &str| known(text, &model).of_model(&model);
    near(&of("force_at(pin, 10 um)"), 1e10 * 1e-5_f64.powf(1.5), 1e-12);
    near(&of("effective_restitution(pin)"), 0.913177, 1e-6);
    assert_eq!(of("abs_max(motor.power)"), Err(ResponseError::NoRun));
    let without = Err(ResponseError::NoFriction { joint: "pin".into() });
    assert_eq!(of("friction_at(pin, 1 mm/s)"), without);
    let set = [("mu_s", "0.2"), ("mu_d", "0.1"), ("v_s", "1 mm/s"), ("v_d", "3 mm/s")];
    let model = loaded("bai_slider_crank", &set, &[]).0;
    let of = |text: &str| known(text, &model).of_model(&model);
    // Static at v_s, the mean of both halfway, dynamic beyond v_d.
    near(&of("friction_at(pin, 1 mm/s)"), 0.2, 1e-12);
    near(&of("friction_at(pin, 2 mm/s)"), 0.15, 1e-12);
    near(&of("friction_at(pin, 1 m/s)"), 0.1, 1e-12);
}

#[test]
fn measures_do_not_depend_on_what_else_is_kept() {
    let set = [("run.until", "2 rev"), ("run.measure_from", "0.5 rev")];
    let (model, spec) = loaded("slider_crank", &set, &[]);
    let texts = [
        "percentile(pin.contact_force, 95)",
        "turn_median(pin.contact_force)",
        "first(pin.contact_force, 1 kN)",
        "start(slider.acceleration.x)",
        "nth(pin.impacts.t, 2)",
    ];
    let together = values(&model, spec.clone(), &texts);
    for (text, expected) in texts.iter().zip(&together) {
        assert!(expected.is_ok(), "{text}: {expected:?}");
        assert_eq!(&values(&model, spec.clone(), &[text])[0], expected, "{text}");
    }
}
