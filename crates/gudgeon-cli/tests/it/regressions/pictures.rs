//! Pictures that misled.
//!
//! `plot.svg` drew the whole run, scaled by its start-up, and its numbers came from rows: 1.234 kN
//! with ideal joints beside 1266 N in the table. `orbit.svg` was thinned to an even selection of the
//! rows of the whole run, so that chords crossed the clearance circle. Ideal joints had curves of a
//! film thickness, and rounding was drawn as a curve. Now both pictures show the measuring window, or
//! what `--plot-range` names, from the ends of all steps, and the numbers are those of the table.

use crate::common::Scratch;

const REAL: &str = "#1c5d99";
const IDEAL: &str = "#e08a00";

type Line = Vec<(f64, f64)>;

/// Runs a model and gives one of its pictures, with the text of the run.
#[track_caller]
fn drawn(scratch: &Scratch, picture: &str, flags: &[&str]) -> (String, String) {
    let run = ["run", "model.toml", "--out", "out"];
    let text = scratch.gudgeon(&[&run[..], flags].concat()).exits(0).stdout();
    (String::from_utf8(scratch.read(&format!("out/{picture}"))).unwrap(), text)
}

fn shipped(name: &str) -> Scratch {
    let scratch = Scratch::new();
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    scratch.write("model.toml", std::fs::read(format!("{models}/{name}/model.toml")).unwrap());
    scratch
}

/// The curves of a colour, one list of lines per path; samples in the legend, 22 wide, are left out.
fn paths(svg: &str, colour: &str) -> Vec<Vec<Line>> {
    let wanted = format!("stroke=\"{colour}\"");
    let tags = svg.split("<path d=\"").skip(1).filter(|tag| {
        let end = tag.find('>').unwrap();
        tag[..end].contains(&wanted)
    });
    let point = |text: &str| {
        let (x, y) = text.split_once(' ').unwrap();
        (x.parse().unwrap(), y.trim_end_matches("h0").parse().unwrap())
    };
    let line = |text: &str| text.split('L').map(point).collect();
    let curves = tags.map(|tag| tag[1..tag.find('"').unwrap()].split('M').map(line).collect());
    let sample = |curve: &Vec<Line>| matches!(&curve[..], [line] if matches!(line[..], [a, b] if a.1 == b.1 && b.0 - a.0 == 22.0));
    curves.filter(|curve| !sample(curve)).collect()
}

/// Centre and radius of the circles with a radius as told.
fn circles(svg: &str, wanted: impl Fn(f64) -> bool) -> Vec<(f64, f64, f64)> {
    let circle = |tag: &str| {
        let mut numbers =
            tag.split('"').skip(1).step_by(2).map(|n| n.parse::<f64>().unwrap_or(0.0));
        (numbers.next().unwrap(), numbers.next().unwrap(), numbers.next().unwrap())
    };
    svg.split("<circle ").skip(1).map(circle).filter(|c| wanted(c.2)).collect()
}

/// Rows of the table of extremes: output, abs max, at, ideal joints.
fn table(text: &str) -> Vec<[String; 4]> {
    let rows = text.lines().skip_while(|line| !line.contains("abs max")).skip(1);
    rows.take_while(|line| !line.trim().is_empty())
        .map(|line| {
            let mut cells = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
            std::array::from_fn(|_| cells.next().unwrap_or_default().to_owned())
        })
        .collect()
}

fn distance(p: (f64, f64), line: &Line) -> f64 {
    let to = |a: (f64, f64), b: (f64, f64)| {
        let (u, v) = ((b.0 - a.0, b.1 - a.1), (p.0 - a.0, p.1 - a.1));
        let share = (u.0 * v.0 + u.1 * v.1) / (u.0 * u.0 + u.1 * u.1);
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        (v.0 - share * u.0).hypot(v.1 - share * u.1)
    };
    line.windows(2).map(|pair| to(pair[0], pair[1])).fold(f64::INFINITY, f64::min)
}

