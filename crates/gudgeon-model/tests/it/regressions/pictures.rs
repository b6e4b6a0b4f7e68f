//! Points for pictures.
//!
//! Pictures were made of rows, of which there are too many in some runs and too few in others. An
//! observer that draws now receives points of its own for the part of the run that it names: exactly
//! from its start to its end, no column of the picture without one, on the same motion that rows are
//! taken from, which does not depend on whether it is drawn.

use std::ops::ControlFlow;

use gudgeon::assembly::assemble;
use gudgeon::results::{RunReport, Status};
use gudgeon::run::Until;
use gudgeon::simulate::{Observer, Silent, simulate};

use gudgeon_model::{Overrides, load_text};

use crate::common::loaded;
use crate::regressions::alone::Alone;

#[derive(Default)]
struct Picture {
    range: Option<(Until, Until)>,
    curves: Vec<(f64, Vec<f64>)>,
    orbits: Vec<(f64, [f64; 2])>,
    rows: Vec<(f64, Vec<f64>, [f64; 2])>,
}

impl Observer for Picture {
    fn row(&mut self, t: f64, values: &[f64], orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.rows.push((t, values.to_vec(), orbits.first().copied().unwrap_or_default()));
        ControlFlow::Continue(())
    }

    fn draws(&self) -> Option<(Until, Until)> {
        self.range
    }

    fn curve_point(&mut self, t: f64, values: &[f64]) {
        self.curves.push((t, values.to_vec()));
    }

    fn orbit_point(&mut self, t: f64, orbits: &[[f64; 2]]) {
        self.orbits.extend(orbits.first().map(|orbit| (t, *orbit)));
    }
}

fn drawn(name: &str, set: &[(&str, &str)], range: Option<(Until, Until)>) -> (RunReport, Picture) {
    let loaded = loaded(name, set);
    let assembly = assemble(&loaded.model).unwrap();
    let mut picture = Picture { range, ..Picture::default() };
    let report = simulate(&assembly, &loaded.run, &mut picture);
    assert_eq!(report.status, Status::Done);
    (report, picture)
}

