//! Plots: exact pictures of small data, and valid ones of odd data.

use gudgeon_output::Column;
use gudgeon_output::plot::{
    AxisSpec, Envelope, Grid, JointOrbit, MapPanel, MapsPlot, Orbit, OrbitPlot, Panel, Peak,
    PlotSpec, Series, maps, orbits, time_series,
};

/// Checks that tags are closed in order, text is escaped, and numbers are finite.
fn assert_valid(svg: &str) {
    let mut open = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("tag ends");
        assert!(!text.contains('>'), "{piece}");
        for entity in text.split('&').skip(1) {
            let (name, _) = entity.split_once(';').expect("entity ends");
            assert!(["amp", "lt", "gt", "quot"].contains(&name), "{name}");
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap());
        }
        assert!(!tag.contains("NaN") && !tag.contains("inf"), "{tag}");
    }
    assert!(open.is_empty() && svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
}

fn panel(name: &str, unit: &str) -> Panel {
    Panel {
        column: Column::new(name, unit, "for <tests> & more"),
        baseline: true,
        ..Panel::default()
    }
}

fn envelope(t1: f64, samples: &[(f64, f64)]) -> Envelope {
    let mut envelope = Envelope::with_buckets(0.0, t1, 1, 8);
    samples.iter().for_each(|(t, v)| envelope.push(*t, &[*v]));
    envelope
}

fn plotted(unit: &str, t1: f64, samples: &[(f64, f64)]) -> String {
    let envelope = envelope(t1, samples);
    let svg = time_series(&PlotSpec {
        title: "a < b",
        subtitle: "",
        panels: &[panel("x", unit)],
        series: Series { label: "with clearance", envelope: &envelope },
        baseline: None,
        measure_from: Some(0.5 * t1),
    });
    assert_valid(&svg);
    svg
}

#[test]
fn time_series_with_baseline_window_and_peak() {
    let mut real = Envelope::with_buckets(0.0, 0.04, 2, 8);
    let mut ideal = Envelope::with_buckets(0.0, 0.04, 2, 8);
    for i in 0..=20 {
        let t = f64::from(i) * 0.002;
        let wave = (f64::from(i) * 0.3).sin();
        real.push(t, &[wave * 3e4 + if i == 13 { 4e4 } else { 0.0 }, 2.5]);
        ideal.push(t, &[wave * 3e4, 2.0]);
    }
    let mut panels = [panel("pin.contact_force", "N"), panel("motor.torque", "N*m")];
    panels[0].label = "peak 40.4 kN at 26 ms".into();
    panels[1].mark = Some(Peak { t: 0.03, value: 2.75 });
    panels[1].label = "peak 2.75 N·m at 30 ms · ideal joint 2 N·m".into();
    let svg = time_series(&PlotSpec {
        title: "slider_crank",
        subtitle: "clearance = 0.1 mm, speed = 5000 rpm",
        panels: &panels,
        series: Series { label: "with clearance", envelope: &real },
        baseline: Some(Series { label: "ideal joint", envelope: &ideal }),
        measure_from: Some(0.02),
    });
    assert_valid(&svg);
    insta::assert_snapshot!(svg);
}

#[test]
fn any_series_gives_a_valid_picture() {
    assert!(plotted("N", 1.0, &[]).contains("no data"));
    plotted("N", 1.0, &[(0.0, 1.0)]);
    plotted("N", 0.0, &[(0.0, 0.0)]);
    plotted("m", 1.0, &[(0.0, 3.0), (1.0, 3.0)]);
    plotted("N", 1e-9, &[(0.0, -f64::MAX), (1e-9, f64::MAX)]);
    plotted("N", 1e9, &[(0.0, 5e-324), (1e9, 1e-310)]);
    plotted("N", 1.0, &[(0.0, f64::NAN), (0.5, f64::INFINITY), (1.0, f64::NAN)]);
    let gap = plotted("1", 1.0, &[(0.0, 1.0), (0.3, f64::NAN), (0.6, 1.5), (1.0, 2.0)]);
    assert!(gap.contains("h0M"), "the lone point is a dot and the rest a line of its own");
}

#[test]
fn a_plot_without_panels_is_valid() {
    let nothing = Envelope::new(0.0, 1.0, 0);
    let series = Series { label: "", envelope: &nothing };
    let svg = time_series(&PlotSpec {
        title: "",
        subtitle: "",
        panels: &[],
        series,
        baseline: Some(series),
        measure_from: Some(f64::NAN),
    });
    assert_valid(&svg);
}

#[test]
fn orbit_within_its_circle() {
    let mut orbit = Orbit::new(1e-4);
    for i in 0..12 {
        let angle = f64::from(i) * 0.5;
        if i == 4 {
            orbit.start_measuring();
        }
        orbit.push(1e-4 * angle.cos(), 0.9e-4 * angle.sin());
    }
    let joint = JointOrbit { joint: "pin", clearance: 1e-4, orbit: &orbit };
    let svg = orbits(&OrbitPlot { title: "journal orbit", subtitle: "", joints: &[joint] });
    assert_valid(&svg);
    insta::assert_snapshot!(svg);
}

#[test]
fn any_orbit_gives_a_valid_picture() {
    assert_valid(&orbits(&OrbitPlot { title: "<none>", subtitle: "<", joints: &[] }));
    let empty = Orbit::new(1e-4);
    let mut odd = Orbit::new(f64::NAN);
    odd.push(f64::NAN, 0.0);
    odd.push(f64::MAX, -f64::MAX);
    let joints: Vec<_> = [0.0, f64::NAN, 1e-4, f64::INFINITY]
        .into_iter()
        .flat_map(|clearance| [&empty, &odd].map(|orbit| (clearance, orbit)))
        .map(|(clearance, orbit)| JointOrbit { joint: "a&b", clearance, orbit })
        .collect();
    for count in 1..=joints.len() {
        assert_valid(&orbits(&OrbitPlot { title: "many", subtitle: "", joints: &joints[..count] }));
    }
}

fn mapped(values: &[f64], heading: &str) -> String {
    let axis = |name: &str, unit: &str| AxisSpec {
        name: name.into(),
        unit: unit.into(),
        ..AxisSpec::default()
    };
    let grid = Grid { xs: vec![0.0, 180.0, 360.0], ys: vec![-0.01, 0.01], values: values.to_vec() };
    let panel = MapPanel {
        heading: heading.into(),
        about: "for <tests>".into(),
        x: axis("angle", "deg"),
        y: axis("place", "m"),
        z: axis("pressure", "Pa"),
        grid,
        empty: false,
        layers: Vec::new(),
    };
    let panels = [panel.clone(), MapPanel { heading: "second".into(), ..panel }];
    let svg = maps(&MapsPlot { title: "a & b", subtitle: "", panels: &panels });
    assert_valid(&svg);
    svg
}

#[test]
fn maps_stand_below_one_another_each_with_its_scale() {
    let svg = mapped(&[0.0, 2e6, 0.0, 0.0, 1e6, 0.0], "pin at <0.1 s>");
    assert_eq!(svg.matches("pressure [MPa]").count(), 2);
    assert!(svg.contains("pin at &lt;0.1 s&gt;") && svg.contains("second"));
    assert!(svg.contains(">90</text>") && svg.contains(">270</text>"), "quarters of a turn");
}

#[test]
fn any_map_is_a_valid_picture() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        mapped(&[value; 6], "");
    }
    mapped(&[], "");
    assert_valid(&maps(&MapsPlot { title: "", subtitle: "none", panels: &[] }));
}
