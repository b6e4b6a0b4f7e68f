//! Linear algebra of the constraint equations and of Newton's iteration.

pub mod entries;
mod late_order;
pub mod ldl;
pub mod lu;
mod run;
pub mod scalar;
pub mod sparse_lu;

pub use entries::Entries;
pub use ldl::{Ldl, minimum_degree};
pub use lu::Lu;
pub use scalar::{Complex, Scalar};
pub use sparse_lu::SparseLu;
