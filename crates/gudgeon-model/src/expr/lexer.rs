//! Text to tokens, for quantities and expressions alike.

use std::ops::Range;

use super::ExprError;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Name,
    /// Names joined by dots: a quantity of the state.
    Path,
    /// A text in single or double quotes, these included.
    Text,
    /// The `=` behind `column`.
    Assign,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Open,
    Close,
    OpenList,
    CloseList,
    Comma,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub range: Range<usize>,
}

/// The tokens of `text`, with an [`Kind::End`] behind the last.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ExprError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let token = next(text, at, first)?;
        at = token.range.end;
        if let Some(exponent) = superscript(first) {
            tokens.push(Token { kind: Kind::Caret, range: token.range.clone() });
            tokens.push(Token { kind: Kind::Number(exponent), range: token.range });
        } else {
            tokens.push(token);
        }
    }
    tokens.push(Token { kind: Kind::End, range: text.len()..text.len() });
    Ok(tokens)
}

fn next(text: &str, at: usize, first: char) -> Result<Token, ExprError> {
    let rest = &text[at..];
    if first.is_ascii_digit()
        || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()))
    {
        return number(text, at);
    }
    if is_name_start(first) {
        let behind = &rest[first.len_utf8()..];
        let len = behind.find(|c| !is_name_part(c)).unwrap_or(behind.len());
        let end = at + first.len_utf8() + len;
        return Ok(match path_end(text, end) {
            Some(end) => Token { kind: Kind::Path, range: at..end },
            None => Token { kind: Kind::Name, range: at..end },
        });
    }
    if first == '"' || first == '\'' {
        return quoted(text, at, first);
    }
    if first == '=' && !rest.starts_with("==") && text[..at].trim_end().ends_with("column") {
        return Ok(Token { kind: Kind::Assign, range: at..at + 1 });
    }
    let (kind, len) = symbol(rest, first).ok_or_else(|| unexpected(at, first))?;
    Ok(Token { kind, range: at..at + len })
}

fn quoted(text: &str, at: usize, quote: char) -> Result<Token, ExprError> {
    match text[at + 1..].find(quote) {
        Some(len) => Ok(Token { kind: Kind::Text, range: at..at + len + 2 }),
        None => Err(ExprError::new(at..text.len(), "this quote is never closed")
            .with_help(format!("close it with `{quote}`"))),
    }
}

/// Where a name that ends at `at` and goes on behind dots ends.
fn path_end(text: &str, at: usize) -> Option<usize> {
    let mut end = at;
    while let Some(behind) = text[end..].strip_prefix('.')
        && behind.starts_with(is_name_start)
    {
        let len = behind.find(|c| !is_name_part(c)).unwrap_or(behind.len());
        end += 1 + len;
    }
    (end > at).then_some(end)
}

fn symbol(rest: &str, first: char) -> Option<(Kind, usize)> {
    const PAIRS: [(&str, Kind); 4] = [
        ("<=", Kind::LessEqual),
        (">=", Kind::GreaterEqual),
        ("==", Kind::Equal),
        ("!=", Kind::NotEqual),
    ];
    if let Some((text, kind)) = PAIRS.iter().find(|(text, _)| rest.starts_with(text)) {
        return Some((*kind, text.len()));
    }
    let kind = match first {
        '+' => Kind::Plus,
        '-' | '−' => Kind::Minus,
        '*' | '·' | '⋅' | '×' => Kind::Star,
        '/' => Kind::Slash,
        '^' => Kind::Caret,
        '(' => Kind::Open,
        ')' => Kind::Close,
        '[' => Kind::OpenList,
        ']' => Kind::CloseList,
        ',' => Kind::Comma,
        '<' => Kind::Less,
        '>' => Kind::Greater,
        '≤' => Kind::LessEqual,
        '≥' => Kind::GreaterEqual,
        '≠' => Kind::NotEqual,
        '²' | '³' => Kind::Caret,
        _ => return None,
    };
    Some((kind, first.len_utf8()))
}

fn superscript(c: char) -> Option<f64> {
    match c {
        '²' => Some(2.0),
        '³' => Some(3.0),
        _ => None,
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '°'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() && superscript(c).is_none() || c == '_'
}

/// Digits with an optional fraction and exponent. An `e` without digits behind it is no exponent.
fn number(text: &str, at: usize) -> Result<Token, ExprError> {
    let bytes = text.as_bytes();
    let digits =
        |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(at);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    match text[at..end].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Token { kind: Kind::Number(value), range: at..end }),
        _ => Err(ExprError::new(at..end, "this number is too large")
            .with_help("numbers go up to about 1e308")),
    }
}

fn unexpected(at: usize, first: char) -> ExprError {
    let shown = if first.is_control() { first.escape_debug().to_string() } else { first.into() };
    let error =
        ExprError::new(at..at + first.len_utf8(), format!("unexpected character `{shown}`"));
    match first {
        '=' => error.with_help("write `==` to compare two values"),
        '&' => error.with_help("write `and`"),
        '|' => error.with_help("write `or`"),
        '!' => error.with_help("write `not`"),
        '%' => error.with_help("write a fraction: 5 % is `0.05`"),
        '{' | '}' => error.with_help("write `(` and `)`"),
        ';' => error.with_help("write `,` between arguments"),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        tokens(text).expect("valid tokens").into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn numbers_end_where_units_begin() {
        use Kind::{Caret, End, Minus, Name, Number, Slash};
        assert_eq!(kinds("0.1mm"), [Number(0.1), Name, End]);
        assert_eq!(kinds("1e-3*t")[0], Number(1e-3));
        assert_eq!(kinds("1em"), [Number(1.0), Name, End]);
        assert_eq!(kinds(".5e3 5."), [Number(500.0), Number(5.0), End]);
        assert_eq!(kinds("m/s²"), [Name, Slash, Name, Caret, Number(2.0), End]);
        assert_eq!(kinds("−1 °"), [Minus, Number(1.0), Name, End]);
    }

    #[test]
    fn strange_characters_are_refused_with_their_place() {
        let error = tokens("a ; b").expect_err("a semicolon has no meaning");
        assert_eq!(error.range, 2..3);
        assert_eq!(error.message, "unexpected character `;`");
        assert!(tokens("1e999").is_err());
    }
}
