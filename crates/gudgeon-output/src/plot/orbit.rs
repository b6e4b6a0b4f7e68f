//! Orbits of journal centres within their clearance circles.

use super::axis::{Axis, Range};
use super::colour;
use super::path::Path;
use super::svg::{Anchor, Area, HEADING, LABEL, SMALL, Stroke, Svg, TITLE, entry};
use super::unit::Scale;

/// A streamed orbit, in memory that does not grow with its length; see `Path`.
#[derive(Clone, Debug)]
pub struct Orbit {
    /// Before the measuring window, and in it.
    before: Path,
    window: Path,
    measuring: bool,
}

impl Orbit {
    /// For a journal with this radial clearance, m.
    pub fn new(clearance: f64) -> Orbit {
        let path = Path::new(clearance);
        Orbit { before: path.clone(), window: path, measuring: false }
    }

    /// Points from here on belong to the measuring window; earlier ones are drawn lightly.
    pub fn start_measuring(&mut self) {
        self.measuring = true;
    }

    /// Adds the journal centre relative to the bearing centre, in metres. A point that is not
    /// finite leaves a gap.
    pub fn push(&mut self, x: f64, y: f64) {
        let path = if self.measuring { &mut self.window } else { &mut self.before };
        path.push(x, y);
    }

    /// Whether there are points both before and in the measuring window.
    fn measured(&self) -> bool {
        !self.before.is_empty() && !self.window.is_empty()
    }

    fn reach(&self) -> f64 {
        self.before.reach().max(self.window.reach())
    }
}

/// The orbit in one joint.
#[derive(Clone, Copy, Debug)]
pub struct JointOrbit<'a> {
    pub joint: &'a str,
    /// Radial clearance, the radius of the circle in metres.
    pub clearance: f64,
    pub orbit: &'a Orbit,
}

/// A plot of the orbits in several joints, side by side.
#[derive(Clone, Copy, Debug)]
pub struct OrbitPlot<'a> {
    pub title: &'a str,
    /// A few words below the title; may be empty.
    pub subtitle: &'a str,
    pub joints: &'a [JointOrbit<'a>],
}

const MARGIN: f64 = 70.0;
const HEAD: f64 = 30.0;
const FOOT: f64 = 52.0;

/// Draws the plot; at most three joints in a row, or the two bases of one (`pin.V`, `pin.W`).
pub fn orbits(plot: &OrbitPlot<'_>) -> String {
    let bases = plot.joints.iter().any(|joint| joint.joint.contains('.'));
    let across = plot.joints.len().clamp(1, if bases { 2 } else { 3 });
    let side = [420.0, 390.0, 240.0][across - 1];
    let rows = plot.joints.len().div_ceil(across).max(1);
    let pitch = (MARGIN + side + 16.0, HEAD + side + FOOT);
    let width = across as f64 * pitch.0 + 8.0;
    let above = if plot.subtitle.is_empty() { 44.0 } else { 60.0 };
    let mut svg = Svg::new(width, above + rows as f64 * pitch.1, plot.title);
    svg.text(MARGIN, 28.0, Anchor::Start, TITLE, &TITLE.fit(plot.title, width - MARGIN - 220.0));
    let subtitle = SMALL.fit(plot.subtitle, width - MARGIN - 24.0);
    svg.text(MARGIN, 46.0, Anchor::Start, SMALL, &subtitle);
    if plot.joints.iter().any(|j| j.orbit.measured()) {
        let mut legend = entry("—", colour::BEFORE, "before").to_vec();
        legend.extend(entry("—", colour::MAIN, "measuring window"));
        svg.spans(width - 24.0, 28.0, Anchor::End, &legend);
    }
    let empty = Orbit::new(f64::NAN);
    let nothing = [JointOrbit { joint: "no clearance joint", clearance: f64::NAN, orbit: &empty }];
    let joints = if plot.joints.is_empty() { &nothing[..] } else { plot.joints };
    for (index, joint) in joints.iter().enumerate() {
        let left = (index % across) as f64 * pitch.0 + MARGIN;
        let top = above + (index / across) as f64 * pitch.1 + HEAD;
        panel(&mut svg, joint, Area { left, top, right: left + side, bottom: top + side });
    }
    svg.finish()
}

