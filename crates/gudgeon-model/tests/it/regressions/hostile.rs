//! Texts that were written to break the reader or the terminal: escapes and marks of direction came
//! through, and what is nested deep enough to exhaust the stack has to stay a message.

use std::time::{Duration, Instant};

use gudgeon_model::text::is_hidden;
use gudgeon_model::{Overrides, load_text};

use crate::regressions::alone::Alone;

fn messages(text: &str) -> String {
    let failure = load_text("input.toml", text, &Alone, &Overrides::default()).unwrap_err();
    assert!(failure.diagnostics.has_errors());
    failure.diagnostics.render(&failure.sources, false)
}

#[test]
fn messages_show_what_hides() {
    let evil = "\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{200b}\u{2028}";
    let quoted: String = evil.chars().map(|c| format!("\\u{:04x}", c as u32)).collect();
    for text in [
        format!("format = 1\n\"{quoted}\" = 1\n"),
        format!("format = 1\n[model]\nspace = \"{quoted}\"\n"),
        format!("format = 1\n[parameters]\na = \"= {quoted}\"\n"),
        format!("format = 1 # {}\nnothing = 1\n", evil.replace(['\u{1b}', '\u{7}'], "")),
        format!(
            "format = 1\n[joints.\"{quoted}\"]\ntype = \"revolute\"\nbetween = [\"{quoted}\", \"b\"]\n"
        ),
    ] {
        let shown = messages(&text);
        let hidden = shown.chars().find(|c| *c != '\n' && is_hidden(*c));
        assert_eq!(hidden, None, "{shown:?}");
    }
    assert!(messages(&format!("format = 1\n\"{quoted}\" = 1\n")).contains("`\\u{1b}]0;x\\u{7}"));
}

#[test]
fn columns_count_characters_behind_what_hides() {
    let shown =
        messages("format = 1\n[model]\nname = \"\u{85}\u{200b}\"   # \u{202e}\nx\u{e9} = 1");
    assert!(shown.contains("input.toml:4:2"), "{shown}");
    let text = "format = 1\n[model] # a\nmodel = { \"\u{85}\" = 1, b = 1 }\n";
    assert!(messages(text).contains("\"\u{fffd}\" = 1"), "{}", messages(text));
}

#[test]
fn twenty_thousand_levels_are_a_message() {
    let (count, start) = (20_000, Instant::now());
    let around = |open: &str, close: &str| open.repeat(count) + "1" + &close.repeat(count);
    let keys = vec!["a"; count].join(".");
    for value in [
        around("[", "]"),
        around("{a=", "}"),
        "[".repeat(count),
        "{".repeat(count),
        format!("{{ {keys} = 1 }}"),
        format!("\"= {}\"", around("(", ")")),
        format!("\"= {}\"", around("sin(", ")")),
        format!("\"= {}\"", around("[", "]")),
        format!("\"= 1{}\"", "^2".repeat(count)),
        format!("\"= {}1\"", "-".repeat(count)),
        format!("\"= {}1\"", "not ".repeat(count)),
        format!("\"= 1{}\"", " + 1 mm".repeat(count)),
        format!("\"1 {}\"", vec!["m"; count].join("/")),
        format!("\"1 {}\"", around("(", ")")),
    ] {
        assert!(!messages(&format!("format = 1\n[model]\ngravity = {value}\n")).is_empty());
        assert!(!messages(&format!("format = 1\n[parameters]\na = {value}\n")).is_empty());
    }
    for text in [
        format!("format = 1\n{keys} = 1\n"),
        format!("format = 1\n[{keys}]\nb = 1\n"),
        format!("format = 1\n[[{keys}]]\nb = 1\n"),
        format!("format = 1\n{}a{}\n", "[".repeat(count), "]".repeat(count)),
        "[[a]]\n".repeat(count),
        (0..count).map(|i| format!("[a{i}]\n")).collect(),
    ] {
        assert!(!messages(&text).is_empty());
    }
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}
