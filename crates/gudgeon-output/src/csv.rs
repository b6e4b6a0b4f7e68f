//! Comma-separated text: the same numbers give the same bytes, and read back to the same bits.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gudgeon_files::{Disk, DiskFile};

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

/// Appends a text field, quoted where it has to be (RFC 4180). One that a spreadsheet would take for
/// a formula gets an apostrophe in front, which makes it text there; numbers stay as they are.
pub fn push_text(out: &mut String, text: &str) {
    let formula = is_formula(text);
    if !formula && !text.contains([',', '"', '\n', '\r']) {
        out.push_str(text);
        return;
    }
    out.push_str(if formula { "\"'" } else { "\"" });
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}

/// Whether a spreadsheet computes a cell instead of showing it.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err()
}

/// Bytes that wait at most to be written.
const BUFFER: usize = 1 << 16;
/// How long they wait at most, as far as lines come: what a killed run loses.
const WAIT: Duration = Duration::from_secs(1);

/// A buffered file of lines. Only whole lines are written, at the latest after a second; where that
/// fails, the file is cut back to whole lines. The buffer is reused so that a row costs no allocation.
struct Lines {
    path: PathBuf,
    file: DiskFile,
    /// Whole lines, and the one being made.
    line: String,
    /// Bytes in the file.
    written: u64,
    since: Instant,
    broken: bool,
}

impl Lines {
    fn create(disk: &Disk, path: &Path) -> Result<Lines, OutputError> {
        let file = disk.create(path).map_err(OutputError::io("create", path))?;
        let line = String::with_capacity(BUFFER);
        let (path, since) = (path.to_owned(), Instant::now());
        Ok(Lines { path, file, line, written: 0, since, broken: false })
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        self.line.push('\n');
        if self.line.len() >= BUFFER - 1024 || self.since.elapsed() >= WAIT {
            return self.flush();
        }
        Ok(())
    }

    /// Ends a line with numbers behind what it begins with.
    fn end_with(&mut self, values: &[f64]) -> Result<(), OutputError> {
        for value in values {
            self.line.push(',');
            push_number(&mut self.line, *value);
        }
        self.end_line()
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        self.since = Instant::now();
        let bytes = std::mem::take(&mut self.line);
        let written = match self.broken {
            true => Err(io::Error::other("an earlier write failed")),
            false => self.write(bytes.as_bytes()),
        };
        self.line = bytes;
        self.line.clear();
        written.map_err(OutputError::io("write", &self.path))
    }

    /// Writes whole lines; of those that do not fit as many as do.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut done = 0;
        let mut failed = None;
        while done < bytes.len() && failed.is_none() {
            match self.file.write(&bytes[done..]) {
                Ok(0) => failed = Some(io::ErrorKind::WriteZero.into()),
                Ok(length) => done += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => failed = Some(error),
            }
        }
        let whole = bytes[..done].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.written += whole as u64;
        let Some(error) = failed else { return Ok(()) };
        self.broken = true;
        let _ = self.file.cut(self.written); // a torn line stays where this fails
        Err(error)
    }

    fn finish(mut self) -> Result<(), OutputError> {
        if self.broken { Ok(()) } else { self.flush() }
    }
}

/// The first line of a table: `name [unit]` for each column.
pub(crate) fn heading(columns: &[Column]) -> String {
    let mut line = String::new();
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        push_text(&mut line, &column.heading());
    }
    line.push('\n');
    line
}

/// That of `loops.csv`.
pub(crate) fn loops_heading() -> String {
    "joint,impact,t [s],depth [m],force [N]\n".to_owned()
}

/// Streams a table of numbers to a file.
pub(crate) struct CsvTable {
    lines: Lines,
    /// Which columns are left empty where they have no value.
    may_be_missing: Vec<bool>,
}

impl CsvTable {
    /// Creates the file and writes the heading.
    pub(crate) fn create(
        disk: &Disk,
        path: &Path,
        columns: &[Column],
    ) -> Result<CsvTable, OutputError> {
        let mut lines = Lines::create(disk, path)?;
        lines.line.push_str(heading(columns).trim_end_matches('\n'));
        lines.end_line()?;
        let may_be_missing = columns.iter().map(|column| column.may_be_missing).collect();
        Ok(CsvTable { lines, may_be_missing })
    }

    pub(crate) fn push(&mut self, row: &[f64]) -> Result<(), OutputError> {
        for (index, value) in row.iter().enumerate() {
            if index > 0 {
                self.lines.line.push(',');
            }
            let may_be_missing = self.may_be_missing.get(index) == Some(&true);
            if !(value.is_nan() && may_be_missing) {
                push_number(&mut self.lines.line, *value);
            }
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
        let mut lines = Lines::create(&Disk::real(), &folder.join("loops.csv"))?;
        lines.line.push_str(loops_heading().trim_end_matches('\n'));
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

/// That of `lines.csv`.
pub(crate) fn lines_heading() -> String {
    "body,t [s],along,x [m],y [m],z [m],q_w,q_x,q_y,q_z\n".to_owned()
}

/// Streams the centre lines of flexible links to `lines.csv`.
pub struct CentreLinesWriter {
    lines: Lines,
}

impl CentreLinesWriter {
    /// Creates `lines.csv` in `folder`.
    pub fn create(folder: &Path) -> Result<CentreLinesWriter, OutputError> {
        let mut lines = Lines::create(&Disk::real(), &folder.join("lines.csv"))?;
        lines.line.push_str(lines_heading().trim_end_matches('\n'));
        lines.end_line()?;
        Ok(CentreLinesWriter { lines })
    }

    /// Adds a place of the line of `body`: time, share of the line, position, section axes as a quaternion.
    pub fn push(&mut self, body: &str, point: [f64; 9]) -> Result<(), OutputError> {
        push_text(&mut self.lines.line, body);
        self.lines.end_with(&point)
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
        let mut lines = Lines::create(&Disk::real(), &folder.join("pressure.csv"))?;
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

    #[test]
    fn spreadsheets_compute_nothing() {
        let field = |text: &str| {
            let mut out = String::new();
            push_text(&mut out, text);
            out
        };
        assert_eq!(field("=1+cmd|' /C calc'!A0"), "\"'=1+cmd|' /C calc'!A0\"");
        assert_eq!(field("@SUM(A1)"), "\"'@SUM(A1)\"");
        assert_eq!(field("-x"), "\"'-x\"");
        for same in ["-1.5", "+3", "-inf", "pin.force [N]", "", "a=b", "motor.power [W]"] {
            assert_eq!(field(same), same);
        }
    }
}
