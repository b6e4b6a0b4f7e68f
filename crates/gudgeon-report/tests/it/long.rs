//! A long and wide result: the page stays small, and is written in a time that fits.

use std::time::Instant;

use gudgeon_files::Disk;
use gudgeon_output::{Column, SeriesWriter};
use gudgeon_report::report;
use serde_json::json;

use crate::folders::Folder;

const ROWS: usize = 1_000_000;
const OUTPUTS: usize = 200;

#[test]
#[ignore = "slow: a million rows of 200 outputs, some 40 s"]
fn a_million_rows_of_two_hundred_outputs_fit_into_six_megabytes() {
    let folder = Folder::new("long");
    let names = (0..OUTPUTS).map(|i| Column::new(format!("body{i}.position.x"), "m", ""));
    let columns: Vec<Column> = std::iter::once(Column::time()).chain(names).collect();
    let disk = Disk::real();
    let mut table = SeriesWriter::named(&disk, folder.path(), "series.parquet", &columns).unwrap();
    let mut row = vec![0.0; OUTPUTS + 1];
    for i in 0..ROWS {
        let t = i as f64 * 1e-5;
        row[0] = t;
        for (k, value) in row[1..].iter_mut().enumerate() {
            // Cheap, and not smooth.
            *value = ((i * (k + 3)) % 977) as f64 * 1e-3 - 0.2 * t;
        }
        table.push(&row).unwrap();
    }
    table.finish().unwrap();
    let record = json!({
        "gudgeon": "0.1.0", "status": "ok", "model": {"name": "long"},
        "window": {"from": 0.0, "to": 10.0}, "final": {"t": 10.0},
    });
    let started = Instant::now();
    let page = report(folder.path(), &record).unwrap();
    let seconds = started.elapsed().as_secs_f64();
    eprintln!("{} bytes in {seconds:.1} s", page.len());
    assert!(page.len() <= 6_000_000, "{} bytes", page.len());
    if let Some(kept) = std::env::var_os("KEEP_PAGE") {
        std::fs::write(kept, page).unwrap();
    }
}
