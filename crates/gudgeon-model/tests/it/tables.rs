//! Tables that are looked up, in lists and in files: values, derivatives, pieces, where they are left, and the
//! work they do.

use std::cell::RefCell;
use std::f64::consts::{PI, TAU};

use gudgeon::assembly::assemble;
use gudgeon::formula::{Curve, Interpolation, Outside};
use gudgeon::model::ForceKind;
use gudgeon::results::{LedgerKind, RunReport, Status};

use gudgeon::simulate::{Silent, of_tables, simulate};
use gudgeon::time::TimeFunction;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Loaded, Overrides, Resolver, load_text, shipped};

/// Files in memory, each by the folder and name it is asked for with.
struct Memory<'a> {
    files: &'a [(&'a str, &'a [u8])],
    asked: RefCell<Vec<String>>,
}

impl<'a> Memory<'a> {
    fn new(files: &'a [(&'a str, &'a [u8])]) -> Self {
        Self { files, asked: RefCell::default() }
    }

    fn find(&self, from: &str, name: &str) -> Result<(String, Vec<u8>), Box<Diagnostic>> {
        let folder =
            from.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let path = format!("{folder}{name}");
        self.asked.borrow_mut().push(path.clone());
        match self.files.iter().find(|(file, _)| *file == path) {
            Some((_, bytes)) => Ok((path, bytes.to_vec())),
            None => Err(Box::new(Diagnostic::error("G0001", format!("cannot read `{path}`")))),
        }
    }
}

impl Resolver for Memory<'_> {
    fn read(&self, from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        self.find(from, name).map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap()))
    }

    fn read_data(&self, from: &str, name: &str) -> Result<(String, Vec<u8>), Box<Diagnostic>> {
        self.find(from, name)
    }
}

/// A mass on a guide, moved by a driver or free, with a force.
fn slide(driver: &str, force: &str) -> String {
    format!(
        "format = 1\n[parameters]\nlevel = 2\n[bodies.mass]\nmass = \"1 kg\"\n[joints.guide]\ntype = \"prismatic\"\nbetween = [\"ground\", \"mass\"]\nalong = \"x\"\n{driver}\n[forces.push]\ntype = \"force\"\non = \"mass\"\nforce = ['''{force}''', 0]\n[run]\nuntil = \"1 s\"\noutputs = [\"mass.position.x\"]\n"
    )
}

const DRIVEN: &str = "[drivers.hand]\njoint = \"guide\"\nspeed = \"2 m/s\"";

fn read(text: &str, files: &[(&str, &[u8])]) -> Loaded {
    load_text("model.toml", text, &Memory::new(files), &Overrides::default())
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&failure.sources, false)))
}

fn refused(text: &str, files: &[(&str, &[u8])]) -> String {
    let failure = load_text("model.toml", text, &Memory::new(files), &Overrides::default());
    let failure = failure.expect_err("it is wrong");
    failure.diagnostics.render(&failure.sources, false)
}

fn run(loaded: &Loaded, rtol: f64) -> RunReport {
    let spec = gudgeon::run::RunSpec { rtol: Some(rtol), ..loaded.run.clone() };
    simulate(&assemble(&loaded.model).unwrap(), &spec, &mut Silent)
}

fn work(report: &RunReport, name: &str) -> f64 {
    let lines = report.energy.lines.iter();
    lines.filter(|l| l.kind == LedgerKind::Force && l.name == name).map(|l| l.value).sum()
}

/// The x component of the force as a function of time.
fn push(loaded: &Loaded) -> TimeFunction {
    match &loaded.model.forces[0].kind {
        ForceKind::Point { components, .. } => components[0].clone(),
        other => panic!("{other:?}"),
    }
}

