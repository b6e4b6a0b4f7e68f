//! 20 000 wrong names took minutes: every one was compared with every name there is, and all of
//! them were drawn.

use std::fmt::Write;
use std::time::{Duration, Instant};

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver, load_text};

const MANY: usize = 20_000;
/// A tenth of this is what such a file takes on an idle machine; it took more than a hundred seconds.
const LIMIT: Duration = Duration::from_secs(10);

struct NoFiles;

impl Resolver for NoFiles {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        Err(Box::new(Diagnostic::error("G0001", format!("cannot read `{name}`"))))
    }
}

/// Checks that so many errors are counted, a hundred shown, and that it does not take long.
#[track_caller]
fn shows_a_hundred(text: &str) {
    let started = Instant::now();
    let failure = load_text("many.toml", text, &NoFiles, &Overrides::default()).unwrap_err();
    let messages = failure.diagnostics.render(&failure.sources, false);
    assert!(started.elapsed() < LIMIT, "{:?}", started.elapsed());
    assert_eq!(messages.lines().filter(|line| line.starts_with("error[")).count(), 100);
    let (shown, more) = failure.diagnostics.shown();
    assert_eq!(shown.len(), 100);
    assert!(more >= MANY - 100, "{more}");
    assert!(messages.ends_with(&format!("\n… and {more} more\n")));
}

fn lines(line: impl Fn(usize) -> String) -> String {
    (0..MANY).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "{}", line(i));
        text
    })
}

const RUN: &str = "[run]\nuntil = \"1 s\"\n";

fn bodies() -> String {
    lines(|i| format!("[bodies.rod_{i}]\nmass = \"1 kg\"\ninertia = \"1 kg m^2\""))
}

#[test]
fn names_of_bodies() {
    let joints = lines(|i| {
        format!("j_{i} = {{ type = \"revolute\", between = [\"ground\", \"rud_{i}x\"] }}")
    });
    shows_a_hundred(&format!("format = 1\n{}[joints]\n{joints}{RUN}", bodies()));
}

#[test]
fn names_of_frames() {
    let frames = lines(|i| format!("frames.f_{i} = \"0, 0\""));
    let joints = lines(|i| {
        format!("j_{i} = {{ type = \"revolute\", between = [\"ground\", \"rod.g_{i}x\"] }}")
    });
    shows_a_hundred(&format!("format = 1\n[bodies.rod]\n{frames}[joints]\n{joints}{RUN}"));
}

#[test]
fn names_of_parameters() {
    let known = lines(|i| format!("p_{i} = \"1 mm\""));
    let wrong = lines(|i| format!("q_{i} = \"=pp_{i}x + 1 mm\""));
    shows_a_hundred(&format!("format = 1\n[parameters]\n{known}{wrong}{RUN}"));
}

#[test]
fn names_of_outputs_and_starts() {
    let outputs = lines(|i| format!("\"rad_{i}x.angle\","));
    let run = format!("{RUN}outputs = [\n{outputs}]\n");
    shows_a_hundred(&format!("format = 1\n{}{run}", bodies()));
    let start = lines(|i| format!("rad_{i}x.x = \"1 m\""));
    shows_a_hundred(&format!("format = 1\n{}[start]\n{start}{RUN}", bodies()));
}

#[test]
fn keys_units_sections_and_syntax() {
    shows_a_hundred(&format!("format = 1\n[bodies.rod]\n{}{RUN}", lines(|i| format!("k_{i} = 1"))));
    let units = lines(|i| format!("k_{i} = \"1 mmm\""));
    shows_a_hundred(&format!("format = 1\n[parameters]\n{units}{RUN}"));
    let sections = lines(|i| format!("[section_{i}]\na = 1"));
    shows_a_hundred(&format!("format = 1\n{sections}{RUN}"));
    shows_a_hundred(&format!("format = 1\n{}", lines(|i| format!("k_{i} = = 1"))));
}
