//! A user's own points: a table of comma-separated values with the names of the variables on top.
//!
//! Columns may stand in any order, blank lines and a byte-order mark are passed over, fields may be
//! quoted as in RFC 4180 ("" for a quote). Numbers are in the unit of the variable's range; choices
//! are written by name. All mistakes are reported at once, each with line and column (in characters,
//! from 1), for which a general reader of such tables has no place in its records.

use super::variables::{Kind, Variable, Variables};

/// A mistake in the table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}, column {column}: {cause}")]
pub struct CsvError {
    pub line: usize,
    pub column: usize,
    pub cause: CsvCause,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CsvCause {
    #[error("the table has no header")]
    NoHeader,
    #[error("the table has no points")]
    NoPoints,
    #[error("there is no variable `{name}`")]
    UnknownName { name: String },
    #[error("the column `{name}` stands twice")]
    NameTwice { name: String },
    #[error("the variable `{name}` has no column")]
    MissingName { name: String },
    #[error("{found} fields where the header has {expected}")]
    FieldCount { expected: usize, found: usize },
    #[error("a quoted field does not end")]
    OpenQuote,
    #[error("only a comma may follow a closing quote")]
    AfterQuote,
    #[error("`{name}`: `{text}` is not a number")]
    NotANumber { name: String, text: String },
    #[error("`{name}`: `{text}` is not a whole number")]
    NotWhole { name: String, text: String },
    #[error("`{name}`: there is no choice `{text}`")]
    UnknownChoice { name: String, text: String },
    #[error("`{name}`: {value} lies outside {low} to {high}")]
    OutOfRange { name: String, value: f64, low: f64, high: f64 },
}

struct Field {
    text: String,
    line: usize,
    column: usize,
}

impl Field {
    fn error(&self, cause: CsvCause) -> CsvError {
        CsvError { line: self.line, column: self.column, cause }
    }
}

/// Reads the points, as physical values in the order of `variables`.
pub fn read_points(text: &str, variables: &Variables) -> Result<Vec<Vec<f64>>, Vec<CsvError>> {
    let records = records(text).map_err(|e| vec![e])?;
    let at = |line: usize, cause| vec![CsvError { line, column: 1, cause }];
    let Some((header, rows)) = records.split_first() else {
        return Err(at(1, CsvCause::NoHeader));
    };
    if rows.is_empty() {
        return Err(at(header[0].line, CsvCause::NoPoints));
    }
    let columns = columns(header, variables)?;
    let mut errors = Vec::new();
    let mut points = Vec::with_capacity(rows.len());
    for row in rows {
        if row.len() != header.len() {
            let cause = CsvCause::FieldCount { expected: header.len(), found: row.len() };
            errors.push(row[0].error(cause));
            continue;
        }
        let fields = columns.iter().zip(variables.as_slice()).map(|(&c, v)| value(&row[c], v));
        let mut point = Vec::with_capacity(columns.len());
        for field in fields {
            match field {
                Ok(x) => point.push(x),
                Err(e) => errors.push(e),
            }
        }
        points.push(point);
    }
    if errors.is_empty() { Ok(points) } else { Err(errors) }
}

/// The column of each variable.
fn columns(header: &[Field], variables: &Variables) -> Result<Vec<usize>, Vec<CsvError>> {
    let mut errors = Vec::new();
    for (i, field) in header.iter().enumerate() {
        let name = field.text.clone();
        if header[..i].iter().any(|f| f.text == name) {
            errors.push(field.error(CsvCause::NameTwice { name }));
        } else if !variables.as_slice().iter().any(|v| v.name() == name) {
            errors.push(field.error(CsvCause::UnknownName { name }));
        }
    }
    let mut columns = Vec::new();
    for variable in variables.as_slice() {
        match header.iter().position(|f| f.text == variable.name()) {
            Some(column) => columns.push(column),
            None => {
                let name = variable.name().to_owned();
                errors.push(header[0].error(CsvCause::MissingName { name }));
            }
        }
    }
    if errors.is_empty() { Ok(columns) } else { Err(errors) }
}

fn value(field: &Field, variable: &Variable) -> Result<f64, CsvError> {
    let (name, text) = (variable.name().to_owned(), field.text.clone());
    if let Kind::Choice(names) = variable.kind() {
        return match names.iter().position(|n| *n == text) {
            Some(index) => Ok(index as f64),
            None => Err(field.error(CsvCause::UnknownChoice { name, text })),
        };
    }
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite());
    let Some(value) = number else {
        return Err(field.error(CsvCause::NotANumber { name, text }));
    };
    if matches!(variable.kind(), Kind::Integer { .. }) && value.fract() != 0.0 {
        return Err(field.error(CsvCause::NotWhole { name, text }));
    }
    let (low, high) = (variable.value(0.0), variable.value(1.0));
    if !(low..=high).contains(&value) {
        return Err(field.error(CsvCause::OutOfRange { name, value, low, high }));
    }
    Ok(value)
}

/// Splits the text into records of fields, blank lines left out.
fn records(text: &str) -> Result<Vec<Vec<Field>>, CsvError> {
    let mut cursor = Cursor::new(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut records = Vec::new();
    let mut record = Vec::new();
    while cursor.peek().is_some() {
        let field = cursor.field()?;
        let separator = cursor.advance();
        let blank = separator != Some(',') && record.is_empty() && field.text.is_empty();
        if !blank {
            record.push(field);
        }
        if separator == Some(',') && cursor.peek().is_none() {
            // A comma at the very end of the text opens a last, empty field.
            record.push(cursor.here(String::new()));
        }
        let ended = separator != Some(',') || cursor.peek().is_none();
        if ended && !record.is_empty() {
            records.push(std::mem::take(&mut record));
        }
    }
    Ok(records)
}

struct Cursor<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    line: usize,
    column: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text.chars().peekable(), line: 1, column: 1 }
    }

    fn here(&self, text: String) -> Field {
        Field { text, line: self.line, column: self.column }
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().copied()
    }

    fn advance(&mut self) -> Option<char> {
        let next = self.rest.next();
        if next == Some('\n') {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        next
    }

    /// A field up to the comma, the line's end or the text's end, none of which it takes.
    fn field(&mut self) -> Result<Field, CsvError> {
        self.skip_blanks();
        let mut field = self.here(String::new());
        if self.peek() == Some('"') {
            self.quoted(&mut field)?;
        } else {
            while let Some(c) = self.peek().filter(|&c| c != ',' && c != '\n') {
                field.text.push(c);
                self.advance();
            }
            field.text.truncate(field.text.trim_end().len());
        }
        Ok(field)
    }

    fn quoted(&mut self, field: &mut Field) -> Result<(), CsvError> {
        self.advance();
        loop {
            match self.advance() {
                None => return Err(field.error(CsvCause::OpenQuote)),
                Some('"') if self.peek() == Some('"') => {
                    self.advance();
                    field.text.push('"');
                }
                Some('"') => break,
                Some(c) => field.text.push(c),
            }
        }
        self.skip_blanks();
        match self.peek() {
            None | Some(',' | '\n') => Ok(()),
            Some(_) => Err(self.here(String::new()).error(CsvCause::AfterQuote)),
        }
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|c| c != '\n' && c.is_whitespace()) {
            self.advance();
        }
    }
}
