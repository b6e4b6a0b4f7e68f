//! Fixed steps of a long chain are solved to rounding, not beyond.
//!
//! A chain of 1024 links is 102 m long: its gaps are differences of places of 102 m, known to 1e-14 m,
//! and what that does to the velocities of a short step, summed over the links, is more than the tolerance
//! of Newton's iteration. The iteration stood still there, and steps of 0.1 ms stopped after a few dozen
//! (a chain that falls from the horizontal) or at once (index 3). Now an iteration that no longer converges
//! has arrived if its corrections are those that rounding causes.

use std::fmt::Write;

use gudgeon::assembly::assemble;
use gudgeon::results::{RunReport, Status};
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::{Overrides, load_text};

use crate::regressions::alone::Alone;

/// A horizontal chain of steel links of 0.1 m, let go at rest.
fn chain(links: usize, spatial: bool, set: &[(&str, &str)]) -> RunReport {
    let end = if spatial { "100 mm, 0, 0" } else { "100 mm, 0" };
    let zero = if spatial { "0, 0, 0" } else { "0, 0" };
    let (mut bodies, mut joints) = (String::new(), String::new());
    for i in 1..=links {
        writeln!(bodies, "l{i} = {{ frames = {{ a = \"{zero}\", b = \"{end}\" }}, shape = {{ cylinder = \"10 mm\", from = \"a\", to = \"b\", material = \"steel\" }} }}").unwrap();
        let before = if i == 1 { "ground".to_owned() } else { format!("l{}.b", i - 1) };
        writeln!(joints, "j{i} = {{ type = \"revolute\", between = [\"{before}\", \"l{i}.a\"] }}")
            .unwrap();
    }
    let space = if spatial { "spatial" } else { "planar" };
    let text = format!(
        "format = 1\n[model]\nname = \"chain\"\nspace = \"{space}\"\ngravity = \"9.81 m/s^2 along -y\"\n\
         [bodies]\n{bodies}[joints]\n{joints}[run]\nuntil = \"10 ms\"\n\
         outputs = [\"l1.angular_velocity\", \"l{links}.b.position.y\"]\n"
    );
    let text = if spatial { text.replace("\"l1.angular_velocity\", ", "") } else { text };
    let set = set.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let loaded = load_text("chain.toml", &text, &Alone, &Overrides { set, ..Overrides::default() })
        .unwrap_or_else(|failure| {
            panic!("{}", failure.diagnostics.render(&failure.sources, false))
        });
    simulate(&assemble(&loaded.model).unwrap(), &loaded.run, &mut Silent)
}

#[test]
fn short_steps_of_1024_links_are_solved() {
    let fall = -0.5 * 9.81 * 0.01f64.powi(2);
    for (spatial, index, step) in [
        (false, "2", "0.1 ms"),
        (false, "3", "0.1 ms"),
        (false, "3", "0.02 ms"),
        (true, "3", "0.1 ms"),
    ] {
        let set = [("run.method", "generalized-alpha"), ("run.index", index), ("run.step", step)];
        let report = chain(1024, spatial, &set);
        assert_eq!(report.status, Status::Done, "spatial {spatial}, index {index}, {step}");
        // The free end falls as if alone: what holds the chain begins to act 102 m away.
        let y = report.final_values.last().unwrap();
        assert!((y / fall - 1.0).abs() < 1e-6, "spatial {spatial}: fell {y} m, not {fall} m");
        let energy = report.energy.residual_max / report.energy.peak_kinetic;
        assert!(energy < 1e-6, "spatial {spatial}, index {index}: energy off by {energy:.1e}");
    }
}

#[test]
fn a_chain_of_short_steps_is_as_accurate_as_one_by_tolerance() {
    let exact = chain(256, false, &[("run.method", "dop853"), ("run.rtol", "1e-11")]);
    for index in ["2", "3"] {
        let set =
            [("run.method", "generalized-alpha"), ("run.index", index), ("run.step", "20 us")];
        let found = chain(256, false, &set);
        let off = (found.final_values[0] / exact.final_values[0] - 1.0).abs();
        assert!(off < 1e-4, "index {index}: the first link turns by {off:.1e} too fast or slow");
    }
}
