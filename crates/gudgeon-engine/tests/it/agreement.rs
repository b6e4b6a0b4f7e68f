//! Formulations of flexible links that assume the same agree within half a percent, and with closed forms.
//!
//! Every word of `gudgeon compare --methods` runs on every model of `tests/agreement`, each at its own converged mesh; a
//! new word is a new method here. Links are a hundred times as long as high or more, drivers hold what is not the link,
//! strains stay below 1e-4. Shear and rotary inertia are left out by all or taken by all; the assertion on theory says so.
//!
//! Meshes are refined until nothing changes by more than 0.2 %, 1 % in motion, which leaves a third of that at most.

use std::f64::consts::PI;
use std::path::Path;

use gudgeon_engine::compare::{Axis, CompareJob, CompareOptions, Comparison};
use gudgeon_engine::{Overrides, Source, Unwatched};
use gudgeon_output::record::Status;

const WITHIN: f64 = 0.005;
/// E, ρ and ν of all links.
const YOUNG: f64 = 207e9;
const DENSITY: f64 = 7850.0;
const SHEAR: f64 = YOUNG / 2.6;

/// Whether shear and rotary inertia count.
#[derive(Clone, Copy, PartialEq)]
enum Sections {
    /// Lines of mass that bend and stretch: cables, and others told to.
    Thin,
    /// Beams of Timoshenko, and others told to.
    Whole,
}

/// All methods but `rigid` on a model of `tests/agreement`.
fn compared(name: &str, links: &[&str], sections: Sections, analysis: Option<&str>) -> Comparison {
    let mut words = Axis::Methods.words();
    words.retain(|word| *word != "rigid");
    // In motion axial forces stiffen all of them but this one, which linear theory has.
    words.retain(|word| *word != "erls" || analysis.is_some());
    let stiff = ("run.ked.geometric_stiffness", "rigid");
    let more = if analysis.is_none() { vec![stiff] } else { Vec::new() };
    compared_by(name, (links, sections), (analysis, &words), &more)
}

/// Methods in which no axial force acts across, in motion: those of frames through both ends, along which it stands.
fn linear(name: &str, links: &[&str]) -> Comparison {
    let of = |key: &str| links.iter().map(|l| format!("bodies.{l}.flexible.{key}")).collect();
    let [stiffening, reference]: [Vec<String>; 2] = [of("stiffening"), of("reference")];
    let none = stiffening.iter().map(|key| (key.as_str(), "none"));
    let chord = reference.iter().map(|key| (key.as_str(), "chord"));
    let more: Vec<(&str, &str)> = none.chain(chord).collect();
    compared_by(name, (links, Sections::Thin), (None, &LINEAR), &more)
}

