//! From the text of a study to plain data, and from its points to models.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use gudgeon::friction::{FrictionLaw, ZonedLaw};
use gudgeon::model::DriverId;
use gudgeon::results::LedgerKind;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver, Until};
use gudgeon_study::design::distribution::Distribution;
use gudgeon_study::file::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/studies")
}

fn good(result: Result<LoadedStudy, Box<gudgeon_model::Failure>>) -> LoadedStudy {
    result
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&failure.sources, false)))
}

fn load(name: &str) -> LoadedStudy {
    good(load_study(&folder().join(name), &Overrides::default()))
}

struct Beside;

impl Resolver for Beside {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        let text = std::fs::read_to_string(folder().join(name)).expect("a file of the tests");
        Ok((name.into(), text))
    }
}

fn text(text: &str, overrides: &Overrides) -> LoadedStudy {
    good(load_study_text("test.study.toml", text, &Beside, overrides))
}

fn file(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

fn set(name: &str, value: &str) -> Overrides {
    Overrides { set: vec![(name.into(), value.into())], ..Overrides::default() }
}

const RPM: f64 = TAU / 60.0;

#[test]
fn the_example_of_zhang_is_read() {
    let loaded = load("zhang_example_2.study.toml");
    let study = &loaded.study;
    assert_eq!((study.name.as_str(), study.seed, study.ensemble), ("zhang, example 2", 1, 8));
    let names: Vec<&str> = study.variables.iter().map(|variable| &variable.name[..]).collect();
    assert_eq!(names, ["speed", "stiffness", "clearance"]);
    let speed = &study.variables[0];
    let (low, high) = (50.0 * RPM, 5000.0 * RPM);
    let values = Values::Range(Range::Linear { low, high });
    assert_eq!((&speed.values, &speed.unit[..]), (&values, "rad/s"));
    assert_eq!(speed.shown, ShownUnit { unit: "rpm".into(), factor: RPM });
    assert_eq!(speed.about.as_deref(), Some("speed of the crank"));
    assert_eq!(speed.in_shown_unit(high), "5000 rpm");
    let (low, high) = (3.3e8, 3.3e11);
    let values = Values::Range(Range::Log { low, high });
    assert_eq!((&study.variables[1].values, &study.variables[1].unit[..]), (&values, "N/m^1.5"));
    let method = DesignMethod::Lhs { optimise: true, centred: false, ends: false };
    assert_eq!(study.design, Some(Design { method, samples: 30 }));
    let outputs: Vec<&str> = study.outputs.iter().map(|output| &output.name[..]).collect();
    assert_eq!(outputs, ["slider.acceleration.x", "motor.power"]);
    let measure = Measure::Output { statistic: Statistic::AbsMax, output: "motor.power".into() };
    assert_eq!((study.responses[1].measure(), &study.responses[1].unit[..]), (Some(&measure), "W"));
    let surrogate = study.surrogate.as_ref().unwrap();
    assert_eq!((&surrogate.of[..], &surrogate.log_responses[..]), (&[0, 1, 2][..], &[0][..]));
    assert_eq!(surrogate.nugget, Nugget::Fitted, "noise of an ensemble is fitted");
    let optimise = study.optimise.as_ref().unwrap();
    assert_eq!(optimise.objectives, [Objective { response: 0, maximise: false }]);
    let limit = &optimise.subject_to[0];
    assert_eq!((limit.response, limit.relation, limit.limit), (1, Relation::Below, 1e5));
    assert_eq!((optimise.on, optimise.method), (Evaluator::Surrogate, Optimiser::Ga));
    let Until::Time(until) = loaded.model.as_ref().unwrap().run.until else { panic!() };
    assert!((until - 0.3).abs() < 1e-12, "10 rev at 2000 rpm");
    assert_eq!(loaded.files.len(), 2);
    assert!(loaded.warnings.is_empty());
}

#[test]
fn every_key_has_its_meaning() {
    let loaded = load("everything.study.toml");
    let study = &loaded.study;
    assert_eq!((study.seed, study.time_limit), (7, Some(30.0)));
    assert_eq!(study.outputs.len(), 5, "each output once");
    let energy = |kind, name: &str| Measure::Energy { kind, name: Some(name.into()) };
    let measures = |name: &str| {
        let response = study.responses.iter().find(|response| response.name == name).unwrap();
        (response.measure().unwrap().clone(), response.unit.as_str())
    };
    assert_eq!(measures("friction_work"), (energy(LedgerKind::ContactFriction, "pin"), "J"));
    assert_eq!(measures("driven"), (energy(LedgerKind::Driver, "motor"), "J"));
    assert_eq!(measures("stored"), (energy(LedgerKind::Kinetic, "bodies"), "J"));
    let Measure::Output { statistic, output } = measures("high").0 else { panic!() };
    assert_eq!(statistic, Statistic::Percentile(95.0));
    assert_eq!(output, "motor.power");
    let Measure::Impacts { statistic, field, contact: of } = measures("fast").0 else { panic!() };
    assert_eq!((statistic, field), (ImpactStatistic::Mean, ImpactField::SpeedIn));
    assert_eq!((&of.joint[..], of.spot), ("pin", None));
    let surrogate = study.surrogate.as_ref().unwrap();
    assert_eq!((&surrogate.log_variables, &surrogate.log_responses), (&vec![1], &vec![2]));
    assert_eq!((surrogate.nugget, surrogate.starts), (Nugget::Fixed(1e-6), 4));
    assert_eq!(surrogate.validation, Validation::Folds(2));
    let optimise = study.optimise.as_ref().unwrap();
    assert_eq!(optimise.objectives.len(), 2);
    assert_eq!(optimise.subject_to[1].relation, Relation::AtLeast);
    assert_eq!(optimise.subject_to[1].limit, 2e-3);
    let sweep = study.sweep.as_ref().unwrap();
    assert_eq!((sweep.values.len(), sweep.values[2]), (3, 4000.0 * RPM));
    assert!((sweep.values[1] - 2000.0 * RPM).abs() < 1e-9);
    assert_eq!(sweep.histories, [1480.0 * RPM, 3000.0 * RPM]);
    let bifurcation = sweep.bifurcation.as_ref().unwrap();
    assert_eq!(bifurcation.every, Interval::Turn { driver: DriverId(0), angle: TAU });
    assert_eq!(study.plots.surfaces, [(0, 1)]);
    assert_eq!(study.plots.slices[1], [(0, 3000.0 * RPM), (3, 1.0), (4, 1.0)]);
    assert_eq!(loaded.files.len(), 3);
    assert!(loaded.files[2].0.ends_with("points.csv"));
}

#[test]
fn points_of_a_file_are_converted_and_reach_the_model() {
    let loaded = load("everything.study.toml");
    let Some(Design { method: DesignMethod::File { points, .. }, samples: 2 }) =
        &loaded.study.design
    else {
        panic!("two points")
    };
    assert_eq!(points[0], [2000.0 * RPM, 1e-4, 0.05, 1.0, 1.0, 1.0]);
    assert_eq!(points[1], [5000.0 * RPM, 1e-3, 0.2, 0.0, 0.0, 0.0], "ends are met exactly");
    assert_eq!(loaded.study.set(&points[0])[1], ("clearance".into(), "0.0001 m".into()));
    let sample = loaded.load_at(&points[0]).unwrap();
    let clearance = sample.model.joints[3].clearance.as_ref().unwrap();
    assert_eq!(clearance.radial, 1e-4);
    assert_eq!(
        clearance.friction,
        Some(FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: 0.05, v0: 1e-4, v1: 1e-3 }))
    );
    assert_eq!(sample.model.bodies[2].mass, Some(0.2), "fixed by [set]");
    assert_eq!(sample.run.rtol, Some(1e-8));
    let outputs: Vec<&str> = sample.run.outputs.iter().map(|sensor| &sensor.name[..]).collect();
    let wanted: Vec<&str> = loaded.study.outputs.iter().map(|output| &output.name[..]).collect();
    assert_eq!(outputs, wanted);
    let Until::Time(until) = sample.run.until else { panic!() };
    assert!((until - 4.0 * 0.03).abs() < 1e-12);
}

