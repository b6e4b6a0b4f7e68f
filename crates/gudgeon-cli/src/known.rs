//! Values that an argument is known to take, for completions and suggestions. Any other is taken
//! too: files of the user's own, `JOINT=LAW`, words that the model's reader explains.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use gudgeon_model::{shipped, words};

/// A parser that also knows some values by name.
#[derive(Clone)]
pub struct Known<P> {
    parser: P,
    names: fn() -> Vec<&'static str>,
}

pub fn known<P>(parser: P, names: fn() -> Vec<&'static str>) -> Known<P> {
    Known { parser, names }
}

impl<P: TypedValueParser> TypedValueParser for Known<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, Error> {
        self.parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

pub fn models() -> Vec<&'static str> {
    shipped::names().collect()
}

pub fn studies() -> Vec<&'static str> {
    gudgeon_study::shipped::studies().map(|study| study.name).collect()
}

pub fn laws() -> Vec<&'static str> {
    words::laws().to_vec()
}

pub fn methods() -> Vec<&'static str> {
    words::methods().to_vec()
}

/// What `gudgeon new` copies or writes by rule.
pub fn drafts() -> Vec<&'static str> {
    let mut names: Vec<_> = models().into_iter().chain(["chain", "n_four_bar"]).collect();
    names.sort_unstable();
    names.dedup();
    names.extend(studies());
    names
}
