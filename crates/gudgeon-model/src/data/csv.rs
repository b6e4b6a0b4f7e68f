//! Text of a data file to columns in SI.
//!
//! ```text
//! # comment
//! angle [deg], pressure (bar), count
//! 0, 1.0, 3
//! ```
//!
//! The first line that is neither blank nor a comment is the head: names with units in brackets, none for
//! numbers. Columns are separated by commas, or by semicolons where the head has them. Cells may stand in
//! double quotes. What is wrong with the cells of a column counts only where that column is used.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::expr::Unit;
use crate::source::{FileId, Sources, Span};
use crate::units::Dimension;

/// The content of a data file.
#[derive(Debug)]
pub struct Sheet {
    pub(super) file: FileId,
    /// The file without its folder.
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    /// Places of the cells, row by row, as many as there are columns.
    cells: Vec<(u32, u32)>,
}

#[derive(Debug)]
pub(super) struct Column {
    pub name: String,
    pub head: Span,
    pub unit: ColumnUnit,
    pub values: Vec<f64>,
    /// What is wrong with its cells.
    pub wrong: Option<Diagnostic>,
}

pub(super) struct ColumnUnit {
    pub text: String,
    unit: Unit,
}

impl std::fmt::Debug for ColumnUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl ColumnUnit {
    pub fn dimension(&self) -> Dimension {
        self.unit.dimension()
    }

    /// The unit in SI.
    pub fn scale(&self) -> f64 {
        self.unit.value("1").unwrap_or(1.0)
    }
}

impl Sheet {
    pub(super) fn rows(&self) -> usize {
        self.cells.len() / self.columns.len().max(1)
    }

    pub(super) fn cell(&self, row: usize, column: usize) -> Span {
        let (start, end) = self.cells[row * self.columns.len() + column];
        Span::new(self.file, start as usize..end as usize)
    }

    pub(crate) fn dimension(&self, column: usize) -> Dimension {
        self.columns[column].unit.dimension()
    }
}

/// Reads a file that is among the sources.
pub(super) fn read(file: FileId, sources: &Sources) -> Result<Sheet, Vec<Diagnostic>> {
    let text = sources.text(file);
    let name = sources.name(file);
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
    let mut lines = lines(text);
    let Some(head) = lines.next() else {
        let finding = Diagnostic::error("G0207", format!("the data file `{name}` is empty"));
        return Err(vec![finding.help(HEAD)]);
    };
    let separator = if text[head.clone()].contains(';') { ';' } else { ',' };
    let columns = read_head(file, text, head, separator)?;
    let mut sheet = Sheet { file, name, columns, cells: Vec::new() };
    for line in lines {
        sheet.add_row(text, line, separator);
    }
    Ok(sheet)
}

const HEAD: &str =
    "begin with names and units, `angle [deg], pressure [bar]`, and write the numbers below";

/// Ranges of the lines that hold something, without blanks at their ends.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    let all = text.split('\n').map(move |line| {
        let at = start;
        start += line.len() + 1;
        trimmed(text, at..at + line.len())
    });
    all.filter(|range| !range.is_empty() && !text[range.clone()].starts_with('#'))
}

/// A range without blanks at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    start..start + part.trim().len()
}

/// The cells of a line, without blanks and quotes around them.
fn cells(text: &str, line: Range<usize>, separator: char) -> impl Iterator<Item = Range<usize>> {
    let mut start = line.start;
    text[line].split(separator).map(move |cell| {
        let at = start;
        start += cell.len() + 1;
        let range = trimmed(text, at..at + cell.len());
        let inner = &text[range.clone()];
        match inner.len() >= 2 && inner.starts_with('"') && inner.ends_with('"') {
            true => trimmed(text, range.start + 1..range.end - 1),
            false => range,
        }
    })
}