#[test]
fn values_read_back_as_the_same_numbers() {
    let loaded = load("everything.study.toml");
    let (speed, law) = (&loaded.study.variables[0], &loaded.study.variables[3]);
    for value in [1.0 / 3.0, 1e-7, 123_456.789_012_345_67, 5e22] {
        let (path, text) = speed.set(value);
        assert_eq!(path, "speed");
        let number: f64 = text.strip_suffix(" rad/s").unwrap().parse().unwrap();
        assert_eq!(number, value);
    }
    assert_eq!(law.set(1.0), ("joints.pin.clearance.contact.law".into(), "flores".into()));
    assert_eq!(loaded.study.variables[4].set(0.0).1, "0.02 m");
    let sample = loaded.load_with(&[(0, 77.7)], &["motor.torque"]).unwrap();
    assert_eq!(sample.model.drivers[0].motion.jet(0.0, 1e-9).rate, 77.7);
    assert_eq!(sample.run.outputs.len(), 1);
    let radial = sample.model.joints[3].clearance.as_ref().unwrap().radial;
    assert_eq!(radial, 1e-4, "variables that are not set stay as the model has them");
}

#[test]
fn a_sample_that_the_model_refuses_says_why() {
    let loaded = load("zhang_example_2.study.toml");
    let failure = loaded.load_at(&[100.0, 1e9, 0.02]).expect_err("clearance above the radius");
    let text = failure.diagnostics.render(&failure.sources, false);
    assert!(text.contains("clearance"), "{text}");
    assert!(loaded.load_at(&[f64::NAN, 1e9, 1e-4]).is_err());
    assert!(loaded.load_with(&[], &["no.such.output"]).is_err());
}

