//! What is wrong with a model file: all findings at once, each with its place and a way out.

use std::borrow::Cow;
use std::cmp::Ordering;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use crate::source::{FileId, Sources, Span};
use crate::text::{visible, visible_source};

/// Lines farther apart than this are drawn as separate extracts.
const EXTRACT_LINES: usize = 40;

/// Findings of each severity that are shown; of the others only the number is given.
pub const SHOWN: usize = 100;
/// Findings of each severity that are kept: more than are shown, since some turn out to be
/// consequences of others, and the first of the file are shown, not the first found.
const KEPT: usize = 2 * SHOWN;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
    /// Nothing is wrong, but it may not be what was meant.
    Note,
}

/// One finding. Messages are in lower case without a full stop, names in backticks; `help` says
/// what to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Stable code such as `G0207`.
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    pub span: Option<Span>,
    /// Text beside the mark; may be empty.
    pub label: String,
    pub secondary: Vec<(Span, String)>,
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message.into())
    }

    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message.into())
    }

    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Note, message.into())
    }

    fn new(code: &'static str, severity: Severity, message: String) -> Self {
        let (label, secondary) = (String::new(), Vec::new());
        Self { code, severity, message, span: None, label, secondary, help: None }
    }

    /// Marks the place of the finding.
    #[must_use]
    pub fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.span = Some(span);
        self.label = label.into();
        self
    }

    /// Marks another place that matters.
    #[must_use]
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.secondary.push((span, label.into()));
        self
    }

    /// Whether it says the same of the same place.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.code, self.span) == (other.code, other.span) && self.message == other.message
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    fn group<'a>(&'a self, sources: &'a Sources) -> Group<'a> {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut group =
            Group::with_title(level.primary_title(visible(&self.message)).id(self.code));
        for extract in self.extracts(sources) {
            group = group.element(extract.snippet(sources));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(visible(help)));
        }
        group
    }

    /// Groups the marks into extracts of neighbouring lines, so that the cost of drawing depends
    /// on the extract and not on the length of the file.
    fn extracts<'a>(&'a self, sources: &Sources) -> Vec<Extract<'a>> {
        let primary = self.span.map(|span| (AnnotationKind::Primary, span, self.label.as_str()));
        let secondary =
            self.secondary.iter().map(|(span, label)| (AnnotationKind::Context, *span, &label[..]));
        let mut extracts: Vec<Extract> = Vec::new();
        for (kind, span, label) in primary.into_iter().chain(secondary) {
            let mark = Mark::new(kind, span, label, sources);
            match extracts.iter_mut().find(|extract| extract.is_near(&mark)) {
                Some(extract) => extract.add(mark),
                None => extracts.push(Extract::new(mark)),
            }
        }
        extracts
    }
}

/// `--> --until` in place of `--> --until:1:1`: an option is no file, and has neither lines nor columns.
fn without_lines_of_options(mut drawn: String, of: &Diagnostic, sources: &Sources) -> String {
    let spans = of.span.iter().chain(of.secondary.iter().map(|(span, _)| span));
    for span in spans.filter(|span| sources.is_option(span.file)) {
        let place = format!("{}:", sources.name(span.file));
        let lines = drawn.split_inclusive('\n').map(|line| {
            let found = line.find(&place).filter(|_| line.contains("-->") || line.contains(":::"));
            let Some(at) = found else { return Cow::Borrowed(line) };
            let rest = line[at + place.len()..]
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
            Cow::Owned(format!("{}{rest}", &line[..at + place.len() - 1]))
        });
        drawn = lines.collect();
    }
    drawn
}

struct Mark<'a> {
    kind: AnnotationKind,
    span: Span,
    label: &'a str,
    first: usize,
    last: usize,
}

impl<'a> Mark<'a> {
    fn new(kind: AnnotationKind, span: Span, label: &'a str, sources: &Sources) -> Self {
        let start = sources.boundary(span.file, span.start);
        let end = sources.boundary(span.file, span.end).max(start);
        let span = Span { file: span.file, start, end };
        let first = sources.line_index(span.file, start);
        let last = sources.line_index(span.file, end);
        Self { kind, span, label, first, last }
    }
}

/// Marks on neighbouring lines of one file.
struct Extract<'a> {
    first: usize,
    last: usize,
    marks: Vec<Mark<'a>>,
}

impl<'a> Extract<'a> {
    fn new(mark: Mark<'a>) -> Self {
        Self { first: mark.first, last: mark.last, marks: vec![mark] }
    }

    fn is_near(&self, mark: &Mark) -> bool {
        self.file() == mark.span.file
            && mark.first <= self.last.saturating_add(EXTRACT_LINES)
            && self.first <= mark.last.saturating_add(EXTRACT_LINES)
    }

    fn add(&mut self, mark: Mark<'a>) {
        self.first = self.first.min(mark.first);
        self.last = self.last.max(mark.last);
        self.marks.push(mark);
    }

