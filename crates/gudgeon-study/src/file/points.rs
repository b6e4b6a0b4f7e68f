//! Points of a user's own: comma-separated values under headings such as `speed [rpm]`.
//!
//! Columns may stand in any order. Blank lines and lines that begin with `#` are passed over, fields
//! may be quoted. Choices are written as in the study. Columns of responses that are `given` hold their values.
//! Every mistake is marked in the file.

use std::ops::Range;

use super::names::{MOST, Named};
use super::optimise::dimension;
use super::{Choice, Response, ResponseKind, Variable};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::expr;
use gudgeon_model::load::Resolver;
use gudgeon_model::reader::{At, Context, suggest};
use gudgeon_model::source::{FileId, Sources, Span};
use gudgeon_model::units::Quantity;

/// Mistakes of one file that are shown.
const SHOWN: usize = 20;

/// Where other files come from.
pub(super) struct Files<'a> {
    pub sources: &'a mut Sources,
    pub resolver: &'a dyn Resolver,
    /// Name of the study's file.
    pub from: String,
    /// Texts read here.
    pub read: Vec<(String, String)>,
}

/// What a file holds.
pub(super) struct Read {
    /// In SI and in the order of the variables.
    pub points: Vec<Vec<f64>>,
    /// Indices of responses and their values in SI, point by point.
    pub given: Vec<(usize, Vec<f64>)>,
}

/// A field and its place, blanks left out.
struct Field {
    text: String,
    range: Range<usize>,
}

/// The column of a variable.
struct Column<'v> {
    variable: &'v Variable,
    /// The unit of the heading, and its factor to SI.
    unit: String,
    factor: f64,
}

impl Column<'_> {
    /// A number of the column in SI, read as exactly as the quantities of the study.
    fn si(&self, text: &str) -> Option<f64> {
        let number = text.parse::<f64>().ok()?;
        let exact = expr::any_quantity(&format!("{text} {}", self.unit));
        let value = exact.map_or(number * self.factor, |quantity| quantity.value);
        value.is_finite().then_some(value)
    }
}

/// Reads the points and what is given of them.
pub(super) fn read(
    cx: &mut Context<'_>,
    files: &mut Files<'_>,
    variables: &Named<'_, Variable>,
    responses: &Named<'_, Response>,
    name: At<&str>,
) -> Option<Read> {
    let (path, text) = match files.resolver.read(&files.from, name.value) {
        Ok(read) => read,
        Err(diagnostic) => {
            cx.report(diagnostic.at(name.span, "named here"));
            return None;
        }
    };
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    let file = files.sources.add(path.clone(), text.clone());
    files.read.push((path, text.clone()));
    let rows = rows(&text);
    let Some((header, rows)) = rows.split_first().filter(|(_, rows)| !rows.is_empty()) else {
        let message = format!("`{}` holds no points", name.value);
        let help = "write a line of headings such as `speed [rpm]`, and one line per point";
        cx.report(Diagnostic::error("G2023", message).at(name.span, "").help(help));
        return None;
    };
    let mut mistakes = Mistakes { cx, file, count: 0 };
    let (columns, known) = headings(&mut mistakes, header, variables, responses)?;
    let mut points = Vec::new();
    let mut given: Vec<(usize, Vec<f64>)> = known.iter().map(|(r, ..)| (*r, Vec::new())).collect();
    for row in rows {
        for ((_, i, factor), (_, values)) in known.iter().zip(&mut given) {
            values.extend(row.get(*i).and_then(|field| number(&mut mistakes, field, *factor)));
        }
        points.push(point(&mut mistakes, row, header.len(), &columns, variables.len()));
    }
    if points.len() > MOST {
        let span = Span::new(file, 0..0);
        mistakes
            .report(Diagnostic::error("G2023", format!("more than {MOST} points")).at(span, ""));
    }
    mistakes.end()?;
    Some(Read { points: points.into_iter().collect::<Option<_>>()?, given })
}

/// Findings in the file, of which the first are shown.
struct Mistakes<'a, 'c> {
    cx: &'a mut Context<'c>,
    file: FileId,
    count: usize,
}

impl Mistakes<'_, '_> {
    fn at(&mut self, field: &Field, message: String, label: &str, help: Option<String>) {
        let span = Span::new(self.file, field.range.clone());
        let mut diagnostic = Diagnostic::error("G2024", message).at(span, label);
        diagnostic.help = help;
        self.report(diagnostic);
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.count += 1;
        if self.count <= SHOWN {
            self.cx.report(diagnostic);
        }
    }

    /// `None` if there were any.
    fn end(self) -> Option<()> {
        if self.count > SHOWN {
            let name = format!("{} more mistakes in the file of points", self.count - SHOWN);
            self.cx.report(Diagnostic::error("G2024", name));
        }
        (self.count == 0).then_some(())
    }
}

/// Index, field and factor of a column of a response.
type OfResponse = (usize, usize, f64);

