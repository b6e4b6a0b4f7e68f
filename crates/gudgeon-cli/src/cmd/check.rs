//! `gudgeon check`: read and assemble, and say what there is.

use gudgeon::assembly::{Assembly, RowName, assemble};
use gudgeon::sensor::catalogue;
use gudgeon_model::Loaded;
use serde_json::{Value, json};

use super::model;
use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::json as facts;
use crate::refusal::{Refusal, findings};
use crate::table::{Table, in_scale_of, quantity};
use crate::terminal::{Paint, Terminal};

/// Checks a model and gives the exit code.
pub fn check(args: &CheckArgs, terminal: &Terminal) -> Exit {
    let (loaded, assembly) = match read(args) {
        Ok(read) => read,
        Err(refusal) => return refusal.report(terminal),
    };
    let colour = terminal.error_paint().on;
    terminal.tell(&loaded.warnings.render(&loaded.sources, colour));
    terminal.say(&text(args, &loaded, &assembly, terminal.paint()));
    terminal.answer(&answer(args, &loaded, &assembly));
    Exit::Done
}

fn read(args: &CheckArgs) -> Result<(Loaded, Assembly), Refusal> {
    let path = model::file(&args.model.model)?;
    let loaded = model::load(&path, &args.model.overrides())?;
    let assembly = assemble(&loaded.model).map_err(|error| Refusal::from(error).about(&path))?;
    Ok((loaded, assembly))
}

/// Place and angle of the own axes of a moving body.
struct Pose<'a> {
    body: &'a str,
    x: f64,
    y: f64,
    angle: f64,
}

fn poses<'a>(loaded: &'a Loaded, assembly: &Assembly) -> Vec<Pose<'a>> {
    let bodies = loaded.model.bodies.iter().skip(1);
    let coordinates = assembly.q.as_chunks::<3>().0;
    let pose = |(body, [x, y, angle]): (&'a gudgeon::model::Body, &[f64; 3])| {
        let (sin, cos) = angle.sin_cos();
        let centre = body.centre;
        Pose {
            body: &body.name,
            x: x - (cos * centre.x - sin * centre.y),
            y: y - (sin * centre.x + cos * centre.y),
            angle: *angle,
        }
    };
    bodies.zip(coordinates).map(pose).collect()
}

fn text(args: &CheckArgs, loaded: &Loaded, assembly: &Assembly, paint: Paint) -> String {
    let mut parts = vec![
        format!("{}\n", paint.bold(&loaded.model.name)),
        contents(loaded, paint),
        freedom(assembly),
        pose_table(loaded, assembly, paint),
        parameter_table(loaded, paint),
    ];
    if args.outputs {
        parts.push(output_table(loaded, paint));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// What the model is made of.
fn contents(loaded: &Loaded, paint: Paint) -> String {
    let model = &loaded.model;
    let joint = |joint: &gudgeon::model::Joint| match &joint.clearance {
        Some(play) => format!("{} (clearance {})", joint.name, quantity(play.radial, "m")),
        None => joint.name.clone(),
    };
    let mut table = Table::new(["", "number", "names"]).text_from(2);
    let bodies: Vec<String> = model.bodies.iter().skip(1).map(|body| body.name.clone()).collect();
    for (what, names) in [
        ("bodies", bodies),
        ("joints", model.joints.iter().map(joint).collect()),
        ("drivers", model.drivers.iter().map(|driver| driver.name.clone()).collect()),
        ("forces", model.forces.iter().map(|force| force.name.clone()).collect()),
    ] {
        table.row(vec![what.to_owned(), names.len().to_string(), names.join(", ")]);
    }
    table.render(paint)
}

/// Mobility, redundant rows, reactions that are not unique.
fn freedom(assembly: &Assembly) -> String {
    let report = &assembly.report;
    let mut text = format!("  mobility {}", report.mobility);
    if report.mobility != report.ideal_mobility {
        text.push_str(&format!(" with clearances, {} with ideal joints", report.ideal_mobility));
    }
    text.push_str(" (degrees of freedom that drivers leave)\n");
    if report.singular_start {
        text.push_str(
            "  the start is a singular position: rows are dependent there for an instant\n",
        );
    }
    for (what, rows) in [
        ("redundant, left out", &report.redundant),
        ("reactions that are not unique", &report.not_unique),
    ] {
        if !rows.is_empty() {
            text.push_str(&format!("  {what}: {}\n", listed(rows)));
        }
    }
    text
}

fn listed(rows: &[RowName]) -> String {
    let names: Vec<String> =
        rows.iter().map(|row| format!("`{}` ({})", row.owner, row.row)).collect();
    names.join(", ")
}

fn pose_table(loaded: &Loaded, assembly: &Assembly, paint: Paint) -> String {
    let mut table = Table::new(["assembled pose", "x", "y", "angle"]);
    let poses = poses(loaded, assembly);
    let size = poses.iter().fold(0.0, |size: f64, p| size.max(p.x.abs()).max(p.y.abs()));
    let place = |value: f64| in_scale_of(size, clean(value, size), "m");
    for pose in poses {
        let angle = format!("{} deg", quantity(clean(pose.angle.to_degrees(), 360.0), ""));
        table.row(vec![pose.body.to_owned(), place(pose.x), place(pose.y), angle]);
    }
    table.render(paint)
}

/// Rounding errors of the assembly are shown as zero.
fn clean(value: f64, size: f64) -> f64 {
    if value.abs() < 1e-11 * size { 0.0 } else { value }
}

fn parameter_table(loaded: &Loaded, paint: Paint) -> String {
    if loaded.parameters.is_empty() {
        return String::new();
    }
    let mut table = Table::new(["parameter", "value", "about"]).text_from(2);
    for parameter in &loaded.parameters {
        let about = parameter.about.clone().unwrap_or_default();
        table.row(vec![parameter.name.clone(), quantity(parameter.value, &parameter.unit), about]);
    }
    table.render(paint)
}

fn output_table(loaded: &Loaded, paint: Paint) -> String {
    let mut table = Table::new(["output", "unit", "about"]).text_from(1);
    for sensor in catalogue(&loaded.model) {
        table.row(vec![sensor.name, sensor.unit.to_owned(), sensor.about.to_owned()]);
    }
    table.render(paint)
}

fn answer(args: &CheckArgs, loaded: &Loaded, assembly: &Assembly) -> Value {
    let model = &loaded.model;
    let pose = |p: &Pose| json!({ "name": p.body, "x": p.x, "y": p.y, "angle": p.angle });
    let mut answer = json!({
        "status": Exit::Done.status(),
        "model": {
            "name": model.name,
            "bodies": model.bodies.len() - 1,
            "joints": model.joints.len(),
            "drivers": model.drivers.len(),
            "forces": model.forces.len(),
        },
        "parameters": facts::parameters(&loaded.parameters),
        "assembly": facts::assembly(&assembly.report),
        "pose": poses(loaded, assembly).iter().map(pose).collect::<Vec<_>>(),
        "warnings": findings(&loaded.sources, &loaded.warnings, None),
    });
    if args.outputs {
        let outputs = catalogue(model);
        let one = |s: &gudgeon::sensor::Sensor| json!({ "name": s.name, "unit": s.unit, "about": s.about });
        answer["outputs"] = outputs.iter().map(one).collect();
    }
    answer
}