const SMALL: &str = r#"
format = 1
[study]
model = "slider_crank"
[variables]
speed = { from = "50 rpm", to = "5000 rpm" }
[design]
method = "sobol"
samples = 8
[responses]
peak = "abs_max(slider.acceleration.x)"
"#;

#[test]
fn a_small_study_has_defaults() {
    let study = text(SMALL, &Overrides::default()).study;
    assert_eq!(study.name, "test");
    assert_eq!((study.seed, study.ensemble, study.time_limit), (1, 1, None));
    assert_eq!(study.design, Some(Design { method: DesignMethod::Sobol, samples: 8 }));
    assert!(study.surrogate.is_none() && study.optimise.is_none() && study.sweep.is_none());
    let more = format!(
        "{SMALL}[surrogate]\n[optimise]\nmaximise = [\"peak\"]\n[sensitivity]\nmethods = [\"morris\"]\n"
    );
    let study = text(&more, &Overrides::default()).study;
    let surrogate = study.surrogate.unwrap();
    assert_eq!((surrogate.trend, surrogate.nugget), (Trend::Constant, Nugget::None));
    assert_eq!(surrogate.correlation, Correlation::PowerExponential);
    assert_eq!(surrogate.validation, Validation::LeaveOneOut);
    let optimise = study.optimise.unwrap();
    assert_eq!((optimise.on, optimise.method), (Evaluator::Surrogate, Optimiser::Ga));
    assert!(optimise.objectives[0].maximise);
    let sweep = SMALL.replace(
        "[design]\nmethod = \"sobol\"\nsamples = 8",
        "[sweep]\nvariable = \"speed\"\nbifurcation = \"slider.velocity.x\"",
    );
    let study = text(&sweep, &Overrides::default()).study;
    let sweep = study.sweep.unwrap();
    assert_eq!((sweep.values.len(), &sweep.responses[..]), (100, &[0][..]));
    assert_eq!(sweep.values[99], 5000.0 * RPM);
    assert_eq!(sweep.bifurcation.unwrap().skip, Interval::Time(0.0));
    assert_eq!(sweep.outputs.len(), 4, "those of the model");
}

#[test]
fn tolerances_are_distributions() {
    let with = |variable: &str, method: &str| {
        let text_ = SMALL.replace("speed = { from = \"50 rpm\", to = \"5000 rpm\" }", variable);
        text(&text_.replace("sobol", method), &Overrides::default()).study.variables.remove(0)
    };
    let normal = "clearance = { normal = \"0.1 mm\", std = \"0.01 mm\", limits = [\"0.07 mm\", \"0.13 mm\"] }";
    let variable = with(normal, "monte-carlo");
    let spread = Values::Distribution;
    let normal = Distribution::Truncated { mean: 1e-4, deviation: 1e-5, low: 7e-5, high: 13e-5 };
    assert_eq!(variable.values, spread(normal));
    assert_eq!(variable.values.bounds(), Some((7e-5, 13e-5)));
    assert!(variable.is_distribution());
    let free = with("clearance = { normal = \"=2*clearance\", std = \"0.01 mm\" }", "lhs");
    assert_eq!(free.values, spread(Distribution::Normal { mean: 2e-4, deviation: 1e-5 }));
    let uniform = with("clearance = { uniform = [\"0.1 mm\", \"0.2 mm\"] }", "sobol");
    assert_eq!(uniform.values, spread(Distribution::Uniform { low: 1e-4, high: 2e-4 }));
    let triangular = with("clearance = { triangular = [0, \"0.1 mm\", \"0.2 mm\"] }", "lhs");
    let expected = Distribution::Triangular { low: 0.0, mode: 1e-4, high: 2e-4 };
    assert_eq!(triangular.values, spread(expected));
}

