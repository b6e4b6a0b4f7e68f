//! Words of model files that commands complete.

use crate::spec::contacts::LAWS;
use crate::spec::films::MODELS;
use crate::spec::run::METHODS;

/// The normal laws of contacts.
pub fn laws() -> &'static [&'static str] {
    LAWS
}

/// The integrators.
pub fn methods() -> &'static [&'static str] {
    METHODS
}

/// The models of films.
pub fn films() -> &'static [&'static str] {
    MODELS
}
