//! Shipped models with changes.

use gudgeon_model::shipped::{self, find};
use gudgeon_model::{Loaded, Overrides};

/// A shipped model with keys set as on the command line.
pub fn loaded(name: &str, set: &[(&str, &str)]) -> Loaded {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    match shipped::load(find(name).expect("a shipped model"), &overrides) {
        Ok(loaded) => loaded,
        Err(failure) => panic!("{}", failure.diagnostics.render(&failure.sources, false)),
    }
}