/// Field index and meaning of each column, by variable; `None` for a variable in error. Then those of responses.
#[allow(clippy::type_complexity)]
fn headings<'v>(
    mistakes: &mut Mistakes<'_, '_>,
    header: &[Field],
    variables: &'v Named<'_, Variable>,
    responses: &Named<'_, Response>,
) -> Option<(Vec<(usize, usize, Column<'v>)>, Vec<OfResponse>)> {
    let mut columns: Vec<(usize, usize, Column<'v>)> = Vec::new();
    let mut known: Vec<OfResponse> = Vec::new();
    let mut seen = vec![false; variables.len()];
    for (i, field) in header.iter().enumerate() {
        let (name, unit) = match field.text.split_once('[') {
            Some((name, unit)) => (name.trim(), Some(unit.trim().trim_end_matches(']').trim())),
            None => (field.text.as_str(), None),
        };
        if let Some(index) = responses.position(name) {
            known.extend(of_response(
                mistakes,
                field,
                (index, i),
                responses.get(index),
                unit,
                &known,
            ));
            continue;
        }
        let Some(index) = variables.position(name) else {
            let help = suggest(name, variables.names().chain(responses.names()));
            mistakes.at(field, format!("there is no variable `{name}`"), "not known", Some(help));
            continue;
        };
        if std::mem::replace(&mut seen[index], true) {
            mistakes.at(field, format!("the column `{name}` stands twice"), "again", None);
            continue;
        }
        let Some(variable) = variables.get(index) else { continue };
        if let Some(factor) = factor(mistakes, field, variable, unit) {
            let unit = unit.unwrap_or("").to_owned();
            columns.push((index, i, Column { variable, unit, factor }));
        }
    }
    for (name, seen) in variables.names().zip(&seen) {
        if !seen {
            let message = format!("the variable `{name}` has no column");
            mistakes.at(&header[0], message, "", Some(format!("add a column `{name}`")));
        }
    }
    columns.sort_by_key(|(index, ..)| *index);
    Some((columns, known))
}

/// A column with values of a response that is `given`.
fn of_response(
    mistakes: &mut Mistakes<'_, '_>,
    field: &Field,
    (index, place): (usize, usize),
    response: Option<&Response>,
    unit: Option<&str>,
    before: &[OfResponse],
) -> Option<OfResponse> {
    let response = response?;
    let name = &response.name;
    if response.kind != ResponseKind::Given {
        let help =
            format!("write `{name} = \"given in UNIT\"` in `[responses]`, or leave the column out");
        let message = format!("the response `{name}` is computed, not given");
        mistakes.at(field, message, "a column of values", Some(help));
        return None;
    }
    if before.iter().any(|(known, ..)| *known == index) {
        mistakes.at(field, format!("the column `{name}` stands twice"), "again", None);
        return None;
    }
    let wanted = dimension(&response.unit);
    let factor = match unit.filter(|unit| !unit.is_empty()) {
        None if wanted.is_number() => 1.0,
        None => {
            let help = format!("write `{name} [{}]`", response.unit);
            mistakes.at(field, format!("the column `{name}` needs a unit"), "no unit", Some(help));
            return None;
        }
        Some(text) => match expr::any_quantity(&format!("1 {text}")) {
            Ok(one) if one.dimension == wanted => one.value,
            Ok(one) => {
                let found = one.dimension.describe();
                let message = format!("expected {}, found {found}", wanted.describe());
                mistakes.at(field, message, "", None);
                return None;
            }
            Err(error) => {
                mistakes.at(field, error.message, "", error.help);
                return None;
            }
        },
    };
    Some((index, place, factor))
}

/// A value of a response in SI.
fn number(mistakes: &mut Mistakes<'_, '_>, field: &Field, factor: f64) -> Option<f64> {
    let value = field.text.parse::<f64>().ok().map(|value| value * factor);
    let found = value.filter(|value| value.is_finite());
    if found.is_none() {
        mistakes.at(field, format!("`{}` is no number", field.text), "", None);
    }
    found
}

/// The factor of a heading's unit.
fn factor(
    mistakes: &mut Mistakes<'_, '_>,
    field: &Field,
    variable: &Variable,
    given: Option<&str>,
) -> Option<f64> {
    let number = variable.dimension.is_number();
    match given {
        None | Some("") if number => Some(1.0),
        None | Some("") => {
            let shown = &variable.shown.unit;
            let message = format!("the column `{}` needs a unit", variable.name);
            let help = format!("write `{} [{shown}]`", variable.name);
            mistakes.at(field, message, "no unit", Some(help));
            None
        }
        Some(text) => match expr::any_quantity(&format!("1 {text}")) {
            Ok(Quantity { value, dimension }) if dimension == variable.dimension => Some(value),
            Ok(Quantity { dimension, .. }) => {
                let wanted = variable.dimension.describe();
                let message = format!("expected {wanted}, found {}", dimension.describe());
                mistakes.at(field, message, "", None);
                None
            }
            Err(error) => {
                mistakes.at(field, error.message, "", error.help);
                None
            }
        },
    }
}

fn point(
    mistakes: &mut Mistakes<'_, '_>,
    row: &[Field],
    fields: usize,
    columns: &[(usize, usize, Column<'_>)],
    variables: usize,
) -> Option<Vec<f64>> {
    if row.len() != fields {
        let message = format!("{} fields where the headings are {fields}", row.len());
        mistakes.at(&row[0], message, "", None);
        return None;
    }
    let values: Vec<Option<f64>> =
        columns.iter().map(|(_, i, column)| value(mistakes, &row[*i], column)).collect();
    let values: Vec<f64> = values.into_iter().collect::<Option<_>>()?;
    (values.len() == variables).then_some(values)
}

fn value(mistakes: &mut Mistakes<'_, '_>, field: &Field, column: &Column<'_>) -> Option<f64> {
    let variable = column.variable;
    let text = &field.text;
    if let Some(index) = word(variable, text) {
        return Some(index);
    }
    let value = column.si(text);
    if let Some(choices) = variable.values.choices() {
        let same = |choice: &Choice| match (choice, value) {
            (Choice::Number(number), Some(value)) => (number - value).abs() <= 1e-12 * number.abs(),
            _ => false,
        };
        let found = choices.iter().position(same);
        if found.is_none() {
            let message = format!("`{}` has no choice `{text}`", variable.name);
            let words: Vec<String> =
                choices.iter().map(|choice| variable.choice_shown(choice)).collect();
            let help = suggest(text, words.iter().map(String::as_str));
            mistakes.at(field, message, "not known", Some(help));
        }
        return found.map(|index| index as f64);
    }
    let Some(value) = value else {
        mistakes.at(field, format!("`{text}` is no number"), "", None);
        return None;
    };
    let whole = variable.values.is_integer();
    if whole && value.fract() != 0.0 {
        let message = format!("`{}` takes whole numbers", variable.name);
        mistakes.at(field, message, "not whole", None);
        return None;
    }
    inside(mistakes, field, column, value)
}

/// The number of a word among the choices.
fn word(variable: &Variable, text: &str) -> Option<f64> {
    let choices = variable.values.choices()?;
    let same = |choice: &Choice| matches!(choice, Choice::Text(word) if word == text);
    choices.iter().position(same).map(|index| index as f64)
}

/// A value within its range; one that rounding put beyond an end is that end.
fn inside(
    mistakes: &mut Mistakes<'_, '_>,
    field: &Field,
    column: &Column<'_>,
    value: f64,
) -> Option<f64> {
    let variable = column.variable;
    let Some((low, high)) = variable.values.bounds() else { return Some(value) };
    let slack = 1e-12 * low.abs().max(high.abs());
    if value >= low - slack && value <= high + slack {
        return Some(value.clamp(low, high));
    }
    let shown = |value: f64| variable.in_shown_unit(value);
    let message = format!("`{}` lies outside {} to {}", variable.name, shown(low), shown(high));
    mistakes.at(field, message, "outside", None);
    None
}

/// Splits a text into rows of fields.
fn rows(text: &str) -> Vec<Vec<Field>> {
    let mut rows = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            rows.push(fields(line, start));
        }
        start += line.len();
    }
    rows
}

/// The fields of a line that begins at `start`.
fn fields(line: &str, start: usize) -> Vec<Field> {
    let mut fields = Vec::new();
    let (mut begin, mut quoted) = (0, false);
    for (i, letter) in line.char_indices().chain([(line.len(), ',')]) {
        if letter == '"' {
            quoted = !quoted;
        }
        if letter != ',' || (quoted && i < line.len()) {
            continue;
        }
        let raw = &line[begin..i];
        let lead = raw.len() - raw.trim_start().len();
        let raw = raw.trim();
        let from = start + begin + lead;
        let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw);
        let text = as_text(&inner.replace("\"\"", "\"")).trim().to_owned();
        fields.push(Field { text, range: from..from + raw.len() });
        begin = (i + 1).min(line.len());
    }
    fields
}

/// A field without the apostrophe that keeps spreadsheets from taking it for a formula.
fn as_text(field: &str) -> &str {
    match field.strip_prefix('\'') {
        Some(text) if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => text,
        _ => field,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_fields_with_their_places() {
        let text = "# points\r\na [mm], \"b, c\"\r\n\r\n 1 ,\"say \"\"x\"\"\"\n2,\n";
        let rows = rows(text);
        let texts: Vec<Vec<&str>> =
            rows.iter().map(|row| row.iter().map(|field| field.text.as_str()).collect()).collect();
        assert_eq!(texts, [vec!["a [mm]", "b, c"], vec!["1", "say \"x\""], vec!["2", ""]]);
        let range = rows[1][0].range.clone();
        assert_eq!(&text[range], "1");
        assert_eq!(fields("\"", 0).len(), 1);
        assert_eq!(
            fields("\"'=a\",'b", 0).iter().map(|f| &f.text[..]).collect::<Vec<_>>(),
            ["=a", "'b"]
        );
    }
}
