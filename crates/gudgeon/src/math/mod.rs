//! Plain values of mechanics in world axes.

pub(crate) mod decompose;
pub mod rotation;
pub mod spatial;
