//! Flexible links from files: every key in SI, sections of shapes by hand, places along the line.

use gudgeon::flexible::{AncfElement, Damping, Elasticity, EndSection, Flexible, Method, Section};
use gudgeon::model::{BodyCoordinates, Model};
use gudgeon_model::diagnostic::{Diagnostic, Severity};
use gudgeon_model::{Loaded, Overrides, Resolver, load_text};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

/// The planar slider-crank of the format.
struct SliderCrank;

impl Resolver for SliderCrank {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        let text = include_str!("../diagnostics/base.toml");
        Ok((name.to_owned(), text.to_owned()))
    }
}

fn load(text: &str, set: &[(&str, &str)]) -> Loaded {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    match load_text("link.toml", text, &SliderCrank, &overrides) {
        Ok(loaded) => loaded,
        Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
    }
}

/// One body with the lines given, held by a joint.
fn body(space: &str, lines: &str) -> Loaded {
    let joint = if space == "spatial" { "spherical" } else { "revolute" };
    let text = format!(
        "format = 1\n[model]\nspace = \"{space}\"\n[bodies.rod]\n{lines}\n\
         [joints.pin]\ntype = \"{joint}\"\nbetween = [\"ground\", \"rod.a\"]\n\
         [run]\nuntil = \"1 s\"\noutputs = [\"rod.position.x\"]\n"
    );
    load(&text, &[])
}

fn link(model: &Model) -> &Flexible {
    model.bodies[1].flexible.as_ref().expect("a flexible body")
}

fn marker<'m>(model: &'m Model, name: &str) -> &'m gudgeon::model::Marker {
    let found = model.markers.iter().find(|marker| marker.name.as_deref() == Some(name));
    found.expect("a frame")
}

fn close(found: f64, expected: f64) {
    // Hand formulas in another order of operations: rounding only.
    assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found:e}, expected {expected:e}");
}

fn near<const N: usize>(found: [f64; N], expected: [f64; N], size: f64) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-12 * size, "{found:e}, expected {expected:e}");
    }
}

/// The file of the format.
const FORMAT: &str = r#"
format = 1
use = "slider_crank.toml"

[bodies.rod]
shape = { box = "15 mm x 15 mm", from = "big_end", to = "small_end", material = "steel" }
flexible = { method = "ancf", elements = 8, damping = "1e-5 s" }
frames.middle = { along = 0.5 }      # fraction of the link: moves with the bent beam

[run]
outputs.add = ["rod.middle.deflection.y", "rod.middle.strain"]
"#;

#[test]
fn three_lines_make_a_rod_flexible() {
    let loaded = load(FORMAT, &[]);
    let rod = loaded.model.bodies.iter().find(|body| body.name == "rod").expect("a rod");
    let link = rod.flexible.as_ref().expect("it bends");
    assert_eq!(link.elements, 8);
    assert_eq!(link.damping, Damping { strain: 1e-5, mass: 0.0 });
    let method = Method::Ancf { element: AncfElement::Beam, elasticity: Elasticity::Line };
    assert_eq!(link.method, method);
    assert_eq!(link.ends, [EndSection::Free; 2]);
    assert_eq!((link.from, link.to), (Vector3::x() * -0.06, Vector3::x() * 0.06));
    assert_eq!((link.axes, link.curvature), (Matrix3::identity(), Vector3::zeros()));
    assert!(link.lumps.is_empty());
    assert_eq!(marker(&loaded.model, "middle").local.p, Vector3::zeros());
    // Mass and inertia of the rigid rod are near those of the section, which count.
    close(rod.mass.expect("a mass"), 7850.0 * 0.015 * 0.015 * 0.12);
    let codes: Vec<&str> = loaded.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, ["G0421", "G0421"]);
    let warned = |warning: &Diagnostic| warning.severity == Severity::Warning;
    assert!(loaded.warnings.iter().all(warned));
}

