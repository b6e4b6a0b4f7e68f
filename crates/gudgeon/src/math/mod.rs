//! Plain values of mechanics in world axes.

pub mod spatial;
