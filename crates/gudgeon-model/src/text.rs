//! Text that came from elsewhere, such as names of files and `about`, as a terminal may show it.
//!
//! Escape sequences move the cursor and rename windows, marks of direction show a line in another
//! order than it has, and characters without width hide. JSON and results keep them; people see them
//! as escapes.

use std::borrow::Cow;

/// Whether a character acts on the terminal or cannot be seen: controls, marks of direction,
/// separators of lines and paragraphs, characters without width, tags.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// The text with hidden characters as escapes, `\u{1b}`; line breaks stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let hides = |letter: char| letter != '\n' && is_hidden(letter);
    if !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            _ if hides(letter) => shown.extend(letter.escape_unicode()),
            _ => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// A line of a file with hidden characters as signs, one for one so that columns still count
/// characters; and what becomes of a byte offset in it.
pub(crate) fn visible_source(text: &str) -> (Cow<'_, str>, impl Fn(usize) -> usize) {
    // The drawing of extracts has signs of its own for the other ones.
    let hides = |letter: char| letter > '\u{7f}' && is_hidden(letter);
    let hidden: Vec<(usize, usize)> = text
        .char_indices()
        .filter(|(_, letter)| hides(*letter))
        .map(|(at, letter)| (at, letter.len_utf8()))
        .collect();
    let shown = match hidden.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.replace(hides, "\u{fffd}")),
    };
    let sign = '\u{fffd}'.len_utf8();
    let place = move |offset: usize| {
        let before = hidden.iter().take_while(|(at, _)| *at < offset);
        before.fold(offset, |place, (_, length)| place + sign - length)
    };
    (shown, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_shown_as_escapes() {
        assert!(matches!(visible("µ = 漢字 ✓\n"), Cow::Borrowed(_)));
        assert_eq!(visible("\u{1b}]0;x\u{7}"), "\\u{1b}]0;x\\u{7}");
        assert_eq!(visible("a\u{202e}b\u{9b}2J\u{200b}"), "a\\u{202e}b\\u{9b}2J\\u{200b}");
        assert_eq!(visible("a\tb\r\n"), "a\\tb\\r\n");
    }

    #[test]
    fn offsets_follow_the_signs_of_a_line() {
        let (shown, place) = visible_source("a\u{85}b\u{e0041}c");
        assert_eq!(shown, "a\u{fffd}b\u{fffd}c");
        let at = |letter: char| place("a\u{85}b\u{e0041}c".find(letter).unwrap());
        assert_eq!((at('a'), at('b'), at('c')), (0, 4, 8));
    }
}
