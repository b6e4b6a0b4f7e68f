//! All integration tests of the crate in one program, which is linked once.

mod folder;
mod nothing_lost;
mod plots;
mod regressions;
#[path = "../../src/scratch.rs"]
mod scratch;
mod tables;
