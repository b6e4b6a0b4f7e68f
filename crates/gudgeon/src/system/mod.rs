//! A mechanism compiled for evaluation: constant layout here, changing buffers in a [`Workspace`].

pub mod compile;
pub mod energy;
pub mod evaluate;
mod plant;
pub mod workspace;

pub use compile::{CompileError, System};
pub use plant::{Change, Memory, Plant, StopAngle};
pub use workspace::Workspace;
