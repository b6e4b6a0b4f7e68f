//! Models whose text is all there is.

use gudgeon_model::Resolver;
use gudgeon_model::diagnostic::Diagnostic;

pub struct Alone;

impl Resolver for Alone {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        panic!("no file {name} is needed")
    }
}