fn read_head(
    file: FileId,
    text: &str,
    line: Range<usize>,
    separator: char,
) -> Result<Vec<Column>, Vec<Diagnostic>> {
    let place = Span::new(file, line.clone());
    let mut heads: Vec<Range<usize>> = cells(text, line, separator).collect();
    while heads.len() > 1 && heads.last().is_some_and(Range::is_empty) {
        heads.pop();
    }
    if heads.iter().all(|head| Unit::NUMBER.value(&text[head.clone()]).is_some()) {
        let finding = Diagnostic::error("G0207", "the columns have no names");
        return Err(vec![finding.at(place, "numbers in the first line").help(HEAD)]);
    }
    let (mut columns, mut findings): (Vec<Column>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
    for head in heads {
        match read_column(file, text, head) {
            Ok(column) => {
                if let Some(first) = columns.iter().find(|known| known.name == column.name) {
                    let message = format!("two columns are called `{}`", column.name);
                    let finding =
                        Diagnostic::error("G0207", message).at(column.head, "given again");
                    findings
                        .push(finding.also(first.head, "given here").help("rename one of them"));
                }
                columns.push(column);
            }
            Err(finding) => findings.push(*finding),
        }
    }
    if findings.is_empty() { Ok(columns) } else { Err(findings) }
}

/// `name`, `name [unit]` or `name (unit)`.
fn read_column(file: FileId, text: &str, head: Range<usize>) -> Result<Column, Box<Diagnostic>> {
    let cell = &text[head.clone()];
    let bracket = match cell.chars().last() {
        Some(']') => cell.find('['),
        Some(')') => cell.find('('),
        _ => None,
    };
    let name = cell[..bracket.unwrap_or(cell.len())].trim().to_owned();
    let place = Span::new(file, head.clone());
    if name.is_empty() {
        let at = if head.is_empty() { place.start..place.start + 1 } else { head };
        let finding = Diagnostic::error("G0207", "a column has no name");
        return Err(Box::new(finding.at(Span::new(file, at), "no name").help(HEAD)));
    }
    let (written, unit) = match bracket {
        None => (String::new(), Unit::NUMBER),
        Some(open) => {
            let range = trimmed(text, head.start + open + 1..head.end - 1);
            read_unit(file, &text[range.clone()], range)?
        }
    };
    let unit = ColumnUnit { text: written, unit };
    Ok(Column { name, head: place, unit, values: Vec::new(), wrong: None })
}

fn read_unit(
    file: FileId,
    text: &str,
    range: Range<usize>,
) -> Result<(String, Unit), Box<Diagnostic>> {
    if ["", "-", "1"].contains(&text) {
        return Ok((String::new(), Unit::NUMBER));
    }
    Unit::read(text).map(|unit| (text.to_owned(), unit)).map_err(|error| {
        let at = range.start + error.range.start..range.start + error.range.end;
        let finding = Diagnostic::error("G0208", error.message).at(Span::new(file, at), "");
        Box::new(match error.help {
            Some(help) => finding.help(help),
            None => finding,
        })
    })
}

impl Sheet {
    fn add_row(&mut self, text: &str, line: Range<usize>, separator: char) {
        let file = self.file;
        let whole = Span::new(file, line.clone());
        let found: Vec<Range<usize>> = cells(text, line.clone(), separator).collect();
        let extra = found.iter().skip(self.columns.len()).find(|cell| !cell.is_empty());
        for (i, column) in self.columns.iter_mut().enumerate() {
            let cell = found.get(i).cloned().unwrap_or(line.end..line.end);
            let value = column.unit.unit.value(&text[cell.clone()]);
            self.cells.push((cell.start as u32, cell.end as u32));
            // A zero has no sign, so that equal inputs are equal in every order.
            column.values.push(value.unwrap_or(f64::NAN) + 0.0);
            if column.wrong.is_some() {
                continue;
            }
            column.wrong = match (value, extra) {
                (None, _) => Some(not_a_number(&column.name, file, text, cell, whole)),
                (Some(_), Some(extra)) => Some(too_many(file, extra.clone())),
                (Some(_), None) => None,
            };
        }
    }
}

fn too_many(file: FileId, extra: Range<usize>) -> Diagnostic {
    Diagnostic::error("G0209", "this row has more cells than there are columns")
        .at(Span::new(file, extra), "no column above it")
        .help("write `.` as the decimal sign, and `;` between columns where numbers need a `,`")
}

fn not_a_number(
    column: &str,
    file: FileId,
    text: &str,
    cell: Range<usize>,
    line: Span,
) -> Diagnostic {
    let written = &text[cell.clone()];
    if written.is_empty() {
        return Diagnostic::error("G0209", format!("`{column}` has no value in this row"))
            .at(line, "a cell is missing")
            .help("give a number, or take the row out");
    }
    let help = if written.contains(',') && written.replace(',', ".").parse::<f64>().is_ok() {
        "write `.` as the decimal sign"
    } else {
        "cells hold decimal numbers such as `-1.5e3`; units stand in the head, comments on lines that begin with `#`"
    };
    Diagnostic::error("G0209", format!("`{written}` in column `{column}` is not a finite number"))
        .at(Span::new(file, cell), "not a number")
        .help(help)
}