#[test]
fn peaks_of_the_window_are_drawn_with_the_digits_of_the_table() {
    for (name, flags) in [
        ("slider_crank", ["--until", "2 rev", "--measure-from", "1 rev"]),
        ("bai_slider_crank", ["--until", "0.5 rev", "--measure-from", "0.3 rev"]),
        ("iftomm_slider_crank", ["--until", "0.5 s", "--measure-from", "0.2 s"]),
    ] {
        let scratch = shipped(name);
        let (svg, text) = drawn(&scratch, "plot.svg", &flags);
        let (curves, marks) = (paths(&svg, REAL), circles(&svg, |r| r == 3.2));
        let rows = table(&text);
        assert_eq!((curves.len(), marks.len()), (rows.len(), rows.len()), "{name}");
        for ((row, curve), mark) in rows.iter().zip(&curves).zip(&marks) {
            let [output, value, at, ideal] = row;
            let told = match text.contains("ideal joints") {
                true => format!("{value} at {at} · ideal joints {ideal}<"),
                false => format!("{value} at {at}<"),
            };
            assert!(svg.contains(&told), "{name}: {output} without `{told}`");
            // The mark lies on the curve, and nothing that is drawn goes further from zero.
            let points = || curve.iter().flatten();
            let near = points().map(|p| (p.0 - mark.0).abs().max((p.1 - mark.1).abs()));
            assert!(near.fold(f64::INFINITY, f64::min) <= 0.11, "{name}: {output} misses its peak");
            let (top, bottom) =
                points().fold((f64::MAX, f64::MIN), |r, p| (r.0.min(p.1), r.1.max(p.1)));
            assert!(mark.1 <= top + 0.11 || mark.1 >= bottom - 0.11, "{name}: {output}, {mark:?}");
        }
    }
}

#[test]
fn ideal_joints_have_curves_only_of_what_they_have() {
    let scratch = shipped("lubricated_slider_crank");
    let short = ["--until", "1 rev", "--measure-from", "0.5 rev", "--set", "run.pressure_at=[]"];
    let (svg, text) = drawn(&scratch, "plot.svg", &short);
    // Acceleration, film force (the reaction of the ideal joint) and torque.
    assert_eq!(paths(&svg, IDEAL).len(), 3);
    assert_eq!(paths(&svg, REAL).len(), 6);
    let rows = table(&text);
    let ideal = |output: &str| rows.iter().find(|row| row[0] == output).unwrap()[3].clone();
    assert_eq!(ideal("pin.film_thickness"), "–");
    assert_eq!(ideal("pin.eccentricity_ratio"), "–");
    assert!(ideal("pin.film_force").ends_with(" N"));
}

#[test]
fn rounding_is_drawn_as_zero() {
    let scratch = Scratch::with_model();
    let outputs = "run.outputs=[\"slider.velocity.y\", \"slider.acceleration.x\"]";
    let (svg, text) = drawn(
        &scratch,
        "plot.svg",
        &["--until", "2 rev", "--measure-from", "1 rev", "--set", outputs],
    );
    let curves = paths(&svg, REAL);
    let flat = |curve: &Vec<Line>| curve.iter().flatten().all(|p| p.1 == curve[0][0].1);
    assert!(flat(&curves[0]) && !flat(&curves[1]), "{text}");
    assert!(svg.contains(">zero, rounding up to "), "{text}");
}

#[test]
fn what_creeps_is_not_taken_for_rounding() {
    let scratch = shipped("squeeze_film");
    let (svg, text) =
        drawn(&scratch, "plot.svg", &["--until", "1000 s", "--measure-from", "900 s"]);
    let row = table(&text).into_iter().find(|row| row[0] == "shaft.velocity.y").unwrap();
    assert!(svg.contains(&format!("peak −{} at {}", row[1], row[2])), "{row:?}");
    assert!(!svg.contains("rounding"));
}