fn panel(svg: &mut Svg, joint: &JointOrbit<'_>, area: Area) {
    let clearance = Some(joint.clearance).filter(|c| c.is_finite() && *c > 0.0);
    let reach = joint.orbit.reach().max(clearance.unwrap_or(0.0)).clamp(1e-280, 1e290);
    let range = Range { lo: -1.08 * reach, hi: 1.08 * reach };
    let scale = Scale::choose(reach, "m");
    let ticks = ((area.right - area.left) / 55.0) as usize;
    let axis = Axis::with_scale(range, scale, ticks);
    let place = |x: f64, y: f64| {
        (axis.place(x, area.left, area.right), axis.place(y, area.bottom, area.top))
    };

    let about = clearance.map(|c| format!("clearance {}", axis.scale.quantity(c)));
    let about = about.unwrap_or_default();
    let room = area.right - area.left - SMALL.width(&about) - 10.0;
    let heading = HEADING.fit(joint.joint, room);
    svg.text(area.left, area.top - 9.0, Anchor::Start, HEADING, &heading);
    svg.text(area.right, area.top - 9.0, Anchor::End, SMALL, &about);

    svg.grid(area, &axis, &axis);
    if let Some(clearance) = clearance {
        let (centre, edge) = (place(0.0, 0.0), place(clearance, 0.0));
        let stroke = Stroke { colour: colour::MUTED, width: 1.4, opacity: 1.0 };
        svg.circle(centre.0, centre.1, edge.0 - centre.0, "none", stroke);
    }
    let run_in = Stroke { colour: colour::BEFORE, width: 0.8, opacity: 0.8 };
    let measured = Stroke { colour: colour::MAIN, width: 0.9, opacity: 0.85 };
    let before = if joint.orbit.measured() { run_in } else { measured };
    let run_in = joint.orbit.before.runs(place);
    let window = joint.orbit.window.runs(place);
    svg.path(&run_in, before);
    svg.path(&window, measured);
    if let Some((x, y)) = resting(if window.is_empty() { &run_in } else { &window }) {
        let edge = Stroke { colour: "#ffffff", width: 0.8, opacity: 1.0 };
        svg.circle(x, y, 3.2, colour::MAIN, edge);
    }
    svg.frame(area);
    svg.x_labels(area, &axis, "x");
    let middle = (area.top + area.bottom) / 2.0;
    svg.upward_text(area.left - 46.0, middle, LABEL, &axis.scale.heading("y"));
}

/// The place of a journal that rests, too small a run to be seen.
fn resting(runs: &[Vec<(f64, f64)>]) -> Option<(f64, f64)> {
    let last = *runs.last()?.last()?;
    let near = |p: &(f64, f64)| (p.0 - last.0).abs() < 2.0 && (p.1 - last.1).abs() < 2.0;
    runs.iter().flatten().all(near).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bases_of_a_joint_stand_side_by_side() {
        let orbit = Orbit::new(1e-4);
        let width = |names: [&str; 4]| {
            let joints = names.map(|joint| JointOrbit { joint, clearance: 1e-4, orbit: &orbit });
            let svg = orbits(&OrbitPlot { title: "orbits", subtitle: "", joints: &joints });
            svg.split("width=\"").nth(1).and_then(|w| w.split('"').next()).map(str::to_owned)
        };
        assert_eq!(width(["a.V", "a.W", "b.V", "b.W"]).as_deref(), Some("960"));
        assert_eq!(width(["a", "b", "c", "d"]).as_deref(), Some("986"));
    }

    #[test]
    fn a_journal_that_rests_is_seen() {
        assert_eq!(resting(&[vec![(5.0, 5.0), (5.5, 5.0)]]), Some((5.5, 5.0)));
        assert_eq!(resting(&[vec![(5.0, 5.0), (9.0, 5.0)]]), None);
        assert_eq!(resting(&[]), None);
    }

    #[test]
    fn the_measuring_window_is_kept_apart() {
        let mut orbit = Orbit::new(2.0);
        orbit.push(0.0, 0.0);
        orbit.push(1.0, 0.0);
        orbit.start_measuring();
        orbit.push(2.0, 0.0);
        assert_eq!(orbit.before.runs(|x, y| (x, y)), [[(0.0, 0.0), (1.0, 0.0)]]);
        assert_eq!(orbit.window.runs(|x, y| (x, y)), [[(2.0, 0.0)]]);
    }
}
