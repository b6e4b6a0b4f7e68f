//! Pressure of films at chosen instants: `pressure.csv` and its picture.

use gudgeon::film::{FilmGrid, Thinnest};
use gudgeon::results::FieldReport;
use gudgeon_output::plot::chart::{Colour, Layer, Look, Mark, Shape};
use gudgeon_output::plot::{AxisSpec, Grid, MapPanel, MapsPlot, Scale, maps};
use gudgeon_output::{OutputError, PressureWriter, ResultFolder};

/// Points around, two degrees apart, and along.
const AROUND: usize = 181;
const ALONG: usize = 41;
/// Maps in the picture at most.
const MAPS: usize = 24;

/// Writes the table and the picture of all fields, one after the other.
pub fn write(
    folder: &ResultFolder,
    title: &str,
    fields: &[FieldReport],
) -> Result<(), OutputError> {
    if fields.is_empty() {
        return Ok(());
    }
    let mut table = PressureWriter::create(folder.path())?;
    let mut panels = Vec::new();
    for field in fields {
        let grid = field.film.grid(AROUND, ALONG);
        list(&mut table, field, &grid)?;
        if panels.len() < MAPS {
            panels.push(panel(field, &grid));
        }
    }
    table.finish()?;
    let left_out = match fields.len() - panels.len() {
        0 => String::new(),
        n => format!("{n} more in pressure.csv"),
    };
    let title = format!("film pressure · {title}");
    folder.write(
        "pressure.svg",
        &maps(&MapsPlot { title: &title, subtitle: &left_out, panels: &panels }),
    )
}

fn list(
    table: &mut PressureWriter,
    field: &FieldReport,
    grid: &FilmGrid,
) -> Result<(), OutputError> {
    let values = grid.pressure.iter().zip(&grid.thickness);
    let points = grid.places.iter().flat_map(|z| grid.angles.iter().map(move |a| (*a, *z)));
    for ((angle, place), (pressure, thickness)) in points.zip(values) {
        table.push(&field.name, [field.t, angle, place, *pressure, *thickness])?;
    }
    Ok(())
}

fn panel(field: &FieldReport, grid: &FilmGrid) -> MapPanel {
    let thinnest = field.film.thinnest();
    let start = start(field.peak.angle);
    let degrees = |angle: f64| (angle.to_degrees() - start).rem_euclid(360.0) + start;
    let axis = |name: &str, unit: &str, ends| AxisSpec {
        name: name.to_owned(),
        unit: unit.to_owned(),
        ends,
        ..AxisSpec::default()
    };
    let half = 0.5 * field.film.lubricant.film.shape.length;
    MapPanel {
        heading: heading(field),
        about: about(field, &thinnest, degrees),
        x: axis("angle in axes of the bearing", "deg", Some((start, start + 360.0))),
        y: axis("along the axis", "m", Some((-half, half))),
        z: axis("pressure", "Pa", None),
        grid: unrolled(grid, start),
        empty: grid.pressure.iter().any(|pressure| *pressure <= 0.0),
        layers: vec![
            mark(
                "thinnest film",
                Mark::Diamond,
                Colour::Second,
                (degrees(thinnest.angle), thinnest.place),
            ),
            mark(
                "peak pressure",
                Mark::Dot,
                Colour::Alert,
                (degrees(field.peak.angle), field.peak.place),
            ),
        ],
    }
}

/// The angle, 0 or −180 deg, from which the bearing is unrolled so that the peak is not cut.
fn start(peak: f64) -> f64 {
    if peak.cos() > 0.0 && peak.sin().abs() < peak.cos() { -180.0 } else { 0.0 }
}

/// Pressures over degrees from `start` on, the seam moved there.
fn unrolled(grid: &FilmGrid, start: f64) -> Grid {
    let count = grid.angles.len();
    let turn = count - 1;
    let shift = ((start / 360.0).rem_euclid(1.0) * turn as f64).round() as usize;
    let xs = (0..count).map(|i| start + 360.0 * i as f64 / turn as f64).collect();
    let row = |row: &[f64]| -> Vec<f64> { (0..count).map(|i| row[(i + shift) % turn]).collect() };
    Grid {
        xs,
        ys: grid.places.clone(),
        values: grid.pressure.chunks(count).flat_map(row).collect(),
    }
}

fn mark(label: &str, marker: Mark, colour: Colour, at: (f64, f64)) -> Layer {
    Layer {
        label: label.to_owned(),
        look: Look { marker, colour, ..Look::default() },
        shape: Shape::Points(vec![at]),
    }
}

fn shown(value: f64, unit: &str) -> String {
    Scale::choose(value, unit).quantity(value)
}

fn heading(field: &FieldReport) -> String {
    let thinnest = if field.thinnest { ", thinnest film" } else { "" };
    format!("{} at {}{thinnest}", field.name, shown(field.t, "s"))
}

/// Peak and thinnest film in words.
fn about(field: &FieldReport, thinnest: &Thinnest, degrees: impl Fn(f64) -> f64) -> String {
    format!(
        "peak {} at {:.1} deg · film at least {} at {:.1} deg",
        shown(field.peak.pressure, "Pa"),
        degrees(field.peak.angle),
        shown(thinnest.thickness, "m"),
        degrees(thinnest.angle),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearing_is_unrolled_away_from_its_peak() {
        assert_eq!([0.1, 6.2, 1.0, 3.1, 4.7].map(start), [-180.0, -180.0, 0.0, 0.0, 0.0]);
        let grid = FilmGrid {
            angles: [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| part * std::f64::consts::TAU).to_vec(),
            places: vec![0.0, 1.0],
            pressure: vec![1.0, 2.0, 3.0, 4.0, 1.0, 5.0, 6.0, 7.0, 8.0, 5.0],
            thickness: vec![1.0; 10],
        };
        assert_eq!(unrolled(&grid, 0.0).values, grid.pressure);
        let turned = unrolled(&grid, -180.0);
        assert_eq!(turned.xs, [-180.0, -90.0, 0.0, 90.0, 180.0]);
        assert_eq!(turned.values, [3.0, 4.0, 1.0, 2.0, 3.0, 7.0, 8.0, 5.0, 6.0, 7.0]);
    }
}
