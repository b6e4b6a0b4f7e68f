//! Every operation on files that results depend on, in one place.
//!
//! Result folders and studies reach the disk through a [`Disk`] that is passed in. The real one
//! costs a look at an empty option per operation. One with [`Faults`] counts the operations and lets
//! the n-th fail, or all from there on: tests go through every n and look at what is left.

#![forbid(unsafe_code)]

mod disk;
mod faults;
mod file;
mod tree;

pub use disk::Disk;
pub use faults::{Fault, Faults};
pub use file::DiskFile;
pub use tree::{free_name, is_mount_point};
