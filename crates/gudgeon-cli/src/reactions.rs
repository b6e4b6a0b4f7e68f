//! Reactions that the motion does not determine, in names of outputs.

use gudgeon::assembly::{Assembly, Indeterminate};
use gudgeon::model::{Model, Space};

/// Joints with reactions that are not unique, and which.
pub fn not_unique(assembly: &Assembly) -> impl Iterator<Item = (&str, Vec<String>)> {
    let model = &assembly.system.model;
    let named = |one: &Indeterminate| (model.joints[one.joint.0].name.as_str(), names(model, one));
    assembly.report.indeterminate.iter().map(named)
}

/// In world axes, or in those of the joint where fewer are concerned.
fn names(model: &Model, one: &Indeterminate) -> Vec<String> {
    let count = |flags: &[bool; 6]| flags.iter().filter(|flag| **flag).count();
    let in_joint = model.space == Space::Spatial && count(&one.local) < count(&one.world);
    let (prefix, flags) = if in_joint { ("local_", &one.local) } else { ("", &one.world) };
    let mut names = of_vector(&format!("{prefix}reaction"), &flags[..3]);
    let torque = format!("{prefix}reaction_torque");
    match model.space {
        Space::Planar if flags[5] => names.push(torque),
        Space::Planar => {}
        Space::Spatial => names.extend(of_vector(&torque, &flags[3..])),
    }
    names
}

fn of_vector(name: &str, flags: &[bool]) -> Vec<String> {
    if flags.iter().all(|flag| *flag) {
        return vec![name.to_owned()];
    }
    let flagged = flags.iter().zip(["x", "y", "z"]).filter(|(flag, _)| **flag);
    flagged.map(|(_, component)| format!("{name}.{component}")).collect()
}
