//! The one list of what is told of a bearing: columns of `bearing.csv`, keys in JSON.

use gudgeon::bearing::Bearing;
use gudgeon::film::Stability;
use gudgeon_output::csv::{push_number, push_text};
use gudgeon_output::record::{self, Coefficients, Number};
use nalgebra::Matrix2;

use super::{AnalysedPoint, BearingJob};

/// Name and unit of a number of a bearing.
pub struct Quantity {
    pub name: &'static str,
    pub unit: &'static str,
}

/// The numbers of a bearing in the order of their columns.
pub fn of(bearing: &Bearing) -> Vec<(Quantity, f64)> {
    let (rest, c) = (&bearing.rest, &bearing.rest.coefficients);
    let force = &rest.force;
    let loaded = if rest.load.norm() > 0.0 { 1.0 } else { f64::NAN };
    let mut out: Vec<(Quantity, f64)> = [
        ("load", "N", rest.load.norm()),
        ("load_angle", "rad", loaded * rest.load.y.atan2(rest.load.x)),
        ("journal_speed", "rad/s", rest.state.omega),
        ("sommerfeld", "", loaded * rest.sommerfeld),
        ("eccentricity_ratio", "", rest.eccentricity),
        ("attitude", "rad", loaded * rest.attitude),
        ("film_thickness", "m", force.min_film),
        ("film_angle", "rad", force.min_film_angle),
        ("misalignment", "rad", bearing.tilt),
        ("peak_pressure", "Pa", bearing.peak.pressure),
        ("film_torque", "N m", force.torque),
        ("power_loss", "W", force.shear + force.pumping),
        ("oil_flow", "m^3/s", force.leakage),
    ]
    .into_iter()
    .map(|(name, unit, value)| (Quantity { name, unit }, value))
    .collect();
    let names = |names: [&'static str; 4]| names;
    matrix(&mut out, names(["K_xx", "K_xy", "K_yx", "K_yy"]), "N/m", &c.stiffness);
    matrix(&mut out, names(["C_xx", "C_xy", "C_yx", "C_yy"]), "N s/m", &c.damping);
    let (k, d) = (c.stiffness_ratio * loaded, c.damping_ratio * loaded);
    matrix(&mut out, names(["k_xx", "k_xy", "k_yx", "k_yy"]), "", &k);
    matrix(&mut out, names(["c_xx", "c_xy", "c_yx", "c_yy"]), "", &d);
    let tilt = names(["K_tilt_xx", "K_tilt_xy", "K_tilt_yx", "K_tilt_yy"]);
    matrix(&mut out, tilt, "N m/rad", &c.tilt_stiffness);
    let tilt = names(["C_tilt_xx", "C_tilt_xy", "C_tilt_yx", "C_tilt_yy"]);
    matrix(&mut out, tilt, "N m s/rad", &c.tilt_damping);
    let whirl = match c.stability() {
        Stability::Below(whirl) => Some(whirl),
        Stability::Always | Stability::Never => None,
    };
    let ratio = whirl.map_or(f64::NAN, |whirl| whirl.speed / rest.state.omega.abs());
    out.push((Quantity { name: "whirl_ratio", unit: "" }, ratio));
    let mass = match c.stability() {
        Stability::Below(whirl) => whirl.mass,
        Stability::Always => f64::INFINITY,
        Stability::Never => 0.0,
    };
    out.push((Quantity { name: "critical_mass", unit: "kg" }, mass));
    out
}

fn matrix(
    out: &mut Vec<(Quantity, f64)>,
    names: [&'static str; 4],
    unit: &'static str,
    values: &Matrix2<f64>,
) {
    for (name, place) in names.into_iter().zip([(0, 0), (0, 1), (1, 0), (1, 1)]) {
        out.push((Quantity { name, unit }, values[place]));
    }
}

/// A bearing as a record.
pub fn record(bearing: &Bearing) -> record::Bearing {
    let number = |(one, value): (Quantity, f64)| (one.name.to_owned(), Number(value));
    let axes = bearing.rest.in_bearing_axes().map(|m| [[m.m11, m.m12], [m.m21, m.m22]]);
    let [stiffness, damping] = axes;
    record::Bearing {
        joint: bearing.name.clone(),
        numbers: of(bearing).into_iter().map(number).collect(),
        bearing_axes: Coefficients { stiffness, damping },
    }
}

/// A row per value and bearing.
pub fn csv(job: &BearingJob, points: &[AnalysedPoint]) -> String {
    let mut text = String::new();
    let vary = job.vary();
    if let Some(vary) = vary {
        push_text(&mut text, &heading(&vary.parameter, job.unit(vary)));
        text.push(',');
    }
    text.push_str("joint");
    let first = points.iter().find_map(|point| point.found.as_ref().ok());
    for (one, _) in first.and_then(|report| report.bearings.first()).map(of).unwrap_or_default() {
        text.push(',');
        push_text(&mut text, &heading(one.name, one.unit));
    }
    text.push('\n');
    for point in points {
        for bearing in point.found.iter().flat_map(|report| &report.bearings) {
            if let Some(value) = point.value {
                push_number(&mut text, value);
                text.push(',');
            }
            push_text(&mut text, &bearing.name);
            for (_, value) in of(bearing) {
                text.push(',');
                push_number(&mut text, value);
            }
            text.push('\n');
        }
    }
    text
}

fn heading(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") }
}
