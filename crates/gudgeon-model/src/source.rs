//! The texts a model was read from, and places in them.

use std::sync::Arc;

/// Index of a text in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub usize);

/// A range of bytes in one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub file: FileId,
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn new(file: FileId, range: std::ops::Range<usize>) -> Self {
        Self { file, start: range.start, end: range.end }
    }

    pub fn range(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    /// The place of `range`, given relative to the start of this span; used to carry an error
    /// inside a string value to its place in the file.
    pub fn inside(&self, range: std::ops::Range<usize>) -> Self {
        let limit = |offset: usize| self.start.saturating_add(offset).min(self.end);
        Self { file: self.file, start: limit(range.start), end: limit(range.end) }
    }
}

#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: String,
    /// Whether it is the value of an option of the command line, whose lines have no number.
    option: bool,
    /// Byte offset of the first character of every line.
    lines: Vec<usize>,
}

/// All texts of one reading, in the order they were opened.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Shared, since a model is built again and again from the same texts.
    files: Vec<Arc<Source>>,
}

impl Sources {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.push(name.into(), text.into(), false)
    }

    /// The value of an option such as `--until`.
    pub fn add_option(&mut self, option: &str, value: impl Into<String>) -> FileId {
        self.push(option.into(), value.into(), true)
    }

    fn push(&mut self, name: String, text: String, option: bool) -> FileId {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        self.files.push(Arc::new(Source { name, text, option, lines }));
        FileId(self.files.len() - 1)
    }

    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0].name
    }

    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.0].text
    }

    pub(crate) fn is_option(&self, file: FileId) -> bool {
        self.files[file.0].option
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Line and column of a byte, both from 1; the column counts characters. A byte past the end
    /// is taken as the end.
    pub fn line_column(&self, file: FileId, byte: usize) -> (usize, usize) {
        let byte = self.boundary(file, byte);
        let line = self.line_index(file, byte);
        let start = self.files[file.0].lines[line];
        (line + 1, self.text(file)[start..byte].chars().count() + 1)
    }

    /// Index from 0 of the line that holds a byte.
    pub fn line_index(&self, file: FileId, byte: usize) -> usize {
        self.files[file.0].lines.partition_point(|start| *start <= byte) - 1
    }

    /// Byte range of the lines `first..=last`, counted from 0, without the last line break.
    pub fn lines_range(&self, file: FileId, first: usize, last: usize) -> std::ops::Range<usize> {
        let source = &self.files[file.0];
        let end = source.lines.get(last + 1).map_or(source.text.len(), |next| next - 1);
        source.lines[first]..end
    }

    /// The nearest character boundary at or before `byte`.
    pub fn boundary(&self, file: FileId, byte: usize) -> usize {
        let text = self.text(file);
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let mut sources = Sources::new();
        let file = sources.add("a.toml", "x = 1\nµ = \"2\"\r\n\nlast");
        assert_eq!(sources.line_column(file, 0), (1, 1));
        assert_eq!(sources.line_column(file, 5), (1, 6));
        assert_eq!(sources.line_column(file, 6), (2, 1));
        assert_eq!(sources.line_column(file, 7), (2, 1));
        assert_eq!(sources.line_column(file, 8), (2, 2));
        assert_eq!(sources.line_column(file, 9999), (4, 5));
    }

    #[test]
    fn an_empty_text_has_one_line() {
        let mut sources = Sources::new();
        let file = sources.add("empty", "");
        assert_eq!(sources.line_column(file, 0), (1, 1));
        assert_eq!(sources.lines_range(file, 0, 0), 0..0);
    }

    #[test]
    fn a_place_inside_a_span_stays_inside() {
        let span = Span::new(FileId(0), 10..15);
        assert_eq!(span.inside(1..3).range(), 11..13);
        assert_eq!(span.inside(4..usize::MAX).range(), 14..15);
    }
}
