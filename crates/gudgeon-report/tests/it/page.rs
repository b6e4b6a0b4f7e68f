//! What stands in the text of a page, whatever the names in a result are.

use gudgeon_report::report;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::folders::Folder;

const NASTY: &str = "</script><!-- \u{2028} \"quoted\" 'x' & <b>";

fn page(record: &serde_json::Value) -> String {
    let folder = Folder::new("page");
    report(folder.path(), record).unwrap()
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let start = text.find(from).unwrap() + from.len();
    &text[start..start + text[start..].find(to).unwrap()]
}

#[test]
fn names_are_harmless() {
    let record = json!({
        "gudgeon": "0.1.0", "status": "ok",
        "model": {"name": NASTY, "files": [{"name": NASTY, "text": NASTY}]},
        "parameters": {NASTY: {"value": 1.0, "unit": "m", "about": NASTY}},
        "extremes": {NASTY: {"unit": NASTY, "min": 0.0}},
    });
    let page = page(&record);
    let index = between(&page, "id=\"index\">", "</script>");
    assert!(!index.contains('<') && !index.contains('\u{2028}'));
    let read: serde_json::Value = serde_json::from_str(index).unwrap();
    assert_eq!(read["record"]["model"]["name"], NASTY);
    assert_eq!(
        between(&page, "<title>", "</title>"),
        "&lt;/script&gt;&lt;!-- \u{2028} \"quoted\" 'x' &amp; &lt;b&gt;"
    );
    // As many elements as the skeleton has.
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
    assert_eq!(page.matches("</script>").count(), 5);
    // Whoever passes the page on passes the licence of what is in it on, too.
    assert!(page.contains("Permission is hereby granted") && page.contains("Leon Sorokin"));
}

#[test]
fn the_policy_names_every_script_and_nothing_else() {
    let page = page(&json!({"gudgeon": "0.1.0", "model": {"name": "a"}}));
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(
        !policy.contains("unsafe") && !policy.contains("http") && !policy.contains('*'),
        "{policy}"
    );
    for (start, end) in [
        ("<script>", "</script>"),
        ("<script type=\"module\">", "</script>"),
        ("<style>", "</style>"),
    ] {
        let text = between(&page, start, end);
        let sum = base64(&Sha256::digest(text));
        assert!(policy.contains(&format!("'sha256-{sum}'")), "{start}");
    }
    let outside = ["src=\"", "href=\"http", "@import", "url(http"];
    let start = page.find("<style>").unwrap();
    let style = &page[start..page.find("</style>").unwrap()];
    assert!(outside.iter().all(|one| !style.contains(one)));
}

/// By another way than the program's.
fn base64(bytes: &[u8]) -> String {
    let bits: String = bytes.iter().map(|b| format!("{b:08b}")).collect();
    let letters: Vec<char> =
        ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
    let sixes: Vec<char> = bits.chars().collect();
    let mut out: String = sixes
        .chunks(6)
        .map(|six| {
            let text: String = six.iter().collect();
            letters[usize::from_str_radix(&format!("{text:0<6}"), 2).unwrap()]
        })
        .collect();
    while !out.len().is_multiple_of(4) {
        out.push('=');
    }
    out
}

#[test]
fn what_differs_between_two_runs_of_one_file_is_left_out() {
    let mut record = json!({"gudgeon": "0.1.0", "model": {"name": "a"}});
    let plain = page(&record);
    record["environment"] = json!({"date": "today", "arguments": ["run"], "model": "/home/me"});
    record["files"] = json!(["series.csv"]);
    assert_eq!(page(&record), plain);
}

#[test]
fn only_the_largest_of_many_impacts_are_listed() {
    let impacts: Vec<_> = (0..1000)
        .map(|i| json!({"joint": "pin", "number": i, "t": f64::from(i), "peak_force": f64::from(i % 500)}))
        .collect();
    let page = page(&json!({"gudgeon": "0.1.0", "model": {"name": "a"}, "impacts": impacts}));
    let index: serde_json::Value =
        serde_json::from_str(between(&page, "id=\"index\">", "</script>")).unwrap();
    let listed = index["record"]["impacts"].as_array().unwrap();
    assert_eq!((listed.len(), index["impacts"].as_u64()), (200, Some(1000)));
    assert!(listed.iter().all(|one| one["peak_force"].as_f64() >= Some(400.0)));
    assert!(listed.windows(2).all(|pair| pair[0]["t"].as_f64() < pair[1]["t"].as_f64()));
}