/// A model, what shortens it, and a part of it that no step ends at.
type Case = (&'static str, Vec<(&'static str, &'static str)>, (f64, f64));

fn cases() -> Vec<Case> {
    let until = |until| ("run.until", until);
    let measured = |from| ("run.measure_from", from);
    vec![
        ("slider_crank", vec![until("1 rev"), measured("0.5 rev")], (1.234e-3, 9.876e-3)),
        (
            "lubricated_slider_crank",
            vec![until("0.5 rev"), measured("0.1 rev"), ("run.pressure_at", "[]")],
            (1.1e-3, 4.321e-3),
        ),
        ("tilted_four_bar", vec![until("0.2 s"), measured("0.1 s")], (0.0, 0.0777)),
        ("pendulum", vec![until("1 s")], (0.1234, 0.77)),
        ("bricard", vec![until("1 s"), ("run.method", "bdf"), ("run.rtol", "1e-5")], (0.2, 1.0)),
        (
            "slider_crank",
            vec![
                until("0.2 rev"),
                measured("0.1 rev"),
                ("run.method", "rk4"),
                ("run.step", "1 us"),
            ],
            (1.00005e-3, 2.000055e-3),
        ),
    ]
}

#[test]
fn no_column_of_a_picture_is_without_a_point() {
    for (name, mut set, (from, to)) in cases() {
        // Rows must not be what the picture lives on.
        set.push(("run.every", "10 s"));
        let (_, picture) = drawn(name, &set, Some((Until::Time(from), Until::Time(to))));
        let mut times: Vec<f64> = picture.curves.iter().map(|(t, _)| *t).collect();
        times.sort_by(f64::total_cmp);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * to;
        assert!(near(times[0], from) && near(*times.last().unwrap(), to), "{name}: {times:?}");
        let column = (to - from) / 1000.0 * (1.0 + 1e-6);
        let widest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        assert!(widest <= column, "{name}: {widest} s between points, columns of {column} s");
        assert!(picture.orbits.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{name}");
        for (t, _) in &picture.orbits {
            assert!(*t >= from - 1e-12 * to && *t <= to * (1.0 + 1e-12), "{name}: {t}");
        }
    }
}

#[test]
fn drawing_changes_neither_motion_nor_rows() {
    for (name, set, (from, to)) in cases() {
        let range = Some((Until::Time(from), Until::Time(to)));
        let ((plain, rows), (report, picture)) =
            (drawn(name, &set, None), drawn(name, &set, range));
        assert!(rows.curves.is_empty() && rows.orbits.is_empty(), "{name}");
        assert_eq!(rows.rows, picture.rows, "{name}");
        assert_eq!(plain.extremes, report.extremes, "{name}");
        assert_eq!(plain.final_values, report.final_values, "{name}");
        assert_eq!(plain.energy.residual.to_bits(), report.energy.residual.to_bits(), "{name}");
        let loaded = loaded(name, &set);
        let assembly = assemble(&loaded.model).unwrap();
        assert_eq!(simulate(&assembly, &loaded.run, &mut Silent).final_values, report.final_values);
    }
}

#[test]
fn points_lie_on_the_curves_that_rows_are_taken_from() {
    // Rows of a second run, every few microseconds, must lie between points of the picture: outputs
    // within their change from one to the next, orbits within a thousandth of the clearance or so.
    for (name, every, clearance, set) in [
        ("slider_crank", "1 us", 1e-4, &[("run.until", "0.4 rev"), ("run.measure_from", "0")]),
        ("tilted_four_bar", "20 us", 3e-4, &[("run.until", "0.3 s"), ("run.measure_from", "0")]),
    ] {
        let range = Some((Until::Time(0.0), Until::Time(10.0)));
        let (_, picture) = drawn(name, set, range);
        let (_, dense) = drawn(name, &[&set[..], &[("run.every", every)]].concat(), None);
        let mut k = 0;
        let mut worst = 0.0_f64;
        for (t, _, orbit) in &dense.rows {
            while k + 2 < picture.orbits.len() && picture.orbits[k + 1].0 < *t {
                k += 1;
            }
            let (a, b) = (picture.orbits[k].1, picture.orbits[k + 1].1);
            let off = from_line(*orbit, a, b) / clearance;
            worst = worst.max(off);
        }
        assert!(worst < 3e-3, "{name}: {worst} clearances off");
        assert!(picture.orbits.len() < 60_000, "{name}: {}", picture.orbits.len());
    }
}

fn from_line(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (u, v) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let share = (u[0] * v[0] + u[1] * v[1]) / (u[0] * u[0] + u[1] * u[1]);
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    (v[0] - share * u[0]).hypot(v[1] - share * u[1])
}

#[test]
fn a_free_joint_may_say_when_to_draw() {
    let set = [
        ("run.until", "{ pivot = \"3 rad\" }"),
        ("run.plot_range", "[{ pivot = \"1 rad\" }, { pivot = \"2 rad\" }]"),
        ("run.outputs", "[\"rod.angle\"]"),
    ];
    let range = loaded("pendulum", &set).plot_range;
    assert!(matches!(range, Some((Until::JointAngle { .. }, Until::JointAngle { .. }))));
    let (_, picture) = drawn("pendulum", &set, range);
    let mut angles: Vec<f64> = picture.curves.iter().map(|(_, values)| values[0]).collect();
    angles.sort_by(|a, b| b.total_cmp(a));
    // The rod starts along x and falls.
    assert!((angles[0] + 1.0).abs() < 1e-9 && (angles.last().unwrap() + 2.0).abs() < 1e-9);
    assert!(angles.len() > 300 && angles.len() < 3000, "{}", angles.len());
}

/// A fixed step that is far too long throws a journal hundreds of metres out of its bearing; following its
/// orbit by chords of a tenth of the clearance then never ended.
#[test]
fn an_orbit_that_leaves_its_bearing_is_followed_by_so_many_points_at_most() {
    let text = r#"
format = 1
[model]
name = "free journal"
[bodies.journal]
mass = "1 kg"
inertia = "1e-3 kg m^2"
[joints.pin]
type = "revolute"
between = ["ground", "journal"]
clearance = { bearing_radius = "10 mm", radial = "1 mm", contact = { law = "hertz", stiffness = "1e10 N/m^1.5" } }
[start]
journal.velocity = "0, 0.1 m/s"
[run]
until = "15.5 ms"
method = "rk4"
step = "5 ms"
"#;
    let loaded = load_text("journal.toml", text, &Alone, &Overrides::default()).unwrap();
    let assembly = assemble(&loaded.model).unwrap();
    let range = Some((Until::Time(0.0), Until::Time(15.5e-3)));
    let mut picture = Picture { range, ..Picture::default() };
    let report = simulate(&assembly, &loaded.run, &mut picture);
    let most = 257 * (report.solver.statistics.steps as usize + 1);
    assert!(picture.orbits.len() <= most, "{} points", picture.orbits.len());
}
