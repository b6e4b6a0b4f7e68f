//! The analysis in words and tables.

use std::path::Path;

use gudgeon::bearing::{Bearing, BearingReport};
use gudgeon::film::Stability;
use gudgeon_engine::bearing::{
    AnalysedPoint, BearingJob, BearingOutcome, Cut, picture, value_of as value,
};
use gudgeon_engine::text::{NONE, in_one_unit, plural, quantity, share};
use gudgeon_model::Vary;
use nalgebra::Matrix2;

use crate::summary;
use crate::table::Table;
use crate::terminal::Paint;

/// The whole answer.
pub fn text(job: &BearingJob, outcome: &BearingOutcome, paint: Paint) -> String {
    let points = &outcome.points[..];
    let mut parts = vec![head(job, points, paint)];
    match (job.vary(), points) {
        (Some(vary), _) => parts.push(overview(job, vary, points, paint)),
        (None, [AnalysedPoint { found: Ok(report), .. }]) => {
            parts.push(places(report, paint));
            parts.extend(report.bearings.iter().map(|bearing| coefficients(bearing, paint)));
        }
        _ => {}
    }
    parts.push(summary::warnings(job.warnings(points).iter(), paint));
    if let (Some(folder), true) = (&outcome.folder, outcome.saved) {
        let kept = summary::last_complete(folder, outcome.kept.complete.as_deref(), paint);
        parts.push(files(job, outcome, folder, paint) + &kept);
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Why there is no rest, or no result folder.
pub fn failures(job: &BearingJob, outcome: &BearingOutcome, paint: Paint) -> String {
    let mut text = String::new();
    for point in outcome.points.iter().filter(|point| point.late().is_none()) {
        let Err(error) = &point.found else { continue };
        let at = match job.vary().zip(point.value) {
            Some((vary, at)) => format!("{} {}: ", vary.parameter, value(vary, at, job.unit(vary))),
            None => String::new(),
        };
        let help = error.help();
        text.push_str(&format!("{}: {at}{error}\n  = help: {help}\n", paint.error("error")));
    }
    if let Some(cut) = Cut::of(&outcome.points) {
        let (message, help) = (cut.message(), cut.cause.help());
        text.push_str(&format!("{}: {message}\n  = help: {help}\n", paint.error("error")));
    }
    if let Some(error) = &outcome.error {
        let help = error.help();
        text.push_str(&format!("{}: {error}\n  = help: {help}\n", paint.error("error")));
    }
    text
}

fn head(job: &BearingJob, points: &[AnalysedPoint], paint: Paint) -> String {
    let name = paint.bold(&job.loaded.model.name);
    let journals = points.iter().find_map(|point| Some(point.found.as_ref().ok()?.bearings.len()));
    let what = match journals {
        Some(1) => "the journal at rest in its film".to_owned(),
        Some(number) => format!("{number} journals at rest in their films"),
        None => "no rest".to_owned(),
    };
    let values = match job.vary() {
        Some(vary) => {
            format!(" at {} of {}", plural(points.len(), "value", "values"), vary.parameter)
        }
        None => String::new(),
    };
    // Only an interruption ends an analysis before it has something to say about every value.
    let asked = job.vary().map_or(1, |vary| vary.values.len());
    let ended = match points.len() < asked {
        true => format!("\n  interrupted after {} of {asked}", points.len()),
        false => String::new(),
    };
    format!("{name}\n  bearing analysis: {what}{values}; inertia is left out{ended}\n")
}

/// Where the journals rest, one line for each.
fn places(report: &BearingReport, paint: Paint) -> String {
    let mut table = Table::new([
        "bearing",
        "load",
        "eccentricity",
        "attitude",
        "thinnest film",
        "peak pressure",
        "oil flow",
        "loss",
        "Sommerfeld",
    ]);
    for bearing in &report.bearings {
        let (rest, force) = (&bearing.rest, &bearing.rest.force);
        let idle = rest.load.norm() == 0.0;
        table.row(vec![
            bearing.name.clone(),
            quantity(rest.load.norm(), "N"),
            format!("{:.4}", rest.eccentricity),
            attitude(bearing),
            quantity(force.min_film, "m"),
            quantity(bearing.peak.pressure, "Pa"),
            quantity(force.leakage, "m^3/s"),
            quantity(force.shear + force.pumping, "W"),
            if idle { NONE.to_owned() } else { quantity(rest.sommerfeld, "") },
        ]);
    }
    table.render(paint)
}

fn attitude(bearing: &Bearing) -> String {
    match bearing.rest.load.norm() > 0.0 {
        true => format!("{:.2} deg", bearing.rest.attitude.to_degrees()),
        false => NONE.to_owned(),
    }
}

/// K and C of one bearing, and its limit of stability.
fn coefficients(bearing: &Bearing, paint: Paint) -> String {
    let rest = &bearing.rest;
    let (c, idle) = (&rest.coefficients, rest.load.norm() == 0.0);
    let mut table =
        Table::of([&bearing.name[..], "unit", "xx", "xy", "yx", "yy"].map(str::to_owned).to_vec())
            .names(2);
    let mut row = |name: &str, unit: &str, m: &Matrix2<f64>| {
        let values = [m.m11, m.m12, m.m21, m.m22];
        let (unit, texts) = in_one_unit(m.amax(), &values, unit);
        let mut cells = vec![name.to_owned(), unit];
        cells.extend(texts);
        table.row(cells);
    };
    row("stiffness K", "N/m", &c.stiffness);
    row("damping C", "N s/m", &c.damping);
    if !idle {
        row("K c/W", "", &c.stiffness_ratio);
        row("C c ω/W", "", &c.damping_ratio);
    }
    row("tilt stiffness", "N m/rad", &c.tilt_stiffness);
    row("tilt damping", "N m s/rad", &c.tilt_damping);
    let whirl = match c.stability() {
        Stability::Below(whirl) => format!(
            "  a mass of {} or more on this film whirls, at {} of the speed\n",
            quantity(whirl.mass, "kg"),
            share(whirl.speed / rest.state.omega.abs())
        ),
        Stability::Always => "  no mass on this film whirls\n".to_owned(),
        Stability::Never => "  every mass on this film whirls\n".to_owned(),
    };
    let axes = match idle {
        true => "  x and y are the axes of the bearing\n",
        false => "  x along the load, y across it in the sense of rotation\n",
    };
    table.render(paint) + axes + &whirl
}

/// One line for every value and bearing.
fn overview(job: &BearingJob, vary: &Vary, points: &[AnalysedPoint], paint: Paint) -> String {
    let mut table = Table::new([
        &vary.parameter[..],
        "bearing",
        "load",
        "eccentricity",
        "attitude",
        "thinnest film",
        "loss",
        "whirl ratio",
        "stable mass",
    ])
    .names(2);
    for point in points {
        let at = point.value.map_or(String::new(), |at| value(vary, at, job.unit(vary)));
        let Ok(report) = &point.found else {
            let mut cells = vec![at, String::new()];
            cells.resize(9, NONE.to_owned());
            table.row(cells);
            continue;
        };
        for bearing in &report.bearings {
            let name = if report.bearings.len() > 1 { &bearing.name[..] } else { "" };
            table.row(line(at.clone(), name, bearing));
        }
    }
    table.render(paint)
}

fn line(at: String, name: &str, bearing: &Bearing) -> Vec<String> {
    let (rest, force) = (&bearing.rest, &bearing.rest.force);
    let (ratio, mass) = match rest.coefficients.stability() {
        Stability::Below(whirl) => {
            (share(whirl.speed / rest.state.omega.abs()), quantity(whirl.mass, "kg"))
        }
        Stability::Always => (NONE.to_owned(), "any".to_owned()),
        Stability::Never => (NONE.to_owned(), "none".to_owned()),
    };
    vec![
        at,
        name.to_owned(),
        quantity(rest.load.norm(), "N"),
        format!("{:.4}", rest.eccentricity),
        attitude(bearing),
        quantity(force.min_film, "m"),
        quantity(force.shear + force.pumping, "W"),
        ratio,
        mass,
    ]
}

fn files(job: &BearingJob, outcome: &BearingOutcome, folder: &Path, paint: Paint) -> String {
    let points = &outcome.points[..];
    let mut text = format!("  results  {}\n", paint.bold(&folder.display().to_string()));
    let table = folder.join("bearing.csv").display().to_string();
    text.push_str(&format!("  table    {}\n", paint.bold(&table)));
    let drawn = picture::files(job, points);
    let plot = match points {
        [AnalysedPoint { value: None, found: Ok(_) }] => Some("pressure.svg"),
        _ => drawn.first().map(String::as_str),
    };
    if let Some(plot) = plot {
        let plot = folder.join(plot).display().to_string();
        text.push_str(&format!("  plot     {}\n", paint.bold(&plot)));
    }
    text
}