#[test]
fn levels_of_a_factorial_design() {
    let samples = |variables: &str, levels: &str| {
        let text_ = SMALL
            .replace("speed = { from = \"50 rpm\", to = \"5000 rpm\" }", variables)
            .replace("\"sobol\"\nsamples = 8", &format!("\"factorial\"\nlevels = {levels}"));
        let design = text(&text_, &Overrides::default()).study.design.unwrap();
        let DesignMethod::Factorial { levels } = design.method else { panic!() };
        (levels, design.samples)
    };
    let three = "speed = { from = \"50 rpm\", to = \"5000 rpm\" }\n\
        law = { choice = [\"hertz\", \"flores\"], path = \"joints.pin.clearance.contact.law\" }\n\
        restitution = { from = 0, to = 1, integer = true }";
    assert_eq!(samples(three, "5"), (vec![5, 2, 2], 20));
    assert_eq!(samples(three, "{ speed = 3 }"), (vec![3, 2, 2], 12));
}

#[test]
fn the_command_line_wins_over_the_study_and_not_over_its_variables() {
    let with =
        SMALL.replace("[design]", "[set]\nrestitution = 0.5\n[run]\nuntil = \"2 rev\"\n[design]");
    let study = text(&with, &Overrides::default());
    let Until::Time(until) = study.model.as_ref().unwrap().run.until else { panic!() };
    assert!((until - 0.06).abs() < 1e-12);
    let overrides = Overrides { until: Some("6 rev".into()), ..set("restitution", "0.7") };
    let study = text(&with, &overrides);
    let Until::Time(until) = study.model.as_ref().unwrap().run.until else { panic!() };
    assert!((until - 0.18).abs() < 1e-12);
    let value = study
        .model
        .as_ref()
        .unwrap()
        .parameters
        .iter()
        .find(|p| p.name == "restitution")
        .unwrap()
        .value;
    assert_eq!(value, 0.7);
    let failure = load_study_text("s", SMALL, &Beside, &set("speed", "1")).expect_err("varied");
    let text = failure.diagnostics.render(&failure.sources, false);
    assert!(text.contains("`speed` is both fixed and varied"), "{text}");
}

#[test]
fn the_fingerprint_sees_content_and_nothing_else() {
    let of = |text_: &str| text(text_, &Overrides::default()).sample_fingerprint();
    let first = of(SMALL);
    assert_eq!(of(SMALL), first);
    let noted = format!("# a note\n{}", SMALL.replace('\n', "\r\n").replace(" = ", "   =  "));
    assert_eq!(of(&noted), first, "comments, blanks and line ends do not count");
    for change in [("5000 rpm", "5001 rpm"), ("samples = 8", "samples = 9"), ("abs_max", "max")] {
        assert_ne!(of(&SMALL.replace(change.0, change.1)), first, "{change:?}");
    }
    let more = of(&format!("{SMALL}[surrogate]\ntrend = \"linear\"\n"));
    assert_eq!(more, first, "a surrogate changes no sample");
    let swept = of(&format!("{SMALL}[sweep]\nvariable = \"speed\"\n"));
    assert_eq!(swept, first, "a sweep changes no sample");
    let turned = "{ to = \"5000 rpm\", from = \"50 rpm\" }";
    let turned = of(&SMALL.replace("{ from = \"50 rpm\", to = \"5000 rpm\" }", turned));
    assert_eq!(turned, first, "the order of keys does not count");
    let titled =
        of(&SMALL.replacen("[study]", "[study]\nabout = \"again\"\ntime_limit = \"9 s\"", 1));
    assert_eq!(titled, first, "a title changes no sample");
    assert_ne!(text(SMALL, &set("restitution", "0.8")).sample_fingerprint(), first);
    let model = file("slider_crank.toml");
    let own = |text_: &str| {
        struct One(String);
        impl Resolver for One {
            fn read(&self, _: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
                Ok((name.into(), self.0.clone()))
            }
        }
        let study = SMALL.replace("\"slider_crank\"", "\"slider_crank.toml\"");
        let one = One(text_.into());
        good(load_study_text("s", &study, &one, &Overrides::default())).sample_fingerprint()
    };
    assert_eq!(own(&model), own(&format!("{model}\n# end")));
    assert_ne!(own(&model), own(&model.replace("0.14 kg", "0.15 kg")));
    assert_eq!(
        own(&model),
        6_559_286_179_759_909_389,
        "the fingerprint of old results must not change"
    );
}

