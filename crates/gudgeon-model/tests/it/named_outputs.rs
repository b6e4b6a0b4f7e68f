//! Outputs by formula and by pattern.

use std::f64::consts::{PI, TAU};

use gudgeon::assembly::assemble;
use gudgeon::results::{Extreme, RunReport, Status};
use gudgeon::sensor::catalogue;
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Loaded, Overrides, Resolver, load_text};

struct Alone;

impl Resolver for Alone {
    fn read(&self, _from: &str, _name: &str) -> Result<(String, String), Box<Diagnostic>> {
        unreachable!("no other file")
    }
}

fn loaded(text: &str, overrides: &Overrides) -> Loaded {
    load_text("test.toml", text, &Alone, overrides)
        .unwrap_or_else(|e| panic!("{}", e.diagnostics.render(&e.sources, false)))
}

fn run(loaded: &Loaded) -> RunReport {
    let report = simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent);
    assert_eq!(report.status, Status::Done);
    report
}

/// A crank of 100 mm, centre at 50 mm, that turns once a second; some outputs over two turns.
fn crank(outputs: &str, list: &str) -> String {
    format!(
        "format = 1\n[parameters]\nload = \"2 kg\"\n\
         [bodies.crank]\nmass = \"=load\"\ninertia = \"0.01 kg m^2\"\ncentre = \"50 mm, 0\"\n\
         frames.tip = \"100 mm, 0\"\n\
         [joints]\nmain = {{ type = \"revolute\", between = [\"ground\", \"crank\"] }}\n\
         [drivers.motor]\njoint = \"main\"\nspeed = \"60 rpm\"\n\
         [forces]\nbrake = {{ type = \"torque\", on = \"crank\", torque = \"= -0.1 N m * sin(crank.angle)\" }}\n\
         [outputs]\n{outputs}\n[run]\nuntil = \"2 s\"\noutputs = {list}\n"
    )
}

fn extremes(outputs: &str, list: &str) -> Vec<Extreme> {
    run(&loaded(&crank(outputs, list), &Overrides::default())).extremes
}

fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

/// m a of the centre has the size m r ω², and the bearing bears just that: accelerations and reactions are
/// computed where nothing but a formula asks for them.
#[test]
fn formulas_read_accelerations_and_reactions() {
    let inertia = "inertia_force = \"= load * crank.centre.acceleration\"";
    close(extremes(inertia, "[\"inertia_force\"]")[0].abs_max().0, 0.1 * TAU * TAU, 1e-12);
    let rest = "rest = \"= main.reaction.x - load * crank.centre.acceleration.x\"";
    assert!(extremes(rest, "[\"rest\"]")[0].abs_max().0 < 1e-12);
}

/// All power of the motor goes into the brake. At the start both are zero: nothing divided by nothing is
/// missing there, and only there.
#[test]
fn nothing_over_nothing_is_missing() {
    let found = extremes("efficiency = \"= -brake.power / motor.power\"", "[\"efficiency\"]");
    close(found[0].min, 1.0, 1e-9);
    close(found[0].max, 1.0, 1e-9);
    close(found[0].mean, 1.0, 1e-9);
    assert!(found[0].t_min > 0.0);
    let never = "never = \"= 1 N / (crank.angle - crank.angle)\"";
    let found = extremes(never, "[\"never\"]");
    for value in [found[0].min, found[0].max, found[0].mean, found[0].rms, found[0].abs_max().0] {
        assert!(value.is_nan(), "{value}");
    }
}

/// √sin is defined in every other half turn. Its mean over that time is B(3/4, 1/2)/π = 0.7627597635…, and
/// its mean square 2/π.
#[test]
fn means_are_taken_over_the_time_with_a_value() {
    let root = "root = \"= sqrt(crank.tip.position.y / 100 mm)\"";
    let found = &extremes(root, "[\"root\"]")[0];
    close(found.max, 1.0, 1e-9);
    close(found.mean, 0.762_759_763_501_81, found.mean_error);
    close(found.mean, 0.762_759_763_501_81, 1e-4);
    close(found.rms, (2.0 / PI).sqrt(), found.rms_error.min(1e-4));
    assert!(found.mean_error < 1e-2, "{}", found.mean_error);
}

/// Corners of magnitudes, extremes and conditions: each is the same function of the angle.
#[test]
fn extremes_and_means_hold_with_corners() {
    let outputs = "a = \"= abs(crank.tip.velocity.x)\"\n\
                   b = \"= max(crank.tip.position.y, 0)\"\n\
                   c = \"= if(crank.tip.position.y > 0, crank.tip.position.y, 0)\"\n\
                   d = \"= mod(crank.angle, 0.3 rad)\"\n";
    let found = extremes(outputs, "[\"a\", \"b\", \"c\", \"d\"]");
    close(found[0].max, 0.1 * TAU, 1e-9);
    close(found[0].mean, 0.2 * TAU / PI, found[0].mean_error);
    for one in &found[1..3] {
        close(one.max, 0.1, 1e-9);
        assert_eq!(one.min, 0.0);
        close(one.mean, 0.1 / PI, one.mean_error);
        close(one.rms, 0.05, one.rms_error);
    }
    assert!(found[3].max > 0.29 && found[3].max <= 0.3, "{}", found[3].max);
}

