//! Plots as SVG text: own code, deterministic, the same bytes for the same data.
//!
//! | plot | data | function |
//! |---|---|---|
//! | journal orbits in their clearance circles | [`Orbit`] | [`orbits`] |
//! | panels of lines, points, bands and bars | [`chart::Layer`] | [`chart::Chart::draw`] |
//! | a chart of outputs over time, one panel each | [`Envelope`] | [`time_series`] |
//! | rows of a table, reduced to points of a chart | values | [`over_time`], [`along_path`] |
//! | a function of two variables, as map and in space | [`Grid`] | [`surface`] |
//! | functions of two variables, maps below one another | [`Grid`] | [`maps`] |
//!
//! The reductions are fed while the run proceeds and hold a fixed amount of memory. Any data gives a
//! valid picture: none, one point, constants, gaps (values that are not finite), any magnitude.

mod axis;
pub mod chart;
mod colour;
mod contour;
mod envelope;
mod log;
mod map;
mod maps;
mod orbit;
mod path;
mod reduce;
mod solid;
mod surface;
mod svg;
mod time;
mod unit;

pub use axis::{AxisSpec, Spacing};
pub use contour::Grid;
pub use envelope::{Envelope, Peak};
pub use maps::{MapPanel, MapsPlot, maps};
pub use orbit::{JointOrbit, Orbit, OrbitPlot, orbits};
pub use reduce::{along_path, over_time};
pub use surface::{SurfacePlot, surface};
pub use time::{Panel, PlotSpec, Series, time_series};
pub use unit::Scale;
