//! Flexible links at rest against elasticas and beams of the literature.

use crate::common::beams::*;
use crate::common::*;
use gudgeon::equilibrium::{StaticReport, Steady, find, trace};
use gudgeon::flexible::{Elasticity, EndSection, Flexible, Section};
use gudgeon::math::spatial::Frame;
use gudgeon::model::*;
use gudgeon::progress::Unwatched;
use gudgeon::run::Limits;
use gudgeon::sensor::resolve;
use gudgeon::time::TimeFunction;
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

/// A link clamped to the ground at its beginning, with a marker at its tip. Its end sections are rigid: the mean
/// rotation of a free one is half that of the line, and a moment on it bends the end element by
/// EI/(2 k G A l) of its curvature more, l the length of an element.
fn cantilever(link: Flexible, space: Space) -> Model {
    let link = Flexible { ends: [EndSection::Rigid; 2], ..link };
    let mut model = Model { space, ..empty("cantilever") };
    let tip = link.to;
    let mut beam = Body::new("beam");
    beam.become_flexible(link, space);
    beam.start = start_at(0.0, 0.0, 0.0);
    model.bodies.push(beam);
    let tip = Frame { p: tip, r: Matrix3::identity() };
    model.markers = vec![
        marker("wall", 0, 0.0, 0.0),
        marker("root", 1, 0.0, 0.0),
        Marker { name: Some("tip".into()), body: BodyId(1), local: tip },
    ];
    model.joints.push(joint("clamp", JointKind::Fixed, 0, 1));
    model
}

fn tip_force(model: &mut Model, components: [f64; 3]) {
    let kind =
        ForceKind::Point { at: MarkerId(2), components: constant(components), axes: Axes::World };
    model.forces.push(force("load", kind));
}

fn rest(name: &str, model: &Model, outputs: &[&str]) -> StaticReport {
    let begin = std::time::Instant::now();
    let sensors: Vec<_> = outputs.iter().map(|name| resolve(model, name).unwrap()).collect();
    let found = find(model, Steady::Still, &sensors, Limits::default(), &Unwatched);
    let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
    println!(
        "{name}: {:?} after {} steps, stable {:?}, {:?}",
        found.outputs,
        found.steps,
        found.stable,
        begin.elapsed()
    );
    assert_eq!(found.stable, Some(true), "{name}");
    found
}

/// Each within a share of what is wanted, or of `whole` where that is more.
fn near(name: &str, found: &[f64], wanted: &[f64], whole: f64, tolerance: f64) {
    for (found, wanted) in found.iter().zip(wanted) {
        let error = (found - wanted).abs() / wanted.abs().max(whole);
        println!("  {name}: {found:.7e} for {wanted:.7e}, off {error:.1e} of {tolerance:.0e}");
        assert!(error < tolerance, "{name}: {found} is not {wanted}: {error:.2e}");
    }
}

const LENGTH: f64 = 1.0;
const YOUNG: f64 = 2.1e11;
const ELEMENTS: usize = 16;

