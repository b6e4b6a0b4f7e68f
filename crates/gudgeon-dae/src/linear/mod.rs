//! Linear algebra of the constraint equations.

pub mod ldl;

pub use ldl::{Ldl, minimum_degree};
