//! A checked model in words and tables.

use std::collections::HashMap;

use gudgeon::assembly::{Assembly, BodyPose, RowName};
use gudgeon::model::{Joint, Space};
use gudgeon::sensor::catalogue;
use gudgeon_engine::check::Checked;
use gudgeon_engine::text::{in_scale_of, plural, quantity};
use gudgeon_model::Loaded;
use gudgeon_output::record;

use crate::args::CheckArgs;
use crate::summary::warnings;
use crate::table::Table;
use crate::terminal::Paint;

/// Names shown of each kind, and bodies shown with their pose.
const NAMES: usize = 24;
const POSES: usize = 48;

/// Turns below this are rounding, rad.
const NO_TURN: f64 = 1e-11;

pub fn text(args: &CheckArgs, checked: &Checked, paint: Paint) -> String {
    let Checked { loaded, assembly, foresight: _, warnings: found } = checked;
    let mut parts = vec![
        format!("{}\n", paint.bold(&loaded.model.name)),
        contents(loaded, paint),
        flexible(checked),
        freedom(assembly) + &joint_coordinates(checked) + &equivalent_rigid(checked),
        tilts(assembly),
        pose_table(loaded, assembly, paint),
        request_table(assembly, paint),
        parameter_table(loaded, paint),
    ];
    if args.outputs {
        parts.push(output_table(loaded, assembly, paint));
    }
    parts.push(warnings(found.iter(), paint));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// What the model is made of.
fn contents(loaded: &Loaded, paint: Paint) -> String {
    let model = &loaded.model;
    let joint = |joint: &Joint| match &joint.clearance {
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
        table.row(vec![what.to_owned(), names.len().to_string(), shortened(&names, ", ")]);
    }
    table.render(paint)
}

/// How flexible links are divided.
fn flexible(checked: &Checked) -> String {
    let line = |link: record::FlexibleLink| {
        let elasticity = link.elasticity.map(|way| format!(", {way}")).unwrap_or_default();
        let fastest = link.fastest.zip(link.fastest_in).map(|(speed, what)| {
            format!("; their fastest vibration {} in {what}", quantity(speed, "rad/s"))
        });
        let bends = match (link.method.as_str(), link.elements) {
            ("rfem", 1) => "is rigid",
            ("rigid", _) => "stays rigid",
            ("ked", _) => "vibrates",
            _ => "bends",
        };
        let elements = match (link.method.as_str(), link.elements) {
            ("rfem", 1) => "1 rigid element".to_owned(),
            ("rfem", n) => format!("{n} rigid elements, springs between them"),
            (_, n) => format!("{}{elasticity}, {}", link.element, plural(n, "element", "elements")),
        };
        let between = if link.method == "rfem" { "," } else { "" };
        format!(
            "  `{}` {bends}: {}{between} {elements}, {} coordinates, {}, {}{}\n",
            link.name,
            link.method,
            link.coordinates,
            quantity(link.length, "m"),
            quantity(link.mass, "kg"),
            fastest.unwrap_or_default(),
        )
    };
    checked.flexible().into_iter().map(line).collect()
}

/// A list that a reader takes in.
fn shortened(names: &[String], between: &str) -> String {
    if names.len() <= NAMES {
        return names.join(between);
    }
    format!("{}{between}… and {} more", names[..NAMES].join(between), names.len() - NAMES)
}

/// Mobility, redundant rows, reactions that are not unique.
fn freedom(assembly: &Assembly) -> String {
    let report = &assembly.report;
    let mut text = format!("  mobility {}", report.mobility);
    if !report.ideal_starts {
        text.push_str(" with clearances; with ideal joints it could not start so");
    } else if report.mobility != report.ideal_mobility {
        text.push_str(&format!(" with clearances, {} with ideal joints", report.ideal_mobility));
    }
    text.push_str(" (degrees of freedom that drivers leave)\n");
    if !report.redundant.is_empty() {
        text.push_str(&format!(
            "  redundant, following from the others: {}\n",
            by_owner(&report.redundant)
        ));
    }
    let not_unique: Vec<String> = record::Assembly::new(assembly)
        .not_unique_reactions
        .iter()
        .map(|(joint, outputs)| format!("`{joint}` ({})", outputs.join(", ")))
        .collect();
    if !not_unique.is_empty() {
        let list = shortened(&not_unique, ", ");
        text.push_str(&format!("  reactions that are not unique: {list}\n"));
    }
    text
}

/// Unknowns of joint coordinates, and which joints are cut.
fn joint_coordinates(checked: &Checked) -> String {
    let taken = checked.loaded.choice.as_ref().map_or(String::new(), |choice| {
        format!("  {} coordinates taken: {}\n", choice.word(), choice.reason())
    });
    let Some(found) = checked.joint_coordinates() else { return taken };
    let quoted = |names: &[String]| -> Vec<String> {
        names.iter().map(|name| format!("`{name}`")).collect()
    };
    let mut text = taken
        + &format!(
            "  joint coordinates: {} and {} to solve for\n",
            plural(found.unknown, "velocity", "velocities"),
            plural(found.rows, "row", "rows"),
        );
    let cut: Vec<String> =
        found.cut.0.iter().map(|(joint, why)| format!("`{joint}` ({why})")).collect();
    let lists = [
        ("cut", cut),
        ("known functions of time", quoted(&found.known)),
        ("carried by no joint", quoted(&found.free)),
    ];
    for (what, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
        text.push_str(&format!("    {what}: {}\n", shortened(&names, ", ")));
    }
    text
}

/// The rigid linkage that flexible links are measured against, and how well it is fixed to them.
fn equivalent_rigid(checked: &Checked) -> String {
    let Some(found) = checked.equivalent_rigid() else { return String::new() };
    let mut text = format!(
        "  equivalent rigid-link system: mobility {} by Kutzbach's count, {} to solve for\n",
        found.kutzbach,
        plural(found.elastic, "elastic coordinate", "elastic coordinates"),
    );
    let quoted = |names: &[String]| -> Vec<String> {
        names.iter().map(|name| format!("`{name}`")).collect()
    };
    let condition = if found.zeroed.is_empty() {
        String::new()
    } else {
        format!(" (condition of J0 {:.2})", found.condition)
    };
    let lists = [
        ("independent coordinates of", &found.independent, ""),
        ("coordinates by loops of", &found.dependent, ""),
        ("driven coordinates of", &found.driven, ""),
        ("zeroed", &found.zeroed, condition.as_str()),
    ];
    for (what, names, more) in lists.into_iter().filter(|(_, names, _)| !names.is_empty()) {
        text.push_str(&format!("    {what}: {}{more}\n", shortened(&quoted(names), ", ")));
    }
    text
}

/// Rows of one owner together: `C` (z, tilt about x), `D` (z).
fn by_owner(rows: &[RowName]) -> String {
    let mut owners: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        let place = *places.entry(&row.owner).or_insert(owners.len());
        if place == owners.len() {
            owners.push((&row.owner, Vec::new()));
        }
        owners[place].1.push(row.row);
    }
    let one = |(owner, mut names): (&str, Vec<&str>)| {
        // Points before tilts, and each kind in the order of the axes.
        names.sort_by_key(|name| (name.len(), *name));
        names.dedup();
        format!("`{owner}` ({})", names.join(", "))
    };
    shortened(&owners.into_iter().map(one).collect::<Vec<_>>(), ", ")
}

