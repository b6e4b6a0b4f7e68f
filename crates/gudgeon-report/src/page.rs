//! The page: skeleton, style, scripts, data, and the policy that lets nothing else in.
//!
//! Scripts are named by their SHA-256 sums in the content security policy, so that no other text of the page can
//! run, whatever names a model has; data stands in elements that are never executed, with `<` as `\u003c`.

use std::sync::OnceLock;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

use crate::index::Content;

const THREE: &str = include_str!("../vendor/three.min.js");
const UPLOT: &str = include_str!("../vendor/uplot.min.js");
const UPLOT_STYLE: &str = include_str!("../vendor/uplot.min.css");
const THREE_LICENCE: &str = include_str!("../vendor/LICENSE-three");
const UPLOT_LICENCE: &str = include_str!("../vendor/LICENSE-uplot");
const STYLE: &str = include_str!("../page/style.css");

/// Our modules in the order in which they need each other.
pub const MODULES: [(&str, &str); 15] = [
    ("dom.js", include_str!("../page/dom.js")),
    ("units.js", include_str!("../page/units.js")),
    ("data.js", include_str!("../page/data.js")),
    ("colour.js", include_str!("../page/colour.js")),
    ("clock.js", include_str!("../page/clock.js")),
    ("vector.js", include_str!("../page/vector.js")),
    ("mechanism.js", include_str!("../page/mechanism.js")),
    ("canvas.js", include_str!("../page/canvas.js")),
    ("solid.js", include_str!("../page/solid.js")),
    ("viewer.js", include_str!("../page/viewer.js")),
    ("clearance.js", include_str!("../page/clearance.js")),
    ("plots.js", include_str!("../page/plots.js")),
    ("pressure.js", include_str!("../page/pressure.js")),
    ("tables.js", include_str!("../page/tables.js")),
    ("main.js", include_str!("../page/main.js")),
];

/// The scripts with their hashes, made once.
struct Scripts {
    own: String,
    hashes: [String; 2],
    style: String,
    style_hash: String,
}

/// Of three.js, which only pages of mechanisms in space have.
fn three_hash() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| hash(THREE))
}

fn scripts() -> &'static Scripts {
    static SCRIPTS: OnceLock<Scripts> = OnceLock::new();
    SCRIPTS.get_or_init(|| {
        let own = joined();
        let style = format!("{UPLOT_STYLE}\n{STYLE}");
        Scripts { hashes: [hash(UPLOT), hash(&own)], style_hash: hash(&style), own, style }
    })
}

/// Our modules as one: imports and the word `export` left out.
fn joined() -> String {
    let mut out = String::new();
    for (_, text) in MODULES {
        for line in text.lines().filter(|line| !line.starts_with("import ")) {
            out.push_str(line.strip_prefix("export ").unwrap_or(line));
            out.push('\n');
        }
    }
    out
}

/// As a policy names a text.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// The page of some content.
pub fn page(content: &Content) -> String {
    let Scripts { own, hashes: [uplot, main], style, style_hash } = scripts();
    let (three, three_script) = match content.spatial {
        true => (format!(" {}", three_hash()), format!("<script>{THREE}</script>\n")),
        false => (String::new(), String::new()),
    };
    let policy = format!(
        "default-src 'none'; script-src {uplot} {main}{three}; style-src {style_hash}; img-src data: blob:; base-uri 'none'; form-action 'none'"
    );
    let title = escaped(&content.title);
    let mut licences = format!("uPlot\n\n{UPLOT_LICENCE}");
    if content.spatial {
        licences = format!("{licences}\nthree.js\n\n{THREE_LICENCE}");
    }
    // No text in a data element may end it.
    let index = content.index.replace('<', "\\u003c").replace('\u{2028}', "\\u2028");
    let index = index.replace('\u{2029}', "\\u2029");
    [
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"",
        &policy,
        "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
        &title,
        "</title>\n<style>",
        style,
        "</style>\n</head>\n<body>\n<noscript><p>This page needs JavaScript; the numbers are in run.json beside it.</p></noscript>\n",
        "<script type=\"application/json\" id=\"index\">",
        &index,
        "</script>\n<script type=\"text/plain\" id=\"block\">",
        &content.block,
        "</script>\n<script type=\"text/plain\" id=\"licences\">",
        &licences,
        "</script>\n",
        &three_script,
        "<script>",
        UPLOT,
        "</script>\n<script type=\"module\">",
        own,
        "</script>\n</body>\n</html>\n",
    ]
    .concat()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