#[test]
fn orbits_of_long_runs_are_followed_within_half_a_pixel() {
    let scratch = Scratch::with_model();
    let window = ["--until", "20 rev", "--measure-from", "19 rev", "--no-baseline"];
    let (svg, _) = drawn(&scratch, "orbit.svg", &window);
    assert!(svg.len() < 400_000, "{}", svg.len());
    let (cx, cy, radius) = circles(&svg, |r| r > 50.0)[0];
    let lines: Vec<Line> = paths(&svg, REAL).concat();
    // The same motion by rows every two microseconds.
    let outputs = "run.outputs=[\"pin.eccentricity.x\", \"pin.eccentricity.y\"]";
    let more = ["--every", "2 us", "--set", outputs];
    drawn(&scratch, "plot.svg", &[&window[..], &more].concat());
    let rows = String::from_utf8(scratch.read("out/series.csv")).unwrap();
    let mut seen = 0;
    for row in rows.lines().skip(1) {
        let row: Vec<f64> = row.split(',').map(|cell| cell.parse().unwrap()).collect();
        if row[0] < 19.0 * 0.03 {
            continue;
        }
        seen += 1;
        let place = (cx + radius * row[1] / 1e-4, cy - radius * row[2] / 1e-4);
        let off = lines.iter().map(|line| distance(place, line)).fold(f64::INFINITY, f64::min);
        assert!(off < 0.5, "{} px off at {} s", off, row[0]);
    }
    assert!(seen > 14_000, "{seen}");
}

#[test]
fn a_range_of_the_user_s_choice_is_drawn_and_changes_nothing_else() {
    let scratch = Scratch::with_model();
    let read = |name: &str| scratch.read(&format!("out/{name}"));
    let run = |more: &[&str]| {
        let short = ["--until", "1 rev", "--measure-from", "0.5 rev"];
        drawn(&scratch, "plot.svg", &[&short[..], more].concat())
    };
    let (window, text) = run(&[]);
    let rows = read("series.csv");
    assert!(window.contains(">measuring window, 15 ms … 30 ms of 0 … 30 ms<"));
    let extremes = |text: &str| table(text);
    for (range, subtitle) in [
        ("0 .. 5 ms", Some(">0 … 5 ms of 0 … 30 ms<")),
        ("0.25 rev .. 16 ms", Some(">7.5 ms … 16 ms of 0 … 30 ms<")),
        ("main_bearing=0.1 rev .. main_bearing=0.2 rev", Some(">3 ms … 6 ms of 0 … 30 ms<")),
        ("all", None),
    ] {
        let (svg, other) = run(&["--plot-range", range]);
        assert_ne!(svg, window, "{range}");
        assert!(subtitle.is_none_or(|subtitle| svg.contains(subtitle)), "{range}");
        assert_eq!(rows, read("series.csv"), "{range}");
        assert_eq!(extremes(&text), extremes(&other), "{range}");
    }
    // The key of the file says the same as the option.
    let (by_option, _) = run(&["--plot-range", "2 ms .. 3 ms"]);
    let (by_key, _) = run(&["--set", "run.plot_range=[\"2 ms\", \"3 ms\"]"]);
    assert_eq!(by_option, by_key);
}

#[test]
fn ranges_outside_the_run_are_refused() {
    let scratch = Scratch::with_model();
    for (range, message) in [
        ("0 .. 4 rev", "`plot_range` ends after the run"),
        ("2 rev .. 1 rev", "`plot_range` must end after its start"),
        ("1 rev .. 1 rev", "`plot_range` must end after its start"),
        ("2 rev", "`plot_range` takes a start and an end"),
        ("-1 ms .. 2 ms", "`plot_range` cannot be negative"),
        ("1 m .. 2 m", "`plot_range` must be a time or an angle"),
    ] {
        let refused = scratch.gudgeon(&["run", "model.toml", "--plot-range", range]).exits(2);
        assert!(refused.stderr().contains(message), "{range}: {}", refused.stderr());
    }
}
