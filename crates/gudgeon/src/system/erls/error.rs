//! What a mechanism of equivalent rigid links cannot have.

/// Why there is no equivalent rigid-link system of a mechanism.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ErlsError {
    #[error("body `{body}` is no link on the equivalent rigid-link system: {why}")]
    Body { body: String, why: &'static str },
    #[error("joint `{joint}` has no place in an equivalent rigid-link system: {why}")]
    Joint { joint: String, why: &'static str },
    #[error("joint `{joint}` does not stand at a node of the line of `{body}`")]
    BesideNode { joint: String, body: String },
    #[error("no joints carry body `{body}` from the ground")]
    Free { body: String },
    #[error(
        "driver `{driver}` drives a joint that closes a loop whose other joints are driven, too"
    )]
    DrivesLoop { driver: String },
    #[error("`{name}` of link `{body}` cannot be zeroed: {why}")]
    Held { body: String, name: String, why: &'static str },
    #[error(
        "links from `{body}` on zero {given} elastic coordinates, but the equivalent rigid-link system has {mobility} independent coordinates"
    )]
    TooMany { body: String, given: usize, mobility: usize },
    #[error(
        "{}", singular_message(.names)
    )]
    Singular { names: Vec<String> },
    #[error(
        "{lacking} more elastic coordinates must be zeroed than links from `{body}` on allow to choose"
    )]
    TooFew { body: String, lacking: usize },
}

fn singular_message(names: &[String]) -> String {
    let list = crate::results::zeroed(names);
    format!(
        "zeroing {list} does not fix the equivalent rigid-link system: J0 is singular, since its rigid motion does not move them independently"
    )
}
