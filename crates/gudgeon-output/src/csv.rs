//! Comma-separated text: the same numbers give the same bytes, and read back to the same bits.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::OutputError;
use crate::series::Column;

/// Appends the shortest text that reads back to the same number.
///
/// Plain notation between 1e-5 and 1e16, powers of ten outside; `NaN`, `inf` and `-inf` as such.
pub fn push_number(out: &mut String, value: f64) {
    let size = value.abs();
    let plain = size == 0.0 || (1e-5..1e16).contains(&size) || !size.is_finite();
    // writing to a `String` cannot fail
    let _ = if plain { write!(out, "{value}") } else { write!(out, "{value:e}") };
}

/// Appends a text field, quoted where it has to be (RFC 4180).
pub fn push_text(out: &mut String, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}

/// A buffered file of lines; `line` is reused so that a row costs no allocation.
struct Lines {
    path: PathBuf,
    file: BufWriter<File>,
    line: String,
}

impl Lines {
    fn create(path: &Path) -> Result<Lines, OutputError> {
        let file = File::create(path).map_err(OutputError::io("create", path))?;
        let file = BufWriter::with_capacity(1 << 16, file);
        Ok(Lines { path: path.to_owned(), file, line: String::new() })
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        self.line.push('\n');
        let written = self.file.write_all(self.line.as_bytes());
        self.line.clear();
        written.map_err(OutputError::io("write", &self.path))
    }

    /// Ends a line with numbers behind what it begins with.
    fn end_with(&mut self, values: &[f64]) -> Result<(), OutputError> {
        for value in values {
            self.line.push(',');
            push_number(&mut self.line, *value);
        }
        self.end_line()
    }

    fn finish(mut self) -> Result<(), OutputError> {
        self.file.flush().map_err(OutputError::io("write", &self.path))
    }
}

/// Streams a table of numbers to a file.
pub(crate) struct CsvTable {
    lines: Lines,
}

impl CsvTable {
    /// Creates the file and writes the header, `name [unit]` for each column.
    pub(crate) fn create(path: &Path, columns: &[Column]) -> Result<CsvTable, OutputError> {
        let mut lines = Lines::create(path)?;
        for (index, column) in columns.iter().enumerate() {
            if index > 0 {
                lines.line.push(',');
            }
            push_text(&mut lines.line, &column.heading());
        }
        lines.end_line()?;
        Ok(CsvTable { lines })
    }

    pub(crate) fn push(&mut self, row: &[f64]) -> Result<(), OutputError> {
        for (index, value) in row.iter().enumerate() {
            if index > 0 {
                self.lines.line.push(',');
            }
            push_number(&mut self.lines.line, *value);
        }
        self.lines.end_line()
    }

    pub(crate) fn finish(self) -> Result<(), OutputError> {
        self.lines.finish()
    }
}

/// Streams the force–indentation loops of chosen impacts to `loops.csv`.
pub struct LoopsWriter {
    lines: Lines,
}

impl LoopsWriter {
    /// Creates `loops.csv` in `folder`.
    pub fn create(folder: &Path) -> Result<LoopsWriter, OutputError> {
        let mut lines = Lines::create(&folder.join("loops.csv"))?;
        lines.line.push_str("joint,impact,t [s],depth [m],force [N]");
        lines.end_line()?;
        Ok(LoopsWriter { lines })
    }

    /// Adds one point of the loop of impact number `impact` in `joint`.
    pub fn push(
        &mut self,
        joint: &str,
        impact: usize,
        t: f64,
        depth: f64,
        force: f64,
    ) -> Result<(), OutputError> {
        let line = &mut self.lines.line;
        push_text(line, joint);
        let _ = write!(line, ",{impact}"); // writing to a `String` cannot fail
        self.lines.end_with(&[t, depth, force])
    }

    /// Writes what is still in the buffer.
    pub fn finish(self) -> Result<(), OutputError> {
        self.lines.finish()
    }
}

/// Streams pressure and thickness of films at chosen instants to `pressure.csv`.
pub struct PressureWriter {
    lines: Lines,
}

impl PressureWriter {
    /// Creates `pressure.csv` in `folder`.
    pub fn create(folder: &Path) -> Result<PressureWriter, OutputError> {
        let mut lines = Lines::create(&folder.join("pressure.csv"))?;
        lines.line.push_str("joint,t [s],angle [rad],place [m],pressure [Pa],thickness [m]");
        lines.end_line()?;
        Ok(PressureWriter { lines })
    }

    /// Adds a point of the film of `joint`: time, angle, place, pressure, thickness.
    pub fn push(&mut self, joint: &str, point: [f64; 5]) -> Result<(), OutputError> {
        push_text(&mut self.lines.line, joint);
        self.lines.end_with(&point)
    }

    /// Writes what is still in the buffer.
    pub fn finish(self) -> Result<(), OutputError> {
        self.lines.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: f64) -> String {
        let mut out = String::new();
        push_number(&mut out, value);
        out
    }

    #[test]
    fn numbers_read_back_to_the_same_bits() {
        let values = [0.0, -0.0, 0.1, 1.0 / 3.0, 1e-5, 9.9e-6, 1e16, -2.5e300, 5e-324, f64::MAX];
        for value in values {
            let back: f64 = number(value).parse().unwrap();
            assert_eq!(back.to_bits(), value.to_bits(), "{value:e}");
            assert!(number(value).len() <= 24, "{}", number(value));
        }
        assert_eq!(number(f64::NAN), "NaN");
        assert_eq!(number(f64::NEG_INFINITY), "-inf");
    }

    #[test]
    fn awkward_text_is_quoted() {
        let mut out = String::new();
        push_text(&mut out, "pin, \"upper\"");
        assert_eq!(out, "\"pin, \"\"upper\"\"\"");
    }
}