#[test]
fn keys_of_a_link_are_set_by_their_path() {
    let set = [
        ("bodies.rod.flexible.elements", "16"),
        ("bodies.rod.flexible.damping", "2e-5"),
        ("bodies.rod.flexible.curvature", "0.5"),
        ("bodies.rod.flexible.elasticity", "selective"),
        ("bodies.rod.frames.middle.along", "0.25"),
        ("bodies.rod.section.rotary", "true"),
        ("bodies.rod.section.young", "70 GPa"),
    ];
    let loaded = load(FORMAT, &set);
    let rod = loaded.model.bodies.iter().find(|body| body.name == "rod").expect("a rod");
    let link = rod.flexible.as_ref().expect("it bends");
    assert_eq!((link.elements, link.damping.strain), (16, 2e-5));
    assert_eq!(link.curvature, Vector3::z() * 0.5);
    assert!(matches!(link.method, Method::Ancf { elasticity: Elasticity::Selective, .. }));
    assert_eq!((link.section.young, link.section.poisson), (70e9, 0.3));
    assert_eq!(marker(&loaded.model, "middle").local.p, link.place_at(0.25));
    // `at` takes the place of `along`.
    let loaded = load(FORMAT, &[("bodies.rod.frames.middle.at", "[0, \"1 mm\"]")]);
    assert_eq!(marker(&loaded.model, "middle").local.p, Vector3::y() * 1e-3);
}

#[test]
fn every_key_is_read_in_si() {
    let loaded = body(
        "spatial",
        r#"
frames = { a = "0, 0, 0", b = "0, 2 m, 0", boss = "0.1 m, 0.5 m, 0", m = { along = 0.75 } }
section = { area = "100 mm^2", inertia_y = "500 mm^4", inertia_z = "900 mm^4", torsion = "1200 mm^4", shear_y = 0.85, shear_z = 0.8, fibre_y = "6 mm", fibre_z = "4 mm", mass_per_length = "0.8 kg/m", rotary = true, young = "70 GPa", poisson = 0.33 }

[bodies.rod.flexible]
method = "ancf"
elements = "= 2 * 6"
element = "beam"
elasticity = "line"
damping = { strain = "20 us", mass = "2 1/s" }
section = { from = "rigid" }
from = "b"
to = "a"
across = "0, 5, 2"
curvature = "0.1 1/m, -0.2 1/m"
lumps = [
    { along = 0.3, mass = "200 g", centre = "0, 5 mm, 0", inertia = "1e-4 kg m^2, 2e-4 kg m^2, 2e-4 kg m^2" },
    { at = "m", mass = "10 g" },
    { at = "b", mass = "30 g" },
]
"#,
    );
    let link = link(&loaded.model);
    assert_eq!(link.elements, 12);
    assert_eq!(link.damping, Damping { strain: 2e-5, mass: 2.0 });
    assert_eq!(link.ends, [EndSection::Rigid, EndSection::Free]);
    assert_eq!((link.from, link.to), (Vector3::y() * 2.0, Vector3::zeros()));
    // y of the section is the part of (0, 5, 2) across the line.
    assert_eq!(link.axes, Matrix3::from_columns(&[-Vector3::y(), Vector3::z(), -Vector3::x()]));
    assert_eq!(link.curvature, Vector3::new(0.0, 0.1, -0.2));
    let section = Section {
        area: 1e-4,
        inertia_y: 5e-10,
        inertia_z: 9e-10,
        torsion: 1.2e-9,
        shear_y: 0.85,
        shear_z: 0.8,
        fibre_y: 6e-3,
        fibre_z: 4e-3,
        mass_per_length: 0.8,
        rotary: true,
        young: 70e9,
        poisson: 0.33,
    };
    let values = |s: &Section| [s.area, s.inertia_y, s.inertia_z, s.torsion, s.mass_per_length];
    for (found, expected) in values(&link.section).into_iter().zip(values(&section)) {
        close(found, expected);
    }
    close(link.section.young, section.young);
    let plain = |s: &Section| (s.shear_y, s.shear_z, s.fibre_y, s.fibre_z, s.rotary, s.poisson);
    assert_eq!(plain(&link.section), plain(&section));
    let [first, second, third] = link.lumps[..] else { panic!("three lumps") };
    assert_eq!((first.along, first.mass), (0.3, 0.2));
    assert_eq!(first.centre, Vector3::y() * 5e-3);
    assert_eq!(first.inertia.diagonal(), Vector3::new(1e-4, 2e-4, 2e-4));
    assert_eq!((second.along, second.mass), (0.75, 0.01));
    assert_eq!((third.along, third.mass, third.inertia), (0.0, 0.03, Matrix3::zeros()));
    assert!(third.centre.norm() < 1e-15, "an end of the line");
}

