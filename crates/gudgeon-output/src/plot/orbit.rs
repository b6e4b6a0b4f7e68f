//! Orbits of journal centres within their clearance circles.

use super::axis::{Axis, Range};
use super::colour;
use super::svg::{Anchor, Area, HEADING, LABEL, SMALL, Stroke, Svg, TITLE, entry};
use super::unit::Scale;

/// A streamed orbit. When it is full every second point is dropped and from then on only every
/// second one is taken, so that the points kept are always evenly spaced and at most `limit`.
#[derive(Clone, Debug)]
pub struct Orbit {
    points: Vec<OrbitPoint>,
    limit: usize,
    stride: u64,
    count: u64,
    gap: bool,
    measuring: bool,
}

#[derive(Clone, Copy, Debug)]
struct OrbitPoint {
    x: f64,
    y: f64,
    /// No line leads here from the point before.
    gap: bool,
    measured: bool,
}

impl Default for Orbit {
    fn default() -> Orbit {
        Orbit::with_limit(Orbit::POINTS)
    }
}

impl Orbit {
    /// Points kept at most.
    pub const POINTS: usize = 20_000;

    pub fn new() -> Orbit {
        Orbit::default()
    }

    pub fn with_limit(limit: usize) -> Orbit {
        let limit = limit.max(2);
        Orbit { points: Vec::new(), limit, stride: 1, count: 0, gap: false, measuring: false }
    }

    /// Points from here on belong to the measuring window; earlier ones are drawn lightly.
    pub fn start_measuring(&mut self) {
        self.measuring = true;
    }

    /// Adds the journal centre relative to the bearing centre, in metres. A point that is not
    /// finite leaves a gap.
    pub fn push(&mut self, x: f64, y: f64) {
        if !(x.is_finite() && y.is_finite()) {
            self.gap = true;
            return;
        }
        if self.count.is_multiple_of(self.stride) {
            if self.points.len() == self.limit {
                self.thin();
            }
            // thinning doubles the stride, so look again
            if self.count.is_multiple_of(self.stride) {
                let gap = std::mem::take(&mut self.gap);
                self.points.push(OrbitPoint { x, y, gap, measured: self.measuring });
            }
        }
        self.count += 1;
    }

    fn thin(&mut self) {
        let mut kept = Vec::with_capacity(self.limit);
        let mut gap = false;
        for (index, point) in self.points.iter().enumerate() {
            gap |= point.gap;
            if index % 2 == 0 {
                kept.push(OrbitPoint { gap: std::mem::take(&mut gap), ..*point });
            }
        }
        self.gap |= gap;
        self.points = kept;
        self.stride *= 2;
    }

    /// Whether there are points both before and in the measuring window.
    fn measured(&self) -> bool {
        let measured = |p: Option<&OrbitPoint>| p.is_some_and(|p| p.measured);
        !measured(self.points.first()) && measured(self.points.last())
    }

    fn reach(&self) -> f64 {
        self.points.iter().fold(0.0, |r, p| f64::max(r, p.x.abs().max(p.y.abs())))
    }

    /// The lines before or in the measuring window.
    fn runs(&self, measured: bool, place: impl Fn(f64, f64) -> (f64, f64)) -> Vec<Vec<(f64, f64)>> {
        let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
        let mut open = false;
        for point in &self.points {
            if point.measured != measured {
                open = false;
                continue;
            }
            let placed = place(point.x, point.y);
            match runs.last_mut().filter(|_| open && !point.gap) {
                Some(run) => run.push(placed),
                None => runs.push(vec![placed]),
            }
            open = true;
        }
        runs
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
    pub joints: &'a [JointOrbit<'a>],
}

const MARGIN: f64 = 70.0;
const TOP: f64 = 44.0;
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
    let mut svg = Svg::new(width, TOP + rows as f64 * pitch.1, plot.title);
    svg.text(MARGIN, 28.0, Anchor::Start, TITLE, &TITLE.fit(plot.title, width - MARGIN - 220.0));
    if plot.joints.iter().any(|j| j.orbit.measured()) {
        let mut legend = entry("—", colour::BEFORE, "before").to_vec();
        legend.extend(entry("—", colour::MAIN, "measuring window"));
        svg.spans(width - 24.0, 28.0, Anchor::End, &legend);
    }
    let empty = Orbit::new();
    let nothing = [JointOrbit { joint: "no clearance joint", clearance: f64::NAN, orbit: &empty }];
    let joints = if plot.joints.is_empty() { &nothing[..] } else { plot.joints };
    for (index, joint) in joints.iter().enumerate() {
        let left = (index % across) as f64 * pitch.0 + MARGIN;
        let top = TOP + (index / across) as f64 * pitch.1 + HEAD;
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
    svg.path(&joint.orbit.runs(false, place), before);
    let window = joint.orbit.runs(true, place);
    svg.path(&window, measured);
    if let Some((x, y)) = resting(&window) {
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
    fn a_full_orbit_is_thinned_evenly() {
        let mut orbit = Orbit::with_limit(8);
        for i in 0..100 {
            orbit.push(f64::from(i), 0.0);
        }
        let kept: Vec<_> = orbit.points.iter().map(|p| p.x).collect();
        assert_eq!(kept, [0.0, 16.0, 32.0, 48.0, 64.0, 80.0, 96.0]);
    }

    #[test]
    fn gaps_survive_thinning() {
        let mut orbit = Orbit::with_limit(8);
        for i in 0..100 {
            orbit.push(if i == 37 { f64::NAN } else { f64::from(i) }, 0.0);
        }
        assert_eq!(orbit.runs(false, |x, y| (x, y)).len(), 2);
    }

    #[test]
    fn the_bases_of_a_joint_stand_side_by_side() {
        let orbit = Orbit::new();
        let width = |names: [&str; 4]| {
            let joints = names.map(|joint| JointOrbit { joint, clearance: 1e-4, orbit: &orbit });
            let svg = orbits(&OrbitPlot { title: "orbits", joints: &joints });
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
        let mut orbit = Orbit::new();
        orbit.push(0.0, 0.0);
        orbit.push(1.0, 0.0);
        orbit.start_measuring();
        orbit.push(2.0, 0.0);
        assert_eq!(orbit.runs(false, |x, y| (x, y)), [[(0.0, 0.0), (1.0, 0.0)]]);
        assert_eq!(orbit.runs(true, |x, y| (x, y)), [[(2.0, 0.0)]]);
    }
}