/// Outputs read each other in any order; what is missing is passed on unless a condition chooses.
#[test]
fn outputs_read_each_other_in_any_order() {
    let outputs = "quarter = \"= half / 2\"\nhalf = \"= whole / 2\"\nwhole = \"= crank.tip.position.x + 0 * t * 1 m/s\"\n\
                   root = \"= sqrt(crank.tip.position.y / 100 mm)\"\n\
                   more = \"= root + 1\"\n\
                   filled = \"= if(crank.tip.position.y < 0, -1, more)\"\n";
    let found = extremes(outputs, "[\"quarter\", \"more\", \"filled\"]");
    close(found[0].max, 0.025, 1e-9);
    close(found[1].min, 1.0, 1e-3);
    assert_eq!(found[2].min, -1.0);
    close(found[2].max, 2.0, 1e-9);
    // Half the time −1, half of it 1 + √sin.
    close(found[2].mean, 0.5 * (0.762_759_763_501_81 + 1.0) - 0.5, found[2].mean_error);
}

/// The unit of a formula is found, the radian dropped where a quantity has a name without it.
#[test]
fn units_are_found() {
    let outputs = "power = \"= motor.torque * crank.angular_velocity\"\n\
                   ratio = \"= brake.power / motor.power\"\n\
                   slope = \"= motor.torque / crank.angle\"\n\
                   odd = \"= crank.tip.velocity.x * load\"\n\
                   strange = \"= load^2 * crank.angle\"\n\
                   work = { value = \"= motor.torque * 1 rad\", unit = \"J\", about = \"of a radian\" }\n";
    let loaded = loaded(&crank(outputs, "[]"), &Overrides::default());
    let all = catalogue(&loaded.model);
    let units: Vec<(&str, &str)> =
        all[all.len() - 6..].iter().map(|one| (&one.name[..], &*one.unit)).collect();
    assert_eq!(
        units,
        [
            ("power", "W"),
            ("ratio", ""),
            ("slope", "N m/rad"),
            ("odd", "N s"),
            ("strange", "kg^2 rad"),
            ("work", "J")
        ]
    );
    assert_eq!(all[all.len() - 1].about, "of a radian");
    assert_eq!(all[all.len() - 2].about, "= load^2 * crank.angle");
}

/// Patterns stand for outputs in the order of the catalogue, each output comes once.
#[test]
fn patterns_stand_for_outputs() {
    let list = "[\"motor.power\", \"*.power\", \"crank.tip.position*\", \"effi*\"]";
    let outputs = "efficiency = \"= -brake.power / motor.power\"";
    let loaded = loaded(&crank(outputs, list), &Overrides::default());
    let names: Vec<&str> = loaded.run.outputs.iter().map(|one| &one.name[..]).collect();
    let tip = ["crank.tip.position", "crank.tip.position.x", "crank.tip.position.y"];
    assert_eq!(names[..2], ["motor.power", "brake.power"]);
    assert_eq!(names[2..5], tip);
    assert_eq!(names[5..], ["efficiency"]);
}

/// A formula of a contact force is one of the reaction where the joint is made ideal, and what formulas
/// ask for changes nothing of the motion.
#[test]
fn formulas_outlive_their_clearance() {
    let text = |list: &str| {
        format!(
            "format = 1\n[model]\ngravity = \"9.81 m/s^2 along -y\"\n\
             [bodies.rod]\nmass = \"1 kg\"\ninertia = \"0.01 kg m^2\"\nframes.top = \"0, 100 mm\"\n\
             [joints.pin]\ntype = \"revolute\"\nbetween = [\"ground\", \"rod.top\"]\n\
             clearance = {{ radial = \"0.1 mm\", bearing_radius = \"10 mm\", contact = {{ law = \"lankarani-nikravesh\", stiffness = \"1e8 N/m^1.5\", restitution = 0.9 }} }}\n\
             [outputs]\nshare = \"= pin.contact_force / 9.81 N\"\n\
             [start]\nrod.y = \"-100 mm\"\nrod.angle = \"20 deg\"\n\
             [run]\nuntil = \"50 ms\"\noutputs = {list}\n"
        )
    };
    let list = "[\"share\", \"pin.contact_force\", \"rod.angle\"]";
    let ideal = Overrides { ideal: vec!["pin".into()], ..Overrides::default() };
    for overrides in [Overrides::default(), ideal] {
        let found = run(&loaded(&text(list), &overrides)).extremes;
        let expected = found[1].abs_max();
        close(found[0].abs_max().0, expected.0 / 9.81, 1e-6 * expected.0);
        let alone = run(&loaded(&text("[\"rod.angle\"]"), &overrides)).extremes;
        assert_eq!(found[2], alone[0]);
    }
}
