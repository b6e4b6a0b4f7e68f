//! 20 000 wrong names took minutes: every one was compared with every name there is, and all of
//! them were drawn.

use std::fmt::Write;
use std::time::{Duration, Instant};

use gudgeon_model::Overrides;
use gudgeon_study::file::load_study_text;

use super::wrong_kinds::Shipped;

const MANY: usize = 20_000;
/// A tenth of this is what such a file takes on an idle machine; it took more than a hundred seconds.
const LIMIT: Duration = Duration::from_secs(10);

fn lines(line: impl Fn(usize) -> String) -> String {
    (0..MANY).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "{}", line(i));
        text
    })
}

#[test]
fn names_of_a_study() {
    let variables = lines(|i| format!("v_{i} = {{ from = 1, to = 2 }}"));
    let responses = lines(|i| format!("r_{i} = \"max(ppin_{i}.force)\""));
    let text = format!(
        "format = 1\n[study]\nmodel = \"slider_crank\"\n[variables]\n{variables}[design]\nmethod = \
         \"lhs\"\nsamples = 4\n[responses]\n{responses}"
    );
    let started = Instant::now();
    let failure = load_study_text("many.study.toml", &text, &Shipped(&[]), &Overrides::default());
    let failure = failure.unwrap_err();
    let messages = failure.diagnostics.render(&failure.sources, false);
    assert!(started.elapsed() < LIMIT, "{:?}", started.elapsed());
    assert_eq!(messages.lines().filter(|line| line.starts_with("error[")).count(), 100);
}