#[test]
fn what_is_left_out_has_its_default() {
    let loaded = body(
        "planar",
        r#"
frames = { a = "0, 0", b = "3 m, 4 m" }
section = { area = "100 mm^2", inertia_z = "900 mm^4", material = "steel" }
flexible = { method = "ancf", elements = 4, from = "a", to = "b", section = "rigid" }
"#,
    );
    let link = link(&loaded.model);
    let section = &link.section;
    close(section.mass_per_length, 0.785);
    assert_eq!((section.young, section.poisson), (207e9, 0.3));
    assert_eq!((section.shear_y, section.shear_z), (5.0 / 6.0, 5.0 / 6.0));
    assert_eq!((section.fibre_y, section.fibre_z, section.rotary), (0.0, 0.0, true));
    assert_eq!((section.inertia_y, section.torsion), (section.inertia_z, 2.0 * section.inertia_z));
    assert_eq!(link.damping, Damping::default());
    assert_eq!(link.ends, [EndSection::Rigid; 2]);
    // y of the section is z × x.
    near([link.axes.m11, link.axes.m21], [0.6, 0.8], 1.0);
    near([link.axes.m12, link.axes.m22], [-0.8, 0.6], 1.0);
    assert_eq!(link.axes.column(2), Vector3::z());
    assert!(loaded.warnings.is_empty());
}

#[test]
fn a_cable_needs_one_second_moment_and_no_shear() {
    let loaded = body(
        "spatial",
        r#"
frames = { a = "0, 0, 0", b = "0, 0, 1 m" }
section = { area = "10 mm^2", inertia_z = "8 mm^4", young = "100 GPa", mass_per_length = "0.1 kg/m", rotary = false }
flexible = { method = "ancf", elements = 4, element = "cable", from = "a", to = "b" }
"#,
    );
    let link = link(&loaded.model);
    assert!(matches!(link.method, Method::Ancf { element: AncfElement::Cable, .. }));
    assert_eq!(link.section.inertia_y, link.section.inertia_z);
    assert!(!link.section.rotary);
    // A line along z: some axes across it, of a rotation.
    near([link.axes.determinant()], [1.0], 1.0);
    assert_eq!(link.axes.column(0), Vector3::z());
}

/// The link of a shape along x in space.
fn shaped(shape: &str, more: &str) -> Loaded {
    let lines = format!(
        "frames = {{ a = \"0, 0, 0\", b = \"2 m, 0, 0\" }}\n\
         shape = {{ {shape}, from = \"a\", to = \"b\" }}\n\
         flexible = {{ method = \"ancf\", elements = 4 }}\n{more}"
    );
    body("spatial", &lines)
}

#[test]
fn a_box_gives_the_section_of_a_rectangle() {
    let loaded = shaped("box = \"30 mm x 10 mm\", material = \"aluminium\", side = \"y\"", "");
    let link = link(&loaded.model);
    let section = &link.section;
    let (b, h): (f64, f64) = (0.03, 0.01);
    close(section.area, b * h);
    // The first side lies along y of the section, the second along z.
    close(section.inertia_z, h * b.powi(3) / 12.0);
    close(section.inertia_y, b * h.powi(3) / 12.0);
    close(section.mass_per_length, 2700.0 * b * h);
    assert_eq!((section.fibre_y, section.fibre_z), (0.015, 0.005));
    assert_eq!((section.young, section.poisson), (69e9, 0.33));
    close(section.shear_y, 10.0 * 1.33 / (12.0 + 11.0 * 0.33));
    // Roark's approximation of a rectangle's torsion constant, good to four digits.
    let (a, c) = (b / 2.0, h / 2.0);
    let torsion =
        a * c.powi(3) * (16.0 / 3.0 - 3.36 * c / a * (1.0 - c.powi(4) / (12.0 * a.powi(4))));
    assert!((section.torsion / torsion - 1.0).abs() < 1e-3, "{:e}", section.torsion);
    // z of the section is the second side.
    assert_eq!(link.axes, Matrix3::from_columns(&[Vector3::x(), -Vector3::z(), Vector3::y()]));
    let rod = &loaded.model.bodies[1];
    let m = 2700.0 * b * h * 2.0;
    let moments = [b * b + h * h, 4.0 + b * b, 4.0 + h * h].map(|sum| m * sum / 12.0);
    near(rod.inertia.expect("an inertia").diagonal().into(), moments, moments[1]);
    near(rod.centre.into(), [1.0, 0.0, 0.0], 1.0);
}