/// Slenderness 200: shear and stretch are some 1e-5 of the deflection.
fn slender() -> [(&'static str, Model); 3] {
    let section = Section::rectangle(0.005, 0.005, YOUNG, 0.3, 7800.0);
    let link = straight(LENGTH, section, ELEMENTS, Elasticity::Line);
    [
        ("planar", cantilever(link.clone(), Space::Planar)),
        ("spatial", cantilever(link.clone(), Space::Spatial)),
        ("cable", cantilever(cable(link), Space::Planar)),
    ]
}

/// The same with a tip whose section is free to change.
fn free_tips() -> Vec<(&'static str, Model)> {
    let mut models: Vec<_> = slender().into_iter().take(2).collect();
    for (name, model) in &mut models {
        *name = if *name == "planar" { "planar, free" } else { "spatial, free" };
        model.bodies[1].flexible.as_mut().unwrap().ends[1] = EndSection::Free;
    }
    models
}

fn bending() -> f64 {
    YOUNG * 0.005f64.powi(4) / 12.0
}

/// Bisshopp and Drucker's elastica: PL²/EI, w/L, u/L.
#[test]
fn a_dead_load_bends_as_the_elastica() {
    for (load, w, u) in [(1.0, 0.3017208, 0.0564332), (3.0, 0.6032534, 0.2544202)] {
        for (name, mut model) in slender() {
            tip_force(&mut model, [0.0, load * bending() / LENGTH.powi(2), 0.0]);
            let name = format!("{name} {load}");
            let found = rest(&name, &model, &["beam.tip.position.x", "beam.tip.position.y"]);
            let found = [found.outputs[1] / LENGTH, 1.0 - found.outputs[0] / LENGTH];
            // Stretch and shear at this slenderness, and 16 cubics.
            near(&name, &found, &[w, u], 0.0, 1e-3);
        }
    }
}

/// M L/EI = π bends to half a circle.
#[test]
fn an_end_moment_bends_to_half_a_circle() {
    for (name, mut model) in slender().into_iter().chain(free_tips()) {
        let torque = TimeFunction::Constant(PI * bending() / LENGTH);
        let kind = ForceKind::Torque { on: MarkerId(2), against: MarkerId(0), torque };
        model.forces.push(force("moment", kind));
        let found = rest(name, &model, &["beam.tip.position.x", "beam.tip.position.y"]);
        near(name, &found.outputs, &[0.0, 2.0 * LENGTH / PI], LENGTH, 1e-3);
    }
}

/// A thick cantilever after Timoshenko and Reissner: u_x, u_y and the turn of the tip.
#[test]
fn a_thick_beam_shears() {
    // Rigid ends have no shear: that of half an element each is missing, twice its share in u_x, which is of second
    // order. Under the large load the outer fibres are strained by 13 %.
    for (load, wanted) in [
        (62500.0, [1.888492e-7, 8.099033e-4, 5.797101e-4]),
        (6.25e7, [0.1509711, 0.7105686, 0.5201732]),
    ] {
        let section = Section::rectangle(0.5, 0.1, 2.07e11, 0.3, 7800.0);
        let link = straight(2.0, section, ELEMENTS, Elasticity::Line);
        let mut model = cantilever(link, Space::Planar);
        tip_force(&mut model, [0.0, -load, 0.0]);
        let name = format!("thick {load:e}");
        let outputs = ["beam.tip.position.x", "beam.tip.position.y", "beam.tip.angle"];
        let found = rest(&name, &model, &outputs).outputs;
        let found = [2.0 - found[0], -found[1], -found[2]];
        near(&name, &found[..1], &wanted[..1], 0.0, 4e-3);
        near(&name, &found[1..], &wanted[1..], 0.0, 3e-3);
    }
}

/// The Princeton beam: forces at an angle from the stiff axis, and |u_y|, u_z of the tip. The first column is a rod
/// of Cosserat, Simo and Reissner with shear, solved by collocation to 1e-8; the second is that of the literature's
/// finite elements, up to 2 % off in u_y, which twist and large bending make.
#[test]
fn the_princeton_beam_bends_both_ways() {
    for (load, angle, exact, wanted) in [
        (8.896, 30.0f64, [1.020825e-2, 7.954772e-2], [1.011170e-2, 7.939483e-2]),
        (8.896, 60.0, [6.74241e-3, 0.1299584], [6.604665e-3, 0.129888]),
        (8.896, 90.0, [0.0, 0.14625296], [0.0, 0.146246]),
        (13.345, 30.0, [1.699074e-2, 0.11818], [1.665873e-2, 0.117736]),
        (13.345, 90.0, [0.0, 0.20068472], [0.0, 0.200678]),
    ] {
        let mut section = Section::rectangle(12.3777e-3, 3.2024e-3, 71.7e9, 0.31, 2700.0);
        section.torsion = 0.198 * (section.inertia_y + section.inertia_z);
        let link = straight(0.508, section, ELEMENTS, Elasticity::Line);
        let mut model = cantilever(link, Space::Spatial);
        let (sin, cos) = angle.to_radians().sin_cos();
        tip_force(&mut model, [0.0, load * cos, load * sin]);
        let name = format!("princeton {load} N {angle}°");
        let found = rest(&name, &model, &["beam.tip.position.y", "beam.tip.position.z"]).outputs;
        let found: Vec<f64> = found.iter().map(|u| u.abs()).collect();
        near(&name, &found, &exact, 1e-3, 3e-3);
        near(&name, &found, &wanted, 1e-3, 3e-2);
    }
}

/// Bathe and Bolourchi's bend of 45° with a force across its plane, in eight elements.
#[test]
fn a_bend_of_45_degrees() {
    for (load, wanted) in [(300.0, [22.33, 58.84, 40.08]), (600.0, [15.79, 47.23, 53.37])] {
        let (radius, half) = (100.0, 0.125 * PI);
        let (sin, cos) = half.sin_cos();
        let mut section = Section::rectangle(1.0, 1.0, 1e7, 0.0, 1.0);
        // The reference twists with I_y + I_z.
        section.torsion = 1.0 / 6.0;
        let mut link = straight(1.0, section, 8, Elasticity::Line);
        let along = Vector3::new(sin, cos, 0.0);
        link.to = along * (2.0 * radius * sin);
        link.axes = Matrix3::from_columns(&[along, Vector3::z().cross(&along), Vector3::z()]);
        link.curvature = Vector3::new(0.0, 0.0, -1.0 / radius);
        let mut model = cantilever(link, Space::Spatial);
        tip_force(&mut model, [0.0, 0.0, load]);
        let name = format!("bend {load}");
        let outputs = ["beam.tip.position.x", "beam.tip.position.y", "beam.tip.position.z"];
        near(&name, &rest(&name, &model, &outputs).outputs, &wanted, 0.0, 1e-2);
    }
}

fn spread(model: &mut Model, components: [f64; 3], axes: Axes) {
    let link = (**model.bodies[1].flexible.as_ref().expect("a flexible link")).clone();
    let stations = link.stations(0.0, 1.0).into_iter();
    let at = stations.map(|(along, length)| {
        let local = Frame { p: link.place_at(along), r: link.axes_at(along) };
        model.markers.push(Marker { name: None, body: BodyId(1), local });
        (MarkerId(model.markers.len() - 1), length)
    });
    let at = at.collect();
    let kind = ForceKind::Distributed { at, components: constant(components), axes };
    model.forces.push(force("load", kind));
}

/// A load along the line bends by pL⁴/8EI, as gravity does.
#[test]
fn a_load_along_the_line_bends() {
    let load = 1e-3 * bending() / LENGTH.powi(3);
    for (name, model) in slender() {
        let mut loaded = model.clone();
        spread(&mut loaded, [0.0, -load, 0.0], Axes::World);
        let outputs = ["beam.tip.position.y", "load.force"];
        let found = rest(name, &loaded, &outputs).outputs;
        // Shear and stretch are some 1e-5 of it; rigid ends miss the shear of an element.
        near(name, &found, &[-load * LENGTH.powi(4) / (8.0 * bending()), load * LENGTH], 0.0, 1e-4);
        let mut heavy = model.clone();
        heavy.gravity.y = -load / (7800.0 * 0.005 * 0.005);
        let by_weight = rest(name, &heavy, &outputs[..1]).outputs;
        // Weight acts by the masses, the load by its stations: equal but for rounding of the search.
        near(name, &found[..1], &by_weight, 0.0, 1e-8);
    }
}

/// A load across every section, against an inextensible rod integrated from its free tip.
#[test]
fn a_pressure_follows_the_sections() {
    let load = 10.0;
    // With EI = L = 1 and σ = L − s in axes of the section, M = dθ/ds and the balance of what lies beyond:
    // dM/dσ = Q, dQ/dσ = p + N M, dN/dσ = −Q M.
    let shoot = |tip: f64| {
        let rate = |y: &[f64; 6]| {
            let [theta, m, q, n, _, _] = *y;
            [-m, q, load + n * m, -q * m, -theta.cos(), -theta.sin()]
        };
        let (steps, mut y) = (4000, [tip, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let h = 1.0 / f64::from(steps);
        for _ in 0..steps {
            let add = |y: &[f64; 6], k: &[f64; 6], by: f64| -> [f64; 6] {
                std::array::from_fn(|i| y[i] + by * k[i])
            };
            let k1 = rate(&y);
            let k2 = rate(&add(&y, &k1, 0.5 * h));
            let k3 = rate(&add(&y, &k2, 0.5 * h));
            let k4 = rate(&add(&y, &k3, h));
            y = std::array::from_fn(|i| {
                y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
            });
        }
        y
    };
    // The loads turn with the rod: one shot gives the angle between tip and root.
    let turned = shoot(0.0)[0];
    let end = shoot(-turned);
    assert!(end[0].abs() < 1e-9);
    let wanted = [-end[4] * LENGTH, -end[5] * LENGTH];
    for (name, mut model) in slender() {
        spread(&mut model, [0.0, load * bending() / LENGTH.powi(3), 0.0], Axes::Body);
        let found = rest(name, &model, &["beam.tip.position.x", "beam.tip.position.y"]);
        near(name, &found.outputs, &wanted, LENGTH, 1e-3);
    }
}

/// A closed circle, P L²/(E I) = 10 (Mattiasson 1981) and slenderness 1000, where stretch is 1e7 times as stiff as
/// bending. The continuum locks at this slenderness (curvature against thickness); it must come to rest.
#[test]
fn slender_links_bend_far() {
    let outputs = ["beam.tip.position.x", "beam.tip.position.y"];
    for slenderness in [200.0, 1000.0] {
        let side = LENGTH / slenderness;
        let section = Section::rectangle(side, side, YOUNG, 0.0, 7800.0);
        let bending = YOUNG * side.powi(4) / 12.0;
        let link = |elasticity| straight(LENGTH, section, ELEMENTS, elasticity);
        for (name, space, link) in [
            ("line", Space::Planar, link(Elasticity::Line)),
            ("continuum", Space::Planar, link(Elasticity::Continuum)),
            ("cable", Space::Planar, cable(link(Elasticity::Line))),
            ("cable in space", Space::Spatial, cable(link(Elasticity::Line))),
        ] {
            let exact = name != "continuum";
            let name = format!("{name}, slenderness {slenderness}");
            let mut model = cantilever(link, space);
            let mut loaded = model.clone();
            tip_force(&mut loaded, [0.0, 10.0 * bending / LENGTH.powi(2), 0.0]);
            let found = rest(&name, &loaded, &outputs).outputs;
            if exact {
                near(&name, &found, &[1.0 - 0.55500, 0.81061], LENGTH, 1e-3);
            }
            // A cable in space bears no moment.
            if space == Space::Planar {
                let torque = TimeFunction::Constant(2.0 * PI * bending / LENGTH);
                let kind = ForceKind::Torque { on: MarkerId(2), against: MarkerId(0), torque };
                model.forces.push(force("moment", kind));
                let found = rest(&name, &model, &outputs).outputs;
                if exact {
                    near(&name, &found, &[0.0, 0.0], LENGTH, 2e-3);
                }
            }
        }
    }
}

/// A dead force and a moment on the tip, one after the other: the end does not know which came first.
#[test]
fn the_order_of_loads_does_not_matter() {
    for (name, model) in slender().into_iter().take(2).chain(free_tips()) {
        let end = |order: [usize; 2]| {
            // Shares of both loads along the path: the first of the order up to 1, the second from there on,
            // without a corner.
            let smooth = |x: f64| x * x * (3.0 - 2.0 * x);
            let family = |path: f64| {
                let mut share = [0.0; 2];
                share[order[0]] = smooth(path.clamp(0.0, 1.0));
                share[order[1]] = smooth((path - 1.0).clamp(0.0, 1.0));
                let mut model = model.clone();
                tip_force(&mut model, [0.0, 2.0 * share[0] * bending() / LENGTH.powi(2), 0.0]);
                let torque = TimeFunction::Constant(-1.5 * share[1] * bending() / LENGTH);
                let kind = ForceKind::Torque { on: MarkerId(2), against: MarkerId(0), torque };
                model.forces.push(force("moment", kind));
                Ok(model)
            };
            let outputs = ["beam.tip.position.x", "beam.tip.position.y"];
            let sensors = outputs.map(|name| resolve(&model, name).unwrap());
            let values = [0.0, 1.0, 2.0];
            let path =
                trace(&family, &values, Steady::Still, &sensors, Limits::default(), &Unwatched);
            let path = path.unwrap();
            assert_eq!(path.ended, None, "{name}");
            let (point, last) = path.points.last().unwrap();
            assert_eq!(point.value, 2.0);
            last.clone()
        };
        let (one, other) = (end([0, 1]), end([1, 0]));
        println!("{name}: {one:?} {other:?}");
        near(name, &one, &other, LENGTH, 1e-9);
        // Neither was small.
        assert!(one[0] < 0.99 * LENGTH, "{name}: {one:?}");
    }
}

const SPAN: f64 = 1.0;
const RISE: f64 = 0.02;

/// A shallow clamped arch with a load P on its middle.
fn arch(link: &Flexible, load: f64) -> Model {
    let mut model = cantilever(link.clone(), Space::Planar);
    let end = model.markers[2].local.p;
    let end_axes = link.axes_at(1.0);
    model.markers[2].local.r = end_axes;
    model.markers.push(Marker {
        name: Some("seat".into()),
        body: BodyId(0),
        local: Frame { p: end, r: end_axes },
    });
    model.markers[0].local.r = link.axes_at(0.0);
    model.markers[1].local.r = link.axes_at(0.0);
    model.joints.push(joint("far clamp", JointKind::Fixed, 3, 2));
    let p = link.place_at(0.5);
    let middle = Frame { p, r: Matrix3::identity() };
    model.markers.push(Marker { name: Some("middle".into()), body: BodyId(1), local: middle });
    let kind = ForceKind::Point {
        at: MarkerId(4),
        components: constant([0.0, -load, 0.0]),
        axes: Axes::World,
    };
    model.forces.push(force("load", kind));
    model
}

/// P of a shallow arch y₀ = h (1 − x²/a²) with the thrust H = μ² E I: between load and clamp
/// E I w⁗ + H w″ = −H κ₀, w′(0) = w′(a) = w(a) = 0, E I w‴(0) = P/2, and the length between the clamps stays,
/// −H a/(E A) = ∫ (½ w′² + κ₀ x w′) dx, which is a square in P.
fn shallow_arch(mu: f64, bending: f64, stretch: f64) -> [f64; 2] {
    let (a, curvature) = (0.5 * SPAN, 8.0 * RISE / (SPAN * SPAN));
    let slope = |load: f64, x: f64| {
        let c = -load / (2.0 * bending * mu * mu);
        let b = (c * (mu * a).cos() - c - curvature * a) / (mu * a).sin();
        -b * (mu * x).sin() + c * (mu * x).cos() - c - curvature * x
    };
    let gap = |load: f64| {
        let n = 400;
        let at = |k: usize| {
            let x = a * k as f64 / n as f64;
            let weight = if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
            let w = slope(load, x);
            weight * (0.5 * w * w + curvature * x * w)
        };
        let sum: f64 = (0..=n).map(at).sum();
        sum * a / (3.0 * n as f64) + mu * mu * bending * a / stretch
    };
    let (zero, plus, minus) = (gap(0.0), gap(1.0), gap(-1.0));
    let (square, line) = (0.5 * (plus + minus) - zero, 0.5 * (plus - minus));
    let root = (line * line - 4.0 * square * zero).sqrt();
    [(-line - root) / (2.0 * square), (-line + root) / (2.0 * square)]
}

/// Arc length passes the load at which an arch of one flexible link snaps through and the one at which it would
/// snap back.
#[test]
fn a_flexible_arch_snaps_through() {
    let section = Section::rectangle(0.006, 0.02, YOUNG, 0.3, 7800.0);
    let (bending, stretch) = (YOUNG * section.inertia_z, YOUNG * section.area);
    // Both lie where the thrust is above that of μ a = π; beyond a largest one there is no equilibrium.
    let thrusts = (1..1000).map(|k| PI * (1.0 + k as f64 / 1000.0) / (0.5 * SPAN));
    let loads =
        thrusts.map(|mu| shallow_arch(mu, bending, stretch)).take_while(|p| p[0].is_finite());
    let limits = loads.fold([f64::NEG_INFINITY, f64::INFINITY], |found, [low, high]| {
        [found[0].max(high), found[1].min(low)]
    });
    let radius = (0.25 * SPAN * SPAN + RISE * RISE) / (2.0 * RISE);
    let mut link = straight(SPAN, section, ELEMENTS, Elasticity::Line);
    link.curvature = Vector3::new(0.0, 0.0, -1.0 / radius);
    for (name, link) in [("beam", link.clone()), ("cable", cable(link))] {
        let family = |load: f64| Ok(arch(&link, load));
        let sensors = [resolve(&arch(&link, 0.0), "beam.middle.position.y").unwrap()];
        let (values, begin) = ([0.0, 500.0], std::time::Instant::now());
        let path = trace(&family, &values, Steady::Still, &sensors, Limits::default(), &Unwatched);
        let path = path.unwrap();
        println!("{name}: {} steps, {:?}", path.steps, begin.elapsed());
        assert_eq!(path.ended, None, "{name}");
        let turns = path.points.iter().filter(|point| point.0.limit);
        let turns: Vec<f64> = turns.map(|point| point.0.value).collect();
        assert_eq!(turns.len(), 2, "{name}: {turns:?}");
        // The theory of shallow arches neglects y′², here 0.0064, beside one.
        near(name, &turns, &limits, 0.0, 1e-2);
        // Stable, not stable, and stable again on the other side.
        let known = path.points.iter().filter_map(|(point, _)| point.stable);
        let mut known: Vec<bool> = known.collect();
        known.dedup();
        assert_eq!(known, [true, false, true], "{name}");
        assert!(path.points.last().unwrap().1[0] < -0.5 * RISE);
    }
}
