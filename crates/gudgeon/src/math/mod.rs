//! Plain values of mechanics in world axes.

pub mod rotation;
pub mod spatial;
