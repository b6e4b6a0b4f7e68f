//! Starts: requested velocities that were dropped, drivers that were refused, poses that were moved
//! without notice.

mod drivers;
mod gaps;
mod requests;
mod velocities;

use gudgeon::assembly::{Assembly, assemble};
use gudgeon::model::Model;
use gudgeon::results::{RunReport, Status};
use gudgeon::sensor::resolve;
use gudgeon::simulate::{Silent, simulate};
use gudgeon::system::Plant;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::shipped::{self, find};
use gudgeon_model::{Loaded, Overrides, Resolver, load_text};

struct NoFiles;

impl Resolver for NoFiles {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        Err(Box::new(Diagnostic::error("G0001", format!("no file `{name}`"))))
    }
}

/// A model with `[run]` for `until` seconds by a method.
fn read(text: &str, until: f64, method: &str) -> Loaded {
    let run = format!("[run]\nuntil = \"{until} s\"\nmethod = \"{method}\"\n");
    let text = format!("format = 1\n{text}{run}");
    load_text("test.toml", &text, &NoFiles, &Overrides::default())
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&failure.sources, false)))
}

fn shipped(name: &str, set: &[(&str, &str)]) -> Model {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    match shipped::load(find(name).expect("a shipped model"), &overrides) {
        Ok(loaded) => loaded.model,
        Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
    }
}

fn start(model: &Model) -> Assembly {
    assemble(model).unwrap_or_else(|error| panic!("{error}"))
}

/// Value of an output at the start.
fn at_start(start: &Assembly, name: &str) -> f64 {
    let mut plant = Plant::new(&start.system);
    plant.evaluate(0.0, &start.state()).unwrap();
    resolve(&start.system.model, name).unwrap().value(&plant, 0.0)
}

fn run(loaded: &Loaded) -> RunReport {
    let report = simulate(&start(&loaded.model), &loaded.run, &mut Silent);
    assert_eq!(report.status, Status::Done);
    report
}

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found:e} is not {expected:e}");
}