#[test]
fn round_shapes_give_the_section_of_a_tube() {
    let tube = shaped("tube = \"20 mm x 16 mm\", density = \"8000 kg/m^3\"", STIFF);
    let section = &link(&tube.model).section;
    let (outer, inner): (f64, f64) = (0.01, 0.008);
    close(section.area, PI * (outer.powi(2) - inner.powi(2)));
    close(section.inertia_y, PI / 4.0 * (outer.powi(4) - inner.powi(4)));
    close(section.inertia_z, section.inertia_y);
    close(section.torsion, 2.0 * section.inertia_y);
    close(section.mass_per_length, 8000.0 * section.area);
    assert_eq!((section.young, section.poisson, section.fibre_y), (200e9, 0.25, 0.01));
    let solid = shaped("cylinder = \"20 mm\", material = \"steel\"", "");
    let section = &link(&solid.model).section;
    close(section.inertia_y, PI / 64.0 * 0.02_f64.powi(4));
    // Cowper's factor of a full circle.
    close(section.shear_y, 6.0 * 1.3 / (7.0 + 6.0 * 0.3));
    let thin = shaped("rod = \"3 kg\", diameter = \"20 mm\"", STIFF);
    let section = &link(&thin.model).section;
    close(section.area, PI * 1e-4);
    close(section.mass_per_length, 1.5);
}

const STIFF: &str = "section = { young = \"200 GPa\", poisson = 0.25 }";

#[test]
fn keys_of_the_section_win_over_the_shape_one_by_one() {
    let more = "section = { torsion = \"1000 mm^4\", shear_z = 0.7, mass_per_length = \"3 kg/m\" }";
    let loaded = shaped("box = \"30 mm x 10 mm\", material = \"steel\"", more);
    let section = &link(&loaded.model).section;
    close(section.torsion, 1e-9);
    close(section.area, 3e-4);
    assert_eq!((section.shear_z, section.mass_per_length), (0.7, 3.0));
    close(section.shear_y, 10.0 * 1.3 / (12.0 + 11.0 * 0.3));
    close(loaded.model.bodies[1].mass.expect("a mass"), 6.0);
}

#[test]
fn frames_along_an_arc_follow_its_line_and_axes() {
    // A quarter of a circle of radius 1 m about (0, 1 m): the chord is along x + y.
    let loaded = body(
        "planar",
        r#"
frames = { a = "0, 0", b = "1 m, 1 m", m = { along = 0.5 }, turned = { along = 1, turn = "30 deg" } }
shape = { cylinder = "20 mm", from = "a", to = "b", material = "steel" }
flexible = { method = "ancf", elements = 256, curvature = "1 1/m" }
"#,
    );
    let link = link(&loaded.model);
    close(link.length(), PI / 2.0);
    let middle = marker(&loaded.model, "m").local;
    let half = 0.5_f64.sqrt();
    near([middle.p.x, middle.p.y], [half, 1.0 - half], 1.0);
    near([middle.r.m11, middle.r.m21], [half, half], 1.0);
    let end = marker(&loaded.model, "turned").local;
    near([end.p.x, end.p.y], [1.0, 1.0], 1.0);
    near([end.r.m11, end.r.m21], [(PI * 2.0 / 3.0).cos(), (PI * 2.0 / 3.0).sin()], 1.0);
    // Centroid and moment of a circular wire, and of its turning sections; cubics leave 1e-12. Gradients across
    // are linear between nodes φ apart, which takes φ²/6 from the moment of the sections, itself 1.3e-4.
    let rod = &loaded.model.bodies[1];
    let line = 7850.0 * PI * 1e-4;
    let mass = line * PI / 2.0;
    close(rod.mass.expect("a mass"), mass);
    near([rod.centre.x, rod.centre.y], [2.0 / PI, 1.0 - 2.0 / PI], 10.0);
    let about_centre = mass * (1.0 - 8.0 / (PI * PI)) + mass * 1e-4 / 4.0;
    near([rod.inertia.expect("an inertia").m33], [about_centre], 1e3);
}

