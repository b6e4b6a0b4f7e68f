//! Tables of text: names at the left, numbers at the right.

use crate::terminal::Paint;

pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// As many columns at the beginning are names and start at the left.
    names: usize,
    /// Columns from this one on are texts and start at the left.
    text_from: usize,
}

impl Table {
    pub fn new<const N: usize>(header: [&str; N]) -> Table {
        Table::of(header.map(str::to_owned).to_vec())
    }

    /// With as many columns as there are headings.
    pub fn of(header: Vec<String>) -> Table {
        Table { names: 1, text_from: header.len(), header, rows: Vec::new() }
    }

    /// Makes the first columns names.
    pub fn names(mut self, columns: usize) -> Table {
        self.names = columns;
        self
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

    /// The table, every line indented by two spaces; a column without content is left out, and all
    /// of a table without rows.
    pub fn render(&self, paint: Paint) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
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
                let left = *column < self.names || *column >= self.text_from;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_empty_ones_vanish() {
        let mut table = Table::new(["output", "value", "ideal", "about"]).text_from(3);
        table.row(["a".into(), "12 µm".into(), String::new(), "first".into()].into());
        table.row(["long.name".into(), "3 N".into(), String::new(), "b".into()].into());
        let lines = "  output     value  about\n  a          12 µm  first\n  long.name    3 N  b\n";
        assert_eq!(table.render(Paint::NONE), lines);
    }
}
