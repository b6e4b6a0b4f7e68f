//! Rows of two runs at the instants that both recorded.

use std::collections::BTreeMap;
use std::path::Path;

use super::compare::Comparison;

/// A table of rows: its columns, and its rows by their time as written.
pub struct Table {
    columns: Vec<String>,
    rows: BTreeMap<String, Vec<f64>>,
}

/// The rows of a run; none where it wrote no table.
pub fn read(path: &Path) -> Option<Table> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let columns = lines.next()?.split(',').map(str::to_owned).collect();
    let rows = lines.filter_map(|line| {
        let (t, _) = line.split_once(',')?;
        let values = line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
        Some((t.to_owned(), values))
    });
    Some(Table { columns, rows: rows.collect() })
}

/// Compares columns of the same name, each by the size of its largest value.
pub fn compare(old: &Table, new: &Table, comparison: &mut Comparison) {
    let shared: Vec<(&Vec<f64>, &Vec<f64>)> =
        old.rows.iter().filter_map(|(t, row)| Some((row, new.rows.get(t)?))).collect();
    if shared.len() < old.rows.len() || shared.len() < new.rows.len() {
        let (old, new) = (old.rows.len(), new.rows.len());
        comparison.note(format!("{old} rows, now {new}, {} at the same instants", shared.len()));
    }
    for (i, name) in old.columns.iter().enumerate() {
        let Some(j) = new.columns.iter().position(|other| other == name) else {
            comparison.note(format!("column `{name}` is gone"));
            continue;
        };
        let size = shared.iter().map(|(row, _)| row[i].abs()).fold(0.0, f64::max);
        let apart = |pair: &&(&Vec<f64>, &Vec<f64>)| (pair.0[i] - pair.1[j]).abs();
        let worst = shared.iter().max_by(|a, b| apart(a).total_cmp(&apart(b)));
        if let Some((a, b)) = worst {
            comparison.number(&format!("rows of {name}"), a[i], b[j], size);
        }
    }
}