#[test]
fn lumps_count_in_the_mass_and_sit_abreast_of_their_frame() {
    let loaded = body(
        "planar",
        r#"
frames = { a = "0, 0", b = "1 m, 1 m", off = "2 m, 1 m", side = "0, -1 m" }
section = { area = "100 mm^2", inertia_z = "900 mm^4", mass_per_length = "2 kg/m", young = "70 GPa", poisson = 0.3 }
flexible = { method = "ancf", elements = 256, from = "a", to = "b", curvature = "1 1/m", lumps = [{ at = "off", mass = "1 kg", inertia = "0.1 kg m^2" }, { at = "side", mass = "2 kg", centre = "0, 1 m" }] }
"#,
    );
    let [off, side] = link(&loaded.model).lumps[..] else { panic!("two lumps") };
    // Both lie on radii through the ends, a metre outside: y of the section points inwards.
    near([off.along, off.centre.x, off.centre.y], [1.0, 0.0, -1.0], 1.0);
    near([side.along, side.centre.x, side.centre.y], [0.0, 0.0, 0.0], 1.0);
    let rod = &loaded.model.bodies[1];
    close(rod.mass.expect("a mass"), PI + 3.0);
    let x = (2.0 * 1.0 + 2.0) / (PI + 3.0);
    close(rod.centre.x, x);
}

#[test]
fn coordinates_of_the_model_do_not_touch_a_flexible_body() {
    let text = "format = 1\n[model]\nspace = \"spatial\"\ncoordinates = \"natural\"\n\
        [bodies.rod]\nframes = { a = \"0, 0, 0\", b = \"1 m, 0, 0\" }\n\
        shape = { cylinder = \"20 mm\", from = \"a\", to = \"b\", material = \"steel\" }\n\
        flexible = { method = \"ancf\", elements = 8 }\n\
        [run]\nuntil = \"1 s\"\n";
    let loaded = load(text, &[]);
    assert_eq!(loaded.model.bodies[1].coordinates, BodyCoordinates::Absolute);
}

#[test]
fn rigid_elements_take_section_damping_and_lumps() {
    let file = |more: &str| {
        format!(
            r#"
frames = {{ a = "0, 0, 0", b = "1 m, 0, 0", m = {{ along = 0.5 }} }}
shape = {{ cylinder = "20 mm", from = "a", to = "b", material = "steel" }}
section = {{ rotary = false }}
flexible = {{ method = "rfem", elements = 5, damping = "1 ms", lumps = [{{ at = "b", mass = "2 kg" }}]{more} }}
"#
        )
    };
    let loaded = body("spatial", &file(", section = \"rigid\""));
    let link = link(&loaded.model);
    assert_eq!(link.method, Method::Rfem { shear: false, tension: false });
    assert_eq!((link.elements, link.damping.strain, link.section.rotary), (5, 1e-3, false));
    let line = 7850.0 * PI * 1e-4;
    close(loaded.model.bodies[1].mass.expect("a mass"), line + 2.0);
    close(loaded.model.bodies[1].centre.x, (0.5 * line + 2.0) / (line + 2.0));
    // Four sde: rfe of 1/8, 1/4, 1/4, 1/4, 1/8 of the line, the last with the lump.
    let divided = loaded.model.divided();
    let masses: Vec<f64> = divided.bodies[1..].iter().filter_map(|body| body.mass).collect();
    for (mass, wanted) in masses.iter().zip([0.125, 0.25, 0.25, 0.25, 0.125 + 2.0 / line]) {
        close(*mass, wanted * line);
    }
    // One joint is that of the file.
    assert_eq!((divided.joints.len(), divided.forces.len()), (1 + 4, 4));
    assert_eq!(divided.bodies[marker(&divided, "m").body.0].name, "rod.rfe3");
    let loaded = body("spatial", &file(", shear = true, tension = true"));
    let divided = loaded.model.divided();
    assert_eq!((divided.joints.len(), divided.forces.len()), (1, 4));
}

/// Contacts of some 0.1 ms excite the rod up to 3e4 Hz: one mode beside its interface does not reach that, all do.
#[test]
fn modes_that_do_not_reach_as_far_as_impacts_are_told() {
    use gudgeon::simulate::{Observer, simulate};
    struct Nobody;
    impl Observer for Nobody {}
    let codes = |modes: &str| {
        let set = [
            ("bodies.rod.flexible.method", "floating"),
            ("bodies.rod.flexible.modes", modes),
            ("run.until", "2 ms"),
            ("run.measure_from", "0 s"),
        ];
        let loaded = crate::common::loaded("flexible_slider_crank", &set);
        let assembly = gudgeon::assembly::assemble(&loaded.model).unwrap();
        let report = simulate(&assembly, &loaded.run, &mut Nobody);
        report.warnings.iter().map(|warning| warning.code).collect::<Vec<_>>()
    };
    for (modes, told) in [("1", true), ("1 kHz", true), ("1000", false)] {
        assert_eq!(codes(modes).contains(&"W0333"), told, "{modes}");
    }
}
