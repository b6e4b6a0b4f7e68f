//! Where in a text something can be changed: numbers, words, lines, tables, keys and values.

use std::ops::Range;

use gudgeon::random::Random;

/// The start of a character at or before `at`.
pub fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A random character boundary.
pub fn anywhere(text: &str, random: &mut Random) -> usize {
    boundary(text, random.below(text.len() + 1))
}

/// Byte ranges of the lines with their ends; never empty.
pub fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut lines: Vec<Range<usize>> = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.push(start..start + line.len());
        start += line.len();
    }
    if lines.is_empty() {
        lines.push(0..0);
    }
    lines
}

/// Byte ranges of tables, from a header to the next.
pub fn tables(text: &str) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = vec![0];
    starts.extend(
        lines(text)
            .iter()
            .map(|line| line.start)
            .filter(|at| *at > 0 && text[*at..].starts_with('[')),
    );
    starts.push(text.len());
    starts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Keys and values of lines `key = value`.
pub fn entries(text: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut entries = Vec::new();
    for line in lines(text) {
        let content = &text[line.clone()];
        let Some(sign) = content.find('=') else { continue };
        if content.starts_with(['#', '[']) {
            continue;
        }
        let key = trimmed(text, line.start..line.start + sign);
        let comment = content[sign..].find(" #").map_or(line.end, |at| line.start + sign + at);
        let value = trimmed(text, line.start + sign + 1..comment.max(line.start + sign + 1));
        entries.push((key, value));
    }
    entries
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    start..start + part.trim().len()
}

/// Byte ranges of what `is_start` begins and `goes_on` continues.
fn runs(
    text: &str,
    is_start: impl Fn(u8, u8) -> bool,
    goes_on: impl Fn(&[u8], usize) -> bool,
) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut runs, mut i) = (Vec::new(), 0);
    while i < bytes.len() {
        let before = if i == 0 { b' ' } else { bytes[i - 1] };
        if !is_start(before, bytes[i]) {
            i += 1;
            continue;
        }
        let start = i;
        while i < bytes.len() && goes_on(bytes, i) {
            i += 1;
        }
        runs.push(start..i);
        i += 1;
    }
    runs
}

/// Byte ranges of numbers.
pub fn numbers(text: &str) -> Vec<Range<usize>> {
    let in_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
    runs(
        text,
        |before, b| b.is_ascii_digit() && !in_word(before),
        |bytes, i| {
            let sign = matches!(bytes[i], b'-' | b'+') && matches!(bytes[i - 1], b'e' | b'E');
            bytes[i].is_ascii_digit() || matches!(bytes[i], b'.' | b'e' | b'E') || sign
        },
    )
}

/// Byte ranges of words.
pub fn words(text: &str) -> Vec<Range<usize>> {
    let letter = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    runs(
        text,
        |before, b| letter(b) && !letter(before) && !before.is_ascii_digit(),
        |bytes, i| letter(bytes[i]) || bytes[i].is_ascii_digit(),
    )
}

/// Byte ranges of words, numbers and single signs, without spaces.
pub fn tokens(text: &str) -> Vec<Range<usize>> {
    let part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.') || b >= 0x80;
    runs(text, |_, b| !b.is_ascii_whitespace(), |bytes, i| part(bytes[i]))
        .into_iter()
        .map(|run| if run.is_empty() { run.start..run.start + 1 } else { run })
        .collect()
}
