//! All integration tests of the crate in one program, which is linked once.

mod beams;
mod events;
mod implicit;
mod implicit_forms;
mod implicit_order;
mod order;
mod regressions;
