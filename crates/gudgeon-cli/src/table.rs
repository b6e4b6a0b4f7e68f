//! Tables of text: first column left, the others right.

use gudgeon_output::plot::Scale;

use crate::terminal::Paint;

/// Stands for a value there is none of.
pub const NONE: &str = "–";

pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Columns from this one on are texts and start at the left.
    text_from: usize,
}

impl Table {
    pub fn new<const N: usize>(header: [&str; N]) -> Table {
        let header = header.map(str::to_owned).to_vec();
        Table { text_from: header.len(), header, rows: Vec::new() }
    }

    /// Makes the columns from `column` on texts.
    pub fn text_from(mut self, column: usize) -> Table {
        self.text_from = column;
        self
    }

    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.header.len());
        self.rows.push(cells);
    }

    /// The table, every line indented by two spaces; a column without content is left out.
    pub fn render(&self, paint: Paint) -> String {
        let used = |column: &usize| self.rows.iter().any(|row| !row[*column].is_empty());
        let columns: Vec<usize> = (0..self.header.len()).filter(used).collect();
        let width = |column: usize| {
            let cells =
                self.rows.iter().chain([&self.header]).map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = columns.iter().map(|column| width(*column)).collect();
        let line = |row: &[String]| {
            let mut line = String::new();
            for (column, width) in columns.iter().zip(&widths) {
                let padding = " ".repeat(width - row[*column].chars().count());
                let left = *column == 0 || *column >= self.text_from;
                let (before, after) = if left { ("", &padding[..]) } else { (&padding[..], "") };
                line.push_str(&format!("  {before}{}{after}", row[*column]));
            }
            line.trim_end().to_owned()
        };
        let mut text = format!("{}\n", paint.dim(&line(&self.header)));
        for row in &self.rows {
            text.push_str(&line(row));
            text.push('\n');
        }
        text
    }
}

/// A value with its unit, four digits.
pub fn quantity(value: f64, unit: &str) -> String {
    // A pure number of usual size needs no power of ten.
    let plain = unit.is_empty() && (1e-4..1e6).contains(&value.abs());
    in_scale_of(if plain { 1.0 } else { value }, value, unit)
}

/// A value with four digits in the unit that suits `size`.
pub fn in_scale_of(size: f64, value: f64, unit: &str) -> String {
    let scale = Scale::choose(size, unit);
    match value {
        _ if !value.is_finite() => NONE.to_owned(),
        0.0 if scale.symbol.starts_with('×') => Scale::choose(0.0, unit).quantity(0.0),
        _ => scale.quantity(value),
    }
}

/// `one` or `many`, with the number.
pub fn plural(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_empty_ones_vanish() {
        let mut table = Table::new(["output", "value", "ideal", "about"]).text_from(3);
        table.row(["a".into(), "12 µm".into(), String::new(), "first".into()].into());
        table.row(["long.name".into(), "3 N".into(), String::new(), "b".into()].into());
        let lines = "  output     value  about\n  a          12 µm  first\n  long.name    3 N  b\n";
        assert_eq!(table.render(Paint { on: false }), lines);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(quantity(12_345.678, "N"), "12.35 kN");
        assert_eq!(quantity(0.05, ""), "0.05");
        assert_eq!(quantity(f64::NAN, "N"), NONE);
        assert_eq!(in_scale_of(12_345.0, 1.0, "N"), "0.001 kN");
        assert_eq!(quantity(0.0123, "rad"), "12.3 mrad");
        assert_eq!(in_scale_of(1e-3, 0.0, "kg m^2"), "0 kg m²");
        assert_eq!(plural(1, "joint", "joints"), "1 joint");
    }
}
