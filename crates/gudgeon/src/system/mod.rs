//! A mechanism compiled for evaluation: constant layout here, changing buffers in a [`Workspace`].

mod blocks;
pub mod choice;
pub mod compile;
pub mod component;
mod elements;
pub mod energy;
pub mod erls;
pub mod evaluate;
mod functions;
mod interface;
mod plant;
pub(crate) mod reactions;
mod rows;
mod size;
mod squares;
mod tangents;
pub mod tree;
pub mod workspace;

pub use compile::{CompileError, Layout, System};
pub use plant::{Change, Memory, Plant, Situation, StopAngle};
pub(crate) use squares::{Curvature, Squares, Terms};
pub use workspace::Workspace;