/// Ten-point Gauss–Legendre quadrature.
fn quadrature(f: impl Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    const GAUSS: [(f64, f64); 5] = [
        (0.148_874_338_981_631_2, 0.295_524_224_714_752_87),
        (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
        (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
        (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
        (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
    ];
    let (m, h) = (0.5 * (a + b), 0.5 * (b - a));
    GAUSS.iter().map(|(x, w)| w * h * (f(m - h * x) + f(m + h * x))).sum()
}

/// Columns of the shipped file, read by other means: rad and Pa.
fn gas() -> (Vec<f64>, Vec<f64>) {
    let text = shipped::find("gas_engine").unwrap().data[0].1;
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .map(|line| {
            let (angle, pressure) = line.split_once(',').unwrap();
            let number = |text: &str| text.trim().parse::<f64>().unwrap();
            (number(angle).to_radians(), number(pressure) * 1e5)
        })
        .unzip()
}

/// W = −∮ p A x′(θ) dθ, x = r cos θ + √(l² − r² sin² θ), by quadrature within every cell. The run adds its
/// own tolerance, so that both are compared with the work that is turned over, ∮ |p A x′| dθ.
#[test]
fn the_gas_does_the_work_of_its_indicator_diagram() {
    let (angles, pressures) = gas();
    let (r, l, area) = (0.045_f64, 0.145_f64, PI / 4.0 * 0.086_f64.powi(2));
    let slope =
        |q: f64| -r * q.sin() - r * r * q.sin() * q.cos() / (l * l - (r * q.sin()).powi(2)).sqrt();
    let model = shipped::find("gas_engine").unwrap();
    for (word, interpolation) in [
        ("linear", Interpolation::Linear),
        ("monotone", Interpolation::Monotone),
        ("spline", Interpolation::Spline),
    ] {
        let curve = Curve::new(interpolation, Outside::Periodic, &angles, &pressures);
        let cell = |i: usize, f: &dyn Fn(f64) -> f64| {
            let power = |q: f64| f(-curve.at(q, i as i32).0 * area * slope(q));
            quadrature(power, angles[i], angles[i + 1])
        };
        let cells = 0..angles.len() - 1;
        let cycle: f64 = cells.clone().map(|i| cell(i, &|x| x)).sum();
        let gross: f64 = cells.map(|i| cell(i, &f64::abs)).sum();
        let text = model.model.replace("monotone", word);
        let path = "models/gas_engine/model.toml";
        let loaded = load_text(path, &text, &shipped::Embedded, &Overrides::default()).unwrap();
        let report = run(&loaded, 1e-11);
        assert_eq!(report.status, Status::Done, "{:?}", report.status);
        let found = work(&report, "gas");
        assert!((found - 2.0 * cycle).abs() < 1e-9 * gross, "{word}: {found} J, {} J", 2.0 * cycle);
        assert!(cycle > 300.0, "{cycle}");
    }
}

/// A force F(x) of a table over the position does ∫ F dx: trapezia of the polygon, whatever the motion.
#[test]
fn a_list_over_the_position_does_the_work_of_its_polygon() {
    let force = "= table([0 m, 0.5 m, 1.2 m, 3 m], [1 N, 4 N, -2 N, 6 N], mass.position.x)";
    let report = run(&read(&slide(DRIVEN, force), &[]), 1e-10);
    // From 0 to 2 m: the force at 2 m is −2 + 8·0.8/1.8 N.
    let last = -2.0 + 8.0 * 0.8 / 1.8;
    let polygon = 0.5 * (0.5 * (1.0 + 4.0) + 0.7 * (4.0 - 2.0) + 0.8 * (last - 2.0));
    assert!((work(&report, "push") - polygon).abs() < 1e-11, "{}", work(&report, "push"));
}

/// A free mass in the potential of a table keeps its energy, though the force has corners.
#[test]
fn corners_in_the_state_are_located() {
    let force =
        "= table([-1 m, -0.1 m, 0.2 m, 1 m], [30 N, 2 N, -3 N, -50 N], mass.position.x, clamp)";
    let text = slide("[start]\nmass.x = \"0.9 m\"", force);
    let report = run(&read(&text, &[]), 1e-10);
    assert_eq!(report.status, Status::Done);
    let kinetic = report.energy.peak_kinetic;
    assert!(kinetic > 5.0 && report.energy.residual_max < 1e-9 * kinetic, "{:?}", report.energy);
}

const MAP: &str = "speed [mm/s]; load; force [kN]\r\n\r\n# unsorted\r\n0;0;0\r\n0;1;1e-3\r\n4000;0;2e-3\r\n4000;1;5e-3\r\n2000;1;3e-3\r\n2000;0;1e-3\r\n";

#[test]
fn a_map_of_two_inputs_is_bilinear_and_may_be_in_any_order() {
    // At 2 m/s and with load = t: 1 + 2t N; the work over a second at 2 m/s is 2 · (1 + 1) J.
    let force = "= table(\"map.csv\", mass.velocity.x, t / (1 s))";
    let loaded = read(&slide(DRIVEN, force), &[("map.csv", MAP.as_bytes())]);
    assert!((work(&run(&loaded, 1e-10), "push") - 4.0).abs() < 1e-10);
    // Of the time only, it is a function of the state that reads the time.
    let force = "= table('map.csv', t * 1 m/s^2, t / (1 s))";
    let loaded = read(&slide(DRIVEN, force), &[("map.csv", MAP.as_bytes())]);
    assert_eq!((loaded.model.functions.len(), loaded.model.functions[0].readings.len()), (1, 1));
    // v = t m/s: (1 − t/2)(t) + (t/2)(1 + 2t) N, times 2 m/s from 0 to 1 s.
    let expected = 2.0 * (0.5 - 1.0 / 6.0 + 0.25 + 1.0 / 3.0);
    let found = work(&run(&loaded, 1e-10), "push");
    assert!((found - expected).abs() < 1e-10, "{found} {expected}");
    // Constants are folded.
    let force = "= table('map.csv', 3 m/s, 0.5)";
    let loaded = read(&slide(DRIVEN, force), &[("map.csv", MAP.as_bytes())]);
    let found = work(&run(&loaded, 1e-10), "push");
    assert!((found - 2.0 * (1.5 * 0.5 + 4.0 * 0.5)).abs() < 1e-10, "{found}");
}

#[test]
fn heads_units_comments_and_line_ends_are_read() {
    let file = "\u{feff}# measured\r\n\"time\" (ms), \"force\" [N],note\r\n\r\n  0 , 1.5,a\r\n500,-2e0,b\r\n1e3, +.5,c\r\n";
    let text = slide(DRIVEN, "= level * table('a.csv', t)");
    let function = push(&read(&text, &[("a.csv", file.as_bytes())]));
    for (t, value) in [(0.0, 3.0), (0.25, -0.5), (0.75, -1.5), (1.0, 1.0)] {
        assert!((function.jet(t, t).value - value).abs() < 1e-14, "{t}");
    }
    let file = "time [s], a [kN], b [N]\n0,1,2\n1,3,4\n";
    let text = slide(DRIVEN, "= table(\"a.csv\", t, clamp, column = \"b\", spline)");
    assert_eq!(push(&read(&text, &[("a.csv", file.as_bytes())])).jet(9.0, 9.0).value, 4.0);
}

/// Jets against central differences, and kinks at every crossing of a knot: of a linear argument, of one
/// that swings over the knots and back, and of one that repeats.
#[test]
fn functions_of_time_have_jets_and_kinks() {
    let points = "[0 m, 1 m, 2 m, 4 m], [0 N, 3 N, 1 N, 0 N]";
    let function = |input: &str, words: &str| {
        push(&read(&slide(DRIVEN, &format!("= table({points}, {input}, {words})")), &[]))
    };
    for way in ["linear", "monotone", "spline"] {
        for (input, beyond) in [
            ("2 m/s * t", "clamp"),
            ("2 m + 1.9 m * sin(7 rad/s * t)", "clamp"),
            ("3 m/s * t - 4 m/s^2 * t * t", "periodic"),
        ] {
            let function = function(input, &format!("{way}, {beyond}"));
            let cuts: Vec<f64> = function.cuts(0.0, 3.0).collect();
            let mut from = 0.0;
            for to in cuts.clone() {
                let (t, h) = (from + 0.37 * (to - from), 1e-5 * (to - from));
                let branch = 0.5 * (from + to);
                let at = |t: f64| function.jet(t, branch);
                let rate = (at(t + h).value - at(t - h).value) / (2.0 * h);
                let second = (at(t + h).rate - at(t - h).rate) / (2.0 * h);
                let jet = at(t);
                assert!((jet.rate - rate).abs() < 1e-5 * (1.0 + rate.abs()), "{way} {input} {t}");
                assert!((jet.second - second).abs() < 1e-4 * (1.0 + second.abs()), "{input} {t}");
                // One formula holds between two cuts.
                for u in [0.02, 0.5, 0.98] {
                    let t = from + u * (to - from);
                    let (own, here) = (function.jet(t, branch), function.jet(t, t));
                    assert!((own.value - here.value).abs() < 1e-11, "{way} {input} {t}");
                    assert!((own.rate - here.rate).abs() < 1e-8, "{way} {input} {t}");
                }
                from = to;
            }
            assert!(cuts.len() > 3, "{input}");
        }
    }
    let cuts: Vec<f64> = function("2 m/s * t", "clamp").cuts(0.0, 3.0).collect();
    assert_eq!(cuts, [0.5, 1.0, 2.0, 3.0]);
    let cuts: Vec<f64> = function("10 m/s * t", "periodic").cuts(0.0, 1.0).collect();
    let expected = [0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9, 1.0];
    assert!(cuts.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{cuts:?}");
    assert_eq!(cuts.len(), expected.len());
}

/// A motion given by a table is followed exactly, with the speed of its pieces.
#[test]
fn a_driver_follows_a_table() {
    let file = "time [s], place [mm]\n0, 0\n0.3, 60\n0.7, 60\n1, -30\n";
    let driver =
        "[drivers.hand]\njoint = \"guide\"\ndisplacement = '''= table(\"way.csv\", t, monotone)'''";
    let loaded = read(&slide(driver, "0 N"), &[("way.csv", file.as_bytes())]);
    let motion = &loaded.model.drivers[0].motion;
    assert_eq!(motion.jet(0.5, 0.5).value, 0.06);
    assert_eq!(run(&loaded, 1e-8).status, Status::Done);
    let driver =
        "[drivers.hand]\njoint = \"guide\"\nspeed = '''= table([0 s, 1 s], [0 m/s, 4 m/s], t)'''";
    let loaded = read(&slide(driver, "1 N"), &[]);
    assert!((work(&run(&loaded, 1e-10), "push") - 2.0).abs() < 1e-12);
}

fn failure(report: &RunReport) -> String {
    match &report.status {
        Status::Failed(error) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_table_that_is_left_stops_the_run_with_time_and_value() {
    let file = "place [mm], force [N]\n-100, 1\n1200, 2\n";
    let files: [(&str, &[u8]); 1] = [("way.csv", file.as_bytes())];
    // At 2 m/s the end of the table is passed at 0.6 s.
    for input in ["mass.position.x", "2 m/s * t"] {
        let loaded = read(&slide(DRIVEN, &format!("= table('way.csv', {input})")), &files);
        let told = failure(&run(&loaded, 1e-9));
        assert!(told.contains("t = 6.0000000"), "{told}");
        let said =
            "looks up more than 1200 mm in `way.csv`, whose `place` goes from -100 mm to 1200 mm";
        assert!(told.contains(said), "{told}");
        assert!(of_tables(&assemble(&loaded.model).unwrap()).is_empty());
    }
    // Outside from the start.
    for input in ["mass.position.x - 1 m", "2 m/s * t - 1 m"] {
        let loaded = read(&slide(DRIVEN, &format!("= table('way.csv', {input})")), &files);
        let told = failure(&run(&loaded, 1e-9));
        assert!(told.contains("t = 0.0") && told.contains("looks up -1000 mm"), "{told}");
        let warned = of_tables(&assemble(&loaded.model).unwrap());
        assert!(warned[0].message.contains("looks up -1000 mm in `way.csv`"), "{warned:?}");
    }
    // A branch that is not taken may be anywhere; taken, it is left at once.
    for (input, over) in [("mass.position.x", "1.1 m"), ("2 m/s * t", "1.1 m")] {
        let force = format!("= if({input} < {over}, table('way.csv', {input}), 0 N)");
        assert_eq!(run(&read(&slide(DRIVEN, &force), &files), 1e-9).status, Status::Done);
        let force = format!("= if({input} < 1.5 m, 0 N, table('way.csv', {input}))");
        let told = failure(&run(&read(&slide(DRIVEN, &force), &files), 1e-9));
        assert!(told.contains("t = 7.5000000") && told.contains("looks up 1500 mm"), "{told}");
    }
    // A speed by a table, whose integral is the motion.
    let driver =
        "[drivers.hand]\njoint = \"guide\"\nspeed = '''= table([0 s, 0.5 s], [0 m/s, 1 m/s], t)'''";
    let told = failure(&run(&read(&slide(driver, "0 N"), &[]), 1e-9));
    assert!(told.contains("driver `hand` looks up more than 0.5 s in a table"), "{told}");
}

#[test]
fn files_are_relative_to_the_file_that_names_them() {
    let base = slide(DRIVEN, "= table('data/way.csv', t, clamp)");
    let top = "format = 1\nuse = \"../base/model.toml\"\n[bodies.mass]\nmass = \"2 kg\"\n";
    let file = "time [s], force [N]\n0, 1\n1, 2\n";
    let files: [(&str, &[u8]); 2] = [
        ("top/../base/model.toml", base.as_bytes()),
        ("top/../base/data/way.csv", file.as_bytes()),
    ];
    let memory = Memory::new(&files);
    let overrides = Overrides { set: vec![("level".into(), "3".into())], ..Overrides::default() };
    let loaded = load_text("top/model.toml", top, &memory, &overrides).unwrap();
    assert_eq!(memory.asked.borrow().len(), 2, "each file once");
    assert_eq!(push(&loaded).jet(0.5, 0.5).value, 1.5);
    let names: Vec<&str> = loaded.data().map(|(name, _)| name).collect();
    assert_eq!(names, ["top/../base/data/way.csv"]);
    assert_eq!(loaded.files.len(), 2, "models only");
    // The command line may use what the model names, too.
    let set = ("forces.push.force".into(), "= 2 * table('data/way.csv', t, clamp), 0".into());
    let overrides = Overrides { set: vec![set], ..Overrides::default() };
    let loaded = load_text("top/model.toml", top, &Memory::new(&files), &overrides).unwrap();
    assert_eq!(push(&loaded).jet(0.5, 0.5).value, 3.0);
}

#[test]
fn parameters_may_be_looked_up() {
    let file = "size [mm], mass [g]\n10, 100\n20, 400\n";
    let text = slide(DRIVEN, "0 N")
        .replace("level = 2", "level = 2\nlump = '''= table(\"m.csv\", 15 mm)'''");
    let loaded = read(&text.replace("\"1 kg\"", "\"=lump\""), &[("m.csv", file.as_bytes())]);
    assert_eq!(loaded.model.bodies[1].mass, Some(0.25));
}

#[test]
fn what_is_wrong_with_a_file_is_said_once() {
    let file = "time [s], force [N]\n0, 1\n0, 2\n";
    let text = slide(DRIVEN, "= table('a.csv', t) + table('a.csv', 2 * t)");
    let text = text.replace(", 0]", ", '''= table('a.csv', t)''']");
    let told = refused(&text, &[("a.csv", file.as_bytes())]);
    assert_eq!(told.matches("error[").count(), 1, "{told}");
    let told =
        refused(&slide(DRIVEN, "= table('b.csv', t)"), &[("b.csv", b"t [s], f [N]\n0,\xff\n")]);
    assert!(told.contains("G0002") && told.contains("line 2"), "{told}");
}

/// The old tables over time do not change by a bit, and those of lists agree with them.
#[test]
fn two_lists_alone_are_looked_up_with_the_time() {
    let lists = "[0 s, 0.4 s, 1 s], [0 N, 5 N, 1 N]";
    let function = |text: &str| push(&read(&slide(DRIVEN, text), &[]));
    for (old, new) in [
        (format!("= table({lists})"), format!("= table({lists}, t, clamp)")),
        (format!("= spline({lists})"), format!("= table({lists}, t, spline, clamp)")),
    ] {
        let (old, new) = (function(&old), function(&new));
        for i in 0..=100 {
            let t = f64::from(i) / 100.0;
            assert!((old.jet(t, t).value - new.jet(t, t).value).abs() < 1e-14);
        }
    }
}

/// A run of many turns finds its way: the same load after a thousand turns.
#[test]
fn angles_are_counted_over_many_turns() {
    let (angles, pressures) = gas();
    let curve = Curve::new(Interpolation::Monotone, Outside::Periodic, &angles, &pressures);
    for turns in [0.0, 1.0, 1000.0] {
        let q = 6.6 + 2.0 * TAU * turns;
        let value = curve.at(q, curve.cell(q)).0;
        assert!((value - curve.at(6.6, curve.cell(6.6)).0).abs() < 1e-5 * 48e5, "{turns}");
    }
}
