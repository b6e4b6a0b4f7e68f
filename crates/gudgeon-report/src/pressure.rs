//! Pressure of films at the instants that a run was asked for, from `pressure.csv`.

use std::path::Path;

use serde::Serialize;

use crate::block::{Array, Block};

/// Fields in a page at most.
const FIELDS: usize = 12;

/// A field, row by row: a row per place along the axis, from end to end, a value per angle from 0 to 360°.
#[derive(Debug, Serialize)]
pub struct Pressure {
    joint: String,
    t: f64,
    around: usize,
    /// Places along the axis, from and to, m.
    ends: [f64; 2],
    pressure: (Array, [f64; 2]),
}

/// The first fields of a table; none where there is no such file.
pub fn read(path: &Path, block: &mut Block) -> Vec<Pressure> {
    let Ok(text) = std::fs::read_to_string(path) else { return Vec::new() };
    let mut fields: Vec<Field> = Vec::new();
    for line in text.lines().skip(1) {
        let mut cells = line.rsplitn(6, ',');
        let mut number = || cells.next().and_then(|cell| cell.parse::<f64>().ok());
        let (Some(_), Some(pressure), Some(place), Some(_), Some(t)) =
            (number(), number(), number(), number(), number())
        else {
            continue;
        };
        let joint = cells.next().unwrap_or_default().trim_matches('"');
        let new = fields.last().is_none_or(|last| last.t != t || last.joint != joint);
        if new && fields.len() == FIELDS {
            break;
        }
        if new {
            fields.push(Field { joint: joint.to_owned(), t, ..Field::default() });
        }
        if let Some(field) = fields.last_mut() {
            field.push(place, pressure);
        }
    }
    fields.into_iter().map(|field| field.shown(block)).collect()
}

#[derive(Default)]
struct Field {
    joint: String,
    t: f64,
    around: usize,
    first: Option<f64>,
    last: f64,
    values: Vec<f64>,
}

impl Field {
    fn push(&mut self, place: f64, pressure: f64) {
        let first = *self.first.get_or_insert(place);
        self.around += usize::from(place == first);
        self.last = place;
        self.values.push(pressure);
    }

    fn shown(self, block: &mut Block) -> Pressure {
        let pressure = block.shorts(&self.values);
        let ends = [self.first.unwrap_or(0.0), self.last];
        Pressure { joint: self.joint, t: self.t, around: self.around, ends, pressure }
    }
}
