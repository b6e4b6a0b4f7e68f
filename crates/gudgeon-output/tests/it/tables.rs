//! The tables read back to the same bits, and are the same bytes each time.

use std::fs::{self, File};
use std::path::Path;

use gudgeon_output::{
    COLUMNS_KEY, Column, LoopsWriter, OutputError, PressureWriter, SeriesFormat, SeriesWriter,
};
use parquet::column::reader::ColumnReader;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::scratch::Scratch;

fn columns() -> Vec<Column> {
    vec![
        Column::time(),
        Column::new("slider.acceleration.x", "m/s^2", "acceleration of the slider"),
        Column::new("pin.in_contact", "", "1 while the journal touches"),
    ]
}

fn row(i: usize) -> [f64; 3] {
    let t = i as f64 * 1e-6;
    [t, 1e4 / (3.0 + i as f64), f64::from(u8::from(i.is_multiple_of(3)))]
}

fn write(folder: &Path, rows: usize) {
    let mut writer = SeriesWriter::create(folder, &columns(), SeriesFormat::ALL).unwrap();
    (0..rows).for_each(|i| writer.push(&row(i)).unwrap());
    assert_eq!(writer.finish().unwrap(), rows as u64);
}

#[test]
fn csv_has_units_in_the_header() {
    let scratch = Scratch::new();
    write(&scratch, 3);
    insta::assert_snapshot!(fs::read_to_string(scratch.join("series.csv")).unwrap(), @r"
    t [s],slider.acceleration.x [m/s^2],pin.in_contact
    0,3333.3333333333335,1
    1e-6,2500,0
    2e-6,2000,0
    ");
}

#[test]
fn parquet_reads_back_to_the_same_bits() {
    let scratch = Scratch::new();
    let rows = 70_000;
    write(&scratch, rows);
    let reader = SerializedFileReader::new(File::open(scratch.join("series.parquet")).unwrap());
    let reader = reader.unwrap();
    let metadata = reader.metadata().file_metadata();
    assert_eq!(metadata.num_rows(), rows as i64);
    let described = metadata.key_value_metadata().unwrap().iter().find(|m| m.key == COLUMNS_KEY);
    insta::assert_snapshot!(described.unwrap().value.as_ref().unwrap(), @r#"[{"name":"t","unit":"s","about":"time"},{"name":"slider.acceleration.x","unit":"m/s^2","about":"acceleration of the slider"},{"name":"pin.in_contact","unit":"","about":"1 while the journal touches"}]"#);
    let names: Vec<_> = metadata.schema_descr().columns().iter().map(|c| c.name()).collect();
    assert_eq!(names, ["t", "slider.acceleration.x", "pin.in_contact"]);

    assert_eq!(reader.num_row_groups(), 2);
    let mut start = 0;
    for group in 0..2 {
        let group = reader.get_row_group(group).unwrap();
        let count = group.metadata().num_rows() as usize;
        for column in 0..3 {
            let ColumnReader::DoubleColumnReader(mut column_reader) =
                group.get_column_reader(column).unwrap()
            else {
                panic!("column {column} is not of 64-bit numbers")
            };
            let mut values = Vec::new();
            column_reader.read_records(count, None, None, &mut values).unwrap();
            let expected = (start..start + count).map(|i| row(i)[column].to_bits());
            assert!(values.iter().map(|v| v.to_bits()).eq(expected));
        }
        start += count;
    }
    assert_eq!(start, rows);
}

#[test]
fn what_is_missing_is_an_empty_cell_and_null() {
    let scratch = Scratch::new();
    let columns = [Column::time(), Column::new("efficiency", "", "").missing(true)];
    let mut writer = SeriesWriter::create(&scratch, &columns, SeriesFormat::ALL).unwrap();
    for row in [[0.0, f64::NAN], [1.0, 0.5], [2.0, f64::NAN], [3.0, 0.25]] {
        writer.push(&row).unwrap();
    }
    writer.finish().unwrap();
    let table = fs::read_to_string(scratch.join("series.csv")).unwrap();
    assert_eq!(table, "t [s],efficiency\n0,\n1,0.5\n2,\n3,0.25\n");
    let file = File::open(scratch.join("series.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let group = reader.get_row_group(0).unwrap();
    let ColumnReader::DoubleColumnReader(mut column) = group.get_column_reader(1).unwrap() else {
        panic!("not of 64-bit numbers")
    };
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    column.read_records(4, Some(&mut levels), None, &mut values).unwrap();
    assert_eq!((&levels[..], &values[..]), (&[0, 1, 0, 1][..], &[0.5, 0.25][..]));
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let (a, b) = (Scratch::new(), Scratch::new());
    write(&a, 1000);
    write(&b, 1000);
    for name in ["series.csv", "series.parquet"] {
        assert!(fs::read(a.join(name)).unwrap() == fs::read(b.join(name)).unwrap(), "{name}");
    }
}

#[test]
fn a_table_without_rows_is_valid() {
    let scratch = Scratch::new();
    write(&scratch, 0);
    let file = File::open(scratch.join("series.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
}

#[test]
fn a_row_of_the_wrong_length_is_refused() {
    let scratch = Scratch::new();
    let mut writer = SeriesWriter::create(&scratch, &columns(), &[SeriesFormat::Csv]).unwrap();
    let error = writer.push(&[0.0]).unwrap_err();
    assert!(matches!(error, OutputError::RowLength { given: 1, expected: 3, .. }));
    assert!(!scratch.join("series.parquet").exists());
}

#[test]
fn loops_name_joint_and_impact() {
    let scratch = Scratch::new();
    let mut loops = LoopsWriter::create(&scratch).unwrap();
    loops.push("pin", 3, 0.0123, 1.5e-6, 812.5).unwrap();
    loops.finish().unwrap();
    insta::assert_snapshot!(fs::read_to_string(scratch.join("loops.csv")).unwrap(), @r"
    joint,impact,t [s],depth [m],force [N]
    pin,3,0.0123,1.5e-6,812.5
    ");
}

#[test]
fn a_missing_folder_is_an_error_with_its_path() {
    let error = LoopsWriter::create(Path::new("/nonexistent")).err().unwrap();
    assert!(error.to_string().starts_with("cannot create `/nonexistent/loops.csv`: "));
}

/// `/dev/full` answers every write as a full disk does.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for (name, format) in
        [("series.csv", SeriesFormat::Csv), ("series.parquet", SeriesFormat::Parquet)]
    {
        let scratch = Scratch::new();
        std::os::unix::fs::symlink("/dev/full", scratch.join(name)).unwrap();
        let result =
            SeriesWriter::create(&scratch, &columns(), &[format]).and_then(|mut writer| {
                (0..200_000).try_for_each(|i| writer.push(&row(i)))?;
                writer.finish()
            });
        let error = result.unwrap_err();
        let OutputError::Io { source, .. } = &error else { panic!("{error}") };
        assert_eq!(source.kind(), std::io::ErrorKind::StorageFull, "{error}");
        assert!(error.to_string().starts_with("cannot write `") && !error.help().is_empty());
    }
}

#[test]
fn pressures_are_listed_in_long_form() {
    let scratch = Scratch::new();
    let mut writer = PressureWriter::create(&scratch).unwrap();
    writer.push("pin, upper", [0.1, 0.0, -0.01, 0.0, 2e-5]).unwrap();
    writer.push("pin, upper", [0.1, 3.5, 0.0, 1.5e6, 1e-6]).unwrap();
    writer.finish().unwrap();
    insta::assert_snapshot!(fs::read_to_string(scratch.join("pressure.csv")).unwrap(), @r#"
    joint,t [s],angle [rad],place [m],pressure [Pa],thickness [m]
    "pin, upper",0.1,0,-0.01,0,0.00002
    "pin, upper",0.1,3.5,0,1500000,1e-6
    "#);
}
