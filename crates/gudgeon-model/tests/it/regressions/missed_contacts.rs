//! A slider flew through the wall of its guide and nothing was said: where a switch passes zero right at a
//! node of a step, the cheap interpolant may see it just below and the dense output just above zero. The
//! fall was then dropped, with all that lay behind it, and a certificate vouched for every digit.
//!
//! Now the nodes behind it are tried, so that times in simple ratios are as good as any others.

use gudgeon::assembly::assemble;
use gudgeon::results::Status;
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::{Overrides, load_text};

use super::alone::Alone;

fn guide(gap: f64, until: f64) -> String {
    format!(
        r#"
format = 1
[model]
name = "free slider in a guide"
[bodies.slider]
mass = "1 kg"
inertia = "2e-4 kg m^2"
[joints.guide]
type = "prismatic"
between = ["ground", "slider"]
along = "x"
clearance = {{ gap = "{gap} mm", length = "40 mm", width = "20 mm", contact = {{ law = "hertz", stiffness = "1e8 N/m^1.5" }} }}
[start]
slider.velocity = "0, 0.1 m/s"
[run]
until = "{until} ms"
outputs = ["slider.position.y"]
"#
    )
}

#[test]
fn no_contact_is_missed_where_it_falls_on_a_node() {
    for tenths in 1..=24 {
        let gap = 0.1 * f64::from(tenths);
        for share in [4.0 / 3.0, 2.0, 4.0] {
            let text = guide(gap, share * 10.0 * gap);
            let loaded = load_text("guide.toml", &text, &Alone, &Overrides::default()).unwrap();
            let start = assemble(&loaded.model).unwrap();
            let report = simulate(&start, &loaded.run, &mut Silent);
            assert_eq!(report.status, Status::Done);
            // Free flight over the gap at 0.1 m/s.
            let first = report.impacts.first().unwrap_or_else(|| panic!("gap {gap} mm, {share}"));
            let flight = 1e-2 * gap;
            assert!((first.t - flight).abs() < 1e-9 * flight, "{gap} {share}: {}", first.t);
        }
    }
}
