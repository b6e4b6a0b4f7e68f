//! The index of a page: everything that it shows, with numbers in the block where they are many.

use std::path::Path;

use gudgeon_output::motion::{
    IDEAL_MOTION, IDEAL_SERIES, JOURNALS, MOTION, Mechanism, read_journals, read_motion,
};
use gudgeon_output::{OutputError, SeriesReader};
use serde::Serialize;
use serde_json::{Value, json};

use crate::block::Block;
use crate::motion::{Journal, Moving, journals, moving};
use crate::outputs::{Outputs, Stretches, outputs};
use crate::pressure::{self, Pressure};

/// Impacts that are listed, the largest.
const IMPACTS: usize = 200;
/// Texts of a model that are shown, bytes.
const TEXT: usize = 200_000;

#[derive(Debug, Serialize)]
struct Index<'a> {
    record: Value,
    /// How many impacts there are; the record has the largest.
    impacts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    outputs: Option<Outputs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ideal: Option<Outputs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    motion: Option<Moving<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ghost: Option<Moving<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    journals: Vec<Journal>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pressures: Vec<Pressure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shapes: Option<Value>,
}

/// What a page holds, as texts.
pub struct Content {
    pub title: String,
    pub index: String,
    pub block: String,
    /// Whether it shows something in space.
    pub spatial: bool,
}

/// Reads what a folder has, with its record.
pub fn read(folder: &Path, record: &Value) -> Result<Content, OutputError> {
    let mut block = Block::default();
    let motion = read_motion(&folder.join(MOTION))?;
    let ghost = read_motion(&folder.join(IDEAL_MOTION))?;
    let mechanism = motion.as_ref().map(|motion| &motion.mechanism);
    let stretches = Stretches::of(record, mechanism.and_then(|one| one.period));
    let table = SeriesReader::open(folder)?;
    let ideal = SeriesReader::open_named(folder, IDEAL_SERIES)?;
    let journal_table = read_journals(&folder.join(JOURNALS))?;
    let outputs_of = |table: Option<SeriesReader>, block: &mut Block, studied: bool| {
        table.map(|table| outputs(&table, block, &stretches, studied)).transpose()
    };
    let outputs = outputs_of(table, &mut block, true)?;
    let ideal = outputs_of(ideal, &mut block, false)?;
    let journals = match (mechanism, &journal_table) {
        (Some(mechanism), Some(columns)) => journals(mechanism, columns, &mut block),
        _ => Vec::new(),
    };
    let shapes = std::fs::read_to_string(folder.join("shapes.json")).ok();
    let shapes = shapes.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let spatial = mechanism.is_some_and(|one: &Mechanism| !one.planar);
    let index = Index {
        record: shown(record),
        impacts: record["impacts"].as_array().map_or(0, Vec::len),
        outputs,
        ideal,
        motion: motion.as_ref().map(|motion| moving(motion, &mut block)),
        ghost: ghost.as_ref().map(|motion| moving(motion, &mut block)),
        journals,
        pressures: pressure::read(&folder.join("pressure.csv"), &mut block),
        shapes,
    };
    let title = record["model"]["name"].as_str().unwrap_or("Gudgeon").to_owned();
    let index = serde_json::to_string(&index).unwrap_or_default();
    Ok(Content { title, index, block: block.text(), spatial })
}

/// The record without what differs between two runs of one file and what is too long.
fn shown(record: &Value) -> Value {
    let mut record = record.clone();
    let Some(entries) = record.as_object_mut() else { return record };
    for key in ["environment", "files", "cpu", "result", "kept"] {
        entries.remove(key);
    }
    if let Some(impacts) = entries.get_mut("impacts").and_then(Value::as_array_mut) {
        let force = |impact: &Value| impact["peak_force"].as_f64().unwrap_or(0.0);
        let time = |impact: &Value| impact["t"].as_f64().unwrap_or(0.0);
        if impacts.len() > IMPACTS {
            impacts.sort_by(|a, b| force(b).total_cmp(&force(a)));
            impacts.truncate(IMPACTS);
            impacts.sort_by(|a, b| time(a).total_cmp(&time(b)));
        }
    }
    // Shapes of modes along a parameter are many and not shown.
    for point in entries.get_mut("points").and_then(Value::as_array_mut).into_iter().flatten() {
        for mode in point["modes"].as_array_mut().into_iter().flatten() {
            if let Some(mode) = mode.as_object_mut() {
                ["shape", "strain", "kinetic"].iter().for_each(|key| drop(mode.remove(*key)));
            }
        }
    }
    let model = &mut record["model"];
    for data in model["data"].as_array_mut().into_iter().flatten() {
        data.as_object_mut().map(|data| data.remove("text"));
    }
    for file in model["files"].as_array_mut().into_iter().flatten() {
        if file["text"].as_str().is_some_and(|text| text.len() > TEXT) {
            file["text"] = json!("(longer than 200 kB; it is in run.json)");
        }
    }
    record
}