fn compared_by(
    name: &str,
    (links, sections): (&[&str], Sections),
    (analysis, words): (Option<&str>, &[&str]),
    more: &[(&str, &str)],
) -> Comparison {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/agreement/{name}.toml"));
    let mut set: Vec<(String, String)> = Vec::new();
    if let Some(analysis) = analysis {
        set.push(("run.analysis".into(), analysis.into()));
    }
    if sections == Sections::Whole {
        for link in links {
            let of_link = [
                ("section.rotary", "true"),
                ("flexible.shear", "true"),
                ("flexible.element", "beam"),
            ];
            set.extend(
                of_link.map(|(key, value)| (format!("bodies.{link}.{key}"), value.to_owned())),
            );
        }
    }
    set.extend(more.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let share = if analysis.is_some() { 0.002 } else { 0.01 };
    let options = CompareOptions { axis: Axis::Methods, words, converge: Some(share) };
    let overrides = Overrides { set, ..Overrides::default() };
    let job = CompareJob::new(Source::find(&path).unwrap(), overrides, options).unwrap();
    let comparison = job.run(&Unwatched);
    for variant in &comparison.variants {
        // What a model cannot take is refused by name; nothing may fail on the way.
        if let Err(excluded) = &variant.outcome {
            assert_eq!(excluded.status, Status::Invalid, "{name}: {} {excluded:?}", variant.name);
        }
    }
    comparison
}

/// The methods that ran; theory must not differ in what sections do.
fn methods(comparison: &Comparison, least: &[&str]) {
    let ran: Vec<&str> = comparison.done().map(|(name, _)| name).collect();
    assert!(least.iter().all(|name| ran.contains(name)), "{ran:?} without some of {least:?}");
    for difference in &comparison.differences {
        let of_sections = ["shear", "stretch", "rotary inertia", "torsion"];
        assert!(!of_sections.contains(&difference.aspect), "{difference:?}");
    }
    for (name, done) in comparison.done() {
        let stress =
            done.values.iter().find(|v| v.name.ends_with("largest_stress")).map(|v| v.abs_max().0);
        assert!(
            stress.is_none_or(|stress| stress < 1e-4 * YOUNG),
            "{name} is strained: {stress:?}"
        );
    }
}

/// Every value of every method within half a percent of the middle of them all.
fn agree(comparison: &Comparison, outputs: &[&str]) {
    for output in outputs {
        let spread = comparison.spread(output).unwrap_or_else(|| panic!("no {output}"));
        let each: Vec<_> =
            comparison.done().map(|(name, done)| (name, done.largest(output))).collect();
        assert!(spread.relative < WITHIN, "{output}: {:.3} % {each:?}", 100.0 * spread.relative);
    }
}

/// Every method within half a percent of a known value.
fn is_near(comparison: &Comparison, output: &str, exact: f64) {
    for (name, done) in comparison.done() {
        let (found, _) = done.largest(output).unwrap_or((f64::NAN, 0.0));
        let off = (found / exact - 1.0).abs();
        assert!(off < WITHIN, "{output} of {name}: {found:e} beside {exact:e}");
    }
}

fn are_near(comparison: &Comparison, frequencies: &[f64]) {
    let mut exact = frequencies.to_vec();
    exact.sort_by(f64::total_cmp);
    for (i, exact) in exact.iter().enumerate() {
        is_near(comparison, &format!("frequency {}", i + 1), *exact);
    }
}

/// Frequencies of bending of a link of a metre and a height in the plane it bends in: (βL)²/2π √(EI/ρA).
fn bending(height: f64, beta: &[f64]) -> Vec<f64> {
    let wave = (YOUNG / DENSITY / 12.0).sqrt() * height / (2.0 * PI);
    beta.iter().map(|beta| beta * beta * wave).collect()
}

const CLAMPED_FREE: [f64; 5] = [1.875_104, 4.694_091, 7.854_757, 10.995_541, 14.137_168];
const CLAMPED: [f64; 4] = [4.730_041, 7.853_205, 10.995_608, 14.137_165];
const PINNED: [f64; 3] = [PI, 2.0 * PI, 3.0 * PI];
const PLANAR: [&str; 5] = ["cable", "rfem", "erls", "floating", "ked"];
const MOVING: [&str; 4] = ["cable", "rfem", "floating", "ked"];
const LINEAR: [&str; 3] = ["erls", "floating", "ked"];
const SPATIAL: [&str; 4] = ["ancf", "rfem", "erls", "floating"];
const THREE: [&str; 3] = ["frequency 1", "frequency 2", "frequency 3"];

#[test]
fn cantilevers_agree_with_beam_theory() {
    let modes = compared("cantilever", &["beam"], Sections::Thin, Some("modal"));
    methods(&modes, &PLANAR);
    agree(&modes, &THREE);
    are_near(&modes, &bending(8e-3, &CLAMPED_FREE[..3]));
    let rest = compared("cantilever", &["beam"], Sections::Thin, Some("static"));
    methods(&rest, &PLANAR);
    let inertia = 8e-3_f64.powi(4) / 12.0;
    is_near(&rest, "beam.tip.position.y", 0.1 / (3.0 * YOUNG * inertia));
    agree(&rest, &["beam.tip.position.y", "beam.largest_stress"]);
}

#[test]
fn pinned_beams_agree_with_beam_theory() {
    let modes = compared("pinned", &["beam"], Sections::Thin, Some("modal"));
    methods(&modes, &PLANAR);
    agree(&modes, &THREE);
    are_near(&modes, &bending(8e-3, &PINNED));
    let rest = compared("pinned", &["beam"], Sections::Thin, Some("static"));
    let inertia = 8e-3_f64.powi(4) / 12.0;
    is_near(&rest, "beam.middle.position.y", 0.2 / (48.0 * YOUNG * inertia));
}

/// Frequencies of twisting about a line whose sections have J about it: k/4L √(GJ_t/ρJ), k = 1, 3, 5 where one end is
/// free, 2, 4, 6 where both are held.
fn twisting(k: [f64; 3]) -> [f64; 3] {
    let polar = (8e-3 * 6e-3_f64.powi(3) + 6e-3 * 8e-3_f64.powi(3)) / 12.0;
    k.map(|k| k / 4.0 * (SHEAR * 6e-12 / (DENSITY * polar)).sqrt())
}

#[test]
fn links_in_space_bend_and_twist_alike() {
    let modes = compared("cantilever_in_space", &["beam"], Sections::Whole, Some("modal"));
    methods(&modes, &SPATIAL);
    let all = [
        bending(6e-3, &CLAMPED_FREE),
        bending(8e-3, &CLAMPED_FREE[..4]),
        twisting([1.0, 3.0, 5.0]).to_vec(),
    ];
    let mut all = all.concat();
    all.retain(|f| *f < 290.0);
    are_near(&modes, &all);
    let rest = compared("cantilever_in_space", &["beam"], Sections::Whole, Some("static"));
    methods(&rest, &SPATIAL);
    is_near(&rest, "beam.tip.position.y", 0.1 / (3.0 * YOUNG * 6e-3 * 8e-3_f64.powi(3) / 12.0));
}

#[test]
fn pinned_links_in_space_bend_and_twist_alike() {
    let modes = compared("pinned_in_space", &["beam"], Sections::Whole, Some("modal"));
    methods(&modes, &SPATIAL);
    let all = [
        bending(8e-3, &[PI, 2.0 * PI, 3.0 * PI, 4.0 * PI]),
        bending(6e-3, &CLAMPED),
        twisting([2.0, 4.0, 6.0]).to_vec(),
    ];
    let mut all = all.concat();
    all.retain(|f| *f < 290.0);
    are_near(&modes, &all);
}

#[test]
fn manipulators_agree() {
    let links = ["arm", "forearm"];
    let modes = compared("manipulator", &links, Sections::Thin, Some("modal"));
    methods(&modes, &PLANAR);
    agree(&modes, &THREE);
    let rest = compared("manipulator", &links, Sections::Thin, Some("static"));
    methods(&rest, &PLANAR);
    // Castigliano: the moment of the load P along the forearm, s from the tip, is P s cos θ, along the arm, s from the
    // elbow, P (b cos θ + s).
    let (load, a, b, cos) = (0.01, 1.0, 0.8, 0.5);
    let forearm = cos * cos * b * b * b / 3.0;
    let arm = (b * cos) * (b * cos) * a + b * cos * a * a + a * a * a / 3.0;
    let exact = load * (forearm + arm) / (YOUNG * 8e-3_f64.powi(4) / 12.0);
    let straight = 0.8 * (PI / 3.0).sin();
    for (name, done) in rest.done() {
        let (height, _) = done.largest("forearm.tip.position.y").unwrap();
        let found = straight - height;
        assert!((found / exact - 1.0).abs() < WITHIN, "{name}: {found:e} beside {exact:e}");
    }
}

#[test]
fn manipulators_in_space_agree() {
    let links = ["arm", "forearm"];
    let modes = compared("manipulator_in_space", &links, Sections::Whole, Some("modal"));
    methods(&modes, &SPATIAL);
    let names: Vec<String> = (1..=10).map(|i| format!("frequency {i}")).collect();
    agree(&modes, &names.iter().map(String::as_str).collect::<Vec<_>>());
    let rest = compared("manipulator_in_space", &links, Sections::Whole, Some("static"));
    methods(&rest, &SPATIAL);
    agree(&rest, &["forearm.tip.position.z"]);
}

#[test]
fn rods_of_slider_cranks_agree() {
    let modes = compared("slider_crank", &["rod"], Sections::Thin, Some("modal"));
    methods(&modes, &PLANAR);
    agree(&modes, &THREE);
    // A pinned rod of half a metre, 5 mm high.
    are_near(&modes, &bending(4.0 * 5e-3, &PINNED));
    let rest = compared("slider_crank", &["rod"], Sections::Thin, Some("static"));
    methods(&rest, &PLANAR);
    agree(&rest, &["rod.middle.deflection.y"]);
}

/// What vibrates does not change the motion much; `ked` stiffens by the axial force, as the others do. Without that it is
/// off by 1.4 %.
#[test]
fn links_in_motion_agree() {
    let rod = compared("slider_crank_moving", &["rod"], Sections::Thin, None);
    methods(&rod, &MOVING);
    agree(&rod, &["rod.middle.deflection.y", "rod.middle.curvature.z"]);
    let arm = compared("manipulator_moving", &["arm", "forearm"], Sections::Thin, None);
    methods(&arm, &MOVING);
    agree(&arm, &["arm.middle.deflection.y", "forearm.middle.deflection.y"]);
}

/// Without what axial forces do across, 1.4 % of the rod's deflection, links on an equivalent rigid system agree with those
/// that leave it out, too.
#[test]
fn links_in_motion_agree_in_linear_theory() {
    let rod = linear("slider_crank_moving", &["rod"]);
    methods(&rod, &LINEAR);
    agree(&rod, &["rod.middle.deflection.y", "rod.middle.curvature.z"]);
    let arm = linear("manipulator_moving", &["arm", "forearm"]);
    methods(&arm, &LINEAR);
    agree(&arm, &["arm.middle.deflection.y", "forearm.middle.deflection.y"]);
}
