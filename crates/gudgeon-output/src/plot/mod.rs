//! Plots as SVG text: own code, deterministic, the same bytes for the same data.
//!
//! | plot | data | function |
//! |---|---|---|
//! | outputs over time, one panel each | [`Envelope`] | [`time_series`] |
//! | journal orbits in their clearance circles | [`Orbit`] | [`orbits`] |
//! | force–indentation loops, any x–y curves | points | [`lines`] |
//!
//! The reductions are fed while the run proceeds and hold a fixed amount of memory. Any data gives a
//! valid picture: none, one point, constants, gaps (values that are not finite), any magnitude.

mod axis;
mod envelope;
mod line;
mod orbit;
mod svg;
mod time;
mod unit;

pub use envelope::{Envelope, Peak};
pub use line::{Curve, LinePlot, lines};
pub use orbit::{JointOrbit, Orbit, OrbitPlot, orbits};
pub use time::{Panel, PlotSpec, Series, time_series};
pub use unit::Scale;

/// Colours of all plots.
mod colour {
    pub const TEXT: &str = "#1f2933";
    pub const MUTED: &str = "#64707d";
    pub const GRID: &str = "#e8ebef";
    pub const ZERO: &str = "#b9c1ca";
    pub const FRAME: &str = "#ccd2d9";
    pub const WINDOW: &str = "#f1f5fa";
    /// The window's sign in the legend, strong enough for a small square.
    pub const WINDOW_SIGN: &str = "#cfdded";
    pub const MAIN: &str = "#1c5d99";
    pub const BASELINE: &str = "#e08a00";
    /// What came before the measuring window.
    pub const BEFORE: &str = "#98a2ad";
    pub const PEAK: &str = "#c2410c";
    /// Curves of one plot, in order.
    pub const CURVES: [&str; 8] =
        ["#1c5d99", "#c2410c", "#2f855a", "#805ad5", "#b7791f", "#2c9ab7", "#8d6e63", "#b83280"];
}
