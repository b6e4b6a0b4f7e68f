//! What of a mechanism can be drawn, as the record of its motion keeps it. SI units.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mechanism {
    pub planar: bool,
    /// Size of the mechanism, and by how much positions between keys may be off, m.
    pub size: f64,
    pub error: f64,
    /// What has poses, in the order of the columns: bodies, then lines.
    pub drawn: Vec<Drawn>,
    pub markers: Vec<Marker>,
    pub joints: Vec<Joint>,
    /// Springs, bushings and the like between markers.
    pub elements: Vec<Element>,
    pub journals: Vec<Journal>,
    /// Of the drive that turns evenly: seconds per turn, and its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Drawn {
    pub name: String,
    /// Mass centre in own axes.
    pub centre: [f64; 3],
    /// Shares of the line, each with a pose; none of a body that is rigid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stations: Vec<f64>,
}

/// A place on a body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Marker {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Among what is drawn; none for the ground.
    pub on: Option<usize>,
    pub position: [f64; 3],
    /// Quaternion (w, x, y, z).
    pub axes: [f64; 4],
    /// On a line: the share of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub along: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Joint {
    pub name: String,
    pub kind: String,
    pub a: usize,
    pub b: usize,
    /// A driver prescribes its motion.
    pub driven: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clearance: Option<ClearanceShape>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClearanceShape {
    /// `pin`, `journal`, `ball` or `guide`.
    pub form: String,
    pub bearing_radius: f64,
    pub radial: f64,
    /// Of journals and guides.
    pub length: f64,
    pub width: f64,
    pub film: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Element {
    pub name: String,
    pub kind: String,
    pub a: usize,
    pub b: usize,
}

/// A journal whose place in its bearing is followed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Journal {
    pub name: String,
    pub joint: usize,
    pub clearance: f64,
}

/// How far the inner stations of a line, whose poses these are, lie from its chord; world axes.
pub fn deflections(poses: &[f64], stations: &[f64], (size, axes): (usize, usize), out: &mut [f64]) {
    let inner = stations.len().saturating_sub(2);
    let (first, last) = (poses, &poses[size * (stations.len().max(1) - 1)..]);
    for (k, out) in out.chunks_exact_mut(axes).take(inner).enumerate() {
        let (share, pose) = (stations[k + 1], &poses[size * (k + 1)..]);
        for (i, out) in out.iter_mut().enumerate() {
            *out = pose[i] - first[i] - share * (last[i] - first[i]);
        }
    }
}

impl Mechanism {
    /// Numbers of a pose.
    pub fn pose_size(&self) -> usize {
        if self.planar { 3 } else { 7 }
    }

    pub fn axes(&self) -> usize {
        if self.planar { 2 } else { 3 }
    }

    /// How many poses a row has.
    pub fn poses(&self) -> usize {
        self.drawn.iter().map(|one| one.stations.len().max(1)).sum()
    }

    /// Names and units of the columns behind the time and the mark of an impact.
    pub(super) fn columns(&self) -> Vec<(String, &'static str)> {
        let mut columns = Vec::new();
        let parts: &[(&str, &str)] = match self.planar {
            true => &[("x", "m"), ("y", "m"), ("angle", "rad")],
            false => &[
                ("x", "m"),
                ("y", "m"),
                ("z", "m"),
                ("qw", ""),
                ("qx", ""),
                ("qy", ""),
                ("qz", ""),
            ],
        };
        for one in &self.drawn {
            for k in 0..one.stations.len().max(1) {
                let of = if one.stations.is_empty() {
                    one.name.clone()
                } else {
                    format!("{}.{k}", one.name)
                };
                columns.extend(parts.iter().map(|(part, unit)| (format!("{of}.{part}"), *unit)));
            }
        }
        for joint in &self.joints {
            let axes = &["x", "y", "z"][..self.axes()];
            columns.extend(axes.iter().map(|axis| (format!("{}.force.{axis}", joint.name), "N")));
        }
        columns
    }
}