    fn file(&self) -> FileId {
        self.marks[0].span.file
    }

    fn snippet(self, sources: &'a Sources) -> Snippet<'a, Annotation<'a>> {
        let file = self.file();
        let range = sources.lines_range(file, self.first, self.last);
        let (text, shown) = visible_source(&sources.text(file)[range.clone()]);
        let clip = |byte: usize| shown(byte.clamp(range.start, range.end) - range.start);
        let annotations = self.marks.iter().map(|mark| {
            let annotation = mark.kind.span(clip(mark.span.start)..clip(mark.span.end));
            match mark.label {
                "" => annotation,
                label => annotation.label(visible(label)),
            }
        });
        Snippet::source(text)
            .path(visible(sources.name(file)))
            .line_start(self.first + 1)
            .annotations(annotations)
    }
}

/// All findings of one reading. The first `KEPT` of each severity are held, the others counted, so
/// that a file with thousands of mistakes costs no more than its length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    /// Findings by severity, kept or not.
    found: [usize; 3],
}

impl Diagnostics {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        let found = &mut self.found[diagnostic.severity as usize];
        *found += 1;
        if *found <= KEPT {
            self.list.push(diagnostic);
        }
    }

    pub fn extend(&mut self, other: Diagnostics) {
        let dropped = other.dropped();
        other.list.into_iter().for_each(|diagnostic| self.push(diagnostic));
        self.count(dropped);
    }

    /// Counts findings that are not kept.
    fn count(&mut self, dropped: [usize; 3]) {
        self.found.iter_mut().zip(dropped).for_each(|(found, dropped)| *found += dropped);
    }

    /// Findings by severity that were counted only.
    fn dropped(&self) -> [usize; 3] {
        let mut dropped = self.found;
        for diagnostic in &self.list {
            dropped[diagnostic.severity as usize] -= 1;
        }
        dropped
    }

    /// Whether a further error would only be counted: no need to look for a way out of it.
    pub fn is_full(&self) -> bool {
        self.found[Severity::Error as usize] >= KEPT
    }

    /// The findings for which `keep` holds, and those for which it does not. What was counted only
    /// goes with the first.
    pub fn split(self, keep: impl Fn(&Diagnostic) -> bool) -> (Self, Self) {
        let dropped = self.dropped();
        let (mut kept, mut others) = (Self::new(), Self::new());
        for diagnostic in self.list {
            if keep(&diagnostic) { &mut kept } else { &mut others }.push(diagnostic);
        }
        kept.count(dropped);
        (kept, others)
    }

    /// In the order they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// In the order of the files and places; findings without a place come last.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut sorted: Vec<&Diagnostic> = self.list.iter().collect();
        sorted.sort_by(|a, b| match (a.span, b.span) {
            (Some(a), Some(b)) => (a.file, a.start, a.end).cmp(&(b.file, b.start, b.end)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        });
        sorted
    }

    /// What people get to see, in the order of the places: at most [`SHOWN`] of each severity; and
    /// how many more there are.
    pub fn shown(&self) -> (Vec<&Diagnostic>, usize) {
        let mut counts = [0; 3];
        let mut sorted = self.sorted();
        sorted.retain(|diagnostic| {
            let count = &mut counts[diagnostic.severity as usize];
            *count += 1;
            *count <= SHOWN
        });
        let more = self.found.iter().sum::<usize>() - sorted.len();
        (sorted, more)
    }

    pub fn has_errors(&self) -> bool {
        self.found[Severity::Error as usize] > 0
    }

    /// Errors or warnings, not notes alone.
    pub fn has_warnings(&self) -> bool {
        self.has_errors() || self.found[Severity::Warning as usize] > 0
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The findings in the order of their places, separated by blank lines.
    pub fn render(&self, sources: &Sources, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let mut text = String::new();
        let (shown, more) = self.shown();
        for diagnostic in shown {
            if !text.is_empty() {
                text.push('\n');
            }
            let drawn = renderer.render(&[diagnostic.group(sources)]);
            text.push_str(&without_lines_of_options(drawn, diagnostic, sources));
            text.push('\n');
        }
        if more > 0 {
            text.push_str(&format!("\n… and {more} more\n"));
        }
        text
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

/// The candidate a misspelt word most likely means: the one with the fewest insertions,
/// deletions, replacements and swaps of neighbours, if they are at most a third of the word.
/// Differences of case alone count as none.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded: Vec<char> = word.to_lowercase().chars().collect();
    if folded.is_empty() || folded.len() > LONGEST {
        return None;
    }
    let limit = (folded.len() / 3).max(1);
    let letters = letters(word);
    let mut best: Option<(usize, &str)> = None;
    let mut other: Vec<char> = Vec::new();
    for candidate in candidates {
        // Every letter that the other lacks costs an edit: most candidates end here.
        let foreign = (letters & !self::letters(candidate)).count_ones() as usize;
        let within = best.map_or(limit, |(least, _)| least - 1);
        if foreign > within {
            continue;
        }
        other.clear();
        other.extend(candidate.chars().flat_map(char::to_lowercase).take(LONGEST + limit + 1));
        let Some(distance) = distance_within(&folded, &other, within) else { continue };
        // One letter is nothing to go by: `a` is no misspelling of `b`.
        if distance < folded.len().min(other.len()) {
            best = Some((distance, candidate));
            if distance == 0 {
                break;
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Longer words are not looked up.
const LONGEST: usize = 64;

/// Which letters and digits a word has, without case; those beyond ASCII are not looked at.
fn letters(word: &str) -> u64 {
    let bit = |byte: u8| match byte {
        b'a'..=b'z' => 1 << (byte - b'a'),
        b'A'..=b'Z' => 1 << (byte - b'A'),
        b'0'..=b'9' => 1 << (26 + byte - b'0'),
        _ => 0,
    };
    word.bytes().map(bit).fold(0_u64, |all, one| all | one)
}

/// Optimal string alignment distance, if it is at most `limit`.
fn distance_within(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut rows = [[0_usize; 2 * LONGEST]; 3];
    for j in 0..=b.len() {
        rows[0][j] = j;
    }
    for i in 1..=a.len() {
        let [before, above, row] = [(i + 1) % 3, (i + 2) % 3, i % 3];
        rows[row][0] = i;
        let mut least = i;
        for j in 1..=b.len() {
            let replace = rows[above][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut value = replace.min(rows[above][j] + 1).min(rows[row][j - 1] + 1);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                value = value.min(rows[before][j - 2] + 1);
            }
            rows[row][j] = value;
            least = least.min(value);
        }
        // A swap reaches back two rows, but never below what the row between them has.
        if least > limit + 1 {
            return None;
        }
    }
    Some(rows[a.len() % 3][b.len()]).filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(range: std::ops::Range<usize>) -> Span {
        Span::new(FileId(0), range)
    }

    #[test]
    fn findings_are_drawn_in_the_order_of_their_places() {
        let mut sources = Sources::new();
        sources.add("pin.toml", "radius    = \"4 mm\"\nclearance = \"5 mm\"\n");
        let mut found = Diagnostics::new();
        found.push(Diagnostic::warning("G0900", "nothing to see").help("look elsewhere"));
        found.push(
            Diagnostic::error("G0207", "clearance must be smaller than the bearing radius")
                .at(span(31..37), "5 mm given")
                .also(span(12..18), "bearing radius of `pin`"),
        );
        found.push(Diagnostic::error("G0101", "unknown key `radius`").at(span(0..6), ""));
        let expected = "\
error[G0101]: unknown key `radius`
 --> pin.toml:1:1
  |
1 | radius    = \"4 mm\"
  | ^^^^^^

error[G0207]: clearance must be smaller than the bearing radius
 --> pin.toml:2:13
  |
1 | radius    = \"4 mm\"
  |             ------ bearing radius of `pin`
2 | clearance = \"5 mm\"
  |             ^^^^^^ 5 mm given

warning[G0900]: nothing to see
 |
 = help: look elsewhere
";
        assert_eq!(found.render(&sources, false), expected);
        assert!(found.has_errors() && found.len() == 3);
        assert!(found.render(&sources, true).contains("\u{1b}["));
    }

    #[test]
    fn distant_marks_are_separate_extracts() {
        let text = format!("first = 1\n{}last = 2\n", "# filler\n".repeat(1000));
        let end = text.len();
        let mut sources = Sources::new();
        sources.add("long.toml", text);
        let mut found = Diagnostics::new();
        found.push(
            Diagnostic::error("G0102", "twice").at(span(end - 9..end - 5), "").also(span(0..5), ""),
        );
        let text = found.render(&sources, false);
        assert!(text.contains("long.toml:1002:1"), "{text}");
        assert!(text.contains("long.toml:1:1") && text.lines().count() < 20, "{text}");
    }

    #[test]
    fn spans_past_the_end_or_inside_a_character_are_drawn() {
        let mut sources = Sources::new();
        sources.add("a.toml", "µ");
        for range in [0..1, 1..2, 1..1, 5..9, 2..2] {
            let mut found = Diagnostics::new();
            found.push(Diagnostic::error("G0001", "odd").at(span(range), "here"));
            assert!(found.render(&sources, false).contains("a.toml:1:"));
        }
    }

    #[test]
    fn the_nearest_name_is_close() {
        let names = ["small_end", "big_end", "shaft"];
        assert_eq!(nearest("smal_end", names), Some("small_end"));
        assert_eq!(nearest("Shaft", names), Some("shaft"));
        assert_eq!(nearest("shfat", names), Some("shaft"));
        assert_eq!(nearest("piston", names), None);
        assert_eq!(nearest("a", ["b"]), None);
        assert_eq!(nearest("", ["b"]), None);
    }
}