/// Journals that do not start parallel to their bearings.
fn tilts(assembly: &Assembly) -> String {
    let tilted = assembly.tilts().into_iter().filter(|t| t.tilt > 1e-9);
    let line = |t: gudgeon::assembly::StartTilt| {
        let name = &assembly.system.model.joints[t.joint.0].name;
        format!(
            "  `{name}` starts tilted by {} deg; its play allows {} deg\n",
            quantity(t.tilt.to_degrees(), ""),
            quantity(t.limit.to_degrees(), ""),
        )
    };
    tilted.map(line).collect()
}

/// What was requested and what came of it, where they differ.
fn request_table(assembly: &Assembly, paint: Paint) -> String {
    let departures = assembly.departures();
    if departures.is_empty() {
        return String::new();
    }
    let mut table =
        Table::new(["start", "quantity", "requested", "assembled", "difference"]).names(2);
    for request in departures.iter().take(POSES) {
        table.row(vec![
            request.owner.clone(),
            request.quantity.name().to_owned(),
            request.text(&request.requested),
            request.text(&request.assembled),
            format!("{:.1e}", request.difference),
        ]);
    }
    let more = departures.len().saturating_sub(POSES);
    let rest = if more > 0 { format!("  … and {more} more\n") } else { String::new() };
    table.render(paint) + &rest
}

fn pose_table(loaded: &Loaded, assembly: &Assembly, paint: Paint) -> String {
    let model = &loaded.model;
    let spatial = model.space == Space::Spatial;
    let mut table = if spatial {
        Table::new(["assembled pose", "x", "y", "z", "turn"]).text_from(4)
    } else {
        Table::new(["assembled pose", "x", "y", "angle"])
    };
    let poses = assembly.poses();
    let size = poses.iter().fold(0.0, |size: f64, p| size.max(p.frame.p.amax()));
    let place = |value: f64| in_scale_of(size, clean(value, size), "m");
    for pose in poses.iter().take(POSES) {
        let mut row = vec![model.bodies[pose.body].name.clone()];
        row.extend(pose.frame.p.iter().take(if spatial { 3 } else { 2 }).map(|x| place(*x)));
        row.push(if spatial { turn(pose) } else { degrees(pose.turn.z) });
        table.row(row);
    }
    let mut text = table.render(paint);
    if poses.len() > POSES {
        text.push_str(&format!("  … and {} more, all with --json\n", poses.len() - POSES));
    }
    text
}

fn degrees(angle: f64) -> String {
    format!("{} deg", quantity(clean(angle.to_degrees(), 360.0), ""))
}

/// A rotation as a model file would write it: an angle about an axis.
fn turn(pose: &BodyPose) -> String {
    let angle = pose.turn.norm();
    if angle < NO_TURN {
        return degrees(0.0);
    }
    let axis = pose.turn / angle;
    for (i, name) in ["x", "y", "z"].into_iter().enumerate() {
        if axis[i].abs() > 1.0 - 1e-12 {
            return format!("{} about {name}", degrees(angle * axis[i].signum()));
        }
    }
    let axis: Vec<String> = axis.iter().map(|x| quantity(clean(*x, 1.0), "")).collect();
    format!("{} about {}", degrees(angle), axis.join(", "))
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

fn output_table(loaded: &Loaded, assembly: &Assembly, paint: Paint) -> String {
    let mut table = Table::new(["output", "unit", "about"]).text_from(1);
    for sensor in catalogue(&loaded.model) {
        let mark = if sensor.is_unique(assembly) { "" } else { "; not unique here" };
        let about = format!("{}{mark}", sensor.about);
        table.row(vec![sensor.name, sensor.unit.into_owned(), about]);
    }
    table.render(paint)
}
