//! A function of two variables: a map of coloured bands, and the same colours on a surface in space.

use super::axis::{Axis, AxisSpec, Range, Spacing};
use super::chart::{Layer, show_legend};
use super::contour::Grid;
use super::map::{Bands, Map};
use super::solid::{self, Solid};
use super::svg::{Anchor, Area, SMALL, Svg, TITLE};

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePlot<'a> {
    pub title: &'a str,
    /// A few words below the title; may be empty.
    pub subtitle: &'a str,
    pub x: &'a AxisSpec,
    pub y: &'a AxisSpec,
    pub z: &'a AxisSpec,
    pub grid: &'a Grid,
    /// On top of the map.
    pub layers: &'a [Layer],
    /// In space: x, y, z.
    pub points: &'a [[f64; 3]],
}

const MAP: Area = Area { left: 86.0, top: 0.0, right: 486.0, bottom: 360.0 };
/// Room for the ticks at the left of the map.
const LABELS: f64 = 50.0;
/// Colour bar: from here on, so wide.
const BAR: (f64, f64) = (506.0, 16.0);
/// Bands of colour, about; by the logarithm there is room for more.
const BANDS: [usize; 2] = [11, 18];
const SOLID: (f64, f64) = (610.0, 1080.0);
const WIDTH: f64 = 1090.0;
/// Draws the map with its samples, the colours and their values, and the surface.
pub fn surface(plot: &SurfacePlot<'_>) -> String {
    let room = WIDTH - MAP.left - 20.0;
    let top = if plot.subtitle.is_empty() { 40.0 } else { 58.0 };
    let mut body = Svg::part();
    let legend = show_legend(&mut body, plot.layers, (MAP.left, top + 8.0), room);
    let top = top + legend + 30.0;
    let area = Area { top, bottom: top + MAP.bottom, ..MAP };
    let mut svg = Svg::new(WIDTH, area.bottom + 58.0, plot.title);
    svg.text(MAP.left, 28.0, Anchor::Start, TITLE, &TITLE.cut(plot.title, room));
    svg.text(MAP.left, 46.0, Anchor::Start, SMALL, &SMALL.cut(plot.subtitle, room));
    svg.append(body);

    let bands =
        Bands::new(plot.z, &plot.grid.values, BANDS[usize::from(plot.z.spacing == Spacing::Log)]);
    let count = (area.right - area.left) / 66.0;
    let x = Axis::of(plot.x, Range::over(plot.grid.xs.iter().copied()), count as usize);
    let mut y = Axis::of(plot.y, Range::over(plot.grid.ys.iter().copied()), 8);
    y.ticks.iter_mut().for_each(|tick| tick.label = SMALL.cut(&tick.label, LABELS));
    let names = [plot.x, plot.y].map(|axis| axis.name.as_str());
    let map = Map { x: &x, y: &y, names, bands: &bands, grid: plot.grid, layers: plot.layers };
    map.draw(&mut svg, area);
    bands.draw(&mut svg, &plot.z.name, area, BAR);
    let around = Area { left: SOLID.0, right: SOLID.1, top, bottom: area.bottom + 44.0 };
    let names = [&plot.x.name[..], &plot.y.name];
    let solid = Solid { x: &x, y: &y, names, height: &plot.z.name, bands: &bands };
    solid::draw(&mut svg, &solid, plot.grid, plot.points, around);
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(n: usize, value: impl Fn(f64, f64) -> f64) -> String {
        let axis: Vec<f64> = (0..n).map(|k| 10.0 * k as f64 / (n.max(2) - 1) as f64).collect();
        let values = axis.iter().flat_map(|y| axis.iter().map(|x| value(*x, *y))).collect();
        let grid = Grid { xs: axis.clone(), ys: axis, values };
        let spec = AxisSpec { ends: Some((0.0, 10.0)), ..AxisSpec::default() };
        let z = AxisSpec { name: "z & <more>".into(), unit: "N".into(), ..AxisSpec::default() };
        surface(&SurfacePlot {
            title: "t",
            subtitle: "",
            x: &spec,
            y: &spec,
            z: &z,
            grid: &grid,
            layers: &[],
            points: &[[5.0, 5.0, f64::NAN]],
        })
    }

    #[test]
    fn a_plane_has_upright_bands_at_the_ticks() {
        let svg = draw(11, |x, _| x);
        // ticks at 1, 2, … 9: the map is 400 wide from 86 on, so 40 each
        let lines = svg.lines().find(|line| line.contains("stroke=\"#ffffff\"")).unwrap();
        for k in 1..10 {
            assert!(lines.contains(&format!("{} 70", 86 + 40 * k)), "{k}: {lines}");
        }
        assert!(svg.contains("z &amp; &lt;more&gt; [N]"));
    }

    #[test]
    fn odd_values_give_a_picture() {
        for n in [0, 1, 2, 5] {
            for value in [0.0, 1.0, f64::NAN, f64::INFINITY, 1e300] {
                let svg = draw(n, |_, _| value);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{n} {value}");
            }
        }
        let svg = draw(6, |x, y| if x > y { f64::NAN } else { x - y });
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn a_picture_stays_small() {
        assert!(draw(61, |x, y| (x * 0.9).sin() * (y * 0.7).cos()).len() < 200_000);
    }
}