#[test]
fn the_fingerprint_sees_the_data_of_the_model() {
    struct Engine(&'static str);
    impl Resolver for Engine {
        fn read(&self, _: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
            let model = gudgeon_model::shipped::find("gas_engine").unwrap();
            let text = if name.ends_with("gas.csv") { self.0 } else { model.model };
            Ok((name.into(), text.into()))
        }
    }
    let study = "format = 1\n[study]\nmodel = \"engine.toml\"\n[variables]\nbore = { from = \"80 mm\", to = \"90 mm\" }\n[design]\nmethod = \"lhs\"\nsamples = 4\n[responses]\nt = \"max(dyno.torque)\"\n";
    let of = |data: &'static str| {
        good(load_study_text("s", study, &Engine(data), &Overrides::default()))
    };
    let first = of("angle [deg], p [bar]\n0, 1\n720, 1\n");
    assert_eq!(
        first.sample_fingerprint(),
        of("angle [deg], p [bar]\r\n0, 1\r\n720, 1\r\n").sample_fingerprint()
    );
    assert_ne!(
        first.sample_fingerprint(),
        of("angle [deg], p [bar]\n0, 2\n720, 2\n").sample_fingerprint()
    );
    assert!(first.sample_parts().iter().any(|part| part.0 == "gas.csv"));
    assert_eq!(first.data().count(), 1);
}

/// Parts of the fingerprint that are not those of the small study.
fn changed_parts(text_: &str) -> Vec<String> {
    let [old, new] = [SMALL, text_].map(|t| text(t, &Overrides::default()).sample_parts().to_vec());
    new.into_iter().filter(|part| !old.contains(part)).map(|(name, _)| name).collect()
}

#[test]
fn the_part_that_has_changed_is_known() {
    let set = SMALL.replace("[design]", "[set]\nrestitution = 0.5\n[design]");
    assert_eq!(changed_parts(&set), ["[set]"]);
    assert_eq!(changed_parts(&SMALL.replace("samples = 8", "samples = 9")), ["[design]"]);
    let two = SMALL.replace("[design]", "restitution = { from = 0.5, to = 0.9 }\n[design]");
    assert_eq!(changed_parts(&two), ["[variables]"]);
    // The order of the variables is that of the columns.
    let swapped = SMALL.replace("speed =", "restitution = { from = 0.5, to = 0.9 }\nspeed =");
    let part = |text_: &str| {
        let study = text(text_, &Overrides::default());
        study.sample_parts().iter().find(|part| part.0 == "[variables]").cloned()
    };
    assert_ne!(part(&two), part(&swapped));
    let names = text(SMALL, &Overrides::default());
    let names: Vec<&str> = names.sample_parts().iter().map(|part| &part.0[..]).collect();
    assert!(names.contains(&"[bodies] of slider_crank"), "{names:?}");
}

#[test]
fn a_study_without_a_name_has_that_of_its_file_or_folder() {
    for (file, name) in [
        ("a/s.study.toml", "s"),
        ("s.toml", "s"),
        ("mine/study.toml", "mine"),
        ("study.toml", "study"),
    ] {
        let study = good(load_study_text(file, SMALL, &Beside, &Overrides::default()));
        assert_eq!(study.study.name, name, "{file}");
    }
}

#[test]
fn spots_of_a_spatial_joint_are_measured_apart() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../gudgeon-model/tests/models/spatial_parts.toml");
    let study = format!(
        "format = 1\n[study]\nmodel = {:?}\n[variables]\n\
        m = {{ from = \"1 kg\", to = \"2 kg\", path = \"bodies.block.mass\" }}\n\
        [design]\nmethod = \"lhs\"\nsamples = 4\n[responses]\n\
        a = \"sum(bush.V.impacts.loss)\"\nb = \"count(bush.impacts)\"\nc = \"contact_fraction(bush.W)\"\n",
        model.display().to_string()
    );
    struct Disk;
    impl Resolver for Disk {
        fn read(&self, _: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
            Ok((name.into(), std::fs::read_to_string(name).unwrap()))
        }
    }
    let study = good(load_study_text("s", &study, &Disk, &Overrides::default())).study;
    let Some(Measure::Impacts { contact: of, .. }) = study.responses[0].measure() else { panic!() };
    assert_eq!(of.spot.as_deref(), Some("V"));
    let Some(Measure::ImpactCount(of)) = study.responses[1].measure() else { panic!() };
    assert_eq!(of.spot, None);
}

const FORMULAS: &str = r#"
format = 1
[study]
model = "slider_crank"
[variables]
speed = { from = "1000 rpm", to = "3000 rpm" }
mass = { from = "0.1 kg", to = "0.3 kg", path = "bodies.rod.mass" }
mu = { from = 0, to = 0.2, path = "joints.pin.friction.mu" }
radius = { choice = ["9 mm", "11 mm"], path = "joints.pin.clearance.bearing_radius" }
[set]
joints.pin.friction.law = "coulomb"
[sweep]
variable = "speed"
[responses]
weight = "mass * 9.81 m/s^2"
lost = "energy(pin.normal)"
share = "= max(lost / 1 J, 0) + speed / 1 rpm + if(mu > 0.05, 1, 2) + radius / 1 mm"
twice = "2 * lost"
"#;

#[test]
fn formulas_have_units_and_values() {
    let loaded = text(FORMULAS, &Overrides::default());
    let study = &loaded.study;
    let units: Vec<&str> = study.responses.iter().map(|response| &response.unit[..]).collect();
    assert_eq!(units, ["N", "J", "", "J"]);
    let formula = |index: usize| study.responses[index].formula().unwrap();
    let point = [2000.0 * RPM, 0.2, 0.0, 1.0];
    let numbers = numbers(&study.variables, &point);
    assert_eq!(numbers[3], 0.011, "of a choice its value");
    assert!((formula(0).value(&numbers, &[]).unwrap() - 1.962).abs() < 1e-12);
    let before = [1.962, -3.0];
    assert!((formula(2).value(&numbers, &before).unwrap() - 2013.0).abs() < 1e-9);
    assert_eq!(formula(3).value(&numbers, &[0.0, -3.0, 0.0]), Ok(-6.0));
    assert_eq!(formula(2).responses().collect::<Vec<_>>(), [1]);
}

#[test]
fn a_sweep_leaves_variables_as_the_model_has_them() {
    let loaded = text(FORMULAS, &Overrides::default());
    let numbers = loaded.swept(0, 5.0);
    let rod = loaded.model.as_ref().unwrap().model.bodies[2].mass;
    assert_eq!((numbers[0], Some(numbers[1])), (5.0, rod));
    assert_eq!(numbers[2], 0.1, "the middle, where the model gives nothing");
    assert_eq!(numbers[3], 0.01);
}

#[test]
fn a_study_without_a_model_computes() {
    let loaded = text(
        r#"
        format = 1
        [study]
        [variables]
        x = { from = "1 mm", to = "3 mm" }
        n = { choice = [2, 4] }
        [design]
        method = "sobol"
        samples = 4
        [responses]
        volume = "n * x^3"
        ratio = "1 / (x - 2 mm) * 1 mm"
        "#,
        &Overrides::default(),
    );
    assert!(loaded.model.is_none() && loaded.study.model.is_none());
    assert_eq!(loaded.files.len(), 1);
    assert_eq!(loaded.study.responses[0].unit, "m^3");
    assert_eq!(loaded.swept(0, 0.5), [0.5, 2.0]);
    assert!(loaded.load_at(&[1e-3, 0.0]).is_err());
    let ratio = loaded.study.responses[1].formula().unwrap();
    assert_eq!(ratio.value(&[2e-3, 2.0], &[0.0]), Err("division by zero".into()));
    assert_eq!(ratio.value(&[3e-3, 2.0], &[0.0]).map(|value| value.round()), Ok(1.0));
}
